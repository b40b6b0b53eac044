/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For targets whose input is a folder of PARTS files: a folder that goes with the process. */
#include "readers.h"

#include <fcntl.h>

enum { PARTS = 3 };

static const char *part_names[PARTS];

static const char *folder(void);

/* Until the next call. */
static const char *part_path(const char *name)
{
    static char path[96];

    snprintf(path, sizeof path, "%s/%s", folder(), name);
    return path;
}

static void remove_all(void)
{
    for (size_t i = 0; i < PARTS && part_names[i]; i++)
        unlink(part_path(part_names[i]));
    rmdir(folder());
}

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

/* `name` lasts as long as the process. */
static void write_part(const char *name, const uint8_t *from, size_t n)
{
    int file = open(part_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t i = 0;

    while (i < PARTS && part_names[i] && part_names[i] != name)
        i++;
    must_hold(i < PARTS, "there are no more parts");
    part_names[i] = name;
    must_hold(file >= 0 && write(file, from, n) == (ssize_t)n, "the input is written");
    close(file);
}
