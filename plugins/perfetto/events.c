/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto: tells the framework of the event of a packet. */
#include "../shared/regions/categories.h"
#include "perfetto.h"

#include <stdio.h>

enum { LEGACY_NAME_IID = 1, LEGACY_PHASE = 2, LEGACY_DURATION_US = 3 };

typedef struct event {
    uint64_t time, track, type;
    uint32_t name, category, second, place; /* texts, the first two categories, and a source location; TCF_NONE: none */
    uint32_t tag;
    uint64_t size, duration;
    uint64_t count;
    double count_double;
    uint8_t has_track, has_count, has_double, has_size, has_delta, has_absolute, has_flow, phase;
    uint64_t delta_us;
} event;

static tcf_status malformed_event(const perfetto_state *st, const packet *p)
{
    return fail_at(st, p->at, "its event is malformed");
}

/* ---------------------------------------------------------------------------------------------------- what it says --
 */

static uint32_t unknown_name(perfetto_state *st)
{
    static const char text[] = "(unknown name)";

    st->unknown_names++;
    return text_number(st, (wire_bytes){(const uint8_t *)text, (const uint8_t *)text + sizeof text - 1});
}

static int is_called(const perfetto_state *st, uint32_t name, wire_bytes text, const char *called)
{
    const size_t n = strlen(called);

    if (name != TCF_NONE)
        return strcmp(st->texts[name], called) == 0;
    return text.at && (size_t)(text.end - text.at) == n && memcmp(text.at, called, n) == 0;
}

/* Of the arguments only the size and the tag of a message count. */
static tcf_status take_argument(const perfetto_state *st, const sequence *s, const packet *p, wire_bytes b, event *e)
{
    wire_bytes text = {NULL, NULL};
    uint32_t name = TCF_NONE;
    uint64_t value = 0;
    field f;
    int more, has_value = 0;

    while ((more = wire_next(&b, &f)) > 0) {
        if (f.number == ARGUMENT_NAME_IID) {
            const uint32_t found = interned_get(s, INTERNED_ARGUMENT, f.value);
            name = found == TCF_MAP_ABSENT ? TCF_NONE : found;
        } else if (f.number == ARGUMENT_NAME && f.type == WIRE_BYTES) {
            text = f.in;
        } else if ((f.number == VALUE_UINT || f.number == VALUE_INT) && f.type == WIRE_VARINT) {
            value = f.value;
            has_value = 1;
        }
    }
    if (more < 0)
        return malformed_event(st, p);
    if (has_value && is_called(st, name, text, "msg_length")) {
        e->size = value;
        e->has_size = 1;
    } else if (has_value && is_called(st, name, text, "msg_tag")) {
        e->tag = (uint32_t)value;
    }
    return TCF_OK;
}

static tcf_status take_legacy(perfetto_state *st, const sequence *s, const packet *p, wire_bytes b, event *e)
{
    field f;
    int more;

    while ((more = wire_next(&b, &f)) > 0) {
        if (f.type == WIRE_BYTES)
            continue;
        if (f.number == LEGACY_PHASE)
            e->phase = f.value > 0 && f.value < 128 ? (uint8_t)f.value : '?';
        else if (f.number == LEGACY_DURATION_US)
            e->duration = f.value;
        else if (f.number == LEGACY_NAME_IID && e->name == TCF_NONE)
            e->name = interned_get(s, INTERNED_NAME, f.value);
    }
    e->name = e->name == TCF_MAP_ABSENT ? TCF_NONE : e->name;
    return more < 0 ? malformed_event(st, p) : TCF_OK;
}

static tcf_status take_text(perfetto_state *st, const sequence *s, const field *f, enum interned kind, uint32_t *text)
{
    const uint32_t found = f->type == WIRE_BYTES ? text_number(st, f->in) : interned_get(s, kind, f->value);

    *text = f->type != WIRE_BYTES && found == TCF_MAP_ABSENT ? unknown_name(st) : found;
    return *text == TCF_NONE ? TCF_ERROR : TCF_OK;
}

