/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The survey: a chain that runs first over the same input, and what it leaves to the main chain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"
#include <tcflow/clocks.h>

struct row {
    uint32_t location;
    uint64_t events, last;
};

static struct {
    int order, learned_at, begun_at, fails;
    uint64_t rows, wrong, with, without, pairs;
} saw;

/* Counts the events of each location. */
static tcf_status count_slice(tcf_self *self, tcf_slice *s)
{
    struct row *row = tcf_location_state(self, s->location);
    row->location = s->location;
    row->events += s->n;
    row->last = s->n > 0 ? s->time[s->n - 1] : row->last;
    return saw.fails ? (self->host->fail)(self, "no more") : TCF_OK;
}

static tcf_status count_end(tcf_self *self)
{
    saw.learned_at = ++saw.order;
    return self->host->learn(self, "rows", sizeof(struct row), self->location, self->defs->n_locations);
}

static const tcf_filter counts = {
    .head = TCF_FILTER_HEAD,
    .name = "counts",
    .version = "1",
    .summary = "Counts events",
    .location_size = sizeof(struct row),
    .can = TCF_CAN_SURVEY,
    .slice = count_slice,
    .end = count_end,
};

/* The same in causal order, so that all locations are open at once. */
static tcf_status count_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct row *row = tcf_location_state(self, s->location);
    row->location = s->location;
    row->events += to - from;
    row->last = s->time[to - 1];
    return TCF_OK;
}

static const tcf_filter spans = {
    .head = TCF_FILTER_HEAD,
    .name = "spans",
    .version = "1",
    .summary = "Counts events",
    .location_size = sizeof(struct row),
    .can = TCF_CAN_SURVEY,
    .span = count_span,
    .end = count_end,
};

/* Compares what comes with what was left to it. */
static tcf_status told_begin(tcf_self *self)
{
    uint64_t n;
    saw.begun_at = ++saw.order;
    self->host->learned(self, "rows", sizeof(struct row), &saw.rows);
    saw.wrong += self->host->learned(self, "rows", 4, &n) != NULL || n != 0;
    saw.wrong += self->host->learned(self, "nothing", 4, &n) != NULL || n != 0;
    return TCF_OK;
}

static tcf_status told_slice(tcf_self *self, tcf_slice *s)
{
    ((struct row *)tcf_location_state(self, s->location))->events += s->n;
    return TCF_OK;
}

static tcf_status told_end(tcf_self *self)
{
    uint64_t n;
    const struct row *rows = self->host->learned(self, "rows", sizeof *rows, &n);
    for (uint32_t l = 0; l < n; l++)
        saw.wrong += ((struct row *)tcf_location_state(self, l))->events != rows[l].events;
    return TCF_OK;
}

static const tcf_filter told = {
    .head = TCF_FILTER_HEAD,
    .name = "told",
    .version = "1",
    .summary = "Compares",
    .location_size = sizeof(struct row),
    .begin = told_begin,
    .slice = told_slice,
    .end = told_end,
};

/* Shifts times and compares with the raw ones. */
static const tcf_named_column raw[] = {{.name = TCF_TIME_RAW, .bytes = 8}};

static tcf_status shift_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    for (uint32_t i = 0; i < s->n; i++)
        s->time[i] += 5;
    return TCF_OK;
}

static const tcf_filter shifts = {.head = TCF_FILTER_HEAD,
                                  .name = "shifts",
                                  .version = "1",
                                  .summary = "Shifts",
                                  .writes = TCF_WRITES_TIME,
                                  .slice = shift_slice};

static tcf_status raw_slice(tcf_self *self, tcf_slice *s)
{
    const uint64_t *time = s->columns[self->host->column(self, TCF_TIME_RAW)];
    for (uint32_t i = 0; i < s->n; i++)
        saw.wrong += time[i] + 5 != s->time[i];
    saw.rows += s->n;
    return TCF_OK;
}

static const tcf_filter raws = {.head = TCF_FILTER_HEAD,
                                .name = "raws",
                                .version = "1",
                                .summary = "Compares",
                                .required = TCF_ROWS(raw),
                                .slice = raw_slice};

/* Counts receives with and without partner. */
static tcf_status partners_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    for (uint32_t i = from; i < to; i++)
        if (s->kind[i] == TCF_MPI_RECV)
            *(s->edge[i] & TCF_EDGE_UNMATCHED ? &saw.without : &saw.with) += 1;
    return TCF_OK;
}

