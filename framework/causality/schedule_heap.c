/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Heaps of a segment's locations: those that can run, by the time of their next event; senders that wait. An entry has
 * HEAP_CHILDREN children, which share a line of the cache or two: with many locations each level is a miss. */
#include "schedule_internal.h"

static void heap_place(heap_entry *heap, uint32_t *place, uint32_t i, heap_entry r)
{
    heap[i] = r;
    place[r.location] = i;
}

static void heap_up(heap_entry *heap, uint32_t *place, uint32_t i)
{
    const heap_entry r = heap[i];
    for (uint32_t parent; i > 0 && runs_before(&r, &heap[parent = (i - 1) / HEAP_CHILDREN]); i = parent)
        heap_place(heap, place, i, heap[parent]);
    heap_place(heap, place, i, r);
}

static void heap_down(heap_entry *heap, uint32_t *place, uint32_t n, uint32_t i)
{
    const heap_entry r = heap[i];
    for (uint32_t child; (child = heap_first_child(heap, n, i)) < n; i = child) {
        if (!runs_before(&heap[child], &r))
            break;
        heap_place(heap, place, i, heap[child]);
    }
    heap_place(heap, place, i, r);
}

static void heap_take_out(heap_entry *heap, uint32_t *place, uint32_t *n, uint32_t location)
{
    const uint32_t i = place[location];
    place[location] = NOWHERE;
    const heap_entry last = heap[--*n];
    if (last.location == location)
        return;
    heap_place(heap, place, i, last);
    heap_up(heap, place, i);
    heap_down(heap, place, *n, place[last.location]);
}

void segment_heap_add(segment *g, uint32_t location)
{
    if (g->place[location] != NOWHERE)
        return;
    heap_place(g->heap, g->place, g->n_heap, (heap_entry){.location = location});
    segment_set_key(g, location, segment_lane(g, location)->key);
    heap_up(g->heap, g->place, g->n_heap++);
}

void segment_heap_remove(segment *g, uint32_t location)
{
    if (g->place[location] != NOWHERE)
        heap_take_out(g->heap, g->place, &g->n_heap, location);
}

void segment_heap_moved(segment *g, uint32_t location)
{
    if (g->place[location] == NOWHERE)
        return;
    heap_up(g->heap, g->place, g->place[location]);
    heap_down(g->heap, g->place, g->n_heap, g->place[location]);
}

void segment_senders_add(segment *g, uint32_t location, uint64_t time)
{
    heap_place(g->senders, g->sender_place, g->n_senders, (heap_entry){time, location});
    heap_up(g->senders, g->sender_place, g->n_senders++);
}

void segment_senders_remove(segment *g, uint32_t location)
{
    if (g->n_senders > 0 && g->sender_place[location] != NOWHERE)
        heap_take_out(g->senders, g->sender_place, &g->n_senders, location);
}
