/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads what is compared from where it stands in a database. Rows of one name are added up: regions of one name may
 * differ in their file or line, and processes may each have regions of their own. */
#include "diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A database being read, and the number of its run. */
struct load {
    struct comparison *c;
    struct database *db;
    uint32_t run;
};

static struct subject *subject(struct load *l, enum subject_id id)
{
    struct subject *s = &l->c->subject[id];
    s->there[l->run] = true;
    return s;
}

static void add(struct load *l, struct subject *s, uint32_t item, uint32_t quantity, double value)
{
    value_add(l->c, s, quantity, item, l->run, value);
}

/* The item named by a row's text. */
static uint32_t find(struct subject *s, uint32_t parent, struct sqlite3_stmt *row, int column)
{
    char *name = database_text(row, column);
    uint32_t item = items_find(&s->items, parent, name);
    free(name);
    return item;
}

static void set_title(struct items *items, uint32_t item, char *title)
{
    if (items->at[item].title)
        free(title);
    else
        items->at[item].title = title;
}

/* ------------------------------------------------------------------------------------------------------- the run -- */

static double count_rows(struct load *l, const char *table, const char *column)
{
    const char *columns[] = {column, NULL};
    struct sqlite3_stmt *row = database_table(l->db, NULL, table, columns);
    double n = 0;
    if (!row)
        fail("'%s' has no table `%s`; run tcflow again", l->db->path, table);
    while (database_row(l->db, table, row))
        n++;
    return n;
}

static void load_run(struct load *l)
{
    static const char *const columns[] = {"status",         "input",    "chain",     "date",
                                          "tcflow_version", "trace_id", "processes", "locations",
                                          "events",         "duration", NULL};
    struct run *r = &l->c->run[l->run];
    struct sqlite3_stmt *row = database_table(l->db, NULL, "run", columns);
    if (!row || !database_row(l->db, "run", row))
        fail("'%s' does not tell of the run: its table `run` is missing or empty; run tcflow again", l->db->path);
    r->status = database_text(row, 0);
    r->input = database_text(row, 1);
    r->chain = database_text(row, 2);
    r->date = database_text(row, 3);
    r->version = database_text(row, 4);
    r->trace_id = database_text(row, 5);
    r->processes = database_number(row, 6);
    r->locations = database_number(row, 7);
    r->events = database_number(row, 8);
    r->duration = database_number(row, 9);
    while (database_row(l->db, "run", row))
        ;
    r->notes = count_rows(l, "notes", "note");
    r->losses = count_rows(l, "losses", "location");
}

/* Can the parameter change results? File names differ from run to run; outputs and memory change no result. */
static bool matters(const char *place, const char *key, const char *type)
{
    static const char *const of_pipeline[] = {"lookahead", "max_callpaths", "max_channels", "max_messages", "salvage"};
    if (strcmp(place, "framework") != 0)
        return strcmp(type, "path") != 0 && strcmp(key, "format") != 0 && strcmp(key, "overwrite") != 0;
    for (size_t i = 0; i < sizeof of_pipeline / sizeof *of_pipeline; i++)
        if (strcmp(key, of_pipeline[i]) == 0)
            return true;
    return false;
}

/* Databases of older versions have no parameters. */
static void load_parameters(struct load *l)
{
    enum { TEXTS = 5, MOST = 20000 };
    static const char *const columns[TEXTS + 1] = {"place", "instance", "key", "value", "type", NULL};
    struct run *r = &l->c->run[l->run];
    struct sqlite3_stmt *row = database_table(l->db, NULL, "parameters", columns);
    while (row && database_row(l->db, "the parameters", row)) {
        if (r->n_parameters == MOST)
            fail("'%s' has more than %d parameters: that is no database of tcflow", l->db->path, MOST);
        char *text[TEXTS];
        for (int i = 0; i < TEXTS; i++)
            text[i] = database_text(row, i);
        if (matters(text[0], text[2], text[4])) {
            r->parameter = enlarge(r->parameter, r->n_parameters + 1u, sizeof *r->parameter);
            char *name = format_text("%s%s.%s", strcmp(text[0], "survey") == 0 ? "survey " : "", text[1], text[2]);
            r->parameter[r->n_parameters++] = (struct parameter){name, copy_text(text[3])};
        }
        for (int i = 0; i < TEXTS; i++)
            free(text[i]);
    }
}

