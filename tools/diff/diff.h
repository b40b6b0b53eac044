/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of tcflow-diff. main.c and options.c: the command line; inputs.c: labels and groups; items.c, subjects.c
 * and load.c: the contents of the databases, by run and item; compare.c: medians, ranges, changes; scaling.c: speed-up
 * and fits; judge.c: --fail-above; report.c: the tables, words.c the sentences; text.c, data.c and page.c: their forms.
 * See doc/tcflow-diff.1.
 *
 * Numbers are doubles. A value that a run does not have is NaN, never zero. */
#ifndef TCFLOW_DIFF_H
#define TCFLOW_DIFF_H

#include "tools/shared/database.h"
#include "tools/shared/power_law.h"
#include "tools/shared/program.h"

#include <tcflow/map.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_WORSE = EXIT_USAGE + 1 };

/* ------------------------------------------------------------------------------------------------------- options -- */

enum section { RUNS, SCALING, PROFILE, WAITS, MESSAGES, IMBALANCE, N_SECTIONS };
enum form { TEXT, CSV, JSON };
enum metric { EXCLUSIVE, INCLUSIVE, VISITS, ALL_METRICS, DEFAULT_METRICS };
enum scaling { STRONG, WEAK, NO_SCALING };
enum by { BY_REGION, BY_CALLPATH, BY_BOTH, BY_DEFAULT };

struct options {
    char **argument; /* files, LABEL=FILE, LABEL=FILE,FILE; those of main() */
    uint32_t n_arguments;
    const char *reference;
    bool section[N_SECTIONS], sections_named; /* which are wanted; named: they have to be there */
    enum by by;                               /* by default both, but call paths need not be there */
    enum metric metric;
    struct names regions, instances; /* of --region and --instance */
    uint64_t top; /* rows of a table; 0: all; UINT64_MAX: as many as the form of output has by default */
    enum scaling scaling;
    int count_locations; /* yes or no: instead of processes */
    double fail_above;   /* percent; NaN: don't judge */
    double ignore_below; /* percent of the reference's total */
    enum form form;
    const char *html; /* file, "-": standard output, NULL: none */
    int overwrite;    /* yes or no */
    uint64_t width;   /* columns of text; 0: as the terminal, or any */
};

void parse_options(struct options *o, int argc, char **argv);

/* ---------------------------------------------------------------------------------------------------------- main -- */

static inline double or_zero(double x)
{
    return isnan(x) ? 0 : x;
}

/* -------------------------------------------------------------------------------------------------------- inputs -- */

/* A parameter of a filter of the run. */
struct parameter {
    char *name, *value; /* name: INSTANCE.KEY, in front of it `survey` where it stands there */
};

/* A database. */
struct run {
    char *path;
    char *file; /* what is opened: the path, or the database that was made of the trace there */
    uint32_t group;
    bool whole_profile; /* no rows were cut off by profile's `top` */
    char *status, *input, *chain, *date, *version, *trace_id;
    double processes, locations, events, duration; /* duration in seconds */
    double time;                                   /* exclusive time of all regions, s */
    double notes, losses;
    struct parameter *parameter; /* those that can change results, in the order of the chain; n_parameters 0: unknown */
    uint32_t n_parameters;
};

/* Runs of one label: one, or repetitions, next to each other in comparison.run. */
struct group {
    char *label, *range; /* range: title of the column with their ranges */
    bool named;          /* the label was given */
    uint32_t first, n;
    double count; /* processes or locations */
};

/* --------------------------------------------------------------------------------------------------------- items -- */

/* What is compared: regions, call paths, patterns. An item is a name below another item; 0 is the root of all. */
struct item {
    char *name, *title; /* title NULL: the name */
    uint32_t parent, depth;
};

struct items {
    struct item *at;
    uint32_t n, capacity;
    tcf_map map; /* of parent and hash of the name to the item */
};

/* Returns the item of this name below `parent`; adds it when it is new. */
uint32_t items_find(struct items *items, uint32_t parent, const char *name);
/* Names from the root on with '/' in between, or the title. Paths of very many levels have their middle left out. The
 * text is the buffer's, until the next call. */
struct buffer {
    char *text;
    size_t bytes;
};
const char *items_path(const struct items *items, uint32_t item, struct buffer *to);

/* ------------------------------------------------------------------------------------------------------ subjects -- */

enum subject_id { REGIONS, CALLPATHS, WAIT_PATTERNS, WAIT_PATHS, COMMUNICATION, BYTES, LOADS, N_SUBJECTS };
enum { MOST_QUANTITIES = 4 };

/* Something that each item has in each run. */
struct quantity {
    const char *name, *title, *unit, *help; /* unit NULL: a number of things */
    bool whole;                             /* numbers */
    bool detail;                            /* not in text by default */
};

struct subject_kind {
    enum section section;
    const char *of; /* name of the column of items */
    struct quantity quantity[MOST_QUANTITIES];
    uint32_t n_quantities;
};

extern const struct subject_kind subject_kinds[N_SUBJECTS];

struct subject {
    const struct subject_kind *kind;
    struct items items;
    double *value[MOST_QUANTITIES]; /* item * n_runs + run; NaN: the run has no such item */
    uint32_t capacity;              /* items */
    bool *there;                    /* by run: was there a table? */
};

/* ---------------------------------------------------------------------------------------------------- comparison -- */

struct note {
    char *text;
    bool warning;
};

