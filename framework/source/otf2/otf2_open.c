/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Opens an OTF2 archive and finds damage to its files as far as possible before an event is read. */
#include "framework/base/error.h"
#include "otf2_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NEWEST_FORMAT = 3 }; /* of those that the direct reader knows: OTF2 1.0 to 3.0 write versions 1 to 3 */

/* Checked here since libotf2's messages for these cases are hard to understand. */
static tcf_status check_anchor(const char *anchor, unsigned *format)
{
    enum { COMPRESSED = 2 }; /* OTF2_COMPRESSION_ZLIB, a deprecated name */
    struct stat st;
    anchor_facts facts;
    size_t n = strlen(anchor);

    *format = 0;
    if (stat(anchor, &st) != 0 && errno == ENOENT)
        return otf2_missing_anchor(anchor);
    if (stat(anchor, &st) != 0)
        return error_fail("%s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return otf2_folder_without_anchor(anchor);
    if (n > 4 && (strcmp(anchor + n - 4, ".def") == 0 || strcmp(anchor + n - 4, ".evt") == 0))
        return error_fail(
            "this is a part of an archive; what is named is its anchor file, NAME.otf2, or the folder of that");
    if (S_ISFIFO(st.st_mode))
        return error_fail("this is a pipe; a stream that stream_write writes to it is read as stream:%s", anchor);
    if (!S_ISREG(st.st_mode))
        return error_fail("this is no file with a trace, but a device or socket");
    if (st.st_size == 0)
        return error_fail("the file is empty");
    if (n < 5 || (strcmp(anchor + n - 5, ".otf2") != 0 && strcmp(anchor + n - 5, ".OTF2") != 0))
        return error_fail(
            "the name of an OTF2 anchor file ends in .otf2; a stream of stream_write is read as stream:%s", anchor);
    const char *damage = anchor_file_check(anchor, &facts);
    *format = facts.format;
    if (damage && !*damage)
        return error_fail("out of memory for the anchor file");
    if (damage)
        return error_fail("the anchor file is damaged: %s", damage);
    if (facts.substrate == OTF2_SUBSTRATE_SION || facts.substrate == OTF2_SUBSTRATE_NONE)
        return error_fail("the archive is stored in a SION container or in memory; only plain files can be read: "
                          "have the measurement system write those (Score-P: SCOREP_TRACING_USE_SION=no)");
    if (facts.compression == COMPRESSED)
        return error_fail("the archive is compressed, and only archives that are not can be read");
    return TCF_OK;
}

/* Chooses the reader of event files, and says which one and why. */
static tcf_status choose_reader(otf2_source *src, const char *anchor, unsigned format)
{
    const int known = format <= NEWEST_FORMAT, chosen = src->options.reader;
    const char *because = chosen == READER_AUTO ? "as nothing asks for libotf2" : "as 'reader' says";
    char newer[96], why[128];

    snprintf(newer, sizeof newer, "as version %u of the format is newer than %d, which 'direct' knows", format,
             NEWEST_FORMAT);
    if (!known && chosen == READER_AUTO)
        because = newer;
    if (!known && chosen == READER_DIRECT)
        return error_fail("the archive has version %u of the format, and 'reader = direct' knows versions up to %d; "
                          "'reader = auto' leaves it to libotf2",
                          format, NEWEST_FORMAT);
    src->events = known && chosen != READER_LIBOTF2 ? &otf2_direct_reader : &otf2_library_reader;
    snprintf(why, sizeof why, "%s (%s)", src->events->name, because);
    if (chosen == READER_AUTO && !known)
        error_log(TCF_LOG_WARNING, "%s: event files are read by %s", anchor, why);
    src->base.facts.inputs->reader = definitions_text(src->defs, why);
    return src->base.facts.inputs->reader ? TCF_OK : TCF_ERROR;
}

static tcf_status open_archive(otf2_source *src, const char *anchor)
{
    unsigned format;

    if (check_anchor(anchor, &format) != TCF_OK)
        return TCF_ERROR;
    src->reader = OTF2_Reader_Open(anchor);
    if (src->reader == NULL) {
        otf2_fail(OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return error_while("reading the anchor file, which is cut or damaged");
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(src->reader);
    if (OTF2_Reader_GetChunkSize(src->reader, &src->chunk_bytes, &src->definition_chunk_bytes) != OTF2_SUCCESS ||
        src->chunk_bytes < OTF2_CHUNK_SIZE_MIN || src->chunk_bytes > OTF2_CHUNK_SIZE_MAX ||
        src->definition_chunk_bytes < OTF2_CHUNK_SIZE_MIN || src->definition_chunk_bytes > OTF2_CHUNK_SIZE_MAX)
        return error_fail("the anchor file is damaged: impossible chunk sizes");
    OTF2_Reader_GetNumberOfThumbnails(src->reader, &src->n_thumbnails);
    src->folder = strdup(anchor);
    src->defs = definitions_new();
    if (src->folder == NULL || src->defs == NULL)
        return error_fail("out of memory");
    src->base.definitions = &src->defs->v;
    *strrchr(src->folder, '.') = '\0';
    src->defs->v.archive = definitions_text(src->defs, anchor);
    if (src->defs->v.archive == NULL || source_add_input(&src->base, src->defs, anchor) != TCF_OK)
        return TCF_ERROR;
    return choose_reader(src, anchor, format);
}

/* Checks the end of every event file, so that most damage is reported before anything is written. */
static tcf_status check_event_files(otf2_source *src)
{
    char path[OTF2_PATH_BYTES];
    unsigned trailing_bytes = 0;

    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        otf2_location *l = &src->locations[i];
        tcf_location *location = (tcf_location *)&src->defs->v.locations[i]; /* the source's own memory */
        otf2_ends_ahead(src, i);
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

static tcf_status open_locations(otf2_source *src)
{
    const tcf_definitions *v = &src->defs->v;

    src->locations = calloc((size_t)v->n_locations + 1, sizeof *src->locations);
    if (src->locations == NULL)
        return error_fail("out of memory for %u locations", v->n_locations);
    if (src->options.by_process && definitions_share_processes(v))
        src->options.sequential = 0;
    src->decoder.defs = src->defs;
    if (otf2_read_local_definitions(src) != TCF_OK || check_event_files(src) != TCF_OK)
        return TCF_ERROR;
    return src->events->open(src);
}

tcf_status otf2_open(otf2_source *src, const char *anchor)
{
    if (open_archive(src, anchor) != TCF_OK ||
        otf2_read_global_definitions(src->reader, src->definition_chunk_bytes, src->defs, &src->options) != TCF_OK)
        return TCF_ERROR;
    return open_locations(src);
}
