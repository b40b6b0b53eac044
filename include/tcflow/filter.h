/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow's plugin interface: everything that a filter sees of the framework.
 *
 * A plugin is a shared object with one exported data symbol, TCF_FILTER, a struct literal that names the filter,
 * its parameters and its callbacks. No symbol of the framework is linked: what a filter may ask of it stands in the
 * host table. Only `slice` or `span` must be there; every other member has a default, stated beside it.
 *
 * Concurrency: `slice` may run at the same time for different locations; every other callback is serial. So a
 * filter keeps its state per location (tcf_location_state()) or in slots, reduces at `end`, and has no mutable
 * file-scope variable.
 *
 * Errors: a callback that fails returns host->fail(self, ...), which records the reason and yields TCF_ERROR; the
 * framework adds what it was doing and stops the run. Mistakes of the user's settings are told in init(), or by
 * host->refuse() in begin(). */
#ifndef TCFLOW_FILTER_H
#define TCFLOW_FILTER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <tcflow/definitions.h>
#include <tcflow/events.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The plugin interface has a version of its own, MAJOR.MINOR. A filter that was built for an older minor version goes
 * on working without being built again: members are added at the end of tcf_host, tcf_self, tcf_definitions and
 * tcf_filter alone, and new bits and kinds are numbers that had no meaning; nothing is moved, made larger, or given
 * another meaning. A filter that was built for a newer minor version is refused, for it may ask for what isn't there;
 * so is one of another major version. `tcflow --list-filters` tells both versions. */
#define TCF_MAGIC 0x57464354u /* "TCFW" */
#define TCF_ABI_MAJOR 1
#define TCF_ABI_MINOR 1

typedef enum tcf_status {
    TCF_ERROR = -1,
    TCF_OK = 0,
    TCF_HELD = 1 /* from `slice` of a filter that holds: the slice stays with it until host->release(), which may have
                  * been called by then */
} tcf_status;

/* ---------------------------------------------------------------------------------------------------- parameters -- */

typedef enum tcf_param_type {
    TCF_BOOL,     /* int: yes|no|true|false|on|off|1|0 */
    TCF_INT,      /* int64_t */
    TCF_DOUBLE,   /* double */
    TCF_SIZE,     /* uint64_t bytes: 64MiB, 4k */
    TCF_DURATION, /* tcf_duration: 1us, 250ns, 1.5s, 3 ticks */
    TCF_STRING,   /* const char *, or NULL */
    TCF_PATH,     /* const char *, or NULL; relative to the working directory */
    TCF_ENUM,     /* int: position in `choices` */
    TCF_LIST      /* tcf_list: words separated by blanks or commas */
} tcf_param_type;

typedef struct tcf_duration {
    double value;
    int in_ticks; /* else in seconds */
} tcf_duration;

typedef struct tcf_list {
    const char *const *item;
    uint32_t n;
} tcf_list;

/* One row of a filter's parameter table; the table ends with a row whose key is NULL. It drives parsing, defaults,
 * range checks, --describe, the man page and filters.d/NAME.ini. */
typedef struct tcf_param {
    const char *key;
    tcf_param_type type;
    size_t offset;             /* of the member in the filter's conf struct */
    const char *default_value; /* as it would stand in the INI; NULL: none, the parameter must be given;
                                * "": none, and it need not be given */
    const char *min, *max;     /* as in the INI, NULL: no limit */
    const char *unit;          /* for people: "ticks", "events", NULL */
    const char *choices;       /* TCF_ENUM: "keep|drop" */
    const char *help;          /* one sentence */
} tcf_param;

/* -------------------------------------------------------------------------------------------------------- slices -- */

