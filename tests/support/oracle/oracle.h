/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The oracle: a slow, obvious, whole-trace implementation of what tcflow computes while streaming. It uses libotf2
 * only, shares no line with the framework or the plugins, and loads a trace whole; tests compare tcflow's results
 * with what it prints. The definitions below are the contract between the two sides: what the streaming code does is
 * right when it implements the same text. Whoever changes one of them changes both sides and this text.
 *
 * D1 Location order, time. Locations are ordered as their definitions appear in the global definitions. An event is
 *    named by its location and its 0-based index among the records of that location (markers and snapshots do not
 *    count; mapping tables are applied on reading). Matching uses the stored time stamps even where --linear shifts
 *    what is printed and measured. Where events of several locations are ordered by time, the time of an event is the
 *    largest stored time up to it in its location, so that a location's own order always wins; ties go to the
 *    location that is defined first.
 * D2 Member. A communicator's members are locations of the COMM_LOCATIONS group of the paradigm of its group (the first
 *    one in definition order that has members, where there are several). In communicators of MPI a location that MPI's
 *    COMM_LOCATIONS lists stands for itself; any other thread (location type CPU_THREAD) for the location of its
 *    location group that is listed, when that is exactly one, else for nobody: so all threads of a process share its
 * rank, unless the process has several. In communicators of other paradigms every location stands for itself. A
 * location has the rank of what it stands for, the first one where a communicator names that twice; the other rank is
 * nobody's. D3 Communicators. COMM -> GROUP of type COMM_GROUP (members are indices into COMM_LOCATIONS; with the flag
 *    GLOBAL_MEMBERS records name ranks by their index in COMM_LOCATIONS) or COMM_SELF (every member is a communicator
 *    of its own, of rank 0). Where one id is defined several times the first definition that fits counts: a group id
 *    that is both COMM_LOCATIONS and COMM_GROUP (EZTrace) is the COMM_GROUP for a COMM; where it is COMM_LOCATIONS
 * only, its members are the locations that it lists. INTER_COMM has two sides; `receiver`, `sender` and `root` count
 * ranks of the other side. D4 Canonical communicators. Let B be the smallest non-zero location id among the members of
 * the COMM_LOCATIONS group of paradigm MPI. When B >= 65536, and all these ids are distinct multiples of B,
 * communicator ids are per process (EZTrace: B = 536870911): a communicator belongs to block id / B, and the i-th
 * communicator (by id) of a block among those with the same member list in the same order (both sides, same kind) is
 * the same communicator as the i-th in every other block; those without a parent (MPI_COMM_WORLD) have one id for all.
 * Otherwise ids are global: different ids are different communicators even with equal members. A canonical communicator
 * is printed as its smallest id; a self communicator as id:member, where member is the rank in COMM_LOCATIONS. D5
 * Requests. On each location the events of one request id are read in order, separately for the three families IRECV
 * (MPI_IRECV_REQUEST ... MPI_IRECV), ISEND (MPI_ISEND ... MPI_ISEND_COMPLETE) and NBC (NON_BLOCKING_COLLECTIVE_REQUEST
 * ... _COMPLETE). A posting opens the id; a second posting before the completion kills the first one;
 * MPI_REQUEST_CANCELLED kills what is open under the id in every family; a completion belongs to the open posting, if
 * any. Killed postings, and those still open at the end, have no partner. COLLECTIVE_BEGIN and _END (MPI and RMA
 * separately): one pending begin a location; an end takes it, a second begin replaces it. D6 Look-ahead. A posting,
 * begin or THREAD_FORK whose partner lies more than `lookahead` (default 4096) events later in the location (partner's
 * index - own index > lookahead) is treated as if it were not recorded. D7 Place. The place of a send, MPI_RECV or
 * blocking end without begin is its own index. The place of MPI_IRECV, MPI_COLLECTIVE_END,
 * NON_BLOCKING_COLLECTIVE_COMPLETE and RMA_COLLECTIVE_END is the index of its posting or begin (D5, D6), where there is
 * one. Cancelled sends keep their place. D8 Point-to-point. A channel is (canonical communicator, sender rank and side,
 * receiver rank, tag); of a self communicator every member has its own. The sends of a channel are numbered by (time of
 * the place as in D1, location, place), the receives likewise; the k-th send belongs to the k-th receive. The rest is
 * unmatched, and so is what names a communicator that is undefined or does not contain the recording location (printed
 * with communicator and ranks as far as known). D9 Trust. A channel is not trusted when it has fewer or more receives
 * than sends and some location that stands for the receiving member has an MPI_IRECV_REQUEST without completion that
 * was not cancelled (posted again or open at the end). The pairs of such a channel are listed with trusted = 0 and are
 * no edges. D10 Collectives. Every MPI_COLLECTIVE_END and NON_BLOCKING_COLLECTIVE_COMPLETE takes part in the one
 * sequence of (canonical communicator, member), numbered by (time of the place, location, place); the k-th of every
 * member form instance k. RMA_COLLECTIVE_END likewise in a sequence of (window, member) of its own; members of a window
 *    are those of its communicator. A begin exists where D5 and D6 give one. What
 *    stands for the same member and is posted behind an NBC request that is open when its location ends, no further
 * than the look-ahead from the end, is in no instance: what that request belongs to, and so how many came before, isn't
 * known. Records whose communicator or window cannot be resolved are in no instance. D11 Constraints of an instance.
 * Class by operation: BCAST, SCATTER(V) 1-to-N; REDUCE, GATHER(V) N-to-1; BARRIER, ALLREDUCE, ALLGATHER(V),
 * ALLTOALL(V,W), REDUCE_SCATTER(_BLOCK) N-to-N; SCAN; EXSCAN; all others (handles, allocation) none. No constraint
 * either when members disagree on the operation, and for RMA collectives whose sync level lacks PROCESS. Behind a
 * survey none for members with 0 bytes either, where some instance has bytes and no instance of the operation has them
 * on some of its members only (not for BARRIER and the operations whose last letter is V or W). A begin is a source:
 * 1-to-N root, N-to-1 all but the root, N-to-N all, (EX)SCAN all but the highest rank. An end is a target: 1-to-N all
 * but the root, N-to-1 root, N-to-N all, (EX)SCAN all but rank 0. In GATHERV, SCATTERV, ALLGATHERV, ALLTOALLV,
 * ALLTOALLW and REDUCE_SCATTER a member whose own sizeSent = 0 is no source and one whose sizeReceived = 0 no target. A
 * target depends on every source of another member; in (EX)SCAN on the lower ranks only; on an inter-communicator on
 * the other side only. A member's own begin never binds its own end. Missing members and begins bind nobody, and leave
 * the others as they are. The root is the member whose rank is the root of its own record; on inter-communicators
 * ROOT_SELF is the root, members with ROOT_THIS_GROUP take no part, the others are its partners. D12 Fork and join.
 * Every THREAD_TEAM_BEGIN(team) of a location has a number, its ordinal among those of the same team there. A
 * THREAD_TEAM_END ends what was begun last and is still open there, and belongs to its instance; without any it is
 * nothing. A THREAD_FORK or OMP_FORK belongs to the instance (team, number) of the next THREAD_TEAM_BEGIN of its
 * location (D6; a fork followed by another fork is dead). A THREAD_JOIN or OMP_JOIN belongs to that of the last
 * THREAD_TEAM_END before it in its location, but for one join each. Edges: fork
 * -> every TEAM_BEGIN, every TEAM_END -> join of the same instance, except on the location of the fork or join itself.
 * A team that is not defined, whose members are not known, or that is a communicator of MPI, is none. Forks, begins,
 * ends and joins of a location that is no member of the team count for nothing. D13 Create and wait. THREAD_CREATE ->
 * THREAD_BEGIN and THREAD_END -> THREAD_WAIT with the same (location group, contingent, sequence count): the i-th with
 * the i-th, each side ordered as in D1. A contingent that is not defined, or whose members are not known, has no edge.
 * D14 Locks. THREAD_RELEASE_LOCK of acquisition order n -> THREAD_ACQUIRE_LOCK of order n + 1 with the same (location
 *    group, model, lock), OMP_* with model OPENMP, the i-th with the i-th as in D13, unless both lie on one
 *    location. RMA and I/O locks carry no order.
 * D15 OpenMP barriers. Regions of paradigm OPENMP with role BARRIER or IMPLICIT_BARRIER, entered while a team is open
 * on the location (innermost TEAM_BEGIN whose TEAM_END has not passed). The j-th outermost barrier region entered
 *    inside instance (team, number) (as in D12) of every location form one instance: every enter -> the leave of
 *    every other location. The leave is the one that balances the enter (same region, counting recursion) before the
 *    team ends; where there is none the member is no target.
 * D16 RMA operations. RMA_PUT, RMA_GET and RMA_ATOMIC -> the first RMA_OP_COMPLETE_BLOCKING or _NON_BLOCKING with the
 * same window and matching id later in the same location; one completion completes all operations that are open under
 * the id. Both sides lie on one location, so the edge is kept by local order; it is listed for statistics.
 *    RMA_GROUP_SYNC has no edge.
 * D17 Violation. An edge is violated when time(target) < time(source) + mu; its size is time(source) + mu -
 *    time(target). Counted are pairs (source, target); besides, targets with at least one violated pair. mu depends on
 *    the class of the edge and the distance of its ends: see clocks.h.
 *    The clock correction itself (oracle clc) is defined in doc/clock-correction.md.
 * D18 Profile. A location's ENTER and LEAVE (and CALLING_CONTEXT_ENTER and _LEAVE with the region of their context) are
 *    replayed on a stack. A leave whose region is not on top unwinds to the nearest open frame of that region,
 *    closing those above at its own time; without such a frame it is ignored. Frames still open at the end close at
 *    the time of the location's last event. A frame's duration is leave - enter; exclusive is that minus the durations
 * of its direct children. Flat: visits, exclusive, minimum and maximum count every frame of the region, inclusive only
 * those that lie in no other frame of the same region. Durations are signed, nothing is clamped. D19 Traffic. MPI_SEND
 * and MPI_ISEND are sent by their location to, MPI_RECV and MPI_IRECV received by it from, the member with the recorded
 * rank: of the communicator, of the other side of an inter-communicator (group B where the location is in A), of a self
 * communicator the own process with rank 0. By process, ends are those of D24; by location, the own end is the
 * location, the other one the member itself (D2). A rank that is not there, a communicator that is not defined and an
 * inter-communicator without the location have no partner. The world rank of a process is that of the first member of
 * MPI's COMM_LOCATIONS in it. Collectives are those of D10, with the bytes of each record. RMA_PUT goes from its
 * location to, RMA_GET comes from the recorded rank of the window's communicator; RMA_ATOMIC goes there with bytesSent,
 * and comes back with bytesReceived. D20 Messages by size and over time. Sent and received as in D19, each at its
 * event's time. Bins of time are all of the same width, the smallest power of two ticks with which no more than a given
 * number of them hold all events of the trace; bin k holds the times from origin + k width on, with origin = the global
 * offset of the clock properties, k may be negative. All bins from that of the first event to that of the last one are
 * listed. D21 Time profile. The exclusive time of a frame (D18) in a bin (D20) is what the frame shares with the bin
 * minus what its direct children share with it; it counts for the frame's region by name, over all locations. D22 Load.
 * The load of a process (D24) in a region, by name, is the sum of the exclusive times (D18) of all frames of the region
 * in its locations; processes and regions without any frame are left out. D23 Communication and computation. From an
 * event to the next one a location does what the innermost open frame (D18) says: communication, files,
 * synchronisation, management, measurement, rest, or computation, by role, paradigm and name of the region; but a frame
 * of MPI or the like, an idle one, and a wait for locks or accelerators say it for all frames inside, up to a task or
 * measurement, which begins anew. Where tasks are called by a runtime system (they are of no paradigm of threads) what
 * computes without a frame is in management instead. From a
 * fork to the begin of a team, and from the end of a team to the join, the forking thread is in management. Without a
 * frame the first CPU thread of its process (D24; of the rest of a group with several ranks only when it is the first
 * one of the group) computes, others do while they have begun more teams (or threads) than ended, else they rest. It
 * measures while measurement is off, and from a BUFFER_FLUSH to its stop time. Postings with a completion (D5) are
 * under way until then, RMA operations until the next _OP_COMPLETE_BLOCKING or _NON_BLOCKING with their window and id.
 * A location, or all of a process together, communicates while one of them is in communication or has something under
 * way; where nobody communicates, it does the first that one of them does, in the order computation, files,
 * synchronisation, management, measurement, rest. Locations of metrics are left out. D24 Process. Locations of one
 * location group, and of groups that were created by it, are one process, but where MPI's COMM_LOCATIONS (D2) has
 * several of them, each of these is one, and the rest of the group is one. Locations without a defined group are one,
 * too. The world rank of a process is the first position in COMM_LOCATIONS that a location of it has; without a group
 * it has none. */
