/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables of a comparison. For people a row is an item with columns for each run; for programs it is an item in a
 * run. */
#include "diff.h"

#include <private/scaled.h>

#include <stdlib.h>
#include <string.h>

void sink_begin(struct sink *s, const char *name, const char *title, const char *remark, const struct column *columns,
                uint32_t n)
{
    s->table = (struct table){name, title, remark, columns, n};
    if (s->begin)
        s->begin(s);
    s->n++;
}

char *table_heading(const struct table *t)
{
    return t->remark ? format_text("%s (%s)", t->title, t->remark) : format_text("%s", t->title);
}

static struct cell text_cell(const char *text)
{
    return (struct cell){.text = text, .number = NAN};
}

static struct cell number_cell(double number)
{
    return (struct cell){.number = number};
}

/* How many of n rows are shown. */
static uint32_t rows_shown(const struct comparison *c, const struct sink *s, uint32_t n)
{
    uint64_t top = c->options->top == UINT64_MAX ? s->top : c->options->top;
    return top && top < n ? (uint32_t)top : n;
}

/* --------------------------------------------------------------------------------------------------- runs, notes -- */

static void report_runs(struct comparison *c, struct sink *s)
{
    struct column columns[] = {
        {"run", NULL, "Label; repetitions have the same one", CELL_TEXT, 0, IN_ORDER},
        {"reference", NULL, "Is it what others are compared with?", CELL_TEXT, 0, IN_ORDER},
        {"status", NULL, "complete; salvaged: parts of the trace are lost; failed: not all filters ended", CELL_TEXT, 0,
         IN_ORDER},
        {"processes", NULL, "Location groups", CELL_WHOLE, 1, IN_ORDER},
        {"locations", NULL, "Threads and streams", CELL_WHOLE, 1, IN_ORDER},
        {"events", NULL, "Events that were read", CELL_WHOLE, 2, IN_ORDER},
        {"duration", "s", "Length of the trace, as it states it", CELL_NUMBER, 3, IN_ORDER},
        {"time", "s", "Exclusive time of all regions and locations together", CELL_NUMBER, 4, IN_ORDER},
        {"losses", NULL, "Losses in a damaged trace", CELL_WHOLE, 5, IN_ORDER},
        {"notes", NULL, "Kinds of things that tcflow gave up, capped or repaired", CELL_WHOLE, 5, IN_ORDER},
        {"date", NULL, "When the results were written", CELL_TEXT, 6, IN_ORDER},
        {"file", NULL, "The database", CELL_TEXT, 0, AT_END_WHOLE},
        {"input", NULL, "The trace", CELL_TEXT, 7, IN_ORDER},
        {"chain", NULL, "Filters it went through", CELL_TEXT, 7, IN_ORDER},
    };
    uint32_t n = sizeof columns / sizeof *columns;
    sink_begin(s, "runs", "Runs", NULL, columns, s->people && !s->details ? n - 2 : n);
    for (uint32_t i = 0; i < c->n_runs; i++) {
        const struct run *r = &c->run[i];
        s->row(s,
               (struct cell[]){text_cell(c->group[r->group].label), text_cell(r->group == c->reference ? "yes" : "no"),
                               text_cell(r->status), number_cell(r->processes), number_cell(r->locations),
                               number_cell(r->events), number_cell(r->duration), number_cell(r->time),
                               number_cell(r->losses), number_cell(r->notes), text_cell(r->date), text_cell(r->path),
                               text_cell(r->input), text_cell(r->chain)});
    }
    s->end(s);
}

static void report_notes(struct comparison *c, struct sink *s)
{
    struct column columns[] = {{"kind", NULL, "warning: the comparison may be wrong; note", CELL_TEXT, 0, IN_ORDER},
                               {"text", NULL, "What it is", CELL_TEXT, 0, AT_END_SENTENCE}};
    if (c->n_notes == 0)
        return;
    sink_begin(s, "notes", "What to know", NULL, columns, 2);
    for (int warnings = 1; warnings >= 0; warnings--)
        for (uint32_t i = 0; i < c->n_notes; i++)
            if (c->note[i].warning == warnings)
                s->row(s, (struct cell[]){text_cell(warnings ? "WARNING" : "note"), text_cell(c->note[i].text)});
    s->end(s);
}

/* ------------------------------------------------------------------------------------------------------- scaling -- */

