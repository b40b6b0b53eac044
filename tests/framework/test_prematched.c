/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Matches that a stream brings, by their channels: a message keeps its channel from its send to its receive, whatever
 * numbers another process has given it, and however many channels come and are forgotten in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "framework/causality/exchange.h"
#include "framework/causality/match.h"

enum { LOCATIONS = 3, AT_A_TIME = 300, WINDOW = 16, ROUNDS = 6000, TAGS = 20000, BLOCKS = 8 };

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* A message that was sent and not received yet. */
struct message {
    uint64_t number;
    uint32_t tag, channel;
};

struct world {
    tcf_definitions defs;
    tcf_location locations[LOCATIONS];
    uint32_t members[LOCATIONS];
    pool *pool;
    matcher *matcher;
    struct message open[AT_A_TIME];
    uint32_t n_open;
    uint64_t next[TAGS]; /* number on the channel, by who wrote the stream */
    uint32_t met;        /* channels so far */
    slice *waiting[BLOCKS];
    uint32_t n_waiting;
    uint32_t lost, mixed; /* receives on another channel than the send; channels of two that are open */
};

static void set_up(struct world *w, uint32_t seed)
{
    static const slice_layout layout = {.capacity = WINDOW, .arena = 64, .edges = 1};
    static const match_options options = {.lookahead = 0, .max_channels = 1 << 16};

    memset(w, 0, sizeof *w);
    random_state = seed;
    w->defs.n_locations = LOCATIONS;
    w->defs.stride = (tcf_strides)TCF_STRIDES;
    w->defs.locations = w->locations;
    w->defs.mpi_member = w->members;
    for (uint32_t i = 0; i < LOCATIONS; i++)
        w->members[i] = i;
    w->pool = pool_new(&layout, BLOCKS);
    assert_non_null(w->pool);
    w->matcher = matcher_new(&w->defs, w->pool, &options);
    assert_non_null(w->matcher);
    for (uint32_t i = 0; i < TAGS; i++) /* low ones are those that a new process would begin with */
        w->next[i] = draw(2) ? 0 : draw(1000);
}

static void retire(struct world *w, uint32_t i)
{
    matcher_retire(w->matcher, w->waiting[i]);
    slice_put(w->pool, w->waiting[i]);
    w->waiting[i] = w->waiting[--w->n_waiting];
}

static void tear_down(struct world *w)
{
    while (w->n_waiting > 0)
        retire(w, 0);
    matcher_delete(w->matcher);
    pool_delete(w->pool);
}

/* A send on a new channel, or on one that was met before. */
static struct message send(struct world *w)
{
    uint32_t tag = w->met == 0 || (w->met < TAGS && draw(4) > 0) ? w->met++ : draw(w->met);
    return (struct message){.tag = tag, .number = w->next[tag]++};
}

static void check_send(struct world *w, struct message *m, uint32_t index)
{
    for (uint32_t i = 0; i < w->n_open; i++)
        w->mixed += w->open[i].channel == index && w->open[i].tag != m->tag;
    m->channel = index;
    w->open[w->n_open++] = *m;
}

/* A window of messages, each either sent or received, in a slice that stays for a while. */
static void window(struct world *w)
{
    prematched_kind kinds[WINDOW];
    prematched_edge edges[WINDOW];
    struct message messages[WINDOW];
    prematched_edges kept = {.kinds = kinds, .edges = edges, .n_edges = 1 + draw(WINDOW)};
    uint32_t sends = 0;

    for (uint32_t i = 0; i < kept.n_edges; i++) {
        int receive = w->n_open > 0 && (w->n_open + sends >= AT_A_TIME || draw(2));
        messages[i] = receive ? w->open[draw(w->n_open)] : send(w);
        for (uint32_t k = 0; receive && k < w->n_open; k++)
            if (w->open[k].tag == messages[i].tag && w->open[k].number == messages[i].number) {
                w->open[k] = w->open[--w->n_open];
                break;
            }
        sends += !receive;
        kinds[i] = (prematched_kind){.channel = {.type = TCF_CHANNEL_MESSAGE, .a = 0, .b = 1, .tag = messages[i].tag},
                                     .rank = 0,
                                     .peer = receive ? 0 : 1,
                                     .matched = 1,
                                     .class_ = TCF_CLASS_P2P};
        edges[i] = (prematched_edge){.number = messages[i].number,
                                     .pos = i,
                                     .kind = i,
                                     .flags = receive ? TCF_EDGE_TARGET : TCF_EDGE_SOURCE};
    }
    kept.n_kinds = kept.n_edges;
    slice *s = slice_get(w->pool, draw(LOCATIONS));
    assert_non_null(s);
    s->v.n = kept.n_edges;
    assert_int_equal(matcher_take_prematched(w->matcher, s, &kept), TCF_OK);
    assert_int_equal(s->v.n_edges, kept.n_edges);
    for (uint32_t i = 0; i < kept.n_edges; i++) {
        const tcf_edge *e = &s->v.edges[i];
        assert_int_equal(e->number, messages[i].number);
        if (e->flags & TCF_EDGE_SOURCE)
            check_send(w, &messages[i], e->channel);
        else
            w->lost += e->channel != messages[i].channel;
    }
    w->waiting[w->n_waiting++] = s;
}

