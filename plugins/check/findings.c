/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The report of `check`: a verdict with all counts, then the details, worst first. A table that would be empty is left
 * out, except for the verdict and the classes of the clock condition. */
#include "../shared/records/fields.h"
#include "check.h"

#include <private/results_host.h>
#include <tcflow/clocks.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>

/* An event of a violation. */
struct place {
    struct side side;
    uint64_t location;
    const char *process, *region;
};

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    const char *class_, *process, *refers_to, *event, *message, *comm_name, *sender_name, *receiver_name;
    uint64_t number, count, size, location_id;
    int64_t comm, sender, receiver, tag;
    struct tally tally;
    struct place from, to;
    struct location location;
} row;

#define AT(member) TCF_AT(row, member)

enum { SENTENCE = 512 };

static const char *class_name(uint32_t k)
{
    static const char *const rma[TCF_CLASSES] = {
        [TCF_CLASS_ONE_TO_N] = "rma_one_to_n", [TCF_CLASS_N_TO_ONE] = "rma_n_to_one", [TCF_CLASS_N_TO_N] = "rma_n_to_n",
        [TCF_CLASS_BARRIER] = "rma_barrier",   [TCF_CLASS_SCAN] = "rma_scan",         [TCF_CLASS_EXSCAN] = "rma_exscan",
    };
    return k < RMA_CLASSES ? tcf_edge_class_name(k) : rma[k - RMA_CLASSES];
}

/* What a reference is called: as its role in the table of records, in small letters. */
static const char *referred_name(uint32_t kind, char name[32])
{
    const char *role = kind == TCF_REF_COMM      ? "COMMUNICATOR"
                       : kind == TCF_REF_RMA_WIN ? "RMA_WINDOW"
                                                 : role_names[kind];
    for (uint32_t i = 0; i == 0 || role[i - 1]; i++)
        name[i] = (char)tolower((unsigned char)role[i]);
    return name;
}

/* ------------------------------------------------------------------------------------------------------- verdict -- */

struct finding {
    const char *name;
    uint64_t count; /* UINT64_MAX: it cannot be known, for the trace's format has no messages */
    const char *meaning;
};

enum { VIOLATIONS, UNMATCHED_SENDS, UNMATCHED_RECEIVES, INCOMPLETE_ENDS, FINDINGS = 14 };

static uint32_t sum_up(tcf_self *self, struct finding f[FINDINGS])
{
    const struct check *c = self->state;
    const tcf_definitions *defs = self->defs;
    uint64_t violated = 0, targets = 0, dangling = 0, unwound = 0, never_left = 0, ignored = 0, decreasing = 0;
    for (uint32_t k = 0; k < CLASSES; k++)
        violated += c->tally[k].violated, targets += c->tally[k].targets;
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
    const struct finding all[] = {
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
        {"messages_not_followed", c->channels.turned_down, "messages beyond the limit 'channels': counted, not listed"},
    };
    memcpy(f, all, sizeof all);
    if (tcf_is_unknown(defs, TCF_UNKNOWN_MESSAGES) && targets == 0)
        f[VIOLATIONS].count = f[UNMATCHED_SENDS].count = f[UNMATCHED_RECEIVES].count = f[INCOMPLETE_ENDS].count =
            UINT64_MAX;
    return TCF_COUNT(all);
}

static void report_verdict(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"finding", TCF_AT(struct finding, name), NULL, "What was looked for"},
        {"count", TCF_AT(struct finding, count) | TCF_CELL_OPTIONAL, NULL,
         "How often it was found; no value where the trace's format has nothing to look at"},
        {"meaning", TCF_AT(struct finding, meaning), NULL, "What is counted"},
    };
    const struct check *c = self->state;
    struct finding f[FINDINGS] = {{0}};
    uint64_t others = 0;
    char sentence[SENTENCE];
    const uint32_t n = sum_up(self, f);
    const char *open = "";
    if (tcf_is_unknown(self->defs, TCF_UNKNOWN_MESSAGES))
        open = "; messages and collective operations are unknown, as the trace's format has none, and not checked";
    for (uint32_t i = VIOLATIONS + 1; i < FINDINGS; i++)
        others += f[i].count != UINT64_MAX ? f[i].count : 0;
    const uint64_t violations = f[VIOLATIONS].count != UINT64_MAX ? f[VIOLATIONS].count : 0;
    if (violations + others == 0)
        snprintf(sentence, sizeof sentence, "No findings: the trace is in order%s", open);
    else
        snprintf(sentence, sizeof sentence,
                 "%" PRIu64 " violation%s of the clock condition%s, %" PRIu64 " other finding%s%s", violations,
                 violations == 1 ? "" : "s", c->above_zero ? " by the archive's clock offsets" : "", others,
                 others == 1 ? "" : "s", open);
    tcf_results_host_of(self)->say(self, sentence);
    self->host->rows(TCF_TABLE(self, "verdict", "Findings", columns), f, n, sizeof *f);
}

