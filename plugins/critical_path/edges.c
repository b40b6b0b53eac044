/* What edges mean for the path: a source leaves a ticket to where its stretch began, a target may have waited until then. A blocking send
 * may have waited for its receiver, and a member of an operation for whoever came last: that is known later. */
#include "critical_path.h"

#include <stdlib.h>

enum { HAS_BEGUN = 1, IS_SOURCE = 2, HAS_ENDED = 4, IS_TARGET = 8, IS_NON_BLOCKING = 16 };

/* The begin of the stretch at hand as a cause; held. */
static struct cause here(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    path_hold(&state_of(self)->tree, k->path);
    return (struct cause){.time = k->start, .node = k->path, .location = location};
}

/* A ticket from here. NONE: out of memory. */
static uint32_t leave_ticket(tcf_self *self, uint32_t location, uint64_t now, uint8_t state)
{
    const uint32_t t = mark_here(self, location) == TCF_OK ? ticket_new(self, state) : NONE;
    if (t != NONE) {
        struct ticket *x = &state_of(self)->open.ticket[t];
        x->at = here(self, location);
        x->event = now;
    }
    return t;
}

static int count(struct state *st, int relation, uint64_t source, uint64_t target)
{
    st->edges[relation]++;
    st->reversed[relation] += source > target;
    return source > target;
}

/* ------------------------------------------------------------------------------------------------------- messages -- */

/* WAITS_REGION_* of the call at hand. */
static uint8_t region_of(const tcf_self *self, uint32_t location)
{
    const struct state *st = state_of(self);
    const uint32_t region = st->nodes[place_of(self, location)->callpath].region;
    return region < self->defs->n_regions ? st->region[region] : WAITS_REGION_PLAIN;
}

static int only_tests(const tcf_self *self, uint32_t location)
{
    const uint8_t region = region_of(self, location);
    return region == WAITS_REGION_TEST || region == WAITS_REGION_WIN_TEST;
}

static tcf_status forget(tcf_self *self, tcf_map *map, uint32_t location, uint64_t id);

static tcf_status leave_message(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    struct open *open = &state_of(self)->open;
    uint64_t *handle = e->flags & TCF_EDGE_UNMATCHED ? NULL : self->host->payload(self, s, e);
    const int is_request = s->kind[i] == TCF_MPI_ISEND;
    if (is_request && forget(self, &open->requests, s->location, s->rec[i].mpi_isend.request_id) != TCF_OK)
        return TCF_ERROR;
    if (!handle)
        return TCF_OK;
    const uint32_t t = leave_ticket(self, s->location, s->time[i], IS_ON_ITS_WAY);
    if (t == NONE)
        return TCF_ERROR;
    *handle = ticket_handle(self, t);
    if (is_request) {
        open->ticket[t].state |= IS_REQUESTED;
        return ticket_request(self, t, &open->requests, s->location, s->rec[i].mpi_isend.request_id);
    }
    if (s->kind[i] != TCF_MPI_SEND || region_of(self, s->location) == WAITS_REGION_NO_BLOCK)
        return TCF_OK;
    const uint32_t q = ask(self, s->location);
    open->ticket[t].question = q;
    return q == NONE ? TCF_ERROR : TCF_OK;
}

/* May the sender have waited for a receiver that posted its receive at a time? */
static int is_late(const tcf_self *self, uint32_t location, const struct ticket *x, uint64_t time)
{
    if (x->at.location == location)
        return 0;
    if (x->question == NONE)
        return x->state & IS_REQUESTED && time > x->at.time;
    const struct question *q = &state_of(self)->open.question[x->question];
    return time > q->start && (!q->ended || (time < q->end && !q->fixed && !(x->completes && q->is_late)));
}

/* The message that was sent with ticket x, as a reason to wait. */
static void note_sender(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e, struct ticket *x)
{
    struct state *st = state_of(self);
    struct place *k = place_of(self, s->location);
    const struct cause c = x->at;
    const int is_elsewhere = c.location != s->location, is_thread = e->class_ != TCF_CLASS_P2P;
    const int reversed = (is_elsewhere || !is_thread) && count(st, is_thread ? THREADS : MESSAGES, x->event, s->time[i]);
    x->at.node = NONE;
    if (!is_elsewhere || reversed || (!is_thread && only_tests(self, s->location))) {
        path_drop(self, c.node, 0);
        return;
    }
    k->is_late |= !is_thread && c.time > k->start;
    offer(self, &k->best, k->start, k->is_first && e->class_ == TCF_CLASS_THREAD_CREATE, &c);
}

