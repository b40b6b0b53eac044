/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace: what its parts share. perfetto_trace.c goes over the events and keeps the calls that are open,
 * records.c makes names and arguments of records, packets.c writes Perfetto's protocol buffers, json.c Chrome's JSON,
 * parts.c has the files, and cuts them by time.
 *
 * Every location is a track and, in the file, a sequence of packets of its own. A sequence numbers the names that it
 * uses (interning), so a file has no order but that of each location: Perfetto sorts by time when it reads. */
#ifndef TCFLOW_PERFETTO_TRACE_H
#define TCFLOW_PERFETTO_TRACE_H

#include "../shared/records/fields.h"
#include "../shared/records/output.h"
#include "../shared/regions/call_stack.h"

#include <pthread.h>
#include <tcflow/filter.h>
#include <tcflow/processes.h>

enum { FORMAT_PROTOBUF, FORMAT_JSON };
enum { INSTANTS_NONE, INSTANTS_COMMUNICATION, INSTANTS_ALL };
enum {
    OPEN_PARTS = 8,   /* files that are written at the same time, at most */
    TEXT_MOST = 4096, /* bytes of a name */
    ARGUMENTS_MOST = 16,
    PACKET_MOST = 128 * 1024 /* with all arguments of full length */
};

typedef struct conf {
    const char *path;
    int format, flows, instants, overwrite;
    uint64_t max_bytes;
} conf;

/* --------------------------------------------------------------------------------------------------------- parts -- */

/* A file: all events with from <= time < to. */
typedef struct part {
    struct output out;       /* its buffer is there while `is_open` */
    char *name, *incomplete; /* the same for a device or pipe */
    uint64_t from, to;       /* ticks; `to` is UINT64_MAX for the newest */
    uint64_t bytes;          /* of a part that is closed */
    uint64_t described;      /* bytes of the tracks at its begin */
    int is_open;
} part;

/* ----------------------------------------------------------------------------------------------------- locations -- */

/* State of a location. */
typedef struct place {
    call_stack calls;
    uint32_t part;   /* the file that it writes into */
    uint64_t *known; /* bits: what its sequence has told in this file; NULL: it had no event yet */
    uint64_t *sums;  /* by member: relative metrics so far; NULL: none yet */
    uint8_t ended;
    uint64_t strays, cut; /* leaves without enter; calls ended by the leave of an outer one */
} place;

/* Bits of place.known, one behind the other. */
typedef struct known_bits {
    uint32_t kinds, fields, comms, metrics, categories, extras, n; /* regions are from 0 on */
} known_bits;

/* Names of arguments that are no fields of a record. */
enum extra { EXTRA_PEER, EXTRA_INSTANCE, EXTRA_BEGAN, EXTRAS };

/* What an event is connected with. */
typedef struct flow {
    uint64_t id; /* 0: nothing */
    int ends;    /* here */
} flow;

struct arguments;

/* How a format writes. Times are nanoseconds. */
typedef struct writer {
    /* A new file: all tracks. */
    void (*start)(const tcf_self *self, part *f);
    /* The location's first event in this file; NULL where nothing comes before it. */
    void (*join)(const tcf_self *self, part *f, uint32_t location);
    void (*begin)(const tcf_self *self, part *f, uint32_t location, uint64_t time, uint64_t what);
    /* A call that is open where the file begins. */
    void (*reopen)(const tcf_self *self, part *f, uint32_t location, uint64_t time, uint64_t what, uint64_t began);
    void (*end)(const tcf_self *self, part *f, uint32_t location, uint64_t time);
    void (*instant)(const tcf_self *self, part *f, uint32_t location, uint64_t time, uint8_t kind,
                    const struct arguments *a, flow w);
    void (*count)(const tcf_self *self, part *f, uint32_t location, uint64_t time, uint32_t metric, uint32_t member,
                  uint8_t type, uint64_t value);
    void (*marker)(const tcf_self *self, part *f, const tcf_marker *definition, const tcf_marker *m, uint64_t time,
                   const char *scope);
    /* The file is complete; NULL where nothing ends it. */
    void (*finish)(part *f);
} writer;

typedef struct state {
    const writer *writer;
    part *parts;
    uint32_t n_parts, first_open;
    uint64_t latest;      /* time that was written */
    pthread_mutex_t lock; /* slices of several locations may come at the same time */
    int has_lock;

    uint64_t resolution;
    uint64_t out_of_range; /* times that Perfetto cannot show */

    known_bits bits;
    uint32_t first_field[TCF_EVENT_KINDS + 2]; /* number of a kind's first field among those of all */
    const char **names[TCF_REF_KINDS];         /* by index; NULL: it has none */
    tcf_processes processes;
    uint32_t n_processes;   /* of these; without the locations that are of no group */
    char **process_names;   /* [n_processes] */
    uint32_t *pid, *tid;    /* by location */
    char **peers;           /* by location: how others call it */
    uint32_t *first_member; /* by metric: number of its first member among those of all, one more at the end */
    uint64_t members;
    uint64_t unknown_metrics; /* values without a definition */
} state;

/* TCF_NONE: nobody knows of which. */
static inline uint32_t process_of(const state *st, uint32_t location)
{
    const uint32_t process = st->processes.of[location];
    return process < st->n_processes ? process : TCF_NONE;
}

static inline place *place_of(const tcf_self *self, uint32_t location)
{
    return tcf_location_state(self, location);
}

/* Is this told for the first time? */
static inline int is_new(const place *p, uint32_t bit)
{
    return !(p->known[bit / 64] >> bit % 64 & 1);
}

static inline void set_known(place *p, uint32_t bit)
{
    p->known[bit / 64] |= 1ull << bit % 64;
}

/* ----------------------------------------------------------------------------------------------------- arguments -- */

enum argument_type { ARGUMENT_UINT, ARGUMENT_INT, ARGUMENT_TEXT, ARGUMENT_COMM };

/* What an instant event says about itself. */
typedef struct argument {
    const char *key;
    uint32_t key_bit; /* in place.known */
    enum argument_type type;
    uint64_t number; /* of a communicator: its index */
    const char *text;
} argument;

typedef struct arguments {
    uint32_t n;
    argument at[ARGUMENTS_MOST];
    char scratch[2048]; /* of texts that are made here */
    size_t used;
} arguments;

/* records.c */
int records_init(tcf_self *self); /* -1: out of memory */
void records_free(state *st, uint32_t n_locations);
/* Text of a reference; `scratch` is for those without a name. */
const char *record_name(const tcf_self *self, tcf_ref_kind kind, uint32_t index, char scratch[64]);
void record_arguments(const tcf_self *self, const tcf_slice *s, uint32_t i, arguments *a);
uint64_t in_nanoseconds(state *st, uint64_t ticks);
/* The region of an open call, TCF_NONE or dangling where it isn't defined. */
uint32_t region_of(const tcf_self *self, uint64_t what);
const char *call_name(const tcf_self *self, uint64_t what, char scratch[64]);
/* Unit with a metric's factor. */
const char *unit_of(const tcf_metric_member *m, char scratch[128]);

/* parts.c. Failures are recorded. */
tcf_status parts_check(tcf_self *self);
tcf_status parts_start(tcf_self *self);
/* The location goes on in the next part. */
void parts_advance(tcf_self *self, uint32_t location);
/* Cuts the newest one when it is full, closes those that nobody needs any more. */
tcf_status parts_look(tcf_self *self);
tcf_status parts_complete(tcf_self *self);
void parts_abandon(tcf_self *self);

/* packets.c and json.c: the two formats. */
extern const writer packets_writer, json_writer;

#endif
