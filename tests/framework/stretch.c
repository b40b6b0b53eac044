/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter that spreads the times of a trace evenly from one time to another, in their order. With otf2_write it makes
 * archives with extreme times of any other. */
#include <tcflow/filter.h>

#include <stdlib.h>

struct conf {
    const char *from, *to, *first, *last; /* of the times that come, as unsigned numbers of 64 bits */
};

struct state {
    uint64_t from, to, first, last;
};

static const tcf_param params[] = {
    TCF_PARAM(struct conf, from, TCF_STRING, "0", "The first time's new value"),
    TCF_PARAM(struct conf, to, TCF_STRING, "0", "The last time's new value"),
    TCF_PARAM(struct conf, first, TCF_STRING, "0", "The first time"),
    TCF_PARAM(struct conf, last, TCF_STRING, "0", "The last time"),
};

static tcf_status stretch_begin(tcf_self *self)
{
    const struct conf *c = self->conf;
    struct state *st = self->state;
    *st = (struct state){strtoull(c->from, NULL, 0), strtoull(c->to, NULL, 0), strtoull(c->first, NULL, 0),
                         strtoull(c->last, NULL, 0)};
    if (st->last == 0) {
        st->first = self->defs->clock.global_offset;
        st->last = st->first + self->defs->clock.length;
    }
    return TCF_OK;
}

static tcf_status stretch_slice(tcf_self *self, tcf_slice *s)
{
    const struct state *st = self->state;
    const uint64_t span = st->last > st->first ? st->last - st->first : 1;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t at = s->time[i] > st->first ? s->time[i] - st->first : 0;
        at = at < span ? at : span;
        s->time[i] = st->from + (uint64_t)((unsigned __int128)(st->to - st->from) * at / span);
    }
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "stretch",
    .version = "1",
    .summary = "Spreads times",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .writes = TCF_WRITES_TIME,
    .slice = stretch_slice,
    .begin = stretch_begin,
};
