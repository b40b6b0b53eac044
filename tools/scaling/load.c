/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads the databases, one after another by their number of processes. Of each run the sums of its vertices stay, of
 * the largest run its cells, too. Ends the program where runs do not fit together, or a table is missing. */
#include "scaling.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

static const char advice[] = "make it by tcflow -c scaling -i TRACE -o pipeline.database=FILE";

/* A database being read. Vertices have the run's numbers there, and the study's in `vertex`. */
struct load {
    struct study *s;
    struct run *run;
    struct database *db;
    uint32_t *vertex, n_vertices, vertices_capacity;
    uint32_t *process_of, n_places, places_capacity; /* by location; NONE: no processor */
    tcf_map place;                                   /* of a location's id */
    uint64_t *rank;
    uint32_t n_processes, ranks_capacity;
    uint32_t n_processors;                  /* places */
    double *own, *waiting, *delay, *visits; /* cells by vertex of the study; visits by vertex */
    uint32_t n_cells_of;                    /* vertices of the study that there are cells for */
    struct wait_edge *edge;
};

static struct sqlite3_stmt *table_of(struct load *l, const char *filter, const char *table, const char *columns)
{
    struct sqlite3_stmt *row = database_table(l->db, filter, table, columns);
    if (!row)
        fail("'%s' has no table '%s' of %s: %s", l->db->path, table, filter ? filter : "the run", advice);
    return row;
}

static _Noreturn void bad_row(const struct load *l, const char *table, const char *column, double value)
{
    fail("'%s': the table '%s' has %g for '%s', which no other table knows; %s again", l->db->path, table, value,
         column, advice);
}

/* A number below n, or NONE for NULL. */
static uint32_t index_of(struct load *l, struct sqlite3_stmt *row, int column, uint32_t n, const char *table,
                         const char *name)
{
    double number = database_number(row, column);
    if (isnan(number))
        return NONE;
    if (!(number >= 0 && number < n))
        bad_row(l, table, name, number);
    return (uint32_t)number;
}

static double positive(struct sqlite3_stmt *row, int column)
{
    double number = database_number(row, column);
    return number > 0 ? number : 0;
}

/* ------------------------------------------------------------------------------------------------------ vertices -- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        hash = (hash ^ *s) * 1099511628211u;
    return hash;
}

static bool is_same(const struct vertex *a, const struct vertex *b)
{
    return strcmp(a->call_path, b->call_path) == 0 && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* The names of MPI in C and in Fortran, and of its profiling interface. */
static bool is_apart(const char *region)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"};
    char plain[32];
    size_t n = strlen(region);
    if (n > 0 && (*region == 'P' || *region == 'p'))
        region++, n--;
    while (n > 0 && region[n - 1] == '_')
        n--;
    snprintf(plain, sizeof plain, "%.*s", (int)n, region);
    for (size_t i = 0; i < TCF_COUNT(names); i++)
        if (n < sizeof plain && strcasecmp(plain, names[i]) == 0)
            return true;
    return false;
}

/* The study's vertex which is the same; a new one where there is none. Takes over the texts. */
static uint32_t find_vertex(struct study *s, struct vertex *v)
{
    uint64_t hash = hash_of(v->call_path);
    uint32_t found, again = 0;
    for (; (found = tcf_map_get(&s->vertex_of, hash, again)) != TCF_MAP_ABSENT; again++)
        if (is_same(&s->vertex[found], v)) {
            free(v->call_path);
            free(v->region);
            free(v->kind);
            free(v->file);
            return found;
        }
    if (TCF_GROW(&s->vertex, &s->vertex_capacity, s->n_vertices) != 0 ||
        tcf_map_put(&s->vertex_of, hash, again, s->n_vertices) != 0)
        fail("out of memory");
    v->computation = strcmp(v->kind, "computation") == 0;
    v->communication = strcmp(v->kind, "mpi") == 0 || strcmp(v->kind, "communication") == 0;
    v->apart = is_apart(v->region) || (v->parent != NONE && s->vertex[v->parent].apart);
    s->vertex[s->n_vertices] = *v;
    return s->n_vertices++;
}

