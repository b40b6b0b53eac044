/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter for tests: writes down the order in which a causal filter sees events, and what the core matched.
 *
 *   order   a line "location index" for every event
 *   match   p2p,SEND_LOCATION,SEND_INDEX,RECV_LOCATION,RECV_INDEX     recv,LOCATION,INDEX (no partner)
 *           coll,COMM,INSTANCE,LOCATION,BEGIN_INDEX,END_INDEX,IS_SOURCE,IS_TARGET
 *           edge,CLASS,SOURCE_LOCATION,SOURCE_INDEX,LOCATION,INDEX
 *   given   a line "location index" for every target that went on without its sources
 *
 * in the form of tests/support/oracle's, with ids of the archive and positions counted from 0. Built with -DAT_LEAVE it
 * is the filter `probe_leave`, whose edges count only when the call of their source has been left; then `match` has
 * lines
 *
 *           program,OP,INSTANCE,LOCATION,ENTER_INDEX,LEAVE_INDEX                MPI_Init 254, MPI_Finalize 255
 *           left,SEND_LOCATION,SEND_INDEX,LEFT_INDEX,RECV_LOCATION,RECV_INDEX   LEFT_INDEX -1: not left yet */
#include <tcflow/filter.h>

#include <inttypes.h>
#include <stdio.h>

struct conf {
    const char *order, *match, *given;
};

struct state {
    FILE *order, *match, *given;
};

struct event {
    uint64_t location, index; /* index + 1; 0: not there */
    uint64_t left;            /* index + 1 of the event that left the call */
    uint8_t is_source;
};

static const tcf_param params[] = {
    TCF_PARAM(struct conf, order, TCF_OUTPUT_PATH, "", "File for the order of events."),
    TCF_PARAM(struct conf, match, TCF_OUTPUT_PATH, "", "File for what was matched."),
    TCF_PARAM(struct conf, given, TCF_OUTPUT_PATH, "", "File for targets given up."),
};

static tcf_status open_file(tcf_self *self, const char *path, FILE **file)
{
    if (path && !(*file = fopen(path, "w")))
        return self->host->fail(self, "cannot write '%s'", path);
    return TCF_OK;
}

static tcf_status begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;
    if (open_file(self, conf->order, &state->order) || open_file(self, conf->match, &state->match) ||
        open_file(self, conf->given, &state->given))
        return TCF_ERROR;
    return TCF_OK;
}

static void message(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, FILE *out)
{
    static const char *const names[TCF_CLASSES] = {[TCF_CLASS_THREAD_CREATE] = "thread_create",
                                                   [TCF_CLASS_THREAD_WAIT] = "thread_wait",
                                                   [TCF_CLASS_LOCK] = "lock"};
    uint64_t location = self->defs->locations[s->location].id, index = s->first + e->pos;
    struct event *source = self->host->payload(self, e);
    if (e->flags & TCF_EDGE_SOURCE) {
        if (source)
            *source = (struct event){location, index + 1, 0, 1};
        return;
    }
    if (e->flags & TCF_EDGE_LEFT && source)
        source->left = index + 1;
    if (!(e->flags & TCF_EDGE_TARGET) || !out)
        return;
#ifdef AT_LEAVE
    if (source && e->class_ == TCF_CLASS_P2P)
        fprintf(out, "left,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 "\n", source->location,
                source->index - 1, (int64_t)source->left - 1, location, index);
    return;
#endif
    if (e->class_ != TCF_CLASS_P2P) {
        if (source && source->location != location)
            fprintf(out, "edge,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", names[e->class_],
                    source->location, source->index - 1, location, index);
    } else if (source) {
        fprintf(out, "p2p,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", source->location, source->index - 1,
                location, index);
    } else {
        fprintf(out, "recv,%" PRIu64 ",%" PRIu64 "\n", location, index);
    }
}

