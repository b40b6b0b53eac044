/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collectives whose members are in several domains. Each of these domains has the collective, and tells the others what
 * its own members have done since it last told them: who has arrived, and the extremes of what they have published. So
 * each of them sees, in the end, what one domain would see. Who has passed the end is told to one domain alone, the
 * owner, where the collective is complete. A domain tells when all its members have arrived, when a root has, when it
 * has nothing to run, and before it tells that a location has ended. */
#include "exchange_internal.h"

#include <stdlib.h>
#include <tcflow/grow.h>

/* -------------------------------------------------------------------------------------- members and their domains --
 */

static uint32_t location_of(const tcf_comm *c, uint32_t p)
{
    return p < c->size ? c->location[p] : c->remote_location[p - c->size];
}

static int find_domains(const exchange *x, const tcf_comm *c, uint32_t *seen, uint32_t mark, comm_domains *found)
{
    const letters *to = x->letters;
    const uint32_t members = membership_size(c);
    for (int fill = 0; fill < 2; fill++, mark++) {
        found->n = 0;
        for (uint32_t p = 0; p < members; p++) {
            const uint32_t l = location_of(c, p);
            if (l >= x->defs->n_locations)
                continue;
            found->here += fill && letters_is_here(to, l);
            if (seen[to->of[l]] == mark)
                continue;
            seen[to->of[l]] = mark;
            if (fill)
                found->domain[found->n] = to->of[l];
            found->n++;
        }
        if (!fill && !(found->domain = malloc((found->n + 1u) * sizeof *found->domain)))
            return -1;
    }
    return 0;
}

int exchange_find_domains(exchange *x)
{
    uint32_t *seen = calloc(x->letters->n, sizeof *seen);
    int failed = !seen || !(x->comm_domains = calloc(x->defs->n_comms + 1u, sizeof *x->comm_domains));
    for (uint32_t k = 0; !failed && k < x->defs->n_comms; k++) {
        const tcf_comm *c = &x->defs->comms[k];
        if (c->canonical == k && !c->self)
            failed = find_domains(x, c, seen, 2 * k + 1, &x->comm_domains[k]);
    }
    free(seen);
    return failed ? -1 : 0;
}

void exchange_free_domains(exchange *x)
{
    for (uint32_t k = 0; x->comm_domains && k < x->defs->n_comms; k++)
        free(x->comm_domains[k].domain);
    free(x->comm_domains);
    free(x->untold);
}

/* All domains agree. */
static uint32_t owner_of(const exchange *x, const collective *c)
{
    const comm_domains *d = &x->comm_domains[c->comm];
    return d->domain[(c->number + c->comm) % d->n];
}

int exchange_owns(const exchange *x, const collective *c)
{
    return owner_of(x, c) == x->letters->me;
}

/* --------------------------------------------------------------------------------------------------- what is untold --
 */

static size_t words_of(uint32_t members)
{
    return members / 64u + 1u;
}

static size_t cells_of(const exchange *x)
{
    return (size_t)CELLS * x->options.publishers;
}

void exchange_untold_free(untold *u)
{
    if (!u)
        return;
    free(u->present);
    free(u->ended);
    free(u->cells);
    free(u->answered);
    free(u);
}

untold *exchange_untold_new(const exchange *x, uint32_t members)
{
    untold *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->present = calloc(words_of(members), sizeof *u->present);
    u->ended = calloc(words_of(members), sizeof *u->ended);
    u->cells = calloc(cells_of(x) + 1, sizeof *u->cells);
    if (x->options.answers)
        u->answered = calloc(words_of(members), sizeof *u->answered);
    u->first_word = u->first_ended = 0;
    u->last_word = u->last_ended = (uint32_t)words_of(members) - 1;
    if (u->present && u->ended && u->cells && (u->answered || !x->options.answers))
        return u;
    exchange_untold_free(u);
    return NULL;
}

/* Nothing is untold. */
void exchange_untold_reset(const exchange *x, untold *u, uint32_t members)
{
    for (uint32_t k = u->first_word; k <= u->last_word && k != NONE; k++)
        u->present[k] = 0;
    for (uint32_t k = u->first_ended; k <= u->last_ended && k != NONE; k++)
        u->ended[k] = 0;
    if (u->n_scans > 0)
        memset(u->answered, 0, words_of(members) * sizeof *u->answered);
    if (u->published)
        memset(u->cells, 0, cells_of(x) * sizeof *u->cells);
    const uint32_t targets = u->has_answers ? 0 : u->targets; /* told together with answers */
    *u = (untold){.present = u->present,
                  .ended = u->ended,
                  .cells = u->cells,
                  .answered = u->answered,
                  .targets = targets,
                  .answer = {{{UINT64_MAX, UINT64_MAX}, NONE}, {{UINT64_MAX, UINT64_MAX}, NONE}},
                  .first_word = NONE,
                  .first_ended = NONE,
                  .source = {NONE, NONE},
                  .lowest = NONE,
                  .root = TCF_NONE,
                  .first_end = UINT64_MAX,
                  .listed = u->listed};
}

