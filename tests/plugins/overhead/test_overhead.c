/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Events that depend on no other location, and the parameters of the filter `overhead`. */
#include "by_hand.h"

static void events_lose_their_overhead(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    uint32_t metric = tcfh_metric(h, "m", 6), attribute = tcfh_attribute(h, "a", 6);
    const tcf_attribute two[] = {{1, attribute, 6}, {2, attribute, 6}};
    tcfh_enter(h, 0, 100, work);
    tcfh_enter(h, 0, 150, work);
    tcfh_leave(h, 0, 160, work);
    tcfh_leave(h, 0, 300, work);
    tcfh_metric_value(h, 0, 500, metric, 6, 7);
    plain(h, 0, 700);
    tcfh_attributes(h, 0, 2, two);
    IN_ALL_CUTS(h, "event = 40 ticks\n")
    {
        TIMES(0, 100, 110, 110, 210, 370, 530); /* 10 < 40: clamped */
    }
    IN_ALL_CUTS(
        h,
        "event = 40 ticks\nkinds = LEAVE:100ticks PARAMETER_INT:50ns\nmetric_value = 9 ticks\nattribute = 20 ticks\n")
    {
        TIMES(0, 100, 110, 110, 150, 301, 411);
    }
    tcfh_delete(h);
}

/* Costs of parts of a tick add up: with ticks of 1 ns 2, 4, 6, 9 and 11 up to each event. */
static void parts_of_a_tick_add_up(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    for (uint64_t time = 100; time <= 500; time += 100)
        plain(h, 0, time);
    IN_ALL_CUTS(h, "event = 2.25ns\n")
    {
        TIMES(0, 100, 198, 296, 393, 491);
    }
    IN_ALL_CUTS(h, "event = 250ps\n")
    {
        TIMES(0, 100, 200, 300, 399, 499);
    }
    tcfh_delete(h);
}

/* What finds no time before an event is taken from the time behind it. */
static void overhead_is_carried(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    for (uint64_t i = 0; i < 6; i++)
        plain(h, 0, (const uint64_t[]){100, 150, 160, 300, 320, 500}[i]);
    IN_ALL_CUTS(h, "event = 40 ticks\ncarry = 1ms\n")
    {
        TIMES(0, 100, 110, 110, 180, 180, 300); /* 30 of the third and 20 of the fifth are carried */
    }
    IN_ALL_CUTS(h, "event = 40 ticks\ncarry = 10 ticks\n")
    {
        TIMES(0, 100, 110, 110, 200, 200, 330);
        if (!strstr(tcfh_text(h, "report"), ",3e-08,")) /* 20 and 10 are lost */
            fail_msg("%s", tcfh_text(h, "report"));
    }
    tcfh_delete(h);
}

static void flush_is_taken_out(void **state)
{
    (void)state;
    size_t n;
    tcfh *h = processes(1, 1);
    plain(h, 0, 100);
    tcfh_event(h, 0, 150, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){400});
    plain(h, 0, 420);
    tcfh_event(h, 0, 450, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){480});
    plain(h, 0, 470); /* before the flush was done */
    plain(h, 0, 500);
    IN_ALL_CUTS(h, "event = 5 ticks\n")
    {
        TIMES(0, 100, 145, 160, 185, 185, 200);
        assert_int_equal(tcfh_output(h, 0, &n)[1].rec.buffer_flush.stop_time, 145);
        assert_int_equal(tcfh_output(h, 0, &n)[3].rec.buffer_flush.stop_time, 185);
    }
    tcfh_delete(h);
}

