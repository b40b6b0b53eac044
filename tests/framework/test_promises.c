/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What filters promise and the framework checks behind each of them: the columns that they provide and require, what
 * they say they write, times that never decrease. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/support/harness.h"
#include "passing.h"

/* Provides a column, for all events or at edges, and the filter that wants both. */
static tcf_status gives_slice(tcf_self *self, tcf_slice *s)
{
    uint64_t *stamp = s->columns[self->host->column(self, "stamp")];
    for (uint32_t i = 0; i < s->n; i++)
        stamp[i] = s->time[i] + 7;
    return TCF_OK;
}

static tcf_status gives_edges_slice(tcf_self *self, tcf_slice *s)
{
    uint16_t *weight = s->columns[self->host->column(self, "weight")];
    for (uint32_t k = 0; k < s->n_edges; k++)
        weight[k] = (uint16_t)(s->edges[k].pos < s->n ? s->time[s->edges[k].pos] : 0);
    return TCF_OK;
}

static tcf_status takes_slice(tcf_self *self, tcf_slice *s)
{
    const uint64_t *stamp = s->columns[self->host->column(self, "stamp")];
    int weight = self->host->column(self, "weight");
    for (uint32_t i = 0; i < s->n; i++) {
        if (stamp[i] != s->time[i] + 7)
            return (self->host->fail)(self, "a wrong stamp at %u", i);
        const tcf_edge *e = s->match ? tcf_edge_of(s, i) : NULL;
        if (e && weight >= 0 && ((const uint16_t *)s->columns[weight])[e - s->edges] != (uint16_t)s->time[i])
            return (self->host->fail)(self, "a wrong weight at %u", i);
    }
    return self->host->column(self, "no_such_column") == -1 ? TCF_OK : (self->host->fail)(self, "a strange column");
}

static const tcf_named_column stamps[] = {{.name = "stamp", .bytes = 8}, {0}};
static const tcf_named_column weights[] = {{.name = "weight", .bytes = 2, .at_edges = 1}, {0}};

static const tcf_filter gives = {
    TCF_FILTER_HEAD,    .name = "gives",      .version = "1", .summary = "Provides a column",
    .provides = stamps, .slice = gives_slice,
};

static const tcf_filter gives_edges = {
    TCF_FILTER_HEAD,
    .name = "gives_edges",
    .version = "1",
    .summary = "Provides a column at edges",
    .provides = weights,
    .needs = TCF_NEEDS_EDGES,
    .slice = gives_edges_slice,
};

static tcf_status keep_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

static const tcf_named_column moves[] = {{.name = "move", .bytes = 8, .of_times = 1}, {0}};

static const tcf_filter tells_moves = {
    TCF_FILTER_HEAD,   .name = "tells_moves", .version = "1",      .summary = "Provides a column that speaks of times",
    .provides = moves, .writes = TCF_TIME,    .slice = keep_slice,
};

static const tcf_filter moves_more = {
    TCF_FILTER_HEAD,    .name = "moves_more", .version = "1", .summary = "Says that it moves events",
    .writes = TCF_TIME, .slice = keep_slice,
};

static const tcf_filter takes_moves = {
    TCF_FILTER_HEAD,   .name = "takes_moves", .version = "1", .summary = "Requires a column that speaks of times",
    .requires = moves, .slice = keep_slice,
};

static const tcf_filter takes = {
    TCF_FILTER_HEAD,    .name = "takes",      .version = "1", .summary = "Requires a column",
    .requires = stamps, .slice = takes_slice,
};

/* Moves time backwards at event 5 of location 1; declares it, or not. */
static void spoil(tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (s->location == 1 && s->first + i == 5)
            s->time[i] = 3;
}

static tcf_status spoil_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    spoil(s, 0, s->n);
    return TCF_OK;
}

static tcf_status spoil_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    spoil(s, from, to);
    return TCF_OK;
}

static tcf_status spoil_hold(tcf_self *self, tcf_slice *s)
{
    spoil(s, 0, s->n);
    return hold_slice(self, s);
}

static tcf_status later_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    for (uint32_t i = from; i < to; i++)
        s->time[i] += 100;
    return TCF_OK;
}

