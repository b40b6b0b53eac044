/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See waiting.h. */
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#include "waiting.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { UNIT = 512, DRAWN = 16, LINE = 64, LARGE_PAGE = 2 << 20 };
#define NO_UNIT UINT32_MAX

static uint32_t units_of(uint64_t bytes)
{
    return (uint32_t)((bytes + UNIT - 1) / UNIT);
}

/* In large pages, since the units of a location are far apart, and each would cost a miss in the TLB. */
static uint8_t *take_memory(uint64_t bytes)
{
    if (bytes < LARGE_PAGE)
        return malloc(bytes);
    uint8_t *memory = aligned_alloc(LARGE_PAGE, (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
#ifdef MADV_HUGEPAGE
    if (memory)
        madvise(memory, bytes, MADV_HUGEPAGE); /* may be refused: small pages work as well */
#endif
    return memory;
}

int waiting_init(waiting *w, uint32_t locations, uint64_t bytes)
{
    const uint64_t least = 2 * WAITING_MOST, n = (bytes > least ? bytes : least) / UNIT;

    assert(n < NO_UNIT);
    *w = (waiting){.n_units = (uint32_t)n, .free = NO_UNIT};
    w->bytes = take_memory(n * UNIT);
    w->next = malloc(n * sizeof *w->next);
    w->of = calloc(locations + 1u, sizeof *w->of);
    w->list = malloc((locations + 1u) * sizeof *w->list);
    return w->bytes && w->next && w->of && w->list ? 0 : -1;
}

void waiting_free(waiting *w)
{
    free(w->bytes);
    free(w->next);
    free(w->of);
    free(w->list);
    *w = (waiting){0};
}

static uint8_t *unit_at(const waiting *w, uint32_t unit)
{
    return w->bytes + (size_t)unit * UNIT;
}

/* Fetches the n bytes from a unit on into the cache, which they have left. */
static void fetch(const waiting *w, uint32_t unit, uint32_t n)
{
    for (uint32_t done = 0; done < n; done += UNIT, unit = w->next[unit])
        for (uint32_t i = 0; i < UNIT; i += LINE)
            __builtin_prefetch(unit_at(w, unit) + i);
}

static uint32_t take_unit(waiting *w)
{
    const uint32_t unit = w->free;

    if (unit == NO_UNIT)
        return w->made++;
    w->free = w->next[unit];
    w->n_free--;
    return unit;
}

int waiting_has_room(const waiting *w, uint32_t location, uint64_t n)
{
    const uint32_t has = waiting_of(w, location);

    return units_of(has + n) - units_of(has) <= w->n_free + (w->n_units - w->made);
}

/* Adds a unit behind those of a location. */
static void add_unit(waiting *w, uint32_t location)
{
    waiting_bytes *b = &w->of[location];
    const uint32_t unit = take_unit(w);

    if (b->n > 0) {
        w->next[b->last] = unit;
    } else {
        b->first = unit;
        b->place = w->n++;
        w->list[b->place] = (waiting_place){.location = location};
    }
    b->last = unit;
    w->list[b->place].units++;
}

void waiting_add(waiting *w, uint32_t location, const uint8_t *bytes, uint64_t n)
{
    waiting_bytes *b = &w->of[location];

    assert(b->n + n <= WAITING_MOST && waiting_has_room(w, location, n));
    while (n > 0) {
        const uint32_t used = b->n % UNIT, room = UNIT - used, part = n < room ? (uint32_t)n : room;
        if (used == 0)
            add_unit(w, location);
        memcpy(unit_at(w, b->last) + used, bytes, part);
        b->n += part;
        bytes += part;
        n -= part;
    }
}

void waiting_replace(waiting *w, uint32_t location, uint64_t at, const uint8_t *bytes, uint64_t n)
{
    uint32_t unit = w->of[location].first;

    assert(at + n <= w->of[location].n);
    for (; at >= UNIT; at -= UNIT)
        unit = w->next[unit];
    for (; n > 0; n--, bytes++) {
        if (at == UNIT) {
            unit = w->next[unit];
            at = 0;
        }
        unit_at(w, unit)[at++] = *bytes;
    }
}

static void leave_list(waiting *w, uint32_t place)
{
    const waiting_place last = w->list[--w->n];

    w->list[place] = last;
    w->of[last.location].place = place;
}

uint32_t waiting_take(waiting *w, uint32_t location, uint8_t *to)
{
    waiting_bytes *b = &w->of[location];
    const uint32_t n = b->n;

    if (n == 0)
        return 0;
    uint32_t unit = b->first;
    fetch(w, unit, n);
    for (uint32_t done = 0; done < n; done += UNIT) {
        memcpy(to + done, unit_at(w, unit), n - done < UNIT ? n - done : UNIT);
        unit = done + UNIT < n ? w->next[unit] : unit;
    }
    w->next[b->last] = w->free;
    w->free = b->first;
    w->n_free += units_of(n);
    b->n = 0;
    leave_list(w, b->place);
    return n;
}

uint32_t waiting_large(waiting *w)
{
    waiting_place large = {.location = UINT32_MAX};

    for (uint32_t i = 0; i < DRAWN && w->n > 0; i++) {
        w->random = w->random * 1664525u + 1013904223u;
        const waiting_place *drawn = &w->list[(uint64_t)w->random * w->n >> 32];
        if (drawn->units > large.units)
            large = *drawn;
    }
    return large.location;
}
