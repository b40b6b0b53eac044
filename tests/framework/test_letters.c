/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What domains tell each other of messages, and what they decide together: payloads and numbers arrive, whoever is far
 * ahead; where all of them wait, the earliest event of all goes on; members that contribute nothing are found wherever
 * they are. test_exchange.c has collectives and answers, test_domains.sh whole filters. */
#define _GNU_SOURCE /* open_memstream, malloc_info */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <otf2/OTF2_Events.h>
#include <stdatomic.h>
#include <stdlib.h>

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
                lost += (e->flags & TCF_EDGE_TARGET) != 0;
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
    for (uint32_t threads = 1; threads <= MOST_DOMAINS + 1; threads++) {
        tcfh *h = processes(4);
        for (uint32_t k = 0; k < MANY; k++)
            tcfh_send(h, 0, 10 + k, 1, k % 7, 8);
        tcfh_send(h, 0, 20000, 2, 1, 8);
        tcfh_receive(h, 2, 20010, 0, 1, 8);
        tcfh_send(h, 2, 20020, 1, 100, 8);
        tcfh_receive(h, 1, 20030, 2, 100, 8);
        for (uint32_t k = 0; k < MANY; k++)
            tcfh_receive(h, 1, 20040 + k, 0, k % 7, 8);
        run(h, threads, threads > 4 ? 10 : 2 * MANY); /* where each is in a domain of its own the cap is no cap */
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

/* What each domain has counted adds up. */
static void counts_of_all(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++) {
        tcfh *h = processes(4);
        for (uint32_t l = 0; l < 4; l++) {
            tcfh_send(h, l, 10, 9, 1, 8);           /* there is no such rank */
            tcfh_send(h, l, 12, (l + 1) % 4, 1, 8); /* is never received */
            tcfh_event(h, l, 20, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){5});
        }
        run(h, threads, 1000);
        assert_int_equal(tcfh_note(h, "bad_rank"), 4);
        assert_int_equal(tcfh_note(h, "unmatched_sends"), 4);
        assert_int_equal(tcfh_note(h, "unmatched_receives"), 0);
        assert_int_equal(tcfh_note(h, "never_completed"), 4);
        tcfh_delete(h);
    }
}

/* ------------------------------------------------------------------------------------------------- many members -- */

enum { MEMBERS = 200, OPERATIONS = 40, APART = 10000 /* ticks from one operation to the next */ };

static const uint8_t ops[] = {OTF2_COLLECTIVE_OP_BARRIER,  OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_COLLECTIVE_OP_SCAN,
                              OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_COLLECTIVE_OP_EXSCAN,    OTF2_COLLECTIVE_OP_ALLGATHER};

/* Operations of all ranks: a rank takes part in the first `takes` of them, then it ends. */
static struct {
    uint32_t n, takes[MEMBERS];
    uint64_t begin[OPERATIONS][MEMBERS], end[OPERATIONS][MEMBERS];
} all;

static atomic_uint ends, complete, answered;

struct mine {
    uint64_t location, operation;
};

static uint8_t op_of(uint32_t operation)
{
    return ops[operation % (sizeof ops / sizeof *ops)];
}

static int is_scan(uint32_t operation)
{
    return op_of(operation) == OTF2_COLLECTIVE_OP_SCAN || op_of(operation) == OTF2_COLLECTIVE_OP_EXSCAN;
}

/* The latest begin that the end of `me` waits for: of all others, of a scan those of lower ranks. */
static uint64_t latest_before(uint32_t operation, uint32_t me)
{
    uint64_t latest = 0;
    for (uint32_t r = 0; r < (is_scan(operation) ? me : all.n); r++)
        if (r != me && operation < all.takes[r] && all.begin[operation][r] > latest)
            latest = all.begin[operation][r];
    return latest;
}

