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

/* The blocks of one size. */
struct shelf {
    slice_layout layout;
    uint32_t n, made; /* made: used at least once; the rest has never been touched */
    uint32_t available;
    block *blocks, *free;
    unsigned char *memory; /* the columns of all blocks, then their arenas */
};

struct pool {
    struct shelf of[SLICE_SIZES];
    uint32_t n_slices, made_slices;
    slice *slices, *free_slices;
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

/* -1: out of memory. */
static int fill_shelf(struct shelf *on, const slice_layout *layout, uint32_t capacity, uint32_t blocks)
{
    on->layout = *layout;
    on->layout.capacity = capacity;
    if (capacity > layout->capacity)
        on->layout.arena = layout->arena / layout->capacity * capacity + ARENA_FIRST;
    on->n = on->available = blocks;
    if (blocks == 0)
        return 0;
    on->blocks = malloc(blocks * sizeof *on->blocks); /* these are cleared when they are first used */
    on->memory = large_pages_alloc(pool_bytes(&on->layout, blocks));
    return on->blocks && on->memory ? 0 : -1;
}

pool *pool_new(const slice_layout *layout, uint32_t blocks)
{
    pool *p = calloc(1, sizeof *p);

    assert(layout->n_columns <= SLICE_MAX_COLUMNS);
    if (p == NULL)
        goto out_of_memory;
    p->n_slices = (blocks + layout->few + layout->many) * VIEWS_PER_BLOCK;
    p->slices = malloc(p->n_slices * sizeof *p->slices);
    if (p->slices == NULL || fill_shelf(&p->of[SLICE_USUAL], layout, layout->capacity, blocks) != 0 ||
        fill_shelf(&p->of[SLICE_FEW], layout, SLICE_FEW_EVENTS, layout->few) != 0 ||
        fill_shelf(&p->of[SLICE_MANY], layout, SLICE_MANY_EVENTS, layout->many) != 0)
        goto out_of_memory;
    return p;
out_of_memory:
    pool_delete(p);
    error_fail("out of memory: %u slices of %zu bytes each are needed", blocks, slice_block_bytes(layout));
    return NULL;
}

static void clear_shelf(struct shelf *on)
{
    for (uint32_t i = 0; i < on->made; i++) {
        block *b = &on->blocks[i];
        if (b->arena_owned)
            free(b->arena);
        if (!b->edges_owned)
            continue;
        free(b->edges);
        for (uint32_t k = 0; k < on->layout.n_columns; k++)
            if (on->layout.column[k].at_edges)
                free(b->columns[k]);
    }
    free(on->blocks);
    large_pages_free(on->memory, pool_bytes(&on->layout, on->n));
}

void pool_delete(pool *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < SLICE_SIZES; i++)
        clear_shelf(&p->of[i]);
    free(p->slices);
    free(p);
}

static void expect(struct shelf *on, uint32_t blocks)
{
    if (on->n > 0)
        large_pages_want(on->memory, column_bytes(&on->layout) * (blocks < on->n ? blocks : on->n));
}

void pool_expect(pool *p, uint32_t blocks)
{
    for (int i = 0; i < SLICE_SIZES; i++)
        expect(&p->of[i], blocks);
}

void pool_rest(pool *p)
{
    for (int i = 0; i < SLICE_SIZES; i++)
        if (p->of[i].n > 0 && p->of[i].available == p->of[i].n)
            large_pages_rest(p->of[i].memory, pool_bytes(&p->of[i].layout, p->of[i].n));
}

uint32_t pool_available(const pool *p)
{
    return p->of[SLICE_USUAL].available + p->of[SLICE_MANY].available;
}

uint64_t pool_events(const pool *p)
{
    uint64_t events = 0;

    for (int i = 0; i < SLICE_SIZES; i++)
        events += (uint64_t)p->of[i].n * p->of[i].layout.capacity;
    return events;
}

const slice_layout *pool_layout(const pool *p)
{
    return &p->of[SLICE_USUAL].layout;
}

/* Points the columns of s at the events of its block from `from` on. The caller sets the list of edges. */
static void view(const pool *p, slice *s, uint32_t from)
{
    block *b = s->block;
    const slice_layout *layout = pool_layout(p);

    s->v.time = b->time + from;
    s->v.kind = b->kind + from;
    s->v.rec = b->rec + from;
    s->v.attr = b->attr + from;
    s->v.edge = b->edge ? b->edge + from : NULL;
    s->v.match = b->match ? b->match + from : NULL;
    s->v.callpath = b->callpath ? b->callpath + from : NULL;
    s->v.arena = b->arena;
    s->v.columns = s->column_views;
    for (uint32_t i = 0; i < layout->n_columns; i++)
        s->column_views[i] =
            (unsigned char *)b->columns[i] + (layout->column[i].at_edges ? 0 : (size_t)from * layout->column[i].bytes);
}

