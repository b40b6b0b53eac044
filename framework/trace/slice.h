/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Slices and their pool.
 *
 * A block is one allocation with all columns of `capacity` events; a slice is a view of a block, or of a part of one
 * after slice_split(). The pool is allocated once; nothing in the event path calls malloc(), but for a block whose
 * arena or list of edges must grow; that keeps its new size afterwards. */
#ifndef TCFLOW_FRAMEWORK_SLICE_H
#define TCFLOW_FRAMEWORK_SLICE_H

#include <tcflow/filter.h>

#include <assert.h>

#define SLICE_MAX_COLUMNS 16

typedef struct block {
    struct block *next_free;
    uint32_t references; /* slices that view it */
    uint32_t capacity;   /* events */
    uint32_t edges_capacity;
    uint32_t arena_used, arena_capacity; /* bytes; offset 0 is never handed out */
    uint8_t arena_owned, edges_owned;    /* allocated apart from the pool's memory, after growing */
    uint8_t size;                        /* a slice_size */
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

/* `v` comes first: filters see the slice by it. */
typedef struct slice {
    tcf_slice v;
    struct slice *next; /* in the queue or list that holds it */
    block *block;
    uint32_t held_by; /* number of the stage that holds it; see push.c and host.c */
    uint8_t yields;   /* behind it, all other locations run before this one goes on */
    void *column_views[SLICE_MAX_COLUMNS];
} slice;

/* How many events a block has room for: as many as the layout says; or few, where the location waits behind them, so
 * that little memory is written and read again; or many, where they pass before other slices need the cache. */
typedef enum slice_size { SLICE_USUAL, SLICE_FEW, SLICE_MANY, SLICE_SIZES } slice_size;
enum { SLICE_FEW_EVENTS = 4, SLICE_MANY_EVENTS = 1024 };

/* The columns that a chain needs. */
typedef struct slice_layout {
    uint32_t capacity;  /* events a slice */
    uint32_t arena;     /* bytes a slice, to start with; at least 8 */
    uint32_t few, many; /* blocks of these sizes */
    int edges, callpath;
    uint32_t n_columns;
    struct {
        const char *name;
        uint32_t bytes;
        int at_edges, of_times;
        const char *void_since; /* of_times: the last filter that changed times behind the column's provider, or NULL */
    } column[SLICE_MAX_COLUMNS];
} slice_layout;

typedef struct pool pool;

/* Bytes that a block and its slices take. */
size_t slice_block_bytes(const slice_layout *layout);

/* A pool of `blocks` blocks of the usual size, and those of other sizes that the layout says. NULL: out of memory (the
 * cause is recorded). */
pool *pool_new(const slice_layout *layout, uint32_t blocks);
/* So many blocks are likely to be in use at a time: they lie in large pages, as far as they fill them. */
void pool_expect(pool *p, uint32_t blocks);
void pool_delete(pool *p);
/* Blocks that aren't in use, but for those of few events. */
uint32_t pool_available(const pool *p);
/* Events that all blocks have room for. */
uint64_t pool_events(const pool *p);
/* Where no slice is in use, returns their memory to the system; it is taken again when it is needed. */
void pool_rest(pool *p);
const slice_layout *pool_layout(const pool *p);

/* An empty slice with a block of its own; NULL when the pool has none. */
slice *slice_get(pool *p, uint32_t location);
/* The same; of this size, as long as the pool has such a block. */
slice *slice_get_sized(pool *p, uint32_t location, slice_size size);
/* Returns a slice to the pool; its block returns with the last view. */
void slice_put(pool *p, slice *s);
/* Splits s at event `at` (0 < at < n), without copying: s keeps [0, at), the new slice has the rest. NULL: no slice
 * left. */
slice *slice_split(pool *p, slice *s, uint32_t at);

/* Splits it the same way, but the rest is a copy in a block of the usual size, so that the one of s comes free without
 * it. NULL: no such block is free, the rest doesn't fit into it, or something may lie in the arena. */
slice *slice_copy_rest(pool *p, slice *s, uint32_t at);

/* Doubles the room for edges. -1: out of memory. */
int slice_more_edges(pool *p, slice *s);

/* Appends an edge without an event of the slice (a tombstone, TCF_EDGE_GONE): pos may be n, and match[] isn't set. The
 * slice must not be split, and entries must come in order of pos. The list and its columns may move. NULL: out of
 * memory. */
static inline tcf_edge *slice_add_gone(pool *p, slice *s, uint32_t pos)
{
    assert(s->block->references == 1);
    if (s->v.n_edges == s->block->edges_capacity && slice_more_edges(p, s) != 0)
        return NULL;
    tcf_edge *e = &s->block->edges[s->v.n_edges++];
    *e = (tcf_edge){.pos = pos};
    return e;
}

/* Appends an edge of event `pos`, under the same conditions; *index is its position in the list. */
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
/* Removes the events whose keep[] is 0, in place. Their edges stay as tombstones (TCF_EDGE_GONE) at the position of the
 * next event kept, n when there is none. The callpath column is invalid afterwards. */
void slice_compact(pool *p, slice *s, const uint8_t *keep);

/* Reserves `bytes` (rounded up to 8) in the arena of a slice that is not split. Returns the offset; 0: out of
 * memory. */
uint32_t slice_arena(slice *s, size_t bytes);
/* Is the arena so full that the slice should end here? */
static inline int slice_arena_full(const slice *s)
{
    return s->block->arena_used > s->block->arena_capacity / 8 * 7;
}

#endif
