/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The filter `overhead` on small traces, against times worked out by hand from the paper's equations (paper = yes) and
 * from plugins/overhead/README.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CUTS = 6 };

static uint32_t work;

static tcfh *processes(uint32_t n, uint32_t threads)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, threads);
    work = tcfh_region(h, "work");
    return h;
}

/* An event that depends on nothing, and opens no call. */
static void plain(tcfh *h, uint32_t location, uint64_t time)
{
    tcfh_event(h, location, time, TCF_PARAMETER_INT, &(tcf_ev_parameter_int){TCF_NONE, 1});
}

/* Nothing is carried over unless the options say so. */
static void run(tcfh *h, const char *options)
{
    tcfh_run(
        h, "[pipeline]\nchain = overhead\n[overhead]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n%s%s",
        strstr(options, "carry") ? "" : "carry = 0\n", options);
}

#define TIMES(location, ...) TCFH_TIMES(h, location, __VA_ARGS__)

/* Runs with slices cut in many ways. */
#define IN_ALL_CUTS(h, options) for (uint64_t cut = 0; cut < CUTS && (tcfh_cut(h, cut), run(h, options), 1); cut++)

/* --------------------------------------------------------------------------------------------------- independent -- */

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

/* ----------------------------------------------------------------------------------------------------------- p2p -- */

/* With 10 ticks an event: enter.send 200 -> 180, send 210 -> 180, exit.send 230 -> 190. */
static void sender(tcfh *h)
{
    plain(h, 0, 0);
    plain(h, 0, 100);
    tcfh_enter(h, 0, 200, work);
    tcfh_send(h, 0, 210, 1, 7, 100);
    tcfh_leave(h, 0, 230, work);
}

/* The receiver's first event is its enter, which stays where it is. */
static void receiver(tcfh *h, uint64_t enter, uint64_t recv)
{
    tcfh_enter(h, 1, enter, work);
    tcfh_receive(h, 1, recv, 0, 7, 100);
    tcfh_leave(h, 1, recv + 10, work);
}

#define O "event = 10 ticks\n"
#define PAPER "paper = yes\n"

static void assert_decisions(tcfh *h, const char *decisions)
{
    const char *text = tcfh_text(h, "report");
    if (!strstr(text, decisions))
        fail_msg("no '%s' in: %s", decisions, text);
}

/* eq. 2, 3; also where enter.recv = exit.send */
static void receiver_waits(void **state)
{
    (void)state;
    for (uint64_t enter = 50; enter <= 230; enter += 180) {
        tcfh *h = processes(2, 1);
        sender(h);
        receiver(h, enter, 280);
        IN_ALL_CUTS(h, O PAPER)
        {
            TIMES(0, 0, 90, 180, 180, 190);
            TIMES(1, enter, 250, 250); /* Comm = 70; enter 230 < 250 */
        }
        IN_ALL_CUTS(h, O)
        {
            TIMES(1, enter, 240, 240); /* Comm = 70 - 10 */
            assert_decisions(h, enter == 50 ? ",1,0,1,0," : ",0,1,0,0,");
        }
        IN_ALL_CUTS(h, O "mode = upper\n")
        {
            if (enter == 50)
                TIMES(1, enter, 240, 240); /* was measured: no bounds */
            else
                TIMES(1, enter, 270, 270); /* may have been there at 230, and taken 280 - 230 - 10 from there */
        }
        tcfh_delete(h);
    }
}

/* eq. 4 */
static void message_is_there(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 225, 250);
    IN_ALL_CUTS(h, O PAPER "copy = 50:15ticks 150:25ticks\n")
    {
        TIMES(1, 225, 245, 245); /* 180 + 40 <= 225: a.2, C = 20 */
        assert_decisions(h, ",1,0,0,1,");
    }
    IN_ALL_CUTS(h, O "copy = 50:15ticks 150:25ticks\n")
    {
        TIMES(1, 225, 240, 240); /* the copy took no longer than 250 - 225 - 10 */
    }
    IN_ALL_CUTS(h, O "copy = 50:1ticks 150:5ticks\n")
    {
        TIMES(1, 225, 228, 228);
    }
    tcfh_delete(h);
}

/* A message that arrives while it would still be copied: literally it is waited for, and comes earlier than that. */
static void between_a1_and_a2(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 225, 260);
    IN_ALL_CUTS(h, O PAPER "copy = 100:20ticks\n")
    {
        TIMES(1, 225, 230, 230); /* 180 + 50 > 225 */
    }
    IN_ALL_CUTS(h, O "copy = 100:20ticks\n")
    {
        TIMES(1, 225, 245, 245); /* 180 + 40 < 225 + 20 */
    }
    tcfh_delete(h);
}

