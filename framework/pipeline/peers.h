/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The processes of a run that consists of several (tcflow-mpi), as one of them sees them: what carries bytes between
 * them. Each process reads the same settings and definitions, and has a few domains or none; the first one has outputs,
 * reports and the summary. How they do that stands in processes.c; the table here is filled by framework/mpi, and one
 * thread of a process, `speaker`, calls it, but for wake(). What goes wrong between processes ends all of them, so that
 * nothing here fails. */
#ifndef TCFLOW_FRAMEWORK_PEERS_H
#define TCFLOW_FRAMEWORK_PEERS_H

#include "framework/causality/letters.h"

#include <pthread.h>

typedef struct peers_progress {
    uint64_t events, bytes;
} peers_progress;

typedef struct peers {
    void *data;
    uint32_t me, n;
    uint32_t beside;         /* processes of this machine, this one included */
    tcf_log_level verbosity; /* as the user wants it; the first process alone says all that it allows */
    const char *host;        /* where this process runs */
    pthread_t speaker;

    /* -- one process to another: each send() meets a receive(), in the same order -- */
    void (*send)(void *data, uint32_t to, const void *bytes, uint64_t n);
    /* The caller frees *bytes. */
    void (*receive)(void *data, uint32_t from, void **bytes, uint64_t *n);

    /* -- while events flow: from begin() to settle(), which all call -- */
    /* So many domains exchange letters. process: of each domain, in order; kept by the caller. `idle` is called every
     * now and then while this process waits. */
    void (*begin)(void *data, uint32_t domains, const uint32_t *process, void (*idle)(void *idle_data),
                  void *idle_data);
    /* Takes over a list of batches, as transport.send() does. They leave when is_awaited() says so, or many have come
     * together. */
    void (*send_letters)(void *data, letter_batch *list);
    int (*is_awaited)(const void *data);
    /* All batches that have come, a list in order, which is the caller's; NULL: none. now: what is to leave does. */
    letter_batch *(*take_letters)(void *data, int now);
    /* To be called again and again while all domains of this process rest, and nothing of them is to be sent or read.
     * how: of each of them. *has_moved: one of them has moved; is taken note of, and cleared. Returns what is next, for
     * *who, one of them or DECIDED_FOR_ALL; VERDICT_LATER: nothing yet. watermark: as transport.watermark(). */
    verdict (*rest)(void *data, const resting *how, int *has_moved, uint64_t *watermark, int64_t *who);
    /* Returns how long the caller may sleep, in ns: 0 until it has looked for what it waits for often enough. *turns:
     * so often in a row, 0 at first. */
    uint64_t (*wait)(void *data, uint32_t *turns);
    /* Sleeps so long, or until something comes from a process of this node, or another thread calls wake(). */
    void (*sleep)(void *data, uint64_t ns);
    void (*wake)(void *data);
    /* All processes end. */
    void (*stop)(void *data);
    /* Has any of them called stop()? Cheap. */
    int (*is_stopped)(void *data);
    /* Tells the first process how far this one is; returns how far all others are, as it knows it. */
    peers_progress (*progress)(void *data, peers_progress mine);
    /* Waits until all processes have come here; what is under way is received and dropped. */
    void (*settle)(void *data);
    /* So far: messages with letters that this process has sent, and decisions of all domains (in the first one). */
    void (*counts)(const void *data, uint64_t *messages, uint64_t *decisions);
} peers;

/* May this thread call them? Without peers none does. */
static inline int peers_hear(const peers *p)
{
    return p && pthread_equal(p->speaker, pthread_self());
}

static inline int peers_am_first(const peers *p)
{
    return !p || p->me == 0;
}

#endif
