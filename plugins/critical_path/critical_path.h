/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `critical_path`: critical_path.c is the filter, walk.c goes over a location's events, edges.c
 * knows what messages, threads and collective operations mean, open.c keeps what is on its way or undecided, tree.c the
 * tree of the paths, report.c makes the tables. README.md has the definitions, and how much memory it takes.
 *
 * Everything runs inside span() and the other serial callbacks, so state is shared by the locations. */
#ifndef TCFLOW_CRITICAL_PATH_H
#define TCFLOW_CRITICAL_PATH_H

#include <tcflow/filter.h>
#include <tcflow/map.h>

#include "../shared/callpaths/path_cells.h"
#include "../shared/callpaths/paths.h"
#include "../shared/patterns/region_kinds.h"

#define NONE UINT32_MAX

struct conf {
    int64_t top, max_open, max_kept;
    int by_location, scans, all;
};

/* Edges that were compared with their sources, and those that came before them, by kind. */
enum { MESSAGES, COLLECTIVES, THREADS, RELATIONS };

/* ----------------------------------------------------------------------------------------------------- the paths -- */

/* Time on a path. key: of a location's call path, see path_key(). */
struct entry {
    uint64_t key, ticks;
};

/* A path up to some point: that of its parent, and its own entries. In use while anything refers to it. */
struct node {
    uint32_t parent;   /* NONE: begins here */
    uint32_t held;     /* references from outside the tree */
    uint32_t kids;     /* nodes whose parent it is */
    uint32_t first, n; /* entries */
    uint32_t jumps;    /* how often its part of the path changes the location */
    uint32_t open;     /* the question that decides on its parent (which for now is how its location went on); NONE */
};

/* Sums up entries by key: a hash table with open addressing that forgets by generation. */
struct sums {
    struct slot {
        uint64_t key;
        uint32_t at, generation;
    } * slot;
    uint32_t mask, generation;
};

struct tree {
    struct node *node;
    uint32_t n_nodes, nodes_capacity, free_node; /* free ones are linked by parent */
    struct entry *entry;
    uint32_t n_entries, entries_capacity;
    uint32_t n_used, tidy_at; /* nodes */
    uint64_t max_kept, most_entries;
    struct entry *spare; /* the pool of entries that is not in use */
    uint32_t spare_capacity, joins_capacity;
    unsigned char *joins;
    struct sums sums;
};

/* A new one, held once, with a parent that loses one reference from outside in favour of it. NONE: out of memory. */
uint32_t path_new(struct tree *p, uint32_t parent);
void path_hold(struct tree *p, uint32_t node);
/* A reference less: as `held` or, with kid = 1, as a parent. Frees what nothing refers to any more. NONE is allowed. */
void path_drop(tcf_self *self, uint32_t node, int kid);
/* There is no room for n entries behind the last, or there are too many nodes. */
int tree_is_full(const struct tree *p, uint32_t n);
/* Moves the entries that are in use to a pool with room for n more; nodes keep their numbers. -1: out of memory. */
int tree_tidy_up(struct tree *p, uint32_t n);
void tree_free(struct tree *p);

/* -------------------------------------------------------------------------------------------------- what is open -- */

/* Whom a stretch waited for: `node` is the path to where that one's stretch began, at `time`; held. */
struct cause {
    uint64_t time;
    uint32_t node, location; /* node NONE: nobody */
};

/* The source of an edge that is on its way, a member of an operation, or a receive that was posted; afterwards an
 * answer to a question that can't be judged yet. In use while any bit of its state is set. */
struct ticket {
    struct cause at;  /* of a non-blocking send that was received, but isn't complete: who posted the receive */
    uint64_t event;   /* its time */
    uint64_t request; /* IS_REQUESTED, IS_POSTED: of `owner` */
    uint32_t owner;
    uint32_t question; /* whose stretch wants to know of the other side; NONE */
    uint32_t older, newer, next;
    uint32_t generation; /* 0 is never used: handle 0 is none */
    uint8_t state;
    uint8_t completes; /* the question is of the call that completes a non-blocking send */
};
enum { IS_ON_ITS_WAY = 1, IS_REQUESTED = 2, IS_POSTED = 4 };

/* A stretch that may have waited for somebody who isn't known yet. */
struct question {
    struct cause best;
    uint64_t start, end;
    uint64_t waited; /* what has been taken off the call path for it */
    uint32_t location, callpath;
    uint32_t waiting;     /* for so many answers */
    uint32_t answers;     /* those that came before the end was known: tickets */
    uint32_t node;        /* once the stretch has ended; NONE: not wanted any more */
    uint8_t ended, fixed; /* fixed: the path begins here, whatever comes */
    uint8_t is_late;      /* a message came late: no send that is completed in the same call counts */
};

/* A team of threads: its last fork, and the last of its members to end. */
struct team {
    struct {
        uint64_t number, event;
        struct cause at;
    } fork, join;
};

/* What a member's ticket held. */
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
    struct pending *pending;  /* of an operation at hand */
    uint32_t pending_capacity;
    uint64_t let_go, let_go_for_room, not_followed;
};

