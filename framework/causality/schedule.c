/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See schedule.h. The locations that can run stand in a heap, ordered by the time of their next event. Times are
 * made comparable by an origin: from recorded clock offsets where the archive has them, else the first event of the
 * process. This order serves locality alone. The edges (exchange.h) decide which events may pass. */
#include "framework/base/error.h"
#include "schedule_internal.h"

#include <tcflow/times.h>

/* ----------------------------------------------------------------------------------------------- making, origins -- */

/* Times of one clock are keys as they are: all origins are 0. */
static void origins_of_one_clock(segment *g)
{
    for (uint32_t group = 0; group <= g->defs->n_location_groups; group++)
        g->has_origin[group] = 1;
}

/* Where the archive has clock offsets, keys are times of the common clock. */
static void origins_from_offsets(segment *g)
{
    const tcf_definitions *d = g->defs;
    __int128 earliest = 0;
    int any = 0;
    for (uint32_t l = 0; l < d->n_locations; l++) {
        const tcf_location *loc = &d->locations[l];
        if (loc->n_clock_offsets == 0)
            continue;
        __int128 global = (__int128)loc->clock_offsets[0].time + loc->clock_offsets[0].offset;
        if (!any || global < earliest)
            earliest = global;
        any = 1;
    }
    for (uint32_t l = 0; any && l < d->n_locations; l++) {
        const tcf_location *loc = &d->locations[l];
        uint32_t group = loc->group < d->n_location_groups ? loc->group : d->n_location_groups;
        if (loc->n_clock_offsets == 0 || g->has_origin[group])
            continue;
        __int128 origin = earliest - loc->clock_offsets[0].offset;
        g->origin[group] = origin < 0 ? 0 : origin > UINT64_MAX ? UINT64_MAX : (uint64_t)origin;
        g->has_origin[group] = 1;
    }
}

static tcf_status complete(void *data, const tcf_collective *instance)
{
    segment *g = data;
    return g->client.complete(g->client.data, instance);
}

/* Those of a domain are mostly neighbours. */
static void find_own(segment *g)
{
    g->end = g->defs->n_locations;
    while (g->end > 0 && !segment_is_here(g, g->end - 1))
        g->end--;
    while (g->first < g->end && !segment_is_here(g, g->first))
        g->first++;
}

static void begin_lane(segment *g, uint32_t location)
{
    lane *l = segment_lane(g, location);
    *l = (lane){.state = LANE_STARVED};
    if (!segment_is_here(g, location)) { /* none of its events comes here */
        *l = (lane){.state = LANE_ENDED, .upstream_ended = 1};
    } else {
        g->n_live++;
        if (!g->options.sourced)
            return;
        l->state = LANE_RUNNABLE;
        segment_heap_add(g, location);
    }
}

segment *segment_new(const tcf_definitions *defs, matcher *m, pool *p, const segment_options *options,
                     const segment_client *client)
{
    segment *g = calloc(1, sizeof *g);
    if (!g)
        goto failed;
    *g =
        (segment){.defs = defs, .m = m, .pool = p, .options = *options, .client = *client, .blocks = pool_available(p)};
    g->quantum = 1;
    find_own(g);
    const size_t own = g->end - g->first + 1u;
    g->lanes = aligned_alloc(_Alignof(lane), own * sizeof *g->lanes);
    g->rest = calloc(own, sizeof *g->rest);
    g->heap = calloc(own, sizeof *g->heap);
    g->place = malloc((defs->n_locations + 1u) * sizeof *g->place);
    g->parked = calloc(own, sizeof *g->parked);
    g->waiters = calloc(defs->n_locations + 1u, sizeof *g->waiters);
    if (options->exchange.posts) {
        g->senders = calloc(own, sizeof *g->senders);
        g->sender_place = malloc((defs->n_locations + 1u) * sizeof *g->sender_place);
    }
    g->origin = calloc(defs->n_location_groups + 1u, sizeof *g->origin);
    g->has_origin = calloc(defs->n_location_groups + 1u, 1);
    if (!g->lanes || !g->rest || !g->heap || !g->place || !g->parked || !g->waiters || !g->origin || !g->has_origin ||
        follow_set_up(g) != 0 || (options->exchange.posts && (!g->senders || !g->sender_place)) ||
        (options->posts_by_time && posts_set_up(g) != 0))
        goto failed;
    g->x = exchange_new(defs, m, &options->exchange, &(exchange_client){g, segment_wake, complete});
    if (!g->x) {
        segment_delete(g);
        return NULL;
    }
    if (options->one_clock)
        origins_of_one_clock(g);
    else
        origins_from_offsets(g);
    for (uint32_t k = 0; k < defs->n_locations; k++)
        g->place[k] = NOWHERE;
    for (uint32_t k = 0; g->sender_place && k < defs->n_locations; k++)
        g->sender_place[k] = NOWHERE;
    for (uint32_t k = g->first; k < g->end; k++)
        begin_lane(g, k);
    return g;
failed:
    segment_delete(g);
    error_fail("out of memory for the scheduler");
    return NULL;
}

