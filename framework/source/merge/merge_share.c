/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Shares of a merged source, for domains. A share has a share of each archive; a stream is one, and is read by the
 * source that has all locations of it. What is known of the inputs from the start belongs to the whole source. */
#include "framework/base/error.h"
#include "merge_internal.h"

#include <string.h>

/* Of streams it has to be known whose a location is. Fills merge_input.first. */
static int can_be_shared(merge_source *m)
{
    int streams = 0;

    for (uint32_t p = 0; p < m->n; p++) {
        m->inputs[p].first = TCF_NONE;
        if (!source_is_stream(m->inputs[p].src) && !source_can_be_shared(m->inputs[p].src))
            return 0;
        streams |= source_is_stream(m->inputs[p].src);
    }
    for (uint32_t l = 0; l < m->defs->v.n_locations; l++) {
        const uint32_t p = m->owner[l];
        if (p == MERGE_NOBODY && streams) /* the first event that comes of it says whose it is */
            return 0;
        if (p != MERGE_NOBODY && m->inputs[p].first == TCF_NONE)
            m->inputs[p].first = l;
    }
    return 1;
}

static uint32_t together(const source *base, uint32_t location)
{
    const merge_source *m = (const merge_source *)base;
    const uint32_t p = m->owner[location];

    return p != MERGE_NOBODY && source_is_stream(m->inputs[p].src) ? m->inputs[p].first : location;
}

/* Each stream is in the group of the source that reads it. One without events of any location is the first one's. */
static tcf_status own(source *base, const uint32_t *of, uint32_t domain)
{
    merge_source *m = (merge_source *)base;
    uint32_t streams = 0;

    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        if (!source_is_stream(in->src))
            continue;
        uint64_t bytes;
        source_progress(in->src, &bytes, &in->total);
        in->is_elsewhere = (in->first == TCF_NONE ? 0 : of[in->first]) != domain;
        streams += !in->is_elsewhere;
    }
    if (m->queue == 0)
        return TCF_OK;
    stream_group_delete(m->group);
    if (!(m->group = stream_group_new(streams, m->queue)))
        return TCF_ERROR;
    for (uint32_t p = 0; p < m->n; p++)
        if (source_is_stream(m->inputs[p].src) && !m->inputs[p].is_elsewhere &&
            stream_source_regroup(m->inputs[p].src, m->group) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static int copy_map(map *to, const map *from)
{
    const size_t bytes = (from->mask + (size_t)1) * sizeof *from->entries;

    *to = (map){0};
    if (!from->entries)
        return 0;
    if (!(to->entries = malloc(bytes)))
        return -1;
    memcpy(to->entries, from->entries, bytes);
    to->mask = from->mask;
    to->n = from->n;
    return 0;
}

/* The names of undefined ids are the share's own. */
static int copy_names(merge_names *to, const merge_names *from)
{
    *to = *from;
    to->undefined = to->taken = (map){0};
    to->undefined_capacity = from->n_undefined;
    if (!(to->undefined_ids = malloc((from->n_undefined + (size_t)1) * sizeof *to->undefined_ids)))
        return -1;
    if (from->n_undefined > 0)
        memcpy(to->undefined_ids, from->undefined_ids, from->n_undefined * sizeof *to->undefined_ids);
    return copy_map(&to->undefined, &from->undefined) | copy_map(&to->taken, &from->taken);
}

static tcf_status share_input(const merge_input *whole, merge_input *in)
{
    *in = (merge_input){.src = whole->src,
                        .name = whole->name,
                        .defs = whole->defs,
                        .local = whole->local,
                        .first = whole->first};
    if (copy_names(&in->names, &whole->names) != 0 || !(in->ended = calloc(whole->defs->n_locations + 1u, 1)))
        return error_fail("out of memory for a share of %s", whole->name);
    memcpy(in->ended, whole->ended, whole->defs->n_locations);
    if (source_is_stream(whole->src))
        return TCF_OK;
    in->src = source_share(whole->src);
    in->defs = in->src ? source_definitions(in->src) : NULL;
    return in->src ? TCF_OK : TCF_ERROR;
}

static void close_share(source *base)
{
    merge_source *m = (merge_source *)base;

    stream_group_delete(m->group);
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        map_free(&in->names.undefined);
        map_free(&in->names.taken);
        free(in->names.undefined_ids);
        if (in->src && !source_is_stream(in->src))
            source_close(in->src);
    }
    merge_free(m);
}

static tcf_status fill_share(merge_source *part, const merge_source *whole)
{
    const uint32_t n = whole->defs->v.n_locations;

    part->ops = whole->ops;
    part->ops.close = close_share;
    part->base.facts = whole->base.facts;
    part->base.facts.properties = NULL;
    part->base.facts.n_properties = 0;
    part->owner = whole->owner;
    part->altered = whole->altered;
    part->queue = whole->queue;
    part->next_location = UINT32_MAX;
    part->last = part->n - 1;
    part->end_delivered = calloc(n + 1u, 1);
    part->has_events = calloc(n + 1u, 1);
    if (!(part->defs = definitions_share(whole->defs)))
        return TCF_ERROR;
    part->base.definitions = &part->defs->v;
    if (!part->end_delivered || !part->has_events)
        return error_fail("out of memory for a share of %u inputs", part->n);
    for (uint32_t p = 0; p < part->n; p++)
        if (share_input(&whole->inputs[p], &part->inputs[p]) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static source *share(const source *base)
{
    const merge_source *whole = (const merge_source *)base;
    merge_source *part = merge_new(&whole->options, whole->n);

    if (!part)
        return NULL;
    if (fill_share(part, whole) == TCF_OK)
        return &part->base;
    close_share(&part->base);
    return NULL;
}

static uint64_t bytes_of(const source *base, uint32_t location)
{
    const merge_source *m = (const merge_source *)base;
    const uint32_t p = m->owner[location];
    enum { EVENT_BYTES = 8, LEAST = 1 };

    if (p == MERGE_NOBODY)
        return 0;
    const uint32_t local = m->inputs[p].local[location];
    if (!source_is_stream(m->inputs[p].src))
        return source_bytes(m->inputs[p].src, local);
    const uint64_t events = m->inputs[p].defs->locations[local].events, most = UINT64_MAX >> 32;
    return LEAST + EVENT_BYTES * (events < most ? events : most); /* as its archive has stated, which may be wrong */
}

void merge_allow_shares(merge_source *m)
{
    if (!can_be_shared(m))
        return;
    m->ops.share = share;
    m->ops.bytes = bytes_of;
    m->ops.together = together;
    m->ops.own = own;
}
