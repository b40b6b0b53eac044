/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which row of a timeline a location belongs to. */
#include "time_cells.h"

#include <tcflow/processes.h>

#include <stdlib.h>
#include <string.h>

void time_rows_free(time_rows *rows)
{
    free(rows->of);
    free(rows->first);
    free(rows->locations);
    *rows = (time_rows){0};
}

/* The number of nodes; of[location] becomes its node, in the order of their first locations. Locations of no node are
 * one. -1: out of memory. */
static int64_t number_nodes(const tcf_definitions *defs, uint32_t *of)
{
    tcf_map known = {NULL, 0, 0};
    int failed = 0;
    for (uint32_t l = 0; l < defs->n_locations && !failed; l++) {
        const uint32_t node = tcf_location_at(defs, l)->node;
        of[l] = tcf_map_get(&known, node, 0);
        if (of[l] != TCF_MAP_ABSENT)
            continue;
        of[l] = known.n;
        failed = tcf_map_put(&known, node, 0, known.n);
    }
    const uint32_t n = known.n;
    tcf_map_free(&known);
    return failed ? -1 : (int64_t)n;
}

/* The processes that have events; of[location] becomes the number among them. -1: out of memory. */
static int64_t number_processes(const tcf_definitions *defs, uint32_t *of)
{
    tcf_processes p = {0};
    const int failed = tcf_processes_find(&p, defs);
    const int64_t n = failed ? -1 : (int64_t)p.n;
    if (!failed)
        memcpy(of, p.of, defs->n_locations * sizeof *of);
    tcf_processes_free(&p);
    return n;
}

int time_rows_find(time_rows *rows, const tcf_definitions *defs, uint32_t most)
{
    const size_t places = defs->n_locations + 1ul;
    int64_t n = 0;
    *rows = (time_rows){.of = calloc(places, sizeof *rows->of), .fold = 1};
    if (!rows->of)
        return -1;
    for (uint32_t l = 0; l < defs->n_locations; l++)
        rows->of[l] = (uint32_t)n++;
    if (n > most) {
        rows->by = TIME_ROWS_PROCESS;
        n = number_processes(defs, rows->of);
    }
    if (n > most) {
        rows->by = TIME_ROWS_NODE;
        n = number_nodes(defs, rows->of);
    }
    while (n > (int64_t)most * rows->fold)
        rows->fold *= 2;
    if (n < 0)
        return -1;
    rows->n = (uint32_t)((n + rows->fold - 1) / rows->fold);
    rows->first = malloc((rows->n + 1ul) * sizeof *rows->first);
    rows->locations = calloc(rows->n + 1ul, sizeof *rows->locations);
    if (!rows->first || !rows->locations)
        return -1;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const uint32_t row = rows->of[l] /= rows->fold;
        if (rows->locations[row]++ == 0)
            rows->first[row] = l;
    }
    return 0;
}
