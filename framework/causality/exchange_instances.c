/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collectives in flight: which members have arrived, and which may pass their ends; see exchange.h. All collectives of
 * a channel have the same size, so a channel uses the memory of its past collectives again. */
#include "exchange_internal.h"

#include <tcflow/grow.h>

void exchange_free_collective(collective *c)
{
    free(c->present);
    free(c->at_end_bit);
    free(c->cells);
    free(c->scan);
    free(c->scan_any);
    free(c->rows);
    free(c->scan_answers);
    exchange_untold_free(c->untold);
    free(c);
}

/* The fork and the join of a team have the same channel and number, and are two collectives. */
static inline uint64_t collective_key(const tcf_edge *e)
{
    return (uint64_t)e->channel << 1 | (e->class_ == TCF_CLASS_JOIN);
}

static uint32_t comm_of(const exchange *x, const tcf_edge *e)
{
    const channel *on = channel_at(x, e->channel);
    return on->type == TCF_CHANNEL_RMA ? e->peer : on->comm;
}

static void collective_shape(const exchange *x, collective *c, const tcf_edge *e)
{
    c->comm = comm_of(x, e);
    const tcf_comm *k = &x->defs->comms[c->comm];
    uint32_t n = membership_size(k);
    c->size[0] = k->self ? 1 : k->size;
    c->size[1] = k->inter ? k->remote_size : 0;
    c->ends = n;
    if (e->class_ == TCF_CLASS_FORK)
        c->size[0] = 1;
    if (e->class_ == TCF_CLASS_JOIN)
        c->ends = 1;
}

static collective *collective_allocate(exchange *x, const tcf_edge *e)
{
    const uint32_t comm = comm_of(x, e), members = membership_size(&x->defs->comms[comm]);
    const int is_split = x->letters && x->comm_domains[comm].n > 1;
    collective *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    size_t words = members / 64u + 1u;
    c->present = malloc(words * sizeof *c->present);
    c->at_end_bit = malloc(words * sizeof *c->at_end_bit);
    c->cells = malloc((CELLS * x->options.publishers + 1u) * sizeof *c->cells);
    c->rows = calloc((size_t)members * x->options.member_bytes + 1u, 1);
    if (is_split)
        c->untold = exchange_untold_new(x, members);
    if (!c->present || !c->at_end_bit || !c->cells || !c->rows || (is_split && !c->untold) ||
        TCF_GROW(&x->collectives, &x->collectives_capacity, x->n_collectives) != 0 ||
        TCF_GROW(&x->open, &x->open_capacity, x->n_collectives) != 0) {
        exchange_free_collective(c);
        return NULL;
    }
    c->index = x->n_collectives;
    x->collectives[x->n_collectives++] = c;
    return c;
}

/* Makes it a collective to which no member has come yet. Its memory and its index stay. */
static void collective_reset(exchange *x, collective *c, const tcf_edge *e)
{
    collective fresh = {.index = c->index,
                        .present = c->present,
                        .at_end_bit = c->at_end_bit,
                        .cells = c->cells,
                        .rows = c->rows,
                        .first_row = NONE,
                        .scan_answers = c->scan_answers,
                        .scan = c->scan,
                        .scan_any = c->scan_any,
                        .untold = c->untold,
                        .number = e->number,
                        .channel = e->channel,
                        .waiter = NONE,
                        .lowest = NONE,
                        .first_absent = NONE,
                        .source = {NONE, NONE},
                        .root = TCF_NONE,
                        .first_end = UINT64_MAX,
                        .class_ = e->class_,
                        .op = e->op,
                        .phase = e->class_ == TCF_CLASS_JOIN};
    collective_shape(x, &fresh, e);
    const uint32_t members = membership_size(&x->defs->comms[fresh.comm]);
    const size_t bytes = x->options.member_bytes;
    for (int side = 0; side < 2; side++)
        fresh.answer[side] = (answers){{UINT64_MAX, UINT64_MAX}, NONE};
    memset(c->present, 0, (members / 64u + 1u) * sizeof *c->present);
    memset(c->at_end_bit, 0, (members / 64u + 1u) * sizeof *c->at_end_bit);
    memset(c->cells, 0, (CELLS * x->options.publishers + 1u) * sizeof *c->cells);
    if (c->first_row < c->after_row)
        memset(c->rows + c->first_row * bytes, 0, (c->after_row - c->first_row) * bytes);
    if (c->scan_answers)
        memset(c->scan_answers, UINT8_MAX, members * sizeof *c->scan_answers);
    if (c->scan_any)
        memset(c->scan_any, 0, (size_t)members * x->options.publishers);
    if (fresh.untold) {
        exchange_untold_reset(x, fresh.untold, members);
        fresh.is_owner = (uint8_t)exchange_owns(x, &fresh);
    }
    *c = fresh;
    c->place = x->n_open;
    x->open[x->n_open++] = c->index;
}

