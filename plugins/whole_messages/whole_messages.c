/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* whole_messages: drops sends and receives whose other end a filter in front has dropped.
 *
 * A dropped end leaves a tombstone with the channel and number of its partner. The end that comes first waits in a
 * table, and its slice is held until the other end comes, as an event or as a tombstone. Slices are released in
 * order. An end whose partner never comes, because the trace itself lacks it, stays. */
#include "../shared/places/places.h"

#include <tcflow/filter.h>
#include <tcflow/map.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct conf {
    int64_t messages;
};

/* A slice that is held. Spare ones keep their memory. */
struct held {
    struct held *next;
    tcf_slice *slice;
    uint32_t undecided;
    uint32_t dropped;
    uint32_t capacity;
    uint8_t *keep;
};

/* One end of a message whose other end has not come yet. */
struct end {
    struct held *held; /* NULL: the end is a tombstone */
    uint32_t pos;
};

struct state {
    tcf_map open; /* (channel, number) -> index in ends */
    struct end *ends;
    place_list in_use; /* of `ends` */
    struct held *spare;
    struct held **heads, **tails; /* by location */
    uint64_t dropped, undecided, not_followed;
};

static const tcf_param params[] = {
    TCF_PARAM(struct conf, messages, TCF_INT, "1048576",
              "Ends of messages that may wait for the other one at a time; beyond that, both ends stay", .min = "16",
              .max = "1000000000", .unit = "messages"),
};

/* -------------------------------------------------------------------------------------------------- waiting ends -- */

/* -1: out of memory. */
static int wait_for_partner(struct state *st, const tcf_edge *e, struct held *held)
{
    uint32_t i = PLACES_TAKE(&st->ends, &st->in_use);
    if (i == TCF_NONE)
        return -1;
    st->ends[i] = (struct end){.held = held, .pos = e->pos};
    if (tcf_map_put(&st->open, e->channel, e->number, i) == 0)
        return 0;
    PLACES_GIVE_BACK(st->ends, &st->in_use, i);
    return -1;
}

