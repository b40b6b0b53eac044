/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A test as the author of examples/custom-filter/shift.c would write it, with what is installed and nothing else. */
#include <tcflow/harness.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expected_failure(void *data, const char *message)
{
    (void)data;
    printf("%s\n", message);
    exit(strcmp(message, "event 1 of location 0: 17 instead of 18") == 0 ? 0 : 3);
}

int main(int argc, char **argv)
{
    tcfh *h = tcfh_new();
    tcfh_plugin_path(h, argc > 1 ? argv[1] : ".");
    tcfh_processes(h, 2, 1);
    uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 10, work);
    tcfh_send(h, 0, 12, 1, 7, 8);
    tcfh_leave(h, 0, 20, work);
    tcfh_receive(h, 1, 15, 0, 7, 8);
    if (tcfh_try(h, "[pipeline]\nchain = shift\n[shift]\nbuy = 5 ticks\n") != TCF_ERROR || !tcfh_error_is_usage(h) ||
        !strstr(tcfh_error(h), "did you mean 'by'?"))
        return 2;
    tcfh_run(
        h,
        "[pipeline]\nchain = shift check\n[shift]\nby = %d ticks\n[check]\nformat = csv\noutput = ${SCRATCH}/c.csv\n",
        5);
    TCFH_TIMES(h, 0, 15, 17, 25);
    TCFH_TIMES(h, 1, 20);
    if (argc > 2) {
        if (argc == 3)
            tcfh_on_failure(h, expected_failure, NULL);
        TCFH_TIMES(h, 0, 15, 18, 25);
    }
    tcfh_delete(h);
    return 0;
}
