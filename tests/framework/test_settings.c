/* pipeline.ini: what is read, and for everything that is wrong the message with file, line and key. */
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

#include "../../framework/error.h"
#include "../../framework/settings.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char folder[64], path[96];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tcflow-settings.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/p.ini", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void write_file(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static settings *load(const char *text)
{
    write_file(text, strlen(text));
    error_clear();
    return settings_load(path, NULL, 0);
}

/* The error names the file by its path; PATH in what is expected stands for it. */
static void assert_error(const char *expected, const char *of)
{
    char text[2048];
    const char *at = strncmp(expected, "PATH", 4) == 0 ? expected + 4 : expected;
    snprintf(text, sizeof text, "%s%s", at == expected ? "" : path, at);
    if (strncmp(error_text(), text, strlen(text)) != 0)
        fail_msg("of <%s>:\n     got <%s>\nexpected <%s>", of, error_text(), text);
    if (!error_is_usage())
        fail_msg("of <%s>: is no usage error: %s", of, error_text());
}

static const char *value_of(const settings *s, const char *section, const char *key)
{
    settings_section *at = settings_find(s, section);
    for (size_t i = 0; at && i < at->n_entries; i++)
        if (strcmp(at->entries[i].key, key) == 0)
            return at->entries[i].value;
    return "(missing)";
}

/* ------------------------------------------------------------------------------------------------------- syntax -- */

static void good_files(void **state)
{
    static const struct {
        const char *text, *value; /* of a.k */
    } good[] = {
        {"[a]\nk=1\n", "1"},
        {"[a]\nk = 1", "1"},
        {"\n\n  [a]  \n\n  k   =   1  \n", "1"},
        {"[a]\r\nk = 1\r\n", "1"},
        {"\xef\xbb\xbf[a]\nk = 1\n", "1"},
        {"\xef\xbb\xbf; comment\r\n[a]\r\nk = 1\r\n", "1"},
        {"[ a ]\nk=1\n", "1"},
        {"[a] ; comment\nk = 1 ; comment\n", "1"},
        {"[a]\n; k = 2\n# k = 3\n  ; k = 4\n\t# k = 5\nk = 1\n", "1"},
        {"[a]\nk = 1;2\n", "1;2"},
        {"[a]\nk = 1 # 2\n", "1 # 2"},
        {"[a]\nk =\n", ""},
        {"[a]\nk = ; nothing\n", ""},
        {"[a]\nk = a=b\n", "a=b"},
        {"[a]\nk = C:/x\n", "C:/x"},
        {"[a]\nk = [x]\n", "[x]"},
        {"[a]\nk = one\n    two\n", "one two"},
        {"[a]\nk = one\n\ttwo\n  three\n", "one two three"},
        {"[a]\nk =\n    two\n", "two"},
        {"[a]\nk = one ; first\n    two ; second\n", "one two"},
        {"[a]\nk = one\n ; between\n\n    two\n", "one two"},
        {"[a]\n    k = one\n    l = two\n", "one"},
        {"[a]\n    k = one\n      two\n    l = three\n", "one two"},
        {"[a]\nk = one\n  ==> two\n", "one ==> two"},
        {"[b]\nk = 2\n[a]\nk = 1\n[c]\nk = 3\n", "1"},
        {"[a]\nk = \xc3\xa4\xe2\x82\xac\n", "\xc3\xa4\xe2\x82\xac"},
        {"[a]\nk = $$HOME $x $\n", "$HOME $x $"},
        {"[a]\nk = ${TCF_TEST}\n", "some thing"},
        {"[a]\nk = x${TCF_TEST}y${TCF_TEST}\n", "xsome thingysome thing"},
        {"[a]\nk = $${TCF_TEST}\n", "${TCF_TEST}"},
        {"[a]\nk = ${TCF_EMPTY}\n", ""},
        {"[a]\nk = one\n   ${TCF_TEST}\n", "one some thing"},
        {"[a]\nk = \"quoted\"\n", "\"quoted\""},
    };
    (void)state;
    setenv("TCF_TEST", "some thing", 1);
    setenv("TCF_EMPTY", "", 1);
    for (size_t i = 0; i < COUNT(good); i++) {
        settings *s = load(good[i].text);
        if (!s)
            fail_msg("<%s>: %s", good[i].text, error_text());
        if (strcmp(value_of(s, "a", "k"), good[i].value) != 0)
            fail_msg("<%s> gave <%s>", good[i].text, value_of(s, "a", "k"));
        settings_free(s);
    }
}

