/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of the exchange, shared by exchange.c (what the scheduler and the filters call), exchange_messages.c
 * (slots) and exchange_instances.c (collectives). Only these files include it. */
#ifndef TCFLOW_FRAMEWORK_EXCHANGE_INTERNAL_H
#define TCFLOW_FRAMEWORK_EXCHANGE_INTERNAL_H

#include "exchange.h"
#include "framework/base/error.h"

#include <string.h>

#define NONE UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)
enum { SLOTS_A_CHUNK = 1024, LINE = 64 /* bytes of the cache */, DOMAIN_BITS = 24, MOST_AFAR = (1 << DOMAIN_BITS) - 1 };

typedef enum slot_state {
    SLOT_SENT,         /* the source has been prepared, and counts when it passes (source_at_leave: at its leave) */
    SLOT_PASSED,       /* the source has passed */
    SLOT_SOURCE_GONE,  /* tombstone: the source was dropped */
    SLOT_RECEIVE_GONE, /* tombstone: the receive was dropped, or has passed unmatched */
    SLOT_CONSUMED      /* taken off its channel's list, but still held */
} slot_state;

/* With a number and 24 bytes of filters it fills a line of the cache. */
typedef struct slot {
    uint32_t next;    /* on its channel, by number */
    uint32_t channel; /* NONE: the slot is free */
    uint64_t number;
    uint32_t to;                 /* the member that will receive the message; NONE: it is none, or nobody will */
    uint32_t age;                /* where exchange.by_age has it: the low bits */
    uint32_t published;          /* a bit a number */
    uint32_t afar : DOMAIN_BITS; /* 1 + the domain of the other side; 0: both sides are here */
    uint32_t state : 3;
    uint32_t holds : 2; /* HOLDS_*: a filter behind the segment still holds the slice with this edge */
    uint32_t answered : 1;
    uint32_t is_post : 1; /* of a receive that was posted */
    uint64_t value[];     /* `publishers` numbers, then the filters' bytes, then with `answers` the target's answer */
} slot;

_Static_assert(EXCHANGE_NUMBERS <= 8 * sizeof((slot *)NULL)->published, "a bit a number");
_Static_assert(sizeof(slot) == 32, "half a line");

enum { HOLDS_SOURCE = 1, HOLDS_TARGET = 2 };

/* The two largest numbers that were published on a side. A member's own source never binds its own
 * target, so the member that published the largest number gets the second largest. */
typedef struct extremes {
    uint64_t latest[2];
    uint32_t latest_rank, n;
} extremes;

/* The two smallest answers of a side's targets, for the same reason. */
typedef struct answers {
    uint64_t least[2];
    uint32_t rank;
} answers;

/* What this domain has seen of a collective whose members are in several domains, and has not told the owner. */
typedef struct untold {
    uint64_t *present;                  /* a bit a member that has arrived */
    uint64_t *ended;                    /* a bit a member that has passed its end */
    uint32_t first_word, last_word;     /* of `present`: those that have bits */
    uint32_t first_ended, last_ended;   /* the same of `ended` */
    uint32_t n_present, n_ended, empty; /* empty: as collective.empty */
    uint32_t source[2], lowest, root, at_end;
    uint64_t first_end;
    extremes *cells; /* as collective.cells */
    uint8_t root_passed, mixed, published, listed;
    uint8_t final; /* nothing is to come behind this; `answered` is there with exchange_options.answers */
    uint32_t n_answers, targets, n_scans;
    answers answer[2];
    uint64_t *answered; /* a bit a member of a scan */
} untold;

/* Which domains have members of a communicator. */
typedef struct comm_domains {
    uint32_t *domain; /* [n], in order */
    uint32_t n;
    uint32_t here; /* members in this domain */
} comm_domains;

