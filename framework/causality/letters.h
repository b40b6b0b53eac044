/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Letters between domains (doc/parallel.md): how a causal segment learns of what has passed in the other domains.
 *
 * Each domain has one `letters`. It writes letters into a batch for each other domain, and a transport carries the
 * batches. Letters are plain bytes, with ids that mean the same in all domains. Those from one domain to another come
 * in the order in which they were written. A batch leaves when it is full, when its domain has nothing to run, and
 * after a few turns where other domains run meanwhile. */
#ifndef TCFLOW_FRAMEWORK_LETTERS_H
#define TCFLOW_FRAMEWORK_LETTERS_H

#include <stdint.h>

#include <tcflow/filter.h>

typedef struct letter_batch {
    struct letter_batch *next; /* in a list that the transport gets or returns */
    uint32_t from, to;         /* domains */
    uint32_t n, capacity;      /* bytes */
    uint32_t read;             /* of these bytes, by the domain that has got it */
    uint32_t chain;            /* batches up to this one, see letter_counts */
    _Alignas(8) unsigned char bytes[];
} letter_batch;

/* What a domain would do next that has nothing to run. When no domain has, and no letter is under way, the least wish
 * of all domains is granted: by kind, then by key, then by location. */
typedef enum wish {
    WISH_ROOM,    /* its memory is full: to read on. key 0: filters release what they hold; else slices in use */
    WISH_POST,    /* the end of a send passes before its receive is posted; key: its time */
    WISH_BLOCKED, /* an event passes although its location waits for another of its process (follow.c) */
    WISH_FULL,    /* it drops a message, for want of a slot */
    WISH_PARKED,  /* an event passes before its sources; key: of its location (schedule.c) */
    WISH_NOTHING, /* it waits for others */
    WISH_DONE     /* all its locations have ended */
} wish;

enum { WATERMARKS = 4 };   /* stages whose watermarks domains tell each other */
enum { STAGES_TOLD = 32 }; /* the first ones: of which domains tell whether their locations wait for each other */

/* Segments behind the one in front of whose end a domain rests. All locations of such a segment may wait for each
 * other; then no slice that comes helps. A bit a stage. */
typedef struct jam {
    uint32_t waits;       /* all locations of this domain do */
    uint32_t has_lengths; /* an end waits for members that may turn out to contribute nothing */
    uint32_t can_look;    /* for such members, as far as the look-ahead goes */
    uint32_t has_looked;  /* and nothing has moved since */
    uint32_t stage;       /* the first one with an end of a send that waits for a post; STAGES_TOLD: none */
    uint32_t sender;      /* its location */
    uint64_t sent;        /* its time */
} jam;

typedef struct resting {
    uint64_t watermark[WATERMARKS]; /* of this domain's locations */
    uint64_t key;
    uint32_t location;
    wish wish;
    jam behind;
    uint8_t has_untold; /* something is not complete, and has not been told for that */
    uint8_t wants_look; /* an end waits for members that may turn out to contribute nothing */
    uint8_t has_moved;  /* something has passed, or letters have come, since it rested last */
    uint8_t has_run;    /* an event has passed since then */
    uint8_t on_credit;  /* it may send no further message to a domain that hasn't received the earlier ones */
} resting;

typedef enum verdict {
    VERDICT_LATER,       /* not yet: the domain runs again when there is one */
    VERDICT_LETTERS,     /* letters have come */
    VERDICT_BEAT,        /* it rests on, and hands on what has passed */
    VERDICT_TELL,        /* all domains tell what is not complete */
    VERDICT_LOOK,        /* all domains look for members that contribute nothing */
    VERDICT_WATERMARK,   /* watermarks of all domains have moved, and one of them is out of room */
    VERDICT_ROOM,        /* all domains out of room whose filters hold much release that, and read on */
    VERDICT_LOOK_BEHIND, /* VERDICT_LOOK in segments behind */
    VERDICT_POST,        /* in a segment behind, the end of a send passes before its receive is posted */
    VERDICT_CREDIT,      /* all domains that rest on credit get more of it */
    VERDICT_GRANTED,     /* its wish comes true */
    VERDICT_DONE,        /* all domains are done */
    VERDICT_STUCK,       /* nobody has a wish */
    VERDICT_STOP         /* the run ends: a domain has failed, or the user has interrupted it */
} verdict;

