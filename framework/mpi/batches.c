/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Batches of letters between processes, each a message: letters, then what the receiver may have to wait for, then a
 * trailer that says how much of both there is.
 *
 * MPI keeps the order of messages between two processes. Letters need more (transport.send in letters.h): what a
 * process sends when it has got a batch comes behind all that was sent before that batch, by whomever. So a batch
 * states what was under way when it left: of each process the batches that had not come yet, as far as its sender knew.
 * Who receives a batch first receives those that are for itself. Of two domains neither can overtake anything, and
 * nothing is stated.
 *
 * Where much is under way a process that sends receives meanwhile: nothing is dropped, and no cycle of waiting closes.
 */
#include "framework/base/error.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>
#include <tcflow/grow.h>

enum { ROOM = 16 << 20 /* bytes under way */ };

typedef struct trailer {
    uint32_t epoch, letters, statements, unused; /* letters, statements: bytes */
} trailer;

/* In front of `n` times struct to_come. */
typedef struct statement_head {
    uint32_t who, stamp, n, unused;
} statement_head;

static int is_causal(const world *w)
{
    return w->domains > 2;
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

/* What this process has under way, those of the list included, which are sent at once. */
static void state_own(world *w, const letter_batch *list)
{
    statement *own = &w->known[w->me];

    own->n = 0;
    own->stamp++;
    own->changed = ++w->clock;
    for (uint32_t i = 0; i < w->n_started; i++)
        if (w->started[i].batch)
            state_one(own, w->started[i].to, w->started[i].number);
    for (const letter_batch *b = list; b; b = b->next)
        state_one(own, b->to, w->sent[b->to]);
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

    for (uint32_t k = 0; k < w->domains; k++)
        if (is_news(w, k, to))
            bytes += sizeof(statement_head) + w->known[k].n * sizeof(struct to_come);
    return bytes;
}

static void write_statements(const world *w, uint32_t to, unsigned char *at)
{
    for (uint32_t k = 0; k < w->domains; k++) {
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

/* Makes a message of a batch; *bytes of it. */
static letter_batch *finish(const world *w, letter_batch *b, uint32_t *bytes)
{
    trailer end = {w->epoch, b->n, 0, 0};

    if (is_causal(w))
        end.statements = (uint32_t)statement_bytes(w, b->to);
    *bytes = end.letters + end.statements + (uint32_t)sizeof end;
    if (b->capacity < *bytes) {
        b = world_memory(b, sizeof *b + *bytes);
        b->capacity = *bytes;
    }
    if (end.statements > 0)
        write_statements(w, b->to, b->bytes + end.letters);
    memcpy(b->bytes + end.letters + end.statements, &end, sizeof end);
    return b;
}

void batches_send(void *data, letter_batch *list)
{
    world *w = data;
    uint32_t turns = 0;

    world_complete(w);
    while (w->bytes_started > ROOM && !w->stopped) {
        batches_receive(w);
        notes_take(w);
        world_complete(w);
        world_wait(w, &turns);
    }
    for (letter_batch *b = list; b; b = b->next)
        w->sent[b->to]++;
    if (is_causal(w))
        state_own(w, list);
    for (letter_batch *b = list, *next; b; b = next) {
        uint32_t bytes;
        next = b->next;
        const uint32_t to = b->to;
        b = finish(w, b, &bytes);
        w->told[to] = w->clock;
        world_start_batch(w, to, w->sent[to], b, bytes);
    }
}

/* ----------------------------------------------------------------------------------------------------- receiving -- */

static letter_batch *room_for(world *w, uint32_t bytes)
{
    for (letter_batch **at = &w->spare; *at; at = &(*at)->next) {
        letter_batch *b = *at;
        if (b->capacity < bytes)
            continue;
        *at = b->next;
        w->n_spare--;
        return b;
    }
    letter_batch *b = world_memory(NULL, sizeof *b + bytes);
    b->capacity = bytes;
    return b;
}

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

static void receive(world *w, MPI_Status *status)
{
    const uint32_t from = (uint32_t)status->MPI_SOURCE;
    trailer end;
    int bytes;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    letter_batch *b = room_for(w, (uint32_t)bytes);
    MPI_Recv(b->bytes, bytes, MPI_BYTE, status->MPI_SOURCE, TAG, w->letters, MPI_STATUS_IGNORE);
    w->received[from]++;
    memcpy(&end, b->bytes + (size_t)bytes - sizeof end, sizeof end);
    *b = (letter_batch){.from = from, .to = w->me, .n = end.letters, .capacity = b->capacity, .read = end.epoch};
    receive_causes(w, from, b->bytes + end.letters, b->bytes + end.letters + end.statements);
    *w->in_end = b;
    w->in_end = &b->next;
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
    int come;

    for (MPI_Iprobe(MPI_ANY_SOURCE, TAG, w->letters, &come, &status); come;
         MPI_Iprobe(MPI_ANY_SOURCE, TAG, w->letters, &come, &status))
        receive(w, &status);
}

int batches_have_come(void *data)
{
    world *w = data;

    if (!w->in)
        batches_receive(w);
    return w->in != NULL;
}

letter_batch *batches_take(void *data)
{
    world *w = data;

    batches_receive(w);
    letter_batch *list = w->in;
    w->in = NULL;
    w->in_end = &w->in;
    for (letter_batch *b = list; b; b = b->next)
        b->read = 0;
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
    w->clock = 0;
    memset(w->sent, 0, w->n * sizeof *w->sent);
    memset(w->received, 0, w->n * sizeof *w->received);
    memset(w->told, 0, w->n * sizeof *w->told);
    for (uint32_t k = 0; k < w->n; k++)
        w->known[k].n = w->known[k].stamp = 0, w->known[k].changed = 0;
}
