/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* stream_write: hands definitions and slices on to another process, in the format of doc/stream-format.md. A slice
 * becomes a frame as soon as it comes. Now and then (TCF_CAN_LIVE) the pipeline sends slices on in parts, and
 * heartbeats state how far each location has got. The filter keeps no slices: where the reader is slow the write
 * waits, and the whole pipeline with it. */
#include "stream_write.h"

#include <zlib.h>

static const tcf_param params[] = {
    TCF_PARAM(
        struct conf, path, TCF_OUTPUT_PATH, "-",
        "Where the stream goes: - (standard output; reports that would go there go to standard error), a file, a "
        "FIFO, unix:PATH or tcp:[HOST:]PORT, where a reader waits. Without HOST it is this machine. With {domain} "
        "in it each domain (doc/parallel.md) writes a stream of its own locations, {domain} being its number from "
        "1 on; `--check` names them, and input = A B ... reads all of them as one. Else the chain runs in one "
        "domain."),
    TCF_PARAM(struct conf, matches, TCF_BOOL, "yes",
              "Match messages and collectives here, and hand the matches on. With no, a reader that needs them matches "
              "by itself: what a filter has dropped before is unknown to it then. That is enough for who reads several "
              "inputs, which always are matched anew together, so streams of domains have no matches."),
    TCF_PARAM(struct conf, columns, TCF_LIST, "",
              "Named columns to hand on besides the events, for readers that require them, e.g. time_raw."),
    TCF_PARAM(struct conf, wait, TCF_DURATION, "10s", "How long to wait for a reader at a socket.", .min = "0"),
    TCF_PARAM(struct conf, overwrite, TCF_BOOL, "no", "Replace a file that exists already."),
    TCF_PARAM(struct conf, compression, TCF_ENUM, "none", "Compress each frame, where tcflow was built with libzstd.",
              .choices = "none|zstd"),
    TCF_PARAM(
        struct conf, token, TCF_INPUT_PATH, "",
        "File with the token that the reader at tcp: has, too, at least 16 bytes that no other user may read. Empty: "
        "the environment's TCFLOW_TOKEN; without either tcp: reaches this machine alone."),
};

static tcf_status write_header(tcf_self *self)
{
    uint8_t bytes[TCF_HEADER_BYTES];
    tcf_stream_header header = {.order = tcf_stream_byte_order(), .major = TCF_STREAM_MAJOR, .minor = TCF_STREAM_MINOR};

    memcpy(header.magic, TCF_STREAM_MAGIC, sizeof header.magic);
    tcf_put_header(bytes, &header);
    tcf_put_u32(bytes + TCF_SUMMED_BYTES, (uint32_t)crc32(0, bytes, TCF_SUMMED_BYTES));
    return target_write(self, bytes, sizeof bytes);
}

/* --------------------------------------------------------------------------------------------------------- start -- */

static tcf_status stream_write_init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;

    state->fd = -1;
    state->each = tcf_is_domain_path(conf->path);
    state->matches = conf->matches && !state->each;
    if (conf->wait.in_ticks)
        return self->host->fail(self, "wait is a time of the clock on the wall, not of ticks");
    if (conf->columns.n > MOST_COLUMNS)
        return self->host->fail(self, "columns: more than %d", MOST_COLUMNS);
#ifndef HAVE_ZSTD
    if (conf->compression == COMPRESSION_ZSTD)
        return self->host->fail(self, "compression = zstd: this tcflow was built without libzstd");
#endif
    if (!state->matches)
        self->needs &= ~(uint32_t)(TCF_NEED_EDGES | TCF_NEED_SOURCE_AT_LEAVE | TCF_NEED_PROGRAM);
    if (state->each)
        tcf_domains_host_of(self)->wait_outside(self);
    else
        self->can &= ~(uint32_t)TCF_CAN_DOMAINS;
    state->required = calloc(conf->columns.n + 1u, sizeof *state->required);
    if (!state->required)
        return self->host->fail(self, "out of memory");
    for (uint32_t i = 0; i < conf->columns.n; i++)
        state->required[i].name = conf->columns.item[i];
    self->required = (tcf_columns){state->required, conf->columns.n};
    return target_prepare(self, 0);
}

