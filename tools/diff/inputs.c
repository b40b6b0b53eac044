/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which files are which runs: labels, groups of repetitions, the reference. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Groups while they are collected: a file names its group, groups come in the order of their first file. */
struct collected {
    struct comparison *c;
    uint32_t runs, groups; /* allocated */
    bool *named;           /* by group: the label was given */
};

static uint32_t add_group(struct collected *to, char *label, bool named)
{
    struct comparison *c = to->c;
    if (c->n_groups == to->groups) {
        to->groups = to->groups ? 2 * to->groups : 8;
        c->group = enlarge(c->group, to->groups, sizeof *c->group);
        to->named = enlarge(to->named, to->groups, sizeof *to->named);
    }
    c->group[c->n_groups] = (struct group){.label = label, .count = NAN};
    to->named[c->n_groups] = named;
    return c->n_groups++;
}

static void add_run(struct collected *to, uint32_t group, char *path)
{
    struct comparison *c = to->c;
    if (c->n_runs == to->runs) {
        to->runs = to->runs ? 2 * to->runs : 8;
        c->run = enlarge(c->run, to->runs, sizeof *c->run);
    }
    c->run[c->n_runs++] = (struct run){.path = path, .group = group};
    c->group[group].n++;
}

static uint32_t named_group(struct collected *to, const char *label, size_t bytes)
{
    struct comparison *c = to->c;
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (to->named[g] && strlen(c->group[g].label) == bytes && strncmp(c->group[g].label, label, bytes) == 0)
            return g;
    return add_group(to, format_text("%.*s", (int)bytes, label), true);
}

/* The name of a file without folder and ending. */
static char *label_of(const char *path)
{
    static const char *const endings[] = {".incomplete", ".sqlite", ".sqlite3", ".db"};
    const char *slash = strrchr(path, '/');
    char *label = copy_text(slash && slash[1] ? slash + 1 : path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(label), e = strlen(endings[i]);
        if (n > e && strcmp(label + n - e, endings[i]) == 0)
            label[n - e] = '\0';
    }
    return label;
}

/* FILE, FILE,FILE, LABEL=FILE or LABEL=FILE,FILE; a file of just this name comes first. */
static void add_argument(struct collected *to, const char *text)
{
    const char *equal = strchr(text, '='), *files = text;
    uint32_t group;
    if (access(text, F_OK) != 0 && equal) {
        if (equal == text)
            usage("'%s': there is no label before the =", text);
        group = named_group(to, text, (size_t)(equal - text));
        files = equal + 1;
    } else {
        group = add_group(to, NULL, false);
    }
    uint32_t first = to->c->n_runs;
    if (access(files, F_OK) == 0) {
        add_run(to, group, copy_text(files));
    } else {
        for (;; files++) {
            size_t bytes = strcspn(files, ",");
            if (bytes == 0)
                usage("'%s': a file has no name", text);
            add_run(to, group, format_text("%.*s", (int)bytes, files));
            files += bytes;
            if (*files == '\0')
                break;
        }
    }
    if (!to->c->group[group].label)
        to->c->group[group].label = label_of(to->c->run[first].path);
}

/* By another group? Of the `open` ones, which are to get other labels still, only those before it count; NULL: none. */
static bool label_is_taken(const struct comparison *c, uint32_t but, const char *label, const bool *open)
{
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (g != but && !(open && open[g] && g > but) && strcmp(c->group[g].label, label) == 0)
            return true;
    return false;
}

/* Files of one name in different folders have their paths for labels; the same file twice gets a number. */
static void tell_labels_apart(struct collected *to)
{
    struct comparison *c = to->c;
    bool *doubtful = allocate(c->n_groups, sizeof *doubtful);
    for (uint32_t g = 0; g < c->n_groups; g++)
        doubtful[g] = !to->named[g] && label_is_taken(c, g, c->group[g].label, NULL);
    for (uint32_t g = 0; g < c->n_groups; g++)
        for (uint32_t r = 0; doubtful[g] && r < c->n_runs; r++)
            if (c->run[r].group == g) {
                free(c->group[g].label);
                c->group[g].label = copy_text(c->run[r].path);
                break;
            }
    for (uint32_t g = 0; g < c->n_groups; g++) {
        char *plain = c->group[g].label;
        for (unsigned number = 2; doubtful[g] && label_is_taken(c, g, c->group[g].label, doubtful); number++) {
            char *label = format_text("%s#%u", plain, number);
            if (c->group[g].label != plain)
                free(c->group[g].label);
            c->group[g].label = label;
        }
        if (c->group[g].label != plain)
            free(plain);
    }
    free(doubtful);
}

/* Runs of a group next to each other, else in the order given. */
static void sort_runs(struct comparison *c)
{
    struct run *sorted = allocate(c->n_runs, sizeof *sorted);
    uint32_t n = 0;
    for (uint32_t g = 0; g < c->n_groups; g++) {
        c->group[g].first = n;
        for (uint32_t r = 0; r < c->n_runs; r++)
            if (c->run[r].group == g)
                sorted[n++] = c->run[r];
    }
    free(c->run);
    c->run = sorted;
}

/* A label, a number from 1 on, or a file. */
static uint32_t find_reference(const struct comparison *c)
{
    const char *wanted = c->options->reference;
    char *end;
    if (!wanted)
        return 0;
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (strcmp(c->group[g].label, wanted) == 0)
            return g;
    for (uint32_t r = 0; r < c->n_runs; r++)
        if (strcmp(c->run[r].path, wanted) == 0)
            return c->run[r].group;
    unsigned long number = strtoul(wanted, &end, 10);
    if (*wanted < '0' || *wanted > '9' || *end != '\0' || number < 1 || number > c->n_groups)
        usage("--reference '%s': expected a label, a file, or a number from 1 to %u", wanted, c->n_groups);
    return (uint32_t)number - 1;
}

void inputs_read(struct comparison *c)
{
    struct collected to = {.c = c};
    for (uint32_t i = 0; i < c->options->n_arguments; i++)
        add_argument(&to, c->options->argument[i]);
    if (c->n_groups < 2)
        usage(c->n_runs < 2 ? "expected two databases or more"
                            : "all files have the label '%s'; expected two labels or more",
              c->n_groups ? c->group[0].label : "");
    tell_labels_apart(&to);
    free(to.named);
    sort_runs(c);
    c->reference = find_reference(c);
}

void comparison_free(struct comparison *c)
{
    for (uint32_t r = 0; r < c->n_runs; r++) {
        struct run *run = &c->run[r];
        char *texts[] = {run->path, run->status, run->input, run->chain, run->date, run->version, run->trace_id};
        for (uint32_t i = 0; i < run->n_parameters; i++) {
            free(run->parameter[i].name);
            free(run->parameter[i].value);
        }
        free(run->parameter);
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            free(texts[i]);
    }
    for (uint32_t g = 0; g < c->n_groups; g++)
        free(c->group[g].label);
    for (uint32_t s = 0; s < N_SUBJECTS; s++) {
        items_free(&c->subject[s].items);
        for (uint32_t q = 0; q < MOST_QUANTITIES; q++)
            free(c->subject[s].value[q]);
        free(c->subject[s].there);
    }
    for (uint32_t i = 0; i < c->n_notes; i++)
        free(c->note[i].text);
    free(c->note);
    free(c->run);
    free(c->group);
}
