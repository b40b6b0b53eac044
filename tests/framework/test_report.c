/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables as text, CSV and JSON, and the manners of the files that they go to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/base/error.h"
#include "framework/base/json.h"
#include "framework/base/terminal.h"
#include "framework/results/report.h"
#include "framework/settings/settings.h"

enum { TEXT, CSV, JSON };

static char folder[64], output[96], incomplete[112];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tcflow-report.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/out", folder);
    snprintf(incomplete, sizeof incomplete, "%s.incomplete", output);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(output);
    unlink(incomplete);
    return rmdir(folder);
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static const char *content(const char *path)
{
    static char text[1 << 20];
    FILE *f = fopen(path, "r");
    if (!f)
        return "(missing)";
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static const tcf_table_column columns[] = {
    {"region", TCF_CELL_TEXT, NULL, "its name"},
    {"visits", TCF_CELL_UINT, NULL, "how often"},
    {"change", TCF_CELL_INT, "bytes", "by how much"},
    {"time", TCF_CELL_DOUBLE, "s", "how long"},
};

static void fill(report *r, const char *name)
{
    tcf_table *t = report_table(r, name, "A title", columns, 4);
    char region[32] = "main";
    assert_non_null(t);
    report_row(t, (tcf_cell[]){{.text = region}, {.u = 1}, {.i = -5}, {.d = 0.1}});
    memset(region, 'x', 4); /* rows are copied */
    report_row(t, (tcf_cell[]){{.text = "MPI_Send, \"x\""}, {.u = UINT64_MAX}, {.i = INT64_MIN}, {.d = NAN}});
    report_row(t, (tcf_cell[]){{.text = NULL}, {.u = 0}, {.i = 0}, {.d = 1.0 / 3}});
    report_row(t, (tcf_cell[]){{.text = "\xc3\xa4\xff\n"}, {.u = 7}, {.i = 7}, {.d = INFINITY}});
}

static tcf_status write_report(int format, int tables, int overwrite)
{
    report_conf conf = {output, format, overwrite};
    report *r = report_new("profile", &conf);
    assert_non_null(r);
    fill(r, "flat");
    if (tables > 1)
        fill(r, "tree");
    tcf_status status = report_finish(r);
    report_delete(r);
    return status;
}

static void text(void **state)
{
    (void)state;
    unlink(output);
    assert_int_equal(write_report(TEXT, 1, 0), TCF_OK);
    assert_string_equal(content(output),
                        "A title\n"
                        "\n"
                        "region                       visits        change [bytes]     time [s]\n"
                        "main                              1                    -5          0.1\n"
                        "MPI_Send, \"x\"  18446744073709551615  -9223372036854775808            -\n"
                        "-                                 0                     0  0.333333333\n"
                        "\xc3\xa4??                               7                     7          inf\n");
}

/* Details are for programs: text goes without, also where they stand last; CSV and JSON have them. */
static void details(void **state)
{
    static const tcf_table_column with_details[] = {
        {"exact", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "a detail"},
        {"name", TCF_CELL_TEXT, NULL, "not a detail"},
        {"time", TCF_CELL_DOUBLE, "s", "not a detail"},
        {"long_name", TCF_CELL_TEXT | TCF_CELL_DETAIL, NULL, "a detail"},
    };
    static const char *const expected[] = {"name  time [s]\nmain       0.5\n",
                                           "exact [ticks],name,time [s],long_name\r\n-7,main,0.5,main()\r\n"};
    (void)state;
    for (int format = TEXT; format <= JSON; format++) {
        report_conf conf = {output, format, 1};
        report *r = report_new("profile", &conf);
        tcf_table *t = report_table(r, "details", "", with_details, 4);
        report_row(t, (tcf_cell[]){{.i = -7}, {.text = "main"}, {.d = 0.5}, {.text = "main()"}});
        assert_int_equal(report_finish(r), TCF_OK);
        report_delete(r);
        if (format != JSON)
            assert_string_equal(content(output), expected[format]);
    }
    assert_non_null(strstr(content(output), "{\"name\": \"exact\", \"type\": \"int\", \"unit\": \"ticks\""));
    assert_non_null(strstr(content(output), "\"exact\": -7"));
    assert_non_null(strstr(content(output), "\"long_name\": \"main()\""));
}

/* A whole number that is missing is no number. */
static void optional(void **state)
{
    static const tcf_table_column lines[] = {{"line", TCF_CELL_UINT | TCF_CELL_OPTIONAL, NULL, "of a file"},
                                             {"visits", TCF_CELL_UINT, NULL, "of a call"}};
    static const char *const expected[] =
        {"line                visits\n   7                     8\n   -  18446744073709551615\n",
         "line,visits\r\n7,8\r\n,18446744073709551615\r\n"};
    (void)state;
    for (int format = TEXT; format <= JSON; format++) {
        report_conf conf = {output, format, 1};
        report *r = report_new("ppg", &conf);
        tcf_table *t = report_table(r, "vertices", "", lines, 2);
        report_row(t, (tcf_cell[]){{.u = 7}, {.u = 8}});
        report_row(t, (tcf_cell[]){{.u = UINT64_MAX}, {.u = UINT64_MAX}});
        assert_int_equal(report_finish(r), TCF_OK);
        report_delete(r);
        if (format != JSON)
            assert_string_equal(content(output), expected[format]);
    }
    assert_non_null(strstr(content(output), "{\"line\": null, \"visits\": 18446744073709551615}"));
}

static void csv(void **state)
{
    (void)state;
    unlink(output);
    assert_int_equal(write_report(CSV, 1, 0), TCF_OK);
    assert_string_equal(content(output), "region,visits,change [bytes],time [s]\r\n"
                                         "main,1,-5,0.1\r\n"
                                         "\"MPI_Send, \"\"x\"\"\",18446744073709551615,-9223372036854775808,\r\n"
                                         ",0,0,0.3333333333333333\r\n"
                                         "\"\xc3\xa4\xff\n\",7,7,\r\n");
    assert_int_equal(write_report(CSV, 2, 1), TCF_OK);
    assert_true(strstr(content(output), "table,region,visits") == content(output));
    assert_true(strstr(content(output), "\ntable,region,visits") != NULL);
    assert_true(strstr(content(output), "\nflat,main,1,-5,0.1\r\n") != NULL);
    assert_true(strstr(content(output), "\ntree,main,1,-5,0.1\r\n") != NULL);
}

/* ------------------------------------------------------------------------------ JSON: a strict reader of our own -- */

static const char *blank(const char *s)
{
    return s + strspn(s, " \n");
}

static const char *json_value(const char *s);

static const char *json_text(const char *s)
{
    if (*s++ != '"')
        return NULL;
    while (*s && *s != '"') {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20)
            return NULL;
        if (c == '\\') {
            s++;
            if (*s == 'u' && strspn(s + 1, "0123456789abcdef") >= 4)
                s += 5;
            else if (*s && strchr("\"\\/bfnrt", *s))
                s++;
            else
                return NULL;
        } else if (c >= 0x80) { /* what follows must be UTF-8; two and three bytes will do here */
            int more = c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : -1;
            if (more < 0)
                return NULL;
            for (s++; more > 0; more--)
                if (((unsigned char)*s++ & 0xc0) != 0x80)
                    return NULL;
        } else {
            s++;
        }
    }
    return *s == '"' ? s + 1 : NULL;
}