static void bad_files(void **state)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"k = 1\n", "PATH:1: expected a [section] before the first key"},
        {"[a\nk = 1\n", "PATH:1: expected [section], but there is no closing bracket"},
        {"[a ; ]\nk = 1\n", "PATH:1: expected [section], but there is no closing bracket"},
        {"[a]k = 1\n", "PATH:1: expected nothing behind [section]"},
        {"[]\nk = 1\n", "PATH:1: a section's name"},
        {"[a b]\nk = 1\n", "PATH:1: a section's name"},
        {"[1a]\n", "PATH:1: a section's name"},
        {"[a.b]\n", "PATH:1: a section's name"},
        {"[\xc3\xa4]\n", "PATH:1: a section's name"},
        {"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\n", "PATH:1: a section's name"},
        {"[a]\nk = 1\n\n[b]\n[a]\n", "PATH:5: section [a] is there twice; the first one is in line 1"},
        {"[a]\n[ a ]\n", "PATH:2: section [a] is there twice; the first one is in line 1"},
        {"[a]\nk = 1\n\nk = 1\n", "PATH:4: a.k: this key is there twice; the first one is in line 2"},
        {"[a]\n  k = 1\n  l = 3\n  k = 2\n", "PATH:4: a.k: this key is there twice; the first one is in line 2"},
        {"[a]\nnonsense\n", "PATH:2: expected `key = value`"},
        {"[a]\n  nonsense\n", "PATH:2: expected `key = value`"},
        {"[a]\nk: 1\n", "PATH:2: expected `key = value`"},
        {"[a]\nk l = 1\n", "PATH:2: expected `key = value`"},
        {"[a]\nk:l = 1\n", "PATH:2: expected `key = value`"},
        {"[a]\n= 1\n", "PATH:2: expected `key = value`"},
        {"[a]\n\"k\" = 1\n", "PATH:2: expected `key = value`"},
        {"[a]\nk = 1\n[b]\n  more\n", "PATH:4: expected `key = value`"},
        {"[a]\nkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk = 1\n", "PATH:2: a key has at most 48"},
        {"[a]\nk = \x01\n", "PATH:2: not a text file: control character"},
        {"[a]\nk = \x7f\n", "PATH:2: not a text file: control character"},
        {"[a]\nk = 1\r2\n", "PATH:2: carriage return inside of a line"},
        {"[a]\rk = 1\r", "PATH:1: carriage return inside of a line"},
        {"\xef\xbb[a]\n", "PATH:1: not a text file: it starts with 0xef"},
        {"[a]\nk = ${NO_SUCH_THING}\n", "PATH:2: a.k: ${NO_SUCH_THING}: there is no environment variable"},
        {"[a]\n\n\nk = x ${\n", "PATH:4: a.k: '${' lacks a name or its closing brace"},
        {"[a]\nk = ${}\n", "PATH:2: a.k: '${}' lacks a name"},
        {"[a]\nk = ${HOME\n", "PATH:2: a.k: '${HOME' lacks a name or its closing brace"},
        {"[a]\nk = ${HO ME}\n", "PATH:2: a.k: '${HO ME}' lacks a name"},
        {"[a]\nk = ${1}\n", "PATH:2: a.k: '${1}' lacks a name"},
        {"\x7f"
         "ELF\x02\x01\x01",
         "PATH:1: not a text file"},
    };
    (void)state;
    unsetenv("NO_SUCH_THING");
    for (size_t i = 0; i < COUNT(bad); i++) {
        settings *s = load(bad[i].text);
        if (s)
            fail_msg("<%s> was taken", bad[i].text);
        assert_error(bad[i].error, bad[i].text);
    }
}

