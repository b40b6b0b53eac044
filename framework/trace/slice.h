/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Slices and the pool that they come from.
 *
 * A block is one allocation with all columns of `capacity` events; a slice is a view of a block, or of a part of
 * one after slice_split(). The pool is allocated once; nothing in the event path calls malloc. Only the arena of a
 * block may grow, when one event brings more attributes than the arena holds; it keeps its size afterwards. */
#ifndef TCFLOW_FRAMEWORK_SLICE_H
#define TCFLOW_FRAMEWORK_SLICE_H

#include <tcflow/filter.h>

#include <assert.h>

#define SLICE_MAX_COLUMNS 16

typedef struct block {
    struct block *next_free;
    uint32_t references; /* slices that look at it */
    uint32_t capacity;   /* events */
    uint32_t edges_capacity;
    uint32_t arena_used, arena_capacity; /* bytes; offset 0 is never given out */
    uint8_t arena_owned, edges_owned;    /* moved out of the pool's memory when they grew */
    uint8_t *arena;
    uint64_t *time;
    uint8_t *kind;
    tcf_rec *rec;
    uint32_t *attr;
    uint8_t *edge;
    uint32_t *match;
    uint32_t *callpath;
    tcf_edge *edges;
    void *columns[SLICE_MAX_COLUMNS];
} block;

#define SLICE_HELD_BY_NOBODY UINT32_MAX

/* `v` comes first: what filters see is the slice itself. */
typedef struct slice {
    tcf_slice v;
    struct slice *next; /* in whatever queue it stands */
    block *block;
    uint32_t held_by; /* stage that holds it, see pipeline.c */
    void *column_views[SLICE_MAX_COLUMNS];
} slice;

/* Which columns the chain needs. */
typedef struct slice_layout {
    uint32_t capacity; /* events a slice */
    uint32_t arena;    /* bytes a slice, to start with; at least 8 */
    int edges, callpath;
    uint32_t n_columns;
    struct {
        const char *name;
        uint32_t bytes;
        int at_edges, of_times;
        const char *void_since; /* of_times: the last filter that changed times behind who provides it, or NULL */
    } column[SLICE_MAX_COLUMNS];
} slice_layout;

typedef struct pool pool;

/* Bytes that one block takes. */
size_t slice_block_bytes(const slice_layout *layout);

/* n blocks, allocated at once. NULL: out of memory (the cause is recorded). */
pool *pool_new(const slice_layout *layout, uint32_t blocks);
void pool_delete(pool *p);
uint32_t pool_available(const pool *p);
const slice_layout *pool_layout(const pool *p);

/* An empty slice with one reference, or NULL when the pool is dry. */
slice *slice_get(pool *p, uint32_t location);
/* Gives it back. */
void slice_put(pool *p, slice *s);
/* Cuts s at `at` (0 < at < n): s keeps [0, at), the new slice has the rest. No copying. NULL: no slice left. */
slice *slice_split(pool *p, slice *s, uint32_t at);

/* Room for more edges. -1: out of memory. */
int slice_more_edges(pool *p, slice *s);

/* Appends an entry for what is no event of the slice any more (TCF_EDGE_GONE) to the list of edges of a slice that is
 * not split: pos may be n, and no event points to it. Entries must come in order of pos. The list and its columns may
 * move. NULL: out of memory. */
static inline tcf_edge *slice_add_gone(pool *p, slice *s, uint32_t pos)
{
    assert(s->block->references == 1);
    if (s->v.n_edges == s->block->edges_capacity && slice_more_edges(p, s) != 0)
        return NULL;
    tcf_edge *e = &s->block->edges[s->v.n_edges++];
    *e = (tcf_edge){.pos = pos};
    return e;
}

/* The same for an event; its position in the list in *index. */
static inline tcf_edge *slice_add_edge(pool *p, slice *s, uint32_t pos, uint32_t *index)
{
    tcf_edge *e = slice_add_gone(p, s, pos);
    if (e == NULL)
        return NULL;
    *index = s->v.n_edges - 1;
    if (s->v.match[pos] == 0)
        s->v.match[pos] = *index + 1;
    return e;
}
/* Drops the events whose keep[] is 0, in place. Edges of dropped events stay as tombstones (TCF_EDGE_GONE) at the
 * position of the next event kept, n when there is none. The callpath column is not moved: it must be made anew. */
void slice_compact(pool *p, slice *s, const uint8_t *keep);

/* Room for `bytes` (aligned to 8) in the arena of a slice that is not split; its offset, or 0 when out of memory. */
uint32_t slice_arena(slice *s, size_t bytes);
/* Is the arena so full that the slice should end after this event? */
static inline int slice_arena_full(const slice *s)
{
    return s->block->arena_used > s->block->arena_capacity / 8 * 7;
}

#endif