/* Bits of the edge column. */
enum {
    TCF_EDGE_SOURCE = 1, /* others wait for this event: a send, a collective begin, a fork, a release */
    TCF_EDGE_TARGET = 2, /* this event waits for others */
    TCF_EDGE_LEFT = 4,   /* leaves the call of an earlier source (source_at_leave) */
    TCF_EDGE_GONE = 8,   /* in the list only: the event was dropped by a filter; `pos` is that of the next one kept */
    TCF_EDGE_UNMATCHED = 16, /* no partner: lost, cut off, dropped, or given up */
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
    uint8_t side;     /* opaque */
} tcf_edge;

/* One source, one target: a message, a thread's create or end, a lock handed over. Other edges belong to instances. */
static inline int tcf_is_message(const tcf_edge *e)
{
    return e->class_ == TCF_CLASS_P2P || e->class_ == TCF_CLASS_THREAD_CREATE || e->class_ == TCF_CLASS_THREAD_WAIT ||
           e->class_ == TCF_CLASS_LOCK;
}

/* A run of consecutive events of one location, as columns of n entries. Which columns exist depends on the chain:
 * match, edge and edges are there when a filter asked for TCF_NEEDS_EDGES, callpath for TCF_NEEDS_CALLPATH. */
typedef struct tcf_slice {
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
    void *const *columns; /* named columns, by the number that the framework gave (host->column()) */
} tcf_slice;

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
static inline uint32_t tcf_region_at(const tcf_definitions *defs, const tcf_slice *s, uint32_t i)
{
    return s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE
               ? s->rec[i].enter.region
               : tcf_region_of_context(defs, s->rec[i].calling_context_enter.calling_context);
}

/* The same as a call path has it (tcf_callpath.region): a context that nothing defines is itself. */
static inline uint32_t tcf_callpath_region_at(const tcf_definitions *defs, const tcf_slice *s, uint32_t i)
{
    return s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE
               ? s->rec[i].enter.region
               : tcf_callpath_region(defs, s->rec[i].calling_context_enter.calling_context);
}

/* The first edge of event i, or NULL. */
static inline tcf_edge *tcf_edge_of(const tcf_slice *s, uint32_t i)
{
    return s->match[i] ? &s->edges[s->match[i] - 1] : NULL;
}

/* The call tree: node 0 is the root (no region); a parent's index is smaller than its children's. */
typedef struct tcf_callpath {
    uint32_t parent;
    uint32_t region; /* TCF_NONE for the root, and for the node that stands for "more than the cap" */
    uint32_t depth;  /* 0 for the root */
} tcf_callpath;

/* ----------------------------------------------------------------------------------------------- host and filter -- */

typedef struct tcf_host tcf_host;

/* One filter in one chain. Owned by the framework. */
typedef struct tcf_self {
    const tcf_host *host;
    const tcf_definitions *defs; /* from begin() on */
    const char *name;            /* of the instance: its INI section */
    const void *conf;            /* the parsed parameters */
    void *state;                 /* state_size bytes, zeroed before init() */
    unsigned char *location;     /* location_size bytes a location, zeroed before begin() */
    size_t location_size;
    void *framework;
    uint32_t
        changed;     /* TCF_TIME ... of the `writes` of all filters before this one, those of the process that wrote the
                      * stream that is read included; TCF_EVENTS: one of them has dropped or
                      * inserted events by now. Certain in end() */
    uint32_t writes; /* the filter's; begin() and end() may take away what turned out to be left alone */
    uint32_t needs;  /* the filter's; init() may add what its parameters ask for, or take away what they don't */
    uint32_t checking; /* tcflow --check: no run follows */
    const struct tcf_named_column
        *requires; /* the filter's; init() may name others, which live as long as the filter */
} tcf_self;

static inline void *tcf_location_state(const tcf_self *self, uint32_t location)
{
    return self->location + (size_t)location * self->location_size;
}

typedef enum tcf_log_level { TCF_LOG_ERROR, TCF_LOG_WARNING, TCF_LOG_INFO, TCF_LOG_DEBUG } tcf_log_level;

