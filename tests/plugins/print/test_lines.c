/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Lines of print where it matters how exactly they read: names that are no plain text, numbers, times, order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static const char *printed(tcfh *h, const char *options)
{
    tcfh_run(h, "[pipeline]\nchain = print\n[print]\noutput = ${SCRATCH}/out\noverwrite = yes\n%s", options);
    return tcfh_text(h, "out");
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* The text behind the two lines of the title. */
static const char *events(const char *text)
{
    for (int k = 0; k < 2; k++)
        text = strchr(text, '\n') + 1;
    return text;
}

static void strange_names(void **state)
{
    static const struct {
        const char *name, *text, *json;
    } each[] = {
        {"plain", "\"plain\"", "\"plain\""},
        {"", "\"\"", "\"\""},
        {"a \"b\" \\c", "\"a \"b\" \\c\"", "\"a \\\"b\\\" \\\\c\""},
        {"tab\tline\nbell\a\x01\x7f", "\"tab\\tline\\nbell\\a\\x01\\x7f\"",
         "\"tab\\tline\\nbell\\u0007\\u0001\\u007f\""},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x99", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x99\"",
         "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x99\""},
        /* Latin-1, cut off, too long a form, a surrogate, beyond Unicode */
        {"\xe4x", "\"\\xe4x\"", "\"\\ufffdx\""},
        {"\xe2\x82", "\"\\xe2\\x82\"", "\"\\ufffd\\ufffd\""},
        {"\xc0\x80\xe0\x80\x80", "\"\\xc0\\x80\\xe0\\x80\\x80\"", "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\xed\\xa0\\x80\"", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\"", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    };
    tcfh *h = tcfh_new();
    uint32_t n = sizeof each / sizeof *each;
    char line[256];
    (void)state;
    tcfh_processes(h, 1, 1);
    for (uint32_t i = 0; i < n; i++)
        tcfh_region(h, each[i].name);
    for (uint32_t i = 0; i < n; i++)
        tcfh_enter(h, 0, 100 + i, i);
    const char *text = printed(h, "");
    for (uint32_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, "%-32s %15d %20u  Region: %s <%u>\n", "ENTER", 1000, 100 + i, each[i].text,
                 300 + 2 * i);
        assert_has(text, line);
    }
    text = printed(h, "format = json\n");
    for (uint32_t i = 0; i < n; i++) {
        snprintf(line, sizeof line,
                 "{\"event\":\"ENTER\",\"location\":1000,\"time\":%u,\"region\":{\"id\":%u,\"name\":%s}}\n", 100 + i,
                 300 + 2 * i, each[i].json);
        assert_has(text, line);
    }
    tcfh_delete(h);
}

/* Names longer than any buffer. */
static void long_names(void **state)
{
    static char name[600001], line[600200];
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 1, 1);
    memset(name, 'x', sizeof name - 1);
    tcfh_region(h, name);
    for (uint64_t i = 0; i < 3; i++)
        tcfh_enter(h, 0, i, 0);
    snprintf(line, sizeof line, "\"region\":{\"id\":300,\"name\":\"%s\"}}\n", name);
    const char *text = printed(h, "format = json\n");
    for (int i = 0; i < 3; i++) {
        text = strstr(text, line);
        assert_non_null(text);
        text++;
    }
    tcfh_delete(h);
}

