/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Counters of all modes and types; I/O: handles that are opened, duplicated, closed or left open, operations that block
 * or not, are cancelled, or never complete; and one-sided operations, some of which one completion ends together, some
 * in epochs, some under locks of windows. */
#include "random_trace_world.h"

#include <math.h>
#include <stdlib.h>

/* Ids of definitions, behind those of random_trace_definitions.c. */
enum {
    WINDOWS = 2,
    STRINGS = 1 << 20,
    COUNTER_MEMBERS = 10,
    COUNTER_CLASS = 5,
    PROCESS_CLASS = 6,
    INSTANCES = 20,
    GROUPS = 1 << 24
};

/* ---- counters ---- */

static const struct {
    const char *name;
    OTF2_MetricMode mode;
    OTF2_Type type;
    OTF2_Base base;
    int64_t exponent;
} counters[] = {
    {"instructions", OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0},
    {"balance", OTF2_METRIC_ACCUMULATED_POINT, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, -6},
    {"misses since", OTF2_METRIC_ACCUMULATED_LAST, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 3},
    {"work to come", OTF2_METRIC_ACCUMULATED_NEXT, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0},
    {"temperature", OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0},
    {"queue", OTF2_METRIC_ABSOLUTE_LAST, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0},
    {"memory", OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_UINT64, OTF2_BASE_BINARY, 10},
    {"step", OTF2_METRIC_RELATIVE_POINT, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0},
    {"drift since", OTF2_METRIC_RELATIVE_LAST, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0},
    {"jump to come", OTF2_METRIC_RELATIVE_NEXT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0},
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static double fraction(struct world *w)
{
    return (double)rt_below(w, 1000001) / 1e6;
}

static OTF2_MetricValue counter(struct world *w, struct location *l, uint32_t i)
{
    OTF2_MetricValue v;

    switch (counters[i].type) {
    case OTF2_TYPE_DOUBLE:
        v.floating_point = rt_chance(w, 0.01) ? (double)INFINITY : (fraction(w) - 0.3) * 1e6;
        break;
    case OTF2_TYPE_INT64:
        v.signed_int = (int64_t)(rt_random(w) >> 20) - (INT64_C(1) << 42);
        break;
    default: /* the first one only grows, and now and then beyond 2^64 */
        if (i == 0)
            l->counter += l->counter == 0 ? UINT64_MAX - (rt_random(w) >> 44) : rt_random(w) >> 50;
        v.unsigned_int = i == 0 ? l->counter : rt_random(w) >> rt_below(w, 64);
    }
    return v;
}

void rt_put_counters(struct world *w, struct location *l)
{
    OTF2_Type types[COUNTERS];
    OTF2_MetricValue values[COUNTERS];

    for (uint32_t i = 0; i < COUNTERS; i++) {
        types[i] = rt_chance(w, 0.01) ? OTF2_TYPE_INT64 : counters[i].type;
        values[i] = counter(w, l, i);
    }
    RT_PUT(w, l, Metric, COUNTER_CLASS, COUNTERS, types, values);
}

/* What is recorded of a process, now and then. */
void rt_op_counters(struct world *w)
{
    static const OTF2_Type type = OTF2_TYPE_DOUBLE;
    OTF2_MetricValue value = {.floating_point = fraction(w) * 100};
    struct location *l = rt_pick_thread(w, rt_below(w, w->options->ranks));

    rt_work(w, l);
    RT_PUT(w, l, Metric, INSTANCES + l->rank, 1, &type, &value);
}

/* ---- I/O ---- */

enum { HANDLES = 4, FILES = 3, PARADIGMS = 2 };

static uint32_t handle_ref(const struct location *l, uint32_t handle)
{
    return l->rank * HANDLES + handle;
}

static void open_or_close(struct world *w, struct location *l)
{
    uint32_t handle = rt_below(w, HANDLES), other = rt_below(w, HANDLES);

    rt_enter(w, l, R_OPEN);
    rt_work(w, l);
    switch (rt_below(w, 6)) {
    case 0:
    case 1:
        RT_PUT(w, l, IoCreateHandle, handle_ref(l, handle), OTF2_IO_ACCESS_MODE_READ_WRITE,
               OTF2_IO_CREATION_FLAG_CREATE, OTF2_IO_STATUS_FLAG_NONE);
        break;
    case 2:
        RT_PUT(w, l, IoDestroyHandle, handle_ref(l, handle));
        break;
    case 3:
        RT_PUT(w, l, IoDuplicateHandle, handle_ref(l, handle), handle_ref(l, other), OTF2_IO_STATUS_FLAG_NONE);
        break;
    case 4:
        RT_PUT(w, l, IoDeleteFile, (OTF2_IoParadigmRef)rt_below(w, PARADIGMS), rt_below(w, FILES));
        break;
    default:
        RT_PUT(w, l, IoChangeStatusFlags, handle_ref(l, handle), OTF2_IO_STATUS_FLAG_APPEND);
        RT_PUT(w, l, IoSeek, handle_ref(l, handle), -5, OTF2_IO_SEEK_FROM_CURRENT, 100);
        RT_PUT(w, l, IoAcquireLock, handle_ref(l, handle), OTF2_LOCK_EXCLUSIVE);
        RT_PUT(w, l, IoReleaseLock, handle_ref(l, handle), OTF2_LOCK_EXCLUSIVE);
        RT_PUT(w, l, IoTryLock, handle_ref(l, handle), OTF2_LOCK_SHARED);
    }
    rt_leave(w, l);
}

static uint64_t some_bytes(struct world *w)
{
    return rt_chance(w, 0.05) ? OTF2_UNDEFINED_UINT64 : rt_random(w) >> (40 + rt_below(w, 24));
}

static void finish(struct world *w, struct location *l, uint32_t handle, uint64_t id, uint64_t bytes)
{
    if (rt_chance(w, 0.1))
        RT_PUT(w, l, IoOperationCancelled, handle_ref(l, handle), id);
    else
        RT_PUT(w, l, IoOperationComplete, handle_ref(l, handle),
               rt_chance(w, 0.7) || bytes == OTF2_UNDEFINED_UINT64 ? bytes : bytes / 2, id);
}

static void operate(struct world *w, struct location *l)
{
    uint32_t handle = rt_below(w, HANDLES), mode = rt_below(w, 3);
    uint64_t id = rt_chance(w, 0.8) ? ++w->next_io : w->next_io, bytes = some_bytes(w);
    bool waits = rt_chance(w, 0.6) || l->io_pending == RT_IO_PENDING, collective = rt_chance(w, 0.2);
    uint32_t flags =
        (waits ? 0 : OTF2_IO_OPERATION_FLAG_NON_BLOCKING) | (collective ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : 0);

    rt_enter(w, l, waits ? R_READ : R_IREAD);
    RT_PUT(w, l, IoOperationBegin, handle_ref(l, handle), (OTF2_IoOperationMode)mode, flags, bytes, id);
    rt_work(w, l);
    if (!waits && rt_chance(w, 0.9))
        RT_PUT(w, l, IoOperationIssued, handle_ref(l, handle), id);
    if (!waits)
        l->io[l->io_pending++] = (struct io_operation){handle, id, bytes};
    else if (rt_chance(w, 0.95))
        finish(w, l, handle, id, bytes);
    rt_leave(w, l);
}

static void complete(struct world *w, struct location *l)
{
    uint32_t i = rt_below(w, l->io_pending);
    struct io_operation x = l->io[i];

    l->io[i] = l->io[--l->io_pending];
    rt_work(w, l);
    if (rt_chance(w, 0.5))
        RT_PUT(w, l, IoOperationTest, handle_ref(l, x.handle), x.id);
    if (rt_chance(w, 0.95))
        finish(w, l, x.handle, x.id, x.bytes);
}

void rt_op_io(struct world *w)
{
    struct location *l = rt_pick_thread(w, rt_below(w, w->options->ranks));

    if (rt_chance(w, 0.3))
        open_or_close(w, l);
    else if (l->io_pending > 0 && rt_chance(w, 0.5))
        complete(w, l);
    else
        operate(w, l);
}

/* ---- one-sided operations ---- */

static void access(struct world *w, struct location *l, uint32_t window)
{
    uint32_t n = 1 + rt_below(w, 3);

    rt_enter(w, l, R_PUT);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t remote = rt_below(w, w->options->ranks);
        uint64_t bytes = rt_random(w) >> 50;
        if (rt_chance(w, 0.4))
            RT_PUT(w, l, RmaPut, window, remote, bytes, l->rma);
        else if (rt_chance(w, 0.6))
            RT_PUT(w, l, RmaGet, window, remote, bytes, l->rma);
        else
            RT_PUT(w, l, RmaAtomic, window, remote, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, bytes,
                   rt_chance(w, 0.5) ? 8 : 0, l->rma);
        rt_work(w, l);
    }
    rt_leave(w, l);
    rt_work(w, l);
    if (rt_chance(w, 0.6))
        RT_PUT(w, l, RmaOpCompleteBlocking, window, l->rma);
    else if (rt_chance(w, 0.9))
        RT_PUT(w, l, RmaOpCompleteNonBlocking, window, l->rma);
    else
        l->rma++; /* what was begun under the old id never completes */
}

