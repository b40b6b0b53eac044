/* Calling filters, and holding them to what they promised: times of a location never decrease behind a filter; with
 * `verify`, what it doesn't declare to write is as before. */
#include "stages.h"

#include <string.h>

static tcf_status broke_order(const instance *f, const tcf_slice *s, uint32_t i, uint64_t before)
{
    return tcf_fail("filter '%s' let time decrease: event %llu of location %llu has time %llu after %llu; this is a "
                    "mistake of the filter",
                    f->self.name, (unsigned long long)(s->first + i),
                    (unsigned long long)f->self.defs->locations[s->location].id, (unsigned long long)s->time[i],
                    (unsigned long long)before);
}

tcf_status pipeline_check_order(instance *f, const tcf_slice *s, uint32_t from, uint32_t to)
{
    if (!f->last_time)
        return TCF_OK;
    uint64_t *last = &f->last_time[s->location];
    uint64_t before = *last;
    int broken = 0;
    for (uint32_t i = from; i < to; i++) {
        broken |= s->time[i] < before;
        before = s->time[i];
    }
    if (!broken) {
        *last = before;
        return TCF_OK;
    }
    before = *last;
    uint32_t i = from;
    for (; s->time[i] >= before; i++)
        before = s->time[i];
    return broke_order(f, s, i, before);
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* Field by field: what else a record's bytes hold, padding and larger kinds, was never written. */
static uint64_t hash_record(uint64_t h, uint8_t kind, const tcf_rec *r)
{
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_##NAME:                                                                                                   \
        FIELDS                                                                                                         \
        break;
#define FIELD(record, ctype, role, field) h = hash_bytes(h, &r->record.field, sizeof r->record.field);
#define FIELD_NONE(record)
    switch (kind) {
        TCF_EVENT_TABLE(E, FIELD, FIELD, FIELD_NONE)
    default:
        break;
    }
#undef E
#undef FIELD
#undef FIELD_NONE
    return h;
}

/* Of the columns that a filter says it leaves alone; NULL: of all. Who changes kinds may write the records, too. */
static uint64_t hash_columns(const tcf_filter *f, const tcf_slice *s)
{
    uint64_t h = 0xcbf29ce484222325u;
    uint32_t writes = f ? f->writes : 0;
    if (!(writes & TCF_TIME))
        h = hash_bytes(h, s->time, s->n * sizeof *s->time);
    if (!(writes & TCF_KIND))
        h = hash_bytes(h, s->kind, s->n);
    for (uint32_t i = 0; i < s->n && !(writes & (TCF_REC | TCF_KIND)); i++)
        h = hash_record(h, s->kind[i], &s->rec[i]);
    if (!(writes & TCF_ATTR))
        h = hash_bytes(h, s->attr, s->n * sizeof *s->attr);
    return hash_bytes(h, &s->n, sizeof s->n);
}

static tcf_status wrote_undeclared(const instance *f, const tcf_slice *s)
{
    return tcf_fail("filter '%s' changed a column of location %llu that it does not declare in `writes`; this is a "
                    "mistake of the filter",
                    f->self.name, (unsigned long long)f->self.defs->locations[s->location].id);
}

tcf_status pipeline_call_slice(instance *f, tcf_slice *s)
{
    const tcf_filter *filter = f->filter;
    int verify = f->pipeline->conf.verify && !(f->self.needs & TCF_DROPS);
    uint64_t hash = verify ? hash_columns(filter, s) : 0;
    tcf_status status = filter->slice(&f->self, s);
    if (status == TCF_ERROR)
        return tcf_while("in filter '%s', location %llu", f->self.name,
                         (unsigned long long)f->self.defs->locations[s->location].id);
    if (status == TCF_HELD || !f->stage->given)
        return status; /* its times are checked when it is released */
    if (pipeline_check_order(f, s, 0, s->n) != TCF_OK)
        return TCF_ERROR;
    if (verify && hash != hash_columns(filter, s))
        return wrote_undeclared(f, s);
    return TCF_OK;
}

tcf_status pipeline_run_segment_filters(stage *st, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        uint64_t hash = st->pipeline->conf.verify ? hash_columns(f->filter, s) : 0;
        if (f->filter->span(&f->self, s, from, to) != TCF_OK)
            return tcf_while("in filter '%s', location %llu", f->self.name,
                             (unsigned long long)f->self.defs->locations[s->location].id);
        if (st->pipeline->conf.verify && hash != hash_columns(f->filter, s))
            return wrote_undeclared(f, s);
        if (pipeline_check_order(f, s, from, to) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

tcf_status pipeline_arrive(stage *st, tcf_slice *s)
{
    for (uint32_t k = 0; k < st->n_filters; k++) {
        instance *f = st->filters[k];
        if (!f->filter->arrive)
            continue;
        uint64_t hash = st->pipeline->conf.verify ? hash_columns(NULL, s) : 0;
        if (f->filter->arrive(&f->self, s) != TCF_OK)
            return tcf_while("in filter '%s', location %llu", f->self.name,
                             (unsigned long long)f->self.defs->locations[s->location].id);
        if (st->pipeline->conf.verify && hash != hash_columns(NULL, s))
            return wrote_undeclared(f, s);
    }
    return TCF_OK;
}
