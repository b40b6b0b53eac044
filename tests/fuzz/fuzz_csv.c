/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `csv` and what the framework makes of what it says. */
#define _GNU_SOURCE
#include "plugins/csv/csv.c"
#include "plugins/csv/rows.c"
#include "readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct conf usual = {.time = "",
                                      .begin = "",
                                      .end = "",
                                      .duration = "",
                                      .event = "Event Type",
                                      .name = "Name",
                                      .process = "Process",
                                      .thread = "Thread",
                                      .separator = ",",
                                      .enter = "Enter",
                                      .leave = "Leave"};

    fuzz_reader(&tcflow_source, &usual, data, size);
    return 0;
}
