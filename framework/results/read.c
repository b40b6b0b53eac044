/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See read.h. */
#include "read.h"
#include "report_tables.h"

#include <math.h>
#include <string.h>

const tcf_table *read_table(const report *r, const char *name)
{
    for (const tcf_table *t = r ? r->first : NULL; t; t = t->next)
        if (t->name && strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

const char *read_instance(const report *r)
{
    return r->instance;
}

uint64_t read_rows(const tcf_table *t)
{
    return t->n_rows;
}

int read_column(const tcf_table *t, const char *name)
{
    for (uint32_t i = 0; t && i < t->n_columns; i++)
        if (t->columns[i].name && strcmp(t->columns[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* NULL: there is no such cell. */
static const tcf_cell *cell_at(const tcf_table *t, uint64_t row, int column)
{
    if (!t || column < 0 || (uint32_t)column >= t->n_columns || row >= t->n_rows)
        return NULL;
    return &t->cells[row * t->n_columns + (uint32_t)column];
}

double read_number(const tcf_table *t, uint64_t row, int column)
{
    const tcf_cell *cell = cell_at(t, row, column);
    if (!cell || report_is_absent(&t->columns[column], *cell))
        return (double)NAN;
    switch (t->columns[column].type) {
    case TCF_CELL_INT:
        return (double)cell->i;
    case TCF_CELL_UINT:
        return (double)cell->u;
    case TCF_CELL_DOUBLE:
        return cell->d;
    default:
        return (double)NAN;
    }
}

uint64_t read_whole(const tcf_table *t, uint64_t row, int column)
{
    const tcf_cell *cell = cell_at(t, row, column);
    if (!cell || (t->columns[column].type != TCF_CELL_UINT && t->columns[column].type != TCF_CELL_INT))
        return UINT64_MAX;
    return cell->u;
}

const char *read_text(const tcf_table *t, uint64_t row, int column)
{
    const tcf_cell *cell = cell_at(t, row, column);
    return cell && t->columns[column].type == TCF_CELL_TEXT && cell->text ? cell->text : "";
}
