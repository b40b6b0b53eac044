/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Waits where calls of MPI are not recorded as regions: their events stand directly in a region of the user's. Worked
 * out by hand from plugins/wait_states/README.md. */
#include "expect.h"

/* Calls of MPI that aren't regions: a receive in the user's region waits at most since its rank was in a call, or
 * communicated, there; the sender comes when it sends. */
static void receives_without_calls(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    uint32_t inner = tcfh_region(h, "inner");
    tcfh_enter(h, 0, 0, work);
    tcfh_send(h, 0, 150, 1, 7, 8);
    tcfh_send(h, 0, 400, 1, 7, 8);
    tcfh_send(h, 0, 600, 1, 7, 8);
    tcfh_leave(h, 0, 900, work);
    tcfh_enter(h, 1, 10, work);
    tcfh_receive(h, 1, 160, 0, 7, 8); /* since the enter */
    tcfh_enter(h, 1, 200, inner);
    tcfh_leave(h, 1, 300, inner);
    tcfh_receive(h, 1, 410, 0, 7, 8); /* since the call before it */
    tcfh_receive(h, 1, 610, 0, 7, 8); /* since the receive before it */
    tcfh_leave(h, 1, 1000, work);
    EXPECT(h, "", {"mpi_latesender", 1, 10, 140, 0, 150, 0}, {"mpi_latesender", 1, 300, 100, 0, 400, 0},
           {"mpi_latesender", 1, 410, 190, 0, 600, 0});
    tcfh_delete(h);
}

/* Nothing shows when the call of a send was left, so it waits for no receiver; what completes a non-blocking one does.
 */
static void sends_without_calls(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_enter(h, 0, 0, work);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_event(h, 0, 250, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){1, 0, 8, 8, 1});
    tcfh_event(h, 0, 400, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){1});
    tcfh_leave(h, 0, 900, work);
    tcfh_enter(h, 1, 210, mpi_call);
    tcfh_receive(h, 1, 230, 0, 7, 8);
    tcfh_leave(h, 1, 240, mpi_call);
    tcfh_enter(h, 1, 260, mpi_call);
    tcfh_receive(h, 1, 270, 0, 8, 8);
    tcfh_leave(h, 1, 280, mpi_call);
    EXPECT(h, "", {"mpi_latereceiver_completion", 0, 250, 10, 1, 260, 0});
    tcfh_delete(h);

    h = processes(2, 1);
    tcfh_enter(h, 0, 0, work);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_leave(h, 0, 900, work);
    tcfh_enter(h, 1, 210, mpi_call);
    tcfh_receive(h, 1, 230, 0, 7, 8);
    tcfh_leave(h, 1, 240, mpi_call);
    expect_none(h, "");
    tcfh_delete(h);
}

/* An operation that is recorded outside of any call of MPI begins with its begin: what its rank did before is no
 * wait. */
static void collectives_without_calls(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 0, work);
        tcfh_event(h, l, 100 + 200 * l, TCF_MPI_COLLECTIVE_BEGIN, &(tcf_ev_mpi_collective_begin){0});
        tcfh_event(h, l, 310, TCF_MPI_COLLECTIVE_END,
                   &(tcf_ev_mpi_collective_end){.collective_op = OTF2_COLLECTIVE_OP_BARRIER, .root = TCF_NONE});
        tcfh_leave(h, l, 900, work);
    }
    EXPECT(h, "", {"mpi_barrier_wait", 0, 100, 200, 1, 300, 0});
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receives_without_calls),
        cmocka_unit_test(sends_without_calls),
        cmocka_unit_test(collectives_without_calls),
    };
    return cmocka_run_group_tests_name("wait_states: events outside of calls", tests, NULL, NULL);
}
