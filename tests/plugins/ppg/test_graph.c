/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Graphs of small programs, worked out by hand from plugins/ppg/README.md. A tick is a nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

enum { CUTS = 5, NO_ROOT = (int)OTF2_UNDEFINED_UINT32 };

static uint32_t main_, work, send_, recv_, barrier_, rank_, file_;

static tcfh *processes(uint32_t n, uint32_t threads)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, threads);
    main_ = tcfh_region(h, "main");
    work = tcfh_region(h, "work");
    send_ = tcfh_region(h, "MPI_Send");
    recv_ = tcfh_region(h, "MPI_Recv");
    barrier_ = tcfh_region(h, "MPI_Barrier");
    rank_ = tcfh_region(h, "MPI_Comm_rank");
    file_ = tcfh_region(h, "MPI_File_write_all");
    return h;
}

static void in(tcfh *h, uint32_t location, uint32_t region, uint64_t from, uint64_t to)
{
    tcfh_enter(h, location, from, region);
    tcfh_leave(h, location, to, region);
}

static void barrier(tcfh *h, uint32_t location, uint64_t enter, uint64_t end)
{
    tcfh_enter(h, location, enter, barrier_);
    tcfh_collective(h, location, enter, end, OTF2_COLLECTIVE_OP_BARRIER, 0, (uint32_t)NO_ROOT);
    tcfh_leave(h, location, end, barrier_);
}

static void send(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint32_t to, uint64_t bytes)
{
    tcfh_enter(h, location, enter, send_);
    tcfh_send(h, location, enter, to, 0, bytes);
    tcfh_leave(h, location, leave, send_);
}

static void receive(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint32_t from, uint64_t bytes)
{
    tcfh_enter(h, location, enter, recv_);
    tcfh_receive(h, location, leave, from, 0, bytes);
    tcfh_leave(h, location, leave, recv_);
}

static size_t rows(const char *text, const char *table)
{
    size_t n = 0;
    for (const char *line = strstr(text, table); line; line = strstr(line + 1, table))
        n += line > text && line[-1] == '\n';
    return n;
}

/* A line of the report, and as many lines of its table as are listed. However slices are cut. */
static void expect(tcfh *h, const char *options, const char *table, const char *const *line, size_t n)
{
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        char head[32];
        tcfh_cut(h, cut);
        tcfh_run(h, "[pipeline]\nchain = ppg\n[ppg]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n%s",
                 options);
        for (size_t i = 0; i < n; i++) {
            char text[256];
            snprintf(text, sizeof text, "%s,%s", table, line[i]);
            tcfh_line(h, "report", text);
        }
        snprintf(head, sizeof head, "%s,", table);
        if (rows(tcfh_text(h, "report"), head) != n)
            fail_msg("%zu rows of %s instead of %zu in:\n%s", rows(tcfh_text(h, "report"), head), table, n,
                     tcfh_text(h, "report"));
        tcfh_unchanged(h);
    }
}

#define EXPECT(h, options, table, ...)                                                                                 \
    do {                                                                                                               \
        static const char *const x_[] = {__VA_ARGS__};                                                                 \
        expect(h, options, table, x_, sizeof x_ / sizeof *x_);                                                         \
    } while (0)

/* 0 computes for 10, sends, computes for 30, works, computes for 20; 1 receives 5 too early, computes for 65. Both meet
 * in a barrier, in which 0 waits for 10. */
static tcfh *message_and_barrier(void)
{
    tcfh *h = processes(2, 1);
    tcfh_enter(h, 0, 0, main_);
    send(h, 0, 10, 20, 1, 8);
    in(h, 0, work, 50, 60);
    barrier(h, 0, 80, 100);
    tcfh_leave(h, 0, 110, main_);
    tcfh_enter(h, 1, 0, main_);
    receive(h, 1, 5, 25, 0, 8);
    barrier(h, 1, 90, 100);
    tcfh_leave(h, 1, 115, main_);
    return h;
}

