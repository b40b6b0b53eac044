/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The lists of the largest violations. The begin that an end of a collective operation came too early for is looked up
 * when all members have come to their ends. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>

/* --------------------------------------------------------------------------------------------------------- lists -- */

int worst_has_room(const struct check *c, struct tally *t, uint64_t size)
{
    return t->n_worst < c->worst || (c->worst > 0 && size >= t->worst[t->n_worst - 1].size);
}

static int precedes(const struct violation *a, const struct violation *b)
{
    return TCF_FIRST(TCF_ORDER(b->size, a->size), TCF_ORDER(a->to.location, b->to.location),
                     TCF_ORDER(a->to.event, b->to.event)) < 0;
}

void worst_note(const struct check *c, struct tally *t, const struct violation *v)
{
    uint32_t at = t->n_worst;
    while (at > 0 && precedes(v, &t->worst[at - 1]))
        at--;
    if (at == c->worst)
        return;
    uint32_t moved = (t->n_worst < c->worst ? t->n_worst : c->worst - 1) - at;
    memmove(&t->worst[at + 1], &t->worst[at], moved * sizeof *t->worst);
    t->worst[at] = *v;
    t->n_worst += t->n_worst < c->worst;
}

/* ----------------------------------------------------------------------------------------------------- instances -- */

/* The latest begins of an instance, or of one side of it: of several at one time that of the first location. */
struct latest {
    const struct member *first, *second; /* NULL: none */
};

static int comes_later(const struct member *a, const struct member *b)
{
    return !b || a->begin.time > b->begin.time ||
           (a->begin.time == b->begin.time && a->begin.location < b->begin.location);
}

static void take_begin(struct latest *latest, const struct member *m)
{
    if (!m->is_source)
        return;
    if (comes_later(m, latest->first)) {
        latest->second = latest->first;
        latest->first = m;
    } else if (comes_later(m, latest->second)) {
        latest->second = m;
    }
}

/* Lists the end of a member that came too early, with the latest begin of the others. */
static void list_end(struct check *c, const struct member *m, const struct latest *latest)
{
    struct tally *t = &c->tally[m->tally];
    const struct member *from = latest->first == m ? latest->second : latest->first;
    if (m->too_early > 0 && from && worst_has_room(c, t, m->too_early))
        worst_note(c, t, &(struct violation){.size = m->too_early, .from = from->begin, .to = m->end});
}

/* In a scan the lower ranks bind an end, on an inter-communicator the other group does. */
void worst_of_instance(tcf_self *self, const tcf_collective *instance)
{
    const tcf_comm *comm = tcf_comm_at(self->defs, instance->comm);
    const int scan = instance->class_ == TCF_CLASS_SCAN || instance->class_ == TCF_CLASS_EXSCAN;
    const int inter = comm->inter && !scan;
    const uint32_t others = inter ? comm->size : instance->n_members; /* from this rank on: the second group */
    struct latest latest[2] = {{NULL, NULL}, {NULL, NULL}};
    for (uint32_t r = 0; !scan && r < instance->n_members; r++)
        take_begin(&latest[r >= others], tcf_member(instance, r));
    for (uint32_t r = 0; r < instance->n_members; r++) {
        list_end(self->state, tcf_member(instance, r), &latest[inter ? r < others : 0]);
        if (scan)
            take_begin(&latest[0], tcf_member(instance, r));
    }
}
