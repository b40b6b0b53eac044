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
