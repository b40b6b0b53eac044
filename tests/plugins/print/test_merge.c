/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* merge.h against a plain sort: random slices of random locations, pushed in pieces, with many equal times, times far
 * apart, the largest time there is, and more events of one time than a batch holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/print/merge.h"

enum { LOCATIONS = 70, EVENTS = 60000, SLICES = 4096 };

struct event {
    uint64_t time;
    uint32_t location, number;
};

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 20) % below;
}

/* By time, location, number: what is to come out. */
static int in_order(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

struct run {
    struct merge m;
    struct lane lanes[LOCATIONS];
    uint32_t printed[LOCATIONS]; /* events */
    struct event *got;
    uint32_t n;
    uint32_t instants;
};

static void take(struct run *r, uint32_t location)
{
    struct lane *l = &r->lanes[location];
    assert_non_null(l->first);
    r->got[r->n++] = (struct event){l->first->time[l->at], location, r->printed[location]++};
    if (++l->at == l->first->n)
        lane_next(&r->m, l);
}

static void take_until(struct run *r, uint64_t limit)
{
    struct merge *m = &r->m;
    while (m->waiting > 0 && m->earliest <= limit) {
        uint64_t time = m->earliest;
        if (merge_gather(m, limit) == 0) {
            for (; m->next < m->n; m->next++)
                take(r, m->key[m->next].location);
            continue;
        }
        r->instants++;
        for (uint32_t k = 0; k < LOCATIONS; k++)
            while (r->lanes[k].first && r->lanes[k].first->time[r->lanes[k].at] == time)
                take(r, k);
        merge_look(m);
    }
}

/* Times grow by steps below 2^bits; every burst-th step is followed by many events of one time. */
static uint32_t one_merge(uint64_t seed, unsigned bits, uint32_t burst)
{
    static uint64_t time[LOCATIONS][EVENTS];
    static tcf_slice slices[SLICES];
    struct run r = {.got = malloc(EVENTS * sizeof *r.got)};
    struct event *expected = malloc(EVENTS * sizeof *expected);
    uint32_t n[LOCATIONS] = {0}, pushed[LOCATIONS] = {0}, n_slices = 0;
    random_state = seed;
    assert_int_equal(merge_init(&r.m, LOCATIONS, (unsigned char *)r.lanes, sizeof r.lanes[0]), 0);
    uint64_t now = draw(1000), step = bits ? (uint64_t)1 << bits : 1;
    for (uint32_t i = 0, same = 0; i < EVENTS; i++) {
        uint32_t k = (uint32_t)draw(draw(8) ? LOCATIONS : 3);
        same = same > 0 ? same - 1 : burst && draw(burst) == 0 ? 3 * BATCH_EVENTS / 2 : 0;
        uint64_t further = same || draw(3) == 0 ? 0 : draw(step);
        now = UINT64_MAX - now < further || i > EVENTS - 20 ? UINT64_MAX : now + further;
        time[k][n[k]] = now;
        expected[i] = (struct event){now, k, n[k]++};
    }
    qsort(expected, EVENTS, sizeof *expected, in_order);
    while (n_slices < SLICES - LOCATIONS) {
        uint32_t k = (uint32_t)draw(LOCATIONS), length = 1 + (uint32_t)draw(100);
        uint64_t watermark = UINT64_MAX;
        if (pushed[k] < n[k]) {
            length = length < n[k] - pushed[k] ? length : n[k] - pushed[k];
            slices[n_slices] = (tcf_slice){.location = k, .n = length, .time = &time[k][pushed[k]]};
            pushed[k] += length;
            assert_int_equal(merge_push(&r.m, &slices[n_slices++]), 0);
        }
        for (uint32_t i = 0; i < LOCATIONS; i++)
            if (pushed[i] < n[i] && time[i][pushed[i]] < watermark)
                watermark = time[i][pushed[i]];
        if (watermark > 0)
            take_until(&r, watermark - 1);
        uint32_t left = 0;
        for (uint32_t i = 0; i < LOCATIONS; i++)
            left += pushed[i] < n[i];
        if (left == 0)
            break;
    }
    for (uint32_t k = 0; k < LOCATIONS; k++) /* what is left, in one go */
        if (pushed[k] < n[k]) {
            slices[n_slices] = (tcf_slice){.location = k, .n = n[k] - pushed[k], .time = &time[k][pushed[k]]};
            assert_int_equal(merge_push(&r.m, &slices[n_slices++]), 0);
        }
    take_until(&r, UINT64_MAX);
    assert_int_equal(r.m.waiting, 0);
    assert_int_equal(r.n, EVENTS);
    for (uint32_t i = 0; i < EVENTS; i++)
        if (memcmp(&r.got[i], &expected[i], sizeof r.got[i]) != 0)
            fail_msg("seed %llu: event %u is of location %u, expected %u", (unsigned long long)seed, i,
                     r.got[i].location, expected[i].location);
    merge_free(&r.m);
    free(r.got);
    free(expected);
    return r.instants;
}

static void random_slices(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (unsigned bits = 0; bits <= 52; bits += 13)
            one_merge(seed, bits, 0);
}

static void bursts(void **state)
{
    uint32_t instants = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        instants += one_merge(seed, 20, 20000);
    assert_true(instants > 0); /* more than a batch was there */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_slices),
        cmocka_unit_test(bursts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
