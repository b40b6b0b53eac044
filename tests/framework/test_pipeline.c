/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How slices move through a chain: holding and releasing, inserting, dropping, several causal segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "tests/support/harness.h"

#include "passing.h"

/* Puts a slice with one event in front of every slice. */
static tcf_status insert_slice(tcf_self *self, tcf_slice *s)
{
    uint32_t capacity;
    tcf_slice *mine = self->host->slice_new(self, s->location, &capacity);
    if (!mine || capacity == 0)
        return TCF_ERROR;
    mine->time[0] = s->time[0];
    mine->kind[0] = TCF_PARAMETER_INT;
    mine->rec[0].parameter_int = (tcf_ev_parameter_int){TCF_NONE, 42};
    mine->attr[0] = 0;
    mine->n = 1;
    return self->host->emit(self, mine);
}

static uint64_t insert_frontier(const tcf_self *self, uint32_t location, uint64_t time)
{
    (void)self, (void)location;
    return time;
}

static const tcf_filter insert = {
    .head = TCF_FILTER_HEAD,
    .name = "insert",
    .version = "1",
    .summary = "Inserts events",
    .can = TCF_CAN_INSERT,
    .slice = insert_slice,
    .frontier = insert_frontier,
};

/* Drops the events of each slice, and inserts them in front of the next one or at the location's end. */
enum { LATE_MOST = 64 };

struct late {
    uint64_t time[LATE_MOST];
    tcf_rec rec[LATE_MOST];
    uint8_t kind[LATE_MOST];
    uint32_t n;
};

static tcf_status late_emit(tcf_self *self, uint32_t location)
{
    struct late *l = tcf_location_state(self, location);
    uint32_t capacity;
    tcf_slice *s = self->host->slice_new(self, location, &capacity);
    if (!s || capacity < l->n)
        return TCF_ERROR;
    memcpy(s->time, l->time, l->n * sizeof *l->time);
    memcpy(s->rec, l->rec, l->n * sizeof *l->rec);
    memcpy(s->kind, l->kind, l->n);
    s->n = l->n;
    l->n = 0;
    return self->host->emit(self, s);
}

static tcf_status late_slice(tcf_self *self, tcf_slice *s)
{
    static const uint8_t none[LATE_MOST];
    struct late *l = tcf_location_state(self, s->location);
    if (late_emit(self, s->location) != TCF_OK)
        return TCF_ERROR;
    memcpy(l->time, s->time, s->n * sizeof *l->time);
    memcpy(l->rec, s->rec, s->n * sizeof *l->rec);
    memcpy(l->kind, s->kind, s->n);
    l->n = s->n;
    self->host->compact(self, s, none);
    return TCF_OK;
}

static const tcf_filter late = {
    .head = TCF_FILTER_HEAD,
    .name = "late",
    .version = "1",
    .summary = "Inserts events late",
    .location_size = sizeof(struct late),
    .can = TCF_CAN_DROP | TCF_CAN_INSERT,
    .slice = late_slice,
    .location_end = late_emit,
};

/* Follows the watermark, and counts the events that come although it has passed them. */
static struct {
    uint64_t passed, events, broken, beats, fallen;
    uint64_t farthest; /* from the watermark to an event of the first location */
} told;

static void listen(const tcf_self *self)
{
    const uint64_t watermark = self->host->watermark(self);
    told.fallen += watermark < told.passed;
    told.passed = watermark > told.passed ? watermark : told.passed;
}

static tcf_status listen_slice(tcf_self *self, tcf_slice *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        told.broken += s->time[i] < told.passed;
    told.events += s->n;
    if (s->n > 0 && s->location == 0 && s->time[0] > told.passed + told.farthest)
        told.farthest = s->time[0] - told.passed;
    listen(self);
    return TCF_OK;
}

static tcf_status listen_heartbeat(tcf_self *self)
{
    told.beats++;
    listen(self);
    return TCF_OK;
}

static const tcf_filter listens = {
    .head = TCF_FILTER_HEAD,
    .name = "listens",
    .version = "1",
    .summary = "Follows the watermark",
    .can = TCF_CAN_LIVE,
    .slice = listen_slice,
    .heartbeat = listen_heartbeat,
};

