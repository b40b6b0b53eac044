/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `perfetto` and what the framework makes of what it says. */
#define _GNU_SOURCE
#define CHUNK_BYTES 512
#include "plugins/perfetto/events.c"
#include "plugins/perfetto/perfetto.c"
#include "plugins/perfetto/sequences.c"
#include "plugins/perfetto/texts.c"
#include "plugins/perfetto/tracks.c"
#include "readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&tcflow_source, NULL, data, size);
    return 0;
}
