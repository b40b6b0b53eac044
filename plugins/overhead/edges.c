/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Events with edges. Sources publish their measured and approximated time, and when their call is left; targets compute
 * theirs from these (model.c). */
#include "overhead.h"

/* The numbers that the filter publishes. */
enum { APPROXIMATED, MEASURED, EXIT, LOCATION = EXIT /* that has released a lock */, WAITS /* the send does */ };

/* The event at hand, which has edges. */
struct meeting {
    struct track *k;
    tcf_slice *s;
    uint32_t i;
    uint64_t now, passed, cost, path;
    int waits;                  /* it sends, and waits for the receive */
    const struct times *before; /* the previous event; NULL: there is none */
    struct times ready;         /* from when on the process could have gone on: the event before, and before others that
                                 * are recorded in a row with this one */
};

static inline struct frame *innermost(const struct track *k)
{
    return k->depth == 0 ? NULL : &k->frame[(k->depth < MOST_CALLS ? k->depth : MOST_CALLS) - 1];
}

static int is_collective(uint8_t class_)
{
    return class_ >= TCF_CLASS_ONE_TO_N && class_ <= TCF_CLASS_EXSCAN;
}

/* The enter of the call that receives; outside of any call, the previous event. */
static struct times call_of(const struct meeting *at)
{
    const struct frame *f = innermost(at->k);
    return f ? f->enter : at->before ? *at->before : (struct times){at->now, 0};
}

static void note_wait(const struct meeting *at, struct times latest, uint64_t a)
{
    struct frame *f = innermost(at->k);
    if (!f || at->k->communication == 0)
        return;
    f->wait.m = max_u64(f->wait.m, less(min_u64(latest.m, at->now), f->enter.m));
    f->wait.a = max_u64(f->wait.a, less(min_u64(latest.a, a), f->enter.a));
}

