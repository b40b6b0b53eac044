/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* chrome: picks the events out of the JSON, one at a time. yajl calls back for each value; the depth of arrays and
 * objects says where it stands. */
#include "chrome.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

enum { SCRATCH_MOST = 64 << 20 };
enum { KEY_OTHER = -1, KEY_ARGUMENTS = -2, KEY_EVENTS = -3, KEY_HEAD = -4 };

static uint64_t position(const chrome_state *st)
{
    return st->before + yajl_get_bytes_consumed(st->parser);
}

static int fail(chrome_state *st)
{
    st->failed = 1;
    return 0; /* yajl stops */
}

/* ---------------------------------------------------------------------------------------------------------- texts --
 */

static int make_room(chrome_state *st, size_t n)
{
    const tcf_reader *self = st->reader;

    if (n >= SCRATCH_MOST - st->scratch_used) {
        self->host->fail(self, "byte %llu: the texts of an event have more than %d bytes",
                         (unsigned long long)position(st), (int)SCRATCH_MOST);
        return fail(st);
    }
    const uint32_t room = 2 * (st->scratch_used + (uint32_t)n + 1);
    char *grown = realloc(st->scratch, room);
    if (!grown) {
        self->host->fail(self, "out of memory for an event");
        return fail(st);
    }
    st->scratch = grown;
    st->scratch_room = room;
    return 1;
}

static inline uint64_t load(const char *from)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline int has_zero(uint64_t v)
{
    return ((v - 0x0101010101010101u) & ~v & 0x8080808080808080u) != 0;
}

static void blank_zeros(char *text, size_t n)
{
    for (char *zero = text; (zero = memchr(zero, '\0', (size_t)(text + n - zero))); zero++)
        *zero = ' ';
}

/* Copies a text into the scratch memory of the event. A zero byte inside of it becomes a blank. Most texts are short.
 */
static inline int keep(chrome_state *st, const void *text, size_t n, int is_number, span *s)
{
    const char *from = text;

    if (__builtin_expect(n + 1 > st->scratch_room - st->scratch_used, 0) && !make_room(st, n))
        return 0;
    char *to = st->scratch + st->scratch_used;
    if (n < 8) {
        for (size_t i = 0; i < n; i++)
            to[i] = from[i] ? from[i] : ' ';
    } else if (n <= 16) {
        const uint64_t first = load(from), last = load(from + n - 8);
        memcpy(to, &first, sizeof first);
        memcpy(to + n - 8, &last, sizeof last);
        if (has_zero(first) || has_zero(last))
            blank_zeros(to, n);
    } else {
        memcpy(to, text, n);
        blank_zeros(to, n);
    }
    to[n] = '\0';
    *s = (span){st->scratch_used, (uint32_t)n, 1, (uint8_t)is_number};
    st->scratch_used += (uint32_t)n + 1;
    return 1;
}

static int is_event_level(const chrome_state *st)
{
    return st->events_depth > 0 && st->depth == st->events_depth + 1;
}

static int is_argument_level(const chrome_state *st)
{
    return st->is_in_arguments && st->depth == st->events_depth + 2;
}

