/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Runs of a harness: hangs a filter of its own (harness_collect) at the end of the chain, and copies what arrives there
 * before the pipeline is taken down. */
#define _GNU_SOURCE /* vasprintf() */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/base/error.h"
#include "framework/pipeline/observer.h"
#include "framework/pipeline/session.h"

/* ------------------------------------------------------------------------------------------------------- collect -- */

static const uint8_t *copy_arena(tcfh *h, const tcf_slice *s)
{
    const block *b = ((const slice *)s)->block; /* what filters see is the slice's first member */
    h->arenas = harness_bigger(h, h->arenas, h->n_arenas, &h->arenas_capacity, sizeof *h->arenas);
    uint8_t *copy = harness_checked(h, malloc(b->arena_used));
    memcpy(copy, b->arena, b->arena_used);
    h->arenas[h->n_arenas++] = copy;
    return copy;
}

static void copy_slice(tcfh *h, const tcf_slice *s)
{
    struct lane *l = &h->lanes[s->location];
    uint32_t number = (uint32_t)h->n_arenas;
    const uint8_t *arena = copy_arena(h, s);
    for (uint32_t i = 0; i < s->n; i++) {
        l->out = harness_bigger(h, l->out, l->n_out, &l->out_capacity, sizeof *l->out);
        const tcf_edge *e = s->match ? tcf_edge_of(s, i) : NULL;
        l->out[l->n_out++] =
            (tcfh_out){.time = s->time[i],
                       .kind = s->kind[i],
                       .rec = s->rec[i],
                       .attributes = s->attr[i] ? (const tcf_attributes *)(const void *)(arena + s->attr[i]) : NULL,
                       .arena = arena,
                       .edge_number = e ? e->number : UINT64_MAX,
                       .callpath = s->callpath ? s->callpath[i] : TCF_NONE,
                       .slice = number,
                       .edge = s->edge ? s->edge[i] : 0};
    }
}

static tcf_status collect_slice(tcf_self *self, tcf_slice *s)
{
    tcfh *h = ((struct feed *)observer_source(self))->h;

    pthread_mutex_lock(&h->collecting);
    copy_slice(h, s);
    pthread_mutex_unlock(&h->collecting);
    return TCF_OK;
}

static const tcf_filter collect = {
    .head = TCF_FILTER_HEAD,
    .name = "harness_collect",
    .version = "1",
    .summary = "Copies what comes out of a chain",
    .can = TCF_CAN_DOMAINS,
    .slice = collect_slice,
};

/* ------------------------------------------------------------------------------------------------------- running -- */

/* The text as settings, with an input and harness_collect at the end of the chain. *chain is to be freed. */
static settings *load(tcfh *h, const char *ini, char **chain)
{
    static const char *const input[] = {"pipeline.input=harness"};
    FILE *f = harness_checked(h, fopen(tcfh_path(h, "pipeline.ini"), "w"));
    fputs(ini, f);
    fclose(f);
    settings *s = settings_load(tcfh_path(h, "pipeline.ini"), input, 1);
    settings_entry *e = s ? settings_entry_of(settings_find(s, "pipeline"), "chain") : NULL;
    if (e) {
        free(*chain);
        size_t bytes = strlen(e->value) + sizeof " harness_collect";
        *chain = harness_checked(h, malloc(bytes));
        snprintf(*chain, bytes, "%s harness_collect", e->value);
        e->value = *chain;
    }
    return s;
}

static void note_result(tcfh *h, session *p)
{
    session_summary summary;
    session_summarise(p, &summary);
    for (; h->n_notes < summary.n_notes && h->n_notes < HARNESS_NOTES; h->n_notes++) {
        snprintf(h->notes[h->n_notes].key, sizeof h->notes[0].key, "%s", summary.notes[h->n_notes].key);
        h->notes[h->n_notes].count = summary.notes[h->n_notes].count;
    }
}

static tcf_status run(tcfh *h, const char *ini)
{
    char *chain = NULL;
    tcf_status status = TCF_ERROR;
    tcfh_definitions(h);
    harness_forget_output(h);
    error_clear();
    setenv("SCRATCH", h->folder, 1);
    settings *s = load(h, ini, &chain);
    h->filters[h->n_filters] = &collect;
    h->filters[h->n_filters + 1] = NULL;
    session *p = s ? session_new_over(s, h->plugin_path, h->filters, harness_feed(h)) : NULL;
    if (p) {
        status = h->checking ? session_check(p) : session_run(p, NULL);
        note_result(h, p);
    }
    free(h->error);
    h->error = harness_checked(h, strdup(status == TCF_OK ? "" : error_text()));
    h->usage = status != TCF_OK && error_is_usage();
    session_delete(p);
    settings_free(s);
    free(chain);
    return status;
}

