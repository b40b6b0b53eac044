/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collective operations (D10, D11 of oracle.h): members are sorted by sequence and number, equal numbers form an
 * instance, and the class of the operation says which begins must precede which ends. */
#include "oracle.h"

#include <stdlib.h>

enum shape { FREE, ONE_TO_N, N_TO_ONE, N_TO_N, SCAN, EXSCAN };

static enum shape shape_of(uint8_t op)
{
    switch (op) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return ONE_TO_N;
    case OTF2_COLLECTIVE_OP_REDUCE:
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
        return N_TO_ONE;
    case OTF2_COLLECTIVE_OP_BARRIER:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return N_TO_N;
    case OTF2_COLLECTIVE_OP_SCAN:
        return SCAN;
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return EXSCAN;
    default:
        return FREE;
    }
}

/* Operations in which every member has a length of its own, which may be zero. */
static bool varies(uint8_t op)
{
    return op == OTF2_COLLECTIVE_OP_GATHERV || op == OTF2_COLLECTIVE_OP_SCATTERV ||
           op == OTF2_COLLECTIVE_OP_ALLGATHERV || op == OTF2_COLLECTIVE_OP_ALLTOALLV ||
           op == OTF2_COLLECTIVE_OP_ALLTOALLW || op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
}

static enum o_class class_of(enum shape shape, bool rma)
{
    switch (shape) {
    case ONE_TO_N:
        return rma ? O_RMA_ONE_TO_N : O_ONE_TO_N;
    case N_TO_ONE:
        return rma ? O_RMA_N_TO_ONE : O_N_TO_ONE;
    case SCAN:
        return rma ? O_RMA_SCAN : O_SCAN;
    case EXSCAN:
        return rma ? O_RMA_EXSCAN : O_EXSCAN;
    default:
        return rma ? O_RMA_N_TO_N : O_N_TO_N;
    }
}

static int compare_sequences(const struct o_member *x, const struct o_member *y)
{
    int order = (int)y->rma < (int)x->rma ? 1 : (int)y->rma > (int)x->rma ? -1 : 0;
    if (!order)
        order = (x->canon == NULL) - (y->canon == NULL);
    if (!order)
        order = o_compare_u64(x->sequence, y->sequence);
    if (!order)
        order = o_compare_u64(x->process, y->process);
    return order;
}

static int compare_ranks(const struct o_member *x, const struct o_member *y)
{
    int order = o_compare_u64(x->side, y->side);
    return order ? order : o_compare_u64(x->rank, y->rank);
}

static int compare_postings(const struct o_member *x, const struct o_member *y)
{
    int order = o_compare_u64(x->place_time, y->place_time);
    if (!order)
        order = o_compare_u64(x->location, y->location);
    if (!order)
        order = o_compare_u64(x->place, y->place);
    return order ? order : o_compare_u64(x->end, y->end);
}

static int by_member(const void *a, const void *b)
{
    int order = compare_sequences(a, b);
    if (!order)
        order = compare_ranks(a, b);
    return order ? order : compare_postings(a, b);
}

static int by_instance(const void *a, const void *b)
{
    const struct o_member *x = a, *y = b;
    int order = compare_sequences(x, y);
    if (!order)
        order = o_compare_u64(x->instance, y->instance);
    if (!order)
        order = compare_ranks(x, y);
    return order ? order : compare_postings(x, y);
}

static void resolve(struct o_matching *m, struct o_member *member)
{
    uint64_t comm = member->id;
    member->sequence = member->id;
    if (member->rma) {
        const struct o_win *win = o_find(&m->trace->wins, sizeof *win, member->id);
        if (!win)
            return;
        comm = win->comm;
    }
    struct o_place place;
    if (!o_comm_place(m->trace, &m->comms, comm, member->location, &place))
        return;
    member->canon = place.canon;
    member->process = place.process;
    member->rank = place.rank;
    member->side = place.side;
    if (!member->rma)
        member->sequence = place.canon->id;
}

/* Does it come behind a collective that was under way when its location ended? */
static bool is_cut_off(const struct o_matching *m, const struct o_member *member)
{
    for (size_t l = 0; l < m->trace->n_locations; l++) {
        size_t open = m->requests.under_way[l];
        if (open == O_NONE || !o_are_one(m->trace, l, member->location))
            continue;
        int order = o_compare_u64(m->running[l][open], member->place_time);
        if (!order)
            order = o_compare_u64(l, member->location);
        if (!order)
            order = o_compare_u64(open, member->place);
        if (order < 0)
            return true;
    }
    return false;
}

static void add_member(struct o_matching *m, size_t l, size_t e)
{
    const struct o_event *event = &m->trace->location[l].event[e];
    bool rma = event->kind == O_RMA_COLLECTIVE_END;
    const uint64_t *field = event->field; /* op, communicator, ... or op, sync level, window, ... */
    int next = rma ? 2 : 1;
    struct o_member *member = o_push(&m->members, sizeof *member);
    *member = (struct o_member){.rma = rma,
                                .op = (uint8_t)field[0],
                                .id = field[next],
                                .root = (uint32_t)field[next + 1],
                                .sent = field[next + 2],
                                .received = field[next + 3],
                                .sync_level = rma ? field[1] : OTF2_RMA_SYNC_LEVEL_PROCESS,
                                .location = l,
                                .end = e,
                                .begin = o_usable_post(m, l, e),
                                .rank = O_NO_RANK,
                                .instance = O_NONE};
    member->place = member->begin == O_NONE ? e : member->begin;
    member->place_time = m->running[l][member->place];
    resolve(m, member);
    if (!rma && is_cut_off(m, member))
        member->canon = NULL;
}

