/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* --list-filters and --list-sources: the filters or readers, the files that were refused or shadowed and why, and the
 * folders searched. As text for people, as JSON for programs (doc/filter-reference.md describes it: members may be
 * added, never removed), and as plain lines for scripts without a JSON parser, such as the completion of shells. */
#include "describe_parts.h"
#include "framework/base/json.h"

#include <private/terminal.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(unknown version)"
#endif

static const tcf_params *framework_params(const tcf_filter *f)
{
    return f->can & TCF_CAN_REPORT ? &report_params : NULL;
}

typedef enum fate { LOADED, READER, SHADOWED, REFUSED } fate;

static fate fate_of(const plugin *p)
{
    return p->filter ? LOADED : p->source ? READER : p->shadowed_by ? SHADOWED : REFUSED;
}

/* ------------------------------------------------------------------------------------------------------- as text -- */

static const char *version_of(const plugin *p)
{
    return p->filter ? p->filter->version : p->source->version;
}

const topic_row describe_topics[] = {{TCF_TOPIC_CLOCKS, "Clocks"},
                                     {TCF_TOPIC_OVERHEAD, "Overhead of measurement"},
                                     {TCF_TOPIC_WAITS, "Waits"},
                                     {TCF_TOPIC_STATISTICS, "Statistics"},
                                     {TCF_TOPIC_EVENTS, "Selecting, checking, writing"},
                                     {TCF_TOPIC_OTHER, "Others"}};
const size_t describe_n_topics = TCF_COUNT(describe_topics);

int describe_is_of(const tcf_filter *f, const topic_row *topic)
{
    int known = 0;

    for (size_t k = 0; k < describe_n_topics; k++)
        known |= describe_topics[k].topic == f->topic;
    return topic->topic == (known ? f->topic : TCF_TOPIC_OTHER);
}

/* Does the file lie in the folder that tcflow comes with? */
static int is_shipped(const loader *l, const char *path)
{
    size_t n;
    const loader_folder *f = loader_folders(l, &n);

    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(f[i].path);
        if ((strcmp(f[i].named_by, LOADER_INSTALLED) == 0 || strcmp(f[i].named_by, LOADER_BUILD_TREE) == 0) &&
            strncmp(path, f[i].path, length) == 0 && path[length] == '/')
            return 1;
    }
    return 0;
}

typedef struct widths {
    size_t name, version;
} widths;

static void put_one(FILE *out, const loader *l, const plugin *p, widths w)
{
    fprintf(out, "  %-*s  %-*s  %s\n", (int)w.name, p->name, (int)w.version, version_of(p),
            p->filter ? p->filter->summary : p->source->summary);
    if (!is_shipped(l, p->path))
        fprintf(out, "  %*s  %s\n", (int)(w.name + w.version + 2), "", p->path);
}

/* Filters by what they are for, each topic by name; or readers. */
static void put_good(FILE *out, const loader *l, fate wanted)
{
    size_t n;
    const plugin *p = loader_plugins(l, &n);
    widths w = {0};

    for (size_t i = 0; i < n; i++) {
        if (fate_of(&p[i]) != wanted)
            continue;
        w.name = strlen(p[i].name) > w.name ? strlen(p[i].name) : w.name;
        w.version = strlen(version_of(&p[i])) > w.version ? strlen(version_of(&p[i])) : w.version;
    }
    if (w.name == 0 || wanted == READER)
        fputs(wanted == LOADED ? "Filters: none\n" : w.name ? "Readers of other formats:\n" : "Readers: none\n", out);
    for (size_t i = 0; i < n && wanted == READER; i++)
        if (fate_of(&p[i]) == READER)
            put_one(out, l, &p[i], w);
    for (size_t k = 0, any = 0; k < describe_n_topics && wanted == LOADED; k++)
        for (size_t i = 0, first = 1; i < n; i++)
            if (p[i].filter && describe_is_of(p[i].filter, &describe_topics[k])) {
                if (first)
                    fprintf(out, "%s%s:\n", any++ ? "\n" : "", describe_topics[k].name);
                first = 0;
                put_one(out, l, &p[i], w);
            }
}

