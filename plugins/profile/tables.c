/* profile's reductions and tables; see profile.h. Runs once, at the end.
 *
 * A `sums` is a tree of entries (parent, region) with what was counted for each; a flat profile is one whose entries
 * all lie right below its root. The nodes of a location are added to sums of the location, or of all locations.
 */
#include "profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEYOND 0xfffffffdu /* region of the entry that holds what has no call path of its own */

/* MOST_INDENTED: levels that are shown by blanks; a recursion may be a hundred thousand deep. */
enum { NAME_BYTES = 64, MOST_INDENTED = 64 };

typedef struct entry {
    uint32_t parent, region, depth; /* region: an index, NO_REGION, BEYOND */
    uint32_t shown;
    uint64_t visits;
    int64_t inclusive, exclusive, min, max;
} entry;

typedef struct sums {
    entry *at; /* [0] is the root */
    uint32_t *table;
    uint32_t n, capacity;
} sums;

/* One report under way. */
typedef struct work {
    tcf_self *self;
    uint32_t *same; /* by region: the first one that differs in nothing but its id */
    uint32_t *to;   /* by node of a location: its entry in the sums */
    uint32_t *open; /* by entry of a flat profile: how many visits of its region enclose the node */
    int64_t *exclusive;
    uint32_t *first_child, *next_sibling; /* by node of a location */
    char name[NAME_BYTES];
    int out_of_memory;
} work;

/* ------------------------------------------------------------------------------------------------------- sums -- */

static void sums_free(sums *s)
{
    free(s->at);
    free(s->table);
    *s = (sums){0};
}

static uint32_t *sums_slot(const sums *s, uint32_t parent, uint32_t region)
{
    uint64_t h = ((uint64_t)parent << 32 | region) * 0x9e3779b97f4a7c15u;
    uint32_t mask = 2 * s->capacity - 1, slot = (uint32_t)(h >> 32) & mask;

    while (s->table[slot] && (s->at[s->table[slot]].parent != parent || s->at[s->table[slot]].region != region))
        slot = (slot + 1) & mask;
    return &s->table[slot];
}

static int sums_grow(sums *s)
{
    uint32_t capacity = s->capacity ? 2 * s->capacity : 256;
    entry *at = realloc(s->at, capacity * sizeof *at);
    uint32_t *table = calloc(2 * (size_t)capacity, sizeof *table);

    if (at)
        s->at = at;
    if (!at || !table) {
        free(table);
        return -1;
    }
    free(s->table);
    s->table = table;
    s->capacity = capacity;
    for (uint32_t i = 1; i < s->n; i++)
        *sums_slot(s, s->at[i].parent, s->at[i].region) = i;
    return 0;
}

/* The entry of a region below another one; made when it isn't there. 0: out of memory. */
static uint32_t sums_entry(sums *s, uint32_t parent, uint32_t region)
{
    if (s->n == s->capacity && sums_grow(s) != 0)
        return 0;
    if (s->n == 0)
        s->at[s->n++] = (entry){.region = NO_REGION};
    uint32_t *slot = sums_slot(s, parent, region);
    if (*slot == 0) {
        *slot = s->n;
        s->at[s->n++] = (entry){
            .parent = parent, .region = region, .depth = s->at[parent].depth + 1, .min = INT64_MAX, .max = INT64_MIN};
    }
    return *slot;
}

static void add(entry *e, const node *x, int64_t inclusive, int64_t exclusive)
{
    e->visits += x->visits;
    e->inclusive += inclusive;
    e->exclusive += exclusive;
    e->min = x->min < e->min ? x->min : e->min;
    e->max = x->max > e->max ? x->max : e->max;
}

/* --------------------------------------------------------------------------------------- nodes of a location -- */

/* Fills w->exclusive and the lists of children. Parents come before their children. */
static void relate(work *w, const place *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        w->exclusive[i] = p->nodes[i].inclusive - p->nodes[i].below;
        w->first_child[i] = w->next_sibling[i] = ROOT;
    }
    for (uint32_t i = p->n; i-- > 1;) {
        uint32_t parent = scope_of(&p->nodes[i]);
        if (parent == FLAT)
            continue;
        w->exclusive[parent] -= p->nodes[i].inclusive;
        w->next_sibling[i] = w->first_child[parent];
        w->first_child[parent] = i;
    }
}

