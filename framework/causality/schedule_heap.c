/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The heap of a segment's locations that can run, by the time of their next event. */
#include "schedule_internal.h"

static void heap_place(segment *g, uint32_t i, uint32_t location)
{
    g->heap[i] = location;
    g->lanes[location].heap = i;
}

static void heap_up(segment *g, uint32_t i)
{
    uint32_t location = g->heap[i];
    for (; i > 0 && lane_is_before(g, location, g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap_place(g, i, g->heap[(i - 1) / 2]);
    heap_place(g, i, location);
}

static void heap_down(segment *g, uint32_t i)
{
    uint32_t location = g->heap[i];
    for (uint32_t child; (child = 2 * i + 1) < g->n_heap; i = child) {
        if (child + 1 < g->n_heap && lane_is_before(g, g->heap[child + 1], g->heap[child]))
            child++;
        if (!lane_is_before(g, g->heap[child], location))
            break;
        heap_place(g, i, g->heap[child]);
    }
    heap_place(g, i, location);
}

void segment_heap_add(segment *g, uint32_t location)
{
    if (g->lanes[location].heap != NOWHERE)
        return;
    heap_place(g, g->n_heap, location);
    heap_up(g, g->n_heap++);
}

void segment_heap_remove(segment *g, uint32_t location)
{
    uint32_t i = g->lanes[location].heap;
    if (i == NOWHERE)
        return;
    g->lanes[location].heap = NOWHERE;
    uint32_t last = g->heap[--g->n_heap];
    if (last == location)
        return;
    heap_place(g, i, last);
    heap_up(g, i);
    heap_down(g, g->lanes[last].heap);
}

void segment_heap_moved(segment *g, uint32_t location)
{
    if (g->lanes[location].heap == NOWHERE)
        return;
    heap_up(g, g->lanes[location].heap);
    heap_down(g, g->lanes[location].heap);
}
