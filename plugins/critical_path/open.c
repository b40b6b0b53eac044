/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tickets of what is on its way, and questions that are undecided. Tickets are linked by age. At the cap the oldest
 * ticket is dropped, and its question goes on without that answer. */
#include "critical_path.h"

#include <tcflow/grow.h>

#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------------- tickets -- */

static int grow_tickets(struct open *o)
{
    if (!o->ticket)
        o->free_ticket = o->oldest = o->newest = NONE;
    return TCF_GROW(&o->ticket, &o->tickets_capacity, o->n_tickets);
}

uint32_t ticket_new(tcf_self *self, uint8_t state)
{
    struct open *o = &state_of(self)->open;
    if (o->n_used >= o->max_open && o->oldest != NONE) {
        o->let_go++;
        if (ticket_let_go(self, o->oldest) != TCF_OK)
            return NONE;
    }
    if (o->n_tickets == o->tickets_capacity && (!o->ticket || o->free_ticket == NONE) && grow_tickets(o) != 0) {
        self->host->fail(self, "out of memory for %u messages and operations on their way", o->n_used);
        return NONE;
    }
    uint32_t t = o->free_ticket, generation = 1;
    if (t != NONE) {
        o->free_ticket = o->ticket[t].next;
        generation = o->ticket[t].generation + 1 ? o->ticket[t].generation + 1 : 1;
    } else {
        t = o->n_tickets++;
    }
    o->ticket[t] = (struct ticket){.at = {.node = NONE},
                                   .question = NONE,
                                   .older = o->newest,
                                   .newer = NONE,
                                   .next = NONE,
                                   .generation = generation,
                                   .state = state};
    if (o->newest != NONE)
        o->ticket[o->newest].newer = t;
    else
        o->oldest = t;
    o->newest = t;
    o->n_used++;
    return t;
}

tcf_status ticket_name(tcf_self *self, uint32_t t, uint64_t *name)
{
    struct open *o = &state_of(self)->open;
    struct ticket *x = &o->ticket[t];
    if (!gather_of(self)->host) {
        *name = (uint64_t)x->generation << 32 | t;
        return TCF_OK;
    }
    x->name = *name;
    if (tcf_map_put(&o->named, x->name, 0, t) == 0)
        return TCF_OK;
    return self->host->fail(self, "out of memory for %u messages and operations on their way", o->named.n);
}

uint32_t ticket_find(const tcf_self *self, uint64_t name)
{
    const struct open *o = &state_of(self)->open;
    if (name == 0)
        return NONE;
    if (gather_of(self)->host) {
        const uint32_t t = tcf_map_get(&o->named, name, 0);
        return t != TCF_MAP_ABSENT && o->ticket[t].state ? t : NONE;
    }
    const uint32_t t = (uint32_t)name;
    return t < o->n_tickets && o->ticket[t].state && o->ticket[t].generation == name >> 32 ? t : NONE;
}

/* Takes a ticket out of the list by age. */
static void take_out(struct open *o, struct ticket *x)
{
    if (x->older != NONE)
        o->ticket[x->older].newer = x->newer;
    else
        o->oldest = x->newer;
    if (x->newer != NONE)
        o->ticket[x->newer].older = x->older;
    else
        o->newest = x->older;
    o->n_used--;
}

void ticket_free(tcf_self *self, uint32_t t)
{
    struct open *o = &state_of(self)->open;
    struct ticket *x = &o->ticket[t];
    if (x->state)
        take_out(o, x);
    if (x->state & IS_REQUESTED)
        tcf_map_remove(&o->requests, x->owner, x->request);
    if (x->state & IS_POSTED)
        tcf_map_remove(&o->posted, x->owner, x->request);
    if (x->name != 0)
        tcf_map_remove(&o->named, x->name, 0);
    x->name = 0;
    x->state = 0;
    x->next = o->free_ticket;
    o->free_ticket = t;
}

tcf_status ticket_let_go(tcf_self *self, uint32_t t)
{
    struct ticket *x = &state_of(self)->open.ticket[t];
    const struct cause nobody = {.node = NONE};
    const uint32_t question = x->question, node = x->at.node;
    ticket_free(self, t);
    path_drop(self, node, 0);
    return question == NONE ? TCF_OK : answer(self, question, &nobody);
}

