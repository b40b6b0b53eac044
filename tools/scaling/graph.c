/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The largest run as the figures of ScalAna have it: processes across, vertices in program order down, the paths from
 * waits back to their causes as arrows. Of many vertices it has those of the results, then those with most time; of
 * many processes those of the results, the others in groups. */
#include "page_parts.h"

#include <tcflow/order.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VERTICES = 60, LEAST_VERTICES = 24, MOST_SINGLE = 64, MOST_KEPT = 48, MOST_PATHS = 5 };
enum { LEFT = 300, TOP = 70, ROW = 22, COLUMN = 16 };

/* Processes by_rank[first ... first + n - 1]. */
struct column {
    uint32_t first, n;
};

struct picture {
    uint32_t *row_of, *row, n_rows; /* by vertex, NONE: not shown; the vertex by row */
    uint32_t *by_rank, *column_of;  /* processes by rank; columns by process */
    struct column *column;
    uint32_t n_columns;
    bool left_out;  /* vertices of the results were too many */
    bool *abnormal; /* by row * n_columns + column */
    double most;    /* time of a mark */
};

/* --------------------------------------------------------------------------------------------------------- rows -- */

static int compare_order(const void *a, const void *b)
{
    const struct order_row *const *p = a, *const *q = b, *x = *p, *y = *q;
    return TCF_FIRST(TCF_ORDER(x->parent, y->parent), TCF_ORDER(x->vertex + 1, y->vertex + 1),
                     TCF_ORDER(y->count, x->count), TCF_ORDER(x->next, y->next));
}

/* Children of each vertex, as lists in program order. */
struct tree {
    uint32_t *first, *last, *next;
    bool *placed;
};

static void place(struct tree *t, uint32_t parent, uint32_t child)
{
    *(t->first[parent] == NONE ? &t->first[parent] : &t->next[t->last[parent]]) = child;
    t->last[parent] = child;
    t->placed[child] = true;
}

/* The first row of those that have `vertex`, sorted. */
static uint32_t first_row(const struct order_row *const *row, uint32_t n, uint32_t vertex)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (row[middle]->vertex + 1 < vertex + 1) /* NONE comes first */
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What most often came behind a child, of those that have no place yet; NONE: nothing. */
static uint32_t follower(const struct study *s, const struct tree *t, const struct order_row *const *row, uint32_t n,
                         uint32_t child)
{
    for (uint32_t i = first_row(row, n, child); i < n && row[i]->vertex == child; i++)
        if (row[i]->next != NONE && !t->placed[row[i]->next] && s->vertex[row[i]->next].parent == row[i]->parent)
            return row[i]->next;
    return NONE;
}

/* The child that most often was the last one; NONE: unknown. */
static uint32_t last_child(const struct study *s, const struct order_row *const *row, uint32_t n)
{
    uint32_t last = NONE;
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (row[i]->next == NONE && row[i]->vertex != NONE && row[i]->count > most &&
            s->vertex[row[i]->vertex].parent == row[i]->parent) {
            most = row[i]->count;
            last = row[i]->vertex;
        }
    return last;
}

/* Each child is followed by the one that most often came behind it; where all of these have their place, it goes on
 * behind the child before. The last child is placed last. */
static void place_children(const struct study *s, struct tree *t, const struct order_row *const *row, uint32_t n)
{
    uint32_t *stack = allocate(n + 1u, sizeof *stack), depth = 1, last = last_child(s, row, n);
    stack[0] = NONE;
    if (last != NONE)
        t->placed[last] = true;
    while (depth > 0) {
        uint32_t next = follower(s, t, row, n, stack[depth - 1]);
        if (next == NONE) {
            depth--;
            continue;
        }
        place(t, row[0]->parent, next);
        stack[depth++] = next;
    }
    if (last != NONE)
        place(t, row[0]->parent, last);
    free(stack);
}

static void set_none(uint32_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        values[i] = NONE;
}

