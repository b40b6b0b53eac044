/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* efficiency: the parallel efficiency of a program and its factors, as the POP project defines them.
 *
 * The run time on an ideal network comes from a replay of all dependences in which communication takes no time: each
 * location has an ideal time, which advances as recorded outside of MPI, stands still in it, and is moved to that of
 * the latest source at each target. One pass does it, exactly; README.md has the definitions. Memory is a constant for
 * each location; nothing is allocated for an event. */
#include "efficiency.h"
#include "../shared/patterns/region_kinds.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- time -- */

static uint8_t activity_now(const struct state *st, const struct lane *k)
{
    if (k->stack.depth > 0)
        return (uint8_t)k->stack.open[k->stack.depth - 1].row & REGION_VALUE;
    return k->stands || k->running > 0 ? st->outside : OUTSIDE;
}

/* The location goes on without anything having come that it could have waited for: its idle time passes as recorded.
 * The whole run has idle time where any scope has. */
static void count_idle(const struct state *st, struct lane *k)
{
    for (uint32_t i = 0; i < st->scopes; i++) {
        k->in[i].ideal += k->ended >> i & 1 ? 0 : k->in[i].idle;
        k->in[i].idle = 0;
    }
}

/* The time from the last event up to now. -1: out of memory. */
static inline int advance(const struct state *st, struct lane *k, uint64_t time)
{
    const uint64_t passed = time - k->last;
    k->last = time;
    if (passed == 0 || k->activity == OUTSIDE)
        return 0;
    if (__builtin_expect(k->in[WHOLE].idle > 0, 0) && k->stack.depth > 0 && k->activity != IDLE)
        count_idle(st, k);
    if (k->series && k->activity <= THREADING && !(k->ended >> PROGRAM & 1))
        series_add(k->series, time - passed, time);
    for (uint32_t i = 0; i < st->scopes; i++)
        if (!(k->ended >> i & 1)) {
            k->in[i].of[k->activity] += passed;
            k->in[i].ideal += k->activity < IDLE ? passed : 0;
            k->in[i].idle += k->activity == IDLE ? passed : 0;
        }
    return __builtin_expect(k->activity == ACCELERATOR && k->series && !(k->ended >> PROGRAM & 1), 0)
               ? accelerators_add(&k->accelerators, k->stack.open[k->stack.depth - 1].region, passed)
               : 0;
}

/* --------------------------------------------------------------------------------------------------- dependences -- */

/* Moves the ideal times to those of the latest sources. An ideal time is never later than the recorded one, unless
 * the target comes before its source: it is cut to that then. Returns whether any source was known. */
static int bind(tcf_self *self, struct lane *k, const tcf_edge *e, uint64_t time)
{
    const struct state *st = self->state;
    int bound = 0, reversed = 0;
    for (uint32_t i = 0; i < st->scopes; i++) {
        uint64_t latest;
        if (!self->host->latest(self, e, i, &latest))
            continue;
        bound = 1;
        k->in[i].idle = 0;
        reversed |= latest > time;
        latest = latest < time ? latest : time;
        if (!(k->ended >> i & 1) && latest > k->in[i].ideal)
            k->in[i].ideal = latest;
    }
    k->reversed += (uint64_t)reversed;
    return bound;
}

static uint32_t bind_all(tcf_self *self, struct lane *k, const tcf_slice *s, uint32_t from, uint32_t to)
{
    uint32_t bound = 0;
    for (uint32_t n = from; n < to; n++) {
        const tcf_edge *e = &s->edges[n];
        if (tcf_post_of(e) == TCF_POST_WAITED)
            sends_end(self, k, e, s->time[e->pos]);
        if (e->flags & TCF_EDGE_TARGET && !(e->flags & (TCF_EDGE_GONE | TCF_EDGE_UNMATCHED)))
            bound += (uint32_t)bind(self, k, e, s->time[e->pos]);
    }
    k->bound |= bound > 0;
    return bound;
}

static void publish_all(tcf_self *self, struct lane *k, const tcf_slice *s, uint32_t from, uint32_t to)
{
    const struct state *st = self->state;
    for (uint32_t n = from; n < to; n++) {
        const tcf_edge *e = &s->edges[n];
        if (tcf_post_of(e) == TCF_POST_POSTED)
            sends_publish(self, k, s, e);
        if (!(e->flags & TCF_EDGE_SOURCE) || e->flags & (TCF_EDGE_GONE | TCF_EDGE_UNMATCHED))
            continue;
        count_idle(st, k);
        for (uint32_t i = 0; i < st->scopes; i++)
            self->host->publish(self, e, i, k->in[i].ideal);
    }
}

/* -------------------------------------------------------------------------------------------------------- events -- */

static int enter(const tcf_self *self, struct lane *k, uint32_t region, uint64_t time)
{
    const struct state *st = self->state;
    const int known = region < self->defs->n_regions;
    const uint32_t around = k->stack.depth > 0 ? k->stack.open[k->stack.depth - 1].row : 0;
    if (known && st->bounds[region] & IS_FINALIZE) {
        count_idle(st, k);
        scope_stop(k, PROGRAM, time);
    }
    return region_stack_enter(&k->stack,
                              (region_frame){region, region_within(around, known ? st->activity[region] : USEFUL)});
}

