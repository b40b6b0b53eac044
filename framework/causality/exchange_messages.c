/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Messages in flight: their slots, in order on each channel and by age; see exchange.h. */
#include "exchange_internal.h"

enum { SLOTS_AHEAD = 6, MOST_STEPS = 32 };

/* Makes the ring twice as large as there are slots, at least. 0: out of memory. */
static int grow_ring(exchange *x, uint64_t slots)
{
    const uint64_t places = x->by_age ? x->by_age_mask + 1 : 0;
    uint64_t wanted = places ? places : 2 * SLOTS_A_CHUNK;
    while (wanted < 2 * slots)
        wanted *= 2;
    if (wanted == places)
        return 1;
    uint32_t *grown = malloc(wanted * sizeof *grown);
    if (!grown)
        return 0;
    for (uint64_t age = x->oldest; age < x->next_age; age++)
        grown[age & (wanted - 1)] = x->by_age[age & x->by_age_mask];
    free(x->by_age);
    x->by_age = grown;
    x->by_age_mask = wanted - 1;
    return 1;
}

/* The message in flight of this age; NONE: it has gone. */
static uint32_t of_age(const exchange *x, uint64_t age)
{
    const uint32_t i = x->by_age[age & x->by_age_mask];
    const slot *s = slot_at(x, i);
    return s->age == (uint32_t)age && s->channel != NONE && s->state != SLOT_CONSUMED ? i : NONE;
}

/* Messages that have gone leave the ring: of a full one half at least. */
static __attribute__((noinline)) void tidy_ring(exchange *x)
{
    uint64_t to = x->oldest;
    for (uint64_t age = x->oldest; age < x->next_age; age++) {
        const uint32_t i = of_age(x, age);
        if (i == NONE)
            continue;
        x->by_age[to & x->by_age_mask] = i;
        slot_at(x, i)->age = (uint32_t)to++;
    }
    x->next_age = to;
}

/* Allocates another chunk of slots, and room for them in the stack of free slots and in the ring. */
static tcf_status more_slots(exchange *x)
{
    uint32_t chunk = x->n_slots / SLOTS_A_CHUNK;
    uint32_t *grown = realloc(x->free_slots, (x->n_slots + (size_t)SLOTS_A_CHUNK) * sizeof *grown);
    if (grown)
        x->free_slots = grown;
    if (!grown || !grow_ring(x, x->n_slots + (uint64_t)SLOTS_A_CHUNK) ||
        !(x->chunks[chunk] = aligned_alloc(LINE, SLOTS_A_CHUNK * x->slot_bytes)))
        return error_fail("out of memory for messages in flight");
    return TCF_OK;
}

/* Room for more chunks than the cap asks for: what another domain has sent is never refused. */
static tcf_status raise_most(exchange *x)
{
    const uint64_t most = 2 * x->most_slots + SLOTS_A_CHUNK;
    unsigned char **grown = realloc(x->chunks, (most / SLOTS_A_CHUNK + 1u) * sizeof *grown);
    if (!grown)
        return error_fail("out of memory for messages from other domains");
    x->chunks = grown;
    x->most_slots = most;
    return TCF_OK;
}

/* *i: a free slot. */
static exchange_answer slot_new(exchange *x, uint32_t *i)
{
    if (x->n_free_slots > 0) {
        if (x->n_free_slots > SLOTS_AHEAD) /* a free slot may have left the cache: fetch one that is used soon */
            __builtin_prefetch(slot_at(x, x->free_slots[x->n_free_slots - SLOTS_AHEAD - 1]), 1);
        *i = x->free_slots[--x->n_free_slots];
        return EXCHANGE_READY;
    }
    if (x->n_slots >= x->most_slots)
        return EXCHANGE_FULL;
    if (x->n_slots % SLOTS_A_CHUNK == 0 && more_slots(x) != TCF_OK)
        return EXCHANGE_FAILED;
    *i = x->n_slots++;
    return EXCHANGE_READY;
}

static void slot_free(exchange *x, uint32_t i)
{
    slot_at(x, i)->channel = NONE;
    x->free_slots[x->n_free_slots++] = i;
}

