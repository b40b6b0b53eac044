/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The command `oracle`: one subcommand for each question that a test may ask about a trace. Exit status 0 done,
 * 1 the answer is no (order) or the trace cannot be read, 2 usage. */
#include "causes.h"
#include "overhead.h"
#include "waits.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct options {
    const char *command, *trace, *file, *given_up, *classes, *knots, *times;
    uint64_t lookahead, bin_bytes, max_bins, time_bins;
    struct o_clc_options clc; /* its delays are those of violations, too */
    struct o_overhead_options overhead;
    struct o_loop_options loops;
    bool linear, presync, forward_only, jumps, trusting, scans, computation, handed_on, by_location, by_process;
};

static const char *const commands[] = {"match",      "violations", "health",    "order",      "profile",
                                       "dump",       "presync",    "clc",       "overhead",   "waits",
                                       "causes",     "critical",   "traffic",   "messages",   "time-profile",
                                       "loads",      "processes",  "comm-comp", "metrics",    "io",
                                       "iterations", "lateness",   "ppg",       "efficiency", "compare"};

static int usage(void)
{
    fputs("usage: oracle match|violations|profile|traffic|messages|time-profile|loads|processes|"
          "health|dump|presync|clc|overhead|waits|causes|critical|comm-comp|metrics|io|"
          "iterations|lateness|ppg|efficiency TRACE [options]\n"
          "       oracle order TRACE FILE [options]\n"
          "       oracle compare TRACE OTHER: times of the same events\n"
          "  --linear           times after linear interpolation of the clock offsets (libotf2's)\n"
          "  --by-location      traffic, metrics: of locations instead of processes, or of all\n"
          "  --by-process       messages, time-profile: of each process instead of all\n"
          "  --time-bins N      messages, time-profile, metrics, critical: bins of time (256)\n"
          "  --bin-bytes N (0: powers of two)  --max-bins N (1024): bins of sizes\n"
          "  --least N (4)  --share S (0.2)  --anchor REGION (none): iterations, with --time-bins as bins of them\n"
          "  --lookahead N      events between a posting and its completion (4096)\n"
          "  --trusting         edges of channels that are not to be trusted, too\n"
          "  --mu TICKS         clc, violations: minimum delay of messages and collectives (0)\n"
          "  --mu-class CLASS:DISTANCE:TICKS  of one class; same_process, same_node, other_node or any\n"
          "  --times OTHER      violations: edges of TRACE, times of OTHER\n"
          "  --given-up FILE    order: edges that need not hold\n"
          "  --edges CLASS,...  order, violations: these classes only\n"
          "  --knots FILE       presync, clc: CSV of location,time,offset,error instead of the archive's offsets\n"
          "  --presync          clc: behind the correction that presync prints\n"
          "  --delta TICKS (1)  --gamma G (0.99)  --slope S (0.05)  --max-interval TICKS (none): of clc\n"
          "  --max-events N (none): of clc, in front of a jump\n"
          "  --auto-gamma DECAY clc: gamma = auto, in ticks\n"
          "  --forward-only     clc: without backward amortization\n"
          "  --jumps            clc: the jumps instead of the times\n"
          "  --computation      causes: own time behind calls that communicate by itself\n"
          "  --handed-on        causes: all waits are handed on, whatever the one that waits waited itself\n"
          "  --scans            critical: the path goes through early scans\n"
          "  --event TICKS (0)  --kind KIND:TICKS ...  --attribute TICKS (0)  --metric-value TICKS (0)  --carry TICKS "
          "(0)\n"
          "  --copy SIZE:TICKS ...  --mode lower|upper|mean  --paper  --common  --keep-off\n"
          "  --rendezvous BYTES|synchronous  --handshake TICKS: of overhead\n",
          stderr);
    return 2;
}

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0';
}

