/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_matrix's tables of results. Runs once, at the end: puts the locations of a process together, and the sender's
 * side of each pair with the receiver's. */
#include "comm_matrix.h"

#include <tcflow/grow.h>

#include <inttypes.h>
#include <stdlib.h>

/* An end where it stands among the others: ranks in order, whoever has none behind them. */
typedef struct ranked {
    uint32_t rank, end;
} ranked;

/* A line of the matrix. */
typedef struct line {
    ranked from, to;
    flow way[WAYS];
} line;

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
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : x->end < y->end ? -1 : x->end > y->end;
}

/* What a row says of an end: rank, process, with by = location the location, and the id. */

static tcf_cell rank_cell(const work *w, uint32_t end)
{
    const uint32_t rank = rank_of(w, end);
    return tcf_int(rank == TCF_NONE ? -1 : (int64_t)rank);
}

static tcf_cell process_cell(const work *w, uint32_t end)
{
    const uint32_t group = group_of(w, end);
    if (group == TCF_NONE)
        return tcf_text(end == BEYOND ? "(beyond max_pairs)" : "(unknown)");
    return tcf_text(tcf_location_group_at(w->self->defs, group)->name);
}

static tcf_cell location_cell(const work *w, uint32_t end)
{
    return tcf_text(end < w->n_ends ? tcf_location_at(w->self->defs, end)->name : NULL);
}

static tcf_cell id_cell(const work *w, uint32_t end)
{
    const tcf_definitions *defs = w->self->defs;
    if (end >= w->n_ends)
        return tcf_uint(UINT64_MAX);
    return tcf_uint(w->by_process ? tcf_location_group_at(defs, group_of(w, end))->id : tcf_location_at(defs, end)->id);
}

/* ---------------------------------------------------------------------------------------------------------- sums -- */

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
    w->lines[at].way[way].messages += f.messages;
    w->lines[at].way[way].bytes += f.bytes;
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
            w->all[WAYS * at + (uint32_t)way].messages += x->way[way].messages;
            w->all[WAYS * at + (uint32_t)way].bytes += x->way[way].bytes;
        }
    }
    for (uint32_t o = 0; o < OPERATIONS; o++) {
        operation *sum = &w->operations[at * OPERATIONS + o];
        sum->count += p->operations[o].count;
        sum->sent += p->operations[o].sent;
        sum->received += p->operations[o].received;
    }
    return 0;
}

