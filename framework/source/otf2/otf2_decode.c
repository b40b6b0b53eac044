/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Stores events from libotf2 in the columns of a slice.
 *
 * This is the hottest code of reading: one callback for each event kind, expanded from the event table, which stores
 * straight into the columns. Attribute lists and the arrays of a record go to the slice's arena. A callback interrupts
 * libotf2 when the arena is nearly full, so that the slice ends after that event. */
#include "framework/trace/otf2_records.h"
#include "otf2_internal.h"

#include <private/snapshots.h>

#include <string.h>

static inline uint64_t decoded(decoder *d, int role, uint64_t raw)
{
    return role == ROLE_PLAIN ? raw : definitions_index(d->defs, (tcf_ref_kind)role, raw);
}

static OTF2_CallbackCode arena_state(decoder *d)
{
    return d->out_of_memory || slice_arena_full(d->s) ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static uint32_t arena(decoder *d, size_t bytes)
{
    uint32_t offset = slice_arena(d->s, bytes);
    if (offset == 0)
        d->out_of_memory = 1;
    return offset;
}

/* The only place that depends on libotf2's private layout: its attribute lists happen to start with their length. To
 * ask libotf2 for it costs as much as the rest of a callback. otf2_lists_start_with_length() checks the layout when an
 * archive is opened; where it differs, libotf2 is asked. */
static inline uint32_t private_length(const OTF2_AttributeList *list)
{
    uint32_t length;
    memcpy(&length, list, sizeof length);
    return length;
}

static inline int may_have_attributes(const decoder *d, const OTF2_AttributeList *list)
{
    return !d->length_first || private_length(list) != 0;
}

static int has_length(const OTF2_AttributeList *list, uint32_t length)
{
    return private_length(list) == length && OTF2_AttributeList_GetNumberOfElements(list) == length;
}

int otf2_lists_start_with_length(void)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    int good = list != NULL && has_length(list, 0);

    for (uint32_t attribute = 0; good && attribute < 3; attribute++) {
        OTF2_AttributeList_AddUint64(list, attribute, UINT64_MAX);
        good = has_length(list, attribute + 1);
    }
    if (good)
        OTF2_AttributeList_RemoveAttribute(list, 1);
    good = good && has_length(list, 2);
    if (good)
        OTF2_AttributeList_RemoveAllAttributes(list);
    good = good && has_length(list, 0);
    if (list != NULL)
        OTF2_AttributeList_Delete(list);
    return good;
}

static __attribute__((noinline)) OTF2_CallbackCode decode_attributes(decoder *d, uint32_t i, OTF2_AttributeList *list)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    if (n == 0)
        return OTF2_CALLBACK_SUCCESS;

    uint32_t offset = arena(d, sizeof(tcf_attributes) + n * sizeof(tcf_attribute));

    if (offset == 0)
        return OTF2_CALLBACK_INTERRUPT;
    tcf_attributes *attributes = tcf_at(&d->s->v, offset);
    attributes->n = n;
    attributes->reserved = 0;
    for (uint32_t k = 0; k < n; k++) {
        OTF2_AttributeRef attribute = 0;
        OTF2_Type type = 0;
        OTF2_AttributeValue value = {.uint64 = 0};
        OTF2_AttributeList_PopAttribute(list, &attribute, &type, &value);
        memset(&attributes->at[k], 0, sizeof attributes->at[k]);
        attributes->at[k].value = otf2_value_bits(type, value);
        attributes->at[k].attribute = definitions_index(d->defs, TCF_REF_ATTRIBUTE, attribute);
        attributes->at[k].type = type;
    }
    d->attr[i] = offset;
    return arena_state(d);
}

/* Copies the n bytes of a record's array to the arena. */
static __attribute__((noinline)) uint32_t decode_bytes(decoder *d, const void *from, uint64_t n)
{
    uint32_t offset = n ? arena(d, n) : 0;
    if (offset)
        memcpy(tcf_at(&d->s->v, offset), from, n);
    return offset;
}

static __attribute__((noinline)) uint32_t decode_strings(decoder *d, const uint32_t *from, uint64_t n)
{
    uint32_t offset = n ? arena(d, n * sizeof *from) : 0;
    uint32_t *to = tcf_at(&d->s->v, offset);

    for (uint64_t i = 0; offset && i < n; i++)
        to[i] = definitions_index(d->defs, TCF_REF_STRING, from[i]);
    return offset;
}

