/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* select: keeps a part of a trace: a time range, some locations, regions, communicators, kinds of events.
 *
 * Names become tables before the first event (what.c), so that an event costs a look at its kind and, for some kinds,
 * at one of its fields. The filter holds slices in two cases only: a completion still has to decide about some record
 * (requests.c), or the end of the time range cuts regions of the location (open.c), whose leaves come behind the slice.
 * With nothing selected, slices pass untouched.
 *
 * Definitions stay as they are, so that no event refers to a definition that is gone. */
#include "select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_HELD = 4 };

static tcf_status no_memory(const tcf_self *self, const tcf_slice *s)
{
    return self->host->fail(self, "out of memory for a location (slices of %u events)", s->n);
}

/* --------------------------------------------------------------------------------------------------- held slices -- */

/* Puts the current slice behind the held ones. The entry owns its keep[] from now on. */
static int hold(place *p, tcf_slice *s)
{
    if (p->n_held == p->held_capacity) {
        uint32_t capacity = p->held_capacity ? 2 * p->held_capacity : FIRST_HELD;
        held_slice *held = malloc(capacity * sizeof *held);
        if (!held)
            return -1;
        for (uint32_t i = 0; i < p->n_held; i++)
            held[i] = *held_at(p, i);
        free(p->held);
        p->held = held;
        p->held_capacity = capacity;
        p->first_held = 0;
    }
    *held_at(p, p->n_held++) =
        (held_slice){.slice = s, .keep = p->keep, .undecided = p->undecided, .end = p->n_events + s->n};
    p->keep = NULL;
    p->keep_capacity = 0;
    p->undecided = 0;
    p->n_slices++;
    return 0;
}

/* Drops the events whose keep[] is 0. A slice that keeps all its events stays untouched. */
static void drop(tcf_self *self, place *p, tcf_slice *s, const uint8_t *keep)
{
    if (memchr(keep, 0, s->n))
        self->host->compact(self, s, keep);
    p->count.kept += s->n;
}

/* Passes on the oldest slice. */
static tcf_status release_first(tcf_self *self, place *p)
{
    held_slice h = *held_at(p, 0);

    p->first_held = (p->first_held + 1) & (p->held_capacity - 1);
    p->n_held--;
    drop(self, p, h.slice, h.keep);
    free(h.keep);
    return self->host->release(self, h.slice);
}

/* Passes on the decided slices, but at least `least`, and then the leaves that come behind them. Passing on may call
 * this function again, for more slices: the inner call does nothing. */
static tcf_status drain(tcf_self *self, uint32_t location, place *p, uint32_t least)
{
    tcf_status status = TCF_OK;

    if (p->draining)
        return TCF_OK;
    p->draining = 1;
    for (; status == TCF_OK && p->n_held > 0 && (least > 0 || held_at(p, 0)->undecided == 0); least -= least > 0)
        status = release_first(self, p);
    if (status == TCF_OK && p->n_held == 0 && p->cut) {
        p->cut = 0;
        status = open_insert(self, location, p, 0, p->to);
        p->n_open = 0;
    }
    p->draining = 0;
    return status;
}

