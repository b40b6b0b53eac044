/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* presync against its definition, computed event by event in the plainest way: random knots, random slices; and what it
 * says of knots that cannot be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/harness.h"
#include <tcflow/clocks.h>

enum { KNOTS = 12, EVENTS = 400 };

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 20) % below;
}

struct knot {
    uint64_t time;
    int64_t offset;
};

/* The definition: linear between the knots around the time, else along the first or last line. */
static uint64_t expected(const struct knot *k, uint32_t n, uint64_t t)
{
    uint32_t i = 0;
    if (n == 1)
        return t + (uint64_t)k[0].offset;
    while (i + 2 < n && t > k[i + 1].time)
        i++;
    double slope = (double)(k[i + 1].offset - k[i].offset) / (double)(k[i + 1].time - k[i].time);
    volatile double grown = slope * (t >= k[i].time ? (double)(t - k[i].time) : -(double)(k[i].time - t));
    return t + (uint64_t)(k[i].offset + (int64_t)rint(grown));
}

static void write_file(tcfh *h, const char *name, const char *text)
{
    FILE *f = fopen(tcfh_path(h, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#define FROM_FILE                                                                                                      \
    "[pipeline]\nchain = presync\n[presync]\nfile = ${SCRATCH}/knots\noutput = ${SCRATCH}/out.csv\nformat = csv\n"     \
    "overwrite = yes\n"
#define FROM_ARCHIVE                                                                                                   \
    "[pipeline]\nchain = presync\n[presync]\noutput = ${SCRATCH}/out.csv\nformat = csv\noverwrite = yes\n"

static void assert_error(tcfh *h, const char *ini, const char *part)
{
    assert_int_equal(tcfh_try(h, "%s", ini), TCF_ERROR);
    if (!strstr(tcfh_error(h), part))
        fail_msg("'%s' is not in: %s", part, tcfh_error(h));
}

/* Two processes with one event each. */
static tcfh *two(uint64_t time)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, time, work);
    tcfh_enter(h, 1, time, work);
    return h;
}

/* -------------------------------------------------------------------------------------------------------- random -- */

static uint32_t random_knots(struct knot *k, uint64_t start, uint64_t span, uint64_t amount)
{
    uint32_t n = 1 + (uint32_t)draw(KNOTS);
    uint64_t t = start;
    for (uint32_t i = 0; i < n; i++) {
        t += span / KNOTS / 2 + draw(span / KNOTS / 2);
        k[i].time = t;
        k[i].offset = (int64_t)draw(2 * amount + 1) - (int64_t)amount;
        /* Falls by less than what passes. */
        if (i > 0 && k[i].offset - k[i - 1].offset <= -(int64_t)(t - k[i - 1].time))
            k[i].offset = k[i - 1].offset - (int64_t)draw(t - k[i - 1].time);
    }
    return n;
}

static void compare(uint64_t seed, uint64_t start, uint64_t span, uint64_t amount)
{
    static uint64_t raw[2][EVENTS], want[EVENTS];
    struct knot k[KNOTS];
    random_state = seed * 77 + 1;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t work = tcfh_region(h, "work");
    for (uint32_t l = 0; l < 2; l++) {
        raw[l][0] = start - span / 4 + draw(span / 4);
        for (uint32_t i = 1; i < EVENTS; i++)
            raw[l][i] = raw[l][i - 1] + (draw(4) ? draw(span / 200) : 0);
        for (uint32_t i = 0; i < EVENTS; i++)
            tcfh_enter(h, l, raw[l][i], work);
    }
    FILE *f = fopen(tcfh_path(h, "knots"), "w");
    assert_non_null(f);
    uint32_t n = random_knots(k, start, span, amount);
    fprintf(f, "location,time,offset,error\n");
    for (uint32_t i = n; i-- > 0;) /* in any order */
        fprintf(f, "%" PRIu64 ",%" PRIu64 ",%" PRId64 ",\n", tcfh_location_id(h, 1), k[i].time, k[i].offset);
    fprintf(f, "%" PRIu64 ",5,0\n", tcfh_location_id(h, 0));
    fclose(f);
    for (uint32_t i = 0; i < EVENTS; i++)
        want[i] = expected(k, n, raw[1][i]) + 1;
    for (uint32_t i = 0; i < EVENTS; i++)
        raw[0][i]++;
    for (uint32_t cut = 0; cut < 3; cut++) {
        tcfh_cut(h, cut * (seed + 1));
        tcfh_run(h, FROM_FILE "shift = 1 ticks\n");
        tcfh_times(h, 0, raw[0], EVENTS);
        tcfh_times(h, 1, want, EVENTS);
        for (uint32_t i = 1; i < EVENTS; i++)
            assert_true(want[i] >= want[i - 1]);
    }
    tcfh_delete(h);
}

static void random_corrections(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        compare(seed, 1000000, 100000, 300);                                    /* steep */
        compare(seed, 5000000000000, 100000000000, 20000000);                   /* usual */
        compare(seed, UINT64_C(1) << 60, UINT64_C(1) << 40, UINT64_C(1) << 54); /* hours apart; rises and falls a lot */
        compare(seed, UINT64_C(1) << 62, UINT64_C(1) << 57, UINT64_C(1) << 53); /* too wide for the fast loop */
        compare(seed, UINT64_MAX - (UINT64_C(1) << 40), UINT64_C(1) << 36, 1 << 20);
    }
}

