/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Databases of results: values at the ends of their types, names that SQLite takes for the same or for its own, and
 * what is not written. What a whole run writes is compared with its JSON by test_database_run.sh. */
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
#include "framework/results/database.h"
#include "framework/results/report.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

static char folder[64], path[96], incomplete[112];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tcflow-database.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/out.sqlite", folder);
    snprintf(incomplete, sizeof incomplete, "%s.incomplete", path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(incomplete);
    return rmdir(folder);
}

static report *new_report(const char *instance)
{
    report_conf conf = {.output = "-"};
    report *r = report_new(instance, &conf);
    assert_non_null(r);
    return r;
}

static void write_all(report *const *reports, size_t n)
{
    results_part parts[8];
    unlink(path);
    for (size_t i = 0; i < n; i++)
        parts[i] = (results_part){.report = reports[i], .filter = "f", .survey = i == 0};
    if (results_file_write(&database_file, path, 0, &(results){.parts = parts, .n = n, .complete = 1}, NULL) != TCF_OK)
        fail_msg("%s", error_text());
    assert_int_not_equal(access(incomplete, F_OK), 0);
    for (size_t i = 0; i < n; i++)
        report_delete(reports[i]);
}

/* All rows of the answer as text: values with their storage class, `|` between them, a line a row. */
static const char *answer(const char *question)
{
    static char text[8192];
    sqlite3 *db;
    sqlite3_stmt *s;
    size_t at = 0;
    int code;

    text[0] = '\0';
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, question, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", question, sqlite3_errmsg(db));
    while ((code = sqlite3_step(s)) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            static const char kind[] = "?IRTBN";
            const unsigned char *value = sqlite3_column_text(s, i);
            at += (size_t)snprintf(text + at, sizeof text - at, "%c%s%s", kind[sqlite3_column_type(s, i)],
                                   value ? (const char *)value : "", i + 1 < sqlite3_column_count(s) ? "|" : "\n");
        }
    assert_int_equal(code, SQLITE_DONE);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return text;
}

static void values(void **state)
{
    static const tcf_table_column columns[] = {
        {"text", TCF_CELL_TEXT, NULL, "help"}, {"int", TCF_CELL_INT | TCF_CELL_DETAIL, "bytes", NULL},
        {"small", TCF_CELL_UINT, NULL, ""},    {"large", TCF_CELL_UINT, NULL, ""},
        {"double", TCF_CELL_DOUBLE, "s", ""},
    };
    report *r = new_report("one");
    tcf_table *t = report_table(r, "t", "A title", columns, 5);
    (void)state;
    report_row(t, (tcf_cell[]){{.text = "a"}, {.i = INT64_MIN}, {.u = INT64_MAX}, {.u = UINT64_MAX}, {.d = 0.1}});
    report_row(t, (tcf_cell[]){{.text = NULL}, {.i = INT64_MAX}, {.u = 0}, {.u = 7}, {.d = NAN}});
    report_row(t, (tcf_cell[]){{.text = ""}, {.i = 0}, {.u = 1}, {.u = (uint64_t)INT64_MAX + 1}, {.d = -INFINITY}});
    report_row(t, (tcf_cell[]){{.text = "\xc3\xa4\xff\n\x01"}, {.i = -1}, {.u = 2}, {.u = 0}, {.d = 5}});
    report_row(t, (tcf_cell[]){{.text = "0012"}, {.i = -1}, {.u = 2}, {.u = 0}, {.d = 0.25}});
    write_all(&r, 1);
    assert_string_equal(answer("SELECT text, int, small, large, quote(double) FROM one_t ORDER BY rowid"),
                        "Ta|I-9223372036854775808|I9223372036854775807|T18446744073709551615|T0.1\n"
                        "N|I9223372036854775807|I0|T7|TNULL\n"
                        "T|I0|I1|T9223372036854775808|TNULL\n"
                        "T\xc3\xa4\xef\xbf\xbd\n\x01|I-1|I2|T0|T5.0\n"
                        "T0012|I-1|I2|T0|T0.25\n");
    assert_string_equal(answer("SELECT typeof(double) FROM one_t LIMIT 1 OFFSET 3"), "Treal\n");
    assert_string_equal(answer("SELECT sql_table, place, instance, filter, name, title, n_rows FROM tables"),
                        "Tone_t|Tsurvey|Tone|Tf|Tt|TA title|I5\n");
    assert_string_equal(answer("SELECT position, sql_column, name, type, stored, unit, help, detail FROM columns"),
                        "I1|Ttext|Ttext|Ttext|TTEXT|N|Thelp|I0\n"
                        "I2|Tint|Tint|Tint|TINTEGER|Tbytes|N|I1\n"
                        "I3|Tsmall|Tsmall|Tuint|TINTEGER|N|T|I0\n"
                        "I4|Tlarge|Tlarge|Tuint|TTEXT|N|T|I0\n"
                        "I5|Tdouble|Tdouble|Tdouble|TREAL|Ts|T|I0\n");
    assert_string_equal(answer("PRAGMA application_id"), "I1952671340\n");
    assert_string_equal(answer("PRAGMA integrity_check"), "Tok\n");
}

