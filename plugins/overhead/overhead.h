/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `overhead`: overhead.c is the filter, events.c has the events between edges, edges.c those
 * with edges, follow.c streams of accelerators, model.c the equations of dependent events, settings.c turns parameters
 * into ticks, report.c tells what was removed. README.md says what is computed and why. */
#ifndef TCFLOW_OVERHEAD_H
#define TCFLOW_OVERHEAD_H

#include "../shared/numbers/min_max.h"

#include <tcflow/filter.h>

enum mode { MODE_LOWER, MODE_UPPER, MODE_MEAN };
enum synchronised { EXIT_EACH, EXIT_COMMON }; /* eq. 13, eq. 12 */

struct conf {
    tcf_duration event, attribute, metric_value, carry;
    tcf_list kinds, copy;
    const char *copy_file;
    int mode, paper, synchronised, off;
};

/* Time that it takes to copy a message, by size. */
struct copy_cost {
    uint64_t size, ticks;
    tcf_duration duration;
};
enum { MAX_COPY_COSTS = 1024 };

/* How the dependent events were decided. */
struct decisions {
    uint64_t m1, m2, a1, a2;
    uint64_t reversed; /* targets that came before their source as measured */
};

/* Measured and approximated time of one event. */
struct times {
    uint64_t m, a;
};

/* A call that has been entered, and the longest wait in it. */
struct frame {
    struct times enter, wait; /* wait: only inside of communication */
    uint32_t communication;   /* regions of communication that it lies in with itself, 0: it is none */
    uint8_t several;          /* completes several requests at once */
};

/* Overhead by eq. 1. */
struct account {
    uint64_t owed; /* that for which there was no time up to here, at most `carry` */
    uint64_t lost, clamped;
};

struct track {
    struct times last; /* the event before; m: or up to where time has been taken out, if that is later */
    struct account account;
    struct frame *frame;
    uint32_t depth, capacity;
    uint32_t edge;          /* first edge of the slice that has not been seen */
    uint32_t communication; /* open regions of communication */
    uint8_t started, off, is_waiting, is_device, ended;
    uint64_t run, run_end; /* overhead of the completions in a row, and the number of the event behind them */
    uint64_t targets;      /* seen so far */
    struct times sent;     /* with is_waiting: the latest sends that the completions in a row waited for, */
    uint64_t released_m;   /* and when all were complete */

    uint8_t has_previous;  /* of a location that others follow: at the begin of its last span, */
    struct times previous; /* that is before its last event where it matters, what is now `last`, */
    uint64_t previous_m;   /* and the measured time of that event */
    uint32_t running;      /* of a device: operations that have begun */
    uint64_t shortened, lengthened, late;

    uint64_t events, removed, taken_out, held, unbound;
    struct times begin, communicated, waited;
    uint64_t end_m;
    struct decisions decisions;
};

/* What an event is, beside the overhead that it costs. ANY: no kind is that. */
enum { IS_ENTER = 1, IS_LEAVE = 2, IS_COMPLETION = 4, IS_METRIC = 8, IS_FLUSH = 16, IS_ON_OFF = 32, ANY = 128 };

enum { MOST_CALLS = 65536 }; /* that are open on a location */

/* What a region is. */
enum { REGION_COMMUNICATES = 1, REGION_COMPLETES_SEVERAL = 2 };

/* What a member of a collective leaves at its begin for its end. */
struct member {
    struct times begin;
    uint64_t targets; /* 1 + the location's count; 0: there was no begin */
    uint64_t is_source;
};

struct state {
    uint64_t cost[256]; /* ticks, by kind */
    uint8_t what[256];  /* by kind: IS_* */
    uint64_t attribute, metric_value, carry;
    struct copy_cost *copy; /* by size */
    uint32_t n_copy;
    uint8_t *region; /* by region: REGION_* */
    uint8_t *leads;  /* by location: others follow it */
    uint64_t too_deep;
};

/* ------------------------------------------------------------------------------------------------------ events.c -- */

/* Events [i, to), none of them an edge; `first` is the number of event 0 of the slice. */
tcf_status independent(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first);
/* What an event means for those behind it; `last` is its own by now, `at` are its times. */
tcf_status note(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint8_t what, struct times at);
/* The same of the first event of a location: a completion counts, too. */
tcf_status unusual(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint8_t what, struct times at,
                   uint64_t cost, uint64_t number);
/* Overhead on the way to completion `number`, which costs `cost`. */
uint64_t note_completion(struct track *k, uint64_t number, uint64_t cost);
/* The innermost open call ends. */
void leave_call(struct track *k, struct times at);
/* Before the first event behind completions that have been waited for together. */
void release(struct track *k);

static inline uint64_t cost_of(const struct state *st, const struct track *k, const tcf_slice *s, uint32_t i,
                               uint8_t what)
{
    if (k->is_device)
        return 0;
    uint64_t cost = st->cost[s->kind[i]];
    if (what & IS_METRIC)
        cost += st->metric_value * s->rec[i].metric.number_of_metrics;
    if (st->attribute > 0 && s->attr[i])
        cost += st->attribute * tcf_attributes_of(s, i)->n;
    return cost;
}

/* ------------------------------------------------------------------------------------------------------- edges.c -- */

/* Event i, which has the edges [from, to) of the list. */
tcf_status meet(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t from, uint32_t to, uint64_t first);

/* ------------------------------------------------------------------------------------------------------ follow.c -- */

/* The time of an event of a device, or of the first one of a thread, that was measured at m. */
uint64_t follow(tcf_self *self, struct track *k, uint32_t location, uint64_t m);
/* Events [i, to) of a device, none of them an edge; `first` is the number of event 0 of the slice. */
tcf_status follow_all(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first);
/* An event of a device has passed. */
void note_operation(struct track *k, uint8_t kind);

/* ------------------------------------------------------------------------------------------------------- model.c -- */

/* A message, or what is like one: measured times, and approximated ones as far as they are known. */
struct transfer {
    struct times send, enter; /* enter: of the call that receives */
    uint64_t exit_m;          /* of the call that sends */
    int exit_known;           /* else it overlaps with the receive for certain */
    uint64_t recv_m, size;
    uint64_t path; /* overhead on the way from send to recv */
    int together;  /* others may have been waited for in the same call: Comm is a bound, overlap or not */
};

/* m.1 */
static inline int overlap(const struct transfer *t)
{
    return !t->exit_known || t->enter.m <= t->exit_m;
}

uint64_t copy_time(const struct state *st, uint64_t size);

/* When a dependent event comes, and when it had come if nothing else had been waited for. */
struct outcome {
    uint64_t a, alone;
};

/* eq. 2 to 11. */
struct outcome approximate_receive(const struct state *st, const struct conf *conf, const struct transfer *t,
                                   struct decisions *d);
/* eq. 12 and 13: latest is the latest begin, own the process' own one; exit_m its own exit, or the earliest of all. */
struct outcome approximate_exit(struct times latest, const struct times *own, uint64_t exit_m, uint64_t path,
                                struct decisions *d);

/* ---------------------------------------------------------------------------------------------------- settings.c -- */

tcf_status settings_parse(tcf_self *self);    /* in init() */
tcf_status settings_to_ticks(tcf_self *self); /* in begin() */

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

/* eq. 1: what is left of the time that passed before an event that costs `cost`. */
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
