/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* chrome: tells the framework of the event at hand. */
#include "../shared/numbers/decimal.h"
#include "../shared/regions/categories.h"
#include "chrome.h"

#include <tcflow/grow.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static tcf_status fail_at(const chrome_state *st, const char *what, const char *value)
{
    return st->reader->host->fail(st->reader, "the event at byte %" PRIu64 " ('%.60s'): %s%s%.40s", st->event.at,
                                  text_of(st, st->event.field[FIELD_NAME]), what, *value ? ": " : "", value);
}

static const char *text_in(const chrome_state *st, int field)
{
    return text_of(st, st->event.field[field]);
}

/* ----------------------------------------------------------------------------------------------------------- time --
 */

/* Microseconds to nanoseconds. */
static tcf_status read_time(const chrome_state *st, int field, uint64_t *time)
{
    const char *text = text_in(st, field), *what = field == FIELD_TIME ? "ts" : "dur";
    char message[150];

    const decimal_result result = decimal_read(text, 3, time);
    if (result == DECIMAL_GOOD)
        return TCF_OK;
    snprintf(message, sizeof message, "%s %s%s", what, decimal_problem(result, text),
             result == DECIMAL_NEGATIVE && field == FIELD_TIME
                 ? " (times count from 0: add the same to each ts of the file)"
                 : "");
    return fail_at(st, message, text);
}

/* ------------------------------------------------------------------------------------------------- where it happens --
 */

static tcf_status no_memory(const chrome_state *st)
{
    return st->reader->host->fail(st->reader, "out of memory for processes and threads");
}

/* Numbers come in their order, before texts. */
static uint64_t place_of(const char *id)
{
    char *end;
    const uint64_t number = strtoull(id, &end, 10);
    return *id && !*end && isdigit((unsigned char)*id) && number < UINT64_MAX ? number : UINT64_MAX;
}

static const char *id_text(const chrome_state *st, int field)
{
    const char *text = text_in(st, field);
    return *text ? text : "0";
}

/* The process of the event, by its index here. TCF_NONE: a failure. */
static uint32_t find_process(chrome_state *st)
{
    const char *id = id_text(st, FIELD_PID);
    const tcf_pair_key key = tcf_key_of_text(id, strlen(id));
    uint32_t found = tcf_map_get(&st->process_ids, key.a, key.b);
    char name[64];

    if (found != TCF_MAP_ABSENT)
        return found;
    snprintf(name, sizeof name, "process %.50s", id);
    const uint32_t number = st->reader->host->process(st->reader, place_of(id), name);
    if (number == TCF_NONE)
        return TCF_NONE;
    if (TCF_GROW(&st->processes, &st->processes_room, st->n_processes) != 0 ||
        tcf_map_put(&st->process_ids, key.a, key.b, st->n_processes) != 0) {
        no_memory(st);
        return TCF_NONE;
    }
    st->processes[st->n_processes] = (chrome_process){.number = number, .last_thread = TCF_NONE};
    return st->n_processes++;
}

/* A location of a process: of a thread, or (with `category`) of its asynchronous events. */
static uint32_t find_in(chrome_state *st, uint32_t process, const char *id, const char *category)
{
    const tcf_pair_key key = tcf_key_of_text(id, strlen(id));
    const uint64_t b = tcf_map_hash(key.b, (uint64_t)process << 1 | (category != NULL));
    uint32_t found = tcf_map_get(&st->thread_ids, key.a, b);
    char name[128];

    if (found != TCF_MAP_ABSENT)
        return found;
    snprintf(name, sizeof name, category ? "asynchronous: %.100s" : "thread %.100s", id);
    const uint32_t location =
        st->reader->host->location(st->reader, st->processes[process].number, category ? UINT64_MAX : place_of(id),
                                   name,
                                   st->processes[process].is_accelerator ? TCF_ACCELERATOR_STREAM : TCF_CPU_THREAD);
    if (location == TCF_NONE)
        return TCF_NONE;
    if (TCF_GROW(&st->threads, &st->threads_room, st->n_threads) != 0 ||
        tcf_map_put(&st->thread_ids, key.a, b, st->n_threads) != 0) {
        no_memory(st);
        return TCF_NONE;
    }
    st->threads[st->n_threads] = (chrome_thread){location, st->processes[process].last_thread};
    st->processes[process].last_thread = st->n_threads;
    return st->n_threads++;
}