/* Cells of a table; see host->table(). With host->rows() a column also says where in the struct of a row its value
 * stands: TCF_AT(). */
typedef enum tcf_cell_type {
    TCF_CELL_TEXT,
    TCF_CELL_INT,
    TCF_CELL_UINT,
    TCF_CELL_DOUBLE,
    TCF_CELL_DETAIL = 16, /* with one of the above (|): for programs, not shown in text; e.g. the exact ticks of a
                           * column in seconds */
    TCF_CELL_LEADS = 32, /* since ABI 1.1, with a number (|): where text shows only some rows of a long table, these are
                          * the ones with the largest amounts in this column; without it, the first ones */
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

typedef struct tcf_table_column {
    const char *name; /* snake_case */
    tcf_cell_type type;
    const char *unit; /* "s", "bytes", NULL */
    const char *help;
} tcf_table_column;

/* Entries of an array, e.g. of columns. */
#define TCF_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

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
    return tcf_seconds(self, (double)(int64_t)(time - self->defs->clock.global_offset));
}

typedef struct tcf_table tcf_table;

/* The name of the location group that a location is of; `none` where it is of none. */
static inline const char *tcf_process_name(const tcf_definitions *defs, uint32_t location, const char *none)
{
    const uint32_t group = location < defs->n_locations ? defs->locations[location].group : TCF_NONE;
    return group < defs->n_location_groups ? defs->location_groups[group].name : none;
}

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

/* What an edge is matched on, for those who hand matches on to another process. Together with `number` it names a
 * message or an instance; both mean the same in every process. */
typedef struct tcf_channel {
    uint8_t type;  /* tcf_channel_type */
    uint32_t comm; /* canonical communicator, or RMA window, or TCF_NONE */
    uint32_t a, b, tag;
} tcf_channel;

typedef enum tcf_channel_type {
    TCF_CHANNEL_MESSAGE,    /* a: sender, b: receiver (members: locations), tag: the message's */
    TCF_CHANNEL_COLLECTIVE, /* a: the member of a self communicator (a location), else 0 */
    TCF_CHANNEL_RMA,        /* collectives of an RMA window */
    TCF_CHANNEL_TEAM,       /* fork, team begin, team end, join */
    TCF_CHANNEL_BARRIER,    /* OpenMP barriers of a team */
    TCF_CHANNEL_PROGRAM,    /* MPI_Init (tag 0), MPI_Finalize (1) */
    TCF_CHANNEL_THREAD,     /* create -> begin; a, b: the sequence count, tag: the location group */
    TCF_CHANNEL_THREAD_END, /* end -> wait; likewise */
    TCF_CHANNEL_LOCK,       /* a: location group, b: lock, tag: acquisition order of the release */
    TCF_CHANNEL_TYPES
} tcf_channel_type;

/* What was lost of a location where a damaged input was salvaged. */
typedef struct tcf_loss {
    uint32_t location;
    uint64_t last_good;        /* number of good events, UINT64_MAX: the location's own definitions were lost */
    const char *file, *reason; /* the framework's */
} tcf_loss;

/* A table that a survey has left. */
typedef struct tcf_learned_table {
    const char *name;
    const void *rows;
    size_t row_bytes;
    uint64_t n;
} tcf_learned_table;

/* What a filter may ask of the framework. `size` grows with the ABI's minor version; a member beyond it isn't there. */
struct tcf_host {
    uint32_t size;
    uint16_t abi_major, abi_minor;

