/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Handles damage to an event file: a message and the end of the run, or with `salvage` a location that ends at its last
 * good event. What all readers do before they read a location or a chunk stands here, too: they have the system read
 * the files of the locations that come next, so that it reads many at a time. */
#include "framework/base/error.h"
#include "otf2_internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOOK_AHEAD = 64 }; /* locations */

/* Calls `ahead` for the files of the LOOK_AHEAD locations from `first` on, but if that of the first one is in memory
 * already. */
static void look_ahead(const otf2_source *src, uint32_t first, const char *suffix,
                       int (*ahead)(const char *path, uint64_t bytes), uint64_t bytes)
{
    const tcf_definitions *v = &src->defs->v;
    char path[OTF2_PATH_BYTES];

    if (v->n_locations < LOOK_AHEAD)
        return; /* few files are soon waited for, and the system reads further ahead of a file that was left to it */
    for (uint32_t i = first; i < v->n_locations && i < first + LOOK_AHEAD; i++) {
        snprintf(path, sizeof path, "%s/%llu%s", src->folder, (unsigned long long)v->locations[i].id, suffix);
        if (ahead(path, bytes) && i == first)
            return;
    }
}

void otf2_definitions_ahead(const otf2_source *src, uint32_t location)
{
    if (location % LOOK_AHEAD == 0)
        look_ahead(src, location, ".def", otf2_file_ahead, OTF2_MOST_AHEAD);
}

void otf2_ends_ahead(const otf2_source *src, uint32_t location)
{
    if (location % LOOK_AHEAD == 0)
        look_ahead(src, location, ".evt", otf2_file_ends_ahead, src->chunk_bytes);
}

void otf2_begins_ahead(const otf2_source *src, uint32_t location)
{
    if (location == 0)
        look_ahead(src, 0, ".evt", otf2_file_ahead, OTF2_MOST_AHEAD);
    if (location % LOOK_AHEAD == 0)
        look_ahead(src, location + LOOK_AHEAD, ".evt", otf2_file_ahead, OTF2_MOST_AHEAD);
}

void otf2_event_path(const otf2_source *src, uint32_t location, char path[OTF2_PATH_BYTES])
{
    snprintf(path, OTF2_PATH_BYTES, "%s/%llu.evt", src->folder,
             (unsigned long long)src->defs->v.locations[location].id);
}

/* The number of the first record of a chunk; 0: it has no header, or an implausible one. */
static uint64_t first_of(const otf2_source *src, const char *path, const event_file *file, uint64_t chunk)
{
    const uint64_t first = event_file_first(path, file, chunk);
    return (chunk == 1 ? first == 1 : first > 1 && first <= chunk * src->chunk_bytes) ? first : 0;
}

/* The chunk `last` if its header is plausible, or else one in front of it whose header is, while the next one's isn't;
 * 0: there is none. Looks at few chunks: a file with a hole has any number of them. */
static uint64_t last_plausible(const otf2_source *src, const char *path, const event_file *file, uint64_t last)
{
    uint64_t plausible = 0, implausible = last;

    if (last > 0 && first_of(src, path, file, last) > 0)
        return last;
    while (implausible > plausible + 1) {
        const uint64_t middle = plausible + (implausible - plausible) / 2;
        if (first_of(src, path, file, middle) > 0)
            plausible = middle;
        else
            implausible = middle;
    }
    return plausible;
}

/* The number of the last good record, and where and what the damage is, for the message. The search starts at a chunk
 * with a plausible header: libotf2 may have read on behind the damage. */
static uint64_t last_good(otf2_source *src, uint32_t location, const char *path, event_damage *found)
{
    const otf2_location *l = &src->locations[location];
    uint64_t number = l->chunk == 0 ? l->file.chunks : l->chunk > 1 ? l->chunk - 1 : 1;
    uint8_t *buffer = malloc(src->chunk_bytes);

    number = buffer ? last_plausible(src, path, &l->file, number) : 0;
    uint64_t first = number > 0 ? event_file_first(path, &l->file, number) : 0;
    for (; number > 0 && number <= l->file.chunks; number++) {
        event_damage damage;
        if (event_file_first(path, &l->file, number) != first)
            break;
        uint64_t good = event_file_scan(path, &l->file, number, buffer, &damage);
        first += good;
        if (damage.reason) {
            *found = damage;
            break;
        }
    }
    free(buffer);
    return first > 0 ? first - 1 : 0;
}

tcf_status otf2_damaged(otf2_source *src, uint32_t location, const char *reason)
{
    otf2_location *l = &src->locations[location];
    const tcf_location *def = &src->defs->v.locations[location];
    char path[OTF2_PATH_BYTES];

    otf2_event_path(src, location, path);
    if (src->options.salvage) {
        l->limit = l->position;
        l->last = 1;
        l->state = LOCATION_ENDED;
        return source_note_loss(&src->base, src->defs, (source_loss){location, l->position, path, reason});
    }
    event_damage found = {reason, l->offset};
    uint64_t good = l->file.missing ? 0 : last_good(src, location, path, &found);
    otf2_errors_clear();
    if (l->file.missing)
        return error_fail("location %llu (%s) has no event file '%s'; 'salvage = yes' goes on without it",
                          (unsigned long long)def->id, def->name, path);
    return error_fail("location %llu (%s): the event file '%s' is damaged behind event %llu: %s (at byte %llu); "
                      "'salvage = yes' keeps the events before",
                      (unsigned long long)def->id, def->name, path, (unsigned long long)good, found.reason,
                      (unsigned long long)found.offset);
}

tcf_status otf2_begin_location(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    l->state = LOCATION_OPEN;
    if (l->file.damage && (!src->options.salvage || l->file.chunks == 0))
        return otf2_damaged(src, location, l->file.damage);
    if (!l->file.damage && l->file.total == 0 && l->file.chunks == 1)
        l->state = LOCATION_ENDED;
    return TCF_OK;
}

tcf_status otf2_begin_chunk(otf2_source *src, uint32_t location, const event_chunk *chunk, const char *damage)
{
    otf2_location *l = &src->locations[location];

    if (!damage && !src->options.salvage && l->chunk < l->file.chunks && chunk->last >= l->file.total)
        damage = "a chunk whose record numbers reach into the last chunk";
    if (damage)
        return otf2_damaged(src, location, damage);
    l->limit = chunk->last;
    l->last = l->chunk == l->file.chunks;
    return TCF_OK;
}