#ifndef TCFLOW_TESTS_ORACLE_H
#define TCFLOW_TESTS_ORACLE_H

#include <otf2/otf2.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define O_NONE SIZE_MAX      /* no such event */
#define O_NO_RANK UINT32_MAX /* not a member */
#define O_MAX_FIELDS 6

/* ---- event kinds: see kinds.def ---- */

enum o_kind {
#define KIND0(NAME, ...) O_##NAME,
#define KIND1 KIND0
#define KIND2 KIND0
#define KIND3 KIND0
#define KIND4 KIND0
#define KIND5 KIND0
#define KIND6 KIND0
#define KINDX KIND0
#include "kinds.def"
    O_KINDS
};

/* What a field, or an attribute value, refers to. */
enum o_ref {
    O_REF_NONE,
    O_REF_SIGNED,
    O_REF_STRING,
    O_REF_ATTRIBUTE,
    O_REF_LOCATION,
    O_REF_LOCATION_GROUP,
    O_REF_REGION,
    O_REF_GROUP,
    O_REF_METRIC,
    O_REF_METRIC_MEMBER,
    O_REF_COMM,
    O_REF_PARAMETER,
    O_REF_RMA_WIN,
    O_REF_SOURCE_CODE_LOCATION,
    O_REF_CALLING_CONTEXT,
    O_REF_INTERRUPT_GENERATOR,
    O_REF_IO_FILE,
    O_REF_IO_HANDLE,
    O_REF_IO_PARADIGM,
    O_REF_SYSTEM_TREE_NODE,
    O_REF_CALLPATH,
    O_REF_CALLSITE,
    O_REF_CART_DIMENSION,
    O_REF_CART_TOPOLOGY,
    O_REFS
};