/* Keeps undecided records that are older than REQUEST_LOOKAHEAD events. */
static void keep_old_records(place *p, uint64_t now)
{
    for (uint32_t i = 0; i < p->n_held && now - held_at(p, i)->end >= REQUEST_LOOKAHEAD; i++)
        held_at(p, i)->undecided = 0;
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

/* The first event of a slice at or behind `time`. Events are in the order of time. */
static uint32_t first_at(const tcf_slice *s, uint64_t time)
{
    uint32_t low = 0, high = s->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->time[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int make_room(place *p, uint32_t n)
{
    if (n <= p->keep_capacity)
        return 0;
    uint8_t *keep = malloc(n);
    if (!keep)
        return -1;
    free(p->keep);
    p->keep = keep;
    p->keep_capacity = n;
    return 0;
}

/* Fills keep[] for the events [from, to) of the time range. The hot loop. */
static int judge(const tcf_self *self, place *p, const tcf_slice *s, uint32_t from, uint32_t to)
{
    const state *st = self->state;
    const tcf_definitions *defs = self->defs;
    uint8_t *keep = p->keep;
    int kept;

    for (uint32_t i = from; i < to; i++) {
        switch (st->rule[s->kind[i]]) {
        case RULE_KEEP:
            keep[i] = 1;
            break;
        case RULE_DROP:
            keep[i] = 0;
            break;
        case RULE_REGION:
            keep[i] = keeps_region(st, defs, s->rec[i].enter.region) != 0;
            break;
        case RULE_CONTEXT:
            keep[i] = keeps_context(st, defs, s->rec[i].calling_context_enter.calling_context) != 0;
            break;
        default:
            kept = requests_keep(self, p, s, i);
            if (kept < 0)
                return -1;
            keep[i] = kept != 0;
        }
    }
    return 0;
}

/* Remembers the sends before the range that are dropped, for their completions inside the range. */
static int note_sends(const tcf_self *self, place *p, const tcf_slice *s, uint32_t to)
{
    const state *st = self->state;

    if (st->rule[TCF_MPI_ISEND] != RULE_REQUEST)
        return 0;
    for (uint32_t i = 0; i < to; i++)
        if ((s->kind[i] == TCF_MPI_ISEND || s->kind[i] == TCF_MPI_ISEND_COMPLETE) && requests_keep(self, p, s, i) < 0)
            return -1;
    return 0;
}

/* Finds the events [*from, *to) of the slice that lie in the time range. Inserts enters of the regions that are open
 * where the range begins. */
static tcf_status cut(tcf_self *self, place *p, tcf_slice *s, uint32_t *from, uint32_t *to)
{
    const conf *c = self->conf;

    *from = p->phase == BEFORE ? first_at(s, p->from) : 0;
    *to = p->phase == BEHIND ? 0 : p->to == UINT64_MAX ? s->n : first_at(s, p->to + 1);
    if (*to < *from) /* nothing lies in the range */
        *from = *to;
    if (p->phase == BEHIND || !c->balance)
        goto done;
    if (open_follow(self, p, s, 0, *from) != 0)
        return no_memory(self, s);
    if (p->phase == BEFORE && *from < s->n && open_insert(self, s->location, p, 1, p->from) != TCF_OK)
        return TCF_ERROR;
    if (open_follow(self, p, s, *from, *to) != 0)
        return no_memory(self, s);
    p->cut = *to < s->n;
done:
    if (p->phase == BEFORE && *from < s->n)
        p->phase = INSIDE;
    if (*to < s->n)
        p->phase = BEHIND;
    return TCF_OK;
}

/* Passes on the part of the slice that stays. At the end of the range all undecided records stay. */
static tcf_status pass_part(tcf_self *self, place *p, tcf_slice *s, uint32_t from, uint32_t to)
{
    uint32_t n = s->n;
    int last = p->phase == BEHIND;

    if (note_sends(self, p, s, from) != 0)
        return no_memory(self, s);
    memset(p->keep, 0, from);
    memset(p->keep + from, 1, to - from);
    memset(p->keep + to, 0, n - to);
    if (((const state *)self->state)->by_event && judge(self, p, s, from, to) != 0)
        return no_memory(self, s);
    if (last)
        p->undecided = 0;
    keep_old_records(p, p->n_events + n);
    int behind = p->cut && to > from; /* leaves must come behind this slice */
    if (!behind && drain(self, s->location, p, last ? UINT32_MAX : 0) != TCF_OK)
        return TCF_ERROR;
    if (behind || p->n_held > 0 || p->undecided > 0) {
        if (hold(p, s) != 0)
            return no_memory(self, s);
        p->n_events += n;
        return TCF_HELD;
    }
    p->n_events += n;
    drop(self, p, s, p->keep);
    return TCF_OK;
}

static void note_seen(select_counts *to, const select_counts *more)
{
    if (more->seen == 0)
        return;
    to->first = to->seen == 0 || more->first < to->first ? more->first : to->first;
    to->last = more->last > to->last ? more->last : to->last;
    to->seen += more->seen;
}

static tcf_status select_slice(tcf_self *self, tcf_slice *s)
{
    const state *st = self->state;
    place *p = tcf_location_state(self, s->location);
    uint32_t from = 0, to = s->n;

    if (!st->active || s->n == 0)
        return TCF_OK;
    p->first = s->first;
    note_seen(&p->count, &(select_counts){.seen = s->n, .first = s->time[0], .last = s->time[s->n - 1]});
    if (make_room(p, s->n) != 0)
        return no_memory(self, s);
    if (st->location && !st->location[s->location]) {
        memset(p->keep, 0, s->n);
        drop(self, p, s, p->keep);
        return TCF_OK;
    }
    if (p->phase == BEHIND && p->cut && drain(self, s->location, p, UINT32_MAX) != TCF_OK)
        return TCF_ERROR;
    if (st->range && cut(self, p, s, &from, &to) != TCF_OK)
        return TCF_ERROR;
    if (from == 0 && to == s->n && !st->by_event && p->n_held == 0) {
        p->count.kept += s->n;
        p->n_events += s->n;
        return TCF_OK;
    }
    return pass_part(self, p, s, from, to);
}

static void free_buffers(place *p)
{
    for (uint32_t i = 0; i < p->n_held; i++)
        free(held_at(p, i)->keep);
    free(p->held);
    free(p->keep);
    free(p->open);
    requests_free(p);
    p->held = NULL;
    p->keep = NULL;
    p->open = NULL;
    p->n_held = p->held_capacity = p->keep_capacity = p->n_open = p->open_capacity = 0;
}

static tcf_status select_location_end(tcf_self *self, uint32_t location)
{
    place *p = tcf_location_state(self, location);
    tcf_status status = drain(self, location, p, UINT32_MAX);

    if (status == TCF_OK)
        free_buffers(p);
    return status;
}

/* Up to the bounds of the range events may be inserted. */
static uint64_t select_frontier(const tcf_self *self, uint32_t location, uint64_t time)
{
    const state *st = self->state;
    const place *p = tcf_location_state(self, location);
    uint64_t next = p->phase == BEFORE ? p->from : p->phase == INSIDE ? p->to : UINT64_MAX;

    return (st->location && !st->location[location]) || time < next ? time : next;
}

/* Memory is short: releases the oldest held slice of each location. Its undecided records stay. */
static tcf_status select_flush(tcf_self *self)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        place *p = tcf_location_state(self, l);
        if (p->n_held == 0 || p->draining)
            continue;
        p->count.early += held_at(p, 0)->undecided > 0;
        p->draining = 1; /* keeps drain() from inserting leaves, which need a slice */
        tcf_status status = release_first(self, p);
        p->draining = 0;
        if (status != TCF_OK)
            return status;
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------- begin, end, params -- */

static tcf_status select_init(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    if (range_parse(self) != TCF_OK || what_kinds(self) != TCF_OK)
        return TCF_ERROR;
    return c->filter_file ? filter_file_read(self, c->filter_file, &st->file_rules) : TCF_OK;
}

static tcf_status select_begin(tcf_self *self)
{
    const state *st = self->state;

    if (what_definitions(self) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t l = 0; st->location && l < self->defs->n_locations; l++)
        if (!st->location[l])
            self->host->leave_out(self, l);
    return range_set(self);
}

/* By location: the counts for the log. */
static tcf_status select_pack(tcf_self *self, tcf_pack *pack)
{
    self->host->put_locations(self, pack, TCF_MEMBERS(place, count, count));
    return TCF_OK;
}

static tcf_status select_absorb(tcf_self *self, tcf_pack *pack)
{
    self->host->take_locations(self, pack, TCF_MEMBERS(place, count, count));
    return TCF_OK;
}

/* Does the time range lie before or behind all events of every location? */
static int misses_all(const tcf_self *self)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (p->count.seen > 0 && p->from <= p->count.last && p->to >= p->count.first)
            return 0;
    }
    return 1;
}

static tcf_status select_end(tcf_self *self)
{
    const state *st = self->state;
    uint64_t kept = 0, inserted = 0, early = 0, forgotten = 0;
    select_counts all = {0};

    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        note_seen(&all, &p->count);
        kept += p->count.kept;
        inserted += p->count.inserted;
        early += p->count.early;
        forgotten += p->count.forgotten;
    }
    if (st->range && all.seen > 0 && kept + inserted == 0 && misses_all(self))
        return self->host
            ->fail(self,
                   "no event lies in the time range: those of the trace go from %.9g s to %.9g s since its "
                   "start",
                   tcf_when(self, all.first).d, tcf_when(self, all.last).d);
    if (st->active)
        self->host->log(self, kept == 0 && all.seen > 0 ? TCF_LOG_WARNING : TCF_LOG_INFO,
                        "%" PRIu64 " of %" PRIu64 " events selected, %" PRIu64 " enters and leaves inserted", kept,
                        all.seen, inserted);
    tcf_warn(self, early,
             "times memory was too short to wait for the completion of requests: their postings were kept");
    tcf_warn(self, forgotten, "requests were too many at a time to remember: some of their records were kept");
    return TCF_OK;
}

