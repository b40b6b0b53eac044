/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations' tables of results: loops, locations, candidates; those of single iterations are in series.c. Runs once,
 * at the end. */
#include "report.h"

#include "../shared/limits/limits.h"

#include <math.h>
#include <stdlib.h>

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Paths by their regions, callers first: their numbers depend on the order of reading. */
static int order_paths(const struct path *paths, uint32_t a, uint32_t b)
{
    uint32_t depth_a = 0, depth_b = 0;
    for (uint32_t n = a; n != ROOT; n = paths[n].parent)
        depth_a++;
    for (uint32_t n = b; n != ROOT; n = paths[n].parent)
        depth_b++;
    int order = (depth_a > depth_b) - (depth_a < depth_b);
    for (; depth_a > depth_b; depth_a--)
        a = paths[a].parent;
    for (; depth_b > depth_a; depth_b--)
        b = paths[b].parent;
    for (; a != b; a = paths[a].parent, b = paths[b].parent) /* the uppermost difference decides */
        if (paths[a].region != paths[b].region)
            order = paths[a].region < paths[b].region ? -1 : 1;
    return order;
}

/* --------------------------------------------------------------------------------------------------------- loops -- */

typedef struct counted {
    const struct path *paths;
    uint32_t path;
    uint64_t n;
    uint64_t ticks, length; /* of the loop, and of the location */
} counted;

static int order_counted(const void *a, const void *b)
{
    const counted *x = a, *y = b;
    if (x->path != y->path)
        return order_paths(x->paths, x->path, y->path);
    return (x->n > y->n) - (x->n < y->n);
}

static void loop_row(work *w, tcf_table *t, const counted *of, uint32_t n)
{
    const struct state *st = w->self->state;
    uint64_t ticks = 0, whole = 0, length = 0;
    uint32_t agree = 0, common = 0;
    for (uint32_t i = 0, same = 0; i < n; i++) {
        same = i > 0 && of[i].n == of[i - 1].n ? same + 1 : 1;
        if (same > agree) {
            agree = same;
            common = i;
        }
        ticks += of[i].ticks;
        whole += of[i].n - 1;
        length += of[i].length;
    }
    const tcf_cell cells[] = {tcf_uint(of[common].n),
                              tcf_uint(n),
                              tcf_uint(agree),
                              tcf_uint(of[0].n),
                              tcf_uint(of[n - 1].n),
                              tcf_seconds(w->self, (double)ticks / (double)whole),
                              tcf_double(share(ticks, length)),
                              tcf_text(of->path == st->main_path ? "yes" : "no"),
                              tcf_text(path_text(w, of->path))};
    w->self->host->row(t, cells);
}

static tcf_status report_loops(work *w)
{
    static const tcf_table_column columns[] = {
        {"iterations", TCF_CELL_UINT, NULL, "Enters of the anchor: the number that most of its locations have"},
        {"locations", TCF_CELL_UINT, NULL, "How many have this loop"},
        {"agree", TCF_CELL_UINT, NULL, "How many of them have this number of iterations"},
        {"fewest", TCF_CELL_UINT, NULL, "The smallest number of any of them"},
        {"most", TCF_CELL_UINT, NULL, "The largest"},
        {"mean", TCF_CELL_DOUBLE, "s", "Duration of an iteration, over all whole ones of all of them"},
        {"share", TCF_CELL_DOUBLE, "%", "What whole iterations take of their locations' time"},
        {"main", TCF_CELL_TEXT, NULL, "yes: the main loop"},
        {"anchor", TCF_CELL_TEXT, NULL, "Call path that begins an iteration"},
    };
    tcf_table *t = w->self->host->table(w->self, "loops", "Loops", columns, TCF_COUNT(columns));
    counted *all = calloc(w->self->defs->n_locations + 1ul, sizeof *all);
    uint32_t n = 0;
    for (uint32_t l = 0; all && l < w->self->defs->n_locations; l++) {
        const struct candidate *x = loop_of(w, l);
        const struct place *p = place_of(w, l);
        if (x)
            all[n++] = (counted){((const struct state *)w->self->state)->paths, x->path, x->run.n, run_span(&x->run),
                                 p->last - p->first};
    }
    if (n > 0)
        qsort(all, n, sizeof *all, order_counted);
    for (uint32_t i = 0, to; t && i < n; i = to) {
        for (to = i; to < n && all[to].path == all[i].path; to++)
            ;
        loop_row(w, t, &all[i], to - i);
    }
    free(all);
    return t && all ? TCF_OK : TCF_ERROR;
}