static tcf_status spoil_insert(tcf_self *self, tcf_slice *s)
{
    uint32_t capacity;
    tcf_slice *mine = self->host->slice_new(self, s->location, &capacity);
    if (!mine)
        return TCF_ERROR;
    mine->time[0] = s->time[0] > 100 ? s->time[0] - 100 : 0;
    mine->kind[0] = TCF_OMP_JOIN;
    mine->attr[0] = 0;
    mine->n = 1;
    return self->host->emit(self, mine);
}

static tcf_status spoil_record(tcf_self *self, tcf_slice *s)
{
    (void)self;
    s->rec[s->n - 1].enter.region = 0;
    s->kind[s->n - 1] = TCF_LEAVE;
    return TCF_OK;
}

static const tcf_filter earlier = {
    TCF_FILTER_HEAD,          .name = "earlier",  .version = "1",
    .summary = "Breaks time", .writes = TCF_TIME, .slice = spoil_slice,
};
static const tcf_filter earlier_span = {
    TCF_FILTER_HEAD,          .name = "earlier_span", .version = "1",
    .summary = "Breaks time", .writes = TCF_TIME,     .span = spoil_span,
};
static const tcf_filter earlier_hold = {
    TCF_FILTER_HEAD,
    .name = "earlier_hold",
    .version = "1",
    .summary = "Breaks time",
    .writes = TCF_TIME,
    .params = hold_params,
    .conf_size = sizeof(struct hold_conf),
    .needs = TCF_HOLDS | TCF_TOGETHER,
    .slice = spoil_hold,
    .begin = hold_begin,
    .flush = hold_flush,
    .end = hold_end,
};
static const tcf_filter earlier_insert = {
    TCF_FILTER_HEAD,          .name = "earlier_insert", .version = "1",
    .summary = "Breaks time", .needs = TCF_INSERTS,     .slice = spoil_insert,
};
static const tcf_filter later = {
    TCF_FILTER_HEAD, .name = "later", .version = "1", .summary = "Moves time", .writes = TCF_TIME, .span = later_span,
};
static const tcf_filter secret = {
    TCF_FILTER_HEAD,    .name = "secret",      .version = "1", .summary = "Writes what it doesn't declare",
    .writes = TCF_TIME, .slice = spoil_record,
};
static const tcf_filter secret_span = {
    TCF_FILTER_HEAD,   .name = "secret_span", .version = "1", .summary = "Writes what it doesn't declare",
    .writes = TCF_REC, .span = spoil_span,
};

/* Write before their span, and behind it: what they declare, but not where they may. */
static tcf_status stray_behind_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    (void)to;
    if (from > 0)
        s->rec[0].enter.region++;
    return TCF_OK;
}

static tcf_status stray_ahead_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self;
    if (from == 0 && to < s->n)
        s->attr[s->n - 1]++;
    return TCF_OK;
}

static const tcf_filter stray_behind = {
    TCF_FILTER_HEAD,   .name = "stray_behind",    .version = "1", .summary = "Writes where it may not",
    .writes = TCF_REC, .span = stray_behind_span,
};
static const tcf_filter stray_ahead = {
    TCF_FILTER_HEAD,    .name = "stray_ahead",    .version = "1", .summary = "Writes where it may not",
    .writes = TCF_ATTR, .span = stray_ahead_span,
};

static tcfh *make(uint32_t processes)
{
    static const tcf_filter *const all[] = {&hold,        &ends,         &drop,         &watch,          &gives,
                                            &gives_edges, &takes,        &tells_moves,  &moves_more,     &takes_moves,
                                            &earlier,     &earlier_span, &earlier_hold, &earlier_insert, &later,
                                            &secret,      &secret_span,  &stray_behind, &stray_ahead};
    return with_filters(processes, all, sizeof all / sizeof *all);
}

