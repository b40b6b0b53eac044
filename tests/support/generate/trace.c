/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The archive and the definitions of generated traces; see trace.h. */
#include "trace.h"

#include "bounded_archive.h"

#include <stdio.h>

enum { EMPTY = 0 };

void expect(struct trace *t, OTF2_ErrorCode code, const char *what)
{
    if (code == OTF2_SUCCESS)
        return;
    if (!t->failed)
        fprintf(stderr, "trace: %s: %s\n", what, OTF2_Error_GetDescription(code));
    t->failed = true;
}

bool trace_open(struct trace *t, const char *directory, uint64_t chunk_bytes)
{
    *t = (struct trace){.archive = bounded_archive_open(directory, chunk_bytes)};
    if (t->archive != NULL)
        t->global = OTF2_Archive_GetGlobalDefWriter(t->archive);
    if (t->global != NULL)
        return true;
    if (t->archive != NULL)
        OTF2_Archive_Close(t->archive);
    fprintf(stderr, "trace: cannot write '%s'\n", directory);
    return false;
}

int trace_close(struct trace *t)
{
    return bounded_archive_close(t->archive) == 0 && !t->failed ? 0 : 1;
}

OTF2_EvtWriter *trace_events(struct trace *t, OTF2_LocationRef location)
{
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(t->archive, location);

    if (events == NULL)
        expect(t, OTF2_ERROR_INVALID, "opening an event writer");
    return events;
}

void trace_close_events(struct trace *t, OTF2_EvtWriter *events)
{
    expect(t, OTF2_Archive_CloseEvtWriter(t->archive, events), "closing an event writer");
}

void trace_measurements(struct trace *t, OTF2_LocationRef location, const struct trace_measurement *m, uint32_t n)
{
    OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(t->archive, location);

    for (uint32_t i = 0; i < n; i++)
        expect(t, OTF2_DefWriter_WriteClockOffset(out, m[i].local, m[i].offset, m[i].error), "ClockOffset");
    expect(t, OTF2_Archive_CloseDefWriter(t->archive, out), "closing a definition writer");
}

/* ---- global definitions ---- */

void trace_clock(struct trace *t, struct trace_clock clock)
{
    TRACE_DEFINE(t, ClockProperties, clock.ticks_per_second, clock.first, clock.length, OTF2_UNDEFINED_TIMESTAMP);
}

void trace_strings(struct trace *t, OTF2_StringRef first, const char *const *texts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TRACE_DEFINE(t, String, first + i, texts[i]);
}

void trace_region(struct trace *t, const struct trace_region *r)
{
    TRACE_DEFINE(t, Region, r->id, r->name, r->name, EMPTY, r->role, r->paradigm, OTF2_REGION_FLAG_NONE, r->file,
                 r->first_line, r->last_line);
}

void trace_process(struct trace *t, OTF2_LocationGroupRef id, OTF2_StringRef name, OTF2_SystemTreeNodeRef node)
{
    TRACE_DEFINE(t, LocationGroup, id, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP);
}

void trace_thread(struct trace *t, OTF2_LocationRef id, OTF2_StringRef name, uint64_t events,
                  OTF2_LocationGroupRef process)
{
    TRACE_DEFINE(t, Location, id, name, OTF2_LOCATION_TYPE_CPU_THREAD, events, process);
}

void trace_groups(struct trace *t, const struct trace_group *g, uint32_t n)
{
    for (; n > 0; n--, g++)
        TRACE_DEFINE(t, Group, g->id, EMPTY, g->type, g->paradigm, OTF2_GROUP_FLAG_NONE, g->n, g->members);
}

void trace_comm(struct trace *t, OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent)
{
    TRACE_DEFINE(t, Comm, id, name, group, parent, OTF2_COMM_FLAG_NONE);
}