static void put_others(FILE *out, const plugin *p, size_t n, fate wanted)
{
    int any = 0;

    for (size_t i = 0; i < n; i++) {
        if (fate_of(&p[i]) != wanted)
            continue;
        if (!any++)
            fputs(wanted == SHADOWED ? "\nShadowed:\n" : "\nRefused:\n", out);
        fputs("  ", out);
        tcf_terminal_put(out, p[i].path, "");
        fputs("\n      ", out);
        tcf_terminal_put(out, p[i].reason, "\n");
        putc('\n', out);
    }
}

static void put_folder(FILE *out, const loader_folder *f)
{
    fprintf(out, "  %-18s  ", f->named_by);
    tcf_terminal_put(out, f->path, "");
    fputs(": ", out);
    if (f->again)
        fputs("searched already\n", out);
    else if (f->problem)
        fprintf(out, "%s\n", f->problem);
    else
        fprintf(out, "%zu file%s .so, %zu other%s\n", f->files, f->files == 1 ? "" : "s", f->others,
                f->others == 1 ? "" : "s");
}

static void put_list(FILE *out, const loader *l, fate wanted)
{
    size_t n, n_folders;
    const plugin *p = loader_plugins(l, &n);
    const loader_folder *folder = loader_folders(l, &n_folders);

    put_good(out, l, wanted);
    put_others(out, p, n, SHADOWED);
    put_others(out, p, n, REFUSED);
    fprintf(out, "\nSearched, in this order (the first %s of a name counts):\n",
            wanted == LOADED ? "filter" : "reader");
    for (size_t i = 0; i < n_folders; i++)
        put_folder(out, &folder[i]);
    if (n_folders == 0)
        fputs("  nothing\n", out);
}

void describe_list(FILE *out, const loader *l)
{
    put_list(out, l, LOADED);
}

void describe_list_sources(FILE *out, const loader *l)
{
    put_list(out, l, READER);
}

/* ------------------------------------------------------------------------------------------------------ as lines -- */

/* Is it read or written? NULL: it is no path. */
static const char *direction(tcf_param_type type)
{
    return type == TCF_INPUT_PATH ? "input" : type == TCF_OUTPUT_PATH ? "output" : NULL;
}

static void put_lines(FILE *out, const char *name, const tcf_params *params)
{
    for (uint32_t i = 0; params && i < params->n; i++) {
        const tcf_param *p = &params->at[i];
        fprintf(out, "%s\t%s\t%s\t%s\n", name, p->key,
                direction(p->type) ? direction(p->type) : param_type_word(p->type),
                p->type == TCF_ENUM   ? p->choices
                : p->type == TCF_BOOL ? "yes|no"
                                      : "");
    }
}

void describe_list_plain(FILE *out, const loader *l)
{
    size_t n;
    const plugin *p = loader_plugins(l, &n);

    put_lines(out, "pipeline", &pipeline_params);
    for (size_t i = 0; i < n; i++)
        if (p[i].filter) {
            fprintf(out, "%s\n", p[i].filter->name);
            put_lines(out, p[i].filter->name, &p[i].filter->params);
            put_lines(out, p[i].filter->name, framework_params(p[i].filter));
        }
}

/* ------------------------------------------------------------------------------------------------------- as JSON -- */

typedef struct flag {
    uint32_t bit;
    const char *name;
} flag;

static const flag needs[] = {{TCF_NEED_EDGES, "edges"},
                             {TCF_NEED_CALLPATH, "callpath"},
                             {TCF_NEED_TOGETHER, "together"},
                             {TCF_NEED_PROCESS_TOGETHER, "process_together"},
                             {TCF_NEED_PROGRAM, "program"},
                             {TCF_NEED_ENDS, "ends"},
                             {TCF_NEED_SOURCE_AT_LEAVE, "source_at_leave"},
                             {TCF_NEED_LEADER_FIRST, "leader_first"},
                             {TCF_NEED_POSTS, "posts"},
                             {0, NULL}};