    void (*log)(const tcf_self *self, tcf_log_level level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Records the reason of a failure and returns TCF_ERROR. */
    tcf_status (*fail)(const tcf_self *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

    /* A duration in ticks of this trace, rounded to nearest. Only from begin() on. */
    uint64_t (*ticks)(const tcf_self *self, tcf_duration duration);
    /* The name of a value of one of libotf2's enumerations ("COLLECTIVE_OP", "LOCK_TYPE", ... as in the role column
     * of the record tables), or NULL. That of a set of flags lasts until the thread asks again. */
    const char *(*enum_name)(const char *enumeration, uint64_t value);

    /* Number of a named column for slice->columns, -1 when nobody provides it. Only in begin(). */
    int (*column)(const tcf_self *self, const char *name);
    /* The call tree so far; only grows. Owned by the framework, the address may change between calls. */
    const tcf_callpath *(*callpaths)(const tcf_self *self, uint32_t *n);

    /* Edges, only inside span() and only for entries of the span. p2p: the message's slot, shared by both ends;
     * collective: this member's bytes. message_bytes / member_bytes of the filter, zeroed at the source; NULL at an
     * unmatched edge. */
    void *(*payload)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e);
    /* At a source: the number that the targets ask for. */
    void (*publish)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t value);
    /* At a target: the largest (smallest) number over all sources that must precede it, the location's own begin of a
     * collective excepted. 0: there is none. */
    int (*latest)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t *value);
    int (*earliest)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t *value);
    /* The same for filters with several numbers (tcf_filter.numbers): which of them, from 0 on; 0 is the one above.
     * They may also be published where a source is left (TCF_EDGE_LEFT), and by the root of a one-to-n at its own
     * end. */
    void (*publish_as)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint32_t which, uint64_t value);
    int (*latest_of)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint32_t which, uint64_t *value);
    /* At an end that has waited for all ends (TCF_NEEDS_ENDS): the earliest time of all members' ends, as they came to
     * this causal segment. 0: this one has not waited, or not for all of them. */
    int (*first_end)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t *time);

    /* The other direction (from targets back to their sources), for a slice filter with TCF_ANSWERS, which holds the
     * slices of sources until it knows enough of their targets. At a target, in slice(): the number that its sources
     * ask for. */
    void (*answer)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t value);
    /* At a source of a slice that has not been released: the smallest number of all targets that depend on it, the
     * location's own end of a collective excepted; UINT64_MAX: of none. 1: all have answered, or won't come any more;
     * 0: some may still come, *value is what is known by now. */
    int (*answered)(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t *value);

    /* Passes on a slice that `slice` held (returned TCF_HELD for). In order of arrival within a location. */
    tcf_status (*release)(tcf_self *self, tcf_slice *s);
    /* A slice of one's own for `inserts` filters, n = 0, room for `capacity` events; give it to emit(). May call
     * filters behind this one, never this one. NULL: memory is out, and the run has failed. */
    tcf_slice *(*slice_new)(tcf_self *self, uint32_t location, uint32_t *capacity);
    tcf_status (*emit)(tcf_self *self, tcf_slice *s);
    /* Lower bound of the times of all events in slices that will still arrive here; UINT64_MAX once all locations have
     * ended. For a filter with `span`, here is where its causal segment begins: slices that have arrived there wait, so
     * the events that it still gets of them may be earlier, and have the times that the filters before it in the
     * segment give them. */
    uint64_t (*watermark)(const tcf_self *self);
    /* Drops the events whose `keep` is 0, in place; dropped ends of edges leave tombstones. */
    void (*compact)(tcf_self *self, tcf_slice *s, const uint8_t *keep);

    /* What a survey leaves to the main chain: plain rows, as declared beside the table's name (clocks.h). learn()
     * copies them, in end() of a filter in the survey, or in begin() of one of the main chain that makes a table void
     * for those behind it, which it replaces; learned() finds them from begin() on in a filter of the main chain, NULL:
     * there is no such table. Names and row sizes must be those of the header. A survey that turns out to have matched
     * messages whose pairs cannot be told is repeated: its filters come to fini() without end(), and are made anew. */
    tcf_status (*learn)(tcf_self *self, const char *table, size_t row_bytes, const void *rows, uint64_t n);
    const void *(*learned)(const tcf_self *self, const char *table, size_t row_bytes, uint64_t *n);

    /* A property of the archive that filters behind this one write, instead of one of the same name. Names are as OTF2
     * wants them: A-Z, 0-9 and _, parts joined by "::", at least two. properties(): what has been set by now. */
    tcf_status (*set_property)(tcf_self *self, const char *name, const char *value);
    const tcf_property *(*properties)(const tcf_self *self, uint32_t *n);

    /* Tables of results, rendered as the instance's `format` and `output` say (with `overwrite`: parameters that the
     * framework adds to every filter with TCF_REPORTS). Only in end(). All is copied. NULL: out of memory; row()
     * ignores it, and the run fails when the report is to be written. */
    tcf_table *(*table)(tcf_self *self, const char *name, const char *title, const tcf_table_column *columns,
                        uint32_t n_columns);
    void (*row)(tcf_table *table, const tcf_cell *cells);

    /* What else the archive holds, for writers. Each calls back in the archive's order; TCF_ERROR from the callback
     * ends it. What it is given lasts until it returns. Only in end() (snapshots: in location_end() too). */
    tcf_status (*snapshots)(tcf_self *self, uint32_t location,
                            tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data);
    tcf_status (*markers)(tcf_self *self, tcf_status (*each)(void *data, const tcf_marker *marker), void *data);
    tcf_status (*thumbnails)(tcf_self *self, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail),
                             void *data);

    /* Since ABI 1.1, for those who hand on to another process what this one knows. */
    /* What an edge is matched on; 0: it is not matched. */
    int (*channel)(const tcf_self *self, const tcf_edge *e, tcf_channel *channel);
    /* Lower bound of the times of the events of a location that will still arrive here; UINT64_MAX: none will. */
    uint64_t (*frontier)(const tcf_self *self, uint32_t location);
    /* Tables that the survey has left, by number from 0 on; 0: there are no more. */
    int (*learned_table)(const tcf_self *self, uint32_t i, tcf_learned_table *table);
    /* Named columns of the chain by number from 0 on, as slice->columns has them; 0: there are no more. */
    int (*column_at)(const tcf_self *self, uint32_t i, struct tcf_named_column *column);
    /* Records that the source could not deliver so far: of kinds it doesn't know. */
    uint64_t (*unknown_events)(const tcf_self *self);
    /* What the source has lost of a damaged input (salvage) so far, by number from 0 on; 0: no more. */
    int (*loss)(const tcf_self *self, uint32_t i, struct tcf_loss *loss);
    /* What filters in front, those of the process that wrote the stream included, have done to a location so far:
     * TCF_ALTERED_*. */
    uint32_t (*altered)(const tcf_self *self, uint32_t location);
    /* In begin(), for a filter with TCF_DROPS: it will let no event of this location pass. */
    void (*leave_out)(tcf_self *self, uint32_t location);
    /* As fail(), in begin(), for a mistake of the user's settings that only the definitions reveal, e.g. a name that
     * the trace doesn't have: the command ends with the status of such mistakes (2), as for all that init() refuses. */
    tcf_status (*refuse)(const tcf_self *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
    /* As row(), for n structs of `stride` bytes each, of a table whose columns are all made with TCF_AT(). */
    void (*rows)(tcf_table *table, const void *rows, size_t n, size_t stride);
};

