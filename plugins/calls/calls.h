/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* calls: what its parts share. calls.c follows the calls and makes a row of each; rows.c keeps rows in a temporary
 * file; csv.c and sqlite.c write them, location by location. */
#ifndef TCFLOW_CALLS_H
#define TCFLOW_CALLS_H

#include "../shared/regions/call_stack.h"

#include <private/output_host.h>
#include <tcflow/filter.h>
#include <tcflow/processes.h>

enum { FORMAT_CSV, FORMAT_SQLITE };
enum { UNIT_SECONDS, UNIT_TICKS };

#define UNKNOWN UINT64_MAX

typedef struct conf {
    const char *path;
    int format, unit, overwrite;
    int64_t max_calls;
} conf;

/* A call, while it is open and as a row. Times and durations are ticks, calls are numbered by location from 0 on. */
typedef struct row {
    uint64_t what; /* as in open_call */
    uint64_t call, parent;
    uint64_t begin, end;   /* end: UNKNOWN: it is never left */
    uint64_t inner;        /* time in calls inside of it */
    uint64_t wait;         /* UNKNOWN: nothing in it waits for others, or for whom is unknown */
    uint64_t partner_call; /* UNKNOWN: none, or not known */
    uint64_t bytes_sent, bytes_received;
    uint32_t partner; /* location; TCF_NONE: none */
    uint32_t sent, received, depth;
} row;

/* State of a location. */
typedef struct place {
    row *open;
    uint32_t depth, room;
    uint32_t too_deep;                /* open calls beyond the deepest level */
    uint32_t n_rows;                  /* in `rows` */
    row *rows;                        /* rows_of_block of them, which are not in the file yet */
    uint64_t first_block, last_block; /* places in the file, + 1; 0: none */
    uint64_t n_calls, left_out, strays;
} place;

typedef struct state {
    uint32_t rows_of_block;
    struct {
        int file, error;
        uint64_t end;    /* of what is written or in `buffer` */
        uint64_t n_used; /* bytes in `buffer` */
        unsigned char *buffer;
    } rows;
    tcf_output output;
    tcf_processes processes;
    uint64_t n_rows;
} state;

static inline place *place_of(const tcf_self *self, uint32_t location)
{
    return tcf_location_state(self, location);
}

/* rows.c. Failures are recorded by host->fail(). */
tcf_status rows_start(tcf_self *self);
tcf_status rows_add(tcf_self *self, uint32_t location, const row *r);
/* Hands over all rows of a location, in the order in which they came. */
tcf_status rows_each(tcf_self *self, uint32_t location, tcf_status (*each)(void *data, const row *r), void *data);
void rows_free(tcf_self *self);

/* The name of the region; of an undefined one it is made in `scratch`. */
const char *calls_name(const tcf_self *self, uint64_t what, char scratch[64]);
/* Of the partner's calls only those with a row are named. */
uint64_t calls_partner(const tcf_self *self, const row *r);

/* csv.c, sqlite.c: write all rows to state->output. */
tcf_status csv_write(tcf_self *self);
tcf_status sqlite_write(tcf_self *self);

#endif
