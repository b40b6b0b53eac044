/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the category of an event says of its paradigm, for readers. */
#ifndef TCFLOW_REGIONS_PARADIGM_NAMES_H
#define TCFLOW_REGIONS_PARADIGM_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* OTF2's number of a paradigm by the name that otf2-print has for it, or by a category of PyTorch that means one; 0:
 * neither. */
static inline uint8_t paradigm_of_name(const char *category)
{
    static const struct {
        const char *name;
        uint8_t paradigm;
    } known[] = {{"USER", 1},        {"COMPILER", 2},   {"OPENMP", 3},
                 {"MPI", 4},         {"CUDA", 5},       {"PTHREAD", 7},
                 {"OMPSS", 9},       {"GASPI", 11},     {"UPC", 12},
                 {"SHMEM", 13},      {"OPENACC", 18},   {"OPENCL", 19},
                 {"HIP", 23},        {"KOKKOS", 24},    {"kernel", 5},
                 {"gpu_memcpy", 5},  {"gpu_memset", 5}, {"cuda_runtime", 5},
                 {"cuda_driver", 5}, {"Kernel", 5},     {"MEASUREMENT_SYSTEM", 6}};

    for (size_t i = 0; *category && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(category, known[i].name) == 0)
            return known[i].paradigm;
    return 0;
}

#endif
