/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables of single iterations, from the bins of the loops: durations over the iterations of the main loop, and
 * outliers. */
#include "report.h"

#include <stdlib.h>
#include <tcflow/order.h>
#include <tcflow/times.h>

/* -------------------------------------------------------------------------------------------------------- series -- */

static uint64_t whole_in(const struct run *r, uint32_t bin)
{
    const uint64_t from = (uint64_t)bin << r->level, to = from + (UINT64_C(1) << r->level);
    return from >= r->n - 1 ? 0 : (to < r->n - 1 ? to : r->n - 1) - from;
}

typedef struct joint {
    struct bin bin;
    uint32_t location; /* of the longest */
} joint;

static void add_series(joint *all, uint32_t bins, uint32_t level, uint32_t l, const struct run *r)
{
    for (uint32_t k = 0; k < bins && r->binned; k++) {
        const struct bin *b = &r->bins[k];
        if (whole_in(r, k) == 0)
            continue;
        joint *to = &all[k >> (level - r->level)];
        if (to->bin.n == 0 || b->longest > to->bin.longest) {
            to->bin.longest = b->longest;
            to->bin.which = b->which;
            to->location = l;
        }
        to->bin.n += b->n;
        to->bin.ticks = tcf_ticks_sum(to->bin.ticks, b->ticks);
    }
}

static void series_rows(work *w, tcf_table *t, joint *all, uint32_t bins)
{
    uint32_t level = 0;
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++)
        if (has_main_loop(w, l) && loop_of(w, l)->run.level > level)
            level = loop_of(w, l)->run.level;
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++)
        if (has_main_loop(w, l))
            add_series(all, bins, level, l, &loop_of(w, l)->run);
    for (uint32_t k = 0; k < bins; k++) {
        const struct bin *b = &all[k].bin;
        if (b->n == 0)
            continue;
        row r = row_of(w, all[k].location);
        r.from = (uint64_t)k << level;
        r.iterations = UINT64_C(1) << level;
        r.mean = (double)b->ticks / (double)b->n;
        r.bin = *b;
        tcf_row(w->self, t, &r);
    }
}

int report_series(work *w)
{
    static const tcf_table_column columns[] = {
        {"from", AT(from), NULL, "First iteration of the bin, from 0 on"},
        {"iterations", AT(iterations), NULL, "How many it is wide"},
        {"mean", AT(mean) | TCF_CELL_SECONDS, "s", "Mean duration, over all locations of the main loop"},
        {"longest", AT(bin.longest) | TCF_CELL_SECONDS, "s", "Largest duration"},
        {"which", AT(bin.which), NULL, "The iteration that took it"},
        {"process", AT(process), NULL, "Where that was"},
        {"counted", AT(bin.n) | TCF_CELL_DETAIL, NULL, "Whole iterations in it, of all locations"},
        {"ticks", AT(bin.ticks) | TCF_CELL_DETAIL, "ticks", "Their durations together"},
        {"longest_ticks", AT(bin.longest) | TCF_CELL_DETAIL, "ticks", "longest in ticks"},
        {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Location of the longest"},
    };
    const uint32_t bins = (uint32_t)((const struct conf *)w->self->conf)->bins;
    tcf_table *t = TCF_TABLE(w->self, "over_iterations", "Durations over the iterations of the main loop", columns);
    joint *all = calloc(bins, sizeof *all);
    if (all)
        series_rows(w, t, all, bins);
    free(all);
    return all ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------------------ outliers -- */

typedef struct outlier {
    double factor;
    const struct bin *bin;
    const struct candidate *of;
    uint32_t location;
} outlier;

static int comes_first(const outlier *x, const outlier *y)
{
    return TCF_FIRST(TCF_ORDER(y->factor, x->factor), TCF_ORDER(x->location, y->location),
                     TCF_ORDER(x->bin->which, y->bin->which)) < 0;
}

static void find_outliers(const work *w, uint32_t l, const struct candidate *x, outlier *worst, uint32_t *n)
{
    const struct conf *conf = w->self->conf;
    const uint32_t most = (uint32_t)conf->worst;
    for (uint32_t k = 0; most > 0 && k < conf->bins && x->run.binned; k++) {
        const struct bin *b = &x->run.bins[k];
        if (whole_in(&x->run, k) == 0 || !((double)b->longest > conf->outlier * x->run.mean))
            continue;
        const outlier found = {x->run.mean > 0 ? (double)b->longest / x->run.mean : 0, b, x, l};
        if (*n == most && !comes_first(&found, &worst[most - 1]))
            continue;
        uint32_t i = *n < most ? (*n)++ : most - 1;
        for (; i > 0 && comes_first(&found, &worst[i - 1]); i--)
            worst[i] = worst[i - 1];
        worst[i] = found;
    }
}

int report_outliers(work *w)
{
    static const tcf_table_column columns[] = {
        {"factor", AT(factor), NULL, "Duration divided by the mean of its location"},
        {"duration", AT(bin.longest) | TCF_CELL_SECONDS, "s", "What it took"},
        {"which", AT(bin.which), NULL, "Number of the iteration, from 0 on"},
        {"from", AT(bin.begin) | TCF_CELL_WHEN, "s", "Its begin, since the start of the trace"},
        {"process", AT(process), NULL, "Name of the location group"},
        {"duration_ticks", AT(bin.longest) | TCF_CELL_DETAIL, "ticks", "duration in ticks"},
        {"from_ticks", AT(bin.begin) | TCF_CELL_DETAIL, "ticks", "Its begin as a timestamp of the trace"},
        {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Id of the location"},
        {"anchor", AT(anchor), NULL, "Call path that begins an iteration"},
    };
    const struct conf *conf = w->self->conf;
    tcf_table *t = TCF_TABLE(w->self, "outliers", "Iterations that take much longer than others", columns);
    outlier *worst = calloc((size_t)conf->worst + 1, sizeof *worst);
    uint32_t n = 0;
    for (uint32_t l = 0; worst && l < w->self->defs->n_locations; l++)
        if (loop_of(w, l))
            find_outliers(w, l, loop_of(w, l), worst, &n);
    for (const outlier *x = worst; x && x < worst + n; x++) {
        row r = row_of(w, x->location);
        r.factor = x->factor;
        r.bin = *x->bin;
        r.anchor = path_text(w, x->of->path);
        tcf_row(w->self, t, &r);
    }
    free(worst);
    return worst ? 0 : -1;
}