typedef struct collective {
    uint64_t number;
    uint32_t channel, comm, index;
    uint32_t size[2], arrived[2]; /* by side of an inter-communicator: begins that are expected; that have come */
    uint32_t ended, ends;
    uint32_t empty;        /* ends with EDGE_EMPTY */
    uint8_t mixed;         /* its members call different operations */
    uint32_t settled[2];   /* by side: so many ranks, from 0 on, have arrived or are absent */
    uint32_t absent[2];    /* by side: members that never come, since they have ended or have no location */
    uint32_t first_absent; /* the lowest rank of an absent member; NONE: no member is known to be absent */
    uint32_t source[2];    /* by side: index of the one member that contributes so far, NONE, or SEVERAL */
    uint32_t at_end;       /* members that have arrived at their end (needs_ends) */
    uint64_t first_end;    /* the earliest time of these ends */
    uint32_t prefix;       /* so many ranks, from 0 on, have all arrived */
    uint32_t woken_prefix; /* of a scan: the prefix at which waiting locations were woken last */
    uint32_t lowest;       /* the lowest rank that contributes so far; NONE: no rank does */
    uint32_t waiter; /* the first location that is parked here; exchange_location.next_waiter leads to the others */
    uint32_t next_free, root;
    uint32_t place;     /* in exchange.open, until it has left */
    uint32_t open_rank; /* with source_at_leave: of the root between its begin and its end */
    uint8_t open_side;
    uint8_t class_, op, phase;
    uint8_t root_passed; /* the begin of a root, or a fork */
    uint8_t any_scan;    /* an end of a scan has come here */
    uint8_t unmatched;   /* at least one member's target passes unmatched */
    uint8_t broken;      /* targets that come later pass unmatched, too */
    uint8_t left;        /* all members have passed their ends */
    uint32_t held;       /* number of its edges in slices that a filter behind the segment still holds */
    uint32_t targets, n_answers;
    answers answer[2];      /* by side */
    uint64_t *scan_answers; /* by member, of scans only */
    uint64_t *present;      /* a bit a member: its begin has passed, or contributes nothing */
    uint64_t *at_end_bit;   /* a bit a member: it has arrived at its end */
    extremes *cells;        /* CELLS x publishers; see cell_of() */
    uint64_t *scan;      /* of scans only, publishers x 3 x members: values; largest and smallest of the ranks before */
    uint8_t *scan_any;   /* of scans only, publishers x members: SCAN_* */
    unsigned char *rows; /* by member: the filters' bytes; see collective_row() */
    uint32_t first_row, after_row; /* others are all 0 */
    untold *untold;                /* NULL: all its members are here */
    /* With `untold`: members of this domain that have arrived or are absent, that are absent, that have passed their
     * ends, that have arrived at them; targets of this domain, and their answers. */
    uint32_t arrived_here, absent_here, ended_here, at_end_here, targets_here, answers_here;
    uint32_t final_domains; /* in the owner: those of which nothing is to come */
    uint8_t has_left,
        is_final;     /* all members of this domain have passed their ends or are absent; have answered, too */
    uint8_t is_owner; /* this is the domain where it is complete when all members have passed their ends */
    uint8_t changed;  /* in the owner: since it has told the others */
    uint8_t told;     /* in the owner: TOLD_* */
    uint8_t all_answered;
} collective;

/* Behind the filters' bytes of each member, where a filter has collective_complete(). */
typedef struct member_mark {
    uint8_t has_ended, class_, op, unused[5];
} member_mark;

static inline uint32_t all_absent(const collective *c)
{
    return c->absent[0] + c->absent[1];
}

/* What the owner of a collective has told the other domains. */
enum { TOLD_ARRIVED = 1, TOLD_ROOT = 2, TOLD_HERE = 4, TOLD_ENDS = 8, TOLD_ANSWERED = 16 };

/* Why a parked target may pass without what it waits for. All targets that are parked at a collective get the same
 * value. */
enum proceed { PROCEED_NOT, PROCEED_WITHOUT_SOURCES, PROCEED_WITHOUT_ENDS };

