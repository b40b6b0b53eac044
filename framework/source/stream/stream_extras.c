/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Snapshots, markers and thumbnails of a stream. They are kept as frames and unpacked on demand. */
#include "framework/base/error.h"
#include "stream_internal.h"

static tcf_status keep(stream_source *src, stream_extra *list, frame *f)
{
    uint8_t *shrunk = realloc(f->bytes, f->n + 1); /* its buffer may have held a large window before */
    f->bytes = shrunk ? shrunk : f->bytes;
    f->capacity = shrunk ? f->n + 1 : f->capacity;
    src->extra_bytes += sizeof *f + f->capacity;
    if (src->extra_bytes > src->options.memory)
        return error_fail("%s has more than %llu MiB of snapshots, markers and thumbnails: raise memory in [pipeline]",
                          src->input.name, (unsigned long long)(src->options.memory >> 20));
    if (list->last)
        list->last->next = f;
    else
        list->first = f;
    list->last = f;
    return TCF_OK;
}

tcf_status stream_take_extra(stream_source *src, frame *f)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};

    if (f->type == TCF_FRAME_MARKER)
        return keep(src, &src->markers, f);
    if (f->type == TCF_FRAME_THUMBNAIL)
        return keep(src, &src->thumbnails, f);
    uint64_t location = tcf_get_varint(&c);
    if (c.bad || location >= src->defs->v.n_locations)
        return stream_bad(src, f, "a snapshot of no location");
    if (src->locations[location].owner) {
        stream_release_frame(src, f);
        return TCF_OK;
    }
    return keep(src, &src->snapshots[location], f);
}

/* ----------------------------------------------------------------------------------------------------- snapshots -- */

static tcf_status unpack_snapshot(stream_source *src, const frame *f, slice *s, tcf_snapshot_record *r)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};

    s->block->arena_used = 8;
    r->location = (uint32_t)tcf_get_varint(&c);
    r->kind = tcf_get_u8(&c);
    r->snapshot_time = tcf_get_varint(&c);
    r->event_time = tcf_get_varint(&c);
    if (r->kind == 0 || r->kind == UINT8_MAX)
        s->v.rec[0].program_end.exit_status = tcf_unzigzag(tcf_get_varint(&c));
    else
        stream_get_record(src->defs, &c, r->kind, &s->v.rec[0], s);
    uint32_t attributes = stream_get_attributes(src->defs, &c, s);
    r->rec = &s->v.rec[0];
    r->attributes = attributes ? tcf_at(&s->v, attributes) : NULL;
    r->arena = &s->v;
    return stream_whole(src, f, &c);
}

tcf_status stream_snapshots(source *base, uint32_t location, source_each_snapshot each, void *data)
{
    stream_source *src = (stream_source *)base;
    slice_layout layout = {.capacity = 1, .arena = 4096};
    tcf_snapshot_record record;
    tcf_status status = TCF_OK;

    if (!src->snapshots[location].first)
        return TCF_OK;
    pool *p = pool_new(&layout, 1);
    if (!p)
        return TCF_ERROR;
    slice *s = slice_get(p, location);
    for (const frame *f = src->snapshots[location].first; f && status == TCF_OK; f = f->next) {
        status = unpack_snapshot(src, f, s, &record);
        if (status == TCF_OK)
            status = each(data, &record);
    }
    slice_put(p, s);
    pool_delete(p);
    return status;
}

/* ------------------------------------------------------------------------------------------- markers, thumbnails -- */

static tcf_status unpack_marker(stream_source *src, const frame *f, stream_scratch *t, tcf_marker *m)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};

    *m = (tcf_marker){.definition = tcf_get_u8(&c) != 0};
    m->marker = (uint32_t)tcf_get_most(&c, UINT32_MAX);
    if (m->definition) {
        m->group = stream_scratch_text(&c, t);
        m->category = stream_scratch_text(&c, t);
        m->severity = tcf_get_u8(&c);
    } else {
        m->time = tcf_get_varint(&c);
        m->duration = tcf_get_varint(&c);
        m->scope = tcf_get_u8(&c);
        m->scope_ref = tcf_get_varint(&c);
        m->text = stream_scratch_text(&c, t);
    }
    return stream_whole(src, f, &c);
}

static void get_numbers(tcf_cursor *c, uint64_t *to, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        to[i] = tcf_get_varint(c);
}

static tcf_status unpack_thumbnail(stream_source *src, const frame *f, stream_scratch *t, uint64_t *numbers,
                                   tcf_thumbnail *to)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};

    *to = (tcf_thumbnail){0};
    to->name = stream_scratch_text(&c, t);
    to->description = stream_scratch_text(&c, t);
    to->type = tcf_get_u8(&c);
    to->n_samples = (uint32_t)tcf_get_most(&c, tcf_left(&c));
    to->n_metrics = (uint32_t)tcf_get_most(&c, tcf_left(&c));
    uint64_t cells = (uint64_t)to->n_samples * to->n_metrics;
    if (c.bad || cells > tcf_left(&c) || (uint64_t)to->n_samples + to->n_metrics > tcf_left(&c) - cells)
        return stream_bad(src, f, "a thumbnail that is too short");
    to->refs = numbers;
    to->baseline = numbers + to->n_metrics;
    to->samples = to->baseline + to->n_samples;
    get_numbers(&c, numbers, to->n_metrics + (uint64_t)to->n_samples + cells);
    return stream_whole(src, f, &c);
}

/* Unpacks the markers, or thumbnails, one by one. Texts need bytes for their ends and for alignment. */
static tcf_status unpack_all(stream_source *src, const stream_extra *list, source_each_marker marker,
                             source_each_thumbnail thumbnail, void *data)
{
    tcf_status status = TCF_OK;
    tcf_marker m;
    tcf_thumbnail t;

    for (const frame *f = list->first; f && status == TCF_OK; f = f->next) {
        stream_scratch texts = {.at = malloc(f->n + 32)};
        uint64_t *numbers = malloc((f->n + 1) * sizeof *numbers);
        status = !texts.at || !numbers ? error_fail("out of memory for markers and thumbnails")
                 : marker              ? unpack_marker(src, f, &texts, &m)
                                       : unpack_thumbnail(src, f, &texts, numbers, &t);
        if (status == TCF_OK)
            status = marker ? marker(data, &m) : thumbnail(data, &t);
        free(texts.at);
        free(numbers);
    }
    return status;
}

tcf_status stream_markers(source *base, source_each_marker each, void *data)
{
    stream_source *src = (stream_source *)base;
    return unpack_all(src, &src->markers, each, NULL, data);
}

tcf_status stream_thumbnails(source *base, source_each_thumbnail each, void *data)
{
    stream_source *src = (stream_source *)base;
    return unpack_all(src, &src->thumbnails, NULL, each, data);
}
