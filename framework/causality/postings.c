/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Pending operations of each location, in program order. An operation gets its number at the head of its queue, when
 * its channel is known. The queues of locations that represent the same member are merged by time. */
#include "match_internal.h"

/* So many requests are remembered that have waited for longer than the look-ahead. */
enum { MOST_EXPIRED = 1 << 16 };

/* Appends an edge of event i, without a number. */
tcf_edge *match_add_edge(matcher *m, slice *s, uint32_t i, edge_ref *where)
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

static int has_map(const queue *pending)
{
    return pending->room && pending->room->mask >= SHORT_QUEUE;
}

/* 0: out of memory. */
static int map_request(const queue *pending, uint32_t position)
{
    const pending_op *p = pending_at(pending, position);
    return !p->has_request || map_put(&pending->room->request_of, p->request, 0, position & 0x7fffffff) == 0;
}

/* ------------------------------------------------------------------------------------------------- room of queues --
 */

/* Which of matcher.rooms. */
static uint32_t size_class(uint32_t mask)
{
    return (uint32_t)__builtin_ctz((mask + 1) / FIRST_QUEUE);
}

static pending_room *take_room(matcher *m, uint32_t places)
{
    pending_room **free_ones = &m->rooms[size_class(places - 1)], *room = *free_ones;
    if (room) {
        *free_ones = room->next;
        return room;
    }
    const size_t a_place = sizeof(pending_op) + (m->options.posts ? sizeof(pending_post) : 0);
    room = malloc(sizeof *room + places * a_place);
    if (room) {
        room->mask = places - 1;
        room->request_of = (map){0};
    }
    return room;
}

static void give_back(matcher *m, queue *q)
{
    pending_room **free_ones = &m->rooms[size_class(q->room->mask)];
    q->room->next = *free_ones;
    *free_ones = q->room;
    q->room = NULL;
}

void match_give_back(matcher *m, match_location *loc)
{
    for (int q = 0; q < QUEUES; q++)
        if (loc->queue[q].room && loc->queue[q].head == loc->queue[q].tail)
            give_back(m, &loc->queue[q]);
}

void match_free_room(pending_room *room)
{
    if (room)
        map_free(&room->request_of);
    free(room);
}

void match_free_rooms(matcher *m)
{
    for (int k = 0; k < QUEUE_SIZES; k++)
        for (pending_room *room = m->rooms[k], *next; room; room = next) {
            next = room->next;
            match_free_room(room);
        }
}

/* Moves the operations of a queue to a larger room, or gives it its first one. 0: out of memory. */
static int grow_room(matcher *m, queue *pending)
{
    const uint32_t places = pending->room ? (pending->room->mask + 1) * 2 : FIRST_QUEUE;
    if (size_class(places - 1) >= QUEUE_SIZES)
        return 0;
    queue grown = {take_room(m, places), pending->head, pending->tail};
    if (!grown.room)
        return 0;
    for (uint32_t k = pending->head; k != pending->tail; k++) {
        *pending_at(&grown, k) = *pending_at(pending, k);
        if (m->options.posts)
            *post_at(&grown, k) = *post_at(pending, k);
    }
    int done = 1;
    if (has_map(pending)) {
        const map none = grown.room->request_of;
        grown.room->request_of = pending->room->request_of;
        pending->room->request_of = none;
    } else if (has_map(&grown)) {
        for (uint32_t k = pending->head; k != pending->tail; k++)
            done &= map_request(&grown, k);
    }
    if (pending->room)
        give_back(m, pending);
    pending->room = grown.room;
    return done;
}

/* How many queues of the siblings have an operation, where this queue is empty; else, and without siblings, NULL. */
static uint32_t *waiting_beside(matcher *m, uint32_t location, int q)
{
    const match_location *loc = &m->locations[location];
    const int is_empty = loc->queue[q].head == loc->queue[q].tail;
    return loc->siblings && is_empty ? &m->siblings[loc->siblings - 1].waiting[q] : NULL;
}

