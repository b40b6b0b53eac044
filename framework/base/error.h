/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Errors as a chain of causes: the innermost reason first, then what each layer was doing. One chain a thread.
 *
 *     return tcf_fail("cannot open '%s': %s", path, strerror(errno));       the reason; forgets an older chain
 *     ...
 *     return tcf_while("reading the definitions of '%s'", anchor);          a caller adds what it was doing
 *
 * Both return TCF_ERROR. Nothing is printed before error_print(), which makes one readable paragraph of the chain. */
#ifndef TCFLOW_FRAMEWORK_ERROR_H
#define TCFLOW_FRAMEWORK_ERROR_H

#include <stdio.h>
#include <tcflow/filter.h>

tcf_status tcf_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
tcf_status tcf_while(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As tcf_fail(), for what the user got wrong in the settings or on the command line: the exit status becomes 2. The
 * chain stays of this class whatever tcf_while() adds; error_as_usage() turns a recorded failure into one (a filter's
 * init() that refuses a combination of parameters) and returns TCF_ERROR. */
tcf_status tcf_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
tcf_status error_as_usage(void);
int error_is_usage(void);

/* The chain as text, "" when there is none; valid until the next call on this thread. */
const char *error_text(void);
void error_clear(void);
void error_print(FILE *stream);

/* Messages that are not errors; what is printed depends on -q/-v (error_verbosity). Lines start with "tcflow: ". */
extern tcf_log_level error_verbosity;
void tcf_log(tcf_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tcf_vlog(tcf_log_level level, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* A line at the bottom of the terminal that the next message or status replaces; NULL takes it away. Where stderr is
 * no terminal each one is a line of its own. */
void error_status_line(const char *text);

#endif
