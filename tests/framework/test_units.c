/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Values as people write them: tables of what must be read, and as what, and of what must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/base/units.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void bools(void **state)
{
    static const struct {
        const char *text;
        int value;
    } good[] = {{"yes", 1}, {"no", 0}, {"true", 1}, {"false", 0}, {"on", 1},  {"off", 0},
                {"1", 1},   {"0", 0},  {"YES", 1},  {"False", 0}, {"oFf", 0}, {"On", 1}};
    static const char *const bad[] = {"", "y", "n", "yes ", " yes", "2", "-1", "01", "ja", "truetrue", "tru", "yes no"};
    int value;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        value = -1;
        if (units_bool(good[i].text, &value) || value != good[i].value)
            fail_msg("'%s' gave %d", good[i].text, value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        value = -1;
        if (!units_bool(bad[i], &value) || value != -1)
            fail_msg("'%s' was taken", bad[i]);
    }
}

static void ints(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"+7", 7},
                {"007", 7},
                {"42", 42},
                {"-42", -42},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"0000000000000000000000000000000000000000000000000000000000000000000000000000012", 12}};
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "--1",
                                      "1.0",
                                      "1e3",
                                      "0x10",
                                      "1k",
                                      "1 ",
                                      " 1",
                                      "1_000",
                                      "1,000",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999",
                                      "nan",
                                      "inf",
                                      "one",
                                      "1.",
                                      ".5",
                                      "1e",
                                      "٣",
                                      "1\n",
                                      "\t1"};
    int64_t value;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        value = 99;
        if (units_int(good[i].text, &value) || value != good[i].value)
            fail_msg("'%s' gave %" PRId64, good[i].text, value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        value = 99;
        if (!units_int(bad[i], &value) || value != 99)
            fail_msg("'%s' was taken", bad[i]);
    }
}

static void doubles(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},
                {"0.99", 0.99},
                {"1e-6", 1e-6},
                {"-1.5E+3", -1500},
                {".5", 0.5},
                {"5.", 5},
                {"+2", 2},
                {"1e308", 1e308},
                {"-0", 0},
                {"1e-400", 0},
                {"1E0", 1},
                {"00.10", 0.1},
                {"123456789.125", 123456789.125}};
    static const char *const bad[] = {"",      ".",      "-",     "e5",  "nan",   "NaN",    "inf", "-inf", "Infinity",
                                      "1e309", "-1e999", "0x1p3", "1,5", "1.5.2", "1e",     "1e+", "1 ",   " 1",
                                      "0.99x", "1e5e5",  "--1",   "+-1", "1%",    "nan(1)", "1f",  "1 2"};
    double value;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        value = 99;
        if (units_double(good[i].text, &value) || value < good[i].value || value > good[i].value)
            fail_msg("'%s' gave %g", good[i].text, value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        value = 99;
        if (!units_double(bad[i], &value) || fabs(value - 99) > 0)
            fail_msg("'%s' was taken", bad[i]);
    }
    /* As many digits as anybody may want, but not more. */
    assert_null(units_double("0.333333333333333333333333333333333333333333333333333333333", &value));
    assert_non_null(units_double("0.33333333333333333333333333333333333333333333333333333333333333333333333", &value));
}

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"1", 1},
                {"64MiB", 64u << 20},
                {"64 MiB", 64u << 20},
                {"64Mi", 64u << 20},
                {"4k", 4000},
                {"4K", 4000},
                {"4kB", 4000},
                {"4KB", 4000},
                {"4Ki", 4096},
                {"4KiB", 4096},
                {"3M", 3000000},
                {"3MB", 3000000},
                {"2G", 2000000000u},
                {"2GB", 2000000000u},
                {"2GiB", UINT64_C(1) << 31},
                {"1T", UINT64_C(1000000000000)},
                {"1TiB", UINT64_C(1) << 40},
                {"512B", 512},
                {"1.5k", 1500},
                {"0.5KiB", 512},
                {"1e3", 1000},
                {"1.5GiB", UINT64_C(3) << 29},
                {"+5", 5},
                {"18446744073709551615", UINT64_MAX},
                {"16777215TiB", UINT64_C(16777215) << 40}};
    static const char *const bad[] = {"",
                                      "MiB",
                                      "-0",
                                      "-1",
                                      "-1k",
                                      "1.5",
                                      "0.3k2",
                                      "64 Mi B",
                                      "64mib",
                                      "64MIB",
                                      "1m",
                                      "1Kib",
                                      "1kib",
                                      "1E",
                                      "1PiB",
                                      "18446744073709551616",
                                      "16777216TiB",
                                      "1e30",
                                      "nan",
                                      "infMiB",
                                      "0x10",
                                      "1,5k",
                                      "64MiB ",
                                      " 64MiB",
                                      "1e-3",
                                      "1.0001k",
                                      "9e18",
                                      "1 1",
                                      "1bytes",
                                      "1b",
                                      "99999999999999999999999999999999999999999999999999999999999999999999999999.5k"};
    uint64_t value;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        value = 99;
        const char *wrong = units_size(good[i].text, &value);
        if (wrong || value != good[i].value)
            fail_msg("'%s' gave %" PRIu64 " %s", good[i].text, value, wrong ? wrong : "");
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        value = 99;
        if (!units_size(bad[i], &value) || value != 99)
            fail_msg("'%s' was taken as %" PRIu64, bad[i], value);
    }
}

