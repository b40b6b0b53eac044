/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes what a measurement system with known overheads would record of a loop of empty calls.
 *
 *   run-trace OUT_DIR [KEY=NUMBER]...
 *
 * Times are nanoseconds, also fractions of them. Each event costs its overhead before its time stamp, which the clock
 * reads off with its resolution and in its steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/generate/trace.h"

static struct setting {
    const char *key;
    double value;
} settings[] = {
    {"calls", 20000},    /* empty ones */
    {"enter", 50},       /* overheads */
    {"leave", 40},       /* */
    {"jitter", 0},       /* of each, uniformly up to so much more or less */
    {"marked", 0},       /* empty calls of another region, with attributes on their enters */
    {"attributes", 2},   /* so many */
    {"attribute", 15},   /* overhead of each */
    {"metrics", 0},      /* 1: METRIC of one value before each enter, of `values` before each leave */
    {"values", 4},       /* */
    {"metric", 30},      /* overhead */
    {"value", 12},       /* overhead of each value */
    {"work", 0},         /* calls of a third region, which works for 1 to 3 us */
    {"every", 0},        /* every so many events ... */
    {"interruption", 0}, /* ... one of so much comes between */
    {"flush", 0},        /* every so many events a BUFFER_FLUSH of 10 ms */
    {"resolution", 1e9}, /* ticks per second */
    {"step", 0},         /* the clock advances in steps of so much */
    {"locations", 1},    /* */
    {"back", 0},         /* every so many events one whose time stamp is 1 us too early */
    {"nothing", 0},      /* 1: no events at all */
};

enum { MOST_EARLY = 10000 };
static uint64_t early[MOST_EARLY];
static size_t n_early;
static double now, stamped;
static uint64_t written;
static OTF2_EvtWriter *writer;
static OTF2_AttributeList *list;

static double get(const char *key)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strcmp(settings[i].key, key) == 0)
            return settings[i].value;
    abort();
}

static double uniform(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (double)(x >> 11) / 9007199254740992.0;
}

static int due(const char *key)
{
    uint64_t every = (uint64_t)get(key);
    return every > 0 && written % every == every / 2;
}

static uint64_t ticks(double ns)
{
    double step = get("step");
    return (uint64_t)floor((step > 0 ? floor(ns / step) * step : ns) * 1e-9 * get("resolution") + 1e-6);
}

/* The time stamp of an event that costs so much. */
static uint64_t stamp(double cost)
{
    now += cost + (2 * uniform() - 1) * get("jitter");
    if (due("every"))
        now += get("interruption");
    written++;
    stamped = now;
    if (due("back") && n_early < MOST_EARLY)
        early[n_early++] = ticks(now);
    return ticks(now);
}

/* libotf2 refuses to write times that decrease: stored ones are changed. */
static int make_early(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/traces/0.evt", folder);
    FILE *file = fopen(path, "r+b");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return -1;
    size_t bytes = (size_t)ftell(file), at = 0;
    unsigned char *all = malloc(bytes);
    rewind(file);
    if (!all || fread(all, 1, bytes, file) != bytes)
        return -1;
    for (size_t i = 0; i < n_early; i++) {
        uint64_t time = early[i] - ticks(1000);
        while (at + 8 <= bytes && memcmp(all + at, &early[i], 8) != 0)
            at++;
        if (at + 8 > bytes)
            return fprintf(stderr, "run-trace: time stamp not found\n"), -1;
        memcpy(all + at, &time, 8);
    }
    rewind(file);
    size_t written_bytes = fwrite(all, 1, bytes, file);
    free(all);
    return fclose(file) == 0 && written_bytes == bytes ? 0 : -1;
}

static void metric(int many)
{
    OTF2_Type types[64];
    OTF2_MetricValue values[64];
    int n = many ? (int)get("values") : 1;
    for (int i = 0; i < n; i++) {
        types[i] = OTF2_TYPE_UINT64;
        values[i].unsigned_int = 1;
    }
    OTF2_EvtWriter_Metric(writer, NULL, stamp(get("metric") + n * get("value")), (OTF2_MetricRef)many, (uint8_t)n,
                          types, values);
}