static int slot_note(exchange *x, channel_state *on, uint32_t i)
{
    const slot *s = slot_at(x, i);
    if (map_put(&x->slot_of, s->channel, s->number, i) != 0)
        return 0;
    on->scattered++;
    return 1;
}

/* The slots of a channel's list are out of order by many: from now on they are found by their numbers, until none is
 * left. 0: out of memory, the list stays. */
static __attribute__((noinline)) int scatter(exchange *x, channel_state *on)
{
    uint32_t i = on->head;
    while (i != NONE && slot_note(x, on, i))
        i = slot_at(x, i)->next;
    if (i == NONE) {
        on->head = on->tail = on->found = NONE;
        return 1;
    }
    for (uint32_t k = on->head; k != i; k = slot_at(x, k)->next)
        map_remove(&x->slot_of, slot_at(x, k)->channel, slot_at(x, k)->number);
    on->scattered = 0;
    return 0;
}

/* Puts a slot into its channel's list, at its place by number. 0: out of memory. */
static int slot_list(exchange *x, channel_state *on, uint32_t i)
{
    const uint64_t number = slot_at(x, i)->number;
    slot_at(x, i)->next = NONE;
    if (on->scattered > 0)
        return slot_note(x, on, i);
    if (on->head == NONE) {
        on->head = on->tail = i;
    } else if (slot_at(x, on->tail)->number < number) {
        slot_at(x, on->tail)->next = i;
        on->tail = i;
    } else { /* threads of a process may pass their sends out of order */
        uint32_t *link = &on->head;
        for (int steps = 0; slot_at(x, *link)->number < number; link = &slot_at(x, *link)->next)
            if (++steps > MOST_STEPS)
                return scatter(x, on) && slot_note(x, on, i);
        slot_at(x, i)->next = *link;
        *link = i;
    }
    return 1;
}

/* Puts a slot, of which what it says of its message is filled in, into its channel's list and the ring by age. */
static inline tcf_status slot_enter(exchange *x, channel_state *on, uint32_t i)
{
    slot *s = slot_at(x, i);
    if (!slot_list(x, on, i)) {
        slot_free(x, i);
        return error_fail("out of memory for messages in flight");
    }
    uint32_t *in_flight = s->is_post ? &x->counts.posts_in_flight : &x->counts.in_flight;
    if (s->to < x->defs->n_locations)
        x->at[s->to].coming++;
    if (x->next_age - x->oldest > x->by_age_mask)
        tidy_ring(x);
    s->age = (uint32_t)x->next_age;
    x->by_age[x->next_age++ & x->by_age_mask] = i;
    ++*in_flight;
    if (x->counts.in_flight > x->counts.most_in_flight)
        x->counts.most_in_flight = x->counts.in_flight;
    return TCF_OK;
}

/* Makes the slot *added for the message of an edge. */
static exchange_answer slot_add(exchange *x, channel_state *on, const tcf_edge *e, slot_state state, uint32_t *added)
{
    uint32_t i;
    const int is_post = (e->side & EDGE_OF_POST) != 0;
    const uint32_t in_flight = is_post ? x->counts.posts_in_flight : x->counts.in_flight;
    exchange_answer answer = in_flight < x->options.max_messages ? slot_new(x, &i) : EXCHANGE_FULL;
    if (answer != EXCHANGE_READY)
        return answer;
    slot *s = slot_at(x, i);
    memset(s, 0, x->slot_bytes);
    s->channel = e->channel;
    s->number = e->number;
    s->state = (uint32_t)state & 7u;
    s->is_post = (uint32_t)is_post & 1u;
    s->to = e->class_ == TCF_CLASS_P2P && !is_post && state != SLOT_RECEIVE_GONE ? e->peer : NONE;
    if (x->letters && e->class_ == TCF_CLASS_P2P)
        s->afar = exchange_afar(x, e->peer) & MOST_AFAR;
    if (slot_enter(x, on, i) != TCF_OK)
        return EXCHANGE_FAILED;
    *added = i;
    return EXCHANGE_READY;
}

static uint32_t slot_noted(const exchange *x, const channel_state *on, uint64_t number)
{
    const uint32_t found = map_get(&x->slot_of, (uint64_t)(on - x->channel_states), number);
    return found == MAP_ABSENT ? NONE : found;
}

