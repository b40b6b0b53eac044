/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* calls: writes one row a call, as CSV or SQLite.
 *
 * A location has its open calls and a few rows in memory; all other rows are in a temporary file until the end. A row
 * is ready when its call is left. The sender's call goes to the receiver with the message; the begins of calls that
 * others wait for are published, so a target learns of the latest one of those that it had to wait for. */
#include "calls.h"

#include <tcflow/times.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------------------------- calls --
 */

static tcf_status out_of_memory(const tcf_self *self)
{
    return self->host->fail(self, "out of memory for the open calls of a location");
}

static tcf_status enter(tcf_self *self, place *p, uint64_t what, uint64_t time)
{
    if (__builtin_expect(p->depth >= CALL_STACK_DEEPEST, 0)) {
        p->too_deep++;
        p->left_out++;
        return TCF_OK;
    }
    if (TCF_GROW(&p->open, &p->room, p->depth) != 0)
        return out_of_memory(self);
    p->open[p->depth] = (row){.what = what,
                              .call = p->n_calls++,
                              .parent = p->depth > 0 ? p->open[p->depth - 1].call : UNKNOWN,
                              .begin = time,
                              .end = UNKNOWN,
                              .wait = UNKNOWN,
                              .partner_call = UNKNOWN,
                              .partner = TCF_NONE,
                              .depth = p->depth};
    p->depth++;
    return TCF_OK;
}

static tcf_status put(tcf_self *self, uint32_t location, const row *r)
{
    const conf *c = self->conf;

    if (c->max_calls > 0 && r->call >= (uint64_t)c->max_calls) {
        place_of(self, location)->left_out++;
        return TCF_OK;
    }
    return rows_add(self, location, r);
}

