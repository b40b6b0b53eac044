/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tree of all paths that may become the critical one. A node is a path up to some point: the path of its parent,
 * and entries of its own. Nodes without references are freed at once. Chains without branches are joined when there are
 * enough entries to make that cheap. */
#include "critical_path.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_UNTIDY = 65536, AHEAD = 12 /* nodes that are fetched while others are tidied */ };

/* --------------------------------------------------------------------------------------------------------- nodes -- */

static int grow_nodes(struct tree *p)
{
    if (TCF_GROW(&p->node, &p->nodes_capacity, p->n_nodes) != 0)
        return -1;
    if (p->n_nodes == 0)
        p->free_node = NONE;
    return 0;
}

/* Into the cache, where the node will be used soon. */
static inline void fetch(const struct tree *p, uint32_t node)
{
    if (node != NONE)
        __builtin_prefetch(&p->node[node], 1);
}

uint32_t path_new(struct tree *p, uint32_t parent)
{
    if (p->n_nodes == p->nodes_capacity && (p->n_nodes == 0 || p->free_node == NONE) && grow_nodes(p) != 0)
        return NONE;
    uint32_t n = p->free_node;
    if (n != NONE) {
        p->free_node = p->node[n].parent;
        fetch(p, p->free_node); /* for the next one */
    } else {
        n = p->n_nodes++;
    }
    p->node[n] = (struct node){.parent = parent, .held = 1, .open = NONE};
    p->n_used++;
    if (parent != NONE) {
        p->node[parent].held--;
        p->node[parent].kids++;
    }
    return n;
}

void path_hold(struct tree *p, uint32_t node)
{
    if (node != NONE)
        p->node[node].held++;
}

/* The nodes to free are linked by `first`; a loop instead of recursion, because trees may be deep. */
static void let_go_of(struct tree *p, uint32_t node, int kid, uint32_t *gone)
{
    if (node == NONE)
        return;
    struct node *n = &p->node[node];
    if (kid)
        n->kids--;
    else
        n->held--;
    if (n->kids == 0 && n->held == 0) {
        n->first = *gone;
        *gone = node;
    }
}

void path_drop(tcf_self *self, uint32_t node, int kid)
{
    struct tree *p = &state_of(self)->tree;
    struct question *question = state_of(self)->open.question;
    uint32_t gone = NONE;
    let_go_of(p, node, kid, &gone);
    while (gone != NONE) {
        struct node *n = &p->node[gone];
        uint32_t going = gone;
        gone = n->first;
        if (n->open != NONE) { /* the question still needs the length of its wait */
            struct question *q = &question[n->open];
            q->node = NONE;
            let_go_of(p, q->best.node, 0, &gone);
            q->best.node = NONE;
        }
        let_go_of(p, n->parent, 1, &gone);
        *n = (struct node){.parent = p->free_node, .open = NONE};
        p->free_node = going;
        p->n_used--;
    }
}

/* ------------------------------------------------------------------------------------------------------- tidying -- */

static int sums_room(struct sums *s, uint32_t n)
{
    uint32_t size = s->slot ? s->mask + 1 : 0;
    if (n < size / 2)
        return 0;
    for (size = size ? size : 256; size / 2 <= n; size *= 2)
        ;
    free(s->slot);
    s->slot = calloc(size, sizeof *s->slot);
    s->mask = size - 1;
    s->generation = 0;
    return s->slot ? 0 : -1;
}

static void sums_forget(struct sums *s)
{
    if (++s->generation == 0) {
        memset(s->slot, 0, ((size_t)s->mask + 1) * sizeof *s->slot);
        s->generation = 1;
    }
}

static void sums_add(struct sums *s, struct entry *to, uint32_t *n, const struct entry *x)
{
    uint64_t h = x->key * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(h >> 32) & s->mask;
    for (; s->slot[i].generation == s->generation; i = (i + 1) & s->mask)
        if (s->slot[i].key == x->key) {
            to[s->slot[i].at].ticks += x->ticks;
            return;
        }
    s->slot[i].key = x->key;
    s->slot[i].at = *n;
    s->slot[i].generation = s->generation;
    to[(*n)++] = *x;
}

/* Has the node a single kid, and no other reference? Then it can become a part of that kid. */
static int is_chain(const struct tree *p, uint32_t node)
{
    return node != NONE && p->node[node].held == 0 && p->node[node].kids == 1 && p->node[node].open == NONE;
}

static int is_in_use(const struct node *n)
{
    return n->held > 0 || n->kids > 0;
}