/* eq. 5 to 11 */
static void bounds(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 240, 300);
    static const struct {
        const char *options;
        uint64_t recv;
    } cases[] = {
        {PAPER "copy = 100:3ticks\nmode = lower\n", 243}, /* max(180 + 6, 240 + 3) */
        {PAPER "copy = 100:3ticks\nmode = upper\n", 270}, /* max(180 + 90, 240 + 3) */
        {PAPER "copy = 100:3ticks\nmode = mean\n", 256},
        {PAPER "copy = 100:40ticks\nmode = lower\n", 280}, /* eq. 7, 8: max(260, 280) */
        {PAPER "copy = 100:40ticks\nmode = upper\n", 280},
        {PAPER "copy = 100:100ticks\nmode = lower\n", 380},
        {"copy = 100:3ticks\nmode = lower\n", 260}, /* arrives at 287, which becomes 257, and is copied */
        {"copy = 100:3ticks\nmode = likely\n", 260},
        {"copy = 100:3ticks\nmode = upper\n", 290}, /* arrives by 240: the call takes 50 as measured */
        {"copy = 100:3ticks\nmode = mean\n", 275},
        {"copy = 100:100ticks\nmode = lower\n", 290}, /* the copy has taken the 50 of the call */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char options[200];
        snprintf(options, sizeof options, O "%s", cases[i].options);
        IN_ALL_CUTS(h, options)
        {
            TIMES(1, 240, cases[i].recv, cases[i].recv);
            assert_decisions(h, ",0,1,0,0,");
        }
    }
    tcfh_delete(h);
}

/* Whoever waits has had time for all overhead: waiting pays what is carried, as far as it goes. */
static void waiting_pays(void **state)
{
    (void)state;
    static const uint64_t times[2][6] = {{0, 5, 6, 7, 280, 300}, {0, 215, 216, 217, 250, 300}};
    for (int i = 0; i < 2; i++) {
        tcfh *h = processes(2, 1);
        sender(h);
        for (int n = 0; n < 3; n++)
            plain(h, 1, times[i][n]);
        tcfh_enter(h, 1, times[i][3], work);
        tcfh_receive(h, 1, times[i][4], 0, 7, 100);
        tcfh_leave(h, 1, times[i][5], work);
        IN_ALL_CUTS(h, O "carry = 1ms\n")
        {
            if (i == 0)
                TIMES(1, 0, 0, 0, 0, 240, 250); /* 23 are carried to where it waits for 240 */
            else
                TIMES(1, 0, 205, 205, 205, 210, 237); /* 18, and 5 of waiting: 300 - 250 - 10 - 13 */
        }
        tcfh_delete(h);
    }
}

/* MPI_Sendrecv: the call of the send itself receives, so when it is left says nothing of the send. */
static void calls_that_send_and_receive_overlap(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        tcfh *h = processes(2, 1);
        tcfh_enter(h, 0, 100, work);
        tcfh_send(h, 0, 110, 1, 7, 100);
        if (both)
            tcfh_receive(h, 0, 150, 1, 8, 100);
        tcfh_leave(h, 0, 160, work);
        tcfh_enter(h, 1, 90, work);
        tcfh_send(h, 1, 95, 0, 8, 100);
        tcfh_leave(h, 1, 96, work);
        tcfh_enter(h, 1, 300, work);
        tcfh_receive(h, 1, 310, 0, 7, 100);
        IN_ALL_CUTS(h, PAPER)
        {
            TIMES(1, 90, 95, 96, 300, both ? 310 : 300);
        }
        tcfh_delete(h);
    }
}

/* A call that sends and then receives is open for long: a receiver that comes late still need not have waited. */
static void late_in_sendrecv(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_enter(h, 0, 100, work);
    tcfh_send(h, 0, 110, 1, 7, 100); /* 100 */
    tcfh_receive(h, 0, 340, 1, 8, 100);
    tcfh_leave(h, 0, 360, work);
    tcfh_enter(h, 1, 80, work);
    tcfh_send(h, 1, 95, 0, 8, 100);
    tcfh_leave(h, 1, 110, work); /* 90 */
    tcfh_enter(h, 1, 300, work); /* 270 */
    tcfh_receive(h, 1, 320, 0, 7, 100);
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 80, 85, 90, 270, 280); /* was there: 320 - 300 - 10 behind 270 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 80, 85, 90, 270, 300); /* arrived at 300 or later: 100 + 320 - 110 - 10 */
    }
    tcfh_delete(h);
}

/* What a call does before it receives, such as to send, is no time in which it waited. */
static void sends_before_it_receives(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    plain(h, 0, 0);
    tcfh_send(h, 0, 20, 1, 7, 100); /* 10 */
    plain(h, 1, 0);
    tcfh_enter(h, 1, 100, work);      /* 90 */
    tcfh_send(h, 1, 130, 0, 8, 100);  /* 110 */
    tcfh_receive(h, 1, 145, 0, 7, 8); /* was there: 5 of its own */
    tcfh_leave(h, 1, 160, work);
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 0, 90, 110, 115, 120);
    }
    tcfh_delete(h);
}

