/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See info.h. Numbers of events come from the headers of event files, which are right where definitions are wrong. */
#include "info.h"
#include "framework/base/error.h"
#include "framework/base/terminal.h"
#include "framework/base/units.h"
#include "framework/trace/records.h"

#include <inttypes.h>
#include <math.h>
#include <private/scaled.h>
#include <private/terminal.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>
#include <tcflow/processes.h>

enum { MOST_NODES = 10 };

/* Locations of a node. */
typedef struct node {
    uint32_t node; /* index of the system tree node; TCF_NONE: unknown */
    uint32_t threads, streams, metrics, others;
    uint64_t events;
} node;

typedef struct facts {
    const source *src;
    const tcf_definitions *defs;
    node *nodes;
    uint32_t n_nodes, n_measured, most_offsets, silent;
    uint64_t events, stated;
    int64_t first, last; /* as source_extent() has them */
    uint32_t known;      /* locations whose event files tell their events */
    uint32_t unread;     /* locations whose event files should and do not */
} facts;

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* ----------------------------------------------------------------------------------------------------- gathering -- */

static int order_nodes(const void *a, const void *b)
{
    const node *x = a, *y = b;
    return TCF_ORDER(x->node, y->node);
}

static void add_location(facts *f, const tcf_location *l, uint64_t events)
{
    node *n = &f->nodes[f->n_nodes++];

    *n = (node){.node = l->node, .events = events};
    *(l->type == TCF_CPU_THREAD           ? &n->threads
      : l->type == TCF_ACCELERATOR_STREAM ? &n->streams
      : l->type == TCF_METRIC_LOCATION    ? &n->metrics
                                          : &n->others) = 1;
}

/* Adds up the entries of each node. */
static void join_nodes(facts *f)
{
    uint32_t n = 0;

    tcf_sort(f->nodes, f->n_nodes, sizeof *f->nodes, order_nodes);
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        const node one = f->nodes[i];
        if (n == 0 || f->nodes[n - 1].node != one.node) {
            f->nodes[n++] = one;
            continue;
        }
        node *to = &f->nodes[n - 1];
        to->threads += one.threads;
        to->streams += one.streams;
        to->metrics += one.metrics;
        to->others += one.others;
        to->events += one.events;
    }
    f->n_nodes = n;
}