/* Memory for what the ranks of a scan publish and answer. Not every collective on which a member calls a scan begins as
 * one: in a damaged trace the members of a collective may call different operations. */
static tcf_status scan_allocate(const exchange *x, collective *c)
{
    const size_t members = membership_size(&x->defs->comms[c->comm]), n = members * x->options.publishers;
    if (c->scan)
        return TCF_OK;
    c->scan_any = calloc(n + 1, 1);
    if (x->options.answers && (c->scan_answers = malloc(members * sizeof *c->scan_answers + 1)))
        memset(c->scan_answers, UINT8_MAX, members * sizeof *c->scan_answers);
    if (c->scan_any && (c->scan_answers || !x->options.answers))
        c->scan = calloc(2 * n + 1, sizeof *c->scan);
    return c->scan ? TCF_OK : error_fail("out of memory for %zu members of a scan", members);
}

/* The collective of an edge, made for the first of its edges; NULL: out of memory, see the cause. */
static collective *collective_get(exchange *x, const tcf_edge *e)
{
    uint32_t found = map_get(&x->collective_of, collective_key(e), e->number);
    if (found != MAP_ABSENT)
        return x->collectives[found];
    channel_state *on = exchange_channel_state(x, e->channel);
    if (!on)
        return NULL;
    collective *c = NULL;
    if (on->free_collective != NONE) {
        c = x->collectives[on->free_collective];
        on->free_collective = c->next_free;
    } else {
        c = collective_allocate(x, e);
    }
    if (c)
        collective_reset(x, c, e);
    if (c && map_put(&x->collective_of, collective_key(e), e->number, c->index) == 0)
        return c;
    error_fail("out of memory for collective operations in flight");
    return NULL;
}

static void collective_retire(exchange *x, collective *c)
{
    if (c->untold)
        exchange_tell_retired(x, c);
    map_remove(&x->collective_of, (uint64_t)c->channel << 1 | c->phase, c->number);
    channel_state *on = &x->channel_states[c->channel];
    c->next_free = on->free_collective;
    on->free_collective = c->index;
}

static void note_present(collective *c, uint32_t p, int side)
{
    c->present[p / 64] |= 1ull << p % 64;
    c->arrived[side]++;
    while (c->prefix < c->size[0] && c->present[c->prefix / 64] >> c->prefix % 64 & 1)
        c->prefix++;
}

/* Is the member absent that has this rank on this side? */
static int is_missing(const exchange *x, const collective *c, int side, uint32_t rank)
{
    const tcf_comm *comm = &x->defs->comms[c->comm];
    const membership *m = matcher_membership(x->m);
    uint32_t member = side ? comm->remote_location[rank] : comm->location[rank];
    uint8_t its_side;
    if (member == TCF_NONE || exchange_member_ended(x, c->comm, member))
        return 1;
    return m->gaps && (membership_rank(m, c->comm, member, &its_side) != rank || its_side != side);
}

/* Does the segment of this domain count what becomes of the collective? */
static int counts_here(const collective *c)
{
    return !c->untold || c->is_owner;
}

/* Members of this domain that will do nothing more at the collective, by the number of those that have done it. */
static int all_here(const exchange *x, const collective *c, uint32_t done)
{
    return done >= x->comm_domains[c->comm].here;
}

/* Is the member of this rank on a side in this domain? */
static int is_here(const exchange *x, const tcf_comm *comm, int side, uint32_t rank)
{
    const uint32_t member = side ? comm->remote_location[rank] : comm->location[rank];
    return member < x->defs->n_locations && letters_is_here(x->letters, member);
}