static void load_vertices(struct load *l)
{
    static const char table[] = "vertices";
    struct sqlite3_stmt *row = table_of(l, "ppg", table, "vertex parent kind region file line call_path");
    while (database_row(l->db, table, row)) {
        if (database_number(row, 0) != l->n_vertices)
            bad_row(l, table, "vertex", database_number(row, 0));
        if (TCF_GROW(&l->vertex, &l->vertices_capacity, l->n_vertices) != 0)
            fail("out of memory");
        uint32_t parent = index_of(l, row, 1, l->n_vertices, table, "parent");
        struct vertex v = {.parent = parent == NONE ? NONE : l->vertex[parent]};
        v.kind = database_text(row, 2);
        v.region = database_text(row, 3);
        v.file = database_text(row, 4);
        v.line = (uint32_t)positive(row, 5);
        v.call_path = database_text(row, 6);
        l->vertex[l->n_vertices++] = find_vertex(l->s, &v);
    }
    if (l->n_vertices == 0)
        fail("'%s': the table '%s' of ppg is empty; a trace without events?", l->db->path, table);
}

/* -------------------------------------------------------------------------------------------------------- places -- */

static bool is_processor(const char *type)
{
    return strcmp(type, "accelerator") != 0 && strcmp(type, "metric") != 0;
}

static void add_process(struct load *l, uint32_t process, uint32_t rank)
{
    for (; l->n_processes <= process; l->n_processes++) {
        if (TCF_GROW(&l->rank, &l->ranks_capacity, l->n_processes) != 0)
            fail("out of memory");
        l->rank[l->n_processes] = NONE;
    }
    if (rank != NONE)
        l->rank[process] = rank;
}

static void load_places(struct load *l)
{
    enum { AT_LOCATION, AT_PROCESS, AT_RANK, AT_TYPE, AT_ID, MOST = 1 << 24 };
    static const char table[] = "places";
    struct sqlite3_stmt *row = table_of(l, "ppg", table, "location process rank type id");
    while (database_row(l->db, table, row)) {
        uint32_t process = index_of(l, row, AT_PROCESS, MOST, table, "process");
        char *type = database_text(row, AT_TYPE), *id = database_text(row, AT_ID);
        if (database_number(row, AT_LOCATION) != l->n_places)
            bad_row(l, table, "location", database_number(row, AT_LOCATION));
        if (TCF_GROW(&l->process_of, &l->places_capacity, l->n_places) != 0 ||
            tcf_map_put(&l->place, strtoull(id, NULL, 10), 0, l->n_places) != 0)
            fail("out of memory");
        l->process_of[l->n_places++] = is_processor(type) ? process : NONE;
        l->n_processors += is_processor(type);
        if (is_processor(type) && process != NONE)
            add_process(l, process, index_of(l, row, AT_RANK, UINT32_MAX, table, "rank"));
        free(type);
        free(id);
    }
    for (uint32_t p = 0; p < l->n_processes; p++)
        l->rank[p] = l->rank[p] == NONE ? p : l->rank[p];
    if (l->n_processes == 0)
        fail("'%s': the table '%s' of ppg has no process; %s again", l->db->path, table, advice);
}

/* --------------------------------------------------------------------------------------------------------- cells -- */

static void make_cells(struct load *l)
{
    size_t n = (size_t)l->s->n_vertices * l->n_processes;
    l->n_cells_of = l->s->n_vertices;
    l->own = allocate(n, sizeof *l->own);
    l->waiting = allocate(n, sizeof *l->waiting);
    l->delay = allocate(n, sizeof *l->delay);
    l->visits = allocate(l->s->n_vertices, sizeof *l->visits);
}

/* The cell of a row with a vertex and a location; SIZE_MAX: of no processor. */
static size_t cell_of(struct load *l, struct sqlite3_stmt *row, int column, const char *table, uint32_t *vertex)
{
    uint32_t v = index_of(l, row, column, l->n_vertices, table, "vertex");
    uint32_t location = index_of(l, row, column + 1, l->n_places, table, "location");
    if (v == NONE || location == NONE || l->process_of[location] == NONE)
        return SIZE_MAX;
    *vertex = l->vertex[v];
    return (size_t)l->vertex[v] * l->n_processes + l->process_of[location];
}

