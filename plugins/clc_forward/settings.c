/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What clc_forward's parameters mean: mu and gamma may be `auto` or a value, which one row of a parameter table cannot
 * say. Values are checked in init(); ticks exist from begin() on. */
#include "../shared/numbers/number.h"
#include "clc_forward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest minimum delay: a message takes less than that, and sums of such delays fit into 64 bits. */
static const double most_seconds = 24 * 3600, most_ticks = 1e15;

static tcf_status parse_mu(tcf_self *self, const char *text)
{
    struct state *st = self->state;
    tcf_duration *mu = &st->mu_fixed;
    if (strcmp(text, "auto") == 0)
        return TCF_OK;
    st->mu_given = 1;
    if (!duration_of(text, mu) || mu->value > (mu->in_ticks ? most_ticks : most_seconds))
        return self->host
            ->fail(self,
                   "mu = %s: expected auto, or a duration of at most 24h or 10^15 ticks, like 1us, 250ns or "
                   "3 ticks",
                   text);
    return TCF_OK;
}

static tcf_status parse_gamma(tcf_self *self, const char *text)
{
    struct state *st = self->state;
    double gamma = 0;
    if ((st->control = strcmp(text, "auto") == 0))
        return TCF_OK;
    const size_t n = number_at(text, &gamma);
    if (n == 0 || text[n] || gamma > 1)
        return self->host->fail(self, "gamma = %s: expected auto, or a number from 0 to 1", text);
    st->g = (uint64_t)llround(gamma * (double)G_ONE);
    return TCF_OK;
}

tcf_status settings_parse(tcf_self *self)
{
    const struct conf *conf = self->conf;
    return parse_mu(self, conf->mu) == TCF_OK ? parse_gamma(self, conf->gamma) : TCF_ERROR;
}

void settings_to_ticks(tcf_self *self)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    uint64_t n = 0, fixed = self->host->ticks(self, st->mu_fixed);
    const tcf_minimum_delay *learned = self->host->learned(self, TCF_MINIMUM_DELAYS, sizeof *learned, &n);
    for (uint64_t i = 0; learned && i < n; i++)
        if (learned[i].class_ < TCF_CLASSES && learned[i].distance < TCF_DISTANCES)
            st->mu[learned[i].class_][learned[i].distance] = learned[i].ticks;
    for (uint32_t c = 0; st->mu_given && c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++)
            if (!tcf_between_threads(c))
                st->mu[c][d] = fixed;
    st->delta = self->host->ticks(self, conf->delta);
    st->decay = self->host->ticks(self, conf->decay);
    if (st->decay == 0)
        st->decay = 1;
    if (!st->mu_given && !learned)
        self->host->log(self, TCF_LOG_INFO, "no survey has measured minimum delays: mu = 0");
}

tcf_status settings_take_bars(tcf_self *self)
{
    struct state *st = self->state;
    uint64_t n = 0;
    const tcf_clock_source *sources = self->host->learned(self, TCF_CLOCK_SOURCES, sizeof *sources, &n);
    if (!sources || !(self->changed & TCF_WRITES_CLOCK) || ((const struct conf *)self->conf)->disbelief == 0)
        return TCF_OK;
    if (!(st->bar = malloc((self->defs->n_locations + 1u) * sizeof *st->bar)))
        return self->host->fail(self, "out of memory for the error bars of clocks");
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        st->bar[l] = INFINITY;
    for (uint64_t i = 0; i < n; i++)
        if (sources[i].location < self->defs->n_locations && sources[i].origin != TCF_CLOCK_MEASURED &&
            sources[i].origin !=
                TCF_CLOCK_FILE) /* the error of a measurement bounds the clock there, and nowhere else */
            st->bar[sources[i].location] = sources[i].error;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        st->widest = fmax(st->widest, st->bar[l]);
    return TCF_OK;
}
