/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The events that a chain needs of a source: a survey of edges has no use for most. */
#ifndef TCFLOW_FRAMEWORK_WANTED_H
#define TCFLOW_FRAMEWORK_WANTED_H

#include <stdint.h>

typedef struct source_wanted {
    uint8_t kinds[256];     /* 1: events of this kind; */
    const uint8_t *regions; /* enters and leaves only where the region's entry, by index, isn't 0; NULL: all regions */
    uint32_t n_regions;
} source_wanted;

#endif
