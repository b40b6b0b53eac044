/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A pipeline as the kit sees it; see the header. */
#include "observer.h"
#include "stages.h"

source *observer_source(const tcf_self *self)
{
    return instance_of(self)->pipeline->source;
}

const tcf_filter *observer_filter(const tcf_self *self)
{
    return instance_of(self)->filter;
}

void *observer_conf(const tcf_self *self)
{
    return instance_of(self)->conf;
}

const tcf_self *observer_neighbour(const tcf_self *self, uint32_t i)
{
    const pipeline *p = instance_of(self)->pipeline;
    return i < p->n_instances ? &p->instances[i].self : NULL;
}

void observer_lose_report(const tcf_self *self)
{
    instance_of(self)->report_lost = 1;
}
