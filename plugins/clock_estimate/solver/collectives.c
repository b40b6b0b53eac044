/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The bounds that collective operations stand for, O(n) an instance.
 *
 * In an operation in which all wait for all, no member leaves before the last one comes. The last one has the shortest
 * stay, whatever the clocks are. So the operation stands for a tight message from the last member to each other one. In
 * small communicators these messages go to the pairs of units. In large ones each pair would get few of them, so the
 * instance is kept whole, as a collective bound; pairs at distances of powers of two get messages as well, which
 * connect the units.
 *
 * When there is no room for more collective bounds, every second instance of each communicator is dropped, by its
 * number. So the result doesn't depend on the order in which instances complete. */
#include "bounds.h"

#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

/* The largest communicator whose pairs all get messages; how many instances, and units, are few, and how many members
 * of few units are paired with each other. */
enum { NEAR = 16, FEW_INSTANCES = 4, FEW_UNITS = 32, MOST_PAIRED = 128, MOST_LEVELS = 40 };

struct members {
    const unsigned char *first;
    size_t stride;
    uint32_t n;
};

static const struct member *member_at(const struct members *m, uint32_t i)
{
    return (const struct member *)(const void *)(m->first + i * m->stride);
}

/* is_last: `from` came last, so the others leave about when it does. */
static void one_edge(struct bounds *b, enum kind kind, const struct member *from, const struct member *to, int is_last)
{
    if (!from->gives || !to->gets || from == to || (from->side != 0 && from->side == to->side))
        return;
    struct pair *p = bounds_add(b, kind, from->unit, from->begin, to->unit, to->end, 0);
    if (p && is_last && from->gets && from->end - from->begin < p->stay)
        p->stay = from->end - from->begin;
}

/* The member that came last: it has the shortest stay, whatever the clocks are. */
static uint32_t last_to_come(const struct members *m)
{
    uint32_t last = m->n;
    uint64_t shortest = UINT64_MAX;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct member *one = member_at(m, i);
        if (one->gives && one->end - one->begin < shortest) {
            shortest = one->end - one->begin;
            last = i;
        }
    }
    return last;
}

/* --------------------------------------------------------------------------------------------- collective bounds -- */

/* Which instances are dropped first: independent of the order of definitions. */
static uint64_t key_of(const struct members *m, uint64_t number)
{
    uint64_t h = ((uint64_t)member_at(m, 0)->unit << 32 | member_at(m, m->n - 1)->unit) + m->n;
    h *= 0x9e3779b97f4a7c15u;
    return number + (h >> 40);
}

static int is_kept(const struct bounds *b, uint64_t key)
{
    return (key & (((uint64_t)1 << b->thinning) - 1)) == 0;
}

/* Keeps every second one. */
static void thin_out(struct bounds *b)
{
    uint32_t kept = 0;
    uint64_t ends = 0;
    b->thinning++;
    for (uint32_t i = 0; i < b->n_collectives; i++) {
        struct collective s = b->collective[i];
        if (!is_kept(b, s.key))
            continue;
        memmove(&b->end[ends], &b->end[s.first], s.n * sizeof *b->end);
        s.first = ends;
        ends += s.n;
        b->collective[kept++] = s;
    }
    b->n_collectives = kept;
    b->n_ends = ends;
}

static int grow_collectives(struct bounds *b, uint32_t n)
{
    if (b->n_collectives == b->collective_capacity) {
        uint32_t capacity = b->collective_capacity ? 2 * b->collective_capacity : 256;
        struct collective *grown = realloc(b->collective, capacity * sizeof *grown);
        if (!grown)
            return 0;
        b->collective = grown;
        b->collective_capacity = capacity;
    }
    if (b->n_ends + n > b->end_capacity) {
        uint64_t capacity = 2 * b->end_capacity > b->n_ends + n ? 2 * b->end_capacity : b->n_ends + n;
        struct collective_end *grown = realloc(b->end, capacity * sizeof *grown);
        if (!grown)
            return 0;
        b->end = grown;
        b->end_capacity = capacity;
    }
    return 1;
}

/* Makes room for a collective; its ends stand at the end of all then. NULL: it isn't kept. */
static struct collective_end *make_room(struct bounds *b, uint64_t key, uint32_t n)
{
    while (is_kept(b, key) && b->n_ends + n > b->most_ends && b->thinning < MOST_LEVELS)
        thin_out(b);
    if (!is_kept(b, key) || b->n_ends + n > b->most_ends)
        return NULL;
    if (grow_collectives(b, n))
        return &b->end[b->n_ends];
    b->starved = 1;
    return NULL;
}

static int is_end_of(const struct member *to, const struct member *from)
{
    return to->gets && to->unit != from->unit && (from->side == 0 || from->side != to->side);
}

