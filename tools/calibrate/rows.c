/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Runs tcflow with the filter distances over an archive and reads its tables: CSV, where each line starts with the
 * name of its table, and each table with a line of column names. */
#include "calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 40 };

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

/* Returns the position of a column among the cells of the head, where its unit follows: "min [s]". */
static const char *cell_of(char *const *head, char *const *cell, uint32_t n, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < n; i++)
        if (strncmp(head[i], name, length) == 0 && (head[i][length] == '\0' || strncmp(head[i] + length, " [", 2) == 0))
            return cell[i];
    fail("tcflow's filter distances has no column '%s': is it of another version? --tcflow names the right one", name);
}

static void read_row(struct row *r, char *const *head, char *const *cell, uint32_t n)
{
    const struct {
        const char *name;
        double *to;
    } times[] = {{"min", &r->min},       {"p1", &r->p1},     {"p5", &r->p5},          {"p25", &r->p25},
                 {"median", &r->median}, {"p75", &r->p75},   {"p95", &r->p95},        {"p99", &r->p99},
                 {"max", &r->max},       {"mean", &r->mean}, {"typical", &r->typical}};
    snprintf(r->kind, sizeof r->kind, "%s", cell_of(head, cell, n, "kind"));
    snprintf(r->after, sizeof r->after, "%s", cell_of(head, cell, n, "after"));
    snprintf(r->region, sizeof r->region, "%s", cell_of(head, cell, n, "region"));
    r->in_run = strcmp(cell_of(head, cell, n, "in_run"), "yes") == 0;
    r->attributes = (uint32_t)strtoul(cell_of(head, cell, n, "attributes"), NULL, 10);
    r->values = (uint32_t)strtoul(cell_of(head, cell, n, "values"), NULL, 10);
    r->samples = strtoull(cell_of(head, cell, n, "samples"), NULL, 10);
    r->interruptions = strtoull(cell_of(head, cell, n, "interruptions"), NULL, 10);
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        *times[i].to = strtod(cell_of(head, cell, n, times[i].name), NULL);
}

static void read_trace(struct trace *t, char *const *head, char *const *cell, uint32_t n)
{
    t->events = strtoull(cell_of(head, cell, n, "events"), NULL, 10);
    t->locations = strtoull(cell_of(head, cell, n, "locations"), NULL, 10);
    t->left_out = strtoull(cell_of(head, cell, n, "left_out"), NULL, 10);
    t->resolution = strtoull(cell_of(head, cell, n, "resolution"), NULL, 10);
    t->step = strtod(cell_of(head, cell, n, "step"), NULL) / (double)(t->resolution ? t->resolution : 1);
}

static struct row *new_row(struct rows *rows, uint32_t source)
{
    if (rows->n == rows->capacity) {
        uint32_t capacity = rows->capacity ? 2 * rows->capacity : 64;
        struct row *row = realloc(rows->row, capacity * sizeof *row);
        if (!row)
            fail("out of memory for %" PRIu32 " rows", capacity);
        rows->row = row;
        rows->capacity = capacity;
    }
    rows->row[rows->n] = (struct row){.source = source};
    return &rows->row[rows->n++];
}

static void read_tables(struct rows *rows, uint32_t source, FILE *file)
{
    char *line = NULL, *head_line = NULL, *head[MOST_CELLS], *cell[MOST_CELLS];
    size_t size = 0;
    uint32_t n_head = 0;
    while (getline(&line, &size, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "table,", 6) == 0) {
            free(head_line);
            head_line = strdup(line);
            n_head = head_line ? split(head_line, head) : 0;
            continue;
        }
        uint32_t n = split(line, cell);
        if (n < 2 || n != n_head)
            continue;
        if (strcmp(cell[0], "trace") == 0)
            read_trace(&rows->trace[source], head, cell, n);
        else if (strcmp(cell[0], "distances") == 0)
            read_row(new_row(rows, source), head, cell, n);
    }
    free(line);
    free(head_line);
}

void rows_read(struct rows *rows, const struct options *o, uint32_t source, const char *archive)
{
    char tcflow[PATH_BYTES], program[PATH_BYTES], input[PATH_BYTES], command[3 * PATH_BYTES];
    struct trace *t = &rows->trace[source];
    find_tcflow(o, tcflow);
    if (!quote(program, sizeof program, tcflow) || !quote(input, sizeof input, archive))
        fail("'%s': the path is too long", archive);
    snprintf(command, sizeof command, "%s -q -i %s -o pipeline.chain=distances -o distances.format=csv", program,
             input);
    snprintf(t->path, sizeof t->path, "%s", archive);
    fflush(NULL);
    FILE *file = popen(command, "r");
    if (!file)
        fail("cannot start '%s': %s", tcflow, strerror(errno));
    read_tables(rows, source, file);
    if (pclose(file) != 0)
        fail("'%s': tcflow could not read it (see above)", archive);
    if (t->resolution == 0)
        fail("'%s': '%s' has not said what is in it", archive, tcflow);
    if (t->events == 0)
        fail("'%s' has no events: nothing was recorded. Was the program instrumented, and measurement on?", archive);
}

void rows_free(struct rows *rows)
{
    free(rows->row);
    *rows = (struct rows){0};
}
