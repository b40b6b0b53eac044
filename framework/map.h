/* A hash map from two 64-bit numbers to a 32-bit one: open addressing, linear probing, deletion by shifting back.
 * It grows by doubling and never shrinks; the owner limits what it puts in. */
#ifndef TCFLOW_FRAMEWORK_MAP_H
#define TCFLOW_FRAMEWORK_MAP_H

#include <stdint.h>
#include <stdlib.h>

#define MAP_ABSENT UINT32_MAX

typedef struct map_entry {
    uint64_t a, b;
    uint32_t value; /* MAP_ABSENT: the place is free */
} map_entry;

typedef struct map {
    map_entry *entries;
    uint32_t mask; /* places - 1 */
    uint32_t n;
} map;

static inline uint64_t map_hash(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static inline void map_free(map *m)
{
    free(m->entries);
    *m = (map){NULL, 0, 0};
}

static inline uint32_t map_get(const map *m, uint64_t a, uint64_t b)
{
    if (!m->entries)
        return MAP_ABSENT;
    for (uint64_t i = map_hash(a, b) & m->mask;; i = (i + 1) & m->mask) {
        const map_entry *e = &m->entries[i];
        if (e->value == MAP_ABSENT || (e->a == a && e->b == b))
            return e->value;
    }
}

static inline int map_grow(map *m)
{
    uint32_t places = m->entries ? (m->mask + 1) * 2 : 64;
    map_entry *old = m->entries, *fresh = malloc(places * sizeof *fresh);
    if (!fresh)
        return -1;
    for (uint32_t i = 0; i < places; i++)
        fresh[i].value = MAP_ABSENT;
    uint32_t old_places = old ? m->mask + 1 : 0;
    m->entries = fresh;
    m->mask = places - 1;
    for (uint32_t k = 0; k < old_places; k++) {
        if (old[k].value == MAP_ABSENT)
            continue;
        uint64_t i = map_hash(old[k].a, old[k].b) & m->mask;
        while (fresh[i].value != MAP_ABSENT)
            i = (i + 1) & m->mask;
        fresh[i] = old[k];
    }
    free(old);
    return 0;
}

/* Adds or replaces; -1: out of memory. value must not be MAP_ABSENT. */
static inline int map_put(map *m, uint64_t a, uint64_t b, uint32_t value)
{
    if ((!m->entries || m->n + 1 > (m->mask + 1) / 4 * 3) && map_grow(m) != 0)
        return -1;
    uint64_t i = map_hash(a, b) & m->mask;
    while (m->entries[i].value != MAP_ABSENT && !(m->entries[i].a == a && m->entries[i].b == b))
        i = (i + 1) & m->mask;
    if (m->entries[i].value == MAP_ABSENT)
        m->n++;
    m->entries[i] = (map_entry){a, b, value};
    return 0;
}

static inline void map_remove(map *m, uint64_t a, uint64_t b)
{
    if (!m->entries)
        return;
    uint64_t i = map_hash(a, b) & m->mask;
    while (m->entries[i].value != MAP_ABSENT && !(m->entries[i].a == a && m->entries[i].b == b))
        i = (i + 1) & m->mask;
    if (m->entries[i].value == MAP_ABSENT)
        return;
    m->n--;
    for (uint64_t j = (i + 1) & m->mask; m->entries[j].value != MAP_ABSENT; j = (j + 1) & m->mask) {
        uint64_t home = map_hash(m->entries[j].a, m->entries[j].b) & m->mask;
        if (((j - home) & m->mask) >= ((j - i) & m->mask)) {
            m->entries[i] = m->entries[j];
            i = j;
        }
    }
    m->entries[i].value = MAP_ABSENT;
}

#endif