/* Adds a pending operation. A full queue first numbers what it can and stays small, which saves cache where there are
 * many locations. */
pending_op *match_add_pending(matcher *m, uint32_t location, int q, const slice *s, uint32_t i)
{
    queue *pending = &m->locations[location].queue[q];
    if (pending->room && pending->tail - pending->head > pending->room->mask)
        match_advance(m, location);
    if ((!pending->room || pending->tail - pending->head > pending->room->mask) && !grow_room(m, pending))
        return NULL;
    uint32_t *const waiting = waiting_beside(m, location, q);
    if (waiting)
        ++*waiting;
    const uint32_t at = pending->tail++;
    if (m->options.posts)
        *post_at(pending, at) = (pending_post){.channel = TCF_NONE, .sent = TCF_NONE};
    pending_op *p = pending_at(pending, at);
    *p = (pending_op){.event = s->v.first + i, .time = s->v.time[i], .channel = TCF_NONE, .state = KNOWN};
    return p;
}

void match_number_post(matcher *m, tcf_edge *e, uint32_t channel_index, uint64_t number)
{
    channel *c = &m->channels[channel_index];
    *(tcf_post_of(e) == TCF_POST_POSTED ? &c->sends : &c->receives) += 1;
    number_edge(m, e, channel_index, number);
}

void match_drop_post(edge_ref where)
{
    edge_at(where)->side &= (uint8_t) ~(TCF_POST_POSTED | TCF_POST_WAITED | TCF_POST_UNAWAITED);
    no_edge(edge_at(where), 0);
}

static void drop_pending_post(matcher *m, const pending_post *x)
{
    if (x->edge.block)
        match_drop_post(x->edge);
    if (x->channel != TCF_NONE)
        m->channels[x->channel].open--;
}

static void number_pending_post(matcher *m, const pending_post *x, uint64_t number)
{
    if (x->channel == TCF_NONE) {
        drop_pending_post(m, x);
        return;
    }
    if (x->sent != TCF_NONE)
        m->sent[x->sent].number = number;
    if (x->edge.block)
        match_number_post(m, edge_at(x->edge), x->channel, number);
    m->channels[x->channel].open--;
}

static void resolve_source(matcher *m, match_location *loc, uint32_t position, uint32_t channel_index, uint64_t number)
{
    for (uint32_t k = 0; k < loc->n_sources; k++) {
        call_source *src = &loc->rare->sources[k];
        if (src->number == UNRESOLVED && src->pending == position) {
            src->channel = channel_index;
            src->number = number;
            hold(m, channel_index);
        }
    }
}

/* Does a collective stand behind one that was under way when its process ended? The communicator of the other one is
 * unknown. It may be the same one, so the number of this collective is unknown, too. */
static int is_cut_off(const matcher *m, uint32_t location, const pending_op *p)
{
    return m->cut_collectives[match_represented(m, location)] && m->channels[p->channel].type == TCF_CHANNEL_COLLECTIVE;
}

/* Gives a number to the operation at the head of a queue, and removes it. */
static void pop(matcher *m, uint32_t location, int q)
{
    match_location *loc = &m->locations[location];
    uint32_t position = loc->queue[q].head++;
    pending_op *p = pending_at(&loc->queue[q], position);
    uint32_t *const waiting = waiting_beside(m, location, q);
    if (waiting)
        --*waiting;
    pending_post *post = m->options.posts ? post_at(&loc->queue[q], position) : NULL;
    if (p->has_request && has_map(&loc->queue[q]))
        map_remove(&loc->queue[q].room->request_of, p->request, 0);
    for (int rma = 0; q == COLLECTIVES && rma < 2; rma++)
        loc->is_open[rma] &= loc->begin[rma] != position;
    if (p->channel != TCF_NONE)
        m->channels[p->channel].open--;
    if (p->state != KNOWN || p->channel == TCF_NONE || is_cut_off(m, location, p)) {
        for (int k = 0; k < p->n_edges; k++) {
            tcf_edge *e = edge_at(p->edge[k]);
            no_edge(e, e->flags & TCF_EDGE_UNMATCHED ? e->flags : 0);
        }
        if (post)
            drop_pending_post(m, post);
        return;
    }
    channel *c = &m->channels[p->channel];
    uint64_t number = 0;
    if (q == SENDS) {
        number = c->sends++;
        resolve_source(m, loc, position, p->channel, number);
    } else if (q == RECEIVES) {
        number = c->receives++;
    } else {
        uint64_t *count = match_collective_count(m, location, p->channel);
        number = count ? (*count)++ : 0;
    }
    for (int k = 0; k < p->n_edges; k++)
        number_edge(m, edge_at(p->edge[k]), p->channel, number);
    if (post)
        number_pending_post(m, post, number);
}

