/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collects the tightest messages of each directed pair of units.
 *
 * A pair keeps one message a bucket of time: that with the smallest delay. When a pair's table is full, its buckets
 * double in width. When all pairs together reach their cap, the cap of each pair is halved. So memory is bounded. Times
 * are stored exactly, so each stored message is a true bound whatever the clocks do.
 *
 * The result depends on the set of messages only, not on their order, which is that of slices and locations. Buckets
 * stand at multiples of their width, and are as narrow as the table allows for all messages together; the tightest
 * message of a bucket is the same in any order; caps depend on counts, which only grow; and when there are too many
 * pairs, a hash of their units selects those to keep. For the same reason no decision before the end may use the drift
 * of the clocks: there are more buckets than needed, and bounds_link() joins neighbours when the drift is known. */
#include "bounds.h"

#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_PER_PAIR = 4096, LEFT_PER_PAIR = 1024, LEAST_PER_PAIR = 16, FIRST_OF_PAIR = 2 };

static int init(struct bounds *b, uint32_t n_units, uint64_t memory)
{
    *b = (struct bounds){.n_units = n_units, .per_pair = MOST_PER_PAIR, .hash_mask = 1023, .highest_rank = UINT64_MAX};
    b->most_points = memory / 4 * 3 / (sizeof(struct point) + sizeof(uint32_t));
    b->most_ends = memory / 4 / sizeof(struct collective_end);
    if (b->most_points < 1024)
        b->most_points = 1024;
    uint64_t most = b->most_points / LEAST_PER_PAIR;
    b->most_pairs = most > 1u << 24 ? 1u << 24 : (uint32_t)most;
    b->unit = calloc(n_units ? n_units : 1, sizeof *b->unit);
    b->hash = calloc(b->hash_mask + 1, sizeof *b->hash);
    for (uint32_t u = 0; b->unit && u < n_units; u++)
        b->unit[u].node = u;
    return b->unit && b->hash ? 0 : -1;
}

struct bounds *bounds_new(uint32_t n_units, uint64_t memory)
{
    struct bounds *b = malloc(sizeof *b);
    if (b && init(b, n_units, memory) != 0) {
        bounds_free(b);
        b = NULL;
    }
    return b;
}

void bounds_free(struct bounds *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->n_pairs && !b->packed_point; i++)
        free(b->pair[i].point);
    free(b->packed_point);
    free(b->packed_bytes);
    for (uint32_t u = 0; b->unit && u < b->n_units; u++)
        free(b->unit[u].measured);
    free(b->pair);
    free(b->collective);
    free(b->end);
    free(b->unit);
    free(b->hash);
    free(b);
}

struct unit *bounds_unit(struct bounds *b, uint32_t unit)
{
    return &b->unit[unit];
}

void bounds_seen(struct bounds *b, uint32_t unit, uint64_t time)
{
    struct unit *u = &b->unit[unit];
    if (!u->seen) {
        u->seen = 1;
        u->base = u->end = time;
    }
    u->base = time < u->base ? time : u->base;
    u->end = time > u->end ? time : u->end;
}

int bounds_measured(struct bounds *b, uint32_t unit, uint64_t time, int64_t offset, double error)
{
    struct unit *u = &b->unit[unit];
    struct measured *grown = realloc(u->measured, (u->n_measured + 1) * sizeof *grown);
    if (!grown)
        return -1;
    u->measured = grown;
    uint32_t at = u->n_measured;
    for (; at > 0 && grown[at - 1].time > time; at--)
        grown[at] = grown[at - 1];
    grown[at] = (struct measured){.time = time, .raw = offset, .error = error};
    u->n_measured++;
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- pairs -- */

static uint32_t home_of(const struct bounds *b, uint32_t from, uint32_t to, enum kind kind)
{
    uint64_t h = (((uint64_t)from << 32 | to) + kind) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & b->hash_mask;
}

/* Enters all pairs anew. */
static void fill_hash(struct bounds *b)
{
    memset(b->hash, 0, ((size_t)b->hash_mask + 1) * sizeof *b->hash);
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        uint32_t at = home_of(b, b->pair[i].from, b->pair[i].to, b->pair[i].kind);
        while (b->hash[at])
            at = (at + 1) & b->hash_mask;
        b->hash[at] = i + 1;
    }
}