static void durations(void **state)
{
    static const struct {
        const char *text;
        double value;
        int in_ticks;
    } good[] = {{"0", 0, 0},
                {"-0", 0, 0},
                {"0.0", 0, 0},
                {"1us", 1e-6, 0},
                {"1ps", 1e-12, 0},
                {"250ns", 250e-9, 0},
                {"250 ns", 250e-9, 0},
                {"1.5s", 1.5, 0},
                {"2ms", 2e-3, 0},
                {"-3ms", -3e-3, 0},
                {"1min", 60, 0},
                {"2 h", 7200, 0},
                {"3 ticks", 3, 1},
                {"3ticks", 3, 1},
                {"1 tick", 1, 1},
                {"0 ticks", 0, 1},
                {"-7 ticks", -7, 1},
                {"1e3 ticks", 1000, 1},
                {"1e-3s", 1e-3, 0},
                {"1\xc2\xb5s", 1e-6, 0},
                {"1\xce\xbcs", 1e-6, 0},
                {"0.1us", 1e-7, 0},
                {"1e6ns", 1e-3, 0},
                {"1\tms", 1e-3, 0}};
    static const char *const bad[] = {"",         "us",    "1",          "1.5",  "-1",     "1 parsec", "1sec",
                                      "1m",       "1 ms ", " 1ms",       "1USs", "1MS",    "1 us us",  "1.5ticks",
                                      "1e400s",   "infs",  "nans",       "inf",  "0x1s",   "1,5ms",    "1e300h1",
                                      "1.7e308h", "--1s",  "1e99 ticks", "1d",   "1ms2us", "e3s"};
    tcf_duration d;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        d = (tcf_duration){99, 9};
        const char *wrong = units_duration(good[i].text, &d);
        if (wrong || fabs(d.value - good[i].value) > 1e-15 * fabs(good[i].value) || d.in_ticks != good[i].in_ticks)
            fail_msg("'%s' gave %.17g %d %s", good[i].text, d.value, d.in_ticks, wrong ? wrong : "");
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        d = (tcf_duration){99, 9};
        if (!units_duration(bad[i], &d) || d.in_ticks != 9)
            fail_msg("'%s' was taken as %g", bad[i], d.value);
    }
    /* A nanosecond count is the double nearest to it, not a product of rounded factors. */
    for (int n = 1; n < 2000; n++) {
        char text[32];
        snprintf(text, sizeof text, "%dns", n);
        assert_null(units_duration(text, &d));
        snprintf(text, sizeof text, "%de-9", n);
        assert_true(d.value <= strtod(text, NULL) && d.value >= strtod(text, NULL));
    }
}

/* In picoseconds, which are exact, and without ticks. */
static void times(void **state)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},         {"3ps", 3},        {"0.7us", 0.7 * 1e6}, {"100us", 100e6}, {"33 ms", 33e9},
                {"1.5s", 1.5e12}, {"-1min", -60e12}, {"2h", 7200e12},      {"1e-3s", 1e9}};
    static const char *const bad[] = {"", "1", "3 ticks", "1 tick", "1 fs", "us", "1e999s", "1,5s", "1s "};
    double value;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        value = 99;
        if (units_time(good[i].text, 1e12, &value) || value < good[i].value || value > good[i].value)
            fail_msg("'%s' gave %.17g", good[i].text, value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        value = 99;
        if (!units_time(bad[i], 1e12, &value) || fabs(value - 99) > 0)
            fail_msg("'%s' was taken", bad[i]);
    }
    assert_null(units_time("250ns", 1, &value));
    assert_true(value <= 250e-9 && value >= 250e-9);
}

/* Whatever stands there: an answer, and in case of failure nothing written. */
static void random_text(void **state)
{
    static const char letters[] = "0123456789.eE+-xnaifKMGTBks uth \t,";
    unsigned seed = 1;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[16];
        size_t n = (seed = seed * 1103515245u + 12345u) >> 28;
        for (size_t k = 0; k < n && k < sizeof text - 1; k++)
            text[k] = letters[((seed = seed * 1103515245u + 12345u) >> 16) % (sizeof letters - 1)];
        text[n < sizeof text - 1 ? n : sizeof text - 1] = '\0';
        double d = 99;
        uint64_t u = 99;
        int64_t s = 99;
        tcf_duration t = {99, 9};
        int b = 99;
        assert_true(units_double(text, &d) ? fabs(d - 99) <= 0 : isfinite(d));
        assert_true(!units_size(text, &u) || u == 99);
        assert_true(!units_int(text, &s) || s == 99);
        assert_true(units_duration(text, &t) ? t.in_ticks == 9 : isfinite(t.value));
        assert_true(!units_bool(text, &b) || b == 99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bools),     cmocka_unit_test(ints),  cmocka_unit_test(doubles),     cmocka_unit_test(sizes),
        cmocka_unit_test(durations), cmocka_unit_test(times), cmocka_unit_test(random_text),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
