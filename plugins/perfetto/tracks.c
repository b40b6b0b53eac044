/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto: tracks. Those of threads, and those with events of their own, become locations. */
#include "perfetto.h"

#include <tcflow/grow.h>

#include <inttypes.h>
#include <stdio.h>

enum { NO_PID = UINT32_MAX }; /* of the process that has the tracks of none */
enum { DEEPEST = 64 };        /* parents above a track */

/* ------------------------------------------------------------------------------------------------- descriptions -- */

track *track_find(perfetto_state *st, uint64_t uuid)
{
    const uint32_t found = tcf_map_get(&st->track_ids, uuid, 0);

    if (found != TCF_MAP_ABSENT)
        return &st->tracks[found];
    if (st->n_tracks == MOST_TRACKS) {
        st->reader->host->fail(st->reader, "the file has more than %d tracks", (int)MOST_TRACKS);
        return NULL;
    }
    if (TCF_GROW(&st->tracks, &st->tracks_room, st->n_tracks) != 0 ||
        tcf_map_put(&st->track_ids, uuid, 0, st->n_tracks) != 0) {
        no_memory(st);
        return NULL;
    }
    track *t = &st->tracks[st->n_tracks++];
    *t = (track){.uuid = uuid,
                 .multiplier = 1,
                 .pid = NO_PID,
                 .name = TCF_NONE,
                 .location = TCF_NONE,
                 .counter = TCF_NONE,
                 .unit = TCF_NONE};
    return t;
}

static tcf_status set_name(perfetto_state *st, track *t, wire_bytes name)
{
    if (name.at == name.end)
        return TCF_OK;
    t->name = text_number(st, name);
    return t->name == TCF_NONE ? TCF_ERROR : TCF_OK;
}

static tcf_status malformed_track(const perfetto_state *st, const packet *p)
{
    return fail_at(st, p->at, "its description of a track is malformed");
}

static tcf_status take_process(perfetto_state *st, const packet *p, track *t, wire_bytes b)
{
    field f;
    int more;

    t->has_process = 1;
    while ((more = wire_next(&b, &f)) > 0) {
        if (f.number == PROCESS_PID)
            t->pid = (uint32_t)f.value;
        else if (f.number == PROCESS_NAME && f.type == WIRE_BYTES && set_name(st, t, f.in) != TCF_OK)
            return TCF_ERROR;
    }
    return more < 0 ? malformed_track(st, p) : TCF_OK;
}

static tcf_status take_thread(perfetto_state *st, const packet *p, track *t, wire_bytes b)
{
    field f;
    int more;

    t->has_thread = 1;
    while ((more = wire_next(&b, &f)) > 0) {
        if (f.number == THREAD_PID)
            t->pid = (uint32_t)f.value;
        else if (f.number == THREAD_TID)
            t->tid = (int64_t)f.value;
        else if (f.number == THREAD_NAME && f.type == WIRE_BYTES && set_name(st, t, f.in) != TCF_OK)
            return TCF_ERROR;
    }
    return more < 0 ? malformed_track(st, p) : TCF_OK;
}

static tcf_status take_counter(perfetto_state *st, const packet *p, track *t, wire_bytes b)
{
    static const char *const units[] = {NULL, "ns", "count", "bytes"};
    field f;
    int more;

    t->is_counter = 1;
    while ((more = wire_next(&b, &f)) > 0) {
        if (f.number == COUNTER_UNIT_NAME && f.type == WIRE_BYTES)
            t->unit = text_number(st, f.in);
        else if (f.number == COUNTER_UNIT && f.value > 0 && f.value < TCF_COUNT(units) && t->unit == TCF_NONE)
            t->unit = text_number(st, (wire_bytes){(const uint8_t *)units[f.value],
                                                   (const uint8_t *)units[f.value] + strlen(units[f.value])});
        else if (f.number == COUNTER_MULTIPLIER)
            t->multiplier = (int64_t)f.value;
        else if (f.number == COUNTER_INCREMENTAL)
            t->is_incremental = f.value != 0;
    }
    return more < 0 ? malformed_track(st, p) : TCF_OK;
}

