/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See trials.h. The oracle judges what was written and read back; it shares no line with the framework. */
#define _GNU_SOURCE /* asprintf, nftw */
#include "trials.h"

#include "framework/base/error.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char work[512]; /* scratch folder */
static char *failed;   /* of the test at hand, as comments; NULL: nothing */
static int tests, failures;
static uint64_t runs, whole_runs; /* whole: nothing was given up */

const char *in_work(const char *name)
{
    static char path[16][512 + 64];
    static unsigned next;
    char *here = path[next++ % 16];
    snprintf(here, sizeof path[0], "%s/%s", work, name);
    return here;
}

void wrong(const struct trial *t, const char *format, ...)
{
    va_list arguments;
    char *what = NULL, *all = NULL;
    va_start(arguments, format);
    int written = vasprintf(&what, format, arguments);
    va_end(arguments);
    if (written < 0 || asprintf(&all, "%s# %s: %s\n", failed ? failed : "", t->name, what) < 0)
        abort();
    free(what);
    free(failed);
    failed = all;
}

void result(const char *format, ...)
{
    va_list arguments;
    printf("%sok %d - ", failed ? "not " : "", ++tests);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n%s", failed ? failed : "");
    fflush(stdout);
    failures += failed != NULL;
    free(failed);
    failed = NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void remove_all(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int trials_begin(void)
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(work, sizeof work, "%s/tcflow-test.XXXXXX", base);
    error_verbosity = TCF_LOG_ERROR;
    return mkdtemp(work) != NULL;
}

int trials_end(void)
{
    printf("# %" PRIu64 " runs, %" PRIu64 " of them whole\n1..%d\n", runs, whole_runs, tests);
    remove_all(work);
    return failures > 0;
}

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

uint64_t first_seed(void)
{
    return number_of("FIRST", 1);
}

uint64_t last_seed(uint64_t seeds)
{
    return first_seed() + number_of("SEEDS", getenv("TCFLOW_LONG") ? seeds : 1) - 1;
}

void check_each_kind(const struct kind *kinds, size_t n, uint64_t seeds, trial_check *check)
{
    uint64_t first = first_seed(), last = last_seed(seeds);
    const char *only = getenv("KIND");
    for (size_t k = 0; k < n; k++) {
        if (only && strcmp(only, kinds[k].name) != 0)
            continue;
        for (uint64_t seed = first; seed <= last; seed++)
            check(&kinds[k], seed);
        result("%s: random traces %" PRIu64 " to %" PRIu64, kinds[k].name, first, last);
    }
}

void check_each_kept(const struct kind *kinds, size_t n, const struct kept *kept, size_t n_kept, trial_check *check)
{
    for (size_t i = 0; i < n_kept; i++) {
        struct trial none = {.name = "kept"};
        size_t k = 0;
        while (k < n && strcmp(kinds[k].name, kept[i].kind) != 0)
            k++;
        if (k < n)
            check(&kinds[k], kept[i].seed);
        else
            wrong(&none, "there is no kind '%s'", kept[i].kind);
    }
}

/* ---------------------------------------------------------------------------------------------------- both sides -- */

void say(struct options *o, const char *format, ...)
{
    va_list arguments;
    if (o->n == MOST_OPTIONS)
        abort();
    va_start(arguments, format);
    if (vsnprintf(o->text[o->n++], OPTION, format, arguments) >= OPTION)
        abort();
    va_end(arguments);
}

settings *settings_said(const char *file, const struct options *o)
{
    const char *option[MOST_OPTIONS];
    for (size_t i = 0; i < o->n; i++)
        option[i] = o->text[i];
    return settings_load(file, option, o->n);
}

int load(struct trial *t, const char *anchor, int trusting)
{
    snprintf(t->anchor, sizeof t->anchor, "%s", anchor);
    t->trace = o_load(anchor, false);
    t->m = t->trace ? o_match_with(t->trace, t->lookahead ? t->lookahead : 4096, trusting) : NULL;
    return t->m != NULL;
}

void unload(struct trial *t)
{
    if (t->m)
        o_match_free(t->m);
    o_unload(t->trace);
    t->m = NULL;
    t->trace = NULL;
}

static uint64_t truncated(const char *report)
{
    FILE *f = fopen(report, "r");
    char line[512];
    uint64_t n, sum = 0;
    int seen = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "jumps,truncated,%" SCNu64, &n) == 1 ||
            sscanf(line, "jumps,guessed_sources,%" SCNu64, &n) == 1) {
            sum += n;
            seen++;
        }
    if (f)
        fclose(f);
    return seen == 2 ? sum : UINT64_MAX;
}

