/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What filters promise and the framework checks behind each of them: the columns that they provide and require, what
 * they say they write, times that never decrease; and work that filters share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <private/parts_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passing.h"
#include "tests/support/harness.h"

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

static const tcf_named_column stamps[] = {{.name = "stamp", .bytes = 8}};
static const tcf_named_column weights[] = {{.name = "weight", .bytes = 2, .at_edges = 1}};

static const tcf_filter gives = {
    .head = TCF_FILTER_HEAD,
    .name = "gives",
    .version = "1",
    .summary = "Provides a column",
    .provides = TCF_ROWS(stamps),
    .slice = gives_slice,
};

static const tcf_filter gives_edges = {
    .head = TCF_FILTER_HEAD,
    .name = "gives_edges",
    .version = "1",
    .summary = "Provides a column at edges",
    .provides = TCF_ROWS(weights),
    .needs = TCF_NEED_EDGES,
    .slice = gives_edges_slice,
};

static tcf_status keep_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

static const tcf_named_column moves[] = {{.name = "move", .bytes = 8, .of_times = 1}};

static const tcf_filter tells_moves = {
    .head = TCF_FILTER_HEAD,
    .name = "tells_moves",
    .version = "1",
    .summary = "Provides a column that speaks of times",
    .provides = TCF_ROWS(moves),
    .writes = TCF_WRITES_TIME,
    .slice = keep_slice,
};

static const tcf_filter moves_more = {
    .head = TCF_FILTER_HEAD,
    .name = "moves_more",
    .version = "1",
    .summary = "Says that it moves events",
    .writes = TCF_WRITES_TIME,
    .slice = keep_slice,
};

static const tcf_filter takes_moves = {
    .head = TCF_FILTER_HEAD,
    .name = "takes_moves",
    .version = "1",
    .summary = "Requires a column that speaks of times",
    .required = TCF_ROWS(moves),
    .slice = keep_slice,
};

/* As many columns as a slice has room for. */
#define FOUR(letter)                                                                                                   \
    {.name = letter "a", .bytes = 1}, {.name = letter "b", .bytes = 2}, {.name = letter "c", .bytes = 4},              \
    {                                                                                                                  \
        .name = letter "d", .bytes = 8                                                                                 \
    }
static const tcf_named_column sixteen[] = {FOUR("a"), FOUR("b"), FOUR("c"), FOUR("d")};

static tcf_status gives_many_slice(tcf_self *self, tcf_slice *s)
{
    for (uint32_t k = 0; k < 16; k++)
        memset(s->columns[self->host->column(self, sixteen[k].name)], (int)k, s->n * sixteen[k].bytes);
    for (uint32_t k = 0; k < 16; k++) {
        const uint8_t *column = s->columns[self->host->column(self, sixteen[k].name)];
        for (uint32_t i = 0; i < s->n * sixteen[k].bytes; i++)
            if (column[i] != k)
                return (self->host->fail)(self, "column %u has the bytes of column %u", k, column[i]);
    }
    return TCF_OK;
}

static const tcf_filter gives_many = {
    .head = TCF_FILTER_HEAD,
    .name = "gives_many",
    .version = "1",
    .summary = "Provides 16 columns",
    .provides = TCF_ROWS(sixteen),
    .slice = gives_many_slice,
};

