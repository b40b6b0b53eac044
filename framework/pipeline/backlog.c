/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What can wait while domains exchange letters. Other domains wait for events that pass in the first segment. Few of
 * them wait for what comes behind: filters that hold slices, a writer, further segments. So where each domain has a
 * thread of its own, slices that have left the first segment queue up. They go on, a step at a time, when that segment
 * would wait for letters, or when more has queued up than ROOM; segments behind when they have more than ROOM and a
 * slice for each location, or than a share of the memory. Two domains that have as much to do in the long run need not
 * have as much to do between any two letters then.
 *
 * The queue takes slices during turns of the first segment alone, so all else that looks at the stages behind empties
 * it first, and finds what it would find without. */
#include "domains.h"
#include "stages.h"

enum { ROOM = 16, STEP = 8, SHARE = 16 }; /* slices; turns; of the slices of a domain */

int domain_has_spare_time(const pipeline *p)
{
    const domains *d = p->domain ? p->domain->all : NULL;

    return p->letters && domains_count_threads(d) >= d->here;
}

int backlog_is_of_use(const pipeline *p)
{
    return domain_has_spare_time(p) && p->at + 1 < p->n_stages;
}

/* In a small pool slices go on at once, so that it is filters that give them back. */
int backlog_takes(const pipeline *p)
{
    return p->backlog.is_open && p->n_blocks - pool_available(p->pool) < p->held_from / 2;
}

void backlog_put(pipeline *p, slice *s)
{
    backlog *b = &p->backlog;

    s->next = NULL;
    *(b->first ? &b->last->next : &b->first) = s;
    b->last = s;
    b->n++;
}

static tcf_status pass_one(pipeline *p)
{
    backlog *b = &p->backlog;
    slice *s = b->first;

    b->first = s->next;
    b->n--;
    s->next = NULL;
    return pipeline_push(p, p->at + 1, s);
}

tcf_status backlog_pass(pipeline *p)
{
    while (p->backlog.n > 0)
        if (pass_one(p) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

/* A few turns of a segment. */
static outcome run_a_little(segment *g)
{
    uint32_t wanted;
    segment_state state = SEGMENT_RAN;
    int moved = 0;

    for (int i = 0; i < STEP && segment_goes_on(state); i++) {
        state = segment_turn(g, &wanted);
        if (state == SEGMENT_ERROR)
            return OUTCOME_FAILED;
        moved |= state == SEGMENT_RAN;
    }
    return moved || state == SEGMENT_YIELDED /* others may run */ ? OUTCOME_MOVED : OUTCOME_NOTHING;
}

/* The segments behind that have more slices than `most` have a few turns. */
static outcome run_segments(const pipeline *p, uint32_t most)
{
    int moved = 0;

    for (uint32_t k = p->at + 1; k < p->n_stages; k++) {
        const stage *st = &p->stages[k];
        const int has_turn = st->kind == STAGE_SEGMENT && segment_slices(st->segment) >= most;
        const outcome here = has_turn ? run_a_little(st->segment) : OUTCOME_NOTHING;
        if (here == OUTCOME_FAILED)
            return OUTCOME_FAILED;
        moved |= here == OUTCOME_MOVED;
    }
    return moved ? OUTCOME_MOVED : OUTCOME_NOTHING;
}

tcf_status backlog_limit(pipeline *p)
{
    if (p->backlog.n > ROOM && pass_one(p) != TCF_OK)
        return TCF_ERROR;
    const uint32_t most = p->held_from / SHARE, wanted = ROOM + domain_locations(p);
    return run_segments(p, wanted < most ? wanted : most) == OUTCOME_FAILED ? TCF_ERROR : TCF_OK;
}

/* What filters have put off. */
static outcome work_in_filters(const pipeline *p)
{
    int moved = 0;

    for (uint32_t i = 0; i < p->n_instances && !moved; i++) {
        instance *f = &p->instances[i];
        if (f->spare_time && f->spare_time(&f->self, &moved) != TCF_OK) {
            error_while("in filter '%s'", f->self.name);
            return OUTCOME_FAILED;
        }
    }
    return moved ? OUTCOME_MOVED : OUTCOME_NOTHING;
}

outcome backlog_step(pipeline *p)
{
    if (p->backlog.n > 0)
        return pass_one(p) == TCF_OK ? OUTCOME_MOVED : OUTCOME_FAILED;
    const outcome behind = run_segments(p, 0);
    return behind == OUTCOME_NOTHING ? work_in_filters(p) : behind;
}