struct o_kind_info {
    const char *name;
    unsigned n_fields;
    const char *field[O_MAX_FIELDS];
    enum o_ref ref[O_MAX_FIELDS];
};

extern const struct o_kind_info o_kinds[O_KINDS];
extern const char *const o_ref_names[O_REFS];

/* ---- the loaded trace ---- */

struct o_list {
    void *item;
    size_t n, cap;
};

struct o_event {
    uint64_t time;                /* as stored */
    uint64_t field[O_MAX_FIELDS]; /* in the order of kinds.def; METRIC: metric; PROGRAM_BEGIN: name */
    size_t extra;                 /* where in o_location.extra its values and attributes start */
    uint32_t n_values;            /* METRIC: (type, value) pairs; PROGRAM_BEGIN: arguments */
    uint16_t n_attributes;        /* (attribute, type, value) triples behind the values */
    uint16_t kind;                /* enum o_kind */
};

/* Every definition starts with its id and its position in the global definitions: arrays of them are sorted by both. */
struct o_def {
    uint64_t id;
    size_t order;
};

struct o_string {
    struct o_def def;
    char *text;
};
struct o_node {
    struct o_def def;
    uint64_t class_name, parent;
};
struct o_location_group {
    struct o_def def;
    uint64_t name, parent, creator;
};
struct o_region {
    struct o_def def;
    uint64_t name;
    uint8_t role, paradigm;
};
struct o_group {
    struct o_def def;
    uint8_t type, paradigm;
    uint32_t flags;
    size_t n;
    uint64_t *member;
};
struct o_comm {
    struct o_def def;
    bool inter;
    uint64_t group[2];
    bool alone; /* has no parent */
};
struct o_win {
    struct o_def def;
    uint64_t comm;
};
struct o_context {
    struct o_def def;
    uint64_t region;
};
struct o_metric_member {
    struct o_def def;
    uint64_t name;
    uint8_t mode, base;
    int64_t exponent;
};
struct o_metric {
    struct o_def def;
    bool instance;
    uint64_t class;
    size_t n;
    uint32_t *member; /* of a class */
};
struct o_io_paradigm {
    struct o_def def;
    uint64_t identification;
};
struct o_io_file {
    struct o_def def;
    uint64_t name;
};
struct o_io_handle {
    struct o_def def;
    uint64_t name, file, paradigm;
    uint32_t flags;
};
struct o_def_ref {
    enum o_ref from, to;
    uint64_t id;
};

