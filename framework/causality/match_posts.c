/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Edges from the post of a receive to the end of its send (options.posts), for sends that wait for their receives.
 *
 * A channel of messages has a channel of posts beside it. The post of the k-th receive and the end of the k-th send
 * have number k there. Which receive a post belongs to is stated by the record of its completion, as for all receives,
 * so the edge of a post is unresolved until that has been decoded. No target waits for a completion: the source is the
 * post.
 *
 * Each receive has a source, and each send a target or an edge that takes the source away (TCF_POST_UNAWAITED). */
#include "match_internal.h"

#include <tcflow/grow.h>

#include <string.h>
#include <strings.h>

/* Calls that matter here. Who sends in one of the last kind never waits, whatever the size of the message. */
enum { CALL_ORDINARY, CALL_RECEIVES, CALL_SYNCHRONOUS, CALL_BUFFERED_OR_READY };

/* So many sends are known at a time that wait and have not ended; others wait for nobody. */
enum { MOST_SENT = 1 << 20 };

static uint8_t call_of(const char *name)
{
    static const struct {
        const char *name;
        uint8_t call;
    } calls[] = {{"MPI_Recv", CALL_RECEIVES},           {"MPI_Mrecv", CALL_RECEIVES},
                 {"MPI_Sendrecv", CALL_RECEIVES},       {"MPI_Sendrecv_replace", CALL_RECEIVES},
                 {"MPI_Ssend", CALL_SYNCHRONOUS},       {"MPI_Issend", CALL_SYNCHRONOUS},
                 {"MPI_Bsend", CALL_BUFFERED_OR_READY}, {"MPI_Ibsend", CALL_BUFFERED_OR_READY},
                 {"MPI_Rsend", CALL_BUFFERED_OR_READY}, {"MPI_Irsend", CALL_BUFFERED_OR_READY}};
    for (size_t i = 0; name && i < sizeof calls / sizeof calls[0]; i++)
        if (strcasecmp(name, calls[i].name) == 0)
            return calls[i].call;
    return CALL_ORDINARY;
}

int match_init_posts(matcher *m)
{
    m->free_sent = TCF_NONE;
    m->postings = calloc(m->defs->n_locations + 1u, sizeof *m->postings);
    m->call = calloc(m->defs->n_regions + 1u, 1);
    if (!m->postings || !m->call)
        return -1;
    for (uint32_t l = 0; l < m->defs->n_locations; l++)
        m->postings[l].sent = TCF_NONE;
    for (uint32_t r = 0; r < m->defs->n_regions; r++)
        m->call[r] = call_of(m->defs->regions[r].name);
    return 0;
}

void match_free_posts(matcher *m)
{
    free(m->postings);
    free(m->call);
    free(m->sent);
    map_free(&m->sent_of);
}

/* --------------------------------------------------------------------------------------------- edges and numbers -- */

static tcf_edge *add_edge(matcher *m, slice *s, uint32_t i, tcf_post role, edge_ref *where)
{
    tcf_edge *e = match_add_edge(m, s, i, where);
    if (e)
        e->side = (uint8_t)(EDGE_OF_POST | role);
    return e;
}

/* TCF_NONE: the table of channels is full, or m->out_of_memory. */
static uint32_t channel_of_posts(matcher *m, uint32_t messages)
{
    const channel c = m->channels[messages];
    hold(m, messages); /* the look-up may forget channels */
    uint32_t posts = match_get_channel(m, (tcf_channel){TCF_CHANNEL_POST, c.comm, c.a, c.b, c.tag});
    m->channels[messages].open--;
    return posts;
}

/* --------------------------------------------------------------------------------------------------------- sends -- */

/* Position of a new entry; TCF_NONE: there are too many, or m->out_of_memory. */
static uint32_t new_sent(matcher *m)
{
    uint32_t k = m->free_sent;
    if (k != TCF_NONE) {
        m->free_sent = m->sent[k].next_free;
        return k;
    }
    if (m->n_sent == MOST_SENT)
        return TCF_NONE;
    if (TCF_GROW(&m->sent, &m->sent_capacity, m->n_sent) != 0) {
        m->out_of_memory = 1;
        return TCF_NONE;
    }
    return m->n_sent++;
}

