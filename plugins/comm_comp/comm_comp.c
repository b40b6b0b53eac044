/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_comp: how long each process computes, communicates, does both at once, or neither.
 *
 * The open regions and the non-blocking operations under way decide what a location does. Each location has a
 * sweep of its own (sweep.h). The locations of one process advance together and have a common sweep as well. README.md
 * has the definitions. Memory is that of open operations and of changes in the window, both capped; nothing is
 * allocated for a single event. */
#include "comm_comp.h"
#include "../shared/patterns/region_kinds.h"

#include <stdlib.h>

enum { MEASUREMENT_OFF = 2 }; /* OTF2_MeasurementMode */

/* An operation has a name: its family, location and window (see operation()), and its id. */
enum { SEND, RECEIVE, COLLECTIVE, ONE_SIDED, FAMILIES };

/* What an event does to an operation. */
typedef struct step {
    uint8_t what, family; /* what: CHANGE_* */
    uint32_t window;      /* of one-sided operations */
    uint64_t id;
} step;

static inline uint64_t operation(uint32_t family, uint32_t location, uint32_t window)
{
    return (uint64_t)location << 34 | (uint64_t)window << 2 | family;
}

/* ------------------------------------------------------------------------------------------------------- changes -- */

/* Makes a change in the sweep of its location, and hands it to the process. */
static int tell(const tcf_self *self, place *p, change c)
{
    process *all = &((state *)self->state)->processes[p->process];
    if (make_change(&p->own, &c) != 0)
        return -1;
    return all->n_locations > 1 ? process_add(self, all, c) : 0;
}

static inline uint8_t activity_now(const state *st, const place *p)
{
    if (__builtin_expect(p->off || p->flush_until > 0, 0))
        return MEASUREMENT;
    if (__builtin_expect(p->manages, 0))
        return MANAGEMENT;
    if (p->stack.depth > 0)
        return (uint8_t)p->stack.open[p->stack.depth - 1].row & REGION_VALUE;
    return p->running > 0 ? st->outside : IDLE;
}

static inline int change_activity(const tcf_self *self, place *p, uint32_t location, uint64_t time)
{
    const uint8_t now = activity_now(self->state, p);
    if (__builtin_expect(now == p->activity, 1))
        return 0;
    const change c = {.time = time, .location = location, .what = CHANGE_ACTIVITY, .from = p->activity, .to = now};
    p->activity = now;
    return tell(self, p, c);
}

static void begin_flush(const tcf_self *self, place *p, uint64_t time, uint64_t until)
{
    process *all = &((state *)self->state)->processes[p->process];
    if (until <= time)
        return;
    p->flush_until = until;
    if (all->flushing++ == 0 || until < all->flushed)
        all->flushed = until;
}

/* The change is earlier than the event at which it is made. */
static int end_flush(const tcf_self *self, place *p, uint32_t location, uint64_t time)
{
    const uint64_t end = p->flush_until < time ? p->flush_until : time;
    p->flush_until = 0;
    const int failed = change_activity(self, p, location, end);
    ((state *)self->state)->processes[p->process].flushing--;
    return failed;
}

static inline int enter(const tcf_self *self, place *p, uint32_t region)
{
    const state *st = self->state;
    const uint32_t own = region < self->defs->n_regions ? st->activity[region] : COMPUTATION;
    const uint32_t around = p->stack.depth > 0 ? p->stack.open[p->stack.depth - 1].row : 0;
    return region_stack_enter(&p->stack, (region_frame){region, region_within(around, own)});
}

static int tell_operation(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i, step x)
{
    const uint64_t a = operation(x.family, s->location, x.window);
    return tell(self, p, (change){.time = s->time[i], .location = s->location, .what = x.what, .a = a, .b = x.id});
}

