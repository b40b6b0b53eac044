/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The frames in front of a stream's events: archive, definitions, clock offsets, results of a survey. */
#include "framework/base/error.h"
#include "stream_internal.h"

enum { MOST_PROPERTIES = 1 << 20 };

/* ------------------------------------------------------------------------------------------------------- archive -- */

tcf_status stream_take_properties(definitions *d, tcf_cursor *c, const tcf_property **properties, uint32_t *n)
{
    uint64_t count = tcf_get_most(c, MOST_PROPERTIES);

    if (count > tcf_left(c))
        c->bad = 1;
    tcf_property *p = definitions_memory(d, c->bad ? 0 : count * sizeof *p);
    for (uint64_t i = 0; p && !c->bad && i < count; i++) {
        p[i].name = stream_keep_text(d, c);
        p[i].value = stream_keep_text(d, c);
        if (!c->bad && (!p[i].name || !p[i].value))
            return TCF_ERROR;
    }
    *properties = p;
    *n = c->bad ? 0 : (uint32_t)count;
    return p ? TCF_OK : TCF_ERROR;
}

static tcf_status take_columns(stream_source *src, tcf_cursor *c)
{
    uint64_t n = tcf_get_most(c, SLICE_MAX_COLUMNS);

    for (uint64_t i = 0; i < n && !c->bad; i++) {
        const char *name = stream_keep_text(src->defs, c);
        if (!name && !c->bad)
            return TCF_ERROR;
        uint32_t bytes = (uint32_t)tcf_get_most(c, 1024);
        src->columns[i] = (stream_column){.name = name, .bytes = bytes, .at_edges = tcf_get_u8(c) != 0};
        c->bad |= bytes == 0;
    }
    src->n_columns = c->bad ? 0 : (uint32_t)n;
    return TCF_OK;
}

