/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* timeline's tables of results. */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct work {
    tcf_self *self;
    uint64_t first, last; /* times of the run */
} work;

static void find_run(work *w)
{
    w->first = UINT64_MAX;
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++) {
        const place *p = place_of(w->self, l);
        if (!p->started)
            continue;
        w->first = p->first < w->first ? p->first : w->first;
        w->last = p->last > w->last ? p->last : w->last;
    }
}

static uint64_t location_id(const work *w, uint32_t location)
{
    return tcf_location_at(w->self->defs, location)->id;
}

/* A row of any of the tables; each table has columns for some of the members. */
typedef struct row {
    uint64_t window, location, begin, end, cut, from, to;
    const char *pattern, *partner, *process, *name;
    tcf_worst_wait wait;
    item of;
} row;

#define AT(member) TCF_AT(row, member)

/* ------------------------------------------------------------------------------------------------------- windows -- */

static void report_windows(const work *w)
{
    static const tcf_table_column columns[] =
        {{"window", AT(window), NULL, "Its number; 1 has the longest wait"},
         {"begin_s", AT(begin) | TCF_CELL_WHEN, "s", "Begin of what is shown, since the start of the trace"},
         {"end_s", AT(end) | TCF_CELL_WHEN, "s", "End of what is shown"},
         {"pattern", AT(pattern), NULL, "Name of the pattern, as wait_states has it"},
         {"waiting_s", AT(wait.length) | TCF_CELL_SECONDS, "s", "How long was waited"},
         {"from_s", AT(wait.from) | TCF_CELL_WHEN, "s", "Since when, since the start of the trace"},
         {"location", AT(location), NULL, "Id of the location that waited"},
         {"partner", AT(partner), NULL, "Id of the location that it waited for; empty: nobody in particular"},
         {"begin", AT(begin) | TCF_CELL_DETAIL, "ticks", "begin_s in ticks, by the clock of the trace"},
         {"end", AT(end) | TCF_CELL_DETAIL, "ticks", "end_s in ticks"},
         {"from", AT(wait.from) | TCF_CELL_DETAIL, "ticks", "from_s in ticks"},
         {"waiting", AT(wait.length) | TCF_CELL_DETAIL, "ticks", "waiting_s in ticks"}};
    const state *st = w->self->state;
    tcf_table *t = TCF_TABLE(w->self, "windows", "Windows around the longest waits", columns);
    for (uint32_t i = 0; i < st->n_windows; i++) {
        const window *x = &st->windows[i];
        char partner[24] = "";
        if (x->wait.cause_location != TCF_NONE)
            snprintf(partner, sizeof partner, "%" PRIu64, location_id(w, x->wait.cause_location));
        tcf_row(w->self, t,
                &(row){.window = i + 1,
                       .begin = x->begin > w->first ? x->begin : w->first,
                       .end = x->end < w->last ? x->end : w->last,
                       .pattern = x->wait.pattern,
                       .wait = x->wait,
                       .location = location_id(w, x->wait.location),
                       .partner = partner});
    }
}

static void report_locations(const work *w)
{
    static const tcf_table_column columns[] = {{"window", AT(window), NULL, "Number of the window"},
                                               {"location", AT(location), NULL,
                                                "Id of a location that is shown, from the top"},
                                               {"process", AT(process), NULL, "Name of its location group"},
                                               {"name", AT(name), NULL, "Its name"}};
    const state *st = w->self->state;
    const tcf_definitions *defs = w->self->defs;
    tcf_table *t = TCF_TABLE(w->self, "locations", "Locations of the windows", columns);
    for (uint32_t i = 0; i < st->n_windows; i++)
        for (uint32_t k = 0; k < st->windows[i].n_locations; k++) {
            const tcf_location *l = tcf_location_at(defs, st->windows[i].location[k]);
            const char *process = tcf_process_name(defs, st->windows[i].location[k], "");
            tcf_row(w->self, t,
                    &(row){.window = i + 1,
                           .location = l->id,
                           .process = process ? process : "",
                           .name = l->name ? l->name : ""});
        }
}

/* ----------------------------------------------------------------------------------------------------- intervals -- */

static const char *region_name(const tcf_self *self, uint64_t what)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t region = call_region(defs, what);
    const char *name = region < defs->n_regions ? tcf_region_at(defs, region)->name : NULL;
    return name ? name : "(undefined)";
}

enum { CUT_BEGIN = 1, CUT_END = 2 };

