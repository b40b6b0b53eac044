/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* io: what its parts share: collecting (io.c), what is summed up (sums.c), the names of files (files.c) and reporting
 * (tables.c). */
#ifndef TCFLOW_IO_H
#define TCFLOW_IO_H

#include "../shared/regions/region_stack.h"
#include <tcflow/filter.h>
#include <tcflow/map.h>

/* A file is the index of an IO_REGULAR_FILE or IO_DIRECTORY; of a handle without one NO_FILE + the index of the handle;
 * or: */
#define NO_FILE 0x40000000u
#define BEYOND (TCF_NONE - 1u) /* all that have no row of their own */

enum { READ, WRITE, FLUSH, OTHER, MODES }; /* the first three as OTF2_IoOperationMode */
enum { SIZES = 66 };                       /* bins of sizes: 0, 1, 2 to 3, 4 to 7, ..., and unknown */

typedef struct conf {
    int64_t max_operations, max_rows;
} conf;

/* Operations of one kind. Times are those from begin, or of non-blocking ones from when they were issued, to
 * completion. Bytes that the trace doesn't tell are in no sum. */
typedef struct operations {
    uint64_t begun, non_blocking, collective, completed, cancelled, tests,
        incomplete;                  /* incomplete: fewer bytes than asked for */
    uint64_t requested, transferred; /* bytes */
    uint64_t unknown;                /* completed, but it isn't known how many bytes were transferred */
    int64_t ticks, min_ticks, max_ticks;
    uint64_t min_bytes, max_bytes; /* transferred, where known */
} operations;

/* What has happened to handles. */
typedef struct uses {
    uint64_t opened, duplicated, closed, left_open, seeks, status_changes, locks, tries, deleted;
} uses;

typedef struct size_bin {
    uint64_t operations, bytes;
    int64_t ticks;
} size_bin;

/* Rows of a location while it runs: mode of a handle; and in the end: mode of a process, paradigm and file. */
typedef struct row {
    uint32_t process, paradigm, file; /* file: while the location runs, the handle */
    uint8_t mode;
    operations sum;
} row;

typedef struct usage {
    uint32_t process, paradigm, file;
    uses sum;
} usage;

typedef struct histogram {
    uint32_t process, paradigm;
    uint8_t mode;
    size_bin bin[SIZES];
} histogram;

/* Time in regions that read and write files. */
typedef struct visits {
    uint32_t process, region;
    uint64_t count;
    int64_t ticks;
} visits;

/* A growing array of any of them, found by what it is of. Owns both. */
typedef struct table_of {
    void *at;
    uint32_t n, capacity;
    tcf_map index;
} table_of;

/* An operation that has begun. */
typedef struct open_operation {
    uint64_t from, bytes; /* bytes: asked for */
    uint32_t row, paradigm;
    uint32_t next; /* of the free ones: 1 + place */
    uint8_t non_blocking;
} open_operation;

/* State of a location. */
typedef struct place {
    table_of rows, usage, histograms, regions;
    tcf_map open; /* (handle, matching id) */
    open_operation *operations;
    uint32_t n_operations, capacity, free; /* free: 1 + place, 0: none */
    uint64_t replaced, not_begun, too_many, left_over;
    region_stack stack; /* rows: 1 + those of `regions`, 0: another region */
    uint64_t since, last;
} place;

typedef struct handle_definition {
    uint32_t file, paradigm;
    uint8_t is_there, pre_created;
    const char *name;
} handle_definition;

typedef struct state {
    handle_definition *handles;              /* by index */
    const char **file_name, **paradigm_name; /* by index; owned by the framework */
    uint32_t n_handles, n_files, n_paradigms;
    uint8_t *is_io;                            /* by region */
    uint32_t *same;                            /* by region: the first one that differs in nothing but its id */
    table_of rows, usage, histograms, regions; /* of all locations that have ended */
    table_of balance;                          /* of each process and handle: struct balance */
} state;

typedef struct balance {
    uint32_t process, handle;
    int64_t open;
} balance;

/* files.c: -1: out of memory. What is left open in any case belongs to the state. */
int find_files(tcf_self *self);
uint32_t file_of(const state *st, uint32_t handle);
uint32_t paradigm_of(const state *st, uint32_t handle);
const char *file_name(const state *st, uint32_t file, char number[32]);
const char *paradigm_name(const state *st, uint32_t paradigm);

/* The entry of (a, b), `bytes` long and zeroed when it is new, at most `most` of them; TCF_NONE: out of memory; BEYOND:
 * full. */
uint32_t entry_of(table_of *t, uint64_t a, uint64_t b, size_t bytes, uint32_t most);
void table_of_free(table_of *t);

void add_operations(operations *to, const operations *x);

/* Adds a location that has ended to all. -1: out of memory. */
int sum_location(const tcf_self *self, place *p, uint32_t location);
/* Handles that are open at the end, where all locations have ended. */
int sum_open(const tcf_self *self);

static inline void add_bin(size_bin *to, const size_bin *from)
{
    to->operations += from->operations;
    to->bytes += from->bytes;
    to->ticks += from->ticks;
}

/* All tables. */
tcf_status io_report(tcf_self *self);

#endif
