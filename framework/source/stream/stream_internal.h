/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Shared by the files of the stream source: stream_source.c (which location is read), stream_input.c (bytes to frames),
 * stream_accept.c (who is the writer at a socket), stream_token.c (its proof), stream_group.c (several streams),
 * stream_frames.c, stream_intake.c (sorting frames), stream_definitions.c, stream_window.c (events), stream_edges.c
 * (matches), stream_extras.c (snapshots, markers, thumbnails). A stream may come from anyone: every length, count and
 * number is checked before it is used, and bad ones end in a message. */
#ifndef TCFLOW_FRAMEWORK_STREAM_INTERNAL_H
#define TCFLOW_FRAMEWORK_STREAM_INTERNAL_H

#include "framework/trace/definitions.h"
#include "stream_source.h"
#include <private/stream.h>

/* Reading a window: a position in each of its blocks. */
typedef struct window {
    uint32_t location;
    uint32_t n, done;   /* events */
    uint64_t first;     /* number of its first event */
    uint64_t last_time; /* of the last event done */
    uint64_t next_attr; /* next event with attributes; n: none */
    uint32_t n_edges, edges_done, n_kinds;
    uint32_t last_pos; /* of the last edge done */
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
    uint8_t head[TCF_HEAD_BYTES]; /* while it comes */
    size_t come;                  /* bytes of head and content that have come; 0 again when all have */
    window window;
    prematched_kind *kinds; /* of the window's edges */
    uint64_t *last_number;
    uint32_t kinds_capacity;
} frame;

/* --------------------------------------------------------------------------------------------------------- bytes -- */

typedef struct stream_token stream_token;

typedef struct stream_input {
    int fd;
    int listener;        /* socket where the writer connects, or -1 */
    char *socket;        /* path of a Unix socket, removed when the writer has connected; or NULL */
    char *name;          /* for messages */
    stream_token *token; /* that the writer has to prove, and by which it seals the stream; or NULL */
    stream_group *group; /* of streams that are read together, or NULL */
    uint8_t *queue;      /* ring of bytes that came while another stream was waited for */
    size_t queue_from, queue_n;
    uint8_t silent; /* the queue is closed: reading the input directly finds why */
    int error;      /* errno of reading into the queue, which the system reports once; 0: none, or the end */
    const volatile sig_atomic_t *interrupted; /* source_options */
    tcf_status (*idle)(void *data);
    void *idle_data;
    uint64_t bytes, total; /* bytes read so far; total: size of a plain file, else 0 */
    uint32_t frames;
    uint8_t *packed; /* the compressed bytes of a frame */
    size_t packed_capacity;
    uint8_t other_order; /* the writer's byte order is the other one */
    const char *damage;  /* why stream_input_next() returned INPUT_DAMAGED */
} stream_input;

/* Opens the stream, without waiting for a writer in a group. `token`: as in source_options. */
tcf_status stream_input_open(stream_input *in, const char *input, const char *token, stream_group *g);
/* The path of the file that is read, which the caller frees; NULL: it is none. */
char *stream_input_file(const stream_input *in);
/* Waits for the writer and reads the header. */
tcf_status stream_input_start(stream_input *in);
void stream_input_close(stream_input *in);
/* stream_accept.c: waits at in->listener for the writer, and returns its connection. */
tcf_status stream_accept(stream_input *in, int *fd);
/* Can something be read without waiting, if only the end? */
int stream_input_ready(const stream_input *in);

/* stream_token.c. Has the token of `path` or of the environment asked for at this input; fails where there is none and
 * it `is_needed`. */
