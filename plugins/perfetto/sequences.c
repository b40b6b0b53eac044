/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto: what packets of a sequence refer to, and clocks. */
#include "perfetto.h"

#include <tcflow/grow.h>

enum { EVENT_DEFAULTS_TRACK = 11, EVENT_DEFAULTS_EXTRA = 31, EVENT_DEFAULTS_EXTRA_DOUBLE = 45 };
enum { PLACE_FILE = 2, PLACE_LINE = 4 };
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_TRACE_CLOCK = 2 };
enum { CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_INCREMENTAL = 3, CLOCK_MULTIPLIER = 4 };
enum { BOOTTIME = 6, FIRST_OF_SEQUENCE = 64, FIRST_OF_ALL = 128 };

static tcf_status malformed_sequence(const perfetto_state *st, const packet *p)
{
    return fail_at(st, p->at, "what it says for later packets is malformed");
}

/* ------------------------------------------------------------------------------------------------------ sequences --
 */

sequence *sequence_find(perfetto_state *st, uint32_t id)
{
    const uint32_t found = tcf_map_get(&st->sequence_ids, id, 0);

    if (found != TCF_MAP_ABSENT)
        return &st->sequences[found];
    if (st->n_sequences == MOST_SEQUENCES) {
        st->reader->host->fail(st->reader, "the file has more than %d sequences of packets", (int)MOST_SEQUENCES);
        return NULL;
    }
    if (TCF_GROW(&st->sequences, &st->sequences_room, st->n_sequences) != 0 ||
        tcf_map_put(&st->sequence_ids, id, 0, st->n_sequences) != 0) {
        no_memory(st);
        return NULL;
    }
    st->sequences[st->n_sequences] = (sequence){0};
    return &st->sequences[st->n_sequences++];
}

uint32_t interned_get(const sequence *s, enum interned kind, uint64_t iid)
{
    return tcf_map_get(&s->interned, (uint64_t)kind, iid);
}

tcf_status place_read(perfetto_state *st, const packet *p, wire_bytes message, uint64_t *iid, uint32_t *number)
{
    place_in_source place = {TCF_NONE, 0};
    field f;
    int more;

    *iid = 0;
    while ((more = wire_next(&message, &f)) > 0) {
        if (f.number == INTERNED_IID)
            *iid = f.value;
        else if (f.number == PLACE_LINE)
            place.line = (uint32_t)f.value;
        else if (f.number == PLACE_FILE && f.type == WIRE_BYTES && (place.file = text_number(st, f.in)) == TCF_NONE)
            return TCF_ERROR;
    }
    if (more < 0)
        return malformed_sequence(st, p);
    const uint64_t key = (uint64_t)place.file << 32 | place.line;
    *number = tcf_map_get(&st->place_ids, key, 0);
    if (*number != TCF_MAP_ABSENT)
        return TCF_OK;
    if (TCF_GROW(&st->places, &st->places_room, st->n_places) != 0 ||
        tcf_map_put(&st->place_ids, key, 0, st->n_places) != 0)
        return no_memory(st);
    st->places[st->n_places] = place;
    *number = st->n_places++;
    return TCF_OK;
}

static tcf_status intern_text(perfetto_state *st, const packet *p, wire_bytes entry, uint64_t *iid, uint32_t *number)
{
    wire_bytes text = {NULL, NULL};
    field f;
    int more;

    *iid = 0;
    while ((more = wire_next(&entry, &f)) > 0) {
        if (f.number == INTERNED_IID)
            *iid = f.value;
        else if (f.number == INTERNED_TEXT)
            text = f.in;
    }
    if (more < 0)
        return malformed_sequence(st, p);
    *number = text_number(st, text);
    return *number == TCF_NONE ? TCF_ERROR : TCF_OK;
}

static tcf_status take_interned(perfetto_state *st, sequence *s, const packet *p)
{
    wire_bytes b = p->interned;
    field f;
    int more;

    while ((more = wire_next(&b, &f)) > 0) {
        uint64_t iid;
        uint32_t number;
        if (f.type != WIRE_BYTES || f.number < INTERNED_CATEGORY || f.number > INTERNED_PLACE)
            continue;
        if ((f.number == INTERNED_PLACE ? place_read(st, p, f.in, &iid, &number)
                                        : intern_text(st, p, f.in, &iid, &number)) != TCF_OK)
            return TCF_ERROR;
        if (tcf_map_put(&s->interned, f.number, iid, number) != 0)
            return no_memory(st);
    }
    return more < 0 ? malformed_sequence(st, p) : TCF_OK;
}

static tcf_status take_event_defaults(perfetto_state *st, sequence *s, const packet *p, wire_bytes b)
{
    field f;
    int more;

    s->n_extra[0] = s->n_extra[1] = 0;
    while ((more = wire_next(&b, &f)) > 0) {
        const int is_double = f.number == EVENT_DEFAULTS_EXTRA_DOUBLE;
        repeated r = {0};
        uint64_t value;
        int next = 0;
        if (f.number == EVENT_DEFAULTS_TRACK && f.type != WIRE_BYTES) {
            s->track = f.value;
            s->has_track = 1;
        }
        if (f.number != EVENT_DEFAULTS_EXTRA && !is_double)
            continue;
        while ((next = wire_repeated(&f, &r, WIRE_VARINT, &value)) > 0)
            if (s->n_extra[is_double] < TCF_COUNT(s->extra[0]))
                s->extra[is_double][s->n_extra[is_double]++] = value;
        if (next < 0)
            return malformed_sequence(st, p);
    }
    return more < 0 ? malformed_sequence(st, p) : TCF_OK;
}

