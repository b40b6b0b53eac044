/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checks of event files; see otf2_file.h and otf2_bytes.h. */
#define _GNU_SOURCE /* preadv2() */
#include "otf2_file.h"
#include "otf2_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <tcflow/events.h>
#include <unistd.h>

enum {
    HEAD_BYTES = 4096,  /* read of a chunk for its header and first record */
    PIECE_BYTES = 16384 /* read at once where a chunk is only passed through */
};

uint64_t otf2_pread(int fd, uint64_t offset, uint8_t *buffer, uint64_t bytes)
{
    uint64_t n = 0;

    while (n < bytes) {
        ssize_t got = pread(fd, buffer + n, bytes - n, (off_t)(offset + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (uint64_t)got;
    }
    return n;
}

uint64_t otf2_pread_at_once(int fd, uint64_t offset, uint8_t *buffer, uint64_t bytes, int *waits)
{
#ifdef RWF_NOWAIT
    struct iovec to = {buffer, bytes};
    const ssize_t n = preadv2(fd, &to, 1, (off_t)offset, RWF_NOWAIT);

    *waits = n >= 0 ? (uint64_t)n < bytes : errno == EAGAIN ? 1 : -1;
    return n > 0 ? (uint64_t)n : 0;
#else
    (void)fd, (void)offset, (void)buffer, (void)bytes;
    *waits = -1;
    return 0;
#endif
}

int otf2_open_file(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode))
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

cursor otf2_read_at(const char *path, uint64_t offset, uint8_t *buffer, uint64_t bytes)
{
    int fd = otf2_open_file(path);
    uint64_t n = fd >= 0 ? otf2_pread(fd, offset, buffer, bytes) : 0;

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
    int is_long = type == OTF2_TYPE_NONE || type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64 ||
                  type == OTF2_TYPE_LOCATION || type > OTF2_TYPE_LOCATION_GROUP; /* of a newer OTF2 */

    if (in_full[type] > 0)
        skip(c, in_full[type]);
    else
        take_number(c, is_long ? 8 : 4);
}

static void take_attribute_list(cursor *c)
{
    uint64_t length = left(c), n = take_number(c, 4);

    c->bad |= length > n * ATTRIBUTE_BYTES + LIST_BYTES;
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

/* Checks the records behind a chunk's header, up to the end of the chunk, to `most` records, or to the first damage,
 * where c->at then stands. Sets *records to their number and *end to the byte that ends the chunk. */
static const char *take_events(cursor *c, uint64_t most, uint64_t *records, uint8_t *end)
{
    uint64_t time = 0;
    uint8_t type = END_OF_CHUNK;
    const uint8_t *start;
    const char *damage = NULL;

    *records = 0;
    *end = END_OF_CHUNK;
    while (!damage && *records < most) {
        start = c->at;
        if (c->at == c->end)
            return "the file ends in the middle of a chunk";
        const uint8_t before = type;
        type = take_byte(c);
        if (type == TIMESTAMP) {
            uint64_t t = take_u64(c);
            damage = c->bad ? "the file ends in the middle of a record" : wrong_time(time, t, before);
            time = t;
        } else if (type == END_OF_CHUNK || type == END_OF_FILE) {
            *end = type;
            return NULL;
        } else if (type < TIMESTAMP || (type > ATTRIBUTE_LIST && type < FIRST_EVENT)) {
            damage = "a byte where a record should start";
        } else if (!(damage = take_record(c, type))) {
            *records += type != ATTRIBUTE_LIST;
        }
    }
    if (damage)
        c->at = start;
    return damage;
}

const char *event_record_check(const uint8_t *at, const uint8_t *end, int swap)
{
    cursor c = {at, end, swap, 0};
    uint64_t records;
    uint8_t mark;

    return take_events(&c, 1, &records, &mark);
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

void event_file_ahead(int fd, uint64_t offset, uint64_t bytes)
{
#ifdef POSIX_FADV_WILLNEED
    posix_fadvise(fd, (off_t)offset, (off_t)bytes, POSIX_FADV_WILLNEED); /* may fail: the bytes are read without it */
#else
    (void)fd, (void)offset, (void)bytes;
#endif
}

void event_file_goes_on(int fd)
{
#ifdef POSIX_FADV_SEQUENTIAL
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#else
    (void)fd;
#endif
}

/* Are these bytes of the file in memory? Yes where the system doesn't tell. Otherwise it begins to read them, and more
 * behind them when they are read, which it does not behind what event_file_ahead() asks for. */
static int is_cached(int fd, uint64_t offset, uint64_t bytes)
{
    uint8_t buffer[OTF2_MOST_AHEAD];
    int waits;

    (void)otf2_pread_at_once(fd, offset, buffer, bytes < sizeof buffer ? bytes : sizeof buffer, &waits);
    return waits <= 0;
}

/* A handle of a file of *size > 0 bytes; -1: there is none. */
static int open_sized(const char *path, uint64_t *size)
{
    int fd = otf2_open_file(path);
    struct stat st;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        *size = (uint64_t)st.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

int otf2_file_ends_ahead(const char *path, uint64_t chunk_bytes)
{
    uint64_t size;
    int fd = open_sized(path, &size);

    if (fd < 0)
        return 1;
    const uint64_t last = size - 1;
    const int cached = is_cached(fd, last, 1);
    if (!cached) {
        event_file_ahead(fd, 0, HEADER_BYTES);
        event_file_ahead(fd, last / chunk_bytes * chunk_bytes, HEADER_BYTES);
        event_file_ahead(fd, last - (last > 0), 2);
    }
    close(fd);
    return cached;
}

int otf2_file_ahead(const char *path, uint64_t bytes)
{
    uint64_t size;
    int fd = open_sized(path, &size);

    if (fd < 0)
        return 1;
    const int cached = is_cached(fd, 0, bytes < size ? bytes : size);
    close(fd);
    return cached;
}

void event_file_check(const char *path, uint64_t chunk_bytes, event_file *file)
{
    struct stat st;
    uint8_t head[HEADER_BYTES], tail[2];
    uint64_t first = 0, last = 0;
    int fd = otf2_open_file(path);

    *file = (event_file){.chunk_bytes = chunk_bytes};
    if (fd < 0 || fstat(fd, &st) != 0) {
        file->missing = errno == ENOENT;
        file->damage = file->missing ? "the file is missing" : "the file cannot be opened";
        goto done;
    }
    file->size = (uint64_t)st.st_size;
    if (file->size == 0) {
        file->damage = "the file is empty";
        goto done;
    }
    file->chunks = (file->size + chunk_bytes - 1) / chunk_bytes;
    uint64_t end = file->size < sizeof tail ? 0 : otf2_pread(fd, file->size - sizeof tail, tail, sizeof tail);
    if (end < sizeof tail || tail[0] != END_OF_FILE || tail[1] != END_OF_BUFFER) {
        file->trailing_bytes = count_trailing_bytes(path, file);
        file->damage = file->trailing_bytes > 0 ? NULL : "the file ends without an end mark";
    } else if (file->chunks > 1 && file->size % chunk_bytes == 1) {
        file->chunks--; /* the last byte of a full chunk's end mark */
    }
    uint64_t n = otf2_pread(fd, (file->chunks - 1) * chunk_bytes, head, sizeof head);
    cursor c = {head, head + n, 0, 0};
    const char *damage = take_header(&c, &first, &last);
    if (damage)
        file->damage = damage;
    file->total = last;
done:
    if (fd >= 0)
        close(fd);
}

uint64_t event_file_first(const char *path, const event_file *file, uint64_t number)
{
    uint8_t head[HEADER_BYTES];
    uint64_t first = 0, last = 0;
    cursor c = otf2_read_at(path, (number - 1) * file->chunk_bytes, head, sizeof head);

    return take_header(&c, &first, &last) ? 0 : first;
}

const char *event_chunk_header(cursor *c, const event_file *file, uint64_t number, uint64_t first, event_chunk *chunk)
{
    memset(chunk, 0, sizeof *chunk);
    const char *damage = take_header(c, &chunk->first, &chunk->last);
    if (damage)
        return damage;
    if (chunk->first != first)
        return "a chunk that doesn't start with the record that comes next";
    if (chunk->last + 1 < chunk->first || chunk->last - (chunk->first - 1) > file->chunk_bytes)
        return "a chunk with an impossible number of records";
    if (number < file->chunks && chunk->last < chunk->first)
        return "a chunk without records";
    return NULL;
}

const char *event_file_chunk(const char *path, const event_file *file, uint64_t number, uint64_t first,
                             event_chunk *chunk)
{
    uint8_t head[HEAD_BYTES];
    uint64_t start = (number - 1) * file->chunk_bytes, records;
    uint8_t end;

    if (number > file->chunks)
        return "the file ends before its last record";
    cursor c = otf2_read_at(path, start, head, sizeof head < file->chunk_bytes ? sizeof head : file->chunk_bytes);
    if (c.bad)
        return "the file cannot be opened";
    int whole = left(&c) < sizeof head;
    const char *damage = event_chunk_header(&c, file, number, first, chunk);
    if (damage || chunk->last < chunk->first)
        return damage;
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

/* What is wrong with the byte that ends chunk `number`, or NULL. */
static const char *wrong_end(const event_file *file, uint64_t number, uint8_t end)
{
    if (end == END_OF_FILE && number < file->chunks)
        return "an end mark in the middle of the file";
    if (end == END_OF_CHUNK && number == file->chunks)
        return "the file ends without an end mark";
    if (file->damage && end == END_OF_FILE)
        return "something stands behind the end mark";
    return NULL;
}

const char *event_chunk_end(cursor *c, const event_file *file, uint64_t number)
{
    uint64_t records;
    uint8_t end = END_OF_CHUNK;
    const char *damage = take_events(c, 1, &records, &end);

    if (damage)
        return damage;
    return records > 0 ? "a chunk with more records than its header states" : wrong_end(file, number, end);
}

uint64_t event_file_scan(const char *path, const event_file *file, uint64_t number, uint8_t *buffer,
                         event_damage *damage)
{
    uint64_t first = 0, last = 0, records = 0, start = (number - 1) * file->chunk_bytes;
    uint8_t end = END_OF_CHUNK;
    cursor c = otf2_read_at(path, start, buffer, number > file->chunks ? 0 : file->chunk_bytes);

    *damage = (event_damage){take_header(&c, &first, &last), start};
    if (damage->reason)
        return 0;
    uint64_t stated = last + 1 - first;
    damage->reason = take_events(&c, UINT64_MAX, &records, &end);
    if (!damage->reason && records < stated) {
        damage->reason = "a chunk with fewer records than its header states";
    } else if (records > stated) {
        records = stated;
        damage->reason = "a chunk with more records than its header states";
    } else if (!damage->reason) {
        damage->reason = wrong_end(file, number, end);
    }
    damage->offset = start + (uint64_t)(c.at - buffer);
    return records;
}

/* The part of an event file that is being looked at, a piece at a time. */
typedef struct pieces {
    int fd;
    uint64_t offset, end; /* of the piece, and of what is looked at, in the file */
    cursor c;
    uint8_t bytes[PIECE_BYTES];
} pieces;

/* Goes on to `offset`. */
static void take_piece(pieces *p, uint64_t offset)
{
    const uint64_t rest = p->end > offset ? p->end - offset : 0;
    const uint64_t n = otf2_pread(p->fd, offset, p->bytes, rest < PIECE_BYTES ? rest : PIECE_BYTES);

    p->offset = offset;
    p->c = (cursor){p->bytes, p->bytes + n, p->c.swap, 0};
}

/* Skips bytes, maybe beyond the piece. */
static void skip_in_pieces(pieces *p, uint64_t bytes)
{
    const uint64_t at = p->offset + (uint64_t)(p->c.at - p->bytes);

    if (bytes <= left(&p->c))
        skip(&p->c, bytes);
    else
        take_piece(p, bytes < p->end - at ? at + bytes : p->end);
}

/* The first and last timestamps of a chunk, from `offset` to `end`, which are those of its first and last events.
 * Records are passed by their lengths. last = NULL: the first one is enough. Returns 0 where there are none. */
static int take_ends(int fd, uint64_t offset, uint64_t end, uint64_t *first, uint64_t *last)
{
    enum { MOST_BYTES = 16 }; /* of a timestamp, a record without a length, or the length of another */
    pieces p;
    uint64_t number, to;
    int any = 0;

    p.fd = fd;
    p.end = end;
    p.c.swap = 0;
    take_piece(&p, offset);
    if (take_header(&p.c, &number, &to))
        return 0;
    while (!p.c.bad && (!any || last)) {
        if (left(&p.c) < MOST_BYTES && p.offset + (uint64_t)(p.c.end - p.bytes) < end)
            take_piece(&p, p.offset + (uint64_t)(p.c.at - p.bytes));
        if (left(&p.c) == 0)
            break;
        const uint8_t type = take_byte(&p.c);
        const unsigned kind = type - FIRST_EVENT + 1;
        if (type == TIMESTAMP) {
            const uint64_t time = take_u64(&p.c);
            if (p.c.bad)
                break;
            if (!any)
                *first = time;
            if (last)
                *last = time;
            any = 1;
        } else if (type < TIMESTAMP) {
            break;
        } else if (type >= FIRST_EVENT && kind <= TCF_EVENT_KINDS && has_no_length(kind)) {
            take_fields(&p.c, layout[kind]);
        } else {
            skip_in_pieces(&p, take_length(&p.c));
        }
    }
    return any;
}

int event_file_ends(const char *path, const event_file *file, uint64_t *first, uint64_t *last)
{
    const uint64_t start = file->chunks > 0 ? (file->chunks - 1) * file->chunk_bytes : 0;
    const uint64_t end = file->size - start < file->chunk_bytes ? file->size : start + file->chunk_bytes;
    const int fd = file->missing || file->size == 0 ? -1 : otf2_open_file(path);
    uint64_t other;

    if (fd < 0)
        return 0;
    const int any = start > 0
                        ? take_ends(fd, 0, file->chunk_bytes, first, NULL) && take_ends(fd, start, end, &other, last)
                        : take_ends(fd, 0, end, first, last);
    close(fd);
    return any;
}
