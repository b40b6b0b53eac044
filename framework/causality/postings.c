/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Postings: what has been posted on each location, in order, and the numbers dealt out from the heads of the queues as
 * far as it is known what they belong to. The queues of locations that stand for the same member are merged by time. */
#include "match_internal.h"

/* Requests that have waited for longer than the look-ahead, of which it is remembered which they are. */
enum { MOST_EXPIRED = 1 << 16 };

/* Appends an edge of event i, without a number. */
tcf_edge *match_add_edge(matcher *m, slice *s, uint32_t i, edge_place *where)
{
    tcf_edge *e = slice_add_edge(m->pool, s, i, &where->index);
    if (!e)
        return NULL;
    *e = (tcf_edge){.pos = i,
                    .peer = TCF_NONE,
                    .number = UNRESOLVED,
                    .channel = TCF_NONE,
                    .slot = TCF_NONE,
                    .rank = TCF_NONE};
    s->v.edge[i] = TCF_EDGE_MEMBER;
    where->block = s->block;
    return e;
}

static int is_full(const queue *line)
{
    return !line->at || line->tail - line->head > line->mask;
}

/* A full queue first deals out what it can, so that it stays small: where locations are many, less goes through the
 * cache. */
posting *match_post(matcher *m, uint32_t location, int q, const slice *s, uint32_t i)
{
    queue *line = &m->places[location].queue[q];
    if (line->at && is_full(line))
        match_advance(m, location);
    if (is_full(line)) {
        uint64_t size = line->at ? (line->mask + 1) * 2 : 16;
        posting *grown = malloc(size * sizeof *grown);
        if (!grown)
            return NULL;
        for (uint64_t k = line->head; k < line->tail; k++)
            grown[k & (size - 1)] = line->at[k & line->mask];
        free(line->at);
        line->at = grown;
        line->mask = size - 1;
    }
    posting *p = &line->at[line->tail++ & line->mask];
    *p = (posting){.event = s->v.first + i, .time = s->v.time[i], .channel = TCF_NONE, .state = KNOWN};
    return p;
}

static void resolve_source(matcher *m, place *pl, uint64_t position, uint32_t channel_index, uint64_t number)
{
    for (uint32_t k = 0; k < pl->n_sources; k++)
        if (pl->sources[k].number == UNRESOLVED && pl->sources[k].posting == position) {
            pl->sources[k].channel = channel_index;
            pl->sources[k].number = number;
            hold(m, channel_index);
        }
}

/* Does it stand behind a collective that was under way when its process ended? Which communicator that one belongs to
 * isn't known, and whether this one is the k-th or the one after it. */
static int is_cut_off(const matcher *m, uint32_t location, const posting *p)
{
    return m->cut_collectives[match_voice(m, location)] && m->channels[p->channel].type == TCF_CHANNEL_COLLECTIVE;
}

/* Deals a number to the posting at the head of a queue and removes it. */
static void pop(matcher *m, uint32_t location, int q)
{
    place *pl = &m->places[location];
    uint64_t position = pl->queue[q].head++;
    posting *p = &pl->queue[q].at[position & pl->queue[q].mask];
    if (p->has_request)
        map_remove(&pl->queue[q].request_of, p->request, 0);
    if (p->channel != TCF_NONE)
        m->channels[p->channel].open--;
    if (p->state != KNOWN || p->channel == TCF_NONE || is_cut_off(m, location, p)) {
        for (int k = 0; k < p->n_edges; k++) {
            tcf_edge *e = edge_at(p->edge[k]);
            no_edge(e, e->flags & TCF_EDGE_UNMATCHED ? e->flags : 0);
        }
        return;
    }
    channel *c = &m->channels[p->channel];
    uint64_t number = 0;
    if (q == SENDS) {
        number = c->sends++;
        resolve_source(m, pl, position, p->channel, number);
    } else if (q == RECEIVES) {
        number = c->receives++;
    } else {
        uint64_t *count = match_collective_count(m, location, p->channel);
        number = count ? (*count)++ : 0;
    }
    for (int k = 0; k < p->n_edges; k++)
        number_edge(m, edge_at(p->edge[k]), p->channel, number);
}

