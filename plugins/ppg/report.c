/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables: vertices, places, values, metrics, edges, traffic, order, limits. */
#include "ppg.h"

#include "../shared/limits/limits.h"

#include <math.h>
#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <tcflow/order.h>
#include <tcflow/processes.h>
#include <tcflow/times.h>

typedef struct work {
    tcf_self *self;
    struct vertices v;
    uint32_t *place; /* by location: its index in the report; NONE: it has no events */
    uint32_t *ended; /* by vertex: the vertex of the call that most often ended it; NONE */
    uint64_t *ended_count;
} work;

/* What rows of the tables have, each of them some of it. Ticks. */
typedef struct row {
    const char *kind, *region, *file, *after, *to, *call_path, *name, *type, *pattern, *metric;
    uint32_t vertex, parent, line, location, process, rank, thread, from_vertex, from_location, next;
    uint64_t id, visits, time, waiting, count, bytes;
    double value;
} row;

#define AT(member) TCF_AT(row, member)
#define MAYBE(member) (TCF_AT(row, member) | TCF_CELL_OPTIONAL)

/* ------------------------------------------------------------------------------------------------------ vertices -- */

static int is_below(uint32_t kind, uint32_t above)
{
    while (kind != above && kind != WAIT_TIME)
        kind = wait_patterns[kind].parent;
    return kind == above;
}

/* By role and paradigm, where the name is none of MPI or POSIX threads. */
static const char *kind_of_others(const tcf_region *r)
{
    switch (r->role) {
    case OTF2_REGION_ROLE_LOOP:
        return "loop";
    case OTF2_REGION_ROLE_TASK:
    case OTF2_REGION_ROLE_TASK_UNTIED:
        return "task";
    case OTF2_REGION_ROLE_FILE_IO:
    case OTF2_REGION_ROLE_FILE_IO_METADATA:
        return "io";
    case OTF2_REGION_ROLE_ARTIFICIAL:
        return "measurement";
    }
    switch (r->paradigm) {
    case OTF2_PARADIGM_OPENMP:
        return "omp";
    case OTF2_PARADIGM_PTHREAD:
    case OTF2_PARADIGM_WINTHREAD:
    case OTF2_PARADIGM_QTTHREAD:
    case OTF2_PARADIGM_ACETHREAD:
    case OTF2_PARADIGM_TBBTHREAD:
        return "threads";
    case OTF2_PARADIGM_CUDA:
    case OTF2_PARADIGM_OPENCL:
    case OTF2_PARADIGM_OPENACC:
    case OTF2_PARADIGM_HMPP:
    case 23: /* OTF2_PARADIGM_HIP, of OTF2 3.0 */
        return "accelerator";
    case OTF2_PARADIGM_MEASUREMENT_SYSTEM:
        return "measurement";
    default:
        return "function";
    }
}

static const char *kind_of_region(const work *w, uint32_t region)
{
    const struct state *st = w->self->state;
    const tcf_region *r = tcf_region_at(w->self->defs, region);
    const uint32_t kind = st->use.waits->kind_of_region[region];
    return is_below(kind, WAIT_MPI_IO)           ? "io"
           : is_below(kind, WAIT_MPI)            ? "mpi"
           : st->use.waits->communicates[region] ? "communication"
           : is_below(kind, WAIT_PTHREAD)        ? "threads"
           : is_below(kind, WAIT_OVERHEAD)       ? "measurement"
           : is_below(kind, WAIT_IDLE)           ? "idle"
                                                 : kind_of_others(r);
}

/* The name of a region, which lasts until the next one. */
static const char *name_of(const work *w, uint32_t region, char buffer[REGION_NAME])
{
    return region_name_of(w->self->defs, region, NULL, buffer);
}

