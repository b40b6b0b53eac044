/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* nsight: what its parts share. nsight.c reads the tables whose rows are calls; mpi.c those of MPI, and nccl.c those of
 * NVTX, once more, for what they say about ranks. */
#ifndef TCFLOW_NSIGHT_H
#define TCFLOW_NSIGHT_H

#include <tcflow/map.h>
#include <tcflow/source.h>

#include <sqlite3.h>

typedef struct nsight_state {
    sqlite3 *db;
    sqlite3_stmt *columns;        /* tables.c: names those of a table */
    tcf_map processes, locations; /* globalPid; globalTid, or what names a stream */
    uint64_t unfinished;
    const char *table; /* the one that is read */
    uint64_t row;
    struct nsight_mpi *mpi;
    struct nsight_nccl *nccl;
} nsight_state;

/* The process of a globalPid or globalTid: what the two have in common. */
static inline uint64_t nsight_process_bits(uint64_t id)
{
    return id >> 24;
}

/* tables.c */
tcf_status nsight_fail_in_row(const tcf_reader *self, const char *what);
tcf_status nsight_fail_in_database(const tcf_reader *self, const char *table);
/* A location of a process by two numbers that name it. */
uint32_t nsight_location(tcf_reader *self, uint64_t id, uint64_t a, uint64_t place, const char *name,
                         enum tcf_location_type type);
typedef tcf_status (*nsight_take)(tcf_reader *self, sqlite3_stmt *s);
/* 1: the table is there, with all of these columns, which blanks part; 0: it isn't; -1: a failure. */
int nsight_has(const tcf_reader *self, const char *table, const char *columns);
/* Calls `take` for each row of a query. `table` is what messages call it. */
tcf_status nsight_query(tcf_reader *self, const char *table, const char *query, nsight_take take);
/* Begin and end: the first two columns. */
tcf_status nsight_times(const tcf_reader *self, sqlite3_stmt *s, uint64_t *begin, uint64_t *end);
uint32_t nsight_process(tcf_reader *self, uint64_t id);
uint32_t nsight_thread(tcf_reader *self, uint64_t id);

/* Stream 2^32 - 1: all of the context. Streams stand in the order of the numbers' low bits. */
uint32_t nsight_stream(tcf_reader *self, uint64_t id, uint64_t device, uint64_t context, uint64_t stream);

/* nccl.c */
tcf_status nsight_read_nccl(tcf_reader *self);
void nsight_free_nccl(tcf_reader *self);

/* mpi.c */
tcf_status nsight_read_mpi(tcf_reader *self);
void nsight_free_mpi(tcf_reader *self);

#endif
