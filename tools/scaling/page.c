/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The results as one self-contained page of HTML without any script: what it shows can be read, printed, and searched
 * by the browser. Names from a trace only get into it by page_text(). */
#include "framework/base/text_stream.h"
#include "page_parts.h"

#include <tcflow/order.h>

#include <inttypes.h>
#include <stdlib.h>

/* A page with all of a large program would be too large to be looked at. */
enum { MOST_CAUSES = 100, MOST_ROWS = 500, MOST_PROCESSES = 32, MOST_CURVES = 20 };

static const char style[] =
#include "tools/scaling/page_css.h"
    ;

FILE *begin_phrase(struct phrase *p)
{
    p->out = open_memstream(&p->text, &p->size);
    if (!p->out)
        fail("out of memory");
    return p->out;
}

void put_phrase(FILE *out, struct phrase *p)
{
    if (text_stream_close(p->out, &p->text) != 0)
        fail("out of memory");
    page_text(out, p->text);
    free(p->text);
}

void put_vertex_name(FILE *out, const struct vertex *v)
{
    struct phrase p;
    text_region(begin_phrase(&p), v);
    text_place(p.out, v);
    put_phrase(out, &p);
}

static void put_processes(FILE *out, const struct study *s, const uint32_t *process, uint32_t n)
{
    struct phrase p;
    text_ranks(begin_phrase(&p), s, process, n);
    put_phrase(out, &p);
}

static double percent(double share)
{
    return 100 * share;
}

/* Behind a list that shows n elements, but `most` at most. */
static void put_more(FILE *out, uint32_t n, uint32_t most, const char *what)
{
    if (n == 0)
        fprintf(out, "<p>No %s.</p>\n", what);
    if (n > most)
        fprintf(out, "<p class=\"none\">And %" PRIu32 " more %s, which --format json has.</p>\n", n - most, what);
}

/* ----------------------------------------------------------------------------------------------------- imbalance -- */

struct times {
    double own, delay;
    uint32_t process;
};

static int compare_times(const void *a, const void *b)
{
    const struct times *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->own, x->own), TCF_ORDER(x->process, y->process));
}

static void put_bar(FILE *out, double value, double most, const char *class)
{
    if (value > 0 && most > 0)
        fprintf(out, "<span class=\"bar %s\" style=\"width:%.1f%%\"></span>", class, 100 * value / most);
}

static void put_times(FILE *out, const struct times *t, double median, double most, const char *class)
{
    fputs("<td>", out);
    put_bar(out, t->own, most, class);
    fprintf(out, "%.4g</td>", t->own);
    if (median > 0)
        fprintf(out, t->own < 100 * median ? "<td>%.3g</td>" : "<td>%.0f</td>", t->own / median);
    else
        fputs("<td>-</td>", out);
    if (isnan(t->delay))
        fputs("<td>-</td></tr>\n", out);
    else
        fprintf(out, "<td>%.4g</td></tr>\n", t->delay);
}

/* Own time of the median and of the cause's processes, the largest first. */
static void put_imbalance(FILE *out, const struct study *s, const struct cause *c)
{
    const uint32_t n = s->graph.n_processes;
    double *own = allocate(n, sizeof *own), *delay = allocate(n, sizeof *delay);
    struct times *these = allocate(c->n_processes, sizeof *these);
    cause_times(s, c, own, delay);
    for (uint32_t i = 0; i < c->n_processes; i++)
        these[i] = (struct times){own[c->process[i]], delay[c->process[i]], c->process[i]};
    tcf_sort(these, c->n_processes, sizeof *these, compare_times);
    double median = median_of(own, n), most = these[0].own > median ? these[0].own : median;
    fputs("<h4>Imbalance</h4>\n<div class=\"scroll\"><table><thead><tr><th class=\"text\">process</th><th>own time "
          "[s]</th><th>times the median</th><th>waits of others [s]</th></tr></thead><tbody>\n"
          "<tr><td class=\"text\">median of all</td>",
          out);
    put_times(out, &(struct times){.own = median, .delay = NAN}, median, most, "");
    for (uint32_t i = 0; i < c->n_processes && i < MOST_PROCESSES; i++) {
        fprintf(out, "<tr><td class=\"text\">rank %" PRIu64 "</td>", s->graph.rank[these[i].process]);
        put_times(out, &these[i], median, most, "up");
    }
    fputs("</tbody></table></div>\n", out);
    put_more(out, c->n_processes, MOST_PROCESSES, "processes");
    free(these);
    free(delay);
    free(own);
}

/* -------------------------------------------------------------------------------------------------------- causes -- */

