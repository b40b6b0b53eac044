/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Root causes of small programs, worked out by hand from plugins/root_cause/README.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/harness.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CUTS = 5, NO_ROOT = (int)OTF2_UNDEFINED_UINT32 };

/* What a call path of a location has cost, in ticks; locations by index. */
struct expected {
    const char *pattern;
    uint32_t location;
    const char *callpath;
    double short_term, long_term;
};

static uint32_t work, other, recv_, send_, barrier_, alltoallv_;

/* All go through a barrier together, which ends at 110. */
static tcfh *processes(uint32_t n)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, 1);
    work = tcfh_region(h, "work");
    other = tcfh_region(h, "other");
    recv_ = tcfh_region(h, "MPI_Recv");
    send_ = tcfh_region(h, "MPI_Ssend");
    barrier_ = tcfh_region(h, "MPI_Barrier");
    alltoallv_ = tcfh_region(h, "MPI_Alltoallv");
    return h;
}

static void in(tcfh *h, uint32_t location, uint32_t region, uint64_t from, uint64_t to)
{
    tcfh_enter(h, location, from, region);
    tcfh_leave(h, location, to, region);
}

static void barrier(tcfh *h, uint32_t location, uint64_t enter, uint64_t end)
{
    tcfh_enter(h, location, enter, barrier_);
    tcfh_collective(h, location, enter, end, OTF2_COLLECTIVE_OP_BARRIER, 0, (uint32_t)NO_ROOT);
    tcfh_leave(h, location, end, barrier_);
}

static void alltoallv(tcfh *h, uint32_t location, uint64_t enter, uint64_t end, uint64_t bytes)
{
    tcfh_enter(h, location, enter, alltoallv_);
    tcfh_collective_begin(h, location, enter);
    tcfh_collective_end(h, location, end,
                        (tcf_ev_mpi_collective_end){.collective_op = OTF2_COLLECTIVE_OP_ALLTOALLV,
                                                    .root = (uint32_t)NO_ROOT,
                                                    .size_sent = bytes,
                                                    .size_received = bytes});
    tcfh_leave(h, location, end, alltoallv_);
}

static tcfh *together(uint32_t n)
{
    tcfh *h = processes(n);
    for (uint32_t l = 0; l < n; l++)
        barrier(h, l, 100, 110);
    return h;
}

static void send(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint32_t to)
{
    tcfh_enter(h, location, enter, send_);
    tcfh_send(h, location, enter, to, 0, 8);
    tcfh_leave(h, location, leave, send_);
}

static void receive(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint32_t from)
{
    tcfh_enter(h, location, enter, recv_);
    tcfh_receive(h, location, leave, from, 0, 8);
    tcfh_leave(h, location, leave, recv_);
}

/* -------------------------------------------------------------------------------------------------------- report -- */

static const char *run(tcfh *h, const char *options)
{
    tcfh_run(h,
             "[pipeline]\nchain = root_cause\n[root_cause]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n"
             "by_location = yes\n%s",
             options);
    const char *text = tcfh_text(h, "report");
    assert_non_null(text);
    return text;
}

/* The numbers of a line that begins and ends like this; NULL: there is none. */
static const char *row(const char *text, const char *head, const char *tail)
{
    for (const char *line = strstr(text, head); line; line = strstr(line + 1, head)) {
        const char *end = strchr(line, '\n');
        if (line > text && line[-1] != '\n')
            continue;
        if (end && end[-1] == '\r')
            end--;
        if (end && (size_t)(end - line) > strlen(tail) && strncmp(end - strlen(tail), tail, strlen(tail)) == 0)
            return line + strlen(head);
    }
    return NULL;
}

static size_t rows(const char *text, const char *table)
{
    size_t n = 0;
    for (const char *line = strstr(text, table); line; line = strstr(line + 1, table))
        n += line > text && line[-1] == '\n';
    return n;
}

static int is_near(double a, double b)
{
    return a - b < 0.01 && b - a < 0.01;
}