static int add_all(work *w)
{
    const tcf_definitions *defs = w->self->defs;
    w->n_ends = defs->n_locations;
    w->all = calloc(WAYS * (w->n_ends + 1ul), sizeof *w->all);
    w->operations = calloc(OPERATIONS * (w->n_ends + 1ul), sizeof *w->operations);
    int failed = !w->all || !w->operations;
    for (uint32_t l = 0; l < defs->n_locations && !failed; l++)
        failed = add_location(w, l);
    return failed;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

enum { ANY = 1, OF_LOCATIONS = 2 }; /* in which tables a column is */

typedef struct column {
    int in;
    tcf_table_column column;
} column;

#define RANK(name, text)                                                                                               \
    {                                                                                                                  \
        ANY,                                                                                                           \
        {                                                                                                              \
            name, TCF_CELL_INT, NULL, text "; -1: none"                                                                \
        }                                                                                                              \
    }
#define PROCESS(name, text)                                                                                            \
    {                                                                                                                  \
        ANY,                                                                                                           \
        {                                                                                                              \
            name, TCF_CELL_TEXT, NULL, text                                                                            \
        }                                                                                                              \
    }
#define LOCATION(name, text)                                                                                           \
    {                                                                                                                  \
        OF_LOCATIONS,                                                                                                  \
        {                                                                                                              \
            name, TCF_CELL_TEXT, NULL, text                                                                            \
        }                                                                                                              \
    }
#define NUMBER(name, unit, text)                                                                                       \
    {                                                                                                                  \
        ANY,                                                                                                           \
        {                                                                                                              \
            name, TCF_CELL_UINT, unit, text                                                                            \
        }                                                                                                              \
    }
#define LEADING(name, unit, text)                                                                                      \
    {                                                                                                                  \
        ANY,                                                                                                           \
        {                                                                                                              \
            name, TCF_CELL_UINT | TCF_CELL_LEADS, unit, text                                                           \
        }                                                                                                              \
    }
#define ONE_SIDED(puts, gets, moved)                                                                                   \
    NUMBER("puts", NULL, "One-sided puts " puts), NUMBER("bytes_put", "bytes", "Their bytes"),                         \
        NUMBER("gets", NULL, "One-sided gets " gets), NUMBER("bytes_got", "bytes", "Their bytes"),                     \
        NUMBER("atomics", NULL, "One-sided atomic operations " puts),                                                  \
        NUMBER("bytes_atomic", "bytes", "Bytes that atomic operations " moved)
#define ID(name, text)                                                                                                 \
    {                                                                                                                  \
        ANY,                                                                                                           \
        {                                                                                                              \
            name, TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, text                                                          \
        }                                                                                                              \
    }

static const column matrix_columns[] = {
    RANK("sender_rank", "World rank of who sends"),
    PROCESS("sender", "Its name"),
    LOCATION("sender_location", "Name of the location"),
    RANK("receiver_rank", "World rank of who receives"),
    PROCESS("receiver", "Its name"),
    LOCATION("receiver_location", "Name of the location"),
    NUMBER("sent", "messages", "Messages as the sender recorded them"),
    NUMBER("received", "messages", "Messages as the receiver recorded them"),
    LEADING("bytes_sent", "bytes", "Bytes of the messages sent"),
    NUMBER("bytes_received", "bytes", "Bytes of the messages received"),
    ONE_SIDED("by the sender", "by the receiver", "moved from the sender to the receiver"),
    ID("sender_id", "Id of the location group or location; 2^64 - 1: none"),
    ID("receiver_id", "Id of the location group or location; 2^64 - 1: none"),
};

static const column process_columns[] = {
    RANK("rank", "World rank"),
    PROCESS("process", "Name of the location group"),
    LOCATION("location", "Name of the location"),
    NUMBER("sent", "messages", "Messages sent"),
    NUMBER("received", "messages", "Messages received"),
    LEADING("bytes_sent", "bytes", "Bytes of the messages sent"),
    NUMBER("bytes_received", "bytes", "Bytes of the messages received"),
    NUMBER("collectives", NULL, "Collective operations taken part in"),
    NUMBER("collective_bytes_sent", "bytes", "Bytes sent in them"),
    NUMBER("collective_bytes_received", "bytes", "Bytes received in them"),
    ONE_SIDED("of its own", "of its own", "moved, either way"),
    ID("id", "Id of the location group or location; 2^64 - 1: none"),
};

static const column operation_columns[] = {
    RANK("rank", "World rank"),
    PROCESS("process", "Name of the location group"),
    LOCATION("location", "Name of the location"),
    PROCESS("operation", "OTF2's name of the collective operation"),
    NUMBER("count", NULL, "How often it was taken part in"),
    LEADING("bytes_sent", "bytes", "Bytes sent"),
    NUMBER("bytes_received", "bytes", "Bytes received"),
    ID("id", "Id of the location group or location; 2^64 - 1: none"),
};

enum { MOST_COLUMNS = TCF_COUNT(process_columns) + 1 };
_Static_assert(MOST_COLUMNS >= TCF_COUNT(matrix_columns) && MOST_COLUMNS >= TCF_COUNT(operation_columns), "rows fit");

static tcf_table *start_table(const work *w, const char *name, const char *title, const column *columns, uint32_t n)
{
    tcf_table_column shown[MOST_COLUMNS];
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++)
        if (columns[i].in == ANY || !w->by_process)
            shown[m++] = columns[i].column;
    return w->self->host->table(w->self, name, title, shown, m);
}

#define TABLE(w, name, title, columns) start_table(w, name, title, columns, TCF_COUNT(columns))

/* The first cells of a row; their number. */
static uint32_t put_end(const work *w, tcf_cell *c, uint32_t end)
{
    uint32_t n = 0;
    c[n++] = rank_cell(w, end);
    c[n++] = process_cell(w, end);
    if (!w->by_process)
        c[n++] = location_cell(w, end);
    return n;
}

static uint32_t put_flows(tcf_cell *c, const flow *way)
{
    c[0] = tcf_uint(way[SENT].messages);
    c[1] = tcf_uint(way[RECEIVED].messages);
    c[2] = tcf_uint(way[SENT].bytes);
    c[3] = tcf_uint(way[RECEIVED].bytes);
    return 4;
}

