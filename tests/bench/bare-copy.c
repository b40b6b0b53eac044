/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * bare-copy [options] ANCHOR DIRECTORY: copies an archive with libotf2's local readers and writers.
 *
 * The yardstick for the speed of the framework: the straightforward program that an experienced user
 * of libotf2 would write, with bounded writer memory. It copies every event kind, attribute lists,
 * all global and local definitions, clock offsets and the anchor's texts and properties. Timestamps
 * stay raw, mapping tables are applied. Markers, snapshots and thumbnails are left out.
 * Default: batches of 4,096 events of each location in turn; --sequential: one location after another. */
#include "bare.h"
#include "otf2_kinds.h"
#include "tests/support/generate/bounded_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    bool sequential;
    uint64_t chunk_bytes; /* 0: that of the input */
    const char *anchor;
    const char *directory;
};

struct copying {
    struct source source;
    OTF2_EvtWriter *writer;
};

/* What the definition callbacks need. */
struct definitions {
    OTF2_GlobalDefWriter *global;
    OTF2_DefWriter *local;
    struct locations *locations;
};

static OTF2_CallbackCode verdict(OTF2_ErrorCode code)
{
    return code == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

/* The attribute list of the reader is handed on as it is; the writer empties it. */
#define COPY_EVENT(Name, Parameters, Arguments)                                                                        \
    static OTF2_CallbackCode event_##Name(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,           \
                                          void *user, OTF2_AttributeList *attributes UNPAREN Parameters)               \
    {                                                                                                                  \
        struct copying *copying = user;                                                                                \
        (void)location, (void)position;                                                                                \
        copying->source.count++;                                                                                       \
        return verdict(OTF2_EvtWriter_##Name(copying->writer, attributes, time UNPAREN Arguments));                    \
    }
EVENTS(COPY_EVENT)

#define COPY_GLOBAL(Name, Parameters, Arguments)                                                                       \
    static OTF2_CallbackCode global_##Name(void *user UNPAREN Parameters)                                              \
    {                                                                                                                  \
        struct definitions *to = user;                                                                                 \
        return verdict(OTF2_GlobalDefWriter_Write##Name(to->global UNPAREN Arguments));                                \
    }
GLOBAL_ONLY_DEFINITIONS(COPY_GLOBAL)
DEFINITIONS(COPY_GLOBAL)

#define COPY_LOCAL(Name, Parameters, Arguments)                                                                        \
    static OTF2_CallbackCode local_##Name(void *user UNPAREN Parameters)                                               \
    {                                                                                                                  \
        struct definitions *to = user;                                                                                 \
        return verdict(OTF2_DefWriter_Write##Name(to->local UNPAREN Arguments));                                       \
    }
DEFINITIONS(COPY_LOCAL)

static OTF2_CallbackCode local_ClockOffset(void *user, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    struct definitions *to = user;

    return verdict(OTF2_DefWriter_WriteClockOffset(to->local, time, offset, deviation));
}

static OTF2_CallbackCode note_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                       uint64_t events, OTF2_LocationGroupRef group)
{
    struct definitions *to = user;
    OTF2_CallbackCode code = bare_add_location(to->locations, self);

    return code == OTF2_CALLBACK_SUCCESS ? global_Location(user, self, name, type, events, group) : code;
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

#define SET(Name, Parameters, Arguments) OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, event_##Name);
    EVENTS(SET)
#undef SET
    return callbacks;
}

static void copy_global_definitions(OTF2_Reader *reader, OTF2_Archive *archive, struct locations *locations)
{
    struct definitions to = {.global = OTF2_Archive_GetGlobalDefWriter(archive), .locations = locations};
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    uint64_t n;

#define SET(Name, Parameters, Arguments) OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(callbacks, global_##Name);
    GLOBAL_ONLY_DEFINITIONS(SET)
    DEFINITIONS(SET)
#undef SET
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, note_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &to);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n);
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

static OTF2_DefReaderCallbacks *local_callbacks(void)
{
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();

#define SET(Name, Parameters, Arguments) OTF2_DefReaderCallbacks_Set##Name##Callback(callbacks, local_##Name);
    DEFINITIONS(SET)
#undef SET
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, local_ClockOffset);
    return callbacks;
}

/*
 * Reading the local definitions also loads the mapping tables, which the event readers then apply;
 * therefore the copy must not have them. One reader and one writer are open at a time. */
static void copy_local_definitions(OTF2_Reader *reader, OTF2_Archive *archive, const struct locations *locations)
{
    OTF2_DefReaderCallbacks *callbacks = local_callbacks();
    bool files = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;

    OTF2_Archive_OpenDefFiles(archive);
    for (size_t i = 0; i < locations->count; i++) {
        struct definitions to = {.local = OTF2_Archive_GetDefWriter(archive, locations->ref[i])};
        OTF2_DefReader *definitions = files ? OTF2_Reader_GetDefReader(reader, locations->ref[i]) : NULL;
        uint64_t n;
        if (definitions != NULL) {
            OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, &to);
            OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n);
            OTF2_Reader_CloseDefReader(reader, definitions);
        }
        OTF2_Archive_CloseDefWriter(archive, to.local);
    }
    OTF2_Archive_CloseDefFiles(archive);
    if (files)
        OTF2_Reader_CloseDefFiles(reader);
    OTF2_DefReaderCallbacks_Delete(callbacks);
}

