/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `projections` and what the framework makes of what it says. The input is the .sts
 * and the logs of PEs 0 and 1, with a zero byte between them. */
#define _GNU_SOURCE
#include "parts.h"
#include "plugins/projections/projections.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[PARTS] = {"x.sts", "x.0.log", "x.1.log"};

    for (size_t i = 0; i < PARTS; i++) {
        const uint8_t *zero = i + 1 < PARTS && size > 0 ? memchr(data, 0, size) : NULL;
        const size_t n = zero ? (size_t)(zero - data) : size;
        write_part(names[i], data, n);
        data = zero ? zero + 1 : data + n;
        size = zero ? size - n - 1 : 0;
    }
    fuzz_file(&tcflow_source, NULL, part_path(names[0]));
    return 0;
}
