/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The source of a harness: delivers the events that were fed, cut as tcfh_cut() says. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

void tcfh_cut(tcfh *h, uint64_t seed)
{
    h->cut = seed;
}

void tcfh_fail_reading(tcfh *h, uint32_t location, uint64_t event)
{
    h->failing_location = location;
    h->failing_event = event;
}

static uint32_t draw(tcfh *h, uint32_t below)
{
    h->random = h->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(h->random >> 33) % below;
}

static tcf_status append(slice *s, const struct input *in)
{
    uint32_t i = s->v.n, at = 0;
    s->v.time[i] = in->time;
    s->v.kind[i] = in->kind;
    s->v.rec[i] = in->rec;
    s->v.attr[i] = 0;
    if (in->attributes) {
        size_t bytes = sizeof *in->attributes + in->attributes->n * sizeof in->attributes->at[0];
        if (!(at = slice_arena(s, bytes)))
            return error_fail("out of memory");
        memcpy(tcf_at(&s->v, at), in->attributes, bytes);
        s->v.attr[i] = at;
    }
    if (in->kind == TCF_METRIC) {
        if (!(at = slice_arena(s, 16)))
            return error_fail("out of memory");
        memcpy(tcf_at(&s->v, at), &in->value, 8);
        memcpy(tcf_at(&s->v, at + 8), &in->type, 1);
        s->v.rec[i].metric.metric_values = at;
        s->v.rec[i].metric.type_ids = at + 8;
    }
    s->v.n++;
    return TCF_OK;
}

static tcf_status feed_read(source *src, uint32_t location, slice *s, uint32_t max, int *ended)
{
    struct feed *f = (struct feed *)src;
    const struct lane *l = &f->h->lanes[location];
    if (f->h->cut)
        max = draw(f->h, 8) == 0 ? 0 : 1 + draw(f->h, max);
    for (; f->at[location] < l->n && max > 0 && !slice_arena_full(s); max--) {
        if (location == f->h->failing_location && f->at[location] == f->h->failing_event)
            return error_fail("event %llu cannot be read", (unsigned long long)f->h->failing_event);
        if (append(s, &l->in[f->at[location]++]) != TCF_OK)
            return TCF_ERROR;
    }
    *ended = f->at[location] == l->n && (!f->h->cut || draw(f->h, 2) == 0);
    return TCF_OK;
}

static void feed_close(source *src)
{
    free(src);
}

static const tcf_definitions *feed_definitions(const source *src)
{
    return &((const struct feed *)src)->h->defs->v;
}

static void feed_close_location(source *src, uint32_t location)
{
    (void)src, (void)location;
}

static tcf_status feed_rewind(source *src)
{
    struct feed *f = (struct feed *)src;
    memset(f->at, 0, harness_locations(f->h) * sizeof f->at[0]);
    return TCF_OK;
}

static void feed_progress(const source *src, uint64_t *bytes, uint64_t *total)
{
    (void)src;
    *bytes = *total = 0;
}

static uint64_t feed_unknown(const source *src)
{
    (void)src;
    return 0;
}

static const source_loss *feed_losses(const source *src, uint32_t *n)
{
    (void)src;
    *n = 0;
    return NULL;
}

static tcf_status no_snapshots(source *src, uint32_t location,
                               tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data)
{
    (void)src, (void)location, (void)each, (void)data;
    return TCF_OK;
}

static tcf_status no_markers(source *src, tcf_status (*each)(void *data, const tcf_marker *marker), void *data)
{
    (void)src, (void)each, (void)data;
    return TCF_OK;
}

static tcf_status no_thumbnails(source *src, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data)
{
    (void)src, (void)each, (void)data;
    return TCF_OK;
}

source *harness_feed(tcfh *h)
{
    static const source_ops ops = {.close = feed_close,
                                   .definitions = feed_definitions,
                                   .read = feed_read,
                                   .close_location = feed_close_location,
                                   .rewind = feed_rewind,
                                   .progress = feed_progress,
                                   .unknown_events = feed_unknown,
                                   .losses = feed_losses,
                                   .snapshots = no_snapshots,
                                   .markers = no_markers,
                                   .thumbnails = no_thumbnails};
    struct feed *f = harness_checked(h, calloc(1, sizeof *f + harness_locations(h) * sizeof f->at[0]));
    f->base.ops = &ops;
    f->h = h;
    h->random = h->cut;
    return &f->base;
}
