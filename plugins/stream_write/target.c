/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* stream_write: the output. It is standard output, a plain file (with another name until it is complete), a FIFO or
 * another special file, or a socket of this machine or another one, at which a reader listens. */
#define _GNU_SOURCE /* F_SETPIPE_SZ, dup3 */
#include "stream_write.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <private/socket.h>
#include <private/token.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20, PAUSE_MS = 50 };

static const char *after(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 ? path + n : NULL;
}

/* ------------------------------------------------------------------------------------------------------- sockets -- */

static int connect_unix(const char *path, const char **why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(address.sun_path, path, strlen(path) + 1);
    const int connected = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    *why = connected && !tcf_socket_is_own(fd) ? "whoever reads there is another user" : NULL;
    if (fd < 0 || (connected && !*why))
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

/* Without a token the stream goes to this machine alone. */
static int connect_tcp(const char *text, int has_token, const char **why)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    char host[TCF_HOST_BYTES];
    const char *port;
    int fd = -1, reason = EINVAL;

    *why = NULL;
    if (!tcf_socket_address(text, host, &port))
        return errno = EINVAL, -1;
    int code = getaddrinfo(host, port, &hints, &list);
    if (code != 0) {
        *why = gai_strerror(code);
        return -1;
    }
    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
        if (!has_token && !tcf_is_loopback(a->ai_addr)) {
            *why =
                "it is another machine, and there is no token: 'token' names a file with one, or TCFLOW_TOKEN has it";
            break;
        }
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            reason = errno;
            close(fd);
            fd = -1;
        }
    }
    if (fd >= 0)
        tcf_socket_keep_alive(fd);
    freeaddrinfo(list);
    errno = reason;
    return fd;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The reader may start later. */
static tcf_status open_socket(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;
    const char *local = after(state->path, "unix:"), *why = NULL;
    double until = now() + conf->wait.value;
    struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};

    for (;;) {
        state->fd =
            local ? connect_unix(local, &why) : connect_tcp(after(state->path, "tcp:"), state->seal != NULL, &why);
        if (state->fd >= 0)
            return TCF_OK;
        int nobody = !why && (errno == ECONNREFUSED || errno == ENOENT || errno == EAGAIN);
        if (!nobody)
            return self->host->fail(self, "'%s': %s", state->path, why ? why : strerror(errno));
        if (now() >= until)
            return self->host->fail(self, "nobody reads from '%s': start a tcflow with input = %s, which waits there",
                                    state->path, state->path);
        if (nanosleep(&pause, NULL) != 0)
            return self->host->fail(self, "interrupted while waiting for a reader of '%s'", state->path);
    }
}

/* --------------------------------------------------------------------------------------------------------- files -- */

/* Takes standard output for the stream. Everything else that is printed there, such as reports of a survey, goes to
 * standard error from now on. */
static tcf_status take_stdout(tcf_self *self)
{
    struct state *state = self->state;

    if (isatty(STDOUT_FILENO))
        return TCF_OK;                              /* target_open() refuses it */
    if (fcntl(STDOUT_FILENO, F_GETFD) & FD_CLOEXEC) /* the mark of a standard output that was taken */
        return self->host->refuse(self, "path = -: standard output has another stream already");
    fflush(stdout);
    state->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (state->fd < 0 || dup3(STDERR_FILENO, STDOUT_FILENO, O_CLOEXEC) < 0)
        return self->host->fail(self, "standard output: %s", strerror(errno));
    return TCF_OK;
}

tcf_status target_prepare(tcf_self *self, uint32_t domain)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;
    const char *port;
    char host[TCF_HOST_BYTES];

    free(state->path);
    if (!(state->path = tcf_domain_path(conf->path, domain)))
        return self->host->fail(self, "out of memory");
    const char *path = state->path, *local = after(path, "unix:"), *remote = after(path, "tcp:"),
               *mark = strstr(conf->path, TCF_DOMAIN_MARK);
    if (mark && !remote && strchr(mark, '/'))
        return self->host->fail(self, "path = %s: the folder is that of all domains", conf->path);
    if (local && (*local == '\0' || strlen(local) >= sizeof((struct sockaddr_un *)0)->sun_path))
        return self->host->fail(self, "path = %s: the name of a socket has 1 to %zu bytes", path,
                                sizeof((struct sockaddr_un *)0)->sun_path - 1);
    if (remote && !tcf_socket_address(remote, host, &port))
        return self->host->fail(self, "path = %s: tcp:PORT or tcp:HOST:PORT is wanted", path);
    if (remote)
        return state->seal ? TCF_OK : seal_prepare(self);
    if (local)
        return TCF_OK;
    if (strcmp(path, "-") == 0)
        return take_stdout(self);
    return tcf_output_host_of(self)->check("path", path, conf->overwrite);
}

