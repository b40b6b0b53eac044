/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `critical_path`. critical_path.c is the filter, report.c makes the tables. The others call
 * one way, from the first to the last: centre.c has the first domain follow the paths of all, by records of records.c;
 * walk.c goes over a location's events; operations.c knows what collective operations mean, edges.c what messages and
 * threads mean; stretch.c marks where the path of other locations may go on; open.c keeps what is on its way or
 * undecided; tree.c keeps the tree of the paths. README.md has the definitions, and how much memory it takes.
 *
 * A *stretch* is the time of a location between two enters or leaves.
 *
 * Everything runs inside span() and the other serial callbacks, so all locations share the state. */
#ifndef TCFLOW_CRITICAL_PATH_H
#define TCFLOW_CRITICAL_PATH_H

#include <tcflow/filter.h>
#include <tcflow/map.h>

#include "../shared/callpaths/path_cells.h"
#include "../shared/callpaths/paths.h"
#include "../shared/gather/gather.h"
#include "../shared/numbers/min_max.h"
#include "../shared/patterns/region_kinds.h"
#include "../shared/time_bins/time_bins.h"

#define NONE UINT32_MAX

struct conf {
    int64_t top, bins, max_open, max_kept;
    int by_location, scans, all;
};

/* Edges that were compared with their sources, and those of them that precede their sources, by kind. */
enum { MESSAGES, COLLECTIVES, THREADS, RELATIONS };

/* ----------------------------------------------------------------------------------------------------- the paths -- */

/* Time on a path. key: a location's call path, see path_key(), or a location in a bin of time, see place_key(). All of
 * a path's time stands under keys of the first kind and, with `bins`, once more under those of the second. */
struct entry {
    uint64_t key, ticks;
};
#define IS_PLACE (UINT64_C(1) << 63)

/* A path up to some point: the path of its parent and its own entries. In use while anything refers to it. */
struct node {
    uint32_t parent;   /* NONE: the path begins here */
    uint32_t held;     /* references from outside the tree */
    uint32_t kids;     /* nodes whose parent this one is */
    uint32_t first, n; /* entries */
    uint32_t jumps;    /* how often the path changes the location in this node */
    uint32_t open; /* the question that will decide on the parent, which until then is the location's own path; NONE */
};

/* Sums up entries by key: a hash table with open addressing, cleared by a new generation. */
struct sums {
    struct slot {
        uint64_t key;
        uint32_t at, generation;
    } * slot;
    uint32_t mask, generation;
};

struct tree {
    struct node *node;
    uint32_t n_nodes, nodes_capacity, free_node; /* free nodes are linked by parent */
    struct entry *entry;
    uint32_t n_entries, entries_capacity;
    uint32_t n_used, tidy_at; /* in nodes */
    uint64_t max_kept, most_entries;
    time_bins bins;      /* n 0: there are none */
    struct entry *spare; /* the pool of entries that is not in use */
    uint32_t spare_capacity, joins_capacity;
    unsigned char *joins;
    struct sums sums;
};

/* Makes a node, held once. One outside reference to its parent becomes that of a kid. NONE: out of memory. */
uint32_t path_new(struct tree *p, uint32_t parent);
void path_hold(struct tree *p, uint32_t node);
/* Drops a reference: from outside or, with kid = 1, from a kid. Frees the nodes without references. NONE is allowed. */
void path_drop(tcf_self *self, uint32_t node, int kid);
/* Is there no room for n more entries, or are there too many nodes? */
int tree_is_full(const struct tree *p, uint32_t n);
/* Moves the entries in use to the other pool, with room for n more. Nodes keep their numbers. -1: out of memory. */
int tree_tidy_up(struct tree *p, uint32_t n);
/* The run has an event then: bins of time may get wider. */
void tree_reach(struct tree *p, uint64_t time);
/* The bins that a time has a part in, which is reached; 0 without bins. */
uint32_t tree_bins_between(const struct tree *p, uint64_t from, uint64_t to);
/* Writes an entry for each of these bins; returns how many. */
uint32_t tree_put_places(const struct tree *p, struct entry *to_entries, uint32_t location, uint64_t from, uint64_t to);
void tree_free(struct tree *p);

/* -------------------------------------------------------------------------------------------------- what is open -- */

/* The location that a stretch waited for. `node` is the path to the begin of its stretch, at `time`; held. */
struct cause {
    uint64_t time;
    uint32_t node, location; /* node NONE: it waited for no location */
};

/* The source of an edge that is on its way, a member of an operation, or a posted receive. Later it may be an answer
 * that waits for the end of its question's stretch. In use while any bit of its state is set. */