static uint32_t put_one_sided(tcf_cell *c, const flow *way)
{
    c[0] = tcf_uint(way[PUT].messages);
    c[1] = tcf_uint(way[PUT].bytes);
    c[2] = tcf_uint(way[GOT].messages);
    c[3] = tcf_uint(way[GOT].bytes);
    c[4] = tcf_uint(way[ATOMIC].messages);
    c[5] = tcf_uint(way[ATOMIC].bytes + way[FETCHED].bytes);
    return 6;
}

static int order_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    const int order = order_ends(&x->from, &y->from);
    return order ? order : order_ends(&x->to, &y->to);
}

static int write_matrix(work *w)
{
    tcf_table *t = TABLE(w, "comm_matrix", "Messages by sender and receiver", matrix_columns);
    if (w->n > 0)
        qsort(w->lines, w->n, sizeof *w->lines, order_lines);
    for (uint32_t i = 0; t && i < w->n; i++) {
        const line *x = &w->lines[i];
        tcf_cell cells[MOST_COLUMNS];
        uint32_t n = put_end(w, cells, x->from.end);
        n += put_end(w, cells + n, x->to.end);
        n += put_flows(cells + n, x->way);
        n += put_one_sided(cells + n, x->way);
        cells[n++] = id_cell(w, x->from.end);
        cells[n] = id_cell(w, x->to.end);
        w->self->host->row(t, cells);
    }
    return t ? 0 : -1;
}

/* Sums over the operations of an end. */
static operation all_operations(const work *w, uint32_t at)
{
    operation sum = {0};
    for (uint32_t o = 0; o < OPERATIONS; o++) {
        const operation *x = &w->operations[at * OPERATIONS + o];
        sum.count += x->count;
        sum.sent += x->sent;
        sum.received += x->received;
    }
    return sum;
}

static void process_row(const work *w, tcf_table *t, uint32_t end)
{
    const uint32_t at = end < w->n_ends ? end : w->n_ends;
    const operation o = all_operations(w, at);
    const flow *way = &w->all[WAYS * at];
    tcf_cell cells[MOST_COLUMNS];
    /* Of the locations of a rank only the one that stands for it is there in any case. */
    const int counts = rank_of(w, end) != TCF_NONE && process_end(w->st, end) == end;
    uint64_t all = o.count;
    for (int k = SENT; k < WAYS; k++)
        all += way[k].messages;
    if (!counts && all == 0)
        return;
    uint32_t n = put_end(w, cells, end);
    n += put_flows(cells + n, way);
    cells[n++] = tcf_uint(o.count);
    cells[n++] = tcf_uint(o.sent);
    cells[n++] = tcf_uint(o.received);
    n += put_one_sided(cells + n, way);
    cells[n] = id_cell(w, end);
    w->self->host->row(t, cells);
}

static void operation_rows(const work *w, tcf_table *t, uint32_t end)
{
    const uint32_t at = end < w->n_ends ? end : w->n_ends;
    for (uint32_t o = 0; o < OPERATIONS; o++) {
        const operation *x = &w->operations[at * OPERATIONS + o];
        const char *name = o < OPERATIONS - 1 ? w->self->host->enum_name("COLLECTIVE_OP", o) : NULL;
        tcf_cell cells[MOST_COLUMNS];
        if (x->count == 0)
            continue;
        uint32_t n = put_end(w, cells, end);
        cells[n++] = tcf_text(name ? name : "(unknown)");
        cells[n++] = tcf_uint(x->count);
        cells[n++] = tcf_uint(x->sent);
        cells[n++] = tcf_uint(x->received);
        cells[n] = id_cell(w, end);
        w->self->host->row(t, cells);
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
        qsort(end, w->n_ends, sizeof *end, order_ends);
    for (uint32_t i = 0; end && processes && operations && i <= w->n_ends; i++) {
        process_row(w, processes, end[i].end);
        operation_rows(w, operations, end[i].end);
    }
    free(end);
    return end && processes && operations ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void tell(const work *w)
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
    if (unknown.messages)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " sends, receives and one-sided operations name a communicator or rank that nobody "
                        "has; their partner is unknown",
                        unknown.messages);
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
    const int failed = add_all(&w) != 0 || write_matrix(&w) != 0 || write_ends(&w) != 0;
    if (!failed)
        tell(&w);
    free(w.lines);
    tcf_map_free(&w.line_of);
    free(w.all);
    free(w.operations);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
