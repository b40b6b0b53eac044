/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The reader that uses libotf2, for archives which the direct reader doesn't know, and to compare the two.
 *
 * libotf2's local reader of a location is opened at its first event and closed behind its last. libotf2 is asked only
 * for as many records as the headers of an event file state, chunk by chunk, and its answer is checked against these
 * headers (the number of records, the time of the first one). So a damaged file ends in a message, not in a loop or in
 * invented events. With `salvage` each chunk is also checked record by record before libotf2 reads it, and the location
 * ends behind its last good event; without it a chunk is when libotf2 has met a record of an unknown kind, for it takes
 * damage as such, too. libotf2 applies mapping tables. */
#include "framework/base/error.h"
#include "framework/base/large_pages.h"
#include "otf2_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { OTHER_FILES = 64, READER_BYTES = 64 << 10, MANY_BYTES = 16 << 20, MOST_DUPLICATES = 4096 };

/* ------------------------------------------------------------------------------------------------------- opening -- */

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
            "%u locations need %llu open files, but the limit is %llu (ulimit -Hn); 'reader = direct' needs fewer",
            locations, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
    return TCF_OK;
}

/* Lets libotf2 read the mapping tables of a location. It reports a second clock offset of one time, or a second mapping
 * table of a kind, as an error behind the record; reading goes on. */
static tcf_status load_mapping_tables(otf2_source *src, OTF2_DefReader *file)
{
    OTF2_ErrorCode code = OTF2_ERROR_INTEGRITY_FAULT;
    uint64_t n;

    for (int errors = 0; code != OTF2_SUCCESS; errors++) {
        otf2_errors_clear();
        code = OTF2_Reader_ReadLocalDefinitions(src->reader, file, UINT32_MAX, &n);
        if (code != OTF2_SUCCESS &&
            ((code != OTF2_ERROR_INTEGRITY_FAULT && code != OTF2_ERROR_DUPLICATE_MAPPING_TABLE) ||
             errors == MOST_DUPLICATES))
            return otf2_fail(code);
    }
    return TCF_OK;
}

static tcf_status load_all_mapping_tables(otf2_source *src)
{
    tcf_status status = TCF_OK;

    OTF2_Reader_OpenDefFiles(src->reader);
    for (uint32_t i = 0; i < src->defs->v.n_locations && status == TCF_OK; i++) {
        if (!src->locations[i].maps)
            continue;
        src->mapped = 1;
        OTF2_DefReader *file = OTF2_Reader_GetDefReader(src->reader, src->defs->v.locations[i].id);
        status = file ? load_mapping_tables(src, file) : otf2_fail(OTF2_ERROR_FILE_CAN_NOT_OPEN);
        if (file)
            OTF2_Reader_CloseDefReader(src->reader, file);
        if (status != TCF_OK)
            error_while("reading the definitions of location %llu (%s)",
                        (unsigned long long)src->defs->v.locations[i].id, src->defs->v.locations[i].name);
    }
    OTF2_Reader_CloseDefFiles(src->reader);
    return status;
}

/* libotf2 keeps a chunk for each location, and a buffer of up to another chunk for its file. */
static void expect_chunks(const otf2_source *src)
{
    const uint64_t chunks = src->defs->v.n_locations * src->chunk_bytes;
    const uint64_t bytes = chunks + (src->total_bytes < chunks ? src->total_bytes : chunks) +
                           (uint64_t)src->defs->v.n_locations * READER_BYTES;

    if (bytes >= MANY_BYTES)
        large_pages_expect(bytes);
}

/* Selecting a location costs libotf2 a look at all that are selected, so those of which nothing is read are left out.
 */
static int is_read(const otf2_source *src, uint32_t location)
{
    const otf2_location *l = &src->locations[location];
    char path[OTF2_PATH_BYTES];

    if (l->state != LOCATION_ENDED || l->maps)
        return 1;
    snprintf(path, sizeof path, "%s/%llu.snap", src->folder, (unsigned long long)src->defs->v.locations[location].id);
    return access(path, F_OK) == 0;
}