static void odd_names(void **state)
{
    static const tcf_table_column odd[] = {
        {"select", TCF_CELL_UINT, NULL, ""},
        {"it's \"quoted\"; --", TCF_CELL_UINT, NULL, ""},
        {"a", TCF_CELL_UINT, NULL, ""},
        {"A", TCF_CELL_UINT, NULL, ""},
        {"a_2", TCF_CELL_UINT, NULL, ""},
        {"", TCF_CELL_UINT, NULL, ""},
        {"\xc3\xa4\xff", TCF_CELL_UINT, NULL, ""},
        {"\xc3\x84\xff", TCF_CELL_UINT, NULL, ""},
    };
    static const char *const tables[] =
        {"x", "X", "x\" (a); DROP TABLE tables; --", "\xf0\x9f\x98\x80", "a.b [c] %s %w", ""};
    report *r[3] = {new_report("sqlite"), new_report("flat"), new_report("SQLite")};
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        report_row(report_table(r[0], tables[i], tables[i], odd, 8),
                   (tcf_cell[]){{.u = 0}, {.u = 1}, {.u = 2}, {.u = 3}, {.u = 4}, {.u = 5}, {.u = 6}, {.u = 7}});
    report_table(r[1], "profile", "a view has this name", odd, 1);
    report_table(r[1], "nothing", "no columns", odd, 0);
    report_table(r[2], "x", "the third", odd, 1);
    write_all(r, 3);
    assert_string_equal(answer("SELECT sql_table FROM tables"),
                        "T_sqlite_x\nT_sqlite_X_2\nT_sqlite_x\" (a); DROP TABLE tables; --\nT_sqlite_\xf0\x9f\x98\x80\n"
                        "T_sqlite_a.b [c] %s %w\nT_sqlite_\nTflat_profile_2\nN\nT_SQLite_x_3\n");
    assert_string_equal(
        answer("SELECT sql_column FROM columns WHERE sql_table = '_sqlite_x'"),
        "Tselect\nTit's \"quoted\"; --\nTa\nTA_2\nTa_2_2\nT_\nT\xc3\xa4\xef\xbf\xbd\nT\xc3\x84\xef\xbf\xbd\n");
    assert_string_equal(answer("SELECT * FROM \"_sqlite_x\"\" (a); DROP TABLE tables; --\""),
                        "I0|I1|I2|I3|I4|I5|I6|I7\n");
    assert_string_equal(answer("SELECT count(*) FROM sqlite_master WHERE type = 'table'"), "I10\n");
    assert_string_equal(answer("SELECT n_rows, title FROM tables WHERE sql_table IS NULL"), "I0|Tno columns\n");
}

/* Views show all instances of a filter; an instance's name is a text, whatever is in it. */
static void views(void **state)
{
    static const tcf_table_column columns[] = {{"finding", TCF_CELL_TEXT, NULL, ""},
                                               {"count", TCF_CELL_UINT, NULL, ""},
                                               {"meaning", TCF_CELL_TEXT, NULL, ""}};
    report *r[2] = {new_report("it's"), new_report("other")};
    results_part parts[2] = {{r[0], "check", 0}, {r[1], "check", 0}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        tcf_table *t = report_table(r[i], "verdict", "t", columns, 3);
        report_row(t, (tcf_cell[]){{.text = "none"}, {.u = 0}, {.text = "m"}});
        report_row(t, (tcf_cell[]){{.text = "some"}, {.u = 5}, {.text = "m"}});
    }
    unlink(path);
    assert_int_equal(results_file_write(&database_file, path, 0, &(results){.parts = parts, .n = 2, .complete = 1},
                                        NULL),
                     TCF_OK);
    assert_string_equal(answer("SELECT * FROM findings"), "Tit's|Tsome|I5|Tm\nTother|Tsome|I5|Tm\n");
    assert_string_equal(answer("SELECT count(*) FROM sqlite_master WHERE type = 'view'"), "I1\n");
    report_delete(r[0]);
    report_delete(r[1]);
}

