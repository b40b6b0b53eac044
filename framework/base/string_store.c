/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See string_store.h. */
#include "string_store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/grow.h>

struct string_store {
    void **item;
    uint32_t n, capacity;
};

void *store_room(string_store **s, size_t bytes)
{
    if (!*s && !(*s = calloc(1, sizeof **s)))
        return NULL;
    if (TCF_GROW(&(*s)->item, &(*s)->capacity, (*s)->n) != 0)
        return NULL;
    void *item = calloc(1, bytes ? bytes : 1);
    if (item)
        (*s)->item[(*s)->n++] = item;
    return item;
}

char *store_text(string_store **s, const char *text, size_t length)
{
    char *copy = store_room(s, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void store_free(string_store *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        free(s->item[i]);
    free(s->item);
    free(s);
}
