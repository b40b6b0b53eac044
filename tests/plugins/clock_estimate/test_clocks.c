/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The filter `clock_estimate` over small traces made in memory: which of a trace's edges count, what it decides, what
 * it hands on. The solver's accuracy is tested in test_solver.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/harness.h"
#include <tcflow/clocks.h>

/* Looks at what the survey has left. */
static struct {
    tcf_clock_source source[16];
    tcf_clock_knot knot[4096];
    uint64_t n_sources, n_knots;
} learned;

static tcf_status look_begin(tcf_self *self)
{
    const tcf_clock_source *source = self->host->learned(self, TCF_CLOCK_SOURCES, sizeof *source, &learned.n_sources);
    const tcf_clock_knot *knot = self->host->learned(self, TCF_CLOCK_KNOTS, sizeof *knot, &learned.n_knots);
    if (!source || !knot || learned.n_sources > 16 || learned.n_knots > 4096)
        return (self->host->fail)(self, "tables are missing or too large");
    memcpy(learned.source, source, learned.n_sources * sizeof *source);
    memcpy(learned.knot, knot, learned.n_knots * sizeof *knot);
    return TCF_OK;
}

static tcf_status look_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

static const tcf_filter look = {
    .head = TCF_FILTER_HEAD,
    .name = "look",
    .version = "1",
    .summary = "Looks at knots",
    .slice = look_slice,
    .begin = look_begin,
};

static void survey(tcfh *h, const char *options)
{
    tcfh_filter(h, &look);
    memset(&learned, 0, sizeof learned);
    tcfh_run(h,
             "[pipeline]\nsurvey = clock_estimate\nchain = look\n[clock_estimate]\nformat = csv\n"
             "output = ${SCRATCH}/out.csv\noverwrite = yes\n%s",
             options);
    tcfh_unchanged(h);
}

/* What is added to a location's time. */
static int64_t offset_at(uint32_t location, uint64_t time)
{
    const tcf_clock_knot *k = learned.knot;
    uint64_t n = 0;
    while (k < learned.knot + learned.n_knots && k->location != location)
        k++;
    while (k + n < learned.knot + learned.n_knots && k[n].location == location)
        n++;
    if (n < 2)
        return n ? k->offset : 0;
    while (n > 2 && k[1].time <= time) {
        k++;
        n--;
    }
    double slope = (double)(k[1].offset - k[0].offset) / (double)(k[1].time - k[0].time);
    return k[0].offset + (int64_t)(slope * (double)(int64_t)(time - k[0].time));
}

static void assert_offset(uint32_t location, uint64_t time, int64_t expected, int64_t tolerance)
{
    int64_t off = offset_at(location, time) - expected;
    if (off < -tolerance || off > tolerance)
        fail_msg("location %u at %" PRIu64 ": %" PRId64 " instead of %" PRId64, location, time, off + expected,
                 expected);
}

/* Two processes of two threads, whose clocks differ by `ahead`; messages both ways take 10 ticks. */
static tcfh *ping_pong(int64_t ahead)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 2);
    uint32_t region = tcfh_region(h, "work");
    for (uint64_t t = 100000; t < 600000; t += 1000) {
        tcfh_send(h, 0, t, 1, 7, 8);
        tcfh_receive(h, 2, t + 10 + (uint64_t)ahead, 0, 7, 8);
        tcfh_send(h, 2, t + 500 + (uint64_t)ahead, 0, 7, 8);
        tcfh_receive(h, 0, t + 510, 1, 7, 8);
    }
    tcfh_enter(h, 1, 100, region); /* the other threads have a word, too */
    tcfh_leave(h, 1, 700000, region);
    tcfh_enter(h, 3, 50000 + (uint64_t)ahead, region);
    tcfh_leave(h, 3, 600000 + (uint64_t)ahead, region);
    return h;
}

static void right_clocks_stay(void **state)
{
    tcfh *h = ping_pong(3);
    (void)state;
    survey(h, "clocks = process\n");
    assert_int_equal(learned.n_knots, 0);
    assert_int_equal(learned.n_sources, 4);
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(learned.source[k].location, k);
        assert_int_equal(learned.source[k].origin, TCF_CLOCK_RAW);
        assert_int_equal(learned.source[k].component, 0);
    }
    assert_true(learned.source[0].error == 0);
    assert_true(learned.source[2].error >= 3);
    tcfh_delete(h);
}

