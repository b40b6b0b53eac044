/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See large_pages.h. glibc gives every block above 128 KiB a mapping of its own, which isn't aligned for a large page
 * and is unmapped when freed. So mallopt() makes glibc keep such blocks in the heap; the heap is grown at once to the
 * expected size, marked for large pages, and freed again, still mapped. With another C library nothing is done, which
 * costs time alone. */
#include "large_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum {
    PAGE = 4096,
    LARGE_PAGE = 2 << 20,
    PIECE = 16 << 20,
    MOST_PIECES = 1024,
    LARGEST_BLOCK = 32 << 20,
    LEAST_BLOCK = 64 << 10,
    KEPT_AT_END = 128 << 10 /* of the heap, as glibc has it */
};
enum { LEAST_MAPPING = 16 << 20 };

#if defined(__SANITIZE_ADDRESS__)
#define OWN_HEAP 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_HEAP 0
#endif
#endif
#if !defined(OWN_HEAP) && defined(__GLIBC__) && defined(MADV_HUGEPAGE)
#define OWN_HEAP 1
#endif

#if OWN_HEAP
static void mark(uintptr_t from, uintptr_t to)
{
    from = (from + PAGE - 1) / PAGE * PAGE;
    to = to / PAGE * PAGE;
    if (to > from + LARGE_PAGE)
        madvise((void *)from, to - from, MADV_HUGEPAGE); /* may be refused: small pages work as well */
}

void large_pages_expect(size_t bytes)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    size_t half = pages > 0 ? (size_t)pages * PAGE / 2 : 0;
    size_t n = ((bytes < half ? bytes : half) + PIECE - 1) / PIECE;
    void *piece[MOST_PIECES];
    uintptr_t from = 0, to = 0;
    if (!mallopt(M_MMAP_THRESHOLD, LARGEST_BLOCK) || !mallopt(M_TRIM_THRESHOLD, -1))
        return;
    n = n < MOST_PIECES ? n : MOST_PIECES;
    for (size_t i = 0; i < n; i++) {
        piece[i] = malloc(PIECE);
        uintptr_t at = (uintptr_t)piece[i];
        if (at < to || at > to + PAGE) { /* not adjacent to the previous piece */
            mark(from, to);
            from = at;
        }
        to = at + (at ? PIECE : 0);
    }
    mark(from, to);
    while (n > 0)
        free(piece[--n]);
}
#else
void large_pages_expect(size_t bytes)
{
    (void)bytes;
}
#endif

/* glibc raises its threshold whenever such a block is freed, unless it is set. */
void large_pages_keep_small(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, LEAST_BLOCK);
    mallopt(M_TRIM_THRESHOLD, KEPT_AT_END);
#endif
}

void *large_pages_alloc(size_t bytes)
{
    if (bytes < LEAST_MAPPING)
        return malloc(bytes);
    uint8_t *from =
        mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (from == MAP_FAILED)
        return NULL;
    const size_t in_front = (LARGE_PAGE - (uintptr_t)from % LARGE_PAGE) % LARGE_PAGE;
    const size_t used = (bytes + PAGE - 1) / PAGE * PAGE;
    if (in_front > 0)
        munmap(from, in_front);
    munmap(from + in_front + used, LARGE_PAGE - in_front);
    return from + in_front;
}

void large_pages_want(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if ((uintptr_t)memory % LARGE_PAGE == 0 && bytes >= LARGE_PAGE)
        madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
}

void large_pages_rest(void *memory, size_t bytes)
{
    const uintptr_t from = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE, to = ((uintptr_t)memory + bytes) / PAGE * PAGE;
    if (to > from)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

void large_pages_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void large_pages_free(void *memory, size_t bytes)
{
    if (bytes < LEAST_MAPPING)
        free(memory);
    else if (memory)
        munmap(memory, bytes);
}
