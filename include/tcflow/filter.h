/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow's plugin interface: everything that a filter sees of the framework.
 *
 * A plugin is a shared object with one exported data symbol, TCF_FILTER: a struct that names the filter and its
 * callbacks. This is a whole one:
 *
 *     #include <tcflow/filter.h>
 *
 *     static tcf_status later_slice(tcf_self *self, tcf_slice *s)
 *     {
 *         (void)self;
 *         for (uint32_t i = 0; i < s->n; i++)
 *             s->time[i] += 1000;
 *         return TCF_OK;
 *     }
 *
 *     TCF_FILTER = {
 *         .head = TCF_FILTER_HEAD,
 *         .name = "later",
 *         .version = "1.0",
 *         .summary = "Moves all timestamps by 1000 ticks",
 *         .writes = TCF_WRITES_TIME,
 *         .slice = later_slice,
 *     };
 *
 * One callback is mandatory, `slice` or `span`; every other member may be left out. No symbol of the framework is
 * linked: what a filter may ask of it are the functions of the host table, self->host. writing-filters.md is the
 * tutorial, filter-reference.md the index of this page.
 *
 * Concurrency: callbacks of one instance never run at the same time, whatever the locations, and every function of the
 * host returns before the next callback begins, but for release(), slice_new() and emit(), which may call filters
 * behind this one. So a filter needs no lock. It has no mutable file-scope variable all the same: a chain may have two
 * instances of it, a process two chains, and with TCF_CAN_DOMAINS instances run in several threads at a time.
 *
 * Errors: a callback that fails returns host->fail(self, ...), which records the reason and yields TCF_ERROR; the
 * framework adds what it was doing and stops the run. Mistakes of the user's settings are refused in init(), or by
 * host->refuse() in begin(). A function of the host that returns TCF_ERROR, or NULL for want of memory, has recorded
 * the reason: the callback returns TCF_ERROR and adds nothing. Calls that break a rule of this page (payload() without
 * an edge, compact() without TCF_CAN_DROP) end the run with an error that names the filter.
 *
 * Ownership: what a function or a struct of the framework points to belongs to the framework and lasts until the
 * callback returns, unless another duration is stated; what a filter hands over is copied. */
#ifndef TCFLOW_FILTER_H
#define TCFLOW_FILTER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tcflow/definitions.h>
#include <tcflow/events.h>
#include <tcflow/times.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The plugin interface has a version of its own, MAJOR.MINOR. A filter that was built for an older minor version goes
 * on working without being built again; one for a newer minor version is refused, for it may ask for what isn't there,
 * and so is one of another major version. A minor version adds members at the end of the structs that the framework
 * makes (tcf_host, tcf_self, tcf_slice, tcf_collective, tcf_definitions and what tcf_location_at() and its like give)
 * and of those whose size the filter states in its head; new bits and kinds are numbers that had no meaning. It moves
 * nothing, and leaves tcf_edge, tcf_rec, tcf_attribute and tcf_callpath as large as they are. */
#define TCF_MAGIC 0x57464354u /* "TCFW" */
#define TCF_ABI_MAJOR 1
#define TCF_ABI_MINOR 0

typedef enum tcf_status {
    TCF_ERROR = -1,
    TCF_OK = 0,
    TCF_HELD = 1 /* from `slice` with TCF_CAN_HOLD: the slice stays with the filter until host->release(), which may
                  * have been called by then */
} tcf_status;

/* ---------------------------------------------------------------------------------------------------- the filter -- */

typedef struct tcf_self tcf_self;
typedef struct tcf_slice tcf_slice;
typedef struct tcf_host tcf_host;
typedef struct tcf_collective tcf_collective;
typedef struct tcf_pack tcf_pack;
typedef struct tcf_param tcf_param;
typedef struct tcf_named_column tcf_named_column;

/* Columns that a filter changes: tcf_filter.writes. */
typedef enum tcf_write {
    TCF_WRITES_TIME = 1 << 0,
    TCF_WRITES_KIND = 1 << 1,
    TCF_WRITES_REC = 1 << 2,
    TCF_WRITES_ATTR = 1 << 3,
    TCF_WRITES_EVENTS = 1 << 4, /* in tcf_self.changed alone: events were dropped or inserted */
    TCF_WRITES_LATER = 1 << 5,  /* with TCF_WRITES_TIME: events move to later times only */
    TCF_WRITES_CLOCK = 1 << 6   /* with TCF_WRITES_TIME: behind this filter all times are of one clock, recorded clock
                                 * offsets are void */
} tcf_write;

/* What a filter wants of the framework: tcf_filter.needs. */
typedef enum tcf_need {
    TCF_NEED_EDGES = 1 << 8,     /* the columns of edges, and causal order; implied by `span` */
    TCF_NEED_CALLPATH = 1 << 9,  /* the callpath column */
    TCF_NEED_TOGETHER = 1 << 10, /* locations advance together in time, the watermark moves (implied by `span`) */
    TCF_NEED_PROCESS_TOGETHER = 1 << 11, /* the same where a process has several locations with events; else locations
                                          * may come one after another, which takes less time and memory */
    TCF_NEED_PROGRAM = 1 << 12, /* MPI_Init* and MPI_Finalize as collectives, made of their regions: unordered, from
                                 * enter to leave, TCF_OP_INIT and TCF_OP_FINALIZE, all processes of MPI_COMM_WORLD */
    TCF_NEED_ENDS =
        1 << 13, /* ends of blocking n-to-n operations (those without lengths for each member, which may
                  * leave    members out) wait until every member has arrived at its end; behind a filter
                  * that    moves    events a causal segment begins here, so that the ends' times are those */
    TCF_NEED_SOURCE_AT_LEAVE = 1 << 14, /* edges count as passed when the call of their source has been left; that of a
                                         * blocking one-to-n when its root has passed its own end, or waits for others
                                         * before that */
    TCF_NEED_LEADER_FIRST = 1 << 15, /* `span` sees events of a location with a leader (tcf_location.leader; the stream
                                      * of an accelerator) just behind its leader's. Where the leader has events at 10
                                      * and 20 and the stream one at 15, spans come as leader [.., 10], leader [20],
                                      * stream [15], and the leader goes no further before that: its last two events
                                      * are those around the stream's. Of threads this is so for the first event only,
                                      * unless that is the target of an edge. Behind a filter that moves events a causal
                                      * segment begins here. Not where it would make events wait for each other */
    TCF_NEED_POSTS = 1 << 24 /* `span` sees the end of a send that waits for its receiver behind the event that posted
                              * the receive: the edges of tcf_post_of(). init() sets tcf_self.rendezvous. Not where it
                              * would make events wait for each other */
} tcf_need;

