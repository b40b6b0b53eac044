/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Causal order and matching, over random traces with random clock errors, against the whole-trace oracle: every event
 * passes a span filter once and in its location's order, after everything that must precede it; what the core matched
 * is what the oracle matched. Slices of any size, little memory and any look-ahead give what the oracle says of it.
 * Where a filter asks for it, receives come behind the event that left the call of their send (source_at_leave).
 *
 * SEEDS (default 6) traces a kind, from FIRST (default 1) on; KIND: of this kind only. All runs are in this one
 * process. */
#define _GNU_SOURCE /* open_memstream */
#include "tests/plugins/clc/trials.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- lines of a matching -- */

/* Texts of a line each, and the target that each of them leads to; they are compared in order. */
struct line {
    char text[120];
    uint64_t location, index;
};

struct lines {
    struct o_list list; /* struct line */
};

__attribute__((format(printf, 4, 5))) static void add_line(struct lines *lines, uint64_t location, uint64_t index,
                                                           const char *format, ...)
{
    struct line *line = o_push(&lines->list, sizeof *line);
    va_list arguments;
    *line = (struct line){.location = location, .index = index};
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return strcmp(x->text, y->text);
}

static void sort_lines(struct lines *lines)
{
    if (lines->list.n)
        qsort(lines->list.item, lines->list.n, sizeof(struct line), compare_lines);
}

/* Targets that went on without their sources. */
struct given {
    uint64_t location, index;
};

static int compare_given(const void *a, const void *b)
{
    const struct given *x = a, *y = b;
    int order = o_compare_u64(x->location, y->location);
    return order ? order : o_compare_u64(x->index, y->index);
}

static int is_given_up(const struct o_list *given, const struct line *line)
{
    const struct given wanted = {line->location, line->index};
    return given->n && bsearch(&wanted, given->item, given->n, sizeof wanted, compare_given);
}

/* What the oracle matched, as the probe prints it. The probe leaves out what is in no instance. Where members disagree
 * on the operation, which shows when all have come, the probe prints what each of them is by its own record: not
 * compared. */
static void lines_of_oracle(const struct o_matching *m, struct lines *lines, struct o_list *disagreeing)
{
    const struct o_location *location = m->trace->location;
    const struct o_message *message = m->messages.item;
    for (size_t i = 0; i < m->messages.n; i++) {
        if (message[i].target == O_NONE)
            continue;
        uint64_t id = location[message[i].target_location].def.id;
        if (message[i].source == O_NONE)
            add_line(lines, id, message[i].target, "recv,%" PRIu64 ",%zu", id, message[i].target);
        else
            add_line(lines, id, message[i].target, "p2p,%" PRIu64 ",%zu,%" PRIu64 ",%zu",
                     location[message[i].source_location].def.id, message[i].source, id, message[i].target);
    }
    const struct o_member *member = m->members.item;
    for (size_t i = 0; i < m->members.n; i++) {
        const struct o_member *p = &member[i];
        uint64_t id = location[p->location].def.id;
        if (p->rma || p->instance == O_NONE)
            continue;
        if (!p->consistent) {
            *(struct given *)o_push(disagreeing, sizeof(struct given)) = (struct given){id, p->end};
            continue;
        }
        add_line(lines, id, p->end, "coll,%" PRIu64 ",%zu,%" PRIu64 ",%" PRId64 ",%zu,%d,%d",
                 p->canon ? p->canon->id : p->id, p->instance, id, p->begin == O_NONE ? -1 : (int64_t)p->begin, p->end,
                 p->is_source, p->is_target);
    }
    const struct o_thread_edge *edge = m->thread_edges.item;
    for (size_t i = 0; i < m->thread_edges.n; i++) {
        const struct o_thread_edge *p = &edge[i];
        uint64_t id = location[p->target_location].def.id;
        if (p->class == O_FORK || p->class == O_LOCK || p->class == O_CREATE || p->class == O_WAIT)
            add_line(lines, id, p->target, "edge,%s,%" PRIu64 ",%zu,%" PRIu64 ",%zu", o_class_names[p->class],
                     location[p->source_location].def.id, p->source, id, p->target);
    }
    sort_lines(lines);
}

/* The numbers of a line, from the one with this number on (0: the kind); which of them name the target depends on
 * it. */
static int field(const char *line, int number, uint64_t *value)
{
    for (; number > 0 && line; number--)
        line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
    return line && sscanf(line, "%" SCNu64, value) == 1;
}