/* --------------------------------------------------------------------------------------------------- by location -- */

static void location_row(work *w, tcf_table *t, uint32_t l, const struct candidate *x)
{
    const struct run *r = &x->run;
    const struct totals *a = &r->at_first, *b = &r->at_last;
    const double whole = (double)(r->n - 1), resolution = (double)w->self->defs->clock.resolution;
    const tcf_cell cells[] = {process_name(w, l),
                              tcf_text(w->self->defs->locations[l].name),
                              tcf_uint(r->n),
                              tcf_double(r->mean / resolution),
                              tcf_double(sqrt(r->squares / whole) / resolution),
                              tcf_seconds(w->self, (double)r->shortest),
                              tcf_seconds(w->self, (double)r->longest),
                              tcf_uint(r->which),
                              tcf_double(share(b->mpi - a->mpi, run_span(r))),
                              tcf_double((double)(b->sent - a->sent) / whole),
                              tcf_double((double)(b->sent_bytes - a->sent_bytes) / whole),
                              tcf_double((double)(b->received - a->received) / whole),
                              tcf_double((double)(b->received_bytes - a->received_bytes) / whole),
                              tcf_double((double)(b->collectives - a->collectives) / whole),
                              tcf_when(w->self, r->first_time),
                              tcf_when(w->self, r->last_time),
                              tcf_double(evenness_of(r)),
                              tcf_double(likeness_of(r)),
                              tcf_uint(r->first_time),
                              tcf_uint(r->last_time),
                              tcf_uint(r->shortest),
                              tcf_uint(r->longest),
                              tcf_uint(b->mpi - a->mpi),
                              tcf_uint(w->self->defs->locations[l].id),
                              tcf_text(path_text(w, x->path))};
    w->self->host->row(t, cells);
}

