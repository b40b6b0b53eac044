/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `projections` and what the framework makes of what it says. The input is the .sts
 * and the logs of PEs 0 and 1, with a zero byte between them. */
#define _GNU_SOURCE
#include "plugins/projections/projections.c"
#include "readers.h"

#include <fcntl.h>

static const char *const names[] = {"x.sts", "x.0.log", "x.1.log"};

static void remove_all(void);

static const char *folder(void)
{
    static char name[64];

    if (!*name) {
        snprintf(name, sizeof name, "%s/tcflow-fuzz.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        must_hold(mkdtemp(name) != NULL, "there is a folder");
        atexit(remove_all);
    }
    return name;
}

static void write_part(const char *path, const uint8_t *from, size_t n)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    must_hold(file >= 0 && write(file, from, n) == (ssize_t)n, "the input is written");
    close(file);
}

static void remove_all(void)
{
    char path[96];

    for (size_t i = 0; i < TCF_COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder(), names[i]);
        unlink(path);
    }
    rmdir(folder());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[96];

    for (size_t i = 0; i < TCF_COUNT(names); i++) {
        const uint8_t *zero = i + 1 < TCF_COUNT(names) && size > 0 ? memchr(data, 0, size) : NULL;
        const size_t n = zero ? (size_t)(zero - data) : size;
        snprintf(path, sizeof path, "%s/%s", folder(), names[i]);
        write_part(path, data, n);
        data = zero ? zero + 1 : data + n;
        size = zero ? size - n - 1 : 0;
    }
    snprintf(path, sizeof path, "%s/x.sts", folder());
    fuzz_file(&tcflow_source, NULL, path);
    return 0;
}
