/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the compiler calls at the begin and end of each function, and the macros of recorder_region.h of each block. */
#include "recorder.h"
#include "recorder_region.h"

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static void enter(uint32_t region)
{
    if (recorder.depth == MOST_OPEN)
        recorder_give_up("more than %d functions and blocks in each other", MOST_OPEN);
    recorder.open[recorder.depth++] = region;
    RECORD(Enter, region);
}

/* What was entered before MPI_Init is not recorded, and neither is its end. */
static void leave(void)
{
    if (recorder.writer && recorder.depth > 0)
        RECORD(Leave, recorder.open[--recorder.depth]);
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (!recorder.writer || recorder_offset(function) >= recorder.bytes)
        return;
    recorder.seen[recorder_offset(function)] = SEEN_FUNCTION;
    enter(recorder_offset(function));
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    if (recorder_offset(function) < recorder.bytes)
        leave();
}

const char *recorder_enter_block(const char *name, int loop)
{
    if (!recorder.writer)
        return NULL;
    recorder.seen[recorder_offset(name)] = loop ? OTF2_REGION_ROLE_LOOP : OTF2_REGION_ROLE_CODE;
    enter(recorder_offset(name));
    return name;
}

void recorder_leave_block(const char **name)
{
    (void)name;
    leave();
}
