/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Runs in which an allocation of the framework fails, each of them once, alone or with all that follow it: the run says
 * that memory has run out, or its results are those of a run that has all memory. No other cause is named, and nothing
 * is lost in silence. In several domains the same allocation may be another one in the next run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "framework/base/error.h"
#include "framework/pipeline/session.h"
#include "framework/settings/settings.h"
#include "kit/harness/internal.h"
#include "tests/support/harness.h"

/* --------------------------------------------------------------------------------------------------- allocations -- */

/* The linker directs the calls of this program and of the framework in it to these (--wrap). */
static struct {
    int counts, all;  /* all: those that follow the failing one fail, too */
    uint64_t failing; /* number of the allocation that fails, from 1 on; 0: none */
    _Atomic uint64_t n;
} allocations;

static int fails(void)
{
    const uint64_t n = allocations.counts ? ++allocations.n : 0;
    return allocations.failing > 0 && (allocations.all ? n >= allocations.failing : n == allocations.failing);
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *p, size_t bytes)
{
    return fails() ? NULL : __real_realloc(p, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* ------------------------------------------------------------------------------------------------------- filters -- */

static _Atomic uint64_t seen; /* a sum over all that the filters saw, in any order */

static void note(uint64_t a, uint64_t b)
{
    seen += map_hash(a, b);
}

static tcf_status watch_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    const tcf_host *host = self->host;
    for (uint32_t k = 0; k < s->n_edges; k++) {
        const tcf_edge *e = &s->edges[k];
        if (e->pos < from || e->pos >= to || e->flags & TCF_EDGE_GONE)
            continue;
        uint64_t value = 0, *payload = (host->payload)(self, e);
        note((uint64_t)s->location << 32 | (s->first + e->pos), (uint64_t)e->flags << 8 | e->class_);
        if (e->flags & TCF_EDGE_TARGET)
            note(e->number, (host->latest)(self, e, 0, &value) ? value : 1);
        if (e->flags & TCF_EDGE_TARGET && tcf_is_message(e))
            note(e->number, payload ? *payload : 2);
        if (e->flags & TCF_EDGE_SOURCE || tcf_post_of(e) == TCF_POST_POSTED)
            (host->publish)(self, e, 0, s->time[e->pos]);
        if (tcf_post_of(e) == TCF_POST_WAITED)
            note(e->number, (host->latest)(self, e, 0, &value) ? value : 3);
        if (payload && e->flags & TCF_EDGE_SOURCE)
            *payload = s->first + e->pos;
    }
    return TCF_OK;
}

static tcf_status watch_complete(tcf_self *self, const tcf_collective *i)
{
    (void)self;
    note(i->number, (uint64_t)i->n_arrived << 32 | i->comm);
    return TCF_OK;
}

/* Where fini() has definitions it has the states of locations. */
static void watch_fini(tcf_self *self, int complete)
{
    (void)complete;
    for (uint32_t l = 0; self->defs && l < self->defs->n_locations; l++)
        assert_int_equal(*(const char *)tcf_location_state(self, l), 0);
}

static const tcf_filter watch = {
    .head = TCF_FILTER_HEAD,
    .name = "watch",
    .version = "1",
    .summary = "Sums up what it sees",
    .message_bytes = 8,
    .member_bytes = 8,
    .can = TCF_CAN_DOMAINS,
    .span = watch_span,
    .collective_complete = watch_complete,
    .location_size = 1,
    .fini = watch_fini,
};
static const tcf_filter watch_ends = {
    .head = TCF_FILTER_HEAD,
    .name = "watch_ends",
    .version = "1",
    .summary = "The same with the ends of all members",
    .message_bytes = 8,
    .member_bytes = 8,
    .can = TCF_CAN_DOMAINS,
    .span = watch_span,
    .collective_complete = watch_complete,
    .needs = TCF_NEED_EDGES | TCF_NEED_ENDS | TCF_NEED_SOURCE_AT_LEAVE,
};

static tcf_status watch_waits_init(tcf_self *self)
{
    self->needs |= TCF_NEED_POSTS;
    self->rendezvous = 8;
    return TCF_OK;
}

static const tcf_filter watch_waits = {
    .head = TCF_FILTER_HEAD,
    .name = "watch_waits",
    .version = "1",
    .summary = "The same with sends that wait",
    .message_bytes = 8,
    .member_bytes = 8,
    .can = TCF_CAN_DOMAINS,
    .span = watch_span,
    .collective_complete = watch_complete,
    .init = watch_waits_init,
};

/* Holds slices, and looks at what targets have answered when it releases them. */
enum { LOCATIONS = 4, HELD = 3 };
static struct {
    tcf_slice *at[LOCATIONS][HELD];
    uint32_t n[LOCATIONS];
} held;

static tcf_status release_first(tcf_self *self, uint32_t location)
{
    tcf_slice *s = held.at[location][0];
    for (uint32_t k = 0; k < s->n_edges; k++) {
        uint64_t value = 0;
        if (!(s->edges[k].flags & TCF_EDGE_SOURCE))
            continue;
        int all = (self->host->answered)(self, &s->edges[k], &value);
        if (all)
            note(s->first + s->edges[k].pos, value);
    }
    memmove(&held.at[location][0], &held.at[location][1], --held.n[location] * sizeof s);
    return (self->host->release)(self, s);
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    for (uint32_t k = 0; k < s->n_edges; k++)
        if (s->edges[k].flags & TCF_EDGE_TARGET)
            (self->host->answer)(self, &s->edges[k], s->first + s->edges[k].pos);
    if (held.n[s->location] == HELD && release_first(self, s->location) != TCF_OK)
        return TCF_ERROR;
    held.at[s->location][held.n[s->location]++] = s;
    return TCF_HELD;
}

static tcf_status hold_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < LOCATIONS; l++)
        while (held.n[l] > 0)
            if (release_first(self, l) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

static const tcf_filter hold = {
    .head = TCF_FILTER_HEAD,
    .name = "hold",
    .version = "1",
    .summary = "Answers",
    .can = TCF_CAN_ANSWER | TCF_CAN_HOLD,
    .slice = hold_slice,
    .flush = hold_flush,
    .end = hold_flush,
};

/* --------------------------------------------------------------------------------------------------------- trace -- */

static uint64_t messages(tcfh *h, uint64_t t, uint32_t n, uint32_t tag)
{
    for (uint32_t k = 0; k < n; k++) {
        tcfh_send(h, k % LOCATIONS, t, (k + 1) % LOCATIONS, tag, 8);
        tcfh_receive(h, (k + 1) % LOCATIONS, t + 2, k % LOCATIONS, tag, 8);
        t += 3;
    }
    return t;
}

static uint64_t collectives(tcfh *h, uint64_t t)
{
    static const uint8_t ops[] = {OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_OP_SCAN,   OTF2_COLLECTIVE_OP_ALLREDUCE,
                                  OTF2_COLLECTIVE_OP_BCAST,   OTF2_COLLECTIVE_OP_EXSCAN, OTF2_COLLECTIVE_OP_REDUCE};
    for (size_t i = 0; i < sizeof ops; i++, t += 20)
        for (uint32_t l = 0; l < LOCATIONS; l++)
            tcfh_collective(h, l, t + l, t + 10 + l, ops[i], 0, 1);
    return t;
}

/* The root of a Gatherv leaves it and sends to a rank that takes part only then, with nothing to give. */
static uint64_t late_for_nothing(tcfh *h, uint64_t t)
{
    tcfh_collective_begin(h, 0, t);
    tcfh_collective_end(h, 0, t + 1, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, 8, 16});
    tcfh_send(h, 0, t + 2, 2, 1, 8);
    tcfh_receive(h, 2, t + 3, 0, 1, 8);
    for (uint32_t i = 0; i < 20; i++)
        tcfh_enter(h, 2, t + 4, 0);
    for (uint32_t l = 1; l < LOCATIONS; l++) {
        tcfh_collective_begin(h, l, t + 5);
        tcfh_collective_end(h, l, t + 6,
                            (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, l == 2 ? 0 : 8, 0});
    }
    for (uint32_t l = 0; l < LOCATIONS; l++) { /* rank 2 alone has decoded the last one when all wait */
        tcfh_collective(h, l, t + 6, t + 7, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
        tcfh_collective_begin(h, l, t + 7);
        tcfh_collective_end(h, l, t + 8,
                            (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, l == 2 ? 0 : 8,
                                                        l == 0 ? 16 : 0});
    }
    return t + 10;
}

static uint64_t requests(tcfh *h, uint64_t t)
{
    for (uint32_t k = 0; k < 20; k++)
        tcfh_event(h, 1, t + k, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){500 + k});
    for (uint32_t k = 0; k < 20; k++) {
        tcfh_send(h, 0, t + 20 + k, 1, 5, 8);
        tcfh_event(h, 1, t + 20 + k, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, 5, 8, 519 - k});
    }
    return t + 100;
}

