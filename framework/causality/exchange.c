/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of the exchange that the scheduler and the filters call; see exchange.h.
 *
 * Each channel has a list of its messages in order of their numbers, with one or two entries in most programs. A second
 * list has all messages by age, for the cap. A receive that passes unmatched leaves a tombstone, and so does a send or
 * receive that a filter dropped: its partner finds the tombstone and becomes unmatched, too, and is never paired with
 * another message. */
#include "exchange_internal.h"

enum { AHEAD = 8 }; /* the slot of the edge that stands so far ahead is fetched into the cache */

/* Does a communicator of MPI have a member without a location that represents it? */
static int any_silent(const exchange *x)
{
    for (uint32_t k = 0; k < x->defs->n_comms; k++) {
        const tcf_comm *c = &x->defs->comms[k];
        if (c->paradigm != TCF_PARADIGM_MPI || c->canonical != k || c->self)
            continue;
        for (uint32_t r = 0; r < membership_size(c); r++) {
            uint32_t member = r < c->size ? c->location[r] : c->remote_location[r - c->size];
            if (member != TCF_NONE && x->representatives[member] == 0)
                return 1;
        }
    }
    return 0;
}

/* So many messages are under way to a domain that those of all domains together fit the cap. */
static int make_credit(exchange *x)
{
    enum { LEAST = 256, MOST = 16384 };
    const uint32_t n = x->options.letters->n, share = x->options.max_messages / n / n;
    x->letters = x->options.letters;
    x->credit = share < LEAST ? LEAST : share > MOST ? MOST : share;
    x->under_way = calloc(n, sizeof *x->under_way);
    x->owed = calloc(n, sizeof *x->owed);
    return x->under_way && x->owed ? exchange_find_domains(x) : -1;
}

/* Small slots don't share lines of the cache, where they fill half a line or one. */
static size_t bytes_of_slot(const exchange_options *o)
{
    const size_t bytes = sizeof(slot) + (o->publishers + (o->answers != 0)) * sizeof(uint64_t) + o->message_bytes;
    return (bytes <= LINE && bytes > LINE / 2) ? LINE : (bytes + LINE / 2 - 1) & ~(size_t)(LINE / 2 - 1);
}

exchange *exchange_new(const tcf_definitions *defs, matcher *m, const exchange_options *options,
                       const exchange_client *client)
{
    exchange *x = calloc(1, sizeof *x);
    if (!x)
        goto failed;
    *x = (exchange){.defs = defs, .m = m, .channels = matcher_channel_table(m), .options = *options, .client = *client};
    x->options.member_bytes += options->completes ? (uint32_t)sizeof(member_mark) : 0;
    x->slot_bytes = bytes_of_slot(options);
    x->most_slots = options->max_messages * (options->posts ? 2ull : 1) + options->held_messages;
    x->chunks = calloc(x->most_slots / SLOTS_A_CHUNK + 1u, sizeof *x->chunks);
    x->at = calloc(defs->n_locations + 1u, sizeof *x->at);
    x->live = calloc(defs->n_location_groups + 1u, sizeof *x->live);
    x->representatives = calloc(defs->n_locations + 1u, sizeof *x->representatives);
    if (options->letters && make_credit(x) != 0)
        goto failed;
    if (options->source_at_leave)
        x->open_root = malloc((defs->n_locations + 1u) * sizeof *x->open_root);
    if (!x->chunks || !x->at || !x->live || !x->representatives || (options->source_at_leave && !x->open_root))
        goto failed;
    x->any_missing = matcher_membership(m)->gaps;
    for (uint32_t l = 0; x->open_root && l < defs->n_locations; l++)
        x->open_root[l] = NONE;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        if (defs->locations[l].group < defs->n_location_groups)
            x->live[defs->locations[l].group]++;
        if (defs->mpi_member[l] != TCF_NONE)
            x->representatives[defs->mpi_member[l]]++;
    }
    x->any_ended = any_silent(x);
    return x;
failed:
    exchange_delete(x);
    error_fail("out of memory for the table of messages");
    return NULL;
}

void exchange_delete(exchange *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; x->chunks && i * SLOTS_A_CHUNK < x->n_slots; i++)
        free(x->chunks[i]);
    for (uint32_t i = 0; i < x->n_collectives; i++)
        exchange_free_collective(x->collectives[i]);
    exchange_free_domains(x);
    free(x->chunks);
    free(x->free_slots);
    free(x->by_age);
    free(x->collectives);
    free(x->open);
    free(x->channel_states);
    free(x->at);
    free(x->live);
    free(x->representatives);
    free(x->open_root);
    free(x->under_way);
    free(x->ended_here);
    free(x->owed);
    map_free(&x->collective_of);
    map_free(&x->slot_of);
    map_free(&x->waiter_of);
    free(x);
}

/* --------------------------------------------------------------------------------------------- for the scheduler -- */

