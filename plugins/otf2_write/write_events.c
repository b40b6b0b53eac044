/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The writer that uses libotf2, where `writer` asks for it, and snapshot records in any case; the calls are expanded
 * from the event table.
 *
 * Every location has a writer of libotf2 from its first slice to its end. References are mapped from indices back to
 * the archive's ids. Only an event with attributes takes an attribute list, so most events cost little more than the
 * call of libotf2. */
#include "otf2_write.h"

#include <private/snapshots.h>

#include <stdlib.h>

/* The OMP_ kinds, which libotf2 deprecates, are written where a trace has them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static OTF2_AttributeValue value_of(uint64_t bits)
{
    return (OTF2_AttributeValue){.uint64 = bits};
}

static __attribute__((noinline)) OTF2_AttributeList *attribute_list(const tcf_definitions *defs, struct location *l,
                                                                    const tcf_attributes *attributes)
{
    if (l->attributes == NULL)
        l->attributes = OTF2_AttributeList_New();
    if (l->attributes == NULL)
        return NULL;
    OTF2_AttributeList_RemoveAllAttributes(l->attributes);
    for (uint32_t i = 0; i < attributes->n; i++) {
        const tcf_attribute *a = &attributes->at[i];
        OTF2_AttributeList_AddAttribute(l->attributes,
                                        (OTF2_AttributeRef)tcf_id(defs, TCF_REF_ATTRIBUTE, a->attribute, UINT32_MAX),
                                        a->type, value_of(a->value));
    }
    return l->attributes;
}

/* -------------------------------------------------------------------------------------------------------- events -- */

/* Expands a record's fields to arguments. Only Metric and ProgramBegin have arrays. */
#define ARGUMENT(record, ctype, role, field)                                                                           \
    , (TCF_RAW_##ctype)archive_id(defs, ROLE_##role, (uint64_t)rec->record.field)
#define ARGUMENT_ARRAY(record, ctype, role, field) , ARRAY_##role(rec->record.field)
#define ARRAY_TYPE(offset) (const OTF2_Type *)tcf_at(s, offset)
#define ARRAY_METRIC_VALUE(offset) (const OTF2_MetricValue *)tcf_at(s, offset)
#define ARRAY_STRING(offset) strings
#define NO_ARGUMENT(record)

/* Maps the strings of a ProgramBegin to ids, in l->strings. 0: out of memory. */
static int find_strings(const tcf_definitions *defs, struct location *l, const uint32_t *index, uint32_t n)
{
    uint32_t *more = realloc(l->strings, ((size_t)n + 1) * sizeof *more);

    if (more == NULL)
        return 0;
    l->strings = more;
    for (uint32_t i = 0; i < n; i++)
        more[i] = (uint32_t)tcf_id(defs, TCF_REF_STRING, index[i], UINT32_MAX);
    return 1;
}

/* Prepares what only few events have: attributes, and the strings of a ProgramBegin. 0: out of memory. */
static __attribute__((noinline)) int prepare(const tcf_definitions *defs, struct location *l, const tcf_slice *s,
                                             uint32_t i, OTF2_AttributeList **list)
{
    const tcf_rec *rec = &s->rec[i];

    if (s->kind[i] == TCF_PROGRAM_BEGIN &&
        !find_strings(defs, l, tcf_at(s, rec->program_begin.program_arguments), rec->program_begin.number_of_arguments))
        return 0;
    if (s->attr[i] == 0)
        return 1;
    *list = attribute_list(defs, l, tcf_attributes_of(s, i));
    return *list != NULL;
}

/* hot */
static inline __attribute__((always_inline)) OTF2_ErrorCode
write_event(const tcf_definitions *defs, OTF2_EvtWriter *writer, OTF2_AttributeList *list, const tcf_slice *s,
            uint64_t time, uint8_t kind, const tcf_rec *rec, const uint32_t *strings)
{
    /* Most events are these two. A branch for each is predicted better than the jump table, which saves 1.4 ns an
     * event. */
    if (kind == TCF_ENTER)
        return OTF2_EvtWriter_Enter(writer, list, time, (uint32_t)archive_id(defs, ROLE_REGION, rec->enter.region));
    if (kind == TCF_LEAVE)
        return OTF2_EvtWriter_Leave(writer, list, time, (uint32_t)archive_id(defs, ROLE_REGION, rec->leave.region));
    switch (kind) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number:                                                                                                       \
        return OTF2_EvtWriter_##Name(writer, list, time FIELDS);
        TCF_EVENT_TABLE(E, ARGUMENT, ARGUMENT_ARRAY, NO_ARGUMENT)
#undef E
    default:
        return OTF2_ERROR_INVALID_DATA;
    }
}