static const char *json_members(const char *s, char close)
{
    s = blank(s + 1);
    if (*s == close)
        return s + 1;
    for (;;) {
        if (close == '}') {
            if (!(s = json_text(s)) || *(s = blank(s)) != ':')
                return NULL;
            s++;
        }
        if (!(s = json_value(s)))
            return NULL;
        s = blank(s);
        if (*s == close)
            return s + 1;
        if (*s++ != ',')
            return NULL;
        s = blank(s);
    }
}

static const char *json_value(const char *s)
{
    char *end;
    s = blank(s);
    if (*s == '{')
        return json_members(s, '}');
    if (*s == '[')
        return json_members(s, ']');
    if (*s == '"')
        return json_text(s);
    if (strncmp(s, "null", 4) == 0)
        return s + 4;
    if (*s != '-' && (*s < '0' || *s > '9'))
        return NULL;
    strtod(s, &end);
    return end == s ? NULL : end;
}

static int is_json(const char *s)
{
    const char *end = json_value(s);
    return end && !*blank(end);
}

static void json(void **state)
{
    (void)state;
    assert_true(is_json("{\"a\": [1, -2.5e3, null, \"\\u00ff\"], \"b\": {}}"));
    assert_false(is_json("{\"a\": 1,}"));
    assert_false(is_json("[nan]"));
    for (int tables = 1; tables <= 2; tables++) {
        assert_int_equal(write_report(JSON, tables, 1), TCF_OK);
        if (!is_json(content(output)))
            fail_msg("is no JSON: %s", content(output));
    }
    const char *all = content(output);
    assert_true(strstr(all, "{\"name\": \"time\", \"type\": \"double\", \"unit\": \"s\", \"help\": \"how long\"}") !=
                NULL);
    assert_true(strstr(all, "{\"region\": \"main\", \"visits\": 1, \"change\": -5, \"time\": 0.1}") != NULL);
    assert_true(strstr(all, "{\"region\": null, \"visits\": 0, \"change\": 0, \"time\": 0.3333333333333333}") != NULL);
    assert_true(strstr(all, "{\"region\": \"\xc3\xa4\\ufffd\\u000a\", \"visits\": 7, \"change\": 7, \"time\": null}") !=
                NULL);
    assert_true(strstr(all, "\"tree\": {") != NULL);
}

