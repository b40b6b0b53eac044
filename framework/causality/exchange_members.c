/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collectives whose members are in several domains. Each of these domains has the collective, and tells one of them,
 * the owner, what its own members have done: who has arrived, the extremes of what they have published, who has passed
 * the end, answers. The owner merges that and tells the others the whole of it. So each of them sees, in the end, what
 * one domain would see. A domain tells when all its members have come so far, and the owner when all of all domains
 * have: that is three letters for each domain but the owner. A root, and ranks of scans, are told to all domains at
 * once, since they release ends before all members have arrived. What has been merged may be merged once more.
 *
 * What is not complete is told before a location ends, and where no domain has anything to run. Who is absent is found
 * by the owner: it knows all that a location has done when it learns of its end. */
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

/* Of the answers nothing is untold. */
static void reset_answers(untold *u, uint32_t members)
{
    if (u->n_scans > 0)
        memset(u->answered, 0, words_of(members) * sizeof *u->answered);
    u->n_answers = u->targets = u->n_scans = 0;
    u->final = 0;
    for (int side = 0; side < 2; side++)
        u->answer[side] = (answers){{UINT64_MAX, UINT64_MAX}, NONE};
}

/* Of who has arrived, and passed the end, nothing is untold. */
static void reset_members(const exchange *x, untold *u)
{
    for (uint32_t k = u->first_word; k <= u->last_word && k != NONE; k++)
        u->present[k] = 0;
    for (uint32_t k = u->first_ended; k <= u->last_ended && k != NONE; k++)
        u->ended[k] = 0;
    if (u->published)
        memset(u->cells, 0, cells_of(x) * sizeof *u->cells);
    u->first_word = u->first_ended = u->source[0] = u->source[1] = u->lowest = NONE;
    u->last_word = u->last_ended = 0;
    u->n_present = u->n_ended = u->empty = u->at_end = 0;
    u->root = TCF_NONE;
    u->first_end = UINT64_MAX;
    u->root_passed = u->mixed = u->published = 0;
}

/* Nothing is untold. */
void exchange_untold_reset(const exchange *x, untold *u, uint32_t members)
{
    reset_members(x, u);
    reset_answers(u, members);
}

void exchange_note_untold(exchange *x, collective *c)
{
    c->changed = 1;
    if (c->untold->listed)
        return;
    if (TCF_GROW(&x->untold, &x->untold_capacity, x->n_untold) != 0) {
        x->letters->out_of_memory = 1;
        return;
    }
    c->untold->listed = 1;
    x->untold[x->n_untold++] = c->index;
}

static int arrivals_are_untold(const untold *u)
{
    return u->n_present > 0 || u->source[0] != NONE || u->source[1] != NONE || u->published || u->root_passed;
}

static int members_are_untold(const untold *u)
{
    return arrivals_are_untold(u) || u->at_end > 0 || u->n_ended > 0;
}

static int answers_are_untold(const untold *u)
{
    return u->targets > 0 || u->n_answers > 0 || u->final;
}

