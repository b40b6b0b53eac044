/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-synth: an OTF2 trace of a simulated MPI program, of any length, with known true times. See
 * doc/tcflow-synth.1. */
#include "synth.h"

#include <errno.h>
#include <string.h>

const char program_name[] = "tcflow-synth";

/* Ids of locations as Score-P gives them: thread, then rank. Sparse ones need 64 bits. */
static OTF2_LocationRef location_ref(const options *o, uint32_t rank, uint32_t thread)
{
    uint64_t plain = (uint64_t)thread << 32 | rank;

    return o->sparse ? (plain + 1) * 1000003 + plain % 7 : plain;
}

static void make_locations(synth *s)
{
    for (uint32_t r = 0; r < s->opt.ranks; r++)
        for (uint32_t t = 0; t < s->opt.threads; t++) {
            location *l = thread_of(s, r, t);
            l->rank = r;
            l->thread = t;
            l->ref = location_ref(&s->opt, r, t);
            clock_start(&l->clock, &s->opt, s->opt.per_process ? r : node_of(s, r));
        }
}

/* As square as the number of ranks allows. */
static void make_grid(synth *s)
{
    s->rows = 1;
    for (uint32_t rows = 2; (uint64_t)rows * rows <= s->opt.ranks; rows++)
        if (s->opt.ranks % rows == 0)
            s->rows = rows;
    s->columns = (uint32_t)s->opt.ranks / s->rows;
}

static void open_truth(synth *s)
{
    if (s->opt.truth == NULL)
        return;
    s->truth = outputs_open_file(&s->opt, s->opt.truth);
    fputs("location,time,true_time\n", s->truth);
}

static void finish_truth(synth *s)
{
    for (uint64_t i = 0; s->truth && i < locations_of(&s->opt); i++)
        clock_finish(s, &s->locations[i]);
}

int main(int argc, char **argv)
{
    static synth s; /* its arrays are needed until the end */

    parse_options(&s.opt, argc, argv);
    uint64_t ranks = s.opt.ranks, locations = locations_of(&s.opt);
    s.n_archives = s.opt.true_output ? 2 : 1;
    s.ps_per_tick = PS_PER_SECOND % s.opt.resolution == 0 ? (int64_t)(PS_PER_SECOND / s.opt.resolution) : 0;
    s.random = rng_seed(s.opt.seed, 0);
    s.locations = allocate(locations, sizeof *s.locations);
    s.arrival = allocate(4 * ranks, sizeof *s.arrival);
    s.order = allocate(locations, sizeof *s.order);
    s.lock_order = allocate(ranks, sizeof *s.lock_order);
    s.measured[0] = allocate(ranks, sizeof *s.measured[0]);
    s.measured[1] = allocate(ranks, sizeof *s.measured[1]);
    make_grid(&s);
    make_locations(&s);
    open_truth(&s);
    archives_open(&s);
    run_program(&s);
    archives_close(&s);
    finish_truth(&s);
    outputs_complete(&s.opt);
    return EXIT_DONE;
}