static void report_vertex(work *w, tcf_table *t, uint32_t vertex)
{
    const struct paths *paths = &w->v.paths;
    const tcf_definitions *defs = w->self->defs;
    const uint32_t node = w->v.node[vertex], n = defs->n_regions;
    char buffer[3][REGION_NAME];
    row r = {.vertex = vertex, .parent = w->v.parent[vertex], .kind = "rest", .line = NONE};
    if (node == NONE) {
        r.region = r.call_path = "(beyond max_vertices)";
    } else {
        uint32_t region = paths->nodes[node].region;
        r.call_path = path_text(&w->v.paths, node);
        if (node == 0) {
            r.kind = "root";
        } else if (tcf_is_computation(region)) {
            r.kind = "computation";
            r.after = name_of(w, region & ~TCF_COMPUTATION, buffer[1]);
            if (w->ended[vertex] != NONE)
                r.to = name_of(w, paths->nodes[w->v.node[w->ended[vertex]]].region, buffer[2]);
            region = paths->nodes[paths->nodes[node].parent].region;
        } else if (region < n) {
            r.kind = kind_of_region(w, region);
        } else if (region != TCF_NONE) {
            r.kind = "function"; /* of a calling context that nothing defines */
        }
        if (region != TCF_NONE)
            r.region = name_of(w, region, buffer[0]);
        if (region < n) {
            const tcf_region *x = tcf_region_at(defs, region);
            r.file = x->file && *x->file ? x->file : NULL;
            r.line = x->begin_line > 0 ? x->begin_line : NONE;
        }
    }
    tcf_row(w->self, t, &r);
}

static void report_vertices(work *w)
{
    static const tcf_table_column columns[] =
        {{"vertex", AT(vertex), NULL, "Number of the vertex, depth first"},
         {"parent", MAYBE(parent), NULL, "Vertex of the call path around; none: the root"},
         {"kind", AT(kind), NULL,
          "root, function, loop, task, mpi, communication, omp, threads, io, accelerator, measurement, computation, "
          "rest"},
         {"region", AT(region), NULL, "Name of the region; of computation that of the call path around"},
         {"file", AT(file), NULL, "Source file of the region"},
         {"line", MAYBE(line), NULL, "First line of the region"},
         {"after", AT(after), NULL, "Computation: the call in front of it"},
         {"to", AT(to), NULL, "Computation: the call that most often ended it"},
         {"call_path", AT(call_path), NULL, "The region and what called it; empty: outside of any call"}};
    tcf_table *t = TCF_TABLE(w->self, "vertices", "Vertices: call paths, and computation between calls", columns);
    for (uint32_t i = 0; i < w->v.n; i++)
        report_vertex(w, t, i);
}

/* -------------------------------------------------------------------------------------------------------- places -- */

static const char *type_of(uint8_t type)
{
    return type == TCF_CPU_THREAD           ? "cpu"
           : type == TCF_ACCELERATOR_STREAM ? "accelerator"
           : type == TCF_METRIC_LOCATION    ? "metric"
                                            : "unknown";
}

