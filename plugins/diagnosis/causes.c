/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Who and what is behind a kind of waits, by the places that root_cause has reported. */
#include "diagnosis.h"

#include <string.h>

/* root_cause has no waits in wrong order of their own: those are Late Senders there. */
static int counts(const place_sum *x, uint32_t what)
{
    what = what == W_WRONG_ORDER ? W_LATE_SENDER : what;
    return what == WAITINGS ? !wait_rules[x->what].of_threads : x->what == what;
}

/* The location with the largest sum; where threads stand for their process, the one that has most of it. */
static void find_location(const facts *f, const places *of, uint32_t what, cause *c)
{
    const tcf_definitions *defs = f->self->defs;
    double *sum = f->scratch;
    uint32_t most = TCF_NONE;
    memset(sum, 0, f->processes.n * sizeof *sum);
    for (uint32_t i = 0; i < of->n; i++) {
        const place_sum *x = &of->at[i];
        if (!counts(x, what))
            continue;
        c->total += x->seconds;
        if (x->location >= defs->n_locations)
            continue;
        const uint32_t p = f->processes.of[x->location];
        sum[p] += x->seconds;
        if (most == TCF_NONE || sum[p] > sum[most])
            most = p;
    }
    if (most != TCF_NONE) {
        c->of_location = sum[most] / c->total;
        for (uint32_t i = 0; i < of->n && !c->path; i++) { /* largest first */
            const place_sum *x = &of->at[i];
            if (counts(x, what) && x->location < defs->n_locations && f->processes.of[x->location] == most) {
                c->location = x->location;
                c->path = x->path;
            }
        }
    }
}

static cause find(const facts *f, const places *of, uint32_t what)
{
    cause c = {.location = TCF_NONE};
    double same = 0;
    find_location(f, of, what, &c);
    for (uint32_t i = 0; i < of->n && c.path; i++) {
        const place_sum *x = &of->at[i];
        if (!counts(x, what) || strcmp(x->path, c.path) != 0)
            continue;
        same += x->seconds;
        c.seconds += x->location == c.location ? x->seconds : 0;
    }
    c.of_path = c.total > 0 ? same / c.total : 0;
    return c;
}

cause cause_of(const facts *f, uint32_t what)
{
    return find(f, &f->caused, what);
}

cause waiter_of(const facts *f, uint32_t what)
{
    return find(f, &f->waited, what);
}

/* Loads stand in the order of their processes. */
static double useful_of(const facts *f, uint32_t process)
{
    uint32_t from = 0, to = f->n_loads;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (f->loads[middle].process < process)
            from = middle + 1;
        else
            to = middle;
    }
    return from < f->n_loads && f->loads[from].process == process ? f->loads[from].useful : 0;
}

cause cause_in(const facts *f, uint32_t process, double useful)
{
    cause c = {.location = TCF_NONE};
    double same = 0;
    for (uint32_t i = 0; i < f->caused.n; i++) {
        const place_sum *x = &f->caused.at[i];
        if (wait_rules[x->what].of_threads || x->location >= f->self->defs->n_locations ||
            strncmp(words_leaf(x->path), "MPI_", 4) == 0)
            continue;
        const uint32_t p = f->processes.of[x->location];
        if (process == TCF_NONE ? useful_of(f, p) < useful : p != process)
            continue;
        if (!c.path) { /* largest first */
            c.path = x->path;
            c.location = x->location;
        }
        c.total += x->seconds;
        if (strcmp(x->path, c.path) != 0)
            continue;
        same += x->seconds;
        c.seconds += p == f->processes.of[c.location] ? x->seconds : 0;
    }
    c.of_path = c.total > 0 ? same / c.total : 0;
    return c;
}
