/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See same_regions.h. */
#include "same_regions.h"

#include <stdlib.h>
#include <string.h>

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* 0: only the ids differ. */
static int compare_regions(const tcf_region *a, const tcf_region *b)
{
    int d = compare_texts(a->name, b->name);

    d = d ? d : compare_texts(a->canonical_name, b->canonical_name);
    d = d ? d : compare_texts(a->file, b->file);
    d = d ? d : compare_numbers(a->begin_line, b->begin_line);
    d = d ? d : compare_numbers(a->end_line, b->end_line);
    d = d ? d : compare_numbers(a->role, b->role);
    return d ? d : compare_numbers(a->paradigm, b->paradigm);
}

static int compare_region_pointers(const void *a, const void *b)
{
    const tcf_region *const *x = a, *const *y = b;
    int d = compare_regions(*x, *y);
    return d ? d : (*x > *y) - (*x < *y);
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
        by[i] = &defs->regions[i];
    if (defs->n_regions > 0)
        qsort(by, defs->n_regions, sizeof *by, compare_region_pointers);
    for (uint32_t i = 0, first = 0; i < defs->n_regions; i++) {
        if (compare_regions(by[i], by[first]) != 0)
            first = i;
        same[by[i] - defs->regions] = (uint32_t)(by[first] - defs->regions);
    }
    free(by);
    return same;
}