/* host->table() with an array of columns. */
#define TCF_TABLE(self, name, title, columns) ((self)->host->table(self, name, title, columns, TCF_COUNT(columns)))

/* Warns of n things: "n visits are left out". Of none it doesn't. */
static inline void tcf_warn(const tcf_self *self, uint64_t n, const char *what)
{
    if (n > 0)
        self->host->log(self, TCF_LOG_WARNING, "%llu %s", (unsigned long long)n, what);
}

/* One row of a table whose columns are all made with TCF_AT(). */
static inline void tcf_row(const tcf_self *self, tcf_table *table, const void *row)
{
    self->host->rows(table, row, 1, 0);
}

/* Events of a location were dropped or inserted; among them such that matches depend on (of messages, collective
 * operations, threads, locks, requests, barriers); all of them go, which is known from begin() on. */
enum { TCF_ALTERED_EVENTS = 1, TCF_ALTERED_MATCHES = 2, TCF_ALTERED_ALL = 4 };

/* What a filter is and needs. */
enum {
    TCF_NEEDS_EDGES = 1,      /* matching, and causal order; implied by `span` */
    TCF_NEEDS_CALLPATH = 2,   /* the callpath column */
    TCF_TOGETHER = 4,         /* locations advance together in time, the watermark moves (implied by `span`) */
    TCF_DROPS = 8,            /* may call compact() */
    TCF_INSERTS = 16,         /* may call slice_new() and emit() */
    TCF_HOLDS = 32,           /* may return TCF_HELD */
    TCF_SOURCE_AT_LEAVE = 64, /* edges count as passed when the call of their source has been left; that of a blocking
                               * one-to-n when its root has passed its own end, or waits for others before that */
    TCF_REPORTS = 128,        /* calls table(): gets `output` and `format` */
    TCF_NEEDS_ENDS = 256,     /* ends of blocking n-to-n operations (those without lengths for each member, which may
                               * leave members out) wait until every member has arrived at its end; behind a filter that
                               * moves events a causal segment begins here, so that the ends' times are those */
    TCF_NEEDS_PROGRAM = 512, /* MPI_Init* and MPI_Finalize as instances, made of their regions: unordered, from enter to
                              * leave, TCF_OP_INIT and TCF_OP_FINALIZE, all processes of MPI_COMM_WORLD */
    TCF_ANSWERS = 1024,      /* answer() and answered(); implies TCF_NEEDS_EDGES, wants TCF_HOLDS */
    TCF_SURVEYS = 2048,      /* made for a survey: calls learn() */
    TCF_EDGES_ONLY = 4096, /* looks at edges alone: where all filters of a chain do, events that cannot be edges may be
                            * left out, and `first` counts those that are not */
    TCF_FOLLOWS = 8192, /* `span` sees events of locations with a leader (definitions.h) behind the first later event of
                         * their leader, which goes no further before that: its span ends with that event, and has no
                         * other one. So its last two events are those around the follower's. Of threads the first event
                         * only, unless it is the target of an edge. Behind a filter that moves events a causal segment
                         * begins here. Not where it would make events wait for each other */
    TCF_LIVE = 16384,   /* somebody follows what it writes: what has passed is sent on in parts now and then, and
                         * heartbeat()   is called; implies TCF_TOGETHER */
    TCF_PROCESS_TOGETHER = 32768 /* since ABI 1.1: TCF_TOGETHER, where a process has several locations with events; else
                                  * locations may come one after another, which takes less time and memory */
};