static void measurement_off_is_taken_out(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    plain(h, 0, 100);
    tcfh_event(h, 0, 150, TCF_MEASUREMENT_ON_OFF, &(tcf_ev_measurement_on_off){OTF2_MEASUREMENT_OFF});
    plain(h, 0, 300);
    tcfh_event(h, 0, 500, TCF_MEASUREMENT_ON_OFF, &(tcf_ev_measurement_on_off){OTF2_MEASUREMENT_ON});
    plain(h, 0, 600);
    IN_ALL_CUTS(h, "event = 5 ticks\n")
    {
        TIMES(0, 100, 145, 145, 145, 240);
    }
    IN_ALL_CUTS(h, "event = 5 ticks\nremove_off = no\n")
    {
        TIMES(0, 100, 145, 290, 485, 580);
    }
    tcfh_delete(h);
}

static void regions_of_the_measurement_system(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    uint32_t flush = tcfh_region(h, "TRACE BUFFER FLUSH"), off = tcfh_region(h, "MEASUREMENT OFF");
    plain(h, 0, 100);
    tcfh_enter(h, 0, 150, flush); /* 145 */
    plain(h, 0, 300);
    tcfh_enter(h, 0, 320, work);
    tcfh_leave(h, 0, 390, work);
    tcfh_leave(h, 0, 400, flush);
    plain(h, 0, 500); /* 240 */
    tcfh_enter(h, 0, 600, off);
    tcfh_leave(h, 0, 700, off);
    plain(h, 0, 720);
    IN_ALL_CUTS(h, "event = 5 ticks\n")
    {
        TIMES(0, 100, 145, 145, 145, 145, 145, 240, 335, 335, 350);
    }
    IN_ALL_CUTS(h, "event = 5 ticks\nremove_off = no\n")
    {
        TIMES(0, 100, 145, 145, 145, 145, 145, 240, 335, 430, 445);
    }
    tcfh_delete(h);
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 240, 300);
    IN_ALL_CUTS(h, "mode = upper\ncopy = 1:1ms\n")
    {
        tcfh_unchanged(h);
    }
    tcfh_delete(h);
}

static void refuse(tcfh *h, const char *options, const char *why)
{
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = overhead\n[overhead]\n%s", options), TCF_ERROR);
    if (!strstr(tcfh_error(h), why))
        fail_msg("'%s' is not in: %s", why, tcfh_error(h));
}

static void write_file(tcfh *h, const char *text)
{
    FILE *f = fopen(tcfh_path(h, "copy"), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void parameters(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 240, 300);
    refuse(h, "rendezvous = 64 miles\n", "expected no, synchronous, or a size of at least one byte");
    refuse(h, "rendezvous = 1B\npaper = yes\n", "no send waits in the paper");
    refuse(h, "kinds = FOO:3ns\n", "no kind of event 'FOO'");
    refuse(h, "kinds = ENTER\n", "'ENTER': expected a kind of event and a duration");
    refuse(h, "kinds = ENTER:3\n", "expected a kind");
    refuse(h, "copy = 8\n", "expected SIZE:DURATION");
    refuse(h, "copy = 0:3ns\n", "expected a size of at least one byte");
    refuse(h, "copy = 8:3ns 8:4ns\n", "does not follow");
    refuse(h, "copy = 8:3ns\ncopy_file = x\n", "both given");
    refuse(h, "copy_file = ${SCRATCH}/not-there\n", "not-there");
    write_file(h, "# size, time\n8 1ns\n\n1kB 5us\n");
    refuse(h, "copy_file = ${SCRATCH}/copy\n", "copy, line 4");
    write_file(h, "8 1ns 4\n");
    refuse(h, "copy_file = ${SCRATCH}/copy\n", "copy, line 1: expected a size and a duration");
    write_file(h, "# size, time\n50, 2ns\n\n150: 4ns # both separators\n");
    run(h, O PAPER "copy_file = ${SCRATCH}/copy\n");
    TIMES(1, 240, 243, 243);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_lose_their_overhead),   cmocka_unit_test(parts_of_a_tick_add_up),
        cmocka_unit_test(overhead_is_carried),          cmocka_unit_test(flush_is_taken_out),
        cmocka_unit_test(measurement_off_is_taken_out), cmocka_unit_test(regions_of_the_measurement_system),
        cmocka_unit_test(nothing_costs_nothing),        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