static uint32_t region_in(const work *w, uint32_t region, int merge)
{
    return merge && region < w->self->defs->n_regions ? w->same[region] : region;
}

/* Adds a location to a flat profile. Down the tree and up again, so that `open` tells whether a call path lies in
 * another one that ends in the same region: then its inclusive time is in that one's already. */
static void add_flat(work *w, const place *p, sums *flat, int merge)
{
    uint32_t at = ROOT;

    for (uint32_t i = 1; i < p->n; i++) {
        const node *x = &p->nodes[i];
        w->to[i] = sums_entry(flat, 0, region_in(w, region_of(x), merge));
        if (w->to[i] == 0) {
            w->out_of_memory = 1;
            return;
        }
        w->open[w->to[i]] = 0;
        if (scope_of(x) == FLAT)
            add(&flat->at[w->to[i]], x, x->outermost, w->exclusive[i]);
    }
    for (;;) {
        if (w->first_child[at] != ROOT) {
            at = w->first_child[at];
        } else {
            while (at != ROOT && w->next_sibling[at] == ROOT) {
                at = scope_of(&p->nodes[at]);
                if (at != ROOT)
                    w->open[w->to[at]]--;
            }
            if (at == ROOT)
                return;
            at = w->next_sibling[at];
        }
        const node *x = &p->nodes[at];
        add(&flat->at[w->to[at]], x, w->open[w->to[at]] == 0 ? x->inclusive : 0, w->exclusive[at]);
        if (w->first_child[at] != ROOT)
            w->open[w->to[at]]++;
    }
}

static void add_tree(work *w, const place *p, sums *tree, int merge)
{
    w->to[ROOT] = 0;
    for (uint32_t i = 1; i < p->n; i++) {
        const node *x = &p->nodes[i];
        uint32_t scope = scope_of(x);
        uint32_t parent = scope == FLAT ? sums_entry(tree, 0, BEYOND) : w->to[scope];
        w->to[i] = scope == FLAT && parent == 0 ? 0 : sums_entry(tree, parent, region_in(w, region_of(x), merge));
        if (w->to[i] == 0) {
            w->out_of_memory = 1;
            return;
        }
        int64_t inclusive = scope == FLAT ? x->outermost : x->inclusive;
        add(&tree->at[w->to[i]], x, inclusive, w->exclusive[i]);
        if (scope == FLAT)
            add(&tree->at[parent], x, w->exclusive[i], 0);
    }
}

/* ------------------------------------------------------------------------------------------------------ order -- */

typedef struct order {
    uint32_t parent, at;
    int64_t value;
} order;

