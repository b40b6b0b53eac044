/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto: reads Perfetto's protocol buffers, a list of packets, one at a time. */
#include "perfetto.h"

#include <tcflow/grow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#ifndef CHUNK_BYTES /* fuzzing cuts packets in two */
#define CHUNK_BYTES (256 << 10)
#endif

/* -------------------------------------------------------------------------------------------------------- packets --
 */

/* Payloads that say nothing of the traced program: configuration, statistics, marks. */
static int is_about_tracing(uint32_t number)
{
    return number == 3 || number == 33 || number == 35 || number == 36 || number == 42 || number == 45 ||
           number == 69 || number == 79 || number == 87 || number == 88 || number == 89 || number == 98;
}

static void take_bytes(packet *p, const field *f)
{
    switch (f->number) {
    case PACKET_TRACK_EVENT:
        p->event = f->in;
        break;
    case PACKET_INTERNED:
        p->interned = f->in;
        break;
    case PACKET_DEFAULTS:
        p->defaults = f->in;
        break;
    case PACKET_TRACK:
        p->track = f->in;
        break;
    case PACKET_PROCESS:
        p->process = f->in;
        break;
    case PACKET_THREAD:
        p->thread = f->in;
        break;
    case PACKET_CLOCK_SNAPSHOT:
        p->snapshot = f->in;
        break;
    case PACKET_COMPRESSED:
        p->compressed = f->in;
        break;
    default:
        p->has_other |= !is_about_tracing(f->number);
    }
}

static void take_packet_number(packet *p, const field *f)
{
    switch (f->number) {
    case PACKET_TIMESTAMP:
        p->timestamp = f->value;
        p->has_timestamp = 1;
        break;
    case PACKET_SEQUENCE:
        p->sequence = (uint32_t)f->value;
        break;
    case PACKET_FLAGS:
        p->flags |= (uint32_t)f->value;
        break;
    case PACKET_CLEARED:
        p->flags |= f->value ? FLAG_CLEARED : 0;
        break;
    case PACKET_CLOCK:
        p->clock = (uint32_t)f->value;
        p->has_clock = 1;
        break;
    default:
        break;
    }
}

static tcf_status take_tracks(perfetto_state *st, const packet *p)
{
    uint64_t uuid, reference;

    if (p->track.at && track_describe(st, p, p->track) != TCF_OK)
        return TCF_ERROR;
    if (p->process.at && process_describe(st, p, p->process) != TCF_OK)
        return TCF_ERROR;
    return p->thread.at ? track_of_thread(st, p, p->thread, &uuid, &reference) : TCF_OK;
}

static tcf_status take_rest(perfetto_state *st, const packet *p)
{
    sequence *s = sequence_find(st, p->sequence);

    if (!s || (p->snapshot.at && clocks_take(st, p) != TCF_OK))
        return TCF_ERROR;
    if (p->flags & FLAG_CLEARED) {
        tcf_map_free(&s->interned);
        *s = (sequence){.is_valid = 1};
    }
    if (sequence_take(st, s, p) != TCF_OK)
        return TCF_ERROR;
    if (!p->event.at) {
        const int is_known = p->track.at || p->thread.at || p->process.at || p->snapshot.at || p->interned.at;
        st->reader->host->left_out(st->reader, p->has_other && !is_known);
        return TCF_OK;
    }
    if (p->flags & FLAG_NEEDS_STATE && !s->is_valid) {
        st->without_state++;
        return TCF_OK;
    }
    return event_take(st, s, p);
}

static tcf_status take_packed(perfetto_state *st, const packet *p);

static tcf_status take_packet(perfetto_state *st, wire_bytes b, uint64_t at)
{
    packet p = {.at = at};
    field f;
    int more;

    while ((more = wire_next(&b, &f)) > 0)
        if (f.type == WIRE_BYTES)
            take_bytes(&p, &f);
        else
            take_packet_number(&p, &f);
    if (more < 0)
        return fail_at(st, at, "it is malformed");
    if (p.compressed.at)
        return take_packed(st, &p);
    return st->pass == 0 ? take_tracks(st, &p) : take_rest(st, &p);
}

/* All packets of a trace that is in memory. */
static tcf_status take_packets(perfetto_state *st, wire_bytes b, uint64_t at)
{
    tcf_status status = TCF_OK;
    field f;
    int more = 0;

    while (status == TCF_OK && (more = wire_next(&b, &f)) > 0)
        if (f.number == TRACE_PACKET && f.type == WIRE_BYTES)
            status = take_packet(st, f.in, at);
    return status == TCF_OK && more < 0 ? fail_at(st, at, "what it has packed is malformed") : status;
}