tcf_status stream_token_open(stream_input *in, const char *path, int is_needed);
void stream_token_free(stream_token *t);
enum { STREAM_NONCE_BYTES = 32 };
/* Sends a caller the reader's nonce; 0: it has ended. */
int stream_token_ask(int fd, uint8_t nonce[STREAM_NONCE_BYTES]);
/* Has the caller proved that it has the token? 0 and *why NULL: not yet. */
int stream_token_check(stream_input *in, int fd, const uint8_t nonce[STREAM_NONCE_BYTES], const char **why);
/* As read(): up to n bytes of the stream, out of its boxes where it is sealed (EBADMSG: somebody has altered it). */
ssize_t stream_read(stream_input *in, void *to, size_t n);
/* Bytes that stream_read() has without a look at the descriptor. */
size_t stream_token_pending(const stream_input *in);

#ifndef STREAM_FIRST_WAIT_MS
#define STREAM_FIRST_WAIT_MS 20 /* a writer may be this slow before the idle function runs */
#endif

/* stream_group.c. Waits until the input's descriptor `fd` can be read, and queues other inputs of its group, if it has
 * one, meanwhile. NULL: waits until anything was queued, or nothing more can be. The idle function runs after
 * `patience` ms; -1: never. */
tcf_status stream_wait(stream_group *g, const stream_input *in, int fd, int patience);
/* Moves up to n bytes from the queue to `to`; returns their number. */
size_t stream_take_queued(stream_input *in, uint8_t *to, size_t n);
tcf_status stream_group_add(stream_group *g, stream_input *in);
/* Does the writer wait until the queue is read? */
int stream_queue_is_full(const stream_input *in);

/* INPUT_PARTLY: the rest of it has not come yet. INPUT_DAMAGED: the stream is cut or altered, see in->damage.
 * INPUT_FAILED: another failure (the cause is recorded). */
typedef enum input_state { INPUT_FRAME, INPUT_PARTLY, INPUT_DAMAGED, INPUT_FAILED } input_state;
/* Reads a frame, or the rest of one that has come partly. waits: until it has come. Behind damage and failures a
 * further call finds the same. */
input_state stream_input_next(stream_input *in, frame *f, int waits);

/* -------------------------------------------------------------------------------------------------------- source -- */

typedef struct stream_column {
    const char *name;
    uint32_t bytes;
    uint8_t at_edges;
    uint8_t wanted;
    uint32_t number; /* in slice->columns */
} stream_column;

typedef struct stream_location {
    frame *head, *tail; /* windows that wait to be read */
    uint64_t events;    /* that have come */
    uint64_t last_time; /* of the events delivered */
    uint64_t frontier;  /* behind all windows that wait */
    uint8_t end_received;
    uint8_t end_delivered; /* its end was delivered */
    const char *owner;     /* rejected: the input that has its events; NULL: it isn't */
} stream_location;

/* A list of frames with snapshots, markers or thumbnails. */
typedef struct stream_extra {
    frame *first, *last;
} stream_extra;

typedef struct stream_source {
    source base; /* first: what the pipeline sees */
    stream_input input;
    source_options options;
    definitions *defs;
    int has_edges;
    int depends; /* its writer waits for what others write, see stream_source_take_ahead() */
    int yields;  /* reading a location ends where nothing more can be read without waiting */
    stream_column columns[SLICE_MAX_COLUMNS];
    uint32_t n_columns;
    stream_location *locations;
    uint8_t *altered; /* by location; base.facts.altered */
    frame *free_frames;
    frame *coming;           /* the next frame, of which something has come; NULL: nothing is known of it */
    int is_whole;            /* all of it has */
    uint64_t waiting;        /* bytes of windows that wait */
    uint64_t extra_bytes;    /* bytes of snapshots, markers, thumbnails */
    stream_extra *snapshots; /* by location */
    stream_extra markers, thumbnails;
    uint64_t events;               /* that have come */
    uint32_t n_ended, n_delivered; /* locations whose end has come; whose end was delivered */
    int over;                      /* the end frame has come, or the good part has ended (salvage) */
    uint64_t unknown_before;       /* events of unknown kinds in the writer's input */
    /* Of the last read: */
    prematched_edges kept;
    prematched_kind *kinds;
    prematched_edge *edges;
    uint32_t kinds_capacity, edges_capacity;
    frame *last_frame; /* frame of the last edges; NULL: none */
    frame *used_up;    /* last frame that was read to its end; maybe last_frame, so released by the next read */
} stream_source;

