/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What changed, in sentences: the duration, the time in regions, the waits. */
#include "diff.h"

#include <private/scaled.h>

#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 }; /* items that a sentence names */

/* A value of each run of a group, at this offset in struct run. */
static struct spread runs_spread(const struct comparison *c, uint32_t group, size_t offset)
{
    const struct group *g = &c->group[group];
    double *values = allocate(g->n, sizeof *values);
    for (uint32_t i = 0; i < g->n; i++)
        values[i] = *(const double *)((const char *)&c->run[g->first + i] + offset);
    const struct spread s = spread_of(values, g->n);
    free(values);
    return s;
}

static const char *noise_of(const struct change *change)
{
    return change->significant == 0 ? ", which may be noise" : "";
}

static struct change change_of(const struct comparison *c, uint32_t group, const struct spread *before,
                               const struct spread *after)
{
    return change_between(before, c->group[c->reference].n, after, c->group[group].n);
}

/* "534 ms (61 %) less than", with three digits or, from 1,000 % on, all of them; of a reference of 0 without percent.
 */
static char *difference_text(const struct change *change)
{
    char amount[TCF_SCALED_BYTES];
    if (change->difference == 0)
        return format_text("as long as");
    const char *than = change->difference < 0 ? "less than" : "more than";
    tcf_scaled_seconds(fabs(change->difference), amount);
    return isnan(change->relative) ? format_text("%s %s", amount, than)
                                   : format_text(fabs(change->relative) < 999.5 ? "%s (%.3g %%) %s" : "%s (%.0f %%) %s",
                                                 amount, fabs(change->relative), than);
}

static char *duration_sentence(const struct comparison *c, uint32_t group)
{
    const size_t at = offsetof(struct run, duration);
    const struct spread before = runs_spread(c, c->reference, at), after = runs_spread(c, group, at);
    const struct change change = change_of(c, group, &before, &after);
    const struct group *one = &c->group[c->reference], *other = &c->group[group];
    char a[TCF_SCALED_BYTES], b[TCF_SCALED_BYTES];
    if (change.presence != BOTH)
        return NULL;
    char *difference = difference_text(&change);
    char *counts = one->count == other->count || isnan(one->count) || isnan(other->count)
                       ? format_text("%s", "")
                       : format_text(", with %.0f %s instead of %.0f", other->count,
                                     c->options->count_locations ? "locations" : "processes", one->count);
    char *text = format_text("%s takes %s, %s %s (%s)%s%s.", other->label, tcf_scaled_seconds(after.median, b),
                             difference, one->label, tcf_scaled_seconds(before.median, a), counts, noise_of(&change));
    free(difference);
    free(counts);
    return text;
}

/* "`compute` -864 ms (gone)"; NULL: the item has not changed. */
static char *item_text(const struct comparison *c, struct subject *s, uint32_t item, uint32_t group)
{
    const struct spread before = item_spread(c, s, 0, item, c->reference), after = item_spread(c, s, 0, item, group);
    const struct change change = change_of(c, group, &before, &after);
    const double difference = or_zero(after.median) - or_zero(before.median);
    char amount[TCF_SCALED_BYTES];
    if (change.presence == ABSENT || difference == 0 || change.significant == 0)
        return NULL;
    struct buffer b = {0};
    const char *name = items_path(&s->items, item, &b), *sign = difference < 0 ? "-" : "+";
    tcf_scaled_seconds(fabs(difference), amount);
    char *text = change.presence != BOTH || isnan(change.relative)
                     ? format_text("`%s` %s%s (%s)", name, sign, amount,
                                   change.presence == BOTH ? "from 0" : presence_names[change.presence])
                     : format_text("`%s` %s%s (%+.3g %%)", name, sign, amount, change.relative);
    free(b.text);
    return text;
}

/* Is the pattern one of waits? These have call paths. */
static bool is_wait(const struct comparison *c, uint32_t pattern)
{
    const struct items *patterns = &c->subject[WAIT_PATTERNS].items, *waits = &c->subject[WAIT_PATHS].items;
    for (uint32_t i = 0; i < waits->n; i++)
        if (waits->at[i].parent != 0 && strcmp(waits->at[waits->at[i].parent].name, patterns->at[pattern].name) == 0)
            return true;
    return false;
}

/* The items with the largest changes to a group, after `begin`; NULL: none has changed. */
static char *items_sentence(struct comparison *c, enum subject_id id, uint32_t group, const char *begin)
{
    struct subject *s = &c->subject[id];
    uint32_t n, found = 0, *order = order_items(c, s, 0, &n);
    char *list = format_text("%s", begin);
    for (uint32_t i = 0; i < n && found < NAMED; i++) {
        char *one = id == WAIT_PATTERNS && !is_wait(c, order[i]) ? NULL : item_text(c, s, order[i], group);
        if (!one)
            continue;
        char *longer = format_text("%s%s %s", list, found > 0 ? "," : "", one);
        free(list);
        free(one);
        list = longer;
        found++;
    }
    free(order);
    char *text = found > 0 ? format_text("%s.", list) : NULL;
    free(list);
    return text;
}

static char *regions_sentence(struct comparison *c, uint32_t group)
{
    const size_t at = offsetof(struct run, time);
    const struct spread before = runs_spread(c, c->reference, at), after = runs_spread(c, group, at);
    const struct change change = change_of(c, group, &before, &after);
    char amount[TCF_SCALED_BYTES], was[TCF_SCALED_BYTES];
    if (change.presence != BOTH || before.median <= 0)
        return NULL;
    char *begin = format_text("All processes together spend %s in regions instead of %s%s; what changed most:",
                              tcf_scaled_seconds(after.median, amount), tcf_scaled_seconds(before.median, was),
                              noise_of(&change));
    char *text = items_sentence(c, REGIONS, group, begin);
    free(begin);
    return text;
}

static void put_sentence(struct sink *s, char *sentence)
{
    if (sentence)
        s->row(s, &(struct cell){.text = sentence, .number = NAN});
    free(sentence);
}

void report_words(struct comparison *c, struct sink *s)
{
    static const struct column columns[] = {{"sentence", NULL, "What changed", CELL_TEXT, 0, AT_END_WHOLE}};
    sink_begin(s, "changes", "What changed", NULL, columns, 1);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        if (g == c->reference)
            continue;
        put_sentence(s, duration_sentence(c, g));
        put_sentence(s, regions_sentence(c, g));
        put_sentence(s, items_sentence(c, WAIT_PATTERNS, g, "Waiting, summed over all processes, changed most by:"));
    }
    s->end(s);
}
