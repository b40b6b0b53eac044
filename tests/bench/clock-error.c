/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * clock-error TRUE OTHER [BARS]: how far apart the times of the same events are in two archives, in seconds.
 *
 * Reads location after location of both at once, so traces of any length and number of locations pass in little memory;
 * clock offsets are not applied. Prints one line
 *
 *     events N moved N earlier N rms S max S common S centred_rms S centred_max S
 *
 * common is the mean difference, which nobody can know who has no clock but those of the trace; rms and max are the
 * differences as they are, centred_* those that are left without the common one. BARS is a file of lines "LOCATION
 * SECONDS": then `outside N` follows, the events which are further apart than that and a tick. Events are
 * identified by their number in their location alone: that they are the same is for others to see. */
#include "bare.h"
#include "otf2_kinds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct side {
    struct source source; /* first: the callbacks count in it */
    OTF2_Reader *reader;
    struct locations locations;
    uint64_t ticks; /* a second */
    uint64_t time[BATCH];
    size_t n;
};

struct difference {
    uint64_t events, moved, earlier;
    uint64_t outside;
    double bar;                       /* of the present location, in ticks; INFINITY: none */
    double sum, squares, least, most; /* of OTHER - TRUE, in ticks */
};

/* ------------------------------------------------------------------------------------------------------- reading -- */

static OTF2_CallbackCode seen(void *user, OTF2_TimeStamp time)
{
    struct side *side = user;

    side->source.count++;
    if (side->n < BATCH)
        side->time[side->n++] = time;
    return OTF2_CALLBACK_SUCCESS;
}

#define ON(Name, Parameters, Arguments)                                                                                \
    static OTF2_CallbackCode on_##Name(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,  \
                                       OTF2_AttributeList *attributes UNPAREN Parameters)                              \
    {                                                                                                                  \
        return seen(user, time);                                                                                       \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter" /* what an event says beside its time is of no interest here */
EVENTS(ON)

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
    struct side *side = user;

    (void)name, (void)type, (void)events, (void)group;
    return bare_add_location(&side->locations, self);
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t real)
{
    struct side *side = user;

    (void)offset, (void)length, (void)real;
    side->ticks = resolution;
    return OTF2_CALLBACK_SUCCESS;
}

static bool open_side(struct side *side, const char *anchor)
{
    uint64_t n;

    side->reader = bare_open(anchor);
    if (side->reader == NULL)
        return false;
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(side->reader);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_Reader_RegisterGlobalDefCallbacks(side->reader, definitions, callbacks, side);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadAllGlobalDefinitions(side->reader, definitions, &n);
    OTF2_Reader_CloseGlobalDefReader(side->reader, definitions);
    for (size_t i = 0; i < side->locations.count; i++)
        OTF2_Reader_SelectLocation(side->reader, side->locations.ref[i]);
    return OTF2_Reader_OpenEvtFiles(side->reader) == OTF2_SUCCESS;
}

static void close_side(struct side *side)
{
    if (side->reader != NULL) {
        OTF2_Reader_CloseEvtFiles(side->reader);
        OTF2_Reader_Close(side->reader);
    }
    free(side->locations.ref);
}

static bool open_location(struct side *side, OTF2_LocationRef location, const OTF2_EvtReaderCallbacks *callbacks)
{
    side->source = (struct source){OTF2_Reader_GetEvtReader(side->reader, location), 0};
    if (side->source.reader == NULL) {
        fprintf(stderr, "clock-error: location %" PRIu64 " cannot be read in both archives\n", (uint64_t)location);
        return false;
    }
    OTF2_EvtReader_ApplyClockOffsets(side->source.reader, false); /* the default is true */
    OTF2_Reader_RegisterEvtCallbacks(side->reader, side->source.reader, callbacks, side);
    return true;
}

/* ----------------------------------------------------------------------------------------------------- comparing -- */

