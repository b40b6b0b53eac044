/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `hpctoolkit` and what the framework makes of what it says. The input is meta.db,
 * profile.db and trace.db, in front of each of the first two its length in two bytes, the lower one first. */
#define _GNU_SOURCE
#include "parts.h"
#include "plugins/hpctoolkit/contexts.c"
#include "plugins/hpctoolkit/files.c"
#include "plugins/hpctoolkit/hpctoolkit.c"
#include "plugins/hpctoolkit/places.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[PARTS] = {"meta.db", "profile.db", "trace.db"};

    for (size_t i = 0; i < PARTS; i++) {
        const int is_last = i + 1 == PARTS;
        const size_t head = is_last || size < 2 ? 0 : 2;
        size_t n = head ? (size_t)data[0] | (size_t)data[1] << 8 : size;
        n = n < size - head ? n : size - head;
        write_part(names[i], data + head, n);
        data += head + n;
        size -= head + n;
    }
    fuzz_file(&tcflow_source, NULL, part_path(names[0]));
    return 0;
}
