/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The detection of wait states: which call waited, for which location, since when and how long. README.md of
 * wait_states has the definitions.
 *
 * A filter that uses this library:
 *   - begins its state with a struct waits_user;
 *   - takes WAITS_NEEDS, the sizes of payloads, WAITS_NUMBERS and waits_columns into its TCF_FILTER;
 *   - calls waits_init() in init(), with its waits_listener;
 *   - calls waits_begin(), _arrive(), _span(), _complete(), _location_end(), _end() and _free() from its callbacks of
 *     the same names.
 *
 * Filters of a chain share one detection where they see the same events and have the same caps (private/parts_host.h).
 * The first of them, its owner, detects; the listeners of all are called then, in the order of the chain, each with its
 * own `self`. In the callbacks of the others the functions above do nothing.
 *
 * The library reports a wait when all is known about it. That may be long after the wait ended, or before the call
 * ended: the order of reported waits is that of no location. Windows of any size give the same waits. The caps max_open
 * and max_undecided bound the memory; the library counts what it drops at a cap.
 *
 * Everything runs inside span() and the other serial callbacks, so all locations share the detection. In domains each
 * has a detection of its own; they tell each other what the other side of a message, an operation or a window has to
 * know. A wait is found in the domain of its location, but in operations of several domains: there in any of them.
 * Locations number call paths as their domains do; tcf_callpath_here() of private/domains_host.h. */
#ifndef TCFLOW_WAITS_H
#define TCFLOW_WAITS_H

#include <private/domains_host.h>
#include <tcflow/filter.h>
#include <tcflow/map.h>

#include "../patterns/patterns.h"
#include "../patterns/region_kinds.h"
#include "../places/places.h"

/* One instance of a wait state. Times are in ticks. */
typedef struct wait {
    uint32_t pattern;                        /* wait_pattern */
    uint32_t location, callpath;             /* the location that waited, and in which call */
    uint64_t from, length;                   /* from: begin of the wait; length > 0 */
    uint32_t cause_location, cause_callpath; /* what it waited for; TCF_NONE: no particular location */
    uint64_t cause_time; /* when that location entered its call (released the lock, left first, ...) */
    uint64_t since;      /* early wait: when that location left its last access to a window */
    uint64_t bytes;      /* of the message (of equal ones the largest), or what the operation gave to the location */
    uint8_t reversed;    /* violates the clock condition: its cause comes after its result */
    uint8_t kind;        /* of the call's own time, a row of time (below WAIT_TIMES); 0: unknown */
} wait;

/* A call that was entered. The members behind `used` are valid where that is set. */
typedef struct waits_call {
    uint64_t enter, inner;     /* inner: time in calls inside of this one */
    uint64_t busy;             /* end of its last communication or inner call; at first its enter */
    uint32_t callpath, region; /* region: valid beyond max_callpaths as well, where the call path has none */
    uint8_t is_bare;           /* an event directly in the user's region, whose call path it has; see walk.c */
    uint8_t used;
    uint8_t late_reversed;
    uint32_t receives, collectives;        /* completed in this call; collectives: non-blocking ones */
    uint32_t sends;                        /* first reply to a blocking send; NONE */
    uint32_t completed_sends;              /* first reply to a send that the call completes */
    uint32_t expected;                     /* first reply that the call expects: non-blocking operations, windows */
    uint8_t accesses;                      /* it accesses a window */
    uint32_t late_location, late_callpath; /* of the latest sender */
    uint64_t late_enter, late_send;        /* late_enter = 0: no sender was late */
    uint64_t late_bytes;
} waits_call;

/* A late sender that may still turn out to be in wrong order. */
typedef struct waits_undecided {
    uint64_t send; /* time of the send */
    uint8_t different;
    wait found;
} waits_undecided;

/* State of a location. */
typedef struct waits_track {
    waits_call *call;
    uint32_t depth, capacity;
    uint8_t is_bare; /* the event at hand has a call of its own, waits.bare */
    uint32_t edge;   /* first edge of the slice that is still to come */
    uint8_t started, ended, has_sent;
    uint64_t first, last; /* times of its first and latest event */
    uint32_t teams;       /* OpenMP teams that it is in */
    uint8_t is_worker;    /* it was in a team that another location forked */
    uint64_t idle_since;  /* while teams == 0 */
    struct {
        uint64_t since, inner; /* inner: of the call at hand, by then */
        uint32_t depth;        /* how many calls were open */
        uint8_t kind;          /* TCF_THREAD_FORK, TCF_THREAD_TEAM_END; 0: none */
    } team_step;               /* the last one, whose team or join is to come */
    uint64_t accessed;         /* when its last call that accesses a window was left */
    waits_undecided *undecided;
    uint32_t n_undecided, undecided_capacity;
    uint64_t earliest_undecided, latest_undecided; /* the sends of the undecided ones */
    uint8_t has_different;                         /* one of them may be `different` */
} waits_track;

