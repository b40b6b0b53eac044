/* pipeline.ini: inih splits the lines; what it does not tell or cannot do is done by our reader in front of it.
 *
 * As Debian builds it, inih gives its handler no line numbers, cuts lines at 200 and names at 50 characters, merges
 * sections of one name and appends any indented line to the value above. So the reader counts lines, refuses what
 * would be cut, repeated sections and lines that are neither section, key nor comment, takes comments, a BOM and CR
 * away, and hands inih one clean line at a time. The syntax that results:
 *
 *   [section]              names: letters, digits, _ and -; each once
 *   key = value            keys: a-z, 0-9, _; each once in a section; indentation doesn't matter
 *       more of the value  an indented line that is no `key = ...` goes on with the value above
 *   ; comment, # comment   also behind a value: blank, semicolon
 *   ${NAME}, $$            in a value: an environment variable, a dollar sign
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#include "settings.h"
#include "error.h"
#include "loader.h"

#include <errno.h>
#include <ini.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* inih's limits (200 and 50 with the terminating bytes), and ours against files that never end. */
enum { LONGEST_LINE = 198, LONGEST_NAME = 48, RAW_LINE = 4096, MOST_LINES = 100000, MOST_BYTES = 16384 };

typedef struct reader {
    settings *s;
    FILE *stream;
    const char *file; /* owned by settings->storage, as all strings of sections and entries */
    unsigned line;
    int continues; /* the line belongs to the value above */
    int in_key;    /* there is a value above */
    int failed;
    char raw[RAW_LINE];
} reader;

/* The settings that callers see, and the strings behind them. */
typedef struct settings_owner {
    settings s;
    settings_storage *storage;
} settings_owner;

static const char *keep_text(settings *s, const char *text)
{
    return settings_keep(&((settings_owner *)s)->storage, text, strlen(text));
}

settings_section *settings_find(const settings *s, const char *name)
{
    for (size_t i = 0; i < s->n_sections; i++)
        if (strcmp(s->sections[i].name, name) == 0)
            return &s->sections[i];
    return NULL;
}

static settings_entry *find_key(settings_section *section, const char *key)
{
    for (size_t i = 0; i < section->n_entries; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return &section->entries[i];
    return NULL;
}

/* One more element at the end of an array; NULL: out of memory. */
static void *grow(void *array, size_t n, size_t bytes)
{
    return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * bytes);
}

static settings_section *add_section(settings *s, const char *name, const char *file, unsigned line)
{
    settings_section *grown = grow(s->sections, s->n_sections, sizeof *grown);
    if (!grown) {
        tcf_fail("out of memory");
        return NULL;
    }
    s->sections = grown;
    grown[s->n_sections] = (settings_section){.name = keep_text(s, name), .file = file, .line = line};
    if (!grown[s->n_sections].name) {
        tcf_fail("out of memory");
        return NULL;
    }
    return &grown[s->n_sections++];
}