/* Processes of two threads, of which both send and receive. */
static tcfh *make_threads(void)
{
    tcfh *h = harness_new();
    uint64_t t = 10;
    tcfh_processes(h, LOCATIONS / 2, 2);
    const uint32_t send = tcfh_region(h, "MPI_Ssend"), receive = tcfh_region(h, "MPI_Recv");
    const uint32_t team[] = {tcfh_team(h, 2, (const uint32_t[]){0, 1}), tcfh_team(h, 2, (const uint32_t[]){2, 3})};
    for (uint32_t l = 0; l < LOCATIONS; l++)
        tcfh_enter(h, l, 0, send);
    for (uint32_t k = 0; k < 60; k++, t += 10)
        for (uint32_t l = 0; l < LOCATIONS; l++) {
            const uint32_t other = k % 2 ? l ^ 1 : l ^ 2, receives = (k % 2 ? l : l / 2) % 2 ^ (k / 2 % 2);
            tcfh_enter(h, l, t + 2 * receives, receives ? receive : send);
            if (receives)
                tcfh_receive(h, l, t + 4, other / 2, 1 + k / 6, 8);
            else
                tcfh_send(h, l, t + 1, other / 2, 1 + k / 6, 8);
            tcfh_leave(h, l, t + 5, receives ? receive : send);
        }
    for (uint32_t l = 0; l < LOCATIONS; l += 2)
        tcfh_event(h, l, t, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 2});
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        tcfh_event(h, l, t + 1, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team[l / 2]});
        tcfh_event(h, l, t + 2, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team[l / 2]});
    }
    for (uint32_t l = 0; l < LOCATIONS; l += 2)
        tcfh_event(h, l, t + 3, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    tcfh_definitions(h);
    return h;
}

