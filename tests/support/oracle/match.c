/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Point-to-point matching (D8, D9 of oracle.h), and the frame that puts all parts of the matching together. Sends and
 * receives are sorted by channel and by their number within it, then the k-th send is joined to the k-th receive. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const o_class_names[O_CLASSES] = {
    [O_P2P] = "p2p",
    [O_ONE_TO_N] = "one_to_n",
    [O_N_TO_ONE] = "n_to_one",
    [O_N_TO_N] = "n_to_n",
    [O_SCAN] = "scan",
    [O_EXSCAN] = "exscan",
    [O_RMA_ONE_TO_N] = "rma_one_to_n",
    [O_RMA_N_TO_ONE] = "rma_n_to_one",
    [O_RMA_N_TO_N] = "rma_n_to_n",
    [O_RMA_SCAN] = "rma_scan",
    [O_RMA_EXSCAN] = "rma_exscan",
    [O_FORK] = "fork",
    [O_JOIN] = "join",
    [O_CREATE] = "thread_create",
    [O_WAIT] = "thread_wait",
    [O_LOCK] = "lock",
    [O_BARRIER] = "omp_barrier",
    [O_RMA_OP] = "rma_op",
};

struct item {
    const struct o_canon *canon;
    uint64_t comm, canon_id, place_time;
    uint32_t process, source_rank, target_rank, tag;
    uint8_t source_side;
    bool receives, resolved;
    size_t location, place, event;
};

static int compare_channels(const struct item *x, const struct item *y)
{
    int order = o_compare_u64(x->canon_id, y->canon_id);
    if (!order)
        order = o_compare_u64(x->process, y->process);
    if (!order)
        order = o_compare_u64(x->source_side, y->source_side);
    if (!order)
        order = o_compare_u64(x->source_rank, y->source_rank);
    if (!order)
        order = o_compare_u64(x->target_rank, y->target_rank);
    if (!order)
        order = o_compare_u64(x->tag, y->tag);
    return order;
}

/* Unresolved ones last, then by channel, sends before receives, then by number within the channel. */
static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = (int)y->resolved - (int)x->resolved;
    if (!order)
        order = compare_channels(x, y);
    if (!order)
        order = (int)x->receives - (int)y->receives;
    if (!order)
        order = o_compare_u64(x->place_time, y->place_time);
    if (!order)
        order = o_compare_u64(x->location, y->location);
    if (!order)
        order = o_compare_u64(x->place, y->place);
    return order ? order : o_compare_u64(x->event, y->event);
}

static bool is_receive(enum o_kind kind)
{
    return kind == O_MPI_RECV || kind == O_MPI_IRECV;
}

static void add_item(const struct o_matching *m, struct o_list *items, size_t l, size_t e)
{
    const struct o_event *event = &m->trace->location[l].event[e];
    struct item *item = o_push(items, sizeof *item);
    uint32_t partner = (uint32_t)event->field[0];
    *item = (struct item){.comm = event->field[1],
                          .canon_id = event->field[1],
                          .tag = (uint32_t)event->field[2],
                          .receives = is_receive(event->kind),
                          .location = l,
                          .event = e,
                          .place = e,
                          .source_rank = O_NO_RANK,
                          .target_rank = O_NO_RANK};
    if (event->kind == O_MPI_IRECV && o_usable_post(m, l, e) != O_NONE)
        item->place = o_usable_post(m, l, e);
    item->place_time = m->running[l][item->place];
    *(item->receives ? &item->source_rank : &item->target_rank) = partner;
    struct o_place place;
    if (!o_comm_place(m->trace, &m->comms, item->comm, l, &place))
        return;
    item->resolved = true;
    item->canon = place.canon;
    item->canon_id = place.canon->id;
    item->process = place.process;
    *(item->receives ? &item->target_rank : &item->source_rank) = place.rank;
    item->source_side = place.canon->inter && item->receives ? (uint8_t)(1 - place.side) : place.side;
}