uint32_t ticket_take(tcf_self *self, tcf_map *map, uint32_t location, uint64_t request)
{
    struct open *o = &state_of(self)->open;
    const uint32_t t = tcf_map_get(map, location, request);
    if (t == TCF_MAP_ABSENT)
        return NONE;
    tcf_map_remove(map, location, request);
    o->ticket[t].state &= (uint8_t) ~(map == &o->requests ? IS_REQUESTED : IS_POSTED);
    o->ticket[t].state |= IS_ON_ITS_WAY * (map == &o->posted); /* keeps it in use until it is freed */
    return t;
}

tcf_status ticket_request(tcf_self *self, uint32_t t, tcf_map *map, uint32_t location, uint64_t request)
{
    struct ticket *x = &state_of(self)->open.ticket[t];
    x->owner = location;
    x->request = request;
    if (tcf_map_put(map, location, request, t) == 0)
        return TCF_OK;
    return self->host->fail(self, "out of memory for %u open requests", map->n);
}

/* Too many entries are kept: drops the older half of the tickets. */
static int let_go_of_half(tcf_self *self)
{
    struct open *o = &state_of(self)->open;
    uint32_t n = (o->n_used + 1) / 2;
    for (; n > 0 && o->oldest != NONE; n--, o->let_go_for_room++)
        if (ticket_let_go(self, o->oldest) != TCF_OK)
            return -1;
    return 0;
}

struct entry *path_room(tcf_self *self, uint32_t n)
{
    struct tree *p = &state_of(self)->tree;
    if (tree_is_full(p, n)) {
        if (tree_tidy_up(p, n) != 0)
            return NULL;
        if (p->n_entries > p->max_kept &&
            (let_go_of_half(self) != 0 || (tree_is_full(p, n) && tree_tidy_up(p, n) != 0)))
            return NULL;
    }
    return p->entry + p->n_entries;
}

/* ----------------------------------------------------------------------------------------------------- questions -- */

/* The latest cause counts; of equals that of the location with the smaller index. */
static int is_better(const struct cause *a, const struct cause *b)
{
    if (b->node == NONE)
        return 1;
    return a->time != b->time ? a->time > b->time : a->location < b->location;
}

void offer(tcf_self *self, struct cause *best, uint64_t start, int made, const struct cause *c)
{
    if (c->node == NONE)
        return;
    if ((c->time > start || made) && is_better(c, best)) {
        path_drop(self, best->node, 0);
        *best = *c;
        return;
    }
    path_drop(self, c->node, 0);
}

static uint32_t question_new(tcf_self *self)
{
    struct open *o = &state_of(self)->open;
    if (!o->question)
        o->free_question = NONE;
    if (o->free_question == NONE && TCF_GROW(&o->question, &o->questions_capacity, o->n_questions) != 0) {
        self->host->fail(self, "out of memory for %u calls of which it is open whom they waited for", o->n_questions);
        return NONE;
    }
    uint32_t q = o->free_question;
    if (q != NONE)
        o->free_question = o->question[q].waiting;
    else
        q = o->n_questions++;
    o->question[q] = (struct question){.best = {.node = NONE}, .answers = NONE, .node = NONE};
    return q;
}

uint32_t ask(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    if (k->question == NONE) {
        uint32_t q = question_new(self);
        if (q == NONE)
            return NONE;
        struct question *x = &state_of(self)->open.question[q];
        x->location = location;
        x->start = k->start;
        x->callpath = k->callpath;
        k->question = q;
    }
    state_of(self)->open.question[k->question].waiting++;
    return k->question;
}

/* Takes the wait of a stretch off the busy time of its call path. A better answer replaces the earlier one. */
static tcf_status note_waited(tcf_self *self, struct question *q)
{
    struct cell *c = cell_of(self, place_of(self, q->location), q->callpath);
    if (!c)
        return TCF_ERROR;
    const uint64_t waited = q->best.time > q->start ? q->best.time - q->start : 0;
    c->waited += waited - q->waited;
    q->waited = waited;
    return TCF_OK;
}

/* All answers are known: the path of the node goes on from the cause of the wait, or stays with its own location. */
static tcf_status decide(tcf_self *self, uint32_t question)
{
    struct state *st = state_of(self);
    struct question *q = &st->open.question[question];
    const uint64_t from = q->best.node != NONE ? q->best.time : q->start;
    struct entry *e = q->node == NONE ? NULL : path_room(self, 1 + tree_bins_between(&st->tree, from, q->end));
    if (q->node != NONE && !e)
        return self->host->fail(self, "out of memory for the paths");
    if (q->node != NONE) { /* making room may have freed the node */
        struct node *n = &st->tree.node[q->node];
        const int jumps = q->best.node != NONE;
        *e = (struct entry){path_key(self, q->location, q->callpath), q->end - from};
        n->first = st->tree.n_entries;
        n->n = 1 + tree_put_places(&st->tree, e + 1, q->location, from, q->end);
        st->tree.n_entries += n->n;
        n->open = NONE;
        if (jumps) {
            const uint32_t own = n->parent;
            n->parent = q->best.node;
            n->jumps = 1;
            st->tree.node[n->parent].held--;
            st->tree.node[n->parent].kids++;
            path_drop(self, own, 1);
        }
    }
    q->waiting = st->open.free_question;
    st->open.free_question = question;
    return TCF_OK;
}