static tcfh *make(void)
{
    tcfh *h = harness_new();
    static const uint32_t three[] = {2, 0, 1};
    tcfh_processes(h, LOCATIONS, 1);
    tcfh_region(h, "work");
    uint32_t comm = tcfh_comm(h, "three", 3, three);
    for (uint32_t l = 0; l < LOCATIONS; l++)
        tcfh_enter(h, l, 0, 0);
    uint64_t t = messages(h, 10, 40, 1);
    for (uint32_t k = 0; k < 1100; k++) /* more than one chunk of slots */
        tcfh_send(h, 0, t, 3, 7, 8);
    for (uint32_t k = 0; k < 1100; k++)
        tcfh_receive(h, 3, t + 5, 0, 7, 8);
    t = late_for_nothing(h, collectives(h, t + 10));
    tcfh_receive(h, 1, t, 0, 9, 8); /* never sent */
    for (uint32_t k = 0; k < 100; k++)
        t = messages(h, t + 1, 8, 100 + k); /* many channels */
    t = requests(h, collectives(h, t));
    for (uint32_t l = 0; l < 3; l++)
        tcfh_collective(h, l, t, t + 5, OTF2_COLLECTIVE_OP_BARRIER, comm, 0);
    for (uint32_t l = 0; l < 3; l++) /* the last one is not there */
        tcfh_collective(h, l, t + 10, t + 15, OTF2_COLLECTIVE_OP_ALLTOALL, 0, 0);
    tcfh_collective(h, 0, t + 30, t + 35, OTF2_COLLECTIVE_OP_SCAN, 0, 0);   /* called by one, */
    tcfh_collective(h, 1, t + 30, t + 35, OTF2_COLLECTIVE_OP_REDUCE, 0, 0); /* and something else by another */
    tcfh_definitions(h);
    return h;
}

