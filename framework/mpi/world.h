/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of the processes' side of MPI, for the files of this room: node.c (what processes of a node have in
 * common), world.c (waiting, sends), sleep.c, inbox.c (messages without MPI), notes.c (short messages that have come),
 * batches.c (letters), rest.c (that nothing is under way, and what is decided then), table.c (packs, and the table that
 * the session gets), tcflow_mpi.c. One thread calls MPI. What goes wrong in MPI ends
 * all processes (MPI_ERRORS_ARE_FATAL), so that no call's result is looked at. */
#ifndef TCFLOW_FRAMEWORK_MPI_WORLD_H
#define TCFLOW_FRAMEWORK_MPI_WORLD_H

#include "framework/pipeline/decide.h"
#include "framework/pipeline/peers.h"

#include <mpi.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { TAG = 1 }; /* each kind of message has a communicator of its own */

/* Short messages beside letters and packs. */
typedef enum note_kind {
    NOTE_RESTS,    /* to the first process: all domains here rest, and how; number: of the question it answers, or 0 */
    NOTE_ASK,      /* of the first process: tell it again when you rest; number: of the question */
    NOTE_VERDICT,  /* of the first process; number: the verdict */
    NOTE_STOP,     /* the run ends */
    NOTE_PROGRESS, /* to the first process */
} note_kind;

typedef struct note {
    uint32_t kind, number;
    int64_t who;             /* NOTE_VERDICT: the domain that it is for, or DECIDED_FOR_ALL */
    uint64_t sent, received; /* messages with letters, in all */
    uint64_t watermark[WATERMARKS];
    peers_progress progress;
    uint32_t has_moved, n;
    resting how[]; /* [n], NOTE_RESTS: of each of its domains */
} note;

/* A send that has been started. */
typedef struct started {
    letter_batch *batch; /* a message with letters; NULL: a note */
    note *note;
    uint32_t to, number; /* processes; the number of the message among those to this one */
} started;

/* What a process had under way when it sent for the `stamp`-th time: messages that, as far as it knew, had not come to
 * where they go. Of each process the last one counts, since messages between two of them keep their order. */
typedef struct statement {
    uint32_t stamp, n, capacity;
    struct to_come {
        uint32_t to, number;
    } * at;
    uint64_t changed; /* when this process came to know it */
} statement;

/* Letters of one domain for another in a message: so many bytes, in the order of the parts. */
typedef struct part {
    uint32_t from, to, bytes;
    uint32_t chain; /* as of the batch */
} part;

/* The next message to a process, as far as it has been written. */
typedef struct outgoing {
    letter_batch *batch; /* NULL: nothing */
    part *part;
    uint32_t n, capacity;
    uint32_t bytes, put; /* of the whole message, which leaves; of it in the inbox */
} outgoing;

enum { INBOX = 1 << 18 /* bytes; divides 2^32 */, LINE = 64 /* bytes of a line of the cache */ };

/* A process as others of its node see it. */
typedef struct neighbour {
    sem_t wakes;
    atomic_int sleeps;       /* it will sleep unless it finds something when it looks once more */
    atomic_uint notes;       /* so many have been sent to it */
    pthread_mutex_t putting; /* of the first process: for all inboxes */
    unsigned char apart[LINE];
    atomic_uint put; /* bytes, ever */
    unsigned char put_apart[LINE];
    atomic_uint taken; /* of them, by this process */
    unsigned char taken_apart[LINE];
    unsigned char inbox[INBOX];
} neighbour;

