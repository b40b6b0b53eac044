/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is known of a terminal, and the pager in front of it. */
#ifndef TCFLOW_FRAMEWORK_TERMINAL_H
#define TCFLOW_FRAMEWORK_TERMINAL_H

#include <stddef.h>

/* Letters in a line: of the terminal, else what COLUMNS says; 0: unknown. */
size_t terminal_width(int fd);
/* Is it a terminal that shows colours, and NO_COLOR isn't set? */
int terminal_has_colours(int fd);

/* Has what is written to standard output from now on shown by a pager, as git does it: TCFLOW_PAGER, else PAGER, else
 * less, which ends at once where all fits. Nothing happens where standard output is no terminal, or the pager is "" or
 * "cat". Text that follows is lost only where the reader has left the pager: pager_ended_early(). */
void pager_begin(void);
/* Waits until the reader is done; standard output is the terminal again. */
void pager_end(void);
/* Has the reader left a pager before all was written? */
int pager_ended_early(void);

#endif
