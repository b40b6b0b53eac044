/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a domain and the main thread say to each other while events flow, and what domains say to each
 * other. */
#include "domains.h"
#include "framework/base/resources.h"
#include "framework/trace/definitions.h"

peers_progress domains_progress(const domains *d)
{
    peers_progress sum = {0};

    for (uint32_t k = d->first; k < d->first + d->here; k++) {
        sum.events += atomic_load_explicit(&d->at[k].events, memory_order_relaxed);
        sum.bytes += atomic_load_explicit(&d->at[k].bytes_read, memory_order_relaxed);
    }
    return sum;
}

/* The first process shows how far all are; the others tell it. */
static void report_to_peers(pipeline *p)
{
    const session *s = p->session;
    const domains *d = p->domain->all;
    const double now = now_seconds();
    uint64_t bytes;
    session_progress sum = {.pass = s->pass, .n_passes = s->n_passes};

    if (now < p->next_progress)
        return;
    p->next_progress = now + 0.2;
    const peers_progress mine = domains_progress(d);
    const peers_progress others = d->peers->progress(d->peers->data, mine);
    source_progress(p->source, &bytes, &sum.total_bytes);
    sum.events = mine.events + others.events;
    sum.bytes = mine.bytes + others.bytes;
    if (peers_am_first(d->peers) && s->hooks && s->hooks->progress)
        s->hooks->progress(s->hooks->data, &sum);
}

void domain_report_progress(pipeline *p)
{
    uint64_t bytes, total;

    source_progress(p->source, &bytes, &total);
    atomic_store_explicit(&p->domain->events, p->n_events, memory_order_relaxed);
    atomic_store_explicit(&p->domain->bytes_read, bytes, memory_order_relaxed);
    if (peers_hear(p->domain->all->peers))
        report_to_peers(p);
}

/* Other processes may keep domains waiting for long: who reads what these write gets what has passed, in time. They say
 * nothing to other domains then, so what they have said of their rest holds. */
static void beat(const pipeline *p)
{
    static const double period = 0.1;
    domains *d = p->domain->all;
    const double now = p->live && d->threads ? now_seconds() : 0;

    if (now <= d->next_beat)
        return;
    d->next_beat = now + period;
    between_threads_wake(d->threads, VERDICT_BEAT);
}

/* What others, or the user, want. */
static void hear_peers(const pipeline *p)
{
    domains *d = p->domain->all;
    const session_hooks *hooks = p->session->hooks;

    beat(p);
    if ((hooks && hooks->interrupted && *hooks->interrupted) || d->peers->is_stopped(d->peers->data) ||
        atomic_load_explicit(&d->stop, memory_order_relaxed))
        domains_stop(d);
}

int domain_is_to_stop(const pipeline *p)
{
    domains *d = p->domain->all;

    if (peers_hear(d->peers))
        hear_peers(p);
    if (!atomic_load_explicit(&d->stop, memory_order_relaxed))
        return 0;
    p->domain->told = 1;
    return 1;
}

void domains_keep_in_touch(pipeline *p)
{
    report_to_peers(p);
    hear_peers(p);
}

void domains_stop(domains *d)
{
    atomic_store(&d->stop, 1);
    if (d->threads)
        between_threads_stop(d->threads);
    if (peers_hear(d->peers))
        d->peers->stop(d->peers->data);
}

/* ------------------------------------------------------------------------------------------------------- letters -- */

tcf_status domain_make_letters(pipeline *p)
{
    const domains *d = p->domain->all;
    const transport t = between_threads_transport(d->threads, p->domain->number);

    p->letters = letters_new(&t, p->domain->number, d->n, d->of);
    for (uint32_t i = 0; p->letters && i < p->n_instances; i++)
        p->letters->gathers |= p->instances[i].gathers > 0;
    return p->letters ? TCF_OK : TCF_ERROR;
}

static tcf_status send_letters(pipeline *p, int all)
{
    int left = 0;

    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT &&
            exchange_write_letters(segment_exchange(p->stages[k].segment), all, &left) != TCF_OK)
            return TCF_ERROR;
    p->has_untold = (uint8_t)left;
    letters_send(p->letters);
    return TCF_OK;
}

tcf_status domain_send_letters(pipeline *p)
{
    return send_letters(p, 0);
}

tcf_status domain_tell_all(pipeline *p)
{
    return send_letters(p, 1);
}

