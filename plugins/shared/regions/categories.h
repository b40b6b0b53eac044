/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the category of an event says of its region's paradigm and role, for readers. */
#ifndef TCFLOW_REGIONS_CATEGORIES_H
#define TCFLOW_REGIONS_CATEGORIES_H

#include <tcflow/source.h>

/* Takes paradigm and role of a region from the category of its events: the name that otf2-print has for a paradigm, or
 * a category of PyTorch that means one. Of another category both stay as they are. */
static inline void take_category(tcf_region_name *region, const char *category)
{
    static const struct {
        const char *name;
        uint8_t paradigm, role;
    } known[] = {{"USER", 1, 0},
                 {"COMPILER", 2, 0},
                 {"OPENMP", 3, 0},
                 {"MPI", 4, 0},
                 {"CUDA", 5, 0},
                 {"PTHREAD", 7, 0},
                 {"OMPSS", 9, 0},
                 {"GASPI", 11, 0},
                 {"UPC", 12, 0},
                 {"SHMEM", 13, 0},
                 {"OPENACC", 18, 0},
                 {"OPENCL", 19, 0},
                 {"HIP", 23, 0},
                 {"KOKKOS", 24, 0},
                 {"kernel", 5, 0},
                 {"Kernel", 5, 0},
                 {"gpu_memcpy", 5, TCF_ROLE_DATA_TRANSFER},
                 {"gpu_memset", 5, 0},
                 {"cuda_runtime", 5, 0},
                 {"cuda_driver", 5, 0},
                 {"MEASUREMENT_SYSTEM", 6, 0}};

    for (size_t i = 0; *category && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(category, known[i].name) == 0) {
            region->paradigm = known[i].paradigm;
            region->role = known[i].role;
            return;
        }
}

#endif