/* ------------------------------------------------------------------------------------------------------ extremes -- */

static void whole_offsets_stay_whole(void **state)
{
    tcfh *h = two(UINT64_C(9000000000000000001));
    (void)state;
    write_file(h, "knots", "location,time,offset,error\n# a comment\n\"no such\",1,1,1\n");
    assert_error(h, FROM_FILE, "knots:3: no location or process of the trace has the name 'no such'");
    char text[256];
    snprintf(text, sizeof text,
             "location,time,offset,error\n%" PRIu64 ",0,0\n%" PRIu64 ",7,9000000000000000003, # here\n",
             tcfh_location_id(h, 0), tcfh_location_id(h, 1));
    write_file(h, "knots", text);
    tcfh_run(h, FROM_FILE);
    tcfh_times(h, 0, (uint64_t[]){UINT64_C(9000000000000000001)}, 1);
    tcfh_times(h, 1, (uint64_t[]){UINT64_C(18000000000000000004)}, 1);
    snprintf(text, sizeof text, "location,time,offset,error\n%" PRIu64 ",0,0\n%" PRIu64 ",7,9223372036854775807\n",
             tcfh_location_id(h, 0), tcfh_location_id(h, 1));
    write_file(h, "knots", text);
    tcfh_run(h, FROM_FILE);
    tcfh_times(h, 1, (uint64_t[]){UINT64_C(18223372036854775808)}, 1);
    tcfh_delete(h);
}

static void too_large(void **state)
{
    tcfh *h = two(UINT64_MAX - 5);
    char text[256];
    (void)state;
    snprintf(text, sizeof text, "location,time,offset\n%" PRIu64 ",0,5\n%" PRIu64 ",7,6\n", tcfh_location_id(h, 0),
             tcfh_location_id(h, 1));
    write_file(h, "knots", text);
    assert_error(h, FROM_FILE, "would become larger than 64 bits can hold");
    tcfh_delete(h);
}

static void shifted_when_negative(void **state)
{
    tcfh *h = two(10);
    char text[256];
    (void)state;
    snprintf(text, sizeof text, "location,time,offset\n%" PRIu64 ",0,0\n%" PRIu64 ",0,-25\n", tcfh_location_id(h, 0),
             tcfh_location_id(h, 1));
    write_file(h, "knots", text);
    tcfh_run(h, FROM_FILE); /* the archive says that it begins at 0 */
    tcfh_times(h, 0, (uint64_t[]){35}, 1);
    tcfh_times(h, 1, (uint64_t[]){10}, 1);
    assert_non_null(strstr(tcfh_text(h, "out.csv"), ",25,"));
    assert_error(h, FROM_FILE "shift = 3 ticks\n", "12 ticks below 0: give shift = 15 ticks");
    tcfh_run(h, FROM_FILE "shift = 15 ticks\n");
    tcfh_times(h, 1, (uint64_t[]){0}, 1);
    tcfh_delete(h);
}

