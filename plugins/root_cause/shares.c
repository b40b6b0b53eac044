/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The shares that causes have in a wait: one sum that is being added up, and the kept ones as lists of chunks. */
#include "root_cause.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ being added up -- */

static int grow_sum(shares *s)
{
    uint32_t places = s->sum ? 2 * (s->mask + 1) : 256;
    summed *old = s->sum, *fresh = calloc(places, sizeof *fresh);
    uint32_t *used = realloc(s->used, places * sizeof *used);
    if (used)
        s->used = used;
    if (!fresh || !used) {
        free(fresh);
        return -1;
    }
    for (uint32_t i = 0; i < s->n_used; i++) {
        const summed *x = &old[used[i]];
        uint32_t at = (uint32_t)tcf_map_hash(x->cause, 0) & (places - 1);
        while (fresh[at].size > 0)
            at = (at + 1) & (places - 1);
        fresh[at] = *x;
        used[i] = at;
    }
    free(old);
    s->sum = fresh;
    s->mask = places - 1;
    return 0;
}

tcf_status shares_add(tcf_self *self, uint64_t cause, uint64_t size)
{
    shares *s = &((struct state *)self->state)->shares;
    if (size == 0)
        return TCF_OK;
    if ((!s->sum || 2 * s->n_used > s->mask) && grow_sum(s) != 0)
        return self->host->fail(self, "out of memory for %u causes of a wait", s->n_used);
    uint32_t at = (uint32_t)tcf_map_hash(cause, 0) & s->mask;
    while (s->sum[at].size > 0 && s->sum[at].cause != cause)
        at = (at + 1) & s->mask;
    if (s->sum[at].size == 0) {
        s->sum[at].cause = cause;
        s->used[s->n_used++] = at;
    }
    s->sum[at].size += size;
    s->sum[at].rest += size;
    return TCF_OK;
}

summed *shares_find(const shares *s, uint64_t cause)
{
    if (s->n_used == 0)
        return NULL;
    uint32_t at = (uint32_t)tcf_map_hash(cause, 0) & s->mask;
    while (s->sum[at].size > 0 && s->sum[at].cause != cause)
        at = (at + 1) & s->mask;
    return s->sum[at].size > 0 ? &s->sum[at] : NULL;
}

void shares_clear(shares *s)
{
    for (uint32_t i = 0; i < s->n_used; i++)
        s->sum[s->used[i]].size = s->sum[s->used[i]].rest = 0;
    s->n_used = 0;
}

/* ---------------------------------------------------------------------------------------------- the largest ones -- */

/* The number of a call path depends on which location was read first; the hash of its regions does not. */
tcf_status shares_hash(tcf_self *self)
{
    shares *s = &((struct state *)self->state)->shares;
    uint32_t n;
    const tcf_callpath *nodes = self->host->callpaths(self, &n);
    if (n <= s->n_hashes)
        return TCF_OK;
    uint64_t *grown = realloc(s->hash_of, 2 * (size_t)n * sizeof *grown);
    if (!grown)
        return self->host->fail(self, "out of memory for %u call paths", n);
    s->hash_of = grown;
    for (; s->n_hashes < n; s->n_hashes++) {
        const tcf_callpath *c = &nodes[s->n_hashes];
        grown[s->n_hashes] = s->n_hashes == 0 ? 1 : tcf_map_hash(grown[c->parent], c->region);
    }
    return TCF_OK;
}

static int goes_first(const shares *s, const summed *a, const summed *b)
{
    if (a->rest != b->rest)
        return a->rest > b->rest;
    if (a->cause >> 32 != b->cause >> 32)
        return a->cause < b->cause;
    return s->hash_of[(uint32_t)a->cause] < s->hash_of[(uint32_t)b->cause];
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t before = *a;
    *a = *b;
    *b = before;
}

/* Moves item i of a heap of n, the smallest on top, down to its place. */
static void sift_down(const shares *s, uint32_t *heap, uint32_t n, uint32_t i)
{
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && goes_first(s, &s->sum[heap[child]], &s->sum[heap[child + 1]]))
            child++;
        if (!goes_first(s, &s->sum[heap[i]], &s->sum[heap[child]]))
            break;
        swap(&heap[i], &heap[child]);
    }
}

/* Moves the `most` largest shares to the front of `used`, which is a heap with the smallest on top. */
static void choose(shares *s, uint32_t most)
{
    uint32_t *h = s->used;
    for (uint32_t k = most / 2 + 1; k-- > 0;)
        sift_down(s, h, most, k);
    for (uint32_t k = most; k < s->n_used; k++) {
        if (!goes_first(s, &s->sum[h[k]], &s->sum[h[0]]))
            continue;
        swap(&h[k], &h[0]);
        sift_down(s, h, most, 0);
    }
}

static uint32_t chunk_new(shares *s)
{
    uint32_t c = s->free_chunk;
    if (c == NONE && s->free_lists != NONE) {
        c = s->free_lists;
        s->free_lists = s->chunks[c].next_list;
    }
    if (c != NONE) {
        s->free_chunk = s->chunks[c].next;
    } else {
        if (TCF_GROW(&s->chunks, &s->chunks_capacity, s->n_chunks) != 0)
            return NONE;
        c = s->n_chunks++;
    }
    s->chunks[c].n = 0;
    s->chunks[c].next = NONE;
    return c;
}

uint64_t share_of(uint64_t length, uint64_t size, uint64_t whole)
{
    return (uint64_t)((cost_sum)length * size / whole);
}

tcf_status shares_append(tcf_self *self, share x, uint32_t *first)
{
    shares *s = &((struct state *)self->state)->shares;
    if (*first == NONE || s->chunks[*first].n == SHARES_A_CHUNK) {
        const uint32_t c = chunk_new(s);
        if (c == NONE)
            return self->host->fail(self, "out of memory for the causes of waits");
        s->chunks[c].next = *first;
        *first = c;
    }
    s->chunks[*first].share[s->chunks[*first].n++] = x;
    return TCF_OK;
}

tcf_status shares_keep(tcf_self *self, uint32_t *first)
{
    struct state *st = self->state;
    shares *s = &st->shares;
    uint32_t most = (uint32_t)((const struct conf *)self->conf)->causes;
    *first = NONE;
    if (s->n_used > most) {
        if (shares_hash(self) != TCF_OK)
            return TCF_ERROR;
        choose(s, most);
        st->merged++;
    }
    for (uint32_t i = 0; i < s->n_used && i < most; i++) {
        const summed *x = &s->sum[s->used[i]];
        const share kept = {x->cause, x->rest};
        if (kept.size > 0 && shares_append(self, kept, first) != TCF_OK)
            return TCF_ERROR;
    }
    shares_clear(s);
    return TCF_OK;
}

void shares_drop(shares *s, uint32_t first)
{
    if (first == NONE)
        return;
    s->chunks[first].next_list = s->free_lists; /* the other chunks have left the cache */
    s->free_lists = first;
}

void shares_free(shares *s)
{
    free(s->chunks);
    free(s->sum);
    free(s->used);
    free(s->hash_of);
}
