/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Queues of items of one size. Their capacity is a power of two, and grows when needed. */
#include "root_cause.h"

#include <stdlib.h>
#include <string.h>

static int grow(ring *r)
{
    uint32_t capacity = r->capacity ? 2 * r->capacity : 16;
    unsigned char *grown = malloc(capacity * r->bytes);
    if (!grown)
        return -1;
    for (uint32_t i = 0; i < r->n; i++)
        memcpy(grown + (size_t)((r->first + i) & (capacity - 1)) * r->bytes, ring_at(r, i), r->bytes);
    free(r->item);
    r->item = grown;
    r->capacity = capacity;
    return 0;
}

void *ring_push(ring *r)
{
    if (r->n == r->capacity && grow(r) != 0)
        return NULL;
    return ring_at(r, r->n++);
}

void ring_drop(ring *r)
{
    r->first++;
    r->n--;
}
