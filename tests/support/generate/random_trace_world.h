/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The simulated machine behind random_trace.h: ranks, threads, clocks, communicators, messages.
 *
 * Operations are generated in one global order in which nothing waits for something later; so the
 * simulation needs no event queue, and cannot deadlock: an operation moves the "now" of its threads
 * forward and records events at once. World time is in nanoseconds. */
#ifndef TCFLOW_TESTS_RANDOM_TRACE_WORLD_H
#define TCFLOW_TESTS_RANDOM_TRACE_WORLD_H

#include "random_trace.h"
#include "trace.h"

#include <otf2/otf2.h>
#include <stdio.h>

enum { MAX_DEPTH = 12, MAX_JUMPS = 8, MAX_COMMS = 40, TAGS = 4, MAX_OUTSTANDING = 12 };

/* With comms_per_rank every process has a block of ids of its own, as EZTrace has it: locations, and communicators but
 * for MPI_COMM_WORLD. */
enum { RT_BLOCK = 1 << 20 };

/* Threads of a rank: the master, the OpenMP workers, a short-lived thread, one that communicates; a stream of an
 * accelerator, a thread whose begin no record shows. */
enum {
    MAX_OMP = 16,
    SLOT_MASTER = 0,
    SLOT_SHORT = MAX_OMP,
    SLOT_MPI = MAX_OMP + 1,
    SLOT_STREAM = MAX_OMP + 2,
    SLOT_LONE = MAX_OMP + 3,
    SLOTS = MAX_OMP + 4
};

struct clock {
    double offset, drift;
    uint32_t jumps;
    struct {
        double at, by; /* total from there on */
        double floor;  /* a clock that was set back stands still until it is later than this */
    } jump[MAX_JUMPS];
};

struct channel;
struct collective;

enum request_kind { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE };

/* A message that has been sent and is not yet received. */
struct message {
    const struct location *source;
    int64_t source_index; /* -1: not in the trace */
    uint64_t arrival;
    uint64_t bytes;
    uint32_t sender;   /* rank as recorded */
    bool lost_receive; /* do not record the receive */
};

struct request {
    enum request_kind kind;
    uint64_t id;
    uint64_t serial; /* unlike ids, never used again */
    uint64_t posted; /* events of the location when it was posted */
    uint64_t ready;  /* world time from which it can complete; UINT64_MAX: unknown so far */
    const struct comm *comm;
    uint32_t tag;
    struct message message; /* of a receive, once there is one */
    struct collective *collective;
    uint32_t member;
};

enum { RT_IO_PENDING = 4 };

struct io_operation {
    uint32_t handle;
    uint64_t id, bytes;
};

struct location {
    OTF2_LocationRef ref;
    uint32_t rank, slot;
    OTF2_EvtWriter *writer; /* NULL: not used (yet) */
    uint64_t now;
    uint64_t last_tick;
    uint64_t events;    /* written */
    uint64_t end_after; /* events after which it goes silent */
    uint64_t silent;    /* events to come that are not recorded */
    bool ended;
    uint32_t depth;
    uint32_t stack[MAX_DEPTH];
    struct request requests[MAX_OUTSTANDING];
    uint32_t outstanding;
    uint64_t counter;                      /* what only grows */
    struct io_operation io[RT_IO_PENDING]; /* under way */
    uint32_t io_pending;
    uint64_t rma; /* matching id */
};

struct rank {
    struct clock clock;
    struct location threads[SLOTS];
    uint64_t next_request;
    uint64_t thread_sequence;
    uint32_t lock_order[2]; /* acquisitions so far: OpenMP, Pthread */
    struct location *lock_owner[2];
    int64_t lock_index[2];
    uint64_t lock_free[2];
    uint64_t window_free[2];  /* when the last lock of its part of a window was released: shared, exclusive */
    struct channel **pending; /* channels with messages that nobody has asked for; may repeat */
    size_t pending_count, pending_capacity;
};

struct turn { /* who was the last to post, and when */
    const struct location *last;
    uint64_t tick;
};

struct comm {
    uint32_t number; /* the COMM of truth.csv */
    bool self, inter;
    bool freed;
    uint32_t size, size_a; /* members; those in group A of an inter-communicator */
    uint32_t *member;      /* world ranks */
    uint32_t slot;         /* the thread of each rank that calls its collectives */
    struct turn *turn;     /* of each member (RT_ANY_THREAD) */
    int parent;
    int group; /* index of a comm with the same members whose group it shares, or its own */
};

enum collective_class { N_TO_N, ONE_TO_N, N_TO_ONE, SCAN, EXSCAN, FREE };

/* One instance. Freed when the last member has completed it. */
struct collective {
    uint64_t instance;
    const struct comm *comm;
    OTF2_CollectiveOp op;
    enum collective_class class;
    bool nonblocking;
    int64_t root;
    uint32_t open;
    struct collective_member {
        uint64_t begin, ready;
        int64_t begin_index;
        uint64_t sent, received;
        bool gives, takes;       /* what others wait for, or it waits for */
        struct location *thread; /* that comes for it */
    } member[];
};