/* Completions in a row: those recorded behind the arrival are on the way of the ones behind them. */
static void two_receives(tcfh *h, uint32_t call)
{
    for (uint64_t i = 0; i < 2; i++) {
        tcfh_enter(h, 0, 100 + 30 * i, work);
        tcfh_event(h, 0, 110 + 30 * i, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){1, 0, (uint32_t)i, 8, i});
        tcfh_leave(h, 0, 120 + 30 * i, work);
        tcfh_event(h, 1, 10 + i, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){i});
    }
    tcfh_enter(h, 1, 50, call);
    for (uint64_t i = 0; i < 2; i++)
        tcfh_event(h, 1, 200 + 60 * i, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, (uint32_t)i, 8, i});
    tcfh_leave(h, 1, 275, call);
}

static void several_in_a_call(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    two_receives(h, work);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 100, 100, 100, 100, 100, 100);
        TIMES(1, 10, 10, 39, 180, 200, 205); /* 100 + 200 - 110 - 10, 100 + 260 - 140 - 20 */
    }
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(1, 10, 10, 39, 190, 220, 225); /* 100 + 90, 100 + 120 */
    }
    tcfh_delete(h);
}

/* MPI_Waitall waits for the last one: which one the first receive waited for is not known. */
static void waiting_for_all(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    two_receives(h, tcfh_region(h, "MPI_Waitall"));
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 10, 10, 39, 100, 100, 205); /* the sends; 100 + (260 - 20) - 140, and 275 - 260 - 10 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 10, 10, 39, 180, 230, 235); /* the first one may have come last, at 240, which is 230 */
    }
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(1, 10, 10, 39, 190, 220, 225);
    }
    tcfh_delete(h);
}

/* All was sent long before: that the call took 90 may be waiting for what the senders did behind that. */
static void posted_long_before(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) {
        tcfh *h = processes(2, 1);
        const uint32_t wait = tcfh_region(h, several ? "MPI_Waitall" : "MPI_Wait");
        plain(h, 0, 0);
        tcfh_send(h, 0, 20, 1, 0, 8); /* 10 */
        tcfh_event(h, 1, 0, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){1});
        tcfh_enter(h, 1, 200, wait); /* 190 */
        tcfh_event(h, 1, 300, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, 0, 8, 1});
        tcfh_leave(h, 1, 320, wait);
        IN_ALL_CUTS(h, O)
        {
            TIMES(1, 0, 190, 190, 200);
        }
        IN_ALL_CUTS(h, O "mode = upper\n")
        {
            TIMES(1, 0, 190, 280, 290); /* 190 + 300 - 200 - 10 */
        }
        tcfh_delete(h);
    }
}

/* ---------------------------------------------------------------------------------------------- sends that wait -- */

#define WAITING "rendezvous = 100B\nhandshake = 0ns\n"

/* A send of 100 bytes at 110, which becomes 90, in a call that is left at `left`. */
static void late_receiver(tcfh *h, const char *call, uint64_t left)
{
    const uint32_t region = tcfh_region(h, call);
    plain(h, 0, 0);
    tcfh_enter(h, 0, 100, region);
    tcfh_send(h, 0, 110, 1, 7, 100);
    tcfh_leave(h, 0, left, region);
}

/* A receive that is posted at 200 and done at 290, behind events each of which takes 10 from 200. */
static void posted_at_200(tcfh *h, uint64_t n)
{
    const uint32_t recv = tcfh_region(h, "MPI_Recv");
    for (uint64_t i = 0; i < n; i++)
        plain(h, 1, 10 * i);
    tcfh_enter(h, 1, 200, recv);
    tcfh_receive(h, 1, 290, 0, 7, 100);
    tcfh_leave(h, 1, 300, recv);
}

/* 200 becomes 160: the sender goes on behind that, 90 later as it was measured. */
static void send_waits_for_its_receive(void **state)
{
    (void)state;
    static const char *const waits[] = {"rendezvous = 100B\n", "rendezvous = 1B\n", "rendezvous = 100B\nmode = lower\n",
                                        "rendezvous = 100B\nmode = upper\n", "rendezvous = 100B\nmode = mean\n"};
    tcfh *h = processes(2, 1);
    late_receiver(h, "MPI_Send", 300);
    plain(h, 1, 0);
    plain(h, 1, 50);
    plain(h, 1, 100);
    posted_at_200(h, 0);
    for (size_t i = 0; i < COUNT(waits); i++) {
        char options[200];
        snprintf(options, sizeof options, O "handshake = 20 ticks\n%s", waits[i]);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, 260);           /* 170 + 300 - 10 - 200 */
            TIMES(1, 0, 40, 80, 170, 250, 250); /* the message left when both were there */
        }
    }
    static const char *const waits_not[] = {"rendezvous = no\n", "rendezvous = 101B\n", "rendezvous = synchronous\n"};
    for (size_t i = 0; i < COUNT(waits_not); i++) {
        char options[200];
        snprintf(options, sizeof options, O "mode = upper\n%s", waits_not[i]);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, 270);           /* 300 - 110 - 10, as measured */
            TIMES(1, 0, 40, 80, 170, 260, 260); /* 90 + 290 - 10 - 110 */
        }
    }
    tcfh_delete(h);
}

