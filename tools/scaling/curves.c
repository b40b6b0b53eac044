/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A vertex over the sizes: the runs, their power law, the bounds of nine in ten, and the ideal slope, log-log. */
#include "page_parts.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WIDTH = 460, HEIGHT = 250, LEFT = 70, RIGHT = 24, TOP = 10, BOTTOM = 42, STEPS = 24 };

/* Where logarithms lie in the figure. */
struct axes {
    double first_x, last_x, low, high;
};

static double value_of(const struct study *s, const struct curve *c, uint32_t run)
{
    const struct sums *sums = sums_of(&s->run[run], c->vertex);
    return c->combined ? sums->combined : cost_of(sums) / s->run[run].processes;
}

static double at_x(const struct axes *a, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log(x) - a->first_x) / (a->last_x - a->first_x);
}

/* Values beyond the figure lie at its border. */
static double at_y(const struct axes *a, double y)
{
    double part = (log(y) - a->low) / (a->high - a->low);
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * part;
}

static void include(struct axes *a, double y)
{
    a->low = log(y) < a->low ? log(y) : a->low;
    a->high = log(y) > a->high ? log(y) : a->high;
}

/* Of the smallest and the largest size, and of what is predicted. */
static void find_range(const struct study *s, uint32_t *first, uint32_t *last)
{
    *first = smallest(s)->processes;
    *last = largest(s)->processes;
    for (uint32_t i = 0; i < s->options->n_predict; i++) {
        uint32_t p = s->options->predict[i];
        *first = p < *first ? p : *first;
        *last = p > *last ? p : *last;
    }
}

static double ideal_at(const struct study *s, const struct curve *c, double processes)
{
    return value_of(s, c, 0) * pow(processes / s->run[0].processes, s->weak ? 0 : -1);
}

static struct axes find_axes(const struct study *s, const struct curve *c, uint32_t first, uint32_t last)
{
    struct axes a = {log(first), log(last), INFINITY, -INFINITY};
    for (uint32_t r = 0; r < s->n_runs; r++)
        if (value_of(s, c, r) > 0)
            include(&a, value_of(s, c, r));
    double ends[] = {first, last};
    for (int i = 0; i < 2; i++) {
        double factor, y = isnan(c->fit->exponent) ? NAN : power_law_at(c->fit, ends[i], &factor);
        if (y > 0 && isfinite(y)) {
            include(&a, y);
            factor = factor < 3 ? factor : 3; /* wide bounds leave the figure */
            if (factor > 1) {
                include(&a, y * factor);
                include(&a, y / factor);
            }
        }
    }
    double ideal = ideal_at(s, c, last), lowest = exp(a.low) / 10;
    if (ideal > 0)
        include(&a, ideal > lowest ? ideal : lowest);
    a.low -= 0.15;
    a.high += 0.15;
    return a;
}

static void put_label(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

/* At 1, 2 and 5 times the powers of ten; at these only, where they are many. */
static void put_y_axis(FILE *out, const struct axes *a)
{
    static const double steps[] = {1, 2, 5};
    const double decades = (a->high - a->low) / log(10);
    const int end = (int)ceil(a->high / log(10)), every = 1 + (int)(decades / 6);
    for (int power = (int)floor(a->low / log(10)); power <= end; power += every)
        for (int i = 0; i < (decades < 2.5 ? 3 : 1); i++) {
            char text[32];
            double value = steps[i] * pow(10, power);
            if (log(value) < a->low || log(value) > a->high)
                continue;
            snprintf(text, sizeof text, "%g s", value);
            fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, at_y(a, value), WIDTH - RIGHT);
            put_label(out, LEFT - 6, at_y(a, value) + 4, "end", text);
        }
}

/* At the sizes, and at the end where that is a prediction. */
static void put_x_axis(FILE *out, const struct study *s, const struct axes *a)
{
    double before = -INFINITY;
    for (uint32_t z = 0; z <= s->n_sizes; z++) {
        char text[32];
        double processes = z < s->n_sizes ? s->size[z].processes : round(exp(a->last_x)), x = at_x(a, processes);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>", x, TOP, HEIGHT - BOTTOM);
        if (x - before < 34)
            continue;
        snprintf(text, sizeof text, "%.0f", processes);
        put_label(out, x, HEIGHT - BOTTOM + 16, "middle", text);
        before = x;
    }
    put_label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, "middle", "processes");
}

static double step_x(const struct axes *a, int i)
{
    return exp(a->first_x + (a->last_x - a->first_x) * i / STEPS);
}

