/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads what is compared from where it stands in a database. Rows of one name are added up: regions of one name may
 * differ in their file or line, and processes may each have regions of their own. */
#include "diff.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

/* A database being read. */
struct load {
    struct comparison *c;
    struct database *db;
    uint32_t run;
    double time, shares; /* of all rows of the flat profile */
    uint64_t rows;
    uint32_t *path, levels, capacity; /* of the last row of the call tree */
};

/* A table of a filter, and what becomes of its rows. */
struct source {
    enum section section;
    enum subject_id subject;
    const char *filter, *table, *what, *advice; /* what: in messages */
    const char *columns;
    void (*row)(struct load *l, struct sqlite3_stmt *row);
    int n_sums; /* row NULL: the columns are added up, as sums[] */
};

/* Adds the numbers of a row, from `column` on, to the quantities of an item, from `quantity` on. */
static void add(struct load *l, enum subject_id id, uint32_t item, uint32_t quantity, struct sqlite3_stmt *row,
                int column, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        value_add(l->c, &l->c->subject[id], quantity + i, item, l->run, database_number(row, column + (int)i));
}

/* The item named by a row's text. */
static uint32_t find(struct load *l, enum subject_id id, uint32_t parent, struct sqlite3_stmt *row, int column)
{
    char *name = database_text(row, column);
    uint32_t item = items_find(&l->c->subject[id].items, parent, name);
    free(name);
    return item;
}

/* ------------------------------------------------------------------------------------------------------- the run -- */

static double count_rows(struct load *l, const char *table, const char *column)
{
    struct sqlite3_stmt *row = database_table(l->db, NULL, table, column);
    double n = 0;
    if (!row)
        fail("'%s' has no table '%s'; run tcflow again", l->db->path, table);
    while (database_row(l->db, table, row))
        n++;
    return n;
}

/* What the trace doesn't say, and that its events follow from samples, the run has noted. */
static double load_notes(struct load *l)
{
    static const struct {
        const char *name, *text;
    } known[] = {{"sampled", "events of '%s' follow from samples: times are those of samples"},
                 {"unknown_messages", "messages and collective operations of '%s' are unknown: what follows from them "
                                      "is left open"},
                 {"unknown_sizes", "sizes of messages of '%s' are unknown, or some: bytes are left open"}};
    struct sqlite3_stmt *row = database_table(l->db, NULL, "notes", "note");
    double n = 0;
    if (!row)
        fail("'%s' has no table 'notes'; run tcflow again", l->db->path);
    for (; database_row(l->db, "notes", row); n++) {
        char *name = database_text(row, 0);
        for (size_t i = 0; i < TCF_COUNT(known); i++)
            if (strcmp(name, known[i].name) == 0)
                note(l->c, true, known[i].text, l->c->run[l->run].path);
        free(name);
    }
    return n;
}

static void load_run(struct load *l)
{
    struct run *r = &l->c->run[l->run];
    char **texts[] = {&r->status, &r->input, &r->chain, &r->date, &r->version, &r->trace_id};
    double *numbers[] = {&r->processes, &r->locations, &r->events, &r->duration};
    struct sqlite3_stmt *row =
        database_table(l->db, NULL, "run",
                       "status input chain date tcflow_version trace_id processes locations events duration");
    if (!row || !database_row(l->db, "run", row))
        fail("'%s' does not tell of the run: its table 'run' is missing or empty; run tcflow again", l->db->path);
    for (int i = 0; i < 10; i++)
        if (i < 6)
            *texts[i] = database_text(row, i);
        else
            *numbers[i - 6] = database_number(row, i);
    while (database_row(l->db, "run", row))
        ;
    r->notes = load_notes(l);
    r->losses = count_rows(l, "losses", "location");
}