/* ------------------------------------------------------------------------------------------------------- profile -- */

static bool load_regions(struct load *l)
{
    static const char *const columns[] = {"region", "exclusive", "inclusive", "visits", "share", NULL};
    struct sqlite3_stmt *row = database_table(l->db, "profile", "flat_profile", columns);
    struct run *r = &l->c->run[l->run];
    double shares = 0;
    uint64_t rows = 0;
    if (!row)
        return false;
    struct subject *s = subject(l, REGIONS);
    for (r->time = 0; database_row(l->db, "the flat profile", row); rows++) {
        uint32_t item = find(s, 0, row, 0);
        double exclusive = database_number(row, 1), share = database_number(row, 4);
        add(l, s, item, EXCLUSIVE, exclusive);
        add(l, s, item, INCLUSIVE, database_number(row, 2));
        add(l, s, item, VISITS, database_number(row, 3));
        r->time += isnan(exclusive) ? 0 : exclusive;
        shares += isnan(share) ? 0 : share;
    }
    /* Shares have two decimals, so their sum is 100 up to half a hundredth for each. */
    r->whole_profile = rows == 0 || r->time <= 0 || shares >= 100 - 0.005 * (double)rows - 1e-6;
    return true;
}

/* The name in a row of the call tree, without the two blanks a level that show its depth. */
static char *last_region(struct sqlite3_stmt *row, uint32_t depth)
{
    enum { MOST_INDENTED = 64 };
    char *text = database_text(row, 0);
    size_t blanks = 2 * (size_t)(depth - 1 < MOST_INDENTED ? depth - 1 : MOST_INDENTED);
    size_t there = strspn(text, " ");
    size_t skip = blanks < there ? blanks : there;
    memmove(text, text + skip, strlen(text + skip) + 1);
    return text;
}

/* Rows come depth first: a row's parent is the last one before it that is a level higher. */
static bool load_callpaths(struct load *l)
{
    static const char *const columns[] = {"call_path", "depth", "exclusive", "inclusive", "visits", NULL};
    struct sqlite3_stmt *row = database_table(l->db, "profile", "calltree_profile", columns);
    uint32_t *path = NULL, levels = 0, capacity = 0;
    if (!row)
        return false;
    struct subject *s = subject(l, CALLPATHS);
    while (database_row(l->db, "the call tree", row)) {
        double depth = database_number(row, 1);
        if (!(depth >= 1 && depth <= levels + 1.0))
            fail("'%s': the call tree is not depth first: a call path of depth %g behind one of depth %u; run tcflow "
                 "again",
                 l->db->path, depth, levels);
        if ((uint32_t)depth > capacity) {
            capacity = capacity ? 2 * capacity : 64;
            path = enlarge(path, capacity, sizeof *path);
        }
        levels = (uint32_t)depth;
        char *name = last_region(row, levels);
        uint32_t item = items_find(&s->items, levels > 1 ? path[levels - 2] : 0, name);
        free(name);
        path[levels - 1] = item;
        add(l, s, item, EXCLUSIVE, database_number(row, 2));
        add(l, s, item, INCLUSIVE, database_number(row, 3));
        add(l, s, item, VISITS, database_number(row, 4));
    }
    free(path);
    return true;
}

/* --------------------------------------------------------------------------------------------------- wait states -- */

static bool load_patterns(struct load *l)
{
    static const char *const columns[] = {"pattern", "title", "time", "count", "unit", NULL};
    struct sqlite3_stmt *row = database_table(l->db, "wait_states", "patterns", columns);
    if (!row)
        return false;
    struct subject *s = subject(l, WAIT_PATTERNS), *paths = &l->c->subject[WAIT_PATHS];
    while (database_row(l->db, "the wait states", row)) {
        char *unit = database_text(row, 4), *title = database_text(row, 1), *plain = title + strspn(title, " ");
        if (strcmp(unit, "s") == 0) {
            uint32_t item = find(s, 0, row, 0);
            add(l, s, item, 0, database_number(row, 2));
            add(l, s, item, 1, database_number(row, 3));
            /* Loads it with the name that other tables and the documentation use. */
            char *whole = format_text("%s (%s)", plain, s->items.at[item].name);
            set_title(&s->items, item, copy_text(whole));
            set_title(&paths->items, find(paths, 0, row, 0), whole);
        }
        free(unit);
        free(title);
    }
    return true;
}