static tcf_status add_entry(settings *s, settings_section *section, const char *key, const char *value,
                            const char *file, unsigned line)
{
    settings_entry *grown = grow(section->entries, section->n_entries, sizeof *grown);
    if (!grown)
        return tcf_fail("out of memory");
    section->entries = grown;
    grown[section->n_entries] =
        (settings_entry){.key = keep_text(s, key), .value = keep_text(s, value), .file = file, .line = line};
    if (!grown[section->n_entries].key || !grown[section->n_entries].value)
        return tcf_fail("out of memory");
    section->n_entries++;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------- environment -- */

static int is_name_character(char c, int first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* Puts what the ${NAME} at *from stands for into `out` and moves *from behind it. */
static tcf_status expand_variable(FILE *out, const char **from, const char *what)
{
    char name[RAW_LINE];
    const char *start = *from + 2;
    size_t n = 0;

    while (n < sizeof name - 1 && is_name_character(start[n], n == 0))
        n++;
    if (n == 0 || start[n] != '}')
        return tcf_usage("%s: '%s' lacks a name or its closing brace: expected ${NAME} (a dollar sign is $$)", what,
                         *from);
    memcpy(name, start, n);
    name[n] = '\0';
    const char *content = getenv(name);
    if (!content)
        return tcf_usage("%s: ${%s}: there is no environment variable of this name", what, name);
    fputs(content, out);
    *from = start + n + 1;
    return TCF_OK;
}

/* The value with ${NAME} and $$ replaced, to be freed; NULL: see the cause. */
static char *expand(const char *value, const char *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tcf_status status = TCF_OK;

    if (!out) {
        tcf_fail("out of memory");
        return NULL;
    }
    while (*value && status == TCF_OK) {
        if (value[0] == '$' && value[1] == '$') {
            putc('$', out);
            value += 2;
        } else if (value[0] == '$' && value[1] == '{') {
            status = expand_variable(out, &value, what);
        } else {
            putc(*value++, out);
        }
    }
    if (fclose(out) != 0 && status == TCF_OK)
        status = tcf_fail("out of memory");
    if (status == TCF_OK)
        return text;
    free(text);
    return NULL;
}

static tcf_status expand_all(settings *s)
{
    char what[RAW_LINE];

    for (size_t i = 0; i < s->n_sections; i++)
        for (size_t k = 0; k < s->sections[i].n_entries; k++) {
            settings_entry *e = &s->sections[i].entries[k];
            if (!strchr(e->value, '$'))
                continue;
            if (e->line)
                snprintf(what, sizeof what, "%s:%u: %s.%s", e->file, e->line, s->sections[i].name, e->key);
            else
                snprintf(what, sizeof what, "%s %s.%s", e->file, s->sections[i].name, e->key);
            char *text = expand(e->value, what);
            if (!text)
                return TCF_ERROR;
            e->value = keep_text(s, text);
            free(text);
            if (!e->value)
                return tcf_fail("out of memory");
        }
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------- the reader's side --
 */

static int wrong(reader *r, const char *message) __attribute__((nonnull));
static int wrong(reader *r, const char *message)
{
    r->failed = 1;
    tcf_usage("%s:%u: %s", r->file, r->line, message);
    return 0;
}

/* The next line into r->raw, without its end. 0: no more, or failed. The rest of an over-long comment is skipped. */
static int read_line(reader *r)
{
    size_t n = 0, blank = 0, skipped = 0;
    int c, comment = 0;

    if (++r->line > MOST_LINES)
        return wrong(r, "too many lines; is this a settings file?");
    while ((c = getc(r->stream)) != EOF && c != '\n') {
        if (n == 0 && r->line == 1 && c == 0xef) { /* UTF-8's byte order mark */
            if (getc(r->stream) == 0xbb && getc(r->stream) == 0xbf)
                continue;
            return wrong(r, "not a text file: it starts with 0xef, but not with the byte order mark of UTF-8");
        }
        if (c != '\r' && c != '\t' && (c < ' ' || c == 0x7f))
            return wrong(r, "not a text file: control character");
        if (n == blank)
            comment = c == ';' || c == '#';
        if (n == blank && (c == ' ' || c == '\t'))
            blank++;
        if (n < sizeof r->raw - 1)
            r->raw[n++] = (char)c;
        else if (!comment)
            return wrong(r, "line is far too long (the limit is 198 characters)");
        else if (++skipped > MOST_BYTES)
            return wrong(r, "comment without end; is this a settings file?");
    }
    if (ferror(r->stream)) {
        r->failed = 1;
        tcf_usage("%s: cannot be read: %s", r->file, strerror(errno));
        return 0;
    }
    if (c == EOF && n == 0)
        return 0;
    if (n > 0 && r->raw[n - 1] == '\r')
        n--;
    r->raw[n] = '\0';
    if (!comment && memchr(r->raw, '\r', n))
        return wrong(r, "carriage return inside of a line; lines end with LF or CR LF");
    return 1;
}

/* Takes comments and blanks at both ends away; the line's beginning. */
static char *trim(char *line)
{
    char *start = line + strspn(line, " \t");

    if (*start == ';' || *start == '#')
        *start = '\0';
    for (char *c = start; *c; c++)
        if (*c == ';' && c > line && (c[-1] == ' ' || c[-1] == '\t')) {
            *c = '\0';
            break;
        }
    size_t n = strlen(start);
    while (n > 0 && (start[n - 1] == ' ' || start[n - 1] == '\t'))
        start[--n] = '\0';
    return start;
}

static int take_section(reader *r, char *text)
{
    char *close = strchr(text, ']');

    if (!close)
        return wrong(r, "expected [section], but there is no closing bracket");
    if (close[1])
        return wrong(r, "expected nothing behind [section]");
    *close = '\0';
    char *name = trim(text + 1);
    if (!valid_name(name, 0) || strlen(name) > LONGEST_NAME)
        return wrong(r, "a section's name consists of at most 48 letters, digits, _ and -");
    settings_section *same = settings_find(r->s, name);
    if (same) {
        r->failed = 1;
        tcf_usage("%s:%u: section [%s] is there twice; the first one is in line %u", r->file, r->line, name,
                  same->line);
        return 0;
    }
    if (!add_section(r->s, name, r->file, r->line)) {
        r->failed = 1;
        return 0;
    }
    r->in_key = 0;
    memmove(text + 1, name, strlen(name) + 1);
    size_t n = strlen(text);
    text[n] = ']';
    text[n + 1] = '\0';
    return 1;
}

/* Length of the key when the line is `key = ...`, else 0. */
static size_t key_length(const char *text)
{
    size_t n = strcspn(text, "="),
           key = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (!text[n] || key == 0)
        return 0;
    return text[key + strspn(text + key, " \t")] == '=' ? key : 0;
}

static int take_key(reader *r, const char *text, int indented)
{
    size_t key = key_length(text);

    r->continues = key == 0 && indented && r->in_key;
    if (r->continues)
        return 1;
    if (key == 0)
        return wrong(r, "expected `key = value`, [section], or a comment that starts with ; or #");
    if (key > LONGEST_NAME)
        return wrong(r, "a key has at most 48 characters");
    if (r->s->n_sections == 0)
        return wrong(r, "expected a [section] before the first key");
    r->in_key = 1;
    return 1;
}

/* inih's reader: fgets() with manners. */
static char *next_line(char *to, int capacity, void *data)
{
    reader *r = data;

    if (r->failed || !read_line(r))
        return NULL;
    int indented = r->raw[0] == ' ' || r->raw[0] == '\t';
    char *text = trim(r->raw);
    r->continues = 0;
    int taken = *text == '[' ? take_section(r, text) : !*text || take_key(r, text, indented);
    if (!taken)
        return NULL;
    size_t n = strlen(text);
    if (n + (size_t)r->continues > LONGEST_LINE || n + 2 + (size_t)r->continues > (size_t)capacity) {
        wrong(r, "line is longer than 198 characters; a long value may go on in the next line, indented");
        return NULL;
    }
    char *end = to;
    if (r->continues)
        *end++ = ' ';
    memcpy(end, text, n);
    end[n] = '\n';
    end[n + 1] = '\0';
    return to;
}

/* ------------------------------------------------------------------------------------------------ inih's side -- */

static int continue_value(reader *r, settings_section *section, const char *more)
{
    settings_entry *e = &section->entries[section->n_entries - 1];
    size_t a = strlen(e->value), b = strlen(more);
    char *joined = malloc(a + b + 2);

    if (joined && a + b < MOST_BYTES) {
        memcpy(joined, e->value, a);
        joined[a] = ' ';
        memcpy(joined + a + (a > 0), more, b + 1);
        e->value = keep_text(r->s, joined);
        free(joined);
        if (e->value)
            return 1;
        joined = NULL;
    }
    r->failed = 1;
    if (joined)
        tcf_usage("%s:%u: the value is too long", r->file, r->line);
    else
        tcf_fail("out of memory");
    free(joined);
    return 0;
}

static int take_entry(void *data, const char *section_name, const char *key, const char *text)
{
    reader *r = data;
    settings_section *section = settings_find(r->s, section_name);

    if (r->failed)
        return 0;
    if (!section)
        return wrong(r, "cannot be understood");
    if (r->continues)
        return continue_value(r, section, text);
    settings_entry *same = find_key(section, key);
    if (same) {
        r->failed = 1;
        tcf_usage("%s:%u: %s.%s: this key is there twice; the first one is in line %u", r->file, r->line, section->name,
                  key, same->line);
        return 0;
    }
    r->failed = add_entry(r->s, section, key, text, r->file, r->line) != TCF_OK;
    return !r->failed;
}

static tcf_status read_stream(settings *s, FILE *stream, const char *name)
{
    reader *r = calloc(1, sizeof *r);
    if (!r)
        return tcf_fail("out of memory");
    *r = (reader){.s = s, .stream = stream, .file = name};
    int result = ini_parse_stream(next_line, r, take_entry, r);
    if (result != 0 && !r->failed) {
        r->failed = 1;
        tcf_usage("%s:%d: cannot be understood", name, result);
    }
    tcf_status status = r->failed ? TCF_ERROR : TCF_OK;
    free(r);
    return status;
}

static tcf_status read_named(settings *s, FILE *stream, const char *name)
{
    struct stat st;

    s->file = keep_text(s, name);
    if (!s->file)
        return tcf_fail("out of memory");
    if (fstat(fileno(stream), &st) == 0 && S_ISDIR(st.st_mode))
        return tcf_usage("%s: is a folder; expected a settings file", name);
    return read_stream(s, stream, s->file);
}

static tcf_status read_file(settings *s, const char *path)
{
    if (strcmp(path, "-") == 0)
        return read_named(s, stdin, "(standard input)");
    FILE *stream = fopen(path, "re");
    if (!stream)
        return tcf_usage("%s: cannot open the settings: %s", path, strerror(errno));
    tcf_status status = read_named(s, stream, path);
    fclose(stream);
    return status;
}

/* ------------------------------------------------------------------------------------------------ command line -- */

/* "section.key=value" on top of what the file says. */
static tcf_status override(settings *s, const char *text, const char *origin)
{
    const char *equals = strchr(text, '='), *dot = NULL;
    char name[LONGEST_NAME + 1], key[LONGEST_NAME + 1];

    for (const char *c = text; equals && c < equals; c++)
        if (*c == '.')
            dot = c;
    if (!dot || (size_t)(dot - text) > LONGEST_NAME || (size_t)(equals - dot) > LONGEST_NAME)
        return tcf_usage("-o %s: expected section.key=value, such as clc_forward.gamma=0.99", text);
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = '\0';
    memcpy(key, dot + 1, (size_t)(equals - dot - 1));
    key[equals - dot - 1] = '\0';
    if (!valid_name(name, 0) || !valid_name(key, 0))
        return tcf_usage("-o %s: expected section.key=value, such as clc_forward.gamma=0.99", text);
    settings_section *section = settings_find(s, name);
    if (!section && !(section = add_section(s, name, origin, 0)))
        return TCF_ERROR;
    settings_entry *e = find_key(section, key);
    if (!e)
        return add_entry(s, section, key, equals + 1, origin, 0);
    *e = (settings_entry){.key = e->key, .value = keep_text(s, equals + 1), .file = origin};
    return e->value ? TCF_OK : tcf_fail("out of memory");
}

static settings *make(void)
{
    settings_owner *owner = calloc(1, sizeof *owner);

    if (!owner)
        tcf_fail("out of memory");
    return owner ? &owner->s : NULL;
}

/* What was loaded, or NULL. */
static settings *finish(settings *s, tcf_status status)
{
    if (status == TCF_OK && expand_all(s) == TCF_OK)
        return s;
    settings_free(s);
    return NULL;
}

settings *settings_load(const char *path, const char *const *overrides, size_t n_overrides)
{
    settings *s = make();
    if (!s)
        return NULL;
    const char *origin = keep_text(s, "-o");
    tcf_status status = origin ? TCF_OK : tcf_fail("out of memory");

    s->file = origin;
    if (status == TCF_OK && path)
        status = read_file(s, path);
    for (size_t i = 0; i < n_overrides && status == TCF_OK; i++)
        status = override(s, overrides[i], origin);
    return finish(s, status);
}

settings *settings_read(FILE *stream, const char *name)
{
    settings *s = make();
    return s ? finish(s, read_named(s, stream, name)) : NULL;
}

void settings_free(settings *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_sections; i++)
        free(s->sections[i].entries);
    free(s->sections);
    settings_release(((settings_owner *)s)->storage);
    free(s);
}

/* ------------------------------------------------------------------------------------------------- [pipeline] -- */

#define ROW(key_, type_, default_, min_, max_, unit_, help_)                                                           \
    {                                                                                                                  \
        .key = #key_, .type = type_, .offset = offsetof(pipeline_conf, key_), .default_value = default_, .min = min_,  \
        .max = max_, .unit = unit_, .help = help_                                                                      \
    }
const tcf_param pipeline_params[] = {
    ROW(input, TCF_PATH, NULL, NULL, NULL, NULL,
        "OTF2 anchor file to read (also: -i FILE); or a stream of stream_write: - (standard input), stream:PATH, or unix:PATH "
        "and tcp:[HOST:]PORT, where its writer is waited for (without HOST on this machine only). Several, parted by blanks, are "
        "read as one: they must be of different locations of one run"),
    ROW(chain, TCF_LIST, NULL, "1", NULL, NULL, "Filter instances that every event passes, in this order"),
    ROW(survey, TCF_LIST, "", NULL, NULL, NULL,
        "Filter instances that run first over the same input; what they learn is handed to the chain. A " SURVEY_BREAK
        " between them: several surveys, one after another"),
    ROW(reports, TCF_LIST, "", NULL, NULL, NULL,
        "Filter instances whose reports are wanted; others report only when their output is given. Empty: all"),
    ROW(rows, TCF_INT, "50", "0", NULL, "rows",
        "How many rows of a table text on standard output shows: those with the largest amounts. 0: all. Files (output), "
        "CSV and JSON have all of them anyway"),
    ROW(database, TCF_PATH, "", NULL, NULL, NULL,
        "SQLite file for the tables of all reports, besides what each one's output gets. Empty: none"),
    ROW(html_report, TCF_PATH, "", NULL, NULL, NULL,
        "HTML page that shows the tables of all reports, with charts, in one file. Empty: none"),
    ROW(overwrite, TCF_BOOL, "no", NULL, NULL, NULL, "May an existing database or html_report be replaced?"),
    ROW(memory, TCF_SIZE, "64MiB", "64KiB", NULL, NULL, "Memory for events in flight, beyond libotf2's own buffers"),
    ROW(slice, TCF_INT, "0", "0", "1048576", "events", "Events of a slice; 0: chosen from memory and locations"),
    ROW(lookahead, TCF_INT, "4096", "0", "1048576", "events",
        "How far a location is read ahead to learn what a request or collective begin belongs to"),
    ROW(plugin_path, TCF_STRING, "", NULL, NULL, NULL,
        "Folders with plugins, separated by ':'; looked into after --plugin-path and TCFLOW_PLUGIN_PATH"),
    ROW(salvage, TCF_BOOL, "no", NULL, NULL, NULL,
        "A damaged location ends at its last good event instead of stopping the run"),
    ROW(verify, TCF_BOOL, "no", NULL, NULL, NULL,
        "Compare times, kinds, records and attributes before and after each filter with what it declares to change: of whole "
        "slices, in a causal segment of each span, and the rest of the slice at its end; not of filters that drop events (slow)"),
    ROW(max_messages, TCF_INT, "1048576", "1", "1073741824", "messages", "Cap of messages in flight"),
    ROW(max_channels, TCF_INT, "1048576", "1", "1073741824", "channels", "Cap of channels known at a time"),
    ROW(max_callpaths, TCF_INT, "1048576", "2", "1073741824", "nodes", "Cap of the nodes of the call tree"),
    ROW(flush, TCF_DURATION, "100ms", "0", NULL, NULL,
        "At the latest after this time stream_write hands on what has passed (a time of the clock on the wall)"),
    ROW(quantum, TCF_DURATION, "0", "0", NULL, NULL, "Locations stay this close together in time; 0: automatic"),
    {.key = NULL},
};
#undef ROW

static int names(const tcf_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i], name) == 0)
            return 1;
    return 0;
}