static int lines_of_probe(struct lines *lines)
{
    static const struct {
        const char *kind;
        int location, index;
    } targets[] = {{"p2p,", 3, 4}, {"recv,", 1, 2}, {"coll,", 3, 5}, {"edge,", 4, 5}};
    enum { TARGETS = sizeof targets / sizeof *targets };
    FILE *f = fopen(in_work("match"), "r");
    char text[sizeof((struct line *)0)->text];
    int good = f != NULL;
    while (good && fgets(text, sizeof text, f)) {
        uint64_t location = 0, index = 0;
        int k = 0;
        text[strcspn(text, "\n")] = '\0';
        while (k < TARGETS && strncmp(text, targets[k].kind, strlen(targets[k].kind)) != 0)
            k++;
        good = k < TARGETS && field(text, targets[k].location, &location) && field(text, targets[k].index, &index);
        if (good)
            add_line(lines, location, index, "%s", text);
    }
    if (f)
        fclose(f);
    sort_lines(lines);
    return good;
}

static int read_given(struct o_list *given, const struct o_list *others)
{
    const struct given *other = others->item;
    FILE *f = fopen(in_work("given"), "r");
    struct given at;
    int n = 2;
    while (f && (n = fscanf(f, "%" SCNu64 " %" SCNu64, &at.location, &at.index)) == 2)
        *(struct given *)o_push(given, sizeof at) = at;
    if (f)
        fclose(f);
    for (size_t i = 0; i < others->n; i++)
        *(struct given *)o_push(given, sizeof at) = other[i];
    if (given->n)
        qsort(given->item, given->n, sizeof at, compare_given);
    return f && n == EOF;
}