static tcf_status run_formatted(tcfh *h, const char *ini, va_list arguments) __attribute__((format(printf, 2, 0)));
static tcf_status run_formatted(tcfh *h, const char *ini, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, ini, arguments) < 0)
        harness_fail(h, "out of memory");
    tcf_status status = run(h, text);
    free(text);
    return status;
}

tcf_status tcfh_try(tcfh *h, const char *ini, ...)
{
    va_list arguments;
    va_start(arguments, ini);
    tcf_status status = run_formatted(h, ini, arguments);
    va_end(arguments);
    return status;
}

void tcfh_run(tcfh *h, const char *ini, ...)
{
    va_list arguments;
    va_start(arguments, ini);
    tcf_status status = run_formatted(h, ini, arguments);
    va_end(arguments);
    if (status != TCF_OK)
        harness_fail(h, "the run failed: %s", h->error);
}

const tcfh_out *tcfh_output(tcfh *h, uint32_t location, size_t *n)
{
    *n = h->lanes[location].n_out;
    return h->lanes[location].out;
}

int harness_same_attributes(const tcf_attributes *a, const tcf_attributes *b)
{
    if (!a || !b || a->n != b->n)
        return a == b;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->at[i].value != b->at[i].value || a->at[i].attribute != b->at[i].attribute ||
            a->at[i].type != b->at[i].type)
            return 0;
    return 1;
}

static int same_event(const struct input *in, const tcfh_out *out)
{
    if (in->time != out->time || in->kind != out->kind || !harness_same_attributes(in->attributes, out->attributes))
        return 0;
    if (in->kind != TCF_METRIC)
        return memcmp(&in->rec, &out->rec, sizeof in->rec) == 0;
    return in->rec.metric.metric == out->rec.metric.metric &&
           memcmp(&in->value, out->arena + out->rec.metric.metric_values, 8) == 0 &&
           in->type == out->arena[out->rec.metric.type_ids];
}

void tcfh_times(tcfh *h, uint32_t location, const uint64_t *expected, size_t n)
{
    size_t got;
    const tcfh_out *out = tcfh_output(h, location, &got);
    if (got != n)
        harness_fail(h, "%zu events came out of location %u instead of %zu", got, location, n);
    for (size_t i = 0; i < n; i++)
        if (out[i].time != expected[i])
            harness_fail(h, "event %zu of location %u: %llu instead of %llu", i, location,
                         (unsigned long long)out[i].time, (unsigned long long)expected[i]);
}

/* Is there a line in the file that is `line`, or begins so? */
static int has_line(tcfh *h, const char *name, const char *line, int begins)
{
    const char *text = tcfh_text(h, name);
    size_t n = strlen(line);
    if (!text)
        harness_fail(h, "there is no file '%s'", name);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, line, n) == 0 && (begins || strchr("\r\n", text[n])))
            return 1;
    return 0;
}

void tcfh_line(tcfh *h, const char *name, const char *line)
{
    if (!has_line(h, name, line, 0))
        harness_fail(h, "'%s' is not in %s:\n%s", line, name, tcfh_text(h, name));
}

void tcfh_no_line(tcfh *h, const char *name, const char *begin)
{
    if (has_line(h, name, begin, 1))
        harness_fail(h, "'%s' is in %s:\n%s", begin, name, tcfh_text(h, name));
}

void tcfh_unchanged(tcfh *h)
{
    for (uint32_t l = 0; l < harness_locations(h); l++) {
        const struct lane *lane = &h->lanes[l];
        for (size_t i = 0; i < lane->n && i < lane->n_out; i++)
            if (!same_event(&lane->in[i], &lane->out[i]))
                harness_fail(h, "event %zu of location %u came out changed", i, l);
        if (lane->n != lane->n_out)
            harness_fail(h, "%zu of %zu events of location %u came out", lane->n_out, lane->n, l);
    }
}

const char *tcfh_error(const tcfh *h)
{
    return h->error;
}

int tcfh_error_is_usage(const tcfh *h)
{
    return h->usage;
}

uint64_t tcfh_note(const tcfh *h, const char *key)
{
    for (size_t i = 0; i < h->n_notes; i++)
        if (strcmp(h->notes[i].key, key) == 0)
            return h->notes[i].count;
    return 0;
}

const char *tcfh_path(tcfh *h, const char *name)
{
    free(h->path);
    if (asprintf(&h->path, "%s/%s", h->folder, name) < 0)
        h->path = NULL;
    return harness_checked(h, h->path);
}

const char *tcfh_text(tcfh *h, const char *name)
{
    FILE *f = fopen(tcfh_path(h, name), "r");
    size_t capacity = 0;
    free(h->text);
    h->text = NULL;
    if (!f)
        return NULL;
    if (getdelim(&h->text, &capacity, '\0', f) < 0) { /* it is empty */
        free(h->text);
        h->text = strdup("");
    }
    fclose(f);
    return harness_checked(h, h->text);
}
