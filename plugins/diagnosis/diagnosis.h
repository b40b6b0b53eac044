/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* diagnosis: what its parts share. facts.c takes out of other filters' tables what is to be judged, rules.c makes
 * findings of that, iterations.c looks for iterations that stand out, causes.c says who and what is behind them,
 * words.c makes sentences, diagnosis.c is the filter. */
#ifndef TCFLOW_DIAGNOSIS_H
#define TCFLOW_DIAGNOSIS_H

#include <private/results_host.h>
#include <tcflow/filter.h>
#include <tcflow/processes.h>

typedef struct conf {
    double least, start;
    int64_t top;
} conf;

/* --------------------------------------------------------------------------------------------------------- facts -- */

/* What processes, or threads, wait for. The rules for waits, in the order of `wait_rules`. */
enum waiting {
    W_LATE_SENDER,
    W_WRONG_ORDER, /* a part of late sender, taken out of it */
    W_LATE_RECEIVER,
    W_BARRIER,
    W_N_TO_N,
    W_LATE_BROADCAST,
    W_EARLY_REDUCE,
    W_SCAN,
    W_WINDOW,
    W_FINALIZE,
    W_THREAD_BARRIER,
    W_LOCK,
    W_IDLE_THREADS,
    WAITINGS
};

typedef struct waiting_rule {
    const char *rule, *title;
    const char *patterns; /* names of wait_states, separated by blanks */
    uint8_t of_threads;   /* its cost is a share of the time of all threads, else of that of all processes */
} waiting_rule;
extern const waiting_rule wait_rules[WAITINGS];
/* WAITINGS: of none. */
enum waiting waiting_of(const char *pattern);

/* Time of a kind of waits, or of what caused them, at a place. */
typedef struct place_sum {
    uint32_t what;     /* enum waiting */
    uint32_t location; /* index; TCF_NONE: unknown */
    const char *path;  /* call path */
    double seconds;
} place_sum;

typedef struct places {
    place_sum *at; /* largest first */
    uint32_t n, capacity;
} places;

typedef struct wait_fact {
    double seconds, count;
    double longest, begin; /* the longest single one, and when it began; NaN: unknown */
    const char *pattern;   /* the largest of its patterns, which is the evidence */
    double of_pattern;     /* seconds of that one */
} wait_fact;

/* A process, as `efficiency` has it. */
typedef struct load_fact {
    uint32_t process; /* index */
    double useful, idle;
} load_fact;

/* Iterations of the main loop, from `first` on: their run time, and shares from 0 to 1. */
typedef struct range_fact {
    uint64_t first, n;
    double run_time, parallel, load_balance, serialisation, transfer;
} range_fact;

/* Largest and mean useful time of processes in a bin of time, of which what lies in the program counts. */
typedef struct bin_fact {
    double from, width, most, mean;
    int64_t most_rank;
} bin_fact;

typedef struct facts {
    tcf_self *self;
    const tcf_results_host *results;
    tcf_processes processes;
    double *scratch; /* as many as there are processes, bins or ranges */

    /* efficiency: shares from 0 to 1, of the program between MPI_Init and MPI_Finalize */
    int has_efficiency;
    double parallel, load_balance, communication, serialisation, transfer;
    double run_time, whole_run_time, n; /* n: processes */
    double threads, threads_busy;       /* of the last process: how many, and shares of its useful time, 0 to 1 */
    load_fact *loads;
    uint32_t n_loads;
    bin_fact *bins;
    uint32_t n_bins;
    range_fact *ranges; /* in order, those that most processes have */
    uint32_t n_ranges;
    uint64_t iterations;                            /* of the main loop */
    double accelerator, other, idle, communicating; /* seconds of all processes */
    const char *accelerator_call;                   /* the one that takes most of that; NULL: unknown */
    double of_accelerator_call;
    uint64_t accelerator_region; /* its id */
    int messages_unknown;        /* the trace has none, though its program communicates */

    /* wait_states and root_cause */
    int has_waits;
    double met; /* receives, and members of collective operations: how often a process may wait for another one */
    double thread_time, process_time; /* of all threads, and of all processes in the program */
    wait_fact waits[WAITINGS];
    places waited, caused;

    /* message_histogram */
    double messages, message_bytes, received; /* sent; received: how many of them */

    /* profile: time in each region of MPI, without waits */
    places calls; /* path is the region, what is WAITINGS */

    double clock_error; /* s; 0: one clock; NaN: unknown */
} facts;

/* -1: out of memory; facts_free() in any case. */
int facts_take(facts *f, tcf_self *self);
void facts_free(facts *f);

/* ------------------------------------------------------------------------------------------------------ findings -- */

enum { SENTENCE_BYTES = 1024, KEY_BYTES = 256, MOST_FINDINGS = 32 };

typedef struct finding {
    const char *rule;
    double cost, share; /* s; 0 to 1 of all processes' (or threads') time */
    double begin, end;  /* s since the start of the trace; NaN: unknown */
    char sentence[SENTENCE_BYTES], uncertainty[SENTENCE_BYTES];
    char evidence_table[KEY_BYTES], evidence_key[KEY_BYTES], processes[KEY_BYTES];
} finding;

typedef struct findings {
    finding at[MOST_FINDINGS]; /* largest share first */
    uint32_t n;
} findings;

/* iterations.c. Appends a sentence where iterations stand out of the others. */
void say_iterations(const facts *f, char *to, size_t size);

/* Applies all rules. */
void rules_apply(const facts *f, findings *to);

/* -------------------------------------------------------------------------------------------------------- causes -- */

/* What a kind of waits (or all of them: WAITINGS) comes from. */
typedef struct cause {
    double total;       /* seconds with a known cause */
    uint32_t location;  /* which caused most; TCF_NONE: no cause is known */
    double of_location; /* its share, 0 to 1 */
    const char *path;   /* what caused most there */
    double of_path;     /* share of that path in all locations together */
    double seconds;     /* that this location caused with this path */
} cause;

cause cause_of(const facts *f, uint32_t what);
/* What a process causes most of all waits of processes with, outside of MPI; TCF_NONE: one of those with so much useful
 * time or more. path NULL: nothing. */
cause cause_in(const facts *f, uint32_t process, double useful);
/* Who waits most for this: location, path. */
cause waiter_of(const facts *f, uint32_t what);

/* --------------------------------------------------------------------------------------------------------- words -- */

enum { WORD_BYTES = 160 };

/* A duration with three digits and a unit. */
const char *words_time(double seconds, char to[WORD_BYTES]);
/* "14 %", "5.2 %" */
const char *words_share(double share, char to[WORD_BYTES]);
/* "8 bytes", "131 kB" */
/* The last two names of a call path, in `...`. */
const char *words_path(const char *path, char to[WORD_BYTES]);
/* The last name of a call path. */
const char *words_leaf(const char *path);
/* "rank 3", or the location's name. */
const char *words_who(const facts *f, uint32_t location, char to[WORD_BYTES]);
const char *words_process(const facts *f, uint32_t process, char to[WORD_BYTES]);

#endif