/* What a filter may do: tcf_filter.can. The first three are for filters with `slice`. */
typedef enum tcf_can {
    TCF_CAN_DROP = 1 << 16,    /* calls compact() */
    TCF_CAN_INSERT = 1 << 17,  /* calls slice_new() and emit() */
    TCF_CAN_HOLD = 1 << 18,    /* returns TCF_HELD; has flush() */
    TCF_CAN_ANSWER = 1 << 19,  /* calls answer() and answered(); for filters with `slice`; implies TCF_NEED_EDGES */
    TCF_CAN_REPORT = 1 << 20,  /* calls table(); gets the parameters `output`, `format`, `overwrite` */
    TCF_CAN_SURVEY = 1 << 21,  /* calls learn(): made for a survey */
    TCF_CAN_LIVE = 1 << 22,    /* a reader follows what it writes while the run goes on: what has passed is sent on in
                                * parts now and then, and heartbeat() is called; implies TCF_NEED_TOGETHER */
    TCF_CAN_DOMAINS = 1 << 25, /* may run in several domains, see pack(): what it does to an event, and finds in it,
                                * depends on the events of the same process alone, and with `span` on what its sources
                                * have published and left in payloads, which are plain bytes that mean the same in all
                                * instances; has pack() and absorb() unless it has nothing to say at the end. With
                                * TCF_NEED_TOGETHER or TCF_CAN_LIVE the locations of each domain advance together, those
                                * of different domains need not; other needs may keep the chain in one domain. It
                                * holds no slice behind location_end(), but with TCF_CAN_ANSWER: then flush() releases
                                * all when the watermark is UINT64_MAX */
    TCF_CAN_SKIP_NON_EDGES = 1 << 23 /* looks at edges alone: where all filters of a chain do, events that cannot be
                                      * edges may be left out, and `first` counts those that are not */
} tcf_can;

/* Entries of an array. */
#define TCF_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
/* Rows of a filter: .params = TCF_ROWS(params), .provides = TCF_ROWS(columns). All zero: none. */
#define TCF_ROWS(array)                                                                                                \
    {                                                                                                                  \
        (array), TCF_COUNT(array)                                                                                      \
    }

typedef struct tcf_params {
    const tcf_param *at;
    uint32_t n;
} tcf_params;

typedef struct tcf_columns {
    const tcf_named_column *at;
    uint32_t n;
} tcf_columns;

/* What a filter is for: `tcflow --list-filters` lists it with others of its kind. */
typedef enum tcf_topic {
    TCF_TOPIC_OTHER,
    TCF_TOPIC_CLOCKS,
    TCF_TOPIC_OVERHEAD,
    TCF_TOPIC_WAITS,
    TCF_TOPIC_STATISTICS,
    TCF_TOPIC_EVENTS /* selecting, checking, writing them */
} tcf_topic;

/* What it was built for; TCF_FILTER_HEAD fills it in. */
typedef struct tcf_filter_head {
    uint32_t magic;
    uint16_t abi_major, abi_minor;
    uint32_t size;                                             /* of tcf_filter */
    uint16_t param_size, named_column_size, table_column_size; /* of the rows that filters hand over */
    uint16_t reserved;
} tcf_filter_head;

