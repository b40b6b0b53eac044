/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checks of an OTF2 archive's files, chunk by chunk.
 *
 * A file consists of chunks of one size, the last one as short as its contents. A chunk starts with a header (in event
 * files with the numbers of its first and last record, then a full timestamp) and ends with zeros; the bytes 2 and 1
 * follow the last record of the file. libotf2 3.0 doesn't notice a file that ends early: it reads stale bytes of its
 * buffers, possibly for ever. So size and headers are checked before it reads a chunk, and with `salvage` all records
 * of the chunk. The direct reader uses the same checks where it meets a chunk's header and end. event_file_scan() finds
 * the place of damage for the message.
 *
 * An event file under another location's name can't be found here: neither header nor records hold the location. The
 * number of events in the location's definition isn't reliable (EZTrace always writes 2). Such a swap mostly shows in
 * the matching: `check` finds unmatched messages, ranks that are no members, unbalanced regions. */
#ifndef TCFLOW_FRAMEWORK_OTF2_FILE_H
#define TCFLOW_FRAMEWORK_OTF2_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <tcflow/filter.h>

typedef struct event_file {
    uint64_t size; /* bytes */
    uint64_t chunk_bytes;
    uint64_t chunks;         /* including a cut one */
    uint64_t total;          /* records, as stated by the last chunk; meaningless where the end is damaged */
    const char *damage;      /* what is wrong with the end of the file, or NULL */
    uint32_t trailing_bytes; /* bytes behind the end mark, too few for a chunk (a line end added by an editor) */
    uint8_t missing;
} event_file;

typedef struct event_chunk {
    uint64_t first, last; /* numbers of its records, from 1; last = first - 1: none */
    uint64_t time;        /* of the first one, where has_time */
    int has_time;
} event_chunk;

/* Has the system read a part of a file from the disk while other files are read: what is read of it when the archive is
 * opened, the header of the first and the last chunk and the last bytes; or its first `bytes` bytes,
 * OTF2_MOST_AHEAD at most. Is that part in memory already? */
enum { OTF2_MOST_AHEAD = 64 << 10 };
int otf2_file_ends_ahead(const char *path, uint64_t chunk_bytes);
int otf2_file_ahead(const char *path, uint64_t bytes);
/* Has the system begin to read these bytes. */
void event_file_ahead(int fd, uint64_t offset, uint64_t bytes);
/* The file is going to be read from its begin to its end: the system then reads ahead of what is asked for. */
void event_file_goes_on(int fd);

/* Checks the size and the last chunk. */
void event_file_check(const char *path, uint64_t chunk_bytes, event_file *file);

/* The number of the first record of chunk `number`, 0 where it has no header. */
uint64_t event_file_first(const char *path, const event_file *file, uint64_t number);

/* Checks the header of chunk `number` (from 1), which must start with record `first`. NULL, or what is wrong. */
const char *event_file_chunk(const char *path, const event_file *file, uint64_t number, uint64_t first,
                             event_chunk *chunk);

/* The same for bytes at hand: *c stands at the header, and behind it afterwards. */
struct cursor;
const char *event_chunk_header(struct cursor *c, const event_file *file, uint64_t number, uint64_t first,
                               event_chunk *chunk);
/* Checks what stands behind the last record of chunk `number`, where *c stands. NULL, or what is wrong. */
const char *event_chunk_end(struct cursor *c, const event_file *file, uint64_t number);
/* Checks one record and the attribute lists in front of it. NULL, or what is wrong. */
const char *event_record_check(const uint8_t *at, const uint8_t *end, int swap);

typedef struct event_damage {
    const char *reason; /* NULL: there is none */
    uint64_t offset;    /* in the file */
} event_damage;

/* Checks the records of chunk `number`; `buffer` has room for a chunk. Returns the number of records in front of the
 * damage. */
uint64_t event_file_scan(const char *path, const event_file *file, uint64_t number, uint8_t *buffer,
                         event_damage *damage);

/* The times of the file's first and last events, as far as its first and last chunks are sound. Returns 0 where there
 * are none. */
int event_file_ends(const char *path, const event_file *file, uint64_t *first, uint64_t *last);

/* What an anchor file says of the other files: the version of their format, an OTF2_FileSubstrate, an
 * OTF2_Compression. */
typedef struct anchor_facts {
    uint8_t format, substrate, compression;
} anchor_facts;

/* Checks the lengths of the lists in an anchor file, and fills in the facts. NULL, or what is wrong. */
const char *anchor_file_check(const char *path, anchor_facts *facts);

/* Gets the records of a definition file one by one. NULL, or what is wrong with this one. */
typedef struct definition_visitor {
    const char *(*visit)(void *data, unsigned type, struct cursor *record);
    void *data;
} definition_visitor;

/* Checks a definition file, and shows its records to the visitor where there is one. Sets *records to the number of its
 * sound records. NULL, or what is wrong behind them; definition_file_missing (a pointer to compare with): there is no
 * such file. */
extern const char definition_file_missing[];
const char *definition_file_check(const char *path, uint64_t chunk_bytes, const definition_visitor *visitor,
                                  uint64_t *records);

/* Reads a thumbnail, which libotf2 3.0 can only write. NULL, or what is wrong. The caller frees *memory, to which the
 * thumbnail points, in either case. */
const char *thumbnail_file_read(const char *path, tcf_thumbnail *thumbnail, void **memory);

#endif
