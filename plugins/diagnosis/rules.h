/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the files of rules share: rules.c for waits, transfer and the start, imbalance.c for uneven loads, findings.c.
 */
#ifndef TCFLOW_DIAGNOSIS_RULES_H
#define TCFLOW_DIAGNOSIS_RULES_H

#include "diagnosis.h"

typedef struct judgement {
    const facts *f;
    findings *to;
    double left[WAITINGS]; /* seconds of waits that no finding has told yet */
    double idle;           /* of idle time, likewise */
} judgement;

/* findings.c. Appends to a text that ends in NUL. */
void say(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define SAY(member, ...) say(member, sizeof(member), __VA_ARGS__)

/* A new finding; NULL: there are too many. */
finding *add_finding(judgement *j, const char *rule, double cost, double share);
/* Is a share (0 to 1) of the time large enough to be told? */
int is_large(const judgement *j, double share);

/* imbalance.c */
void judge_imbalance(judgement *j);
void judge_pipeline(judgement *j);

#endif
