/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See handles.h. Where there are too many, most of the files that were opened first stay open: locations are mostly
 * used in turn, so to close any of those would only move the opening to another one. The others share few places. Of
 * these a file by chance is closed, for a location may be used several times in a row, and others in between. */
#include "framework/base/handles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    OTHER_FILES = 64,
    FEWEST = 16, /* of all shares, but one of each at least */
    MOST = 1 << 16,
    SHARED = 8 /* a part of them */
};

struct tcf_open_file {
    int fd; /* -1: closed */
    uint32_t location;
    uint32_t next_free; /* while it is closed */
};

int handles_init(tcf_handles *h, uint32_t locations, uint32_t shares, uint32_t eighths)
{
    struct rlimit limit = {.rlim_cur = 1024};
    uint64_t most = locations < MOST ? locations : MOST, fewest;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
            getrlimit(RLIMIT_NOFILE, &limit);
    }
    uint64_t room = limit.rlim_cur < OTHER_FILES ? 0 : (uint64_t)(limit.rlim_cur - OTHER_FILES);
    shares = shares > 0 ? shares : 1;
    room = room / shares;
    const uint64_t part = room * eighths / 8, left = room > locations ? room - locations : 0; /* by the other one */
    room = part > left ? part : left;
    fewest = shares < FEWEST ? FEWEST / shares : 1;
    most = most < room ? most : room;
    h->capacity = (uint32_t)(most > fewest ? most : fewest);
    h->free = UINT32_MAX;
    h->files = malloc(h->capacity * sizeof *h->files);
    return h->files ? 0 : -1;
}

void handles_close_all(tcf_handles *h)
{
    for (uint32_t i = 0; i < h->n; i++)
        if (h->files[i].fd >= 0)
            close(h->files[i].fd);
    free(h->files);
    *h = (tcf_handles){0};
}

static int is_at(const tcf_handles *h, uint32_t location, uint32_t place)
{
    return place < h->n && h->files[place].location == location && h->files[place].fd >= 0;
}

int handles_find(const tcf_handles *h, uint32_t location, uint32_t place)
{
    return is_at(h, location, place) ? h->files[place].fd : -1;
}

static int close_at(tcf_handles *h, uint32_t place)
{
    struct tcf_open_file *f = &h->files[place];
    const int fd = f->fd;

    f->fd = -1;
    f->next_free = h->free;
    h->free = place;
    return close(fd);
}

int handles_open(tcf_handles *h, uint32_t location, const char *path, int flags, uint32_t *place)
{
    if (h->free == UINT32_MAX && h->n == h->capacity) {
        const uint32_t shared = h->n / SHARED + 1;
        h->random = h->random * 1664525u + 1013904223u;
        if (close_at(h, h->n - 1 - (uint32_t)((uint64_t)h->random * shared >> 32)) != 0)
            return -1;
    }
    const uint32_t at = h->free != UINT32_MAX ? h->free : h->n;
    const int fd = open(path, flags | O_CLOEXEC, 0666);

    if (fd < 0)
        return -1;
    if (at == h->n)
        h->n++;
    else
        h->free = h->files[at].next_free;
    h->files[at] = (struct tcf_open_file){.fd = fd, .location = location};
    *place = at;
    return fd;
}

int handles_close(tcf_handles *h, uint32_t location, uint32_t place)
{
    return is_at(h, location, place) ? close_at(h, place) : 0;
}

const tcf_handles_host handles_host = {handles_init, handles_close_all, handles_find, handles_open, handles_close};
