/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which of those who connect to a socket is the writer of a stream: the first one that proves that it has the token,
 * or, where none is asked for, sends the header of a stream; at a Unix socket of the reader's own user. Whoever sends
 * something else, ends before, or nothing for ten seconds is closed, and keeps nobody waiting. */
#define _GNU_SOURCE /* accept4(), struct ucred */
#include "framework/base/error.h"
#include "framework/base/resources.h"
#include "stream_internal.h"

#include <errno.h>
#include <private/socket.h>
#include <private/token.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { MOST_CALLERS = 16 };

typedef struct caller {
    int fd;
    double since; /* when it has connected */
    uint8_t nonce[STREAM_NONCE_BYTES];
} caller;

/* Those who have connected, the oldest first, and have not sent a header yet. */
typedef struct callers {
    stream_input *in;
    int poll;  /* an epoll of the listener, the clock and all of them */
    int clock; /* runs out every second */
    caller at[MOST_CALLERS];
    uint32_t n;
} callers;

static int watch(const callers *c, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.fd = fd}};
    return epoll_ctl(c->poll, EPOLL_CTL_ADD, fd, &event);
}

static void forget(callers *c, uint32_t i)
{
    memmove(&c->at[i], &c->at[i + 1], (--c->n - i) * sizeof *c->at);
}

static void drop(callers *c, uint32_t i, tcf_log_level level, const char *why)
{
    error_log(level, "a connection to '%s' is closed: %s", c->in->name, why);
    close(c->at[i].fd);
    forget(c, i);
}

static void drop_silent(callers *c)
{
    uint64_t times;

    if (read(c->clock, &times, sizeof times) < 0 && errno != EAGAIN)
        return;
    while (c->n > 0 && now_seconds() - c->at[0].since > TCF_HANDSHAKE_SECONDS)
        drop(c, 0, TCF_LOG_WARNING, "it has sent nothing of use for ten seconds");
}

static tcf_status add_caller(callers *c)
{
    int fd = accept4(c->in->listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0)
        return errno == ECONNABORTED || errno == EAGAIN || errno == EINTR ? TCF_OK : error_fail("%s", strerror(errno));
    if (c->n == MOST_CALLERS)
        drop(c, 0, TCF_LOG_WARNING, "it has sent nothing, and others have connected");
    c->at[c->n++] = (caller){.fd = fd, .since = now_seconds()};
    if (c->in->socket && !tcf_socket_is_own(fd))
        drop(c, c->n - 1, TCF_LOG_WARNING, "it belongs to another user");
    else if (c->in->token && !stream_token_ask(fd, c->at[c->n - 1].nonce))
        drop(c, c->n - 1, TCF_LOG_INFO, "it has ended before it was asked for a token");
    else if (watch(c, fd, EPOLLIN | EPOLLRDHUP | EPOLLET) != 0)
        return error_fail("%s", strerror(errno));
    return TCF_OK;
}

static int has_proved(callers *c, uint32_t i)
{
    const char *why;
    const int has = stream_token_check(c->in, c->at[i].fd, c->at[i].nonce, &why);

    if (why)
        drop(c, i, TCF_LOG_WARNING, why);
    return has;
}

/* Something has come of a caller, or its end: is it the writer? */
static int is_writer(callers *c, uint32_t i)
{
    if (c->in->token)
        return has_proved(c, i);

    uint8_t bytes[TCF_HEADER_BYTES];
    ssize_t n = recv(c->at[i].fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    const size_t magic = sizeof TCF_STREAM_MAGIC - 1;

    if (n == (ssize_t)sizeof bytes && memcmp(bytes, TCF_STREAM_MAGIC, magic) == 0)
        return 1;
    if (n > 0 && memcmp(bytes, TCF_STREAM_MAGIC, (size_t)n < magic ? (size_t)n : magic) != 0)
        drop(c, i, TCF_LOG_WARNING, "what it sends is not a stream of tcflow");
    return 0;
}

/* Returns the writer's descriptor where it has sent its header; -1: nobody has. */
static int look_at(callers *c, const struct epoll_event *event)
{
    const int fd = event->data.fd;
    uint32_t i = 0;

    while (i < c->n && c->at[i].fd != fd)
        i++;
    if (i == c->n)
        return -1;
    if (is_writer(c, i)) {
        forget(c, i);
        return fd;
    }
    if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) && i < c->n && c->at[i].fd == fd)
        drop(c, i, TCF_LOG_INFO, "it has ended without the header of a stream");
    return -1;
}

static tcf_status find_writer(callers *c, int *fd)
{
    struct epoll_event events[MOST_CALLERS];

    while (*fd < 0) {
        if (stream_wait(c->in->group, c->in, c->poll, -1) != TCF_OK)
            return TCF_ERROR;
        int n = epoll_wait(c->poll, events, MOST_CALLERS, 0);
        for (int k = 0; k < n && *fd < 0; k++)
            if (events[k].data.fd == c->clock)
                drop_silent(c);
            else if (events[k].data.fd != c->in->listener)
                *fd = look_at(c, &events[k]);
            else if (add_caller(c) != TCF_OK)
                return TCF_ERROR;
    }
    return TCF_OK;
}

tcf_status stream_accept(stream_input *in, int *fd)
{
    const struct itimerspec second = {{1, 0}, {1, 0}};
    callers c = {.in = in,
                 .poll = epoll_create1(EPOLL_CLOEXEC),
                 .clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    tcf_status status = c.poll >= 0 && c.clock >= 0 && timerfd_settime(c.clock, 0, &second, NULL) == 0 &&
                                watch(&c, in->listener, EPOLLIN) == 0 && watch(&c, c.clock, EPOLLIN) == 0
                            ? TCF_OK
                            : error_fail("%s", strerror(errno));

    *fd = -1;
    if (status == TCF_OK)
        status = find_writer(&c, fd);
    for (uint32_t i = 0; i < c.n; i++)
        close(c.at[i].fd);
    if (c.clock >= 0)
        close(c.clock);
    if (c.poll >= 0)
        close(c.poll);
    return status;
}
