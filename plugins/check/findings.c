/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The report of `check`: a verdict with all counts, then the details, worst first. A table that would be empty is left
 * out, except for the verdict and the classes of the clock condition. */
#include "check.h"

#include <tcflow/clocks.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 512 };
#define OFFSETS_WAIT " before the archive's clock offsets are applied (presync in front does that)"

static const char *class_name(uint32_t k)
{
    static const char *const rma[TCF_CLASSES] = {
        [TCF_CLASS_ONE_TO_N] = "rma_one_to_n", [TCF_CLASS_N_TO_ONE] = "rma_n_to_one", [TCF_CLASS_N_TO_N] = "rma_n_to_n",
        [TCF_CLASS_BARRIER] = "rma_barrier",   [TCF_CLASS_SCAN] = "rma_scan",         [TCF_CLASS_EXSCAN] = "rma_exscan",
    };
    return k < RMA_CLASSES ? tcf_edge_class_name(k) : rma[k - RMA_CLASSES];
}

static const char *event_kind_name(uint32_t kind)
{
    static const char *const names[] = {
#define E(number, NAME, Name, name, FIELDS) [number] = #NAME,
        TCF_EVENT_TABLE(E, TCF_NOTHING, TCF_NOTHING, TCF_NOTHING)
#undef E
    };
    return kind == 0 ? "(attributes)" : names[kind];
}

static const char *const referred_names[TCF_REF_KINDS] = {
    [TCF_REF_STRING] = "string",
    [TCF_REF_ATTRIBUTE] = "attribute",
    [TCF_REF_SYSTEM_TREE_NODE] = "system_tree_node",
    [TCF_REF_LOCATION_GROUP] = "location_group",
    [TCF_REF_LOCATION] = "location",
    [TCF_REF_REGION] = "region",
    [TCF_REF_GROUP] = "group",
    [TCF_REF_COMM] = "communicator",
    [TCF_REF_PARAMETER] = "parameter",
    [TCF_REF_METRIC] = "metric",
    [TCF_REF_METRIC_MEMBER] = "metric_member",
    [TCF_REF_RMA_WIN] = "rma_window",
    [TCF_REF_CALLING_CONTEXT] = "calling_context",
    [TCF_REF_SOURCE_CODE_LOCATION] = "source_code_location",
    [TCF_REF_INTERRUPT_GENERATOR] = "interrupt_generator",
    [TCF_REF_IO_PARADIGM] = "io_paradigm",
    [TCF_REF_IO_FILE] = "io_file",
    [TCF_REF_IO_HANDLE] = "io_handle",
    [TCF_REF_CALLSITE] = "callsite",
    [TCF_REF_CALLPATH] = "callpath",
    [TCF_REF_CART_DIMENSION] = "cart_dimension",
    [TCF_REF_CART_TOPOLOGY] = "cart_topology",
};

/* ------------------------------------------------------------------------------------------------------- verdict -- */

struct finding {
    const char *name;
    uint64_t count;
    const char *meaning;
};

enum { VIOLATIONS, FINDINGS = 14 };

static void sum_up(tcf_self *self, struct finding f[FINDINGS])
{
    const struct check *c = self->state;
    const tcf_definitions *defs = self->defs;
    uint64_t violated = 0, dangling = 0, unwound = 0, never_left = 0, ignored = 0, decreasing = 0;
    for (uint32_t k = 0; k < CLASSES; k++)
        violated += c->tally[k].violated;
    for (uint32_t k = 0; k <= TCF_EVENT_KINDS; k++)
        for (uint32_t r = 0; r < TCF_REF_KINDS; r++)
            dangling += c->dangling[k][r];
    for (uint32_t k = 0; k < defs->n_locations; k++) {
        const struct location *l = tcf_location_state(self, k);
        unwound += l->unwound;
        never_left += l->never_left;
        ignored += l->ignored;
        decreasing += l->decreasing;
    }
    const struct finding all[FINDINGS] = {
        {"clock_violations", violated, "events that come before something that they depend on"},
        {"unmatched_sends", channels_lost_sends(&c->channels), "messages that were never received"},
        {"unmatched_receives", channels_lost_receives(&c->channels), "receives of messages that were never sent"},
        {"incomplete_collective_ends", c->ends_without_begins, "ends of collectives that lack begins of other members"},
        {"enters_closed_by_outer_leave", unwound, "regions left by leaving a region around them"},
        {"enters_never_left", never_left, "regions still open at the end of their location"},
        {"leaves_without_enter", ignored, "leaves of regions that are not open"},
        {"decreasing_timestamps", decreasing, "events earlier than the event before them in their location"},
        {"dangling_references", dangling, "references of events to something undefined"},
        {"dangling_definitions", defs->n_dangling, "references of definitions to something undefined"},
        {"duplicate_definitions", defs->n_duplicate, "ids that were defined more than once; the first one counts"},
        {"unknown_definitions", defs->n_unknown, "definitions of a kind that this version doesn't know"},
        {"messages_not_followed", c->channels.turned_down, "messages beyond the limit `channels`: counted, not listed"},
    };
    memcpy(f, all, sizeof all);
}