/* A CLOCK_OFFSET: at `time` `offset` is to be added. */
struct o_knot {
    uint64_t time;
    int64_t offset;
};

struct o_location {
    struct o_def def;
    uint64_t group;
    OTF2_LocationType type;
    uint64_t declared; /* number of events that the definition claims */
    struct o_event *event;
    size_t n, cap;
    uint64_t *extra;
    size_t n_extra, cap_extra;
    uint64_t *linear; /* times after linear interpolation, with --linear only */
    size_t n_linear, cap_linear;
    uint64_t unknown;    /* records of a kind that this libotf2 does not know */
    struct o_list knots; /* struct o_knot, in the order of the archive */
    bool damaged;        /* event file missing or not readable to its end */
};

struct o_trace {
    uint64_t ticks_per_second, origin; /* origin: global offset of the clock properties */
    bool linear;
    struct o_list strings, nodes, location_groups, regions, groups, comms, wins, contexts, metric_members, metrics,
        io_paradigms, io_files, io_handles;
    struct o_list memory_domains; /* struct o_def: nodes whose memory is shared */
    struct o_list refs;           /* struct o_def_ref: every reference of a definition */
    struct o_list ids[O_REFS];    /* struct o_def: every defined id */
    struct o_location *location;  /* in definition order */
    size_t n_locations, cap_locations;
    uint64_t unknown_definitions;
};

