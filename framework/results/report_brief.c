/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of results as text that fits a terminal. What a row is about stands first: texts and ids, then the amounts,
 * with three significant digits and scaled units. Left out, and named in a line below, are rows and columns of zeros,
 * rows beyond the number wanted, and columns which do not fit; a long text is cut in its middle. report_text.c writes
 * all of a table, and files have all of it anyway. */
#include "framework/base/error.h"
#include "framework/base/shorten.h"
#include "framework/base/terminal.h"
#include "report_tables.h"

#include <inttypes.h>
#include <math.h>
#include <private/scaled.h>
#include <private/terminal.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, LEAST_TEXT = 24, LEAST_KEY = 20, MOST_KEYS = 4, LEAST_CUT = 8, MOST_WIDTH = 4096 };

typedef enum fate { SHOWN, DETAIL, ZERO, TOO_WIDE } fate;

typedef struct layout {
    const tcf_table *t;
    uint32_t *order; /* the columns shown, the first n of them */
    uint32_t n, n_keys;
    fate *fates;    /* of each column */
    size_t *widths; /* likewise */
    size_t *rows;   /* the rows shown, the first n_rows of them */
    size_t n_rows, n_zeros;
    const char **texts; /* of each column shown, then by row: what stands there, where it is a text */
    char **shortened;   /* likewise: the copy that stands there instead, or NULL */
} layout;

/* --------------------------------------------------------------------------------------------------- kinds of columns
 * -- */

static int is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; name && i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

static int ends_in(const char *name, const char *ending)
{
    const size_t a = strlen(name), b = strlen(ending);
    return a >= b && strcmp(name + a - b, ending) == 0;
}

/* A number that names something: zero is one of them, and nothing is scaled. */
static int is_id(const struct column *c)
{
    static const char *const names[] = {"place",    "rank",  "wait",  "hop",  "window",
                                        "location", "event", "which", "step", "id"};
    static const char *const endings[] = {"_id", "_rank", "_location", "_event", "_step"};

    if ((c->type != TCF_CELL_INT && c->type != TCF_CELL_UINT) || !c->name)
        return 0;
    for (size_t i = 0; i < TCF_COUNT(endings); i++)
        if (ends_in(c->name, endings[i]))
            return 1;
    return is_one_of(c->name, names, TCF_COUNT(names));
}

static int is_moment(const struct column *c)
{
    return (c->declared & TCF_CELL_WHEN) == TCF_CELL_WHEN;
}

static int is_amount(const struct column *c)
{
    return c->type != TCF_CELL_TEXT && !is_id(c) && !is_moment(c);
}

/* A text that explains the row, behind what it explains. */
static int is_explanation(const struct column *c)
{
    static const char *const names[] = {"meaning", "help", "rule", "doubt", "reason"};
    return c->type == TCF_CELL_TEXT && is_one_of(c->name, names, TCF_COUNT(names));
}

/* The number of a location as text, beside the name of its process. */
static int is_number_text(const struct column *c)
{
    static const char *const names[] = {"cause", "partner"};
    return is_one_of(c->name, names, TCF_COUNT(names));
}

static int is_title(const struct column *c)
{
    return c->type == TCF_CELL_TEXT && c->name && strcmp(c->name, "title") == 0;
}

/* In a table with titles the other texts say the same for programs. */
static int is_key_text(const tcf_table *t, const struct column *c)
{
    if (c->type != TCF_CELL_TEXT || is_explanation(c) || is_number_text(c))
        return 0;
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (is_title(&t->columns[i]))
            return is_title(c);
    return 1;
}

static int is_zero(const struct column *c, tcf_cell cell)
{
    return c->type == TCF_CELL_DOUBLE ? cell.d == 0 || isnan(cell.d) : cell.u == 0 || report_is_absent(c, cell);
}

/* ----------------------------------------------------------------------------------------------------------------
 * cells -- */

static int is_bytes(const char *unit)
{
    return unit && strncmp(unit, "bytes", 5) == 0;
}

static int is_scaled(const struct column *c)
{
    return c->unit && !is_moment(c) && !is_id(c) &&
           (is_bytes(c->unit) || (c->type == TCF_CELL_DOUBLE && strcmp(c->unit, "s") == 0));
}

static const char *put_number(double x, const char *unit, char buffer[REPORT_CELL_BYTES])
{
    const double size = fabs(x);

    if (unit && strcmp(unit, "%") == 0 && size > 0 && size < 0.005)
        snprintf(buffer, REPORT_CELL_BYTES, "%s0.01", x < 0 ? "> -" : "< ");
    else
        snprintf(buffer, REPORT_CELL_BYTES, size >= 999.5 && size < 1e9 ? "%.0f" : "%.3g", x);
    return buffer;
}