static const tcf_filter partners = {.head = TCF_FILTER_HEAD,
                                    .name = "partners",
                                    .version = "1",
                                    .summary = "Counts",
                                    .span = partners_span};

/* Learns how many receives have a partner. */
static tcf_status pairs_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    uint64_t *n = self->state;
    for (uint32_t i = from; i < to; i++)
        *n += s->kind[i] == TCF_MPI_RECV && !(s->edge[i] & TCF_EDGE_UNMATCHED);
    return TCF_OK;
}

static tcf_status pairs_pack(tcf_self *self, tcf_pack *pack)
{
    self->host->put(pack, self->state, sizeof(uint64_t));
    return TCF_OK;
}

static tcf_status pairs_absorb(tcf_self *self, tcf_pack *pack)
{
    uint64_t *n = self->state, more;
    self->host->take(pack, &more, sizeof more);
    *n += more;
    return TCF_OK;
}

static tcf_status pairs_end(tcf_self *self)
{
    const uint64_t *n = self->state;
    saw.order++;
    saw.pairs = *n;
    return TCF_OK;
}

static const tcf_filter pairs = {.head = TCF_FILTER_HEAD,
                                 .name = "pairs",
                                 .version = "1",
                                 .summary = "Counts",
                                 .state_size = sizeof(uint64_t),
                                 .can = TCF_CAN_SURVEY | TCF_CAN_SKIP_NON_EDGES | TCF_CAN_DOMAINS,
                                 .span = pairs_span,
                                 .pack = pairs_pack,
                                 .absorb = pairs_absorb,
                                 .end = pairs_end};

/* Each other cut with the two processes in two domains, as far as surveys are of `pairs` alone. */
#define DOMAINS(cut) ((int)(cut) % 2 + 1)

/* Two messages of each channel are received by calls; on channel 7 another one is by a request that never completes. */
static tcfh *pairs_of_two_channels(void)
{
    tcfh *h = tcfh_new();
    memset(&saw, 0, sizeof saw);
    tcfh_filter(h, &partners);
    tcfh_filter(h, &spans);
    tcfh_filter(h, &told);
    tcfh_processes(h, 2, 1);
    tcfh_event(h, 1, 1, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){99});
    for (uint32_t k = 0; k < 3; k++) {
        tcfh_send(h, 0, 10 * k, 1, 7, 8);
        if (k > 0)
            tcfh_send(h, 0, 10 * k + 1, 1, 8, 8);
    }
    for (uint32_t k = 0; k < 2; k++) {
        tcfh_receive(h, 1, 10 * k + 25, 0, 7, 8);
        tcfh_receive(h, 1, 10 * k + 26, 0, 8, 8);
    }
    return h;
}

static void pairs_that_cannot_be_told(void **state)
{
    (void)state;
    tcfh *h = pairs_of_two_channels();
    tcfh_run(h, "[pipeline]\nchain = partners\n");
    assert_int_equal(saw.with, 4);
    saw.with = 0;
    assert_int_equal(tcfh_note(h, "surveys_repeated"), 0);
    tcfh_run(h, "[pipeline]\nsurvey = spans\nchain = partners\n");
    assert_int_equal(saw.with, 2);
    assert_int_equal(saw.without, 2);
    assert_int_equal(tcfh_note(h, "distrusted"), 5);
    tcfh_delete(h);
}

/* A request that waits for nobody in particular is recorded as a receive of whatever stood in its status, on a channel
 * of others: each of them would be taken for the one before, and wait for a message to come. */
static void receives_that_nobody_sent(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    memset(&saw, 0, sizeof saw);
    tcfh_filter(h, &partners);
    tcfh_filter(h, &pairs);
    tcfh_processes(h, 2, 1);
    tcfh_event(h, 1, 1, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){99});
    tcfh_receive(h, 1, 2, 0, 7, 8);
    for (uint32_t k = 0; k < 3; k++) {
        tcfh_send(h, 0, 10 * k, 1, 7, 8);
        tcfh_receive(h, 1, 10 * k + 5, 0, 7, 8);
        tcfh_send(h, 1, 10 * k + 6, 0, 8, 8);
        tcfh_receive(h, 0, 10 * k + 9, 1, 8, 8);
    }
    for (uint64_t cut = 0; cut < 4; cut++) {
        memset(&saw, 0, sizeof saw);
        tcfh_cut(h, cut);
        tcfh_run(h, "[pipeline]\nthreads = %d\nsurvey = pairs\nchain = partners\n", DOMAINS(cut));
        assert_int_equal(saw.pairs, 3);
        assert_int_equal(saw.with, 3);
        assert_int_equal(saw.without, 4);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_int_equal(tcfh_note(h, "surveys_repeated"), 1);
    }
    tcfh_delete(h);
}

