/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The test harness, for authors of filters: feed a chain of filters events, look at the events that come out.
 *
 *     #include <tcflow/harness.h>
 *     #include <assert.h>
 *
 *     int main(void)
 *     {
 *         tcfh *h = tcfh_new();
 *         tcfh_plugin_path(h, ".");                        // where shift.so lies
 *         tcfh_processes(h, 2, 1);
 *         uint32_t work = tcfh_region(h, "work");
 *         tcfh_enter(h, 0, 10, work);
 *         tcfh_send(h, 0, 12, 1, 7, 8);
 *         tcfh_leave(h, 0, 20, work);
 *         tcfh_receive(h, 1, 15, 0, 7, 8);
 *         tcfh_run(h, "[pipeline]\nchain = shift\n[shift]\nby = 5 ticks\n");
 *         TCFH_TIMES(h, 0, 15, 17, 25);
 *         TCFH_TIMES(h, 1, 20);
 *         tcfh_delete(h);
 *     }
 *
 *     cc test_shift.c $(pkg-config --cflags --libs tcflow-harness)
 *
 * Definitions come first, then events, each location by itself, then any number of runs over them. Whatever a test
 * does not care about has a default: a tick is a nanosecond, ids in the "archive" differ from indices (so that mixing
 * them up shows), MPI_COMM_WORLD is communicator 0. Filters are found as by `tcflow`, in the folders of
 * tcfh_plugin_path() first; tcfh_filter() adds those that are linked into the test. INI text may name files in the
 * scratch folder, which is removed at the end, as ${SCRATCH}/NAME (it is an environment variable during a run).
 *
 * Errors: a function that cannot do what it is asked for, and a check that does not hold, call the handler of
 * tcfh_on_failure(). The scratch folder has been removed by then. By default the message goes to standard error and the
 * process exits with status 1. Only tcfh_try() may fail: it returns TCF_ERROR.
 *
 * Ownership: everything that is handed out belongs to the harness and lives until the next run or tcfh_delete(); what
 * is handed in is copied, but for filters, which live as long as the harness.
 *
 * Concurrency: one run at a time in a process, though there may be several harnesses. Plugins are never unloaded.
 *
 * Where cmocka.h goes in front of this header it has a macro fail(): a filter in a test then calls (host->fail)(self,
 * ...). */
#ifndef TCFLOW_HARNESS_H
#define TCFLOW_HARNESS_H

#include <tcflow/filter.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct tcfh tcfh;

/* An event that came out of the chain. */
typedef struct tcfh_out {
    uint64_t time;
    tcf_rec rec;
    const tcf_attributes *attributes; /* or NULL */
    const uint8_t *arena;             /* what offsets in rec refer to */
    uint64_t edge_number;             /* of its first edge: UINT64_MAX when there is none */
    uint32_t callpath;                /* TCF_NONE where the chain has no such column */
    uint32_t slice;                   /* number of the slice, of all locations, in which it came */
    uint8_t kind;
    uint8_t edge; /* TCF_EDGE_*, 0 where the chain has no such column */
} tcfh_out;

tcfh *tcfh_new(void);
void tcfh_delete(tcfh *h); /* NULL: nothing */
/* What shall be called with a message when something fails. It must not return: it ends the process, or leaves by
 * longjmp() as the assertions of test frameworks do; the harness can then only be deleted. NULL: the default. */
void tcfh_on_failure(tcfh *h, void (*handler)(void *data, const char *message), void *data);
/* Folders, separated by ':', in which plugins are looked for first; as `tcflow --plugin-path`. */
void tcfh_plugin_path(tcfh *h, const char *folders);
/* Makes a filter of the test known, for all further runs; at most 32. */
void tcfh_filter(tcfh *h, const tcf_filter *filter);

/* --------------------------------------------------------------------------------------------------- definitions -- */

/* Processes with so many threads each, and MPI_COMM_WORLD. Thread t of process p is location p * threads + t; its id in
 * the archive is tcfh_location_id(). To be called once, first of all. */
void tcfh_processes(tcfh *h, uint32_t processes, uint32_t threads);
/* Before that: the last so many threads of each process are streams of accelerators; thread 0 never is. */
void tcfh_streams(tcfh *h, uint32_t streams);
/* Before that: the first so many threads of each process are ranks of MPI, rank r is thread r % ranks of process
 * r / ranks. Default: 1. */
void tcfh_ranks(tcfh *h, uint32_t ranks);
uint64_t tcfh_location_id(const tcfh *h, uint32_t location);
/* All of these return the index of what they define. Roles, paradigms and types are libotf2's (OTF2_REGION_ROLE_...,
 * OTF2_PARADIGM_..., OTF2_TYPE_...). */