static int names_instance(const pipeline_conf *conf, const char *name)
{
    return names(&conf->chain, name) || names(&conf->survey, name);
}

static tcf_status no_instance(const pipeline_conf *conf, const char *where, const char *name)
{
    enum { MOST = 256 };
    const char *known[MOST];
    size_t n = 0;

    known[n++] = "pipeline";
    for (uint32_t k = 0; k < conf->chain.n && n < MOST; k++)
        known[n++] = conf->chain.item[k];
    for (uint32_t k = 0; k < conf->survey.n && n < MOST; k++)
        known[n++] = conf->survey.item[k];
    const char *near = nearest_name(name, known, n);
    if (near)
        return tcf_usage("%s: neither chain nor survey names an instance `%s`; did you mean `%s`?", where, name, near);
    return tcf_usage("%s: neither chain nor survey names an instance `%s`", where, name);
}

/* A section that no chain names is a mistake: its parameters would be ignored in silence. */
static tcf_status check_sections(const settings *s, const pipeline_conf *conf)
{
    for (size_t i = 0; i < s->n_sections; i++) {
        const settings_section *section = &s->sections[i];
        char where[RAW_LINE];

        if (strcmp(section->name, "pipeline") == 0 || names_instance(conf, section->name))
            continue;
        if (section->line)
            snprintf(where, sizeof where, "%s:%u: section [%s]", section->file, section->line, section->name);
        else
            snprintf(where, sizeof where, "%s %s.%s", section->file, section->name,
                     section->n_entries ? section->entries[0].key : "");
        return no_instance(conf, where, section->name);
    }
    return TCF_OK;
}