#define ARRAY_TYPE_TYPE OTF2_Type
#define ARRAY_TYPE_METRIC_VALUE OTF2_MetricValue
#define ARRAY_TYPE_STRING OTF2_StringRef
#define ARRAY_COPY_TYPE(d, from, n) decode_bytes(d, from, n)
#define ARRAY_COPY_METRIC_VALUE(d, from, n) decode_bytes(d, from, (n) * sizeof *(from))
#define ARRAY_COPY_STRING(d, from, n) decode_strings(d, from, n)

#define PARAMETER(shape, ctype, role, field) PARAMETER_##shape(ctype, role, field)
#define PARAMETER_PLAIN(ctype, role, field) , OTF2_CTYPE_##ctype field
#define PARAMETER_ARRAY(ctype, role, field) , const ARRAY_TYPE_##role *field

#define STORE(shape, ctype, role, field) STORE_##shape(ctype, role, field)
#define STORE_PLAIN(ctype, role, field)                                                                                \
    rec->field = (TCF_MEMORY_##ctype)decoded(d, ROLE_##role, (uint64_t)field);                                         \
    length = (uint64_t)field;
#define STORE_ARRAY(ctype, role, field)                                                                                \
    rec->field = ARRAY_COPY_##role(d, field, length);                                                                  \
    arrays = 1;

#define EVENT(NAME, Name, name, ...)                                                                                   \
    static OTF2_CallbackCode on_##name(OTF2_LocationRef location_id, OTF2_TimeStamp event_time, uint64_t event_number, \
                                       void *data, OTF2_AttributeList *attribute_list EACH(PARAMETER, ##__VA_ARGS__))  \
    {                                                                                                                  \
        decoder *d = data;                                                                                             \
        uint32_t i = d->n++;                                                                                           \
        tcf_ev_##name *rec = &d->rec[i].name;                                                                          \
        uint64_t length = 0;                                                                                           \
        int arrays = 0;                                                                                                \
        (void)location_id, (void)event_number, (void)rec;                                                              \
        d->time[i] = event_time;                                                                                       \
        d->kind[i] = TCF_##NAME;                                                                                       \
        d->attr[i] = 0;                                                                                                \
        EACH(STORE, ##__VA_ARGS__)                                                                                     \
        (void)length;                                                                                                  \
        if (__builtin_expect(may_have_attributes(d, attribute_list), 0))                                               \
            return decode_attributes(d, i, attribute_list);                                                            \
        return arrays ? arena_state(d) : OTF2_CALLBACK_SUCCESS;                                                        \
    }
#define E(number, NAME, Name, name, FIELDS) EVENT(NAME, Name, name FIELDS)
TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                    OTF2_AttributeList *attributes)
{
    decoder *d = data;

    (void)location, (void)time, (void)position, (void)attributes;
    d->unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

/* Callbacks for the enters and leaves of some regions. */
static inline int is_wanted(const decoder *d, OTF2_RegionRef region)
{
    uint32_t index = definitions_find(d->defs, TCF_REF_REGION, region);
    return index < d->n_regions && d->regions[index];
}

static OTF2_CallbackCode on_some_enters(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                        OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    return is_wanted(data, region) ? on_enter(location, time, position, data, attributes, region)
                                   : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_some_leaves(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,
                                        OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    return is_wanted(data, region) ? on_leave(location, time, position, data, attributes, region)
                                   : OTF2_CALLBACK_SUCCESS;
}

/* Callbacks for kinds that aren't wanted. libotf2 turns some records into ones of another kind where their own has no
 * callback (CallingContextEnter into Enter, OmpFork into ThreadFork, and the like). */
#define UNUSED_PARAMETER(shape, ctype, role, field) (void)field;
#define DROPPED(Name, name, ...)                                                                                       \
    static OTF2_CallbackCode on_unwanted_##name(OTF2_LocationRef location_id, OTF2_TimeStamp event_time,               \
                                                uint64_t event_number, void *data,                                     \
                                                OTF2_AttributeList *attribute_list EACH(PARAMETER, ##__VA_ARGS__))     \
    {                                                                                                                  \
        (void)location_id, (void)event_time, (void)event_number, (void)data, (void)attribute_list;                     \
        EACH(UNUSED_PARAMETER, ##__VA_ARGS__)                                                                          \
        return OTF2_CALLBACK_SUCCESS;                                                                                  \
    }
#define E(number, NAME, Name, name, FIELDS) DROPPED(Name, name FIELDS)
TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E

OTF2_EvtReaderCallbacks *otf2_event_callbacks(const source_wanted *wanted)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

    if (callbacks == NULL)
        return NULL;
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks,                                                             \
                                                !wanted || wanted->kinds[number] ? on_##name : on_unwanted_##name);
    TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E
    if (wanted && wanted->regions && wanted->kinds[TCF_ENTER])
        OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_some_enters);
    if (wanted && wanted->regions && wanted->kinds[TCF_LEAVE])
        OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_some_leaves);
    return callbacks;
}

/* ----------------------------------------------------------------------------------------------------- snapshots -- */

static OTF2_CallbackCode deliver(snapshot_reader *r, tcf_snapshot_record *record)
{
    r->status = r->each(r->data, record);
    return r->status == TCF_OK ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static void snapshot_begin(snapshot_reader *r)
{
    r->arena->block->arena_used = 8;
    r->arena->v.n = 0;
    decoder_begin(&r->decoder, r->arena);
}

static OTF2_CallbackCode deliver_event(snapshot_reader *r, OTF2_TimeStamp snapshot_time)
{
    tcf_snapshot_record record = {.location = r->location,
                                  .kind = r->decoder.kind[0],
                                  .snapshot_time = snapshot_time,
                                  .event_time = r->decoder.time[0],
                                  .rec = &r->decoder.rec[0],
                                  .attributes = tcf_attributes_of(&r->arena->v, 0),
                                  .arena = &r->arena->v};
    if (r->decoder.out_of_memory)
        return OTF2_CALLBACK_ERROR;
    return deliver(r, &record);
}

/* Start and end of a snapshot: the number goes into program_end.exit_status. */
static OTF2_CallbackCode deliver_mark(snapshot_reader *r, uint8_t kind, OTF2_TimeStamp snapshot_time, uint64_t number,
                                      OTF2_AttributeList *attribute_list)
{
    snapshot_begin(r);
    on_program_end(0, snapshot_time, 0, &r->decoder, attribute_list, (int64_t)number);
    r->decoder.kind[0] = kind;
    return deliver_event(r, snapshot_time);
}

static OTF2_CallbackCode on_snapshot_start(OTF2_LocationRef location, OTF2_TimeStamp snapshot_time, void *data,
                                           OTF2_AttributeList *attribute_list, uint64_t records)
{
    (void)location;
    return deliver_mark(data, 0, snapshot_time, records, attribute_list);
}

static OTF2_CallbackCode on_snapshot_end(OTF2_LocationRef location, OTF2_TimeStamp snapshot_time, void *data,
                                         OTF2_AttributeList *attribute_list, uint64_t position)
{
    (void)location;
    return deliver_mark(data, UINT8_MAX, snapshot_time, position, attribute_list);
}

#define ARGUMENT(shape, ctype, role, field) , field
#define CALLBACK_LEFT_OUT(...)
#define CALLBACK_IS_KEPT(NAME, Name, name, ...)                                                                        \
    static OTF2_CallbackCode on_snapshot_##name(OTF2_LocationRef location_id, OTF2_TimeStamp snapshot_time,            \
                                                void *data, OTF2_AttributeList *attribute_list,                        \
                                                OTF2_TimeStamp event_time EACH(PARAMETER, ##__VA_ARGS__))              \
    {                                                                                                                  \
        snapshot_reader *r = data;                                                                                     \
        snapshot_begin(r);                                                                                             \
        on_##name(location_id, event_time, 0, &r->decoder, attribute_list EACH(ARGUMENT, ##__VA_ARGS__));              \
        return deliver_event(r, snapshot_time);                                                                        \
    }
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define CALLBACK(NAME, ...) JOIN(CALLBACK_, TCF_SNAPSHOT_IF(NAME))(NAME, __VA_ARGS__)
#define E(number, NAME, Name, name, FIELDS) CALLBACK(NAME, Name, name FIELDS)
TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E

OTF2_SnapReaderCallbacks *otf2_snapshot_callbacks(void)
{
    OTF2_SnapReaderCallbacks *callbacks = OTF2_SnapReaderCallbacks_New();

    if (callbacks == NULL)
        return NULL;
    OTF2_SnapReaderCallbacks_SetSnapshotStartCallback(callbacks, on_snapshot_start);
    OTF2_SnapReaderCallbacks_SetSnapshotEndCallback(callbacks, on_snapshot_end);
#define SET_LEFT_OUT(Name, name)
#define SET_IS_KEPT(Name, name) OTF2_SnapReaderCallbacks_Set##Name##Callback(callbacks, on_snapshot_##name);
#define E(number, NAME, Name, name, FIELDS) JOIN(SET_, TCF_SNAPSHOT_IF(NAME))(Name, name)
    TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E
    return callbacks;
}