/* A survey learns only from messages whose pairs are known: once it knows which are not, it begins anew, and what it
 * was about to learn is gone. A later one knows from the start. */
static void surveys_that_are_repeated(void **state)
{
    (void)state;
    static const struct {
        const char *survey;
        uint64_t pairs, ends, repeated;
    } cases[] = {{"pairs", 2, 1, 1},
                 {"pairs | spans", 2, 2, 1},
                 {"spans | pairs", 2, 2, 1},
                 {"pairs partners", 4, 1, 0}};
    tcfh *h = pairs_of_two_channels();
    tcfh_filter(h, &pairs);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint64_t cut = 0; cut < 4; cut++) {
            memset(&saw, 0, sizeof saw);
            tcfh_cut(h, cut);
            tcfh_run(h, "[pipeline]\nthreads = %d\nsurvey = %s\nchain = told\n", DOMAINS(cut), cases[k].survey);
            assert_int_equal(saw.pairs, cases[k].pairs);
            assert_int_equal(saw.order - 1, cases[k].ends);
            assert_int_equal(tcfh_note(h, "surveys_repeated"), cases[k].repeated);
            tcfh_unchanged(h);
        }
    tcfh_delete(h);
}

/* A receive of a channel without any send, in front of a send that others wait for, would wait itself: then the
 * earliest event is given up, which here has a partner. Behind everything else it makes nobody wait, and no survey is
 * repeated. */
static void receives_without_any_send(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        tcfh *h = tcfh_new();
        memset(&saw, 0, sizeof saw);
        tcfh_filter(h, &partners);
        tcfh_filter(h, &pairs);
        tcfh_processes(h, 2, 1);
        tcfh_send(h, 0, 1, 1, 6, 8);
        tcfh_receive(h, 1, 1, 0, 6, 8);
        tcfh_receive(h, 0, 3, 1, 7, 8);
        if (!last)
            tcfh_receive(h, 1, 5, 0, 9, 8);
        tcfh_send(h, 1, 10, 0, 7, 8);
        tcfh_send(h, 0, 12, 1, 8, 8);
        tcfh_receive(h, 1, 15, 0, 8, 8);
        if (last)
            tcfh_receive(h, 1, 20, 0, 9, 8);
        for (uint64_t cut = 0; cut < 4; cut++) {
            memset(&saw, 0, sizeof saw);
            tcfh_cut(h, cut);
            tcfh_run(h, "[pipeline]\nthreads = %d\nsurvey = pairs\nchain = partners\n", DOMAINS(cut));
            assert_int_equal(saw.pairs, 3);
            assert_int_equal(tcfh_note(h, "given_up"), 0);
            assert_int_equal(saw.with, 3);
            assert_int_equal(saw.without, 1);
            assert_int_equal(tcfh_note(h, "surveys_repeated"), !last);
            assert_int_equal(tcfh_note(h, "unmatched_receives"), 1);
        }
        tcfh_delete(h);
    }
}

/* Counts the ends of collectives that wait for others, and receives with a partner. */
static tcf_status waits_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    for (uint32_t i = from; i < to; i++) {
        saw.rows += s->kind[i] == TCF_MPI_COLLECTIVE_END && s->edge[i] & TCF_EDGE_TARGET;
        saw.with += s->kind[i] == TCF_MPI_RECV && !(s->edge[i] & TCF_EDGE_UNMATCHED);
    }
    return TCF_OK;
}

static const tcf_filter waits = {.head = TCF_FILTER_HEAD,
                                 .name = "waits",
                                 .version = "1",
                                 .summary = "Counts",
                                 .span = waits_span};

/* Two members: member 1 leaves a collective at 20, and sends a message which member 0 receives before it enters the
 * collective at 100. Only where nobody waits in the collective can both be in order. `sizes` are those of member 0 and
 * of member 1; an earlier collective of the operation `other` has `other_size` bytes on member 0. */
