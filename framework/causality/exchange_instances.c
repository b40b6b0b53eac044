/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collective instances in flight: who has arrived, who may leave; see exchange.h. Instances of a channel all have the
 * same size, so each channel keeps its used ones for the next. */
#include "exchange_internal.h"

#include <tcflow/grow.h>

void exchange_free_instance(instance *i)
{
    free(i->present);
    free(i->at_end_bit);
    free(i->cells);
    free(i->scan);
    free(i->scan_any);
    free(i->members);
    free(i->scan_answers);
    free(i);
}

/* The members of a fork are told apart from those of the join of the same team. */
static inline uint64_t instance_key(const tcf_edge *e)
{
    return (uint64_t)e->channel << 1 | (e->class_ == TCF_CLASS_JOIN);
}

static uint32_t comm_of(const exchange *x, const tcf_edge *e)
{
    const channel *c = channel_at(x, e->channel);
    return c->type == TCF_CHANNEL_RMA ? e->peer : c->comm;
}

static void instance_shape(const exchange *x, instance *i, const tcf_edge *e)
{
    i->comm = comm_of(x, e);
    const tcf_comm *k = &x->defs->comms[i->comm];
    uint32_t n = membership_size(k);
    i->size[0] = k->self ? 1 : k->size;
    i->size[1] = k->inter ? k->remote_size : 0;
    i->ends = n;
    if (e->class_ == TCF_CLASS_FORK)
        i->size[0] = 1;
    if (e->class_ == TCF_CLASS_JOIN)
        i->ends = 1;
}

static instance *instance_allocate(exchange *x, const tcf_edge *e)
{
    const uint32_t members = membership_size(&x->defs->comms[comm_of(x, e)]);
    instance *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    size_t words = members / 64u + 1u;
    i->present = malloc(words * sizeof *i->present);
    i->at_end_bit = malloc(words * sizeof *i->at_end_bit);
    i->cells = malloc((2u * x->options.publishers + 1u) * sizeof *i->cells);
    i->members = malloc((size_t)members * x->options.member_bytes + 1u);
    if (!i->present || !i->at_end_bit || !i->cells || !i->members ||
        TCF_GROW(&x->instances, &x->instances_capacity, x->n_instances) != 0) {
        exchange_free_instance(i);
        return NULL;
    }
    i->index = x->n_instances;
    x->instances[x->n_instances++] = i;
    return i;
}

/* Nobody has come yet. What has been allocated stays, and so does the index. */
static void instance_reset(const exchange *x, instance *i, const tcf_edge *e)
{
    instance fresh = {.index = i->index,
                      .present = i->present,
                      .at_end_bit = i->at_end_bit,
                      .cells = i->cells,
                      .members = i->members,
                      .scan_answers = i->scan_answers,
                      .scan = i->scan,
                      .scan_any = i->scan_any,
                      .number = e->number,
                      .channel = e->channel,
                      .waiter = NONE,
                      .lowest = NONE,
                      .first_lacking = NONE,
                      .source = {NONE, NONE},
                      .root = TCF_NONE,
                      .first_end = UINT64_MAX,
                      .class_ = e->class_,
                      .op = e->op,
                      .phase = e->class_ == TCF_CLASS_JOIN};
    instance_shape(x, &fresh, e);
    const uint32_t members = membership_size(&x->defs->comms[fresh.comm]);
    for (int side = 0; side < 2; side++)
        fresh.answer[side] = (answers){{UINT64_MAX, UINT64_MAX}, NONE};
    memset(i->present, 0, (members / 64u + 1u) * sizeof *i->present);
    memset(i->at_end_bit, 0, (members / 64u + 1u) * sizeof *i->at_end_bit);
    memset(i->cells, 0, (2u * x->options.publishers + 1u) * sizeof *i->cells);
    memset(i->members, 0, (size_t)members * x->options.member_bytes);
    if (i->scan_answers)
        memset(i->scan_answers, UINT8_MAX, members * sizeof *i->scan_answers);
    if (i->scan_any)
        memset(i->scan_any, 0, (size_t)members * x->options.publishers);
    *i = fresh;
}

