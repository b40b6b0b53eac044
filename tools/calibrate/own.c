/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Computes the cost of an event from two runs of a program: with the right cost, the filter overhead compensates the
 * measured run to the length of the unmeasured one. */
#include "calibrate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40 };

/* When a process has left the region the last two times; the interval lies between them. */
struct leaves {
    uint64_t location, before, last, n;
};

struct run {
    const struct options *o;
    const char *constants; /* file */
    double resolution;
};

/* Starts tcflow. `event` is the cost of an event in seconds; a negative one leaves the filter overhead out of the
 * chain. */
static FILE *start(const struct run *r, const char *chain, double event)
{
    char constants[PATH_BYTES], region[PATH_BYTES], overhead[2 * PATH_BYTES] = "", select[2 * PATH_BYTES] = "";
    if (event >= 0) {
        quote(constants, r->constants);
        snprintf(overhead, sizeof overhead,
                 "-c %s -o overhead.event=%.4fns -o overhead.format=csv -o overhead.overwrite=yes", constants,
                 1e9 * event);
    }
    if (r->o->between) {
        quote(region, r->o->between);
        snprintf(select, sizeof select, "%s -o select.kinds=LEAVE -o select.regions=%s",
                 event >= 0 ? "-o overhead.output=/dev/null" : "", region);
    }
    return open_tcflow(r->o, r->o->own, "-o 'pipeline.chain=%s' %s %s", chain, overhead, select);
}

static void finish(const struct run *r, FILE *file)
{
    if (pclose(file) != 0)
        fail("'%s': tcflow could not compensate it (see above)", r->o->own);
}

static struct leaves *leaves_of(struct leaves **all, uint32_t *n, uint64_t location)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*all)[i].location == location)
            return &(*all)[i];
    *all = enlarge(*all, *n + 1u, sizeof **all);
    (*all)[*n] = (struct leaves){.location = location};
    return &(*all)[(*n)++];
}

/* From the first process that leaves its last but one call of the region to the last process that leaves its last
 * call. */
static double seconds_between(const struct run *r, const char *chain, double event)
{
    struct leaves *all = NULL;
    uint32_t n = 0;
    uint64_t location, time, first = UINT64_MAX, last = 0;
    char *line = NULL;
    size_t size = 0;
    FILE *file = start(r, chain, event);
    while (getline(&line, &size, file) >= 0) {
        if (sscanf(line, "LEAVE %" SCNu64 " %" SCNu64, &location, &time) != 2)
            continue;
        struct leaves *l = leaves_of(&all, &n, location);
        l->before = l->last;
        l->last = time;
        l->n++;
    }
    finish(r, file);
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].n < 2)
            fail("'%s': location %" PRIu64 " calls %s only once; --between wants it before and behind", r->o->own,
                 all[i].location, r->o->between);
        first = all[i].before < first ? all[i].before : first;
        last = all[i].last > last ? all[i].last : last;
    }
    if (n == 0)
        fail("'%s': nobody calls '%s'", r->o->own, r->o->between);
    free(all);
    free(line);
    return (double)(last - first) / r->resolution;
}

/* A column of the filter's table `total`. */
struct total {
    const char *column;
    double seconds;
};

static void take_total(void *to, const struct line *l)
{
    struct total *total = to;
    if (strcmp(l->cell[0], "total") == 0)
        total->seconds = number_of(l, total->column);
}

/* From the first event to the last one. */
static double seconds_in_all(const struct run *r, const char *column, double event)
{
    struct total total = {column, -1};
    FILE *file = start(r, "overhead", event);
    read_tables(file, take_total, &total);
    finish(r, file);
    if (total.seconds < 0)
        fail("'%s': tcflow has not said how long it takes", r->o->own);
    return total.seconds;
}

static double measured(const struct run *r)
{
    return r->o->between ? seconds_between(r, "select print", -1) : seconds_in_all(r, "measured", 0);
}

static double compensated(const struct run *r, double event)
{
    return r->o->between ? seconds_between(r, "overhead select print", event)
                         : seconds_in_all(r, "approximated", event);
}

/* The compensated time never grows with the cost: doubles the cost until it is too large, then halves the interval. */
static double search(const struct run *r, double wanted)
{
    double low = 0, high = 1e-8;
    while (compensated(r, high) > wanted) {
        low = high;
        high *= 2;
        if (high > 1e-2)
            fail("'%s': no cost of an event makes it take %g s as --unmeasured says: something else took longer",
                 r->o->own, wanted);
    }
    for (int i = 0; i < STEPS && high - low > 1e-3 * high && high - low > 5e-12; i++) {
        double middle = (low + high) / 2;
        *(compensated(r, middle) > wanted ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

void own_fit(struct model *m, const struct copying *c, const struct options *o)
{
    char constants[PATH_BYTES];
    struct rows rows = {0};
    struct run r = {.o = o, .constants = constants};
    if (!o->own)
        return;
    rows_read(&rows, o, 0, o->own);
    r.resolution = (double)rows.trace[0].resolution;
    free(rows.row);
    m->n_costs = 0; /* one cost for all kinds */
    write_constants(scratch_path(constants, "own.ini"), o, m, c);
    double before = measured(&r), wanted = o->unmeasured;
    if (before <= wanted)
        fail("'%s' takes %g s, no longer than --unmeasured, %g s: nothing tells what an event costs", o->own, before,
             wanted);
    m->event = search(&r, wanted);
    snprintf(
        m->run, sizeof m->run,
        "event is what an event costs in a program of its own: with it a run that took %.6g s measured, and %.6g s "
        "unmeasured, is compensated to %.6g s (%s%s)",
        before, wanted, compensated(&r, m->event),
        o->between ? "between calls of " : "from its first event to its last", o->between ? o->between : "");
}