typedef struct tcf_filter {
    tcf_filter_head head;
    const char *name;    /* [a-z][a-z0-9_]*, at most 48; mandatory */
    const char *version; /* of the filter; mandatory */
    const char *summary; /* one line; mandatory */
    const char *help;    /* paragraphs for --describe and the man page */

    tcf_params params; /* what the user may set; parsed into self->conf, of conf_size bytes, before init() */
    size_t conf_size;
    size_t state_size;                    /* bytes of self->state, zeroed before init() */
    size_t location_size;                 /* bytes a location of tcf_location_state(), zeroed before begin() */
    uint32_t message_bytes, member_bytes; /* payload() of messages, of members of collectives; with `span` */
    uint32_t numbers;                     /* that it publishes at a source, at most 4; 0: one */
    tcf_need needs;
    tcf_can can;
    tcf_write writes;
    tcf_columns provides, required; /* named columns */

    /* slice: exactly one of this and `span` is there. A run of consecutive events of one location.
     *   When: for each slice, those of a location in the order of its events. Locations come one after another or
     *     interleaved, as is cheapest; with TCF_NEED_TOGETHER about in order of time; with TCF_NEED_EDGES in causal
     *     order, slices then being cut where their location waited.
     *   Must: change nothing but the columns in `writes` and named columns that it provides; leave times in order.
     *   Returns TCF_OK: the slice goes on to the next filter. TCF_HELD (TCF_CAN_HOLD): it stays with this one.
     *   A slice without events (n = 0) may come, with edges of dropped events. */
    tcf_status (*slice)(tcf_self *self, tcf_slice *s);
    /* span: events [from, to) of s, in causal order: a target comes after all of its sources, whatever the timestamps
     *   (the order of the forward replay of Becker, Rabenseifner and Wolf, "Timestamp Synchronization for Event Traces
     *   of Large-Scale Message-Passing Applications"). All of a slice is spanned, in order, in one call or several.
     *   Must: as slice(); columns of events outside of [from, to) are left alone. */
    tcf_status (*span)(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to);
    /* arrive: beside `span`; a slice has come to the causal segment, and none of its events has passed. What needs no
     *   order is done here, while the columns are at hand; spans then only have to look at edges.
     *   Must: change nothing but named columns. Edges may still be without class and flags. Several slices of a
     *   location may come before the first of them passes, so what span() needs of them stands in named columns,
     *   not in the location's state. */
    tcf_status (*arrive)(tcf_self *self, tcf_slice *s);

    /* init: the parameters are parsed, definitions aren't known. Checks combinations of parameters: what it refuses is
     *   a mistake of the settings (exit status 2). May change self->needs, self->can and self->required.
     *   When: once, before everything else. May call log() and fail() alone. */
    tcf_status (*init)(tcf_self *self);
    /* begin: definitions are known; refuses what cannot go well with them, allocates. With self->checking (tcflow
     *   --check) it writes nothing, and nothing has been learned even if there is a survey; fini() follows.
     *   When: once, in the order of the chain, before the first slice of any filter. */
    tcf_status (*begin)(tcf_self *self);
    /* collective_complete: all members of a collective have passed their ends.
     *   When: between spans, once for each collective that has had a member; with `span`. With TCF_CAN_DOMAINS in one
     * of the instances, whichever it is: what it finds there is part of what is packed. */
    tcf_status (*collective_complete)(tcf_self *self, const tcf_collective *collective);
    /* location_end: no more events of this location will come.
     *   When: once a location, behind its last slice or span; slices of it may still be held. A filter with
     *   TCF_CAN_INSERT may emit() here. */
    tcf_status (*location_end)(tcf_self *self, uint32_t location);
    /* frontier: no event of the location that is still to come is earlier than `time`. Returns the same bound for what
     *   this filter passes on or emits from now on. Without it a filter with TCF_CAN_INSERT, or with TCF_WRITES_TIME
     *   and not TCF_WRITES_LATER, promises nothing: filters behind it learn of a location's time by its events alone.
     *   When: between slices, while none of the location are held; with `slice`. */
    uint64_t (*frontier)(const tcf_self *self, uint32_t location, uint64_t time);
    /* flush: memory for slices has run out. Must release() what the watermark allows by now, and if that is nothing at
     *   least the oldest slice. What that costs is counted, and reported by log() or a table.
     *   When: at any time between slices while any are held. Mandatory with TCF_CAN_HOLD. */
    tcf_status (*flush)(tcf_self *self);
    /* end: all locations have ended. Releases what is held, then reports or learns.
     *   When: once, in the order of the chain, unless the run has failed. */
    tcf_status (*end)(tcf_self *self);
    /* fini: frees what the filter has allocated.
     *   When: once, last of all, also after a failure and after an init() that has failed; `complete` is 0 when the
     *   run has failed or was interrupted. self->defs and self->location are NULL where no definitions were read. */
    void (*fini)(tcf_self *self, int complete);
    /* heartbeat: with TCF_CAN_LIVE. Everything that could be sent on has been, so frontiers are as high as they can be.
     *   When: at the latest after `flush` seconds of [pipeline], and when the input has nothing for the moment. */
    tcf_status (*heartbeat)(tcf_self *self);
    /* pack: puts down by host->put() what this instance has found, for another one that takes it up by absorb().
     *   Domains: with `threads` of [pipeline] the processes of a trace may be parted into domains. Each domain has an
     *     instance with state of its own, a thread, and calls for the locations of its processes alone; self->defs
     *     describes all locations. init() and begin() are called for each of them, messages of all but the first are
     *     left out. Behind the last location_end() each instance but the first packs, the first one absorbs that, in
     *     the order of the domains, and only for this one end() is called, as if it had seen all. The results must be
     *     the same, cell for cell, for any number of domains: a sum of doubles, where the order counts, is packed by
     *     location and made in end() in the order of the locations. Sums of integers, least and largest may be made
     *     in any order.
     *   When: once, behind the last location_end(); fini() follows. With TCF_CAN_DOMAINS. */
    tcf_status (*pack)(tcf_self *self, tcf_pack *pack);
    /* absorb: takes by host->take() what pack() of another instance has put, all of it and in the same order, and adds
     *   it to what this one has found. Indices that the trace may leave undefined go through host->taken_index(), call
     *   paths through host->taken_callpath(); locations and processes have the same numbers everywhere.
     *   When: once for each other domain, before end(). In the main thread, as pack(); nothing else runs then. */
    tcf_status (*absorb)(tcf_self *self, tcf_pack *pack);
    /* answers_come: answers of targets in other domains may have come, or the watermark has moved. Releases what is
     *   final by now and, unlike flush(), nothing else.
     *   When: between slices, with TCF_CAN_DOMAINS and TCF_CAN_ANSWER, before memory runs out. */
    tcf_status (*answers_come)(tcf_self *self);
    tcf_topic topic;
    /* Bytes that the filter itself allocates for each location by begin(), beside location_size; up to 64 need not be
     * stated. --check shows both, and tcflow-torture holds a filter to it. */
    size_t location_more;
} tcf_filter;

/* Starts the definition of a plugin: TCF_FILTER = { .head = TCF_FILTER_HEAD, ... }; */
#define TCF_FILTER_SYMBOL "tcflow_filter"
#define TCF_FILTER const tcf_filter tcflow_filter
#define TCF_FILTER_HEAD                                                                                                \
    {                                                                                                                  \
        TCF_MAGIC, TCF_ABI_MAJOR, TCF_ABI_MINOR, sizeof(tcf_filter), sizeof(tcf_param), sizeof(tcf_named_column),      \
            sizeof(tcf_table_column), 0                                                                                \
    }
extern __attribute__((visibility("default"))) const tcf_filter tcflow_filter;

/* One filter in one chain. The framework makes it. A filter may write what `state` and `location` point to, and the
 * members of which that is said. */
struct tcf_self {
    const tcf_host *host;
    const tcf_definitions *defs; /* from begin() on, until fini() */
    const char *name;            /* of the instance: its INI section */
    const void *conf;            /* the parsed parameters */
    void *state;                 /* tcf_filter.state_size bytes */
    unsigned char *location;     /* see tcf_location_state() */
    size_t location_size;
    void *framework;
    tcf_write changed;    /* `writes` of all filters before this one, those of the process that wrote the stream that
                           * is read included; TCF_WRITES_EVENTS: one of them has dropped or inserted events by now.
                           * Certain in end() */
    tcf_write writes;     /* the filter's; begin() and end() may take away what turned out to be left alone */
    tcf_need needs;       /* the filter's; init() may add what its parameters ask for, or take away what they don't */
    tcf_can can;          /* the same */
    tcf_columns required; /* the filter's; init() may name others, which live as long as the filter */
    uint32_t checking;    /* tcflow --check: no run follows */
    uint64_t rendezvous;  /* with TCF_NEED_POSTS, for init() to set: messages of so many bytes wait for their receives;
                           * those of MPI_Ssend and MPI_Issend always do. All filters of a chain have to agree, but for
                           * those with TCF_RENDEZVOUS_ANY */
};

/* tcf_self.rendezvous of a filter that looks at what the trace shows of the end of each send: any may wait, but where
 * another filter of the chain says which do. Matches in a stream, which don't say when receives were posted, are
 * refused for other filters; this one goes without these edges there. */
#define TCF_RENDEZVOUS_ANY 0

