/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* profile's reductions, at the end of a run.
 *
 * A `sums` is a tree of entries (parent, region) with what was counted for each; a flat profile is one whose entries
 * all lie right below its root. The nodes of a location are added to sums of the location, or of all locations. */
#ifndef TCFLOW_PROFILE_SUMS_H
#define TCFLOW_PROFILE_SUMS_H

#include "profile.h"

#include <tcflow/map.h>

#define BEYOND 0xfffffffdu /* region of the entry for all call paths beyond max_callpaths */

enum { NAME_BYTES = 64 };

typedef struct entry {
    uint32_t parent, region, depth; /* region: an index, NO_REGION, BEYOND */
    uint32_t shown;
    uint64_t visits;
    uint64_t inclusive, exclusive, min, max; /* sums over locations that don't fit are UINT64_MAX */
} entry;

typedef struct sums {
    entry *at;   /* [0] is the root */
    tcf_map map; /* (parent, region) -> entry */
    uint32_t n, capacity;
} sums;

/* One report under way. */
typedef struct work {
    tcf_self *self;
    uint32_t *same; /* by region: the first one that differs in nothing but its id */
    uint32_t *to;   /* by node of a location: its entry in the sums */
    uint32_t *open; /* by entry of a flat profile: how many visits of its region enclose the node */
    uint64_t *exclusive;
    uint32_t *first_child, *next_sibling; /* by node of a location */
    char name[NAME_BYTES];
    int out_of_memory;
} work;

/* A place in a sorted list of entries. */
typedef struct order {
    uint32_t parent, at;
    uint64_t value;
} order;

/* Makes the buffers and w->same. -1: out of memory. The calls below set w->out_of_memory instead. */
int work_start(work *w, tcf_self *self);
void work_free(work *w);

/* Computes w->exclusive and the lists of children of a location, before it is added. */
void relate(work *w, const place *p);
/* Adds a location. With `merge` regions that differ in nothing but their id are one. */
void add_flat(work *w, const place *p, sums *flat, int merge);
void add_tree(work *w, const place *p, sums *tree, int merge);
void sums_free(sums *s);

/* All entries but the root, sorted by value, the largest first; with `by_parent` by parent before that. The caller
 * frees the array. NULL: out of memory. */
order *sorted(const sums *s, int by_parent, int by_exclusive);
/* Marks the `top` largest entries (0: all) and their parents up to the root. -1: out of memory. */
int mark(sums *s, int64_t top, int by_exclusive);

#endif
