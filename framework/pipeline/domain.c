/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the thread of a domain and the main thread say to each other while events flow. */
#include "domains.h"

void domain_report_progress(pipeline *p)
{
    uint64_t bytes, total;

    source_progress(p->source, &bytes, &total);
    atomic_store_explicit(&p->domain->events, p->n_events, memory_order_relaxed);
    atomic_store_explicit(&p->domain->bytes_read, bytes, memory_order_relaxed);
}

int domain_is_to_stop(const pipeline *p)
{
    if (!atomic_load_explicit(&p->domain->all->stop, memory_order_relaxed))
        return 0;
    p->domain->told = 1;
    return 1;
}
