/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Streams that are read together. While one of them is waited for, a queue of each other one takes its bytes, up to a
 * limit. A writer waits when its queue is full. */
#include "framework/base/error.h"
#include "framework/base/resources.h"
#include "stream_internal.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { WAIT_MS = 100 };

struct stream_group {
    stream_input **inputs;
    struct pollfd *polls;
    stream_input **polled;
    uint32_t n, most;
    size_t queue; /* capacity of each queue, in bytes */
};

stream_group *stream_group_new(uint32_t most, size_t queue)
{
    stream_group *g = calloc(1, sizeof *g);

    if (g) {
        *g = (stream_group){.inputs = calloc(most + 1u, sizeof *g->inputs),
                            .polls = calloc(most + 2u, sizeof *g->polls),
                            .polled = calloc(most + 2u, sizeof *g->polled),
                            .most = most,
                            .queue = queue};
        if (g->inputs && g->polls && g->polled)
            return g;
    }
    stream_group_delete(g);
    error_fail("out of memory for %u streams", most);
    return NULL;
}

void stream_group_delete(stream_group *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; i < g->n; i++)
        g->inputs[i]->group = NULL;
    free(g->inputs);
    free(g->polls);
    free(g->polled);
    free(g);
}

tcf_status stream_group_add(stream_group *g, stream_input *in)
{
    if (g->n == g->most)
        return error_fail("more than %u streams", g->most);
    g->inputs[g->n++] = in;
    in->group = g;
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- queues -- */

size_t stream_take_queued(stream_input *in, uint8_t *to, size_t n)
{
    size_t done = 0;

    while (in->queue_n > 0 && done < n) {
        size_t part = in->group->queue - in->queue_from; /* up to the end of the ring */
        part = part > in->queue_n ? in->queue_n : part;
        part = part > n - done ? n - done : part;
        memcpy(to + done, in->queue + in->queue_from, part);
        done += part;
        in->queue_n -= part;
        in->queue_from = (in->queue_from + part) % in->group->queue;
    }
    return done;
}

int stream_queue_is_full(const stream_input *in)
{
    return in->group && in->queue_n == in->group->queue;
}

/* Takes what has come of an input that isn't being read into its queue. */
static void queue_up(const stream_group *g, stream_input *in)
{
    if (!in->queue && !(in->queue = malloc(g->queue))) {
        in->silent = 1; /* it is read without a queue */
        return;
    }
    size_t at = (in->queue_from + in->queue_n) % g->queue, room = g->queue - in->queue_n;
    room = room > g->queue - at ? g->queue - at : room;
    ssize_t got = stream_read(in, in->queue + at, room);
    if (got > 0) {
        in->queue_n += (size_t)got;
        in->bytes += (uint64_t)got;
    } else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        in->silent = 1;
        in->error = got == 0 || errno == ECONNRESET ? 0 : errno;
    }
}

/* Lists the inputs that may be queued, behind the one that is waited for (slot 0), if any. */
static uint32_t find_others(stream_group *g, const stream_input *in)
{
    uint32_t n = in ? 1 : 0;

    for (uint32_t i = 0; g && i < g->n; i++) {
        stream_input *other = g->inputs[i];
        if (other == in || other->fd < 0 || other->silent || other->queue_n == g->queue)
            continue;
        g->polls[n] = (struct pollfd){.fd = other->fd, .events = POLLIN};
        g->polled[n++] = other;
    }
    return n;
}

static uint32_t queue_what_came(stream_group *g, uint32_t from, uint32_t n)
{
    uint32_t queued = 0;

    for (uint32_t i = from; i < n; i++)
        if (g->polls[i].revents) {
            queue_up(g, g->polled[i]);
            queued++;
        }
    return queued;
}

static int64_t now_ms(void)
{
    return (int64_t)(now_seconds() * 1e3);
}

/* Limited where there is a flag: a signal may come between the look at it and the wait. */
static int longest_wait(const stream_input *in)
{
    return in->interrupted ? WAIT_MS : -1;
}

tcf_status stream_wait(stream_group *g, const stream_input *in, int fd, int patience)
{
    const stream_input *any = in ? in : g->inputs[0]; /* all inputs have the same idle function */
    struct pollfd alone = {.fd = fd, .events = POLLIN}, *polls = g ? g->polls : &alone;
    int64_t beat = now_ms() + (patience < 0 ? 0 : patience);

    if (in && !source_is_interrupted(in->interrupted) && poll(&alone, 1, 0) > 0)
        return TCF_OK; /* without a look at the others */
    for (;;) {
        if (source_is_interrupted(any->interrupted))
            return error_fail("interrupted");
        uint32_t n = find_others(g, in), first = in ? 1 : 0;
        int64_t left = beat - now_ms();
        if (n == 0)
            return TCF_OK;
        if (in)
            polls[0] = alone;
        int ready = poll(polls, n, patience < 0 ? longest_wait(any) : left < 0 ? 0 : (int)left);
        if (ready < 0)
            return errno == EINTR ? error_fail("interrupted") : TCF_OK; /* read() reports other errors */
        if (in && polls[0].revents)
            return TCF_OK;
        if (queue_what_came(g, first, n) > 0 && !in)
            return TCF_OK;
        if (patience < 0 || now_ms() < beat)
            continue;
        if (any->idle && any->idle(any->idle_data) != TCF_OK)
            return TCF_ERROR;
        beat = now_ms() + WAIT_MS;
    }
}

/* The end of an input that is no longer read is queued as well, once; it doesn't end a further wait. */
tcf_status stream_group_wait(stream_group *g)
{
    return stream_wait(g, NULL, -1, STREAM_FIRST_WAIT_MS);
}

void stream_group_poll(stream_group *g, int ms)
{
    const uint32_t n = find_others(g, NULL);

    if (poll(g->polls, n, ms) > 0)
        queue_what_came(g, 0, n);
}

int stream_input_ready(const stream_input *in)
{
    struct pollfd wait = {.fd = in->fd, .events = POLLIN};
    return in->queue_n > 0 || in->silent || stream_token_pending(in) > 0 || poll(&wait, 1, 0) != 0;
}
