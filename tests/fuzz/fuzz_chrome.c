/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `chrome` and what the framework makes of what it says. */
#define _GNU_SOURCE
#define CHUNK_BYTES 256
#include "plugins/chrome/chrome.c"
#include "plugins/chrome/events.c"
#include "plugins/chrome/kineto.c"
#include "plugins/chrome/parse.c"
#include "readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&tcflow_source, NULL, data, size);
    return 0;
}