/* A member of rank `rank` on a side is absent. */
static void note_absent_here(const exchange *x, collective *c, int side, uint32_t rank)
{
    if (c->untold && is_here(x, &x->defs->comms[c->comm], side, rank)) {
        c->absent_here++;
        c->arrived_here++;
    }
}

/* Members that end before they come to the collective are absent: they count as arrived, and contribute nothing. The
 * other members' collectives stay matched, since each member counts its own. Ranks are looked at in order, each rank
 * once. */
static void settle(exchange *x, collective *c, int side)
{
    const tcf_comm *comm = &x->defs->comms[c->comm];
    if (!x->any_missing || comm->self)
        return;
    uint32_t n = side ? comm->remote_size : comm->size;
    for (; c->settled[side] < n; c->settled[side]++) {
        uint32_t p = side ? comm->size + c->settled[side] : c->settled[side];
        if (c->present[p / 64] >> p % 64 & 1)
            continue;
        if (!counts_here(c) && !is_here(x, comm, side, c->settled[side]))
            continue;
        if (!is_missing(x, c, side, c->settled[side]))
            return;
        if (!counts_here(c)) { /* the owner finds the same, and tells it */
            note_absent_here(x, c, side, c->settled[side]);
            continue;
        }
        if (all_absent(c) == 0) {
            c->first_absent = c->settled[side];
            x->counts.incomplete_instances += !c->unmatched && counts_here(c);
        }
        c->absent[side]++;
        note_absent_here(x, c, side, c->settled[side]);
        if (c->untold)
            exchange_note_untold(x, c);
        if (c->class_ != TCF_CLASS_FORK) /* of a fork only one member arrives */
            note_present(c, p, side);
    }
}

/* Has a source of the edge passed? The member's own begin is no source of its end. */
static int has_source(const exchange *x, const collective *c, const tcf_edge *e, int side)
{
    if (scan_class(e->class_))
        return c->lowest < e->rank;
    if (has_root(e->class_))
        return c->root_passed;
    return c->source[side] != NONE && c->source[side] != member_index(x, c, e);
}

/* Is a member absent that might be a source of the edge? Sources of a scan are lower ranks. */
static int source_is_absent(const collective *c, const tcf_edge *e, int side)
{
    return scan_class(e->class_) ? c->first_absent < e->rank : c->absent[side] > 0;
}

typedef enum readiness {
    NOT_READY,
    READY_WITHOUT_SOURCE, /* no source has passed, and none will */
    READY
} readiness;

/* May a target pass? */
static readiness collective_ready(exchange *x, collective *c, const tcf_edge *e)
{
    int inter = x->defs->comms[c->comm].inter;
    int side = inter && (e->class_ == TCF_CLASS_N_TO_N || e->class_ == TCF_CLASS_BARRIER ||
                         e->class_ == TCF_CLASS_N_TO_ONE || e->class_ == TCF_CLASS_ONE_TO_N)
                   ? !side_of(e)
                   : 0;
    settle(x, c, side);
    int ready = c->arrived[side] >= c->size[side];
    if (has_root(e->class_))
        ready = ready || c->root_passed;
    else if (scan_class(e->class_))
        ready = c->prefix >= e->rank;
    if (ready) /* a higher rank of a scan, which may have passed, is no source */
        return has_source(x, c, e, side) || !source_is_absent(c, e, side) ? READY : READY_WITHOUT_SOURCE;
    return c->broken ? READY_WITHOUT_SOURCE : NOT_READY;
}

/* The same for the other domains. */
static void tell_arrival(exchange *x, collective *c, const tcf_edge *e, uint32_t p, int contributes)
{
    untold *u = c->untold;
    const int is_root = contributes && has_root(e->class_);
    const uint64_t bit = 1ull << p % 64;
    if (contributes) {
        uint32_t *source = &u->source[side_of(e)];
        *source = *source == NONE || *source == p ? p : SEVERAL;
        u->lowest = e->rank < u->lowest ? e->rank : u->lowest;
    }
    if (is_root) {
        u->root_passed = 1;
        u->root = e->rank;
    }
    if (!(c->present[p / 64] & bit)) {
        u->present[p / 64] |= bit;
        u->n_present++;
        u->last_word = u->first_word == NONE || p / 64 > u->last_word ? p / 64 : u->last_word;
        u->first_word = p / 64 < u->first_word ? p / 64 : u->first_word;
        c->arrived_here++;
    }
    exchange_note_untold(x, c);
}

