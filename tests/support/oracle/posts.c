/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sends that wait for their receive to be posted (doc/matching.md, "Posts"): for each message, looked for from its send
 * and from its receive. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcasecmp(name, *names))
            return true;
    return false;
}

static bool enters(const struct o_event *event)
{
    return event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER;
}

static bool leaves(const struct o_event *event)
{
    return event->kind == O_LEAVE || event->kind == O_CALLING_CONTEXT_LEAVE;
}

static const char *name_of(const struct o_matching *m, const struct o_event *event, char *buffer)
{
    uint64_t region;
    return o_region_of(m->trace, event, &region) ? o_region_name(m->trace, region, buffer) : "";
}

/* The enter of the innermost call around an event that has one of the names; O_NONE. */
static size_t call_named(const struct o_matching *m, size_t l, size_t e, const char *const *names)
{
    size_t depth = 0;
    char buffer[32];
    while (e-- > 0) {
        const struct o_event *event = &m->trace->location[l].event[e];
        if (leaves(event))
            depth++;
        else if (enters(event) && depth > 0)
            depth--;
        else if (enters(event) && is_one_of(name_of(m, event, buffer), names))
            return e;
    }
    return O_NONE;
}

bool o_send_waits(const struct o_matching *m, size_t l, size_t e, uint64_t rendezvous)
{
    static const char *const modes[] = {"MPI_Ssend", "MPI_Issend", "MPI_Bsend", "MPI_Ibsend",
                                        "MPI_Rsend", "MPI_Irsend", NULL};
    static const char *const synchronous[] = {"MPI_Ssend", "MPI_Issend", NULL};
    const struct o_event *event = &m->trace->location[l].event[e];
    char buffer[32];
    size_t call = call_named(m, l, e, modes);
    if (call == O_NONE)
        return event->field[3] >= rendezvous;
    return is_one_of(name_of(m, &m->trace->location[l].event[call], buffer), synchronous);
}

/* May an event end a send although it is an edge, or might be one? */
static bool is_plain(const struct o_matching *m, const struct o_event *event)
{
    static const char *const receives[] = {"MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace", NULL};
    char buffer[32];
    uint64_t region;
    if (enters(event) || leaves(event)) {
        if (!o_region_of(m->trace, event, &region))
            return true;
        const struct o_region *of = o_find(&m->trace->regions, sizeof *of, region);
        bool barrier = of && of->paradigm == OTF2_PARADIGM_OPENMP &&
                       (of->role == OTF2_REGION_ROLE_BARRIER || of->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER);
        return !barrier && !(enters(event) && is_one_of(o_region_name(m->trace, region, buffer), receives));
    }
    switch (event->kind) {
    case O_MPI_SEND:
    case O_MPI_ISEND:
    case O_MPI_ISEND_COMPLETE:
    case O_MPI_IRECV_REQUEST:
    case O_MPI_RECV:
    case O_MPI_IRECV:
    case O_MPI_REQUEST_CANCELLED:
    case O_MPI_COLLECTIVE_BEGIN:
    case O_MPI_COLLECTIVE_END:
    case O_NON_BLOCKING_COLLECTIVE_REQUEST:
    case O_NON_BLOCKING_COLLECTIVE_COMPLETE:
    case O_RMA_COLLECTIVE_BEGIN:
    case O_RMA_COLLECTIVE_END:
    case O_THREAD_FORK:
    case O_THREAD_JOIN:
    case O_OMP_FORK:
    case O_OMP_JOIN:
    case O_THREAD_TEAM_BEGIN:
    case O_THREAD_TEAM_END:
    case O_THREAD_CREATE:
    case O_THREAD_BEGIN:
    case O_THREAD_END:
    case O_THREAD_WAIT:
    case O_THREAD_ACQUIRE_LOCK:
    case O_THREAD_RELEASE_LOCK:
    case O_OMP_ACQUIRE_LOCK:
    case O_OMP_RELEASE_LOCK:
        return false;
    default:
        return true;
    }
}

/* Where a send ends that waits; O_NONE: the trace doesn't show that. */
static size_t end_of_send(const struct o_matching *m, size_t l, size_t e)
{
    const struct o_location *location = &m->trace->location[l];
    if (location->event[e].kind == O_MPI_ISEND)
        return m->requests.done[l][e];
    for (e++; e < location->n && location->event[e].kind != O_MPI_SEND; e++)
        if (is_plain(m, &location->event[e]))
            return e;
    return O_NONE;
}

/* Where a receive was posted that is complete at an event: at the enter of its call, or the call's last send. O_NONE:
 * not known. */
static size_t post_of(const struct o_matching *m, size_t l, size_t e)
{
    static const char *const calls[] = {"MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace", NULL};
    if (m->trace->location[l].event[e].kind == O_MPI_IRECV)
        return o_usable_post(m, l, e);
    size_t call = call_named(m, l, e, calls), post = call, depth = 0;
    for (size_t i = call; call != O_NONE && i < e; i++) {
        const struct o_event *event = &m->trace->location[l].event[i];
        if (event->kind == O_MPI_RECV)
            return O_NONE;
        depth += enters(event);
        depth -= leaves(event);
        post = event->kind == O_MPI_SEND && depth == 1 ? i : post;
    }
    return post;
}

static int compare_posts(const void *a, const void *b)
{
    const struct o_post *x = a, *y = b;
    int order = o_compare_u64(x->target_location, y->target_location);
    return order ? order : o_compare_u64(x->target, y->target);
}

void o_match_posts(const struct o_matching *m, uint64_t rendezvous, struct o_list *posts)
{
    const struct o_message *message = m->messages.item;
    for (size_t i = 0; i < m->messages.n; i++, message++) {
        if (message->source == O_NONE || message->target == O_NONE || !message->trusted ||
            !o_send_waits(m, message->source_location, message->source, rendezvous))
            continue;
        size_t end = end_of_send(m, message->source_location, message->source);
        size_t post = post_of(m, message->target_location, message->target);
        if (end == O_NONE)
            continue;
        *(struct o_post *)o_push(posts, sizeof(struct o_post)) =
            (struct o_post){.source_location = message->target_location,
                            .source = post == O_NONE ? message->target : post,
                            .target_location = message->source_location,
                            .target = end,
                            .send = message->source,
                            .known = post != O_NONE};
    }
    if (posts->n)
        qsort(posts->item, posts->n, sizeof(struct o_post), compare_posts);
}
