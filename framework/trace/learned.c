/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See learned.h. A list suffices: there are few tables, and each filter looks one up once. */
#include "learned.h"
#include "framework/base/error.h"

#include <stdlib.h>
#include <string.h>

typedef struct learned_table {
    struct learned_table *next;
    char *name;
    void *rows; /* never NULL */
    size_t row_bytes;
    uint64_t n;
} learned_table;

struct learned {
    learned_table *first;
};

learned *learned_new(void)
{
    learned *l = calloc(1, sizeof *l);
    if (!l)
        error_fail("out of memory");
    return l;
}

void learned_delete(learned *l)
{
    if (!l)
        return;
    for (learned_table *t = l->first, *next; t; t = next) {
        next = t->next;
        free(t->name);
        free(t->rows);
        free(t);
    }
    free(l);
}

static learned_table *find(const learned *l, const char *name)
{
    learned_table *t = l->first;
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    return t;
}

tcf_status learned_put(learned *l, const char *table, size_t row_bytes, const void *rows, uint64_t n)
{
    void *copy = malloc(n * row_bytes + 1);
    if (!copy)
        return error_fail("out of memory for %llu rows of '%s'", (unsigned long long)n, table);
    if (n > 0)
        memcpy(copy, rows, n * row_bytes);
    learned_table *t = find(l, table);
    if (!t) {
        t = calloc(1, sizeof *t);
        char *name = strdup(table);
        if (!t || !name) {
            free(t);
            free(name);
            free(copy);
            return error_fail("out of memory for '%s'", table);
        }
        t->name = name;
        learned_table **last = &l->first;
        while (*last)
            last = &(*last)->next;
        *last = t;
    }
    free(t->rows);
    t->rows = copy;
    t->row_bytes = row_bytes;
    t->n = n;
    return TCF_OK;
}

const void *learned_get(const learned *l, const char *table, size_t row_bytes, uint64_t *n)
{
    const learned_table *t = find(l, table);
    *n = t && t->row_bytes == row_bytes ? t->n : 0;
    return t && t->row_bytes == row_bytes ? t->rows : NULL;
}

int learned_at(const learned *l, uint32_t i, tcf_learned_table *table)
{
    const learned_table *t = l->first;
    while (t && i-- > 0)
        t = t->next;
    if (t)
        *table = (tcf_learned_table){.name = t->name, .rows = t->rows, .row_bytes = t->row_bytes, .n = t->n};
    return t != NULL;
}