/* But for what ends in a target that went on without its sources. */
static void compare(const struct trial *t, const char *what, const struct lines *expected, const struct lines *got,
                    const struct o_list *given)
{
    const struct line *x = expected->list.item, *y = got->list.item;
    size_t i = 0, j = 0;
    while (i < expected->list.n || j < got->list.n) {
        int order = i == expected->list.n ? 1 : j == got->list.n ? -1 : compare_lines(&x[i], &y[j]);
        const struct line *odd = order < 0 ? &x[i] : &y[j];
        if (order && !is_given_up(given, odd)) {
            wrong(t, "%s: %s '%s'", what, order < 0 ? "lacks" : "has", odd->text);
            return;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---------------------------------------------------------------------------------------------------------- runs -- */

/* `what`: the name of another probe, or what is done. */
static int run_probe(const struct trial *t, const char *what, const char *const *windows, size_t n_windows)
{
    const char *name = strcmp(what, "probe_leave") ? "probe" : what, *build = getenv("top_builddir");
    struct options o = {.n = 0};
    say(&o, "pipeline.plugin_path=%s/tests/framework/probe/.libs", build ? build : ".");
    say(&o, "pipeline.input=%s", t->anchor);
    say(&o, "pipeline.chain=%s", name);
    say(&o, "%s.order=%s", name, in_work("order"));
    say(&o, "%s.match=%s", name, in_work("match"));
    say(&o, "%s.given=%s", name, in_work("given"));
    for (size_t i = 0; i < n_windows; i++)
        say(&o, "%s", windows[i]);
    return run_alone(t, what, settings_said(NULL, &o));
}

/* With a short look-ahead members may disagree on the root, as on the operation: then one of several is waited for. */
static void expect_causal(const struct trial *t, const char *what)
{
    static const char *const rootless =
        "p2p,n_to_one,n_to_n,scan,exscan,fork,join,thread_create,thread_wait,lock,omp_barrier";
    char *said = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&said, &size);
    int status =
        out ? o_check_order(t->m, in_work("order"), in_work("given"), t->lookahead < 4096 ? rootless : NULL, out) : 2;
    if (out)
        fclose(out);
    if (status)
        wrong(t, "%s: %.*s", what, said ? (int)strcspn(said, "\n") : 0, said ? said : "");
    free(said);
}

static int same_given(const struct o_list *a, const struct o_list *b)
{
    const struct given *x = a->item, *y = b->item;
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (compare_given(&x[i], &y[i]))
            return 0;
    return a->n == b->n;
}

/* Returns how many targets were given up. `always`: what is given up whatever the window, to be found when there is
 * nothing in it so far, or NULL. */
static size_t check_run(const struct trial *t, const struct lines *expected, const struct o_list *disagreeing,
                        struct o_list *always, const char *const *windows, size_t n_windows)
{
    struct lines got = {{0}};
    struct o_list given = {0};
    char what[200] = "";
    size_t n;
    for (size_t i = 0; i < n_windows; i++)
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s%s", i ? ", " : "", windows[i]);
    if (!run_probe(t, what, windows, n_windows))
        return 0;
    if (!lines_of_probe(&got) || !read_given(&given, disagreeing))
        wrong(t, "%s: cannot read what the probe wrote", what);
    compare(t, what, expected, &got, &given);
    expect_causal(t, what);
    n = given.n - disagreeing->n;
    free(got.list.item);
    if (always && !always->item) {
        *always = given;
        return n;
    }
    if (always && !same_given(always, &given))
        wrong(t, "%s: others are given up", what);
    free(given.item);
    return n;
}

/* The whole trace at once, an event at a time, slices of any size in little memory. Where nothing is short the same
 * targets are given up, unless members disagree on the operation: then it is that of the first that comes. */
static size_t check_windows(const struct trial *t)
{
    struct lines expected = {{0}};
    uint64_t h = t->seed;
    char size[40], ahead[40], memory[40];
    snprintf(ahead, sizeof ahead, "pipeline.lookahead=%" PRIu64, t->lookahead);
    snprintf(size, sizeof size, "pipeline.slice=%" PRIu64, t->seed * 5 % 1000 + 2);
    snprintf(memory, sizeof memory, "pipeline.memory=%" PRIu64 "KiB", 64 + draw(&h) % 512);
    const char *const whole[] = {ahead}, *const single[] = {ahead, "pipeline.slice=1"}, *const own[] = {ahead, size},
                      *const little[] = {ahead, memory, draw(&h) % 2 ? "pipeline.slice=3" : "pipeline.slice=0"};
    struct o_list disagreeing = {0};
    lines_of_oracle(t->m, &expected, &disagreeing);
    struct o_list always = {0}, *same = disagreeing.n ? NULL : &always;
    size_t n = check_run(t, &expected, &disagreeing, same, whole, 1);
    check_run(t, &expected, &disagreeing, same, single, 2);
    check_run(t, &expected, &disagreeing, same, own, 2);
    check_run(t, &expected, &disagreeing, NULL, little, 3);
    free(always.item);
    free(disagreeing.item);
    free(expected.list.item);
    return n;
}

/* Hardly any room, for messages neither: what is lost is reported, and all goes on. */
static void check_full(const struct trial *t)
{
    char ahead[40], messages[40];
    snprintf(ahead, sizeof ahead, "pipeline.lookahead=%" PRIu64, t->lookahead);
    snprintf(messages, sizeof messages, "pipeline.max_messages=%" PRIu64, t->seed % 3 + 1);
    const char *const windows[] = {ahead, messages, "pipeline.memory=64KiB", "pipeline.slice=2"};
    if (run_probe(t, messages, windows, 4))
        expect_causal(t, messages);
}

/* ------------------------------------------------------------------------------------------- calls that are left -- */

/* Where the call of a send is left: at the leave of its region, or at a target inside the call, whichever comes
 * first. */
struct left {
    size_t at;   /* O_NONE: nowhere */
    int in_call; /* at a target, which may be the end of the very same message */
};

static int is_target(uint16_t kind)
{
    return kind == O_MPI_RECV || kind == O_MPI_IRECV || kind == O_MPI_COLLECTIVE_END ||
           kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE || kind == O_RMA_COLLECTIVE_END;
}

/* Of all events of a location; to be freed. */
static struct left *lefts(const struct o_location *l)
{
    struct left *left = o_alloc(l->n + 1, sizeof *left);
    size_t *open = o_alloc(l->n + 1, sizeof *open), *depth_of = o_alloc(l->n + 1, sizeof *depth_of), n = 0, depth = 0;
    for (size_t e = 0; e < l->n; e++) {
        uint16_t kind = l->event[e].kind;
        left[e].at = O_NONE;
        const int leaves = kind == O_LEAVE || kind == O_CALLING_CONTEXT_LEAVE;
        if (kind == O_ENTER || kind == O_CALLING_CONTEXT_ENTER)
            depth++;
        if (leaves || is_target(kind))
            for (; n > 0 && depth_of[n - 1] >= depth; n--)
                left[open[n - 1]] = (struct left){e, !leaves};
        if (leaves && depth > 0)
            depth--;
        if ((kind == O_MPI_SEND || kind == O_MPI_ISEND) && depth > 0) /* else its call is not in the trace */
            open[n] = e, depth_of[n++] = depth;
    }
    free(open);
    free(depth_of);
    return left;
}

static size_t location_of(const struct o_trace *trace, uint64_t id)
{
    size_t l = 0;
    while (l < trace->n_locations && trace->location[l].def.id != id)
        l++;
    return l;
}

/* A receive of a location that has no more events is no mistake where its send is never left. */
static void compare_lefts(const struct trial *t, const char *what, struct left *const *left)
{
    FILE *f = fopen(in_work("match"), "r");
    char text[160];
    uint64_t from, send, to, receive;
    int64_t at;
    while (f && fgets(text, sizeof text, f)) {
        if (strncmp(text, "left,", 5) != 0)
            continue;
        size_t l = sscanf(text, "left,%" SCNu64 ",%" SCNu64 ",%" SCNd64 ",%" SCNu64 ",%" SCNu64, &from, &send, &at, &to,
                          &receive) == 5
                       ? location_of(t->trace, from)
                       : t->trace->n_locations;
        if (l == t->trace->n_locations || send >= t->trace->location[l].n) {
            wrong(t, "%s: no such message: %s", what, text);
            break;
        }
        struct left x = left[l][send];
        if (at == -1 ? x.at != O_NONE && !x.in_call : (uint64_t)at != x.at) {
            wrong(t, "%s: '%.*s', expected to be left at %zd", what, (int)strcspn(text, "\n"), text, (ssize_t)x.at);
            break;
        }
    }
    if (f)
        fclose(f);
}

static void check_lefts(const struct trial *t)
{
    char slices[40];
    snprintf(slices, sizeof slices, "pipeline.slice=%" PRIu64, t->seed % 9 + 1);
    const char *const windows[] = {"pipeline.slice=0", slices};
    size_t n = t->trace->n_locations;
    struct left **left = o_alloc(n + 1, sizeof *left);
    for (size_t l = 0; l < n; l++)
        left[l] = lefts(&t->trace->location[l]);
    for (int i = 0; i < 2; i++)
        if (run_probe(t, "probe_leave", &windows[i], 1)) {
            compare_lefts(t, windows[i], left);
            expect_causal(t, windows[i]);
        }
    for (size_t l = 0; l < n; l++)
        free(left[l]);
    free(left);
}

/* -------------------------------------------------------------------------------------------------------- traces -- */

#define ALL (SINGLE | THREADS | RT_ATTRIBUTES | RT_METRICS)

static const struct kind kinds[] = {
    {"messages", 0, {.features = MESSAGES}},
    {"collectives", 0, {.features = COLLECTIVES}},
    {"threads", 0, {.features = RT_P2P | RT_COLLECTIVES | THREADS}},
    {"threads that communicate", 0, {.features = COMMUNICATING}},
    {"everything", 0, {.features = ALL}},
    {"clocks that are off, sparse ids",
     0,
     {.features = ALL, .clock_offset_ns = 1e9, .clock_drift_ppm = 100, .sparse_locations = 1, .sparse_regions = 1}},
    {"equal timestamps, shuffled definitions", 0, {.features = ALL, .equal_timestamps = 0.3, .shuffle_definitions = 1}},
    {"regions of its own for every rank", 0, {.features = SINGLE, .regions_per_rank = 1}},
    {"lost messages", 0, {.features = ALL, .lose_sends = 0.02, .lose_receives = 0.02}},
    {"requests that never complete", 0, {.features = ALL, .never_complete = 0.2}},
    {"processes of several ranks", 0, {.features = ALL, .ranks_per_process = 2, .clock_offset_ns = 1e6}},
    {"threads of such processes, of which nobody knows whose they are",
     0,
     {.features = RT_P2P | RT_NONBLOCKING | RT_ANY_SOURCE | RT_COLLECTIVES | RT_NB_COLLECTIVES | RT_DUP | RT_SELF |
                  RT_OPENMP | RT_MPI_THREADS,
      .ranks_per_process = 3}},
    {"locations that end early or have no events", 0, {.features = ALL, .end_early = 0.2, .empty_locations = 2}},
    {"anything", ANYTHING, {0}},
    {"anything, with threads that communicate", ANYTHING | THREADED, {0}},
    {"what few traces have", 0, {.features = ALL | RARE, .clock_offset_ns = 1e6}},
    {"anything, and what few traces have", ANYTHING | UNUSUAL, {0}},
    {"teams of all sizes", 0, {.features = ALL | RT_NESTED | RT_MPI_INSIDE | RT_TEAM_SIZES, .omp_threads = 5}},
    {"any thread of a process", 0, {.features = ALL | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES}},
    {"calls of threads that cross", 0, {.features = ALL | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES | RT_CROSSED}},
    {"anything, and any thread", ANYTHING | UNUSUAL | ANY_THREAD, {0}},
    {"persistent requests, some never complete",
     0,
     {.features = ALL | RT_PERSISTENT, .never_complete = 0.1, .ambiguous_loss = 1}},
    {"anything, and persistent requests", ANYTHING | UNUSUAL | PERSISTENT, {0}},
    {"locks of windows", 0, {.features = ALL | RT_RMA | RT_WINDOW_COLLECTIVES, .epochs = 1, .passive = 1}},
    {"communicators made again", 0, {.features = ALL | RT_MPI_THREADS, .reuse_comms = 1, .clock_offset_ns = 1e6}},
    {"collectives without data", 0, {.features = ALL, .empty_collectives = 1, .clock_offset_ns = 1e6}},
    {"calling contexts", 0, {.features = ALL | RARE, .contexts = 1, .clock_offset_ns = 1e6}},
    {"anything, and what is seen seldom", ANYTHING | UNUSUAL | SELDOM, {0}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void check_kind(const struct kind *k, uint64_t seed)
{
    static const uint64_t lookaheads[] = {4096, 4096, 4096, 1, 2, 7, 40, 300};
    struct trial t = {.seed = seed, .lookahead = 4096};
    struct random_trace_options o;
    uint64_t h = ~seed;
    snprintf(t.name, sizeof t.name, "%s %" PRIu64, k->name, seed);
    options_of(k, seed, seed % 7 + 2, 1, &o);
    o.seed = seed;
    o.events = 3000;
    const char *anchor = write_trace(&t, &o, "trace");
    if (anchor && load(&t, anchor, 1)) {
        check_windows(&t);
        check_lefts(&t);
        t.lookahead = lookaheads[draw(&h) % (sizeof lookaheads / sizeof *lookaheads)];
        unload(&t);
        if (t.lookahead != 4096 && load(&t, anchor, 1)) {
            check_windows(&t);
            check_full(&t);
        }
    }
    unload(&t);
}

/* Traces that something was found with. */
static void check_kept(void)
{
    static const struct kept kept[] = {
        /* little memory, all of it taken by a thread read far ahead for the sake of another thread of its rank */
        {"threads that communicate", 8000056},
        /* the same, read far ahead for a send while it is a receive that an event waits for */
        {"threads that communicate", 9000131},
        /* an inter-communicator of one process and others, known to each of them under another id */
        {"anything", 8000055},
        /* a thread that leaves a barrier without a record of that, and its barriers in later teams */
        {"anything, and what few traces have", 32},
        /* inter-communicators of the same processes in the same order, split in different places */
        {"anything, and what few traces have", 1880090020},
        /* little memory, and threads of a rank with many events in a tick of their clock, all read for the first one */
        {"anything, and any thread", 1880040163},
        {"anything, and any thread", 1880040176},
        /* members that come to a collective when others have been given up there: slices decided whether they wait */
        {"locations that end early or have no events", 1880070000},
        /* a member that is left alone in a barrier, whose own begin was a source or not */
        {"locations that end early or have no events", 1880070005},
        /* what was known of members behind the look-ahead */
        {"locations that end early or have no events", 1880070013},
        /* a member that has nothing to contribute, which its end shows, behind the look-ahead of where it waits */
        {"anything, and persistent requests", 2},
        /* an inter-communicator whose root's begin is not recorded, and a member of the other group that has ended */
        {"anything, and what is seen seldom", 154},
    };
    check_each_kept(kinds, KINDS, kept, sizeof kept / sizeof *kept, check_kind);
    result("traces that something was found with");
}

/* Where nothing is lost, nothing is given up. */
static void check_whole(void)
{
    static const struct kind all = {"everything", 0, {.features = ALL}};
    struct trial t = {.seed = 99, .name = "a complete trace", .lookahead = 4096};
    struct random_trace_options o;
    options_of(&all, t.seed, 6, 1, &o);
    o.seed = t.seed;
    o.events = 20000;
    const char *anchor = write_trace(&t, &o, "trace");
    size_t n;
    if (anchor && load(&t, anchor, 1) && (n = check_windows(&t)) > 0)
        wrong(&t, "%zu targets are given up", n);
    unload(&t);
    result("a complete trace of 20,000 events: nothing is given up");
}

int main(void)
{
    if (!trials_begin())
        return 1;
    check_each_kind(kinds, KINDS, 6, check_kind);
    if (!getenv("KIND")) {
        check_kept();
        check_whole();
    }
    return trials_end();
}