/* The slot of a message, or NONE. A channel has many slots where its sender is far ahead. A send looks mostly for a
 * number behind the last slot, a receive for the slot behind the one that was found last. */
static uint32_t slot_find(exchange *x, channel_state *on, uint64_t number)
{
    if (on->scattered > 0)
        return slot_noted(x, on, number);
    if (on->tail == NONE || slot_at(x, on->tail)->number < number)
        return NONE;
    if (slot_at(x, on->tail)->number == number)
        return on->tail;
    uint32_t i = on->found != NONE && slot_at(x, on->found)->number <= number ? on->found : on->head;
    for (int steps = 0; slot_at(x, i)->number < number; i = slot_at(x, i)->next)
        if (++steps == MOST_STEPS && scatter(x, on))
            return slot_noted(x, on, number);
    if (slot_at(x, i)->number != number)
        return NONE;
    on->found = i;
    return i;
}

/* Is it the slot of a message that has come from another domain? */
static int has_come(const exchange *x, const slot *s)
{
    return s->afar && s->to != NONE && letters_is_here(x->letters, s->to);
}

/* Out of the way of messages whose sides are both here. */
static __attribute__((noinline)) void tell_removed(exchange *x, const slot *s)
{
    if (s->state == SLOT_PASSED && has_come(x, s))
        exchange_tell_received(x, s->afar);
}

static void slot_unlist(exchange *x, uint32_t i)
{
    const slot *s = slot_at(x, i);
    channel_state *on = &x->channel_states[s->channel];
    uint32_t before = NONE, steps = 0;
    for (uint32_t k = on->head; k != i && k != NONE; k = slot_at(x, k)->next) {
        before = k;
        if (++steps == MOST_STEPS && scatter(x, on))
            break;
    }
    if (on->scattered > 0) {
        map_remove(&x->slot_of, s->channel, s->number);
        on->scattered--;
        return;
    }
    if (before == NONE)
        on->head = s->next;
    else
        slot_at(x, before)->next = s->next;
    if (on->tail == i)
        on->tail = before;
    if (on->found == i)
        on->found = s->next;
}

/* ------------------------------------------------------------------------------------------- who waits for a message
 * --
 */

/* At most channels one location waits at a time. Where threads of a process wait for messages of one channel, all but
 * one of them are found by the message's number. */
static void park_at(exchange *x, uint32_t location, channel_state *on, uint64_t number)
{
    const uint64_t key = (uint64_t)(on - x->channel_states);
    if (on->waiter != NONE && map_get(&x->waiter_of, key, number) == MAP_ABSENT &&
        map_put(&x->waiter_of, key, number, location) == 0)
        on->crowd++;
    else
        park(x, location, &on->waiter);
}

static void leave_crowd(exchange *x, channel_state *on, uint64_t number)
{
    map_remove(&x->waiter_of, (uint64_t)(on - x->channel_states), number);
    on->crowd--;
}

/* The location of the crowd that waits for a message; NONE: none does. */
static uint32_t in_crowd(const exchange *x, const channel_state *on, uint64_t number)
{
    const uint32_t found =
        on->crowd > 0 ? map_get(&x->waiter_of, (uint64_t)(on - x->channel_states), number) : MAP_ABSENT;
    return found == MAP_ABSENT ? NONE : found;
}

static void unpark_at(exchange *x, uint32_t location, channel_state *on, uint64_t number)
{
    if (in_crowd(x, on, number) == location)
        leave_crowd(x, on, number);
    else
        unpark(x, location, &on->waiter);
}

/* Wakes all that may wait for a message. */
static void wake_at(exchange *x, channel_state *on, uint64_t number)
{
    const uint32_t found = in_crowd(x, on, number);
    wake_all(x, &on->waiter);
    if (found == NONE)
        return;
    leave_crowd(x, on, number);
    x->client.wake(x->client.data, found);
}

void exchange_unpark_message(exchange *x, uint32_t location, const tcf_edge *e)
{
    unpark_at(x, location, &x->channel_states[e->channel], e->number);
}

