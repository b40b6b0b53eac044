/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The values of a location by call path. A location visits few of all call paths, so cells are allocated in chunks, as
 * zeros, at first access.
 *
 *     path_cells cells = {0};
 *     struct cell *c = path_cell(&cells, callpath, sizeof *c);                 NULL: out of memory
 *     const struct cell *c = path_cell_at(&cells, callpath, sizeof *c);        NULL: path_cell() never made it
 *     path_cells_free(&cells); */
#ifndef TCFLOW_CALLPATHS_PATH_CELLS_H
#define TCFLOW_CALLPATHS_PATH_CELLS_H

#include <tcflow/grow.h>

enum { CELLS_A_CHUNK = 64 };

typedef struct path_cells {
    char **chunk; /* by call path / CELLS_A_CHUNK */
    uint32_t n_chunks;
} path_cells;

static __attribute__((noinline, unused)) char *path_cells_new_chunk(path_cells *p, uint32_t chunk, size_t bytes)
{
    if (TCF_GROW_ZEROED(&p->chunk, &p->n_chunks, chunk) != 0)
        return NULL;
    return p->chunk[chunk] = calloc(CELLS_A_CHUNK, bytes);
}

static inline void *path_cell(path_cells *p, uint32_t callpath, size_t bytes)
{
    const uint32_t chunk = callpath / CELLS_A_CHUNK;
    char *cells = chunk < p->n_chunks ? p->chunk[chunk] : NULL;
    if (__builtin_expect(!cells, 0) && !(cells = path_cells_new_chunk(p, chunk, bytes)))
        return NULL;
    return cells + callpath % CELLS_A_CHUNK * bytes;
}

static inline const void *path_cell_at(const path_cells *p, uint32_t callpath, size_t bytes)
{
    const uint32_t chunk = callpath / CELLS_A_CHUNK;
    const char *cells = chunk < p->n_chunks ? p->chunk[chunk] : NULL;
    return cells ? cells + callpath % CELLS_A_CHUNK * bytes : NULL;
}

static inline void path_cells_free(path_cells *p)
{
    for (uint32_t i = 0; i < p->n_chunks; i++)
        free(p->chunk[i]);
    free(p->chunk);
    *p = (path_cells){0};
}

#endif