static void leave(const tcf_self *self, struct lane *k, uint32_t region, uint64_t time)
{
    const struct state *st = self->state;
    region_stack_leave(&k->stack, region);
    if (region < self->defs->n_regions && st->bounds[region] & IS_INIT)
        scope_start(k, PROGRAM, time);
}

/* What a location does from now on, when a region has been entered or left. */
static void change(const tcf_self *self, struct lane *k, uint64_t time)
{
    const struct state *st = self->state;
    const uint8_t before = k->activity;
    k->activity = activity_now(st, k);
    if (k->activity == before)
        return;
    if (before == COMMUNICATION) {
        sends_leave(k, time);
    } else if (k->activity == COMMUNICATION) {
        const uint32_t region = k->stack.open[k->stack.depth - 1].region;
        k->call =
            (struct call){.entered = time,
                          .synchronous = region < self->defs->n_regions && (st->bounds[region] & IS_SYNCHRONOUS) != 0};
    }
}

static int take_event(const tcf_self *self, struct lane *k, const tcf_slice *s, uint32_t i)
{
    int failed = 0;
    switch (s->kind[i]) {
    case TCF_THREAD_TEAM_BEGIN:
    case TCF_THREAD_BEGIN:
        k->running++;
        break;
    case TCF_THREAD_TEAM_END:
    case TCF_THREAD_END:
        k->running -= k->running > 0;
        break;
    case TCF_MPI_RECV:
    case TCF_MPI_IRECV:
    case TCF_MPI_COLLECTIVE_END:
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        k->call.hears = 1;
        return 0;
    default:
        if (tcf_is_enter(s->kind[i]))
            failed = enter(self, k, tcf_region_of_event(self->defs, s, i), s->time[i]);
        else if (tcf_is_leave(s->kind[i]))
            leave(self, k, tcf_region_of_event(self->defs, s, i), s->time[i]);
        else
            return 0;
    }
    change(self, k, s->time[i]);
    return failed;
}

/* The first event of a location: its time is given, unless another location has made it begin. */
static void begin_lane(tcf_self *self, struct lane *k, const tcf_slice *s, uint32_t from, uint32_t to)
{
    const uint64_t now = s->time[0];
    k->used = 1;
    k->last = now;
    k->activity = activity_now(self->state, k);
    for (int i = 0; i < SCOPES; i++)
        scope_start(k, (enum scope)i, now);
    if (k->stands)
        return;
    for (int i = 0; i < SCOPES; i++)
        k->in[i].ideal = 0;
    if (bind_all(self, k, s, from, to) == 0)
        for (int i = 0; i < SCOPES; i++)
            k->in[i].ideal = now;
}

static tcf_status efficiency_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct lane *k = tcf_location_state(self, s->location);
    uint32_t n = from == 0 ? 0 : k->edge;
    int failed = 0;
    if (k->left_out)
        return TCF_OK;
    for (uint32_t i = from; i < to; i++) {
        const uint32_t first = n;
        while (n < s->n_edges && s->edges[n].pos <= i)
            n++;
        if (!k->used)
            begin_lane(self, k, s, first, n);
        failed |= advance(self->state, k, s->time[i]);
        if (n > first)
            bind_all(self, k, s, first, n);
        if (k->at.next && tcf_is_enter(s->kind[i]) && ++k->at.enters == k->at.next->enter)
            range_next(self, s->location, s->time[i]);
        if (n > first)
            publish_all(self, k, s, first, n);
        failed |= take_event(self, k, s, i);
    }
    k->edge = n;
    return failed ? self->host->fail(self, "out of memory for %u open regions of a location", k->stack.depth) : TCF_OK;
}

static tcf_status efficiency_location_end(tcf_self *self, uint32_t location)
{
    struct state *st = self->state;
    struct lane *k = tcf_location_state(self, location);
    int failed = 0;
    for (uint32_t i = 0; i < k->accelerators.n; i++)
        failed |=
            accelerators_add(&st->accelerators, (uint32_t)k->accelerators.of[i].region, k->accelerators.of[i].ticks);
    accelerators_free(&k->accelerators);
    if (failed)
        return self->host->fail(self, "out of memory for %u calls for accelerators", st->accelerators.n);
    if (!k->bound) /* what it was idle for in the end is nothing that others do */
        count_idle(st, k);
    for (int i = 0; i < SCOPES && k->used; i++)
        scope_stop(k, (enum scope)i, k->last);
    region_stack_free(&k->stack);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

/* Locations of a process are in one domain. */
static int is_here(const tcf_self *self, uint32_t process)
{
    const struct state *st = self->state;
    return self->host->has(self, st->processes.at[process].location);
}

static tcf_status efficiency_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    for (uint32_t p = 0; p < st->processes.n; p++) {
        const uint8_t here = (uint8_t)is_here(self, p);
        self->host->put(pack, &here, sizeof here);
        if (!here)
            continue;
        self->host->put(pack, &st->series[p], sizeof st->series[p]);
        if (st->loop.n > 0)
            self->host->put(pack, range_of(st, p, 0), st->loop.n * sizeof *st->loop.of);
    }
    self->host->put_locations(self, pack, TCF_MEMBERS(struct lane, in, ended));
    self->host->put(pack, &st->accelerators.n, sizeof st->accelerators.n);
    for (uint32_t i = 0; i < st->accelerators.n; i++)
        self->host->put(pack, &st->accelerators.of[i], sizeof *st->accelerators.of);
    return TCF_OK;
}