static bool parse(struct options *o, int argc, char **argv)
{
    const char **positional[] = {&o->command, &o->trace, &o->file};
    size_t n = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool takes_value = true, ok = true;
        int taken = o_overhead_option(&o->overhead, argv[i], value);
        if (taken < 0)
            return false;
        i += taken == 2;
        if (taken)
            continue;
        if (!strcmp(argv[i], "--lookahead"))
            ok = parse_number(value, &o->lookahead);
        else if (!strcmp(argv[i], "--bin-bytes"))
            ok = parse_number(value, &o->bin_bytes);
        else if (!strcmp(argv[i], "--max-bins"))
            ok = parse_number(value, &o->max_bins);
        else if (!strcmp(argv[i], "--time-bins"))
            ok = parse_number(value, &o->time_bins);
        else if (!strcmp(argv[i], "--least"))
            ok = parse_number(value, &o->loops.least);
        else if (!strcmp(argv[i], "--share"))
            ok = value && (o->loops.share = strtod(value, NULL)) >= 0;
        else if (!strcmp(argv[i], "--anchor"))
            ok = (o->loops.anchor = value) != NULL;
        else if (!strcmp(argv[i], "--mu"))
            ok = o_set_delay(&o->clc.delays, value);
        else if (!strcmp(argv[i], "--mu-class"))
            ok = o_set_class_delay(&o->clc.delays, value);
        else if (!strcmp(argv[i], "--delta"))
            ok = parse_number(value, &o->clc.delta);
        else if (!strcmp(argv[i], "--auto-gamma"))
            ok = parse_number(value, &o->clc.decay) && o->clc.decay > 0;
        else if (!strcmp(argv[i], "--gamma"))
            ok = o_fraction(value, true, &o->clc.gamma);
        else if (!strcmp(argv[i], "--slope"))
            ok = o_fraction(value, false, &o->clc.slope);
        else if (!strcmp(argv[i], "--max-interval"))
            ok = parse_number(value, &o->clc.max_interval);
        else if (!strcmp(argv[i], "--max-events"))
            ok = parse_number(value, &o->clc.max_events);
        else if (!strcmp(argv[i], "--knots"))
            ok = (o->knots = value) != NULL;
        else if (!strcmp(argv[i], "--times"))
            ok = (o->times = value) != NULL;
        else if (!strcmp(argv[i], "--given-up"))
            ok = (o->given_up = value) != NULL;
        else if (!strcmp(argv[i], "--edges"))
            ok = (o->classes = value) != NULL;
        else
            takes_value = false;
        if (!ok)
            return false;
        if (takes_value)
            i++;
        else if (!strcmp(argv[i], "--scans"))
            o->scans = true;
        else if (!strcmp(argv[i], "--computation"))
            o->computation = true;
        else if (!strcmp(argv[i], "--handed-on"))
            o->handed_on = true;
        else if (!strcmp(argv[i], "--linear"))
            o->linear = true;
        else if (!strcmp(argv[i], "--trusting"))
            o->trusting = true;
        else if (!strcmp(argv[i], "--by-location"))
            o->by_location = true;
        else if (!strcmp(argv[i], "--by-process"))
            o->by_process = true;
        else if (!strcmp(argv[i], "--presync"))
            o->presync = true;
        else if (!strcmp(argv[i], "--forward-only"))
            o->forward_only = true;
        else if (!strcmp(argv[i], "--jumps"))
            o->jumps = true;
        else if (!strncmp(argv[i], "--", 2) || n == sizeof positional / sizeof *positional)
            return false;
        else
            *positional[n++] = argv[i];
    }
    if (!o->command || !o->trace)
        return false;
    return (!strcmp(o->command, "order") || !strcmp(o->command, "compare")) == (o->file != NULL);
}

static int violations(const struct options *o, const struct o_matching *m)
{
    bool classes[O_CLASSES];
    struct o_trace *other = NULL;
    if (!o_choose_classes(classes, o->classes))
        return 2;
    if (o->times && !(other = o_load(o->times, false)))
        return 1;
    uint64_t **times = other ? o_times_of(m->trace, other) : o_times(m->trace);
    if (times)
        o_print_violations(m, times, &o->clc.delays, classes);
    int status = times ? 0 : 1;
    o_free_times(m->trace, times);
    o_unload(other);
    return status;
}

/* The times that a correction starts from, and the stop times; false after a message. */
static bool start_times(const struct options *o, const struct o_trace *trace, bool presync, uint64_t ***times,
                        uint64_t ***stops)
{
    struct o_knots knots = {NULL};
    bool ok = !presync || (o->knots ? o_read_knots(trace, o->knots, &knots) : o_archive_knots(trace, &knots));
    if (ok) {
        *times = presync ? o_presync_times(trace, &knots) : o_times(trace);
        *stops = o_stops(trace);
        if (presync)
            o_presync_stops(trace, &knots, *stops);
    }
    o_free_knots(trace, &knots);
    return ok;
}

static int presync(const struct options *o, const struct o_trace *trace)
{
    uint64_t **times, **stops;
    if (!start_times(o, trace, true, &times, &stops))
        return 1;
    o_print_times(trace, times, stops);
    o_free_times(trace, times);
    o_free_times(trace, stops);
    return 0;
}

static int clc(const struct options *o, const struct o_matching *m)
{
    uint64_t **times, **stops;
    struct o_clc clc;
    if (!start_times(o, m->trace, o->presync || o->knots, &times, &stops))
        return 1;
    o_clc_forward(&clc, m, times, stops, &o->clc);
    if (!o->forward_only)
        o_clc_backward(&clc);
    o_print_clc_notes(&clc);
    if (o->jumps)
        o_print_jumps(&clc);
    else
        o_print_times(m->trace, o->forward_only ? clc.forward : clc.current, clc.stop);
    o_clc_free(&clc);
    o_free_times(m->trace, times);
    return 0;
}

static int overhead(const struct options *o, const struct o_matching *m)
{
    struct o_compensation result;
    bool ok = o_compensate(m, &o->overhead, &result);
    if (ok) {
        o_print_times(m->trace, result.approximated, result.stop);
        printf("#decisions %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", result.m1, result.m2, result.a1,
               result.a2);
    }
    o_compensation_free(m->trace, &result);
    return ok ? 0 : 1;
}