/* Takes a slot out of its channel's list, and frees it unless it is held. */
static void slot_remove(exchange *x, uint32_t i)
{
    slot *s = slot_at(x, i);
    slot_unlist(x, i);
    if (s->afar)
        tell_removed(x, s);
    --*(s->is_post ? &x->counts.posts_in_flight : &x->counts.in_flight);
    if (s->to < x->defs->n_locations)
        x->at[s->to].coming--;
    if (s->holds)
        s->state = SLOT_CONSUMED;
    else
        slot_free(x, i);
}

/* Removes the slot of a message that will not be received: the answer to its send is "none". */
static void slot_lose(exchange *x, uint32_t i)
{
    const slot *s = slot_at(x, i);
    if (x->options.answers && s->state == SLOT_PASSED && has_come(x, s))
        exchange_tell(x, LETTER_ANSWER, s->afar, s->channel, s->number, UINT64_MAX);
    if (x->options.answers)
        slot_set_answer(x, slot_at(x, i), UINT64_MAX);
    slot_remove(x, i);
}

/* Have all locations ended that represent the other side of the message? The other side of a lock or a thread is of the
 * same process, which has not ended. The channel may not be in the cache, so it is looked at only when some location
 * has ended. */
static int partner_has_ended(const exchange *x, const tcf_edge *e, int sending)
{
    if (!x->any_ended)
        return 0;
    const channel *c = channel_at(x, e->channel);
    return c->type == TCF_CHANNEL_MESSAGE && exchange_member_ended(x, c->comm, sending ? c->b : c->a);
}

static void detach_unmatched(tcf_edge *e)
{
    e->flags |= TCF_EDGE_UNMATCHED;
    e->slot = NONE;
}

/* Marks a dropped edge as unmatched. A later segment, or the reader of a stream, sees the same edges again: where the
 * partner of a dropped edge is marked as unmatched, the dropped edge must be marked, too, or its tombstone would wait
 * for ever. The dropped edge is marked where its partner has found a tombstone, or will find one. Where a send has
 * passed before its receive was dropped, neither of them is marked. */
static void mark_unmatched(tcf_edge *e)
{
    e->flags |= TCF_EDGE_UNMATCHED;
}

static exchange_answer add_tombstone(exchange *x, tcf_edge *e, channel_state *on, slot_state state)
{
    uint32_t tombstone;
    exchange_answer answer = slot_add(x, on, e, state, &tombstone);
    if (answer == EXCHANGE_READY)
        mark_unmatched(e);
    return answer;
}

static exchange_answer prepare_send(exchange *x, tcf_edge *e, channel_state *on)
{
    uint32_t i = slot_find(x, on, e->number);
    if (i != NONE) { /* the tombstone of its receive */
        if (slot_at(x, i)->afar && !(e->flags & TCF_EDGE_GONE))
            exchange_tell(x, LETTER_CLEAR, slot_at(x, i)->afar, e->channel, e->number, 0);
        slot_remove(x, i);
        if (e->flags & TCF_EDGE_GONE)
            mark_unmatched(e);
        else
            detach_unmatched(e);
        return EXCHANGE_READY;
    }
    const uint32_t afar = x->letters && e->class_ == TCF_CLASS_P2P ? exchange_afar(x, e->peer) : 0;
    if (e->flags & TCF_EDGE_GONE && afar) { /* its tombstone is with its receive */
        mark_unmatched(e);
        return EXCHANGE_READY;
    }
    if (e->flags & TCF_EDGE_GONE)
        return add_tombstone(x, e, on, SLOT_SOURCE_GONE);
    if (partner_has_ended(x, e, 1)) {
        detach_unmatched(e);
        return EXCHANGE_READY;
    }
    if (afar && x->under_way[afar - 1] >= x->credit) {
        x->short_of_credit = 1;
        return EXCHANGE_FULL;
    }
    return slot_add(x, on, e, SLOT_SENT, &e->slot);
}

/* Where the source is in another domain, that one has a tombstone, too: the source may not have passed. */
static void tell_receive_gone(exchange *x, const tcf_edge *e)
{
    const uint32_t afar = x->letters && e->class_ == TCF_CLASS_P2P ? exchange_afar(x, e->peer) : 0;
    if (afar)
        exchange_tell(x, LETTER_RECEIVE_GONE, afar, e->channel, e->number, 0);
}

