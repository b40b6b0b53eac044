/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* ${NAME} and $$ in the values of settings. */
#include "framework/base/error.h"
#include "framework/base/text_stream.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>

enum { WHAT_BYTES = 4096, NAME_BYTES = 4096 };

static int is_name_character(char c, int first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* Writes the value of the variable whose ${NAME} stands at *from, and moves *from behind it. */
static tcf_status expand_variable(FILE *out, const char **from, const char *what)
{
    char name[NAME_BYTES];
    const char *start = *from + 2;
    size_t n = 0;

    while (n < sizeof name - 1 && is_name_character(start[n], n == 0))
        n++;
    if (n == 0 || start[n] != '}')
        return error_usage("%s: '%s' lacks a name or its closing brace: expected ${NAME} (a dollar sign is $$)", what,
                           *from);
    memcpy(name, start, n);
    name[n] = '\0';
    const char *content = getenv(name);
    if (!content)
        return error_usage("%s: ${%s}: there is no environment variable of this name", what, name);
    fputs(content, out);
    *from = start + n + 1;
    return TCF_OK;
}

/* Returns the value with ${NAME} and $$ replaced, which the caller frees, or NULL after a failure. */
static char *expand(const char *value, const char *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tcf_status status = TCF_OK;

    if (!out) {
        error_fail("out of memory");
        return NULL;
    }
    while (*value && status == TCF_OK) {
        if (value[0] == '$' && value[1] == '$') {
            putc('$', out);
            value += 2;
        } else if (value[0] == '$' && value[1] == '{') {
            status = expand_variable(out, &value, what);
        } else {
            putc(*value++, out);
        }
    }
    if (text_stream_close(out, &text) != 0 && status == TCF_OK)
        status = error_fail("out of memory");
    if (status == TCF_OK)
        return text;
    free(text);
    return NULL;
}

tcf_status settings_expand(settings *s)
{
    char what[WHAT_BYTES];

    for (size_t i = 0; i < s->n_sections; i++)
        for (size_t k = 0; k < s->sections[i].n_entries; k++) {
            settings_entry *e = &s->sections[i].entries[k];
            if (!strchr(e->value, '$'))
                continue;
            char *text = expand(e->value, settings_where(&s->sections[i], e, what, sizeof what));
            if (!text)
                return TCF_ERROR;
            e->value = store_text(&s->texts, text, strlen(text));
            free(text);
            if (!e->value)
                return error_fail("out of memory");
        }
    return TCF_OK;
}