static tcf_status take_part(perfetto_state *st, const packet *p, track *t, const field *f)
{
    switch (f->number) {
    case TRACK_NAME:
    case TRACK_STATIC_NAME:
    case TRACK_ATRACE_NAME:
        return f->type == WIRE_BYTES && t->name == TCF_NONE ? set_name(st, t, f->in) : TCF_OK;
    case TRACK_PROCESS:
        return f->type == WIRE_BYTES ? take_process(st, p, t, f->in) : TCF_OK;
    case TRACK_THREAD:
        return f->type == WIRE_BYTES ? take_thread(st, p, t, f->in) : TCF_OK;
    case TRACK_COUNTER:
        return f->type == WIRE_BYTES ? take_counter(st, p, t, f->in) : TCF_OK;
    case TRACK_PARENT:
        t->parent = f->value;
        t->has_parent = f->type != WIRE_BYTES;
        return TCF_OK;
    case TRACK_RANK:
        t->rank = (int32_t)f->value;
        t->has_rank = f->type != WIRE_BYTES;
        return TCF_OK;
    default:
        return TCF_OK;
    }
}

/* Of several descriptions of a track a later one says what it says anew. */
tcf_status track_describe(perfetto_state *st, const packet *p, wire_bytes descriptor)
{
    wire_bytes b = descriptor;
    uint64_t uuid = 0;
    field f;
    int more;

    while ((more = wire_next(&b, &f)) > 0)
        if (f.number == TRACK_UUID && f.type != WIRE_BYTES)
            uuid = f.value;
    track *t = more < 0 ? NULL : track_find(st, uuid);
    if (!t)
        return more < 0 ? malformed_track(st, p) : TCF_ERROR;
    tcf_status status = TCF_OK;
    for (b = descriptor; status == TCF_OK && wire_next(&b, &f) > 0;)
        status = take_part(st, p, t, &f);
    return status;
}

/* Threads that have no track of their own get one, whose number is made of theirs. */
tcf_status track_of_thread(perfetto_state *st, const packet *p, wire_bytes thread, uint64_t *uuid,
                           uint64_t *reference_us)
{
    track described = {.name = TCF_NONE, .pid = NO_PID};
    field f;

    *reference_us = 0;
    if (take_thread(st, p, &described, thread) != TCF_OK)
        return TCF_ERROR;
    for (wire_bytes b = thread; wire_next(&b, &f) > 0;)
        if (f.number == THREAD_REFERENCE_US)
            *reference_us = f.value;
    *uuid = tcf_map_hash(described.pid, (uint64_t)described.tid ^ 0x7065726665747468u);
    track *t = track_find(st, *uuid);
    if (!t)
        return TCF_ERROR;
    t->has_thread = 1;
    t->pid = described.pid;
    t->tid = described.tid;
    t->name = described.name != TCF_NONE ? described.name : t->name;
    return TCF_OK;
}

