/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* stream_write: writes what comes before the events (archive, definitions, clock offsets, what a survey has learned)
 * and after them (markers, thumbnails, totals). */
#include "stream_write.h"

#include <string.h>

enum { FRAME_BYTES = 256 << 10 }; /* about as many of definitions a frame */

static void pack_property(tcf_pack *p, const tcf_property *property)
{
    tcf_pack_text(p, property->name);
    tcf_pack_text(p, property->value);
}

static void pack_properties(tcf_pack *p, const tcf_property *properties, uint32_t n)
{
    tcf_pack_varint(p, n);
    for (uint32_t i = 0; i < n; i++)
        pack_property(p, &properties[i]);
}

static int is_among(const tcf_property *set, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(set[i].name, name) == 0)
            return 1;
    return 0;
}

/* Those that filters have set by now, and those of the archive that they leave as they are. */
static void write_properties(const tcf_self *self, tcf_pack *p)
{
    const tcf_definitions *defs = self->defs;
    uint32_t n, n_kept = 0;
    const tcf_property *set = self->host->properties(self, &n);

    for (uint32_t i = 0; i < defs->n_properties; i++)
        n_kept += !is_among(set, n, defs->properties[i].name);
    tcf_pack_varint(p, n + n_kept);
    for (uint32_t i = 0; i < n; i++)
        pack_property(p, &set[i]);
    for (uint32_t i = 0; i < defs->n_properties; i++)
        if (!is_among(set, n, defs->properties[i].name))
            pack_property(p, &defs->properties[i]);
}

static tcf_status write_archive(tcf_self *self)
{
    const struct conf *conf = self->conf;
    const struct state *state = self->state;
    const tcf_definitions *defs = self->defs;
    tcf_pack *p = frame_begin(self);

    tcf_pack_varint(p, (state->matches ? TCF_STREAM_EDGES : 0) |
                           (tcf_domains_host_of(self)->exchange_letters(self) ? TCF_STREAM_DEPENDS : 0));
    tcf_pack_varint(p, self->changed);
    tcf_pack_text(p, defs->archive);
    tcf_pack_text(p, defs->creator);
    tcf_pack_text(p, defs->description);
    tcf_pack_text(p, defs->machine);
    tcf_pack_bytes(p, defs->version, sizeof defs->version);
    tcf_pack_varint(p, defs->trace_id);
    tcf_pack_varint(p, defs->n_unknown);
    tcf_pack_varint(p, defs->n_local_others);
    write_properties(self, p);
    tcf_pack_varint(p, state->n_columns);
    for (uint32_t i = 0; i < state->n_columns; i++) {
        tcf_pack_text(p, conf->columns.item[i]);
        tcf_pack_varint(p, state->columns[i].bytes);
        tcf_pack_u8(p, state->columns[i].at_edges);
    }
    uint32_t inputs = 0;
    while (stream_host(self)->input(self, inputs))
        inputs++;
    tcf_pack_varint(p, inputs);
    for (uint32_t i = 0; i < inputs; i++)
        tcf_pack_text(p, stream_host(self)->input(self, i));
    return frame_end(self, TCF_FRAME_ARCHIVE);
}

/* --------------------------------------------------------------------------------------------------- definitions -- */

