/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* One reading of a file by a reader behind its guard, and the comparison of two. All locations are read, in slices of
 * any size, and written down: names of definitions, then events with all their fields. */
#include "readers.h"

#include "framework/source/open.h"
#include "framework/trace/slice.h"

#include <private/roles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/events.h>

/* ------------------------------------------------------------------------------------------------------ in words -- */

#define PLAIN(record, ctype, role, field)                                                                              \
    fprintf(out, " %llu", (unsigned long long)r->record.field);                                                        \
    length = (uint64_t)r->record.field;
#define ARRAY(record, ctype, role, field) ARRAY_##role(record, field)
#define ARRAY_TYPE(record, field)                                                                                      \
    for (uint64_t k = 0; k < length; k++)                                                                              \
        fprintf(out, " %u", ((const uint8_t *)tcf_at(v, r->record.field))[k]);
#define ARRAY_METRIC_VALUE(record, field)                                                                              \
    for (uint64_t k = 0; k < length; k++)                                                                              \
        fprintf(out, " %llu", (unsigned long long)((const uint64_t *)tcf_at(v, r->record.field))[k]);
#define ARRAY_STRING(record, field)
#define NONE(record)

static void put_event(FILE *out, const tcf_slice *v, uint32_t i)
{
    const tcf_rec *r = &v->rec[i];
    uint64_t length = 0;

    fprintf(out, "%u %llu %u", v->location, (unsigned long long)v->time[i], v->kind[i]);
    switch (v->kind[i]) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number:                                                                                                       \
        FIELDS break;
        TCF_EVENT_TABLE(E, PLAIN, ARRAY, NONE)
#undef E
    default:
        break;
    }
    (void)length;
    fputc('\n', out);
}

static void put_definitions(FILE *out, const tcf_definitions *d)
{
    fprintf(out, "%llu ticks a second\n", (unsigned long long)d->clock.resolution);
    for (uint32_t i = 0; i < d->n_locations; i++)
        fprintf(out, "location %u: %s, %llu events\n", i, d->locations[i].name,
                (unsigned long long)d->locations[i].events);
    for (uint32_t i = 0; i < d->n_regions; i++)
        fprintf(out, "region %u: %s\n", i, d->regions[i].name);
}

