/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of tcflow-scaling. main.c and options.c: the command line; traces.c: databases of traces; load.c: the
 * databases, one after another, and whether they fit together; losses.c: the costs of vertices by size, fits, losses;
 * causes.c: which losses are causes, of what kind, on which processes; paths.c: the way back from a symptom to its
 * cause; text.c and json.c: the forms of the results; page.c, curves.c, graph.c and source.c: the page. See
 * doc/scaling.md for the method.
 *
 * A vertex is a call path of the program, the same one in all runs. A cell is a vertex of a process. Times are doubles
 * in seconds. */
#ifndef TCFLOW_SCALING_H
#define TCFLOW_SCALING_H

#include "tools/shared/database.h"
#include "tools/shared/power_law.h"
#include "tools/shared/program.h"

#include <tcflow/map.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_LOSS = EXIT_USAGE + 1 };
#define NONE UINT32_MAX

/* ------------------------------------------------------------------------------------------------------- options -- */

enum form { TEXT, JSON };
enum law { STRONG, WEAK, AUTO };
enum aggregate { MEAN, MEDIAN, MAXIMUM, PROCESS, CLUSTERS };
enum { MOST_PREDICTED = 16 };

struct options {
    char **argument; /* files; those of main() */
    uint32_t n_arguments;
    enum law law;
    enum aggregate aggregate;
    uint64_t process; /* the rank of PROCESS */
    double least;     /* percent of the processes' time at the largest size */
    double abnormal;  /* AbnormThd of ScalAna: times the median over processes */
    uint32_t predict[MOST_PREDICTED], n_predict;
    uint64_t top;      /* rows of a list in text; 0: all */
    double fail_above; /* percent; NaN: no verdict */
    enum form form;
    const char *html;   /* NULL: no page; "-": it alone, to standard output */
    const char *config; /* the pipeline that makes databases of traces; NULL: the preset scaling */
    const char *keep;   /* the folder for these databases; NULL: a temporary one */
    const char *source; /* the folder of the program's source; NULL: none */
    bool overwrite;
    struct names instances;
};

void parse_options(struct options *o, int argc, char **argv);

/* ---------------------------------------------------------------------------------------------------------- data -- */

struct vertex {
    char *call_path, *region, *kind, *file;
    uint32_t line;   /* 0: none */
    uint32_t parent; /* NONE: none */
    bool computation, communication;
    bool apart; /* MPI_Init, MPI_Finalize and what they call */
};

/* Of a vertex in a run or at a size. Sums over processes unless it says otherwise. */
struct sums {
    double own;      /* time without waits */
    double waiting;  /* waits in this vertex */
    double delay;    /* waits of all processes which it caused */
    double excess;   /* what all threads lack to the process with the largest own time */
    double visits;   /* calls */
    double combined; /* time of one process, waits included, as --aggregate says */
};

struct run {
    const char *path;   /* of the database, or of the trace that it is made of */
    char *file;         /* the database */
    struct database db; /* open until it is loaded */
    uint32_t processes;
    struct sums *of; /* by vertex; n_vertices of them */
    uint32_t n_vertices;
    double unknown; /* waits that no vertex caused */
    double time;    /* of all processes in all vertices */
};

/* Runs with the same number of processes: study.run[first ...]. */
struct size {
    uint32_t processes, first, n;
    struct sums *of;       /* medians of the runs */
    double total, unknown; /* total: costs of all vertices but those apart, and unknown */
    double apart;          /* costs of the vertices apart */
    double growth;         /* how many times more work than at the smallest size */
    double efficiency;
};

struct wait_edge {
    uint32_t vertex, process; /* for whom; vertex NONE: nobody */
    double waiting;
};

struct order_row {
    uint32_t parent, vertex, next; /* vertex NONE: next is the first child; next NONE: vertex is the last one */
    double count;
};

/* The largest run: its cells by vertex * n_processes + process. */
struct graph {
    uint32_t n_processes;
    uint32_t n_vertices;
    uint32_t n_processors; /* threads of all processes */
    uint64_t *rank;        /* by process */
    double *own, *waiting, *delay;
    struct wait_edge *edge; /* for whom a cell waited most */
    struct order_row *order;
    uint32_t n_order, order_capacity;
};

struct loss {
    uint32_t vertex;
    struct power_law fit; /* of the costs of a process, over processes */
    double cost;          /* at the largest size */
    double loss;          /* cost beyond the ideal one; negative: a gain */
    double own, delay;    /* parts of the loss */
    double natural;       /* how much of it grows with the number of processes in any program */
    double explains;      /* its share of what is lost in all, s */
    bool within_noise;
};

enum reason { IS_CAUSE, IS_SMALL, IS_APART, IS_NOISE, IS_NATURAL, IS_STEADY, N_REASONS };

struct hop {
    uint32_t vertex, process;
    uint32_t waits_for; /* process; NONE: it waits for nobody */
    double waiting;
};

