/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What tests over thousands of random traces in one process share: a scratch folder, results as TAP, traces of many
 * kinds, and what the oracle says of them and of what was written. SEEDS traces a kind, from FIRST (default 1) on. */
#ifndef TCFLOW_TESTS_CLC_TRIALS_H
#define TCFLOW_TESTS_CLC_TRIALS_H

#include "framework/pipeline/session.h"
#include "tests/support/generate/random_trace.h"
#include "tests/support/oracle/clocks.h"

/* Parameters of the controlled logical clock for both sides, in ticks. */
struct set {
    uint64_t mu, delta, decay; /* decay: gamma = auto; 0: gamma is the number */
    const char *gamma, *slope;
    uint64_t max_interval, max_events; /* max_events: 0: as by default, which is more than these traces have */
    int salvage;
    int learned; /* mu = auto, with a survey */
};

/* A trace, what the oracle matched in it, and what is being tried. */
struct trial {
    char name[384];
    uint64_t seed;
    char anchor[600];
    struct o_trace *trace;
    struct o_matching *m;
    struct set set;
    uint64_t lookahead; /* 0: as by default */
};

/* What a run wrote, and whether it was whole: nothing was given up. */
struct outcome {
    struct o_trace *written; /* NULL: it failed */
    int complete;
    uint64_t truncated; /* jumps and sources that memory was too short for, by the report of clc_backward */
};

enum {
    MESSAGES = RT_P2P | RT_SENDRECV | RT_NONBLOCKING | RT_CANCEL | RT_ANY_SOURCE,
    COLLECTIVES = RT_COLLECTIVES | RT_V_COLLECTIVES | RT_NB_COLLECTIVES | RT_SUBCOMMS | RT_DUP | RT_SELF | RT_INTERCOMM,
    SINGLE = MESSAGES | COLLECTIVES,
    THREADS = RT_OPENMP | RT_LOCKS | RT_PTHREADS,
    COMMUNICATING = RT_P2P | RT_NONBLOCKING | RT_ANY_SOURCE | RT_MPI_THREADS, /* threads */
    RARE = RT_FLUSHES | RT_WINDOW_COLLECTIVES | RT_OLD_OPENMP | RT_NESTED | RT_MPI_INSIDE | RT_NONSENSE,
};

enum {
    REMATCHED = 1, /* a correction may change its matching */
    DAMAGED = 2,   /* files of events are cut off or missing */
    ANYTHING = 4,  /* all is drawn */
    THREADED = 8,  /* and threads communicate */
    WRONG_CLOCKS = 16,
    SHUFFLED = 32,
    UNUSUAL = 64,     /* what few traces have, too; any events may be missing, not only messages */
    ANY_THREAD = 128, /* any threads communicate, in teams of all sizes; clocks are measured here and there */
    MISLEADING = 256, /* messages may be matched wrongly though the clocks are right */
    PERSISTENT = 512, /* persistent requests, too */
    SELDOM =
        1024 /* locks of windows, ids of communicators used again, collectives without data, calling contexts, too */
};

/* What is 0 of the options is as by default. */
struct kind {
    const char *name;
    int how;
    struct random_trace_options options;
};

/* For made(). */
extern const struct kind trial_kinds[];
extern const size_t n_trial_kinds;

/* A trace that something was found with. */
struct kept {
    const char *kind;
    uint64_t seed;
};

typedef void trial_check(const struct kind *kind, uint64_t seed);

/* What the command line would set. */
enum { MOST_OPTIONS = 40, OPTION = 2000 };

struct options {
    char text[MOST_OPTIONS][OPTION];
    size_t n;
};

