/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Command lines by tables of options; see options.h. getopt_long() takes argv apart, quietly: what is wrong is said
 * here, where the nearest name is known. */
#include "options.h"
#include "framework/base/error.h"
#include "framework/base/names.h"
#include "settings.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(unknown version)"
#endif

enum { MOST_ROWS = 64, HELP_COLUMN = 27, HELP_WIDTH = 110, FIRST_LONG = 256 };

static const option_row version_row = {0, "version", NULL, "what version this is", .type = TCF_BOOL};
static const option_row help_row = {'h', "help", NULL, "this text", .type = TCF_BOOL};

static const option_row *row_at(const option_table *t, size_t i)
{
    return i < t->n_rows ? &t->rows[i] : i == t->n_rows ? &version_row : &help_row;
}

static int is_option(const option_row *row)
{
    return row->letter || row->name;
}

static int value_is_optional(const option_row *row)
{
    return row->value && row->value[0] == '[';
}

/* ---------------------------------------------------------------------------------------------------------- help -- */

/* Text from column HELP_COLUMN on, which the cursor has reached. Blanks inside of a line stay. */
static void put_help(const char *text)
{
    const size_t width = HELP_WIDTH - HELP_COLUMN;

    for (;;) {
        size_t n = strcspn(text, "\n"), all = n;
        if (n > width)
            for (n = width; n > 0 && text[n] != ' ';)
                n--;
        n = n ? n : all;
        printf("%.*s\n", (int)n, text);
        text += n + (text[n] != '\0');
        if (!*text)
            return;
        printf("%*s", HELP_COLUMN, "");
    }
}

/* "  -c, --config FILE" into a line of `used` letters; the letters then used. */
static size_t put_names(const option_row *row, size_t used)
{
    size_t n = 0;

    if (used)
        n += (size_t)printf(", ");
    else
        n += (size_t)printf(row->letter ? "  " : "      ");
    if (row->letter)
        n += (size_t)printf("-%c%s", row->letter, row->name ? ", " : "");
    if (row->name)
        n += (size_t)printf("--%s", row->name);
    if (row->value)
        n += (size_t)printf("%s%s", value_is_optional(row) ? "" : " ", row->value);
    return used + n;
}

static void put_all_help(const option_table *t)
{
    char text[2048];
    size_t used = 0;

    fputs(t->above, stdout);
    for (size_t i = 0; i < t->n_rows + 2; i++) {
        const option_row *row = row_at(t, i);
        if (!is_option(row)) {
            printf("%s\n", row->help);
            continue;
        }
        used = put_names(row, used);
        if (!row->help)
            continue;
        int given = row->default_value && *row->default_value;
        snprintf(text, sizeof text, "%s%s%s%s", row->help, given ? " (" : "", given ? row->default_value : "",
                 given ? ")" : "");
        printf("%*s", used + 2 > HELP_COLUMN ? 2 : (int)(HELP_COLUMN - used), "");
        put_help(text);
        used = 0;
    }
    fputs(t->below, stdout);
}

static tcf_status answer(const option_table *t, const option_row *row)
{
    if (row == &help_row)
        put_all_help(t);
    else if (t->version)
        t->version();
    else
        printf("%s %s\n", t->program, PACKAGE_VERSION);
    return fflush(stdout) == 0 ? TCF_HELD : error_fail("cannot write to standard output: %s", strerror(errno));
}

/* -------------------------------------------------------------------------------------------------------- values -- */

static tcf_status take(const option_row *row, void *conf, const char *what, const char *value)
{
    const tcf_param param = {.key = row->name,
                             .type = row->type,
                             .default_value = row->default_value,
                             .min = row->min,
                             .max = row->max,
                             .choices = row->choices};
    void *to = (char *)conf + row->offset;
    string_store *none = NULL; /* neither strings nor lists */
    const int flag = !row->value;

    if (row->take)
        return row->take(to, what, value);
    if (row->type == TCF_STRING || row->type == TCF_INPUT_PATH || row->type == TCF_OUTPUT_PATH)
        memcpy(to, &value, sizeof value);
    else if (value)
        return settings_value(&param, value, what, to, &none);
    else
        memcpy(to, &flag, sizeof flag);
    return TCF_OK;
}

