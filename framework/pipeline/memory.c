/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How much memory the events in flight have, and how many slices of which size are made of it. */
#include "domains.h"
#include "stages.h"

#include <private/scaled.h>
#include <stdio.h>

#define MiB (UINT64_C(1) << 20)

/* What `memory` is where the user leaves it open, in MiB. It is a bound: what filters don't hold is never touched. */
enum { LEAST_MEMORY = 64, MOST_MEMORY = 256, MEMORY_OF_A_LOCATION = 4, SHARE_OF_MACHINE = 8 };

static uint64_t chosen_memory(const pipeline *p, const char **why)
{
    const uint64_t locations = p->session->peers ? domain_locations(p) : p->defs->n_locations;
    const uint64_t share = p->session->machine.memory / MiB / SHARE_OF_MACHINE;
    uint64_t n = MEMORY_OF_A_LOCATION * locations;

    *why = "4 MiB for each location";
    if (n > MOST_MEMORY) {
        n = MOST_MEMORY;
        *why = "the most that is chosen";
    }
    if (n > share) {
        n = share;
        *why = "an eighth of the memory that this process may use";
    }
    if (n <= LEAST_MEMORY) {
        n = LEAST_MEMORY;
        *why = "the least that is chosen";
    }
    return n * MiB;
}

static uint64_t memory_of(const pipeline *p, const char **why)
{
    const uint64_t given = p->session->conf.memory;

    *why = "as memory says";
    return given > 0 ? given : chosen_memory(p, why);
}

void pipeline_describe_memory(const pipeline *p, char *to, size_t bytes)
{
    const char *why;
    char amount[TCF_SCALED_BYTES];

    tcf_scaled((double)memory_of(p, &why), "B", 1024, amount);
    snprintf(to, bytes, "%s for events in flight, besides what filters keep: %s", amount, why);
}

/* Keeps the largest need of all pipelines. */
static void note_short_memory(session *s, uint64_t locations, uint32_t events, uint64_t bytes)
{
    if (bytes > s->short_of.bytes)
        s->short_of = (struct memory_short){bytes, locations, events};
}

static int anybody_holds(const pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++)
        if (p->instances[i].self.can & TCF_CAN_HOLD)
            return 1;
    return 0;
}

/* May slices end in front of collective operations? In several domains, a segment behind another one gets the begins of
 * an operation from all of them, and would have much more in memory until the last one has come. */
static int may_end_early(const pipeline *p)
{
    return p->together && (p->n_segments < 2 || !p->letters);
}

/* One domain has few locations under way at a time, while the others wait at an operation of all. Several domains take
 * turns, and each of them rests in the middle of what its locations do, with a slice of each of these. */
enum { FEW_DOMAINS = 2, MOST_TIMES_SHORTER = 4 };

static uint32_t times_shorter(const pipeline *p)
{
    const uint32_t n = domains_here(p) / FEW_DOMAINS;

    return n < 1 ? 1 : n < MOST_TIMES_SHORTER ? n : MOST_TIMES_SHORTER;
}

/* A domain that has few locations, as the one that judges for all, would have longer slices than the others: what
 * leaves a filter that holds slices would come late to the segment behind it, and all others would wait there. */
static uint32_t mean_locations(const pipeline *p)
{
    return p->domain ? p->defs->n_locations / p->domain->all->n : 0;
}

/* Slices of fewer events take more time, for each of them is looked at. So locations get FEW_EVENTS, as long as that is
 * no more than ENOUGH_BYTES, or a share of that where filters hold further slices; FEW_HELD where these are the ends of
 * long ones. Of edges alone, a slice lasts for long. */
enum { FEW_EVENTS = 256, FEW_HELD = 128, FEW_EDGES = 64, FEWEST_EVENTS = 64, ENOUGH_BYTES = 320 << 20, HELD_SHARE = 4 };

static uint64_t fewest_events(const pipeline *p, uint64_t locations, uint64_t event_bytes)
{
    const int holds = anybody_holds(p);
    const uint64_t few = p->edges_only ? FEW_EDGES : holds && may_end_early(p) ? FEW_HELD : FEW_EVENTS;
    const uint64_t share = holds ? HELD_SHARE : 1, all = locations * domains_here(p);
    const uint64_t fit = ENOUGH_BYTES / share / (all * event_bytes), want = few / times_shorter(p);
    const uint64_t events = fit < want ? fit : want;

    return events > FEWEST_EVENTS ? events : FEWEST_EVENTS;
}

