/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the session calls: the table of peers.h. */
#include "world.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 30, LOOKS_A_STOP = 8 };

/* --------------------------------------------------------------------------------------------------------- packs -- */

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
        sleep_is_over(w, to);
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
        sleep_is_over(w, from); /* MPI may need it for a large piece */
        MPI_Recv((char *)*bytes + *n, piece, MPI_BYTE, (int)from, TAG, w->packs, MPI_STATUS_IGNORE);
        *n += (uint64_t)piece;
    } while (piece == PIECE);
}

/* -------------------------------------------------------------------------------------------- stops and progress -- */

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

    if (++w->looks % LOOKS_A_STOP == 0)
        notes_take(w);
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

/* ---------------------------------------------------------------------------------------------- begin and settle -- */

static void begin(void *data, uint32_t domains, const uint32_t *process, void (*idle)(void *idle_data), void *idle_data)
{
    world *w = data;
    uint32_t most = 0;

    w->domains = domains;
    w->process = process;
    w->active = process[domains - 1] + 1;
    w->idle = idle;
    w->idle_data = idle_data;
    w->stopped = 0;
    w->n_messages = 0;
    for (uint32_t k = domains; k-- > 0;)
        w->first[process[k]] = k;
    w->first[w->active] = domains;
    for (uint32_t k = 0; k < w->active; k++)
        most = w->first[k + 1] - w->first[k] > most ? w->first[k + 1] - w->first[k] : most;
    w->report = world_memory(w->report, note_bytes(most));
    w->how = world_memory(w->how, domains * sizeof *w->how);
    memset(w->progress, 0, w->n * sizeof *w->progress);
    batches_begin(w);
    rest_begin(w);
}

static void wake_all(const world *w)
{
    for (uint32_t k = 0; k < w->n; k++)
        if (k != w->me)
            sleep_is_over(w, k);
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
        notes_take(w);
        batches_receive(w);
        world_wait(w, &turns);
    }
}

/* By then each process knows how many batches and notes have been sent to it. */
static void settle(void *data)
{
    world *w = data;
    MPI_Request request;
    uint32_t(*mine)[2] = world_zeroed(w->n, sizeof *mine), (*theirs)[2] = world_zeroed(w->n, sizeof *theirs);
    uint32_t turns = 0, missing = 1;

    MPI_Ibarrier(w->notes, &request);
    wake_all(w);
    wait_for_all(w, &request);
    w->settling = 1; /* nothing is sent from here on */
    for (uint32_t k = 0; k < w->n; k++) {
        mine[k][0] = w->sent[k];
        mine[k][1] = w->notes_sent[k];
    }
    MPI_Ialltoall(mine, sizeof *mine, MPI_BYTE, theirs, sizeof *theirs, MPI_BYTE, w->notes, &request);
    wake_all(w);
    wait_for_all(w, &request);
    for (; missing > 0 || w->n_started > 0; world_wait(w, &turns)) {
        missing = 0;
        for (uint32_t k = 0; k < w->n; k++)
            missing += theirs[k][0] - w->received[k] + theirs[k][1] - w->notes_received[k];
        world_complete(w);
        notes_take(w);
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

static void counts(const void *data, uint64_t *messages, uint64_t *decisions)
{
    const world *w = data;
    *messages = w->n_messages;
    *decisions = w->decided.n;
}

/* Before a process sleeps it looks for longer where it takes the core from none of the others. */
static uint32_t looks_before_sleep(const world *w)
{
    enum { FEW = 4, MANY = 16384 };

    return w->n_here <= sysconf(_SC_NPROCESSORS_ONLN) ? MANY : FEW;
}

world *world_new(void)
{
    world *w = world_zeroed(1, sizeof *w);
    int me, n, length;

    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Get_processor_name(w->host, &length);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->packs);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->letters);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->notes);
    w->me = (uint32_t)me;
    w->n = (uint32_t)n;
    w->neighbours = world_zeroed(w->n, sizeof *w->neighbours);
    w->coming = world_zeroed(w->n, sizeof *w->coming);
    node_begin(w);
    w->looks_waiting = looks_before_sleep(w);
    w->in_end = &w->in;
    w->sent = world_zeroed(w->n, sizeof *w->sent);
    w->received = world_zeroed(w->n, sizeof *w->received);
    w->known = world_zeroed(w->n, sizeof *w->known);
    w->told = world_zeroed(w->n, sizeof *w->told);
    w->notes_sent = world_zeroed(w->n, sizeof *w->notes_sent);
    w->notes_received = world_zeroed(w->n, sizeof *w->notes_received);
    w->first = world_zeroed(w->n + 1ul, sizeof *w->first);
    w->out = world_zeroed(w->n, sizeof *w->out);
    w->report = world_zeroed(1, note_bytes(0));
    w->verdict = world_zeroed(1, note_bytes(0));
    w->rests = world_zeroed(w->n, sizeof *w->rests);
    w->counts = world_zeroed(w->n, sizeof *w->counts);
    w->progress = world_zeroed(w->n, sizeof *w->progress);
    w->table = (peers){.data = w,
                       .me = w->me,
                       .n = w->n,
                       .beside = w->n_here,
                       .verbosity = TCF_LOG_WARNING,
                       .host = w->host,
                       .speaker = pthread_self(),
                       .send = send_pack,
                       .receive = receive_pack,
                       .begin = begin,
                       .send_letters = batches_send,
                       .is_awaited = batches_are_awaited,
                       .take_letters = batches_take,
                       .rest = rest_look,
                       .wait = world_wait_awake,
                       .sleep = sleep_for,
                       .wake = sleep_wake_own,
                       .stop = stop,
                       .is_stopped = is_stopped,
                       .progress = progress,
                       .settle = settle,
                       .counts = counts};
    return w;
}

void world_delete(world *w)
{
    batches_begin(w);
    for (letter_batch *b = w->spare, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    for (uint32_t k = 0; k < w->n; k++) {
        free(w->known[k].at);
        free(w->out[k].part);
    }
    node_end(w);
    free(w->neighbours);
    free(w->coming);
    MPI_Comm_free(&w->packs);
    MPI_Comm_free(&w->letters);
    MPI_Comm_free(&w->notes);
    free(w->requests);
    free(w->started);
    free(w->completed);
    free(w->statuses);
    free(w->sent);
    free(w->received);
    free(w->known);
    free(w->told);
    free(w->notes_sent);
    free(w->notes_received);
    free(w->first);
    free(w->out);
    free(w->report);
    free(w->verdict);
    free(w->how);
    free(w->rests);
    free(w->counts);
    free(w->progress);
    free(w);
}