/* Columns that a filter changes. (TCF_EVENTS stands in tcf_self.changed alone.) */
enum {
    TCF_TIME = 1,
    TCF_KIND = 2,
    TCF_REC = 4,
    TCF_ATTR = 8,
    TCF_EVENTS = 16,
    TCF_LATER = 32, /* with TCF_TIME: events move to later times only */
    TCF_CLOCK = 64  /* with TCF_TIME: behind this filter all times are of one clock, recorded clock offsets are void */
};

typedef struct tcf_named_column {
    const char *name; /* the list ends with a NULL */
    uint32_t bytes;   /* of an entry */
    uint8_t at_edges; /* entries only for `edges`, instead of for every event */
    uint8_t of_times; /* entries speak of the events' times: no filter that changes those may stand between who provides
                       * the column and who requires it */
} tcf_named_column;

/* A collective instance that all members have left, but for those that never came to it and have ended: n_arrived
 * counts without them, and their bytes are 0. */
typedef struct tcf_instance {
    uint32_t comm; /* canonical */
    uint64_t number;
    uint8_t class_, op;
    uint32_t root; /* member; set for one-to-n alone, TCF_NONE for all others, n-to-one (Reduce, Gather) too: its root
                    * is who waits, the only member whose end is a target */
    uint32_t n_members, n_arrived;
    const unsigned char *members; /* of this filter: n_members x stride bytes, by rank */
    size_t stride;
} tcf_instance;