/* Unpacks into st->unpacked; *n: how many bytes. */
static tcf_status unpack(perfetto_state *st, const packet *p, size_t *n)
{
    z_stream *z = &st->unpacker;
    int code = st->has_unpacker ? inflateReset(z) : inflateInit(z);

    if (code != Z_OK)
        return no_memory(st);
    st->has_unpacker = 1;
    z->next_in = (Bytef *)p->compressed.at;
    z->avail_in = (uInt)(p->compressed.end - p->compressed.at);
    for (*n = 0; code == Z_OK;) {
        if (*n == MOST_UNPACKED)
            return fail_at(st, p->at, "what it has packed is larger than 256 MiB");
        if (*n == st->unpacked_room) {
            const size_t room = *n ? 2 * *n : CHUNK_BYTES;
            uint8_t *grown = realloc(st->unpacked, room);
            if (!grown)
                return no_memory(st);
            st->unpacked = grown;
            st->unpacked_room = room;
        }
        z->next_out = st->unpacked + *n;
        z->avail_out = (uInt)(st->unpacked_room - *n);
        code = inflate(z, Z_NO_FLUSH);
        *n = st->unpacked_room - z->avail_out;
    }
    return code == Z_STREAM_END ? TCF_OK : fail_at(st, p->at, "what it has packed cannot be unpacked by zlib");
}