static void take_out(struct state *st, const tcf_edge *e, uint32_t i)
{
    tcf_map_remove(&st->open, e->channel, e->number);
    PLACES_GIVE_BACK(st->ends, &st->in_use, i);
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

static void add_spare(struct state *st, struct held *h)
{
    h->next = st->spare;
    st->spare = h;
}

static struct held *hold(struct state *st, tcf_slice *s)
{
    struct held *h = st->spare;
    if (h)
        st->spare = h->next;
    else if (!(h = calloc(1, sizeof *h)))
        return NULL;
    if (s->n > 0 && TCF_GROW(&h->keep, &h->capacity, s->n - 1) != 0) {
        add_spare(st, h);
        return NULL;
    }
    if (s->n > 0)
        memset(h->keep, 1, s->n);
    h->next = NULL;
    h->slice = s;
    h->undecided = h->dropped = 0;
    if (st->tails[s->location])
        st->tails[s->location]->next = h;
    else
        st->heads[s->location] = h;
    st->tails[s->location] = h;
    return h;
}

/* Takes the oldest slice of a location off its queue. */
static struct held *take_oldest(struct state *st, uint32_t location)
{
    struct held *h = st->heads[location];
    st->heads[location] = h->next;
    if (!h->next)
        st->tails[location] = NULL;
    return h;
}

/* Takes the oldest slice of a location off its queue, without the events that are to be dropped. */
static tcf_slice *finish_oldest(tcf_self *self, uint32_t location)
{
    struct state *st = self->state;
    struct held *h = take_oldest(st, location);
    if (h->dropped > 0)
        self->host->compact(self, h->slice, h->keep);
    st->dropped += h->dropped;
    add_spare(st, h);
    return h->slice;
}

/* Releases the location's slices from the oldest one on, up to the first that is undecided. */
static tcf_status let_decided_go(tcf_self *self, uint32_t location)
{
    const struct state *st = self->state;
    while (st->heads[location] && st->heads[location]->undecided == 0)
        if (self->host->release(self, finish_oldest(self, location)) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static void drop(struct held *h, uint32_t pos)
{
    h->dropped += h->keep[pos];
    h->keep[pos] = 0;
}

/* Handles one end. *other becomes the location of the partner's slice, if that was waiting. */
static void meet(const tcf_self *self, struct held *mine, const tcf_edge *e, uint32_t *other)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    int gone = (e->flags & TCF_EDGE_GONE) != 0;
    uint32_t i = tcf_map_get(&st->open, e->channel, e->number);
    if (i == TCF_MAP_ABSENT) {
        if (st->open.n >= conf->messages || wait_for_partner(st, e, gone ? NULL : mine) != 0)
            st->not_followed++;
        else
            mine->undecided += !gone;
        return;
    }
    struct end partner = st->ends[i];
    take_out(st, e, i);
    if (partner.held) {
        partner.held->undecided--;
        if (gone)
            drop(partner.held, partner.pos);
        *other = partner.held->slice->location;
    } else if (!gone) {
        drop(mine, e->pos);
    }
}

static tcf_status whole_messages_slice(tcf_self *self, tcf_slice *s)
{
    struct state *st = self->state;
    struct held *mine = hold(st, s);
    if (!mine)
        return self->host->fail(self, "out of memory for the slices that wait");
    for (uint32_t k = 0; k < s->n_edges; k++) {
        const tcf_edge *e = &s->edges[k];
        uint32_t other = TCF_NONE;
        if (e->class_ != TCF_CLASS_P2P || e->channel == TCF_NONE || !(e->flags & (TCF_EDGE_SOURCE | TCF_EDGE_TARGET)))
            continue;
        meet(self, mine, e, &other);
        if (other != TCF_NONE && other != s->location && let_decided_go(self, other) != TCF_OK)
            return TCF_ERROR;
    }
    /* The slice counts as held only after this function has returned TCF_HELD. A slice that is decided goes on with
     * TCF_OK. */
    if (st->heads[s->location] != mine || mine->undecided > 0)
        return TCF_HELD;
    finish_oldest(self, s->location);
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------- begin, flush, end -- */

static tcf_status whole_messages_begin(tcf_self *self)
{
    struct state *st = self->state;
    st->heads = calloc(self->defs->n_locations + 1u, sizeof *st->heads);
    st->tails = calloc(self->defs->n_locations + 1u, sizeof *st->tails);
    if (!st->heads || !st->tails)
        return self->host->fail(self, "out of memory");
    return TCF_OK;
}

/* Releases the oldest slice of a location although it is undecided. Its ends that still wait stay in the trace. */
static tcf_status give_up(tcf_self *self, uint32_t location)
{
    struct state *st = self->state;
    struct held *h = st->heads[location];
    for (uint32_t k = 0; k < h->slice->n_edges && h->undecided > 0; k++) {
        const tcf_edge *e = &h->slice->edges[k];
        if (e->class_ != TCF_CLASS_P2P || e->channel == TCF_NONE || e->flags & TCF_EDGE_GONE)
            continue;
        uint32_t i = tcf_map_get(&st->open, e->channel, e->number);
        if (i == TCF_MAP_ABSENT || st->ends[i].held != h)
            continue;
        take_out(st, e, i);
        h->undecided--;
        st->undecided++;
    }
    return self->host->release(self, finish_oldest(self, location));
}

static tcf_status whole_messages_flush(tcf_self *self)
{
    const struct state *st = self->state;
    uint32_t oldest = TCF_NONE;
    uint64_t time = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (st->heads[l] && st->heads[l]->slice->n > 0 && (oldest == TCF_NONE || st->heads[l]->slice->time[0] < time))
            oldest = l, time = st->heads[l]->slice->time[0];
        else if (st->heads[l] && st->heads[l]->slice->n == 0)
            return give_up(self, l);
    if (oldest == TCF_NONE)
        return TCF_OK;
    if (give_up(self, oldest) != TCF_OK)
        return TCF_ERROR;
    return let_decided_go(self, oldest);
}

static tcf_status whole_messages_end(tcf_self *self)
{
    const struct state *st = self->state;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        while (st->heads[l])
            if (give_up(self, l) != TCF_OK)
                return TCF_ERROR;
    self->host->log(self, TCF_LOG_INFO, "%" PRIu64 " half messages dropped", st->dropped);
    tcf_warn(self, st->not_followed, "ends of messages stay undecided: more than 'messages' waited at a time");
    return TCF_OK;
}

static void whole_messages_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; st->heads && self->defs && l < self->defs->n_locations; l++)
        while (st->heads[l])
            add_spare(st, take_oldest(st, l));
    while (st->spare) {
        struct held *h = st->spare;
        st->spare = h->next;
        free(h->keep);
        free(h);
    }
    free(st->heads);
    free(st->tails);
    free(st->ends);
    tcf_map_free(&st->open);
    *st = (struct state){0};
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "whole_messages",
    .version = "1.0",
    .summary = "Drops messages of which a filter in front has dropped one end",
    .topic = TCF_TOPIC_EVENTS,
    .help =
        "A selection by time cuts messages that are on their way at its borders. Behind `select`, this filter drops "
        "the end that is left, send or receive; messages whose other end the trace itself doesn't have stay. "
        "Enter and leave of the calls stay, and so do the records of requests.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .needs = TCF_NEED_EDGES,
    .can = TCF_CAN_HOLD | TCF_CAN_DROP,
    .begin = whole_messages_begin,
    .slice = whole_messages_slice,
    .flush = whole_messages_flush,
    .end = whole_messages_end,
    .fini = whole_messages_fini,
};