/* A synchronous send is never received, where all wait: its place is the first one of another chunk of slots. */
enum { EAGER = 4 /* bytes of messages that wait for nobody */ };
static tcfh *make_waiting_send(void)
{
    tcfh *h = harness_new();
    tcfh_processes(h, LOCATIONS, 1);
    const uint32_t work = tcfh_region(h, "work"), send = tcfh_region(h, "MPI_Ssend");
    for (uint32_t l = 0; l < LOCATIONS; l++)
        tcfh_enter(h, l, 0, work);
    for (uint32_t k = 0; k < 1023; k++)
        tcfh_send(h, 0, 1, 1, 7, EAGER);
    tcfh_enter(h, 0, 2, send);
    tcfh_send(h, 0, 2, 2, 1, 8);
    tcfh_leave(h, 0, 3, send);
    for (uint32_t l = 1; l < LOCATIONS; l++)
        tcfh_receive(h, l, 5, 0, 9, 8); /* never sent */
    for (uint32_t k = 0; k < 1023; k++)
        tcfh_receive(h, 1, 6, 0, 7, EAGER);
    tcfh_definitions(h);
    return h;
}

/* Of a collective, what is known first is that a member has nothing to give: all wait for something else. */
static tcfh *make_empty_member(void)
{
    tcfh *h = harness_new();
    tcfh_processes(h, LOCATIONS, 1);
    tcfh_region(h, "work");
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        tcfh_enter(h, l, 0, 0);
        tcfh_receive(h, l, 5, (l + 1) % LOCATIONS, 9, 8); /* never sent */
        tcfh_collective_begin(h, l, 6);
        tcfh_collective_end(h, l, 7,
                            (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, l == 2 ? 0 : 8,
                                                        l == 0 ? 24 : 0});
    }
    tcfh_definitions(h);
    return h;
}

/* In another domain channels are known by letters first, of which there are more than the first table has room for:
 * their receives stand behind a barrier. */
