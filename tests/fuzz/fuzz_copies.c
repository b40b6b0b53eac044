/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for what writers and readers make of values: a trace made of the input (made.h) is written as a
 * stream, or as an archive by either writer of otf2_write, and read again by the reader of streams or either reader of
 * archives. What is printed of the copy has to be what is printed of the trace. Where a writer refuses a trace, that is
 * all: its reason has been looked at.
 *
 * An input is a byte that chooses the way, and the trace. Archives lie in a folder in TMPDIR, or in memory. */
#include "captured.h"
#include "made.h"

#include <fcntl.h>
#include <ftw.h>

enum { MOST_BYTES = 4096, WRITE_END = 200, READ_END };

static char folder[512], archive[600];

static const struct way {
    const char *chain, *writer, *reader; /* writer: NULL, a stream */
} ways[] = {
    {"stream_write", NULL, "pipeline.reader=auto"},
    {"otf2_write", "otf2_write.writer=direct", "pipeline.reader=direct"},
    {"otf2_write", "otf2_write.writer=direct", "pipeline.reader=libotf2"},
    {"otf2_write", "otf2_write.writer=libotf2", "pipeline.reader=direct"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const prepared *settings_of_writer(uint32_t way)
{
    static prepared all[WAYS];
    static char path[700];
    const char *overrides[] = {"pipeline.input=made",
                               "pipeline.memory=1MiB",
                               "pipeline.threads=1",
                               way == 0 ? "stream_write.path=/dev/fd/200" : path,
                               "pipeline.slice=64",
                               "pipeline.lookahead=512", /* all events */
                               "otf2_write.overwrite=yes",
                               "otf2_write.chunk=256KiB",
                               ways[way].writer};

    snprintf(path, sizeof path, "otf2_write.path=%s", archive);
    prepare(&all[way], ways[way].chain, NULL, NULL, overrides, way == 0 ? 6 : 9);
    return &all[way];
}

/* `from`: NULL, the made trace. */
static const prepared *settings_of_reader(uint32_t way, const char *from)
{
    static prepared all[WAYS + 1];
    static char input[700];
    const char *overrides[] = {input,
                               "pipeline.memory=1MiB",
                               "pipeline.threads=1",
                               ways[way].reader,
                               "pipeline.slice=64",
                               "pipeline.lookahead=512"};
    prepared *as = &all[from ? way : WAYS];

    snprintf(input, sizeof input, "pipeline.input=%s", from ? from : "made");
    prepare(as, "print", NULL, NULL, overrides, 6);
    return as;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void remove_all(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *temporary = getenv("TMPDIR");

    (void)argc, (void)argv;
    begin_target();
    snprintf(folder, sizeof folder, "%s/tcflow-fuzz.XXXXXX",
             temporary                       ? temporary
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    if (!mkdtemp(folder))
        abort();
    snprintf(archive, sizeof archive, "%s/a", folder);
    atexit(remove_all);
    return 0;
}

/* A pipe that has room for a whole stream. */
static void begin_pipe(void)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0 || dup2(ends[0], READ_END) < 0 ||
        dup2(ends[1], WRITE_END) < 0)
        abort();
    close(ends[0]);
    close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first[MOST_TEXT], second[MOST_TEXT];
    char what[256];

    if (size < 3 || size > MOST_BYTES)
        return 0;
    const uint32_t way = data[0] % WAYS;
    made *m = made_new(data + 1, size - 1);
    if (!m)
        return 0;
    begin_pipe();
    const size_t written = run_captured(settings_of_writer(way), ways[way].chain, made_source(m, 0), second);
    if (written != FAILED) {
        close(WRITE_END); /* the stream ends */
        const size_t n = run_captured(settings_of_reader(way, NULL), "print", made_source(m, 0), first);
        const size_t again = run_captured(settings_of_reader(way, way == 0 ? "stream:/dev/fd/201" : archive),
                                          "print of the copy", NULL, second);
        snprintf(what, sizeof what, "a copy differs: %s %s, %s", ways[way].chain,
                 ways[way].writer ? ways[way].writer : "", ways[way].reader);
        compare(what, first, n, second, again);
    }
    close(WRITE_END);
    close(READ_END);
    made_delete(m);
    return 0;
}