/* A request that is not known to be completed: what it received is anybody's guess. */
static void note_dead(matcher *m, uint32_t location, int q)
{
    if (q == RECEIVES)
        m->dead_receives[match_voice(m, location)]++;
}

static void note_cut(matcher *m, const place *pl, int q, const posting *p)
{
    if (q == COLLECTIVES && p->has_request && pl->decoded - 1 - p->event < m->options.lookahead)
        m->cut_collectives[match_voice(m, (uint32_t)(pl - m->places))] = 1;
}

/* A receive whose request has waited for longer than the look-ahead counts as dead until it is completed. Of more than
 * are remembered it goes on doing so. */
static void note_expired(matcher *m, uint32_t location, int q, const posting *p)
{
    note_dead(m, location, q);
    if (q != RECEIVES || !p->has_request || m->n_expired == MOST_EXPIRED)
        return;
    if (map_put(&m->expired, location, p->request, 1) == 0)
        m->n_expired++;
    else
        m->out_of_memory = 1;
}

/* Whether a request had expired, which is forgotten. */
static int forget_expired(matcher *m, uint32_t location, int q, uint64_t request)
{
    if (q != RECEIVES || m->n_expired == 0 || map_get(&m->expired, location, request) == MAP_ABSENT)
        return 0;
    map_remove(&m->expired, location, request);
    m->n_expired--;
    return 1;
}

static void revive(matcher *m, uint32_t location, int q, uint64_t request)
{
    if (forget_expired(m, location, q, request))
        m->dead_receives[match_voice(m, location)]--;
}

/* An open posting that has waited for longer than the look-ahead is given up. */
static int is_open(matcher *m, const place *pl, int q, posting *p)
{
    if (p->state != OPEN)
        return 0;
    if (pl->decoded - 1 - p->event < m->options.lookahead && !pl->ended)
        return 1;
    p->state = DEAD;
    if (pl->ended) {
        note_dead(m, (uint32_t)(pl - m->places), q);
        m->counts.never_completed++;
        note_cut(m, pl, q, p);
    } else {
        note_expired(m, (uint32_t)(pl - m->places), q, p);
        m->counts.beyond_lookahead++;
    }
    return 0;
}

static void advance_alone(matcher *m, uint32_t location, int q)
{
    place *pl = &m->places[location];
    for (posting *p; (p = queue_head(&pl->queue[q])) && !is_open(m, pl, q, p);)
        pop(m, location, q);
}

/* The sibling whose head is next in time, TCF_NONE when no sibling has one, or when another sibling, *blocker, may
 * still bring an earlier one. */
static uint32_t next_sibling(matcher *m, uint32_t voice, int q, uint32_t *blocker)
{
    uint32_t next = TCF_NONE;
    uint64_t time = 0;
    for (uint32_t i = m->first_sibling[voice]; i < m->first_sibling[voice + 1]; i++) {
        posting *p = queue_head(&m->places[m->siblings[i]].queue[q]);
        if (p && (next == TCF_NONE || p->time < time))
            next = m->siblings[i], time = p->time;
    }
    *blocker = TCF_NONE;
    if (next == TCF_NONE)
        return TCF_NONE;
    for (uint32_t i = m->first_sibling[voice]; i < m->first_sibling[voice + 1]; i++) {
        const place *pl = &m->places[m->siblings[i]];
        if (pl->ended || queue_head(&pl->queue[q]))
            continue;
        /* At the same time the location that is defined first is first: one behind `next` brings nothing before it. */
        if (pl->decoded == 0 || pl->time < time || (pl->time == time && m->siblings[i] < next)) {
            *blocker = m->siblings[i];
            return TCF_NONE;
        }
    }
    if (is_open(m, &m->places[next], q, queue_head(&m->places[next].queue[q]))) {
        *blocker = next;
        return TCF_NONE;
    }
    return next;
}