static tcf_status find_columns(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *state = self->state;
    tcf_named_column column;

    for (uint32_t i = 0; i < conf->columns.n; i++) {
        int number = self->host->column(self, conf->columns.item[i]);
        if (number < 0 || !stream_host(self)->column_at(self, (uint32_t)number, &column))
            return self->host->refuse(self, "there is no column '%s'", conf->columns.item[i]);
        if (column.at_edges && !state->matches)
            return self->host->refuse(self,
                                      "the column '%s' belongs to matches: it needs matches = yes, and one stream",
                                      column.name);
        state->columns[state->n_columns++] = (struct column){number, column.bytes, column.at_edges};
    }
    return TCF_OK;
}

/* Nothing is written where the stream of any domain cannot be. */
static tcf_status prepare_own(tcf_self *self)
{
    const tcf_domains_host *domains = tcf_domains_host_of(self);

    for (uint32_t k = 0; domains->is_first(self) && k < domains->count(self); k++)
        if (target_prepare(self, k) != TCF_OK)
            return TCF_ERROR;
    return target_prepare(self, domains->number(self));
}

/* What comes before the events. In domains each has its thread write this, for a reader may want that of another stream
 * first. */
static tcf_status start(tcf_self *self)
{
    struct state *state = self->state;

    if (state->begun)
        return TCF_OK;
    state->begun = 1;
    if ((state->seal && seal_begin(self) != TCF_OK) || write_header(self) != TCF_OK)
        return TCF_ERROR;
    return write_definitions(self);
}

static tcf_status stream_write_begin(tcf_self *self)
{
    struct state *state = self->state;

    state->host = tcf_stream_host_of(self);
    if (find_columns(self) != TCF_OK || (state->each && prepare_own(self) != TCF_OK))
        return TCF_ERROR;
    if (self->checking)
        return TCF_OK;
    if (target_open(self) != TCF_OK)
        return TCF_ERROR;
    return state->each ? TCF_OK : start(self);
}

/* -------------------------------------------------------------------------------------------------------- events -- */

/* States which classes of a location's events are altered, in front of the slice that has the rest of them. */
static tcf_status tell_altered(tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);
    uint32_t altered = stream_host(self)->altered(self, location);

    if (altered == l->altered)
        return TCF_OK;
    l->altered = altered;
    tcf_pack *p = frame_begin(self);
    tcf_pack_varint(p, location);
    tcf_pack_varint(p, altered);
    return frame_end(self, TCF_FRAME_ALTERED);
}

static tcf_status stream_write_slice(tcf_self *self, tcf_slice *s)
{
    struct state *state = self->state;
    struct location *l = tcf_location_state(self, s->location);

    if (s->n == 0 && (s->n_edges == 0 || !state->matches))
        return TCF_OK;
    if (start(self) != TCF_OK || tell_altered(self, s->location) != TCF_OK || write_window(self, s) != TCF_OK)
        return TCF_ERROR;
    l->events += s->n;
    state->events += s->n;
    if (s->n > 0)
        l->frontier = s->time[s->n - 1];
    return TCF_OK;
}

/* States how far the locations have got that are further than their last events. */
static tcf_status stream_write_heartbeat(tcf_self *self)
{
    tcf_pack *p = frame_begin(self);
    uint32_t last = 0, any = 0;

    if (start(self) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        struct location *l = tcf_location_state(self, i);
        uint64_t frontier = stream_host(self)->frontier(self, i);
        if (frontier <= l->frontier || frontier == UINT64_MAX)
            continue;
        tcf_pack_varint(p, i - last);
        tcf_pack_varint(p, frontier);
        l->frontier = frontier;
        last = i;
        any = 1;
    }
    return any ? frame_end(self, TCF_FRAME_FRONTIERS) : TCF_OK;
}

