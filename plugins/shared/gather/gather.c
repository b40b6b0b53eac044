/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See gather.h. Records of a domain travel in letters. The centre says how many bytes it has applied, so that a domain
 * knows how far it is ahead. */
#include "gather.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of letters; lower ones are those of plugins/shared/waits. */
enum { LETTER_RECORDS = 64, LETTER_APPLIED };
enum { RECORD_AT = 0 };                                /* of: the location of the records that follow */
enum { MOST_AHEAD = 4 << 20, LEAST_AHEAD = 64 << 10 }; /* bytes: of all domains, of one */

typedef struct head {
    uint8_t kind;
    uint64_t bytes;
} head;

int gather_is_letter(const void *letter)
{
    return *(const uint8_t *)letter >= LETTER_RECORDS;
}

tcf_status gather_begin(tcf_self *self, gather *g, gather_apply *apply,
                        tcf_status (*told)(tcf_self *self, uint32_t from, const void *letter))
{
    const tcf_domains_host *host = tcf_domains_host_of(self);
    const uint32_t n = host->count(self);

    *g = (gather){.apply = apply, .location = TCF_NONE};
    if (n == 1)
        return TCF_OK;
    g->host = host;
    g->number = host->number(self);
    g->most = MOST_AHEAD / n > LEAST_AHEAD ? MOST_AHEAD / n : LEAST_AHEAD;
    if (g->number == 0 && !(g->of = calloc(n, sizeof *g->of)))
        return self->host->fail(self, "out of memory for %u domains", n);
    host->listen(self, told);
    return TCF_OK;
}

int gather_make_room(tcf_self *self, gather *g, uint32_t location, size_t bytes)
{
    const size_t more = sizeof(head) + sizeof(gather_record) + bytes;

    if (g->n + more > g->capacity) {
        unsigned char *grown = realloc(g->bytes, 2 * (g->n + more));
        if (!grown) {
            self->host->fail(self, "out of memory for what the first domain has to know");
            return -1;
        }
        g->bytes = grown;
        g->capacity = 2 * (g->n + more);
    }
    g->n += g->n == 0 ? sizeof(head) : 0;
    if (location != g->location) {
        g->location = location;
        *(gather_record *)(void *)(g->bytes + g->n) =
            (gather_record){.words = sizeof(gather_record) / 8, .kind = RECORD_AT, .of = location};
        g->n += sizeof(gather_record);
    }
    return 0;
}

tcf_status gather_put_copy(tcf_self *self, gather *g, uint32_t location, uint8_t kind, const void *content,
                           size_t bytes)
{
    gather_record *r = gather_put(self, g, location, kind, sizeof *r + bytes);
    if (!r)
        return TCF_ERROR;
    memcpy(r + 1, content, bytes);
    return TCF_OK;
}

tcf_status gather_tell(tcf_self *self, gather *g)
{
    if (g->n == 0)
        return TCF_OK;
    const head h = {LETTER_RECORDS, g->n - sizeof h};
    memcpy(g->bytes, &h, sizeof h);
    if (g->host->tell(self, 0, g->bytes, g->n) != TCF_OK)
        return TCF_ERROR;
    g->ahead += h.bytes;
    g->n = 0;
    if (g->ahead > g->most)
        g->host->set_short(self, TCF_SHORT_OF_ROOM, 1);
    return TCF_OK;
}

static tcf_status apply_all(tcf_self *self, const gather *g, uint32_t from, const head *h)
{
    const unsigned char *at = (const unsigned char *)(h + 1), *end = at + h->bytes;
    uint32_t n;
    const uint32_t *callpaths = g->host->callpaths(self, from, &n);

    while (at < end) {
        const gather_record *r = (const gather_record *)(const void *)at;
        if (r->kind == RECORD_AT)
            g->of[from].location = r->of;
        else if (g->apply(self, g->of[from].location, r, r->of < n ? callpaths[r->of] : r->of) != TCF_OK)
            return TCF_ERROR;
        at += r->words * 8ul;
    }
    return at == end ? TCF_OK : self->host->fail(self, "a record of domain %u ends behind its letter", from);
}

/* Tells a domain now and then how much of what it has told has been applied. */
static tcf_status acknowledge(tcf_self *self, gather *g, uint32_t to, uint64_t bytes)
{
    g->of[to].applied += bytes;
    if (g->of[to].applied < g->most / 4)
        return TCF_OK;
    const head h = {LETTER_APPLIED, g->of[to].applied};
    g->of[to].applied = 0;
    return g->host->tell(self, to, &h, sizeof h);
}

tcf_status gather_told(tcf_self *self, gather *g, uint32_t from, const void *letter)
{
    const head *h = letter;

    if (h->kind == LETTER_RECORDS)
        return apply_all(self, g, from, h) == TCF_OK ? acknowledge(self, g, from, h->bytes) : TCF_ERROR;
    g->ahead -= h->bytes;
    if (g->ahead <= g->most)
        g->host->set_short(self, TCF_SHORT_OF_ROOM, 0);
    return TCF_OK;
}

tcf_status gather_pack(tcf_self *self, const gather *g, tcf_pack *pack)
{
    const uint64_t bytes = g->n > 0 ? g->n - sizeof(head) : 0;

    self->host->put(pack, &g->number, sizeof g->number);
    self->host->put(pack, &bytes, sizeof bytes);
    if (bytes > 0)
        self->host->put(pack, g->bytes + sizeof(head), bytes);
    return TCF_OK;
}

tcf_status gather_absorb(tcf_self *self, gather *g, tcf_pack *pack)
{
    uint32_t from;
    head h = {.kind = LETTER_RECORDS};

    self->host->take(pack, &from, sizeof from);
    self->host->take(pack, &h.bytes, sizeof h.bytes);
    if (h.bytes == 0)
        return TCF_OK;
    unsigned char *letter = malloc(sizeof h + h.bytes);
    if (!letter)
        return self->host->fail(self, "out of memory for what a domain has recorded last");
    memcpy(letter, &h, sizeof h);
    self->host->take(pack, letter + sizeof h, h.bytes);
    const tcf_status status = apply_all(self, g, from, (const head *)(const void *)letter);
    free(letter);
    return status;
}

void gather_free(gather *g)
{
    free(g->bytes);
    free(g->of);
}