static void report_speed_up(struct comparison *c, struct sink *s)
{
    bool weak = c->options->scaling == WEAK, locations = c->options->count_locations;
    struct column columns[] = {{"run", NULL, "Label", CELL_TEXT, 0, IN_ORDER},
                               {locations ? "locations" : "processes", NULL, "N", CELL_WHOLE, 0, IN_ORDER},
                               {"speed_up", NULL,
                                weak ? "D0 N / (D N0): duration and processes, those of the smallest run are D0, N0"
                                     : "D0 / D: duration, that of the smallest run is D0",
                                CELL_NUMBER, 0, IN_ORDER},
                               {"efficiency", "%", weak ? "100 D0 / D" : "100 D0 N0 / (D N)", CELL_NUMBER, 0,
                                IN_ORDER}};
    char *remark =
        format_text("%s, relative to '%s'", weak ? "weak" : "strong", c->group[scaling_extreme(c, -1)].label);
    sink_begin(s, "scaling", "Scaling", remark, columns, 4);
    for (uint32_t g = 0; g < c->n_groups; g++)
        s->row(s, (struct cell[]){text_cell(c->group[g].label), number_cell(c->group[g].count),
                                  number_cell(speed_up(c, g)), number_cell(100 * efficiency(c, g))});
    s->end(s);
    free(remark);
}

static void report_losses(struct comparison *c, struct sink *s, enum subject_id id)
{
    struct subject *subject = &c->subject[id];
    uint32_t quantity = c->options->metric == INCLUSIVE ? INCLUSIVE : EXCLUSIVE, n;
    struct column columns[] =
        {{"exponent", NULL,
          "Slope of the line through the logarithms of time per process over those of processes; -1: perfect strong "
          "scaling, 0: perfect weak scaling",
          CELL_NUMBER, 0, IN_ORDER},
         {"residual", NULL, "Root mean square of the logarithms' distances from it; needs three runs", CELL_NUMBER, 0,
          IN_ORDER},
         {"runs", NULL, "Runs that have it", CELL_WHOLE, 0, IN_ORDER},
         {"loss", "s", "Time of all processes of the largest run beyond that of perfect scaling", CELL_CHANGE, 0,
          IN_ORDER},
         {"share", "%", "Share of the loss in all time of the largest run", CELL_PERCENT, 0, IN_ORDER},
         {"non_scalable", NULL, "yes: exponent 0.5 or more above the ideal one, and a share of 1 % or more", CELL_TEXT,
          0, IN_ORDER},
         {subject->kind->of, NULL, "What it is", CELL_TEXT, 0, AT_END}};
    struct loss *losses = scaling_losses(c, subject, quantity, &n);
    uint32_t shown = rows_shown(c, s, n);
    char part[32] = "";
    if (shown < n)
        snprintf(part, sizeof part, ", %u of %u", shown, n);
    char *remark = format_text("%s time, from '%s' to '%s'%s", quantity == INCLUSIVE ? "inclusive" : "exclusive",
                               c->group[scaling_extreme(c, -1)].label, c->group[scaling_extreme(c, 1)].label, part);
    struct buffer b = {0};
    if (id == REGIONS)
        sink_begin(s, "scaling_regions", "Scaling loss of regions", remark, columns, 7);
    else
        sink_begin(s, "scaling_callpaths", "Scaling loss of call paths", remark, columns, 7);
    for (uint32_t i = 0; i < shown; i++) {
        const struct loss *l = &losses[i];
        s->row(s,
               (struct cell[]){number_cell(l->fit.exponent), number_cell(l->fit.residual), number_cell(l->fit.n),
                               number_cell(l->loss), number_cell(l->share), text_cell(l->non_scalable ? "yes" : "no"),
                               text_cell(items_path(&subject->items, l->item, &b))});
    }
    s->end(s);
    free(b.text);
    free(remark);
    free(losses);
}

static bool has_items(const struct comparison *c, enum subject_id id)
{
    return c->subject[id].items.n > 1;
}

static void report_scaling(struct comparison *c, struct sink *s)
{
    report_speed_up(c, s);
    if (c->options->by != BY_CALLPATH && has_items(c, REGIONS))
        report_losses(c, s, REGIONS);
    if (c->options->by != BY_REGION && has_items(c, CALLPATHS))
        report_losses(c, s, CALLPATHS);
}

/* --------------------------------------------------------------------------------------------------- comparisons -- */

