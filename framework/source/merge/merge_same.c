/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which definitions of several inputs are the same, and what they are called in the union.
 *
 * Two definitions mean the same when all that they say is the same, what they refer to included: strings by text,
 * regions by name, file, lines, role and paradigm, communicators by name, parent and members. Where several of an input
 * say the same (two copies of one communicator) those with the same id belong together, if no id of their kind means
 * something else in the union; else, and of the rest, the k-th here and the k-th there, by order of definition.
 * Locations and location groups are who they are by their ids. A new definition whose id means something else already
 * gets the first id behind all that the inputs use; so ids depend on the order in which the inputs are named, never on
 * that in which they arrive, and parts that were split off one trace keep all of theirs. */
#include "framework/base/error.h"
#include "merge_unite.h"
#include <tcflow/grow.h>

#include <string.h>

enum { DEEPEST = 500 }; /* chain of references to what is defined later; no measurement system writes such */

uint64_t merge_fail_memory(uniter *u)
{
    if (!u->failed)
        tcf_fail("out of memory for the definitions of %u inputs", u->n);
    u->failed = 1;
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------- ids -- */

static uint64_t largest_id(tcf_ref_kind kind)
{
    return record_undefined(kind) - 1;
}

static int is_used(const uniter *u, tcf_ref_kind kind, uint64_t id)
{
    for (uint32_t p = 0; p < u->n; p++)
        if (map_get(&u->inputs[p].names.find, id, kind) != MAP_ABSENT)
            return 1;
    return map_get(&u->by_id, id, kind) != MAP_ABSENT;
}

static int is_stray(const uniter *u, tcf_ref_kind kind, uint64_t id)
{
    return map_get(&u->strays, id, kind) != MAP_ABSENT;
}

/* An id that nobody uses: behind all others, or where there is none, the first free one. */
static uint64_t new_id(uniter *u, tcf_ref_kind kind)
{
    uint64_t id = u->next_id[kind];

    while (id <= largest_id(kind) && is_stray(u, kind, id))
        id++;
    if (id <= largest_id(kind)) {
        u->next_id[kind] = id + 1;
    } else {
        for (id = u->free_id[kind]; id <= largest_id(kind) && (is_used(u, kind, id) || is_stray(u, kind, id)); id++)
            ;
        u->free_id[kind] = id + 1;
    }
    if (id <= largest_id(kind))
        return id;
    if (!u->failed)
        tcf_fail("the inputs define more than fit into the ids of a %s", record_ref_name(kind));
    u->failed = 1;
    return 0;
}

/* An id that this input does not define. Others may, and mean something that this one does not. */
static uint64_t stray_id(uniter *u, tcf_ref_kind kind, uint64_t id)
{
    merge_names *names = &u->inputs[u->now].names;
    uint32_t found = map_get(&names->strays, id, kind);

    if (found != MAP_ABSENT)
        return names->stray[found];
    int taken = is_used(u, kind, id) || map_get(&names->called, id, kind) != MAP_ABSENT;
    uint64_t name = taken ? new_id(u, kind) : id;
    if (map_put(&u->strays, name, kind, 0) != 0 || merge_names_stray(names, kind, id, name) != 0)
        return merge_fail_memory(u);
    return name;
}

/* ------------------------------------------------------------------------------------------------------- meaning -- */

uint64_t merge_reference_of(void *data, tcf_ref_kind kind, uint64_t id)
{
    uniter *u = data;

    if (id == record_undefined(kind) || kind == TCF_REF_LOCATION)
        return id;
    uint32_t index = map_get(&u->inputs[u->now].names.find, id, kind);
    return index == MAP_ABSENT ? stray_id(u, kind, id) : merge_unite(u, kind, index);
}

static slot *add_slot(uniter *u, tcf_ref_kind kind, uint64_t id, merge_key key)
{
    uint32_t i = u->n_slots, first = map_get(&u->by_key, key.a, key.b);

    if (TCF_GROW(&u->slots, &u->slots_capacity, i) != 0)
        return NULL;
    if (map_put(&u->by_id, id, kind, i) != 0 || (first == MAP_ABSENT && map_put(&u->by_key, key.a, key.b, i) != 0))
        return NULL;
    u->slots[i] =
        (slot){.id = id, .key = key, .next = TCF_NONE, .last = i, .cursor = i, .cursor_of = u->now, .taken_by = u->now};
    if (first != MAP_ABSENT) {
        u->slots[u->slots[first].last].next = i;
        u->slots[first].last = i;
    }
    u->n_slots++;
    return &u->slots[i];
}

/* What refers to its own kind keeps the ids of the input. */
typedef struct own_kind {
    uniter *u;
    tcf_ref_kind kind;
} own_kind;

static uint64_t reference_but_own(void *data, tcf_ref_kind kind, uint64_t id)
{
    own_kind *own = data;
    return kind == own->kind ? id : merge_reference_of(own->u, kind, id);
}

/* Does a definition say the same as what has its id in the union? */
static int says_the_same(uniter *u, tcf_ref_kind kind, uint32_t index)
{
    const tcf_definitions *defs = u->inputs[u->now].defs;
    const tcf_definition *from = &defs->records[u->sides[u->now].record[kind][index]];
    uint32_t before = map_get(&u->by_id, defs->ids[kind].id[index], kind);
    own_kind own = {u, kind};
    merge_record record;

    if (before == MAP_ABSENT || u->slots[before].taken_by == u->now)
        return 1;
    if (merge_record_make(from, reference_but_own, &own, &record) != 0)
        merge_fail_memory(u);
    merge_key key = merge_record_key(from->kind, &record, kind == TCF_REF_LOCATION_GROUP);
    merge_record_free(&record);
    return u->slots[before].key.a == key.a && u->slots[before].key.b == key.b;
}

/* Do the input's ids of a kind mean what they mean in the union, where they mean anything there? */
static int ids_agree(uniter *u, tcf_ref_kind kind)
{
    side *s = &u->sides[u->now];
    int all = 1;

    if (s->agrees[kind] != UNKNOWN || u->now == 0 || u->depth >= DEEPEST)
        return s->agrees[kind] != KNOWN;
    s->agrees[kind] = BUSY;
    u->depth++;
    for (uint32_t i = 0; i < u->inputs[u->now].defs->ids[kind].n && all; i++)
        all = says_the_same(u, kind, i);
    u->depth--;
    s->agrees[kind] = all ? FRESH : KNOWN;
    return all;
}

/* Is this slot that of another definition of the same input, whose id it has? */
static int is_reserved(uniter *u, tcf_ref_kind kind, uint32_t number)
{
    uint32_t index = map_get(&u->inputs[u->now].names.find, u->slots[number].id, kind);

    if (!ids_agree(u, kind))
        return 0;
    if (index != MAP_ABSENT && u->sides[u->now].state[kind][index] == BUSY)
        return 1;
    if (index != MAP_ABSENT)
        (void)merge_unite(u, kind, index);
    return u->slots[number].taken_by == u->now;
}

/* The first definition of the union that means the same, and that no other one of this input is. */
static uint32_t next_same(uniter *u, tcf_ref_kind kind, merge_key key)
{
    uint32_t first = map_get(&u->by_key, key.a, key.b);

    if (first == MAP_ABSENT)
        return TCF_NONE;
    if (u->slots[first].cursor_of != u->now) {
        u->slots[first].cursor_of = u->now;
        u->slots[first].cursor = first;
    }
    for (uint32_t c; (c = u->slots[first].cursor) != TCF_NONE;) {
        u->slots[first].cursor = u->slots[c].next;
        if (u->slots[c].taken_by != u->now && !is_reserved(u, kind, c))
            return c;
    }
    return TCF_NONE;
}

/* The id in the union for a definition with this id and meaning; *fresh: there was none such. */
static uint64_t assign(uniter *u, tcf_ref_kind kind, uint64_t id, merge_key key, int *fresh)
{
    uint32_t same = ids_agree(u, kind) ? map_get(&u->by_id, id, kind) : MAP_ABSENT;

    if (same == MAP_ABSENT || u->slots[same].key.a != key.a || u->slots[same].key.b != key.b ||
        u->slots[same].taken_by == u->now)
        same = next_same(u, kind, key);
    if (same != TCF_NONE) {
        u->slots[same].taken_by = u->now;
        return u->slots[same].id;
    }
    *fresh = 1;
    if (map_get(&u->by_id, id, kind) != MAP_ABSENT)
        id = new_id(u, kind);
    return add_slot(u, kind, id, key) ? id : merge_fail_memory(u);
}

/* What a definition of the input is called in the union. */
uint64_t merge_unite(uniter *u, tcf_ref_kind kind, uint32_t index)
{
    side *s = &u->sides[u->now];
    const tcf_definitions *defs = u->inputs[u->now].defs;
    uint64_t id = defs->ids[kind].id[index];
    merge_record record;
    int fresh = 0;

    if (s->state[kind][index] >= KNOWN)
        return s->id[kind][index];
    if (u->failed || s->state[kind][index] == BUSY || u->depth >= DEEPEST)
        return id;
    s->state[kind][index] = BUSY;
    u->depth++;
    const tcf_definition *from = &defs->records[s->record[kind][index]];
    if (merge_record_make(from, merge_reference_of, u, &record) != 0)
        merge_fail_memory(u);
    else
        s->id[kind][index] =
            assign(u, kind, id, merge_record_key(from->kind, &record, kind == TCF_REF_LOCATION_GROUP), &fresh);
    merge_record_free(&record);
    u->depth--;
    s->state[kind][index] = fresh ? FRESH : KNOWN;
    return s->id[kind][index];
}

tcf_status merge_prepare_side(uniter *u, uint32_t p)
{
    merge_input *in = &u->inputs[p];
    side *s = &u->sides[p];
    uint64_t id;

    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        const tcf_ids *ids = &in->defs->ids[kind];
        s->record[kind] = malloc((ids->n + 1u) * sizeof *s->record[kind]);
        s->id[kind] = calloc(ids->n + 1u, sizeof *s->id[kind]);
        s->state[kind] = calloc(ids->n + 1u, 1);
        if (!s->record[kind] || !s->id[kind] || !s->state[kind])
            return merge_fail_memory(u), TCF_ERROR;
        memset(s->record[kind], 0xff, ids->n * sizeof *s->record[kind]);
        for (uint32_t i = 0; i < ids->n; i++) {
            if (map_put(&in->names.find, ids->id[i], (uint64_t)kind, i) != 0)
                return merge_fail_memory(u), TCF_ERROR;
            if (ids->id[i] < largest_id((tcf_ref_kind)kind) && ids->id[i] >= u->next_id[kind])
                u->next_id[kind] = ids->id[i] + 1;
        }
    }
    for (uint64_t r = 0; r < in->defs->n_records; r++) {
        int kind = definitions_defines(&in->defs->records[r], &id);
        uint32_t index = kind >= 0 ? map_get(&in->names.find, id, (uint64_t)kind) : MAP_ABSENT;
        if (index != MAP_ABSENT && s->record[kind][index] == UINT64_MAX)
            s->record[kind][index] = r;
    }
    return TCF_OK;
}