static int grow_hash(struct bounds *b)
{
    uint32_t mask = b->hash_mask * 2 + 1;
    uint32_t *fresh = realloc(b->hash, ((size_t)mask + 1) * sizeof *fresh);
    if (!fresh)
        return -1;
    b->hash = fresh;
    b->hash_mask = mask;
    fill_hash(b);
    return 0;
}

static int is_pair(const struct pair *p, uint32_t from, uint32_t to, enum kind kind)
{
    return p->from == from && p->to == to && p->kind == kind;
}

static uint32_t find(const struct bounds *b, uint32_t from, uint32_t to, enum kind kind)
{
    uint32_t at = home_of(b, from, to, kind);
    while (b->hash[at] && !is_pair(&b->pair[b->hash[at] - 1], from, to, kind))
        at = (at + 1) & b->hash_mask;
    return at;
}

/* ------------------------------------------------------------------------------------------------------- buckets -- */

static double turn(const struct point *a, const struct point *b, const struct point *c)
{
    double bs = (double)tcf_offset_difference(b->sent, a->sent), cs = (double)tcf_offset_difference(c->sent, a->sent);
    return bs * (double)tcf_offset_difference(bounds_delay(c), bounds_delay(a)) -
           cs * (double)tcf_offset_difference(bounds_delay(b), bounds_delay(a));
}

/* The drift of the two clocks: the slope, in the middle, of the lower hull of the delays. Late messages lie above the
 * hull. */
static double hull_slope(const struct pair *p)
{
    uint32_t hull[MOST_PER_PAIR], n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        while (n >= 2 && turn(&p->point[hull[n - 2]], &p->point[hull[n - 1]], &p->point[i]) <= 0)
            n--;
        hull[n++] = i;
    }
    const uint64_t first = (uint64_t)p->point[0].sent, last = (uint64_t)p->point[p->n - 1].sent;
    const int64_t middle = (int64_t)(first + (last - first) / 2);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const struct point *a = &p->point[hull[i]], *c = &p->point[hull[i + 1]];
        if (c->sent >= middle && c->sent > a->sent)
            return (double)tcf_offset_difference(bounds_delay(c), bounds_delay(a)) /
                   (double)tcf_offset_difference(c->sent, a->sent);
    }
    return 0;
}

/* Is `a` the tighter bound, when the delay grows by `slope`? Of equal ones, the earlier one is. With slope 0 this is an
 * order, however far times are apart: what stays of a bucket doesn't depend on which message came first. Delays that
 * don't fit into 64 bits are alike, so times of receipt decide where both were sent at the same time. */
static int tighter(double slope, const struct point *a, const struct point *b)
{
    double more = (double)tcf_offset_difference(bounds_delay(a), bounds_delay(b)),
           later = (double)tcf_offset_difference(a->sent, b->sent);
    return more < slope * later || (more == slope * later && (later < 0 || (later == 0 && a->received < b->received)));
}

static void put(struct pair *p, uint32_t at, const struct point *point, uint32_t bytes)
{
    p->point[at] = *point;
    p->bytes[at] = bytes;
}

/* Replaces a looser message. Of messages with the same times the largest one stays. */
static void put_if_tighter(struct pair *p, uint32_t at, const struct point *new, uint32_t bytes)
{
    const struct point *old = &p->point[at];
    if (tighter(0, new, old) || (new->sent == old->sent &&new->received == old->received &&bytes > p->bytes[at]))
        put(p, at, new, bytes);
}

/* Keeps the tightest message of each bucket. */
static void drop_looser(struct pair *p, double slope)
{
    struct point *point = p->point;
    uint32_t *bytes = p->bytes, n = p->n, shift = p->shift, kept = 0;
    if (n == 0)
        return;
    for (uint32_t i = 1; i < n; i++) {
        if (point[kept].sent >> shift != point[i].sent >> shift)
            kept++;
        else if (!tighter(slope, &point[i], &point[kept]))
            continue;
        point[kept] = point[i];
        bytes[kept] = bytes[i];
    }
    p->n = kept + 1;
}

/* Doubles the buckets' width. */
static void widen(struct pair *p, double slope)
{
    p->shift++;
    drop_looser(p, slope);
}