/* The location of the event's thread, which mostly is that of the event before. TCF_NONE: a failure. */
static uint32_t location_of(chrome_state *st)
{
    const char *pid = id_text(st, FIELD_PID), *tid = id_text(st, FIELD_TID);

    if (st->last_location != 0 && strcmp(pid, st->last_pid) == 0 && strcmp(tid, st->last_tid) == 0)
        return st->last_location - 1;
    const uint32_t process = find_process(st);
    const uint32_t thread = process == TCF_NONE ? TCF_NONE : find_in(st, process, tid, NULL);
    if (thread == TCF_NONE)
        return TCF_NONE;
    st->last_location = 0;
    if (strlen(pid) < sizeof st->last_pid && strlen(tid) < sizeof st->last_tid) {
        strcpy(st->last_pid, pid);
        strcpy(st->last_tid, tid);
        st->last_location = st->threads[thread].location + 1;
    }
    return st->threads[thread].location;
}

static uint32_t asynchronous_location_of(chrome_state *st)
{
    const char *category = text_in(st, FIELD_CATEGORY);
    const uint32_t process = find_process(st);
    const uint32_t thread =
        process == TCF_NONE ? TCF_NONE : find_in(st, process, *category ? category : "events", "asynchronous");
    return thread == TCF_NONE ? TCF_NONE : st->threads[thread].location;
}

/* ---------------------------------------------------------------------------------------------------- metadata (M) --
 */

static tcf_status label_process(chrome_state *st, uint32_t process, const char *labels)
{
    const tcf_source_host *host = st->reader->host;
    tcf_status status = TCF_OK;

    if (strncmp(labels, "GPU ", 4) != 0 || st->processes[process].is_accelerator)
        return TCF_OK;
    st->processes[process].is_accelerator = 1;
    for (uint32_t t = st->processes[process].last_thread; t != TCF_NONE && status == TCF_OK; t = st->threads[t].before)
        status = host->rename_location(st->reader, st->threads[t].location, NULL, TCF_ACCELERATOR_STREAM);
    return status;
}

