/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The source of streams, which stream_write of another tcflow writes; doc/stream-format.md describes them.
 *
 * Events come in the order of the stream. Windows of other locations than the one that is read wait, packed as they
 * are, up to `memory` bytes; beyond it the oldest is delivered first (source_next()). A stream is whole when its end
 * frame has come and its counts agree. A cut or damaged stream is an error; with `salvage` it ends at the damage. */
#include "framework/base/error.h"
#include "stream_internal.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { FRAMES_AT_A_TIME = 16 };

/* The operations of source.h get the source's base, which is its first member. */

/* ------------------------------------------------------------------------------------------------------- reading -- */

/* The location of the oldest window that waits; UINT32_MAX: none waits. */
static uint32_t oldest(const stream_source *src)
{
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        const stream_location *l = &src->locations[i];
        if (l->head && (found == UINT32_MAX || l->head->number < src->locations[found].head->number))
            found = i;
    }
    return found;
}

/* A location whose end has come and wasn't delivered; UINT32_MAX: none. */
static uint32_t undelivered_end(const stream_source *src)
{
    for (uint32_t i = 0; i < src->defs->v.n_locations; i++)
        if (src->locations[i].end_received && !src->locations[i].end_delivered && !src->locations[i].head)
            return i;
    return UINT32_MAX;
}

static int ready_(const source *s)
{
    const stream_source *src = (const stream_source *)s;
    return src->over || src->waiting > 0 || (src->n_ended > src->n_delivered && undelivered_end(src) != UINT32_MAX) ||
           src->is_whole || stream_input_ready(&src->input);
}

/* The location of the oldest window, else of the next frame. In a group UINT32_MAX may mean "nothing at the moment": a
 * stream that brings frontiers only must not block the others. */
static tcf_status next_of_any(stream_source *src, uint32_t *location)
{
    for (uint32_t n = 0;; n++) {
        *location = src->waiting > 0 ? oldest(src) : UINT32_MAX;
        if (*location == UINT32_MAX && src->n_ended > src->n_delivered)
            *location = undelivered_end(src);
        if (*location != UINT32_MAX || src->over || src->n_delivered == src->defs->v.n_locations)
            return TCF_OK;
        if (src->input.group && n > 0 && (n == FRAMES_AT_A_TIME || !stream_input_ready(&src->input)))
            return TCF_OK;
        if (stream_advance(src) != TCF_OK)
            return TCF_ERROR;
    }
}

static tcf_status next_(source *s, uint32_t *location)
{
    stream_source *src = (stream_source *)s;

    if (*location == UINT32_MAX)
        return next_of_any(src, location);
    if (src->locations[*location].head)
        return TCF_OK;
    /* The chain may be waiting for the end of another location, while nothing comes of this one. */
    uint32_t other = src->waiting > src->options.memory ? oldest(src)
                     : src->n_ended > src->n_delivered  ? undelivered_end(src)
                                                        : UINT32_MAX;
    if (other != UINT32_MAX)
        *location = other;
    return TCF_OK;
}

/* Reads events of the location's first window. */
static tcf_status deliver(stream_source *src, stream_location *l, slice *s, uint32_t max)
{
    frame *f = l->head;
    uint32_t at = s->v.n;

    if (stream_read_window(src, f, s, max) != TCF_OK)
        return TCF_ERROR;
    if (s->v.n > at && s->v.time[at] < l->last_time)
        return stream_bad(src, f, "a time that goes back");
    if (s->v.n > 0)
        l->last_time = s->v.time[s->v.n - 1];
    if (f->window.done < f->window.n)
        return TCF_OK;
    l->head = f->next;
    if (!l->head)
        l->tail = NULL;
    src->waiting -= stream_window_bytes(f);
    f->next = NULL;
    if (src->used_up)
        stream_release_frame(src, src->used_up);
    src->used_up = f; /* the columns of its edges are still to be read */
    return TCF_OK;
}

/* May the location's next window be appended to the slice? A writer with small windows then needs no larger pool. */
static int joins(const stream_source *src, const stream_location *l, const slice *s, uint32_t room)
{
    const window *w = l->head ? &l->head->window : NULL;

    for (uint32_t i = 0; i < src->n_columns; i++)
        if (src->columns[i].wanted && src->columns[i].at_edges)
            return 0;
    return w && w->done == 0 && w->n > 0 && w->n <= room && w->first == s->v.first + s->v.n && !slice_arena_full(s);
}

static tcf_status fill(stream_source *src, stream_location *l, slice *s, uint32_t room)
{
    do {
        uint32_t before = s->v.n;
        if (deliver(src, l, s, room) != TCF_OK)
            return TCF_ERROR;
        room -= s->v.n - before;
    } while (joins(src, l, s, room));
    return TCF_OK;
}

