/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Large pages for what is large: the slices, and the chunks and file buffers that libotf2 keeps for every location.
 * With hundreds of locations, small pages cost as much time as reading does: a fault for each, and misses in the
 * TLB. */
#ifndef TCFLOW_FRAMEWORK_LARGE_PAGES_H
#define TCFLOW_FRAMEWORK_LARGE_PAGES_H

#include <stddef.h>

/* About so many bytes will be asked of malloc(), in pieces of up to some MiB: makes it keep them in memory that
 * consists of large pages where the system has any. Nothing is taken that isn't used. Once, early in the program. */
void large_pages_expect(size_t bytes);
/* Like malloc(), for free(). */
void *large_pages_alloc(size_t bytes);

#endif
