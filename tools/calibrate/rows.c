/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Runs tcflow with the filter distances over an archive and reads its tables: CSV, where each line starts with the
 * name of its table, and each table with a line of column names. */
#include "calibrate.h"

#include <tcflow/grow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Splits a line in place; "a ""b"", c" is one cell. Returns the number of cells. */
static uint32_t split(char *line, char **cell)
{
    uint32_t n = 0;
    char *from = line, *to = line;
    for (bool more = true; more && n < MOST_CELLS;) {
        bool quoted = *from == '"';
        cell[n++] = to;
        from += quoted;
        while (*from && (quoted || *from != ',')) {
            if (quoted && *from == '"' && *++from != '"')
                quoted = false;
            else
                *to++ = *from++;
        }
        more = *from == ',';
        from += more;
        *to++ = '\0'; /* never before what is still to be read: from > to, or the line ends here */
    }
    return n;
}

/* The cell below a column's name, which its unit follows: "min [s]". */
static const char *cell_of(const struct line *l, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < l->n; i++)
        if (strncmp(l->head[i], name, length) == 0 &&
            (l->head[i][length] == '\0' || strncmp(l->head[i] + length, " [", 2) == 0))
            return l->cell[i];
    fail("tcflow's table '%s' has no column '%s': is it of another version? --tcflow names the right one", l->cell[0],
         name);
}

double number_of(const struct line *l, const char *column)
{
    return strtod(cell_of(l, column), NULL);
}

static uint64_t whole_of(const struct line *l, const char *column)
{
    return strtoull(cell_of(l, column), NULL, 10);
}

void read_tables(FILE *file, void (*take)(void *to, const struct line *l), void *to)
{
    char *line = NULL, *head = NULL;
    size_t size = 0;
    uint32_t n_head = 0;
    struct line l;
    while (getline(&line, &size, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "table,", 6) == 0) {
            free(head);
            head = line;
            n_head = split(head, l.head);
            line = NULL;
            size = 0;
        } else {
            l.n = split(line, l.cell);
            if (l.n > 1 && l.n == n_head)
                take(to, &l);
        }
    }
    if (!feof(file))
        fail("cannot read what tcflow says: %s", strerror(errno));
    free(line);
    free(head);
}

/* ----------------------------------------------------------------------------------------------------- distances -- */

struct reading {
    struct rows *rows;
    uint32_t source;
};

static void read_row(struct row *r, const struct line *l)
{
    static const char *const times[N_TIMES] = {"min", "p1",  "p5",  "p25",  "median", "p75",
                                               "p95", "p99", "max", "mean", "typical"};
    snprintf(r->kind, sizeof r->kind, "%s", cell_of(l, "kind"));
    snprintf(r->after, sizeof r->after, "%s", cell_of(l, "after"));
    snprintf(r->region, sizeof r->region, "%s", cell_of(l, "region"));
    r->in_run = strcmp(cell_of(l, "in_run"), "yes") == 0;
    r->attributes = (uint32_t)whole_of(l, "attributes");
    r->values = (uint32_t)whole_of(l, "values");
    r->samples = whole_of(l, "samples");
    r->interruptions = whole_of(l, "interruptions");
    for (int i = 0; i < N_TIMES; i++)
        r->times[i] = number_of(l, times[i]);
}

static void take_line(void *to, const struct line *l)
{
    const struct reading *reading = to;
    struct rows *rows = reading->rows;
    struct trace *t = &rows->trace[reading->source];
    if (strcmp(l->cell[0], "trace") == 0) {
        t->events = whole_of(l, "events");
        t->locations = whole_of(l, "locations");
        t->left_out = whole_of(l, "left_out");
        t->resolution = whole_of(l, "resolution");
        t->step = number_of(l, "step") / (double)(t->resolution ? t->resolution : 1);
    } else if (strcmp(l->cell[0], "distances") == 0) {
        if (TCF_GROW(&rows->row, &rows->capacity, rows->n) != 0)
            fail("out of memory for %" PRIu32 " rows", rows->n);
        rows->row[rows->n] = (struct row){.source = reading->source};
        read_row(&rows->row[rows->n++], l);
    }
}

void rows_read(struct rows *rows, const struct options *o, uint32_t source, const char *archive)
{
    struct trace *t = &rows->trace[source];
    struct reading reading = {rows, source};
    snprintf(t->path, sizeof t->path, "%s", archive);
    FILE *file = open_tcflow(o, archive, "-o pipeline.chain=distances -o distances.format=csv");
    read_tables(file, take_line, &reading);
    if (pclose(file) != 0)
        fail("'%s': tcflow could not read it (see above)", archive);
    if (t->resolution == 0)
        fail("'%s': tcflow has not said what is in it", archive);
    if (t->events == 0)
        fail("'%s' has no events: nothing was recorded. Was the program instrumented, and measurement on?", archive);
}
