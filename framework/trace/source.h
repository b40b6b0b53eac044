/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The source: whatever delivers definitions and the events of each location. An OTF2 archive (otf2_source.c) can be
 * read in any order of locations, and again; a stream (stream_source.c) comes in the order in which it was written,
 * once, and may bring what its writer knows: matches, frontiers, what a survey has learned. Several of them that have
 * different locations of one run are a source, too (merge_source.c). */
#ifndef TCFLOW_FRAMEWORK_SOURCE_H
#define TCFLOW_FRAMEWORK_SOURCE_H

#include "kept.h"
#include "slice.h"
#include "wanted.h"
#include <signal.h>

typedef struct source source;

typedef struct source_options {
    uint64_t memory; /* that a stream may take for what it has read ahead; bytes */
    int edges;       /* matches are of use; else a source that has them need not look at them */
    int salvage;     /* a damaged location ends at its last good event instead of stopping the run */
    int sequential;  /* locations are read one after another: their readers may be opened late and closed early */
    int by_process;  /* with `sequential`: unless processes have several of them */
    const volatile sig_atomic_t
        *interrupted; /* not 0: what is under way, opening included, ends as a failure; NULL: never */
} source_options;

static inline int source_is_interrupted(const volatile sig_atomic_t *flag)
{
    return flag && *flag;
}

#define SOURCE_LOST_DEFINITIONS UINT64_MAX /* not events, but the location's own definitions */

/* What was lost of a location with `salvage`. */
typedef struct source_loss {
    uint32_t location;
    uint64_t last_good; /* number of good events, or SOURCE_LOST_DEFINITIONS */
    const char *file;
    const char *reason;
} source_loss;

/* What the writer of a stream knows of the events besides what they say. */
typedef struct source_facts {
    uint32_t changed;               /* as tcf_self.changed; final when the source has been finished */
    const tcf_property *properties; /* that filters have set; known when the source has been finished */
    uint32_t n_properties;
    const uint8_t *altered; /* by location: TCF_ALTERED_* of what has been read; NULL: nothing */
    const tcf_learned_table *learned;
    uint32_t n_learned;
} source_facts;

/* What a kind of source has to offer; the functions below say what each does. */
typedef struct source_ops {
    void (*close)(source *src);
    const tcf_definitions *(*definitions)(const source *src);
    tcf_status (*read)(source *src, uint32_t location, slice *s, uint32_t max, int *ended);
    void (*close_location)(source *src, uint32_t location);
    tcf_status (*rewind)(source *src);                      /* NULL: it can be read only once */
    void (*keep)(source *src, const source_wanted *wanted); /* NULL: everything is delivered anyway */
    void (*progress)(const source *src, uint64_t *bytes, uint64_t *total);
    /* The rest is NULL where the source is not a stream. */
    tcf_status (*next)(source *src, uint32_t *location);
    uint64_t (*frontier)(const source *src, uint32_t location);
    const prematched_edges *(*edges)(const source *src);
    tcf_status (*edge_columns)(source *src, slice *s);
    int (*column)(source *src, const char *name, uint32_t bytes, int at_edges, uint32_t number);
    tcf_status (*finish)(source *src);
    const source_facts *(*facts)(const source *src);
    void (*on_idle)(source *src, tcf_status (*idle)(void *data), void *data);
    tcf_status (*disown)(source *src, uint32_t location, const char *whose);
    int (*ready)(const source *src);
    /* All have these. */
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

/* From now on only these events need be delivered; NULL: all are wanted again. `regions` must last as long as that. */
static inline void source_keep(source *src, const source_wanted *wanted)
{
    if (src->ops->keep)
        src->ops->keep(src, wanted);
}

/* All locations start again at their first event. What was lost is found anew. */
static inline tcf_status source_rewind(source *src)
{
    return src->ops->rewind(src);
}

/* Which location to read. In: the one that would be best, or UINT32_MAX: any. Out: the same, or where the source holds
 * more than it may, or any would do, the location of what came first; UINT32_MAX: all have ended. */
static inline tcf_status source_next(source *src, uint32_t *location)
{
    return src->ops->next ? src->ops->next(src, location) : TCF_OK;
}

/* Lower bound of the time of the next event of a location; 0: nothing is known. */
static inline uint64_t source_frontier(const source *src, uint32_t location)
{
    return src->ops->frontier ? src->ops->frontier(src, location) : 0;
}

/* The matches of what source_read() has just delivered; NULL: the source has none, they are for the matcher to find. */
static inline const prematched_edges *source_edges(const source *src)
{
    return src->ops->edges ? src->ops->edges(src) : NULL;
}

/* When the slice that was read last has these edges: fills its columns that belong to them. */
static inline tcf_status source_edge_columns(source *src, slice *s)
{
    return src->ops->edge_columns ? src->ops->edge_columns(src, s) : TCF_OK;
}

/* From now on fills column `number` of the slices with the source's column of this name; 0: it has none such. */
static inline int source_column(source *src, const char *name, uint32_t bytes, int at_edges, uint32_t number)
{
    return src->ops->column && src->ops->column(src, name, bytes, at_edges, number);
}

/* All locations have ended: is the input whole? */
static inline tcf_status source_finish(source *src)
{
    return src->ops->finish ? src->ops->finish(src) : TCF_OK;
}

static inline const source_facts *source_facts_of(const source *src)
{
    static const source_facts none = {0};
    return src->ops->facts ? src->ops->facts(src) : &none;
}

/* Is it a stream, of which other locations may come than the one that is asked for? */
static inline int source_is_stream(const source *src)
{
    return src->ops->next != NULL;
}

/* Called when there is nothing to read for the moment, before waiting for it. TCF_ERROR ends the reading. */
static inline void source_on_idle(source *src, tcf_status (*idle)(void *data), void *data)
{
    if (src->ops->on_idle)
        src->ops->on_idle(src, idle, data);
}

/* The events of this location are those of another input, `whose` (which outlives the source): whatever else comes of
 * it here is left out, and an event of it is an error. */
static inline tcf_status source_disown(source *src, uint32_t location, const char *whose)
{
    return src->ops->disown ? src->ops->disown(src, location, whose) : TCF_OK;
}

/* Is there something to read without waiting? */
static inline int source_ready(const source *src)
{
    return src->ops->ready ? src->ops->ready(src) : 1;
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
                                          tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data)
{
    return src->ops->snapshots(src, location, each, data);
}

static inline tcf_status source_markers(source *src, tcf_status (*each)(void *data, const tcf_marker *marker),
                                        void *data)
{
    return src->ops->markers(src, each, data);
}

static inline tcf_status source_thumbnails(source *src, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail),
                                           void *data)
{
    return src->ops->thumbnails(src, each, data);
}

#endif
