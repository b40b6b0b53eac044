/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The results as JSON; doc/results.md has its schema. */
#include "framework/base/json.h"
#include "scaling.h"

#include <tcflow/order.h>

#include <inttypes.h>
#include <stdlib.h>

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    json_string(out, text);
}

static void put_number(FILE *out, const char *key, double number)
{
    fprintf(out, ", \"%s\": ", key);
    json_double(out, number);
}

static void put_rank(FILE *out, const char *key, const struct study *s, uint32_t process)
{
    if (process == NONE)
        fprintf(out, ", \"%s\": null", key);
    else
        fprintf(out, ", \"%s\": %" PRIu64, key, s->graph.rank[process]);
}

/* Begins an object. */
static void put_vertex(FILE *out, const struct study *s, uint32_t vertex)
{
    const struct vertex *v = &s->vertex[vertex];
    fputs("{\"region\": ", out);
    json_string(out, v->region);
    put_text(out, "call_path", v->call_path);
    put_text(out, "file", *v->file ? v->file : NULL);
    if (v->line)
        fprintf(out, ", \"line\": %" PRIu32, v->line);
    else
        fputs(", \"line\": null", out);
}

static int compare_ranks(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return TCF_ORDER(*x, *y);
}

static void put_processes(FILE *out, const struct study *s, const uint32_t *process, uint32_t n)
{
    uint64_t *ranks = allocate(n, sizeof *ranks);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = s->graph.rank[process[i]];
    tcf_sort(ranks, n, sizeof *ranks, compare_ranks);
    fputs(", \"processes\": [", out);
    for (uint32_t i = 0; i < n; i++)
        fprintf(out, "%s%" PRIu64, i ? ", " : "", ranks[i]);
    putc(']', out);
    free(ranks);
}

static void put_fit(FILE *out, const struct power_law *fit)
{
    put_number(out, "exponent", fit->exponent);
    put_number(out, "exponent_error", fit->error);
}

static void put_predicted(FILE *out, const struct study *s, uint32_t vertex)
{
    fputs(", \"predicted\": [", out);
    for (uint32_t i = 0; i < s->options->n_predict; i++) {
        struct predicted p = predict(s, vertex, s->options->predict[i]);
        fprintf(out, "%s{\"processes\": %" PRIu32, i ? ", " : "", s->options->predict[i]);
        put_number(out, "share", p.share);
        put_number(out, "low", p.low);
        put_number(out, "high", p.high);
        putc('}', out);
    }
    putc(']', out);
}

static void put_path(FILE *out, const struct study *s, const struct cause *c)
{
    fputs(", \"path\": [", out);
    for (uint32_t i = 0; i < c->n_hops; i++) {
        const struct hop *h = &c->path[i];
        fputs(i ? ",\n      " : "\n      ", out);
        put_vertex(out, s, h->vertex);
        put_rank(out, "process", s, h->process);
        put_rank(out, "waits_for", s, h->waits_for);
        put_number(out, "waiting", h->waiting);
        putc('}', out);
    }
    fprintf(out, "], \"path_agrees\": %s", c->agrees ? "true" : "false");
}

static void put_causes(FILE *out, const struct study *s)
{
    for (uint32_t i = 0; i < s->n_causes; i++) {
        const struct cause *c = &s->cause[i];
        fputs(i ? ",\n    " : "\n    ", out);
        put_vertex(out, s, c->vertex);
        put_text(out, "kind", c->kind);
        put_processes(out, s, c->process, c->n_processes);
        put_number(out, "explains", c->explains);
        put_number(out, "share", c->share);
        put_number(out, "time_share", c->explains / largest(s)->total);
        put_number(out, "ratio", c->ratio);
        put_fit(out, &c->fit);
        put_path(out, s, c);
        put_predicted(out, s, c->vertex);
        putc('}', out);
    }
}

static void put_non_scalable(FILE *out, const struct study *s)
{
    for (uint32_t i = 0; i < s->n_non_scalable; i++) {
        const struct non_scalable *n = &s->non_scalable[i];
        fputs(i ? ",\n    " : "\n    ", out);
        put_vertex(out, s, n->vertex);
        put_text(out, "kind", s->vertex[n->vertex].kind);
        put_fit(out, &n->fit);
        put_number(out, "ideal_exponent", s->weak ? 0 : -1);
        put_number(out, "time_share", n->share);
        put_number(out, "loss", n->loss);
        put_predicted(out, s, n->vertex);
        putc('}', out);
    }
}

static void put_abnormal(FILE *out, const struct study *s)
{
    for (uint32_t i = 0; i < s->n_abnormal; i++) {
        const struct abnormal *a = &s->abnormal[i];
        fputs(i ? ",\n    " : "\n    ", out);
        put_vertex(out, s, a->vertex);
        put_text(out, "kind", s->vertex[a->vertex].kind);
        put_processes(out, s, a->process, a->n_processes);
        put_number(out, "ratio", a->ratio);
        put_number(out, "time_share", a->share);
        putc('}', out);
    }
}

static void put_efficiency(FILE *out, const struct study *s)
{
    for (uint32_t i = 0; i < s->n_sizes; i++) {
        const struct size *z = &s->size[i];
        fprintf(out, "%s{\"processes\": %" PRIu32 ", \"runs\": %" PRIu32, i ? ",\n    " : "\n    ", z->processes, z->n);
        put_number(out, "time", z->total);
        put_number(out, "unknown", z->unknown);
        put_number(out, "efficiency", z->efficiency);
        putc('}', out);
    }
}

static void put_ruled_out(FILE *out, const struct study *s)
{
    for (uint32_t i = 0; i < s->n_ruled_out; i++) {
        const struct ruled_out *r = &s->ruled_out[i];
        fputs(i ? ",\n    " : "\n    ", out);
        put_vertex(out, s, r->vertex);
        put_text(out, "reason", reason_names[r->reason]);
        put_number(out, "time_share", r->share);
        putc('}', out);
    }
}

static void put_notes(FILE *out, const struct study *s)
{
    for (uint32_t i = 0; i < s->n_notes; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        json_string(out, s->note[i]);
    }
}

void write_json(const struct study *s, FILE *out)
{
    static const struct {
        const char *key;
        void (*put)(FILE *out, const struct study *s);
    } lists[] = {{"efficiency", put_efficiency}, {"causes", put_causes},       {"non_scalable", put_non_scalable},
                 {"abnormal", put_abnormal},     {"ruled_out", put_ruled_out}, {"notes", put_notes}};
    fprintf(out, "{\n  \"scaling\": \"%s\"", s->weak ? "weak" : "strong");
    put_number(out, "work_exponent", s->exponent);
    put_number(out, "lost", s->lost);
    for (size_t i = 0; i < TCF_COUNT(lists); i++) {
        fprintf(out, ",\n  \"%s\": [", lists[i].key);
        lists[i].put(out, s);
        fputs("\n  ]", out);
    }
    fputs("\n}\n", out);
}