static tcfh *collective_that_returns_at_once(uint8_t op, const uint64_t *sizes, uint8_t other, uint64_t other_size)
{
    tcfh *h = tcfh_new();
    memset(&saw, 0, sizeof saw);
    tcfh_filter(h, &waits);
    tcfh_filter(h, &pairs);
    tcfh_processes(h, 2, 1);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_collective_begin(h, l, 1);
        tcfh_collective_end(h, l, 2, (tcf_ev_mpi_collective_end){other, 0, 0, l == 0 ? other_size : 0, 0});
    }
    tcfh_collective_begin(h, 1, 10);
    tcfh_collective_end(h, 1, 20, (tcf_ev_mpi_collective_end){op, 0, 0, sizes[1], 0});
    tcfh_send(h, 1, 30, 0, 7, 8);
    tcfh_receive(h, 0, 40, 1, 7, 8);
    tcfh_collective_begin(h, 0, 100);
    tcfh_collective_end(h, 0, 110, (tcf_ev_mpi_collective_end){op, 0, 0, sizes[0], 0});
    return h;
}

static void collectives_without_data(void **state)
{
    (void)state;
    enum { GATHER = OTF2_COLLECTIVE_OP_GATHER, BCAST = OTF2_COLLECTIVE_OP_BCAST, SCAN = OTF2_COLLECTIVE_OP_SCAN };
    static const struct {
        uint8_t op, other;
        uint64_t other_size, sizes[2];
        int bound;        /* ends of the collective and of the earlier one that wait for others */
        int left_without; /* ends that wait for nobody since nobody has data */
        int doubtful;     /* collectives of which a chain without survey says that they may have no data */
    } cases[] = {
        {BCAST, GATHER, 8, {0, 0}, 1, 2, 1},
        {OTF2_COLLECTIVE_OP_ALLREDUCE, GATHER, 8, {0, 0}, 1, 2, 1},
        {OTF2_COLLECTIVE_OP_REDUCE, BCAST, 8, {0, 0}, 1, 2, 1},
        {SCAN, GATHER, 8, {0, 0}, 1, 2, 1},
        {BCAST, GATHER, 0, {0, 0}, 2, 0, 0},                       /* the archive has no sizes */
        {BCAST, BCAST, 8, {0, 0}, 2, 0, 1},                        /* the root alone has a size: 0 says nothing */
        {BCAST, GATHER, 8, {0, 8}, 2, 0, 0},                       /* a member has data */
        {OTF2_COLLECTIVE_OP_BARRIER, GATHER, 8, {0, 0}, 3, 0, 0},  /* a barrier never has */
        {OTF2_COLLECTIVE_OP_SCATTERV, GATHER, 8, {0, 0}, 1, 0, 0}, /* member by member, by the lengths */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tcfh *h = collective_that_returns_at_once(cases[k].op, cases[k].sizes, cases[k].other, cases[k].other_size);
        for (uint64_t cut = 0; cut < 4; cut++) {
            memset(&saw, 0, sizeof saw);
            tcfh_cut(h, cut);
            tcfh_run(h, "[pipeline]\nthreads = %d\nsurvey = pairs\nchain = waits\n", DOMAINS(cut));
            assert_int_equal(saw.rows, cases[k].bound);
            assert_int_equal(tcfh_note(h, "without_data"), cases[k].left_without);
            assert_int_equal(tcfh_note(h, "surveys_repeated"), cases[k].left_without > 0);
            assert_int_equal(tcfh_note(h, "empty_collectives"), 0);
            if (cases[k].left_without > 0) {
                assert_int_equal(tcfh_note(h, "given_up"), 0);
                assert_int_equal(saw.pairs, 1); /* the repeated survey, too, knows */
                assert_int_equal(saw.with, 1);
            }
            tcfh_run(h, "[pipeline]\nchain = waits\n");
            assert_int_equal(tcfh_note(h, "without_data"), 0);
            assert_int_equal(tcfh_note(h, "empty_collectives"), cases[k].doubtful);
        }
        tcfh_delete(h);
    }
}

static tcfh *make(void)
{
    tcfh *h = tcfh_new();
    memset(&saw, 0, sizeof saw);
    tcfh_filter(h, &counts);
    tcfh_filter(h, &spans);
    tcfh_filter(h, &told);
    tcfh_filter(h, &shifts);
    tcfh_filter(h, &raws);
    tcfh_processes(h, 3, 1);
    uint32_t work = tcfh_region(h, "work");
    for (uint32_t k = 0; k < 900; k++) {
        tcfh_enter(h, k % 2, 10 * k, work);
        tcfh_leave(h, k % 2, 10 * k + 4, work);
    }
    return h;
}

