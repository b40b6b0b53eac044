/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of parameters: what values become, and for those that are wrong the message with file, line and key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "framework/base/names.h"
#include "ini_file.h"

struct conf {
    int flag, kind;
    int64_t n;
    double gamma;
    uint64_t size;
    tcf_duration mu;
    const char *text, *path;
    tcf_list list;
};
#define ROW(k, t, ...)                                                                                                 \
    {                                                                                                                  \
        .key = #k, .type = t, .offset = offsetof(struct conf, k), .help = "what it is", __VA_ARGS__                    \
    }
static const tcf_param rows[] = {
    ROW(flag, TCF_BOOL, .default_value = "no"),
    ROW(kind, TCF_ENUM, .default_value = "keep", .choices = "drop|keep|mark"),
    ROW(n, TCF_INT, .default_value = "5", .min = "-2", .max = "10"),
    ROW(gamma, TCF_DOUBLE, .default_value = "0.99", .min = "0", .max = "1"),
    ROW(size, TCF_SIZE, .default_value = "4k", .min = "1k"),
    ROW(mu, TCF_DURATION, .default_value = "1us", .min = "0", .max = "1h"),
    ROW(text, TCF_STRING, .default_value = ""),
    ROW(path, TCF_OUTPUT_PATH, .default_value = "-"),
    ROW(list, TCF_LIST, .default_value = "", .max = "3"),
};
static const tcf_params table = TCF_ROWS(rows);
static const char *const ignore[] = {"filter", NULL};

static tcf_status parse(settings *s, struct conf *conf, string_store **storage)
{
    memset(conf, 0xee, sizeof *conf);
    return settings_parse(&table, conf, NULL, settings_find(s, "a"), ignore, storage);
}

static void defaults(void **state)
{
    string_store *storage = NULL;
    struct conf c;
    settings *s = load("[a]\nfilter = x\n");
    (void)state;
    assert_int_equal(parse(s, &c, &storage), TCF_OK);
    assert_int_equal(c.flag, 0);
    assert_int_equal(c.kind, 1);
    assert_int_equal(c.n, 5);
    assert_true(fabs(c.gamma - 0.99) < 1e-12);
    assert_int_equal(c.size, 4000);
    assert_true(fabs(c.mu.value - 1e-6) < 1e-18 && !c.mu.in_ticks);
    assert_null(c.text);
    assert_string_equal(c.path, "-");
    assert_int_equal(c.list.n, 0);
    store_free(storage);
    settings_free(s);
}

static void values(void **state)
{
    string_store *storage = NULL;
    struct conf c;
    settings *s = load("[a]\nflag = on\nkind = mark\nn = -2\ngamma = 1\nsize = 1KiB\nmu = 3 ticks\ntext = a b\n"
                       "path = /x/y\nlist = ,one two,  three ,\n");
    (void)state;
    assert_int_equal(parse(s, &c, &storage), TCF_OK);
    assert_int_equal(c.flag, 1);
    assert_int_equal(c.kind, 2);
    assert_int_equal(c.n, -2);
    assert_int_equal(c.size, 1024);
    assert_true(c.mu.in_ticks && fabs(c.mu.value - 3) < 1e-12);
    assert_string_equal(c.text, "a b");
    assert_string_equal(c.path, "/x/y");
    assert_int_equal(c.list.n, 3);
    settings_free(s); /* what was parsed doesn't need it any more */
    assert_string_equal(c.list.item[0], "one");
    assert_string_equal(c.list.item[2], "three");
    store_free(storage);
}

