/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the tests of the filter `overhead` share: times are worked out by hand from the paper's equations (paper = yes)
 * and from plugins/overhead/README.md. */
#ifndef TCFLOW_TESTS_OVERHEAD_BY_HAND_H
#define TCFLOW_TESTS_OVERHEAD_BY_HAND_H

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

static inline tcfh *processes(uint32_t n, uint32_t threads)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, threads);
    work = tcfh_region(h, "work");
    return h;
}

/* An event that depends on nothing, and opens no call. */
static inline void plain(tcfh *h, uint32_t location, uint64_t time)
{
    tcfh_event(h, location, time, TCF_PARAMETER_INT, &(tcf_ev_parameter_int){TCF_NONE, 1});
}

/* Nothing is carried over unless the options say so. */
static inline void run(tcfh *h, const char *options)
{
    tcfh_run(
        h, "[pipeline]\nchain = overhead\n[overhead]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n%s%s",
        strstr(options, "carry") ? "" : "carry = 0\n", options);
}

#define TIMES(location, ...) TCFH_TIMES(h, location, __VA_ARGS__)

/* Runs with slices cut in many ways. */
#define IN_ALL_CUTS(h, options) for (uint64_t cut = 0; cut < CUTS && (tcfh_cut(h, cut), run(h, options), 1); cut++)

/* With 10 ticks an event: enter.send 200 -> 180, send 210 -> 180, exit.send 230 -> 190. */
static inline void sender(tcfh *h)
{
    plain(h, 0, 0);
    plain(h, 0, 100);
    tcfh_enter(h, 0, 200, work);
    tcfh_send(h, 0, 210, 1, 7, 100);
    tcfh_leave(h, 0, 230, work);
}

/* The receiver's first event is its enter, which stays where it is. */
static inline void receiver(tcfh *h, uint64_t enter, uint64_t recv)
{
    tcfh_enter(h, 1, enter, work);
    tcfh_receive(h, 1, recv, 0, 7, 100);
    tcfh_leave(h, 1, recv + 10, work);
}

#define O "event = 10 ticks\n"
#define PAPER "paper = yes\n"

static inline void assert_decisions(tcfh *h, const char *decisions)
{
    const char *text = tcfh_text(h, "report");
    if (!strstr(text, decisions))
        fail_msg("no '%s' in: %s", decisions, text);
}

#endif