static tcf_status report_places(work *w)
{
    static const tcf_table_column columns[] =
        {{"location", AT(location), NULL, "Number of the location in these tables"},
         {"name", AT(name), NULL, "Its name"},
         {"process", AT(process), NULL, "Number of its process"},
         {"rank", MAYBE(rank), NULL, "World rank of its process"},
         {"thread", AT(thread), NULL, "Its number in the process; 0: the main thread"},
         {"type", AT(type), NULL, "cpu, accelerator, metric, unknown"},
         {"id", AT(id), NULL, "Id of the location, as in the columns `location` of other tables"}};
    tcf_table *t = TCF_TABLE(w->self, "places", "Locations", columns);
    const tcf_definitions *defs = w->self->defs;
    tcf_processes p = {0};
    uint32_t n = 0, *threads = NULL;
    int failed = tcf_processes_find(&p, defs) != 0 || !(threads = calloc(p.n + 1ul, sizeof *threads));
    for (uint32_t l = 0; !failed && l < defs->n_locations; l++) {
        const tcf_location *x = tcf_location_at(defs, l);
        const uint32_t process = p.of[l], thread = p.at[process].location == l ? 0 : ++threads[process];
        w->place[l] = waits_track_of(w->self, l)->started ? n++ : NONE;
        if (w->place[l] == NONE)
            continue;
        const row r = {.location = w->place[l],
                       .name = x->name,
                       .process = process,
                       .rank = p.unknown_ranks ? TCF_NONE : p.rank[l],
                       .thread = thread,
                       .type = type_of(x->type),
                       .id = x->id};
        tcf_row(w->self, t, &r);
    }
    free(threads);
    tcf_processes_free(&p);
    return failed ? w->self->host->fail(w->self, "out of memory for the processes") : TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- values -- */

static void add_values(const struct vertices *v, struct place *p, row *sums)
{
    for (uint32_t k = 0; k < p->cells.n_chunks; k++) {
        const struct cell *cells = (const void *)p->cells.chunk[k];
        for (uint32_t i = 0; cells && i < CELLS_A_CHUNK && k * CELLS_A_CHUNK + i < v->paths.n; i++) {
            const uint32_t vertex = v->of[k * CELLS_A_CHUNK + i];
            if (vertex == NONE)
                continue;
            sums[vertex].visits += cells[i].visits;
            sums[vertex].time += cells[i].time;
            sums[vertex].waiting = tcf_ticks_sum(sums[vertex].waiting, cells[i].waiting);
        }
    }
    path_cells_free(&p->cells); /* the rows take more memory than the cells */
}

/* Waits that overlap, or go on in inner calls, are no longer than the time of the vertex. */
static void add_value_rows(work *w, tcf_table *t, row *sums, uint32_t location)
{
    struct state *st = w->self->state;
    for (uint32_t i = 0; i < w->v.n; i++) {
        row *r = &sums[i];
        if (r->waiting > r->time) {
            st->limits.overlapping = tcf_ticks_sum(st->limits.overlapping, r->waiting - r->time);
            r->waiting = r->time;
        }
        r->vertex = i;
        r->location = w->place[location];
        if (r->visits > 0 || r->time > 0)
            tcf_row(w->self, t, r);
        *r = (row){0};
    }
}

static tcf_status report_values(work *w)
{
    static const tcf_table_column columns[] =
        {{"vertex", AT(vertex), NULL, "The vertex"},
         {"location", AT(location), NULL, "The location"},
         {"visits", AT(visits), NULL, "How often the location was there; 0 for time outside of calls"},
         {"time_s", AT(time) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Time without that of inner vertices"},
         {"waiting_s", AT(waiting) | TCF_CELL_SECONDS, "s", "How much of it the location waited for others"}};
    tcf_table *t = TCF_TABLE(w->self, "values", "Time of vertices by location", columns);
    row *sums = calloc(w->v.n + 1ul, sizeof *sums);
    for (uint32_t l = 0; sums && l < w->self->defs->n_locations; l++) {
        add_values(&w->v, tcf_location_state(w->self, l), sums);
        if (w->place[l] != NONE)
            add_value_rows(w, t, sums, l);
    }
    free(sums);
    return sums ? TCF_OK : w->self->host->fail(w->self, "out of memory for the values of %u vertices", w->v.n);
}

/* --------------------------------------------------------------------------------------------- metrics and edges -- */

/* Rows that are equal but for their amounts become one. Returns how many there are. */
static size_t merge(row *rows, size_t n, int (*compare)(const void *, const void *))
{
    size_t merged = 0;
    tcf_sort(rows, n, sizeof *rows, compare);
    for (size_t i = 0; i < n; i++) {
        row *last = merged > 0 ? &rows[merged - 1] : NULL;
        if (last && compare(last, &rows[i]) == 0) {
            last->count += rows[i].count;
            last->bytes = tcf_bytes_sum(last->bytes, rows[i].bytes);
            last->waiting = tcf_ticks_sum(last->waiting, rows[i].waiting);
            last->value += rows[i].value;
        } else {
            rows[merged++] = rows[i];
        }
    }
    return merged;
}

static int by_place(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->vertex, y->vertex), TCF_ORDER(x->location, y->location),
                     TCF_ORDER(x->from_vertex, y->from_vertex), TCF_ORDER(x->from_location, y->from_location),
                     TCF_ORDER(x->id, y->id));
}