uint32_t tcfh_region(tcfh *h, const char *name);
uint32_t tcfh_region_as(tcfh *h, const char *name, uint8_t role, uint8_t paradigm);
uint32_t tcfh_comm(tcfh *h, const char *name, uint32_t n, const uint32_t *world_ranks);
uint32_t tcfh_inter_comm(tcfh *h, const char *name, uint32_t n_a, const uint32_t *a, uint32_t n_b, const uint32_t *b);
uint32_t tcfh_self_comm(tcfh *h);
uint32_t tcfh_team(tcfh *h, uint32_t n, const uint32_t *locations); /* OpenMP threads */
uint32_t tcfh_window(tcfh *h, uint32_t comm);
uint32_t tcfh_metric(tcfh *h, const char *name, uint8_t type);
uint32_t tcfh_attribute(tcfh *h, const char *name, uint8_t type);
void tcfh_clock_offset(tcfh *h, uint32_t location, uint64_t time, int64_t offset); /* one a location */
/* Any other record, references being ids. */
void tcfh_define(tcfh *h, enum tcf_definition_kind kind, const void *record);
/* From the first event on. */
const tcf_definitions *tcfh_definitions(tcfh *h);

/* -------------------------------------------------------------------------------------------------------- events -- */

/* `record` is the kind's struct of events.h, e.g. tcf_ev_enter, references being indices. Times must not decrease. */
void tcfh_event(tcfh *h, uint32_t location, uint64_t time, enum tcf_kind kind, const void *record);
void tcfh_enter(tcfh *h, uint32_t location, uint64_t time, uint32_t region);
void tcfh_leave(tcfh *h, uint32_t location, uint64_t time, uint32_t region);
/* On MPI_COMM_WORLD, and on any communicator. */
void tcfh_send(tcfh *h, uint32_t location, uint64_t time, uint32_t to, uint32_t tag, uint64_t bytes);
void tcfh_receive(tcfh *h, uint32_t location, uint64_t time, uint32_t from, uint32_t tag, uint64_t bytes);
void tcfh_send_on(tcfh *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t to, uint32_t tag);
void tcfh_receive_on(tcfh *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t from, uint32_t tag);
/* Begin and end of a blocking collective, and both; op: OTF2_CollectiveOp. Both: 8 bytes are sent and received. */
void tcfh_collective_begin(tcfh *h, uint32_t location, uint64_t time);
void tcfh_collective_end(tcfh *h, uint32_t location, uint64_t time, tcf_ev_mpi_collective_end end);
void tcfh_collective(tcfh *h, uint32_t location, uint64_t begin, uint64_t end, uint8_t op, uint32_t comm,
                     uint32_t root);
void tcfh_metric_value(tcfh *h, uint32_t location, uint64_t time, uint32_t metric, uint8_t type, uint64_t value);
/* Gives the last event of the location attributes. */
void tcfh_attributes(tcfh *h, uint32_t location, uint32_t n, const tcf_attribute *attributes);
/* Forgets all events, so that others can be fed. */
void tcfh_clear(tcfh *h);

/* ---------------------------------------------------------------------------------------------------------- runs -- */

/* From now on slices are cut at random, reproducibly; 0: as long as the chain allows. */
void tcfh_cut(tcfh *h, uint64_t seed);
/* From now on reading event `event` of the location fails; UINT64_MAX: no more. */
void tcfh_fail_reading(tcfh *h, uint32_t location, uint64_t event);

/* Runs a chain over all events. `ini` is the text of a pipeline.ini without `input`, and a format as of printf().
 * tcfh_run() has to succeed; tcfh_try() returns TCF_ERROR where the run fails. */
void tcfh_run(tcfh *h, const char *ini, ...) __attribute__((format(printf, 2, 3)));
tcf_status tcfh_try(tcfh *h, const char *ini, ...) __attribute__((format(printf, 2, 3)));

/* What came out of a location in the last run. */
const tcfh_out *tcfh_output(tcfh *h, uint32_t location, size_t *n);
/* Fails unless these are the times of all events that came out of the location. */
void tcfh_times(tcfh *h, uint32_t location, const uint64_t *expected, size_t n);
#ifndef __cplusplus
#define TCFH_TIMES(h, location, ...)                                                                                   \
    tcfh_times(h, location, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#endif
void tcfh_unchanged(tcfh *h); /* fails unless everything came out as it was fed */
/* Fails unless the file in the scratch folder (a CSV report) has this line; unless no line of it begins so. Lines end
 * in LF or, as those of CSV reports do (RFC 4180), in CRLF; `line` has neither. tcfh_text() has them as they are. */
void tcfh_line(tcfh *h, const char *name, const char *line);
void tcfh_no_line(tcfh *h, const char *name, const char *begin);
const char *tcfh_error(const tcfh *h);              /* of the last run, as the command would print it; "": none */
int tcfh_error_is_usage(const tcfh *h);             /* the command would exit with status 2, not 1 */
uint64_t tcfh_note(const tcfh *h, const char *key); /* count of a note of the summary; 0: not there */
const char *tcfh_path(tcfh *h, const char *name);   /* of a file in the scratch folder; until the next call */
const char *tcfh_text(tcfh *h, const char *name);   /* its content, until the next call; NULL: there is none */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
