/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sorts the frames of a stream by type and checks each against what came before. Where a stream is cut, that is an
 * error, or with `salvage` a loss. */
#include "framework/base/error.h"
#include "stream_internal.h"

/* -------------------------------------------------------------------------------------------------------- frames -- */

static frame *take_frame(stream_source *src)
{
    frame *f = src->free_frames;

    if (f)
        src->free_frames = f->next;
    else if (!(f = calloc(1, sizeof *f)))
        error_fail("out of memory for a frame of the stream");
    if (f) {
        f->next = NULL;
        f->come = 0;
    }
    return f;
}

/* -------------------------------------------------------------------------------------------------------- damage -- */

tcf_status stream_cut(stream_source *src, const char *reason)
{
    uint32_t open = src->defs->v.n_locations - src->n_ended;

    if (!src->options.salvage)
        return error_fail(
            "%s is not whole: %s, after %llu events; %u of %u locations have no end; 'salvage = yes' keeps what "
            "came before",
            src->input.name, reason, (unsigned long long)src->events, open, src->defs->v.n_locations);
    src->over = 1;
    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        stream_location *l = &src->locations[i];
        /* Where all locations have ended, records behind the events are missing: that is noted once, at the first
         * location. */
        if ((!l->end_received || (open == 0 && i == 0)) &&
            source_note_loss(&src->base, src->defs, (source_loss){i, l->events, src->input.name, reason}) != TCF_OK)
            return TCF_ERROR;
        l->end_received = 1;
        l->end_delivered |= l->owner != NULL;
    }
    src->n_ended = src->defs->v.n_locations;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------- what comes in -- */

uint64_t stream_window_bytes(const frame *f)
{
    return sizeof *f + f->capacity;
}

static void append(stream_source *src, stream_location *l, frame *f)
{
    if (l->tail)
        l->tail->next = f;
    else
        l->head = f;
    l->tail = f;
    src->waiting += stream_window_bytes(f);
}

/* Windows of a rejected location may mark dropped records, but have no events. */
static tcf_status take_rejected(const stream_source *src, const frame *f)
{
    const stream_location *l = &src->locations[f->window.location];
    return f->window.n == 0
               ? TCF_OK
               : source_fail_overlap(&src->defs->v.locations[f->window.location], l->owner, src->input.name);
}

static tcf_status take_window(stream_source *src, frame *f, int *kept)
{
    if (stream_open_window(src, f) != TCF_OK)
        return TCF_ERROR;
    stream_location *l = &src->locations[f->window.location];
    if (l->end_received)
        return stream_bad(src, f, "events behind the end of their location");
    *kept = l->owner == NULL;
    if (l->owner)
        return take_rejected(src, f);
    l->events += f->window.n;
    src->events += f->window.n;
    append(src, l, f);
    return TCF_OK;
}

static tcf_status take_frontiers(stream_source *src, const frame *f)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};

    for (uint64_t location = 0; tcf_left(&c) > 0;) {
        location += tcf_get_most(&c, UINT32_MAX);
        uint64_t time = tcf_get_varint(&c);
        if (c.bad || location >= src->defs->v.n_locations)
            return stream_bad(src, f, "a frontier of no location");
        stream_location *l = &src->locations[location];
        if (time > l->frontier)
            l->frontier = time;
    }
    return TCF_OK;
}

static tcf_status take_altered(stream_source *src, const frame *f)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};
    uint64_t location = tcf_get_varint(&c),
             how = tcf_get_most(&c, TCF_ALTERED_EVENTS | TCF_ALTERED_MATCHES | TCF_ALTERED_ALL);

    if (c.bad || tcf_left(&c) > 0 || location >= src->defs->v.n_locations)
        return stream_bad(src, f, "changes of no location");
    src->altered[location] |= (uint8_t)how;
    return TCF_OK;
}