/* MPI_Ssend waits whatever the size, MPI_Bsend and MPI_Rsend don't. */
static void which_calls_wait(void **state)
{
    (void)state;
    static const struct {
        const char *call, *rendezvous;
        uint64_t left;
    } cases[] = {{"MPI_Ssend", "synchronous", 260}, {"MPI_SSEND", "1000B", 260}, {"MPI_Bsend", "1B", 270},
                 {"MPI_Rsend", "1B", 270},          {"MPI_Send", "1B", 260},     {"MPI_Send", "synchronous", 270}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        tcfh *h = processes(2, 1);
        late_receiver(h, cases[i].call, 300);
        plain(h, 1, 0);
        plain(h, 1, 50);
        plain(h, 1, 100);
        posted_at_200(h, 0);
        char options[200];
        snprintf(options, sizeof options, O "rendezvous = %s\n", cases[i].rendezvous);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, cases[i].left);
        }
        tcfh_delete(h);
    }
}

/* A receiver in MPI_Sendrecv posts behind the record of its own send, which takes 10 without work: 210 becomes 170. To
 * MPI_PROC_NULL nothing is sent: then it posts where it enters the call. */
static void receiver_in_sendrecv(void **state)
{
    (void)state;
    static const char *const calls[] = {"MPI_Sendrecv", "MPI_Sendrecv_replace"};
    for (size_t i = 0; i < 2 * COUNT(calls); i++) {
        const int sends = i % 2 == 0;
        tcfh *h = processes(3, 1);
        late_receiver(h, "MPI_Send", 300);
        plain(h, 1, 0);
        plain(h, 1, 50);
        plain(h, 1, 100);
        const uint32_t call = tcfh_region(h, calls[i / 2]);
        tcfh_enter(h, 1, 200, call);
        if (sends)
            tcfh_send(h, 1, 210, 2, 7, 8);
        else
            plain(h, 1, 210);
        tcfh_receive(h, 1, 290, 0, 7, 100);
        tcfh_leave(h, 1, 300, call);
        if (sends)
            tcfh_receive(h, 2, 400, 1, 7, 8);
        IN_ALL_CUTS(h, O WAITING)
        {
            TIMES(0, 0, 90, 90, sends ? 250 : 260); /* 170 + 300 - 10 - 210, or - 200 */
            TIMES(1, 0, 40, 80, 170, 170, 240, 240);
        }
        tcfh_delete(h);
    }
}

/* 200 becomes 60, which is before the send: who waits for whom then depends on how soon one knows of the other. */
static void receiver_comes_first_without_overhead(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        uint64_t left, recv;
    } cases[] = {{"lower", 160, 170},  /* 90 + 290 - (200 + 20); 90 + 290 - 10 - 200 */
                 {"likely", 180, 170}, /* 90 + 290 - 200 */
                 {"mean", 180, 180},
                 {"upper", 200, 190}}; /* 90 + 290 - (200 - 20); 90 + 20 + 80 */
    tcfh *h = processes(2, 1);
    late_receiver(h, "MPI_Send", 300);
    posted_at_200(h, 14);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char options[200];
        snprintf(options, sizeof options, O "rendezvous = 100B\nhandshake = 20 ticks\nmode = %s\n", cases[i].mode);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, cases[i].left);
            TIMES(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, cases[i].recv, cases[i].recv);
        }
    }
    tcfh_delete(h);
}

/* A post that was there long before costs the sender nothing; one behind the end of the send shows that it didn't wait.
 */
static void sends_that_had_nothing_to_wait_for(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        tcfh *h = processes(2, 1);
        late_receiver(h, "MPI_Send", early ? 190 : 300);
        const uint32_t recv = tcfh_region(h, "MPI_Recv");
        tcfh_enter(h, 1, early ? 200 : 50, recv);
        tcfh_receive(h, 1, 290, 0, 7, 100);
        IN_ALL_CUTS(h, O WAITING)
        {
            TIMES(0, 0, 90, 90, early ? 160 : 270);
            assert_decisions(h, early ? ",0,1\r\n" : ",0,0\r\n");
        }
        tcfh_delete(h);
    }
}

