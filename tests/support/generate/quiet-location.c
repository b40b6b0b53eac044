/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes a trace in which one location has few events and its neighbours very many: does the few dam the stream?
 *
 *   quiet-location OUT_DIR EVENTS [lost|untold]
 *
 * Ranks 0 and 1 exchange EVENTS events' worth of messages; rank 2 gets one message from rank 0 at the start, one in
 * the middle, one at the end, about 60 events in all. With `lost` the send of the first message to rank 2 is missing,
 * so that its last receive finds no partner. With `untold` there are no messages to rank 2, and the archive states that
 * it has no events. */
#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bounded_archive.h"

static OTF2_EvtWriter *writer[3];
static uint64_t now = 1000;
static uint64_t count[3];
static int untold;

static void region(int rank, int enter, OTF2_RegionRef r)
{
    if (enter)
        OTF2_EvtWriter_Enter(writer[rank], NULL, now++, r);
    else
        OTF2_EvtWriter_Leave(writer[rank], NULL, now++, r);
    count[rank]++;
}

static void send(int from, int to, uint32_t tag, int write)
{
    region(from, 1, 1);
    if (write) {
        OTF2_EvtWriter_MpiSend(writer[from], NULL, now++, (uint32_t)to, 0, tag, 8);
        count[from]++;
    }
    region(from, 0, 1);
}

static void receive(int at, int from, uint32_t tag)
{
    region(at, 1, 2);
    OTF2_EvtWriter_MpiRecv(writer[at], NULL, now++, (uint32_t)from, 0, tag, 8);
    count[at]++;
    region(at, 0, 2);
}

static void definitions(OTF2_Archive *archive)
{
    static const char *const strings[] = {"",        "main",   "MPI_Send", "MPI_Recv", "node",
                                          "machine", "rank 0", "rank 1",   "rank 2",   "MPI_COMM_WORLD"};
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, 1000, now - 1000, OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        OTF2_GlobalDefWriter_WriteString(d, i, strings[i]);
    for (uint32_t r = 0; r < 3; r++)
        OTF2_GlobalDefWriter_WriteRegion(d, r, r + 1, r + 1, 0, OTF2_REGION_ROLE_FUNCTION,
                                         r ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 4, 5, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    uint64_t members[3] = {0, 1, 2};
    for (uint32_t l = 0; l < 3; l++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(d, l, 6 + l, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(d, l, 6 + l, OTF2_LOCATION_TYPE_CPU_THREAD, untold && l == 2 ? 0 : count[l],
                                           l);
    }
    OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 3,
                                    members);
    OTF2_GlobalDefWriter_WriteGroup(d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 3,
                                    members);
    OTF2_GlobalDefWriter_WriteComm(d, 0, 9, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive, d);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: quiet-location OUT_DIR EVENTS [lost|untold]\n"), 2;
    uint64_t events = strtoull(argv[2], NULL, 10), steps = events / 14;
    int lost = argc > 3 && strcmp(argv[3], "lost") == 0;
    untold = argc > 3 && strcmp(argv[3], "untold") == 0;
    OTF2_Archive *archive = bounded_archive_open(argv[1], 1 << 20, BOUNDED_ARCHIVE_CHUNKS);
    if (!archive)
        return fprintf(stderr, "quiet-location: cannot write '%s'\n", argv[1]), 1;
    for (OTF2_LocationRef l = 0; l < 3; l++)
        writer[l] = OTF2_Archive_GetEvtWriter(archive, l);
    for (int r = 0; r < 3; r++)
        region(r, 1, 0);
    for (uint64_t k = 0; k < steps; k++) {
        if (k == 0 || k == steps / 2 || k + 1 == steps) {
            if (!untold)
                send(0, 2, 9, !(lost && k == 0));
            for (int i = 0; i < 8; i++) {
                region(2, 1, 0);
                region(2, 0, 0);
            }
            if (!untold)
                receive(2, 0, 9);
        }
        send(0, 1, 1, 1);
        receive(1, 0, 1);
        send(1, 0, 2, 1);
        receive(0, 1, 2);
        region(0, 1, 0);
        region(0, 0, 0);
    }
    for (int r = 0; r < 3; r++)
        region(r, 0, 0);
    for (int r = 0; r < 3; r++)
        OTF2_Archive_CloseEvtWriter(archive, writer[r]);
    definitions(archive);
    if (bounded_archive_close(archive) != 0)
        return 1;
    printf("%llu events\n", (unsigned long long)(count[0] + count[1] + count[2]));
    return 0;
}
