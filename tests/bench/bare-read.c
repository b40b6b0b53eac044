/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * bare-read [--sequential] ANCHOR: reads all events of an archive with libotf2's local readers.
 *
 * A callback is registered for every event kind; it counts the event and touches every argument.
 * This is the least that any program has to pay to see the events. Default: batches of 4,096 events
 * of each location in turn; --sequential: one location after another, one open reader at a time. */
#include "bare.h"
#include "otf2_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct source source; /* first: the callbacks count in it */
    uint64_t sum;         /* of all fields, so that no argument is dead */
};

#define READ(Name, Parameters, Arguments)                                                                              \
    static OTF2_CallbackCode on_##Name(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,  \
                                       OTF2_AttributeList *attributes UNPAREN Parameters)                              \
    {                                                                                                                  \
        struct reading *reading = user;                                                                                \
        const uint64_t fields[] = {location, time UNPAREN Arguments};                                                  \
        (void)position, (void)attributes;                                                                              \
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)                                                    \
            reading->sum += fields[i];                                                                                 \
        reading->source.count++;                                                                                       \
        return OTF2_CALLBACK_SUCCESS;                                                                                  \
    }
EVENTS_OF_UNSIGNED_FIELDS(READ)

static OTF2_CallbackCode count(void *user, uint64_t sum)
{
    struct reading *reading = user;

    reading->sum += sum;
    reading->source.count++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Metric(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                   OTF2_AttributeList *attributes, OTF2_MetricRef metric, uint8_t n,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    uint64_t sum = location + time + metric;

    (void)position, (void)attributes;
    for (unsigned i = 0; i < n; i++)
        sum += types[i] + values[i].unsigned_int;
    return count(user, sum);
}

static OTF2_CallbackCode on_ProgramBegin(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                         OTF2_AttributeList *attributes, OTF2_StringRef name, uint32_t n,
                                         const OTF2_StringRef *arguments)
{
    uint64_t sum = location + time + name;

    (void)position, (void)attributes;
    for (uint32_t i = 0; i < n; i++)
        sum += arguments[i];
    return count(user, sum);
}

static OTF2_CallbackCode on_ProgramEnd(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                       OTF2_AttributeList *attributes, int64_t status)
{
    (void)position, (void)attributes;
    return count(user, location + time + (uint64_t)status);
}

static OTF2_CallbackCode on_ParameterInt(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                         OTF2_AttributeList *attributes, OTF2_ParameterRef parameter, int64_t value)
{
    (void)position, (void)attributes;
    return count(user, location + time + parameter + (uint64_t)value);
}

static OTF2_CallbackCode on_IoSeek(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, int64_t request,
                                   OTF2_IoSeekOption whence, uint64_t result)
{
    (void)position, (void)attributes;
    return count(user, location + time + handle + (uint64_t)request + whence + result);
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

#define SET(Name, Parameters, Arguments) OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
    EVENTS(SET)
#undef SET
    return callbacks;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
    (void)name, (void)type, (void)events, (void)group;
    return bare_add_location(user, self);
}

static void read_global_definitions(OTF2_Reader *reader, struct locations *locations)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    uint64_t n;

    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, locations);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n);
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

/* Without its local definitions a location's events come with local ids (mapping tables). */
static void read_local_definitions(OTF2_Reader *reader, const struct locations *locations)
{
    bool files = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;

    for (size_t i = 0; i < locations->count; i++) {
        OTF2_DefReader *definitions = files ? OTF2_Reader_GetDefReader(reader, locations->ref[i]) : NULL;
        uint64_t n;
        if (definitions == NULL)
            continue;
        OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n);
        OTF2_Reader_CloseDefReader(reader, definitions);
    }
    if (files)
        OTF2_Reader_CloseDefFiles(reader);
}

static void open_source(OTF2_Reader *reader, OTF2_LocationRef location, const OTF2_EvtReaderCallbacks *callbacks,
                        struct reading *reading)
{
    reading->source.reader = OTF2_Reader_GetEvtReader(reader, location);
    if (reading->source.reader == NULL)
        return;
    OTF2_EvtReader_ApplyClockOffsets(reading->source.reader, false); /* the default is true */
    OTF2_Reader_RegisterEvtCallbacks(reader, reading->source.reader, callbacks, reading);
}

static bool read_interleaved(OTF2_Reader *reader, const struct locations *locations, struct reading *readings,
                             const OTF2_EvtReaderCallbacks *callbacks)
{
    bool failed = false;
    size_t open = 0;

    for (size_t i = 0; i < locations->count; i++) {
        open_source(reader, locations->ref[i], callbacks, &readings[i]);
        open += readings[i].source.reader != NULL;
    }
    while (open > 0 && !failed)
        for (size_t i = 0; i < locations->count && !failed; i++) {
            struct source *source = &readings[i].source;
            if (source->reader == NULL || bare_read_batch(reader, source, BATCH, &failed))
                continue;
            OTF2_Reader_CloseEvtReader(reader, source->reader);
            source->reader = NULL;
            open--;
        }
    return !failed;
}

static bool read_sequential(OTF2_Reader *reader, const struct locations *locations, struct reading *readings,
                            const OTF2_EvtReaderCallbacks *callbacks)
{
    bool failed = false;

    for (size_t i = 0; i < locations->count && !failed; i++) {
        struct source *source = &readings[i].source;
        open_source(reader, locations->ref[i], callbacks, &readings[i]);
        if (source->reader == NULL)
            continue;
        while (bare_read_batch(reader, source, BATCH, &failed))
            ;
        OTF2_Reader_CloseEvtReader(reader, source->reader);
    }
    return !failed;
}

int main(int argc, char **argv)
{
    bool sequential = argc > 1 && strcmp(argv[1], "--sequential") == 0;
    struct locations locations = {0};
    uint64_t events = 0, sum = 0;

    if (argc != 2 + sequential) {
        fprintf(stderr, "usage: bare-read [--sequential] ANCHOR\n");
        return 2;
    }
    bare_raise_file_limit();
    OTF2_Reader *reader = bare_open(argv[1 + sequential]);
    if (reader == NULL)
        return 1;
    read_global_definitions(reader, &locations);
    for (size_t i = 0; i < locations.count; i++)
        OTF2_Reader_SelectLocation(reader, locations.ref[i]);
    read_local_definitions(reader, &locations);

    struct reading *readings = calloc(locations.count ? locations.count : 1, sizeof *readings);
    OTF2_EvtReaderCallbacks *callbacks = event_callbacks();
    OTF2_Reader_OpenEvtFiles(reader);
    bool good = (sequential ? read_sequential : read_interleaved)(reader, &locations, readings, callbacks);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);

    for (size_t i = 0; i < locations.count; i++) {
        events += readings[i].source.count;
        sum += readings[i].sum;
    }
    bare_report("bare-read", events);
    printf("sum of all fields %llx\n", (unsigned long long)sum);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    free(readings);
    free(locations.ref);
    return good ? 0 : 1;
}
