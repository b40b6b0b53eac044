/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A gather: a filter of several domains that judges in one place (root_cause, critical_path). Each instance makes
 * records of what its own locations do: of each edge, and of what lies between two of them sums alone. The instance in
 * the first domain, the centre, applies the records of all. What others have done comes before what that has made
 * possible, and what a domain has recorded comes in that order, so the centre sees one of the orders that one domain
 * might have seen.
 *
 *     gather_init(self, ns);                          in init()
 *     gather_begin(self, &g, apply, told);            in begin(); `told` listens to letters
 *     if (gather_records(&g)) ... gather_put() ...    where one domain would do it itself
 *     gather_tell(self, &g);                          at the end of each callback that may have recorded something
 *     gather_told(self, &g, from, letter)             in the function that listens, where gather_is_letter()
 *     gather_pack(), gather_absorb()                  in pack() and absorb()
 *
 * Memory is bounded: a domain whose records the centre hasn't applied yet reads no further from a few hundred KiB on.
 */
#ifndef TCFLOW_GATHER_H
#define TCFLOW_GATHER_H

#include <private/domains_host.h>

#include <string.h>

/* The head of a record. `words`: its length, the head included, in words of 8 bytes. `kind`: from 1 on. The filter uses
 * the rest as it likes, `of` for a call path as a rule. Numbers of call paths are those of the domain of their
 * location, see gather_callpath(). */
typedef struct gather_record {
    uint16_t words;
    uint8_t kind, flags;
    uint32_t of;
} gather_record;

typedef struct gather_time {
    gather_record head;
    uint64_t time;
} gather_time;

/* The centre applies a record of a location. callpath: what `of` is here, if it is a call path of the domain that has
 * recorded it. */
typedef tcf_status gather_apply(tcf_self *self, uint32_t location, const gather_record *r, uint32_t callpath);

typedef struct gather {
    const tcf_domains_host *host; /* NULL: all locations are in one domain */
    gather_apply *apply;
    uint32_t number; /* of this domain */
    unsigned char *bytes;
    size_t n, capacity; /* recorded, and not told yet */
    uint64_t ahead;     /* bytes told, and not applied yet, as far as this domain knows */
    uint64_t most;      /* of these */
    uint32_t location;  /* of the last record */
    struct gathered {
        uint64_t applied; /* bytes that the domain has not been told of yet */
        uint32_t location;
    } * of; /* the centre: by domain */
} gather;

/* Does this instance make records, instead of judging itself? */
static inline int gather_records(const gather *g)
{
    return g->host && g->number > 0;
}

/* A call path of the centre by that which `location` has in its own domain. */
static inline uint32_t gather_callpath(const tcf_self *self, const gather *g, uint32_t location, uint32_t callpath)
{
    return g->host && location < self->defs->n_locations
               ? tcf_callpath_here(self, g->host->of(self, location), callpath)
               : callpath;
}

/* ns: about so long the centre takes for an event of another domain. */
static inline void gather_init(tcf_self *self, uint32_t ns)
{
    tcf_domains_host_of(self)->gather(self, ns);
}

tcf_status gather_begin(tcf_self *self, gather *g, gather_apply *apply,
                        tcf_status (*told)(tcf_self *self, uint32_t from, const void *letter));
/* Room for a record of so many bytes about a location, which those in front of it may not be about. -1: out of memory.
 */
int gather_make_room(tcf_self *self, gather *g, uint32_t location, size_t bytes);
/* A record of so many bytes with its head: zeros but for `words` and `kind`. It is valid until the next call. NULL: out
 * of memory, which is recorded as a failure of the filter. */
static inline void *gather_put(tcf_self *self, gather *g, uint32_t location, uint8_t kind, size_t bytes)
{
    const size_t whole = (bytes + 7) & ~(size_t)7;
    const int has_room = g->n > 0 && g->n + whole <= g->capacity && g->location == location;
    if (__builtin_expect(!has_room, 0) && gather_make_room(self, g, location, whole) != 0)
        return NULL;
    gather_record *r = (gather_record *)(void *)(g->bytes + g->n);
    memset(r, 0, whole);
    r->words = (uint16_t)(whole / 8);
    r->kind = kind;
    g->n += whole;
    return r;
}

/* A record of a time. */
static inline tcf_status gather_put_time(tcf_self *self, gather *g, uint32_t location, uint8_t kind, uint32_t of,
                                         uint64_t time)
{
    gather_time *r = gather_put(self, g, location, kind, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->head.of = of;
    r->time = time;
    return TCF_OK;
}

/* A record of its content alone, a multiple of 8 bytes behind the head. */
tcf_status gather_put_copy(tcf_self *self, gather *g, uint32_t location, uint8_t kind, const void *content,
                           size_t bytes);
/* What has been recorded since the last time; the centre applies all of that before anything else. */
tcf_status gather_tell(tcf_self *self, gather *g);
int gather_is_letter(const void *letter);
tcf_status gather_told(tcf_self *self, gather *g, uint32_t from, const void *letter);
/* What has been recorded since the last location ended. */
tcf_status gather_pack(tcf_self *self, const gather *g, tcf_pack *pack);
tcf_status gather_absorb(tcf_self *self, gather *g, tcf_pack *pack);
void gather_free(gather *g);

#endif
