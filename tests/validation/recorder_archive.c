/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The archive that the recorder writes: one location a process, definitions by rank 0. OTF2's own collective operations
 * go past the recorder. */
#define _GNU_SOURCE
#define OTF2_MPI_USE_PMPI
#include "recorder.h"

#include <dlfcn.h>
#include <link.h>
#include <otf2/OTF2_MPI_Collectives.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct recorder recorder;

enum { CHUNK_BYTES = 1 << 20 };

static OTF2_Archive *archive;
static int rank, ranks;

void recorder_give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "recorder: rank %d: ", rank);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
#ifndef SMPI_H
    PMPI_Abort(MPI_COMM_WORLD, 1);
#endif
    _Exit(1); /* under SMPI all ranks are one process */
}

static void *allocate(void *before, size_t bytes)
{
    void *memory = realloc(before, bytes);
    if (!memory)
        recorder_give_up("out of memory");
    return memory;
}

/* ---- communicators ---- */

/* Communicators have their number as an attribute. The first member of one defines it: its number, its flags, how
 * many members it has, and their ranks in MPI_COMM_WORLD follow each other in `led`. */
static int comm_key;
static uint32_t n_made;
static uint64_t *led;
static int n_led;

static void define_comm(MPI_Comm comm, uint32_t number, OTF2_CommFlag flags)
{
    MPI_Group world, group;
    int n;
    PMPI_Comm_size(comm, &n);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm, &group);
    led = allocate(led, (size_t)(n_led + n + 3) * sizeof *led);
    led[n_led++] = number;
    led[n_led++] = flags;
    led[n_led++] = (uint64_t)n;
    for (int i = 0; i < n; i++) {
        int member;
        PMPI_Group_translate_ranks(group, 1, &i, world, &member);
        led[n_led++] = (uint64_t)member;
    }
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
}

static OTF2_CommRef add_comm(MPI_Comm comm, OTF2_CommFlag flags)
{
    int own_rank;
    uint32_t number = n_made * (uint32_t)ranks + (uint32_t)rank;
    PMPI_Comm_rank(comm, &own_rank);
    if (own_rank == 0) {
        n_made++;
        define_comm(comm, number, flags);
    }
    PMPI_Bcast(&number, 1, MPI_UINT32_T, 0, comm);
    PMPI_Comm_set_attr(comm, comm_key, (void *)(uintptr_t)number);
    return number;
}

OTF2_CommRef recorder_add_comm(MPI_Comm comm)
{
    return add_comm(comm, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
}

OTF2_CommRef recorder_comm(MPI_Comm comm)
{
    void *number;
    int found, members;
    PMPI_Comm_get_attr(comm, comm_key, &number, &found);
    if (found)
        return (OTF2_CommRef)(uintptr_t)number;
    PMPI_Comm_size(comm, &members);
    if (members > 1)
        recorder_give_up("a communicator made by a call that is not in the table of recorder_mpi.c");
    return add_comm(comm, OTF2_COMM_FLAG_NONE); /* MPI_COMM_SELF */
}

/* ---- memory and flushes ---- */

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

#ifdef SMPI_H
static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = before_flush};

static OTF2_ErrorCode set_callbacks(void)
{
    return OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
}
#else
/* Chunks of events are there, and have been touched, before anything is recorded: else what a page fault costs, which
 * varies, were part of what an event costs. */
static char *pool;
static uint64_t pool_chunks = 96, pool_used;

static void make_pool(void)
{
    const char *chunks = getenv("RECORDER_CHUNKS");
    if (chunks)
        pool_chunks = strtoull(chunks, NULL, 10);
    if (pool_chunks < 1 || pool_chunks > 65536 || !(pool = malloc(pool_chunks * CHUNK_BYTES)))
        recorder_give_up("no memory for RECORDER_CHUNKS");
    memset(pool, 1, pool_chunks * CHUNK_BYTES);
}

static void *get_chunk(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t bytes)
{
    (void)user, (void)location;
    if (type == OTF2_FILETYPE_EVENTS) /* NULL: all are full, and are written to disk */
        return pool_used < pool_chunks ? pool + CHUNK_BYTES * pool_used++ : NULL;
    void **chunk = malloc(bytes + sizeof(void *) * 2); /* a list: the newest one knows the one before */
    if (!chunk)
        return NULL;
    chunk[0] = *buffer;
    *buffer = chunk;
    return chunk + 2;
}

