/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* live: what processes do while a trace comes in: writes it several times a second, for a program that shows it.
 *
 * Memory is a constant for each location. Nothing that is written depends on more than the last seconds of the trace,
 * so the view of a stream may run for as long as the stream does. */
#include "live.h"

#include <tcflow/times.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t machine_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int to_stdout(const conf *c)
{
    return strcmp(c->output, "-") == 0;
}

/* --------------------------------------------------------------------------------------------------------- waits -- */

static tcf_status found(tcf_self *self, const wait *w)
{
    state *st = self->state;
    lane *k = tcf_location_state(self, w->location);
    const uint64_t end = w->from > UINT64_MAX - w->length ? UINT64_MAX : w->from + w->length;
    if (!wait_is_for_others(w->pattern))
        return TCF_OK;
    recent_add(&st->waits[w->pattern], st->width, w->from, end);
    if (k->stands)
        recent_add(&k->waits, st->width, w->from, end);
    return TCF_OK;
}

static tcf_status left(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time)
{
    (void)self, (void)location, (void)call, (void)time;
    return TCF_OK;
}

static const waits_listener listener = {.found = found, .left = left};

/* -------------------------------------------------------------------------------------------------------- events -- */

static void look_at_edges(state *st, const tcf_slice *s, uint32_t i)
{
    for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e)) {
        if (e->class_ != TCF_CLASS_P2P)
            continue;
        if (e->flags & TCF_EDGE_SOURCE) {
            st->sent++;
            st->bytes = tcf_bytes_sum(st->bytes, s->rec[i].mpi_send.msg_length);
        } else if (e->flags & TCF_EDGE_TARGET && !(e->flags & TCF_EDGE_UNMATCHED)) {
            st->received++;
        }
    }
}

static int take_event(const tcf_self *self, lane *k, const tcf_slice *s, uint32_t i)
{
    const state *st = self->state;
    const uint64_t time = s->time[i];
    int failed = 0;
    if (k->does == COMMUNICATES && time > k->last)
        recent_add(&k->communicates, st->width, k->last, time);
    k->last = time;
    k->events++;
    if (tcf_is_enter(s->kind[i])) {
        const uint32_t region = tcf_region_of_event(self->defs, s, i);
        const uint32_t around = k->stack.depth > 0 ? k->stack.open[k->stack.depth - 1].row : 0;
        const uint32_t own = region < self->defs->n_regions ? st->does[region] : COMPUTES;
        failed = region_stack_enter(&k->stack, (region_frame){region, region_within(around, own)});
    } else if (tcf_is_leave(s->kind[i])) {
        region_stack_leave(&k->stack, tcf_region_of_event(self->defs, s, i));
    }
    const region_frame *f = k->stack.depth > 0 ? &k->stack.open[k->stack.depth - 1] : NULL;
    k->region = f ? f->region : TCF_NONE;
    k->does = f ? (uint8_t)(f->row & REGION_VALUE) : OUTSIDE;
    return failed;
}

/* Waits where the trace comes faster than `speed` times the machine's clock. A signal ends it, and the run if it is
 * meant so. */
static void keep_pace(const tcf_self *self)
{
    const conf *c = self->conf;
    const state *st = self->state;
    if (!(c->speed > 0))
        return;
    const double due = (double)(st->now - st->first) / (double)self->defs->clock.resolution / c->speed;
    const double is = (double)(machine_time() - st->began) / 1e9, ahead = due - is;
    if (ahead <= 0.001)
        return;
    const double nap = ahead < 0.5 ? ahead : 0.5;
    nanosleep(&(struct timespec){0, (long)(nap * 999999999)}, NULL);
}

static tcf_status show(tcf_self *self, int always)
{
    state *st = self->state;
    const uint64_t now = machine_time();
    if (!st->has_begun || (!always && now - st->shown < st->every))
        return TCF_OK;
    st->shown = now;
    return shot_write(self);
}

static tcf_status live_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    state *st = self->state;
    lane *k = tcf_location_state(self, s->location);
    int failed = 0;
    if (waits_span(self, s, from, to) != TCF_OK)
        return TCF_ERROR;
    if (!st->has_begun && to > from) {
        st->has_begun = 1;
        st->first = st->now = s->time[from];
    }
    for (uint32_t i = from; i < to; i++) {
        st->now = s->time[i] > st->now ? s->time[i] : st->now;
        st->first = s->time[i] < st->first ? s->time[i] : st->first;
        if (s->match[i])
            look_at_edges(st, s, i);
        if (k->stands)
            failed |= take_event(self, k, s, i);
    }
    st->events += to - from;
    keep_pace(self);
    return failed ? self->host->fail(self, "out of memory for %u open regions of a location", k->stack.depth)
                  : show(self, 0);
}

static tcf_status live_location_end(tcf_self *self, uint32_t location)
{
    lane *k = tcf_location_state(self, location);
    k->does = ENDED;
    k->region = TCF_NONE;
    return waits_location_end(self, location);
}

static tcf_status live_heartbeat(tcf_self *self)
{
    return show(self, 0);
}

/* -------------------------------------------------------------------------------------------------------- filter -- */

static tcf_status live_init(tcf_self *self)
{
    const conf *c = self->conf;
    waits_init(self, &listener, c->max_open, 0);
    return to_stdout(c) ? TCF_OK : tcf_output_host_of(self)->check("output", c->output, c->overwrite);
}