/* The earliest end that waits for the begin of `me`. */
static uint64_t earliest_behind(uint32_t operation, uint32_t me)
{
    uint64_t earliest = UINT64_MAX;
    for (uint32_t r = is_scan(operation) ? me + 1 : 0; r < all.n; r++)
        if (r != me && operation < all.takes[r] && all.end[operation][r] < earliest)
            earliest = all.end[operation][r];
    return earliest;
}

static tcf_status crowd_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        struct mine *mine = e ? self->host->payload(self, e) : NULL;
        const uint32_t operation = (uint32_t)(s->first + i) / 2;
        if (!mine) {
            wrong++;
            continue;
        }
        if (e->flags & TCF_EDGE_BEGIN) {
            *mine = (struct mine){s->location, operation};
            self->host->publish(self, e, 0, s->time[i]);
            continue;
        }
        uint64_t latest = 0, wanted = latest_before(operation, s->location);
        ends++;
        wrong += mine->location != s->location || mine->operation != operation;
        wrong += self->host->latest(self, e, 0, &latest) != (wanted > 0) || latest != wanted;
        lost += (e->flags & TCF_EDGE_UNMATCHED) != 0;
    }
    return TCF_OK;
}

static tcf_status crowd_complete(tcf_self *self, const tcf_collective *of)
{
    (void)self;
    uint32_t present = 0;
    for (uint32_t r = 0; r < of->n_members && r < all.n; r++) {
        const struct mine *its = (const struct mine *)(const void *)(of->members + r * of->stride);
        if (of->number >= all.takes[r])
            continue;
        wrong += its->location != r || its->operation != of->number;
        present++;
    }
    wrong += of->n_members != all.n || of->n_arrived != present || of->op != op_of((uint32_t)of->number);
    complete++;
    return TCF_OK;
}

static const tcf_filter crowd = {
    .head = TCF_FILTER_HEAD,
    .name = "crowd",
    .version = "1",
    .summary = "Follows collectives",
    .member_bytes = sizeof(struct mine),
    .can = TCF_CAN_DOMAINS,
    .span = crowd_span,
    .collective_complete = crowd_complete,
};

/* Behind the segment: holds all slices to the end, when all answers have come. */
enum { HELD = 64 };
static struct {
    tcf_slice *slice[HELD];
    uint32_t head, n;
} held[MEMBERS];

static tcf_status keeper_slice(tcf_self *self, tcf_slice *s)
{
    for (uint32_t k = 0; k < s->n_edges; k++)
        if (s->edges[k].flags & TCF_EDGE_TARGET)
            self->host->answer(self, &s->edges[k], s->time[s->edges[k].pos]);
    if (held[s->location].n == HELD)
        return (self->host->fail)(self, "no room for a slice");
    held[s->location].slice[held[s->location].n++] = s;
    return TCF_HELD;
}

/* A begin knows the earliest end that waits for it. */
static tcf_status let_go(tcf_self *self, uint32_t l)
{
    tcf_slice *s = held[l].slice[held[l].head++];
    for (uint32_t k = 0; k < s->n_edges; k++) {
        uint64_t value = 0;
        if (!(s->edges[k].flags & TCF_EDGE_BEGIN))
            continue;
        answered += self->host->answered(self, &s->edges[k], &value) != 0;
        wrong += value != earliest_behind((uint32_t)(s->first + s->edges[k].pos) / 2, l);
    }
    return self->host->release(self, s);
}

static tcf_status keeper_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < all.n; l++)
        if (self->host->has(self, l) && held[l].head < held[l].n)
            return let_go(self, l);
    return TCF_OK;
}

