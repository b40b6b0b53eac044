/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The passes of the controlled logical clock over a trace: by the filters, by the oracle, and what must hold of what
 * the filters have written. */
#ifndef TCFLOW_TESTS_CLC_PASSES_H
#define TCFLOW_TESTS_CLC_PASSES_H

#include "trials.h"

/* Runs a chain that ends in otf2_write, and reads what it wrote. Window: one or two of the pipeline's parameters. */
struct outcome write_with(const struct trial *t, const char *anchor, const char *out, const char *chain,
                          const char *window);

/* What the oracle makes of it: forward alone, or both passes. */
struct expected {
    uint64_t **recorded;
    struct o_clc clc;
};

void compute(const struct trial *t, int backward, struct expected *x);
void forget(const struct trial *t, struct expected *x);
/* Edges that these times violate, by the delays of the trial. */
uint64_t violated(const struct trial *t, const struct o_matching *m, uint64_t *const *times);

void check_forward(const struct trial *t, const char *window, const struct expected *x, const struct outcome *f);
/* Where the window covers the trace, or memory was never short, it is what the oracle expects. */
void check_backward(const struct trial *t, const char *window, const struct expected *x, const struct outcome *b,
                    int covers);

#endif