static tcf_status report_locations(work *w)
{
    static const tcf_table_column columns[] = {
        {"process", TCF_CELL_TEXT, NULL, "Name of the location group"},
        {"location", TCF_CELL_TEXT, NULL, "Name of the location"},
        {"iterations", TCF_CELL_UINT, NULL, "Enters of the anchor; one less are whole, and the rest is about these"},
        {"mean", TCF_CELL_DOUBLE, "s", "Duration"},
        {"deviation", TCF_CELL_DOUBLE, "s", "Standard deviation of the durations"},
        {"shortest", TCF_CELL_DOUBLE, "s", "Smallest duration"},
        {"longest", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Largest duration"},
        {"which", TCF_CELL_UINT, NULL, "Number of the longest, from 0 on"},
        {"mpi", TCF_CELL_DOUBLE, "%", "Share of the time in regions of MPI"},
        {"sent", TCF_CELL_DOUBLE, "messages", "Messages sent in an iteration, on average"},
        {"sent_bytes", TCF_CELL_DOUBLE, "bytes", "Their bytes"},
        {"received", TCF_CELL_DOUBLE, "messages", "Messages received in an iteration, on average"},
        {"received_bytes", TCF_CELL_DOUBLE, "bytes", "Their bytes"},
        {"collectives", TCF_CELL_DOUBLE, NULL, "Collective operations ended in an iteration, on average"},
        {"from", TCF_CELL_DOUBLE, "s", "Begin of the first iteration, since the start of the trace"},
        {"to", TCF_CELL_DOUBLE, "s", "Begin of the last one"},
        {"evenness", TCF_CELL_DOUBLE, NULL, "1: all take the same time; 1 / n: one of n takes it all"},
        {"likeness", TCF_CELL_DOUBLE, NULL, "1: each has the call paths of the one before; 0: none of them"},
        {"from_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As from, as a timestamp of the trace"},
        {"to_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As to, likewise"},
        {"shortest_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As shortest"},
        {"longest_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As longest"},
        {"mpi_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Time in MPI, of all whole iterations"},
        {"location_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location"},
        {"anchor", TCF_CELL_TEXT, NULL, "Call path that begins an iteration"},
    };
    tcf_table *t = w->self->host->table(w->self, "iterations", "Iterations by location", columns, TCF_COUNT(columns));
    for (uint32_t l = 0; t && l < w->self->defs->n_locations; l++)
        if (loop_of(w, l))
            location_row(w, t, l, loop_of(w, l));
    return t ? TCF_OK : TCF_ERROR;
}

/* ---------------------------------------------------------------------------------------------------- candidates -- */

typedef struct alternative {
    const struct path *paths;
    uint32_t path, locations;
    uint64_t fewest, most;
    double share, evenness, likeness; /* sums */
} alternative;

static int order_alternatives(const void *a, const void *b)
{
    const alternative *x = a, *y = b;
    if (x->locations != y->locations)
        return x->locations > y->locations ? -1 : 1;
    if (x->most != y->most)
        return x->most > y->most ? -1 : 1;
    return x->locations == 0 ? 0 : order_paths(x->paths, x->path, y->path);
}

static void add_alternatives(const struct path *paths, const struct place *p, alternative *all)
{
    for (uint32_t i = 0; i < p->n_found; i++) {
        const struct run *r = &p->found[i].run;
        alternative *x = &all[p->found[i].path];
        x->paths = paths;
        x->path = p->found[i].path;
        x->fewest = x->locations == 0 || r->n < x->fewest ? r->n : x->fewest;
        x->most = r->n > x->most ? r->n : x->most;
        x->share += share(run_span(r), p->last - p->first);
        x->evenness += evenness_of(r);
        x->likeness += likeness_of(r);
        x->locations++;
    }
}

static tcf_status report_candidates(work *w)
{
    static const tcf_table_column columns[] = {
        {"fewest", TCF_CELL_UINT, NULL, "Enters of the call path within one visit of its parent: fewest of a location"},
        {"most", TCF_CELL_UINT, NULL, "Most of a location"},
        {"locations", TCF_CELL_UINT, NULL, "In how many it recurs for long enough"},
        {"share", TCF_CELL_DOUBLE, "%", "What it covers of their time, on average"},
        {"evenness", TCF_CELL_DOUBLE, NULL,
         "1: all iterations take the same time; 1 / n: one of n takes it all; on average"},
        {"likeness", TCF_CELL_DOUBLE, NULL, "1: each iteration has the call paths of the one before; on average"},
        {"callpath", TCF_CELL_TEXT, NULL, "Call path"},
    };
    const struct state *st = w->self->state;
    tcf_table *t =
        w->self->host->table(w->self, "candidates", "What else may begin iterations", columns, TCF_COUNT(columns));
    alternative *all = calloc(st->n_paths + 1ul, sizeof *all);
    for (uint32_t l = 0; all && l < w->self->defs->n_locations; l++)
        add_alternatives(st->paths, place_of(w, l), all);
    if (all && st->n_paths > 0)
        qsort(all, st->n_paths, sizeof *all, order_alternatives);
    for (uint32_t i = 0; t && all && i < st->n_paths && i < MOST_KEPT && all[i].locations > 0; i++) {
        const double n = (double)all[i].locations;
        const tcf_cell cells[] = {tcf_uint(all[i].fewest),
                                  tcf_uint(all[i].most),
                                  tcf_uint(all[i].locations),
                                  tcf_double(all[i].share / n),
                                  tcf_double(all[i].evenness / n),
                                  tcf_double(all[i].likeness / n),
                                  tcf_text(path_text(w, all[i].path))};
        w->self->host->row(t, cells);
    }
    free(all);
    return t && all ? TCF_OK : TCF_ERROR;
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

static tcf_status report_limits(work *w)
{
    const struct state *st = w->self->state;
    uint64_t without = 0, not_counted = 0;
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++) {
        without += place_of(w, l)->used && !loop_of(w, l);
        not_counted += place_of(w, l)->stack.not_counted;
    }
    const struct limit rows[] = {
        {"no_loop", "locations have nothing that repeats often enough and for long enough", without,
         st->main_path == NONE},
        {"max_paths", "visits of call paths were not followed", st->counts.paths, 1},
        {"max_children", "visits were not followed, because their parent had too many different ones",
         st->counts.children, 1},
        {"candidates", "call paths that may begin iterations were left out, the deepest and narrowest ones",
         st->counts.kept, 1},
        {"depth", "visits were nested too deeply and are not followed", not_counted, 1},
    };
    return report_limit_rows(w->self, rows, TCF_COUNT(rows), "");
}

tcf_status report(tcf_self *self)
{
    work w = {.self = self};
    const int failed = report_loops(&w) != TCF_OK || report_locations(&w) != TCF_OK || report_series(&w) != TCF_OK ||
                       report_outliers(&w) != TCF_OK || report_candidates(&w) != TCF_OK || report_limits(&w) != TCF_OK;
    free(w.text);
    return failed || w.out_of_memory ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