/* What a letter says of a message. Of LETTER_SENT the numbers and bytes of the slot follow. */
typedef struct message_letter {
    uint32_t comm, a, b, tag; /* the channel */
    uint64_t number;
    uint64_t value; /* LETTER_ANSWER: the answer */
    uint32_t published;
    uint32_t type; /* tcf_channel_type */
} message_letter;

typedef enum letter_kind {
    LETTER_SENT,         /* a source has passed: its slot, for its target */
    LETTER_SOURCE_GONE,  /* a source was dropped */
    LETTER_RECEIVE_GONE, /* a receive was dropped, or has passed unmatched */
    LETTER_CLEAR,        /* LETTER_RECEIVE_GONE has met its source, or the other way round: no tombstone is needed */
    LETTER_ANSWER,       /* of a target to its source */
    LETTER_RECEIVED,     /* so many messages have left their slots */
    LETTER_MEMBERS,      /* members of a collective have arrived, or passed their ends */
    LETTER_PROCEED,      /* ends that wait at a collective pass unmatched */
    LETTER_ENDED         /* locations have ended */
} letter_kind;

typedef struct ended_letter {
    uint32_t n, location[];
} ended_letter;

/* Which collective a letter is about. */
typedef struct collective_letter {
    uint64_t number;
    uint32_t on, a, tag; /* of the channel: its communicator or window */
    uint32_t comm;       /* canonical */
    uint8_t type;        /* tcf_channel_type */
    uint8_t class_, op;
    uint8_t how, lasting; /* LETTER_PROCEED: enum proceed; of exchange_proceed() */
} collective_letter;

/* LETTER_MEMBERS. Either a part, of what a domain has not told before, or the whole of what the owner knows. Behind it,
 * as the counts and bits say: words of `present`; cells; of scans each rank with its bits and numbers; for the owner
 * words of `ended`, and the bytes of each of these members; and answers. */
typedef struct members_letter {
    collective_letter of;
    uint64_t first_end;
    uint32_t source[2], lowest, root, at_end;
    uint32_t first_word, n_words, first_ended, n_ended_words;
    uint32_t n_ended, empty;
    uint32_t n_scan;
    uint8_t root_passed, mixed, has_cells, has_bytes;
    uint8_t is_whole, makes; /* makes: the collective may be new where it comes */
    uint8_t all;             /* all members have arrived or are absent, and there are no words */
    uint8_t has_answers;     /* an answers_part is the last of it, and so many ranks of scans with their answers */
    uint32_t n_scan_answers;
    uint32_t absent[2], first_absent; /* in the whole */
} members_letter;

typedef struct answers_part {
    answers answer[2];
    uint32_t n_answers, targets, n_scans;
    uint32_t final; /* nothing more is to come of the domain; in the whole: all targets have answered */
} answers_part;

/* Bits of collective.scan_any: what is known of a rank of a scan, and of the ranks before it. */
enum { SCAN_HAS_VALUE = 1, SCAN_LATEST_KNOWN = 2, SCAN_LATEST_FOUND = 4 };

/* What a segment knows of a channel of matcher_channel_table(): half a line of the cache. */
typedef struct channel_state {
    _Alignas(LINE / 2) uint32_t head;
    uint32_t tail;   /* slots */
    uint32_t found;  /* the slot that slot_find() has found last, or one behind it */
    uint32_t waiter; /* the first location that is parked here; exchange_location.next_waiter leads to the others */
    uint32_t free_collective; /* the first one that can be used again; collective.next_free has the others */
    uint32_t scattered;       /* so many slots are in exchange.slot_of, and none in the list */
    uint32_t crowd;           /* so many more locations that are parked here are in exchange.waiter_of */
} channel_state;

