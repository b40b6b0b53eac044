/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the rules make: findings, and their texts. */
#include "rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void say(char *to, size_t size, const char *format, ...)
{
    const size_t n = strlen(to);
    va_list list;
    va_start(list, format);
    if (n < size)
        vsnprintf(to + n, size - n, format, list);
    va_end(list);
}

finding *add_finding(judgement *j, const char *rule, double cost, double share)
{
    findings *to = j->to;
    if (to->n == MOST_FINDINGS)
        return NULL;
    finding *x = &to->at[to->n++];
    *x = (finding){.rule = rule, .cost = cost, .share = share, .begin = (double)NAN, .end = (double)NAN};
    return x;
}

int is_large(const judgement *j, double share)
{
    return share * 100 >= ((const conf *)j->f->self->conf)->least;
}
