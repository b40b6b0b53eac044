/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `perfetto` and what the framework makes of what it says. */
#define _GNU_SOURCE
#define malformed malformed_track /* each file has its own */
#include "plugins/perfetto/tracks.c"
#undef malformed
#define malformed malformed_sequence
#include "plugins/perfetto/sequences.c"
#undef malformed
#include "plugins/perfetto/events.c"
#include "plugins/perfetto/perfetto.c"
#include "plugins/perfetto/texts.c"
#include "readers.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&tcflow_source, NULL, data, size);
    return 0;
}
