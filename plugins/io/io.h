/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of io share: io.c collects, sums.c adds locations to processes, files.c has the names of files,
 * tables.c reports. */
#ifndef TCFLOW_IO_H
#define TCFLOW_IO_H

#include "../shared/places/keyed.h"
#include "../shared/places/places.h"
#include "../shared/records/definition_names.h"
#include "../shared/regions/region_stack.h"
#include <tcflow/filter.h>
#include <tcflow/times.h>

/* A file is the index of an IO_REGULAR_FILE or IO_DIRECTORY; for a handle without a file it is NO_FILE + the index
 * of the handle. */
#define NO_FILE 0x40000000u
#define BEYOND (TCF_NONE - 1u) /* stands for all files beyond max_rows */

enum { READ, WRITE, FLUSH, OTHER }; /* the first three as OTF2_IoOperationMode */
enum { SIZES = 66 };                /* bins of sizes: 0, 1, 2 to 3, 4 to 7, ..., and unknown */

typedef struct conf {
    int64_t max_operations, max_rows;
} conf;

/* What is counted of operations. */
enum {
    BEGUN,
    NON_BLOCKING,
    COLLECTIVE,
    COMPLETED,
    CANCELLED,
    TESTS,
    INCOMPLETE, /* fewer bytes than asked for */
    UNKNOWN,    /* completed, but it isn't known how many bytes were transferred */
    REQUESTED,  /* bytes */
    TRANSFERRED,
    COUNTS
};

/* The time of an operation is that from its begin (of a non-blocking one: from when it was issued) to its
 * completion. Sums leave out bytes that the trace doesn't state. */
typedef struct operations {
    uint64_t n[COUNTS];
    uint64_t ticks, min_ticks, max_ticks;
    uint64_t min_bytes, max_bytes; /* bytes transferred, where the trace states them */
} operations;

/* What is counted of handles and files. */
enum { OPENED, DUPLICATED, CLOSED, LEFT_OPEN, SEEKS, STATUS_CHANGES, LOCKS, TRIES, DELETED, USES };

typedef struct size_bin {
    uint64_t operations, bytes, ticks;
} size_bin;

/* The key of a row; a member by which its table doesn't distinguish is 0. In the tables of a location, `file` is the
 * handle. */
typedef struct row_key {
    uint32_t process, paradigm, file, mode;
} row_key;

typedef struct row {
    row_key of;
    operations sum;
} row;

typedef struct usage {
    row_key of; /* in the tables of a location, process = 1: `file` is a file and no handle */
    uint64_t n[USES];
} usage;

typedef struct histogram {
    row_key of; /* no file */
    size_bin bin[SIZES];
} histogram;

/* Time in regions that read and write files. */
typedef struct visits {
    row_key of; /* the region as `file` */
    uint64_t count, ticks;
} visits;

/* Handles of a process that were opened and not closed. */
typedef struct balance {
    row_key of; /* the handle as `file` */
    int64_t open;
} balance;

/* Rows of one of these types, found by their keys. */
typedef struct table_of {
    void *at;
    keyed by;
    int is_full; /* some files are counted in the row of BEYOND */
} table_of;

/* An operation that has begun. */
typedef struct open_operation {
    uint64_t from, bytes; /* bytes: asked for */
    uint32_t row, paradigm;
    uint8_t non_blocking;
} open_operation;

/* What is told at the end. */
typedef struct limits {
    uint64_t never_completed, not_begun, too_many; /* operations */
    uint64_t too_deep;                             /* visits */
} limits;

/* State of a location. */
typedef struct place {
    table_of rows, usage, histograms, regions;
    tcf_map open; /* (handle, matching id) */
    open_operation *operations;
    place_list in_use;
    limits limits;
    region_stack stack; /* rows: 1 + those of `regions`, 0: another region */
    uint64_t since, last;
} place;

typedef struct handle_definition {
    uint32_t file, paradigm;
    uint8_t is_there;
} handle_definition;

typedef struct state {
    handle_definition *handles; /* by index */
    uint32_t n_handles;
    definition_names names;                    /* of paradigms their identification */
    uint8_t *is_io;                            /* by region */
    uint32_t *same;                            /* by region: the first one that differs in nothing but its id */
    table_of rows, usage, histograms, regions; /* of all locations that have ended */
    table_of balance;                          /* of each process and handle */
    limits limits;
} state;

/* files.c. find_files() returns -1 when out of memory; io_fini() frees what it made. */
int find_files(tcf_self *self);
uint32_t file_of(const state *st, uint32_t handle);
uint32_t paradigm_of(const state *st, uint32_t handle);
const char *file_name(const tcf_self *self, uint32_t file, char number[32]);
const char *paradigm_name(const tcf_self *self, uint32_t paradigm);

/* The row of a key, `bytes` long. A new row is all zero behind its key. Where the table has `most` rows, a new key
 * gets the row of the file BEYOND instead. NULL: out of memory. */
void *row_of(table_of *t, row_key of, size_t bytes, uint32_t most);
#define ROW_OF(type, table, ...) ((type *)row_of((table), (row_key){__VA_ARGS__}, sizeof(type), UINT32_MAX))
void table_of_free(table_of *t);

void add_operations(operations *to, const operations *x);

/* Adds a location that has ended to its process. -1: out of memory. */
int sum_location(const tcf_self *self, const place *p, uint32_t location);
/* What the locations of a domain have summed up goes into a pack, and from there into the sums of another. -1: out of
 * memory. */
void put_sums(const tcf_self *self, tcf_pack *pack);
int take_sums(const tcf_self *self, tcf_pack *pack);
/* Counts the handles that are still open when all locations have ended. -1: out of memory. */
int sum_open(const tcf_self *self);

static inline void add_bin(size_bin *to, const size_bin *from)
{
    to->operations += from->operations;
    to->bytes = tcf_bytes_sum(to->bytes, from->bytes);
    to->ticks = tcf_ticks_sum(to->ticks, from->ticks);
}

/* Writes all tables. */
tcf_status io_report(tcf_self *self);

#endif
