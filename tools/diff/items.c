/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Items by name: the trie of all regions, call paths and patterns of all runs, and what is measured of them. */
#include "diff.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

static uint32_t add(struct items *items, struct item item)
{
    if (TCF_GROW(&items->at, &items->capacity, items->n) != 0)
        fail("too many regions or call paths, or out of memory");
    items->at[items->n] = item;
    return items->n++;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const unsigned char *s = (const unsigned char *)name; *s; s++)
        hash = (hash ^ *s) * 1099511628211u;
    return hash;
}

uint32_t items_find(struct items *items, uint32_t parent, const char *name)
{
    uint64_t hash = hash_of(name);
    uint32_t item;
    if (items->n == 0)
        add(items, (struct item){.name = NULL});
    for (; (item = tcf_map_get(&items->map, parent, hash)) != TCF_MAP_ABSENT; hash++)
        if (strcmp(items->at[item].name, name) == 0)
            return item;
    if (tcf_map_put(&items->map, parent, hash, items->n) != 0)
        fail("out of memory");
    return add(items, (struct item){format_text("%s", name), NULL, parent, items->at[parent].depth + 1});
}

/* --------------------------------------------------------------------------------------------------------- paths -- */

/* A recursion may be a hundred thousand deep: so many levels are told at each end of a path. */
enum { MOST_LEVELS = 256 };

static const char *name_of(const struct items *items, uint32_t item)
{
    return items->at[item].title ? items->at[item].title : items->at[item].name;
}

/* Puts a name in front of what starts at `start`; its new start. */
static size_t put_before(struct buffer *b, size_t start, const char *name, bool last)
{
    size_t length = strlen(name), needed = length + !last;
    while (needed > start) {
        size_t used = b->bytes - start, larger = 2 * b->bytes + needed;
        b->text = enlarge(b->text, larger, 1);
        memmove(b->text + larger - used, b->text + start, used);
        start = larger - used;
        b->bytes = larger;
    }
    if (!last)
        b->text[--start] = '/';
    start -= length;
    memcpy(b->text + start, name, length);
    return start;
}

const char *items_path(const struct items *items, uint32_t item, struct buffer *to)
{
    uint32_t depth = items->at[item].depth, skipped = depth > 2 * MOST_LEVELS ? depth - 2 * MOST_LEVELS : 0;
    char gap[32];
    if (to->bytes == 0) {
        to->bytes = 256;
        to->text = enlarge(NULL, to->bytes, 1);
    }
    size_t start = to->bytes - 1;
    to->text[start] = '\0';
    for (uint32_t at = item, level = 0; at != 0; at = items->at[at].parent, level++) {
        if (skipped && level == MOST_LEVELS) {
            snprintf(gap, sizeof gap, "(%u levels)", skipped);
            start = put_before(to, start, gap, false);
        }
        if (skipped && level >= MOST_LEVELS && level < MOST_LEVELS + skipped)
            continue;
        start = put_before(to, start, name_of(items, at), level == 0);
    }
    return to->text + start;
}

/* -------------------------------------------------------------------------------------------------------- values -- */

double *value_at(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item, uint32_t run)
{
    return &s->value[quantity][(size_t)item * c->n_runs + run];
}

static void grow_values(const struct comparison *c, struct subject *s)
{
    uint32_t capacity = s->items.capacity;
    for (uint32_t q = 0; q < s->kind->n_quantities; q++) {
        if ((uint64_t)capacity * c->n_runs > SIZE_MAX / sizeof **s->value)
            fail("out of memory");
        s->value[q] = enlarge(s->value[q], (size_t)capacity * c->n_runs, sizeof **s->value);
        for (size_t i = (size_t)s->capacity * c->n_runs; i < (size_t)capacity * c->n_runs; i++)
            s->value[q][i] = NAN;
    }
    s->capacity = capacity;
}

void value_add(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item, uint32_t run,
               double value)
{
    if (item >= s->capacity)
        grow_values(c, s);
    double *at = value_at(c, s, quantity, item, run);
    if (!isnan(value))
        *at = isnan(*at) ? value : *at + value;
}