/* A request that is never completed: which message it received is unknown. */
static void note_dead(matcher *m, uint32_t location, int q)
{
    if (q == RECEIVES)
        m->dead_receives[match_represented(m, location)]++;
}

static void note_cut(matcher *m, const match_location *loc, int q, const pending_op *p)
{
    if (q == COLLECTIVES && p->has_request && loc->decoded - 1 - p->event < m->options.lookahead)
        m->cut_collectives[match_represented(m, (uint32_t)(loc - m->locations))] = 1;
}

/* A receive whose request has waited for longer than the look-ahead counts as dead until it is completed. Where more
 * than MOST_EXPIRED of them wait, the others stay dead. */
static void note_expired(matcher *m, uint32_t location, int q, const pending_op *p)
{
    note_dead(m, location, q);
    if (q != RECEIVES || !p->has_request || m->n_expired == MOST_EXPIRED)
        return;
    if (map_put(&m->expired, location, p->request, 1) == 0)
        m->n_expired++;
    else
        m->out_of_memory = 1;
}

/* Had the request expired? It is forgotten. */
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
        m->dead_receives[match_represented(m, location)]--;
}

/* Is the operation still open? It is DEAD where it has waited for longer than the look-ahead. */
static int is_open(matcher *m, const match_location *loc, int q, pending_op *p)
{
    if (p->state != OPEN)
        return 0;
    if (loc->decoded - 1 - p->event < m->options.lookahead && !loc->ended)
        return 1;
    p->state = DEAD;
    if (loc->ended) {
        note_dead(m, (uint32_t)(loc - m->locations), q);
        m->counts.never_completed++;
        note_cut(m, loc, q, p);
    } else {
        note_expired(m, (uint32_t)(loc - m->locations), q, p);
        m->counts.beyond_lookahead++;
    }
    return 0;
}

static void advance_alone(matcher *m, uint32_t location, int q)
{
    match_location *loc = &m->locations[location];
    for (pending_op *p; (p = queue_head(&loc->queue[q])) && !is_open(m, loc, q, p);)
        pop(m, location, q);
}

/* The first of a queue's heap, with the right time; NULL: nothing comes any more. */
static const next_time *first_sibling(const matcher *m, siblings *x, int q)
{
    next_time *heap = x->heap[q];
    while (x->n[q] > 0) {
        const match_location *loc = &m->locations[heap->location];
        const pending_op *p = queue_head(&loc->queue[q]);
        const uint64_t time = p ? p->time : loc->time;
        if (!p && loc->ended)
            *heap = heap[--x->n[q]];
        else if (time == heap->time)
            return heap;
        else
            heap->time = time;
        next_time_sink(heap, x->n[q]);
    }
    return NULL;
}

/* The sibling whose operation in queue q gets the next number. TCF_NONE: no sibling has one, or *blocker is a sibling
 * that may still get an earlier one, or whose operation is still open. */
static uint32_t next_sibling(matcher *m, siblings *x, int q, uint32_t *blocker)
{
    *blocker = TCF_NONE;
    const next_time *first = x->waiting[q] > 0 ? first_sibling(m, x, q) : NULL; /* most never communicate */
    if (!first)
        return TCF_NONE;
    const match_location *loc = &m->locations[first->location];
    pending_op *p = queue_head(&loc->queue[q]);
    if (p && !is_open(m, loc, q, p))
        return first->location;
    *blocker = first->location;
    return TCF_NONE;
}