/* Two processes whose messages take 13 ticks one way and 7 the other have one clock, if nobody states otherwise. */
static void shared_clocks_are_found(void **state)
{
    static const char *const options[] = {"", "clocks = process\n", "clocks = node\n"};
    static const enum tcf_clock_evidence evidence[] = {TCF_SHARED_BY_MESSAGES, TCF_SHARED_IN_PROCESS,
                                                       TCF_SHARED_AS_STATED};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        tcfh *h = ping_pong(3);
        survey(h, options[i]);
        for (uint32_t k = 0; k < 4; k++) {
            assert_int_equal(learned.source[k].clock, i == 1 ? k / 2 : 0);
            assert_int_equal(learned.source[k].evidence, evidence[i]);
        }
        assert_true(i > 0 || learned.source[2].apart >= 20);
        assert_true(i > 0 || learned.source[2].apart < 21);
        assert_int_equal(strstr(tcfh_text(h, "out.csv"), "shared,0,") != NULL, i != 1);
        tcfh_delete(h);
    }
}

/* The threads of a process get its correction; slices of any size give the same. */
static void wrong_clocks_are_found(void **state)
{
    tcfh *h = ping_pong(-40000);
    (void)state;
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        survey(h, "");
        assert_int_equal(learned.source[1].origin, TCF_CLOCK_RAW);
        assert_int_equal(learned.source[2].origin, TCF_CLOCK_MESSAGES);
        assert_int_equal(learned.source[3].origin, TCF_CLOCK_MESSAGES);
        for (uint64_t t = 70000; t < 550000; t += 10000) {
            assert_offset(2, t, 40000, 1);
            assert_offset(3, t, 40000, 1);
        }
        assert_true(learned.source[2].error >= 5 && learned.source[2].error < 20);
    }
    assert_non_null(strstr(tcfh_text(h, "out.csv"), "totals,messages,1000,"));
    tcfh_delete(h);
}

static void reference_is_chosen(void **state)
{
    tcfh *h = ping_pong(-40000);
    char options[64];
    (void)state;
    snprintf(options, sizeof options, "reference = %" PRIu64 "\n", tcfh_location_id(h, 3));
    survey(h, options);
    /* The other thread's first event would get a time below 0, so all clocks are moved. */
    assert_true(offset_at(2, 300000) >= 40000 - 100 && offset_at(2, 300000) < 40000);
    assert_offset(0, 300000, offset_at(2, 300000) - 40000, 1);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = clock_estimate\n[clock_estimate]\nreference = 5\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "no location of this id"));
    tcfh_delete(h);
}

/* Every class of collective operation by itself brings clocks together, as far as its class says. */
static void collectives_count(void **state)
{
    static const uint8_t ops[] = {OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLTOALL,
                                  OTF2_COLLECTIVE_OP_BCAST, OTF2_COLLECTIVE_OP_REDUCE};
    (void)state;
    for (uint32_t o = 0; o < 5; o++) {
        tcfh *h = tcfh_new();
        int has_root = ops[o] == OTF2_COLLECTIVE_OP_BCAST || ops[o] == OTF2_COLLECTIVE_OP_REDUCE;
        tcfh_processes(h, 4, 1);
        for (uint64_t turn = 0; turn < 400; turn++) {
            uint32_t one = (uint32_t)turn % 4; /* the root, or who comes last */
            uint64_t at = 100000 + 1000 * turn;
            for (uint32_t k = 0; k < 4; k++) {
                uint64_t clock = 5000 * k; /* behind */
                uint64_t begin = k == one ? at + 100 : at, end = k == one ? at + 111 : at + 110;
                if (ops[o] == OTF2_COLLECTIVE_OP_REDUCE && k == one)
                    begin = at;
                else if (ops[o] == OTF2_COLLECTIVE_OP_REDUCE)
                    begin = at + 100;
                tcfh_collective(h, k, begin - clock, end - clock, ops[o], 0,
                                has_root ? one : OTF2_COLLECTIVE_ROOT_NONE);
            }
        }
        survey(h, "");
        for (uint32_t k = 1; k < 4; k++) {
            assert_int_equal(learned.source[k].origin, TCF_CLOCK_MESSAGES);
            assert_offset(k, 250000, 5000 * k, 2);
        }
        tcfh_delete(h);
    }
}

