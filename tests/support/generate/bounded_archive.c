/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory and flush callbacks that bound the memory of libotf2's writers; see bounded_archive.h.
 *
 * A writer's chunks are handed out again after a flush instead of being freed: at one flush every
 * few hundred kilobytes, mapping fresh pages would be what a benchmark measures. */
#include "bounded_archive.h"

#include <stdlib.h>

enum { MOST_CHUNKS = 2 };

struct chunks {
    void *memory[MOST_CHUNKS];
    unsigned allocated;
    unsigned in_use;
};

static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t bytes)
{
    struct chunks *chunks = *buffer;

    (void)user, (void)type, (void)location;
    if (chunks == NULL) {
        chunks = calloc(1, sizeof *chunks);
        if (chunks == NULL)
            return NULL;
        *buffer = chunks;
    }
    if (chunks->in_use == MOST_CHUNKS)
        return NULL; /* libotf2 then flushes, calls free_all and asks again */
    if (chunks->in_use == chunks->allocated) {
        chunks->memory[chunks->allocated] = malloc(bytes);
        if (chunks->memory[chunks->allocated] == NULL)
            return NULL;
        chunks->allocated++;
    }
    return chunks->memory[chunks->in_use++];
}

static void free_all(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool final)
{
    struct chunks *chunks = *buffer;

    (void)user, (void)type, (void)location;
    if (chunks == NULL)
        return;
    chunks->in_use = 0;
    if (!final)
        return;
    for (unsigned i = 0; i < chunks->allocated; i++)
        free(chunks->memory[i]);
    free(chunks);
    *buffer = NULL;
}

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* libotf2 keeps pointers to these for the life of the archive. */
static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = pre_flush, .otf2_post_flush = NULL};
static const OTF2_MemoryCallbacks memory_callbacks = {.otf2_allocate = allocate, .otf2_free_all = free_all};

OTF2_Archive *bounded_archive_open(const char *directory, uint64_t chunk_bytes)
{
    /* Definition writers fill their chunk to the end, used or not: at 4 MiB that costs 1 ms a location. */
    OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, chunk_bytes,
                                              OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL)
        return NULL; /* libotf2 has said why */
    if (OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS ||
        OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetMemoryCallbacks(archive, &memory_callbacks, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS) {
        OTF2_Archive_Close(archive);
        return NULL;
    }
    return archive;
}

int bounded_archive_close(OTF2_Archive *archive)
{
    OTF2_ErrorCode events = OTF2_Archive_CloseEvtFiles(archive);
    OTF2_ErrorCode all = OTF2_Archive_Close(archive);

    return events == OTF2_SUCCESS && all == OTF2_SUCCESS ? 0 : -1;
}
