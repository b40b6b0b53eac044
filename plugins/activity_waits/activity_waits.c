/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* activity_waits: how the waits of each location are spread over the run: their time by pattern in bins of time.
 *
 * plugins/shared/waits finds the waits, once for all filters of the chain that need them; time_cells.h bounds the
 * memory. */
#include "../shared/time_cells/time_cells.h"
#include "../shared/waits/waits.h"

typedef struct conf {
    int64_t bins, cells, rows, max_open;
} conf;

typedef struct state {
    waits_user use; /* first: waits.h */
    time_cells cells;
    time_rows rows;
} state;

static uint64_t end_of(const wait *w)
{
    return w->from > UINT64_MAX - w->length ? UINT64_MAX : w->from + w->length;
}

/* Parts of other waits, and time that nobody caused, would count twice or mean nothing. */
static tcf_status found(tcf_self *self, const wait *w)
{
    state *st = self->state;
    const uint64_t end = end_of(w);
    if (!wait_is_for_others(w->pattern))
        return TCF_OK;
    if (time_cells_reach(&st->cells, w->from) != 0 || time_cells_reach(&st->cells, end) != 0 ||
        time_cells_add(&st->cells, st->rows.of[w->location], w->pattern, w->from, end) != 0)
        return self->host->fail(self, "out of memory for %u cells of time", st->cells.n);
    return TCF_OK;
}

static tcf_status left(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time)
{
    (void)self, (void)location, (void)call, (void)time;
    return TCF_OK;
}

static const waits_listener listener = {.found = found, .left = left};

static tcf_status init(tcf_self *self)
{
    const conf *c = self->conf;
    waits_init(self, &listener, c->max_open, 0); /* wrong order makes no difference here */
    return TCF_OK;
}

static tcf_status begin(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    st->cells = time_cells_new((uint32_t)c->bins, (uint32_t)c->cells, self->defs->clock.global_offset);
    if (time_rows_find(&st->rows, self->defs, (uint32_t)c->rows) != 0)
        return self->host->fail(self, "out of memory for %u locations", self->defs->n_locations);
    return waits_begin(self);
}

/* ------------------------------------------------------------------------------------------------------- reports -- */

typedef struct row {
    uint32_t pattern;
    const char *name, *title, *help;
} row;

#define AT(member) TCF_AT(row, member)

static void report_patterns(tcf_self *self)
{
    static const tcf_table_column columns[] = {{"pattern", AT(pattern), NULL,
                                                "Its number in `cells`; 2^32 - 1: those beyond the budget of cells"},
                                               {"name", AT(name), NULL, "Name of the pattern, as wait_states has it"},
                                               {"title", AT(title), NULL, "The same for people"},
                                               {"help", AT(help), NULL, "What waits for what"}};
    const state *st = self->state;
    uint8_t seen[WAIT_PATTERNS] = {0};
    tcf_table *t = TCF_TABLE(self, "patterns", "Patterns of the waits", columns);
    for (uint32_t i = 0; i < st->cells.n; i++)
        if (st->cells.at[i].key < WAIT_PATTERNS)
            seen[st->cells.at[i].key] = 1;
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++)
        if (seen[i])
            tcf_row(self, t, &(row){i, wait_patterns[i].name, wait_patterns[i].title, wait_patterns[i].help});
    if (st->cells.others > 0)
        tcf_row(self, t, &(row){UINT32_MAX, "others", "(others)", "Waits beyond the budget of cells"});
}

static tcf_status end(tcf_self *self)
{
    state *st = self->state;
    if (waits_end(self) != TCF_OK)
        return TCF_ERROR;
    if (time_cells_finish(&st->cells) != 0)
        return self->host->fail(self, "out of memory for %u cells of time", st->cells.n);
    report_patterns(self);
    const waits_counts *n = &st->use.waits->counts;
    tcf_warn(self, n->let_go,
             "messages and requests were let go (max_open): late receivers and the like may be missing");
    tcf_warn(self, n->too_deep, "calls were nested too deeply, so their waits are missing");
    tcf_warn(self, st->cells.others, "times stand in '(others)', for there are more rows and patterns than 'cells'");
    return time_cells_report(self, &st->cells, &st->rows, "pattern", "Number of the pattern");
}

static tcf_status pack(tcf_self *self, tcf_pack *to)
{
    const state *st = self->state;
    if (waits_pack(self, to) != TCF_OK)
        return TCF_ERROR;
    time_cells_pack(self, to, &st->cells);
    return TCF_OK;
}

static uint32_t same_pattern(const tcf_self *self, tcf_pack *from, uint32_t pattern)
{
    (void)self, (void)from;
    return pattern;
}

static tcf_status absorb(tcf_self *self, tcf_pack *from)
{
    state *st = self->state;
    return waits_absorb(self, from) == TCF_OK ? time_cells_absorb(self, from, &st->cells, same_pattern) : TCF_ERROR;
}

static void fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    time_cells_free(&st->cells);
    time_rows_free(&st->rows);
    waits_free(self);
}

/* --------------------------------------------------------------------------------------------------- description -- */

static const tcf_param params[] = {
    TCF_PARAM(conf, bins, TCF_INT, "4096", "Bins of time at most", .min = "2", .max = "1048576"),
    TCF_PARAM(conf, cells, TCF_INT, "131072", "Cells at most, as in activity", .min = "64", .max = "67108864"),
    TCF_PARAM(conf, rows, TCF_INT, "4096", "Rows at most, as in activity", .min = "1", .max = "1048576"),
    TCF_PARAM(conf, max_open, TCF_INT, "262144",
              "Cap of the messages and requests that are followed at a time; at the cap the oldest is let go",
              .min = "16", .max = "1073741824"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "activity_waits",
    .version = "1.0",
    .summary = "When each location waited over the whole run: time of wait states in bins of time, in bounded memory",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "For drawing waits on a timeline of the whole run, beside activity, whose rows and bins it has. The time of "
        "each wait that wait_states finds belongs to its location, its pattern and the bins that it lies in, by parts; "
        "waits that are parts of others, and such that nobody caused, are left out. Where wait_states or root_cause "
        "stand in the same chain, the waits are looked for once for all of them.\n\n"
        "Clocks have to be right before (presync, clc_forward, clc_backward).\n\n"
        "Tables: patterns, rows, bins (begin, width, number), and cells, in which bins in a row that are alike are "
        "one.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_more = 264,
    .message_bytes = WAITS_MESSAGE_BYTES,
    .member_bytes = WAITS_MEMBER_BYTES,
    .numbers = WAITS_NUMBERS,
    .needs = WAITS_NEEDS,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .provides = TCF_ROWS(waits_columns),
    .span = waits_span,
    .arrive = waits_arrive,
    .init = init,
    .begin = begin,
    .collective_complete = waits_complete,
    .location_end = waits_location_end,
    .pack = pack,
    .absorb = absorb,
    .end = end,
    .fini = fini,
};
