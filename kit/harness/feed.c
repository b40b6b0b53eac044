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

static uint32_t draw(struct feed *f, uint32_t below)
{
    f->random = f->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(f->random >> 33) % below;
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
        max = draw(f, 8) == 0 ? 0 : 1 + draw(f, max);
    for (; f->at[location] < l->n && max > 0 && !slice_arena_full(s); max--) {
        if (location == f->h->failing_location && f->at[location] == f->h->failing_event)
            return error_fail("event %llu cannot be read", (unsigned long long)f->h->failing_event);
        if (append(s, &l->in[f->at[location]++]) != TCF_OK)
            return TCF_ERROR;
    }
    *ended = f->at[location] == l->n && (!f->h->cut || draw(f, 2) == 0);
    return TCF_OK;
}

static void feed_close(source *src)
{
    free(src);
}

static tcf_status feed_rewind(source *src)
{
    struct feed *f = (struct feed *)src;
    memset(f->at, 0, harness_locations(f->h) * sizeof f->at[0]);
    return TCF_OK;
}

static source *feed_share(const source *src);

static uint64_t feed_bytes(const source *src, uint32_t location)
{
    return ((const struct feed *)src)->h->lanes[location].n * sizeof(struct input);
}

/* NULL: out of memory. */
static source *feed_new(tcfh *h)
{
    static const source_ops ops = {.close = feed_close,
                                   .read = feed_read,
                                   .rewind = feed_rewind,
                                   .share = feed_share,
                                   .bytes = feed_bytes};
    struct feed *f = calloc(1, sizeof *f + harness_locations(h) * sizeof f->at[0]);
    if (!f)
        return NULL;
    f->base.ops = &ops;
    f->base.definitions = &h->defs->v;
    f->h = h;
    f->random = h->cut;
    return &f->base;
}

static source *feed_share(const source *src)
{
    source *more = feed_new(((const struct feed *)src)->h);
    if (!more)
        error_fail("out of memory for the events of another domain");
    return more;
}

source *harness_feed(tcfh *h)
{
    return harness_checked(h, feed_new(h));
}