tcf_status process_describe(perfetto_state *st, const packet *p, wire_bytes process)
{
    track described = {.name = TCF_NONE, .pid = NO_PID};

    if (take_process(st, p, &described, process) != TCF_OK)
        return TCF_ERROR;
    track *t = track_find(st, tcf_map_hash(described.pid, 0x7065726665747470u));
    if (!t)
        return TCF_ERROR;
    t->has_process = 1;
    t->pid = described.pid;
    t->name = described.name != TCF_NONE ? described.name : t->name;
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------- processes and locations --
 */

/* The index of a process here; TCF_NONE: a failure. `name`: TCF_NONE: unknown. */
static uint32_t process_find(perfetto_state *st, uint32_t pid, uint32_t name)
{
    const tcf_source_host *host = st->reader->host;
    const uint32_t found = tcf_map_get(&st->process_ids, pid, 0);
    char text[64] = "(no process)";

    if (found != TCF_MAP_ABSENT) {
        if (name != TCF_NONE &&
            host->rename_process(st->reader, st->processes[found].number, st->texts[name]) != TCF_OK)
            return TCF_NONE;
        return found;
    }
    if (pid != NO_PID)
        snprintf(text, sizeof text, "process %" PRIi32, (int32_t)pid);
    const uint32_t number = host->process(st->reader, pid == NO_PID ? UINT64_MAX : pid, text_of(st, name, text));
    if (number == TCF_NONE)
        return TCF_NONE;
    if (TCF_GROW(&st->processes, &st->processes_room, st->n_processes) != 0 ||
        tcf_map_put(&st->process_ids, pid, 0, st->n_processes) != 0) {
        no_memory(st);
        return TCF_NONE;
    }
    st->processes[st->n_processes] = (process_of){number, TCF_NONE};
    return st->n_processes++;
}

/* The nearest one of a track and those above it that has a process, or NO_PID. */
static uint32_t pid_of(const perfetto_state *st, const track *t)
{
    for (int i = 0; i < DEEPEST; i++) {
        if (t->has_process || t->has_thread)
            return t->pid;
        const uint32_t above = t->has_parent ? tcf_map_get(&st->track_ids, t->parent, 0) : TCF_MAP_ABSENT;
        if (above == TCF_MAP_ABSENT)
            return NO_PID;
        t = &st->tracks[above];
    }
    return NO_PID;
}

/* Those with ranks first, then threads by their numbers, then the others as they come. */
static uint64_t place_of(const perfetto_state *st, const track *t)
{
    if (t->has_rank)
        return (uint32_t)t->rank + 0x80000000u;
    return t->has_thread ? 1ull << 33 | (uint32_t)t->tid : 1ull << 34 | (uint64_t)(t - st->tracks);
}

static tcf_status make_location(perfetto_state *st, track *t)
{
    const uint32_t process = process_find(st, pid_of(st, t), TCF_NONE);
    char text[64];

    if (process == TCF_NONE)
        return TCF_ERROR;
    if (t->has_process && !t->has_thread && st->processes[process].location != TCF_NONE) {
        t->location = st->processes[process].location;
        return TCF_OK;
    }
    if (t->has_thread)
        snprintf(text, sizeof text, "thread %" PRIi64, t->tid);
    else
        snprintf(text, sizeof text, "track %" PRIu64, t->uuid);
    t->location = st->reader->host->location(st->reader, st->processes[process].number, place_of(st, t),
                                             t->has_process && !t->has_thread ? "events of the process"
                                                                              : text_of(st, t->name, text),
                                             TCF_CPU_THREAD);
    if (t->has_process && !t->has_thread)
        st->processes[process].location = t->location;
    return t->location == TCF_NONE ? TCF_ERROR : TCF_OK;
}

/* Of several tracks of one thread the first one has its location. */
static tcf_status define_thread(perfetto_state *st, uint32_t index)
{
    track *t = &st->tracks[index];
    const uint32_t same = tcf_map_get(&st->track_ids, (uint64_t)t->pid, tcf_map_hash((uint64_t)t->tid, 1));

    if (same != TCF_MAP_ABSENT) {
        t->location = st->tracks[same].location;
        return TCF_OK;
    }
    if (make_location(st, t) != TCF_OK)
        return TCF_ERROR;
    return tcf_map_put(&st->track_ids, (uint64_t)t->pid, tcf_map_hash((uint64_t)t->tid, 1), index) == 0 ? TCF_OK
                                                                                                        : no_memory(st);
}

tcf_status tracks_define(perfetto_state *st)
{
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < st->n_tracks; i++)
        if (st->tracks[i].has_process && !st->tracks[i].has_thread &&
            process_find(st, st->tracks[i].pid, st->tracks[i].name) == TCF_NONE)
            return TCF_ERROR;
    for (uint32_t i = 0; i < st->n_tracks && status == TCF_OK; i++)
        if (st->tracks[i].has_thread)
            status = define_thread(st, i);
    return status;
}

/* A counter's values are events of the track above it. */
uint32_t track_location(perfetto_state *st, uint32_t index)
{
    for (int i = 0; i < DEEPEST; i++) {
        const track *t = &st->tracks[index];
        const uint32_t above =
            t->is_counter && t->has_parent ? tcf_map_get(&st->track_ids, t->parent, 0) : TCF_MAP_ABSENT;
        if (above == TCF_MAP_ABSENT)
            break;
        index = above;
    }
    track *t = &st->tracks[index];
    if (t->location == TCF_NONE && make_location(st, t) != TCF_OK)
        return TCF_NONE;
    return t->location;
}