/* The process alone, or its neighbours. */
static uint32_t group_of(const struct world *w, uint32_t rank, bool neighbours)
{
    return GROUPS + rank + (neighbours ? w->options->ranks : 0);
}

/* One of the calls of an epoch; it ends when something has happened elsewhere. */
static void synchronise(struct world *w, struct location *l, uint32_t region, uint32_t window, uint32_t group,
                        uint64_t until)
{
    bool at_once = rt_chance(w, 0.3);

    rt_work(w, l);
    if (region == R_WIN_TEST && l->now < until) { /* in vain */
        rt_enter(w, l, region);
        rt_leave(w, l);
        rt_wait_until(l, until);
    }
    rt_enter(w, l, region);
    if (at_once)
        RT_PUT(w, l, RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, window, group);
    rt_wait_until(l, until);
    if (!at_once)
        RT_PUT(w, l, RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, window, group);
    rt_leave(w, l);
}

/* Where a start doesn't wait for posts, the complete does. */
static void open_and_access(struct world *w, struct location *l, uint32_t window, uint32_t group, uint64_t posted)
{
    bool later = rt_chance(w, 0.5);

    synchronise(w, l, R_WIN_START, window, group, later ? 0 : posted);
    if (rt_chance(w, 0.7))
        access(w, l, window);
    synchronise(w, l, R_WIN_COMPLETE, window, group, later ? posted : 0);
}