/* Loads an archive; NULL (and a message on stderr) when its definitions cannot be read. */
struct o_trace *o_load(const char *anchor, bool linear);
void o_unload(struct o_trace *trace);

uint64_t o_time(const struct o_trace *trace, size_t location, size_t event);
const char *o_region_name(const struct o_trace *trace, uint64_t region, char buffer[32]);
bool o_defined(const struct o_trace *trace, enum o_ref kind, uint64_t id);
bool o_undefined_value(enum o_ref kind, uint64_t id);
enum o_ref o_type_ref(uint64_t otf2_type);
bool o_region_of(const struct o_trace *trace, const struct o_event *event, uint64_t *region);

/* definitions.c, for load.c */
bool o_read_definitions(struct o_trace *trace, OTF2_Reader *reader);
void o_free_definitions(struct o_trace *trace);

/* ---- util.c ---- */

void *o_alloc(size_t n, size_t size); /* zeroed; exits when memory is out, as all of these */
char *o_copy(const char *text);
void *o_push(struct o_list *list, size_t size);
void *o_grow(void *array, size_t n, size_t *cap, size_t size);
/* First definition of an id in a list of structs of `size` that start with struct o_def; NULL when there is none. */
const void *o_find(const struct o_list *list, size_t size, uint64_t id);
void o_sort_defs(struct o_list *list, size_t size);
int o_compare_u64(uint64_t a, uint64_t b);
void o_print_csv(const char *text); /* quoted when it has to be */