/* The location_size bytes of a location: from begin() on, in all callbacks, for all locations. */
static inline void *tcf_location_state(const tcf_self *self, uint32_t location)
{
    return self->location + (size_t)location * self->location_size;
}

/* ---------------------------------------------------------------------------------------------------- parameters -- */

typedef enum tcf_param_type {
    TCF_BOOL,       /* int: yes|no|true|false|on|off|1|0 */
    TCF_INT,        /* int64_t */
    TCF_DOUBLE,     /* double */
    TCF_SIZE,       /* uint64_t bytes: 64MiB, 4k */
    TCF_DURATION,   /* tcf_duration: 1us, 250ns, 1.5s, 3 ticks */
    TCF_STRING,     /* const char *, or NULL */
    TCF_INPUT_PATH, /* const char *, or NULL: what is read, and can be in the sandbox (tcflow.1) */
    TCF_ENUM,       /* int: position in `choices` */
    TCF_LIST,       /* tcf_list: words separated by blanks or commas */
    TCF_OUTPUT_PATH /* const char *, or NULL: what is written, likewise; refused where the run reads that */
} tcf_param_type;

typedef struct tcf_duration {
    double value;
    int in_ticks; /* else in seconds */
} tcf_duration;

typedef struct tcf_list {
    const char *const *item;
    uint32_t n;
} tcf_list;

/* One row of a filter's parameter table. It drives parsing, defaults, range checks, --describe, the man page and
 * filters.d/NAME.ini. What it points to lives as long as the filter. */
struct tcf_param {
    const char *key;
    tcf_param_type type;
    size_t offset;             /* of the member in the filter's conf struct */
    const char *default_value; /* as it would stand in the INI; NULL: none, the parameter must be given;
                                * "": none, and it need not be given */
    const char *help;          /* one sentence */
    const char *min, *max;     /* as in the INI, NULL: no limit */
    const char *unit;          /* for people: "ticks", "events", NULL */
    const char *choices;       /* TCF_ENUM: "keep|drop" */
    const char *alias;         /* the key that it had before, which is still read; NULL: none */
};

/* A row whose key is the member's name: TCF_PARAM(struct conf, windows, TCF_INT, "5", "Windows at most", .min = "1").
 * Rows written so stay right when tcf_param grows. */
#define TCF_PARAM(conf_, member_, type_, default_, ...)                                                                \
    {                                                                                                                  \
        .key = #member_, .type = type_, .offset = offsetof(conf_, member_), .default_value = default_,                 \
        .help = __VA_ARGS__                                                                                            \
    }

/* -------------------------------------------------------------------------------------------------------- slices -- */

/* A column that one filter leaves to others: a value for each event, or for each edge. */
struct tcf_named_column {
    const char *name; /* [a-z][a-z0-9_]* */
    uint32_t bytes;   /* of an entry */
    uint8_t at_edges; /* entries only for `edges`, instead of for every event */
    uint8_t of_times; /* entries depend on the events' times: no filter that changes those may stand between the filter
                       * that provides the column and the one that requires it */
};

/* Bits of the edge column. */
enum {
    TCF_EDGE_SOURCE = 1, /* others wait for this event: a send, a collective begin, a fork, a release */
    TCF_EDGE_TARGET = 2, /* this event waits for others */
    TCF_EDGE_LEFT = 4,   /* leaves the call of an earlier source (source_at_leave) */
    TCF_EDGE_GONE = 8,   /* in the list only: the event was dropped by a filter; `pos` is that of the next one kept */
    TCF_EDGE_UNMATCHED = 16, /* no partner: lost, cut off, dropped, or too late to be waited for */
    TCF_EDGE_MEMBER = 32,    /* belongs to a collective instance; alone: neither waits nor is waited for */
    TCF_EDGE_LEAVES = 64,    /* a source that a TCF_EDGE_LEFT entry follows */
    TCF_EDGE_BEGIN = 128     /* where a member of an instance begins it; its other edge is the end */
};

typedef enum tcf_edge_class {
    TCF_CLASS_NONE,
    TCF_CLASS_P2P,           /* send -> receive */
    TCF_CLASS_ONE_TO_N,      /* root's begin -> ends: Bcast, Scatter(v) */
    TCF_CLASS_N_TO_ONE,      /* begins -> root's end: Reduce, Gather(v) */
    TCF_CLASS_N_TO_N,        /* all begins -> all ends */
    TCF_CLASS_BARRIER,       /* the same for Barrier */
    TCF_CLASS_SCAN,          /* begins of ranks <= mine -> my end */
    TCF_CLASS_EXSCAN,        /* begins of ranks < mine -> my end */
    TCF_CLASS_UNORDERED,     /* create/destroy handle, MPI_Init, ...: an instance without constraint */
    TCF_CLASS_FORK,          /* fork -> team begin */
    TCF_CLASS_JOIN,          /* team ends -> join */
    TCF_CLASS_THREAD_CREATE, /* create -> thread begin */
    TCF_CLASS_THREAD_WAIT,   /* thread end -> wait */
    TCF_CLASS_LOCK,          /* release -> next acquire */
    TCF_CLASS_OMP_BARRIER,   /* enters -> leaves of a barrier region of a team */
    TCF_CLASS_RMA,           /* put/get -> completion */
    TCF_CLASSES
} tcf_edge_class;

/* tcf_edge.op beside OTF2's collective operations: instances that the trace does not record as such. */
enum { TCF_OP_INIT = 254, TCF_OP_FINALIZE = 255 };

/* An entry of a slice's list of edges, in order of pos. */
typedef struct tcf_edge {
    uint32_t pos;     /* of the event in the slice */
    uint32_t peer;    /* P2P: the other side's location, else the canonical communicator (or TCF_NONE) */
    uint64_t number;  /* of the message on its channel, or of the instance on its communicator */
    uint32_t channel; /* opaque: what is matched on */
    uint32_t slot;    /* opaque */
    uint32_t rank;    /* of this location in the communicator of the edge */
    uint8_t class_;   /* tcf_edge_class */
    uint8_t flags;    /* TCF_EDGE_* */
    uint8_t op;       /* OTF2_CollectiveOp of a collective */
    uint8_t side;     /* opaque, but for tcf_post_of() */
} tcf_edge;

/* One source, one target: a message, a thread's create or end, a lock handed over. Other edges belong to instances. */
static inline int tcf_is_message(const tcf_edge *e)
{
    return e->class_ == TCF_CLASS_P2P || e->class_ == TCF_CLASS_THREAD_CREATE || e->class_ == TCF_CLASS_THREAD_WAIT ||
           e->class_ == TCF_CLASS_LOCK;
}