static tcf_status write_events(const tcf_self *self, const tcf_slice *s)
{
    struct location *l = tcf_location_state(self, s->location);
    const tcf_definitions *defs = self->defs;
    OTF2_EvtWriter *writer = l->writer;
    const uint64_t *time = s->time;
    const uint8_t *kind = s->kind;
    const uint32_t *attr = s->attr;
    uint64_t last_time = l->last_time;

    for (uint32_t i = 0, n = s->n; i < n; i++) {
        OTF2_AttributeList *list = NULL;
        if (__builtin_expect(attr[i] != 0 || kind[i] == TCF_PROGRAM_BEGIN, 0) && !prepare(defs, l, s, i, &list))
            return self->host->fail(self, "out of memory for the attributes of an event");
        OTF2_ErrorCode code = write_event(defs, writer, list, s, time[i], kind[i], &s->rec[i], l->strings);
        if (__builtin_expect(code != OTF2_SUCCESS, 0))
            return event_not_written(self, s, i, last_time, time[i] < last_time ? NULL : broken(self, code));
        last_time = time[i];
    }
    l->last_time = last_time;
    l->events += s->n;
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- event files -- */

static tcf_status open_writer(const tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);

    l->writer = OTF2_Archive_GetEvtWriter(((const struct state *)self->state)->archive,
                                          tcf_location_at(self->defs, location)->id);
    return l->writer ? TCF_OK : no_event_file(self, location, "opened", OTF2_ERROR_FILE_CAN_NOT_OPEN);
}

static tcf_status close_writer(const tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);
    OTF2_ErrorCode code = OTF2_Archive_CloseEvtWriter(((const struct state *)self->state)->archive, l->writer);

    l->writer = NULL;
    OTF2_AttributeList_Delete(l->attributes);
    l->attributes = NULL;
    free(l->strings);
    l->strings = NULL;
    return code == OTF2_SUCCESS ? TCF_OK : no_event_file(self, location, "completed", code);
}

static tcf_status start(const tcf_self *self, uint64_t chunk)
{
    (void)self, (void)chunk; /* the archive has it */
    return TCF_OK;
}

static void stop(const tcf_self *self)
{
    (void)self;
}

const struct event_writer library_writer = {.name = "libotf2",
                                            .start = start,
                                            .open = open_writer,
                                            .write = write_events,
                                            .close = close_writer,
                                            .local_definitions = library_local_definitions,
                                            .stop = stop};

/* ----------------------------------------------------------------------------------------------------- snapshots -- */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

struct snapshots {
    tcf_self *self;
    OTF2_SnapWriter *writer;
    uint32_t starts;
};

static OTF2_ErrorCode write_snapshot_record(const tcf_definitions *defs, OTF2_SnapWriter *writer,
                                            OTF2_AttributeList *list, const tcf_snapshot_record *r)
{
    const tcf_slice *s = r->arena;
    const tcf_rec *rec = r->rec;

    if (r->kind == 0)
        return OTF2_SnapWriter_SnapshotStart(writer, list, r->snapshot_time, (uint64_t)rec->program_end.exit_status);
    if (r->kind == UINT8_MAX)
        return OTF2_SnapWriter_SnapshotEnd(writer, list, r->snapshot_time, (uint64_t)rec->program_end.exit_status);
    switch (r->kind) {
#define CASE_LEFT_OUT(...)
#define CASE_IS_KEPT(number, Name, ...)                                                                                \
    case number:                                                                                                       \
        return OTF2_SnapWriter_##Name(writer, list, r->snapshot_time, r->event_time, ##__VA_ARGS__);
#define ONE_OF(number, NAME, Name, ...) JOIN(CASE_, TCF_SNAPSHOT_IF(NAME))(number, Name, ##__VA_ARGS__)
#define E(number, NAME, Name, name, FIELDS) ONE_OF(number, NAME, Name FIELDS)
        TCF_EVENT_TABLE(E, ARGUMENT, ARGUMENT_ARRAY, NO_ARGUMENT)
#undef E
    default:
        return OTF2_ERROR_INVALID_DATA;
    }
}

static tcf_status each_snapshot_record(void *data, const tcf_snapshot_record *r)
{
    struct snapshots *to = data;
    tcf_self *self = to->self;
    struct state *state = self->state;
    struct location *l = tcf_location_state(self, r->location);

    if (is_changed(self)) {
        state->dropped += r->kind == 0;
        return TCF_OK;
    }
    if (to->writer == NULL)
        to->writer = OTF2_Archive_GetSnapWriter(state->archive, tcf_location_at(self->defs, r->location)->id);
    if (to->writer == NULL)
        return written(self, OTF2_ERROR_FILE_CAN_NOT_OPEN, "a snapshot");
    to->starts += r->kind == 0;
    OTF2_AttributeList *list = r->attributes ? attribute_list(self->defs, l, r->attributes) : NULL;
    return written(self, write_snapshot_record(self->defs, to->writer, list, r), "a snapshot");
}

tcf_status write_snapshots(tcf_self *self, uint32_t location)
{
    struct state *state = self->state;
    struct snapshots to = {.self = self};
    tcf_status status = self->host->snapshots(self, location, each_snapshot_record, &to);

    const OTF2_ErrorCode closed = to.writer ? OTF2_Archive_CloseSnapWriter(state->archive, to.writer) : OTF2_SUCCESS;
    if (status == TCF_OK)
        status = written(self, closed, "a snapshot");
    if (to.starts > state->snapshots)
        state->snapshots = to.starts;
    return status;
}
