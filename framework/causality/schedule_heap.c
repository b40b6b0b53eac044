/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The heap of a segment's locations that can run, by the time of their next event. */
#include "schedule_internal.h"

static void heap_place(segment *g, uint32_t i, heap_entry r)
{
    g->heap[i] = r;
    g->place[r.location] = i;
}

static void heap_up(segment *g, uint32_t i)
{
    const heap_entry r = g->heap[i];
    for (; i > 0 && runs_before(&r, &g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap_place(g, i, g->heap[(i - 1) / 2]);
    heap_place(g, i, r);
}

static void heap_down(segment *g, uint32_t i)
{
    const heap_entry r = g->heap[i];
    for (uint32_t child; (child = 2 * i + 1) < g->n_heap; i = child) {
        if (child + 1 < g->n_heap && runs_before(&g->heap[child + 1], &g->heap[child]))
            child++;
        if (!runs_before(&g->heap[child], &r))
            break;
        heap_place(g, i, g->heap[child]);
    }
    heap_place(g, i, r);
}

void segment_heap_add(segment *g, uint32_t location)
{
    if (g->place[location] != NOWHERE)
        return;
    heap_place(g, g->n_heap, (heap_entry){.location = location});
    segment_set_key(g, location, segment_lane(g, location)->key);
    heap_up(g, g->n_heap++);
}

void segment_heap_remove(segment *g, uint32_t location)
{
    uint32_t i = g->place[location];
    if (i == NOWHERE)
        return;
    g->place[location] = NOWHERE;
    const heap_entry last = g->heap[--g->n_heap];
    if (last.location == location)
        return;
    heap_place(g, i, last);
    heap_up(g, i);
    heap_down(g, g->place[last.location]);
}

void segment_heap_moved(segment *g, uint32_t location)
{
    if (g->place[location] == NOWHERE)
        return;
    heap_up(g, g->place[location]);
    heap_down(g, g->place[location]);
}