/* An edge has passed, and so the numbers of its event are there: others may wait for it. */
static void tell_passed(exchange *x, collective *c)
{
    if (c->untold)
        exchange_tell_members(x, c);
}

/* The begin of a member has passed (`contributes`), or the member is known to contribute nothing. */
static void collective_arrive(exchange *x, collective *c, const tcf_edge *e, int contributes)
{
    uint32_t p = member_index(x, c, e);
    if (contributes) {
        uint32_t *source = &c->source[side_of(e)];
        *source = *source == NONE || *source == p ? p : SEVERAL;
    }
    if (contributes && e->rank < c->lowest)
        c->lowest = e->rank;
    if (contributes && has_root(e->class_)) {
        c->root_passed = 1;
        c->root = e->rank;
    }
    if (c->untold && (contributes || !(c->present[p / 64] >> p % 64 & 1)))
        tell_arrival(x, c, e, p, contributes);
    if (!(c->present[p / 64] >> p % 64 & 1))
        note_present(c, p, (int)side_of(e));
    else if (!contributes)
        return; /* nothing has changed for the locations that wait */
    settle(x, c, (int)side_of(e));
    if (c->waiter == NONE)
        return;
    int all = c->arrived[side_of(e)] >= c->size[side_of(e)];
    if (all || (contributes && has_root(e->class_)))
        wake_all(x, &c->waiter);
    else if (c->any_scan && c->prefix > c->woken_prefix)
        wake_up_to(x, &c->waiter, c->woken_prefix = c->prefix);
}

/* The collective is over: which sizes do the records of its members have? */
static void note_sizes(exchange *x, const collective *c)
{
    if (c->op >= 32 || c->ended == 0 || c->mixed || !match_may_carry_data(c->class_) ||
        channel_at(x, c->channel)->type != TCF_CHANNEL_COLLECTIVE)
        return;
    const uint32_t op = UINT32_C(1) << c->op;
    if (c->empty < c->ended) {
        x->counts.ops_with_data |= op;
        x->counts.ops_partly |= c->empty > 0 ? op : 0;
    } else if (!match_has_lengths(c->op)) { /* else the matcher has judged each member by itself */
        x->counts.ops_without_data |= op;
        x->counts.empty_instances++;
    }
}

/* The collective is used again when no slice of this domain is held at it, and none of a domain that waits for it. */
static void retire_if_done(exchange *x, collective *c)
{
    const int waits = c->untold && c->is_owner && x->options.answers;
    if (c->left && c->held == 0 && (!waits || c->final_domains == x->comm_domains[c->comm].n))
        collective_retire(x, c);
}

static void set_left(exchange *x, collective *c)
{
    const uint32_t last = x->open[--x->n_open];
    c->left = 1;
    x->open[c->place] = last;
    x->collectives[last]->place = c->place;
}

/* All members have arrived, and those of this domain have passed their ends: this domain is done with it. */
static void left_here(exchange *x, collective *c)
{
    if (c->left || !c->has_left || !exchange_has_arrived(c))
        return;
    set_left(x, c);
    retire_if_done(x, c);
}

/* Nothing more of the members of this domain is to come? */
static void note_left(exchange *x, collective *c)
{
    c->has_left |= (uint8_t)all_here(x, c, c->ended_here + c->absent_here);
    if (!x->options.answers || !c->has_left || c->is_final || c->answers_here != c->targets_here)
        return;
    c->is_final = 1;
    if (c->is_owner)
        exchange_note_final(x, c, 1);
    else
        c->untold->final = 1;
    exchange_note_untold(x, c);
}

static const member_mark *mark_of(const exchange *x, const collective *c, uint32_t p)
{
    return (const member_mark *)(const void *)(c->rows + (p + 1ul) * x->options.member_bytes - sizeof(member_mark));
}

static void mark(const exchange *x, collective *c, uint32_t p, member_mark as)
{
    memcpy(collective_row(x, c, p) + x->options.member_bytes - sizeof as, &as, sizeof as);
}

/* In a damaged trace members of a collective call different operations: it is what the lowest of them called, in any
 * order in which they come. */