/* The first two categories count. */
static tcf_status take_one(perfetto_state *st, const sequence *s, const field *f, event *e)
{
    if (e->category == TCF_NONE)
        return take_text(st, s, f, INTERNED_CATEGORY, &e->category);
    return e->second == TCF_NONE ? take_text(st, s, f, INTERNED_CATEGORY, &e->second) : TCF_OK;
}

static tcf_status take_categories(perfetto_state *st, const sequence *s, const packet *p, const field *f, event *e)
{
    repeated r = {0};
    uint64_t iid;
    int next;

    if (f->number == EVENT_CATEGORY)
        return f->type == WIRE_BYTES ? take_one(st, s, f, e) : TCF_OK;
    while ((next = wire_repeated(f, &r, WIRE_VARINT, &iid)) > 0) {
        const field one = {.number = f->number, .type = WIRE_VARINT, .value = iid};
        if (take_one(st, s, &one, e) != TCF_OK)
            return TCF_ERROR;
    }
    return next < 0 ? malformed_event(st, p) : TCF_OK;
}

static tcf_status take_place(perfetto_state *st, const sequence *s, const packet *p, const field *f, event *e)
{
    uint64_t iid;

    if (f->number == EVENT_PLACE)
        return f->type == WIRE_BYTES ? place_read(st, p, f->in, &iid, &e->place) : TCF_OK;
    const uint32_t found = interned_get(s, INTERNED_PLACE, f->value);
    e->place = found == TCF_MAP_ABSENT ? TCF_NONE : found;
    return TCF_OK;
}

static void take_number(event *e, const field *f)
{
    switch (f->number) {
    case EVENT_TYPE:
        e->type = f->value;
        break;
    case EVENT_TRACK:
        e->track = f->value;
        e->has_track = 1;
        break;
    case EVENT_COUNT:
        e->count = f->value;
        e->has_count = 1;
        break;
    case EVENT_COUNT_DOUBLE:
        memcpy(&e->count_double, &f->value, sizeof e->count_double);
        e->has_double = f->type == WIRE_FIXED64;
        break;
    case EVENT_DELTA_US:
    case EVENT_ABSOLUTE_US:
        e->delta_us = f->value;
        e->has_delta |= f->number == EVENT_DELTA_US;
        e->has_absolute |= f->number == EVENT_ABSOLUTE_US;
        break;
    default:
        break;
    }
}

static tcf_status take_field(perfetto_state *st, const sequence *s, const packet *p, const field *f, event *e)
{
    switch (f->number) {
    case EVENT_CATEGORY_IID:
    case EVENT_CATEGORY:
        return take_categories(st, s, p, f, e);
    case EVENT_NAME_IID:
    case EVENT_NAME:
        return (f->type == WIRE_BYTES) == (f->number == EVENT_NAME) ? take_text(st, s, f, INTERNED_NAME, &e->name)
                                                                    : TCF_OK;
    case EVENT_ARGUMENT:
        return f->type == WIRE_BYTES ? take_argument(st, s, p, f->in, e) : TCF_OK;
    case EVENT_LEGACY:
        return f->type == WIRE_BYTES ? take_legacy(st, s, p, f->in, e) : TCF_OK;
    case EVENT_PLACE:
    case EVENT_PLACE_IID:
        return take_place(st, s, p, f, e);
    case EVENT_FLOW:
    case EVENT_FLOW_OLD:
    case EVENT_LAST_FLOW:
    case EVENT_LAST_FLOW_OLD:
        e->has_flow = 1;
        return TCF_OK;
    default:
        if (f->type != WIRE_BYTES)
            take_number(e, f);
        return TCF_OK;
    }
}

/* ------------------------------------------------------------------------------------------------------- telling -- */

static uint32_t region_of(perfetto_state *st, const event *e)
{
    const uint64_t a = (uint64_t)e->name << 32 | e->category, b = (uint64_t)e->second << 32 | e->place;
    const uint32_t found = tcf_map_get(&st->region_ids, a, b);

    if (found != TCF_MAP_ABSENT)
        return found;
    const place_in_source *place = e->place == TCF_NONE ? NULL : &st->places[e->place];
    tcf_region_name region = {.name = text_of(st, e->name, "(no name)"),
                              .file = place && place->file != TCF_NONE ? st->texts[place->file] : NULL,
                              .line = place ? place->line : 0};
    take_category(&region, text_of(st, e->category, ""), text_of(st, e->second, ""));
    const uint32_t number = st->reader->host->region(st->reader, &region);
    if (number != TCF_NONE && tcf_map_put(&st->region_ids, a, b, number) != 0) {
        no_memory(st);
        return TCF_NONE;
    }
    return number;
}

