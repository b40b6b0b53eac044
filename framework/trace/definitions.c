/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collects definitions and numbers their ids; see definitions.h.
 *
 * Records are kept as they came. Where an id is defined twice the first definition counts. All memory is taken from one
 * growing arena, which is freed as a whole. */
#include "definitions.h"
#include "framework/base/error.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 64 << 10 };

/* --------------------------------------------------------------------------------------------------------- arena -- */

struct memory {
    struct memory *next;
    size_t used, capacity;
    unsigned char bytes[] __attribute__((aligned(8)));
};

void *definitions_memory(definitions *d, size_t bytes)
{
    struct memory *m = d->memory;

    bytes = (bytes + 7) & ~(size_t)7;
    if (m == NULL || m->capacity - m->used < bytes) {
        size_t capacity = bytes > MEMORY_BYTES / 4 ? bytes : MEMORY_BYTES;
        struct memory *fresh = calloc(1, sizeof *fresh + capacity);
        if (fresh == NULL) {
            error_fail("out of memory for the definitions");
            return NULL;
        }
        fresh->capacity = capacity;
        if (m != NULL && capacity != MEMORY_BYTES) { /* a block of its own; the current one still has room */
            fresh->next = m->next;
            m->next = fresh;
        } else {
            fresh->next = m;
            d->memory = fresh;
        }
        m = fresh;
    }
    m->used += bytes;
    return m->bytes + m->used - bytes;
}