/* An answer for a stretch that has ended. */
static tcf_status judge(tcf_self *self, struct question *q, const struct cause *c)
{
    if (q->fixed) {
        path_drop(self, c->node, 0);
        return TCF_OK;
    }
    if (q->node != NONE) {
        offer(self, &q->best, q->start, 0, c);
    } else if (c->node != NONE) { /* no path needs the answer, but the time of the wait does */
        q->best.time = c->time > q->best.time ? c->time : q->best.time;
        path_drop(self, c->node, 0);
    }
    return note_waited(self, q);
}

tcf_status answer(tcf_self *self, uint32_t question, const struct cause *c)
{
    struct question *q = &state_of(self)->open.question[question];
    q->waiting--;
    if (!q->ended) {
        struct place *k = place_of(self, q->location);
        offer(self, &k->best, k->start, 0, c);
        return TCF_OK;
    }
    if (judge(self, q, c) != TCF_OK)
        return TCF_ERROR;
    return q->waiting == 0 ? decide(self, question) : TCF_OK;
}

tcf_status answer_within(tcf_self *self, uint32_t question, uint32_t t, const struct cause *c)
{
    struct open *o = &state_of(self)->open;
    struct question *q = &o->question[question];
    struct ticket *x = &o->ticket[t];
    const int is_full = !q->ended && o->n_answers >= o->max_open;
    o->let_go += (uint64_t)is_full;
    if (q->ended || c->node == NONE || is_full) {
        const struct cause nobody = {.node = NONE};
        const int is_within = c->node != NONE && !is_full && c->time < q->end && !(x->completes && q->is_late);
        ticket_free(self, t);
        if (!is_within)
            path_drop(self, c->node, 0);
        return answer(self, question, is_within ? c : &nobody);
    }
    take_out(o, x); /* keeps the ticket, which is no longer on its way */
    o->n_answers++;
    x->state = 0;
    x->at = *c;
    x->next = q->answers;
    q->answers = t;
    q->waiting--;
    return TCF_OK;
}

/* Uses the answers that waited for the end of the stretch. */
static void use_answers(tcf_self *self, struct question *q, struct cause *best)
{
    struct open *o = &state_of(self)->open;
    while (q->answers != NONE) {
        const uint32_t t = q->answers;
        const struct cause c = o->ticket[t].at;
        q->answers = o->ticket[t].next;
        o->n_answers--;
        if (c.time < q->end && !(o->ticket[t].completes && q->is_late))
            offer(self, best, q->start, 0, &c);
        else
            path_drop(self, c.node, 0);
        ticket_free(self, t);
    }
}

tcf_status end_question(tcf_self *self, uint32_t location, uint64_t end)
{
    struct state *st = state_of(self);
    struct place *k = place_of(self, location);
    const uint32_t question = k->question;
    struct question *q = &st->open.question[question];
    q->end = end;
    q->is_late = k->is_late;
    use_answers(self, q, &k->best);
    k->question = NONE;
    if (q->waiting == 0) { /* all answers came before the end */
        q->waiting = st->open.free_question;
        st->open.free_question = question;
        return TCF_OK;
    }
    uint32_t node = path_new(&st->tree, k->path);
    if (node == NONE)
        return self->host->fail(self, "out of memory for the paths");
    st->tree.node[node].open = question;
    k->path = q->node = node;
    q->ended = 1;
    q->fixed = k->begins;
    if (q->fixed)
        path_drop(self, k->best.node, 0);
    else if (k->best.node != NONE)
        q->best = k->best;
    k->best.node = NONE;
    return note_waited(self, q);
}

tcf_status open_end(tcf_self *self)
{
    struct open *o = &state_of(self)->open;
    while (o->n_used > 0)
        if (ticket_let_go(self, o->oldest) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

void open_free(tcf_self *self)
{
    struct open *o = &state_of(self)->open;
    free(o->ticket);
    free(o->question);
    free(o->team);
    free(o->pending);
    tcf_map_free(&o->requests);
    tcf_map_free(&o->posted);
    tcf_map_free(&o->named);
}