/* Moves events to earlier times: behind it nothing is known of those that come. */
static tcf_status sooner_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    for (uint32_t i = 0; i < s->n; i++)
        s->time[i] -= s->time[i] < 500 ? s->time[i] : 500;
    return TCF_OK;
}

static const tcf_filter sooner = {
    .head = TCF_FILTER_HEAD,
    .name = "sooner",
    .version = "1",
    .summary = "Moves events to earlier times",
    .writes = TCF_WRITES_TIME,
    .slice = sooner_slice,
};

static tcfh *make(uint32_t processes)
{
    static const tcf_filter *const all[] = {&hold, &ends, &insert, &drop, &watch, &late, &listens, &sooner};
    return with_filters(processes, all, sizeof all / sizeof *all);
}

static void passes_everything(void **state)
{
    (void)state;
    tcfh *h = make(3);
    uint32_t m = tcfh_metric(h, "flops", 4);
    tcf_attribute pair[2] = {{7, tcfh_attribute(h, "a", 4), 4}, {UINT64_MAX, tcfh_attribute(h, "b", 4), 4}};
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t l = i % 3;
        tcfh_metric_value(h, l, i, m, 4, i * 1000003ull);
        tcfh_enter(h, l, i, i & 1);
        if (i % 7 < 3)
            tcfh_attributes(h, l, i % 7, pair);
    }
    for (uint64_t seed = 0; seed < 4; seed++) {
        memset(&saw, 0, sizeof saw);
        tcfh_cut(h, seed);
        tcfh_run(h, "[pipeline]\nchain = ends\nslice = %u\n", seed ? 5u : 0u);
        tcfh_unchanged(h);
        tcfh_run(h, "[pipeline]\nchain = ends watch\nslice = %u\n", seed ? 5u : 0u);
        tcfh_unchanged(h);
        for (int l = 0; l < 3; l++) {
            assert_int_equal(saw.at[l].events, 4000);
            assert_int_equal(saw.at[l].ends, 2);
            assert_int_equal(saw.seen[0][l], 2000);
        }
    }
    tcfh_delete(h);
}

/* What is known at the end of a trace. */
static uint64_t last_watermark;

static tcf_status last_end(tcf_self *self)
{
    last_watermark = self->host->watermark(self);
    return TCF_OK;
}

static tcf_status last_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static const tcf_filter last = {
    .head = TCF_FILTER_HEAD,
    .name = "last",
    .version = "1",
    .summary = "Looks how far all have come at the end",
    .needs = TCF_NEED_TOGETHER,
    .slice = last_slice,
    .end = last_end,
};

/* Nothing more comes at the end: of no location at all, either. */
static void the_last_watermark(void **state)
{
    (void)state;
    for (uint32_t processes = 0; processes < 3; processes++) {
        tcfh *h = tcfh_new();
        tcfh_processes(h, processes, 1);
        tcfh_filter(h, &last);
        last_watermark = 0;
        tcfh_run(h, "[pipeline]\nchain = last\n");
        assert_true(last_watermark == UINT64_MAX);
        tcfh_delete(h);
    }
}

static void empty_traces(void **state)
{
    (void)state;
    tcfh *h = make(3);
    static const char *const chains[] = {"ends", "hold ends", "watch ends", "watch hold ends", "hold watch ends"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        memset(&saw, 0, sizeof saw);
        tcfh_run(h, "[pipeline]\nchain = %s\n", chains[i]);
        tcfh_unchanged(h);
        for (int l = 0; l < 3; l++)
            assert_int_equal(saw.at[l].ends, 1);
    }
    tcfh_delete(h);
}

