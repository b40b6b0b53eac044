/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* pipeline.ini: a reader of ours hands inih one clean line at a time; inih splits it.
 *
 * As Debian builds it, inih gives its handler no line numbers, cuts lines at 200 and names at 50 characters, merges
 * sections of one name and appends any indented line to the value above. So the reader counts lines, takes comments,
 * a BOM and CR away, keeps the end of a value that inih would cut, and refuses longer names, repeated sections, and
 * lines that are neither section, key nor comment. The resulting syntax:
 *
 *   [section]              names: letters, digits, _ and -; each once
 *   key = value            keys: a-z, 0-9, _; each once in a section; indentation doesn't matter
 *       more of the value  an indented line that is no `key = ...` goes on with the value above
 *   ; comment, # comment   also behind a value: blank, semicolon
 *   ${NAME}, $$            in a value: an environment variable, a dollar sign */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tdestroy() */
#endif
#include "settings.h"
#include "framework/base/error.h"
#include "framework/base/names.h"
#include "framework/base/paths.h"

#include <errno.h>
#include <ini.h>
#include <private/passing_errors.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Limits: inih's (200 and 50 with what ends a line and a name), then ours, which stop at files without end. */
enum {
    LONGEST_PIECE = 197, /* of a line, behind the blank of a continued value */
    LONGEST_NAME = 48,
    RAW_LINE = 4096,
    MOST_LINES = 100000,
    MOST_BYTES = 16384,
    MOST_OVERRIDES = 4096
};

typedef struct reader {
    settings *s;
    FILE *stream;
    const char *file; /* kept in s->texts */
    unsigned line;
    int continues; /* the line belongs to the value above */
    int in_key;    /* there is a value above */
    int failed;
    const char *rest;      /* what the line has behind the piece that inih gets */
    size_t room;           /* bytes of the value above; 0: just what it takes */
    void *sections, *keys; /* names as trees of tsearch(): of all sections, and of the last one's keys */
    char raw[RAW_LINE];
} reader;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void keep_name(void *name)
{
    (void)name; /* which is kept in s->texts */
}

static void forget_names(void **tree)
{
    tdestroy(*tree, keep_name);
    *tree = NULL;
}

static const char *keep_text(settings *s, const char *text)
{
    return store_text(&s->texts, text, strlen(text));
}

settings_section *settings_find(const settings *s, const char *name)
{
    for (size_t i = 0; i < s->n_sections; i++)
        if (strcmp(s->sections[i].name, name) == 0)
            return &s->sections[i];
    return NULL;
}

/* Room for one more element at the end of an array; NULL: out of memory. */
static void *grow(void *array, size_t n, size_t bytes)
{
    return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * bytes);
}

static settings_section *add_section(settings *s, const char *name, const char *file, unsigned line)
{
    settings_section *grown = grow(s->sections, s->n_sections, sizeof *grown);
    if (!grown) {
        error_fail("out of memory");
        return NULL;
    }
    s->sections = grown;
    grown[s->n_sections] = (settings_section){.name = keep_text(s, name), .file = file, .line = line};
    if (!grown[s->n_sections].name) {
        error_fail("out of memory");
        return NULL;
    }
    return &grown[s->n_sections++];
}