/* As many digits as it takes: those of %.15g to %.17g, of which the first are read as the same number again. */
static void doubles(void **state)
{
    const double edges[] = {0,   -0.0,    1e15, 999999999999999, -999999999999999, 1e15 + 1, -1e300, 5e-324,
                            0.1, 1.0 / 3, -7,   INFINITY};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        char expected[32], written[32];
        double value = i < (int)TCF_COUNT(edges) ? edges[i] : ldexp((double)(rand() - RAND_MAX / 2), rand() % 80 - 40);
        if (i >= 1000)
            value = trunc(value);
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(expected, sizeof expected, "%.*g", digits, value);
            if (strtod(expected, NULL) == value)
                break;
        }
        shortest_double(written, value);
        assert_string_equal(written, expected);
    }
}

static void json_of_any_bytes(void **state)
{
    char bytes[24], *written = NULL;
    unsigned seed = 3;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t n = 0, size = 0;
        for (; n < sizeof bytes - 1; n++)
            bytes[n] = (char)((seed = seed * 1103515245u + 12345u) >> 16);
        bytes[n] = '\0';
        for (size_t k = 0; k < n; k++)
            if ((unsigned char)bytes[k] >= 0xf0) /* the reader above is that simple */
                bytes[k] = (char)(bytes[k] & 0x4f);
        FILE *out = open_memstream(&written, &size);
        json_string(out, bytes);
        fclose(out);
        assert_true(is_json(written));
        free(written);
    }
    static const char *const utf8[][2] = {{"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
                                          {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
                                          {"\xc0\x80", "\"\\ufffd\\ufffd\""},
                                          {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
                                          {"\xe2\x82", "\"\\ufffd\\ufffd\""},
                                          {"a\x7f\\\"", "\"a\\u007f\\\\\\\"\""}};
    for (size_t i = 0; i < sizeof utf8 / sizeof *utf8; i++) {
        size_t size = 0;
        FILE *out = open_memstream(&written, &size);
        json_string(out, utf8[i][0]);
        fclose(out);
        assert_string_equal(written, utf8[i][1]);
        free(written);
    }
}

static void empty_tables(void **state)
{
    (void)state;
    for (int format = TEXT; format <= JSON; format++) {
        report_conf conf = {output, format, 1};
        report *r = report_new("x", &conf);
        report_table(r, "none", NULL, columns, 4);
        report_table(r, "narrow", "t", columns, 0);
        assert_int_equal(report_finish(r), TCF_OK);
        if (format == JSON)
            assert_true(is_json(content(output)));
        report_delete(r);
        r = report_new("x", &conf);
        assert_int_equal(report_finish(r), TCF_OK);
        if (format == JSON)
            assert_true(is_json(content(output)));
        report_delete(r);
    }
}

static void many_rows(void **state)
{
    report_conf conf = {output, CSV, 1};
    report *r = report_new("x", &conf);
    tcf_table *t = report_table(r, "many", "t", columns + 1, 1);
    size_t lines = 0;
    (void)state;
    for (uint64_t i = 0; i < 50000; i++)
        report_row(t, &(tcf_cell){.u = i});
    assert_int_equal(report_finish(r), TCF_OK);
    for (const char *s = content(output); (s = strstr(s, "\r\n")); s += 2)
        lines++;
    assert_int_equal(lines, 50001);
    report_delete(r);
}

/* --------------------------------------------------------------------------------------------------------- files -- */

static void existing_files(void **state)
{
    report_conf conf = {output, TEXT, 0};
    struct stat st;
    (void)state;
    unlink(output);
    assert_int_equal(report_check(&conf), TCF_OK);
    assert_false(exists(output)); /* a check writes nothing */
    assert_int_equal(write_report(TEXT, 1, 0), TCF_OK);
    assert_false(exists(incomplete));
    assert_int_equal(report_check(&conf), TCF_ERROR);
    assert_true(error_is_usage());
    assert_true(strstr(error_text(), "exists already; 'overwrite = yes' allows to replace it") != NULL);
    conf.overwrite = 1;
    assert_int_equal(report_check(&conf), TCF_OK);
    assert_int_equal(write_report(CSV, 1, 1), TCF_OK);
    assert_true(strncmp(content(output), "region,", 7) == 0);

    /* What came into being after the check is not replaced, and the results aren't lost. */
    FILE *f = fopen(output, "w");
    fputs("precious", f);
    fclose(f);
    assert_int_equal(write_report(TEXT, 1, 0), TCF_ERROR);
    assert_string_equal(content(output), "precious");
    assert_true(strncmp(content(incomplete), "A title", 7) == 0);
    unlink(incomplete);
    unlink(output);

    assert_int_equal(symlink("nowhere", output), 0);
    conf.overwrite = 0;
    assert_int_equal(report_check(&conf), TCF_ERROR);
    unlink(output);

    /* What is no regular file is written to as it is. */
    assert_int_equal(stat("/dev/null", &st), 0);
    conf = (report_conf){"/dev/null", TEXT, 0};
    assert_int_equal(report_check(&conf), TCF_OK);
    report *r = report_new("x", &conf);
    fill(r, "flat");
    assert_int_equal(report_finish(r), TCF_OK);
    report_delete(r);
    assert_false(exists("/dev/null.incomplete"));
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

static void impossible_files(void **state)
{
    char path[5000];
    report_conf conf = {folder, TEXT, 1};
    (void)state;
    assert_int_equal(report_check(&conf), TCF_ERROR);
    assert_true(strstr(error_text(), "is a folder") != NULL);
    snprintf(path, sizeof path, "%s/none/out", folder);
    conf.output = path;
    assert_int_equal(report_check(&conf), TCF_ERROR);
    assert_true(strstr(error_text(), "cannot be created: No such file") != NULL);
    report *r = report_new("x", &conf);
    assert_int_equal(report_finish(r), TCF_ERROR);
    assert_true(strstr(error_text(), "cannot create") != NULL);
    report_delete(r);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(report_check(&conf), TCF_ERROR);
    assert_true(strstr(error_text(), "File name too long") != NULL);
    conf.output = "/dev/full";
    r = report_new("x", &conf);
    fill(r, "flat");
    assert_int_equal(report_finish(r), TCF_ERROR);
    assert_true(strstr(error_text(), "No space left on device") != NULL);
    report_delete(r);
    conf.output = "-";
    assert_int_equal(report_check(&conf), TCF_OK);
    conf.output = NULL;
    assert_int_equal(report_check(&conf), TCF_OK);
}

static void interrupted_reports(void **state)
{
    static const int formats[] = {TEXT, CSV, JSON};
    volatile sig_atomic_t interrupted = 0;

    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        report_conf conf = {output, formats[i], 0};
        report *r = report_new("x", &conf);
        report_heed(r, &interrupted);
        unlink(output);
        fill(r, "flat");
        assert_int_equal(report_is_whole(r), TCF_OK);
        interrupted = 1;
        assert_int_equal(report_finish(r), TCF_ERROR);
        assert_non_null(strstr(error_text(), "interrupted"));
        assert_false(exists(output));
        interrupted = 0;
        report_delete(r);
    }
}

/* What a report writes to standard output; the report is gone then. */
static const char *on_standard_output(report *r)
{
    int saved;

    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    assert_non_null(freopen(output, "w", stdout));
    tcf_status status = report_finish(r);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    report_delete(r);
    assert_int_equal(status, TCF_OK);
    return content(output);
}

static void standard_output(void **state)
{
    report_conf conf = {"-", CSV, 0};
    report *r = report_new("x", &conf);
    (void)state;
    fill(r, "flat");
    report_on_screen(r, &(report_screen){.rows = 1}, "heading"); /* for text alone */
    const char *written = on_standard_output(r);
    assert_true(strncmp(written, "region,", 7) == 0);
    assert_non_null(strstr(written, "main"));
    assert_non_null(strstr(written, "MPI_Send"));
}

/* Rows as structs: each kind of member, ticks and times in seconds, and what is not there. */
static void rows_of_structs(void **state)
{
    struct row {
        const char *name;
        double amount;
        int change;
        int64_t largest;
        uint8_t small;
        uint32_t middle;
        uint64_t ticks, time;
        double wait;
    };
#define AT(member) TCF_AT(struct row, member)
    static const tcf_table_column described[] = {
        {"name", AT(name), NULL, NULL},
        {"amount", AT(amount), NULL, NULL},
        {"change", AT(change), NULL, NULL},
        {"largest", AT(largest), NULL, NULL},
        {"small", AT(small), NULL, NULL},
        {"middle", AT(middle), NULL, NULL},
        {"ticks", AT(ticks) | TCF_CELL_DETAIL, "ticks", NULL},
        {"seconds", AT(ticks) | TCF_CELL_SECONDS, "s", NULL},
        {"when", AT(time) | TCF_CELL_WHEN | TCF_CELL_LEADS, "s", NULL},
        {"earlier", AT(change) | TCF_CELL_SECONDS, "s", NULL},
        {"wait", AT(wait) | TCF_CELL_SECONDS, "s", NULL},
    };
#undef AT
    char name[] = "main";
    struct row rows[] = {{name, 0.5, -4, INT64_MIN, 255, UINT32_MAX, 3000, 1500, 2},
                         {NULL, NAN, 0, 1, 0, 0, UINT64_MAX, 500, INFINITY}};
    const tcf_clock clock = {.resolution = 1000, .global_offset = 1000};
    report_conf conf = {"-", CSV, 0};
    report *r = report_new("x", &conf);
    (void)state;
    report_clock(r, &clock);
    tcf_table *t = report_table(r, "t", "t", described, TCF_COUNT(described));
    report_rows(t, rows, 2, sizeof *rows);
    report_rows(t, rows, 0, sizeof *rows);
    report_rows(NULL, rows, 2, sizeof *rows);
    memset(name, 'x', 4); /* rows are copied */
    assert_string_equal(
        on_standard_output(r),
        "name,amount,change,largest,small,middle,ticks [ticks],seconds [s],when [s],earlier [s],wait [s]\r\n"
        "main,0.5,-4,-9223372036854775808,255,4294967295,3000,3,0.5,-0.004,0.002\r\n"
        ",,0,1,0,0,18446744073709551615,1.844674407370955e+16,-0.5,0,\r\n");
}

static report *numbers(const char *path, const tcf_table_column *leading, const double *value, size_t n)
{
    report_conf conf = {path, TEXT, 1};
    report *r = report_new("sums", &conf);
    tcf_table *t = report_table(r, "t", "Numbers", (tcf_table_column[]){{"n", TCF_CELL_UINT, NULL, NULL}, *leading}, 2);

    for (size_t i = 0; i < n; i++) {
        tcf_cell cell = tcf_double(value[i]);
        if (((int)leading->type & 15) == TCF_CELL_INT)
            cell = tcf_int((int64_t)value[i]);
        report_row(t, (tcf_cell[]){tcf_uint(i), cell});
    }
    return r;
}

/* Long tables are cut on standard output, and nowhere else: the largest amounts are left, in the table's order. */
static void long_tables(void **state)
{
    static const double value[] = {1, NAN, -7, 3, 3, 5, -0.5}, nothing[] = {NAN, NAN, NAN};
    const tcf_table_column leads = {"error", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", NULL},
                           whole = {"moved", TCF_CELL_INT | TCF_CELL_LEADS, NULL, NULL},
                           none = {"error", TCF_CELL_DOUBLE, "s", NULL};
    (void)state;

    report *r = numbers("-", &leads, value, 7);
    report_on_screen(r, &(report_screen){.rows = 3}, "a heading");
    assert_string_equal(on_standard_output(r), "a heading\n\nNumbers\n\nn  error [s]\n2         -7\n3          3\n"
                                               "5          5\n(3 of 7 rows, the top ones by error [s]; all of them: "
                                               "-o pipeline.rows=0, or -o sums.output=FILE)\n");
    r = numbers("-", &leads, value, 7);
    report_on_screen(r, &(report_screen){.rows = 6}, NULL); /* what has no number goes first */
    assert_string_equal(on_standard_output(r), "Numbers\n\nn  error [s]\n0          1\n2         -7\n3          3\n"
                                               "4          3\n5          5\n6       -0.5\n"
                                               "(6 of 7 rows, the top ones by error [s]; all of them: -o "
                                               "pipeline.rows=0, or -o sums.output=FILE)\n");
    r = numbers("-", &whole, (double[]){1, -9, 4}, 3);
    report_on_screen(r, &(report_screen){.rows = 1}, NULL);
    assert_non_null(strstr(on_standard_output(r), "\n1     -9\n(1 of 3 rows, the top ones by moved; "));
    for (int k = 0; k < 2; k++) { /* nothing leads, or it has no numbers */
        r = k ? numbers("-", &none, value, 3) : numbers("-", &leads, nothing, 3);
        report_on_screen(r, &(report_screen){.rows = 2}, NULL);
        assert_non_null(strstr(on_standard_output(r), k ? "\n0          1\n1          -\n(the first 2 of 3 rows; all"
                                                        : "\n0          -\n1          -\n(the first 2 of 3 rows; all"));
    }
    for (size_t rows = 0; rows <= 8; rows += rows ? 1 : 7) { /* all of them */
        r = numbers("-", &leads, value, 7);
        report_on_screen(r, &(report_screen){.rows = rows}, NULL);
        assert_null(strstr(on_standard_output(r), " rows"));
    }
    r = numbers(output, &leads, value, 7);
    report_on_screen(r, &(report_screen){.rows = 1}, "a heading");
    assert_int_equal(report_finish(r), TCF_OK);
    report_delete(r);
    assert_true(strncmp(content(output), "Numbers\n", 8) == 0);
    assert_null(strstr(content(output), " rows"));
}

/* A table that has all kinds of columns, on a terminal of `width` letters. */
static const char *brief(const tcf_table_column *described, uint32_t n_described, const tcf_cell *cells, size_t n_rows,
                         report_screen screen)
{
    report_conf conf = {"-", TEXT, 1};
    report *r = report_new("sums", &conf);
    tcf_table *t = report_table(r, "t", "Amounts", described, n_described);

    screen.brief = 1;
    for (size_t i = 0; i < n_rows; i++)
        report_row(t, cells + i * n_described);
    report_on_screen(r, &screen, NULL);
    return on_standard_output(r);
}

static void brief_tables(void **state)
{
    static const char everything[] = "\n(everything: -o pipeline.text=exact -o pipeline.rows=0)\n";
    static const tcf_table_column kinds[] = {{"place", TCF_CELL_UINT, NULL, NULL},
                                             {"time", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", NULL},
                                             {"share", TCF_CELL_DOUBLE, "%", NULL},
                                             {"sent", TCF_CELL_UINT, "bytes", NULL},
                                             {"put", TCF_CELL_UINT, "bytes", NULL},
                                             {"begin", TCF_CELL_WHEN, "s", NULL},
                                             {"exact", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", NULL},
                                             {"call_path", TCF_CELL_TEXT, NULL, NULL},
                                             {"meaning", TCF_CELL_TEXT, NULL, NULL}};
#define ROW(place, time, share, sent, begin, path)                                                                     \
    tcf_uint(place), tcf_double(time), tcf_double(share), tcf_uint(sent), tcf_uint(0), tcf_double(begin), tcf_uint(9), \
        tcf_text(path), tcf_text("so")
    static const char path[] = "main/solve/exchange/boundary/of/the/domain/MPI_Waitall";
    const tcf_cell cells[] = {ROW(0, 0.0000656, 63.894, 2880, 1.5, path), ROW(1, 0, 0, 0, 2, "idle"),
                              ROW(2, 12.3456, 0.0001, 999, 0.000001, ""), ROW(3, 0.99999, 100, 3u << 20, 4, "x")};
    char expected[2048];
    (void)state;

    /* Names first, three digits, scaled units; without details, rows of zeros and columns of zeros. */
    snprintf(
        expected, sizeof expected,
        "Amounts\n\n"
        "place  call_path                                                  time  share [%%]      sent  begin [s]  "
        "meaning\n"
        "    0  %s  65.6 us       63.9  2.81 KiB   1.500000  so\n"
        "    2  (outside of any call)                                    12.3 s     < 0.01     999 B   0.000001  so\n"
        "    3  x                                                        1.00 s        100  3.00 MiB   4.000000  so\n"
        "(1 row of zeros; zero everywhere: put)\n%s",
        path, everything);
    assert_string_equal(brief(kinds, TCF_COUNT(kinds), cells, 4, (report_screen){0}), expected);
    /* A long path loses its middle, from a name on. */
    const char *cut = brief(kinds, TCF_COUNT(kinds), cells, 4, (report_screen){.width = 84});
    assert_non_null(strstr(cut, "\n    0  main/solve/ex../MPI_Waitall  65.6 us       63.9  2.81 KiB   1.500000  so\n"));
    /* Columns that do not fit go from the right; the first amount stays. */
    const char *narrow = brief(kinds, TCF_COUNT(kinds), cells, 4, (report_screen){.width = 50});
    assert_non_null(strstr(narrow, "room"));
    assert_non_null(strstr(narrow, "  time"));
    for (const char *line = narrow; (line = strstr(line, "\n    ")); line++)
        assert_true(strcspn(line + 1, "\n") <= 50);
    /* Few rows, those with the largest amounts in the table's order; zeros do not count. */
    snprintf(expected, sizeof expected, "(2 of 3 rows, the top ones by time; 1 row of zeros; zero everywhere: put)\n%s",
             everything);
    const char *few = brief(kinds, TCF_COUNT(kinds), cells, 4, (report_screen){.rows = 2});
    assert_non_null(strstr(few, expected));
    /* Colours; nothing but zeros; nothing at all. */
    assert_non_null(strstr(brief(kinds, TCF_COUNT(kinds), cells, 4, (report_screen){.colour = 1}),
                           "\033[1mAmounts\033[0m\n\n\033[4mplace"));
    snprintf(expected, sizeof expected, "Amounts\n\n(1 row of zeros)\n%s", everything);
    assert_string_equal(brief(kinds, TCF_COUNT(kinds), cells + 9, 1, (report_screen){0}), expected);
    assert_string_equal(brief(kinds, TCF_COUNT(kinds), cells, 0, (report_screen){0}), "Amounts\n\n(nothing)\n");
#undef ROW
}

/* Lines break at blanks, but a number keeps its unit. */
static void wrapped(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    terminal_put_wrapped(out, "balance 43 %, serialisation 68 %, in the 192 ms (of 4 s).", 32, 2);
    fclose(out);
    assert_string_equal(text, "balance 43 %, serialisation\n  68 %, in the 192 ms (of 4 s).");
    free(text);
}

static void parameters(void **state)
{
    report_conf conf;
    string_store *storage = NULL;
    (void)state;
    assert_int_equal(params_check(&report_params, sizeof conf, NULL), TCF_OK);
    assert_int_equal(settings_parse(&report_params, &conf, NULL, NULL, NULL, &storage), TCF_OK);
    assert_string_equal(conf.output, "-");
    assert_int_equal(conf.format, TEXT);
    assert_int_equal(conf.overwrite, 0);
    store_free(storage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),
        cmocka_unit_test(optional),
        cmocka_unit_test(details),
        cmocka_unit_test(csv),
        cmocka_unit_test(json),
        cmocka_unit_test(doubles),
        cmocka_unit_test(json_of_any_bytes),
        cmocka_unit_test(empty_tables),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(existing_files),
        cmocka_unit_test(impossible_files),
        cmocka_unit_test(interrupted_reports),
        cmocka_unit_test(standard_output),
        cmocka_unit_test(rows_of_structs),
        cmocka_unit_test(long_tables),
        cmocka_unit_test(brief_tables),
        cmocka_unit_test(wrapped),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests_name("report", tests, set_up, tear_down);
}