void segment_delete(segment *g)
{
    if (!g)
        return;
    for (uint32_t k = g->first; g->x && k < g->end; k++)
        for (slice *s = segment_lane(g, k)->head, *next; s; s = next) {
            next = s->next;
            slice_put(g->pool, s);
        }
    exchange_delete(g->x);
    free(g->lanes);
    free(g->rest);
    free(g->heap);
    free(g->place);
    free(g->follow);
    free(g->dependents);
    free(g->blocked);
    free(g->parked);
    free(g->waiters);
    free(g->senders);
    free(g->sender_place);
    free(g->shares_member);
    free(g->questions);
    free(g->origin);
    free(g->has_origin);
    free(g);
}

/* -------------------------------------------------------------------------------------------------------- a turn -- */

/* The time up to which a location may run: a quantum behind the next event of the location that comes after it. */
static uint64_t time_limit(const segment *g, uint32_t location, uint64_t limit_of_process)
{
    if (g->n_heap < 2)
        return limit_of_process;
    const heap_entry *other = &g->heap[g->heap[0].location != location ? 0 : heap_first_child(g->heap, g->n_heap, 0)];
    const uint64_t limit = tcf_ticks_sum(tcf_ticks_sum(segment_lane(g, other->location)->key, g->quantum),
                                         segment_lane(g, location)->origin);
    return limit < limit_of_process ? limit : limit_of_process;
}

/* The location that runs next: the one that was woken last, whose data are still in the cache, unless it is a quantum
 * ahead of the earliest location. So two partners make several steps together before other locations run. */
static uint32_t next_location(segment *g)
{
    uint32_t earliest = g->heap[0].location;
    const uint64_t limit = tcf_ticks_sum(segment_lane(g, earliest)->key, g->quantum);
    while (g->n_woken != g->oldest_woken) {
        uint32_t location = g->woken[--g->n_woken % WOKEN];
        if (g->place[location] != NOWHERE && segment_lane(g, location)->head && segment_lane(g, location)->key < limit)
            return location;
    }
    return earliest;
}

