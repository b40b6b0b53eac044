/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* profile's tables of results. Runs once, at the end; what is in them is reduced by sums.c. */
#include "../shared/regions/region_names.h"
#include "sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/times.h>

/* Levels that are shown by blanks, because a recursion may be a hundred thousand levels deep. */
enum { MOST_INDENTED = 64 };

/* -------------------------------------------------------------------------------------------------------- tables -- */

typedef struct row {
    uint64_t location, region_id;
    const char *process, *thread, *name;
    double share;
    entry of;
} row;

#define AT(member) TCF_AT(row, member)

enum { FLAT_TABLE = 1, TREE_TABLE = 2, BOTH = 3 };

static const struct {
    int in; /* which tables */
    tcf_table_column column;
} columns[] = {
    {BOTH, {"location", AT(location), NULL, "Id of the location"}},
    {BOTH, {"process", AT(process), NULL, "Name of the location's group"}},
    {BOTH, {"thread", AT(thread), NULL, "Name of the location"}},
    {FLAT_TABLE, {"share", AT(share), "%", "Share in the exclusive time of all regions, to two decimals"}},
    {TREE_TABLE, {"share", AT(share), "%", "Share of the inclusive time in that of the whole tree, to two decimals"}},
    {FLAT_TABLE,
     {"exclusive", AT(of.exclusive) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
      "Time in the region itself, without what it called"}},
    {FLAT_TABLE,
     {"inclusive", AT(of.inclusive) | TCF_CELL_SECONDS, "s",
      "Time in the region and in what it called, in outermost visits"}},
    {TREE_TABLE,
     {"inclusive", AT(of.inclusive) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Time in visits of the call path"}},
    {TREE_TABLE, {"exclusive", AT(of.exclusive) | TCF_CELL_SECONDS, "s", "The same without the call paths below"}},
    {BOTH, {"visits", AT(of.visits), NULL, "How often the region or call path was entered"}},
    {BOTH, {"min", AT(of.min) | TCF_CELL_SECONDS, "s", "The shortest visit"}},
    {BOTH, {"max", AT(of.max) | TCF_CELL_SECONDS, "s", "The longest visit"}},
    {FLAT_TABLE, {"exclusive_ticks", AT(of.exclusive) | TCF_CELL_DETAIL, "ticks", "exclusive in ticks"}},
    {BOTH, {"inclusive_ticks", AT(of.inclusive) | TCF_CELL_DETAIL, "ticks", "inclusive in ticks"}},
    {TREE_TABLE, {"exclusive_ticks", AT(of.exclusive) | TCF_CELL_DETAIL, "ticks", "exclusive in ticks"}},
    {BOTH, {"min_ticks", AT(of.min) | TCF_CELL_DETAIL, "ticks", "min in ticks"}},
    {BOTH, {"max_ticks", AT(of.max) | TCF_CELL_DETAIL, "ticks", "max in ticks"}},
    {BOTH,
     {"region_id", AT(region_id) | TCF_CELL_DETAIL, NULL,
      "Id of the region (that the call path ends with); in totals of a flat profile of the first one of its kind"}},
    {FLAT_TABLE, {"region", AT(name), NULL, "Name of the region"}},
    {TREE_TABLE, {"depth", AT(of.depth), NULL, "Length of the call path; 1: not called by anything"}},
    {TREE_TABLE,
     {"call_path", AT(name), NULL, "Name of its last region, moved to the right by two blanks a level, for 64 levels"}},
};

enum {
    COLUMNS = sizeof columns / sizeof columns[0], /* more than any table has */
    OF_LOCATION = 3                               /* the first columns; tables of all locations don't have them */
};

/* Copies the columns of a kind of table. Returns their number. */
static uint32_t columns_in(int table, tcf_table_column *to)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < COLUMNS; i++)
        if (columns[i].in & table)
            to[n++] = columns[i].column;
    return n;
}

static uint64_t region_id(const work *w, uint32_t region)
{
    return region == BEYOND ? UINT32_MAX : tcf_id(w->self->defs, TCF_REF_REGION, region, UINT32_MAX);
}

static const char *region_name(work *w, uint32_t region)
{
    return region == BEYOND ? "(beyond max_callpaths)" : region_name_of(w->self->defs, region, NULL, w->name);
}

/* Rounds to two decimals, since more would widen the column in text. */
static double percent(uint64_t part, uint64_t whole)
{
    double p = whole != 0 ? 1e4 * (double)part / (double)whole : 0;
    return (double)(int64_t)(p + 0.5) / 100;
}

/* A row of one location, or NULL: of all. */
static void add_row(const work *w, tcf_table *table, const entry *e, const tcf_location *l, double share,
                    const char *name)
{
    row r = {.region_id = region_id(w, e->region), .name = name, .share = share, .of = *e};
    if (l) {
        r.location = l->id;
        r.thread = l->name;
        r.process = tcf_process_name(w->self->defs, (uint32_t)(l - w->self->defs->locations), NULL);
    }
    tcf_row(w->self, table, &r);
}

/* Rows of a flat profile, most exclusive time first; of one location, or NULL: of all. */
static void flat_rows(work *w, tcf_table *table, sums *s, const tcf_location *l)
{
    const conf *c = w->self->conf;
    order *o = sorted(s, 0, 1);
    uint64_t whole = 0;

    if (!o) {
        w->out_of_memory = 1;
        return;
    }
    for (uint32_t i = 1; i < s->n; i++)
        whole = tcf_ticks_sum(whole, s->at[i].exclusive);
    for (uint32_t i = 0; i + 1 < s->n && (c->top == 0 || i < c->top); i++) {
        const entry *e = &s->at[o[i].at];
        add_row(w, table, e, l, percent(e->exclusive, whole), region_name(w, e->region));
    }
    free(o);
}

