/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* pipeline.ini: what is read, and for everything that is wrong the message with file, line and key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "ini_file.h"

/* -------------------------------------------------------------------------------------------------------- syntax -- */

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
        {"[a]\nnonsense\n", "PATH:2: expected 'key = value'"},
        {"[a]\n  nonsense\n", "PATH:2: expected 'key = value'"},
        {"[a]\nk: 1\n", "PATH:2: expected 'key = value'"},
        {"[a]\nk l = 1\n", "PATH:2: expected 'key = value'"},
        {"[a]\nk:l = 1\n", "PATH:2: expected 'key = value'"},
        {"[a]\n= 1\n", "PATH:2: expected 'key = value'"},
        {"[a]\n\"k\" = 1\n", "PATH:2: expected 'key = value'"},
        {"[a]\nk = 1\n[b]\n  more\n", "PATH:4: expected 'key = value'"},
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
        assert_int_equal(s != NULL, n + 4 <= 4095);
        if (s)
            assert_int_equal(strlen(value_of(s, "a", "k")), n);
        else
            assert_error("PATH:2: line has more than 4095 characters; a longer value goes on in the next line", text);
        settings_free(s);

        /* as a continuation, and as a comment, which may have any length */
        at = (size_t)snprintf(text, sizeof text, "[a]\nk = 1\n  ");
        memset(text + at, 'x', n);
        snprintf(text + at + n, sizeof text - at - n, "\n");
        s = load(text);
        assert_int_equal(s != NULL, n + 2 <= 4095);
        if (s)
            assert_int_equal(strlen(value_of(s, "a", "k")), n + 2);
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

/* Values of words, with blanks, commas, '#', ';' and '=' among them, in lines and continued lines around the 197
 * characters that inih gets: nothing is added, and nothing is missing. */
static void values_are_whole(void **state)
{
    static const char *const words[] = {"a", "bc ", "  ", "#", "x;", "=", ", ", "[d]", ":"};
    char text[2000], expected[2000];
    uint64_t random = 1;
    (void)state;
    for (int run = 0; run < 4000; run++) {
        size_t at = (size_t)snprintf(text, sizeof text, "[a]\nk =%*s", run % 7 == 0 ? 185 + run % 20 : run % 3, ""),
               n = 0;
        expected[0] = '\0';
        for (int line = 0; line < 1 + run % 3; line++) {
            const size_t start = n, words_of_line = 50 + (size_t)run % 90;
            if (line > 0) {
                at += (size_t)snprintf(text + at, sizeof text - at, "\n  ");
                n += (size_t)snprintf(expected + n, sizeof expected - n, " ");
            }
            const size_t first = n;
            /* a word without blank and '=' at both ends: it is neither a comment nor a key */
            n += (size_t)snprintf(expected + n, sizeof expected - n, "<-+");
            for (size_t i = 0; i < words_of_line; i++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                const char *word = words[(random >> 33) % COUNT(words)];
                if (*word == '=' && n - first < 5)
                    continue;
                n += (size_t)snprintf(expected + n, sizeof expected - n, "%s", word);
            }
            n += (size_t)snprintf(expected + n, sizeof expected - n, ".");
            assert_true(n < sizeof expected && start < n);
            at += (size_t)snprintf(text + at, sizeof text - at, "%s", expected + first);
        }
        snprintf(text + at, sizeof text - at, "\nl = 2\n[b]\nk = 3\n");
        settings *s = load(text);
        if (!s)
            fail_msg("%s: %s", error_text(), text);
        assert_string_equal(value_of(s, "a", "k"), expected);
        assert_string_equal(value_of(s, "a", "l"), "2");
        assert_string_equal(value_of(s, "b", "k"), "3");
        settings_free(s);
    }
    snprintf(text, sizeof text, "[a]\nk%300s= 1\n", "");
    assert_null(load(text));
    assert_error("PATH:2: expected [section], or key and '=', within the first 197 characters", text);
    snprintf(text, sizeof text, "[%300sa]\nk = 1\n", "");
    assert_null(load(text));
    assert_error("PATH:1: expected [section], or key and '=', within the first 197 characters", text);
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
    static const char *const bad[] =
        {"",        "a",       "a=1",   "a.=1",
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
    static const char *const piece[] = {"[",    "]",    "a",     "[a]",   "[pipeline]", "=",
                                        " = ",  "\n",   "\r\n",  " ",     "\t",         ";",
                                        "#",    "${",   "}",     "$",     "k",          "\xef\xbb\xbf",
                                        "\x80", "\xff", "chain", "input", "x y z",      ":",
                                        ".",    "\"",   "1us",   "\n\n",  "\n  "};
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
            string_store *storage = NULL;
            settings_pipeline(s, &conf, &storage);
            store_free(storage);
        }
        settings_free(s);
    }
}

