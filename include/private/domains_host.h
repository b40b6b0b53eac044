/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a filter may ask of the domains of its chain that writes one output from all of them (otf2_write): the extension
 * TCF_DOMAINS_HOST of the host table. */
#ifndef TCFLOW_PRIVATE_DOMAINS_HOST_H
#define TCFLOW_PRIVATE_DOMAINS_HOST_H

#include <tcflow/filter.h>

#define TCF_DOMAINS_HOST "domains"

typedef struct tcf_domains_host {
    /* Is it the filter's instance in the first domain, or the only one? Its begin() comes before that of the others,
     * and its fini() behind theirs. Others may be in other processes. */
    int (*is_first)(const tcf_self *self);
    /* Domains in this process. */
    uint32_t (*count)(const tcf_self *self);
    /* Leaves bytes behind those that have been left: the first one in begin(), for all others; these in fini() of a run
     * that fails, for the first one. */
    void (*leave)(tcf_self *self, const void *data, size_t bytes);
    /* What has been left for this one, *n bytes; NULL: nothing, or out of memory. */
    const void *(*left)(const tcf_self *self, size_t *n);
} tcf_domains_host;

static inline const tcf_domains_host *tcf_domains_host_of(const tcf_self *self)
{
    return (const tcf_domains_host *)self->host->extension(self, TCF_DOMAINS_HOST);
}

#endif
