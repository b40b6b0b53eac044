/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See same_regions.h. */
#include "same_regions.h"

#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* 0: only the ids differ. */
static int compare_regions(const tcf_region *a, const tcf_region *b)
{
    return TCF_FIRST(compare_texts(a->name, b->name), compare_texts(a->canonical_name, b->canonical_name),
                     compare_texts(a->file, b->file), TCF_ORDER(a->begin_line, b->begin_line),
                     TCF_ORDER(a->end_line, b->end_line), TCF_ORDER(a->role, b->role),
                     TCF_ORDER(a->paradigm, b->paradigm));
}

static int compare_region_pointers(const void *a, const void *b)
{
    const tcf_region *const *x = a, *const *y = b;
    return TCF_FIRST(compare_regions(*x, *y), TCF_ORDER(*x, *y));
}

uint32_t *same_regions(const tcf_definitions *defs)
{
    uint32_t *same = malloc((defs->n_regions + 1) * sizeof *same);
    const tcf_region **by = malloc((defs->n_regions + 1) * sizeof *by);

    if (!same || !by) {
        free(same);
        free(by);
        return NULL;
    }
    for (uint32_t i = 0; i < defs->n_regions; i++)
        by[i] = tcf_region_at(defs, i);
    tcf_sort(by, defs->n_regions, sizeof *by, compare_region_pointers);
    for (uint32_t i = 0, first = 0; i < defs->n_regions; i++) {
        if (compare_regions(by[i], by[first]) != 0)
            first = i;
        same[by[i] - defs->regions] = (uint32_t)(by[first] - defs->regions);
    }
    free(by);
    return same;
}
