/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What clock-bound.c (reading, observations) and clock-bound-smooth.c (the smoothers) share. Times in seconds. */
#ifndef TESTS_BENCH_CLOCK_BOUND_H
#define TESTS_BENCH_CLOCK_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How clocks leave their lines: tcflow-synth's models. */
struct process {
    double walk;            /* after one second */
    double jump_rate, jump; /* jumps a second, their standard deviation */
    double sine, period;
};

/* Events that are so close together that their clock is off by the same. */
struct step {
    double time, off; /* true time; how far the clock is from its line */
    size_t events;
    size_t begin, end; /* sightings, see below */
};

/* A message that was taken off at once: `excess` is its delay beyond the least one, `usual` what that is in the mean of
 * the messages from the same clock to the same other one. */
struct message {
    uint32_t from, to;
    size_t from_step, to_step;
    double excess, usual;
};

/* A message as one of its clocks sees it. */
struct sighting {
    double excess;
    bool received;
};

struct clock {
    struct step *step;
    size_t n_steps;
    struct sighting *sighting; /* in order of steps */
    size_t n_sightings;
};

struct net {
    struct process process;
    struct clock *clock;
    size_t n_clocks;
    struct message *message;
    size_t n_messages;
    double jitter; /* mean of the excess */
};

/* Root mean square over the events of `most` clocks (the first one left out, which is right) of the exact posterior
 * mean where all other clocks are known. */
double bound_alone(const struct net *net, size_t most);
/* The same of the best linear estimate of all clocks together; *tuned: what the smoothness was set to, where nothing in
 * the process says it and the best is taken. */
double bound_together(const struct net *net, double *tuned);

#endif