/* ----------------------------------------------------------------------------------------------- clock condition -- */

static void report_violations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", AT(class_), NULL, "What orders the events"},
        {"targets", AT(tally.targets), NULL, "Events that depend on others: receives, ends of collectives, ..."},
        {"violated", AT(tally.violated), NULL, "Those that come too early"},
        {"largest", AT(tally.largest) | TCF_CELL_SECONDS, "s", "By how much at most"},
        {"largest_ticks", AT(tally.largest) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
    };
    const struct check *c = self->state;
    tcf_table *t = TCF_TABLE(self, "violations", "Clock condition by class", columns);
    for (uint32_t k = 0; k < CLASSES; k++)
        if (c->tally[k].targets > 0)
            tcf_row(self, t, &(row){.class_ = class_name(k), .tally = c->tally[k]});
}

static struct place place_of(const tcf_self *self, const struct side *s)
{
    const tcf_definitions *defs = self->defs;
    const struct side at = {s->time - ((const struct check *)self->state)->above_zero, s->event, s->location,
                            s->region};
    return (struct place){at, s->location < defs->n_locations ? tcf_location_at(defs, s->location)->id : UINT64_MAX,
                          tcf_process_name(defs, s->location, NULL),
                          s->region < defs->n_regions ? tcf_region_at(defs, s->region)->name : NULL};
}

static void report_worst(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", AT(class_), NULL, "What orders the events"},
        {"place", AT(number), NULL, "1: the worst of the class"},
        {"size", AT(size) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "How much too early the second event comes"},
        {"size_ticks", AT(size) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"from_location", AT(from.location), NULL,
         "Where the first event is (the latest of several); 2^64 - 1: not known any more"},
        {"from_process", AT(from.process), NULL, "Name of its location group"},
        {"from_event", AT(from.side.event), NULL, "Its number in its location, from 0"},
        {"from_time", AT(from.side.time) | TCF_CELL_DETAIL, "ticks", "The same as a timestamp"},
        {"from_region", AT(from.region), NULL, "The region that it is in"},
        {"to_location", AT(to.location), NULL, "Where the event is that depends on it"},
        {"to_process", AT(to.process), NULL, "Name of its location group"},
        {"to_event", AT(to.side.event), NULL, "Its number in its location, from 0"},
        {"to_time", AT(to.side.time) | TCF_CELL_DETAIL, "ticks", "The same as a timestamp"},
        {"to_region", AT(to.region), NULL, "The region that it is in"},
        {"from_when", AT(from.side.time) | TCF_CELL_WHEN, "s", "Its time, since the start of the trace"},
        {"to_when", AT(to.side.time) | TCF_CELL_WHEN, "s", "Its time, since the start of the trace"},
    };
    const struct check *c = self->state;
    tcf_table *t = NULL;
    for (uint32_t k = 0; k < CLASSES; k++)
        for (uint32_t i = 0; i < c->tally[k].n_worst; i++) {
            const struct violation *v = &c->tally[k].worst[i];
            if (!t)
                t = TCF_TABLE(self, "worst", "Largest violations of each class", columns);
            tcf_row(self, t,
                    &(row){.class_ = class_name(k),
                           .number = i + 1,
                           .size = v->size,
                           .from = place_of(self, &v->from),
                           .to = place_of(self, &v->to)});
        }
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

struct lost {
    const struct channel *channel;
    int64_t comm; /* its id: the index of an undefined one depends on who named it first */
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
    return TCF_FIRST(TCF_ORDER(y->count, x->count), TCF_ORDER(x->receives, y->receives), TCF_ORDER(x->comm, y->comm),
                     TCF_ORDER(k->sender, l->sender), TCF_ORDER(k->receiver, l->receiver), TCF_ORDER(k->tag, l->tag));
}

static int64_t rank(uint32_t value)
{
    return value == TCF_NONE ? -1 : (int64_t)value;
}

static void lost_row(const tcf_self *self, tcf_table *t, const struct lost *x)
{
    const tcf_definitions *defs = self->defs;
    const struct channel *c = x->channel;
    const uint32_t comm = c->key.comm;
    tcf_row(self, t,
            &(row){.message = x->receives ? "receive" : "send",
                   .count = x->count,
                   .comm = x->comm,
                   .comm_name = comm < defs->n_comms ? tcf_comm_at(defs, comm)->name : NULL,
                   .sender = rank(c->sender_rank),
                   .sender_name = tcf_process_name(defs, c->key.sender, NULL),
                   .receiver = rank(c->receiver_rank),
                   .receiver_name = tcf_process_name(defs, c->key.receiver, NULL),
                   .tag = (int64_t)c->key.tag});
}

