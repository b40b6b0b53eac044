/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Batches of letters between processes. Those to domains of one process become a message: letters, then what the
 * receiver may have to wait for, then which domains the letters are of and for, then a trailer that says how much of
 * each there is.
 *
 * Where all processes are on one node, a message goes to the inbox of its receiver (inbox.c), at the next look for what
 * has come. Else it goes by MPI, which takes longer: a message leaves when it is large, or has waited for some looks,
 * or the domains here have nothing to run. All that is written leaves together, so that what goes to one process cannot
 * overtake what goes to another.
 *
 * MPI keeps the order of messages between two processes. Letters need more (transport.send in letters.h): what a
 * process sends when it has got a batch comes behind all that was sent before that batch, by whomever. So a message
 * states what was under way when it left: of each process the messages that had not come yet, as far as its sender
 * knew. Who receives a message first receives those that are for itself. Of two processes neither can overtake
 * anything, and nothing is stated.
 *
 * Where much is under way a process that sends receives meanwhile: nothing is dropped, and no cycle of waiting closes.
 */
#include "framework/base/error.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>
#include <tcflow/grow.h>

enum { ROOM = 16 << 20 /* bytes under way */ };
enum { LARGE = 1 << 14 /* bytes of letters */, LONG = 8 /* looks for what has come, by MPI */ };

typedef struct trailer {
    uint32_t epoch, letters, statements, parts; /* bytes; of `parts` the number */
} trailer;

/* In front of `n` times struct to_come. */
typedef struct statement_head {
    uint32_t who, stamp, n, unused;
} statement_head;

static int is_causal(const world *w)
{
    return w->active > 2 && !w->all_here;
}

/* ---------------------------------------------------------------------------------------------------- statements -- */

static void state_one(statement *s, uint32_t to, uint32_t number)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].to == to) {
            s->at[i].number = number > s->at[i].number ? number : s->at[i].number;
            return;
        }
    if (TCF_GROW(&s->at, &s->capacity, s->n) != 0)
        world_give_up("out of memory for what goes between processes");
    s->at[s->n++] = (struct to_come){to, number};
}

/* What this process has under way, what leaves now included. */
static void state_own(world *w)
{
    statement *own = &w->known[w->me];

    own->n = 0;
    own->stamp++;
    own->changed = ++w->clock;
    for (uint32_t i = 0; i < w->n_started; i++)
        if (w->started[i].batch)
            state_one(own, w->started[i].to, w->started[i].number);
    for (uint32_t k = 0; k < w->active; k++)
        if (w->out[k].batch)
            state_one(own, k, w->sent[k]);
}

/* Is there something in what is known of process k that `to` has not been told? Who has nothing under way is not worth
 * a word: what `to` knows of it is older, and has come by now. */
static int is_news(const world *w, uint32_t k, uint32_t to)
{
    return k != to && w->known[k].n > 0 && w->known[k].changed > w->told[to];
}

static size_t statement_bytes(const world *w, uint32_t to)
{
    size_t bytes = 0;

    for (uint32_t k = 0; k < w->active; k++)
        if (is_news(w, k, to))
            bytes += sizeof(statement_head) + w->known[k].n * sizeof(struct to_come);
    return bytes;
}

/* bytes: of them; 0: none. */
static void write_statements(const world *w, uint32_t to, unsigned char *at, uint32_t bytes)
{
    for (uint32_t k = 0; bytes > 0 && k < w->active; k++) {
        const statement *s = &w->known[k];
        const statement_head head = {k, s->stamp, s->n, 0};
        if (!is_news(w, k, to))
            continue;
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, s->at, s->n * sizeof *s->at);
        at += sizeof head + s->n * sizeof *s->at;
    }
}

static void learn(world *w, const statement_head *head, const struct to_come *at)
{
    statement *s = &w->known[head->who];

    if (head->who == w->me || head->stamp <= s->stamp)
        return;
    while (s->capacity < head->n)
        if (TCF_GROW(&s->at, &s->capacity, s->capacity) != 0)
            world_give_up("out of memory for what goes between processes");
    memcpy(s->at, at, head->n * sizeof *at);
    s->n = head->n;
    s->stamp = head->stamp;
    s->changed = ++w->clock;
}

