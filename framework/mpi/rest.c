/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* When nobody has anything to run, and nothing is under way. A process whose domains rest tells the first one how many
 * messages with letters it has sent and received. Where all of them rest, and have received what has been sent, the
 * first process asks all of them once more. If all still say the same, nothing was under way when it asked (Mattern
 * 1987, with four counters), and it decides what is next. A verdict for all domains begins an epoch: who gets letters
 * of it before the verdict waits for that. */
#include "world.h"

#include <string.h>

/* Who has slept in vain, or looked often, says that it rests: most waits are over earlier. */
static int reports_soon(const world *w)
{
    enum { LOOKS = 60, TO_SLEEP = 2 };
    const uint32_t most = w->looks_waiting + TO_SLEEP;

    return w->me == 0 || w->rests_for >= (most < LOOKS ? most : LOOKS);
}

static uint64_t sum(const world *w, const uint32_t *by_process)
{
    uint64_t n = 0;

    for (uint32_t k = 0; k < w->active; k++)
        n += by_process[k];
    return n;
}

/* --------------------------------------------------------------------------------------------- the first process -- */

/* Do all rest, and has all been received, as far as they have told? *n: so many messages. */
static int all_is_quiet(const world *w, uint64_t *n)
{
    uint64_t received = 0;
    int rests = 1;

    *n = 0;
    for (uint32_t k = 0; k < w->active; k++) {
        rests &= w->rests[k];
        *n += w->counts[k][0];
        received += w->counts[k][1];
    }
    return rests && *n == received;
}

static void ask(world *w, uint64_t n)
{
    note question = {.kind = NOTE_ASK};

    w->asking = question.number = ++w->n_questions;
    w->n_answers = 0;
    w->asked_at = n;
    for (uint32_t k = 1; k < w->active; k++)
        world_start_note(w, k, &question);
}

/* Tells the verdict; is it for domains of this process, too? */
static int decide_now(world *w)
{
    note v = {.kind = NOTE_VERDICT};

    v.number = decide(&w->decided, w->how, w->domains, &v.who);
    memcpy(v.watermark, w->decided.watermark, sizeof v.watermark);
    for (uint32_t k = 0; k < w->active; k++) {
        if (v.who != DECIDED_FOR_ALL && k != w->process[v.who])
            continue;
        w->rests[k] = 0;
        if (k > 0)
            world_start_note(w, k, &v);
    }
    *w->verdict = v;
    w->has_verdict = v.who == DECIDED_FOR_ALL || w->process[v.who] == 0;
    return w->has_verdict;
}

/* Returns whether there is a verdict for this process. */
static int coordinate(world *w)
{
    uint64_t n;

    if (w->asking > 0 && w->n_answers < w->active - 1)
        return 0;
    const int quiet = all_is_quiet(w, &n);
    const int is_settled = w->asking > 0 && quiet && n == w->asked_at;
    w->asking = 0;
    if (is_settled)
        return decide_now(w);
    if (quiet)
        ask(w, n);
    return 0;
}

/* --------------------------------------------------------------------------------------------------- all of them -- */

static void report(world *w, const resting *how)
{
    note *r = w->report;

    *r = (note){.kind = NOTE_RESTS, .number = w->question, .has_moved = (uint32_t)w->has_moved};
    r->sent = sum(w, w->sent);
    r->received = sum(w, w->received);
    r->n = w->first[w->me + 1] - w->first[w->me];
    memcpy(r->how, how, r->n * sizeof *how);
    w->question = 0;
    w->has_moved = 0;
    w->has_reported = 1;
    if (w->me == 0)
        notes_take_report(w, 0, r);
    else
        world_start_note(w, 0, r);
}

/* A verdict has come. */
static verdict follow(world *w, uint64_t *watermark, int64_t *who)
{
    *who = w->verdict->who;
    w->has_verdict = 0;
    w->epoch += *who == DECIDED_FOR_ALL;
    memcpy(watermark, w->verdict->watermark, sizeof w->verdict->watermark);
    rest_is_over(w);
    return (verdict)w->verdict->number;
}

verdict rest_look(void *data, const resting *how, int *has_moved, uint64_t *watermark, int64_t *who)
{
    world *w = data;

    w->has_moved |= *has_moved;
    *has_moved = 0;
    *who = DECIDED_FOR_ALL;
    notes_take(w);
    if (w->stopped)
        return VERDICT_STOP;
    if (w->has_verdict)
        return follow(w, watermark, who);
    if (w->in) /* letters which the verdict has to come before */
        return VERDICT_LATER;
    if (w->question > 0 || (!w->has_reported && reports_soon(w)))
        report(w, how);
    w->rests_for++;
    return w->me == 0 && coordinate(w) ? follow(w, watermark, who) : VERDICT_LATER;
}

void rest_is_over(world *w)
{
    w->rests_for = 0;
    w->has_reported = 0;
    if (w->me > 0)
        return;
    w->asking = 0; /* the answers to come are old */
    w->rests[0] = 0;
}

void rest_begin(world *w)
{
    w->epoch = w->question = w->asking = w->n_questions = w->n_answers = w->rests_for = 0;
    w->has_verdict = w->has_reported = w->has_moved = 0;
    w->decided = (decision_state){0};
    memset(w->rests, 0, w->n * sizeof *w->rests);
    memset(w->counts, 0, w->n * sizeof *w->counts);
}
