/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the page of tcflow-scaling. All of it stands in the page as text and figures, without a script. */
#ifndef TCFLOW_SCALING_PAGE_PARTS_H
#define TCFLOW_SCALING_PAGE_PARTS_H

#include "scaling.h"
#include "tools/shared/page.h"

/* What is written to text.out becomes text of the page by put_phrase(). */
struct phrase {
    FILE *out;
    char *text;
    size_t size;
};
FILE *begin_phrase(struct phrase *p);
void put_phrase(FILE *out, struct phrase *p);
/* The region with its place. */
void put_vertex_name(FILE *out, const struct vertex *v);

/* curves.c: costs or times of a process in a vertex over the sizes, as a figure and as a table. */
struct curve {
    uint32_t vertex;
    const struct power_law *fit;
    bool combined; /* times, waits included; else costs */
};
void put_curve(FILE *out, const struct study *s, const struct curve *c);

/* graph.c: vertices and processes of the largest run with the paths of the causes, as a figure and as a table. */
void put_graph(FILE *out, const struct study *s);

/* source.c: the lines of the causes. */
struct source;
struct source *find_sources(const struct study *s); /* NULL: without --source */
void put_source(FILE *out, const struct study *s, const struct source *found, uint32_t cause);

#endif
