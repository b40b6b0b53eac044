/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Prints the clock offsets of a trace, "location time offset deviation" a line, as its local definition files hold
 * them. Written straight with libotf2. */
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

struct locations {
    uint64_t *ref;
    size_t count;
};

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
    struct locations *l = user;

    (void)name, (void)type, (void)events, (void)group;
    l->ref = realloc(l->ref, (l->count + 1) * sizeof *l->ref);
    if (l->ref == NULL)
        abort();
    l->ref[l->count++] = self;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_offset(void *user, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    const uint64_t *location = user;

    printf("%" PRIu64 " %" PRIu64 " %" PRId64 " %.3f\n", *location, time, offset, deviation);
    return OTF2_CALLBACK_SUCCESS;
}

static void print_offsets(OTF2_Reader *reader, uint64_t *location)
{
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, *location);
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    uint64_t read;

    if (definitions == NULL)
        abort();
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_offset);
    OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, location);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read);
    OTF2_Reader_CloseDefReader(reader, definitions);
}

int main(int argc, char **argv)
{
    struct locations locations = {NULL, 0};
    OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
    uint64_t read;

    if (reader == NULL) {
        fprintf(stderr, "usage: offsets ANCHOR\n");
        return 2;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &locations);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &read);
    for (size_t i = 0; i < locations.count; i++)
        OTF2_Reader_SelectLocation(reader, locations.ref[i]);
    OTF2_Reader_OpenDefFiles(reader);
    for (size_t i = 0; i < locations.count; i++)
        print_offsets(reader, &locations.ref[i]);
    OTF2_Reader_CloseDefFiles(reader);
    OTF2_Reader_Close(reader);
    free(locations.ref);
    return 0;
}