/* ---------------------------------------------------------------------------------------------------- [pipeline] -- */

static void pipeline_section(void **state)
{
    static const struct {
        const char *text, *error; /* NULL: good */
    } of[] = {
        {"[pipeline]\ninput = x\nchain = a b\n[a]\n[b]\nk = 1\n", NULL},
        {"[pipeline]\ninput = x\nchain = a,b a\n", NULL},
        {"[pipeline]\ninput = x\nchain = a\nsurvey = s\n[s]\nk=1\n", NULL},
        {"[pipeline]\ninput = x\nchain = a\nreports = a\n", NULL},
        {"[pipeline]\ninput = x\nchain = a\nreports = b\n",
         "PATH:4: pipeline.reports: neither chain nor survey names an instance 'b'"},
        {"", "PATH: there is no section [pipeline]"},
        {"[pipline]\ninput = x\n", "PATH:1: there is no section [pipeline], but [pipline]; did you mean 'pipeline'?"},
        {"[pipeline]\nchain = a\n", "PATH:1: pipeline.input: must be given"},
        {"[pipeline]\ninput = x\n", "PATH:1: pipeline.chain: must be given"},
        {"[pipeline]\ninput = x\nchain =\n", "PATH:3: pipeline.chain: needs a value"},
        {"[pipeline]\ninput = x\nchain = ,\n",
         "PATH:3: pipeline.chain: ',' is out of range: expected at least 1 items"},
        {"[pipeline]\ninput = x\nchain = a;b\n", "PATH:3: pipeline.chain: 'a;b' cannot be the name of an instance"},
        {"[pipeline]\ninput = x\nchain = pipeline\n", "PATH:3: pipeline.chain: 'pipeline' cannot be the name"},
        {"[pipeline]\ninput = x\nchain = a\nmemory = 1k\n", "PATH:4: pipeline.memory: '1k' is out of range"},
        {"[pipeline]\ninput = x\nchain = a\nmemroy = 1M\n",
         "PATH:4: pipeline.memroy: unknown key; did you mean 'memory'?"},
        {"[pipeline]\ninput = x\nchain = alpha\n[alhpa]\n",
         "PATH:4: section [alhpa]: neither chain nor survey names an instance 'alhpa'; did you mean 'alpha'?"},
        {"[pipeline]\ninput = x\nchain = alpha\n[zzz]\n", "PATH:4: section [zzz]: neither chain nor survey names an "
                                                          "instance 'zzz'; if it is a reader, add 'source = zzz' to "
                                                          "[pipeline]"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(of); i++) {
        string_store *storage = NULL;
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
            assert_int_equal(conf.memory, 0);
        store_free(storage);
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
        cmocka_unit_test(values_are_whole),
        cmocka_unit_test(lines_without_end),
        cmocka_unit_test(where_it_cannot_be_read),
        cmocka_unit_test(places),
        cmocka_unit_test(overrides),
        cmocka_unit_test(random_files),
        cmocka_unit_test(pipeline_section),
        cmocka_unit_test(filters_d),
    };
    return cmocka_run_group_tests_name("settings", tests, set_up, tear_down);
}