static struct tree make_tree(const struct study *s)
{
    const struct graph *g = &s->graph;
    const uint32_t n = s->n_vertices;
    struct tree t = {allocate(n, sizeof(uint32_t)), allocate(n, sizeof(uint32_t)), allocate(n, sizeof(uint32_t)),
                     allocate(n, sizeof(bool))};
    const struct order_row **row = allocate(g->n_order + 1u, sizeof *row);
    set_none(t.first, n);
    set_none(t.next, n);
    for (uint32_t i = 0; i < g->n_order; i++)
        row[i] = &g->order[i];
    tcf_sort(row, g->n_order, sizeof *row, compare_order);
    for (uint32_t i = 0, end; i < g->n_order; i = end) {
        for (end = i; end < g->n_order && row[end]->parent == row[i]->parent; end++)
            ;
        if (row[i]->parent != NONE)
            place_children(s, &t, row + i, end - i);
    }
    for (uint32_t v = 0; v < n; v++)
        if (!t.placed[v] && s->vertex[v].parent != NONE)
            place(&t, s->vertex[v].parent, v);
    free(row);
    return t;
}

/* What comes behind a vertex, children first; NONE: nothing below its root. */
static uint32_t behind(const struct study *s, const struct tree *t, uint32_t v)
{
    if (t->first[v] != NONE)
        return t->first[v];
    while (v != NONE && t->next[v] == NONE)
        v = s->vertex[v].parent;
    return v == NONE ? NONE : t->next[v];
}

static void want(struct picture *p, uint32_t vertex)
{
    if (p->row_of[vertex] != NONE)
        return;
    if (p->n_rows == MOST_VERTICES) {
        p->left_out = true;
        return;
    }
    p->row_of[vertex] = p->n_rows++;
}

struct heavy {
    double time;
    uint32_t vertex;
};

static int compare_heavy(const void *a, const void *b)
{
    const struct heavy *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->time, x->time), TCF_ORDER(x->vertex, y->vertex));
}

static void want_heavy(const struct study *s, struct picture *p)
{
    struct heavy *heavy = allocate(s->n_vertices, sizeof *heavy);
    for (uint32_t v = 0; v < s->n_vertices; v++)
        heavy[v] = (struct heavy){largest(s)->of[v].own + largest(s)->of[v].waiting, v};
    tcf_sort(heavy, s->n_vertices, sizeof *heavy, compare_heavy);
    for (uint32_t i = 0; i < s->n_vertices && p->n_rows < LEAST_VERTICES && heavy[i].time > 0; i++)
        want(p, heavy[i].vertex);
    free(heavy);
}

static void find_rows(const struct study *s, struct picture *p)
{
    p->row_of = allocate(s->n_vertices, sizeof *p->row_of);
    set_none(p->row_of, s->n_vertices);
    for (uint32_t i = 0; i < s->n_causes; i++)
        want(p, s->cause[i].vertex);
    for (uint32_t i = 0; i < s->n_causes && i < MOST_PATHS; i++)
        for (uint32_t h = 0; h < s->cause[i].n_hops; h++)
            want(p, s->cause[i].path[h].vertex);
    for (uint32_t i = 0; i < s->n_abnormal; i++)
        want(p, s->abnormal[i].vertex);
    for (uint32_t i = 0; i < s->n_non_scalable; i++)
        want(p, s->non_scalable[i].vertex);
    want_heavy(s, p);
    struct tree t = make_tree(s);
    p->row = allocate(p->n_rows + 1u, sizeof *p->row);
    p->n_rows = 0;
    for (uint32_t root = 0; root < s->n_vertices; root++)
        for (uint32_t v = s->vertex[root].parent == NONE ? root : NONE; v != NONE; v = behind(s, &t, v))
            if (p->row_of[v] != NONE) {
                p->row_of[v] = p->n_rows;
                p->row[p->n_rows++] = v;
            }
    free(t.first);
    free(t.last);
    free(t.next);
    free(t.placed);
}

