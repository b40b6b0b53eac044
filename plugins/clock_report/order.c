/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The clock condition before and after: what each event depends on, by raw times and by those that arrive here.
 *
 * A message carries both times of its sender. Of the begins of an instance the raw times are published; the times after
 * correction are left with each member and judged when the instance is complete: O(1) a member, scans by prefix. Forks
 * and joins publish these, too, because collective_complete() is not called for them. So an instance that never becomes
 * complete, such as a barrier that a thread never left, is judged by the raw times of those members alone that came,
 * and its ends are counted as unjudged. */
#include "../shared/clocks/distance.h"
#include "clock_report.h"

#include <stdlib.h>
#include <tcflow/times.h>

enum { CORRECTED = 1 }; /* what is published beside raw times */

struct sender {
    uint64_t time, raw;
    uint32_t location;
};
_Static_assert(sizeof(struct sender) == MESSAGE_BYTES, "the payload of a message");

struct member {
    uint64_t begin, end;
    uint8_t source, target, rma;
};
_Static_assert(sizeof(struct member) == MEMBER_BYTES, "the payload of a member");

/* The two latest of some begins, for the latest begin of all members but one. */
struct latest {
    uint64_t time[2];
    uint32_t rank, n; /* of time[0]; how many there were */
};

static void latest_add(struct latest *l, uint64_t time, uint32_t rank)
{
    if (l->n == 0 || time > l->time[0]) {
        l->time[1] = l->time[0];
        l->time[0] = time;
        l->rank = rank;
    } else if (l->n == 1 || time > l->time[1]) {
        l->time[1] = time;
    }
    l->n++;
}

/* The latest of all but `rank`. 0: there is none. */
static int latest_of_others(const struct latest *l, uint32_t rank, uint64_t *time)
{
    int own = l->n > 0 && l->rank == rank;
    *time = l->time[own];
    return l->n > (uint32_t)own;
}

/* ----------------------------------------------------------------------------------------------------- judgement -- */

static void judge(struct condition *c, uint64_t mu, uint64_t source, uint64_t target)
{
    int64_t delay = tcf_time_distance(source, target);
    uint64_t earliest = source + mu < source ? UINT64_MAX : source + mu;
    c->targets++;
    c->below += target < earliest;
    if (delay < c->smallest)
        c->smallest = delay;
    if (target >= source)
        return;
    c->violated++;
    if (source - target > c->largest)
        c->largest = source - target;
}

static void pass_message(tcf_self *self, const tcf_slice *s, const uint64_t *raw, const tcf_edge *e)
{
    struct report *r = self->state;
    struct sender *sender = self->host->payload(self, e);
    r->alone += (e->flags & TCF_EDGE_UNMATCHED && e->flags & TCF_EDGE_TARGET && e->class_ == TCF_CLASS_P2P);
    if (!sender || e->flags & TCF_EDGE_UNMATCHED)
        return;
    if (e->flags & TCF_EDGE_SOURCE) {
        *sender = (struct sender){s->time[e->pos], raw[e->pos], s->location};
        return;
    }
    if (!(e->flags & TCF_EDGE_TARGET) || (e->class_ == TCF_CLASS_LOCK && sender->location == s->location))
        return;
    struct tally *t = &r->tally[e->class_][edge_distance(self->defs, r->comm_distance, s->location, e)];
    judge(&t->raw, t->mu, sender->raw, raw[e->pos]);
    judge(&t->now, t->mu, sender->time, s->time[e->pos]);
    if (e->class_ == TCF_CLASS_P2P)
        distortion_add(&r->messages, tcf_time_distance(sender->raw, raw[e->pos]),
                       tcf_time_distance(sender->time, s->time[e->pos]));
}

static void pass_member(tcf_self *self, const tcf_slice *s, const uint64_t *raw, const tcf_edge *e)
{
    struct report *r = self->state;
    int rma = s->kind[e->pos] == TCF_RMA_COLLECTIVE_END,
        team = e->class_ == TCF_CLASS_FORK || e->class_ == TCF_CLASS_JOIN;
    struct tally *t =
        &r->tally[e->class_ + (rma ? RMA_CLASSES : 0)][edge_distance(self->defs, r->comm_distance, s->location, e)];
    struct member *m = team ? NULL : self->host->payload(self, e);
    uint64_t latest;
    if (e->flags & TCF_EDGE_SOURCE)
        self->host->publish(self, e, 0, raw[e->pos]);
    if (e->flags & TCF_EDGE_SOURCE && team)
        self->host->publish(self, e, CORRECTED, s->time[e->pos]);
    if ((e->flags & (TCF_EDGE_TARGET | TCF_EDGE_UNMATCHED)) == TCF_EDGE_TARGET) {
        if (self->host->latest(self, e, 0, &latest))
            judge(&t->raw, t->mu, latest, raw[e->pos]);
        if (team && self->host->latest(self, e, CORRECTED, &latest))
            judge(&t->now, t->mu, latest, s->time[e->pos]);
    }
    if (m && e->flags & TCF_EDGE_BEGIN) {
        m->begin = s->time[e->pos];
        m->source = (e->flags & TCF_EDGE_SOURCE) != 0;
    } else if (m) {
        m->end = s->time[e->pos];
        m->target = (e->flags & (TCF_EDGE_TARGET | TCF_EDGE_UNMATCHED)) == TCF_EDGE_TARGET;
        m->rma = (uint8_t)rma;
    }
}

