/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace: what its parts share. perfetto_trace.c goes over the events and keeps the open calls; records.c makes
 * names and arguments of records; parts.c keeps the files, and cuts them by time; packets.c writes Perfetto's protocol
 * buffers, json.c Chrome's JSON.
 *
 * Every location is a track and, in the file, a sequence of packets of its own. A sequence numbers the names that it
 * uses (interning). Packets are ordered within a sequence only: Perfetto sorts by time when it reads. */
#ifndef TCFLOW_PERFETTO_TRACE_H
#define TCFLOW_PERFETTO_TRACE_H

#include "../shared/records/definition_names.h"
#include "../shared/records/fields.h"
#include "../shared/records/output.h"
#include "../shared/regions/call_stack.h"

#include <otf2/OTF2_Definitions.h>
#include <private/output_host.h>
#include <tcflow/filter.h>
#include <tcflow/processes.h>

enum { FORMAT_AUTO, FORMAT_PROTOBUF, FORMAT_JSON };
enum { INSTANTS_NONE, INSTANTS_COMMUNICATION, INSTANTS_ALL };
enum {
    OPEN_PARTS = 8,   /* the most files that are written at the same time */
    TEXT_MOST = 4096, /* bytes of a name */
    ARGUMENTS_MOST = 16,
    PACKET_MOST = 128 * 1024 /* enough for all arguments of full length */
};

typedef struct conf {
    const char *path;
    int format, flows, instants, overwrite;
    uint64_t max_bytes;
} conf;

/* --------------------------------------------------------------------------------------------------------- parts -- */

/* A file: all events with from <= time <= last. */
typedef struct part {
    struct output out; /* has a buffer while `is_open` */
    char *name;
    tcf_output file;
    uint64_t from, last; /* ticks; the newest file has `last` = UINT64_MAX */
    uint64_t bytes;      /* of a closed file */
    uint64_t described;  /* bytes of descriptors at its begin */
    int is_open;
} part;

/* ----------------------------------------------------------------------------------------------------- locations -- */

/* State of a location. */
typedef struct place {
    call_stack calls;
    uint32_t part;   /* index of the file that it writes into */
    uint64_t *known; /* bits: what its sequence has defined in this file; NULL: no event yet */
    uint64_t *sums;  /* by member: sums of relative metrics; NULL: none yet */
    uint8_t ended;
    uint64_t strays, cut; /* strays: leaves without an enter; cut: calls that the leave of an outer call ended */
} place;

/* The first bit of each group in place.known. */
typedef struct known_bits {
    uint32_t kinds, fields, comms, metrics, categories, roles, extras, n; /* the bits of regions begin at 0 */
} known_bits;

/* Arguments that are no fields of a record. */
enum extra { EXTRA_PEER, EXTRA_INSTANCE, EXTRA_BEGAN, EXTRAS };

/* The other end of a message. */
typedef struct flow {
    uint64_t id; /* 0: none */
    int ends;    /* this is the receiving end */
} flow;

struct arguments;

/* Where the events of a location go. */
typedef struct pen {
    const tcf_self *self;
    uint32_t location;
    place *p; /* of the location */
    part *f;  /* the file that it writes into */
} pen;

/* A format. Times are nanoseconds. */
typedef struct writer {
    /* Begins a file: describes all tracks. */
    void (*start)(const tcf_self *self, part *f);
    /* Begins a location's sequence in this file. May be NULL. */
    void (*join)(const pen *w);
    /* `a`: of a call that was already open when the file began; else NULL. */
    void (*begin)(const pen *w, uint64_t time, uint64_t what, const struct arguments *a);
    void (*end)(const pen *w, uint64_t time);
    void (*instant)(const pen *w, uint64_t time, uint8_t kind, const struct arguments *a, flow arrow);
    void (*count)(const pen *w, uint64_t time, uint32_t metric, uint32_t member, uint8_t type, uint64_t value);
    void (*marker)(const tcf_self *self, part *f, uint64_t time, const char *name, const struct arguments *a);
    /* Ends a complete file. May be NULL. */
    void (*finish)(part *f);
} writer;

typedef struct state {
    const writer *writer;
    part *parts;
    uint32_t n_parts, first_open;
    uint64_t latest; /* latest time that was written */

    uint64_t resolution;
    uint64_t out_of_range; /* times beyond Perfetto's range */

    known_bits bits;
    uint32_t
        first_field[TCF_EVENT_KINDS + 2]; /* by kind: the number of its first field among the fields of all kinds */
    definition_names names;
    tcf_processes processes;
    uint32_t n_processes; /* without the last one, which has the locations without a group */
    char **process_names; /* [n_processes] */
    uint32_t *pid, *tid;  /* by location */
    char **peers;         /* by location: its name as a peer */
    uint32_t
        *first_member; /* by metric: the number of its first member among those of all metrics; one more at the end */
    uint64_t members;
    uint64_t unknown_metrics; /* values without a definition */
} state;

/* The process of a location; TCF_NONE: it has none. */
static inline uint32_t process_of(const state *st, uint32_t location)
{
    const uint32_t process = st->processes.of[location];
    return process < st->n_processes ? process : TCF_NONE;
}

static inline place *place_of(const tcf_self *self, uint32_t location)
{
    return tcf_location_state(self, location);
}

static inline pen pen_of(const tcf_self *self, uint32_t location)
{
    place *p = place_of(self, location);
    return (pen){self, location, p, &((const state *)self->state)->parts[p->part]};
}

/* Is the bit still clear? */
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

enum { NO_BIT = UINT32_MAX };

typedef struct argument {
    const char *key;
    uint32_t key_bit; /* in place.known; NO_BIT: of a marker, whose keys have no numbers */
    enum argument_type type;
    uint64_t number; /* of a communicator: the index */
    const char *text;
} argument;

typedef struct arguments {
    uint32_t n;
    argument at[ARGUMENTS_MOST];
    char scratch[2048]; /* for texts that are made here */
    size_t used;
} arguments;

/* records.c */
int records_init(tcf_self *self); /* -1: out of memory */
void records_free(state *st, uint32_t n_locations);
/* The name of a definition; without one it is made in `scratch`. */
const char *record_name(const tcf_self *self, tcf_ref_kind kind, uint32_t index, char scratch[64]);
void record_arguments(const tcf_self *self, const tcf_slice *s, uint32_t i, arguments *a);
uint64_t in_nanoseconds(state *st, uint64_t ticks);
const char *call_name(const tcf_self *self, uint64_t what, char scratch[64]);
/* Does the role of a region say more than that it is a function? And its name, NULL if not. */
static inline int has_role(const tcf_region *r)
{
    return r->role > OTF2_REGION_ROLE_FUNCTION;
}
const char *role_of(const tcf_self *self, const tcf_region *r);
/* The unit of a metric, with its factor. */
const char *unit_of(const tcf_metric_member *m, char scratch[128]);

/* parts.c. Failures are recorded by host->fail(). */
tcf_status parts_check(tcf_self *self);
tcf_status parts_start(tcf_self *self);
/* Moves a location on to the next file. */
void parts_advance(tcf_self *self, uint32_t location);
/* Cuts the newest file when it is full, and closes files that are complete. */
tcf_status parts_look(tcf_self *self);
tcf_status parts_complete(tcf_self *self);
void parts_abandon(tcf_self *self);

/* packets.c and json.c: the two formats. */
extern const writer packets_writer, json_writer;

#endif
