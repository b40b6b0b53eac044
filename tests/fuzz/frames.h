/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the fuzz targets that read streams share: streams out of lists of frames, and mutations of such lists. A frame
 * is a byte of type, three bytes of length (lowest first), the bytes; an input is a byte of options and frames. */
#ifndef TCFLOW_TESTS_FUZZ_FRAMES_H
#define TCFLOW_TESTS_FUZZ_FRAMES_H

#include <private/stream.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEAD = 4, MOST_BYTES = 1 << 16, MOST_FRAMES = 4096, MUTATIONS = 32 };

static size_t frame_bytes(const uint8_t *at, size_t left)
{
    size_t n = at[1] | (size_t)at[2] << 8 | (size_t)at[3] << 16;
    return n < left - HEAD ? n : left - HEAD;
}

/* ------------------------------------------------------------------------------------------------------- streams -- */

static uint8_t *put(uint8_t *to, const void *bytes, size_t n)
{
    if (n > 0)
        memcpy(to, bytes, n);
    return to + n;
}

static uint8_t *put_frame(uint8_t *to, uint32_t number, uint8_t type, const uint8_t *bytes, uint32_t n)
{
    tcf_frame_head head = {.bytes = n, .type = type, .number = number};
    tcf_put_head(to, &head);
    uLong sum = crc32(0, to, TCF_SUMMED_BYTES);
    tcf_put_u32(to + TCF_SUMMED_BYTES, (uint32_t)(n > 0 ? crc32(sum, bytes, n) : sum));
    return put(to + TCF_HEAD_BYTES, bytes, n);
}

enum { LARGEST_STREAM = TCF_HEADER_BYTES + MOST_BYTES / HEAD * TCF_HEAD_BYTES + MOST_BYTES };

/* The stream that a list of frames stands for, to LARGEST_STREAM bytes; how many it has. Header, numbers and checksums
 * are right. */
static size_t make_stream(uint8_t *stream, const uint8_t *data, size_t size)
{
    tcf_stream_header header = {.order = tcf_stream_byte_order(), .major = TCF_STREAM_MAJOR};
    memcpy(header.magic, TCF_STREAM_MAGIC, sizeof header.magic);
    tcf_put_header(stream, &header);
    tcf_put_u32(stream + TCF_SUMMED_BYTES, (uint32_t)crc32(0, stream, TCF_SUMMED_BYTES));
    uint8_t *to = stream + TCF_HEADER_BYTES;
    for (uint32_t number = 0; size >= HEAD; number++) {
        size_t n = frame_bytes(data, size);
        to = put_frame(to, number, data[0], data + HEAD, (uint32_t)n);
        data += HEAD + n;
        size -= HEAD + n;
    }
    return (size_t)(to - stream);
}

/* ----------------------------------------------------------------------------------------------------- mutations -- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* A frame of the input: one that is not of definitions, if there is any, but for one time of `any`. Its place, 0: there
 * is none. */
static size_t choose_frame(const uint8_t *data, size_t size, int any, unsigned int *seed)
{
    size_t at[MOST_FRAMES], others[MOST_FRAMES], n = 0, n_others = 0;

    for (size_t i = 1; i + HEAD <= size && n < MOST_FRAMES; i += HEAD + frame_bytes(data + i, size - i)) {
        if (data[i] > TCF_FRAME_READY)
            others[n_others++] = i;
        at[n++] = i;
    }
    if (n_others > 0 && rand_r(seed) % any != 0)
        return others[(size_t)rand_r(seed) % n_others];
    return n > 0 ? at[(size_t)rand_r(seed) % n] : 0;
}

/* Makes the frame's bytes longer or shorter: moves what follows. */
static size_t resize(uint8_t *data, size_t size, size_t frame, size_t before, size_t after)
{
    uint8_t *bytes = data + frame + HEAD;

    memmove(bytes + after, bytes + before, size - frame - HEAD - before);
    for (uint32_t i = 0; i < 3; i++)
        data[frame + 1 + i] = (uint8_t)(after >> 8 * i);
    return size + after - before;
}

static size_t mutate_frame(uint8_t *data, size_t size, size_t max_size, size_t frame)
{
    static uint8_t changed[MOST_BYTES];
    size_t n = frame_bytes(data + frame, size - frame), most = n + (max_size - size);

    if (most == 0) /* LLVMFuzzerMutate() would return 1 nevertheless */
        return size;
    memcpy(changed, data + frame + HEAD, n);
    size_t now = LLVMFuzzerMutate(changed, n, most < sizeof changed ? most : sizeof changed);
    size = resize(data, size, frame, n, now);
    memcpy(data + frame + HEAD, changed, now);
    return size;
}

static size_t repeat_frame(uint8_t *data, size_t size, size_t max_size, size_t frame)
{
    size_t whole = HEAD + frame_bytes(data + frame, size - frame);

    if (size + whole > max_size)
        return size;
    memmove(data + frame + whole, data + frame, size - frame);
    return size + whole;
}

static size_t drop_frame(uint8_t *data, size_t size, size_t frame)
{
    size_t whole = HEAD + frame_bytes(data + frame, size - frame);

    memmove(data + frame, data + frame + whole, size - frame - whole);
    return size - whole;
}

/* The mutation with this number: the first of them are rare ones, all others change bytes of the frame (0: there is
 * none). */
static size_t mutate_input(uint8_t *data, size_t size, size_t max_size, size_t frame, int mutation, unsigned int *seed)
{
    if (frame == 0 || mutation == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    switch (mutation) {
    case 1:
        return repeat_frame(data, size, max_size, frame);
    case 2:
        return drop_frame(data, size, frame);
    case 3:
        data[0] = (uint8_t)rand_r(seed);
        return size;
    default:
        return mutate_frame(data, size, max_size, frame);
    }
}

#endif
