/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* otf2_write: what the anchor file says, global definitions expanded from the definition table, clock offsets by
 * libotf2.
 *
 * The raw records are written as they were read, in their order, with two exceptions: a location states the number of
 * events really written, and the clock properties state the span of time really written wherever a filter before this
 * one may have changed times or dropped events. Mapping tables are not written, since the events have global ids. */
#include "otf2_write.h"

#include <inttypes.h>
#include <string.h>
#include <tcflow/times.h>

/* Call sites, which libotf2 deprecates, are written where a trace has them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* -------------------------------------------------------------------------------------------------------- anchor -- */

static void set_properties(const tcf_self *self, const tcf_property *p, uint32_t n)
{
    OTF2_Archive *archive = ((struct state *)self->state)->archive;

    for (uint32_t i = 0; i < n; i++) {
        OTF2_ErrorCode code = OTF2_Archive_SetProperty(archive, p[i].name, p[i].value, true);
        if (code != OTF2_SUCCESS)
            self->host->log(self, TCF_LOG_WARNING, "the property '%s' of the archive is left out: %s", p[i].name,
                            OTF2_Error_GetDescription(code));
    }
}

tcf_status write_anchor(const tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    OTF2_Archive *archive = ((struct state *)self->state)->archive;

    if (defs->machine[0])
        OTF2_Archive_SetMachineName(archive, defs->machine);
    if (defs->creator[0])
        OTF2_Archive_SetCreator(archive, defs->creator);
    if (defs->description[0])
        OTF2_Archive_SetDescription(archive, defs->description);
    set_properties(self, defs->properties, defs->n_properties);
    return TCF_OK;
}

void write_new_properties(const tcf_self *self)
{
    uint32_t n;
    const tcf_property *set = self->host->properties(self, &n);
    set_properties(self, set, n);
}

/* ---------------------------------------------------------------------------------------------- the span of time -- */

/* The time that readers compute of a location's time by its clock offsets: linear between two measurements, and
 * extrapolated before the first and behind the last one. */
static uint64_t global_time(const tcf_location *location, uint64_t time)
{
    const tcf_clock_offset *o = location->clock_offsets;
    uint32_t n = location->n_clock_offsets, i = 0;

    if (n < 2)
        return n == 0 ? time : tcf_time_shifted(time, o[0].offset);
    while (i + 2 < n && time >= o[i + 1].time)
        i++;
    const int64_t rise = tcf_offset_difference(o[i + 1].offset, o[i].offset);
    double slope = o[i + 1].time == o[i].time ? 0 : (double)rise / (double)(o[i + 1].time - o[i].time);
    double correction = slope * (double)tcf_time_distance(o[i].time, time);
    return tcf_time_shifted(time, tcf_offset_sum(o[i].offset, tcf_offset_of(correction)));
}

/* Are the input's clock offsets written? Not where a filter in front has applied or voided them, because readers
 * would apply them again. */
static int writes_clock_offsets(const tcf_self *self)
{
    return ((const struct conf *)self->conf)->clock_offsets && !(self->changed & TCF_WRITES_CLOCK);
}

/* The first and last time of all written events; 0: no event was written. */
static int written_span(const tcf_self *self, uint64_t *first, uint64_t *last)
{
    int any = 0;

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        if (l->events == 0)
            continue;
        uint64_t from = l->first_time, to = l->last_time;
        if (writes_clock_offsets(self)) {
            from = global_time(tcf_location_at(self->defs, i), from);
            to = global_time(tcf_location_at(self->defs, i), to);
        }
        *first = any && *first < from ? *first : from;
        *last = any && *last > to ? *last : to;
        any = 1;
    }
    return any;
}

static tcf_def_clock_properties clock_properties(const tcf_self *self, const tcf_def_clock_properties *original)
{
    const struct state *state = self->state;
    tcf_def_clock_properties clock = *original;
    uint64_t first = 0, last = 0;

    if (!(self->changed & (TCF_WRITES_TIME | TCF_WRITES_EVENTS)) && writes_clock_offsets(self) && !state->partial)
        return clock;
    if (written_span(self, &first, &last)) {
        clock.global_offset = first;
        clock.trace_length = last - first;
    } else {
        clock.trace_length = 0;
    }
    return clock;
}

/* --------------------------------------------------------------------------------------------------- definitions -- */

