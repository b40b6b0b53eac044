/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See database_names.h. */
#include "database_names.h"

#ifdef HAVE_SQLITE

#include "framework/base/json.h"
#include <private/utf8.h>
#include <tcflow/grow.h>

#include <sqlite3.h>
#include <stdlib.h>

static int is_taken(const names *taken, const char *name)
{
    for (size_t i = 0; i < taken->n; i++)
        if (sqlite3_stricmp(taken->at[i], name) == 0)
            return 1;
    return 0;
}

void names_free(names *taken)
{
    for (size_t i = 0; i < taken->n; i++)
        sqlite3_free(taken->at[i]);
    free(taken->at);
    *taken = (names){0};
}

char *names_clean(const char *text)
{
    sqlite3_str *out = sqlite3_str_new(NULL);

    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = tcf_utf8_bytes(s);
        if (n > 0)
            sqlite3_str_append(out, (const char *)s, (int)n);
        else
            sqlite3_str_appendall(out, "\xef\xbf\xbd");
        s += n > 0 ? n : 1;
    }
    int lost = sqlite3_str_errcode(out) != SQLITE_OK;
    char *clean = sqlite3_str_finish(out);
    if (lost) {
        sqlite3_free(clean);
        return NULL;
    }
    return clean ? clean : sqlite3_mprintf("%s", ""); /* SQLite returns NULL for an empty text */
}

char *names_take(names *taken, const char *wanted)
{
    char *base = names_clean(wanted && *wanted ? wanted : "_"), *name;

    if (base && sqlite3_strnicmp(base, "sqlite_", 7) == 0) { /* reserved by SQLite */
        name = sqlite3_mprintf("_%s", base);
        sqlite3_free(base);
        base = name;
    }
    name = base ? sqlite3_mprintf("%s", base) : NULL;
    for (unsigned number = 2; name && is_taken(taken, name); number++) {
        sqlite3_free(name);
        name = sqlite3_mprintf("%s_%u", base, number);
    }
    sqlite3_free(base);
    if (name && TCF_GROW(&taken->at, &taken->capacity, taken->n) != 0) {
        sqlite3_free(name);
        return NULL;
    }
    if (name)
        taken->at[taken->n++] = name;
    return name;
}

#endif
