/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The archives: one with the recorded timestamps, and where asked for a second one of the same events with true ones.
 *
 * libotf2 keeps what is written to a location in memory unless its memory callbacks refuse a further chunk and the
 * flush callback says flush; a post-flush callback would make it add BUFFER_FLUSH events of its own. */
#include "synth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { CHUNKS = 2, CHUNK_BYTES = 256 * 1024, EVENTS_BETWEEN_LOOKS = 256 };

struct chunks {
    void *memory[CHUNKS];
    unsigned in_use;
};

static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef of, void **buffer, uint64_t bytes)
{
    struct chunks *chunks = *buffer;

    (void)user, (void)type, (void)of;
    if (chunks == NULL)
        *buffer = chunks = calloc(1, sizeof *chunks);
    if (chunks == NULL || chunks->in_use == CHUNKS)
        return NULL; /* libotf2 then flushes, calls free_all and asks again */
    if (chunks->memory[chunks->in_use] == NULL)
        chunks->memory[chunks->in_use] = malloc(bytes);
    return chunks->memory[chunks->in_use] ? chunks->memory[chunks->in_use++] : NULL;
}

static void free_all(void *user, OTF2_FileType type, OTF2_LocationRef of, void **buffer, bool final)
{
    struct chunks *chunks = *buffer;

    (void)user, (void)type, (void)of;
    if (chunks == NULL)
        return;
    chunks->in_use = 0;
    if (!final)
        return;
    for (unsigned i = 0; i < CHUNKS; i++)
        free(chunks->memory[i]);
    free(chunks);
    *buffer = NULL;
}

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef of, void *caller, bool final)
{
    (void)user, (void)type, (void)of, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* libotf2 keeps pointers to these for the life of the archive. */
static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = pre_flush, .otf2_post_flush = NULL};
static const OTF2_MemoryCallbacks memory_callbacks = {.otf2_allocate = allocate, .otf2_free_all = free_all};

void archive_check(OTF2_ErrorCode status, const char *doing)
{
    if (status != OTF2_SUCCESS)
        synth_fail("%s: %s", doing, OTF2_Error_GetDescription(status));
}

/* -------------------------------------------------------------------------------------------------- the archives -- */

/* An open file for each location of each archive. */
static void raise_file_limit(const synth *s)
{
    uint64_t needed = (uint64_t)s->n_archives * s->opt.ranks * s->opt.threads + 64;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
        synth_fail("%" PRIu64 " files will be open at a time, the system allows %" PRIu64
                   "; raise the limit (ulimit -Hn) or ask for fewer ranks, threads or archives",
                   needed, (uint64_t)limit.rlim_max);
    limit.rlim_cur = needed;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        synth_fail("cannot have %" PRIu64 " open files: %s", needed, strerror(errno));
}

static void open_archive(synth *s, uint32_t which, const char *folder)
{
    outputs_open_folder(&s->opt, folder);
    OTF2_Archive *a = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, OTF2_CHUNK_SIZE_MIN,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (a == NULL)
        synth_fail("cannot create an archive in '%s'", folder);
    s->archive[which] = a;
    archive_check(OTF2_Archive_SetSerialCollectiveCallbacks(a), folder);
    archive_check(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL), folder);
    archive_check(OTF2_Archive_SetMemoryCallbacks(a, &memory_callbacks, NULL), folder);
    archive_check(OTF2_Archive_SetCreator(a, PACKAGE_STRING), folder);
    archive_check(OTF2_Archive_SetDescription(a, which == 0 ? "simulated" : "simulated, true times"), folder);
    archive_check(OTF2_Archive_OpenEvtFiles(a), folder);
    for (uint64_t i = 0; i < (uint64_t)s->opt.ranks * s->opt.threads; i++) {
        location *l = &s->locations[i];
        outputs_heed_signals();
        l->writer[which] = OTF2_Archive_GetEvtWriter(a, l->ref);
        if (l->writer[which] == NULL)
            synth_fail("no writer for location %" PRIu64 " in '%s'", l->ref, folder);
    }
}

void archives_open(synth *s)
{
    raise_file_limit(s);
    open_archive(s, 0, s->opt.output);
    if (s->n_archives > 1)
        open_archive(s, 1, s->opt.true_output);
}

void archives_close(synth *s)
{
    for (uint32_t a = 0; a < s->n_archives; a++) {
        for (uint64_t i = 0; i < (uint64_t)s->opt.ranks * s->opt.threads; i++) {
            outputs_heed_signals();
            archive_check(OTF2_Archive_CloseEvtWriter(s->archive[a], s->locations[i].writer[a]), "closing events");
        }
        archive_check(OTF2_Archive_CloseEvtFiles(s->archive[a]), "closing events");
    }
    write_definitions(s);
    for (uint32_t a = 0; a < s->n_archives; a++)
        archive_check(OTF2_Archive_Close(s->archive[a]), "closing the archive");
}

/* -------------------------------------------------------------------------------------------------------- events -- */

/* The next event of a location: some time passes, both timestamps are taken. */
static inline void stamp(synth *s, location *l)
{
    l->now += (uint64_t)(s->opt.overhead * (0.5 + rng_uniform(&s->random))) + s->opt.recording;
    uint64_t local = clock_read(s, l, l->now);
    if (l->events == 0) {
        l->first[0] = local;
        l->first[1] = true_tick(s, l->now);
    }
    if (local > l->stamp[0]) /* a clock that runs backwards stands still */
        l->stamp[0] = local;
    l->stamp[1] = true_tick(s, l->now);
    l->events++;
    if (++s->events % EVENTS_BETWEEN_LOOKS == 0)
        outputs_heed_signals();
}

