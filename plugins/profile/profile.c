/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* profile: makes a flat profile and a call-tree profile: visits, inclusive and exclusive time, shortest and longest
 * visit, by location and in total.
 *
 * One pass over the enters and leaves of a location, with a stack. Memory grows with the regions (or call paths) that
 * each location visits; no event takes an allocation. A leave ends the nearest open visit of its region and the visits
 * inside of it; without such a visit it is ignored. A visit that is never left ends with its location.
 *
 * The filter does not use the callpath column: finding its own node takes no longer than finding the location's
 * counters for a call path would, and chains without other users of the column need not compute it. */
#include "profile.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

enum { FIRST_NODES = 64, MAX_DEPTH = (1 << 17) - 1 /* the stack has at most 2^17 frames */ };

_Static_assert(sizeof(node) == 64, "a node fills a cache line");

/* --------------------------------------------------------------------------------------------------------- nodes -- */

static inline uint64_t key_of(uint32_t scope, uint32_t region)
{
    return (uint64_t)scope << 32 | region;
}

/* Where the table has the node of a key, or ROOT when there is none. */
static inline uint32_t *table_slot(const place *p, uint64_t key)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << (64 - p->shift)) - 1);
    uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15u >> p->shift);

    while (p->table[slot] != ROOT && p->nodes[p->table[slot]].key != key)
        slot = (slot + 1) & mask;
    return &p->table[slot];
}

/* Twice as many nodes; the table has four entries a node. -1: out of memory. */
static int grow_nodes(place *p)
{
    uint32_t capacity = p->capacity ? 2 * p->capacity : FIRST_NODES;
    node *nodes = aligned_alloc(sizeof *nodes, capacity * sizeof *nodes);
    uint32_t *guess = realloc(p->guess, 2 * (size_t)capacity * sizeof *guess);
    uint32_t *table = calloc(4 * (size_t)capacity, sizeof *table);

    if (guess)
        p->guess = guess;
    if (!nodes || !guess || !table) {
        free(nodes);
        free(table);
        return -1;
    }
    if (p->n)
        memcpy(nodes, p->nodes, p->n * sizeof *nodes);
    free(p->nodes);
    free(p->table);
    p->nodes = nodes;
    p->table = table;
    p->capacity = capacity;
    p->shift = 62u - (uint32_t)__builtin_ctz(capacity);
    for (uint32_t i = 1; i < p->n; i++)
        *table_slot(p, p->nodes[i].key) = i;
    return 0;
}

/* A new node; ROOT: out of memory. */
static uint32_t add_node(place *p, uint64_t key)
{
    if (p->n == p->capacity && grow_nodes(p) != 0)
        return ROOT;
    uint32_t at = p->n++;
    p->nodes[at] = (node){.key = key, .min = UINT64_MAX};
    p->guess[2 * at] = p->guess[2 * at + 1] = ROOT;
    if (at != ROOT)
        *table_slot(p, key) = at;
    return at;
}

static int start(place *p)
{
    if (TCF_GROW(&p->stack, &p->stack_capacity, 0) != 0 || grow_nodes(p) != 0)
        return -1;
    add_node(p, key_of(FLAT, NO_REGION));
    p->stack[0] = (frame){.node = ROOT};
    return 0;
}

/* Is a visit of the region open in the tree part of the stack, up to p->base? */
static int is_open_below(const place *p, uint32_t region)
{
    for (uint32_t at = p->base; at != ROOT; at = scope_of(&p->nodes[at]))
        if (region_of(&p->nodes[at]) == region)
            return 1;
    return 0;
}

/* -------------------------------------------------------------------------------------------------- enter, leave -- */

static int push(place *p, uint64_t time, uint32_t at, int flat)
{
    if (TCF_GROW(&p->stack, &p->stack_capacity, p->depth + 1) != 0)
        return -1;
    frame *f = &p->stack[++p->depth];
    f->enter = time;
    f->node = at;
    f->flat = flat != 0;
    p->cursor = 2 * at;
    return 0;
}

