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

static void *allocate_chunk(void *user, OTF2_FileType type, OTF2_LocationRef of, void **buffer, uint64_t bytes)
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
static const OTF2_MemoryCallbacks memory_callbacks = {.otf2_allocate = allocate_chunk, .otf2_free_all = free_all};

void archive_check(OTF2_ErrorCode status, const char *doing)
{
    if (status != OTF2_SUCCESS)
        fail("%s: %s", doing, OTF2_Error_GetDescription(status));
}

/* -------------------------------------------------------------------------------------------------- the archives -- */

/* An open file for each location of each archive. */
static void raise_file_limit(const synth *s)
{
    uint64_t needed = s->n_archives * locations_of(&s->opt) + 64;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
        fail("%" PRIu64 " files will be open at a time, the system allows %" PRIu64
             "; raise the limit (ulimit -Hn) or ask for fewer ranks, threads or archives",
             needed, (uint64_t)limit.rlim_max);
    limit.rlim_cur = needed;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        fail("cannot have %" PRIu64 " open files: %s", needed, strerror(errno));
}

static void open_archive(synth *s, uint32_t which, const char *folder)
{
    folder = outputs_open_folder(&s->opt, folder);
    OTF2_Archive *a = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, OTF2_CHUNK_SIZE_MIN,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (a == NULL)
        fail("cannot create an archive in '%s'", folder);
    s->archive[which] = a;
    archive_check(OTF2_Archive_SetSerialCollectiveCallbacks(a), folder);
    archive_check(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL), folder);
    archive_check(OTF2_Archive_SetMemoryCallbacks(a, &memory_callbacks, NULL), folder);
    archive_check(OTF2_Archive_SetCreator(a, PACKAGE_STRING), folder);
    archive_check(OTF2_Archive_SetDescription(a, which == 0 ? "simulated" : "simulated, true times"), folder);
    archive_check(OTF2_Archive_OpenEvtFiles(a), folder);
    for (uint64_t i = 0; i < locations_of(&s->opt); i++) {
        location *l = &s->locations[i];
        outputs_heed_signals();
        l->writer[which] = OTF2_Archive_GetEvtWriter(a, l->ref);
        if (l->writer[which] == NULL)
            fail("no writer for location %" PRIu64 " in '%s'", l->ref, folder);
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
        for (uint64_t i = 0; i < locations_of(&s->opt); i++) {
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
void stamp_event(synth *s, location *l)
{
    l->now += (uint64_t)(s->opt.overhead * (0.5 + rng_uniform(&s->random))) + (uint64_t)s->opt.recording;
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