static const char *brief_cell(const struct column *c, tcf_cell cell, char buffer[REPORT_CELL_BYTES])
{
    if (c->type == TCF_CELL_TEXT || report_is_absent(c, cell) || (c->type == TCF_CELL_DOUBLE && !isfinite(cell.d)))
        return report_readable(c, cell, buffer);
    if (is_moment(c)) {
        snprintf(buffer, REPORT_CELL_BYTES, "%.6f", cell.d);
        return buffer;
    }
    if (!is_scaled(c))
        return c->type == TCF_CELL_DOUBLE ? put_number(cell.d, c->unit, buffer) : report_readable(c, cell, buffer);
    const double amount = c->type == TCF_CELL_DOUBLE ? cell.d
                          : c->type == TCF_CELL_INT  ? (double)cell.i
                                                     : (double)cell.u;
    if (amount == 0)
        return "0";
    if (!is_bytes(c->unit))
        return tcf_scaled_seconds(amount, buffer);
    return tcf_scaled(amount, strcmp(c->unit, "bytes/s") == 0 ? "B/s" : "B", 1024, buffer);
}

static void brief_header(const struct column *c, char *to, size_t capacity)
{
    if (is_scaled(c))
        snprintf(to, capacity, "%s", c->name);
    else
        report_header(c, to, capacity);
}

/* ---------------------------------------------------------------------------------------------------------------
 * layout -- */

static tcf_cell cell_at(const layout *l, size_t row, uint32_t column)
{
    return l->t->cells[row * l->t->n_columns + column];
}

/* Are all amounts of the row 0? */
static int is_row_of_zeros(const tcf_table *t, size_t row)
{
    int amounts = 0;

    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (t->columns[i].detail || !is_amount(&t->columns[i]))
            continue;
        amounts = 1;
        if (!is_zero(&t->columns[i], t->cells[row * t->n_columns + i]))
            return 0;
    }
    return amounts;
}

int report_is_of_zeros(const tcf_table *t)
{
    size_t k = 0;

    while (k < t->n_rows && is_row_of_zeros(t, k))
        k++;
    return k > 0 && k == t->n_rows;
}

static tcf_status choose_rows(layout *l, size_t most)
{
    for (size_t k = 0; k < l->t->n_rows; k++)
        if (is_row_of_zeros(l->t, k))
            l->n_zeros++;
        else
            l->rows[l->n_rows++] = k;
    l->n_rows = report_top_rows(l->t, l->rows, l->n_rows, most);
    return l->n_rows == SIZE_MAX ? TCF_ERROR : TCF_OK;
}

static void judge_columns(layout *l)
{
    const tcf_table *t = l->t;

    for (uint32_t i = 0; i < t->n_columns; i++) {
        int zero = is_amount(&t->columns[i]) && t->n_rows > l->n_zeros;
        for (size_t k = 0; zero && k < t->n_rows; k++)
            zero = is_zero(&t->columns[i], cell_at(l, k, i));
        l->fates[i] = t->columns[i].detail ? DETAIL : zero ? ZERO : SHOWN;
    }
}

/* Ids and texts that begin the table, then the other texts, then the rest. */
static void order_columns(layout *l)
{
    const tcf_table *t = l->t;
    uint32_t leads = 0;

    l->n = 0;
    for (; leads < t->n_columns; leads++) {
        const struct column *c = &t->columns[leads];
        if (!c->detail && !is_id(c) && !is_key_text(t, c))
            break;
        if (l->fates[leads] == SHOWN)
            l->order[l->n++] = leads;
    }
    for (uint32_t i = leads; i < t->n_columns; i++)
        if (l->fates[i] == SHOWN && is_key_text(t, &t->columns[i]))
            l->order[l->n++] = i;
    l->n_keys = l->n;
    for (uint32_t i = leads; i < t->n_columns; i++)
        if (l->fates[i] == SHOWN && !is_key_text(t, &t->columns[i]))
            l->order[l->n++] = i;
}

static void measure_columns(layout *l)
{
    char buffer[REPORT_CELL_BYTES], head[256];

    for (uint32_t i = 0; i < l->n; i++) {
        const struct column *c = &l->t->columns[l->order[i]];
        brief_header(c, head, sizeof head);
        size_t widest = tcf_terminal_columns(head);
        for (size_t k = 0; k < l->n_rows; k++) {
            const size_t n = tcf_terminal_columns(brief_cell(c, cell_at(l, l->rows[k], l->order[i]), buffer));
            widest = n > widest ? n : widest;
        }
        l->widths[l->order[i]] = widest;
    }
}

