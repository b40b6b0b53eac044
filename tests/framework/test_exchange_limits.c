/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What happens to messages and collectives in a causal segment when a cap is reached, when sides or members are
 * missing, or when what they belong to stands too far behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <string.h>

#include "tests/support/harness.h"

/* What became of each message, by its length: 1 matched, 2 its receive is unmatched. */
static struct {
    uint8_t fate[8192];
    uint64_t wrong, completed, given_up_ends;
    uint8_t op[16];          /* of the last collectives that were complete, by number */
    uint32_t order[8192], n; /* lengths of receives, in the order in which they were seen */
} mail;

static void look_at_message(const tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    uint64_t *payload = self->host->payload(self, e);
    if (e->flags & TCF_EDGE_SOURCE) {
        uint64_t id = s->kind[i] == TCF_MPI_SEND ? s->rec[i].mpi_send.msg_length : s->rec[i].mpi_isend.msg_length;
        mail.wrong += payload && *payload; /* zeroed */
        if (payload)
            *payload = id;
        return;
    }
    uint64_t id = s->kind[i] == TCF_MPI_RECV ? s->rec[i].mpi_recv.msg_length : s->rec[i].mpi_irecv.msg_length;
    mail.fate[id] = payload ? 1 : 2;
    mail.order[mail.n++] = (uint32_t)id;
    mail.wrong += payload ? *payload != id : !(e->flags & TCF_EDGE_UNMATCHED);
}

static tcf_status mail_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        mail.wrong += !harness_edge_shown(s, i);
        if (e && e->class_ == TCF_CLASS_P2P)
            look_at_message(self, s, i, e);
        else if (e && e->class_ != TCF_CLASS_NONE)
            mail.given_up_ends += (e->flags & TCF_EDGE_UNMATCHED) != 0;
    }
    return TCF_OK;
}

static tcf_status mail_complete(tcf_self *self, const tcf_collective *i)
{
    (void)self;
    mail.op[i->number % sizeof mail.op] = i->op;
    mail.completed++;
    return TCF_OK;
}

static const tcf_filter mails = {
    .head = TCF_FILTER_HEAD,
    .name = "mails",
    .version = "1",
    .summary = "Checks messages",
    .message_bytes = 8,
    .span = mail_span,
    .collective_complete = mail_complete,
};

/* A span filter that does nothing, and behind its segment one that holds a slice of each location, and answers. */
static tcf_status pass_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self, (void)s, (void)from, (void)to;
    return TCF_OK;
}

static const tcf_filter passer = {
    .head = TCF_FILTER_HEAD,
    .name = "passer",
    .version = "1",
    .summary = "Nothing",
    .needs = TCF_NEED_EDGES,
    .span = pass_span,
};

enum { MOST = 4 };
static tcf_slice *held[MOST];

static tcf_status let_go(tcf_self *self, uint32_t l)
{
    tcf_slice *s = held[l];
    held[l] = NULL;
    return s ? self->host->release(self, s) : TCF_OK;
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    for (uint32_t k = 0; k < s->n_edges; k++)
        if (s->edges[k].flags & TCF_EDGE_TARGET)
            self->host->answer(self, &s->edges[k], s->time[s->edges[k].pos]);
    tcf_status status = let_go(self, s->location);
    held[s->location] = s;
    return status == TCF_OK ? TCF_HELD : status;
}