typedef struct world {
    peers table;
    MPI_Comm packs, letters, notes;
    uint32_t me, n;  /* processes */
    uint32_t active; /* so many of them have domains of the chain that runs, the first ones */
    uint32_t domains;
    const uint32_t *process; /* by domain */
    uint32_t *first;         /* by active process: its first domain; [active]: `domains` */
    char host[MPI_MAX_PROCESSOR_NAME];
    void (*idle)(void *data);
    void *idle_data;
    int stopped, settling;
    uint32_t looks;         /* calls of is_stopped() */
    uint32_t looks_waiting; /* turns before a wait sleeps */

    uint32_t n_here; /* processes on this node, */
    MPI_Win shared;  /* and the memory that they have in common; MPI_WIN_NULL: none */
    neighbour *own;  /* there, or `alone` */
    neighbour *alone;
    neighbour **neighbours; /* by process; NULL: on another node */
    uint32_t n_notes;       /* received */
    int all_here;           /* all processes have that memory */
    int has_slept;          /* and nobody has woken it; it hasn't looked since */
    letter_batch **coming;  /* by process: the message in the inbox that has not come as a whole; NULL: none */

    MPI_Request *requests; /* [n_started] */
    started *started;      /* [n_started] */
    int *completed;        /* [n_started], of MPI_Testsome() */
    MPI_Status *statuses;  /* [n_started]; with MPICH gcc takes MPI_STATUSES_IGNORE for an array */
    uint32_t n_started, started_capacity;
    uint32_t n_under_way; /* of them, messages with letters */
    uint64_t bytes_started;

    outgoing *out;              /* by process */
    uint32_t n_out, looks_out;  /* processes that something is written for; calls of batches_take() since it left */
    int out_is_full;            /* a message is large enough */
    letter_batch *in, **in_end; /* come, and not taken; in the causal order of sending */
    letter_batch *spare;        /* to receive into */
    uint32_t n_spare;
    uint32_t *sent, *received; /* messages with letters, by process */
    uint64_t n_messages;       /* sent */
    statement *known;          /* by process */
    uint64_t *told;            /* by process: when it was told last what is known here */
    uint64_t clock;            /* of `changed` and `told` */

    uint32_t *notes_sent, *notes_received; /* by process */
    uint32_t epoch;                        /* verdicts for all domains so far */
    uint32_t question;                     /* to answer; 0: none */
    note *verdict;                         /* that has come */
    note *report;                          /* with room for the domains of any process */
    uint32_t rests_for;                    /* calls of rest_look() since all domains here have come to rest */
    int has_verdict, has_reported, has_moved;

    /* In the first process. */
    decision_state decided;
    resting *how;                            /* by domain */
    uint8_t *rests;                          /* by process: all its domains do, as far as is known */
    uint64_t (*counts)[2];                   /* by process: messages sent and received, as of that */
    uint32_t asking, n_questions, n_answers; /* asking: the question; 0: none */
    uint64_t asked_at;                       /* messages sent and received, in all */
    peers_progress *progress;                /* by process */
} world;

/* world.c. Ends all processes. */
void world_give_up(const char *what) __attribute__((noreturn));
void *world_memory(void *old, size_t bytes);
void *world_zeroed(size_t n, size_t bytes);
/* Waits a little, the longer the more often it is called in a row; *turns: 0 at first. The caller looks for what it
 * waits for between any two calls. */
void world_wait(world *w, uint32_t *turns);
/* The same, but for sleep, how long which would be is returned, in ns. */
uint64_t world_wait_awake(void *data, uint32_t *turns);
/* Looks for sends that have come where they go, now and then. */
void world_complete(world *w);
/* Starts a send: of a message, whose bytes are MPI's until world_complete() finds that they have come; or of a copy of
 * a note. */
void world_start_letters(world *w, uint32_t to, uint32_t number, letter_batch *b, uint32_t bytes);
void world_start_note(world *w, uint32_t to, const note *what);
/* Keeps a batch that is no longer used, to write or receive into it. */
void world_spare(world *w, letter_batch *b);
/* One with room for so many bytes. */
letter_batch *world_room(world *w, uint32_t bytes);

static inline size_t note_bytes(uint32_t n)
{
    return sizeof(note) + n * sizeof(resting);
}

/* node.c. All processes call them. */
void node_begin(world *w);
void node_end(world *w);

/* sleep.c. Announces that this process will sleep, unless it finds something when it looks once more. Returns whether
 * it had been announced, and nobody has woken the process since. */
int sleep_is_announced(world *w);
/* Sleeps so long at most. */
void sleep_for(void *data, uint64_t ns);
/* Wakes a process of this node, for which there is something to find. */
void sleep_is_over(const world *w, uint32_t process);
/* The same, behind the send of a note. */
void sleep_has_note(const world *w, uint32_t process);
/* Else there is no need to look for notes. Cheap. */
int sleep_may_have_notes(const world *w);
/* Wakes this process; any thread of it may call this. */
void sleep_wake_own(void *data);

/* inbox.c, where all_here. Puts all messages of `out` into inboxes; 0: there is no room yet for all. */
int inbox_put(world *w);
/* The next message that has come; NULL: none. */
letter_batch *inbox_take(world *w, uint32_t *from);

/* notes.c. Takes all notes that have come. */
void notes_take(world *w);
/* The first process: all domains of a process rest. */
void notes_take_report(world *w, uint32_t from, const note *report);

/* batches.c. Receives what has come. */
void batches_receive(world *w);
void batches_send(void *data, letter_batch *list);
int batches_are_awaited(const void *data);
letter_batch *batches_take(void *data, int now);
/* A new chain; what is left of the last one is dropped. */
void batches_begin(world *w);

/* rest.c */
verdict rest_look(void *data, const resting *how, int *has_moved, uint64_t *watermark, int64_t *who);
/* Letters have come for a domain here. */
void rest_is_over(world *w);
void rest_begin(world *w);

/* table.c, for tcflow_mpi.c. */
world *world_new(void);
void world_delete(world *w);

#endif