/* Joins a node with the chain above it, and moves its entries to the new pool. */
static int take_in(struct tree *p, uint32_t node, struct sums *sums, struct entry *to, uint32_t *n_to)
{
    struct node *x = &p->node[node];
    uint32_t n = 0, total = x->n;
    for (uint32_t a = x->parent; x->open == NONE && is_chain(p, a); a = p->node[a].parent)
        total += p->node[a].n;
    if (total == x->n) { /* there is no chain */
        for (uint32_t i = 0; i < x->n; i++)
            to[*n_to + i] = p->entry[x->first + i];
        n = x->n;
    } else if (sums_room(sums, total) != 0) {
        return -1;
    }
    if (total > x->n)
        sums_forget(sums);
    for (uint32_t i = 0; total > x->n && i < x->n; i++)
        sums_add(sums, to + *n_to, &n, &p->entry[x->first + i]);
    while (x->open == NONE && is_chain(p, x->parent)) {
        uint32_t going = x->parent;
        struct node *a = &p->node[going];
        for (uint32_t i = 0; i < a->n; i++)
            sums_add(sums, to + *n_to, &n, &p->entry[a->first + i]);
        x->jumps += a->jumps;
        x->parent = a->parent;
        *a = (struct node){.parent = p->free_node, .open = NONE};
        p->free_node = going;
        p->n_used--;
    }
    x->first = *n_to;
    x->n = n;
    *n_to += n;
    return 0;
}

static int room_for_joins(struct tree *p)
{
    if (p->n_nodes > p->joins_capacity) {
        free(p->joins);
        p->joins = malloc(p->nodes_capacity);
        p->joins_capacity = p->joins ? p->nodes_capacity : 0;
    }
    return p->n_nodes <= p->joins_capacity ? 0 : -1;
}

/* Joins chains, and copies the entries in use to the other pool. A node that its kid will take in is marked first. */
static int tidy(struct tree *p, struct entry *to, uint32_t *n_to)
{
    if (room_for_joins(p) != 0)
        return -1;
    for (uint32_t i = 0; i < p->n_nodes; i++)
        p->joins[i] = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        if (i + AHEAD < p->n_nodes)
            fetch(p, p->node[i + AHEAD].parent);
        if (is_in_use(&p->node[i]) && p->node[i].open == NONE && is_chain(p, p->node[i].parent))
            p->joins[p->node[i].parent] = 1;
    }
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        if (i + AHEAD < p->n_nodes && is_in_use(&p->node[i + AHEAD])) {
            fetch(p, p->node[i + AHEAD].parent);
            __builtin_prefetch(&p->entry[p->node[i + AHEAD].first]);
        }
        if (is_in_use(&p->node[i]) && !p->joins[i] && take_in(p, i, &p->sums, to, n_to) != 0)
            return -1;
    }
    return 0;
}

/* Nodes may have no entries, so their number counts, too. */
int tree_is_full(const struct tree *p, uint32_t wanted)
{
    return p->entries_capacity - p->n_entries < wanted || p->n_used >= p->tidy_at;
}

static int spare_room(struct tree *p, uint64_t n)
{
    if (n <= p->spare_capacity)
        return 0;
    struct entry *grown = n < NONE ? realloc(p->spare, (size_t)n * sizeof *grown) : NULL;
    if (!grown)
        return -1;
    p->spare = grown;
    p->spare_capacity = (uint32_t)n;
    return 0;
}

/* Moves what is in use to the other pool, with room for as much again and `wanted` more. */
int tree_tidy_up(struct tree *p, uint32_t wanted)
{
    uint32_t kept = 0;
    const uint32_t untidy = p->max_kept < 16 * MOST_UNTIDY ? (uint32_t)p->max_kept / 16 : MOST_UNTIDY;
    if (spare_room(p, (uint64_t)p->n_entries + 1) != 0 || tidy(p, p->spare, &kept) != 0 ||
        spare_room(p, 2 * (uint64_t)kept + wanted + untidy) != 0)
        return -1;
    struct entry *old = p->entry;
    const uint32_t old_capacity = p->entries_capacity;
    p->entry = p->spare;
    p->entries_capacity = p->spare_capacity;
    p->spare = old;
    p->spare_capacity = old_capacity;
    p->n_entries = kept;
    p->tidy_at = 2 * p->n_used + untidy / 4 + 1;
    p->most_entries = kept > p->most_entries ? kept : p->most_entries;
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- bins -- */

void tree_reach(struct tree *p, uint64_t time)
{
    time_bins_move m;
    if (p->bins.n == 0 || !time_bins_reach(&p->bins, time, &m))
        return;
    for (uint32_t i = 0; i < p->n_entries; i++) {
        const uint64_t key = p->entry[i].key;
        if (key & IS_PLACE)
            p->entry[i].key = place_key((uint32_t)key, time_bins_moved(&m, (uint32_t)(key >> 32 & INT32_MAX)));
    }
}

uint32_t tree_bins_between(const struct tree *p, uint64_t from, uint64_t to)
{
    return p->bins.n == 0 || from >= to ? 0
                                        : time_bins_position(&p->bins, to - 1) - time_bins_position(&p->bins, from) + 1;
}

uint32_t tree_put_places(const struct tree *p, struct entry *to_entries, uint32_t location, uint64_t from, uint64_t to)
{
    const uint32_t n = tree_bins_between(p, from, to), first = n > 0 ? time_bins_position(&p->bins, from) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t next = p->bins.origin + (uint64_t)time_bins_start(&p->bins, first + i + 1);
        const uint64_t end = i + 1 < n ? next : to;
        to_entries[i] = (struct entry){place_key(location, first + i), end - from};
        from = end;
    }
    return n;
}

void tree_free(struct tree *p)
{
    free(p->node);
    free(p->entry);
    free(p->spare);
    free(p->joins);
    free(p->sums.slot);
}
