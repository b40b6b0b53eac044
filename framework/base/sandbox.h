/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Takes from the process what a run doesn't need, once its plugins are loaded and before it looks at what a stranger
 * has made: a defect in a reader or a plugin then reaches the files of the run and no others.
 *
 * Landlock (Linux 5.13 and later) leaves the files and folders that are named here, and what the system's libraries
 * read; seccomp leaves no calls that start programs, change other processes or the system, share memory with them,
 * change who may read a file, or make sockets of kinds that the run has no use for. What is open already stays open.
 * Both hold for all threads that start later, and until the process ends. Landlock knows folders, not files that are to
 * come: whatever lies below an output's folder can be read and written.
 *
 * A helper, forked before, starts the programs that have been named by then (programs.h), and removes the folder of
 * temporary files. */
#ifndef TCFLOW_FRAMEWORK_SANDBOX_H
#define TCFLOW_FRAMEWORK_SANDBOX_H

#include <stddef.h>
#include <tcflow/filter.h>

typedef struct sandbox sandbox;

/* NULL: out of memory. */
sandbox *sandbox_new(void);
void sandbox_free(sandbox *s);

/* What is to stay. A file, or a folder and what is below; what doesn't exist is left out. The first allocation that
 * fails is told by sandbox_enter(). */
void sandbox_reads(sandbox *s, const char *path);
/* An output: its folder, in which it and files beside it are made, renamed and removed; of a device or a FIFO that
 * alone. */
void sandbox_writes(sandbox *s, const char *path);
/* Sockets of this family (AF_UNIX; AF_INET stands for AF_INET6, too). */
void sandbox_takes_sockets(sandbox *s, int family);

/* Why nothing is restricted although the system could: the program is instrumented, and what it is instrumented with
 * writes files, or watches its process, by itself. NULL: it is not. */
const char *sandbox_is_in_the_way_of(void);

/* Restricts the process, for the rest of its life. While it has one thread. What the system doesn't have is left out,
 * unless `all`: an error then. Writes what is restricted, and why not more: "sandbox: files by Landlock 7; system calls
 * by seccomp", or "no sandbox: ...". Temporary files get a folder of their own in TMPDIR, which becomes that. */
tcf_status sandbox_enter(sandbox *s, int all, char *to, size_t capacity);

#endif
