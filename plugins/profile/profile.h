/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of profile share: profile.c collects, sums.c adds locations up, tables.c reports.
 *
 * Each location counts in its own nodes. A tree node is a call path: a region below another tree node. A flat node
 * is a region, whatever it was called from. With `calltree = no` all nodes are flat. With `calltree = yes` flat
 * nodes count the visits of call paths beyond max_callpaths. The flat profile is computed from either. */
#ifndef TCFLOW_PROFILE_H
#define TCFLOW_PROFILE_H

#include <tcflow/filter.h>

#define ROOT 0u
#define FLAT UINT32_MAX       /* scope of the flat nodes */
#define NO_REGION 0xfffffffeu /* region of the root; no event has it */

typedef struct conf {
    int calltree, by_location;
    int64_t top;
    int64_t max_callpaths;
} conf;

/* One cache line. Times are ticks; those of a location never go back, so its sums of disjoint visits fit in 64 bits. */
typedef struct node {
    uint64_t key; /* scope << 32 | region; the scope of a tree node is its parent */
    uint64_t visits;
    uint64_t inclusive; /* time of all visits */
    uint64_t min, max;
    uint64_t outermost; /* flat nodes: time of the visits that lie in no other visit of the region */
    uint64_t below;     /* inclusive time of the flat nodes right below */
    uint32_t open;      /* flat nodes: visits that are open */
    uint32_t unused;
} node;

typedef struct frame {
    uint64_t enter;
    uint32_t node;
    uint8_t flat, outermost;
} frame;

/* State of a location. `table` is a hash table of the nodes. `guess` has for each node n the node that came next the
 * last time, after n was entered (at 2 n) and after it was left (at 2 n + 1). */
typedef struct place {
    frame *stack; /* [0] is the root's */
    node *nodes;  /* [0] is the root */
    uint32_t *guess, *table;
    uint32_t depth, stack_capacity;
    uint32_t n, capacity, n_paths;
    uint32_t shift;    /* the table has 2^(64 - shift) entries */
    uint32_t cursor;   /* the entry of `guess` for the next enter */
    uint32_t base;     /* innermost tree node of the stack when flat nodes stand above it */
    uint32_t too_deep; /* enters that are not on the stack */
    uint64_t last;     /* time of the last event */
    uint64_t ignored, unwound, never_left, not_counted, without_path;
} place;

static inline uint32_t scope_of(const node *x)
{
    return (uint32_t)(x->key >> 32);
}

static inline uint32_t region_of(const node *x)
{
    return (uint32_t)x->key;
}

/* Writes all tables. */
tcf_status profile_report(tcf_self *self);

#endif
