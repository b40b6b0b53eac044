/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The harness in tests of this project: its failures are failures of cmocka, which stands in front of this header. */
#ifndef TCFLOW_TESTS_HARNESS_H
#define TCFLOW_TESTS_HARNESS_H

#include <tcflow/harness.h>

#include <stdio.h>
#include <string.h>

static inline void harness_failed(void *data, const char *message)
{
    (void)data;
    fail_msg("%s", message);
}

static inline tcfh *harness_new(void)
{
    tcfh *h = tcfh_new();
    tcfh_on_failure(h, harness_failed, NULL);
    return h;
}

/* Runs a filter that only looks, with these parameters: its report as CSV, until the next run. */
static inline const char *harness_report(tcfh *h, const char *filter, const char *parameters)
{
    tcfh_run(h, "[pipeline]\nchain = %s\n[%s]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n%s", filter,
             filter, parameters);
    tcfh_unchanged(h);
    return tcfh_text(h, "report");
}

/* Has the edge column of an event the flags of all its edges? Those of dropped events are none of it. */
static inline int harness_edge_shown(const tcf_slice *s, uint32_t i)
{
    uint8_t flags = 0;
    for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e))
        flags |= e->flags & TCF_EDGE_GONE ? 0 : e->flags;
    return s->edge[i] == flags;
}

/* How many lines of a CSV report begin and end so. */
static inline int harness_rows(const char *text, const char *begin, const char *end)
{
    int n = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const size_t length = strcspn(line, "\r\n");
        n += strncmp(line, begin, strlen(begin)) == 0 && length >= strlen(end) &&
             strncmp(line + length - strlen(end), end, strlen(end)) == 0;
    }
    return n;
}

static inline void harness_has(const char *text, const char *begin, const char *end)
{
    if (harness_rows(text, begin, end) == 0)
        fail_msg("no row %s...%s in:\n%s", begin, end, text);
}

/* A CSV report has this line, or none that begins so. */
static inline void harness_line(const char *text, const char *line)
{
    char whole[512];
    snprintf(whole, sizeof whole, "\n%s\r\n", line);
    if (!strstr(text, whole))
        fail_msg("'%s' is not in:\n%s", line, text);
}

static inline void harness_no_line(const char *text, const char *begin)
{
    char start[512];
    snprintf(start, sizeof start, "\n%s", begin);
    if (strstr(text, start))
        fail_msg("'%s' is in:\n%s", begin, text);
}

#endif
