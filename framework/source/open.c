/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Opens the inputs that a text names, several of them as one source, and checks that they go together. */
#include "open.h"

#include "framework/base/error.h"
#include "framework/base/text_stream.h"
#include "framework/source/foreign/foreign_source.h"
#include "framework/source/merge/merge_internal.h"
#include "framework/source/otf2/otf2_source.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_INPUTS = 4096, LEAST_MEMORY = 256 << 10, LARGEST_QUEUE = 1 << 20 };

/* Opens all streams before it reads any, so that no writer waits for another one's definitions. */
static tcf_status open_inputs(merge_source *m)
{
    source_options o = m->options;
    uint32_t streams = 0;

    for (uint32_t p = 0; p < m->n; p++)
        streams += stream_source_names(m->inputs[p].name) != 0;
    o.edges = 0; /* see merge_source.c */
    o.memory = m->options.memory / m->n > LEAST_MEMORY ? m->options.memory / m->n : LEAST_MEMORY;
    m->queue = streams == 0 ? 0 : o.memory / 4 < LARGEST_QUEUE ? o.memory / 4 : LARGEST_QUEUE;
    if (streams > 0 && !(m->group = stream_group_new(streams, m->queue)))
        return TCF_ERROR;
    for (uint32_t p = 0; p < m->n; p++)
        if (stream_source_names(m->inputs[p].name) &&
            !(m->inputs[p].src = stream_source_prepare(m->inputs[p].name, &o, m->group)))
            return TCF_ERROR;
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        if (in->src ? stream_source_begin(in->src) != TCF_OK : !(in->src = otf2_source_open(in->name, &o)))
            return TCF_ERROR;
        in->defs = source_definitions(in->src);
        if (!source_is_stream(in->src))
            continue;
        m->ops.rewind = NULL;
        m->ops.keep = NULL;
    }
    if (streams == 0)
        m->ops.next = NULL; /* archives can be read in any order */
    return TCF_OK;
}

static tcf_status make_tables(merge_source *m)
{
    uint32_t n = m->defs->v.n_locations;

    m->owner = calloc(n + 1u, sizeof *m->owner);
    m->end_delivered = calloc(n + 1u, 1);
    m->has_events = calloc(n + 1u, 1);
    m->base.facts.altered = m->altered = calloc(n + 1u, 1);
    for (uint32_t p = 0; p < m->n; p++) {
        merge_input *in = &m->inputs[p];
        uint32_t its = in->defs->n_locations;
        in->local = malloc((n + 1u) * sizeof *in->local);
        in->ended = calloc(its + 1u, 1);
        if (!in->local || !in->ended)
            return error_fail("out of memory for %u inputs", m->n);
        memset(in->local, 0xff, (n + 1u) * sizeof *in->local); /* TCF_NONE */
        for (uint32_t local = 0; local < its; local++)
            in->local[merge_location(in, local)] = local;
    }
    return m->owner && m->end_delivered && m->has_events && m->altered
               ? TCF_OK
               : error_fail("out of memory for %u inputs", m->n);
}

/* Checks the inputs' statements about themselves, and unites them. */
static tcf_status unite_facts(merge_source *m)
{
    const merge_input *first = NULL;

    for (uint32_t p = 0; p < m->n; p++) {
        const merge_input *in = &m->inputs[p];
        const source_facts *f = source_facts_of(in->src);
        m->base.facts.changed |= f->changed & ~(uint32_t)TCF_WRITES_EVENTS;
        if (in->defs->n_locations == 0)
            continue;
        if (first && (source_facts_of(first->src)->changed ^ f->changed) & TCF_WRITES_CLOCK)
            return error_fail("timestamps were corrected to one clock in front of %s, but not in front of %s",
                              f->changed & TCF_WRITES_CLOCK ? in->name : first->name,
                              f->changed & TCF_WRITES_CLOCK ? first->name : in->name);
        first = in;
    }
    return TCF_OK;
}

static int has_learned(const merge_input *in, const tcf_learned_table *t)
{
    const source_facts *f = source_facts_of(in->src);

    for (uint32_t i = 0; i < f->n_learned; i++) {
        const tcf_learned_table *its = &f->learned[i];
        if (strcmp(its->name, t->name) == 0)
            return its->row_bytes == t->row_bytes && its->n == t->n &&
                   (t->n == 0 || memcmp(its->rows, t->rows, t->n * t->row_bytes) == 0);
    }
    return 0;
}

