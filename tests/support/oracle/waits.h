/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The oracle's side of wait states. What is computed is defined in plugins/wait_states/README.md. */
#ifndef TCFLOW_TESTS_ORACLE_WAITS_H
#define TCFLOW_TESTS_ORACLE_WAITS_H

#include "oracle.h"

/* Somebody in a call, or O_NONE as call: outside of any. */
struct o_spot {
    size_t location, call;
    uint64_t time;
};

struct o_wait {
    const char *pattern;
    size_t location, call; /* who waited */
    bool is_idle;          /* no call of its own: `cause` is the fork that it waited for */
    uint64_t from, length;
    struct o_spot cause; /* location O_NONE: nobody in particular */
    bool reversed;
    uint64_t send;  /* late sender: of its message */
    uint64_t bytes; /* of the message; what the operation gave to the one that waited */
};

/* What a call gets of another one: a message, or what a member gets in an operation from the one that entered last. */
struct o_receipt {
    size_t location, call;
    struct o_spot from;
    uint64_t bytes;
};

/* A call: a frame of D18. */
struct o_call {
    uint64_t region, enter, leave;
    int64_t inner;
    size_t parent, first, last; /* events */
    bool bare;                  /* of an event directly in its parent */
};

/* A location in a barrier or another operation that all members go through together. */
struct o_meeting {
    size_t operation, location, call;
    uint64_t from, end;
};

struct o_waits {
    const struct o_matching *m;
    struct o_list *calls; /* by location: struct o_call, in the order of their enters */
    size_t **call_at;     /* [location][event]: the call that it is in; the one that it enters or leaves. O_NONE */
    size_t *
        *of_event; /* the same, where an event in no call of MPI has a call of its own: behind all others in `calls` */
    size_t *n_calls;                  /* by location: how many are recorded */
    struct o_list found;              /* struct o_wait */
    struct o_list receipts;           /* struct o_receipt */
    struct o_list meetings;           /* struct o_meeting */
    size_t operations;                /* that are meetings */
    uint64_t targets[3], reversed[3]; /* messages, collectives, threads */
};

void o_waits(struct o_waits *w, const struct o_matching *matching);
void o_waits_free(struct o_waits *w);
void o_print_waits(const struct o_waits *w);

/* waits.c, for the others */
const struct o_call *o_call(const struct o_waits *w, size_t location, size_t call); /* NULL: none */
struct o_spot o_spot(const struct o_waits *w, size_t location,
                     size_t event);                            /* time: when its call was entered, or its own */
void o_add_wait(struct o_waits *w, const struct o_wait *wait); /* with a length only */
void o_add_meeting(struct o_waits *w, size_t location, size_t call, uint64_t from,
                   uint64_t end); /* of operation number w->operations */
bool o_call_is(const struct o_waits *w, size_t location, size_t call,
               const char *prefix);                                       /* by the name of its region */
bool o_only_tests(const struct o_waits *w, size_t location, size_t call); /* it doesn't wait */
uint64_t o_event_time(const struct o_waits *w, size_t location, size_t event);

/* The call that is open behind an event. */
size_t o_open_after(const struct o_waits *w, size_t location, size_t e);
/* A region of MPI, or of another library by which processes communicate. */
bool o_communicates(const struct o_waits *w, uint64_t region);
/* The last call directly inside of `around` that communicates and was left by event e; O_NONE: computation follows
 * none. */
size_t o_followed(const struct o_waits *w, size_t location, size_t around, size_t e);
/* Is the time from event e to the next one that of an event of communication directly in the call? */
bool o_is_bare(const struct o_waits *w, size_t location, size_t call, size_t e);

bool o_same_instance(const struct o_member *a, const struct o_member *b);
size_t o_members_of(const struct o_canon *canon);
/* The calls of MPI_Init, or MPI_Finalize, by rank of MPI_COMM_WORLD: a list of struct o_spot, to be freed.
 * False: not all have one. */
bool o_program_calls(const struct o_waits *w, bool finalize, struct o_list *calls);

/* critical.c: the critical path, see plugins/critical_path/README.md */
void o_print_critical_path(const struct o_waits *w, bool scans, uint64_t time_bins);

/* ppg.c: the program performance graph, see plugins/ppg/README.md */
void o_print_ppg(const struct o_waits *w);

/* lateness.c: logical steps, see plugins/lateness/README.md */
void o_print_lateness(const struct o_waits *w);

/* One for each kind. */
void o_find_message_waits(struct o_waits *w);
void o_find_collective_waits(struct o_waits *w);
void o_find_thread_waits(struct o_waits *w);
void o_find_window_waits(struct o_waits *w);

#endif