/* What an edge has to do with a send that waits for its receive. Such edges are there with TCF_NEED_POSTS alone, also
 * at events that have an edge of another class. They have no class and no flags but TCF_EDGE_GONE, so filters without
 * that need pass over them; in arrive(), where other edges may have none either, this function tells them. */
typedef enum tcf_post {
    TCF_POST_NONE,
    TCF_POST_POSTED = 16,   /* a receive is posted: MPI_IRECV_REQUEST, or the enter of the call that holds the MPI_RECV.
                             * At MPI_RECV or MPI_IRECV: when it was posted is unknown. May publish() */
    TCF_POST_WAITED = 32,   /* a send has ended that waits for its receive: MPI_ISEND_COMPLETE, or what is recorded next
                             * behind MPI_SEND. May ask latest() of what the post has published */
    TCF_POST_UNAWAITED = 64 /* a send that waits for nobody */
} tcf_post;

static inline tcf_post tcf_post_of(const tcf_edge *e)
{
    return (tcf_post)(e->side & (TCF_POST_POSTED | TCF_POST_WAITED | TCF_POST_UNAWAITED));
}

/* A run of consecutive events of one location, as columns of n entries. Which columns exist depends on the chain:
 * match, edge and edges are there for filters with `span` or TCF_NEED_EDGES, callpath for those with
 * TCF_NEED_CALLPATH. */
struct tcf_slice {
    uint32_t location; /* index */
    uint32_t n;
    uint64_t first; /* number of event 0 within its location, as read, counted from 0 */

    uint64_t *time; /* ticks */
    uint8_t *kind;  /* enum tcf_kind */
    tcf_rec *rec;
    uint32_t *attr;     /* offset of the event's tcf_attributes in the arena, 0: none */
    uint8_t *edge;      /* TCF_EDGE_* */
    uint32_t *match;    /* 1 + position of the event's first entry in `edges`, 0: none */
    uint32_t *callpath; /* index of a call path: of the region entered or left, else of the one the event is in */

    tcf_edge *edges;
    uint32_t n_edges;

    uint8_t *arena;
    void *const *columns; /* named columns, by the number that host->column() gave */
};

/* What stands at an offset in the slice's arena: attributes, the elements of a record's array. */
static inline void *tcf_at(const tcf_slice *s, uint32_t offset)
{
    return s->arena + offset;
}

static inline const tcf_attributes *tcf_attributes_of(const tcf_slice *s, uint32_t i)
{
    return s->attr[i] ? (const tcf_attributes *)tcf_at(s, s->attr[i]) : NULL;
}

static inline int tcf_is_enter(uint8_t kind)
{
    return kind == TCF_ENTER || kind == TCF_CALLING_CONTEXT_ENTER;
}

static inline int tcf_is_leave(uint8_t kind)
{
    return kind == TCF_LEAVE || kind == TCF_CALLING_CONTEXT_LEAVE;
}

/* The region that event i enters or leaves, by index. TCF_NONE: nothing defines the event's calling context. Enter and
 * leave have the same layout. */
static inline uint32_t tcf_region_of_event(const tcf_definitions *defs, const tcf_slice *s, uint32_t i)
{
    return s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE
               ? s->rec[i].enter.region
               : tcf_region_of_context(defs, s->rec[i].calling_context_enter.calling_context);
}

/* The edges of event i, of a slice that has the columns of edges:
 *
 *     for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e))
 *
 * A filter that looks at nothing but edges walks along s->edges instead, which has those of dropped events, too. */
static inline tcf_edge *tcf_edge_of(const tcf_slice *s, uint32_t i)
{
    return s->match[i] ? &s->edges[s->match[i] - 1] : NULL;
}

static inline tcf_edge *tcf_next_edge(const tcf_slice *s, const tcf_edge *e)
{
    size_t next = (size_t)(e - s->edges) + 1;
    return next < s->n_edges && s->edges[next].pos == e->pos ? &s->edges[next] : NULL;
}

/* The call tree: node 0 is the root (no region); a parent's index is smaller than its children's. */
typedef struct tcf_callpath {
    uint32_t parent;
    uint32_t region; /* TCF_NONE for the root, and for the node that stands for "more than the cap"; of a computation
                      * node (host->computation()) the region of the call before, with all bits of TCF_COMPUTATION */
    uint32_t depth;  /* 0 for the root */
} tcf_callpath;

#define TCF_COMPUTATION 0xc0000000u

/* Is it the region of a computation node? The region of the call before is region & ~TCF_COMPUTATION. */
static inline int tcf_is_computation(uint32_t region)
{
    return region >= TCF_COMPUTATION && region != TCF_NONE;
}

/* A collective operation that all members have left, but for those that never came to it and have ended: n_arrived
 * counts without them, and their bytes are 0. Where a damaged trace has members call different operations, class_ and
 * op are those of the lowest member that has come. */
struct tcf_collective {
    uint32_t comm; /* canonical */
    uint64_t number;
    uint8_t class_, op;
    uint32_t root; /* member; set for one-to-n alone, TCF_NONE for all others, n-to-one (Reduce, Gather) too: its root
                    * is the one that waits, the only member whose end is a target */
    uint32_t n_members, n_arrived;
    const unsigned char *members; /* of this filter: n_members x stride bytes, by rank; until the callback returns */
    size_t stride;
};