static void interval_row(const work *w, tcf_table *t, uint32_t number, uint32_t location, const item *x)
{
    const window *at = &((const state *)w->self->state)->windows[number];
    const uint64_t cut = (x->begin < at->begin ? CUT_BEGIN : 0u) | (x->end > at->end ? CUT_END : 0u);
    const uint64_t begin = cut & CUT_BEGIN ? at->begin : x->begin, end = cut & CUT_END ? at->end : x->end;
    tcf_row(w->self, t,
            &(row){.window = number + 1,
                   .location = location_id(w, location),
                   .of = *x,
                   .name = region_name(w->self, x->what),
                   .begin = begin,
                   .end = end,
                   .cut = cut});
}

static void report_intervals(const work *w)
{
    static const tcf_table_column columns[] =
        {{"window", AT(window), NULL, "Number of the window"},
         {"location", AT(location), NULL, "Id of the location"},
         {"depth", AT(of.depth), NULL, "How many calls are around it"},
         {"region", AT(name), NULL, "What is called"},
         {"begin_s", AT(begin) | TCF_CELL_WHEN, "s", "Enter, since the start of the trace, or begin of the window"},
         {"end_s", AT(end) | TCF_CELL_WHEN, "s", "Leave, or end of the window"},
         {"cut", AT(cut), NULL, "1: it was entered before the window, 2: it is left behind it, 3: both"},
         {"begin", AT(begin) | TCF_CELL_DETAIL, "ticks", "begin_s in ticks, by the clock of the trace"},
         {"end", AT(end) | TCF_CELL_DETAIL, "ticks", "end_s in ticks"}};
    state *st = w->self->state;
    tcf_table *t = TCF_TABLE(w->self, "intervals", "Calls in the windows", columns);
    for (uint32_t i = 0; i < st->n_windows; i++)
        for (uint32_t k = 0; k < st->windows[i].n_locations; k++) {
            items *calls = &st->windows[i].calls[k];
            sort_items(calls);
            for (uint32_t n = 0; n < calls->n; n++)
                interval_row(w, t, i, st->windows[i].location[k], &calls->at[n]);
        }
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void report_messages(const work *w)
{
    static const tcf_table_column columns[] =
        {{"window", AT(window), NULL, "Number of the window"},
         {"from", AT(from), NULL, "Id of the location that sent it"},
         {"to", AT(to), NULL, "Id of the location that received it"},
         {"sent_s", AT(of.begin) | TCF_CELL_WHEN, "s", "When, since the start of the trace; may be before the window"},
         {"received_s", AT(of.end) | TCF_CELL_WHEN, "s", "When; may be behind the window"},
         {"bytes", AT(of.bytes), "bytes", "As the receiver recorded it"},
         {"sent", AT(of.begin) | TCF_CELL_DETAIL, "ticks", "sent_s in ticks, by the clock of the trace"},
         {"received", AT(of.end) | TCF_CELL_DETAIL, "ticks", "received_s in ticks"}};
    state *st = w->self->state;
    tcf_table *t = TCF_TABLE(w->self, "messages", "Messages in the windows", columns);
    for (uint32_t i = 0; i < st->n_windows; i++) {
        items *messages = &st->windows[i].messages;
        sort_items(messages);
        for (uint32_t n = 0; n < messages->n; n++) {
            const item *x = &messages->at[n];
            tcf_row(w->self, t,
                    &(row){.window = i + 1,
                           .from = location_id(w, (uint32_t)(x->order >> 32)),
                           .to = location_id(w, (uint32_t)x->order),
                           .of = *x});
        }
    }
}

/* --------------------------------------------------------------------------------------------------------- notes -- */

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    uint64_t calls = 0, messages = 0, too_deep = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        too_deep += place_of(self, l)->calls.not_entered;
    for (uint32_t i = 0; i < st->n_windows; i++) {
        messages += st->windows[i].messages.dropped;
        for (uint32_t k = 0; k < st->windows[i].n_locations; k++)
            calls += st->windows[i].calls[k].dropped;
    }
    if (st->skipped > 0)
        self->host->log(self, TCF_LOG_INFO, "%" PRIu64 " long waits are seen in the windows of longer ones",
                        st->skipped);
    if (calls > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " calls are left out, for a location has more than max_intervals "
                        "= %" PRId64 " in a window; the longest were kept",
                        calls, c->max_intervals);
    if (messages > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " messages are left out, for there are more than max_messages = "
                        "%" PRId64 " in a window; those longest on their way were kept",
                        messages, c->max_messages);
    tcf_warn(self, too_deep, "calls are not shown, for too many are open around them");
}

tcf_status timeline_report(tcf_self *self)
{
    work w = {.self = self};
    find_run(&w);
    report_windows(&w);
    report_locations(&w);
    report_intervals(&w);
    report_messages(&w);
    tell(self);
    return TCF_OK;
}
