/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The programs that a run starts. Each is named, with its arguments, before the process is restricted (sandbox.h). A
 * restricted process starts nothing itself: a helper does, a process that was forked before and knows what was named.
 * It takes no names from the restricted process, but descriptors alone, which become standard input and output of the
 * program. Without a helper the process itself starts them.
 *
 * For the thread that runs main(); the process has one set of programs. */
#ifndef TCFLOW_FRAMEWORK_PROGRAMS_H
#define TCFLOW_FRAMEWORK_PROGRAMS_H

#include <tcflow/filter.h>

typedef enum program_id { PROGRAM_PAGER, PROGRAM_PAGE, PROGRAMS } program_id;

/* arguments: an absolute path, then its arguments, NULL at the end; they are copied. Again: replaces them, unless there
 * is a helper, which stays with what it knows. */
tcf_status programs_name(program_id p, const char *const *arguments);
/* Forks the helper, where a program has been named or there is a folder. The helper removes that folder, an empty one,
 * when the process has ended, however it has; may be NULL. While the process has one thread. */
tcf_status programs_hand_over(const char *folder);
/* Ends the helper, and waits until it has. Without one nothing happens. Forgets all names. */
void programs_end(void);

/* Starts a program; in, out: its standard input and output. One of each name at a time. */
tcf_status program_start(program_id p, int in, int out);
/* Waits for its end. *status: as of waitpid(). */
tcf_status program_wait(program_id p, int *status);

#endif
