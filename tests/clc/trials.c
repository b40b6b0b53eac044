/* See trials.h. The oracle judges what was written and read back; it shares no line with the framework. */
#define _GNU_SOURCE /* asprintf, nftw */
#include "trials.h"

#include "../../framework/error.h"

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
    return first_seed() + number_of("SEEDS", getenv("TCFLOW_QUICK") ? 1 : seeds) - 1;
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

/* -------------------------------------------------------------------------------------------------- both sides -- */

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
static int was_whole(pipeline *p)
{
    pipeline_summary summary;
    int whole = 1;
    pipeline_summarise(p, &summary);
    for (size_t i = 0; i < summary.n_notes; i++)
        if (!strcmp(summary.notes[i].key, "given_up") || !strcmp(summary.notes[i].key, "dropped_messages"))
            whole = 0;
    runs++;
    whole_runs += (uint64_t)whole;
    return whole;
}

int run_alone(const struct trial *t, const char *what, settings *s)
{
    pipeline *p = s ? pipeline_new(s, getenv("TCFLOW_PLUGIN_PATH"), NULL) : NULL;
    int good = p && pipeline_run(p, NULL) == TCF_OK;
    if (good)
        was_whole(p);
    else
        wrong(t, "%s fails: %s", what, error_text());
    pipeline_delete(p);
    settings_free(s);
    return good;
}

