/* shift: moves all timestamps by a constant, as after a clock that was set wrong.
 *
 * A filter is this file: a struct for its parameters, a table that describes them, what is done with a slice, and at
 * the end the struct that tcflow looks for. <tcflow/filter.h> is all that it needs. */
#include <tcflow/filter.h>

/* What the user sets, parsed and checked: tcflow fills it in before the first event. */
struct conf {
    tcf_duration by;
};

/* One row a parameter. It is also what `tcflow --describe shift` prints, and where the error messages come from. */
static const tcf_param params[] = {
    TCF_PARAM(struct conf, by, TCF_DURATION, "0", "How much later every event shall be", .min = "0"),
};

/* A slice is a run of events of one location, as columns: time[], kind[], rec[], ... This is called for slice after
 * slice, of one location or another. What must be remembered stands in tcf_location_state(self, s->location). */
static tcf_status shift_slice(tcf_self *self, tcf_slice *s)
{
    const struct conf *conf = self->conf;
    uint64_t by = self->host->ticks(self, conf->by);

    for (uint32_t i = 0; i < s->n; i++)
        s->time[i] += by;
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "shift",
    .version = "1.0",
    .summary = "Moves all timestamps by a constant",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .writes = TCF_WRITES_TIME,
    .slice = shift_slice,
};