static void holds_for_the_watermark(void **state)
{
    (void)state;
    tcfh *h = make(4);
    feed_regions(h, 4, 700);
    static const char *const chains[] = {"hold ends", "watch hold ends", "hold watch ends", "hold ends watch"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            memset(&saw, 0, sizeof saw);
            tcfh_cut(h, seed);
            tcfh_run(h, "[pipeline]\nchain = %s\nslice = 16\n", chains[i]);
            tcfh_unchanged(h);
            assert_int_equal(saw.flushes, 0);
            assert_int_equal(saw.early, 0);
            assert_int_equal(tcfh_note(h, "released_early"), 0);
            for (int l = 0; l < 4; l++) {
                assert_int_equal(saw.at[l].events, 700);
                assert_int_equal(saw.at[l].ends, 1);
                assert_int_equal(saw.at[l].out_of_order, 0);
            }
        }
    tcfh_delete(h);
}

/* With a heartbeat at every slice: no event comes behind the watermark that was told before, whatever filters in front
 * hold, drop or insert. */
static void watermark_is_kept(void **state)
{
    (void)state;
    static const char *const chains[] = {"listens",
                                         "watch listens",
                                         "hold listens",
                                         "watch hold listens",
                                         "hold watch listens",
                                         "watch hold second listens",
                                         "late listens",
                                         "watch late listens",
                                         "watch hold late listens"};
    tcfh *h = make(4);
    feed_regions(h, 4, 700);
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
        for (uint32_t slice = 1; slice <= 64; slice *= 4) {
            memset(&saw, 0, sizeof saw);
            memset(&told, 0, sizeof told);
            tcfh_run(h, "[pipeline]\nchain = %s\nslice = %u\nflush = 0\nlookahead = 0\n%s", chains[i], slice,
                     strstr(chains[i], "second") ? "[second]\nfilter = watch\n" : "");
            if (told.broken > 0)
                fail_msg("%s, slices of %u: %llu events behind the watermark", chains[i], slice,
                         (unsigned long long)told.broken);
            assert_int_equal(told.fallen, 0);
            assert_int_equal(told.events, 4 * 700);
            assert_true(told.beats >= 4 * 700 / 64);
            assert_int_equal(saw.flushes, 0);
        }
    tcfh_delete(h);
}

/* A location whose next event is known to be late keeps the watermark back nowhere. */
static void watermark_passes_a_silent_location(void **state)
{
    (void)state;
    static const char *const chains[] = {"watch listens", "watch drop listens", "watch insert listens"};
    tcfh *h = make(2);
    feed_regions(h, 1, 6000);
    tcfh_enter(h, 1, 1, 0);
    tcfh_leave(h, 1, 1000000, 0);
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        memset(&told, 0, sizeof told);
        tcfh_run(h, "[pipeline]\nchain = %s\nslice = 4\nflush = 0\n", chains[i]);
        assert_int_equal(told.broken, 0);
        assert_in_range(told.farthest, 1, 100);
    }
    memset(&told, 0, sizeof told);
    tcfh_run(h, "[pipeline]\nchain = watch sooner listens\nslice = 4\nflush = 0\n");
    assert_int_equal(told.broken, 0);
    tcfh_delete(h);
}

