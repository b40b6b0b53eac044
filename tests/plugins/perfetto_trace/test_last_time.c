/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace writes events at the largest time there is, 2^64 - 1, into the last file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/support/harness.h"

static tcfh *make(void)
{
    tcfh *h = harness_new();
    tcfh_processes(h, 1, 1);
    uint32_t work = tcfh_region(h, "work"), last = tcfh_region(h, "at the last time");
    for (uint64_t i = 0; i < 20000; i++) {
        tcfh_enter(h, 0, 2 * i, work);
        tcfh_leave(h, 0, 2 * i + 1, work);
    }
    tcfh_enter(h, 0, UINT64_MAX, last);
    tcfh_leave(h, 0, UINT64_MAX, last);
    return h;
}

static void last_time(void **state)
{
    static const char *const formats[] = {"json", "protobuf"};
    (void)state;
    for (int cut = 0; cut < 2; cut++)
        for (int k = 0; k < 2; k++) {
            tcfh *h = make();
            char name[32] = "trace";
            tcfh_run(h,
                     "[pipeline]\nchain = perfetto_trace\nslice = 8\n[perfetto_trace]\npath = ${SCRATCH}/trace\n"
                     "format = %s\nmax_bytes = %d\n",
                     formats[k], cut ? 8192 : 0);
            int parts = 1;
            for (char next[32]; snprintf(next, sizeof next, "trace-%d", parts + 1) > 0 && tcfh_text(h, next); parts++)
                snprintf(name, sizeof name, "%s", next);
            assert_true(cut ? parts > 1 : parts == 1);
            const char *text = tcfh_text(h, name);
            if (k == 0)
                assert_non_null(strstr(text, "at the last time"));
            tcfh_delete(h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
