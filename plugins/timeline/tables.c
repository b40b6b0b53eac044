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

static tcf_table *start(const work *w, const char *name, const char *title, const tcf_table_column *columns, uint32_t n)
{
    return w->self->host->table(w->self, name, title, columns, n);
}

/* ------------------------------------------------------------------------------------------------------- windows -- */

static int report_windows(const work *w)
{
    static const tcf_table_column columns[] =
        {{"window", TCF_CELL_UINT, NULL, "Its number; 1 has the longest wait"},
         {"begin_s", TCF_CELL_DOUBLE, "s", "Begin of what is shown, since the start of the trace"},
         {"end_s", TCF_CELL_DOUBLE, "s", "End of what is shown"},
         {"pattern", TCF_CELL_TEXT, NULL, "Name of the pattern, as wait_states has it"},
         {"waiting_s", TCF_CELL_DOUBLE, "s", "How long was waited"},
         {"from_s", TCF_CELL_DOUBLE, "s", "Since when, since the start of the trace"},
         {"location", TCF_CELL_UINT, NULL, "Id of the location that waited"},
         {"partner", TCF_CELL_TEXT, NULL, "Id of the location that it waited for; empty: nobody in particular"},
         {"begin", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As begin_s, by the clock of the trace"},
         {"end", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As end_s"},
         {"from", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As from_s"},
         {"waiting", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As waiting_s"}};
    const state *st = w->self->state;
    tcf_table *t = start(w, "windows", "Windows around the longest waits", columns, TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < st->n_windows; i++) {
        const window *x = &st->windows[i];
        const uint64_t begin = x->begin > w->first ? x->begin : w->first, end = x->end < w->last ? x->end : w->last;
        char partner[24] = "";
        if (x->wait.cause_location != TCF_NONE)
            snprintf(partner, sizeof partner, "%" PRIu64, location_id(w, x->wait.cause_location));
        w->self->host->row(t,
                           (const tcf_cell[]){tcf_uint(i + 1), tcf_when(w->self, begin), tcf_when(w->self, end),
                                              tcf_text(x->wait.pattern), tcf_seconds(w->self, (double)x->wait.length),
                                              tcf_when(w->self, x->wait.from),
                                              tcf_uint(location_id(w, x->wait.location)), tcf_text(partner),
                                              tcf_uint(begin), tcf_uint(end), tcf_uint(x->wait.from),
                                              tcf_uint(x->wait.length)});
    }
    return t ? 0 : -1;
}

static int report_locations(const work *w)
{
    static const tcf_table_column columns[] = {{"window", TCF_CELL_UINT, NULL, "Number of the window"},
                                               {"location", TCF_CELL_UINT, NULL,
                                                "Id of a location that is shown, from the top"},
                                               {"process", TCF_CELL_TEXT, NULL, "Name of its location group"},
                                               {"name", TCF_CELL_TEXT, NULL, "Its name"}};
    const state *st = w->self->state;
    const tcf_definitions *defs = w->self->defs;
    tcf_table *t = start(w, "locations", "Locations of the windows", columns, TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < st->n_windows; i++)
        for (uint32_t k = 0; k < st->windows[i].n_locations; k++) {
            const tcf_location *l = tcf_location_at(defs, st->windows[i].location[k]);
            const char *process =
                l->group < defs->n_location_groups ? tcf_location_group_at(defs, l->group)->name : NULL;
            w->self->host->row(t, (const tcf_cell[]){tcf_uint(i + 1), tcf_uint(l->id), tcf_text(process ? process : ""),
                                                     tcf_text(l->name ? l->name : "")});
        }
    return t ? 0 : -1;
}

/* ----------------------------------------------------------------------------------------------------- intervals -- */

static const char *region_name(const tcf_self *self, uint64_t what)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t region = what & CALL_OF_CONTEXT ? tcf_region_of_context(defs, (uint32_t)what) : (uint32_t)what;
    const char *name = region < defs->n_regions ? tcf_region_at(defs, region)->name : NULL;
    return name ? name : "(undefined)";
}

enum { CUT_BEGIN = 1, CUT_END = 2 };

static void interval_row(const work *w, tcf_table *t, uint32_t number, uint32_t location, const item *x)
{
    const window *at = &((const state *)w->self->state)->windows[number];
    const uint64_t cut = (x->begin < at->begin ? CUT_BEGIN : 0u) | (x->end > at->end ? CUT_END : 0u);
    const uint64_t begin = cut & CUT_BEGIN ? at->begin : x->begin, end = cut & CUT_END ? at->end : x->end;
    w->self->host->row(t,
                       (const tcf_cell[]){tcf_uint(number + 1), tcf_uint(location_id(w, location)), tcf_uint(x->depth),
                                          tcf_text(region_name(w->self, x->what)), tcf_when(w->self, begin),
                                          tcf_when(w->self, end), tcf_uint(cut), tcf_uint(begin), tcf_uint(end)});
}

static int report_intervals(const work *w)
{
    static const tcf_table_column columns[] =
        {{"window", TCF_CELL_UINT, NULL, "Number of the window"},
         {"location", TCF_CELL_UINT, NULL, "Id of the location"},
         {"depth", TCF_CELL_UINT, NULL, "How many calls are around it"},
         {"region", TCF_CELL_TEXT, NULL, "What is called"},
         {"begin_s", TCF_CELL_DOUBLE, "s", "Enter, since the start of the trace, or begin of the window"},
         {"end_s", TCF_CELL_DOUBLE, "s", "Leave, or end of the window"},
         {"cut", TCF_CELL_UINT, NULL, "1: it was entered before the window, 2: it is left behind it, 3: both"},
         {"begin", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As begin_s, by the clock of the trace"},
         {"end", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As end_s"}};
    state *st = w->self->state;
    tcf_table *t = start(w, "intervals", "Calls in the windows", columns, TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < st->n_windows; i++)
        for (uint32_t k = 0; k < st->windows[i].n_locations; k++) {
            items *calls = &st->windows[i].calls[k];
            sort_items(calls);
            for (uint32_t n = 0; n < calls->n; n++)
                interval_row(w, t, i, st->windows[i].location[k], &calls->at[n]);
        }
    return t ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static int report_messages(const work *w)
{
    static const tcf_table_column columns[] = {{"window", TCF_CELL_UINT, NULL, "Number of the window"},
                                               {"from", TCF_CELL_UINT, NULL, "Id of the location that sent it"},
                                               {"to", TCF_CELL_UINT, NULL, "Id of the location that received it"},
                                               {"sent_s", TCF_CELL_DOUBLE, "s",
                                                "When, since the start of the trace; may be before the window"},
                                               {"received_s", TCF_CELL_DOUBLE, "s", "When; may be behind the window"},
                                               {"bytes", TCF_CELL_UINT, "bytes", "As the receiver recorded it"},
                                               {"sent", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks",
                                                "As sent_s, by the clock of the trace"},
                                               {"received", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As received_s"}};
    state *st = w->self->state;
    tcf_table *t = start(w, "messages", "Messages in the windows", columns, TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < st->n_windows; i++) {
        items *messages = &st->windows[i].messages;
        sort_items(messages);
        for (uint32_t n = 0; n < messages->n; n++) {
            const item *x = &messages->at[n];
            w->self->host->row(t,
                               (const tcf_cell[]){tcf_uint(i + 1), tcf_uint(location_id(w, (uint32_t)(x->order >> 32))),
                                                  tcf_uint(location_id(w, (uint32_t)x->order)),
                                                  tcf_when(w->self, x->begin), tcf_when(w->self, x->end),
                                                  tcf_uint(x->bytes), tcf_uint(x->begin), tcf_uint(x->end)});
        }
    }
    return t ? 0 : -1;
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
    if (too_deep > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " calls are not shown, for too many are open around them",
                        too_deep);
}

tcf_status timeline_report(tcf_self *self)
{
    work w = {.self = self};
    find_run(&w);
    if (report_windows(&w) != 0 || report_locations(&w) != 0 || report_intervals(&w) != 0 || report_messages(&w) != 0)
        return self->host->fail(self, "out of memory for the tables of results");
    tell(self);
    return TCF_OK;
}