uint32_t ticket_new(tcf_self *self, uint8_t state);
/* By the request in one of the maps; NONE. It is no longer there. */
uint32_t ticket_take(tcf_self *self, tcf_map *map, uint32_t location, uint64_t request);
/* Under a request of its location. */
tcf_status ticket_request(tcf_self *self, uint32_t ticket, tcf_map *map, uint32_t location, uint64_t request);
uint64_t ticket_handle(const tcf_self *self, uint32_t ticket);
/* NONE: it has been let go. */
uint32_t ticket_find(const tcf_self *self, uint64_t handle);
/* Its references are dropped, or have been taken (at.node = NONE, question = NONE). */
void ticket_free(tcf_self *self, uint32_t ticket);
/* The one side will not come any more, or doesn't matter. */
tcf_status ticket_let_go(tcf_self *self, uint32_t ticket);

/* ------------------------------------------------------------------------------------------------- the locations -- */

/* Of a call path on a location. Ticks. */
struct cell {
    uint64_t total;  /* in it */
    uint64_t before; /* of that, before the path's last node; valid in the place's epoch */
    uint64_t waited;
    uint64_t epoch;
};

struct place {
    uint64_t start, first, last; /* of the stretch; of the location's events */
    uint64_t outside;            /* ticks in no call, and not in the program */
    path_cells cells;            /* struct cell */
    uint32_t callpath;
    uint32_t edge; /* first edge of the slice that has not been seen */
    uint32_t path; /* node: the path as far as `touched` doesn't tell; held, NONE: begins here */
    uint32_t *touched, n_touched, touched_capacity; /* call paths with time since then */
    uint64_t epoch;
    uint32_t jumps;
    uint8_t started, in_program, is_first;
    /* The stretch. */
    uint8_t is_special, here, begins; /* has edges; its begin is `path`; the path begins here, whatever was before */
    uint8_t is_late;                  /* a message came late */
    struct cause best;
    uint32_t question;
};

struct state {
    struct tree tree;
    struct open open;
    uint64_t edges[RELATIONS], reversed[RELATIONS];
    int column;
    uint8_t *region;           /* WAITS_REGION_* */
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

static inline uint64_t path_key(const tcf_self *self, uint32_t location, uint32_t callpath)
{
    const struct conf *conf = self->conf;
    return (conf->by_location ? (uint64_t)location << 32 : 0) | callpath;
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

/* What has been touched is no part of the path any more. */
static inline void start_over(struct place *k)
{
    k->n_touched = 0;
    k->epoch++;
}

/* walk.c */
extern const tcf_named_column columns[];
tcf_status arrive(tcf_self *self, tcf_slice *s);
tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to);
tcf_status location_end(tcf_self *self, uint32_t location);

/* open.c */
/* Room for n entries behind the last; may tidy up, and drop tickets. NULL: out of memory. */
struct entry *path_room(tcf_self *self, uint32_t n);
/* May this be what a stretch since `start` waited for? Takes over the reference when it is the best so far, else drops
 * it. */
void offer(tcf_self *self, struct cause *best, uint64_t start, int made, const struct cause *c);
/* The question of the stretch at hand; one more answer will come. NONE: out of memory. */
uint32_t ask(tcf_self *self, uint32_t location);
/* An answer that holds in any case (by then, or node NONE: nobody); takes over the reference. */
tcf_status answer(tcf_self *self, uint32_t question, const struct cause *c);
/* An answer of ticket t that holds only if the stretch ends after it; frees the ticket. */
tcf_status answer_within(tcf_self *self, uint32_t question, uint32_t t, const struct cause *c);
/* The stretch with a question has ended. place->path is its begin. */
tcf_status end_question(tcf_self *self, uint32_t location, uint64_t end);
/* Nothing more will come. */
tcf_status open_end(tcf_self *self);
void open_free(tcf_self *self);

/* stretch.c */
/* Makes the path to where the stretch at hand began a node: place->path. */
tcf_status mark_here(tcf_self *self, uint32_t location);
/* The begin of the stretch at hand, which has been marked, as a cause; held. */
struct cause here(tcf_self *self, uint32_t location);
/* A ticket from here, which it marks. NONE: out of memory. */
uint32_t leave_ticket(tcf_self *self, uint32_t location, uint64_t now, uint8_t state);
/* Does a source's time come after its target's? Counts both. */
int count(struct state *st, int relation, uint64_t source, uint64_t target);
/* WAITS_REGION_* of the call at hand. */
uint8_t region_of(const tcf_self *self, uint32_t location);
/* The call at hand looks whether something is complete, and doesn't wait for it. */
int only_tests(const tcf_self *self, uint32_t location);

/* edges.c */
enum { MESSAGE_BYTES = 8 };

/* What a member of an operation leaves at its begin and end. */
struct member {
    uint64_t ticket;
    uint64_t start, begin; /* of the stretch with the begin; of the begin */
    uint64_t from, end;    /* of the stretch with the end; of the end */
    uint32_t location, callpath;
    uint8_t flags;
};

tcf_status message_edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e);
tcf_status team_edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e);
/* Requests: receives that are posted, sends that are complete. */
tcf_status request(tcf_self *self, const tcf_slice *s, uint32_t i);

/* operations.c */
tcf_status member_edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e);
tcf_status complete(tcf_self *self, const tcf_instance *in);

/* report.c */
tcf_status report(tcf_self *self);

#endif