/* ---- communicators: comms.c ---- */

struct o_side {
    size_t n;
    uint64_t *member; /* location ids by rank */
    uint32_t *rank;   /* by location, O_NO_RANK */
};

struct o_canon {
    uint64_t id; /* smallest id of the class */
    bool self, inter, resolved, alone;
    uint8_t paradigm; /* of its group */
    struct o_side side[2];
    struct o_side world; /* COMM_LOCATIONS: the process of a self communicator */
};

struct o_comms {
    struct o_canon *canon; /* one for every COMM and INTER_COMM, in the order of trace->comms */
    size_t *class_of;      /* index of the canonical one */
    size_t n;
};

/* Where a location stands in a communicator. */
struct o_place {
    const struct o_canon *canon;
    uint32_t process; /* distinguishes self communicators, else 0 */
    uint32_t rank;
    uint8_t side;
};

void o_comms_build(const struct o_trace *trace, struct o_comms *comms);
/* Which location (by id) a location stands for in communicators of a paradigm (D2); false: nobody. */
bool o_stands_for(const struct o_trace *trace, uint8_t paradigm, size_t location, uint64_t *member);
/* Do two locations stand for the same member of MPI's communicators? */
bool o_are_one(const struct o_trace *trace, size_t a, size_t b);
void o_comms_free(struct o_comms *comms);
bool o_comm_place(const struct o_trace *trace, const struct o_comms *comms, uint64_t comm, size_t location,
                  struct o_place *place);
void o_print_comm(const struct o_canon *canon, uint32_t process);

/* ---- relations: what must precede what ---- */

enum o_class {
    O_P2P,
    O_ONE_TO_N,
    O_N_TO_ONE,
    O_N_TO_N,
    O_SCAN,
    O_EXSCAN,
    O_RMA_ONE_TO_N,
    O_RMA_N_TO_ONE,
    O_RMA_N_TO_N,
    O_RMA_SCAN,
    O_RMA_EXSCAN,
    O_FORK,
    O_JOIN,
    O_CREATE,
    O_WAIT,
    O_LOCK,
    O_BARRIER,
    O_RMA_OP,
    O_CLASSES
};
extern const char *const o_class_names[O_CLASSES];

/* Which sources a target depends on; never on its own participant's. */
enum o_rule { O_ALL, O_LOWER_RANKS, O_OTHER_SIDE };

struct o_participant {
    size_t location;
    size_t source, target; /* event indices, O_NONE */
    uint32_t rank;
    uint8_t side;
};

struct o_relation {
    enum o_class class;
    enum o_rule rule;
    bool barrier;                /* n to n: an MPI_Barrier */
    const struct o_canon *canon; /* communicator of a collective, team; NULL: of two locations, or unknown */
    size_t first, n;             /* in o_matching.participants */
};

struct o_message {
    const struct o_canon *canon; /* NULL: not resolved */
    uint64_t comm;               /* as recorded */
    uint32_t process, source_rank, target_rank, tag;
    uint8_t source_side;
    bool trusted;
    size_t source_location, source, target_location, target; /* O_NONE: unmatched */
};

struct o_member {
    bool rma;
    const struct o_canon *canon; /* NULL: not resolved */
    uint64_t id;                 /* communicator or window as recorded */
    uint64_t sequence;           /* what the sequence belongs to: window id, or canonical id */
    uint32_t process, rank;
    uint8_t side, op;
    uint32_t root;
    uint64_t sent, received, sync_level;
    size_t instance, location, place, begin, end;
    uint64_t place_time;
    bool is_source, is_target, consistent;
    bool released; /* it has no data, and binds nobody */
    bool gives;    /* by its own record the begin is a source, though members may disagree */
};