static void free_chunks(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
    (void)user, (void)location, (void) final;
    if (type == OTF2_FILETYPE_EVENTS) {
        pool_used = 0;
        return;
    }
    for (void **chunk = *buffer, **before; chunk; chunk = before) {
        before = chunk[0];
        free(chunk);
    }
    *buffer = NULL;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    return recorder_now();
}

static const OTF2_FlushCallbacks flushes = {before_flush, after_flush};
static const OTF2_MemoryCallbacks memory = {get_chunk, free_chunks};

static OTF2_ErrorCode set_callbacks(void)
{
    OTF2_ErrorCode result = OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
    make_pool();
    return result == OTF2_SUCCESS ? OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL) : result;
}
#endif

/* ---- definitions ---- */

/* What rank 0 has to know of all ranks. */
struct all {
    uint64_t *events; /* by rank */
    char (*hosts)[MPI_MAX_PROCESSOR_NAME];
    uint8_t *seen;
    uint64_t *comms;
    int words; /* of comms */
    uint64_t begin, end;
};

static uint32_t n_strings;

static uint32_t define_string(OTF2_GlobalDefWriter *w, const char *text)
{
    OTF2_GlobalDefWriter_WriteString(w, n_strings, text);
    return n_strings++;
}

static void define_region(OTF2_GlobalDefWriter *w, uint32_t region, const char *name, OTF2_RegionRole role,
                          OTF2_Paradigm paradigm)
{
    uint32_t string = define_string(w, name);
    OTF2_GlobalDefWriter_WriteRegion(w, region, string, string, OTF2_UNDEFINED_STRING, role, paradigm,
                                     OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
}

static void define_regions(OTF2_GlobalDefWriter *w, const uint8_t *seen, uint32_t bytes)
{
    for (uint32_t offset = 0; offset < bytes; offset++) {
        const char *at = recorder_image + offset;
        Dl_info found;
        char unknown[32];
        if (seen[offset] == NOT_SEEN)
            continue;
        if (seen[offset] != SEEN_FUNCTION) {
            int mpi = strncmp(at, "MPI_", 4) == 0;
            define_region(w, offset, at, seen[offset], mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER);
            continue;
        }
        snprintf(unknown, sizeof unknown, "function at %#x", offset);
        int known = dladdr(at, &found) && found.dli_sname;
        define_region(w, offset, known ? found.dli_sname : unknown, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER);
    }
}

/* Hosts follow each other as the ranks on them do. */
static void define_locations(OTF2_GlobalDefWriter *w, const struct all *all)
{
    uint32_t machine = define_string(w, "machine"), node = define_string(w, "node"), n_nodes = 0;
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, n_nodes, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (int r = 0; r < ranks; r++) {
        char name[32];
        if (r == 0 || strcmp(all->hosts[r], all->hosts[r - 1]) != 0)
            OTF2_GlobalDefWriter_WriteSystemTreeNode(w, ++n_nodes, define_string(w, all->hosts[r]), node, 0);
        snprintf(name, sizeof name, "Rank %d", r);
        uint32_t string = define_string(w, name);
        OTF2_GlobalDefWriter_WriteLocationGroup(w, (uint32_t)r, string, OTF2_LOCATION_GROUP_TYPE_PROCESS, n_nodes,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(w, (uint64_t)r, string, OTF2_LOCATION_TYPE_CPU_THREAD, all->events[r],
                                           (uint32_t)r);
    }
}

/* The definitions of communicators of all ranks, as `led` has them. */
static void define_comms(OTF2_GlobalDefWriter *w, const uint64_t *all, int words)
{
    uint32_t none = define_string(w, ""), group = 0;
    for (const uint64_t *at = all; at < all + words; at += 3 + at[2]) {
        if (group == 0)
            OTF2_GlobalDefWriter_WriteGroup(w, group++, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                            OTF2_GROUP_FLAG_NONE, (uint32_t)at[2], at + 3);
        OTF2_GlobalDefWriter_WriteGroup(w, group, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, (uint32_t)at[2], at + 3);
        OTF2_GlobalDefWriter_WriteComm(w, (uint32_t)at[0], none, group++, OTF2_UNDEFINED_COMM, (OTF2_CommFlag)at[1]);
    }
}

/* ---- begin and end ---- */

/* From the image's own headers: its segments are loaded as they say. */
static size_t image_bytes(void)
{
    const ElfW(Ehdr) *image = (const void *)recorder_image;
    const ElfW(Phdr) *segment = (const void *)(recorder_image + image->e_phoff);
    size_t begin = SIZE_MAX, end = 0;
    for (int i = 0; i < image->e_phnum; i++) {
        if (segment[i].p_type != PT_LOAD)
            continue;
        begin = segment[i].p_vaddr < begin ? segment[i].p_vaddr : begin;
        end = segment[i].p_vaddr + segment[i].p_memsz > end ? segment[i].p_vaddr + segment[i].p_memsz : end;
    }
    return end - begin;
}

static void read_cost(void)
{
    const char *cost = getenv("RECORDER_COST");
    recorder.random = (uint64_t)rank + 1;
    if (cost && sscanf(cost, "%lf:%lf:%lf", &recorder.before, &recorder.behind, &recorder.spread) < 2)
        recorder_give_up("RECORDER_COST '%s': expected seconds before and behind a timestamp, as 20e-9:10e-9", cost);
}

static void open_archive(void)
{
    const char *out = getenv("RECORDER_OUT");
    archive = OTF2_Archive_Open(out ? out : "recorded", "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, CHUNK_BYTES,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive || OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_NULL) != OTF2_SUCCESS ||
        set_callbacks() != OTF2_SUCCESS || OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS)
        recorder_give_up("cannot write the archive '%s'", out ? out : "recorded");
}

void recorder_open(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_cost();
    recorder.bytes = image_bytes();
    recorder.seen = allocate(NULL, recorder.bytes);
    memset(recorder.seen, NOT_SEEN, recorder.bytes);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, NULL);
    open_archive();
    add_comm(MPI_COMM_WORLD, OTF2_COMM_FLAG_NONE);
    if (!(recorder.writer = OTF2_Archive_GetEvtWriter(archive, (uint64_t)rank)))
        recorder_give_up("no writer of events");
}

/* Closes the files of events; returns how many there are. */
static uint64_t close_events(void)
{
    uint64_t events;
    while (recorder.depth > 0)
        RECORD(Leave, recorder.open[--recorder.depth]);
    OTF2_EvtWriter_GetNumberOfEvents(recorder.writer, &events);
    OTF2_Archive_CloseEvtWriter(archive, recorder.writer);
    recorder.writer = NULL;
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive); /* none that matter, but readers look for them */
    OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, (uint64_t)rank));
    OTF2_Archive_CloseDefFiles(archive);
    return events;
}