void order_pass_edge(tcf_self *self, const tcf_slice *s, const uint64_t *raw, const tcf_edge *e)
{
    if (e->flags & (TCF_EDGE_GONE | TCF_EDGE_LEFT) || !(e->flags & (TCF_EDGE_SOURCE | TCF_EDGE_TARGET)) ||
        e->class_ == TCF_CLASS_NONE || e->class_ == TCF_CLASS_UNORDERED || e->class_ >= TCF_CLASSES)
        return;
    if (tcf_is_message(e))
        pass_message(self, s, raw, e);
    else
        pass_member(self, s, raw, e);
}

void condition_add(struct condition *to, const struct condition *more)
{
    to->targets += more->targets;
    to->violated += more->violated;
    to->below += more->below;
    to->largest = more->largest > to->largest ? more->largest : to->largest;
    to->smallest = more->smallest < to->smallest ? more->smallest : to->smallest;
}

/* -------------------------------------------------------------------------------------------- complete instances -- */

static void judge_scan(struct tally *tally[2], const tcf_collective *instance)
{
    struct latest lower = {.n = 0};
    for (uint32_t r = 0; r < instance->n_members; r++) {
        const struct member *m = tcf_member(instance, r);
        if (m->target && lower.n > 0)
            judge(&tally[m->rma]->now, tally[m->rma]->mu, lower.time[0], m->end);
        if (m->source)
            latest_add(&lower, m->begin, r);
    }
}

tcf_status order_complete(tcf_self *self, const tcf_collective *instance)
{
    struct report *report = self->state;
    if (instance->class_ == TCF_CLASS_UNORDERED)
        return TCF_OK;
    const tcf_comm *c = tcf_comm_at(self->defs, instance->comm);
    uint32_t distance = report->comm_distance[instance->comm];
    struct tally *tally[2] = {&report->tally[instance->class_][distance],
                              &report->tally[instance->class_ + RMA_CLASSES][distance]};
    struct latest begins[2] = {{.n = 0}, {.n = 0}};
    const struct member *m;
    if (instance->class_ == TCF_CLASS_SCAN || instance->class_ == TCF_CLASS_EXSCAN) {
        judge_scan(tally, instance);
        return TCF_OK;
    }
    for (uint32_t r = 0; r < instance->n_members; r++)
        if ((m = tcf_member(instance, r))->source)
            latest_add(&begins[c->inter && r >= c->size], m->begin, r);
    for (uint32_t r = 0; r < instance->n_members; r++) {
        uint64_t latest;
        m = tcf_member(instance, r);
        if (m->target && latest_of_others(&begins[c->inter && r < c->size], r, &latest))
            judge(&tally[m->rma]->now, tally[m->rma]->mu, latest, m->end);
    }
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------- begin, end -- */

static void set_minimum_delays(tcf_self *self)
{
    struct report *r = self->state;
    const struct conf *conf = self->conf;
    uint64_t mu = self->host->ticks(self, conf->mu), n;
    const tcf_minimum_delay *rows = self->host->learned(self, TCF_MINIMUM_DELAYS, sizeof *rows, &n);
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            struct tally *t = &r->tally[c][d];
            t->mu = tcf_between_threads(c) ? 0 : mu; /* RMA_CLASSES and more: collectives */
            t->raw.smallest = t->now.smallest = INT64_MAX;
        }
    for (uint64_t i = 0; i < n; i++)
        if (rows[i].class_ < TCF_CLASSES && rows[i].distance < TCF_DISTANCES &&
            (mu == 0 || tcf_between_threads(rows[i].class_))) {
            r->tally[rows[i].class_][rows[i].distance].mu = rows[i].ticks;
            r->tally[rows[i].class_ + RMA_CLASSES][rows[i].distance].mu = rows[i].ticks;
        }
}

tcf_status order_begin(tcf_self *self)
{
    struct report *r = self->state;
    if (!(r->comm_distance = comm_distances(self->defs)))
        return self->host->fail(self, "out of memory for the distances within communicators");
    set_minimum_delays(self);
    return TCF_OK;
}