static int cancel(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i)
{
    const uint64_t id = s->rec[i].mpi_request_cancelled.request_id;
    int failed = 0;
    for (uint8_t family = SEND; family <= COLLECTIVE; family++)
        failed |= tell_operation(self, p, s, i, (step){CHANGE_CANCEL, family, 0, id});
    return failed;
}

/* -------------------------------------------------------------------------------------------------------- events -- */

/* All events but enters and leaves. */
static int other_event(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i)
{
    const tcf_rec *r = &s->rec[i];
    switch (s->kind[i]) {
    case TCF_MPI_ISEND:
        return tell_operation(self, p, s, i, (step){CHANGE_POST, SEND, 0, r->mpi_isend.request_id});
    case TCF_MPI_ISEND_COMPLETE:
        return tell_operation(self, p, s, i, (step){CHANGE_COMPLETE, SEND, 0, r->mpi_isend_complete.request_id});
    case TCF_MPI_IRECV_REQUEST:
        return tell_operation(self, p, s, i, (step){CHANGE_POST, RECEIVE, 0, r->mpi_irecv_request.request_id});
    case TCF_MPI_IRECV:
        return tell_operation(self, p, s, i, (step){CHANGE_COMPLETE, RECEIVE, 0, r->mpi_irecv.request_id});
    case TCF_NON_BLOCKING_COLLECTIVE_REQUEST:
        return tell_operation(self, p, s, i,
                              (step){CHANGE_POST, COLLECTIVE, 0, r->non_blocking_collective_request.request_id});
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return tell_operation(self, p, s, i,
                              (step){CHANGE_COMPLETE, COLLECTIVE, 0, r->non_blocking_collective_complete.request_id});
    case TCF_MPI_REQUEST_CANCELLED:
        return cancel(self, p, s, i);
    case TCF_RMA_PUT:
        return tell_operation(self, p, s, i, (step){CHANGE_JOIN, ONE_SIDED, r->rma_put.win, r->rma_put.matching_id});
    case TCF_RMA_GET:
        return tell_operation(self, p, s, i, (step){CHANGE_JOIN, ONE_SIDED, r->rma_get.win, r->rma_get.matching_id});
    case TCF_RMA_ATOMIC:
        return tell_operation(self, p, s, i,
                              (step){CHANGE_JOIN, ONE_SIDED, r->rma_atomic.win, r->rma_atomic.matching_id});
    case TCF_RMA_OP_COMPLETE_BLOCKING:
        return tell_operation(self, p, s, i,
                              (step){CHANGE_COMPLETE, ONE_SIDED, r->rma_op_complete_blocking.win,
                                     r->rma_op_complete_blocking.matching_id});
    case TCF_RMA_OP_COMPLETE_NON_BLOCKING:
        return tell_operation(self, p, s, i,
                              (step){CHANGE_COMPLETE, ONE_SIDED, r->rma_op_complete_non_blocking.win,
                                     r->rma_op_complete_non_blocking.matching_id});
    case TCF_THREAD_FORK:
    case TCF_OMP_FORK:
        p->forks++;
        p->manages = 1;
        break;
    case TCF_THREAD_TEAM_BEGIN:
    case TCF_THREAD_BEGIN:
        p->running++;
        p->manages = 0;
        break;
    case TCF_THREAD_TEAM_END:
    case TCF_THREAD_END:
        p->running -= p->running > 0;
        p->manages = s->kind[i] == TCF_THREAD_TEAM_END && p->forks > 0;
        break;
    case TCF_THREAD_JOIN:
    case TCF_OMP_JOIN:
        p->forks -= p->forks > 0;
        p->manages = 0;
        break;
    case TCF_MEASUREMENT_ON_OFF:
        p->off = r->measurement_on_off.measurement_mode == MEASUREMENT_OFF;
        break;
    case TCF_BUFFER_FLUSH:
        begin_flush(self, p, s->time[i], r->buffer_flush.stop_time);
        break;
    default:
        return 0;
    }
    return change_activity(self, p, s->location, s->time[i]);
}

