/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the tools' programs share: messages that end the program, memory, and the command line. Memory that is needed
 * until the end is not freed. */
#ifndef TCFLOW_TOOLS_PROGRAM_H
#define TCFLOW_TOOLS_PROGRAM_H

#include "framework/base/output.h"
#include "framework/settings/options.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

/* "tcflow-synth"; each program defines it. */
extern const char program_name[];

/* Prints "PROGRAM: KIND" and a text, of which a terminal obeys nothing. */
void say(const char *kind, const char *text);
/* Fails where something of standard output is lost. */
void complete_standard_output(void);
/* Print a message and end the program. The function is called before that, unless it is NULL. */
extern void (*before_last_words)(void);
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Return memory (allocate() zeros) or end the program. */
void *allocate(size_t n, size_t size);
void *enlarge(void *memory, size_t n, size_t size);

/* Return a text, to be freed, or end the program. */
char *format_list(const char *format, va_list arguments);
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Open an output (framework/base/output.h), and complete it, or end the program; complete_output() then removes it. */
FILE *open_output(const char *path, tcf_output *o);
void complete_output(tcf_output *o, FILE *file, int overwrite);

/* Ends the program where `output` (NULL: none) is a file that is read: a database, an anchor file, or another file of
 * its archive. */
void spare_input(const char *output, const char *input);

/* Options that may be given several times: take_name() is .take of their rows. */
struct names {
    const char **at;
    uint32_t n;
    bool *met; /* for whoever looks for them */
};
tcf_status take_name(void *names, const char *what, const char *value);

/* Reads a number, which may have a % behind it. -1: it is none. */
int read_percent(const char *value, double *percent);

/* As options_parse(), but returns *first, and ends the program after --help, --version and failures. */
int take_options(const option_table *table, void *conf, int argc, char **argv);

#endif
