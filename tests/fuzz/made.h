/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Traces made of the bytes of a fuzzer, in memory: definitions as an archive has them, events as a reader delivers
 * them. Most bytes choose what makes sense (a region that is defined, a receive behind its send, a call that is left);
 * some choose what doesn't: ids that nothing defines or two records define, ranks beyond a communicator, times next
 * to 2^63 and 2^64 - 1, kinds in places where they can't be. Records are filled by the tables of events and
 * definitions, so a new kind is among them at once.
 *
 * made_new() reads the bytes once, up to the next call; made_source() is a source over what was made, as often as one
 * is wanted. */
#ifndef TCFLOW_TESTS_FUZZ_MADE_H
#define TCFLOW_TESTS_FUZZ_MADE_H

#include "framework/base/error.h"
#include "framework/trace/definitions.h"
#include "framework/trace/otf2_records.h"
#include "framework/trace/source.h"

#include <otf2/otf2.h>
#include <private/roles.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_LOCATIONS = 8, MADE_EVENTS = 512, MADE_EXTRA = 24, MADE_DEPTH = 16, MADE_LIST = 4 };

typedef struct made_event {
    uint64_t time;
    tcf_rec rec; /* lists: their first byte in `list` */
    uint64_t list[2 * MADE_LIST];
    uint8_t kind, n_attributes;
    tcf_attribute attribute[2];
} made_event;

typedef struct made_lane {
    uint16_t at[MADE_EVENTS]; /* of the events of all */
    uint32_t n;
    uint64_t time;
    uint32_t open[MADE_DEPTH];
    uint32_t depth;
} made_lane;

typedef struct made {
    definitions *defs;
    made_lane lane[MADE_LOCATIONS];
    made_event *events; /* of all locations */
    uint32_t n_events, ranks;
    /* the bytes that are left */
    const uint8_t *next, *end;
    int sparse; /* ids of locations are far apart */
} made;

/* --------------------------------------------------------------------------------------------------------- bytes -- */

static uint8_t made_byte(made *m)
{
    return m->next < m->end ? *m->next++ : 0;
}

static const uint64_t made_hostile[] = {
    UINT64_MAX,
    UINT64_MAX - 1,
    UINT64_C(1) << 63,
    (UINT64_C(1) << 63) - 1,
    UINT32_MAX,
    UINT32_MAX - 1ull,
    1u << 31,
    (1u << 31) - 1ull,
    UINT64_C(1) << 32,
    5000,
    255,
    256,
    UINT64_C(1) << 53,
    65536,
    8,
    16,
    0,
};

/* A small number most often. */
static uint64_t made_number(made *m)
{
    const uint8_t b = made_byte(m);
    return b < 224 ? b % 8 : made_hostile[b % (sizeof made_hostile / sizeof *made_hostile)];
}

static uint64_t made_step(made *m)
{
    const uint8_t b = made_byte(m);
    return b < 200 ? b % 16 : b < 248 ? (uint64_t)(b - 199) * 1000 : made_hostile[made_byte(m) % 16];
}

/* --------------------------------------------------------------------------------------------------- definitions -- */

static const char *const made_texts[] =
    {"",     "MPI_Init",     "MPI_Recv",    "main",          "a \"b\", <c>\n\x1b[1m\xff", "MPI_Waitall",
     "node", "MPI_Finalize", "MPI_Barrier", "MPI_COMM_WORLD"};
enum { MADE_TEXTS = sizeof made_texts / sizeof *made_texts };

static void made_define(made *m, enum tcf_definition_kind kind, const void *record)
{
    if (definitions_add(m->defs, kind, record) != TCF_OK)
        error_clear(); /* it is refused: a definition that no reader takes either */
}

static uint64_t made_location_id(const made *m, uint32_t i)
{
    return m->sparse ? (uint64_t)i << 40 | i : i;
}