/* What a segment knows of a location. */
typedef struct exchange_location {
    uint32_t next_waiter;  /* the location that is parked where this one is, behind it */
    uint32_t waiting_rank; /* in the collective that it waits for */
    uint32_t coming;       /* of a member: slots whose `to` it is */
    uint8_t proceed;       /* for the target that it is parked at (enum proceed) */
    uint8_t ended;
} exchange_location;

struct exchange {
    const tcf_definitions *defs;
    matcher *m;
    exchange_options options;
    exchange_counts counts;
    exchange_client client;
    unsigned char **chunks;
    size_t slot_bytes;
    uint64_t most_slots;
    uint32_t n_slots;
    uint32_t *by_age; /* a ring of all messages in flight in the order of their sends; those that have gone stay in it
                         until it is full, so that a message that goes touches no other one */
    uint64_t by_age_mask, oldest, next_age; /* ages, which only grow */
    uint32_t *free_slots;                   /* a stack */
    uint32_t n_free_slots;
    channel_state *channel_states;
    uint32_t n_channel_states;
    collective **collectives;
    uint32_t n_collectives, collectives_capacity;
    uint32_t *open; /* the n_open of them whose members have not all passed their ends, by index */
    uint32_t n_open, open_capacity;
    map collective_of;     /* (channel << 1 | phase, number) */
    map waiter_of;         /* (channel, number) -> location */
    map slot_of;           /* (channel, number) -> slot, of channels whose messages are out of order by many */
    exchange_location *at; /* by location */
    const channel *const *channels;
    uint32_t *live;            /* by location group: locations that have not ended */
    uint32_t *representatives; /* by member of communicators: locations that represent it and have not ended */
    uint32_t *open_root;       /* by location, with source_at_leave: the collective whose root it is and has not left */
    int any_missing;           /* a location has ended, or a communicator has gaps (membership.h) */
    int any_ended;             /* a location has ended, or a member has no location that represents it */
    letters *letters;          /* options.letters */
    uint32_t *under_way;       /* by domain: messages to it that it has not received yet, as far as is known */
    uint32_t *owed;            /* by domain: messages received from it, which it doesn't know yet */
    uint32_t credit;           /* the most that may be under way to a domain */
    uint8_t short_of_credit;
    comm_domains *comm_domains; /* by canonical communicator */
    uint32_t *untold;           /* collectives with something to tell */
    uint32_t n_untold, untold_capacity;
    uint32_t *ended_here; /* locations of this domain that have ended, and of which others have not been told */
    uint32_t n_ended_here, ended_here_capacity;
};

static inline slot *slot_at(const exchange *x, uint32_t i)
{
    return (slot *)(x->chunks[i / SLOTS_A_CHUNK] + (size_t)(i % SLOTS_A_CHUNK) * x->slot_bytes);
}

static inline uint64_t *slot_answer(const exchange *x, slot *s)
{
    return &s->value[x->options.publishers + x->options.message_bytes / sizeof *s->value];
}

static inline void slot_set_answer(const exchange *x, slot *s, uint64_t value)
{
    s->answered = 1;
    *slot_answer(x, s) = value;
}

static inline const channel *channel_at(const exchange *x, uint32_t index)
{
    return &(*x->channels)[index];
}

/* Have all locations ended that represent a member of the communicator? */
static inline int exchange_member_ended(const exchange *x, uint32_t comm, uint32_t member)
{
    return x->defs->comms[comm].paradigm == TCF_PARADIGM_MPI ? x->representatives[member] == 0 : x->at[member].ended;
}

/* Does the edge have a slot or a collective? */
static inline int is_attached(const tcf_edge *e)
{
    return e->slot != TCF_NONE && e->channel != TCF_NONE;
}

/* Has the edge one source and one target? Then it has a slot, and others have a collective. */
static inline int has_slot(const tcf_edge *e)
{
    return tcf_is_message(e) || e->side & EDGE_OF_POST;
}

/* Which group of an inter-communicator. */
static inline uint32_t side_of(const tcf_edge *e)
{
    return e->side & EDGE_GROUP_B;
}

