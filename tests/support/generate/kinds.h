/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The kinds of traces that the program `trace` writes, and how they take their options. */
#ifndef TCFLOW_TESTS_KINDS_H
#define TCFLOW_TESTS_KINDS_H

#include "framework/settings/options.h"

/* The command line, and what main.c knows of the kind that it names. */
struct command {
    const char *name, *help;
    int argc;
    char **argv;
};

/* Each writes a trace and returns the program's exit status. */
int write_bench(const struct command *c);
int write_random(const struct command *c);
int write_odd(const struct command *c);
int write_quiet(const struct command *c);
int write_no_messages(const struct command *c);
int write_everything(const struct command *c);
int write_extremes(const struct command *c);
int write_hostile(const struct command *c);
int write_large(const struct command *c);

/* Where the value of an option of the kind goes: each kind has its own struct options. */
#define AT(member) .offset = offsetof(struct options, member)

/* Fills *options by its N rows. Its first member is the name of the folder to write to, which all kinds get by --out.
 * Ends the program after --help (0), or after a message about wrong usage (2). */
void take_options(const struct command *c, const option_row *rows, size_t n, void *options);
_Noreturn void wrong_usage(const struct command *c, const char *why);

#endif
