/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Errors as a chain of causes: the innermost reason first, then what each layer was doing. Each thread has one chain.
 *
 *     return error_fail("cannot open '%s': %s", path, strerror(errno));       the reason; replaces an older chain
 *     ...
 *     return error_while("reading the definitions of '%s'", anchor);          a caller adds what it was doing
 *
 * Both return TCF_ERROR. error_print() prints the chain as one paragraph; nothing is printed before. */
#ifndef TCFLOW_FRAMEWORK_ERROR_H
#define TCFLOW_FRAMEWORK_ERROR_H

#include <stdio.h>
#include <tcflow/filter.h>

tcf_status error_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
tcf_status error_while(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As error_fail(), for errors of the user in settings or on the command line: the exit status becomes 2, whatever
 * error_while() adds. error_as_usage() gives a recorded failure this class (a filter's init() has refused a combination
 * of parameters) and returns TCF_ERROR. An error of the machine (I/O, a full disk, memory) is none of the user's, so
 * that a reason which ends with what the system calls it (strerror()), or begins with "out of memory", is never of this
 * class. */
tcf_status error_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
tcf_status error_as_usage(void);
int error_is_usage(void);

/* The chain as text, "" when there is none; valid until the next call of this header on this thread. */
const char *error_text(void);
void error_clear(void);
void error_print(FILE *stream);

/* Messages that are not errors. A message is printed when its level is at most error_verbosity (-q, -v), and starts
 * with "tcflow: ". */
extern tcf_log_level error_verbosity;
/* What a run says without being asked: printed unless -q was given. */
void error_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Likewise, but said by error_say_kept(), behind all else that is to be said. */
void error_say_at_end(const char *format, ...) __attribute__((format(printf, 1, 2)));
void error_say_kept(void);
void error_log(tcf_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void error_vlog(tcf_log_level level, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Do lines on standard error have colours? Not until this is set. */
extern int error_colours;

/* Writes a line at the bottom of the terminal, which the next message or status replaces; NULL removes it. Where stderr
 * is no terminal each status is a line of its own. */
void error_status_line(const char *text);

#endif
