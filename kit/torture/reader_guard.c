/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A reader behind a guard: the framework calls the guard, which calls the reader with a host of its own; so it sees
 * what the reader asks for, makes it fail, and looks at state and parameters afterwards. */
#include "readers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader_guard {
    tcf_source source; /* what the framework sees */
    const tcf_source *of;
    const void *given; /* its parameters; the framework hands the guard on as such */
    board *board;
    reading_plan plan;
    tcf_reader reader; /* what the reader sees; its `framework` is the guard */
    tcf_reader *real;
    tcf_source_host host;
    unsigned char *state, *conf;
    uint64_t calls, warnings;
    int failed, injected; /* something was told to have failed; by the plan */
};

static reader_guard *guard_of(const tcf_reader *self)
{
    return self->framework;
}

static void find(const reader_guard *g, enum rule rule, const char *text)
{
    report_finding(g->board, rule, CALL_NONE, NO_EVENT, NO_EVENT, "%s", text);
}

/* Does this call fail? */
static int fails(reader_guard *g)
{
    g->calls++;
    const int now = g->plan.fail_host_at > 0 &&
                    (g->plan.fail_all ? g->calls >= g->plan.fail_host_at : g->calls == g->plan.fail_host_at);
    if (now) {
        g->real->host->fail(g->real, "failed on purpose");
        g->injected = g->failed = 1;
    }
    return now;
}

static tcf_status noted(reader_guard *g, tcf_status status)
{
    g->failed |= status != TCF_OK;
    return status;
}

static uint32_t noted_number(reader_guard *g, uint32_t number)
{
    g->failed |= number == TCF_NONE;
    return number;
}

/* ------------------------------------------------------------------------------------------------------ the host -- */

static void host_log(const tcf_reader *self, tcf_log_level level, const char *format, ...)
{
    reader_guard *g = guard_of(self);
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    g->warnings += level == TCF_LOG_WARNING;
    g->real->host->log(g->real, level, "%s", text);
}

static tcf_status host_fail(const tcf_reader *self, const char *format, ...)
{
    reader_guard *g = guard_of(self);
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    g->failed = 1;
    return g->real->host->fail(g->real, "%s", text);
}

static tcf_status host_refuse(const tcf_reader *self, const char *format, ...)
{
    reader_guard *g = guard_of(self);
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    g->failed = 1;
    return g->real->host->refuse(g->real, "%s", text);
}

static int host_interrupted(const tcf_reader *self)
{
    const reader_guard *g = guard_of(self);
    return (g->plan.fail_all && g->injected) || g->real->host->interrupted(g->real);
}