static void collective(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, FILE *out)
{
    uint8_t kind = s->kind[e->pos];
    uint64_t index = s->first + e->pos;
    struct event *mine = self->host->payload(self, e);
    if (!mine)
        return;
    if (kind == TCF_MPI_COLLECTIVE_BEGIN || kind == TCF_NON_BLOCKING_COLLECTIVE_REQUEST) {
        *mine = (struct event){0, index + 1, 0, (e->flags & TCF_EDGE_SOURCE) != 0};
        return;
    }
    if (out)
        fprintf(out, "coll,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64 ",%d,%d\n",
                self->defs->comms[e->peer].id, e->number, self->defs->locations[s->location].id,
                (int64_t)mine->index - 1, index, mine->is_source, (e->flags & TCF_EDGE_TARGET) != 0);
}

static void fork_edge(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, FILE *out)
{
    uint64_t source, index = s->first + e->pos;
    if (e->flags & TCF_EDGE_SOURCE)
        self->host->publish(self, e, 0, (uint64_t)s->location << 40 | index);
    else if (out && e->flags & TCF_EDGE_TARGET && self->host->latest(self, e, 0, &source))
        fprintf(out, "edge,fork,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                self->defs->locations[source >> 40].id, source & 0xffffffffff, self->defs->locations[s->location].id,
                index);
}

static void program(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, FILE *out)
{
    struct event *mine = self->host->payload(self, e);
    uint64_t index = s->first + e->pos;
    if (!mine || !out)
        return;
    if (e->flags & TCF_EDGE_BEGIN)
        mine->index = index + 1;
    else
        fprintf(out, "program,%d,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64 "\n", e->op, e->number,
                self->defs->locations[s->location].id, (int64_t)mine->index - 1, index);
}

static void look_at(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const struct state *state = self->state;
    if (state->given && e->flags & TCF_EDGE_UNMATCHED && e->flags & TCF_EDGE_TARGET)
        fprintf(state->given, "%" PRIu64 " %" PRIu64 "\n", self->defs->locations[s->location].id, s->first + e->pos);
    if (e->flags & TCF_EDGE_GONE)
        return;
    uint8_t kind = s->kind[e->pos];
    if (e->class_ == TCF_CLASS_P2P || e->class_ == TCF_CLASS_THREAD_CREATE || e->class_ == TCF_CLASS_THREAD_WAIT ||
        e->class_ == TCF_CLASS_LOCK)
        message(self, s, e, state->match);
    else if (e->class_ == TCF_CLASS_FORK)
        fork_edge(self, s, e, state->match);
    else if (e->op >= TCF_OP_INIT)
        program(self, s, e, state->match);
    else if (kind == TCF_MPI_COLLECTIVE_BEGIN || kind == TCF_MPI_COLLECTIVE_END ||
             kind == TCF_NON_BLOCKING_COLLECTIVE_REQUEST || kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE)
        collective(self, s, e, state->match);
}

static tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    const struct state *state = self->state;
    for (uint32_t i = from; i < to; i++) {
        if (state->order)
            fprintf(state->order, "%" PRIu64 " %" PRIu64 "\n", self->defs->locations[s->location].id, s->first + i);
        if (!s->match[i])
            continue;
        for (uint32_t k = s->match[i] - 1; k < s->n_edges && s->edges[k].pos == i; k++)
            look_at(self, s, &s->edges[k]);
    }
    return TCF_OK;
}

static void fini(tcf_self *self, int complete)
{
    struct state *state = self->state;
    FILE *files[] = {state->order, state->match, state->given};
    (void)complete;
    for (int k = 0; k < 3; k++)
        if (files[k])
            fclose(files[k]);
}

#ifdef AT_LEAVE
#define NAME "probe_leave"
#define NEEDS (TCF_NEED_SOURCE_AT_LEAVE | TCF_NEED_PROGRAM)
#else
#define NAME "probe"
#define NEEDS 0
#endif

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = NAME,
    .needs = NEEDS,
    .version = "1.0",
    .summary = "Writes down the order of events and what was matched, for tests",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .message_bytes = sizeof(struct event),
    .member_bytes = sizeof(struct event),
    .span = span,
    .begin = begin,
    .fini = fini,
};