static void lines_of_any_length(void **state)
{
    char text[6000];
    (void)state;
    for (size_t n = 180; n < 5000; n += n < 220 ? 1 : 97) {
        size_t at = (size_t)snprintf(text, sizeof text, "[a]\nk = ");
        memset(text + at, 'x', n);
        snprintf(text + at + n, sizeof text - at - n, "\n");
        settings *s = load(text);
        assert_int_equal(s != NULL, n + 4 <= 198);
        if (s)
            assert_int_equal(strlen(value_of(s, "a", "k")), n);
        else
            assert_error(n + 4 < 4000 ? "PATH:2: line is longer than 198 characters" : "PATH:2: line is", text);
        settings_free(s);

        /* as a continuation, and as a comment, which may have any length */
        at = (size_t)snprintf(text, sizeof text, "[a]\nk = 1\n  ");
        memset(text + at, 'x', n);
        snprintf(text + at + n, sizeof text - at - n, "\n");
        s = load(text);
        assert_int_equal(s != NULL, n <= 197);
        settings_free(s);
        at = (size_t)snprintf(text, sizeof text, "[a]\nk = 1\n  ;");
        memset(text + at, 'x', n);
        snprintf(text + at + n, sizeof text - at - n, "\n");
        s = load(text);
        assert_non_null(s);
        assert_string_equal(value_of(s, "a", "k"), "1");
        settings_free(s);
        at = (size_t)snprintf(text, sizeof text, "[a]\nk = 1 ;");
        memset(text + at, 'x', n);
        snprintf(text + at + n, sizeof text - at - n, "\nl = 2\n");
        s = load(text);
        assert_int_equal(s != NULL, n < 4090);
        if (s)
            assert_string_equal(value_of(s, "a", "k"), "1");
        settings_free(s);
    }
}

static void lines_without_end(void **state)
{
    (void)state;
    assert_null(settings_load("/dev/zero", NULL, 0));
    assert_true(strstr(error_text(), "/dev/zero:1: not a text file") != NULL);
    write_file("[a]\nk = 1\n", 10);
    FILE *f = fopen(path, "a");
    for (int i = 0; i < 200000; i++)
        fputs("  x\n", f);
    fclose(f);
    assert_null(settings_load(path, NULL, 0));
    assert_error(strstr(error_text(), "too long") ? "PATH:" : "PATH:100001: too many lines", "many lines");
    f = fopen(path, "w");
    for (int i = 0; i < 200000; i++)
        fputs("\n", f);
    fclose(f);
    assert_null(settings_load(path, NULL, 0));
    assert_error("PATH:100001: too many lines", "empty lines");
    f = fopen(path, "w");
    for (int i = 0; i < 200000; i++)
        fputs("# #", f);
    fclose(f);
    assert_null(settings_load(path, NULL, 0));
    assert_error("PATH:1: comment without end", "comment");
}

static void where_it_cannot_be_read(void **state)
{
    char missing[128];
    (void)state;
    snprintf(missing, sizeof missing, "%s/none.ini", folder);
    assert_null(settings_load(missing, NULL, 0));
    assert_true(strstr(error_text(), "none.ini: cannot open the settings: No such file") != NULL);
    assert_true(error_is_usage());
    assert_null(settings_load(folder, NULL, 0));
    assert_true(strstr(error_text(), ": is a folder; expected a settings file") != NULL);
    assert_true(error_is_usage());
    if (geteuid() != 0) {
        write_file("[a]\n", 4);
        chmod(path, 0);
        assert_null(settings_load(path, NULL, 0));
        assert_error("PATH: cannot open the settings: Permission denied", "unreadable");
        chmod(path, 0600);
    }
    settings *s = load("");
    assert_non_null(s);
    assert_int_equal(s->n_sections, 0);
    settings_free(s);
}

static void places(void **state)
{
    settings *s = load("; one\n[a]\nk = 1\n\n  more\n[b]\n\nl = 2\n");
    (void)state;
    assert_non_null(s);
    assert_int_equal(s->n_sections, 2);
    assert_string_equal(s->file, path);
    assert_int_equal(settings_find(s, "a")->line, 2);
    assert_int_equal(settings_find(s, "a")->entries[0].line, 3);
    assert_int_equal(settings_find(s, "b")->line, 6);
    assert_int_equal(settings_find(s, "b")->entries[0].line, 8);
    assert_null(settings_find(s, "c"));
    settings_free(s);
}

