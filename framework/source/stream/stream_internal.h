/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of the stream source share: stream_source.c (which location gets what), stream_input.c (bytes to
 * frames), stream_group.c (several at a time), stream_frames.c, stream_intake.c (where frames go),
 * stream_definitions.c, stream_window.c (events), stream_edges.c (their matches), stream_extras.c (snapshots, markers,
 * thumbnails). All of it looks at what strangers may have written: every length, count and number is checked before it
 * is used, and what is wrong ends in a message. */
#ifndef TCFLOW_FRAMEWORK_STREAM_INTERNAL_H
#define TCFLOW_FRAMEWORK_STREAM_INTERNAL_H

#include "framework/trace/definitions.h"
#include "stream_source.h"
#include <tcflow/stream.h>

/* A window that is being read: a place in each of its blocks. */
typedef struct window {
    uint32_t location;
    uint32_t n, done;   /* events */
    uint64_t first;     /* number of its first event */
    uint64_t last_time; /* of the events done */
    uint64_t next_attr; /* event with attributes that comes next, n: none */
    uint32_t n_edges, edges_done, n_kinds;
    uint32_t last_pos; /* of the edges done */
    tcf_cursor time, kind, record, attributes, edges;
    tcf_cursor column[SLICE_MAX_COLUMNS];
    uint64_t column_last[SLICE_MAX_COLUMNS];
} window;

typedef struct frame {
    struct frame *next;
    uint8_t *bytes;
    size_t n, capacity;
    uint64_t number;
    uint8_t type;
    uint8_t opened; /* the window is valid */
    window window;
    prematched_kind *kinds; /* of the window's edges */
    uint64_t *last_number;
    uint32_t kinds_capacity;
} frame;

/* --------------------------------------------------------------------------------------------------------- bytes -- */

typedef struct stream_input {
    int fd;
    int listener;        /* where the writer is waited for, or -1 */
    char *socket;        /* the name of a socket that goes when the writer has come, or NULL */
    char *name;          /* for messages */
    stream_group *group; /* of streams that are read together, or NULL */
    uint8_t *queue;      /* a ring of what came while another one was waited for */
    size_t queue_from, queue_n;
    uint8_t silent; /* nothing more comes into the queue: what is wrong is found when it is this one's turn */
    int error; /* what reading into the queue ended with (errno), for it may be told only once; 0: nothing, or the end
                */
    const volatile sig_atomic_t *interrupted; /* source_options */
    tcf_status (*idle)(void *data);
    void *idle_data;
    uint64_t bytes, total; /* read so far; of a plain file, else 0 */
    uint32_t frames;
    uint8_t *packed; /* a compressed frame */
    size_t packed_capacity;
    uint8_t other_order; /* of bytes in the memory of who wrote it */
    const char *damage;  /* why stream_input_next() has said INPUT_DAMAGED */
} stream_input;

/* Opens it. In a group nobody is waited for here. */
tcf_status stream_input_open(stream_input *in, const char *input, stream_group *g);
/* Waits for the writer, and reads the header. */
tcf_status stream_input_start(stream_input *in);
void stream_input_close(stream_input *in);
/* Has something come? */
int stream_input_ready(const stream_input *in);

#ifndef STREAM_FIRST_WAIT_MS
#define STREAM_FIRST_WAIT_MS 20 /* a writer that is no faster is not idle yet */
#endif

/* stream_group.c. Waits until fd, that of the input, has something. Somebody may use the time, unless it is only that
 * the writer is not as fast: from `patience` ms on (-1: never). */
tcf_status stream_wait(stream_input *in, int fd, int patience);
/* Up to n bytes that were read while others were waited for. */
size_t stream_take_queued(stream_input *in, uint8_t *to, size_t n);
tcf_status stream_group_add(stream_group *g, stream_input *in);

/* INPUT_DAMAGED: the stream is cut, or not as it was written; in->damage tells. INPUT_FAILED: see the cause. */
typedef enum input_state { INPUT_FRAME, INPUT_DAMAGED, INPUT_FAILED } input_state;
input_state stream_input_next(stream_input *in, frame *f);

/* -------------------------------------------------------------------------------------------------------- source -- */

typedef struct stream_column {
    const char *name;
    uint32_t bytes;
    uint8_t at_edges;
    uint8_t wanted;
    uint32_t number; /* in slice->columns */
} stream_column;

typedef struct stream_place {
    frame *head, *tail; /* windows that wait to be asked for */
    uint64_t events;    /* that have come */
    uint64_t last_time; /* of the events that have come */
    uint64_t frontier;  /* behind all that waits */
    uint8_t end_has_come;
    uint8_t ended;     /* and has been told */
    const char *whose; /* another input has its events; NULL: none */
} stream_place;

