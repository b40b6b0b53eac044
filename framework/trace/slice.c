/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Slices and their pool; see slice.h.
 *
 * A block's columns lie side by side, each on a cache line of its own. Behind those of all blocks lie the arenas, which
 * most traces have nothing for. The arena and the edges move out of the pool's memory when they grow. The pool never
 * touches memory that it doesn't use, so a pool for the worst case costs address space only.
 * Blocks and slices wait in free lists. A pool has four slices a block, so that several views of a block can exist;
 * slice_split() returns NULL when they run out, and the caller passes on less. */
#include "slice.h"
#include "framework/base/error.h"
#include "framework/base/large_pages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, VIEWS_PER_BLOCK = 4, ARENA_FIRST = 8, SHORT = 128 /* events */ };

struct pool {
    slice_layout layout;
    uint32_t n_blocks, n_slices;
    uint32_t made_blocks, made_slices; /* used at least once; the rest has never been touched */
    uint32_t available;
    block *blocks, *free_blocks;
    slice *slices, *free_slices;
    unsigned char *memory; /* the columns of all blocks, then their arenas */
};

static size_t lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

/* Edges that a block has room for at first: few programs have one at every fourth event. */
static size_t edges_of(const slice_layout *layout)
{
    return layout->edges ? (size_t)layout->capacity / 4 + 4 : 0;
}

/* A larger copy of memory that is carved from the pool (*owned 0) or was allocated here. */
static void *enlarge(void *old, size_t used, size_t bytes, int owned)
{
    if (owned)
        return realloc(old, bytes);
    void *larger = malloc(bytes);
    if (larger)
        memcpy(larger, old, used);
    return larger;
}

/* Makes room for `capacity` edges and their columns. -1: out of memory; the entries stay. */
static int grow_edges(block *b, const slice_layout *layout, size_t capacity)
{
    size_t used = b->edges_capacity;
    tcf_edge *edges = enlarge(b->edges, used * sizeof *edges, capacity * sizeof *edges, b->edges_owned);
    if (edges == NULL)
        return -1;
    b->edges = edges;
    for (uint32_t i = 0; i < layout->n_columns; i++) {
        size_t bytes = layout->column[i].bytes;
        if (!layout->column[i].at_edges)
            continue;
        void *column = enlarge(b->columns[i], used * bytes, capacity * bytes, b->edges_owned);
        if (column == NULL) { /* earlier columns have moved already: the pool is unusable from here on */
            b->columns[i] = NULL;
            b->edges_owned = 1;
            return -1;
        }
        b->columns[i] = column;
    }
    b->edges_owned = 1;
    b->edges_capacity = (uint32_t)capacity;
    return 0;
}

static size_t column_bytes(const slice_layout *layout)
{
    size_t n = layout->capacity;
    size_t bytes = lines(n * sizeof(uint64_t)) + lines(n) + lines(n * sizeof(tcf_rec)) + lines(n * sizeof(uint32_t));

    if (layout->edges)
        bytes += lines(n) + lines(n * sizeof(uint32_t)) + lines(edges_of(layout) * sizeof(tcf_edge));
    if (layout->callpath)
        bytes += lines(n * sizeof(uint32_t));
    for (uint32_t i = 0; i < layout->n_columns; i++)
        bytes += lines((layout->column[i].at_edges ? edges_of(layout) : n) * layout->column[i].bytes);
    return bytes;
}

static size_t pool_bytes(const slice_layout *layout, uint32_t blocks)
{
    return (column_bytes(layout) + lines(layout->arena)) * blocks;
}

size_t slice_block_bytes(const slice_layout *layout)
{
    return pool_bytes(layout, 1) + sizeof(block) + VIEWS_PER_BLOCK * sizeof(slice);
}

static void *carve(unsigned char **memory, size_t bytes)
{
    void *p = *memory;
    *memory += lines(bytes);
    return p;
}

static void lay_out(block *b, const slice_layout *layout, unsigned char *memory, unsigned char *arena)
{
    size_t n = layout->capacity;

    *b = (block){.capacity = layout->capacity};
    b->time = carve(&memory, n * sizeof(uint64_t));
    b->rec = carve(&memory, n * sizeof(tcf_rec));
    b->kind = carve(&memory, n);
    b->attr = carve(&memory, n * sizeof(uint32_t));
    if (layout->edges) {
        b->edge = carve(&memory, n);
        b->match = carve(&memory, n * sizeof(uint32_t));
        b->edges = carve(&memory, edges_of(layout) * sizeof(tcf_edge));
        b->edges_capacity = (uint32_t)edges_of(layout);
    }
    if (layout->callpath)
        b->callpath = carve(&memory, n * sizeof(uint32_t));
    for (uint32_t i = 0; i < layout->n_columns; i++) {
        size_t entries = layout->column[i].at_edges ? edges_of(layout) : n;
        b->columns[i] = carve(&memory, entries * layout->column[i].bytes);
    }
    b->arena = arena;
    b->arena_capacity = layout->arena;
}