/* Can the parameter change results? File names differ from run to run; outputs and memory change no result. */
static bool matters(const char *place, const char *key, const char *type)
{
    if (strcmp(place, "framework") != 0)
        return strcmp(type, "path") != 0 && strcmp(key, "format") != 0 && strcmp(key, "overwrite") != 0;
    return strcmp(key, "lookahead") == 0 || strcmp(key, "max_callpaths") == 0 || strcmp(key, "max_channels") == 0 ||
           strcmp(key, "max_messages") == 0 || strcmp(key, "salvage") == 0;
}

/* Databases of older versions have no parameters. */
static void load_parameters(struct load *l)
{
    enum { TEXTS = 5, MOST = 20000 };
    struct run *r = &l->c->run[l->run];
    struct sqlite3_stmt *row = database_table(l->db, NULL, "parameters", "place instance key value type");
    while (row && database_row(l->db, "the parameters", row)) {
        if (r->n_parameters == MOST)
            fail("'%s' has more than %d parameters: that is no database of tcflow", l->db->path, MOST);
        char *text[TEXTS];
        for (int i = 0; i < TEXTS; i++)
            text[i] = database_text(row, i);
        if (matters(text[0], text[2], text[4])) {
            r->parameter = enlarge(r->parameter, r->n_parameters + 1u, sizeof *r->parameter);
            char *name = format_text("%s%s.%s", strcmp(text[0], "survey") == 0 ? "survey " : "", text[1], text[2]);
            r->parameter[r->n_parameters++] = (struct parameter){name, format_text("%s", text[3])};
        }
        for (int i = 0; i < TEXTS; i++)
            free(text[i]);
    }
}

/* ---------------------------------------------------------------------------------------------------------- rows -- */

static void load_region(struct load *l, struct sqlite3_stmt *row)
{
    add(l, REGIONS, find(l, REGIONS, 0, row, 0), EXCLUSIVE, row, 1, 3);
    l->time += or_zero(database_number(row, 1));
    l->shares += or_zero(database_number(row, 4));
    l->rows++;
}

/* The name in a row of the call tree, without the two blanks a level that show its depth. */
static char *last_region(struct sqlite3_stmt *row, uint32_t depth)
{
    enum { MOST_INDENTED = 64 };
    char *text = database_text(row, 0);
    size_t blanks = 2 * (size_t)(depth - 1 < MOST_INDENTED ? depth - 1 : MOST_INDENTED);
    size_t there = strspn(text, " "), skip = blanks < there ? blanks : there;
    memmove(text, text + skip, strlen(text + skip) + 1);
    return text;
}

/* Rows come depth first: a row's parent is the last one before it that is a level higher. */
static void load_callpath(struct load *l, struct sqlite3_stmt *row)
{
    double depth = database_number(row, 1);
    if (!(depth >= 1 && depth <= l->levels + 1.0))
        fail("'%s': the call tree is not depth first: a call path of depth %g behind one of depth %u; run tcflow again",
             l->db->path, depth, l->levels);
    l->levels = (uint32_t)depth;
    if (TCF_GROW(&l->path, &l->capacity, l->levels) != 0)
        fail("out of memory");
    l->path[0] = 0;
    char *name = last_region(row, l->levels);
    uint32_t item = items_find(&l->c->subject[CALLPATHS].items, l->path[l->levels - 1], name);
    free(name);
    l->path[l->levels] = item;
    add(l, CALLPATHS, item, EXCLUSIVE, row, 2, 3);
}

static void set_title(struct items *items, uint32_t item, char *title)
{
    if (items->at[item].title)
        free(title);
    else
        items->at[item].title = title;
}