static void put_path(FILE *out, const struct study *s, const struct cause *c)
{
    if (is_own_path(c)) {
        fputs("<p>No wait leads to it: it is time of its own.</p>\n", out);
        return;
    }
    fputs("<h4>From the wait back to the cause</h4>\n<ol>\n", out);
    for (uint32_t i = 0; i < c->n_hops; i++) {
        struct phrase p;
        text_hop(begin_phrase(&p), s, &c->path[i]);
        if (c->path[i].waiting > 0)
            fprintf(p.out, ": %.4g s", c->path[i].waiting);
        fputs("<li>", out);
        put_phrase(out, &p);
        fputs("</li>\n", out);
    }
    fputs("</ol>\n", out);
    if (!c->agrees)
        fputs("<p>That path of the longest waits does not lead to it: only the delay costs do.</p>\n", out);
}

static void put_cause(FILE *out, const struct study *s, const struct source *found, uint32_t i)
{
    const struct cause *c = &s->cause[i];
    const struct vertex *v = &s->vertex[c->vertex];
    struct phrase p;
    fprintf(out, "<article id=\"cause-%" PRIu32 "\">\n<h3>%" PRIu32 ". ", i + 1, i + 1);
    put_vertex_name(out, v);
    fputs(" on ", out);
    put_processes(out, s, c->process, c->n_processes);
    fprintf(out, "</h3>\n<p>%c%s: explains %.0f %% of the loss, %.4g s or %.1f %% of the processes' time",
            *c->kind - 'a' + 'A', c->kind + 1, percent(c->share), c->explains,
            percent(c->explains / largest(s)->total));
    if (!isnan(c->ratio) && c->ratio < 1000)
        fprintf(out, "; the slowest process takes %.3g times the median", c->ratio);
    fputs(".</p>\n<p>Call path: ", out);
    page_text(out, *v->call_path ? v->call_path : "outside of any call");
    fputs("</p>\n", out);
    if (*v->file) {
        fputs("<p>File: ", out);
        page_text(out, v->file);
        fprintf(out, v->line ? ", line %" PRIu32 "</p>\n" : "</p>\n", v->line);
    }
    if (s->options->n_predict > 0) {
        text_predictions(begin_phrase(&p), s, c->vertex);
        fputs("<p>", out);
        put_phrase(out, &p);
        fputs("</p>\n", out);
    }
    if (found)
        put_source(out, s, found, i);
    put_imbalance(out, s, c);
    put_path(out, s, c);
    put_curve(out, s, &(struct curve){.vertex = c->fitted, .fit = &c->fit});
    fputs("</article>\n", out);
}

