/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter that computes for long learns from host->interrupted() that the user has ended the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "framework/pipeline/session.h"
#include "kit/harness/internal.h"
#include "tests/support/harness.h"

static volatile sig_atomic_t flag;
static int before;

static tcf_status compute(tcf_self *self)
{
    before = (self->host->interrupted)(self);
    flag = 1; /* as a signal's handler does */
    return (self->host->interrupted)(self) ? (self->host->fail)(self, "interrupted") : TCF_OK;
}

static tcf_status look(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static const tcf_filter computes =
    {.head = TCF_FILTER_HEAD, .name = "computes", .version = "1", .summary = "Computes", .slice = look, .end = compute};

static tcf_status run(const session_hooks *hooks)
{
    static const tcf_filter *const filters[] = {&computes, NULL};
    static const char *const options[] = {"pipeline.input=harness", "pipeline.chain=computes"};
    tcfh *h = harness_new();
    tcfh_processes(h, 1, 1);
    tcfh_enter(h, 0, 1, tcfh_region(h, "work"));
    tcfh_definitions(h);
    settings *s = settings_load(NULL, options, 2);
    assert_non_null(s);
    session *p = session_new_over(s, NULL, filters, harness_feed(h));
    assert_non_null(p);
    flag = 0;
    before = -1;
    tcf_status status = session_run(p, hooks);
    session_delete(p);
    settings_free(s);
    tcfh_delete(h);
    return status;
}

static void asks(void **state)
{
    (void)state;
    assert_int_equal(run(&(session_hooks){.interrupted = &flag}), TCF_ERROR);
    assert_int_equal(before, 0);
    assert_int_equal(run(NULL), TCF_OK);
    assert_int_equal(before, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(asks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