/* Event i ends a send, as TCF_POST_WAITED, or it will not be seen to end: TCF_POST_UNAWAITED. */
static tcf_status end_sent(matcher *m, slice *s, uint32_t i, uint32_t k, tcf_post role)
{
    edge_ref where;
    tcf_edge *e = add_edge(m, s, i, role, &where);
    if (!e)
        return match_out_of_memory();
    const sent *x = &m->sent[k];
    if (x->number != UNRESOLVED) {
        match_number_post(m, e, x->channel, x->number);
    } else {
        pending_post *p = post_at(&m->locations[s->v.location].queue[SENDS], x->pending);
        p->edge = where;
        p->sent = TCF_NONE;
    }
    m->channels[x->channel].open--;
    m->sent[k].next_free = m->free_sent;
    m->free_sent = k;
    return TCF_OK;
}

static tcf_status end_request(matcher *m, slice *s, uint32_t i, uint64_t request, tcf_post role)
{
    const uint32_t k = map_get(&m->sent_of, s->v.location, request);
    if (k == MAP_ABSENT)
        return TCF_OK;
    map_remove(&m->sent_of, s->v.location, request);
    return end_sent(m, s, i, k, role);
}

/* Remembers a send until it ends. 0: m->out_of_memory. */
static int remember(matcher *m, const slice *s, uint32_t i, uint32_t k)
{
    if (s->v.kind[i] == TCF_MPI_SEND)
        m->postings[s->v.location].sent = k;
    else if (map_put(&m->sent_of, s->v.location, s->v.rec[i].mpi_isend.request_id, k) != 0)
        m->out_of_memory = 1;
    return !m->out_of_memory;
}

/* Does a send of so many bytes wait for its receive? */
static int waits(const matcher *m, const posting *at, uint64_t bytes)
{
    return at->send_call == CALL_SYNCHRONOUS ||
           (at->send_call != CALL_BUFFERED_OR_READY && bytes >= m->options.rendezvous);
}

/* Ends what the location has sent before, and whose end the trace doesn't show. */
static tcf_status end_older(matcher *m, slice *s, uint32_t i)
{
    posting *at = &m->postings[s->v.location];
    if (s->v.kind[i] == TCF_MPI_ISEND)
        return end_request(m, s, i, s->v.rec[i].mpi_isend.request_id, TCF_POST_UNAWAITED);
    const uint32_t k = at->sent;
    at->sent = TCF_NONE;
    return k == TCF_NONE ? TCF_OK : end_sent(m, s, i, k, TCF_POST_UNAWAITED);
}

