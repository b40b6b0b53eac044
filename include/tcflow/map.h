/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A hash map from two 64-bit numbers to a 32-bit one, for filters and the framework: (location, request), (channel,
 * number of the message), ... to an index. Open addressing, linear probing, deletion by shifting back.
 *
 *     tcf_map m = {0};
 *     if (tcf_map_put(&m, channel, number, index) != 0)
 *         ...out of memory, nothing has changed
 *     uint32_t index = tcf_map_get(&m, channel, number);      TCF_MAP_ABSENT: it isn't there
 *     tcf_map_remove(&m, channel, number);
 *     tcf_map_free(&m);
 *
 * A place takes 24 bytes; between 3/8 and 3/4 of the places are taken. The map grows by doubling and never shrinks: its
 * user needs a cap, which `n` is there for. Values that don't fit into 32 bits stand in an array of one's own, and the
 * map has their indices. */
#ifndef TCFLOW_MAP_H
#define TCFLOW_MAP_H

#include <stdint.h>
#include <stdlib.h>

#define TCF_MAP_ABSENT UINT32_MAX

typedef struct tcf_map_entry {
    uint64_t a, b;
    uint32_t value; /* TCF_MAP_ABSENT: the place is free */
} tcf_map_entry;

/* All zero: empty. */
typedef struct tcf_map {
    tcf_map_entry *entries;
    uint32_t mask; /* places - 1 */
    uint32_t n;
} tcf_map;

/* Also of use where numbers are to be mixed one after another. */
static inline uint64_t tcf_map_hash(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static inline void tcf_map_free(tcf_map *m)
{
    free(m->entries);
    *m = (tcf_map){NULL, 0, 0};
}

/* The value, or TCF_MAP_ABSENT. */
static inline uint32_t tcf_map_get(const tcf_map *m, uint64_t a, uint64_t b)
{
    if (!m->entries)
        return TCF_MAP_ABSENT;
    for (uint64_t i = tcf_map_hash(a, b) & m->mask;; i = (i + 1) & m->mask) {
        const tcf_map_entry *e = &m->entries[i];
        if (e->value == TCF_MAP_ABSENT || (e->a == a && e->b == b))
            return e->value;
    }
}

static inline int tcf_map_grow(tcf_map *m)
{
    uint32_t places = m->entries ? (m->mask + 1) * 2 : 64;
    tcf_map_entry *old = m->entries, *fresh = (tcf_map_entry *)malloc(places * sizeof *fresh);
    if (!fresh)
        return -1;
    for (uint32_t i = 0; i < places; i++)
        fresh[i].value = TCF_MAP_ABSENT;
    uint32_t old_places = old ? m->mask + 1 : 0;
    m->entries = fresh;
    m->mask = places - 1;
    for (uint32_t k = 0; k < old_places; k++) {
        if (old[k].value == TCF_MAP_ABSENT)
            continue;
        uint64_t i = tcf_map_hash(old[k].a, old[k].b) & m->mask;
        while (fresh[i].value != TCF_MAP_ABSENT)
            i = (i + 1) & m->mask;
        fresh[i] = old[k];
    }
    free(old);
    return 0;
}

/* Adds or replaces; -1: out of memory. value must not be TCF_MAP_ABSENT. */
static inline int tcf_map_put(tcf_map *m, uint64_t a, uint64_t b, uint32_t value)
{
    if ((!m->entries || m->n + 1 > (m->mask + 1) / 4 * 3) && tcf_map_grow(m) != 0)
        return -1;
    uint64_t i = tcf_map_hash(a, b) & m->mask;
    while (m->entries[i].value != TCF_MAP_ABSENT && !(m->entries[i].a == a && m->entries[i].b == b))
        i = (i + 1) & m->mask;
    if (m->entries[i].value == TCF_MAP_ABSENT)
        m->n++;
    m->entries[i] = (tcf_map_entry){a, b, value};
    return 0;
}

/* Nothing happens where the key is absent. */
static inline void tcf_map_remove(tcf_map *m, uint64_t a, uint64_t b)
{
    if (!m->entries)
        return;
    uint64_t i = tcf_map_hash(a, b) & m->mask;
    while (m->entries[i].value != TCF_MAP_ABSENT && !(m->entries[i].a == a && m->entries[i].b == b))
        i = (i + 1) & m->mask;
    if (m->entries[i].value == TCF_MAP_ABSENT)
        return;
    m->n--;
    for (uint64_t j = (i + 1) & m->mask; m->entries[j].value != TCF_MAP_ABSENT; j = (j + 1) & m->mask) {
        uint64_t home = tcf_map_hash(m->entries[j].a, m->entries[j].b) & m->mask;
        if (((j - home) & m->mask) >= ((j - i) & m->mask)) {
            m->entries[i] = m->entries[j];
            i = j;
        }
    }
    m->entries[i].value = TCF_MAP_ABSENT;
}

#endif
