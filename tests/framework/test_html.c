/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The data of HTML reports: values at the ends of their types, texts that want to break out, limits; and what becomes
 * of the file. The page itself is looked at by tests/framework/html/test_html.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/base/error.h"
#include "framework/results/html.h"
#include "framework/results/html_data.h"
#include "framework/results/report_tables.h"

static report *new_report(const char *instance)
{
    report_conf conf = {.output = "-"};
    report *r = report_new(instance, &conf);
    assert_non_null(r);
    return r;
}

/* The data of some reports of the chain; to be freed. */
static char *data_within(report *const *reports, size_t n, size_t rows, size_t bytes)
{
    results_part parts[4];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    for (size_t i = 0; i < n; i++)
        parts[i] = (results_part){.report = reports[i], .filter = "f"};
    if (html_data_write_within(out, &(results){.parts = parts, .n = n, .complete = 1}, rows, bytes) != TCF_OK)
        fail_msg("%s", error_text());
    fclose(out);
    assert_int_equal(strlen(text), size);
    return text;
}

static char *data(report *r)
{
    return data_within(&r, 1, HTML_ROWS, HTML_BYTES);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}

/* -------------------------------------------------------------------------------------------------------- values -- */

static void values(void **state)
{
    static const tcf_table_column columns[] = {
        {"text", TCF_CELL_TEXT, NULL, "help"},
        {"int", TCF_CELL_INT | TCF_CELL_DETAIL, "bytes", NULL},
        {"uint", TCF_CELL_UINT, NULL, ""},
        {"double", TCF_CELL_DOUBLE, "s", ""},
        {"double_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As double"},
        {"ticks", TCF_CELL_UINT, "ticks", "Not a detail"},
    };
    const uint64_t exact = (uint64_t)1 << 53;
    report *r = new_report("one");
    tcf_table *t = report_table(r, "t", "A title", columns, TCF_COUNT(columns));
    (void)state;
    report_row(t, (tcf_cell[]){{.text = "a"}, {.i = INT64_MIN}, {.u = exact}, {.d = 0.1}, {.u = 1}, {.u = 7}});
    report_row(t, (tcf_cell[]){{.text = NULL}, {.i = -5}, {.u = exact + 1}, {.d = NAN}, {.u = 1}, {.u = 8}});
    report_row(t, (tcf_cell[]){{.text = ""}, {.i = 0}, {.u = UINT64_MAX}, {.d = -INFINITY}, {.u = 1}, {.u = 9}});
    report_row(t, (tcf_cell[]){{.text = "a"}, {.i = INT64_MAX}, {.u = 0}, {.d = 1e-300}, {.u = 1}, {.u = 10}});
    char *text = data(r);
    assert_string_equal(
        text,
        "{\"version\":1,\"tables\":[\n"
        "{\"place\":\"chain\",\"instance\":\"one\",\"filter\":\"f\",\"name\":\"t\",\"title\":\"A title\","
        "\"n_rows\":4,\"columns\":["
        "{\"name\":\"text\",\"type\":\"text\",\"unit\":null,\"help\":\"help\",\"detail\":0,\"values\":[0,null,1,0]},\n"
        "{\"name\":\"int\",\"type\":\"int\",\"unit\":\"bytes\",\"help\":null,\"detail\":1,"
        "\"values\":[\"-9223372036854775808\",-5,0,\"9223372036854775807\"]},\n"
        "{\"name\":\"uint\",\"type\":\"uint\",\"unit\":null,\"help\":\"\",\"detail\":0,"
        "\"values\":[9007199254740992,\"9007199254740993\",\"18446744073709551615\",0]},\n"
        "{\"name\":\"double\",\"type\":\"double\",\"unit\":\"s\",\"help\":\"\",\"detail\":0,"
        "\"values\":[0.1,null,null,1e-300]},\n"
        "{\"name\":\"ticks\",\"type\":\"uint\",\"unit\":\"ticks\",\"help\":\"Not a detail\",\"detail\":0,"
        "\"values\":[7,8,9,10]}]}],\n"
        "\"texts\":[\n\"a\",\n\"\"]}\n");
    free(text);
    report_delete(r);
}

