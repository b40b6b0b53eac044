/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* In several domains each instance finds the operations of its locations and their steps; the one in the first domain
 * has the table of steps. What an operation depends on goes with it, as steps and ends. */
#include "lateness.h"

/* RECORD_SOURCE: of the operation that follows; RECORD_BOUND: step is steps_bound(); RECORD_ENDED: step is the last. */
enum { RECORD_SOURCE = 1, RECORD_OPERATION, RECORD_BOUND, RECORD_ENDED };

struct record {
    gather_record head; /* of: call path */
    uint64_t step, end;
};

static tcf_status put(tcf_self *self, uint32_t location, uint8_t kind, const struct record *x)
{
    struct record *r = gather_put(self, gather_of(self), location, kind, sizeof *r);
    if (!r)
        return TCF_ERROR;
    r->head.of = x->head.of;
    r->step = x->step;
    r->end = x->end;
    return TCF_OK;
}

tcf_status centre_record(tcf_self *self, uint32_t location, const struct call *c, uint64_t end)
{
    struct state *st = self->state;
    tcf_status status = TCF_OK;
    for (uint32_t i = c->sources; i != NONE && status == TCF_OK; i = st->sources[i].next)
        status = put(self, location, RECORD_SOURCE,
                     &(struct record){.step = st->sources[i].step, .end = st->sources[i].end});
    steps_forget(st, c->sources);
    return status == TCF_OK ? put(self, location, RECORD_OPERATION,
                                  &(struct record){.head.of = c->callpath, .step = c->step, .end = end})
                            : TCF_ERROR;
}

tcf_status centre_span(tcf_self *self, uint32_t location)
{
    struct lane *k = tcf_location_state(self, location);
    const uint64_t bound = steps_bound(k);
    if (!gather_records(gather_of(self)))
        return TCF_OK;
    if (k->takes_part && bound != k->told &&
        put(self, location, RECORD_BOUND, &(struct record){.step = bound}) != TCF_OK)
        return TCF_ERROR;
    k->told = bound;
    return gather_tell(self, gather_of(self));
}

tcf_status centre_location_end(tcf_self *self, uint32_t location)
{
    const struct lane *k = tcf_location_state(self, location);
    if (gather_records(gather_of(self)) &&
        put(self, location, RECORD_ENDED, &(struct record){.step = k->clock}) != TCF_OK)
        return TCF_ERROR;
    return gather_tell(self, gather_of(self));
}

static tcf_status apply(tcf_self *self, uint32_t location, const gather_record *head, uint32_t callpath)
{
    struct lane *k = tcf_location_state(self, location);
    const struct record *r = (const void *)head;
    /* The operation at hand, as far as its sources have come; a location of another domain has no other one here. */
    struct call *c = &k->open[0];
    if (head->kind <= RECORD_OPERATION && !k->has_sources)
        *c = (struct call){.sources = NONE};
    k->has_sources = head->kind == RECORD_SOURCE;
    switch (head->kind) {
    case RECORD_SOURCE:
        steps_depend(self, c, r->step, r->end);
        return TCF_OK;
    case RECORD_OPERATION:
        k->takes_part = 1;
        c->step = r->step;
        c->callpath = callpath;
        steps_complete(self, location, c, r->end);
        return TCF_OK;
    case RECORD_BOUND:
        k->takes_part = 1;
        k->clock = r->step - 1;
        return TCF_OK;
    default:
        k->clock = r->step;
        k->ended = 1;
        return TCF_OK;
    }
}

static tcf_status told(tcf_self *self, uint32_t from, const void *letter)
{
    const struct state *st = self->state;
    if (gather_told(self, gather_of(self), from, letter) != TCF_OK)
        return TCF_ERROR;
    return st->out_of_memory ? self->host->fail(self, "out of memory for %u call paths", st->n_by_path) : TCF_OK;
}

tcf_status centre_begin(tcf_self *self)
{
    return gather_begin(self, gather_of(self), apply, told);
}

tcf_status centre_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    self->host->put(pack, &st->counts, sizeof st->counts);
    return gather_pack(self, gather_of(self), pack);
}

tcf_status centre_absorb(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    struct counts more;
    self->host->take(pack, &more, sizeof more);
    st->counts.forgotten += more.forgotten;
    st->counts.no_room += more.no_room;
    st->counts.too_deep += more.too_deep;
    return gather_absorb(self, gather_of(self), pack);
}
