/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for several inputs that are read as one: streams of different locations, their definitions united,
 * their events rewritten and matched anew, by turns as they come.
 *
 * An input is a byte of options and a list of frames (frames.h); one of type NEXT begins another stream, up to three.
 * In what pieces and in which order they arrive stands in a frame of type SCHEDULE: a byte a piece, stream and size.
 * The streams are pipes; where a read would have to wait, poll() of this file writes the next piece, so that nobody
 * ever waits in vain, while one stream waits for another as it does when writers are slow. */
#define _GNU_SOURCE
#include "filters.h"
#include "frames.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { STREAMS = 3, READ_END = 200, NEXT = 255, SCHEDULE = 254, PIECE = 64 };

/* As what passes events on to who follows. */
static tcf_status beat(tcf_self *self)
{
    uint64_t *sum = self->state;
    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        *sum += tcf_stream_host_of(self)->frontier(self, i);
    return TCF_OK;
}

static const tcf_filter live = {.head = TCF_FILTER_HEAD,
                                .name = "live",
                                .version = "1",
                                .summary = "Passes on",
                                .state_size = 8,
                                .needs = TCF_NEED_TOGETHER,
                                .can = TCF_CAN_LIVE,
                                .slice = look_at,
                                .heartbeat = beat};

static const tcf_filter *const builtin[] = {&edges, &records, &live, NULL};

/* ------------------------------------------------------------------------------------------------------- arrival -- */

typedef struct arriving {
    uint8_t bytes[LARGEST_STREAM];
    size_t n, done;
    int fd; /* the writer's end, -1: it is closed */
} arriving;

static arriving streams[STREAMS];
static const uint8_t *schedule;
static size_t n_schedule, turn;
static int n_streams;

/* Writes a piece of the stream, and closes it behind the last one. */
static void feed(arriving *a, size_t piece)
{
    size_t n = a->n - a->done < piece ? a->n - a->done : piece;

    if (write(a->fd, a->bytes + a->done, n) != (ssize_t)n)
        abort();
    a->done += n;
    if (a->done == a->n) {
        close(a->fd);
        a->fd = -1;
    }
}

/* The next piece of the schedule; of another stream where that one has come whole. 0: all have. */
static int feed_next(void)
{
    uint8_t says = n_schedule > 0 ? schedule[turn % n_schedule] : (uint8_t)(turn % STREAMS);
    size_t piece = says >= STREAMS + 1 ? (size_t)(says >> 2) * 8 + 1 : PIECE;

    turn++;
    for (int k = 0; k < n_streams; k++) {
        arriving *a = &streams[((says & 3) + k) % n_streams];
        if (a->fd < 0)
            continue;
        feed(a, piece);
        return 1;
    }
    return 0;
}

/* In place of libc's: instead of waiting it lets something come. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
    static const struct timespec at_once = {0};
    int ready;

    while ((ready = ppoll(fds, n, &at_once, NULL)) == 0 && ms != 0)
        if (!feed_next())
            abort(); /* somebody waits for what will never come */
    return ready;
}

/* --------------------------------------------------------------------------------------------------------- input -- */

static void begin_stream(int k, const uint8_t *data, size_t size)
{
    int ends[2];

    streams[k].n = make_stream(streams[k].bytes, data, size);
    streams[k].done = 0;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0 || dup3(ends[0], READ_END + k, O_CLOEXEC) < 0)
        abort();
    close(ends[0]);
    (void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
    streams[k].fd = ends[1];
}

/* Parts the list of frames. */
static void begin_streams(const uint8_t *data, size_t size)
{
    const uint8_t *from = data;

    schedule = NULL;
    n_schedule = turn = 0;
    n_streams = 0;
    while (size >= HEAD) {
        size_t whole = HEAD + frame_bytes(data, size);
        if (data[0] == SCHEDULE && n_schedule == 0) {
            schedule = data + HEAD;
            n_schedule = whole - HEAD;
        }
        if (data[0] == NEXT && n_streams < STREAMS - 1)
            begin_stream(n_streams++, from, (size_t)(data - from));
        if (data[0] == NEXT || (data[0] == SCHEDULE && from == data))
            from = data + whole;
        data += whole;
        size -= whole;
    }
    begin_stream(n_streams++, from, (size_t)(data - from));
}

static void end_streams(void)
{
    for (int k = 0; k < n_streams; k++) {
        close(READ_END + k);
        if (streams[k].fd >= 0)
            close(streams[k].fd);
    }
}

/* Settings for each value of the byte of options that makes a difference. */
static settings *settings_of(uint8_t options)
{
    static settings *made[2][16];
    static const char *const chains[] = {"pipeline.chain=edges records", "pipeline.chain=records",
                                         "pipeline.chain=edges live", "pipeline.chain=live records"};
    const char *overrides[] = {n_streams == 2
                                   ? "pipeline.input=stream:/dev/fd/200 stream:/dev/fd/201"
                                   : "pipeline.input=stream:/dev/fd/200 stream:/dev/fd/201 stream:/dev/fd/202",
                               chains[options & 3],
                               options & 4 ? "pipeline.salvage=yes" : "pipeline.salvage=no",
                               "pipeline.memory=64KiB",
                               "pipeline.lookahead=20",
                               options & 8 ? "pipeline.slice=8" : "pipeline.slice=64"};
    settings **s = &made[n_streams == 2][options & 15];
    if (!*s && !(*s = settings_load(NULL, overrides, sizeof overrides / sizeof *overrides)))
        abort();
    return *s;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MOST_BYTES)
        return 0;
    begin_streams(data + 1, size - 1);
    if (n_streams > 1)
        run_over(settings_of(data[0]), builtin);
    end_streams();
    return 0;
}

/* ----------------------------------------------------------------------------------------------------- mutations -- */

/* A copy of a frame, of a definition for example, where another one begins: in the same stream or another. */
static size_t copy_frame(uint8_t *data, size_t size, size_t max_size, size_t from, size_t to)
{
    static uint8_t copy[MOST_BYTES];
    size_t whole = HEAD + frame_bytes(data + from, size - from);

    if (size + whole > max_size || size - from < whole)
        return size;
    memcpy(copy, data + from, whole);
    memmove(data + to + whole, data + to, size - to);
    memcpy(data + to, copy, whole);
    return size + whole;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    size_t frame = size <= max_size && max_size <= MOST_BYTES ? choose_frame(data, size, 3, &seed) : 0;
    int mutation = rand_r(&seed) % MUTATIONS;

    if (frame > 0 && (mutation == 4 || mutation == 5))
        return copy_frame(data, size, max_size, frame, choose_frame(data, size, 3, &seed));
    return mutate_input(data, size, max_size, frame, mutation, &seed);
}
