/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Regions that a program names itself: REGION("solve"), at the begin of a block, records it up to its end, however the
 * program leaves it; LOOP("time step") is the same for the body of a loop, which OTF2 then knows as one. Without the
 * recorder linked both do nothing. */
#ifndef TCFLOW_TESTS_RECORDER_REGION_H
#define TCFLOW_TESTS_RECORDER_REGION_H

const char *recorder_enter_block(const char *name, int loop) __attribute__((weak));
void recorder_leave_block(const char **name) __attribute__((weak));

__attribute__((no_instrument_function)) static inline const char *recorder_enter_if_linked(const char *name, int loop)
{
    return recorder_enter_block ? recorder_enter_block(name, loop) : NULL;
}

__attribute__((no_instrument_function)) static inline void recorder_leave_if_linked(const char **name)
{
    if (*name)
        recorder_leave_block(name);
}

#define RECORDER_BLOCK(text, loop)                                                                                     \
    static const char recorder_name[] = text;                                                                          \
    __attribute__((cleanup(recorder_leave_if_linked), unused)) const char *recorder_block =                            \
        recorder_enter_if_linked(recorder_name, loop)
#define REGION(text) RECORDER_BLOCK(text, 0)
#define LOOP(text) RECORDER_BLOCK(text, 1)

#endif