/* Index of a member in the bit sets and arrays: the ranks of group B follow those of group A. */
static inline uint32_t member_index(const exchange *x, const collective *c, const tcf_edge *e)
{
    const tcf_comm *comm = &x->defs->comms[c->comm];
    return side_of(e) && comm->inter ? comm->size + e->rank : e->rank;
}

/* A member's bytes, to be written. A domain sees a few members of many: only their bytes are to be cleared. */
static inline unsigned char *collective_row(const exchange *x, collective *c, uint32_t member)
{
    c->first_row = member < c->first_row ? member : c->first_row;
    c->after_row = member >= c->after_row ? member + 1 : c->after_row;
    return c->rows + (size_t)member * x->options.member_bytes;
}

/* Does one source, the root, release all targets of the class? */
static inline int has_root(uint8_t class_)
{
    return class_ == TCF_CLASS_ONE_TO_N || class_ == TCF_CLASS_FORK;
}

/* Cells of a collective for each number that is published: by side, and apart for roots. In a damaged trace the members
 * of a collective may call different operations. Then the root alone binds ends of one-to-n: which of the others have
 * passed before such an end depends on the schedule. */
enum { CELLS = 4 };

static inline extremes *cell_of(extremes *cells, uint32_t number, int of_root, uint32_t side)
{
    return &cells[CELLS * number + (of_root ? 2 : 0) + side];
}

static inline void wake_all(exchange *x, uint32_t *waiter)
{
    uint32_t location = *waiter;
    *waiter = NONE;
    while (location != NONE) {
        uint32_t next = x->at[location].next_waiter;
        x->client.wake(x->client.data, location);
        location = next;
    }
}

/* Wakes the locations that wait for all ranks below their own, where these are below `arrived`. */
static inline void wake_up_to(exchange *x, uint32_t *waiter, uint32_t arrived)
{
    uint32_t location = *waiter;
    while (location != NONE) {
        uint32_t next = x->at[location].next_waiter;
        if (x->at[location].waiting_rank <= arrived) {
            *waiter = next;
            x->client.wake(x->client.data, location);
        } else {
            waiter = &x->at[location].next_waiter;
        }
        location = next;
    }
}

static inline void park(exchange *x, uint32_t location, uint32_t *waiter)
{
    x->at[location].next_waiter = *waiter;
    *waiter = location;
}

static inline void unpark(exchange *x, uint32_t location, uint32_t *waiter)
{
    while (*waiter != NONE && *waiter != location)
        waiter = &x->at[*waiter].next_waiter;
    if (*waiter == location)
        *waiter = x->at[location].next_waiter;
}

static inline int scan_class(uint8_t class_)
{
    return class_ == TCF_CLASS_SCAN || class_ == TCF_CLASS_EXSCAN;
}

/* exchange.c. NULL: out of memory; see the cause. */
channel_state *exchange_channel_state(exchange *x, uint32_t channel_index);

/* 1 + the domain of a member; 0: it is in this one. */
static inline uint32_t exchange_afar(const exchange *x, uint32_t member)
{
    return x->letters && !letters_is_here(x->letters, member) ? x->letters->of[member] + 1 : 0;
}

/* exchange_letters.c. Out of memory shows in exchange_write_letters(). */
void exchange_tell_sent(exchange *x, const slot *s);
void exchange_tell(exchange *x, letter_kind kind, uint32_t afar, uint32_t channel_index, uint64_t number,
                   uint64_t value);
/* A message from another domain has left its slot. */
void exchange_tell_received(exchange *x, uint32_t afar);
/* A location has ended; others are told before letters are sent the next time. */
void exchange_note_ended(exchange *x, uint32_t location);
void exchange_tell_ended(exchange *x);

