/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The source of OTF2 archives, which reads its locations slice by slice.
 *
 * libotf2's local reader of a location is opened at its first event and closed behind its last. libotf2 is asked only
 * for as many records as the headers of an event file state, chunk by chunk, and its answer is checked against these
 * headers (the number of records, the time of the first one). So a damaged file ends in a message, not in a loop or in
 * invented events. With `salvage` each chunk is also checked record by record before libotf2 reads it, and the location
 * ends behind its last good event.
 *
 * Timestamps are those of the archive; libotf2 applies mapping tables. */
#include "framework/base/error.h"
#include "otf2_internal.h"

#include <errno.h>
#include <stdlib.h>

/* The operations of source.h get the source's base, which is its first member. */

/* ---------------------------------------------------------------------------------------------- around locations -- */

static void close_location(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    if (l->reader)
        OTF2_Reader_CloseEvtReader(src->reader, l->reader);
    l->reader = NULL;
    l->state = LOCATION_CLOSED;
}

static void close_one(source *base, uint32_t location)
{
    close_location((otf2_source *)base, location);
}

/* Readers that are open already keep their callbacks. */
static tcf_status keep_wanted(source *base, const source_wanted *wanted)
{
    otf2_source *src = (otf2_source *)base;

    if (src->wanted_callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->wanted_callbacks);
    src->decoder.regions = wanted ? wanted->regions : NULL;
    src->decoder.n_regions = wanted ? wanted->n_regions : 0;
    src->wanted_callbacks = wanted ? otf2_event_callbacks(wanted) : NULL;
    return wanted && !src->wanted_callbacks ? error_fail("out of memory") : TCF_OK;
}

static tcf_status start_again(source *base)
{
    otf2_source *src = (otf2_source *)base;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        otf2_location *l = &src->locations[i];
        close_location(src, i);
        *l = (otf2_location){.file = l->file,
                             .state = l->file.missing && !l->file.damage ? LOCATION_ENDED : LOCATION_UNOPENED};
    }
    for (uint32_t i = 0; i < base->n_losses; i++)
        if (base->losses[i].last_good == SOURCE_LOST_DEFINITIONS)
            base->losses[kept++] = base->losses[i];
    base->n_losses = kept;
    src->bytes = 0;
    src->decoder.unknown = 0;
    return TCF_OK;
}

static void close_source(source *base)
{
    otf2_source *src = (otf2_source *)base;

    for (uint32_t i = 0; src->locations && i < src->defs->v.n_locations; i++)
        close_location(src, i);
    if (src->event_files_open)
        OTF2_Reader_CloseEvtFiles(src->reader);
    if (src->callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->callbacks);
    if (src->wanted_callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->wanted_callbacks);
    OTF2_Reader_Close(src->reader);
    otf2_errors_end();
    definitions_delete(src->defs);
    free(base->losses);
    free(src->locations);
    free(src->scratch);
    free(src->folder);
    free(src);
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

/* Checks the next chunk of the file before libotf2 reads it. */
static tcf_status next_chunk(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];
    event_chunk chunk;
    char path[OTF2_PATH_BYTES];

    otf2_event_path(src, location, path);
    l->chunk++;
    const char *damage = event_file_chunk(path, &l->file, l->chunk, l->position + 1, &chunk);
    if (!damage && chunk.has_time && chunk.time < l->last_time)
        damage = "a timestamp that goes back";
    if (!damage && !src->options.salvage && l->chunk < l->file.chunks && chunk.last >= l->file.total)
        damage = "a chunk whose record numbers reach into the last chunk";
    if (damage)
        return otf2_damaged(src, location, damage);
    l->limit = chunk.last;
    l->has_first_time = chunk.has_time;
    l->first_time = chunk.time;
    l->last = l->chunk == l->file.chunks;
    if (src->options.salvage) {
        uint64_t good = event_file_scan(path, &l->file, l->chunk, src->scratch, &l->damage);
        if (l->damage) {
            l->limit = l->position + good;
            l->last = 1;
        }
    }
    return TCF_OK;
}