static tcf_status no_memory(const work *w)
{
    return w->self->host->fail(w->self, "out of memory for the tables of results");
}

/* What recorded values are multiplied by. */
static double unit_of(const tcf_metric_member *m)
{
    return m && m->exponent != 0 ? pow(m->base == 0 ? 2 : 10, (double)m->exponent) : 1;
}

static tcf_status report_counters(work *w)
{
    static const tcf_table_column columns[] = {{"vertex", AT(vertex), NULL, "The vertex"},
                                               {"location", AT(location), NULL, "The location"},
                                               {"metric", AT(metric), NULL, "Name of the counter"},
                                               {"value", AT(value), NULL, "How much it grew there, in its unit"}};
    const struct state *st = w->self->state;
    const tcf_definitions *defs = w->self->defs;
    const uint32_t n = st->counter_by.index.n;
    tcf_table *t = TCF_TABLE(w->self, "metrics", "Counters of vertices by location", columns);
    row *rows = malloc((n + 1ul) * sizeof *rows);
    for (uint32_t i = 0; rows && i < n; i++) {
        const struct counter *c = &st->counters[i];
        const struct spot *s = &st->spots[c->spot];
        const tcf_metric_member *m = c->member == TCF_NONE ? NULL : tcf_metric_member_at(defs, c->member);
        rows[i] = (row){.vertex = w->v.of[s->callpath],
                        .location = w->place[s->location],
                        .metric = m ? m->name : "",
                        .id = (uint64_t)c->member << 8 | c->type,
                        .value = value_as_double(c->type, c->sum) * unit_of(m)};
    }
    if (rows)
        w->self->host->rows(t, rows, merge(rows, n, by_place), sizeof *rows);
    free(rows);
    return rows ? TCF_OK : no_memory(w);
}

static tcf_status report_edges(work *w)
{
    static const tcf_table_column columns[] = {
        {"vertex", MAYBE(vertex), NULL, "The vertex that waited; none: all beyond max_edges"},
        {"location", MAYBE(location), NULL, "The location that waited"},
        {"from_vertex", MAYBE(from_vertex), NULL, "What the other one was in when it came; none: nobody in particular"},
        {"from_location", MAYBE(from_location), NULL, "The location that was waited for"},
        {"pattern", AT(pattern), NULL, "Name of the wait, as in wait_states"},
        {"count", AT(count), NULL, "Waits"},
        {"bytes", AT(bytes), "bytes", "Of the messages, or of what operations gave to the location that waited"},
        {"waiting_s", AT(waiting) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "How long they waited in all"}};
    const struct state *st = w->self->state;
    size_t n = 0;
    tcf_table *t = TCF_TABLE(w->self, "edges", "Who waited for whom", columns);
    row *rows = malloc((st->edge_by.index.n + (size_t)WAIT_PATTERNS + 1) * sizeof *rows);
    for (uint32_t i = 0; rows && i < st->edge_by.index.n; i++) {
        const struct edge *e = &st->edges[i];
        const struct spot *s = &st->spots[e->spot], *from = e->from == NONE ? NULL : &st->spots[e->from];
        rows[n++] = (row){.vertex = w->v.of[s->callpath],
                          .location = w->place[s->location],
                          .from_vertex = from ? w->v.of[from->callpath] : NONE,
                          .from_location = from ? w->place[from->location] : NONE,
                          .pattern = wait_patterns[e->pattern].name,
                          .id = e->pattern,
                          .count = e->count,
                          .bytes = e->bytes,
                          .waiting = e->waiting};
    }
    for (uint32_t i = 0; rows && i < WAIT_PATTERNS; i++) {
        const struct edge *e = &st->edges_beyond[i];
        if (e->count > 0)
            rows[n++] = (row){.vertex = NONE,
                              .location = NONE,
                              .from_vertex = NONE,
                              .from_location = NONE,
                              .pattern = wait_patterns[i].name,
                              .id = i,
                              .count = e->count,
                              .bytes = e->bytes,
                              .waiting = e->waiting};
    }
    if (rows)
        w->self->host->rows(t, rows, merge(rows, n, by_place), sizeof *rows);
    free(rows);
    return rows ? TCF_OK : no_memory(w);
}