static tcf_status keeper_end(tcf_self *self)
{
    for (uint32_t l = 0; l < all.n; l++)
        while (held[l].head < held[l].n)
            if (let_go(self, l) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

static const tcf_filter keeper = {
    .head = TCF_FILTER_HEAD,
    .name = "keeper",
    .version = "1",
    .summary = "Answers, and holds all",
    .can = TCF_CAN_ANSWER | TCF_CAN_HOLD | TCF_CAN_DOMAINS,
    .slice = keeper_slice,
    .flush = keeper_flush,
    .end = keeper_end,
};

/* Runs them in each number of domains, with answers or without. */
static void follow_all(const char *chain, uint32_t incomplete)
{
    uint32_t all_ends = 0, most = 0;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++) {
        tcfh *h = processes(all.n);
        tcfh_filter(h, &crowd);
        tcfh_filter(h, &keeper);
        ends = complete = answered = all_ends = most = 0;
        memset(held, 0, sizeof held);
        for (uint32_t r = 0; r < all.n; r++) {
            for (uint32_t k = 0; k < all.takes[r]; k++)
                tcfh_collective(h, r, all.begin[k][r], all.end[k][r], op_of(k), 0, 0);
            all_ends += all.takes[r];
            most = all.takes[r] > most ? all.takes[r] : most;
        }
        tcfh_run(h, "[pipeline]\nchain = %s\nthreads = %u\nquantum = 1 ticks\nslice = 32\nmemory = 64MiB\n", chain,
                 threads);
        tcfh_unchanged(h);
        assert_int_equal(wrong, 0);
        assert_int_equal(lost, 0);
        assert_int_equal(ends, all_ends);
        assert_int_equal(complete, most);
        assert_int_equal(answered, strstr(chain, "keeper") ? all_ends : 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_int_equal(tcfh_note(h, "incomplete_instances"), incomplete);
        tcfh_delete(h);
    }
}

/* A domain tells of 64 members at a time: of more than that, which come in any order, all are told. */
static void many_members(void **state)
{
    (void)state;
    all.n = MEMBERS;
    for (uint32_t r = 0; r < MEMBERS; r++) {
        all.takes[r] = 9;
        for (uint32_t k = 0; k < all.takes[r]; k++) { /* up by rank, down, and neither */
            const uint32_t place = k % 3 == 0 ? r : k % 3 == 1 ? MEMBERS - r : r * 77 % MEMBERS;
            all.begin[k][r] = APART * (k + 1) + 10 * place;
            all.end[k][r] = APART * (k + 1) + APART / 2 + (k < 5 ? place : MEMBERS - place);
        }
    }
    follow_all("crowd", 0);
    follow_all("crowd keeper", 0);
}

/* Ranks end, in any domain and one after another: the others' operations are complete without them, and nobody waits.
 */
static void members_that_end(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {5, 12, 70};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t incomplete = OPERATIONS;
        all.n = sizes[i];
        for (uint32_t r = 0; r < all.n; r++) {
            all.takes[r] = r < 2 ? OPERATIONS : 3 + r * 31 % (OPERATIONS - 3); /* two of them stay */
            incomplete = all.takes[r] < incomplete ? all.takes[r] : incomplete;
            for (uint32_t k = 0; k < all.takes[r]; k++) {
                all.begin[k][r] = APART * (k + 1) + 10 * (r * 7 % all.n);
                all.end[k][r] = APART * (k + 1) + APART / 2 + 10 * (r * 3 % all.n);
            }
        }
        follow_all("crowd", OPERATIONS - incomplete);
        follow_all("crowd keeper", OPERATIONS - incomplete);
    }
}

/* Sends hear when they were received, by a filter that holds all to the end; those at 10 never are. */
static tcf_status let_message_go(tcf_self *self, uint32_t l)
{
    tcf_slice *s = held[l].slice[held[l].head++];
    for (uint32_t k = 0; k < s->n_edges; k++) {
        uint64_t value = 0;
        if (!(s->edges[k].flags & TCF_EDGE_SOURCE))
            continue;
        answered += self->host->answered(self, &s->edges[k], &value) != 0;
        wrong += value != (s->time[s->edges[k].pos] == 10 ? UINT64_MAX : s->time[s->edges[k].pos] + 50);
    }
    return self->host->release(self, s);
}

static tcf_status postman_end(tcf_self *self)
{
    for (uint32_t l = 0; l < 4; l++)
        while (held[l].head < held[l].n)
            if (let_message_go(self, l) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

static tcf_status postman_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < 4; l++)
        if (self->host->has(self, l) && held[l].head < held[l].n)
            return let_message_go(self, l);
    return TCF_OK;
}

static const tcf_filter postman = {
    .head = TCF_FILTER_HEAD,
    .name = "postman",
    .version = "1",
    .summary = "Answers messages, and holds all",
    .can = TCF_CAN_ANSWER | TCF_CAN_HOLD | TCF_CAN_DOMAINS,
    .slice = keeper_slice,
    .flush = postman_flush,
    .end = postman_end,
};

static void answers_of_messages(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++) {
        tcfh *h = processes(4);
        tcfh_filter(h, &postman);
        memset(held, 0, sizeof held);
        answered = 0;
        for (uint32_t l = 0; l < 4; l++)
            tcfh_send(h, l, 10, (l + 1) % 4, 2, 8);
        for (uint32_t k = 0; k < 300; k++)
            for (uint32_t l = 0; l < 4; l++) {
                const uint64_t time = 100 * (4 * k + l + 1);
                tcfh_send(h, l, time, (l + 1) % 4, 1, 8);
                tcfh_receive(h, (l + 1) % 4, time + 50, l, 1, 8);
            }
        tcfh_run(h, "[pipeline]\nchain = witness postman\nthreads = %u\nslice = 32\nmemory = 64MiB\n", threads);
        tcfh_unchanged(h);
        assert_int_equal(wrong + lost, 0);
        assert_int_equal(received, 4 * 300);
        assert_int_equal(answered, 4 * 301);
        tcfh_delete(h);
    }
}

