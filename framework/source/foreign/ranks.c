/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Communication by ranks: communicators, their members, messages and collective operations between them.
 *
 * Files of one run may be missing, or begin later than others, and then counting would pair what never belonged
 * together. So all is counted first: messages by channel (communicator, sender, receiver, tag), collective operations
 * by member. A channel with as many receives as sends, and room for each, is good; so is a communicator of which all
 * members have the same operations in the same order. Of the others nothing is used, and the losses say how much that
 * is. */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <tcflow/grow.h>

#include <otf2/OTF2_Events.h>
#include <stdlib.h>

enum { MOST_MEMBERS = 1 << 22, MOST_CHANNELS = 1 << 20, MOST_FORMS = 1 << 20 };

/* Keys of parts that no reader makes. */
#define CHANNEL_KEY 0x6368616e6e656c21u
#define COLLECTIVE_KEY 0x636f6c6c65637421u

static gather *of(const tcf_reader *self)
{
    return self->framework;
}

/* ----------------------------------------------------------------------------------------------------- definitions --
 */

uint32_t ranks_communicator(tcf_reader *self, tcf_pair_key key, const char *name, uint32_t size, uint8_t paradigm)
{
    gather *g = of(self);
    uint32_t id = map_get(&g->comm_ids, key.a, key.b);
    const uint32_t text = gather_text(g, name);

    if (text == TCF_NONE)
        return TCF_NONE;
    if (id != MAP_ABSENT) {
        foreign_comm *c = &g->comms[id];
        if (c->paradigm != paradigm || (size && c->size && c->size != size))
            c->problem = RANKS_CONTRADICT;
        c->size = c->size ? c->size : size;
        return id;
    }
    if (g->n_comms == MOST_PLACES)
        return gather_no_room("communicators", MOST_PLACES);
    if (TCF_GROW(&g->comms, &g->comms_room, g->n_comms) != 0 || map_put(&g->comm_ids, key.a, key.b, g->n_comms) != 0)
        return gather_no_memory("communicators");
    g->comms[g->n_comms] = (foreign_comm){.name = text, .size = size, .paradigm = paradigm};
    return g->n_comms++;
}

