/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The text of --describe and of filters.d/NAME.ini, made of the parameter tables that parsing uses, so that they
 * agree. */
#include "describe_parts.h"

#include <string.h>

enum { LINE = 100 }; /* letters */

subject filter_subject(const tcf_filter *f)
{
    return (subject){f->name,
                     f->version,
                     f->summary,
                     f->help,
                     {&f->params, f->can & TCF_CAN_REPORT ? &report_params : NULL}};
}

subject source_subject(const tcf_source *s)
{
    return (subject){s->name, s->version, s->summary, s->help, {&s->params, NULL}};
}

static subject pipeline_subject(void)
{
    return (subject){"pipeline", NULL, "The pipeline itself: input, chain and limits", NULL, {&pipeline_params, NULL}};
}

/* ------------------------------------------------------------------------------------------------------ wrapping -- */

/* Writes paragraphs in lines of at most LINE letters behind `prefix`. A line that starts with a blank (an example, a
 * table) stays as it is; an empty line ends a paragraph. */
static void wrap(FILE *out, const char *text, const char *prefix)
{
    size_t at = 0; /* letters in the line so far */

    while (*text) {
        size_t blanks = strspn(text, " ");
        if (*text == '\n') {
            int paragraph = text[1] == '\n' || text[1] == ' ';
            if (at > 0 && (paragraph || !text[1])) {
                putc('\n', out);
                at = 0;
            }
            if (text[1] == '\n') {
                fprintf(out, "%.*s\n", (int)strcspn(prefix, " "), prefix);
                text++;
            }
            text++;
        } else if (blanks > 0 && at == 0) {
            size_t n = strcspn(text, "\n");
            fprintf(out, "%s%.*s\n", prefix, (int)n, text);
            text += n + (text[n] == '\n' && text[n + 1] != '\n');
        } else if (blanks > 0) {
            text += blanks;
        } else {
            size_t n = strcspn(text, " \n");
            if (at > 0 && at + 1 + n > LINE) {
                putc('\n', out);
                at = 0;
            }
            at += (size_t)fprintf(out, "%s%.*s", at ? " " : prefix, (int)n, text);
            text += n;
        }
    }
    if (at > 0)
        putc('\n', out);
}

/* ---------------------------------------------------------------------------------------------------- parameters -- */

static void put_plain(FILE *out, const char *text, size_t n)
{
    fwrite(text, 1, n, out);
}

void describe_range(FILE *out, const tcf_param *p, put_text *put)
{
    const char *unit = p->unit ? p->unit : p->type == TCF_LIST && (p->min || p->max) ? "items" : "";
    const int bounded = p->min || p->max;
    const char *const parts[] = {
        p->type == TCF_INPUT_PATH    ? "input "
        : p->type == TCF_OUTPUT_PATH ? "output "
                                     : "",
        p->type == TCF_ENUM ? p->choices : param_type_name(p->type),
        p->min && p->max ? "; "
        : p->min         ? "; at least "
        : p->max         ? "; at most "
                         : "",
        p->min ? p->min : "",
        p->min && p->max ? " to " : "",
        p->max ? p->max : "",
        !*unit                ? ""
        : bounded             ? " "
        : p->type == TCF_LIST ? " of "
                              : ", in ",
        unit,
    };

    for (size_t i = 0; i < TCF_COUNT(parts); i++)
        put(out, parts[i], strlen(parts[i]));
}

/* Writes a value as the INI must have it. */
static void put_value(FILE *out, const char *value)
{
    for (; *value; value++) {
        if (value[0] == '$' && (value[1] == '$' || value[1] == '{'))
            putc('$', out);
        putc(*value, out);
    }
}

static void put_parameter(FILE *out, const tcf_param *p)
{
    fprintf(out, "  %s", p->key);
    if (!p->default_value)
        fputs("  (must be given)", out);
    else if (*p->default_value)
        fprintf(out, " = %s", p->default_value);
    fputs("  [", out);
    describe_range(out, p, put_plain);
    fputs("]\n", out);
    wrap(out, p->help, "      ");
    if (p->alias)
        fprintf(out, "      Its earlier name `%s` is still read.\n", p->alias);
}

/* A parameter without a default is commented out: an empty value is an error. */
static void put_key(FILE *out, const tcf_param *p)
{
    fprintf(out, "%s%s =", p->default_value && *p->default_value ? "" : ";", p->key);
    if (p->default_value && *p->default_value) {
        putc(' ', out);
        put_value(out, p->default_value);
    }
    putc('\n', out);
}

static void put_stanza_row(FILE *out, const tcf_param *p)
{
    putc('\n', out);
    wrap(out, p->help, "; ");
    fputs("; [", out);
    describe_range(out, p, put_plain);
    fputs(p->default_value ? "]\n" : "] must be given\n", out);
    put_key(out, p);
}

static void put_stanza(FILE *out, const subject *s)
{
    fprintf(out, "; %s: %s\n", s->name, s->summary);
    if (s->help) {
        fputs(";\n", out);
        wrap(out, s->help, "; ");
    }
    fprintf(out, "\n[%s]\n", s->name);
    for (size_t t = 0; t < 2; t++)
        for (uint32_t i = 0; s->tables[t] && i < s->tables[t]->n; i++)
            put_stanza_row(out, &s->tables[t]->at[i]);
}

/* Each parameter stands once; the section for a settings file is what --ini has. */
static void put_subject(FILE *out, const subject *s)
{
    int any = 0;

    fprintf(out, "%s%s%s: %s\n", s->name, s->version ? " " : "", s->version ? s->version : "", s->summary);
    if (s->help) {
        putc('\n', out);
        wrap(out, s->help, "");
    }
    fprintf(out, "\n[%s]\n", s->name);
    for (size_t t = 0; t < 2; t++)
        for (uint32_t i = 0; s->tables[t] && i < s->tables[t]->n; i++, any = 1)
            put_parameter(out, &s->tables[t]->at[i]);
    fprintf(out, any ? "\n(tcflow --describe %s --ini prints this for a settings file)\n" : "  no parameters\n",
            s->name);
}

static void put_columns(FILE *out, const tcf_columns *columns, const char *what)
{
    if (columns->n == 0)
        return;
    fprintf(out, "%s columns:", what);
    for (uint32_t i = 0; i < columns->n; i++)
        fprintf(out, " %s", columns->at[i].name);
    putc('\n', out);
}

void describe_filter(FILE *out, const tcf_filter *f)
{
    subject s = filter_subject(f);
    put_subject(out, &s);
    if (f->provides.n > 0 || f->required.n > 0)
        putc('\n', out);
    put_columns(out, &f->provides, "Provides");
    put_columns(out, &f->required, "Requires");
}

void describe_ini(FILE *out, const tcf_filter *f)
{
    subject s = filter_subject(f);
    put_stanza(out, &s);
}

void describe_source(FILE *out, const tcf_source *s)
{
    subject about = source_subject(s);
    put_subject(out, &about);
}

void describe_source_ini(FILE *out, const tcf_source *s)
{
    subject about = source_subject(s);
    put_stanza(out, &about);
}

void describe_pipeline(FILE *out)
{
    subject s = pipeline_subject();
    put_subject(out, &s);
}

void describe_pipeline_ini(FILE *out)
{
    subject s = pipeline_subject();
    put_stanza(out, &s);
}