static void add_message(struct o_matching *m, const struct item *send, const struct item *receive, bool trusted)
{
    const struct item *any = send ? send : receive;
    struct o_message *message = o_push(&m->messages, sizeof *message);
    *message = (struct o_message){.canon = any->canon,
                                  .comm = any->comm,
                                  .process = any->process,
                                  .source_rank = any->source_rank,
                                  .target_rank = any->target_rank,
                                  .tag = any->tag,
                                  .source_side = any->source_side,
                                  .trusted = trusted,
                                  .source_location = send ? send->location : O_NONE,
                                  .source = send ? send->event : O_NONE,
                                  .target_location = receive ? receive->location : O_NONE,
                                  .target = receive ? receive->event : O_NONE};
    if (!send || !receive || !trusted)
        return;
    o_begin_relation(m, O_P2P, O_ALL);
    o_add_participant(m, &(struct o_participant){.location = send->location, .source = send->event, .target = O_NONE});
    o_add_participant(m, &(struct o_participant){.location = receive->location,
                                                 .source = O_NONE,
                                                 .target = receive->event});
}

/* Does any location that communicates as the receiver of this channel have receive requests that never complete? */
static bool receiver_loses_requests(const struct o_matching *m, const struct item *channel)
{
    for (size_t l = 0; l < m->trace->n_locations; l++) {
        struct o_place place;
        if (!m->requests.never_completed[l] || !o_comm_place(m->trace, &m->comms, channel->comm, l, &place))
            continue;
        uint8_t target_side = channel->canon->inter ? (uint8_t)(1 - channel->source_side) : channel->source_side;
        if (place.process == channel->process && place.side == target_side && place.rank == channel->target_rank)
            return true;
    }
    return false;
}

static void join_channel(struct o_matching *m, const struct item *item, size_t n)
{
    size_t n_sends = 0;
    while (n_sends < n && !item[n_sends].receives)
        n_sends++;
    size_t n_receives = n - n_sends;
    bool trusted = m->trusting || n_receives == n_sends || !receiver_loses_requests(m, item);
    for (size_t k = 0; k < n_sends || k < n_receives; k++)
        add_message(m, k < n_sends ? &item[k] : NULL, k < n_receives ? &item[n_sends + k] : NULL, trusted);
}

void o_match_messages(struct o_matching *m)
{
    struct o_list items = {0};
    for (size_t l = 0; l < m->trace->n_locations; l++)
        for (size_t e = 0; e < m->trace->location[l].n; e++) {
            enum o_kind kind = m->trace->location[l].event[e].kind;
            if (kind == O_MPI_SEND || kind == O_MPI_ISEND || is_receive(kind))
                add_item(m, &items, l, e);
        }
    struct item *item = items.item;
    if (items.n)
        qsort(item, items.n, sizeof *item, compare_items);
    for (size_t i = 0; i < items.n;) {
        size_t end = i + 1;
        if (!item[i].resolved) {
            add_message(m, item[i].receives ? NULL : &item[i], item[i].receives ? &item[i] : NULL, true);
        } else {
            while (end < items.n && item[end].resolved && !compare_channels(&item[i], &item[end]))
                end++;
            join_channel(m, &item[i], end - i);
        }
        i = end;
    }
    free(items.item);
}

/* ---- relations ---- */

size_t o_begin_relation(struct o_matching *m, enum o_class class, enum o_rule rule)
{
    struct o_relation *relation = o_push(&m->relations, sizeof *relation);
    *relation = (struct o_relation){.class = class, .rule = rule, .first = m->participants.n};
    return m->relations.n - 1;
}

void o_relate_in(struct o_matching *m, const struct o_canon *canon, bool barrier)
{
    struct o_relation *relation = (struct o_relation *)m->relations.item + m->relations.n - 1;
    relation->canon = canon;
    relation->barrier = barrier;
}

const struct o_canon *o_canon_of(const struct o_matching *m, uint64_t id)
{
    const struct o_comm *comm = o_find(&m->trace->comms, sizeof *comm, id);
    return comm ? &m->comms.canon[m->comms.class_of[comm - (const struct o_comm *)m->trace->comms.item]] : NULL;
}

bool o_is_known(const struct o_matching *m, uint64_t comm)
{
    const struct o_canon *canon = o_canon_of(m, comm);
    return canon && canon->resolved;
}

bool o_is_team(const struct o_matching *m, uint64_t comm)
{
    return o_is_known(m, comm) && o_canon_of(m, comm)->paradigm != OTF2_PARADIGM_MPI;
}