struct o_thread_edge {
    enum o_class class;
    size_t source_location, source, target_location, target;
};

struct o_barrier {
    uint64_t team;
    size_t number, ordinal, location, enter, leave;
};

/* Partner of every event that posts, begins, completes or ends something (D5), O_NONE where there is none. */
struct o_requests {
    size_t **post;           /* [location][event] of a completion or end */
    size_t **done;           /* [location][event] of a posting or begin */
    size_t *never_completed; /* [location]: IRECV requests posted again or open at the end */
    size_t *never_sent;      /* the same of ISEND */
    size_t *never_collected; /* the same of NBC */
    size_t *under_way;       /* the first NBC request that is open at the end, within the look-ahead of it; O_NONE */
    size_t *lone_begins;     /* COLLECTIVE_BEGINs without end */
    size_t *cancelled;
};

struct o_matching {
    const struct o_trace *trace;
    uint64_t lookahead;
    bool trusting; /* all channels are trusted (D9) */
    bool surveyed; /* collectives of 0 bytes bind nobody where sizes can be relied on (D10) */
    struct o_comms comms;
    struct o_requests requests;
    uint64_t **running;         /* [location][event]: largest time so far */
    struct o_list messages;     /* struct o_message */
    struct o_list members;      /* struct o_member, by (rma, sequence, process, instance, side, rank) */
    struct o_list thread_edges; /* struct o_thread_edge */
    struct o_list barriers;     /* struct o_barrier */
    struct o_list relations;    /* struct o_relation */
    struct o_list participants; /* struct o_participant */
};

struct o_matching *o_match(const struct o_trace *trace, uint64_t lookahead);
struct o_matching *o_match_with(const struct o_trace *trace, uint64_t lookahead, bool trusting);
struct o_matching *o_match_surveyed(const struct o_trace *trace, uint64_t lookahead); /* as a chain behind a survey */
void o_match_free(struct o_matching *matching);

/* The end of a send that waits for its receive, and where that was posted. */
struct o_post {
    size_t source_location, source, target_location, target, send;
    bool known;    /* else the source is the end of the receive, and tells nothing */
    bool given_up; /* by whom it may concern */
};
/* posts: struct o_post, by target. Messages of `rendezvous` bytes wait, those of MPI_Ssend and MPI_Issend always do. */
bool o_send_waits(const struct o_matching *m, size_t location, size_t event, uint64_t rendezvous);
void o_match_posts(const struct o_matching *m, uint64_t rendezvous, struct o_list *posts);

size_t o_usable_post(const struct o_matching *matching, size_t location, size_t event);
size_t o_begin_relation(struct o_matching *matching, enum o_class class, enum o_rule rule);
void o_relate_in(struct o_matching *matching, const struct o_canon *canon, bool barrier); /* the relation begun last */
void o_add_participant(struct o_matching *matching, const struct o_participant *participant);
const struct o_canon *o_canon_of(const struct o_matching *matching, uint64_t comm); /* NULL: not defined */
bool o_is_known(const struct o_matching *matching, uint64_t comm); /* defined, and its members are known */
bool o_is_team(const struct o_matching *matching, uint64_t comm);  /* known, and not of MPI */

/* Called by o_match, one for each part. */
void o_match_requests(struct o_matching *matching);
void o_free_requests(struct o_matching *matching);
void o_match_messages(struct o_matching *matching);
void o_match_collectives(struct o_matching *matching);
void o_match_threads(struct o_matching *matching);
void o_match_barriers(struct o_matching *matching);
void o_match_rma(struct o_matching *matching);

/* [location][event]: others may wait for it. To be freed row by row. sources.c */
bool **o_sources(const struct o_matching *matching);

