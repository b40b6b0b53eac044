/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The least of many numbers which only grow, and where it stands: times up to which locations have come.
 *
 * Numbers stand in groups, groups in larger ones. A group knows its least number until just that one grows; it is
 * looked for again when somebody asks. So both calls take the logarithm of how many there are. */
#ifndef TCFLOW_FRAMEWORK_LEAST_H
#define TCFLOW_FRAMEWORK_LEAST_H

#include <stdint.h>

enum { LEAST_LEVELS = 6 };

typedef struct least_group {
    uint32_t first; /* where its least number stood when it was last looked for */
    uint8_t has_grown;
} least_group;

typedef struct least {
    uint32_t n;
    uint64_t *value; /* n of them; to be read */
    uint32_t levels, n_groups[LEAST_LEVELS];
    least_group *groups[LEAST_LEVELS]; /* the last level has one that has all */
} least;

/* All are 0. Returns -1: out of memory. least_free() is right behind that, too. */
int least_init(least *l, uint32_t n);
void least_free(least *l);
/* Number k becomes `value`, unless it is as large already. */
void least_raise(least *l, uint32_t k, uint64_t value);
/* Where the least number stands; of equal ones the first. There has to be one. */
uint32_t least_first(least *l);

#endif