static int is_file(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

tcf_status target_open(tcf_self *self)
{
    struct state *state = self->state;
    tcf_status status;

    if (strcmp(state->path, "-") == 0)
        status = state->fd >= 0
                     ? TCF_OK
                     : self->host->fail(self, "path = -: standard output is a terminal, and a stream is no text; "
                                              "pipe it into another tcflow, or give a path");
    else if (after(state->path, "unix:") || after(state->path, "tcp:"))
        status = open_socket(self);
    else if ((status = tcf_output_host_of(self)->open("path", state->path, &state->file)) == TCF_OK)
        state->fd = state->file.fd;
#ifdef F_SETPIPE_SZ
    if (status == TCF_OK)
        (void)fcntl(state->fd, F_SETPIPE_SZ, PIPE_BYTES); /* a large pipe: fewer switches between writer and reader */
#endif
    if (status == TCF_OK && state->each && !is_file(state->fd))
        state->patient = fcntl(state->fd, F_SETFL, fcntl(state->fd, F_GETFL) | O_NONBLOCK) == 0;
    return status;
}

/* --------------------------------------------------------------------------------------------------------- bytes -- */

static tcf_status write_failed(tcf_self *self)
{
    struct state *state = self->state;
    const char *where = strcmp(state->path, "-") == 0 ? "standard output" : state->path;
    int reason = errno;

    state->broken = 1;
    if (reason == EPIPE || reason == ECONNRESET)
        return self->host->fail(self,
                                "whoever read the stream from %s has closed it, after %llu events; look there for the "
                                "reason",
                                where, (unsigned long long)state->events);
    if (reason == EINTR)
        return self->host->fail(self, "interrupted while writing the stream");
    return self->host->fail(self, "the stream cannot be written to %s: %s", where, strerror(reason));
}

/* Waits until the reader has made room. No signal wakes the thread of a domain. 0: there may be room; -1: as put(). */
static int await_room(const tcf_self *self)
{
    enum { LOOK_MS = 100 };
    struct pollfd wait = {.fd = ((const struct state *)self->state)->fd, .events = POLLOUT};

    while (!self->host->interrupted(self))
        if (poll(&wait, 1, LOOK_MS) != 0)
            return 0;
    errno = EINTR;
    return -1;
}

/* As write(). */
static ssize_t write_some(const tcf_self *self, const uint8_t *bytes, size_t n)
{
    const struct state *state = self->state;
    ssize_t written;

    do
        written = write(state->fd, bytes, n);
    while (written < 0 && errno == EAGAIN && state->patient && await_room(self) == 0);
    return written;
}

/* A reader that closed the stream is an error here, and no signal for the process. As put(). */
static int put_bytes(tcf_self *self, const uint8_t *bytes, size_t n)
{
    struct state *state = self->state;
    struct timespec at_once = {0};
    sigset_t pipe, before, pending;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t written = 0;
    while (n > 0 && (written = write_some(self, bytes, n)) > 0) {
        bytes += written;
        n -= (size_t)written;
        state->bytes += (size_t)written;
    }
    int reason = errno;
    if (written < 0 && reason == EPIPE && !sigismember(&pending, SIGPIPE))
        (void)sigtimedwait(&pipe, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return n == 0 ? 0 : -1;
}

/* Writes bytes, of a sealed stream those of its boxes. 0: all was written; -1: errno says why not. */
static int put(tcf_self *self, const uint8_t *bytes, size_t n)
{
    struct state *state = self->state;
    const uint8_t *box;

    if (!state->seal)
        return put_bytes(self, bytes, n);
    for (size_t some; n > 0; bytes += some, n -= some) {
        some = n < TCF_BOX_MOST ? n : TCF_BOX_MOST;
        const size_t size = seal_box(state->seal, bytes, some, &box);
        if (put_bytes(self, box, size) != 0)
            return -1;
    }
    return 0;
}

tcf_status target_write(tcf_self *self, const uint8_t *bytes, size_t n)
{
    return put(self, bytes, n) == 0 ? TCF_OK : write_failed(self);
}

void target_write_last(tcf_self *self, const uint8_t *bytes, size_t n)
{
    struct state *state = self->state;
    int flags = fcntl(state->fd, F_GETFL);

    state->patient = 0;
    if (flags >= 0)
        (void)fcntl(state->fd, F_SETFL, flags | O_NONBLOCK);
    (void)put(self, bytes, n);
    if (flags >= 0) /* other processes may share the file, and with it the flags */
        (void)fcntl(state->fd, F_SETFL, flags);
}

/* Has the reader asked for a token? It sends nothing else, and takes nothing from who has none. It may accept the
 * connection only now, so it gets a moment to. */
static int asks_for_token(int fd)
{
    enum { MOMENT_MS = 1000 };
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char byte;

    shutdown(fd, SHUT_WR);
    return poll(&wait, 1, MOMENT_MS) > 0 && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

tcf_status target_close(tcf_self *self, int complete)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;
    int fd = state->fd;

    if (fd < 0)
        return TCF_OK;
    state->fd = -1;
    const int asks = complete && !state->seal && after(state->path, "tcp:") && asks_for_token(fd);
    if (asks) {
        close(fd);
        return self->host->fail(self,
                                "'%s': whoever reads there asks for a token: 'token' names a file with one, or "
                                "TCFLOW_TOKEN has it",
                                state->path);
    }
    if (close(fd) != 0 && complete)
        return self->host->fail(self, "'%s': %s", state->path, strerror(errno));
    return complete && state->file.name ? tcf_output_host_of(self)->publish("path", &state->file, conf->overwrite)
                                        : TCF_OK;
}
