/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Names of regions, and of paths of them, for tables. */
#ifndef TCFLOW_REGIONS_REGION_NAMES_H
#define TCFLOW_REGIONS_REGION_NAMES_H

#include <tcflow/filter.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGION_NAME = 32 };

/* A region without name is "region#ID"; one that is none is called `none`. */
static inline const char *region_name_of(const tcf_definitions *defs, uint32_t region, const char *none,
                                         char buffer[REGION_NAME])
{
    if (region < defs->n_regions && tcf_region_at(defs, region)->name)
        return tcf_region_at(defs, region)->name;
    if (region == TCF_NONE && none)
        return none;
    snprintf(buffer, REGION_NAME, "region#%" PRIu64, tcf_id(defs, TCF_REF_REGION, region, UINT32_MAX));
    return buffer;
}

/* A text that grows, and what a region that is none is called in it; NULL: as one without name. */
typedef struct path_names {
    char *text;
    size_t bytes;
    const char *none;
} path_names;

/* The name of a node with the region, and the texts around it. Texts of a computation node say which call it follows.
 */
static inline const char *path_node_name(const path_names *p, const tcf_definitions *defs, uint32_t region,
                                         char buffer[REGION_NAME], const char **before, const char **behind)
{
    const int computes = tcf_is_computation(region);
    *before = computes ? "(after " : "";
    *behind = computes ? ")" : "";
    return region_name_of(defs, computes ? region & ~TCF_COMPUTATION : region, p->none, buffer);
}

/* Writes a text in front of `at`, and returns where it begins. */
static inline char *put_before(char *at, const char *text)
{
    return memcpy(at - strlen(text), text, strlen(text));
}

/* Names of a path that are written out: a recursion may be deep, and there may be a text for each of its levels. */
enum { MOST_PATH_NAMES = 256, MOST_PATH_BYTES = 16384 };
#define PATH_IS_CUT "..."

/* "main/solve/MPI_Recv", "main/(after MPI_Recv)": of a path up to `root`, which isn't in it. Nodes are `stride` bytes
 * long and begin with the numbers of their parent and region. Of a path that is too long the innermost names follow on
 * "...". Valid until the next call; NULL: out of memory. */
static inline const char *join_names(path_names *to, const tcf_definitions *defs, const void *nodes, size_t stride,
                                     uint32_t path, uint32_t root)
{
    char buffer[REGION_NAME];
    const char *before, *behind, *name;
    size_t length = sizeof PATH_IS_CUT;
    const uint32_t *node;
    uint32_t end = path;
    for (uint32_t k = 0; end != root && k < MOST_PATH_NAMES && (k == 0 || length < MOST_PATH_BYTES);
         end = node[0], k++) {
        node = (const uint32_t *)((uintptr_t)nodes + end * stride);
        name = path_node_name(to, defs, node[1], buffer, &before, &behind);
        length += strlen(before) + strlen(name) + strlen(behind) + 1;
    }
    if (length > to->bytes) {
        char *grown = realloc(to->text, 2 * length);
        if (!grown)
            return NULL;
        to->text = grown;
        to->bytes = 2 * length;
    }
    char *at = to->text + length;
    *--at = '\0';
    for (uint32_t n = path; n != end; n = node[0]) {
        node = (const uint32_t *)((uintptr_t)nodes + n * stride);
        name = path_node_name(to, defs, node[1], buffer, &before, &behind);
        at = put_before(put_before(put_before(at, behind), name), before);
        if (node[0] != root)
            *--at = '/';
    }
    return end == root ? at : put_before(at, PATH_IS_CUT);
}

#endif
