/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The open regions of a location, for filters that ask for the innermost one and have a row for each region. As in
 * profile: a leave ends the nearest open visit of its region and the visits above it; a leave without an open visit
 * ends nothing; an open visit ends with the location. The deepest visit on the stack stands for those beyond the
 * deepest level.
 *
 *     region_stack s = {0};
 *     region_frame *f = region_stack_recent(&s, region);      the row that the region had the last time
 *     if (f->region != region || f->row == 0)
 *         *f = (region_frame){region, 1 + row};
 *     if (region_stack_enter(&s, *f) != 0) ...out of memory
 *     region_stack_leave(&s, region); */
#ifndef TCFLOW_PLUGINS_REGION_STACK_H
#define TCFLOW_PLUGINS_REGION_STACK_H

#include <tcflow/grow.h>

#include <stdint.h>
#include <stdlib.h>

enum { REGION_STACK_DEEPEST = (1 << 17) - 1 /* the same as in profile */, REGION_STACK_RECENT = 16 };

typedef struct region_frame {
    uint32_t region;
    uint32_t row; /* 1 + the caller's row; 0: no row */
} region_frame;

/* All zero: empty. Owns `open`. */
typedef struct region_stack {
    region_frame *open;
    uint32_t depth, capacity;
    uint32_t too_deep;    /* open visits beyond the deepest level */
    uint64_t not_counted; /* visits beyond the deepest level */
    region_frame recent[REGION_STACK_RECENT];
} region_stack;

static inline void region_stack_free(region_stack *s)
{
    free(s->open);
    *s = (region_stack){.not_counted = s->not_counted};
}

static inline region_frame *region_stack_recent(region_stack *s, uint32_t region)
{
    return &s->recent[region % REGION_STACK_RECENT];
}

/* -1: out of memory. */
static inline int region_stack_enter(region_stack *s, region_frame f)
{
    if (__builtin_expect(s->depth >= REGION_STACK_DEEPEST, 0)) {
        s->too_deep++;
        s->not_counted++;
        return 0;
    }
    if (TCF_GROW(&s->open, &s->capacity, s->depth) != 0)
        return -1;
    s->open[s->depth++] = f;
    return 0;
}

static inline void region_stack_leave(region_stack *s, uint32_t region)
{
    uint32_t depth = s->depth;
    if (__builtin_expect(s->too_deep > 0, 0)) {
        s->too_deep--;
        return;
    }
    while (depth > 0 && s->open[depth - 1].region != region)
        depth--;
    if (depth > 0)
        s->depth = depth - 1;
}

#endif
