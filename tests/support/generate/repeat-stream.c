/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * repeat-stream TIMES [PAUSE_MS] < STREAM > STREAM: the windows of a recorded stream again and again, each time later.
 *
 * For streams of any length without a trace of that length. The input must have been written with matches = no, for the
 * numbers of messages would repeat. Nothing of tcflow but the numbers of the format is used here. With PAUSE_MS each
 * round waits. */
#include <private/stream.h>

#include <stdio.h>
#include <time.h>
#include <zlib.h>

typedef struct frame {
    tcf_frame_head head;
    uint8_t *bytes;
} frame;

static uint32_t written; /* frames */

static void die(const char *why)
{
    fprintf(stderr, "repeat-stream: %s\n", why);
    exit(1);
}

static int get(frame *f)
{
    uint8_t head[TCF_HEAD_BYTES];
    if (fread(head, sizeof head, 1, stdin) != 1)
        return 0;
    tcf_get_head(head, &f->head);
    f->bytes = malloc(f->head.bytes + 1u);
    if (!f->bytes || fread(f->bytes, 1, f->head.bytes, stdin) != f->head.bytes)
        die("the input ends in a frame");
    return 1;
}

static void put(uint8_t type, const uint8_t *bytes, size_t n)
{
    tcf_frame_head head = {.bytes = (uint32_t)n, .type = type, .number = written++};
    uint8_t packed[TCF_HEAD_BYTES];
    tcf_put_head(packed, &head);
    tcf_put_u32(packed + TCF_SUMMED_BYTES, (uint32_t)crc32_z(crc32(0, packed, TCF_SUMMED_BYTES), bytes, n));
    if (fwrite(packed, sizeof packed, 1, stdout) != 1 || fwrite(bytes, 1, n, stdout) != n)
        die("nobody reads");
}

/* A window, `later` ticks later, its first event the `first`-th of the location. */
static void put_window(const frame *f, uint64_t later, uint64_t first_of_round, tcf_pack *p)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->head.bytes};
    p->n = 0;
    tcf_pack_varint(p, tcf_get_varint(&c));
    tcf_pack_varint(p, tcf_get_varint(&c));
    tcf_pack_varint(p, tcf_get_varint(&c) + first_of_round);
    while (tcf_left(&c) > 0 && !c.bad) {
        uint8_t id = tcf_get_u8(&c);
        uint32_t bytes = tcf_get_u32(tcf_get_bytes(&c, sizeof bytes));
        tcf_cursor block = {.at = tcf_get_bytes(&c, bytes)};
        block.end = block.at + bytes;
        tcf_pack_u8(p, id);
        size_t at = p->n;
        tcf_pack_bytes(p, &bytes, sizeof bytes);
        if (id == TCF_BLOCK_TIME)
            tcf_pack_varint(p, tcf_get_varint(&block) + later);
        tcf_pack_bytes(p, block.at, (size_t)tcf_left(&block));
        tcf_put_u32(p->at + at, (uint32_t)(p->n - at - sizeof bytes));
    }
    put(TCF_FRAME_WINDOW, p->at, p->n);
}

static void put_count(uint8_t type, const frame *f, uint64_t times, tcf_pack *p)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->head.bytes};
    p->n = 0;
    if (type == TCF_FRAME_LOCATION_END)
        tcf_pack_varint(p, tcf_get_varint(&c));
    tcf_pack_varint(p, tcf_get_varint(&c) * times);
    tcf_pack_bytes(p, c.at, (size_t)tcf_left(&c));
    put(type, p->at, p->n);
}

/* Where windows start and end, and how many events each location has. */
typedef struct round_ {
    uint64_t earliest, latest, *events;
    uint32_t locations;
} round_;

static void measure(const frame *f, round_ *r)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->head.bytes};
    uint64_t location = tcf_get_varint(&c), n = tcf_get_varint(&c), time = 0;
    (void)tcf_get_varint(&c);
    (void)tcf_get_bytes(&c, 1 + sizeof(uint32_t)); /* the first block is that of times */
    while (location >= r->locations) {
        r->events = realloc(r->events, (r->locations + 1u) * sizeof *r->events);
        r->events[r->locations++] = 0;
    }
    r->events[location] += n;
    for (uint64_t i = 0; i < n; i++) {
        time += tcf_get_varint(&c);
        r->earliest = time < r->earliest ? time : r->earliest;
    }
    r->latest = time > r->latest ? time : r->latest;
}

int main(int argc, char **argv)
{
    uint64_t times = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    long pause = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    uint8_t header[TCF_HEADER_BYTES];
    frame *frames = NULL, f;
    size_t n = 0;
    round_ r = {.earliest = UINT64_MAX};
    tcf_pack p = {0};

    if (times == 0)
        die("usage: repeat-stream TIMES [PAUSE_MS] < STREAM > STREAM");
    if (fread(header, sizeof header, 1, stdin) != 1 || fwrite(header, sizeof header, 1, stdout) != 1)
        die("no input");
    while (get(&f)) {
        if (f.head.type < TCF_FRAME_WINDOW) {
            put(f.head.type, f.bytes, f.head.bytes);
            free(f.bytes);
            continue;
        }
        frames = realloc(frames, (n + 1) * sizeof *frames);
        frames[n++] = f;
        if (f.head.type == TCF_FRAME_WINDOW)
            measure(&f, &r);
    }
    fflush(stdout);
    for (uint64_t round = 0; round < times; round++) {
        for (size_t i = 0; i < n; i++) {
            tcf_cursor c = {.at = frames[i].bytes, .end = frames[i].bytes + frames[i].head.bytes};
            if (frames[i].head.type == TCF_FRAME_WINDOW)
                put_window(&frames[i], round * (r.latest - r.earliest + 1), round * r.events[tcf_get_varint(&c)], &p);
        }
        if (pause > 0) {
            struct timespec t = {.tv_sec = pause / 1000, .tv_nsec = pause % 1000 * 1000000};
            fflush(stdout);
            nanosleep(&t, NULL);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (frames[i].head.type == TCF_FRAME_LOCATION_END || frames[i].head.type == TCF_FRAME_END)
            put_count(frames[i].head.type, &frames[i], times, &p);
        free(frames[i].bytes);
    }
    free(frames);
    free(r.events);
    free(p.at);
    return fflush(stdout) == 0 ? 0 : 1;
}
