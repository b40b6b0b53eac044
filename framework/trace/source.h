/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A source delivers definitions and the events of each location. An OTF2 archive (otf2_source.c) can be read in any
 * order of locations, and again, and so can a file of another format (foreign_source.c). A stream (stream_source.c) can
 * be read once, in the order in which it was written; it may bring matches, frontiers and results of a survey. Several
 * inputs with different locations of one run are a source, too (merge_source.c). */
#ifndef TCFLOW_FRAMEWORK_SOURCE_H
#define TCFLOW_FRAMEWORK_SOURCE_H

#include "kept.h"
#include "slice.h"
#include "wanted.h"
#include <private/stream_host.h>
#include <signal.h>
#include <tcflow/source.h>

typedef struct source source;

/* How the event files of an OTF2 archive are read. */
enum { READER_AUTO, READER_DIRECT, READER_LIBOTF2 };
#define READER_CHOICES "auto|direct|libotf2"

/* What reads a file that is neither an archive nor a stream: a plugin and its parsed parameters. */
typedef struct source_format {
    const tcf_source *source;
    const char *instance;
    const void *conf;
} source_format;

typedef struct source_options {
    const source_format *format; /* NULL: the input is archives or streams */
    const char *token;           /* file with the token of writers at TCP sockets; NULL or "": see private/token.h */
    uint64_t memory;             /* bytes of a stream that may be read ahead */
    int edges;                   /* the chain uses matches; else a source may skip them */
    int salvage;                 /* a damaged location ends at its last good event; else the run fails */
    int sequential;              /* locations are read one after another, so readers are opened late and closed early */
    int reader;                  /* READER_* */
    int by_process;              /* `sequential` holds only where no process has several locations */
    int is_copied; /* a writer has an eighth of the files that may be open: it gathers more than the reader
                      before it needs a file */
    const volatile sig_atomic_t *interrupted; /* not 0: reading and opening end as failures; NULL: never */
} source_options;

static inline int source_is_interrupted(const volatile sig_atomic_t *flag)
{
    return flag && *flag;
}

#define SOURCE_LOST_DEFINITIONS UINT64_MAX /* the location's definitions were lost, no events */

/* A loss of a location, with `salvage`. */
typedef struct source_loss {
    uint32_t location;
    uint64_t last_good; /* number of good events, or SOURCE_LOST_DEFINITIONS */
    const char *file;
    const char *reason;
} source_loss;

/* A file that is read, now or by the process that wrote the stream which is read. */
typedef struct source_input {
    const char *path;   /* of an archive: its anchor file */
    const char *reader; /* what reads its event files, and why; NULL: it is a stream, or another process has read it */
    struct source_input *next;
} source_input;

/* What a source states besides its events; all but `inputs` comes from streams. */
typedef struct source_facts {
    source_input *inputs;
    uint32_t changed;               /* as tcf_self.changed; final after finish() */
    const tcf_property *properties; /* set by the writer's filters; known after finish() */
    uint32_t n_properties;
    const uint8_t *altered; /* by location: TCF_ALTERED_* of the events read; NULL: nothing */
    const tcf_learned_table *learned;
    uint32_t n_learned;
} source_facts;

/* Functions that get snapshots, markers and thumbnails one by one. */
typedef tcf_status (*source_each_snapshot)(void *data, const tcf_snapshot_record *record);
typedef tcf_status (*source_each_marker)(void *data, const tcf_marker *marker);
typedef tcf_status (*source_each_thumbnail)(void *data, const tcf_thumbnail *thumbnail);

/* What the ends of a location's event file say. */
typedef struct source_ends {
    uint64_t first, last; /* local times of its first and last events */
    uint64_t events;      /* their number */
} source_ends;