/* Edges that were compared with their sources, and those of them that precede their sources, by kind. */
enum { WAITS_P2P, WAITS_COLLECTIVE, WAITS_THREAD, WAITS_EDGES };

typedef struct waits_counts {
    uint64_t edges[WAITS_EDGES], reversed[WAITS_EDGES];
    uint64_t no_call;       /* receives outside of any call */
    uint64_t no_partner;    /* receives without a send */
    uint64_t let_go;        /* replies dropped at the cap: late receivers and non-blocking operations may be missing */
    uint64_t decided_early; /* late senders that the cap decided as in order */
    uint64_t too_deep;      /* calls beyond the deepest level */
    uint64_t of[WAITS_COUNTS]; /* communication */
} waits_counts;

struct waits_reply;
struct waits_receive;
struct waits_gather;
struct waits_windows;

/* The functions of the filter that the library calls. */
typedef struct waits_listener {
    /* A wait is known. */
    tcf_status (*found)(tcf_self *self, const wait *w);
    /* A call was left, or its location ended, at `time`. Its inclusive time is time - call->enter; its exclusive time
     * is that minus call->inner. The library calls this at every leave. */
    tcf_status (*left)(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time);
    /* The innermost call communicates: its first such event is being handled. May be NULL. */
    void (*used)(tcf_self *self, uint32_t location, const waits_call *call);
    /* A location got what it needs of another one, whether it waited or not: a message, or what a member gets in an
     * operation, of which `from` is the one that entered last. cause_time, from, length, pattern: unset. May be
     * NULL. */
    tcf_status (*received)(tcf_self *self, const wait *w);
    /* A call was left, but a wait of this location since `from` may still be found. May be NULL. */
    tcf_status (*pending)(tcf_self *self, uint32_t location, uint64_t from);
    /* Ends one `pending`: its wait was found, or there was none. A wait that isn't settled by the end of waits_end()
     * stays unknown. May be NULL. */
    void (*settled)(tcf_self *self, uint32_t location, uint64_t from);
    /* A lock was got or released at an event, which has been handled. May be NULL. */
    tcf_status (*locked)(tcf_self *self, const tcf_slice *s, const tcf_edge *e);
    /* All members of a collective, of which each has a waits_member, have ended; its waits are not known yet. May be
     * NULL. */
    tcf_status (*over)(tcf_self *self, const tcf_collective *in);
    uint8_t is_alone; /* shares the detection with nobody: it calls waits_span() for parts of spans */
} waits_listener;

/* What a filter has of the detection. */
typedef struct waits_user {
    struct waits *waits; /* from waits_begin() on */
    struct waits_user *next;
    tcf_self *self;
    tcf_status (*left)(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time); /* the listener's */
    const waits_listener *listener;
    uint32_t max_open, max_undecided;
    char part[48]; /* the name of what it shares */
} waits_user;

/* Replies by age. */
typedef struct waits_ages {
    uint32_t oldest, newest;
} waits_ages;

/* A detection. */
typedef struct waits {
    tcf_self *owner;
    waits_user *users; /* in the order of the chain */
    uint32_t n_users;
    uint32_t max_open;      /* messages, requests, non-blocking operations */
    uint32_t max_undecided; /* late senders; 0: wrong order is not looked for */
    waits_track *tracks;    /* by location */
    waits_call bare;        /* while waits_track.is_bare: the call of the event at hand */

    waits_counts counts;
    int column;                 /* waits_columns */
    uint8_t *kind_of_region;    /* wait_pattern below WAIT_TIMES */
    uint8_t *nesting_of_region; /* bits of region_kinds.h */
    uint8_t *kept_of_path; /* by call path: the row of time of its own time, with these bits; see waits_kind_of() */
    uint32_t n_kept, kept_capacity;
    uint8_t *extra_of_region;  /* WAITS_REGION_* */
    uint8_t *communicates;     /* by region: its calls are followed by computation, see waits_computation() */
    const tcf_callpath *nodes; /* of the span at hand */
    uint32_t n_nodes;

    struct waits_reply *replies;
    uint32_t n_replies, replies_capacity, free_reply;
    waits_ages ages[2]; /* [1]: of those in the lists of open calls, which are not let go */
    struct waits_gather *gathers;
    place_list gather_places;
    tcf_map requests; /* (location, request) -> reply */
    tcf_map posted;   /* (location, request) -> receive */
    struct waits_receive *receives;
    place_list receive_places;
    uint64_t n_undecided, look_at; /* n_undecided: of all locations; look_at: the number at which to decide some */
    uint64_t *of_process;          /* scratch, by process (a location) or location group */
    struct waits_windows *windows; /* NULL: the trace has none */

    const tcf_domains_host *domains; /* NULL: all locations are here */
    uint32_t domain;                 /* this one */
    uint32_t asked;                  /* domains which have not told yet what they may still send, see order.c */
    uint64_t may_send[2];            /* the earliest of what they have told: of those that have sent before, of all */
    uint64_t *in_flight;             /* by process: the earliest message of theirs that is in flight to it */
} waits;