static tcf_status read_(source *base, uint32_t location, slice *s, uint32_t max, int *ended)
{
    stream_source *src = (stream_source *)base;
    stream_location *l = &src->locations[location];
    uint32_t room = s->block->capacity - (uint32_t)(s->v.time - s->block->time) - s->v.n;

    *ended = 0;
    src->last_frame = NULL;
    src->kept.n_edges = src->kept.n_kinds = 0;
    if (src->used_up)
        stream_release_frame(src, src->used_up);
    src->used_up = NULL;
    uint64_t frontier = l->frontier;
    uint32_t n_ended = src->n_ended,
             left = src->input.group ? FRAMES_AT_A_TIME : UINT32_MAX; /* another input may have the location */
    for (; !l->head && !l->end_received && l->frontier == frontier && src->n_ended == n_ended &&
           src->waiting <= src->options.memory && left > 0;
         left--)
        if (src->yields && left < FRAMES_AT_A_TIME && !stream_can_advance(src))
            left = 1; /* another stream may be full meanwhile */
        else if (stream_advance(src) != TCF_OK)
            return TCF_ERROR;
    if (l->head && fill(src, l, s, max < room ? max : room) != TCF_OK)
        return error_while("reading location %llu of %s", (unsigned long long)src->defs->v.locations[location].id,
                           src->input.name);
    *ended = !l->head && l->end_received;
    src->n_delivered += *ended && !l->end_delivered;
    l->end_delivered = (uint8_t)*ended;
    return TCF_OK;
}

/* The frontier is behind the windows that wait. */
static uint64_t frontier_(const source *s, uint32_t location)
{
    const stream_location *l = &((const stream_source *)s)->locations[location];
    return l->head ? l->last_time : l->frontier;
}

/* Is there something behind the end? Of a file that is known. Whoever puts streams into a pipe one behind another
 * (cat) does so within a moment; a writer closes it then, or may have it open for longer. */
static int has_more(const stream_input *in)
{
    enum { MOMENT_MS = 1000 };
    struct pollfd wait = {.fd = in->fd, .events = POLLIN};
    char byte;

    if (in->total > 0)
        return in->total > in->bytes - in->queue_n;
    if (in->token) /* it is sealed up to its end: what comes behind is somebody else's */
        return 0;
    return in->queue_n > 0 || (in->fd >= 0 && poll(&wait, 1, MOMENT_MS) > 0 && read(in->fd, &byte, 1) > 0);
}

static tcf_status finish_(source *s)
{
    stream_source *src = (stream_source *)s;

    while (!src->over)
        if (stream_advance(src) != TCF_OK)
            return error_while("looking for the end of %s", src->input.name);
    if (src->base.n_losses == 0 && has_more(&src->input))
        return stream_cut(src, "there is something behind its end");
    return TCF_OK;
}

int stream_source_depends(const source *s)
{
    return ((const stream_source *)s)->depends;
}

tcf_status stream_source_regroup(source *s, stream_group *g)
{
    stream_source *src = (stream_source *)s;

    src->yields = 1;
    return stream_group_add(g, &src->input);
}

int stream_source_has(source *s, uint32_t location)
{
    stream_source *src = (stream_source *)s;
    const stream_location *l = &src->locations[location];

    return src->over || l->head || (l->end_received && !l->end_delivered) || stream_can_advance(src);
}