static tcf_status open_reader(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    otf2_errors_clear();
    l->reader = OTF2_Reader_GetEvtReader(src->reader, src->defs->v.locations[location].id);
    if (l->reader == NULL) {
        int missing_handles = errno == EMFILE;
        otf2_fail(OTF2_ERROR_FILE_CAN_NOT_OPEN);
        if (missing_handles)
            error_while("opening one of %u locations; each of them takes a file handle when read and one when written",
                        src->defs->v.n_locations);
        return TCF_ERROR;
    }
    OTF2_EvtReader_ApplyClockOffsets(l->reader, false);
    if (!src->mapped) /* libotf2 would look for a table at every reference */
        OTF2_EvtReader_ApplyMappingTables(l->reader, false);
    OTF2_Reader_RegisterEvtCallbacks(src->reader, l->reader,
                                     src->wanted_callbacks ? src->wanted_callbacks : src->callbacks, &src->decoder);
    return TCF_OK;
}

static tcf_status open_location(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    l->state = LOCATION_OPEN;
    if (l->file.damage && (!src->options.salvage || l->file.chunks == 0))
        return otf2_damaged(src, location, l->file.damage);
    if (!l->file.damage && l->file.total == 0 && l->file.chunks == 1) {
        l->state = LOCATION_ENDED;
        return TCF_OK;
    }
    if (next_chunk(src, location) != TCF_OK)
        return TCF_ERROR;
    return l->state == LOCATION_OPEN ? open_reader(src, location) : TCF_OK;
}

/* Records that libotf2 has read, unwanted ones included. */
static uint64_t position_of(const otf2_location *l)
{
    uint64_t position = 0;
    OTF2_EvtReader_GetPos(l->reader, &position);
    return position;
}

/* Checks that nothing follows the last record; a throw-away decoder takes what libotf2 delivers all the same. */
static tcf_status finish(otf2_source *src, uint32_t location, slice *s)
{
    otf2_location *l = &src->locations[location];
    uint64_t time, n;
    uint8_t kind;
    uint32_t attr;
    tcf_rec rec;

    if (l->damage)
        return otf2_damaged(src, location, l->damage);
    src->decoder = (decoder){.time = &time,
                             .kind = &kind,
                             .attr = &attr,
                             .rec = &rec,
                             .defs = src->defs,
                             .s = s,
                             .length_first = src->decoder.length_first,
                             .unknown = src->decoder.unknown,
                             .regions = src->decoder.regions,
                             .n_regions = src->decoder.n_regions};
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(src->reader, l->reader, 1, &n);
    if (src->decoder.n > 0 || position_of(l) > l->position || code != OTF2_SUCCESS)
        return otf2_damaged(src, location, "records behind the last one that the file's headers state");
    l->state = LOCATION_ENDED;
    return TCF_OK;
}

static int in_order(const uint64_t *time, uint32_t n, uint64_t before)
{
    int good = time[0] >= before;

    for (uint32_t i = 1; i < n; i++)
        good &= time[i] >= time[i - 1];
    return good;
}

/* Reads up to `ask` records of the current chunk. *more: the slice can take further records. */
static tcf_status read_batch(otf2_source *src, uint32_t location, slice *s, uint32_t ask, int *more)
{
    otf2_location *l = &src->locations[location];
    decoder *d = &src->decoder;
    uint32_t before = d->n;
    uint64_t ignored;

    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(src->reader, l->reader, ask, &ignored);
    uint32_t events = d->n - before;
    uint64_t records = position_of(l) - l->position;
    if (d->out_of_memory)
        return error_fail("out of memory for the attributes of a slice");
    if (src->defs->overflow)
        return definitions_fail_overflow(src->defs);
    int first_is_wrong = l->has_first_time && events > 0 && records == events && d->time[before] != l->first_time;
    l->has_first_time = 0;
    if (first_is_wrong || (events > 0 && !in_order(d->time + before, events, l->last_time))) {
        d->n = before; /* not from this chunk's records */
        return otf2_damaged(src, location, "records that are not where the headers say");
    }
    if (events > 0)
        l->last_time = d->time[d->n - 1];
    s->v.n = d->n;
    l->position += records;
    l->events += events;
    *more = 0;
    if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
        return TCF_OK;
    if (code != OTF2_SUCCESS) {
        char reason[256];
        otf2_fail(code);
        snprintf(reason, sizeof reason, "%s", error_text());
        return otf2_damaged(src, location, reason);
    }
    if (records < ask)
        return otf2_damaged(src, location, "fewer records than its headers state");
    *more = 1;
    return TCF_OK;
}

