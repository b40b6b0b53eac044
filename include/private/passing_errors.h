/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Errors of calls to the system that say nothing of the file or folder which the call names: the same call would do
 * something else at another time. Who goes on as if nothing had that name would do so with less. */
#ifndef TCFLOW_PRIVATE_PASSING_ERRORS_H
#define TCFLOW_PRIVATE_PASSING_ERRORS_H

#include <errno.h>
#include <stddef.h>

static inline int tcf_error_is_passing(int error)
{
    static const int passing[] = {ENOMEM, EIO, EINTR, EAGAIN, EMFILE, ENFILE, ESTALE, ETIMEDOUT};

    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (error == passing[i])
            return 1;
    return 0;
}

#endif