static int event(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i)
{
    int failed;
    if (__builtin_expect(p->flush_until > 0, 0) && end_flush(self, p, s->location, s->time[i]) != 0)
        return -1;
    switch (s->kind[i]) {
    case TCF_ENTER:
    case TCF_CALLING_CONTEXT_ENTER:
        p->manages = 0;
        failed = enter(self, p, tcf_region_of_event(self->defs, s, i));
        break;
    case TCF_LEAVE:
    case TCF_CALLING_CONTEXT_LEAVE:
        p->manages = 0;
        region_stack_leave(&p->stack, tcf_region_of_event(self->defs, s, i));
        failed = 0;
        break;
    default:
        return other_event(self, p, s, i);
    }
    return failed || change_activity(self, p, s->location, s->time[i]) ? -1 : 0;
}

static tcf_status comm_comp_slice(tcf_self *self, tcf_slice *s)
{
    place *p = tcf_location_state(self, s->location);
    int failed = 0;
    if (s->n == 0 || p->left_out)
        return TCF_OK;
    if (p->activity == ACTIVITIES)
        failed = change_activity(self, p, s->location, s->time[0]);
    for (uint32_t i = 0; i < s->n && !failed; i++)
        failed = event(self, p, s, i);
    p->last = s->time[s->n - 1];
    return failed ? self->host->fail(self, "out of memory for %u open operations", p->own.open.n) : TCF_OK;
}

/* ------------------------------------------------------------------------------------------------- begin and end -- */

static tcf_status comm_comp_location_end(tcf_self *self, uint32_t location)
{
    place *p = tcf_location_state(self, location);
    if (p->activity == ACTIVITIES)
        return TCF_OK;
    if (p->flush_until > 0 && end_flush(self, p, location, p->last) != 0)
        return self->host->fail(self, "out of memory for the end of a location");
    const change c = {.time = p->last,
                      .location = location,
                      .what = CHANGE_ACTIVITY,
                      .from = p->activity,
                      .to = ACTIVITIES};
    p->activity = ACTIVITIES;
    p->left_out = 1; /* there are no more events */
    region_stack_free(&p->stack);
    return tell(self, p, c) == 0 ? TCF_OK : self->host->fail(self, "out of memory for the end of a location");
}

static tcf_status settle_all(tcf_self *self)
{
    state *st = self->state;
    for (uint32_t k = 0; k < st->known.n; k++) {
        process *p = &st->processes[k];
        if (p->n > 0 && process_settle(p, UINT64_MAX) != 0)
            return self->host->fail(self, "out of memory for %u changes of a process", p->n);
    }
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        sweep *own = &((place *)tcf_location_state(self, l))->own;
        own->left += own->open.n;
    }
    return TCF_OK;
}

static tcf_status comm_comp_end(tcf_self *self)
{
    return settle_all(self) == TCF_OK ? comm_comp_report(self) : TCF_ERROR;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static void put_sweep(const tcf_host *host, tcf_pack *pack, const sweep *s)
{
    host->put(pack, s->ticks, sizeof s->ticks);
    host->put(pack, &s->counts, sizeof s->counts);
    host->put(pack, &s->left, sizeof s->left);
    host->put(pack, &s->used, sizeof s->used);
}

static void take_sweep(const tcf_host *host, tcf_pack *pack, sweep *s)
{
    host->take(pack, s->ticks, sizeof s->ticks);
    host->take(pack, &s->counts, sizeof s->counts);
    host->take(pack, &s->left, sizeof s->left);
    host->take(pack, &s->used, sizeof s->used);
}

/* By location and by process: its number, and what tables.c asks of it. TCF_NONE is behind the last one of each. */
static tcf_status comm_comp_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const state *st = self->state;
    const uint32_t none = TCF_NONE;

    if (settle_all(self) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (!p->own.used)
            continue;
        host->put(pack, &l, sizeof l);
        put_sweep(host, pack, &p->own);
        host->put(pack, &p->stack.not_counted, sizeof p->stack.not_counted);
    }
    host->put(pack, &none, sizeof none);
    for (uint32_t k = 0; k < st->known.n; k++) {
        const process *p = &st->processes[k];
        if (p->n_locations == 0)
            continue;
        host->put(pack, &k, sizeof k);
        host->put(pack, &p->n_locations, sizeof p->n_locations);
        host->put(pack, &p->location, sizeof p->location);
        put_sweep(host, pack, &p->all);
        host->put(pack, &p->hurried, sizeof p->hurried);
    }
    host->put(pack, &none, sizeof none);
    return TCF_OK;
}

