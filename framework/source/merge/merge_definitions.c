/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Unites the definitions of several inputs.
 *
 * The first input's records are copied; of each further input those follow, in their order, that define something new
 * (merge_same.c). Records that a trace has once (the clock, a location) are united into one. Then each input's indices
 * and ids are mapped to those of the union. */
#include "framework/base/error.h"
#include "merge_unite.h"
#include <tcflow/grow.h>

#include <string.h>

/* ------------------------------------------------------------------------------------------------------- records -- */

/* Adds the first clock properties as those of all inputs; further ones of the first input are copied. */
static tcf_status add_clock(merger *u, const tcf_definition *d)
{
    tcf_def_clock_properties clock =
        u->has_clock || u->clock.timer_resolution == 0 ? *d->as.def_clock_properties : u->clock;

    if (u->has_clock && u->now > 0)
        return TCF_OK;
    if (u->inputs[u->now].defs->n_locations == 0 && u->clock.timer_resolution != 0)
        return TCF_OK;                                                          /* another input has the clock */
    if (clock.timer_resolution != d->as.def_clock_properties->timer_resolution) /* 0 is read as 1 */
        clock.timer_resolution = d->as.def_clock_properties->timer_resolution;
    u->has_clock = 1;
    return definitions_add(u->out, TCF_DEF_CLOCK_PROPERTIES, &clock);
}

/* Adds a location. Locations with one id are the same; an input without its events may state fewer. */
static tcf_status add_location(merger *u, const tcf_definition *d)
{
    const tcf_def_location *l = d->as.def_location;
    uint32_t found = map_get(&u->locations, l->self, 0);
    merge_record record;

    if (found != MAP_ABSENT) {
        tcf_def_location *before = (tcf_def_location *)u->out->records[found].as.def_location; /* the union's own */
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

static tcf_status add_record(merger *u, uint64_t number)
{
    const merge_input *in = &u->inputs[u->now];
    const tcf_definition *d = &in->defs->records[number];
    merge_record record;
    uint64_t id = 0;
    int kind = definitions_defines(d, &id), is_new = 1;

    if (source_is_interrupted(u->interrupted))
        return error_fail("interrupted");
    if (d->kind == TCF_DEF_CLOCK_PROPERTIES)
        return add_clock(u, d);
    if (kind == TCF_REF_LOCATION)
        return add_location(u, d);
    uint32_t index = kind >= 0 ? map_get(&in->names.find, id, (uint64_t)kind) : MAP_ABSENT;
    int defines = index != MAP_ABSENT && u->states[u->now].record[kind][index] == number;
    if (defines) {
        (void)merge_unite(u, (tcf_ref_kind)kind, index);
        is_new = u->states[u->now].state[kind][index] == FRESH;
    }
    if (!is_new && !u->failed)
        return TCF_OK;
    if (merge_record_make(d, merge_reference_of, u, &record) != 0)
        merge_fail_memory(u);
    if (!u->failed && !defines) { /* a record without an id, or a duplicate definition */
        merge_key key = merge_record_key(d->kind, &record, 1);
        if (merge_note_once(&u->once, key.a ^ key.b, u->now, &is_new) != TCF_OK)
            u->failed = 1;
    }
    tcf_status status = u->failed ? TCF_ERROR : is_new ? definitions_add(u->out, d->kind, &record.as) : TCF_OK;
    merge_record_free(&record);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- all of it -- */

static void free_merger(merger *u)
{
    for (uint32_t p = 0; u->states && p < u->n; p++)
        for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
            free(u->states[p].record[kind]);
            free(u->states[p].id[kind]);
            free(u->states[p].state[kind]);
        }
    free(u->states);
    free(u->slots);
    map_free(&u->by_id);
    map_free(&u->by_key);
    map_free(&u->locations);
    map_free(&u->undefined);
    map_free(&u->once.counts);
}

static tcf_status fill_names(merger *u, uint32_t p)
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
            uint64_t id = kind == TCF_REF_LOCATION ? ids->id[i] : u->states[p].id[kind][i];
            names->index[kind][i] = definitions_find(u->out, (tcf_ref_kind)kind, id);
            names->same_indices &= names->index[kind][i] == i;
            names->same_ids &= id == ids->id[i];
        }
    }
    return TCF_OK;
}

static tcf_status unite_all(merger *u)
{
    for (uint32_t p = 0; p < u->n; p++) {
        if (source_is_interrupted(u->interrupted))
            return error_fail("interrupted");
        if (merge_prepare_input(u, p) != TCF_OK)
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
    merger u = {.out = definitions_new(),
                .inputs = inputs,
                .states = calloc(n, sizeof *u.states),
                .n = n,
                .interrupted = interrupted};
    tcf_status status = TCF_ERROR;

    if (u.out && u.states)
        status = unite_all(&u);
    else
        error_fail("out of memory for the definitions of %u inputs", n);
    free_merger(&u);
    if (status == TCF_OK)
        return u.out;
    definitions_delete(u.out);
    return NULL;
}
