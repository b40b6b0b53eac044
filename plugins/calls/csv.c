/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* calls: writes rows as CSV. Texts stand in quotes, as they are; what is unknown is empty. */
#include "../shared/records/output.h"
#include "calls.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct work {
    tcf_self *self;
    const conf *conf;
    struct output out;
} work;

static void put_text(struct output *o, const char *text)
{
    o->at = PUT(room(o, o->at), "\"");
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        o->at = output_bytes(o, o->at, text, (size_t)(quote - text) + 1);
        o->at = PUT(room(o, o->at), "\"");
    }
    o->at = output_bytes(o, o->at, text, strlen(text));
    o->at = PUT(room(o, o->at), "\"");
}

static void put_number(struct output *o, uint64_t value)
{
    char *at = room(o, o->at);
    *at++ = ',';
    o->at = value == UNKNOWN ? at : put_u64(at, value);
}

static void put_seconds(struct output *o, tcf_cell seconds)
{
    o->at = put_double(PUT(room(o, o->at), ","), seconds.d);
}

static void put_time(const work *w, struct output *o, uint64_t time)
{
    if (time == UNKNOWN || w->conf->unit == UNIT_TICKS)
        put_number(o, time);
    else
        put_seconds(o, tcf_when(w->self, time));
}

static void put_duration(const work *w, struct output *o, uint64_t ticks)
{
    if (ticks == UNKNOWN || w->conf->unit == UNIT_TICKS)
        put_number(o, ticks);
    else
        put_seconds(o, tcf_seconds(w->self, (double)ticks));
}

static void put_where(work *w, uint32_t location)
{
    const tcf_definitions *defs = w->self->defs;
    const state *st = w->self->state;
    const tcf_location *l = tcf_location_at(defs, location);
    struct output *o = &w->out;

    put_text(o, tcf_process_name(defs, location, ""));
    put_number(o, st->processes.rank[location] == TCF_NONE ? UNKNOWN : st->processes.rank[location]);
    o->at = PUT(room(o, o->at), ",");
    put_text(o, l->name ? l->name : "");
    put_number(o, l->id);
}

static tcf_status put_row(work *w, uint32_t location, const row *r)
{
    const tcf_self *self = w->self;
    struct output *o = &w->out;
    char scratch[64];

    put_where(w, location);
    put_number(o, r->call);
    put_number(o, r->parent);
    put_number(o, r->depth);
    o->at = PUT(room(o, o->at), ",");
    put_text(o, calls_name(self, r->what, scratch));
    put_time(w, o, r->begin);
    put_time(w, o, r->end);
    put_duration(w, o, r->end == UNKNOWN ? UNKNOWN : r->end - r->begin - r->inner);
    put_duration(w, o, r->wait);
    put_number(o, r->partner == TCF_NONE ? UNKNOWN : tcf_location_at(self->defs, r->partner)->id);
    put_number(o, calls_partner(self, r));
    put_number(o, r->sent);
    put_number(o, r->received);
    put_number(o, r->bytes_sent);
    put_number(o, r->bytes_received);
    o->at = PUT(room(o, o->at), "\n");
    return o->error ? TCF_ERROR : TCF_OK;
}

typedef struct at_location {
    work *w;
    uint32_t location;
} at_location;

static tcf_status each(void *data, const row *r)
{
    const at_location *at = data;
    return put_row(at->w, at->location, r);
}

tcf_status csv_write(tcf_self *self)
{
    state *st = self->state;
    work w = {.self = self, .conf = self->conf};
    tcf_status status = TCF_OK;

    if (output_init(&w.out, st->output.fd) != 0)
        return self->host->fail(self, "out of memory for the output");
    w.out.at =
        PUT(room(&w.out, w.out.at), "process,rank,thread,location,call,parent,depth,name,begin,end,exclusive,wait,"
                                    "partner,partner_call,sent,received,bytes_sent,bytes_received\n");
    for (uint32_t l = 0; l < self->defs->n_locations && status == TCF_OK; l++) {
        at_location at = {&w, l};
        status = rows_each(self, l, each, &at);
        if (self->host->interrupted(self))
            status = self->host->fail(self, "interrupted");
    }
    w.out.at = output_flush(&w.out, w.out.at);
    const int error = w.out.error;
    output_free(&w.out);
    return error ? self->host->fail(self, "cannot write to '%s': %s", st->output.name, strerror(error)) : status;
}
