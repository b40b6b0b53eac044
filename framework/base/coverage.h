/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Programs whose coverage is measured (`make coverage`): gcov's counters go to files in the build folder where a
 * process ends as usual, and where it says so. */
#ifndef TCFLOW_FRAMEWORK_COVERAGE_H
#define TCFLOW_FRAMEWORK_COVERAGE_H

extern void __gcov_dump(void) __attribute__((weak));

static inline int coverage_is_measured(void)
{
    return __gcov_dump != 0;
}

/* For a process that ends without its destructors. */
static inline void coverage_write(void)
{
    if (coverage_is_measured())
        __gcov_dump();
}

#endif
