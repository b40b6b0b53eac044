/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For targets whose input is a folder of PARTS files: a folder that goes with the process. */
#include "readers.h"

#include <fcntl.h>

enum { PARTS = 3 };

static struct {
    const char *name;
    int file;
} parts[PARTS];

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
    for (size_t i = 0; i < PARTS && parts[i].name; i++)
        unlink(part_path(parts[i].name));
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
    size_t i = 0;

    while (i < PARTS && parts[i].name && parts[i].name != name)
        i++;
    must_hold(i < PARTS, "there are no more parts");
    if (!parts[i].name) {
        parts[i].name = name;
        parts[i].file = open(part_path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    }
    put_input(parts[i].file, from, n);
}
