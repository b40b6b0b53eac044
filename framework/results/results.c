/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See results.h. */
#include "results.h"
#include "report_tables.h"

const char *results_place(const results_part *part)
{
    return !part->filter ? "framework" : part->survey ? "survey" : "chain";
}

size_t results_count_tables(const results *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        for (const tcf_table *t = r->parts[i].report->first; t; t = t->next)
            n++;
    return n;
}
