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

/* 0: of one name. A region without a name is of its own. */
static int compare_names(const tcf_region *a, const tcf_region *b)
{
    return TCF_FIRST(compare_texts(a->name, b->name), TCF_ORDER(a->name ? NULL : a, b->name ? NULL : b));
}

static int order_regions(const void *a, const void *b)
{
    const tcf_region *const *x = a, *const *y = b;
    return TCF_FIRST(compare_regions(*x, *y), TCF_ORDER(*x, *y));
}

static int order_names(const void *a, const void *b)
{
    const tcf_region *const *x = a, *const *y = b;
    return TCF_FIRST(compare_names(*x, *y), TCF_ORDER(*x, *y));
}

static uint32_t *first_of_each(const tcf_definitions *defs, int (*order)(const void *, const void *),
                               int (*compare)(const tcf_region *, const tcf_region *))
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
    tcf_sort(by, defs->n_regions, sizeof *by, order);
    for (uint32_t i = 0, first = 0; i < defs->n_regions; i++) {
        if (compare(by[i], by[first]) != 0)
            first = i;
        same[by[i] - defs->regions] = (uint32_t)(by[first] - defs->regions);
    }
    free(by);
    return same;
}

uint32_t *same_regions(const tcf_definitions *defs)
{
    return first_of_each(defs, order_regions, compare_regions);
}

uint32_t *regions_of_one_name(const tcf_definitions *defs)
{
    return first_of_each(defs, order_names, compare_names);
}
