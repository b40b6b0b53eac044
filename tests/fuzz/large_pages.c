/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For fuzzers, memory that stays for the next run: framework/base/large_pages.h by malloc(), and of malloc() itself the
 * large blocks, those of libotf2 among them. To map them anew in each run, and AddressSanitizer's bytes for them, takes
 * longer than to use them. What is not in use is poisoned, and so is what stands in front of a block and behind it.
 * FUZZ_FRESH in the environment has each block be AddressSanitizer's own, which says where it was made. */
#include "framework/base/large_pages.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define IS_WATCHED
#endif
#endif

void large_pages_expect(size_t bytes)
{
    (void)bytes;
}

void large_pages_keep_small(void)
{
}

void *large_pages_alloc(size_t bytes)
{
    return malloc(bytes);
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
    (void)bytes;
    free(memory);
}

#ifndef IS_WATCHED
/* The C library keeps what is freed. */
__attribute__((constructor)) static void keep_all(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}
#else
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* AddressSanitizer's functions, which those below stand in front of. */
void *__interceptor_malloc(size_t bytes);
void *__interceptor_calloc(size_t n, size_t bytes);
void *__interceptor_realloc(void *memory, size_t bytes);
void __interceptor_free(void *memory);
size_t __interceptor_malloc_usable_size(void *memory);

/* A block stands in a place of a power of two of bytes, GAP bytes behind its begin. What libotf2 writes of a file
 * stands in a buffer of FILE_BUFFER bytes, which nothing that is watched gets to see; to poison all of it costs as much
 * as all else of that file. */
enum { LEAST = 16 << 10, GAP = 4096, SMALLEST = 15, LARGEST = 25, FILE_BUFFER = 4 << 20, MOST_USED = 1024 };
static const size_t room = (size_t)1 << 30; /* of addresses; memory is what has been in use */

/* In front of a block. */
typedef struct head {
    struct head *next; /* of those of one size that are not in use */
    size_t bytes;
    int size;
} head;

static struct {
    pthread_mutex_t lock;
    unsigned char *at; /* NULL: not asked for yet */
    size_t taken;
    head *unused[LARGEST + 1];
    int n_used;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int is_kept(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)kept.at < room && kept.at;
}

static head *head_of(void *memory)
{
    return (head *)(void *)((unsigned char *)memory - sizeof(head));
}

__attribute__((no_sanitize("address"))) static size_t bytes_of(void *memory)
{
    return head_of(memory)->bytes;
}

/* The logarithm of the place's bytes; 0: a buffer of a file. */
static int size_of(size_t bytes)
{
    int size = SMALLEST;

    while (((size_t)1 << size) < bytes + 2 * GAP)
        size++;
    return bytes == FILE_BUFFER ? 0 : size;
}

/* NULL: none can be had. */
__attribute__((no_sanitize("address"))) static head *new_place(int size)
{
    const size_t whole = size > 0 ? (size_t)1 << size : 2 * FILE_BUFFER;

    if (!kept.at) {
        void *at = getenv("FUZZ_FRESH")
                       ? MAP_FAILED
                       : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        kept.at = at == MAP_FAILED ? NULL : at;
        kept.taken = at == MAP_FAILED ? room : 0;
    }
    if (whole > room - kept.taken)
        return NULL;
    unsigned char *place = kept.at + kept.taken;
    kept.taken += whole;
    ASAN_POISON_MEMORY_REGION(place, whole);
    __lsan_register_root_region(place, whole); /* what is poisoned of it is not looked at */
    head *h = head_of(place + GAP);
    h->size = size;
    return h;
}

__attribute__((no_sanitize("address"))) static void *take(size_t bytes)
{
    if (bytes > ((size_t)1 << LARGEST) - 2 * GAP)
        return NULL;
    const int size = size_of(bytes);
    pthread_mutex_lock(&kept.lock);
    head *old = kept.unused[size], *h = old ? old : new_place(size);
    if (old)
        kept.unused[size] = old->next;
    if (h && ++kept.n_used > MOST_USED) {
        fprintf(stderr, "broken: large blocks are lost, of %zu bytes the last one\n", bytes);
        abort();
    }
    pthread_mutex_unlock(&kept.lock);
    if (!h)
        return NULL;
    h->bytes = bytes;
    ASAN_UNPOISON_MEMORY_REGION(h + 1, old && size == 0 ? GAP : bytes);
    return h + 1;
}

__attribute__((no_sanitize("address"))) static void put_back(void *memory)
{
    head *h = head_of(memory);

    if (__asan_address_is_poisoned(memory)) {
        fprintf(stderr, "broken: a large block is freed twice, or none begins there\n");
        abort();
    }
    ASAN_POISON_MEMORY_REGION(memory, h->size == 0 ? GAP : h->bytes);
    pthread_mutex_lock(&kept.lock);
    h->next = kept.unused[h->size];
    kept.unused[h->size] = h;
    kept.n_used--;
    pthread_mutex_unlock(&kept.lock);
}

void *malloc(size_t bytes)
{
    void *memory = bytes >= LEAST ? take(bytes) : NULL;

    return memory ? memory : __interceptor_malloc(bytes);
}

void free(void *memory)
{
    if (is_kept(memory))
        put_back(memory);
    else
        __interceptor_free(memory);
}

void *calloc(size_t n, size_t bytes)
{
    size_t all;
    void *memory = !__builtin_mul_overflow(n, bytes, &all) && all >= LEAST ? take(all) : NULL;

    return memory ? memset(memory, 0, all) : __interceptor_calloc(n, bytes);
}

size_t malloc_usable_size(void *memory)
{
    return is_kept(memory) ? bytes_of(memory) : __interceptor_malloc_usable_size(memory);
}

void *realloc(void *memory, size_t bytes)
{
    if (!memory)
        return malloc(bytes);
    if (bytes == 0 || (bytes < LEAST && !is_kept(memory)))
        return bytes == 0 && is_kept(memory) ? (put_back(memory), NULL) : __interceptor_realloc(memory, bytes);
    void *other = malloc(bytes);
    if (other) {
        const size_t before = malloc_usable_size(memory);
        memcpy(other, memory, before < bytes ? before : bytes);
        free(memory);
    }
    return other;
}
#endif