/* MPI_Issend waits in the call that completes it, alone or with others. */
static void non_blocking_sends_wait(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) {
        tcfh *h = processes(2, 1);
        const uint32_t issend = tcfh_region(h, "MPI_Issend"),
                       wait = tcfh_region(h, several ? "MPI_Waitall" : "MPI_Wait");
        plain(h, 0, 0);
        tcfh_enter(h, 0, 100, issend);
        tcfh_event(h, 0, 110, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){1, 0, 7, 8, 1});
        tcfh_leave(h, 0, 120, issend);
        tcfh_enter(h, 0, 130, wait); /* 90 */
        tcfh_event(h, 0, 300, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){1});
        tcfh_leave(h, 0, 320, wait);
        plain(h, 1, 0);
        plain(h, 1, 50);
        plain(h, 1, 100);
        posted_at_200(h, 0); /* 170 */
        IN_ALL_CUTS(h, O "rendezvous = synchronous\nhandshake = 0ns\n")
        {
            TIMES(0, 0, 90, 90, 90, 90, several ? 170 : 260, 270); /* 170 + 300 - 10 - 200; behind all of them */
        }
        tcfh_delete(h);
    }
}

/* The sends wait for each receive in turn; the trace has the completions in the other order. */
static void completed_in_another_order(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    const uint32_t ssend = tcfh_region(h, "MPI_Ssend"), irecv = tcfh_region(h, "MPI_Irecv");
    const uint32_t wait = tcfh_region(h, "MPI_Waitall");
    tcfh_enter(h, 0, 100, ssend);
    tcfh_send(h, 0, 110, 1, 1, 8); /* 100 */
    tcfh_leave(h, 0, 300, ssend);
    tcfh_enter(h, 0, 310, ssend);
    tcfh_send(h, 0, 320, 1, 2, 8);
    tcfh_leave(h, 0, 340, ssend);
    plain(h, 1, 0);
    tcfh_enter(h, 1, 190, irecv);
    for (uint64_t i = 1; i <= 2; i++) /* 180 */
        tcfh_event(h, 1, 190 + 10 * i, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){i});
    tcfh_leave(h, 1, 220, irecv);
    tcfh_enter(h, 1, 230, wait);
    for (uint32_t i = 2; i >= 1; i--)
        tcfh_event(h, 1, 420 - 10 * i, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, i, 8, i});
    tcfh_leave(h, 1, 430, wait);
    IN_ALL_CUTS(h, O "rendezvous = synchronous\nhandshake = 0ns\n")
    {
        TIMES(0, 100, 100, 270, 270, 270, 280); /* 180 + 290 - 200, and nothing to wait for */
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

/* Sends that `rendezvous` takes for waiting, but that can't have waited: messages keep their receives. */
static void sends_that_cannot_have_waited(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    const uint32_t send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    for (uint32_t l = 0; l < 2; l++) {
        plain(h, l, 0);
        tcfh_enter(h, l, 100, send);
        tcfh_send(h, l, 110, 1 - l, 7, 100); /* 90 */
        tcfh_leave(h, l, 130, send);         /* 100 */
        tcfh_enter(h, l, 140, recv);         /* 100 */
        tcfh_receive(h, l, 160, 1 - l, 7, 100);
        tcfh_leave(h, l, 170, recv);
    }
    tcfh_send(h, 0, 300, 1, 8, 100); /* lost */
    plain(h, 0, 350);
    IN_ALL_CUTS(h, O WAITING)
    {
        TIMES(0, 0, 90, 90, 100, 100, 110, 110, 230, 270);
        TIMES(1, 0, 90, 90, 100, 100, 110, 110);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

/* Two messages, the earlier of which lost more overhead: 110 becomes 100, 50 becomes 10. All was there at 200. */
static void which_came_last(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    plain(h, 0, 0);
    tcfh_send(h, 0, 110, 1, 0, 8);
    for (uint64_t t = 0; t <= 30; t += 10)
        plain(h, 2, t);
    tcfh_send(h, 2, 50, 1, 0, 8);
    for (uint64_t i = 0; i < 2; i++)
        tcfh_event(h, 1, 10 + 10 * i, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){i});
    const uint32_t wait = tcfh_region(h, "MPI_Waitall");
    tcfh_enter(h, 1, 40, wait);
    for (uint64_t i = 0; i < 2; i++)
        tcfh_event(h, 1, 200 + 20 * i, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){2 * (uint32_t)i, 0, 0, 8, i});
    tcfh_leave(h, 1, 240, wait);
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 10, 10, 20, 100, 100, 200); /* likely that of 110: 100 + 90, and 10 */
    }
    IN_ALL_CUTS(h, O "mode = lower\n")
    {
        TIMES(1, 10, 10, 20, 100, 100, 170); /* that of 50: 10 + 150 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 10, 10, 20, 180, 190, 200);
    }
    IN_ALL_CUTS(h, O "mode = mean\n")
    {
        TIMES(1, 10, 10, 20, 140, 140, 185); /* (160 + 190) / 2, and 10 */
    }
    tcfh_delete(h);
}

/* --------------------------------------------------------------------------------------------------- collectives -- */