static void select_fini(tcf_self *self, int complete)
{
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        free_buffers(tcf_location_state(self, l));
    what_free(self->state);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, from, TCF_STRING, "",
              "Start of the time range: seconds from the start of the trace (1.5s, 20ms, 3us, 100ns, 2min), percent of "
              "its length (25%), or a timestamp (5000000 ticks); events at this very time are in"),
    TCF_PARAM(conf, to, TCF_STRING, "", "End of the time range, in the same way; events at this very time are in"),
    TCF_PARAM(conf, clock_offsets, TCF_BOOL, "yes",
              "The range is meant in global time: the archive's clock offsets are applied to it, location by location, "
              "where no filter in front has corrected the clocks; no: in the clocks as they were read"),
    TCF_PARAM(conf, balance, TCF_BOOL, "yes",
              "Regions that are open where the range begins or ends are entered and left there, so that enters and "
              "leaves stay balanced"),
    TCF_PARAM(conf, locations, TCF_LIST, "", "Locations to keep: ids, names, or globs", .unit = "names"),
    TCF_PARAM(conf, groups, TCF_LIST, "",
              "Processes to keep: ranks (3, 0-15), or location groups by names or globs; of a group with several ranks "
              "a rank is one location only; without MPI, numbers count the groups in the order of their definition",
              .unit = "names"),
    TCF_PARAM(conf, ranks, TCF_LIST, "",
              "The same by ranks of MPI_COMM_WORLD alone (3, 0-15); with `groups`, what is in either", .unit = "ranks"),
    TCF_PARAM(conf, regions, TCF_LIST, "", "Regions to keep: names or globs; enters and leaves of all others go",
              .unit = "names"),
    TCF_PARAM(conf, exclude_regions, TCF_LIST, "", "Regions whose enters and leaves go, even when `regions` names them",
              .unit = "names"),
    TCF_PARAM(conf, filter_file, TCF_INPUT_PATH, "", "Score-P filter file; a region that it excludes goes"),
    TCF_PARAM(conf, communicators, TCF_LIST, "",
              "Communicators to keep: ids, names, or globs; messages, collectives and RMA operations of all others of "
              "the same paradigm go, with the records of their requests and their COMM_CREATE and COMM_DESTROY; the "
              "operation that makes a communicator is one of that from which it is made",
              .unit = "names"),
    TCF_PARAM(
        conf, kinds, TCF_LIST, "",
        "Kinds of events to keep: names like MPI_SEND or MpiSend, those that print and otf2-print write, or globs",
        .unit = "names"),
    TCF_PARAM(conf, exclude_kinds, TCF_LIST, "", "Kinds of events that go, even when `kinds` names them",
              .unit = "names"),
    TCF_PARAM(conf, messages, TCF_ENUM, "keep",
              "What becomes of a send or receive whose other end is selected away by location, group or kind: it stays "
              "without a partner, or goes too; with a time range that takes the filter whole_messages behind this one",
              .choices = "keep|drop"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "select",
    .version = "1.0",
    .summary = "Keeps a part of a trace: a time range, locations, regions, communicators, kinds of events",
    .topic = TCF_TOPIC_EVENTS,
    .help =
        "An event stays when everything that is given wants it. Nothing given: everything stays. In the lists, words "
        "are parted by blanks or commas, * ? and [...] stand for other letters as in a shell, and a blank in a name is "
        "written as ?.\n\n"
        "Definitions stay as they are, so that nothing can refer to something that is gone. Regions that are selected "
        "away lose their enters and leaves and nothing else: a message sent from there remains.\n\n"
        "A receive, a non-blocking or begun collective operation names its communicator when it is completed; until "
        "then, for at most 4096 events of its location, the records of its posting wait.\n\n"
        "A Score-P filter file is applied as Score-P does: to what the user or the compiler instrumented; later rules "
        "override earlier ones; a region of an excluded file is out in any case.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .can = TCF_CAN_DROP | TCF_CAN_INSERT | TCF_CAN_HOLD | TCF_CAN_DOMAINS,
    .slice = select_slice,
    .init = select_init,
    .begin = select_begin,
    .location_end = select_location_end,
    .frontier = select_frontier,
    .flush = select_flush,
    .end = select_end,
    .fini = select_fini,
    .pack = select_pack,
    .absorb = select_absorb,
};
