/* The source of OTF2 archives: opening one, reading its locations slice by slice, and surviving damage.
 *
 * Every location has a local reader of libotf2 while it is read: opened at its first event, closed behind its last.
 * libotf2 is never asked for more records than the headers of an event file promise, chunk by chunk, and what it
 * delivers is held against those headers (the number of records, the time of the first one). So a damaged file ends in
 * a message and not in a loop or in invented events. With `salvage` each chunk is also gone through record by record
 * before libotf2 sees it, and the location ends behind its last good event.
 *
 * Timestamps are those in the archive; mapping tables are applied by libotf2.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#include "error.h"
#include "large_pages.h"
#include "otf2_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, OTHER_FILES = 64, READER_BYTES = 64 << 10 };

static void event_path(const otf2_source *src, uint32_t location, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%llu.evt", src->folder, (unsigned long long)src->defs->v.locations[location].id);
}

/* ------------------------------------------------------------------------------------------------------ opening -- */

/* What libotf2 would say about these is hard to understand. */
static tcf_status check_anchor(const char *anchor)
{
    struct stat st;
    size_t n = strlen(anchor);

    if (stat(anchor, &st) != 0 && errno == ENOENT)
        return otf2_missing_anchor(anchor);
    if (stat(anchor, &st) != 0)
        return tcf_fail("%s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return tcf_fail("this is a folder; the anchor file in it (such as traces.otf2) is wanted");
    if (n < 5 || (strcmp(anchor + n - 5, ".otf2") != 0 && strcmp(anchor + n - 5, ".OTF2") != 0))
        return tcf_fail("the name of an OTF2 anchor file ends in .otf2; a stream of stream_write is read as stream:%s", anchor);
    if (st.st_size == 0)
        return tcf_fail("the anchor file is empty");
    const char *damage = anchor_file_check(anchor);
    return damage ? tcf_fail("the anchor file is damaged: %s", damage) : TCF_OK;
}

/* Each location needs a file handle while it is read. */
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
        return tcf_fail("%u locations need %llu open files, and as many again where they are written, but the limit is "
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
        return tcf_fail("the archive is kept in a SION container or in memory; only plain files can be read");
    if (compression != OTF2_COMPRESSION_NONE)
        return tcf_fail("the archive is compressed; this libotf2 cannot read it");
    if (OTF2_Reader_GetChunkSize(src->reader, &src->chunk_bytes, &definition_chunk) != OTF2_SUCCESS ||
        src->chunk_bytes < OTF2_CHUNK_SIZE_MIN || src->chunk_bytes > OTF2_CHUNK_SIZE_MAX ||
        definition_chunk < OTF2_CHUNK_SIZE_MIN || definition_chunk > OTF2_CHUNK_SIZE_MAX)
        return tcf_fail("the anchor file is damaged: impossible chunk sizes");
    OTF2_Reader_GetNumberOfSnapshots(src->reader, &src->n_snapshots);
    OTF2_Reader_GetNumberOfThumbnails(src->reader, &src->n_thumbnails);
    src->folder = strdup(anchor);
    src->defs = definitions_new();
    if (src->folder == NULL || src->defs == NULL)
        return tcf_fail("out of memory");
    *strrchr(src->folder, '.') = '\0';
    src->defs->v.archive = definitions_text(src->defs, anchor);
    return src->defs->v.archive ? TCF_OK : TCF_ERROR;
}

static void otf2_source_close_location(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    if (l->reader)
        OTF2_Reader_CloseEvtReader(src->reader, l->reader);
    l->reader = NULL;
    l->state = LOCATION_CLOSED;
}

/* Readers that are open already go on as they are. */
static void otf2_source_keep(otf2_source *src, const uint8_t kinds[256])
{
    if (src->thin_callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->thin_callbacks);
    src->thin_callbacks = kinds ? otf2_event_callbacks(kinds) : NULL; /* out of memory: everything is delivered */
}

static tcf_status otf2_source_rewind(otf2_source *src)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        otf2_location *l = &src->locations[i];
        otf2_source_close_location(src, i);
        *l = (otf2_location){.file = l->file,
                             .state = l->file.missing && !l->file.damage ? LOCATION_ENDED : LOCATION_UNOPENED};
    }
    for (uint32_t i = 0; i < src->n_losses; i++)
        if (src->losses[i].last_good == SOURCE_LOST_DEFINITIONS)
            src->losses[kept++] = src->losses[i];
    src->n_losses = kept;
    src->bytes = 0;
    src->decoder.unknown = 0;
    return TCF_OK;
}