/* An enter of a node that has to be looked up. */
static int enter_slowly(place *p, uint32_t max_paths, uint32_t region, uint64_t time)
{
    const frame *top = &p->stack[p->depth];
    uint32_t at = ROOT;
    int flat = top->flat;

    if (p->depth >= MAX_DEPTH) {
        p->too_deep++;
        p->not_counted++;
        return 0;
    }
    if (!flat) {
        at = *table_slot(p, key_of(top->node, region));
        if (at == ROOT && p->n_paths < max_paths) {
            if ((at = add_node(p, key_of(top->node, region))) == ROOT)
                return -1;
            p->n_paths++;
        }
        flat = at == ROOT;
        if (flat)
            p->base = top->node;
    }
    if (flat) {
        at = *table_slot(p, key_of(FLAT, region));
        if (at == ROOT && (at = add_node(p, key_of(FLAT, region))) == ROOT)
            return -1;
        p->without_path++;
    }
    p->guess[p->cursor] = at;
    if (push(p, time, at, flat) != 0)
        return -1;
    if (flat)
        p->stack[p->depth].outermost = p->nodes[at].open++ == 0 && !is_open_below(p, region);
    return 0;
}

/* Counts a visit that ends. */
static inline void count(node *x, uint64_t duration)
{
    x->visits++;
    x->inclusive += duration;
    x->min = duration < x->min ? duration : x->min;
    x->max = duration > x->max ? duration : x->max;
}

/* Closes the innermost visit. */
static inline void pop(place *p, uint64_t time)
{
    const frame *f = &p->stack[p->depth--];
    node *x = &p->nodes[f->node];
    uint64_t duration = time - f->enter;

    count(x, duration);
    p->cursor = 2 * f->node + 1;
    if (f->flat) {
        x->open--;
        x->outermost += f->outermost ? duration : 0;
        p->nodes[f[-1].node].below += duration;
    }
}

/* A leave of a region that is not the innermost one. */
static void leave_slowly(place *p, uint32_t region, uint64_t time)
{
    uint32_t depth = p->depth;

    if (p->too_deep > 0) {
        p->too_deep--;
        return;
    }
    while (depth > 0 && region_of(&p->nodes[p->stack[depth].node]) != region)
        depth--;
    if (depth == 0) {
        p->ignored++;
        return;
    }
    p->unwound += p->depth - depth;
    while (p->depth >= depth)
        pop(p, time);
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

static inline int enter(place *p, int tree, uint32_t max_paths, uint32_t region, uint64_t time)
{
    const frame *top = &p->stack[p->depth];
    uint32_t at = p->guess[p->cursor];
    node *x = &p->nodes[at];

    if (tree) {
        if (__builtin_expect(x->key != key_of(top->node, region) || p->depth + 1 == p->stack_capacity || top->flat, 0))
            return enter_slowly(p, max_paths, region, time);
        p->stack[++p->depth] = (frame){.enter = time, .node = at};
    } else {
        if (__builtin_expect(x->key != key_of(FLAT, region) || p->depth + 1 == p->stack_capacity, 0))
            return enter_slowly(p, 0, region, time);
        p->stack[++p->depth] = (frame){.enter = time, .node = at, .flat = 1, .outermost = x->open++ == 0};
    }
    p->cursor = 2 * at;
    return 0;
}

static inline void leave(place *p, int tree, uint32_t region, uint64_t time)
{
    const frame *f = &p->stack[p->depth];
    node *x = &p->nodes[f->node];

    if (__builtin_expect(region_of(x) != region || (tree && f->flat) || p->too_deep, 0)) {
        leave_slowly(p, region, time);
        return;
    }
    pop(p, time);
}

/* The hot loop; `tree` is a constant in each of its two copies. */
static inline __attribute__((always_inline)) int run(const tcf_definitions *defs, place *p, const tcf_slice *s,
                                                     int tree, uint32_t max_paths)
{
    int failed = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        if (tcf_is_enter(s->kind[i]))
            failed |= enter(p, tree, max_paths, tcf_region_of_event(defs, s, i), s->time[i]);
        else if (tcf_is_leave(s->kind[i]))
            leave(p, tree, tcf_region_of_event(defs, s, i), s->time[i]);
    }
    return failed;
}

static tcf_status profile_slice(tcf_self *self, tcf_slice *s)
{
    const conf *c = self->conf;
    place *p = tcf_location_state(self, s->location);
    int failed;

    if (s->n == 0)
        return TCF_OK;
    if (!p->nodes && start(p) != 0)
        return self->host->fail(self, "out of memory");
    if (c->calltree)
        failed = run(self->defs, p, s, 1, (uint32_t)c->max_callpaths);
    else
        failed = run(self->defs, p, s, 0, 0);
    p->last = s->time[s->n - 1];
    return failed ? self->host->fail(self, "out of memory for %u regions or call paths of a location", p->n) : TCF_OK;
}