tcf_status stream_source_take_ahead(source *s, int *is_full)
{
    stream_source *src = (stream_source *)s;

    while (!src->over && src->waiting <= src->options.memory && stream_queue_is_full(&src->input) &&
           stream_can_advance(src))
        if (stream_advance(src) != TCF_OK)
            return TCF_ERROR;
    *is_full = src->waiting > src->options.memory;
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------- operations of source.h -- */

static void close_(source *s)
{
    stream_source *src = (stream_source *)s;

    for (uint32_t i = 0; src->locations && i < src->defs->v.n_locations; i++)
        stream_free_frames(src->locations[i].head);
    stream_free_frames(src->free_frames);
    stream_free_frames(src->coming);
    stream_free_frames(src->used_up);
    stream_free_extras(src);
    stream_input_close(&src->input);
    definitions_delete(src->defs);
    free((void *)src->base.facts.learned);
    free(src->locations);
    free(src->altered);
    free(src->snapshots);
    free(src->base.losses);
    free(src->kinds);
    free(src->edges);
    free(src);
}

void stream_free_extras(stream_source *src)
{
    for (uint32_t i = 0; src->snapshots && i < src->defs->v.n_locations; i++)
        stream_free_frames(src->snapshots[i].first);
    stream_free_frames(src->markers.first);
    stream_free_frames(src->thumbnails.first);
}

static void progress_(const source *s, uint64_t *bytes, uint64_t *total)
{
    const stream_source *src = (const stream_source *)s;
    *bytes = src->input.bytes;
    *total = src->input.total;
}

static const prematched_edges *edges_(const source *s)
{
    const stream_source *src = (const stream_source *)s;
    return src->has_edges && src->options.edges ? &src->kept : NULL;
}

static int column_(source *s, const char *name, uint32_t bytes, int at_edges, uint32_t number)
{
    stream_source *src = (stream_source *)s;

    for (uint32_t i = 0; i < src->n_columns; i++) {
        stream_column *c = &src->columns[i];
        if (strcmp(c->name, name) != 0 || c->bytes != bytes || c->at_edges != (at_edges != 0) ||
            (c->at_edges && !(src->has_edges && src->options.edges)) ||
            (src->input.other_order && bytes != sizeof(uint64_t))) /* such columns are copies of the writer's memory */
            continue;
        c->wanted = 1;
        c->number = number;
        return 1;
    }
    return 0;
}

static void on_idle_(source *s, tcf_status (*idle)(void *data), void *data)
{
    stream_source *src = (stream_source *)s;
    src->input.idle = idle;
    src->input.idle_data = data;
}

static uint64_t unknown_events_(const source *s)
{
    return ((const stream_source *)s)->unknown_before;
}

/* Drops what has come of the location so far. */
static tcf_status reject_location_(source *s, uint32_t location, const char *owner)
{
    stream_source *src = (stream_source *)s;
    stream_location *l = &src->locations[location];

    if (l->events > 0)
        return source_fail_overlap(&src->defs->v.locations[location], owner, src->input.name);
    for (frame *f = l->head, *next; f; f = next) {
        next = f->next;
        src->waiting -= stream_window_bytes(f);
        stream_release_frame(src, f);
    }
    l->head = l->tail = NULL;
    l->owner = owner;
    l->end_delivered |= l->end_received;
    return TCF_OK;
}

static const source_ops operations = {.close = close_,
                                      .read = read_,
                                      .progress = progress_,
                                      .next = next_,
                                      .frontier = frontier_,
                                      .edges = edges_,
                                      .edge_columns = stream_edge_columns,
                                      .column = column_,
                                      .finish = finish_,
                                      .on_idle = on_idle_,
                                      .reject_location = reject_location_,
                                      .ready = ready_,
                                      .unknown_events = unknown_events_,
                                      .snapshots = stream_snapshots,
                                      .markers = stream_markers,
                                      .thumbnails = stream_thumbnails};

/* Fails without all definitions, even with `salvage`. */
static tcf_status read_definitions(stream_source *src)
{
    frame f = {0};
    tcf_status status = TCF_OK;

    do {
        input_state state = stream_input_next(&src->input, &f, 1);
        if (state == INPUT_FRAME && f.type == TCF_FRAME_ABORT)
            status = error_fail("its writer has aborted; see its messages for the reason");
        else if (state == INPUT_FRAME)
            status = stream_take_definition(src, &f);
        else
            status = state == INPUT_DAMAGED ? error_fail("%s is not whole: %s", src->input.name, src->input.damage)
                                            : TCF_ERROR;
    } while (status == TCF_OK && f.type != TCF_FRAME_READY);
    free(f.bytes);
    return status == TCF_OK ? TCF_OK : error_while("reading the definitions of the stream");
}

static stream_source *make(const source_options *options)
{
    stream_source *src = calloc(1, sizeof *src);

    if (!src) {
        error_fail("out of memory");
        return NULL;
    }
    src->base.ops = &operations;
    src->options = *options;
    src->input.fd = src->input.listener = -1;
    src->defs = definitions_new();
    if (!src->defs) {
        free(src);
        return NULL;
    }
    src->base.definitions = &src->defs->v;
    return src;
}

source *stream_source_prepare(const char *input, const source_options *options, stream_group *g)
{
    stream_source *src = make(options);

    if (!src)
        return NULL;
    src->input.interrupted = options->interrupted;
    if (stream_input_open(&src->input, input, options->token, g) == TCF_OK)
        return &src->base;
    close_(&src->base);
    return NULL;
}

tcf_status stream_source_begin(source *s)
{
    stream_source *src = (stream_source *)s;
    char *file = NULL;

    if (stream_input_start(&src->input) != TCF_OK)
        return TCF_ERROR;
    if (src->input.total > 0 && (file = stream_input_file(&src->input)) != NULL &&
        source_add_input(s, src->defs, file) != TCF_OK) {
        free(file);
        return TCF_ERROR;
    }
    free(file);
    return read_definitions(src);
}

source *stream_source_open(const char *input, const source_options *options)
{
    source *src = stream_source_prepare(input, options, NULL);

    if (!src || stream_source_begin(src) == TCF_OK)
        return src;
    close_(src);
    return NULL;
}