/* ------------------------------------------------------------------------------------------------------- columns -- */

struct ranked {
    uint64_t rank;
    uint32_t process;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->rank, y->rank), TCF_ORDER(x->process, y->process));
}

static uint32_t keep(bool *kept, uint32_t n_kept, uint32_t process)
{
    if (process == NONE || kept[process] || n_kept == MOST_KEPT)
        return n_kept;
    kept[process] = true;
    return n_kept + 1;
}

/* Those on paths, then the causes' processes, then other abnormal ones. */
static void keep_processes(const struct study *s, bool *kept)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_causes && i < MOST_PATHS; i++)
        for (uint32_t h = 0; h < s->cause[i].n_hops; h++) {
            n = keep(kept, n, s->cause[i].path[h].process);
            n = keep(kept, n, s->cause[i].path[h].waits_for);
        }
    for (uint32_t i = 0; i < s->n_causes; i++)
        for (uint32_t k = 0; k < s->cause[i].n_processes && s->cause[i].n_processes < s->graph.n_processes; k++)
            n = keep(kept, n, s->cause[i].process[k]);
    for (uint32_t i = 0; i < s->n_abnormal; i++)
        for (uint32_t k = 0; k < s->abnormal[i].n_processes; k++)
            n = keep(kept, n, s->abnormal[i].process[k]);
}

static void find_columns(const struct study *s, struct picture *p)
{
    const uint32_t n = s->graph.n_processes;
    struct ranked *ranked = allocate(n, sizeof *ranked);
    bool *kept = allocate(n, sizeof *kept), grouped = false;
    for (uint32_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){s->graph.rank[i], i};
    tcf_sort(ranked, n, sizeof *ranked, compare_ranks);
    keep_processes(s, kept);
    p->by_rank = allocate(n, sizeof *p->by_rank);
    p->column_of = allocate(n, sizeof *p->column_of);
    p->column = allocate(n, sizeof *p->column);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t process = p->by_rank[i] = ranked[i].process;
        bool single = n <= MOST_SINGLE || kept[process];
        if (single || !grouped)
            p->column[p->n_columns++] = (struct column){i, 0};
        grouped = !single;
        p->column[p->n_columns - 1].n++;
        p->column_of[process] = p->n_columns - 1;
    }
    free(ranked);
    free(kept);
}

/* -------------------------------------------------------------------------------------------------------- figure -- */

static double column_x(uint32_t column)
{
    return LEFT + COLUMN * (column + 0.5);
}

static double row_y(uint32_t row)
{
    return TOP + ROW * (row + 0.5);
}

/* Times of a vertex in the processes of a column: of one, or the mean of a group. */
static void times_of(const struct study *s, const struct picture *p, uint32_t row, uint32_t column, double *own,
                     double *waiting)
{
    const struct graph *g = &s->graph;
    const struct column *c = &p->column[column];
    *own = *waiting = 0;
    for (uint32_t i = c->first; i < c->first + c->n && p->row[row] < g->n_vertices; i++) {
        size_t cell = (size_t)p->row[row] * g->n_processes + p->by_rank[i];
        *own += g->own[cell] / c->n;
        *waiting += g->waiting[cell] / c->n;
    }
}

static void find_marks(const struct study *s, struct picture *p)
{
    p->abnormal = allocate((size_t)p->n_rows * p->n_columns + 1, sizeof *p->abnormal);
    for (uint32_t i = 0; i < s->n_abnormal; i++) {
        uint32_t row = p->row_of[s->abnormal[i].vertex];
        for (uint32_t k = 0; k < s->abnormal[i].n_processes && row != NONE; k++)
            p->abnormal[(size_t)row * p->n_columns + p->column_of[s->abnormal[i].process[k]]] = true;
    }
    for (uint32_t r = 0; r < p->n_rows; r++)
        for (uint32_t c = 0; c < p->n_columns; c++) {
            double own, waiting;
            times_of(s, p, r, c, &own, &waiting);
            p->most = own + waiting > p->most ? own + waiting : p->most;
        }
}

