/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The filter `timeline` on small traces: windows, locations, calls and messages worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static uint32_t work, send_, recv_, inner;

static tcfh *ranks(uint32_t n)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, 1);
    work = tcfh_region(h, "work");
    send_ = tcfh_region(h, "MPI_Send");
    recv_ = tcfh_region(h, "MPI_Recv");
    inner = tcfh_region(h, "inner");
    return h;
}

/* A message whose sender comes late: the receiver waits from `enter` to `late`. */
static void late_sender(tcfh *h, uint32_t sender, uint32_t receiver, uint64_t enter, uint64_t late)
{
    tcfh_enter(h, sender, late, send_);
    tcfh_send(h, sender, late + 1, receiver, 7, 8);
    tcfh_leave(h, sender, late + 2, send_);
    tcfh_enter(h, receiver, enter, recv_);
    tcfh_receive(h, receiver, late + 3, sender, 7, 8);
    tcfh_leave(h, receiver, late + 4, recv_);
}

static const char *run(tcfh *h, uint64_t cut, const char *options)
{
    tcfh_cut(h, cut);
    tcfh_run(h,
             "[pipeline]\nsurvey = wait_states\nchain = timeline\n[wait_states]\noutput = ${SCRATCH}/waits\n"
             "overwrite = yes\n[timeline]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n%s",
             options);
    const char *text = tcfh_text(h, "report");
    assert_non_null(text);
    return text;
}

/* Rows of a table, without its seconds. The columns are told by their numbers, counted from 0. */
static size_t pick(const char *text, const char *table, const int *columns, size_t n, char *to, size_t room)
{
    size_t rows = 0, length = strlen(table), at = 0;
    to[0] = '\0';
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, table, length) != 0 || line[length] != ',' || strncmp(line + length + 1, "window", 6) == 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            const char *cell = line + length + 1;
            for (int k = 0; k < columns[i]; k++)
                cell = strchr(cell, ',') + 1;
            at += (size_t)snprintf(to + at, room - at, "%.*s%s", (int)strcspn(cell, ",\r\n"), cell,
                                   i + 1 < n ? " " : "\n");
        }
        rows++;
    }
    return rows;
}

#define PICK(text, table, to, ...)                                                                                     \
    pick(text, table, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), to, sizeof(to))
#define WINDOWS(text, to) PICK(text, "windows", to, 0, 3, 6, 7, 8, 9, 10, 11)
#define INTERVALS(text, to) PICK(text, "intervals", to, 0, 1, 2, 3, 6, 7, 8)
#define MESSAGES(text, to) PICK(text, "messages", to, 0, 1, 2, 5, 6, 7)

enum { CUTS = 5 };

static unsigned long long id(const tcfh *h, uint32_t location)
{
    return (unsigned long long)tcfh_location_id(h, location);
}

static void one_wait(void **state)
{
    (void)state;
    char got[2000], expected[2000];
    tcfh *h = ranks(2);
    tcfh_enter(h, 0, 10, work);
    tcfh_enter(h, 1, 20, work);
    tcfh_enter(h, 0, 30, inner); /* over before the window */
    tcfh_leave(h, 0, 89, inner);
    tcfh_enter(h, 0, 85 + 4, inner); /* ends with its first instant */
    tcfh_leave(h, 0, 90, inner);
    late_sender(h, 0, 1, 100, 200);
    tcfh_enter(h, 0, 209, inner);
    tcfh_leave(h, 0, 300, inner);
    tcfh_leave(h, 0, 400, work);
    tcfh_leave(h, 1, 500, work);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        const char *text = run(h, cut, "");
        snprintf(expected, sizeof expected, "1 mpi_latesender %llu %llu 90 210 100 100\n", id(h, 1), id(h, 0));
        WINDOWS(text, got);
        assert_string_equal(got, expected);
        snprintf(expected, sizeof expected,
                 "1 %1$llu 0 work 3 90 210\n1 %1$llu 1 inner 1 90 90\n1 %1$llu 1 MPI_Send 0 200 202\n"
                 "1 %1$llu 1 inner 2 209 210\n1 %2$llu 0 work 3 90 210\n1 %2$llu 1 MPI_Recv 0 100 204\n",
                 id(h, 0), id(h, 1));
        INTERVALS(text, got);
        assert_string_equal(got, expected);
        snprintf(expected, sizeof expected, "1 %llu %llu 8 201 203\n", id(h, 0), id(h, 1));
        MESSAGES(text, got);
        assert_string_equal(got, expected);
        tcfh_unchanged(h);
    }
    tcfh_delete(h);
}

/* Of equally long waits the earlier one comes first; one that is seen in a window is skipped; more than the limit are
 * not shown. */
