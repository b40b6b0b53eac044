/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* One set of definitions of those of several inputs.
 *
 * The first input's records stand as they are; of each further one come those that mean something new (merge_same.c),
 * in their order. Of what stands once in a trace (the clock, a location) there is one record for all. Then it is known
 * what each input's indices and ids are in the union. */
#include "framework/base/error.h"
#include "merge_unite.h"
#include <tcflow/grow.h>

#include <string.h>

/* ------------------------------------------------------------------------------------------------------- records -- */

/* The first clock properties are those of all; others of the same input stay what they are. */
static tcf_status add_clock(uniter *u, const tcf_definition *d)
{
    tcf_def_clock_properties clock =
        u->has_clock || u->clock.timer_resolution == 0 ? *d->as.def_clock_properties : u->clock;

    if (u->has_clock && u->now > 0)
        return TCF_OK;
    if (u->inputs[u->now].defs->n_locations == 0 && u->clock.timer_resolution != 0)
        return TCF_OK;                                                          /* another one has it */
    if (clock.timer_resolution != d->as.def_clock_properties->timer_resolution) /* 0 is read as 1 */
        clock.timer_resolution = d->as.def_clock_properties->timer_resolution;
    u->has_clock = 1;
    return definitions_add(u->out, TCF_DEF_CLOCK_PROPERTIES, &clock);
}

/* Locations are the same when their ids are. An input that has no events of it may not know how many there are. */
static tcf_status add_location(uniter *u, const tcf_definition *d)
{
    const tcf_def_location *l = d->as.def_location;
    uint32_t found = map_get(&u->locations, l->self, 0);
    merge_record record;

    if (found != MAP_ABSENT) {
        tcf_def_location *before = (tcf_def_location *)u->out->records[found].as.def_location; /* our own */
        if (l->number_of_events > before->number_of_events)
            before->number_of_events = l->number_of_events;
        if (map_get(&u->locations, l->self, 1) != u->now)
            return TCF_OK;
    } else if (map_put(&u->locations, l->self, 0, (uint32_t)u->out->v.n_records) != 0 ||
               map_put(&u->locations, l->self, 1, u->now) != 0) {
        merge_fail_memory(u);
        return TCF_ERROR;
    }
    if (merge_record_make(d, merge_reference_of, u, &record) != 0)
        merge_fail_memory(u);
    tcf_status status = u->failed ? TCF_ERROR : definitions_add(u->out, d->kind, &record.as);
    merge_record_free(&record);
    return status;
}

static tcf_status add_record(uniter *u, uint64_t number)
{
    const merge_input *in = &u->inputs[u->now];
    const tcf_definition *d = &in->defs->records[number];
    merge_record record;
    uint64_t id = 0;
    int kind = definitions_defines(d, &id), is_new = 1;

    if (source_is_interrupted(u->interrupted))
        return tcf_fail("interrupted");
    if (d->kind == TCF_DEF_CLOCK_PROPERTIES)
        return add_clock(u, d);
    if (kind == TCF_REF_LOCATION)
        return add_location(u, d);
    uint32_t index = kind >= 0 ? map_get(&in->names.find, id, (uint64_t)kind) : MAP_ABSENT;
    int defines = index != MAP_ABSENT && u->sides[u->now].record[kind][index] == number;
    if (defines) {
        (void)merge_unite(u, (tcf_ref_kind)kind, index);
        is_new = u->sides[u->now].state[kind][index] == FRESH;
    }
    if (!is_new && !u->failed)
        return TCF_OK;
    if (merge_record_make(d, merge_reference_of, u, &record) != 0)
        merge_fail_memory(u);
    if (!u->failed && !defines) { /* it has no id, or one that is defined already */
        merge_key key = merge_record_key(d->kind, &record, 1);
        if (merge_note_once(&u->once, key.a ^ key.b, u->now, &is_new) != TCF_OK)
            u->failed = 1;
    }
    tcf_status status = u->failed ? TCF_ERROR : is_new ? definitions_add(u->out, d->kind, &record.as) : TCF_OK;
    merge_record_free(&record);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- all of it -- */

static void free_uniter(uniter *u)
{
    for (uint32_t p = 0; u->sides && p < u->n; p++)
        for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
            free(u->sides[p].record[kind]);
            free(u->sides[p].id[kind]);
            free(u->sides[p].state[kind]);
        }
    free(u->sides);
    free(u->slots);
    map_free(&u->by_id);
    map_free(&u->by_key);
    map_free(&u->locations);
    map_free(&u->strays);
    map_free(&u->once.counts);
}

static tcf_status fill_names(uniter *u, uint32_t p)
{
    merge_names *names = &u->inputs[p].names;
    const tcf_definitions *defs = u->inputs[p].defs;

    names->same_indices = names->same_ids = names->all = 1;
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        const tcf_ids *ids = &defs->ids[kind];
        names->index[kind] = malloc((ids->n + 1u) * sizeof *names->index[kind]);
        if (!names->index[kind])
            return merge_fail_memory(u), TCF_ERROR;
        names->all &= ids->n == u->out->v.ids[kind].n;
        for (uint32_t i = 0; i < ids->n; i++) {
            uint64_t id = kind == TCF_REF_LOCATION ? ids->id[i] : u->sides[p].id[kind][i];
            names->index[kind][i] = definitions_find(u->out, (tcf_ref_kind)kind, id);
            names->same_indices &= names->index[kind][i] == i;
            names->same_ids &= id == ids->id[i];
        }
    }
    return TCF_OK;
}

static tcf_status unite_all(uniter *u)
{
    for (uint32_t p = 0; p < u->n; p++) {
        if (source_is_interrupted(u->interrupted))
            return tcf_fail("interrupted");
        if (merge_prepare_side(u, p) != TCF_OK)
            return TCF_ERROR;
    }
    if (merge_unite_clocks(u) != TCF_OK || merge_check_ranks(u) != TCF_OK || merge_unite_archives(u) != TCF_OK)
        return TCF_ERROR;
    for (u->now = 0; u->now < u->n; u->now++)
        for (uint64_t r = 0; r < u->inputs[u->now].defs->n_records; r++)
            if (add_record(u, r) != TCF_OK || u->failed)
                return TCF_ERROR;
    if (definitions_resolve(u->out) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t p = 0; p < u->n; p++)
        if (fill_names(u, p) != TCF_OK)
            return TCF_ERROR;
    return merge_unite_locations(u->out, u->inputs, u->n);
}

definitions *merge_definitions(merge_input *inputs, uint32_t n, const volatile sig_atomic_t *interrupted)
{
    uniter u = {.out = definitions_new(),
                .inputs = inputs,
                .sides = calloc(n, sizeof *u.sides),
                .n = n,
                .interrupted = interrupted};
    tcf_status status = TCF_ERROR;

    if (u.out && u.sides)
        status = unite_all(&u);
    else
        tcf_fail("out of memory for the definitions of %u inputs", n);
    free_uniter(&u);
    if (status == TCF_OK)
        return u.out;
    definitions_delete(u.out);
    return NULL;
}
