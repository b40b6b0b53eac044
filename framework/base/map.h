/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The hash map of <tcflow/map.h> under the framework's short names. */
#ifndef TCFLOW_FRAMEWORK_MAP_H
#define TCFLOW_FRAMEWORK_MAP_H

#include <tcflow/map.h>

#define MAP_ABSENT TCF_MAP_ABSENT

typedef tcf_map map;

static inline uint64_t map_hash(uint64_t a, uint64_t b)
{
    return tcf_map_hash(a, b);
}

static inline void map_free(map *m)
{
    tcf_map_free(m);
}

static inline uint32_t map_get(const map *m, uint64_t a, uint64_t b)
{
    return tcf_map_get(m, a, b);
}

static inline int map_put(map *m, uint64_t a, uint64_t b, uint32_t value)
{
    return tcf_map_put(m, a, b, value);
}

static inline void map_remove(map *m, uint64_t a, uint64_t b)
{
    tcf_map_remove(m, a, b);
}

#endif