/* What an archive of Score-P mostly looks like: its times are those of each process' own clock, and readers add the
 * clock offsets. */
static int offsets_wait(const tcf_self *self)
{
    const tcf_definitions *defs = self->defs;

    if (self->changed & TCF_WRITES_CLOCK)
        return 0;
    for (uint32_t i = 0; i < defs->n_locations; i++)
        if (tcf_location_at(defs, i)->n_clock_offsets > 0)
            return 1;
    return 0;
}

static tcf_status report_verdict(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"finding", TCF_CELL_TEXT, NULL, "What was looked for"},
        {"count", TCF_CELL_UINT, NULL, "How often it was found"},
        {"meaning", TCF_CELL_TEXT, NULL, "What is counted"},
    };
    struct finding f[FINDINGS] = {{0}};
    uint64_t others = 0;
    char title[TITLE];
    sum_up(self, f);
    for (uint32_t i = VIOLATIONS + 1; i < FINDINGS; i++)
        others += f[i].count;
    if (f[VIOLATIONS].count + others == 0)
        snprintf(title, sizeof title, "No findings: the trace is in order");
    else
        snprintf(title, sizeof title, "%" PRIu64 " violation%s of the clock condition%s, %" PRIu64 " other finding%s",
                 f[VIOLATIONS].count, f[VIOLATIONS].count == 1 ? "" : "s",
                 f[VIOLATIONS].count > 0 && offsets_wait(self) ? OFFSETS_WAIT : "", others, others == 1 ? "" : "s");
    tcf_table *t = self->host->table(self, "verdict", title, columns, TCF_COUNT(columns));
    for (uint32_t i = 0; i < FINDINGS && f[i].name; i++)
        self->host->row(t, (const tcf_cell[]){tcf_text(f[i].name), tcf_uint(f[i].count), tcf_text(f[i].meaning)});
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------- clock condition -- */

static tcf_status report_violations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", TCF_CELL_TEXT, NULL, "What orders the events"},
        {"targets", TCF_CELL_UINT, NULL, "Events that depend on others: receives, ends of collectives, ..."},
        {"violated", TCF_CELL_UINT, NULL, "Those that come too early"},
        {"largest", TCF_CELL_DOUBLE, "s", "By how much at most"},
        {"largest_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
    };
    const struct check *c = self->state;
    char title[TITLE];
    snprintf(title, sizeof title, "Clock condition by class (minimum delay: %" PRIu64 " ticks, among threads 0)",
             c->mu);
    tcf_table *t = self->host->table(self, "violations", title, columns, TCF_COUNT(columns));
    for (uint32_t k = 0; k < CLASSES; k++) {
        const struct tally *y = &c->tally[k];
        if (y->targets > 0)
            self->host->row(t, (const tcf_cell[]){tcf_text(class_name(k)), tcf_uint(y->targets), tcf_uint(y->violated),
                                                  tcf_seconds(self, (double)y->largest), tcf_uint(y->largest)});
    }
    return TCF_OK;
}

static void side_cells(const tcf_self *self, const struct side *side, tcf_cell *cells)
{
    const tcf_definitions *defs = self->defs;
    int known = side->location < defs->n_locations;
    uint32_t process = known ? tcf_location_at(defs, side->location)->group : TCF_NONE;
    cells[0] = known ? tcf_uint(tcf_location_at(defs, side->location)->id) : tcf_uint(UINT64_MAX);
    cells[1] = tcf_text(process < defs->n_location_groups ? tcf_location_group_at(defs, process)->name : NULL);
    cells[2] = tcf_uint(side->event);
    cells[3] = tcf_uint(side->time);
    cells[4] = tcf_text(side->region < defs->n_regions ? tcf_region_at(defs, side->region)->name : NULL);
}

