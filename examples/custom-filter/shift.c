/* shift: a filter of one's own, out of tree. Moves all timestamps by a constant, as after a clock that was set wrong. */
#include <tcflow/filter.h>

struct conf {
    tcf_duration by;
};

static const tcf_param params[] = {
    {.key = "by", .type = TCF_DURATION, .offset = offsetof(struct conf, by), .default_value = "0", .min = "0",
     .help = "How much later every event shall be"},
    {.key = NULL},
};

static tcf_status shift_slice(tcf_self *self, tcf_slice *s)
{
    const struct conf *conf = self->conf;
    uint64_t by = self->host->ticks(self, conf->by);

    for (uint32_t i = 0; i < s->n; i++)
        s->time[i] += by;
    return TCF_OK;
}

TCF_FILTER = {
    TCF_FILTER_HEAD,
    .name = "shift", .version = "1.0", .summary = "Moves all timestamps by a constant",
    .params = params, .conf_size = sizeof(struct conf),
    .writes = TCF_TIME, .slice = shift_slice,
};
