/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tcflow that reads the trace: a child, of which this program reads what the filter `live` writes and, to show its
 * last words, what it says. */
#define _GNU_SOURCE /* pipe2() */
#include "top.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void be_reader(const char *tcflow, char **arguments, bool reads_input, const int out[2],
                                const int said[2])
{
    const int nothing = open("/dev/null", O_RDONLY);
    if (!reads_input)
        dup2(nothing, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(said[1], STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execvp(tcflow, arguments);
    fprintf(stderr, "%s cannot be started: %s\n", tcflow, strerror(errno));
    _exit(EXIT_USAGE);
}

void reader_start(struct reader *r, const char *tcflow, char **arguments, bool reads_input)
{
    int out[2], said[2];
    *r = (struct reader){.from = -1, .said = -1};
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0 || (r->child = fork()) < 0)
        fail("cannot start %s: %s", tcflow, strerror(errno));
    if (r->child == 0)
        be_reader(tcflow, arguments, reads_input, out, said);
    close(out[1]);
    close(said[1]);
    r->from = out[0];
    r->said = said[0];
    fcntl(r->from, F_SETFL, O_NONBLOCK);
    fcntl(r->said, F_SETFL, O_NONBLOCK);
}

/* Keeps the end of what tcflow says. */
static void take_said(struct reader *r)
{
    char more[SAID_BYTES / 4];
    const ssize_t n = r->said >= 0 ? read(r->said, more, sizeof more) : -1;
    if (n > 0) {
        const size_t room = sizeof r->text - 1,
                     over = r->text_bytes + (size_t)n > room ? r->text_bytes + (size_t)n - room : 0;
        memmove(r->text, r->text + over, r->text_bytes - over);
        r->text_bytes -= over;
        memcpy(r->text + r->text_bytes, more, (size_t)n);
        r->text_bytes += (size_t)n;
        r->text[r->text_bytes] = '\0';
    } else if (n == 0) {
        close(r->said);
        r->said = -1;
    }
}

/* Takes bytes; a line that is too long is cut. */
static bool take_bytes(struct reader *r, const char *bytes, size_t n, struct shot *shot)
{
    bool fresh = false;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            if (r->line_bytes + 1 < sizeof r->line)
                r->line[r->line_bytes++] = bytes[i];
            continue;
        }
        r->line[r->line_bytes] = '\0';
        r->line_bytes = 0;
        if (shot_line(&r->coming, r->line)) {
            shot_copy(shot, &r->coming);
            fresh = true;
        }
    }
    return fresh;
}

static void note_end(struct reader *r, int how)
{
    if (r->child > 0 && waitpid(r->child, &r->status, how) == r->child)
        r->child = 0;
}

bool reader_take(struct reader *r, struct shot *shot)
{
    char bytes[16384];
    bool fresh = false;
    ssize_t n;
    take_said(r);
    while (r->from >= 0 && (n = read(r->from, bytes, sizeof bytes)) >= 0) {
        fresh |= take_bytes(r, bytes, (size_t)n, shot);
        if (n == 0) {
            close(r->from);
            r->from = -1;
        }
    }
    note_end(r, WNOHANG);
    return fresh;
}

void reader_stop(struct reader *r)
{
    if (r->child > 0)
        kill(r->child, SIGTERM);
    for (int i = 0; i < 200 && r->child > 0; i++) { /* it closes its outputs first */
        note_end(r, WNOHANG);
        if (r->child > 0)
            nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    if (r->child > 0) {
        kill(r->child, SIGKILL);
        note_end(r, 0);
    }
    while (r->said >= 0 && r->text_bytes < sizeof r->text - 1) {
        const size_t before = r->text_bytes;
        take_said(r);
        if (r->text_bytes == before)
            break;
    }
    free(r->coming.processes);
}