/* ------------------------------------------------------------------------------------------------------- sending -- */

static letter_batch *with_room(letter_batch *b, size_t bytes)
{
    if (b->capacity >= bytes)
        return b;
    b = world_memory(b, sizeof *b + bytes);
    b->capacity = (uint32_t)bytes;
    return b;
}

static void add_part(outgoing *o, const letter_batch *b)
{
    part *last = o->n > 0 ? &o->part[o->n - 1] : NULL;

    if (last && last->from == b->from && last->to == b->to) {
        last->bytes += b->n;
        last->chain = b->chain > last->chain ? b->chain : last->chain;
        return;
    }
    if (TCF_GROW(&o->part, &o->capacity, o->n) != 0)
        world_give_up("out of memory for what goes between processes");
    o->part[o->n++] = (part){b->from, b->to, b->n, b->chain};
}

void batches_send(void *data, letter_batch *list)
{
    world *w = data;

    for (letter_batch *b = list, *next; b; b = next) {
        outgoing *o = &w->out[w->process[b->to]];
        next = b->next;
        add_part(o, b);
        if (!o->batch) {
            o->batch = b;
            w->n_out++;
        } else {
            o->batch = with_room(o->batch, o->batch->n + b->n <= o->batch->capacity ? 0 : 2ul * (o->batch->n + b->n));
            memcpy(o->batch->bytes + o->batch->n, b->bytes, b->n);
            o->batch->n += b->n;
            world_spare(w, b);
        }
        w->out_is_full |= o->batch->n >= LARGE;
    }
}

int batches_are_awaited(const void *data)
{
    const world *w = data;

    return w->out_is_full || w->looks_out >= (w->all_here ? 1 : LONG);
}

/* Completes a message. */
static void finish(world *w, uint32_t to, outgoing *o)
{
    trailer end = {w->epoch, o->batch->n, 0, o->n};

    if (is_causal(w))
        end.statements = (uint32_t)statement_bytes(w, to);
    const size_t parts = o->n * sizeof *o->part;
    o->bytes = end.letters + end.statements + (uint32_t)(parts + sizeof end);
    o->put = 0;
    o->batch = with_room(o->batch, o->bytes);
    unsigned char *at = o->batch->bytes + end.letters;
    write_statements(w, to, at, end.statements);
    w->told[to] = w->clock;
    memcpy(at + end.statements, o->part, parts);
    memcpy(at + end.statements + parts, &end, sizeof end);
}

/* While there is no room for what is to leave: others may wait for room here. */
static void make_room(world *w, uint32_t *turns)
{
    batches_receive(w);
    notes_take(w);
    world_complete(w);
    world_wait(w, turns);
}

static void leave_by_mpi(world *w)
{
    for (uint32_t k = 0; k < w->active; k++) {
        outgoing *o = &w->out[k];
        if (!o->batch)
            continue;
        world_start_letters(w, k, w->sent[k], o->batch, o->bytes);
        o->batch = NULL;
    }
}

/* What has no room when the run ends is dropped. */
static void leave_by_inbox(world *w)
{
    uint32_t turns = 0;
    int all;

    while (!(all = inbox_put(w)) && !w->stopped)
        make_room(w, &turns);
    for (uint32_t k = 0; k < w->active; k++) {
        outgoing *o = &w->out[k];
        if (!o->batch)
            continue;
        w->sent[k] -= !all;
        world_spare(w, o->batch);
        o->batch = NULL;
    }
}

static void leave(world *w)
{
    uint32_t turns = 0;

    while (w->bytes_started > ROOM && !w->stopped)
        make_room(w, &turns);
    for (uint32_t k = 0; k < w->active; k++)
        w->sent[k] += w->out[k].batch != NULL;
    if (is_causal(w))
        state_own(w);
    for (uint32_t k = 0; k < w->active; k++)
        if (w->out[k].batch)
            finish(w, k, &w->out[k]);
    w->n_messages += w->n_out;
    if (w->all_here)
        leave_by_inbox(w);
    else
        leave_by_mpi(w);
    for (uint32_t k = 0; k < w->active; k++)
        w->out[k].n = 0;
    w->n_out = w->looks_out = 0;
    w->out_is_full = 0;
}

/* ----------------------------------------------------------------------------------------------------- receiving -- */