static tcf_status set_defaults(const option_table *t, void *conf)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (t->rows[i].default_value && take(&t->rows[i], conf, t->rows[i].name, t->rows[i].default_value) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- errors -- */

/* `word`: what stands behind the two dashes. */
static tcf_status unknown(const option_table *t, const char *word)
{
    const char *names[MOST_ROWS + 2], *meant[2];
    char plain[64];
    size_t n = 0, n_meant = 0, length = strcspn(word, "=");

    snprintf(plain, sizeof plain, "%.*s", (int)length, word);
    for (size_t i = 0; i < t->n_rows + 2; i++) {
        const char *name = row_at(t, i)->name;
        if (name)
            names[n++] = name;
        if (name && strncmp(name, word, length) == 0 && n_meant < 2)
            meant[n_meant++] = name;
    }
    if (n_meant == 2)
        return error_usage("--%s: is this --%s or --%s?", plain, meant[0], meant[1]);
    const char *near = nearest_name(plain, names, n);
    if (near)
        return error_usage("--%s: unknown option; did you mean --%s?", plain, near);
    return error_usage("--%s: unknown option; %s --help lists them", plain, t->program);
}

/* ------------------------------------------------------------------------------------------------------- parsing -- */

static const option_row *row_of(const option_table *t, int option)
{
    if (option >= FIRST_LONG)
        return row_at(t, (size_t)(option - FIRST_LONG));
    for (size_t i = 0; option && i < t->n_rows + 2; i++)
        if (row_at(t, i)->letter == option)
            return row_at(t, i);
    return NULL;
}

/* `option`: what getopt_long() returned. */
static tcf_status take_option(const option_table *t, void *conf, int option, char **argv)
{
    const int bad = option == '?' || option == ':';
    const int number = bad ? optopt : option;
    const option_row *row = row_of(t, number);
    char what[64]; /* the option as it was given */

    if (!row && optopt)
        return error_usage("-%c: unknown option; %s --help lists them", optopt, t->program);
    if (!row)
        return unknown(t, argv[optind - 1] + 2);
    if (number >= FIRST_LONG)
        snprintf(what, sizeof what, "--%s", row->name);
    else
        snprintf(what, sizeof what, "-%c", number);
    if (option == ':')
        return error_usage("%s: needs a value: %s %s", what, what, row->value);
    if (bad)
        return error_usage("%s: takes no value, but there is '%s'", what, strchr(argv[optind - 1], '=') + 1);
    return row == &version_row || row == &help_row ? answer(t, row) : take(row, conf, what, optarg);
}

tcf_status options_parse(const option_table *t, void *conf, int argc, char **argv, int *first)
{
    struct option names[MOST_ROWS + 3];
    char letters[3 * MOST_ROWS + 4] = ":";
    size_t n = 0, used = 1;
    int option;

    if (t->n_rows > MOST_ROWS)
        return error_fail("%s has more than %d options", t->program, MOST_ROWS);
    for (size_t i = 0; i < t->n_rows + 2; i++) {
        const option_row *row = row_at(t, i);
        int takes = !row->value ? no_argument : value_is_optional(row) ? optional_argument : required_argument;
        if (row->name)
            names[n++] = (struct option){row->name, takes, NULL, FIRST_LONG + (int)i};
        if (row->letter)
            used += (size_t)snprintf(letters + used, sizeof letters - used, "%c%s", row->letter, row->value ? ":" : "");
    }
    names[n] = (struct option){NULL, 0, NULL, 0};
    opterr = 0;
    optind = 0; /* from the start, whatever has been parsed before */
    if (set_defaults(t, conf) != TCF_OK)
        return TCF_ERROR;
    while ((option = getopt_long(argc, argv, letters, names, NULL)) != -1) {
        tcf_status status = take_option(t, conf, option, argv);
        if (status != TCF_OK)
            return status;
    }
    *first = optind;
    return TCF_OK;
}
