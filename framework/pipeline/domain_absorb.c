/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a domain of this process has found becomes that of the first one; see domains.h. */
#include "domains.h"
#include "framework/base/large_pages.h"
#include "framework/trace/definitions.h"
#include "pack.h"

#include <string.h>
#include <tcflow/order.h>

/* By location, those of definitions first. */
static int order_losses(const void *a, const void *b)
{
    const source_loss *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->last_good != SOURCE_LOST_DEFINITIONS, y->last_good != SOURCE_LOST_DEFINITIONS),
                     TCF_ORDER(x->location, y->location));
}

static tcf_status take_losses(source *to, source *from)
{
    uint32_t n;
    const source_loss *losses = source_losses(from, &n);

    for (uint32_t i = 0; i < n; i++)
        if (losses[i].last_good != SOURCE_LOST_DEFINITIONS && /* which each has from the start */
            source_note_loss(to, (definitions *)(uintptr_t)source_definitions(to), losses[i]) != TCF_OK)
            return TCF_ERROR;
    tcf_sort(to->losses, to->n_losses, sizeof *to->losses, order_losses);
    return TCF_OK;
}

void domains_add_letters(domains *d, const letters *x)
{
    if (x)
        letters_add_counts(&d->letters, &x->counts);
}

/* That looks through all that is free, so not behind each domain of many. */
static int is_time_to_trim(const domains *d, const domain *x)
{
    enum { TOGETHER = 8 };
    const uint32_t left = d->first + d->here - 1 - x->number;

    return left % TOGETHER == 0;
}

/* What inputs that another domain has read say at their ends. */
static tcf_status take_facts(pipeline *p, const pipeline *q)
{
    for (uint32_t i = 0; i < q->n_properties; i++) {
        const tcf_property *x = &q->properties[i];
        if (!tcf_property_of(p->properties, p->n_properties, x->name) &&
            pipeline_set_property(p, x->name, x->value) != TCF_OK)
            return TCF_ERROR;
    }
    p->changed_before |= q->changed_before;
    return TCF_OK;
}

tcf_status domains_absorb(pipeline *p, domain *x)
{
    pipeline *q = x->pipeline;

    if (pack_move(p, x) != TCF_OK)
        return TCF_ERROR;
    source_add_unknown(p->source, source_unknown_events(q->source));
    if (take_losses(p->source, q->source) != TCF_OK || take_facts(p, q) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *to = &p->instances[i];
        const instance *from = &q->instances[i];
        to->drops |= from->drops;
        for (uint32_t l = 0; to->altered && l < p->defs->n_locations; l++)
            to->altered[l] |= from->altered[l];
    }
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT)
            exchange_add_counts(segment_exchange(p->stages[k].segment),
                                exchange_get_counts(segment_exchange(q->stages[k].segment)));
    if (p->matcher)
        matcher_add_counts(p->matcher, matcher_counts(q->matcher));
    if (p->matcher && pipeline_is_survey(p)) {
        const match_channels channels = matcher_known_channels(q->matcher);
        if (matcher_add_channels(p->matcher, &channels) != TCF_OK)
            return TCF_ERROR;
    }
    domains_add_letters(p->plan, q->letters);
    p->n_events += q->n_events;
    for (uint32_t l = 0; l < p->defs->n_locations; l++)
        if (q->ends[l][0] <= q->ends[l][1])
            memcpy(p->ends[l], q->ends[l], sizeof p->ends[l]);
    p->memory += q->memory;
    p->released_early += q->released_early;
    q->complete = 1;
    pipeline_delete(q);
    x->pipeline = NULL;
    if (!p->plan->running && is_time_to_trim(p->plan, x))
        large_pages_trim();
    return TCF_OK;
}