static exchange_answer prepare_receive(exchange *x, uint32_t location, tcf_edge *e, channel_state *on)
{
    uint32_t i = slot_find(x, on, e->number);
    if (e->flags & TCF_EDGE_GONE) {
        if (i == NONE) {
            tell_receive_gone(x, e);
            return add_tombstone(x, e, on, SLOT_RECEIVE_GONE);
        }
        if (slot_at(x, i)->state == SLOT_SOURCE_GONE)
            mark_unmatched(e);
        slot_lose(x, i);
        return EXCHANGE_READY;
    }
    if (i != NONE && slot_at(x, i)->state == SLOT_SOURCE_GONE) {
        slot_remove(x, i);
        detach_unmatched(e);
        return EXCHANGE_READY;
    }
    if (i != NONE && (slot_at(x, i)->state == SLOT_PASSED || partner_has_ended(x, e, 0))) {
        e->slot = i;
        return EXCHANGE_READY;
    }
    if (i == NONE && partner_has_ended(x, e, 0)) {
        detach_unmatched(e);
        return EXCHANGE_READY;
    }
    park_at(x, location, on, e->number);
    return EXCHANGE_WAIT;
}

exchange_answer exchange_prepare_message(exchange *x, uint32_t location, tcf_edge *e, channel_state *on)
{
    if (e->flags & TCF_EDGE_UNMATCHED)
        return EXCHANGE_READY;
    if (e->flags & TCF_EDGE_SOURCE)
        return prepare_send(x, e, on);
    if (e->flags & TCF_EDGE_LEFT) {
        e->slot = slot_find(x, on, e->number);
        return EXCHANGE_READY;
    }
    return prepare_receive(x, location, e, on);
}

/* Counts sends, receives and pairs as they pass. The unmatched sends are the sends without the pairs: that a message
 * has no partner may show only when a location ends. */
static void count_passed(exchange *x, const tcf_edge *e)
{
    if (e->class_ != TCF_CLASS_P2P || e->flags & TCF_EDGE_GONE)
        return;
    x->counts.sends += (e->flags & TCF_EDGE_SOURCE) != 0;
    x->counts.receives += (e->flags & TCF_EDGE_TARGET) != 0;
}

/* The target is in another domain: the slot goes there. It is left here for the answer alone. */
static __attribute__((noinline)) void pass_afar(exchange *x, uint32_t i)
{
    slot *s = slot_at(x, i);
    x->under_way[s->afar - 1]++;
    exchange_tell_sent(x, s);
    if (!x->options.answers)
        slot_remove(x, i);
}

void exchange_pass_message(exchange *x, tcf_edge *e)
{
    count_passed(x, e);
    if ((e->flags & (TCF_EDGE_SOURCE | TCF_EDGE_GONE)) == (TCF_EDGE_SOURCE | TCF_EDGE_GONE)) {
        wake_at(x, &x->channel_states[e->channel], e->number); /* a parked receive finds the tombstone */
        if (x->letters && e->class_ == TCF_CLASS_P2P)
            exchange_tell(x, LETTER_SOURCE_GONE, exchange_afar(x, e->peer), e->channel, e->number, 0);
    }
    if (e->slot == NONE)
        return;
    slot *s = slot_at(x, e->slot);
    /* A damaged stream may have two receives of one message. The second one finds that the slot is empty, or has
     * another message. */
    if (s->channel != e->channel || s->number != e->number || s->state == SLOT_CONSUMED)
        return;
    if (e->flags & TCF_EDGE_TARGET) {
        x->counts.matched += e->class_ == TCF_CLASS_P2P;
        s->holds |= x->options.answers ? HOLDS_TARGET : 0;
        slot_remove(x, e->slot);
        return;
    }
    if (e->flags & TCF_EDGE_SOURCE && x->options.answers)
        s->holds |= HOLDS_SOURCE;
    if (e->flags & TCF_EDGE_LEAVES) /* it counts when its call is left */
        return;
    if (s->state == SLOT_SENT) {
        s->state = SLOT_PASSED;
        if (s->afar)
            pass_afar(x, e->slot);
        else
            wake_at(x, &x->channel_states[e->channel], e->number);
    }
}