static tcfh *make_early_letter(void)
{
    tcfh *h = harness_new();
    tcfh_processes(h, LOCATIONS, 1);
    tcfh_region(h, "work");
    for (uint32_t l = 0; l < LOCATIONS; l++)
        tcfh_enter(h, l, 0, 0);
    for (uint32_t k = 0; k < 70; k++)
        tcfh_send(h, 0, 1, LOCATIONS - 1, k, 8);
    for (uint32_t l = 0; l < LOCATIONS; l++)
        tcfh_collective(h, l, 2, 5, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    for (uint32_t k = 0; k < 70; k++)
        tcfh_receive(h, LOCATIONS - 1, 6, 0, k, 8);
    tcfh_definitions(h);
    return h;
}

/* ---------------------------------------------------------------------------------------------------------- runs -- */

static int in_domains;

/* What the filters saw, and the notes of the summary, are in `seen` afterwards; in domains the former alone. */
static tcf_status run(tcfh *h, const char *const *options, size_t n_options, uint64_t failing, int all)
{
    static const tcf_filter *const filters[] = {&watch, &watch_ends, &watch_waits, &hold, NULL};
    session_summary summary;
    error_clear();
    settings *s = settings_load(NULL, options, n_options);
    assert_non_null(s);
    source *src = harness_feed(h);
    seen = 0;
    memset(&held, 0, sizeof held);
    allocations.n = 0;
    allocations.failing = failing;
    allocations.all = all;
    allocations.counts = 1;
    session *p = session_new_over(s, NULL, filters, src);
    tcf_status status = p ? session_run(p, NULL) : TCF_ERROR;
    allocations.counts = 0;
    if (status == TCF_OK) {
        session_summarise(p, &summary);
        for (size_t i = 0; i < summary.n_notes && !in_domains; i++)
            note(summary.notes[i].count, i);
    }
    session_delete(p);
    settings_free(s);
    return status;
}

static void each_allocation(tcfh *h, const char *const *options, size_t n_options)
{
    if (run(h, options, n_options, 0, 0) != TCF_OK)
        fail_msg("%s", error_text());
    const uint64_t expected = seen, allocated = allocations.n;
    assert_true(allocated > 50);
    for (uint64_t n = 1; n <= allocated; n++)
        for (int all = 0; all < 2; all++) {
            tcf_status status = run(h, options, n_options, n, all);
            if (status == TCF_OK && seen != expected)
                fail_msg("allocation %llu%s: other results", (unsigned long long)n, all ? " and all behind it" : "");
            if (status != TCF_OK && !strstr(error_text(), "out of memory"))
                fail_msg("allocation %llu%s: %s", (unsigned long long)n, all ? " and all behind it" : "", error_text());
        }
    tcfh_delete(h);
}

#define EACH_ALLOCATION(made, ...)                                                                                     \
    each_allocation(made, (const char *const[]){"pipeline.input=harness", __VA_ARGS__},                                \
                    sizeof((const char *const[]){"pipeline.input=harness", __VA_ARGS__}) / sizeof(char *))

static void one_segment(void **state)
{
    (void)state;
    EACH_ALLOCATION(make(), "pipeline.chain=watch", "pipeline.slice=64", "pipeline.lookahead=40");
}

static void held_and_answered(void **state)
{
    (void)state;
    EACH_ALLOCATION(make(), "pipeline.chain=watch hold watch_ends", "pipeline.slice=32", "pipeline.lookahead=40");
}

static void little_room(void **state)
{
    (void)state;
    EACH_ALLOCATION(make(), "pipeline.chain=watch_ends hold watch", "pipeline.slice=8", "pipeline.memory=256KiB",
                    "pipeline.lookahead=10", "pipeline.max_messages=1100", "pipeline.max_channels=1024");
}

/* More than one location sends for a process, sends wait for their receives, and count where their call is left. */
static void threads_and_posts(void **state)
{
    (void)state;
    EACH_ALLOCATION(make_threads(), "pipeline.chain=watch_waits watch_ends", "pipeline.slice=64");
}

static void sides_that_come_alone(void **state)
{
    (void)state;
    EACH_ALLOCATION(make_waiting_send(), "pipeline.chain=watch_waits", "pipeline.slice=64");
    EACH_ALLOCATION(make_empty_member(), "pipeline.chain=watch", "pipeline.slice=64");
}

static void several_domains(void **state)
{
    (void)state;
    in_domains = 1;
    EACH_ALLOCATION(make_early_letter(), "pipeline.chain=watch", "pipeline.threads=2", "pipeline.slice=64");
    EACH_ALLOCATION(make(), "pipeline.chain=watch", "pipeline.threads=2", "pipeline.slice=64", "pipeline.lookahead=40");
    EACH_ALLOCATION(make_threads(), "pipeline.chain=watch_waits watch_ends", "pipeline.threads=2", "pipeline.slice=64");
    in_domains = 0;
}

/* What an archive defines. */
static tcfh *make_definitions(void)
{
    static const uint32_t three[] = {2, 0, 1}, two[] = {3, 1};
    tcfh *h = harness_new();
    tcfh_processes(h, LOCATIONS, 2);
    tcfh_region(h, "work");
    tcfh_inter_comm(h, "two groups", 3, three, 2, two);
    tcfh_window(h, tcfh_comm(h, "three", 3, three));
    tcfh_team(h, 3, three);
    tcfh_metric(h, "cycles", 4);
    tcfh_attribute(h, "iteration", 4);
    return h;
}

static void definitions_are_resolved(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        uint64_t n = 0, needed;
        do {
            tcfh *h = make_definitions();
            error_clear();
            allocations.n = 0;
            allocations.failing = ++n;
            allocations.all = all;
            allocations.counts = 1;
            const tcf_status status = definitions_resolve(h->defs);
            allocations.counts = 0;
            needed = allocations.n;
            assert_int_equal(status, n <= needed ? TCF_ERROR : TCF_OK);
            if (status != TCF_OK && !strstr(error_text(), "out of memory"))
                fail_msg("allocation %llu: %s", (unsigned long long)n, error_text());
            tcfh_delete(h);
        } while (n <= needed);
        assert_true(n > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_resolved), cmocka_unit_test(one_segment),
        cmocka_unit_test(held_and_answered),        cmocka_unit_test(little_room),
        cmocka_unit_test(threads_and_posts),        cmocka_unit_test(sides_that_come_alone),
        cmocka_unit_test(several_domains),
    };
    return cmocka_run_group_tests_name("out of memory", tests, NULL, NULL);
}