static tcf_status take_defaults(perfetto_state *st, sequence *s, const packet *p)
{
    wire_bytes b = p->defaults;
    field f;
    int more;

    while ((more = wire_next(&b, &f)) > 0) {
        if (f.number == DEFAULTS_CLOCK && f.type != WIRE_BYTES) {
            s->clock = (uint32_t)f.value;
            s->has_clock = 1;
        } else if (f.number == DEFAULTS_TRACK_EVENT && f.type == WIRE_BYTES &&
                   take_event_defaults(st, s, p, f.in) != TCF_OK) {
            return TCF_ERROR;
        }
    }
    return more < 0 ? malformed_sequence(st, p) : TCF_OK;
}

tcf_status sequence_take(perfetto_state *st, sequence *s, const packet *p)
{
    if (p->interned.at && take_interned(st, s, p) != TCF_OK)
        return TCF_ERROR;
    if (p->defaults.at && take_defaults(st, s, p) != TCF_OK)
        return TCF_ERROR;
    if (p->thread.at) {
        if (track_of_thread(st, p, p->thread, &s->track, &s->reference_us) != TCF_OK)
            return TCF_ERROR;
        s->has_track = 1;
    }
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- clocks --
 */

/* The clock of a number, a sequence's own where the number is of those. NULL: a failure. */
static clock_of *clock_find(perfetto_state *st, uint32_t sequence_id, uint32_t id)
{
    const int is_own = id >= FIRST_OF_SEQUENCE && id < FIRST_OF_ALL;
    const uint64_t of = is_own ? 1ull + sequence_id : 0;
    const uint32_t found = tcf_map_get(&st->clock_ids, of, id);

    if (found != TCF_MAP_ABSENT)
        return &st->clocks[found];
    if (TCF_GROW(&st->clocks, &st->clocks_room, st->n_clocks) != 0 ||
        tcf_map_put(&st->clock_ids, of, id, st->n_clocks) != 0) {
        no_memory(st);
        return NULL;
    }
    st->clocks[st->n_clocks] = (clock_of){.multiplier = 1};
    return &st->clocks[st->n_clocks++];
}

typedef struct reading {
    uint64_t time, multiplier;
    uint32_t id;
    uint8_t is_incremental;
} reading;

static tcf_status read_clock(const perfetto_state *st, const packet *p, wire_bytes b, reading *r)
{
    field f;
    int more;

    *r = (reading){.multiplier = 1};
    while ((more = wire_next(&b, &f)) > 0) {
        if (f.number == CLOCK_ID)
            r->id = (uint32_t)f.value;
        else if (f.number == CLOCK_TIME)
            r->time = f.value;
        else if (f.number == CLOCK_INCREMENTAL)
            r->is_incremental = f.value != 0;
        else if (f.number == CLOCK_MULTIPLIER && f.value > 0)
            r->multiplier = f.value;
    }
    return more < 0 ? fail_at(st, p->at, "its snapshot of clocks is malformed") : TCF_OK;
}

static uint32_t trace_clock(const perfetto_state *st)
{
    return st->trace_clock == TCF_NONE ? (uint32_t)BOOTTIME : st->trace_clock;
}

static tcf_status take_readings(perfetto_state *st, const packet *p, const uint64_t *now)
{
    wire_bytes b = p->snapshot;
    field f;
    reading r;

    while (wire_next(&b, &f) > 0) {
        if (f.number != SNAPSHOT_CLOCK || f.type != WIRE_BYTES)
            continue;
        clock_of *c = read_clock(st, p, f.in, &r) == TCF_OK ? clock_find(st, p->sequence, r.id) : NULL;
        if (!c)
            return TCF_ERROR;
        c->multiplier = r.multiplier;
        c->is_incremental = r.is_incremental;
        c->last = r.time * r.multiplier;
        c->is_known |= now != NULL;
        c->offset = now ? *now - c->last : c->offset;
    }
    return TCF_OK;
}

/* The readings of all clocks at one moment. One without the trace's clock relates nothing to it. */
tcf_status clocks_take(perfetto_state *st, const packet *p)
{
    wire_bytes b = p->snapshot;
    uint64_t now = 0;
    int has_now = 0, more;
    field f;
    reading r;

    while ((more = wire_next(&b, &f)) > 0)
        if (f.number == SNAPSHOT_TRACE_CLOCK && f.type != WIRE_BYTES && st->trace_clock == TCF_NONE)
            st->trace_clock = (uint32_t)f.value;
    if (more < 0)
        return fail_at(st, p->at, "its snapshot of clocks is malformed");
    for (b = p->snapshot; wire_next(&b, &f) > 0;) {
        if (f.number != SNAPSHOT_CLOCK || f.type != WIRE_BYTES)
            continue;
        if (read_clock(st, p, f.in, &r) != TCF_OK)
            return TCF_ERROR;
        if (r.id == trace_clock(st)) {
            now = r.time * r.multiplier;
            has_now = 1;
        }
    }
    return take_readings(st, p, has_now ? &now : NULL);
}

tcf_status clock_time(perfetto_state *st, const packet *p, const sequence *s, uint64_t timestamp, uint64_t *time)
{
    const uint32_t id = p->has_clock ? p->clock : s->has_clock ? s->clock : (uint32_t)BOOTTIME;

    *time = timestamp;
    if (id != trace_clock(st)) {
        clock_of *c = clock_find(st, p->sequence, id);
        if (!c)
            return TCF_ERROR;
        *time = timestamp * c->multiplier + (c->is_incremental ? c->last : 0);
        c->last = *time;
        *time += c->offset;
        st->unknown_clocks += !c->is_known;
    }
    return *time > INT64_MAX ? fail_at(st, p->at, "its time is beyond 2^63 - 1 ns") : TCF_OK;
}