static void wrong_knots(void **state)
{
    static const struct {
        const char *lines, *part;
    } wrong[] = {
        {"", "knots:1: the file has no knots"},
        {"1,2,3\n", "knots:1: no header line: expected location,time,offset,error"},
        {"location,time,offset,error\n@,5\n", "knots:2: 2 fields: expected location,time,offset,error"},
        {"location,time,offset,error\n@,1,2,3,4\n", "there are more than 4"},
        {"location,time,offset,error\n\n@,x,2,3\n", "knots:3: 'x' is no time: expected ticks"},
        {"location,time,offset,error\n@,-1,2,3\n", "is negative"},
        {"location,time,offset,error\n@,1,2 weeks,3\n", "unknown unit 'weeks'"},
        {"location,time,offset,error\n@,1,2,-3\n", "error '-3' is negative"},
        {"location,time,offset,error\n@,1,9999999999999999999,\n", "more than 63 bits"},
        {"location,time,offset,error\n@,99999999999999999999,0,\n", "more than 64 bits"},
        {"location,time,offset,error\n987654321,1,2,3\n", "no location with the id 987654321"},
        {"location,time,offset,error\nfirst,1,2,3\n", "'first' is no location"},
        {"location,time,offset,error\n@,10,2,\n@,30,2,\n@,10,3,\n", "knots:4: location "},
        {"location,time,offset,error\n@,10,2,\n@,30,2,\n@,10,3,\n", "two measurements of one time"},
        {"location,time,offset,error\n\n@,20,10,\n@,10,20,\n",
         "from time 10 (offset 20, line 4) to time 20 (offset 10, line 3): the correction would turn time back"},
        {"location,time,offset,error\n@,10,-9000000000000000000,\n@,20,9000000000000000000,\n",
         "further apart than 64 bits"},
        {"[@]\n10 20\n", "knots:2: '10 20': expected time = offset, error"},
        {"[@]\n10 = 20, 3, 4\n", "knots:2: '10 = 20, 3, 4': more than an offset and an error"},
        {"[@\n10 = 20\n", "knots:1: no ] at the end"},
    };
    tcfh *h = two(10);
    char text[512];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *to = text;
        for (const char *c = wrong[i].lines; *c; c++) {
            if (*c == '@')
                to += snprintf(to, (size_t)(text + sizeof text - to), "%" PRIu64, tcfh_location_id(h, 1));
            else
                *to++ = *c;
        }
        *to = '\0';
        write_file(h, "knots", text);
        assert_error(h, FROM_FILE, wrong[i].part);
    }
    assert_error(h, "[pipeline]\nchain = presync\n[presync]\nmethod = file\n", "needs a file");
    assert_error(h, "[pipeline]\nchain = presync\n[presync]\nmethod = survey\n", "no survey has learned clocks");
    tcfh_delete(h);
}

static void ini_and_units(void **state)
{
    tcfh *h = two(2000000);
    char text[512];
    (void)state;
    snprintf(text, sizeof text,
             "; knots\n[%" PRIu64 "]\n1ms = 1.5us, 20ns # a comment\n3000000 = 2500\n[%" PRIu64 "]\n0 = 0\n",
             tcfh_location_id(h, 0), tcfh_location_id(h, 1));
    write_file(h, "knots", text);
    tcfh_run(h, FROM_FILE);
    tcfh_times(h, 0, (uint64_t[]){2002000}, 1);
    tcfh_times(h, 1, (uint64_t[]){2000000}, 1);
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------------- sharing -- */

static void threads_share_the_clock_of_their_process(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 2, 3);
    tcfh_clock_offset(h, 1, 100, 7); /* only the second thread of process 0 */
    tcfh_clock_offset(h, 3, 100, 50);
    tcfh_clock_offset(h, 5, 100, 60); /* one of its own */
    uint32_t work = tcfh_region(h, "work");
    for (uint32_t l = 0; l < 6; l++)
        tcfh_enter(h, l, 1000, work);
    tcfh_run(h, FROM_ARCHIVE);
    static const uint64_t want[] = {1007, 1007, 1007, 1050, 1050, 1060};
    for (uint32_t l = 0; l < 6; l++)
        tcfh_times(h, l, &want[l], 1);
    tcfh_run(h, FROM_ARCHIVE "method = none\n");
    tcfh_unchanged(h);
    tcfh_delete(h);
}