static tcf_status report_worst(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", TCF_CELL_TEXT, NULL, "What orders the events"},
        {"place", TCF_CELL_UINT, NULL, "1: the worst of the class"},
        {"size", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "How much too early the second event comes"},
        {"size_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"from_location", TCF_CELL_UINT, NULL,
         "Where the first event is (the latest of several); 2^64 - 1: not known any more"},
        {"from_process", TCF_CELL_TEXT, NULL, "Name of its location group"},
        {"from_event", TCF_CELL_UINT, NULL, "Its number in its location"},
        {"from_time", TCF_CELL_UINT, "ticks", "Its timestamp"},
        {"from_region", TCF_CELL_TEXT, NULL, "The region that it is in"},
        {"to_location", TCF_CELL_UINT, NULL, "Where the event is that depends on it"},
        {"to_process", TCF_CELL_TEXT, NULL, "Name of its location group"},
        {"to_event", TCF_CELL_UINT, NULL, "Its number in its location"},
        {"to_time", TCF_CELL_UINT, "ticks", "Its timestamp"},
        {"to_region", TCF_CELL_TEXT, NULL, "The region that it is in"},
    };
    const struct check *c = self->state;
    uint32_t any = 0;
    for (uint32_t k = 0; k < CLASSES; k++)
        any += c->tally[k].n_worst;
    if (any == 0)
        return TCF_OK;
    tcf_table *t = self->host->table(self, "worst", "Largest violations of each class", columns, TCF_COUNT(columns));
    for (uint32_t k = 0; k < CLASSES; k++)
        for (uint32_t i = 0; i < c->tally[k].n_worst; i++) {
            const struct violation *v = &c->tally[k].worst[i];
            tcf_cell cells[TCF_COUNT(columns)] = {tcf_text(class_name(k)), tcf_uint(i + 1u),
                                                  tcf_seconds(self, (double)v->size), tcf_uint(v->size)};
            side_cells(self, &v->from, cells + 4);
            side_cells(self, &v->to, cells + 9);
            self->host->row(t, cells);
        }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

struct lost {
    const struct channel *channel;
    uint64_t count;
    int receives;
};

static uint64_t lost_of(const struct channel *c, int receives)
{
    int64_t sends = c->open + (int64_t)c->lost_sends;
    return receives ? c->lost_receives : sends > 0 ? (uint64_t)sends : 0;
}