struct ticket {
    struct cause
        at; /* of a non-blocking send that was received and is not complete: the location that posted the receive */
    uint64_t event;   /* time of the event */
    uint64_t request; /* IS_REQUESTED, IS_POSTED: of `owner` */
    uint32_t owner;
    uint32_t question; /* the question of the stretch that depends on the other side; NONE */
    uint32_t older, newer, next;
    uint32_t generation; /* from 1 on, so that no name is 0 */
    uint64_t name;       /* in domains: see ticket_name(); 0: none */
    uint8_t state;
    uint8_t completes; /* the question belongs to the call that completes a non-blocking send */
};
enum { IS_ON_ITS_WAY = 1, IS_REQUESTED = 2, IS_POSTED = 4 };

/* A stretch that may have waited for a location that is still unknown. */
struct question {
    struct cause best;
    uint64_t start, end;
    uint64_t waited; /* ticks that this took off the call path */
    uint32_t location, callpath;
    uint32_t waiting;     /* number of answers to come */
    uint32_t answers;     /* tickets of answers that came before the end of the stretch */
    uint32_t node;        /* valid once the stretch has ended; NONE: no path needs it */
    uint8_t ended, fixed; /* fixed: the path begins here, whatever the answers are */
    uint8_t is_late;      /* a message came late, so sends that the same call completes don't count */
};

/* A team of threads: its last fork, and its last member to end. */
struct team {
    struct team_event {
        uint64_t number, event;
        struct cause at;
    } fork, join;
};

/* What the ticket of a member held. */
struct pending {
    struct cause at;
    uint32_t question;
};

struct open {
    struct ticket *ticket;
    uint32_t n_tickets, tickets_capacity, free_ticket, oldest, newest, n_used, n_answers, max_open;
    struct question *question;
    uint32_t n_questions, questions_capacity, free_question; /* linked by `waiting` */
    struct team *team;                                       /* by communicator */
    tcf_map requests, posted; /* (location, request) -> ticket of a non-blocking send, receive */
    tcf_map named;            /* in domains: name -> ticket */
    struct pending *pending;  /* scratch of the operation at hand */
    uint32_t pending_capacity;
    uint64_t let_go, let_go_for_room, not_followed;
};

uint32_t ticket_new(tcf_self *self, uint8_t state);
/* Takes the ticket of a request out of one of the maps; NONE: there is none. */
uint32_t ticket_take(tcf_self *self, tcf_map *map, uint32_t location, uint64_t request);
/* Puts a ticket into one of the maps, under a request of its location. */
tcf_status ticket_request(tcf_self *self, uint32_t ticket, tcf_map *map, uint32_t location, uint64_t request);
/* Names a ticket for its other side. In domains the domain of its location has chosen *name, see new_name(); in one
 * domain this chooses it. */
tcf_status ticket_name(tcf_self *self, uint32_t ticket, uint64_t *name);
/* NONE: the ticket was dropped, or the name is 0. */
uint32_t ticket_find(const tcf_self *self, uint64_t name);
/* Frees a ticket whose references were dropped or taken over (at.node = NONE, question = NONE). */
void ticket_free(tcf_self *self, uint32_t ticket);
/* Drops a ticket: one of its sides will not come, or doesn't matter. Its question gets the answer `nobody`. */
tcf_status ticket_let_go(tcf_self *self, uint32_t ticket);

/* ------------------------------------------------------------------------------------------------- the locations -- */

/* A call path on a location. In ticks. */
struct cell {
    uint64_t total;  /* in the call path */
    uint64_t before; /* the part of `total` before the path's last node; valid in the place's epoch */
    uint64_t waited;
    uint64_t epoch;
};

struct place {
    uint64_t start, first, last; /* start: of the stretch; first, last: times of events */
    uint64_t outside;            /* ticks outside of all calls and of the program */
    path_cells cells;            /* struct cell */
    uint32_t callpath;
    uint32_t edge;  /* first edge of the slice that is still to come */
    uint32_t path;  /* node: the path without the time in `touched`; held; NONE: the path begins here */
    uint64_t since; /* when the time in `touched` begins */
    uint32_t *touched, n_touched, touched_capacity; /* call paths with time since that node */
    uint64_t epoch;
    uint32_t jumps;
    uint8_t started, in_program, is_first;
    /* State of the stretch at hand. */
    uint8_t is_special, here, begins; /* has edges; `path` is its begin; the path begins here */
    uint8_t is_late, idles;           /* a message came late; it is idle */
    struct cause best;
    uint32_t question;
    uint8_t was_idle; /* it is open whether the last idle stretch waited for a message; the question is `idle` */
    uint32_t idle;
    /* In domains. */
    uint64_t n_names;
    uint8_t is_elsewhere, region; /* elsewhere: in another domain, whose record says the WAITS_REGION_* */
};