static void barrier(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    for (uint32_t l = 0; l < 3; l++)
        plain(h, l, 0);
    plain(h, 1, 100);
    tcfh_collective(h, 0, 100, 230, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    tcfh_collective(h, 1, 200, 220, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    tcfh_collective(h, 2, 150, 240, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(0, 0, 90, 210); /* eq. 13: 180 + 230 - 200 */
        TIMES(1, 0, 90, 180, 200);
        TIMES(2, 0, 140, 220);
    }
    IN_ALL_CUTS(h, O PAPER "synchronised = common\n")
    {
        TIMES(0, 0, 90, 200); /* eq. 12: 180 + 220 - 200 */
        TIMES(1, 0, 90, 180, 200);
        TIMES(2, 0, 140, 200);
    }
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 200);
        TIMES(1, 0, 90, 180, 190);
        TIMES(2, 0, 140, 210);
    }
    /* Who is last changes: 0, 100 -> 5, 150 -> 140. */
    IN_ALL_CUTS(h, PAPER "kinds = PARAMETER_INT:95ticks MPI_COLLECTIVE_BEGIN:100ticks\n")
    {
        TIMES(0, 0, 0, 80); /* begins at 0, 5 + 0, 50: 50 + 230 - 200 */
        TIMES(1, 0, 5, 5, 70);
        TIMES(2, 0, 50, 90);
    }
    tcfh_delete(h);
}

static void broadcast(void **state)
{
    (void)state;
    tcfh *h = processes(4, 1);
    plain(h, 0, 0);
    tcfh_collective(h, 0, 100, 120, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    tcfh_collective(h, 1, 50, 130, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    tcfh_collective(h, 2, 125, 180, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    tcfh_collective(h, 3, 110, 150, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(0, 0, 90, 100);
        TIMES(1, 50, 120);  /* waits: 90 + 30 */
        TIMES(2, 125, 125); /* comes after the root has left: m.2 */
        TIMES(3, 110, 140); /* comes while the root is there: m.1 */
    }
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 50, 110);
        TIMES(2, 125, 160); /* 90 + 180 - 100 - 10 */
        TIMES(3, 110, 130);
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 50, 110);
        TIMES(2, 125, 170); /* begins at 125 and takes 180 - 125 - 10 */
        TIMES(3, 110, 140);
    }
    tcfh_delete(h);
}

/* A root that waits for others before its end must not keep them waiting: the calls overlap then. */
static void root_that_receives(void **state)
{
    (void)state;
    for (int receives = 0; receives < 2; receives++) {
        tcfh *h = processes(3, 1);
        tcfh_collective_begin(h, 0, 100);
        if (receives)
            tcfh_receive(h, 0, 150, 1, 7, 100);
        tcfh_collective_end(h, 0, 160, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BCAST, 0, 0, 8, 8});
        tcfh_collective(h, 1, 110, 120, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
        if (receives)
            tcfh_send(h, 1, 130, 0, 7, 100);
        tcfh_collective(h, 2, 170, 180, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
        IN_ALL_CUTS(h, PAPER)
        {
            TIMES(2, 170, receives ? 180 : 170);
            assert_int_equal(tcfh_note(h, "given_up"), 0);
        }
        tcfh_delete(h);
    }
}

static void reduce_and_scan(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    for (uint32_t l = 0; l < 3; l++)
        plain(h, l, 0);
    tcfh_collective(h, 0, 100, 250, OTF2_COLLECTIVE_OP_REDUCE, 0, 0);
    tcfh_collective(h, 1, 200, 215, OTF2_COLLECTIVE_OP_REDUCE, 0, 0);
    tcfh_collective(h, 2, 150, 165, OTF2_COLLECTIVE_OP_REDUCE, 0, 0);
    tcfh_collective(h, 0, 300, 320, OTF2_COLLECTIVE_OP_SCAN, 0, 0);
    tcfh_collective(h, 1, 400, 440, OTF2_COLLECTIVE_OP_SCAN, 0, 0);
    tcfh_collective(h, 2, 330, 450, OTF2_COLLECTIVE_OP_SCAN, 0, 0);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 230, 270, 280); /* 190 + 50 - 10 */
        TIMES(1, 0, 190, 195, 370, 400);
        TIMES(2, 0, 140, 145, 300, 410); /* 370 + 450 - 400 - 10 */
    }
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------------- threads -- */

static void threads_follow(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    uint32_t team = tcfh_team(h, 2, (const uint32_t[]){0, 1});
    const tcf_ev_thread_team_begin in = {team};
    plain(h, 0, 0);
    tcfh_event(h, 0, 100, TCF_THREAD_FORK, &(tcf_ev_thread_fork){TCF_PARADIGM_OPENMP, 2});
    tcfh_event(h, 0, 110, TCF_THREAD_TEAM_BEGIN, &in);
    tcfh_event(h, 0, 200, TCF_THREAD_TEAM_END, &in);
    tcfh_event(h, 0, 230, TCF_THREAD_JOIN, &(tcf_ev_thread_join){TCF_PARADIGM_OPENMP});
    tcfh_event(h, 1, 120, TCF_THREAD_TEAM_BEGIN, &in);
    tcfh_event(h, 1, 210, TCF_THREAD_TEAM_END, &in);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 90, 170, 190); /* the join: 180 + 230 - 210 - 10 */
        TIMES(1, 100, 180);            /* 90 + 120 - 100 - 10 */
    }
    tcfh_delete(h);
}

