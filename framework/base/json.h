/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writing JSON's strings and numbers. */
#ifndef TCFLOW_FRAMEWORK_JSON_H
#define TCFLOW_FRAMEWORK_JSON_H

#include <stdio.h>

/* Writes a string with its quotes, null for NULL. Bytes that are no UTF-8 become U+FFFD. */
void json_string(FILE *out, const char *text);
/* The same for a script element of HTML: `<`, `>`, `&`, U+2028 and U+2029 are escaped. */
void json_string_in_html(FILE *out, const char *text);
/* Writes the shortest decimal that reads back as the same double; null for infinities and NaN. */
void json_double(FILE *out, double value);
/* The same digits as a text, for finite values; to[] has at least 32 bytes. */
void shortest_double(char *to, double value);

#endif