/* Room for what the ranks of a scan publish and answer. Members of one instance may call different operations. */
static tcf_status scan_allocate(const exchange *x, instance *i)
{
    const size_t members = membership_size(&x->defs->comms[i->comm]), n = members * x->options.publishers;
    if (i->scan)
        return TCF_OK;
    i->scan_any = calloc(n + 1, 1);
    if (x->options.answers && (i->scan_answers = malloc(members * sizeof *i->scan_answers + 1)))
        memset(i->scan_answers, UINT8_MAX, members * sizeof *i->scan_answers);
    if (i->scan_any && (i->scan_answers || !x->options.answers))
        i->scan = calloc(3 * n + 1, sizeof *i->scan);
    return i->scan ? TCF_OK : tcf_fail("out of memory for %zu members of a scan", members);
}

/* The instance that an edge belongs to, made when it is the first of it; NULL: out of memory, see the cause. */
static instance *instance_get(exchange *x, const tcf_edge *e)
{
    uint32_t found = map_get(&x->instance_of, instance_key(e), e->number);
    if (found != MAP_ABSENT)
        return x->instances[found];
    line *l = exchange_line(x, e->channel);
    if (!l)
        return NULL;
    instance *i = NULL;
    if (l->free_instance != NONE) {
        i = x->instances[l->free_instance];
        l->free_instance = i->next_free;
    } else {
        i = instance_allocate(x, e);
    }
    if (i)
        instance_reset(x, i, e);
    if (i && map_put(&x->instance_of, instance_key(e), e->number, i->index) == 0)
        return i;
    tcf_fail("out of memory for collective operations in flight");
    return NULL;
}

static void instance_retire(exchange *x, instance *i)
{
    map_remove(&x->instance_of, (uint64_t)i->channel << 1 | i->phase, i->number);
    line *l = &x->lines[i->channel];
    i->next_free = l->free_instance;
    l->free_instance = i->index;
}

static void note_present(instance *i, uint32_t p, int side)
{
    i->present[p / 64] |= 1ull << p % 64;
    i->arrived[side]++;
    while (i->prefix < i->size[0] && i->present[i->prefix / 64] >> i->prefix % 64 & 1)
        i->prefix++;
}

/* Will nobody come to the instance with a rank? rank: within its side. */
static int is_missing(const exchange *x, const instance *i, int side, uint32_t rank)
{
    const tcf_comm *c = &x->defs->comms[i->comm];
    const membership *m = matcher_membership(x->m);
    uint32_t member = side ? c->remote_location[rank] : c->location[rank];
    uint8_t its_side;
    if (member == TCF_NONE || exchange_member_ended(x, i->comm, member))
        return 1;
    return m->gaps && (membership_rank(m, i->comm, member, &its_side) != rank || its_side != side);
}

/* Members that have ended without getting here never will: they count as having arrived with nothing to give. The
 * others go by who is left, for the k-th collective of a member is the k-th of the rest, whoever is missing. Ranks are
 * looked at in order, each one once. */
static void settle(exchange *x, instance *i, int side)
{
    const tcf_comm *c = &x->defs->comms[i->comm];
    if (!x->any_missing || c->self)
        return;
    uint32_t n = side ? c->remote_size : c->size;
    for (; i->settled[side] < n; i->settled[side]++) {
        uint32_t p = side ? c->size + i->settled[side] : i->settled[side];
        if (i->present[p / 64] >> p % 64 & 1)
            continue;
        if (!is_missing(x, i, side, i->settled[side]))
            return;
        if (all_lacking(i) == 0) {
            i->first_lacking = i->settled[side];
            x->counts.incomplete_instances += !i->given_up;
        }
        i->lacking[side]++;
        if (i->class_ != TCF_CLASS_FORK) /* of a fork one member arrives only */
            note_present(i, p, side);
    }
}

/* Has a source of the edge passed? A member's own begin, which may stand in this very span, is none. */
static int has_source(const exchange *x, const instance *i, const tcf_edge *e, int side)
{
    if (scan_class(e->class_))
        return i->lowest < e->rank;
    if (e->class_ == TCF_CLASS_ONE_TO_N || e->class_ == TCF_CLASS_FORK)
        return i->source_passed;
    return i->source[side] != NONE && i->source[side] != place_of(x, i, e);
}

