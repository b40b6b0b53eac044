/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_matrix's tables of results. Runs once, at the end: puts the locations of a process together, and the sender's
 * side of each pair with the receiver's. */
#include "comm_matrix.h"

#include <tcflow/grow.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>
#include <tcflow/times.h>

/* An end with its world rank, by which ends are sorted: those without a rank come last. */
typedef struct ranked {
    uint32_t rank, end;
} ranked;

/* A line of the matrix. */
typedef struct line {
    ranked from, to;
    flow way[WAYS];
} line;

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    struct end_names {
        int64_t rank;
        const char *process, *location;
        uint64_t id;
    } from, to;
    flow way[WAYS];
    uint64_t bytes_atomic;
    const char *name;
    operation operation;
} row;

#define AT(member) TCF_AT(row, member)

typedef struct work {
    tcf_self *self;
    const state *st;
    int by_process;
    line *lines;
    uint32_t n, capacity;
    tcf_map line_of; /* (from, to) */
    flow *all;       /* by end, the last one for all that are no index: [WAYS * end + way] */
    operation *operations;
    uint32_t n_ends;
    int unknown_ranks; /* the trace doesn't say them */
} work;

/* ---------------------------------------------------------------------------------------------------------- ends -- */

static uint32_t group_of(const work *w, uint32_t end)
{
    const tcf_definitions *defs = w->self->defs;
    return end < defs->n_locations ? tcf_process_of(defs, end) : TCF_NONE;
}

/* The end that a location is part of. */
static uint32_t end_of(const work *w, uint32_t location)
{
    return w->by_process ? process_end(w->st, location) : location;
}

static uint32_t rank_of(const work *w, uint32_t end)
{
    return end < w->n_ends ? w->st->processes.rank[end] : TCF_NONE;
}

static ranked ranked_end(const work *w, uint32_t end)
{
    return (ranked){rank_of(w, end), end};
}

static int order_ends(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->rank, y->rank), TCF_ORDER(x->end, y->end));
}

/* What a row says of an end. */
static struct end_names names_of(const work *w, uint32_t end)
{
    const tcf_definitions *defs = w->self->defs;
    const uint32_t group = group_of(w, end), rank = rank_of(w, end);
    const tcf_location *l = end < w->n_ends ? tcf_location_at(defs, end) : NULL;
    return (struct end_names){.rank = rank == TCF_NONE || w->unknown_ranks ? -1 : (int64_t)rank,
                              .process = group != TCF_NONE ? tcf_location_group_at(defs, group)->name
                                         : end == BEYOND   ? "(beyond max_pairs)"
                                                           : "(unknown)",
                              .location = l ? l->name : NULL,
                              .id = !l              ? UINT64_MAX
                                    : w->by_process ? tcf_location_group_at(defs, group)->id
                                                    : l->id};
}

/* ---------------------------------------------------------------------------------------------------------- sums -- */

static void operation_add(operation *to, const operation *more)
{
    to->count += more->count;
    to->sent = tcf_bytes_sum(to->sent, more->sent);
    to->received = tcf_bytes_sum(to->received, more->received);
}

static void flow_add(flow *to, flow more)
{
    to->messages += more.messages;
    to->bytes = tcf_bytes_sum(to->bytes, more.bytes);
}

static int add(work *w, uint32_t from, uint32_t to, int way, flow f)
{
    uint32_t at = tcf_map_get(&w->line_of, from, to);
    if (f.messages == 0 && f.bytes == 0)
        return 0;
    if (at == TCF_MAP_ABSENT) {
        if (TCF_GROW(&w->lines, &w->capacity, w->n) != 0)
            return -1;
        at = w->n++;
        w->lines[at] = (line){.from = ranked_end(w, from), .to = ranked_end(w, to)};
        if (tcf_map_put(&w->line_of, from, to, at) != 0)
            return -1;
    }
    flow_add(&w->lines[at].way[way], f);
    return 0;
}

static int add_location(work *w, uint32_t location)
{
    const place *p = tcf_location_state(w->self, location);
    const uint32_t me = end_of(w, location), at = me < w->n_ends ? me : w->n_ends;
    for (uint32_t i = 0; i < p->n; i++) {
        const pair *x = &p->pairs[i];
        for (int way = SENT; way < WAYS; way++) {
            const int comes = way == RECEIVED || way == GOT || way == FETCHED;
            if (add(w, comes ? x->partner : me, comes ? me : x->partner, way, x->way[way]) != 0)
                return -1;
            flow_add(&w->all[WAYS * at + (uint32_t)way], x->way[way]);
        }
    }
    for (uint32_t o = 0; o < OPERATIONS; o++)
        operation_add(&w->operations[at * OPERATIONS + o], &p->operations[o]);
    return 0;
}