static void tables_reach_the_chain(void **state)
{
    (void)state;
    static const char *const surveys[] = {"counts", "spans"};
    tcfh *h = make();
    for (int k = 0; k < 2; k++)
        for (uint64_t cut = 0; cut < 4; cut++) {
            memset(&saw, 0, sizeof saw);
            tcfh_cut(h, cut);
            tcfh_run(h, "[pipeline]\nsurvey = %s\nchain = told\n", surveys[k]);
            assert_int_equal(saw.wrong, 0);
            assert_int_equal(saw.rows, 3);
            assert_int_equal(saw.learned_at, 1);
            assert_int_equal(saw.begun_at, 2);
            tcfh_unchanged(h);
        }
    tcfh_run(h, "[pipeline]\nchain = told\n");
    assert_int_equal(saw.rows, 0);
    tcfh_delete(h);
}

/* What the first of two surveys learns is there for the second, and what both do for the chain. */
static void surveys_one_after_another(void **state)
{
    (void)state;
    tcfh *h = make();
    for (uint64_t cut = 0; cut < 4; cut++) {
        memset(&saw, 0, sizeof saw);
        tcfh_cut(h, cut);
        tcfh_run(h, "[pipeline]\nsurvey = counts | again\nchain = told\n[again]\nfilter = told\n");
        assert_int_equal(saw.wrong, 0);
        assert_int_equal(saw.rows, 3);
        assert_int_equal(saw.learned_at, 1);
        assert_int_equal(saw.begun_at, 3);
        memset(&saw, 0, sizeof saw);
        tcfh_run(h, "[pipeline]\nsurvey = told | raws | spans\nchain = again\n[again]\nfilter = told\n");
        assert_int_equal(saw.begun_at, 3);
        assert_int_equal(saw.learned_at, 2);
        tcfh_unchanged(h);
    }
    tcfh_delete(h);
}

static void surveys_that_cannot_be(void **state)
{
    (void)state;
    static const char *const surveys[][2] = {
        {"|", "no filter in front of a |"},
        {"counts |", "no filter behind a |"},
        {"| counts", "no filter in front of a |"},
        {"counts | | raws", "no filter behind a |"},
        {"counts | raws | counts", "survey names 'counts' twice"},
        {"raws | told", "'told' stands in survey and in chain"},
    };
    tcfh *h = make();
    for (size_t k = 0; k < sizeof surveys / sizeof *surveys; k++) {
        char settings[128];
        snprintf(settings, sizeof settings, "[pipeline]\nsurvey = %s\nchain = told\n", surveys[k][0]);
        assert_int_equal(tcfh_try(h, "%s", settings), TCF_ERROR);
        assert_non_null(strstr(tcfh_error(h), surveys[k][1]));
        assert_true(tcfh_error_is_usage(h));
    }
    tcfh_delete(h);
}

static void mistakes(void **state)
{
    (void)state;
    tcfh *h = make();
    assert_int_equal(tcfh_try(h, "[pipeline]\nsurvey = counts\nchain = counts told\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "'counts' stands in survey and in chain"));
    assert_true(tcfh_error_is_usage(h));
    assert_int_equal(tcfh_try(h, "[pipeline]\nsurvey = cuonts\nchain = told\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "counts"));
    saw.fails = 1;
    assert_int_equal(tcfh_try(h, "[pipeline]\nsurvey = counts\nchain = told\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "no more"));
    assert_non_null(strstr(tcfh_error(h), "survey"));
    assert_int_equal(saw.begun_at, 0);
    tcfh_delete(h);
}

static void raw_times(void **state)
{
    (void)state;
    tcfh *h = make();
    for (uint64_t cut = 0; cut < 4; cut++) {
        saw.rows = 0;
        tcfh_cut(h, cut);
        tcfh_run(h, "[pipeline]\nchain = shifts raws\n");
        assert_int_equal(saw.wrong, 0);
        assert_int_equal(saw.rows, 1800);
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_reach_the_chain),
        cmocka_unit_test(surveys_one_after_another),
        cmocka_unit_test(surveys_that_cannot_be),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(raw_times),
        cmocka_unit_test(pairs_that_cannot_be_told),
        cmocka_unit_test(receives_that_nobody_sent),
        cmocka_unit_test(surveys_that_are_repeated),
        cmocka_unit_test(receives_without_any_send),
        cmocka_unit_test(collectives_without_data),
    };
    return cmocka_run_group_tests_name("survey", tests, NULL, NULL);
}
