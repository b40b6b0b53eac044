/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Shared by the files of the OTF2 source: otf2_open.c, otf2_source.c, its readers otf2_direct.c (with otf2_events.c)
 * and otf2_library.c (with the callbacks of otf2_decode.c), otf2_damage.c, otf2_definitions.c, otf2_local.c
 * (definitions of locations), otf2_extras.c (snapshots, markers, thumbnails), otf2_file.c and otf2_side_files.c (checks
 * of files), otf2_error.c (libotf2's messages). */
#ifndef TCFLOW_FRAMEWORK_OTF2_INTERNAL_H
#define TCFLOW_FRAMEWORK_OTF2_INTERNAL_H

#include "framework/base/handles.h"
#include "framework/trace/definitions.h"
#include "otf2_file.h"
#include "otf2_source.h"

#include <otf2/otf2.h>
#include <pthread.h>

/* -------------------------------------------------------------------------------------------- libotf2's messages -- */

/* Keeps libotf2's messages for otf2_fail() until otf2_errors_end(); calls may nest. */
void otf2_errors_begin(void);
void otf2_errors_end(void);
/* Drops the messages kept on this thread. */
void otf2_errors_clear(void);
/* Fails with the most likely reason why this anchor file doesn't exist. */
tcf_status otf2_missing_anchor(const char *anchor);
/* The same of a folder that is no trace's, or of several. */
tcf_status otf2_folder_without_anchor(const char *folder);
/* Fails with libotf2's messages, or the description of `code` where there are none. */
tcf_status otf2_fail(OTF2_ErrorCode code);

/* --------------------------------------------------------------------------------------------------- definitions -- */

/* Reads the anchor and the global definitions, whose chunks have `chunk_bytes`, and calls definitions_resolve(). */
tcf_status otf2_read_global_definitions(OTF2_Reader *reader, uint64_t chunk_bytes, definitions *d,
                                        const source_options *options);

/* ------------------------------------------------------------------------------------------------------ decoding -- */

/* A location's mapping table: global ids by local id; where `local` is given, by a search in it. */
typedef struct id_map {
    uint64_t n;
    const uint64_t *local, *global;
} id_map;

typedef struct id_maps {
    const id_map *of[OTF2_MAPPING_MAX]; /* NULL: ids are global */
} id_maps;

/* Where events are stored. One for all locations, which are read one at a time. */
typedef struct decoder {
    uint32_t n; /* events in the columns */
    uint64_t *time;
    uint8_t *kind;
    uint32_t *attr;
    tcf_rec *rec;
    definitions *defs;
    slice *s;
    const id_maps *maps;    /* of the location, where libotf2 doesn't apply them; NULL: it has none */
    int length_first;       /* see otf2_lists_start_with_length() */
    int out_of_memory;      /* of the slice's arena */
    uint64_t unknown;       /* records of unknown kinds */
    const uint8_t *wanted;  /* kinds, as in source_wanted, for otf2_decode_events(); NULL: all */
    const uint8_t *regions; /* as in source_wanted */
    uint32_t n_regions;
    uint32_t least; /* events of a slice, behind which a collective operation ends it; 0: none does */
} decoder;

/* Some bytes of a chunk of an event file. */
typedef struct event_bytes {
    const uint8_t *at, *end; /* EVENT_SLACK bytes behind the end can be read */
    int swap;                /* the chunk has the other byte order */
    int check;               /* events that aren't wanted are checked, too */
    uint64_t time;           /* of the record in front of `at` */
    uint64_t records;        /* to be read of the chunk */
    int full;                /* out: the arena is full */
    int is_at_operation;     /* out: a collective operation has ended the slice, in front of it */
    const char *damage;      /* out: the record at `at` ends behind `end`, or is malformed in this way */
} event_bytes;
enum { EVENT_SLACK = 160 };

/* Decodes records until d->n is `most`, the arena is full, a collective operation ends the slice, b->records have been
 * read, or the bytes run out. */
void otf2_decode_events(decoder *d, event_bytes *b, uint32_t most);

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

/* Bytes of one event file. */
typedef struct event_buffer {
    uint8_t *bytes;
    uint64_t capacity; /* without EVENT_SLACK */
    uint32_t location;
    uint32_t run;       /* of a window: about so many bytes are between two collective operations; 0: not known */
    uint64_t start, n;  /* where in `bytes`, and how many */
    uint64_t offset;    /* in the file */
    uint64_t operation; /* of a window: the offset at which an operation has ended a slice last; before: 0 */
} event_buffer;

/* The state of reading a location. */
typedef struct otf2_location {
    const id_maps *maps;  /* NULL: none */
    event_buffer *window; /* of the direct reader: the location's own buffer, or NULL */
    uint64_t offset;      /* in the file: of the next record, of libotf2's reader that of the chunk */
    uint32_t handle;      /* see handles_find() */
    uint8_t swap;         /* the chunk has the other byte order */
    uint8_t state;
    uint8_t last;      /* the location ends at `limit` */
    uint8_t next_size; /* see source_next_size() */
    event_file file;
    uint64_t position; /* records read, unknown kinds included */
    uint64_t events;   /* events delivered */
    uint64_t limit;    /* last record of the current chunk, up to which libotf2 may read */
    uint64_t chunk;    /* number of the current chunk, from 1 */
    uint64_t last_time;
} otf2_location;

_Static_assert(sizeof(otf2_location) <= 120,
               "of the 512 bytes of a location, see tests/framework/test_location_bytes.sh");

/* What libotf2's reader keeps beside it. */
typedef struct library_location {
    OTF2_EvtReader *reader;
    uint64_t first_time; /* first timestamp of the current chunk, where has_first_time */
    const char *damage;  /* why the location ends at `limit`, or NULL */
    uint8_t has_first_time;
    uint8_t scanned; /* the chunk's records have been checked */
} library_location;

struct otf2_source;
typedef struct otf2_ahead otf2_ahead;

/* A way to read event files. */
typedef struct event_reader {
    const char *name;
    tcf_status (*open)(struct otf2_source *src);
    void (*close)(struct otf2_source *src);
    void (*close_location)(struct otf2_source *src, uint32_t location); /* of a location that has been read */
    tcf_status (*keep)(struct otf2_source *src, const source_wanted *wanted);
    /* Adds up to `room` events to s; src->decoder is at its end. */
    tcf_status (*read)(struct otf2_source *src, uint32_t location, slice *s, uint32_t room);
} event_reader;
extern const event_reader otf2_direct_reader, otf2_library_reader;

typedef struct otf2_source {
    source base; /* first: what the pipeline sees */
    OTF2_Reader *reader;
    pthread_mutex_t reader_lock; /* held by the thread that reads snapshots: libotf2 has no lock */
    struct otf2_source *whole; /* of a share: who has its folder, locations, most of defs, and the reader; else NULL */
    const event_reader *events;
    definitions *defs;
    source_options options;
    source_wanted wanted; /* a copy, where some events are wanted */
    char *folder;         /* folder of the event files */
    uint64_t chunk_bytes, definition_chunk_bytes;
    otf2_location *locations;
    decoder decoder;
    uint64_t bytes, total_bytes;
    uint32_t n_thumbnails;
    /* The direct reader's. */
    tcf_handles handles;
    uint32_t file_shares; /* as source_share_files() has it; 0: 1 */
    event_buffer buffer;
    uint8_t *windows; /* of all locations, or NULL; shares have those of the whole */
    uint64_t windows_bytes;
    otf2_ahead *ahead;              /* of all shares; NULL: none */
    uint8_t reads_at_once, is_cold; /* see read_file() */
    uint8_t is_foreign;             /* an event file has another owner */
    /* libotf2's reader's. */
    library_location *library; /* by location */
    OTF2_EvtReaderCallbacks *callbacks,
        *wanted_callbacks; /* wanted_callbacks: in use while only some events are wanted; else NULL */
    uint8_t *scratch;      /* one chunk, for event_file_scan(); NULL without salvage */
    int event_files_open;
    int mapped; /* some location has a mapping table, so ids in its events are local */
} otf2_source;

/* Opens archive, definitions and locations; src->options are set. On failure the caller closes src. */
tcf_status otf2_open(otf2_source *src, const char *anchor);

enum { OTF2_PATH_BYTES = 4096 };
void otf2_event_path(const otf2_source *src, uint32_t location, char path[OTF2_PATH_BYTES]);
/* To be called for each location in turn, before its file is opened: has the system read the same part of the files of
 * the next locations, unless it is in memory. Of event files: both ends, or the first bytes, up to OTF2_MOST_AHEAD. */
void otf2_definitions_ahead(const otf2_source *src, uint32_t location);
void otf2_ends_ahead(const otf2_source *src, uint32_t location);
void otf2_begins_ahead(const otf2_source *src, uint32_t location);
/* otf2_ahead.c. A thread that reads event files ahead; it starts with the first wish. NULL: the files are long, or
 * out of memory. The source and its locations outlive it. */
otf2_ahead *otf2_ahead_new(const otf2_source *src);
void otf2_ahead_delete(otf2_ahead *a);
/* All files are going to be read again from their begins. */
void otf2_ahead_again(otf2_ahead *a);
/* The location's file has been read up to `offset`: what follows will be read soon. The first call has the begins of
 * all files read before. Any thread calls it. */
void otf2_ahead_wish(otf2_ahead *a, uint32_t location, uint64_t offset);
/* otf2_local.c. Reads the local definitions: mapping tables into src->locations, clock offsets into src->defs. A
 * damaged file is an error, with `salvage` a loss. */
tcf_status otf2_read_local_definitions(otf2_source *src);
/* Ends the location at its damage: a loss with `salvage`, else a failure. */
tcf_status otf2_damaged(otf2_source *src, uint32_t location, const char *reason);
/* What all readers do before they read the first event of a location, and the first record of a chunk whose header is
 * `chunk`, or damaged in this way. The location may have ended then: without events, or with a loss. */
tcf_status otf2_begin_location(otf2_source *src, uint32_t location);
tcf_status otf2_begin_chunk(otf2_source *src, uint32_t location, const event_chunk *chunk, const char *damage);
/* otf2_direct.c. See source_end_at_operations(). */
int otf2_direct_end_at_operations(otf2_source *src, int on);
/* See source_next_size(); slices end at operations. */
slice_size otf2_direct_next_size(const otf2_location *l);

/* Operations of source.h; `base` is that of an otf2_source. */
tcf_status otf2_source_snapshots(source *base, uint32_t location, source_each_snapshot each, void *data);
tcf_status otf2_source_markers(source *base, source_each_marker each, void *data);
tcf_status otf2_source_thumbnails(source *base, source_each_thumbnail each, void *data);

#endif