static void has(tcfh *h, const char *text, const struct expected *x)
{
    char head[80], tail[80];
    double seconds, more_seconds, short_term, long_term;
    snprintf(head, sizeof head, "locations,%s,%llu,", x->pattern, (unsigned long long)tcfh_location_id(h, x->location));
    snprintf(tail, sizeof tail, ",%s", x->callpath);
    const char *numbers = row(text, head, tail);
    if (!numbers || sscanf(numbers, "%lf,%lf,%lf,%lf,", &seconds, &more_seconds, &short_term, &long_term) != 4 ||
        !is_near(short_term, x->short_term) || !is_near(long_term, x->long_term))
        fail_msg("%s, %u, %s isn't %g, %g in:\n%s", x->pattern, x->location, x->callpath, x->short_term, x->long_term,
                 text);
}

/* These costs and no others, however slices are cut. */
static void expect(tcfh *h, const char *options, const struct expected *x, size_t n)
{
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, options);
        for (size_t i = 0; i < n; i++)
            has(h, text, &x[i]);
        if (rows(text, "locations,") != n)
            fail_msg("%zu causes instead of %zu:\n%s", rows(text, "locations,"), n, text);
        tcfh_unchanged(h);
    }
}

#define EXPECT(h, options, ...)                                                                                        \
    do {                                                                                                               \
        static const struct expected x_[] = {__VA_ARGS__};                                                             \
        expect(h, options, x_, COUNT(x_));                                                                             \
    } while (0)