void exchange_note_untold(exchange *x, collective *c)
{
    if (c->untold->listed)
        return;
    if (TCF_GROW(&x->untold, &x->untold_capacity, x->n_untold) != 0) {
        x->letters->out_of_memory = 1;
        return;
    }
    c->untold->listed = 1;
    x->untold[x->n_untold++] = c->index;
}

/* ------------------------------------------------------------------------------------------------------- letters -- */

static collective_letter describe_collective(const exchange *x, const collective *c)
{
    const channel *on = channel_at(x, c->channel);
    return (collective_letter){.number = c->number,
                               .on = on->comm,
                               .a = on->a,
                               .tag = on->tag,
                               .comm = c->comm,
                               .type = on->type,
                               .class_ = c->class_,
                               .op = c->op};
}

/* Bytes of a rank of a scan in a letter: the rank, a bit a number, the numbers. */
static size_t scan_bytes(const exchange *x)
{
    return (1 + (size_t)x->options.publishers) * sizeof(uint64_t);
}

/* Has the rank of a scan published numbers? A bit each. */
static uint32_t scan_bits(const exchange *x, const collective *c, uint32_t rank)
{
    const size_t n = membership_size(&x->defs->comms[c->comm]);
    uint32_t bits = 0;
    for (uint32_t k = 0; c->scan && k < x->options.publishers; k++)
        bits |= (uint32_t)(c->scan_any[k * n + rank] & SCAN_HAS_VALUE) << k;
    return bits;
}

static unsigned char *write_scan(const exchange *x, const collective *c, uint32_t rank, unsigned char *to)
{
    const size_t n = membership_size(&x->defs->comms[c->comm]);
    const uint32_t head[2] = {rank, scan_bits(x, c, rank)};
    memcpy(to, head, sizeof head);
    to += sizeof head;
    for (uint32_t k = 0; k < x->options.publishers; k++, to += sizeof *c->scan)
        memcpy(to, &c->scan[k * 2 * n + rank], sizeof *c->scan);
    return to;
}

/* The first set bit from *p on, in words up to `last`; 0: there is none. */
static int find_bit(const uint64_t *bits, uint32_t last, uint32_t *p)
{
    uint32_t w = *p / 64;
    uint64_t word = w <= last ? bits[w] >> *p % 64 << *p % 64 : 0;
    while (word == 0 && ++w <= last)
        word = bits[w];
    *p = w * 64 + (uint32_t)__builtin_ctzll(word | 1ull << 63);
    return word != 0;
}

static uint32_t count_scans(const exchange *x, const collective *c)
{
    const untold *u = c->untold;
    uint32_t n = 0, p;
    if (c->scan)
        for (p = 64 * u->first_word; find_bit(u->present, u->last_word, &p); p++)
            n += scan_bits(x, c, p) != 0;
    return n;
}

/* The ranks of a scan that have answered, with their answers. */
static unsigned char *write_answers(const exchange *x, const collective *c, unsigned char *to)
{
    const untold *u = c->untold;
    const answers_part part = {.answer = {u->answer[0], u->answer[1]},
                               .n_answers = u->n_answers,
                               .targets = u->targets,
                               .left = u->left,
                               .n_scans = u->n_scans};
    uint32_t p;
    memcpy(to, &part, sizeof part);
    to += sizeof part;
    const uint32_t last = (uint32_t)words_of(membership_size(&x->defs->comms[c->comm])) - 1;
    if (u->n_scans > 0)
        for (p = 0; find_bit(u->answered, last, &p); p++) {
            const uint64_t entry[2] = {p, c->scan_answers[p]};
            memcpy(to, entry, sizeof entry);
            to += sizeof entry;
        }
    return to;
}

