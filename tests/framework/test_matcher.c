/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a matcher says of the events that it looks at, and the memory that it keeps. test_prematched.c has the matches
 * of streams; what becomes of edges is tested with filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <string.h>

#include "framework/causality/match.h"

enum { LOCATIONS = 2000, REQUESTS = 200, WINDOW = 2 * REQUESTS, BLOCKS = 2 };

enum { WORK, BARRIER, INIT, REGIONS };
static const tcf_region regions[REGIONS] = {
    [WORK] = {.name = "work", .role = TCF_ROLE_FUNCTION},
    [BARRIER] = {.name = "barrier", .paradigm = TCF_PARADIGM_OPENMP, .role = TCF_ROLE_IMPLICIT_BARRIER},
    [INIT] = {.name = "MPI_Init", .paradigm = TCF_PARADIGM_MPI, .role = TCF_ROLE_FUNCTION},
};
/* Contexts have the numbers of other regions. */
static const tcf_calling_context contexts[] = {{.region = BARRIER}, {.region = WORK}};

static tcf_location locations[LOCATIONS];
static uint32_t members[LOCATIONS];

static struct world {
    tcf_definitions defs;
    pool *pool;
    matcher *matcher;
} w;

static void set_up(uint32_t n_locations, uint32_t n_regions, uint32_t n_contexts, match_options options)
{
    static const slice_layout layout = {.capacity = WINDOW, .arena = 64, .edges = 1};

    memset(&w, 0, sizeof w);
    w.defs.stride = (tcf_strides)TCF_STRIDES;
    w.defs.n_locations = n_locations;
    w.defs.locations = locations;
    w.defs.mpi_member = members;
    for (uint32_t l = 0; l < n_locations; l++)
        members[l] = l;
    w.defs.n_regions = n_regions;
    w.defs.regions = regions;
    w.defs.n_calling_contexts = n_contexts;
    w.defs.calling_contexts = contexts;
    options.max_channels = 16;
    options.lookahead = 4096;
    w.pool = pool_new(&layout, BLOCKS);
    assert_non_null(w.pool);
    w.matcher = matcher_new(&w.defs, w.pool, &options);
    assert_non_null(w.matcher);
}

static void tear_down(void)
{
    matcher_delete(w.matcher);
    pool_delete(w.pool);
}

/* -------------------------------------------------------------------------------------------------- which events -- */

static int depends_on(uint8_t kind, uint32_t what)
{
    const tcf_rec record = {.enter = {.region = what}};
    return match_depends_on(&w.defs, kind, &record);
}

static void events_that_matches_depend_on(void **state)
{
    (void)state;
    set_up(2, REGIONS, 2, (match_options){0});
    assert_true(depends_on(TCF_MPI_SEND, 0));
    assert_true(depends_on(TCF_THREAD_FORK, 0));
    assert_false(depends_on(TCF_METRIC, 0));
    assert_false(depends_on(TCF_PARAMETER_INT, 0));
    for (int leaves = 0; leaves < 2; leaves++) {
        const uint8_t of_region = leaves ? TCF_LEAVE : TCF_ENTER,
                      of_context = leaves ? TCF_CALLING_CONTEXT_LEAVE : TCF_CALLING_CONTEXT_ENTER;
        assert_false(depends_on(of_region, WORK));
        assert_true(depends_on(of_region, BARRIER));
        assert_false(depends_on(of_region, TCF_NONE));
        assert_true(depends_on(of_context, 0));
        assert_false(depends_on(of_context, 1));
        assert_false(depends_on(of_context, TCF_NONE));
    }
    tear_down();
}

/* Kinds of enters and leaves are wanted as they are here; of them those of `region` are, or of all regions. */
static void wants(int enters, int contexts_too, uint32_t region, int all_regions)
{
    const source_wanted wanted = matcher_wanted(w.matcher);
    assert_int_equal(wanted.kinds[TCF_MPI_RECV], 1);
    assert_int_equal(wanted.kinds[TCF_ENTER], enters);
    assert_int_equal(wanted.kinds[TCF_LEAVE], enters);
    assert_int_equal(wanted.kinds[TCF_CALLING_CONTEXT_ENTER], contexts_too);
    assert_int_equal(wanted.kinds[TCF_CALLING_CONTEXT_LEAVE], contexts_too);
    assert_true((wanted.regions == NULL) == all_regions);
    for (uint32_t r = 0; wanted.regions && enters && r < wanted.n_regions; r++)
        assert_true((wanted.regions[r] != 0) == (r == region));
    tear_down();
}

static void events_that_are_wanted(void **state)
{
    (void)state;
    set_up(2, WORK + 1, 0, (match_options){0});
    assert_int_equal(matcher_wanted(w.matcher).kinds[TCF_METRIC], 0);
    wants(0, 0, TCF_NONE, 0);
    set_up(2, BARRIER + 1, 0, (match_options){0});
    wants(1, 0, BARRIER, 0);
    set_up(2, BARRIER + 1, 2, (match_options){0});
    wants(1, 1, BARRIER, 0);
    set_up(2, WORK + 1, 0, (match_options){.source_at_leave = 1}); /* the depth of calls matters */
    wants(1, 1, TCF_NONE, 1);
    set_up(2, WORK + 1, 0, (match_options){.posts = 1}); /* any event may be the end of a send */
    assert_int_equal(matcher_wanted(w.matcher).kinds[TCF_METRIC], 1);
    wants(1, 1, TCF_NONE, 1);
}

/* ---------------------------------------------------------------------------------------------------------- memory --
 */

/* Many receives are open at a time, of one location after another: what one of them has needed serves the next. */
static void feed_requests(uint32_t location)
{
    slice *s = slice_get(w.pool, location);
    assert_non_null(s);
    s->v.n = WINDOW;
    for (uint32_t i = 0; i < WINDOW; i++) {
        const int done = i >= REQUESTS;
        s->v.time[i] = i;
        s->v.kind[i] = done ? TCF_MPI_IRECV : TCF_MPI_IRECV_REQUEST;
        if (done)
            s->v.rec[i].mpi_irecv = (tcf_ev_mpi_irecv){.request_id = i - REQUESTS};
        else
            s->v.rec[i].mpi_irecv_request = (tcf_ev_mpi_irecv_request){.request_id = i};
    }
    assert_int_equal(matcher_feed(w.matcher, s), TCF_OK);
    matcher_retire(w.matcher, s);
    slice_put(w.pool, s);
}

static void requests_leave_no_memory(void **state)
{
    (void)state;
    set_up(LOCATIONS, REGIONS, 0, (match_options){0});
    feed_requests(0);
    const size_t before = mallinfo2().uordblks;
    for (uint32_t l = 1; l < LOCATIONS; l++)
        feed_requests(l);
    assert_true(mallinfo2().uordblks < before + 64 * LOCATIONS); /* bytes; each had REQUESTS open */
    tear_down();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_that_matches_depend_on),
        cmocka_unit_test(events_that_are_wanted),
        cmocka_unit_test(requests_leave_no_memory),
    };
    return cmocka_run_group_tests_name("matcher", tests, NULL, NULL);
}