static void put_causes(FILE *out, const struct study *s)
{
    struct source *found = find_sources(s);
    fputs("<section id=\"causes\">\n<h2>Root causes</h2>\n", out);
    for (uint32_t i = 0; i < s->n_causes && i < MOST_CAUSES; i++)
        put_cause(out, s, found, i);
    if (s->n_causes == 0)
        fputs("<p>Nothing stands out.</p>\n", out);
    else
        put_more(out, s->n_causes, MOST_CAUSES, "causes");
    fputs("</section>\n", out);
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static void begin_table(FILE *out, const char *id, const char *title, const char *heads)
{
    fprintf(out,
            "<section id=\"%s\">\n<h2>%s</h2>\n<div class=\"scroll\"><table><thead><tr>%s</tr></thead>"
            "<tbody>\n",
            id, title, heads);
}

static void put_name_cells(FILE *out, const struct vertex *v)
{
    fputs("<tr><td class=\"text name\">", out);
    put_vertex_name(out, v);
    fputs("</td><td class=\"text name\">", out);
    page_text(out, v->call_path);
    fputs("</td>", out);
}

#define NAME_HEADS "<th class=\"text\">vertex</th><th class=\"text\">call path</th>"

static void put_non_scalable(FILE *out, const struct study *s)
{
    begin_table(out, "vertices", "Vertices that do not scale",
                NAME_HEADS "<th>of the time [%]</th><th>loss [s]</th><th>exponent</th><th>±</th>");
    for (uint32_t i = 0; i < s->n_non_scalable && i < MOST_ROWS; i++) {
        const struct non_scalable *n = &s->non_scalable[i];
        put_name_cells(out, &s->vertex[n->vertex]);
        fprintf(out, "<td>%.1f</td><td>%.4g</td>", percent(n->share), n->loss);
        fprintf(out, isnan(n->fit.exponent) ? "<td>-</td>" : "<td>%.2f</td>", n->fit.exponent);
        fprintf(out, isnan(n->fit.error) ? "<td>-</td></tr>\n" : "<td>%.2f</td></tr>\n", n->fit.error);
    }
    fputs("</tbody></table></div>\n", out);
    put_more(out, s->n_non_scalable, MOST_ROWS, "vertices");
    for (uint32_t i = 0; i < s->n_non_scalable && i < MOST_CURVES; i++)
        put_curve(out, s, &(struct curve){s->non_scalable[i].vertex, &s->non_scalable[i].fit, true});
    fputs("</section>\n", out);
}

static void put_abnormal(FILE *out, const struct study *s)
{
    begin_table(out, "abnormal", "Abnormal processes",
                NAME_HEADS "<th class=\"text\">processes</th><th>times the median</th><th>of the time [%]</th>");
    for (uint32_t i = 0; i < s->n_abnormal && i < MOST_ROWS; i++) {
        const struct abnormal *a = &s->abnormal[i];
        put_name_cells(out, &s->vertex[a->vertex]);
        fputs("<td class=\"text name\">", out);
        put_processes(out, s, a->process, a->n_processes);
        fprintf(out,
                isnan(a->ratio)  ? "</td><td>-</td>"
                : a->ratio < 100 ? "</td><td>%.3g</td>"
                                 : "</td><td>%.0f</td>",
                a->ratio);
        fprintf(out, "<td>%.1f</td></tr>\n", percent(a->share));
    }
    fputs("</tbody></table></div>\n", out);
    put_more(out, s->n_abnormal, MOST_ROWS, "vertices");
    fputs("</section>\n", out);
}

static void put_sizes(FILE *out, const struct study *s)
{
    begin_table(out, "sizes", "Sizes",
                "<th>processes</th><th>runs</th><th>time of all processes [s]</th><th>waits without a known cause "
                "[s]</th><th>efficiency</th>");
    for (uint32_t i = 0; i < s->n_sizes; i++) {
        const struct size *z = &s->size[i];
        fprintf(out, "<tr><td>%" PRIu32 "</td><td>%" PRIu32 "</td><td>%.5g</td><td>%.4g</td><td>", z->processes, z->n,
                z->total, z->unknown);
        put_bar(out, z->efficiency, z->efficiency > 1 ? z->efficiency : 1, "");
        fprintf(out, "%.3f</td></tr>\n", z->efficiency);
    }
    fputs("</tbody></table></div>\n</section>\n", out);
}

static void put_others(FILE *out, const struct study *s)
{
    struct phrase p;
    fputs("<section id=\"others\">\n<h2>Not reported, and notes</h2>\n<p>", out);
    if (s->n_ruled_out > 0) {
        text_ruled_out(begin_phrase(&p), s);
        put_phrase(out, &p);
    } else {
        fputs("Nothing else was large.", out);
    }
    fputs("</p>\n", out);
    for (uint32_t i = 0; i < s->n_notes; i++) {
        fputs("<p class=\"warning\">", out);
        page_text(out, s->note[i]);
        fputs("</p>\n", out);
    }
    fputs("</section>\n", out);
}

void write_page(const struct study *s, FILE *out)
{
    struct phrase p;
    page_start(out, false);
    fprintf(out, "%" PRIu32 " to %" PRIu32 " processes - tcflow-scaling", smallest(s)->processes,
            largest(s)->processes);
    page_body(out, style);
    fputs("<header>\n<h1>What keeps the program from scaling</h1>\n<p>", out);
    text_head(begin_phrase(&p), s);
    put_phrase(out, &p);
    fputs("</p>\n<nav><a href=\"#causes\">Root causes</a> <a href=\"#graph\">Graph</a> <a href=\"#vertices\">Vertices "
          "that do not scale</a> <a href=\"#abnormal\">Abnormal processes</a> <a href=\"#sizes\">Sizes</a> "
          "<a href=\"#others\">Not reported</a></nav>\n</header>\n<main>\n",
          out);
    put_causes(out, s);
    put_graph(out, s);
    put_non_scalable(out, s);
    put_abnormal(out, s);
    put_sizes(out, s);
    put_others(out, s);
    fputs("</main>\n<footer>\n<p>Costs of a vertex: its own time, and the waits of all processes which it caused. "
          "Curves: dots are runs, the line is the fit, the band has nine of ten further runs, dashes are the ideal "
          "slope; both axes are logarithmic. Values beyond a figure stand in its table.</p>\n"
          "<p>tcflow-scaling " PACKAGE_VERSION "</p>\n</footer>\n</body>\n</html>\n",
          out);
}