/* The operations of a kind of source; the functions below describe them. */
typedef struct source_ops {
    void (*close)(source *src);
    tcf_status (*read)(source *src, uint32_t location, slice *s, uint32_t max, int *ended);
    void (*close_location)(source *src, uint32_t location);                /* NULL: nothing is open */
    tcf_status (*rewind)(source *src);                                     /* NULL: it can be read only once */
    tcf_status (*keep)(source *src, const source_wanted *wanted);          /* NULL: all events are delivered */
    void (*progress)(const source *src, uint64_t *bytes, uint64_t *total); /* NULL: unknown */
    /* NULL where the source is no stream, up to ready(). */
    tcf_status (*next)(source *src, uint32_t *location);
    uint64_t (*frontier)(const source *src, uint32_t location);
    const prematched_edges *(*edges)(const source *src);
    tcf_status (*edge_columns)(source *src, slice *s);
    int (*column)(source *src, const char *name, uint32_t bytes, int at_edges, uint32_t number);
    tcf_status (*finish)(source *src);
    void (*on_idle)(source *src, tcf_status (*idle)(void *data), void *data);
    tcf_status (*reject_location)(source *src, uint32_t location, const char *owner);
    int (*ready)(const source *src);
    /* NULL: there are none. */
    uint64_t (*unknown_events)(const source *src);
    tcf_status (*snapshots)(source *src, uint32_t location, source_each_snapshot each, void *data);
    tcf_status (*markers)(source *src, source_each_marker each, void *data);
    tcf_status (*thumbnails)(source *src, source_each_thumbnail each, void *data);
    /* NULL: it cannot be shared. */
    source *(*share)(const source *src);
    void (*add_unknown)(source *src, uint64_t n);
    uint64_t (*bytes)(const source *src, uint32_t location);
    int (*ends)(const source *src, uint32_t location, source_ends *ends); /* NULL: unknown */
    void (*share_files)(source *src, uint32_t shares);                    /* NULL: it has few files */
    int (*end_at_operations)(source *src, int on);                        /* NULL: slices never do */
    slice_size (*next_size)(const source *src, uint32_t location);        /* NULL: SLICE_MANY */
    /* NULL: each location is read by itself, and can be read at any time. */
    uint32_t (*together)(const source *src, uint32_t location);
    tcf_status (*own)(source *src, const uint32_t *of, uint32_t domain);
    int (*has)(const source *src, uint32_t location);
    void (*await)(source *src, int ms);
    tcf_status (*ahead)(source *src, uint32_t *location);
} source_ops;

/* The first member of every kind of source. */
struct source {
    const source_ops *ops;
    const tcf_definitions *definitions; /* those of the source, which owns them */
    source_facts facts;
    source_loss *losses;
    uint32_t n_losses;
};

/* Another source over the same input, for a thread of its own. It reads other locations than `src`, which outlives it,
 * and has no snapshots, markers and thumbnails. NULL: see the cause. */
static inline source *source_share(const source *src)
{
    return src->ops->share(src);
}

static inline int source_can_be_shared(const source *src)
{
    return src->ops->share != NULL;
}

/* The first of the locations that only one source can read, of those that share an input; the location itself: it is
 * alone. */
static inline uint32_t source_together(const source *src, uint32_t location)
{
    return src->ops->together ? src->ops->together(src, location) : location;
}

/* Once, for the source and for each that shares its input, before events are read: it reads the locations l with of[l]
 * == domain, and no others. */
static inline tcf_status source_own(source *src, const uint32_t *of, uint32_t domain)
{
    return src->ops->own ? src->ops->own(src, of, domain) : TCF_OK;
}

/* Can something of the location, or its end, be read without waiting? */
static inline int source_has(const source *src, uint32_t location)
{
    return !src->ops->has || src->ops->has(src, location);
}

/* Waits until something comes, at most so many milliseconds. */
static inline void source_await(source *src, int ms)
{
    if (src->ops->await)
        src->ops->await(src, ms);
}

static inline int source_reads_ahead(const source *src)
{
    return src->ops->ahead != NULL;
}

/* For who reads nothing for the moment: *location is one that has to be read all the same, since a writer waits for
 * that, and others may wait for this writer; UINT32_MAX: there is none. */