static tcf_status take_location_end(stream_source *src, const frame *f)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};
    uint64_t location = tcf_get_varint(&c), events = tcf_get_varint(&c);

    if (c.bad || location >= src->defs->v.n_locations || src->locations[location].end_received)
        return stream_bad(src, f, "the end of no location");
    if (events != src->locations[location].events)
        return stream_bad(src, f, "another number of events of a location than came");
    src->locations[location].end_received = 1;
    src->locations[location].end_delivered |=
        src->locations[location].owner != NULL; /* a rejected location isn't read */
    src->n_ended++;
    return TCF_OK;
}

static tcf_status take_losses(stream_source *src, const frame *f, tcf_cursor *c)
{
    uint64_t n = tcf_get_varint(c);

    for (uint64_t i = 0; i < n && !c->bad; i++) {
        uint64_t location = tcf_get_varint(c), good = tcf_get_varint(c);
        const char *file = stream_keep_text(src->defs, c), *reason = stream_keep_text(src->defs, c);
        if (!c->bad && (!file || !reason))
            return TCF_ERROR;
        if (c->bad || location >= src->defs->v.n_locations)
            return stream_bad(src, f, "a loss of no location");
        source_loss loss = {(uint32_t)location, good, file, reason};
        if (source_note_loss(&src->base, src->defs, loss) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status take_end(stream_source *src, const frame *f)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};
    uint64_t events = tcf_get_varint(&c);

    src->base.facts.changed = (uint32_t)tcf_get_most(&c, UINT32_MAX);
    src->unknown_before = tcf_get_varint(&c);
    if (stream_take_properties(src->defs, &c, &src->base.facts.properties, &src->base.facts.n_properties) != TCF_OK ||
        take_losses(src, f, &c) != TCF_OK)
        return TCF_ERROR;
    if (c.bad || tcf_left(&c) > 0)
        return stream_bad(src, f, "an end that is too long or too short");
    if (src->n_ended < src->defs->v.n_locations)
        return stream_bad(src, f, "the end of the stream before that of its locations");
    if (events != src->events)
        return stream_bad(src, f, "another number of events than came");
    src->over = 1;
    return TCF_OK;
}

/* *kept: the frame stays in a list; else it is free again. */
static tcf_status take(stream_source *src, frame *f, int *kept)
{
    *kept = f->type == TCF_FRAME_WINDOW || (f->type >= TCF_FRAME_SNAPSHOT && f->type <= TCF_FRAME_THUMBNAIL);
    switch (f->type) {
    case TCF_FRAME_WINDOW:
        return take_window(src, f, kept);
    case TCF_FRAME_FRONTIERS:
        return take_frontiers(src, f);
    case TCF_FRAME_LOCATION_END:
        return take_location_end(src, f);
    case TCF_FRAME_ALTERED:
        return take_altered(src, f);
    case TCF_FRAME_SNAPSHOT:
    case TCF_FRAME_MARKER:
    case TCF_FRAME_THUMBNAIL:
        return stream_take_extra(src, f);
    case TCF_FRAME_END:
        return take_end(src, f);
    case TCF_FRAME_ABORT:
        return stream_cut(
            src, "its writer has aborted (its run failed or was interrupted; see its messages for the reason)");
    default:
        return stream_bad(src, f, "a type that this version does not know");
    }
}

int stream_can_advance(stream_source *src)
{
    if (!src->coming && !stream_input_ready(&src->input))
        return 0;
    if (!src->coming)
        src->coming = take_frame(src);
    if (!src->coming || src->is_whole)
        return 1;
    const input_state state = stream_input_next(&src->input, src->coming, 0);
    src->is_whole = state == INPUT_FRAME;
    return state != INPUT_PARTLY;
}

tcf_status stream_advance(stream_source *src)
{
    frame *f = src->coming ? src->coming : take_frame(src);
    const int is_whole = src->is_whole;
    int kept = 0;

    src->coming = NULL;
    src->is_whole = 0;
    if (!f)
        return TCF_ERROR;
    input_state state = is_whole ? INPUT_FRAME : stream_input_next(&src->input, f, 1);
    tcf_status status = state == INPUT_FRAME     ? take(src, f, &kept)
                        : state == INPUT_DAMAGED ? stream_cut(src, src->input.damage)
                                                 : TCF_ERROR;
    if (status != TCF_OK || !kept)
        stream_release_frame(src, f);
    return status;
}
