/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Small helpers of the oracle: growing arrays, look-up of definitions by id, text output. Running out of memory
 * ends the program: the oracle is a test tool and has nothing to save. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

static void *checked(void *pointer)
{
    if (!pointer) {
        fputs("oracle: out of memory\n", stderr);
        exit(3);
    }
    return pointer;
}

void *o_alloc(size_t n, size_t size)
{
    return checked(calloc(n ? n : 1, size));
}

char *o_copy(const char *text)
{
    return checked(strdup(text));
}

void *o_grow(void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    *cap = *cap ? 2 * *cap : 16;
    return checked(realloc(array, *cap * size));
}

void *o_push(struct o_list *list, size_t size)
{
    list->item = o_grow(list->item, list->n, &list->cap, size);
    void *item = (char *)list->item + list->n++ * size;
    memset(item, 0, size);
    return item;
}

int o_compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_defs(const void *a, const void *b)
{
    const struct o_def *x = a, *y = b;
    int order = o_compare_u64(x->id, y->id);
    return order ? order : o_compare_u64(x->order, y->order);
}

void o_sort_defs(struct o_list *list, size_t size)
{
    if (list->n > 1)
        qsort(list->item, list->n, size, compare_defs);
}

static uint64_t id_at(const struct o_list *list, size_t size, size_t i)
{
    return ((const struct o_def *)(const void *)((const char *)list->item + i * size))->id;
}

const void *o_find(const struct o_list *list, size_t size, uint64_t id)
{
    size_t low = 0, high = list->n;
    /* Ids that count from 0 stand at their numbers. */
    if (id < high && id_at(list, size, id) == id && (id == 0 || id_at(list, size, id - 1) != id))
        low = high = id;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (id_at(list, size, middle) < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->n && id_at(list, size, low) == id ? (const char *)list->item + low * size : NULL;
}

void o_print_csv(const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

uint64_t o_process_of(const struct o_trace *trace, size_t location)
{
    uint64_t group = trace->location[location].group;
    for (size_t steps = 0; steps <= trace->location_groups.n;
         steps++) { /* up to who created it; they may name each other */
        if (!o_defined(trace, O_REF_LOCATION_GROUP, group))
            return OTF2_UNDEFINED_LOCATION_GROUP;
        const struct o_location_group *of = o_find(&trace->location_groups, sizeof *of, group);
        if (!of || !o_defined(trace, O_REF_LOCATION_GROUP, of->creator))
            break;
        group = of->creator;
    }
    return group;
}
