#include "patterns.h"

#define P(ID, name, parent, unit, title, help) {name, WAIT_##parent, unit, title, help},
const wait_pattern_row wait_patterns[WAIT_PATTERNS] = {WAITS_TIME_TABLE(P) WAITS_WAIT_TABLE(P)};
#undef P