/* What goes to another domain takes no room here: a few messages in flight are enough for any number of them. */
static void few_in_flight(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++) {
        tcfh *h = processes(4);
        for (uint32_t k = 0; k < 300; k++)
            for (uint32_t l = 0; l < 4; l++) { /* round the four of them */
                const uint64_t time = 100 * (4 * k + l + 1);
                tcfh_send(h, l, time, (l + 1) % 4, 1, 8);
                tcfh_receive(h, (l + 1) % 4, time + 50, l, 1, 8);
            }
        run(h, threads, 4);
        assert_int_equal(received, 4 * 300);
        assert_int_equal(lost, 0);
        assert_int_equal(tcfh_note(h, "given_up") + tcfh_note(h, "dropped_messages"), 0);
        tcfh_delete(h);
    }
}

/* The domain of rank 1 knows as many channels as it may: what comes from rank 0 on others is received without partner,
 * but a filter that waits for answers would wait for ever. */
static void channels_are_full(void **state)
{
    (void)state;
    for (int answers = 0; answers < 2; answers++) {
        tcfh *h = processes(2);
        tcfh_filter(h, &postman);
        memset(held, 0, sizeof held);
        tcfh_send(h, 0, 5, 1, 501, 8);
        tcfh_receive(h, 1, 6, 0, 501, 8);
        tcfh_send(h, 1, 10, 0, 500, 8);
        for (uint32_t tag = 0; tag < 60; tag++)
            tcfh_send(h, 1, 20, 1, tag, 8); /* are never received */
        tcfh_send(h, 1, 30, 0, 500, 8);
        for (uint32_t k = 0; k < 2; k++)
            tcfh_receive(h, 0, 31 + k, 1, 500, 8);
        tcfh_send(h, 0, 40, 1, 1000, 8);
        for (uint32_t l = 0; l < 2 && !answers; l++)
            for (uint32_t k = 0; k < 2; k++)
                tcfh_collective(h, l, 50 + 20 * k, 60 + 20 * k, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
        tcfh_send(h, 0, 90, 1, 501, 8);
        tcfh_receive(h, 1, 100, 0, 1000, 8);
        tcfh_receive(h, 1, 101, 0, 501, 8); /* until this comes rank 1 doesn't end */
        const tcf_status status =
            tcfh_try(h, "[pipeline]\nchain = witness %s\nthreads = 2\nmax_channels = 40\n", answers ? "postman" : "");
        assert_int_equal(status, answers ? TCF_ERROR : TCF_OK);
        if (answers)
            assert_non_null(strstr(tcfh_error(h), "raise max_channels"));
        else
            assert_int_equal(received, 4);
        tcfh_delete(h);
    }
}

/* ----------------------------------------------------------------------------------------------- what they leave -- */

enum { ROUNDS = 8000, SETTLED = 2000, SLACK = 1 << 20 /* bytes */ };

/* Of all threads' heaps; 0 where another allocator than that of the C library serves. */
static size_t heap_bytes(void)
{
    static const char label[] = "<system type=\"current\" size=\"";
    char *said = NULL;
    size_t n = 0, bytes = 0;
    FILE *out = open_memstream(&said, &n);
    assert_non_null(out);
    assert_int_equal(malloc_info(0, out), 0);
    fclose(out);
    for (const char *at = said; at && (at = strstr(at, label)); at++)
        bytes = strtoul(at + strlen(label), NULL, 10); /* the last one is of all */
    free(said);
    return bytes;
}

static struct {
    uint64_t per_round; /* events of location 0 */
    size_t settled, last;
} heap;

static tcf_status meter_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    const uint64_t begin = s->first + from, end = s->first + to;
    (void)self;
    if (s->location == 0 && begin <= SETTLED * heap.per_round && end > SETTLED * heap.per_round)
        heap.settled = heap_bytes();
    if (s->location == 0 && end == ROUNDS * heap.per_round)
        heap.last = heap_bytes();
    return TCF_OK;
}