/* --------------------------------------------------------------------------------------------- traffic and order -- */

/* The pairs of a relation, as vertex and from_vertex. */
static size_t pairs_of(const work *w, uint32_t relation, row *rows)
{
    const struct state *st = w->self->state;
    size_t n = 0;
    for (uint32_t i = 0; i < st->pair_by.index.n; i++) {
        const struct pair *p = &st->pairs[i];
        if (p->relation == relation)
            rows[n++] =
                (row){.vertex = w->v.of[p->a], .from_vertex = w->v.of[p->b], .count = p->count, .bytes = p->bytes};
    }
    return merge(rows, n, by_place);
}

static void report_traffic(work *w, row *rows)
{
    static const tcf_table_column columns[] = {{"vertex", AT(vertex), NULL, "The vertex that received"},
                                               {"from_vertex", AT(from_vertex), NULL,
                                                "What the sender, or the member which came last, was in"},
                                               {"count", AT(count), NULL,
                                                "Messages, and members of operations that get data or wait"},
                                               {"bytes", AT(bytes) | TCF_CELL_LEADS, "bytes", "What was received"}};
    tcf_table *t = TCF_TABLE(w->self, "traffic", "All communication, of all locations together", columns);
    w->self->host->rows(t, rows, pairs_of(w, RECEIVES_FROM, rows), sizeof *rows);
}

static int by_parent(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->parent, y->parent), TCF_ORDER(x->vertex + 1, y->vertex + 1),
                     TCF_ORDER(x->next, y->next));
}

/* Children that max_vertices has folded stand in the rest, whichever parent they had. */
static void report_order(work *w, row *rows)
{
    static const tcf_table_column columns[] = {{"parent", AT(parent), NULL, "The vertex around"},
                                               {"vertex", MAYBE(vertex), NULL, "A child of it; none: nothing before"},
                                               {"next", MAYBE(next), NULL,
                                                "The child which follows; none: nothing behind"},
                                               {"count", AT(count), NULL, "How often, over all locations"}};
    const struct state *st = w->self->state;
    const struct vertices *v = &w->v;
    tcf_table *t = TCF_TABLE(w->self, "order", "Which child follows which", columns);
    size_t n = 0;
    for (uint32_t i = 0; i < st->pair_by.index.n; i++) {
        const struct pair *p = &st->pairs[i];
        if (p->relation == FOLLOWED_BY)
            rows[n++] = (row){.parent = v->of[v->paths.nodes[p->a].parent],
                              .vertex = v->of[p->a],
                              .next = v->of[p->b],
                              .count = p->count};
    }
    for (uint32_t i = 1; i < st->n_nodes && i < v->paths.n; i++) {
        const struct node *x = &st->nodes[i];
        const uint32_t parent = v->of[v->paths.nodes[i].parent];
        if (x->first > 0)
            rows[n++] = (row){.parent = parent, .vertex = NONE, .next = v->of[i], .count = x->first};
        if (x->last > 0)
            rows[n++] = (row){.parent = parent, .vertex = v->of[i], .next = NONE, .count = x->last};
    }
    w->self->host->rows(t, rows, merge(rows, n, by_parent), sizeof *rows);
}

