/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `nsight` and what the framework makes of what it says: the input is a database. */
#define _GNU_SOURCE
#include "plugins/nsight/nccl.c"
#include "plugins/nsight/mpi.c"
#include "plugins/nsight/nsight.c"
#include "plugins/nsight/tables.c"
#include "readers.h"

#include <fcntl.h>

/* SQLite follows links, so it needs a file with a name. */
static char path[64];

static void remove_file(void)
{
    unlink(path);
}

static void make_file(void)
{
    snprintf(path, sizeof path, "%s/tcflow-fuzz.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    close(mkstemp(path));
    atexit(remove_file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct conf usual = {0};

    if (!*path)
        make_file();
    int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

    must_hold(file >= 0 && write(file, data, size) == (ssize_t)size, "the input is written");
    close(file);
    fuzz_file(&tcflow_source, &usual, path);
    return 0;
}