static void nothing(void **state)
{
    report *r = new_report("one");
    (void)state;
    char *text = data(r);
    assert_string_equal(text, "{\"version\":1,\"tables\":[\n],\n\"texts\":[]}\n");
    free(text);
    report_table(r, "empty", NULL, NULL, 0);
    text = data(r);
    has(text, "\"name\":\"empty\",\"title\":null,\"n_rows\":0,\"columns\":[]}");
    free(text);
    report_delete(r);
}

/* Texts of a trace may be anything; wherever they stand they stay texts. */
static void hostile(void **state)
{
    static const char *const texts[] = {"</script><script>alert(1)</script>",
                                        "<!--",
                                        "]]>",
                                        "&lt;",
                                        "\"}];//",
                                        "\\",
                                        "'",
                                        "\xe2\x80\xa8\xe2\x80\xa9",
                                        "\xff\xfe\xc3",
                                        "\xed\xa0\x80",
                                        "\x01\x1f\x7f\r\n\t",
                                        "\xf0\x9f\x98\x80",
                                        "${x}`"};
    for (size_t i = 0; i < TCF_COUNT(texts); i++) {
        const tcf_table_column column = {texts[i], TCF_CELL_TEXT, texts[i], texts[i]};
        report *r = new_report(texts[i]);
        report_row(report_table(r, texts[i], texts[i], &column, 1), (tcf_cell[]){{.text = texts[i]}});
        char *text = data(r);
        lacks(text, "<");
        lacks(text, ">");
        lacks(text, "&");
        lacks(text, "\xe2\x80\xa8");
        lacks(text, "\xe2\x80\xa9");
        lacks(text, "\xff");
        lacks(text, "\xed\xa0");
        for (const char *s = text; *s; s++)
            assert_true((unsigned char)*s >= 0x20 || *s == '\n');
        assert_int_not_equal(*text, '\0');
        free(text);
        report_delete(r);
    }
    (void)state;
    report *r = new_report("one");
    const tcf_table_column column = {"c", TCF_CELL_TEXT, NULL, NULL};
    report_row(report_table(r, "t", "t", &column, 1), (tcf_cell[]){{.text = "</script>\xe2\x80\xa8\xff\"\\"}});
    char *text = data(r);
    has(text, "\"\\u003c/script\\u003e\\u2028\\ufffd\\\"\\\\\"");
    free(text);
    report_delete(r);
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

/* Numbers of ten digits: some eleven bytes a row. */
static void fill(report *r, const char *name, size_t n)
{
    static const tcf_table_column column = {"c", TCF_CELL_UINT, NULL, NULL};
    tcf_table *t = report_table(r, name, name, &column, 1);
    for (size_t i = 0; i < n; i++)
        report_row(t, (tcf_cell[]){{.u = 1000000000 + i}});
}

static size_t values_in(const char *text, const char *table)
{
    char key[64];
    snprintf(key, sizeof key, "\"name\":\"%s\"", table);
    const char *at = strstr(text, key);
    assert_non_null(at);
    at = strstr(at, "\"values\":[") + strlen("\"values\":[");
    size_t n = *at != ']';
    for (; *at != ']'; at++)
        n += *at == ',';
    return n;
}

static void limits(void **state)
{
    report *r = new_report("one");
    (void)state;
    error_verbosity = TCF_LOG_ERROR;
    fill(r, "short", 10);
    fill(r, "long", 1000);
    fill(r, "longer", 5000);
    char *text = data_within(&r, 1, 2000, 1 << 20);
    assert_int_equal(values_in(text, "short"), 10);
    assert_int_equal(values_in(text, "long"), 1000);
    assert_int_equal(values_in(text, "longer"), 2000);
    has(text, "\"n_rows\":5000");
    free(text);

    /* 110 bytes for the short one, what is left for the others in equal parts. */
    text = data_within(&r, 1, 10000, 110 + 2 * 5500);
    assert_int_equal(values_in(text, "short"), 10);
    assert_in_range(values_in(text, "long"), 490, 500);
    assert_in_range(values_in(text, "longer"), 490, 500);
    assert_in_range(strlen(text), 11000, 12500);
    free(text);

    text = data_within(&r, 1, 10000, 0);
    assert_int_equal(values_in(text, "longer"), 0);
    free(text);
    report_delete(r);
}

/* What texts cost counts, each once. */
static void limits_of_texts(void **state)
{
    static const tcf_table_column column = {"c", TCF_CELL_TEXT, NULL, NULL};
    report *r = new_report("one");
    char text[1001];
    (void)state;
    error_verbosity = TCF_LOG_ERROR;
    tcf_table *same = report_table(r, "same", "same", &column, 1),
              *different = report_table(r, "different", "different", &column, 1);
    memset(text, 'x', 1000);
    text[1000] = '\0';
    for (int i = 0; i < 100; i++) {
        report_row(same, (tcf_cell[]){{.text = text}});
        snprintf(text + 900, 101, "%099d", i);
        report_row(different, (tcf_cell[]){{.text = text}});
        memset(text, 'x', 1000);
        text[1000] = '\0';
    }
    char *all = data_within(&r, 1, 1000, 20000);
    assert_int_equal(values_in(all, "same"), 100);
    assert_in_range(values_in(all, "different"), 10, 25);
    assert_in_range(strlen(all), 10000, 22000);
    free(all);
    report_delete(r);
}

/* A report that has lost a row for want of memory is no result. */
static void lost_rows(void **state)
{
    report *r = new_report("one");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    fill(r, "t", 3);
    r->out_of_memory = 1;
    results_part part = {.report = r, .filter = "f"};
    assert_int_equal(html_data_write(out, &(results){.parts = &part, .n = 1, .complete = 1}), TCF_ERROR);
    assert_non_null(strstr(error_text(), "out of memory for the results of `one`"));
    fclose(out);
    free(text);
    report_delete(r);
}

/* ---------------------------------------------------------------------------------------------------------- file -- */

static void file(void **state)
{
    char folder[] = "/tmp/tcflow-html.XXXXXX", path[64], incomplete[80], start[32] = "";
    (void)state;
    if (!html_d3_version()) {
        assert_int_equal(results_file_check(&html_file, "x.html", 0), TCF_ERROR);
        assert_non_null(strstr(error_text(), "built without D3"));
        return;
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.html", folder);
    snprintf(incomplete, sizeof incomplete, "%s.incomplete", path);
    report *r = new_report("one");
    fill(r, "t", 3);
    results_part part = {.report = r, .filter = "f"};
    results complete = {.parts = &part, .n = 1, .complete = 1}, half = {.parts = &part, .n = 1, .complete = 0};

    assert_int_equal(results_file_write(&html_file, path, 0, &half), TCF_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(incomplete, F_OK), 0);
    assert_int_equal(results_file_write(&html_file, path, 0, &complete), TCF_OK);
    assert_int_equal(unlink(incomplete), 0);
    assert_int_equal(results_file_check(&html_file, path, 0), TCF_ERROR);
    assert_int_equal(results_file_check(&html_file, path, 1), TCF_OK);
    assert_int_equal(results_file_write(&html_file, path, 0, &complete), TCF_ERROR);
    assert_non_null(strstr(error_text(), "exists already; the results are in"));
    assert_int_equal(unlink(incomplete), 0);
    assert_int_equal(results_file_write(&html_file, path, 1, &complete), TCF_OK);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(start, sizeof start, in));
    assert_string_equal(start, "<!DOCTYPE html>\n");
    fclose(in);
    in = fopen(path, "w");
    fputs("<!DOCTYPE html>\nsomething else, of about the same length", in);
    fclose(in);
    assert_int_equal(results_file_check(&html_file, path, 1), TCF_ERROR);
    assert_non_null(strstr(error_text(), "is no HTML report of tcflow, so it is not replaced"));
    report_delete(r);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values), cmocka_unit_test(nothing),         cmocka_unit_test(hostile),
        cmocka_unit_test(limits), cmocka_unit_test(limits_of_texts), cmocka_unit_test(lost_rows),
        cmocka_unit_test(file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
