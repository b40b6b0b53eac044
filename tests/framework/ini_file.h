/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* An INI file for tests, behind cmocka: it is written, read, and what is said of it compared. */
#ifndef TCFLOW_TESTS_INI_FILE_H
#define TCFLOW_TESTS_INI_FILE_H

#include "framework/base/error.h"
#include "framework/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char folder[64], path[96];

static inline int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tcflow-settings.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/p.ini", folder);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static inline void write_file(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline settings *load(const char *text)
{
    write_file(text, strlen(text));
    error_clear();
    return settings_load(path, NULL, 0);
}

/* The error names the file by its path; PATH in what is expected stands for it. */
static inline void assert_error(const char *expected, const char *of)
{
    char text[2048];
    const char *at = strncmp(expected, "PATH", 4) == 0 ? expected + 4 : expected;
    snprintf(text, sizeof text, "%s%s", at == expected ? "" : path, at);
    if (strncmp(error_text(), text, strlen(text)) != 0)
        fail_msg("of <%s>:\n     got <%s>\nexpected <%s>", of, error_text(), text);
    if (!error_is_usage())
        fail_msg("of <%s>: is no usage error: %s", of, error_text());
}

static inline const char *value_of(const settings *s, const char *section, const char *key)
{
    settings_section *at = settings_find(s, section);
    for (size_t i = 0; at && i < at->n_entries; i++)
        if (strcmp(at->entries[i].key, key) == 0)
            return at->entries[i].value;
    return "(missing)";
}
#endif