static int take_value(chrome_state *st, const void *text, size_t n, int is_number)
{
    chrome_event *e = &st->event;

    if (is_event_level(st) && st->key >= 0)
        return keep(st, text, n, is_number, &e->field[st->key]);
    if (is_argument_level(st) && st->has_argument_key) {
        if (e->n_arguments == ARGUMENTS_MOST) {
            e->more_arguments++;
            return 1;
        }
        return keep(st, text, n, is_number, &e->argument[e->n_arguments++].value);
    }
    if (st->events_depth == 0 && st->is_in_head && st->depth == 2) {
        span value;
        st->scratch_used = 0;
        if (!keep(st, text, n, is_number, &value))
            return 0;
        chrome_take_head(st, st->event.argument[0].key, text_of(st, value));
        return 1;
    }
    if (st->events_depth > 0 && st->depth == st->events_depth) {
        st->reader->host->fail(st->reader, "byte %llu: a value among the events that is no object",
                               (unsigned long long)position(st));
        return fail(st);
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------------ callbacks --
 */

static int on_string(void *data, const unsigned char *text, size_t n)
{
    return take_value(data, text, n, 0);
}

static int on_number(void *data, const char *text, size_t n)
{
    return take_value(data, text, n, 1);
}

static int on_null(void *data)
{
    const chrome_state *st = data;
    return st->events_depth > 0 && st->depth == st->events_depth ? take_value(data, "", 0, 0) : 1;
}

static int on_boolean(void *data, int value)
{
    const chrome_state *st = data;
    (void)value;
    return st->events_depth > 0 && st->depth == st->events_depth ? take_value(data, "", 0, 0) : 1;
}

static int is(const unsigned char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* Called for each member of each event. */
static int field_of(const unsigned char *text, size_t n)
{
#define IS(word) (memcmp(text, word, sizeof(word) - 1) == 0)
    switch (n) {
    case 2:
        return IS("ph") ? FIELD_PHASE : IS("ts") ? FIELD_TIME : IS("id") ? FIELD_ID : KEY_OTHER;
    case 3:
        return IS("pid")   ? FIELD_PID
               : IS("tid") ? FIELD_TID
               : IS("cat") ? FIELD_CATEGORY
               : IS("dur") ? FIELD_DURATION
               : IS("id2") ? FIELD_ID2
                           : KEY_OTHER;
    case 4:
        return IS("name") ? FIELD_NAME : IS("args") ? KEY_ARGUMENTS : KEY_OTHER;
    default:
        return KEY_OTHER;
    }
#undef IS
}

/* Of most events few arguments count, or none. The phase mostly comes before them. */
static int is_of_use(const chrome_state *st, const unsigned char *text, size_t n)
{
    const span phase = st->event.field[FIELD_PHASE];

    if (st->key == FIELD_ID2 || phase.n != 1)
        return 1;
    switch (*text_of(st, phase)) {
    case 'B':
    case 'E':
        return 0;
    case 'X':
        return chrome_is_kineto((const char *)text, n);
    case 'i':
    case 'I':
        return is(text, n, "msg_length") || is(text, n, "msg_tag");
    default:
        return 1;
    }
}

static void keep_key(chrome_state *st, chrome_argument *a, const unsigned char *text, size_t n)
{
    const size_t kept = n < KEY_MOST ? n : KEY_MOST - 1;

    memcpy(a->key, text, kept);
    a->key[kept] = '\0';
    st->has_argument_key = kept > 0 && *a->key;
}

static int on_key(void *data, const unsigned char *text, size_t n)
{
    chrome_state *st = data;

    if (st->events_depth == 0) {
        if (st->depth == 1)
            st->key = is(text, n, "traceEvents") ? KEY_EVENTS : is(text, n, "distributedInfo") ? KEY_HEAD : KEY_OTHER;
        else if (st->is_in_head && st->depth == 2)
            keep_key(st, &st->event.argument[0], text, n);
    } else if (is_event_level(st)) {
        st->key = field_of(text, n);
    } else if (is_argument_level(st)) {
        st->has_argument_key = 0;
        if (is_of_use(st, text, n))
            keep_key(st, &st->event.argument[st->event.n_arguments], text, n); /* there is one more than are counted */
    }
    return 1;
}

static int on_map_start(void *data)
{
    chrome_state *st = data;

    st->depth++;
    if (st->depth == 2 && st->events_depth == 0)
        st->is_in_head = !st->top_is_array && st->key == KEY_HEAD;
    if (is_event_level(st)) {
        memset(st->event.field, 0, sizeof st->event.field);
        st->event.n_arguments = st->event.more_arguments = 0;
        st->event.at = position(st) - 1;
        st->scratch_used = 0;
        st->key = KEY_OTHER;
    }
    /* `id2` is an object with one id, `args` one with arguments: id2's counts as an argument, too. */
    if (st->events_depth > 0 && st->depth == st->events_depth + 2) {
        st->is_in_arguments = st->key == KEY_ARGUMENTS || st->key == FIELD_ID2;
        st->has_argument_key = 0;
    }
    return 1;
}

static int on_map_end(void *data)
{
    chrome_state *st = data;

    if (is_event_level(st)) {
        st->n_events++;
        if (chrome_take(st) != TCF_OK)
            return fail(st);
    }
    if (st->events_depth > 0 && st->depth == st->events_depth + 2)
        st->is_in_arguments = 0;
    if (st->depth == 2)
        st->is_in_head = 0;
    st->depth--;
    return 1;
}

static int on_array_start(void *data)
{
    chrome_state *st = data;

    if (st->events_depth > 0 && st->depth == st->events_depth)
        return take_value(st, "", 0, 0);
    st->depth++;
    if (st->depth == 1)
        st->top_is_array = 1;
    if (st->events_depth == 0 && (st->depth == 1 || (st->depth == 2 && !st->top_is_array && st->key == KEY_EVENTS)))
        st->events_depth = st->depth;
    st->has_events |= st->events_depth > 0;
    return 1;
}

static int on_array_end(void *data)
{
    chrome_state *st = data;

    if (st->depth == st->events_depth)
        st->events_depth = 0;
    st->depth--;
    st->key = KEY_OTHER;
    return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_boolean,
                                         .yajl_number = on_number,
                                         .yajl_string = on_string,
                                         .yajl_start_map = on_map_start,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_map_end,
                                         .yajl_start_array = on_array_start,
                                         .yajl_end_array = on_array_end};

/* -------------------------------------------------------------------------------------------------------- parsing --
 */

tcf_status chrome_parse_start(chrome_state *st)
{
    st->depth = st->events_depth = 0;
    st->key = KEY_OTHER;
    st->parser = yajl_alloc(&callbacks, NULL, st);
    if (!st->parser)
        return st->reader->host->fail(st->reader, "out of memory");
    yajl_config(st->parser, yajl_dont_validate_strings, 1); /* names are bytes of unknown origin */
    return TCF_OK;
}

/* yajl's message, without its name and the end of the line. */
static tcf_status malformed(chrome_state *st)
{
    const tcf_reader *self = st->reader;
    unsigned char *said = yajl_get_error(st->parser, 0, NULL, 0);
    const char *text = said ? (const char *)said : "malformed";
    const char *colon = strstr(text, ": ");
    char line[200];

    snprintf(line, sizeof line, "%.*s", (int)strcspn(colon ? colon + 2 : text, "\n"), colon ? colon + 2 : text);
    if (said)
        yajl_free_error(st->parser, said);
    return self->host->fail(self, "byte %llu: malformed JSON: %s", (unsigned long long)position(st), line);
}

/* The last of the n bytes, or of those in front of them, that is no blank. */
static unsigned char last_of(const chrome_state *st, const unsigned char *bytes, size_t n)
{
    while (n > 0 && isspace(bytes[n - 1]))
        n--;
    return n > 0 ? bytes[n - 1] : st->last;
}

/* Has the parser stopped at the end of the array of events, behind a comma? Many programs write one behind each event.
 */
static int is_at_last_comma(const chrome_state *st, const unsigned char *bytes, size_t at)
{
    return st->events_depth > 0 && st->depth == st->events_depth && bytes[at] == ']' && last_of(st, bytes, at) == ',';
}

/* Another parser, which has come into the array of events as well. */
static tcf_status begin_in_events(chrome_state *st)
{
    const char *text = st->top_is_array ? "[" : "{\"traceEvents\":[";

    yajl_free(st->parser);
    if (chrome_parse_start(st) != TCF_OK)
        return TCF_ERROR;
    return yajl_parse(st->parser, (const unsigned char *)text, strlen(text)) == yajl_status_ok ? TCF_OK : malformed(st);
}

tcf_status chrome_parse(chrome_state *st, const unsigned char *bytes, size_t n)
{
    size_t passed = st->before == 0 ? chrome_byte_order_mark(bytes, n) : 0;

    for (;;) {
        st->before += passed;
        bytes += passed;
        n -= passed;
        if (yajl_parse(st->parser, bytes, n) == yajl_status_ok)
            break;
        if (st->failed)
            return TCF_ERROR;
        passed = yajl_get_bytes_consumed(st->parser);
        passed -= passed > 0;
        if (passed >= n || !is_at_last_comma(st, bytes, passed))
            return malformed(st);
        if (begin_in_events(st) != TCF_OK)
            return TCF_ERROR;
    }
    st->before += n;
    st->last = last_of(st, bytes, n);
    return TCF_OK;
}

tcf_status chrome_parse_end(chrome_state *st)
{
    const tcf_reader *self = st->reader;

    if (st->depth == 1 && st->top_is_array) { /* the format allows that; nothing tells it from a file that was cut */
        self->host->log(self, TCF_LOG_WARNING, "the array of events isn't closed; the end of the file may be missing");
        return TCF_OK;
    }
    if (st->depth > 0)
        return self->host->fail(self, "byte %llu: the file ends in the middle of its JSON",
                                (unsigned long long)st->before);
    if (!st->has_events)
        return self->host->fail(self, "there is no array of events: neither 'traceEvents' in an object, nor an array");
    if (yajl_complete_parse(st->parser) != yajl_status_ok)
        return st->failed ? TCF_ERROR : malformed(st);
    return TCF_OK;
}

void chrome_parse_free(chrome_state *st)
{
    if (st->parser)
        yajl_free(st->parser);
    free(st->scratch);
}
