/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The bytes of an OTF2 archive's event and definition files, as far as they tell whether libotf2 can be trusted with
 * them.
 *
 * A file is a row of chunks of one size, the last one as short as its contents. A chunk starts with a header (in event
 * files with the numbers of its first and last record and then a full timestamp) and ends with zeros; behind the last
 * record of the file stand the bytes 2 and 1. libotf2 3.0 doesn't notice a file that ends early: it goes on with
 * whatever its buffers held before, possibly for ever. So size and headers are checked before it reads a chunk, and
 * where damage is known or to be survived, event_file_scan() goes through a chunk record by record.
 *
 * What no look can find: an event file under another location's name. Neither header nor records hold the location; it
 * is the file's name alone. The number of events in the location's definition would be a hint, but some tools write it
 * wrongly (EZTrace: always 2), so it is not held against a file. Mostly such a swap shows in the matching:
 * `check` finds unmatched messages, ranks that are no members, unbalanced regions. */
#ifndef TCFLOW_FRAMEWORK_OTF2_FILE_H
#define TCFLOW_FRAMEWORK_OTF2_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <tcflow/filter.h>

typedef struct event_file {
    uint64_t size;   /* bytes */
    uint64_t chunks; /* a cut one included */
    uint64_t total;  /* records, as the last chunk states it; without meaning where the end is damaged */
    int missing;
    const char *damage; /* what is wrong with the end of the file, or NULL */
    unsigned behind;    /* bytes behind the end mark, too few for a chunk: a line end that an editor has added */
} event_file;

typedef struct event_chunk {
    uint64_t first, last; /* numbers of its records, from 1; last = first - 1: none */
    uint64_t time;        /* of the first one, where has_time */
    int has_time;
} event_chunk;

/* Looks at the size and the last chunk. */
void event_file_check(const char *path, uint64_t chunk_bytes, event_file *file);

/* The number of the first record of chunk `number`, 0 where it has no header. */
uint64_t event_file_first(const char *path, uint64_t chunk_bytes, uint64_t number);

/* Reads the header of chunk `number` (from 1), which must start with record `first`. NULL: all is well, else what is
 * wrong with it. */
const char *event_file_chunk(const char *path, uint64_t chunk_bytes, const event_file *file, uint64_t number,
                             uint64_t first, event_chunk *chunk);

/* Goes through chunk `number`; `buffer` has room for it. Returns how many records stand before the first bad one (or
 * before the cut); *damage: what is wrong, or NULL. */
uint64_t event_file_scan(const char *path, uint64_t chunk_bytes, const event_file *file, uint64_t number,
                         uint8_t *buffer, const char **damage);

/* Are the lists in an anchor file as long as it says? NULL, or what is wrong. */
const char *anchor_file_check(const char *path);

/* Goes through a definition file (`local`: of a location) and counts its records. NULL: all is well, else what is wrong
 * with it, and `records` says after how many. */
const char *definition_file_check(const char *path, uint64_t chunk_bytes, int local, uint64_t *records);

/* Reads a thumbnail (libotf2 3.0 can only write them). NULL, or what is wrong; free(*memory) afterwards in any case. */
const char *thumbnail_file_read(const char *path, tcf_thumbnail *thumbnail, void **memory);

#endif