/* Members of v-operations that send nothing are nobody's source. */
static void nothing_sent_says_nothing(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 2, 1);
    for (uint64_t t = 100000; t < 200000; t += 1000)
        for (uint32_t k = 0; k < 2; k++) {
            tcfh_collective_begin(h, k, t - 50000 * k);
            tcfh_collective_end(h, k, t + 10 - 50000 * k,
                                (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_ALLGATHERV, 0, OTF2_COLLECTIVE_ROOT_NONE,
                                                            0, 0});
        }
    survey(h, "");
    assert_int_equal(learned.source[1].origin, TCF_CLOCK_UNCONNECTED);
    assert_int_equal(learned.source[1].component, 1);
    tcfh_delete(h);
}

static void who_never_talks_is_unconnected(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 4, 1);
    uint32_t region = tcfh_region(h, "alone");
    for (uint64_t t = 1000; t < 50000; t += 1000) {
        tcfh_send(h, 0, t, 1, 7, 8);
        tcfh_receive(h, 1, t + 10, 0, 7, 8);
    }
    tcfh_enter(h, 2, 10, region);
    tcfh_leave(h, 2, 40, region);
    survey(h, "clocks = process\n");
    assert_int_equal(learned.source[1].origin, TCF_CLOCK_RAW);
    assert_int_equal(learned.source[2].origin, TCF_CLOCK_UNCONNECTED);
    assert_int_equal(learned.source[3].origin,
                     TCF_CLOCK_UNCONNECTED); /* which matters if events of it come after all */
    tcfh_delete(h);
}

/* Measurements connect, too. */
static void measured_offsets_count(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 2, 1);
    tcfh_clock_offset(h, 0, 100, 0);
    tcfh_clock_offset(h, 1, 100, 123456789);
    uint32_t region = tcfh_region(h, "alone");
    for (uint32_t k = 0; k < 2; k++) {
        tcfh_enter(h, k, 10, region);
        tcfh_leave(h, k, 4000, region);
    }
    survey(h, "");
    assert_int_equal(learned.source[1].component, 0);
    assert_int_not_equal(learned.source[1].origin, TCF_CLOCK_UNCONNECTED);
    assert_offset(1, 2000, 123456789, 0);
    tcfh_delete(h);
}

static void knots_go_to_a_file(void **state)
{
    tcfh *h = ping_pong(-40000);
    char line[64];
    (void)state;
    survey(h, "knots = ${SCRATCH}/knots.csv\n");
    const char *text = tcfh_text(h, "knots.csv");
    assert_non_null(text);
    assert_ptr_equal(strstr(text, "location,time,offset,error\n"), text);
    snprintf(line, sizeof line, "\n%" PRIu64 ",", tcfh_location_id(h, 2));
    assert_non_null(strstr(text, line));
    snprintf(line, sizeof line, "\n%" PRIu64 ",", tcfh_location_id(h, 0));
    assert_null(strstr(text, line));
    const char *again = "[pipeline]\nchain = clock_estimate\n[clock_estimate]\noutput = ${SCRATCH}/out.csv\n"
                        "overwrite = yes\nknots = ${SCRATCH}/knots.csv\n%s";
    assert_int_equal(tcfh_try(h, again, ""), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "exists already"));
    tcfh_run(h, again, "overwrite_knots = yes\n");
    tcfh_delete(h);
}

static void parameters_are_checked(void **state)
{
    tcfh *h = ping_pong(0);
    (void)state;
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = clock_estimate\n[clock_estimate]\nmost_knots = 100\n"),
                     TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "power of two"));
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = clock_estimate\n[clock_estimate]\nreference = first\n"),
                     TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "expected the id of a location"));
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_clocks_stay),         cmocka_unit_test(wrong_clocks_are_found),
        cmocka_unit_test(reference_is_chosen),       cmocka_unit_test(collectives_count),
        cmocka_unit_test(nothing_sent_says_nothing), cmocka_unit_test(who_never_talks_is_unconnected),
        cmocka_unit_test(measured_offsets_count),    cmocka_unit_test(knots_go_to_a_file),
        cmocka_unit_test(parameters_are_checked),    cmocka_unit_test(shared_clocks_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