static void tree_row(work *w, tcf_table *table, const entry *e, const tcf_location *l, uint64_t whole, char **text,
                     size_t *bytes)
{
    const char *name = region_name(w, e->region);
    size_t level = e->depth - 1, blanks = 2 * (level < MOST_INDENTED ? level : MOST_INDENTED), length = strlen(name);

    if (blanks + length >= *bytes) {
        char *grown = realloc(*text, 2 * (blanks + length) + 1);
        if (!grown) {
            w->out_of_memory = 1;
            return;
        }
        *text = grown;
        *bytes = 2 * (blanks + length) + 1;
    }
    memset(*text, ' ', blanks);
    memcpy(*text + blanks, name, length + 1);
    add_row(w, table, e, l, percent(e->inclusive, whole), *text);
}

/* Rows of a call tree, depth first, the children of an entry by inclusive time; of one location, or NULL: of all. */
static void tree_rows(work *w, tcf_table *table, sums *s, const tcf_location *l)
{
    const conf *c = w->self->conf;
    order *o = sorted(s, 1, 0);
    uint32_t *next = calloc(s->n + 1, sizeof *next); /* by entry: its next child in o */
    char *text = NULL;
    size_t bytes = 0;
    uint64_t whole = 0;

    if (!o || !next || mark(s, c->top, 0) != 0)
        w->out_of_memory = 1;
    for (uint32_t i = s->n; !w->out_of_memory && i-- > 1;) {
        next[o[i - 1].parent] = i - 1;
        whole = tcf_ticks_sum(whole, s->at[i].exclusive);
    }
    for (uint32_t at = 0; s->n > 1 && !w->out_of_memory;) {
        uint32_t k = next[at];
        if (k + 1 < s->n && o[k].parent == at && o[k].at > at) {
            next[at]++;
            at = o[k].at;
            if (s->at[at].shown)
                tree_row(w, table, &s->at[at], l, whole, &text, &bytes);
        } else if (at == 0) {
            break;
        } else {
            at = s->at[at].parent;
        }
    }
    free(text);
    free(next);
    free(o);
}

/* -------------------------------------------------------------------------------------------------------- totals -- */

typedef void (*adder)(work *w, const place *p, sums *s, int merge);
typedef void (*rower)(work *w, tcf_table *table, sums *s, const tcf_location *l);

typedef struct report {
    const char *name, *title;
    int kind; /* FLAT_TABLE, TREE_TABLE */
    int of_locations;
    adder add_location;
    rower rows;
} report;

static const report reports[] = {
    {"flat_profile", "Flat profile, all locations", FLAT_TABLE, 0, add_flat, flat_rows},
    {"flat_profile_by_location", "Flat profile of each location", FLAT_TABLE, 1, add_flat, flat_rows},
    {"calltree_profile", "Call tree, all locations", TREE_TABLE, 0, add_tree, tree_rows},
    {"calltree_by_location", "Call tree of each location", TREE_TABLE, 1, add_tree, tree_rows},
};

/* The rows of all locations together, or of one after the other. */
static void write_rows(work *w, tcf_table *table, const report *r)
{
    sums s = {0};

    for (uint32_t l = 0; l < w->self->defs->n_locations && !w->out_of_memory; l++) {
        const place *p = tcf_location_state(w->self, l);
        if (p->n == 0)
            continue;
        relate(w, p);
        r->add_location(w, p, &s, !r->of_locations);
        if (!r->of_locations)
            continue;
        if (!w->out_of_memory)
            r->rows(w, table, &s, tcf_location_at(w->self->defs, l));
        sums_free(&s);
    }
    if (!r->of_locations && !w->out_of_memory)
        r->rows(w, table, &s, NULL);
    sums_free(&s);
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void tell(tcf_self *self)
{
    const conf *c = self->conf;
    uint64_t ignored = 0, unwound = 0, never_left = 0, not_counted = 0, without_path = 0;

    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        ignored += p->ignored;
        unwound += p->unwound;
        never_left += p->never_left;
        not_counted += p->not_counted;
        without_path += p->without_path;
    }
    if (ignored || unwound || never_left)
        self->host->log(self, TCF_LOG_INFO,
                        "unbalanced: %" PRIu64 " leaves of regions that were not open were ignored, %" PRIu64
                        " visits were ended by the leave of an outer region, %" PRIu64 " by the end of their location",
                        ignored, unwound, never_left);
    tcf_warn(self, not_counted, "visits deeper than any sane stack were not counted");
    if (c->calltree && without_path)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " visits have no call path of their own: a location has more than "
                        "max_callpaths = %" PRId64,
                        without_path, c->max_callpaths);
}

tcf_status profile_report(tcf_self *self)
{
    const conf *c = self->conf;
    work w;

    if (work_start(&w, self) != 0)
        w.out_of_memory = 1;
    for (const report *r = reports; r < reports + TCF_COUNT(reports) && !w.out_of_memory; r++) {
        if ((r->kind == TREE_TABLE && !c->calltree) || (r->of_locations && !c->by_location))
            continue;
        tcf_table_column shown[COLUMNS];
        uint32_t n = columns_in(r->kind, shown), without = r->of_locations ? 0 : OF_LOCATION;
        write_rows(&w, self->host->table(self, r->name, r->title, shown + without, n - without), r);
    }
    work_free(&w);
    if (w.out_of_memory)
        return self->host->fail(self, "out of memory for the tables of results");
    tell(self);
    return TCF_OK;
}
