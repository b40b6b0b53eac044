/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What domains tell each other of messages, and what they decide together: payloads and numbers arrive, whoever is far
 * ahead; where all of them wait, the earliest event of all goes on; members that contribute nothing are found wherever
 * they are. test_exchange.c has collectives and answers, test_domains.sh whole filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdatomic.h>

#include "tests/support/harness.h"

enum { MANY = 1500, MOST_DOMAINS = 4 };

struct sent {
    uint64_t location, event, time;
};

static atomic_uint wrong, received, lost;

static tcf_status witness_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e)) {
            if (!tcf_is_message(e))
                continue;
            struct sent *p = self->host->payload(self, e);
            uint64_t latest = 0;
            if (e->flags & TCF_EDGE_SOURCE && p) {
                *p = (struct sent){s->location, s->first + i, s->time[i]};
                self->host->publish(self, e, 0, s->time[i]);
            } else if (e->flags & TCF_EDGE_UNMATCHED) {
                lost++;
            } else if (e->flags & TCF_EDGE_TARGET) {
                received++;
                wrong += !p || !self->host->latest(self, e, 0, &latest) || latest != p->time || p->location != e->peer;
            }
        }
    return TCF_OK;
}

static const tcf_filter witness = {
    .head = TCF_FILTER_HEAD,
    .name = "witness",
    .version = "1",
    .summary = "Follows messages",
    .message_bytes = sizeof(struct sent),
    .can = TCF_CAN_DOMAINS,
    .span = witness_span,
};

static tcfh *processes(uint32_t n)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, 1);
    tcfh_filter(h, &witness);
    wrong = received = lost = 0;
    return h;
}

static void run(tcfh *h, uint32_t threads, uint32_t max_messages)
{
    tcfh_run(h, "[pipeline]\nchain = witness\nthreads = %u\nmax_messages = %u\n", threads, max_messages);
    tcfh_unchanged(h);
    assert_int_equal(wrong, 0);
}

/* The second process receives all that the first has sent behind a message which the first sends last: more than a
 * domain may have under way. */
static void far_ahead(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++) {
        tcfh *h = processes(4);
        for (uint32_t k = 0; k < MANY; k++)
            tcfh_send(h, 0, 10 + k, 1, k % 7, 8);
        tcfh_send(h, 0, 20000, 2, 1, 8);
        tcfh_receive(h, 2, 20010, 0, 1, 8);
        tcfh_send(h, 2, 20020, 1, 100, 8);
        tcfh_receive(h, 1, 20030, 2, 100, 8);
        for (uint32_t k = 0; k < MANY; k++)
            tcfh_receive(h, 1, 20040 + k, 0, k % 7, 8);
        run(h, threads, 2 * MANY);
        assert_int_equal(received, MANY + 2);
        assert_int_equal(lost, 0);
        assert_int_equal(tcfh_note(h, "given_up") + tcfh_note(h, "dropped_messages"), 0);
        tcfh_delete(h);
    }
}

/* Two receives never get their messages. The earlier one goes on first, and what it held back is sent: the two others
 * that wait at the same time need not go on without their messages. */
static void the_earliest_goes_on(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++) {
        tcfh *h = processes(4);
        const uint32_t region = tcfh_region(h, "main");
        for (uint32_t l = 0; l < 4; l++)
            tcfh_enter(h, l, 10, region);
        tcfh_receive(h, 3, 100, 0, 9, 8); /* never sent */
        tcfh_send(h, 3, 110, 0, 1, 8);
        tcfh_receive(h, 0, 105, 3, 1, 8);
        tcfh_send(h, 0, 120, 2, 1, 8);
        tcfh_receive(h, 2, 101, 0, 1, 8);
        tcfh_send(h, 2, 130, 1, 1, 8);
        tcfh_receive(h, 1, 102, 2, 1, 8);
        tcfh_receive(h, 1, 200, 3, 9, 8); /* never sent */
        tcfh_send(h, 1, 210, 3, 2, 8);
        tcfh_receive(h, 3, 220, 1, 2, 8);
        run(h, threads, 1000);
        assert_int_equal(received, 4);
        assert_int_equal(lost, 2);
        tcfh_delete(h);
    }
}

/* The root of a gather waits for a member which, as the record of its end says, sends nothing; that one comes to it
 * only behind a message which the root sends afterwards. */
static void members_without_data(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++)
        for (uint32_t root = 0; root < 4; root++) {
            tcfh *h = processes(4);
            const uint32_t empty = (root + 1) % 4;
            for (uint32_t l = 0; l < 4; l++) {
                const uint64_t bytes = l == empty ? 0 : 8;
                if (l == empty)
                    tcfh_receive(h, l, 50, root, 1, 8);
                tcfh_collective_begin(h, l, 100);
                tcfh_collective_end(h, l, 110,
                                    (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, root, bytes,
                                                                l == root ? 24u : 0u});
                if (l == root)
                    tcfh_send(h, l, 120, empty, 1, 8);
            }
            run(h, threads, 1000);
            assert_int_equal(received, 1);
            assert_int_equal(lost, 0);
            assert_int_equal(tcfh_note(h, "given_up"), 0);
            tcfh_delete(h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_ahead),
        cmocka_unit_test(the_earliest_goes_on),
        cmocka_unit_test(members_without_data),
    };
    return cmocka_run_group_tests_name("letters", tests, NULL, NULL);
}
