/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace extremes: all kinds of events, whose fields are numbers at which their encoding changes.
 *
 * Numbers are powers of two, those beside them, and undefined ones; references mostly lead nowhere. Every location
 * starts at the time 0, stays there for some events, and often repeats a time later. Events have up to 40 attributes of
 * all types and of types that don't exist, Metrics up to 255 values, ProgramBegins up to 100 arguments. For writers,
 * which have to copy all of it byte for byte.
 *
 * Location 0 has more clock offsets than a chunk of its definition file holds. With --shifted there are locations from
 * 2000 on whose events and clock offsets meet the end of a chunk of 256 KiB at all places; with --full a location 1000
 * whose events fill such a chunk up to its last byte but one; with --large an event of location 0 that it doesn't hold.
 * Chunks have 1 MiB. */
#include "kinds.h"
#include "trace.h"

#include <tcflow/definitions.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum {
    CHUNK = 1 << 20,
    FULL_LOCATION = 1000,
    SHIFTED_LOCATION = 2000,
    SHIFTS = 15,
    SHIFTED_EVENTS = 20000,
    MEASUREMENTS = 20000,
    FULL_EVENTS = ((256 << 10) - 18 - 1) / 15, /* a header of 18 bytes; a timestamp and an Enter take 15 */
    MOST_ARGUMENTS = 100,
    LARGE_ARGUMENTS = 60000,
    MOST_ATTRIBUTES = 40,
    MOST_TYPE = 40
};

struct options {
    const char *directory;
    uint64_t seed, locations, events;
    int shifted, full, large;
};

static const option_row rows[] = {
    {0, "seed", "N", "another trace for each", TCF_SIZE, AT(seed), "1"},
    {0, "locations", "N", "1 to 128", TCF_SIZE, AT(locations), "4", "1", "128"},
    {0, "events", "N", "of each location", TCF_SIZE, AT(events), "1000"},
    {0, "shifted", NULL, "locations that meet the end of a chunk at all places", TCF_BOOL, AT(shifted)},
    {0, "full", NULL, "a location that fills a chunk", TCF_BOOL, AT(full)},
    {0, "large", NULL, "an event that is larger than a chunk", TCF_BOOL, AT(large)},
};

struct writer {
    struct trace trace;
    OTF2_EvtWriter *out;
    OTF2_AttributeList *list;
    uint64_t state; /* of the random numbers */
    OTF2_Type types[UINT8_MAX];
    OTF2_MetricValue values[UINT8_MAX];
    uint32_t strings[LARGE_ARGUMENTS];
};

static uint64_t draw(struct writer *w, uint64_t below)
{
    return trace_mix(w->state++) % below;
}

/* A power of two, one more or one less. */
static uint64_t edge(struct writer *w)
{
    return (draw(w, 8) ? UINT64_C(1) << draw(w, 64) : 0) + draw(w, 3) - 1;
}

/* Of the 32 bits of references few values, as the framework keeps the undefined ones. */
static uint32_t edge32(struct writer *w)
{
    static const uint32_t edges[] = {0,     1,        2,         127,        255,        256,       65535,
                                     65536, 0xffffff, 0x1000000, 0x80000000, 0xfffffffe, UINT32_MAX};
    return edges[draw(w, sizeof edges / sizeof edges[0])];
}

#define EDGE_u8(w) (uint8_t) edge(w)
#define EDGE_id8(w) (uint8_t) edge(w)
#define EDGE_u32(w) edge32(w)
#define EDGE_i64(w) (int64_t) edge(w)
#define EDGE_u64(w) edge(w)

static OTF2_AttributeList *attributes(struct writer *w)
{
    uint64_t n = draw(w, 8) ? 0 : draw(w, MOST_ATTRIBUTES + 1);

    for (uint32_t i = 0; i < n; i++)
        OTF2_AttributeList_AddAttribute(w->list, draw(w, 2) ? i : i << 20, (OTF2_Type)draw(w, MOST_TYPE),
                                        (OTF2_AttributeValue){.uint64 = edge(w)});
    return w->list; /* which writing empties */
}

#define DRAWN(record, ctype, role, field) , EDGE_##ctype(w)
#define DRAWN_ARRAY(record, ctype, role, field) , ARRAY_##role
#define ARRAY_TYPE w->types
#define ARRAY_METRIC_VALUE w->values
#define ARRAY_STRING w->strings
#define NOTHING_DRAWN(record)

static OTF2_ErrorCode write_one(struct writer *w, uint64_t time, unsigned kind)
{
    OTF2_AttributeList *list = attributes(w);

    for (uint32_t i = 0; i < UINT8_MAX; i++) {
        w->types[i] = (OTF2_Type)draw(w, MOST_TYPE);
        w->values[i] = (OTF2_MetricValue){.unsigned_int = edge(w)};
        w->strings[i] = edge32(w);
    }
    if (kind == TCF_PROGRAM_BEGIN)
        return OTF2_EvtWriter_ProgramBegin(w->out, list, time, edge32(w), (uint32_t)draw(w, MOST_ARGUMENTS + 1),
                                           w->strings);
    switch (kind) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number:                                                                                                       \
        return OTF2_EvtWriter_##Name(w->out, list, time FIELDS);
        TCF_EVENT_TABLE(E, DRAWN, DRAWN_ARRAY, NOTHING_DRAWN)
#undef E
    default:
        return OTF2_ERROR_INVALID;
    }
}