static tcf_status stream_write_location_end(tcf_self *self, uint32_t location)
{
    if (start(self) != TCF_OK || tell_altered(self, location) != TCF_OK || write_snapshots(self, location) != TCF_OK)
        return TCF_ERROR;
    return write_location_end(self, location);
}

/* ----------------------------------------------------------------------------------------------------------- end -- */

static tcf_status finish(tcf_self *self)
{
    struct state *state = self->state;

    if (start(self) != TCF_OK || write_end(self) != TCF_OK)
        return TCF_ERROR;
    state->ended = 1;
    return target_close(self, 1);
}

static tcf_status stream_write_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *state = self->state;

    if (finish(self) != TCF_OK)
        return TCF_ERROR;
    const struct totals all = {state->events, state->bytes, stream_host(self)->unknown_events(self)};
    self->host->put(pack, &all, sizeof all);
    return TCF_OK;
}

static tcf_status stream_write_absorb(tcf_self *self, tcf_pack *pack)
{
    struct totals *others = &((struct state *)self->state)->others, more;

    self->host->take(pack, &more, sizeof more);
    others->events += more.events;
    others->bytes += more.bytes;
    others->unknown += more.unknown;
    return TCF_OK;
}

static tcf_status stream_write_end(tcf_self *self)
{
    struct state *state = self->state;

    if (!state->matches && self->changed & TCF_WRITES_EVENTS)
        self->host->log(self, TCF_LOG_WARNING,
                        "events were dropped or inserted in front, and without matches a reader cannot "
                        "know which messages and collectives were theirs");
    if (start(self) != TCF_OK || write_markers_and_thumbnails(self) != TCF_OK || finish(self) != TCF_OK)
        return TCF_ERROR;
    self->host->log(self, TCF_LOG_INFO, "%llu events, %llu bytes",
                    (unsigned long long)(state->events + state->others.events),
                    (unsigned long long)(state->bytes + state->others.bytes));
    return TCF_OK;
}

static void stream_write_fini(tcf_self *self, int complete)
{
    struct state *state = self->state;

    (void)complete;
    if (state->fd >= 0 && !state->broken && !state->ended && state->frames > 0 && !frame_begin(self)->failed) {
        const tcf_pack *p =
            frame_seal(self, TCF_FRAME_ABORT); /* the frame distinguishes a failed run from a broken connection */
        if (p)
            target_write_last(self, p->at, p->n);
    }
    (void)target_close(self, 0);
    free(state->file.name);
    seal_free(state->seal);
    keyed_free(state->last_number, &state->by);
    free(state->kinds.at);
    free(state->list.at);
    free(state->frame.at);
    free(state->packed.at);
    free(state->required);
    free(state->path);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "stream_write",
    .version = "1.0",
    .summary = "Hands events on to another tcflow, over a pipe, a socket or a file",
    .topic = TCF_TOPIC_EVENTS,
    .help =
        "Writes what it sees in tcflow's stream format: definitions, events, their matches, clock offsets, markers, "
        "snapshots, thumbnails, and what a survey has learned. `tcflow -c a.ini | tcflow -c b.ini`, with path = - "
        "here and input = - there, gives what one process with both chains gives. A stream ends with a frame that "
        "says so; a reader refuses one that was cut. doc/stream-format.md describes the format.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct location),
    .needs = TCF_NEED_EDGES | TCF_NEED_SOURCE_AT_LEAVE | TCF_NEED_PROGRAM | TCF_NEED_TOGETHER,
    .can = TCF_CAN_LIVE | TCF_CAN_DOMAINS,
    .init = stream_write_init,
    .begin = stream_write_begin,
    .slice = stream_write_slice,
    .location_end = stream_write_location_end,
    .heartbeat = stream_write_heartbeat,
    .pack = stream_write_pack,
    .absorb = stream_write_absorb,
    .end = stream_write_end,
    .fini = stream_write_fini,
};