static void otf2_source_close(otf2_source *src)
{
    if (src == NULL)
        return;
    for (uint32_t i = 0; src->locations && i < src->defs->v.n_locations; i++)
        otf2_source_close_location(src, i);
    if (src->event_files_open)
        OTF2_Reader_CloseEvtFiles(src->reader);
    if (src->callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->callbacks);
    if (src->thin_callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->thin_callbacks);
    OTF2_Reader_Close(src->reader);
    otf2_errors_end();
    definitions_delete(src->defs);
    free(src->losses);
    free(src->locations);
    free(src->scratch);
    free(src->folder);
    free(src);
}

static const tcf_definitions *otf2_source_definitions(const otf2_source *src)
{
    return &src->defs->v;
}

/* ------------------------------------------------------------------------------------------------------- damage -- */

static tcf_status note_loss(otf2_source *src, uint32_t location, uint64_t good, const char *path, const char *reason)
{
    source_loss *more = realloc(src->losses, (src->n_losses + 1) * sizeof *more);

    if (more == NULL)
        return tcf_fail("out of memory");
    src->losses = more;
    more[src->n_losses] = (source_loss){.location = location,
                                        .last_good = good,
                                        .file = definitions_text(src->defs, path),
                                        .reason = definitions_text(src->defs, reason)};
    if (more[src->n_losses].file == NULL || more[src->n_losses].reason == NULL)
        return TCF_ERROR;
    src->n_losses++;
    return TCF_OK;
}

static tcf_status lost_definitions(void *data, uint32_t location, const char *path, const char *reason)
{
    return note_loss(data, location, SOURCE_LOST_DEFINITIONS, path, reason);
}

/* The number of the last good record, for the message: libotf2 may have gone on behind the damage. */
static uint64_t last_good(otf2_source *src, uint32_t location, const char *path, const char **reason)
{
    const otf2_location *l = &src->locations[location];
    uint64_t number = l->chunk == 0 ? l->file.chunks : l->chunk > 1 ? l->chunk - 1 : 1, first = 0;
    uint8_t *buffer = malloc(src->chunk_bytes);

    for (; buffer && number > 0; number--) {
        first = event_file_first(path, src->chunk_bytes, number);
        if (number == 1 ? first == 1 : first > 1 && first <= number * src->chunk_bytes)
            break;
        first = 0; /* no header, or one that cannot be true */
    }
    for (; buffer && number > 0 && number <= l->file.chunks; number++) {
        const char *damage;
        if (event_file_first(path, src->chunk_bytes, number) != first)
            break;
        uint64_t good = event_file_scan(path, src->chunk_bytes, &l->file, number, buffer, &damage);
        first += good;
        if (damage) {
            *reason = damage;
            break;
        }
    }
    free(buffer);
    return first > 0 ? first - 1 : 0;
}

/* The location ends here. With salvage that is a loss, else the run fails. */
static tcf_status damaged(otf2_source *src, uint32_t location, const char *reason)
{
    otf2_location *l = &src->locations[location];
    const tcf_location *def = &src->defs->v.locations[location];
    char path[PATH_BYTES];

    event_path(src, location, path);
    if (src->options.salvage) {
        l->limit = l->position;
        l->last = 1;
        l->state = LOCATION_ENDED;
        return note_loss(src, location, l->position, path, reason);
    }
    uint64_t good = l->file.missing ? 0 : last_good(src, location, path, &reason);
    otf2_errors_clear();
    if (l->file.missing)
        return tcf_fail("location %llu (%s) has no event file '%s'; `salvage = yes` goes on without it",
                        (unsigned long long)def->id, def->name, path);
    return tcf_fail(
        "location %llu (%s): the event file '%s' is damaged behind event %llu: %s; `salvage = yes` keeps what "
        "comes before",
        (unsigned long long)def->id, def->name, path, (unsigned long long)good, reason);
}

/* ---------------------------------------------------------------------------------------------- opening, part 2 -- */

/* Looks at the end of every event file, so that what can be known of damage is known before anything is written. */
static tcf_status check_event_files(otf2_source *src)
{
    char path[PATH_BYTES];
    unsigned behind = 0;

    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        otf2_location *l = &src->locations[i];
        tcf_location *location = (tcf_location *)&src->defs->v.locations[i]; /* the source's own */
        event_path(src, i, path);
        event_file_check(path, src->chunk_bytes, &l->file);
        location->silent = l->file.missing || l->file.size == 0 || (!l->file.damage && l->file.total == 0);
        if (l->file.missing && location->events == 0) {
            l->file.damage = NULL; /* nothing is missing */
            l->state = LOCATION_ENDED;
        }
        src->total_bytes += l->file.size;
        if (l->file.damage && !src->options.salvage)
            return damaged(src, i, l->file.damage);
        behind += l->file.behind > 0;
    }
    if (behind > 0)
        tcf_log(TCF_LOG_WARNING, "%s: a few bytes behind the end marks of %u event files are left out: no events",
                src->defs->v.archive, behind);
    return definitions_find_leaders(src->defs);
}

