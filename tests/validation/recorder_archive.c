/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The archive that the recorder writes: one location a process, definitions by rank 0. OTF2's own collective operations
 * go past the recorder. */
#define _GNU_SOURCE
#define OTF2_MPI_USE_PMPI
#include "recorder.h"

#include <dlfcn.h>
#include <otf2/OTF2_MPI_Collectives.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct recorder recorder;

enum { MOST_RANKS = 64, MOST_COMMS = 16, CHUNK_BYTES = 1 << 20 };

static const char *const mpi_names[RECORDER_MPI_REGIONS] = {
    [RECORDER_INIT] = "MPI_Init",
    [RECORDER_FINALIZE] = "MPI_Finalize",
    [RECORDER_COMM_SPLIT] = "MPI_Comm_split",
    [RECORDER_SEND] = "MPI_Send",
    [RECORDER_RECV] = "MPI_Recv",
    [RECORDER_SENDRECV] = "MPI_Sendrecv",
    [RECORDER_ISEND] = "MPI_Isend",
    [RECORDER_IRECV] = "MPI_Irecv",
    [RECORDER_WAIT] = "MPI_Wait",
    [RECORDER_WAITALL] = "MPI_Waitall",
    [RECORDER_BARRIER] = "MPI_Barrier",
    [RECORDER_BCAST] = "MPI_Bcast",
    [RECORDER_REDUCE] = "MPI_Reduce",
    [RECORDER_ALLREDUCE] = "MPI_Allreduce",
};

static OTF2_Archive *archive;
static int rank, ranks;

static void give_up(const char *what)
{
    fprintf(stderr, "recorder: rank %d: %s\n", rank, what);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- communicators ---- */

/* One that this process is the first member of is also defined by it. */
struct comm {
    MPI_Comm handle;
    OTF2_CommRef number;
};
struct comm_definition {
    uint32_t number, n;
    uint64_t member[MOST_RANKS];
};
static struct comm comms[MOST_COMMS];
static struct comm_definition led[MOST_COMMS];
static int n_comms, n_led;
static uint32_t generation;

OTF2_CommRef recorder_comm(MPI_Comm comm)
{
    for (int i = 0; i < n_comms; i++)
        if (comms[i].handle == comm)
            return comms[i].number;
    give_up("unknown communicator");
    return OTF2_UNDEFINED_COMM;
}

static void define_comm(MPI_Comm comm, uint32_t number)
{
    MPI_Group world, group;
    int n, members[MOST_RANKS], ids[MOST_RANKS];
    PMPI_Comm_size(comm, &n);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm, &group);
    for (int i = 0; i < n; i++)
        ids[i] = i;
    PMPI_Group_translate_ranks(group, n, ids, world, members);
    led[n_led] = (struct comm_definition){.number = number, .n = (uint32_t)n};
    for (int i = 0; i < n; i++)
        led[n_led].member[i] = (uint64_t)members[i];
    n_led++;
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
}

void recorder_add_comm(MPI_Comm parent, MPI_Comm comm)
{
    uint32_t mine = generation + 1, number;
    int own_rank;
    PMPI_Allreduce(&mine, &generation, 1, MPI_UINT32_T, MPI_MAX, parent);
    if (comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_rank(comm, &own_rank);
    number = generation * (uint32_t)ranks + (uint32_t)rank;
    PMPI_Bcast(&number, 1, MPI_UINT32_T, 0, comm);
    if (n_comms == MOST_COMMS)
        give_up("too many communicators");
    comms[n_comms++] = (struct comm){comm, number};
    if (own_rank == 0)
        define_comm(comm, number);
}

/* ---- memory and flushes ---- */

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
        give_up("no memory for RECORDER_CHUNKS");
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

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    return recorder_now();
}

static const OTF2_FlushCallbacks flushes = {before_flush, after_flush};
static const OTF2_MemoryCallbacks memory = {get_chunk, free_chunks};

/* ---- definitions ---- */

static uint32_t n_strings;

static uint32_t define_string(OTF2_GlobalDefWriter *w, const char *text)
{
    OTF2_GlobalDefWriter_WriteString(w, n_strings, text);
    return n_strings++;
}

