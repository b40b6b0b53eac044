/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is written, for programs that show it (tcflow-top): lines of words with tabs in between. README.md has them. */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <private/terminal.h>
#include <string.h>

static void put_process(tcf_self *self, uint32_t p, uint64_t window)
{
    const state *st = self->state;
    const tcf_definitions *defs = self->defs;
    const lane *k = tcf_location_state(self, st->processes.at[p].location);
    const tcf_process_names names = tcf_process_names_of(&st->processes, defs, p);
    uint64_t communicates = recent_ticks(&k->communicates, st->width, st->now);
    if (k->does == COMMUNICATES && st->now > k->last) /* up to now, as far as is known */
        communicates += st->now - k->last;
    const double of = window > 0 ? 100 / (double)window : 0;
    fprintf(st->out, "process\t%" PRId64 "\t%c\t%.1f\t%.1f\t%" PRIu64 "\t", names.rank, LETTERS[k->does],
            communicates < window ? of * (double)communicates
            : window > 0          ? 100
                                  : 0,
            of * (double)recent_ticks(&k->waits, st->width, st->now), k->events);
    tcf_terminal_put(st->out, names.name ? names.name : "", "");
    putc('\t', st->out);
    const char *region = k->region < defs->n_regions ? tcf_region_at(defs, k->region)->name : NULL;
    tcf_terminal_put(st->out, region ? region : "", "");
    putc('\n', st->out);
}

tcf_status shot_write(tcf_self *self)
{
    const state *st = self->state;
    const double tick = 1 / (double)self->defs->clock.resolution;
    const uint64_t reach = (BUCKETS - 1) * st->width + st->now % st->width, passed = st->now - st->first;
    const uint64_t window = passed < reach ? passed : reach;
    fprintf(st->out, "now\t%.9f\t%.9f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", (double)passed * tick,
            (double)window * tick, st->events, st->sent, st->bytes,
            st->sent > st->received ? st->sent - st->received : 0);
    for (uint32_t p = 0; p < st->processes.n; p++)
        put_process(self, p, window);
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++) {
        const uint64_t ticks = recent_ticks(&st->waits[i], st->width, st->now);
        if (ticks > 0)
            fprintf(st->out, "wait\t%.9f\t%" PRIu64 "\t%s\n", (double)ticks * tick,
                    recent_count(&st->waits[i], st->width, st->now), wait_patterns[i].title);
    }
    fputs(st->over ? "over\n" : "shown\n", st->out);
    if (fflush(st->out) != 0 || ferror(st->out))
        return self->host->fail(self, "cannot write to %s: %s", st->file.name ? st->file.path : "standard output",
                                strerror(errno));
    return TCF_OK;
}
