/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the compiler calls at the begin and end of each function. A function's region is its offset in the program's
 * image: the same for all processes, wherever they were loaded. */
#include "recorder.h"

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    size_t offset = (size_t)((char *)function - recorder.image);
    (void)caller;
    if (!recorder.writer || offset >= RECORDER_IMAGE_BYTES)
        return;
    recorder.seen[offset] = 1;
    recorder_enter((uint32_t)offset);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    size_t offset = (size_t)((char *)function - recorder.image);
    (void)caller;
    if (recorder.writer && offset < RECORDER_IMAGE_BYTES)
        recorder_leave((uint32_t)offset);
}
