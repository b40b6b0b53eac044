/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which files are which runs: labels, groups of repetitions, the reference. */
#include "diff.h"
#include "framework/base/paths.h"
#include "tools/shared/files.h"
#include "tools/shared/traces.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file names its group, groups come in the order of their first file. */
static uint32_t add_group(struct comparison *c, char *label, bool named)
{
    c->group = enlarge(c->group, c->n_groups + 1u, sizeof *c->group);
    c->group[c->n_groups] = (struct group){.label = label, .named = named, .count = NAN};
    return c->n_groups++;
}

static void add_run(struct comparison *c, uint32_t group, char *path)
{
    c->run = enlarge(c->run, c->n_runs + 1u, sizeof *c->run);
    c->run[c->n_runs++] = (struct run){.path = path, .group = group};
    c->group[group].n++;
}

static uint32_t named_group(struct comparison *c, const char *label, size_t bytes)
{
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (c->group[g].named && strlen(c->group[g].label) == bytes && strncmp(c->group[g].label, label, bytes) == 0)
            return g;
    return add_group(c, format_text("%.*s", (int)bytes, label), true);
}

/* The path of a file without its ending; a trace is called as its folder is. */
static char *plain_path(const char *path)
{
    static const char *const endings[] = {".incomplete", ".sqlite", ".sqlite3", ".db"};
    char *plain = format_text("%s", path);
    if (is_trace(path))
        for (char *end; (end = strrchr(plain, '/')) && end > plain && (!end[1] || strcmp(end, "/traces.otf2") == 0);)
            *end = '\0';
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t n = strlen(plain), e = strlen(endings[i]);
        if (n > e && plain[n - e - 1] != '/' && strcmp(plain + n - e, endings[i]) == 0)
            plain[n - e] = '\0';
    }
    return plain;
}

/* The last n names of a path. */
static const char *last_names(const char *path, unsigned n)
{
    const char *at = path + strlen(path);
    while (at > path && (at[-1] != '/' || !*at || --n > 0))
        at--;
    return at;
}

static char *label_of(const char *path)
{
    char *plain = plain_path(path), *label = format_text("%s", last_names(plain, 1));
    free(plain);
    return label;
}

/* FILE, FILE,FILE, LABEL=FILE or LABEL=FILE,FILE; a file of just this name comes first. */
static void add_argument(struct comparison *c, const char *text)
{
    const char *equal = strchr(text, '='), *files = text;
    uint32_t group;
    if (access(text, F_OK) != 0 && equal) {
        if (equal == text)
            usage("'%s': there is no label before the =", text);
        group = named_group(c, text, (size_t)(equal - text));
        files = equal + 1;
    } else {
        group = add_group(c, NULL, false);
    }
    uint32_t first = c->n_runs;
    if (access(files, F_OK) == 0) {
        add_run(c, group, format_text("%s", files));
    } else {
        for (;; files++) {
            size_t bytes = strcspn(files, ",");
            if (bytes == 0)
                usage("'%s': a file has no name", text);
            add_run(c, group, format_text("%.*s", (int)bytes, files));
            files += bytes;
            if (*files == '\0')
                break;
        }
    }
    if (!c->group[group].label)
        c->group[group].label = label_of(c->run[first].path);
}

/* By another group? Of the `open` ones, which are to get other labels still, only those before it count; NULL: none. */
static bool label_is_taken(const struct comparison *c, uint32_t but, const char *label, const bool *open)
{
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (g != but && !(open && open[g] && g > but) && strcmp(c->group[g].label, label) == 0)
            return true;
    return false;
}

static const char *first_path(const struct comparison *c, uint32_t group)
{
    for (uint32_t r = 0; r < c->n_runs; r++)
        if (c->run[r].group == group)
            return c->run[r].path;
    return "";
}

/* The name of a file with as many folders as tell it from others. */
static char *longer_label(char *const *plain, uint32_t n, uint32_t g)
{
    for (unsigned names = 1;; names++) {
        const char *label = last_names(plain[g], names);
        bool taken = false;
        for (uint32_t other = 0; other < n; other++)
            taken |= strcmp(plain[other], plain[g]) != 0 && strcmp(last_names(plain[other], names), label) == 0;
        if (!taken || label == plain[g])
            return format_text("%s", label);
    }
}

/* Files of one name have the folders for labels, too, in which they differ; the same file twice gets a number. */
static void tell_labels_apart(struct comparison *c)
{
    bool *doubtful = allocate(c->n_groups, sizeof *doubtful);
    char **plain = allocate(c->n_groups, sizeof *plain);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        doubtful[g] = !c->group[g].named && label_is_taken(c, g, c->group[g].label, NULL);
        plain[g] = plain_path(first_path(c, g));
    }
    for (uint32_t g = 0; g < c->n_groups; g++)
        if (doubtful[g]) {
            free(c->group[g].label);
            c->group[g].label = longer_label(plain, c->n_groups, g);
        }
    for (uint32_t g = 0; g < c->n_groups; g++)
        free(plain[g]);
    free(plain);
    for (uint32_t g = 0; g < c->n_groups; g++) {
        char *label = c->group[g].label;
        for (unsigned number = 2; doubtful[g] && label_is_taken(c, g, c->group[g].label, doubtful); number++) {
            if (number > 2)
                free(c->group[g].label);
            c->group[g].label = format_text("%s#%u", label, number);
        }
        if (c->group[g].label != label)
            free(label);
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
        c->group[g].range = format_text("range of %s", c->group[g].label);
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
    for (uint32_t i = 0; i < c->options->n_arguments; i++)
        add_argument(c, c->options->argument[i]);
    if (c->n_groups < 2)
        usage(c->n_runs < 2 ? "expected two databases or more, or traces"
                            : "all files have the label '%s'; expected two labels or more",
              c->n_groups ? c->group[0].label : "");
    tell_labels_apart(c);
    sort_runs(c);
    c->reference = find_reference(c);
}

void inputs_make_databases(struct comparison *c)
{
    char path[PATH_BYTES], name[32], folder[PATHS_BYTES];
    char *preset = format_text("%s/diff.ini", paths_presets(folder)); /* whatever is called diff here */

    for (uint32_t r = 0; r < c->n_runs; r++)
        expect_input(c->run[r].path);
    for (uint32_t r = 0; r < c->n_runs; r++) {
        struct run *run = &c->run[r];
        run->file = run->path;
        if (!is_trace(run->path))
            continue;
        snprintf(name, sizeof name, "%u.sqlite", r);
        run->file = format_text("%s", scratch_path(path, name));
        trace_to_database(run->path, preset, run->file, false, false);
    }
    free(preset);
}