struct comparison {
    const struct options *options;
    struct run *run;
    uint32_t n_runs;
    struct group *group;
    uint32_t n_groups, reference;
    struct subject subject[N_SUBJECTS];
    struct note *note;
    uint32_t n_notes;
};

/* Labels, groups and the reference, from the arguments. */
void inputs_read(struct comparison *c);
/* Has tcflow make databases of traces, with the preset diff. */
void inputs_make_databases(struct comparison *c);
/* What the databases hold. */
void load_all(struct comparison *c);
/* Groups' processes, warnings about runs that are not whole or not alike. */
void check_runs(struct comparison *c);
void note(struct comparison *c, bool warning, const char *format, ...) __attribute__((format(printf, 3, 4)));

double *value_at(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item, uint32_t run);
/* Adds to an item of a run. */
void value_add(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item, uint32_t run,
               double value);

/* ------------------------------------------------------------------------------------------------------- compare -- */

/* A value over the repetitions of a group. */
struct spread {
    uint32_t n; /* runs that have it */
    double median, min, max;
};

enum presence { ABSENT, NEW, GONE, BOTH };

/* From the reference to a group. */
struct change {
    enum presence presence;
    double difference; /* of the medians; NaN unless BOTH */
    double relative;   /* percent of the reference; NaN where that is 0 */
    int significant;   /* 1: the ranges don't overlap, 0: they do; -1: less than two runs, or not in all of them */
};

struct spread spread_of(const double *values, uint32_t n);
struct spread item_spread(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t item,
                          uint32_t group);
struct change change_between(const struct spread *reference, uint32_t n_reference, const struct spread *other,
                             uint32_t n_other);
/* Items that are in a run and match --region, largest change to any group first; to be freed. */
uint32_t *order_items(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t *n);
extern const char *const presence_names[];

/* ------------------------------------------------------------------------------------------------------- scaling -- */

/* Does the number of processes differ, and is it wanted? */
bool is_scaling(const struct comparison *c);
/* The group that speed-ups are relative to, with the fewest processes (sign -1), or the one with the most (1). */
uint32_t scaling_extreme(const struct comparison *c, int sign);
/* Of the group, relative to the base; seconds of the run. */
double speed_up(const struct comparison *c, uint32_t group);
double efficiency(const struct comparison *c, uint32_t group);

/* An item's loss in the largest group. */
struct loss {
    uint32_t item;
    struct power_law fit; /* of the time of a process over the number of processes */
    double loss;          /* s: time of all processes beyond that of perfect scaling; NaN: not known */
    double share;         /* percent of all time of the largest group */
    bool non_scalable;
};
/* Largest loss first; to be freed. */
struct loss *scaling_losses(const struct comparison *c, struct subject *s, uint32_t quantity, uint32_t *n);

/* -------------------------------------------------------------------------------------------------------- tables -- */

enum cell_kind { CELL_TEXT, CELL_NUMBER, CELL_WHOLE, CELL_CHANGE, CELL_PERCENT };

/* Where a column stands in text. */
enum place { IN_ORDER, AT_END, AT_END_WHOLE /* and is never shortened */, AT_END_SENTENCE /* in several lines */ };

struct column {
    const char *name, *unit, *help;
    enum cell_kind kind;
    uint32_t block; /* 0: always shown, else columns that stay together on a narrow terminal */
    enum place place;
};

struct cell {
    const char *text; /* of CELL_TEXT, or instead of a number that is not there; NULL: nothing */
    double number;    /* NaN: not there */
};

struct table {
    const char *name, *title;
    const char *remark; /* of this comparison, for people; NULL: none */
    const struct column *column;
    uint32_t n_columns;
};

/* Where tables go. Texts of rows are valid for the call only. */
struct sink {
    FILE *out;
    const char *stop; /* behind the last table */
    bool people;      /* wants a row for an item, with columns for groups; else a row for each of both */
    bool details;     /* tables and columns that text leaves out */
    uint64_t top;     /* rows of a table unless --top says so; 0: all */
    uint64_t width;   /* 0: any */
    uint32_t n;       /* tables so far */
    bool first_row;
    struct table table;
    char **text; /* text_sink(): the cells of all rows */
    uint32_t n_text, capacity;
    void (*begin)(struct sink *s);
    void (*row)(struct sink *s, const struct cell *cells);
    void (*end)(struct sink *s);
};

/* Titles are the same for all comparisons. */
void sink_begin(struct sink *s, const char *name, const char *title, const char *remark, const struct column *columns,
                uint32_t n);
/* The title with the remark, to be freed. */
char *table_heading(const struct table *t);

struct sink text_sink(FILE *out, uint64_t width);
struct sink csv_sink(FILE *out);
struct sink json_sink(FILE *out);
struct sink page_sink(FILE *out, const struct comparison *c);
/* The tables of such a page alone, a script element each. */
struct sink tables_sink(FILE *out);

/* A cell in JSON; within a page nothing in it can end the script. */
void put_json_cell(FILE *out, const struct cell *cell, bool in_page);

/* -------------------------------------------------------------------------------------------------------- report -- */

/* words.c: the table of sentences about what changed. */
void report_words(struct comparison *c, struct sink *s);
/* All tables. */
void report(struct comparison *c, struct sink sink);

/* --------------------------------------------------------------------------------------------------------- judge -- */

/* Writes the table of what has become slower to the sink (if not NULL). Returns the number of its rows. */
uint32_t judge(struct comparison *c, struct sink *s);
/* Ends the program where there is nothing to judge. */
void judge_check(const struct comparison *c);

#endif
