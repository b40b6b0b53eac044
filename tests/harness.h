/* The test harness: feed a chain of filters events, look at the events that come out.
 *
 *     static void shift_moves_sends(void **state)
 *     {
 *         size_t n;
 *         harness *h = harness_new();
 *         harness_processes(h, 2, 1);
 *         uint32_t work = harness_region(h, "work");
 *         harness_enter(h, 0, 10, work);
 *         harness_send(h, 0, 12, 1, 7, 8);
 *         harness_leave(h, 0, 20, work);
 *         harness_receive(h, 1, 15, 0, 7, 8);
 *         harness_run(h, "[pipeline]\nchain = shift\n[shift]\nby = 5 ticks\n");
 *         assert_int_equal(harness_output(h, 0, &n)[1].time, 17);
 *         assert_int_equal(n, 3);
 *         harness_delete(h);
 *     }
 *
 * Definitions come first, then events, each location by itself, then any number of runs over them. Whatever a test
 * does not care about has a default: a tick is a nanosecond, ids in the "archive" differ from indices (so that mixing
 * them up shows), MPI_COMM_WORLD is communicator 0. Filters are those of the build tree and those that the test
 * registers with harness_filter(). INI text may name files in the scratch folder as ${SCRATCH}/NAME.
 *
 * cmocka.h, which goes in front of this header, has a macro fail(): a filter in a test calls (host->fail)(self, ...).
 *
 * Functions that cannot do what they are asked for fail the test. Everything that is handed out belongs to the harness
 * and lives until the next run or harness_delete(). Not for several threads: one run at a time.
 */
#ifndef TCFLOW_TESTS_HARNESS_H
#define TCFLOW_TESTS_HARNESS_H

#include <tcflow/filter.h>

typedef struct harness harness;

/* An event that came out of the chain. */
typedef struct harness_out {
    uint64_t time;
    tcf_rec rec;
    const tcf_attributes *attributes; /* or NULL */
    const uint8_t *arena;             /* what offsets in rec refer to */
    uint64_t edge_number;             /* of its first edge: UINT64_MAX when there is none */
    uint32_t callpath;                /* TCF_NONE where the chain has no such column */
    uint32_t slice;                   /* number of the slice, of all locations, in which it came */
    uint8_t kind;
    uint8_t edge; /* TCF_EDGE_*, 0 where the chain has no such column */
} harness_out;

harness *harness_new(void);
void harness_delete(harness *h);
/* Makes a filter of the test known, for all further runs. */
void harness_filter(harness *h, const tcf_filter *filter);

/* --------------------------------------------------------------------------------------------- definitions -- */

/* Processes with so many threads each, and MPI_COMM_WORLD. Thread t of process p is location p * threads + t; its id in
 * the archive is harness_location_id(). To be called once, first of all. */
void harness_processes(harness *h, uint32_t processes, uint32_t threads);
/* Before that: the last so many threads of each process are streams of accelerators; thread 0 never is. */
void harness_streams(harness *h, uint32_t streams);
/* Before that: the first so many threads of each process are ranks of MPI, rank r is thread r % ranks of process
 * r / ranks. Default: 1. */
void harness_ranks(harness *h, uint32_t ranks);
uint64_t harness_location_id(const harness *h, uint32_t location);
/* All of these return the index of what they define. */
uint32_t harness_region(harness *h, const char *name);
uint32_t harness_region_as(harness *h, const char *name, uint8_t role, uint8_t paradigm);
uint32_t harness_comm(harness *h, const char *name, uint32_t n, const uint32_t *world_ranks);
uint32_t harness_inter_comm(harness *h, const char *name, uint32_t n_a, const uint32_t *a, uint32_t n_b,
                            const uint32_t *b);
uint32_t harness_self_comm(harness *h);
uint32_t harness_team(harness *h, uint32_t n, const uint32_t *locations); /* OpenMP threads */
uint32_t harness_window(harness *h, uint32_t comm);
uint32_t harness_metric(harness *h, const char *name, uint8_t type);
uint32_t harness_attribute(harness *h, const char *name, uint8_t type);
void harness_clock_offset(harness *h, uint32_t location, uint64_t time, int64_t offset); /* one a location */
/* Any other record, references being ids. */
void harness_define(harness *h, enum tcf_definition_kind kind, const void *record);
/* From the first event on. */
const tcf_definitions *harness_definitions(harness *h);

/* -------------------------------------------------------------------------------------------------- events -- */

void harness_event(harness *h, uint32_t location, uint64_t time, enum tcf_kind kind, const void *record);
void harness_enter(harness *h, uint32_t location, uint64_t time, uint32_t region);
void harness_leave(harness *h, uint32_t location, uint64_t time, uint32_t region);
/* On MPI_COMM_WORLD, and on any communicator. */
void harness_send(harness *h, uint32_t location, uint64_t time, uint32_t to, uint32_t tag, uint64_t bytes);
void harness_receive(harness *h, uint32_t location, uint64_t time, uint32_t from, uint32_t tag, uint64_t bytes);
void harness_send_on(harness *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t to, uint32_t tag);
void harness_receive_on(harness *h, uint32_t location, uint64_t time, uint32_t comm, uint32_t from, uint32_t tag);
/* Begin and end of a blocking collective; op: OTF2_CollectiveOp. The short form sends and receives 8 bytes. */
void harness_begin(harness *h, uint32_t location, uint64_t time);
void harness_end(harness *h, uint32_t location, uint64_t time, uint8_t op, uint32_t comm, uint32_t root, uint64_t sent,
                 uint64_t received);
void harness_collective(harness *h, uint32_t location, uint64_t begin, uint64_t end, uint8_t op, uint32_t comm,
                        uint32_t root);
void harness_metric_value(harness *h, uint32_t location, uint64_t time, uint32_t metric, uint8_t type, uint64_t value);
/* Gives the last event of the location attributes. */
void harness_attributes(harness *h, uint32_t location, uint32_t n, const tcf_attribute *attributes);
/* Forgets all events, so that others can be fed. */
void harness_clear(harness *h);

/* ---------------------------------------------------------------------------------------------------- runs -- */

/* From now on slices are cut at random, reproducibly; 0: as long as the chain allows. */
void harness_cut(harness *h, uint64_t seed);
/* From now on reading event `event` of the location fails; UINT64_MAX: no more. */
void harness_fail_reading(harness *h, uint32_t location, uint64_t event);

/* The first must succeed, the other one tells. */
void harness_run(harness *h, const char *ini, ...) __attribute__((format(printf, 2, 3)));
tcf_status harness_try(harness *h, const char *ini, ...) __attribute__((format(printf, 2, 3)));

const harness_out *harness_output(harness *h, uint32_t location, size_t *n);
/* Fails the test unless these are the times of all events that came out of the location. */
void harness_times(harness *h, uint32_t location, const uint64_t *expected, size_t n);
#define HARNESS_TIMES(h, location, ...)                                                                                \
    harness_times(h, location, (const uint64_t[]){__VA_ARGS__},                                                        \
                  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
/* A CSV report has this line, or none that begins so. */
void harness_line(const char *text, const char *line);
void harness_no_line(const char *text, const char *begin);
void harness_unchanged(harness *h); /* fails the test unless everything came out as it was fed */
const char *harness_error(const harness *h); /* of the last run, as the command would print it; "": none */
int harness_error_is_usage(const harness *h);
uint64_t harness_note(const harness *h, const char *key); /* count of a note of the summary; 0: not there */
const char *harness_path(harness *h, const char *name);   /* of a file in the scratch folder */
const char *harness_text(harness *h, const char *name);   /* its content; NULL: there is none */

#endif