/* Loads the title with the name that other tables and the documentation use. */
static void load_pattern(struct load *l, struct sqlite3_stmt *row)
{
    char *name = database_text(row, 0), *title = database_text(row, 1), *unit = database_text(row, 4);
    if (strcmp(unit, "s") == 0) {
        uint32_t item = find(l, WAIT_PATTERNS, 0, row, 0), path = find(l, WAIT_PATHS, 0, row, 0);
        const char *plain = title + strspn(title, " ");
        add(l, WAIT_PATTERNS, item, 0, row, 2, 2);
        set_title(&l->c->subject[WAIT_PATTERNS].items, item, format_text("%s (%s)", plain, name));
        set_title(&l->c->subject[WAIT_PATHS].items, path, format_text("%s (%s)", plain, name));
    }
    free(name);
    free(title);
    free(unit);
}

static void load_wait_path(struct load *l, struct sqlite3_stmt *row)
{
    add(l, WAIT_PATHS, find(l, WAIT_PATHS, find(l, WAIT_PATHS, 0, row, 0), row, 1), 0, row, 2, 2);
}

static void load_collective(struct load *l, struct sqlite3_stmt *row)
{
    uint32_t parent = items_find(&l->c->subject[COMMUNICATION].items, 0, "collectives");
    add(l, COMMUNICATION, find(l, COMMUNICATION, parent, row, 0), 0, row, 1, 1);
}

static void load_balance(struct load *l, struct sqlite3_stmt *row)
{
    enum { EXCESS, RATIO, LARGEST, MEAN };
    struct subject *s = &l->c->subject[LOADS];
    uint32_t item = find(l, LOADS, 0, row, 0);
    add(l, LOADS, item, LARGEST, row, 1, 2);
    double max = *value_at(l->c, s, LARGEST, item, l->run), mean = *value_at(l->c, s, MEAN, item, l->run);
    *value_at(l->c, s, EXCESS, item, l->run) = max - mean;
    *value_at(l->c, s, RATIO, item, l->run) = mean > 0 ? max / mean : NAN;
}