/* A record of markers and the like, kept for whoever asks. */
typedef struct stream_extra {
    frame *first, *last;
} stream_extra;

typedef struct stream_source {
    source base; /* first: what the pipeline sees */
    stream_input input;
    source_options options;
    definitions *defs;
    source_facts facts;
    uint32_t n_learned_room;
    int has_edges;
    stream_column columns[SLICE_MAX_COLUMNS];
    uint32_t n_columns;
    stream_place *places;
    uint8_t *altered; /* by location, for facts */
    frame *free_frames;
    uint64_t waiting;        /* bytes of windows that wait */
    uint64_t extra_bytes;    /* of markers and the like */
    stream_extra *snapshots; /* by location */
    stream_extra markers, thumbnails;
    uint64_t events;          /* that have come */
    uint32_t n_ended, n_told; /* locations whose end has come; and been told */
    int over;                 /* the end frame has come, or with salvage the good part of the stream ends */
    uint64_t unknown_before;  /* events that the writer's source did not know */
    source_loss *losses;
    uint32_t n_losses;
    /* what was read last */
    prematched_edges kept;
    prematched_kind *kinds;
    prematched_edge *edges;
    uint32_t kinds_capacity, edges_capacity;
    frame *last_frame; /* that edges came of; NULL: of none */
    frame *used_up;    /* it may be that one; given back with the next one */
} stream_source;

/* stream_intake.c. The next frame goes where it belongs; with salvage the stream may be over afterwards. */
tcf_status stream_advance(stream_source *src);
/* The stream ends here. With salvage that is a loss of what is missing, else the run fails. */
tcf_status stream_cut(stream_source *src, const char *reason);
/* The failure that another input has events of the location, too. */
tcf_status stream_overlap(const stream_source *src, uint32_t location, const char *whose);
/* What a window that waits takes, of src->waiting. */
uint64_t stream_taken(const frame *f);

/* stream_frames.c. Gives a frame back for reuse; frees a list of frames. */
void stream_give_frame(stream_source *src, frame *f);
void stream_free_frames(frame *f);
/* The failure that a frame holds what cannot be there. It names the frame. */
tcf_status stream_bad(const stream_source *src, const frame *f, const char *what);
/* A text in a frame, without a 0 in it, and its length in *n. NULL: the frame is bad. */
const char *stream_text(tcf_cursor *c, size_t *n);
/* A copy of it that lives as long as the definitions. NULL: the frame is bad (c->bad), or out of memory. */
const char *stream_keep_text(definitions *d, tcf_cursor *c);

/* An index from a packed reference; dangling ids become known. */
static inline uint32_t stream_reference(definitions *defs, tcf_cursor *c, tcf_ref_kind kind)
{
    uint64_t value = tcf_get_varint(c);
    if (__builtin_expect(value >= TCF_PACKED_INDEX, 1)) {
        value -= TCF_PACKED_INDEX;
        if (value >= defs->v.ids[kind].n)
            c->bad = 1;
        return c->bad ? TCF_NONE : (uint32_t)value;
    }
    return value == TCF_PACKED_NONE ? TCF_NONE : definitions_index(defs, kind, tcf_get_varint(c));
}

/* stream_definitions.c: frames in front of TCF_FRAME_READY. */
tcf_status stream_take_definition(stream_source *src, frame *f);

/* stream_window.c. Looks at the blocks; then events to the slice, up to `max`, fewer when its arena runs full. */
tcf_status stream_open_window(stream_source *src, frame *f);
tcf_status stream_read_window(stream_source *src, frame *f, slice *s, uint32_t max);
/* One record and one attribute list, into the arena of s. */
void stream_get_record(definitions *defs, tcf_cursor *c, uint8_t kind, tcf_rec *rec, slice *s);
uint32_t stream_get_attributes(definitions *defs, tcf_cursor *c, slice *s);

/* stream_edges.c. How many there are when the window is opened; then the edges of events [from, to) of the window,
 * which stand from `at` on in the slice. */
tcf_status stream_read_kinds(stream_source *src, frame *f);
tcf_status stream_read_edges(stream_source *src, frame *f, uint32_t from, uint32_t to, uint32_t at);
tcf_status stream_edge_columns(stream_source *src, slice *s);

/* stream_extras.c */
tcf_status stream_take_extra(stream_source *src, frame *f);
tcf_status stream_snapshots(stream_source *src, uint32_t location,
                            tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data);
tcf_status stream_markers(stream_source *src, tcf_status (*each)(void *data, const tcf_marker *marker), void *data);
tcf_status stream_thumbnails(stream_source *src, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail),
                             void *data);
void stream_free_extras(stream_source *src);

#endif
