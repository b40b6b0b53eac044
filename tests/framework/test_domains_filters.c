/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Filters in domains: what pack() and absorb() are given and promise, call paths that each domain numbers by itself,
 * and the callbacks of the instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

enum { PROCESSES = 5, MOST_PATHS = 64 };

/* What the instances have been called for; a test sets `wrong` to break a promise. */
static atomic_int begun, ended, packed, absorbed, finished, finished_complete;
static enum mistake { NOTHING, TAKES_LESS, TAKES_MORE, PACK_FAILS, ABSORB_FAILS, HOLDS, SLICE_FAILS } wrong;

static tcf_status count_begin(tcf_self *self)
{
    (void)self;
    begun++;
    return TCF_OK;
}

/* Visits by call path. */
struct visits {
    uint64_t of[MOST_PATHS];
};

static tcf_status count_slice(tcf_self *self, tcf_slice *s)
{
    struct visits *v = self->state;
    for (uint32_t i = 0; i < s->n; i++)
        if (tcf_is_enter(s->kind[i]))
            v->of[s->callpath[i]]++;
    if (wrong == SLICE_FAILS && s->location == 3)
        return (self->host->fail)(self, "location 3 is bad");
    return wrong == HOLDS ? TCF_HELD : TCF_OK;
}

static tcf_status count_flush(tcf_self *self)
{
    return (self->host->fail)(self, "not expected");
}

static tcf_status count_pack(tcf_self *self, tcf_pack *pack)
{
    const struct visits *v = self->state;
    packed++;
    if (wrong == PACK_FAILS)
        return (self->host->fail)(self, "nothing to pack with");
    self->host->put(pack, v->of, sizeof v->of);
    return TCF_OK;
}

static tcf_status count_absorb(tcf_self *self, tcf_pack *pack)
{
    struct visits *v = self->state;
    uint32_t n;
    absorbed++;
    if (wrong == ABSORB_FAILS)
        return (self->host->fail)(self, "nothing is taken");
    for (uint32_t i = 0; i < (wrong == TAKES_LESS ? 3 : MOST_PATHS); i++) {
        uint64_t more;
        self->host->take(pack, &more, sizeof more);
        if (more > 0)
            v->of[self->host->taken_callpath(pack, i)] += more;
    }
    if (wrong == TAKES_MORE)
        self->host->take(pack, &n, sizeof n);
    return TCF_OK;
}

static tcf_status count_end(tcf_self *self)
{
    static const tcf_table_column columns[] = {{.name = "path", .type = TCF_CELL_TEXT},
                                               {.name = "visits", .type = TCF_CELL_UINT}};
    const struct visits *v = self->state;
    uint32_t n;
    const tcf_callpath *nodes = self->host->callpaths(self, &n);
    tcf_table *t = TCF_TABLE(self, "visits", "Visits", columns);
    ended++;
    for (uint32_t i = 0; i < n; i++) {
        char path[80] = "", longer[80];
        for (uint32_t k = i; nodes[k].depth > 0 && nodes[k].region != TCF_NONE; k = nodes[k].parent) {
            snprintf(longer, sizeof longer, "/%.30s%.40s", tcf_region_at(self->defs, nodes[k].region)->name, path);
            strcpy(path, longer);
        }
        if (v->of[i] > 0)
            TCF_ROW(self, t, tcf_text(path), tcf_uint(v->of[i]));
    }
    return TCF_OK;
}

static void count_fini(tcf_self *self, int complete)
{
    if (!complete)
        (self->host->fail)(self, "this comes too late to be the reason");
    finished++;
    finished_complete += complete;
}

#define COUNTS                                                                                                         \
    .head = TCF_FILTER_HEAD, .version = "1", .summary = "Counts visits of call paths",                                 \
    .state_size = sizeof(struct visits), .needs = TCF_NEED_CALLPATH, .begin = count_begin, .slice = count_slice,       \
    .end = count_end, .fini = count_fini, .pack = count_pack, .absorb = count_absorb