static void compare(struct difference *d, const struct side *truth, const struct side *other)
{
    for (size_t i = 0; i < truth->n; i++) {
        double size = (double)(int64_t)(other->time[i] - truth->time[i]);
        d->least = d->events == 0 || size < d->least ? size : d->least;
        d->most = d->events == 0 || size > d->most ? size : d->most;
        d->sum += size;
        d->squares += size * size;
        d->moved += size < 0 || size > 0;
        d->earlier += size < 0;
        d->outside += fabs(size) > d->bar + 1;
        d->events++;
    }
}

static bool compare_location(struct difference *d, struct side *truth, struct side *other)
{
    bool more = true, failed = false;

    while (more && !failed) {
        truth->n = other->n = 0;
        more = bare_read_batch(truth->reader, &truth->source, BATCH, &failed);
        bare_read_batch(other->reader, &other->source, BATCH, &failed);
        if (truth->n != other->n) {
            fputs("clock-error: a location has not the same number of events in both archives\n", stderr);
            return false;
        }
        compare(d, truth, other);
    }
    return !failed;
}

static void print(const struct difference *d, double tick)
{
    double n = d->events > 0 ? (double)d->events : 1, mean = d->sum / n;

    printf("events %" PRIu64 " moved %" PRIu64 " earlier %" PRIu64 " rms %.4g max %.4g common %.4g centred_rms %.4g "
           "centred_max %.4g outside %" PRIu64 "\n",
           d->events, d->moved, d->earlier, sqrt(d->squares / n) * tick, fmax(fabs(d->least), fabs(d->most)) * tick,
           mean * tick, sqrt(fmax(d->squares / n - mean * mean, 0)) * tick,
           fmax(fabs(d->least - mean), fabs(d->most - mean)) * tick, d->outside);
}

/* The bar of a location, in seconds; INFINITY: the file has none, or there is no file. */
static double bar_of(FILE *bars, OTF2_LocationRef location)
{
    uint64_t id;
    double seconds;

    for (bars ? rewind(bars) : (void)0; bars && fscanf(bars, "%" SCNu64 " %lf", &id, &seconds) == 2;)
        if (id == location)
            return seconds;
    return INFINITY;
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

#define SET(Name, Parameters, Arguments) OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
    EVENTS(SET)
#undef SET
    return callbacks;
}

int main(int argc, char **argv)
{
    struct side *sides = calloc(2, sizeof *sides);
    struct difference difference = {0};

    FILE *bars = argc == 4 ? fopen(argv[3], "r") : NULL;
    if (argc < 3 || argc > 4 || (argc == 4 && bars == NULL)) {
        fputs("usage: clock-error TRUE OTHER [BARS]\n", stderr);
        return 2;
    }
    bare_raise_file_limit();
    bool good = open_side(&sides[0], argv[1]) && open_side(&sides[1], argv[2]);
    if (good && sides[0].locations.count != sides[1].locations.count) {
        fputs("clock-error: the archives have not the same locations\n", stderr);
        good = false;
    }
    OTF2_EvtReaderCallbacks *callbacks = event_callbacks();
    for (size_t i = 0; good && i < sides[0].locations.count; i++) {
        OTF2_LocationRef location = sides[0].locations.ref[i];
        difference.bar = bar_of(bars, location) * (double)sides[0].ticks;
        good = open_location(&sides[0], location, callbacks) && open_location(&sides[1], location, callbacks) &&
               compare_location(&difference, &sides[0], &sides[1]);
        for (int k = 0; k < 2; k++)
            if (sides[k].source.reader != NULL)
                OTF2_Reader_CloseEvtReader(sides[k].reader, sides[k].source.reader);
    }
    if (good)
        print(&difference, 1.0 / (double)(sides[0].ticks ? sides[0].ticks : 1));
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    close_side(&sides[0]);
    close_side(&sides[1]);
    if (bars != NULL)
        fclose(bars);
    free(sides);
    return good ? 0 : 1;
}
