/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The sorter gives all records in order, whether they fit into its memory, make some runs, or so many that runs are
 * merged into fewer, again and again. */
#include "framework/base/error.h"
#include "framework/source/foreign/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct record {
    uint64_t key, number;
    char more[24];
} record;

static int compare(const void *x, const void *y)
{
    const record *a = x, *b = y;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Keys below 65,536 have one each; all others share the last. */
static uint32_t bucket(const void *x)
{
    const record *r = x;
    return r->key < SORTER_BUCKETS ? (uint32_t)r->key : SORTER_BUCKETS - 1;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

/* n records with keys below `keys`; `order`: 0 random, 1 sorted already, 2 backwards. 1,024 records are the least that
 * a sorter holds; 16 runs the most. */
static void check(uint64_t n, uint64_t keys, int order, sorter_bucket of)
{
    sorter *s = sorter_new(sizeof(record), 1, compare, of);
    record *all = calloc(n + 1, sizeof *all);
    uint64_t seed = 88172645463325252u + n;
    tcf_status status;
    const record *got;

    assert_non_null(s);
    assert_non_null(all);
    for (uint64_t i = 0; i < n; i++) {
        all[i].number = i;
        all[i].key = order == 1 ? i * keys / n : order == 2 ? (n - i) * keys / n : next_random(&seed) % keys;
        all[i].more[23] = (char)all[i].key;
        assert_int_equal(sorter_add(s, &all[i]), TCF_OK);
    }
    qsort(all, n, sizeof *all, compare);
    assert_int_equal(sorter_finish(s), TCF_OK);
    for (uint64_t i = 0; i < n; i++) {
        got = sorter_next(s, &status);
        assert_non_null(got);
        assert_memory_equal(got, &all[i], sizeof *got);
    }
    assert_null(sorter_next(s, &status));
    assert_int_equal(status, TCF_OK);
    assert_int_equal(sorter_written(s) > 0, n > 1024);
    sorter_delete(s);
    free(all);
}

static void any_number(void **state)
{
    static const uint64_t numbers[] = {0, 1, 2, 1023, 1024, 1025, 2048, 5000, 16384, 16385, 17408, 40000, 100000};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int order = 0; order < 3; order++) {
            check(numbers[i], 1u << 30, order, NULL);
            check(numbers[i], 7, order, NULL);
            check(numbers[i], 1u << 17, order, bucket);
            check(numbers[i], 7, order, bucket);
        }
}

/* Runs are merged about every 16,384 records, each time into a fresh file. */
static void nowhere_to_write(void **state)
{
    record r = {0};
    tcf_status status = TCF_OK;
    (void)state;
    setenv("TMPDIR", "/nonexistent", 1);
    sorter *s = sorter_new(sizeof(record), 1, compare, NULL);
    for (; r.number < 2000 && status == TCF_OK; r.number++)
        status = sorter_add(s, &r);
    assert_int_equal(status, TCF_ERROR);
    assert_int_equal(r.number, 1025);
    assert_string_equal(error_text(),
                        "no temporary file can be made in /nonexistent: No such file or directory (TMPDIR "
                        "names another folder)");
    sorter_delete(s);
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number), cmocka_unit_test(nowhere_to_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