/* Visits that are still open end with the last event. */
/* Releases what only counting needs: mostly one location is read after another. */
static void shrink(place *p)
{
    node *nodes = p->n < p->capacity ? aligned_alloc(sizeof *nodes, p->n * sizeof *nodes) : NULL;

    if (nodes) {
        memcpy(nodes, p->nodes, p->n * sizeof *nodes);
        free(p->nodes);
        p->nodes = nodes;
        p->capacity = p->n;
    }
    free(p->stack);
    free(p->guess);
    free(p->table);
    p->stack = NULL;
    p->guess = p->table = NULL;
}

static tcf_status profile_location_end(tcf_self *self, uint32_t location)
{
    place *p = tcf_location_state(self, location);

    p->never_left = p->depth;
    while (p->depth > 0)
        pop(p, p->last);
    shrink(p);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static void put_counts(const tcf_host *host, tcf_pack *pack, const place *p)
{
    host->put(pack, &p->ignored, sizeof p->ignored);
    host->put(pack, &p->unwound, sizeof p->unwound);
    host->put(pack, &p->never_left, sizeof p->never_left);
    host->put(pack, &p->not_counted, sizeof p->not_counted);
    host->put(pack, &p->without_path, sizeof p->without_path);
}

static void take_counts(const tcf_host *host, tcf_pack *pack, place *p)
{
    host->take(pack, &p->ignored, sizeof p->ignored);
    host->take(pack, &p->unwound, sizeof p->unwound);
    host->take(pack, &p->never_left, sizeof p->never_left);
    host->take(pack, &p->not_counted, sizeof p->not_counted);
    host->take(pack, &p->without_path, sizeof p->without_path);
}

/* By location: its number, its nodes, its counts. TCF_NONE is behind the last one. */
static tcf_status profile_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const uint32_t none = TCF_NONE;

    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (p->n == 0)
            continue;
        host->put(pack, &l, sizeof l);
        host->put(pack, &p->n, sizeof p->n);
        host->put(pack, p->nodes, p->n * sizeof *p->nodes);
        put_counts(host, pack, p);
    }
    host->put(pack, &none, sizeof none);
    return TCF_OK;
}

static tcf_status profile_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    uint32_t location;

    for (host->take(pack, &location, sizeof location); location < self->defs->n_locations;
         host->take(pack, &location, sizeof location)) {
        place *p = tcf_location_state(self, location);
        host->take(pack, &p->n, sizeof p->n);
        if (!(p->nodes = aligned_alloc(sizeof *p->nodes, p->n * sizeof *p->nodes)))
            return host->fail(self, "out of memory for %u regions or call paths of a location", p->n);
        host->take(pack, p->nodes, p->n * sizeof *p->nodes);
        for (uint32_t i = 0; i < p->n; i++)
            p->nodes[i].key =
                key_of(scope_of(&p->nodes[i]), host->taken_index(pack, TCF_REF_REGION, region_of(&p->nodes[i])));
        take_counts(host, pack, p);
    }
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- description -- */

static void profile_fini(tcf_self *self, int complete)
{
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        place *p = tcf_location_state(self, l);
        free(p->stack);
        free(p->nodes);
        free(p->guess);
        free(p->table);
        *p = (place){0};
    }
}

static const tcf_param params[] = {
    TCF_PARAM(conf, calltree, TCF_BOOL, "yes",
              "Profile call paths too, besides regions; costs memory for each call path"),
    TCF_PARAM(conf, by_location, TCF_BOOL, "no", "Tables of each location too, besides the totals over all locations"),
    TCF_PARAM(conf, top, TCF_INT, "0", "Only so many regions and call paths, those with the most time; 0: all",
              .min = "0"),
    TCF_PARAM(conf, max_callpaths, TCF_INT, "65536",
              "Call paths of a location at most; what is called beyond them is counted by region alone", .min = "1",
              .max = "16777216"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "profile",
    .version = "1.0",
    .summary = "Flat and call-tree profile: visits, inclusive and exclusive time",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "Counts the visits of each region and of each call path, and sums up their time: inclusive is all of it, "
        "exclusive leaves out what was called. Where a region calls itself, its inclusive time counts the outermost "
        "visits only; shortest and longest are over all visits.\n\n"
        "Enters and leaves need not be balanced. A leave ends the visits above the nearest open one of its region, "
        "and is ignored when there is none; what is never left ends with the last event of its location. "
        "Totals put regions together that differ in nothing but their id.\n\n"
        "Tables: flat_profile and calltree_profile; with by_location = yes also flat_profile_by_location and "
        "calltree_by_location.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .location_size = sizeof(place),
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = profile_slice,
    .location_end = profile_location_end,
    .end = profile_report,
    .fini = profile_fini,
    .pack = profile_pack,
    .absorb = profile_absorb,
};