static int add_all(work *w)
{
    const tcf_definitions *defs = w->self->defs;
    w->n_ends = defs->n_locations;
    w->unknown_ranks = tcf_is_unknown(defs, TCF_UNKNOWN_RANKS);
    w->all = calloc(WAYS * (w->n_ends + 1ul), sizeof *w->all);
    w->operations = calloc(OPERATIONS * (w->n_ends + 1ul), sizeof *w->operations);
    int failed = !w->all || !w->operations;
    for (uint32_t l = 0; l < defs->n_locations && !failed; l++)
        failed = add_location(w, l);
    return failed;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static const tcf_table_column matrix_columns[] = {
    {"sender_rank", AT(from.rank), NULL, "World rank of the sender; -1: none"},
    {"sender", AT(from.process), NULL, "Its name"},
    {"sender_location", AT(from.location), NULL, "Name of the location"},
    {"receiver_rank", AT(to.rank), NULL, "World rank of the receiver; -1: none"},
    {"receiver", AT(to.process), NULL, "Its name"},
    {"receiver_location", AT(to.location), NULL, "Name of the location"},
    {"sent", AT(way[SENT].messages), "messages", "Messages as the sender recorded them"},
    {"received", AT(way[RECEIVED].messages), "messages", "Messages as the receiver recorded them"},
    {"bytes_sent", AT(way[SENT].bytes) | TCF_CELL_LEADS, "bytes", "Bytes of the messages sent"},
    {"bytes_received", AT(way[RECEIVED].bytes), "bytes", "Bytes of the messages received"},
    {"puts", AT(way[PUT].messages), NULL, "One-sided puts by the sender"},
    {"bytes_put", AT(way[PUT].bytes), "bytes", "Their bytes"},
    {"gets", AT(way[GOT].messages), NULL, "One-sided gets by the receiver"},
    {"bytes_got", AT(way[GOT].bytes), "bytes", "Their bytes"},
    {"atomics", AT(way[ATOMIC].messages), NULL, "One-sided atomic operations by the sender"},
    {"bytes_atomic", AT(bytes_atomic), "bytes", "Bytes that atomic operations moved from the sender to the receiver"},
    {"sender_id", AT(from.id) | TCF_CELL_DETAIL, NULL, "Id of the location group or location; 2^64 - 1: none"},
    {"receiver_id", AT(to.id) | TCF_CELL_DETAIL, NULL, "Id of the location group or location; 2^64 - 1: none"},
};

static const tcf_table_column process_columns[] = {
    {"rank", AT(from.rank), NULL, "World rank; -1: none"},
    {"process", AT(from.process), NULL, "Name of the location group"},
    {"location", AT(from.location), NULL, "Name of the location"},
    {"sent", AT(way[SENT].messages), "messages", "Messages sent"},
    {"received", AT(way[RECEIVED].messages), "messages", "Messages received"},
    {"bytes_sent", AT(way[SENT].bytes) | TCF_CELL_LEADS, "bytes", "Bytes of the messages sent"},
    {"bytes_received", AT(way[RECEIVED].bytes), "bytes", "Bytes of the messages received"},
    {"collectives", AT(operation.count) | TCF_CELL_FOLLOWS, NULL, "Collective operations taken part in"},
    {"collective_bytes_sent", AT(operation.sent), "bytes", "Bytes sent in them"},
    {"collective_bytes_received", AT(operation.received), "bytes", "Bytes received in them"},
    {"puts", AT(way[PUT].messages), NULL, "One-sided puts of its own"},
    {"bytes_put", AT(way[PUT].bytes), "bytes", "Their bytes"},
    {"gets", AT(way[GOT].messages), NULL, "One-sided gets of its own"},
    {"bytes_got", AT(way[GOT].bytes), "bytes", "Their bytes"},
    {"atomics", AT(way[ATOMIC].messages), NULL, "One-sided atomic operations of its own"},
    {"bytes_atomic", AT(bytes_atomic), "bytes", "Bytes that atomic operations moved, either way"},
    {"id", AT(from.id) | TCF_CELL_DETAIL, NULL, "Id of the location group or location; 2^64 - 1: none"},
};

static const tcf_table_column operation_columns[] = {
    {"rank", AT(from.rank), NULL, "World rank; -1: none"},
    {"process", AT(from.process), NULL, "Name of the location group"},
    {"location", AT(from.location), NULL, "Name of the location"},
    {"operation", AT(name), NULL, "OTF2's name of the collective operation"},
    {"count", AT(operation.count) | TCF_CELL_FOLLOWS, NULL, "How often it was taken part in"},
    {"bytes_sent", AT(operation.sent) | TCF_CELL_LEADS, "bytes", "Bytes sent"},
    {"bytes_received", AT(operation.received), "bytes", "Bytes received"},
    {"id", AT(from.id) | TCF_CELL_DETAIL, NULL, "Id of the location group or location; 2^64 - 1: none"},
};

/* Names of locations are in tables by location only. */
static tcf_table *start_table(const work *w, const char *name, const char *title, const tcf_table_column *columns,
                              uint32_t n)
{
    tcf_table_column shown[TCF_COUNT(matrix_columns)]; /* more than the others have */
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!w->by_process || !strstr(columns[i].name, "location"))
            shown[m++] = columns[i];
    return w->self->host->table(w->self, name, title, shown, m);
}