static void pack_definition(tcf_pack *p, const tcf_definition *d)
{
    uint64_t length = 0;

    tcf_pack_u8(p, (uint8_t)d->kind);
    switch (d->kind) {
#define FIELD(record, ctype, role, field)                                                                              \
    tcf_pack_varint(p, PACKED_##ctype(d->as.record->field));                                                           \
    length = (uint64_t)d->as.record->field;
#define FIELD_ARRAY(record, ctype, role, field)                                                                        \
    for (uint64_t i = 0; i < length; i++)                                                                              \
        tcf_pack_varint(p, PACKED_##ctype(d->as.record->field[i]));
#define FIELD_TEXT(record, field) tcf_pack_text(p, d->as.record->field);
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME:                                                                                               \
        FIELDS(void) length;                                                                                           \
        break;
        TCF_DEFINITION_TABLE(D, FIELD, FIELD_ARRAY, FIELD_TEXT)
#undef D
    }
}

static tcf_status write_records(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;

    for (uint64_t i = 0; i < defs->n_records;) {
        tcf_pack *p = frame_begin(self);
        for (; i < defs->n_records && p->n < FRAME_BYTES && !p->failed; i++)
            pack_definition(p, &defs->records[i]);
        if (frame_end(self, TCF_FRAME_DEFINITIONS) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static void pack_location(tcf_pack *p, const tcf_location *l, int left_out)
{
    tcf_pack_u8(p, (uint8_t)((l->silent ? TCF_STREAM_SILENT : 0) | (left_out ? TCF_STREAM_LEFT_OUT : 0)));
    tcf_pack_varint(p, l->n_clock_offsets);
    for (uint32_t k = 0; k < l->n_clock_offsets; k++) {
        tcf_pack_varint(p, l->clock_offsets[k].time);
        tcf_pack_varint(p, tcf_zigzag(l->clock_offsets[k].offset));
        uint64_t bits;
        memcpy(&bits, &l->clock_offsets[k].standard_deviation, sizeof bits);
        pack_values(p, &bits, 1);
    }
}

static tcf_status write_locations(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;

    for (uint32_t i = 0; i < defs->n_locations;) {
        tcf_pack *p = frame_begin(self);
        tcf_pack_varint(p, i);
        for (; i < defs->n_locations && p->n < FRAME_BYTES && !p->failed; i++)
            pack_location(p, tcf_location_at(defs, i),
                          !self->host->has(self, i) || stream_host(self)->altered(self, i) & TCF_ALTERED_ALL);
        if (frame_end(self, TCF_FRAME_LOCATIONS) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status write_learned(tcf_self *self)
{
    tcf_learned_table table;

    for (uint32_t i = 0; stream_host(self)->learned_table(self, i, &table); i++) {
        tcf_pack *p = frame_begin(self);
        tcf_pack_text(p, table.name);
        tcf_pack_varint(p, table.row_bytes);
        tcf_pack_varint(p, table.n);
        tcf_pack_bytes(p, table.rows, table.row_bytes * table.n);
        if (frame_end(self, TCF_FRAME_LEARNED) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* The locations that other streams have. */
static tcf_status end_others(tcf_self *self)
{
    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        if (!self->host->has(self, i) && write_location_end(self, i) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

tcf_status write_definitions(tcf_self *self)
{
    if (write_archive(self) != TCF_OK || write_records(self) != TCF_OK || write_locations(self) != TCF_OK ||
        write_learned(self) != TCF_OK)
        return TCF_ERROR;
    tcf_pack *p = frame_begin(self);
    tcf_pack_varint(p, self->defs->n_records);
    tcf_pack_varint(p, self->defs->n_locations);
    return frame_end(self, TCF_FRAME_READY) == TCF_OK ? end_others(self) : TCF_ERROR;
}

/* -------------------------------------------------------------------------------- snapshots, markers, thumbnails -- */

static tcf_status each_snapshot(void *data, const tcf_snapshot_record *r)
{
    tcf_self *self = data;
    tcf_pack *p = frame_begin(self);

    tcf_pack_varint(p, r->location);
    tcf_pack_u8(p, r->kind);
    tcf_pack_varint(p, r->snapshot_time);
    tcf_pack_varint(p, r->event_time);
    if (r->kind == 0 || r->kind == UINT8_MAX)
        tcf_pack_varint(p, tcf_zigzag(r->rec->program_end.exit_status));
    else
        pack_record(p, self->defs, r->kind, r->rec, r->arena);
    pack_attributes(p, self->defs, r->attributes);
    return frame_end(self, TCF_FRAME_SNAPSHOT);
}

tcf_status write_snapshots(tcf_self *self, uint32_t location)
{
    return self->host->snapshots(self, location, each_snapshot, self);
}

tcf_status write_location_end(tcf_self *self, uint32_t location)
{
    tcf_pack *p = frame_begin(self);

    tcf_pack_varint(p, location);
    tcf_pack_varint(p, ((const struct location *)tcf_location_state(self, location))->events);
    return frame_end(self, TCF_FRAME_LOCATION_END);
}

static tcf_status each_marker(void *data, const tcf_marker *m)
{
    tcf_self *self = data;
    tcf_pack *p = frame_begin(self);

    tcf_pack_u8(p, (uint8_t)(m->definition != 0));
    tcf_pack_varint(p, m->marker);
    if (m->definition) {
        tcf_pack_text(p, m->group);
        tcf_pack_text(p, m->category);
        tcf_pack_u8(p, m->severity);
    } else {
        tcf_pack_varint(p, m->time);
        tcf_pack_varint(p, m->duration);
        tcf_pack_u8(p, m->scope);
        tcf_pack_varint(p, m->scope_ref);
        tcf_pack_text(p, m->text);
    }
    return frame_end(self, TCF_FRAME_MARKER);
}

static tcf_status each_thumbnail(void *data, const tcf_thumbnail *t)
{
    tcf_self *self = data;
    tcf_pack *p = frame_begin(self);
    uint64_t cells = (uint64_t)t->n_samples * t->n_metrics;

    tcf_pack_text(p, t->name);
    tcf_pack_text(p, t->description);
    tcf_pack_u8(p, t->type);
    tcf_pack_varint(p, t->n_samples);
    tcf_pack_varint(p, t->n_metrics);
    for (uint32_t i = 0; i < t->n_metrics; i++)
        tcf_pack_varint(p, t->refs[i]);
    for (uint32_t i = 0; i < t->n_samples; i++)
        tcf_pack_varint(p, t->baseline[i]);
    for (uint64_t i = 0; i < cells; i++)
        tcf_pack_varint(p, t->samples[i]);
    return frame_end(self, TCF_FRAME_THUMBNAIL);
}

tcf_status write_markers_and_thumbnails(tcf_self *self)
{
    tcf_status status = self->host->markers(self, each_marker, self);
    return status == TCF_OK ? self->host->thumbnails(self, each_thumbnail, self) : status;
}

/* ----------------------------------------------------------------------------------------------------------- end -- */

/* What was lost of the stream's locations. */
static void pack_losses(tcf_self *self, tcf_pack *p)
{
    uint32_t n = 0;
    tcf_loss loss;

    for (uint32_t i = 0; stream_host(self)->loss(self, i, &loss); i++)
        n += self->host->has(self, loss.location) != 0;
    tcf_pack_varint(p, n);
    for (uint32_t i = 0; stream_host(self)->loss(self, i, &loss); i++) {
        if (!self->host->has(self, loss.location))
            continue;
        tcf_pack_varint(p, loss.location);
        tcf_pack_varint(p, loss.last_good);
        tcf_pack_text(p, loss.file);
        tcf_pack_text(p, loss.reason);
    }
}

/* Who reads one stream of several gets no events of the locations that the others have. */
static uint32_t changed(const tcf_self *self)
{
    return self->changed | (tcf_domains_host_of(self)->count(self) > 1 ? TCF_WRITES_EVENTS : 0);
}

tcf_status write_end(tcf_self *self)
{
    const struct state *state = self->state;
    tcf_pack *p = frame_begin(self);
    uint32_t n = 0;

    tcf_pack_varint(p, state->events);
    tcf_pack_varint(p, changed(self));
    tcf_pack_varint(p, stream_host(self)->unknown_events(self) - state->others.unknown);
    const tcf_property *properties = self->host->properties(self, &n);
    pack_properties(p, properties, n);
    pack_losses(self, p);
    return frame_end(self, TCF_FRAME_END);
}
