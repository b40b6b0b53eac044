/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What clock_report says of small traces whose times a filter of the test has moved in one known way each, and of
 * random ones, counted here event by event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/harness.h"
#include <tcflow/clocks.h>

enum { LOCATIONS = 8, EVENTS = 512 };

/* New times by location and number of the event; what the survey teaches. */
static struct {
    uint64_t time[LOCATIONS][EVENTS];
    tcf_minimum_delay delay;
    tcf_clock_source source[LOCATIONS];
    uint32_t n_sources;
} moved;

static tcf_status move_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    for (uint32_t i = 0; i < s->n; i++)
        s->time[i] = moved.time[s->location][s->first + i];
    return TCF_OK;
}

static const tcf_filter move = {
    .head = TCF_FILTER_HEAD,
    .name = "move",
    .version = "1",
    .summary = "Moves events",
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK,
    .slice = move_slice,
};

static tcf_status teach_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static tcf_status teach_end(tcf_self *self)
{
    if (moved.delay.class_ &&
        self->host->learn(self, TCF_MINIMUM_DELAYS, sizeof moved.delay, &moved.delay, 1) != TCF_OK)
        return TCF_ERROR;
    return moved.n_sources == 0
               ? TCF_OK
               : self->host->learn(self, TCF_CLOCK_SOURCES, sizeof *moved.source, moved.source, moved.n_sources);
}

static const tcf_filter teach = {
    .head = TCF_FILTER_HEAD,
    .name = "teach",
    .version = "1",
    .summary = "Teaches",
    .can = TCF_CAN_SURVEY,
    .slice = teach_slice,
    .end = teach_end,
};

static tcfh *processes(uint32_t n, uint32_t threads)
{
    tcfh *h = tcfh_new();
    memset(&moved, 0, sizeof moved);
    tcfh_processes(h, n, threads);
    tcfh_filter(h, &move);
    tcfh_filter(h, &teach);
    return h;
}

static const char *report(tcfh *h, const char *options)
{
    tcfh_run(h,
             "[pipeline]\nsurvey = teach\nchain = move clock_report\n[clock_report]\nformat = csv\n"
             "output = ${SCRATCH}/out.csv\noverwrite = yes\n%s",
             options);
    return tcfh_text(h, "out.csv");
}

static void set_times(uint32_t location, uint32_t n, const uint64_t *times)
{
    memcpy(moved.time[location], times, n * sizeof *times);
}

static tcfh *one_message(void)
{
    tcfh *h = processes(2, 1);
    uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 1000, work);
    tcfh_send(h, 0, 1010, 1, 7, 8);
    tcfh_leave(h, 0, 1020, work);
    tcfh_enter(h, 1, 500, work);
    tcfh_receive(h, 1, 600, 0, 7, 8);
    tcfh_leave(h, 1, 700, work);
    set_times(0, 3, (const uint64_t[]){1000, 1010, 1020});
    set_times(1, 3, (const uint64_t[]){500, 1040, 1100});
    return h;
}

static void message_repaired(void **state)
{
    (void)state;
    tcfh *h = one_message();
    moved.delay = (tcf_minimum_delay){.ticks = 20, .samples = 1, .class_ = TCF_CLASS_P2P, .distance = TCF_SAME_NODE};
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = report(h, "");
        harness_line(text, "verdict,clock_violations,1,0,events that come before something that they depend on");
        harness_line(text, "verdict,below_minimum,1,0,events that come sooner than the minimum delay allows");
        harness_line(text, "verdict,moved,0,2,events with another time");
        harness_line(text, "violations,p2p,1,1,4.1e-07,410,0,0,0,1,0,0");
        harness_line(text, "delays,p2p,same_node,1,2e-08,20,-4.1e-07,-410,3e-08,30");
        harness_line(text, "locations,1000,rank 0,,-1,,,3,0,0,0,0");
        harness_line(text, "locations,2000,rank 1,,-1,,,3,2,0,2.8e-07,4.4e-07");
        harness_line(text, "worst,1,2000,rank 1,1,600,1040,4.4e-07,6e-07,1.04e-06");
        harness_no_line(text, "worst,2");
        /* 100 became 540, and 60 */
        harness_line(text, "distortion,local,unchanged,2,0,0");
        harness_line(text, "distortion,local,1,1,0,1");
        harness_line(text, "distortion,local,1e-1,1,1,0");
        harness_line(text, "distortion,message,undefined,1,0,0");
    }
    /* A minimum delay that is asked for goes before one that was learned. */
    harness_line(report(h, "mu = 31 ticks\n"), "violations,p2p,1,1,4.1e-07,410,0,0,0,1,1,0");
    harness_no_line(report(h, "worst = 0\n"), "worst,");
    tcfh_delete(h);
}