/* More columns than SQLite takes, after some tables that are fine: nothing is left. */
static void too_wide(void **state)
{
    enum { WIDE = 2500 };
    static tcf_table_column columns[WIDE];
    static char names[WIDE][16];
    report *r = new_report("wide");
    results_part part = {r, "f", 0};
    (void)state;
    for (int i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        columns[i] = (tcf_table_column){names[i], TCF_CELL_UINT, NULL, ""};
    }
    report_table(r, "narrow", "t", columns, 1);
    report_table(r, "wide", "t", columns, WIDE);
    unlink(path);
    assert_int_equal(results_file_write(&database_file, path, 0, &(results){.parts = &part, .n = 1, .complete = 1},
                                        NULL),
                     TCF_ERROR);
    assert_non_null(strstr(error_text(), "too many columns"));
    assert_non_null(strstr(error_text(), "writing the table 'wide' of 'wide'"));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(incomplete, F_OK), 0);
    report_delete(r);
}

/* A run that failed leaves no complete database; what came into being meanwhile is kept. */
static void incomplete_and_existing(void **state)
{
    static const tcf_table_column column[] = {{"x", TCF_CELL_UINT, NULL, ""}};
    report *r = new_report("one");
    results_part part = {r, "f", 0};
    (void)state;
    report_row(report_table(r, "t", "t", column, 1), &(tcf_cell){.u = 5});
    unlink(path);
    assert_int_equal(results_file_check(&database_file, path, 0), TCF_OK);
    assert_int_equal(results_file_write(&database_file, path, 0, &(results){.parts = &part, .n = 1, .complete = 0},
                                        NULL),
                     TCF_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(incomplete, F_OK), 0);
    assert_int_equal(results_file_write(&database_file, path, 0, &(results){.parts = &part, .n = 1, .complete = 1},
                                        NULL),
                     TCF_OK);
    assert_int_equal(unlink(incomplete), 0);
    assert_int_equal(results_file_check(&database_file, path, 0), TCF_ERROR);
    assert_true(error_is_usage());
    assert_int_equal(results_file_check(&database_file, path, 1), TCF_OK);
    assert_int_equal(results_file_write(&database_file, path, 0, &(results){.parts = &part, .n = 1, .complete = 1},
                                        NULL),
                     TCF_ERROR);
    assert_non_null(strstr(error_text(), "exists already; the results are in"));
    assert_int_equal(results_file_write(&database_file, path, 1, &(results){.parts = &part, .n = 1, .complete = 1},
                                        NULL),
                     TCF_OK);
    assert_string_equal(answer("SELECT x FROM one_t"), "I5\n");
    report_delete(r);
}

static void many_rows(void **state)
{
    static const tcf_table_column columns[] = {{"i", TCF_CELL_UINT, NULL, ""}, {"d", TCF_CELL_DOUBLE, NULL, ""}};
    report *r = new_report("many");
    tcf_table *t = report_table(r, "t", "t", columns, 2);
    (void)state;
    for (uint64_t i = 0; i < 200000; i++)
        report_row(t, (tcf_cell[]){{.u = i}, {.d = (double)i / 3}});
    write_all(&r, 1);
    assert_string_equal(answer("SELECT count(*), sum(i), min(i), max(i), sum(d = i / 3.0) FROM many_t"),
                        "I200000|I19999900000|I0|I199999|I200000\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),   cmocka_unit_test(odd_names), cmocka_unit_test(views),
        cmocka_unit_test(too_wide), cmocka_unit_test(many_rows), cmocka_unit_test(incomplete_and_existing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#else

int main(void)
{
    puts("1..0 # SKIP built without SQLite");
    return 0;
}

#endif