static void close_exposure(struct world *w, struct location *l, uint32_t window, uint32_t group, uint64_t completed)
{
    if (rt_chance(w, 0.3))
        access(w, l, window);
    synchronise(w, l, rt_chance(w, 0.2) ? R_WIN_TEST : R_WIN_WAIT, window, group, completed);
}

static void epoch_of_two(struct world *w, uint32_t window)
{
    uint32_t n = w->options->ranks, origin = rt_below(w, n), target = (origin + 1 + rt_below(w, n - 1)) % n;
    struct location *from = rt_thread(w, origin, SLOT_MASTER), *to = rt_thread(w, target, SLOT_MASTER);

    synchronise(w, to, R_WIN_POST, window, group_of(w, origin, false), 0);
    open_and_access(w, from, window, group_of(w, target, false), to->now + rt_latency(w, target, origin));
    close_exposure(w, to, window, group_of(w, origin, false), from->now + rt_latency(w, origin, target));
}

/* When the later of its neighbours has shown a process what it has done. */
static uint64_t neighbours(struct world *w, const uint64_t *done, uint32_t rank)
{
    uint32_t n = w->options->ranks, left = (rank + n - 1) % n, right = (rank + 1) % n;
    uint64_t a = done[left] + rt_latency(w, left, rank), b = done[right] + rt_latency(w, right, rank);

    return a > b ? a : b;
}