/* Makes the scratch folder, in TMPDIR, else in memory where there is a file system for that; 0: it can't. */
int trials_begin(void);
/* The exit status. */
int trials_end(void);
uint64_t first_seed(void);
uint64_t last_seed(uint64_t seeds); /* `seeds`: unless SEEDS says otherwise */
/* So many seeds of each kind, of that in KIND alone where it is set; a result each. */
void check_each_kind(const struct kind *kinds, size_t n, uint64_t seeds, trial_check *check);
void check_each_kept(const struct kind *kinds, size_t n, const struct kept *kept, size_t n_kept, trial_check *check);

/* A path in the scratch folder; good for the next few calls. */
const char *in_work(const char *name);
void remove_all(const char *path);
void wrong(const struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One test's line: failed when something was wrong since the one before. */
void result(const char *format, ...) __attribute__((format(printf, 1, 2)));

void say(struct options *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Of a file, or NULL, and these. NULL: they are wrong; the run that takes them says why. */
settings *settings_said(const char *file, const struct options *o);

/* `trusting`: with the edges of channels that are not to be trusted. */
int load(struct trial *t, const char *anchor, int trusting);
void unload(struct trial *t);
/* Runs a pipeline whose otf2_write writes in OUT, and reads that; `jumps`: the report of clc_backward, or NULL. Takes
 * the settings. */
struct outcome run_pipeline(const struct trial *t, const char *what, settings *s, const char *out, const char *jumps);
/* One that writes no archive. Returns whether it ran; takes the settings. */
int run_alone(const struct trial *t, const char *what, settings *s);
/* The delays of a report of mu_estimate as CSV, all of them or what holds whatever the clocks are (`sure`); 0: it is
 * not there, or says something else. */
int read_learned(const char *report, int sure, struct o_delays *delays);
/* Of all classes but puts and gets, which are kept by their location's order. */
uint64_t count_violated(const struct o_matching *m, uint64_t *const *times, const struct o_delays *delays);
size_t same_location(const struct o_trace *a, size_t l, const struct o_trace *b);
/* The same events in their location's order, whatever their times. */
void expect_same_events(const struct trial *t, const char *what, const struct o_trace *before,
                        const struct o_trace *after);
/* And none earlier, or, when nothing may move, none at another time. */
void expect_order(const struct trial *t, const char *what, const struct o_trace *before, const struct o_trace *after,
                  int unmoved);

/* The next of the numbers that a seed draws, independent from seed to seed. */
uint64_t draw(uint64_t *state);
#define DRAWN(type, state, ...)                                                                                        \
    ((const type[]){__VA_ARGS__})[draw(state) % (sizeof((const type[]){__VA_ARGS__}) / sizeof(type))]
/* Draws a program that may have anything but threads that communicate; clocks, their resolution and where they begin,
 * losses, and how the archive is written. All but seed, events and directory are set. */
void draw_options(struct random_trace_options *options, uint64_t seed, int wrong_clocks);
/* Draws what few traces have in addition, and, where clocks may be wrong, any events that are missing. */
void draw_unusual(struct random_trace_options *options, uint64_t seed, int wrong_clocks);
/* Draws which threads communicate and come to teams, and whose clocks are measured. */
void draw_threads(struct random_trace_options *options, uint64_t seed);
/* Those of a kind with so many ranks, where they are not drawn; all but seed, events and directory are set. */
void options_of(const struct kind *k, uint64_t seed, uint64_t ranks, int wrong_clocks,
                struct random_trace_options *options);
/* Makes a trace in a folder of the scratch folder; returns its anchor, NULL: it was not made. */
const char *write_trace(const struct trial *t, struct random_trace_options *options, const char *folder);
/* Makes a trace of a kind; returns its anchor, NULL: it was not made. */
const char *made(const struct trial *t, const struct kind *k, uint64_t events, int how);
/* Runs tcflow-synth with options; `truth`: a folder for the trace with true times, or NULL. Returns whether it ran. */
int simulate(const struct trial *t, const char *options, const char *truth, const char *recorded);
/* Cuts off the file of one location, and takes away that of another, of every third trace of a third one. */
void damage(const struct trial *t, const char *anchor);

#endif
