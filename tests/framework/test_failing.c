/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Filters and sources that fail, in every callback: the run stops with a readable error, fini() is called once, and
 * nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static struct {
    uint32_t fini[2], complete[2]; /* of the filter that fails, and of its neighbour */
} saw;

struct conf {
    int in; /* callback */
};

static const char choices[] =
    "nowhere|init|begin|arrive|callback|collective_complete|location_end|flush|end|release|forget";
enum { NOWHERE, INIT, BEGIN, ARRIVE, CALLBACK, COMPLETE, LOCATION_END, FLUSH, END, RELEASE, FORGET };

static const tcf_param params[] = {
    TCF_PARAM(struct conf, in, TCF_ENUM, "nowhere", "Where to fail.", .choices = choices),
};

/* Slices that are held; no test here holds more. */
static tcf_slice *held[4096];
static uint32_t n_held;

static int fails(const tcf_self *self, int in)
{
    return ((const struct conf *)self->conf)->in == in;
}

static tcf_status init(tcf_self *self)
{
    n_held = 0;
    return fails(self, INIT) ? (self->host->fail)(self, "spoilt init") : TCF_OK;
}

static tcf_status begin(tcf_self *self)
{
    return fails(self, BEGIN) ? (self->host->fail)(self, "spoilt begin") : TCF_OK;
}

static tcf_status on_slice(tcf_self *self, tcf_slice *s)
{
    (void)s;
    return fails(self, CALLBACK) && s->location == 1 ? (self->host->fail)(self, "spoilt callback") : TCF_OK;
}

static tcf_status on_arrive(tcf_self *self, tcf_slice *s)
{
    return fails(self, ARRIVE) && s->location == 1 ? (self->host->fail)(self, "spoilt arrive") : TCF_OK;
}

static tcf_status on_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)s, (void)from;
    return fails(self, CALLBACK) && s->location == 1 && to > 2 ? (self->host->fail)(self, "spoilt callback") : TCF_OK;
}

static tcf_status on_complete(tcf_self *self, const tcf_collective *i)
{
    (void)i;
    return fails(self, COMPLETE) ? (self->host->fail)(self, "spoilt collective_complete") : TCF_OK;
}

static tcf_status on_location_end(tcf_self *self, uint32_t location)
{
    return fails(self, LOCATION_END) && location == 1 ? (self->host->fail)(self, "spoilt location_end") : TCF_OK;
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    if (on_slice(self, s) != TCF_OK)
        return TCF_ERROR;
    if (fails(self, RELEASE))
        return self->host->release(self, s); /* holds nothing yet */
    if (n_held == sizeof held / sizeof held[0])
        return (self->host->fail)(self, "too many");
    held[n_held++] = s;
    return TCF_HELD;
}

static tcf_status release_all(tcf_self *self)
{
    for (uint32_t i = 0; i < n_held; i++)
        if (self->host->release(self, held[i]) != TCF_OK)
            return TCF_ERROR;
    n_held = 0;
    return TCF_OK;
}

static tcf_status flush(tcf_self *self)
{
    return fails(self, FLUSH) ? (self->host->fail)(self, "spoilt flush") : release_all(self);
}

static tcf_status end(tcf_self *self)
{
    return fails(self, END) ? (self->host->fail)(self, "spoilt end") : TCF_OK;
}

static tcf_status hold_end(tcf_self *self)
{
    if (end(self) != TCF_OK)
        return TCF_ERROR;
    return fails(self, FORGET) ? TCF_OK : release_all(self);
}

static void fini(tcf_self *self, int complete)
{
    int neighbour = strcmp(self->name, "neighbour") == 0;
    saw.fini[neighbour]++;
    saw.complete[neighbour] += complete != 0;
}

static const tcf_filter slices = {
    .head = TCF_FILTER_HEAD,
    .name = "slices",
    .version = "1",
    .summary = "Fails",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .init = init,
    .begin = begin,
    .slice = on_slice,
    .location_end = on_location_end,
    .end = end,
    .fini = fini,
};
static const tcf_filter spans = {
    .head = TCF_FILTER_HEAD,
    .name = "spans",
    .version = "1",
    .summary = "Fails",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .init = init,
    .begin = begin,
    .arrive = on_arrive,
    .span = on_span,
    .location_end = on_location_end,
    .collective_complete = on_complete,
    .end = end,
    .fini = fini,
};
static const tcf_filter holds = {
    .head = TCF_FILTER_HEAD,
    .name = "holds",
    .version = "1",
    .summary = "Fails",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .needs = TCF_NEED_TOGETHER,
    .can = TCF_CAN_HOLD,
    .init = init,
    .begin = begin,
    .slice = hold_slice,
    .location_end = on_location_end,
    .flush = flush,
    .end = hold_end,
    .fini = fini,
};

