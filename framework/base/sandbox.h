/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Takes from the process what a run doesn't need, once its plugins are loaded and before it looks at what a stranger
 * has made: a defect in a reader or a plugin then reaches the files of the run and no others.
 *
 * Landlock (Linux 5.13 and later) leaves the files and folders that are named here, and what the system's libraries
 * read; seccomp leaves no calls that start programs, change other processes or the system, or make sockets of kinds
 * that the run has no use for. What is open already stays open. Both hold for all threads that start later, and until
 * the process ends. Landlock knows folders, not files that are to come: whatever lies below an output's folder can be
 * read and written.
 *
 * A program that is to be started at the end is forked before, and waits (sandbox_program_*). */
#ifndef TCFLOW_FRAMEWORK_SANDBOX_H
#define TCFLOW_FRAMEWORK_SANDBOX_H

#include <stddef.h>
#include <sys/types.h>
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

/* Writes what the system offers: "files by Landlock 7, system calls by seccomp". *whole: both are there. Returns
 * `to`. */
const char *sandbox_describe(int *whole, char *to, size_t capacity);

/* Restricts the process, for the rest of its life. While it has one thread. What the system doesn't have is left out,
 * unless `all`: an error then. Temporary files get a folder of their own in TMPDIR, which becomes that. */
tcf_status sandbox_enter(sandbox *s, int all);
/* Removes the folder of temporary files. For the end of the process. */
void sandbox_leave(void);

/* A program that waits to be started. */
typedef struct sandbox_program {
    pid_t helper; /* 0: there is none */
    int start;    /* a byte in this pipe starts it, its end ends the helper */
} sandbox_program;

/* Forks a helper that starts `path` with these arguments (the last is NULL) when it is told to. */
tcf_status sandbox_program_prepare(sandbox_program *p, const char *path, char *const arguments[]);
/* Starts it and waits for its end. *status: as from waitpid(); 127 from exit() where it cannot be started. */
tcf_status sandbox_program_run(sandbox_program *p, int *status);
/* Ends a helper that has not been told to start anything. May be called twice. */
void sandbox_program_drop(sandbox_program *p);

#endif