static inline tcf_status source_ahead(source *src, uint32_t *location)
{
    *location = UINT32_MAX;
    return src->ops->ahead ? src->ops->ahead(src, location) : TCF_OK;
}

/* Before events are read: the source, and each that shares its input, has one of so many shares of the files that may
 * be open; else it has all. */
static inline void source_share_files(source *src, uint32_t shares)
{
    if (src->ops->share_files)
        src->ops->share_files(src, shares);
}

/* Counts unknown records that another source over the same input has found, which has ended. */
static inline void source_add_unknown(source *src, uint64_t n)
{
    if (src->ops->add_unknown)
        src->ops->add_unknown(src, n);
}

/* Size of the event file of a location that can be shared. */
static inline uint64_t source_bytes(const source *src, uint32_t location)
{
    return src->ops->bytes(src, location);
}

/* Returns 0 where nothing is known, or there are no events. */
static inline int source_ends_of(const source *src, uint32_t location, source_ends *ends)
{
    return src->ops->ends && src->ops->ends(src, location, ends);
}

/* source.c. From when to when the trace goes, in ticks since its stated start: by the times of the first and last
 * events of all locations, corrected by the clock offsets that it has. Reads the ends of the event files. Returns 0
 * where that is unknown. */
int source_extent(const source *src, int64_t *first, int64_t *last);
/* Widens first and last, INT64_MAX and INT64_MIN at the start, by what source_ends_of() has given of a location. */
void source_extent_add(const source *src, uint32_t location, const source_ends *ends, int64_t *first, int64_t *last);

/* source.c. Records a loss, with copies of its texts in `texts`. */
struct definitions;
tcf_status source_note_loss(source *src, struct definitions *texts, source_loss loss);

/* Adds a file to the inputs; a relative path counts from the working folder. */
tcf_status source_add_input(source *src, struct definitions *texts, const char *path);
/* Is this file or folder an input, a part of one, or a folder around one? -1: nobody can say (errno). */
int source_is_input(const source *src, const char *path);
/* Fails: both inputs have events of the location. */
tcf_status source_fail_overlap(const tcf_location *location, const char *a, const char *b);

static inline void source_close(source *src)
{
    if (src)
        src->ops->close(src);
}

/* Owned by the source, valid until source_close(). */
static inline const tcf_definitions *source_definitions(const source *src)
{
    return src->definitions;
}

/* Appends up to `max` events of a location to s, which must have room for them: raw local timestamps, indices instead
 * of ids; fewer when the arena runs full. Sets *ended to 1 behind the location's last event. The caller sets
 * s->v.first; match, edge and callpath columns are left alone. */
static inline tcf_status source_read(source *src, uint32_t location, slice *s, uint32_t max, int *ended)
{
    return src->ops->read(src, location, s, max, ended);
}

/* May slices of many locations end in front of a collective operation? They don't unless that is said. 1: they will. */
static inline int source_end_at_operations(source *src, int on)
{
    return src->ops->end_at_operations && src->ops->end_at_operations(src, on);
}

/* How long the location's next slice should be. SLICE_FEW: it is likely to wait for others behind its next few events:
 * these are its first, or its last slice has ended in front of a collective operation. SLICE_USUAL: it was to have few
 * events the last time. */
static inline slice_size source_next_size(const source *src, uint32_t location)
{
    return src->ops->next_size ? src->ops->next_size(src, location) : SLICE_MANY;
}

/* Frees what is open for a location, which isn't read any more. */
static inline void source_close_location(source *src, uint32_t location)
{
    if (src->ops->close_location)
        src->ops->close_location(src, location);
}

/* Restricts delivery to the wanted events; NULL: all are wanted again. A source may deliver more. `wanted->regions`
 * must stay valid until the next call. */
static inline tcf_status source_keep(source *src, const source_wanted *wanted)
{
    return src->ops->keep ? src->ops->keep(src, wanted) : TCF_OK;
}

/* Starts all locations again at their first events, and forgets their losses. */
static inline tcf_status source_rewind(source *src)
{
    return src->ops->rewind(src);
}