tcf_status ranks_member(tcf_reader *self, uint32_t communicator, uint32_t rank, uint32_t process)
{
    gather *g = of(self);

    if (communicator >= g->n_comms)
        return gather_not_defined("communicator", communicator);
    if (process >= g->n_processes)
        return gather_not_defined("process", process);
    const uint32_t known = map_get(&g->member_ids, communicator, process);
    if (known != MAP_ABSENT && g->members[known].rank != rank)
        g->comms[communicator].problem = RANKS_CONTRADICT;
    if (known != MAP_ABSENT)
        return TCF_OK;
    if (g->n_members == MOST_MEMBERS)
        return error_fail("the communicators have more than %d members", (int)MOST_MEMBERS);
    if (TCF_GROW(&g->members, &g->members_room, g->n_members) != 0 ||
        map_put(&g->member_ids, communicator, process, g->n_members) != 0)
        return error_fail("out of memory for communicators");
    g->members[g->n_members++] = (foreign_member){communicator, rank, process, TCF_NONE};
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- events --
 */

/* The member for which a location communicates, which is noted. NULL: none. */
static foreign_member *member_at(gather *g, uint32_t communicator, uint32_t location)
{
    foreign_process *p = &g->processes[g->locations[location].process];
    const uint32_t number = map_get(&g->member_ids, communicator, g->locations[location].process);
    foreign_member *m = number == MAP_ABSENT ? NULL : &g->members[number];

    if (g->comms[communicator].paradigm == TCF_PARADIGM_MPI)
        p->speaker = p->speaker == TCF_NONE ? location : p->speaker;
    else if (m && m->location == TCF_NONE)
        m->location = location;
    else if (m && m->location != location && g->comms[communicator].problem == RANKS_GOOD)
        g->comms[communicator].problem = RANKS_SPREAD;
    return m;
}

/* TCF_NONE: a failure, or *status is TCF_OK: there are too many. */
static uint32_t channel_of(gather *g, const tcf_message *m, uint32_t from, uint32_t to, tcf_status *status)
{
    const uint64_t a = (uint64_t)m->communicator << 32 | m->tag, b = (uint64_t)from << 32 | to;
    const uint32_t known = map_get(&g->channel_ids, a, b);

    *status = TCF_OK;
    if (known != MAP_ABSENT)
        return known;
    if (g->n_channels == MOST_CHANNELS)
        return TCF_NONE;
    *status = TCF_ERROR;
    if (TCF_GROW(&g->channels, &g->channels_room, g->n_channels) != 0 ||
        map_put(&g->channel_ids, a, b, g->n_channels) != 0)
        return gather_no_memory("communicators");
    g->channels[g->n_channels] = (foreign_channel){m->communicator, from, to, m->tag, 0, 0, 0};
    *status = TCF_OK;
    return g->n_channels++;
}

static tcf_status check_event(const gather *g, uint32_t location, uint32_t communicator, uint64_t begin, uint64_t end)
{
    if (location >= g->n_locations)
        return gather_not_defined("location", location);
    if (communicator >= g->n_comms)
        return gather_not_defined("communicator", communicator);
    return end < begin ? error_fail("communication ends at %llu, before it begins at %llu", (unsigned long long)end,
                                    (unsigned long long)begin)
                       : TCF_OK;
}

static tcf_status add_message(gather *g, uint32_t location, const tcf_message *m, int sends)
{
    part p = {.time = m->posted,
              .bytes = m->bytes,
              .completed = sends && !m->is_request ? m->posted : m->completed,
              .location = location,
              .type = sends ? PART_SEND_TO : PART_RECEIVE_FROM,
              .is_request = m->is_request};
    tcf_status status;

    if (check_event(g, location, m->communicator, m->posted, p.completed) != TCF_OK)
        return TCF_ERROR;
    const foreign_member *own = member_at(g, m->communicator, location);
    if (!own) {
        g->lost.no_member++;
        return TCF_OK;
    }
    if (m->peer >= g->comms[m->communicator].least && m->peer < TCF_NONE)
        g->comms[m->communicator].least = m->peer + 1;
    p.what = channel_of(g, m, sends ? own->rank : m->peer, sends ? m->peer : own->rank, &status);
    if (p.what == TCF_NONE) {
        g->lost.channels++;
        return status;
    }
    g->channels[p.what].sends += (uint64_t)sends;
    g->channels[p.what].receives += (uint64_t)!sends;
    p.key = (tcf_pair_key){p.what, CHANNEL_KEY};
    g->last_time = p.completed > g->last_time ? p.completed : g->last_time;
    return gather_take(g, location, p.time, 0, &p.order) == TCF_OK ? sorter_add(g->parts, &p) : TCF_ERROR;
}

tcf_status ranks_send_to(tcf_reader *self, uint32_t location, const tcf_message *message)
{
    return add_message(of(self), location, message, 1);
}

tcf_status ranks_receive_from(tcf_reader *self, uint32_t location, const tcf_message *message)
{
    return add_message(of(self), location, message, 0);
}

/* The number of the operation's form. Sizes beyond the most forms are unknown ones. */
static uint32_t form_of(gather *g, const tcf_operation *c)
{
    const int full = g->n_forms >= MOST_FORMS;
    const foreign_form f = {.sent = full ? 0 : c->sent,
                            .received = full ? 0 : c->received,
                            .comm = c->communicator,
                            .root = c->root,
                            .operation = c->operation};
    const uint64_t a = (uint64_t)f.comm << 32 | f.root, b = map_hash(map_hash(f.sent, f.received), f.operation);
    const uint32_t known = map_get(&g->form_ids, a, b);

    g->lost.forms += (uint64_t)full;
    if (known != MAP_ABSENT)
        return known;
    if (g->n_forms == 2 * MOST_FORMS) {
        error_fail("collective operations have more than %d forms", 2 * (int)MOST_FORMS);
        return TCF_NONE;
    }
    if (TCF_GROW(&g->forms, &g->forms_room, g->n_forms) != 0 || map_put(&g->form_ids, a, b, g->n_forms) != 0)
        return gather_no_memory("communicators");
    g->forms[g->n_forms] = f;
    return g->n_forms++;
}

tcf_status ranks_collective(tcf_reader *self, uint32_t location, const tcf_operation *c)
{
    gather *g = of(self);
    part p = {.time = c->begin, .location = location, .type = PART_COLLECTIVE};
    event begin = {.time = c->begin, .type = c->is_request ? EVENT_COLLECTIVE_REQUEST : EVENT_COLLECTIVE_BEGIN};
    event end = {.time = c->end, .type = c->is_request ? EVENT_COLLECTIVE_COMPLETE : EVENT_COLLECTIVE_END};
    uint64_t order;

    if (check_event(g, location, c->communicator, c->begin, c->end) != TCF_OK)
        return TCF_ERROR;
    const foreign_member *m = member_at(g, c->communicator, location);
    if (!m) {
        g->lost.no_member++;
        return TCF_OK;
    }
    p.what = begin.what = end.what = form_of(g, c);
    if (p.what == TCF_NONE)
        return TCF_ERROR;
    begin.value = end.value = g->requests++;
    p.key = (tcf_pair_key){(uint64_t)c->communicator << 32 | m->rank, COLLECTIVE_KEY};
    if (gather_take(g, location, c->begin, 0, &p.order) != TCF_OK || sorter_add(g->parts, &p) != TCF_OK ||
        gather_add(g, location, &begin, p.order) != TCF_OK || gather_take(g, location, c->end, 0, &order) != TCF_OK)
        return TCF_ERROR;
    return gather_add(g, location, &end, gather_end_order(order, c->begin, c->end));
}

/* -------------------------------------------------------------------------------------------------------- judging --
 */

static int compare_members(const void *x, const void *y)
{
    const foreign_member *a = x, *b = y;

    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->process < b->process ? -1 : a->process > b->process;
}

tcf_status ranks_sort(gather *g)
{
    if (g->n_members > 0)
        qsort(g->members, g->n_members, sizeof *g->members, compare_members);
    for (uint32_t i = 0; i < g->n_members; i++) {
        const foreign_member *m = &g->members[i];
        foreign_comm *c = &g->comms[m->comm];
        if (c->n_members++ == 0)
            c->first_member = i;
        else if (m[-1].rank == m->rank)
            c->problem = RANKS_CONTRADICT;
        if (c->size && m->rank >= c->size)
            c->problem = RANKS_CONTRADICT;
    }
    return TCF_OK;
}

/* The sizes that all members of an operation have in common. */
uint64_t ranks_hash(const foreign_form *f, uint64_t hash)
{
    const uint64_t most = f->sent > f->received ? f->sent : f->received;
    uint64_t size = 0;

    if (f->operation == OTF2_COLLECTIVE_OP_ALLREDUCE || f->operation == OTF2_COLLECTIVE_OP_BCAST)
        size = most;
    if (f->operation == OTF2_COLLECTIVE_OP_REDUCE)
        size = f->sent;
    return map_hash(map_hash(hash, f->operation), map_hash(size, f->root));
}

void ranks_take_member(gather *g, uint32_t comm, uint64_t operations, uint64_t hash)
{
    foreign_comm *c = &g->comms[comm];

    c->operations += operations;
    if (c->n_counted++ == 0) {
        c->each = operations;
        c->hash = hash;
    } else if (c->problem == RANKS_GOOD && c->each != operations) {
        c->problem = RANKS_UNEVEN;
    } else if (c->problem == RANKS_GOOD && c->hash != hash) {
        c->problem = RANKS_DIFFER;
    }
}

/* What is wrong with a channel is counted where it is. */
static void judge_channel(gather *g, foreign_channel *c)
{
    const uint64_t ends = c->sends + c->receives;

    if (g->comms[c->comm].problem == RANKS_CONTRADICT)
        g->lost.contradicting += ends;
    else if (c->sends == 0 || c->receives == 0)
        g->lost.no_other_side += ends;
    else if (c->sends != c->receives)
        g->lost.uneven += ends;
    else if (c->is_short)
        g->lost.too_short += ends;
    else
        g->has_edges = 1;
}

/* The members that there are at least, by their own ranks and those that messages name. */
static void raise_size(const gather *g, foreign_comm *c)
{
    const uint32_t last = c->n_members > 0 ? g->members[c->first_member + c->n_members - 1].rank : 0;

    if (c->n_members > 0 && last >= c->size && last < TCF_NONE)
        c->size = last + 1;
    if (c->least > c->size)
        c->size = c->least;
}

void ranks_judge(gather *g)
{
    for (uint32_t i = 0; i < g->n_comms; i++) {
        foreign_comm *c = &g->comms[i];
        raise_size(g, c);
        if (c->problem != RANKS_CONTRADICT && c->size > c->n_members)
            c->problem = RANKS_MISSING;
        else if (c->problem == RANKS_GOOD && c->n_counted > 0 && c->n_counted < c->n_members)
            c->problem = RANKS_UNEVEN;
        g->has_edges |= c->problem == RANKS_GOOD && c->operations > 0;
        if (c->problem == RANKS_GOOD || c->operations == 0)
            continue;
        g->lost.operations[c->problem] += c->operations;
        g->lost.example[c->problem] = g->lost.example[c->problem] ? g->lost.example[c->problem] : i + 1;
    }
    for (uint32_t i = 0; i < g->n_channels; i++)
        judge_channel(g, &g->channels[i]);
}

static int is_bad_channel(const gather *g, const foreign_channel *c)
{
    return c->sends != c->receives || c->is_short || g->comms[c->comm].problem == RANKS_CONTRADICT;
}

int ranks_leave_out(const gather *g, const event *e)
{
    if (e->type >= EVENT_COLLECTIVE_BEGIN)
        return g->comms[g->forms[e->what].comm].problem != RANKS_GOOD;
    return e->type >= EVENT_SEND_TO && is_bad_channel(g, &g->channels[e->what]);
}

uint32_t ranks_position(const gather *g, uint32_t comm, uint32_t rank)
{
    const foreign_comm *c = &g->comms[comm];
    uint32_t low = 0, high = c->n_members;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (g->members[c->first_member + middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