/* A lock that the other thread has released: it was waited for or not. */
static void locks_have_bounds(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    for (uint64_t t = 0; t <= 40; t += 10)
        plain(h, 0, t);
    tcfh_event(h, 0, 50, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){TCF_PARADIGM_OPENMP, 1, 1});
    tcfh_event(h, 0, 100, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){TCF_PARADIGM_OPENMP, 1, 1}); /* 40 */
    plain(h, 1, 0);
    plain(h, 1, 110); /* 100 */
    tcfh_event(h, 1, 160, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){TCF_PARADIGM_OPENMP, 1, 2});
    tcfh_event(h, 1, 170, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){TCF_PARADIGM_OPENMP, 1, 2});
    plain(h, 1, 190);
    tcfh_event(h, 1, 220, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){TCF_PARADIGM_OPENMP, 1, 3});
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 0, 0, 0, 0, 0, 40);
        TIMES(1, 0, 100, 100, 100, 110, 130); /* it took until 150, which is 90: by then it is free */
    }
    IN_ALL_CUTS(h, O "handover = 30 ticks\n")
    {
        TIMES(1, 0, 100, 120, 120, 130, 150); /* until 130, and 20 behind that */
    }
    IN_ALL_CUTS(h, O "handover = 0\n")
    {
        TIMES(1, 0, 100, 140, 140, 150, 170); /* it was free: eq. 1 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 0, 100, 140, 140, 150, 170); /* and for the last one it waited for nobody */
    }
    tcfh_delete(h);
}

static tcfh *process_with_stream(uint32_t processes)
{
    tcfh *h = tcfh_new();
    tcfh_streams(h, 1);
    tcfh_processes(h, processes, 2);
    work = tcfh_region(h, "work");
    return h;
}

static void kernel(tcfh *h, uint32_t location, uint64_t begin, uint64_t end)
{
    tcfh_enter(h, location, begin, work);
    tcfh_leave(h, location, end, work);
}

/* What runs on an accelerator is not held up by the recording of it, and stays between the events of its process. */
static void streams_follow(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(2);
    uint32_t metric = tcfh_metric(h, "m", 6);
    for (uint32_t l = 0; l < 4; l++) {
        kernel(h, l, 100, 105);
        tcfh_metric_value(h, l, 200, metric, 6, 7);
    }
    IN_ALL_CUTS(h, O "metric_value = 5 ticks\ncarry = 1ms\n")
    {
        TIMES(0, 100, 100, 175);
        TIMES(1, 100, 100, 175);
        TIMES(2, 100, 100, 175);
        TIMES(3, 100, 100, 175);
    }
    tcfh_delete(h);
}

static void kernels_keep_their_length(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(1);
    const uint64_t host[] = {50, 100, 150, 200, 400, 600, 620, 700};
    for (size_t i = 0; i < COUNT(host); i++)
        plain(h, 0, host[i]); /* 50 90 130 170 360 550 560 630 */
    kernel(h, 1, 40, 45);     /* before the leader */
    kernel(h, 1, 160, 380);   /* launched at 150, waited for until 400 */
    kernel(h, 1, 390, 399);   /* 170 + 190, 9 behind that is too late */
    kernel(h, 1, 500, 650);   /* goes on for as long as there is room up to 700 */
    kernel(h, 1, 700, 1000);  /* behind the leader */
    plain(h, 1, 1100);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 50, 90, 130, 170, 360, 550, 560, 630);
        TIMES(1, 40, 45, 140, 360, 360, 360, 460, 610, 630, 930, 1030);
        if (!strstr(tcfh_text(h, "report"), ",11,9e-09,0,0"))
            fail_msg("%s", tcfh_text(h, "report"));
    }
    tcfh_delete(h);
}

/* Copies; a process that waits for longer than it did; a flush of its thread. */
static void streams_bend(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(2);
    plain(h, 2, 0);
    plain(h, 2, 10);
    tcfh_send(h, 2, 300, 0, 7, 8); /* 280 */
    plain(h, 0, 0);
    for (uint64_t t = 20; t <= 100; t += 20)
        plain(h, 0, t);
    tcfh_enter(h, 0, 120, work);                                          /* 60 */
    tcfh_receive(h, 0, 400, 1, 7, 8);                                     /* 280 + 400 - 300 - 10 = 370 */
    tcfh_leave(h, 0, 420, work);                                          /* 380 */
    tcfh_event(h, 0, 450, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){600}); /* 400 */
    plain(h, 0, 640);                                                     /* 430 */
    tcfh_event(h, 1, 30, TCF_RMA_PUT, &(tcf_ev_rma_put){TCF_NONE, 0, 8, 1});
    tcfh_event(h, 1, 200, TCF_RMA_OP_COMPLETE_BLOCKING, &(tcf_ev_rma_op_complete_blocking){TCF_NONE, 1});
    kernel(h, 1, 410, 415); /* 370 + 10 */
    kernel(h, 1, 500, 620);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 10, 20, 30, 40, 50, 60, 370, 380, 400, 430);
        TIMES(1, 20, 190, 380, 380, 400, 430);
    }
    tcfh_delete(h);
}