static const flag can[] = {{TCF_CAN_DROP, "drop"},
                           {TCF_CAN_INSERT, "insert"},
                           {TCF_CAN_HOLD, "hold"},
                           {TCF_CAN_ANSWER, "answer"},
                           {TCF_CAN_REPORT, "report"},
                           {TCF_CAN_SURVEY, "survey"},
                           {TCF_CAN_LIVE, "live"},
                           {TCF_CAN_SKIP_NON_EDGES, "skip_non_edges"},
                           {0, NULL}};
static const flag writes[] = {{TCF_WRITES_TIME, "time"},
                              {TCF_WRITES_KIND, "kind"},
                              {TCF_WRITES_REC, "rec"},
                              {TCF_WRITES_ATTR, "attr"},
                              {TCF_WRITES_LATER, "later"},
                              {TCF_WRITES_CLOCK, "clock"},
                              {0, NULL}};

static void member(FILE *out, const char *name, const char *text, const char *behind)
{
    fprintf(out, "\"%s\": ", name);
    json_string(out, text);
    fputs(behind, out);
}

static void put_flags(FILE *out, const char *name, const flag *known, uint32_t bits)
{
    int any = 0;

    fprintf(out, "\"%s\": [", name);
    for (; known->name; known++)
        if (bits & known->bit)
            fprintf(out, "%s\"%s\"", any++ ? ", " : "", known->name);
    fputs("]", out);
}

static void put_columns(FILE *out, const char *name, const tcf_columns *columns)
{
    fprintf(out, "\"%s\": [", name);
    for (uint32_t i = 0; i < columns->n; i++) {
        const tcf_named_column *c = &columns->at[i];
        fputs(i > 0 ? ", {" : "{", out);
        member(out, "name", c->name, ", ");
        fprintf(out, "\"bytes\": %u, \"at_edges\": %s, \"of_times\": %s}", c->bytes, c->at_edges ? "true" : "false",
                c->of_times ? "true" : "false");
    }
    fputs("]", out);
}

static void put_choices(FILE *out, const char *choices)
{
    char word[256];
    const char *between = "";

    fputs("\"choices\": ", out);
    if (!choices) {
        fputs("null, ", out);
        return;
    }
    putc('[', out);
    for (size_t n; *choices; choices += n + (choices[n] == '|')) {
        n = strcspn(choices, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, choices);
        fputs(between, out);
        json_string(out, word);
        between = ", ";
    }
    fputs("], ", out);
}

static void put_parameters(FILE *out, const char *indent, const tcf_params *own, const tcf_params *added)
{
    const tcf_params *tables[] = {own, added};
    int any = 0;

    fputs("\"parameters\": [", out);
    for (size_t t = 0; t < TCF_COUNT(tables); t++)
        for (uint32_t i = 0; tables[t] && i < tables[t]->n; i++) {
            const tcf_param *p = &tables[t]->at[i];
            fprintf(out, "%s\n%s  {", any++ ? "," : "", indent);
            member(out, "key", p->key, ", ");
            member(out, "alias", p->alias, ", ");
            member(out, "type", param_type_word(p->type), ", ");
            member(out, "direction", direction(p->type), ", ");
            member(out, "default", p->default_value, ", ");
            member(out, "min", p->min, ", ");
            member(out, "max", p->max, ", ");
            member(out, "unit", p->unit, ", ");
            put_choices(out, p->type == TCF_ENUM ? p->choices : NULL);
            member(out, "help", p->help, "}");
        }
    if (any)
        fprintf(out, "\n%s", indent);
    putc(']', out);
}