static int order_lost(const void *a, const void *b)
{
    const struct lost *x = a, *y = b;
    const struct channel_key *k = &x->channel->key, *l = &y->channel->key;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->receives != y->receives)
        return x->receives - y->receives;
    const uint32_t left[] = {k->comm, k->sender, k->receiver, k->tag},
                   right[] = {l->comm, l->sender, l->receiver, l->tag};
    for (uint32_t i = 0; i < TCF_COUNT(left); i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static const char *process_name(const tcf_definitions *defs, uint32_t process)
{
    return process < defs->n_location_groups ? tcf_location_group_at(defs, process)->name : NULL;
}

static const char *process_at(const tcf_definitions *defs, uint32_t location)
{
    return location < defs->n_locations ? process_name(defs, tcf_location_at(defs, location)->group) : NULL;
}

static tcf_cell rank(uint32_t value)
{
    return tcf_int(value == TCF_NONE ? -1 : (int64_t)value);
}

static void lost_row(const tcf_self *self, tcf_table *t, const struct lost *x)
{
    const tcf_definitions *defs = self->defs;
    const struct channel *c = x->channel;
    uint32_t comm = c->key.comm;
    const tcf_cell cells[] = {
        tcf_text(x->receives ? "receive" : "send"),
        tcf_uint(x->count),
        tcf_int(comm == TCF_NONE ? -1 : (int64_t)tcf_id(defs, TCF_REF_COMM, comm, 0)),
        tcf_text(comm < defs->n_comms ? tcf_comm_at(defs, comm)->name : NULL),
        rank(c->sender_rank),
        tcf_text(process_at(defs, c->key.sender)),
        rank(c->receiver_rank),
        tcf_text(process_at(defs, c->key.receiver)),
        tcf_int((int64_t)c->key.tag),
    };
    self->host->row(t, cells);
}

static tcf_status list_lost(tcf_self *self, struct lost *all, uint32_t n)
{
    static const tcf_table_column columns[] = {
        {"message", TCF_CELL_TEXT, NULL, "What has no partner: send or receive"},
        {"count", TCF_CELL_UINT, NULL, "How many of them"},
        {"communicator", TCF_CELL_INT, NULL, "Its id; -1: undefined"},
        {"communicator_name", TCF_CELL_TEXT, NULL, "Its name"},
        {"sender", TCF_CELL_INT, NULL, "Rank in the communicator; -1: not a member"},
        {"sender_name", TCF_CELL_TEXT, NULL, "Name of the process"},
        {"receiver", TCF_CELL_INT, NULL, "Rank in the communicator; -1: not a member"},
        {"receiver_name", TCF_CELL_TEXT, NULL, "Name of the process"},
        {"tag", TCF_CELL_INT, NULL, "Tag of the message"},
    };
    const struct check *c = self->state;
    char title[TITLE];
    qsort(all, n, sizeof *all, order_lost);
    snprintf(title, sizeof title,
             n > c->worst ? "Unmatched messages: the first %" PRIu32 " of %" PRIu32 " lines" : "Unmatched messages",
             c->worst, n);
    tcf_table *t = self->host->table(self, "unmatched", title, columns, TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < n && i < c->worst; i++)
        lost_row(self, t, &all[i]);
    return TCF_OK;
}

static tcf_status report_unmatched(tcf_self *self)
{
    const struct check *c = self->state;
    const struct channels *channels = &c->channels;
    uint32_t n = 0;
    struct lost *all = calloc(2u * channels->used + 1u, sizeof *all);
    if (!all)
        return self->host->fail(self, "out of memory for the list of unmatched messages");
    for (uint32_t i = 0; i < channels->capacity; i++)
        for (int receives = 0; receives < 2 && channels->at[i].used; receives++)
            if (lost_of(&channels->at[i], receives) > 0)
                all[n++] = (struct lost){&channels->at[i], lost_of(&channels->at[i], receives), receives};
    tcf_status status = n > 0 && c->worst > 0 ? list_lost(self, all, n) : TCF_OK;
    free(all);
    return status;
}

/* ------------------------------------------------------------------------------------------- balance, references -- */

static tcf_status report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", TCF_CELL_UINT, NULL, "Id of the location"},
        {"process", TCF_CELL_TEXT, NULL, "Name of its location group"},
        {"closed_by_outer_leave", TCF_CELL_UINT, NULL, "Enters closed by the leave of a region around them"},
        {"never_left", TCF_CELL_UINT, NULL, "Enters still open at the end"},
        {"leaves_without_enter", TCF_CELL_UINT, NULL, "Leaves of regions that are not open"},
        {"decreasing_timestamps", TCF_CELL_UINT, NULL, "Events earlier than the event before them"},
    };
    const tcf_definitions *defs = self->defs;
    tcf_table *t = NULL;
    for (uint32_t k = 0; k < defs->n_locations; k++) {
        const struct location *l = tcf_location_state(self, k);
        if (l->unwound + l->never_left + l->ignored + l->decreasing == 0)
            continue;
        if (!t)
            t = self->host->table(self, "locations", "Locations with unbalanced regions or decreasing time", columns,
                                  TCF_COUNT(columns));
        self->host->row(t, (const tcf_cell[]){tcf_uint(tcf_location_at(defs, k)->id),
                                              tcf_text(process_name(defs, tcf_location_at(defs, k)->group)),
                                              tcf_uint(l->unwound), tcf_uint(l->never_left), tcf_uint(l->ignored),
                                              tcf_uint(l->decreasing)});
    }
    return TCF_OK;
}

static tcf_status report_dangling(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"event", TCF_CELL_TEXT, NULL, "Kind of the event that refers to something undefined"},
        {"refers_to", TCF_CELL_TEXT, NULL, "Kind of the missing definition"},
        {"count", TCF_CELL_UINT, NULL, "How often"},
    };
    const struct check *c = self->state;
    tcf_table *t = NULL;
    for (uint32_t k = 0; k <= TCF_EVENT_KINDS; k++)
        for (uint32_t r = 0; r < TCF_REF_KINDS; r++) {
            if (c->dangling[k][r] == 0)
                continue;
            if (!t)
                t = self->host->table(self, "dangling", "References of events to something undefined", columns,
                                      TCF_COUNT(columns));
            self->host->row(t, (const tcf_cell[]){tcf_text(event_kind_name(k)), tcf_text(referred_names[r]),
                                                  tcf_uint(c->dangling[k][r])});
        }
    return TCF_OK;
}

tcf_status report_findings(tcf_self *self)
{
    if (report_verdict(self) != TCF_OK || report_violations(self) != TCF_OK || report_worst(self) != TCF_OK ||
        report_unmatched(self) != TCF_OK || report_locations(self) != TCF_OK)
        return TCF_ERROR;
    return report_dangling(self);
}