/* At the cap the receive leaves no tombstone: its send then stays in flight until the cap or the receiver's end. */
tcf_status exchange_proceed_message(exchange *x, uint32_t location, tcf_edge *e, channel_state *on)
{
    unpark_at(x, location, on, e->number);
    uint32_t i = slot_find(x, on, e->number), tombstone;
    if (i != NONE) /* prepared, and its call was never left */
        slot_lose(x, i);
    else if (slot_add(x, on, e, SLOT_RECEIVE_GONE, &tombstone) == EXCHANGE_FAILED)
        return TCF_ERROR;
    if (i == NONE)
        tell_receive_gone(x, e);
    detach_unmatched(e);
    return TCF_OK;
}

void exchange_release_message(exchange *x, const tcf_edge *e)
{
    slot *s = slot_at(x, e->slot);
    uint8_t side = e->flags & TCF_EDGE_SOURCE ? HOLDS_SOURCE : e->flags & TCF_EDGE_TARGET ? HOLDS_TARGET : 0;
    if (!(s->holds & side))
        return;
    s->holds &= ~side & 3u;
    if (!s->holds && s->state == SLOT_CONSUMED)
        slot_free(x, e->slot);
}

static int may_be_dropped(const exchange *x, const slot *s)
{
    if (s->is_post || (s->afar && s->state == SLOT_PASSED && !has_come(x, s)))
        return 0;
    return s->state == SLOT_PASSED || s->state == SLOT_RECEIVE_GONE;
}

int exchange_drop_oldest(exchange *x)
{
    while (x->oldest < x->next_age && of_age(x, x->oldest) == NONE)
        x->oldest++;
    for (uint64_t age = x->oldest; age < x->next_age; age++) {
        const uint32_t i = of_age(x, age);
        if (i == NONE || !may_be_dropped(x, slot_at(x, i)))
            continue;
        slot_lose(x, i);
        x->counts.dropped_messages++;
        return 1;
    }
    return 0;
}

void exchange_end_messages(exchange *x, uint32_t member)
{
    /* Else its own domain knows which messages it has received. */
    const int is_here = !x->letters || letters_is_here(x->letters, member);
    if ((!is_here || x->at[member].coming == 0) && x->counts.posts_in_flight == 0)
        return;
    if ((x->next_age - x->oldest) / 2 > (uint64_t)x->counts.in_flight + x->counts.posts_in_flight)
        tidy_ring(x); /* most have gone */
    for (uint64_t age = x->oldest; age < x->next_age; age++) {
        const uint32_t i = of_age(x, age);
        if (i == NONE)
            continue;
        const slot *s = slot_at(x, i);
        const channel *c = channel_at(x, s->channel);
        const int is_of_post = c->type == TCF_CHANNEL_POST && (s->state == SLOT_RECEIVE_GONE ? c->b : c->a) == member;
        if ((is_here && s->to == member) || is_of_post)
            slot_lose(x, i);
    }
}

void exchange_pass_unleft(exchange *x, uint32_t member)
{
    for (uint64_t age = x->oldest; age < x->next_age; age++) {
        const uint32_t i = of_age(x, age);
        slot *s = i != NONE ? slot_at(x, i) : NULL;
        if (!s || s->state != SLOT_SENT || !s->afar || s->is_post || channel_at(x, s->channel)->a != member)
            continue;
        s->state = SLOT_PASSED;
        pass_afar(x, i);
    }
}

/* ------------------------------------------------------------------------------------------------------- letters -- */

/* A slot for what a letter says of a message. NONE: out of memory. */
static uint32_t add_from_afar(exchange *x, channel_state *on, slot what)
{
    uint32_t i;
    if (x->n_free_slots == 0 && x->n_slots >= x->most_slots && raise_most(x) != TCF_OK)
        return NONE;
    if (slot_new(x, &i) != EXCHANGE_READY)
        return NONE;
    slot *s = slot_at(x, i);
    memset(s, 0, x->slot_bytes);
    *s = what;
    return slot_enter(x, on, i) == TCF_OK ? i : NONE;
}

