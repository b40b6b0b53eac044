/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Filters, readers and presets as pages: doc/filters.md in Markdown, and man pages. The tables are those that parsing
 * uses. */
#include "commands.h"
#include "describe_parts.h"
#include "framework/base/error.h"
#include "framework/base/text_stream.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(unknown version)"
#endif

enum { PATH_BYTES = 4096 };

/* Calls `put` for the letters of each line of a help text; `example`: it begins with blanks, and stays as it is. */
static void each_line(FILE *out, const char *help, void (*put)(FILE *out, const char *line, size_t n, int example))
{
    while (help && *help) {
        const size_t n = strcspn(help, "\n");
        put(out, help, n, n > 0 && help[0] == ' ');
        help += n + (help[n] == '\n');
    }
}

/* ---------------------------------------------------------------------------------------------------------- markdown
 * -- */

/* Letters that Markdown would take for its own are escaped, but for those between backquotes. */
static void put_markdown(FILE *out, const char *text, size_t n)
{
    for (int code = 0; n > 0; text++, n--) {
        code ^= *text == '`';
        if (*text == '|' || (!code && strchr("*<\\", *text)))
            putc('\\', out);
        putc(*text == '\n' ? ' ' : *text, out);
    }
}

static void put_markdown_line(FILE *out, const char *line, size_t n, int example)
{
    if (example)
        fprintf(out, "    %.*s", (int)n, line);
    else
        put_markdown(out, line, n);
    putc('\n', out);
}

static void put_markdown_row(FILE *out, const tcf_param *p)
{
    fprintf(out, "| `%s` | ", p->key);
    if (!p->default_value)
        fputs("must be given", out);
    else if (*p->default_value)
        fprintf(out, "`%s`", p->default_value);
    fputs(" | ", out);
    describe_range(out, p, put_markdown);
    fputs(" | ", out);
    put_markdown(out, p->help, strlen(p->help));
    fputs(" |\n", out);
}

static void put_markdown_section(FILE *out, const subject *s)
{
    int any = 0;

    fprintf(out, "\n### %s\n\n", s->name);
    put_markdown(out, s->summary, strlen(s->summary));
    fputs(".\n", out);
    if (s->help) {
        putc('\n', out);
        each_line(out, s->help, put_markdown_line);
    }
    for (size_t t = 0; t < 2; t++)
        for (uint32_t i = 0; s->tables[t] && i < s->tables[t]->n; i++) {
            fputs(any++ ? "" : "\n| parameter | default | | what it does |\n|---|---|---|---|\n", out);
            put_markdown_row(out, &s->tables[t]->at[i]);
        }
}

static void put_markdown_entry(FILE *out, const subject *s)
{
    fprintf(out, "| [`%s`](#%s) | ", s->name, s->name);
    put_markdown(out, s->summary, strlen(s->summary));
    fputs(" |\n", out);
}

static int is_there(const plugin *p, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if ((p[i].filter || p[i].source) && strcmp(p[i].name, name) == 0)
            return 1;
    return 0;
}

tcf_status describe_none_is_missing(const loader *l)
{
    size_t n, n_folders;
    const plugin *p = loader_plugins(l, &n);
    const loader_folder *f = loader_folders(l, &n_folders);

    for (size_t i = 0; i < n_folders; i++)
        if (f[i].exists && f[i].problem)
            return error_fail("the plugins in '%s' are missing: %s", f[i].path, f[i].problem);
    for (size_t i = 0; i < n; i++)
        if (p[i].reason && !is_there(p, n, p[i].name))
            return error_fail("'%s' is missing: %s was refused: %s", p[i].name, p[i].path, p[i].reason);
    return TCF_OK;
}

void describe_list_markdown(FILE *out, const loader *l)
{
    size_t n;
    const plugin *p = loader_plugins(l, &n);

    fputs("# Filters\n\nMade of the tables that the program reads settings by (`tcflow --list-filters=markdown`). "
          "`tcflow --describe NAME` says the\nsame of one, `tcflow --describe NAME --ini` as a section for a settings "
          "file.\n",
          out);
    for (size_t k = 0; k < describe_n_topics; k++)
        for (size_t i = 0, any = 0; i < n; i++)
            if (p[i].filter && describe_is_of(p[i].filter, &describe_topics[k])) {
                const subject s = filter_subject(p[i].filter);
                if (!any++)
                    fprintf(out, "\n| %s | |\n|---|---|\n", describe_topics[k].name);
                put_markdown_entry(out, &s);
            }
    for (size_t i = 0, any = 0; i < n; i++)
        if (p[i].source) {
            const subject s = source_subject(p[i].source);
            fputs(any++ ? "" : "\n| Readers of other formats | |\n|---|---|\n", out);
            put_markdown_entry(out, &s);
        }
    fputs("\n## Parameters\n", out);
    for (size_t i = 0; i < n; i++) {
        if (!p[i].filter && !p[i].source)
            continue;
        const subject s = p[i].filter ? filter_subject(p[i].filter) : source_subject(p[i].source);
        put_markdown_section(out, &s);
    }
}

/* --------------------------------------------------------------------------------------------------------- man pages
 * -- */

