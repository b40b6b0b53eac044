/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which events of a source somebody wants to see: a survey of edges has no use for the others. */
#ifndef TCFLOW_FRAMEWORK_WANTED_H
#define TCFLOW_FRAMEWORK_WANTED_H

#include <stdint.h>

typedef struct source_wanted {
    uint8_t kinds[256];     /* 1: events of this kind, */
    const uint8_t *regions; /* of enters and leaves those of regions whose entry, by index, isn't 0; NULL: all */
    uint32_t n_regions;
} source_wanted;

#endif