#define RAW_VALUE_u8(v) v
#define RAW_VALUE_u32(v) v
#define RAW_VALUE_u64(v) v
#define RAW_VALUE_i64(v) v
#define RAW_VALUE_id8(v) v
#define RAW_VALUE_value(v) ((OTF2_AttributeValue){.uint64 = (v)})
#define RAW_ARRAY_u8(v) v
#define RAW_ARRAY_u32(v) v
#define RAW_ARRAY_u64(v) v
#define RAW_ARRAY_value(v) ((const OTF2_AttributeValue *)(v))
#define ARGUMENT(record, ctype, role, field) , RAW_VALUE_##ctype(d->as.record->field)
#define ARGUMENT_ARRAY(record, ctype, role, field) , RAW_ARRAY_##ctype(d->as.record->field)
#define ARGUMENT_TEXT(record, field) , d->as.record->field

static OTF2_ErrorCode write_definition(OTF2_GlobalDefWriter *writer, const tcf_definition *d)
{
    switch (d->kind) {
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME:                                                                                               \
        return OTF2_GlobalDefWriter_Write##Name(writer FIELDS);
        TCF_DEFINITION_TABLE(D, ARGUMENT, ARGUMENT_ARRAY, ARGUMENT_TEXT)
#undef D
    }
    return OTF2_ERROR_INVALID_DATA;
}

tcf_status write_global_definitions(const tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(((struct state *)self->state)->archive);
    OTF2_ErrorCode code = OTF2_SUCCESS;

    tcf_warn(
        self, defs->n_local_others,
        "definitions in the files of single locations are not written: events refer to the global ones, which are");
    if (writer == NULL)
        return written(self, OTF2_ERROR_FILE_CAN_NOT_OPEN, "a definition");
    for (uint64_t i = 0; i < defs->n_records && code == OTF2_SUCCESS; i++) {
        tcf_definition d = defs->records[i];
        tcf_def_location location;
        tcf_def_clock_properties clock;
        if (d.kind == TCF_DEF_LOCATION) {
            location = *d.as.def_location;
            const uint32_t index = self->host->find(self, TCF_REF_LOCATION, location.self);
            location.number_of_events = ((const struct location *)tcf_location_state(self, index))->events;
            d.as.def_location = &location;
        } else if (d.kind == TCF_DEF_CLOCK_PROPERTIES) {
            clock = clock_properties(self, d.as.def_clock_properties);
            d.as.def_clock_properties = &clock;
        }
        code = write_definition(writer, &d);
    }
    OTF2_ErrorCode close = OTF2_Archive_CloseGlobalDefWriter(((struct state *)self->state)->archive, writer);
    return written(self, code != OTF2_SUCCESS ? code : close, "a definition");
}

uint32_t n_clock_offsets(const tcf_self *self, uint32_t location)
{
    return writes_clock_offsets(self) ? tcf_location_at(self->defs, location)->n_clock_offsets : 0;
}

tcf_status library_local_definitions(const tcf_self *self)
{
    OTF2_Archive *archive = ((struct state *)self->state)->archive;
    tcf_status status = written(self, OTF2_Archive_OpenDefFiles(archive), "the folder of local definitions");

    for (uint32_t i = 0; i < self->defs->n_locations && status == TCF_OK; i++) {
        const tcf_location *location = tcf_location_at(self->defs, i);
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, location->id);
        OTF2_ErrorCode code = writer ? OTF2_SUCCESS : OTF2_ERROR_FILE_CAN_NOT_OPEN;
        for (uint32_t k = 0; code == OTF2_SUCCESS && k < n_clock_offsets(self, i); k++)
            code = OTF2_DefWriter_WriteClockOffset(writer, location->clock_offsets[k].time,
                                                   location->clock_offsets[k].offset,
                                                   location->clock_offsets[k].standard_deviation);
        OTF2_ErrorCode close = writer ? OTF2_Archive_CloseDefWriter(archive, writer) : OTF2_SUCCESS;
        status = written(self, code != OTF2_SUCCESS ? code : close, "the definition file of a location");
    }
    OTF2_Archive_CloseDefFiles(archive);
    return status;
}

/* A record must fit into a chunk; a member of a group takes up to 9 bytes. The chunk is as small as that allows,
 * because libotf2 clears it for each location's file. */
uint64_t definition_chunk(const tcf_definitions *defs)
{
    uint64_t bytes = OTF2_CHUNK_SIZE_MIN;

    for (uint64_t i = 0; i < defs->n_records; i++) {
        const tcf_definition *d = &defs->records[i];
        uint64_t needed = 0;
        if (d->kind == TCF_DEF_GROUP)
            needed = 9 * (uint64_t)d->as.def_group->number_of_members + 1024;
        else if (d->kind == TCF_DEF_STRING)
            needed = strlen(d->as.def_string->string) + 1024;
        if (needed > bytes)
            bytes = needed;
    }
    return bytes > OTF2_CHUNK_SIZE_MAX ? OTF2_CHUNK_SIZE_MAX : bytes;
}