void bounds_narrow(const struct bounds *b, struct pair *p)
{
    drop_looser(p, 0);
    while (p->n > b->per_pair)
        widen(p, 0);
}

struct point *bounds_table(uint32_t capacity, uint32_t **bytes)
{
    struct point *point = malloc(capacity * (sizeof *point + sizeof **bytes) + 1u);
    *bytes = point ? (uint32_t *)(void *)(point + capacity) : NULL;
    return point;
}

/* -1: out of memory. Shrinking may fail: then the table stays larger than needed. */
static int resize(struct pair *p, uint32_t capacity)
{
    uint32_t *bytes;
    struct point *point = bounds_table(capacity, &bytes);
    if (point) {
        if (p->n > 0) {
            memcpy(point, p->point, p->n * sizeof *point);
            memcpy(bytes, p->bytes, p->n * sizeof *bytes);
        }
        free(p->point);
        p->point = point;
        p->bytes = bytes;
    } else if (capacity > p->capacity) {
        return -1;
    }
    p->capacity = capacity;
    return 0;
}

/* Halves the cap of each pair. 0: it is the smallest one already. */
static int shrink_all(struct bounds *b)
{
    if (b->per_pair <= LEAST_PER_PAIR)
        return 0;
    b->per_pair /= 2;
    b->points = 0;
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        struct pair *p = &b->pair[i];
        while (p->n > b->per_pair)
            widen(p, 0);
        if (p->capacity > b->per_pair)
            (void)resize(p, b->per_pair);
        b->points += p->capacity;
    }
    return 1;
}

/* Makes room for another point of the pair: by a larger table, or by wider buckets. 0: impossible. */
static int make_room(struct bounds *b, struct pair *p)
{
    uint32_t capacity = p->capacity ? 2 * p->capacity
                                    : FIRST_OF_PAIR; /* where operations have many roots, most pairs have one message */
    if (p->capacity >= b->per_pair) {
        widen(p, 0);
        return 1;
    }
    if (b->points + capacity - p->capacity > b->most_points)
        return shrink_all(b);
    uint32_t more = capacity - p->capacity;
    if (resize(p, capacity) != 0) {
        b->starved = 1;
        return 0;
    }
    b->points += more;
    return 1;
}

static int add_point(struct bounds *b, struct pair *p, const struct point *new, uint32_t bytes)
{
    for (;;) {
        uint32_t at = p->n;
        while (at > 0 && p->point[at - 1].sent > new->sent)
            at--;
        uint32_t near[2] = {at, at - 1};
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t i = near[k];
            if (i >= p->n || p->point[i].sent >> p->shift != new->sent >> p->shift)
                continue;
            put_if_tighter(p, i, new, bytes);
            return 1;
        }
        if (p->n < p->capacity) {
            memmove(&p->point[at + 1], &p->point[at], (p->n - at) * sizeof *p->point);
            memmove(&p->bytes[at + 1], &p->bytes[at], (p->n - at) * sizeof *p->bytes);
            put(p, at, new, bytes);
            p->n++;
            return 1;
        }
        if (!make_room(b, p))
            return 0;
    }
}

/* ---------------------------------------------------------------------------------------------------- more pairs -- */

/* When there are too many pairs, those of the highest rank are dropped. Both directions have the same rank. */
static uint64_t rank_of(uint32_t from, uint32_t to)
{
    uint64_t h = from < to ? (uint64_t)from << 32 | to : (uint64_t)to << 32 | from;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

/* Drops an eighth of the ranks. First all pairs shrink to the smallest cap: otherwise the result would depend on the
 * points that the dropped pairs have had. */
static void drop_pairs(struct bounds *b)
{
    uint32_t kept = 0;
    while (shrink_all(b))
        ;
    b->highest_rank -= b->highest_rank / 8;
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        if (rank_of(b->pair[i].from, b->pair[i].to) <= b->highest_rank) {
            b->pair[kept++] = b->pair[i];
            continue;
        }
        b->points -= b->pair[i].capacity;
        free(b->pair[i].point);
    }
    b->n_pairs = kept;
    fill_hash(b);
}

