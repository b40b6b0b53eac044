/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Bytes and notes between processes, and waiting. Nothing here waits inside of MPI, whose waiting takes a whole core:
 * processes that have nothing to do look a while, then let others run, then sleep. */
#include "world.h"
#include "framework/base/error.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/grow.h>
#include <time.h>

enum { TAG = 1, PIECE = 1 << 30 };
enum { LOOKS = 100, YIELDS = 400, LEAST_SLEEP = 20000, MOST_SLEEP = 1000000 /* ns */ };

void world_give_up(const char *what)
{
    error_log(TCF_LOG_ERROR, "%s: all processes end; outputs are incomplete", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void *world_memory(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes > 0 ? bytes : 1);

    if (!memory)
        world_give_up("out of memory for what goes between processes");
    return memory;
}

static void *zeroed(size_t n, size_t bytes)
{
    void *memory = world_memory(NULL, n * bytes);
    return memset(memory, 0, n * bytes);
}

void world_wait(world *w, uint32_t *turns)
{
    const uint32_t turn = (*turns)++;

    if (w->idle && turn % 64 == 63)
        w->idle(w->idle_data);
    if (turn < LOOKS)
        return;
    if (turn < LOOKS + YIELDS) {
        sched_yield();
        return;
    }
    const uint64_t longer = (uint64_t)(turn - LOOKS - YIELDS) * 1000 + LEAST_SLEEP;
    const struct timespec nap = {0, (long)(longer < MOST_SLEEP ? longer : MOST_SLEEP)};
    w->n_sleeps++;
    nanosleep(&nap, NULL);
}

/* ----------------------------------------------------------------------------------------------------------- packs --
 */

static void wait_for(world *w, MPI_Request *request)
{
    uint32_t turns = 0;
    int done;

    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE))
        world_wait(w, &turns);
}

/* In pieces, of which the last one is shorter than the others, and may be empty. */
static void send_pack(void *data, uint32_t to, const void *bytes, uint64_t n)
{
    static const char nothing;
    world *w = data;
    const char *at = bytes ? bytes : &nothing;

    for (uint64_t left = n;; left -= PIECE, at += PIECE) {
        MPI_Request request;
        MPI_Isend(at, (int)(left < PIECE ? left : PIECE), MPI_BYTE, (int)to, TAG, w->packs, &request);
        wait_for(w, &request);
        if (left < PIECE)
            return;
    }
}

static void receive_pack(void *data, uint32_t from, void **bytes, uint64_t *n)
{
    world *w = data;
    int piece;

    *bytes = NULL;
    *n = 0;
    do {
        MPI_Status status;
        uint32_t turns = 0;
        int come;
        for (MPI_Iprobe((int)from, TAG, w->packs, &come, &status); !come;
             MPI_Iprobe((int)from, TAG, w->packs, &come, &status))
            world_wait(w, &turns);
        MPI_Get_count(&status, MPI_BYTE, &piece);
        *bytes = world_memory(*bytes, *n + (uint64_t)piece);
        MPI_Recv((char *)*bytes + *n, piece, MPI_BYTE, (int)from, TAG, w->packs, MPI_STATUS_IGNORE);
        *n += (uint64_t)piece;
    } while (piece == PIECE);
}

/* ------------------------------------------------------------------------------------------------- started sends -- */

static started *start(world *w)
{
    const uint32_t capacity = w->started_capacity;

    if (TCF_GROW(&w->started, &w->started_capacity, w->n_started) != 0)
        world_give_up("out of memory for what goes between processes");
    if (w->started_capacity != capacity) {
        w->requests = world_memory(w->requests, w->started_capacity * sizeof *w->requests);
        w->completed = world_memory(w->completed, w->started_capacity * sizeof *w->completed);
    }
    return &w->started[w->n_started];
}

/* Synchronous: when the send is complete, the batch is being received. */
void world_start_batch(world *w, uint32_t to, uint32_t number, letter_batch *b, uint32_t bytes)
{
    *start(w) = (started){.batch = b, .to = to, .number = number};
    w->bytes_started += b->capacity;
    MPI_Issend(b->bytes, (int)bytes, MPI_BYTE, (int)to, TAG, w->letters, &w->requests[w->n_started++]);
}