static tcf_status put_all(FILE *out, source *src, uint32_t most)
{
    const tcf_definitions *d = source_definitions(src);
    const slice_layout layout = {.capacity = most, .arena = 4096};
    pool *p = pool_new(&layout, 1);
    tcf_status status = p ? TCF_OK : TCF_ERROR;

    put_definitions(out, d);
    for (uint32_t l = 0; l < d->n_locations && status == TCF_OK; l++)
        for (int ended = 0; !ended && status == TCF_OK;) {
            slice *s = slice_get(p, l);
            status = source_read(src, l, s, most, &ended);
            for (uint32_t i = 0; status == TCF_OK && i < s->v.n; i++)
                put_event(out, &s->v, i);
            slice_put(p, s);
        }
    pool_delete(p);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- parameters -- */

/* The reader's section: what the command line has of it, and one value besides. */
static settings *own_settings(const torture *t, const reading_options *o)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const settings_section *given = settings_find(t->settings, t->reader->name);

    fprintf(need(out), "[%s]\n", t->reader->name);
    for (size_t i = 0; given && i < given->n_entries; i++)
        if (!o->values[0] || strcmp(given->entries[i].key, o->values[0]) != 0)
            fprintf(out, "%s = %s\n", given->entries[i].key, given->entries[i].value);
    if (o->values[0])
        fprintf(out, "%s = %s\n", o->values[0], o->values[1]);
    fclose(out);
    FILE *in = fmemopen(text, size, "r");
    settings *s = settings_read(need(in), "parameters");
    fclose(in);
    free(text);
    return s;
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

static void look_at_memory(torture *t, const reading *r, unsigned files)
{
    if (r->memory.leaks > 0)
        report_finding(
            t->board, RULE_LEAK, CALL_FINI, NO_EVENT, NO_EVENT,
            "%llu allocations, %llu bytes in all, are never freed%s; one of them is made at 0x%llx of the file",
            (unsigned long long)r->memory.leaks, (unsigned long long)r->memory.leaked_bytes,
            r->status == TCF_OK ? "" : " where reading has failed", (unsigned long long)r->memory.leak_at);
    const unsigned now = open_files();
    if (files > 0 && now > files)
        report_finding(t->board, RULE_LEAK, CALL_FINI, NO_EVENT, NO_EVENT, "%u files are still open", now - files);
}

static reading read_with(torture *t, const reading_options *o, const void *conf)
{
    reading r = {.status = TCF_ERROR};
    reader_guard *g = reader_guard_new(t->reader, t->board, &o->plan, conf);
    const source_format format = {reader_guard_source(g), t->reader->name, g};
    const source_options options = {.format = &format, .memory = o->memory ? o->memory : 64 << 20};
    const void *code = (const void *)t->reader->read;
    const unsigned files = open_files();
    variables *v = memory_watched() ? variables_copy(code) : NULL;
    uint64_t at;

    error_clear();
    memory_start(code, o->plan.fail_allocation_at);
    source *src = source_open(o->path ? o->path : t->sample, &options);
    r.memory = memory_stop();
    if (src) {
        FILE *out = open_memstream(&r.text, &r.text_bytes);
        r.status = put_all(need(out), src, o->slice ? o->slice : 4096);
        fclose(out);
    }
    snprintf(r.error, sizeof r.error, "%s", r.status == TCF_OK ? "" : error_text());
    source_close(src);
    r.host_calls = reader_guard_calls(g);
    r.warnings = reader_guard_warnings(g);
    reader_guard_delete(g);
    if (r.status != TCF_OK && !*r.error)
        report_finding(t->board, RULE_REASON, CALL_NONE, NO_EVENT, NO_EVENT, "reading has failed without a word");
    look_at_memory(t, &r, files);
    if (variables_changed(v, &at))
        report_finding(t->board, RULE_GLOBAL, CALL_NONE, NO_EVENT, NO_EVENT,
                       "a variable of the file has changed during a run (at 0x%llx of the file)",
                       (unsigned long long)at);
    variables_free(v);
    t->board->runs++;
    printf("%s: %s\n", o->path ? o->path : t->sample, r.status == TCF_OK ? "read" : r.error);
    return r;
}

reading read_sample(torture *t, const reading_options *o, int *refused)
{
    reading r = {.status = TCF_ERROR};
    string_store *storage = NULL;
    void *conf = need(calloc(1, t->reader->conf_size + 1));
    settings *s = own_settings(t, o);

    *refused = !s || settings_parse(&t->reader->params, conf, NULL, settings_find(s, t->reader->name), NULL,
                                    &storage) != TCF_OK;
    if (*refused)
        snprintf(r.error, sizeof r.error, "%s", error_text());
    else
        r = read_with(t, o, conf);
    settings_free(s);
    store_free(storage);
    free(conf);
    return r;
}

void reading_free(reading *r)
{
    free(r->text);
    *r = (reading){0};
}

void reading_compare(torture *t, const reading *a, const reading *b, enum rule rule, const char *what)
{
    size_t line = 0;

    if (a->status != b->status) {
        report_finding(t->board, rule, CALL_NONE, NO_EVENT, NO_EVENT, "reading fails %s: %s", what,
                       a->status != TCF_OK ? a->error : b->error);
        return;
    }
    if (a->status != TCF_OK || (a->text_bytes == b->text_bytes && memcmp(a->text, b->text, a->text_bytes) == 0))
        return;
    for (size_t i = 0; a->text[i] && a->text[i] == b->text[i]; i++)
        if (a->text[i] == '\n')
            line = i + 1;
    report_finding(t->board, rule, CALL_NONE, NO_EVENT, NO_EVENT, "'%.*s' instead of '%.*s' is read %s",
                   (int)strcspn(b->text + line, "\n"), b->text + line, (int)strcspn(a->text + line, "\n"),
                   a->text + line, what);
}