static void find_ended(work *w, row *rows)
{
    const size_t n = pairs_of(w, ENDED_BY, rows);
    for (uint32_t i = 0; i < w->v.n; i++)
        w->ended[i] = NONE;
    for (size_t i = 0; i < n; i++) {
        const row *r = &rows[i];
        if (w->v.node[r->from_vertex] == NONE || r->count <= w->ended_count[r->vertex])
            continue;
        w->ended_count[r->vertex] = r->count;
        w->ended[r->vertex] = r->from_vertex;
    }
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

static void report_limits(work *w)
{
    const struct state *st = w->self->state;
    const waits_counts *counts = &st->use.waits->counts;
    uint64_t reversed = 0, beyond = 0;
    for (int i = 0; i < WAITS_EDGES; i++)
        reversed += counts->reversed[i];
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++)
        beyond += st->edges_beyond[i].count;
    const struct limit rows[] = {
        {"max_vertices", "vertices, those with the least time, are one: (beyond max_vertices)", st->limits.folded, 1},
        {"max_edges", "waits are in edges by pattern alone", beyond, 1},
        {"max_edges (order)", "steps from one child to the next are not in order", st->limits.pairs[FOLLOWED_BY], 1},
        {"max_edges (to)", "ends of computation are not counted for `to`", st->limits.pairs[ENDED_BY], 1},
        {"max_edges (traffic)", "messages, and members of operations, are not in traffic",
         st->limits.pairs[RECEIVES_FROM], 1},
        {"max_edges (metrics)", "samples are not in metrics", st->limits.counters, 1},
        {"max_callpaths", "call paths have no computation behind them: their parent's own time has it",
         st->limits.computation, 1},
        {"max_open", "messages and requests were let go: late receivers and non-blocking operations may be missing",
         counts->let_go, 1},
        {"values", "values of metrics are no numbers, or of another type than the first", st->limits.left_out, 1},
        {"overlapping", "ticks of waits are not in waiting_s: they overlap others, or inner calls",
         st->limits.overlapping, 0},
        {"reversed", "receives, ends and the like came before what they wait for: clocks are not right", reversed, 1},
    };
    report_limit_rows(w->self, rows, TCF_COUNT(rows), "");
}

static tcf_status report_all(work *w)
{
    const struct state *st = w->self->state;
    row *rows = malloc((st->pair_by.index.n + 2ul * st->n_nodes + 1) * sizeof *rows);
    w->place = malloc((w->self->defs->n_locations + 1ul) * sizeof *w->place);
    w->ended = malloc((w->v.n + 1ul) * sizeof *w->ended);
    w->ended_count = calloc(w->v.n + 1ul, sizeof *w->ended_count);
    if (!rows || !w->place || !w->ended || !w->ended_count) {
        free(rows);
        return no_memory(w);
    }
    find_ended(w, rows);
    report_vertices(w);
    tcf_status status = report_places(w) == TCF_OK ? report_values(w) : TCF_ERROR;
    if (status == TCF_OK && w->self->defs->n_metrics > 0)
        status = report_counters(w);
    if (status == TCF_OK)
        status = report_edges(w);
    if (status == TCF_OK) {
        report_traffic(w, rows);
        report_order(w, rows);
        report_limits(w);
    }
    free(rows);
    return status;
}

tcf_status report(tcf_self *self)
{
    work w = {.self = self};
    if (vertices_make(self, &w.v) != TCF_OK)
        return TCF_ERROR;
    const tcf_status status = report_all(&w);
    const int lost = w.v.paths.out_of_memory;
    vertices_free(&w.v);
    free(w.place);
    free(w.ended);
    free(w.ended_count);
    return status == TCF_OK && lost ? no_memory(&w) : status;
}
