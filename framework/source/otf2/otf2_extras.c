/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Snapshots, markers and thumbnails of an OTF2 archive. They are read on demand, after or beside the events. Few
 * archives have any, so libotf2 is asked only where their files exist. */
#include "framework/base/error.h"
#include "otf2_internal.h"

#include <errno.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Size of a file in bytes, 0 where there is none. */
static tcf_status file_size(const char *path, uint64_t *size)
{
    struct stat st;
    const int is_there = stat(path, &st) == 0;

    *size = is_there ? (uint64_t)st.st_size : 0;
    return is_there || !tcf_error_is_passing(errno) ? TCF_OK : error_fail("'%s': %s", path, strerror(errno));
}

/* `salvage` skips what is damaged here; a failure of the callback still counts. */
static tcf_status skip_damaged(const otf2_source *src, tcf_status from_callback)
{
    if (from_callback != TCF_OK || !src->options.salvage)
        return TCF_ERROR;
    error_log(TCF_LOG_WARNING, "%s; the rest of it is left out", error_text());
    return TCF_OK;
}

/* A record has at least a byte, so at least `most` records mean that libotf2 reads in a loop. */
static tcf_status outcome(tcf_status from_callback, OTF2_ErrorCode code, uint64_t records, uint64_t most)
{
    if (from_callback != TCF_OK)
        return from_callback;
    if (code != OTF2_SUCCESS)
        return otf2_fail(code);
    return records < most ? TCF_OK : error_fail("the file is damaged: it doesn't end");
}

/* ----------------------------------------------------------------------------------------------------- snapshots -- */

static tcf_status read_snapshots(OTF2_Reader *of, uint64_t id, snapshot_reader *r, uint64_t most)
{
    OTF2_SnapReaderCallbacks *callbacks = otf2_snapshot_callbacks();
    OTF2_SnapReader *reader = OTF2_Reader_GetSnapReader(of, id);
    OTF2_ErrorCode code = OTF2_ERROR_MEM_FAULT;
    uint64_t n = 0;

    if (callbacks != NULL && reader != NULL)
        code = OTF2_Reader_RegisterSnapCallbacks(of, reader, callbacks, r);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadLocalSnapshots(of, reader, most, &n);
    if (callbacks != NULL)
        OTF2_SnapReaderCallbacks_Delete(callbacks);
    if (reader != NULL)
        OTF2_Reader_CloseSnapReader(of, reader);
    if (r->decoder.out_of_memory)
        return error_fail("out of memory for a snapshot");
    return outcome(r->status, code, n, most);
}

tcf_status otf2_source_snapshots(source *base, uint32_t location, source_each_snapshot each, void *data)
{
    otf2_source *src = (otf2_source *)base;
    slice_layout layout = {.capacity = 1, .arena = 4096};
    snapshot_reader r = {.location = location, .each = each, .data = data, .status = TCF_OK};
    char path[OTF2_PATH_BYTES];

    snprintf(path, sizeof path, "%s/%llu.snap", src->folder, (unsigned long long)src->defs->v.locations[location].id);
    uint64_t size;
    if (file_size(path, &size) != TCF_OK)
        return TCF_ERROR;
    if (size == 0)
        return TCF_OK;
    pool *p = pool_new(&layout, 1);
    if (p == NULL)
        return TCF_ERROR;
    r.decoder.defs = src->defs;
    r.arena = slice_get(p, location);
    otf2_source *whole = src->whole ? src->whole : src;
    pthread_mutex_lock(&whole->reader_lock);
    otf2_errors_clear();
    OTF2_Reader_OpenSnapFiles(whole->reader);
    tcf_status status = read_snapshots(whole->reader, src->defs->v.locations[location].id, &r, size);
    OTF2_Reader_CloseSnapFiles(whole->reader);
    pthread_mutex_unlock(&whole->reader_lock);
    slice_put(p, r.arena);
    pool_delete(p);
    if (status == TCF_OK)
        return TCF_OK;
    error_while("reading the snapshots in '%s'", path);
    return skip_damaged(src, r.status);
}

/* ------------------------------------------------------------------------------------------------------- markers -- */

struct markers {
    source_each_marker each;
    void *data;
    tcf_status status;
};

static OTF2_CallbackCode deliver_marker(struct markers *m, const tcf_marker *marker)
{
    m->status = m->each(m->data, marker);
    return m->status == TCF_OK ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode on_marker_definition(void *data, OTF2_MarkerRef self, const char *group, const char *category,
                                              OTF2_MarkerSeverity severity)
{
    tcf_marker marker = {.definition = 1, .marker = self, .group = group, .category = category, .severity = severity};
    return deliver_marker(data, &marker);
}

static OTF2_CallbackCode on_marker(void *data, OTF2_TimeStamp time, OTF2_TimeStamp duration, OTF2_MarkerRef self,
                                   OTF2_MarkerScope scope, uint64_t scope_ref, const char *text)
{
    tcf_marker marker =
        {.marker = self, .time = time, .duration = duration, .scope = scope, .scope_ref = scope_ref, .text = text};
    return deliver_marker(data, &marker);
}

static tcf_status read_markers(otf2_source *src, struct markers *m, uint64_t most)
{
    OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
    OTF2_MarkerReader *reader = OTF2_Reader_GetMarkerReader(src->reader);
    OTF2_ErrorCode code = OTF2_ERROR_MEM_FAULT;
    uint64_t n = 0;

    if (callbacks != NULL && reader != NULL) {
        OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_marker_definition);
        OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker);
        code = OTF2_Reader_RegisterMarkerCallbacks(src->reader, reader, callbacks, m);
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadMarkers(src->reader, reader, most, &n);
    if (callbacks != NULL)
        OTF2_MarkerReaderCallbacks_Delete(callbacks);
    if (reader != NULL)
        OTF2_Reader_CloseMarkerReader(src->reader, reader);
    return outcome(m->status, code, n, most);
}

tcf_status otf2_source_markers(source *base, source_each_marker each, void *data)
{
    otf2_source *src = (otf2_source *)base;
    struct markers m = {.each = each, .data = data, .status = TCF_OK};
    char path[OTF2_PATH_BYTES];

    snprintf(path, sizeof path, "%s.marker", src->folder);
    uint64_t size;
    if (file_size(path, &size) != TCF_OK)
        return TCF_ERROR;
    if (size == 0)
        return TCF_OK;
    otf2_errors_clear();
    if (read_markers(src, &m, size) == TCF_OK)
        return TCF_OK;
    error_while("reading the markers in '%s'", path);
    return skip_damaged(src, m.status);
}

/* ---------------------------------------------------------------------------------------------------- thumbnails -- */

tcf_status otf2_source_thumbnails(source *base, source_each_thumbnail each, void *data)
{
    const otf2_source *src = (const otf2_source *)base;
    char path[OTF2_PATH_BYTES];
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < src->n_thumbnails && status == TCF_OK; i++) {
        tcf_thumbnail thumbnail;
        void *memory;
        snprintf(path, sizeof path, "%s.%u.thumb", src->folder, i);
        const char *damage = thumbnail_file_read(path, &thumbnail, &memory);
        if (damage) {
            error_fail("the file is damaged: %s", damage);
            error_while("reading thumbnail %u in '%s'", i, path);
            status = skip_damaged(src, TCF_OK);
            uint64_t size;
            if (file_size(path, &size) != TCF_OK)
                status = TCF_ERROR;
            if (size == 0) { /* no file: the anchor's number of thumbnails is wrong, so the search ends */
                free(memory);
                break;
            }
        } else {
            status = each(data, &thumbnail);
        }
        free(memory);
    }
    return status;
}