/* What filters and readers have in common. `texts`: version, summary and help. */
static void put_head(FILE *out, const plugin *p, const tcf_filter_head *head, const char *const texts[3])
{
    fputs("{", out);
    member(out, "name", p->name, ", ");
    member(out, "version", texts[0], ", ");
    member(out, "summary", texts[1], ",\n     ");
    member(out, "path", p->path, ", ");
    fprintf(out, "\"abi\": \"%u.%u\",\n     ", head->abi_major, head->abi_minor);
    member(out, "help", texts[2], ",\n     ");
}

static void put_filter(FILE *out, const plugin *p)
{
    const tcf_filter *f = p->filter;

    put_head(out, p, &f->head, (const char *const[]){f->version, f->summary, f->help});
    member(out, "called", f->span ? "span" : "slice", ", ");
    put_flags(out, "needs", needs, f->needs);
    fputs(", ", out);
    put_flags(out, "can", can, f->can);
    fputs(", ", out);
    put_flags(out, "writes", writes, f->writes);
    fputs(",\n     ", out);
    put_columns(out, "provides", &f->provides);
    fputs(", ", out);
    put_columns(out, "required", &f->required);
    fprintf(out, ", \"message_bytes\": %u, \"member_bytes\": %u,\n     ", f->message_bytes, f->member_bytes);
    put_parameters(out, "     ", &f->params, framework_params(f));
    putc('}', out);
}

static void put_reader(FILE *out, const plugin *p)
{
    const tcf_source *s = p->source;

    put_head(out, p, &s->head, (const char *const[]){s->version, s->summary, s->help});
    put_parameters(out, "     ", &s->params, NULL);
    putc('}', out);
}

static void put_plugins(FILE *out, const char *name, const plugin *p, size_t n, fate wanted)
{
    int any = 0;

    fprintf(out, ",\n  \"%s\": [", name);
    for (size_t i = 0; i < n; i++) {
        if (fate_of(&p[i]) != wanted)
            continue;
        fputs(any++ ? ",\n    " : "\n    ", out);
        if (p[i].filter || p[i].source) {
            (p[i].filter ? put_filter : put_reader)(out, &p[i]);
            continue;
        }
        putc('{', out);
        member(out, "name", p[i].name, ", ");
        member(out, "path", p[i].path, ", ");
        if (p[i].shadowed_by)
            member(out, "by", p[i].shadowed_by, ", ");
        member(out, "reason", p[i].reason, "}");
    }
    fputs(any ? "\n  ]" : "]", out);
}

void describe_list_json(FILE *out, const loader *l)
{
    size_t n, n_folders;
    const plugin *p = loader_plugins(l, &n);
    const loader_folder *folder = loader_folders(l, &n_folders);

    fputs("{\n  ", out);
    member(out, "tcflow", PACKAGE_VERSION, ",\n  ");
    fprintf(out, "\"abi\": \"%u.%u\",\n  \"pipeline\": {", TCF_ABI_MAJOR, TCF_ABI_MINOR);
    put_parameters(out, "    ", &pipeline_params, NULL);
    putc('}', out);
    put_plugins(out, "filters", p, n, LOADED);
    put_plugins(out, "sources", p, n, READER);
    put_plugins(out, "shadowed", p, n, SHADOWED);
    put_plugins(out, "refused", p, n, REFUSED);
    fputs(",\n  \"searched\": [", out);
    for (size_t i = 0; i < n_folders; i++) {
        fputs(i ? ",\n    {" : "\n    {", out);
        member(out, "path", folder[i].path, ", ");
        member(out, "named_by", folder[i].named_by, ", ");
        member(out, "problem", folder[i].problem, ", ");
        fprintf(out, "\"files\": %zu, \"others\": %zu, \"again\": %s}", folder[i].files, folder[i].others,
                folder[i].again ? "true" : "false");
    }
    fputs(n_folders ? "\n  ]\n}\n" : "]\n}\n", out);
}