static void gather_comms(struct all *all)
{
    int *words = allocate(NULL, (size_t)ranks * sizeof *words), *at = allocate(NULL, (size_t)ranks * sizeof *at);
    int own = n_led;
    PMPI_Gather(&own, 1, MPI_INT, words, 1, MPI_INT, 0, MPI_COMM_WORLD);
    all->words = 0;
    for (int r = 0; r < ranks && rank == 0; r++) {
        at[r] = all->words;
        all->words += words[r];
    }
    all->comms = allocate(NULL, (size_t)(all->words + 1) * sizeof *all->comms);
    PMPI_Gatherv(led, own, MPI_UINT64_T, all->comms, words, at, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    free(words);
    free(at);
}

static void gather(uint64_t events, struct all *all)
{
    uint64_t begin = recorder.begin, end = recorder_now();
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    PMPI_Get_processor_name(host, &length);
    all->hosts = allocate(NULL, (size_t)ranks * sizeof *all->hosts);
    all->events = allocate(NULL, (size_t)ranks * sizeof *all->events);
    all->seen = allocate(NULL, recorder.bytes);
    PMPI_Gather(&events, 1, MPI_UINT64_T, all->events, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    PMPI_Reduce(recorder.seen, all->seen, (int)recorder.bytes, MPI_UINT8_T, MPI_MAX, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&begin, &all->begin, 1, MPI_UINT64_T, MPI_MIN, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&end, &all->end, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    PMPI_Gather(host, sizeof host, MPI_CHAR, all->hosts, sizeof host, MPI_CHAR, 0, MPI_COMM_WORLD);
    gather_comms(all);
}

static void define_all(const struct all *all)
{
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
    if (!w)
        recorder_give_up("no writer of definitions");
    OTF2_GlobalDefWriter_WriteClockProperties(w, 1000000000, all->begin, all->end - all->begin,
                                              OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_MPI, define_string(w, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
    define_regions(w, all->seen, (uint32_t)recorder.bytes);
    define_locations(w, all);
    define_comms(w, all->comms, all->words);
}

void recorder_close(void)
{
    struct all all;
    gather(close_events(), &all);
    if (rank == 0)
        define_all(&all);
    OTF2_Archive_Close(archive);
    free(all.events);
    free(all.hosts);
    free(all.seen);
    free(all.comms);
    free(recorder.seen);
    free(led);
}