/* Belongs to the relation begun last. */
void o_add_participant(struct o_matching *m, const struct o_participant *participant)
{
    struct o_participant *p = o_push(&m->participants, sizeof *p);
    *p = *participant;
    struct o_relation *relation = (struct o_relation *)m->relations.item + m->relations.n - 1;
    relation->n++;
}

static bool depends(enum o_rule rule, const struct o_participant *source, const struct o_participant *target)
{
    switch (rule) {
    case O_LOWER_RANKS:
        return source->rank < target->rank;
    case O_OTHER_SIDE:
        return source->side != target->side;
    default:
        return true;
    }
}

/* Is there an edge from participant s to participant t? */
static bool binds(const struct o_relation *relation, const struct o_participant *p, size_t s, size_t t)
{
    return s != t && p[s].source != O_NONE && p[t].target != O_NONE && depends(relation->rule, &p[s], &p[t]);
}

static struct o_edge edge_of(const struct o_relation *relation, const struct o_participant *p, size_t s, size_t t)
{
    return (struct o_edge){relation->class, p[s].location, p[s].source, p[t].location, p[t].target, relation};
}

bool o_each_edge_into(const struct o_matching *m, const struct o_relation *relation, size_t t, o_edge_call each,
                      void *user)
{
    const struct o_participant *p = (const struct o_participant *)m->participants.item + relation->first;
    for (size_t s = 0; s < relation->n; s++) {
        struct o_edge edge = edge_of(relation, p, s, t);
        if (binds(relation, p, s, t) && !each(user, &edge))
            return false;
    }
    return true;
}

bool o_each_edge_from(const struct o_matching *m, const struct o_relation *relation, size_t s, o_edge_call each,
                      void *user)
{
    const struct o_participant *p = (const struct o_participant *)m->participants.item + relation->first;
    for (size_t t = 0; t < relation->n; t++) {
        struct o_edge edge = edge_of(relation, p, s, t);
        if (binds(relation, p, s, t) && !each(user, &edge))
            return false;
    }
    return true;
}

bool o_each_edge(const struct o_matching *m, const struct o_relation *relation, o_edge_call each, void *user)
{
    for (size_t t = 0; t < relation->n; t++)
        if (!o_each_edge_into(m, relation, t, each, user))
            return false;
    return true;
}

/* ---- all of it ---- */

static void running_times(struct o_matching *m)
{
    m->running = o_alloc(m->trace->n_locations, sizeof *m->running);
    for (size_t l = 0; l < m->trace->n_locations; l++) {
        const struct o_location *location = &m->trace->location[l];
        m->running[l] = o_alloc(location->n, sizeof **m->running);
        uint64_t largest = 0;
        for (size_t e = 0; e < location->n; e++) {
            if (location->event[e].time > largest)
                largest = location->event[e].time;
            m->running[l][e] = largest;
        }
    }
}

static struct o_matching *match_all(const struct o_trace *trace, uint64_t lookahead, bool trusting, bool surveyed)
{
    struct o_matching *m = o_alloc(1, sizeof *m);
    m->trace = trace;
    m->lookahead = lookahead;
    m->trusting = trusting;
    m->surveyed = surveyed;
    running_times(m);
    o_comms_build(trace, &m->comms);
    o_match_requests(m);
    o_match_messages(m);
    o_match_collectives(m);
    o_match_threads(m);
    o_match_barriers(m);
    o_match_rma(m);
    return m;
}

struct o_matching *o_match_with(const struct o_trace *trace, uint64_t lookahead, bool trusting)
{
    return match_all(trace, lookahead, trusting, false);
}

struct o_matching *o_match_surveyed(const struct o_trace *trace, uint64_t lookahead)
{
    return match_all(trace, lookahead, false, true);
}

struct o_matching *o_match(const struct o_trace *trace, uint64_t lookahead)
{
    return o_match_with(trace, lookahead, false);
}

void o_match_free(struct o_matching *m)
{
    o_free_requests(m);
    o_comms_free(&m->comms);
    for (size_t l = 0; l < m->trace->n_locations; l++)
        free(m->running[l]);
    free(m->running);
    free(m->messages.item);
    free(m->members.item);
    free(m->thread_edges.item);
    free(m->barriers.item);
    free(m->relations.item);
    free(m->participants.item);
    free(m);
}
