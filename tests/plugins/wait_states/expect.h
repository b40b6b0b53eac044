/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the tests of the patterns of `wait_states` share: runs with slices cut in many ways, and the waits that must
 * come out. To be included once in a program, in front of its tests. */
#ifndef TCFLOW_TESTS_WAIT_STATES_EXPECT_H
#define TCFLOW_TESTS_WAIT_STATES_EXPECT_H

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

enum { CUTS = 5, NOBODY = 99 };

/* A wait; locations by index. */
struct expected {
    const char *pattern;
    uint32_t location;
    uint64_t from, length;
    uint32_t cause;
    uint64_t cause_time;
    int reversed;
};

static uint32_t work, mpi_call; /* regions: of the user's, and some call of MPI */

static tcfh *processes(uint32_t n, uint32_t threads)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, threads);
    work = tcfh_region(h, "work");
    mpi_call = tcfh_region(h, "MPI_Call");
    return h;
}

static void run(tcfh *h, const char *options)
{
    tcfh_run(
        h,
        "[pipeline]\nchain = wait_states\n[wait_states]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n"
        "worst = 1000\n%s",
        options);
}

/* Is there such a row among the instances? Seconds and call paths are left out. */
static int has(tcfh *h, const char *text, const struct expected *x)
{
    char head[64], tail[160], cause[32] = "";
    snprintf(head, sizeof head, "instances,%s,", x->pattern);
    if (x->cause != NOBODY)
        snprintf(cause, sizeof cause, "%llu", (unsigned long long)tcfh_location_id(h, x->cause));
    snprintf(tail, sizeof tail, ",%llu,%llu,%llu,%s,%llu,%d,", (unsigned long long)tcfh_location_id(h, x->location),
             (unsigned long long)x->from, (unsigned long long)x->length, cause, (unsigned long long)x->cause_time,
             x->reversed);
    for (const char *line = strstr(text, head); line; line = strstr(line + 1, head)) {
        const char *comma = strchr(line + strlen(head), ','), *end = strchr(line, '\n');
        if (comma && end && strncmp(comma, tail, strlen(tail)) == 0)
            return 1;
    }
    return 0;
}

static size_t rows(const char *text, const char *table)
{
    size_t n = 0;
    for (const char *line = strstr(text, table); line; line = strstr(line + 1, table))
        n += line > text && line[-1] == '\n';
    return n;
}

/* These waits and no others, however slices are cut. */
static void expect(tcfh *h, const char *options, const struct expected *x, size_t n)
{
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        run(h, options);
        const char *text = tcfh_text(h, "report");
        assert_non_null(text);
        for (size_t i = 0; i < n; i++)
            if (!has(h, text, &x[i]))
                fail_msg("no %s of location %u since %llu for %llu in:\n%s", x[i].pattern, x[i].location,
                         (unsigned long long)x[i].from, (unsigned long long)x[i].length, text);
        if (rows(text, "instances,") != n)
            fail_msg("%zu waits instead of %zu:\n%s", rows(text, "instances,"), n, text);
        tcfh_unchanged(h);
    }
}

#define EXPECT(h, options, ...)                                                                                        \
    do {                                                                                                               \
        static const struct expected x_[] = {__VA_ARGS__};                                                             \
        expect(h, options, x_, COUNT(x_));                                                                             \
    } while (0)

static void expect_none(tcfh *h, const char *options)
{
    expect(h, options, NULL, 0);
}

#endif