struct world {
    const struct random_trace_options *options;
    struct trace trace;
    OTF2_AttributeList *list;
    FILE *truth;
    uint64_t random;
    struct rank *ranks;
    struct comm comms[MAX_COMMS];
    uint32_t comm_count;
    struct channel **channels; /* hash table */
    size_t channel_capacity, channel_count;
    uint64_t events, messages, collectives, barriers;
    uint64_t first_tick, last_tick;
    uint32_t next_unique_tag;
    uint64_t next_serial;
    uint64_t next_io;
    uint32_t more_strings;
    bool kept;                     /* what comes is recorded whatever is lost at random (RT_KEEP) */
    bool inside;                   /* a parallel region, whose master does something else */
    uint32_t team_rank, team_size; /* whose threads are in a parallel region, and how many; 0 threads: nobody's */
};

/* Regions; names and roles are in random_trace_definitions.c. */
enum region {
    R_MAIN,
    R_USER_FIRST,
    R_USER_LAST = R_USER_FIRST + 11,
    R_INIT,
    R_FINALIZE,
    R_SEND,
    R_SSEND,
    R_BSEND,
    R_RSEND,
    R_RECV,
    R_SENDRECV,
    R_ISEND,
    R_IRECV,
    R_WAIT,
    R_WAITALL,
    R_WAITANY,
    R_WAITSOME,
    R_TEST,
    R_TESTALL,
    R_CANCEL,
    R_COMM_SPLIT,
    R_COMM_DUP,
    R_COMM_FREE,
    R_INTERCOMM_CREATE,
    R_COLLECTIVE_FIRST,
    R_COLLECTIVE_LAST = R_COLLECTIVE_FIRST + 16,
    R_ICOLLECTIVE_FIRST,
    R_ICOLLECTIVE_LAST = R_ICOLLECTIVE_FIRST + 16,
    R_PARALLEL,
    R_FOR,
    R_OMP_BARRIER,
    R_IMPLICIT_BARRIER,
    R_CRITICAL,
    R_THREAD_CREATE,
    R_THREAD_JOIN,
    R_THREAD_BODY,
    R_MUTEX_LOCK,
    R_LAUNCH,
    R_SYNCHRONISE,
    R_KERNEL,
    R_OPEN,
    R_READ,
    R_IREAD,
    R_PUT,
    R_START,
    R_STARTALL,
    R_WIN_POST,
    R_WIN_START,
    R_WIN_COMPLETE,
    R_WIN_WAIT,
    R_WIN_TEST,
    R_WIN_LOCK,
    R_WIN_UNLOCK,
    R_WIN_LOCK_ALL,
    R_WIN_UNLOCK_ALL,
    REGIONS
};

/* ---- randomness (random_trace_world.c) ---- */
uint64_t rt_random(struct world *w);
uint32_t rt_below(struct world *w, uint32_t n); /* 0 to n - 1 */
bool rt_chance(struct world *w, double probability);
void rt_shuffle(struct world *w, uint32_t *values, uint32_t n);
bool rt_has(const struct world *w, uint32_t feature);

/* ---- machine ---- */
int rt_world_open(struct world *w, const struct random_trace_options *options);
int rt_world_close(struct world *w);
struct location *rt_thread(struct world *w, uint32_t rank, uint32_t slot);
void rt_start(struct world *w, struct location *l, uint64_t now); /* opens its writer */
uint64_t rt_latency(struct world *w, uint32_t from, uint32_t to);
uint64_t rt_tick(const struct world *w, uint32_t rank, uint64_t time);
void rt_work(struct world *w, struct location *l); /* some computing time */
void rt_wait_until(struct location *l, uint64_t time);
void rt_later_than(struct world *w, struct location *l, uint64_t tick); /* strictly, on its own clock */
uint32_t rt_process(const struct world *w, uint32_t rank);              /* its location group */
uint32_t rt_region_ref(const struct world *w, uint32_t rank, uint32_t region);
bool rt_has_region(const struct world *w, uint32_t region); /* is it defined? */
uint32_t rt_comm_ref(const struct world *w, const struct comm *comm, uint32_t rank);
uint32_t rt_team_ref(const struct world *w, uint32_t rank, bool pthread);
uint32_t rt_nested_ref(const struct world *w, uint32_t rank);                    /* the team that a worker forks */
uint32_t rt_small_team_ref(const struct world *w, uint32_t rank, uint32_t size); /* RT_TEAM_SIZES */
uint32_t rt_team_slot(const struct world *w, uint32_t size, uint32_t i); /* the master and the last of the workers */
void rt_take_turn(struct world *w, const struct turn *turn, struct location *l); /* later than a thread before it */
void rt_had_turn(const struct world *w, struct turn *turn, const struct location *l);
uint32_t rt_window(const struct comm *comm); /* a window over it */
void rt_do_something(struct world *w);       /* inside a parallel region */

