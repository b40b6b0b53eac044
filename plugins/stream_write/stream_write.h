/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of stream_write share: stream_write.c (the filter), frames.c (frames and blocks), definitions.c (what
 * comes before the events and after them), window.c (events), edges.c (their matches), target.c (the output). */
#ifndef STREAM_WRITE_H
#define STREAM_WRITE_H

#include "../shared/places/keyed.h"

#include <private/domain_paths.h>
#include <private/domains_host.h>
#include <private/output_host.h>
#include <private/stream.h>
#include <private/stream_host.h>
#include <tcflow/filter.h>

struct conf {
    const char *path;
    int matches;
    tcf_list columns;
    tcf_duration wait;
    int overwrite;
    int compression;
    const char *token;
};

enum { COMPRESSION_NONE, COMPRESSION_ZSTD };

enum { MOST_COLUMNS = 16 };

struct column {
    int number; /* its index in slice->columns */
    uint32_t bytes;
    uint8_t at_edges;
};

/* Of a stream, or of several. */
struct totals {
    uint64_t events, bytes;
    uint64_t unknown; /* records of kinds that the source doesn't know */
};

struct state {
    char *path;        /* `path` of this domain */
    int each;          /* each domain writes a stream of its own */
    int matches;       /* are written */
    int fd;            /* -1: not open */
    int patient;       /* writing to fd never waits: who writes does, and looks whether the run ends meanwhile */
    int begun;         /* header and definitions have been written */
    int broken;        /* nothing more can be written: a frame was cut, or the reader has gone */
    int ended;         /* the last frame has been written */
    struct seal *seal; /* of a stream over TCP with a token; or NULL */
    tcf_output file;   /* without a name: standard output or a socket */
    uint32_t frames;
    uint64_t events, bytes;
    struct totals others; /* of the streams of other domains, in the first one */
    const tcf_stream_host *host;
    tcf_pack frame;  /* the head of the frame that is being made, and its bytes */
    tcf_pack packed; /* the same, compressed */
    struct column columns[MOST_COLUMNS];
    uint32_t n_columns;
    tcf_named_column *required;
    tcf_pack kinds, list;  /* of the edges of the window that is being made */
    uint64_t *last_number; /* by kind of edge in that window */
    keyed by;              /* (channel and peer; rank, class, operation and side) */
};

struct location {
    uint64_t events;
    uint64_t frontier; /* the time up to which the reader knows the location */
    uint32_t altered;  /* TCF_ALTERED_* as they were written last */
};

/* The functions of the framework that only this filter uses. */
static inline const tcf_stream_host *stream_host(const tcf_self *self)
{
    return ((const struct state *)self->state)->host;
}

/* target.c. Sets state->path to that of a domain, by its index, and checks that it can be written to. From then on
 * standard output belongs to the stream. */
tcf_status target_prepare(tcf_self *self, uint32_t domain);
/* Opens the output. A FIFO or socket waits for its reader. */
tcf_status target_open(tcf_self *self);
tcf_status target_write(tcf_self *self, const uint8_t *bytes, size_t n);
/* Writes as much as it can without waiting, and reports no failure. */
void target_write_last(tcf_self *self, const uint8_t *bytes, size_t n);
/* With `complete` a plain file gets its name. */
tcf_status target_close(tcf_self *self, int complete);

/* seal.c. Reads the token, if there is one; state->seal is NULL otherwise. */
tcf_status seal_prepare(tcf_self *self);
/* At a socket, where state->seal is there: proves to the reader at state->fd that the token is there, and has it prove
 * the same. */
tcf_status seal_begin(tcf_self *self);
/* Puts up to TCF_BOX_MOST bytes into a box, which stays valid until the next call. Returns its length. */
size_t seal_box(struct seal *seal, const uint8_t *bytes, size_t n, const uint8_t **box);
void seal_free(struct seal *seal);

/* frames.c. frame_begin() begins a frame, in state->frame; frame_end() writes it. */
tcf_pack *frame_begin(tcf_self *self);
tcf_status frame_end(tcf_self *self, tcf_frame_type type);
/* Completes the head of the frame. Returns the bytes that frame_end() writes. */
tcf_pack *frame_seal(tcf_self *self, tcf_frame_type type);
/* Begins a block in a frame; block_end() fills in its size. */
size_t block_begin(tcf_pack *p, uint8_t id);
void block_end(tcf_pack *p, size_t begin);

/* Puts a reference as it stands in a stream. */
static inline uint8_t *put_reference(uint8_t *at, const tcf_definitions *defs, tcf_ref_kind kind, uint32_t index)
{
    if (tcf_defined(index))
        return tcf_put_varint(at, (uint64_t)index + TCF_PACKED_INDEX);
    if (index == TCF_NONE) {
        *at = TCF_PACKED_NONE;
        return at + 1;
    }
    *at = TCF_PACKED_ID;
    return tcf_put_varint(at + 1, tcf_id(defs, kind, index, 0));
}

/* Values of fields as they stand in a stream, by the type that the tables of records state. */
#define PACKED_u8(value) (value)
#define PACKED_u32(value) (value)
#define PACKED_u64(value) (value)
#define PACKED_id8(value) (value)
#define PACKED_i64(value) tcf_zigzag(value)
#define PACKED_value(value) (value)

/* definitions.c */
tcf_status write_definitions(tcf_self *self);
tcf_status write_end(tcf_self *self);
tcf_status write_snapshots(tcf_self *self, uint32_t location);
tcf_status write_location_end(tcf_self *self, uint32_t location);
tcf_status write_markers_and_thumbnails(tcf_self *self);

/* window.c */
tcf_status write_window(tcf_self *self, const tcf_slice *s);
void pack_record(tcf_pack *p, const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec, const tcf_slice *arena);
void pack_values(tcf_pack *p, const uint64_t *value, uint64_t n);
void pack_attributes(tcf_pack *p, const tcf_definitions *defs, const tcf_attributes *attributes);

/* edges.c */
tcf_status pack_edges(tcf_self *self, tcf_pack *p, const tcf_slice *s);

#endif