static tcf_status add_entry(settings *s, settings_section *section, const char *key, const char *value,
                            const char *file, unsigned line)
{
    settings_entry *grown = grow(section->entries, section->n_entries, sizeof *grown);
    if (!grown)
        return error_fail("out of memory");
    section->entries = grown;
    grown[section->n_entries] =
        (settings_entry){.key = keep_text(s, key), .value = keep_text(s, value), .file = file, .line = line};
    if (!grown[section->n_entries].key || !grown[section->n_entries].value)
        return error_fail("out of memory");
    section->n_entries++;
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------- the reader's side -- */

static int wrong(reader *r, const char *message) __attribute__((nonnull));
static int wrong(reader *r, const char *message)
{
    r->failed = 1;
    error_usage("%s:%u: %s", r->file, r->line, message);
    return 0;
}

/* Reads the next line into r->raw, without its end. Returns 0 at the end of the file and after a failure. Of a
 * comment that is too long the rest is skipped. */
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
            return wrong(r, "line has more than 4095 characters; a longer value goes on in the next line, indented");
        else if (++skipped > MOST_BYTES)
            return wrong(r, "comment without end; is this a settings file?");
    }
    if (ferror(r->stream)) {
        r->failed = 1;
        error_usage("%s: cannot be read: %s", r->file, strerror(errno));
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

/* Removes comments, and blanks at both ends. Returns the beginning of what is left. */
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

static int take_section(reader *r, const char *text)
{
    const char *close = strchr(text, ']');
    char name[LONGEST_NAME + 1];

    if (!close)
        return wrong(r, "expected [section], but there is no closing bracket");
    if (close[1])
        return wrong(r, "expected nothing behind [section]");
    text += 1 + strspn(text + 1, " \t");
    while (close > text && (close[-1] == ' ' || close[-1] == '\t'))
        close--;
    size_t length = (size_t)(close - text);
    if (length <= LONGEST_NAME) {
        memcpy(name, text, length);
        name[length] = '\0';
    }
    if (length > LONGEST_NAME || !valid_name(name, 0))
        return wrong(r, "a section's name consists of at most 48 letters, digits, _ and -");
    if (tfind(name, &r->sections, by_name)) {
        r->failed = 1;
        error_usage("%s:%u: section [%s] is there twice; the first one is in line %u", r->file, r->line, name,
                    settings_find(r->s, name)->line);
        return 0;
    }
    settings_section *section = add_section(r->s, name, r->file, r->line);
    if (!section || !tsearch(section->name, &r->sections, by_name)) {
        r->failed = 1;
        error_fail("out of memory");
        return 0;
    }
    forget_names(&r->keys);
    r->in_key = 0;
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
        return wrong(r, "expected 'key = value', [section], or a comment that starts with ; or #");
    if (key > LONGEST_NAME)
        return wrong(r, "a key has at most 48 characters");
    if (r->s->n_sections == 0)
        return wrong(r, "expected a [section] before the first key");
    r->in_key = 1;
    return 1;
}

/* How much of a line inih gets: all, or what ends within the value, and not with a blank, which inih would take away.
 * 0: there is no such place. */
static size_t length_for_inih(const char *text, int continues)
{
    const size_t least = continues ? 1 : strcspn(text, "=") + 1;
    size_t n = strlen(text);

    if (n <= LONGEST_PIECE)
        return n;
    n = LONGEST_PIECE;
    while (n > least && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    return n >= least ? n : 0;
}

/* Called by inih in place of fgets(). */
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
    const size_t n = length_for_inih(text, r->continues);
    if ((n == 0 && *text) || n + 2 + (size_t)r->continues > (size_t)capacity) {
        wrong(r, "expected [section], or key and '=', within the first 197 characters");
        return NULL;
    }
    r->rest = text + n;
    char *end = to;
    if (r->continues)
        *end++ = ' ';
    memcpy(end, text, n);
    end[n] = '\n';
    end[n + 1] = '\0';
    return to;
}

/* --------------------------------------------------------------------------------------------------- inih's side -- */

/* Values grow in place, into room that doubles. `blank`: 1 between two lines. */
static int continue_value(reader *r, settings_section *section, size_t blank, const char *more)
{
    settings_entry *e = &section->entries[section->n_entries - 1];
    size_t a = strlen(e->value), b = strlen(more), n = a + b + 2;

    if (a + b >= MOST_BYTES)
        return wrong(r, "the value is too long (the limit is 16384 characters)");
    if (n > r->room) {
        char *larger = store_room(&r->s->texts, 2 * n);
        if (!larger) {
            r->failed = 1;
            error_fail("out of memory");
            return 0;
        }
        e->value = memcpy(larger, e->value, a + 1);
        r->room = 2 * n;
    }
    char *end = (char *)e->value + a; /* the reader's own text */
    *end = ' ';
    memcpy(end + (a > 0 ? blank : 0), more, b + 1);
    return 1;
}

/* The section is the one that take_section() has added last. */
static int take_entry(void *data, const char *section_name, const char *key, const char *text)
{
    reader *r = data;

    (void)section_name;
    if (r->failed)
        return 0;
    settings_section *section = &r->s->sections[r->s->n_sections - 1]; /* take_key() refuses a key without a section */
    if (r->continues)
        return continue_value(r, section, 1, text) && continue_value(r, section, 0, r->rest);
    if (tfind(key, &r->keys, by_name)) {
        r->failed = 1;
        error_usage("%s:%u: %s.%s: this key is there twice; the first one is in line %u", r->file, r->line,
                    section->name, key, settings_entry_of(section, key)->line);
        return 0;
    }
    tcf_status status = add_entry(r->s, section, key, text, r->file, r->line);
    r->room = 0;
    if (status == TCF_OK && !tsearch(section->entries[section->n_entries - 1].key, &r->keys, by_name))
        status = error_fail("out of memory");
    r->failed = status != TCF_OK;
    return !r->failed && (!*r->rest || continue_value(r, section, 0, r->rest + (*text ? 0 : strspn(r->rest, " \t"))));
}

static tcf_status read_stream(settings *s, FILE *stream, const char *name)
{
    reader *r = calloc(1, sizeof *r);
    if (!r)
        return error_fail("out of memory");
    *r = (reader){.s = s, .stream = stream, .file = name};
    int result = ini_parse_stream(next_line, r, take_entry, r);
    if (result != 0 && !r->failed) {
        r->failed = 1;
        error_usage("%s:%d: cannot be understood", name, result);
    }
    tcf_status status = r->failed ? TCF_ERROR : TCF_OK;
    forget_names(&r->sections);
    forget_names(&r->keys);
    free(r);
    return status;
}

static tcf_status read_named(settings *s, FILE *stream, const char *name)
{
    struct stat st;

    s->file = keep_text(s, name);
    if (!s->file)
        return error_fail("out of memory");
    if (fstat(fileno(stream), &st) == 0 && S_ISDIR(st.st_mode))
        return error_usage("%s: is a folder; expected a settings file", name);
    return read_stream(s, stream, s->file);
}

static tcf_status read_file(settings *s, const char *path)
{
    if (strcmp(path, "-") == 0)
        return read_named(s, stdin, "(standard input)");
    FILE *stream = fopen(path, "re");
    if (!stream)
        return error_usage("%s: cannot open the settings: %s", path, strerror(errno));
    tcf_status status = read_named(s, stream, path);
    fclose(stream);
    return status;
}

/* -------------------------------------------------------------------------------------------------- command line -- */

/* Sets a key as "section.key=value" says, whatever the file says. */
static tcf_status override(settings *s, const char *text, const char *origin)
{
    const char *equals = strchr(text, '='), *dot = NULL;
    char name[LONGEST_NAME + 1], key[LONGEST_NAME + 1];

    for (const char *c = text; equals && c < equals; c++)
        if (*c == '.')
            dot = c;
    if (!dot || (size_t)(dot - text) > LONGEST_NAME || (size_t)(equals - dot) > LONGEST_NAME)
        return error_usage("-o %s: expected section.key=value, such as clc_forward.gamma=0.99", text);
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = '\0';
    memcpy(key, dot + 1, (size_t)(equals - dot - 1));
    key[equals - dot - 1] = '\0';
    if (!valid_name(name, 0) || !valid_name(key, 0))
        return error_usage("-o %s: expected section.key=value, such as clc_forward.gamma=0.99", text);
    settings_section *section = settings_find(s, name);
    if (!section && !(section = add_section(s, name, origin, 0)))
        return TCF_ERROR;
    settings_entry *e = settings_entry_of(section, key);
    if (!e)
        return add_entry(s, section, key, equals + 1, origin, 0);
    if (e->file == origin && strcmp(e->value, equals + 1) != 0)
        error_log(TCF_LOG_WARNING, "-o %s.%s is there twice: '%s' counts, and '%s' does not", name, key, equals + 1,
                  e->value);
    *e = (settings_entry){.key = e->key, .value = keep_text(s, equals + 1), .file = origin};
    return e->value ? TCF_OK : error_fail("out of memory");
}

static settings *make(void)
{
    settings *s = calloc(1, sizeof *s);

    if (!s)
        error_fail("out of memory");
    return s;
}

/* Returns the settings when all went well, else NULL. */
static settings *finish(settings *s, tcf_status status)
{
    if (status == TCF_OK && settings_expand(s) == TCF_OK)
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
    tcf_status status = origin ? TCF_OK : error_fail("out of memory");

    s->file = origin;
    if (status == TCF_OK && path)
        status = read_file(s, path);
    if (status == TCF_OK && n_overrides > MOST_OVERRIDES) /* each of them looks through its section */
        status =
            error_usage("-o: %zu settings are too many for the command line; expected at most %d: write a file for -c",
                        n_overrides, MOST_OVERRIDES);
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
    store_free(s->texts);
    free(s);
}

/* ----------------------------------------------------------------------------------------------------- filters.d -- */

tcf_status settings_defaults(const char *filter, settings **s)
{
    char path[RAW_LINE], moved[PATHS_BYTES];
    struct stat st;

    *s = NULL;
    int n = snprintf(path, sizeof path, "%s/%s.ini", paths_filters_d(moved), filter);
    if (n < 0 || (size_t)n >= sizeof path)
        return TCF_OK;
    if (stat(path, &st) != 0)
        return tcf_error_is_passing(errno) ? error_fail("'%s' cannot be looked at: %s", path, strerror(errno)) : TCF_OK;
    if (!(*s = settings_load(path, NULL, 0)))
        return error_while("reading the defaults of filter '%s'", filter);
    for (size_t i = 0; i < (*s)->n_sections; i++)
        if (strcmp((*s)->sections[i].name, filter) != 0) {
            error_usage("%s:%u: section [%s]: expected [%s] alone", path, (*s)->sections[i].line,
                        (*s)->sections[i].name, filter);
            settings_free(*s);
            *s = NULL;
            return TCF_ERROR;
        }
    return TCF_OK;
}