enum { IS_IDLE = 0x40 }; /* beside WAITS_REGION_* */

struct state {
    gather gather;
    struct collected {
        struct member *of;
        uint32_t n, capacity;
    } members; /* that another domain tells of, of the operation at hand */
    struct tree tree;
    struct open open;
    uint64_t edges[RELATIONS], reversed[RELATIONS];
    int column;
    uint8_t *region;           /* by region: WAITS_REGION_*, and IS_IDLE */
    uint8_t has_idle;          /* one of them is */
    const tcf_callpath *nodes; /* of the span at hand */
    struct cause finalize;     /* where the path ends */
};

static inline struct place *place_of(const tcf_self *self, uint32_t location)
{
    return tcf_location_state(self, location);
}

static inline struct state *state_of(const tcf_self *self)
{
    return self->state;
}

static inline gather *gather_of(const tcf_self *self)
{
    return &state_of(self)->gather;
}

/* Does the first domain follow the paths, which is another one? */
static inline int is_recorded(const tcf_self *self)
{
    return gather_records(gather_of(self));
}

static inline uint64_t path_key(const tcf_self *self, uint32_t location, uint32_t callpath)
{
    const struct conf *conf = self->conf;
    return (conf->by_location ? (uint64_t)location << 32 : 0) | callpath;
}

static inline uint64_t place_key(uint32_t location, uint32_t bin)
{
    return IS_PLACE | (uint64_t)bin << 32 | location;
}

/* NULL: out of memory. */
static inline struct cell *cell_of(tcf_self *self, struct place *k, uint32_t callpath)
{
    struct cell *c = path_cell(&k->cells, callpath, sizeof *c);
    if (__builtin_expect(!c, 0))
        self->host->fail(self, "out of memory for the time of call paths");
    return c;
}

static inline const struct cell *cell_at(const struct place *k, uint32_t callpath)
{
    return path_cell_at(&k->cells, callpath, sizeof(struct cell));
}

/* The time in `touched` is no part of the path any more, which goes on from `since`. */
static inline void start_over(struct place *k, uint64_t since)
{
    k->n_touched = 0;
    k->epoch++;
    k->since = since;
}

/* ------------------------------------------------------------------------------------------------------ records -- */

/* An event that matters for edges. */
struct event {
    uint32_t location;
    uint8_t kind;
    uint64_t time, request;
    uint64_t *name; /* what its other side knows its ticket by; NULL: it is unmatched */
};

/* What another domain than the first one tells it of its locations. */
enum {
    RECORD_TIME = 1, /* of: call path; time: ticks that its stretches took, those that can't have waited */
    RECORD_BEGIN,    /* time: of the location's first event */
    RECORD_STRETCH,  /* of: call path; a stretch that may have waited, since `time`. Behind it what happens in it, */
    RECORD_END,      /* and its end, `time` */
    RECORD_EDGE,     /* record_edge */
    RECORD_REQUEST,  /* record_edge, without an edge */
    RECORD_INIT,     /* the path begins with the stretch */
    RECORD_IDLE,     /* the location is idle in the stretch */
    RECORD_BUSY,     /* it has gone on without a message */
    RECORD_COME,     /* time: a member begins an operation; name: of its ticket */
    RECORD_GO,       /* a member ends it that may have waited; name */
    RECORD_MEMBER,   /* a member, of the operation that follows */
    RECORD_COMPLETE, /* record_complete */
    RECORD_LAST      /* record_last: the location has ended */
};

struct record_named {
    gather_record head;
    uint64_t time, name;
};
struct record_edge {
    gather_record head; /* of: peer */
    uint64_t time, request, name, number;
    uint8_t kind, class_, flags, is_matched;
};
struct record_complete {
    gather_record head; /* of: the communicator */
    uint32_t n_members, n_arrived;
    uint8_t class_, op;
};
struct record_last {
    gather_record head;
    uint64_t last, outside;
};

/* What a member of an operation leaves at its begin and end. */
struct member {
    uint64_t ticket;       /* its name */
    uint64_t start, begin; /* start: of the stretch with the begin */
    uint64_t from, end;    /* from: begin of the stretch with the end */
    uint32_t location, callpath;
    uint8_t flags;
};