/* Of each location libotf2 keeps a chunk, and another one into which it reads as much as there is. */
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
        return tcf_fail("out of memory for %u locations", v->n_locations);
    for (uint32_t i = 0; i < v->n_locations; i++)
        if (OTF2_Reader_SelectLocation(src->reader, v->locations[i].id) != OTF2_SUCCESS)
            return otf2_fail(OTF2_ERROR_INVALID_ARGUMENT);
    if (src->options.by_process && definitions_share_processes(v))
        src->options.sequential = 0;
    if (otf2_read_local_definitions(src->reader, src->defs, src->folder,
                                    src->options.salvage ? lost_definitions : NULL, src, &src->mapped) != TCF_OK ||
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

/* ------------------------------------------------------------------------------------------------------ reading -- */

/* Looks at the next chunk of the file before libotf2 gets there. */
static tcf_status next_chunk(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];
    event_chunk chunk;
    char path[PATH_BYTES];

    event_path(src, location, path);
    l->chunk++;
    const char *damage = event_file_chunk(path, src->chunk_bytes, &l->file, l->chunk, l->position + 1, &chunk);
    if (!damage && chunk.has_time && chunk.time < l->last_time)
        damage = "a timestamp that goes back";
    if (!damage && !src->options.salvage && l->chunk < l->file.chunks && chunk.last >= l->file.total)
        damage = "a chunk whose records don't lead up to those of the last one";
    if (damage)
        return damaged(src, location, damage);
    l->limit = chunk.last;
    l->has_first_time = chunk.has_time;
    l->first_time = chunk.time;
    l->last = l->chunk == l->file.chunks;
    if (src->options.salvage) {
        uint64_t good = event_file_scan(path, src->chunk_bytes, &l->file, l->chunk, src->scratch, &l->damage);
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
            tcf_while("opening one of %u locations; each of them takes a file handle when read and one when written",
                      src->defs->v.n_locations);
        return TCF_ERROR;
    }
    OTF2_EvtReader_ApplyClockOffsets(l->reader, false);
    if (!src->mapped) /* libotf2 would look for them at every reference */
        OTF2_EvtReader_ApplyMappingTables(l->reader, false);
    OTF2_Reader_RegisterEvtCallbacks(src->reader, l->reader, src->thin_callbacks ? src->thin_callbacks : src->callbacks,
                                     &src->decoder);
    return TCF_OK;
}

static tcf_status open_location(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    l->state = LOCATION_OPEN;
    if (l->file.damage && (!src->options.salvage || l->file.chunks == 0))
        return damaged(src, location, l->file.damage);
    if (!l->file.damage && l->file.total == 0 && l->file.chunks == 1) {
        l->state = LOCATION_ENDED;
        return TCF_OK;
    }
    if (next_chunk(src, location) != TCF_OK)
        return TCF_ERROR;
    return l->state == LOCATION_OPEN ? open_reader(src, location) : TCF_OK;
}

/* Records that libotf2 has read, those included that nobody wanted to see. */
static uint64_t position_of(const otf2_location *l)
{
    uint64_t position = 0;
    OTF2_EvtReader_GetPos(l->reader, &position);
    return position;
}