static tcf_status hold_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < MOST; l++)
        if (let_go(self, l) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static const tcf_filter holder = {
    .head = TCF_FILTER_HEAD,
    .name = "holder",
    .version = "1",
    .summary = "Answers",
    .can = TCF_CAN_ANSWER | TCF_CAN_HOLD,
    .slice = hold_slice,
    .flush = hold_flush,
    .end = hold_flush,
};

static tcfh *make(uint32_t processes)
{
    tcfh *h = tcfh_new();
    memset(&mail, 0, sizeof mail);
    tcfh_filter(h, &mails);
    tcfh_processes(h, processes, 1);
    tcfh_region(h, "work");
    return h;
}

/* ---------------------------------------------------------------------------------------------------------- caps -- */

/* Somebody can take what is in flight: the cap costs nothing. */
static void cap_with_a_receiver_at_work(void **state)
{
    (void)state;
    tcfh *h = make(3);
    tcfh_enter(h, 1, 0, 0); /* so that clocks can be compared */
    for (uint32_t k = 0; k < 400; k++) {
        tcfh_send(h, 0, k, 1, 1, k);
        tcfh_receive(h, 1, 1000000 + 10 * k, 0, 1, k); /* much later, as clocks go */
        tcfh_enter(h, 2, k * 3, 0);
    }
    tcfh_filter(h, &passer);
    tcfh_filter(h, &holder);
    static const char *const chains[] = {"mails", "passer holder mails"}; /* the receiver may still be in front, too */
    for (size_t i = 0; i < 2; i++) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = %s\nmax_messages = 10\nslice = 4\n", chains[i]);
        assert_int_equal(mail.wrong, 0);
        assert_int_equal(mail.n, 400);
        for (uint32_t k = 0; k < 400; k++)
            assert_int_equal(mail.fate[k], 1);
        assert_int_equal(tcfh_note(h, "dropped_messages") + tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

/* First the event that has waited longest goes on alone; what is in flight stays. */
static void cap_with_a_parked_receiver(void **state)
{
    (void)state;
    tcfh *h = make(3);
    tcfh_receive(h, 1, 1, 0, 9, 1000); /* sent after all the others */
    tcfh_receive(h, 2, 2, 0, 9, 1001); /* likewise, but it waits later */
    for (uint32_t k = 0; k < 60; k++) {
        tcfh_send(h, 0, 10 + k, 1, 1, k);
        tcfh_receive(h, 1, 10 + k, 0, 1, k);
    }
    tcfh_send(h, 0, 200, 1, 9, 1000);
    tcfh_send(h, 0, 201, 2, 9, 1001);
    tcfh_send(h, 0, 202, 1, 9, 1002);
    tcfh_receive(h, 1, 203, 0, 9, 1002); /* is not paired with what 1000 missed */
    tcfh_run(h, "[pipeline]\nchain = mails\nmax_messages = 10\n");
    assert_int_equal(mail.wrong, 0);
    for (uint32_t k = 0; k < 60; k++)
        assert_int_equal(mail.fate[k], 1);
    assert_int_equal(mail.fate[1000], 2);
    assert_int_equal(mail.fate[1001], 1);
    assert_int_equal(mail.fate[1002], 1);
    assert_int_equal(tcfh_note(h, "given_up"), 1);
    assert_int_equal(tcfh_note(h, "dropped_messages"), 0);
    tcfh_delete(h);
}

/* Nothing waits: then the oldest message is given up. */
static void cap_without_a_receiver(void **state)
{
    (void)state;
    tcfh *h = make(1);
    for (uint32_t k = 0; k < 100; k++)
        tcfh_send(h, 0, k, 0, 1, k);
    for (uint32_t k = 0; k < 100; k++)
        tcfh_receive(h, 0, 200 + k, 0, 1, k);
    tcfh_filter(h, &passer);
    tcfh_filter(h, &holder);
    static const char *const chains[] = {"mails", "passer holder mails"};
    for (size_t i = 0; i < 2; i++) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = %s\nmax_messages = 10\n", chains[i]);
        assert_int_equal(mail.wrong, 0);
        for (uint32_t k = 0; k < 100; k++)
            assert_int_equal(mail.fate[k], k < 90 ? 2 : 1);
        assert_int_equal(tcfh_note(h, "dropped_messages"), 90);
    }
    tcfh_delete(h);
}

/* Which one is the oldest is known behind any number of messages that have come and gone. */
static void cap_behind_many_messages(void **state)
{
    (void)state;
    tcfh *h = make(1);
    for (uint32_t k = 0; k < 10; k++)
        tcfh_send(h, 0, 1, 0, 9, k);
    for (uint32_t k = 1000; k < 6000; k++) {
        tcfh_send(h, 0, k, 0, 1, k);
        tcfh_receive(h, 0, k, 0, 1, k);
    }
    for (uint32_t k = 10; k < 50; k++)
        tcfh_send(h, 0, 7000, 0, 9, k);
    for (uint32_t k = 0; k < 50; k++)
        tcfh_receive(h, 0, 8000, 0, 9, k);
    tcfh_run(h, "[pipeline]\nchain = mails\nmax_messages = 30\n");
    assert_int_equal(mail.wrong, 0);
    for (uint32_t k = 0; k < 50; k++)
        assert_int_equal(mail.fate[k], k < 20 ? 2 : 1);
    for (uint32_t k = 1000; k < 6000; k++)
        assert_int_equal(mail.fate[k], 1);
    assert_int_equal(tcfh_note(h, "dropped_messages"), 20);
    tcfh_delete(h);
}

/* The oldest in flight is what a send has left that was dropped: its receive finds it in the end, and a message is
 * given up instead. */
static tcf_status drop_first(tcf_self *self, tcf_slice *s)
{
    uint8_t keep[4096];
    for (uint32_t i = 0; i < s->n; i++)
        keep[i] = s->kind[i] != TCF_MPI_SEND || s->rec[i].mpi_send.msg_length != 999;
    self->host->compact(self, s, keep);
    return TCF_OK;
}

static const tcf_filter first_dropper = {
    .head = TCF_FILTER_HEAD,
    .name = "first_dropper",
    .version = "1",
    .summary = "Drops the send of 999 bytes",
    .can = TCF_CAN_DROP,
    .slice = drop_first,
};

static void cap_behind_a_dropped_send(void **state)
{
    (void)state;
    tcfh *h = make(1);
    tcfh_filter(h, &first_dropper);
    tcfh_send(h, 0, 1, 0, 1, 999);
    for (uint32_t k = 0; k < 100; k++)
        tcfh_send(h, 0, 2 + k, 0, 1, k);
    tcfh_receive(h, 0, 200, 0, 1, 999);
    for (uint32_t k = 0; k < 100; k++)
        tcfh_receive(h, 0, 201 + k, 0, 1, k);
    tcfh_run(h, "[pipeline]\nchain = first_dropper mails\nmax_messages = 10\n");
    assert_int_equal(mail.wrong, 0);
    assert_int_equal(mail.fate[999], 2);
    for (uint32_t k = 0; k < 100; k++)
        assert_int_equal(mail.fate[k], k < 91 ? 2 : 1);
    assert_int_equal(tcfh_note(h, "dropped_messages"), 91);
    assert_int_equal(tcfh_note(h, "given_up"), 91);
    tcfh_delete(h);
}

/* Threads of a process send on one channel; one in the middle passes its send when all others have passed theirs, and
 * the receiver comes when all have. */
static void a_thread_that_comes_late(void **state)
{
    (void)state;
    enum { THREADS = 100, LATE = 70 };
    tcfh *h = tcfh_new();
    memset(&mail, 0, sizeof mail);
    tcfh_filter(h, &mails);
    tcfh_processes(h, 2, THREADS);
    tcfh_receive(h, LATE, 50, 0, 2, 500); /* by its clock before all that it waits for */
    for (uint32_t k = 0; k < THREADS; k++)
        tcfh_send(h, k, 100 + k, 1, 1, k);
    tcfh_send(h, THREADS - 1, 200, 0, 2, 500);
    for (uint32_t k = 0; k < THREADS; k++)
        tcfh_send(h, k, 201, 1, 3 + k, 501 + k);
    for (uint32_t k = 0; k < THREADS; k++)
        tcfh_receive(h, THREADS, 300, 0, 3 + k, 501 + k);
    for (uint32_t k = 0; k < THREADS; k++)
        tcfh_receive(h, THREADS, 301 + k, 0, 1, k);
    tcfh_run(h, "[pipeline]\nchain = mails\n");
    assert_int_equal(mail.wrong, 0);
    for (uint32_t k = 0; k < THREADS; k++)
        assert_int_equal(mail.fate[k] + mail.fate[501 + k], 2);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

/* Threads of a process receive on one channel; the last one passes its receive first, and each lets the one before it
 * go on. Behind all of that the channel is used once more, in order. */
static void receive_backwards(uint32_t n)
{
    enum { AGAIN = 1000 };
    tcfh *h = tcfh_new();
    memset(&mail, 0, sizeof mail);
    tcfh_filter(h, &mails);
    tcfh_processes(h, 2, n);
    for (uint32_t k = 0; k < 2 * n; k++)
        tcfh_send(h, n, 10 + k, 0, 1, k);
    for (uint32_t k = 0; k < n; k++) {
        if (k + 1 < n)
            tcfh_receive(h, k, 500, 0, 10 + k, AGAIN + k);
        tcfh_receive(h, k, 600 + k, 1, 1, k);
        if (k > 0)
            tcfh_send(h, k, 700, 0, 10 + k - 1, AGAIN + k - 1);
        tcfh_receive(h, k, 800 + k, 1, 1, n + k);
        tcfh_send(h, k, 1000, 1, 1, 2 * AGAIN + k);
    }
    for (uint32_t k = 0; k < n; k++)
        tcfh_receive(h, n, 1100, 0, 1, 2 * AGAIN + k);
    for (uint32_t k = 2 * n; k < 3 * n; k++) {
        tcfh_send(h, n, 1200 + k, 0, 1, k);
        tcfh_receive(h, 0, 2000 + k, 1, 1, k);
    }
    tcfh_run(h, "[pipeline]\nchain = mails\n");
    assert_int_equal(mail.wrong, 0);
    assert_int_equal(mail.order[0], n - 1);
    for (uint32_t k = 0; k < 3 * n; k++)
        assert_int_equal(mail.fate[k], 1);
    for (uint32_t k = 0; k + 1 < n; k++)
        assert_int_equal(mail.fate[AGAIN + k], 1);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

static void threads_that_receive_backwards(void **state)
{
    (void)state;
    receive_backwards(5);
    receive_backwards(40); /* are found by number */
}

/* More locations than the table of recent channels has room for. */
static void many_locations(void **state)
{
    (void)state;
    enum { RANKS = 5000 };
    tcfh *h = make(RANKS);
    for (uint32_t l = 0; l < RANKS; l++) {
        tcfh_receive(h, l, 10, (l + RANKS - 1) % RANKS, 1, l);
        tcfh_send(h, (l + RANKS - 1) % RANKS, l > 0 ? 11 : 9, l, 1, l);
    }
    tcfh_run(h, "[pipeline]\nchain = mails\nslice = 4\n");
    assert_int_equal(mail.wrong, 0);
    for (uint32_t l = 0; l < RANKS; l++)
        assert_int_equal(mail.fate[l], 1);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

/* --------------------------------------------------------------------------------------- messages without a side -- */

/* Of every three messages one loses its receive, one its send, one both. */
static tcf_status drop_slice(tcf_self *self, tcf_slice *s)
{
    uint8_t keep[4096];
    for (uint32_t i = 0; i < s->n; i++) {
        int is_receive = s->kind[i] == TCF_MPI_RECV, is_send = s->kind[i] == TCF_MPI_SEND;
        uint64_t id = is_receive ? s->rec[i].mpi_recv.msg_length : is_send ? s->rec[i].mpi_send.msg_length : 0;
        keep[i] = !((is_receive && id % 3 != 1) || (is_send && id % 3 != 0));
    }
    self->host->compact(self, s, keep);
    return TCF_OK;
}

static const tcf_filter dropper = {
    .head = TCF_FILTER_HEAD,
    .name = "dropper",
    .version = "1",
    .summary = "Drops sides of messages",
    .can = TCF_CAN_DROP,
    .slice = drop_slice,
};

/* The ends of dropped messages meet once and leave nothing: neither here nor where the same edges are gone by again,
 * behind a filter that holds slices or by the reader of a stream. Receives come in front of their sends, and behind
 * them. */
static void dropped_ends(void **state)
{
    (void)state;
    tcfh *h = make(2);
    for (uint32_t k = 0; k < 300; k++) {
        uint64_t t = 100 + 100 * k;
        tcfh_send(h, k % 2, t, (k + 1) % 2, 1, k);
        tcfh_receive(h, (k + 1) % 2, t + 50, k % 2, 1, k);
    }
    tcfh_filter(h, &dropper);
    tcfh_filter(h, &holder);
    for (uint32_t shift = 0; shift <= 1; shift++) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h,
                 "[pipeline]\nchain = dropper mails holder again\nmax_messages = 20\nslice = %u\nquantum = 1 ticks\n"
                 "[again]\nfilter = mails\n",
                 shift ? 4 : 64);
        assert_int_equal(tcfh_note(h, "dropped_messages"), 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

/* A lost message: its receive goes on alone, in time for the rest of the trace to be matched. */
static void lost_messages(void **state)
{
    (void)state;
    tcfh *h = make(3);
    for (uint32_t l = 0; l < 3; l++)
        tcfh_enter(h, l, 0, 0); /* so that clocks can be compared */
    tcfh_receive(h, 1, 5, 0, 7, 500);
    for (uint32_t k = 0; k < 20; k++) {
        tcfh_send(h, 1, 10 + 10 * k, 2, 1, k);
        tcfh_receive(h, 2, 15 + 10 * k, 1, 1, k);
        tcfh_send(h, 2, 16 + 10 * k, 0, 1, 100 + k);
        tcfh_receive(h, 0, 18 + 10 * k, 2, 1, 100 + k);
    }
    tcfh_send(h, 0, 500, 2, 3, 600); /* never received */
    tcfh_run(h, "[pipeline]\nchain = mails\nquantum = 1 ticks\n");
    assert_int_equal(mail.wrong, 0);
    assert_int_equal(mail.order[0], 500);
    assert_int_equal(mail.fate[500], 2);
    for (uint32_t k = 0; k < 20; k++)
        assert_int_equal(mail.fate[k] + mail.fate[100 + k], 2);
    assert_int_equal(tcfh_note(h, "given_up"), 1);
    assert_int_equal(tcfh_note(h, "unmatched_sends"), 1);
    assert_int_equal(tcfh_note(h, "unmatched_receives"), 1);
    tcfh_delete(h);
}

/* ---------------------------------------------------------------------------------------- incomplete collectives -- */

/* However the trace is cut nothing is given up, and nothing moves: so many instances are complete, and messages 0 to n
 * - 1 have both sides. */
static void in_any_slices(tcfh *h, const char *options, uint64_t completed, uint64_t incomplete, uint32_t messages)
{
    static const uint32_t slices[] = {1, 3, 4, 5, 7, 16, 64, 256};
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = mails\nslice = %u\n%s\n", slices[i], options);
        tcfh_unchanged(h);
        assert_int_equal(mail.wrong + mail.given_up_ends, 0);
        assert_int_equal(mail.completed, completed);
        assert_int_equal(tcfh_note(h, "incomplete_instances"), incomplete);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        for (uint32_t k = 0; k < messages; k++)
            assert_int_equal(mail.fate[k], 1);
    }
}

static void a_member_that_never_comes(void **state)
{
    (void)state;
    tcfh *h = make(4);
    for (uint32_t l = 0; l < 4; l++) {
        tcfh_collective(h, l, 10, 20, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
        if (l != 2)
            tcfh_collective(h, l, 30, 40, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
        if (l != 2)
            tcfh_collective(h, l, 50, 60, OTF2_COLLECTIVE_OP_BCAST, 0, 1);
        tcfh_enter(h, l, 70, 0);
    }
    in_any_slices(h, "", 3, 2, 0); /* by those who are there */
    tcfh_delete(h);
}

/* A damaged trace, in which members call different operations: it is what the lowest one calls that is there, whoever
 * comes first. */
static void different_operations(void **state)
{
    (void)state;
    tcfh *h = make(4);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t l = k / 2; l < 4; l++) { /* rank 0 ends behind the second one */
            const uint64_t t = 100 * k + (k % 2 ? 10 * l : 40 - 10 * l);
            tcfh_collective(h, l, t, t + 5, l < 2 ? OTF2_COLLECTIVE_OP_ALLREDUCE : OTF2_COLLECTIVE_OP_ALLTOALL, 0, 0);
        }
    for (uint32_t slice = 1; slice <= 64; slice *= 4) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = mails\nslice = %u\nquantum = 1 ticks\n", slice);
        assert_int_equal(mail.completed, 4);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(mail.op[k], OTF2_COLLECTIVE_OP_ALLREDUCE);
    }
    tcfh_delete(h);
}

/* The root of a Gatherv leaves it and sends to a rank that takes part only then, `before` events later, with nothing to
 * give: for so many events. */
static tcfh *late_for_nothing(uint32_t before, uint32_t events)
{
    tcfh *h = make(3);
    for (uint32_t k = 0; k < 10; k++) {
        uint64_t t = 100 * k;
        tcfh_collective_begin(h, 0, t + 1);
        tcfh_collective_end(h, 0, t + 5, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 8, 16});
        tcfh_send(h, 0, t + 6, 2, 1, k);
        tcfh_collective_begin(h, 1, t + 2);
        tcfh_collective_end(h, 1, t + 3, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 8, 0});
        tcfh_receive(h, 2, t + 10, 0, 1, k);
        for (uint32_t i = 0; i < before; i++)
            tcfh_enter(h, 2, t + 20 + i, 0);
        tcfh_collective_begin(h, 2, t + 60);
        for (uint32_t i = 1; i < events; i++)
            tcfh_enter(h, 2, t + 60, 0);
        tcfh_collective_end(h, 2, t + 61, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 0, 0});
    }
    return h;
}

static void nothing_to_give(void **state)
{
    (void)state;
    for (uint32_t events = 1; events <= 31;
         events += events % 10 == 0 ? 1 : 9) { /* the end may be behind the look-ahead */
        tcfh *h = late_for_nothing(20, events);
        in_any_slices(h, "lookahead = 31", 10, 0, 10);
        tcfh_delete(h);
    }
}

/* The look-ahead reaches the begin of the one with nothing to give, or the event in front of it, however the trace is
 * cut. */
static void just_within_the_lookahead(void **state)
{
    (void)state;
    tcfh *h = late_for_nothing(30, 1);
    in_any_slices(h, "lookahead = 31", 10, 0, 10);
    tcfh_delete(h);
}

/* Ranks 1 and 3 of a scan wait; rank 0 lets rank 1 go on, whose message rank 2 takes before it comes, which lets rank 3
 * go. */
static void scans_by_rank(void **state)
{
    (void)state;
    tcfh *h = make(4);
    for (uint32_t k = 0; k < 10; k++) {
        uint64_t t = 100 * k;
        uint8_t op = k % 2 ? OTF2_COLLECTIVE_OP_EXSCAN : OTF2_COLLECTIVE_OP_SCAN;
        tcfh_collective(h, 1, t + 1, t + 2, op, 0, 0);
        tcfh_collective(h, 3, t + 3, t + 4, op, 0, 0);
        tcfh_collective(h, 0, t + 30, t + 31, op, 0, 0);
        tcfh_send(h, 1, t + 40, 2, 1, k);
        tcfh_receive(h, 2, t + 45, 1, 1, k);
        tcfh_collective(h, 2, t + 50, t + 51, op, 0, 0);
        tcfh_send(h, 3, t + 60, 0, 1, 10 + k);
        tcfh_receive(h, 0, t + 65, 3, 1, 10 + k);
    }
    in_any_slices(h, "quantum = 1 ticks", 10, 0, 20);
    tcfh_delete(h);
}

/* Ends of collectives in the order in which they pass, where the end of a root comes before those that it releases. */
static uint32_t ends[16], n_ends;

static tcf_status note_ends(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    for (uint32_t i = from; i < to; i++)
        if (s->kind[i] == TCF_MPI_COLLECTIVE_END && n_ends < 16)
            ends[n_ends++] = s->location;
    return TCF_OK;
}

static const tcf_filter root_first = {
    .head = TCF_FILTER_HEAD,
    .name = "root_first",
    .version = "1",
    .summary = "Notes ends of collectives",
    .needs = TCF_NEED_EDGES | TCF_NEED_SOURCE_AT_LEAVE,
    .span = note_ends,
};

static tcfh *begun(uint32_t processes)
{
    tcfh *h = make(processes);
    tcfh_filter(h, &root_first);
    for (uint32_t l = 0; l < processes; l++)
        tcfh_enter(h, l, 1, 0);
    return h;
}

static void ends_of(tcfh *h, uint32_t n)
{
    n_ends = 0;
    tcfh_run(h, "[pipeline]\nchain = root_first\nquantum = 10 ticks\n");
    tcfh_unchanged(h);
    assert_int_equal(n_ends, n);
    assert_int_equal(tcfh_note(h, "given_up") + tcfh_note(h, "incomplete_instances"), 0);
}

static void a_root_that_takes_long(void **state)
{
    (void)state;
    tcfh *h = begun(3);
    tcfh_collective_begin(h, 0, 10);
    for (uint32_t i = 0; i < 50; i++)
        tcfh_enter(h, 0, 20 + 10 * i, 0);
    tcfh_collective_end(h, 0, 600, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BCAST, 0, 0, 8, 8});
    for (uint32_t l = 1; l < 3; l++)
        tcfh_collective(h, l, 10 + l, 15, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    ends_of(h, 3);
    assert_int_equal(ends[0], 0);
    tcfh_delete(h);
}

/* Between its begin and its end the root waits for somebody whom it has released. */
static void a_root_that_waits(void **state)
{
    (void)state;
    tcfh *h = begun(2);
    tcfh_collective_begin(h, 0, 10);
    tcfh_receive(h, 0, 30, 1, 1, 8);
    tcfh_collective_end(h, 0, 40, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BCAST, 0, 0, 8, 8});
    tcfh_collective(h, 1, 11, 15, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    tcfh_send(h, 1, 20, 0, 1, 8);
    ends_of(h, 2);
    assert_int_equal(ends[0], 1);
    tcfh_delete(h);
}

/* A root of two at a time: rank 1 has got both before rank 2, which it sends to, comes to the first. */
static void a_root_of_two(void **state)
{
    (void)state;
    tcfh *h = begun(3);
    const uint32_t window = tcfh_window(h, 0);
    const tcf_ev_rma_collective_end end = {OTF2_COLLECTIVE_OP_BCAST, OTF2_RMA_SYNC_LEVEL_PROCESS, window, 0, 8, 8};
    for (uint32_t l = 0; l < 3; l++) {
        if (l == 2)
            tcfh_receive(h, 2, 5, 1, 1, 8);
        tcfh_collective_begin(h, l, 10);
        tcfh_event(h, l, 11, TCF_RMA_COLLECTIVE_BEGIN, &(tcf_ev_rma_collective_begin){0});
        tcfh_event(h, l, 12, TCF_RMA_COLLECTIVE_END, &end);
        tcfh_collective_end(h, l, 13, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BCAST, 0, 0, 8, 8});
        if (l == 1)
            tcfh_send(h, 1, 14, 2, 1, 8);
    }
    ends_of(h, 3);
    assert_int_equal(ends[2], 2);
    tcfh_delete(h);
}

/* A thread takes part in a team that it is no member of: it is left out. */
static void a_thread_of_another_team(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    memset(&mail, 0, sizeof mail);
    tcfh_filter(h, &mails);
    tcfh_processes(h, 1, 3);
    const uint32_t team = tcfh_team(h, 2, (const uint32_t[]){0, 1});
    tcfh_event(h, 0, 10, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 3});
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_event(h, l, 20 + l, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        tcfh_event(h, l, 30 + l, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    }
    tcfh_event(h, 0, 40, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    tcfh_run(h, "[pipeline]\nchain = mails\n");
    tcfh_unchanged(h);
    assert_int_equal(mail.wrong + mail.given_up_ends, 0);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

/* What is open beyond the look-ahead passes in time: nobody reads on for it until memory is full. */
static void open_for_long(void **state)
{
    (void)state;
    static const char *const chains[] = {"mails", "efficiency"};
    for (size_t i = 0; i < 2; i++) {
        tcfh *h = make(2);
        const uint32_t receive = tcfh_region(h, "MPI_Recv");
        tcfh_send(h, 0, 1, 1, 1, 8);
        tcfh_receive(h, 1, 2, 0, 1, 8);
        if (i == 0)
            tcfh_event(h, 0, 10, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 4}); /* no team begins */
        else
            tcfh_enter(h, 0, 10, receive); /* of nothing */
        for (uint32_t k = 0; k < 40000; k++)
            (k % 2 ? tcfh_leave : tcfh_enter)(h, 0, 11 + k, 0);
        tcfh_run(h, "[pipeline]\nchain = %s\nslice = 16\nlookahead = 100\nmemory = 256KiB\n%s", chains[i],
                 i == 0 ? "" : "[efficiency]\noutput = ${SCRATCH}/out\n");
        tcfh_unchanged(h);
        assert_int_equal(tcfh_note(h, "released_early"), 0);
        tcfh_delete(h);
    }
}

static void beyond_the_lookahead(void **state)
{
    (void)state;
    tcfh *h = make(2);
    tcfh_collective_begin(h, 0, 1);
    tcfh_event(h, 0, 2, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){501});
    tcfh_event(h, 0, 3, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){502});
    tcfh_event(h, 0, 4, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){1, 0, 1, 100, 502});
    for (uint32_t i = 0; i < 30; i++)
        tcfh_enter(h, 0, 5 + i, 0);
    tcfh_event(h, 0, 40, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){1, 0, 1, 101, 501});
    tcfh_collective_end(h, 0, 41, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BARRIER, 0, 0, 0, 0});
    tcfh_send(h, 1, 1, 0, 1, 100);
    tcfh_send(h, 1, 2, 0, 1, 101);
    tcfh_collective(h, 1, 3, 4, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    for (uint32_t slice = 1; slice <= 64; slice += 9) {
        memset(&mail, 0, sizeof mail);
        tcfh_run(h, "[pipeline]\nchain = mails\nslice = %u\nlookahead = 20\n", slice);
        assert_int_equal(mail.wrong, 0);
        assert_int_equal(mail.fate[100], 1);
        assert_int_equal(mail.fate[101], 1);
        assert_int_equal(mail.completed, 1);
        assert_int_equal(tcfh_note(h, "beyond_lookahead"), 2);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    memset(&mail, 0, sizeof mail); /* with more look-ahead the first request comes first */
    tcfh_run(h, "[pipeline]\nchain = mails\nlookahead = 100\nslice = 4\n");
    assert_int_equal(tcfh_note(h, "beyond_lookahead"), 0);
    assert_int_equal(mail.wrong, 2); /* so the lengths are the other way round */
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cap_with_a_receiver_at_work),
        cmocka_unit_test(cap_with_a_parked_receiver),
        cmocka_unit_test(cap_without_a_receiver),
        cmocka_unit_test(cap_behind_many_messages),
        cmocka_unit_test(cap_behind_a_dropped_send),
        cmocka_unit_test(a_thread_that_comes_late),
        cmocka_unit_test(threads_that_receive_backwards),
        cmocka_unit_test(many_locations),
        cmocka_unit_test(dropped_ends),
        cmocka_unit_test(lost_messages),
        cmocka_unit_test(a_member_that_never_comes),
        cmocka_unit_test(different_operations),
        cmocka_unit_test(nothing_to_give),
        cmocka_unit_test(just_within_the_lookahead),
        cmocka_unit_test(scans_by_rank),
        cmocka_unit_test(a_root_that_takes_long),
        cmocka_unit_test(a_root_that_waits),
        cmocka_unit_test(a_root_of_two),
        cmocka_unit_test(a_thread_of_another_team),
        cmocka_unit_test(open_for_long),
        cmocka_unit_test(beyond_the_lookahead),
    };
    return cmocka_run_group_tests_name("exchange at its limits", tests, NULL, NULL);
}