static void put_marks(FILE *out, const struct study *s, const struct picture *p)
{
    for (uint32_t r = 0; r < p->n_rows; r++)
        for (uint32_t c = 0; c < p->n_columns; c++) {
            double own, waiting;
            times_of(s, p, r, c, &own, &waiting);
            bool abnormal = p->abnormal[(size_t)r * p->n_columns + c];
            if (own + waiting > 0)
                fprintf(out, "<circle class=\"%s\" cx=\"%.0f\" cy=\"%.0f\" r=\"%.1f\"/>\n",
                        abnormal        ? "abnormal"
                        : waiting > own ? "waits"
                                        : "own",
                        column_x(c), row_y(r), 1.2 + 5.3 * sqrt((own + waiting) / p->most));
        }
}

static void put_column_name(FILE *out, const struct study *s, const struct picture *p, uint32_t column)
{
    const struct column *c = &p->column[column];
    fprintf(out, "%" PRIu64, s->graph.rank[p->by_rank[c->first]]);
    if (c->n > 1)
        fprintf(out, "–%" PRIu64, s->graph.rank[p->by_rank[c->first + c->n - 1]]);
}

/* Cuts a long name, between characters. */
static void put_short_name(FILE *out, const struct vertex *v)
{
    enum { MOST = 42 };
    struct phrase p;
    text_region(begin_phrase(&p), v);
    text_place(p.out, v);
    fflush(p.out);
    if (p.size > MOST) {
        size_t end = MOST - 1;
        while (end > 0 && ((unsigned char)p.text[end] & 0xc0) == 0x80)
            end--;
        char *name = format_text("%.*s…", (int)end, p.text);
        page_text(out, name);
        free(name);
        fclose(p.out);
        free(p.text);
        return;
    }
    put_phrase(out, &p);
}

static void put_names(FILE *out, const struct study *s, const struct picture *p)
{
    for (uint32_t r = 0; r < p->n_rows; r++) {
        fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT,
                row_y(r), column_x(p->n_columns), LEFT - 6, row_y(r) + 4);
        put_short_name(out, &s->vertex[p->row[r]]);
        fputs("</text>\n", out);
    }
    for (uint32_t c = 0; c < p->n_columns; c++) {
        fprintf(out, "<text transform=\"translate(%.1f %d) rotate(-60)\">", column_x(c) + 3, TOP - 6);
        put_column_name(out, s, p, c);
        fputs("</text>\n", out);
    }
}

/* An arrow that ends beside the mark at its end. */
static void put_arrow(FILE *out, double x0, double y0, double x, double y, uint32_t way)
{
    double dx = x - x0, dy = y - y0, length = hypot(dx, dy);
    if (length < 1)
        return;
    dx /= length;
    dy /= length;
    x -= 4 * dx;
    y -= 4 * dy;
    fprintf(out, "<path class=\"way way-%" PRIu32 "\" d=\"M%.1f %.1fL%.1f %.1f\"/>", way, x0, y0, x - 5 * dx,
            y - 5 * dy);
    fprintf(out, "<path class=\"head head-%" PRIu32 "\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", way, x, y,
            x - 8 * dx - 4 * dy, y - 8 * dy + 4 * dx, x - 8 * dx + 4 * dy, y - 8 * dy - 4 * dx);
}