static inline const void *tcf_member(const tcf_collective *c, uint32_t rank)
{
    return c->members + rank * c->stride;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

/* Cells of a table; see host->table(). With host->rows() a column also says where in the struct of a row its value
 * stands: TCF_AT(). */
typedef enum tcf_cell_type {
    TCF_CELL_TEXT,
    TCF_CELL_INT,
    TCF_CELL_UINT,
    TCF_CELL_DOUBLE,
    TCF_CELL_OPTIONAL = 8,   /* with TCF_CELL_UINT (|): UINT64_MAX (of a member stored in 32 bits TCF_NONE) is no value:
                              * null in JSON and SQL, empty in CSV, "-" in text */
    TCF_CELL_DETAIL = 16,    /* with one of the above (|): for programs, not shown in text; e.g. the exact ticks of a
                              * column in seconds */
    TCF_CELL_LEADS = 32,     /* with a number (|): where text shows only some rows of a long table, these are
                              * the ones with the largest amounts in this column; without it, the first ones */
    TCF_CELL_FOLLOWS = 2048, /* with a number (|): follows from messages and collective operations, as the columns in
                              * "messages" and "bytes" do; no value where the trace doesn't have them: TCF_UNKNOWN */
    TCF_CELL_SECONDS = TCF_CELL_DOUBLE | 64, /* with TCF_AT() (|): the member is in ticks, and in the table in seconds;
                                              * what isn't finite is not shown */
    TCF_CELL_WHEN = TCF_CELL_DOUBLE | 128    /* likewise of a timestamp: as tcf_when() */
} tcf_cell_type;

/* How a member of a row's struct is stored; for TCF_AT(). */
enum {
    TCF_STORED_TEXT = 1 << 8, /* const char *, may be NULL */
    TCF_STORED_DOUBLE = 2 << 8,
    TCF_STORED_INT = 3 << 8, /* int */
    TCF_STORED_I64 = 4 << 8,
    TCF_STORED_U8 = 5 << 8,
    TCF_STORED_U32 = 6 << 8,
    TCF_STORED_U64 = 7 << 8,
    TCF_STORED_AT = 1 << 16 /* times the member's offset, which is below 32768 */
};

/* The type of a column whose value is a member of the struct `row`. */
#define TCF_AT(row, member)                                                                                            \
    (_Generic(((row *)0)->member,                                                                                      \
         const char *: TCF_CELL_TEXT | TCF_STORED_TEXT,                                                                \
         double: TCF_CELL_DOUBLE | TCF_STORED_DOUBLE,                                                                  \
         int: TCF_CELL_INT | TCF_STORED_INT,                                                                           \
         int64_t: TCF_CELL_INT | TCF_STORED_I64,                                                                       \
         uint8_t: TCF_CELL_UINT | TCF_STORED_U8,                                                                       \
         uint32_t: TCF_CELL_UINT | TCF_STORED_U32,                                                                     \
         uint64_t: TCF_CELL_UINT | TCF_STORED_U64) |                                                                   \
     TCF_STORED_AT * (int)offsetof(row, member))

/* Of a trace whose format doesn't have all that columns follow from (TCF_UNKNOWN), their cells have no value, and the
 * title of the table says so. */
typedef struct tcf_table_column {
    const char *name; /* snake_case */
    tcf_cell_type type;
    const char *unit; /* "s", "messages", "bytes" (of messages and collective operations), NULL */
    const char *help;
} tcf_table_column;

typedef union tcf_cell {
    const char *text;
    int64_t i;
    uint64_t u;
    double d;
} tcf_cell;

static inline tcf_cell tcf_text(const char *value)
{
    return (tcf_cell){.text = value};
}

static inline tcf_cell tcf_int(int64_t value)
{
    return (tcf_cell){.i = value};
}

static inline tcf_cell tcf_uint(uint64_t value)
{
    return (tcf_cell){.u = value};
}

static inline tcf_cell tcf_double(double value)
{
    return (tcf_cell){.d = value};
}

/* A TCF_CELL_DOUBLE in seconds. */
static inline tcf_cell tcf_seconds(const tcf_self *self, double ticks)
{
    return (tcf_cell){.d = ticks / (double)self->defs->clock.resolution};
}

/* A TCF_CELL_DOUBLE: when, in seconds. All reports count them from where the archive states that the trace starts, as
 * `select` does; what is before that is negative. So they mean the same in every filter of a run, whatever each of them
 * gets to see. */
static inline tcf_cell tcf_when(const tcf_self *self, uint64_t time)
{
    return tcf_seconds(self, tcf_time_apart(self->defs->clock.global_offset, time));
}

typedef struct tcf_table tcf_table;

/* What a trace doesn't say, since the format that it was read from has no place for it: words of its property
 * TCF_UNKNOWN, with blanks between. What isn't known is no zero: tables leave it open. */
#define TCF_UNKNOWN "TCFLOW::UNKNOWN"
#define TCF_UNKNOWN_MESSAGES "messages"     /* messages and collective operations, though the program communicates */
#define TCF_UNKNOWN_SIZES "sizes"           /* of all messages and collective operations */
#define TCF_UNKNOWN_SOME_SIZES "some_sizes" /* of some of them */
#define TCF_UNKNOWN_RANKS "ranks"           /* which process has which rank: ranks are those of the order of the file */

static inline int tcf_is_unknown(const tcf_definitions *defs, const char *what)
{
    const size_t n = strlen(what);
    const char *word = tcf_property_of(defs->properties, defs->n_properties, TCF_UNKNOWN);
    while (word && *word) {
        const size_t length = strcspn(word, " ");
        if (length == n && memcmp(word, what, n) == 0)
            return 1;
        word += length + strspn(word + length, " ");
    }
    return 0;
}

/* The name of the location group that a location is of; `none` where it is of none. */
static inline const char *tcf_process_name(const tcf_definitions *defs, uint32_t location, const char *none)
{
    const uint32_t group = location < defs->n_locations ? defs->locations[location].group : TCF_NONE;
    return group < defs->n_location_groups ? defs->location_groups[group].name : none;
}

/* ----------------------------------------------------------------------------------- other records of an archive -- */

/* A record of a location's snapshot: the event fields, the snapshot's time and the event's original time. */
typedef struct tcf_snapshot_record {
    uint32_t location;
    uint8_t kind; /* enum tcf_kind; 0: start (rec.program_end.exit_status = number of records); UINT8_MAX: end
                   * (the same member = position to continue reading from) */
    uint64_t snapshot_time, event_time; /* ticks */
    const tcf_rec *rec;
    const tcf_attributes *attributes; /* or NULL */
    const tcf_slice *arena;           /* for tcf_at() on the record's arrays */
} tcf_snapshot_record;

typedef struct tcf_marker {
    int definition; /* 1: defines a marker, 0: an instance */
    uint32_t marker;
    const char *group, *category; /* definition */
    uint8_t severity;             /* definition */
    uint64_t time, duration;      /* instance; ticks */
    uint8_t scope;                /* instance: OTF2_MarkerScope */
    uint64_t scope_ref;           /* instance: an id of the archive */
    const char *text;             /* instance */
} tcf_marker;

typedef struct tcf_thumbnail {
    const char *name, *description;
    uint8_t type; /* OTF2_ThumbnailType: what refs are */
    uint32_t n_samples, n_metrics;
    const uint64_t *refs;     /* n_metrics ids of the archive */
    const uint64_t *baseline; /* per sample */
    const uint64_t *samples;  /* n_samples x n_metrics */
} tcf_thumbnail;

/* ------------------------------------------------------------------------------------------------------ the host -- */

typedef enum tcf_log_level { TCF_LOG_ERROR, TCF_LOG_WARNING, TCF_LOG_INFO, TCF_LOG_DEBUG } tcf_log_level;

/* What a filter may ask of the framework. Each function takes the filter's own `self`. Unless another time is stated a
 * function may be called in every callback from begin() on. `size` grows with the minor version of the interface; a
 * member beyond it isn't there. */
struct tcf_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;

    /* -- messages and errors -- */

    /* Prints a line, with the instance's name in front; what is shown depends on -q and -v. In any callback. */
    void (*log)(const tcf_self *self, tcf_log_level level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Records why the callback fails and returns TCF_ERROR, which the callback returns. In any callback but fini(). */
    tcf_status (*fail)(const tcf_self *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
    /* As fail(), in begin(), for a mistake of the user's settings that only the definitions reveal, e.g. a name that
     * the trace doesn't have: the command ends with the status of such mistakes (2), as for all that init() refuses. */
    tcf_status (*refuse)(const tcf_self *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
    /* Is the run to end, since the user has interrupted it? A callback that computes for longer than a second asks now
     * and then, and fails. */
    int (*interrupted)(const tcf_self *self);

    /* -- what the trace says -- */

    /* A duration in ticks of this trace, rounded to nearest, at least 0. */
    uint64_t (*ticks)(const tcf_self *self, tcf_duration duration);
    /* The name of a value of one of libotf2's enumerations ("COLLECTIVE_OP", "LOCK_TYPE", ... as in the role column
     * of the record tables), or NULL. It lasts as long as the process, that of a set of flags until the next call. */
    const char *(*enum_name)(const char *enumeration, uint64_t value);
    /* The index of a definition by its id in the archive, as values of attributes have it (tcf_ref_of_type());
     * TCF_NONE: no definition has this id. In constant time. tcf_id() leads back. */
    uint32_t (*find)(const tcf_self *self, tcf_ref_kind kind, uint64_t id);
    /* Number of a named column for slice->columns, -1 when no filter provides it. In begin(). */
    int (*column)(const tcf_self *self, const char *name);
    /* The call tree so far, n nodes; it only grows. With TCF_NEED_CALLPATH. The address may change from one callback to
     * the next, and with computation(). */
    const tcf_callpath *(*callpaths)(const tcf_self *self, uint32_t *n);
    /* The computation node of a call path behind calls of a region: a child that stands for the call path's own time
     * from the leave of such a call on, until the filter that asks says otherwise. The first filter that asks makes the
     * node; no event has it in its column. With TCF_NEED_CALLPATH. The call path itself: the tree is full. TCF_NONE:
     * out of memory. */
    uint32_t (*computation)(tcf_self *self, uint32_t callpath, uint32_t region);

    /* -- edges: in span(), for entries of the span; answer() and answered() in slice() and what follows it -- */

    /* The filter's bytes at an edge. Of a message (tcf_is_message()) message_bytes, which both ends share; of a
     * collective member_bytes of this member, which collective_complete() finds. All 0 when the source comes. They
     * last until the target has passed, or the collective is complete. NULL: the edge is unmatched. */
    void *(*payload)(const tcf_self *self, const tcf_edge *e);
    /* At a source: number `which` (below tcf_filter.numbers), which its targets ask for by latest(). A source may also
     * publish where it is left (TCF_EDGE_LEFT), and the root of a one-to-n at its own end. */
    void (*publish)(const tcf_self *self, const tcf_edge *e, uint32_t which, uint64_t value);
    /* At a target: the largest number `which` over all sources that must precede it, the location's own begin of a
     * collective excepted (the maximum in eq. 3' of Becker et al.). 0: there is none, and *value is as before. */
    int (*latest)(const tcf_self *self, const tcf_edge *e, uint32_t which, uint64_t *value);
    /* With TCF_NEED_ENDS, at an end that has waited for all ends: the earliest time of all members' ends, as they came
     * to this causal segment. 0: this one has not waited, or not for all of them. */
    int (*first_end)(const tcf_self *self, const tcf_edge *e, uint64_t *time);
    /* The other direction, from targets back to their sources: with TCF_CAN_ANSWER, for a filter that holds the slices
     * of sources until it knows enough of their targets. At a target, in slice(): the number that its sources ask
     * for. */
    void (*answer)(const tcf_self *self, const tcf_edge *e, uint64_t value);
    /* At a source of a slice that has not been released: the smallest number of all targets that depend on it, the
     * location's own end of a collective excepted; UINT64_MAX: of none. 1: all have answered, or won't come any more;
     * 0: some may still come, *value is what is known by now. */
    int (*answered)(const tcf_self *self, const tcf_edge *e, uint64_t *value);

    /* -- slices -- */

    /* With TCF_CAN_HOLD: passes on a slice that `slice` held (returned TCF_HELD for, or will). Once for each, in order
     * of arrival within a location. From then on the slice isn't the filter's any more. May call filters behind this
     * one, never this one. */
    tcf_status (*release)(tcf_self *self, tcf_slice *s);
    /* With TCF_CAN_INSERT: an empty slice of a location (n = 0), for emit(). *capacity: how many events it has room
     * for; at least 1. The filter fills in n, and for each event time, kind and rec; attr is 0, edges and call paths
     * are the framework's, `first` is that of the slice that the events stand in front of. May call filters behind this
     * one, never this one, to make room. NULL: memory is out. */
    tcf_slice *(*slice_new)(tcf_self *self, uint32_t location, uint32_t *capacity);
    /* Passes on a slice of slice_new(): its events stand behind all of this location that have been passed on by now,
     * and in front of the slice that slice() was called with, which goes on when that returns; from location_end() they
     * are the last ones. Their times must fit in there. Inserted events are no edges. In slice(), location_end() and
     * flush(). */
    tcf_status (*emit)(tcf_self *self, tcf_slice *s);
    /* With TCF_CAN_DROP: drops the events of which keep[i] is 0, in place; s->n becomes smaller. Dropped ends of edges
     * leave tombstones, so their partners become unmatched, and nothing is paired anew. In slice(), or of a slice that
     * is held. */
    void (*compact)(tcf_self *self, tcf_slice *s, const uint8_t *keep);
    /* In begin(), with TCF_CAN_DROP: the filter will let no event of this location pass. */
    void (*leave_out)(tcf_self *self, uint32_t location);
    /* Lower bound of the times of all events in slices that will still arrive here; UINT64_MAX once all locations have
     * ended. It moves with TCF_NEED_TOGETHER, or `span`. For a filter with `span`, here is where its causal segment
     * begins: slices that have arrived there wait, so the events that it still gets of them may be earlier, and have
     * the times that the filters before it in the segment give them. */
    uint64_t (*watermark)(const tcf_self *self);

    /* -- surveys and results -- */

    /* What a survey leaves to the main chain: plain rows, as declared beside the table's name (e.g. clocks.h). In end()
     * of a filter in the survey (TCF_CAN_SURVEY), or in begin() of one of the main chain that makes a table void for
     * those behind it, which it replaces. A survey that turns out to have matched messages whose pairs cannot be known
     * is repeated: its filters come to fini() without end(), and are made anew. */
    tcf_status (*learn)(tcf_self *self, const char *table, size_t row_bytes, const void *rows, uint64_t n);
    /* Finds the table in a filter of the main chain, until the run ends; NULL: there is no such table. The size must be
     * the one that it was left with. */
    const void *(*learned)(const tcf_self *self, const char *table, size_t row_bytes, uint64_t *n);
    /* Tables of results, rendered as the instance's `format` and `output` say. The title is the same for all traces.
     * With TCF_CAN_REPORT, in end(). NULL: out of memory; row() ignores it, and the run fails when the report is to be
     * written. */
    tcf_table *(*table)(tcf_self *self, const char *name, const char *title, const tcf_table_column *columns,
                        uint32_t n_columns);
    /* Adds a row of n cells: one for each column of the table, of the column's type. */
    void (*row)(tcf_table *table, const tcf_cell *cells, uint32_t n);
    /* Adds n rows, structs of `stride` bytes each, to a table whose columns are all made with TCF_AT(). */
    void (*rows)(tcf_table *table, const void *rows, size_t n, size_t stride);
    /* Sets a property of the archive that filters behind this one write, instead of one of the same name. Names are as
     * OTF2 wants them: A-Z, 0-9 and _, parts joined by "::", at least two. */
    tcf_status (*set_property)(tcf_self *self, const char *name, const char *value);
    /* All that have been set by now, n of them, until the next one is set. */
    const tcf_property *(*properties)(const tcf_self *self, uint32_t *n);

    /* -- what else the archive holds, for writers -- */

    /* Each calls back in the archive's order; TCF_ERROR from the callback ends it. What it is given lasts until it
     * returns. In end(); snapshots in location_end(), too. */
    tcf_status (*snapshots)(tcf_self *self, uint32_t location,
                            tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data);
    tcf_status (*markers)(tcf_self *self, tcf_status (*each)(void *data, const tcf_marker *marker), void *data);
    tcf_status (*thumbnails)(tcf_self *self, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail),
                             void *data);

    /* -- domains: the first one from begin() on, the others in pack() and absorb() -- */

    /* Does this instance get the location's events? 0: another domain has them. */
    int (*has)(const tcf_self *self, uint32_t location);
    /* In pack(): appends bytes to what absorb() will find. Out of memory ends the run behind pack(). */
    void (*put)(tcf_pack *pack, const void *data, size_t bytes);
    /* In absorb(): the next bytes that were put. Behind the last one they are 0, and the run ends with an error that
     * names the filter, as it does where bytes are left. */
    void (*take)(tcf_pack *pack, void *data, size_t bytes);
    /* In pack(): of each location that this instance gets `bytes` bytes of tcf_location_state(), from `offset` on;
     * TCF_MEMBERS() gives both. */
    void (*put_locations)(const tcf_self *self, tcf_pack *pack, size_t offset, size_t bytes);
    /* In absorb(): takes them into the states of the same locations. */
    void (*take_locations)(const tcf_self *self, tcf_pack *pack, size_t offset, size_t bytes);
    /* In absorb(): the index of a definition by the index that the packing instance had for it; they differ for ids
     * that no definition defines (TCF_DANGLING) alone. */
    uint32_t (*taken_index)(tcf_pack *pack, tcf_ref_kind kind, uint32_t index);
    /* In absorb(): the same of a call path, with TCF_NEED_CALLPATH. */
    uint32_t (*taken_callpath)(tcf_pack *pack, uint32_t callpath);

    /* A table of further functions, for a few filters that are shipped with tcflow; NULL: there is none of this name.
     * It has no stable interface. */
    const void *(*extension)(const tcf_self *self, const char *name);
};

/* host->table() with an array of columns. */
#define TCF_TABLE(self, name, title, columns) ((self)->host->table(self, name, title, columns, TCF_COUNT(columns)))

/* host->row() with the cells of a row. */
#define TCF_ROW(self, table, ...)                                                                                      \
    ((self)->host->row(table, (const tcf_cell[]){__VA_ARGS__}, TCF_COUNT(((const tcf_cell[]){__VA_ARGS__}))))

/* Warns of n things: "n visits are left out". Of none it doesn't. */
static inline void tcf_warn(const tcf_self *self, uint64_t n, const char *what)
{
    if (n > 0)
        self->host->log(self, TCF_LOG_WARNING, "%llu %s", (unsigned long long)n, what);
}

/* Offset and bytes of the members of a struct from `first` to `last`:
 * host->put_locations(self, pack, TCF_MEMBERS(struct place, events, last)). */
#define TCF_MEMBERS(struct_, first, last)                                                                              \
    offsetof(struct_, first), offsetof(struct_, last) + sizeof(((struct_ *)0)->last) - offsetof(struct_, first)

/* One row of a table whose columns are all made with TCF_AT(). */
static inline void tcf_row(const tcf_self *self, tcf_table *table, const void *row)
{
    self->host->rows(table, row, 1, 0);
}

#ifdef __cplusplus
}

/* Bits of one family may be joined, of two they may not, in C++ as in C with -Wextra. */
#define TCF_X_JOIN(type)                                                                                               \
    constexpr type operator|(type a, type b)                                                                           \
    {                                                                                                                  \
        return static_cast<type>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));                                 \
    }                                                                                                                  \
    inline type &operator|=(type &a, type b)                                                                           \
    {                                                                                                                  \
        return a = a | b;                                                                                              \
    }
TCF_X_JOIN(tcf_need)
TCF_X_JOIN(tcf_can)
TCF_X_JOIN(tcf_write)
#undef TCF_X_JOIN
#endif
#endif