void match_advance(matcher *m, uint32_t location)
{
    const place *pl = &m->places[location];
    for (int q = 0; q < QUEUES; q++) {
        if (!pl->merged) {
            advance_alone(m, location, q);
            continue;
        }
        uint32_t next, blocker;
        while ((next = next_sibling(m, match_voice(m, location), q, &blocker)) != TCF_NONE)
            pop(m, next, q);
    }
}

uint32_t matcher_wants(matcher *m, uint32_t location, const tcf_edge *e)
{
    const place *pl = &m->places[location];
    if (!pl->merged || (pl->fork.block && edge_at(pl->fork) == e))
        return location;
    /* Its own queue: what blocks another one may be resolved much further on. */
    int own = e->class_ != TCF_CLASS_P2P ? COLLECTIVES : e->flags & TCF_EDGE_TARGET ? RECEIVES : SENDS;
    for (int k = 0; k < QUEUES; k++) {
        int q = (own + k) % QUEUES;
        uint32_t blocker;
        next_sibling(m, match_voice(m, location), q, &blocker);
        if (blocker != TCF_NONE)
            return blocker;
    }
    return location;
}

/* The open posting of a request, or NULL. The map holds the low bits of its position. */
posting *match_find_request(matcher *m, uint32_t location, int q, uint64_t request)
{
    queue *line = &m->places[location].queue[q];
    uint32_t low = map_get(&line->request_of, request, 0);
    if (low == MAP_ABSENT)
        return NULL;
    return &line->at[low & line->mask];
}

void match_forget_request(matcher *m, uint32_t location, int q, posting *p)
{
    map_remove(&m->places[location].queue[q].request_of, p->request, 0);
    p->has_request = 0;
}

tcf_status match_feed_request(matcher *m, slice *s, uint32_t i, int q, uint64_t request)
{
    uint32_t location = s->v.location;
    posting *old = match_find_request(m, location, q, request);
    if (old) { /* used again before it was completed: the older one never will be */
        match_forget_request(m, location, q, old);
        old->state = DEAD;
        m->counts.never_completed++;
        note_dead(m, location, q);
    }
    forget_expired(m, location, q, request);
    posting *p = match_post(m, location, q, s, i);
    if (!p)
        return match_out_of_memory();
    p->state = OPEN;
    p->request = request;
    queue *line = &m->places[location].queue[q];
    uint32_t low = (uint32_t)((line->tail - 1) & 0x7fffffff);
    if (map_put(&line->request_of, request, 0, low) != 0)
        return match_out_of_memory();
    p->has_request = 1;
    return TCF_OK;
}

void match_feed_cancelled(matcher *m, uint32_t location, uint64_t request)
{
    for (int q = RECEIVES; q <= COLLECTIVES; q++) {
        posting *p = match_find_request(m, location, q, request);
        if (!p) {
            revive(m, location, q, request);
            continue;
        }
        match_forget_request(m, location, q, p);
        p->state = DEAD;
        m->counts.cancelled++;
    }
}

/* The posting that an event completes: its request's when that lies within the look-ahead, else a new one here. */
posting *match_completed_posting(matcher *m, slice *s, uint32_t i, int q, const uint64_t *request)
{
    uint32_t location = s->v.location;
    posting *p = request ? match_find_request(m, location, q, *request) : NULL;
    if (p) {
        match_forget_request(m, location, q, p);
        if (s->v.first + i - p->event <= m->options.lookahead) {
            p->state = KNOWN;
            return p;
        }
        p->state = DEAD;
        m->counts.beyond_lookahead++;
    } else if (request) {
        revive(m, location, q, *request);
    }
    return match_post(m, location, q, s, i);
}