static void load_values(struct load *l)
{
    static const char table[] = "values";
    struct sqlite3_stmt *row = table_of(l, "ppg", table, "vertex location visits time_s waiting_s");
    while (database_row(l->db, table, row)) {
        uint32_t vertex;
        size_t cell = cell_of(l, row, 0, table, &vertex);
        if (cell == SIZE_MAX)
            continue;
        double time = positive(row, 3), waiting = positive(row, 4);
        waiting = waiting < time ? waiting : time;
        l->own[cell] += time - waiting;
        l->waiting[cell] += waiting;
        l->visits[vertex] += positive(row, 2);
        l->run->time += time;
    }
}

/* Call paths of root_cause are texts: those of one name and another file or line count for the first of them. */
static void load_delays(struct load *l)
{
    static const char table[] = "locations";
    struct database *db = l->db;
    struct sqlite3_stmt *row = database_table(db, "root_cause", table, "location short_term long_term call_path");
    if (!row)
        fail("'%s' has no table '%s' of root_cause, which has it with by_location = yes: %s", db->path, table, advice);
    while (database_row(db, table, row)) {
        char *id = database_text(row, 0), *path = database_text(row, 3);
        uint32_t place = tcf_map_get(&l->place, strtoull(id, NULL, 10), 0);
        uint32_t vertex = tcf_map_get(&l->s->vertex_of, hash_of(path), 0);
        double cost = positive(row, 1) + positive(row, 2);
        if (place != TCF_MAP_ABSENT && l->process_of[place] != NONE && vertex != TCF_MAP_ABSENT)
            l->delay[(size_t)vertex * l->n_processes + l->process_of[place]] += cost;
        free(id);
        free(path);
    }
}

/* What takes a time delays nobody by more, so all others together by so many times that. root_cause charges more where
 * both sides of a wait had waited for the same before. What is beyond has no known cause. */
static void cap_delays(struct load *l)
{
    size_t n = (size_t)l->n_cells_of * l->n_processes;
    for (size_t i = 0; i < n; i++) {
        double most = l->own[i] * (l->n_processors - 1);
        l->delay[i] = l->delay[i] < most ? l->delay[i] : most;
    }
}

/* --------------------------------------------------------------------------------------------------------- graph -- */

static void load_edges(struct load *l)
{
    static const char table[] = "edges";
    struct sqlite3_stmt *row = table_of(l, "ppg", table, "vertex location from_vertex from_location waiting_s");
    size_t n = (size_t)l->n_cells_of * l->n_processes;
    l->edge = allocate(n, sizeof *l->edge);
    for (size_t i = 0; i < n; i++)
        l->edge[i] = (struct wait_edge){NONE, NONE, 0};
    while (database_row(l->db, table, row)) {
        uint32_t vertex, from;
        size_t cell = cell_of(l, row, 0, table, &vertex), from_cell = cell_of(l, row, 2, table, &from);
        double waiting = positive(row, 4);
        if (cell == SIZE_MAX || from_cell == SIZE_MAX || waiting <= l->edge[cell].waiting)
            continue;
        uint32_t process = (uint32_t)(from_cell % l->n_processes);
        if (process != cell % l->n_processes)
            l->edge[cell] = (struct wait_edge){from, process, waiting};
    }
}

static void load_order(struct load *l)
{
    static const char table[] = "order";
    struct graph *g = &l->s->graph;
    struct sqlite3_stmt *row = table_of(l, "ppg", table, "parent vertex next count");
    while (database_row(l->db, table, row)) {
        uint32_t v[3];
        for (int i = 0; i < 3; i++) {
            v[i] = index_of(l, row, i, l->n_vertices, table, "vertex");
            v[i] = v[i] == NONE ? NONE : l->vertex[v[i]];
        }
        if (TCF_GROW(&g->order, &g->order_capacity, g->n_order) != 0)
            fail("out of memory");
        g->order[g->n_order++] = (struct order_row){v[0], v[1], v[2], positive(row, 3)};
    }
}

static void keep_graph(struct load *l)
{
    struct graph *g = &l->s->graph;
    load_edges(l);
    load_order(l);
    g->n_processes = l->n_processes;
    g->n_vertices = l->n_cells_of;
    g->n_processors = l->n_processors;
    g->rank = l->rank;
    g->own = l->own;
    g->waiting = l->waiting;
    g->delay = l->delay;
    g->edge = l->edge;
}

/* ---------------------------------------------------------------------------------------------------------- sums -- */

