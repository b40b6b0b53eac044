/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations' tables of results: loops, locations, candidates; those of single iterations are in series.c. Runs once,
 * at the end. */
#include "report.h"

#include "../shared/limits/limits.h"

#include <math.h>
#include <stdlib.h>
#include <tcflow/order.h>
#include <tcflow/times.h>

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Orders paths by depth, then by the regions from the root on. Numbers of paths depend on the order of reading, and
 * won't do. */
static int order_paths(const struct path *paths, uint32_t a, uint32_t b)
{
    uint32_t depth_a = 0, depth_b = 0;
    for (uint32_t n = a; n != ROOT; n = paths[n].parent)
        depth_a++;
    for (uint32_t n = b; n != ROOT; n = paths[n].parent)
        depth_b++;
    int order = TCF_FIRST(TCF_ORDER(depth_a, depth_b), TCF_ORDER(paths[a].rank, paths[b].rank));
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
    double evenness;
} counted;

static int order_counted(const void *a, const void *b)
{
    const counted *x = a, *y = b;
    return x->path != y->path ? order_paths(x->paths, x->path, y->path) : TCF_ORDER(x->n, y->n);
}

/* Why the main loop may be another one. of: its n locations by iterations; evenness: their mean. */
static const char *doubt_of(const struct state *st, const counted *of, uint32_t n, double evenness)
{
    if (of->path != st->main_path || st->marks)
        return "";
    if (2 * st->processes_with_main < st->processes)
        return "fewer than half of the processes have it";
    if (4 * of[n - 1].n > 5 * of[0].n)
        return "locations differ by more than a quarter in how often they have it";
    return 4 * evenness < 3 ? "iterations take very different times" : "";
}

static void loop_row(work *w, tcf_table *t, const counted *of, uint32_t n)
{
    const struct state *st = w->self->state;
    uint64_t ticks = 0, whole = 0, length = 0;
    uint32_t agree = 0, common = 0;
    double evenness = 0;
    for (uint32_t i = 0, same = 0; i < n; i++) {
        same = i > 0 && of[i].n == of[i - 1].n ? same + 1 : 1;
        if (same > agree) {
            agree = same;
            common = i;
        }
        ticks = tcf_ticks_sum(ticks, of[i].ticks);
        whole += of[i].n - 1;
        length = tcf_ticks_sum(length, of[i].length);
        evenness += of[i].evenness / n;
    }
    const char *doubt = doubt_of(st, of, n, evenness);
    if (*doubt)
        w->self->host
            ->log(w->self, TCF_LOG_WARNING,
                  "the main loop is doubtful: %s; the table candidates has others, and anchor = NAME takes one", doubt);
    tcf_row(w->self, t,
            &(row){.iterations = of[common].n,
                   .locations = n,
                   .agree = agree,
                   .fewest = of[0].n,
                   .most = of[n - 1].n,
                   .mean = (double)ticks / (double)whole,
                   .share = share(ticks, length),
                   .main = of->path == st->main_path ? "yes" : "no",
                   .bursts = rank_of(w, of->path),
                   .doubt = doubt,
                   .anchor = path_text(w, of->path)});
}

static int report_loops(work *w)
{
    static const tcf_table_column columns[] = {
        {"iterations", AT(iterations), NULL, "Enters of the anchor: the number that most of its locations have"},
        {"locations", AT(locations), NULL, "How many have this loop"},
        {"agree", AT(agree), NULL, "How many of them have this number of iterations"},
        {"fewest", AT(fewest), NULL, "The smallest number of any of them"},
        {"most", AT(most), NULL, "The largest"},
        {"mean", AT(mean) | TCF_CELL_SECONDS, "s", "Duration of an iteration, over all whole ones of all of them"},
        {"share", AT(share), "%", "What whole iterations take of their locations' time"},
        {"main", AT(main), NULL, "yes: the main loop"},
        {"doubt", AT(doubt), NULL, "Why it may be another loop; empty: there is no reason"},
        BURSTS_COLUMN,
        {"anchor", AT(anchor), NULL, "Call path that begins an iteration"},
    };
    tcf_table *t = TCF_TABLE(w->self, "loops", "Loops", columns);
    counted *all = calloc(w->self->defs->n_locations + 1ul, sizeof *all);
    uint32_t n = 0;
    for (uint32_t l = 0; all && l < w->self->defs->n_locations; l++) {
        const struct candidate *x = loop_of(w, l);
        const struct place *p = place_of(w, l);
        if (x)
            all[n++] = (counted){((const struct state *)w->self->state)->paths,
                                 x->path,
                                 x->run.n,
                                 run_span(&x->run),
                                 p->last - p->first,
                                 evenness_of(&x->run)};
    }
    tcf_sort(all, n, sizeof *all, order_counted);
    for (uint32_t i = 0, to; i < n; i = to) {
        for (to = i; to < n && all[to].path == all[i].path; to++)
            ;
        loop_row(w, t, &all[i], to - i);
    }
    free(all);
    return all ? 0 : -1;
}

/* --------------------------------------------------------------------------------------------------- by location -- */

static void location_row(work *w, tcf_table *t, uint32_t l, const struct candidate *x)
{
    const struct run *r = &x->run;
    const struct totals *a = &r->at_first, *b = &r->at_last;
    const double whole = (double)(r->n - 1);
    row line = row_of(w, l);
    line.run = *r;
    line.deviation = sqrt(r->squares / whole);
    line.mpi_ticks = b->mpi - a->mpi;
    line.mpi = share(line.mpi_ticks, run_span(r));
    line.sent = (double)(b->sent - a->sent) / whole;
    line.sent_bytes = (double)(b->sent_bytes - a->sent_bytes) / whole;
    line.received = (double)(b->received - a->received) / whole;
    line.received_bytes = (double)(b->received_bytes - a->received_bytes) / whole;
    line.collectives = (double)(b->collectives - a->collectives) / whole;
    line.evenness = evenness_of(r);
    line.likeness = likeness_of(r);
    line.bursts = rank_of(w, x->path);
    line.anchor = path_text(w, x->path);
    tcf_row(w->self, t, &line);
}