/* More than 2^63 ticks from its send to its receive: the smallest delay is long, not negative. */
static void message_from_afar(void **state)
{
    static const uint64_t far = UINT64_C(1) << 63;
    (void)state;
    tcfh *h = one_message();
    moved.delay = (tcf_minimum_delay){.ticks = 20, .samples = 1, .class_ = TCF_CLASS_P2P, .distance = TCF_SAME_NODE};
    set_times(1, 3, (const uint64_t[]){500, far + 1500, far + 2000});
    harness_has(report(h, ""), "delays,p2p,same_node,1,2e-08,20,-4.1e-07,-410,9223372036", "");
    tcfh_delete(h);
}

static void message_made_worse(void **state)
{
    (void)state;
    tcfh *h = one_message();
    set_times(1, 3, (const uint64_t[]){400, 500, 600});
    const char *text = report(h, "");
    harness_line(text, "violations,p2p,1,1,4.1e-07,410,1,5.1e-07,510,1,1,0");
    harness_line(text, "worst,1,2000,rank 1,0,500,400,-1e-07,5e-07,4e-07");
    tcfh_delete(h);
}

/* The paragraph in front of the tables, whose lines are broken anywhere, ends with this. */
static void says(tcfh *h, const char *file, const char *words)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", tcfh_text(h, file));
    char *end = strstr(text, "\n\n");
    assert_non_null(end);
    *end = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    assert_true(strlen(text) >= strlen(words));
    assert_string_equal(text + strlen(text) - strlen(words), words);
}

static void uncertainty(void **state)
{
    (void)state;
    tcfh *h = one_message();
    moved.source[0] = (tcf_clock_source){.location = 0, .component = 3, .error = 0, .origin = TCF_CLOCK_RAW};
    moved.source[1] =
        (tcf_clock_source){.location = 1, .component = 3, .error = 250, .likely = 50, .origin = TCF_CLOCK_MESSAGES};
    moved.n_sources = 2;
    const char *text = report(h, "");
    harness_line(text, "locations,1000,rank 0,raw,3,0,0,3,0,0,0,0");
    harness_line(text, "locations,2000,rank 1,messages,3,2.5e-07,5e-08,3,2,0,2.8e-07,4.4e-07");
    harness_line(text, "verdict,unknown_clocks,0,0,locations whose clock has no error bar");
    harness_line(text, "verdict,common_clocks,1,1,groups of locations that have a clock in common");
    harness_line(text, "uncertainty,a single clock,2.5e-07");
    harness_line(text, "uncertainty,two clocks,2.5e-07");
    tcfh_run(h, "[pipeline]\nsurvey = teach\nchain = move clock_report\n[clock_report]\noutput = ${SCRATCH}/out.txt\n");
    says(h, "out.txt", "; residual uncertainty: +-250 ns of a single clock, 250 ns between two");
    moved.source[0].error = 100;
    tcfh_run(h,
             "[pipeline]\nsurvey = teach\nchain = move clock_report\n[clock_report]\noutput = ${SCRATCH}/both.txt\n");
    says(h, "both.txt", "; residual uncertainty: +-250 ns of a single clock, 350 ns between two");
    moved.source[0].error = 0;
    moved.source[1].origin = TCF_CLOCK_UNCONNECTED;
    moved.source[1].component = 4;
    moved.source[1].error = moved.source[1].likely = (double)INFINITY;
    text = report(h, "");
    harness_line(text, "locations,2000,rank 1,unconnected,4,,,3,2,0,2.8e-07,4.4e-07");
    harness_line(text, "verdict,unknown_clocks,1,1,locations whose clock has no error bar");
    harness_line(text, "verdict,unconnected,1,1,locations that nothing ties to the reference");
    harness_no_line(text, "uncertainty,");
    tcfh_run(h,
             "[pipeline]\nsurvey = teach\nchain = move clock_report\n[clock_report]\noutput = ${SCRATCH}/out2.txt\n");
    says(h, "out2.txt", "; 2 groups of locations have no common clock");
    tcfh_delete(h);
}