/* A source has passed in another domain, or was dropped there. */
static tcf_status take_source(exchange *x, channel_state *on, letter_kind kind, const message_letter *l, slot what)
{
    const uint32_t i = slot_find(x, on, l->number);
    const int sent = kind == LETTER_SENT;
    if (i != NONE && slot_at(x, i)->state == SLOT_RECEIVE_GONE) {
        slot_remove(x, i);
        exchange_tell(x, LETTER_CLEAR, what.afar, what.channel, l->number, 0);
    }
    if (i != NONE || exchange_member_ended(x, l->comm, l->b)) {
        if (sent && x->options.answers)
            exchange_tell(x, LETTER_ANSWER, what.afar, what.channel, l->number, UINT64_MAX);
        if (sent)
            exchange_tell_received(x, what.afar);
        return TCF_OK;
    }
    what.to = l->b;
    what.state = sent ? SLOT_PASSED : SLOT_SOURCE_GONE;
    what.published = l->published;
    const uint32_t added = add_from_afar(x, on, what);
    if (added == NONE)
        return TCF_ERROR;
    if (sent)
        memcpy(slot_at(x, added)->value, l + 1, x->options.publishers * sizeof(uint64_t) + x->options.message_bytes);
    wake_at(x, on, l->number);
    return TCF_OK;
}

/* A receive was posted in another domain, whose send is here. */
static tcf_status take_post(exchange *x, channel_state *on, const message_letter *l, slot what)
{
    const uint32_t i = slot_find(x, on, l->number);
    if (i != NONE)
        slot_remove(x, i); /* what a send has left that doesn't wait for it */
    if (i != NONE || exchange_member_ended(x, l->comm, l->a))
        return TCF_OK;
    what.to = NONE;
    what.is_post = 1;
    what.state = SLOT_PASSED;
    what.published = l->published;
    const uint32_t added = add_from_afar(x, on, what);
    if (added == NONE)
        return TCF_ERROR;
    memcpy(slot_at(x, added)->value, l + 1, x->options.publishers * sizeof(uint64_t) + x->options.message_bytes);
    wake_at(x, on, l->number);
    return TCF_OK;
}

/* A receive in another domain won't come, or has passed unmatched. */
static tcf_status take_receive_gone(exchange *x, channel_state *on, const message_letter *l, slot what)
{
    const uint32_t i = slot_find(x, on, l->number);
    if (i == NONE) {
        what.state = SLOT_RECEIVE_GONE;
        what.to = NONE;
        return add_from_afar(x, on, what) == NONE ? TCF_ERROR : TCF_OK;
    }
    if (slot_at(x, i)->state == SLOT_SENT) { /* prepared, and its call was never left */
        slot_lose(x, i);
        exchange_tell(x, LETTER_CLEAR, what.afar, what.channel, l->number, 0);
    }
    return TCF_OK;
}

/* An answer to a source that is here. */
static void take_answer(exchange *x, channel_state *on, const message_letter *l)
{
    const uint32_t i = slot_find(x, on, l->number);
    if (i == NONE)
        return;
    slot_set_answer(x, slot_at(x, i), l->value);
    slot_remove(x, i);
}