static void call(OTF2_RegionRef region, int attributes, double work)
{
    if (get("metrics") > 0)
        metric(0);
    for (int i = 0; i < attributes; i++)
        OTF2_AttributeList_AddUint64(list, (OTF2_AttributeRef)i, 7);
    OTF2_EvtWriter_Enter(writer, attributes ? list : NULL, stamp(get("enter") + attributes * get("attribute")), region);
    now += work;
    if (get("metrics") > 0)
        metric(1);
    OTF2_EvtWriter_Leave(writer, NULL, stamp(get("leave")), region);
    if (due("flush")) {
        uint64_t begin = ticks(now);
        now += 1e7;
        OTF2_EvtWriter_BufferFlush(writer, NULL, begin, ticks(now));
        written++;
    }
}

static void write_location(void)
{
    now = 1e9;
    if (get("nothing") > 0)
        return;
    OTF2_EvtWriter_Enter(writer, NULL, stamp(1000), 0);
    for (long i = 0; i < (long)get("calls"); i++)
        call(1, 0, 0);
    for (long i = 0; i < (long)get("marked"); i++)
        call(2, (int)get("attributes"), 0);
    for (long i = 0; i < (long)get("work"); i++) {
        now += 1000 * uniform();
        call(3, 0, 1000 + 2000 * uniform());
    }
    OTF2_EvtWriter_Leave(writer, NULL, stamp(get("leave")), 0);
}

static void definitions(struct trace *t, const uint64_t *count)
{
    static const char *const strings[] = {"",        "main",    "empty, \"quoted\"",
                                          "marked",  "works",   "node",
                                          "machine", "process", "a",
                                          "b",       "c",       "d",
                                          "values"};
    trace_clock(t, (struct trace_clock){(uint64_t)get("resolution"), 0, ticks(stamped) + 1});
    trace_strings(t, 0, strings, sizeof strings / sizeof strings[0]);
    for (uint32_t r = 0; r < 4; r++)
        trace_region(t, &(struct trace_region){r, r + 1, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0, 0, 0});
    for (uint32_t a = 0; a < 4; a++)
        TRACE_DEFINE(t, Attribute, a, 8 + a, 0, OTF2_TYPE_UINT64);
    OTF2_MetricMemberRef members[64] = {0};
    TRACE_DEFINE(t, MetricMember, 0, 12, 0, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
                 OTF2_BASE_DECIMAL, 0, 0);
    for (uint32_t m = 0; m < 2; m++)
        TRACE_DEFINE(t, MetricClass, m, m ? (uint8_t)get("values") : 1, members, OTF2_METRIC_SYNCHRONOUS_STRICT,
                     OTF2_RECORDER_KIND_CPU);
    TRACE_DEFINE(t, SystemTreeNode, 0, 5, 6, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    trace_process(t, 0, 7, 0);
    for (uint32_t l = 0; l < (uint32_t)get("locations"); l++)
        trace_thread(t, l, 7, count[l], 0);
}

static int set(const char *text)
{
    const char *equals = strchr(text, '=');
    for (size_t i = 0; equals && i < sizeof settings / sizeof settings[0]; i++)
        if (strlen(settings[i].key) == (size_t)(equals - text) &&
            strncmp(settings[i].key, text, strlen(settings[i].key)) == 0) {
            settings[i].value = strtod(equals + 1, NULL);
            return 0;
        }
    return -1;
}

int main(int argc, char **argv)
{
    uint64_t count[64] = {0};
    for (int i = 2; i < argc; i++)
        if (set(argv[i]) != 0)
            return fprintf(stderr, "run-trace: '%s' is no KEY=NUMBER\n", argv[i]), 2;
    if (argc < 2 || get("locations") > 64 || get("values") > 64 || get("attributes") > 4)
        return fprintf(stderr, "usage: run-trace OUT_DIR [KEY=NUMBER]...\n"), 2;
    struct trace trace;
    list = OTF2_AttributeList_New();
    if (!trace_open(&trace, argv[1], 1 << 20) || !list)
        return 1;
    for (uint32_t l = 0; l < (uint32_t)get("locations"); l++) {
        written = 0;
        writer = trace_events(&trace, l);
        write_location();
        OTF2_EvtWriter_GetNumberOfEvents(writer, &count[l]);
        trace_close_events(&trace, writer);
    }
    definitions(&trace, count);
    OTF2_AttributeList_Delete(list);
    if (trace_close(&trace) != 0)
        return 1;
    return n_early > 0 && make_early(argv[1]) != 0;
}