#define TABLE(w, name, title, columns) start_table(w, name, title, columns, TCF_COUNT(columns))

static void add_row(const work *w, tcf_table *t, const flow *way, row r)
{
    memcpy(r.way, way, sizeof r.way);
    r.bytes_atomic = tcf_bytes_sum(way[ATOMIC].bytes, way[FETCHED].bytes);
    tcf_row(w->self, t, &r);
}

static int order_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    return TCF_FIRST(order_ends(&x->from, &y->from), order_ends(&x->to, &y->to));
}

static void write_matrix(work *w)
{
    tcf_table *t = TABLE(w, "comm_matrix", "Messages by sender and receiver", matrix_columns);
    tcf_sort(w->lines, w->n, sizeof *w->lines, order_lines);
    for (size_t i = 0; i < w->n; i++) {
        const line *x = &w->lines[i];
        add_row(w, t, x->way, (row){.from = names_of(w, x->from.end), .to = names_of(w, x->to.end)});
    }
}

/* Sums over the operations of an end. */
static operation all_operations(const work *w, uint32_t at)
{
    operation sum = {0};
    for (uint32_t o = 0; o < OPERATIONS; o++)
        operation_add(&sum, &w->operations[at * OPERATIONS + o]);
    return sum;
}

static void process_row(const work *w, tcf_table *t, uint32_t end)
{
    const uint32_t at = end < w->n_ends ? end : w->n_ends;
    const operation o = all_operations(w, at);
    const flow *way = &w->all[WAYS * at];
    /* Of the locations of a rank, the one that stands for it has a row even without messages. */
    const int counts = rank_of(w, end) != TCF_NONE && process_end(w->st, end) == end;
    uint64_t all = o.count;
    for (int k = SENT; k < WAYS; k++)
        all += way[k].messages;
    if (!counts && all == 0)
        return;
    add_row(w, t, way, (row){.from = names_of(w, end), .operation = o});
}

static void operation_rows(const work *w, tcf_table *t, uint32_t end)
{
    const uint32_t at = end < w->n_ends ? end : w->n_ends;
    for (uint32_t o = 0; o < OPERATIONS; o++) {
        const operation *x = &w->operations[at * OPERATIONS + o];
        if (x->count == 0)
            continue;
        const char *name = o < OPERATIONS - 1 ? w->self->host->enum_name("COLLECTIVE_OP", o) : NULL;
        tcf_row(w->self, t, &(row){.from = names_of(w, end), .name = name ? name : "(unknown)", .operation = *x});
    }
}

static int write_ends(work *w)
{
    ranked *end = malloc((w->n_ends + 1ul) * sizeof *end);
    tcf_table *processes =
        TABLE(w, "processes", w->by_process ? "Totals by process" : "Totals by location", process_columns);
    tcf_table *operations = TABLE(w, "collectives", "Collective operations", operation_columns);
    for (uint32_t i = 0; end && i <= w->n_ends; i++)
        end[i] = ranked_end(w, i < w->n_ends ? i : UNKNOWN);
    if (end)
        tcf_sort(end, w->n_ends, sizeof *end, order_ends);
    for (uint32_t i = 0; end && i <= w->n_ends; i++) {
        process_row(w, processes, end[i].end);
        operation_rows(w, operations, end[i].end);
    }
    free(end);
    return end ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void warn(const work *w)
{
    const tcf_self *self = w->self;
    flow sent = {0}, received = {0}, beyond = {0}, unknown = {0};
    for (uint32_t i = 0; i < w->n; i++) {
        const line *x = &w->lines[i];
        uint64_t all = 0;
        for (int way = SENT; way < WAYS; way++)
            all += x->way[way].messages;
        sent.messages += x->way[SENT].messages;
        received.messages += x->way[RECEIVED].messages;
        beyond.messages += x->from.end == BEYOND || x->to.end == BEYOND ? all : 0;
        unknown.messages += x->from.end == UNKNOWN || x->to.end == UNKNOWN ? all : 0;
    }
    if (sent.messages != received.messages)
        self->host->log(self, TCF_LOG_INFO, "%" PRIu64 " messages were sent, %" PRIu64 " received", sent.messages,
                        received.messages);
    tcf_warn(self, unknown.messages,
             "sends, receives and one-sided operations name a communicator that is not defined, or a rank that it "
             "does not have; their partner is unknown");
    if (beyond.messages)
        self->host->log(
            self, TCF_LOG_WARNING,
            "%" PRIu64
            " sends, receives and one-sided operations are counted without their partner: a location has more than "
            "max_pairs = %" PRId64 " of them",
            beyond.messages, ((const conf *)self->conf)->max_pairs);
}

tcf_status matrix_report(tcf_self *self)
{
    work w = {.self = self, .st = self->state, .by_process = ((const conf *)self->conf)->by == BY_PROCESS};
    int failed = add_all(&w);
    if (!failed) {
        write_matrix(&w);
        failed = write_ends(&w);
    }
    if (!failed)
        warn(&w);
    free(w.lines);
    tcf_map_free(&w.line_of);
    free(w.all);
    free(w.operations);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