/* Was nothing given up? */
static int was_whole(session *p)
{
    session_summary summary;
    int whole = 1;
    session_summarise(p, &summary);
    for (size_t i = 0; i < summary.n_notes; i++)
        if (!strcmp(summary.notes[i].key, "given_up") || !strcmp(summary.notes[i].key, "dropped_messages"))
            whole = 0;
    runs++;
    whole_runs += (uint64_t)whole;
    return whole;
}

int run_alone(const struct trial *t, const char *what, settings *s)
{
    session *p = s ? session_new(s, getenv("TCFLOW_PLUGIN_PATH"), NULL) : NULL;
    int good = p && session_run(p, NULL) == TCF_OK;
    if (good)
        was_whole(p);
    else
        wrong(t, "%s fails: %s", what, error_text());
    session_delete(p);
    settings_free(s);
    return good;
}

struct outcome run_pipeline(const struct trial *t, const char *what, settings *s, const char *out, const char *jumps)
{
    struct outcome o = {.complete = 1};
    session *p = s ? session_new(s, getenv("TCFLOW_PLUGIN_PATH"), NULL) : NULL;
    if (p && session_run(p, NULL) == TCF_OK) {
        char written[600];
        o.complete = was_whole(p);
        snprintf(written, sizeof written, "%s/traces.otf2", out);
        o.written = o_load(written, false);
        if (jumps)
            o.truncated = truncated(jumps);
    }
    if (!o.written)
        wrong(t, "%s fails: %s", what, error_text());
    session_delete(p);
    settings_free(s);
    return o;
}

int read_learned(const char *report, int sure, struct o_delays *delays)
{
    char line[512], class_[64], distance[64], text[200];
    uint64_t ticks;
    FILE *f = fopen(report, "r");
    int good = f != NULL;
    *delays = (struct o_delays){{{0}}};
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%63[a-z0-9_],%63[a-z_],%*[^,],%" SCNu64, class_, distance, &ticks) != 3)
            continue;
        if (sure)
            good &= sscanf(strrchr(line, ','), ",%" SCNu64, &ticks) == 1;
        if (ticks == 0)
            continue;
        snprintf(text, sizeof text, "%s:%s:%" PRIu64, strcmp(class_, "omp_n_to_n") ? class_ : "omp_barrier", distance,
                 ticks);
        good &= o_set_class_delay(delays, text);
    }
    if (f)
        fclose(f);
    return good;
}

uint64_t count_violated(const struct o_matching *m, uint64_t *const *times, const struct o_delays *delays)
{
    struct o_tally tally[O_CLASSES] = {{0}};
    uint64_t n = 0;
    o_count_violations(m, times, delays, NULL, tally);
    for (int c = 0; c < O_CLASSES; c++)
        n += c == O_RMA_OP ? 0 : tally[c].violated;
    return n;
}

size_t same_location(const struct o_trace *a, size_t l, const struct o_trace *b)
{
    size_t o = 0;
    while (o < b->n_locations && b->location[o].def.id != a->location[l].def.id)
        o++;
    return o;
}

/* Of no events, where they are not the same. */
static struct o_difference difference(const struct trial *t, const char *what, const struct o_trace *before,
                                      const struct o_trace *after)
{
    struct o_difference d = {0};
    if (!o_same_events(before, after)) {
        wrong(t, "%s: other events", what);
        return d;
    }
    for (size_t l = 0; l < before->n_locations; l++)
        o_compare_location(&before->location[l], &after->location[same_location(before, l, after)], &d);
    return d;
}

void expect_same_events(const struct trial *t, const char *what, const struct o_trace *before,
                        const struct o_trace *after)
{
    struct o_difference d = difference(t, what, before, after);
    if (d.decreasing)
        wrong(t, "%s: %" PRIu64 " events before the one that they follow", what, d.decreasing);
}

void expect_order(const struct trial *t, const char *what, const struct o_trace *before, const struct o_trace *after,
                  int unmoved)
{
    struct o_difference d = difference(t, what, before, after);
    if (d.earlier || d.decreasing || (unmoved && d.moved))
        wrong(t, "%s: %" PRIu64 " moved, %" PRIu64 " earlier, %" PRIu64 " before the one that they follow", what,
              d.moved, d.earlier, d.decreasing);
}