static void unsynchronised_processes(void **state)
{
    tcfh *h = two(1000);
    (void)state;
    tcfh_delete(h);
    h = tcfh_new();
    tcfh_processes(h, 2, 1);
    tcfh_clock_offset(h, 1, 100, 7);
    uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 1000, work);
    tcfh_enter(h, 1, 1000, work);
    assert_error(h, FROM_ARCHIVE, "nothing ties");
    tcfh_run(h, FROM_ARCHIVE "unsynchronised = keep\n");
    tcfh_times(h, 0, (uint64_t[]){1000}, 1);
    tcfh_times(h, 1, (uint64_t[]){1007}, 1);
    assert_non_null(strstr(tcfh_text(h, "out.csv"), "unconnected"));
    tcfh_clear(h);
    tcfh_enter(h, 1, 1000, work); /* who has no events needs no clock */
    tcfh_run(h, FROM_ARCHIVE);
    tcfh_times(h, 1, (uint64_t[]){1007}, 1);
    tcfh_delete(h);
}

static void no_offsets_no_change(void **state)
{
    tcfh *h = two(1000);
    (void)state;
    tcfh_run(h, FROM_ARCHIVE);
    tcfh_unchanged(h);
    tcfh_delete(h);
}

/* Behind one presync the archive's offsets are void. */
static void once_is_enough(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 1, 1);
    tcfh_clock_offset(h, 0, 100, 7);
    uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 1000, work);
    tcfh_run(h, "[pipeline]\nchain = presync again\n[again]\nfilter = presync\noutput = ${SCRATCH}/a\n[presync]\n"
                "output = ${SCRATCH}/b\n");
    tcfh_times(h, 0, (uint64_t[]){1007}, 1);
    assert_error(
        h,
        "[pipeline]\nchain = presync again\n[again]\nfilter = presync\nmethod = archive\noutput = ${SCRATCH}/c\n"
        "[presync]\noutput = ${SCRATCH}/d\n",
        "made the archive's clock offsets void");
    tcfh_delete(h);
}

static void times_in_records(void **state)
{
    tcfh *h = two(1000);
    char text[256];
    size_t n;
    (void)state;
    tcf_ev_buffer_flush flush = {.stop_time = 3000};
    tcfh_event(h, 1, 2000, TCF_BUFFER_FLUSH, &flush);
    snprintf(text, sizeof text,
             "location,time,offset\n%" PRIu64 ",0,0\n%" PRIu64 ",1000,10\n%" PRIu64 ",2000,20\n%" PRIu64 ",3000,60\n",
             tcfh_location_id(h, 0), tcfh_location_id(h, 1), tcfh_location_id(h, 1), tcfh_location_id(h, 1));
    write_file(h, "knots", text);
    tcfh_run(h, FROM_FILE);
    const tcfh_out *out = tcfh_output(h, 1, &n);
    assert_int_equal(n, 2);
    assert_int_equal(out[1].time, 2020);
    assert_int_equal(out[1].rec.buffer_flush.stop_time, 3060);
    tcfh_delete(h);
}

/* -------------------------------------------------------------------------------------------------------- survey -- */