static bool load_wait_paths(struct load *l)
{
    static const char *const columns[] = {"pattern", "call_path", "time", "count", NULL};
    struct sqlite3_stmt *row = database_table(l->db, "wait_states", "callpaths", columns);
    if (!row)
        return false;
    struct subject *s = subject(l, WAIT_PATHS);
    while (database_row(l->db, "the wait states by call path", row)) {
        uint32_t item = find(s, find(s, 0, row, 0), row, 1);
        add(l, s, item, 0, database_number(row, 2));
        add(l, s, item, 1, database_number(row, 3));
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void add_named(struct load *l, enum subject_id id, const char *what, double value)
{
    struct subject *s = subject(l, id);
    add(l, s, items_find(&s->items, 0, what), 0, value);
}

static bool load_processes(struct load *l)
{
    static const char *const columns[] = {"sent",
                                          "received",
                                          "bytes_sent",
                                          "bytes_received",
                                          "collectives",
                                          "collective_bytes_sent",
                                          "collective_bytes_received",
                                          NULL};
    static const struct {
        enum subject_id subject;
        const char *what;
    } sums[] = {{COMMUNICATION, "messages sent"},  {COMMUNICATION, "messages received"}, {BYTES, "in messages sent"},
                {BYTES, "in messages received"},   {COMMUNICATION, "collectives"},       {BYTES, "sent in collectives"},
                {BYTES, "received in collectives"}};
    struct sqlite3_stmt *row = database_table(l->db, "comm_matrix", "processes", columns);
    if (!row)
        return false;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_named(l, sums[i].subject, sums[i].what, 0);
    while (database_row(l->db, "the messages by process", row))
        for (int i = 0; i < (int)(sizeof sums / sizeof *sums); i++)
            add_named(l, sums[i].subject, sums[i].what, database_number(row, i));
    return true;
}

static void load_collectives(struct load *l)
{
    static const char *const columns[] = {"operation", "count", NULL};
    struct sqlite3_stmt *row = database_table(l->db, "comm_matrix", "collectives", columns);
    while (row && database_row(l->db, "the collective operations", row)) {
        struct subject *s = subject(l, COMMUNICATION);
        uint32_t parent = items_find(&s->items, 0, "collectives");
        add(l, s, find(s, parent, row, 0), 0, database_number(row, 1));
    }
}

/* The same sums of messages, where there is no comm_matrix. */
static bool load_sizes(struct load *l)
{
    static const char *const columns[] = {"sent", "received", "bytes_sent", "bytes_received", NULL};
    static const char *const what[] = {"messages sent", "messages received", "in messages sent",
                                       "in messages received"};
    struct sqlite3_stmt *row = database_table(l->db, "message_histogram", "sizes", columns);
    if (!row)
        return false;
    for (int i = 0; i < 4; i++)
        add_named(l, i < 2 ? COMMUNICATION : BYTES, what[i], 0);
    while (database_row(l->db, "the sizes of messages", row))
        for (int i = 0; i < 4; i++)
            add_named(l, i < 2 ? COMMUNICATION : BYTES, what[i], database_number(row, i));
    return true;
}

static bool load_messages(struct load *l)
{
    if (!load_processes(l))
        return load_sizes(l);
    load_collectives(l);
    return true;
}

/* ----------------------------------------------------------------------------------------------------- imbalance -- */

static bool load_loads(struct load *l)
{
    enum { EXCESS, RATIO, LARGEST, MEAN };
    static const char *const columns[] = {"region", "max", "mean", NULL};
    struct sqlite3_stmt *row = database_table(l->db, "load_imbalance", "load_imbalance", columns);
    if (!row)
        return false;
    struct subject *s = subject(l, LOADS);
    while (database_row(l->db, "the load imbalance", row)) {
        uint32_t item = find(s, 0, row, 0);
        add(l, s, item, LARGEST, database_number(row, 1));
        add(l, s, item, MEAN, database_number(row, 2));
        double max = *value_at(l->c, s, LARGEST, item, l->run), mean = *value_at(l->c, s, MEAN, item, l->run);
        *value_at(l->c, s, EXCESS, item, l->run) = max - mean;
        *value_at(l->c, s, RATIO, item, l->run) = mean > 0 ? max / mean : NAN;
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- all -- */

static const struct source {
    enum section section;
    enum subject_id subject;
    const char *filter, *table, *advice;
    bool (*load)(struct load *l);
} sources[] = {
    {PROFILE, REGIONS, "profile", "flat_profile", "run tcflow again with profile in the chain", load_regions},
    {PROFILE, CALLPATHS, "profile", "calltree_profile", "run tcflow again with profile in the chain and calltree = yes",
     load_callpaths},
    {WAITS, WAIT_PATTERNS, "wait_states", "patterns", "run tcflow again with wait_states in the chain", load_patterns},
    {WAITS, WAIT_PATHS, "wait_states", "callpaths", "run tcflow again with wait_states in the chain", load_wait_paths},
    {MESSAGES, COMMUNICATION, "comm_matrix", "processes",
     "run tcflow again with comm_matrix or message_histogram in the chain", load_messages},
    {IMBALANCE, LOADS, "load_imbalance", "load_imbalance", "run tcflow again with load_imbalance in the chain",
     load_loads},
};

/* Is the table named by an option, or needed in any case? */
static bool is_required(const struct options *o, const struct source *s)
{
    if (s->section == PROFILE && s->subject == REGIONS)
        return true;
    if (s->section == PROFILE)
        return o->by == BY_CALLPATH || o->by == BY_BOTH;
    return o->sections_named;
}

static bool is_wanted(const struct options *o, const struct source *s)
{
    if (s->section == PROFILE && s->subject == REGIONS)
        return o->section[PROFILE] || o->section[SCALING];
    return o->section[s->section] && (s->subject != CALLPATHS || o->by != BY_REGION);
}

static void tell_instances(struct load *l, const struct source *s)
{
    char *taken = NULL;
    uint32_t n = database_instances(l->db, s->filter, s->table, &taken);
    if (n > 1 && s->subject != CALLPATHS && s->subject != WAIT_PATHS)
        note(l->c, false, "'%s' has %u instances of %s; %s is compared (--instance takes another one)", l->db->path, n,
             s->filter, taken);
    free(taken);
}

static void load_file(struct comparison *c, uint32_t run)
{
    const struct options *o = c->options;
    struct database db;
    struct load l = {c, &db, run};
    database_open(&db, c->run[run].path, o);
    load_run(&l);
    load_parameters(&l);
    c->run[run].time = NAN;
    c->run[run].whole_profile = true;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct source *s = &sources[i];
        if (!is_wanted(o, s))
            continue;
        /* The section scaling alone needs no profile. */
        if (!s->load(&l) && is_required(o, s) && o->section[s->section])
            fail("'%s' has no table `%s` of %s: %s", db.path, s->table, s->filter, s->advice);
        tell_instances(&l, s);
    }
    database_close(&db);
}

/* Where some runs have a table and others don't; of a profile also when none has it. */
static void tell_missing(struct comparison *c, const struct source *s)
{
    const bool *there = c->subject[s->subject].there;
    uint32_t n = 0;
    for (uint32_t r = 0; r < c->n_runs; r++)
        n += there[r];
    if (n == 0 && s->section == PROFILE)
        note(c, false, "no run has a table `%s` of %s: %s", s->table, s->filter, s->advice);
    for (uint32_t r = 0; n > 0 && r < c->n_runs; r++)
        if (!there[r])
            note(c, true, "'%s' has no table `%s` of %s: %s", c->run[r].path, s->table, s->filter, s->advice);
}

void load_all(struct comparison *c)
{
    for (uint32_t i = 0; i < N_SUBJECTS; i++) {
        c->subject[i].kind = &subject_kinds[i];
        c->subject[i].there = allocate(c->n_runs, sizeof(bool));
    }
    for (uint32_t r = 0; r < c->n_runs; r++)
        load_file(c, r);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (is_wanted(c->options, &sources[i]))
            tell_missing(c, &sources[i]);
}