/* direct, indirect, propagating ticks of waits in a call path. */
static void waited(tcfh *h, const char *pattern, uint32_t location, const char *callpath, double time, double indirect,
                   double propagating)
{
    char head[80], tail[80];
    double s[4], count, got[3];
    snprintf(head, sizeof head, "wait_locations,%s,%llu,", pattern, (unsigned long long)tcfh_location_id(h, location));
    snprintf(tail, sizeof tail, ",%s", callpath);
    const char *text = tcfh_text(h, "report"), *numbers = row(text, head, tail);
    if (!numbers ||
        sscanf(numbers, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,", &s[0], &count, &s[1], &s[2], &s[3], &got[0], &got[1],
               &got[2]) != 8 ||
        !is_near(got[0], time) || !is_near(got[1], indirect) || !is_near(got[2], propagating))
        fail_msg("%s, %u, %s isn't %g, %g, %g in:\n%s", pattern, location, callpath, time, indirect, propagating, text);
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void late_sender_is_what_the_sender_did_longer(void **state)
{
    (void)state;
    tcfh *h = together(2);
    in(h, 0, work, 110, 410);
    in(h, 0, other, 410, 450);
    send(h, 0, 450, 460, 1);
    in(h, 1, work, 110, 160);
    in(h, 1, other, 160, 250);
    receive(h, 1, 250, 470, 0);
    EXPECT(h, "", {"mpi_latesender", 0, "work", 200, 0});
    waited(h, "mpi_latesender", 1, "MPI_Recv", 200, 0, 0);
    tcfh_delete(h);
}

static void late_receiver_is_what_the_receiver_did_longer(void **state)
{
    (void)state;
    tcfh *h = together(2);
    in(h, 0, work, 110, 210);
    send(h, 0, 210, 520, 1);
    in(h, 1, work, 110, 400);
    in(h, 1, other, 400, 500);
    receive(h, 1, 500, 515, 0);
    EXPECT(h, "", {"mpi_latereceiver", 1, "work", 190, 0}, {"mpi_latereceiver", 1, "other", 100, 0});
    tcfh_delete(h);
}

/* 0 starts late. Nobody has met before. */
static void late_starters(void **state)
{
    (void)state;
    tcfh *h = processes(2);
    in(h, 0, work, 600, 650);
    send(h, 0, 650, 660, 1);
    in(h, 1, work, 100, 110);
    receive(h, 1, 110, 670, 0);
    /* 500 outside of any call, 40 more work */
    EXPECT(h, "", {"mpi_latesender", 0, "", 500, 0}, {"mpi_latesender", 0, "work", 40, 0});
    tcfh_delete(h);
}

/* What was before they met is settled. */
static void since_they_last_met(void **state)
{
    (void)state;
    tcfh *h = together(2);
    in(h, 0, work, 110, 450);
    send(h, 0, 450, 460, 1);
    in(h, 0, other, 460, 760);
    send(h, 0, 760, 770, 1);
    in(h, 1, work, 110, 250);
    receive(h, 1, 250, 470, 0);
    in(h, 1, work, 470, 500);
    receive(h, 1, 500, 780, 0);
    EXPECT(h, "", {"mpi_latesender", 0, "work", 200, 0}, {"mpi_latesender", 0, "other", 260, 0});
    tcfh_delete(h);
}

/* A message that lay waiting is no meeting. */
static void buffered_messages_are_no_meeting(void **state)
{
    (void)state;
    tcfh *h = together(2);
    in(h, 0, work, 110, 130);
    send(h, 0, 130, 140, 1);
    in(h, 0, other, 140, 440);
    send(h, 0, 440, 450, 1);
    in(h, 1, work, 110, 150);
    receive(h, 1, 150, 160, 0);
    receive(h, 1, 160, 460, 0);
    /* they: work 20, send 10, other 300; I: work 40, receive 10 */
    EXPECT(h, "", {"mpi_latesender", 0, "other", 280.0 * 300 / 310, 0},
           {"mpi_latesender", 0, "MPI_Ssend", 280.0 * 10 / 310, 0});
    tcfh_delete(h);
}

static tcfh *pipeline(void)
{
    tcfh *h = together(3);
    in(h, 0, work, 110, 510);
    send(h, 0, 510, 520, 1);
    in(h, 1, work, 110, 210);
    receive(h, 1, 210, 530, 0);
    in(h, 1, work, 530, 590);
    send(h, 1, 590, 600, 2);
    in(h, 2, work, 110, 260);
    receive(h, 2, 260, 610, 1);
    return h;
}

/* 2 waits 330 for 1, which itself had waited 300 for 0. */
static void waits_are_handed_on(void **state)
{
    (void)state;
    tcfh *h = pipeline();
    EXPECT(h, "", {"mpi_latesender", 0, "work", 300, 300}, {"mpi_latesender", 1, "work", 10, 0},
           {"mpi_latesender", 1, "MPI_Recv", 20, 0});
    waited(h, "mpi_latesender", 1, "MPI_Recv", 300, 0, 300);
    waited(h, "mpi_latesender", 2, "MPI_Recv", 330, 300, 0);
    const char *text = tcfh_text(h, "report");
    char line[96];
    snprintf(line, sizeof line, "chains,1,0,mpi_latesender,%llu,260,", (unsigned long long)tcfh_location_id(h, 2));
    assert_non_null(
        row(text, line, ",330,rank 2,2.6e-07,3.3e-07,MPI_Recv")); /* the trace starts at 0, its first event is at 100 */
    snprintf(line, sizeof line, "chains,1,1,mpi_latesender,%llu,210,", (unsigned long long)tcfh_location_id(h, 1));
    assert_non_null(row(text, line, ",300,rank 1,2.1e-07,3e-07,MPI_Recv"));
    snprintf(line, sizeof line, "chains,1,2,delay,%llu,0,", (unsigned long long)tcfh_location_id(h, 0));
    assert_non_null(row(text, line, ",300,rank 0,,,work"));
    assert_null(strstr(text, "chains,1,3,"));
    tcfh_delete(h);
}

/* 1 waits 150 for 0 in `other` itself, between two sends, which is a call of its own. To 2, which waits for these
 * sends, it is a wait of the second one; to 3, which waits for what 1 did after it, too. */
static void a_wait_outside_of_calls_counts_behind_it(void **state)
{
    (void)state;
    tcfh *h = together(4);
    in(h, 0, work, 110, 310);
    send(h, 0, 310, 320, 1);
    tcfh_enter(h, 1, 110, other);
    send(h, 1, 150, 160, 2);
    tcfh_receive(h, 1, 330, 0, 0, 8);
    send(h, 1, 400, 410, 2);
    tcfh_leave(h, 1, 430, other);
    send(h, 1, 450, 460, 3);
    in(h, 2, work, 110, 120);
    receive(h, 2, 120, 170, 1); /* waits 30 */
    receive(h, 2, 170, 420, 1); /* waits 230; they met at 160: of 240, 1 waited 150 */
    in(h, 3, work, 110, 200);
    receive(h, 3, 200, 470, 1); /* waits 250: of 340, 1 waited 150, which hid 50; of these 200 for work 3 has done 90 */
    EXPECT(h, "compare = yes\n", {"mpi_latesender", 0, "work", 150, 230.0 * 150 / 240 + 110},
           {"mpi_latesender", 1, "other", 30 + 230.0 * 90 / 240 + 110, 0},
           {"mpi_latesender", 1, "other/MPI_Ssend", 10, 0}, {"mpi_latesender", 1, "", 20, 0});
    waited(h, "mpi_latesender", 2, "MPI_Recv", 260, 230.0 * 150 / 240, 0);
    waited(h, "mpi_latesender", 3, "MPI_Recv", 250, 110, 0);
    EXPECT(h, "", {"mpi_latesender", 0, "work", 150, 230.0 * 150 / 240 + 250.0 * 150 / 340},
           {"mpi_latesender", 1, "other", 30 + 230.0 * 90 / 240 + 250.0 * 150 / 340, 0},
           {"mpi_latesender", 1, "other/MPI_Ssend", 250.0 * 20 / 340, 0},
           {"mpi_latesender", 1, "", 250.0 * 20 / 340, 0});
    tcfh_delete(h);
}

/* 1 does `other` for 400, and waits 200 for 0 behind that, whose work hides it: 2 would wait as long for 1 without it.
 */
static void what_a_wait_hid_is_no_cause(void **state)
{
    (void)state;
    tcfh *h = together(3);
    in(h, 0, work, 110, 710);
    send(h, 0, 710, 720, 1);
    in(h, 1, other, 110, 510);
    receive(h, 1, 510, 730, 0);
    in(h, 1, work, 730, 790);
    send(h, 1, 790, 800, 2);
    in(h, 2, work, 110, 210);
    receive(h, 2, 210, 810, 1); /* waits 580: for 600 + 60 of work, less its own 100, and 20 in MPI_Recv */
    EXPECT(h, "compare = yes\n", {"mpi_latesender", 0, "work", 200, 560}, {"mpi_latesender", 1, "MPI_Recv", 20, 0});
    waited(h, "mpi_latesender", 2, "MPI_Recv", 580, 560, 0);
    EXPECT(h, "", {"mpi_latesender", 0, "work", 200, 580.0 * 200 / 620},
           {"mpi_latesender", 1, "other", 580.0 * 400 / 620, 0},
           {"mpi_latesender", 1, "MPI_Recv", 580.0 * 20 / 620, 0});
    tcfh_delete(h);
}

/* The same of a wait whose location had met 0 before it met 2: half of the time that its wait hid is before that. */
static void what_a_wait_hid_counts_since_they_met(void **state)
{
    (void)state;
    tcfh *h = together(3);
    in(h, 1, other, 110, 290);
    send(h, 1, 290, 300, 2);
    in(h, 2, work, 110, 280);
    receive(h, 2, 280, 300, 1); /* waits 10, and meets 1 at 300 */
    in(h, 0, work, 110, 710);
    send(h, 0, 710, 720, 1);
    in(h, 1, other, 300, 490);
    receive(h, 1, 490, 720, 0); /* waits 220, and hides `other` of 370 and 10 of MPI_Ssend in 380 since 110 */
    send(h, 1, 720, 730, 2);
    receive(h, 2, 300, 740, 1); /* waits 420: of `other` 370 * 190 / 380 are hidden */
    EXPECT(h, "compare = yes\n", {"mpi_latesender", 0, "work", 220, 405}, {"mpi_latesender", 1, "other", 15, 0},
           {"mpi_latesender", 1, "MPI_Recv", 10, 0});
    tcfh_delete(h);
}

/* 1 and 2 have both waited for 0: that 2 waits for 1 then is 1's doing alone. */
static void what_both_waited_for_is_no_cause(void **state)
{
    (void)state;
    tcfh *h = together(3);
    in(h, 0, work, 110, 510);
    send(h, 0, 510, 520, 1);
    send(h, 0, 520, 530, 2);
    receive(h, 1, 110, 520, 0);
    in(h, 1, work, 520, 580);
    send(h, 1, 580, 590, 2);
    receive(h, 2, 110, 530, 0);
    receive(h, 2, 530, 600, 1);
    EXPECT(h, "compare = yes\n", {"mpi_latesender", 0, "work", 800, 0}, {"mpi_latesender", 0, "MPI_Ssend", 10, 0},
           {"mpi_latesender", 1, "work", 50, 0});
    waited(h, "mpi_latesender", 1, "MPI_Recv", 400, 0, 0);
    EXPECT(h, "", {"mpi_latesender", 0, "work", 800, 50.0 * 400 / 460}, {"mpi_latesender", 0, "MPI_Ssend", 10, 0},
           {"mpi_latesender", 1, "work", 50.0 * 60 / 460, 0});
    tcfh_delete(h);
}

/* --------------------------------------------------------------------------------------------------- collectives -- */

static void everybody_waits_for_the_last(void **state)
{
    (void)state;
    tcfh *h = together(3);
    in(h, 0, work, 110, 310);
    in(h, 0, other, 310, 400);
    barrier(h, 0, 400, 410);
    in(h, 1, work, 110, 200);
    barrier(h, 1, 200, 410);
    in(h, 2, work, 110, 260);
    in(h, 2, other, 260, 300);
    barrier(h, 2, 300, 410);
    EXPECT(h, "", {"mpi_barrier_wait", 0, "work", 160, 0}, {"mpi_barrier_wait", 0, "other", 140, 0});
    tcfh_delete(h);
}

/* 0 is late for 1, and 1 therefore for all. */
static void a_late_sender_delays_a_barrier(void **state)
{
    (void)state;
    tcfh *h = together(3);
    in(h, 0, work, 110, 310);
    send(h, 0, 310, 320, 1);
    barrier(h, 0, 320, 430);
    in(h, 1, work, 110, 210);
    receive(h, 1, 210, 320, 0); /* waits 100, takes 10 */
    in(h, 1, work, 320, 420);
    barrier(h, 1, 420, 430);
    in(h, 2, work, 110, 220);
    barrier(h, 2, 220, 430);
    /* 2 waits 200: 1 did 90 more work, 10 more of receiving, waited 100. 0 waits 100: they met at 320, since when 1 has
     * worked. */
    EXPECT(h, "", {"mpi_latesender", 0, "work", 100, 0}, {"mpi_barrier_wait", 0, "work", 0, 100},
           {"mpi_barrier_wait", 1, "work", 190, 0}, {"mpi_barrier_wait", 1, "MPI_Recv", 10, 0});
    waited(h, "mpi_barrier_wait", 2, "MPI_Barrier", 200, 100, 0);
    waited(h, "mpi_barrier_wait", 0, "MPI_Barrier", 100, 0, 0);
    tcfh_delete(h);
}

/* 0 and 1 are in an operation at the same time, but nobody waits in it for the other. */
static void operations_without_data_are_no_meeting(void **state)
{
    (void)state;
    tcfh *h = together(2);
    in(h, 0, work, 110, 300);
    alltoallv(h, 0, 300, 310, 0);
    in(h, 0, other, 310, 410);
    send(h, 0, 410, 420, 1);
    in(h, 1, work, 110, 200);
    in(h, 1, other, 200, 295);
    alltoallv(h, 1, 295, 305, 0);
    receive(h, 1, 305, 430, 0);
    /* since 110 they: work 190, Alltoallv 10, other 100; I: work 90, other 95, Alltoallv 10 */
    EXPECT(h, "", {"mpi_latesender", 0, "work", 100, 0}, {"mpi_latesender", 0, "other", 5, 0});
    tcfh_delete(h);
}

/* 0 and 2 meet, 1 neither gives nor gets anything. */
static void members_without_data_meet_nobody(void **state)
{
    (void)state;
    tcfh *h = together(3);
    in(h, 0, work, 110, 300);
    alltoallv(h, 0, 300, 310, 8);
    in(h, 0, other, 310, 410);
    send(h, 0, 410, 420, 1);
    send(h, 0, 420, 430, 2);
    in(h, 1, work, 110, 200);
    in(h, 1, other, 200, 295);
    alltoallv(h, 1, 295, 305, 0);
    receive(h, 1, 305, 430, 0);
    in(h, 2, work, 110, 300);
    alltoallv(h, 2, 300, 310, 8);
    receive(h, 2, 310, 440, 0);
    /* 1 waits 105, as without the others. 2 waits 110: since 310 they did other 100, send 10. */
    EXPECT(h, "", {"mpi_latesender", 0, "work", 100, 0}, {"mpi_latesender", 0, "other", 105, 0},
           {"mpi_latesender", 0, "MPI_Ssend", 10, 0});
    tcfh_delete(h);
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

static void reversed_waits_have_no_cause(void **state)
{
    (void)state;
    tcfh *h = together(2);
    in(h, 0, work, 110, 450);
    send(h, 0, 450, 460, 1);
    receive(h, 1, 250, 300, 0);
    expect(h, "", NULL, 0);
    const char *text = tcfh_text(h, "report");
    assert_non_null(row(text, "limits,reversed,1,", ""));
    waited(h, "mpi_latesender", 1, "MPI_Recv", 50, 0, 0);
    tcfh_delete(h);
}

static void one_cause_is_handed_on(void **state)
{
    (void)state;
    tcfh *h = pipeline();
    in(h, 2, work, 610, 700);
    barrier(h, 2, 700, 710);
    barrier(h, 0, 520, 710);
    barrier(h, 1, 600, 710);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        assert_non_null(row(run(h, "causes = 1\n"), "limits,causes,", ""));
        const struct expected x = {"mpi_latesender", 0, "work", 300, 300};
        has(h, tcfh_text(h, "report"), &x);
    }
    tcfh_delete(h);
}

/* The two didn't meet for longer than the window: what they did in it is all that counts. */
static void the_window_is_bounded(void **state)
{
    (void)state;
    tcfh *h = together(3);
    uint64_t t = 110;
    for (uint32_t i = 0; i < 40; i++, t += 30) { /* no meetings: 1 receives what has been sent before */
        in(h, 0, work, t, t + 10);
        send(h, 0, t + 10, t + 12, 1);
        in(h, 0, other, t + 12, t + 30);
        in(h, 1, work, t, t + 20);
        receive(h, 1, t + 20, t + 22, 0);
        in(h, 1, work, t + 22, t + 30);
    }
    in(h, 0, work, t, t + 500);
    send(h, 0, t + 500, t + 510, 1);
    receive(h, 1, t, t + 520, 0);
    in(h, 2, work, 110, 120);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "window = 16\n");
        assert_non_null(row(text, "limits,window,1,", ""));
        harness_no_line(text, "limits,fallen");
        waited(h, "mpi_latesender", 1, "MPI_Recv", 500, 0, 0);
    }
    run(h, "");
    harness_no_line(tcfh_text(h, "report"), "limits,window");
    tcfh_delete(h);
}

