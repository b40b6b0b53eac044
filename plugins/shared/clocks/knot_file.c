/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See knot_file.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* asprintf() */
#endif
#include "knot_file.h"
#include "correction.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <private/output_host.h>
#include <private/time_units.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 1024, FIELDS = 4 };

struct reader {
    const char *path;
    const tcf_self *self;
    tcf_clock_knot *knots;
    uint64_t n, line;
    uint32_t capacity;
    uint32_t section; /* INI: the location of the section; TCF_NONE: before the first section */
    int csv;          /* the header line was read */
    char *why;
};

static int bad(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int bad(struct reader *r, const char *format, ...)
{
    va_list arguments;
    int n = snprintf(r->why, KNOT_FILE_WHY, "%s:%" PRIu64 ": ", r->path, r->line > 0 ? r->line : 1);

    va_start(arguments, format);
    if (n >= 0 && n < KNOT_FILE_WHY)
        vsnprintf(r->why + n, (size_t)(KNOT_FILE_WHY - n), format, arguments);
    va_end(arguments);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- numbers -- */

/* Returns the length of the decimal number at the start of text, 0: there is none. *whole: it has neither fraction nor
 * exponent. */
static size_t number_length(const char *text, int *whole)
{
    size_t i = strspn(text, "+-") == 1, digits = strspn(text + i, "0123456789");

    *whole = 1;
    i += digits;
    if (text[i] == '.') {
        size_t more = strspn(text + i + 1, "0123456789");
        i += 1 + more;
        digits += more;
        *whole = 0;
    }
    if (digits > 0 && (text[i] == 'e' || text[i] == 'E')) {
        size_t sign = text[i + 1] == '+' || text[i + 1] == '-', more = strspn(text + i + 1 + sign, "0123456789");
        i += more > 0 ? 1 + sign + more : 0;
        *whole &= more == 0;
    }
    return digits > 0 ? i : 0;
}

/* Ticks of "123", "123 ticks" or "1.5us". Whole ticks stay exact (`whole`, with magnitude and sign). */
struct amount {
    int whole, negative;
    uint64_t magnitude;
    double ticks;
};

static int parse_amount(struct reader *r, const char *what, const char *text, struct amount *to)
{
    char number[64];
    int whole;
    size_t n = number_length(text, &whole);
    const char *unit = text + n + strspn(text + n, " \t");

    if (n == 0 || n >= sizeof number)
        return bad(r, "'%s' is no %s: expected ticks (5000000) or a number with a unit (1.5s, 20ms, 3us, 100ns)", text,
                   what);
    memcpy(number, text, n);
    number[n] = '\0';
    int in_ticks = *unit == '\0' || strcmp(unit, "ticks") == 0;
    double value = strtod(number, NULL);
    if (!in_ticks && !tcf_time_from(unit, 1, &value))
        return bad(r, "'%s': unknown unit '%s'; expected ps, ns, us, ms, s, min, h, ticks, or none for ticks", text,
                   unit);
    *to = (struct amount){.whole = whole && in_ticks, .negative = text[0] == '-'};
    to->ticks = in_ticks ? value : value * (double)r->self->defs->clock.resolution;
    if (to->whole) {
        errno = 0;
        to->magnitude = strtoull(number + strspn(number, "+-"), NULL, 10);
        if (errno == ERANGE)
            return bad(r, "'%s': more than 64 bits can hold", text);
    } else {
        double rounded = fabs(rint(to->ticks));
        if (!(rounded < 18446744073709551616.0))
            return bad(r, "'%s': more than 64 bits can hold", text);
        to->magnitude = (uint64_t)rounded;
    }
    return 1;
}

static int parse_knot(struct reader *r, const char *time, const char *offset, const char *error, tcf_clock_knot *to)
{
    struct amount a;

    if (!parse_amount(r, "time", time, &a))
        return 0;
    if (a.negative && a.magnitude > 0)
        return bad(r, "time '%s' is negative", time);
    to->time = a.magnitude;
    if (!parse_amount(r, "offset", offset, &a))
        return 0;
    if (a.magnitude > INT64_MAX)
        return bad(r, "offset '%s': more than 63 bits can hold", offset);
    to->offset = a.negative ? -(int64_t)a.magnitude : (int64_t)a.magnitude;
    to->error = (double)INFINITY;
    if (!error || !*error)
        return 1;
    if (!parse_amount(r, "error", error, &a))
        return 0;
    if (a.negative && a.ticks < 0)
        return bad(r, "error '%s' is negative", error);
    to->error = a.ticks;
    return 1;
}

/* ----------------------------------------------------------------------------------------------------- locations -- */

static int same_name(const char *a, const char *b, size_t n)
{
    return a && strlen(a) == n && memcmp(a, b, n) == 0;
}

/* Finds a location by its name, or by that of its process: then it is the first location of the process. */
static int find_name(struct reader *r, const char *name, size_t n, uint32_t *to)
{
    const tcf_definitions *defs = r->self->defs;
    uint32_t locations = 0, processes = 0, process = TCF_NONE;

    for (uint32_t l = 0; l < defs->n_locations; l++)
        if (same_name(tcf_location_at(defs, l)->name, name, n) && locations++ == 0)
            *to = l;
    for (uint32_t g = 0; g < defs->n_location_groups && locations != 1; g++)
        if (same_name(tcf_location_group_at(defs, g)->name, name, n) && processes++ == 0)
            process = g;
    if (locations == 1)
        return 1;
    if (processes == 1)
        for (uint32_t l = 0; l < defs->n_locations; l++)
            if (tcf_location_at(defs, l)->group == process) {
                *to = l;
                return 1;
            }
    if (locations + processes > 1)
        return bad(r, "%u locations or processes have the name '%.*s': give the id of the location",
                   locations + processes, (int)n, name);
    return bad(r, "no location or process of the trace has the name '%.*s'", (int)n, name);
}

static int parse_location(struct reader *r, const char *text, uint32_t *to)
{
    size_t n = strlen(text), digits = strspn(text, "0123456789");

    if (n >= 2 && text[0] == '"' && text[n - 1] == '"')
        return find_name(r, text + 1, n - 2, to);
    if (n == 0 || digits != n)
        return bad(r, "'%s' is no location: expected an id (a whole number), or a name in double quotes", text);
    errno = 0;
    *to = r->self->host->find(r->self, TCF_REF_LOCATION, strtoull(text, NULL, 10));
    return errno == 0 && *to != TCF_NONE ? 1 : bad(r, "the trace has no location with the id %s", text);
}

/* --------------------------------------------------------------------------------------------------------- lines -- */

static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
        text[--n] = '\0';
    return text;
}

/* Cuts a comment off: the whole line, or all from a blank and # on. Names in quotes may contain both. */
static void cut_comment(char *text)
{
    int quoted = 0;

    if (*text == '#' || *text == ';')
        *text = '\0';
    for (char *c = text; *c; c++) {
        quoted ^= *c == '"';
        if (!quoted && *c == '#' && (c[-1] == ' ' || c[-1] == '\t')) {
            *c = '\0';
            break;
        }
    }
}

/* Splits at commas outside quotes. Returns the number of fields, at most FIELDS + 1. */
static int split(char *text, char *field[FIELDS])
{
    int n = 0, quoted = 0;
    char *start = text;

    for (char *c = text;; c++) {
        char end = *c;
        quoted ^= end == '"';
        if (end && (quoted || end != ','))
            continue;
        *c = '\0';
        if (n == FIELDS)
            return FIELDS + 1;
        field[n++] = trim(start);
        start = c + 1;
        if (!end)
            return n;
    }
}

static int add(struct reader *r, const tcf_clock_knot *knot)
{
    if (r->n == KNOT_FILE_MOST)
        return bad(r, "more than %d knots", KNOT_FILE_MOST);
    if (TCF_GROW(&r->knots, &r->capacity, r->n) != 0)
        return bad(r, "out of memory for more than %" PRIu64 " knots", r->n);
    r->knots[r->n] = *knot;
    r->knots[r->n++].reserved = (uint32_t)r->line; /* line, until check() */
    return 1;
}

static int csv_line(struct reader *r, char *text)
{
    static const char expected[] = "expected location,time,offset,error";
    char *field[FIELDS];
    int n = split(text, field);
    tcf_clock_knot knot = {0};

    if (!r->csv) {
        if (n < 3 || n > FIELDS || strcmp(field[0], "location") || strcmp(field[1], "time") ||
            strcmp(field[2], "offset") || (n == FIELDS && strcmp(field[3], "error")))
            return bad(r, "no header line: %s, or an INI section [LOCATION]", expected);
        r->csv = 1;
        return 1;
    }
    if (n < 3 || n > FIELDS)
        return bad(r, "%d field%s: %s", n, n == 1 ? "" : "s", n > FIELDS ? "there are more than 4" : expected);
    return parse_location(r, field[0], &knot.location) &&
           parse_knot(r, field[1], field[2], n == FIELDS ? field[3] : NULL, &knot) && add(r, &knot);
}

static int ini_line(struct reader *r, char *text)
{
    tcf_clock_knot knot = {.location = r->section};
    size_t n = strlen(text);

    if (text[0] == '[') {
        if (text[n - 1] != ']')
            return bad(r, "no ] at the end of '%s'", text);
        text[n - 1] = '\0';
        return parse_location(r, trim(text + 1), &r->section);
    }
    char *equals = strchr(text, '=');
    if (!equals)
        return bad(r, "'%s': expected time = offset, error", text);
    char *comma = strchr(equals, ',');
    if (comma && strchr(comma + 1, ','))
        return bad(r, "'%s': more than an offset and an error, expected time = offset, error", text);
    *equals = '\0';
    if (comma)
        *comma = '\0';
    return parse_knot(r, trim(text), trim(equals + 1), comma ? trim(comma + 1) : NULL, &knot) && add(r, &knot);
}

static int read_lines(struct reader *r, FILE *file)
{
    static const char mark[] = "\xef\xbb\xbf"; /* spreadsheets put it in front of UTF-8 */
    char line[LINE];

    while (fgets(line, sizeof line, file)) {
        r->line++;
        if (!strchr(line, '\n') && !feof(file))
            return bad(r, "longer than %d characters", LINE - 2);
        char *text = trim(line + (r->line == 1 && memcmp(line, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0));
        cut_comment(text);
        text = trim(text);
        if (*text && !((text[0] == '[' && !r->csv) || r->section != TCF_NONE ? ini_line(r, text) : csv_line(r, text)))
            return 0;
    }
    if (ferror(file))
        return bad(r, "cannot be read: %s", strerror(errno));
    return r->n > 0 ? 1 : bad(r, "the file has no knots");
}

/* --------------------------------------------------------------------------------------------------- whole files -- */

static int by_location_and_time(const void *a, const void *b)
{
    const tcf_clock_knot *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->location, y->location), TCF_ORDER(x->time, y->time));
}