static void named_columns(void **state)
{
    (void)state;
    tcfh *h = make(2);
    feed_messages(h, 2, 900, 3);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = ends takes\n"), TCF_ERROR);
    assert_true(tcfh_error_is_usage(h));
    assert_non_null(strstr(tcfh_error(h), "'takes' requires the column 'stamp'"));
    assert_non_null(strstr(tcfh_error(h), "put 'gives' before it"));
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = takes gives\n"), TCF_ERROR);
    tcfh_run(h, "[pipeline]\nchain = gives takes\nslice = 10\n");
    tcfh_unchanged(h);
    tcfh_run(h, "[pipeline]\nchain = moves_more tells_moves ends takes_moves\n");
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = tells_moves moves_more takes_moves\n"), TCF_ERROR);
    assert_true(tcfh_error_is_usage(h));
    assert_non_null(strstr(tcfh_error(h), "'moves_more' between them moves events"));
    tcfh_run(h, "[pipeline]\nchain = gives_edges gives watch hold takes\nslice = 10\n");
    tcfh_unchanged(h);
    tcfh_run(h, "[pipeline]\nchain = gives gives_edges drop takes\n[drop]\nsends = yes\nregions = yes\n");
    tcfh_delete(h);
}

static void undeclared_changes(void **state)
{
    (void)state;
    tcfh *h = make(2);
    feed_regions(h, 2, 9);
    tcfh_run(h, "[pipeline]\nchain = secret\n");
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = ends secret\nverify = yes\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "filter 'secret' changed a column of location 1000 "));
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = watch secret_span\nverify = yes\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "filter 'secret_span' changed a column of location 2000 "));
    tcfh_delete(h);
}

/* Spans in pieces, split slices, holders behind: what stays within its span passes, nothing else does. */
static void changes_outside_of_the_span(void **state)
{
    (void)state;
    tcfh *h = make(2);
    feed_messages(h, 2, 900, 3);
    for (uint32_t slice = 0; slice < 300; slice += 100) {
        tcfh_run(h, "[pipeline]\nchain = watch later hold later2\nslice = %u\nverify = yes\n[later2]\nfilter = later\n",
                 slice);
        assert_int_equal(tcfh_try(h, "[pipeline]\nchain = watch stray_behind\nslice = %u\nverify = yes\n", slice),
                         TCF_ERROR);
        assert_non_null(strstr(tcfh_error(h), "'watch' or 'stray_behind' changed events of location "));
        assert_int_equal(tcfh_try(h, "[pipeline]\nchain = stray_ahead\nslice = %u\nverify = yes\n", slice), TCF_ERROR);
        assert_non_null(strstr(tcfh_error(h), "filter 'stray_ahead' changed events of location "));
        tcfh_run(h, "[pipeline]\nchain = stray_behind\nslice = %u\n", slice);
    }
    tcfh_delete(h);
}

static void decreasing_times(void **state)
{
    (void)state;
    static const struct {
        const char *chain, *filter;
    } cases[] = {{"ends earlier", "'earlier'"},
                 {"watch earlier_span", "'earlier_span'"},
                 {"later earlier_span", "'earlier_span'"},
                 {"earlier_hold", "'earlier_hold'"},
                 {"watch earlier_hold", "'earlier_hold'"},
                 {"later watch earlier_span later2", "'earlier_span'"}};
    tcfh *h = make(2);
    feed_regions(h, 2, 9);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t slice = 3; slice <= 6; slice++) {
            assert_int_equal(tcfh_try(h, "[pipeline]\nchain = %s\nslice = %u\n%s", cases[i].chain, slice,
                                      i == 5 ? "[later2]\nfilter = later\n" : ""),
                             TCF_ERROR);
            assert_non_null(strstr(tcfh_error(h), cases[i].filter));
            assert_non_null(strstr(tcfh_error(h), "location 2000"));
            assert_non_null(strstr(tcfh_error(h), "event 5 "));
        }
    tcfh_run(h, "[pipeline]\nchain = earlier_insert\n"); /* one slice: what it inserts comes first */
    tcfh_clear(h);
    feed_regions(h, 2, 900);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = earlier_insert\nslice = 40\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "'earlier_insert' let time decrease"));
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_columns),
        cmocka_unit_test(undeclared_changes),
        cmocka_unit_test(changes_outside_of_the_span),
        cmocka_unit_test(decreasing_times),
    };
    return cmocka_run_group_tests_name("promises", tests, NULL, NULL);
}