static void numbers(void **state)
{
    static const struct {
        double value;
        const char *text, *json;
    } each[] = {
        {0, "0", "0"},
        {-0.0, "-0", "-0"},
        {0.1, "0.1", "0.1"},
        {-2.5, "-2.5", "-2.5"},
        {1e-5, "0.00001", "0.00001"},
        {1e-7, "1e-07", "1e-07"},
        {123456789.125, "123456789.125", "123456789.125"},
        {1234567890123.4568, "1234567890123.4568", "1234567890123.4568"},
        {1.0 / 3, "0.3333333333333333", "0.3333333333333333"},
        {2251799813685249.5, "2251799813685249.5", "2251799813685249.5"},
        {1e15, "1e+15", "1e+15"},
        {1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"},
        {4.9406564584124654e-324, "4.94065645841247e-324", "4.94065645841247e-324"},
        {INFINITY, "inf", "null"},
        {-INFINITY, "-inf", "null"},
        {NAN, "nan", "null"},
    };
    uint32_t n = sizeof each / sizeof *each;
    char line[256];
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 1, 1);
    uint32_t metric = tcfh_metric(h, "load", OTF2_TYPE_DOUBLE);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &each[i].value, sizeof bits);
        tcfh_metric_value(h, 0, 100 + i, metric, OTF2_TYPE_DOUBLE, bits);
    }
    tcfh_metric_value(h, 0, 200, metric, OTF2_TYPE_INT64, (uint64_t)INT64_MIN);
    tcfh_metric_value(h, 0, 201, metric, OTF2_TYPE_UINT64, UINT64_MAX);
    const char *text = printed(h, "");
    for (uint32_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, "%20u  Metric: %s", 100 + i, "");
        const char *at = strstr(text, line);
        assert_non_null(at);
        snprintf(line, sizeof line, "; DOUBLE; %s)\n", each[i].text);
        at = strstr(at, "; DOUBLE; ");
        if (strncmp(at, line, strlen(line)) != 0)
            fail_msg("not '%s' but %.60s", each[i].text, at);
    }
    assert_has(text, "; INT64; -9223372036854775808)\n");
    assert_has(text, "; UINT64; 18446744073709551615)\n");
    text = printed(h, "format = json\n");
    for (uint32_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, "\"type\":\"DOUBLE\",\"value\":%s}]}\n", each[i].json);
        assert_has(text, line);
    }
    tcfh_delete(h);
}

/* Times with few digits, around the point where the high digits are kept, and the last one there is. */
static void times(void **state)
{
    static const uint64_t each[] = {0,
                                    7,
                                    42,
                                    99999999,
                                    100000000,
                                    100000001,
                                    199999999,
                                    200000000,
                                    1234567890123,
                                    1234567890123,
                                    UINT64_MAX - 1,
                                    UINT64_MAX};
    char line[256];
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 2, 1);
    uint32_t region = tcfh_region(h, "r");
    for (uint32_t l = 0; l < 2; l++)
        for (size_t i = 0; i < sizeof each / sizeof *each; i++)
            tcfh_enter(h, l, each[i], region);
    for (int json = 0; json < 2; json++)
        for (uint64_t cut = 0; cut < 3; cut++) {
            tcfh_cut(h, cut);
            const char *text = printed(h, json ? "format = json\n" : ""), *at = json ? text : events(text);
            for (size_t i = 0; i < 2 * sizeof each / sizeof *each; i++) {
                /* equal times: first the location defined first */
                uint64_t time = each[i / 2];
                unsigned location = 1000 * (unsigned)(i % 2 + 1);
                if (time == 1234567890123) /* twice in a location */
                    location = 1000 * (unsigned)((i - 16) / 2 + 1);
                snprintf(line, sizeof line,
                         json ? "{\"event\":\"%s\",\"location\":%u,\"time\":%llu," : "%-32s %15u %20llu  ", "ENTER",
                         location, (unsigned long long)time);
                if (strncmp(at, line, strlen(line)) != 0)
                    fail_msg("expected '%s' but found %.90s", line, at);
                at = strchr(at, '\n') + 1;
            }
            assert_int_equal(*at, '\0');
        }
    tcfh_delete(h);
}

static void ranks_and_references(void **state)
{
    tcfh *h = tcfh_new();
    const uint32_t a[] = {0, 2}, b[] = {1, 3};
    (void)state;
    tcfh_processes(h, 4, 1);
    uint32_t pair = tcfh_comm(h, "pair", 2, a), inter = tcfh_inter_comm(h, "inter", 2, a, 2, b);
    tcfh_send_on(h, 2, 10, pair, 0, 5);  /* to rank 0 of the pair */
    tcfh_send_on(h, 0, 20, inter, 1, 6); /* ranks are those of the other side */
    tcfh_send_on(h, 3, 30, inter, 1, 7);
    tcfh_send_on(h, 1, 40, 0, 9, 8); /* there is no such rank */
    tcfh_collective(h, 1, 50, 51, OTF2_COLLECTIVE_OP_BCAST, 0, 2);
    tcf_ev_mpi_send nowhere = {.receiver = TCF_NONE, .communicator = TCF_NONE, .msg_tag = 1};
    tcfh_event(h, 1, 60, TCF_MPI_SEND, &nowhere);
    const char *text = printed(h, "");
    assert_has(text, "                  10  Receiver: 0 (\"thread 0:0\" <1000>), Communicator: \"pair\" <");
    assert_has(text, "                  20  Receiver: 1 (\"thread 3:0\" <4000>), Communicator: \"inter\" <");
    assert_has(text, "                  30  Receiver: 1 (\"thread 2:0\" <3000>), Communicator: \"inter\" <");
    assert_has(text, "                  40  Receiver: 9 (INVALID), Communicator: \"MPI_COMM_WORLD\" <");
    assert_has(text, "                  51  Operation: BCAST, Communicator: \"MPI_COMM_WORLD\" <");
    assert_has(text, ">, Root: 2 (\"thread 2:0\" <3000>), Sent: 8, Received: 8\n");
    assert_has(text, "                  60  Receiver: UNDEFINED, Communicator: UNDEFINED, Tag: 1, Length: 0\n");
    text = printed(h, "format = json\n");
    assert_has(text, "\"time\":20,\"receiver\":{\"rank\":1,\"location\":4000},\"communicator\":{\"id\":");
    assert_has(text, "\"time\":40,\"receiver\":{\"rank\":9,\"location\":null},");
    assert_has(text, "\"time\":60,\"receiver\":null,\"communicator\":null,\"msg_tag\":1,\"msg_length\":0}\n");
    tcfh_delete(h);
}

