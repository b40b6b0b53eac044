/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Work that several filters of a causal segment need, and that one of them does for all (the detection of waits): the
 * extension TCF_PARTS_HOST of the host table.
 *
 * Filters with `span` which take part in the same work share it where they see the same: they are in one segment, and
 * no filter from the first of them to the last one changes events. They have the same payloads and numbers then. */
#ifndef TCFLOW_PRIVATE_PARTS_HOST_H
#define TCFLOW_PRIVATE_PARTS_HOST_H

#include <tcflow/filter.h>

#define TCF_PARTS_HOST "parts"

typedef struct tcf_parts_host {
    /* In init(): the filter takes part in the work of this name, one at most. Whoever uses the name has the same
     * message_bytes, member_bytes and numbers. The name lives as long as the filter. */
    void (*take_part)(tcf_self *self, const char *name);
    /* From begin() on: the first filter of those that share the work with this one, perhaps `self`: the one whose
     * callbacks come first. */
    tcf_self *(*first)(tcf_self *self);
} tcf_parts_host;

static inline const tcf_parts_host *tcf_parts_host_of(const tcf_self *self)
{
    return (const tcf_parts_host *)self->host->extension(self, TCF_PARTS_HOST);
}

#endif
