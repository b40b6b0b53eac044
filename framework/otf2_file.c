/* The bytes of event and definition files; see otf2_file.h.
 *
 * Written from the look of the files. A record is a byte with its type, its length (a byte, or 255 and 8 bytes) and
 * that many bytes; ten event kinds with a single number have no length. Numbers of 32 and 64 bits are stored as the
 * number of their bytes that count and these bytes, 255 stands for "undefined"; timestamps and 16-bit numbers are
 * stored in full.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#include "otf2_file.h"

#include <errno.h>
#include <fcntl.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tcflow/events.h>
#include <unistd.h>

/* Types of records that are neither events nor definitions. */
enum {
    END_OF_CHUNK = 0,
    END_OF_BUFFER = 1,
    END_OF_FILE = 2,
    CHUNK_HEADER = 3,
    TIMESTAMP = 5,
    ATTRIBUTE_LIST = 6,
    FIRST_EVENT = 10 /* of kind 1 */
};

enum { LITTLE_ENDIAN_FILE = 0x42, BIG_ENDIAN_FILE = 0x23, HEADER_BYTES = 18, TIMESTAMP_BYTES = 9 };
enum { HEAD_BYTES = 4096 }; /* read of a chunk to see its header and first record */
enum { LOCAL_MAPPING_TABLE = 5, DEFINITION_GROUP = 18 };

/* What is left of some bytes. `bad` stays set once something didn't fit. */
typedef struct cursor {
    const uint8_t *at, *end;
    int swap; /* the file has the other byte order */
    int bad;
} cursor;

static size_t left(const cursor *c)
{
    return (size_t)(c->end - c->at);
}

static void skip(cursor *c, uint64_t bytes)
{
    if (bytes > left(c)) {
        c->bad = 1;
        c->at = c->end;
    } else {
        c->at += bytes;
    }
}

static uint8_t take_byte(cursor *c)
{
    if (c->at == c->end) {
        c->bad = 1;
        return 0;
    }
    return *c->at++;
}

static uint64_t take_u64(cursor *c)
{
    uint64_t value = 0;

    if (left(c) < sizeof value) {
        skip(c, sizeof value);
        return 0;
    }
    memcpy(&value, c->at, sizeof value);
    c->at += sizeof value;
    return c->swap ? __builtin_bswap64(value) : value;
}

/* A number of up to `width` bytes. */
static uint64_t take_number(cursor *c, unsigned width)
{
    uint8_t size = take_byte(c);
    uint64_t value = 0;

    if (size == UINT8_MAX)
        return UINT64_MAX;
    if (size > width || size > left(c)) {
        c->bad = 1;
        return 0;
    }
    for (unsigned i = 0; i < size; i++) {
        int little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != c->swap;
        value |= (uint64_t)c->at[i] << 8 * (little ? i : size - 1u - i);
    }
    c->at += size;
    return value;
}

static uint64_t take_length(cursor *c)
{
    uint64_t length = take_byte(c);
    return length == UINT8_MAX ? take_u64(c) : length;
}

/* -------------------------------------------------------------------------------------------------------- files -- */

