/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter as it could be written for interface 1.0: in causal order, with parameters, state per location, payloads of
 * messages and members, numbers, a call tree, and a report. Frozen; so are the headers beside it. */
#include <tcflow/filter.h>

#include <string.h>

struct conf {
    int64_t tag;
    tcf_duration at_least;
    int what;
    const char *note;
    tcf_list words;
};
enum { ALL, LATE };

struct state {
    uint64_t instances, members, depth;
};

struct location {
    uint64_t events, sent, received, unmatched, latency, waited, last;
    uint32_t ended;
};

static const tcf_param params[] = {
    {.key = "tag",
     .type = TCF_INT,
     .offset = offsetof(struct conf, tag),
     .default_value = "-1",
     .min = "-1",
     .help = "Only messages with this tag"},
    {.key = "at_least",
     .type = TCF_DURATION,
     .offset = offsetof(struct conf, at_least),
     .default_value = "0",
     .help = "Only messages that take as long"},
    {.key = "what",
     .type = TCF_ENUM,
     .offset = offsetof(struct conf, what),
     .default_value = "all",
     .choices = "all|late",
     .help = "Which messages"},
    {.key = "note", .type = TCF_STRING, .offset = offsetof(struct conf, note), .default_value = "", .help = "Text"},
    {.key = "words", .type = TCF_LIST, .offset = offsetof(struct conf, words), .default_value = "a b", .help = "Words"},
    {.key = NULL},
};

static void source(tcf_self *self, tcf_slice *s, const tcf_edge *e, struct location *l)
{
    uint64_t *payload = self->host->payload(self, s, e);

    self->host->publish(self, s, e, s->time[e->pos]);
    l->sent += tcf_is_message(e) ? 1 : 0;
    if (payload)
        *payload = s->time[e->pos];
}

static void target(tcf_self *self, tcf_slice *s, const tcf_edge *e, struct location *l)
{
    const struct conf *conf = self->conf;
    uint64_t now = s->time[e->pos], latest;

    if (e->flags & TCF_EDGE_UNMATCHED || !self->host->latest(self, s, e, &latest)) {
        l->unmatched++;
        return;
    }
    l->waited += latest > now;
    const uint64_t *sent = tcf_is_message(e) ? self->host->payload(self, s, e) : NULL;
    if (!sent)
        return;
    uint64_t took = now > *sent ? now - *sent : *sent - now;
    if (conf->what == LATE && *sent <= now)
        return;
    if (took < self->host->ticks(self, conf->at_least) ||
        (conf->tag >= 0 && s->kind[e->pos] == TCF_MPI_RECV && s->rec[e->pos].mpi_recv.msg_tag != (uint64_t)conf->tag))
        return;
    l->received++;
    l->latency += took;
}

static tcf_status old_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct location *l = tcf_location_state(self, s->location);

    for (uint32_t i = from; i < to; i++) {
        for (tcf_edge *e = tcf_edge_of(s, i); e && e < s->edges + s->n_edges && e->pos == i; e++) {
            if (e->flags & TCF_EDGE_TARGET)
                target(self, s, e, l);
            if (e->flags & TCF_EDGE_SOURCE)
                source(self, s, e, l);
        }
        l->events++;
        l->last = s->time[i];
    }
    return TCF_OK;
}

static tcf_status old_begin(tcf_self *self)
{
    if (self->host->size < sizeof(tcf_host))
        return self->host->fail(self, "the host table has %u bytes, expected at least %zu", self->host->size,
                                sizeof(tcf_host));
    self->host->log(self, TCF_LOG_INFO, "begins over %u locations", self->defs->n_locations);
    return TCF_OK;
}

static tcf_status old_complete(tcf_self *self, const tcf_instance *instance)
{
    struct state *st = self->state;
    uint64_t largest = 0, begin;

    for (uint32_t m = 0; m < instance->n_members; m++) {
        memcpy(&begin, instance->members + m * instance->stride, sizeof begin);
        largest = begin > largest ? begin : largest;
    }
    st->instances += largest > 0;
    st->members += instance->n_arrived;
    return TCF_OK;
}

static tcf_status old_location_end(tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);
    l->ended++;
    return TCF_OK;
}

static tcf_status old_end(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"location", TCF_CELL_UINT, NULL, "id"},       {"name", TCF_CELL_TEXT, NULL, "name"},
         {"type", TCF_CELL_UINT, NULL, "type"},         {"silent", TCF_CELL_UINT, NULL, "no events"},
         {"events", TCF_CELL_UINT, NULL, "events"},     {"sent", TCF_CELL_UINT, NULL, "messages"},
         {"received", TCF_CELL_UINT, NULL, "messages"}, {"unmatched", TCF_CELL_UINT, NULL, "targets"},
         {"latency", TCF_CELL_UINT, "ticks", "sum"},    {"waited", TCF_CELL_UINT, NULL, "targets before their source"},
         {"last", TCF_CELL_DOUBLE, "s", "last event"},  {"ended", TCF_CELL_UINT, NULL, "times"}};
    static const tcf_table_column sums[] = {{"what", TCF_CELL_TEXT, NULL, "what"},
                                            {"n", TCF_CELL_UINT, NULL, "how many"}};
    const struct conf *conf = self->conf;
    const struct state *st = self->state;
    uint32_t callpaths;
    tcf_table *table = self->host->table(self, "locations", "Locations", columns, TCF_COUNT(columns));

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        const tcf_location *d = &self->defs->locations[i];
        const tcf_cell cells[] = {tcf_uint(d->id),
                                  tcf_text(d->name),
                                  tcf_uint(d->type),
                                  tcf_uint(d->silent),
                                  tcf_uint(l->events),
                                  tcf_uint(l->sent),
                                  tcf_uint(l->received),
                                  tcf_uint(l->unmatched),
                                  tcf_uint(l->latency),
                                  tcf_uint(l->waited),
                                  tcf_seconds(self, (double)l->last),
                                  tcf_uint(l->ended)};
        self->host->row(table, cells);
    }
    self->host->callpaths(self, &callpaths);
    table = self->host->table(self, "sums", "Sums", sums, TCF_COUNT(sums));
    self->host->row(table, (const tcf_cell[]){tcf_text("instances"), tcf_uint(st->instances)});
    self->host->row(table, (const tcf_cell[]){tcf_text("members"), tcf_uint(st->members)});
    self->host->row(table, (const tcf_cell[]){tcf_text("callpaths"), tcf_uint(callpaths)});
    self->host->row(table, (const tcf_cell[]){tcf_text("words"), tcf_uint(conf->words.n)});
    self->host->row(table, (const tcf_cell[]){tcf_text(conf->note ? conf->note : "no note"), tcf_uint(1)});
    return TCF_OK;
}

TCF_FILTER = {
    TCF_FILTER_HEAD,
    .name = "old_messages",
    .version = "1.0",
    .summary = "Messages, as a filter of interface 1.0 sees them",
    .params = params,
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct location),
    .message_bytes = sizeof(uint64_t),
    .member_bytes = sizeof(uint64_t),
    .needs = TCF_NEEDS_EDGES | TCF_NEEDS_CALLPATH | TCF_REPORTS,
    .span = old_span,
    .begin = old_begin,
    .collective_complete = old_complete,
    .location_end = old_location_end,
    .end = old_end,
};
