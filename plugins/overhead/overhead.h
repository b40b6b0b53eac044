/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `overhead`: overhead.c is the filter, events.c handles the events between edges, edges.c
 * those with edges, follow.c those of locations that follow a leader; model.c has the equations of dependent events,
 * settings.c converts parameters to ticks, report.c makes the report. README.md says what is computed and why. */
#ifndef TCFLOW_OVERHEAD_H
#define TCFLOW_OVERHEAD_H

#include "../shared/numbers/min_max.h"

#include <tcflow/filter.h>

enum mode { MODE_LIKELY, MODE_LOWER, MODE_UPPER, MODE_MEAN };
enum synchronised { EXIT_EACH, EXIT_COMMON }; /* eq. 13, eq. 12 */

struct conf {
    tcf_duration event, attribute, metric_value, carry, handover, handshake;
    tcf_list kinds, copy;
    const char *copy_file, *rendezvous;
    int mode, paper, synchronised, remove_off, again;
};

/* The time to copy a message, by size. */
struct copy_cost {
    uint64_t size, ticks;
    tcf_duration duration;
};
enum { MAX_COPY_COSTS = 1024 };

/* Counts by which rule dependent events were decided. */
struct decisions {
    uint64_t m1, m2, a1, a2;
    uint64_t reversed; /* targets measured before their source */
};

/* The measured and the approximated time of an event. */
struct times {
    uint64_t m, a;
};

/* An open call, and the longest wait in it. */
struct frame {
    struct times enter, wait; /* wait: in communication only */
    uint32_t communication;   /* open regions of communication, itself included; 0: it is none */
    uint8_t several;          /* completes several requests */
    uint8_t overhead;         /* is one of the measurement system */
};

/* Accounts for overhead by eq. 1. */
struct account {
    uint64_t part; /* of a tick, in 1/COST_UNIT: what the costs so far exceed whole ticks by */
    uint64_t owed; /* overhead that found no time to be taken from, at most `carry` */
    uint64_t lost, clamped;
};

/* Messages of a call that waits for several, as far as they have been completed. */
struct group {
    struct times send, enter; /* the latest send, measured and approximated; the call's enter */
    int64_t least, largest;   /* approximated less measured time of a send */
    uint64_t done;            /* when the last one was complete, measured */
    uint8_t is_open;
};

struct track {
    struct frame *frame;
    uint32_t depth, capacity;
    struct times last; /* the previous event; m: or the end of time taken out behind it */
    struct account account;
    uint32_t edge;          /* first edge of the slice that is still to come */
    uint32_t communication; /* open regions of communication */
    uint8_t started, is_device, ended;
    uint8_t off;           /* measurement is */
    uint32_t overhead;     /* open regions of the measurement system */
    uint64_t run, run_end; /* overhead of the completions in a row, and the number of the event behind them */
    struct times before_run;
    uint64_t targets; /* seen so far */
    uint64_t sent;    /* bytes of the last MPI_SEND */
    uint64_t sends_bound, sends_early;
    struct group several; /* completions in a row */

    uint8_t has_previous;  /* of a location that others follow, at the begin of its last span: had it started, */
    struct times previous; /* its `last` (before its last event, where that matters), */
    uint64_t previous_m;   /* and the measured time of that event */
    uint32_t running;      /* of a location that follows: operations that have begun */
    uint64_t shortened, lengthened, late;

    uint64_t events, removed, taken_out, held, unbound;
    struct times begin, communicated, waited;
    struct times finalize; /* its last enter of MPI_Finalize; a program that has none leaves it at 0 */
    uint64_t end_m;
    struct decisions decisions;
};

/* What the filter does at an event besides taking its cost out. ANY is set for no event: independent() uses it. */
enum { IS_ENTER = 1, IS_LEAVE = 2, IS_COMPLETION = 4, IS_METRIC = 8, IS_FLUSH = 16, IS_ON_OFF = 32, ANY = 128 };

enum { MOST_CALLS = 65536 }; /* the most open calls that are kept */

/* Properties of a region. */
enum { REGION_COMMUNICATES = 1, REGION_COMPLETES_SEVERAL = 2, REGION_IS_OVERHEAD = 4, REGION_FINALIZES = 8 };

/* Costs count in parts of a tick: 25.4 ns of a clock of 1 GHz, 0.0254 ticks of one of 1 MHz. */
#define COST_UNIT (UINT64_C(1) << 20)
#define MOST_COST (UINT64_MAX / 4)

/* What a member of a collective keeps from its begin to its end. */
struct member {
    struct times begin;
    uint64_t targets; /* 1 + the location's count; 0: no begin */
    uint64_t is_source;
};

struct state {
    uint64_t cost[256]; /* by kind; this, attribute and metric_value in 1/COST_UNIT ticks, at most MOST_COST */
    uint8_t what[256];  /* by kind: IS_* */
    uint64_t attribute, metric_value;
    uint64_t carry, handover, handshake; /* ticks */
    struct copy_cost *copy;              /* by size */
    uint32_t n_copy;
    uint8_t *region; /* by region: REGION_* */
    uint8_t *leads;  /* by location: do others follow it? */
    uint64_t too_deep;
    char stated[256]; /* the property's value; "": nothing is stated */
};

/* ------------------------------------------------------------------------------------------------------ events.c -- */

/* Events [i, to), all without edges; `first` is the number of event 0 of the slice. */
tcf_status independent(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first);
/* Notes what later events need of an event. k->last has its time already, `at` has both of its times. */
tcf_status note(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint8_t what, struct times at);
/* Returns the overhead on the way to completion `number`, which costs `cost`; before: the event before it. */
uint64_t note_completion(struct track *k, uint64_t number, uint64_t cost, struct times before);
/* Ends the innermost open call. */
void leave_call(struct track *k, struct times at);
/* To be called before the first event behind completions that were waited for together. */
void release(const struct conf *conf, struct track *k);