exchange_answer exchange_prepare(exchange *x, uint32_t location, uint64_t time, tcf_edge *e)
{
    e->slot = NONE;
    if (e->channel == TCF_NONE)
        return EXCHANGE_READY;
    channel_state *on = exchange_channel_state(x, e->channel);
    if (!on)
        return EXCHANGE_FAILED;
    if (tcf_is_message(e))
        return exchange_prepare_message(x, location, e, on);
    if (e->side & EDGE_OF_POST)
        return x->options.posts ? exchange_prepare_post(x, location, e, on) : EXCHANGE_READY;
    return e->rank == TCF_NONE ? EXCHANGE_READY : exchange_prepare_member(x, location, time, e);
}

tcf_status exchange_pass(exchange *x, uint32_t location, tcf_edge *e)
{
    if (e->channel == TCF_NONE)
        return TCF_OK;
    if (!has_slot(e))
        return exchange_pass_member(x, location, e);
    if (e->side & EDGE_OF_POST)
        exchange_pass_post(x, e);
    else
        exchange_pass_message(x, e);
    return TCF_OK;
}

tcf_status exchange_proceed(exchange *x, uint32_t location, tcf_edge *e, int lasting)
{
    if (!has_slot(e))
        return exchange_proceed_member(x, location, e, lasting);
    if (e->side & EDGE_OF_POST)
        return exchange_proceed_post(x, location, e, &x->channel_states[e->channel]);
    x->counts.given_up++;
    return exchange_proceed_message(x, location, e, &x->channel_states[e->channel]);
}

void exchange_note_stopped(exchange *x, uint32_t location)
{
    if (x->open_root && x->open_root[location] != NONE)
        exchange_leave_root(x, location);
}

void exchange_unpark(exchange *x, uint32_t location, const tcf_edge *e)
{
    if (!has_slot(e))
        exchange_unpark_member(x, location, e);
    else
        exchange_unpark_message(x, location, e);
}

tcf_status exchange_location_end(exchange *x, uint32_t location)
{
    uint32_t group = x->defs->locations[location].group, member = x->defs->mpi_member[location];
    exchange_note_stopped(x, location);
    if (x->letters && letters_is_here(x->letters, location)) {
        if (x->options.leaves && (member == TCF_NONE || x->representatives[member] == 1))
            exchange_pass_unleft(x, member == TCF_NONE ? location : member);
        exchange_tell_untold(x, 0);
        exchange_note_ended(x, location);
    }
    x->at[location].ended = 1;
    x->any_missing = x->any_ended = 1;
    if (group < x->defs->n_location_groups)
        x->live[group]--;
    if (member == TCF_NONE || --x->representatives[member] == 0)
        exchange_end_messages(x, member == TCF_NONE ? location : member);
    return exchange_end_collectives(x);
}

int exchange_was_last(const exchange *x, uint32_t location)
{
    const uint32_t group = x->defs->locations[location].group, member = x->defs->mpi_member[location];
    return member == TCF_NONE || x->representatives[member] == 0 ||
           (group < x->defs->n_location_groups && x->live[group] == 0);
}

/* -------------------------------------------------------------------------------------------------- for the host -- */

void *exchange_payload(exchange *x, const tcf_edge *e, uint32_t message_offset, uint32_t member_offset)
{
    if (!is_attached(e))
        return NULL;
    if (has_slot(e))
        return e->flags & TCF_EDGE_UNMATCHED
                   ? NULL
                   : (unsigned char *)(slot_at(x, e->slot)->value + x->options.publishers) + message_offset;
    collective *c = x->collectives[e->slot];
    return collective_row(x, c, member_index(x, c, e)) + member_offset;
}

static void note_extreme(extremes *published, uint32_t rank, uint64_t value)
{
    if (published->n == 0 || value > published->latest[0]) {
        published->latest[1] = published->latest[0];
        published->latest[0] = value;
        published->latest_rank = rank;
    } else if (published->n == 1 || value > published->latest[1]) {
        published->latest[1] = value;
    }
    published->n++;
}

void exchange_publish(exchange *x, const tcf_edge *e, uint32_t number, uint64_t value)
{
    if (!is_attached(e))
        return;
    if (has_slot(e)) {
        slot *s = slot_at(x, e->slot);
        s->value[number] = value;
        s->published |= 1u << number;
        return;
    }
    collective *c = x->collectives[e->slot];
    if (scan_class(e->class_)) {
        size_t n = membership_size(&x->defs->comms[c->comm]);
        c->scan[number * 2 * n + e->rank] = value;
        c->scan_any[number * n + e->rank] |= SCAN_HAS_VALUE;
        return;
    }
    const int of_root = has_root(e->class_);
    note_extreme(cell_of(c->cells, number, of_root, side_of(e)), e->rank, value);
    if (c->untold && !c->is_owner) {
        note_extreme(cell_of(c->untold->cells, number, of_root, side_of(e)), e->rank, value);
        c->untold->published = 1;
        exchange_note_untold(x, c);
    }
}

/* The largest number of the ranks before that of the edge. All ranks before a ready target have
 * published, so a result for some ranks stays true, and each rank is looked at once a collective and number. */
