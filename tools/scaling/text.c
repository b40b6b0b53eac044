/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The results as text for people, whose phrases the page uses, too. */
#include "scaling.h"

#include <inttypes.h>
#include <private/terminal.h>
#include <stdlib.h>
#include <string.h>

static void put_name(FILE *out, const char *name)
{
    tcf_terminal_put(out, name, "");
}

static const char *file_name(const struct vertex *v)
{
    const char *slash = strrchr(v->file, '/');
    return slash ? slash + 1 : v->file;
}

/* Of a computation node also the call that it is behind. */
void text_region(FILE *out, const struct vertex *v)
{
    const char *last = v->computation ? strrchr(v->call_path, '/') : NULL;
    put_name(out, *v->region ? v->region : *v->call_path ? v->call_path : "outside of any call");
    if (last) {
        putc(' ', out);
        put_name(out, last + 1);
    }
}

void text_place(FILE *out, const struct vertex *v)
{
    if (!*v->file)
        return;
    fputs(" (", out);
    put_name(out, file_name(v));
    if (v->line)
        fprintf(out, ":%" PRIu32, v->line);
    putc(')', out);
}

void text_ranks(FILE *out, const struct study *s, const uint32_t *process, uint32_t n)
{
    enum { MOST = 16 };
    if (n == s->graph.n_processes) {
        fputs("all ranks", out);
        return;
    }
    fputs(n == 1 ? "rank" : "ranks", out);
    for (uint32_t i = 0; i < n && (i < MOST || n <= MOST + 1); i++)
        fprintf(out, " %" PRIu64, s->graph.rank[process[i]]);
    if (n > MOST + 1)
        fprintf(out, " and %" PRIu32 " others", n - MOST);
}

static double percent(double share)
{
    return 100 * share;
}

void text_head(FILE *out, const struct study *s)
{
    const struct size *a = smallest(s), *b = largest(s);
    fprintf(out, "%s scaling, %" PRIu32 " to %" PRIu32 " processes: efficiency ", s->weak ? "Weak" : "Strong",
            a->processes, b->processes);
    for (uint32_t i = 0; i < s->n_sizes; i++)
        fprintf(out, "%s%.2f", i ? " -> " : "", s->size[i].efficiency);
    if (s->lost > 0)
        fprintf(out, "; %.0f %% of the processes' time is lost", percent(s->lost / b->total));
    fputs(".\n", out);
    if (!isnan(s->exponent))
        fprintf(
            out,
            "Most of the computing grows as p^%.2f, so this is taken for %s scaling (--scaling %s says otherwise).\n",
            fabs(s->exponent) < 0.005 ? 0 : s->exponent, s->weak ? "weak" : "strong", s->weak ? "strong" : "weak");
}

void text_hop(FILE *out, const struct study *s, const struct hop *h)
{
    text_region(out, &s->vertex[h->vertex]);
    text_place(out, &s->vertex[h->vertex]);
    fprintf(out, ", rank %" PRIu64, s->graph.rank[h->process]);
    if (h->waits_for != NONE)
        fprintf(out, " waits for %" PRIu64, s->graph.rank[h->waits_for]);
}

/* Of a long way the two ends. */
static void put_path(FILE *out, const struct study *s, const struct cause *c)
{
    enum { END = 3 };
    const uint32_t n = c->n_hops;
    if (is_own_path(c)) {
        fputs("     No wait leads to it: it is time of its own.\n", out);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? "  <-  " : "     ", out);
        if (i == END && n > 2 * END + 1) {
            fprintf(out, "%" PRIu32 " hops", n - 2 * END);
            i = n - END - 1;
        } else {
            text_hop(out, s, &c->path[i]);
        }
    }
    fputs("\n", out);
    if (!c->agrees)
        fputs("     That path of the longest waits does not lead to it: only the delay costs do.\n", out);
}

void text_predictions(FILE *out, const struct study *s, uint32_t vertex)
{
    for (uint32_t i = 0; i < s->options->n_predict; i++) {
        struct predicted p = predict(s, vertex, s->options->predict[i]);
        fprintf(out, "     %s %" PRIu32 " processes: %.0f %% of the time", i ? "and at" : "expected at",
                s->options->predict[i], percent(p.share));
        if (!isnan(p.low))
            fprintf(out, ", from %.0f to %.0f %%", percent(p.low), percent(p.high));
        putc('\n', out);
    }
}