tcf_status exchange_take_message(exchange *x, letter_kind kind, const message_letter *l, uint32_t from)
{
    int failed;
    const uint32_t found = matcher_find_channel(
        x->m, (tcf_channel){.type = (uint8_t)l->type, .comm = l->comm, .a = l->a, .b = l->b, .tag = l->tag}, &failed);
    if (failed)
        return error_fail("out of memory for the channels of other domains");
    slot what = {.channel = found, .number = l->number, .afar = (from + 1) & MOST_AFAR};
    if (found == TCF_NONE && l->type == TCF_CHANNEL_POST)
        return TCF_OK;
    if (found == TCF_NONE) { /* the table of channels is full, which is counted: nobody waits for the message */
        if (kind == LETTER_SENT && x->options.answers)
            error_fail("the table of channels has no room for those of other domains: raise max_channels");
        if (kind == LETTER_SENT)
            exchange_tell_received(x, what.afar);
        return kind == LETTER_SENT && x->options.answers ? TCF_ERROR : TCF_OK;
    }
    channel_state *on = exchange_channel_state(x, found);
    if (!on)
        return TCF_ERROR;
    if (l->type == TCF_CHANNEL_POST)
        return take_post(x, on, l, what);
    if (kind == LETTER_SENT || kind == LETTER_SOURCE_GONE)
        return take_source(x, on, kind, l, what);
    if (kind == LETTER_RECEIVE_GONE)
        return take_receive_gone(x, on, l, what);
    const uint32_t i = kind == LETTER_CLEAR ? slot_find(x, on, l->number) : NONE;
    if (i != NONE && slot_at(x, i)->state == SLOT_RECEIVE_GONE)
        slot_remove(x, i);
    if (kind == LETTER_ANSWER)
        take_answer(x, on, l);
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------- sends that wait -- */

/* Have all locations ended that represent the member on the other side of a post? */
static int other_has_ended(const exchange *x, const tcf_edge *e, int posted)
{
    if (!x->any_ended)
        return 0;
    const channel *c = channel_at(x, e->channel);
    return exchange_member_ended(x, c->comm, posted ? c->a : c->b);
}

/* Where there is no room for another slot the other side finds none, and goes on as unmatched in the end: what is known
 * of posts never holds messages up. */
static exchange_answer add_post(exchange *x, channel_state *on, const tcf_edge *e, slot_state state, uint32_t *added)
{
    *added = NONE;
    if (slot_add(x, on, e, state, added) == EXCHANGE_FAILED)
        return EXCHANGE_FAILED;
    if (x->letters && state == SLOT_SENT && *added != NONE)
        slot_at(x, *added)->afar = exchange_afar(x, channel_at(x, e->channel)->a) & MOST_AFAR;
    return EXCHANGE_READY;
}

exchange_answer exchange_prepare_post(exchange *x, uint32_t location, tcf_edge *e, channel_state *on)
{
    const tcf_post role = tcf_post_of(e);
    const uint32_t i = slot_find(x, on, e->number);
    uint32_t tombstone;
    if (role == TCF_POST_NONE)
        return EXCHANGE_READY;
    if (role == TCF_POST_WAITED && !(e->flags & TCF_EDGE_GONE)) {
        if (i != NONE && (slot_at(x, i)->state == SLOT_PASSED || other_has_ended(x, e, 0))) {
            e->slot = i;
            return EXCHANGE_READY;
        }
        if (!other_has_ended(x, e, 0)) {
            park_at(x, location, on, e->number);
            return EXCHANGE_WAIT;
        }
        e->side &= (uint8_t)~role;
        return EXCHANGE_READY;
    }
    if (i != NONE && slot_at(x, i)->state == SLOT_SENT) { /* in the same span: its location has sent to itself */
        slot_at(x, i)->state = SLOT_RECEIVE_GONE;
        return EXCHANGE_READY;
    }
    if (i != NONE) { /* a post that nobody waits for any more, or what such a send has left */
        slot_remove(x, i);
        return EXCHANGE_READY;
    }
    if (other_has_ended(x, e, role == TCF_POST_POSTED))
        return EXCHANGE_READY;
    if (role == TCF_POST_POSTED)
        return add_post(x, on, e, SLOT_SENT, &e->slot);
    return add_post(x, on, e, SLOT_RECEIVE_GONE, &tombstone);
}

void exchange_pass_post(exchange *x, tcf_edge *e)
{
    if (e->slot == NONE)
        return;
    slot *s = slot_at(x, e->slot);
    if (tcf_post_of(e) == TCF_POST_POSTED && s->state == SLOT_SENT && s->afar) {
        exchange_tell_sent(x, s);
        slot_remove(x, e->slot);
    } else if (tcf_post_of(e) == TCF_POST_POSTED && s->state == SLOT_SENT) {
        s->state = SLOT_PASSED;
        wake_at(x, &x->channel_states[e->channel], e->number);
    } else {
        slot_remove(x, e->slot);
    }
    e->slot = NONE;
}

tcf_status exchange_proceed_post(exchange *x, uint32_t location, tcf_edge *e, channel_state *on)
{
    uint32_t tombstone;
    unpark_at(x, location, on, e->number);
    exchange_answer answer = add_post(x, on, e, SLOT_RECEIVE_GONE, &tombstone);
    e->side &= (uint8_t)~TCF_POST_WAITED;
    return answer == EXCHANGE_FAILED ? TCF_ERROR : TCF_OK;
}