static void write_location(struct writer *w, uint64_t location, uint64_t events, bool large)
{
    uint64_t time = 0;

    w->out = trace_events(&w->trace, location);
    for (uint64_t i = 0; i < events && !w->trace.failed; i++) {
        time += i > 8 && draw(w, 4) ? 1 + draw(w, 1000) : 0;
        expect(&w->trace, write_one(w, time, 1 + (unsigned)draw(w, TCF_EVENT_KINDS)), "an event");
    }
    if (large)
        expect(&w->trace, OTF2_EvtWriter_ProgramBegin(w->out, NULL, time, 0, LARGE_ARGUMENTS, w->strings),
               "ProgramBegin");
    trace_close_events(&w->trace, w->out);
}

/* Two bytes for each event at the same time, then 15 for each. */
static void write_shifted(struct writer *w, uint64_t shift)
{
    w->out = trace_events(&w->trace, SHIFTED_LOCATION + shift);
    for (uint64_t i = 1; i <= SHIFTED_EVENTS; i++)
        expect(&w->trace, OTF2_EvtWriter_Enter(w->out, NULL, i <= shift ? 1 : i, i > 1 && i <= shift ? 0 : 0x1000000),
               "Enter");
    trace_close_events(&w->trace, w->out);
}

static void fill_chunk(struct writer *w)
{
    w->out = trace_events(&w->trace, FULL_LOCATION);
    for (uint64_t i = 1; i <= FULL_EVENTS; i++)
        expect(&w->trace, OTF2_EvtWriter_Enter(w->out, NULL, i, 0x1000000), "Enter");
    trace_close_events(&w->trace, w->out);
}

static void define(struct writer *w, const struct options *o)
{
    static const char *const strings[] = {"", "node", "machine", "process", "thread"};
    struct trace *t = &w->trace;

    trace_clock(t, (struct trace_clock){1000000000, 0, 1000 * (o->events + 1)});
    trace_strings(t, 0, strings, TCF_COUNT(strings));
    TRACE_DEFINE(t, SystemTreeNode, 0, 1, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    trace_process(t, 0, 3, 0);
    for (uint64_t i = 0; i < o->locations; i++)
        trace_thread(t, i, 4, o->events + (o->large && i == 0), 0);
    for (uint64_t i = 0; o->shifted && i < SHIFTS; i++)
        trace_thread(t, SHIFTED_LOCATION + i, 4, SHIFTED_EVENTS, 0);
    if (o->full)
        trace_thread(t, FULL_LOCATION, 4, FULL_EVENTS, 0);
}

/* Clock offsets of any size; of the shifted locations the first has a size of its own, and the others take 19 bytes. */
static void measure(struct writer *w, const struct options *o)
{
    static struct trace_measurement m[MEASUREMENTS];

    OTF2_Archive_OpenDefFiles(w->trace.archive);
    for (uint64_t i = 0; i < o->locations; i++) {
        uint32_t n = i == 0 ? MEASUREMENTS : (uint32_t)draw(w, 10);
        for (uint32_t k = 0; k < n; k++)
            m[k] = (struct trace_measurement){k, (int64_t)edge(w), (double)k / 3};
        trace_measurements(&w->trace, i, m, n);
    }
    for (uint64_t i = 0; o->shifted && i < SHIFTS; i++) {
        for (uint32_t k = 0; k < MEASUREMENTS; k++)
            m[k] = (struct trace_measurement){k, k == 0 && i < 8 ? INT64_C(1) << (8 * i) >> 1 : 0, 0};
        trace_measurements(&w->trace, SHIFTED_LOCATION + i, m, MEASUREMENTS);
    }
    OTF2_Archive_CloseDefFiles(w->trace.archive);
}

int write_extremes(const struct command *c)
{
    static struct writer w;
    struct options o = {0};

    take_options(c, rows, TCF_COUNT(rows), &o);
    w.state = o.seed << 32;
    w.list = OTF2_AttributeList_New();
    if (!w.list || !trace_open(&w.trace, o.directory, CHUNK))
        return 1;
    for (uint64_t i = 0; i < o.locations; i++)
        write_location(&w, i, o.events, o.large && i == 0);
    for (uint64_t i = 0; o.shifted && i < SHIFTS; i++)
        write_shifted(&w, i);
    if (o.full)
        fill_chunk(&w);
    define(&w, &o);
    measure(&w, &o);
    OTF2_AttributeList_Delete(w.list);
    return trace_close(&w.trace);
}
