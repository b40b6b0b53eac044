/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A reader of lines "first last name" that keeps the rules, unless one is broken on purpose: -DBREAK_RULE. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/source.h>

struct conf {
    int64_t factor;
};

static const tcf_param params[] = {
    TCF_PARAM(struct conf, factor, TCF_INT, "1", "What times are multiplied by", .min = "1", .max = "1000"),
};

#ifdef BREAK_GLOBAL
static int readings;
#endif

static int lines_probe(const tcf_probe *probe)
{
#ifdef BREAK_PROBE
    return probe->first[probe->n] == 0 ? 1 : 0;
#else
    return tcf_name_ends(probe, ".lines");
#endif
}

static tcf_status read_lines(tcf_reader *self, FILE *file)
{
    const tcf_source_host *host = self->host;
    const struct conf *conf = self->conf;
    char line[200], name[100];
    uint32_t process = host->process(self, 0, "the process");
    uint32_t location = host->location(self, process, 0, "its thread", TCF_CPU_THREAD);
    uint64_t first, last;
    tcf_status status = location == TCF_NONE ? TCF_ERROR : TCF_OK;

    while (status == TCF_OK && fgets(line, sizeof line, file)) {
        const tcf_region_name region = {.name = name};
#ifdef BREAK_CRASH
        if (strchr(line, '\\'))
            abort();
#endif
        if (sscanf(line, "%" SCNu64 "%" SCNu64 "%99s", &first, &last, name) != 3)
#ifdef BREAK_REASON
            return TCF_ERROR;
#else
            return host->fail(self, "a line of something else");
#endif
        status = host->call(self, location, first * (uint64_t)conf->factor, last * (uint64_t)conf->factor,
                            host->region(self, &region));
#ifdef BREAK_IGNORED
        status = TCF_OK;
#endif
    }
    return status;
}

static tcf_status lines_read(tcf_reader *self)
{
    FILE *file = fopen(self->path, "r");
    char *copy = malloc(16);

    if (!file || !copy) {
        free(copy);
        if (file)
            fclose(file);
        return self->host->fail(self, file ? "out of memory" : "cannot be opened");
    }
#ifdef BREAK_GLOBAL
    readings++;
#endif
#ifdef BREAK_STATE
    memset(self->state, 1, 9);
#endif
    tcf_status status = read_lines(self, file);
    fclose(file);
#ifndef BREAK_LEAK
    free(copy);
#endif
#ifdef BREAK_STATUS
    if (status == TCF_OK)
        return (tcf_status)7;
#endif
    return status;
}

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "lines",
    .version = "1.0",
    .summary = "Reads lines of first, last and name",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = 8,
    .probe = lines_probe,
    .read = lines_read,
};
