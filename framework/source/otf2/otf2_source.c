/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The source of OTF2 archives: what is common to its two readers of event files, otf2_direct.c and otf2_library.c.
 * Timestamps are those of the archive; mapping tables are applied. */
#include "framework/base/error.h"
#include "otf2_internal.h"

#include <stdlib.h>
#include <string.h>

/* The operations of source.h get the source's base, which is its first member. */

/* ---------------------------------------------------------------------------------------------- around locations -- */

static void close_location(otf2_source *src, uint32_t location)
{
    if (src->locations[location].state != LOCATION_UNOPENED)
        src->events->close_location(src, location);
    src->locations[location].state = LOCATION_CLOSED;
}

static void close_one(source *base, uint32_t location)
{
    close_location((otf2_source *)base, location);
}

static tcf_status keep_wanted(source *base, const source_wanted *wanted)
{
    otf2_source *src = (otf2_source *)base;

    if (wanted)
        src->wanted = *wanted;
    src->decoder.regions = wanted ? wanted->regions : NULL;
    src->decoder.n_regions = wanted ? wanted->n_regions : 0;
    return src->events->keep(src, wanted);
}

static tcf_status start_again(source *base)
{
    otf2_source *src = (otf2_source *)base;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < src->defs->v.n_locations; i++) {
        otf2_location *l = &src->locations[i];
        close_location(src, i);
        *l = (otf2_location){.file = l->file,
                             .maps = l->maps,
                             .state = l->file.missing && !l->file.damage ? LOCATION_ENDED : LOCATION_UNOPENED};
    }
    for (uint32_t i = 0; i < base->n_losses; i++)
        if (base->losses[i].last_good == SOURCE_LOST_DEFINITIONS)
            base->losses[kept++] = base->losses[i];
    base->n_losses = kept;
    src->bytes = 0;
    src->decoder.unknown = 0;
    src->is_cold = 0;
    if (src->ahead)
        otf2_ahead_again(src->ahead);
    return TCF_OK;
}

