/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The oracle's side of overhead compensation. What is computed is defined in plugins/overhead/README.md. */
#ifndef TCFLOW_TESTS_ORACLE_OVERHEAD_H
#define TCFLOW_TESTS_ORACLE_OVERHEAD_H

#include "clocks.h"

struct o_copy {
    uint64_t size, ticks;
};

struct o_overhead_options {
    struct o_cost {
        uint64_t ticks, millionths; /* of a tick */
    } event, attribute, metric_value, kind[O_KINDS];
    uint64_t carry, handover, handshake; /* ticks */
    bool has_kind[O_KINDS];
    struct o_list copy; /* struct o_copy, by size */
    enum { O_LOWER, O_UPPER, O_MEAN, O_LIKELY } mode;
    bool paper, common, keep_off;
    bool sends_wait;
    uint64_t rendezvous; /* bytes; UINT64_MAX: synchronous sends alone */
};

struct o_compensation {
    uint64_t **approximated, **stop;
    uint64_t m1, m2, a1, a2;
};

/* 0: not one of these options, 1: one without value, 2: with a value, -1: a bad value */
int o_overhead_option(struct o_overhead_options *options, const char *option, const char *value);
/* false after a message: the edges form a cycle. */
bool o_compensate(const struct o_matching *matching, const struct o_overhead_options *options,
                  struct o_compensation *result);
void o_compensation_free(const struct o_trace *trace, struct o_compensation *result);

#endif