/* Every process is origin and target of its neighbours. */
static void epoch_of_all(struct world *w, uint32_t window)
{
    uint32_t n = w->options->ranks;
    uint64_t *done = calloc(2 * (size_t)n, sizeof *done);

    if (done == NULL)
        abort();
    for (uint32_t r = 0; r < n; r++) {
        synchronise(w, rt_thread(w, r, SLOT_MASTER), R_WIN_POST, window, group_of(w, r, true), 0);
        done[r] = rt_thread(w, r, SLOT_MASTER)->now;
    }
    for (uint32_t r = 0; r < n; r++) {
        struct location *l = rt_thread(w, r, SLOT_MASTER);
        open_and_access(w, l, window, group_of(w, r, true), neighbours(w, done, r));
        done[n + r] = l->now;
    }
    for (uint32_t r = 0; r < n; r++)
        close_exposure(w, rt_thread(w, r, SLOT_MASTER), window, group_of(w, r, true), neighbours(w, done + n, r));
    free(done);
}

/* When the lock can be had: an exclusive one when nobody has any. */
static uint64_t free_for(const struct world *w, uint32_t target, bool exclusive)
{
    const uint64_t *released = w->ranks[target].window_free;

    return exclusive && released[0] > released[1] ? released[0] : released[1];
}

/* The part of one process, or of all for a shared lock. Some measurement systems record when a lock is asked for,
 * others when it was got; an implementation may get it as late as in the call that gives it back. */
static void access_under_lock(struct world *w, struct location *l, uint32_t window)
{
    uint32_t n = w->options->ranks, target = rt_below(w, n), first = target, last = target;
    bool all = rt_chance(w, 0.3), exclusive = !all && rt_chance(w, 0.5), late = rt_chance(w, 0.3);
    bool tells_request = rt_chance(w, 0.6);
    uint32_t remote = all ? OTF2_UNDEFINED_UINT32 : target;
    OTF2_LockType type = exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
    uint64_t free_at = 0;

    if (all)
        first = 0, last = n - 1;
    for (uint32_t r = first; r <= last; r++) {
        uint64_t at = free_for(w, r, exclusive) + rt_latency(w, r, l->rank);
        free_at = at > free_at ? at : free_at;
    }
    rt_work(w, l);
    rt_enter(w, l, all ? R_WIN_LOCK_ALL : R_WIN_LOCK);
    if (tells_request)
        RT_PUT(w, l, RmaRequestLock, window, remote, 0, type);
    else if (!late && rt_chance(w, 0.2))
        RT_PUT(w, l, RmaTryLock, window, remote, 0, type);
    if (!late)
        rt_wait_until(l, free_at);
    if (!late && !tells_request)
        RT_PUT(w, l, RmaAcquireLock, window, remote, 0, type);
    rt_leave(w, l);
    access(w, l, window);
    rt_enter(w, l, all ? R_WIN_UNLOCK_ALL : R_WIN_UNLOCK);
    rt_wait_until(l, free_at);
    if (rt_chance(w, 0.95))
        RT_PUT(w, l, RmaReleaseLock, window, remote, 0);
    for (uint32_t r = first; r <= last; r++)
        if (w->ranks[r].window_free[exclusive] < l->now)
            w->ranks[r].window_free[exclusive] = l->now;
    rt_leave(w, l);
}

/* Of MPI_COMM_WORLD and of every communicator that has a window. */
void rt_op_rma(struct world *w)
{
    struct location *l = rt_pick_thread(w, rt_below(w, w->options->ranks));
    uint32_t window = rt_below(w, WINDOWS);

    if (w->options->passive && rt_chance(w, 0.4))
        access_under_lock(w, l, window);
    else if (!w->options->epochs || w->options->ranks == 1 || rt_chance(w, 0.5))
        access(w, l, window);
    else if (rt_chance(w, 0.7))
        epoch_of_two(w, window);
    else
        epoch_of_all(w, window);
}

/* ---- definitions ---- */

static OTF2_StringRef text(struct world *w, const char *text)
{
    OTF2_StringRef ref = STRINGS + w->more_strings++;

    TRACE_DEFINE(&w->trace, String, ref, text);
    return ref;
}