/* stream_intake.c. Takes the next frame; with salvage src->over may be set afterwards. */
tcf_status stream_advance(stream_source *src);
/* Would stream_advance() return without waiting? Takes what has come of the next frame. */
int stream_can_advance(stream_source *src);
/* Ends the stream at its damage: a loss of the open locations with `salvage`, else a failure. */
tcf_status stream_cut(stream_source *src, const char *reason);
/* Bytes that a waiting window takes of src->waiting. */
uint64_t stream_window_bytes(const frame *f);

/* stream_frames.c. Returns a frame to the free ones; frees a list of frames. */
void stream_release_frame(stream_source *src, frame *f);
void stream_free_frames(frame *f);
/* Fails: the frame holds `what`, which its writer must not write. */
tcf_status stream_bad(const stream_source *src, const frame *f, const char *what);
/* Fails unless all of the frame was read, and nothing beyond it. */
tcf_status stream_whole(const stream_source *src, const frame *f, const tcf_cursor *c);
/* A text in a frame, without a 0 in it or behind it, and its length *n. NULL: the frame is bad (c->bad). */
const char *stream_text(tcf_cursor *c, size_t *n);
/* A copy of it in the memory of the definitions. NULL: the frame is bad (c->bad), or out of memory. */
const char *stream_keep_text(definitions *d, tcf_cursor *c);

/* Memory for the arrays and texts of one record, which its owner has made large enough: an element takes at least a
 * byte in the stream and at most 8 in memory. */
typedef struct stream_scratch {
    uint8_t *at;
    size_t used;
} stream_scratch;
void *stream_scratch_room(stream_scratch *m, size_t bytes);
/* A copy of the next text, ended by a 0; "" where the frame is bad (c->bad). */
const char *stream_scratch_text(tcf_cursor *c, stream_scratch *m);

/* Reads a packed reference; an undefined id gets an index. */
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

/* stream_definitions.c. Takes a list of properties. */
tcf_status stream_take_properties(definitions *d, tcf_cursor *c, const tcf_property **properties, uint32_t *n);
/* Takes a frame up to TCF_FRAME_READY. */
tcf_status stream_take_definition(stream_source *src, frame *f);

/* stream_window.c. Checks a window's blocks; appends up to `max` of its events to the slice, fewer when the arena runs
 * full. */
tcf_status stream_open_window(stream_source *src, frame *f);
tcf_status stream_read_window(stream_source *src, frame *f, slice *s, uint32_t max);
/* Reads a record and an attribute list, with arrays in the arena of s. */
void stream_get_record(definitions *defs, tcf_cursor *c, uint8_t kind, tcf_rec *rec, slice *s);
uint32_t stream_get_attributes(definitions *defs, tcf_cursor *c, slice *s);

/* stream_edges.c. Reads the number of edges when a window is opened; then the edges of its events [from, to), of which
 * event `from` is event `at` of the slice. */
tcf_status stream_read_kinds(stream_source *src, frame *f);
tcf_status stream_read_edges(stream_source *src, frame *f, uint32_t from, uint32_t to, uint32_t at);
/* Operation of source.h. */
tcf_status stream_edge_columns(source *base, slice *s);

/* stream_extras.c */
tcf_status stream_take_extra(stream_source *src, frame *f);
/* Operations of source.h. */
tcf_status stream_snapshots(source *base, uint32_t location, source_each_snapshot each, void *data);
tcf_status stream_markers(source *base, source_each_marker each, void *data);
tcf_status stream_thumbnails(source *base, source_each_thumbnail each, void *data);
void stream_free_extras(stream_source *src);

#endif