static void several_waits(void **state)
{
    (void)state;
    char got[2000], expected[2000];
    tcfh *h = ranks(4);
    late_sender(h, 0, 1, 100, 200);   /* 100: the second window */
    late_sender(h, 2, 3, 300, 420);   /* 120: the first */
    late_sender(h, 0, 1, 405, 415);   /* in its time, and its location is shown */
    late_sender(h, 0, 1, 1000, 1100); /* 100: the third */
    late_sender(h, 0, 1, 2000, 2050);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        const char *text = run(h, cut, "windows = 3\n");
        snprintf(expected, sizeof expected,
                 "1 mpi_latesender %1$llu %2$llu 288 432 300 120\n2 mpi_latesender %3$llu %4$llu 100 210 100 100\n"
                 "3 mpi_latesender %3$llu %4$llu 990 1110 1000 100\n",
                 id(h, 3), id(h, 2), id(h, 1), id(h, 0));
        WINDOWS(text, got);
        assert_string_equal(got, expected);
        assert_int_equal(MESSAGES(text, got), 4); /* two of them in the first window */
    }
    /* Locations that aren't shown: the wait of 10 has a window of its own. */
    const char *text = run(h, 0, "locations = 2\nwindows = 5\n");
    assert_int_equal(WINDOWS(text, got), 5);
    snprintf(expected, sizeof expected, "5 mpi_latesender %llu %llu 404 416 405 10", id(h, 1), id(h, 0));
    assert_non_null(strstr(got, expected));
    tcfh_delete(h);
}

/* Neighbours of those that take part, near ones first, the lower of two; not those without events. */
static void neighbours(void **state)
{
    (void)state;
    char got[2000], expected[2000];
    tcfh *h = ranks(9);
    late_sender(h, 6, 2, 100, 200);
    for (uint32_t l = 0; l < 9; l++) {
        if (l == 5)
            continue;
        tcfh_enter(h, l, 1000 + l, work);
        tcfh_leave(h, l, 1100, work);
    }
    const char *text = run(h, 0, "locations = 4\n");
    PICK(text, "locations", got, 0, 1);
    snprintf(expected, sizeof expected, "1 %llu\n1 %llu\n1 %llu\n1 %llu\n", id(h, 1), id(h, 2), id(h, 3), id(h, 6));
    assert_string_equal(got, expected);
    tcfh_delete(h);
}

/* The longest are kept, of equal ones the earlier; calls that are never left end with the last event. */
static void limits(void **state)
{
    (void)state;
    char got[2000], expected[2000];
    tcfh *h = ranks(2);
    tcfh_enter(h, 0, 95, work);
    for (uint64_t k = 0; k < 5; k++) {
        tcfh_enter(h, 0, 100 + 10 * k, inner);
        tcfh_leave(h, 0, 100 + 10 * k + (k == 3 ? 6 : 5), inner);
    }
    late_sender(h, 0, 1, 100, 200);
    for (uint32_t tag = 0; tag < 3; tag++)
        tcfh_send(h, 0, 203 + tag, 1, tag, 100 + tag);
    for (uint32_t tag = 0; tag < 3; tag++)
        tcfh_receive(h, 1, 220 + 2 * tag, 0, tag, 100 + tag);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        const char *text = run(h, cut, "max_intervals = 3\nmax_messages = 2\n");
        snprintf(expected, sizeof expected,
                 "1 %1$llu 0 work 0 95 205\n1 %1$llu 1 inner 0 100 105\n1 %1$llu 1 inner 0 130 136\n"
                 "1 %2$llu 0 MPI_Recv 0 100 204\n",
                 id(h, 0), id(h, 1));
        INTERVALS(text, got);
        assert_string_equal(got, expected);
        snprintf(expected, sizeof expected, "1 %1$llu %2$llu 101 204 222\n1 %1$llu %2$llu 102 205 224\n", id(h, 0),
                 id(h, 1));
        MESSAGES(text, got);
        assert_string_equal(got, expected);
    }
    tcfh_delete(h);
}

static void nothing_to_show(void **state)
{
    (void)state;
    char got[2000];
    tcfh *h = ranks(2);
    tcfh_enter(h, 0, 10, work);
    tcfh_leave(h, 0, 20, work);
    assert_int_equal(WINDOWS(run(h, 0, ""), got), 0);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = timeline\n[timeline]\noutput = ${SCRATCH}/none\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "put wait_states into 'survey'"));
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_wait), cmocka_unit_test(several_waits),   cmocka_unit_test(neighbours),
        cmocka_unit_test(limits),   cmocka_unit_test(nothing_to_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
