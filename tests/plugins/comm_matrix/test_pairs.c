/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_matrix on small traces, worked out by hand: ranks of sub-, inter- and self communicators, losses, ranks that
 * nobody has, threads, collectives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "comm_matrix", options);
}

/* Is there a row that begins so, the ids at its end left aside? */
static void has(const char *text, const char *begin)
{
    harness_has(text, begin, "");
}

static int rows(const char *text, const char *table)
{
    int n = 0;
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        n += strncmp(line, table, strlen(table)) == 0;
    return n;
}

/* Rank 0 of {2, 0} is the world's 2: a message from the world's 0 to it. */
static void world_ranks(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 3, 1);
    uint32_t comm = tcfh_comm(h, "pair", 2, (const uint32_t[]){2, 0});
    tcfh_send_on(h, 0, 10, comm, 0, 7);
    tcfh_receive_on(h, 2, 20, comm, 1, 7);
    tcfh_send(h, 0, 30, 1, 7, 100);
    tcfh_send(h, 0, 40, 1, 7, 11);
    tcfh_receive(h, 1, 50, 0, 7, 100); /* the other one is lost */
    const char *text = run(h, "");
    has(text, "comm_matrix,0,rank 0,1,rank 1,2,1,111,100,");
    has(text, "comm_matrix,0,rank 0,2,rank 2,1,1,8,8,");
    assert_int_equal(rows(text, "comm_matrix,"), 2);
    has(text, "processes,0,rank 0,3,0,119,0,0,0,0,");
    has(text, "processes,1,rank 1,0,1,0,100,0,0,0,");
    has(text, "processes,2,rank 2,0,1,0,8,0,0,0,");
    assert_int_equal(rows(text, "processes,"), 3);
    tcfh_delete(h);
}

/* Groups {0, 1} and {2}: rank 0 is 2 for the first, and 0 for the second. */
static void other_communicators(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 3, 1);
    uint32_t inter = tcfh_inter_comm(h, "inter", 2, (const uint32_t[]){0, 1}, 1, (const uint32_t[]){2});
    uint32_t self = tcfh_self_comm(h);
    tcfh_send_on(h, 1, 10, inter, 0, 1);
    tcfh_receive_on(h, 2, 20, inter, 1, 1);
    tcfh_send_on(h, 2, 30, inter, 0, 1);
    tcfh_receive_on(h, 0, 40, inter, 0, 1);
    tcfh_send_on(h, 1, 50, self, 0, 1);
    tcfh_receive_on(h, 1, 60, self, 0, 1);
    tcfh_send_on(h, 1, 70, self, 1, 1); /* nobody is rank 1 of MPI_COMM_SELF */
    tcfh_send(h, 1, 80, 3, 1, 5);       /* nor 3 of three */
    const char *text = run(h, "");
    has(text, "comm_matrix,1,rank 1,2,rank 2,1,1,8,8,");
    has(text, "comm_matrix,2,rank 2,0,rank 0,1,1,8,8,");
    has(text, "comm_matrix,1,rank 1,1,rank 1,1,1,8,8,");
    has(text, "comm_matrix,1,rank 1,-1,(unknown),2,0,13,0,");
    assert_int_equal(rows(text, "comm_matrix,"), 4);
    has(text, "processes,1,rank 1,4,1,29,8,0,0,0,");
    tcfh_delete(h);
}

/* Two processes of two threads: the second thread of the first one sends, and the other process' second one
 * receives. */
static void threads(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 2);
    tcfh_send(h, 1, 10, 1, 7, 4);
    tcfh_receive(h, 3, 20, 0, 7, 4);
    const char *text = run(h, "");
    has(text, "comm_matrix,0,rank 0,1,rank 1,1,1,4,4,");
    assert_int_equal(rows(text, "comm_matrix,"), 1);
    text = run(h, "by = location\n");
    /* Who received is known by its rank only, and so is who sent. */
    char sent[200], received[200];
    const tcf_definitions *defs = tcfh_definitions(h);
    snprintf(sent, sizeof sent, "comm_matrix,0,rank 0,%s,1,rank 1,%s,1,0,4,0,", defs->locations[1].name,
             defs->locations[2].name);
    snprintf(received, sizeof received, "comm_matrix,0,rank 0,%s,1,rank 1,%s,0,1,0,4,", defs->locations[0].name,
             defs->locations[3].name);
    has(text, sent);
    has(text, received);
    assert_int_equal(rows(text, "comm_matrix,"), 2);
    assert_int_equal(rows(text, "processes,"), 4); /* both ranks' first locations, and who communicates */
    tcfh_delete(h);
}

