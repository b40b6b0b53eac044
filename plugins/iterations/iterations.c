/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations: finds the loop in which a program spends its time, from the sequence of calls, and how long its
 * iterations take.
 *
 * One pass in constant memory is enough: the filter keeps a few numbers for every call path that recurs within a visit
 * of its parent, and chooses the loop among these at the end. README.md has the rules. */
#include "iterations.h"
#include "../shared/regions/same_regions.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const tcf_definitions *defs, uint32_t region)
{
    return tcf_region_at(defs, region)->name ? tcf_region_at(defs, region)->name : "";
}

static int find_marks(struct state *st, const tcf_definitions *defs, const char *anchor)
{
    int found = 0;
    for (uint32_t r = 0; r < defs->n_regions; r++) {
        st->marks[r] = strcmp(name_of(defs, r), anchor) == 0;
        found |= st->marks[r];
    }
    return found;
}

static tcf_status begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    const tcf_definitions *defs = self->defs;
    struct state *st = self->state;
    const int given = strcmp(conf->anchor, "auto") != 0;
    st->least = given ? 2 : (uint64_t)conf->min_iterations;
    st->same = regions_of_one_name(defs);
    st->is_mpi = calloc(defs->n_regions + 1ul, 1);
    st->marks = given ? calloc(defs->n_regions + 1ul, 1) : NULL;
    if (!st->same || !st->is_mpi || (given && !st->marks))
        return self->host->fail(self, "out of memory for %u regions", defs->n_regions);
    for (uint32_t r = 0; r < defs->n_regions; r++)
        st->is_mpi[r] = strncmp(name_of(defs, r), "MPI_", 4) == 0;
    if (given && !find_marks(st, defs, conf->anchor))
        return self->host->refuse(self, "anchor: the trace has no region %s", conf->anchor);
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    return choose(self) == TCF_OK && learn_main_loop(self) == TCF_OK ? report(self) : TCF_ERROR;
}

static void fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        walk_free(p);
        for (uint32_t i = 0; i < p->n_found; i++)
            run_free(&p->found[i].run);
        free(p->found);
    }
    free(st->same);
    free(st->is_mpi);
    free(st->marks);
    free(st->paths);
    tcf_map_free(&st->path_of);
}

static const tcf_param params[] = {
    TCF_PARAM(
        struct conf, anchor, TCF_STRING, "auto",
        "What begins an iteration: auto, or the name of a region, every enter of which does (but inside of itself)"),
    TCF_PARAM(struct conf, min_iterations, TCF_INT, "4",
              "For auto: what is entered less often within one visit of its parent is no loop", .min = "3",
              .max = "1073741824"),
    TCF_PARAM(struct conf, min_share, TCF_DOUBLE, "0.2",
              "For auto: what covers less of a location's time is not its loop", .min = "0", .max = "1"),
    TCF_PARAM(struct conf, evenness, TCF_DOUBLE, "0.5", "For auto: how even the durations of iterations are at least",
              .min = "0", .max = "1"),
    TCF_PARAM(struct conf, likeness, TCF_DOUBLE, "0.8", "For auto: how like each other iterations are at least",
              .min = "0", .max = "1"),
    TCF_PARAM(struct conf, bins, TCF_INT, "32", "Bins of iterations at most; their width is a power of two", .min = "2",
              .max = "4096"),
    TCF_PARAM(struct conf, outlier, TCF_DOUBLE, "2",
              "An iteration is an outlier when it takes so many times as long as those of its location do on average",
              .min = "1"),
    TCF_PARAM(struct conf, worst, TCF_INT, "20", "So many outliers are told", .min = "0", .max = "65536"),
    TCF_PARAM(struct conf, max_paths, TCF_INT, "1024",
              "Call paths of a location that are followed at most; what is beyond, and inside of it, is no loop",
              .min = "1", .max = "1048576"),
    TCF_PARAM(struct conf, max_children, TCF_INT, "128",
              "Different call paths directly inside of a visit that are followed at most", .min = "1", .max = "65536"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "iterations",
    .version = "1.0",
    .summary = "The main loop, found in the sequence of calls, and what its iterations take in each process",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "With anchor = auto: a call path that is entered again and again within one visit of its parent may be the "
        "anchor of a loop; an iteration goes from one enter to the next one. It has to be entered at least "
        "min_iterations times, over at least min_share of the location's time, and its iterations have to be alike "
        "(likeness: they consist of the same call paths as the ones before, those aside that come less than half as "
        "often) and even (evenness: (mean square root of the durations)^2 / mean duration; 1 / m when they come in "
        "bursts of m). Of those that are, the shallowest and widest count, of these the number of iterations that most "
        "call paths have among the large ones, and of these what is entered first. So a loop is neither a message of "
        "an exchange nor what is done every tenth time. The loop of most processes is that of all locations that have "
        "it. Where nothing repeats this is said.\n\n"
        "The last iteration has no mark of its end: n enters are n - 1 whole iterations, and all durations and means "
        "are of these. Time in MPI is that inside of regions named MPI_*. The exact rules, and how wrong they can be, "
        "are in the plugin's README.md; with anchor = NAME it is what you say.\n\n"
        "Tables: loops, the anchors with the locations that have them; iterations, by location; over_iterations, "
        "durations of the main loop over its iterations, in bins; outliers, at most the longest one of each bin of a "
        "location; candidates, what else repeats; limits.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct place),
    .location_more = 120,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = walk_slice,
    .begin = begin,
    .location_end = choose_location_end,
    .end = end,
    .fini = fini,
    .pack = iterations_pack,
    .absorb = iterations_absorb,
};