static int64_t read_at(const char *path, uint64_t offset, uint8_t *buffer, uint64_t bytes)
{
    uint64_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    while (n < bytes) {
        ssize_t got = pread(fd, buffer + n, bytes - n, (off_t)(offset + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (uint64_t)got;
    }
    close(fd);
    return (int64_t)n;
}

/* The header of a chunk. Returns what is wrong with it. */
static const char *take_header(cursor *c, uint64_t *first, uint64_t *last)
{
    if (left(c) < HEADER_BYTES)
        return "the file is cut in the header of a chunk";
    if (take_byte(c) != CHUNK_HEADER)
        return "a chunk without a header";
    uint8_t order = take_byte(c);
    if (order != LITTLE_ENDIAN_FILE && order != BIG_ENDIAN_FILE)
        return "a chunk of an unknown byte order";
    c->swap = (order == BIG_ENDIAN_FILE) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    *first = take_u64(c);
    *last = take_u64(c);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------- events -- */

/* The fields of a record in the file, a letter each: 1 (a byte), 4 and 8 (numbers), T (a full timestamp), m (types and
 * values of metrics, as many as the number before says), s (so many 32-bit numbers). */
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
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        skip(c, 1);
        break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        skip(c, 2);
        break;
    case OTF2_TYPE_FLOAT:
        skip(c, 4);
        break;
    case OTF2_TYPE_DOUBLE:
        skip(c, 8);
        break;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_LOCATION:
        take_number(c, 8);
        break;
    default: /* 32 bits, or of a newer OTF2 */
        take_number(c, type > OTF2_TYPE_LOCATION_GROUP ? 8 : 4);
    }
}

static void take_attribute_list(cursor *c)
{
    uint64_t n = take_number(c, 4);

    for (uint64_t i = 0; i < n && !c->bad; i++) {
        take_number(c, 4);
        take_attribute_value(c, take_byte(c));
    }
}

/* The body of a record of `type`, whose type byte has been taken. */
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

/* All records behind a chunk's header up to the end of the chunk or file, or to what is wrong. *end: the byte that ends
 * it. */
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

/* How many bytes stand behind the last chunk's end mark: where all its records are there, and what is behind them is too
 * short to be a chunk. Else 0. libotf2 reads no further than to the mark. */
static unsigned bytes_behind(const char *path, uint64_t chunk_bytes, const event_file *file)
{
    uint64_t start = (file->chunks - 1) * chunk_bytes, first = 0, last = 0, records = 0;
    uint8_t *buffer = malloc(file->size - start), end = END_OF_CHUNK;
    unsigned behind = 0;

    if (buffer == NULL)
        return 0;
    int64_t got = read_at(path, start, buffer, file->size - start);
    cursor c = {buffer, buffer + (got > 0 ? got : 0), 0, 0};
    if (take_header(&c, &first, &last) == NULL && take_events(&c, UINT64_MAX, &records, &end) == NULL &&
        records == last + 1 - first && end == END_OF_FILE && take_byte(&c) == END_OF_BUFFER && left(&c) < HEADER_BYTES)
        behind = (unsigned)left(&c);
    free(buffer);
    return behind;
}

void event_file_check(const char *path, uint64_t chunk_bytes, event_file *file)
{
    struct stat st;
    uint8_t head[HEADER_BYTES], tail[2];
    uint64_t first = 0, last = 0;

    memset(file, 0, sizeof *file);
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
    if (file->size < sizeof tail ||
        read_at(path, file->size - sizeof tail, tail, sizeof tail) != (int64_t)sizeof tail || tail[0] != END_OF_FILE ||
        tail[1] != END_OF_BUFFER) {
        file->behind = bytes_behind(path, chunk_bytes, file);
        file->damage = file->behind > 0 ? NULL : "the file ends without an end mark";
    } else if (file->chunks > 1 && file->size % chunk_bytes == 1) {
        file->chunks--; /* the end mark of a full chunk sticks out */
    }
    int64_t got = read_at(path, (file->chunks - 1) * chunk_bytes, head, sizeof head);
    cursor c = {head, head + (got > 0 ? got : 0), 0, 0};
    const char *damage = take_header(&c, &first, &last);
    if (damage)
        file->damage = damage;
    file->total = last;
}

uint64_t event_file_first(const char *path, uint64_t chunk_bytes, uint64_t number)
{
    uint8_t head[HEADER_BYTES];
    uint64_t first = 0, last = 0;
    int64_t got = read_at(path, (number - 1) * chunk_bytes, head, sizeof head);
    cursor c = {head, head + (got > 0 ? got : 0), 0, 0};

    return take_header(&c, &first, &last) ? 0 : first;
}

const char *event_file_chunk(const char *path, uint64_t chunk_bytes, const event_file *file, uint64_t number,
                             uint64_t first, event_chunk *chunk)
{
    uint8_t head[HEAD_BYTES];
    uint64_t start = (number - 1) * chunk_bytes, records;
    uint8_t end;

    memset(chunk, 0, sizeof *chunk);
    if (number > file->chunks)
        return "the file ends before its last record";
    int64_t got = read_at(path, start, head, sizeof head < chunk_bytes ? sizeof head : chunk_bytes);
    if (got < 0)
        return "the file cannot be opened";
    cursor c = {head, head + got, 0, 0};
    const char *damage = take_header(&c, &chunk->first, &chunk->last);
    if (damage)
        return damage;
    if (chunk->first != first)
        return "a chunk that doesn't start with the record that comes next";
    if (chunk->last + 1 < chunk->first || chunk->last - (chunk->first - 1) > chunk_bytes)
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
    /* libotf2 would turn in circles between chunks without an event. */
    damage = take_events(&c, 1, &records, &end);
    if (records == 0 && got < (int64_t)sizeof head)
        return damage ? damage : "a chunk without the records that its header states";
    if (records == 0 && !damage)
        return "a chunk without the records that its header states";
    return NULL;
}

uint64_t event_file_scan(const char *path, uint64_t chunk_bytes, const event_file *file, uint64_t number,
                         uint8_t *buffer, const char **damage)
{
    uint64_t first = 0, last = 0, records = 0;
    uint8_t end = END_OF_CHUNK;
    int64_t got = number > file->chunks ? 0 : read_at(path, (number - 1) * chunk_bytes, buffer, chunk_bytes);
    cursor c = {buffer, buffer + (got > 0 ? got : 0), 0, 0};

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

/* ------------------------------------------------------------------------------------------------------- anchor -- */

static void skip_text(cursor *c)
{
    const uint8_t *end = memchr(c->at, '\0', left(c));
    skip(c, end ? (uint64_t)(end - c->at) + 1 : left(c) + 1);
}

/* Byte order, "OTF2", versions, chunk sizes, counts, three texts; since version 2 of the anchor file properties. */
const char *anchor_file_check(const char *path)
{
    struct stat st;
    uint8_t *buffer = stat(path, &st) == 0 && st.st_size > 0 ? malloc((size_t)st.st_size) : NULL;
    const char *damage = NULL;

    if (buffer == NULL)
        return "it is empty, or cannot be opened";
    int64_t got = read_at(path, 0, buffer, (uint64_t)st.st_size);
    cursor c = {buffer, buffer + (got > 0 ? got : 0), 0, 0};
    uint8_t start = take_byte(&c), order = take_byte(&c);
    if (start != CHUNK_HEADER || left(&c) < 5 || memcmp(c.at, "OTF2", 5) != 0) {
        damage = "it doesn't look like one";
    } else {
        c.swap = (order == BIG_ENDIAN_FILE) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
        skip(&c, 5);
        uint8_t version = take_byte(&c);
        skip(&c, 38);
        for (int i = 0; i < 3; i++)
            skip_text(&c);
        uint64_t properties = 0;
        if (version > 1 && left(&c) >= 4) {
            uint32_t n;
            memcpy(&n, c.at, sizeof n);
            properties = c.swap ? __builtin_bswap32(n) : n;
        }
        if (c.bad || properties > left(&c) / 2)
            damage = "it is cut or garbled";
    }
    free(buffer);
    return damage;
}

/* -------------------------------------------------------------------------------------------------- definitions -- */

/* The arrays whose length libotf2 believes whatever it is. */
static int lists_fit(const cursor *record, unsigned type, int local)
{
    cursor c = *record;
    uint64_t n = 0;

    if (local && type == LOCAL_MAPPING_TABLE) {
        take_byte(&c); /* what is mapped */
        n = take_number(&c, 8);
        if (take_byte(&c) == OTF2_ID_MAP_SPARSE)
            n = n > UINT64_MAX / 2 ? UINT64_MAX : 2 * n;
    } else if (type == DEFINITION_GROUP) {
        take_number(&c, 4); /* self, name */
        take_number(&c, 4);
        take_byte(&c);
        n = take_number(&c, 4);
    }
    return !c.bad && n <= left(&c);
}

static const char *take_definitions(cursor *c, int local, uint64_t *records, uint8_t *end)
{
    for (;;) {
        if (c->at == c->end)
            return "the file ends in the middle of a chunk";
        uint8_t type = take_byte(c);
        if (type == END_OF_CHUNK || type == END_OF_FILE) {
            *end = type;
            return NULL;
        }
        if (type < LOCAL_MAPPING_TABLE)
            return "a byte where a definition should start";
        uint64_t length = take_length(c);
        if (c->bad || length > left(c))
            return "a definition that doesn't fit";
        cursor record = {c->at, c->at + length, c->swap, 0};
        if (!lists_fit(&record, type, local))
            return "a definition whose contents don't fit its length";
        c->at += length;
        ++*records;
    }
}

const char *definition_file_check(const char *path, uint64_t chunk_bytes, int local, uint64_t *records)
{
    struct stat st;
    uint8_t end = END_OF_CHUNK;
    const char *damage = NULL;
    uint64_t first, last;

    *records = 0;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? "the file is missing" : "the file cannot be opened";
    if (st.st_size == 0)
        return "the file is empty";
    uint64_t size = (uint64_t)st.st_size, most = size < chunk_bytes ? size : chunk_bytes;
    uint8_t *buffer = malloc(most);
    if (buffer == NULL)
        return "out of memory";
    for (uint64_t start = 0; start < size && end == END_OF_CHUNK && !damage; start += chunk_bytes) {
        int64_t got = read_at(path, start, buffer, most);
        cursor c = {buffer, buffer + (got > 0 ? got : 0), 0, 0};
        damage = take_header(&c, &first, &last);
        if (!damage)
            damage = take_definitions(&c, local, records, &end);
    }
    if (!damage && end != END_OF_FILE)
        damage = "the file ends without an end mark";
    free(buffer);
    return damage;
}

/* --------------------------------------------------------------------------------------------------- thumbnails -- */

enum { THUMBNAIL_HEADER = 10, THUMBNAIL_SAMPLE = 11, THUMBNAIL_CHUNK_BYTES = 1024 * 1024 };

static const char *take_text(cursor *c)
{
    const char *text = (const char *)c->at;
    skip_text(c);
    return c->bad ? "" : text;
}

/* The next record of a thumbnail file; its chunks start at multiples of their size from `start`. */
static const char *take_thumbnail_record(cursor *c, const uint8_t *start, uint8_t type, cursor *record)
{
    uint64_t first, last;
    uint8_t found = take_byte(c);

    if (found == END_OF_CHUNK && !c->bad) {
        uint64_t chunk = (uint64_t)(c->at - 1 - start) / THUMBNAIL_CHUNK_BYTES + 1;
        c->at = start;
        skip(c, chunk * THUMBNAIL_CHUNK_BYTES);
        const char *damage = take_header(c, &first, &last);
        if (damage)
            return damage;
        found = take_byte(c);
    }
    if (c->bad || found != type)
        return "it is cut or garbled";
    uint64_t length = take_length(c);
    if (c->bad || length > left(c))
        return "a record that doesn't fit";
    *record = (cursor){c->at, c->at + length, c->swap, 0};
    c->at += length;
    return NULL;
}

static const char *take_samples(cursor *c, const uint8_t *start, const tcf_thumbnail *t, uint64_t *baseline,
                                uint64_t *samples)
{
    for (uint32_t i = 0; i < t->n_samples; i++) {
        cursor record;
        const char *damage = take_thumbnail_record(c, start, THUMBNAIL_SAMPLE, &record);
        if (damage)
            return damage;
        baseline[i] = take_number(&record, 8);
        if (take_number(&record, 4) != t->n_metrics)
            return "a sample with another number of metrics";
        for (uint32_t k = 0; k < t->n_metrics; k++)
            samples[(uint64_t)i * t->n_metrics + k] = take_number(&record, 8);
        if (record.bad)
            return "a sample that doesn't fit";
    }
    return NULL;
}

/* The numbers need at most 8 times the room that they take in the file: one byte each at least. */
const char *thumbnail_file_read(const char *path, tcf_thumbnail *t, void **memory)
{
    struct stat st;
    uint64_t first, last;
    cursor record;

    memset(t, 0, sizeof *t);
    *memory = NULL;
    if (stat(path, &st) != 0 || st.st_size == 0)
        return "it is missing or empty";
    uint64_t size = (uint64_t)st.st_size, numbers = size;
    uint64_t *number = malloc(numbers * sizeof *number + size);
    if (number == NULL)
        return "out of memory";
    *memory = number;
    uint8_t *bytes = (uint8_t *)(number + numbers);
    int64_t got = read_at(path, 0, bytes, size);
    cursor c = {bytes, bytes + (got > 0 ? got : 0), 0, 0};
    const char *damage = take_header(&c, &first, &last);
    if (!damage)
        damage = take_thumbnail_record(&c, bytes, THUMBNAIL_HEADER, &record);
    if (damage)
        return damage;
    t->name = take_text(&record);
    t->description = take_text(&record);
    t->type = take_byte(&record);
    t->n_samples = (uint32_t)take_number(&record, 4);
    t->n_metrics = (uint32_t)take_number(&record, 4);
    if (record.bad || t->n_metrics > left(&record) || (uint64_t)t->n_samples * ((uint64_t)t->n_metrics + 1) > left(&c))
        return "its counts don't fit its size";
    for (uint32_t k = 0; k < t->n_metrics; k++)
        number[k] = take_number(&record, 8);
    t->refs = number;
    t->baseline = number + t->n_metrics;
    t->samples = t->baseline + t->n_samples;
    if (record.bad)
        return "its header doesn't fit";
    return take_samples(&c, bytes, t, number + t->n_metrics, number + t->n_metrics + t->n_samples);
}