static int is_completion(uint8_t kind)
{
    return kind == TCF_MPI_IRECV || kind == TCF_MPI_RECV || kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

static uint64_t size_of(const tcf_rec *rec, uint8_t kind)
{
    switch (kind) {
    case TCF_MPI_RECV:
    case TCF_MPI_IRECV:
        return rec->mpi_recv.msg_length;
    case TCF_MPI_COLLECTIVE_END:
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return rec->mpi_collective_end.size_received;
    case TCF_RMA_COLLECTIVE_END:
        return rec->rma_collective_end.bytes_received;
    default:
        return 0;
    }
}

/* Handles an edge like a message: from a send, from the root of a one-to-n, or from the last begin that a non-blocking
 * operation waited for. */
static struct outcome receive(tcf_self *self, const struct meeting *at, const tcf_edge *e, struct times latest,
                              const struct member *own)
{
    const struct conf *conf = self->conf;
    uint8_t kind = at->s->kind[at->i];
    struct transfer t = {.send = latest,
                         .enter = at->ready,
                         .recv_m = at->now,
                         .path = at->path,
                         .posted = kind == TCF_MPI_IRECV,
                         .passed_on = e->class_ == TCF_CLASS_ONE_TO_N,
                         .longest = UINT64_MAX,
                         .size = size_of(&at->s->rec[at->i], kind)};
    const struct frame *call = innermost(at->k);
    if (conf->paper) {
        t.enter = own && kind != TCF_NON_BLOCKING_COLLECTIVE_COMPLETE ? own->begin : call_of(at);
        t.exit_m = latest.m; /* the call that posts a collective doesn't wait */
        t.exit_known = kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE || self->host->latest(self, e, EXIT, &t.exit_m);
    }
    uint64_t waits;
    if (kind == TCF_MPI_RECV && e->class_ == TCF_CLASS_P2P && self->host->latest(self, e, WAITS, &waits))
        t.longest = plus(((const struct state *)self->state)->handshake, copy_time(self->state, t.size));
    struct group *several = is_completion(kind) && call && call->several ? &at->k->several : NULL;
    return approximate_receive(self->state, conf, &t, several, &at->k->decisions);
}

/* Does the time of an event's own process count as one of those that the operation brings together? */
static int includes_own(uint8_t class_)
{
    return class_ == TCF_CLASS_N_TO_N || class_ == TCF_CLASS_BARRIER || class_ == TCF_CLASS_OMP_BARRIER;
}

static struct outcome synchronise(tcf_self *self, const struct meeting *at, const tcf_edge *e, struct times latest,
                                  const struct member *own)
{
    const struct conf *conf = self->conf;
    uint64_t exit_m = at->now, first;
    if (conf->synchronised == EXIT_COMMON && self->host->first_end(self, e, &first))
        exit_m = first;
    if (is_taken_out(at->k))
        exit_m = 0;
    const int collective = is_collective(e->class_);
    const uint64_t path = collective ? at->path : at->cost; /* the paper has no threads */
    if (includes_own(e->class_) || !at->before || (collective && conf->paper))
        return approximate_exit(latest, own ? &own->begin : at->before, exit_m, path, &at->k->decisions);
    at->k->decisions.reversed += exit_m < latest.m;
    return approximate_arrival(conf, latest, at->ready, less(exit_m, path), 0,
                               collective ? UINT64_MAX : ((const struct state *)self->state)->handover);
}

/* Does the edge bind this event? Then *needed is the time that follows. */
static int depends(tcf_self *self, const struct meeting *at, const tcf_edge *e, struct outcome *needed)
{
    const tcf_host *host = self->host;
    struct times latest;
    if (!(e->flags & TCF_EDGE_TARGET) || e->flags & TCF_EDGE_GONE)
        return 0;
    at->k->targets++;
    if (e->flags & TCF_EDGE_UNMATCHED || !host->latest(self, e, APPROXIMATED, &latest.a) ||
        !host->latest(self, e, MEASURED, &latest.m)) {
        at->k->unbound++;
        return 0;
    }
    if (at->k->is_device) {
        *needed = (struct outcome){latest.a, latest.a};
        return 1;
    }
    uint64_t location;
    if (e->class_ == TCF_CLASS_LOCK && host->latest(self, e, LOCATION, &location) && location == at->s->location)
        return 0; /* it has released the lock itself */
    const uint64_t handover = ((const struct state *)self->state)->handover;
    if (e->class_ != TCF_CLASS_P2P && !is_collective(e->class_) && at->before &&
        plus(latest.m, handover) <= at->before->m && plus(latest.a, handover) <= at->before->a) {
        note_wait(at, latest, latest.a);
        return 0; /* the thread did not have to wait */
    }
    const struct member *own = is_collective(e->class_) ? host->payload(self, e) : NULL;
    if (own && own->targets == 0)
        own = NULL;
    if (e->class_ == TCF_CLASS_P2P || e->class_ == TCF_CLASS_ONE_TO_N ||
        at->s->kind[at->i] == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE)
        *needed = receive(self, at, e, latest, own);
    else
        *needed = synchronise(self, at, e, latest, own);
    note_wait(at, latest, needed->a);
    return 1;
}

/* Does the event end a send that waited for its receive to be posted? Then *needed is the time that follows. */
static int ends_send(tcf_self *self, const struct meeting *at, const tcf_edge *e, struct outcome *needed)
{
    const struct conf *conf = self->conf;
    const struct state *st = self->state;
    const uint64_t handshake = st->handshake;
    struct track *k = at->k;
    struct times post;
    if (!(self->needs & TCF_NEED_POSTS) || tcf_post_of(e) != TCF_POST_WAITED || e->flags & TCF_EDGE_GONE ||
        k->is_device)
        return 0;
    if (!self->host->latest(self, e, APPROXIMATED, &post.a) || !self->host->latest(self, e, MEASURED, &post.m)) {
        k->unbound++;
        return 0;
    }
    if (post.m > at->now) {
        k->sends_early++;
        return 0;
    }
    if (plus(post.m, handshake) <= at->ready.m && plus(post.a, handshake) <= at->ready.a)
        return 0;
    const uint64_t done = less(at->now, at->path);
    const struct frame *call = innermost(k);
    if (at->s->kind[at->i] != TCF_MPI_ISEND_COMPLETE) {
        *needed = approximate_send(conf, post, at->ready, done, plus(handshake, copy_time(st, k->sent)), handshake);
    } else if (call && call->several && post.m > at->ready.m) {
        struct decisions of_sends = {0};
        const struct transfer t = {.send = post, .enter = at->ready, .recv_m = at->now, .path = at->path};
        *needed = approximate_receive(st, conf, &t, &k->several, &of_sends);
    } else {
        *needed =
            approximate_send(conf, post, at->ready, done, handshake, post.m > at->ready.m ? UINT64_MAX : handshake);
    }
    k->sends_bound++;
    note_wait(at, post, needed->a);
    return 1;
}

/* Does the event send a message that waits for its receive? */
static int sends_and_waits(const tcf_self *self, const tcf_slice *s, uint32_t i, uint32_t from, uint32_t to)
{
    int waits = self->needs & TCF_NEED_POSTS && (s->kind[i] == TCF_MPI_SEND || s->kind[i] == TCF_MPI_ISEND);
    for (uint32_t n = from; waits && n < to; n++)
        waits = tcf_post_of(&s->edges[n]) != TCF_POST_UNAWAITED;
    return waits;
}

static void publish_post(tcf_self *self, const struct meeting *at, const tcf_edge *e, uint64_t a)
{
    const uint8_t kind = at->s->kind[at->i];
    if (!(self->needs & TCF_NEED_POSTS) || tcf_post_of(e) != TCF_POST_POSTED || kind == TCF_MPI_RECV ||
        kind == TCF_MPI_IRECV)
        return; /* it was posted before, when is unknown */
    self->host->publish(self, e, APPROXIMATED, a);
    self->host->publish(self, e, MEASURED, at->now);
}

static void publish(tcf_self *self, const struct meeting *at, const tcf_edge *e, uint64_t a, int overlaps)
{
    const tcf_host *host = self->host;
    struct track *k = at->k;
    if (e->flags & TCF_EDGE_GONE)
        return;
    publish_post(self, at, e, a);
    if (e->flags & TCF_EDGE_LEFT && !overlaps)
        host->publish(self, e, EXIT, at->now);
    struct member *own = is_collective(e->class_) ? host->payload(self, e) : NULL;
    if (own && e->flags & TCF_EDGE_BEGIN)
        *own = (struct member){{at->now, a}, k->targets + 1, (e->flags & TCF_EDGE_SOURCE) != 0};
    else if (own && e->class_ == TCF_CLASS_ONE_TO_N && own->is_source && own->targets == k->targets + 1)
        host->publish(self, e, EXIT, at->now); /* without a receive in between */
    if (!(e->flags & TCF_EDGE_SOURCE))
        return;
    host->publish(self, e, APPROXIMATED, a);
    host->publish(self, e, MEASURED, at->now);
    if (e->class_ == TCF_CLASS_LOCK)
        host->publish(self, e, LOCATION, at->s->location);
    if (at->waits && e->class_ == TCF_CLASS_P2P)
        host->publish(self, e, WAITS, 1);
    if (e->class_ == TCF_CLASS_P2P && !(e->flags & TCF_EDGE_LEAVES))
        host->publish(self, e, EXIT, at->now); /* its call is unknown, so take the shortest one */
}

/* The time of an event that no edge binds. */
static uint64_t eq_1(struct track *k, uint64_t passed, uint64_t cost, uint64_t carry)
{
    uint64_t kept = keep(&k->account, passed, cost, carry);
    k->removed += passed - kept;
    return plus(k->last.a, kept);
}

/* The time of an event that waits for others. The time that it waited beyond its own overhead is taken from what is
 * owed, because without overhead it would have waited that much longer. */
static uint64_t bound_by(struct track *k, struct outcome needed)
{
    uint64_t before = k->started ? k->last.a : 0, a = max_u64(needed.a, before);
    k->held += k->started && needed.a < before;
    k->account.owed = less(k->account.owed, a - max_u64(min_u64(needed.alone, a), before));
    return a;
}

/* Event i with the edges [from, to). */
tcf_status meet(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t from, uint32_t to, uint64_t first)
{
    const struct state *st = self->state;
    const uint8_t what = st->what[s->kind[i]];
    if (k->several.is_open && !(what & IS_COMPLETION))
        release(self->conf, k);
    const struct times before = k->last;
    struct meeting at = {.k = k, .s = s, .i = i, .now = s->time[i], .before = k->started ? &before : NULL};
    const struct conf *conf = self->conf;
    struct outcome last = {0, UINT64_MAX}, needed;
    int bound = 0, is_target = 0;
    at.passed = k->started ? less(at.now, k->last.m) : 0;
    if (is_taken_out(k)) {
        k->taken_out += at.passed;
        at.passed = 0;
    } else {
        at.cost = whole_ticks(&k->account, cost_of(st, k, s, i, what));
    }
    at.ready = k->started ? before : (struct times){at.now, 0};
    at.path = at.cost;
    if (what & IS_COMPLETION) {
        at.path = note_completion(k, first + i, at.cost, at.ready);
        at.ready = k->before_run;
    }
    at.path = conf->paper ? 0 : at.path;
    for (uint32_t n = from; n < to; n++) {
        is_target |= s->edges[n].flags & TCF_EDGE_TARGET;
        if (depends(self, &at, &s->edges[n], &needed) || ends_send(self, &at, &s->edges[n], &needed)) {
            last = (struct outcome){max_u64(last.a, needed.a), min_u64(last.alone, needed.alone)};
            bound = 1;
        }
    }
    uint64_t a = at.now;
    if (k->is_device)
        a = max_u64(follow(self, k, s->location, at.now), last.a);
    else if (bound)
        a = bound_by(k, last);
    else if (k->started)
        a = eq_1(k, at.passed, at.cost, st->carry);
    else if (!is_target)
        a = follow(self, k, s->location, at.now);
    if (k->is_device)
        note_operation(k, s->kind[i]);
    at.waits = sends_and_waits(self, s, i, from, to);
    if (s->kind[i] == TCF_MPI_SEND)
        k->sent = s->rec[i].mpi_send.msg_length;
    for (uint32_t n = from; n < to; n++)
        publish(self, &at, &s->edges[n], a, is_target || !(what & IS_LEAVE));
    if (!k->started)
        k->begin = (struct times){at.now, a};
    k->last.m = k->started ? max_u64(k->last.m, at.now) : at.now;
    k->started = 1;
    s->time[i] = k->last.a = a;
    return what & ~IS_COMPLETION ? note(self, k, s, i, what, (struct times){at.now, a}) : TCF_OK;
}