static void define_region(OTF2_GlobalDefWriter *w, uint32_t region, const char *name, OTF2_Paradigm paradigm)
{
    uint32_t string = define_string(w, name);
    OTF2_GlobalDefWriter_WriteRegion(w, region, string, string, OTF2_UNDEFINED_STRING, OTF2_REGION_ROLE_FUNCTION,
                                     paradigm, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
}

static void define_regions(OTF2_GlobalDefWriter *w, const uint8_t *seen)
{
    for (uint32_t r = 0; r < RECORDER_MPI_REGIONS; r++)
        define_region(w, r, mpi_names[r], OTF2_PARADIGM_MPI);
    for (uint32_t offset = RECORDER_MPI_REGIONS; offset < RECORDER_IMAGE_BYTES; offset++) {
        Dl_info found;
        char name[32];
        if (!seen[offset])
            continue;
        snprintf(name, sizeof name, "function at %#x", offset);
        int known = dladdr(recorder.image + offset, &found) && found.dli_sname;
        define_region(w, offset, known ? found.dli_sname : name, OTF2_PARADIGM_COMPILER);
    }
}

static void define_locations(OTF2_GlobalDefWriter *w, const uint64_t *events)
{
    uint32_t machine = define_string(w, "machine"), node = define_string(w, "node");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, node, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (int r = 0; r < ranks; r++) {
        char name[32];
        snprintf(name, sizeof name, "Rank %d", r);
        uint32_t string = define_string(w, name);
        OTF2_GlobalDefWriter_WriteLocationGroup(w, (uint32_t)r, string, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(w, (uint64_t)r, string, OTF2_LOCATION_TYPE_CPU_THREAD, events[r],
                                           (uint32_t)r);
    }
}

static void define_comms(OTF2_GlobalDefWriter *w, const struct comm_definition *all, uint32_t n)
{
    uint32_t none = define_string(w, ""), next_group = 1;
    uint64_t everybody[MOST_RANKS];
    for (int r = 0; r < ranks; r++)
        everybody[r] = (uint64_t)r;
    OTF2_GlobalDefWriter_WriteGroup(w, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    (uint32_t)ranks, everybody);
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].n == 0)
            continue;
        OTF2_GlobalDefWriter_WriteGroup(w, next_group, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, all[i].n, all[i].member);
        OTF2_GlobalDefWriter_WriteComm(w, all[i].number, none, next_group++, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    }
}

static void define_all(const uint64_t *events, const uint8_t *seen, const struct comm_definition *all, uint64_t begin,
                       uint64_t end)
{
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
    if (!w)
        give_up("no writer of definitions");
    OTF2_GlobalDefWriter_WriteClockProperties(w, 1000000000, begin, end - begin, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_MPI, define_string(w, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
    define_regions(w, seen);
    define_locations(w, events);
    define_comms(w, all, (uint32_t)(ranks * MOST_COMMS));
}

/* ---- begin and end ---- */

void recorder_open(void)
{
    const char *out = getenv("RECORDER_OUT");
    Dl_info self;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST_RANKS)
        give_up("too many ranks");
    make_pool();
    if (!dladdr(&recorder, &self))
        give_up("no address of the program");
    recorder.image = self.dli_fbase;
    archive = OTF2_Archive_Open(out ? out : "recorded", "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, CHUNK_BYTES,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive || OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS)
        give_up("cannot write the archive");
    comms[n_comms++] = (struct comm){MPI_COMM_WORLD, 0};
    if (rank == 0)
        define_comm(MPI_COMM_WORLD, 0);
    if (!(recorder.writer = OTF2_Archive_GetEvtWriter(archive, (uint64_t)rank)))
        give_up("no writer of events");
}

/* What rank 0 has to know of the others. */
static void gather(uint64_t events, uint64_t *all_events, uint8_t *seen, struct comm_definition *all, uint64_t *begin,
                   uint64_t *end)
{
    uint64_t now = recorder_now();
    PMPI_Gather(&events, 1, MPI_UINT64_T, all_events, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    PMPI_Reduce(recorder.seen, seen, RECORDER_IMAGE_BYTES, MPI_UINT8_T, MPI_MAX, 0, MPI_COMM_WORLD);
    PMPI_Gather(led, sizeof led, MPI_BYTE, all, sizeof led, MPI_BYTE, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&recorder.begin, begin, 1, MPI_UINT64_T, MPI_MIN, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&now, end, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
}

void recorder_close(void)
{
    uint64_t events, all_events[MOST_RANKS], begin = 0, end = 0;
    struct comm_definition *all = calloc((size_t)ranks, sizeof led);
    uint8_t *seen = malloc(RECORDER_IMAGE_BYTES);
    if (!all || !seen)
        give_up("out of memory");
    OTF2_EvtWriter_GetNumberOfEvents(recorder.writer, &events);
    OTF2_Archive_CloseEvtWriter(archive, recorder.writer);
    recorder.writer = NULL;
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive); /* none that matter, but readers look for them */
    OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, (uint64_t)rank));
    OTF2_Archive_CloseDefFiles(archive);
    gather(events, all_events, seen, all, &begin, &end);
    if (rank == 0)
        define_all(all_events, seen, all, begin, end);
    OTF2_Archive_Close(archive);
    free(all);
    free(seen);
}