/* For one domain; `ends`: it is the owner, and some members have passed their ends. */
static void tell(exchange *x, const collective *c, uint32_t to, int ends, uint32_t n_scan)
{
    const untold *u = c->untold;
    const size_t bytes = x->options.completes ? x->options.member_bytes : 0;
    members_letter head = {.of = describe_collective(x, c),
                           .first_end = u->first_end,
                           .source = {u->source[0], u->source[1]},
                           .lowest = u->lowest,
                           .root = u->root,
                           .at_end = u->at_end,
                           .first_word = u->first_word,
                           .n_words = u->n_present > 0 ? u->last_word - u->first_word + 1 : 0,
                           .n_scan = n_scan,
                           .root_passed = u->root_passed,
                           .has_cells = u->published,
                           .has_answers = u->has_answers,
                           .n_scan_answers = u->n_scans};
    if (ends) {
        head.first_ended = u->first_ended;
        head.n_ended_words = u->last_ended - u->first_ended + 1;
        head.n_ended = u->n_ended;
        head.empty = u->empty;
        head.mixed = u->mixed;
        head.has_bytes = bytes > 0;
    }
    const size_t cells = head.has_cells ? cells_of(x) * sizeof *u->cells : 0;
    const size_t all = sizeof head + 8 * (size_t)(head.n_words + head.n_ended_words) + cells + n_scan * scan_bytes(x) +
                       (head.has_bytes ? head.n_ended * bytes : 0) +
                       (head.has_answers ? sizeof(answers_part) + u->n_scans * 2 * sizeof(uint64_t) : 0);
    unsigned char *at = letters_write(x->letters, to, LETTER_MEMBERS, x->options.segment, all);
    uint32_t p;
    if (!at)
        return;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    if (head.n_words > 0)
        memcpy(at, u->present + head.first_word, 8 * (size_t)head.n_words);
    at += 8 * (size_t)head.n_words;
    if (cells > 0)
        memcpy(at, u->cells, cells);
    at += cells;
    if (n_scan > 0)
        for (p = 64 * u->first_word; find_bit(u->present, u->last_word, &p); p++)
            if (scan_bits(x, c, p))
                at = write_scan(x, c, p, at);
    if (ends)
        memcpy(at, u->ended + head.first_ended, 8 * (size_t)head.n_ended_words);
    at += 8 * (size_t)head.n_ended_words;
    if (head.has_bytes)
        for (p = 64 * u->first_ended; find_bit(u->ended, u->last_ended, &p); p++) {
            memcpy(at, c->members + p * bytes, bytes);
            at += bytes;
        }
    if (head.has_answers)
        write_answers(x, c, at);
}

void exchange_tell_members(exchange *x, collective *c)
{
    untold *u = c->untold;
    const comm_domains *d = &x->comm_domains[c->comm];
    const int arrivals = u->n_present > 0 || u->source[0] != NONE || u->source[1] != NONE || u->at_end > 0 ||
                         u->published || u->root_passed || u->has_answers;
    const uint32_t owner = owner_of(x, c), n_scan = arrivals ? count_scans(x, c) : 0;
    if (!arrivals && u->n_ended == 0)
        return;
    for (uint32_t k = 0; k < d->n; k++) {
        const int ends = d->domain[k] == owner && u->n_ended > 0;
        if (d->domain[k] != x->letters->me && (arrivals || ends))
            tell(x, c, d->domain[k], ends, n_scan);
    }
    exchange_untold_reset(x, u, membership_size(&x->defs->comms[c->comm]));
}

void exchange_tell_untold(exchange *x)
{
    for (uint32_t k = 0; k < x->n_untold; k++) {
        collective *c = x->collectives[x->untold[k]];
        c->untold->listed = 0;
        exchange_tell_members(x, c);
    }
    x->n_untold = 0;
}

void exchange_tell_proceed(exchange *x, const collective *c, uint8_t how, int lasting)
{
    const comm_domains *d = &x->comm_domains[c->comm];
    for (uint32_t k = 0; c->untold && k < d->n; k++) {
        if (d->domain[k] == x->letters->me)
            continue;
        collective_letter *l = letters_write(x->letters, d->domain[k], LETTER_PROCEED, x->options.segment, sizeof *l);
        if (!l)
            return;
        *l = describe_collective(x, c);
        l->how = how;
        l->lasting = lasting != 0;
    }
}

/* ------------------------------------------------------------------------------------------------- what has come -- */

void exchange_merge_answers(answers *to, const answers *more)
{
    const int smaller = more->least[0] < to->least[0];
    const answers *first = smaller ? more : to, *other = smaller ? to : more;
    answers both = *first;
    if (other->least[0] < both.least[1])
        both.least[1] = other->least[0];
    *to = both;
}

static void merge_cells(extremes *to, const extremes *more)
{
    if (more->n == 0)
        return;
    if (to->n == 0) {
        *to = *more;
        return;
    }
    const int larger = more->latest[0] > to->latest[0];
    const extremes *first = larger ? more : to, *other = larger ? to : more;
    extremes both = *first;
    if (first->n == 1 || other->latest[0] > first->latest[1])
        both.latest[1] = other->latest[0];
    both.n = to->n + more->n;
    *to = both;
}

