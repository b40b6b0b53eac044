/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The case of SST in the paper: each event looks up a request in a table. Strong scaling; but the table has the
 * requests of all ranks, so it grows with their number. The search is done, and its steps are what takes time.
 * AMPLITUDE 1: a linear search, as before; 2: a hash, the fix. */
#include "scaling.h"

enum { REQUESTS_A_RANK = 24, EVENTS = 16384, SLOTS = 1 << 13 };
static const double a_step = 3e-9;

struct requests {
    uint32_t id[SLOTS], slot[SLOTS]; /* in order of arrival; by hash, 0: free */
    uint32_t n;
};

void exchange(void);
void handle_events(struct requests *r);

static uint32_t slot_of(uint32_t id)
{
    return id * 2654435761u % SLOTS;
}

static void fill(struct requests *r)
{
    for (uint32_t i = 0; i < (uint32_t)ranks * REQUESTS_A_RANK; i++) {
        uint32_t id = 1 + i * 7, at = slot_of(id);
        r->id[r->n++] = id;
        while (r->slot[at])
            at = (at + 1) % SLOTS;
        r->slot[at] = id;
    }
}
static long linear_steps(const struct requests *r, uint32_t id)
{
    long steps = 1;
    for (uint32_t i = 0; i < r->n && r->id[i] != id; i++)
        steps++;
    return steps;
}

static long hash_steps(const struct requests *r, uint32_t id)
{
    long steps = 4; /* for the hash itself */
    for (uint32_t at = slot_of(id); r->slot[at] && r->slot[at] != id; at = (at + 1) % SLOTS)
        steps++;
    return steps;
}

NOT_INLINE void handle_events(struct requests *r)
{
    LOOP("event loop");
    long steps = 0;
    for (int i = 0; i < EVENTS / ranks; i++) {
        uint32_t id = 1 + (uint32_t)(draw(&random_state) * r->n) * 7;
        steps += amplitude > 1 ? hash_steps(r, id) : linear_steps(r, id);
    }
    work((double)steps * a_step);
}

NOT_INLINE void exchange(void)
{
    halo_nonblocking(1000, 0);
    allreduce(rank);
}

NOT_RECORDED void advance(void)
{
    REGION("clock handlers"); /* the rest of the simulation, which scales */
    work(unit * 64 / ranks);
}

int main(int argc, char **argv)
{
    begin(argc, argv, 2, 1, 0.005, 0);
    struct requests *r = calloc(1, sizeof *r);
    fill(r);
    for (int i = 0; i < 8; i++) {
        LOOP("time step");
        handle_events(r);
        advance();
        exchange();
    }
    free(r);
    return end();
}
