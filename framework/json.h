/* The three things about JSON that are easy to get wrong: strings, numbers and commas. */
#ifndef TCFLOW_FRAMEWORK_JSON_H
#define TCFLOW_FRAMEWORK_JSON_H

#include <stdio.h>

/* A string with its quotes; NULL: null. Bytes that are no UTF-8 become U+FFFD. */
void json_string(FILE *out, const char *text);
/* The shortest decimal that reads back as the same double; infinities and NaN: null. */
void json_double(FILE *out, double value);
/* The same digits without the rule for null; to[] has at least 32 bytes. */
void shortest_double(char *to, double value);

#endif
