/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The bytes of a stream: opens it, waits for its writer, and cuts it into frames. A frame is delivered when it is
 * complete and its checksum is right. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "framework/base/error.h"
#include "stream_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <private/socket.h>
#include <private/token.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { STEP_BYTES = 1 << 20, BACKLOG = 16 };

static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

int stream_source_names(const char *input)
{
    return input &&
           (strcmp(input, "-") == 0 || after(input, "stream:") || after(input, "unix:") || after(input, "tcp:"));
}

/* ------------------------------------------------------------------------------------------------------- opening -- */

/* Replaces the socket of a reader that was killed. */
static int bind_unix(int fd, const struct sockaddr_un *address)
{
    struct stat st;

    if (bind(fd, (const struct sockaddr *)address, sizeof *address) == 0)
        return 0;
    if (errno != EADDRINUSE || lstat(address->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return -1;
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int alive =
        probe < 0 || connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 || errno != ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    if (alive) {
        errno = EADDRINUSE;
        return -1;
    }
    unlink(address->sun_path);
    return bind(fd, (const struct sockaddr *)address, sizeof *address);
}

/* Fails with errno and closes fd, if it is one. Returns -1. */
static int fail_at(const char *name, int fd)
{
    error_fail("'%s': %s", name, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static int listen_unix(const char *path, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(path);

    if (n == 0 || n >= sizeof address.sun_path) {
        error_usage("input = %s: the name of a socket has 1 to %zu bytes", name, sizeof address.sun_path - 1);
        return -1;
    }
    memcpy(address.sun_path, path, n + 1);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener >= 0 && fchmod(listener, S_IRUSR | S_IWUSR) != 0) /* which the name gets from bind() */
        return fail_at(name, listener);
    return listener < 0 || bind_unix(listener, &address) != 0 ? fail_at(name, listener) : listener;
}

static int listen_at(const struct addrinfo *a)
{
    int yes = 1, fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0)
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static int listen_tcp(const char *text, const char *name)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list = NULL;
    char host[TCF_HOST_BYTES];
    const char *port;
    int listener = -1;

    if (!tcf_socket_address(text, host, &port) || host[0] == '/') { /* tcp://HOST:PORT */
        error_usage("input = %s: expected tcp:PORT or tcp:HOST:PORT", name);
        return -1;
    }
    int code = getaddrinfo(host, port, &hints, &list);
    if (code != 0) {
        error_fail("'%s': %s", name, gai_strerror(code));
        return -1;
    }
    for (const struct addrinfo *a = list; a && listener < 0; a = a->ai_next)
        listener = listen_at(a);
    int reason = errno;
    freeaddrinfo(list);
    errno = reason;
    return listener < 0 ? fail_at(name, -1) : listener;
}

/* Opening a FIFO waits for its writer, unless `wait` is 0 (other inputs are read, too). */
static int open_path(const char *path, int wait)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | (wait ? 0 : O_NONBLOCK));

    if (fd < 0) {
        error_fail("'%s': %s", path, errno == EINTR ? "interrupted while waiting for its writer" : strerror(errno));
    } else if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        error_fail("'%s' is a folder; a stream is one file", path);
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A TCP socket asks for the token there is, and needs one where others than this machine can connect. */
static tcf_status ask_for_token(stream_input *in, const char *token)
{
    struct sockaddr_storage address = {0};
    socklen_t n = sizeof address;
    const int is_local =
        getsockname(in->listener, (struct sockaddr *)&address, &n) == 0 && tcf_is_loopback((struct sockaddr *)&address);

    if (stream_token_open(in, token, !is_local) != TCF_OK)
        return TCF_ERROR;
    if (!in->token)
        error_log(TCF_LOG_INFO,
                  "any user of this machine can write to '%s': a token (TCFLOW_TOKEN) or unix:PATH keeps "
                  "others away",
                  in->name);
    return TCF_OK;
}

static tcf_status open_listener(stream_input *in, const char *input, const char *token, const char *local,
                                const char *remote)
{
    in->listener = local ? listen_unix(local, input) : listen_tcp(remote, input);
    if (in->listener >= 0 && remote && ask_for_token(in, token) != TCF_OK)
        return TCF_ERROR;
    if (in->listener >= 0 && listen(in->listener, BACKLOG) != 0)
        in->listener = fail_at(input, in->listener);
    if (in->listener < 0)
        return TCF_ERROR;
    error_log(TCF_LOG_INFO, "waiting for the writer of a stream at '%s'", input);
    in->socket = local ? strdup(local) : NULL;
    return local && !in->socket ? error_fail("out of memory") : TCF_OK;
}

tcf_status stream_input_open(stream_input *in, const char *input, const char *token, stream_group *g)
{
    const char *path = after(input, "stream:"), *local = after(input, "unix:"), *remote = after(input, "tcp:");

    in->name = strdup(strcmp(input, "-") == 0 ? "standard input" : input);
    if (!in->name)
        return error_fail("out of memory");
    if (local || remote) {
        if (open_listener(in, input, token, local, remote) != TCF_OK)
            return TCF_ERROR;
    } else if (path) {
        in->fd = open_path(path, g == NULL);
    } else if (isatty(STDIN_FILENO)) {
        return error_usage(
            "input = -: standard input is a terminal; pipe a stream into it (stream_write with path = -)");
    } else if ((in->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) < 0) {
        return error_fail("standard input: %s", strerror(errno));
    }
    if (in->fd < 0 && in->listener < 0)
        return TCF_ERROR;
    return g ? stream_group_add(g, in) : TCF_OK;
}

static void close_listener(stream_input *in)
{
    if (in->listener >= 0)
        close(in->listener);
    in->listener = -1;
    if (in->socket)
        unlink(in->socket);
    free(in->socket);
    in->socket = NULL;
}

/* Accepts the connection of the writer, and no other. */
static tcf_status accept_one(stream_input *in)
{
    tcf_status status = stream_accept(in, &in->fd);

    close_listener(in);
    if (status != TCF_OK)
        return error_while("waiting for the writer of a stream at '%s'", in->name);
    tcf_socket_keep_alive(in->fd);
    return TCF_OK;
}

void stream_input_close(stream_input *in)
{
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
    close_listener(in);
    stream_token_free(in->token);
    free(in->name);
    free(in->packed);
    free(in->queue);
}

/* --------------------------------------------------------------------------------------------------------- bytes -- */

static tcf_status reading_failed(const stream_input *in, int reason)
{
    if (reason == EINTR)
        return error_fail("interrupted");
    if (reason == EBADMSG)
        return error_fail("%s was altered on its way: a box of the sealed stream doesn't open", in->name);
    return error_fail("reading from %s: %s", in->name, strerror(reason));
}

/* Can stream_read() be called? INPUT_FRAME: yes. */
static input_state await_bytes(stream_input *in, int waits)
{
    if (in->error) {
        reading_failed(in, in->error);
        return INPUT_FAILED;
    }
    if (!waits)
        return stream_input_ready(in) ? INPUT_FRAME : INPUT_PARTLY;
    return stream_token_pending(in) > 0 || stream_wait(in->group, in, in->fd, STREAM_FIRST_WAIT_MS) == TCF_OK
               ? INPUT_FRAME
               : INPUT_FAILED;
}

/* Reads on, *some bytes of n have come. INPUT_DAMAGED: the stream ends before all have; the caller says where. */
static input_state read_bytes(stream_input *in, void *to, size_t n, size_t *some, int waits)
{
    while (*some < n) {
        size_t queued = stream_take_queued(in, (uint8_t *)to + *some, n - *some);
        *some += queued;
        if (queued > 0)
            continue;
        const input_state state = await_bytes(in, waits);
        if (state != INPUT_FRAME)
            return state;
        ssize_t got = stream_read(in, (uint8_t *)to + *some, n - *some);
        if (got == 0 || (got < 0 && errno == ECONNRESET))
            return INPUT_DAMAGED;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!waits)
                return INPUT_PARTLY;
            continue;
        }
        if (got < 0) {
            in->error = errno != EINTR ? errno : 0;
            reading_failed(in, errno);
            return INPUT_FAILED;
        }
        *some += (size_t)got;
        in->bytes += (uint64_t)got;
    }
    return INPUT_FRAME;
}