static void messages_keep_their_channels(void **state)
{
    (void)state;
    static struct world w;

    for (uint32_t seed = 1; seed <= 3; seed++) {
        set_up(&w, seed);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            window(&w);
            while (w.n_waiting == BLOCKS || (w.n_waiting > 0 && draw(4) > 0))
                retire(&w, draw(w.n_waiting));
        }
        assert_int_equal(w.lost, 0);
        assert_int_equal(w.mixed, 0);
        assert_true(w.met > 4 * 1024); /* channels, four times as many as the table has at first, */
        assert_true(matcher_channels(w.matcher) < w.met / 4); /* most of which were forgotten */
        tear_down(&w);
    }
}

/* ------------------------------------------------------------------------------------ what a damaged stream says -- */

static void wake(void *data, uint32_t location)
{
    (void)data, (void)location;
}

/* One edge of each of these numbers, on channels by their tags: a slice of location 0. */
static slice *edges_of(struct world *w, uint32_t n, const uint32_t *tags, const uint64_t *numbers, uint8_t flags)
{
    prematched_kind kinds[WINDOW];
    prematched_edge edges[WINDOW];
    const prematched_edges kept = {.kinds = kinds, .edges = edges, .n_kinds = n, .n_edges = n};
    slice *s = slice_get(w->pool, 0);
    assert_non_null(s);
    s->v.n = n;
    for (uint32_t i = 0; i < n; i++) {
        kinds[i] = (prematched_kind){.channel = {.type = TCF_CHANNEL_MESSAGE, .a = 0, .b = 1, .tag = tags[i]},
                                     .peer = flags & TCF_EDGE_TARGET ? 0 : 1,
                                     .matched = 1,
                                     .class_ = TCF_CLASS_P2P};
        edges[i] = (prematched_edge){.number = numbers[i], .pos = i, .kind = i, .flags = flags};
    }
    assert_int_equal(matcher_take_prematched(w->matcher, s, &kept), TCF_OK);
    w->waiting[w->n_waiting++] = s;
    return s;
}

static void prepare(exchange *x, tcf_edge *e)
{
    assert_int_equal(exchange_prepare(x, 0, 0, e), EXCHANGE_READY);
}

static void pass(exchange *x, tcf_edge *e)
{
    assert_int_equal(exchange_pass(x, 0, e), TCF_OK);
}

/* Two receives of one message, which find it at the same time: the second one takes no other message, though this one
 * has come to where the first was, on the same channel or another. */
static void received_twice(void **state)
{
    static const uint32_t other_tag[] = {5, 6};
    static const uint64_t other_number[] = {1, 0};
    static struct world w;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const uint32_t tags[] = {5, other_tag[i]}, tags_received[] = {5, 5, other_tag[i]};
        const uint64_t numbers[] = {0, other_number[i]}, numbers_received[] = {0, 0, other_number[i]};
        set_up(&w, 1);
        const exchange_options options = {.max_messages = 4};
        exchange *x = exchange_new(&w.defs, w.matcher, &options, &(exchange_client){.wake = wake});
        assert_non_null(x);
        tcf_edge *sent = edges_of(&w, 2, tags, numbers, TCF_EDGE_SOURCE)->v.edges;
        tcf_edge *got = edges_of(&w, 3, tags_received, numbers_received, TCF_EDGE_TARGET)->v.edges;
        prepare(x, &sent[0]);
        pass(x, &sent[0]);
        prepare(x, &got[0]);
        prepare(x, &got[1]);
        pass(x, &got[0]);
        prepare(x, &sent[1]);
        pass(x, &sent[1]);
        assert_int_equal(sent[1].slot, got[0].slot);
        pass(x, &got[1]);
        assert_int_equal(exchange_get_counts(x)->in_flight, 1);
        prepare(x, &got[2]);
        pass(x, &got[2]);
        assert_int_equal(exchange_get_counts(x)->in_flight, 0);
        assert_int_equal(exchange_get_counts(x)->matched, 2);
        exchange_delete(x);
        tear_down(&w);
    }
}

/* A member that has no rank takes part in nothing, and waits for nobody. */
static void a_member_without_rank(void **state)
{
    static const exchange_options options = {.max_messages = 4};
    static struct world w;
    const prematched_kind kind = {.channel = {.type = TCF_CHANNEL_COLLECTIVE},
                                  .rank = TCF_NONE,
                                  .matched = 1,
                                  .class_ = TCF_CLASS_BARRIER};
    const prematched_edge edges[] = {{.pos = 0, .flags = TCF_EDGE_MEMBER | TCF_EDGE_BEGIN | TCF_EDGE_SOURCE},
                                     {.pos = 1, .flags = TCF_EDGE_MEMBER | TCF_EDGE_TARGET}};
    const prematched_edges kept = {.kinds = &kind, .edges = edges, .n_kinds = 1, .n_edges = 2};

    (void)state;
    set_up(&w, 1);
    exchange *x = exchange_new(&w.defs, w.matcher, &options, &(exchange_client){.wake = wake});
    assert_non_null(x);
    slice *s = slice_get(w.pool, 0);
    assert_non_null(s);
    s->v.n = 2;
    assert_int_equal(matcher_take_prematched(w.matcher, s, &kept), TCF_OK);
    w.waiting[w.n_waiting++] = s;
    for (uint32_t k = 0; k < 2; k++) {
        prepare(x, &s->v.edges[k]);
        pass(x, &s->v.edges[k]);
        assert_int_equal(s->v.edges[k].slot, TCF_NONE);
    }
    exchange_delete(x);
    tear_down(&w);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_member_without_rank),
                                              cmocka_unit_test(messages_keep_their_channels),
                                              cmocka_unit_test(received_twice)};
    return cmocka_run_group_tests_name("matches of a stream", tests, NULL, NULL);
}