static tcf_status tell_instant(perfetto_state *st, const event *e, uint32_t location)
{
    const tcf_source_host *host = st->reader->host;

    return host->note(st->reader, location, e->time, host->note_kind(st->reader, text_of(st, e->category, "instant")),
                      text_of(st, e->name, ""));
}

/* The value of a counter: of its track, whose unit and name it has. */
static tcf_status tell_count(perfetto_state *st, uint64_t uuid, uint64_t time, const double *d, uint64_t value)
{
    const tcf_source_host *host = st->reader->host;
    track *t = track_find(st, uuid);
    char text[64];

    if (!t)
        return TCF_ERROR;
    t->is_counter = 1;
    const uint32_t index = (uint32_t)(t - st->tracks), location = track_location(st, index);
    if (location == TCF_NONE)
        return TCF_ERROR;
    if (t->counter == TCF_NONE) {
        snprintf(text, sizeof text, "counter %llu", (unsigned long long)uuid);
        t->counter =
            host->counter(st->reader, text_of(st, t->name, text), t->unit == TCF_NONE ? NULL : st->texts[t->unit]);
    }
    if (d) {
        double sum = *d * (double)t->multiplier;
        if (t->is_incremental)
            sum = t->sum_double += sum;
        memcpy(&value, &sum, sizeof value);
        return host->count(st->reader, location, time, t->counter, TCF_COUNT_DOUBLE, value);
    }
    value *= (uint64_t)t->multiplier;
    if (t->is_incremental)
        value = t->sum += value;
    return host->count(st->reader, location, time, t->counter, value > INT64_MAX ? TCF_COUNT_INT : TCF_COUNT_UINT,
                       value);
}

/* Values that come with an event: the k-th belongs to the k-th of the tracks that the event names, else to those that
 * the sequence has named. */
static tcf_status tell_extra(perfetto_state *st, const sequence *s, const packet *p, const event *e, int is_double)
{
    const uint32_t tracks_are = is_double ? EVENT_EXTRA_DOUBLE_TRACK : EVENT_EXTRA_TRACK;
    const uint32_t values_are = is_double ? EVENT_EXTRA_DOUBLE : EVENT_EXTRA;
    uint64_t tracks[TCF_COUNT(s->extra[0])], value;
    uint32_t n = 0, k = 0;
    int next = 0;
    field f;

    for (wire_bytes b = p->event; next >= 0 && wire_next(&b, &f) > 0;)
        for (repeated r = {0}; f.number == tracks_are && (next = wire_repeated(&f, &r, WIRE_VARINT, &value)) > 0;)
            if (n < TCF_COUNT(tracks))
                tracks[n++] = value;
    if (n == 0)
        memcpy(tracks, s->extra[is_double], (n = s->n_extra[is_double]) * sizeof *tracks);
    for (wire_bytes b = p->event; next >= 0 && wire_next(&b, &f) > 0;)
        for (repeated r = {0}; f.number == values_are &&
                               (next = wire_repeated(&f, &r, is_double ? WIRE_FIXED64 : WIRE_VARINT, &value)) > 0;
             k++) {
            double d;
            memcpy(&d, &value, sizeof d);
            if (k < n && tell_count(st, tracks[k], e->time, is_double ? &d : NULL, value) != TCF_OK)
                return TCF_ERROR;
        }
    st->reader->host->left_out(st->reader, k > n ? k - n : 0);
    return next < 0 ? malformed_event(st, p) : TCF_OK;
}