static const unsigned char *take_scans(const exchange *x, collective *c, uint32_t n_scan, const unsigned char *from)
{
    const size_t n = membership_size(&x->defs->comms[c->comm]);
    for (uint32_t i = 0; i < n_scan; i++) {
        uint32_t head[2];
        memcpy(head, from, sizeof head);
        from += sizeof head;
        for (uint32_t k = 0; k < x->options.publishers; k++, from += sizeof *c->scan)
            if (head[1] >> k & 1) {
                memcpy(&c->scan[k * 2 * n + head[0]], from, sizeof *c->scan);
                c->scan_any[k * n + head[0]] |= SCAN_HAS_VALUE;
            }
    }
    return from;
}

static const unsigned char *take_present(const exchange *x, collective *c, const members_letter *l,
                                         const unsigned char *from)
{
    const tcf_comm *comm = &x->defs->comms[c->comm];
    for (uint32_t k = 0; k < l->n_words; k++, from += 8) {
        uint64_t word;
        const uint32_t w = l->first_word + k, first = w * 64;
        memcpy(&word, from, sizeof word);
        word &= ~c->present[w];
        c->present[w] |= word;
        /* Bits below the first rank of group B are of side 0. */
        const uint64_t of_a = comm->size >= first + 64 ? word
                              : comm->size <= first    ? 0
                                                       : word & ((1ull << (comm->size - first)) - 1);
        c->arrived[0] += (uint32_t)__builtin_popcountll(of_a);
        c->arrived[1] += (uint32_t)__builtin_popcountll(word & ~of_a);
    }
    while (c->prefix < c->size[0]) {
        const uint32_t run = (uint32_t)__builtin_ctzll(~(c->present[c->prefix / 64] >> c->prefix % 64) | 1ull << 63);
        c->prefix += run;
        if (run == 0)
            break;
    }
    if (c->prefix > c->size[0])
        c->prefix = c->size[0];
    return from;
}

static const unsigned char *take_ended(const exchange *x, collective *c, const members_letter *l,
                                       const unsigned char *from)
{
    const uint64_t *words = (const uint64_t *)(const void *)from;
    const size_t bytes = x->options.member_bytes;
    uint32_t p;
    from += 8 * (size_t)l->n_ended_words;
    for (uint32_t w = 0; l->has_bytes && w < l->n_ended_words; w++)
        for (uint64_t b = words[w]; b; b &= b - 1) {
            p = (l->first_ended + w) * 64 + (uint32_t)__builtin_ctzll(b);
            memcpy(c->members + p * bytes, from, bytes);
            from += bytes;
        }
    c->ended += l->n_ended;
    c->empty += l->empty;
    c->mixed |= l->mixed || (l->n_ended > 0 && l->of.op != c->op);
    return from;
}

static void take_answers(collective *c, const unsigned char *from)
{
    answers_part part;
    memcpy(&part, from, sizeof part);
    from += sizeof part;
    c->n_answers += part.n_answers;
    c->targets += part.targets;
    c->left_domains += part.left;
    for (int side = 0; side < 2; side++)
        exchange_merge_answers(&c->answer[side], &part.answer[side]);
    for (uint32_t i = 0; i < part.n_scans; i++, from += 2 * sizeof(uint64_t)) {
        uint64_t entry[2];
        memcpy(entry, from, sizeof entry);
        c->scan_answers[entry[0]] = entry[1];
    }
}

static uint32_t either(uint32_t a, uint32_t b)
{
    return a == NONE ? b : b == NONE || a == b ? a : SEVERAL;
}

void exchange_merge_members(exchange *x, collective *c, const members_letter *l)
{
    const unsigned char *from = (const unsigned char *)(l + 1);
    from = take_present(x, c, l, from);
    for (size_t k = 0; l->has_cells && k < cells_of(x); k++, from += sizeof(extremes))
        merge_cells(&c->cells[k], (const extremes *)(const void *)from);
    from = take_scans(x, c, l->n_scan, from);
    from = take_ended(x, c, l, from);
    if (l->has_answers)
        take_answers(c, from);
    for (int side = 0; side < 2; side++)
        c->source[side] = either(c->source[side], l->source[side]);
    c->lowest = l->lowest < c->lowest ? l->lowest : c->lowest;
    if (l->root_passed) {
        c->root_passed = 1;
        c->root = l->root;
    }
    c->at_end += l->at_end;
    c->first_end = l->first_end < c->first_end ? l->first_end : c->first_end;
}