static void put_fit(FILE *out, const struct curve *c, const struct axes *a)
{
    double factor;
    if (isnan(c->fit->exponent))
        return;
    power_law_at(c->fit, exp(a->first_x), &factor);
    if (isfinite(factor)) {
        fputs("<path class=\"band\" d=\"", out);
        for (int i = 0; i <= 2 * STEPS + 1; i++) {
            double x = step_x(a, i <= STEPS ? i : 2 * STEPS + 1 - i), y = power_law_at(c->fit, x, &factor);
            fprintf(out, "%s%.1f %.1f", i ? "L" : "M", at_x(a, x), at_y(a, i <= STEPS ? y * factor : y / factor));
        }
        fputs("Z\"/>\n", out);
    }
    fprintf(out, "<path class=\"fit\" d=\"M%.1f %.1f", at_x(a, exp(a->first_x)),
            at_y(a, power_law_at(c->fit, exp(a->first_x), &factor)));
    fprintf(out, "L%.1f %.1f\"/>\n", at_x(a, exp(a->last_x)), at_y(a, power_law_at(c->fit, exp(a->last_x), &factor)));
}

/* Up to where it leaves the figure. */
static void put_ideal(FILE *out, const struct study *s, const struct curve *c, const struct axes *a)
{
    bool begun = false;
    if (!(value_of(s, c, 0) > 0))
        return;
    fputs("<path class=\"ideal\" d=\"", out);
    for (int i = 0; i <= STEPS; i++) {
        double x = step_x(a, i), y = ideal_at(s, c, x);
        if (log(y) < a->low || log(y) > a->high)
            continue;
        fprintf(out, "%s%.1f %.1f", begun ? "L" : "M", at_x(a, x), at_y(a, y));
        begun = true;
    }
    fputs("\"/>\n", out);
}

static void put_figure(FILE *out, const struct study *s, const struct curve *c, const struct axes *a)
{
    fprintf(out,
            "<svg class=\"curve\" role=\"img\" aria-label=\"%s of a process over the number of processes\" "
            "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
            c->combined ? "Time" : "Costs", WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_y_axis(out, a);
    put_x_axis(out, s, a);
    put_fit(out, c, a);
    put_ideal(out, s, c, a);
    for (uint32_t r = 0; r < s->n_runs; r++)
        if (value_of(s, c, r) > 0)
            fprintf(out, "<circle class=\"run\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", at_x(a, s->run[r].processes),
                    at_y(a, value_of(s, c, r)));
    fputs("</svg>\n", out);
}

static void put_seconds(FILE *out, double seconds)
{
    if (isfinite(seconds))
        fprintf(out, "<td>%.4g</td>", seconds);
    else
        fputs("<td>-</td>", out);
}

static void put_fitted(FILE *out, const struct curve *c, uint32_t processes)
{
    double factor = NAN, y = isnan(c->fit->exponent) ? NAN : power_law_at(c->fit, processes, &factor);
    put_seconds(out, y);
    put_seconds(out, y / factor);
    put_seconds(out, y * factor);
}

static void put_values(FILE *out, const struct study *s, const struct curve *c)
{
    fprintf(out,
            "<div class=\"scroll\"><table><thead><tr><th>processes</th><th>%s of a process [s]</th><th>fit [s]</th>"
            "<th>from [s]</th><th>to [s]</th><th>ideal [s]</th></tr></thead><tbody>\n",
            c->combined ? "time" : "costs");
    for (uint32_t r = 0; r < s->n_runs; r++) {
        fprintf(out, "<tr><td>%" PRIu32 "</td>", s->run[r].processes);
        put_seconds(out, value_of(s, c, r));
        put_fitted(out, c, s->run[r].processes);
        put_seconds(out, ideal_at(s, c, s->run[r].processes));
        fputs("</tr>\n", out);
    }
    for (uint32_t i = 0; i < s->options->n_predict; i++) {
        fprintf(out, "<tr><td>%" PRIu32 "</td><td>-</td>", s->options->predict[i]);
        put_fitted(out, c, s->options->predict[i]);
        put_seconds(out, ideal_at(s, c, s->options->predict[i]));
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void put_curve(FILE *out, const struct study *s, const struct curve *c)
{
    uint32_t first, last;
    find_range(s, &first, &last);
    struct axes a = find_axes(s, c, first, last);
    fprintf(out, "<figure class=\"curve\"><figcaption>%s",
            c->combined ? "Time of a process in " : "Costs of a process: ");
    put_vertex_name(out, &s->vertex[c->vertex]);
    if (!isnan(c->fit->exponent))
        fprintf(out, ", fit p<sup>%.2f</sup>", c->fit->exponent);
    if (!isnan(c->fit->error))
        fprintf(out, " (± %.2f)", c->fit->error);
    fputs("</figcaption>\n<div class=\"beside\">", out);
    if (isfinite(a.low) && isfinite(a.high))
        put_figure(out, s, c, &a);
    put_values(out, s, c);
    fputs("</div></figure>\n", out);
}
