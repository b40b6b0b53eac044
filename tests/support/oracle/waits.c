/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Wait states from the whole trace: calls of all locations with the events in them, and what is printed of the waits
 * that the other waits_*.c find. */
#include "waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t o_event_time(const struct o_waits *w, size_t l, size_t e)
{
    return o_time(w->m->trace, l, e);
}

const struct o_call *o_call(const struct o_waits *w, size_t l, size_t call)
{
    return call == O_NONE ? NULL : (const struct o_call *)w->calls[l].item + call;
}

struct o_spot o_spot(const struct o_waits *w, size_t l, size_t e)
{
    size_t call = w->of_event[l][e];
    return (struct o_spot){l, call, call == O_NONE ? o_event_time(w, l, e) : o_call(w, l, call)->enter};
}

bool o_call_is(const struct o_waits *w, size_t l, size_t call, const char *prefix)
{
    char buffer[32];
    const struct o_call *c = o_call(w, l, call);
    return c && !strncmp(o_region_name(w->m->trace, c->region, buffer), prefix, strlen(prefix));
}

bool o_only_tests(const struct o_waits *w, size_t l, size_t call)
{
    return (o_call_is(w, l, call, "MPI_Test") && !o_call_is(w, l, call, "MPI_Test_cancelled")) ||
           o_call_is(w, l, call, "MPI_Win_test");
}

void o_add_wait(struct o_waits *w, const struct o_wait *wait)
{
    if (wait->length > 0)
        *(struct o_wait *)o_push(&w->found, sizeof *wait) = *wait;
}

void o_add_meeting(struct o_waits *w, size_t l, size_t call, uint64_t from, uint64_t end)
{
    *(struct o_meeting *)o_push(&w->meetings, sizeof(struct o_meeting)) =
        (struct o_meeting){w->operations, l, call, from, end};
}

/* ---- calls ---- */

static size_t close_call(struct o_waits *w, size_t l, size_t call, size_t e)
{
    struct o_call *c = (struct o_call *)w->calls[l].item + call;
    c->leave = o_event_time(w, l, e);
    c->last = e;
    if (c->parent != O_NONE)
        ((struct o_call *)w->calls[l].item)[c->parent].inner += (int64_t)(c->leave - c->enter);
    return c->parent;
}

static void find_calls(struct o_waits *w, size_t l)
{
    const struct o_location *location = &w->m->trace->location[l];
    size_t open = O_NONE;
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        uint64_t region;
        bool of_region = o_region_of(w->m->trace, event, &region);
        if (of_region && (event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER)) {
            struct o_call *c = o_push(&w->calls[l], sizeof *c);
            *c = (struct o_call){.region = region,
                                 .enter = o_event_time(w, l, e),
                                 .parent = open,
                                 .first = e,
                                 .last = O_NONE};
            open = w->calls[l].n - 1;
            of_region = false;
        }
        w->call_at[l][e] = open;
        if (!of_region)
            continue;
        size_t left = open;
        while (left != O_NONE && o_call(w, l, left)->region != region)
            left = o_call(w, l, left)->parent;
        if (left == O_NONE)
            continue;
        while (open != left)
            open = close_call(w, l, open, e);
        open = close_call(w, l, open, e);
    }
    while (open != O_NONE)
        open = close_call(w, l, open, location->n - 1);
}

/* ---- events of communication directly in a region of the user's ---- */

enum part { NEITHER, FIRST, LAST };