/* Do all inputs have this table? Its rows hold indices, so these must agree, too. */
static int same_for_all(const merge_source *m, const tcf_learned_table *t)
{
    for (uint32_t p = 0; p < m->n; p++) {
        const merge_input *in = &m->inputs[p];
        if (!in->names.same_indices || in->defs->n_locations != m->defs->v.n_locations || !has_learned(in, t))
            return 0;
    }
    return 1;
}

/* Keeps the tables of surveys that all inputs share: those of a survey over the whole run. Results of a survey over one
 * part are dropped: it has compared clocks, delays and channels within that part alone. */
static tcf_status unite_learned(merge_source *m)
{
    const source_facts *first = source_facts_of(m->inputs[0].src);

    if (!(m->learned = calloc(first->n_learned + (size_t)1, sizeof *m->learned)))
        return error_fail("out of memory");
    m->base.facts.learned = m->learned;
    for (uint32_t i = 0; i < first->n_learned; i++)
        if (same_for_all(m, &first->learned[i]))
            m->learned[m->base.facts.n_learned++] = first->learned[i]; /* its rows are the input's */
    for (uint32_t p = 0; p < m->n; p++) {
        uint32_t n = source_facts_of(m->inputs[p].src)->n_learned;
        if (n > m->base.facts.n_learned)
            error_log(TCF_LOG_WARNING, "%s: %u of %u tables of its survey are of that part alone, and not used",
                      m->inputs[p].name, n - m->base.facts.n_learned, n);
    }
    return TCF_OK;
}

