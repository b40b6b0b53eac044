/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which processes are one domain. Ranks that are neighbours communicate most, so domains are runs of ranks. A location
 * group stays whole, with the streams of accelerators that it created; locations without a group are one. What comes by
 * one stream stays together, too. */
#include "domains.h"

#include <stdlib.h>
#include <tcflow/order.h>
#include <tcflow/processes.h>

typedef struct unit {
    uint32_t group, rank, first; /* rank: the smallest one; first: location, TCF_NONE: it has none */
    uint64_t bytes;
} unit;

static int order_units(const void *a, const void *b)
{
    const unit *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->rank, y->rank), TCF_ORDER(x->first, y->first));
}

/* The first one of the groups that stay together. */
static uint32_t first_of(uint32_t *with, uint32_t group)
{
    while (with[group] != group)
        group = with[group] = with[with[group]];
    return group;
}

/* with[], by group: one that it stays together with, or itself. */
static void find_together(const source *src, uint32_t *with)
{
    const tcf_definitions *defs = source_definitions(src);

    for (uint32_t g = 0; g <= defs->n_location_groups; g++)
        with[g] = g;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const uint32_t a = first_of(with, tcf_processes_group(defs, l)),
                       b = first_of(with, tcf_processes_group(defs, source_together(src, l)));
        with[a > b ? a : b] = a < b ? a : b;
    }
}

/* Fills units[], by rank; returns their number. */
static uint32_t find_units(const source *src, const tcf_processes *processes, uint32_t *with, unit *units)
{
    const tcf_definitions *defs = source_definitions(src);
    uint32_t n = 0;

    for (uint32_t g = 0; g <= defs->n_location_groups; g++)
        units[g] = (unit){g, TCF_NONE, TCF_NONE, 0};
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        unit *u = &units[first_of(with, tcf_processes_group(defs, l))];
        u->rank = processes->rank[l] < u->rank ? processes->rank[l] : u->rank;
        u->first = l < u->first ? l : u->first;
        u->bytes += source_bytes(src, l);
    }
    for (uint32_t g = 0; g <= defs->n_location_groups; g++)
        if (units[g].first != TCF_NONE)
            units[n++] = units[g];
    tcf_sort(units, n, sizeof *units, order_units);
    return n;
}

/* The number of sets of at most `bytes` bytes each, one where there is no process. set[], by group, may be NULL; their
 * numbers begin with `first`. */
static uint32_t cut(const unit *units, uint32_t n, uint64_t bytes, uint32_t first, uint32_t *set)
{
    uint64_t sum = 0;
    uint32_t sets = 1;

    for (uint32_t i = 0; i < n; i++) {
        if (sum > bytes - units[i].bytes) {
            sets++;
            sum = 0;
        }
        sum += units[i].bytes;
        if (set)
            set[units[i].group] = first + sets - 1;
    }
    return sets;
}

/* The smallest size of the largest set. */
static uint64_t smallest(const unit *units, uint32_t n, uint32_t most)
{
    uint64_t low = 0, high = 0;

    for (uint32_t i = 0; i < n; i++) {
        low = units[i].bytes > low ? units[i].bytes : low;
        high += units[i].bytes;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (cut(units, n, middle, 0, NULL) <= most)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What the first domain has to do with the first k units, in bytes: these, and of the others `gathered` thousandths. */
static uint64_t work_of_first(const unit *units, uint32_t n, uint32_t k, uint32_t gathered)
{
    uint64_t own = 0, others = 0;

    for (uint32_t i = 0; i < n; i++)
        *(i < k ? &own : &others) += units[i].bytes;
    return own + others / 1000 * gathered;
}

/* How many units the first domain gets that judges for all: so many that the domain with the most to do has the least.
 * The more it has, the less the others have. */
static uint32_t units_of_first(const unit *units, uint32_t n, uint32_t most, uint32_t gathered)
{
    uint32_t low = 1, high = n - 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (work_of_first(units, n, middle, gathered) < smallest(units + middle, n - middle, most - 1))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 1 && smallest(units + low - 1, n - low + 1, most - 1) < work_of_first(units, n, low, gathered)
               ? low - 1
               : low;
}

tcf_status partition_find(const source *src, uint32_t most, uint32_t gathered, uint32_t **of, uint32_t *n,
                          uint32_t *processes)
{
    const tcf_definitions *defs = source_definitions(src);
    tcf_processes p = {0};
    unit *units = malloc((defs->n_location_groups + 1ul) * sizeof *units);
    uint32_t *set = malloc((defs->n_location_groups + 1ul) * sizeof *set);
    uint32_t *with = malloc((defs->n_location_groups + 1ul) * sizeof *with);
    int failed = tcf_processes_find(&p, defs) != 0;

    *of = malloc((defs->n_locations + 1ul) * sizeof **of);
    failed |= !units || !set || !with || !*of;
    if (!failed) {
        find_together(src, with);
        *processes = find_units(src, &p, with, units);
        const uint32_t first = gathered > 0 && *processes > 1 ? units_of_first(units, *processes, most, gathered) : 0;
        const uint32_t before = first > 0, rest = *processes - first;
        for (uint32_t i = 0; i < first; i++)
            set[units[i].group] = 0;
        *n = before + cut(units + first, rest, smallest(units + first, rest, most - before), before, set);
        for (uint32_t l = 0; l < defs->n_locations; l++)
            (*of)[l] = set[first_of(with, tcf_processes_group(defs, l))];
    }
    free(units);
    free(set);
    free(with);
    tcf_processes_free(&p);
    return failed ? error_fail("out of memory for %u locations", defs->n_locations) : TCF_OK;
}