static tcf_status check_header(const stream_input *in, const uint8_t bytes[TCF_HEADER_BYTES], size_t some)
{
    tcf_stream_header h;

    if (some == 0)
        return error_fail("%s is empty: its writer ended before it wrote anything; see its messages for the reason",
                          in->name);
    if (memcmp(bytes, TCF_STREAM_MAGIC, some < sizeof h.magic ? some : sizeof h.magic) != 0)
        return error_fail("%s is not a stream of tcflow (stream_write writes them)", in->name);
    if (some < TCF_HEADER_BYTES)
        return error_fail("%s ends in its header", in->name);
    tcf_get_header(bytes, &h);
    if (h.checksum != crc32(0, bytes, TCF_SUMMED_BYTES))
        return error_fail("the header of %s is damaged", in->name);
    if (h.major != TCF_STREAM_MAJOR)
        return error_fail("%s has version %u.%u of the format, but this tcflow reads %d.x", in->name, h.major, h.minor,
                          TCF_STREAM_MAJOR);
    return TCF_OK;
}

char *stream_input_file(const stream_input *in)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", in->fd);
    return realpath(name, NULL);
}

tcf_status stream_input_start(stream_input *in)
{
    uint8_t header[TCF_HEADER_BYTES] = {0};
    struct stat st;
    size_t some = 0;

    if (in->fd < 0 && accept_one(in) != TCF_OK)
        return TCF_ERROR;
    if (fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode))
        in->total = (uint64_t)st.st_size;