int exchange_has_arrived(const collective *c)
{
    return c->arrived[0] >= c->size[0] && c->arrived[1] >= c->size[1];
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

static uint32_t count_scans(const exchange *x, const collective *c, const uint64_t *bits, uint32_t first, uint32_t last)
{
    uint32_t n = 0, p;
    if (c->scan)
        for (p = 64 * first; find_bit(bits, last, &p); p++)
            n += scan_bits(x, c, p) != 0;
    return n;
}

static unsigned char *write_scans(const exchange *x, const collective *c, const uint64_t *bits, uint32_t first,
                                  uint32_t last, unsigned char *to)
{
    uint32_t p;
    for (p = 64 * first; find_bit(bits, last, &p); p++)
        if (scan_bits(x, c, p))
            to = write_scan(x, c, p, to);
    return to;
}

static unsigned char *append(unsigned char *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
    return to + bytes;
}

/* The ranks of a scan that have answered, with their answers. bits NULL: all. */
static void write_scan_answers(const exchange *x, const collective *c, const uint64_t *bits, unsigned char *to)
{
    const uint32_t members = membership_size(&x->defs->comms[c->comm]);
    for (uint32_t p = 0; p < members; p++) {
        const uint64_t entry[2] = {p, c->scan_answers[p]};
        if (!bits || bits[p / 64] >> p % 64 & 1)
            to = append(to, entry, sizeof entry);
    }
}

/* What is untold goes to one domain. */
static void tell_part(exchange *x, const collective *c, uint32_t to, int is_to_owner, int with_answers)
{
    const untold *u = c->untold;
    const size_t bytes = x->options.completes ? x->options.member_bytes : 0;
    members_letter head = {.of = describe_collective(x, c),
                           .first_end = u->first_end,
                           .source = {u->source[0], u->source[1]},
                           .lowest = u->lowest,
                           .root = u->root,
                           .first_word = u->first_word,
                           .n_words = u->n_present > 0 ? u->last_word - u->first_word + 1 : 0,
                           .n_scan = u->n_present > 0 ? count_scans(x, c, u->present, u->first_word, u->last_word) : 0,
                           .root_passed = u->root_passed,
                           .has_cells = u->published,
                           .makes = arrivals_are_untold(u) || u->at_end > 0 || u->n_ended > 0,
                           .has_answers = is_to_owner && with_answers,
                           .n_scan_answers = is_to_owner && with_answers ? u->n_scans : 0};
    if (is_to_owner)
        head.at_end = u->at_end;
    if (is_to_owner && u->n_ended > 0) {
        head.first_ended = u->first_ended;
        head.n_ended_words = u->last_ended - u->first_ended + 1;
        head.n_ended = u->n_ended;
        head.empty = u->empty;
        head.mixed = u->mixed;
        head.has_bytes = bytes > 0;
    }
    const size_t cells = head.has_cells ? cells_of(x) * sizeof *u->cells : 0;
    const size_t all = sizeof head + 8 * (size_t)(head.n_words + head.n_ended_words) + cells +
                       head.n_scan * scan_bytes(x) + (head.has_bytes ? head.n_ended * bytes : 0) +
                       (head.has_answers ? sizeof(answers_part) + u->n_scans * 2 * sizeof(uint64_t) : 0);
    unsigned char *at = letters_write(x->letters, to, LETTER_MEMBERS, x->options.segment, all);
    uint32_t p;
    if (!at)
        return;
    at = append(at, &head, sizeof head);
    if (head.n_words > 0)
        at = append(at, u->present + head.first_word, 8 * (size_t)head.n_words);
    at = append(at, u->cells, cells);
    if (head.n_scan > 0)
        at = write_scans(x, c, u->present, u->first_word, u->last_word, at);
    if (head.n_ended_words > 0)
        at = append(at, u->ended + head.first_ended, 8 * (size_t)head.n_ended_words);
    if (head.has_bytes)
        for (p = 64 * u->first_ended; find_bit(u->ended, u->last_ended, &p); p++)
            at = append(at, c->rows + p * bytes, bytes);
    if (!head.has_answers)
        return;
    const answers_part part = {.answer = {u->answer[0], u->answer[1]},
                               .n_answers = u->n_answers,
                               .targets = u->targets,
                               .n_scans = u->n_scans,
                               .final = u->final};
    at = append(at, &part, sizeof part);
    if (u->n_scans > 0)
        write_scan_answers(x, c, u->answered, at);
}

/* A domain that isn't the owner. */
static void tell_owner(exchange *x, collective *c, int with_answers)
{
    untold *u = c->untold;
    const comm_domains *d = &x->comm_domains[c->comm];
    const uint32_t owner = owner_of(x, c), members = membership_size(&x->defs->comms[c->comm]);
    const int to_all = (u->root_passed || c->any_scan) && arrivals_are_untold(u);
    with_answers = with_answers && answers_are_untold(u);
    if (!members_are_untold(u) && !with_answers)
        return;
    for (uint32_t k = 0; to_all && k < d->n; k++)
        if (d->domain[k] != owner && d->domain[k] != x->letters->me)
            tell_part(x, c, d->domain[k], 0, 0);
    tell_part(x, c, owner, 1, with_answers);
    if (to_all) /* at once: what the owner tells comes behind it */
        letters_send(x->letters);
    reset_members(x, u);
    if (with_answers)
        reset_answers(u, members);
}

/* May a domain not have the collective yet? When all members have arrived one that doesn't have it has left it, or all
 * of its members are absent: it has to say that nothing will be answered there. */
static uint8_t may_be_new(const exchange *x, const collective *c, int all)
{
    return !all || (x->options.answers && all_absent(c) > 0 && !(c->told & TOLD_ARRIVED));
}

/* The owner tells one domain all that it knows. */
static void write_whole(exchange *x, const collective *c, uint32_t to, int with_answers)
{
    const uint32_t members = membership_size(&x->defs->comms[c->comm]);
    const int all = exchange_has_arrived(c);
    const uint32_t last = (uint32_t)words_of(members) - 1;
    members_letter head = {.of = describe_collective(x, c),
                           .first_end = c->first_end,
                           .source = {c->source[0], c->source[1]},
                           .lowest = c->lowest,
                           .root = c->root,
                           .at_end = c->at_end,
                           .n_words = all ? 0 : last + 1,
                           .n_scan = count_scans(x, c, c->present, 0, last),
                           .root_passed = c->root_passed,
                           .is_whole = 1,
                           .makes = may_be_new(x, c, all),
                           .all = (uint8_t)all,
                           .has_answers = (uint8_t)(with_answers != 0),
                           .n_scan_answers = with_answers && c->scan_answers ? members : 0,
                           .absent = {c->absent[0], c->absent[1]},
                           .first_absent = c->first_absent};
    for (size_t k = 0; k < cells_of(x); k++)
        head.has_cells |= c->cells[k].n > 0;
    const size_t cells = head.has_cells ? cells_of(x) * sizeof *c->cells : 0;
    const size_t bytes = sizeof head + 8 * (size_t)head.n_words + cells + head.n_scan * scan_bytes(x) +
                         (with_answers ? sizeof(answers_part) + head.n_scan_answers * 2 * sizeof(uint64_t) : 0);
    unsigned char *at = letters_write(x->letters, to, LETTER_MEMBERS, x->options.segment, bytes);
    if (!at)
        return;
    at = append(at, &head, sizeof head);
    at = append(at, c->present, 8 * (size_t)head.n_words);
    at = append(at, c->cells, cells);
    if (head.n_scan > 0)
        at = write_scans(x, c, c->present, 0, last, at);
    if (!with_answers)
        return;
    const answers_part part = {.answer = {c->answer[0], c->answer[1]},
                               .n_scans = head.n_scan_answers,
                               .final = c->all_answered};
    at = append(at, &part, sizeof part);
    if (part.n_scans > 0)
        write_scan_answers(x, c, NULL, at);
}

static void tell_whole(exchange *x, collective *c, int with_answers)
{
    const comm_domains *d = &x->comm_domains[c->comm];
    for (uint32_t k = 0; k < d->n; k++)
        if (d->domain[k] != x->letters->me)
            write_whole(x, c, d->domain[k], with_answers);
    c->changed = 0;
}

/* What others wait for, as far as the owner knows it: TOLD_*. */
static uint8_t known(const exchange *x, const collective *c)
{
    const comm_domains *d = &x->comm_domains[c->comm];
    uint8_t what = 0;
    if (exchange_has_arrived(c))
        what |= TOLD_ARRIVED;
    if (c->root_passed)
        what |= TOLD_ROOT;
    if (c->any_scan && c->arrived_here >= d->here)
        what |= TOLD_HERE;
    if (c->at_end > 0 && c->at_end + all_absent(c) >= c->ends)
        what |= TOLD_ENDS;
    if (c->all_answered)
        what |= TOLD_ANSWERED;
    return what;
}

/* Is a domain that isn't the owner to tell what it has? */
static int is_due(const exchange *x, const collective *c)
{
    const untold *u = c->untold;
    const uint32_t here = x->comm_domains[c->comm].here;
    return u->root_passed || u->final || (arrivals_are_untold(u) && c->arrived_here >= here) ||
           (u->at_end > 0 && c->at_end_here + c->absent_here >= here) || (u->n_ended > 0 && c->has_left);
}

void exchange_tell_members(exchange *x, collective *c)
{
    if (!c->is_owner) {
        if (is_due(x, c))
            tell_owner(x, c, c->untold->final);
        return;
    }
    const uint8_t what = known(x, c);
    if (what & ~c->told)
        tell_whole(x, c, what & TOLD_ANSWERED);
    c->told |= what;
}

/* Has the owner something to tell, or a domain the owner? */
static int is_untold(const exchange *x, const collective *c)
{
    if (!c->is_owner)
        return members_are_untold(c->untold) || (x->options.answers && answers_are_untold(c->untold));
    return c->changed && (!(c->told & TOLD_ARRIVED) || (x->options.answers && !(c->told & TOLD_ANSWERED)));
}

int exchange_has_untold(exchange *x)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < x->n_untold; k++) {
        collective *c = x->collectives[x->untold[k]];
        exchange_tell_members(x, c);
        c->untold->listed = (uint8_t)is_untold(x, c);
        if (c->untold->listed)
            x->untold[left++] = c->index;
    }
    x->n_untold = left;
    return left > 0;
}