/* A leave ends the innermost open call of its region, and the calls inside of that. */
static tcf_status leave(tcf_self *self, uint32_t location, uint64_t what, uint64_t time)
{
    place *p = place_of(self, location);
    uint32_t depth = p->depth;

    if (__builtin_expect(p->too_deep > 0, 0)) {
        p->too_deep--;
        return TCF_OK;
    }
    while (depth > 0 && p->open[depth - 1].what != what)
        depth--;
    if (depth == 0) {
        p->strays++;
        return TCF_OK;
    }
    while (p->depth >= depth) {
        row *r = &p->open[--p->depth];
        r->end = time;
        if (p->depth > 0)
            p->open[p->depth - 1].inner += time - r->begin;
        if (put(self, location, r) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------------- edges --
 */

/* The classes of messages and of MPI's collective operations. */
static int is_waited_for(const tcf_edge *e)
{
    return e->class_ >= TCF_CLASS_P2P && e->class_ <= TCF_CLASS_EXSCAN;
}

/* The partner is the one that the record names, whether its event is there or not. */
static void look_at_message(tcf_self *self, row *r, const tcf_edge *e)
{
    const int is_target = (e->flags & TCF_EDGE_TARGET) != 0;
    uint64_t *sender = e->flags & TCF_EDGE_UNMATCHED ? NULL : self->host->payload(self, e);

    if (sender && !is_target)
        *sender = r->call + 1;
    if (e->peer >= self->defs->n_locations || (!is_target && r->received > 0))
        return; /* a receive says more of its partner */
    r->partner = e->peer;
    r->partner_call = is_target && sender && *sender ? *sender - 1 : UNKNOWN;
}

/* The wait begins with the call, and ends when the latest one of those that it waited for has begun its call. */
static void look_at_wait(tcf_self *self, row *r, const tcf_edge *e, uint64_t time)
{
    uint64_t latest = 0;

    if (!self->host->latest(self, e, 0, &latest))
        return;
    if (latest > time)
        latest = time;
    const uint64_t wait = latest > r->begin ? latest - r->begin : 0;
    r->wait = r->wait == UNKNOWN || wait > r->wait ? wait : r->wait;
}

static void look_at_edges(tcf_self *self, row *r, const tcf_slice *s, uint32_t i)
{
    for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e)) {
        if (!is_waited_for(e) || e->flags & (TCF_EDGE_GONE | TCF_EDGE_LEFT))
            continue;
        if (r && e->class_ == TCF_CLASS_P2P)
            look_at_message(self, r, e);
        if (e->flags & TCF_EDGE_UNMATCHED)
            continue;
        if (e->flags & TCF_EDGE_SOURCE)
            self->host->publish(self, e, 0, r ? r->begin : s->time[i]);
        if (r && e->flags & TCF_EDGE_TARGET)
            look_at_wait(self, r, e, s->time[i]);
    }
}

static void count_message(row *r, const tcf_slice *s, uint32_t i)
{
    if (s->kind[i] == TCF_MPI_SEND || s->kind[i] == TCF_MPI_ISEND) {
        r->sent++;
        r->bytes_sent = tcf_bytes_sum(r->bytes_sent, s->rec[i].mpi_send.msg_length);
    } else if (s->kind[i] == TCF_MPI_RECV || s->kind[i] == TCF_MPI_IRECV) {
        r->received++;
        r->bytes_received = tcf_bytes_sum(r->bytes_received, s->rec[i].mpi_recv.msg_length);
    }
}

static tcf_status calls_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    place *p = place_of(self, s->location);
    tcf_status status = TCF_OK;

    for (uint32_t i = from; i < to && status == TCF_OK; i++) {
        if (tcf_is_enter(s->kind[i]))
            status = enter(self, p, call_of_event(s, i), s->time[i]);
        row *r = p->depth > 0 && p->too_deep == 0 ? &p->open[p->depth - 1] : NULL;
        if (r)
            count_message(r, s, i);
        if (s->match[i])
            look_at_edges(self, r, s, i);
        if (tcf_is_leave(s->kind[i]))
            status = leave(self, s->location, call_of_event(s, i), s->time[i]);
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

static tcf_status calls_init(tcf_self *self)
{
    const conf *c = self->conf;

#ifndef HAVE_SQLITE
    if (c->format == FORMAT_SQLITE)
        return self->host->fail(self, "format = sqlite: tcflow was built without SQLite");
#endif
    return tcf_output_host_of(self)->check("path", c->path, c->overwrite);
}

static tcf_status calls_begin(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    st->rows.file = -1;
    st->output.fd = -1;
    if (self->checking)
        return TCF_OK;
    if (tcf_processes_find(&st->processes, self->defs) != 0)
        return self->host->fail(self, "out of memory for the processes");
    if (tcf_output_host_of(self)->open("path", c->path, &st->output) != TCF_OK)
        return TCF_ERROR;
    if (c->format == FORMAT_SQLITE && st->output.direct)
        return self->host->refuse(self, "'%s' is a device or a pipe, into which SQLite cannot write", c->path);
    return rows_start(self);
}

/* The calls that are never left, the outermost first. */
static tcf_status calls_location_end(tcf_self *self, uint32_t location)
{
    place *p = place_of(self, location);
    tcf_status status = TCF_OK;

    for (uint32_t d = 0; d < p->depth && status == TCF_OK; d++)
        status = put(self, location, &p->open[d]);
    free(p->open);
    p->open = NULL;
    return status;
}

static void tell(const tcf_self *self)
{
    const conf *c = self->conf;
    uint64_t left_out = 0, strays = 0, locations = 0, open = 0;

    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = place_of(self, l);
        left_out += p->left_out;
        locations += p->left_out > 0;
        strays += p->strays;
        open += p->depth;
    }
    if (strays + open > 0)
        self->host->log(self, TCF_LOG_INFO, "%" PRIu64 " calls are never left; %" PRIu64 " leaves end no call", open,
                        strays);
    if (left_out > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " calls of %" PRIu64 " locations have no row: those behind the first max_calls = "
                        "%" PRId64 " of a location, and those with %d open calls around them",
                        left_out, locations, c->max_calls, (int)CALL_STACK_DEEPEST);
}

static tcf_status calls_end(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    if ((c->format == FORMAT_SQLITE ? sqlite_write(self) : csv_write(self)) != TCF_OK)
        return TCF_ERROR;
    if (tcf_output_host_of(self)->publish("path", &st->output, c->overwrite) != TCF_OK)
        return TCF_ERROR;
    tell(self);
    return TCF_OK;
}

static void calls_fini(tcf_self *self, int complete)
{
    state *st = self->state;

    (void)complete;
    if (!self->location || !self->defs)
        return;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        free(place_of(self, l)->open);
    rows_free(self);
    tcf_processes_free(&st->processes);
    if (st->output.name && st->output.fd >= 0)
        close(st->output.fd);
    free(st->output.name);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, path, TCF_OUTPUT_PATH, NULL, "File to write"),
    TCF_PARAM(conf, format, TCF_ENUM, "csv", "A table of text, or a database", .choices = "csv|sqlite"),
    TCF_PARAM(conf, unit, TCF_ENUM, "s",
              "Times as seconds since the start of the trace, or exact, as ticks of its clock", .choices = "s|ticks"),
    TCF_PARAM(conf, max_calls, TCF_INT, "1000000", "Only so many calls of each location, the first ones; 0: all",
              .min = "0"),
    TCF_PARAM(conf, overwrite, TCF_BOOL, "no", "May an existing file be replaced?"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "calls",
    .version = "1.0",
    .summary = "Writes one row a call, as CSV or SQLite, for pandas and the like",
    .topic = TCF_TOPIC_EVENTS,
    .help =
        "A row has where the call was (process, rank, thread, location), its number in the location (call, from 0 on), "
        "the number of the call around it (parent) and how many are around it (depth), its name, begin, end, and "
        "exclusive time, which is without the calls inside of it.\n\n"
        "Messages that a call sends and receives are counted, with their bytes. `partner` is the location at the other "
        "side of its last receive, or of its last send where it receives nothing; `partner_call` is the sender's call, "
        "for a receive. `wait` is the time from the call's begin until the sender, or the last one of those that have "
        "to come to a collective operation of MPI, has begun its call, at most until the call has what it waits for. "
        "Of several the longest counts. It is empty where nothing in the call waits for others, or their side is "
        "missing. Waits for receivers, locks and threads are not in it: wait_states has them.\n\n"
        "A leave ends the innermost open call of its region and those inside of that. A call that is never left has "
        "neither end nor exclusive time. Rows stand by location, in the order in which calls are left. Put `select` in "
        "front to have the calls of interest alone. Calls beyond max_calls of a location are counted, and have no "
        "row; calls inside of others behind `select` are those that pass it.\n\n"
        "SQLite: tables call, location and region, and a view `calls` with the columns of the CSV.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .message_bytes = sizeof(uint64_t),
    .span = calls_span,
    .init = calls_init,
    .begin = calls_begin,
    .location_end = calls_location_end,
    .end = calls_end,
    .fini = calls_fini,
};
