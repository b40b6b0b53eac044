/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Chains of causes: what they say, what class they are of, what they survive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/base/error.h"

static void chain_grows_outwards(void **state)
{
    (void)state;
    assert_int_equal(error_fail("cannot open '%s'", "a"), TCF_ERROR);
    assert_string_equal(error_text(), "cannot open 'a'");
    assert_int_equal(error_while("reading %d definitions", 3), TCF_ERROR);
    assert_string_equal(error_text(), "cannot open 'a'\n    while reading 3 definitions");
    error_fail("new");
    assert_string_equal(error_text(), "new");
    error_clear();
    assert_string_equal(error_text(), "");
}

static void while_without_reason(void **state)
{
    (void)state;
    error_clear();
    error_while("doing %s", "x");
    assert_string_equal(error_text(), "failed for a reason that was not recorded\n    while doing x");
}

static void usage_class(void **state)
{
    (void)state;
    error_fail("x");
    assert_false(error_is_usage());
    error_usage("x");
    assert_true(error_is_usage());
    error_while("y");
    assert_true(error_is_usage());
    error_fail("z");
    assert_false(error_is_usage());
    assert_int_equal(error_as_usage(), TCF_ERROR);
    assert_true(error_is_usage());
    error_clear();
    assert_false(error_is_usage());
    error_usage("'%s' cannot be opened: %s", "a", strerror(EACCES));
    assert_true(error_is_usage());
    error_usage("'%s' cannot be opened: %s", "a", strerror(EIO)); /* nobody's mistake */
    error_while("reading settings");
    assert_false(error_is_usage());
    error_fail("'%s' cannot be created: %s", "a", strerror(ENOSPC));
    error_as_usage();
    assert_false(error_is_usage());
    error_usage("out of memory for the plugin '%s'", "a");
    assert_false(error_is_usage());
    error_clear();
}

static void arguments_may_be_the_chain_itself(void **state)
{
    (void)state;
    error_fail("inner");
    error_fail("outer: %s", error_text());
    assert_string_equal(error_text(), "outer: inner");
    error_while("seeing '%s'", error_text());
    assert_string_equal(error_text(), "outer: inner\n    while seeing 'outer: inner'");
}

static void long_chains_are_cut_outside(void **state)
{
    char *text = malloc(20000);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', 19999);
    text[19999] = '\0';
    error_fail("the reason %s", text);
    for (int i = 0; i < 100; i++)
        error_while("layer %d %s", i, text);
    assert_memory_equal(error_text(), "the reason xxx", 14);
    assert_true(strlen(error_text()) < 10000);
    free(text);
    error_fail("short");
    for (int i = 0; i < 10000; i++)
        error_while("layer %d", i);
    assert_memory_equal(error_text(), "short\n    while layer 0\n", 23);
    error_clear();
}

/* What FUNCTION writes to the file, as text. */
static void printed(void (*function)(FILE *), char *to, size_t size)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    function(f);
    rewind(f);
    to[fread(to, 1, size - 1, f)] = '\0';
    fclose(f);
}

static void printing(void **state)
{
    char text[256];
    (void)state;
    error_fail("a name \"\x1b[2J\x01\" of a trace");
    error_while("looking");
    printed(error_print, text, sizeof text);
    assert_string_equal(text, "tcflow: error: a name \"?[2J?\" of a trace\n    while looking\n");
    error_clear();
    printed(error_print, text, sizeof text);
    assert_string_equal(text, "");
}

static void log_levels(FILE *to)
{
    int saved = dup(STDERR_FILENO);
    fflush(stderr);
    assert_true(dup2(fileno(to), STDERR_FILENO) >= 0);
    error_verbosity = TCF_LOG_WARNING;
    error_log(TCF_LOG_ERROR, "a");
    error_log(TCF_LOG_WARNING, "b %d", 1);
    error_log(TCF_LOG_INFO, "c");
    error_verbosity = TCF_LOG_DEBUG;
    error_log(TCF_LOG_INFO, "d");
    error_log(TCF_LOG_DEBUG, "e");
    error_verbosity = TCF_LOG_ERROR;
    error_log(TCF_LOG_WARNING, "f");
    error_status_line("busy");
    error_status_line(NULL);
    error_verbosity = TCF_LOG_WARNING;
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static void verbosity(void **state)
{
    char text[256];
    (void)state;
    printed(log_levels, text, sizeof text);
    assert_string_equal(text, "tcflow: error: a\ntcflow: warning: b 1\ntcflow: d\ntcflow: debug: e\ntcflow: busy\n");
}

static void *other_thread(void *data)
{
    (void)data;
    if (strcmp(error_text(), "") != 0)
        return NULL;
    error_usage("there");
    return error_is_usage() ? &error_verbosity : NULL;
}

static void one_chain_a_thread(void **state)
{
    pthread_t thread;
    void *result = NULL;
    (void)state;
    error_fail("here");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_non_null(result);
    assert_string_equal(error_text(), "here");
    assert_false(error_is_usage());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_grows_outwards),
        cmocka_unit_test(while_without_reason),
        cmocka_unit_test(usage_class),
        cmocka_unit_test(arguments_may_be_the_chain_itself),
        cmocka_unit_test(long_chains_are_cut_outside),
        cmocka_unit_test(printing),
        cmocka_unit_test(verbosity),
        cmocka_unit_test(one_chain_a_thread),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