static tcfh *make(void)
{
    tcfh *h = tcfh_new();
    tcfh_filter(h, &slices);
    tcfh_filter(h, &spans);
    tcfh_filter(h, &holds);
    tcfh_processes(h, 3, 1);
    tcfh_region(h, "work");
    for (uint32_t l = 0; l < 3; l++) {
        for (uint32_t i = 0; i < 1500; i++)
            tcfh_enter(h, l, 10 + i, 0);
        tcfh_collective(h, l, 2000, 2001 + l, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    }
    return h;
}

/* Fails in each callback that the filter has; text: what the error says besides the reason. */
static void fails_in(const char *filter, const char *in, const char *text, int usage)
{
    for (int first = 0; first < 2; first++) {
        char reason[64], chain[64];
        tcfh *h = make();
        snprintf(reason, sizeof reason, "spoilt %s", in);
        snprintf(chain, sizeof chain, first ? "bad neighbour" : "neighbour bad");
        memset(&saw, 0, sizeof saw);
        assert_int_equal(tcfh_try(h,
                                  "[pipeline]\nchain = %s\nslice = 8\nmemory = 1MiB\nlookahead = 0\n"
                                  "[bad]\nfilter = %s\nin = %s\n[neighbour]\nfilter = spans\n",
                                  chain, filter, in),
                         TCF_ERROR);
        assert_non_null(strstr(tcfh_error(h), reason));
        assert_non_null(strstr(tcfh_error(h), text));
        assert_non_null(strstr(tcfh_error(h), "'bad'"));
        assert_int_equal(tcfh_error_is_usage(h), usage);
        assert_int_equal(saw.fini[0], 1);
        assert_int_equal(saw.complete[0] + saw.complete[1], 0);
        assert_int_equal(saw.fini[1], usage && first ? 0 : 1);   /* its init() had not been called yet */
        tcfh_run(h, "[pipeline]\nchain = holds spans slices\n"); /* and nothing is left behind */
        tcfh_unchanged(h);
        tcfh_delete(h);
    }
}

static void in_every_callback(void **state)
{
    (void)state;
    static const char *const filters[] = {"slices", "spans", "holds"};
    for (size_t i = 0; i < 3; i++) {
        fails_in(filters[i], "init", "checking the parameters", 1);
        fails_in(filters[i], "begin", "starting", 0);
        fails_in(filters[i], "callback", "location 2000", 0);
        fails_in(filters[i], "location_end", "ending ", 0);
        fails_in(filters[i], "end", "finishing", 0);
    }
    fails_in("spans", "arrive", "location 2000", 0);
    fails_in("spans", "collective_complete", "finishing a collective operation", 0);
    fails_in("holds", "flush", "release what it holds", 0);
}

static void mistakes_of_holders(void **state)
{
    (void)state;
    tcfh *h = make();
    memset(&saw, 0, sizeof saw);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = holds\n[holds]\nin = release\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "'holds' has released a slice and did not return TCF_HELD"));
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = holds\n[holds]\nin = forget\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "'holds' still holds slices after its end()"));
    assert_int_equal(saw.fini[0], 2);
    assert_int_equal(saw.complete[0], 0);
    tcfh_delete(h);
}

static void sources_that_fail(void **state)
{
    (void)state;
    tcfh *h = make();
    static const char *const chains[] = {"slices", "spans", "holds", "spans holds", "holds spans"};
    for (size_t i = 0; i < 5; i++)
        for (uint64_t at = 0; at < 1600; at += 375) {
            memset(&saw, 0, sizeof saw);
            tcfh_fail_reading(h, 2, at);
            assert_int_equal(tcfh_try(h, "[pipeline]\nchain = %s\nslice = 16\n", chains[i]),
                             at > 1501 ? TCF_OK : TCF_ERROR);
            assert_int_equal(saw.fini[0], i < 3 ? 1 : 2);
            if (at <= 1501)
                assert_non_null(strstr(tcfh_error(h), "cannot be read"));
        }
    tcfh_delete(h);
}

static void runs_that_succeed(void **state)
{
    (void)state;
    tcfh *h = make();
    memset(&saw, 0, sizeof saw);
    tcfh_run(h, "[pipeline]\nchain = slices spans holds\n");
    assert_int_equal(saw.fini[0], 3);
    assert_int_equal(saw.complete[0], 3);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = slices nobody\n"), TCF_ERROR);
    assert_true(tcfh_error_is_usage(h));
    assert_int_equal(saw.fini[0], 4);
    assert_int_equal(saw.complete[0], 3);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_every_callback),
        cmocka_unit_test(mistakes_of_holders),
        cmocka_unit_test(sources_that_fail),
        cmocka_unit_test(runs_that_succeed),
    };
    return cmocka_run_group_tests_name("failing", tests, NULL, NULL);
}
