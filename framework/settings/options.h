/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of a program: a table of options drives parsing, defaults, messages and --help. Values are read as
 * those of settings are (params.c). Long names may be cut short, options may stand behind arguments. Every program
 * also has --version and -h, --help. */
#ifndef TCFLOW_FRAMEWORK_OPTIONS_H
#define TCFLOW_FRAMEWORK_OPTIONS_H

#include <stdio.h>
#include <tcflow/filter.h>

typedef struct option_row {
    char letter;       /* 'c' for -c; 0: none */
    const char *name;  /* "config" for --config; NULL: none. A row with neither is a heading: its help */
    const char *value; /* what --help calls the value: "FILE"; "[=FORM]": it may be left out; NULL: there is none */
    const char *help;  /* lines end with \n, long ones are broken; NULL: the next row shares its line with this one */

    /* Where the value goes and what it must be, as in tcf_param; strings and paths point into argv. An option without
     * a value is TCF_BOOL, and its member becomes 1. An option whose value is left out is TCF_ENUM, and its member
     * becomes the first choice. No list. */
    tcf_param_type type;
    size_t offset;
    const char *default_value; /* NULL: the member stays as the caller has set it */
    const char *min, *max, *choices;
    /* Takes the value instead. `to` is conf + offset, `what` the option as it was given, for messages. TCF_HELD: the
     * program has answered and ends, as after --help. */
    tcf_status (*take)(void *to, const char *what, const char *value);
} option_row;

typedef struct option_table {
    const char *program; /* "tcflow-synth" */
    const option_row *rows;
    size_t n_rows;
    const char *above, *below; /* what --help says above and below the options */
    void (*version)(void);     /* prints more than the program's name and version; NULL: these */
} option_table;

/* Sets the defaults, then takes the options. *first: where argv, which gets a new order, has its first argument that is
 * no option. TCF_HELD: --help or --version was answered. The failure is error_usage(), or error_fail() when standard
 * output cannot be written to. */
tcf_status options_parse(const option_table *table, void *conf, int argc, char **argv, int *first);

#endif
