/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which location goes on: they keep together in time, as `quantum` says: by the clocks of their processes, which begin
 * anywhere, by recorded offsets of clocks, or by the one clock that a filter in front has brought all times to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/harness.h"

enum { LOCATIONS = 6, EVENTS = 600, QUANTUM = 100 };

/* Of what the locations do, by the one clock, and what their own clocks are behind it. */
static uint64_t when[LOCATIONS][EVENTS], behind[LOCATIONS];
static uint32_t passed[LOCATIONS];
static uint64_t apart, farthest; /* events that were too early, ticks */

/* How far an event is in front of the next one of the location that has come least far. */
static uint64_t ahead_of_others(uint32_t location, uint64_t time)
{
    uint64_t most = 0;
    for (uint32_t l = 0; l < LOCATIONS; l++)
        if (l != location && passed[l] < EVENTS && time > when[l][passed[l]] + most)
            most = time - when[l][passed[l]];
    return most;
}

static tcf_status watch_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    const uint32_t l = s->location;
    (void)self;
    for (uint32_t i = from; i < to; i++) {
        const uint64_t ahead = ahead_of_others(l, when[l][passed[l]++]);
        farthest = ahead > farthest ? ahead : farthest;
        apart += ahead > 2 * QUANTUM; /* of a location in its quantum, and another one at the end of the same */
    }
    return TCF_OK;
}

static const tcf_filter watch = {
    .head = TCF_FILTER_HEAD,
    .name = "watch",
    .version = "1",
    .summary = "Watches how far locations are apart",
    .span = watch_span,
};

static tcf_status settle_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    for (uint32_t i = 0; i < s->n; i++)
        s->time[i] += behind[s->location];
    return TCF_OK;
}

static const tcf_filter settles = {
    .head = TCF_FILTER_HEAD,
    .name = "settles",
    .version = "1",
    .summary = "Brings all times to one clock",
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK,
    .slice = settle_slice,
};

/* Locations begin at these times by the one clock; their clocks are behind it by these. */
static tcfh *program(const uint64_t *begins, const uint64_t *clocks)
{
    tcfh *h = tcfh_new();
    tcfh_filter(h, &watch);
    tcfh_filter(h, &settles);
    tcfh_processes(h, LOCATIONS, 1);
    const uint32_t region = tcfh_region(h, "work");
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        behind[l] = clocks[l];
        for (uint32_t i = 0; i < EVENTS; i++) {
            when[l][i] = begins[l] + (10 + 3 * l) * i;
            if (i % 2)
                tcfh_leave(h, l, when[l][i] - behind[l], region);
            else
                tcfh_enter(h, l, when[l][i] - behind[l], region);
        }
    }
    return h;
}

static void keeps_together(tcfh *h, const char *chain)
{
    static const uint32_t slices[] = {1, 7, 64, 1024};
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        apart = farthest = 0;
        memset(passed, 0, sizeof passed);
        tcfh_run(h, "[pipeline]\nchain = %s\nslice = %u\nquantum = %d ticks\n", chain, slices[i], QUANTUM);
        for (uint32_t l = 0; l < LOCATIONS; l++)
            assert_int_equal(passed[l], EVENTS);
        if (apart > 0)
            fail_msg("%s, slices of %u: %llu events are too early, by up to %llu ticks", chain, slices[i],
                     (unsigned long long)apart, (unsigned long long)farthest);
    }
    tcfh_delete(h);
}

/* Nothing is known of the clocks: processes begin at the same time. */
static void clocks_that_begin_anywhere(void **state)
{
    static const uint64_t begins[LOCATIONS] = {5000000, 5000000, 5000000, 5000000, 5000000, 5000000},
                          clocks[LOCATIONS] = {0, 4900000, 100, 3000000, 2500000, 7000};
    (void)state;
    keeps_together(program(begins, clocks), "watch");
}

/* Also where keys are larger than what they count from. */
static void clocks_that_begin_near_zero(void **state)
{
    static const uint64_t begins[LOCATIONS] = {5, 7, 6, 5, 9, 5}, clocks[LOCATIONS] = {0};
    (void)state;
    keeps_together(program(begins, clocks), "watch");
}

static const uint64_t late[LOCATIONS] = {5001500, 5000000, 5003000, 5000700, 5006000, 5000010},
                      off[LOCATIONS] = {10, 4900000, 100, 3000000, 2500000, 7000};

static tcfh *program_with_offsets(void)
{
    tcfh *h = program(late, off);
    for (uint32_t l = 0; l < LOCATIONS; l++)
        tcfh_clock_offset(h, l, late[l] - off[l], (int64_t)off[l]);
    return h;
}

/* Processes that begin late are late. */
static void recorded_offsets(void **state)
{
    (void)state;
    keeps_together(program_with_offsets(), "watch");
}

/* Offsets say nothing of times that a filter has brought to one clock. */
static void one_clock(void **state)
{
    (void)state;
    keeps_together(program(late, off), "settles watch");
    keeps_together(program_with_offsets(), "settles watch");
}

/* --------------------------------------------------------------------------------------------------- who is next -- */

static uint32_t order[LOCATIONS], n_order, n_spans;

/* Notes the locations of receives in their order. */
static tcf_status notes_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    n_spans++;
    for (uint32_t i = from; i < to; i++)
        if (s->kind[i] == TCF_MPI_RECV && n_order < LOCATIONS)
            order[n_order++] = s->location;
    return TCF_OK;
}

static const tcf_filter notes = {
    .head = TCF_FILTER_HEAD,
    .name = "notes",
    .version = "1",
    .summary = "Notes who goes on",
    .span = notes_span,
};

static tcfh *noted(uint32_t processes)
{
    tcfh *h = tcfh_new();
    tcfh_filter(h, &notes);
    tcfh_processes(h, processes, 1);
    tcfh_region(h, "work");
    for (uint32_t l = 0; l < processes; l++)
        tcfh_enter(h, l, 1, 0);
    return h;
}

static void notes_of(tcfh *h, uint32_t slice)
{
    n_order = n_spans = 0;
    tcfh_run(h, "[pipeline]\nchain = notes\nslice = %u\nquantum = %d ticks\n", slice, QUANTUM);
    tcfh_unchanged(h);
}

/* Of those that a message has woken the last one goes on first. */
static void the_last_that_was_woken(void **state)
{
    (void)state;
    tcfh *h = noted(4);
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_receive(h, l, 50, 3, 1, 8);
        tcfh_send(h, 3, 10 + l, l, 1, 8);
    }
    notes_of(h, 64);
    assert_int_equal(n_order, 3);
    for (uint32_t l = 0; l < 3; l++)
        assert_int_equal(order[l], 2 - l);
    tcfh_delete(h);
}

/* Who is alone goes on to the end of each slice. */
static void alone(void **state)
{
    (void)state;
    tcfh *h = noted(1);
    for (uint32_t i = 1; i < 1000; i++)
        tcfh_enter(h, 0, 1 + 77 * i, 0);
    notes_of(h, 100);
    assert_int_equal(n_spans, 10);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_begin_anywhere), cmocka_unit_test(clocks_that_begin_near_zero),
        cmocka_unit_test(recorded_offsets),           cmocka_unit_test(one_clock),
        cmocka_unit_test(the_last_that_was_woken),    cmocka_unit_test(alone),
    };
    return cmocka_run_group_tests_name("quantum", tests, NULL, NULL);
}
