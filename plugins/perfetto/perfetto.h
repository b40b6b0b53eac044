/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto: what its parts share. perfetto.c unpacks the file and takes packets apart, twice: first for the descriptors
 * of tracks, which may stand anywhere, then for all else. tracks.c makes processes and locations of tracks, sequences.c
 * has what packets of a sequence refer to (names, defaults) and converts clocks, events.c tells the framework of
 * events. texts.c keeps names. wire.h is the wire format. */
#ifndef TCFLOW_PERFETTO_H
#define TCFLOW_PERFETTO_H

#include "wire.h"

#include <private/perfetto_fields.h>
#include <tcflow/map.h>
#include <tcflow/source.h>

#include <zlib.h>

enum {
    MOST_PACKET = 64 << 20,    /* bytes */
    MOST_UNPACKED = 256 << 20, /* bytes of what one compressed packet holds */
    MOST_TRACKS = 1 << 20,
    MOST_SEQUENCES = 1 << 20,
    MOST_NAMES = 1 << 20 /* of different texts */
};

typedef struct packet {
    uint64_t at; /* where in the file it begins; of a packed one where that does */
    uint64_t timestamp;
    uint32_t sequence, clock, flags;
    uint8_t has_timestamp, has_clock, has_other; /* other: something that is left out */
    wire_bytes event, interned, defaults, track, process, thread, snapshot, compressed;
} packet;

typedef struct track {
    uint64_t uuid, parent;
    int64_t tid, multiplier;
    uint32_t pid, name; /* name: a text; TCF_NONE: none */
    int32_t rank;
    uint32_t location, counter; /* TCF_NONE: not made yet */
    uint32_t unit;              /* a text; TCF_NONE: none */
    uint8_t has_process, has_thread, has_parent, has_rank, is_counter, is_incremental, is_root;
    uint64_t sum; /* of an incremental counter */
    double sum_double;
} track;

/* A clock, by its id, which below 64 is the same everywhere, and else a sequence's. Times are nanoseconds. */
typedef struct clock_of {
    uint64_t offset; /* to the trace's clock, modulo 2^64 */
    uint64_t last;   /* of an incremental one */
    uint64_t multiplier;
    uint8_t is_known, is_incremental;
} clock_of;

/* What the packets of a sequence refer to. */
typedef struct sequence {
    tcf_map interned; /* (kind, iid) -> text, or source location */
    uint64_t track;   /* where events are that name no track */
    uint64_t reference_us;
    uint32_t clock;
    uint8_t has_track, has_clock, is_valid; /* valid: its state has been cleared, nothing is missing */
    uint64_t extra[2][8];                   /* tracks of the values that come with events; doubles are [1] */
    uint32_t n_extra[2];
} sequence;

typedef struct place_in_source {
    uint32_t file, line; /* file: a text */
} place_in_source;

typedef struct process_of {
    uint32_t number, location; /* location: of its own events; TCF_NONE: not made yet */
} process_of;

typedef struct perfetto_state {
    tcf_reader *reader;
    gzFile file;
    uint8_t *buffer;
    size_t first, n, room; /* [first, first + n) of the buffer are to be parsed */
    uint64_t at;           /* where in the file `first` is */
    int pass;              /* 0: tracks, 1: all else */
    z_stream unpacker;
    uint8_t *unpacked;
    size_t unpacked_room;
    int has_unpacker, is_unpacking;

    char **texts;
    uint32_t n_texts, texts_room;
    tcf_map text_ids;
    track *tracks;
    uint32_t n_tracks, tracks_room;
    tcf_map track_ids, process_ids, region_ids, place_ids;
    process_of *processes;
    uint32_t n_processes, processes_room;
    sequence *sequences;
    uint32_t n_sequences, sequences_room;
    tcf_map sequence_ids;
    clock_of *clocks;
    uint32_t n_clocks, clocks_room;
    tcf_map clock_ids;
    uint32_t trace_clock;
    place_in_source *places;
    uint32_t n_places, places_room;
    char *scratch;
    size_t scratch_room;

    uint64_t without_state, unknown_names, unknown_clocks, other_phases, more_names;
} perfetto_state;

/* texts.c */
tcf_status fail_at(const perfetto_state *st, uint64_t at, const char *what);
tcf_status no_memory(const perfetto_state *st);
/* The number of a text; TCF_NONE: a failure. */
uint32_t text_number(perfetto_state *st, wire_bytes text);

static inline const char *text_of(const perfetto_state *st, uint32_t text, const char *instead)
{
    return text != TCF_NONE && *st->texts[text] ? st->texts[text] : instead;
}

/* tracks.c */
tcf_status track_describe(perfetto_state *st, const packet *p, wire_bytes descriptor);
/* The thread that descriptors outside of tracks name, as a track. */
tcf_status track_of_thread(perfetto_state *st, const packet *p, wire_bytes thread, uint64_t *uuid,
                           uint64_t *reference_us);
tcf_status process_describe(perfetto_state *st, const packet *p, wire_bytes process);
/* Makes processes, and locations of threads, in the order of the file. */
tcf_status tracks_define(perfetto_state *st);
/* The track of a uuid, which may be one that nothing describes; NULL: a failure. */
track *track_find(perfetto_state *st, uint64_t uuid);
/* Where the events of a track are; TCF_NONE: a failure. */
uint32_t track_location(perfetto_state *st, uint32_t index);

/* sequences.c */
sequence *sequence_find(perfetto_state *st, uint32_t id);
tcf_status sequence_take(perfetto_state *st, sequence *s, const packet *p);
tcf_status clocks_take(perfetto_state *st, const packet *p);
/* The time of the packet on the trace's clock. */
tcf_status clock_time(perfetto_state *st, const packet *p, const sequence *s, uint64_t timestamp, uint64_t *time);
enum interned { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ARGUMENT = 3, INTERNED_PLACE = 4 };
/* TCF_MAP_ABSENT: it isn't there. */
uint32_t interned_get(const sequence *s, enum interned kind, uint64_t iid);
tcf_status place_read(perfetto_state *st, const packet *p, wire_bytes message, uint64_t *iid, uint32_t *number);

/* events.c */
tcf_status event_take(perfetto_state *st, sequence *s, const packet *p);

#endif
