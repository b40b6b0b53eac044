/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#include "patterns.h"

#define P(ID, name, parent, unit, title, help) {name, WAIT_##parent, unit, title, help},
const wait_pattern_row wait_patterns[WAIT_PATTERNS] = {WAITS_TIME_TABLE(P) WAITS_WAIT_TABLE(P)};
#undef P

#define C(ID, name, unit, title, help) {name, 0, unit, title, help},
const wait_pattern_row wait_count_rows[WAITS_COUNTS] = {WAITS_COUNT_TABLE(C)};
#undef C

int wait_is_for_others(unsigned pattern)
{
    static const unsigned char is_none[WAIT_PATTERNS] = {
        [WAIT_INIT_COMPLETION] = 1, [WAIT_BARRIER_COMPLETION] = 1, [WAIT_NXN_COMPLETION] = 1,
        [WAIT_LSWO_DIFFERENT] = 1,  [WAIT_LSWO_SAME] = 1,          [WAIT_LATE_COMPLETE] = 1,
        [WAIT_IDLE_THREADS] = 1,    [WAIT_OMP_FORK] = 1,           [WAIT_OMP_JOIN] = 1,
    };
    return !is_none[pattern];
}