static bool quantity_wanted(const struct comparison *c, enum subject_id id, uint32_t quantity, const struct sink *s)
{
    const struct options *o = c->options;
    if (!o->section[subject_kinds[id].section] || !has_items(c, id))
        return false;
    if (subject_kinds[id].section != PROFILE)
        return s->details || !subject_kinds[id].quantity[quantity].detail;
    if (o->by == (id == REGIONS ? BY_CALLPATH : BY_REGION))
        return false;
    if (o->metric == DEFAULT_METRICS)
        return s->details || quantity == EXCLUSIVE;
    return o->metric == ALL_METRICS || (uint32_t)o->metric == quantity;
}

/* "*", "~", and so on behind a change; what takes its place when there is none. */
static const char *mark_of(const struct change *change)
{
    if (change->presence == NEW || change->presence == GONE)
        return presence_names[change->presence];
    return change->significant == 1 ? "*" : change->significant == 0 ? "~" : "";
}

/* Smallest and largest of the repetitions, and how many have it where not all do. */
static void note_range(char *to, size_t bytes, const struct spread *s, uint32_t n, const struct quantity *q)
{
    char min[TCF_SCALED_BYTES], max[TCF_SCALED_BYTES];
    *to = '\0';
    if (s->n > 0 && n > 1 && q->unit && strcmp(q->unit, "s") == 0)
        snprintf(to, bytes, "%s to %s", tcf_scaled_seconds(s->min, min), tcf_scaled_seconds(s->max, max));
    else if (s->n > 0 && n > 1)
        snprintf(to, bytes, q->whole ? "%.0f to %.0f" : "%.4g to %.4g", s->min, s->max);
    if (s->n > 0 && s->n < n)
        snprintf(to + strlen(to), bytes - strlen(to), " in %u of %u", s->n, n);
}

/* A table for people has columns for each group: value, change, percent, mark; then the ranges, where there are
 * repetitions. On a narrow terminal each group, and each range, may stand in a part of its own. */
struct wide {
    struct column *column;
    struct cell *cell;
    char (*range)[128]; /* by group */
    uint32_t n;
};

/* The reference is the first one in a row. */
static uint32_t nth_group(const struct comparison *c, uint32_t i)
{
    return i == 0 ? c->reference : i <= c->reference ? i - 1 : i;
}

static struct column column(const char *name, const char *unit, const char *help, enum cell_kind kind, uint32_t block)
{
    return (struct column){name, unit, help, kind, block, IN_ORDER};
}

static void wide_columns(const struct comparison *c, const struct quantity *q, const char *of, struct wide *w)
{
    uint32_t n = 0;
    struct column *to = w->column = allocate(1 + 5 * (size_t)c->n_groups, sizeof *w->column);
    w->cell = allocate(1 + 5 * (size_t)c->n_groups, sizeof *w->cell);
    w->range = allocate(c->n_groups, sizeof *w->range);
    for (uint32_t i = 0; i < c->n_groups; i++) {
        const struct group *group = &c->group[nth_group(c, i)];
        to[n++] = column(group->label, q->unit, group->n > 1 ? "Median of the repetitions" : q->help,
                         q->whole ? CELL_WHOLE : CELL_NUMBER, i);
        if (i == 0)
            continue;
        to[n++] = column("change", q->unit, "From the reference", CELL_CHANGE, i);
        to[n++] = column("%", NULL, "Change in percent of the reference", CELL_PERCENT, i);
        to[n++] = column("", NULL,
                         "*: the ranges of the repetitions do not overlap, ~: they do, so it may be noise; new, gone: "
                         "only one of both has it",
                         CELL_TEXT, i);
    }
    for (uint32_t i = 0; i < c->n_groups; i++)
        if (c->group[nth_group(c, i)].n > 1)
            to[n++] = column(c->group[nth_group(c, i)].range, NULL, "Smallest and largest of the repetitions",
                             CELL_TEXT, c->n_groups + i);
    to[n++] = (struct column){of, NULL, "What it is", CELL_TEXT, 0, AT_END};
    w->n = n;
}

static void wide_row(const struct comparison *c, struct sink *sink, struct subject *s, uint32_t quantity, uint32_t item,
                     struct wide *w, const char *name)
{
    struct spread reference = item_spread(c, s, quantity, item, c->reference);
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_groups; i++) {
        uint32_t g = nth_group(c, i);
        struct spread spread = item_spread(c, s, quantity, item, g);
        struct change change = change_between(&reference, c->group[c->reference].n, &spread, c->group[g].n);
        note_range(w->range[i], sizeof w->range[i], &spread, c->group[g].n, &s->kind->quantity[quantity]);
        w->cell[n++] = number_cell(spread.median);
        if (i == 0)
            continue;
        w->cell[n++] = number_cell(change.difference);
        w->cell[n++] = number_cell(change.relative);
        w->cell[n++] = text_cell(mark_of(&change));
    }
    for (uint32_t i = 0; i < c->n_groups; i++)
        if (c->group[nth_group(c, i)].n > 1)
            w->cell[n++] = text_cell(w->range[i]);
    w->cell[n] = text_cell(name);
    sink->row(sink, w->cell);
}