static void define_counters(struct world *w)
{
    OTF2_MetricMemberRef members[COUNTERS];

    for (uint32_t i = 0; i < COUNTERS; i++) {
        members[i] = COUNTER_MEMBERS + i;
        TRACE_DEFINE(&w->trace, MetricMember, members[i], text(w, counters[i].name), 0, OTF2_METRIC_TYPE_USER,
                     counters[i].mode, counters[i].type, counters[i].base, counters[i].exponent, text(w, "#"));
    }
    TRACE_DEFINE(&w->trace, MetricClass, COUNTER_CLASS, COUNTERS, members, OTF2_METRIC_SYNCHRONOUS,
                 OTF2_RECORDER_KIND_CPU);
    TRACE_DEFINE(&w->trace, MetricClass, PROCESS_CLASS, 1, &members[4], OTF2_METRIC_ASYNCHRONOUS,
                 OTF2_RECORDER_KIND_ABSTRACT);
    for (uint32_t r = 0; r < w->options->ranks; r++)
        TRACE_DEFINE(&w->trace, MetricInstance, INSTANCES + r, PROCESS_CLASS, rt_thread(w, r, SLOT_MASTER)->ref,
                     OTF2_SCOPE_LOCATION_GROUP, r);
}

/* The last handle of a rank has no file. */
static void define_io(struct world *w)
{
    static const char *const paradigms[] = {"POSIX", "MPI-IO"};
    static const char *const files[] = {"/data/one", "/data/two", "/data/, three"};

    for (uint8_t i = 0; i < PARADIGMS; i++)
        TRACE_DEFINE(&w->trace, IoParadigm, i, text(w, paradigms[i]), text(w, paradigms[i]),
                     OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL);
    for (uint32_t i = 0; i < FILES; i++)
        TRACE_DEFINE(&w->trace, IoRegularFile, i, text(w, files[i]), 0);
    for (uint32_t r = 0; r < w->options->ranks; r++)
        for (uint32_t k = 0; k < HANDLES; k++)
            TRACE_DEFINE(&w->trace, IoHandle, r * HANDLES + k, k == FILES ? text(w, "stdin") : 0,
                         k == FILES ? OTF2_UNDEFINED_IO_FILE : k, k % PARADIGMS,
                         k == FILES ? OTF2_IO_HANDLE_FLAG_PRE_CREATED : OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
                         OTF2_UNDEFINED_IO_HANDLE);
}

/* The ranks that synchronise with each other in epochs. */
static void define_groups(struct world *w)
{
    uint64_t n = w->options->ranks;
    OTF2_StringRef name = text(w, "");

    for (uint64_t r = 0; r < n; r++) {
        const uint64_t near[2] = {(r + n - 1) % n, (r + 1) % n};
        for (int two = 0; two < 2; two++)
            TRACE_DEFINE(&w->trace, Group, group_of(w, (uint32_t)r, two), name, OTF2_GROUP_TYPE_COMM_GROUP,
                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, two && n > 2 ? 2 : 1, two ? near : &r);
    }
}

void rt_define_counters(struct world *w)
{
    if (rt_has(w, RT_RMA) && w->options->epochs)
        define_groups(w);
    if (rt_has(w, RT_COUNTERS))
        define_counters(w);
    if (rt_has(w, RT_IO))
        define_io(w);
    for (uint32_t i = 0; rt_has(w, RT_WINDOW_COLLECTIVES) && i < w->comm_count; i++)
        if (!w->comms[i].inter && (i == 0 || !w->options->comms_per_rank))
            TRACE_DEFINE(&w->trace, RmaWin, rt_window(&w->comms[i]), text(w, "window of a communicator"),
                         rt_comm_ref(w, &w->comms[i], 0), OTF2_RMA_WIN_FLAG_NONE);
    for (uint32_t i = 0; rt_has(w, RT_RMA) && i < WINDOWS; i++)
        TRACE_DEFINE(&w->trace, RmaWin, i, text(w, "window"), rt_comm_ref(w, &w->comms[0], 0), OTF2_RMA_WIN_FLAG_NONE);
}