/* 0 waits for nobody, so it may be looked at from its first event to its last one before 1 begins. */
static void one_that_only_sends_runs_ahead(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    tcfh *h = together(2);
    uint64_t t = 110;
    for (uint32_t i = 0; i < ROUNDS; i++, t += 30) {
        in(h, 0, work, t, t + 20);
        send(h, 0, t + 20, t + 22, 1);
        in(h, 0, other, t + 22, t + 30);
        in(h, 1, work, t, t + 10);
        receive(h, 1, t + 10, t + 22, 0);
        in(h, 1, other, t + 22, t + 30);
    }
    EXPECT(h, "window = 16\n", {"mpi_latesender", 0, "work", 10 * ROUNDS, 0});
    harness_no_line(tcfh_text(h, "report"), "limits,fallen");
    tcfh_delete(h);
}

static void caps(void **state)
{
    (void)state;
    tcfh *h = pipeline();
    assert_non_null(row(run(h, "max_waiting = 1\nmax_costs = 1\nworst = 0\n"), "limits,max_costs,", ""));
    assert_null(strstr(tcfh_text(h, "report"), "chains,1,"));
    tcfh_delete(h);
}

/* 1's wait counts as what it did in MPI_Recv. */
static void ignored_waits_are_what_calls_do(void **state)
{
    (void)state;
    tcfh *h = together(3);
    in(h, 0, work, 110, 310);
    send(h, 0, 310, 320, 1);
    barrier(h, 0, 320, 430);
    in(h, 1, work, 110, 210);
    receive(h, 1, 210, 320, 0);
    in(h, 1, work, 320, 420);
    barrier(h, 1, 420, 430);
    in(h, 2, work, 110, 220);
    barrier(h, 2, 220, 430);
    /* 2 waits 200: 1 did 90 more work and received for 110. 0 waits 100: they didn't meet since the barrier, since when
     * 0 worked for 200, as 1 did, and sent for 10. */
    EXPECT(h, "ignore = mpi_latesender\n", {"mpi_barrier_wait", 1, "work", 90, 0},
           {"mpi_barrier_wait", 1, "MPI_Recv", 210, 0});
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = root_cause\n[root_cause]\nignore = latesender\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "ignore = latesender"));
    tcfh_delete(h);
}