static void add_collective(struct bounds *b, const struct members *m, uint32_t last, uint64_t number)
{
    const struct member *from = member_at(m, last);
    struct collective s = {.sent = bounds_time(from->begin), .last = from->unit, .key = key_of(m, number)};
    for (uint32_t i = 0; i < m->n; i++)
        s.n += (uint32_t)is_end_of(member_at(m, i), from);
    struct collective_end *end = make_room(b, s.key, s.n);
    if (!end)
        return;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct member *to = member_at(m, i);
        if (!is_end_of(to, from))
            continue;
        *end++ = (struct collective_end){bounds_time(to->end), to->unit};
        s.digest = (s.digest ^ to->end ^ (uint64_t)to->unit << 40) * 0x9e3779b97f4a7c15u;
    }
    s.first = b->n_ends;
    b->n_ends += s.n;
    b->collective[b->n_collectives++] = s;
}

void collectives_put(const struct bounds *b, const struct bounds_stream *to)
{
    to->put(to->data, &b->thinning, sizeof b->thinning);
    to->put(to->data, &b->n_collectives, sizeof b->n_collectives);
    for (uint32_t i = 0; i < b->n_collectives; i++) {
        const struct collective *s = &b->collective[i];
        to->put(to->data, s, sizeof *s);
        to->put(to->data, &b->end[s->first], s->n * sizeof *b->end);
    }
}

void collectives_take(struct bounds *b, const struct bounds_stream *from)
{
    uint32_t thinning, n;
    from->take(from->data, &thinning, sizeof thinning);
    from->take(from->data, &n, sizeof n);
    while (b->thinning < thinning)
        thin_out(b);
    for (uint32_t i = 0; i < n; i++) {
        struct collective s;
        struct collective_end skipped;
        from->take(from->data, &s, sizeof s);
        struct collective_end *end = make_room(b, s.key, s.n);
        for (uint32_t k = 0; k < s.n; k++)
            from->take(from->data, end ? end + k : &skipped, sizeof skipped);
        if (!end)
            continue;
        s.first = b->n_ends;
        b->n_ends += s.n;
        b->collective[b->n_collectives++] = s;
    }
}

static int compare_collectives(const void *a, const void *b)
{
    const struct collective *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->sent, y->sent), TCF_ORDER(x->last, y->last), TCF_ORDER(x->key, y->key),
                     TCF_ORDER(x->n, y->n), TCF_ORDER(x->digest, y->digest));
}

void collectives_link(struct bounds *b)
{
    for (uint32_t i = 0; i < b->n_collectives; i++) {
        struct collective *s = &b->collective[i];
        s->sent = tcf_offset_difference(s->sent, bounds_time(b->unit[s->last].base));
        for (uint64_t k = s->first; k < s->first + s->n; k++)
            b->end[k].received = tcf_offset_difference(b->end[k].received, bounds_time(b->unit[b->end[k].unit].base));
    }
    tcf_sort(b->collective, b->n_collectives, sizeof *b->collective, compare_collectives);
}

/* --------------------------------------------------------------------------------------------------- collectives -- */

/* No member leaves before the last one comes. That makes n tight bounds; the other n * n - n bounds are loose. */
static void all_to_all(struct bounds *b, const struct members *m, int upwards, uint64_t number)
{
    uint32_t last = last_to_come(m), n = m->n;
    enum kind kind = upwards ? SCAN : COLLECTIVE;
    if (last == n)
        return;
    const struct member *from = member_at(m, last);
    int all = n <= NEAR;
    if (number < FEW_INSTANCES &&
        (n <= NEAR ||
         (b->n_units <= FEW_UNITS && n <= MOST_PAIRED))) { /* with few instances, loose bounds matter, too */
        for (uint32_t k = 0; k < n * n; k++)
            if (k / n < k % n || !upwards)
                one_edge(b, kind, member_at(m, k / n), member_at(m, k % n), k / n == last);
        return;
    }
    if (!all && !upwards)
        add_collective(b, m, last, number);
    for (uint32_t i = upwards ? last + 1 : 0; i < n && all; i++)
        one_edge(b, kind, from, member_at(m, i), 1);
    for (uint32_t d = 1; d < n && !all; d *= 2) {
        if (!upwards || last + d < n)
            one_edge(b, kind, from, member_at(m, (last + d) % n), 1);
        if (!upwards)
            one_edge(b, kind, from, member_at(m, (last + n - d) % n), 1);
    }
}

/* Between the root, which is the only member that gives (gets), and all others. */
static void with_root(struct bounds *b, const struct members *m, int from_root)
{
    uint32_t root = 0;
    while (root < m->n && !(from_root ? member_at(m, root)->gives : member_at(m, root)->gets))
        root++;
    for (uint32_t i = 0; i < m->n && root < m->n; i++)
        one_edge(b, from_root ? FROM_ROOT : TO_ROOT, member_at(m, from_root ? root : i),
                 member_at(m, from_root ? i : root), 0);
}

void bounds_collective(struct bounds *b, enum shape shape, uint64_t number, const void *members, size_t stride,
                       uint32_t n)
{
    struct members m = {members, stride, n};
    if (shape == ONE_TO_ALL || shape == ALL_TO_ONE)
        with_root(b, &m, shape == ONE_TO_ALL);
    else
        all_to_all(b, &m, shape == LOWER_TO_HIGHER, number);
    for (uint32_t i = 0; i + 1 < n && shape == LOWER_TO_HIGHER; i++)
        one_edge(b, SCAN, member_at(&m, i), member_at(&m, i + 1), 0);
}