double nth_value(double *values, uint32_t n, uint32_t k)
{
    uint32_t first = 0, last = n - 1;
    while (first < last) { /* Hoare's selection */
        double pivot = values[first + (last - first) / 2];
        uint32_t i = first, j = last;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i > j)
                break;
            double other = values[i];
            values[i++] = values[j];
            values[j] = other;
            if (j == 0)
                break;
            j--;
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            break;
    }
    return values[k];
}

double median_of(double *values, uint32_t n)
{
    double upper = nth_value(values, n, n / 2);
    return n % 2 ? upper : (upper + nth_value(values, n, n / 2 - 1)) / 2;
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return TCF_ORDER(*x, *y);
}

/* The mean of the slower of two clusters: those with the least sum of squares. Of equal values that of all. */
static double slower_cluster(double *values, uint32_t n)
{
    double sum = 0, below = 0, best = 0, found;
    tcf_sort(values, n, sizeof *values, compare_numbers);
    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    found = sum / n;
    for (uint32_t i = 1; i < n; i++) {
        below += values[i - 1];
        double difference = (sum - below) / (n - i) - below / i, between = difference * difference * i * (n - i);
        if (between > best * (1 + 1e-12)) {
            best = between;
            found = (sum - below) / (n - i);
        }
    }
    return found;
}

static double combine(const struct load *l, double *values)
{
    const struct options *o = l->s->options;
    double sum = 0, most = 0;
    uint32_t n = l->n_processes;
    for (uint32_t p = 0; p < n; p++) {
        sum += values[p];
        most = values[p] > most ? values[p] : most;
        if (o->aggregate == PROCESS && l->rank[p] == o->process)
            return values[p];
    }
    return o->aggregate == MEDIAN     ? median_of(values, n)
           : o->aggregate == MAXIMUM  ? most
           : o->aggregate == CLUSTERS ? slower_cluster(values, n)
                                      : sum / n;
}

static void check_process(const struct load *l)
{
    const struct options *o = l->s->options;
    if (o->aggregate != PROCESS)
        return;
    for (uint32_t p = 0; p < l->n_processes; p++)
        if (l->rank[p] == o->process)
            return;
    fail("--rank %llu: '%s' has no process of that rank", (unsigned long long)o->process, l->db->path);
}

static void sum_up(struct load *l)
{
    struct run *r = l->run;
    double *times = allocate(l->n_processes, sizeof *times), waits = 0, delays = 0;
    check_process(l);
    r->n_vertices = l->n_cells_of;
    r->of = allocate(r->n_vertices, sizeof *r->of);
    for (uint32_t v = 0; v < r->n_vertices; v++) {
        struct sums *sum = &r->of[v];
        double most = 0;
        size_t cell = (size_t)v * l->n_processes;
        for (uint32_t p = 0; p < l->n_processes; p++, cell++) {
            sum->own += l->own[cell];
            sum->waiting += l->waiting[cell];
            sum->delay += l->delay[cell];
            most = l->own[cell] > most ? l->own[cell] : most;
            times[p] = l->own[cell] + l->waiting[cell];
        }
        sum->excess = most * l->n_processors - sum->own;
        sum->visits = l->visits[v];
        sum->combined = combine(l, times);
        waits += sum->waiting;
        delays += sum->delay;
    }
    if (delays > waits * 1.01 + 1e-9)
        note(l->s,
             "'%s': root_cause charges %.6g s to causes, of %.6g s of waits that ppg knows: was one of them capped?",
             r->path, delays, waits);
    r->unknown = waits > delays ? waits - delays : 0;
    free(times);
}

/* ---------------------------------------------------------------------------------------------------------- runs -- */

static void load_run(struct study *s, uint32_t number)
{
    struct load l = {.s = s, .run = &s->run[number], .db = &s->run[number].db};
    bool keep = number + 1 == s->n_runs;
    load_places(&l);
    load_vertices(&l);
    make_cells(&l);
    load_values(&l);
    load_delays(&l);
    cap_delays(&l);
    sum_up(&l);
    if (keep)
        keep_graph(&l);
    database_close(l.db);
    if (!keep) {
        free(l.own);
        free(l.waiting);
        free(l.delay);
        free(l.rank);
    }
    free(l.visits);
    free(l.vertex);
    free(l.process_of);
    tcf_map_free(&l.place);
}