static int ask_scan(collective *c, const tcf_edge *e, uint32_t number, uint64_t *value)
{
    size_t n = c->ends; /* its members */
    uint64_t *values = c->scan + number * 2 * n, *best = values + n;
    uint8_t *any = c->scan_any + number * n;
    uint32_t r = e->rank < c->prefix ? e->rank : c->prefix, from = r;
    while (from > 0 && !(any[from] & SCAN_LATEST_KNOWN))
        from--;
    if (from == 0)
        any[0] |= SCAN_LATEST_KNOWN;
    for (; from < r; from++) { /* best[from] is known: make best[from + 1] */
        const int has = (any[from] & SCAN_LATEST_FOUND) != 0, here = any[from] & SCAN_HAS_VALUE;
        best[from + 1] = !here || (has && best[from] > values[from]) ? best[from] : values[from];
        any[from + 1] = (uint8_t)(any[from + 1] | SCAN_LATEST_KNOWN | (has || here ? SCAN_LATEST_FOUND : 0));
    }
    if (!(any[r] & SCAN_LATEST_FOUND))
        return 0;
    *value = best[r];
    return 1;
}

int exchange_ask(exchange *x, const tcf_edge *e, uint32_t number, uint64_t *value)
{
    if (!is_attached(e))
        return 0;
    if (has_slot(e)) {
        const slot *s = slot_at(x, e->slot);
        if (!(s->published >> number & 1))
            return 0;
        *value = s->value[number];
        return 1;
    }
    collective *c = x->collectives[e->slot];
    if (scan_class(e->class_))
        return ask_scan(c, e, number, value);
    int found = 0;
    for (uint32_t k = has_root(e->class_) ? 2 : 0; k < CELLS; k++) { /* the root's cells are the last two */
        const extremes *published = cell_of(c->cells, number, k > 1, k % 2);
        int mine = k % 2 == side_of(e);
        if (published->n == 0 || (x->defs->comms[c->comm].inter && mine))
            continue;
        int own = mine && published->latest_rank == e->rank;
        if (own && published->n == 1)
            continue;
        if (!found || published->latest[own] > *value)
            *value = published->latest[own], found = 1;
    }
    return found;
}

int exchange_first_end(const exchange *x, const tcf_edge *e, uint64_t *time)
{
    if (!is_attached(e) || has_slot(e))
        return 0;
    const collective *c = x->collectives[e->slot];
    *time = c->first_end;
    return c->at_end + all_absent(c) >= c->ends && c->ends > 0 && c->first_end < UINT64_MAX;
}

void exchange_answer_sources(exchange *x, const tcf_edge *e, uint64_t value)
{
    if (!is_attached(e) || !(e->flags & TCF_EDGE_TARGET))
        return;
    if (!tcf_is_message(e)) {
        exchange_answer_member(x, e, value);
        return;
    }
    slot *s = slot_at(x, e->slot);
    slot_set_answer(x, s, value);
    exchange_tell(x, LETTER_ANSWER, s->afar, s->channel, s->number, value);
}

int exchange_answered(const exchange *x, const tcf_edge *e, uint64_t *value)
{
    *value = UINT64_MAX;
    if (!is_attached(e))
        return 1;
    if (!has_slot(e))
        return exchange_answered_member(x, e, value);
    slot *s = slot_at(x, e->slot);
    if (s->answered)
        *value = *slot_answer(x, s);
    return s->answered;
}

void exchange_release(exchange *x, tcf_slice *s)
{
    for (uint32_t k = 0; k < s->n_edges; k++) {
        tcf_edge *e = &s->edges[k];
        if (k + AHEAD < s->n_edges && is_attached(&e[AHEAD]) && tcf_is_message(&e[AHEAD]))
            __builtin_prefetch(slot_at(x, e[AHEAD].slot), 1);
        if (!is_attached(e))
            continue;
        if (tcf_is_message(e))
            exchange_release_message(x, e);
        else
            exchange_release_member(x, e);
        e->slot = TCF_NONE;
    }
}

uint32_t exchange_receiver(const exchange *x, const tcf_edge *e)
{
    return channel_at(x, e->channel)->b;
}

const exchange_counts *exchange_get_counts(const exchange *x)
{
    return &x->counts;
}

void exchange_add_counts(exchange *x, const exchange_counts *of)
{
    x->counts.sends += of->sends;
    x->counts.receives += of->receives;
    x->counts.matched += of->matched;
    x->counts.given_up += of->given_up;
    x->counts.dropped_messages += of->dropped_messages;
    x->counts.incomplete_instances += of->incomplete_instances;
    x->counts.empty_instances += of->empty_instances;
    x->counts.ops_with_data |= of->ops_with_data;
    x->counts.ops_without_data |= of->ops_without_data;
    x->counts.ops_partly |= of->ops_partly;
}

uint32_t exchange_slots_used(const exchange *x)
{
    return x->n_slots - x->n_free_slots;
}