static tcf_status open_output(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    if (!to_stdout(c) && tcf_output_host_of(self)->open("output", c->output, &st->file) != TCF_OK)
        return TCF_ERROR;
    const int fd = dup(st->file.name ? st->file.fd : STDOUT_FILENO);
    st->out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (st->out)
        return TCF_OK;
    if (fd >= 0)
        close(fd);
    return self->host->fail(self, "cannot write to %s: %s", c->output, strerror(errno));
}

static uint8_t does_in(const tcf_region *r)
{
    uint8_t kind, extra;
    waits_classify_region(r, &kind, &extra);
    return (uint8_t)(region_nesting(r, kind) | (waits_is_communication(r, kind)            ? COMMUNICATES
                                                : kind == WAIT_IDLE                        ? IDLES
                                                : kind >= WAIT_OMP && kind < WAIT_OVERHEAD ? THREADS
                                                                                           : COMPUTES));
}

static tcf_status live_begin(tcf_self *self)
{
    const conf *c = self->conf;
    const tcf_definitions *defs = self->defs;
    state *st = self->state;
    const double resolution = (double)defs->clock.resolution;
    const double width = c->window.value * (c->window.in_ticks ? 1 : resolution) / BUCKETS;
    st->width = width >= 1 ? width < 1e18 ? (uint64_t)width : (uint64_t)1e18 : 1;
    st->every = (uint64_t)(1e9 * (c->every.in_ticks ? c->every.value / resolution : c->every.value));
    st->does = malloc(defs->n_regions + 1ul);
    st->waits = calloc(WAIT_PATTERNS, sizeof *st->waits);
    if (!st->does || !st->waits || tcf_processes_find(&st->processes, defs) != 0)
        return self->host->fail(self, "out of memory for %u regions and %u locations", defs->n_regions,
                                defs->n_locations);
    for (uint32_t r = 0; r < defs->n_regions; r++)
        st->does[r] = does_in(tcf_region_at(defs, r));
    for (uint32_t p = 0; p < st->processes.n; p++) {
        lane *k = tcf_location_state(self, st->processes.at[p].location);
        k->stands = 1;
        k->does = NOTHING_YET;
        k->region = TCF_NONE;
    }
    if (waits_begin(self) != TCF_OK || (!self->checking && open_output(self) != TCF_OK))
        return TCF_ERROR;
    st->began = machine_time();
    if (st->out)
        fprintf(st->out, "live\t1\t%u\n", st->processes.n);
    return TCF_OK;
}

static tcf_status live_end(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    if (waits_end(self) != TCF_OK)
        return TCF_ERROR;
    st->over = st->has_begun = 1;
    if (show(self, 1) != TCF_OK)
        return TCF_ERROR;
    const int failed = fclose(st->out) != 0;
    st->out = NULL;
    if (failed)
        return self->host->fail(self, "cannot write to %s: %s", c->output, strerror(errno));
    return st->file.name ? tcf_output_host_of(self)->publish("output", &st->file, c->overwrite) : TCF_OK;
}

static void live_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    if (st->out)
        fclose(st->out);
    if (st->file.name)
        close(st->file.fd);
    free(st->file.name);
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        region_stack_free(&((lane *)tcf_location_state(self, l))->stack);
    tcf_processes_free(&st->processes);
    free(st->does);
    free(st->waits);
    waits_free(self);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, output, TCF_OUTPUT_PATH, "-", "Where it is written; -: standard output"),
    TCF_PARAM(conf, overwrite, TCF_BOOL, "no", "May an existing output be replaced?"),
    TCF_PARAM(conf, every, TCF_DURATION, "200ms", "How often, by the machine's clock", .min = "0"),
    TCF_PARAM(conf, window, TCF_DURATION, "10s", "The last seconds of the trace that shares and waits are of",
              .min = "0"),
    TCF_PARAM(conf, speed, TCF_DOUBLE, "0",
              "Time of the trace that passes in a second of the machine's clock at most; 0: no limit", .min = "0"),
    TCF_PARAM(conf, max_open, TCF_INT, "262144",
              "Cap of the messages and requests that are followed at a time; at the cap the oldest is let go",
              .min = "16", .max = "1073741824"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "live",
    .version = "1.0",
    .summary = "What each process does as the trace comes in, several times a second: what tcflow-top shows",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "Writes, while events pass, what each process is doing (the region that it is in, and its share of "
        "communication and of waits over the last seconds), the waits of all of them by pattern, and how many events "
        "and messages have passed, and are in flight. `tcflow top` shows it; the plugin's README.md has the lines.\n\n"
        "A trace that isn't a stream passes much faster than it was recorded; `speed = 1` shows it as it was. Clocks "
        "have to be right before (presync, clc_forward, clc_backward), or be the same, for waits to be so.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(lane),
    .location_more = 160,
    .message_bytes = WAITS_MESSAGE_BYTES,
    .member_bytes = WAITS_MEMBER_BYTES,
    .numbers = WAITS_NUMBERS,
    .needs = WAITS_NEEDS,
    .can = TCF_CAN_LIVE,
    .provides = TCF_ROWS(waits_columns),
    .span = live_span,
    .arrive = waits_arrive,
    .init = live_init,
    .begin = live_begin,
    .collective_complete = waits_complete,
    .location_end = live_location_end,
    .end = live_end,
    .fini = live_fini,
    .heartbeat = live_heartbeat,
};