static tcf_status tell_flows(perfetto_state *st, const packet *p, const event *e, uint32_t location)
{
    uint64_t id;
    field f;
    int next = 0;

    for (wire_bytes b = p->event; next >= 0 && wire_next(&b, &f) > 0;) {
        const int ends = f.number == EVENT_LAST_FLOW || f.number == EVENT_LAST_FLOW_OLD;
        if (!ends && f.number != EVENT_FLOW && f.number != EVENT_FLOW_OLD)
            continue;
        const int is_old = f.number == EVENT_FLOW_OLD || f.number == EVENT_LAST_FLOW_OLD;
        for (repeated r = {0}; (next = wire_repeated(&f, &r, is_old ? WIRE_VARINT : WIRE_FIXED64, &id)) > 0;) {
            if (st->reader->host->flow(st->reader, location, e->time, e->size, e->tag, ends, (tcf_pair_key){id, 0}) !=
                TCF_OK)
                return TCF_ERROR;
        }
    }
    return next < 0 ? malformed_event(st, p) : TCF_OK;
}

static tcf_status tell(perfetto_state *st, const event *e, uint32_t location)
{
    const tcf_source_host *host = st->reader->host;

    switch (e->type) {
    case TYPE_SLICE_BEGIN:
        return host->enter(st->reader, location, e->time, region_of(st, e));
    case TYPE_SLICE_END:
        return host->leave(st->reader, location, e->time, TCF_NONE);
    case TYPE_INSTANT:
        return tell_instant(st, e, location);
    default:
        break;
    }
    if (e->phase != 'X') {
        st->other_phases++;
        return TCF_OK;
    }
    if (e->duration > (uint64_t)INT64_MAX / 1000 || e->time + e->duration * 1000 > INT64_MAX)
        return st->reader->host->fail(st->reader, "a call ends beyond 2^63 - 1 ns");
    return host->call(st->reader, location, e->time, e->time + e->duration * 1000, region_of(st, e));
}

/* Older versions say the kind by a letter, and the time as microseconds since the last event. */
static tcf_status find_time(perfetto_state *st, sequence *s, const packet *p, event *e)
{
    static const char letters[] = "?BEI";
    const char *letter = e->phase ? strchr(letters, e->phase == 'i' ? 'I' : e->phase) : NULL;

    if (e->type == TYPE_NONE && letter && *letter)
        e->type = (uint64_t)(letter - letters);
    if (p->has_timestamp)
        return clock_time(st, p, s, p->timestamp, &e->time);
    if (!e->has_delta && !e->has_absolute)
        return fail_at(st, p->at, "its event has no time");
    if (e->has_absolute)
        s->reference_us = e->delta_us;
    else
        s->reference_us += e->delta_us;
    if (s->reference_us > (uint64_t)INT64_MAX / 1000)
        return fail_at(st, p->at, "its time is beyond 2^63 - 1 ns");
    e->time = s->reference_us * 1000;
    return TCF_OK;
}

tcf_status event_take(perfetto_state *st, sequence *s, const packet *p)
{
    event e = {.name = TCF_NONE, .category = TCF_NONE, .second = TCF_NONE, .place = TCF_NONE};
    wire_bytes b = p->event;
    field f;
    int more;

    while ((more = wire_next(&b, &f)) > 0)
        if (take_field(st, s, p, &f, &e) != TCF_OK)
            return TCF_ERROR;
    if (more < 0)
        return malformed_event(st, p);
    if (find_time(st, s, p, &e) != TCF_OK)
        return TCF_ERROR;
    if (!e.has_track)
        e.track = s->has_track ? s->track : 0;
    if (e.type == TYPE_COUNTER)
        return e.has_double || e.has_count
                   ? tell_count(st, e.track, e.time, e.has_double ? &e.count_double : NULL, e.count)
                   : TCF_OK;
    track *t = track_find(st, e.track);
    const uint32_t location = t ? track_location(st, (uint32_t)(t - st->tracks)) : TCF_NONE;
    if (location == TCF_NONE || tell(st, &e, location) != TCF_OK)
        return TCF_ERROR;
    if (e.has_flow && tell_flows(st, p, &e, location) != TCF_OK)
        return TCF_ERROR;
    return tell_extra(st, s, p, &e, 0) == TCF_OK ? tell_extra(st, s, p, &e, 1) : TCF_ERROR;
}
