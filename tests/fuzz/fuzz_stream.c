/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader of streams, and for all that works with what it delivers: matching, causal order,
 * slots and instances.
 *
 * An input is a byte of options and a list of frames: a byte of type, three bytes of length (lowest first), the bytes.
 * The header, numbers and checksums are made here, or nothing behind them would ever be reached; tests/fuzz/frames.py
 * makes inputs of streams. Most mutations are of one frame alone: bytes that are shifted from one frame into the next
 * end the run where the first of them is looked at, among the definitions most often. */
#define _GNU_SOURCE
#include "filters.h"
#include "frames.h"

#include <sys/mman.h>
#include <unistd.h>

static const tcf_filter *const builtin[] = {&edges, &records, NULL};

/* The stream that an input stands for, on standard input: a file in memory, the same for all runs. */
static void put_stream(const uint8_t *data, size_t size)
{
    static uint8_t stream[LARGEST_STREAM];
    size_t n = make_stream(stream, data, size);
    if (pwrite(STDIN_FILENO, stream, n, 0) != (ssize_t)n || ftruncate(STDIN_FILENO, (off_t)n) != 0 ||
        lseek(STDIN_FILENO, 0, SEEK_SET) != 0)
        abort();
}

/* Settings for each value of the byte of options that makes a difference. */
static settings *settings_of(uint8_t options)
{
    static settings *made[8];
    const char *overrides[] = {"pipeline.input=-",
                               options & 1 ? "pipeline.chain=records" : "pipeline.chain=edges records",
                               options & 2 ? "pipeline.salvage=yes" : "pipeline.salvage=no",
                               "pipeline.memory=64KiB",
                               "pipeline.lookahead=20",
                               options & 4 ? "pipeline.slice=8" : "pipeline.slice=64"};
    settings **s = &made[options & 7];
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
    int fd = memfd_create("stream", MFD_CLOEXEC);
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        abort();
    close(fd);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > MOST_BYTES)
        return 0;
    put_stream(data + 1, size - 1);
    run_over(settings_of(data[0]), builtin);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    size_t frame = size <= max_size && max_size <= MOST_BYTES ? choose_frame(data, size, 8, &seed) : 0;

    return mutate_input(data, size, max_size, frame, rand_r(&seed) % MUTATIONS, &seed);
}