/* The sender of ticket t learns who posted the receive, and when; takes over the reference. */
static tcf_status tell_sender(tcf_self *self, uint32_t t, const struct cause *post)
{
    struct ticket *x = &state_of(self)->open.ticket[t];
    const uint32_t q = x->question;
    x->question = NONE;
    if (q != NONE)
        return answer_within(self, q, t, post);
    if (post->node != NONE && x->state & IS_REQUESTED) {
        x->at = *post;
        x->state = IS_REQUESTED;
        return TCF_OK;
    }
    path_drop(self, post->node, 0);
    ticket_free(self, t);
    return TCF_OK;
}

/* Who posted the receive at event i; held. A blocking one is posted where it stands: its node is NONE. */
static struct cause posted_at(tcf_self *self, const tcf_slice *s, uint32_t i)
{
    struct open *open = &state_of(self)->open;
    const uint32_t t = s->kind[i] == TCF_MPI_IRECV
                           ? ticket_take(self, &open->posted, s->location, s->rec[i].mpi_irecv.request_id)
                           : NONE;
    struct cause post = {.node = NONE, .location = s->location, .time = place_of(self, s->location)->start};
    if (t != NONE) {
        post = open->ticket[t].at;
        ticket_free(self, t);
    }
    return post;
}

static tcf_status take_message(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    struct open *open = &state_of(self)->open;
    const uint64_t *handle = e->flags & TCF_EDGE_UNMATCHED ? NULL : self->host->payload(self, s, e);
    struct cause post = posted_at(self, s, i);
    uint32_t t = handle ? ticket_find(self, *handle) : NONE;
    const int is_late_receiver = t != NONE && is_late(self, s->location, &open->ticket[t], post.time);
    if (is_late_receiver && post.node == NONE) {
        if (mark_here(self, s->location) != TCF_OK)
            return TCF_ERROR;
        t = ticket_find(self, *handle); /* room for the mark may have been made of it */
        post = here(self, s->location);
    }
    if (t == NONE) {
        open->not_followed += handle && *handle != 0;
        path_drop(self, post.node, 0);
        return TCF_OK;
    }
    note_sender(self, s, i, e, &open->ticket[t]);
    if (!is_late_receiver) {
        path_drop(self, post.node, 0);
        post.node = NONE;
    }
    return tell_sender(self, t, &post);
}

/* ------------------------------------------------------------------------------------------------------- requests -- */

/* Another one has its id, or it was cancelled. */
static tcf_status forget(tcf_self *self, tcf_map *map, uint32_t location, uint64_t id)
{
    struct open *open = &state_of(self)->open;
    const uint32_t t = ticket_take(self, map, location, id);
    if (t == NONE || (map == &open->requests && open->ticket[t].state & IS_ON_ITS_WAY))
        return TCF_OK;
    open->ticket[t].state |= IS_ON_ITS_WAY; /* in use, until it is let go */
    return ticket_let_go(self, t);
}

static tcf_status post(tcf_self *self, const tcf_slice *s, uint32_t i)
{
    struct open *open = &state_of(self)->open;
    const uint64_t id = s->rec[i].mpi_irecv_request.request_id;
    if (forget(self, &open->posted, s->location, id) != TCF_OK)
        return TCF_ERROR;
    const uint32_t t = leave_ticket(self, s->location, s->time[i], IS_POSTED);
    return t == NONE ? TCF_ERROR : ticket_request(self, t, &open->posted, s->location, id);
}

/* A non-blocking send is complete: the call may have waited until the receive was posted. */
static tcf_status complete_send(tcf_self *self, const tcf_slice *s, uint32_t i)
{
    struct open *open = &state_of(self)->open;
    const uint32_t t = ticket_take(self, &open->requests, s->location, s->rec[i].mpi_isend_complete.request_id);
    if (t == NONE)
        return TCF_OK;
    struct ticket *x = &open->ticket[t];
    const int is_received = !(x->state & IS_ON_ITS_WAY);
    x->state |= IS_ON_ITS_WAY; /* in use */
    if (only_tests(self, s->location) || (is_received && x->at.time <= place_of(self, s->location)->start))
        return is_received ? ticket_let_go(self, t) : TCF_OK;
    const uint32_t q = ask(self, s->location);
    if (q == NONE)
        return TCF_ERROR;
    x->completes = 1;
    if (!is_received) {
        x->question = q;
        return TCF_OK;
    }
    const struct cause receiver = x->at;
    x->at.node = NONE;
    return answer_within(self, q, t, &receiver);
}