/* The first record of an operation, or one that shows an end. */
static enum part part_of(const struct o_event *event)
{
    switch (event->kind) {
    case O_MPI_SEND:
    case O_MPI_ISEND:
    case O_MPI_IRECV_REQUEST:
    case O_MPI_COLLECTIVE_BEGIN:
    case O_NON_BLOCKING_COLLECTIVE_REQUEST:
    case O_RMA_PUT:
    case O_RMA_GET:
    case O_RMA_ATOMIC:
    case O_RMA_COLLECTIVE_BEGIN:
        return FIRST;
    case O_MPI_ISEND_COMPLETE:
    case O_MPI_RECV:
    case O_MPI_IRECV:
    case O_MPI_REQUEST_TEST:
    case O_MPI_REQUEST_CANCELLED:
    case O_MPI_COLLECTIVE_END:
    case O_NON_BLOCKING_COLLECTIVE_COMPLETE:
    case O_RMA_COLLECTIVE_END:
    case O_RMA_GROUP_SYNC:
    case O_RMA_OP_COMPLETE_BLOCKING:
    case O_RMA_OP_COMPLETE_NON_BLOCKING:
    case O_RMA_OP_COMPLETE_REMOTE:
    case O_THREAD_ACQUIRE_LOCK:
    case O_THREAD_RELEASE_LOCK:
    case O_OMP_ACQUIRE_LOCK:
    case O_OMP_RELEASE_LOCK:
        return LAST;
    default:
        return NEITHER;
    }
}

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool is_users(const struct o_waits *w, uint64_t region)
{
    char buffer[32];
    const char *name = o_region_name(w->m->trace, region, buffer);
    const struct o_region *r = o_find(&w->m->trace->regions, sizeof *r, region);
    if (!r)
        return true;
    if (starts(name, "MPI_") || starts(name, "pthread_") || r->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM)
        return false;
    switch (r->role) {
    case OTF2_REGION_ROLE_ARTIFICIAL:
        return r->paradigm == OTF2_PARADIGM_OPENMP && !starts(name, "omp_");
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
    case OTF2_REGION_ROLE_COLL_OTHER:
    case OTF2_REGION_ROLE_FILE_IO:
    case OTF2_REGION_ROLE_POINT2POINT:
    case OTF2_REGION_ROLE_RMA:
    case OTF2_REGION_ROLE_DATA_TRANSFER:
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return false;
    case OTF2_REGION_ROLE_CRITICAL:
    case OTF2_REGION_ROLE_ORDERED:
    case OTF2_REGION_ROLE_TASK_CREATE:
    case OTF2_REGION_ROLE_TASK_WAIT:
    case OTF2_REGION_ROLE_FLUSH:
    case OTF2_REGION_ROLE_ATOMIC:
        return r->paradigm != OTF2_PARADIGM_OPENMP;
    }
    switch (r->paradigm) {
    case OTF2_PARADIGM_MPI:
    case OTF2_PARADIGM_GASPI:
    case OTF2_PARADIGM_UPC:
    case OTF2_PARADIGM_SHMEM:
        return false;
    case OTF2_PARADIGM_OPENMP:
        return !starts(name, "omp_");
    default:
        return true;
    }
}

/* The last thing that the location is known to have done in a call before an event: entered it, been in a call inside
 * of it, communicated. */
static uint64_t last_known(const struct o_waits *w, size_t l, size_t call, size_t e)
{
    const struct o_location *location = &w->m->trace->location[l];
    uint64_t known = o_call(w, l, call)->enter;
    for (size_t i = 0; i < w->n_calls[l]; i++)
        if (o_call(w, l, i)->parent == call && o_call(w, l, i)->last < e && o_call(w, l, i)->leave > known)
            known = o_call(w, l, i)->leave;
    for (size_t i = 0; i < e; i++)
        if (w->call_at[l][i] == call && part_of(&location->event[i]) != NEITHER && o_event_time(w, l, i) > known)
            known = o_event_time(w, l, i);
    return known;
}

static void find_bare_calls(struct o_waits *w, size_t l)
{
    const struct o_location *location = &w->m->trace->location[l];
    w->n_calls[l] = w->calls[l].n;
    for (size_t e = 0; e < location->n; e++) {
        const size_t call = w->of_event[l][e] = w->call_at[l][e];
        const enum part part = part_of(&location->event[e]);
        if (call == O_NONE || part == NEITHER || !is_users(w, o_call(w, l, call)->region))
            continue;
        struct o_call bare = {.region = o_call(w, l, call)->region,
                              .parent = call,
                              .first = e,
                              .last = e,
                              .leave = o_event_time(w, l, e),
                              .bare = true};
        bare.enter = part == FIRST ? bare.leave : last_known(w, l, call, e);
        w->of_event[l][e] = w->calls[l].n;
        *(struct o_call *)o_push(&w->calls[l], sizeof bare) = bare;
    }
}

void o_waits(struct o_waits *w, const struct o_matching *m)
{
    const struct o_trace *trace = m->trace;
    *w = (struct o_waits){.m = m};
    w->calls = o_alloc(trace->n_locations, sizeof *w->calls);
    w->call_at = o_alloc(trace->n_locations, sizeof *w->call_at);
    w->of_event = o_alloc(trace->n_locations, sizeof *w->of_event);
    w->n_calls = o_alloc(trace->n_locations, sizeof *w->n_calls);
    for (size_t l = 0; l < trace->n_locations; l++) {
        w->call_at[l] = o_alloc(trace->location[l].n, sizeof **w->call_at);
        w->of_event[l] = o_alloc(trace->location[l].n, sizeof **w->of_event);
        find_calls(w, l);
        find_bare_calls(w, l);
    }
    o_find_message_waits(w);
    o_find_collective_waits(w);
    o_find_thread_waits(w);
    o_find_window_waits(w);
}

void o_waits_free(struct o_waits *w)
{
    for (size_t l = 0; l < w->m->trace->n_locations; l++) {
        free(w->calls[l].item);
        free(w->call_at[l]);
        free(w->of_event[l]);
    }
    free(w->calls);
    free(w->of_event);
    free(w->n_calls);
    free(w->call_at);
    free(w->found.item);
    free(w->receipts.item);
    free(w->meetings.item);
}