static bool is_shown(const struct study *s, uint32_t i)
{
    return s->options->top == 0 || i < s->options->top;
}

static void put_more(FILE *out, const struct study *s, uint32_t n, const char *of)
{
    if (!is_shown(s, n) && n > s->options->top)
        fprintf(out, "   %" PRIu64 " more %s (--top)\n", n - s->options->top, of);
}

static void put_causes(FILE *out, const struct study *s)
{
    for (uint32_t i = 0; i < s->n_causes && is_shown(s, i); i++) {
        const struct cause *c = &s->cause[i];
        fprintf(out, "%-3" PRIu32, i + 1);
        text_region(out, &s->vertex[c->vertex]);
        text_place(out, &s->vertex[c->vertex]);
        fputs(" on ", out);
        text_ranks(out, s, c->process, c->n_processes);
        fprintf(out, " explains %.0f %% of the loss (%s", percent(c->share), c->kind);
        if (c->n_processes < s->graph.n_processes && !isnan(c->ratio) && c->ratio < 1000)
            fprintf(out, ", %.1f x the median", c->ratio);
        fputs(")\n     ", out);
        put_name(out, s->vertex[c->vertex].call_path);
        if (!isnan(c->fit.exponent))
            fprintf(out, "%scosts of a process grow as p^%.2f", *s->vertex[c->vertex].call_path ? ": " : "",
                    c->fit.exponent);
        putc('\n', out);
        put_path(out, s, c);
        text_predictions(out, s, c->vertex);
    }
    put_more(out, s, s->n_causes, "causes");
    if (s->n_causes == 0)
        fputs("Nothing stands out.\n", out);
}

static void put_non_scalable(FILE *out, const struct study *s)
{
    if (s->n_non_scalable > 0)
        fputs("Vertices that do not scale:\n", out);
    for (uint32_t i = 0; i < s->n_non_scalable && is_shown(s, i); i++) {
        const struct non_scalable *n = &s->non_scalable[i];
        fputs("   ", out);
        text_region(out, &s->vertex[n->vertex]);
        text_place(out, &s->vertex[n->vertex]);
        fprintf(out, ": %.0f %% of the time", percent(n->share));
        if (!isnan(n->fit.exponent))
            fprintf(out, ", grows as p^%.2f", n->fit.exponent);
        if (!isnan(n->fit.error))
            fprintf(out, " (+- %.2f)", n->fit.error);
        putc('\n', out);
    }
    put_more(out, s, s->n_non_scalable, "vertices");
}

void text_ruled_out(FILE *out, const struct study *s)
{
    static const char *const said[N_REASONS] = {[IS_SMALL] = "with little loss",
                                                [IS_NOISE] = "within noise",
                                                [IS_NATURAL] = "with the growth of any program",
                                                [IS_STEADY] = "larger on some ranks, but not growing"};
    uint32_t count[N_REASONS] = {0};
    const char *between = "Not reported: ";
    for (uint32_t i = 0; i < s->n_ruled_out; i++)
        count[s->ruled_out[i].reason]++;
    for (uint32_t r = 0; r < N_REASONS; r++)
        if (said[r] && count[r]) {
            fprintf(out, "%s%" PRIu32 " %s %s", between, count[r], count[r] == 1 ? "vertex" : "vertices", said[r]);
            between = "; ";
        }
    for (uint32_t i = 0; i < s->n_ruled_out; i++)
        if (s->ruled_out[i].reason == IS_APART) {
            fputs(between, out);
            text_region(out, &s->vertex[s->ruled_out[i].vertex]);
            fprintf(out, " (%.0f %%)", percent(s->ruled_out[i].share));
            between = "; ";
        }
    if (s->n_ruled_out)
        fputs(".\n", out);
}

void write_text(const struct study *s, FILE *out)
{
    const struct size *b = largest(s);
    text_head(out, s);
    put_causes(out, s);
    if (s->n_causes > 0)
        put_non_scalable(out, s);
    text_ruled_out(out, s);
    if (b->unknown > 0.01 * b->total)
        fprintf(out, "Of waits that take %.0f %% of the processes' time no cause is known.\n",
                percent(b->unknown / b->total));
}