/* Of a slice at most: in several domains each has one, and what filters keep of it, in memory at the same time. */
static uint32_t most_events(const pipeline *p)
{
    enum { MOST = 4096, LEAST = 1024 };
    const uint32_t share = MOST / domains_here(p);

    return share > LEAST ? share : LEAST;
}

/* Besides, there are long slices, which most programs can do with: of many locations few are under way at a time, while
 * the others wait at a collective operation, where slices end. Where they don't, those are soon in use, and all others
 * have the usual size. Many domains have none: each would have few, and more locations under way. */
enum { MANY_BLOCKS = 64 };

/* Chooses how many events a slice has, and how many slices there are: each location has one that is filled, and those
 * that the look-ahead needs. The latter are address space until they are needed, which is rare, so a lack of them is
 * not told. Filters hold slices within `memory` alone, or half as many as there are locations. Memory beyond
 * LEAST_MEMORY that was chosen, or beyond MOST_MEMORY that was given, makes no slice larger: all chains touch those,
 * and to clear them takes longer than short slices do. */
tcf_status pipeline_size_pool(pipeline *p)
{
    const uint64_t given = p->session->conf.memory, shares = domains_here(p);
    const uint32_t own = domain_locations(p);
    const uint32_t together = own > mean_locations(p) ? own : mean_locations(p);
    const uint64_t locations = p->together && together > 0 ? together : 1;
    const char *why;
    const uint64_t memory = memory_of(p, &why) / shares;
    const uint64_t most = given > 0 ? MOST_MEMORY * MiB : LEAST_MEMORY * MiB;
    const uint64_t of_slices = (given > 0 && given < most ? given : most) / shares / times_shorter(p);
    slice_layout *l = &p->layout;
    l->capacity = most_events(p);
    l->arena = 8 * l->capacity;
    uint64_t event_bytes = slice_block_bytes(l) / l->capacity + 1;
    const uint64_t fewest = fewest_events(p, locations, event_bytes);
    const uint64_t events = of_slices / (4 * locations * event_bytes);
    l->capacity = (uint32_t)(events < fewest ? fewest : events > l->capacity ? l->capacity : events);
    if (p->session->conf.slice > 0)
        l->capacity = (uint32_t)p->session->conf.slice;
    l->arena = l->capacity * 8 < 512 ? 512 : l->capacity * 8;
    uint64_t ahead = p->edges ? (uint64_t)p->session->conf.lookahead / l->capacity + 2 : 1;
    uint64_t fewest_blocks = locations * (1 + ahead) + 16;
    uint64_t blocks = memory / slice_block_bytes(l);
    if (given > 0 && blocks < locations)
        note_short_memory(p->session, locations * shares, l->capacity, locations * shares * slice_block_bytes(l));
    const uint64_t held_from = locations + locations / 2 + 16;
    p->held_from = (uint32_t)(blocks > held_from ? blocks : held_from);
    if (blocks < fewest_blocks)
        blocks = fewest_blocks;
    if (blocks > UINT32_MAX / 8)
        return error_usage("memory = %llu: too much", (unsigned long long)given);
    p->memory = blocks * slice_block_bytes(l);
    const int ends_early = source_end_at_operations(p->source, may_end_early(p));
    l->few = ends_early ? own : 0;
    const int has_long = ends_early && shares <= FEW_DOMAINS && p->session->conf.slice == 0;
    l->many = has_long && l->capacity < SLICE_MANY_EVENTS ? (uint32_t)(MANY_BLOCKS / shares) : 0;
    p->n_blocks = (uint32_t)blocks + l->many;
    p->pool = pool_new(l, (uint32_t)blocks);
    if (!p->pool)
        return error_while("taking the memory for events (memory = %llu MiB)",
                           (unsigned long long)(memory * shares >> 20));
    /* Of many domains each uses a part of its last large page otherwise. */
    const int is_small = p->domain && (times_shorter(p) > 1 || !anybody_holds(p));
    pool_expect(p->pool, (uint32_t)(is_small ? locations : blocks));
    return TCF_OK;
}