/* Of a scan the lower ranks alone. */
static int lacks_source(const instance *i, const tcf_edge *e, int side)
{
    return scan_class(e->class_) ? i->first_lacking < e->rank : i->lacking[side] > 0;
}

typedef enum readiness {
    NOT_READY,
    READY_WITHOUT_SOURCE, /* nothing is left to wait for */
    READY
} readiness;

/* May a target pass? */
static readiness instance_ready(exchange *x, instance *i, const tcf_edge *e)
{
    int inter = x->defs->comms[i->comm].inter;
    int side = inter && (e->class_ == TCF_CLASS_N_TO_N || e->class_ == TCF_CLASS_BARRIER ||
                         e->class_ == TCF_CLASS_N_TO_ONE || e->class_ == TCF_CLASS_ONE_TO_N)
                   ? !side_of(e)
                   : 0;
    settle(x, i, side);
    int ready = i->arrived[side] >= i->size[side];
    if (e->class_ == TCF_CLASS_ONE_TO_N || e->class_ == TCF_CLASS_FORK)
        ready = ready || i->source_passed;
    else if (scan_class(e->class_))
        ready = i->prefix >= e->rank;
    if (ready) /* higher ranks of a scan, which may have passed or not, are no sources */
        return has_source(x, i, e, side) || !lacks_source(i, e, side) ? READY : READY_WITHOUT_SOURCE;
    return i->broken ? READY_WITHOUT_SOURCE : NOT_READY;
}

/* Do the targets of a class wait for every member, so that there is no point in waking them earlier? */
static int needs_all(uint8_t class_)
{
    return class_ == TCF_CLASS_N_TO_N || class_ == TCF_CLASS_BARRIER || class_ == TCF_CLASS_OMP_BARRIER ||
           class_ == TCF_CLASS_N_TO_ONE || class_ == TCF_CLASS_JOIN;
}

/* A member's begin has passed, or it is known that it has nothing to contribute. */
static void instance_arrive(exchange *x, instance *i, const tcf_edge *e, int contributes)
{
    uint32_t p = place_of(x, i, e);
    if (contributes) {
        uint32_t *source = &i->source[side_of(e)];
        i->source_passed = 1;
        *source = *source == NONE || *source == p ? p : SEVERAL;
    }
    if (contributes && e->rank < i->lowest)
        i->lowest = e->rank;
    if (contributes && (e->class_ == TCF_CLASS_ONE_TO_N || e->class_ == TCF_CLASS_FORK))
        i->root = e->rank;
    if (!(i->present[p / 64] >> p % 64 & 1))
        note_present(i, p, (int)side_of(e));
    else if (!contributes)
        return; /* nothing new: who waits goes on waiting */
    settle(x, i, (int)side_of(e));
    if (i->waiter == NONE)
        return;
    int all = i->arrived[side_of(e)] >= i->size[side_of(e)];
    if (all || (contributes && !scan_class(i->class_) && !needs_all(i->class_)))
        wake_all(x, &i->waiter);
    else if (scan_class(i->class_) && i->prefix > i->told)
        wake_up_to(x, &i->waiter, i->told = i->prefix);
}

/* All members that are there have come and gone: who wants to know is told, and the instance is free for the next. */
static tcf_status instance_left(exchange *x, instance *i)
{
    settle(x, i, 0);
    settle(x, i, 1);
    uint32_t ended = i->class_ == TCF_CLASS_JOIN ? i->ended : i->ended + all_lacking(i);
    if (ended < i->ends || i->arrived[0] < i->size[0] || i->arrived[1] < i->size[1])
        return TCF_OK;
    tcf_status status = TCF_OK;
    i->left = 1;
    if (i->class_ != TCF_CLASS_FORK && i->class_ != TCF_CLASS_JOIN) {
        tcf_instance view = {.comm = i->comm,
                             .number = i->number,
                             .class_ = i->class_,
                             .op = i->op,
                             .root = i->root,
                             .n_members = i->ends,
                             .n_arrived = i->ended,
                             .members = i->members,
                             .stride = x->options.member_bytes};
        status = x->client.complete(x->client.data, &view);
    }
    if (i->held == 0)
        instance_retire(x, i);
    return status;
}