/* Calls `each` for every edge of a relation; stops when it returns false. */
struct o_edge {
    enum o_class class;
    size_t source_location, source, target_location, target;
    const struct o_relation *relation;
};
typedef bool (*o_edge_call)(void *user, const struct o_edge *edge);
bool o_each_edge(const struct o_matching *matching, const struct o_relation *relation, o_edge_call each, void *user);
/* Those into and out of one of its participants (0 .. n-1). */
bool o_each_edge_into(const struct o_matching *matching, const struct o_relation *relation, size_t target,
                      o_edge_call each, void *user);
bool o_each_edge_from(const struct o_matching *matching, const struct o_relation *relation, size_t source,
                      o_edge_call each, void *user);

/* ---- the region stack of a location: walk.c ---- */

struct o_visit {
    uint64_t region;
    size_t enter; /* event index */
    uint64_t enter_time, leave_time;
    int64_t children; /* sum of the durations of the direct children */
    size_t node;      /* for the user, set by enter */
    bool recursive;   /* lies in another frame of the same region */
};

struct o_walk {
    void *user;
    void (*enter)(void *user, struct o_visit *visit, const struct o_visit *parent);
    void (*leave)(void *user, const struct o_visit *visit);
    size_t ignored_leaves, unwound, never_left; /* results */
};
void o_walk_location(const struct o_trace *trace, size_t location, struct o_walk *walk);

/* ---- subcommands: print to stdout, return an exit status ---- */

void o_print_match(const struct o_matching *matching);
void o_print_profile(const struct o_trace *trace);
void o_print_health(const struct o_matching *matching);
/* D24, by location: the position in MPI's COMM_LOCATIONS, the first location of its process, and the process's rank. */
struct o_processes {
    size_t *at, *first, *rank; /* O_NONE: none */
};
void o_processes_build(const struct o_trace *trace, struct o_processes *processes);
void o_processes_free(struct o_processes *processes);
/* "GROUP:RANK" of a location's process. */
enum { O_PROCESS_NAME = 48 };
const char *o_process_name(const struct o_trace *trace, const struct o_processes *processes, size_t location,
                           char name[O_PROCESS_NAME]);
void o_print_processes(const struct o_trace *trace);

void o_print_traffic(const struct o_trace *trace, bool by_location);
void o_print_messages(const struct o_trace *trace, uint64_t bin_bytes, uint64_t max_bins, uint64_t time_bins,
                      bool by_process);
void o_print_loads(const struct o_trace *trace);
void o_print_time_profile(const struct o_trace *trace, uint64_t time_bins, bool by_process);

/* Id of the location group of a location; OTF2_UNDEFINED_LOCATION_GROUP: it has none. */
uint64_t o_process_of(const struct o_trace *trace, size_t location);

/* See plugins/iterations/README.md. */
struct o_loop_options {
    const char *anchor; /* NULL: auto */
    uint64_t least, bins;
    double share, evenness, likeness;
};
void o_print_iterations(const struct o_trace *trace, const struct o_loop_options *options);

/* Bins of time (D20), as seen from the origin; false: there is no event. */
struct o_time_bins {
    __int128 width, first, last;
};
bool o_find_time_bins(const struct o_trace *trace, uint64_t most, struct o_time_bins *bins);
void o_print_comm_comp(const struct o_matching *matching);
/* See plugins/efficiency/README.md. */
/* With an anchor by ranges of iterations, too. */
void o_print_efficiency(const struct o_matching *matching, const struct o_loop_options *loops);
/* The k-th member of a metric, that of its class where it is an instance; NULL: nothing defines it. */
const struct o_metric_member *o_metric_member_of(const struct o_trace *trace, uint64_t metric, size_t k);
void o_print_metrics(const struct o_trace *trace, uint64_t time_bins, bool by_location);
void o_print_io(const struct o_trace *trace);
void o_print_dump(const struct o_trace *trace);
int o_check_order(const struct o_matching *matching, const char *order, const char *given_up, const char *classes,
                  FILE *out);

#endif