void world_start_note(world *w, uint32_t to, const note *what)
{
    note *copy = world_memory(NULL, sizeof *copy);

    *copy = *what;
    *start(w) = (started){.note = copy, .to = to};
    w->notes_sent[to]++;
    MPI_Isend(copy, sizeof *copy, MPI_BYTE, (int)to, TAG, w->notes, &w->requests[w->n_started++]);
}

static void end_send(world *w, const started *s)
{
    enum { MOST_SPARE = 64 };

    free(s->note);
    if (!s->batch)
        return;
    w->bytes_started -= s->batch->capacity;
    if (w->n_spare == MOST_SPARE) {
        free(s->batch);
        return;
    }
    s->batch->next = w->spare;
    w->spare = s->batch;
    w->n_spare++;
}

void world_complete(world *w)
{
    int n = 0;
    uint32_t left = 0;

    if (w->n_started == 0)
        return;
    MPI_Testsome((int)w->n_started, w->requests, &n, w->completed, MPI_STATUSES_IGNORE);
    if (n <= 0)
        return;
    for (int i = 0; i < n; i++)
        end_send(w, &w->started[w->completed[i]]);
    for (uint32_t i = 0; i < w->n_started; i++)
        if (w->requests[i] != MPI_REQUEST_NULL) {
            w->requests[left] = w->requests[i];
            w->started[left++] = w->started[i];
        }
    w->n_started = left;
}

/* ----------------------------------------------------------------------------------------------------------- notes --
 */

static void take_note(world *w, uint32_t from, const note *what)
{
    switch ((note_kind)what->kind) {
    case NOTE_RESTS:
        rest_take_report(w, from, what);
        break;
    case NOTE_ASK:
        w->question = what->number;
        break;
    case NOTE_VERDICT:
        w->verdict = *what;
        w->has_verdict = 1;
        break;
    case NOTE_STOP:
        w->stopped = 1;
        break;
    case NOTE_PROGRESS:
    default:
        w->progress[from] = what->progress;
    }
}

void world_take_notes(world *w)
{
    MPI_Status status;
    note what;
    int come;

    for (MPI_Iprobe(MPI_ANY_SOURCE, TAG, w->notes, &come, &status); come;
         MPI_Iprobe(MPI_ANY_SOURCE, TAG, w->notes, &come, &status)) {
        MPI_Recv(&what, sizeof what, MPI_BYTE, status.MPI_SOURCE, TAG, w->notes, MPI_STATUS_IGNORE);
        w->notes_received[status.MPI_SOURCE]++;
        take_note(w, (uint32_t)status.MPI_SOURCE, &what);
    }
}

static void stop(void *data)
{
    world *w = data;
    const note what = {.kind = NOTE_STOP};

    for (uint32_t k = 0; !w->stopped && !w->settling && k < w->n; k++)
        if (k != w->me)
            world_start_note(w, k, &what);
    w->stopped = 1;
}

static int is_stopped(void *data)
{
    world *w = data;

    world_take_notes(w);
    return w->stopped;
}

static peers_progress progress(void *data, peers_progress mine)
{
    world *w = data;
    const note what = {.kind = NOTE_PROGRESS, .progress = mine};
    peers_progress sum = {0};

    world_complete(w);
    if (w->me > 0 && !w->settling)
        world_start_note(w, 0, &what);
    for (uint32_t k = 0; k < w->n; k++) {
        sum.events += w->progress[k].events;
        sum.bytes += w->progress[k].bytes;
    }
    return sum;
}

/* ----------------------------------------------------------------------------------------------- begin and settle --
 */

static void begin(void *data, uint32_t domains, void (*idle)(void *idle_data), void *idle_data)
{
    world *w = data;

    w->domains = domains;
    w->idle = idle;
    w->idle_data = idle_data;
    w->stopped = 0;
    memset(w->progress, 0, w->n * sizeof *w->progress);
    batches_begin(w);
    rest_begin(w);
}

