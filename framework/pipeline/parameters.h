/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parameters of a run: those of [pipeline] and of each instance, as the filters were given them, and who said
 * so. */
#ifndef TCFLOW_FRAMEWORK_PARAMETERS_H
#define TCFLOW_FRAMEWORK_PARAMETERS_H

#include "session.h"

typedef struct parameter {
    const char *place;    /* chain, survey, or framework */
    const char *instance; /* its section */
    const char *filter;   /* NULL: none, the framework */
    const char *key, *value, *origin, *type;
} parameter;

/* Calls each() for every parameter, which is valid until that returns. A long value is cut, and its length stands
 * behind it. */
tcf_status parameters_each(const session *s, void (*each)(void *data, const parameter *x), void *data);

#endif