static block *take_block(pool *p, slice_size size)
{
    struct shelf *on = &p->of[size];
    block *b = on->free;

    assert(on->available > 0);
    on->available--;
    if (b != NULL) {
        on->free = b->next_free;
        return b;
    }
    const size_t i = on->made++, columns = column_bytes(&on->layout);
    b = &on->blocks[i];
    lay_out(b, &on->layout, on->memory + columns * i, on->memory + columns * on->n + lines(on->layout.arena) * i);
    b->size = (uint8_t)size;
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
    return slice_get_sized(p, location, SLICE_USUAL);
}

slice *slice_get_sized(pool *p, uint32_t location, slice_size size)
{
    if (p->of[size].available == 0)
        size = p->of[SLICE_USUAL].available > 0 ? SLICE_USUAL : SLICE_MANY;
    if (p->of[size].available == 0)
        return NULL;
    slice *s = take_slice(p);
    if (s == NULL)
        return NULL;
    block *b = take_block(p, size);
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
        struct shelf *on = &p->of[b->size];
        b->next_free = on->free;
        on->free = b;
        on->available++;
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

/* The first `events` events and `edges` edges, of which the list had others in front, have gone elsewhere. */
static void count_from(slice *s, uint32_t events, uint32_t edges)
{
    for (uint32_t i = 0; i < s->v.n_edges; i++)
        s->v.edges[i].pos -= events;
    for (uint32_t i = 0; i < s->v.n_edges; i++)
        if (!(s->v.edges[i].flags & TCF_EDGE_GONE) && s->v.match[s->v.edges[i].pos] == i + 1 + edges)
            s->v.match[s->v.edges[i].pos] = i + 1;
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
        count_from(rest, at, kept);
        const slice_layout *layout = pool_layout(p);
        for (uint32_t i = 0; i < layout->n_columns; i++)
            if (layout->column[i].at_edges)
                rest->column_views[i] = (unsigned char *)s->column_views[i] + (size_t)kept * layout->column[i].bytes;
    }
    return rest;
}

static void copy_events(const slice_layout *layout, slice *to, const slice *s, uint32_t at)
{
    const tcf_slice *v = &s->v;
    const size_t n = to->v.n;

    memcpy(to->v.time, v->time + at, n * sizeof *v->time);
    memcpy(to->v.kind, v->kind + at, n * sizeof *v->kind);
    memcpy(to->v.rec, v->rec + at, n * sizeof *v->rec);
    memcpy(to->v.attr, v->attr + at, n * sizeof *v->attr);
    if (v->edge) {
        memcpy(to->v.edge, v->edge + at, n * sizeof *v->edge);
        memcpy(to->v.match, v->match + at, n * sizeof *v->match);
    }
    if (v->callpath)
        memcpy(to->v.callpath, v->callpath + at, n * sizeof *v->callpath);
    for (uint32_t i = 0; i < layout->n_columns; i++) {
        const size_t bytes = layout->column[i].bytes;
        if (!layout->column[i].at_edges)
            memcpy(to->column_views[i], (unsigned char *)s->column_views[i] + at * bytes, n * bytes);
    }
}

/* Those from number `from` on. */
static void copy_edges(const slice_layout *layout, slice *to, const slice *s, uint32_t from)
{
    const size_t n = s->v.n_edges - from;

    memcpy(to->v.edges, s->v.edges + from, n * sizeof *s->v.edges);
    to->v.n_edges = (uint32_t)n;
    for (uint32_t i = 0; i < layout->n_columns; i++) {
        const size_t bytes = layout->column[i].bytes;
        if (layout->column[i].at_edges)
            memcpy(to->column_views[i], (unsigned char *)s->column_views[i] + from * bytes, n * bytes);
    }
}

slice *slice_copy_rest(pool *p, slice *s, uint32_t at)
{
    const slice_layout *layout = pool_layout(p);
    const uint32_t n = s->v.n - at, kept = s->v.edges ? edges_before(s, at) : 0;

    assert(at > 0 && at < s->v.n);
    if (n > layout->capacity || s->v.n_edges - kept > edges_of(layout) || s->block->arena_used > ARENA_FIRST ||
        p->of[SLICE_USUAL].available == 0)
        return NULL;
    slice *rest = slice_get(p, s->v.location);
    if (rest == NULL)
        return NULL;
    rest->v.first = s->v.first + at;
    rest->v.n = n;
    copy_events(layout, rest, s, at);
    if (s->v.edges) {
        copy_edges(layout, rest, s, kept);
        s->v.n_edges = kept;
        count_from(rest, at, kept);
    }
    s->v.n = at;
    return rest;
}

int slice_more_edges(pool *p, slice *s)
{
    block *b = s->block;

    if (grow_edges(b, pool_layout(p), (size_t)b->edges_capacity * 2 + 16) != 0)
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
        for (uint32_t c = 0; c < pool_layout(p)->n_columns; c++) {
            size_t bytes = pool_layout(p)->column[c].bytes;
            unsigned char *column = s->column_views[c];
            if (!pool_layout(p)->column[c].at_edges)
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