static tcf_status nothing(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

static tcf_status teach(tcf_self *self)
{
    tcf_clock_knot knots[] = {{100, 10, 3, 1, 0}, {1100, 20, 4, 1, 0}};
    tcf_clock_source sources[] =
        {{.location = 0, .component = 0, .error = 0, .origin = TCF_CLOCK_RAW},
         {.location = 1, .component = 0, .error = 4, .origin = TCF_CLOCK_MESSAGES},
         {.location = 2, .component = 1, .error = (double)INFINITY, .origin = TCF_CLOCK_UNCONNECTED}};
    if (self->host->learn(self, TCF_CLOCK_KNOTS, sizeof *knots, knots, 2) != TCF_OK)
        return TCF_ERROR;
    return self->host->learn(self, TCF_CLOCK_SOURCES, sizeof *sources, sources, self->defs->n_locations);
}

static const tcf_filter teacher = {
    .head = TCF_FILTER_HEAD,
    .name = "teacher",
    .version = "1",
    .summary = "Learns clocks",
    .can = TCF_CAN_SURVEY,
    .slice = nothing,
    .end = teach,
};

static void what_a_survey_learned(void **state)
{
    (void)state;
    for (uint32_t processes = 2; processes <= 3; processes++) {
        tcfh *h = tcfh_new();
        tcfh_processes(h, processes, 1);
        tcfh_filter(h, &teacher);
        uint32_t work = tcfh_region(h, "work");
        for (uint32_t l = 0; l < processes; l++)
            tcfh_enter(h, l, 600, work);
        static const char ini[] =
            "[pipeline]\nsurvey = teacher\nchain = presync\n[presync]\noutput = ${SCRATCH}/out.csv\n"
            "format = csv\noverwrite = yes\n";
        char keep[512];
        snprintf(keep, sizeof keep, "%sunsynchronised = keep\n", ini);
        if (processes == 3)
            assert_error(h, ini, "nothing ties");
        tcfh_run(h, "%s", processes == 3 ? keep : ini);
        tcfh_times(h, 0, (uint64_t[]){600}, 1);
        tcfh_times(h, 1, (uint64_t[]){615}, 1);
        assert_non_null(strstr(tcfh_text(h, "out.csv"), "messages,2,15,15,15,15,4e-09"));
        assert_error(h,
                     "[pipeline]\nsurvey = teacher\nchain = first presync\n[first]\nfilter = presync\n"
                     "unsynchronised = keep\n",
                     "a filter in front changes them");
        tcfh_delete(h);
    }
}

/* Two processes that the survey ties to nothing: they keep their times, and nobody is stopped; unless a third one
 * shares its clock with one of them. */
static tcf_status teach_nothing(tcf_self *self)
{
    tcf_clock_source sources[] =
        {{.location = 0, .component = 0, .error = 0, .origin = TCF_CLOCK_RAW},
         {.location = 1, .component = 1, .error = (double)INFINITY, .origin = TCF_CLOCK_UNCONNECTED},
         {.location = 2, .component = 1, .error = (double)INFINITY, .origin = TCF_CLOCK_UNCONNECTED}};
    return self->host->learn(self, TCF_CLOCK_SOURCES, sizeof *sources, sources, self->defs->n_locations);
}

static const tcf_filter mute = {
    .head = TCF_FILTER_HEAD,
    .name = "mute",
    .version = "1",
    .summary = "Learns that it knows nothing",
    .can = TCF_CAN_SURVEY,
    .slice = nothing,
    .end = teach_nothing,
};

static void what_no_survey_can_learn(void **state)
{
    static const char ini[] = "[pipeline]\nsurvey = mute\nchain = presync\n[presync]\noutput = ${SCRATCH}/out.csv\n"
                              "format = csv\noverwrite = yes\n";
    (void)state;
    for (uint32_t processes = 2; processes <= 3; processes++) {
        tcfh *h = tcfh_new();
        tcfh_processes(h, processes, 1);
        tcfh_filter(h, &mute);
        uint32_t work = tcfh_region(h, "work");
        for (uint32_t l = 0; l < processes; l++)
            tcfh_enter(h, l, 600 + l, work);
        if (processes == 3) {
            assert_error(h, ini, "nothing ties");
        } else {
            tcfh_run(h, "%s", ini);
            tcfh_times(h, 0, (uint64_t[]){600}, 1);
            tcfh_times(h, 1, (uint64_t[]){601}, 1);
        }
        tcfh_delete(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_corrections),
        cmocka_unit_test(whole_offsets_stay_whole),
        cmocka_unit_test(too_large),
        cmocka_unit_test(shifted_when_negative),
        cmocka_unit_test(wrong_knots),
        cmocka_unit_test(ini_and_units),
        cmocka_unit_test(threads_share_the_clock_of_their_process),
        cmocka_unit_test(unsynchronised_processes),
        cmocka_unit_test(no_offsets_no_change),
        cmocka_unit_test(once_is_enough),
        cmocka_unit_test(times_in_records),
        cmocka_unit_test(what_a_survey_learned),
        cmocka_unit_test(what_no_survey_can_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
