/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checks of event files; see otf2_file.h and otf2_bytes.h. Ten event kinds with a single number are stored without
 * their length. */
#include "otf2_file.h"
#include "otf2_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tcflow/events.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096 }; /* bytes read of a chunk for its header and first record */

cursor otf2_read_at(const char *path, uint64_t offset, uint8_t *buffer, uint64_t bytes)
{
    uint64_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    while (fd >= 0 && n < bytes) {
        ssize_t got = pread(fd, buffer + n, bytes - n, (off_t)(offset + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (uint64_t)got;
    }
    if (fd >= 0)
        close(fd);
    return (cursor){buffer, buffer + n, 0, fd < 0};
}

/* The fields of a record in the file, a letter each: 1 (a byte), 4 and 8 (numbers of up to so many bytes), T (a full
 * timestamp), m (types and values of metrics), s (32-bit numbers). The number in front of m and s is their count. */
#define LAYOUT_FIELD(record, ctype, role, field) LAYOUT_##ctype(role)
#define LAYOUT_u8(role) "1"
#define LAYOUT_id8(role) "1"
#define LAYOUT_u32(role) "4"
#define LAYOUT_i64(role) "8"
#define LAYOUT_u64(role) LAYOUT_u64_##role
#define LAYOUT_u64_NUMBER "8"
#define LAYOUT_u64_REQUEST "8"
#define LAYOUT_u64_TIME "T"
#define LAYOUT_ARRAY(record, ctype, role, field) LAYOUT_ARRAY_##role
#define LAYOUT_ARRAY_TYPE "" /* stored pairwise with the values */
#define LAYOUT_ARRAY_METRIC_VALUE "m"
#define LAYOUT_ARRAY_STRING "s"
#define LAYOUT_NONE(record)

static const char *const layout[TCF_EVENT_KINDS + 1] = {
#define E(number, NAME, Name, name, FIELDS) [number] = "" FIELDS,
    TCF_EVENT_TABLE(E, LAYOUT_FIELD, LAYOUT_ARRAY, LAYOUT_NONE)
#undef E
};

static int has_no_length(unsigned kind)
{
    switch (kind) {
    case TCF_ENTER:
    case TCF_LEAVE:
    case TCF_MPI_ISEND_COMPLETE:
    case TCF_MPI_IRECV_REQUEST:
    case TCF_MPI_REQUEST_TEST:
    case TCF_MPI_REQUEST_CANCELLED:
    case TCF_OMP_FORK:
    case TCF_OMP_TASK_CREATE:
    case TCF_OMP_TASK_SWITCH:
    case TCF_OMP_TASK_COMPLETE:
        return 1;
    default:
        return 0;
    }
}

static void take_fields(cursor *c, const char *fields)
{
    uint64_t last = 0;

    for (; *fields && !c->bad; fields++)
        switch (*fields) {
        case '1':
            last = take_byte(c);
            break;
        case '4':
            last = take_number(c, 4);
            break;
        case '8':
            last = take_number(c, 8);
            break;
        case 'T':
            last = take_u64(c);
            break;
        case 'm':
            for (uint64_t i = 0; i < last && !c->bad; i++) {
                take_byte(c);
                take_number(c, 8);
            }
            break;
        default: /* s */
            for (uint64_t i = 0; i < last && !c->bad; i++)
                take_number(c, 4);
        }
}

static void take_attribute_value(cursor *c, uint8_t type)
{
    static const uint8_t in_full[UINT8_MAX + 1] =
        {[OTF2_TYPE_UINT8] = 1, [OTF2_TYPE_INT8] = 1,  [OTF2_TYPE_UINT16] = 2,
         [OTF2_TYPE_INT16] = 2, [OTF2_TYPE_FLOAT] = 4, [OTF2_TYPE_DOUBLE] = 8};
    int is_long = type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64 || type == OTF2_TYPE_LOCATION ||
                  type > OTF2_TYPE_LOCATION_GROUP; /* of a newer OTF2 */

    if (in_full[type] > 0)
        skip(c, in_full[type]);
    else
        take_number(c, is_long ? 8 : 4);
}

static void take_attribute_list(cursor *c)
{
    uint64_t n = take_number(c, 4);

    for (uint64_t i = 0; i < n && !c->bad; i++) {
        take_number(c, 4);
        take_attribute_value(c, take_byte(c));
    }
}

/* Checks the body of a record of `type`, behind its type byte. */
static const char *take_record(cursor *c, unsigned type)
{
    unsigned kind = type - FIRST_EVENT + 1;
    int known = type >= FIRST_EVENT && kind <= TCF_EVENT_KINDS;

    if (known && has_no_length(kind)) {
        take_fields(c, layout[kind]);
        return c->bad ? "a record that doesn't fit" : NULL;
    }
    uint64_t length = take_length(c);
    if (c->bad || length > left(c)) {
        c->bad = 1;
        return "a record that doesn't fit";
    }
    cursor body = {c->at, c->at + length, c->swap, 0};
    c->at += length;
    if (type == ATTRIBUTE_LIST)
        take_attribute_list(&body);
    else if (known)
        take_fields(&body, layout[kind]);
    return body.bad ? "a record whose contents don't fit its length" : NULL;
}

/* Checks the records behind a chunk's header, up to the end of the chunk, to `most` records, or to the first damage.
 * Sets *records to their number and *end to the byte that ends the chunk. */
static const char *take_events(cursor *c, uint64_t most, uint64_t *records, uint8_t *end)
{
    uint64_t time = 0;

    *records = 0;
    *end = END_OF_CHUNK;
    for (;;) {
        if (c->at == c->end)
            return "the file ends in the middle of a chunk";
        uint8_t type = take_byte(c);
        if (type == TIMESTAMP) {
            uint64_t t = take_u64(c);
            if (c->bad)
                return "the file ends in the middle of a record";
            if (t < time)
                return "a timestamp that goes back";
            time = t;
        } else if (type == END_OF_CHUNK || type == END_OF_FILE) {
            *end = type;
            return NULL;
        } else if (type < TIMESTAMP || (type > ATTRIBUTE_LIST && type < FIRST_EVENT)) {
            return "a byte where a record should start";
        } else {
            const char *damage = take_record(c, type);
            if (damage)
                return damage;
            if (type != ATTRIBUTE_LIST && ++*records == most)
                return NULL;
        }
    }
}

/* Number of bytes behind the end mark of the last chunk, where its records are complete and the rest is too short to be
 * a chunk; else 0. libotf2 reads up to the mark. */
static unsigned count_trailing_bytes(const char *path, const event_file *file)
{
    uint64_t start = (file->chunks - 1) * file->chunk_bytes, first = 0, last = 0, records = 0;
    uint8_t *buffer = malloc(file->size - start), end = END_OF_CHUNK;
    unsigned trailing_bytes = 0;

    if (buffer == NULL)
        return 0;
    cursor c = otf2_read_at(path, start, buffer, file->size - start);
    if (take_header(&c, &first, &last) == NULL && take_events(&c, UINT64_MAX, &records, &end) == NULL &&
        records == last + 1 - first && end == END_OF_FILE && take_byte(&c) == END_OF_BUFFER && left(&c) < HEADER_BYTES)
        trailing_bytes = (unsigned)left(&c);
    free(buffer);
    return trailing_bytes;
}

void event_file_check(const char *path, uint64_t chunk_bytes, event_file *file)
{
    struct stat st;
    uint8_t head[HEADER_BYTES], tail[2];
    uint64_t first = 0, last = 0;

    *file = (event_file){.chunk_bytes = chunk_bytes};
    if (stat(path, &st) != 0) {
        file->missing = errno == ENOENT;
        file->damage = file->missing ? "the file is missing" : "the file cannot be opened";
        return;
    }
    file->size = (uint64_t)st.st_size;
    if (file->size == 0) {
        file->damage = "the file is empty";
        return;
    }
    file->chunks = (file->size + chunk_bytes - 1) / chunk_bytes;
    cursor end = file->size < sizeof tail ? (cursor){.at = NULL}
                                          : otf2_read_at(path, file->size - sizeof tail, tail, sizeof tail);
    if (left(&end) < sizeof tail || tail[0] != END_OF_FILE || tail[1] != END_OF_BUFFER) {
        file->trailing_bytes = count_trailing_bytes(path, file);
        file->damage = file->trailing_bytes > 0 ? NULL : "the file ends without an end mark";
    } else if (file->chunks > 1 && file->size % chunk_bytes == 1) {
        file->chunks--; /* the last byte of a full chunk's end mark */
    }
    cursor c = otf2_read_at(path, (file->chunks - 1) * chunk_bytes, head, sizeof head);
    const char *damage = take_header(&c, &first, &last);
    if (damage)
        file->damage = damage;
    file->total = last;
}

uint64_t event_file_first(const char *path, const event_file *file, uint64_t number)
{
    uint8_t head[HEADER_BYTES];
    uint64_t first = 0, last = 0;
    cursor c = otf2_read_at(path, (number - 1) * file->chunk_bytes, head, sizeof head);

    return take_header(&c, &first, &last) ? 0 : first;
}

const char *event_file_chunk(const char *path, const event_file *file, uint64_t number, uint64_t first,
                             event_chunk *chunk)
{
    uint8_t head[HEAD_BYTES];
    uint64_t start = (number - 1) * file->chunk_bytes, records;
    uint8_t end;

    memset(chunk, 0, sizeof *chunk);
    if (number > file->chunks)
        return "the file ends before its last record";
    cursor c = otf2_read_at(path, start, head, sizeof head < file->chunk_bytes ? sizeof head : file->chunk_bytes);
    if (c.bad)
        return "the file cannot be opened";
    int whole = left(&c) < sizeof head;
    const char *damage = take_header(&c, &chunk->first, &chunk->last);
    if (damage)
        return damage;
    if (chunk->first != first)
        return "a chunk that doesn't start with the record that comes next";
    if (chunk->last + 1 < chunk->first || chunk->last - (chunk->first - 1) > file->chunk_bytes)
        return "a chunk with an impossible number of records";
    if (number < file->chunks && chunk->last < chunk->first)
        return "a chunk without records";
    if (chunk->last < chunk->first)
        return NULL;
    chunk->has_time = left(&c) >= TIMESTAMP_BYTES && *c.at == TIMESTAMP;
    if (chunk->has_time) {
        cursor t = {c.at + 1, c.end, c.swap, 0};
        chunk->time = take_u64(&t);
    }
    /* libotf2 loops for ever between chunks without events, so at least one record must be there. */
    damage = take_events(&c, 1, &records, &end);
    if (records == 0 && (whole || !damage))
        return damage ? damage : "a chunk without the records that its header states";
    return NULL;
}

uint64_t event_file_scan(const char *path, const event_file *file, uint64_t number, uint8_t *buffer,
                         const char **damage)
{
    uint64_t first = 0, last = 0, records = 0;
    uint8_t end = END_OF_CHUNK;
    cursor c =
        otf2_read_at(path, (number - 1) * file->chunk_bytes, buffer, number > file->chunks ? 0 : file->chunk_bytes);

    *damage = take_header(&c, &first, &last);
    if (*damage)
        return 0;
    *damage = take_events(&c, UINT64_MAX, &records, &end);
    if (!*damage && records < last + 1 - first)
        *damage = "a chunk with fewer records than its header states";
    else if (records > last + 1 - first) {
        records = last + 1 - first;
        *damage = "a chunk with more records than its header states";
    } else if (!*damage && end == END_OF_FILE && number < file->chunks)
        *damage = "an end mark in the middle of the file";
    else if (!*damage && end == END_OF_CHUNK && number == file->chunks)
        *damage = "the file ends without an end mark";
    else if (!*damage && file->damage && end == END_OF_FILE)
        *damage = "something stands behind the end mark";
    return records;
}
