/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-torture: what the parts for readers of other formats (<tcflow/source.h>) share. readers.c makes one reading of
 * a file by a reader behind a guard (reader_guard.c), reader_steps.c has the steps, reader_bytes.c makes the files. */
#ifndef TCFLOW_TORTURE_READERS_H
#define TCFLOW_TORTURE_READERS_H

#include "torture.h"

#include <tcflow/source.h>

/* What goes wrong in a reading. */
typedef struct reading_plan {
    uint64_t fail_host_at;       /* this call of a function that can fail, from 1 on; 0: none */
    int fail_all;                /* and all behind it, as where the user interrupts the run */
    uint64_t fail_allocation_at; /* of the reader's own, from 1 on; 0: none */
} reading_plan;

typedef struct reader_guard reader_guard;

/* A reading: what the framework has made of what the reader said. */
typedef struct reading {
    tcf_status status;
    char *text; /* definitions and events, one a line; NULL: there are none */
    size_t text_bytes;
    char error[512];
    memory_result memory;
    uint64_t host_calls, warnings;
} reading;

typedef struct reading_options {
    const char *path;      /* the file or folder; NULL: the sample */
    const char *values[2]; /* a key and the value that it has besides those of the command line; NULL: none */
    uint32_t slice;        /* events at most; 0: many */
    uint64_t memory;       /* bytes; 0: 64 MiB */
    reading_plan plan;
} reading_options;

/* Stands between framework and reader, whose parameters are `conf`; the framework gets the guard as such. It lives
 * until reader_guard_delete(). */
reader_guard *reader_guard_new(const tcf_source *of, board *b, const reading_plan *wrong, const void *conf);
const tcf_source *reader_guard_source(reader_guard *g);
uint64_t reader_guard_calls(const reader_guard *g);
uint64_t reader_guard_warnings(const reader_guard *g);
void reader_guard_delete(reader_guard *g);

/* settings that are refused: *refused is set, and nothing is read. */
reading read_sample(torture *t, const reading_options *o, int *refused);
void reading_free(reading *r);
/* Reports the first difference as `rule`. */
void reading_compare(torture *t, const reading *a, const reading *b, enum rule rule, const char *what);

/* Copies the sample (a file, or a folder's files) into the scratch folder and damages it as `seed` says. Returns the
 * path of the copy, to be freed, and in words what was done to it. */
char *sample_damaged(const torture *t, uint64_t seed, char *what, size_t capacity);

extern const step reader_steps[];

#endif