static void releases_when_the_pool_is_dry(void **state)
{
    (void)state;
    tcfh *h = make(3);
    feed_messages(h, 3, 6000, 5);
    static const char *const chains[] = {"hold ends", "watch hold ends", "first hold second ends"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        memset(&saw, 0, sizeof saw);
        tcfh_run(h,
                 "[pipeline]\nchain = %s\nslice = 4\nlookahead = 0\nmemory = 1MiB\n"
                 "[hold]\nhoard = yes\n%s",
                 chains[i], i == 2 ? "[first]\nfilter = watch\n[second]\nfilter = watch\n" : "");
        tcfh_unchanged(h);
        assert_true(saw.flushes > 0);
        assert_true(tcfh_note(h, "released_early") > 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        assert_int_equal(saw.wrong[0] + saw.wrong[1], 0);
        for (int l = 0; l < 3; l++) {
            assert_int_equal(saw.at[l].ends, 1);
            assert_int_equal(saw.at[l].out_of_order, 0);
        }
    }
    tcfh_delete(h);
}

/* What the look-ahead may need beyond `memory` isn't there for filters that hold. */
static void holds_within_memory(void **state)
{
    (void)state;
    tcfh *h = make(3);
    feed_messages(h, 3, 600, 5);
    static const char *const memory[] = {"64KiB", "64MiB"};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) {
        memset(&saw, 0, sizeof saw);
        tcfh_run(h, "[pipeline]\nchain = hold ends\nslice = 16\nlookahead = 4096\nmemory = %s\n[hold]\nhoard = yes\n",
                 memory[i]);
        tcfh_unchanged(h);
        assert_int_equal(saw.flushes > 0, i == 0);
        assert_int_equal(tcfh_note(h, "released_early") > 0, i == 0);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

static void inserts(void **state)
{
    (void)state;
    tcfh *h = make(3);
    uint32_t messages = feed_messages(h, 3, 2000, 9);
    static const char *const chains[] = {"insert ends", "insert first ends", "first insert second ends",
                                         "first hold insert second ends"};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        size_t before, inserted = 0;
        memset(&saw, 0, sizeof saw);
        tcfh_run(h, "[pipeline]\nchain = %s\nslice = 32\n%s%s", chains[i], i >= 1 ? "[first]\nfilter = watch\n" : "",
                 i >= 2 ? "[second]\nfilter = watch\n" : "");
        for (uint32_t l = 0; l < 3; l++) {
            const tcfh_out *out = tcfh_output(h, l, &before);
            for (size_t k = 0; k < before; k++)
                inserted += out[k].kind == TCF_PARAMETER_INT && out[k].rec.parameter_int.value == 42;
            for (size_t k = 1; k < before; k++)
                assert_true(out[k].time >= out[k - 1].time);
            assert_int_equal(saw.at[l].events, before);
        }
        assert_true(inserted > 60);
        assert_int_equal(saw.wrong[0] + saw.wrong[1] + saw.unmatched[0] + saw.unmatched[1], 0);
        assert_int_equal(saw.matched[0], i >= 1 ? messages : 0);
        assert_int_equal(saw.matched[1], i >= 2 ? messages : 0);
    }
    tcfh_delete(h);
}

static void drops_ends_of_messages(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        tcfh *h = make(4);
        uint32_t messages = feed_messages(h, 4, 1500, seed), dropped = 0;
        tcfh_cut(h, seed % 2 ? seed : 0);
        for (int what = 0; what < 3; what++) {
            memset(&saw, 0, sizeof saw);
            tcfh_run(h,
                     "[pipeline]\nchain = drop first hold second\nslice = %u\nverify = yes\n[drop]\nsends = %s\n"
                     "receives = %s\nregions = yes\n[first]\nfilter = watch\n[second]\nfilter = watch\n",
                     seed < 4 ? 7u : 1024u, what != 1 ? "yes" : "no", what != 0 ? "yes" : "no");
            assert_int_equal(saw.wrong[0] + saw.wrong[1], 0);
            assert_int_equal(tcfh_note(h, "given_up"), 0);
            if (what == 0)
                dropped = (uint32_t)saw.unmatched[0];
            for (int k = 0; k < 2; k++) {
                assert_int_equal(saw.matched[k], messages - dropped);
                assert_int_equal(saw.unmatched[k], what == 0 ? dropped : 0);
                assert_int_equal(saw.receives[k], what == 0 ? messages : messages - dropped);
            }
        }
        assert_true(dropped > 0 && dropped < messages);
        tcfh_delete(h);
    }
}

/* A tombstone stands in front of a receive that waits, and what has passed is sent out for want of memory: the
 * tombstone must not count twice. */