static tcf_status gather(facts *f)
{
    const tcf_definitions *defs = f->defs;

    f->nodes = calloc(defs->n_locations + 1u, sizeof *f->nodes);
    if (!f->nodes)
        return error_fail("out of memory for %u locations", defs->n_locations);
    for (uint32_t i = 0; i < defs->n_locations; i++) {
        const tcf_location *l = &defs->locations[i];
        source_ends ends = {0};
        const int known = source_ends_of(f->src, i, &ends);
        if (known)
            source_extent_add(f->src, i, &ends, &f->first, &f->last);
        const uint64_t events = known ? ends.events : l->silent ? 0 : l->events;
        f->known += known || l->silent;
        f->unread += !known && !l->silent && f->src->ops->ends != NULL;
        f->silent += l->silent;
        f->events += events;
        f->stated += l->events;
        f->n_measured += l->n_clock_offsets > 0;
        f->most_offsets = l->n_clock_offsets > f->most_offsets ? l->n_clock_offsets : f->most_offsets;
        add_location(f, l, events);
    }
    join_nodes(f);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ printing -- */

/* On a terminal in lines that fit it. */
static void put(FILE *out, const char *name, const char *text)
{
    enum { INDENT = 12, LEAST = 20 };
    const size_t width = terminal_width(fileno(out));

    fprintf(out, "%-*s", INDENT, name);
    if (width >= INDENT + LEAST)
        terminal_put_wrapped(out, text, width - INDENT, INDENT);
    else
        tcf_terminal_put(out, text, "");
    putc('\n', out);
}

static void print_size(FILE *out, const facts *f)
{
    uint64_t bytes, total;
    char text[TCF_SCALED_BYTES], line[160], events[32], stated[32];

    source_progress(f->src, &bytes, &total);
    const int known = f->known == f->defs->n_locations;
    units_grouped(f->events, events);
    if (known && f->stated != f->events)
        snprintf(line, sizeof line, "%s; the definitions state %s, which is wrong", events,
                 units_grouped(f->stated, stated));
    else
        snprintf(line, sizeof line, "%s%s", events, known ? "" : " (stated)");
    put(out, "Events", line);
    if (total > 0) {
        snprintf(line, sizeof line, "%s of event files", tcf_scaled((double)total, "B", 1024, text));
        put(out, "Size", line);
    }
}

static void print_duration(FILE *out, const facts *f)
{
    const tcf_clock *clock = &f->defs->clock;
    const double stated = (double)clock->length / (double)clock->resolution;
    char line[256], a[TCF_SCALED_BYTES], b[TCF_SCALED_BYTES];

    if (f->first <= f->last) {
        const double length = ((double)f->last - (double)f->first) / (double)clock->resolution;
        const int differs = fabs(length - stated) > 0.005 * (length > stated ? length : stated);
        snprintf(line, sizeof line, "%s, from the first to the last event%s%s%s", tcf_scaled_seconds(length, a),
                 f->n_measured > 0 ? " by the recorded clock offsets" : "", differs ? "; the archive states " : "",
                 differs ? tcf_scaled_seconds(stated, b) : "");
    } else {
        snprintf(line, sizeof line, "%s, as the input states it", tcf_scaled_seconds(stated, a));
    }
    put(out, "Duration", line);
}

static void print_clocks(FILE *out, const facts *f, uint32_t processes)
{
    const tcf_clock *clock = &f->defs->clock;
    char line[256], hertz[TCF_SCALED_BYTES];

    tcf_scaled((double)clock->resolution, "Hz", 1000, hertz);
    if (f->n_measured == 0 && processes > 1)
        snprintf(line, sizeof line, "%s; no offsets recorded: processes may disagree (tcflow check, tcflow correct)",
                 hertz);
    else if (f->n_measured == 0)
        snprintf(line, sizeof line, "%s; no offsets recorded", hertz);
    else
        snprintf(line, sizeof line, "%s; offsets recorded for %u of %u locations, up to %u of each", hertz,
                 f->n_measured, f->defs->n_locations, f->most_offsets);
    put(out, "Clocks", line);
}

static void print_nodes(FILE *out, const facts *f)
{
    char line[512], events[32];

    for (uint32_t i = 0; i < f->n_nodes && i < MOST_NODES; i++) {
        const node *n = &f->nodes[i];
        const char *name = n->node < f->defs->n_system_tree_nodes ? f->defs->system_tree_nodes[n->node].name : NULL;
        int used = snprintf(line, sizeof line, "%s: %u thread%s", name ? name : "(unknown node)", n->threads,
                            plural(n->threads));
        if (n->streams > 0 && used < (int)sizeof line)
            used += snprintf(line + used, sizeof line - (size_t)used, ", %u accelerator stream%s", n->streams,
                             plural(n->streams));
        if (n->metrics + n->others > 0 && used < (int)sizeof line)
            used += snprintf(line + used, sizeof line - (size_t)used, ", %u of other kinds", n->metrics + n->others);
        if (used < (int)sizeof line)
            snprintf(line + used, sizeof line - (size_t)used, ", %s event%s", units_grouped(n->events, events),
                     plural(n->events));
        put(out, i == 0 ? "Nodes" : "", line);
    }
    if (f->n_nodes > MOST_NODES) {
        snprintf(line, sizeof line, "... and %u more", f->n_nodes - MOST_NODES);
        put(out, "", line);
    }
}

static void print_regions(FILE *out, const facts *f)
{
    const tcf_definitions *defs = f->defs;
    uint32_t of[256] = {0};
    char line[1024];
    int used = snprintf(line, sizeof line, "%u region%s", defs->n_regions, plural(defs->n_regions));

    for (uint32_t i = 0; i < defs->n_regions; i++)
        of[defs->regions[i].paradigm]++;
    for (uint32_t k = 0, any = 0; k < 256; k++) {
        const char *name = of[k] > 0 ? otf2_enum_name("PARADIGM", k) : NULL;
        if (of[k] > 0 && used < (int)sizeof line)
            used += snprintf(line + used, sizeof line - (size_t)used, "%s%u %s", any++ ? ", " : ": ", of[k],
                             name ? name : "of an unknown paradigm");
    }
    if (used < (int)sizeof line)
        snprintf(line + used, sizeof line - (size_t)used, "; %u communicator%s, %u metric%s", defs->n_comms,
                 plural(defs->n_comms), defs->n_metrics, plural(defs->n_metrics));
    put(out, "Defined", line);
}

tcf_status info_print(FILE *out, const session *s)
{
    facts f = {.src = session_source(s),
               .defs = source_definitions(session_source(s)),
               .first = INT64_MAX,
               .last = INT64_MIN};
    tcf_processes processes = {0};
    char line[512];

    if (gather(&f) != TCF_OK || tcf_processes_find(&processes, f.defs) != 0) {
        free(f.nodes);
        return error_fail("out of memory for what is known of the trace");
    }
    put(out, "Trace", f.defs->archive);
    if (f.defs->creator && *f.defs->creator) {
        snprintf(line, sizeof line, "%s%s%s", f.defs->creator, f.defs->machine && *f.defs->machine ? ", on " : "",
                 f.defs->machine ? f.defs->machine : "");
        put(out, "Written by", line);
    }
    snprintf(line, sizeof line, "%u process%s, %u location%s%s", processes.n, processes.n == 1 ? "" : "es",
             f.defs->n_locations, plural(f.defs->n_locations), f.silent > 0 ? ", some without events" : "");
    put(out, "Processes", line);
    print_nodes(out, &f);
    print_duration(out, &f);
    print_size(out, &f);
    print_clocks(out, &f, processes.n);
    print_regions(out, &f);
    tcf_processes_free(&processes);
    free(f.nodes);
    if (f.unread > 0)
        return error_fail(
            "the event files of %u of %u locations can't be read from end to end, so what they hold is not "
            "known; tcflow check says what is wrong",
            f.unread, f.defs->n_locations);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ counting -- */

typedef struct counts {
    uint64_t of[TCF_EVENT_KINDS + 1];
} counts;

static tcf_status count_slice(tcf_self *self, tcf_slice *s)
{
    counts *c = self->state;

    for (uint32_t i = 0; i < s->n; i++)
        c->of[s->kind[i] <= TCF_EVENT_KINDS ? s->kind[i] : 0]++;
    return TCF_OK;
}

static tcf_status count_end(tcf_self *self)
{
    static const char *const names[TCF_EVENT_KINDS + 1] = {
#define NO_FIELD(...)
#define E(number, NAME, Name, name, FIELDS) [number] = #Name,
        TCF_EVENT_TABLE(E, NO_FIELD, NO_FIELD, NO_FIELD)
#undef E
    };
    const counts *c = self->state;
    uint64_t all = c->of[0];
    char number[32];

    for (uint32_t k = 1; k <= TCF_EVENT_KINDS; k++)
        all += c->of[k];
    printf("\n%14s  events that were read, by kind\n", units_grouped(all, number));
    for (uint32_t k = 1; k <= TCF_EVENT_KINDS; k++)
        if (c->of[k] > 0)
            printf("%14s  %s\n", units_grouped(c->of[k], number), names[k] ? names[k] : "?");
    return TCF_OK;
}

static const tcf_filter count_filter = {
    .head = TCF_FILTER_HEAD,
    .name = INFO_FILTER,
    .version = "1.0",
    .summary = "Counts events by kind",
    .help = "For tcflow info --count.",
    .state_size = sizeof(counts),
    .slice = count_slice,
    .end = count_end,
};
const tcf_filter *const info_filters[] = {&count_filter, NULL};