static int waits(const struct options *o, const struct o_matching *m)
{
    struct o_waits w;
    o_waits(&w, m);
    if (!strcmp(o->command, "waits"))
        o_print_waits(&w);
    else if (!strcmp(o->command, "causes"))
        o_print_causes(&w, o->computation, !o->handed_on);
    else if (!strcmp(o->command, "lateness"))
        o_print_lateness(&w);
    else if (!strcmp(o->command, "ppg"))
        o_print_ppg(&w);
    else
        o_print_critical_path(&w, o->scans, o->time_bins);
    o_waits_free(&w);
    return 0;
}

static int run_matched(const struct options *o, const struct o_trace *trace)
{
    struct o_matching *m = o_match_with(trace, o->lookahead, o->trusting);
    int status = 0;
    if (!strcmp(o->command, "match"))
        o_print_match(m);
    else if (!strcmp(o->command, "violations"))
        status = violations(o, m);
    else if (!strcmp(o->command, "clc"))
        status = clc(o, m);
    else if (!strcmp(o->command, "overhead"))
        status = overhead(o, m);
    else if (!strcmp(o->command, "waits") || !strcmp(o->command, "causes") || !strcmp(o->command, "critical") ||
             !strcmp(o->command, "lateness") || !strcmp(o->command, "ppg"))
        status = waits(o, m);
    else if (!strcmp(o->command, "comm-comp"))
        o_print_comm_comp(m);
    else if (!strcmp(o->command, "efficiency"))
        o_print_efficiency(m, &o->loops);
    else if (!strcmp(o->command, "health"))
        o_print_health(m);
    else
        status = o_check_order(m, o->file, o->given_up, o->classes, stdout);
    o_match_free(m);
    return status;
}

static int compare(const struct options *o, const struct o_trace *trace)
{
    struct o_trace *other = o_load(o->file, o->linear);
    int status = other ? o_print_comparison(trace, other) : 1;
    o_unload(other);
    return status;
}

/* libotf2 clears megabytes for each location, which in small pages takes most of the time of a small trace. */
static void use_large_pages(void)
{
    enum { AHEAD = 64 << 20, LARGEST = 32 << 20, PAGE = 4096 };
    mallopt(M_MMAP_THRESHOLD, LARGEST);
    mallopt(M_TRIM_THRESHOLD, AHEAD);
    mallopt(M_TOP_PAD, AHEAD);
    char *first = malloc(LARGEST / 2), *end = sbrk(0);
    if (first && first < end)
        madvise(first + (PAGE - (uintptr_t)first % PAGE), (size_t)(end - first) / PAGE * PAGE - PAGE, MADV_HUGEPAGE);
    free(first);
}

int main(int argc, char **argv)
{
    struct options o = {.lookahead = 4096,
                        .max_bins = 1024,
                        .time_bins = 256,
                        .loops = {.least = 4, .share = 0.2, .evenness = 0.5, .likeness = 0.8}};
    size_t command = 0, n = sizeof commands / sizeof *commands;
    use_large_pages();
    o_clc_defaults(&o.clc);
    if (!parse(&o, argc, argv))
        return usage();
    o.loops.bins = o.time_bins;
    if (o.loops.anchor)
        o.loops = (struct o_loop_options){.anchor = o.loops.anchor, .least = 2, .bins = o.time_bins};
    while (command < n && strcmp(commands[command], o.command))
        command++;
    if (command == n)
        return usage();
    struct o_trace *trace = o_load(o.trace, o.linear);
    if (!trace)
        return 1;
    int status = 0;
    if (!strcmp(o.command, "profile"))
        o_print_profile(trace);
    else if (!strcmp(o.command, "traffic"))
        o_print_traffic(trace, o.by_location);
    else if (!strcmp(o.command, "messages"))
        o_print_messages(trace, o.bin_bytes, o.max_bins, o.time_bins, o.by_process);
    else if (!strcmp(o.command, "loads"))
        o_print_loads(trace);
    else if (!strcmp(o.command, "processes"))
        o_print_processes(trace);
    else if (!strcmp(o.command, "iterations"))
        o_print_iterations(trace, &o.loops);
    else if (!strcmp(o.command, "time-profile"))
        o_print_time_profile(trace, o.time_bins, o.by_process);
    else if (!strcmp(o.command, "metrics"))
        o_print_metrics(trace, o.time_bins, o.by_location);
    else if (!strcmp(o.command, "io"))
        o_print_io(trace);
    else if (!strcmp(o.command, "dump"))
        o_print_dump(trace);
    else if (!strcmp(o.command, "presync"))
        status = presync(&o, trace);
    else if (!strcmp(o.command, "compare"))
        status = compare(&o, trace);
    else
        status = run_matched(&o, trace);
    o_unload(trace);
    free(o.overhead.copy.item);
    return status;
}
