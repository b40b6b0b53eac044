/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads Score-P filter files, so that a selection made for measuring serves afterwards as well:
 *
 *     SCOREP_REGION_NAMES_BEGIN          # names of regions; MANGLED after EXCLUDE or INCLUDE: mangled names
 *       EXCLUDE *
 *       INCLUDE main solve*
 *     SCOREP_REGION_NAMES_END
 *     SCOREP_FILE_NAMES_BEGIN            # source files
 *       EXCLUDE [a-m]?.c
 *     SCOREP_FILE_NAMES_END
 *
 * As there, later rules override earlier ones, a region of an excluded file is out whatever the rules of names say, a
 * backslash takes the meaning from the character behind it, and only what the user or the compiler instrumented is
 * filtered: MPI, OpenMP and other library regions stay. */
#include "select.h"

#include <tcflow/grow.h>

#include <errno.h>
#include <fnmatch.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the parser stands. */
typedef struct parser {
    tcf_self *self;
    const char *path;
    unsigned line, block_line; /* the latter: where the block began */
    file_rules *rules;
    enum { OUTSIDE, NO_RULE, EXCLUDE, INCLUDE } mode;
    uint8_t of_files, mangled;
} parser;

static tcf_status wrong(const parser *p, const char *word, const char *expected)
{
    return p->self->host->fail(p->self, "%s:%u: '%s' is not expected here: %s", p->path, p->line, word, expected);
}

static tcf_status add_rule(parser *p, const char *pattern)
{
    file_rules *r = p->rules;

    if (TCF_GROW(&r->at, &r->capacity, r->n) != 0)
        return p->self->host->fail(p->self, "out of memory for '%s'", p->path);
    char *copy = strdup(pattern);
    if (!copy)
        return p->self->host->fail(p->self, "out of memory for '%s'", p->path);
    r->at[r->n++] = (file_rule){.pattern = copy,
                                .exclude = p->mode == EXCLUDE,
                                .mangled = p->mangled,
                                .of_files = p->of_files,
                                .literal = strpbrk(copy, "*?[\\") == NULL};
    return TCF_OK;
}

static tcf_status begin_block(parser *p, const char *word, int of_files)
{
    if (p->mode != OUTSIDE)
        return wrong(p, word, "the block before it has no end");
    p->mode = NO_RULE;
    p->of_files = of_files != 0;
    p->block_line = p->line;
    return TCF_OK;
}

static tcf_status end_block(parser *p, const char *word, int of_files)
{
    if (p->mode == OUTSIDE || p->of_files != of_files)
        return wrong(p, word, "no such block is open");
    p->mode = OUTSIDE;
    return TCF_OK;
}

static tcf_status take_word(parser *p, const char *word)
{
    if (strcmp(word, "SCOREP_REGION_NAMES_BEGIN") == 0)
        return begin_block(p, word, 0);
    if (strcmp(word, "SCOREP_FILE_NAMES_BEGIN") == 0)
        return begin_block(p, word, 1);
    if (strcmp(word, "SCOREP_REGION_NAMES_END") == 0)
        return end_block(p, word, 0);
    if (strcmp(word, "SCOREP_FILE_NAMES_END") == 0)
        return end_block(p, word, 1);
    if (p->mode == OUTSIDE)
        return wrong(p, word, "SCOREP_REGION_NAMES_BEGIN or SCOREP_FILE_NAMES_BEGIN must come first");
    if (strcmp(word, "EXCLUDE") == 0 || strcmp(word, "INCLUDE") == 0) {
        p->mode = *word == 'E' ? EXCLUDE : INCLUDE;
        p->mangled = 0;
        return TCF_OK;
    }
    if (p->mode == NO_RULE)
        return wrong(p, word, "EXCLUDE or INCLUDE must come first");
    if (strcmp(word, "MANGLED") == 0) {
        if (p->of_files)
            return wrong(p, word, "names of files are never mangled");
        p->mangled = 1;
        return TCF_OK;
    }
    return add_rule(p, word);
}

/* Blanks separate words. A backslash before a blank or '#' makes it a part of the word, and stays there for fnmatch().
 */
static tcf_status take_line(parser *p, char *line)
{
    char *at = line;

    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at == '\0' || *at == '#')
            return TCF_OK;
        char *end = at;
        while (*end != '\0' && !strchr(" \t\r\n#", *end)) {
            if (*end == '\\' && (end[1] == '\0' || end[1] == '\n' || end[1] == '\r'))
                return p->self->host->fail(p->self, "%s:%u: a backslash at the end of a line: lines cannot be joined",
                                           p->path, p->line);
            end += *end == '\\' ? 2 : 1;
        }
        char next = *end;
        *end = '\0';
        if (take_word(p, at) != TCF_OK)
            return TCF_ERROR;
        if (next == '\0' || next == '#')
            return TCF_OK;
        at = end + 1;
    }
}

tcf_status filter_file_read(tcf_self *self, const char *path, file_rules *rules)
{
    parser p = {.self = self, .path = path, .rules = rules};
    tcf_status status = TCF_OK;
    char *line = NULL;
    size_t bytes = 0;
    ssize_t n;
    FILE *file = fopen(path, "r");

    if (!file)
        return self->host->fail(self, "filter_file: cannot open '%s': %s", path, strerror(errno));
    while (status == TCF_OK && (n = getline(&line, &bytes, file)) >= 0) {
        p.line++;
        if (strlen(line) != (size_t)n)
            status = self->host->fail(self, "%s:%u: a NUL byte; expected a text file", path, p.line);
        else
            status = take_line(&p, line);
    }
    if (status == TCF_OK && !feof(file)) /* getline() tells want of memory by errno alone */
        status = self->host->fail(self, "filter_file: cannot read '%s': %s", path, strerror(errno));
    if (status == TCF_OK && p.mode != OUTSIDE)
        status = self->host->fail(self, "%s:%u: SCOREP_%s_NAMES_BEGIN: the end of the block is missing", path,
                                  p.block_line, p.of_files ? "FILE" : "REGION");
    free(line);
    fclose(file);
    return status;
}

static int is_instrumented(const tcf_region *region)
{
    return region->paradigm == OTF2_PARADIGM_UNKNOWN || region->paradigm == OTF2_PARADIGM_USER ||
           region->paradigm == OTF2_PARADIGM_COMPILER;
}

/* Most patterns of filter files that tools make are plain words, thousands of them: strcmp() is faster. */
static int fits(const file_rule *r, const char *text)
{
    return r->literal ? strcmp(r->pattern, text) == 0 : fnmatch(r->pattern, text, 0) == 0;
}

/* The last rule that fits decides. A region that no rule fits is included. */
static int excluded(const file_rules *rules, const tcf_region *region, int of_files)
{
    for (size_t i = rules->n; i-- > 0;) {
        const file_rule *r = &rules->at[i];
        const char *text = of_files ? region->file : r->mangled ? region->canonical_name : region->name;
        if (r->mangled && (!text || !*text))
            text = region->name;
        if (r->of_files == of_files && text && *text && fits(r, text))
            return r->exclude;
    }
    return 0;
}

int filter_file_keeps(const file_rules *rules, const tcf_region *region)
{
    return !is_instrumented(region) || (!excluded(rules, region, 1) && !excluded(rules, region, 0));
}

void filter_file_free(file_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++)
        free(rules->at[i].pattern);
    free(rules->at);
    *rules = (file_rules){0};
}