/* The path of a cause, and its number; without a path that agrees, the number alone. */
static void put_way(FILE *out, const struct study *s, const struct picture *p, uint32_t cause)
{
    const struct cause *c = &s->cause[cause];
    struct hop end = {.vertex = c->vertex, .process = c->process[0]};
    for (uint32_t h = 0, shown = 0; h < c->n_hops && c->agrees; h++) {
        const struct hop *hop = &c->path[h];
        if (p->row_of[hop->vertex] == NONE)
            continue;
        if (shown++)
            put_arrow(out, column_x(p->column_of[end.process]), row_y(p->row_of[end.vertex]),
                      column_x(p->column_of[hop->process]), row_y(p->row_of[hop->vertex]), cause);
        end = *hop;
    }
    if (p->row_of[end.vertex] != NONE)
        fprintf(out,
                "<text class=\"head head-%" PRIu32 "\" x=\"%.1f\" y=\"%.1f\" font-weight=\"700\">%" PRIu32 "</text>\n",
                cause, column_x(p->column_of[end.process]) + 6, row_y(p->row_of[end.vertex]) - 5, cause + 1);
}

/* --------------------------------------------------------------------------------------------------------- table -- */

static void put_largest(FILE *out, const struct study *s, const double *values, double *copy)
{
    uint32_t most = 0, n = s->graph.n_processes;
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = values[i];
        most = values[i] > values[most] ? i : most;
    }
    fprintf(out, "<td>%.4g</td><td>%.4g</td>", median_of(copy, n), values[most]);
    if (values[most] > 0)
        fprintf(out, "<td>%" PRIu64 "</td>", s->graph.rank[most]);
    else
        fputs("<td>-</td>", out);
}

static void put_table(FILE *out, const struct study *s, const struct picture *p)
{
    const struct graph *g = &s->graph;
    double *copy = allocate(g->n_processes, sizeof *copy), *none = allocate(g->n_processes, sizeof *none);
    fputs(
        "<div class=\"scroll\"><table><thead><tr><th class=\"text\">vertex, in program order</th><th>own time: median "
        "[s]</th><th>largest [s]</th><th>rank</th><th>waits: median [s]</th><th>largest [s]</th><th>rank</th></tr>"
        "</thead><tbody>\n",
        out);
    for (uint32_t r = 0; r < p->n_rows; r++) {
        size_t cell = (size_t)p->row[r] * g->n_processes;
        bool there = p->row[r] < g->n_vertices;
        fputs("<tr><td class=\"text name\">", out);
        put_vertex_name(out, &s->vertex[p->row[r]]);
        fputs("</td>", out);
        put_largest(out, s, there ? g->own + cell : none, copy);
        put_largest(out, s, there ? g->waiting + cell : none, copy);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    free(copy);
    free(none);
}

void put_graph(FILE *out, const struct study *s)
{
    struct picture p = {0};
    find_rows(s, &p);
    find_columns(s, &p);
    find_marks(s, &p);
    int width = LEFT + COLUMN * (int)(p.n_columns + 2), height = TOP + ROW * (int)p.n_rows + 10;
    fprintf(
        out,
        "<section id=\"graph\">\n<h2>Graph of %" PRIu32 " processes</h2>\n"
        "<p>Ranks across, vertices in program order down. A mark is as large as the time there, of a group of ranks "
        "the mean; red: abnormal, blue: mostly waits, grey: mostly own time. Arrows go from waits back to the "
        "cause with their number; the causes above list each path.",
        s->graph.n_processes);
    if (s->n_causes > MOST_PATHS)
        fprintf(out, " Only the first %d causes have paths here.", MOST_PATHS);
    if (p.left_out)
        fputs(" Not all vertices of the results have room.", out);
    fprintf(out,
            "</p>\n<div class=\"scroll\"><svg role=\"img\" aria-label=\"Graph of vertices and processes; the table "
            "below has its times, the causes above their paths\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
            width, height, width, height);
    put_names(out, s, &p);
    put_marks(out, s, &p);
    for (uint32_t i = s->n_causes < MOST_PATHS ? s->n_causes : MOST_PATHS; i-- > 0;)
        put_way(out, s, &p, i);
    fputs("</svg></div>\n", out);
    put_table(out, s, &p);
    fputs("</section>\n", out);
    free(p.row_of);
    free(p.row);
    free(p.by_rank);
    free(p.column_of);
    free(p.column);
    free(p.abnormal);
}