/* ---- whose time it is ---- */

/* The call that is open behind an event. */
size_t o_open_after(const struct o_waits *w, size_t l, size_t e)
{
    size_t call = w->call_at[l][e];
    while (call != O_NONE && o_call(w, l, call)->last != O_NONE && o_call(w, l, call)->last <= e)
        call = o_call(w, l, call)->parent;
    return call;
}

bool o_communicates(const struct o_waits *w, uint64_t region)
{
    char buffer[32];
    const struct o_region *r = o_find(&w->m->trace->regions, sizeof *r, region);
    return r && (r->paradigm == OTF2_PARADIGM_MPI || r->paradigm == OTF2_PARADIGM_GASPI ||
                 r->paradigm == OTF2_PARADIGM_UPC || r->paradigm == OTF2_PARADIGM_SHMEM ||
                 !strncmp(o_region_name(w->m->trace, region, buffer), "MPI_", 4));
}

/* The last call directly inside of `around` that communicates and was left by event e; O_NONE: computation follows
 * none. */
size_t o_followed(const struct o_waits *w, size_t l, size_t around, size_t e)
{
    const size_t first = around == O_NONE ? 0 : around + 1; /* calls stand in the order of their enters */
    if (around != O_NONE && o_communicates(w, o_call(w, l, around)->region))
        return O_NONE;
    for (size_t i = w->n_calls[l]; i > first; i--) {
        const struct o_call *c = o_call(w, l, i - 1);
        if (c->parent == around && c->last <= e && o_communicates(w, c->region))
            return i - 1;
    }
    return O_NONE;
}

/* Does an event that stands directly in a region of the user's take the time before it? Some only tell of others. */
static bool takes_time(const struct o_waits *w, size_t l, const struct o_call *bare)
{
    switch (w->m->trace->location[l].event[bare->first].kind) {
    case O_MPI_REQUEST_TEST:
    case O_MPI_REQUEST_CANCELLED:
    case O_RMA_OP_COMPLETE_BLOCKING:
    case O_RMA_OP_COMPLETE_NON_BLOCKING:
    case O_RMA_OP_COMPLETE_REMOTE:
        return false;
    default:
        return true;
    }
}

/* Is the time from event e to the next one that of an event of communication directly in the call? */
bool o_is_bare(const struct o_waits *w, size_t l, size_t call, size_t e)
{
    const uint64_t from = o_event_time(w, l, e), to = o_event_time(w, l, e + 1);
    for (size_t i = w->n_calls[l]; i < w->calls[l].n; i++) {
        const struct o_call *c = o_call(w, l, i);
        if (c->parent == call && c->last > e && c->enter <= from && c->leave >= to && takes_time(w, l, c))
            return true;
    }
    return false;
}

/* ---- output ---- */

static void print_path(const struct o_waits *w, size_t l, size_t call)
{
    const struct o_call *c = o_call(w, l, call);
    char buffer[32];
    if (!c)
        return;
    print_path(w, l, c->parent);
    if (c->bare)
        return;
    printf("%s%s", c->parent == O_NONE ? "" : "/", o_region_name(w->m->trace, c->region, buffer));
}

static void print_wait(const struct o_waits *w, const struct o_wait *x)
{
    const struct o_location *location = w->m->trace->location;
    printf("wait,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", x->pattern, location[x->location].def.id, x->from,
           x->length);
    if (x->cause.location != O_NONE && !x->is_idle)
        printf("%" PRIu64 ",%" PRIu64, location[x->cause.location].def.id, x->cause.time);
    else
        printf(",0");
    printf(",%d,", x->reversed);
    const struct o_spot own = {x->location, x->call, 0}, *spot = x->is_idle ? &x->cause : &own;
    if (spot->location != O_NONE)
        print_path(w, spot->location, spot->call);
    putchar(',');
    if (x->cause.location != O_NONE && !x->is_idle)
        print_path(w, x->cause.location, x->cause.call);
    putchar('\n');
}

/* Regions in which the measurement system is busy with itself. */
static bool is_overhead(const struct o_waits *w, uint64_t region)
{
    char buffer[32];
    const struct o_region *r = o_find(&w->m->trace->regions, sizeof *r, region);
    const char *name = o_region_name(w->m->trace, region, buffer);
    return r && !starts(name, "MPI_") && !starts(name, "pthread_") && r->paradigm != OTF2_PARADIGM_OPENMP &&
           (r->role == OTF2_REGION_ROLE_ARTIFICIAL || r->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM);
}