static void overrides(void **state)
{
    static const char *const good[] = {"a.k=2", "c.x=a = b", "a.k=3", "a.new=", "a.env=${TCF_TEST}"};
    static const char *const bad[] = {
        "",        "a",       "a=1",   "a.=1",
        ".k=1",    "=1",      "a.k",   "a k.k=1",
        "a.k l=1", "a.b.c=1", "1.k=1", "a.kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk=1"};
    (void)state;
    setenv("TCF_TEST", "e", 1);
    write_file("[a]\nk = 1\n", 10);
    settings *s = settings_load(path, good, COUNT(good));
    assert_non_null(s);
    assert_string_equal(value_of(s, "a", "k"), "3");
    assert_int_equal(settings_find(s, "a")->entries[0].line, 0);
    assert_string_equal(settings_find(s, "a")->entries[0].file, "-o");
    assert_string_equal(value_of(s, "c", "x"), "a = b");
    assert_string_equal(value_of(s, "a", "new"), "");
    assert_string_equal(value_of(s, "a", "env"), "e");
    settings_free(s);
    s = settings_load(NULL, good, COUNT(good));
    assert_non_null(s);
    assert_int_equal(s->n_sections, 2);
    settings_free(s);
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_null(settings_load(path, &bad[i], 1));
        assert_error("-o ", bad[i]);
        assert_true(strstr(error_text(), "expected section.key=value") != NULL);
    }
    static const char *const unset[] = {"a.k=${NO_SUCH_THING}"};
    assert_null(settings_load(path, unset, 1));
    assert_error("-o a.k: ${NO_SUCH_THING}: there is no environment variable", "-o");
}

/* Random bytes and random pieces of syntax: any answer will do, but an answer. */
static void random_files(void **state)
{
    static const char *const piece[] = {
        "[",     "]",     "a",     "[a]", "[pipeline]", "=",  " = ", "\n",           "\r\n", " ",
        "\t",    ";",     "#",     "${",  "}",          "$",  "k",   "\xef\xbb\xbf", "\x80", "\xff",
        "chain", "input", "x y z", ":",   ".",          "\"", "1us", "\n\n",         "\n  "};
    unsigned seed = 7;
    char text[2048];
    (void)state;
    for (int round = 0; round < 6000; round++) {
        size_t n = 0, most = (seed = seed * 1103515245u + 12345u) >> 22;
        while (n < most && n < sizeof text - 16) {
            seed = seed * 1103515245u + 12345u;
            if (round % 3 == 0) {
                text[n++] = (char)(seed >> 16);
            } else {
                const char *p = piece[(seed >> 16) % COUNT(piece)];
                memcpy(text + n, p, strlen(p));
                n += strlen(p);
            }
        }
        write_file(text, n);
        error_clear();
        settings *s = settings_load(path, NULL, 0);
        assert_true(s || (error_is_usage() && *error_text()));
        if (s) {
            pipeline_conf conf;
            settings_storage *storage = NULL;
            settings_pipeline(s, &conf, &storage);
            settings_release(storage);
        }
        settings_free(s);
    }
}

/* -------------------------------------------------------------------------------------------------- the tables -- */

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
static const tcf_param table[] = {
    ROW(flag, TCF_BOOL, .default_value = "no"),
    ROW(kind, TCF_ENUM, .default_value = "keep", .choices = "drop|keep|mark"),
    ROW(n, TCF_INT, .default_value = "5", .min = "-2", .max = "10"),
    ROW(gamma, TCF_DOUBLE, .default_value = "0.99", .min = "0", .max = "1"),
    ROW(size, TCF_SIZE, .default_value = "4k", .min = "1k"),
    ROW(mu, TCF_DURATION, .default_value = "1us", .min = "0", .max = "1h"),
    ROW(text, TCF_STRING, .default_value = ""),
    ROW(path, TCF_PATH, .default_value = "-"),
    ROW(list, TCF_LIST, .default_value = "", .max = "3"),
    {.key = NULL},
};
static const char *const ignore[] = {"filter", NULL};

static tcf_status parse(settings *s, struct conf *conf, settings_storage **storage)
{
    memset(conf, 0xee, sizeof *conf);
    return settings_parse(table, conf, NULL, settings_find(s, "a"), ignore, storage);
}

