/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Warnings about a comparison: runs that are incomplete, or that differ in more than they should. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

void note(struct comparison *c, bool warning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    c->note = enlarge(c->note, c->n_notes + 1u, sizeof *c->note);
    c->note[c->n_notes++] = (struct note){format_list(format, arguments), warning};
    va_end(arguments);
}

/* Repetitions have as many processes. */
static void count_group(const struct comparison *c, struct group *g)
{
    bool locations = c->options->count_locations;
    for (uint32_t r = g->first; r < g->first + g->n; r++) {
        const struct run *run = &c->run[r], *first = &c->run[g->first];
        double count = locations ? run->locations : run->processes;
        double expected = locations ? first->locations : first->processes;
        if (count != expected && !(isnan(count) && isnan(expected)))
            usage("'%s' and '%s' are repetitions of '%s', but have %.0f and %.0f %s; give them different labels",
                  first->path, run->path, g->label, expected, count, locations ? "locations" : "processes");
        g->count = count;
    }
}

static void check_run(struct comparison *c, const struct run *r)
{
    if (strcmp(r->status, "salvaged") == 0)
        note(c, true,
             "'%s' is SALVAGED: parts of its trace are lost (%.0f losses), so its times and counts are too small",
             r->path, r->losses);
    else if (strcmp(r->status, "complete") != 0)
        note(c, true, "'%s' has the status '%s': not all of its filters ended, so its results are not complete",
             r->path, r->status);
    if (!r->whole_profile)
        note(c, true,
             "'%s' has only the top rows of its profile: what is missing there may just be small; run tcflow again "
             "with 'top = 0' in [profile]",
             r->path);
    if (!(r->duration > 0))
        note(c, true, "'%s' does not tell how long the program ran", r->path);
}

static const char *value_of(const struct run *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_parameters; i++)
        if (strcmp(r->parameter[i].name, name) == 0)
            return r->parameter[i].value;
    return NULL;
}

/* Compares the parameters of instances which both runs have; other differences show in the chain. */
static void check_parameters(struct comparison *c, const struct run *r, const struct run *first)
{
    enum { SHOWN = 5 };
    char *list = format_text("%s", "");
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_parameters; i++) {
        const char *name = r->parameter[i].name, *value = r->parameter[i].value, *other = value_of(first, name);
        if (!other || strcmp(other, value) == 0 || ++n > SHOWN)
            continue;
        char *more = format_text("%s%s%s = %s instead of %s", list, n > 1 ? ", " : "", name, *value ? value : "(none)",
                                 *other ? other : "(none)");
        free(list);
        list = more;
    }
    if (n > 0)
        note(c, true, "'%s' was made with other parameters than '%s', which may make a difference by itself: %s%s",
             r->path, first->path, list, n > SHOWN ? ", ..." : "");
    free(list);
}

static void check_pairs(struct comparison *c)
{
    bool chains = false, versions = false;
    for (uint32_t r = 1; r < c->n_runs; r++) {
        chains |= strcmp(c->run[r].chain, c->run[0].chain) != 0;
        versions |= strcmp(c->run[r].version, c->run[0].version) != 0;
        check_parameters(c, &c->run[r], &c->run[0]);
    }
    if (chains)
        note(c, false, "not all runs have the same chain of filters, which may make a difference by itself");
    if (versions)
        note(c, false, "not all databases are of the same version of tcflow");
    for (uint32_t r = 0; r < c->n_runs; r++)
        for (uint32_t q = 0; q < r; q++)
            if (*c->run[r].trace_id && strcmp(c->run[r].trace_id, c->run[q].trace_id) == 0 &&
                strcmp(c->run[r].input, c->run[q].input) == 0) {
                note(c, false, "'%s' and '%s' are of the same trace", c->run[q].path, c->run[r].path);
                break;
            }
}

static void check_noise(struct comparison *c)
{
    uint32_t repeated = 0;
    for (uint32_t g = 0; g < c->n_groups; g++)
        repeated += c->group[g].n > 1;
    if (repeated > 1 && c->group[c->reference].n > 1)
        note(c, false,
             "*: the ranges of the repetitions do not overlap; ~: they do, so a change may be noise; neither: not all "
             "of them have it, or there are none");
    else
        note(c, false,
             "no repetitions of %s: how much of a change is noise is not known (LABEL=A.sqlite,B.sqlite,... tells)",
             c->group[c->reference].n < 2 ? "the reference" : "other runs");
}

void check_runs(struct comparison *c)
{
    for (uint32_t g = 0; g < c->n_groups; g++)
        count_group(c, &c->group[g]);
    for (uint32_t r = 0; r < c->n_runs; r++)
        check_run(c, &c->run[r]);
    check_pairs(c);
    if (c->options->sections_named && c->options->section[SCALING] && !is_scaling(c))
        note(c, false, "all runs have as many %s: there is no scaling to tell of (--count)",
             c->options->count_locations ? "locations" : "processes");
    check_noise(c);
}