static const tcf_filter counts = {COUNTS, .name = "counts", .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS};
static const tcf_filter holds = {COUNTS, .name = "holds", .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS | TCF_CAN_HOLD,
                                 .flush = count_flush};

/* Process i calls main, then i + 1 of five regions in reverse, so that all domains number call paths in other ways. */
static tcfh *program(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    tcfh *h = harness_new();
    uint32_t region[5];

    tcfh_processes(h, PROCESSES, 1);
    const uint32_t outer = tcfh_region(h, "main");
    for (uint32_t i = 0; i < 5; i++)
        region[i] = tcfh_region(h, names[i]);
    for (uint32_t l = 0; l < PROCESSES; l++) {
        uint64_t t = 10 * (l + 1);
        tcfh_enter(h, l, t++, outer);
        for (uint32_t i = 5; i-- > 4 - l;) {
            tcfh_enter(h, l, t++, region[i]);
            tcfh_leave(h, l, t++, region[i]);
        }
        tcfh_leave(h, l, t, outer);
    }
    tcfh_filter(h, &counts);
    tcfh_filter(h, &holds);
    return h;
}

static tcf_status run(tcfh *h, const char *filter, int threads)
{
    begun = ended = packed = absorbed = finished = finished_complete = 0;
    return tcfh_try(h,
                    "[pipeline]\nchain = %s\nthreads = %d\n[%s]\noutput = ${SCRATCH}/out\nformat = csv\n"
                    "overwrite = yes\n",
                    filter, threads, filter);
}

static void call_paths(void **state)
{
    (void)state;
    wrong = NOTHING;
    for (int threads = 1; threads <= 7; threads++) {
        tcfh *h = program();
        assert_int_equal(run(h, "counts", threads), TCF_OK);
        const int domains = threads < PROCESSES ? threads : PROCESSES;
        tcfh_line(h, "out", "/main,5");
        tcfh_line(h, "out", "/main/e,5");
        tcfh_line(h, "out", "/main/d,4");
        tcfh_line(h, "out", "/main/a,1");
        tcfh_unchanged(h);
        assert_true(begun <= domains && begun >= (threads > 1 ? 2 : 1));
        assert_int_equal(ended, 1);
        assert_int_equal(packed, begun - 1);
        assert_int_equal(absorbed, begun - 1);
        assert_int_equal(finished, begun);
        assert_int_equal(finished_complete, begun);
        tcfh_delete(h);
    }
}

static void fails(enum mistake how, const char *filter, const char *expected)
{
    tcfh *h = program();
    wrong = how;
    assert_int_equal(run(h, filter, 3), TCF_ERROR);
    if (!strstr(tcfh_error(h), expected))
        fail_msg("'%s' is not in '%s'", expected, tcfh_error(h));
    assert_int_equal(ended, 0);
    assert_int_equal(finished, begun);
    assert_true(finished_complete < begun);
    assert_null(tcfh_text(h, "out"));
    tcfh_delete(h);
}

static void promises(void **state)
{
    (void)state;
    fails(TAKES_LESS, "counts", "filter 'counts' has taken less than the 512 bytes that it has packed");
    fails(TAKES_MORE, "counts", "filter 'counts' has taken more than the 512 bytes that it has packed");
    fails(HOLDS, "holds", "filter 'holds' (TCF_CAN_DOMAINS) still holds slices behind the end of their locations");
}

static void failures(void **state)
{
    (void)state;
    fails(PACK_FAILS, "counts", "nothing to pack with\n    while packing what 'counts' has found in a domain\n");
    fails(ABSORB_FAILS, "counts", "nothing is taken\n    while absorbing what 'counts' has found in a domain\n");
    fails(SLICE_FAILS, "counts",
          "location 3 is bad\n    while in filter 'counts', location 4000\n    while in domain 2 of 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_paths),
        cmocka_unit_test(promises),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests_name("domains", tests, NULL, NULL);
}