static void list_lost(tcf_self *self, struct lost *all, uint32_t n)
{
    static const tcf_table_column columns[] = {
        {"message", AT(message), NULL, "What has no partner: send or receive"},
        {"count", AT(count), NULL, "How many of them"},
        {"communicator", AT(comm), NULL, "Its id; -1: undefined"},
        {"communicator_name", AT(comm_name), NULL, "Its name"},
        {"sender", AT(sender), NULL, "Rank in the communicator; -1: not a member"},
        {"sender_name", AT(sender_name), NULL, "Name of the process"},
        {"receiver", AT(receiver), NULL, "Rank in the communicator; -1: not a member"},
        {"receiver_name", AT(receiver_name), NULL, "Name of the process"},
        {"tag", AT(tag), NULL, "Tag of the message"},
    };
    const struct check *c = self->state;
    char sentence[SENTENCE];
    qsort(all, n, sizeof *all, order_lost);
    snprintf(sentence, sizeof sentence, "Unmatched messages: the first %" PRIu32 " of %" PRIu32 " lines (worst)",
             c->worst, n);
    if (n > c->worst)
        tcf_results_host_of(self)->say(self, sentence);
    tcf_table *t = TCF_TABLE(self, "unmatched", "Unmatched messages", columns);
    for (uint32_t i = 0; i < n && i < c->worst; i++)
        lost_row(self, t, &all[i]);
}

static tcf_status report_unmatched(tcf_self *self)
{
    const struct check *c = self->state;
    const struct channels *channels = &c->channels;
    uint32_t n = 0;
    struct lost *all = calloc(2ul * channels->n + 1, sizeof *all);
    if (!all)
        return self->host->fail(self, "out of memory for the list of unmatched messages");
    for (uint32_t i = 0; i < channels->n; i++)
        for (int receives = 0; receives < 2; receives++) {
            const struct channel *on = &channels->at[i];
            const uint64_t count = lost_of(on, receives);
            const uint32_t comm = on->key.comm;
            const int64_t id = comm == TCF_NONE ? -1 : (int64_t)tcf_id(self->defs, TCF_REF_COMM, comm, 0);
            if (count > 0)
                all[n++] = (struct lost){on, id, count, receives};
        }
    if (n > 0 && c->worst > 0)
        list_lost(self, all, n);
    free(all);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------- balance, references -- */

static void report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", AT(location_id), NULL, "Id of the location"},
        {"process", AT(process), NULL, "Name of its location group"},
        {"closed_by_outer_leave", AT(location.unwound), NULL, "Enters closed by the leave of a region around them"},
        {"never_left", AT(location.never_left), NULL, "Enters still open at the end"},
        {"leaves_without_enter", AT(location.ignored), NULL, "Leaves of regions that are not open"},
        {"decreasing_timestamps", AT(location.decreasing), NULL, "Events earlier than the event before them"},
    };
    const tcf_definitions *defs = self->defs;
    tcf_table *t = NULL;
    for (uint32_t k = 0; k < defs->n_locations; k++) {
        const struct location *l = tcf_location_state(self, k);
        if (l->unwound + l->never_left + l->ignored + l->decreasing == 0)
            continue;
        if (!t)
            t = TCF_TABLE(self, "locations", "Locations with unbalanced regions or decreasing time", columns);
        tcf_row(self, t,
                &(row){.location_id = tcf_location_at(defs, k)->id,
                       .process = tcf_process_name(defs, k, NULL),
                       .location = *l});
    }
}

static void report_dangling(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"event", AT(event), NULL, "Kind of the event that refers to something undefined"},
        {"refers_to", AT(refers_to), NULL, "Kind of the missing definition"},
        {"count", AT(count), NULL, "How often"},
    };
    const struct check *c = self->state;
    tcf_table *t = NULL;
    for (uint32_t k = 0; k <= TCF_EVENT_KINDS; k++)
        for (uint32_t r = 0; r < TCF_REF_KINDS; r++) {
            if (c->dangling[k][r] == 0)
                continue;
            if (!t)
                t = TCF_TABLE(self, "dangling", "References of events to something undefined", columns);
            char name[32];
            tcf_row(self, t,
                    &(row){.event = k == 0 ? "(attributes)" : event_records[k].name,
                           .refers_to = referred_name(r, name),
                           .count = c->dangling[k][r]});
        }
}

tcf_status report_findings(tcf_self *self)
{
    if (((const struct check *)self->state)->channels.out_of_memory)
        return self->host->fail(self, "out of memory for the table of messages");
    report_verdict(self);
    report_violations(self);
    report_worst(self);
    if (report_unmatched(self) != TCF_OK)
        return TCF_ERROR;
    report_locations(self);
    report_dangling(self);
    return TCF_OK;
}
