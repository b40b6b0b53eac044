/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Has the system read event files ahead of the direct reader, where they come from a disk.
 *
 * The system reads ahead of whoever reads a file from its begin, more and more of it. With many files that are read in
 * turn and are short the reader would wait for the begin of each, and what the system does would take its time. A
 * thread of its own asks for pieces of such files instead. They are short at first, since the reader needs the begins
 * of all locations before it goes on. Long files are left to the system. How much is ahead of all locations together is
 * bounded. Nothing depends on whether a piece comes in time, or at all. */
#include "otf2_bytes.h"
#include "otf2_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ALL = 512 << 20, /* bytes in memory that are ahead of all locations, at most, */
    SHARE = 16,      /* and of the machine's memory; */
    MOST = 1 << 20,  /* of one location */
    SHORT = 4 << 20, /* bytes of a file, on average */
    FIRST_PIECE = 16 << 10,
    LARGEST_PIECE = 128 << 10,
    WISHES = 1 << 14 /* that wait, at most */
};

typedef struct wish {
    uint64_t offset;
    uint32_t location, bytes;
} wish;

struct otf2_ahead {
    pthread_mutex_t lock;
    pthread_cond_t come;
    const otf2_source *src;
    enum { NOT_STARTED, RUNNING, IMPOSSIBLE } state;
    int ends;
    int has_begun;     /* the begins of all files have been wished for */
    uint64_t distance; /* bytes that are ahead of what has been read of a location */
    uint64_t *upto;    /* by location: offset in its file up to which has been wished */
    pthread_t thread;
    uint32_t first, n; /* of the ring */
    wish wishes[WISHES];
};

static void grant(const otf2_source *src, const wish *w)
{
    char path[OTF2_PATH_BYTES];

    otf2_event_path(src, w->location, path);
    const int fd = otf2_open_file(path);
    if (fd < 0)
        return;
    event_file_ahead(fd, w->offset, w->bytes);
    close(fd);
}

static void *grant_wishes(void *data)
{
    otf2_ahead *a = data;

    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (a->n == 0 && !a->ends)
            pthread_cond_wait(&a->come, &a->lock);
        if (a->ends)
            break;
        const wish w = a->wishes[a->first];
        a->first = (a->first + 1) % WISHES;
        a->n--;
        pthread_mutex_unlock(&a->lock);
        grant(a->src, &w);
        pthread_mutex_lock(&a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static uint64_t bytes_ahead(uint32_t locations)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    const uint64_t share = pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / SHARE : ALL;
    const uint64_t each = (share < ALL ? share : ALL) / locations;

    return each < MOST ? each : MOST;
}

/* Starts the thread. Signals come to those that were there before. */
static void start(otf2_ahead *a)
{
    const uint32_t n = a->src->defs->v.n_locations;
    sigset_t all, before;

    a->distance = bytes_ahead(n);
    a->upto = calloc(n, sizeof *a->upto);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    a->state = a->upto && pthread_create(&a->thread, NULL, grant_wishes, a) == 0 ? RUNNING : IMPOSSIBLE;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

otf2_ahead *otf2_ahead_new(const otf2_source *src)
{
    const uint32_t n = src->defs->v.n_locations;
    const int are_short = n > 0 && src->total_bytes / n <= SHORT;
    otf2_ahead *a = are_short ? malloc(sizeof *a) : NULL; /* mostly untouched */

    if (a == NULL)
        return NULL;
    a->src = src;
    a->state = NOT_STARTED;
    a->ends = a->has_begun = 0;
    a->upto = NULL;
    a->first = a->n = 0;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->come, NULL);
    return a;
}

void otf2_ahead_delete(otf2_ahead *a)
{
    if (a == NULL)
        return;
    pthread_mutex_lock(&a->lock);
    a->ends = 1;
    pthread_cond_signal(&a->come);
    pthread_mutex_unlock(&a->lock);
    if (a->state == RUNNING)
        pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->come);
    pthread_mutex_destroy(&a->lock);
    free(a->upto);
    free(a);
}

static uint32_t piece_at(uint64_t offset)
{
    return offset < FIRST_PIECE ? FIRST_PIECE : offset < LARGEST_PIECE ? (uint32_t)offset : LARGEST_PIECE;
}

static void wish_for(otf2_ahead *a, uint32_t location, uint64_t offset)
{
    const uint64_t upto = a->upto[location], next = upto > offset ? upto : offset,
                   size = a->src->locations[location].file.size;

    if (next >= offset + a->distance || next >= size || a->n == WISHES)
        return;
    a->wishes[(a->first + a->n++) % WISHES] = (wish){next, location, piece_at(next)};
    a->upto[location] = next + piece_at(next);
}

void otf2_ahead_again(otf2_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->upto)
        memset(a->upto, 0, a->src->defs->v.n_locations * sizeof *a->upto);
    a->has_begun = 0;
    pthread_mutex_unlock(&a->lock);
}

void otf2_ahead_wish(otf2_ahead *a, uint32_t location, uint64_t offset)
{
    pthread_mutex_lock(&a->lock);
    if (a->state == NOT_STARTED)
        start(a);
    for (uint32_t l = 0; a->state == RUNNING && !a->has_begun && l < a->src->defs->v.n_locations; l++)
        wish_for(a, l, 0);
    a->has_begun = 1;
    if (a->state == RUNNING)
        wish_for(a, location, offset);
    if (a->n > 0)
        pthread_cond_signal(&a->come);
    pthread_mutex_unlock(&a->lock);
}