static void layers(void **state)
{
    string_store *storage = NULL;
    struct conf c;
    settings *s = load("[a]\nn = 7\nsize = 1k\n[defaults]\nn = 6\ngamma = 0.5\n[other]\nformat = x\n");
    (void)state;
    memset(&c, 0, sizeof c);
    assert_int_equal(settings_parse(&table, &c, settings_find(s, "defaults"), settings_find(s, "a"), NULL, &storage),
                     TCF_OK);
    assert_int_equal(c.n, 7);
    assert_true(fabs(c.gamma - 0.5) < 1e-12);
    assert_int_equal(c.size, 1000); /* as little as is allowed */
    assert_int_equal(settings_parse(&table, &c, settings_find(s, "other"), NULL, NULL, &storage), TCF_ERROR);
    assert_error("PATH:8: other.format: unknown key", "defaults");
    assert_int_equal(settings_parse(&table, &c, NULL, NULL, NULL, &storage), TCF_OK);
    assert_int_equal(c.n, 5);
    assert_int_equal(settings_parse(NULL, NULL, NULL, settings_find(s, "a"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:2: a.n: unknown key; there are none here", "no table");
    store_free(storage);
    settings_free(s);
}

static void bad_values(void **state)
{
    static const struct {
        const char *line, *error;
    } bad[] = {
        {"flag = maybe", "'maybe' is neither yes nor no"},
        {"flag =", "needs a value"},
        {"kind = kep", "'kep' is not one of drop|keep|mark; did you mean 'keep'?"},
        {"kind = 1", "'1' is not one of drop|keep|mark"},
        {"kind = KEEP", "'KEEP' is not one of drop|keep|mark"},
        {"n = 11", "'11' is out of range: expected -2 to 10"},
        {"n = -3", "'-3' is out of range: expected -2 to 10"},
        {"n = 1.5", "'1.5' is not a whole number"},
        {"n = 3x", "'3x' is not a whole number"},
        {"n = 99999999999999999999", "'99999999999999999999' is beyond what 64 bits can hold"},
        {"n =", "needs a value"},
        {"gamma = 1.01", "'1.01' is out of range: expected 0 to 1"},
        {"gamma = nan", "'nan' is not a number"},
        {"gamma = inf", "'inf' is not a number"},
        {"gamma = 1e999", "'1e999' is too large"},
        {"size = 999", "'999' is out of range: expected at least 1k"},
        {"size = 4 Mbit", "'4 Mbit' has an unknown unit"},
        {"size = -4k", "'-4k' is negative"},
        {"mu = 1", "'1' lacks a unit: expected ns, us, ms, s, min, h or ticks"},
        {"mu = 1 parsec", "'1 parsec' has an unknown unit: expected ns"},
        {"mu = 1,5us", "'1,5us' has a comma: fractions are written with a point"},
        {"gamma = 0,99", "'0,99' has a comma"},
        {"size = 1,5k", "'1,5k' has a comma"},
        {"mu = soon", "'soon' is not a duration: expected a number with ns"},
        {"mu = -1ns", "'-1ns' is out of range: expected 0 to 1h"},
        {"mu = -1 ticks", "'-1 ticks' is out of range: expected 0 to 1h"},
        {"mu = 61min", "'61min' is out of range: expected 0 to 1h"},
        {"path =", "needs a value"},
        {"list = 1 2 3 4", "'1 2 3 4' is out of range: expected at most 3 items"},
        {"gama = 1", "unknown key; did you mean 'gamma'?"},
        {"gmama = 1", "unknown key; did you mean 'gamma'?"},
        {"gamma_ = 1", "unknown key; did you mean 'gamma'?"},
        {"fitler = 1", "unknown key; did you mean 'filter'?"},
        {"whatever = 1", "unknown key; expected one of flag, kind, n, gamma, size, mu, text, path, list, filter"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[256], expected[512], key[64];
        string_store *storage = NULL;
        struct conf c;
        snprintf(text, sizeof text, "; first line\n[a]\n%s\n", bad[i].line);
        snprintf(key, sizeof key, "%.*s", (int)strcspn(bad[i].line, " "), bad[i].line);
        settings *s = load(text);
        assert_non_null(s);
        if (parse(s, &c, &storage) != TCF_ERROR)
            fail_msg("%s was taken", bad[i].line);
        snprintf(expected, sizeof expected, "PATH:3: a.%s: %s", key, bad[i].error);
        assert_error(expected, bad[i].line);
        store_free(storage);
        settings_free(s);
    }
}

/* Both bounds belong to a range. */
static void bounds(void **state)
{
    static const tcf_param bound_rows[] = {
        ROW(n, TCF_INT, .default_value = "0", .min = "-2", .max = "10"),
        ROW(gamma, TCF_DOUBLE, .default_value = "0.5", .min = "0", .max = "1"),
        ROW(size, TCF_SIZE, .default_value = "2k", .min = "1k", .max = "4k"),
        ROW(mu, TCF_DURATION, .default_value = "1us", .min = "1ns", .max = "1h"),
        ROW(list, TCF_LIST, .default_value = "a b", .min = "2", .max = "3"),
    };
    static const tcf_params of_bounds = TCF_ROWS(bound_rows);
    static const char *const within[] = {"n = -2\ngamma = 0\nsize = 1k\nmu = 1ns\nlist = a b",
                                         "n = 10\ngamma = 1\nsize = 4k\nmu = 1h\nlist = a b c"};
    static const char *const beyond[] = {"n = -3",      "n = 11",     "gamma = -0.1", "gamma = 1.1", "size = 999",
                                         "size = 4001", "mu = 0.9ns", "mu = 61min",   "list = a",    "list = a b c d"};
    (void)state;
    for (size_t i = 0; i < COUNT(within) + COUNT(beyond); i++) {
        const char *lines = i < COUNT(within) ? within[i] : beyond[i - COUNT(within)];
        char text[256];
        string_store *storage = NULL;
        struct conf c;
        snprintf(text, sizeof text, "[a]\n%s\n", lines);
        settings *s = load(text);
        tcf_status status = settings_parse(&of_bounds, &c, NULL, settings_find(s, "a"), NULL, &storage);
        if ((status == TCF_OK) != (i < COUNT(within)))
            fail_msg("%s", lines);
        store_free(storage);
        settings_free(s);
    }
}

/* Keys of one letter are listed like others. */
static void short_keys(void **state)
{
    static const tcf_param short_rows[] = {{.key = "a", .type = TCF_BOOL, .default_value = "no", .help = "x"},
                                           {.key = "b", .type = TCF_BOOL, .default_value = "no", .help = "x"}};
    static const tcf_params of_letters = TCF_ROWS(short_rows);
    string_store *storage = NULL;
    struct conf c;
    settings *s = load("[a]\nwhatever = 1\n");
    (void)state;
    assert_int_equal(settings_parse(&of_letters, &c, NULL, settings_find(s, "a"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:2: a.whatever: unknown key; expected one of a, b", "short keys");
    store_free(storage);
    settings_free(s);
}

/* Choices end where they end, also behind longer ones of another key. */
static void short_choices(void **state)
{
    static const tcf_param choice_rows[] = {ROW(kind, TCF_ENUM, .default_value = "drop", .choices = "drop|keep|mark"),
                                            ROW(flag, TCF_ENUM, .default_value = "a", .choices = "a|b")};
    static const tcf_params of_choices = TCF_ROWS(choice_rows);
    string_store *storage = NULL;
    struct conf c;
    settings *s = load("[a]\nkind = mark\nflag = b\n");
    (void)state;
    assert_int_equal(settings_parse(&of_choices, &c, NULL, settings_find(s, "a"), NULL, &storage), TCF_OK);
    assert_int_equal(c.kind, 2);
    assert_int_equal(c.flag, 1);
    store_free(storage);
    settings_free(s);
}

static void mandatory_keys(void **state)
{
    static const tcf_param one_rows[] = {ROW(text, TCF_STRING, .default_value = NULL)};
    static const tcf_params one = TCF_ROWS(one_rows);
    static const tcf_param two_rows[] = {ROW(text, TCF_STRING, .default_value = NULL),
                                         ROW(n, TCF_INT, .default_value = "0")};
    static const tcf_params two = TCF_ROWS(two_rows);
    static const char *const by_option[] = {"b.x=1"}, *const other_option[] = {"b.n=1"};
    string_store *storage = NULL;
    struct conf c = {0};
    settings *s = load("\n[a]\n");
    (void)state;
    assert_int_equal(settings_parse(&one, &c, NULL, settings_find(s, "a"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:2: a.text: must be given: what it is", "missing");
    assert_int_equal(settings_parse(&one, &c, NULL, NULL, NULL, &storage), TCF_ERROR);
    assert_error("'text' must be given: what it is", "no section");
    settings_free(s);
    s = settings_load(NULL, by_option, 1);
    assert_int_equal(settings_parse(&one, &c, NULL, settings_find(s, "b"), NULL, &storage), TCF_ERROR);
    assert_error("-o b.x: unknown key; expected one of text", "-o");
    settings_free(s);
    s = settings_load(NULL, other_option, 1);
    assert_int_equal(settings_parse(&two, &c, NULL, settings_find(s, "b"), NULL, &storage), TCF_ERROR);
    assert_error("b.text: must be given: what it is", "another by -o");
    settings_free(s);
    s = load("[a]\ntext =\n");
    assert_int_equal(settings_parse(&one, &c, NULL, settings_find(s, "a"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:2: a.text: needs a value", "empty");
    settings_free(s);
    store_free(storage);
}

static void two_tables(void **state)
{
    static const tcf_param first_rows[] = {ROW(n, TCF_INT, .default_value = "1")};
    static const tcf_params first = TCF_ROWS(first_rows);
    static const tcf_param second_rows[] = {ROW(gamma, TCF_DOUBLE, .default_value = "0.5")};
    static const tcf_params second = TCF_ROWS(second_rows);
    string_store *storage = NULL;
    struct conf c = {0}, d = {0};
    const settings_table tables[] = {{&first, &c}, {NULL, NULL}, {&second, &d}};
    settings *s = load("[a]\nn = 4\ngamma = 0.25\n[b]\nn = 1\ngama = 2\n");
    (void)state;
    assert_int_equal(settings_parse_tables(tables, 3, NULL, settings_find(s, "a"), NULL, &storage), TCF_OK);
    assert_int_equal(c.n, 4);
    assert_true(fabs(d.gamma - 0.25) < 1e-12);
    assert_int_equal(settings_parse_tables(tables, 3, NULL, settings_find(s, "b"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:6: b.gama: unknown key; did you mean 'gamma'?", "two tables");
    settings_free(s);
    store_free(storage);
}

/* A key that was renamed is read by its earlier name, too, which overrides the defaults of filters.d. */
static void earlier_names(void **state)
{
    static const tcf_param renamed_rows[] = {ROW(n, TCF_INT, .default_value = "1", .alias = "number"),
                                             ROW(gamma, TCF_DOUBLE, .default_value = "0.5")};
    static const tcf_params renamed = TCF_ROWS(renamed_rows);
    static const struct {
        const char *section;
        int64_t n;
        const char *origin;
    } good[] = {{"new", 2, "settings"}, {"old", 3, "settings"}, {"neither", 9, "filters.d"}};
    settings *s = load("[new]\nn = 2\n[old]\nnumber = 3\n[neither]\ngamma = 1\n[both]\nnumber = 3\nn = 3\n"
                       "[defaults]\nn = 9\n[old_defaults]\nnumber = 9\n[wrong]\nnumber = x\n");
    string_store *storage = NULL;
    struct conf c;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        for (int old = 0; old < 2; old++) {
            const settings_section *section = settings_find(s, good[i].section);
            const settings_section *defaults = settings_find(s, old ? "old_defaults" : "defaults");
            const char *origin;
            assert_int_equal(settings_parse(&renamed, &c, defaults, section, NULL, &storage), TCF_OK);
            assert_int_equal(c.n, good[i].n);
            assert_int_equal(strtol(settings_text(&renamed_rows[0], defaults, section, &origin), NULL, 10), good[i].n);
            assert_string_equal(origin, good[i].origin);
        }
    assert_int_equal(settings_parse(&renamed, &c, NULL, settings_find(s, "both"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:9: both.n: is set twice: 'number' is its earlier name; expected one of the two", "both");
    assert_int_equal(settings_parse(&renamed, &c, NULL, settings_find(s, "wrong"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:15: wrong.number: 'x' is not a whole number", "wrong");
    store_free(storage);
    settings_free(s);
}

static void sound_tables(void **state)
{
    static const char *const reserved[] = {"filter", NULL};
    static const tcf_param bad[] = {
        {.key = NULL, .type = TCF_INT, .help = "x"},
        {.key = "Upper", .type = TCF_INT, .help = "x"},
        {.key = "", .type = TCF_INT, .help = "x"},
        {.key = "a.b", .type = TCF_INT, .help = "x"},
        {.key = "filter", .type = TCF_INT, .help = "x"},
        {.key = "k", .type = (tcf_param_type)99, .help = "x"},
        {.key = "k", .type = TCF_INT, .offset = 4096, .help = "x"},
        {.key = "k", .type = TCF_INT, .offset = sizeof(struct conf) - 4, .help = "x"},
        {.key = "k", .type = TCF_INT, .offset = 3, .help = "x"},
        {.key = "k", .type = TCF_INT, .offset = (size_t)-8, .help = "x"},
        {.key = "k", .type = TCF_INT},
        {.key = "k", .type = TCF_ENUM, .help = "x"},
        {.key = "k", .type = TCF_ENUM, .choices = "a|b", .default_value = "c", .help = "x"},
        {.key = "k", .type = TCF_INT, .default_value = "x", .help = "x"},
        {.key = "k", .type = TCF_INT, .default_value = "3", .max = "2", .help = "x"},
        {.key = "k", .type = TCF_INT, .min = "1us", .help = "x"},
        {.key = "k", .type = TCF_DURATION, .max = "1", .help = "x"},
        {.key = "k", .type = TCF_SIZE, .max = "-1", .help = "x"},
        {.key = "k", .type = TCF_DOUBLE, .max = "inf", .help = "x"},
        {.key = "k", .type = TCF_BOOL, .max = "1", .help = "x"},
        {.key = "k", .type = TCF_BOOL, .default_value = "maybe", .help = "x"},
        {.key = "k", .alias = "k", .type = TCF_BOOL, .help = "x"},
        {.key = "k", .alias = "K", .type = TCF_BOOL, .help = "x"},
        {.key = "k", .alias = "filter", .type = TCF_BOOL, .help = "x"},
    };
    static const tcf_param twice_rows[] = {ROW(n, TCF_INT), ROW(n, TCF_INT)};
    static const tcf_param alias_rows[] = {ROW(n, TCF_INT, .alias = "gamma"), ROW(gamma, TCF_DOUBLE)};
    static const tcf_params twice = TCF_ROWS(twice_rows), alias = TCF_ROWS(alias_rows);
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        error_clear();
        if (params_check(&(tcf_params){&bad[i], 1}, sizeof(struct conf), reserved) != TCF_ERROR || !*error_text())
            fail_msg("table %zu was taken", i);
    }
    assert_int_equal(params_check(&twice, sizeof(struct conf), NULL), TCF_ERROR);
    assert_int_equal(params_check(&alias, sizeof(struct conf), NULL), TCF_ERROR);
    assert_int_equal(params_check(&table, sizeof(struct conf), reserved), TCF_OK);
    assert_int_equal(params_check(&(tcf_params){NULL, 0}, 0, reserved), TCF_OK);
    assert_int_equal(params_check(&(tcf_params){rows, 0}, sizeof(struct conf), reserved), TCF_ERROR);
    assert_int_equal(params_check(&(tcf_params){NULL, 1}, sizeof(struct conf), reserved), TCF_ERROR);
    assert_int_equal(params_check(&pipeline_params, sizeof(pipeline_conf), NULL), TCF_OK);
}

static void nearest(void **state)
{
    static const char *const names[] = {"clc_forward", "clc_backward", "print", "profile", "mu", "x"};
    static const struct {
        const char *word, *near;
    } word[] = {{"clc_forwrd", "clc_forward"},
                {"clc_forwards", "clc_forward"},
                {"prnit", "print"},
                {"pint", "print"},
                {"profiel", "profile"},
                {"mo", "mu"},
                {"MU", "mu"},
                {"Print", "print"},
                {"CLC_FORWRAD", "clc_forward"},
                {"zzz", NULL},
                {"", NULL},
                {"clc", NULL},
                {"nu", "mu"},
                {"y", NULL}};
    char longest[300];
    (void)state;
    for (size_t i = 0; i < COUNT(word); i++) {
        const char *near = nearest_name(word[i].word, names, COUNT(names));
        if ((near && word[i].near) ? strcmp(near, word[i].near) != 0 : near != word[i].near)
            fail_msg("'%s' gave %s", word[i].word, near ? near : "nothing");
    }
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(nearest_name(longest, names, COUNT(names)));
    assert_null(nearest_name("print", NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),      cmocka_unit_test(values),         cmocka_unit_test(layers),
        cmocka_unit_test(bad_values),    cmocka_unit_test(mandatory_keys), cmocka_unit_test(two_tables),
        cmocka_unit_test(earlier_names), cmocka_unit_test(sound_tables),   cmocka_unit_test(nearest),
        cmocka_unit_test(bounds),        cmocka_unit_test(short_keys),     cmocka_unit_test(short_choices),
    };
    return cmocka_run_group_tests_name("params", tests, set_up, tear_down);
}
