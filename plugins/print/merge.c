/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Merging by batches; see merge.h. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, WANTED_EVENTS = BATCH_EVENTS / 2 };

#define WIDEST UINT32_MAX

static struct lane *lane_of(const struct merge *m, uint32_t location)
{
    return (struct lane *)(void *)(m->lanes + location * m->lane_bytes);
}

int merge_init(struct merge *m, uint32_t n_locations, unsigned char *lanes, size_t lane_bytes)
{
    *m = (struct merge){.lanes = lanes, .lane_bytes = lane_bytes, .n_locations = n_locations};
    m->head = malloc((n_locations + 1u) * sizeof *m->head);
    m->key = calloc(BATCH_EVENTS + KEYS_BEHIND, sizeof *m->key);
    m->spare = calloc(BATCH_EVENTS + KEYS_BEHIND, sizeof *m->spare);
    m->earliest = UINT64_MAX;
    m->width = 1024;
    for (uint32_t k = 0; m->head && k < n_locations; k++)
        m->head[k] = UINT64_MAX;
    return m->head && m->key && m->spare ? 0 : -1;
}

void merge_free(struct merge *m)
{
    for (uint32_t k = 0; m->lanes && k < m->n_locations; k++)
        free(lane_of(m, k)->queue);
    free(m->head);
    free(m->key);
    free(m->spare);
    *m = (struct merge){0};
}

int merge_push(struct merge *m, tcf_slice *s)
{
    struct lane *l = lane_of(m, s->location);
    if (l->n == l->capacity) {
        uint32_t capacity = l->capacity ? 2 * l->capacity : 4;
        tcf_slice **grown = calloc(capacity, sizeof *grown);
        if (!grown)
            return -1;
        for (uint32_t i = 0; i < l->n; i++)
            grown[i] = l->queue[(l->head + i) % l->capacity];
        free(l->queue);
        l->queue = grown;
        l->capacity = capacity;
        l->head = 0;
    }
    l->queue[(l->head + l->n++) % l->capacity] = s;
    if (l->n > 1)
        return 0;
    l->first = s;
    l->at = 0;
    m->waiting++;
    m->head[s->location] = s->time[0];
    m->earliest = s->time[0] < m->earliest ? s->time[0] : m->earliest;
    return 0;
}

void lane_next(struct merge *m, struct lane *l)
{
    l->head = (l->head + 1) % l->capacity;
    l->at = 0;
    l->first = --l->n > 0 ? l->queue[l->head] : NULL;
    m->waiting -= l->n == 0;
}

void merge_look(struct merge *m)
{
    m->earliest = UINT64_MAX;
    for (uint32_t k = 0; k < m->n_locations; k++) {
        const struct lane *l = lane_of(m, k);
        m->head[k] = l->first ? l->first->time[l->at] : UINT64_MAX;
        m->earliest = m->head[k] < m->earliest ? m->head[k] : m->earliest;
    }
}

/* Adds the keys of a location's events up to time `last`. Returns the number of keys, or more than BATCH_EVENTS
 * where they don't fit. */
static uint32_t gather_lane(struct merge *m, uint32_t location, uint64_t last, uint32_t n)
{
    const struct lane *l = lane_of(m, location);
    uint32_t at = l->at;
    for (uint32_t i = 0; i < l->n; i++, at = 0) {
        const tcf_slice *s = l->queue[(l->head + i) % l->capacity];
        const uint64_t *time = s->time;
        for (; at < s->n && time[at] <= last; at++) {
            if (n == BATCH_EVENTS)
                return n + 1;
            m->key[n++] = (struct key){(uint32_t)(time[at] - m->start), location};
        }
        if (at < s->n) {
            m->head[location] = time[at];
            return n;
        }
    }
    m->head[location] = UINT64_MAX;
    return n;
}

static int gather(struct merge *m, uint64_t last)
{
    uint64_t earliest = UINT64_MAX;
    uint32_t n = 0;
    m->start = m->earliest;
    for (uint32_t k = 0; k < m->n_locations; k++) {
        if (m->head[k] <= last && (n = gather_lane(m, k, last, n)) > BATCH_EVENTS) {
            merge_look(m);
            return -1;
        }
        earliest = m->head[k] < earliest ? m->head[k] : earliest;
    }
    m->earliest = earliest;
    m->n = n;
    m->next = 0;
    return 0;
}

/* Sorts by the digits of delta, from the lowest digit on. The sort is stable. */
static void sort_keys(struct merge *m, uint32_t widest)
{
    for (unsigned shift = 0; shift < 32 && widest >> shift; shift += DIGIT_BITS) {
        uint32_t start[DIGITS] = {0}, sum = 0;
        for (uint32_t i = 0; i < m->n; i++)
            start[m->key[i].delta >> shift & (DIGITS - 1)]++;
        for (uint32_t d = 0; d < DIGITS; d++) {
            uint32_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (uint32_t i = 0; i < m->n; i++)
            m->spare[start[m->key[i].delta >> shift & (DIGITS - 1)]++] = m->key[i];
        struct key *swap = m->key;
        m->key = m->spare;
        m->spare = swap;
    }
}

int merge_gather(struct merge *m, uint64_t limit)
{
    uint64_t room, last;
    m->n = m->next = 0;
    for (;;) {
        room = limit - m->earliest;
        last = m->earliest + (room < m->width ? room : m->width);
        if (gather(m, last) == 0)
            break;
        if (last == m->earliest)
            return -1;
        m->width = (last - m->earliest) / 2;
    }
    sort_keys(m, (uint32_t)(last - m->start));
    memset(m->key + m->n, 0, KEYS_BEHIND * sizeof *m->key);
    if (m->n > WANTED_EVENTS + WANTED_EVENTS / 2)
        m->width = m->width * 3 / 4;
    else if (m->n < WANTED_EVENTS / 2 && room > m->width)
        m->width = 2 * m->width + 1 < WIDEST ? 2 * m->width + 1 : WIDEST;
    return 0;
}