static void vertices(void **state)
{
    (void)state;
    tcfh *h = message_and_barrier();
    EXPECT(h, "", "vertices", "0,,root,,,,,,", "1,0,function,main,,,,,main", "2,1,mpi,MPI_Barrier,,,,,main/MPI_Barrier",
           "3,1,mpi,MPI_Recv,,,,,main/MPI_Recv", "4,1,mpi,MPI_Send,,,,,main/MPI_Send",
           "5,1,function,work,,,,,main/work", "6,1,computation,main,,,MPI_Barrier,,main/(after MPI_Barrier)",
           "7,1,computation,main,,,MPI_Recv,MPI_Barrier,main/(after MPI_Recv)",
           "8,1,computation,main,,,MPI_Send,MPI_Barrier,main/(after MPI_Send)");
    tcfh_delete(h);
}

static void values(void **state)
{
    (void)state;
    tcfh *h = message_and_barrier();
    EXPECT(h, "", "values", "1,0,1,1e-08,0", "2,0,1,2e-08,1e-08", "4,0,1,1e-08,0", "5,0,1,1e-08,0", "6,0,1,1e-08,0",
           "8,0,1,5e-08,0", "1,1,1,5e-09,0", "2,1,1,1e-08,0", "3,1,1,2e-08,5e-09", "6,1,1,1.5e-08,0",
           "7,1,1,6.5e-08,0");
    tcfh_delete(h);
}

static void edges(void **state)
{
    (void)state;
    tcfh *h = message_and_barrier();
    EXPECT(h, "", "edges", "3,1,4,0,mpi_latesender,1,8,5e-09", "2,0,2,1,mpi_barrier_wait,1,8,1e-08");
    EXPECT(h, "", "traffic", "2,2,2,16", "3,4,1,8");
    tcfh_delete(h);
}

static void order(void **state)
{
    (void)state;
    tcfh *h = message_and_barrier();
    EXPECT(h, "", "order", "0,,1,2", "0,1,,2", "1,,3,1", "1,,4,1", "1,4,8,1", "1,8,5,1", "1,5,2,1", "1,3,7,1",
           "1,7,2,1", "1,2,6,2", "1,6,,2");
    tcfh_delete(h);
}

/* Where only MPI was recorded, computation is in the root. Calls without any time between them have none. */
static void only_mpi(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    in(h, 0, rank_, 10, 20);
    in(h, 0, recv_, 50, 60);
    in(h, 0, send_, 60, 70);
    in(h, 0, rank_, 80, 90);
    in(h, 0, recv_, 95, 100);
    EXPECT(h, "", "vertices", "0,,root,,,,,,", "1,0,mpi,MPI_Comm_rank,,,,,MPI_Comm_rank",
           "2,0,mpi,MPI_Recv,,,,,MPI_Recv", "3,0,mpi,MPI_Send,,,,,MPI_Send",
           "4,0,computation,,,,MPI_Comm_rank,MPI_Recv,(after MPI_Comm_rank)",
           "5,0,computation,,,,MPI_Send,MPI_Comm_rank,(after MPI_Send)");
    EXPECT(h, "", "values", "1,0,2,2e-08,0", "2,0,2,1.5e-08,0", "3,0,1,1e-08,0", "4,0,2,3.5e-08,0", "5,0,1,1e-08,0");
    EXPECT(h, "", "order", "0,,1,1", "0,1,4,2", "0,4,2,2", "0,2,3,1", "0,3,5,1", "0,5,1,1", "0,2,,1");
    tcfh_delete(h);
}

/* A call of the user's between two of MPI ends nothing; inside of it, the time before its first call of MPI is its own.
 * Time of a call of MPI that has others inside is its own. */
