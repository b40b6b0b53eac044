/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the category of an event says of its region's paradigm and role, for readers. */
#ifndef TCFLOW_REGIONS_CATEGORIES_H
#define TCFLOW_REGIONS_CATEGORIES_H

#include <tcflow/source.h>

/* Roles as otf2-print has their names, in the order of OTF2_RegionRole from 2 on. */
static inline uint8_t role_of_name(const char *name, size_t n)
{
    static const char *const roles[] = {"WRAPPER",
                                        "LOOP",
                                        "CODE",
                                        "PARALLEL",
                                        "SECTIONS",
                                        "SECTION",
                                        "WORKSHARE",
                                        "SINGLE",
                                        "SINGLE_SBLOCK",
                                        "MASTER",
                                        "CRITICAL",
                                        "CRITICAL_SBLOCK",
                                        "ATOMIC",
                                        "BARRIER",
                                        "IMPLICIT_BARRIER",
                                        "FLUSH",
                                        "ORDERED",
                                        "ORDERED_SBLOCK",
                                        "TASK",
                                        "TASK_CREATE",
                                        "TASK_WAIT",
                                        "COLL_ONE2ALL",
                                        "COLL_ALL2ONE",
                                        "COLL_ALL2ALL",
                                        "COLL_OTHER",
                                        "FILE_IO",
                                        "POINT2POINT",
                                        "RMA",
                                        "DATA_TRANSFER",
                                        "ARTIFICIAL",
                                        "THREAD_CREATE",
                                        "THREAD_WAIT",
                                        "TASK_UNTIED",
                                        "ALLOCATE",
                                        "DEALLOCATE",
                                        "REALLOCATE",
                                        "FILE_IO_METADATA"};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strlen(roles[i]) == n && memcmp(name, roles[i], n) == 0)
            return (uint8_t)(i + 2);
    return 0;
}

/* Takes paradigm and role of a region from the first two categories of its events: the name that otf2-print has for a
 * paradigm, and then that of a role; or a category of PyTorch that means both. Of another category both stay as they
 * are. `category`: one, or several with commas in between; `second`: where it is one, the next one. */
static inline void take_category(tcf_region_name *region, const char *category, const char *second)
{
    static const struct {
        const char *name;
        uint8_t paradigm, role, of_pytorch;
    } known[] = {{"USER", 1, 0, 0},
                 {"COMPILER", 2, 0, 0},
                 {"OPENMP", 3, 0, 0},
                 {"MPI", 4, 0, 0},
                 {"CUDA", 5, 0, 0},
                 {"MEASUREMENT_SYSTEM", 6, 0, 0},
                 {"PTHREAD", 7, 0, 0},
                 {"OMPSS", 9, 0, 0},
                 {"GASPI", 11, 0, 0},
                 {"UPC", 12, 0, 0},
                 {"SHMEM", 13, 0, 0},
                 {"OPENACC", 18, 0, 0},
                 {"OPENCL", 19, 0, 0},
                 {"NONE", 22, 0, 0},
                 {"HIP", 23, 0, 0},
                 {"KOKKOS", 24, 0, 0},
                 {"kernel", 5, 0, 1},
                 {"Kernel", 5, 0, 1},
                 {"gpu_memcpy", 5, TCF_ROLE_DATA_TRANSFER, 1},
                 {"gpu_memset", 5, 0, 1},
                 {"cuda_runtime", 5, 0, 1},
                 {"cuda_driver", 5, 0, 1}};
    const size_t n = strcspn(category, ",");
    const char *behind = category[n] ? category + n + 1 : second;

    for (size_t i = 0; n > 0 && i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == n && memcmp(category, known[i].name, n) == 0) {
            region->paradigm = known[i].paradigm;
            region->role = known[i].of_pytorch ? known[i].role : role_of_name(behind, strcspn(behind, ","));
            return;
        }
}

#endif