static void defaults(void **state)
{
    settings_storage *storage = NULL;
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
    settings_release(storage);
    settings_free(s);
}

static void values(void **state)
{
    settings_storage *storage = NULL;
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
    settings_release(storage);
}

static void layers(void **state)
{
    settings_storage *storage = NULL;
    struct conf c;
    settings *s = load("[a]\nn = 7\n[defaults]\nn = 6\ngamma = 0.5\n[other]\nformat = x\n");
    (void)state;
    memset(&c, 0, sizeof c);
    assert_int_equal(settings_parse(table, &c, settings_find(s, "defaults"), settings_find(s, "a"), NULL, &storage),
                     TCF_OK);
    assert_int_equal(c.n, 7);
    assert_true(fabs(c.gamma - 0.5) < 1e-12);
    assert_int_equal(c.size, 4000);
    assert_int_equal(settings_parse(table, &c, settings_find(s, "other"), NULL, NULL, &storage), TCF_ERROR);
    assert_error("PATH:7: other.format: unknown key", "defaults");
    assert_int_equal(settings_parse(table, &c, NULL, NULL, NULL, &storage), TCF_OK);
    assert_int_equal(c.n, 5);
    assert_int_equal(settings_parse(NULL, NULL, NULL, settings_find(s, "a"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:2: a.n: unknown key; there are none here", "no table");
    settings_release(storage);
    settings_free(s);
}

static void bad_values(void **state)
{
    static const struct {
        const char *line, *error;
    } bad[] = {
        {"flag = maybe", "'maybe' is neither yes nor no"},
        {"flag =", "needs a value"},
        {"kind = kep", "'kep' is not one of drop|keep|mark; did you mean `keep`?"},
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
        {"gama = 1", "unknown key; did you mean `gamma`?"},
        {"gmama = 1", "unknown key; did you mean `gamma`?"},
        {"gamma_ = 1", "unknown key; did you mean `gamma`?"},
        {"fitler = 1", "unknown key; did you mean `filter`?"},
        {"whatever = 1", "unknown key; expected one of flag, kind, n, gamma, size, mu, text, path, list, filter"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[256], expected[512], key[64];
        settings_storage *storage = NULL;
        struct conf c;
        snprintf(text, sizeof text, "; first line\n[a]\n%s\n", bad[i].line);
        snprintf(key, sizeof key, "%.*s", (int)strcspn(bad[i].line, " "), bad[i].line);
        settings *s = load(text);
        assert_non_null(s);
        if (parse(s, &c, &storage) != TCF_ERROR)
            fail_msg("%s was taken", bad[i].line);
        snprintf(expected, sizeof expected, "PATH:3: a.%s: %s", key, bad[i].error);
        assert_error(expected, bad[i].line);
        settings_release(storage);
        settings_free(s);
    }
}

static void mandatory_keys(void **state)
{
    static const tcf_param one[] = {ROW(text, TCF_STRING, .default_value = NULL), {.key = NULL}};
    static const char *const by_option[] = {"b.x=1"};
    settings_storage *storage = NULL;
    struct conf c = {0};
    settings *s = load("\n[a]\n");
    (void)state;
    assert_int_equal(settings_parse(one, &c, NULL, settings_find(s, "a"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:2: a.text: must be given: what it is", "missing");
    assert_int_equal(settings_parse(one, &c, NULL, NULL, NULL, &storage), TCF_ERROR);
    assert_error("`text` must be given: what it is", "no section");
    settings_free(s);
    s = settings_load(NULL, by_option, 1);
    assert_int_equal(settings_parse(one, &c, NULL, settings_find(s, "b"), NULL, &storage), TCF_ERROR);
    assert_error("-o b.x: unknown key; expected one of text", "-o");
    settings_free(s);
    s = load("[a]\ntext =\n");
    assert_int_equal(settings_parse(one, &c, NULL, settings_find(s, "a"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:2: a.text: needs a value", "empty");
    settings_free(s);
    settings_release(storage);
}

static void two_tables(void **state)
{
    static const tcf_param first[] = {ROW(n, TCF_INT, .default_value = "1"), {.key = NULL}};
    static const tcf_param second[] = {ROW(gamma, TCF_DOUBLE, .default_value = "0.5"), {.key = NULL}};
    settings_storage *storage = NULL;
    struct conf c = {0}, d = {0};
    const settings_table tables[] = {{first, &c}, {NULL, NULL}, {second, &d}};
    settings *s = load("[a]\nn = 4\ngamma = 0.25\n[b]\nn = 1\ngama = 2\n");
    (void)state;
    assert_int_equal(settings_parse_tables(tables, 3, NULL, settings_find(s, "a"), NULL, &storage), TCF_OK);
    assert_int_equal(c.n, 4);
    assert_true(fabs(d.gamma - 0.25) < 1e-12);
    assert_int_equal(settings_parse_tables(tables, 3, NULL, settings_find(s, "b"), NULL, &storage), TCF_ERROR);
    assert_error("PATH:6: b.gama: unknown key; did you mean `gamma`?", "two tables");
    settings_free(s);
    settings_release(storage);
}

static void sound_tables(void **state)
{
    static const char *const reserved[] = {"filter", NULL};
#define BAD(...)                                                                                                       \
    {                                                                                                                  \
        {__VA_ARGS__},                                                                                                 \
        {                                                                                                              \
            .key = NULL                                                                                                \
        }                                                                                                              \
    }
    static const tcf_param bad[][2] = {
        BAD(.key = "Upper", .type = TCF_INT, .help = "x"),
        BAD(.key = "", .type = TCF_INT, .help = "x"),
        BAD(.key = "a.b", .type = TCF_INT, .help = "x"),
        BAD(.key = "filter", .type = TCF_INT, .help = "x"),
        BAD(.key = "k", .type = (tcf_param_type)99, .help = "x"),
        BAD(.key = "k", .type = TCF_INT, .offset = 4096, .help = "x"),
        BAD(.key = "k", .type = TCF_INT, .offset = sizeof(struct conf) - 4, .help = "x"),
        BAD(.key = "k", .type = TCF_INT, .offset = 3, .help = "x"),
        BAD(.key = "k", .type = TCF_INT, .offset = (size_t)-8, .help = "x"),
        BAD(.key = "k", .type = TCF_INT),
        BAD(.key = "k", .type = TCF_ENUM, .help = "x"),
        BAD(.key = "k", .type = TCF_ENUM, .choices = "a|b", .default_value = "c", .help = "x"),
        BAD(.key = "k", .type = TCF_INT, .default_value = "x", .help = "x"),
        BAD(.key = "k", .type = TCF_INT, .default_value = "3", .max = "2", .help = "x"),
        BAD(.key = "k", .type = TCF_INT, .min = "1us", .help = "x"),
        BAD(.key = "k", .type = TCF_DURATION, .max = "1", .help = "x"),
        BAD(.key = "k", .type = TCF_SIZE, .max = "-1", .help = "x"),
        BAD(.key = "k", .type = TCF_DOUBLE, .max = "inf", .help = "x"),
        BAD(.key = "k", .type = TCF_BOOL, .max = "1", .help = "x"),
        BAD(.key = "k", .type = TCF_BOOL, .default_value = "maybe", .help = "x"),
    };
    static const tcf_param twice[] = {ROW(n, TCF_INT), ROW(n, TCF_INT), {.key = NULL}};
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        error_clear();
        if (params_check(bad[i], sizeof(struct conf), reserved) != TCF_ERROR || !*error_text())
            fail_msg("table %zu was taken", i);
    }
    assert_int_equal(params_check(twice, sizeof(struct conf), NULL), TCF_ERROR);
    assert_int_equal(params_check(table, sizeof(struct conf), reserved), TCF_OK);
    assert_int_equal(params_check(NULL, 0, reserved), TCF_OK);
    assert_int_equal(params_check(pipeline_params, sizeof(pipeline_conf), NULL), TCF_OK);
    assert_int_equal(params_count(table), COUNT(table) - 1);
    assert_int_equal(params_count(NULL), 0);
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

/* -------------------------------------------------------------------------------------------------- [pipeline] -- */

static void pipeline_section(void **state)
{
    static const struct {
        const char *text, *error; /* NULL: good */
    } of[] = {
        {"[pipeline]\ninput = x\nchain = a b\n[a]\n[b]\nk = 1\n", NULL},
        {"[pipeline]\ninput = x\nchain = a,b a\n", NULL},
        {"[pipeline]\ninput = x\nchain = a\nsurvey = s\n[s]\nk=1\n", NULL},
        {"[pipeline]\ninput = x\nchain = a\nreports = a\n", NULL},
        {"[pipeline]\ninput = x\nchain = a\nreports = b\n", "PATH:4: pipeline.reports: neither chain nor survey names an instance `b`"},
        {"", "PATH: there is no section [pipeline]"},
        {"[pipline]\ninput = x\n", "PATH: there is no section [pipeline]"},
        {"[pipeline]\nchain = a\n", "PATH:1: pipeline.input: must be given"},
        {"[pipeline]\ninput = x\n", "PATH:1: pipeline.chain: must be given"},
        {"[pipeline]\ninput = x\nchain =\n", "PATH:3: pipeline.chain: needs a value"},
        {"[pipeline]\ninput = x\nchain = ,\n",
         "PATH:3: pipeline.chain: ',' is out of range: expected at least 1 items"},
        {"[pipeline]\ninput = x\nchain = a;b\n", "pipeline.chain: 'a;b' cannot be the name of an instance"},
        {"[pipeline]\ninput = x\nchain = pipeline\n", "pipeline.chain: 'pipeline' cannot be the name"},
        {"[pipeline]\ninput = x\nchain = a\nmemory = 1k\n", "PATH:4: pipeline.memory: '1k' is out of range"},
        {"[pipeline]\ninput = x\nchain = a\nmemroy = 1M\n",
         "PATH:4: pipeline.memroy: unknown key; did you mean `memory`?"},
        {"[pipeline]\ninput = x\nchain = alpha\n[alhpa]\n",
         "PATH:4: section [alhpa]: neither chain nor survey names an instance `alhpa`; did you mean `alpha`?"},
        {"[pipeline]\ninput = x\nchain = alpha\n[zzz]\n",
         "PATH:4: section [zzz]: neither chain nor survey names an instance `zzz`"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(of); i++) {
        settings_storage *storage = NULL;
        pipeline_conf conf;
        settings *s = load(of[i].text);
        assert_non_null(s);
        tcf_status status = settings_pipeline(s, &conf, &storage);
        if (!of[i].error && status != TCF_OK)
            fail_msg("<%s>: %s", of[i].text, error_text());
        if (of[i].error && status != TCF_ERROR)
            fail_msg("<%s> was taken", of[i].text);
        if (of[i].error)
            assert_error(of[i].error, of[i].text);
        else
            assert_int_equal(conf.memory, 64u << 20);
        settings_release(storage);
        settings_free(s);
    }
}

static void filters_d(void **state)
{
    settings *s;
    (void)state;
    setenv("TCFLOW_FILTERS_D", folder, 1);
    assert_int_equal(settings_defaults("none", &s), TCF_OK);
    assert_null(s);
    write_file("; p\n[p]\nk = 1\n", 14);
    assert_int_equal(settings_defaults("p", &s), TCF_OK);
    assert_string_equal(value_of(s, "p", "k"), "1");
    settings_free(s);
    write_file("[p]\nk = 1\n[q]\n", 14);
    assert_int_equal(settings_defaults("p", &s), TCF_ERROR);
    assert_error("PATH:3: section [q]: expected [p] alone", "two sections");
    assert_null(s);
    write_file("nonsense\n", 9);
    assert_int_equal(settings_defaults("p", &s), TCF_ERROR);
    assert_error("PATH:1: expected", "nonsense");
    unsetenv("TCFLOW_FILTERS_D");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(lines_of_any_length),
        cmocka_unit_test(lines_without_end),
        cmocka_unit_test(where_it_cannot_be_read),
        cmocka_unit_test(places),
        cmocka_unit_test(overrides),
        cmocka_unit_test(random_files),
        cmocka_unit_test(defaults),
        cmocka_unit_test(values),
        cmocka_unit_test(layers),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(mandatory_keys),
        cmocka_unit_test(two_tables),
        cmocka_unit_test(sound_tables),
        cmocka_unit_test(nearest),
        cmocka_unit_test(pipeline_section),
        cmocka_unit_test(filters_d),
    };
    return cmocka_run_group_tests_name("settings", tests, set_up, tear_down);
}
