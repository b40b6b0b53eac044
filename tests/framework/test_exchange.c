/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What crosses locations in a causal segment: the numbers and payloads of collectives, and what their sources hear of
 * their targets, against what a whole trace says. test_exchange_limits.c has messages, and what happens when something
 * is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <string.h>

#include "random_collectives.h"
#include "tests/support/harness.h"

enum { SHIFT = 1000000 };

static struct {
    _Atomic uint64_t wrong, asked, completed, unmatched, early; /* domains run at the same time */
} saw;

/* ------------------------------------------------------------------------------------------------------- filters -- */

struct member {
    uint64_t begin;
    uint32_t location, instance;
};

static void check_answer(tcf_self *self, const tcf_edge *e, const struct instance *i, uint32_t me, uint64_t shift)
{
    uint64_t got = 0, wanted = 0;
    saw.asked++;
    int there = self->host->latest(self, e, 0, &got), should = expect(i, me, &wanted);
    saw.wrong += there != should || (there && got != wanted + shift);
}

static void check_end(tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t shift)
{
    uint32_t l = s->location, k = at[l].seen_ends[shift > 0]++, me = at[l].rank[k];
    const struct instance *i = &instances[at[l].instance[k]];
    struct member *mine = self->host->payload(self, e);
    saw.wrong += !mine || mine->begin != i->begin[me] || e->op != i->op || mine->location != l;
    saw.wrong += !(e->flags & TCF_EDGE_TARGET) != !i->target[me];
    saw.unmatched += (e->flags & TCF_EDGE_UNMATCHED) != 0;
    if (mine)
        mine->instance = at[l].instance[k];
    if (e->flags & TCF_EDGE_TARGET)
        check_answer(self, e, i, me, shift);
    /* With needs_ends everybody has come to the end. */
    for (uint32_t r = 0; self->needs & TCF_NEED_ENDS && i->to_all && i->target[me] && r < i->n; r++)
        saw.early += i->member[r] != l && at[i->member[r]].processed < i->end_event[r];
}

static tcf_status ask_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    uint64_t shift = strcmp(self->name, "shifted") == 0 ? SHIFT : 0;
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        saw.wrong += !harness_edge_shown(s, i);
        if (e && e->flags & TCF_EDGE_BEGIN) {
            struct member *mine = self->host->payload(self, e);
            saw.wrong += !mine || mine->begin || mine->location; /* zeroed */
            if (mine)
                *mine = (struct member){s->time[i], s->location, 0};
            if (e->flags & TCF_EDGE_SOURCE)
                self->host->publish(self, e, 0, s->time[i] + shift);
        } else if (e && e->flags & TCF_EDGE_MEMBER) {
            check_end(self, s, e, shift);
        }
        if (shift == 0)
            at[s->location].processed++;
    }
    return TCF_OK;
}

static tcf_status ask_complete(tcf_self *self, const tcf_collective *shared)
{
    const struct member *first = (const struct member *)(const void *)shared->members;
    struct instance *i = &instances[first->instance];
    saw.wrong += shared->n_members != i->n || shared->n_arrived != i->n || shared->op != i->op;
    for (uint32_t r = 0; r < shared->n_members && r < i->n; r++) {
        const struct member *m = (const struct member *)(const void *)(shared->members + r * shared->stride);
        saw.wrong += m->location != i->member[r] || m->begin != i->begin[r] || m->instance != first->instance;
    }
    saw.completed++;
    saw.wrong += strcmp(self->name, "ask") == 0 && i->completed++ > 0;
    return TCF_OK;
}

static const tcf_filter ask = {
    .head = TCF_FILTER_HEAD,
    .name = "ask",
    .version = "1",
    .summary = "Checks collectives",
    .member_bytes = sizeof(struct member),
    .can = TCF_CAN_DOMAINS,
    .span = ask_span,
    .collective_complete = ask_complete,
};

static const tcf_filter ask_ends = {
    .head = TCF_FILTER_HEAD,
    .name = "ask_ends",
    .version = "1",
    .summary = "Checks collectives with all ends",
    .member_bytes = sizeof(struct member),
    .needs = TCF_NEED_ENDS,
    .can = TCF_CAN_DOMAINS,
    .span = ask_span,
    .collective_complete = ask_complete,
};

/* Behind the segment: holds some slices of each location, answers sources with the times of their targets. */
enum { HOLD = 512 };

static struct {
    tcf_slice *slice[HOLD];
    uint32_t head, tail;
    uint32_t begins; /* asked about */
    uint64_t complete, pending, wrong;
} holds[MOST];
static uint32_t patience; /* slices a location that are held */