/* Functions that return a status, and those that return a number. */
#define STATUS(name, parameters, ...)                                                                                  \
    static tcf_status host_##name parameters                                                                           \
    {                                                                                                                  \
        reader_guard *g = guard_of(self);                                                                              \
        return fails(g) ? TCF_ERROR : noted(g, g->real->host->name(g->real, ##__VA_ARGS__));                           \
    }
#define NUMBER(name, parameters, ...)                                                                                  \
    static uint32_t host_##name parameters                                                                             \
    {                                                                                                                  \
        reader_guard *g = guard_of(self);                                                                              \
        return fails(g) ? TCF_NONE : noted_number(g, g->real->host->name(g->real, __VA_ARGS__));                       \
    }

STATUS(resolution, (tcf_reader * self, uint64_t ticks), ticks)
NUMBER(process, (tcf_reader * self, uint64_t place, const char *name), place, name)
NUMBER(location, (tcf_reader * self, uint32_t process, uint64_t place, const char *name, enum tcf_location_type type),
       process, place, name, type)
STATUS(rename_process, (tcf_reader * self, uint32_t process, const char *name), process, name)
STATUS(rename_location, (tcf_reader * self, uint32_t location, const char *name, enum tcf_location_type type), location,
       name, type)
NUMBER(region, (tcf_reader * self, const tcf_region_name *region), region)
NUMBER(counter, (tcf_reader * self, const char *name, const char *unit), name, unit)
NUMBER(note_kind, (tcf_reader * self, const char *name), name)
STATUS(call, (tcf_reader * self, uint32_t location, uint64_t begin, uint64_t end, uint32_t region), location, begin,
       end, region)
STATUS(enter, (tcf_reader * self, uint32_t location, uint64_t time, uint32_t region), location, time, region)
STATUS(leave, (tcf_reader * self, uint32_t location, uint64_t time, uint32_t region), location, time, region)
STATUS(begin, (tcf_reader * self, uint32_t location, uint64_t time, uint32_t region, tcf_pair_key key), location, time,
       region, key)
STATUS(end, (tcf_reader * self, uint32_t location, uint64_t time, tcf_pair_key key), location, time, key)
STATUS(count,
       (tcf_reader * self, uint32_t location, uint64_t time, uint32_t counter, tcf_count_type type, uint64_t value),
       location, time, counter, type, value)
STATUS(note, (tcf_reader * self, uint32_t location, uint64_t time, uint32_t kind, const char *text), location, time,
       kind, text)
STATUS(send, (tcf_reader * self, uint32_t location, uint64_t time, uint64_t bytes, uint32_t tag, tcf_pair_key key),
       location, time, bytes, tag, key)
STATUS(receive, (tcf_reader * self, uint32_t location, uint64_t time, tcf_pair_key key), location, time, key)
STATUS(flow,
       (tcf_reader * self, uint32_t location, uint64_t time, uint64_t bytes, uint32_t tag, int ends, tcf_pair_key key),
       location, time, bytes, tag, ends, key)

STATUS(sampled, (tcf_reader * self))
NUMBER(communicator, (tcf_reader * self, tcf_pair_key key, const char *name, uint32_t size, uint8_t paradigm), key,
       name, size, paradigm)
STATUS(member, (tcf_reader * self, uint32_t communicator, uint32_t rank, uint32_t process), communicator, rank, process)
STATUS(send_to, (tcf_reader * self, uint32_t location, const tcf_message *message), location, message)
STATUS(receive_from, (tcf_reader * self, uint32_t location, const tcf_message *message), location, message)
STATUS(collective, (tcf_reader * self, uint32_t location, const tcf_operation *operation), location, operation)

static tcf_pair_key host_across(const tcf_reader *self, tcf_pair_key key)
{
    const reader_guard *g = guard_of(self);
    return g->real->host->across(g->real, key);
}

static void host_left_out(tcf_reader *self, uint64_t records)
{
    reader_guard *g = guard_of(self);
    g->real->host->left_out(g->real, records);
}

/* ---------------------------------------------------------------------------------------------------- the reader -- */

/* Memory with bytes behind it that are looked at afterwards. */
static unsigned char *guarded(const void *from, size_t bytes)
{
    unsigned char *p = need(malloc(bytes + CANARY));

    if (from)
        memcpy(p, from, bytes);
    else
        memset(p, 0, bytes);
    memset(p + bytes, CANARY_BYTE, CANARY);
    return p;
}

static int is_whole(const unsigned char *p, size_t bytes)
{
    for (size_t i = 0; i < CANARY; i++)
        if (p[bytes + i] != CANARY_BYTE)
            return 0;
    return 1;
}

static tcf_status guard_read(tcf_reader *self)
{
    reader_guard *g = (reader_guard *)(uintptr_t)self->conf;

    g->real = self;
    g->host = *self->host;
    g->host.log = host_log;
    g->host.fail = host_fail;
    g->host.refuse = host_refuse;
    g->host.interrupted = host_interrupted;
#define TAKE(name) g->host.name = host_##name;
    TAKE(resolution)
    TAKE(process)
    TAKE(location)
    TAKE(rename_process)
    TAKE(rename_location)
    TAKE(region)
    TAKE(counter)
    TAKE(note_kind)
    TAKE(call)
    TAKE(enter)
    TAKE(leave)
    TAKE(begin)
    TAKE(end)
    TAKE(count)
    TAKE(note)
    TAKE(send)
    TAKE(receive)
    TAKE(flow)
    TAKE(left_out)
    TAKE(sampled)
    TAKE(across)
    TAKE(communicator)
    TAKE(member)
    TAKE(send_to)
    TAKE(receive_from)
    TAKE(collective)
#undef TAKE
    g->state = guarded(NULL, g->of->state_size);
    g->conf = guarded(g->given, g->of->conf_size);
    g->reader = *self;
    g->reader.host = &g->host;
    g->reader.state = g->state;
    g->reader.conf = g->conf;
    g->reader.framework = g;
    const tcf_status status = g->of->read(&g->reader);
    if (status != TCF_OK && status != TCF_ERROR)
        find(g, RULE_STATUS, "read() returned something else");
    else if (status == TCF_ERROR && !g->failed)
        find(g, RULE_REASON, "read() returned TCF_ERROR, and nothing has failed");
    else if (status == TCF_OK && g->injected)
        find(g, RULE_IGNORED, "a function of the host has failed, and read() returned TCF_OK");
    if (!is_whole(g->state, g->of->state_size))
        find(g, RULE_STATE, "bytes behind the state were written");
    if (!is_whole(g->conf, g->of->conf_size) || memcmp(g->conf, g->given, g->of->conf_size) != 0)
        find(g, RULE_CONF, "the parameters, or bytes behind them, were written");
    if (status == TCF_ERROR && !g->failed)
        return self->host->fail(self, "without a reason");
    return status == TCF_OK ? TCF_OK : TCF_ERROR;
}

static void guard_fini(tcf_reader *self)
{
    reader_guard *g = (reader_guard *)(uintptr_t)self->conf;

    if (g->of->fini)
        g->of->fini(&g->reader);
    if (!is_whole(g->state, g->of->state_size))
        find(g, RULE_STATE, "fini() has written behind the state");
}

reader_guard *reader_guard_new(const tcf_source *of, board *b, const reading_plan *wrong, const void *conf)
{
    reader_guard *g = need(calloc(1, sizeof *g));

    *g = (reader_guard){.source = *of, .of = of, .given = conf, .board = b, .plan = *wrong};
    g->source.read = guard_read;
    g->source.fini = guard_fini;
    return g;
}

const tcf_source *reader_guard_source(reader_guard *g)
{
    return &g->source;
}

uint64_t reader_guard_calls(const reader_guard *g)
{
    return g->calls;
}

uint64_t reader_guard_warnings(const reader_guard *g)
{
    return g->warnings;
}

void reader_guard_delete(reader_guard *g)
{
    free(g->state);
    free(g->conf);
    free(g);
}