static double significance(const struct change *change)
{
    return change->significant < 0 ? (double)NAN : (double)change->significant;
}

/* A row for each group. */
static void long_rows(const struct comparison *c, struct sink *sink, struct subject *s, uint32_t quantity,
                      uint32_t item, const char *name)
{
    struct spread reference = item_spread(c, s, quantity, item, c->reference);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        struct spread v = item_spread(c, s, quantity, item, g);
        struct change change = change_between(&reference, c->group[c->reference].n, &v, c->group[g].n);
        sink->row(sink, (struct cell[]){text_cell(name), number_cell(s->items.at[item].depth),
                                        text_cell(c->group[g].label), text_cell(presence_names[change.presence]),
                                        number_cell(v.n), number_cell(v.median), number_cell(v.min), number_cell(v.max),
                                        number_cell(change.difference), number_cell(change.relative),
                                        number_cell(g == c->reference ? NAN : significance(&change))});
    }
}

static void report_quantity(struct comparison *c, struct sink *sink, enum subject_id id, uint32_t quantity)
{
    struct subject *s = &c->subject[id];
    const struct quantity *q = &s->kind->quantity[quantity];
    enum cell_kind kind = q->whole ? CELL_WHOLE : CELL_NUMBER;
    struct column columns[] = {
        {s->kind->of, NULL, "What it is", CELL_TEXT, 0, IN_ORDER},
        {"depth", NULL, "Length of the call path", CELL_WHOLE, 0, IN_ORDER},
        {"run", NULL, "Label of the run", CELL_TEXT, 0, IN_ORDER},
        {"presence", NULL, "both: the reference has it, too; new, gone, absent: neither has it", CELL_TEXT, 0,
         IN_ORDER},
        {"runs", NULL, "Repetitions that have it", CELL_WHOLE, 0, IN_ORDER},
        {"median", q->unit, "Over the repetitions", kind, 0, IN_ORDER},
        {"min", q->unit, "The smallest of them", kind, 0, IN_ORDER},
        {"max", q->unit, "The largest of them", kind, 0, IN_ORDER},
        {"difference", q->unit, "From the median of the reference", CELL_CHANGE, 0, IN_ORDER},
        {"relative", "%", "The same in percent of the reference", CELL_PERCENT, 0, IN_ORDER},
        {"significant", NULL,
         "1: the ranges of the repetitions do not overlap; 0: they do, so it may be noise; empty: not enough "
         "repetitions to tell",
         CELL_WHOLE, 0, IN_ORDER},
    };
    uint32_t n, *order = order_items(c, s, quantity, &n), shown = rows_shown(c, sink, n);
    char *remark = shown < n ? format_text("%u of %u", shown, n) : NULL;
    struct wide w = {.column = NULL};
    struct buffer b = {0};
    if (sink->people)
        wide_columns(c, q, s->kind->of, &w);
    sink_begin(sink, q->name, q->title, remark, w.column ? w.column : columns, w.column ? w.n : TCF_COUNT(columns));
    for (uint32_t i = 0; i < shown; i++) {
        const char *name = items_path(&s->items, order[i], &b);
        if (sink->people)
            wide_row(c, sink, s, quantity, order[i], &w, name);
        else
            long_rows(c, sink, s, quantity, order[i], name);
    }
    sink->end(sink);
    free(w.column);
    free(w.cell);
    free(w.range);
    free(b.text);
    free(remark);
    free(order);
}

void report(struct comparison *c, struct sink sink)
{
    struct sink *s = &sink;
    report_words(c, s);
    if (c->options->section[RUNS])
        report_runs(c, s);
    report_notes(c, s);
    if (c->options->section[SCALING] && is_scaling(c))
        report_scaling(c, s);
    for (uint32_t id = 0; id < N_SUBJECTS; id++)
        for (uint32_t q = 0; q < subject_kinds[id].n_quantities; q++)
            if (quantity_wanted(c, id, q, s))
                report_quantity(c, s, id, q);
    if (!isnan(c->options->fail_above))
        judge(c, s);
    fputs(s->stop, s->out);
}