tcf_status request(tcf_self *self, const tcf_slice *s, uint32_t i)
{
    struct open *open = &state_of(self)->open;
    const uint64_t id = s->rec[i].mpi_request_cancelled.request_id;
    switch (s->kind[i]) {
    case TCF_MPI_IRECV_REQUEST:
        return post(self, s, i);
    case TCF_MPI_ISEND_COMPLETE:
        return complete_send(self, s, i);
    default:
        return forget(self, &open->requests, s->location, id) == TCF_OK ? forget(self, &open->posted, s->location, id)
                                                                        : TCF_ERROR;
    }
}

/* ---------------------------------------------------------------------------------------------------------- teams -- */

static tcf_status fork_or_join(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    struct state *st = state_of(self);
    struct place *k = place_of(self, s->location);
    const int is_fork = e->class_ == TCF_CLASS_FORK;
    if (e->peer >= self->defs->n_comms || e->flags & TCF_EDGE_UNMATCHED)
        return TCF_OK;
    struct team *team = &st->open.team[e->peer];
    struct cause *at = is_fork ? &team->fork.at : &team->join.at;
    uint64_t *number = is_fork ? &team->fork.number : &team->join.number;
    uint64_t *event = is_fork ? &team->fork.event : &team->join.event;
    if (e->flags & TCF_EDGE_SOURCE) {
        if (!is_fork && team->fork.number == e->number && team->fork.at.location == s->location)
            return TCF_OK; /* the forking thread's own */
        if (!is_fork && *number == e->number && at->node != NONE &&
            (at->time > k->start || (at->time == k->start && at->location < s->location)))
            return TCF_OK;
        if (mark_here(self, s->location) != TCF_OK)
            return TCF_ERROR;
        path_drop(self, at->node, 0);
        *at = here(self, s->location);
        *number = e->number;
        *event = s->time[i];
    } else if (e->flags & TCF_EDGE_TARGET && at->location != s->location) {
        if (*number != e->number || at->node == NONE) {
            st->open.not_followed++;
            return TCF_OK;
        }
        path_hold(&st->tree, at->node);
        const struct cause c = *at;
        if (count(st, THREADS, *event, s->time[i]))
            path_drop(self, c.node, 0);
        else
            offer(self, &k->best, k->start, is_fork && k->is_first, &c);
    }
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- operations -- */

static int is_followed(const tcf_self *self, uint8_t class_, uint8_t op)
{
    const struct conf *conf = self->conf;
    if (class_ == TCF_CLASS_SCAN || class_ == TCF_CLASS_EXSCAN)
        return conf->scans;
    return class_ != TCF_CLASS_UNORDERED || op == TCF_OP_FINALIZE;
}

static tcf_status begin_member(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e, struct member *m)
{
    const int is_source = e->flags & TCF_EDGE_SOURCE;
    m->start = place_of(self, s->location)->start;
    m->begin = s->time[i];
    m->flags |= HAS_BEGUN | (is_source ? IS_SOURCE : 0);
    if (!is_source && e->class_ != TCF_CLASS_N_TO_ONE && e->class_ != TCF_CLASS_UNORDERED)
        return TCF_OK;
    const uint32_t t = leave_ticket(self, s->location, s->time[i], IS_ON_ITS_WAY);
    m->ticket = t == NONE ? 0 : ticket_handle(self, t);
    return t == NONE ? TCF_ERROR : TCF_OK;
}

static tcf_status end_member(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e, struct member *m)
{
    const struct place *k = place_of(self, s->location);
    m->from = k->start;
    m->end = s->time[i];
    m->callpath = k->callpath;
    m->flags |= HAS_ENDED | (e->flags & TCF_EDGE_TARGET ? IS_TARGET : 0);
    if (s->kind[i] == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE)
        m->flags |= IS_NON_BLOCKING;
    if (e->class_ == TCF_CLASS_UNORDERED || e->flags & TCF_EDGE_UNMATCHED ||
        only_tests(self, s->location) || (!(m->flags & IS_TARGET) && (e->class_ != TCF_CLASS_N_TO_ONE || m->flags & IS_NON_BLOCKING)))
        return TCF_OK;
    uint32_t t = ticket_find(self, m->ticket);
    if (t == NONE && (t = ticket_new(self, IS_ON_ITS_WAY)) == NONE)
        return TCF_ERROR;
    m->ticket = ticket_handle(self, t);
    const uint32_t q = ask(self, s->location);
    state_of(self)->open.ticket[t].question = q;
    return q == NONE ? TCF_ERROR : TCF_OK;
}

/* The path begins where MPI_Init is entered. */
static void begin_path(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    path_drop(self, k->path, 0);
    k->path = NONE;
    k->jumps = 0;
    k->n_touched = 0;
    k->epoch++;
    k->here = 0;
    k->begins = 1;
}

static tcf_status member_edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    if (!(e->flags & TCF_EDGE_MEMBER))
        return TCF_OK;
    if (e->class_ == TCF_CLASS_UNORDERED && e->op == TCF_OP_INIT && e->flags & TCF_EDGE_BEGIN)
        begin_path(self, s->location);
    struct member *m = is_followed(self, e->class_, e->op) ? self->host->payload(self, s, e) : NULL;
    if (!m)
        return TCF_OK;
    m->location = s->location;
    return e->flags & TCF_EDGE_BEGIN ? begin_member(self, s, i, e, m) : end_member(self, s, i, e, m);
}

