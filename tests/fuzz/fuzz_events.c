/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the decoder of event files: the records of a chunk, decoded at once and in two pieces, must
 * become the same events. The record that ends the decoding must be one that event_record_check() refuses, too. The
 * first two bytes choose how. */
#include "framework/base/error.h"
#include "framework/source/otf2/otf2_bytes.h"
#include "framework/source/otf2/otf2_internal.h"

#include <stdlib.h>

enum { LONGEST = 4000, MOST = 4096, OTHER_ORDER = 1, CHECK = 2, SOME = 4, MAPPED = 8, FEW = 16 };

/* Made once: an execution takes a few microseconds, and so would making them. */
static pool *slices;
static definitions *defs;
static uint8_t *buffer; /* bytes end EVENT_SLACK before its end, so that the sanitizer sees who reads beyond */
static uint8_t kinds[256];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const slice_layout layout = {.capacity = MOST, .arena = 1 << 16};

    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    for (int k = 0; k < 256; k++)
        kinds[k] = (uint8_t)(k % 3 != 0);
    slices = pool_new(&layout, 2);
    defs = definitions_new();
    buffer = calloc(1, LONGEST + EVENT_SLACK);
    return slices && defs && buffer && definitions_resolve(defs) == TCF_OK ? 0 : -1;
}

struct result {
    uint32_t n;
    uint64_t records, unknown, bytes;
};

/* Decodes the bytes from b->at, which are data[from..to). Returns how many it has decoded. */
static size_t decode_some(decoder *d, event_bytes *b, const uint8_t *data, size_t from, size_t to, unsigned how)
{
    uint8_t *start = buffer + LONGEST - (to - from);

    memcpy(start, data + from, to - from);
    b->at = start;
    b->end = start + (to - from);
    otf2_decode_events(d, b, how & FEW ? 5 : MOST);
    if (b->at > b->end)
        abort();
    return (size_t)(b->at - start);
}

/* Decodes the bytes, at first those up to `piece`. */
static struct result decode(slice *s, const uint8_t *data, size_t size, size_t piece, unsigned how)
{
    static const uint64_t local[] = {1, 3, 4}, global[] = {2, 1, UINT64_MAX};
    static const id_map dense = {3, NULL, global}, sparse = {3, local, global};
    static const id_maps maps = {.of = {[OTF2_MAPPING_REGION] = &dense, [OTF2_MAPPING_ATTRIBUTE] = &sparse}};
    decoder d = {.defs = defs, .maps = how & MAPPED ? &maps : NULL, .wanted = how & SOME ? kinds : NULL};
    event_bytes b = {.swap = (how & OTHER_ORDER) != 0, .check = (how & CHECK) != 0, .records = UINT64_MAX};

    decoder_begin(&d, s);
    size_t n = decode_some(&d, &b, data, 0, piece, how);
    if (b.damage && piece < size)
        n += decode_some(&d, &b, data, n, size, how);
    int marks = b.at < b.end && (*b.at == END_OF_CHUNK || *b.at == END_OF_FILE || *b.at == TIMESTAMP ||
                                 *b.at == ATTRIBUTE_LIST); /* these may stand in front of an end mark */
    if (b.damage && !marks && !event_record_check(b.at, b.end, b.swap))
        abort();
    return (struct result){d.n, UINT64_MAX - b.records, d.unknown, n};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size - 2 > LONGEST)
        return 0;
    unsigned how = data[0];
    size_t piece = data[1] % (size - 2);
    slice *whole = slice_get(slices, 0), *parts = slice_get(slices, 0);
    struct result a = decode(whole, data + 2, size - 2, size - 2, how);
    struct result b = decode(parts, data + 2, size - 2, piece, how);
    if (a.n != b.n || a.records != b.records || a.unknown != b.unknown || a.bytes != b.bytes)
        abort();
    for (uint32_t i = 0; i < a.n; i++)
        if (whole->v.time[i] != parts->v.time[i] || whole->v.kind[i] != parts->v.kind[i] ||
            !whole->v.attr[i] != !parts->v.attr[i])
            abort();
    slice_put(slices, whole);
    slice_put(slices, parts);
    error_clear();
    return 0;
}
