/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Runs the solver's parts one after another. */
#include "problem.h"

#include <stdlib.h>

void solution_free(struct solution *s)
{
    free(s->unit);
    free(s->knot);
    *s = (struct solution){0};
}

int estimate_clocks(struct bounds *b, const struct settings *settings, struct solution *result)
{
    struct problem p;
    double *bar = NULL;
    int status = -1;
    *result = (struct solution){0};
    if (b->starved || b->n_units == 0)
        return b->starved ? -1 : 0;
    if (problem_init(&p, b, settings) == 0 && problem_solve(&p) == 0 && likely_compute(&p) == 0) {
        bar = calloc((size_t)b->n_units * (p.grid.gaps + 1) + 1, sizeof *bar);
        if (bar && bars_compute(&p, bar) == 0)
            status = choose_results(&p, bar, result);
    }
    free(bar);
    problem_free(&p);
    if (status != 0)
        solution_free(result);
    return status;
}