static void count_bytes(otf2_source *src, otf2_location *l)
{
    uint64_t bytes = l->file.size;

    if (l->state != LOCATION_ENDED && l->file.total > 0 && l->position < l->file.total)
        bytes = (uint64_t)((double)l->file.size * ((double)l->position / (double)l->file.total));
    if (bytes > l->bytes) {
        src->bytes += bytes - l->bytes;
        l->bytes = bytes;
    }
}

static tcf_status read_location(otf2_source *src, uint32_t location, slice *s, uint32_t room)
{
    otf2_location *l = &src->locations[location];
    uint32_t least = src->wanted_callbacks
                         ? room / 8
                         : 0; /* where few of many records are wanted, batches would become ever smaller */
    tcf_status status = TCF_OK;
    int more = 1;

    if (l->state == LOCATION_UNOPENED)
        status = open_location(src, location);
    while (status == TCF_OK && more && l->state == LOCATION_OPEN) {
        if (l->position == l->limit) {
            if (l->last)
                return finish(src, location, s);
            if (room == 0)
                break;
            status = next_chunk(src, location);
        } else if (room <= least) {
            break;
        } else {
            uint64_t ask = l->limit - l->position < room ? l->limit - l->position : room;
            uint32_t before = s->v.n;
            status = read_batch(src, location, s, (uint32_t)ask, &more);
            room -= s->v.n - before;
        }
    }
    return status;
}

static tcf_status read_slice(source *base, uint32_t location, slice *s, uint32_t max, int *ended)
{
    otf2_source *src = (otf2_source *)base;
    otf2_location *l = &src->locations[location];
    uint32_t room = s->block->capacity - (uint32_t)(s->v.time - s->block->time) - s->v.n;

    *ended = 0;
    otf2_errors_clear();
    src->decoder.out_of_memory = 0;
    decoder_begin(&src->decoder, s);
    tcf_status status = read_location(src, location, s, max < room ? max : room);
    if (status != TCF_OK)
        return error_while("reading location %llu of '%s'", (unsigned long long)src->defs->v.locations[location].id,
                           src->defs->v.archive);
    *ended = l->state == LOCATION_ENDED || l->state == LOCATION_CLOSED;
    count_bytes(src, l);
    if (*ended)
        close_location(src, location);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------- what is known of it -- */

static void get_progress(const source *base, uint64_t *bytes, uint64_t *total)
{
    const otf2_source *src = (const otf2_source *)base;
    *bytes = src->bytes;
    *total = src->total_bytes;
}

static uint64_t get_unknown_events(const source *base)
{
    return ((const otf2_source *)base)->decoder.unknown;
}

static const source_ops operations = {.close = close_source,
                                      .read = read_slice,
                                      .close_location = close_one,
                                      .rewind = start_again,
                                      .keep = keep_wanted,
                                      .progress = get_progress,
                                      .unknown_events = get_unknown_events,
                                      .snapshots = otf2_source_snapshots,
                                      .markers = otf2_source_markers,
                                      .thumbnails = otf2_source_thumbnails};

source *otf2_source_open(const char *anchor, const source_options *options)
{
    otf2_source *src = calloc(1, sizeof *src);

    if (src == NULL) {
        error_fail("out of memory");
        return NULL;
    }
    src->base.ops = &operations;
    src->options = *options;
    otf2_errors_begin();
    if (otf2_open(src, anchor) == TCF_OK) {
        otf2_errors_clear();
        return &src->base;
    }
    error_while("opening the OTF2 archive '%s'", anchor);
    close_source(&src->base);
    return NULL;
}