static const void *keep(definitions *d, const void *data, size_t bytes)
{
    void *copy = definitions_memory(d, bytes);
    if (copy != NULL && bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

const char *definitions_text(definitions *d, const char *text)
{
    return text ? keep(d, text, strlen(text) + 1) : keep(d, "", 1);
}

definitions *definitions_new(void)
{
    definitions *d = calloc(1, sizeof *d);

    if (d != NULL)
        d->dangling = calloc((size_t)DEFINITIONS_DANGLING_CAP * TCF_REF_KINDS, sizeof *d->dangling);
    if (d == NULL || d->dangling == NULL) {
        free(d);
        error_fail("out of memory for the definitions");
        return NULL;
    }
    d->v.stride = (tcf_strides)TCF_STRIDES;
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        d->v.ids[kind].dangling = d->dangling + (size_t)kind * DEFINITIONS_DANGLING_CAP;
    return d;
}

void definitions_delete(definitions *d)
{
    if (d == NULL)
        return;
    while (d->memory) {
        struct memory *next = d->memory->next;
        free(d->memory);
        d->memory = next;
    }
    map_free(&d->undefined);
    free(d->dangling);
    if (!d->is_share) {
        map_free(&d->sparse);
        free(d->records);
    }
    free(d);
}

definitions *definitions_share(const definitions *d)
{
    definitions *share = definitions_new();

    if (share == NULL)
        return NULL;
    uint64_t *dangling = share->dangling;
    *share = *d;
    share->is_share = 1;
    share->dangling = dangling;
    share->memory = NULL;
    share->undefined = (map){0};
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        tcf_ids *ids = &share->v.ids[kind];
        const uint64_t *id = ids->dangling;
        ids->dangling = dangling + (size_t)kind * DEFINITIONS_DANGLING_CAP;
        for (uint32_t i = 0; i < ids->n_dangling; i++) {
            dangling[(size_t)kind * DEFINITIONS_DANGLING_CAP + i] = id[i];
            if (map_put(&share->undefined, id[i], (uint64_t)kind, TCF_DANGLING | i) != 0) {
                definitions_delete(share);
                error_fail("out of memory for the definitions");
                return NULL;
            }
        }
    }
    return share;
}

uint32_t definitions_index_of_share(definitions *d, const definitions *part, tcf_ref_kind kind, uint32_t index)
{
    const tcf_ids *ids = &part->v.ids[kind];
    const uint32_t number = index & ~(uint32_t)TCF_DANGLING;

    return tcf_defined(index) || number >= ids->n_dangling ? index : definitions_index(d, kind, ids->dangling[number]);
}

/* ---------------------------------------------------------------------------------------------------- collecting -- */

/* A copy of a record. The field in front of a record's first array is the length of its arrays. */
static const void *keep_record(definitions *d, enum tcf_definition_kind kind, const void *record)
{
    uint64_t length = 0;

    switch (kind) {
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME: {                                                                                             \
        tcf_##name *copy = (tcf_##name *)keep(d, record, sizeof *copy);                                                \
        if (copy == NULL)                                                                                              \
            return NULL;                                                                                               \
        FIELDS(void) length;                                                                                           \
        return copy;                                                                                                   \
    }
#define F(record, ctype, role, field) length = (uint64_t)copy->field;
#define A(record, ctype, role, field)                                                                                  \
    if ((copy->field = keep(d, copy->field, length * sizeof *copy->field)) == NULL)                                    \
        return NULL;
#define S(record, field)                                                                                               \
    if ((copy->field = definitions_text(d, copy->field)) == NULL)                                                      \
        return NULL;
        TCF_DEFINITION_TABLE(D, F, A, S)
#undef D
#undef F
#undef A
#undef S
    }
    return NULL;
}

tcf_status definitions_add(definitions *d, enum tcf_definition_kind kind, const void *record)
{
    const void *copy = keep_record(d, kind, record);

    if (copy == NULL)
        return TCF_ERROR;
    if (TCF_GROW(&d->records, &d->records_capacity, d->v.n_records) != 0)
        return error_fail("out of memory for more than %llu definitions", (unsigned long long)d->v.n_records);
    d->v.records = d->records;
    d->records[d->v.n_records++] = (tcf_definition){.kind = kind, .as.any = copy};
    return TCF_OK;
}

tcf_status definitions_set_clock_offsets(definitions *d, uint32_t location, const tcf_clock_offset *offsets, uint32_t n)
{
    tcf_location *l = (tcf_location *)&d->v.locations[location];

    if (n == 0)
        return TCF_OK;
    l->clock_offsets = keep(d, offsets, n * sizeof *offsets);
    if (l->clock_offsets == NULL)
        return TCF_ERROR;
    l->n_clock_offsets = n;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- indices -- */

int definitions_defines(const tcf_definition *record, uint64_t *id)
{
    switch (record->kind) {
#define DEFINES(NAME, name, REF)                                                                                       \
    case TCF_DEF_##NAME:                                                                                               \
        *id = record->as.def_##name->self;                                                                             \
        return TCF_REF_##REF;
        DEFINES(STRING, string, STRING)
        DEFINES(ATTRIBUTE, attribute, ATTRIBUTE)
        DEFINES(SYSTEM_TREE_NODE, system_tree_node, SYSTEM_TREE_NODE)
        DEFINES(LOCATION_GROUP, location_group, LOCATION_GROUP)
        DEFINES(LOCATION, location, LOCATION)
        DEFINES(REGION, region, REGION)
        DEFINES(CALLSITE, callsite, CALLSITE)
        DEFINES(CALLPATH, callpath, CALLPATH)
        DEFINES(GROUP, group, GROUP)
        DEFINES(METRIC_MEMBER, metric_member, METRIC_MEMBER)
        DEFINES(METRIC_CLASS, metric_class, METRIC)
        DEFINES(METRIC_INSTANCE, metric_instance, METRIC)
        DEFINES(COMM, comm, COMM)
        DEFINES(INTER_COMM, inter_comm, COMM)
        DEFINES(PARAMETER, parameter, PARAMETER)
        DEFINES(RMA_WIN, rma_win, RMA_WIN)
        DEFINES(SOURCE_CODE_LOCATION, source_code_location, SOURCE_CODE_LOCATION)
        DEFINES(CALLING_CONTEXT, calling_context, CALLING_CONTEXT)
        DEFINES(INTERRUPT_GENERATOR, interrupt_generator, INTERRUPT_GENERATOR)
        DEFINES(IO_PARADIGM, io_paradigm, IO_PARADIGM)
        DEFINES(IO_REGULAR_FILE, io_regular_file, IO_FILE)
        DEFINES(IO_DIRECTORY, io_directory, IO_FILE)
        DEFINES(IO_HANDLE, io_handle, IO_HANDLE)
        DEFINES(CART_DIMENSION, cart_dimension, CART_DIMENSION)
        DEFINES(CART_TOPOLOGY, cart_topology, CART_TOPOLOGY)
#undef DEFINES
    default:
        return ROLE_PLAIN;
    }
}

static tcf_status gather(const definitions *d, definitions_defined kinds[TCF_REF_KINDS])
{
    uint64_t id;

    for (uint64_t r = 0; r < d->v.n_records; r++) {
        int kind = definitions_defines(&d->records[r], &id);
        if (kind >= 0)
            kinds[kind].n++;
    }
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        kinds[kind].id = calloc(kinds[kind].n + 1, sizeof *kinds[kind].id);
        kinds[kind].record = calloc(kinds[kind].n + 1, sizeof *kinds[kind].record);
        if (kinds[kind].id == NULL || kinds[kind].record == NULL)
            return error_fail("out of memory for the definitions");
        if (kinds[kind].n >= TCF_DANGLING)
            return error_fail("the archive has more than %u definitions of a %s", TCF_DANGLING,
                              record_ref_name((tcf_ref_kind)kind));
        kinds[kind].n = 0;
    }
    for (uint64_t r = 0; r < d->v.n_records; r++) {
        int kind = definitions_defines(&d->records[r], &id);
        if (kind < 0)
            continue;
        definitions_defined *k = &kinds[kind];
        k->id[k->n] = id;
        k->record[k->n++] = r;
        if (id > k->largest)
            k->largest = id;
    }
    return TCF_OK;
}

/* Numbers the ids of one kind; afterwards k holds the first definition of each id. */
static tcf_status number(definitions *d, tcf_ref_kind kind, definitions_defined *k)
{
    int dense = k->n > 0 && k->largest < 4 * k->n + 4096;
    uint32_t *table = NULL, n = 0;

    if (dense) {
        table = definitions_memory(d, (k->largest + 1) * sizeof *table);
        if (table == NULL)
            return TCF_ERROR;
        memset(table, 0xff, (k->largest + 1) * sizeof *table);
    }
    for (uint64_t i = 0; i < k->n; i++) {
        uint64_t id = k->id[i];
        if ((dense ? table[id] : map_get(&d->sparse, id, kind)) != DEFINITIONS_HOLE) {
            d->v.n_duplicate++;
            continue;
        }
        if (dense)
            table[id] = n;
        else if (map_put(&d->sparse, id, kind, n) != 0)
            return error_fail("out of memory for the definitions");
        k->id[n] = id;
        k->record[n++] = k->record[i];
    }
    k->n = n;
    d->dense[kind] = (dense_ids){table, dense ? k->largest + 1 : 0};
    d->v.ids[kind].n = n;
    d->v.ids[kind].id = keep(d, k->id, n * sizeof *k->id);
    return d->v.ids[kind].id ? TCF_OK : TCF_ERROR;
}

tcf_status definitions_number(definitions *d, definitions_defined kinds[TCF_REF_KINDS])
{
    tcf_status status = gather(d, kinds);

    for (int kind = 0; kind < TCF_REF_KINDS && status == TCF_OK; kind++)
        status = number(d, (tcf_ref_kind)kind, &kinds[kind]);
    return status;
}

uint32_t definitions_find_rest(const definitions *d, tcf_ref_kind kind, uint64_t id)
{
    return map_get(&d->sparse, id, kind); /* MAP_ABSENT is TCF_NONE */
}

uint32_t definitions_index_rest(definitions *d, tcf_ref_kind kind, uint64_t id)
{
    tcf_ids *ids = &d->v.ids[kind];

    if (id == record_undefined(kind))
        return TCF_NONE;
    uint32_t index = map_get(&d->sparse, id, kind);
    if (index == MAP_ABSENT)
        index = map_get(&d->undefined, id, kind);
    if (index != MAP_ABSENT)
        return index;
    index = TCF_DANGLING | ids->n_dangling;
    if (ids->n_dangling == DEFINITIONS_DANGLING_CAP || map_put(&d->undefined, id, kind, index) != 0) {
        d->overflow = 1 + (int)kind;
        return TCF_NONE;
    }
    d->dangling[(size_t)kind * DEFINITIONS_DANGLING_CAP + ids->n_dangling++] = id;
    return index;
}

tcf_status definitions_fail_overflow(const definitions *d)
{
    if (d->v.ids[d->overflow - 1].n_dangling < DEFINITIONS_DANGLING_CAP)
        return error_fail("out of memory for ids that no definition defines");
    return error_fail("the archive refers to more than %d ids that no definition of a %s defines",
                      DEFINITIONS_DANGLING_CAP, record_ref_name((tcf_ref_kind)(d->overflow - 1)));
}