static void report_locations(work *w)
{
    static const tcf_table_column columns[] = {
        {"process", AT(process), NULL, "Name of the location group"},
        {"location", AT(location), NULL, "Name of the location"},
        {"iterations", AT(run.n), NULL, "Enters of the anchor; one less are whole, and the rest is about these"},
        {"mean", AT(run.mean) | TCF_CELL_SECONDS, "s", "Duration"},
        {"deviation", AT(deviation) | TCF_CELL_SECONDS, "s", "Standard deviation of the durations"},
        {"shortest", AT(run.shortest) | TCF_CELL_SECONDS, "s", "Smallest duration"},
        {"longest", AT(run.longest) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Largest duration"},
        {"which", AT(run.which), NULL, "Number of the longest, from 0 on"},
        {"mpi", AT(mpi), "%", "Share of the time in regions of MPI"},
        {"sent", AT(sent), "messages", "Messages sent in an iteration, on average"},
        {"sent_bytes", AT(sent_bytes), "bytes", "Their bytes"},
        {"received", AT(received), "messages", "Messages received in an iteration, on average"},
        {"received_bytes", AT(received_bytes), "bytes", "Their bytes"},
        {"collectives", AT(collectives) | TCF_CELL_FOLLOWS, NULL,
         "Collective operations ended in an iteration, on average"},
        {"from", AT(run.first_time) | TCF_CELL_WHEN, "s", "Begin of the first iteration, since the start of the trace"},
        {"to", AT(run.last_time) | TCF_CELL_WHEN, "s", "Begin of the last one"},
        {"evenness", AT(evenness), NULL, "1: all take the same time; 1 / n: one of n takes it all"},
        {"likeness", AT(likeness), NULL, "1: each has the call paths of the one before; 0: none of them"},
        {"from_ticks", AT(run.first_time) | TCF_CELL_DETAIL, "ticks", "from in ticks, as a timestamp of the trace"},
        {"to_ticks", AT(run.last_time) | TCF_CELL_DETAIL, "ticks", "to in ticks, likewise"},
        {"shortest_ticks", AT(run.shortest) | TCF_CELL_DETAIL, "ticks", "shortest in ticks"},
        {"longest_ticks", AT(run.longest) | TCF_CELL_DETAIL, "ticks", "longest in ticks"},
        {"mpi_ticks", AT(mpi_ticks) | TCF_CELL_DETAIL, "ticks", "Time in MPI, of all whole iterations"},
        {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Id of the location"},
        BURSTS_COLUMN,
        {"anchor", AT(anchor), NULL, "Call path that begins an iteration"},
    };
    tcf_table *t = TCF_TABLE(w->self, "iterations", "Iterations by location", columns);
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++)
        if (loop_of(w, l))
            location_row(w, t, l, loop_of(w, l));
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
    const int order = TCF_FIRST(TCF_ORDER(y->locations, x->locations), TCF_ORDER(y->most, x->most));
    return order != 0 || x->locations == 0 ? order : order_paths(x->paths, x->path, y->path);
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

static int report_candidates(work *w)
{
    static const tcf_table_column columns[] = {
        {"fewest", AT(fewest), NULL, "Enters of the call path within one visit of its parent: fewest of a location"},
        {"most", AT(most), NULL, "Most of a location"},
        {"locations", AT(locations), NULL, "In how many it recurs for long enough"},
        {"share", AT(share), "%", "What it covers of their time, on average"},
        {"evenness", AT(evenness), NULL,
         "1: all iterations take the same time; 1 / n: one of n takes it all; on average"},
        {"likeness", AT(likeness), NULL, "1: each iteration has the call paths of the one before; on average"},
        BURSTS_COLUMN,
        {"callpath", AT(anchor), NULL, "Call path"},
    };
    const struct state *st = w->self->state;
    tcf_table *t = TCF_TABLE(w->self, "candidates", "What else may begin iterations", columns);
    alternative *all = calloc(st->n_paths + 1ul, sizeof *all);
    for (uint32_t l = 0; all && l < w->self->defs->n_locations; l++)
        add_alternatives(st->paths, place_of(w, l), all);
    if (all)
        tcf_sort(all, st->n_paths, sizeof *all, order_alternatives);
    for (uint32_t i = 0; all && i < st->n_paths && i < MOST_KEPT && all[i].locations > 0; i++) {
        const alternative *x = &all[i];
        const double n = (double)x->locations;
        tcf_row(w->self, t,
                &(row){.fewest = x->fewest,
                       .most = x->most,
                       .locations = x->locations,
                       .share = x->share / n,
                       .evenness = x->evenness / n,
                       .likeness = x->likeness / n,
                       .bursts = rank_of(w, x->path),
                       .anchor = path_text(w, x->path)});
    }
    free(all);
    return all ? 0 : -1;
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

static void report_limits(work *w)
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
    report_limit_rows(w->self, rows, TCF_COUNT(rows), "");
}

tcf_status report(tcf_self *self)
{
    work w = {.self = self};
    int failed = report_loops(&w);
    report_locations(&w);
    failed = failed || report_series(&w) != 0 || report_outliers(&w) != 0 || report_candidates(&w) != 0;
    report_limits(&w);
    free(w.names.text);
    return failed || w.out_of_memory ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