/* A report is that of an instance. */
static tcf_status check_reports(const settings_section *section, const pipeline_conf *conf)
{
    char where[RAW_LINE] = "pipeline.reports";

    for (size_t k = 0; k < section->n_entries; k++) {
        const settings_entry *entry = &section->entries[k];
        if (strcmp(entry->key, "reports") == 0 && entry->line)
            snprintf(where, sizeof where, "%s:%u: pipeline.reports", entry->file, entry->line);
    }
    for (uint32_t i = 0; i < conf->reports.n; i++)
        if (!names_instance(conf, conf->reports.item[i]))
            return no_instance(conf, where, conf->reports.item[i]);
    return TCF_OK;
}

/* between: what may stand between instances besides. */
static tcf_status check_instances(const tcf_list *list, const char *key, const char *between)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i], between) != 0 &&
            (!valid_name(list->item[i], 0) || strcmp(list->item[i], "pipeline") == 0))
            return tcf_usage("pipeline.%s: '%s' cannot be the name of an instance: expected letters, digits, _ and -",
                             key, list->item[i]);
    return TCF_OK;
}

tcf_status settings_pipeline(settings *s, pipeline_conf *conf, settings_storage **storage)
{
    settings_section *section = settings_find(s, "pipeline");

    memset(conf, 0, sizeof *conf);
    if (!section)
        return tcf_usage("%s: there is no section [pipeline]; it names the input and the chain", s->file);
    if (settings_parse(pipeline_params, conf, NULL, section, NULL, storage) != TCF_OK ||
        check_instances(&conf->chain, "chain", "") != TCF_OK ||
        check_instances(&conf->survey, "survey", SURVEY_BREAK) != TCF_OK ||
        check_reports(section, conf) != TCF_OK)
        return TCF_ERROR;
    return check_sections(s, conf);
}

/* ------------------------------------------------------------------------------------------------- filters.d -- */

tcf_status settings_defaults(const char *filter, settings **s)
{
    char path[RAW_LINE];
    struct stat st;

    *s = NULL;
    int n = snprintf(path, sizeof path, "%s/%s.ini", loader_filters_d(), filter);
    if (n < 0 || (size_t)n >= sizeof path || stat(path, &st) != 0)
        return TCF_OK;
    if (!(*s = settings_load(path, NULL, 0)))
        return tcf_while("reading the defaults of filter `%s`", filter);
    for (size_t i = 0; i < (*s)->n_sections; i++)
        if (strcmp((*s)->sections[i].name, filter) != 0) {
            tcf_usage("%s:%u: section [%s]: expected [%s] alone", path, (*s)->sections[i].line, (*s)->sections[i].name,
                      filter);
            settings_free(*s);
            *s = NULL;
            return TCF_ERROR;
        }
    return TCF_OK;
}