static tcf_status take_inputs(stream_source *src, tcf_cursor *c)
{
    for (uint64_t n = c->bad || tcf_left(c) == 0 ? 0 : tcf_get_varint(c); n > 0 && !c->bad; n--) {
        const char *path = stream_keep_text(src->defs, c);
        if (!c->bad && (!path || source_add_input(&src->base, src->defs, path) != TCF_OK))
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status take_archive(stream_source *src, frame *f, tcf_cursor *c)
{
    definitions *d = src->defs;

    if (d->v.archive)
        return stream_bad(src, f, "a second archive frame");
    uint64_t flags = tcf_get_varint(c);
    src->has_edges = (flags & TCF_STREAM_EDGES) != 0;
    src->yields = src->depends = (flags & TCF_STREAM_DEPENDS) != 0;
    src->base.facts.changed = (uint32_t)tcf_get_most(c, UINT32_MAX);
    d->v.archive = stream_keep_text(d, c);
    d->v.creator = stream_keep_text(d, c);
    d->v.description = stream_keep_text(d, c);
    d->v.machine = stream_keep_text(d, c);
    if (!c->bad && !(d->v.archive && d->v.creator && d->v.description && d->v.machine))
        return TCF_ERROR;
    for (int i = 0; i < 3; i++)
        d->v.version[i] = tcf_get_u8(c);
    d->v.trace_id = tcf_get_varint(c);
    d->v.n_unknown = tcf_get_varint(c);
    d->v.n_local_others = tcf_get_varint(c);
    if (stream_take_properties(d, c, &d->v.properties, &d->v.n_properties) != TCF_OK)
        return TCF_ERROR;
    return take_columns(src, c) == TCF_OK ? take_inputs(src, c) : TCF_ERROR;
}

/* --------------------------------------------------------------------------------------------------- definitions -- */

/* Checks a length: each element takes at least a byte. */
static uint64_t possible(tcf_cursor *c, uint64_t length)
{
    if (length <= tcf_left(c))
        return length;
    c->bad = 1;
    return 0;
}

#define GET_u8(c) (uint8_t) tcf_get_most(c, UINT8_MAX)
#define GET_u32(c) (uint32_t) tcf_get_most(c, UINT32_MAX)
#define GET_u64(c) tcf_get_varint(c)
#define GET_id8(c) (uint8_t) tcf_get_most(c, UINT8_MAX)
#define GET_i64(c) tcf_unzigzag(tcf_get_varint(c))
#define GET_value(c) tcf_get_varint(c)

static tcf_status take_record(definitions *d, tcf_cursor *c, stream_scratch *m)
{
    uint8_t kind = tcf_get_u8(c);
    uint64_t length = 0;

    m->used = 0;
    switch (kind) {
#define FIELD(record_, ctype, role, field)                                                                             \
    record.field = GET_##ctype(c);                                                                                     \
    length = (uint64_t)record.field;
#define FIELD_ARRAY(record_, ctype, role, field)                                                                       \
    {                                                                                                                  \
        length = possible(c, length);                                                                                  \
        TCF_RAW_##ctype *array = stream_scratch_room(m, length * sizeof *array);                                       \
        for (uint64_t i = 0; i < length; i++)                                                                          \
            array[i] = GET_##ctype(c);                                                                                 \
        record.field = array;                                                                                          \
    }
#define FIELD_TEXT(record_, field) record.field = stream_scratch_text(c, m);
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case number: {                                                                                                     \
        tcf_##name record;                                                                                             \
        memset(&record, 0, sizeof record);                                                                             \
        FIELDS(void) length;                                                                                           \
        return c->bad ? TCF_OK : definitions_add(d, TCF_DEF_##NAME, &record);                                          \
    }
        TCF_DEFINITION_TABLE(D, FIELD, FIELD_ARRAY, FIELD_TEXT)
#undef D
    default:
        c->bad = 1;
        return TCF_OK;
    }
}

static tcf_status take_records(stream_source *src, const frame *f, tcf_cursor *c)
{
    /* Besides the elements, a record's few arrays and texts need bytes for alignment and the end of a text. */
    stream_scratch m = {.at = malloc(f->n * sizeof(uint64_t) + 256)};
    tcf_status status = m.at ? TCF_OK : error_fail("out of memory for the definitions");

    while (status == TCF_OK && !c->bad && tcf_left(c) > 0)
        status = take_record(src->defs, c, &m);
    free(m.at);
    return status;
}

/* -------------------------------------------------------------------------------------------- locations, learned -- */

static double get_double(tcf_cursor *c)
{
    const uint8_t *bytes = tcf_get_bytes(c, sizeof(double));
    uint64_t bits = bytes ? tcf_get_u64(bytes) : 0;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The first frame with locations follows the last definition record. */
static tcf_status resolve(stream_source *src)
{
    if (src->locations)
        return TCF_OK;
    if (definitions_resolve(src->defs) != TCF_OK)
        return TCF_ERROR;
    src->locations = calloc(src->defs->v.n_locations + 1u, sizeof *src->locations);
    src->snapshots = calloc(src->defs->v.n_locations + 1u, sizeof *src->snapshots);
    src->base.facts.altered = src->altered = calloc(src->defs->v.n_locations + 1u, 1);
    return src->locations && src->snapshots && src->altered
               ? TCF_OK
               : error_fail("out of memory for %u locations", src->defs->v.n_locations);
}

static tcf_status take_location(stream_source *src, tcf_cursor *c, uint32_t location)
{
    tcf_location *l = (tcf_location *)&src->defs->v.locations[location]; /* the source's own memory */

    uint8_t flags = tcf_get_u8(c);
    l->silent = flags & TCF_STREAM_SILENT;
    src->altered[location] |= flags & TCF_STREAM_LEFT_OUT ? TCF_ALTERED_ALL : 0;
    uint64_t n = tcf_get_varint(c);
    if (n > tcf_left(c) / (2 + sizeof(double)) || l->n_clock_offsets > 0)
        c->bad = n > 0;
    if (c->bad || n == 0)
        return TCF_OK;
    tcf_clock_offset *offsets = malloc(n * sizeof *offsets);
    if (!offsets)
        return error_fail("out of memory for clock offsets");
    for (uint64_t i = 0; i < n; i++) {
        offsets[i].time = tcf_get_varint(c);
        offsets[i].offset = tcf_unzigzag(tcf_get_varint(c));
        offsets[i].standard_deviation = get_double(c);
    }
    tcf_status status = c->bad ? TCF_OK : definitions_set_clock_offsets(src->defs, location, offsets, (uint32_t)n);
    free(offsets);
    return status;
}

static tcf_status take_locations(stream_source *src, tcf_cursor *c)
{
    if (resolve(src) != TCF_OK)
        return TCF_ERROR;
    uint64_t first = tcf_get_varint(c);

    for (; tcf_left(c) > 0 && !c->bad; first++) {
        if (first >= src->defs->v.n_locations)
            c->bad = 1;
        else if (take_location(src, c, (uint32_t)first) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status take_learned(stream_source *src, tcf_cursor *c)
{
    const char *name = stream_keep_text(src->defs, c);
    uint64_t row_bytes = tcf_get_most(c, 1 << 20), n = tcf_get_varint(c);

    if (row_bytes == 0 || n > tcf_left(c) / row_bytes)
        c->bad = 1;
    if (src->input.other_order && !c->bad)
        return error_fail(
            "%s was written on a machine with another byte order, so the results of its survey cannot be read "
            "here: run the filters that need them there",
            src->input.name);
    const uint8_t *rows = c->bad ? NULL : tcf_get_bytes(c, row_bytes * n);
    if (!rows)
        return c->bad ? TCF_OK : TCF_ERROR;
    void *copy = definitions_memory(src->defs, row_bytes * n);
    tcf_learned_table *tables = (tcf_learned_table *)src->base.facts.learned;
    tables = realloc(tables, (src->base.facts.n_learned + 1u) * sizeof *tables);
    if (tables)
        src->base.facts.learned = tables;
    if (!name || !copy || !tables)
        return error_fail("out of memory for the results of a survey");
    if (n > 0)
        memcpy(copy, rows, row_bytes * n);
    tables[src->base.facts.n_learned++] =
        (tcf_learned_table){.name = name, .rows = copy, .row_bytes = row_bytes, .n = n};
    return TCF_OK;
}

static tcf_status take_ready(stream_source *src, const frame *f, tcf_cursor *c)
{
    if (resolve(src) != TCF_OK)
        return TCF_ERROR;
    uint64_t records = tcf_get_varint(c), locations = tcf_get_varint(c);
    if (records != src->defs->v.n_records || locations != src->defs->v.n_locations)
        return stream_bad(src, f, "another number of definitions than came before it");
    return definitions_find_lead_threads(src->defs);
}

tcf_status stream_take_definition(stream_source *src, frame *f)
{
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};
    tcf_status status;

    if (!src->defs->v.archive && f->type != TCF_FRAME_ARCHIVE)
        return stream_bad(src, f, "no archive frame in the beginning");
    switch (f->type) {
    case TCF_FRAME_ARCHIVE:
        status = take_archive(src, f, &c);
        break;
    case TCF_FRAME_DEFINITIONS:
        if (src->locations)
            return stream_bad(src, f, "definitions behind the locations");
        status = take_records(src, f, &c);
        break;
    case TCF_FRAME_LOCATIONS:
        status = take_locations(src, &c);
        break;
    case TCF_FRAME_LEARNED:
        status = take_learned(src, &c);
        break;
    case TCF_FRAME_READY:
        status = take_ready(src, f, &c);
        break;
    default:
        return stream_bad(src, f, "events in front of the definitions");
    }
    return status == TCF_OK ? stream_whole(src, f, &c) : TCF_ERROR;
}