/* Is the call one of MPI, or made in one? A task and measurement stand apart from what is around them. */
static bool is_in_mpi(const struct o_waits *w, size_t l, size_t call)
{
    for (; call != O_NONE; call = o_call(w, l, call)->parent) {
        const struct o_region *r = o_find(&w->m->trace->regions, sizeof *r, o_call(w, l, call)->region);
        if (o_call_is(w, l, call, "MPI_"))
            return true;
        if ((r && r->role == OTF2_REGION_ROLE_TASK) || is_overhead(w, o_call(w, l, call)->region))
            return false;
    }
    return false;
}

/* Time in calls of all locations, of these without overhead, and of MPI. */
static void print_times(const struct o_waits *w)
{
    uint64_t all = 0, mpi = 0, idle = 0, overhead = 0;
    size_t visits = 0, mpi_visits = 0, overhead_visits = 0;
    const struct o_wait *x = w->found.item;
    for (size_t l = 0; l < w->m->trace->n_locations; l++)
        for (size_t i = 0; i < w->n_calls[l]; i++) {
            const struct o_call *c = o_call(w, l, i);
            uint64_t own = c->leave - c->enter - (uint64_t)c->inner;
            const bool is_mpi = is_in_mpi(w, l, i);
            all += own;
            mpi += is_mpi ? own : 0;
            mpi_visits += is_mpi;
            overhead += is_overhead(w, c->region) ? own : 0;
            overhead_visits += is_overhead(w, c->region);
            visits++;
        }
    for (size_t i = 0; i < w->found.n; i++) {
        idle += strcmp(x[i].pattern, "omp_idle_threads") ? 0 : x[i].length;
        /* What is waited for MPI outside of its calls is its time, too; these are parts of other waits. */
        if (starts(x[i].pattern, "mpi_") && !starts(x[i].pattern, "mpi_lswo_") &&
            strcmp(x[i].pattern, "mpi_rma_late_complete") && !is_in_mpi(w, x[i].location, x[i].call))
            mpi += x[i].length;
    }
    printf("time,execution,%" PRIu64 ",%zu\ntime,mpi,%" PRIu64 ",%zu\ntime,time,%" PRIu64 ",%zu\n", all - overhead,
           visits - overhead_visits, mpi, mpi_visits, all + idle, visits);
}

/* ---- communication ---- */

static void print_messages(const struct o_waits *w)
{
    uint64_t n[2][2] = {{0}}, bytes[2] = {0};
    for (size_t l = 0; l < w->m->trace->n_locations; l++)
        for (size_t e = 0; e < w->m->trace->location[l].n; e++) {
            const struct o_event *event = &w->m->trace->location[l].event[e];
            bool sends = event->kind == O_MPI_SEND || event->kind == O_MPI_ISEND;
            if (!sends && event->kind != O_MPI_RECV && event->kind != O_MPI_IRECV)
                continue;
            n[!sends][event->field[3] > 0]++;
            bytes[!sends] += event->field[3];
        }
    printf("count,syncs_send,%" PRIu64 "\ncount,comms_send,%" PRIu64 "\ncount,bytes_sent,%" PRIu64 "\n", n[0][0],
           n[0][1], bytes[0]);
    printf("count,syncs_recv,%" PRIu64 "\ncount,comms_recv,%" PRIu64 "\ncount,bytes_rcvd,%" PRIu64 "\n", n[1][0],
           n[1][1], bytes[1]);
}

static void print_collectives(const struct o_waits *w)
{
    const struct o_member *x = w->m->members.item;
    uint64_t n[4] = {0}, out = 0, in = 0;
    for (size_t i = 0; i < w->m->members.n; i++) {
        if (x[i].rma || x[i].op >= OTF2_COLLECTIVE_OP_CREATE_HANDLE)
            continue;
        n[x[i].op == OTF2_COLLECTIVE_OP_BARRIER ? 0 : (x[i].sent > 0) + 2 * (x[i].received > 0)]++;
        out += x[i].sent;
        in += x[i].received;
    }
    printf("count,syncs_coll,%" PRIu64 "\ncount,comms_csrc,%" PRIu64 "\ncount,comms_cdst,%" PRIu64 "\n", n[0], n[1],
           n[2]);
    printf("count,comms_cxch,%" PRIu64 "\ncount,bytes_cout,%" PRIu64 "\ncount,bytes_cin,%" PRIu64 "\n", n[3], out, in);
}

void o_print_waits(const struct o_waits *w)
{
    static const char *const of[] = {"messages", "collectives", "threads"};
    for (size_t i = 0; i < w->found.n; i++)
        print_wait(w, (const struct o_wait *)w->found.item + i);
    for (int i = 0; i < 3; i++)
        printf("clocks,%s,%" PRIu64 ",%" PRIu64 "\n", of[i], w->targets[i], w->reversed[i]);
    print_times(w);
    print_messages(w);
    print_collectives(w);
}