static void made_group(made *m, uint32_t self, uint8_t type, uint8_t paradigm, uint32_t n, int ranks)
{
    uint64_t member[MADE_LOCATIONS];
    for (uint32_t i = 0; i < n; i++)
        member[i] = ranks ? i : made_location_id(m, i);
    const tcf_def_group g = {.self = self,
                             .group_type = type,
                             .paradigm = paradigm,
                             .number_of_members = n,
                             .members = member};
    made_define(m, TCF_DEF_GROUP, &g);
}

/* What a trace of an MPI program has: texts, regions of the same numbers, a process for each location or for two, the
 * world and its half, a window, metrics of one and of two members. */
static void made_usual(made *m, uint32_t n, int threads)
{
    const tcf_def_clock_properties clock = {.timer_resolution = m->sparse ? 1000000000 : 1000,
                                            .trace_length = 1,
                                            .realtime_timestamp = UINT64_MAX};
    made_define(m, TCF_DEF_CLOCK_PROPERTIES, &clock);
    for (uint32_t i = 0; i < MADE_TEXTS; i++)
        made_define(m, TCF_DEF_STRING, &(tcf_def_string){.self = i, .string = made_texts[i]});
    made_define(m, TCF_DEF_SYSTEM_TREE_NODE,
                &(tcf_def_system_tree_node){.name = 6, .class_name = 6, .parent = UINT32_MAX});
    for (uint32_t i = 0; i < n; i++) {
        if (i % (threads ? 2 : 1) == 0)
            made_define(m, TCF_DEF_LOCATION_GROUP,
                        &(tcf_def_location_group){.self = i,
                                                  .location_group_type = OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                  .creating_location_group = UINT32_MAX});
        made_define(m, TCF_DEF_LOCATION,
                    &(tcf_def_location){.self = made_location_id(m, i),
                                        .location_type = OTF2_LOCATION_TYPE_CPU_THREAD,
                                        .location_group = threads ? i / 2 * 2 : i});
    }
    for (uint32_t i = 0; i < MADE_TEXTS; i++)
        made_define(m, TCF_DEF_REGION,
                    &(tcf_def_region){.self = i,
                                      .name = i,
                                      .canonical_name = i,
                                      .region_role = i == 8 ? OTF2_REGION_ROLE_BARRIER : OTF2_REGION_ROLE_FUNCTION,
                                      .paradigm = i == 3 ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI});
    m->ranks = n;
    made_group(m, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, n, 0);
    made_group(m, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, n, 1);
    made_group(m, 2, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, (n + 1) / 2, 1);
    made_define(m, TCF_DEF_COMM, &(tcf_def_comm){.self = 0, .name = 9, .group = 1, .parent = UINT32_MAX});
    made_define(m, TCF_DEF_COMM, &(tcf_def_comm){.self = 1, .name = 4, .group = 2, .parent = 0});
    made_define(m, TCF_DEF_RMA_WIN, &(tcf_def_rma_win){.self = 0, .name = 4, .comm = 0});
    made_define(m, TCF_DEF_ATTRIBUTE, &(tcf_def_attribute){.self = 0, .name = 4, .type = OTF2_TYPE_UINT64});
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t members[] = {0, 1};
        made_define(m, TCF_DEF_METRIC_MEMBER,
                    &(tcf_def_metric_member){.self = i,
                                             .name = 4,
                                             .value_type = i ? OTF2_TYPE_DOUBLE : OTF2_TYPE_UINT64,
                                             .unit = 4});
        made_define(m, TCF_DEF_METRIC_CLASS,
                    &(tcf_def_metric_class){.self = i,
                                            .number_of_metrics = (uint8_t)(i + 1),
                                            .metric_members = members});
    }
}