/* Two processes of two ranks and a further thread each: ranks 0 and 1, 2 and 3 exchange, and a thread of which nobody
 * knows whose calls it makes sends, too. */
static void several_ranks(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_ranks(h, 2);
    tcfh_processes(h, 2, 3);
    tcfh_send(h, 0, 10, 1, 7, 4);
    tcfh_receive(h, 1, 20, 0, 7, 4);
    tcfh_send(h, 1, 30, 3, 7, 5);
    tcfh_receive(h, 4, 40, 1, 7, 5);
    tcfh_send(h, 2, 50, 3, 7, 6);
    const char *text = run(h, "");
    has(text, "comm_matrix,0,rank 0,1,rank 0,1,1,4,4,");
    has(text, "comm_matrix,1,rank 0,3,rank 1,1,1,5,5,");
    has(text, "comm_matrix,-1,rank 0,3,rank 1,1,0,6,0,");
    assert_int_equal(rows(text, "comm_matrix,"), 3);
    has(text, "processes,0,rank 0,1,0,4,0,");
    has(text, "processes,1,rank 0,1,1,5,4,");
    has(text, "processes,2,rank 1,0,0,0,0,");
    has(text, "processes,3,rank 1,0,1,0,5,");
    has(text, "processes,-1,rank 0,1,0,6,0,");
    assert_int_equal(rows(text, "processes,"), 5);
    tcfh_delete(h);
}

static void collectives(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    for (uint32_t l = 0; l < 2; l++)
        for (uint64_t k = 0; k < 3; k++) {
            tcfh_collective_begin(h, l, 10 + 10 * k);
            tcfh_collective_end(h, l, 15 + 10 * k,
                                (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BCAST, 0, 0, l == 0 ? 100 : 0, 50});
        }
    const char *text = run(h, "");
    has(text, "collectives,0,rank 0,BCAST,3,300,150,");
    has(text, "collectives,1,rank 1,BCAST,3,0,150,");
    assert_int_equal(rows(text, "collectives,"), 2);
    has(text, "processes,0,rank 0,0,0,0,0,3,300,150,");
    tcfh_delete(h);
}

/* Rank 0 sends to 1, 2 and 3 in this order: with room for two partners, the message to 3 loses its own. */
static void few_pairs(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 4, 1);
    for (uint32_t to = 1; to < 4; to++)
        tcfh_send(h, 0, 10 * to, to, 7, to);
    tcfh_receive(h, 3, 50, 0, 7, 3);
    const char *text = run(h, "max_pairs = 2\n");
    has(text, "comm_matrix,0,rank 0,1,rank 1,1,0,1,0,");
    has(text, "comm_matrix,0,rank 0,2,rank 2,1,0,2,0,");
    has(text, "comm_matrix,0,rank 0,3,rank 3,0,1,0,3,");
    has(text, "comm_matrix,0,rank 0,-1,(beyond max_pairs),1,0,3,0,");
    assert_int_equal(rows(text, "comm_matrix,"), 4);
    tcfh_delete(h);
}

/* Rank 0 puts 10 bytes to 1, gets 20 from it, and an atomic operation takes 3 there and 4 back; the window is of a
 * communicator {1, 0}, so that 1 is its rank 0. */
static void one_sided(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t window = tcfh_window(h, tcfh_comm(h, "turned", 2, (const uint32_t[]){1, 0}));
    tcfh_event(h, 0, 10, TCF_RMA_PUT, &(tcf_ev_rma_put){.win = window, .remote = 0, .bytes = 10});
    tcfh_event(h, 0, 20, TCF_RMA_GET, &(tcf_ev_rma_get){.win = window, .remote = 0, .bytes = 20});
    tcfh_event(h, 0, 30, TCF_RMA_ATOMIC,
               &(tcf_ev_rma_atomic){.win = window, .remote = 0, .bytes_sent = 3, .bytes_received = 4});
    const char *text = run(h, "");
    has(text, "comm_matrix,0,rank 0,1,rank 1,0,0,0,0,1,10,0,0,1,3,");
    has(text, "comm_matrix,1,rank 1,0,rank 0,0,0,0,0,0,0,1,20,0,4,");
    has(text, "processes,0,rank 0,0,0,0,0,0,0,0,1,10,1,20,1,7,");
    has(text, "processes,1,rank 1,0,0,0,0,0,0,0,0,0,0,0,0,0,");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_ranks),   cmocka_unit_test(other_communicators), cmocka_unit_test(threads),
        cmocka_unit_test(several_ranks), cmocka_unit_test(collectives),         cmocka_unit_test(few_pairs),
        cmocka_unit_test(one_sided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
