/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of the OTF2 source share: otf2_open.c, otf2_source.c (reading), otf2_damage.c, otf2_decode.c (event
 * callbacks), otf2_definitions.c, otf2_extras.c (snapshots, markers, thumbnails), otf2_file.c and otf2_side_files.c
 * (the bytes of files), otf2_error.c (libotf2's messages). */
#ifndef TCFLOW_FRAMEWORK_OTF2_INTERNAL_H
#define TCFLOW_FRAMEWORK_OTF2_INTERNAL_H

#include "framework/trace/definitions.h"
#include "otf2_file.h"
#include "otf2_source.h"

#include <otf2/otf2.h>

/* -------------------------------------------------------------------------------------------- libotf2's messages -- */

/* From now on libotf2's messages are kept for otf2_fail() instead of being printed. */
void otf2_errors_begin(void);
void otf2_errors_end(void);
/* Forgets what libotf2 said on this thread. */
void otf2_errors_clear(void);
/* Fails with the most likely reason why there is no file of this name. */
tcf_status otf2_missing_anchor(const char *anchor);
/* A failure of libotf2: what it said, or the description of `code`. */
tcf_status otf2_fail(OTF2_ErrorCode code);

/* --------------------------------------------------------------------------------------------------- definitions -- */

/* Anchor and global definitions; definitions_resolve() has been called. */
tcf_status otf2_read_global_definitions(OTF2_Reader *reader, definitions *d, const source_options *options);
/* Local definitions: loads the mapping tables into libotf2, clock offsets into `d`. With `lost` a damaged file is left
 * out and told to it, else it is an error. *mapped 0: there are no mapping tables. */
tcf_status otf2_read_local_definitions(OTF2_Reader *reader, definitions *d, const char *folder,
                                       tcf_status (*lost)(void *data, uint32_t location, const char *path,
                                                          const char *reason),
                                       void *data, int *mapped);

/* ------------------------------------------------------------------------------------------------------ decoding -- */

/* Where the callbacks put events; one for all locations, since one is read at a time. */
typedef struct decoder {
    uint32_t n; /* events in the columns */
    uint64_t *time;
    uint8_t *kind;
    uint32_t *attr;
    tcf_rec *rec;
    definitions *defs;
    slice *s;
    int length_first;       /* libotf2's attribute lists start with their length, see otf2_decode.c */
    int out_of_memory;      /* in the arena */
    uint64_t unknown;       /* records of unknown kinds */
    const uint8_t *regions; /* as in source_wanted */
    uint32_t n_regions;
} decoder;

int otf2_lists_start_with_length(void);

/* What isn't wanted is passed over; NULL: all is. The decoder knows the regions. Returns NULL: out of memory. */
OTF2_EvtReaderCallbacks *otf2_event_callbacks(const source_wanted *wanted);

/* Delivers the records of a snapshot, one at a time, through a slice for one event. */
typedef struct snapshot_reader {
    decoder decoder;
    slice *arena;
    uint32_t location;
    tcf_status (*each)(void *data, const tcf_snapshot_record *record);
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

/* One location being read. */
typedef struct otf2_location {
    OTF2_EvtReader *reader;
    event_file file;
    uint64_t position; /* records read, those of unknown kinds included */
    uint64_t events;   /* events delivered */
    uint64_t limit;    /* records that may be read before the next look at the file: the end of the chunk */
    uint64_t chunk;    /* chunk that `limit` is the end of, from 1 */
    uint64_t last_time;
    uint64_t first_time; /* of the chunk that comes next, where has_first_time */
    int has_first_time;
    uint64_t bytes; /* reported as consumed */
    int state;
    int last;           /* nothing comes after `limit` */
    const char *damage; /* why it ends at `limit`, or NULL */
} otf2_location;

typedef struct otf2_source {
    source base; /* first: what the pipeline sees */
    OTF2_Reader *reader;
    OTF2_EvtReaderCallbacks *callbacks, *thin_callbacks; /* thin: for the time being instead of the others, or NULL */
    definitions *defs;
    source_options options;
    char *folder; /* of the event files */
    uint64_t chunk_bytes;
    otf2_location *locations;
    decoder decoder;
    uint8_t *scratch; /* one chunk, for scanning */
    uint64_t bytes, total_bytes;
    source_loss *losses;
    uint32_t n_losses;
    uint32_t n_snapshots, n_thumbnails;
    int event_files_open;
    int mapped; /* some location has a mapping table: ids of its events are local ones */
} otf2_source;

/* Archive, definitions and locations; src->options are set. What there is of it by then is released by closing src. */
tcf_status otf2_open(otf2_source *src, const char *anchor);

enum { OTF2_PATH_BYTES = 4096 };
void otf2_event_path(const otf2_source *src, uint32_t location, char path[OTF2_PATH_BYTES]);
/* The location ends here. With salvage that is a loss, else the run fails. */
tcf_status otf2_damaged(otf2_source *src, uint32_t location, const char *reason);
/* `good`: the last good record, or SOURCE_LOST_DEFINITIONS. */
tcf_status otf2_note_loss(otf2_source *src, uint32_t location, uint64_t good, const char *path, const char *reason);

/* As source.h wants them; the base is that of an otf2_source. */
tcf_status otf2_source_snapshots(source *base, uint32_t location,
                                 tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data);
tcf_status otf2_source_markers(source *base, tcf_status (*each)(void *data, const tcf_marker *marker), void *data);
tcf_status otf2_source_thumbnails(source *base, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail),
                                  void *data);

#endif