/* What a source (a send, or the release of a lock) leaves in the slot of its message. */
typedef struct waits_message {
    uint64_t time, enter; /* of the event, and of the call around it */
    uint32_t location, callpath;
    uint64_t reply; /* handle, 0: none */
    uint8_t is_there;
} waits_message;

/* What a member leaves at its begin and end. */
typedef struct waits_member {
    uint64_t enter, begin; /* of the call that began it, and of the begin */
    uint64_t from, end;    /* of the call that ended it, and of the end */
    uint32_t location, begin_callpath, end_callpath;
    uint64_t reply;       /* non-blocking: handle */
    uint64_t bytes;       /* received */
    uint8_t flags, extra; /* flags: see collectives.c; extra: WAITS_REGION_* of the call */
    uint8_t kind;         /* see wait.kind; of the call that ended it */
} waits_member;

#define WAITS_NEEDS (TCF_NEED_EDGES | TCF_NEED_CALLPATH | TCF_NEED_PROGRAM)
#define WAITS_MESSAGE_BYTES sizeof(waits_message)
#define WAITS_MEMBER_BYTES sizeof(waits_member)
#define WAITS_NUMBERS 2
extern const tcf_named_column waits_columns[1]; /* for .provides */

/* max_open, max_undecided: see struct waits. */
enum { WAITS_MAX_UNDECIDED = 65536 };
void waits_init(tcf_self *self, const waits_listener *listener, int64_t max_open, int64_t max_undecided);
/* The filter's callbacks call these. waits_span() does all that span() has to do. */
tcf_status waits_begin(tcf_self *self);
tcf_status waits_arrive(tcf_self *self, tcf_slice *s);
tcf_status waits_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to);
tcf_status waits_complete(tcf_self *self, const tcf_collective *instance);
tcf_status waits_location_end(tcf_self *self, uint32_t location);
tcf_status waits_end(tcf_self *self);

/* Makes waits_kind_of() know all call paths that there are so far. */
tcf_status waits_know_paths(tcf_self *self);
/* The row of time that a call path's own time belongs to: of the region that decides it (region_kinds.h); 0: unknown.
 */
static inline uint8_t waits_kind_of(const waits *w, uint32_t callpath)
{
    return callpath < w->n_kept ? w->kept_of_path[callpath] & REGION_VALUE : 0;
}
void waits_free(tcf_self *self);
/* What waits_begin() listens for, where the filter listens itself, too. */
tcf_status waits_told(tcf_self *self, uint32_t from, const void *letter);
/* In pack() and absorb(), before the filter packs what it has itself: waits_end() is part of waits_pack(). */
tcf_status waits_pack(tcf_self *self, tcf_pack *pack);
tcf_status waits_absorb(tcf_self *self, tcf_pack *pack);

/* Does the member, which has ended, wait for others in its operation, or others for it? In MPI_Init and MPI_Finalize,
 * where all wait for all, no member is marked so. */
int waits_is_bound(const waits_member *m);

/* The call path which has the own time of `callpath`, a call path that is open, from the leave of an inner `call` on: a
 * computation node where the call communicates (waits.communicates) and the call around it does not. NONE: out of
 * memory. */
uint32_t waits_computation(tcf_self *self, uint32_t callpath, const waits_call *call);

static inline waits_track *waits_track_of(const tcf_self *self, uint32_t location)
{
    return &((const waits_user *)self->state)->waits->tracks[location];
}

/* Is the location in this domain? */
static inline int waits_is_here(const tcf_self *self, uint32_t location)
{
    return !((const waits_user *)self->state)->waits->domains || self->host->has(self, location);
}

/* The process of a location as MPI has it: the location that has the rank; without a rank the location itself. */
static inline uint32_t waits_process(const tcf_self *self, uint32_t location)
{
    const uint32_t member = self->defs->mpi_member[location];
    return tcf_defined(member) ? member : location;
}

#endif