static tcf_status take_metadata(chrome_state *st)
{
    const tcf_source_host *host = st->reader->host;
    const char *what = text_in(st, FIELD_NAME), *name = chrome_argument_text(st, "name");

    if (strcmp(what, "thread_name") == 0) {
        const uint32_t process = find_process(st), location = location_of(st);
        return location == TCF_NONE
                   ? TCF_ERROR
                   : host->rename_location(st->reader, location, *name ? name : NULL,
                                           st->processes[process].is_accelerator ? TCF_ACCELERATOR_STREAM
                                                                                 : TCF_CPU_THREAD);
    }
    if (strcmp(what, "process_name") != 0 && strcmp(what, "process_labels") != 0)
        return TCF_OK;
    const uint32_t process = find_process(st);
    if (process == TCF_NONE)
        return TCF_ERROR;
    if (strcmp(what, "process_labels") == 0)
        return label_process(st, process, chrome_argument_text(st, "labels"));
    return *name ? host->rename_process(st->reader, st->processes[process].number, name) : TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------------- calls --
 */

/* PyTorch calls a function of Python "FILE(LINE): NAME". */
static uint32_t python_region(chrome_state *st, const char *name, size_t n_file, const char *line)
{
    char *file = strndup(name, n_file);
    const char *behind = strstr(line, "): ");
    tcf_region_name region = {.name = behind + 3, .file = file, .line = (uint32_t)strtoul(line, NULL, 10)};

    if (!file) {
        no_memory(st);
        return TCF_NONE;
    }
    const uint32_t number = st->reader->host->region(st->reader, &region);
    free(file);
    return number;
}

/* Those with short names are remembered: a hash of name and category finds a place, where the last one of it stands. */
static uint32_t named_region(chrome_state *st, const char *name, const char *category)
{
    const uint32_t n_name = st->event.field[FIELD_NAME].n, n_category = st->event.field[FIELD_CATEGORY].n;
    uint32_t hash = n_name;
    chrome_region *r = NULL;

    if (n_name + n_category + 2 <= sizeof r->text) {
        for (uint32_t i = 0; i < n_name; i++)
            hash = hash * 31 + (unsigned char)name[i];
        r = &st->regions[hash % TCF_COUNT(st->regions)];
        if (r->n_name == n_name + 1 && r->n_category == n_category && memcmp(r->text, name, n_name) == 0 &&
            memcmp(r->text + n_name, category, n_category) == 0)
            return r->number;
    }
    tcf_region_name region = {.name = *name ? name : "(no name)"};
    take_category(&region, category, "");
    const uint32_t number = st->reader->host->region(st->reader, &region);
    if (r && number != TCF_NONE) {
        *r = (chrome_region){.number = number, .n_name = (uint8_t)(n_name + 1), .n_category = (uint8_t)n_category};
        memcpy(r->text, name, n_name);
        memcpy(r->text + n_name, category, n_category);
    }
    return number;
}

static uint32_t region_of(chrome_state *st)
{
    const char *name = text_in(st, FIELD_NAME), *category = text_in(st, FIELD_CATEGORY);
    const char *bracket = strcmp(category, "python_function") == 0 ? strchr(name, '(') : NULL;

    for (; bracket; bracket = strchr(bracket + 1, '(')) {
        const size_t digits = strspn(bracket + 1, "0123456789");
        if (digits > 0 && digits < 10 && strncmp(bracket + 1 + digits, "): ", 3) == 0)
            return python_region(st, name, (size_t)(bracket - name), bracket + 1);
    }
    return named_region(st, name, category);
}

static tcf_status take_call(chrome_state *st, uint32_t location, uint64_t time)
{
    uint64_t duration = 0;

    if (st->event.field[FIELD_DURATION].is_there && read_time(st, FIELD_DURATION, &duration) != TCF_OK)
        return TCF_ERROR;
    if (duration > (uint64_t)INT64_MAX - time)
        return fail_at(st, "ts and dur lead beyond 2^63 - 1 ns", text_in(st, FIELD_DURATION));
    if (st->reader->host->call(st->reader, location, time, time + duration, region_of(st)) != TCF_OK)
        return TCF_ERROR;
    if (!*chrome_argument_text(st, "Collective name"))
        return TCF_OK;
    const uint32_t process = find_process(st);
    return process == TCF_NONE ? TCF_ERROR
                               : chrome_take_kineto(st, location, st->processes[process].number, time, time + duration);
}

/* ---------------------------------------------------------------------------------------------------- other events --
 */

/* A counter's name: that of the event, with its id and the name of the series where these say more. */
static tcf_status count(chrome_state *st, uint32_t location, uint64_t time, const chrome_argument *a)
{
    const tcf_source_host *host = st->reader->host;
    const char *name = text_in(st, FIELD_NAME), *id = text_in(st, FIELD_ID), *value = text_of(st, a->value);
    const int with_id = *id && strcmp(id, text_in(st, FIELD_TID)) != 0, with_key = strcmp(a->key, "value") != 0;
    const int is_whole = !strpbrk(value, ".eE");
    char full[512], *end;
    uint64_t bits;
    double d;

    snprintf(full, sizeof full, "%.200s%s%.60s%s%s%s", name, with_id ? " [" : "", with_id ? id : "", with_id ? "]" : "",
             with_key ? ": " : "", with_key ? a->key : "");
    const uint32_t counter = host->counter(st->reader, full, NULL);
    if (is_whole && strlen(value) < 20) {
        bits = *value == '-' ? (uint64_t)strtoll(value, &end, 10) : strtoull(value, &end, 10);
        return host->count(st->reader, location, time, counter, *value == '-' ? TCF_COUNT_INT : TCF_COUNT_UINT, bits);
    }
    d = strtod(value, &end);
    memcpy(&bits, &d, sizeof bits);
    return host->count(st->reader, location, time, counter, TCF_COUNT_DOUBLE, bits);
}

static tcf_status take_counters(chrome_state *st, uint32_t location, uint64_t time)
{
    tcf_status status = TCF_OK;

    for (uint32_t i = 0; i < st->event.n_arguments && status == TCF_OK; i++)
        if (st->event.argument[i].value.is_number)
            status = count(st, location, time, &st->event.argument[i]);
    st->more_series += st->event.more_arguments;
    return status;
}

static tcf_status take_instant(chrome_state *st, uint32_t location, uint64_t time)
{
    const tcf_source_host *host = st->reader->host;
    const char *category = text_in(st, FIELD_CATEGORY), *length = chrome_argument_text(st, "msg_length");

    st->instant.location = TCF_NONE;
    if (*length)
        st->instant = (struct chrome_instant){time, strtoull(length, NULL, 10), location,
                                              (uint32_t)strtoul(chrome_argument_text(st, "msg_tag"), NULL, 10)};
    return host->note(st->reader, location, time, host->note_kind(st->reader, *category ? category : "instant"),
                      text_in(st, FIELD_NAME));
}

/* Category, name and id, or one of the two members of `id2`. */
static tcf_pair_key key_of(const chrome_state *st)
{
    const char *id = text_in(st, FIELD_ID), *local = chrome_argument_text(st, "local"),
               *global = chrome_argument_text(st, "global");
    const char *parts[] = {text_in(st, FIELD_CATEGORY), text_in(st, FIELD_NAME),
                           *id       ? id
                           : *global ? global
                                     : local,
                           !*id && !*global && *local ? id_text(st, FIELD_PID) : ""};
    tcf_pair_key key = {0, 0};

    for (size_t i = 0; i < TCF_COUNT(parts); i++) {
        const tcf_pair_key k = tcf_key_of_text(parts[i], strlen(parts[i]));
        key.a = tcf_map_hash(key.a ^ k.a, i);
        key.b = tcf_map_hash(key.b ^ k.b, i + 16);
    }
    return key;
}

static tcf_status take_flow(chrome_state *st, uint32_t location, uint64_t time, char phase)
{
    const tcf_source_host *host = st->reader->host;
    const struct chrome_instant *front = &st->instant;
    const int has_size = front->location == location && front->time == time;
    tcf_status status = TCF_OK;

    if (phase != 's')
        status = host->receive(st->reader, location, time, key_of(st));
    if (phase == 'f' || status != TCF_OK)
        return status;
    return host->send(st->reader, location, time, has_size ? front->bytes : 0, has_size ? front->tag : 0, key_of(st));
}

static tcf_status take_asynchronous(chrome_state *st, uint64_t time, char phase)
{
    const tcf_source_host *host = st->reader->host;
    const uint32_t location = asynchronous_location_of(st);

    switch (phase) {
    case 'b':
    case 'S':
        return host->begin(st->reader, location, time, region_of(st), key_of(st));
    case 'e':
    case 'F':
        return host->end(st->reader, location, time, key_of(st));
    default:
        return take_instant(st, location, time);
    }
}

tcf_status chrome_take(chrome_state *st)
{
    const tcf_source_host *host = st->reader->host;
    const char *phase = text_in(st, FIELD_PHASE);
    uint64_t time;

    if (st->n_events == 1)
        st->instant.location = TCF_NONE;
    if (st->event.field[FIELD_PHASE].n != 1 || !strchr("BEXiIRCstfbenSFTpM", *phase)) {
        host->left_out(st->reader, 1);
        return TCF_OK;
    }
    if (*phase == 'M')
        return take_metadata(st);
    if (read_time(st, FIELD_TIME, &time) != TCF_OK)
        return TCF_ERROR;
    if (strchr("benSFTp", *phase))
        return take_asynchronous(st, time, *phase);
    const uint32_t location = location_of(st);
    if (location == TCF_NONE)
        return TCF_ERROR;
    switch (*phase) {
    case 'B':
        return host->enter(st->reader, location, time, region_of(st));
    case 'E':
        return host->leave(st->reader, location, time, TCF_NONE);
    case 'X':
        return take_call(st, location, time);
    case 'C':
        return take_counters(st, location, time);
    case 's':
    case 't':
    case 'f':
        return take_flow(st, location, time, *phase);
    default:
        return take_instant(st, location, time);
    }
}

void chrome_tell(const chrome_state *st)
{
    const tcf_reader *self = st->reader;

    chrome_tell_kineto(st);
    if (st->more_series > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " values of counters are left out: an event has more than %d",
                        st->more_series, (int)ARGUMENTS_MOST);
}
