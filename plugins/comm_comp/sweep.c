/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See sweep.h. */
#include "sweep.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <stdlib.h>

enum { SMALLEST = 64 };

void sweep_free(sweep *s)
{
    tcf_map_free(&s->open);
    free(s->beside);
    s->beside = NULL;
    s->n = s->capacity = 0;
}

void sweep_change(sweep *s, enum activity from, enum activity to)
{
    if (from != ACTIVITIES)
        s->active[from]--;
    if (to != ACTIVITIES)
        s->active[to]++;
    if (s->active[COMPUTATION] > 0 && s->active[COMMUNICATION] > 0) {
        s->moment = OVERLAPPED;
        return;
    }
    s->moment = COMPUTATION;
    while (s->moment < IDLE && s->active[s->moment] == 0)
        s->moment++;
}

/* ----------------------------------------------------------------------------------------------- open operations -- */

static int order_numbers(const void *a, const void *b)
{
    return TCF_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* The numbers of the open postings, in order. The caller's to free. */
static uint32_t *open_numbers(const sweep *s)
{
    uint32_t *number = malloc((s->open.n + 1ul) * sizeof *number);
    uint32_t n = 0;
    for (uint32_t i = 0; number && s->open.entries && i <= s->open.mask; i++)
        if (s->open.entries[i].value != TCF_MAP_ABSENT)
            number[n++] = s->open.entries[i].value;
    if (number)
        tcf_sort(number, n, sizeof *number, order_numbers);
    return number;
}

/* How many of n numbers, which are sorted, are at most `value`. */
static uint32_t rank_of(const uint32_t *number, uint32_t n, uint32_t value)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (number[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Numbers the open postings from 1 on, and joins what has passed between the same two of them. -1: out of memory. */
static int renumber(sweep *s)
{
    const uint32_t n = s->open.n;
    uint32_t *number = open_numbers(s), kept = 0;
    if (!number)
        return -1;
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t since = rank_of(number, n, s->beside[i].since);
        if (since == 0)
            continue; /* before all that are open */
        if (kept > 0 && s->beside[kept - 1].since == since) {
            for (int k = 0; k < ACTIVITIES; k++)
                s->beside[kept - 1].ticks[k] += s->beside[i].ticks[k];
            continue;
        }
        s->beside[kept] = s->beside[i];
        s->beside[kept++].since = since;
    }
    s->n = kept;
    for (uint32_t i = 0; s->open.entries && i <= s->open.mask; i++)
        if (s->open.entries[i].value != TCF_MAP_ABSENT)
            s->open.entries[i].value = rank_of(number, n, s->open.entries[i].value);
    s->posted = n;
    free(number);
    return 0;
}

/* Forgets the older half of the open operations. -1: out of memory. */
static int forget(sweep *s)
{
    const uint32_t n = s->open.n, gone = n / 2;
    tcf_map kept = {0};
    if (renumber(s) != 0)
        return -1;
    for (uint32_t i = 0; i <= s->open.mask; i++) {
        const tcf_map_entry *e = &s->open.entries[i];
        if (e->value != TCF_MAP_ABSENT && e->value > gone && tcf_map_put(&kept, e->a, e->b, e->value) != 0) {
            tcf_map_free(&kept);
            return -1;
        }
    }
    tcf_map_free(&s->open);
    s->open = kept;
    s->counts.forgotten += gone;
    return 0;
}

static int make_room(sweep *s)
{
    if (s->n >= SMALLEST && s->n > 2 * s->open.n && renumber(s) != 0)
        return -1;
    return TCF_GROW(&s->beside, &s->capacity, s->n);
}

int sweep_pass_beside(sweep *s, uint64_t ticks)
{
    if (s->moment == OVERLAPPED || s->moment == COMMUNICATION)
        return 0;
    if (s->n == 0 || s->beside[s->n - 1].since != s->posted) {
        if (make_room(s) != 0)
            return -1;
        s->beside[s->n++] = (beside){.since = s->posted};
    }
    s->beside[s->n - 1].ticks[s->moment] += ticks;
    return 0;
}

static void none_open(sweep *s)
{
    s->n = 0;
    s->posted = 0;
}

int sweep_post(sweep *s, uint64_t a, uint64_t b, int joins)
{
    const int is_open = tcf_map_get(&s->open, a, b) != TCF_MAP_ABSENT;
    s->counts.posted++;
    if (is_open && joins)
        return 0;
    s->counts.replaced += (uint64_t)is_open;
    if (!is_open && s->open.n >= s->most && forget(s) != 0)
        return -1;
    if (s->posted >= UINT32_MAX - 2 && renumber(s) != 0)
        return -1;
    return tcf_map_put(&s->open, a, b, ++s->posted);
}

void sweep_complete(sweep *s, uint64_t a, uint64_t b)
{
    const uint32_t number = tcf_map_get(&s->open, a, b);
    if (number == TCF_MAP_ABSENT) {
        s->counts.no_post++;
        return;
    }
    s->counts.completed++;
    for (; s->n > 0 && s->beside[s->n - 1].since >= number; s->n--)
        for (int k = 0; k < ACTIVITIES; k++) {
            const uint64_t ticks = s->beside[s->n - 1].ticks[k];
            s->ticks[k] -= ticks;
            s->ticks[k == COMPUTATION ? OVERLAPPED : COMMUNICATION] += ticks;
        }
    tcf_map_remove(&s->open, a, b);
    if (s->open.n == 0)
        none_open(s);
}

void sweep_cancel(sweep *s, uint64_t a, uint64_t b)
{
    if (tcf_map_get(&s->open, a, b) == TCF_MAP_ABSENT)
        return;
    s->counts.cancelled++;
    tcf_map_remove(&s->open, a, b);
    if (s->open.n == 0)
        none_open(s);
}
