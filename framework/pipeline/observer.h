/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the kit sees of a running pipeline: the filters of its chain, and the source. Everything else of the pipeline
 * stays inside this room. */
#ifndef TCFLOW_FRAMEWORK_OBSERVER_H
#define TCFLOW_FRAMEWORK_OBSERVER_H

#include "framework/trace/source.h"
#include <tcflow/filter.h>

/* The host table as every filter gets it. */
extern const tcf_host pipeline_host;

/* The source that the filter's pipeline reads. */
source *observer_source(const tcf_self *self);
/* The filter's plugin, as it was found. */
const tcf_filter *observer_filter(const tcf_self *self);
/* The parsed parameters, conf_size bytes, for writing; the filter itself may only read them. */
void *observer_conf(const tcf_self *self);
/* The i-th filter of the chain that `self` stands in; NULL: there are no more. */
const tcf_self *observer_neighbour(const tcf_self *self, uint32_t i);
/* From now on the filter's report counts as lost for want of memory. */
void observer_lose_report(const tcf_self *self);

#endif