static void settle_operation(const exchange *x, const collective *c, tcf_collective *view)
{
    uint32_t p = 0;
    while (p + 1 < c->ends && !mark_of(x, c, p)->has_ended)
        p++;
    if (mark_of(x, c, p)->has_ended) {
        view->class_ = mark_of(x, c, p)->class_;
        view->op = mark_of(x, c, p)->op;
    }
}

/* When all members have arrived and passed their ends: calls complete(), and frees the collective for another use. */
static tcf_status collective_left(exchange *x, collective *c)
{
    settle(x, c, 0);
    settle(x, c, 1);
    if (c->untold) {
        note_left(x, c);
        exchange_tell_members(x, c);
    }
    if (!counts_here(c)) {
        left_here(x, c);
        return TCF_OK;
    }
    uint32_t ended = c->class_ == TCF_CLASS_JOIN ? c->ended : c->ended + all_absent(c);
    if (ended < c->ends || c->arrived[0] < c->size[0] || c->arrived[1] < c->size[1])
        return TCF_OK;
    tcf_status status = TCF_OK;
    note_sizes(x, c);
    set_left(x, c);
    if (c->class_ != TCF_CLASS_FORK && c->class_ != TCF_CLASS_JOIN) {
        tcf_collective view = {.comm = c->comm,
                               .number = c->number,
                               .class_ = c->class_,
                               .op = c->op,
                               .root = c->root,
                               .n_members = c->ends,
                               .n_arrived = c->ended,
                               .members = c->rows,
                               .stride = x->options.member_bytes};
        if (c->mixed && x->options.completes)
            settle_operation(x, c, &view);
        status = x->client.complete(x->client.data, &view);
    }
    retire_if_done(x, c);
    return status;
}

/* Members have arrived, at their ends, or are absent: wakes those who may have waited for that alone. */
static void wake_if_ready(exchange *x, collective *c)
{
    if (c->arrived[0] >= c->size[0] || (c->size[1] > 0 && c->arrived[1] >= c->size[1]) ||
        (c->at_end > 0 && c->at_end + all_absent(c) >= c->ends))
        wake_all(x, &c->waiter);
    else if (c->any_scan && c->prefix > c->woken_prefix)
        wake_up_to(x, &c->waiter, c->woken_prefix = c->prefix);
}

tcf_status exchange_end_collectives(exchange *x)
{
    for (uint32_t k = x->n_open; k-- > 0;) { /* the last one takes the place of one that leaves */
        collective *c = x->collectives[x->open[k]];
        const uint32_t before = c->arrived[0] + c->arrived[1] + all_absent(c);
        if (collective_left(x, c) != TCF_OK)
            return TCF_ERROR;
        if (c->arrived[0] + c->arrived[1] + all_absent(c) != before)
            wake_if_ready(x, c);
    }
    return TCF_OK;
}

static int is_end(const tcf_edge *e)
{
    return (e->flags & TCF_EDGE_TARGET) != 0;
}

static void tell_at_end(exchange *x, collective *c, uint64_t time)
{
    untold *u = c->untold;
    c->at_end_here++;
    u->at_end++;
    u->first_end = time < u->first_end ? time : u->first_end;
    exchange_note_untold(x, c);
}

/* The owner learns of it when all members of this domain have passed their ends. */
static void tell_end(collective *c, const tcf_edge *e, uint32_t p)
{
    untold *u = c->untold;
    u->ended[p / 64] |= 1ull << p % 64;
    u->n_ended++;
    u->last_ended = u->first_ended == NONE || p / 64 > u->last_ended ? p / 64 : u->last_ended;
    u->first_ended = p / 64 < u->first_ended ? p / 64 : u->first_ended;
    u->empty += (e->side & EDGE_EMPTY) != 0;
    u->mixed |= e->op != c->op;
}

/* Would it be the first edge here of a collective, while there are many to which other domains have not come? Who never
 * waits for others, as the root of a broadcast, must not run on without them: what it has done is kept until they come.
 */
static int is_too_far_ahead(const exchange *x, const tcf_edge *e)
{
    return x->letters && x->n_open >= x->credit / 16 && e->flags & TCF_EDGE_BEGIN &&
           x->comm_domains[comm_of(x, e)].n > 1 &&
           map_get(&x->collective_of, collective_key(e), e->number) == MAP_ABSENT;
}