static const tcf_filter takes = {
    .head = TCF_FILTER_HEAD,
    .name = "takes",
    .version = "1",
    .summary = "Requires a column",
    .required = TCF_ROWS(stamps),
    .slice = takes_slice,
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
    .head = TCF_FILTER_HEAD,
    .name = "earlier",
    .version = "1",
    .summary = "Breaks time",
    .writes = TCF_WRITES_TIME,
    .slice = spoil_slice,
};
static const tcf_filter earlier_span = {
    .head = TCF_FILTER_HEAD,
    .name = "earlier_span",
    .version = "1",
    .summary = "Breaks time",
    .writes = TCF_WRITES_TIME,
    .span = spoil_span,
};
static const tcf_filter earlier_hold = {
    .head = TCF_FILTER_HEAD,
    .name = "earlier_hold",
    .version = "1",
    .summary = "Breaks time",
    .writes = TCF_WRITES_TIME,
    .params = TCF_ROWS(hold_params),
    .conf_size = sizeof(struct hold_conf),
    .needs = TCF_NEED_TOGETHER,
    .can = TCF_CAN_HOLD,
    .slice = spoil_hold,
    .begin = hold_begin,
    .flush = hold_flush,
    .end = hold_end,
};
static const tcf_filter earlier_insert = {
    .head = TCF_FILTER_HEAD,
    .name = "earlier_insert",
    .version = "1",
    .summary = "Breaks time",
    .can = TCF_CAN_INSERT,
    .slice = spoil_insert,
};
static const tcf_filter later = {
    .head = TCF_FILTER_HEAD,
    .name = "later",
    .version = "1",
    .summary = "Moves time",
    .writes = TCF_WRITES_TIME,
    .span = later_span,
};
static const tcf_filter secret = {
    .head = TCF_FILTER_HEAD,
    .name = "secret",
    .version = "1",
    .summary = "Writes what it doesn't declare",
    .writes = TCF_WRITES_TIME,
    .slice = spoil_record,
};
static const tcf_filter secret_span = {
    .head = TCF_FILTER_HEAD,
    .name = "secret_span",
    .version = "1",
    .summary = "Writes what it doesn't declare",
    .writes = TCF_WRITES_REC,
    .span = spoil_span,
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
    .head = TCF_FILTER_HEAD,
    .name = "stray_behind",
    .version = "1",
    .summary = "Writes where it may not",
    .writes = TCF_WRITES_REC,
    .span = stray_behind_span,
};
static const tcf_filter stray_ahead = {
    .head = TCF_FILTER_HEAD,
    .name = "stray_ahead",
    .version = "1",
    .summary = "Writes where it may not",
    .writes = TCF_WRITES_ATTR,
    .span = stray_ahead_span,
};

/* Ids lead to indices, and those that nothing defines nowhere. */
static tcf_status finds_begin(tcf_self *self)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (self->host->find(self, TCF_REF_LOCATION, tcf_location_at(self->defs, l)->id) != l)
            return (self->host->fail)(self, "location %u is not found", l);
    if (self->host->find(self, TCF_REF_LOCATION, 77) != TCF_NONE ||
        self->host->find(self, TCF_REF_REGION, UINT64_MAX) != TCF_NONE ||
        self->host->find(self, TCF_REF_KINDS, 0) != TCF_NONE)
        return (self->host->fail)(self, "something is found that isn't there");
    return TCF_OK;
}

static tcf_status finds_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static const tcf_filter finds = {
    .head = TCF_FILTER_HEAD,
    .name = "finds",
    .version = "1",
    .summary = "Finds definitions by their ids",
    .slice = finds_slice,
    .begin = finds_begin,
};

/* Call functions of the host as they must not. */
static tcf_status no_edge_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (!tcf_edge_of(s, i) && self->host->payload(self, NULL))
            return TCF_ERROR;
    return TCF_OK;
}

static tcf_status no_bytes_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e))
            if (self->host->payload(self, e))
                return TCF_ERROR;
    return TCF_OK;
}

static tcf_status no_number_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (s->edge[i] & TCF_EDGE_SOURCE)
            self->host->publish(self, tcf_edge_of(s, i), 2, s->time[i]);
    return TCF_OK;
}

static tcf_status no_span_slice(tcf_self *self, tcf_slice *s)
{
    return s->n_edges > 0 && self->host->payload(self, &s->edges[0]) ? TCF_ERROR : TCF_OK;
}

static tcf_status no_answer_slice(tcf_self *self, tcf_slice *s)
{
    if (s->n_edges > 0)
        self->host->answer(self, &s->edges[0], 1);
    return TCF_OK;
}

static tcf_status no_drop_slice(tcf_self *self, tcf_slice *s)
{
    const uint8_t keep[4096] = {0};
    self->host->compact(self, s, keep);
    return s->n > 0 ? TCF_OK : (self->host->fail)(self, "it was compacted");
}

static tcf_status pass_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static const tcf_table_column two_columns[] = {{"a", TCF_CELL_UINT, NULL, "a"}, {"b", TCF_CELL_UINT, NULL, "b"}};

static tcf_status few_cells_end(tcf_self *self)
{
    TCF_ROW(self, TCF_TABLE(self, "t", "T", two_columns), tcf_uint(1));
    return TCF_OK;
}

static tcf_status no_members_end(tcf_self *self)
{
    const uint64_t row[2] = {1, 2};
    tcf_row(self, TCF_TABLE(self, "t", "T", two_columns), row);
    return TCF_OK;
}

