/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* stream_write: makes frames, with compression and checksum, and the blocks in the frame of a window. */
#include "stream_write.h"

#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

size_t block_begin(tcf_pack *p, uint8_t id)
{
    uint32_t later = 0;
    tcf_pack_u8(p, id);
    tcf_pack_bytes(p, &later, sizeof later);
    return p->n;
}

void block_end(tcf_pack *p, size_t begin)
{
    if (!p->failed)
        tcf_put_u32(p->at + begin - sizeof(uint32_t), (uint32_t)(p->n - begin));
}

tcf_pack *frame_begin(tcf_self *self)
{
    struct state *state = self->state;
    static const uint8_t head[TCF_HEAD_BYTES];

    state->frame.n = 0;
    tcf_pack_bytes(&state->frame, head, sizeof head);
    return &state->frame;
}

static uint32_t checksum(const uint8_t *frame, size_t n)
{
    uLong sum = crc32(0, frame, TCF_SUMMED_BYTES);
    return (uint32_t)crc32_z(sum, frame + TCF_HEAD_BYTES, n - TCF_HEAD_BYTES);
}

#ifdef HAVE_ZSTD
/* Compresses the frame. Returns the compressed one, or the frame itself where that is not larger; NULL: out of memory.
 */
static tcf_pack *compress_frame(struct state *state, uint8_t *flags)
{
    enum { LEVEL = 1 };
    size_t bytes = state->frame.n - TCF_HEAD_BYTES, head = TCF_HEAD_BYTES + sizeof(uint32_t);

    state->packed.n = 0;
    uint8_t *to = tcf_pack_room(&state->packed, head + ZSTD_compressBound(bytes));
    size_t n =
        to ? ZSTD_compress(to + head, ZSTD_compressBound(bytes), state->frame.at + TCF_HEAD_BYTES, bytes, LEVEL) : 0;
    if (!to || ZSTD_isError(n))
        return NULL;
    if (n + sizeof(uint32_t) >= bytes)
        return &state->frame;
    tcf_put_u32(to + TCF_HEAD_BYTES, (uint32_t)bytes);
    state->packed.n = head + n;
    *flags = TCF_FRAME_ZSTD;
    return &state->packed;
}
#else
static tcf_pack *compress_frame(struct state *state, uint8_t *flags)
{
    (void)flags;
    return &state->frame;
}
#endif

tcf_pack *frame_seal(tcf_self *self, tcf_frame_type type)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;
    uint8_t flags = 0;
    tcf_pack *p = conf->compression == COMPRESSION_ZSTD ? compress_frame(state, &flags) : &state->frame;
    if (!p)
        return NULL;
    tcf_frame_head head = {.bytes = (uint32_t)(p->n - TCF_HEAD_BYTES),
                           .type = (uint8_t)type,
                           .flags = flags,
                           .number = state->frames++};

    tcf_put_head(p->at, &head);
    tcf_put_u32(p->at + TCF_SUMMED_BYTES, checksum(p->at, p->n));
    return p;
}

tcf_status frame_end(tcf_self *self, tcf_frame_type type)
{
    struct state *state = self->state;

    if (state->frame.failed)
        return self->host->fail(self, "out of memory for a frame of the stream");
    if (state->frame.n - TCF_HEAD_BYTES > TCF_FRAME_LARGEST)
        return self->host
            ->fail(self,
                   "a record or slice is larger than a frame of the stream may be (%d MiB); smaller slices "
                   "may do (slice in [pipeline])",
                   TCF_FRAME_LARGEST >> 20);
    const tcf_pack *p = frame_seal(self, type);
    return p ? target_write(self, p->at, p->n) : self->host->fail(self, "out of memory for a compressed frame");
}