/* The first event in [from, n) that is later than a time, or n; at least `from` + 1. */
static uint32_t first_behind(const tcf_slice *s, uint32_t from, uint64_t limit)
{
    uint32_t low = from, high = s->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->time[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low > from ? low : from + 1;
}

/* Where a span ends that would go up to event `to`: in front of the first event that is later than `limit`. The next
 * event and the events up to the last passed edge (in front of number `edge`) belong to the span in any case. */
static uint32_t cut(const lane *l, uint32_t to, uint32_t edge, uint64_t limit)
{
    const tcf_slice *s = &l->head->v;
    if (to <= l->at + 1 || s->time[to - 1] <= limit)
        return to;
    uint32_t from = edge > l->edge && s->edges[edge - 1].pos < s->n ? s->edges[edge - 1].pos : l->at;
    return first_behind(s, from, limit);
}

/* Does the edge at `pos` lie behind the limit? The next event never does. An edge behind the last event has no time. */
static int is_later(const lane *l, uint32_t pos, uint64_t limit, uint64_t limit_of_process)
{
    const tcf_slice *s = &l->head->v;
    if (pos < s->n)
        return pos > l->at && s->time[pos] > limit;
    return s->n > l->at + 1 && s->time[s->n - 1] > limit_of_process;
}

typedef enum stop_reason { STOP_END, STOP_LATER, STOP_UNRESOLVED, STOP_PARKED, STOP_FULL, STOP_FAILED } stop_reason;

/* Must the edge column be updated? An edge may have become unmatched while its location was parked. */
static inline int has_changed(const tcf_slice *s, const tcf_edge *e)
{
    return !(e->side & EDGE_SHOWN) || (e->flags & TCF_EDGE_UNMATCHED && !(s->edge[e->pos] & TCF_EDGE_UNMATCHED));
}

/* Writes the flags of edge number k to the edge column. An event's flags are those of all its edges together. */
static void show(tcf_slice *s, tcf_edge *e, uint32_t k)
{
    int is_first = s->match[e->pos] == k + 1 && !(e->side & EDGE_SHOWN);
    s->edge[e->pos] = is_first ? e->flags : (uint8_t)(s->edge[e->pos] | e->flags);
    e->side |= EDGE_SHOWN;
}

/* How far the head slice can run: up to event *to; the edges in front of number *edge have been prepared. Where several
 * edges stand at one event, those in front of a waiting edge pass without it (TCF_EDGE_LEFT in front of the receive of
 * an MPI_Sendrecv). */
static stop_reason look_ahead(segment *g, uint32_t location, uint64_t limit_of_process, uint32_t *to, uint32_t *edge)
{
    const lane *l = segment_lane(g, location);
    tcf_slice *s = &l->head->v;
    uint64_t limit = time_limit(g, location, limit_of_process);
    uint32_t k = l->edge;
    for (; k < s->n_edges; k++) {
        tcf_edge *e = &s->edges[k];
        *to = e->pos;
        *edge = k;
        if (k + 3 * AHEAD < s->n_edges) { /* they were decoded long ago, and have left the cache */
            __builtin_prefetch(&e[3 * AHEAD]);
            __builtin_prefetch(&s->time[e[AHEAD].pos]);
        }
        if (is_later(l, e->pos, limit, limit_of_process)) {
            *to = cut(l, e->pos, k, limit_of_process);
            return STOP_LATER;
        }
        if (e->number == UNRESOLVED)
            return STOP_UNRESOLVED;
        exchange_answer answer = exchange_prepare(g->x, location, e->pos < s->n ? s->time[e->pos] : UINT64_MAX, e);
        if (answer != EXCHANGE_READY)
            return answer == EXCHANGE_WAIT ? STOP_PARKED : answer == EXCHANGE_FULL ? STOP_FULL : STOP_FAILED;
        if (e->pos < s->n && !(e->flags & TCF_EDGE_GONE) && has_changed(s, e))
            show(s, e, k);
    }
    *edge = k;
    *to = s->n;
    if (s->n == 0 || s->time[s->n - 1] <= limit)
        return STOP_END;
    /* No edge is left in the slice: the span contains the last prepared edge at least. */
    *to = cut(l, s->n, k, limit);
    return *to < s->n ? STOP_LATER : STOP_END;
}

/* Passes the edges in front of number `to`; the filters have seen the events in front of `seen`. */
static tcf_status pass_edges(segment *g, uint32_t location, uint32_t to, uint32_t seen)
{
    const tcf_slice *s = &segment_lane(g, location)->head->v;
    for (uint32_t k = segment_lane(g, location)->edge; k < to; k++) {
        tcf_edge *e = &s->edges[k];
        if (exchange_pass(g->x, location, e) != TCF_OK)
            return TCF_ERROR;
        if (e->pos >= seen && seen < s->n) /* passed early: its slot may be used again before the filters see it */
            e->slot = TCF_NONE;
    }
    return TCF_OK;
}

/* edge: the number of the edge at which the location waits. */
static void park_lane(segment *g, uint32_t location, uint32_t edge)
{
    lane *l = segment_lane(g, location);
    const tcf_edge *e = &l->head->v.edges[edge];
    l->state = LANE_PARKED;
    l->parked = g->n_parked;
    l->next_edge = e;
    l->next_time = &l->head->v.time[e->pos];
    const uint32_t partner = e->class_ == TCF_CLASS_P2P   ? e->peer
                             : exchange_waits_for_post(e) ? exchange_receiver(g->x, e)
                             : tcf_is_message(e)          ? NOWHERE
                                                          : IN_OPERATION;
    const uint8_t has_lengths = e->class_ != TCF_CLASS_P2P && match_has_lengths(e->op);
    g->parked[g->n_parked++] = (parked_location){.location = location,
                                                 .partner = partner,
                                                 .since = g->turns,
                                                 .at = g->pushes & INT64_MAX,
                                                 .has_lengths = has_lengths & 1u};
    g->n_with_lengths += has_lengths;
    if (partner != IN_OPERATION)
        ++*segment_waiters(g, partner);
    if (exchange_waits_for_post(e))
        segment_senders_add(g, location, e->pos < l->head->v.n ? l->head->v.time[e->pos] : UINT64_MAX);
    segment_heap_remove(g, location);
}

/* No slot is left for a message of the location. Other locations run first, which may receive messages. When none of
 * them can run, an event goes on as unmatched, or the oldest message is dropped. */
static segment_state wait_for_slot(segment *g, uint32_t location)
{
    if (++g->full_turns < g->n_heap) {
        segment_yield(g, location);
        return SEGMENT_YIELDED;
    }
    g->full_turns = 0;
    /* The receivers may still be in front of this segment, or in another domain. */
    if (!g->options.sourced || g->options.exchange.letters) {
        g->is_full = 1;
        return SEGMENT_STUCK;
    }
    outcome released = segment_proceed(g, 0);
    if (released == OUTCOME_FAILED)
        return SEGMENT_ERROR;
    if (released == OUTCOME_MOVED || exchange_drop_oldest(g->x))
        return SEGMENT_RAN;
    error_fail("no room for another message in flight: raise max_messages (now %u)", g->options.exchange.max_messages);
    return SEGMENT_ERROR;
}

/* The location has run up to event `to` of its slice, the last of which came in with time `last`. */
static void note_passed(segment *g, uint32_t location, uint32_t to, uint64_t last)
{
    lane *l = segment_lane(g, location);
    if (to > l->at) {
        l->is_free = 0;
        l->started = 1;
        if (g->follow)
            g->follow[location].passed = last;
    }
    l->at = to;
    follow_moved(g, location);
}

static segment_state run_lane(segment *g, uint32_t location, uint32_t *wanted)
{
    lane *l = segment_lane(g, location);
    uint32_t to = l->at, edge = l->edge;
    uint64_t limit;
    if (!follow_limit(g, location, &limit)) {
        follow_block(g, location);
        return SEGMENT_RAN;
    }
    stop_reason why = look_ahead(g, location, limit, &to, &edge);
    if (why == STOP_FAILED)
        return SEGMENT_ERROR;
    slice *s = l->head;
    const uint64_t last = to > l->at ? s->v.time[to - 1] : 0;
    if (to > l->at && g->client.process(g->client.data, &s->v, l->at, to) != TCF_OK)
        return SEGMENT_ERROR;
    if (why == STOP_PARKED) /* first of all: the edges that pass now may wake this location */
        park_lane(g, location, edge);
    if (pass_edges(g, location, edge, to) != TCF_OK)
        return SEGMENT_ERROR;
    if (why == STOP_PARKED || why == STOP_FULL)
        exchange_note_stopped(g->x, location);
    int moved = to > l->at || edge > l->edge;
    if (moved) {
        g->full_turns = 0;
        g->is_full &= !g->options.exchange.letters;
    }
    note_passed(g, location, to, last);
    l->edge = edge;
    if (why == STOP_END && to == s->v.n)
        return segment_send_head(g, location) == TCF_OK ? SEGMENT_RAN : SEGMENT_ERROR;
    segment_set_key(g, location, segment_key(l, s->v.time[to < s->v.n ? to : s->v.n - (s->v.n > 0)]));
    if (why == STOP_UNRESOLVED && !moved) {
        *wanted = matcher_wants(g->m, location, &s->v.edges[edge]);
        return SEGMENT_WANTS;
    }
    return why == STOP_FULL && !moved ? wait_for_slot(g, location) : SEGMENT_RAN;
}

segment_state segment_turn(segment *g, uint32_t *wanted)
{
    g->turns++;
    g->quantum = segment_quantum(g);
    if (g->options.posts_by_time && g->n_senders + g->n_questions > 0 && posts_look(g) != TCF_OK)
        return SEGMENT_ERROR;
    if (g->n_live == 0)
        return SEGMENT_DONE;
    if (g->n_heap == 0)
        follow_look_again(g);
    if (g->n_heap == 0)
        return SEGMENT_STUCK;
    uint32_t location = next_location(g);
    lane *l = segment_lane(g, location);
    if (!l->head) {
        if (l->upstream_ended)
            return segment_end_lane(g, location) == TCF_OK ? SEGMENT_RAN : SEGMENT_ERROR;
        if (g->options.sourced) {
            *wanted = location;
            return SEGMENT_WANTS;
        }
        l->state = LANE_STARVED;
        segment_heap_remove(g, location);
        return SEGMENT_RAN;
    }
    segment_state state = run_lane(g, location, wanted);
    if (segment_goes_on(state))
        segment_heap_moved(g, location);
    return state;
}

int segment_can_run(const segment *g)
{
    return g->n_heap > 0;
}

uint32_t segment_slices(const segment *g)
{
    return g->n_slices;
}

outcome segment_run_ready(segment *g)
{
    uint32_t available = pool_available(g->pool);
    int moved = 0;
    for (uint32_t k = g->first; k < g->end && pool_available(g->pool) == available; k++) {
        lane *l = segment_lane(g, k);
        const slice *head = NULL;
        uint32_t at = 0, edge = 0, wanted;
        while (l->head && g->place[k] != NOWHERE && (l->head != head || l->at != at || l->edge != edge)) {
            moved |= head != NULL;
            head = l->head, at = l->at, edge = l->edge;
            if (run_lane(g, k, &wanted) == SEGMENT_ERROR)
                return OUTCOME_FAILED;
            segment_heap_moved(g, k);
        }
        moved |= head && (l->head != head || l->at != at || l->edge != edge);
    }
    return moved ? OUTCOME_MOVED : OUTCOME_NOTHING;
}

outcome segment_run_others(segment *g)
{
    const uint32_t full_turns = g->full_turns;
    const outcome moved = segment_run_ready(g);
    /* A location stopped for want of a slot, and no other location can make room. At 0 wait_for_slot() has made it. */
    if (moved != OUTCOME_NOTHING || g->full_turns == full_turns)
        return moved;
    if (g->full_turns == 0)
        return OUTCOME_MOVED;
    outcome released = segment_proceed(g, 0);
    return released == OUTCOME_NOTHING && exchange_drop_oldest(g->x) ? OUTCOME_MOVED : released;
}

/* ------------------------------------------------------------------------------------- going on as unmatched -- */

/* Is it the begin of an unknown collective? The record of its end may show that the member contributes nothing. */
static int is_open_begin(const tcf_edge *e)
{
    return e->number == UNRESOLVED && tcf_post_of(e) == TCF_POST_NONE &&
           (e->class_ == TCF_CLASS_NONE || (e->flags & (TCF_EDGE_BEGIN | TCF_EDGE_SOURCE)) == TCF_EDGE_BEGIN);
}

/* Looks for begins of members that contribute nothing, in the decoded events of a location within the look-ahead: large
 * slices contain more events. *open: the first begin whose collective is unknown, or NULL. */
static tcf_status note_empty_members(segment *g, uint32_t location, const tcf_edge **open)
{
    const lane *l = segment_lane(g, location);
    uint32_t edge = l->edge;
    const uint64_t last = (uint64_t)l->at + g->options.lookahead;
    uint64_t before = 0; /* events in the slices in front of s */
    *open = NULL;
    for (slice *s = l->head; s && before <= last; before += s->v.n, s = s->next, edge = 0)
        for (; edge < s->v.n_edges && before + s->v.edges[edge].pos <= last; edge++) {
            tcf_edge *e = &s->v.edges[edge];
            if (e->number != UNRESOLVED && (e->flags & (TCF_EDGE_BEGIN | TCF_EDGE_SOURCE)) != TCF_EDGE_BEGIN)
                continue; /* nearly all edges */
            if (exchange_note_empty_member(g->x, e) != TCF_OK)
                return TCF_ERROR;
            if (!*open && is_open_begin(e))
                *open = e;
        }
    return TCF_OK;
}

/* Does a location have so many events in its slices, or fewer? */
static int has_at_most(const lane *l, uint64_t events)
{
    uint64_t n = 0;
    for (const slice *s = l->head; s && n <= events; s = s->next)
        n += s->v.n;
    return n <= events;
}

/* The location that must be read further to learn more about the begins of a parked location within its look-ahead:
 * itself, or the one that resolves the open begin. NOWHERE: reading does not help. */
static uint32_t which_resolves(const segment *g, uint32_t location, const tcf_edge *open)
{
    const lane *l = segment_lane(g, location);
    if (!g->options.sourced || l->state != LANE_PARKED)
        return NOWHERE;
    if (!l->upstream_ended && has_at_most(l, (uint64_t)l->at + g->options.lookahead))
        return location;
    uint32_t other = open ? matcher_wants(g->m, location, open) : NOWHERE;
    return other != NOWHERE && segment_lane(g, other)->upstream_ended ? NOWHERE : other;
}

segment_state segment_look_for_empty_members(segment *g, int for_others, uint32_t *wanted)
{
    const uint32_t runnable = g->n_heap; /* locations that wait for a slot stay in the heap */
    if (!for_others && g->n_with_lengths == 0)
        return SEGMENT_STUCK;
    *wanted = NOWHERE;
    for (uint32_t k = g->first; k < g->end; k++) {
        const tcf_edge *open;
        if (note_empty_members(g, k, &open) != TCF_OK)
            return SEGMENT_ERROR;
        if (*wanted == NOWHERE)
            *wanted = which_resolves(g, k, open);
    }
    return g->n_heap > runnable ? SEGMENT_RAN : *wanted == NOWHERE ? SEGMENT_STUCK : SEGMENT_WANTS;
}

/* Does the event of a parked location go on as unmatched before that of another? When all locations wait (patience 0),
 * the earliest event goes first: where the locations stand then does not depend on the schedule, but the turn in which
 * each of them was parked does. Otherwise the event that has waited for longest goes first. Of equals that of the first
 * location goes. */
static int goes_first(const segment *g, uint32_t location, uint32_t other, uint64_t patience)
{
    const lane *l = segment_lane(g, location), *o = segment_lane(g, other);
    const uint64_t mine = patience > 0 ? g->parked[l->parked].since : l->key,
                   its = patience > 0 ? g->parked[o->parked].since : o->key;
    return mine < its || (mine == its && location < other);
}

/* The end of a send whose receive is not known to be posted goes on before all others: a wrong guess of which sends
 * wait must not cost the pairs of messages. The earliest one of them goes first, by its own clock. NOWHERE: none. */
static uint32_t next_without_post(const segment *g, uint64_t patience)
{
    const heap_entry *first = NULL;
    if (patience == 0)
        return g->n_senders > 0 ? g->senders[0].location : NOWHERE;
    for (uint32_t i = 0; i < g->n_senders; i++) {
        const heap_entry *sender = &g->senders[i];
        if (g->pushes - g->parked[segment_lane(g, sender->location)->parked].at >= patience &&
            (!first || runs_before(sender, first)))
            first = sender;
    }
    return first ? first->location : NOWHERE;
}

static uint32_t next_parked(const segment *g, uint64_t patience)
{
    uint32_t oldest = NOWHERE;
    for (uint32_t i = 0; i < g->n_parked; i++)
        if (oldest == NOWHERE || goes_first(g, g->parked[i].location, oldest, patience))
            oldest = g->parked[i].location;
    return oldest;
}

outcome segment_proceed(segment *g, uint64_t patience)
{
    const uint32_t without_post = next_without_post(g, patience);
    if (without_post != NOWHERE)
        return segment_pass_parked(g, without_post, 0);
    if (patience == 0 && follow_proceed(g))
        return OUTCOME_MOVED;
    if (g->n_parked == 0) {
        int dropped = g->is_full && patience == 0 && exchange_drop_oldest(g->x);
        g->is_full = 0;
        return dropped ? OUTCOME_MOVED : OUTCOME_NOTHING;
    }
    const uint32_t oldest = next_parked(g, patience);
    const parked_location *p = &g->parked[segment_lane(g, oldest)->parked];
    return g->pushes - p->at < patience ? OUTCOME_NOTHING : segment_pass_parked(g, oldest, patience > 0);
}

/* Does every location that has not ended wait? Then it takes no further slice to know what the segment does next. */
static int is_jammed(const segment *g)
{
    return g->n_parked + g->n_blocked == g->n_live;
}

/* Are all events at hand that the look-ahead reaches? */
static int can_look(const segment *g)
{
    for (uint32_t k = g->first; k < g->end; k++) {
        const lane *l = segment_lane(g, k);
        if (l->state != LANE_ENDED && !l->upstream_ended && has_at_most(l, (uint64_t)l->at + g->options.lookahead))
            return 0;
    }
    return 1;
}

tcf_status segment_look_behind(segment *g)
{
    const tcf_edge *open;
    g->has_looked = 1; /* what wakes a location takes it back */
    for (uint32_t k = g->first; k < g->end; k++)
        if (note_empty_members(g, k, &open) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

outcome segment_clear_jam(segment *g)
{
    const uint32_t location = is_jammed(g) ? next_without_post(g, 0) : NOWHERE;
    if (location == NOWHERE)
        return OUTCOME_NOTHING;
    if (g->n_with_lengths == 0 || g->has_looked)
        return segment_pass_parked(g, location, 0);
    if (!can_look(g))
        return OUTCOME_NOTHING;
    return segment_look_behind(g) == TCF_OK ? OUTCOME_MOVED : OUTCOME_FAILED;
}

outcome segment_pass_without_post(segment *g)
{
    return segment_pass_parked(g, next_without_post(g, 0), 0);
}

exchange *segment_exchange(segment *g)
{
    return g->x;
}

/* ------------------------------------------------------------------------------------------------------- letters -- */

void segment_rest(segment *g, resting *how)
{
    uint32_t next;
    how->wants_look = g->n_with_lengths > 0;
    how->on_credit = (uint8_t)exchange_was_short_of_credit(g->x);
    how->wish = g->n_live == 0 ? WISH_DONE : WISH_NOTHING;
    if ((next = next_without_post(g, 0)) != NOWHERE) {
        how->wish = WISH_POST;
        how->key = g->senders[0].round;
    } else if ((next = follow_first(g)) != NOWHERE) {
        how->wish = WISH_BLOCKED;
        how->key = segment_lane(g, next)->key;
    } else if ((next = next_parked(g, 0)) != NOWHERE) {
        how->wish = WISH_PARKED;
        how->key = segment_lane(g, next)->key;
    } else if (g->is_full && !how->on_credit) {
        how->wish = WISH_FULL;
    }
    how->location = next;
}

void segment_rest_behind(segment *g, uint32_t stage, jam *behind)
{
    if (stage >= STAGES_TOLD || !is_jammed(g))
        return;
    const uint32_t bit = UINT32_C(1) << stage, sender = next_without_post(g, 0);
    behind->waits |= bit;
    behind->has_lengths |= g->n_with_lengths > 0 ? bit : 0;
    behind->can_look |= can_look(g) ? bit : 0;
    behind->has_looked |= g->has_looked ? bit : 0;
    if (sender == NOWHERE || behind->stage != STAGES_TOLD)
        return;
    behind->stage = stage;
    behind->sender = sender;
    behind->sent = g->senders[0].round;
}

tcf_status segment_take_letter(segment *g, const letter *l, uint32_t from)
{
    const uint32_t *ended;
    uint32_t n;
    if (l->kind >= LETTERS_OF_SCHEDULERS)
        return posts_take_letter(g, l);
    if (exchange_take_letter(g->x, l, from, &ended, &n) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < n; i++)
        if (segment_ended_elsewhere(g, ended[i]) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}
