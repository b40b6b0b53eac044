/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Queues of items of one size. Their capacity is a power of two, and grows when needed. */
#include "root_cause.h"

#include <stdlib.h>
#include <string.h>

int ring_grow(ring *r)
{
    const uint32_t before = r->capacity, capacity = before ? 2 * before : 16, from = r->first & (before - 1);
    unsigned char *grown = realloc(r->item, capacity * r->bytes);
    if (!grown)
        return -1;
    r->item = grown;
    r->capacity = capacity;
    if (before == 0)
        return 0;
    /* Of the two parts on either side of the place of the first item one stays where it is. */
    if (r->first & before)
        memcpy(grown + (before + from) * r->bytes, grown + from * r->bytes, (before - from) * r->bytes);
    else
        memcpy(grown + before * r->bytes, grown, from * r->bytes);
    return 0;
}
