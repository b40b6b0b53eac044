/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* csv: takes a file apart into rows and cells, as RFC 4180 has them: cells may be quoted, with "" for a quote, and may
 * then hold separators and ends of lines. The file may be packed by gzip. */
#ifndef TCFLOW_CSV_ROWS_H
#define TCFLOW_CSV_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

enum { CELLS_MOST = 1024, ROW_MOST = 16 << 20 };

typedef struct rows {
    gzFile file;
    char separator;
    unsigned char buffer[1 << 16];
    size_t at, n; /* of the buffer */
    int pushed;   /* a byte that was read too far, or -1 */
    char *text;   /* of the row; each cell ends with a zero byte */
    size_t used, room;
    size_t cell[CELLS_MOST]; /* where each begins */
    uint32_t n_cells;
    uint64_t line, row_line; /* the line that is read, and where the row begins; from 1 on */
    const char *problem;
} rows;

void rows_start(rows *r, gzFile file, char separator);
/* 1: a row; 0: the end; -1: r->problem says why not, at r->row_line. Rows without a cell that holds something are left
 * out. */
int rows_next(rows *r);
void rows_free(rows *r);

/* A cell without blanks around it (those in quotes stay); "" where the row has no such cell. */
static inline const char *rows_cell(const rows *r, uint32_t column)
{
    return column < r->n_cells ? r->text + r->cell[column] : "";
}

#endif