static tcf_status comm_comp_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    state *st = self->state;
    uint32_t k;

    for (host->take(pack, &k, sizeof k); k < self->defs->n_locations; host->take(pack, &k, sizeof k)) {
        place *p = tcf_location_state(self, k);
        p->process = st->known.of[k];
        take_sweep(host, pack, &p->own);
        host->take(pack, &p->stack.not_counted, sizeof p->stack.not_counted);
    }
    for (host->take(pack, &k, sizeof k); k < st->known.n; host->take(pack, &k, sizeof k)) {
        process *p = &st->processes[k];
        host->take(pack, &p->n_locations, sizeof p->n_locations);
        host->take(pack, &p->location, sizeof p->location);
        take_sweep(host, pack, &p->all);
        host->take(pack, &p->hurried, sizeof p->hurried);
    }
    return TCF_OK;
}

/* Nobody begins the first CPU thread of a location group, nor a rank, so these run from the start. Where a group has
 * several ranks, its other threads were begun by them, but for a first thread of the group. has_thread: by location
 * group, then by process. */
static void start_location(const tcf_self *self, uint32_t l, uint8_t *has_thread)
{
    const tcf_location *location = tcf_location_at(self->defs, l);
    const uint32_t groups = self->defs->n_location_groups, of = tcf_process_of(self->defs, l),
                   group = of < groups ? of : groups;
    state *st = self->state;
    place *p = tcf_location_state(self, l);
    p->process = st->known.of[l];
    p->activity = ACTIVITIES;
    p->own.most = (uint32_t)((const conf *)self->conf)->max_requests;
    p->left_out = location->type == TCF_METRIC_LOCATION;
    if (p->left_out || location->silent)
        return;
    st->processes[p->process].n_locations++;
    st->processes[p->process].location = l;
    if (location->type != TCF_CPU_THREAD)
        return;
    uint8_t *in_group = &has_thread[group], *in_process = &has_thread[groups + 1 + p->process];
    p->running = !*in_process && (!*in_group || !st->known.at[p->process].is_rest);
    *in_group = *in_process = 1;
}

static tcf_status comm_comp_begin(tcf_self *self)
{
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    const int failed = tcf_processes_find(&st->known, defs) != 0;
    const uint32_t n = st->known.n;
    uint8_t *has_thread = calloc(defs->n_location_groups + n + 1ul, 1);
    st->activity = classify_regions(self);
    st->outside = regions_have_tasks(defs) ? MANAGEMENT : COMPUTATION;
    st->processes = calloc(n + 1ul, sizeof *st->processes);
    if (failed || !has_thread || !st->activity || !st->processes) {
        free(has_thread);
        return self->host->fail(self, "out of memory for %u regions and %u processes", defs->n_regions, n);
    }
    for (uint32_t k = 0; k < n; k++)
        st->processes[k].all.most = (uint32_t)((const conf *)self->conf)->max_requests;
    for (uint32_t l = 0; l < defs->n_locations; l++)
        if (self->host->has(self, l))
            start_location(self, l, has_thread);
    free(has_thread);
    return TCF_OK;
}