tcf_status match_post_sent(matcher *m, slice *s, uint32_t i, uint32_t channel_index, uint32_t position, uint64_t number)
{
    const queue *q = &m->locations[s->v.location].queue[SENDS];
    if (end_older(m, s, i) != TCF_OK)
        return TCF_ERROR;
    const uint32_t posts = channel_of_posts(m, channel_index);
    if (posts == TCF_NONE)
        return m->out_of_memory ? match_out_of_memory() : TCF_OK;
    pending_post *pending = number == UNRESOLVED ? post_at(q, position) : NULL;
    if (pending) {
        pending->channel = posts;
        hold(m, posts);
    }
    const uint64_t bytes =
        s->v.kind[i] == TCF_MPI_SEND ? s->v.rec[i].mpi_send.msg_length : s->v.rec[i].mpi_isend.msg_length;
    const uint32_t k = waits(m, &m->postings[s->v.location], bytes) ? new_sent(m) : TCF_NONE;
    if (k != TCF_NONE) {
        m->sent[k] = (sent){.channel = posts, .number = number, .pending = position};
        hold(m, posts);
        if (pending)
            pending->sent = k;
        return remember(m, s, i, k) ? TCF_OK : match_out_of_memory();
    }
    edge_ref where;
    tcf_edge *e = m->out_of_memory ? NULL : add_edge(m, s, i, TCF_POST_UNAWAITED, &where);
    if (!e)
        return match_out_of_memory();
    if (pending)
        pending->edge = where;
    else
        match_number_post(m, e, posts, number);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ receives -- */

tcf_status match_post_request(matcher *m, slice *s, uint32_t i)
{
    const queue *q = &m->locations[s->v.location].queue[RECEIVES];
    pending_post *x = post_at(q, q->tail - 1);
    return add_edge(m, s, i, TCF_POST_POSTED, &x->edge) ? TCF_OK : match_out_of_memory();
}

tcf_status match_post_received(matcher *m, slice *s, uint32_t i, const pending_op *p, uint32_t channel_index)
{
    const queue *q = &m->locations[s->v.location].queue[RECEIVES];
    pending_post *x = post_at(q, (uint32_t)(p - q->room->at));
    posting *at = &m->postings[s->v.location];
    const uint32_t posts = channel_of_posts(m, channel_index);
    if (posts == TCF_NONE)
        return m->out_of_memory ? match_out_of_memory() : TCF_OK;
    x->channel = posts;
    hold(m, posts);
    if (!x->edge.block && s->v.kind[i] == TCF_MPI_RECV) {
        x->edge = at->receive;
        at->receive.block = NULL;
    }
    if (!x->edge.block && !add_edge(m, s, i, TCF_POST_POSTED, &x->edge))
        return match_out_of_memory();
    return TCF_OK;
}

int match_expire_post(matcher *m, uint32_t location, int force)
{
    posting *at = &m->postings[location];
    if (!at->receive.block || (!force && m->locations[location].decoded - 1 - at->receive_event < m->options.lookahead))
        return 0;
    match_drop_post(at->receive);
    at->receive.block = NULL;
    return 1;
}

/* --------------------------------------------------------------------------------------------------------- calls -- */

/* The receive of the open call is posted at event i. */
static tcf_status post_receive(matcher *m, slice *s, uint32_t i)
{
    posting *at = &m->postings[s->v.location];
    match_expire_post(m, s->v.location, 1);
    if (!add_edge(m, s, i, TCF_POST_POSTED, &at->receive))
        return match_out_of_memory();
    at->receive_event = s->v.first + i;
    at->receive_depth = at->depth;
    return TCF_OK;
}

static tcf_status enter(matcher *m, slice *s, uint32_t i, uint8_t call)
{
    posting *at = &m->postings[s->v.location];
    at->depth++;
    if (call == CALL_RECEIVES)
        return post_receive(m, s, i);
    if (call != CALL_ORDINARY) {
        at->send_call = call;
        at->send_depth = at->depth;
    }
    return TCF_OK;
}

static void leave(matcher *m, uint32_t location)
{
    posting *at = &m->postings[location];
    if (at->depth <= at->receive_depth)
        match_expire_post(m, location, 1);
    if (at->depth <= at->send_depth)
        at->send_call = CALL_ORDINARY;
    at->depth -= at->depth > 0;
}

tcf_status match_feed_post(matcher *m, slice *s, uint32_t i, int may_end)
{
    posting *at = &m->postings[s->v.location];
    const uint8_t kind = s->v.kind[i];
    const int entering = tcf_is_enter(kind), leaving = tcf_is_leave(kind);
    const uint32_t region = entering || leaving ? tcf_region_of_event(m->defs, &s->v, i) : TCF_NONE;
    const int known = region < m->defs->n_regions;
    const uint8_t call = known ? m->call[region] : CALL_ORDINARY;
    if (known && (m->meaning[region] != REGION_ORDINARY || (entering && call == CALL_RECEIVES)))
        may_end = 0; /* the event has an edge of its own */
    if (kind == TCF_MPI_ISEND_COMPLETE)
        return end_request(m, s, i, s->v.rec[i].mpi_isend_complete.request_id, TCF_POST_WAITED);
    if (kind == TCF_MPI_REQUEST_CANCELLED)
        return end_request(m, s, i, s->v.rec[i].mpi_request_cancelled.request_id, TCF_POST_UNAWAITED);
    if (at->sent != TCF_NONE && may_end) {
        const uint32_t k = at->sent;
        at->sent = TCF_NONE;
        if (end_sent(m, s, i, k, TCF_POST_WAITED) != TCF_OK)
            return TCF_ERROR;
    }
    if (kind == TCF_MPI_SEND && at->receive.block && at->depth == at->receive_depth)
        return post_receive(m, s, i); /* MPI_Sendrecv records its send, and then begins both */
    if (entering)
        return enter(m, s, i, call);
    if (leaving)
        leave(m, s->v.location);
    return TCF_OK;
}