static const tcf_filter meter = {
    .head = TCF_FILTER_HEAD,
    .name = "meter",
    .version = "1",
    .summary = "Looks how much memory is in use",
    .message_bytes = 8,
    .member_bytes = 8,
    .can = TCF_CAN_DOMAINS,
    .span = meter_span,
};

/* The harness keeps what comes out of a chain: nothing does. */
static tcf_status nothing_slice(tcf_self *self, tcf_slice *s)
{
    static const uint8_t none[1024];
    self->host->compact(self, s, none);
    return TCF_OK;
}

static const tcf_filter nothing = {
    .head = TCF_FILTER_HEAD,
    .name = "nothing",
    .version = "1",
    .summary = "Drops all events",
    .can = TCF_CAN_DROP | TCF_CAN_DOMAINS,
    .slice = nothing_slice,
};

static void stays(tcfh *h, const char *chain, uint64_t per_round)
{
    tcfh_filter(h, &meter);
    tcfh_filter(h, &nothing);
    heap.per_round = per_round;
    for (uint32_t threads = 1; threads <= MOST_DOMAINS; threads++) {
        heap.settled = heap.last = 0;
        tcfh_run(h, "[pipeline]\nchain = %s\nthreads = %u\nslice = 64\nmax_messages = 4096\n", chain, threads);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_true((heap.settled > 0) == (heap.last > 0));
        if (heap.last > heap.settled + SLACK)
            fail_msg("%u domains: %zu bytes at first, %zu at last", threads, heap.settled, heap.last);
    }
    tcfh_delete(h);
}

/* Collectives and messages leave nothing behind, however many there are; and where a rank never waits for others, as
 * the root of a broadcast and the first of a scan, its domain doesn't run on without theirs. */