static void copy_texts(OTF2_Reader *reader, OTF2_Archive *archive)
{
    char *text, **names;
    uint32_t n;

    if (OTF2_Reader_GetMachineName(reader, &text) == OTF2_SUCCESS) {
        OTF2_Archive_SetMachineName(archive, text);
        free(text);
    }
    if (OTF2_Reader_GetDescription(reader, &text) == OTF2_SUCCESS) {
        OTF2_Archive_SetDescription(archive, text);
        free(text);
    }
    if (OTF2_Reader_GetCreator(reader, &text) == OTF2_SUCCESS) {
        OTF2_Archive_SetCreator(archive, text);
        free(text);
    }
    if (OTF2_Reader_GetPropertyNames(reader, &n, &names) != OTF2_SUCCESS)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (OTF2_Reader_GetProperty(reader, names[i], &text) == OTF2_SUCCESS) {
            OTF2_Archive_SetProperty(archive, names[i], text, true);
            free(text);
        }
    free(names);
}

static bool open_pair(OTF2_Reader *reader, OTF2_Archive *archive, OTF2_LocationRef location,
                      const OTF2_EvtReaderCallbacks *callbacks, struct copying *copying)
{
    copying->writer = OTF2_Archive_GetEvtWriter(archive, location);
    copying->source.reader = OTF2_Reader_GetEvtReader(reader, location);
    if (copying->source.reader == NULL) { /* no event file: an empty location */
        OTF2_Archive_CloseEvtWriter(archive, copying->writer);
        return false;
    }
    OTF2_EvtReader_ApplyClockOffsets(copying->source.reader, false); /* the default is true */
    OTF2_Reader_RegisterEvtCallbacks(reader, copying->source.reader, callbacks, copying);
    return true;
}

static void close_pair(OTF2_Reader *reader, OTF2_Archive *archive, struct copying *copying)
{
    OTF2_Reader_CloseEvtReader(reader, copying->source.reader);
    OTF2_Archive_CloseEvtWriter(archive, copying->writer);
    copying->source.reader = NULL;
}

static bool copy_interleaved(OTF2_Reader *reader, OTF2_Archive *archive, const struct locations *locations,
                             struct copying *pairs, const OTF2_EvtReaderCallbacks *callbacks)
{
    bool failed = false;
    size_t open = 0;

    for (size_t i = 0; i < locations->count; i++)
        open += open_pair(reader, archive, locations->ref[i], callbacks, &pairs[i]);
    while (open > 0 && !failed)
        for (size_t i = 0; i < locations->count && !failed; i++) {
            if (pairs[i].source.reader == NULL || bare_read_batch(reader, &pairs[i].source, BATCH, &failed))
                continue;
            close_pair(reader, archive, &pairs[i]);
            open--;
        }
    return !failed;
}

static bool copy_sequential(OTF2_Reader *reader, OTF2_Archive *archive, const struct locations *locations,
                            struct copying *pairs, const OTF2_EvtReaderCallbacks *callbacks)
{
    bool failed = false;

    for (size_t i = 0; i < locations->count && !failed; i++) {
        if (!open_pair(reader, archive, locations->ref[i], callbacks, &pairs[i]))
            continue;
        while (bare_read_batch(reader, &pairs[i].source, BATCH, &failed))
            ;
        close_pair(reader, archive, &pairs[i]);
    }
    return !failed;
}

static bool copy(OTF2_Reader *reader, OTF2_Archive *archive, bool sequential, uint64_t *events)
{
    struct locations locations = {0};

    copy_texts(reader, archive);
    copy_global_definitions(reader, archive, &locations);
    for (size_t i = 0; i < locations.count; i++)
        OTF2_Reader_SelectLocation(reader, locations.ref[i]);
    copy_local_definitions(reader, archive, &locations);

    struct copying *pairs = calloc(locations.count ? locations.count : 1, sizeof *pairs);
    OTF2_EvtReaderCallbacks *callbacks = event_callbacks();
    OTF2_Reader_OpenEvtFiles(reader);
    bool good = (sequential ? copy_sequential : copy_interleaved)(reader, archive, &locations, pairs, callbacks);
    OTF2_Reader_CloseEvtFiles(reader);

    *events = 0;
    for (size_t i = 0; i < locations.count; i++)
        *events += pairs[i].source.count;
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    free(pairs);
    free(locations.ref);
    return good;
}

static bool parse(int argc, char **argv, struct options *options)
{
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--sequential") == 0)
            options->sequential = true;
        else if (strcmp(argv[i], "--chunk-kib") == 0 && i + 1 < argc)
            options->chunk_bytes = strtoull(argv[++i], NULL, 10) * 1024;
        else
            return false;
    }
    if (argc - i != 2)
        return false;
    options->anchor = argv[i];
    options->directory = argv[i + 1];
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    uint64_t events = 0, chunk_bytes, unused;

    if (!parse(argc, argv, &options)) {
        fprintf(stderr, "usage: bare-copy [--sequential] [--chunk-kib N] ANCHOR DIRECTORY\n");
        return 2;
    }
    bare_raise_file_limit();
    OTF2_Reader *reader = bare_open(options.anchor);
    if (reader == NULL)
        return 1;
    if (options.chunk_bytes == 0 && OTF2_Reader_GetChunkSize(reader, &chunk_bytes, &unused) == OTF2_SUCCESS)
        options.chunk_bytes = chunk_bytes;
    OTF2_Archive *archive = bounded_archive_open(options.directory, options.chunk_bytes);
    if (archive == NULL) {
        OTF2_Reader_Close(reader);
        return 1;
    }
    bool good = copy(reader, archive, options.sequential, &events);
    good = bounded_archive_close(archive) == 0 && good;
    OTF2_Reader_Close(reader);
    bare_report("bare-copy", events);
    return good ? 0 : 1;
}