static void nested(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    tcfh_enter(h, 0, 0, main_);
    tcfh_enter(h, 0, 10, file_);
    in(h, 0, barrier_, 20, 30);
    tcfh_leave(h, 0, 50, file_);
    tcfh_enter(h, 0, 50, work);
    in(h, 0, send_, 60, 70);
    tcfh_leave(h, 0, 100, work);
    tcfh_leave(h, 0, 120, main_);
    EXPECT(h, "", "vertices", "0,,root,,,,,,", "1,0,function,main,,,,,main",
           "2,1,io,MPI_File_write_all,,,,,main/MPI_File_write_all",
           "3,2,mpi,MPI_Barrier,,,,,main/MPI_File_write_all/MPI_Barrier", "4,1,function,work,,,,,main/work",
           "5,4,mpi,MPI_Send,,,,,main/work/MPI_Send", "6,4,computation,work,,,MPI_Send,,main/work/(after MPI_Send)",
           "7,1,computation,main,,,MPI_File_write_all,,main/(after MPI_File_write_all)");
    EXPECT(h, "", "values", "1,0,1,1e-08,0", "2,0,1,3e-08,0", "3,0,1,1e-08,0", "4,0,1,1e-08,0", "5,0,1,1e-08,0",
           "6,0,1,3e-08,0", "7,0,1,2e-08,0");
    EXPECT(h, "", "order", "0,,1,1", "0,1,,1", "1,,2,1", "1,2,4,1", "1,4,7,1", "1,7,,1", "2,,3,1", "2,3,,1", "4,,5,1",
           "4,5,6,1", "4,6,,1");
    tcfh_delete(h);
}

/* A receive whose message is not in the trace waits for nobody; a barrier that one process never comes to, likewise. */
static void unmatched(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    receive(h, 0, 10, 60, 1, 8);
    barrier(h, 0, 70, 100);
    in(h, 1, work, 40, 90);
    expect(h, "", "edges", NULL, 0);
    expect(h, "", "traffic", NULL, 0);
    EXPECT(h, "", "values", "1,0,1,3e-08,0", "2,0,1,5e-08,0", "4,0,1,1e-08,0", "3,1,1,5e-08,0");
    tcfh_delete(h);
}

static void kinds(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    const uint32_t region[] = {
        tcfh_region_as(h, "a", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_USER),
        tcfh_region_as(h, "b", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP),
        tcfh_region_as(h, "c", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP),
        tcfh_region_as(h, "d", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_USER),
        tcfh_region_as(h, "e", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA),
        tcfh_region_as(h, "f", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_OPENMP),
        tcfh_region_as(h, "g", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MEASUREMENT_SYSTEM),
        tcfh_region_as(h, "h", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_SHMEM),
        tcfh_region_as(h, "pthread_join", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD),
    };
    for (uint32_t i = 0; i < sizeof region / sizeof *region; i++)
        in(h, 0, region[i], 10 * i, 10 * i + 10);
    EXPECT(h, "", "vertices", "0,,root,,,,,,", "1,0,loop,a,,,,,a", "2,0,loop,b,,,,,b", "3,0,omp,c,,,,,c",
           "4,0,io,d,,,,,d", "5,0,accelerator,e,,,,,e", "6,0,task,f,,,,,f", "7,0,measurement,g,,,,,g",
           "8,0,communication,h,,,,,h", "9,0,threads,pthread_join,,,,,pthread_join");
    tcfh_delete(h);
}

/* Threads and streams are locations of their own; those without events are left out. */
static void places(void **state)
{
    (void)state;
    char line[4][128];
    const char *expected[4];
    static const char *const rest[] = {"0,%s,0,0,0,cpu,%llu", "1,%s,0,0,2,accelerator,%llu", "2,%s,1,1,1,cpu,%llu",
                                       "3,%s,1,1,2,accelerator,%llu"};
    static const uint32_t location[] = {0, 2, 4, 5};
    tcfh *h = tcfh_new();
    tcfh_streams(h, 1);
    tcfh_processes(h, 2, 3);
    work = tcfh_region(h, "work");
    for (uint32_t i = 0; i < 4; i++)
        in(h, location[i], work, 10, 30);
    for (uint32_t i = 0; i < 4; i++) {
        const tcf_location *l = tcf_location_at(tcfh_definitions(h), location[i]);
        snprintf(line[i], sizeof line[i], rest[i], l->name ? l->name : "", (unsigned long long)l->id);
        expected[i] = line[i];
    }
    expect(h, "", "places", expected, 4);
    EXPECT(h, "", "values", "1,0,1,2e-08,0", "1,1,1,2e-08,0", "1,2,1,2e-08,0", "1,3,1,2e-08,0");
    tcfh_delete(h);
}