static tcf_status efficiency_absorb(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    for (uint32_t p = 0; p < st->processes.n; p++) {
        uint8_t here;
        self->host->take(pack, &here, sizeof here);
        if (!here)
            continue;
        self->host->take(pack, &st->series[p], sizeof st->series[p]);
        if (st->loop.n > 0)
            self->host->take(pack, &st->loop.of[(size_t)p * st->loop.n], st->loop.n * sizeof *st->loop.of);
    }
    self->host->take_locations(self, pack, TCF_MEMBERS(struct lane, in, ended));
    uint32_t n;
    int failed = 0;
    for (self->host->take(pack, &n, sizeof n); n > 0 && !failed; n--) {
        struct accelerator_time x;
        self->host->take(pack, &x, sizeof x);
        failed = accelerators_add(&st->accelerators, (uint32_t)x.region, x.ticks);
    }
    return failed ? self->host->fail(self, "out of memory for %u calls for accelerators", st->accelerators.n) : TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- filter -- */

static tcf_status efficiency_begin(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    struct state *st = self->state;
    if (classify_regions(self) != 0 || tcf_processes_find(&st->processes, defs) != 0 ||
        !(st->series = calloc(st->processes.n + 1ul, sizeof *st->series)))
        return self->host->fail(self, "out of memory for %u regions and %u locations", defs->n_regions,
                                defs->n_locations);
    st->outside = regions_have_tasks(defs) ? OTHER : USEFUL;
    for (uint32_t p = 0; p < st->processes.n; p++)
        if (is_kept(self, st->processes.at[p].location))
            series_start(&st->series[p], defs->clock.global_offset);
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        if (!is_kept(self, l))
            continue;
        struct lane *k = tcf_location_state(self, l);
        k->left_out = tcf_location_at(defs, l)->type != TCF_CPU_THREAD;
        k->stands = (uint8_t)stands_for_process(self, l);
        k->series = k->stands ? &st->series[st->processes.of[l]] : NULL;
    }
    return ranges_begin(self) == 0
               ? TCF_OK
               : self->host->fail(self, "out of memory for iterations of %u processes", st->processes.n);
}

/* All sends may wait; which did is decided by what the trace shows. */
static tcf_status efficiency_init(tcf_self *self)
{
    self->needs |= TCF_NEED_POSTS;
    self->rendezvous = TCF_RENDEZVOUS_ANY;
    return TCF_OK;
}

static void efficiency_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        struct lane *k = tcf_location_state(self, l);
        region_stack_free(&k->stack);
        accelerators_free(&k->accelerators);
    }
    accelerators_free(&st->accelerators);
    free(st->activity);
    free(st->bounds);
    free(st->series);
    ranges_free(st);
    tcf_processes_free(&st->processes);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "efficiency",
    .version = "1.0",
    .summary =
        "Parallel efficiency and its factors: load balance, serialisation, transfer, as the POP project has them",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "Useful time of a process is its main thread's outside of MPI, without idle regions, calls for accelerators, "
        "files by MPI and measurement. Parallel efficiency is the mean useful time divided by the run time; it is the "
        "product of load "
        "balance (mean by largest useful time) and communication efficiency (largest useful time by run time), and "
        "that the product of serialisation (largest useful time by the run time on an ideal network) and transfer "
        "(ideal by real run time).\n"
        "\n"
        "The ideal run time comes from a replay of all messages, collectives and dependences of threads in which "
        "communication takes no time: a process advances as recorded outside of MPI, and in MPI, or idle, only waits "
        "for "
        "those that it depends on. A send waits for its receive where the trace shows that it did.\n"
        "\n"
        "All numbers are of the run as a whole, and of the program between MPI_Init and MPI_Finalize; with "
        "`iterations` in the survey also of the iterations of the main loop. Clocks have to be right before (presync, "
        "clc_forward, clc_backward).\n"
        "\n"
        "Tables: efficiency, one row a scope; efficiency_processes, what each process does in the program; "
        "efficiency_over_time, useful time in bins of time; efficiency_iterations, one row a range of iterations; "
        "efficiency_accelerators, where there are any, what calls for them take.",
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct lane),
    .location_more = 216,
    .numbers = NUMBERS,
    .needs = TCF_NEED_EDGES,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .span = efficiency_span,
    .init = efficiency_init,
    .begin = efficiency_begin,
    .location_end = efficiency_location_end,
    .end = efficiency_report,
    .fini = efficiency_fini,
    .pack = efficiency_pack,
    .absorb = efficiency_absorb,
};