static void number_members(struct o_member *member, size_t n)
{
    if (n)
        qsort(member, n, sizeof *member, by_member);
    for (size_t i = 0; i < n; i++) {
        if (!member[i].canon)
            continue;
        bool first =
            i == 0 || compare_sequences(&member[i - 1], &member[i]) || compare_ranks(&member[i - 1], &member[i]);
        member[i].instance = first ? 0 : member[i - 1].instance + 1;
    }
}

/* Decides whether a member's begin is a source and its end a target, from its own record alone. */
static void set_roles(struct o_member *member)
{
    bool inter = member->canon->inter;
    bool root = inter ? member->root == OTF2_COLLECTIVE_ROOT_SELF : member->root == member->rank;
    bool outside = inter && member->root == OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    size_t size = member->canon->self ? 1 : member->canon->side[member->side].n;
    bool source = false, target = false;
    switch (shape_of(member->op)) {
    case FREE:
        break;
    case ONE_TO_N:
        source = root;
        target = !root && !outside;
        break;
    case N_TO_ONE:
        source = !root && !outside;
        target = root;
        break;
    case N_TO_N:
        source = target = true;
        break;
    case SCAN:
    case EXSCAN:
        source = member->rank + 1 < size;
        target = member->rank > 0;
        break;
    }
    if (varies(member->op)) {
        source = source && member->sent > 0;
        target = target && member->received > 0;
    }
    if (member->released)
        source = target = false;
    bool constrained = member->sync_level & OTF2_RMA_SYNC_LEVEL_PROCESS;
    member->gives = constrained && source && member->begin != O_NONE;
    member->is_source = member->consistent && member->gives;
    member->is_target = member->consistent && constrained && target;
}

static bool has_no_data(const struct o_member *member)
{
    return member->sent == 0 && member->received == 0;
}

/* What the sizes of an instance say: some of its members have data, or none of them. */
struct sizes {
    uint32_t with, without, partly; /* bits 1 << op */
};

static void note_sizes(struct o_matching *m, struct o_member *member, size_t n, void *user)
{
    struct sizes *s = user;
    size_t empty = 0, mixed = 0;
    (void)m;
    for (size_t i = 0; i < n; i++) {
        empty += has_no_data(&member[i]);
        mixed += member[i].op != member[0].op;
    }
    if (mixed || member[0].rma || shape_of(member[0].op) == FREE || member[0].op == OTF2_COLLECTIVE_OP_BARRIER)
        return;
    uint32_t op = UINT32_C(1) << member[0].op;
    s->with |= empty < n ? op : 0;
    s->without |= empty == n && !varies(member[0].op) ? op : 0;
    s->partly |= empty > 0 && empty < n ? op : 0;
}

static void relate_instance(struct o_matching *m, struct o_member *member, size_t n, void *user)
{
    (void)user;
    bool consistent = true;
    for (size_t i = 1; i < n; i++)
        consistent = consistent && member[i].op == member[0].op;
    enum shape shape = shape_of(member[0].op);
    enum o_rule rule = shape == SCAN || shape == EXSCAN ? O_LOWER_RANKS : member[0].canon->inter ? O_OTHER_SIDE : O_ALL;
    bool begun = false;
    for (size_t i = 0; i < n; i++) {
        member[i].consistent = consistent;
        set_roles(&member[i]);
        if (!member[i].is_source && !member[i].is_target)
            continue;
        if (!begun) {
            o_begin_relation(m, class_of(shape, member[0].rma), rule);
            o_relate_in(m, member[0].canon, member[0].op == OTF2_COLLECTIVE_OP_BARRIER);
        }
        begun = true;
        o_add_participant(m, &(struct o_participant){.location = member[i].location,
                                                     .source = member[i].is_source ? member[i].begin : O_NONE,
                                                     .target = member[i].is_target ? member[i].end : O_NONE,
                                                     .rank = member[i].rank,
                                                     .side = member[i].side});
    }
}

typedef void instance_call(struct o_matching *m, struct o_member *member, size_t n, void *user);

static void each_instance(struct o_matching *m, struct o_member *member, size_t n, instance_call *call, void *user)
{
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && member[i].canon && !compare_sequences(&member[i], &member[end]) &&
               member[end].instance == member[i].instance)
            end++;
        if (member[i].canon)
            call(m, &member[i], end - i, user);
        i = end;
    }
}

void o_match_collectives(struct o_matching *m)
{
    for (size_t l = 0; l < m->trace->n_locations; l++)
        for (size_t e = 0; e < m->trace->location[l].n; e++) {
            enum o_kind kind = m->trace->location[l].event[e].kind;
            if (kind == O_MPI_COLLECTIVE_END || kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE ||
                kind == O_RMA_COLLECTIVE_END)
                add_member(m, l, e);
        }
    struct o_member *member = m->members.item;
    size_t n = m->members.n;
    number_members(member, n);
    if (n)
        qsort(member, n, sizeof *member, by_instance);
    struct sizes sizes = {0, 0, 0};
    each_instance(m, member, n, note_sizes, &sizes);
    uint32_t released = sizes.with && m->surveyed ? sizes.without & ~sizes.partly : 0;
    for (size_t i = 0; i < n; i++)
        member[i].released = !member[i].rma && released >> (member[i].op & 31) & 1 && has_no_data(&member[i]);
    each_instance(m, member, n, relate_instance, NULL);
}