static tcf_status take_packed(perfetto_state *st, const packet *p)
{
    size_t n = 0;

    if (st->is_unpacking)
        return fail_at(st, p->at, "a packed packet holds packed ones");
    if (unpack(st, p, &n) != TCF_OK)
        return TCF_ERROR;
    st->is_unpacking = 1;
    tcf_status status = take_packets(st, (wire_bytes){st->unpacked, st->unpacked + n}, p->at);
    st->is_unpacking = 0;
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- file --
 */

/* Reads on. *more: there was something. */
static tcf_status fill(perfetto_state *st, int *more)
{
    const tcf_reader *self = st->reader;
    int error = Z_OK;

    if (st->first > 0)
        memmove(st->buffer, st->buffer + st->first, st->n);
    st->first = 0;
    if (st->room < st->n + CHUNK_BYTES) {
        const size_t room = 2 * st->n + CHUNK_BYTES;
        uint8_t *grown = realloc(st->buffer, room);
        if (!grown)
            return self->host->fail(self, "out of memory for a packet");
        st->buffer = grown;
        st->room = room;
    }
    const int got = gzread(st->file, st->buffer + st->n, CHUNK_BYTES);
    const char *reason = gzerror(st->file, &error);
    if (got < 0 || (error != Z_OK && error != Z_STREAM_END))
        return self->host->fail(self, "behind %" PRIu64 " bytes: %s", st->at + st->n,
                                error == Z_ERRNO       ? strerror(errno)
                                : error == Z_BUF_ERROR ? "the packed data ends in its middle"
                                                       : reason);
    st->n += (size_t)got;
    *more = got > 0;
    return TCF_OK;
}

/* Takes what is whole in the buffer. */
static tcf_status take_buffer(perfetto_state *st)
{
    wire_bytes b = {st->buffer + st->first, st->buffer + st->first + st->n};
    tcf_status status = TCF_OK;

    while (status == TCF_OK && b.at < b.end) {
        const uint8_t *start = b.at;
        uint64_t key, size;
        field f;
        wire_bytes look = b;
        const int got = wire_varint(&look, &key);
        if (got == 1 && (key & 7) == WIRE_BYTES && wire_varint(&look, &size) == 1 && size > MOST_PACKET)
            return fail_at(st, st->at, "it is larger than 64 MiB, or this is no trace of Perfetto");
        if (got == 1 && ((key & 7) > WIRE_FIXED32 || (key & 7) == 3 || (key & 7) == 4 || key >> 3 == 0))
            return fail_at(st, st->at, "it is malformed");
        if (wire_next(&b, &f) != 1)
            break; /* its end is still to come */
        if (f.number == TRACE_PACKET && f.type == WIRE_BYTES)
            status = take_packet(st, f.in, st->at);
        st->at += (uint64_t)(b.at - start);
        st->first += (size_t)(b.at - start);
        st->n -= (size_t)(b.at - start);
    }
    return status;
}

static tcf_status read_all(perfetto_state *st)
{
    const tcf_source_host *host = st->reader->host;
    tcf_status status = TCF_OK;
    int more = 1;

    st->first = st->n = 0;
    st->at = 0;
    while (status == TCF_OK && more) {
        if (host->interrupted(st->reader))
            return host->fail(st->reader, "interrupted");
        status = fill(st, &more);
        if (status == TCF_OK)
            status = take_buffer(st);
    }
    if (status == TCF_OK && st->n > 0)
        return fail_at(st, st->at, "the file ends in its middle");
    return status;
}

static void tell_losses(const perfetto_state *st)
{
    const struct {
        uint64_t n;
        const char *what;
    } losses[] = {
        {st->without_state, "events are left out, for packets in front of them are missing, which have their names"},
        {st->unknown_names, "names are given by numbers that nothing explains: they stand as (unknown name)"},
        {st->unknown_clocks, "events have times of clocks that nothing relates to the others: they stand as they are"},
        {st->other_phases, "events in the form of older versions (legacy_event) are left out"},
        {st->more_names, "uses of names beyond the first 1048576 stand as (more names)"},
    };

    for (size_t i = 0; i < TCF_COUNT(losses); i++)
        if (losses[i].n > 0)
            st->reader->host->log(st->reader, TCF_LOG_WARNING, "%" PRIu64 " %s", losses[i].n, losses[i].what);
}

static tcf_status perfetto_read(tcf_reader *self)
{
    perfetto_state *st = self->state;

    st->reader = self;
    st->trace_clock = TCF_NONE;
    st->file = gzopen(self->path, "rb");
    if (!st->file)
        return self->host->fail(self, "cannot be opened: %s", errno ? strerror(errno) : "out of memory");
    gzbuffer(st->file, CHUNK_BYTES / 2);
    if (read_all(st) != TCF_OK || tracks_define(st) != TCF_OK)
        return TCF_ERROR;
    if (gzrewind(st->file) != 0)
        return self->host->fail(self, "is read twice, and cannot be: it has to be a file");
    st->pass = 1;
    if (read_all(st) != TCF_OK)
        return TCF_ERROR;
    tell_losses(st);
    return TCF_OK;
}

static void perfetto_fini(tcf_reader *self)
{
    perfetto_state *st = self->state;

    if (st->file)
        gzclose(st->file);
    if (st->has_unpacker)
        inflateEnd(&st->unpacker);
    for (uint32_t i = 0; i < st->n_texts; i++)
        free(st->texts[i]);
    for (uint32_t i = 0; i < st->n_sequences; i++)
        tcf_map_free(&st->sequences[i].interned);
    tcf_map *const maps[] = {&st->text_ids,  &st->track_ids,    &st->process_ids, &st->region_ids,
                             &st->place_ids, &st->sequence_ids, &st->clock_ids};
    for (size_t i = 0; i < TCF_COUNT(maps); i++)
        tcf_map_free(maps[i]);
    void *const arrays[] = {st->buffer,    st->unpacked,  st->texts,  st->tracks,
                            st->processes, st->sequences, st->clocks, st->places};
    for (size_t i = 0; i < TCF_COUNT(arrays); i++)
        free(arrays[i]);
}

/* ---------------------------------------------------------------------------------------------------------- probe --
 */

/* A packet whose fields are all well-formed, as far as they are seen, with one of those that count. */
static int perfetto_probe(const tcf_probe *probe)
{
    wire_bytes b = {probe->first, probe->first + probe->n};
    const int is_named = tcf_name_ends(probe, ".pftrace") || tcf_name_ends(probe, ".perfetto-trace");
    int known = 0;
    uint64_t key, size;
    field f;

    if (wire_varint(&b, &key) != 1 || key != (TRACE_PACKET << 3 | WIRE_BYTES) || wire_varint(&b, &size) != 1 ||
        size > MOST_PACKET || size == 0)
        return 0;
    const int is_whole = size <= (uint64_t)(b.end - b.at);
    wire_bytes in = {b.at, is_whole ? b.at + size : b.end};
    int more;
    while ((more = wire_next(&in, &f)) > 0)
        known += f.number == PACKET_SEQUENCE || f.number == PACKET_TIMESTAMP || f.number == PACKET_FLAGS ||
                 f.number == PACKET_TRACK || f.number == PACKET_CLOCK_SNAPSHOT || f.number == PACKET_COMPRESSED;
    if (more < 0 && is_whole)
        return 0;
    return known > 0 ? is_named ? 100 : 80 : is_named ? 1 : 0;
}

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "perfetto",
    .version = "1.0",
    .summary = "Reads Perfetto's traces (protocol buffers) of track events, also those of perfetto_trace",
    .help =
        "A list of packets, some of them packed by zlib or not, the whole packed by gzip or not. The file is read "
        "twice, for descriptions of tracks may stand behind their events.\n\n"
        "A process is one of Perfetto's, by its pid. A thread is a location of it; so is any other track with events, "
        "and the track of a process itself. Ranks among siblings (sibling_order_rank) give the order of locations, "
        "else the numbers of threads do. Tracks of no process are in one of their own, `(no process)`. Calls are "
        "slices; a region has the name of the event, the category gives the paradigm where it is OTF2's name of one, "
        "and a second one the role; source locations give file and line.\n\n"
        "A counter belongs to the location of the track above its own. Units are those of its description; incremental "
        "ones are summed up. Instant events are string parameters: the category (else `instant`) is the parameter, the "
        "name its value. Flows are messages from each event to the next one of the flow; a flow ends with "
        "terminating_flow_ids. Arguments msg_length and msg_tag of the event, as perfetto_trace writes them, are the "
        "message's: the format has none of its own. Other arguments are not kept.\n\n"
        "Times become those of the trace's clock (primary_trace_clock, else BOOTTIME) by the last clock snapshot in "
        "front of the packet. Packets that need names which are missing are left out, and counted, as are all other "
        "kinds of data: ftrace, samples of the CPU, logs.",
    .state_size = sizeof(perfetto_state),
    .probe = perfetto_probe,
    .read = perfetto_read,
    .fini = perfetto_fini,
};