#ifdef F_SETPIPE_SZ
    else if (S_ISFIFO(st.st_mode))
        (void)fcntl(in->fd, F_SETPIPE_SZ, STEP_BYTES);
#endif
    if (read_bytes(in, header, sizeof header, &some, 1) == INPUT_FAILED)
        return TCF_ERROR;
    in->other_order = header[8] != tcf_stream_byte_order();
    return check_header(in, header, some);
}

/* -------------------------------------------------------------------------------------------------------- frames -- */

static input_state damaged(stream_input *in, const char *what)
{
    in->damage = what;
    return INPUT_DAMAGED;
}

static int grow(uint8_t **bytes, size_t *capacity, size_t n)
{
    if (n <= *capacity)
        return 0;
    uint8_t *grown = realloc(*bytes, n + n / 4);
    if (!grown) {
        error_fail("out of memory for a frame of %zu bytes", n);
        return -1;
    }
    *bytes = grown;
    *capacity = n + n / 4;
    return 0;
}

/* Reads on, *come of the n bytes of a frame have come. Memory grows with them, since the length in the head may be
 * wrong. */
static input_state read_content(stream_input *in, uint8_t **bytes, size_t *capacity, size_t n, size_t *come, int waits)
{
    while (*come < n) {
        const size_t step = n - *come < STEP_BYTES ? n - *come : STEP_BYTES;
        if (grow(bytes, capacity, *come + step) != 0)
            return INPUT_FAILED;
        const input_state state = read_bytes(in, *bytes, *come + step, come, waits);
        if (state != INPUT_FRAME)
            return state == INPUT_DAMAGED ? damaged(in, "it ends in the middle of a frame") : state;
    }
    return INPUT_FRAME;
}

static input_state read_head(stream_input *in, frame *f, int waits, tcf_frame_head *head)
{
    const input_state state =
        f->come < sizeof f->head ? read_bytes(in, f->head, sizeof f->head, &f->come, waits) : INPUT_FRAME;

    if (state == INPUT_DAMAGED)
        return damaged(in, f->come == 0 ? "it ends without its end frame" : "it ends in the head of a frame");
    if (state != INPUT_FRAME)
        return state;
    tcf_get_head(f->head, head);
    if (head->bytes > TCF_FRAME_LARGEST)
        return damaged(in, "a frame is too large");
    return head->number == in->frames ? INPUT_FRAME : damaged(in, "a frame does not follow the one before it");
}

#ifdef HAVE_ZSTD
static input_state unpack(stream_input *in, size_t n, frame *f)
{
    if (n < sizeof(uint32_t))
        return damaged(in, "a frame is too short");
    uint32_t bytes = tcf_get_u32(in->packed);
    if (bytes > TCF_FRAME_LARGEST)
        return damaged(in, "a frame is too large");
    if (grow(&f->bytes, &f->capacity, bytes) != 0)
        return INPUT_FAILED;
    f->n = ZSTD_decompress(f->bytes, bytes, in->packed + sizeof bytes, n - sizeof bytes);
    return ZSTD_isError(f->n) || f->n != bytes ? damaged(in, "a frame cannot be decompressed") : INPUT_FRAME;
}
#else
static input_state unpack(stream_input *in, size_t n, frame *f)
{
    (void)n, (void)f;
    error_fail("%s is compressed, and this tcflow was built without libzstd", in->name);
    return INPUT_FAILED;
}
#endif

input_state stream_input_next(stream_input *in, frame *f, int waits)
{
    tcf_frame_head head;

    input_state state = read_head(in, f, waits, &head);
    if (state != INPUT_FRAME)
        return state;
    if (grow(&f->bytes, &f->capacity, 1) != 0) /* so that an empty frame has an address, too */
        return INPUT_FAILED;
    const int packed = (head.flags & TCF_FRAME_ZSTD) != 0;
    size_t come = f->come - sizeof f->head;
    state = packed ? read_content(in, &in->packed, &in->packed_capacity, head.bytes, &come, waits)
                   : read_content(in, &f->bytes, &f->capacity, head.bytes, &come, waits);
    f->come = sizeof f->head + come;
    if (state != INPUT_FRAME)
        return state;
    uLong sum = crc32(0, f->head, TCF_SUMMED_BYTES);
    sum = head.bytes > 0 ? crc32_z(sum, packed ? in->packed : f->bytes, head.bytes) : sum;
    if (sum != head.checksum)
        return damaged(in, "the checksum of a frame is wrong");
    if (head.reserved != 0 || head.flags & ~TCF_FRAME_ZSTD)
        return damaged(in, "a frame has flags that this version does not know");
    f->type = head.type;
    f->number = head.number;
    f->n = head.bytes;
    state = packed ? unpack(in, head.bytes, f) : INPUT_FRAME;
    if (state != INPUT_FRAME)
        return state;
    in->frames++;
    f->come = 0;
    return INPUT_FRAME;
}