tcf_status edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    switch (e->class_) {
    case TCF_CLASS_P2P:
    case TCF_CLASS_LOCK:
    case TCF_CLASS_THREAD_CREATE:
    case TCF_CLASS_THREAD_WAIT:
        if (e->flags & TCF_EDGE_TARGET)
            return take_message(self, s, i, e);
        return e->flags & TCF_EDGE_SOURCE ? leave_message(self, s, i, e) : TCF_OK;
    case TCF_CLASS_FORK:
    case TCF_CLASS_JOIN:
        return fork_or_join(self, s, i, e);
    case TCF_CLASS_NONE:
    case TCF_CLASS_RMA:
        return TCF_OK;
    default:
        return member_edge(self, s, i, e);
    }
}

/* ------------------------------------------------------------------------------------------------ all are through -- */

/* An instance: its members, and what their tickets held. */
struct operation {
    tcf_self *self;
    const tcf_instance *in;
    struct pending *of;
};

static const struct member *member_at(const tcf_instance *in, uint32_t i)
{
    return (const struct member *)(const void *)(in->members + i * in->stride);
}

/* The two last of some members to get there: NONE, none. */
struct last_two {
    uint32_t first, second;
};

static int came_later(const tcf_instance *in, uint32_t a, uint32_t b)
{
    if (b == NONE)
        return 1;
    const struct member *x = member_at(in, a), *y = member_at(in, b);
    return x->start != y->start ? x->start > y->start : x->location < y->location;
}

static void add_source(const tcf_instance *in, struct last_two *last, uint32_t i)
{
    if (came_later(in, i, last->first)) {
        last->second = last->first;
        last->first = i;
    } else if (came_later(in, i, last->second)) {
        last->second = i;
    }
}

/* For whom member i waited; nobody: node NONE. Held. */
static struct cause cause_of(const struct operation *o, uint32_t i, uint32_t last)
{
    struct cause c = {.node = NONE};
    if (last == NONE)
        return c;
    c = o->of[last].at;
    if (c.node == NONE)
        state_of(o->self)->open.not_followed++;
    path_hold(&state_of(o->self)->tree, c.node);
    if (o->of[last].at.location == member_at(o->in, i)->location) {
        path_drop(o->self, c.node, 0);
        c.node = NONE;
    }
    return c;
}

/* Tells member i; `last` is the last of those that it depends on. */
static tcf_status tell(const struct operation *o, uint32_t i, uint32_t last, uint32_t synchronized_by)
{
    struct state *st = state_of(o->self);
    const struct member *m = member_at(o->in, i);
    const int is_thread = o->in->class_ == TCF_CLASS_OMP_BARRIER;
    if (!(m->flags & HAS_ENDED) || !(m->flags & IS_TARGET))
        last = NONE;
    if (last != NONE && count(st, is_thread ? THREADS : COLLECTIVES, member_at(o->in, last)->begin, m->end))
        last = NONE;
    if (o->of[i].question == NONE)
        return TCF_OK;
    const struct cause c = cause_of(o, i, synchronized_by != NONE ? synchronized_by : last);
    return answer(o->self, o->of[i].question, &c);
}