/* What a survey has learned is of no use as long as nobody applies it. */
static void uncertainty_of_clocks_left_alone(void **state)
{
    (void)state;
    tcfh *h = one_message();
    moved.source[0] = (tcf_clock_source){.location = 0, .component = 0, .error = 0, .origin = TCF_CLOCK_RAW};
    moved.source[1] = (tcf_clock_source){.location = 1, .component = 0, .error = 250, .origin = TCF_CLOCK_MESSAGES};
    moved.n_sources = 2;
    tcfh_run(h, "[pipeline]\nsurvey = teach\nchain = clock_report\n[clock_report]\noutput = ${SCRATCH}/out.txt\n");
    says(h, "out.txt", "; residual uncertainty of the clocks: not known");
    tcfh_delete(h);
}

/* As read: begins 100, 120, 240, ends 200, 250, 260. The first end comes 40 too early; afterwards only the second
 * one, 5. */
static void collectives(void **state)
{
    static const struct {
        uint8_t op;
        const char *line;
    } each[] = {
        {OTF2_COLLECTIVE_OP_BARRIER, "violations,barrier,3,1,4e-08,40,1,5e-09,5,1,1,0"},
        {OTF2_COLLECTIVE_OP_ALLREDUCE, "violations,n_to_n,3,1,4e-08,40,1,5e-09,5,1,1,0"},
        {OTF2_COLLECTIVE_OP_BCAST, "violations,one_to_n,2,0,0,0,0,0,0,0,0,0"},
        {OTF2_COLLECTIVE_OP_REDUCE, "violations,n_to_one,1,1,4e-08,40,0,0,0,1,0,0"},
        {OTF2_COLLECTIVE_OP_SCAN, "violations,scan,2,0,0,0,0,0,0,0,0,0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        tcfh *h = processes(3, 1);
        tcfh_collective(h, 0, 100, 200, each[i].op, 0, 0);
        tcfh_collective(h, 1, 120, 250, each[i].op, 0, 0);
        tcfh_collective(h, 2, 240, 260, each[i].op, 0, 0);
        set_times(0, 2, (const uint64_t[]){100, 255});
        set_times(1, 2, (const uint64_t[]){120, 250});
        set_times(2, 2, (const uint64_t[]){255, 260});
        harness_line(report(h, ""), each[i].line);
        tcfh_delete(h);
    }
}

/* Two threads: fork at 10, the other one's team begin at 5 then 12, its end at 50, join at 45 then 60. */
static void fork_and_join(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    uint32_t team = tcfh_team(h, 2, (const uint32_t[]){0, 1});
    tcf_ev_thread_fork fork = {.model = TCF_PARADIGM_OPENMP, .number_of_requested_threads = 2};
    tcf_ev_thread_team_begin begin = {.thread_team = team};
    tcf_ev_thread_team_end end = {.thread_team = team};
    tcf_ev_thread_join join = {.model = TCF_PARADIGM_OPENMP};
    tcfh_event(h, 0, 10, TCF_THREAD_FORK, &fork);
    tcfh_event(h, 0, 11, TCF_THREAD_TEAM_BEGIN, &begin);
    tcfh_event(h, 0, 40, TCF_THREAD_TEAM_END, &end);
    tcfh_event(h, 0, 45, TCF_THREAD_JOIN, &join);
    tcfh_event(h, 1, 5, TCF_THREAD_TEAM_BEGIN, &begin);
    tcfh_event(h, 1, 50, TCF_THREAD_TEAM_END, &end);
    set_times(0, 4, (const uint64_t[]){10, 11, 40, 60});
    set_times(1, 2, (const uint64_t[]){12, 50});
    const char *text = report(h, "");
    harness_line(text, "violations,fork,1,1,5e-09,5,0,0,0,1,0,0");
    harness_line(text, "violations,join,1,1,5e-09,5,0,0,0,1,0,0");
    harness_line(text, "delays,fork,same_process,1,0,0,-5e-09,-5,2e-09,2");
    harness_line(text, "delays,join,same_process,1,0,0,-5e-09,-5,1e-08,10");
    set_times(0, 4, (const uint64_t[]){13, 14, 40, 45});
    text = report(h, "");
    harness_line(text, "violations,fork,1,1,5e-09,5,1,1e-09,1,1,1,0");
    harness_line(text, "violations,join,1,1,5e-09,5,1,5e-09,5,1,1,0");
    tcfh_delete(h);
}

/* One thread forks many teams before the other one comes to the first, since it joins none. */
static void forks_ahead(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    uint32_t team = tcfh_team(h, 2, (const uint32_t[]){0, 1});
    for (uint64_t k = 0, t = 0; k < 20; k++, t += 100) {
        tcfh_event(h, 0, t, TCF_THREAD_FORK, &(tcf_ev_thread_fork){TCF_PARADIGM_OPENMP, 2});
        moved.time[0][3 * k] = t;
        for (uint32_t l = 0; l < 2; l++) {
            uint64_t *times = &moved.time[l][l ? 2 * k : 3 * k + 1];
            tcfh_event(h, l, t + 10, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
            tcfh_event(h, l, t + 20, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
            times[0] = t + 13;
            times[1] = t + 20;
        }
    }
    for (uint32_t slice = 1; slice < 300; slice += 99) {
        tcfh_run(h,
                 "[pipeline]\nsurvey = teach\nchain = move clock_report\nslice = %u\nquantum = 1s\n[clock_report]\n"
                 "format = csv\noutput = ${SCRATCH}/out.csv\noverwrite = yes\n",
                 slice);
        harness_line(tcfh_text(h, "out.csv"), "violations,fork,20,0,0,0,0,0,0,0,0,0");
        harness_line(tcfh_text(h, "out.csv"), "delays,fork,same_process,20,0,0,1e-08,10,1.3e-08,13");
    }
    tcfh_delete(h);
}

/* Decades at their borders. */
static void decades(void **state)
{
    static const uint64_t before[] = {1000, 1000000001000, 2000000001000, 2000000001010, 2000000001020, 2000000001020},
                          after[] = {1000, 1000000001001, 2000001001001, 2000001001012, 2000001001121, 2000001001126};
    (void)state;
    tcfh *h = processes(1, 1);
    uint32_t work = tcfh_region(h, "work");
    for (uint32_t i = 0; i < 6; i++)
        tcfh_enter(h, 0, before[i], work);
    set_times(0, 6, after);
    const char *text = report(h, "");
    harness_line(text, "distortion,local,0,1,0,1");    /* 10^12 + 1: 10^-12 */
    harness_line(text, "distortion,local,1e-6,1,0,1"); /* 10^12 + 10^6 */
    harness_line(text, "distortion,local,1e-1,1,0,1"); /* 11 for 10 */
    harness_line(text, "distortion,local,1,1,0,1");    /* 109 for 10 */
    harness_line(text, "distortion,local,undefined,1,0,0");
    harness_no_line(text, "distortion,local,unchanged");
    tcfh_delete(h);
}

static void stretches_of_time(void **state)
{
    static const uint64_t before[] = {100, 101, 102, 105, 127}, after[] = {100, 102, 104, 108, 131};
    (void)state;
    tcfh *h = processes(2, 1);
    uint32_t work = tcfh_region(h, "work");
    for (uint32_t i = 0; i < 5; i++)
        tcfh_enter(h, 0, before[i], work);
    tcfh_enter(h, 1, 1000, work);
    tcfh_enter(h, 1, 1001, work);
    set_times(0, 5, after);
    set_times(1, 2, (const uint64_t[]){993, 1001});
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = report(h, "buckets = 4\n");
        harness_line(text, "corrections,1000,100,8,3,0,1e-09,2e-09,1e-07,8e-09");
        harness_line(text, "corrections,1000,108,8,1,3e-09,3e-09,3e-09,1.08e-07,8e-09");
        harness_line(text, "corrections,1000,124,8,1,4e-09,4e-09,4e-09,1.24e-07,8e-09");
        harness_line(text, "corrections,2000,993,8,1,-7e-09,-7e-09,-7e-09,9.93e-07,8e-09");
        harness_line(text, "corrections,2000,1001,8,1,0,0,0,1.001e-06,8e-09");
        harness_line(report(h, "buckets = 1\n"), "corrections,1000,100,32,5,0,2e-09,4e-09,1e-07,3.2e-08");
    }
    tcfh_delete(h);
}

/* Clocks hours apart, near the end of their range: nothing overflows, nothing is rounded away. */
static void far_away(void **state)
{
    static const uint64_t hours = 1ull << 55, late = UINT64_MAX - 100;
    (void)state;
    tcfh *h = processes(2, 1);
    uint32_t work = tcfh_region(h, "work");
    for (uint64_t i = 0; i < 4; i++) {
        tcfh_enter(h, 0, late + 10 * i, work);
        tcfh_enter(h, 1, 10 * i, work);
        moved.time[0][i] = late + 10 * i - hours - i;
        moved.time[1][i] = 10 * i + hours;
    }
    const char *text = report(h, "buckets = 1\n");
    harness_line(text, "distortion,local,unchanged,3,0,0");
    harness_line(text, "distortion,local,1e-1,3,3,0");
    harness_line(
        text, "worst,1,1000,rank "
              "0,3,18446744073709551545,18410715276690587574,-36028797.01896397,18446744073.709553,18410715276.690586");
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------- random traces -- */

static uint64_t random_state;

static uint64_t below(uint64_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % n;
}

/* The cell `column` of the line that starts with `begin`; it must be there. */
static double cell(const char *text, const char *begin, int column)
{
    char start[160];
    snprintf(start, sizeof start, "\n%s,", begin);
    const char *at = strstr(text, start);
    if (!at)
        fail_msg("'%s' is not in:\n%s", begin, text);
    for (at++; column > 0; column--)
        at = strchr(at, ',') + 1;
    return strtod(at, NULL);
}

static void assert_ticks(double seconds, double ticks)
{
    if (fabs(seconds * 1e9 - ticks) > 1e-6 * (1 + fabs(ticks)))
        fail_msg("%.17g s is not %.17g ticks", seconds, ticks);
}

struct range {
    uint64_t n;
    int64_t min, max, sum;
};

static void range_add(struct range *r, int64_t d)
{
    r->min = r->n == 0 || d < r->min ? d : r->min;
    r->max = r->n == 0 || d > r->max ? d : r->max;
    r->sum += d;
    r->n++;
}

static void check_range(const char *text, const char *line, int column, const struct range *r)
{
    assert_ticks(cell(text, line, column), (double)r->min);
    assert_ticks(cell(text, line, column + 1), (double)r->sum / (double)r->n);
    assert_ticks(cell(text, line, column + 2), (double)r->max);
}

static void check_location(const char *text, uint32_t l, const uint64_t *raw, uint32_t n)
{
    const uint64_t *now = moved.time[l];
    uint64_t id = 1000 * (l + 1u), changed = 0, length = 0, largest = 0, event = 0;
    struct range all = {0};
    char line[128];
    for (uint32_t i = 0; i < n; i++) {
        int64_t d = (int64_t)(now[i] - raw[i]);
        uint64_t size = (uint64_t)(d < 0 ? -d : d);
        range_add(&all, d);
        changed += d != 0;
        event = size > largest ? i : event;
        largest = size > largest ? size : largest;
    }
    snprintf(line, sizeof line, "locations,%d,rank %u", (int)id, l);
    assert_int_equal((uint64_t)cell(text, line, 7), n);
    assert_int_equal((uint64_t)cell(text, line, 8), changed);
    check_range(text, line, 9, &all);
    for (uint32_t place = 1; largest > 0 && place <= 20; place++) {
        snprintf(line, sizeof line, "worst,%u", place);
        if ((uint64_t)cell(text, line, 2) != id)
            continue;
        assert_int_equal((uint64_t)cell(text, line, 4), event);
        assert_int_equal((uint64_t)cell(text, line, 5), raw[event]);
        assert_int_equal((uint64_t)cell(text, line, 6), now[event]);
        break;
    }
    snprintf(line, sizeof line, "corrections,%d,%d", (int)id, (int)now[0]);
    length = (uint64_t)cell(text, line, 3);
    for (uint32_t i = 0, k; i < n; i = k) {
        struct range bucket = {0};
        uint64_t number = (now[i] - now[0]) / length;
        for (k = i; k < n && (now[k] - now[0]) / length == number; k++)
            range_add(&bucket, (int64_t)(now[k] - raw[k]));
        snprintf(line, sizeof line, "corrections,%d,%d", (int)id, (int)(now[0] + number * length));
        assert_int_equal((uint64_t)cell(text, line, 4), bucket.n);
        check_range(text, line, 5, &bucket);
    }
}

/* Decades of all local intervals that have changed, counted with powers of ten. */
static void check_distortion(const char *text, uint32_t locations, uint64_t raw[LOCATIONS][EVENTS], const uint32_t *n)
{
    static const char *const names[] = {"0",    "1e-9", "1e-8", "1e-7", "1e-6", "1e-5",
                                        "1e-4", "1e-3", "1e-2", "1e-1", "1",    "10"};
    uint64_t shorter[12] = {0}, longer[12] = {0}, undefined = 0;
    for (uint32_t l = 0; l < locations; l++)
        for (uint32_t i = 1; i < n[l]; i++) {
            int64_t before = (int64_t)(raw[l][i] - raw[l][i - 1]);
            int64_t after = (int64_t)(moved.time[l][i] - moved.time[l][i - 1]);
            int64_t change = after < before ? before - after : after - before;
            int64_t ten = 1, k = 10; /* change < ten * before */
            undefined += before == 0 && after != 0;
            if (before == 0 || change == 0)
                continue;
            while (change >= ten * before && k < 11)
                ten *= 10, k++;
            if (ten == 1) /* or change * ten < before */
                while (k > 0 && change * ten < before)
                    ten *= 10, k--;
            else if (change < ten * before)
                k--;
            (after < before ? shorter : longer)[k]++;
        }
    for (uint32_t k = 0; k < 12; k++) {
        char line[128];
        snprintf(line, sizeof line, "distortion,local,%s,%d,%d,%d", names[k], (int)(shorter[k] + longer[k]),
                 (int)shorter[k], (int)longer[k]);
        if (shorter[k] + longer[k] > 0)
            harness_line(text, line);
    }
    if (undefined > 0) {
        char line[128];
        snprintf(line, sizeof line, "distortion,local,undefined,%d,0,0", (int)undefined);
        harness_line(text, line);
    }
}

static void random_corrections(void **state)
{
    static uint64_t raw[LOCATIONS][EVENTS];
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_state = seed;
        uint32_t n[LOCATIONS], locations = 1 + (uint32_t)below(4), unchanged = 0;
        char unchanged_line[64], options[64];
        tcfh *h = processes(locations, 1);
        uint32_t work = tcfh_region(h, "work");
        tcfh_cut(h, below(3));
        for (uint32_t l = 0; l < locations; l++) {
            uint64_t time = 1000000 + below(1000), now = time + below(3) * below(2000) - 300;
            n[l] = 1 + (uint32_t)below(EVENTS);
            uint64_t change = 1 + below(40); /* most steps keep the correction, more or fewer of them */
            for (uint32_t i = 0; i < n[l]; i++) {
                raw[l][i] = time;
                moved.time[l][i] = now;
                tcfh_enter(h, l, time, work);
                uint64_t step = below(5) == 0 ? 0 : below(1000);
                uint64_t moves = below(change) == 0 ? below(1000) : step;
                unchanged += i + 1 < n[l] && moves == step;
                time += step;
                now += moves;
            }
        }
        snprintf(options, sizeof options, "buckets = %d\n", (int)(1 + below(20)));
        const char *text = report(h, options);
        for (uint32_t l = 0; l < locations; l++)
            check_location(text, l, raw[l], n[l]);
        snprintf(unchanged_line, sizeof unchanged_line, "distortion,local,unchanged,%u,0,0", unchanged);
        if (unchanged > 0)
            harness_line(text, unchanged_line);
        check_distortion(text, locations, raw, n);
        tcfh_delete(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_repaired),
        cmocka_unit_test(message_from_afar),
        cmocka_unit_test(message_made_worse),
        cmocka_unit_test(uncertainty),
        cmocka_unit_test(uncertainty_of_clocks_left_alone),
        cmocka_unit_test(collectives),
        cmocka_unit_test(fork_and_join),
        cmocka_unit_test(forks_ahead),
        cmocka_unit_test(decades),
        cmocka_unit_test(stretches_of_time),
        cmocka_unit_test(far_away),
        cmocka_unit_test(random_corrections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