/* Writes one event to all archives. CALL is the name behind OTF2_EvtWriter_; a function each would be the same loop. */
#define PUT(s, l, call, ...)                                                                                           \
    do {                                                                                                               \
        stamp(s, l);                                                                                                   \
        for (uint32_t a_ = 0; a_ < (s)->n_archives; a_++)                                                              \
            archive_check(OTF2_EvtWriter_##call((l)->writer[a_], NULL, (l)->stamp[a_], ##__VA_ARGS__),                 \
                          "writing " #call);                                                                           \
    } while (0)

void put_enter(synth *s, location *l, enum region region)
{
    PUT(s, l, Enter, (OTF2_RegionRef)region);
}

void put_leave(synth *s, location *l, enum region region)
{
    PUT(s, l, Leave, (OTF2_RegionRef)region);
}

void put_program(synth *s, location *l, bool begin)
{
    if (begin)
        PUT(s, l, ProgramBegin, (OTF2_StringRef)(R_MAIN + 1), 0, NULL);
    else
        PUT(s, l, ProgramEnd, 0);
}

void put_send(synth *s, location *l, OTF2_CommRef in, uint32_t to, uint32_t tag)
{
    PUT(s, l, MpiSend, to, in, tag, s->bytes);
}

void put_recv(synth *s, location *l, OTF2_CommRef in, uint32_t from, uint32_t tag)
{
    PUT(s, l, MpiRecv, from, in, tag, s->bytes);
}

void put_isend(synth *s, location *l, OTF2_CommRef in, uint32_t to, uint32_t tag, uint64_t request)
{
    PUT(s, l, MpiIsend, to, in, tag, s->bytes, request);
}

void put_isend_complete(synth *s, location *l, uint64_t request)
{
    PUT(s, l, MpiIsendComplete, request);
}

void put_irecv_request(synth *s, location *l, uint64_t request)
{
    PUT(s, l, MpiIrecvRequest, request);
}

void put_irecv(synth *s, location *l, OTF2_CommRef in, uint32_t from, uint32_t tag, uint64_t request)
{
    PUT(s, l, MpiIrecv, from, in, tag, s->bytes, request);
}

void put_collective_begin(synth *s, location *l)
{
    PUT(s, l, MpiCollectiveBegin);
}

void put_collective_end(synth *s, location *l, OTF2_CollectiveOp op, OTF2_CommRef in, uint32_t root, uint64_t sent,
                        uint64_t received)
{
    PUT(s, l, MpiCollectiveEnd, op, in, root, sent, received);
}

void put_collective_request(synth *s, location *l, uint64_t request)
{
    PUT(s, l, NonBlockingCollectiveRequest, request);
}

void put_collective_complete(synth *s, location *l, OTF2_CollectiveOp op, OTF2_CommRef in, uint64_t sent,
                             uint64_t received, uint64_t request)
{
    PUT(s, l, NonBlockingCollectiveComplete, op, in, OTF2_COLLECTIVE_ROOT_NONE, sent, received, request);
}

void put_rma_begin(synth *s, location *l)
{
    PUT(s, l, RmaCollectiveBegin);
}

void put_rma_end(synth *s, location *l, OTF2_CollectiveOp op)
{
    PUT(s, l, RmaCollectiveEnd, op, OTF2_RMA_SYNC_LEVEL_MEMORY | OTF2_RMA_SYNC_LEVEL_PROCESS, WINDOW,
        OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

void put_rma_window(synth *s, location *l, bool create)
{
    if (create)
        PUT(s, l, RmaWinCreate, WINDOW);
    else
        PUT(s, l, RmaWinDestroy, WINDOW);
}

void put_rma_transfer(synth *s, location *l, uint32_t remote, bool put)
{
    uint64_t id = l->requests++;

    if (put)
        PUT(s, l, RmaPut, WINDOW, remote, s->bytes, id);
    else
        PUT(s, l, RmaGet, WINDOW, remote, s->bytes, id);
    l->now += travel(s, distance_of(s, l->rank, remote), s->bytes);
    PUT(s, l, RmaOpCompleteBlocking, WINDOW, id);
}

void put_fork(synth *s, location *l)
{
    PUT(s, l, ThreadFork, OTF2_PARADIGM_OPENMP, s->opt.threads);
}

void put_join(synth *s, location *l)
{
    PUT(s, l, ThreadJoin, OTF2_PARADIGM_OPENMP);
}

/* Teams stand behind the communicators of rows and columns. */
void put_team(synth *s, location *l, bool begin)
{
    OTF2_CommRef team = COMM_FIRST_ROW + s->rows + s->columns + l->rank;

    if (begin)
        PUT(s, l, ThreadTeamBegin, team);
    else
        PUT(s, l, ThreadTeamEnd, team);
}

void put_lock(synth *s, location *l, uint32_t order, bool acquire)
{
    if (acquire)
        PUT(s, l, ThreadAcquireLock, OTF2_PARADIGM_OPENMP, OPENMP_LOCK, order);
    else
        PUT(s, l, ThreadReleaseLock, OTF2_PARADIGM_OPENMP, OPENMP_LOCK, order);
}