static tcf_status open_all(merge_source *m)
{
    if (open_inputs(m) != TCF_OK || unite_facts(m) != TCF_OK)
        return TCF_ERROR;
    if (!(m->defs = merge_definitions(m->inputs, m->n, m->options.interrupted)))
        return error_while("uniting the definitions of %u inputs", m->n);
    m->base.definitions = &m->defs->v;
    for (uint32_t p = 0; p < m->n; p++)
        for (const source_input *in = source_facts_of(m->inputs[p].src)->inputs; in; in = in->next) {
            if (source_add_input(&m->base, m->defs, in->path) != TCF_OK)
                return TCF_ERROR;
            m->base.facts.inputs->reader = in->reader; /* the input's memory, which lives as long */
        }
    if (unite_learned(m) != TCF_OK || make_tables(m) != TCF_OK || merge_start(m) != TCF_OK)
        return TCF_ERROR;
    merge_allow_shares(m);
    if (!merge_depends(m))
        m->ops.ahead = NULL;
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- names -- */

static int ends_in_otf2(const char *word, size_t n)
{
    return n > 5 && (strncmp(word + n - 5, ".otf2", 5) == 0 || strncmp(word + n - 5, ".OTF2", 5) == 0);
}

/* The number of inputs in the text. Blanks separate inputs only where all words look like inputs; else they belong to
 * the one name. */
static uint32_t count_inputs(const char *input)
{
    uint32_t n = 0;

    for (const char *at = input + strspn(input, SOURCE_BLANKS); *at; n++) {
        size_t length = strcspn(at, SOURCE_BLANKS);
        char start[8] = {0};
        memcpy(start, at, length < sizeof start - 1 ? length : sizeof start - 1);
        if (!stream_source_names(start) && !ends_in_otf2(at, length))
            return 1;
        at += length;
        at += strspn(at, SOURCE_BLANKS);
    }
    return n > 0 ? n : 1;
}

static tcf_status name_inputs(merge_source *m, const char *input)
{
    m->names = strdup(input);
    if (!m->names)
        return error_fail("out of memory");
    char *rest = m->names;
    for (uint32_t p = 0; p < m->n; p++) {
        m->inputs[p].name = strtok_r(rest, SOURCE_BLANKS, &rest);
        for (uint32_t k = 0; k < p; k++)
            if (strcmp(m->inputs[k].name, m->inputs[p].name) == 0)
                return error_usage("input: %s is named twice", m->inputs[p].name);
    }
    return TCF_OK;
}

/* How many files NAME.otf2 a folder has, and the name of one; -1: it can't be read. Not by glob(), which crashes in
 * glibc where memory is out. */
static int find_anchor(const char *folder, char name[NAME_MAX + 1])
{
    DIR *entries = opendir(folder);
    int found = entries ? 0 : -1;

    for (const struct dirent *e; entries && (errno = 0, e = readdir(entries));)
        if (*e->d_name != '.' && ends_in_otf2(e->d_name, strlen(e->d_name)) && found++ == 0)
            snprintf(name, NAME_MAX + 1, "%s", e->d_name);
    if (entries && errno != 0)
        found = -1;
    if (entries)
        closedir(entries);
    return found;
}

/* Appends the anchor file of a folder, or the word as it is. TCF_ERROR: nobody knows, for want of memory. */
static tcf_status put_anchor(FILE *out, const char *word)
{
    struct stat st;
    char pattern[4096], name[NAME_MAX + 1] = "traces.otf2";
    int slash = *word && word[strlen(word) - 1] == '/';

    fputs(word, out);
    if (stat(word, &st) != 0 || !S_ISDIR(st.st_mode))
        return TCF_OK;
    snprintf(pattern, sizeof pattern, "%s/traces.otf2", word);
    const int found = stat(pattern, &st) == 0 ? 1 : find_anchor(word, name);
    if (found == 1)
        fprintf(out, "%s%s", slash ? "" : "/", name);
    return found < 0 && errno == ENOMEM ? TCF_ERROR : TCF_OK;
}

char *source_anchors(const char *input)
{
    struct stat st;
    char *text = NULL, *copy = strdup(input), *rest = copy;
    size_t size;
    FILE *out = copy ? open_memstream(&text, &size) : NULL;
    int one = stat(input, &st) == 0;
    tcf_status status = out && one ? put_anchor(out, input) : TCF_OK;

    for (int n = 0; out && !one && status == TCF_OK; n++) {
        const char *word = strtok_r(rest, SOURCE_BLANKS, &rest);
        if (!word)
            break;
        fputs(n > 0 ? " " : "", out);
        status = put_anchor(out, word);
    }
    free(copy);
    if (out)
        text_stream_close(out, &text);
    if (status == TCF_OK)
        return text;
    free(text);
    return NULL;
}

int source_names_archive(const char *input)
{
    return input && (count_inputs(input) > 1 || ends_in_otf2(input, strlen(input)));
}

int source_names_several(const char *input)
{
    return input && count_inputs(input) > 1;
}

int source_names_stream(const char *input)
{
    if (!input || count_inputs(input) == 1)
        return stream_source_names(input);
    for (const char *at = input + strspn(input, SOURCE_BLANKS); *at; at += strspn(at, SOURCE_BLANKS)) {
        size_t length = strcspn(at, SOURCE_BLANKS);
        if (!ends_in_otf2(at, length) || strncmp(at, "stream:", 7) == 0 || strncmp(at, "unix:", 5) == 0)
            return 1;
        at += length;
    }
    return 0;
}

int source_names_files(const char *input)
{
    struct stat st;
    char first[PATH_MAX];
    const size_t n = strcspn(input, SOURCE_BLANKS);

    if (n >= sizeof first || input[n + strspn(input + n, SOURCE_BLANKS)] == '\0')
        return 0;
    memcpy(first, input, n);
    first[n] = '\0';
    return stat(input, &st) != 0 && stat(first, &st) == 0 && count_inputs(input) == 1;
}

/* Files of another format, as one source. */
static source *open_files(const char *input, const source_options *options)
{
    char *names = strdup(input), *rest = names;
    const char **paths = names ? calloc(MOST_INPUTS, sizeof *paths) : NULL;
    source *src = NULL;
    uint32_t n = 0;
    int twice = 0;

    for (char *word; paths && n < MOST_INPUTS && (word = strtok_r(rest, SOURCE_BLANKS, &rest)); n++) {
        for (uint32_t k = 0; k < n && !twice; k++)
            if (strcmp(paths[k], word) == 0)
                twice = 1;
        paths[n] = word;
        if (twice) {
            error_usage("input: %s is named twice", word);
            break;
        }
    }
    if (!paths)
        error_fail("out of memory for the names of inputs");
    else if (!twice && n == MOST_INPUTS)
        error_usage("input: at most %d files are possible", MOST_INPUTS - 1);
    else if (!twice)
        src = foreign_source_open_several(paths, n, input, options);
    free(paths);
    free(names);
    return src;
}

source *source_open(const char *input, const source_options *options)
{
    uint32_t n = count_inputs(input);

    if (options->format)
        return source_names_files(input) ? open_files(input, options) : foreign_source_open(input, options);
    if (n == 1)
        return stream_source_names(input) ? stream_source_open(input, options) : otf2_source_open(input, options);
    if (n > MOST_INPUTS) {
        error_usage("input: %u inputs, but at most %d are possible", n, MOST_INPUTS);
        return NULL;
    }
    merge_source *m = merge_new(options, n);
    if (!m)
        return NULL;
    if (name_inputs(m, input) == TCF_OK && open_all(m) == TCF_OK)
        return &m->base;
    source_close(&m->base);
    return NULL;
}