static void close_source(source *base)
{
    otf2_source *src = (otf2_source *)base;

    if (src->whole) {
        src->events->close(src);
        definitions_delete(src->defs);
        free(base->losses);
        free(src);
        return;
    }
    for (uint32_t i = 0; src->locations && src->events && i < src->defs->v.n_locations; i++)
        close_location(src, i);
    if (src->events)
        src->events->close(src);
    OTF2_Reader_Close(src->reader);
    pthread_mutex_destroy(&src->reader_lock);
    otf2_errors_end();
    definitions_delete(src->defs);
    free(base->losses);
    free(src->locations);
    free(src->folder);
    free(src);
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

/* How many bytes of its file have been read, by the records. */
static uint64_t bytes_read(const otf2_location *l)
{
    if (l->state == LOCATION_UNOPENED)
        return 0;
    if (l->state != LOCATION_ENDED && l->position < l->file.total)
        return (uint64_t)((double)l->file.size * ((double)l->position / (double)l->file.total));
    return l->file.size;
}

static tcf_status read_slice(source *base, uint32_t location, slice *s, uint32_t max, int *ended)
{
    otf2_source *src = (otf2_source *)base;
    otf2_location *l = &src->locations[location];
    uint32_t room = s->block->capacity - (uint32_t)(s->v.time - s->block->time) - s->v.n;
    const uint64_t before = bytes_read(l);

    *ended = 0;
    otf2_errors_clear();
    src->decoder.out_of_memory = 0;
    decoder_begin(&src->decoder, s);
    tcf_status status = src->events->read(src, location, s, max < room ? max : room);
    if (status != TCF_OK)
        return error_while("reading location %llu of '%s'", (unsigned long long)src->defs->v.locations[location].id,
                           src->defs->v.archive);
    *ended = l->state == LOCATION_ENDED || l->state == LOCATION_CLOSED;
    src->bytes += bytes_read(l) - before;
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

/* ------------------------------------------------------------------------------------------------------- sharing -- */

static tcf_status take_lost_definitions(otf2_source *part, const otf2_source *src)
{
    for (uint32_t i = 0; i < src->base.n_losses; i++)
        if (src->base.losses[i].last_good == SOURCE_LOST_DEFINITIONS &&
            source_note_loss(&part->base, part->defs, src->base.losses[i]) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

/* The shares have the array of locations together; each of them reads other ones. */
static source *share(const source *base)
{
    const otf2_source *src = (const otf2_source *)base;
    otf2_source *part = calloc(1, sizeof *part);

    if (part == NULL) {
        error_fail("out of memory");
        return NULL;
    }
    *part = *src;
    part->whole = (otf2_source *)(uintptr_t)(src->whole ? src->whole : src);
    part->base.losses = NULL;
    part->base.n_losses = 0;
    part->reader = NULL;
    part->handles = (tcf_handles){0};
    part->buffer = (event_buffer){0};
    part->library = NULL;
    part->bytes = 0;
    part->defs = definitions_share(src->defs);
    part->decoder.defs = part->defs;
    part->decoder.unknown = 0;
    if (part->defs)
        part->base.definitions = &part->defs->v;
    if (part->defs && take_lost_definitions(part, src) == TCF_OK && part->events->open(part) == TCF_OK)
        return &part->base;
    close_source(&part->base);
    return NULL;
}

static void add_unknown(source *base, uint64_t n)
{
    ((otf2_source *)base)->decoder.unknown += n;
}

static uint64_t get_bytes(const source *base, uint32_t location)
{
    return ((const otf2_source *)base)->locations[location].file.size;
}

static void share_files(source *base, uint32_t shares)
{
    ((otf2_source *)base)->file_shares = shares;
}

static int get_ends(const source *base, uint32_t location, source_ends *ends)
{
    const otf2_source *src = (const otf2_source *)base;
    char path[OTF2_PATH_BYTES];

    otf2_event_path(src, location, path);
    ends->events = src->locations[location].file.total;
    return event_file_ends(path, &src->locations[location].file, &ends->first, &ends->last);
}

static int end_at_operations(source *base, int on)
{
    return otf2_direct_end_at_operations((otf2_source *)base, on);
}

static slice_size next_size(const source *base, uint32_t location)
{
    const otf2_source *src = (const otf2_source *)base;

    return src->decoder.least > 0 ? otf2_direct_next_size(&src->locations[location]) : SLICE_MANY;
}

#define OPERATIONS                                                                                                     \
    .close = close_source, .read = read_slice, .close_location = close_one, .rewind = start_again,                     \
    .keep = keep_wanted, .ends = get_ends, .progress = get_progress, .unknown_events = get_unknown_events,             \
    .snapshots = otf2_source_snapshots, .markers = otf2_source_markers, .thumbnails = otf2_source_thumbnails

/* libotf2 has no lock. */
static const source_ops operations = {OPERATIONS}, direct_operations = {OPERATIONS,
                                                                        .share = share,
                                                                        .add_unknown = add_unknown,
                                                                        .bytes = get_bytes,
                                                                        .share_files = share_files,
                                                                        .end_at_operations = end_at_operations,
                                                                        .next_size = next_size};

source *otf2_source_open(const char *anchor, const source_options *options)
{
    otf2_source *src = calloc(1, sizeof *src);

    if (src == NULL) {
        error_fail("out of memory");
        return NULL;
    }
    src->base.ops = &operations;
    src->options = *options;
    pthread_mutex_init(&src->reader_lock, NULL);
    otf2_errors_begin();
    if (otf2_open(src, anchor) == TCF_OK) {
        if (src->events == &otf2_direct_reader)
            src->base.ops = &direct_operations;
        otf2_errors_clear();
        return &src->base;
    }
    error_while("opening the OTF2 archive '%s'", anchor);
    close_source(&src->base);
    return NULL;
}
