/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a filter may ask of the domains of its chain that writes one output from all of them (otf2_write): the extension
 * TCF_DOMAINS_HOST of the host table. */
#ifndef TCFLOW_PRIVATE_DOMAINS_HOST_H
#define TCFLOW_PRIVATE_DOMAINS_HOST_H

#include <tcflow/filter.h>

#define TCF_DOMAINS_HOST "domains"

typedef struct tcf_domains_host {
    /* The filter's instance in the first domain, or `self`, where there is one domain. Its begin() comes before that of
     * the others, and its fini() behind theirs; in these callbacks they may look at it, and change its state. */
    tcf_self *(*first)(const tcf_self *self);
    uint32_t (*count)(const tcf_self *self);
} tcf_domains_host;

static inline const tcf_domains_host *tcf_domains_host_of(const tcf_self *self)
{
    return (const tcf_domains_host *)self->host->extension(self, TCF_DOMAINS_HOST);
}

#endif
