/* spanlog: reads a line a call, of process, begin, end and name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tcflow/source.h>

enum { MOST_PROCESSES = 1000 };

typedef struct conf {
    int64_t ticks_per_second;
} conf;

typedef struct state {
    FILE *file;
    uint32_t location_of[MOST_PROCESSES]; /* TCF_NONE: no line has come yet */
} state;

static int spanlog_probe(const tcf_probe *probe)
{
    return tcf_name_ends(probe, ".spanlog");
}

/* Locations are made as their processes are met; `place` gives them their order. */
static uint32_t location_of(tcf_reader *self, uint32_t process)
{
    state *st = self->state;
    char name[32];

    if (st->location_of[process] == TCF_NONE) {
        snprintf(name, sizeof name, "process %" PRIu32, process);
        const uint32_t number = self->host->process(self, process, name);
        st->location_of[process] = self->host->location(self, number, 0, "main thread", TCF_CPU_THREAD);
    }
    return st->location_of[process];
}

static tcf_status take_line(tcf_reader *self, unsigned line, const char *text)
{
    const tcf_source_host *host = self->host;
    uint32_t process;
    uint64_t begin, end;
    char name[100];

    if (sscanf(text, "%" SCNu32 " %" SCNu64 " %" SCNu64 " %99[^\n]", &process, &begin, &end, name) != 4)
        return host->fail(self, "line %u: expected process, begin, end and name", line);
    if (process >= MOST_PROCESSES)
        return host->fail(self, "line %u: process %" PRIu32 "; expected at most %d", line, process, MOST_PROCESSES - 1);
    if (end < begin)
        return host->fail(self, "line %u: the call ends at %" PRIu64 ", before it begins", line, end);
    const tcf_region_name region = {.name = name};
    return host->call(self, location_of(self, process), begin, end, host->region(self, &region));
}

static tcf_status spanlog_read(tcf_reader *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    char text[256];

    memset(st->location_of, 0xff, sizeof st->location_of);
    st->file = fopen(self->path, "r");
    if (!st->file)
        return self->host->fail(self, "cannot be opened");
    tcf_status status = self->host->resolution(self, (uint64_t)c->ticks_per_second);
    for (unsigned line = 1; status == TCF_OK && fgets(text, sizeof text, st->file); line++)
        status = take_line(self, line, text);
    return status;
}

/* Also behind a read() that has failed. */
static void spanlog_fini(tcf_reader *self)
{
    state *st = self->state;

    if (st->file)
        fclose(st->file);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, ticks_per_second, TCF_INT, "1000000000", "Resolution of the times in the file", .min = "1"),
};

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "spanlog",
    .version = "1.0",
    .summary = "Reads a line a call, of process, begin, end and name",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .probe = spanlog_probe,
    .read = spanlog_read,
    .fini = spanlog_fini,
};