/* Is there really nothing behind the last record? What libotf2 delivers all the same goes nowhere. */
static tcf_status finish(otf2_source *src, uint32_t location, slice *s)
{
    otf2_location *l = &src->locations[location];
    uint64_t time, n;
    uint8_t kind;
    uint32_t attr;
    tcf_rec rec;

    if (l->damage)
        return damaged(src, location, l->damage);
    src->decoder = (decoder){.time = &time,
                             .kind = &kind,
                             .attr = &attr,
                             .rec = &rec,
                             .defs = src->defs,
                             .s = s,
                             .length_first = src->decoder.length_first,
                             .unknown = src->decoder.unknown};
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(src->reader, l->reader, 1, &n);
    if (src->decoder.n > 0 || position_of(l) > l->position || code != OTF2_SUCCESS)
        return damaged(src, location, "records behind the last one that the file's headers state");
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

/* Reads up to `ask` records of the current chunk. *more: none of them ended the slice. */
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
        return tcf_fail("out of memory for the attributes of a slice");
    if (src->defs->overflow)
        return definitions_fail_overflow(src->defs);
    int first_is_wrong = l->has_first_time && events > 0 && records == events && d->time[before] != l->first_time;
    l->has_first_time = 0;
    if (first_is_wrong || (events > 0 && !in_order(d->time + before, events, l->last_time))) {
        d->n = before; /* made of something else than this chunk's records */
        return damaged(src, location, "records that are not where the headers say");
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
        return damaged(src, location, reason);
    }
    if (records < ask)
        return damaged(src, location, "fewer records than its headers state");
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
    uint32_t least = src->thin_callbacks ? room / 8 : 0; /* few of many records are kept: not in ever smaller batches */
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

static tcf_status otf2_source_read(otf2_source *src, uint32_t location, slice *s, uint32_t max, int *ended)
{
    otf2_location *l = &src->locations[location];
    uint32_t room = s->block->capacity - (uint32_t)(s->v.time - s->block->time) - s->v.n;

    *ended = 0;
    otf2_errors_clear();
    src->decoder.out_of_memory = 0;
    decoder_begin(&src->decoder, s);
    tcf_status status = read_location(src, location, s, max < room ? max : room);
    if (status != TCF_OK)
        return tcf_while("reading location %llu of '%s'", (unsigned long long)src->defs->v.locations[location].id,
                         src->defs->v.archive);
    *ended = l->state == LOCATION_ENDED || l->state == LOCATION_CLOSED;
    count_bytes(src, l);
    if (*ended)
        otf2_source_close_location(src, location);
    return TCF_OK;
}

static void otf2_source_progress(const otf2_source *src, uint64_t *bytes, uint64_t *total)
{
    *bytes = src->bytes;
    *total = src->total_bytes;
}

static uint64_t otf2_source_unknown_events(const otf2_source *src)
{
    return src->decoder.unknown;
}

static const source_loss *otf2_source_losses(const otf2_source *src, uint32_t *n)
{
    *n = src->n_losses;
    return src->losses;
}

/* ------------------------------------------------------------------------------------------ as source.h wants it -- */

static void close_(source *s)
{
    otf2_source_close((otf2_source *)s); /* the base is its first member, here and below */
}

static const tcf_definitions *definitions_(const source *s)
{
    return otf2_source_definitions((const otf2_source *)s);
}

static tcf_status read_(source *s, uint32_t location, slice *to, uint32_t max, int *ended)
{
    return otf2_source_read((otf2_source *)s, location, to, max, ended);
}

static void close_location_(source *s, uint32_t location)
{
    otf2_source_close_location((otf2_source *)s, location);
}

static tcf_status rewind_(source *s)
{
    return otf2_source_rewind((otf2_source *)s);
}

static void keep_(source *s, const uint8_t kinds[256])
{
    otf2_source_keep((otf2_source *)s, kinds);
}

static void progress_(const source *s, uint64_t *bytes, uint64_t *total)
{
    otf2_source_progress((const otf2_source *)s, bytes, total);
}

static uint64_t unknown_events_(const source *s)
{
    return otf2_source_unknown_events((const otf2_source *)s);
}

static const source_loss *losses_(const source *s, uint32_t *n)
{
    return otf2_source_losses((const otf2_source *)s, n);
}

static tcf_status snapshots_(source *s, uint32_t location,
                             tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data)
{
    return otf2_source_snapshots((otf2_source *)s, location, each, data);
}

static tcf_status markers_(source *s, tcf_status (*each)(void *data, const tcf_marker *marker), void *data)
{
    return otf2_source_markers((otf2_source *)s, each, data);
}

static tcf_status thumbnails_(source *s, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data)
{
    return otf2_source_thumbnails((otf2_source *)s, each, data);
}

static const source_ops operations = {.close = close_,
                                      .definitions = definitions_,
                                      .read = read_,
                                      .close_location = close_location_,
                                      .rewind = rewind_,
                                      .keep = keep_,
                                      .progress = progress_,
                                      .unknown_events = unknown_events_,
                                      .losses = losses_,
                                      .snapshots = snapshots_,
                                      .markers = markers_,
                                      .thumbnails = thumbnails_};

source *otf2_source_open(const char *anchor, const source_options *options)
{
    otf2_source *src = calloc(1, sizeof *src);

    if (src == NULL) {
        tcf_fail("out of memory");
        return NULL;
    }
    src->base.ops = &operations;
    src->options = *options;
    otf2_errors_begin();
    if (open_archive(src, anchor) == TCF_OK &&
        otf2_read_global_definitions(src->reader, src->defs, options) == TCF_OK && open_locations(src) == TCF_OK) {
        otf2_errors_clear();
        return &src->base;
    }
    tcf_while("opening the OTF2 archive '%s'", anchor);
    otf2_source_close(src);
    return NULL;
}