/* exchange_messages.c: the functions of exchange.h, for edges of messages. */
exchange_answer exchange_prepare_message(exchange *x, uint32_t location, tcf_edge *e, channel_state *on);
void exchange_pass_message(exchange *x, tcf_edge *e);
tcf_status exchange_proceed_message(exchange *x, uint32_t location, tcf_edge *e, channel_state *on);
void exchange_release_message(exchange *x, const tcf_edge *e);
/* The same for the edges of receives that are posted, and of the sends that may wait for them. */
exchange_answer exchange_prepare_post(exchange *x, uint32_t location, tcf_edge *e, channel_state *on);
void exchange_pass_post(exchange *x, tcf_edge *e);
tcf_status exchange_proceed_post(exchange *x, uint32_t location, tcf_edge *e, channel_state *on);
/* Letters of messages that have come. */
tcf_status exchange_take_message(exchange *x, letter_kind kind, const message_letter *l, uint32_t from);
/* The member has ended: messages to it will not be received, and it will not ask when its own were. */
void exchange_end_messages(exchange *x, uint32_t member);
/* What the member has sent in calls that it never left counts from now on. */
void exchange_pass_unleft(exchange *x, uint32_t member);

/* exchange_members.c: what domains tell each other of a collective. */

/* Makes x->comm_domains. -1: out of memory. */
int exchange_find_domains(exchange *x);
void exchange_free_domains(exchange *x);
/* What is told of a collective of so many members; NULL: out of memory. */
untold *exchange_untold_new(const exchange *x, uint32_t members);
void exchange_untold_free(untold *u);
void exchange_untold_reset(const exchange *x, untold *u, uint32_t members);
int exchange_has_arrived(const collective *c);
void exchange_merge_answers(answers *to, const answers *more);
/* Is the collective complete here when all members have passed their ends? */
int exchange_owns(const exchange *x, const collective *c);
/* Something has happened that others don't know. */
void exchange_note_untold(exchange *x, collective *c);
/* Tells what others wait for. Returns whether something is left. */
int exchange_has_untold(exchange *x);
/* Tells all that is left to owners; and what is left of those collectives which this domain owns. */
void exchange_tell_untold(exchange *x, int of_owner);
/* Tells of the collective what others wait for. Not within a span: its numbers are there when it has been processed. */
void exchange_tell_members(exchange *x, collective *c);
/* It has been held for the last time. */
void exchange_tell_retired(exchange *x, collective *c);
void exchange_tell_proceed(exchange *x, const collective *c, uint8_t how, int lasting);
/* What members of another domain have done. */
void exchange_merge_members(exchange *x, collective *c, const members_letter *l);
/* Nothing more is to come of the members of this domain, and of so many others. */
void exchange_note_final(const exchange *x, collective *c, uint32_t domains);

/* exchange_instances.c: the functions of exchange.h, for edges of collectives. */
void exchange_free_collective(collective *c);
exchange_answer exchange_prepare_member(exchange *x, uint32_t location, uint64_t time, tcf_edge *e);
tcf_status exchange_pass_member(exchange *x, uint32_t location, tcf_edge *e);
/* A location has ended: collectives that waited for it alone are complete. */
tcf_status exchange_end_collectives(exchange *x);
/* The begin of the location's open root (source_at_leave) counts from now on. */
void exchange_leave_root(exchange *x, uint32_t location);
tcf_status exchange_proceed_member(exchange *x, uint32_t location, const tcf_edge *e, int lasting);
void exchange_unpark_member(exchange *x, uint32_t location, const tcf_edge *e);
void exchange_unpark_message(exchange *x, uint32_t location, const tcf_edge *e);
void exchange_release_member(exchange *x, const tcf_edge *e);
/* Letters of collectives that have come. */
tcf_status exchange_take_members(exchange *x, const members_letter *l);
tcf_status exchange_take_proceed(exchange *x, const collective_letter *l);
void exchange_answer_member(exchange *x, const tcf_edge *e, uint64_t value);
int exchange_answered_member(const exchange *x, const tcf_edge *e, uint64_t *value);

#endif