static void two_in_a_chain(void **state)
{
    (void)state;
    tcfh *h = pipeline();
    tcfh_run(h, "[pipeline]\nchain = first wait_states second\n[first]\nfilter = root_cause\nformat = csv\n"
                "output = ${SCRATCH}/a\noverwrite = yes\n[wait_states]\noutput = ${SCRATCH}/c\noverwrite = yes\n"
                "[second]\nfilter = root_cause\nformat = csv\noutput = ${SCRATCH}/b\noverwrite = yes\n");
    char *first = strdup(tcfh_text(h, "a"));
    assert_string_equal(first, tcfh_text(h, "b"));
    free(first);
    tcfh_delete(h);
}

/* With `computation`, what was done behind a call of MPI stands in a call path of its own, in a function and outside of
 * all of them; a call of MPI that communicates with nobody begins another one. */
static void computation_between_calls(void **state)
{
    (void)state;
    tcfh *h = processes(2);
    const uint32_t rank = tcfh_region(h, "MPI_Comm_rank");
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 50, other);
        barrier(h, l, 100, 110);
    }
    in(h, 0, rank, 150, 160);
    in(h, 0, work, 200, 300);
    send(h, 0, 300, 310, 1);
    receive(h, 1, 150, 320, 0); /* waits for 150; it has computed for 40 */
    for (uint32_t l = 0; l < 2; l++)
        tcfh_leave(h, l, 320, other);
    EXPECT(h, "computation = yes\n", {"mpi_latesender", 0, "other/MPI_Comm_rank", 10, 0},
           {"mpi_latesender", 0, "other/(after MPI_Comm_rank)", 40, 0}, {"mpi_latesender", 0, "other/work", 100, 0});
    EXPECT(h, "", {"mpi_latesender", 0, "other/MPI_Comm_rank", 10, 0}, {"mpi_latesender", 0, "other", 40, 0},
           {"mpi_latesender", 0, "other/work", 100, 0});
    tcfh_delete(h);

    h = together(2);
    const uint32_t size = tcfh_region(h, "MPI_Comm_size");
    in(h, 0, size, 150, 160);
    in(h, 0, work, 200, 300);
    send(h, 0, 300, 310, 1);
    receive(h, 1, 150, 320, 0);
    EXPECT(h, "computation = yes\n", {"mpi_latesender", 0, "MPI_Comm_size", 10, 0},
           {"mpi_latesender", 0, "(after MPI_Comm_size)", 40, 0}, {"mpi_latesender", 0, "work", 100, 0});
    EXPECT(h, "", {"mpi_latesender", 0, "MPI_Comm_size", 10, 0}, {"mpi_latesender", 0, "", 40, 0},
           {"mpi_latesender", 0, "work", 100, 0});
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_sender_is_what_the_sender_did_longer),
        cmocka_unit_test(late_receiver_is_what_the_receiver_did_longer),
        cmocka_unit_test(late_starters),
        cmocka_unit_test(since_they_last_met),
        cmocka_unit_test(buffered_messages_are_no_meeting),
        cmocka_unit_test(waits_are_handed_on),
        cmocka_unit_test(a_wait_outside_of_calls_counts_behind_it),
        cmocka_unit_test(what_a_wait_hid_is_no_cause),
        cmocka_unit_test(what_a_wait_hid_counts_since_they_met),
        cmocka_unit_test(what_both_waited_for_is_no_cause),
        cmocka_unit_test(everybody_waits_for_the_last),
        cmocka_unit_test(a_late_sender_delays_a_barrier),
        cmocka_unit_test(operations_without_data_are_no_meeting),
        cmocka_unit_test(members_without_data_meet_nobody),
        cmocka_unit_test(reversed_waits_have_no_cause),
        cmocka_unit_test(one_cause_is_handed_on),
        cmocka_unit_test(the_window_is_bounded),
        cmocka_unit_test(one_that_only_sends_runs_ahead),
        cmocka_unit_test(caps),
        cmocka_unit_test(ignored_waits_are_what_calls_do),
        cmocka_unit_test(two_in_a_chain),
        cmocka_unit_test(computation_between_calls),
    };
    return cmocka_run_group_tests_name("root_cause", tests, NULL, NULL);
}