static tcf_status let_go(tcf_self *self, uint32_t l)
{
    tcf_slice *s = holds[l].slice[holds[l].head++ % HOLD];
    for (uint32_t k = 0; k < s->n_edges; k++) {
        const tcf_edge *e = &s->edges[k];
        if (!(e->flags & TCF_EDGE_BEGIN))
            continue;
        const struct instance *i = &instances[at[l].begun[holds[l].begins]];
        uint32_t me = at[l].begun_rank[holds[l].begins++];
        uint64_t value, wanted = first_dependent(i, me);
        if (self->host->answered(self, e, &value)) {
            holds[l].complete++;
            holds[l].wrong += e->flags & TCF_EDGE_SOURCE && value != wanted;
        } else {
            holds[l].pending++;
            holds[l].wrong += e->flags & TCF_EDGE_SOURCE && value < wanted;
        }
    }
    return self->host->release(self, s);
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    uint32_t l = s->location;
    for (uint32_t k = 0; k < s->n_edges; k++)
        if (s->edges[k].flags & TCF_EDGE_TARGET)
            self->host->answer(self, &s->edges[k], s->time[s->edges[k].pos]);
    holds[l].slice[holds[l].tail++ % HOLD] = s;
    while (holds[l].tail - holds[l].head > patience)
        if (let_go(self, l) != TCF_OK)
            return TCF_ERROR;
    return TCF_HELD;
}

static tcf_status hold_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (self->host->has(self, l) && holds[l].tail > holds[l].head)
            return let_go(self, l);
    return TCF_OK;
}

static tcf_status hold_end(tcf_self *self)
{
    for (uint32_t l = 0; l < MOST; l++)
        while (holds[l].tail > holds[l].head)
            if (let_go(self, l) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

static const tcf_filter holder = {
    .head = TCF_FILTER_HEAD,
    .name = "holder",
    .version = "1",
    .summary = "Answers",
    .can = TCF_CAN_ANSWER | TCF_CAN_HOLD | TCF_CAN_DOMAINS,
    .slice = hold_slice,
    .flush = hold_flush,
    .end = hold_end,
};

/* --------------------------------------------------------------------------------------------------------- tests -- */

static void forget_run(void)
{
    memset(&saw, 0, sizeof saw);
    for (int l = 0; l < MOST; l++)
        at[l].seen_ends[0] = at[l].seen_ends[1] = 0, at[l].processed = 0;
    for (int k = 0; k < COLLECTIVES; k++)
        instances[k].completed = 0;
}

/* In up to seven domains. */
static void numbers_of_collectives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 48; seed++) {
        tcfh *h = tcfh_new();
        uint32_t n = 20 + 30 * (uint32_t)(seed % 16 + 1);
        tcfh_filter(h, &ask);
        tcfh_filter(h, &ask_ends);
        /* Where all ends are waited for, non-blocking operations could wait for each other. */
        int ends = seed % 3 == 0;
        random_collectives(h, seed, n, ends);
        tcfh_cut(h, seed % 2 ? seed : 0);
        forget_run();
        tcfh_run(h,
                 "[pipeline]\nchain = shifted ask\nslice = %u\nthreads = %u\n[shifted]\nfilter = %s\n[ask]\n"
                 "filter = %s\n",
                 (uint32_t)(seed % 4 ? 3 * seed : 0), (uint32_t)(seed % 7 + 1), ends ? "ask_ends" : "ask",
                 ends ? "ask_ends" : "ask");
        tcfh_unchanged(h);
        assert_int_equal(saw.unmatched, 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_int_equal(saw.wrong, 0);
        assert_int_equal(saw.completed, 2 * n);
        assert_true(saw.asked > n);
        if (ends)
            assert_int_equal(saw.early, 0);
        tcfh_delete(h);
    }
}

/* Sources hear of their targets' times, whatever is held how long; also when a slice is let go before. */
static void answers(void **state)
{
    (void)state;
    uint64_t complete = 0, pending = 0;
    for (uint64_t seed = 1; seed <= 48; seed++) {
        tcfh *h = tcfh_new();
        tcfh_filter(h, &holder);
        tcfh_filter(h, &ask);
        random_collectives(h, seed, 20 + 20 * (uint32_t)(seed % 24), 0);
        tcfh_cut(h, seed % 2 ? seed : 0);
        forget_run();
        memset(holds, 0, sizeof holds);
        patience = (uint32_t)(seed % 3 == 0 ? HOLD - 1 : seed % 7);
        tcfh_run(h, "[pipeline]\nslice = %u\nthreads = %u\nchain = %sholder%s\n", (uint32_t)(3 + seed),
                 (uint32_t)(seed % 5 + 1), seed % 2 ? "ask " : "",
                 seed % 10 == 0 ? " behind\n[behind]\nfilter = ask" : "");
        tcfh_unchanged(h);
        for (int l = 0; l < MOST; l++) {
            assert_int_equal(holds[l].wrong, 0);
            complete += holds[l].complete;
            pending += holds[l].pending;
            if (patience == HOLD - 1)
                assert_int_equal(holds[l].pending, 0);
        }
        tcfh_delete(h);
    }
    assert_true(complete > 1000);
    assert_true(pending > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_collectives),
        cmocka_unit_test(answers),
    };
    return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