/* By parent, largest value first, then as they were met. */
static int compare_orders(const void *a, const void *b)
{
    const order *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static order *sorted(const sums *s, int by_parent, int by_exclusive)
{
    order *o = malloc((s->n + 1) * sizeof *o);

    for (uint32_t i = 1; o && i < s->n; i++)
        o[i - 1] = (order){by_parent ? s->at[i].parent : 0, i, by_exclusive ? s->at[i].exclusive : s->at[i].inclusive};
    if (o && s->n > 1)
        qsort(o, s->n - 1, sizeof *o, compare_orders);
    return o;
}

/* Marks the `top` largest entries, and those that they lie in. */
static int mark(sums *s, int64_t top, int by_exclusive)
{
    order *o = sorted(s, 0, by_exclusive);

    if (!o)
        return -1;
    for (uint32_t i = 0; i + 1 < s->n && (top == 0 || i < top); i++)
        for (uint32_t at = o[i].at; at != 0 && !s->at[at].shown; at = s->at[at].parent)
            s->at[at].shown = 1;
    free(o);
    return 0;
}

/* ----------------------------------------------------------------------------------------------------- tables -- */

static const tcf_table_column flat_columns[] = {
    {"location", TCF_CELL_UINT, NULL, "Id of the location"},
    {"process", TCF_CELL_TEXT, NULL, "Name of the location's group"},
    {"thread", TCF_CELL_TEXT, NULL, "Name of the location"},
    {"share", TCF_CELL_DOUBLE, "%", "Share in the exclusive time of all regions, to two decimals"},
    {"exclusive", TCF_CELL_DOUBLE, "s", "Time in the region itself, without what it called"},
    {"inclusive", TCF_CELL_DOUBLE, "s", "Time in the region and in what it called, in outermost visits"},
    {"visits", TCF_CELL_UINT, NULL, "How often the region was entered"},
    {"min", TCF_CELL_DOUBLE, "s", "The shortest visit"},
    {"max", TCF_CELL_DOUBLE, "s", "The longest visit"},
    {"exclusive_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As exclusive"},
    {"inclusive_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As inclusive"},
    {"min_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As min"},
    {"max_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As max"},
    {"region_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the region; in totals of the first one of its kind"},
    {"region", TCF_CELL_TEXT, NULL, "Name of the region"},
};

static const tcf_table_column tree_columns[] = {
    {"location", TCF_CELL_UINT, NULL, "Id of the location"},
    {"process", TCF_CELL_TEXT, NULL, "Name of the location's group"},
    {"thread", TCF_CELL_TEXT, NULL, "Name of the location"},
    {"share", TCF_CELL_DOUBLE, "%", "Share of the inclusive time in that of the whole tree, to two decimals"},
    {"inclusive", TCF_CELL_DOUBLE, "s", "Time in visits of the call path"},
    {"exclusive", TCF_CELL_DOUBLE, "s", "The same without the call paths below"},
    {"visits", TCF_CELL_UINT, NULL, "How often the call path was entered"},
    {"min", TCF_CELL_DOUBLE, "s", "The shortest visit"},
    {"max", TCF_CELL_DOUBLE, "s", "The longest visit"},
    {"inclusive_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As inclusive"},
    {"exclusive_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As exclusive"},
    {"min_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As min"},
    {"max_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As max"},
    {"region_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the region that the call path ends with"},
    {"depth", TCF_CELL_UINT, NULL, "Length of the call path; 1: not called by anything"},
    {"call_path", TCF_CELL_TEXT, NULL,
     "Name of its last region, moved to the right by two blanks a level, for 64 levels"},
};

enum {
    FLAT_COLUMNS = sizeof flat_columns / sizeof flat_columns[0],
    TREE_COLUMNS = sizeof tree_columns / sizeof tree_columns[0],
    OF_LOCATION = 3 /* the first columns, which totals don't have */
};

static uint64_t region_id(const work *w, uint32_t region)
{
    return region == BEYOND ? UINT32_MAX : tcf_id(w->self->defs, TCF_REF_REGION, region, UINT32_MAX);
}

static const char *region_name(work *w, uint32_t region)
{
    const tcf_definitions *defs = w->self->defs;

    if (region == BEYOND)
        return "(beyond max_callpaths)";
    if (region < defs->n_regions && defs->regions[region].name)
        return defs->regions[region].name;
    snprintf(w->name, sizeof w->name, "region#%" PRIu64, region_id(w, region));
    return w->name;
}

static double seconds(const work *w, int64_t ticks)
{
    return (double)ticks / (double)w->self->defs->clock.resolution;
}

/* Of two decimals: more would hide the others in a table for people. */
static double percent(int64_t part, int64_t whole)
{
    double p = whole != 0 ? 1e4 * (double)part / (double)whole : 0;
    return (double)(int64_t)(p < 0 ? p - 0.5 : p + 0.5) / 100;
}

/* Fills the columns that both kinds of table have in the same order, `a` and `b` being exclusive and inclusive or the
 * other way round. The number of cells. */
static uint32_t put_counts(const work *w, tcf_cell *c, const entry *e, int64_t a, int64_t b, int64_t whole)
{
    uint32_t n = 0;

    c[n++].d = percent(a, whole);
    c[n++].d = seconds(w, a);
    c[n++].d = seconds(w, b);
    c[n++].u = e->visits;
    c[n++].d = seconds(w, e->min);
    c[n++].d = seconds(w, e->max);
    c[n++].i = a;
    c[n++].i = b;
    c[n++].i = e->min;
    c[n++].i = e->max;
    c[n++].u = region_id(w, e->region);
    return n;
}

/* The first columns of a table of locations; the number of cells. */
static uint32_t put_location(const work *w, tcf_cell *c, const tcf_location *l)
{
    const tcf_definitions *defs = w->self->defs;

    if (!l)
        return 0;
    c[0].u = l->id;
    c[1].text = l->group < defs->n_location_groups ? defs->location_groups[l->group].name : NULL;
    c[2].text = l->name;
    return OF_LOCATION;
}

/* Rows of a flat profile, most exclusive time first; of one location, or NULL: of all. */
static void flat_rows(work *w, tcf_table *table, sums *s, const tcf_location *l)
{
    const conf *c = w->self->conf;
    order *o = sorted(s, 0, 1);
    int64_t whole = 0;

    if (!o) {
        w->out_of_memory = 1;
        return;
    }
    for (uint32_t i = 1; i < s->n; i++)
        whole += s->at[i].exclusive;
    for (uint32_t i = 0; i + 1 < s->n && (c->top == 0 || i < c->top); i++) {
        const entry *e = &s->at[o[i].at];
        tcf_cell cells[FLAT_COLUMNS];
        uint32_t n = put_location(w, cells, l);
        n += put_counts(w, cells + n, e, e->exclusive, e->inclusive, whole);
        cells[n].text = region_name(w, e->region);
        w->self->host->row(table, cells);
    }
    free(o);
}

static void tree_row(work *w, tcf_table *table, const entry *e, const tcf_location *l, int64_t whole, char **text,
                     size_t *bytes)
{
    const char *name = region_name(w, e->region);
    size_t level = e->depth - 1, blanks = 2 * (level < MOST_INDENTED ? level : MOST_INDENTED), length = strlen(name);
    tcf_cell cells[TREE_COLUMNS];
    uint32_t n = put_location(w, cells, l);

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
    n += put_counts(w, cells + n, e, e->inclusive, e->exclusive, whole);
    cells[n++].u = e->depth;
    cells[n].text = *text;
    w->self->host->row(table, cells);
}

/* Rows of a call tree, depth first, the children of an entry by inclusive time; of one location, or NULL: of all. */
static void tree_rows(work *w, tcf_table *table, sums *s, const tcf_location *l)
{
    const conf *c = w->self->conf;
    order *o = sorted(s, 1, 0);
    uint32_t *next = calloc(s->n + 1, sizeof *next); /* by entry: its next child in o */
    char *text = NULL;
    size_t bytes = 0;
    int64_t whole = 0;

    if (!o || !next || mark(s, c->top, 0) != 0)
        w->out_of_memory = 1;
    for (uint32_t i = s->n; !w->out_of_memory && i-- > 1;) {
        next[o[i - 1].parent] = i - 1;
        whole += s->at[i].exclusive;
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

/* ----------------------------------------------------------------------------------------------------- totals -- */

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* 0: they differ in nothing but their id. */
static int compare_regions(const tcf_region *a, const tcf_region *b)
{
    int d = compare_texts(a->name, b->name);

    d = d ? d : compare_texts(a->canonical_name, b->canonical_name);
    d = d ? d : compare_texts(a->file, b->file);
    d = d ? d : compare_numbers(a->begin_line, b->begin_line);
    d = d ? d : compare_numbers(a->end_line, b->end_line);
    d = d ? d : compare_numbers(a->role, b->role);
    return d ? d : compare_numbers(a->paradigm, b->paradigm);
}

static int compare_region_pointers(const void *a, const void *b)
{
    const tcf_region *const *x = a, *const *y = b;
    int d = compare_regions(*x, *y);
    return d ? d : (*x > *y) - (*x < *y);
}

static uint32_t *find_same(const tcf_definitions *defs)
{
    uint32_t *same = malloc((defs->n_regions + 1) * sizeof *same);
    const tcf_region **by = malloc((defs->n_regions + 1) * sizeof *by);

    if (!same || !by) {
        free(same);
        free(by);
        return NULL;
    }
    for (uint32_t i = 0; i < defs->n_regions; i++)
        by[i] = &defs->regions[i];
    if (defs->n_regions > 0)
        qsort(by, defs->n_regions, sizeof *by, compare_region_pointers);
    for (uint32_t i = 0, first = 0; i < defs->n_regions; i++) {
        if (compare_regions(by[i], by[first]) != 0)
            first = i;
        same[by[i] - defs->regions] = (uint32_t)(by[first] - defs->regions);
    }
    free(by);
    return same;
}

/* Buffers for the location with the most nodes; what a flat profile has more than that is other locations'. */
static int work_start(work *w, tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    size_t n = 1, all = 1;

    *w = (work){.self = self};
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        n = p->n > n ? p->n : n;
        all += p->n;
    }
    w->same = find_same(defs);
    w->to = malloc(n * sizeof *w->to);
    w->open = malloc((all + 1) * sizeof *w->open);
    w->exclusive = malloc(n * sizeof *w->exclusive);
    w->first_child = malloc(n * sizeof *w->first_child);
    w->next_sibling = malloc(n * sizeof *w->next_sibling);
    return w->same && w->to && w->open && w->exclusive && w->first_child && w->next_sibling ? 0 : -1;
}

static void work_free(work *w)
{
    free(w->same);
    free(w->to);
    free(w->open);
    free(w->exclusive);
    free(w->first_child);
    free(w->next_sibling);
}

typedef void (*adder)(work *w, const place *p, sums *s, int merge);
typedef void (*rower)(work *w, tcf_table *table, sums *s, const tcf_location *l);

static void total(work *w, tcf_table *table, adder add_location, rower rows)
{
    sums s = {0};

    for (uint32_t l = 0; l < w->self->defs->n_locations && !w->out_of_memory; l++) {
        const place *p = tcf_location_state(w->self, l);
        if (p->n == 0)
            continue;
        relate(w, p);
        add_location(w, p, &s, 1);
    }
    if (!w->out_of_memory)
        rows(w, table, &s, NULL);
    sums_free(&s);
}

static void by_location(work *w, tcf_table *table, adder add_location, rower rows)
{
    for (uint32_t l = 0; l < w->self->defs->n_locations && !w->out_of_memory; l++) {
        const place *p = tcf_location_state(w->self, l);
        sums s = {0};
        if (p->n == 0)
            continue;
        relate(w, p);
        add_location(w, p, &s, 0);
        if (!w->out_of_memory)
            rows(w, table, &s, &w->self->defs->locations[l]);
        sums_free(&s);
    }
}

/* --------------------------------------------------------------------------------------------------- messages -- */

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
    if (not_counted)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " visits deeper than any sane stack were not counted",
                        not_counted);
    if (c->calltree && without_path)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " visits have no call path of their own: a location has more than "
                        "max_callpaths = %" PRId64,
                        without_path, c->max_callpaths);
}