pool *pool_new(const slice_layout *layout, uint32_t blocks)
{
    pool *p = calloc(1, sizeof *p);

    assert(layout->n_columns <= SLICE_MAX_COLUMNS);
    if (p == NULL)
        goto out_of_memory;
    p->layout = *layout;
    p->n_blocks = blocks;
    p->n_slices = blocks * VIEWS_PER_BLOCK;
    p->blocks = malloc(p->n_blocks * sizeof *p->blocks); /* these are cleared when they are first used */
    p->slices = malloc(p->n_slices * sizeof *p->slices);
    p->memory = large_pages_alloc(pool_bytes(layout, blocks));
    if (p->blocks == NULL || p->slices == NULL || p->memory == NULL)
        goto out_of_memory;
    p->available = blocks;
    return p;
out_of_memory:
    pool_delete(p);
    error_fail("out of memory: %u slices of %zu bytes each are needed", blocks, slice_block_bytes(layout));
    return NULL;
}

void pool_delete(pool *p)
{
    if (p == NULL)
        return;
    for (uint32_t i = 0; p->blocks && i < p->made_blocks; i++) {
        if (p->blocks[i].arena_owned)
            free(p->blocks[i].arena);
        if (!p->blocks[i].edges_owned)
            continue;
        free(p->blocks[i].edges);
        for (uint32_t k = 0; k < p->layout.n_columns; k++)
            if (p->layout.column[k].at_edges)
                free(p->blocks[i].columns[k]);
    }
    free(p->blocks);
    free(p->slices);
    large_pages_free(p->memory, pool_bytes(&p->layout, p->n_blocks));
    free(p);
}

void pool_expect(pool *p, uint32_t blocks)
{
    large_pages_want(p->memory, column_bytes(&p->layout) * (blocks < p->n_blocks ? blocks : p->n_blocks));
}

void pool_rest(pool *p)
{
    if (p->available == p->n_blocks)
        large_pages_rest(p->memory, pool_bytes(&p->layout, p->n_blocks));
}

uint32_t pool_available(const pool *p)
{
    return p->available;
}

const slice_layout *pool_layout(const pool *p)
{
    return &p->layout;
}

/* Points the columns of s at the events of its block from `from` on. The caller sets the list of edges. */
static void view(const pool *p, slice *s, uint32_t from)
{
    block *b = s->block;

    s->v.time = b->time + from;
    s->v.kind = b->kind + from;
    s->v.rec = b->rec + from;
    s->v.attr = b->attr + from;
    s->v.edge = b->edge ? b->edge + from : NULL;
    s->v.match = b->match ? b->match + from : NULL;
    s->v.callpath = b->callpath ? b->callpath + from : NULL;
    s->v.arena = b->arena;
    s->v.columns = s->column_views;
    for (uint32_t i = 0; i < p->layout.n_columns; i++)
        s->column_views[i] = (unsigned char *)b->columns[i] +
                             (p->layout.column[i].at_edges ? 0 : (size_t)from * p->layout.column[i].bytes);
}

static block *take_block(pool *p)
{
    block *b = p->free_blocks;

    if (b != NULL) {
        p->free_blocks = b->next_free;
    } else if (p->made_blocks < p->n_blocks) {
        const size_t i = p->made_blocks++, columns = column_bytes(&p->layout);
        b = &p->blocks[i];
        lay_out(b, &p->layout, p->memory + columns * i, p->memory + columns * p->n_blocks + lines(p->layout.arena) * i);
    }
    return b;
}

static slice *take_slice(pool *p)
{
    slice *s = p->free_slices;

    if (s != NULL)
        p->free_slices = s->next;
    else if (p->made_slices < p->n_slices)
        s = &p->slices[p->made_slices++];
    return s;
}

slice *slice_get(pool *p, uint32_t location)
{
    if (p->available == 0)
        return NULL;
    slice *s = take_slice(p);
    if (s == NULL)
        return NULL;
    block *b = take_block(p);
    assert(b != NULL);
    p->available--;
    b->references = 1;
    b->arena_used = ARENA_FIRST;
    memset(s, 0, offsetof(slice, column_views));
    s->block = b;
    s->v.location = location;
    s->v.edges = b->edges;
    view(p, s, 0);
    return s;
}

/* Fetches into the cache what is going to be written. */
static void fetch(const void *column, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch((const unsigned char *)column + i, 1);
}

/* The block that has come free is filled next. Where slices are short, their columns are too: the processor does not
 * notice that they are written from begin to end. */