/* In a reduction that nobody leaves before all have entered all wait for the last one, as in an operation from all to all. */
static uint32_t synchronizes(const tcf_instance *in, int inter)
{
    struct last_two last = {NONE, NONE};
    uint64_t first_end = UINT64_MAX;
    if (in->class_ != TCF_CLASS_N_TO_ONE || inter)
        return NONE;
    for (uint32_t i = 0; i < in->n_members; i++) {
        const struct member *m = member_at(in, i);
        if (m->flags & IS_NON_BLOCKING || !(m->flags & HAS_ENDED))
            return NONE;
        first_end = m->end < first_end ? m->end : first_end;
        if (m->flags & HAS_BEGUN && m->flags & (IS_SOURCE | IS_TARGET))
            add_source(in, &last, i);
    }
    return last.first != NONE && member_at(in, last.first)->start < first_end ? last.first : NONE;
}

static tcf_status all_to_some(const struct operation *o)
{
    const tcf_instance *in = o->in;
    const tcf_comm *comm = &o->self->defs->comms[in->comm];
    const uint32_t by = synchronizes(in, comm->inter);
    struct last_two last[2] = {{NONE, NONE}, {NONE, NONE}};
    for (uint32_t i = 0; i < in->n_members; i++)
        if (member_at(in, i)->flags & HAS_BEGUN && member_at(in, i)->flags & IS_SOURCE)
            add_source(in, &last[comm->inter && i >= comm->size], i);
    for (uint32_t i = 0; i < in->n_members; i++) {
        const struct last_two *l = &last[comm->inter && i < comm->size];
        if (tell(o, i, l->first == i ? l->second : l->first, by) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status lower_to_higher(const struct operation *o)
{
    struct last_two below = {NONE, NONE};
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        if (tell(o, i, below.first, NONE) != TCF_OK)
            return TCF_ERROR;
        if (member_at(o->in, i)->flags & HAS_BEGUN && member_at(o->in, i)->flags & IS_SOURCE)
            add_source(o->in, &below, i);
    }
    return TCF_OK;
}

/* The path ends where the last process enters MPI_Finalize; the others wait. */
static tcf_status finalize(const struct operation *o)
{
    struct state *st = state_of(o->self);
    uint32_t last = NONE;
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const struct member *m = member_at(o->in, i);
        if (m->flags & HAS_BEGUN && (last == NONE || m->start > member_at(o->in, last)->start))
            last = i;
    }
    if (last == NONE)
        return TCF_OK;
    const uint64_t latest = member_at(o->in, last)->start;
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const struct member *m = member_at(o->in, i);
        const uint64_t until = latest < m->end ? latest : m->end;
        struct cell *c = m->flags & HAS_ENDED ? cell_of(o->self, place_of(o->self, m->location), m->callpath) : NULL;
        if (m->flags & HAS_ENDED && !c)
            return TCF_ERROR;
        if (c && until > m->from)
            c->waited += until - m->from;
    }
    if (o->of[last].at.node == NONE || (st->finalize.node != NONE && st->finalize.time >= latest))
        return TCF_OK;
    path_drop(o->self, st->finalize.node, 0);
    st->finalize = o->of[last].at;
    path_hold(&st->tree, st->finalize.node);
    return TCF_OK;
}

/* Takes what the tickets of all members hold: answers may cost tickets. */
static tcf_status collect(const struct operation *o)
{
    struct open *open = &state_of(o->self)->open;
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const uint32_t t = ticket_find(o->self, member_at(o->in, i)->ticket);
        o->of[i] = (struct pending){.at = {.node = NONE, .location = NONE}, .question = NONE};
        if (t == NONE)
            continue;
        o->of[i] = (struct pending){.at = open->ticket[t].at, .question = open->ticket[t].question};
        ticket_free(o->self, t);
    }
    return TCF_OK;
}

tcf_status complete(tcf_self *self, const tcf_instance *in)
{
    struct open *open = &state_of(self)->open;
    if (!is_followed(self, in->class_, in->op))
        return TCF_OK;
    if (in->n_members > open->pending_capacity) {
        struct pending *grown = realloc(open->pending, in->n_members * sizeof *grown);
        if (!grown)
            return self->host->fail(self, "out of memory for an operation with %u members", in->n_members);
        open->pending = grown;
        open->pending_capacity = in->n_members;
    }
    const struct operation o = {.self = self, .in = in, .of = open->pending};
    tcf_status status = collect(&o);
    if (status == TCF_OK)
        status = in->class_ == TCF_CLASS_UNORDERED                                    ? finalize(&o)
                 : in->class_ == TCF_CLASS_SCAN || in->class_ == TCF_CLASS_EXSCAN ? lower_to_higher(&o)
                                                                                      : all_to_some(&o);
    for (uint32_t i = 0; i < in->n_members; i++)
        path_drop(self, o.of[i].at.node, 0);
    return status;
}