/* What a survey has learned is in order: many domains begin with it. */
void knots_sort(tcf_clock_knot *knots, uint64_t n)
{
    uint64_t i = 1;

    while (i < n && by_location_and_time(&knots[i - 1], &knots[i]) <= 0)
        i++;
    if (i < n)
        tcf_sort(knots, n, sizeof *knots, by_location_and_time);
}

/* Checks that the knots, in their order, make a correction of each location. Equal knots count as one. */
static int check(struct reader *r)
{
    for (uint64_t i = 1; i < r->n; i++) {
        const tcf_clock_knot *a = &r->knots[i - 1], *b = &r->knots[i];
        const tcf_location *l = tcf_location_at(r->self->defs, b->location);
        int same = a->time == b->time && a->offset == b->offset;
        clock_piece piece;
        uint32_t at;
        const char *why = same || a->location != b->location ? NULL : clock_pieces(a, 2, &piece, &at);
        if (!why)
            continue;
        r->line = a->reserved > b->reserved ? a->reserved : b->reserved;
        return bad(r,
                   "location %" PRIu64 " (%.60s), from time %" PRIu64 " (offset %" PRId64 ", line %u) to time %" PRIu64
                   " (offset %" PRId64 ", line %u): %s",
                   l->id, l->name, a->time, a->offset, a->reserved, b->time, b->offset, b->reserved, why);
    }
    for (uint64_t i = 0; i < r->n; i++)
        r->knots[i].reserved = 0;
    return 1;
}