/* Is all time that passes overhead? */
static inline int is_taken_out(const struct track *k)
{
    return k->off || k->overhead > 0;
}

/* What an event costs with its attributes and values; 1/COST_UNIT ticks. */
static inline uint64_t cost_of(const struct state *st, const struct track *k, const tcf_slice *s, uint32_t i,
                               uint8_t what)
{
    if (k->is_device)
        return 0;
    uint64_t cost = st->cost[s->kind[i]], values = 0, attributes = 0;
    if (what & IS_METRIC && __builtin_mul_overflow(st->metric_value, s->rec[i].metric.number_of_metrics, &values))
        values = MOST_COST;
    if (st->attribute > 0 && s->attr[i] &&
        __builtin_mul_overflow(st->attribute, tcf_attributes_of(s, i)->n, &attributes))
        attributes = MOST_COST;
    return cost + min_u64(values, MOST_COST) + min_u64(attributes, MOST_COST);
}

/* O of the next event of a location, whose cost is `cost` / COST_UNIT ticks: whole ticks, so that those of all its
 * events together are the sum of their costs, rounded down. To be called once for each event that costs something. */
static inline uint64_t whole_ticks(struct account *x, uint64_t cost)
{
    const uint64_t sum = x->part + cost;
    x->part = sum % COST_UNIT;
    return sum / COST_UNIT;
}

/* ------------------------------------------------------------------------------------------------------- edges.c -- */

/* Event i with the edges [from, to). */
tcf_status meet(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t from, uint32_t to, uint64_t first);

/* ------------------------------------------------------------------------------------------------------ follow.c -- */

/* The time of an event of a location that follows, measured at m. */
uint64_t follow(tcf_self *self, struct track *k, uint32_t location, uint64_t m);
/* Events [i, to) of a location that follows, all without edges; `first` is the number of event 0 of the slice. */
tcf_status follow_all(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first);
/* Notes an event of a location that follows. */
void note_operation(struct track *k, uint8_t kind);

/* ------------------------------------------------------------------------------------------------------- model.c -- */

/* A message, or an edge handled like one: measured times, and approximated times as far as they are known. */
struct transfer {
    struct times send, enter; /* enter: of the call that receives */
    uint64_t exit_m;          /* of the call that sends */
    int exit_known;           /* 0: send and receive certainly overlap */
    uint64_t recv_m, size;
    uint64_t path;    /* overhead on the way from send to recv */
    uint64_t longest; /* that the message takes to where the receiver can have it */
    int posted; /* the receive was posted before: that its call took long may be waiting for the sender's next call */
    int passed_on; /* by members on the way from the root: that its call took long may be waiting for one of them */
};

uint64_t copy_time(const struct state *st, uint64_t size);

/* When a dependent event comes; and when it would have come had nothing else been waited for. */
struct outcome {
    uint64_t a, alone;
};

/* When an event comes that waits for something sent and for its own process, and was `done` with both. The time from
 * the arrival to `done` is at least `copy`, the way took at least `copy` and at most `longest`. */
struct outcome approximate_arrival(const struct conf *conf, struct times send, struct times enter, uint64_t done,
                                   uint64_t copy, uint64_t longest);
/* When a send ends that waits for its receive to be posted; own: from when on the sender could have gone on. The two
 * meet at most `before` in front of the post, and `behind` behind it. */
struct outcome approximate_send(const struct conf *conf, struct times post, struct times own, uint64_t done,
                                uint64_t before, uint64_t behind);
/* eq. 2 to 11. several: the messages that the call waits for; NULL: it waits for one. */
struct outcome approximate_receive(const struct state *st, const struct conf *conf, const struct transfer *t,
                                   struct group *several, struct decisions *d);
/* When a call goes on that has waited for several messages. */
uint64_t approximate_release(const struct conf *conf, const struct group *g);
/* eq. 12 and 13. latest: the latest begin; own: the process' own one; exit_m: its own exit, or the earliest of all. */
struct outcome approximate_exit(struct times latest, const struct times *own, uint64_t exit_m, uint64_t path,
                                struct decisions *d);

/* ---------------------------------------------------------------------------------------------------- settings.c -- */

tcf_status settings_parse(tcf_self *self); /* for init() */
/* In init(): has the framework tell which receives the sends wait for. */
tcf_status settings_of_sends(tcf_self *self);
tcf_status settings_to_ticks(tcf_self *self); /* for begin() */
/* Marks the archive as one whose overhead was removed, where events cost anything. Fails if it is one already. */
tcf_status mark_archive(tcf_self *self);
/* Does so again at the end, where a stream may have said what its archive was marked with. */
tcf_status keep_mark(tcf_self *self);

/* ------------------------------------------------------------------------------------------------------ report.c -- */

tcf_status report(tcf_self *self);

/* ------------------------------------------------------------------------------------------------------- helpers -- */

/* a - b, at least 0. */
static inline uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* a + b, at most what 64 bits hold. */
static inline uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* eq. 1: how much of the time that passed before an event of this cost remains. */
static inline uint64_t keep(struct account *x, uint64_t passed, uint64_t cost, uint64_t carry)
{
    const uint64_t due = cost + x->owed, over = less(due, passed);
    x->owed = over;
    x->clamped += over > 0;
    if (__builtin_expect(over > carry, 0)) {
        x->lost += over - carry;
        x->owed = carry;
    }
    return less(passed, due);
}

#endif