/* An accumulated metric, behind the first one, with values in thousands. */
static uint32_t accumulated(tcfh *h, const char *name)
{
    tcf_def_string text = {.self = 900, .string = name};
    tcfh_define(h, TCF_DEF_STRING, &text);
    tcf_def_metric_member member = {.self = 901,
                                    .name = text.self,
                                    .description = text.self,
                                    .value_type = OTF2_TYPE_UINT64,
                                    .metric_mode = OTF2_METRIC_ACCUMULATED_START,
                                    .base = OTF2_BASE_DECIMAL,
                                    .exponent = 3,
                                    .unit = text.self};
    tcfh_define(h, TCF_DEF_METRIC_MEMBER, &member);
    tcf_def_metric_class class = {.self = 902, .number_of_metrics = 1, .metric_members = &member.self};
    tcfh_define(h, TCF_DEF_METRIC_CLASS, &class);
    return 1;
}

/* What a counter grows by belongs to the vertex in which the location is at the sample, computation included. */
static void counters(void **state)
{
    (void)state;
    tcfh *h = processes(1, 1);
    const uint32_t absolute = tcfh_metric(h, "memory", OTF2_TYPE_UINT64), metric = accumulated(h, "instructions");
    tcfh_enter(h, 0, 0, main_);
    tcfh_metric_value(h, 0, 10, metric, OTF2_TYPE_UINT64, 1000);
    tcfh_metric_value(h, 0, 20, metric, OTF2_TYPE_UINT64, 1100);
    tcfh_metric_value(h, 0, 20, absolute, OTF2_TYPE_UINT64, 5);
    tcfh_metric_value(h, 0, 20, absolute, OTF2_TYPE_UINT64, 8);
    tcfh_enter(h, 0, 20, send_);
    tcfh_metric_value(h, 0, 30, metric, OTF2_TYPE_UINT64, 1107);
    tcfh_leave(h, 0, 30, send_);
    tcfh_metric_value(h, 0, 60, metric, OTF2_TYPE_UINT64, 2107);
    tcfh_leave(h, 0, 60, main_);
    EXPECT(h, "", "metrics", "1,0,instructions,100000", "2,0,instructions,7000", "3,0,instructions,1000000");
    tcfh_delete(h);
}

/* Those with the most time stay, with the call paths around them. */
static void most_vertices(void **state)
{
    (void)state;
    tcfh *h = message_and_barrier();
    EXPECT(h, "max_vertices = 4\n", "vertices", "0,,root,,,,,,", "1,0,function,main,,,,,main",
           "2,1,computation,main,,,MPI_Recv,,main/(after MPI_Recv)",
           "3,1,computation,main,,,MPI_Send,,main/(after MPI_Send)",
           "4,0,rest,(beyond max_vertices),,,,,(beyond max_vertices)");
    EXPECT(h, "max_vertices = 4\n", "values", "1,0,1,1e-08,0", "3,0,1,5e-08,0", "4,0,4,5e-08,1e-08", "1,1,1,5e-09,0",
           "2,1,1,6.5e-08,0", "4,1,3,4.5e-08,5e-09");
    tcfh_delete(h);
}

/* Waits beyond the cap are rows by pattern. */
static void most_edges(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    for (uint32_t l = 0; l < 3; l++)
        barrier(h, l, 10 * l, 30);
    EXPECT(h, "max_edges = 1\n", "edges", ",,,,mpi_barrier_wait,1,8,1e-08", "1,0,1,2,mpi_barrier_wait,1,8,2e-08");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices),  cmocka_unit_test(values),        cmocka_unit_test(edges),
        cmocka_unit_test(order),     cmocka_unit_test(only_mpi),      cmocka_unit_test(nested),
        cmocka_unit_test(unmatched), cmocka_unit_test(kinds),         cmocka_unit_test(places),
        cmocka_unit_test(counters),  cmocka_unit_test(most_vertices), cmocka_unit_test(most_edges),
    };
    return cmocka_run_group_tests_name("ppg", tests, NULL, NULL);
}