/* Chooses the location to read. In: the preferred one, or UINT32_MAX for any. Out: the same; or, where any is allowed
 * or the source holds more than `memory`, the location of the oldest events held; UINT32_MAX: all have ended, or
 * nothing can be read yet. */
static inline tcf_status source_next(source *src, uint32_t *location)
{
    return src->ops->next ? src->ops->next(src, location) : TCF_OK;
}

/* Lower bound of the time of a location's next event; 0: unknown. */
static inline uint64_t source_frontier(const source *src, uint32_t location)
{
    return src->ops->frontier ? src->ops->frontier(src, location) : 0;
}

/* The matches of the events of the last source_read(); NULL: the source brings none, the matcher has to find them. */
static inline const prematched_edges *source_edges(const source *src)
{
    return src->ops->edges ? src->ops->edges(src) : NULL;
}

/* Fills the edge columns of the slice that was read last; its edges must be those of source_edges(). */
static inline tcf_status source_edge_columns(source *src, slice *s)
{
    return src->ops->edge_columns ? src->ops->edge_columns(src, s) : TCF_OK;
}

/* Binds the source's column of this name to column `number` of all further slices; 0: it has no such column. */
static inline int source_column(source *src, const char *name, uint32_t bytes, int at_edges, uint32_t number)
{
    return src->ops->column && src->ops->column(src, name, bytes, at_edges, number);
}

/* Checks that the input is whole, when all locations have ended; others' losses are added to the source's behind it. */
static inline tcf_status source_finish(source *src)
{
    return src->ops->finish ? src->ops->finish(src) : TCF_OK;
}

static inline const source_facts *source_facts_of(const source *src)
{
    return &src->facts;
}

/* Is it a stream? Then source_next() may choose another location than the preferred one. */
static inline int source_is_stream(const source *src)
{
    return src->ops->next != NULL;
}

/* Sets a function that is called before the source waits for input. Its TCF_ERROR ends the reading. */
static inline void source_on_idle(source *src, tcf_status (*idle)(void *data), void *data)
{
    if (src->ops->on_idle)
        src->ops->on_idle(src, idle, data);
}

/* Rejects a location: another input, `owner` (a name that outlives the source), has its events. Further records of the
 * location are dropped; events of it, also earlier ones, are an error. */
static inline tcf_status source_reject_location(source *src, uint32_t location, const char *owner)
{
    return src->ops->reject_location ? src->ops->reject_location(src, location, owner) : TCF_OK;
}

/* Can something be read without waiting? */
static inline int source_ready(const source *src)
{
    return src->ops->ready ? src->ops->ready(src) : 1;
}

/* Bytes of event files read, and in total (0: unknown), for the progress display. */
static inline void source_progress(const source *src, uint64_t *bytes, uint64_t *total)
{
    *bytes = *total = 0;
    if (src->ops->progress)
        src->ops->progress(src, bytes, total);
}

/* Number of records so far of kinds that this build doesn't know. */
static inline uint64_t source_unknown_events(const source *src)
{
    return src->ops->unknown_events ? src->ops->unknown_events(src) : 0;
}

/* All of them are there when the source is finished. */
static inline const source_loss *source_losses(const source *src, uint32_t *n)
{
    *n = src->n_losses;
    return src->losses;
}

/* Snapshots of a location, markers, thumbnails; see tcf_host of filter.h. */
static inline tcf_status source_snapshots(source *src, uint32_t location, source_each_snapshot each, void *data)
{
    return src->ops->snapshots ? src->ops->snapshots(src, location, each, data) : TCF_OK;
}

static inline tcf_status source_markers(source *src, source_each_marker each, void *data)
{
    return src->ops->markers ? src->ops->markers(src, each, data) : TCF_OK;
}

static inline tcf_status source_thumbnails(source *src, source_each_thumbnail each, void *data)
{
    return src->ops->thumbnails ? src->ops->thumbnails(src, each, data) : TCF_OK;
}

#endif