/* records.c */
/* In domains: a name for a ticket of the location, which nothing else has. */
uint64_t new_name(tcf_self *self, uint32_t location);
tcf_status record_named(tcf_self *self, uint32_t location, uint8_t kind, uint64_t time, uint64_t name);
/* Of what the location did since the last stretch that may have waited, and of the begin of the one at hand. */
tcf_status record_stretch(tcf_self *self, uint32_t location);
tcf_status record_edge(tcf_self *self, const struct event *v, const tcf_edge *e);
tcf_status record_complete(tcf_self *self, const tcf_collective *in);
tcf_status record_last(tcf_self *self, uint32_t location);

/* centre.c */
tcf_status centre_begin(tcf_self *self);
tcf_status centre_pack(tcf_self *self, tcf_pack *pack);
tcf_status centre_absorb(tcf_self *self, tcf_pack *pack);

/* walk.c */
extern const tcf_named_column columns[1];
tcf_status arrive(tcf_self *self, tcf_slice *s);
tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to);
tcf_status location_end(tcf_self *self, uint32_t location);
/* A first event at this time; the end of the stretch at hand; `ticks` in a call path, without waits. */
void walk_begin(struct place *k, uint64_t time);
tcf_status walk_end_stretch(tcf_self *self, uint32_t location, uint64_t end);
tcf_status walk_add(tcf_self *self, uint32_t location, uint32_t callpath, uint64_t ticks);
tcf_status walk_edge(tcf_self *self, const struct event *v, const tcf_edge *e);

/* open.c */
/* Makes room for n more entries; may tidy up the tree, and drop tickets. NULL: out of memory. */
struct entry *path_room(tcf_self *self, uint32_t n);
/* Offers a cause to a stretch since `start`. Takes over the reference if the cause is the best so far, else drops it.
 * made: the cause counts even if it is not later than `start`. */
void offer(tcf_self *self, struct cause *best, uint64_t start, int made, const struct cause *c);
/* The question of the stretch at hand, which one more answer will come to. NONE: out of memory. */
uint32_t ask(tcf_self *self, uint32_t location);
/* Gives an answer that holds in any case (node NONE: nobody). Takes over the reference. */
tcf_status answer(tcf_self *self, uint32_t question, const struct cause *c);
/* Gives the answer of ticket t, which holds only if the stretch ends after it. Frees the ticket. */
tcf_status answer_within(tcf_self *self, uint32_t question, uint32_t t, const struct cause *c);
/* The stretch with a question has ended. place->path is its begin. */
tcf_status end_question(tcf_self *self, uint32_t location, uint64_t end);
/* The end of the run: no more answers come. */
tcf_status open_end(tcf_self *self);
void open_free(tcf_self *self);

/* stretch.c */
/* Makes a node of the path to the begin of the stretch at hand: place->path. */
tcf_status mark_here(tcf_self *self, uint32_t location);
/* The begin of the stretch at hand, which is marked already, as a cause; held. */
struct cause here(tcf_self *self, uint32_t location);
/* Marks the begin of the stretch at hand, and makes a ticket of it. NONE: out of memory. */
uint32_t leave_ticket(tcf_self *self, uint32_t location, uint64_t now, uint8_t state);
/* Counts an edge. Is the time of its source later than that of its target? */
int count(struct state *st, int relation, uint64_t source, uint64_t target);
/* The WAITS_REGION_* of the call at hand; WAITS_REGION_USER outside of any. */
uint8_t region_of(const tcf_self *self, uint32_t location);
/* Does the call at hand only ask whether something is complete? */
int only_tests(const tcf_self *self, uint32_t location);

/* edges.c */
enum { MESSAGE_BYTES = 8 };
tcf_status message_edge(tcf_self *self, const struct event *v, const tcf_edge *e);
tcf_status team_edge(tcf_self *self, const struct event *v, const tcf_edge *e);
/* The location is idle in the stretch at hand. */
tcf_status idle_begin(tcf_self *self, uint32_t location);
/* It has gone on, and no message came that it may have been idle for. */
tcf_status idle_over(tcf_self *self, uint32_t location);
/* Handles a receive that is posted, a send that is complete, or a request that is cancelled. */
tcf_status request(tcf_self *self, const struct event *v);

/* operations.c */
/* A member begins or ends an operation. */
tcf_status member_edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e);
/* What that means for the paths. */
void member_inits(tcf_self *self, uint32_t location);
tcf_status member_comes(tcf_self *self, uint32_t location, uint64_t time, uint64_t *name);
tcf_status member_goes(tcf_self *self, uint32_t location, uint64_t *name);
tcf_status complete(tcf_self *self, const tcf_collective *in);

/* report.c */
tcf_status report(tcf_self *self);

#endif
