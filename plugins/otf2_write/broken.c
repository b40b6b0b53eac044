/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What to do and say when libotf2 cannot write. */
#include "otf2_write.h"

#include <errno.h>
#include <string.h>

/* After a failed write libotf2 3.0 frees a file's buffer and then uses it again when the writer is closed. So the
 * archive is left alone from then on, with what has reached the disk. */
const char *broken(const tcf_self *self, OTF2_ErrorCode code)
{
    ((struct state *)self->state)->broken = 1;
    switch (errno) { /* libotf2's own code is often a vague one */
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
    case EROFS:
    case EACCES:
        return strerror(errno);
    case ENOMEM:
        return "out of memory";
    case EMFILE:
    case ENFILE:
        return "too many open files: each location takes one when it is read and one when it is written (ulimit -n)";
    default:
        return OTF2_Error_GetDescription(code);
    }
}