static int is_text(const layout *l, uint32_t i)
{
    return l->t->columns[l->order[i]].type == TCF_CELL_TEXT;
}

/* Of the first n columns shown, with texts that take at most `most`. */
static size_t total_width(const layout *l, uint32_t n, size_t most)
{
    size_t total = n > 0 ? GAP * (n - 1u) : 0;

    for (uint32_t i = 0; i < n; i++) {
        const size_t width = l->widths[l->order[i]];
        total += is_text(l, i) && width > most ? most : width;
    }
    return total;
}

/* Of many texts that say what a row is about, the last ones say the least. They go where all would be cut beyond
 * recognition, as the one amount that is to be seen is behind them. */
static void leave_out_keys(layout *l, size_t width)
{
    uint32_t texts = 0;

    for (uint32_t i = 0; i < l->n_keys; i++)
        texts += (uint32_t)is_text(l, i);
    while (texts > MOST_KEYS && is_text(l, l->n_keys - 1) &&
           total_width(l, l->n_keys, LEAST_KEY) + GAP + LEAST_CUT > width) {
        l->fates[l->order[--l->n_keys]] = TOO_WIDE;
        memmove(&l->order[l->n_keys], &l->order[l->n_keys + 1], (--l->n - l->n_keys) * sizeof *l->order);
        texts--;
    }
}

/* Titles are a tree, in which what a row is about stands behind blanks, so they are cut last. */
static size_t least_text(const layout *l)
{
    const size_t title = l->n_keys == 1 && is_title(&l->t->columns[l->order[0]]) ? l->widths[l->order[0]] : 0;

    return title > 2 * LEAST_TEXT ? 2 * LEAST_TEXT : title > LEAST_TEXT ? title : LEAST_TEXT;
}

/* Leaves out columns from the right until the rest fits with texts that are cut, then cuts no more than that takes. */
static void fit(layout *l, size_t width)
{
    const size_t least = least_text(l);
    size_t most = width;

    leave_out_keys(l, width);
    while (l->n > l->n_keys + 1 && total_width(l, l->n, least) > width)
        l->fates[l->order[--l->n]] = TOO_WIDE;
    while (most > LEAST_CUT && total_width(l, l->n, most) > width)
        most--;
    for (uint32_t i = 0; i < l->n; i++)
        if (is_text(l, i) && l->widths[l->order[i]] > most)
            l->widths[l->order[i]] = most;
}

/* --------------------------------------------------------------------------------------------------------------
 * writing -- */

static void put_names(FILE *out, const layout *l, fate wanted, const char *what)
{
    int any = 0;

    for (uint32_t i = 0; i < l->t->n_columns; i++)
        if (l->fates[i] == wanted)
            fprintf(out, "%s%s", any++ ? ", " : what, l->t->columns[i].name);
}

static int count_of(const layout *l, fate wanted)
{
    int n = 0;
    for (uint32_t i = 0; i < l->t->n_columns; i++)
        n += l->fates[i] == wanted;
    return n;
}

/* A line, or several, in a style of the terminal. */
static void put_line(FILE *out, const char *text, size_t width, const char *style)
{
    fputs(style, out);
    terminal_put_wrapped(out, text, width, 0);
    fputs(*style ? "\033[0m\n" : "\n", out);
}

/* What isn't there, as text; to be freed. NULL: nothing, or no memory. */
static char *rest_of(const layout *l)
{
    const size_t others = l->t->n_rows - l->n_zeros;
    const struct column *leads = report_leading(l->t);
    const char *between = "(";
    char *text = NULL;
    size_t size;

    if (l->n_rows == others && l->n_zeros == 0 && count_of(l, ZERO) == 0 && count_of(l, TOO_WIDE) == 0)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (l->n_rows < others) {
        fprintf(out, "(%zu of %zu rows, %s%s", l->n_rows, others, leads ? "the top ones by " : "the first ones",
                leads ? leads->name : "");
        between = "; ";
    }
    if (l->n_zeros > 0) {
        fprintf(out, "%s%zu row%s of zeros", between, l->n_zeros, l->n_zeros == 1 ? "" : "s");
        between = "; ";
    }
    if (count_of(l, ZERO) > 0) {
        fputs(between, out);
        put_names(out, l, ZERO, "zero everywhere: ");
        between = "; ";
    }
    if (count_of(l, TOO_WIDE) > 0) {
        fputs(between, out);
        put_names(out, l, TOO_WIDE, "no room for: ");
    }
    putc(')', out);
    fclose(out);
    return text;
}