void exchange_tell_untold(exchange *x, int of_owner)
{
    for (uint32_t k = 0; k < x->n_untold; k++) {
        collective *c = x->collectives[x->untold[k]];
        exchange_tell_members(x, c);
        if (!is_untold(x, c))
            continue;
        if (!c->is_owner)
            tell_owner(x, c, x->options.answers);
        else if (of_owner)
            tell_whole(x, c, x->options.answers);
    }
}

void exchange_note_final(const exchange *x, collective *c, uint32_t domains)
{
    c->final_domains += domains;
    if (c->final_domains == x->comm_domains[c->comm].n && c->n_answers == c->targets)
        c->all_answered = 1;
}

void exchange_tell_retired(exchange *x, collective *c)
{
    if (c->is_owner)
        return;
    if (x->options.answers && !c->is_final) { /* slices have gone on without their answers */
        c->is_final = 1;
        c->untold->final = 1;
    }
    tell_owner(x, c, 1);
}

void exchange_tell_proceed(exchange *x, const collective *c, uint8_t how, int lasting)
{
    if (!c->untold)
        return;
    const comm_domains *d = &x->comm_domains[c->comm];
    for (uint32_t k = 0; k < d->n; k++) {
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

/* What is merged may have been merged before. */
void exchange_merge_answers(answers *to, const answers *more)
{
    const int smaller = more->least[0] < to->least[0];
    const answers *first = smaller ? more : to, *other = smaller ? to : more;
    answers both = *first;
    const uint64_t second = other->least[first->rank == other->rank];
    if (second < both.least[1])
        both.least[1] = second;
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
    const int same = first->latest_rank == other->latest_rank;
    if (same && other->n == 1) {
        *to = both;
        return;
    }
    if (first->n == 1 || other->latest[same] > first->latest[1])
        both.latest[1] = other->latest[same];
    both.n = 2;
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

/* Members of 64 have arrived that had not. */
static void note_word(const tcf_comm *comm, collective *c, uint32_t w, uint64_t word)
{
    const uint32_t first = w * 64;
    word &= ~c->present[w];
    c->present[w] |= word;
    /* Bits below the first rank of group B are of side 0. */
    const uint64_t of_a = comm->size >= first + 64 ? word
                          : comm->size <= first    ? 0
                                                   : word & ((1ull << (comm->size - first)) - 1);
    c->arrived[0] += (uint32_t)__builtin_popcountll(of_a);
    c->arrived[1] += (uint32_t)__builtin_popcountll(word & ~of_a);
}

static const unsigned char *take_present(const exchange *x, collective *c, const members_letter *l,
                                         const unsigned char *from)
{
    const tcf_comm *comm = &x->defs->comms[c->comm];
    const uint32_t members = membership_size(comm);
    for (uint32_t k = 0; k < l->n_words; k++, from += 8) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        note_word(comm, c, l->first_word + k, word);
    }
    for (uint32_t w = 0; l->all && w < words_of(members); w++) {
        const uint32_t left = members - 64 * w;
        note_word(comm, c, w, left >= 64 ? UINT64_MAX : (1ull << left) - 1);
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
            memcpy(collective_row(x, c, p), from, bytes);
            from += bytes;
        }
    c->ended += l->n_ended;
    c->empty += l->empty;
    c->mixed |= l->mixed || (l->n_ended > 0 && l->of.op != c->op);
    return from;
}

static void take_answers(const exchange *x, collective *c, const members_letter *l, const unsigned char *from)
{
    answers_part part;
    memcpy(&part, from, sizeof part);
    from += sizeof part;
    for (int side = 0; side < 2; side++)
        exchange_merge_answers(&c->answer[side], &part.answer[side]);
    for (uint32_t i = 0; i < part.n_scans; i++, from += 2 * sizeof(uint64_t)) {
        uint64_t entry[2];
        memcpy(entry, from, sizeof entry);
        if (entry[1] < c->scan_answers[entry[0]])
            c->scan_answers[entry[0]] = entry[1];
    }
    if (l->is_whole) {
        c->all_answered |= part.final != 0;
        return;
    }
    c->n_answers += part.n_answers;
    c->targets += part.targets;
    exchange_note_final(x, c, part.final);
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
        take_answers(x, c, l, from);
    for (int side = 0; side < 2; side++)
        c->source[side] = either(c->source[side], l->source[side]);
    c->lowest = l->lowest < c->lowest ? l->lowest : c->lowest;
    if (l->root_passed) {
        c->root_passed = 1;
        c->root = l->root;
        c->told |= TOLD_ROOT; /* to all, by the root's domain */
    }
    c->first_end = l->first_end < c->first_end ? l->first_end : c->first_end;
    if (!l->is_whole) {
        c->at_end += l->at_end;
        exchange_note_untold(x, c);
        return;
    }
    c->at_end = l->at_end > c->at_end ? l->at_end : c->at_end;
    c->absent[0] = l->absent[0];
    c->absent[1] = l->absent[1];
    c->first_absent = l->first_absent;
}
