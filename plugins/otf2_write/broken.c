/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Handles failures to write. */
#include "otf2_write.h"

#include <errno.h>
#include <string.h>

/* After a failed write libotf2 3.0 frees a file's buffer, and uses it again when the writer is closed. So the filter
 * makes no further call for this archive, which stays as it is on the disk. */
const char *broken(const tcf_self *self, OTF2_ErrorCode code)
{
    ((struct state *)self->state)->broken = 1;
    switch (errno) { /* more precise than most codes of libotf2 */
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

tcf_status written(const tcf_self *self, OTF2_ErrorCode code, const char *what)
{
    if (code == OTF2_SUCCESS)
        return TCF_OK;
    return self->host->fail(self, "%s cannot be written in '%s': %s", what,
                            ((const struct state *)self->state)->folder.name, broken(self, code));
}

tcf_status no_event_file(const tcf_self *self, uint32_t location, const char *what, OTF2_ErrorCode code)
{
    const tcf_location *def = tcf_location_at(self->defs, location);
    return self->host->fail(self, "location %llu (%s): the event file cannot be %s in '%s': %s",
                            (unsigned long long)def->id, def->name, what,
                            ((const struct state *)self->state)->folder.name, broken(self, code));
}

tcf_status event_not_written(const tcf_self *self, const tcf_slice *s, uint32_t i, uint64_t last_time,
                             const char *reason)
{
    const tcf_location *location = tcf_location_at(self->defs, s->location);
    unsigned long long id = location->id, number = s->first + i, time = s->time[i], before = last_time;

    if (s->time[i] < last_time)
        return self->host->fail(self,
                                "location %llu (%s): the time of event %llu, %llu, is before that of the event before "
                                "it, %llu",
                                id, location->name, number, time, before);
    return self->host->fail(self, "location %llu (%s): event %llu cannot be written in '%s': %s", id, location->name,
                            number, ((const struct state *)self->state)->folder.name, reason);
}
