/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See rows.h. */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void rows_start(rows *r, gzFile file, char separator)
{
    r->file = file;
    r->separator = separator;
    r->pushed = -1;
    r->line = 1;
}

void rows_free(rows *r)
{
    free(r->text);
}

/* The next byte; -1: the end, or a problem. */
static int next_byte(rows *r)
{
    if (r->pushed >= 0) {
        const int byte = r->pushed;
        r->pushed = -1;
        return byte;
    }
    if (r->at == r->n) {
        const int n = gzread(r->file, r->buffer, sizeof r->buffer);
        int error = Z_OK;
        const char *said = gzerror(r->file, &error);
        if (n < 0 || (n == 0 && error == Z_BUF_ERROR))
            r->problem = error == Z_ERRNO       ? strerror(errno)
                         : error == Z_BUF_ERROR ? "the packed data ends in its middle"
                                                : said;
        r->at = 0;
        r->n = n > 0 ? (size_t)n : 0;
        if (n <= 0)
            return -1;
    }
    return r->buffer[r->at++];
}

static int add(rows *r, char byte)
{
    if (r->used == r->room) {
        const size_t room = r->room ? 2 * r->room : 4096;
        char *grown = room <= ROW_MOST ? realloc(r->text, room) : NULL;
        if (!grown) {
            r->problem = room <= ROW_MOST ? "out of memory" : "a row of more than 16 MiB; is there a quote too few?";
            return -1;
        }
        r->text = grown;
        r->room = room;
    }
    r->text[r->used++] = byte ? byte : ' ';
    return 0;
}

static int end_cell(rows *r, size_t least)
{
    while (r->used > least && (r->text[r->used - 1] == ' ' || r->text[r->used - 1] == '\t'))
        r->used--;
    if (add(r, ' ') != 0)
        return -1;
    r->text[r->used - 1] = '\0';
    return 0;
}

/* Reads a cell behind its first quote. -1: a problem. */
static int quoted(rows *r)
{
    for (int byte; (byte = next_byte(r)) >= 0;) {
        r->line += byte == '\n';
        if (byte == '"') {
            const int behind = next_byte(r);
            if (behind != '"') {
                r->pushed = behind;
                return 0;
            }
        }
        if (add(r, (char)byte) != 0)
            return -1;
    }
    if (!r->problem)
        r->problem = "a quote without an end";
    return -1;
}

/* Reads a cell; returns the byte that ended it, or -1: the end, or a problem. */
static int cell(rows *r)
{
    size_t least = r->used;
    int byte;

    r->cell[r->n_cells++] = r->used;
    while ((byte = next_byte(r)) >= 0 && byte != r->separator && byte != '\n') {
        if (byte == '\r') {
            const int behind = next_byte(r);
            r->pushed = behind;
            if (behind == '\n')
                continue;
        }
        if (byte == '"' && r->used == least) {
            if (quoted(r) != 0)
                return -1;
            least = r->used;
        } else if (r->used > least || (byte != ' ' && byte != '\t')) {
            if (add(r, (char)byte) != 0)
                return -1;
        }
    }
    if (r->problem || end_cell(r, least) != 0)
        return -1;
    return byte;
}

int rows_next(rows *r)
{
    int byte;

    do {
        r->used = r->n_cells = 0;
        r->row_line = r->line;
        do {
            if (r->n_cells == CELLS_MOST) {
                r->problem = "more than 1024 columns";
                return -1;
            }
            byte = cell(r);
        } while (byte == r->separator && byte >= 0);
        r->line += byte == '\n';
        if (r->problem)
            return -1;
    } while (byte >= 0 && r->used == r->n_cells);
    return r->used > r->n_cells;
}