exchange_answer exchange_prepare_member(exchange *x, uint32_t location, uint64_t time, tcf_edge *e)
{
    if (is_too_far_ahead(x, e)) {
        x->short_of_credit = 1;
        return EXCHANGE_FULL;
    }
    collective *c = collective_get(x, e);
    if (!c || (scan_class(e->class_) && scan_allocate(x, c) != TCF_OK))
        return EXCHANGE_FAILED;
    e->slot = c->index;
    c->any_scan |= (uint8_t)scan_class(e->class_);
    int all_ends = x->options.needs_ends && (e->class_ == TCF_CLASS_N_TO_N || e->class_ == TCF_CLASS_BARRIER) &&
                   !(e->side & EDGE_NON_BLOCKING) && !match_has_lengths(e->op);
    if (all_ends && !(e->flags & TCF_EDGE_BEGIN)) { /* also where the member gets nothing, or its end was dropped */
        uint32_t p = member_index(x, c, e);
        if (!(c->at_end_bit[p / 64] >> p % 64 & 1)) {
            c->at_end_bit[p / 64] |= 1ull << p % 64;
            if (!(e->flags & TCF_EDGE_GONE) && time < c->first_end)
                c->first_end = time;
            if (c->untold)
                tell_at_end(x, c, e->flags & TCF_EDGE_GONE ? UINT64_MAX : time);
            if (++c->at_end + all_absent(c) >= c->ends)
                wake_all(x, &c->waiter);
        }
    }
    if (!is_end(e) || e->flags & TCF_EDGE_GONE)
        return EXCHANGE_READY;
    /* The member need not wait for its own begin, which is in the same span, or beyond the look-ahead and no edge. */
    if (c->class_ != TCF_CLASS_FORK && c->class_ != TCF_CLASS_JOIN)
        collective_arrive(x, c, e, 0);
    if (e->flags & TCF_EDGE_UNMATCHED) /* since a segment in front */
        return EXCHANGE_READY;
    uint8_t proceed = x->at[location].proceed;
    x->at[location].proceed = PROCEED_NOT;
    if (all_ends && c->at_end + all_absent(c) < c->ends && !c->broken && !proceed) {
        park(x, location, &c->waiter);
        return EXCHANGE_WAIT;
    }
    readiness ready = proceed == PROCEED_WITHOUT_SOURCES ? READY_WITHOUT_SOURCE : collective_ready(x, c, e);
    if (ready == NOT_READY && proceed)
        ready = READY_WITHOUT_SOURCE;
    if (ready == NOT_READY) {
        x->at[location].waiting_rank = e->rank;
        park(x, location, &c->waiter);
        return EXCHANGE_WAIT;
    }
    if (ready == READY_WITHOUT_SOURCE) {
        e->flags |= TCF_EDGE_UNMATCHED;
        x->counts.given_up += c->broken || proceed;
    }
    return EXCHANGE_READY;
}

/* Is it the begin of a root that counts only when the root passes its end? */
static int counts_at_end(const exchange *x, const tcf_edge *e)
{
    return x->open_root && e->class_ == TCF_CLASS_ONE_TO_N && !(e->side & EDGE_NON_BLOCKING) &&
           e->flags & TCF_EDGE_SOURCE && !(e->flags & TCF_EDGE_GONE);
}

/* The begin of the open root, as far as collective_arrive() looks at it. */
static tcf_edge root_edge(const collective *c)
{
    return (tcf_edge){.class_ = c->class_, .rank = c->open_rank, .side = c->open_side};
}

void exchange_leave_root(exchange *x, uint32_t location)
{
    collective *c = x->collectives[x->open_root[location]];
    tcf_edge e = root_edge(c);
    x->open_root[location] = NONE;
    collective_arrive(x, c, &e, 1);
    tell_passed(x, c);
}

/* Is it over? Who takes part more often than once, as by calls of MPI_Init within each other, may go on with it when
 * all have ended it. The collective may then be another one's. */
static int is_over(const collective *c, const tcf_edge *e)
{
    return c->left || collective_key(e) != ((uint64_t)c->channel << 1 | c->phase) || c->number != e->number;
}