struct cause {
    uint32_t vertex; /* what it is named by: `fitted`, or the function of that, where it has less than half */
    uint32_t fitted; /* the vertex with most of it; that of `fit` */
    const char *kind;
    uint32_t *process; /* sorted by rank */
    uint32_t n_processes;
    double explains, share;
    double ratio; /* largest time of a process / median; NaN: the median is 0 */
    struct power_law fit;
    struct hop *path;
    uint32_t n_hops;
    bool agrees; /* the path ends at the cause */
};

/* Does nobody wait for the cause, so that its path is the cause alone? */
static inline bool is_own_path(const struct cause *c)
{
    return c->agrees && c->n_hops == 1 && c->path[0].waits_for == NONE;
}

struct non_scalable {
    uint32_t vertex;
    struct power_law fit; /* of study.combined */
    double share;         /* of the processes' time at the largest size */
    double loss;          /* s of all processes */
};

struct abnormal {
    uint32_t vertex;
    uint32_t *process;
    uint32_t n_processes;
    double ratio, share; /* share: of the processes' time, beyond the median */
};

struct ruled_out {
    uint32_t vertex;
    enum reason reason;
    double share; /* loss or, apart, cost in the processes' time */
};

struct study {
    const struct options *options;
    struct vertex *vertex;
    uint32_t n_vertices, vertex_capacity;
    tcf_map vertex_of; /* hash of the call path, and how many vertices of this hash came before */
    struct run *run;   /* by size */
    uint32_t n_runs;
    struct size *size;
    uint32_t n_sizes;
    struct graph graph;
    bool weak;
    double exponent;    /* by which `auto` has decided; NaN: it had not to */
    struct loss *loss;  /* by vertex, and of what is unknown */
    double lost;        /* s beyond the ideal at the largest size */
    uint32_t *group_of; /* by vertex: the one that has most of the same cause */
    struct cause *cause;
    uint32_t n_causes;
    struct non_scalable *non_scalable;
    uint32_t n_non_scalable;
    struct abnormal *abnormal;
    uint32_t n_abnormal;
    struct ruled_out *ruled_out;
    uint32_t n_ruled_out;
    char **note;
    uint32_t n_notes;
};

static inline struct size *smallest(const struct study *s)
{
    return &s->size[0];
}

static inline struct size *largest(const struct study *s)
{
    return &s->size[s->n_sizes - 1];
}

/* Percent --least of the processes' time at the largest size. */
static inline double least_loss(const struct study *s)
{
    return s->options->least / 100 * largest(s)->total;
}

/* The function that a computation node belongs to; any other vertex is one itself. */
static inline uint32_t function_of(const struct study *s, uint32_t vertex)
{
    const struct vertex *v = &s->vertex[vertex];
    return v->computation && v->parent != NONE ? v->parent : vertex;
}

static inline double cost_of(const struct sums *s)
{
    return s->own + s->delay;
}

void note(struct study *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -------------------------------------------------------------------------------------------------------- traces -- */

/* Makes a database of each run that is a trace. */
void make_databases(struct study *s);

/* ---------------------------------------------------------------------------------------------------------- load -- */

/* Reads all databases; keeps the sums of each, and the graph of the largest. */
void load_all(struct study *s);
/* The k-th smallest of n values, which get another order. */
double nth_value(double *values, uint32_t n, uint32_t k);
double median_of(double *values, uint32_t n);

/* -------------------------------------------------------------------------------------------------------- losses -- */

/* Zeros where a run does not have the vertex. */
const struct sums *sums_of(const struct run *r, uint32_t vertex);
void find_sizes(struct study *s);
void decide_law(struct study *s);
void find_losses(struct study *s);
void find_non_scalable(struct study *s);
/* The share of a vertex' costs at a size that nobody ran, with the bounds of nine in ten; NaN: unknown. */
struct predicted {
    double share, low, high;
};
struct predicted predict(const struct study *s, uint32_t vertex, uint32_t processes);

/* -------------------------------------------------------------------------------------------------------- causes -- */

void find_abnormal(struct study *s);
void find_causes(struct study *s);
/* Adds up a cause's own time and delays by process, at the largest size. */
void cause_times(const struct study *s, const struct cause *c, double *own, double *delay);

/* --------------------------------------------------------------------------------------------------------- paths -- */

void find_paths(struct study *s);

/* --------------------------------------------------------------------------------------------------------- forms -- */

extern const char *const reason_names[N_REASONS];

void write_text(const struct study *s, FILE *out);
void write_json(const struct study *s, FILE *out);
void write_page(const struct study *s, FILE *out);

/* Phrases of the text. */
void text_head(FILE *out, const struct study *s);
void text_region(FILE *out, const struct vertex *v);
void text_place(FILE *out, const struct vertex *v); /* " (FILE:LINE)", or nothing */
void text_ranks(FILE *out, const struct study *s, const uint32_t *process, uint32_t n);
void text_hop(FILE *out, const struct study *s, const struct hop *h);
void text_predictions(FILE *out, const struct study *s, uint32_t vertex);
void text_ruled_out(FILE *out, const struct study *s);

#endif
