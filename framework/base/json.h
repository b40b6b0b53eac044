/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is easy to get wrong about JSON: strings and numbers. */
#ifndef TCFLOW_FRAMEWORK_JSON_H
#define TCFLOW_FRAMEWORK_JSON_H

#include <stdio.h>

/* A string with its quotes; NULL: null. Bytes that are no UTF-8 become U+FFFD. */
void json_string(FILE *out, const char *text);
/* The same, fit for a script element of HTML: no `<`, `>`, `&`, U+2028 or U+2029 stands in there as it is. */
void json_string_in_html(FILE *out, const char *text);
/* The shortest decimal that reads back as the same double; infinities and NaN: null. */
void json_double(FILE *out, double value);
/* The same digits without the rule for null; to[] has at least 32 bytes. */
void shortest_double(char *to, double value);

#endif
