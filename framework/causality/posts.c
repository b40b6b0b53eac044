/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Ends of sends that wait for their receives to be posted, where the filters that ask for posts go by the times that
 * the trace shows (options.posts_by_time): a send that ends before its receive is posted has not waited for it. So the
 * end of a send passes without the post as soon as all that its receiver still has to do is later. Programs that send
 * before they receive, all at the same time, since MPI buffers their messages, would wait in a circle else.
 *
 * Of those that wait for each other the earliest end goes first, so that one is looked at, and some others where
 * nothing else can run. Where the receiver of the earliest one is in another domain, that one is asked, and answers
 * when it is so. */
#include "schedule_internal.h"

#include <stdlib.h>

enum { LETTER_ASKS = LETTERS_OF_SCHEDULERS, LETTER_IS_LATER };

int posts_set_up(segment *g)
{
    const uint32_t n = g->defs->n_locations, *member = g->defs->mpi_member;
    const letters *to_others = g->options.exchange.letters;
    g->shares_member = calloc(n + 1u, 1);
    if (to_others)
        g->questions = calloc(to_others->n, sizeof *g->questions);
    if (!g->shares_member || (to_others && !g->questions))
        return -1;
    g->asked.sender = NOWHERE;
    for (uint32_t l = 0; l < n; l++)
        if (member[l] != TCF_NONE && member[l] != l)
            g->shares_member[l] = g->shares_member[member[l]] = 1;
    return 0;
}

/* Is all that a location of this domain still has to do later? An edge behind the last event of a slice has no time. */
static int is_later(const segment *g, uint32_t location, uint64_t time)
{
    const lane *l = segment_lane(g, location);
    if (l->state == LANE_ENDED)
        return 1;
    if (l->head)
        return l->at < l->head->v.n && l->head->v.time[l->at] > time;
    return g->client.arrives(g->client.data, location) > time;
}

static tcf_status tell(const segment *g, uint8_t kind, uint32_t domain, const post_question *q)
{
    post_question *told =
        letters_write(g->options.exchange.letters, domain, kind, g->options.exchange.segment, sizeof *told);
    if (!told)
        return TCF_ERROR;
    *told = *q;
    return TCF_OK;
}

static tcf_status answer_others(segment *g)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < g->n_questions; i++) {
        const post_question q = g->questions[i];
        if (!is_later(g, q.receiver, q.time))
            g->questions[left++] = q;
        else if (tell(g, LETTER_IS_LATER, q.from, &q) != TCF_OK)
            return TCF_ERROR;
    }
    g->n_questions = left;
    return TCF_OK;
}

/* Asks the domain of a receiver, once. */
static tcf_status ask(segment *g, uint32_t sender, uint32_t receiver, uint64_t time)
{
    const letters *to_others = g->options.exchange.letters;
    const post_question q = {sender, receiver, time, to_others->me, 0};
    if (g->asked.sender == sender && g->asked.time == time)
        return TCF_OK;
    g->asked = q;
    return tell(g, LETTER_ASKS, to_others->of[receiver], &q);
}

/* Does sender i of the heap go on? *passed: it does. */
static tcf_status look_at(segment *g, uint32_t i, int *passed)
{
    const heap_entry sender = g->senders[i];
    const uint32_t receiver = g->parked[segment_lane(g, sender.location)->parked].partner;
    *passed = 0;
    if (receiver >= g->defs->n_locations || g->shares_member[receiver])
        return TCF_OK;
    if (!segment_is_here(g, receiver))
        return i == 0 ? ask(g, sender.location, receiver, sender.round) : TCF_OK;
    *passed = is_later(g, receiver, sender.round);
    return *passed && segment_pass_parked(g, sender.location, 0) == OUTCOME_FAILED ? TCF_ERROR : TCF_OK;
}

tcf_status posts_look(segment *g)
{
    enum { MOST = 8 };
    if (g->n_questions > 0 && answer_others(g) != TCF_OK)
        return TCF_ERROR;
    const uint32_t most =
        g->n_heap == 0 ? MOST : 1; /* where nothing else runs, the earliest one may not be the first to go on */
    for (uint32_t i = 0; i < most && i < g->n_senders;) {
        int passed;
        if (look_at(g, i, &passed) != TCF_OK)
            return TCF_ERROR;
        i = passed ? 0 : i + 1;
    }
    return TCF_OK;
}

static void take_question(segment *g, const post_question *q)
{
    uint32_t i = 0;
    while (i < g->n_questions && g->questions[i].from != q->from)
        i++;
    g->n_questions += i == g->n_questions;
    g->questions[i] = *q;
}

/* The answer may come when the sender has gone on already. */
static tcf_status take_answer(segment *g, const post_question *q)
{
    const uint32_t i = g->sender_place[q->sender];
    if (i == NOWHERE || g->senders[i].round != q->time)
        return TCF_OK;
    return segment_pass_parked(g, q->sender, 0) == OUTCOME_FAILED ? TCF_ERROR : TCF_OK;
}

tcf_status posts_take_letter(segment *g, const letter *l)
{
    const post_question *q = (const post_question *)(const void *)(l + 1);
    if (l->kind == LETTER_IS_LATER)
        return take_answer(g, q);
    take_question(g, q);
    return answer_others(g);
}
