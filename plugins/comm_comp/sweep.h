/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a location, or all locations of a process together, do over time: computation, communication, both or neither.
 *
 * A sweep gets changes in order of time, and counts the ticks between them. Somebody communicates while a location is
 * in a communication call, or an operation is under way, from its posting to its completion. Only the completion shows
 * that an operation is ever completed. So the sweep counts time beside open operations as if there were none, and keeps
 * it apart by the latest posting before it. A completion moves what has passed since its own posting, unless another
 * one has moved it already. So operations may overlap in any way, and those that are never completed move nothing. The
 * amortised cost is constant, the memory that of the open operations. */
#ifndef TCFLOW_COMM_COMP_SWEEP_H
#define TCFLOW_COMM_COMP_SWEEP_H

#include <stdint.h>

#include <tcflow/map.h>

/* What a location does. A process of which several locations do different things does the first of these. */
enum activity { COMPUTATION, COMMUNICATION, IO, SYNCHRONISATION, MANAGEMENT, MEASUREMENT, IDLE, ACTIVITIES };

/* Beside them: computation and communication at the same time. */
enum { OVERLAPPED = ACTIVITIES, KINDS };

typedef struct sweep_counts {
    uint64_t posted, completed, cancelled;
    uint64_t replaced;  /* posted again under the same id, without having been completed */
    uint64_t forgotten; /* the oldest ones, at the cap */
    uint64_t no_post;   /* completions without a posting */
} sweep_counts;

/* Ticks without communication, by activity, since posting `since` and before the next one. */
typedef struct beside {
    uint32_t since;
    uint64_t ticks[ACTIVITIES];
} beside;

/* Zeroed at first, but for `most`. Owns its arrays. */
typedef struct sweep {
    uint64_t ticks[KINDS]; /* until now */
    uint64_t first, now;
    uint32_t active[ACTIVITIES]; /* locations */
    uint8_t moment, used;        /* moment: activity, or OVERLAPPED, from now on; in-flight operations left aside */
    uint32_t most;               /* open operations at most; at least 2 */
    uint32_t posted;             /* number of the last posting */
    tcf_map open;                /* operation -> number of its posting */
    uint32_t left;               /* how many were open at the end */
    beside *beside;              /* by `since` */
    uint32_t n, capacity;
    sweep_counts counts;
} sweep;

void sweep_free(sweep *s);

/* Counts ticks beside open operations. -1: out of memory. */
int sweep_pass_beside(sweep *s, uint64_t ticks);

/* Counts the ticks up to `time`, in which nothing changed. A time before the present one counts as the present one. -1:
 * out of memory. */
static inline int sweep_pass(sweep *s, uint64_t time)
{
    if (!s->used) {
        s->used = 1;
        s->first = s->now = time;
    }
    if (time <= s->now)
        return 0;
    const uint64_t ticks = time - s->now;
    s->ticks[s->moment] += ticks;
    s->now = time;
    return s->open.n > 0 ? sweep_pass_beside(s, ticks) : 0;
}

/* A location goes from one activity to another. ACTIVITIES: none. */
void sweep_change(sweep *s, enum activity from, enum activity to);

/* An operation is posted. A second one of the same name replaces the first one, or is completed together with it
 * (`joins`). -1: out of memory. */
int sweep_post(sweep *s, uint64_t a, uint64_t b, int joins);
void sweep_complete(sweep *s, uint64_t a, uint64_t b);
void sweep_cancel(sweep *s, uint64_t a, uint64_t b);

#endif