static int grow_pairs(struct bounds *b)
{
    uint32_t capacity = b->pair_capacity ? 2 * b->pair_capacity : 64;
    struct pair *grown = realloc(b->pair, capacity * sizeof *grown);
    if (!grown)
        return -1;
    b->pair = grown;
    b->pair_capacity = capacity;
    return 0;
}

static struct pair *new_pair(struct bounds *b, uint32_t from, uint32_t to, enum kind kind)
{
    uint64_t rank = rank_of(from, to);
    while (b->n_pairs >= b->most_pairs && rank <= b->highest_rank)
        drop_pairs(b);
    if (rank > b->highest_rank)
        return NULL;
    if ((b->n_pairs >= b->hash_mask / 2 && grow_hash(b) != 0) ||
        (b->n_pairs == b->pair_capacity && grow_pairs(b) != 0)) {
        b->starved = 1;
        return NULL;
    }
    struct pair *p = &b->pair[b->n_pairs++];
    *p = (struct pair){.from = from, .to = to, .kind = (uint8_t)kind, .reverse = NO_PAIR, .stay = UINT64_MAX};
    b->hash[find(b, from, to, kind)] = b->n_pairs;
    return p;
}

struct pair *bounds_add(struct bounds *b, enum kind kind, uint32_t from, uint64_t sent, uint32_t to, uint64_t received,
                        uint32_t bytes)
{
    if (from == to)
        return NULL;
    bounds_seen(b, from, sent);
    bounds_seen(b, to, received);
    struct point new = {bounds_time(sent), bounds_time(received)};
    uint32_t at = find(b, from, to, kind);
    struct pair *p = b->hash[at] ? &b->pair[b->hash[at] - 1] : new_pair(b, from, to, kind);
    b->messages++;
    if (!p)
        return NULL;
    if (p->messages == 0 || bounds_delay(&new) < p->least)
        p->least = bounds_delay(&new);
    if (p->n > 0 && p->point[p->n - 1].sent >> p->shift == new.sent >> p->shift) { /* the usual case */
        put_if_tighter(p, p->n - 1, &new, bytes);
    } else if (!add_point(b, p, &new, bytes)) {
        return NULL;
    }
    p->messages++;
    return p;
}

void bounds_message(struct bounds *b, uint32_t from, uint64_t sent, uint32_t to, uint64_t received, uint32_t bytes)
{
    (void)bounds_add(b, MESSAGE, from, sent, to, received, bytes);
}

uint32_t bounds_find(const struct bounds *b, uint32_t from, uint32_t to, enum kind kind)
{
    uint32_t found = b->hash[find(b, from, to, kind)];
    return found ? found - 1 : NO_PAIR;
}

/* ------------------------------------------------------------------------------------------------- several bounds --
 */

struct limits {
    uint64_t highest_rank, messages;
    uint32_t per_pair, n_pairs;
    uint8_t starved;
};

void bounds_put(const struct bounds *b, const struct bounds_stream *to)
{
    const struct limits l = {.highest_rank = b->highest_rank,
                             .messages = b->messages,
                             .per_pair = b->per_pair,
                             .n_pairs = b->n_pairs,
                             .starved = b->starved};
    to->put(to->data, &l, sizeof l);
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        const struct pair *p = &b->pair[i];
        to->put(to->data, p, sizeof *p);
        to->put(to->data, p->point, p->n * sizeof *p->point);
        to->put(to->data, p->bytes, p->n * sizeof *p->bytes);
    }
    for (uint32_t u = 0; u < b->n_units; u++)
        to->put(to->data, &b->unit[u], sizeof b->unit[u]);
}

/* The pair has buckets as wide, and a table as large, as both sets of messages together ask for. A pair whose buckets
 * are wider than at first has a table of the largest size. */
static int fit(struct bounds *b, struct pair *p, uint32_t shift)
{
    while (p->shift < shift)
        widen(p, 0);
    while (shift > 0 && p->capacity < b->per_pair)
        if (!make_room(b, p))
            return 0;
    return 1;
}