typedef struct tcf_filter {
    uint32_t magic;
    uint16_t abi_major, abi_minor;
    uint32_t size;

    const char *name;    /* [a-z][a-z0-9_]* */
    const char *version; /* of the filter */
    const char *summary; /* one line */
    const char *help;    /* paragraphs for --describe and the man page; may be NULL */

    const tcf_param *params; /* NULL: none */
    size_t conf_size;
    size_t state_size, location_size;
    uint32_t message_bytes, member_bytes; /* payloads */
    uint32_t numbers;                     /* that it publishes at a source, at most 4; 0: one */
    uint32_t needs;                       /* TCF_NEEDS_* and the like */
    uint32_t writes;                      /* TCF_TIME ... */
    const tcf_named_column *provides, *requires;

    /* Exactly one of the two. span: events [from, to) of s, in causal order across locations. */
    tcf_status (*slice)(tcf_self *self, tcf_slice *s);
    tcf_status (*span)(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to);
    /* Beside `span`: a slice has come to the causal segment, and none of its events has passed. Whatever doesn't need
     * the order is done here, while the columns are at hand; spans then only have to look at edges. Changes nothing but
     * named columns; edges may still be without class and flags. Several slices of a location may come before the first
     * of them passes, so what span() needs of them stands in named columns, not in the location's state. Default:
     * nothing. */
    tcf_status (*arrive)(tcf_self *self, tcf_slice *s);

    /* Parameters are parsed, definitions unknown; checks combinations. Default: nothing. */
    tcf_status (*init)(tcf_self *self);
    /* Definitions are known: refuses what cannot go well. With self->checking nothing is written, and nothing has been
     * learned yet even if there is a survey; fini() follows. Default: nothing. */
    tcf_status (*begin)(tcf_self *self);
    /* All members of a collective instance have passed their ends. Default: nothing. */
    tcf_status (*collective_complete)(tcf_self *self, const tcf_instance *instance);
    /* No more events of this location will come. Default: nothing. */
    tcf_status (*location_end)(tcf_self *self, uint32_t location);
    /* The pool is dry: release what the watermark allows by now, and if that is nothing at least the oldest slice.
     * Mandatory for TCF_HOLDS. */
    tcf_status (*flush)(tcf_self *self);
    /* All locations have ended; releases what is held and reports. Default: nothing. */
    tcf_status (*end)(tcf_self *self);
    /* After end() or a failure, always; `complete` is 0 when the run failed or was interrupted. Default: nothing. */
    void (*fini)(tcf_self *self, int complete);

    /* Since ABI 1.1. With TCF_LIVE: everything that could be sent on has been, so frontiers are as high as they can be
     * by now. At the latest after `flush` of [pipeline], and when the input has nothing for the moment. Default:
     * nothing. */
    tcf_status (*heartbeat)(tcf_self *self);
} tcf_filter;

/* Starts the definition of a plugin:  TCF_FILTER = { TCF_FILTER_HEAD, .name = "...", ... }; */
#define TCF_FILTER_SYMBOL "tcflow_filter"
#define TCF_FILTER __attribute__((visibility("default"))) const tcf_filter tcflow_filter
#define TCF_FILTER_HEAD                                                                                                \
    .magic = TCF_MAGIC, .abi_major = TCF_ABI_MAJOR, .abi_minor = TCF_ABI_MINOR, .size = sizeof(tcf_filter)

#ifdef __cplusplus
}
#endif
#endif