#define MISUSES(name_, ...)                                                                                            \
    {                                                                                                                  \
        .head = TCF_FILTER_HEAD, .name = name_, .version = "1", .summary = "Misuses the host", __VA_ARGS__             \
    }
static const struct misuse {
    tcf_filter filter;
    const char *what;
} misuses[] = {
    {MISUSES("no_edge", .message_bytes = 8, .span = no_edge_span), "asks about an edge where there is none"},
    {MISUSES("no_bytes", .span = no_bytes_span), "asks for the payload of a message without message_bytes"},
    {MISUSES("no_number", .numbers = 2, .span = no_number_span), "publishes or asks for more numbers than"},
    {MISUSES("no_span", .needs = TCF_NEED_EDGES, .slice = no_span_slice), "asks about edges without span()"},
    {MISUSES("no_answer", .needs = TCF_NEED_EDGES, .slice = no_answer_slice), "without TCF_CAN_ANSWER"},
    {MISUSES("no_drop", .slice = no_drop_slice), "calls host->compact() without TCF_CAN_DROP"},
    {MISUSES("few_cells", .can = TCF_CAN_REPORT, .slice = pass_slice, .end = few_cells_end), "number of cells"},
    {MISUSES("no_members", .can = TCF_CAN_REPORT, .slice = pass_slice, .end = no_members_end), "TCF_AT() did not make"},
};

static tcfh *make(uint32_t processes)
{
    static const tcf_filter *const all[] = {&hold,        &ends,         &drop,         &watch,          &gives,
                                            &gives_edges, &takes,        &tells_moves,  &moves_more,     &takes_moves,
                                            &earlier,     &earlier_span, &earlier_hold, &earlier_insert, &later,
                                            &secret,      &secret_span,  &stray_behind, &stray_ahead,    &gives_many};
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
    tcfh_run(h, "[pipeline]\nchain = gives_many\nslice = 10\n");
    tcfh_unchanged(h);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = gives_many gives takes\n"), TCF_ERROR); /* one more */
    assert_true(tcfh_error_is_usage(h));
    assert_non_null(strstr(tcfh_error(h), "the chain provides more than 16 named columns"));
    tcfh_delete(h);
}

static void ids_to_indices(void **state)
{
    (void)state;
    tcfh *h = make(2);
    tcfh_filter(h, &finds);
    feed_regions(h, 2, 9);
    tcfh_run(h, "[pipeline]\nchain = finds\n");
    tcfh_delete(h);
}

static void misused_host(void **state)
{
    char what[128];
    (void)state;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        tcfh *h = make(2);
        tcfh_filter(h, &misuses[i].filter);
        feed_messages(h, 2, 900, 3);
        feed_regions(h, 2, 9);
        assert_int_equal(tcfh_try(h, "[pipeline]\nchain = ends %s\n", misuses[i].filter.name), TCF_ERROR);
        snprintf(what, sizeof what, "filter '%s' ", misuses[i].filter.name);
        assert_non_null(strstr(tcfh_error(h), what));
        assert_non_null(strstr(tcfh_error(h), misuses[i].what));
        assert_non_null(strstr(tcfh_error(h), "this is a mistake of the filter"));
        tcfh_delete(h);
    }
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

/* --------------------------------------------------------------------------------------- work that filters share -- */

static char firsts[128];

static tcf_status shares_init(tcf_self *self)
{
    tcf_parts_host_of(self)->take_part(self, "work");
    return TCF_OK;
}

static tcf_status shares_begin(tcf_self *self)
{
    const size_t used = strlen(firsts);
    snprintf(firsts + used, sizeof firsts - used, " %s:%s", self->name, tcf_parts_host_of(self)->first(self)->name);
    return TCF_OK;
}

/* The first one leaves a number in the payload and publishes it; those that share its work find both there. */
static tcf_status shares_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        for (tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e)) {
            uint64_t *mine = self->host->payload(self, e), published = 0;
            if (e->flags & TCF_EDGE_SOURCE && *mine == 0) {
                if (tcf_parts_host_of(self)->first(self) != self)
                    return (self->host->fail)(self, "nothing is in the payload");
                *mine = e->number + 1;
                self->host->publish(self, e, 0, e->number + 2);
            }
            if (*mine != e->number + 1)
                return (self->host->fail)(self, "another number is in the payload");
            if (e->flags & TCF_EDGE_TARGET && !self->host->latest(self, e, 0, &published))
                return (self->host->fail)(self, "nothing is published");
            if (e->flags & TCF_EDGE_TARGET && published != e->number + 2)
                return (self->host->fail)(self, "another number is published");
        }
    return TCF_OK;
}