static tcf_status open_reader(otf2_source *src)
{
    const tcf_definitions *v = &src->defs->v;

    src->callbacks = otf2_event_callbacks(NULL);
    src->scratch = src->options.salvage ? malloc(src->chunk_bytes) : NULL;
    src->library = calloc(v->n_locations + 1u, sizeof *src->library);
    if (src->library == NULL || src->callbacks == NULL || (src->options.salvage && src->scratch == NULL))
        return error_fail("out of memory for %u locations", v->n_locations);
    for (uint32_t i = 0; i < v->n_locations; i++)
        if (is_read(src, i) && OTF2_Reader_SelectLocation(src->reader, v->locations[i].id) != OTF2_SUCCESS)
            return otf2_fail(OTF2_ERROR_INVALID_ARGUMENT);
    if (load_all_mapping_tables(src) != TCF_OK || raise_file_limit(v->n_locations, src->options.sequential) != TCF_OK)
        return TCF_ERROR;
    src->decoder.length_first = otf2_lists_start_with_length();
    src->event_files_open = OTF2_Reader_OpenEvtFiles(src->reader) == OTF2_SUCCESS;
    if (!src->event_files_open)
        return otf2_fail(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    if (!src->options.sequential)
        expect_chunks(src);
    return TCF_OK;
}

static void close_reader(otf2_source *src)
{
    if (src->event_files_open)
        OTF2_Reader_CloseEvtFiles(src->reader);
    if (src->callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->callbacks);
    if (src->wanted_callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->wanted_callbacks);
    free(src->scratch);
    free(src->library);
}

static void close_location(otf2_source *src, uint32_t location)
{
    library_location *o = src->library ? &src->library[location] : NULL;

    if (o == NULL)
        return;
    if (o->reader)
        OTF2_Reader_CloseEvtReader(src->reader, o->reader);
    *o = (library_location){.reader = NULL};
}

/* Readers that are open already keep their callbacks. */
static tcf_status keep_wanted(otf2_source *src, const source_wanted *wanted)
{
    if (src->wanted_callbacks)
        OTF2_EvtReaderCallbacks_Delete(src->wanted_callbacks);
    src->wanted_callbacks = wanted ? otf2_event_callbacks(wanted) : NULL;
    return wanted && !src->wanted_callbacks ? error_fail("out of memory") : TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

/* Checks the next chunk of the file before libotf2 reads it. */
static tcf_status next_chunk(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];
    library_location *o = &src->library[location];
    event_chunk chunk;
    char path[OTF2_PATH_BYTES];

    otf2_event_path(src, location, path);
    l->offset = l->chunk * l->file.chunk_bytes;
    l->chunk++;
    const char *damage = event_file_chunk(path, &l->file, l->chunk, l->position + 1, &chunk);
    if (!damage && chunk.has_time && chunk.time < l->last_time)
        damage = "a timestamp that goes back";
    tcf_status status = otf2_begin_chunk(src, location, &chunk, damage);
    if (status != TCF_OK || l->state != LOCATION_OPEN)
        return status;
    o->has_first_time = chunk.has_time != 0;
    o->first_time = chunk.time;
    o->scanned = src->options.salvage != 0;
    if (src->options.salvage) {
        event_damage damaged;
        uint64_t good = event_file_scan(path, &l->file, l->chunk, src->scratch, &damaged);
        o->damage = damaged.reason;
        if (o->damage) {
            l->limit = l->position + good;
            l->last = 1;
        }
    }
    return TCF_OK;
}

static tcf_status open_event_file(otf2_source *src, uint32_t location)
{
    library_location *o = &src->library[location];

    otf2_errors_clear();
    o->reader = OTF2_Reader_GetEvtReader(src->reader, src->defs->v.locations[location].id);
    if (o->reader == NULL) {
        int missing_handles = errno == EMFILE;
        otf2_fail(OTF2_ERROR_FILE_CAN_NOT_OPEN);
        if (missing_handles)
            error_while("opening one of %u locations, each of which takes a file handle; 'reader = direct' needs fewer",
                        src->defs->v.n_locations);
        return TCF_ERROR;
    }
    OTF2_EvtReader_ApplyClockOffsets(o->reader, false);
    if (!src->mapped) /* libotf2 would look for a table at every reference */
        OTF2_EvtReader_ApplyMappingTables(o->reader, false);
    OTF2_Reader_RegisterEvtCallbacks(src->reader, o->reader,
                                     src->wanted_callbacks ? src->wanted_callbacks : src->callbacks, &src->decoder);
    return TCF_OK;
}

static tcf_status open_location(otf2_source *src, uint32_t location)
{
    const otf2_location *l = &src->locations[location];
    tcf_status status = otf2_begin_location(src, location);

    if (status == TCF_OK && l->state == LOCATION_OPEN)
        status = next_chunk(src, location);
    return status == TCF_OK && l->state == LOCATION_OPEN ? open_event_file(src, location) : status;
}

/* Records that libotf2 has read, unwanted ones included. */
static uint64_t position_of(const library_location *o)
{
    uint64_t position = 0;
    OTF2_EvtReader_GetPos(o->reader, &position);
    return position;
}

/* Checks that nothing follows the last record; a throw-away decoder takes what libotf2 delivers all the same. */
static tcf_status finish(otf2_source *src, uint32_t location, slice *s)
{
    otf2_location *l = &src->locations[location];
    const library_location *o = &src->library[location];
    uint64_t time, n;
    uint8_t kind;
    uint32_t attr;
    tcf_rec rec;

    if (o->damage)
        return otf2_damaged(src, location, o->damage);
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
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(src->reader, o->reader, 1, &n);
    if (src->decoder.n > 0 || position_of(o) > l->position || code != OTF2_SUCCESS)
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

/* Is what libotf2 takes for records of unknown kinds damage? The chunk is looked at once. */
static tcf_status check_unknown(otf2_source *src, uint32_t location)
{
    const otf2_location *l = &src->locations[location];
    library_location *o = &src->library[location];
    char path[OTF2_PATH_BYTES];
    event_damage damage;

    if (o->scanned)
        return TCF_OK;
    uint8_t *buffer = malloc(src->chunk_bytes);
    if (buffer == NULL)
        return error_fail("out of memory for a chunk of %llu bytes", (unsigned long long)src->chunk_bytes);
    otf2_event_path(src, location, path);
    event_file_scan(path, &l->file, l->chunk, buffer, &damage);
    free(buffer);
    o->scanned = 1;
    return damage.reason ? otf2_damaged(src, location, damage.reason) : TCF_OK;
}

/* Reads up to `ask` records of the current chunk. *more: the slice can take further records. */
static tcf_status read_batch(otf2_source *src, uint32_t location, slice *s, uint32_t ask, int *more)
{
    otf2_location *l = &src->locations[location];
    library_location *o = &src->library[location];
    decoder *d = &src->decoder;
    uint32_t before = d->n;
    uint64_t ignored, unknown = d->unknown;

    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(src->reader, o->reader, ask, &ignored);
    uint32_t events = d->n - before;
    uint64_t records = position_of(o) - l->position;
    if (d->out_of_memory)
        return error_fail("out of memory for the attributes of a slice");
    if (src->defs->overflow)
        return definitions_fail_overflow(src->defs);
    int first_is_wrong = o->has_first_time && events > 0 && records == events && d->time[before] != o->first_time;
    o->has_first_time = 0;
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
    if (d->unknown > unknown && check_unknown(src, location) != TCF_OK)
        return TCF_ERROR;
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

const event_reader otf2_library_reader = {.name = "libotf2",
                                          .open = open_reader,
                                          .close = close_reader,
                                          .close_location = close_location,
                                          .keep = keep_wanted,
                                          .read = read_location};