struct outcome run_pipeline(const struct trial *t, const char *what, settings *s, const char *out, const char *jumps)
{
    struct outcome o = {.complete = 1};
    pipeline *p = s ? pipeline_new(s, getenv("TCFLOW_PLUGIN_PATH"), NULL) : NULL;
    if (p && pipeline_run(p, NULL) == TCF_OK) {
        char written[600];
        o.complete = was_whole(p);
        snprintf(written, sizeof written, "%s/traces.otf2", out);
        o.written = o_load(written, false);
        if (jumps)
            o.truncated = truncated(jumps);
    }
    if (!o.written)
        wrong(t, "%s fails: %s", what, error_text());
    pipeline_delete(p);
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

/* ---------------------------------------------------------------------------------------------------- the traces -- */

const struct kind trial_kinds[] = {
    {"messages", 0, {.features = MESSAGES}},
    {"collectives", 0, {.features = COLLECTIVES}},
    {"threads", 0, {.features = RT_P2P | RT_COLLECTIVES | THREADS}},
    {"threads that communicate", REMATCHED, {.features = COMMUNICATING}},
    {"everything", 0, {.features = SINGLE | THREADS | RT_ATTRIBUTES | RT_METRICS}},
    {"losses", 0,
     {.features = SINGLE, .lose_sends = 0.05, .lose_receives = 0.05, .never_complete = 0.05, .end_early = 0.2}},
    {"locations that end early", 0, {.features = SINGLE | THREADS, .end_early = 0.2}},
    {"damaged files", DAMAGED, {.features = SINGLE}},
    {"odd archives", 0,
     {.features = SINGLE, .sparse_locations = 1, .comms_per_rank = 1, .repeat_definitions = 1, .empty_locations = 1}},
    {"processes of several ranks", 0, {.features = SINGLE | THREADS, .ranks_per_process = 2}},
    {"anything", ANYTHING, {0}},
    {"what few traces have", 0, {.features = SINGLE | THREADS | RARE}},
    {"anything, and what few traces have", ANYTHING | UNUSUAL, {0}},
    {"teams of all sizes", 0,
     {.features = SINGLE | THREADS | RT_NESTED | RT_MPI_INSIDE | RT_TEAM_SIZES, .omp_threads = 5,
      .lose_measurements = 0.3}},
    {"any thread of a process", REMATCHED,
     {.features = SINGLE | THREADS | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES}},
    {"calls of threads that cross", REMATCHED | MISLEADING,
     {.features = SINGLE | THREADS | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES | RT_CROSSED}},
    {"anything, and any thread", REMATCHED | MISLEADING | ANYTHING | UNUSUAL | ANY_THREAD, {0}},
    {"persistent requests", 0, {.features = SINGLE | RT_PERSISTENT}},
    {"anything, and persistent requests", ANYTHING | UNUSUAL | PERSISTENT, {0}},
    {"locks of windows", 0, {.features = SINGLE | RT_RMA | RT_WINDOW_COLLECTIVES, .epochs = 1, .passive = 1}},
    {"communicators made again", 0, {.features = SINGLE, .reuse_comms = 1}},
    {"collectives without data", 0, {.features = COLLECTIVES | RT_P2P, .empty_collectives = 1}},
    {"calling contexts", 0, {.features = SINGLE | THREADS, .contexts = 1}},
    {"anything, and what is seen seldom", ANYTHING | UNUSUAL | SELDOM, {0}},
};

const size_t n_trial_kinds = sizeof trial_kinds / sizeof *trial_kinds;

uint64_t draw(uint64_t *state)
{
    uint64_t h = *state += 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

static int one_in(uint64_t *state, uint64_t n)
{
    return draw(state) % n == 0;
}

#define ONE_OF(state, ...) DRAWN(double, state, __VA_ARGS__)

/* Clocks begin near 0, near 2^64, or anywhere; none of them comes to an end. */
static uint64_t draw_shift(uint64_t *h, const struct random_trace_options *o)
{
    double ticks = (double)o->ticks_per_second * 1e-9, margin = 1e10 + o->clock_offset_ns + 9 * o->clock_jump_ns;
    uint64_t most = (uint64_t)((1e12 + margin) * ticks) + 1000000, least = (uint64_t)((1e12 - o->clock_offset_ns) * ticks);
    switch (draw(h) % 4) {
    case 0: return UINT64_MAX - most;
    case 1: return 1 - least;
    case 2: return draw(h) % (UINT64_MAX - most);
    default: return 0;
    }
}

static void draw_clocks(uint64_t *h, struct random_trace_options *o, int wrong_clocks)
{
    o->ticks_per_second = (uint64_t)ONE_OF(h, 1e9, 1e9, 1e9, 1, 10, 1000, 1e6, 2.4e9, 1e11);
    o->equal_timestamps = ONE_OF(h, 0.05, 0, 0.2, 0.5, 0.95, 1);
    o->clock_offset_records = (uint32_t)ONE_OF(h, 0, 0, 1, 2, 3, 7);
    double offset = ONE_OF(h, 0, 300, 3e4, 3e4, 1e6, 1e9, 5e11), drift = ONE_OF(h, 0, 10, 100, 1000, 5e4);
    uint32_t jumps = (uint32_t)ONE_OF(h, 0, 0, 1, 3, 8);
    double jump = ONE_OF(h, 500, 4000, 1e5, 1e7), error = ONE_OF(h, 0, 0, 500, 1e4);
    if (wrong_clocks) {
        o->clock_offset_ns = offset;
        o->clock_drift_ppm = drift;
        o->clock_jumps = jumps;
        o->clock_jump_ns = jump;
        o->clock_offset_error_ns = error;
    }
    o->shift_ticks = draw_shift(h, o);
}

/* Losses that mislead the matching are mistakes of clocks, too. */
static void draw_losses(uint64_t *h, struct random_trace_options *o, int misleading)
{
    o->lose_sends = ONE_OF(h, 0, 0.01, 0.1);
    o->lose_receives = ONE_OF(h, 0, 0.01, 0.1);
    o->never_complete = ONE_OF(h, 0, 0.05, 0.3);
    o->ambiguous_loss = one_in(h, 2) && misleading;
    o->end_early = ONE_OF(h, 0, 0.2, 0.7);
}

void draw_options(struct random_trace_options *o, uint64_t seed, int wrong_clocks)
{
    uint64_t h = seed ^ 0x5eed;
    random_trace_defaults(o);
    o->features = (uint32_t)draw(&h) & (uint32_t)(MESSAGES | COLLECTIVES | THREADS | RT_ATTRIBUTES | RT_METRICS | RT_COUNTERS |
                                                  RT_IO | RT_RMA | RT_STREAMS);
    o->features |= one_in(&h, 2) ? RT_P2P : RT_COLLECTIVES;
    o->ranks = (uint32_t)ONE_OF(&h, 1, 2, 3, 4, 5, 6, 7, 9, 13);
    o->omp_threads = (uint32_t)ONE_OF(&h, 1, 2, 3, 5);
    o->ranks_per_node = (uint32_t)ONE_OF(&h, 1, 2, 3, 100);
    o->ranks_per_process = (uint32_t)ONE_OF(&h, 1, 1, 1, 2, 3, 100);
    o->max_delay = (uint32_t)ONE_OF(&h, 500, 5, 50, 5000);
    draw_clocks(&h, o, wrong_clocks);
    if (one_in(&h, 3))
        draw_losses(&h, o, wrong_clocks);
    o->empty_locations = (uint32_t)ONE_OF(&h, 0, 0, 1, 3);
    o->sparse_locations = one_in(&h, 2);
    o->sparse_regions = one_in(&h, 2);
    o->regions_per_rank = one_in(&h, 3);
    o->comms_per_rank = one_in(&h, 3);
    o->shuffle_definitions = one_in(&h, 3);
    o->repeat_definitions = one_in(&h, 3);
    o->wrong_event_counts = one_in(&h, 3);
}

void draw_unusual(struct random_trace_options *o, uint64_t seed, int wrong_clocks)
{
    uint64_t h = seed ^ 0xaced;
    o->features |= (uint32_t)draw(&h) & (uint32_t)RARE;
    if (wrong_clocks && one_in(&h, 2)) {
        o->lose_any = ONE_OF(&h, 0.001, 0.01, 0.1);
        o->begin_late = ONE_OF(&h, 0, 0.2, 0.5);
    }
}

void draw_threads(struct random_trace_options *o, uint64_t seed)
{
    uint64_t h = seed ^ 0xfade;
    o->features |= (uint32_t)draw(&h) & (uint32_t)(RT_P2P | RT_OPENMP | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES);
    o->features |= o->features & RT_ANY_THREAD ? RT_CROSSED : 0;
    o->lose_measurements = ONE_OF(&h, 0, 0.3, 0.9);
}

static void draw_seldom(struct random_trace_options *o, uint64_t seed)
{
    uint64_t h = seed ^ 0xbade;
    o->epochs = one_in(&h, 2);
    o->passive = one_in(&h, 2);
    o->reuse_comms = one_in(&h, 2);
    o->empty_collectives = one_in(&h, 2);
    o->contexts = one_in(&h, 2);
}

/* Sets what is 0 and may not be, or is not by default. */
static void fill_options(struct random_trace_options *o, uint64_t ranks)
{
    struct random_trace_options usual;
    random_trace_defaults(&usual);
    o->ranks = (uint32_t)ranks;
    o->omp_threads += o->omp_threads ? 0 : usual.omp_threads;
    o->ranks_per_node = usual.ranks_per_node;
    o->ranks_per_process += !o->ranks_per_process;
    o->ticks_per_second = usual.ticks_per_second;
    o->equal_timestamps += o->equal_timestamps > 0 ? 0 : usual.equal_timestamps;
    o->max_delay = usual.max_delay;
    o->clock_offset_records += o->clock_offset_records ? 0 : usual.clock_offset_records;
    o->chunk_bytes = usual.chunk_bytes;
}

void options_of(const struct kind *k, uint64_t seed, uint64_t ranks, int wrong_clocks, struct random_trace_options *o)
{
    if (k->how & ANYTHING) {
        draw_options(o, seed, wrong_clocks);
        o->features |= k->how & THREADED ? RT_MPI_THREADS : 0;
        if (k->how & UNUSUAL)
            draw_unusual(o, seed, wrong_clocks);
        if (k->how & ANY_THREAD)
            draw_threads(o, seed);
        o->features |= k->how & PERSISTENT ? RT_PERSISTENT : 0;
        if (k->how & SELDOM)
            draw_seldom(o, seed);
    } else {
        *o = k->options;
        fill_options(o, ranks);
    }
}

const char *write_trace(const struct trial *t, struct random_trace_options *o, const char *folder)
{
    static char anchor[600];
    o->directory = in_work(folder);
    remove_all(o->directory);
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", o->directory);
    if (random_trace_write(o, NULL) == 0)
        return anchor;
    wrong(t, "not generated");
    return NULL;
}

const char *made(const struct trial *t, const struct kind *k, uint64_t events, int how)
{
    struct random_trace_options o;
    options_of(k, t->seed, t->seed % 5 + 2, how & WRONG_CLOCKS, &o);
    o.seed = t->seed;
    o.events = events;
    o.shuffle_definitions ^= (how & SHUFFLED) != 0;
    if (!(k->how & ANYTHING))
        o.equal_timestamps = 0.2;
    if (how & WRONG_CLOCKS && !(k->how & ANYTHING)) {
        o.clock_offset_ns = 30000;
        o.clock_drift_ppm = 100;
        o.clock_jumps = 2;
        o.clock_jump_ns = 4000;
    }
    return write_trace(t, &o, how & SHUFFLED ? "shuffled" : "trace");
}

int simulate(const struct trial *t, const char *options, const char *truth, const char *recorded)
{
    char command[2400], with_truth[700] = "";
    const char *build = getenv("top_builddir");
    if (truth)
        snprintf(with_truth, sizeof with_truth, "--true-trace '%s'", in_work(truth));
    snprintf(command, sizeof command, "'%s/tcflow-synth' --overwrite %s %s '%s' >/dev/null", build ? build : ".",
             options, with_truth, in_work(recorded));
    if (system(command) == 0)
        return 1;
    wrong(t, "not made: %s", command);
    return 0;
}

void damage(const struct trial *t, const char *anchor)
{
    struct o_trace *whole = o_load(anchor, false);
    size_t n = whole ? whole->n_locations : 0;
    for (size_t k = 0; k < n && k < (t->seed % 3 ? 1 : 2); k++) {
        char path[700];
        struct stat st;
        snprintf(path, sizeof path, "%.*s/%" PRIu64 ".evt", (int)(strlen(anchor) - strlen(".otf2")), anchor,
                 whole->location[(t->seed / 3 + k) % n].def.id);
        if (k == 0 && t->seed % 4 && stat(path, &st) == 0) {
            off_t left = st.st_size * (off_t)(20 + t->seed * 7 % 75) / 100;
            if (truncate(path, left) != 0)
                wrong(t, "%s cannot be cut off", path);
        } else {
            unlink(path);
        }
    }
    o_unload(whole);
}
