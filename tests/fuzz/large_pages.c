/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For fuzzers, framework/base/large_pages.h by memory that stays for the next run: to map the slices of each run anew,
 * and what AddressSanitizer keeps of them, takes longer than to use them. What is not in use is poisoned. */
#include "framework/base/large_pages.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define IS_WATCHED
#endif
#endif
#ifdef IS_WATCHED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum { BLOCKS = 4, ROOM = 4 << 20 }; /* larger ones, and further ones, are those of malloc() */

static struct {
    unsigned char *at;
    int is_used;
} blocks[BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of blocks */

void large_pages_expect(size_t bytes)
{
    (void)bytes;
}

void large_pages_keep_small(void)
{
}

static unsigned char *kept_block(void)
{
    int i = 0;

    while (i < BLOCKS && blocks[i].is_used)
        i++;
    if (i == BLOCKS)
        return NULL;
    if (!blocks[i].at) {
        if (!(blocks[i].at = malloc(ROOM)))
            return NULL;
        ASAN_POISON_MEMORY_REGION(blocks[i].at, ROOM);
    }
    blocks[i].is_used = 1;
    return blocks[i].at;
}

void *large_pages_alloc(size_t bytes)
{
    pthread_mutex_lock(&lock);
    unsigned char *at = bytes > ROOM ? NULL : kept_block();
    pthread_mutex_unlock(&lock);
    if (!at)
        return malloc(bytes);
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    return at;
}

void large_pages_want(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void large_pages_rest(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void large_pages_trim(void)
{
}

void large_pages_free(void *memory, size_t bytes)
{
    int i = 0;

    pthread_mutex_lock(&lock);
    while (i < BLOCKS && (!memory || blocks[i].at != memory))
        i++;
    if (i < BLOCKS) {
        blocks[i].is_used = 0;
        ASAN_POISON_MEMORY_REGION(memory, bytes);
    }
    pthread_mutex_unlock(&lock);
    if (i == BLOCKS)
        free(memory);
}