/* Receives what comes meanwhile. */
static void wait_for_all(world *w, MPI_Request *request)
{
    uint32_t turns = 0;
    int done;

    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        world_complete(w);
        world_take_notes(w);
        batches_receive(w);
        world_wait(w, &turns);
    }
}

/* By then each process knows how many batches and notes have been sent to it. */
static void settle(void *data)
{
    world *w = data;
    MPI_Request request;
    uint32_t(*mine)[2] = zeroed(w->n, sizeof *mine), (*theirs)[2] = zeroed(w->n, sizeof *theirs);
    uint32_t turns = 0, missing = 1;

    MPI_Ibarrier(w->notes, &request);
    wait_for_all(w, &request);
    w->settling = 1; /* nothing is sent from here on */
    for (uint32_t k = 0; k < w->n; k++) {
        mine[k][0] = w->sent[k];
        mine[k][1] = w->notes_sent[k];
    }
    MPI_Ialltoall(mine, sizeof *mine, MPI_BYTE, theirs, sizeof *theirs, MPI_BYTE, w->notes, &request);
    wait_for_all(w, &request);
    for (; missing > 0 || w->n_started > 0; world_wait(w, &turns)) {
        missing = 0;
        for (uint32_t k = 0; k < w->n; k++)
            missing += theirs[k][0] - w->received[k] + theirs[k][1] - w->notes_received[k];
        world_complete(w);
        world_take_notes(w);
        batches_receive(w);
    }
    w->settling = 0;
    w->idle = NULL;
    free(mine);
    free(theirs);
    memset(w->notes_sent, 0, w->n * sizeof *w->notes_sent);
    memset(w->notes_received, 0, w->n * sizeof *w->notes_received);
    batches_begin(w);
}

static transport transport_of(void *data)
{
    return (transport){data,         batches_send,       rest_is_awaited, batches_have_come,
                       batches_take, rest_until_verdict, rest_watermark};
}

static void counts(const void *data, uint64_t *sleeps, uint64_t *decisions)
{
    const world *w = data;
    *sleeps = w->n_sleeps;
    *decisions = w->decided.n;
}

world *world_new(void)
{
    world *w = zeroed(1, sizeof *w);
    int me, n, length;

    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Get_processor_name(w->host, &length);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->packs);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->letters);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->notes);
    w->me = (uint32_t)me;
    w->n = (uint32_t)n;
    w->in_end = &w->in;
    w->sent = zeroed(w->n, sizeof *w->sent);
    w->received = zeroed(w->n, sizeof *w->received);
    w->known = zeroed(w->n, sizeof *w->known);
    w->told = zeroed(w->n, sizeof *w->told);
    w->notes_sent = zeroed(w->n, sizeof *w->notes_sent);
    w->notes_received = zeroed(w->n, sizeof *w->notes_received);
    w->how = zeroed(w->n, sizeof *w->how);
    w->rests = zeroed(w->n, sizeof *w->rests);
    w->counts = zeroed(w->n, sizeof *w->counts);
    w->progress = zeroed(w->n, sizeof *w->progress);
    w->table = (peers){w,     w->me,        w->n, TCF_LOG_WARNING, w->host,  send_pack, receive_pack,
                       begin, transport_of, stop, is_stopped,      progress, settle,    counts};
    return w;
}

void world_delete(world *w)
{
    batches_begin(w);
    for (letter_batch *b = w->spare, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    for (uint32_t k = 0; k < w->n; k++)
        free(w->known[k].at);
    MPI_Comm_free(&w->packs);
    MPI_Comm_free(&w->letters);
    MPI_Comm_free(&w->notes);
    free(w->requests);
    free(w->started);
    free(w->completed);
    free(w->sent);
    free(w->received);
    free(w->known);
    free(w->told);
    free(w->notes_sent);
    free(w->notes_received);
    free(w->how);
    free(w->rests);
    free(w->counts);
    free(w->progress);
    free(w);
}