static void fetch_columns(const block *b)
{
    const size_t n = b->capacity;

    if (n > SHORT)
        return;
    fetch(b->rec, n * sizeof *b->rec);
    fetch(b->time, n * sizeof *b->time);
    fetch(b->kind, n * sizeof *b->kind);
    fetch(b->attr, n * sizeof *b->attr);
}

void slice_put(pool *p, slice *s)
{
    block *b = s->block;

    assert(b->references > 0);
    if (--b->references == 0) {
        b->next_free = p->free_blocks;
        p->free_blocks = b;
        p->available++;
        fetch_columns(b);
    }
    s->block = NULL;
    s->next = p->free_slices;
    p->free_slices = s;
}

/* Number of edges in front of event `at`. Tombstones (TCF_EDGE_GONE) at that position belong to the second part. */
static uint32_t edges_before(const slice *s, uint32_t at)
{
    uint32_t low = 0, high = s->v.n_edges;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->v.edges[middle].pos < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

slice *slice_split(pool *p, slice *s, uint32_t at)
{
    assert(at > 0 && at < s->v.n);
    slice *rest = take_slice(p);
    if (rest == NULL)
        return NULL;
    *rest = *s;
    rest->next = NULL;
    rest->block->references++;
    view(p, rest, (uint32_t)(s->v.time - s->block->time) + at);
    rest->v.n = s->v.n - at;
    rest->v.first = s->v.first + at;
    s->v.n = at;
    if (s->v.edges) {
        uint32_t kept = edges_before(s, at);
        rest->v.edges = s->v.edges + kept;
        rest->v.n_edges = s->v.n_edges - kept;
        s->v.n_edges = kept;
        for (uint32_t i = 0; i < rest->v.n_edges; i++)
            rest->v.edges[i].pos -= at;
        for (uint32_t i = 0; i < rest->v.n_edges; i++)
            if (!(rest->v.edges[i].flags & TCF_EDGE_GONE) && rest->v.match[rest->v.edges[i].pos] == i + 1 + kept)
                rest->v.match[rest->v.edges[i].pos] = i + 1;
        for (uint32_t i = 0; i < p->layout.n_columns; i++)
            if (p->layout.column[i].at_edges)
                rest->column_views[i] = (unsigned char *)s->column_views[i] + (size_t)kept * p->layout.column[i].bytes;
    }
    return rest;
}

int slice_more_edges(pool *p, slice *s)
{
    block *b = s->block;

    if (grow_edges(b, &p->layout, (size_t)b->edges_capacity * 2 + 16) != 0)
        return -1;
    s->v.edges = b->edges;
    view(p, s, 0);
    return 0;
}

void slice_compact(pool *p, slice *s, const uint8_t *keep)
{
    uint32_t kept = 0, k = 0, n = s->v.n;

    for (uint32_t i = 0; i < n; i++) {
        for (; k < s->v.n_edges && s->v.edges[k].pos == i; k++) {
            s->v.edges[k].pos = kept;
            if (!keep[i])
                s->v.edges[k].flags |= TCF_EDGE_GONE;
        }
        if (!keep[i])
            continue;
        s->v.time[kept] = s->v.time[i];
        s->v.kind[kept] = s->v.kind[i];
        s->v.rec[kept] = s->v.rec[i];
        s->v.attr[kept] = s->v.attr[i];
        if (s->v.edge) {
            s->v.edge[kept] = s->v.edge[i];
            s->v.match[kept] = s->v.match[i];
        }
        for (uint32_t c = 0; c < p->layout.n_columns; c++) {
            size_t bytes = p->layout.column[c].bytes;
            unsigned char *column = s->column_views[c];
            if (!p->layout.column[c].at_edges)
                memmove(column + kept * bytes, column + i * bytes, bytes);
        }
        kept++;
    }
    for (; k < s->v.n_edges; k++) /* tombstones behind the last event */
        s->v.edges[k].pos = kept;
    s->v.n = kept;
}

uint32_t slice_arena(slice *s, size_t bytes)
{
    block *b = s->block;
    size_t start = b->arena_used, end = start + ((bytes + 7) & ~(size_t)7);

    assert(b->references == 1);
    if (end > b->arena_capacity) {
        size_t capacity = end + end / 2;
        if (end > UINT32_MAX / 2)
            return 0;
        uint8_t *arena = enlarge(b->arena, b->arena_used, capacity, b->arena_owned);
        if (arena == NULL)
            return 0;
        b->arena_owned = 1;
        b->arena = arena;
        b->arena_capacity = (uint32_t)capacity;
        s->v.arena = arena;
    }
    b->arena_used = (uint32_t)end;
    return (uint32_t)start;
}
