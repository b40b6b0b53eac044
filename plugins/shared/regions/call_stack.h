/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The open calls of a location with their begins, for filters that show each call. A leave ends the innermost open call
 * of what it names, and the calls inside of that; a leave without an open call ends nothing. Calls beyond the deepest
 * level are only counted, and so are their leaves. (region_stack.h is for filters that count by region.)
 *
 *     call_stack s = {0};
 *     if (call_stack_enter(&s, region, time) < 0) ...out of memory
 *     if (!call_stack_left_too_deep(&s))
 *         for (uint32_t n = call_stack_left(&s, region); n > 0; n--)
 *             show(&s.open[--s.depth], time); */
#ifndef TCFLOW_PLUGINS_CALL_STACK_H
#define TCFLOW_PLUGINS_CALL_STACK_H

#include <tcflow/filter.h>
#include <tcflow/grow.h>

enum { CALL_STACK_DEEPEST = (1 << 17) - 1 /* the same as in profile */ };

/* Distinguishes the index of a calling context from that of a region. */
#define CALL_OF_CONTEXT (1ull << 32)

/* What an enter or leave names. */
static inline uint64_t call_of_event(const tcf_slice *s, uint32_t i)
{
    return s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE
               ? s->rec[i].enter.region
               : s->rec[i].calling_context_enter.calling_context | CALL_OF_CONTEXT;
}

/* The region of that; TCF_NONE or dangling: undefined. */
static inline uint32_t call_region(const tcf_definitions *defs, uint64_t what)
{
    return what & CALL_OF_CONTEXT ? tcf_region_of_context(defs, (uint32_t)what) : (uint32_t)what;
}

typedef struct open_call {
    uint64_t what;   /* index of the region, or of the calling context with CALL_OF_CONTEXT */
    uint64_t enter;  /* ticks */
    uint64_t number; /* counts the location's calls on the stack, from 0 on */
} open_call;

/* All zero: empty. Owns `open`. */
typedef struct call_stack {
    open_call *open;
    uint32_t depth, capacity;
    uint32_t too_deep;    /* open calls beyond the deepest level */
    uint64_t n_entered;   /* calls that were put on it */
    uint64_t not_entered; /* calls beyond the deepest level */
} call_stack;

static inline void call_stack_free(call_stack *s)
{
    free(s->open);
    *s = (call_stack){0};
}

/* 0: the call is on the stack; 1: it is too deep; -1: out of memory. */
static inline int call_stack_enter(call_stack *s, uint64_t what, uint64_t time)
{
    if (__builtin_expect(s->depth >= CALL_STACK_DEEPEST, 0)) {
        s->too_deep++;
        s->not_entered++;
        return 1;
    }
    if (TCF_GROW(&s->open, &s->capacity, s->depth) != 0)
        return -1;
    s->open[s->depth++] = (open_call){what, time, s->n_entered++};
    return 0;
}

/* Is this the leave of a call beyond the deepest level? */
static inline int call_stack_left_too_deep(call_stack *s)
{
    if (__builtin_expect(s->too_deep == 0, 1))
        return 0;
    s->too_deep--;
    return 1;
}

/* How many calls a leave ends; the caller takes them off the stack. 0: it names no open call. */
static inline uint32_t call_stack_left(const call_stack *s, uint64_t what)
{
    uint32_t depth = s->depth;
    while (depth > 0 && s->open[depth - 1].what != what)
        depth--;
    return depth > 0 ? s->depth - depth + 1 : 0;
}

#endif
