/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of the processes' side of MPI, for the files of this room: world.c (waiting, sends), notes.c (short
 * messages that have come), batches.c (letters), rest.c (that nothing is under way, and what is decided then), table.c
 * (packs, and the table that the session gets), tcflow_mpi.c. One thread calls MPI. What goes wrong in MPI ends all
 * processes (MPI_ERRORS_ARE_FATAL), so that no call's result is looked at. */
#ifndef TCFLOW_FRAMEWORK_MPI_WORLD_H
#define TCFLOW_FRAMEWORK_MPI_WORLD_H

#include "framework/pipeline/decide.h"
#include "framework/pipeline/peers.h"

#include <mpi.h>

enum { TAG = 1 }; /* each kind of message has a communicator of its own */

/* Short messages beside letters and packs. */
typedef enum note_kind {
    NOTE_RESTS,    /* to the first process: this domain rests, and how; number: of the question it answers, or 0 */
    NOTE_ASK,      /* of the first process: tell it again when you rest; number: of the question */
    NOTE_VERDICT,  /* of the first process; number: the verdict; for_all: it is for all domains */
    NOTE_STOP,     /* the run ends */
    NOTE_PROGRESS, /* to the first process */
} note_kind;

typedef struct note {
    uint32_t kind, number, for_all, unused;
    uint64_t sent, received; /* batches of the domain, in all */
    resting how;
    uint64_t watermark[WATERMARKS];
    peers_progress progress;
} note;

/* A send that has been started. */
typedef struct started {
    letter_batch *batch; /* NULL: a note */
    note *note;
    uint32_t to, number; /* the number of the batch among those to this process */
} started;

/* What a process had under way when it sent for the `stamp`-th time: batches that, as far as it knew, had not come to
 * where they go. Of each process the last one counts, since batches between two of them keep their order. */
typedef struct statement {
    uint32_t stamp, n, capacity;
    struct to_come {
        uint32_t to, number;
    } * at;
    uint64_t changed; /* when this process came to know it */
} statement;

typedef struct world {
    peers table;
    MPI_Comm packs, letters, notes;
    uint32_t me, n, domains; /* processes; domains: of the chain that runs */
    char host[MPI_MAX_PROCESSOR_NAME];
    void (*idle)(void *data);
    void *idle_data;
    int stopped, settling;
    uint64_t n_sleeps;

    MPI_Request *requests; /* [n_started] */
    started *started;      /* [n_started] */
    int *completed;        /* [n_started], of MPI_Testsome() */
    MPI_Status *statuses;  /* [n_started]; with MPICH gcc takes MPI_STATUSES_IGNORE for an array */
    uint32_t n_started, started_capacity;
    uint64_t bytes_started;

    letter_batch *in, **in_end; /* come, and not taken; in the causal order of sending */
    letter_batch *spare;        /* to receive into */
    uint32_t n_spare;
    uint32_t *sent, *received; /* batches, by process */
    statement *known;          /* by process */
    uint64_t *told;            /* by process: when it was told last what is known here */
    uint64_t clock;            /* of `changed` and `told` */

    uint32_t *notes_sent, *notes_received; /* by process */
    uint32_t epoch;                        /* verdicts for all domains so far */
    uint32_t question;                     /* to answer; 0: none */
    note verdict;                          /* that has come */
    int has_verdict, has_reported, has_moved;

    /* In the first process. */
    decision_state decided;
    resting *how;                            /* by domain */
    uint8_t *rests;                          /* by domain: as far as is known */
    uint64_t (*counts)[2];                   /* by domain: batches sent and received, as of that */
    uint32_t asking, n_questions, n_answers; /* asking: the question; 0: none */
    uint64_t asked_at;                       /* batches sent and received, in all */
    peers_progress *progress;                /* by process */
} world;

/* world.c. Ends all processes. */
void world_give_up(const char *what) __attribute__((noreturn));
void *world_memory(void *old, size_t bytes);
void *world_zeroed(size_t n, size_t bytes);
/* Waits a little, the longer the more often it is called in a row; *turns: 0 at first. */
void world_wait(world *w, uint32_t *turns);
/* Looks for sends that have come where they go. */
void world_complete(world *w);
/* Starts a send: of a batch, whose bytes are MPI's until world_complete() finds that they have come; or of a copy of a
 * note. */
void world_start_batch(world *w, uint32_t to, uint32_t number, letter_batch *b, uint32_t bytes);
void world_start_note(world *w, uint32_t to, const note *what);

/* notes.c. Takes all notes that have come. */
void notes_take(world *w);
/* The first process: a domain rests. */
void notes_take_report(world *w, uint32_t from, const note *report);

/* batches.c. Receives what has come. */
void batches_receive(world *w);
void batches_send(void *data, letter_batch *list);
int batches_have_come(void *data);
letter_batch *batches_take(void *data);
/* A new chain; what is left of the last one is dropped. */
void batches_begin(world *w);

/* rest.c */
int rest_is_awaited(void *data);
verdict rest_until_verdict(void *data, const resting *how);
const uint64_t *rest_watermark(void *data);
void rest_begin(world *w);

/* table.c, for tcflow_mpi.c. */
world *world_new(void);
void world_delete(world *w);

#endif
