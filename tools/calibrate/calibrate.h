/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of tcflow-calibrate: options.c reads the command line, record.c makes archives, rows.c reads the tables
 * of the filter distances, model.c computes overheads from distances, own.c from two runs of a program, copy.c
 * measures copying, write.c writes the section for the filter overhead, main.c calls them. See doc/tcflow-
 * calibrate.1. */
#ifndef TCFLOW_CALIBRATE_H
#define TCFLOW_CALIBRATE_H

#include "tools/shared/files.h"
#include "tools/shared/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NAME_BYTES = 256, MOST_SOURCES = 16, MOST_SIZES = 64, MOST_COSTS = 64, N_TIMES = 11, MOST_CELLS = 40 };

/* How an overhead is made of distances. */
enum estimate { BY_RESOLUTION, MEDIAN, MEAN };
/* Which of the measured times of copying go into the section. */
enum copy { COPY_NONE, COPY_WARM, COPY_COLD, COPY_MPI };

/* Where distances come from. */
struct source {
    const char *command; /* makes the archive; NULL: it exists */
    const char *archive; /* NULL: the one that the command leaves in its folder */
    bool from;           /* of any program: overheads are bounds */
};

struct options {
    struct source source[MOST_SOURCES];
    uint32_t n_sources;
    const char *region; /* of the empty calls; NULL: those with the most */
    uint64_t calls;     /* of the loop */
    enum estimate estimate;
    int percentile; /* of other than empty calls: 1, 5, 25 */
    enum copy copy;
    uint64_t smallest, largest; /* sizes, powers of two */
    const char *mpirun;
    const char *own;   /* trace of a run whose time without measurement is known, or NULL */
    double unmeasured; /* that time, seconds */
    const char *check; /* trace of another run, which the cost is tried on, or NULL */
    double check_unmeasured;
    const char
        *between;       /* of both: between the last two calls of this region; NULL: from its first to its last event */
    const char *output; /* NULL: standard output */
    int force;          /* yes or no */
    const char *tcflow; /* NULL: the one beside this program, or else in PATH */
    char command[1024]; /* line, for the comments */
};

/* A row of the filter distances; times in seconds. Owned by struct rows. */
struct row {
    char kind[40], after[40], region[NAME_BYTES];
    bool in_run;
    uint32_t attributes, values, source;
    uint64_t samples, interruptions;
    union {
        struct {
            double min, p1, p5, p25, median, p75, p95, p99, max, mean, typical;
        };
        double times[N_TIMES]; /* the same */
    };
};

/* What is known of the archive of a source. */
struct trace {
    char path[PATH_BYTES];
    uint64_t events, locations, left_out, resolution;
    double step; /* of the clock, seconds */
};

struct rows {
    struct row *row;
    uint32_t n, capacity;
    struct trace trace[MOST_SOURCES]; /* by source */
};

/* The overhead of a kind of event. */
struct cost {
    char kind[40];
    double seconds;
    const struct row *row; /* the row that the overhead is taken from, or the most telling one */
    char how[240];
};

struct model {
    struct cost cost[MOST_COSTS];
    uint32_t n_costs;
    double event, attribute, metric_value; /* seconds; negative: not known */
    char attribute_how[240], metric_how[240], run[800];
    char warning[16][400];
    uint32_t n_warnings;
};

/* To copy a message of a size, seconds. */
struct copy_time {
    double least, median;
};

struct copying {
    uint64_t size[MOST_SIZES];
    struct copy_time time[COPY_MPI + 1][MOST_SIZES]; /* by enum copy */
    uint32_t n;
    uint64_t cache; /* last level, bytes */
};

/* ----------------------------------------------------------------------------------------------------- options.c -- */

void parse_options(struct options *o, int argc, char **argv);

/* ------------------------------------------------------------------------------------------------------ record.c -- */

/* Runs the command of a source, if it has one, and writes the path of the anchor file (PATH_BYTES). */
void record(const struct options *o, const struct source *source, char *archive);
/* Builds and runs the ping-pong. Returns a stream of its output, for close_ping_pong(). */
FILE *open_ping_pong(const struct options *o);
void close_ping_pong(FILE *file);
/* Starts tcflow with a trace and further arguments. Returns a stream of its output, for pclose(). */
FILE *open_tcflow(const struct options *o, const char *trace, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes a path as one word of a shell (PATH_BYTES). */
void quote(char *to, const char *path);

/* -------------------------------------------------------------------------------------------------------- rows.c -- */

/* A row of one of tcflow's tables, and the names of its columns. */
struct line {
    char *head[MOST_CELLS], *cell[MOST_CELLS]; /* the first cell is the name of the table */
    uint32_t n;
};
void read_tables(FILE *file, void (*take)(void *to, const struct line *l), void *to);
double number_of(const struct line *l, const char *column);
/* Adds the distances of an archive. */
void rows_read(struct rows *rows, const struct options *o, uint32_t source, const char *archive);

/* ------------------------------------------------------------------------------------------------------- model.c -- */

void model_make(struct model *m, const struct rows *rows, const struct options *o);

/* --------------------------------------------------------------------------------------------------------- own.c -- */

/* With --own: the cost of an event, for all kinds. */
void own_fit(struct model *m, const struct copying *c, const struct options *o);

/* -------------------------------------------------------------------------------------------------------- copy.c -- */

void copy_measure(struct copying *c, const struct options *o);

/* ------------------------------------------------------------------------------------------------------- write.c -- */

void write_section(const struct options *o, const struct rows *rows, const struct model *m, const struct copying *c);
/* Writes the parameters that own_fit() leaves as they are, without comments, as a file for tcflow. */
void write_constants(const char *path, const struct options *o, const struct model *m, const struct copying *c);
/* Checks the output before anything is measured. */
void check_output(const struct options *o);

#endif