static void comm_comp_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        place *p = tcf_location_state(self, l);
        sweep_free(&p->own);
        region_stack_free(&p->stack);
    }
    for (uint32_t k = 0; st->processes && k < st->known.n; k++) {
        sweep_free(&st->processes[k].all);
        free(st->processes[k].pending);
    }
    free(st->processes);
    free(st->activity);
    tcf_processes_free(&st->known);
}

/* --------------------------------------------------------------------------------------------------- description -- */

#define LIST(name, activity, value, help_)                                                                             \
    {                                                                                                                  \
        .key = name, .type = TCF_LIST, .offset = offsetof(conf, of) + (activity) * sizeof(tcf_list),                   \
        .default_value = value, .help = help_                                                                          \
    }

static const tcf_param params[] = {
    LIST("computation", COMPUTATION, "", "Regions that are computation, whatever they look like: names or globs"),
    LIST("communication", COMMUNICATION, "", "Regions that are communication"),
    LIST("io", IO, "", "Regions that read and write files"),
    LIST("synchronisation", SYNCHRONISATION, "", "Regions in which a thread waits for others of its process"),
    LIST("management", MANAGEMENT, "", "Regions that set up or end communication, threads or tasks"),
    LIST("measurement", MEASUREMENT, "EZTrace*", "Regions in which the measurement system is busy with itself"),
    LIST("idle", IDLE, "", "Regions in which nothing is done"),
    TCF_PARAM(conf, max_requests, TCF_INT, "65536",
              "Operations under way in a location or process at most, each takes up to 150 bytes; of more the older "
              "half is forgotten",
              .min = "2", .max = "16777216"),
    TCF_PARAM(conf, max_pending, TCF_INT, "1048576",
              "Changes of a process of several locations that wait for the others at most, each takes 48 bytes",
              .min = "16", .max = "268435456"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "comm_comp",
    .version = "1.0",
    .summary = "Communication and computation of each process, and how much of them overlaps",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "At each moment a location does what the innermost open region is: communication (calls of MPI and the like, "
        "copies to and from accelerators), I/O, synchronisation of threads, management (MPI_Init, communicators, forks "
        "and joins), measurement, idle, or else computation; what is called from MPI, from idle regions, or while "
        "waiting for locks or accelerators belongs to that call. Outside of all regions the first thread of a process "
        "computes (of such threads without a rank only if it is the first one of its group), others do while they are "
        "in a team or between their THREAD_BEGIN and THREAD_END; where a runtime system calls the program's code as "
        "tasks "
        "(Charm++), both are in management instead; streams of accelerators are idle. A non-blocking "
        "operation (MPI_ISEND, MPI_IRECV_REQUEST, NON_BLOCKING_COLLECTIVE_REQUEST, RMA_PUT, RMA_GET, RMA_ATOMIC) is "
        "under way until its completion; one that the trace never completes, or that is cancelled, never was.\n\n"
        "A process is a location group; where a group has several ranks (threads as ranks, as in AMPI or MPC) each "
        "rank is one, and all other threads of the group together are one without a rank. It computes while one of its "
        "locations does, and communicates while one is in a communication region or has an operation under way. "
        "computation is the time in which it only computes, overlapped in which it does both, communication in which "
        "it only communicates; io, synchronisation, management, measurement and idle share the rest, the first of them "
        "that a location of the process is in. These eight add up to its time from its first to its last event. The "
        "table locations has the same of each location by itself, with its own operations only.\n\n"
        "Tables: comm_comp, a row for each process; totals, their sums; locations; operations, what was under way.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .location_more = 120,
    .needs = TCF_NEED_PROCESS_TOGETHER,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = comm_comp_slice,
    .begin = comm_comp_begin,
    .location_end = comm_comp_location_end,
    .end = comm_comp_end,
    .fini = comm_comp_fini,
    .pack = comm_comp_pack,
    .absorb = comm_comp_absorb,
};
