/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See handles.h. Files that are closed stand at the old end of the list, so they are used again first. */
#include "framework/base/handles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { OTHER_FILES = 64, FEWEST = 8 /* of all shares, but one of each at least */, MOST = 1 << 16 };

struct tcf_open_file {
    int fd; /* -1: closed */
    uint32_t location, newer, older;
};

int handles_init(tcf_handles *h, uint32_t locations, uint32_t shares)
{
    struct rlimit limit = {.rlim_cur = 1024};
    uint64_t most = locations < MOST ? locations : MOST, fewest;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
            getrlimit(RLIMIT_NOFILE, &limit);
    }
    uint64_t room = limit.rlim_cur < OTHER_FILES ? 0 : (uint64_t)(limit.rlim_cur - OTHER_FILES) / 2;
    shares = shares > 0 ? shares : 1;
    room /= shares;
    fewest = shares < FEWEST ? FEWEST / shares : 1;
    most = most < room ? most : room;
    h->capacity = (uint32_t)(most > fewest ? most : fewest);
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

static void take_out(tcf_handles *h, uint32_t place)
{
    const struct tcf_open_file *f = &h->files[place];

    if (f->newer == UINT32_MAX)
        h->newest = f->older;
    else
        h->files[f->newer].older = f->older;
    if (f->older == UINT32_MAX)
        h->oldest = f->newer;
    else
        h->files[f->older].newer = f->newer;
}

static void put_newest(tcf_handles *h, uint32_t place)
{
    struct tcf_open_file *f = &h->files[place];

    f->newer = UINT32_MAX;
    f->older = h->newest;
    if (h->newest == UINT32_MAX)
        h->oldest = place;
    else
        h->files[h->newest].newer = place;
    h->newest = place;
}

static void put_oldest(tcf_handles *h, uint32_t place)
{
    struct tcf_open_file *f = &h->files[place];

    f->older = UINT32_MAX;
    f->newer = h->oldest;
    if (h->oldest == UINT32_MAX)
        h->newest = place;
    else
        h->files[h->oldest].older = place;
    h->oldest = place;
}

static int is_at(const tcf_handles *h, uint32_t location, uint32_t place)
{
    return place < h->n && h->files[place].location == location && h->files[place].fd >= 0;
}

int handles_find(tcf_handles *h, uint32_t location, uint32_t place)
{
    if (!is_at(h, location, place))
        return -1;
    if (h->newest != place) {
        take_out(h, place);
        put_newest(h, place);
    }
    return h->files[place].fd;
}

int handles_open(tcf_handles *h, uint32_t location, const char *path, int flags, uint32_t *place)
{
    if (h->n == 0)
        h->newest = h->oldest = UINT32_MAX;
    uint32_t at = h->n < h->capacity && (h->n == 0 || h->files[h->oldest].fd >= 0) ? h->n++ : h->oldest;
    struct tcf_open_file *f = &h->files[at];

    if (at != h->oldest) {
        f->fd = -1;
        put_oldest(h, at);
    }
    if (f->fd >= 0 && close(f->fd) != 0) {
        f->fd = -1;
        return -1;
    }
    f->location = location;
    f->fd = open(path, flags | O_CLOEXEC, 0666);
    if (f->fd < 0)
        return -1;
    take_out(h, at);
    put_newest(h, at);
    *place = at;
    return f->fd;
}

int handles_close(tcf_handles *h, uint32_t location, uint32_t place)
{
    if (!is_at(h, location, place))
        return 0;
    int status = close(h->files[place].fd);
    h->files[place].fd = -1;
    take_out(h, place);
    put_oldest(h, place);
    return status;
}

const tcf_handles_host handles_host = {handles_init, handles_close_all, handles_find, handles_open, handles_close};
