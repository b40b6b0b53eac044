/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checks of the files beside the event files: anchor, definitions, thumbnails; see otf2_file.h and otf2_bytes.h. */
#include "otf2_bytes.h"
#include "otf2_file.h"

#include <errno.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_DEFINITION = 5, DEFINITION_GROUP = 18 };

/* -------------------------------------------------------------------------------------------------------- anchor -- */

static void skip_text(cursor *c)
{
    const uint8_t *end = memchr(c->at, '\0', left(c));
    skip(c, end ? (uint64_t)(end - c->at) + 1 : left(c) + 1);
}

/* An anchor file holds byte order, "OTF2", versions, chunk sizes, counts, three texts; since version 2 also
 * properties. */
const char *anchor_file_check(const char *path, anchor_facts *facts)
{
    enum { MOST_ANCHOR = 64 << 20, TO_SUBSTRATE = 20, TO_TEXTS = 16 };
    struct stat st;
    const char *damage = NULL;

    *facts = (anchor_facts){0};
    if (stat(path, &st) != 0 || st.st_size <= 0)
        return "it is empty, or cannot be opened";
    if (st.st_size > MOST_ANCHOR)
        return "it has more than 64 MiB";
    uint8_t *buffer = malloc((size_t)st.st_size);
    if (buffer == NULL)
        return "";
    cursor c = otf2_read_at(path, 0, buffer, (uint64_t)st.st_size);
    if (c.bad) {
        free(buffer);
        return strerror(errno);
    }
    uint8_t start = take_byte(&c), order = take_byte(&c);
    if (start != CHUNK_HEADER || left(&c) < 5 || memcmp(c.at, "OTF2", 5) != 0) {
        damage = "it doesn't begin as an anchor file does";
    } else {
        c.swap = (order == BIG_ENDIAN_FILE) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
        skip(&c, 5);
        uint8_t version = facts->format = take_byte(&c);
        skip(&c, TO_SUBSTRATE);
        facts->substrate = take_byte(&c);
        facts->compression = take_byte(&c);
        skip(&c, TO_TEXTS);
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

/* --------------------------------------------------------------------------------------------------- definitions -- */

/* Do the arrays fit into the record? Only those kinds are checked whose lengths libotf2 doesn't check. */
static int lists_fit(const cursor *record, unsigned type)
{
    cursor c = *record;
    uint64_t n = 0;

    if (type == DEFINITION_GROUP) {
        take_number(&c, 4); /* self, name */
        take_number(&c, 4);
        take_byte(&c);
        n = take_number(&c, 4);
    }
    return !c.bad && n <= left(&c);
}

static const char *take_definitions(cursor *c, const definition_visitor *visitor, uint64_t *records, uint8_t *end)
{
    for (;;) {
        if (c->at == c->end)
            return "the file ends in the middle of a chunk";
        uint8_t type = take_byte(c);
        if (type == END_OF_CHUNK || type == END_OF_FILE) {
            *end = type;
            return NULL;
        }
        if (type < LEAST_DEFINITION)
            return "a byte where a definition should start";
        uint64_t length = take_length(c);
        if (c->bad || length > left(c))
            return "a definition that doesn't fit";
        cursor record = {c->at, c->at + length, c->swap, 0};
        const char *damage = !lists_fit(&record, type) ? "a definition whose contents don't fit its length"
                             : visitor                 ? visitor->visit(visitor->data, type, &record)
                                                       : NULL;
        if (damage)
            return damage;
        c->at += length;
        ++*records;
    }
}

const char definition_file_missing[] = "the file is missing";

/* Checks the chunks of a file of `size` > 0 bytes. */
static const char *take_definition_file(int fd, uint64_t size, uint64_t chunk_bytes, const definition_visitor *visitor,
                                        uint64_t *records)
{
    const uint64_t most = size < chunk_bytes ? size : chunk_bytes;
    uint8_t *buffer = malloc(most), end = END_OF_CHUNK;
    const char *damage = buffer ? NULL : "out of memory";
    uint64_t first, last;

    for (uint64_t start = 0; start < size && end == END_OF_CHUNK && !damage; start += chunk_bytes) {
        cursor c = {buffer, buffer + otf2_pread(fd, start, buffer, most), 0, 0};
        damage = take_header(&c, &first, &last);
        if (!damage)
            damage = take_definitions(&c, visitor, records, &end);
    }
    if (!damage && end != END_OF_FILE)
        damage = "the file ends without an end mark";
    free(buffer);
    return damage;
}

const char *definition_file_check(const char *path, uint64_t chunk_bytes, const definition_visitor *visitor,
                                  uint64_t *records)
{
    const int fd = otf2_open_file(path);
    struct stat st;

    *records = 0;
    if (fd < 0)
        return errno == ENOENT ? definition_file_missing : "the file cannot be opened";
    const char *damage = fstat(fd, &st) != 0 ? "the file cannot be opened"
                         : st.st_size == 0
                             ? "the file is empty"
                             : take_definition_file(fd, (uint64_t)st.st_size, chunk_bytes, visitor, records);
    close(fd);
    return damage;
}

/* ---------------------------------------------------------------------------------------------------- thumbnails -- */

enum { THUMBNAIL_HEADER = 10, THUMBNAIL_SAMPLE = 11, THUMBNAIL_CHUNK_BYTES = 1024 * 1024 };

static const char *take_text(cursor *c)
{
    const char *text = (const char *)c->at;
    skip_text(c);
    return c->bad ? "" : text;
}

/* Reads the next record of a thumbnail file. Its chunks start at multiples of their size from `start`. */
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

/* A number takes at least a byte in the file, so 8 bytes of memory for each byte of the file suffice. */
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
    cursor c = otf2_read_at(path, 0, bytes, size);
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
