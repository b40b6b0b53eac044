/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Opens an OTF2 archive and finds damage to its files as far as possible before an event is read. */
#include "framework/base/error.h"
#include "framework/base/large_pages.h"
#include "otf2_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { OTHER_FILES = 64, READER_BYTES = 64 << 10 };

/* Checked here since libotf2's messages for these cases are hard to understand. */
static tcf_status check_anchor(const char *anchor)
{
    struct stat st;
    size_t n = strlen(anchor);

    if (stat(anchor, &st) != 0 && errno == ENOENT)
        return otf2_missing_anchor(anchor);
    if (stat(anchor, &st) != 0)
        return error_fail("%s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return error_fail("this is a folder; name the anchor file in it (such as traces.otf2)");
    if (n < 5 || (strcmp(anchor + n - 5, ".otf2") != 0 && strcmp(anchor + n - 5, ".OTF2") != 0))
        return error_fail(
            "the name of an OTF2 anchor file ends in .otf2; a stream of stream_write is read as stream:%s", anchor);
    if (st.st_size == 0)
        return error_fail("the anchor file is empty");
    const char *damage = anchor_file_check(anchor);
    if (damage && !*damage)
        return error_fail("out of memory for the anchor file");
    return damage ? error_fail("the anchor file is damaged: %s", damage) : TCF_OK;
}

/* Raises the limit of open files: each location needs one while it is read. */
static tcf_status raise_file_limit(uint32_t locations, int sequential)
{
    struct rlimit limit;
    rlim_t needed = (sequential ? 1 : (rlim_t)locations) + OTHER_FILES;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return TCF_OK;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
        return error_fail(
            "%u locations need %llu open files, and as many again where they are written, but the limit is "
            "%llu (ulimit -Hn)",
            locations, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
    return TCF_OK;
}

static tcf_status open_archive(otf2_source *src, const char *anchor)
{
    OTF2_Compression compression = OTF2_COMPRESSION_NONE;
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_POSIX;
    uint64_t definition_chunk;

    if (check_anchor(anchor) != TCF_OK)
        return TCF_ERROR;
    src->reader = OTF2_Reader_Open(anchor);
    if (src->reader == NULL)
        return otf2_fail(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    OTF2_Reader_SetSerialCollectiveCallbacks(src->reader);
    OTF2_Reader_GetFileSubstrate(src->reader, &substrate);
    OTF2_Reader_GetCompression(src->reader, &compression);
    if (substrate != OTF2_SUBSTRATE_POSIX)
        return error_fail("the archive is stored in a SION container or in memory; only plain files can be read");
    if (compression != OTF2_COMPRESSION_NONE)
        return error_fail("the archive is compressed; this libotf2 cannot read it");
    if (OTF2_Reader_GetChunkSize(src->reader, &src->chunk_bytes, &definition_chunk) != OTF2_SUCCESS ||
        src->chunk_bytes < OTF2_CHUNK_SIZE_MIN || src->chunk_bytes > OTF2_CHUNK_SIZE_MAX ||
        definition_chunk < OTF2_CHUNK_SIZE_MIN || definition_chunk > OTF2_CHUNK_SIZE_MAX)
        return error_fail("the anchor file is damaged: impossible chunk sizes");
    OTF2_Reader_GetNumberOfThumbnails(src->reader, &src->n_thumbnails);
    src->folder = strdup(anchor);
    src->defs = definitions_new();
    if (src->folder == NULL || src->defs == NULL)
        return error_fail("out of memory");
    src->base.definitions = &src->defs->v;
    *strrchr(src->folder, '.') = '\0';
    src->defs->v.archive = definitions_text(src->defs, anchor);
    return src->defs->v.archive ? source_add_input(&src->base, src->defs, anchor) : TCF_ERROR;
}

/* Checks the end of every event file, so that most damage is reported before anything is written. */
static tcf_status check_event_files(otf2_source *src)
{
    char path[OTF2_PATH_BYTES];
    unsigned trailing_bytes = 0;

    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        otf2_location *l = &src->locations[i];
        tcf_location *location = (tcf_location *)&src->defs->v.locations[i]; /* the source's own memory */
        otf2_event_path(src, i, path);
        event_file_check(path, src->chunk_bytes, &l->file);
        location->silent = l->file.missing || l->file.size == 0 || (!l->file.damage && l->file.total == 0);
        if (l->file.missing && location->events == 0) {
            l->file.damage = NULL; /* a location without events needs no file */
            l->state = LOCATION_ENDED;
        }
        src->total_bytes += l->file.size;
        if (l->file.damage && !src->options.salvage)
            return otf2_damaged(src, i, l->file.damage);
        trailing_bytes += l->file.trailing_bytes > 0;
    }
    if (trailing_bytes > 0)
        error_log(TCF_LOG_WARNING, "%s: bytes behind the end marks of %u event files are skipped; they hold no events",
                  src->defs->v.archive, trailing_bytes);
    return definitions_find_lead_threads(src->defs);
}

/* libotf2 keeps a chunk for each location, and a buffer of up to another chunk for its file. */
static void expect_chunks(const otf2_source *src)
{
    uint64_t chunks = src->defs->v.n_locations * src->chunk_bytes;

    large_pages_expect(chunks + (src->total_bytes < chunks ? src->total_bytes : chunks) +
                       (uint64_t)src->defs->v.n_locations * READER_BYTES);
}

static tcf_status open_locations(otf2_source *src)
{
    const tcf_definitions *v = &src->defs->v;

    src->locations = calloc((size_t)v->n_locations + 1, sizeof *src->locations);
    src->callbacks = otf2_event_callbacks(NULL);
    src->scratch = src->options.salvage ? malloc(src->chunk_bytes) : NULL;
    if (src->locations == NULL || src->callbacks == NULL || (src->options.salvage && src->scratch == NULL))
        return error_fail("out of memory for %u locations", v->n_locations);
    for (uint32_t i = 0; i < v->n_locations; i++)
        if (OTF2_Reader_SelectLocation(src->reader, v->locations[i].id) != OTF2_SUCCESS)
            return otf2_fail(OTF2_ERROR_INVALID_ARGUMENT);
    if (src->options.by_process && definitions_share_processes(v))
        src->options.sequential = 0;
    if (otf2_read_local_definitions(src) != TCF_OK ||
        raise_file_limit(v->n_locations, src->options.sequential) != TCF_OK)
        return TCF_ERROR;
    src->decoder.defs = src->defs;
    src->decoder.length_first = otf2_lists_start_with_length();
    src->event_files_open = OTF2_Reader_OpenEvtFiles(src->reader) == OTF2_SUCCESS;
    if (!src->event_files_open)
        return otf2_fail(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    if (check_event_files(src) != TCF_OK)
        return TCF_ERROR;
    if (!src->options.sequential)
        expect_chunks(src);
    return TCF_OK;
}

tcf_status otf2_open(otf2_source *src, const char *anchor)
{
    if (open_archive(src, anchor) != TCF_OK ||
        otf2_read_global_definitions(src->reader, src->defs, &src->options) != TCF_OK)
        return TCF_ERROR;
    return open_locations(src);
}
