/* The source: whatever delivers definitions and the events of each location. OTF2 archives now, streams later. */
#ifndef TCFLOW_FRAMEWORK_SOURCE_H
#define TCFLOW_FRAMEWORK_SOURCE_H

#include "slice.h"

typedef struct source source;

typedef struct source_options {
    int salvage;    /* a damaged location ends at its last good event instead of stopping the run */
    int sequential; /* locations are read one after another: their readers may be opened late and closed early */
} source_options;

/* What was lost of a location with `salvage`. */
typedef struct source_loss {
    uint32_t location;
    uint64_t last_good; /* number of good events */
    const char *file;
    const char *reason;
} source_loss;

/* Opens an OTF2 archive by its anchor file and reads all its definitions, global and local. NULL: see the cause. */
source *otf2_source_open(const char *anchor, const source_options *options);
void source_close(source *src);

/* Owned by the source, valid until source_close(). */
const tcf_definitions *source_definitions(const source *src);

/* Appends up to `max` events of a location to s (which has room for them), raw local timestamps, indices instead of
 * ids, fewer when the arena runs full. *ended becomes 1 when the location has no more events. s->v.first must be set
 * by the caller; match, edge and callpath columns are left alone. */
tcf_status source_read(source *src, uint32_t location, slice *s, uint32_t max, int *ended);
/* The location won't be read any more: frees libotf2's reader of it. */
void source_close_location(source *src, uint32_t location);

/* For the progress display: bytes of event files consumed and in total (0: unknown). */
void source_progress(const source *src, uint64_t *bytes, uint64_t *total);
/* Records of kinds that this build does not know, so far. */
uint64_t source_unknown_events(const source *src);
const source_loss *source_losses(const source *src, uint32_t *n);

/* See tcf_host of filter.h. */
tcf_status source_snapshots(source *src, uint32_t location,
                            tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data);
tcf_status source_markers(source *src, tcf_status (*each)(void *data, const tcf_marker *marker), void *data);
tcf_status source_thumbnails(source *src, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data);

/* The name of a value of one of libotf2's enumerations, named as in the role column of the record tables; NULL when
 * there is none. Flag sets are joined with '|' in a buffer of the thread. */
const char *otf2_enum_name(const char *enumeration, uint64_t value);

#endif
