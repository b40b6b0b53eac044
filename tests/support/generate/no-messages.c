/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes a trace of processes that never communicate:
 *
 *   no-messages OUT_DIR PROCESSES STREAMS [BEHIND]
 *
 * Nobody measured their clocks; with BEHIND that of process i was found to be i times that many ticks behind that of
 * the first. Each has a thread, and STREAMS streams of accelerators, in location groups of their own that say which
 * process has created them. Nothing but regions. */
#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>

#include "bounded_archive.h"

enum { CALLS = 50, EVENTS = 2 * CALLS, PERIOD = 1000 };

static void record(OTF2_Archive *archive, uint64_t location, uint32_t process)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, location);
    for (uint64_t k = 0; k < CALLS; k++) {
        OTF2_EvtWriter_Enter(writer, NULL, PERIOD * (k + 1) + process, 0);
        OTF2_EvtWriter_Leave(writer, NULL, PERIOD * (k + 1) + PERIOD / 2, 0);
    }
    OTF2_Archive_CloseEvtWriter(archive, writer);
}

/* Group 0 .. processes - 1 are processes, the others streams; locations go likewise. */
static void definitions(OTF2_Archive *archive, uint32_t processes, uint32_t streams)
{
    static const char *const strings[] = {"",        "work",          "node",    "machine",
                                          "Process", "Master thread", "Context", "Stream"};
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, 0, PERIOD * (CALLS + 2), OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        OTF2_GlobalDefWriter_WriteString(d, i, strings[i]);
    OTF2_GlobalDefWriter_WriteRegion(d, 0, 1, 1, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                     OTF2_REGION_FLAG_NONE, 0, 0, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 2, 3, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < processes * (1 + streams); i++) {
        int stream = i >= processes;
        OTF2_GlobalDefWriter_WriteLocationGroup(d, i, stream ? 6 : 4,
                                                stream ? OTF2_LOCATION_GROUP_TYPE_ACCELERATOR
                                                       : OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                0, stream ? i % processes : OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(d, i, stream ? 7 : 5,
                                           stream ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                                  : OTF2_LOCATION_TYPE_CPU_THREAD,
                                           EVENTS, i);
    }
    OTF2_Archive_CloseGlobalDefWriter(archive, d);
}

static void measurements(OTF2_Archive *archive, uint32_t processes, int64_t behind)
{
    OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t i = 0; i < processes; i++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(archive, i);
        OTF2_DefWriter_WriteClockOffset(d, PERIOD, i * behind, 1.0);
        OTF2_DefWriter_WriteClockOffset(d, PERIOD * CALLS, i * behind, 1.0);
        OTF2_Archive_CloseDefWriter(archive, d);
    }
    OTF2_Archive_CloseDefFiles(archive);
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        return fprintf(stderr, "usage: no-messages OUT_DIR PROCESSES STREAMS [BEHIND]\n"), 2;
    uint32_t processes = (uint32_t)strtoul(argv[2], NULL, 10), streams = (uint32_t)strtoul(argv[3], NULL, 10);
    OTF2_Archive *archive = processes > 0 ? bounded_archive_open(argv[1], 1 << 20, BOUNDED_ARCHIVE_CHUNKS) : NULL;
    if (!archive)
        return fprintf(stderr, "no-messages: cannot write '%s'\n", argv[1]), 1;
    for (uint32_t i = 0; i < processes * (1 + streams); i++)
        record(archive, i, i % processes);
    definitions(archive, processes, streams);
    if (argc > 4)
        measurements(archive, processes, strtol(argv[4], NULL, 10));
    return bounded_archive_close(archive) == 0 ? 0 : 1;
}
