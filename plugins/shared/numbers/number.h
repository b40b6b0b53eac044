/* A number at the start of a text, as people write one in front of its unit. */
#ifndef TCFLOW_PLUGINS_NUMBER_H
#define TCFLOW_PLUGINS_NUMBER_H

#include <stdlib.h>
#include <string.h>

/* Its length; 0: there is none. Digits with at most one point: a sign, hexadecimal digits or an exponent would be
 * strtod()'s idea of a number. */
static inline size_t number_at(const char *text, double *value)
{
    char *end;
    const size_t whole = strspn(text, "0123456789");
    size_t n = whole;

    if (text[n] == '.')
        n += 1 + strspn(text + n + 1, "0123456789");
    if (n == 0 || (n == 1 && whole == 0))
        return 0;
    *value = strtod(text, &end);
    return end == text + n ? n : 0;
}

#endif
