/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The smallest measurement system: to be preloaded into one thread of a program with -finstrument-functions. Writes
 * enters and leaves to $RECORDER_DIR/traces.otf2 as they happen, with the time of CLOCK_MONOTONIC. */
#define _GNU_SOURCE
#include <otf2/otf2.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_FUNCTIONS = 256 };

static OTF2_Archive *archive;
static OTF2_EvtWriter *writer;
static void *functions[MOST_FUNCTIONS];
static uint32_t n_functions;
static uint64_t first, last;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};

static OTF2_RegionRef region(void *function)
{
    uint32_t i = 0;
    while (i < n_functions && functions[i] != function)
        i++;
    if (i == n_functions && i < MOST_FUNCTIONS)
        functions[n_functions++] = function;
    return i;
}

__attribute__((constructor)) static void start(void)
{
    const char *folder = getenv("RECORDER_DIR");
    archive = folder ? OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 16 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX,
                                         OTF2_COMPRESSION_NONE)
                     : NULL;
    if (!archive)
        return;
    OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    writer = OTF2_Archive_GetEvtWriter(archive, 0);
    first = last = now();
}

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (writer)
        OTF2_EvtWriter_Enter(writer, NULL, last = now(), region(function));
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    if (writer)
        OTF2_EvtWriter_Leave(writer, NULL, last = now(), region(function));
}

__attribute__((destructor)) static void stop(void)
{
    uint64_t events;
    if (!writer)
        return;
    OTF2_EvtWriter_GetNumberOfEvents(writer, &events);
    OTF2_Archive_CloseEvtWriter(archive, writer);
    writer = NULL;
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, first, last - first, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(d, 0, "");
    for (uint32_t i = 0; i < n_functions; i++) {
        Dl_info info;
        OTF2_GlobalDefWriter_WriteString(d, i + 1,
                                         dladdr(functions[i], &info) && info.dli_sname ? info.dli_sname : "static");
        OTF2_GlobalDefWriter_WriteRegion(d, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER,
                                         OTF2_REGION_FLAG_NONE, 0, 0, 0);
    }
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(d, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(d, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events, 0);
    OTF2_Archive_CloseGlobalDefWriter(archive, d);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_Close(archive);
}
