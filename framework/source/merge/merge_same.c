/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Finds the definitions of several inputs that are the same, and gives them ids in the union.
 *
 * Two definitions are the same when their records have equal fields, references included: strings by text, regions by
 * name, file, lines, role and paradigm, communicators by name, parent and members. Where several definitions of an
 * input are equal (two copies of one communicator), those with equal ids belong together, provided that no id of their
 * kind means something else in the union. The rest are paired by order: the k-th here is the k-th there. Locations and
 * location groups are identified by their ids.
 *
 * A new definition whose id is taken gets the first id behind all ids of the inputs. So ids depend on the order in
 * which inputs are named, never on the order of arrival, and parts that were split off one trace keep all their ids. */
#include "framework/base/error.h"
#include "merge_unite.h"
#include <tcflow/grow.h>

#include <string.h>

enum { DEEPEST = 500 }; /* longest chain of references to later definitions; no measurement system writes such */

uint64_t merge_fail_memory(merger *u)
{
    if (!u->failed)
        error_fail("out of memory for the definitions of %u inputs", u->n);
    u->failed = 1;
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------- ids -- */

static uint64_t largest_id(tcf_ref_kind kind)
{
    return record_undefined(kind) - 1;
}

static int is_used(const merger *u, tcf_ref_kind kind, uint64_t id)
{
    for (uint32_t p = 0; p < u->n; p++)
        if (map_get(&u->inputs[p].names.find, id, kind) != MAP_ABSENT)
            return 1;
    return map_get(&u->by_id, id, kind) != MAP_ABSENT;
}

static int is_undefined(const merger *u, tcf_ref_kind kind, uint64_t id)
{
    return map_get(&u->undefined, id, kind) != MAP_ABSENT;
}

/* An unused id: behind all others, or the first free one where there is none. */
static uint64_t new_id(merger *u, tcf_ref_kind kind)
{
    uint64_t id = u->next_id[kind];

    while (id <= largest_id(kind) && is_undefined(u, kind, id))
        id++;
    if (id <= largest_id(kind)) {
        u->next_id[kind] = id + 1;
    } else {
        for (id = u->free_id[kind]; id <= largest_id(kind) && (is_used(u, kind, id) || is_undefined(u, kind, id)); id++)
            ;
        u->free_id[kind] = id + 1;
    }
    if (id <= largest_id(kind))
        return id;
    if (!u->failed)
        error_fail("the inputs define more than fit into the ids of a %s", record_ref_name(kind));
    u->failed = 1;
    return 0;
}

/* The union's id for an id that this input doesn't define: the same, unless another input defines it. */
static uint64_t undefined_id(merger *u, tcf_ref_kind kind, uint64_t id)
{
    merge_names *names = &u->inputs[u->now].names;
    uint32_t found = map_get(&names->undefined, id, kind);

    if (found != MAP_ABSENT)
        return names->undefined_ids[found];
    int taken = is_used(u, kind, id) || map_get(&names->taken, id, kind) != MAP_ABSENT;
    uint64_t name = taken ? new_id(u, kind) : id;
    if (map_put(&u->undefined, name, kind, 0) != 0 || merge_names_undefined(names, kind, id, name) != 0)
        return merge_fail_memory(u);
    return name;
}

/* ------------------------------------------------------------------------------------------------------- meaning -- */

uint64_t merge_reference_of(void *data, tcf_ref_kind kind, uint64_t id)
{
    merger *u = data;

    if (id == record_undefined(kind) || kind == TCF_REF_LOCATION)
        return id;
    uint32_t index = map_get(&u->inputs[u->now].names.find, id, kind);
    return index == MAP_ABSENT ? undefined_id(u, kind, id) : merge_unite(u, kind, index);
}

static slot *add_slot(merger *u, tcf_ref_kind kind, uint64_t id, merge_key key)
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

/* References to the record's own kind keep the input's ids. */
typedef struct own_kind {
    merger *u;
    tcf_ref_kind kind;
} own_kind;

static uint64_t reference_but_own(void *data, tcf_ref_kind kind, uint64_t id)
{
    own_kind *own = data;
    return kind == own->kind ? id : merge_reference_of(own->u, kind, id);
}

/* Is a definition equal to the one with its id in the union? */
static int is_equal(merger *u, tcf_ref_kind kind, uint32_t index)
{
    const tcf_definitions *defs = u->inputs[u->now].defs;
    const tcf_definition *from = &defs->records[u->states[u->now].record[kind][index]];
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

/* Do all ids of this kind mean the same in the input and in the union, where both define them? */
static int ids_agree(merger *u, tcf_ref_kind kind)
{
    input_state *s = &u->states[u->now];
    int all = 1;

    if (s->agrees[kind] != AGREES_UNKNOWN || u->now == 0 || u->depth >= DEEPEST)
        return s->agrees[kind] != AGREES_NOT;
    s->agrees[kind] = AGREES_BUSY;
    u->depth++;
    for (uint32_t i = 0; i < u->inputs[u->now].defs->ids[kind].n && all; i++)
        all = is_equal(u, kind, i);
    u->depth--;
    s->agrees[kind] = all ? AGREES : AGREES_NOT;
    return all;
}

/* Is this slot reserved for the definition of the same input with the slot's id? */
static int is_reserved(merger *u, tcf_ref_kind kind, uint32_t number)
{
    uint32_t index = map_get(&u->inputs[u->now].names.find, u->slots[number].id, kind);

    if (!ids_agree(u, kind))
        return 0;
    if (index != MAP_ABSENT && u->states[u->now].state[kind][index] == BUSY)
        return 1;
    if (index != MAP_ABSENT)
        (void)merge_unite(u, kind, index);
    return u->slots[number].taken_by == u->now;
}

/* The first definition of the union with this meaning that no other definition of this input has taken. */
static uint32_t next_same(merger *u, tcf_ref_kind kind, merge_key key)
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

/* The union's id for a definition with this id and meaning; *fresh: the definition is new. */
static uint64_t assign(merger *u, tcf_ref_kind kind, uint64_t id, merge_key key, int *fresh)
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

uint64_t merge_unite(merger *u, tcf_ref_kind kind, uint32_t index)
{
    input_state *s = &u->states[u->now];
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

tcf_status merge_prepare_input(merger *u, uint32_t p)
{
    merge_input *in = &u->inputs[p];
    input_state *s = &u->states[p];
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