tcf_status exchange_pass_member(exchange *x, uint32_t location, tcf_edge *e)
{
    if (e->slot == NONE)
        return TCF_OK;
    collective *c = x->collectives[e->slot];
    if (is_over(c, e)) {
        e->slot = NONE;
        return TCF_OK;
    }
    uint32_t p = member_index(x, c, e);
    if (x->options.answers) {
        c->held++;
        c->targets += is_end(e) && !(e->flags & TCF_EDGE_GONE);
        c->targets_here += is_end(e) && !(e->flags & TCF_EDGE_GONE);
        if (c->untold)
            c->untold->targets += is_end(e) && !(e->flags & TCF_EDGE_GONE);
    }
    if (e->flags & TCF_EDGE_BEGIN && counts_at_end(x, e)) {
        if (x->open_root[location] != NONE)
            exchange_leave_root(x, location);
        x->open_root[location] = c->index;
        c->open_rank = e->rank;
        c->open_side = e->side;
        return TCF_OK;
    }
    if (x->open_root && x->open_root[location] == e->slot)
        exchange_leave_root(x, location);
    if (e->flags & TCF_EDGE_BEGIN) {
        collective_arrive(x, c, e, (e->flags & TCF_EDGE_SOURCE) && !(e->flags & TCF_EDGE_GONE));
        tell_passed(x, c);
        return collective_left(x, c);
    }
    if (c->class_ != TCF_CLASS_FORK && c->class_ != TCF_CLASS_JOIN && !(c->present[p / 64] >> p % 64 & 1))
        collective_arrive(x, c, e, 0); /* its begin was beyond the look-ahead */
    if (c->class_ == TCF_CLASS_FORK)
        c->present[p / 64] |= 1ull << p % 64; /* not absent */
    c->ended++;
    c->ended_here++;
    c->empty += (e->side & EDGE_EMPTY) != 0;
    c->mixed |= e->op != c->op;
    if (x->options.completes)
        mark(x, c, p, (member_mark){.has_ended = 1, .class_ = e->class_, .op = e->op});
    if (!counts_here(c))
        tell_end(c, e, p);
    tell_passed(x, c);
    return collective_left(x, c);
}

static void proceed_all(exchange *x, collective *c, uint8_t how, int lasting)
{
    x->counts.incomplete_instances += !c->unmatched && counts_here(c);
    c->unmatched = 1;
    c->broken |= lasting != 0;
    for (uint32_t other = c->waiter; other != NONE; other = x->at[other].next_waiter)
        x->at[other].proceed = how;
    wake_all(x, &c->waiter);
}

/* All targets that are parked here pass unmatched, whatever arrives before their locations run. Which targets are
 * parked once all locations wait does not depend on the schedule, so results do not depend on it, either. The targets
 * are counted when they pass. */
tcf_status exchange_proceed_member(exchange *x, uint32_t location, const tcf_edge *e, int lasting)
{
    collective *c = collective_get(x, e);
    if (!c)
        return TCF_ERROR;
    const uint8_t how =
        c->arrived[0] < c->size[0] || c->arrived[1] < c->size[1] ? PROCEED_WITHOUT_SOURCES : PROCEED_WITHOUT_ENDS;
    unpark(x, location, &c->waiter);
    x->at[location].proceed = how;
    proceed_all(x, c, how, lasting);
    exchange_tell_proceed(x, c, how, lasting);
    return TCF_OK;
}

void exchange_unpark_member(exchange *x, uint32_t location, const tcf_edge *e)
{
    uint32_t found = map_get(&x->collective_of, collective_key(e), e->number);
    if (found != MAP_ABSENT)
        unpark(x, location, &x->collectives[found]->waiter);
}

tcf_status exchange_note_empty_member(exchange *x, tcf_edge *e)
{
    if (e->channel == TCF_NONE || e->number == UNRESOLVED || !(e->flags & TCF_EDGE_BEGIN) ||
        e->flags & TCF_EDGE_SOURCE || e->rank == TCF_NONE)
        return TCF_OK;
    collective *c = collective_get(x, e);
    if (!c)
        return TCF_ERROR;
    collective_arrive(x, c, e, 0);
    return TCF_OK;
}

void exchange_release_member(exchange *x, const tcf_edge *e)
{
    collective *c = x->collectives[e->slot];
    if (--c->held > 0 || !c->left)
        return;
    if (c->untold && c->is_owner && !c->is_final) { /* its slices go on without their answers */
        c->is_final = 1;
        exchange_note_final(x, c, 1);
    }
    retire_if_done(x, c);
}

