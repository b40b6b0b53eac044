/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Shared by the files of the OTF2 source: otf2_open.c, otf2_source.c (reading), otf2_damage.c, otf2_decode.c (event
 * callbacks), otf2_definitions.c, otf2_extras.c (snapshots, markers, thumbnails), otf2_file.c and otf2_side_files.c
 * (checks of files), otf2_error.c (libotf2's messages). */
#ifndef TCFLOW_FRAMEWORK_OTF2_INTERNAL_H
#define TCFLOW_FRAMEWORK_OTF2_INTERNAL_H

#include "framework/trace/definitions.h"
#include "otf2_file.h"
#include "otf2_source.h"

#include <otf2/otf2.h>

/* -------------------------------------------------------------------------------------------- libotf2's messages -- */

/* Keeps libotf2's messages for otf2_fail() until otf2_errors_end(); calls may nest. */
void otf2_errors_begin(void);
void otf2_errors_end(void);
/* Drops the messages kept on this thread. */
void otf2_errors_clear(void);
/* Fails with the most likely reason why this anchor file doesn't exist. */
tcf_status otf2_missing_anchor(const char *anchor);
/* Fails with libotf2's messages, or the description of `code` where there are none. */
tcf_status otf2_fail(OTF2_ErrorCode code);

/* --------------------------------------------------------------------------------------------------- definitions -- */

/* Reads the anchor and the global definitions, and calls definitions_resolve(). */
tcf_status otf2_read_global_definitions(OTF2_Reader *reader, definitions *d, const source_options *options);

/* ------------------------------------------------------------------------------------------------------ decoding -- */

/* Where the callbacks store events. One for all locations, which are read one at a time. */
typedef struct decoder {
    uint32_t n; /* events in the columns */
    uint64_t *time;
    uint8_t *kind;
    uint32_t *attr;
    tcf_rec *rec;
    definitions *defs;
    slice *s;
    int length_first;       /* see otf2_lists_start_with_length() */
    int out_of_memory;      /* of the slice's arena */
    uint64_t unknown;       /* records of unknown kinds */
    const uint8_t *regions; /* as in source_wanted */
    uint32_t n_regions;
} decoder;

int otf2_lists_start_with_length(void);

/* The callbacks for the wanted kinds of events; NULL: for all kinds. decoder.regions selects enters and leaves. Returns
 * NULL: out of memory. */
OTF2_EvtReaderCallbacks *otf2_event_callbacks(const source_wanted *wanted);

/* Delivers the records of a snapshot one by one, through a slice for one event. */
typedef struct snapshot_reader {
    decoder decoder;
    slice *arena;
    uint32_t location;
    source_each_snapshot each;
    void *data;
    tcf_status status;
} snapshot_reader;

OTF2_SnapReaderCallbacks *otf2_snapshot_callbacks(void);

static inline void decoder_begin(decoder *d, slice *s)
{
    d->s = s;
    d->n = s->v.n;
    d->time = s->v.time;
    d->kind = s->v.kind;
    d->attr = s->v.attr;
    d->rec = s->v.rec;
}

/* -------------------------------------------------------------------------------------------------------- source -- */

enum { LOCATION_UNOPENED, LOCATION_OPEN, LOCATION_ENDED, LOCATION_CLOSED };

/* The state of reading a location. */
typedef struct otf2_location {
    OTF2_EvtReader *reader;
    event_file file;
    uint64_t position; /* records read, unknown kinds included */
    uint64_t events;   /* events delivered */
    uint64_t limit;    /* last record of the current chunk, up to which libotf2 may read */
    uint64_t chunk;    /* number of the current chunk, from 1 */
    uint64_t last_time;
    uint64_t first_time; /* first timestamp of the current chunk, where has_first_time */
    int has_first_time;
    uint64_t bytes; /* counted in otf2_source.bytes */
    int state;
    int last;           /* the location ends at `limit` */
    const char *damage; /* why it ends there, or NULL */
} otf2_location;

typedef struct otf2_source {
    source base; /* first: what the pipeline sees */
    OTF2_Reader *reader;
    OTF2_EvtReaderCallbacks *callbacks,
        *wanted_callbacks; /* wanted_callbacks: in use while only some events are wanted; else NULL */
    definitions *defs;
    source_options options;
    char *folder; /* folder of the event files */
    uint64_t chunk_bytes;
    otf2_location *locations;
    decoder decoder;
    uint8_t *scratch; /* one chunk, for event_file_scan(); NULL without salvage */
    uint64_t bytes, total_bytes;
    uint32_t n_thumbnails;
    int event_files_open;
    int mapped; /* some location has a mapping table, so ids in its events are local */
} otf2_source;

/* Opens archive, definitions and locations; src->options are set. On failure the caller closes src. */
tcf_status otf2_open(otf2_source *src, const char *anchor);

enum { OTF2_PATH_BYTES = 4096 };
void otf2_event_path(const otf2_source *src, uint32_t location, char path[OTF2_PATH_BYTES]);
/* otf2_definitions.c. Reads the local definitions: mapping tables into libotf2, clock offsets into src->defs; sets
 * src->mapped. A damaged file is an error, with `salvage` a loss. */
tcf_status otf2_read_local_definitions(otf2_source *src);
/* Ends the location at its damage: a loss with `salvage`, else a failure. */
tcf_status otf2_damaged(otf2_source *src, uint32_t location, const char *reason);

/* Operations of source.h; `base` is that of an otf2_source. */
tcf_status otf2_source_snapshots(source *base, uint32_t location, source_each_snapshot each, void *data);
tcf_status otf2_source_markers(source *base, source_each_marker each, void *data);
tcf_status otf2_source_thumbnails(source *base, source_each_thumbnail each, void *data);

#endif
