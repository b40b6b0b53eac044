/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For a filter that holds slices and needs a few of their events (clc_backward): the extension TCF_HOLD_HOST of the
 * host table. */
#ifndef TCFLOW_PRIVATE_HOLD_HOST_H
#define TCFLOW_PRIVATE_HOLD_HOST_H

#include <tcflow/filter.h>

#define TCF_HOLD_HOST "hold"

typedef struct tcf_hold_host {
    /* Cuts a slice that is held, in front of event `at` (0 < at < n): `s` keeps the events before, and what is returned
     * has those from there on, in memory of its own, and is held, too. So long slices needn't be kept for their ends.
     * NULL: the slice stays as it is; nothing is wrong. */
    tcf_slice *(*cut)(tcf_self *self, tcf_slice *s, uint32_t at);
} tcf_hold_host;

static inline const tcf_hold_host *tcf_hold_host_of(const tcf_self *self)
{
    return (const tcf_hold_host *)self->host->extension(self, TCF_HOLD_HOST);
}

#endif