static void attributes(void **state)
{
    tcfh *h = tcfh_new();
    float single = 0.1f;
    uint32_t bits;
    (void)state;
    memcpy(&bits, &single, sizeof bits);
    tcfh_processes(h, 1, 1);
    uint32_t region = tcfh_region(h, "r"), first = tcfh_attribute(h, "first", OTF2_TYPE_INT8),
             second = tcfh_attribute(h, "second", OTF2_TYPE_FLOAT);
    const tcf_attribute list[] = {
        {.attribute = first, .type = OTF2_TYPE_INT8, .value = 0xff},
        {.attribute = second, .type = OTF2_TYPE_FLOAT, .value = bits},
        {.attribute = first, .type = OTF2_TYPE_REGION, .value = 300},
        {.attribute = first, .type = OTF2_TYPE_REGION, .value = 301},
        {.attribute = first, .type = OTF2_TYPE_REGION, .value = OTF2_UNDEFINED_REGION},
        {.attribute = first, .type = 99, .value = 5},
    };
    tcfh_enter(h, 0, 10, region);
    tcfh_attributes(h, 0, 6, list);
    tcfh_leave(h, 0, 11, region);
    const char *text = printed(h, "");
    assert_has(
        text,
        "  Region: \"r\" <300>\n"
        "                                                                       ADDITIONAL ATTRIBUTES: (\"first\" <");
    assert_has(text, "; INT8; -1), (\"second\" <");
    assert_has(text, "; FLOAT; 0.1), ");
    assert_has(text, "; REGION; \"r\" <300>), ");
    assert_has(text, "; REGION; INVALID <301>), ");
    assert_has(text, "; REGION; UNDEFINED), ");
    assert_has(text, "; INVALID <99>; 5)\nLEAVE ");
    text = printed(h, "format = json\n");
    assert_has(text, "\"region\":{\"id\":300,\"name\":\"r\"},\"attributes\":[{\"attribute\":{\"id\":");
    assert_has(text, ",\"type\":\"FLOAT\",\"value\":0.1},");
    assert_has(text, ",\"type\":\"REGION\",\"value\":{\"id\":301,\"name\":null}},");
    assert_has(text, ",\"type\":\"REGION\",\"value\":null},");
    assert_has(text, ",\"type\":99,\"value\":5}]}\n");
    tcfh_delete(h);
}

static void by_location(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 3, 1);
    uint32_t region = tcfh_region(h, "r");
    for (uint64_t i = 0; i < 3000; i++)
        tcfh_enter(h, (uint32_t)((i * i + i / 7) % 3), i, region);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *at = events(printed(h, "order = location\n"));
        unsigned long long location = 0, before = 0, id, time;
        unsigned n = 0;
        for (; sscanf(at, "ENTER %llu %llu", &id, &time) == 2; at = strchr(at, '\n') + 1, n++) {
            assert_true(id > location || (id == location && time > before));
            location = id;
            before = time;
        }
        assert_int_equal(n, 3000);
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strange_names), cmocka_unit_test(long_names),           cmocka_unit_test(numbers),
        cmocka_unit_test(times),         cmocka_unit_test(ranks_and_references), cmocka_unit_test(attributes),
        cmocka_unit_test(by_location),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
