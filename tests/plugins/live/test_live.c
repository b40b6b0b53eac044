/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* live: what there is to see at the end of small traces, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

/* The last view, with a window of so many ticks. */
static const char *last_view(tcfh *h, int window)
{
    tcfh_run(
        h,
        "[pipeline]\nchain = live\n[live]\noutput = ${SCRATCH}/view\noverwrite = yes\nwindow = %d ticks\nevery = 0s\n",
        window);
    const char *text = tcfh_text(h, "view"), *last = text;
    for (const char *at = text; (at = strstr(at, "\nnow\t")); at++)
        last = at + 1;
    return last;
}

static void has(const char *text, const char *line)
{
    char whole[256];
    snprintf(whole, sizeof whole, "\n%s\n", line);
    if (strncmp(text, line, strlen(line)) != 0 && !strstr(text, whole))
        fail_msg("no line '%s' in:\n%s", line, text);
}

/* 0 computes 100 and sends; 1 computes 30, and waits in its receive from 30 to 100, which it leaves at 160. A second
 * message of 0, from 150 on, is never received. A window of 1600 ticks is all of it: 200 ticks. Of one of 160 ticks, in
 * sixteenths of 10, the last begins at 200, so it goes back to 50. */
static void sent_and_received(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t work = tcfh_region(h, "work"), send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    tcfh_enter(h, 0, 0, work);
    tcfh_enter(h, 0, 100, send);
    tcfh_send(h, 0, 105, 1, 7, 8);
    tcfh_leave(h, 0, 110, send);
    tcfh_enter(h, 0, 150, send);
    tcfh_send(h, 0, 155, 1, 9, 1000);
    tcfh_leave(h, 0, 160, send);
    tcfh_leave(h, 0, 200, work);
    tcfh_enter(h, 1, 0, work);
    tcfh_enter(h, 1, 30, recv);
    tcfh_receive(h, 1, 159, 0, 7, 8);
    tcfh_leave(h, 1, 160, recv);
    tcfh_leave(h, 1, 165, work);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = last_view(h, 1600);
        /* 13 events; two messages, of which one stays in flight. */
        has(text, "now\t0.000000200\t0.000000200\t13\t2\t1008\t1");
        has(text, "process\t0\te\t10.0\t0.0\t8\trank 0\t");  /* 20 of 200 */
        has(text, "process\t1\te\t65.0\t35.0\t5\trank 1\t"); /* 130, and 70 */
        has(text, "wait\t0.000000070\t1\tLate Sender");
        text = last_view(h, 160);
        has(text, "now\t0.000000200\t0.000000150\t13\t2\t1008\t1");
        has(text, "process\t0\te\t13.3\t0.0\t8\trank 0\t");  /* 20 of 150 */
        has(text, "process\t1\te\t73.3\t33.3\t5\trank 1\t"); /* from 50 on: 110, and 50 */
        has(text, "wait\t0.000000050\t1\tLate Sender");
    }
    /* What is older than the window has gone. */
    assert_null(strstr(last_view(h, 16), "\nwait\t"));
    tcfh_delete(h);
}

/* Every line has its words, whatever names are. */
static void names_with_tabs(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 1, 1);
    const uint32_t odd = tcfh_region(h, "a\tb\nc\x1b[2J");
    tcfh_enter(h, 0, 0, odd);
    tcfh_enter(h, 0, 10, tcfh_region(h, "MPI_Barrier"));
    tcfh_run(h, "[pipeline]\nchain = live\n[live]\noutput = ${SCRATCH}/view\noverwrite = yes\nevery = 0s\n");
    const char *text = tcfh_text(h, "view");
    assert_null(strchr(text, 0x1b));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        size_t tabs = 0;
        for (const char *at = line; *at != '\n'; at++)
            tabs += *at == '\t';
        assert_int_equal(tabs, strncmp(line, "process\t", 8) == 0 ? 7
                               : strncmp(line, "now\t", 4) == 0   ? 6
                               : strncmp(line, "live\t", 5) == 0  ? 2
                                                                  : 0);
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sent_and_received),
        cmocka_unit_test(names_with_tabs),
    };
    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
