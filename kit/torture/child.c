/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A step of tcflow-torture in a child process of its own, which may crash or never end. What it has found by then
 * stands in memory that it shares with this process, which removes its files, also when a signal ends both. */
#define _GNU_SOURCE /* strsignal(), sigandset() */
#include "torture.h"

#include "framework/base/coverage.h"
#include "kit/harness/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals that end this process wait until the child has ended and its folder is gone. */
static sigset_t ending_signals(void)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (sigaction(all[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, all[i]);
    return set;
}

static void hold_signals(int how)
{
    const sigset_t set = ending_signals();
    sigprocmask(how, &set, NULL);
}

static int should_end(void)
{
    sigset_t pending;
    const sigset_t set = ending_signals();
    sigpending(&pending);
    sigandset(&pending, &pending, &set);
    return !sigisemptyset(&pending);
}

static _Noreturn void be_child(torture *t, const step *s, uint64_t seed, int verbose)
{
    hold_signals(SIG_UNBLOCK);
    setenv("TMPDIR", t->scratch, 1);
    if (!verbose) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(null);
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    memory_tell_want(&t->board->no_memory);
    const int loaded = torture_load(t) == TCF_OK;
    if (loaded && s)
        s->run(t, seed);
    else if (s) /* it was there before */
        report_finding(t->board, RULE_LOAD, CALL_NONE, NO_EVENT, NO_EVENT, "%.400s", t->board->refused);
    t->board->finished = 1;
    fflush(NULL);
    if (coverage_is_measured())
        exit(0); /* the plugin has counters, too */
    _exit(0);
}

/* Waits, at most so long, and no longer than until a signal comes. 1: it had to be killed. */
static int wait_for(pid_t child, uint64_t seconds, int *status)
{
    struct timespec start, now, nap = {0, 2000000};
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        if (waitpid(child, status, WNOHANG) == child)
            return 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
        double waited = (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
        if (should_end() || waited >= (double)seconds) {
            kill(child, SIGKILL);
            waitpid(child, status, 0);
            return 1;
        }
        nanosleep(&nap, NULL);
    }
}

void child_run(torture *t, const step *s, uint64_t seed, uint64_t seconds, int verbose)
{
    board *b = t->board;
    int status = 0;
    memset(b, 0, sizeof *b);
    fflush(NULL);
    hold_signals(SIG_BLOCK);
    if (!(t->scratch = harness_new_folder("tcflow-torture"))) {
        fprintf(stderr, "tcflow-torture: no scratch folder can be made: %s\n", strerror(errno));
        exit(EXIT_USAGE);
    }
    pid_t child = fork();
    if (child == 0)
        be_child(t, s, seed, verbose);
    if (child < 0) {
        fprintf(stderr, "tcflow-torture: no process for a step: %s\n", strerror(errno));
        harness_remove_folder(t->scratch);
        exit(EXIT_USAGE);
    }
    int late = wait_for(child, seconds, &status);
    harness_remove_folder(t->scratch);
    free(t->scratch);
    hold_signals(SIG_UNBLOCK);
    if (b->no_memory) {
        fprintf(stderr, "tcflow-torture: out of memory in the step %s\n", s ? s->name : "load");
        exit(EXIT_USAGE);
    }
    if (b->stopped[0]) {
        fprintf(stderr, "tcflow-torture: the step %s: %s\n", s ? s->name : "load", b->stopped);
        exit(EXIT_USAGE);
    }
    if (b->n_findings == sizeof b->findings / sizeof b->findings[0])
        b->n_findings--;
    if (late)
        report_finding(b, RULE_ENDLESS, b->callback, b->location, b->event, "it was still running after %llu s",
                       (unsigned long long)seconds);
    else if (!b->finished)
        report_finding(b, RULE_CRASH, b->callback, b->location, b->event, "%s",
                       WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it ended the process");
    if (verbose)
        fprintf(stderr, "tcflow-torture: step %s, seed %llu: %llu runs, %u findings\n", s ? s->name : "load",
                (unsigned long long)seed, (unsigned long long)b->runs, b->n_findings);
}