static void nothing_is_left(void **state)
{
    static const struct {
        uint8_t ops[2];
        int messages;
    } programs[] = {{{OTF2_COLLECTIVE_OP_SCAN, OTF2_COLLECTIVE_OP_ALLREDUCE}, 1},
                    {{OTF2_COLLECTIVE_OP_BCAST, OTF2_COLLECTIVE_OP_BCAST}, 0},
                    {{OTF2_COLLECTIVE_OP_SCAN, OTF2_COLLECTIVE_OP_EXSCAN}, 0},
                    {{OTF2_COLLECTIVE_OP_GATHER, OTF2_COLLECTIVE_OP_SCATTER}, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        tcfh *h = processes(4);
        for (uint32_t k = 0; k < ROUNDS; k++)
            for (uint32_t l = 0; l < 4; l++) {
                tcfh_collective(h, l, 1000 * k + l, 1000 * k + 100 + l, programs[i].ops[k % 2], 0, 0);
                if (!programs[i].messages)
                    continue;
                tcfh_send(h, l, 1000 * k + 200, (l + 1) % 4, 1, 8);
                tcfh_receive(h, l, 1000 * k + 300, (l + 3) % 4, 1, 8);
            }
        stays(h, "meter nothing", programs[i].messages ? 4 : 2);
    }
}

/* Holds a slice of each location, and lets it go before anybody has answered. */
static tcf_slice *waiting[4];

static tcf_status hasty_slice(tcf_self *self, tcf_slice *s)
{
    tcf_slice *before = waiting[s->location];
    waiting[s->location] = s;
    return !before || self->host->release(self, before) == TCF_OK ? TCF_HELD : TCF_ERROR;
}

static tcf_status hasty_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < 4; l++) {
        tcf_slice *s = self->host->has(self, l) ? waiting[l] : NULL;
        if (!s)
            continue;
        waiting[l] = NULL;
        if (self->host->release(self, s) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static const tcf_filter hasty = {
    .head = TCF_FILTER_HEAD,
    .name = "hasty",
    .version = "1",
    .summary = "Doesn't wait for answers",
    .can = TCF_CAN_ANSWER | TCF_CAN_HOLD | TCF_CAN_DOMAINS,
    .slice = hasty_slice,
    .flush = hasty_flush,
    .end = hasty_flush,
};

/* Nor do they where slices are let go without the answers of their collectives. */
static void without_answers(void **state)
{
    (void)state;
    tcfh *h = processes(4);
    tcfh_filter(h, &hasty);
    for (uint32_t k = 0; k < ROUNDS; k++)
        for (uint32_t l = 0; l < 4; l++) {
            tcfh_collective(h, l, 1000 * k + l, 1000 * k + 100 + l, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
            tcfh_collective(h, l, 1000 * k + 200 + l, 1000 * k + 300 + l, OTF2_COLLECTIVE_OP_REDUCE, 0, 0);
        }
    stays(h, "meter hasty nothing", 4);
}

/* Nor do threads of a process that wait for messages of one channel at a time. */
static void threads_that_wait(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 3);
    for (uint32_t k = 0; k < ROUNDS; k++) {
        for (uint32_t t = 0; t < 3; t++) {
            tcfh_send(h, 0, 1000 * k + 100 + t, 1, 1, 8);
            tcfh_receive(h, 3 + t, 1000 * k + 10 + t, 0, 1, 8); /* by its clock before it was sent */
        }
        tcfh_receive(h, 0, 1000 * k + 200, 1, 2, 8);
        tcfh_send(h, 3, 1000 * k + 150, 0, 2, 8);
    }
    stays(h, "meter nothing", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_ahead),
        cmocka_unit_test(the_earliest_goes_on),
        cmocka_unit_test(members_without_data),
        cmocka_unit_test(counts_of_all),
        cmocka_unit_test(many_members),
        cmocka_unit_test(members_that_end),
        cmocka_unit_test(answers_of_messages),
        cmocka_unit_test(few_in_flight),
        cmocka_unit_test(channels_are_full),
        cmocka_unit_test(nothing_is_left),
        cmocka_unit_test(without_answers),
        cmocka_unit_test(threads_that_wait),
    };
    return cmocka_run_group_tests_name("letters", tests, NULL, NULL);
}