/* An edge from a stream to an earlier event of its leader: the stream goes on without it. */
static void stream_and_leader_wait_for_each_other(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(1);
    plain(h, 0, 0);
    plain(h, 0, 100);
    tcfh_event(h, 0, 300, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_CUDA, 1, 2});
    plain(h, 0, 400);
    tcfh_event(h, 1, 500, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){OTF2_PARADIGM_CUDA, 1, 1});
    plain(h, 1, 600);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 490, 580);
        TIMES(1, 490, 780); /* 580 + 200, which was known by then */
        if (!strstr(tcfh_text(h, "report"), ",2,0,0,1"))
            fail_msg("%s", tcfh_text(h, "report"));
    }
    tcfh_delete(h);
}

/* A thread of which no record says that it was created begins when its process had come to that. */
static void threads_of_unknown_origin(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    plain(h, 0, 0);
    plain(h, 0, 100); /* 90 */
    plain(h, 0, 200); /* 180 */
    plain(h, 0, 900);
    plain(h, 1, 150); /* 90 + 50 */
    plain(h, 1, 250); /* 230 */
    plain(h, 1, 950);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 180, 870);
        TIMES(1, 140, 230, 920);
    }
    tcfh_delete(h);
}

/* What waits in MPI_Finalize for a process with much overhead: the run ends when that one is there, and 20 behind. */
static void run_ends_behind_the_last_finalize(void **state)
{
    (void)state;
    for (int finalizes = 0; finalizes < 2; finalizes++) {
        tcfh *h = processes(2, 1);
        uint32_t last = tcfh_region(h, finalizes ? "MPI_Finalize" : "finish");
        plain(h, 0, 0);
        tcfh_enter(h, 0, 100, last); /* 90 */
        tcfh_leave(h, 0, 610, last); /* 590 */
        for (uint64_t t = 0; t < 600; t += 20)
            plain(h, 1, t);
        tcfh_enter(h, 1, 600, last); /* 300 */
        tcfh_leave(h, 1, 620, last); /* 310 */
        IN_ALL_CUTS(h, O)
        {
            TIMES(0, 0, 90, 590);
            assert_decisions(h, finalizes ? ",6.2e-07,3.2e-07," : ",6.2e-07,5.9e-07,");
        }
        tcfh_delete(h);
    }
}

/* ------------------------------------------------------------------------------------------------ the parameters -- */

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
        cmocka_unit_test(events_lose_their_overhead),
        cmocka_unit_test(overhead_is_carried),
        cmocka_unit_test(flush_is_taken_out),
        cmocka_unit_test(measurement_off_is_taken_out),
        cmocka_unit_test(regions_of_the_measurement_system),
        cmocka_unit_test(receiver_waits),
        cmocka_unit_test(message_is_there),
        cmocka_unit_test(between_a1_and_a2),
        cmocka_unit_test(bounds),
        cmocka_unit_test(waiting_pays),
        cmocka_unit_test(calls_that_send_and_receive_overlap),
        cmocka_unit_test(late_in_sendrecv),
        cmocka_unit_test(sends_before_it_receives),
        cmocka_unit_test(several_in_a_call),
        cmocka_unit_test(waiting_for_all),
        cmocka_unit_test(posted_long_before),
        cmocka_unit_test(send_waits_for_its_receive),
        cmocka_unit_test(which_calls_wait),
        cmocka_unit_test(receiver_in_sendrecv),
        cmocka_unit_test(receiver_comes_first_without_overhead),
        cmocka_unit_test(sends_that_had_nothing_to_wait_for),
        cmocka_unit_test(non_blocking_sends_wait),
        cmocka_unit_test(completed_in_another_order),
        cmocka_unit_test(sends_that_cannot_have_waited),
        cmocka_unit_test(which_came_last),
        cmocka_unit_test(barrier),
        cmocka_unit_test(broadcast),
        cmocka_unit_test(root_that_receives),
        cmocka_unit_test(reduce_and_scan),
        cmocka_unit_test(threads_follow),
        cmocka_unit_test(locks_have_bounds),
        cmocka_unit_test(streams_follow),
        cmocka_unit_test(kernels_keep_their_length),
        cmocka_unit_test(streams_bend),
        cmocka_unit_test(stream_and_leader_wait_for_each_other),
        cmocka_unit_test(threads_of_unknown_origin),
        cmocka_unit_test(run_ends_behind_the_last_finalize),
        cmocka_unit_test(nothing_costs_nothing),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