static void add_sum(struct load *l, int i, double value)
{
    static const struct {
        enum subject_id subject;
        const char *what;
    } sums[] = {{COMMUNICATION, "messages sent"},  {COMMUNICATION, "messages received"}, {BYTES, "in messages sent"},
                {BYTES, "in messages received"},   {COMMUNICATION, "collectives"},       {BYTES, "sent in collectives"},
                {BYTES, "received in collectives"}};
    struct subject *s = &l->c->subject[sums[i].subject];
    value_add(l->c, s, 0, items_find(&s->items, 0, sums[i].what), l->run, value);
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static const char waits_advice[] = "run tcflow again with wait_states in the chain";
static const struct source sources[] = {
    {PROFILE, REGIONS, "profile", "flat_profile", "the flat profile", "run tcflow again with profile in the chain",
     "region exclusive inclusive visits share", load_region, 0},
    {PROFILE, CALLPATHS, "profile", "calltree_profile", "the call tree",
     "run tcflow again with profile in the chain and calltree = yes", "call_path depth exclusive inclusive visits",
     load_callpath, 0},
    {WAITS, WAIT_PATTERNS, "wait_states", "patterns", "the wait states", waits_advice, "pattern title time count unit",
     load_pattern, 0},
    {WAITS, WAIT_PATHS, "wait_states", "callpaths", "the wait states by call path", waits_advice,
     "pattern call_path time count", load_wait_path, 0},
    {MESSAGES, COMMUNICATION, "comm_matrix", "processes", "the messages by process",
     "run tcflow again with comm_matrix or message_histogram in the chain",
     "sent received bytes_sent bytes_received collectives collective_bytes_sent collective_bytes_received", NULL, 7},
    {IMBALANCE, LOADS, "load_imbalance", "load_imbalance", "the load imbalance",
     "run tcflow again with load_imbalance in the chain", "region max mean", load_balance, 0},
};

/* Beside comm_matrix.processes; and instead of it, the same sums of messages. */
enum { BESIDE, INSTEAD };
static const struct source more_messages[] = {
    [BESIDE] = {MESSAGES, COMMUNICATION, "comm_matrix", "collectives", "the collective operations", NULL,
                "operation count", load_collective, 0},
    [INSTEAD] = {MESSAGES, COMMUNICATION, "message_histogram", "sizes", "the sizes of messages", NULL,
                 "sent received bytes_sent bytes_received", NULL, 4},
};

static bool load_table(struct load *l, const struct source *s)
{
    struct sqlite3_stmt *row = database_table(l->db, s->filter, s->table, s->columns);
    if (!row)
        return false;
    bool any = false;
    for (; database_row(l->db, s->what, row); any = true) {
        if (s->row)
            s->row(l, row);
        for (int i = 0; i < s->n_sums; i++)
            add_sum(l, i, database_number(row, i)); /* what isn't known in any row stays absent */
    }
    for (int i = 0; i < s->n_sums && !any; i++)
        add_sum(l, i, 0);
    l->c->subject[s->subject].there[l->run] = true;
    return true;
}

static bool load_source(struct load *l, const struct source *s)
{
    if (!load_table(l, s))
        return s->subject == COMMUNICATION && load_table(l, &more_messages[INSTEAD]);
    if (l->db->n_instances > 1 && s->subject != CALLPATHS && s->subject != WAIT_PATHS)
        note(l->c, false, "'%s' has %u instances of %s; %s is compared (--instance takes another one)", l->db->path,
             l->db->n_instances, s->filter, l->db->instance);
    if (s->subject == COMMUNICATION)
        load_table(l, &more_messages[BESIDE]);
    if (s->subject == REGIONS) {
        struct run *r = &l->c->run[l->run];
        r->time = l->time;
        /* Shares have two decimals, so their sum is 100 up to half a hundredth for each. */
        r->whole_profile = l->rows == 0 || l->time <= 0 || l->shares >= 100 - 0.005 * (double)l->rows - 1e-6;
    }
    return true;
}

/* Is the table named by an option, or needed in any case? */
static bool is_required(const struct options *o, const struct source *s)
{
    if (s->section == PROFILE)
        return s->subject == REGIONS || o->by == BY_CALLPATH || o->by == BY_BOTH;
    return o->sections_named;
}

static bool is_wanted(const struct options *o, const struct source *s)
{
    bool wanted = o->section[s->section] || (s->section == PROFILE && o->section[SCALING]);
    return wanted && (s->subject != CALLPATHS || o->by != BY_REGION);
}

static void load_file(struct comparison *c, uint32_t run)
{
    const struct options *o = c->options;
    struct database db;
    struct load l = {.c = c, .db = &db, .run = run};
    database_open(&db, c->run[run].file, &o->instances);
    load_run(&l);
    load_parameters(&l);
    c->run[run].time = NAN;
    c->run[run].whole_profile = true;
    for (const struct source *s = sources; s < sources + TCF_COUNT(sources); s++)
        /* The section scaling alone needs no profile. */
        if (is_wanted(o, s) && !load_source(&l, s) && is_required(o, s) && o->section[s->section])
            fail("'%s' has no table '%s' of %s: %s", db.path, s->table, s->filter, s->advice);
    free(l.path);
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
        note(c, false, "no run has a table '%s' of %s: %s", s->table, s->filter, s->advice);
    for (uint32_t r = 0; n > 0 && r < c->n_runs; r++)
        if (!there[r])
            note(c, true, "'%s' has no table '%s' of %s: %s", c->run[r].path, s->table, s->filter, s->advice);
}

void load_all(struct comparison *c)
{
    for (uint32_t i = 0; i < N_SUBJECTS; i++) {
        c->subject[i].kind = &subject_kinds[i];
        c->subject[i].there = allocate(c->n_runs, sizeof(bool));
    }
    for (uint32_t r = 0; r < c->n_runs; r++)
        load_file(c, r);
    database_check_instances(&c->options->instances);
    for (const struct source *s = sources; s < sources + TCF_COUNT(sources); s++)
        if (is_wanted(c->options, s))
            tell_missing(c, s);
}