int knot_file_read(const tcf_self *self, const char *path, tcf_clock_knot **knots, uint64_t *n, char why[KNOT_FILE_WHY])
{
    struct reader r = {.path = path, .self = self, .section = TCF_NONE, .why = why};
    FILE *file = fopen(path, "r");
    int read = 0;

    if (file) {
        read = read_lines(&r, file);
        fclose(file);
    } else {
        snprintf(why, KNOT_FILE_WHY, "'%s' cannot be opened: %s", path, strerror(errno));
    }
    knots_sort(r.knots, r.n);
    read = read && check(&r);
    if (!read) {
        free(r.knots);
        r.knots = NULL;
        r.n = 0;
    }
    *knots = r.knots;
    *n = r.n;
    return read;
}

int knot_file_may_be(const char *path, int overwrite, const char *parameter, char why[KNOT_FILE_WHY])
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

    *why = '\0';
    if (!folder)
        snprintf(why, KNOT_FILE_WHY, "out of memory");
    else if (!overwrite && access(path, F_OK) == 0)
        snprintf(why, KNOT_FILE_WHY, "it exists already (%s = yes replaces it)", parameter);
    else if (access(folder, W_OK | X_OK) != 0)
        snprintf(why, KNOT_FILE_WHY, "it cannot be created: %s", strerror(errno));
    free(folder);
    return !*why;
}

static void write_knots(FILE *file, const char *title, const tcf_definitions *defs, const tcf_clock_knot *knots,
                        uint64_t n)
{
    if (title)
        fprintf(file, "# %s\n", title);
    fputs("location,time,offset,error\n", file);
    for (uint64_t i = 0; i < n; i++) {
        fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRId64 ",", tcf_location_at(defs, knots[i].location)->id,
                knots[i].time, knots[i].offset);
        if (isfinite(knots[i].error))
            fprintf(file, "%.17g", knots[i].error);
        fputc('\n', file);
    }
}

tcf_status knot_file_write(const tcf_self *self, const char *path, int overwrite, const char *title,
                           const tcf_clock_knot *knots, uint64_t n)
{
    const tcf_output_host *files = tcf_output_host_of(self);
    tcf_output o;

    if (files->open("knots", path, &o) != TCF_OK)
        return TCF_ERROR;
    FILE *file = fdopen(o.fd, "w");
    int failed = !file;
    if (file) {
        write_knots(file, title, self->defs, knots, n);
        failed = ferror(file) != 0;
        failed |= fclose(file) != 0;
    } else {
        close(o.fd);
    }
    tcf_status status = failed ? self->host->fail(self, "'%s' cannot be written: %s", path, strerror(errno))
                               : files->publish("knots", &o, overwrite);
    free(o.name);
    return status;
}
