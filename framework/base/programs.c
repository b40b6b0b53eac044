/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See programs.h. The process and its helper talk by a pair of sockets: a request has the number of a program, and, in
 * front of a start, two descriptors; the answer is a status. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MSG_CMSG_CLOEXEC */
#endif
#include "programs.h"
#include "coverage.h"
#include "error.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct request {
    int program, waits; /* waits: for its end, instead of a start */
} request;

typedef union descriptors {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
} descriptors;

static struct {
    char **named[PROGRAMS];
    pid_t running[PROGRAMS]; /* of whoever starts them: the process, or its helper */
    pid_t helper;            /* 0: none */
    int socket;
} all;

/* --------------------------------------------------------------------------------------------------------- names -- */

static void forget(program_id p)
{
    for (size_t i = 0; all.named[p] && all.named[p][i]; i++)
        free(all.named[p][i]);
    free(all.named[p]);
    all.named[p] = NULL;
}

tcf_status programs_name(program_id p, const char *const *arguments)
{
    size_t n = 0;

    if (all.helper > 0)
        return TCF_OK;
    forget(p);
    while (arguments[n])
        n++;
    if (!(all.named[p] = calloc(n + 1, sizeof *all.named[p])))
        return error_fail("out of memory for the name of a program");
    for (size_t i = 0; i < n; i++)
        if (!(all.named[p][i] = strdup(arguments[i]))) {
            forget(p);
            return error_fail("out of memory for the name of a program");
        }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ starting -- */

/* Fills what the new process gets: its standard input and output, no blocked signals but those of `mask`, and SIGPIPE
 * as it usually is. Returns errno. */
static int describe(posix_spawn_file_actions_t *files, posix_spawnattr_t *attributes, const int ends[2],
                    const sigset_t *mask)
{
    sigset_t usual;
    int code = 0;

    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    for (int k = 0; k < 2 && code == 0; k++) {
        const int i = ends[1] == STDIN_FILENO ? 1 - k : k; /* before something else gets its number */
        code = posix_spawn_file_actions_adddup2(files, ends[i], i);
    }
    if (code == 0)
        code = posix_spawnattr_setsigdefault(attributes, &usual);
    if (code == 0)
        code = posix_spawnattr_setsigmask(attributes, mask);
    return code != 0 ? code : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

/* Returns errno. */
static int spawn(program_id p, const int ends[2], const sigset_t *mask)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int code = !all.named[p] ? ENOENT : all.running[p] > 0 ? EBUSY : posix_spawn_file_actions_init(&files);

    if (code != 0)
        return code;
    if ((code = posix_spawnattr_init(&attributes)) == 0) {
        code = describe(&files, &attributes, ends, mask);
        if (code == 0)
            code = posix_spawn(&all.running[p], all.named[p][0], &files, &attributes, all.named[p], environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    if (code != 0)
        all.running[p] = 0;
    return code;
}

/* Returns the status; -1: errno. */
static int wait_for(program_id p)
{
    int status = -1;
    const pid_t child = all.running[p];

    if (child <= 0) {
        errno = ECHILD;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    all.running[p] = 0;
    return status;
}

/* ---------------------------------------------------------------------------------------------------- the helper -- */

/* Returns 0 where there is no other request, or none that makes sense. ends[]: descriptors that came with it, or -1. */
static int receive(int socket, request *r, int ends[2])
{
    descriptors with;
    struct iovec bytes = {r, sizeof *r};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
    ssize_t n;

    ends[0] = ends[1] = -1;
    do
        n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(2 * sizeof(int)))
        memcpy(ends, CMSG_DATA(head), 2 * sizeof(int));
    return n == (ssize_t)sizeof *r && r->program >= 0 && r->program < PROGRAMS;
}

static void serve(int socket, const sigset_t *mask)
{
    request r;
    int ends[2];

    while (receive(socket, &r, ends)) {
        const program_id p = (program_id)r.program;
        int answer[2] = {0, 0}; /* status, errno */
        if (r.waits) {
            errno = 0;
            answer[0] = wait_for(p);
            answer[1] = answer[0] < 0 ? errno : 0;
        } else {
            answer[1] = ends[0] < 0 ? EBADF : spawn(p, ends, mask);
        }
        for (int i = 0; i < 2; i++)
            if (ends[i] >= 0)
                close(ends[i]);
        if (send(socket, answer, sizeof answer, MSG_NOSIGNAL) < 0)
            return;
    }
}

/* The life of the helper, which has nothing of the process but standard input and output, and which no signal ends that
 * is meant for the process: it ends when the other end of the socket is closed. */
static void be_helper(int socket, const char *folder, const sigset_t *mask)
{
    prctl(PR_SET_NAME, "tcflow-helper");
    prctl(PR_SET_DUMPABLE, 0); /* the restricted process, its parent, must not write to its memory */
#ifdef SYS_close_range
    if (socket > STDERR_FILENO + 1)
        syscall(SYS_close_range, STDERR_FILENO + 1, socket - 1, 0);
    syscall(SYS_close_range, socket + 1, ~0u, 0);
#endif
    serve(socket, mask);
    if (folder)
        rmdir(folder);
    coverage_write();
    for (;;)
        syscall(SYS_exit_group, 0); /* no handlers of the process */
}

static int anything_named(void)
{
    for (int p = 0; p < PROGRAMS; p++)
        if (all.named[p])
            return 1;
    return 0;
}

tcf_status programs_hand_over(const char *folder)
{
    static const int defects[] = {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL}; /* these can't wait */
    int ends[2];
    sigset_t every, mask;

    if (!folder && !anything_named())
        return TCF_OK;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_fail("no helper can be made, which starts programs: %s", strerror(errno));
    sigfillset(&every);
    for (size_t i = 0; i < TCF_COUNT(defects); i++)
        sigdelset(&every, defects[i]);
    sigprocmask(SIG_SETMASK, &every, &mask);
    all.helper = fork();
    if (all.helper == 0)
        be_helper(ends[1], folder, &mask);
    const int reason = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    all.socket = ends[0];
    if (all.helper > 0)
        return TCF_OK;
    all.helper = 0;
    close(ends[0]);
    return error_fail("no helper can be made, which starts programs: %s", strerror(reason));
}

/* ---------------------------------------------------------------------------------------------------- both sides -- */

/* Sends a request to the helper, and waits for what it answers. Returns errno. */
static int ask(program_id p, int waits, const int ends[2], int *status)
{
    const request r = {(int)p, waits};
    struct iovec bytes = {(void *)&r, sizeof r};
    descriptors with = {
        .head = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(2 * sizeof(int))}};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
    int answer[2];
    ssize_t n;

    if (ends) {
        memcpy(CMSG_DATA(&with.head), ends, 2 * sizeof(int));
        message.msg_control = &with;
        message.msg_controllen = sizeof with;
    }
    do
        n = sendmsg(all.socket, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    do
        n = recv(all.socket, answer, sizeof answer, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno;
    if (n != (ssize_t)sizeof answer)
        return EPIPE; /* it has ended */
    *status = answer[0];
    return answer[1];
}

tcf_status program_start(program_id p, int in, int out)
{
    const int ends[2] = {in, out};
    sigset_t mask;
    int ignored;

    sigprocmask(SIG_SETMASK, NULL, &mask);
    const int code = all.helper > 0 ? ask(p, 0, ends, &ignored) : spawn(p, ends, &mask);
    return code == 0 ? TCF_OK
                     : error_fail("cannot start '%s': %s", all.named[p] ? all.named[p][0] : "", strerror(code));
}

tcf_status program_wait(program_id p, int *status)
{
    int code = 0;

    if (all.helper > 0) {
        code = ask(p, 1, NULL, status);
    } else {
        *status = wait_for(p);
        code = *status < 0 ? errno : 0;
    }
    return code == 0 ? TCF_OK
                     : error_fail("cannot wait for '%s': %s", all.named[p] ? all.named[p][0] : "", strerror(code));
}

void programs_end(void)
{
    if (all.helper > 0) {
        shutdown(all.socket, SHUT_RDWR); /* also where another process has a copy of the descriptor */
        close(all.socket);
        while (waitpid(all.helper, NULL, 0) < 0 && errno == EINTR)
            ;
        all.helper = 0;
    }
    for (int p = 0; p < PROGRAMS; p++)
        forget((program_id)p);
}