static void receive_next(world *w, uint32_t from);

/* What had been sent to this process before the batch comes in front of it. */
static void receive_causes(world *w, uint32_t from, const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        const statement_head *head = (const statement_head *)(const void *)at;
        const struct to_come *to_come = (const struct to_come *)(const void *)(head + 1);
        learn(w, head, to_come);
        for (uint32_t i = 0; i < head->n && head->who != from; i++)
            while (to_come[i].to == w->me && (int32_t)(to_come[i].number - w->received[head->who]) > 0)
                receive_next(w, head->who);
        at = (const unsigned char *)(to_come + head->n);
    }
}

/* Letters of one domain for another; the message itself becomes the batch of the first part. */
static void come(world *w, letter_batch *b, const part *p, uint32_t epoch)
{
    *b = (letter_batch){.from = p->from,
                        .to = p->to,
                        .n = p->bytes,
                        .capacity = b->capacity,
                        .read = epoch,
                        .chain = p->chain};
    *w->in_end = b;
    w->in_end = &b->next;
}

/* A message has come. */
static void open_message(world *w, uint32_t from, letter_batch *b, uint32_t bytes)
{
    trailer end;
    part p, first;

    w->received[from]++;
    memcpy(&end, b->bytes + bytes - sizeof end, sizeof end);
    const unsigned char *parts = b->bytes + end.letters + end.statements, *at = b->bytes;
    receive_causes(w, from, b->bytes + end.letters, parts);
    memcpy(&first, parts, sizeof first);
    come(w, b, &first, end.epoch);
    for (uint32_t i = 1; i < end.parts; i++) {
        at += i > 1 ? p.bytes : first.bytes;
        memcpy(&p, parts + i * sizeof p, sizeof p);
        letter_batch *more = world_room(w, p.bytes);
        memcpy(more->bytes, at, p.bytes);
        come(w, more, &p, end.epoch);
    }
}

static void receive(world *w, MPI_Status *status)
{
    int bytes;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    letter_batch *b = world_room(w, (uint32_t)bytes);
    MPI_Recv(b->bytes, bytes, MPI_BYTE, status->MPI_SOURCE, TAG, w->letters, MPI_STATUS_IGNORE);
    open_message(w, (uint32_t)status->MPI_SOURCE, b, (uint32_t)bytes);
}

/* It has been sent. */
static void receive_next(world *w, uint32_t from)
{
    MPI_Status status;

    MPI_Probe((int)from, TAG, w->letters, &status);
    receive(w, &status);
}

void batches_receive(world *w)
{
    MPI_Status status;
    uint32_t from;
    int come = 1;

    for (letter_batch *b; w->all_here && (b = inbox_take(w, &from));)
        open_message(w, from, b, b->n);
    while (!w->all_here && come) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, w->letters, &come, &status);
        if (come)
            receive(w, &status);
    }
}

letter_batch *batches_take(void *data, int now)
{
    world *w = data;

    world_complete(w);
    batches_receive(w);
    w->has_slept = 0;
    w->looks_out++;
    if (w->n_out > 0 && (now || batches_are_awaited(w)))
        leave(w);
    if (!w->in || w->in->read != w->epoch) /* the verdict has to come before them */
        return NULL;
    letter_batch *list = w->in;
    w->in = NULL;
    w->in_end = &w->in;
    for (letter_batch *b = list; b; b = b->next)
        b->read = 0;
    rest_is_over(w);
    return list;
}

void batches_begin(world *w)
{
    for (letter_batch *b = w->in, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    w->in = NULL;
    w->in_end = &w->in;
    for (uint32_t k = 0; k < w->n; k++) {
        free(w->out[k].batch);
        free(w->coming[k]);
        w->out[k].batch = w->coming[k] = NULL;
        w->out[k].n = 0;
    }
    w->n_out = w->looks_out = 0;
    w->out_is_full = 0;
    w->clock = 0;
    memset(w->sent, 0, w->n * sizeof *w->sent);
    memset(w->received, 0, w->n * sizeof *w->received);
    memset(w->told, 0, w->n * sizeof *w->told);
    for (uint32_t k = 0; k < w->n; k++)
        w->known[k].n = w->known[k].stamp = 0, w->known[k].changed = 0;
}
