/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A temporary file that takes the lines of many locations as they come and is read location by location.
 *
 * A block is a header and text. Offsets in the headers chain the blocks of a location, so memory holds two offsets
 * for each location. The file has no name: it disappears with the process. */
#ifndef TCFLOW_PRINT_SPOOL_H
#define TCFLOW_PRINT_SPOOL_H

#include "../shared/records/output.h"

struct spool_chain {
    uint64_t first, last; /* offsets of blocks; 0: none */
};

struct spool {
    struct output text; /* of the block that is being made */
    struct spool_chain *chains;
    const char *folder;
    char *own_folder;
    uint64_t end;      /* offset of the end of the file */
    uint64_t block;    /* offset of the block that is being made */
    uint32_t location; /* of the block that is being made */
    int error;
};

/* Makes the file in the folder of `beside`, or with NULL where temporary files go. -1: s->error says why, as with
 * the calls below. */
int spool_init(struct spool *s, uint32_t n_locations, const char *beside);
void spool_free(struct spool *s);
/* Begins a block: what is printed to s->text belongs to the location, until spool_finish(). */
void spool_start(struct spool *s, uint32_t location);
int spool_finish(struct spool *s);
/* Copies all lines of a location. */
int spool_copy(struct spool *s, uint32_t location, struct output *to);

#endif