static void open_run(struct study *s, struct run *r)
{
    database_open(&r->db, r->file, &s->options->instances);
    r->db.path = r->path; /* for messages */
    struct sqlite3_stmt *row = database_table(&r->db, NULL, "run", "status processes");
    if (!row || !database_row(&r->db, "run", row))
        fail("'%s' does not tell of the run: its table 'run' is missing or empty; %s", r->path, advice);
    char *status = database_text(row, 0);
    double n = database_number(row, 1);
    if (strcmp(status, "complete") != 0)
        note(s, "'%s' is not complete (%s): losses may be those of what is missing", r->path, status);
    if (!(n >= 1 && n <= INT32_MAX))
        fail("'%s': the table 'run' has %g for 'processes'; %s again", r->path, n, advice);
    r->processes = (uint32_t)n;
    while (database_row(&r->db, "run", row))
        ;
    free(status);
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->processes, y->processes), strcmp(x->path, y->path));
}

/* Is half of the time of `a` in vertices where `b` has some, too? Else tells the largest vertex that b has not. */
static void check_same_program(const struct study *s, const struct run *a, const struct run *b)
{
    double common = 0, most = -1, sum = 0;
    uint32_t missing = NONE;
    for (uint32_t v = 0; v < a->n_vertices; v++) {
        double time = a->of[v].own + a->of[v].waiting;
        bool there = v < b->n_vertices && (b->of[v].visits > 0 || b->of[v].own > 0);
        if (s->vertex[v].apart)
            continue;
        sum += time;
        common += there ? time : 0;
        if (!there && time > most) {
            most = time;
            missing = v;
        }
    }
    if (sum > 0 && common < sum / 2)
        usage("'%s' and '%s' are not of one program: %.0f %% of the time of '%s' is in call paths that '%s' does not "
              "have, most of it in %s",
              a->path, b->path, 100 * (1 - common / sum), a->path, b->path,
              missing == NONE ? "(none)" : s->vertex[missing].call_path);
}

static double work_of(const struct study *s, const struct run *r)
{
    double work = 0;
    for (uint32_t v = 0; v < r->n_vertices; v++)
        if (!s->vertex[v].communication && !s->vertex[v].apart)
            work += r->of[v].own;
    return work;
}

/* Repetitions of one size do the same; more processes do not do far less. */
static void check_same_input(const struct study *s, const struct run *a, const struct run *b)
{
    enum { FAR = 4 };
    double x = work_of(s, a), y = work_of(s, b);
    if (a->processes == b->processes && (x > FAR * y || y > FAR * x))
        usage("'%s' and '%s' both have %u processes, but compute %.6g s and %.6g s: with another input?", a->path,
              b->path, a->processes, x, y);
    if (a->processes < b->processes && x > FAR * y)
        usage("'%s' with %u processes computes %.6g s, '%s' with %u only %.6g s: with another input?", a->path,
              a->processes, x, b->path, b->processes, y);
}

void load_all(struct study *s)
{
    const struct options *o = s->options;
    s->n_runs = o->n_arguments;
    s->run = allocate(s->n_runs, sizeof *s->run);
    for (uint32_t r = 0; r < s->n_runs; r++) {
        s->run[r].path = o->argument[r];
        for (uint32_t before = 0; before < r; before++)
            if (strcmp(s->run[r].path, s->run[before].path) == 0)
                usage("'%s' is there twice", s->run[r].path);
    }
    make_databases(s);
    for (uint32_t r = 0; r < s->n_runs; r++)
        open_run(s, &s->run[r]);
    database_check_instances(&s->options->instances);
    tcf_sort(s->run, s->n_runs, sizeof *s->run, compare_runs);
    if (s->run[0].processes == s->run[s->n_runs - 1].processes)
        usage("'%s' and '%s' both have %u processes; expected runs with different numbers of processes", s->run[0].path,
              s->run[1].path, s->run[0].processes);
    for (uint32_t r = 0; r < s->n_runs; r++)
        load_run(s, r);
    for (uint32_t r = 1; r < s->n_runs; r++) {
        check_same_program(s, &s->run[r - 1], &s->run[r]);
        check_same_program(s, &s->run[r], &s->run[r - 1]);
        check_same_input(s, &s->run[r - 1], &s->run[r]);
    }
}