tcf_status exchange_end_instances(exchange *x)
{
    for (uint32_t k = 0; k < x->n_instances; k++)
        if (!x->instances[k]->left && instance_left(x, x->instances[k]) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static int is_end(const tcf_edge *e)
{
    return (e->flags & TCF_EDGE_TARGET) != 0;
}

exchange_answer exchange_prepare_member(exchange *x, uint32_t location, uint64_t time, tcf_edge *e)
{
    instance *i = instance_get(x, e);
    if (!i || (scan_class(e->class_) && scan_allocate(x, i) != TCF_OK))
        return EXCHANGE_FAILED;
    e->slot = i->index;
    int all_ends = x->options.needs_ends && (e->class_ == TCF_CLASS_N_TO_N || e->class_ == TCF_CLASS_BARRIER) &&
                   !(e->side & EDGE_NON_BLOCKING) && !match_has_lengths(e->op);
    if (all_ends && !(e->flags & TCF_EDGE_BEGIN)) { /* also of a member that gets nothing, or whose end was dropped */
        uint32_t p = place_of(x, i, e);
        if (!(i->at_end_bit[p / 64] >> p % 64 & 1)) {
            i->at_end_bit[p / 64] |= 1ull << p % 64;
            if (!(e->flags & TCF_EDGE_GONE) && time < i->first_end)
                i->first_end = time;
            if (++i->at_end + all_lacking(i) >= i->ends)
                wake_all(x, &i->waiter);
        }
    }
    if (!is_end(e) || e->flags & TCF_EDGE_GONE)
        return EXCHANGE_READY;
    /* Its own begin never binds it: it stands in this very span, or was beyond the look-ahead and is no edge. */
    if (i->class_ != TCF_CLASS_FORK && i->class_ != TCF_CLASS_JOIN)
        instance_arrive(x, i, e, 0);
    if (e->flags & TCF_EDGE_UNMATCHED) /* a segment in front has given it up */
        return EXCHANGE_READY;
    uint8_t forgiven = x->forgiven[location];
    x->forgiven[location] = FORGIVEN_NOT;
    if (all_ends && i->at_end + all_lacking(i) < i->ends && !i->broken && !forgiven) {
        park(x, location, &i->waiter);
        return EXCHANGE_WAIT;
    }
    readiness ready = forgiven == FORGIVEN_SOURCES ? READY_WITHOUT_SOURCE : instance_ready(x, i, e);
    if (ready == NOT_READY && forgiven)
        ready = READY_WITHOUT_SOURCE;
    if (ready == NOT_READY) {
        x->waiting_rank[location] = e->rank;
        park(x, location, &i->waiter);
        return EXCHANGE_WAIT;
    }
    if (ready == READY_WITHOUT_SOURCE) {
        e->flags |= TCF_EDGE_UNMATCHED;
        x->counts.given_up += i->broken || forgiven;
    }
    return EXCHANGE_READY;
}

/* Does the begin of a root count only when the root has passed its end? */
static int counts_at_end(const exchange *x, const tcf_edge *e)
{
    return x->open_root && e->class_ == TCF_CLASS_ONE_TO_N && !(e->side & EDGE_NON_BLOCKING) &&
           e->flags & TCF_EDGE_SOURCE && !(e->flags & TCF_EDGE_GONE);
}

/* What instance_arrive() wants to know of the root. */
static tcf_edge root_edge(const instance *i)
{
    return (tcf_edge){.class_ = i->class_, .rank = i->open_rank, .side = i->open_side};
}

void exchange_leave_root(exchange *x, uint32_t location)
{
    instance *i = x->instances[x->open_root[location]];
    tcf_edge e = root_edge(i);
    x->open_root[location] = NONE;
    instance_arrive(x, i, &e, 1);
}

tcf_status exchange_pass_member(exchange *x, uint32_t location, tcf_edge *e)
{
    if (e->slot == NONE)
        return TCF_OK;
    instance *i = x->instances[e->slot];
    uint32_t p = place_of(x, i, e);
    if (x->options.answers) {
        i->held++;
        i->targets += is_end(e) && !(e->flags & TCF_EDGE_GONE);
    }
    if (e->flags & TCF_EDGE_BEGIN && counts_at_end(x, e)) {
        if (x->open_root[location] != NONE)
            exchange_leave_root(x, location);
        x->open_root[location] = i->index;
        i->open_rank = e->rank;
        i->open_side = e->side;
        return TCF_OK;
    }
    if (x->open_root && x->open_root[location] == e->slot)
        exchange_leave_root(x, location);
    if (e->flags & TCF_EDGE_BEGIN) {
        instance_arrive(x, i, e, (e->flags & TCF_EDGE_SOURCE) && !(e->flags & TCF_EDGE_GONE));
        return instance_left(x, i);
    }
    if (i->class_ != TCF_CLASS_FORK && i->class_ != TCF_CLASS_JOIN && !(i->present[p / 64] >> p % 64 & 1))
        instance_arrive(x, i, e, 0); /* its begin was beyond the look-ahead */
    if (i->class_ == TCF_CLASS_FORK)
        i->present[p / 64] |= 1ull << p % 64; /* is not lacking */
    i->ended++;
    return instance_left(x, i);
}

/* Who waits is given up at once, whatever comes before they run: who waits when all are parked doesn't depend on the
 * way that led there, and who runs first then must not matter. They are counted when they pass. */
tcf_status exchange_give_up_member(exchange *x, uint32_t location, const tcf_edge *e, int lasting)
{
    instance *i = instance_get(x, e);
    if (!i)
        return TCF_ERROR;
    if (!i->given_up)
        x->counts.incomplete_instances++;
    i->given_up = 1;
    i->broken |= lasting != 0;
    const uint8_t how = i->arrived[0] < i->size[0] || i->arrived[1] < i->size[1] ? FORGIVEN_SOURCES : FORGIVEN_ENDS;
    unpark(x, location, &i->waiter);
    x->forgiven[location] = how;
    for (uint32_t other = i->waiter; other != NONE; other = x->next_waiter[other])
        x->forgiven[other] = how;
    wake_all(x, &i->waiter);
    return TCF_OK;
}

void exchange_unpark_member(exchange *x, uint32_t location, const tcf_edge *e)
{
    uint32_t found = map_get(&x->instance_of, instance_key(e), e->number);
    if (found != MAP_ABSENT)
        unpark(x, location, &x->instances[found]->waiter);
}

tcf_status exchange_note_absent(exchange *x, tcf_edge *e)
{
    if (e->channel == TCF_NONE || e->number == UNRESOLVED || !(e->flags & TCF_EDGE_BEGIN) ||
        e->flags & TCF_EDGE_SOURCE || e->rank == TCF_NONE)
        return TCF_OK;
    instance *i = instance_get(x, e);
    if (!i)
        return TCF_ERROR;
    instance_arrive(x, i, e, 0);
    return TCF_OK;
}

void exchange_release_member(exchange *x, const tcf_edge *e)
{
    instance *i = x->instances[e->slot];
    if (--i->held == 0 && i->left)
        instance_retire(x, i);
}

/* ------------------------------------------------------------------------------------------------------- answers -- */

void exchange_answer_member(exchange *x, const tcf_edge *e, uint64_t value)
{
    instance *i = x->instances[e->slot];
    i->n_answers++;
    if (scan_class(e->class_)) {
        i->scan_answers[e->rank] = value;
        return;
    }
    answers *a = &i->answer[side_of(e)];
    if (value < a->least[0]) {
        a->least[1] = a->least[0];
        a->least[0] = value;
        a->rank = e->rank;
    } else if (value < a->least[1]) {
        a->least[1] = value;
    }
}

int exchange_answered_member(const exchange *x, const tcf_edge *e, uint64_t *value)
{
    const instance *i = x->instances[e->slot];
    const tcf_comm *c = &x->defs->comms[i->comm];
    int complete = i->left && i->n_answers == i->targets;
    if (scan_class(e->class_)) {
        uint32_t n = membership_size(c);
        for (uint32_t r = e->rank + 1; i->n_answers > 0 && r < n; r++)
            *value = i->scan_answers[r] < *value ? i->scan_answers[r] : *value;
        return complete;
    }
    for (int side = 0; side < 2; side++) {
        int mine = side == (int)side_of(e);
        if (mine && c->inter)
            continue;
        uint64_t least = i->answer[side].least[mine && i->answer[side].rank == e->rank];
        *value = least < *value ? least : *value;
    }
    return complete;
}