static void take_pair(struct bounds *b, const struct pair *from, const struct point *point, const uint32_t *bytes)
{
    const uint32_t at = find(b, from->from, from->to, (enum kind)from->kind);
    struct pair *p = b->hash[at] ? &b->pair[b->hash[at] - 1] : new_pair(b, from->from, from->to, (enum kind)from->kind);
    if (!p || !fit(b, p, from->shift))
        return;
    p->least = p->messages == 0 || from->least < p->least ? from->least : p->least;
    p->stay = from->stay < p->stay ? from->stay : p->stay;
    p->messages += from->messages;
    for (uint32_t k = 0; k < from->n; k++)
        if (!add_point(b, p, &point[k], bytes[k]))
            return;
}

void bounds_take(struct bounds *b, const struct bounds_stream *from)
{
    struct point point[MOST_PER_PAIR];
    uint32_t bytes[MOST_PER_PAIR];
    struct limits l;
    from->take(from->data, &l, sizeof l);
    b->starved |= l.starved;
    b->messages += l.messages;
    while (b->per_pair > l.per_pair && shrink_all(b))
        ;
    while (b->highest_rank > l.highest_rank)
        drop_pairs(b);
    for (uint32_t i = 0; i < l.n_pairs; i++) {
        struct pair p;
        from->take(from->data, &p, sizeof p);
        p.n = p.n < MOST_PER_PAIR ? p.n : MOST_PER_PAIR;
        from->take(from->data, point, p.n * sizeof *point);
        from->take(from->data, bytes, p.n * sizeof *bytes);
        take_pair(b, &p, point, bytes);
    }
    for (uint32_t u = 0; u < b->n_units; u++) {
        struct unit more;
        from->take(from->data, &more, sizeof more);
        if (more.seen) {
            bounds_seen(b, u, more.base);
            bounds_seen(b, u, more.end);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------- at the end -- */

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Joins buckets, now that the drift is known, and makes times count from the units' bases. */
static void settle_pair(const struct bounds *b, struct pair *p)
{
    const int64_t from = bounds_time(b->unit[p->from].base), to = bounds_time(b->unit[p->to].base);
    double slope = p->n > LEFT_PER_PAIR ? hull_slope(p) : 0;
    while (p->n > LEFT_PER_PAIR)
        widen(p, slope);
    for (uint32_t i = 0; i < p->n; i++) {
        p->point[i].sent = tcf_offset_difference(p->point[i].sent, from);
        p->point[i].received = tcf_offset_difference(p->point[i].received, to);
    }
    p->least = tcf_offset_sum(p->least, tcf_offset_difference(from, to));
}

/* Copies the points of all pairs one after another, because the search reads them many times. Without memory for that,
 * they stay where they are. */
static void pack_points(struct bounds *b)
{
    size_t n = 0;
    for (uint32_t i = 0; i < b->n_pairs; i++)
        n += b->pair[i].n;
    struct point *point = malloc((n + 1) * sizeof *point);
    uint32_t *bytes = malloc((n + 1) * sizeof *bytes);
    if (!point || !bytes) {
        free(point);
        free(bytes);
        return;
    }
    b->packed_point = point;
    b->packed_bytes = bytes;
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        struct pair *p = &b->pair[i];
        memcpy(point, p->point, p->n * sizeof *point);
        memcpy(bytes, p->bytes, p->n * sizeof *bytes);
        free(p->point);
        p->point = point;
        p->bytes = bytes;
        point += p->n;
        bytes += p->n;
    }
}

void bounds_sort(struct bounds *b)
{
    tcf_sort(b->pair, b->n_pairs, sizeof *b->pair, compare_pairs);
    fill_hash(b);
}

void bounds_link(struct bounds *b)
{
    bounds_sort(b);
    for (uint32_t u = 0; u < b->n_units; u++) {
        uint64_t length = b->unit[u].end - b->unit[u].base;
        b->unit[u].last = length > INT64_MAX ? INT64_MAX : (int64_t)length;
    }
    b->without_room = b->messages;
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        uint32_t back = b->hash[find(b, b->pair[i].to, b->pair[i].from, b->pair[i].kind)];
        int alike = b->pair[i].kind == MESSAGE || b->pair[i].kind == COLLECTIVE;
        b->pair[i].reverse = back && alike ? back - 1 : NO_PAIR;
        b->pair[i].in_node = b->unit[b->pair[i].from].node == b->unit[b->pair[i].to].node;
        b->without_room -= b->pair[i].messages;
        settle_pair(b, &b->pair[i]);
    }
    pack_points(b);
}