typedef struct report {
    const char *name, *title;
    const tcf_table_column *columns;
    uint32_t n_columns;
    int of_tree, of_locations;
    adder add_location;
    rower rows;
} report;

static const report reports[] = {
    {"flat_profile", "Flat profile, all locations", flat_columns, FLAT_COLUMNS, 0, 0, add_flat, flat_rows},
    {"flat_profile_by_location", "Flat profile of each location", flat_columns, FLAT_COLUMNS, 0, 1, add_flat,
     flat_rows},
    {"calltree_profile", "Call tree, all locations", tree_columns, TREE_COLUMNS, 1, 0, add_tree, tree_rows},
    {"calltree_by_location", "Call tree of each location", tree_columns, TREE_COLUMNS, 1, 1, add_tree, tree_rows},
};

tcf_status profile_report(tcf_self *self)
{
    const conf *c = self->conf;
    work w;

    if (work_start(&w, self) != 0)
        w.out_of_memory = 1;
    for (size_t i = 0; i < sizeof reports / sizeof reports[0] && !w.out_of_memory; i++) {
        const report *r = &reports[i];
        if ((r->of_tree && !c->calltree) || (r->of_locations && !c->by_location))
            continue;
        uint32_t without = r->of_locations ? 0 : OF_LOCATION;
        tcf_table *table = self->host->table(self, r->name, r->title, r->columns + without, r->n_columns - without);
        if (!table)
            w.out_of_memory = 1;
        else if (r->of_locations)
            by_location(&w, table, r->add_location, r->rows);
        else
            total(&w, table, r->add_location, r->rows);
    }
    work_free(&w);
    if (w.out_of_memory)
        return self->host->fail(self, "out of memory for the tables of results");
    tell(self);
    return TCF_OK;
}