/* Of a filter, to its instance here. */
static tcf_status hand_over(stage *st, const letter *l, uint32_t from)
{
    instance *f = st->filters[l->kind - LETTERS_OF_FILTERS];

    if (!f->told)
        return error_fail("filter '%s' gets letters that it doesn't want; this is a mistake of the filter",
                          f->self.name);
    return f->told(&f->self, from, l + 1) == TCF_OK ? pipeline_check_use(f)
                                                    : error_while("in filter '%s'", f->self.name);
}

/* A call path as another domain learns of it: the number of a region that nothing defines means nothing there, but its
 * id does. */
typedef struct told_callpath {
    uint64_t region_id; /* of such a region */
    uint32_t parent, region;
} told_callpath;

typedef struct told_callpaths {
    uint64_t n;
    told_callpath at[];
} told_callpaths;

static int has_no_definition(uint32_t region)
{
    return !tcf_is_computation(region) && region != TCF_NONE && !tcf_defined(region);
}

tcf_status domain_share_callpaths(pipeline *p)
{
    const tcf_ids *ids = &p->defs->ids[TCF_REF_REGION];
    uint32_t n;

    if (!p->callpaths || !p->letters || p->letters->me == 0)
        return TCF_OK;
    const tcf_callpath *nodes = callpaths_nodes(p->callpaths, &n);
    if (n == p->n_shared_callpaths)
        return TCF_OK;
    const uint32_t more = n - p->n_shared_callpaths;
    told_callpaths *t = letters_write(p->letters, 0, LETTER_CALLPATHS, 0, sizeof *t + more * sizeof t->at[0]);
    if (!t)
        return TCF_ERROR;
    t->n = more;
    for (uint32_t i = 0; i < more; i++) {
        const tcf_callpath *x = &nodes[p->n_shared_callpaths + i];
        t->at[i] = (told_callpath){.parent = x->parent, .region = x->region};
        if (has_no_definition(x->region))
            t->at[i].region_id = ids->dangling[x->region & ~(uint32_t)TCF_DANGLING];
    }
    p->n_shared_callpaths = n;
    return TCF_OK;
}

static tcf_status take_callpaths(pipeline *p, const told_callpaths *t, uint32_t from)
{
    definitions *defs = (definitions *)(uintptr_t)p->defs;

    for (uint64_t i = 0; i < t->n; i++) {
        const told_callpath *x = &t->at[i];
        const uint32_t region =
            has_no_definition(x->region) ? definitions_index(defs, TCF_REF_REGION, x->region_id) : x->region;
        if (callpaths_adopt(p->callpaths, &p->domain->all->at[from].callpaths, x->parent, region) != TCF_OK)
            return TCF_ERROR;
    }
    return defs->overflow ? definitions_fail_overflow(defs) : TCF_OK;
}

static tcf_status take_letter(pipeline *p, const letter *l, uint32_t from)
{
    stage *st = &p->stages[l->segment];

    if (l->kind == LETTER_CALLPATHS)
        return take_callpaths(p, (const told_callpaths *)(const void *)(l + 1), from);
    return l->kind >= LETTERS_OF_FILTERS ? hand_over(st, l, from) : segment_take_letter(st->segment, l, from);
}

tcf_status domain_take_letters(pipeline *p)
{
    uint32_t from;

    for (const letter *l; (l = letters_read(p->letters, &from));) {
        p->has_moved = 1;
        if (take_letter(p, l, from) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

void domain_rest(pipeline *p, const resting *how)
{
    uint32_t n = 0;

    p->resting = *how;
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].front && n < WATERMARKS)
            p->resting.watermark[n++] = pipeline_own_watermark(&p->stages[k]);
    p->resting.behind = (jam){.stage = STAGES_TOLD};
    for (uint32_t k = p->at + 1; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT)
            segment_rest_behind(p->stages[k].segment, k, &p->resting.behind);
    p->resting.has_untold = p->has_untold;
    p->rests = 1;
}

void domain_take_watermarks(pipeline *p)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].front && n < WATERMARKS)
            p->stages[k].elsewhere = p->letters->to.watermark(p->letters->to.data)[n++];
}

tcf_status domain_holds_nothing(const pipeline *p)
{
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].n_held > 0)
            return error_fail("filter '%s' (TCF_CAN_DOMAINS) still holds slices behind the end of their locations; "
                              "this is a mistake of the filter",
                              p->stages[k].filter->self.name);
    return TCF_OK;
}