/* A record of any kind. A list has as many members as the field in front of the first one says. */
static void made_any_definition(made *m)
{
    static uint64_t list[3][MADE_LIST];
    const uint8_t kind = (uint8_t)(1 + made_byte(m) % TCF_DEFINITION_KINDS);

    switch (kind) {
#define MADE_FIELD(record, ctype, role, field)                                                                         \
    r.field = (TCF_RAW_##ctype)made_number(m);                                                                         \
    count = (uint8_t *)&r.field;                                                                                       \
    bytes = sizeof r.field;
#define MADE_ARRAY(record, ctype, role, field)                                                                         \
    if (lists == 0) {                                                                                                  \
        n = made_byte(m) % (MADE_LIST + 1u);                                                                           \
        memset(count, 0, bytes);                                                                                       \
        memcpy(count, &(uint8_t){(uint8_t)n}, 1);                                                                      \
    }                                                                                                                  \
    for (uint32_t i = 0; i < n; i++)                                                                                   \
        ((TCF_RAW_##ctype *)list[lists])[i] = (TCF_RAW_##ctype)made_number(m);                                         \
    r.field = (TCF_RAW_##ctype *)list[lists++];
#define MADE_TEXT(record, field) r.field = made_texts[made_byte(m) % MADE_TEXTS];
#define MADE_RECORD(number, NAME, Name, name, FIELDS)                                                                  \
    case number: {                                                                                                     \
        tcf_##name r = {0};                                                                                            \
        uint8_t *count = NULL;                                                                                         \
        size_t bytes = 0;                                                                                              \
        uint32_t n = 0, lists = 0;                                                                                     \
        FIELDS(void) count, (void)bytes, (void)n, (void)lists;                                                         \
        made_define(m, kind, &r);                                                                                      \
        break;                                                                                                         \
    }
        TCF_DEFINITION_TABLE(MADE_RECORD, MADE_FIELD, MADE_ARRAY, MADE_TEXT)
#undef MADE_RECORD
#undef MADE_FIELD
#undef MADE_ARRAY
#undef MADE_TEXT
    default:
        break;
    }
}

/* -------------------------------------------------------------------------------------------------------- events -- */

static made_event *made_put(made *m, uint32_t location, uint8_t kind)
{
    made_lane *l = &m->lane[location];
    const uint64_t step = made_step(m);

    l->time = step > UINT64_MAX - l->time ? UINT64_MAX : l->time + step; /* readers refuse times that go back */
    made_event *e = &m->events[m->n_events];                             /* the last one is that of no location */
    memset(e, 0, sizeof *e);
    if (m->n_events == MADE_EVENTS)
        return e;
    l->at[l->n++] = (uint16_t)m->n_events++;
    e->time = l->time;
    e->kind = kind;
    return e;
}

static void made_any_event(made *m, uint32_t location)
{
    const uint8_t kind = (uint8_t)(1 + made_byte(m) % TCF_EVENT_KINDS);
    made_event *e = made_put(m, location, kind);

    switch (kind) {
#define MADE_FIELD(record, ctype, role, field)                                                                         \
    e->rec.record.field = (TCF_MEMORY_##ctype)(TCF_RAW_##ctype)made_number(m);                                         \
    count = (uint8_t *)&e->rec.record.field;                                                                           \
    bytes = sizeof e->rec.record.field;
#define MADE_ARRAY(record, ctype, role, field)                                                                         \
    if (lists == 0) {                                                                                                  \
        n = made_byte(m) % (MADE_LIST + 1u);                                                                           \
        memset(count, 0, bytes);                                                                                       \
        memcpy(count, &(uint8_t){(uint8_t)n}, 1);                                                                      \
    }                                                                                                                  \
    for (uint32_t i = 0; i < n; i++)                                                                                   \
        ((TCF_MEMORY_##ctype *)(e->list + lists * MADE_LIST))[i] =                                                     \
            (TCF_MEMORY_##ctype)(TCF_RAW_##ctype)made_number(m);                                                       \
    lists++;
#define MADE_NOTHING(record)
#define MADE_RECORD(number, NAME, Name, name, FIELDS)                                                                  \
    case number: {                                                                                                     \
        uint8_t *count = NULL;                                                                                         \
        size_t bytes = 0;                                                                                              \
        uint32_t n = 0, lists = 0;                                                                                     \
        FIELDS(void) count, (void)bytes, (void)n, (void)lists;                                                         \
        break;                                                                                                         \
    }
        TCF_EVENT_TABLE(MADE_RECORD, MADE_FIELD, MADE_ARRAY, MADE_NOTHING)
#undef MADE_RECORD
#undef MADE_FIELD
#undef MADE_ARRAY
#undef MADE_NOTHING
    default:
        break;
    }
}

static void made_enter(made *m, uint32_t location, uint32_t region)
{
    made_lane *l = &m->lane[location];

    made_put(m, location, TCF_ENTER)->rec.enter.region = region;
    if (l->depth < MADE_DEPTH)
        l->open[l->depth++] = region;
}

static void made_leave(made *m, uint32_t location)
{
    made_lane *l = &m->lane[location];
    made_put(m, location, TCF_LEAVE)->rec.leave.region = l->depth > 0 ? l->open[--l->depth] : 3;
}

static void made_message(made *m, uint32_t from, uint32_t to, int with_requests)
{
    const uint32_t tag = made_byte(m) % 4;
    const uint64_t bytes = made_number(m), request = m->n_events;

    made_enter(m, from, 3);
    if (with_requests)
        made_put(m, from, TCF_MPI_ISEND)->rec.mpi_isend = (tcf_ev_mpi_isend){.receiver = to,
                                                                             .communicator = 0,
                                                                             .msg_tag = tag,
                                                                             .msg_length = bytes,
                                                                             .request_id = request};
    else
        made_put(m, from, TCF_MPI_SEND)->rec.mpi_send =
            (tcf_ev_mpi_send){.receiver = to, .communicator = 0, .msg_tag = tag, .msg_length = bytes};
    made_leave(m, from);
    made_enter(m, to, with_requests ? 5 : 2);
    if (with_requests) {
        made_put(m, to, TCF_MPI_IRECV_REQUEST)->rec.mpi_irecv_request.request_id = request;
        made_put(m, to, TCF_MPI_IRECV)->rec.mpi_irecv = (tcf_ev_mpi_irecv){.sender = from,
                                                                           .communicator = 0,
                                                                           .msg_tag = tag,
                                                                           .msg_length = bytes,
                                                                           .request_id = request};
        made_put(m, from, TCF_MPI_ISEND_COMPLETE)->rec.mpi_isend_complete.request_id = request;
    } else {
        made_put(m, to, TCF_MPI_RECV)->rec.mpi_recv =
            (tcf_ev_mpi_recv){.sender = from, .communicator = 0, .msg_tag = tag, .msg_length = bytes};
    }
    made_leave(m, to);
}

static void made_collective(made *m)
{
    const uint8_t b = made_byte(m);
    const uint32_t comm = b & 1, root = (b >> 1) & 1 ? 0 : UINT32_MAX;
    const uint64_t sent = made_number(m);

    for (uint32_t i = 0; i < (comm ? (m->ranks + 1) / 2 : m->ranks); i++) {
        if (b >> 4 == i + 8) /* one that doesn't come */
            continue;
        made_enter(m, i, 8);
        made_put(m, i, TCF_MPI_COLLECTIVE_BEGIN);
        made_put(m, i, TCF_MPI_COLLECTIVE_END)->rec.mpi_collective_end =
            (tcf_ev_mpi_collective_end){.collective_op =
                                            (b >> 2) & 3 ? OTF2_COLLECTIVE_OP_ALLREDUCE : OTF2_COLLECTIVE_OP_BARRIER,
                                        .communicator = comm,
                                        .root = root,
                                        .size_sent = sent,
                                        .size_received = sent};
        made_leave(m, i);
    }
}

static void made_attributes(made *m, uint32_t location)
{
    made_lane *l = &m->lane[location];
    made_event *e = l->n > 0 ? &m->events[l->at[l->n - 1]] : NULL;
    const uint8_t b = made_byte(m);

    if (!e)
        return;
    e->n_attributes = (uint8_t)(b & 1 ? 1 : 2);
    for (uint8_t i = 0; i < e->n_attributes; i++) { /* each id once, as in a list of an archive */
        const uint8_t type = (uint8_t)(1 + b % 24);
        const OTF2_AttributeValue value = {.uint64 = made_number(m)};
        e->attribute[i] = (tcf_attribute){.value = otf2_value_bits(type, value), .attribute = i, .type = type};
    }
}

static void made_step_of_trace(made *m, uint32_t n)
{
    const uint8_t b = made_byte(m);
    const uint32_t location = (b >> 3) % n;

    switch (b % 8) {
    case 0:
        made_enter(m, location, made_byte(m) % MADE_TEXTS);
        break;
    case 1:
        made_leave(m, location);
        break;
    case 2:
    case 3:
        made_message(m, location, made_byte(m) % n, b % 8 == 3);
        break;
    case 4:
        made_collective(m);
        break;
    case 5:
        made_attributes(m, location);
        break;
    default:
        made_any_event(m, location);
    }
}

/* Ids of definitions become indices, as a reader makes them. */
static void made_resolve(made *m, made_event *e)
{
    switch (e->kind) {
#define MADE_FIELD(record, ctype, role, field)                                                                         \
    if (ROLE_##role >= 0)                                                                                              \
        e->rec.record.field =                                                                                          \
            (TCF_MEMORY_##ctype)definitions_index(m->defs, (tcf_ref_kind)(ROLE_##role < 0 ? 0 : ROLE_##role),          \
                                                  (uint32_t)e->rec.record.field);                                      \
    count = (uint8_t)e->rec.record.field;
#define MADE_ARRAY(record, ctype, role, field)                                                                         \
    for (uint8_t i = 0; ROLE_##role >= 0 && i < count; i++)                                                            \
        ((uint32_t *)(e->list + lists * MADE_LIST))[i] =                                                               \
            definitions_index(m->defs, (tcf_ref_kind)(ROLE_##role < 0 ? 0 : ROLE_##role),                              \
                              ((uint32_t *)(e->list + lists * MADE_LIST))[i]);                                         \
    lists++;
#define MADE_NOTHING(record)
#define MADE_RECORD(number, NAME, Name, name, FIELDS)                                                                  \
    case number: {                                                                                                     \
        uint8_t count = 0, lists = 0;                                                                                  \
        FIELDS(void) count, (void)lists;                                                                               \
        break;                                                                                                         \
    }
        TCF_EVENT_TABLE(MADE_RECORD, MADE_FIELD, MADE_ARRAY, MADE_NOTHING)
#undef MADE_RECORD
#undef MADE_FIELD
#undef MADE_ARRAY
#undef MADE_NOTHING
    default:
        break;
    }
    for (uint8_t i = 0; i < e->n_attributes; i++)
        e->attribute[i].attribute = definitions_index(m->defs, TCF_REF_ATTRIBUTE, e->attribute[i].attribute);
}

static void made_clock_offsets(made *m)
{
    for (uint32_t i = 0; i < m->defs->v.n_locations && i < MADE_LOCATIONS; i++) {
        const tcf_clock_offset at[2] = {{.time = made_number(m), .offset = (int64_t)made_number(m)},
                                        {.time = made_number(m) + 1000, .offset = (int64_t)made_number(m)}};
        if (definitions_set_clock_offsets(m->defs, i, at, 2) != TCF_OK)
            error_clear();
    }
}

static void made_delete(made *m)
{
    definitions_delete(m->defs);
    free(m);
}

/* NULL: the definitions make no trace. */
static made *made_new(const uint8_t *data, size_t size)
{
    static made_event events[MADE_EVENTS + 1];
    made *m = calloc(1, sizeof *m);

    if (!m || !(m->defs = definitions_new()))
        abort();
    m->events = events;
    m->next = data;
    m->end = data + size;
    const uint8_t options = made_byte(m), extra = made_byte(m);
    const uint32_t n = options % 6;
    m->sparse = options >> 7;
    made_usual(m, n, options & 64);
    for (uint32_t i = 0; i < extra % MADE_EXTRA; i++)
        made_any_definition(m);
    m->defs->v.archive = m->defs->v.machine = m->defs->v.creator = m->defs->v.description = made_texts[4];
    if (definitions_resolve(m->defs) != TCF_OK)
        goto refused;
    if (options & 32)
        made_clock_offsets(m);
    while (n > 0 && m->defs->v.n_locations >= n && m->next < m->end && m->n_events < MADE_EVENTS)
        made_step_of_trace(m, n);
    for (uint32_t i = 0; i < MADE_LOCATIONS; i++)
        for (uint32_t k = 0; k < m->lane[i].n; k++)
            made_resolve(m, &m->events[m->lane[i].at[k]]);
    for (uint32_t i = 0; i < m->defs->v.n_locations; i++) {
        tcf_location *l = (tcf_location *)&m->defs->v.locations[i]; /* the source's own memory */
        l->silent = i >= MADE_LOCATIONS || m->lane[i].n == 0;
        l->events = i < MADE_LOCATIONS ? m->lane[i].n : 0;
    }
    if (definitions_find_lead_threads(m->defs) == TCF_OK)
        return m;
refused:
    error_clear();
    made_delete(m);
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------- source -- */

typedef struct made_reader {
    source base;
    const made *m;
    uint32_t at[MADE_LOCATIONS];
    uint32_t most; /* events that one call delivers at most */
} made_reader;

static uint32_t made_arena(slice *s, const void *from, size_t bytes)
{
    const uint32_t at = bytes > 0 ? slice_arena(s, bytes) : 0;
    if (at > 0)
        memcpy(tcf_at(&s->v, at), from, bytes);
    return at;
}

static void made_append(slice *s, const made_event *e)
{
    const uint32_t i = s->v.n++;
    tcf_rec *r = &s->v.rec[i];

    s->v.time[i] = e->time;
    s->v.kind[i] = e->kind;
    *r = e->rec;
    s->v.attr[i] = 0;
    if (e->n_attributes > 0) {
        tcf_attributes *a;
        const uint32_t at = slice_arena(s, sizeof *a + e->n_attributes * sizeof a->at[0]);
        if (at == 0)
            abort();
        a = tcf_at(&s->v, at);
        *a = (tcf_attributes){.n = e->n_attributes};
        memcpy(a->at, e->attribute, e->n_attributes * sizeof a->at[0]);
        s->v.attr[i] = at;
    }
    if (e->kind == TCF_METRIC) {
        r->metric.type_ids = made_arena(s, e->list, e->rec.metric.number_of_metrics);
        r->metric.metric_values = made_arena(s, e->list + MADE_LIST, 8u * e->rec.metric.number_of_metrics);
    } else if (e->kind == TCF_PROGRAM_BEGIN) {
        r->program_begin.program_arguments = made_arena(s, e->list, 4u * e->rec.program_begin.number_of_arguments);
    }
}

static tcf_status made_read(source *src, uint32_t location, slice *s, uint32_t max, int *ended)
{
    made_reader *r = (made_reader *)src;

    *ended = location >= MADE_LOCATIONS;
    if (*ended)
        return TCF_OK;
    const made_lane *l = &r->m->lane[location];
    if (r->most > 0 && max > r->most)
        max = r->most;
    for (; r->at[location] < l->n && max > 0 && !slice_arena_full(s); max--)
        made_append(s, &r->m->events[l->at[r->at[location]++]]);
    *ended = r->at[location] == l->n;
    return TCF_OK;
}

static void made_close(source *src)
{
    free(src->losses);
    free(src);
}

static tcf_status made_rewind(source *src)
{
    memset(((made_reader *)src)->at, 0, sizeof((made_reader *)src)->at);
    return TCF_OK;
}

static source *made_source(const made *m, uint32_t most);

static source *made_share(const source *src)
{
    return made_source(((const made_reader *)src)->m, ((const made_reader *)src)->most);
}

static uint64_t made_bytes(const source *src, uint32_t location)
{
    return location < MADE_LOCATIONS ? ((const made_reader *)src)->m->lane[location].n : 0;
}

static source *made_source(const made *m, uint32_t most)
{
    static const source_ops ops = {.close = made_close,
                                   .read = made_read,
                                   .rewind = made_rewind,
                                   .share = made_share,
                                   .bytes = made_bytes};
    made_reader *r = calloc(1, sizeof *r);

    if (!r)
        abort();
    r->base.ops = &ops;
    r->base.definitions = &m->defs->v;
    r->m = m;
    r->most = most;
    return &r->base;
}

#endif