static tcf_status no_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self, (void)s, (void)from, (void)to;
    return TCF_OK;
}

static const tcf_filter shares = {
    .head = TCF_FILTER_HEAD,
    .name = "shares",
    .version = "1",
    .summary = "Shares work",
    .message_bytes = 8,
    .init = shares_init,
    .begin = shares_begin,
    .span = shares_span,
};
static const tcf_filter looks = {
    .head = TCF_FILTER_HEAD,
    .name = "looks",
    .version = "1",
    .summary = "Looks at edges",
    .message_bytes = 16,
    .span = no_span,
};
static const tcf_filter may_move = {
    .head = TCF_FILTER_HEAD,
    .name = "may_move",
    .version = "1",
    .summary = "May move events",
    .writes = TCF_WRITES_TIME,
    .span = no_span,
};

/* Work is shared within a segment, up to a filter that may change events. */
static void shared_work(void **state)
{
    (void)state;
    static const struct {
        const char *chain, *firsts;
    } cases[] = {{"a", " a:a"},
                 {"a b c", " a:a b:a c:a"},
                 {"looks a other b looks2 c", " a:a b:a c:a"},
                 {"may_move a b moves2 c looks d", " a:a b:a c:c d:c"},
                 {"a ends b c", " a:a b:b c:b"}};
    tcfh *h = make(2);
    tcfh_filter(h, &shares);
    tcfh_filter(h, &looks);
    tcfh_filter(h, &may_move);
    feed_messages(h, 2, 900, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char named[512] = "";
        for (const char *k = "abcd"; *k; k++)
            if (strchr(cases[i].firsts, *k))
                snprintf(named + strlen(named), sizeof named - strlen(named), "[%c]\nfilter = shares\n", *k);
        snprintf(named + strlen(named), sizeof named - strlen(named), "%s%s%s",
                 strstr(cases[i].chain, "looks2") ? "[looks2]\nfilter = looks\n" : "",
                 strstr(cases[i].chain, "moves2") ? "[moves2]\nfilter = may_move\n" : "",
                 strstr(cases[i].chain, "other") ? "[other]\nfilter = looks\n" : "");
        firsts[0] = 0;
        tcfh_run(h, "[pipeline]\nchain = %s\nslice = 10\n%s", cases[i].chain, named);
        assert_string_equal(firsts, cases[i].firsts);
    }
    tcfh_delete(h);
}

/* Fails where the watermark says that all locations have ended, and a slice comes. */
static tcf_status ended_slice(tcf_self *self, tcf_slice *s)
{
    (void)s;
    return self->host->watermark(self) < UINT64_MAX ? TCF_OK : (self->host->fail)(self, "a slice behind the end");
}
static const tcf_filter ended = {
    .head = TCF_FILTER_HEAD,
    .name = "ended",
    .version = "1",
    .summary = "Asks whether all locations have ended",
    .needs = TCF_NEED_TOGETHER,
    .slice = ended_slice,
};

/* The last time that there is isn't the end: other events may have it, too. */
static void times_at_the_end(void **state)
{
    (void)state;
    static const char ini[] =
        "[pipeline]\nchain = ended print\nslice = 8\n[print]\noutput = ${SCRATCH}/printed\noverwrite = yes\n";
    char *first = NULL;
    tcfh *h = make(3);
    tcfh_filter(h, &ended);
    const uint32_t region = tcfh_region(h, "work");
    for (uint32_t l = 0; l < 3; l++)
        for (uint32_t i = 0; i < 40; i++)
            tcfh_enter(h, l, UINT64_MAX - (i < l), region);
    for (uint64_t cut = 0; cut < 20; cut++) {
        tcfh_cut(h, cut);
        tcfh_run(h, "%s", ini);
        if (!first)
            first = strdup(tcfh_text(h, "printed"));
        assert_string_equal(tcfh_text(h, "printed"), first);
    }
    free(first);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_columns),      cmocka_unit_test(ids_to_indices),
        cmocka_unit_test(misused_host),       cmocka_unit_test(shared_work),
        cmocka_unit_test(undeclared_changes), cmocka_unit_test(changes_outside_of_the_span),
        cmocka_unit_test(decreasing_times),   cmocka_unit_test(times_at_the_end),
    };
    return cmocka_run_group_tests_name("promises", tests, NULL, NULL);
}