/* What carries batches, as one domain sees it. */
typedef struct transport {
    void *data;
    /* Takes over a list of batches. They are sent at once: what another domain sends when it has got one of them comes
     * behind them everywhere. */
    void (*send)(void *data, letter_batch *list);
    /* Does another domain run at the same time, or may it, so that letters had better be sent soon? Cheap. */
    int (*is_awaited)(void *data);
    /* Is there something to take? Cheap. */
    int (*has_come)(void *data);
    /* All batches that have come, a list in order, which is the caller's; NULL: none. */
    letter_batch *(*take)(void *data);
    /* The domain has nothing to run, and has sent its batches. Waits until that changes, or returns VERDICT_LATER. */
    verdict (*rest)(void *data, const resting *how);
    /* By VERDICT_WATERMARK: the least of all domains, [WATERMARKS]. */
    const uint64_t *(*watermark)(void *data);
} transport;

typedef struct letter_counts {
    uint64_t letters, batches, bytes; /* sent */
    uint64_t chain; /* the longest chain of batches, each of which left behind the one before had been read */
} letter_counts;

typedef struct letters {
    transport to;
    uint32_t me, n;          /* domains */
    const uint32_t *of;      /* domain by location; the owner of the partition keeps it */
    letter_batch **out;      /* by domain; NULL: nothing is written */
    letter_batch *in;        /* taken and not read */
    letter_batch *spare;     /* to be written again; n_spare of them */
    uint32_t n_spare, batch; /* batch: bytes of one */
    uint32_t waiting;        /* letters in `out`, or to be written there before they are sent */
    uint8_t out_of_memory;
    uint8_t gathers;      /* batches to the first domain leave with those to any other one */
    letter_counts counts; /* chain: up to what has been read here */
} letters;

/* `segment`: the number of a stage. A letter's length is a multiple of 8; its content follows it. */
enum { LETTERS_OF_SCHEDULERS = 64, LETTER_CALLPATHS = 127, LETTERS_OF_FILTERS = 128 };
typedef struct letter {
    uint8_t kind; /* the exchange's; from LETTERS_OF_SCHEDULERS on: the scheduler's; LETTER_CALLPATHS; from
                     LETTERS_OF_FILTERS on: of a filter of the segment */
    uint8_t unused;
    uint16_t segment;
    uint32_t bytes; /* with this head */
} letter;

void letters_add_counts(letter_counts *to, const letter_counts *more);

letters *letters_new(const transport *t, uint32_t me, uint32_t n, const uint32_t *of);
void letters_delete(letters *x);

static inline int letters_is_here(const letters *x, uint32_t location)
{
    return x->of[location] == x->me;
}

/* Writes the head of a letter; returns where its content goes, `bytes` long. NULL: out of memory, see the cause. */
void *letters_write(letters *x, uint32_t to, uint8_t kind, uint32_t segment, size_t bytes);
void letters_send(letters *x);
/* Something will be written before the next letters_send(). */
static inline void letters_announce(letters *x)
{
    x->waiting++;
}
/* There are some to send, and another domain may go on by them meanwhile. */
static inline int letters_are_awaited(const letters *x)
{
    return x->waiting > 0 && x->to.is_awaited(x->to.data);
}
/* The next letter that has come, *from a domain; NULL: none. It lasts until the next call. */
const letter *letters_read(letters *x, uint32_t *from);
/* letters_read() would find one. */
static inline int letters_have_come(letters *x)
{
    return x->in != NULL || x->to.has_come(x->to.data);
}

#endif
