/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What all kinds of generated traces share: an archive while it is written, and its definitions.
 *
 * Needs nothing but libotf2. Every function reports libotf2's first error on stderr and remembers that there was one,
 * so callers go on, and trace_close() returns the result. String 0 is "" in every trace. */
#ifndef TCFLOW_TESTS_TRACE_H
#define TCFLOW_TESTS_TRACE_H

#include <otf2/otf2.h>
#include <stdbool.h>

struct trace {
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *global;
    bool failed;
};

/* Opens DIRECTORY/traces.otf2 for writing; CHUNK_BYTES is that of bounded_archive_open(). Returns false after a message
 * on stderr. */
bool trace_open(struct trace *t, const char *directory, uint64_t chunk_bytes);

/* Returns the exit status of a program that has written it: 0, or 1 when anything has failed. */
int trace_close(struct trace *t);

/* WHAT names the call that returned CODE. */
void expect(struct trace *t, OTF2_ErrorCode code, const char *what);

OTF2_EvtWriter *trace_events(struct trace *t, OTF2_LocationRef location);
void trace_close_events(struct trace *t, OTF2_EvtWriter *events);

/* A comparison of a location's clock with the others, at LOCAL, in ticks. */
struct trace_measurement {
    uint64_t local;
    int64_t offset;
    double error;
};

/* Writes the file of local definitions of a location; those files must be open. */
void trace_measurements(struct trace *t, OTF2_LocationRef location, const struct trace_measurement *m, uint32_t n);

/* The last step of splitmix64. */
static inline uint64_t trace_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* ---- global definitions ---- */

/* TRACE_DEFINE(t, String, id, text) and so on: any one that libotf2 can write. */
#define TRACE_DEFINE(t, Name, ...) expect(t, OTF2_GlobalDefWriter_Write##Name((t)->global, __VA_ARGS__), #Name)

struct trace_clock {
    uint64_t ticks_per_second, first, length;
};

struct trace_region {
    OTF2_RegionRef id;
    OTF2_StringRef name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
    OTF2_StringRef file;
    uint32_t first_line, last_line;
};

struct trace_group {
    OTF2_GroupRef id;
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint32_t n;
    const uint64_t *members;
};

void trace_clock(struct trace *t, struct trace_clock clock);
/* Their ids are FIRST and those that follow. */
void trace_strings(struct trace *t, OTF2_StringRef first, const char *const *texts, uint32_t n);
void trace_region(struct trace *t, const struct trace_region *region);
void trace_process(struct trace *t, OTF2_LocationGroupRef id, OTF2_StringRef name, OTF2_SystemTreeNodeRef node);
void trace_thread(struct trace *t, OTF2_LocationRef id, OTF2_StringRef name, uint64_t events,
                  OTF2_LocationGroupRef process);
void trace_groups(struct trace *t, const struct trace_group *groups, uint32_t n);
void trace_comm(struct trace *t, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent);

#endif