void match_advance(matcher *m, uint32_t location)
{
    const match_location *loc = &m->locations[location];
    for (int q = 0; q < QUEUES; q++) {
        if (!loc->siblings) {
            advance_alone(m, location, q);
            continue;
        }
        uint32_t next, blocker;
        while ((next = next_sibling(m, &m->siblings[loc->siblings - 1], q, &blocker)) != TCF_NONE)
            pop(m, next, q);
    }
}

uint32_t matcher_wants(matcher *m, uint32_t location, const tcf_edge *e)
{
    const match_location *loc = &m->locations[location];
    if (!loc->siblings || (loc->rare && loc->rare->fork.block && edge_at(loc->rare->fork) == e))
        return location;
    if (m->postings && m->postings[location].receive.block && edge_at(m->postings[location].receive) == e)
        return location;
    /* The edge's own queue comes first: another queue may be resolved much later. */
    int own = e->class_ != TCF_CLASS_P2P ? COLLECTIVES : e->flags & TCF_EDGE_TARGET ? RECEIVES : SENDS;
    if (e->side & EDGE_OF_POST)
        own = tcf_post_of(e) == TCF_POST_POSTED ? RECEIVES : SENDS;
    for (int k = 0; k < QUEUES; k++) {
        int q = (own + k) % QUEUES;
        uint32_t blocker;
        next_sibling(m, &m->siblings[loc->siblings - 1], q, &blocker);
        if (blocker != TCF_NONE)
            return blocker;
    }
    return location;
}

/* The pending operation of a request, or NULL. */
pending_op *match_find_request(matcher *m, uint32_t location, int q, uint64_t request)
{
    queue *pending = &m->locations[location].queue[q];
    if (has_map(pending)) {
        uint32_t low = map_get(&pending->room->request_of, request, 0);
        return low == MAP_ABSENT ? NULL : pending_at(pending, low);
    }
    for (uint32_t k = pending->head; k != pending->tail; k++) {
        pending_op *p = pending_at(pending, k);
        if (p->has_request && p->request == request)
            return p;
    }
    return NULL;
}

void match_forget_request(matcher *m, uint32_t location, int q, pending_op *p)
{
    queue *pending = &m->locations[location].queue[q];
    if (has_map(pending))
        map_remove(&pending->room->request_of, p->request, 0);
    p->has_request = 0;
}

tcf_status match_feed_request(matcher *m, slice *s, uint32_t i, int q, uint64_t request)
{
    uint32_t location = s->v.location;
    pending_op *old = match_find_request(m, location, q, request);
    if (old) { /* the request is used again: its older operation is never completed */
        match_forget_request(m, location, q, old);
        old->state = DEAD;
        m->counts.never_completed++;
        note_dead(m, location, q);
    }
    forget_expired(m, location, q, request);
    pending_op *p = match_add_pending(m, location, q, s, i);
    if (!p)
        return match_out_of_memory();
    p->state = OPEN;
    p->request = request;
    queue *pending = &m->locations[location].queue[q];
    p->has_request = 1;
    return has_map(pending) && !map_request(pending, pending->tail - 1) ? match_out_of_memory() : TCF_OK;
}

void match_feed_cancelled(matcher *m, uint32_t location, uint64_t request)
{
    for (int q = RECEIVES; q <= COLLECTIVES; q++) {
        pending_op *p = match_find_request(m, location, q, request);
        if (!p) {
            revive(m, location, q, request);
            continue;
        }
        match_forget_request(m, location, q, p);
        p->state = DEAD;
        m->counts.cancelled++;
    }
}

/* The operation that event i completes: that of the request, if it lies within the look-ahead, else a new one at i. */
pending_op *match_take_completed(matcher *m, slice *s, uint32_t i, int q, const uint64_t *request)
{
    uint32_t location = s->v.location;
    pending_op *p = request ? match_find_request(m, location, q, *request) : NULL;
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
    return match_add_pending(m, location, q, s, i);
}
