/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Large pages for large memory: the slices, and libotf2's chunks and file buffers of every location. With hundreds of
 * locations small pages cost as much time as reading does: a page fault each, and misses in the TLB. */
#ifndef TCFLOW_FRAMEWORK_LARGE_PAGES_H
#define TCFLOW_FRAMEWORK_LARGE_PAGES_H

#include <stddef.h>

/* Prepares malloc() for about `bytes` bytes in blocks of up to 32 MiB: later blocks come from memory of large pages,
 * where the system has any. Takes no memory that stays unused. Holds until large_pages_keep_small(). */
void large_pages_expect(size_t bytes);
/* From now on blocks of 64 KiB and more have mappings of their own: what is never touched of them takes address space
 * alone, and what is freed goes back to the system at once. To be called first of all in the program, and behind the
 * calls that large_pages_expect() was for, where the program goes on with other blocks. */
void large_pages_keep_small(void);
/* NULL: out of memory. What is never touched takes address space alone, however much it is. */
void *large_pages_alloc(size_t bytes);
/* So many bytes from the begin of such memory on will be used: large pages for as many of them as fill one. */
void large_pages_want(void *memory, size_t bytes);
/* Forgets what is in it, and returns its pages to the system until they are used again. */
void large_pages_rest(void *memory, size_t bytes);
void large_pages_free(void *memory, size_t bytes);
/* Returns to the system what threads that have ended have freed, which malloc() keeps for them. */
void large_pages_trim(void);

#endif