static void tombstone_in_front_of_a_parked_receive(void **state)
{
    (void)state;
    tcfh *h = make(3);
    for (uint32_t i = 0; i < 40; i++) { /* to 2: two dropped messages, and one that comes late */
        tcfh_enter(h, 1, 100 * i, 0);
        tcfh_send(h, 1, 100 * i + 1, 2, 66, 1000 + i);
        tcfh_receive(h, 1, 100 * i + 2, 0, 1, i);
        for (uint32_t k = 0; k < 30; k++)
            tcfh_enter(h, 0, 100 * i + 50 + k, 0);
        tcfh_send(h, 0, 100 * i + 99, 1, 1, i);
        tcfh_receive(h, 2, 100 * i + 5, 1, 66, 1000 + i);
    }
    tcfh_run(h, "[pipeline]\nchain = drop watch hold\nslice = 4\nlookahead = 0\nmemory = 768KiB\n"
                "[drop]\nsends = yes\n[hold]\nhoard = yes\n");
    assert_true(saw.flushes > 0);
    assert_int_equal(saw.matched[0], 40);
    assert_int_equal(saw.unmatched[0], 40);
    assert_int_equal(saw.wrong[0], 0);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

static void several_segments(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        tcfh *h = make(5);
        uint32_t messages = feed_messages(h, 5, 2500, seed);
        tcfh_cut(h, seed % 3);
        memset(&saw, 0, sizeof saw);
        tcfh_run(h,
                 "[pipeline]\nchain = first hold second ends\nslice = %u\nverify = %s\n[first]\nfilter = watch\n"
                 "[second]\nfilter = watch\n",
                 3u << seed, seed % 2 ? "yes" : "no");
        tcfh_unchanged(h);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(saw.matched[k], messages);
            assert_int_equal(saw.unmatched[k] + saw.wrong[k], 0);
            for (int l = 0; l < 5; l++)
                assert_int_equal(saw.seen[k][l], saw.at[l].events);
        }
        assert_int_equal(tcfh_note(h, "given_up"), 0);
        tcfh_delete(h);
    }
}

/* Each waits for the other: one of them goes on, and its event says that it is unmatched, for every segment. */
static void given_up(void **state)
{
    (void)state;
    tcfh *h = make(2);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_receive(h, l, 10, 1 - l, 7, 8);
        tcfh_send(h, l, 20, 1 - l, 7, 8);
        tcfh_receive(h, l, 30, 1 - l, 7, 8);
        tcfh_send(h, l, 40, 1 - l, 7, 8);
    }
    for (uint32_t slice = 0; slice < 4; slice++) {
        memset(&saw, 0, sizeof saw);
        tcfh_run(
            h, "[pipeline]\nchain = first ends second\nslice = %u\n[first]\nfilter = watch\n[second]\nfilter = watch\n",
            slice);
        assert_int_equal(saw.wrong[0] + saw.wrong[1], 0);
        assert_true(saw.unmatched[0] > 0 && saw.unmatched[1] > 0);
    }
    tcfh_delete(h);
}

#ifdef HAVE_SQLITE
static uint64_t stated_duration(tcfh *h)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open_v2(tcfh_path(h, "results"), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT duration_ticks FROM run", -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const uint64_t ticks = (uint64_t)sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return ticks;
}

/* A run lasts from the first to the last event of all, which may be alone in their slices. */
static void duration_of_a_run(void **state)
{
    (void)state;
    tcfh *h = make(3);
    tcfh_enter(h, 0, 1200, 0);
    tcfh_leave(h, 0, 1300, 0);
    tcfh_enter(h, 1, 1150, 0);
    tcfh_enter(h, 2, 1250, 0);
    tcfh_leave(h, 2, 1900, 0);
    for (uint32_t slice = 1; slice <= 4; slice++) {
        tcfh_run(h, "[pipeline]\nchain = ends\nslice = %u\ndatabase = ${SCRATCH}/results\noverwrite = yes\n", slice);
        assert_int_equal(stated_duration(h), 1900 - 1150);
    }
    tcfh_delete(h);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef HAVE_SQLITE
        cmocka_unit_test(duration_of_a_run),
#endif
        cmocka_unit_test(passes_everything),
        cmocka_unit_test(the_last_watermark),
        cmocka_unit_test(empty_traces),
        cmocka_unit_test(holds_for_the_watermark),
        cmocka_unit_test(watermark_is_kept),
        cmocka_unit_test(watermark_passes_a_silent_location),
        cmocka_unit_test(releases_when_the_pool_is_dry),
        cmocka_unit_test(holds_within_memory),
        cmocka_unit_test(inserts),
        cmocka_unit_test(drops_ends_of_messages),
        cmocka_unit_test(tombstone_in_front_of_a_parked_receive),
        cmocka_unit_test(several_segments),
        cmocka_unit_test(given_up),
    };
    return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
