/* The source: whatever delivers definitions and the events of each location. OTF2 archives now, streams later. */
#ifndef TCFLOW_FRAMEWORK_SOURCE_H
#define TCFLOW_FRAMEWORK_SOURCE_H

#include "slice.h"

typedef struct source source;

typedef struct source_options {
    int salvage;    /* a damaged location ends at its last good event instead of stopping the run */
    int sequential; /* locations are read one after another: their readers may be opened late and closed early */
} source_options;

#define SOURCE_LOST_DEFINITIONS UINT64_MAX /* not events, but the location's own definitions */

/* What was lost of a location with `salvage`. */
typedef struct source_loss {
    uint32_t location;
    uint64_t last_good; /* number of good events, or SOURCE_LOST_DEFINITIONS */
    const char *file;
    const char *reason;
} source_loss;

/* What a kind of source has to offer; the functions below say what each does. */
typedef struct source_ops {
    void (*close)(source *src);
    const tcf_definitions *(*definitions)(const source *src);
    tcf_status (*read)(source *src, uint32_t location, slice *s, uint32_t max, int *ended);
    void (*close_location)(source *src, uint32_t location);
    tcf_status (*rewind)(source *src); /* NULL: it can be read only once */
    void (*keep)(source *src, const uint8_t kinds[256]); /* NULL: everything is delivered anyway */
    void (*progress)(const source *src, uint64_t *bytes, uint64_t *total);
    uint64_t (*unknown_events)(const source *src);
    const source_loss *(*losses)(const source *src, uint32_t *n);
    tcf_status (*snapshots)(source *src, uint32_t location,
                            tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data);
    tcf_status (*markers)(source *src, tcf_status (*each)(void *data, const tcf_marker *marker), void *data);
    tcf_status (*thumbnails)(source *src, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data);
} source_ops;

/* The first member of every kind of source. */
struct source {
    const source_ops *ops;
};

/* Opens an OTF2 archive by its anchor file and reads all its definitions, global and local. NULL: see the cause. */
source *otf2_source_open(const char *anchor, const source_options *options);

static inline void source_close(source *src)
{
    if (src)
        src->ops->close(src);
}

/* Owned by the source, valid until source_close(). */
static inline const tcf_definitions *source_definitions(const source *src)
{
    return src->ops->definitions(src);
}

/* Appends up to `max` events of a location to s (which has room for them), raw local timestamps, indices instead of
 * ids, fewer when the arena runs full. *ended becomes 1 when the location has no more events. s->v.first must be set
 * by the caller; match, edge and callpath columns are left alone. */
static inline tcf_status source_read(source *src, uint32_t location, slice *s, uint32_t max, int *ended)
{
    return src->ops->read(src, location, s, max, ended);
}

/* The location won't be read any more: frees what is open for it. */
static inline void source_close_location(source *src, uint32_t location)
{
    src->ops->close_location(src, location);
}

/* From now on events of kinds whose entry is 0 need not be delivered; NULL: all are wanted again. */
static inline void source_keep(source *src, const uint8_t kinds[256])
{
    if (src->ops->keep)
        src->ops->keep(src, kinds);
}

/* All locations start again at their first event. What was lost is found anew. */
static inline tcf_status source_rewind(source *src)
{
    return src->ops->rewind(src);
}

/* For the progress display: bytes of event files consumed and in total (0: unknown). */
static inline void source_progress(const source *src, uint64_t *bytes, uint64_t *total)
{
    src->ops->progress(src, bytes, total);
}

/* Records of kinds that this build does not know, so far. */
static inline uint64_t source_unknown_events(const source *src)
{
    return src->ops->unknown_events(src);
}

static inline const source_loss *source_losses(const source *src, uint32_t *n)
{
    return src->ops->losses(src, n);
}

/* See tcf_host of filter.h. */
static inline tcf_status source_snapshots(source *src, uint32_t location,
                                          tcf_status (*each)(void *data, const tcf_snapshot_record *record),
                                          void *data)
{
    return src->ops->snapshots(src, location, each, data);
}

static inline tcf_status source_markers(source *src, tcf_status (*each)(void *data, const tcf_marker *marker),
                                        void *data)
{
    return src->ops->markers(src, each, data);
}

static inline tcf_status source_thumbnails(source *src,
                                           tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail), void *data)
{
    return src->ops->thumbnails(src, each, data);
}

/* The name of a value of one of libotf2's enumerations, named as in the role column of the record tables; NULL when
 * there is none. Flag sets are joined with '|' in a buffer of the thread. */
const char *otf2_enum_name(const char *enumeration, uint64_t value);

#endif
