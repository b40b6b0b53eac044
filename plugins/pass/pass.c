/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* pass: hands every event on as it came. It is the smallest filter there can be, and the benchmarks measure by it what
 * a filter costs that does nothing. */
#include <tcflow/filter.h>

static tcf_status pass_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "pass",
    .version = "1.0",
    .summary = "Hands every event on as it came",
    .topic = TCF_TOPIC_EVENTS,
    .help = "Does nothing: for measuring what a chain costs, and as the simplest example of a filter.",
    .can = TCF_CAN_DOMAINS,
    .slice = pass_slice,
};