/* ------------------------------------------------------------------------------------------------------- letters -- */

/* The collective of a letter, made where it is new and `wanted`. *c NULL: there is none. */
static tcf_status find_collective(exchange *x, const collective_letter *l, int wanted, collective **c)
{
    int failed;
    tcf_edge e = {.number = l->number, .class_ = l->class_, .op = l->op, .peer = l->comm};
    e.channel =
        matcher_find_channel(x->m, (tcf_channel){.type = l->type, .comm = l->on, .a = l->a, .tag = l->tag}, &failed);
    *c = NULL;
    if (failed)
        return error_fail("out of memory for the channels of other domains");
    if (e.channel == TCF_NONE || !exchange_channel_state(x, e.channel)) /* too many channels: that is counted */
        return e.channel == TCF_NONE ? TCF_OK : TCF_ERROR;
    if (!wanted && map_get(&x->collective_of, collective_key(&e), e.number) == MAP_ABSENT)
        return TCF_OK;
    *c = collective_get(x, &e);
    return *c ? TCF_OK : TCF_ERROR;
}

tcf_status exchange_take_members(exchange *x, const members_letter *l)
{
    collective *c;
    if (find_collective(x, &l->of, l->makes, &c) != TCF_OK)
        return TCF_ERROR;
    if (!c)
        return TCF_OK;
    if ((l->n_scan > 0 || l->n_scan_answers > 0) && scan_allocate(x, c) != TCF_OK)
        return TCF_ERROR;
    settle(x, c, 0); /* first of all: the owner counts those who are absent here as present */
    settle(x, c, 1);
    exchange_merge_members(x, c, l);
    settle(x, c, 0);
    settle(x, c, 1);
    if (l->root_passed)
        wake_all(x, &c->waiter);
    wake_if_ready(x, c);
    if (!c->left)
        return collective_left(x, c);
    exchange_tell_members(x, c);
    retire_if_done(x, c);
    return TCF_OK;
}

tcf_status exchange_take_proceed(exchange *x, const collective_letter *l)
{
    collective *c;
    if (find_collective(x, l, 1, &c) != TCF_OK)
        return TCF_ERROR;
    if (c)
        proceed_all(x, c, l->how, l->lasting);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- answers -- */

static void note_answer(answers *a, uint32_t rank, uint64_t value)
{
    exchange_merge_answers(a, &(answers){{value, UINT64_MAX}, rank});
}

void exchange_answer_member(exchange *x, const tcf_edge *e, uint64_t value)
{
    collective *c = x->collectives[e->slot];
    untold *u = c->untold;
    c->n_answers++;
    c->answers_here++;
    if (scan_class(e->class_))
        c->scan_answers[e->rank] = value;
    else
        note_answer(&c->answer[side_of(e)], e->rank, value);
    if (!u)
        return;
    u->n_answers++;
    if (scan_class(e->class_)) {
        u->n_scans += !(u->answered[e->rank / 64] >> e->rank % 64 & 1);
        u->answered[e->rank / 64] |= 1ull << e->rank % 64;
    } else {
        note_answer(&u->answer[side_of(e)], e->rank, value);
    }
    exchange_note_untold(x, c);
    note_left(x, c);
    if (c->is_final) /* not before: it may come within a span */
        exchange_tell_members(x, c);
}

int exchange_answered_member(const exchange *x, const tcf_edge *e, uint64_t *value)
{
    const collective *c = x->collectives[e->slot];
    const tcf_comm *comm = &x->defs->comms[c->comm];
    int complete = c->untold ? c->all_answered : c->left && c->n_answers == c->targets;
    if (scan_class(e->class_)) {
        uint32_t n = membership_size(comm);
        for (uint32_t r = e->rank + 1; c->scan_answers && r < n; r++)
            *value = c->scan_answers[r] < *value ? c->scan_answers[r] : *value;
        return complete;
    }
    for (int side = 0; side < 2; side++) {
        int mine = side == (int)side_of(e);
        if (mine && comm->inter)
            continue;
        uint64_t least = c->answer[side].least[mine && c->answer[side].rank == e->rank];
        *value = least < *value ? least : *value;
    }
    return complete;
}