/* An explanation that ends a row goes on in further lines. */
static int is_last_explanation(const layout *l, uint32_t i)
{
    return is_explanation(&l->t->columns[l->order[i]]) && i + 1 == l->n;
}

/* Texts as they stand in the columns shown. */
static tcf_status take_texts(layout *l)
{
    const size_t n = l->n * l->n_rows;
    int failed = 0;

    l->texts = calloc(n + 1, sizeof *l->texts);
    l->shortened = calloc(n + 1, sizeof *l->shortened);
    for (uint32_t i = 0; l->texts && l->shortened && i < l->n && !failed; i++) {
        const size_t first = i * l->n_rows;
        for (size_t k = 0; k < l->n_rows && is_text(l, i); k++)
            l->texts[first + k] = brief_cell(&l->t->columns[l->order[i]], cell_at(l, l->rows[k], l->order[i]), NULL);
        if (is_text(l, i) && !is_last_explanation(l, i))
            failed = shorten(&l->texts[first], &l->shortened[first], l->n_rows, l->widths[l->order[i]]);
    }
    return l->texts && l->shortened && !failed ? TCF_OK : TCF_ERROR;
}

static void put_rows(FILE *out, const layout *l, int colour)
{
    char buffer[REPORT_CELL_BYTES], head[256];

    fputs(colour ? "\033[4m" : "", out);
    for (uint32_t i = 0; i < l->n; i++) {
        brief_header(&l->t->columns[l->order[i]], head, sizeof head);
        report_field(out, head, l->widths[l->order[i]], !is_text(l, i), i + 1 == l->n);
    }
    fputs(colour ? "\033[0m\n" : "\n", out);
    for (size_t k = 0; k < l->n_rows; k++, putc('\n', out))
        for (uint32_t i = 0, before = 0; i < l->n; i++) {
            const struct column *c = &l->t->columns[l->order[i]];
            const size_t width = l->widths[l->order[i]];
            if (is_last_explanation(l, i)) {
                terminal_put_wrapped(out, l->texts[i * l->n_rows + k], width, before);
                continue;
            }
            before += (uint32_t)width + GAP;
            report_field(out,
                         is_text(l, i) ? l->texts[i * l->n_rows + k]
                                       : brief_cell(c, cell_at(l, l->rows[k], l->order[i]), buffer),
                         width, !is_text(l, i), i + 1 == l->n);
        }
}

static void put_table(FILE *out, const layout *l, const report_screen *screen, size_t width, int *left_out)
{
    const tcf_table *t = l->t;

    if (t->title && *t->title)
        put_line(out, t->title, width, screen->colour ? "\033[1m" : "");
    if (t->title && *t->title)
        putc('\n', out);
    if (l->n_rows > 0)
        put_rows(out, l, screen->colour);
    if (t->n_rows == 0)
        fputs("(nothing)\n", out);
    char *rest = rest_of(l);
    if (rest)
        put_line(out, rest, width, screen->colour ? "\033[2m" : "");
    *left_out |= rest != NULL;
    free(rest);
}

static void free_layout(layout *l)
{
    if (l->shortened)
        shorten_free(l->shortened, l->n * l->n_rows);
    free(l->shortened);
    free(l->texts);
    free(l->order);
    free(l->fates);
    free(l->widths);
    free(l->rows);
}

tcf_status report_brief(FILE *out, const tcf_table *t, const report_screen *screen, int *left_out)
{
    const size_t width = screen->width > 0 && screen->width < MOST_WIDTH ? screen->width : MOST_WIDTH;
    layout l = {.t = t};

    l.order = calloc(t->n_columns + 1u, sizeof *l.order);
    l.fates = calloc(t->n_columns + 1u, sizeof *l.fates);
    l.widths = calloc(t->n_columns + 1u, sizeof *l.widths);
    l.rows = calloc(t->n_rows + 1u, sizeof *l.rows);
    tcf_status status = l.order && l.fates && l.widths && l.rows ? choose_rows(&l, screen->rows) : TCF_ERROR;
    if (status == TCF_OK) {
        judge_columns(&l);
        order_columns(&l);
        measure_columns(&l);
        fit(&l, width);
        status = take_texts(&l);
    }
    if (status == TCF_OK)
        put_table(out, &l, screen, width, left_out);
    else
        error_fail("out of memory");
    free_layout(&l);
    return status;
}
