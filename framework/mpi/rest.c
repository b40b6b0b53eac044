/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* When nobody has anything to run, and nothing is under way. A domain that rests tells the first process how many
 * batches it has sent and received. Where all of them rest, and have received what has been sent, the first process
 * asks all of them once more. If all still say the same, nothing was under way when it asked (Mattern 1987, with four
 * counters), and it decides what is next. A verdict for all domains begins an epoch: who gets letters of it before the
 * verdict waits for that. */
#include "world.h"

#include <string.h>

enum { LOOKS_BEFORE_REPORT = 60 };

static uint64_t sum(const world *w, const uint32_t *by_process)
{
    uint64_t n = 0;

    for (uint32_t k = 0; k < w->domains; k++)
        n += by_process[k];
    return n;
}

/* --------------------------------------------------------------------------------------------- the first process -- */

/* Do all rest, and has all been received, as far as they have told? *n: so many batches. */
static int all_is_quiet(const world *w, uint64_t *n)
{
    uint64_t received = 0;
    int rests = 1;

    *n = 0;
    for (uint32_t k = 0; k < w->domains; k++) {
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
    for (uint32_t k = 1; k < w->domains; k++)
        world_start_note(w, k, &question);
}

/* Tells the verdict; is it for this process, too? */
static int decide_now(world *w, verdict *found)
{
    int64_t who;
    note v = {.kind = NOTE_VERDICT};

    *found = decide(&w->decided, w->how, w->domains, &who);
    v.number = *found;
    v.for_all = who == DECIDED_FOR_ALL;
    memcpy(v.watermark, w->decided.watermark, sizeof v.watermark);
    for (uint32_t k = 0; k < w->domains; k++) {
        if (!v.for_all && k != (uint32_t)who)
            continue;
        w->rests[k] = 0;
        if (k > 0)
            world_start_note(w, k, &v);
    }
    w->epoch += v.for_all;
    return v.for_all || who == 0;
}

/* Returns whether there is a verdict for this process. */
static int coordinate(world *w, verdict *found)
{
    uint64_t n;

    if (w->asking > 0 && w->n_answers < w->domains - 1)
        return 0;
    const int quiet = all_is_quiet(w, &n);
    const int is_settled = w->asking > 0 && quiet && n == w->asked_at;
    w->asking = 0;
    if (is_settled)
        return decide_now(w, found);
    if (quiet)
        ask(w, n);
    return 0;
}

/* --------------------------------------------------------------------------------------------------- all of them -- */

static void report(world *w, const resting *how)
{
    note r = {.kind = NOTE_RESTS, .number = w->question, .how = *how};

    r.sent = sum(w, w->sent);
    r.received = sum(w, w->received);
    r.how.has_moved = (uint8_t)w->has_moved;
    w->question = 0;
    w->has_moved = 0;
    w->has_reported = 1;
    if (w->me == 0)
        notes_take_report(w, 0, &r);
    else
        world_start_note(w, 0, &r);
}

/* A verdict has come. */
static verdict follow(world *w)
{
    w->has_verdict = 0;
    w->epoch += w->verdict.for_all;
    memcpy(w->decided.watermark, w->verdict.watermark, sizeof w->decided.watermark);
    return (verdict)w->verdict.number;
}

verdict rest_until_verdict(void *data, const resting *how)
{
    world *w = data;
    verdict found;

    w->has_moved |= how->has_moved;
    w->has_reported = 0;
    for (uint32_t turns = 0;; world_wait(w, &turns)) {
        batches_receive(w);
        notes_take(w);
        world_complete(w);
        if (w->stopped)
            return VERDICT_STOP;
        if (w->has_verdict)
            return follow(w);
        if (w->in && w->in->read == w->epoch) {
            w->asking = 0; /* the answers to come are old */
            w->rests[w->me] = 0;
            return VERDICT_LETTERS;
        }
        if (w->in) /* the verdict is to come first */
            continue;
        if (w->question > 0 || (!w->has_reported && (turns >= LOOKS_BEFORE_REPORT || w->me == 0))) {
            report(w, how);
            turns = turns > LOOKS_BEFORE_REPORT ? turns : 0;
        }
        if (w->me == 0 && coordinate(w, &found))
            return found;
    }
}

const uint64_t *rest_watermark(void *data)
{
    return ((world *)data)->decided.watermark;
}

/* Each domain has a process of its own. */
int rest_is_awaited(void *data)
{
    (void)data;
    return 1;
}

void rest_begin(world *w)
{
    w->epoch = w->question = w->asking = w->n_questions = w->n_answers = 0;
    w->has_verdict = w->has_reported = w->has_moved = 0;
    w->decided = (decision_state){0};
    memset(w->rests, 0, w->n * sizeof *w->rests);
    memset(w->counts, 0, w->n * sizeof *w->counts);
}