/* ---- recording ---- */

/* Moves the thread on by a short time. Returns the index of the event to write, -1 if none is to be. */
int64_t rt_begin_event(struct world *w, struct location *l, uint64_t *tick, OTF2_AttributeList **list);

/* Records an event and yields its index, -1 if it was left out: then the arguments are not evaluated. */
#define RT_PUT(w, l, Name, ...)                                                                                        \
    __extension__({                                                                                                    \
        uint64_t tick_ = 0;                                                                                            \
        OTF2_AttributeList *list_ = NULL;                                                                              \
        int64_t index_ = rt_begin_event(w, l, &tick_, &list_);                                                         \
        if (index_ >= 0)                                                                                               \
            expect(&(w)->trace, OTF2_EvtWriter_##Name((l)->writer, list_, tick_, ##__VA_ARGS__), #Name);               \
        index_;                                                                                                        \
    })

/* Of records that number collectives and teams, at all members alike. */
#define RT_KEEP(w, l, Name, ...)                                                                                       \
    __extension__({                                                                                                    \
        (w)->kept = true;                                                                                              \
        int64_t kept_ = RT_PUT(w, l, Name, ##__VA_ARGS__);                                                             \
        (w)->kept = false;                                                                                             \
        kept_;                                                                                                         \
    })

int64_t rt_enter(struct world *w, struct location *l, uint32_t region);
int64_t rt_leave(struct world *w, struct location *l);
void rt_edge(struct world *w, const char *kind, uint32_t number, const struct location *from, int64_t from_index,
             const struct location *to, int64_t to_index);

/* ---- operations: each picks who and what at random and does it ---- */
void rt_op_compute(struct world *w);
void rt_end_early(struct world *w);  /* not an operation: silences ranks whose time has come */
void rt_op_message(struct world *w); /* random_trace_p2p.c */
void rt_op_sendrecv(struct world *w);
void rt_op_halo(struct world *w);
void rt_op_persistent(struct world *w);
void rt_op_star(struct world *w);
void rt_op_cancel(struct world *w);
void rt_op_receive_pending(struct world *w);
void rt_op_complete(struct world *w);
void rt_complete_old(struct world *w); /* requests that wait longer than max_delay events */
void rt_complete_all(struct world *w, struct location *l);
void rt_complete_rank(struct world *w, uint32_t rank);
struct request *rt_new_request(struct world *w, struct location *l, enum request_kind kind);
struct location *rt_pick_thread(struct world *w, uint32_t rank);
bool rt_has_messages(const struct world *w, const struct comm *comm); /* sent, not yet received */
void rt_finish_messages(struct world *w);
void rt_free_channels(struct world *w);
void rt_op_collective(struct world *w); /* random_trace_collectives.c */
void rt_op_nonblocking_collective(struct world *w);
void rt_op_window_collective(struct world *w);
void rt_op_new_comm(struct world *w);
void rt_op_free_comm(struct world *w);
void rt_handle_collective(struct world *w, const struct comm *comm, uint32_t region, bool create);
void rt_finish_collective(struct world *w, struct location *l, struct request *request);
void rt_op_parallel(struct world *w); /* random_trace_threads.c */
void rt_op_short_thread(struct world *w);
void rt_op_mutex(struct world *w);
void rt_op_kernels(struct world *w);
void rt_op_lone_thread(struct world *w);
void rt_op_flush(struct world *w); /* random_trace_rare.c */
void rt_op_switch_off(struct world *w);
void rt_op_nonsense(struct world *w);
void rt_nested_team(struct world *w, uint32_t rank);
bool rt_in_nested_team(const struct world *w, uint32_t slot);
void rt_start_mpi_threads(struct world *w);
void rt_stop_mpi_threads(struct world *w);
void rt_op_counters(struct world *w); /* random_trace_counters.c */
void rt_put_counters(struct world *w, struct location *l);
void rt_op_io(struct world *w);
void rt_op_rma(struct world *w);
void rt_define_counters(struct world *w);

struct comm *rt_add_comm(struct world *w, uint32_t size); /* NULL when there are enough */
uint32_t rt_member_rank(const struct comm *comm, uint32_t member);
uint32_t rt_pick_comm(struct world *w, uint32_t least_size, bool intra); /* its index */

/* ---- regions (random_trace_regions.c) ---- */
uint32_t rt_context_ref(const struct world *w, const struct location *l, uint32_t region); /* as deep as it is */
void rt_define_contexts(struct world *w);
enum { RT_NAME = 80 };
void rt_region_name(uint32_t i, char name[RT_NAME]);
OTF2_RegionRole rt_region_role(uint32_t i);
OTF2_Paradigm rt_region_paradigm(uint32_t i);

/* ---- definitions (random_trace_definitions.c) ---- */
void rt_write_definitions(struct world *w);

#endif
