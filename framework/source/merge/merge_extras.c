/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Snapshots, markers and thumbnails of several inputs. Snapshots come from the input that has the location's events.
 * Markers and thumbnails of the whole trace stand in each part that was split off it, and are delivered once. */
#include "framework/base/error.h"
#include "merge_internal.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <string.h>

typedef struct extras {
    definitions *defs;
    merge_input *in;
    uint32_t input;
    merge_once once;
    map markers; /* (id, input) -> id in the union; (id, UINT32_MAX) -> input that has taken it */
    map named;   /* (hash, 0) -> id in the union of a marker definition that was delivered */
    uint32_t next_marker;
    void *data;
    tcf_status (*snapshot)(void *data, const tcf_snapshot_record *record);
    tcf_status (*marker)(void *data, const tcf_marker *marker);
    tcf_status (*thumbnail)(void *data, const tcf_thumbnail *thumbnail);
} extras;

static tcf_status each_snapshot(void *data, const tcf_snapshot_record *r)
{
    extras *x = data;
    tcf_snapshot_record record;
    tcf_rec rec;

    if (merge_rewrite_snapshot(x->defs, x->in, r, &record, &rec) != TCF_OK)
        return TCF_ERROR;
    return x->snapshot(x->data, &record);
}

tcf_status merge_snapshots(definitions *d, merge_input *in, uint32_t location,
                           tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data)
{
    extras x = {.defs = d, .in = in, .data = data, .snapshot = each};
    return source_snapshots(in->src, in->local[location], each_snapshot, &x);
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = map_hash(h, (uint8_t)*text);
    return map_hash(h, UINT64_MAX);
}

/* ------------------------------------------------------------------------------------------------------- markers -- */

static tcf_status no_memory(void)
{
    return error_fail("out of memory for markers or thumbnails");
}

/* The marker's id in the union: its own, unless another input's marker has it. */
static uint32_t new_marker(extras *x, uint32_t id)
{
    uint32_t taken_by = map_get(&x->markers, id, UINT32_MAX);

    if (taken_by != MAP_ABSENT && taken_by != x->input)
        while (map_get(&x->markers, id = x->next_marker++, UINT32_MAX) != MAP_ABSENT)
            ;
    return id;
}

static tcf_status define_marker(extras *x, const tcf_marker *m)
{
    tcf_marker to = *m;
    uint64_t hash = map_hash(hash_text(hash_text(m->severity, m->group), m->category), m->marker);
    int is_new;

    if (merge_note_once(&x->once, hash, x->input, &is_new) != TCF_OK)
        return TCF_ERROR;
    if (m->marker == UINT32_MAX) /* the undefined id is the same in all inputs */
        return is_new ? x->marker(x->data, m) : TCF_OK;
    to.marker = is_new ? new_marker(x, m->marker) : map_get(&x->named, hash, 0);
    if (map_put(&x->markers, m->marker, x->input, to.marker) != 0)
        return no_memory();
    if (!is_new)
        return TCF_OK;
    if (map_put(&x->markers, to.marker, UINT32_MAX, x->input) != 0 || map_put(&x->named, hash, 0, to.marker) != 0)
        return no_memory();
    return x->marker(x->data, &to);
}

static tcf_status each_marker(void *data, const tcf_marker *m)
{
    extras *x = data;

    if (m->definition)
        return define_marker(x, m);
    tcf_marker to = *m;
    uint32_t marker = map_get(&x->markers, m->marker, x->input);
    int kind = tcf_ref_of_marker_scope(m->scope);
    to.marker = marker == MAP_ABSENT ? m->marker : marker;
    to.scope_ref = kind < 0 ? m->scope_ref : merge_id(x->defs, x->in, (tcf_ref_kind)kind, m->scope_ref);
    uint64_t hash = map_hash(map_hash(hash_text(to.marker, to.text), to.time), map_hash(to.duration, to.scope));
    int is_new;
    if (merge_note_once(&x->once, map_hash(hash, to.scope_ref), x->input, &is_new) != TCF_OK)
        return TCF_ERROR;
    return is_new ? x->marker(x->data, &to) : TCF_OK;
}

static void free_extras(extras *x)
{
    map_free(&x->once.counts);
    map_free(&x->markers);
    map_free(&x->named);
}

tcf_status merge_markers(definitions *d, merge_input *inputs, uint32_t n,
                         tcf_status (*each)(void *data, const tcf_marker *marker), void *data)
{
    extras x = {.defs = d, .data = data, .marker = each};
    tcf_status status = TCF_OK;

    for (x.input = 0; x.input < n && status == TCF_OK; x.input++) {
        x.in = &inputs[x.input];
        status = source_markers(x.in->src, each_marker, &x);
    }
    free_extras(&x);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- thumbnails -- */

static int kind_of_thumbnail(uint8_t type)
{
    return type == OTF2_THUMBNAIL_TYPE_REGION       ? TCF_REF_REGION
           : type == OTF2_THUMBNAIL_TYPE_METRIC     ? TCF_REF_METRIC
           : type == OTF2_THUMBNAIL_TYPE_ATTRIBUTES ? TCF_REF_ATTRIBUTE
                                                    : -1;
}

static tcf_status each_thumbnail(void *data, const tcf_thumbnail *t)
{
    extras *x = data;
    tcf_thumbnail to = *t;
    uint64_t *refs = malloc((t->n_metrics + (size_t)1) * sizeof *refs);
    uint64_t hash =
        map_hash(hash_text(hash_text(t->type, t->name), t->description), (uint64_t)t->n_samples << 32 | t->n_metrics);
    int kind = kind_of_thumbnail(t->type);

    if (!refs)
        return no_memory();
    for (uint32_t i = 0; i < t->n_metrics; i++) {
        refs[i] = kind < 0 ? t->refs[i] : merge_id(x->defs, x->in, (tcf_ref_kind)kind, t->refs[i]);
        hash = map_hash(hash, refs[i]);
    }
    for (uint32_t i = 0; i < t->n_samples; i++)
        hash = map_hash(hash, t->baseline[i]);
    for (uint64_t i = 0; i < (uint64_t)t->n_samples * t->n_metrics; i++)
        hash = map_hash(hash, t->samples[i]);
    to.refs = refs;
    int is_new;
    tcf_status status = merge_note_once(&x->once, hash, x->input, &is_new);
    if (status == TCF_OK && is_new)
        status = x->thumbnail(x->data, &to);
    free(refs);
    return status;
}

tcf_status merge_thumbnails(definitions *d, merge_input *inputs, uint32_t n,
                            tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data)
{
    extras x = {.defs = d, .data = data, .thumbnail = each};
    tcf_status status = TCF_OK;

    for (x.input = 0; x.input < n && status == TCF_OK; x.input++) {
        x.in = &inputs[x.input];
        status = source_thumbnails(x.in->src, each_thumbnail, &x);
    }
    free_extras(&x);
    return status;
}
