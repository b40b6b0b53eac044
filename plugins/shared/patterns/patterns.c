/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#include "patterns.h"

#define P(ID, name, parent, unit, title, help) {name, WAIT_##parent, unit, title, help},
const wait_pattern_row wait_patterns[WAIT_PATTERNS] = {WAITS_TIME_TABLE(P) WAITS_WAIT_TABLE(P)};
#undef P

#define C(ID, name, unit, title, help) {name, 0, unit, title, help},
const wait_pattern_row wait_count_rows[WAITS_COUNTS] = {WAITS_COUNT_TABLE(C)};
#undef C
