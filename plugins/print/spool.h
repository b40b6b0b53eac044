/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A temporary file that takes the lines of many locations as they come, and gives them back location by location.
 *
 * A block is a header and text; the blocks of a location are chained by offsets in their headers. In memory there are
 * two offsets a location. The file has no name: it disappears with the process. */
#ifndef TCFLOW_PRINT_SPOOL_H
#define TCFLOW_PRINT_SPOOL_H

#include "../shared/records/output.h"

struct spool_chain {
    uint64_t first, last; /* offsets of blocks; 0: none */
};

struct spool {
    struct output text; /* the block that is being made: its text is longer than the buffer at times, see spool.c */
    struct spool_chain *chains;
    const char *folder;
    char *own_folder;
    uint64_t end;      /* of the file */
    uint64_t block;    /* offset of the block that is being made */
    uint32_t location; /* its location */
    int error;
};

/* The file is made in the folder of `beside`, or where temporary files go (NULL). */
int spool_init(struct spool *s, uint32_t n_locations, const char *beside);
void spool_free(struct spool *s);
/* What is printed to s->text from now on belongs to a location, until spool_finish(). */
void spool_start(struct spool *s, uint32_t location);
int spool_finish(struct spool *s);
/* Everything of a location. */
int spool_copy(struct spool *s, uint32_t location, struct output *to);

#endif