static void put_man(FILE *out, const char *text, size_t n)
{
    if (n > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", out);
    for (; n > 0; text++, n--)
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            putc(*text == '\n' ? ' ' : *text, out);
}

static void put_man_line(FILE *out, const char *line, size_t n, int example)
{
    if (n == 0) {
        fputs(".PP\n", out);
        return;
    }
    if (example)
        fputs(".EX\n", out);
    put_man(out, line, n);
    fputs(example ? "\n.EE\n" : "\n", out);
}

/* `kind`: "filter". */
static void put_man_head(FILE *out, const char *kind, const char *name, const char *summary)
{
    fputs(".TH TCFLOW\\-", out);
    for (const char *s = kind; *s; s++)
        putc(toupper((unsigned char)*s), out);
    fputs("\\-", out);
    for (const char *s = name; *s; s++)
        putc(toupper((unsigned char)*s), out);
    fprintf(out, " 7 \"\" \"tcflow " PACKAGE_VERSION "\" \"tcflow\"\n.SH NAME\ntcflow\\-%s\\-%s \\- ", kind, name);
    put_man(out, summary, strlen(summary));
    putc('\n', out);
}

static void put_man_parameter(FILE *out, const tcf_param *p)
{
    fprintf(out, ".TP\n.BR %s", p->key);
    if (p->default_value && *p->default_value) {
        fputs(" \" = ", out);
        put_man(out, p->default_value, strlen(p->default_value));
        putc('"', out);
    }
    fputs("\n[", out);
    describe_range(out, p, put_man);
    fputs(p->default_value ? "]\n.br\n" : "] must be given\n.br\n", out);
    put_man(out, p->help, strlen(p->help));
    putc('\n', out);
}

static void put_man_subject(FILE *out, const char *kind, const subject *s)
{
    put_man_head(out, kind, s->name, s->summary);
    fputs(".SH DESCRIPTION\n", out);
    if (s->help)
        each_line(out, s->help, put_man_line);
    else
        put_man_line(out, s->summary, strlen(s->summary), 0);
    if (s->tables[0]->n > 0 || s->tables[1])
        fprintf(out, ".SH PARAMETERS\nKeys of the section [%s] of a settings file, or -o %s.KEY=VALUE.\n", s->name,
                s->name);
    for (size_t t = 0; t < 2; t++)
        for (uint32_t i = 0; s->tables[t] && i < s->tables[t]->n; i++)
            put_man_parameter(out, &s->tables[t]->at[i]);
    fputs(".SH SEE ALSO\n.BR tcflow (1)\n", out);
}

static tcf_status put_man_preset(void *data, const char *name, const char *path, const char *first)
{
    FILE *out = data;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return error_fail("out of memory");
    tcf_status status = preset_show(to, path);
    if (text_stream_close(to, &text) != 0)
        return status == TCF_OK ? error_fail("out of memory") : status;
    put_man_head(out, "preset", name, first);
    fprintf(out, ".SH SYNOPSIS\n.B tcflow \\-c %s \\-i\n.I TRACE\n.SH DESCRIPTION\n", name);
    put_man(out, first, strlen(first));
    fprintf(out, ".\n.B tcflow \\-c %s \\-\\-show\\-ini\nprints it:\n.PP\n.EX\n", name);
    for (const char *line = text; status == TCF_OK && *line;) {
        const size_t n = strcspn(line, "\n");
        put_man(out, line, n);
        putc('\n', out);
        line += n + (line[n] == '\n');
    }
    fputs(".EE\n.SH SEE ALSO\n.BR tcflow (1)\n", out);
    free(text);
    return status;
}

static FILE *open_page(const char *folder, const char *kind, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/tcflow-%s-%s.7", folder, kind, name);
    FILE *out = fopen(path, "wx");
    if (!out)
        error_fail("cannot create the man page '%s': %s", path, strerror(errno));
    return out;
}

static tcf_status close_page(FILE *out, const char *path, tcf_status status)
{
    const int bad = ferror(out);
    if ((fclose(out) != 0 || bad) && status == TCF_OK)
        return error_fail("cannot write to '%s': %s", path, strerror(errno));
    return status;
}

static tcf_status write_preset(void *data, const char *name, const char *path, const char *first)
{
    char page[PATH_BYTES];
    FILE *out = open_page(data, "preset", name, page);

    return out ? close_page(out, page, put_man_preset(out, name, path, first)) : TCF_ERROR;
}

tcf_status describe_man_pages(const char *folder, const loader *l)
{
    size_t n;
    const plugin *p = loader_plugins(l, &n);
    char path[PATH_BYTES], copy[PATH_BYTES];

    for (size_t i = 0; i < n; i++) {
        if (!p[i].filter && !p[i].source)
            continue;
        const char *kind = p[i].filter ? "filter" : "reader";
        const subject s = p[i].filter ? filter_subject(p[i].filter) : source_subject(p[i].source);
        FILE *out = open_page(folder, kind, s.name, path);
        if (!out)
            return TCF_ERROR;
        put_man_subject(out, kind, &s);
        if (close_page(out, path, TCF_OK) != TCF_OK)
            return TCF_ERROR;
    }
    snprintf(copy, sizeof copy, "%s", folder);
    return presets_each(write_preset, copy);
}
