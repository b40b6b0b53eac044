/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Command lines: what a table takes and from where, defaults, arguments between options, what is refused and how, and
 * --help. */
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
#include "framework/settings/options.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct conf {
    const char *file, *taken;
    int quiet, form, answered;
    uint64_t ranks;
    double share;
    int64_t n;
};

static tcf_status take(void *to, const char *what, const char *value)
{
    const char **taken = to;
    *taken = value;
    return strcmp(value, "bad") == 0 ? error_usage("%s: bad", what) : TCF_OK;
}

static tcf_status answer(void *conf, const char *what, const char *value)
{
    (void)what, (void)value;
    ((struct conf *)conf)->answered = 1;
    return TCF_HELD;
}

#define AT(member) .offset = offsetof(struct conf, member)
static const option_row rows[] = {
    {.help = "Heading"},
    {'f', "file", "FILE", "a file", TCF_INPUT_PATH, AT(file)},
    {'o', NULL, "KEY=VALUE", "only a letter", AT(taken), .take = take},
    {'q', "quiet", NULL, "says nothing", AT(quiet)},
    {0, "form", "[=json]", "may be left out", TCF_ENUM, AT(form), .choices = "text|json"},
    {0, "ranks", "N", "how many", TCF_SIZE, AT(ranks), .default_value = "4", .min = "1", .max = "1k"},
    {0, "share", "F",
     "a number with a rather long text that does not fit into one line of the screen, by far, as everybody sees",
     TCF_DOUBLE, AT(share), .max = "1"},
    {0, "several", NULL, NULL, AT(quiet)},
    {0, "names", NULL, "first line\nsecond line", AT(quiet)},
    {0, "number", "N", "whole", TCF_INT, AT(n), .default_value = "-3"},
    {0, "taken", "WORD", "by a function", AT(taken), .take = take, .default_value = "at first"},
    {0, "answer", NULL, "at once", .take = answer},
};
static const option_table table = {.program = "prog",
                                   .rows = rows,
                                   .n_rows = COUNT(rows),
                                   .above = "Usage: prog\n\n",
                                   .below = "The end.\n"};

enum { MOST = 16 };

/* The words of a command line, parted by blanks. */
static tcf_status parse(const char *line, struct conf *c, char **argument, int *n_arguments)
{
    static char words[256];
    static char *argv[MOST];
    int argc = 1, first = 0;

    snprintf(words, sizeof words, "%s", line);
    argv[0] = (char[]){"prog"};
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    *c = (struct conf){.form = -1};
    tcf_status status = options_parse(&table, c, argc, argv, &first);
    *n_arguments = argc - first;
    *argument = argv[first];
    return status;
}

static void defaults(void **state)
{
    struct conf c;
    char *argument;
    int n;
    (void)state;
    assert_int_equal(parse("", &c, &argument, &n), TCF_OK);
    assert_int_equal(n, 0);
    assert_null(c.file);
    assert_int_equal(c.ranks, 4);
    assert_int_equal(c.n, -3);
    assert_int_equal(c.form, -1);
    assert_string_equal(c.taken, "at first");
}

static void values(void **state)
{
    struct conf c;
    char *argument;
    int n;
    (void)state;
    assert_int_equal(parse("a -qf x --ranks=1k b --share 0.5 --form --taken -1", &c, &argument, &n), TCF_OK);
    assert_int_equal(n, 2);
    assert_string_equal(argument, "a");
    assert_string_equal(c.file, "x");
    assert_string_equal(c.taken, "-1");
    assert_int_equal(c.quiet, 1);
    assert_int_equal(c.ranks, 1000);
    assert_int_equal(c.form, 0);
    assert_true(fabs(c.share - 0.5) < 1e-12);
    assert_int_equal(parse("--form=json -ok=v --fi=y --ran 2 -- --quiet", &c, &argument, &n), TCF_OK);
    assert_int_equal(c.form, 1);
    assert_string_equal(c.file, "y");
    assert_string_equal(c.taken, "k=v");
    assert_int_equal(c.ranks, 2);
    assert_int_equal(c.quiet, 0);
    assert_string_equal(argument, "--quiet");
    assert_int_equal(parse("--answer --ranks none", &c, &argument, &n), TCF_HELD);
    assert_int_equal(c.answered, 1);
}

static void refused(void **state)
{
    static const struct {
        const char *line, *error;
    } bad[] = {
        {"--ranks 0", "--ranks: '0' is out of range: expected 1 to 1k"},
        {"--ranks some", "--ranks: 'some' is no whole number or size"},
        {"--ranks 3x", "--ranks: '3x' has an unknown unit"},
        {"--share 2", "--share: '2' is out of range: expected at most 1"},
        {"--number 1.5", "--number: '1.5' is not a whole number"},
        {"--form=jsen", "--form: 'jsen' is not one of text|json; did you mean 'json'?"},
        {"--taken bad", "--taken: bad"},
        {"--ranks", "--ranks: needs a value: --ranks N"},
        {"-f", "-f: needs a value: -f FILE"},
        {"-o", "-o: needs a value: -o KEY=VALUE"},
        {"--quiet=yes", "--quiet: takes no value, but there is 'yes'"},
        {"--rnaks 3", "--rnaks: unknown option; did you mean --ranks?"},
        {"--rnaks=3", "--rnaks: unknown option; did you mean --ranks?"},
        {"--something-else", "--something-else: unknown option; prog --help lists them"},
        {"--n 3", "--n: is this --names or --number?"},
        {"-x", "-x: unknown option; prog --help lists them"},
        {"-qx", "-x: unknown option; prog --help lists them"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct conf c;
        char *argument;
        int n;
        if (parse(bad[i].line, &c, &argument, &n) != TCF_ERROR)
            fail_msg("%s was taken", bad[i].line);
        if (strncmp(error_text(), bad[i].error, strlen(bad[i].error)) != 0)
            fail_msg("%s: %s", bad[i].line, error_text());
        assert_true(error_is_usage());
    }
}

static void help(void **state)
{
    static const char expected[] = "Usage: prog\n"
                                   "\n"
                                   "Heading\n"
                                   "  -f, --file FILE          a file\n"
                                   "  -o KEY=VALUE             only a letter\n"
                                   "  -q, --quiet              says nothing\n"
                                   "      --form[=json]        may be left out\n"
                                   "      --ranks N            how many (4)\n"
                                   "      --share F            a number with a rather long text that does not fit into "
                                   "one line of the screen, by\n"
                                   "                           far, as everybody sees\n"
                                   "      --several, --names   first line\n"
                                   "                           second line\n"
                                   "      --number N           whole (-3)\n"
                                   "      --taken WORD         by a function (at first)\n"
                                   "      --answer             at once\n"
                                   "      --version            what version this is\n"
                                   "  -h, --help               this text\n"
                                   "The end.\n";
    char said[sizeof expected + 100] = "";
    struct conf c;
    char *argument;
    int n, before = dup(STDOUT_FILENO);
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    tcf_status status = parse("--ranks 3 --help --nonsense", &c, &argument, &n);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    size_t length = fread(said, 1, sizeof said - 1, file);
    said[length] = '\0';
    fclose(file);
    assert_int_equal(status, TCF_HELD);
    assert_string_equal(said, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(values),
        cmocka_unit_test(refused),
        cmocka_unit_test(help),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
