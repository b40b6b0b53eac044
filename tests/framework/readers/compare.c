/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* compare [options] FOLDER: reads the archive FOLDER/traces.otf2 by the direct reader and by libotf2, and compares all
 * that they deliver, event by event. FOLDER is a copy that may be changed.
 *
 *   --swap          first turns the byte order of some chunks of event files and local definition files, then that of
 *                   all; both readers must deliver what they delivered before
 *   --strange       first makes every seventh record with a length one of an unknown kind
 *   --cuts N        then cuts event files at N places, and compares again, with and without `salvage`
 *   --flips N       then flips N bits of event files, one at a time, likewise
 *   --flip N,BYTE,BIT  then flips one bit of N.evt: both readers must end at the same event, or refuse it for the same
 *                   reason
 *   --seed N        other places (1)
 *
 * Sound files are read whole, and for some kinds of events alone. On a damaged file one reader may refuse what the
 * other one delivers; where both deliver, they deliver the same, and with `salvage` the same up to the end of the
 * shorter location. Exit status: 0 all is the same. */
#include "framework/base/error.h"
#include "framework/source/otf2/otf2_source.h"

#include <dirent.h>
#include <getopt.h>
#include <otf2/otf2.h>
#include <private/roles.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/events.h>
#include <unistd.h>

enum { MOST_FILES = 4096, PATH_BYTES = 4096 };

static char folder[PATH_BYTES - 512], anchor[PATH_BYTES];
static uint64_t state = 1;

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 11) % below;
}

/* --------------------------------------------------------------------------------------------------------- files -- */

struct bytes {
    uint8_t *at;
    uint64_t n, capacity;
};

static void put(struct bytes *to, const void *from, size_t n)
{
    if (to->n + n > to->capacity) {
        to->capacity = 2 * (to->n + n) + 4096;
        to->at = realloc(to->at, to->capacity);
        if (!to->at)
            die("out of memory");
    }
    if (n > 0)
        memcpy(to->at + to->n, from, n);
    to->n += n;
}

static void load(const char *path, struct bytes *to)
{
    uint8_t buffer[65536];
    FILE *f = fopen(path, "rb");

    if (!f)
        die("%s: cannot be opened", path);
    to->n = 0;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        put(to, buffer, n);
    fclose(f);
}

static void store(const char *path, const uint8_t *at, uint64_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(at, 1, n, f) != n || fclose(f) != 0)
        die("%s: cannot be written", path);
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

struct outcome {
    tcf_status status;
    uint32_t n_locations;
    struct bytes *events;     /* of each location, in a form that is compared */
    struct bytes *offsets;    /* of each location's clock */
    uint64_t *n;              /* their number */
    source_ends *ends;        /* the times of each location's first and last events */
    uint64_t unknown, losses; /* counts */
    uint64_t others;
    char message[512];
};

static void put_number(struct bytes *to, uint64_t value)
{
    put(to, &value, sizeof value);
}

/* The id of a reference to something undefined, whose index depends on the order of reading. */
static uint64_t meaning(const tcf_definitions *d, int role, uint64_t value)
{
    if (role == ROLE_PLAIN || value == TCF_NONE || !(value & TCF_DANGLING))
        return value;
    return ~d->ids[role].dangling[value & ~(uint64_t)TCF_DANGLING];
}

#define PLAIN(record, ctype, role, field)                                                                              \
    put_number(to, meaning(d, ROLE_##role, (uint64_t)r->record.field));                                                \
    length = (uint64_t)r->record.field;
#define ARRAY(record, ctype, role, field) ARRAY_##role(record, field)
#define ARRAY_TYPE(record, field) put(to, tcf_at(v, r->record.field), length);
#define ARRAY_METRIC_VALUE(record, field) put(to, tcf_at(v, r->record.field), length * sizeof(uint64_t));
#define ARRAY_STRING(record, field)                                                                                    \
    for (const uint32_t *string = tcf_at(v, r->record.field); length > 0; length--)                                    \
        put_number(to, meaning(d, ROLE_STRING, *string++));
#define NONE(record)

static void put_event(struct bytes *to, const tcf_definitions *d, const tcf_slice *v, uint32_t i)
{
    const tcf_rec *r = &v->rec[i];
    const tcf_attributes *list = tcf_attributes_of(v, i);
    uint64_t length = 0;

    put_number(to, v->time[i]);
    put_number(to, v->kind[i]);
    switch (v->kind[i]) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number:                                                                                                       \
        FIELDS break;
        TCF_EVENT_TABLE(E, PLAIN, ARRAY, NONE)
#undef E
    default:
        die("kind %u", v->kind[i]);
    }
    put_number(to, list ? list->n : 0);
    for (uint32_t k = 0; list && k < list->n; k++) {
        put_number(to, list->at[k].value);
        put_number(to, meaning(d, ROLE_ATTRIBUTE, list->at[k].attribute));
        put_number(to, list->at[k].type);
    }
}

/* With `part` only some kinds and regions are wanted. */
static struct part {
    int some;
    source_wanted wanted;
    uint8_t regions[64];
} part;

static void choose_part(void)
{
    part.some = 1;
    part.wanted.n_regions = sizeof part.regions;
    part.wanted.regions = draw(2) ? part.regions : NULL;
    for (size_t i = 0; i < sizeof part.regions; i++)
        part.regions[i] = draw(2) != 0;
    for (size_t i = 0; i < sizeof part.wanted.kinds; i++)
        part.wanted.kinds[i] = draw(2) != 0;
    part.wanted.kinds[TCF_ENTER] = part.wanted.kinds[TCF_LEAVE] = 1;
}

/* Reads the locations in turn, slices of any size of each. The sizes are those of all calls, as indices of undefined
 * ids depend on the order of reading. */
static void read_events(source *src, struct outcome *o)
{
    /* Where slices are short, a location of the direct reader has a buffer of its own. */
    slice_layout layout = {.capacity = draw(2) ? 600 : 150, .arena = 2048};
    pool *p = pool_new(&layout, 1);
    uint8_t *ended = calloc(o->n_locations + 1, 1);
    uint32_t open = o->n_locations;

    for (uint32_t l = 0; open > 0 && o->status == TCF_OK; l = (l + 1) % o->n_locations) {
        int end = 0;
        if (ended[l])
            continue;
        slice *s = slice_get(p, l);
        s->v.first = o->n[l];
        o->status = source_read(src, l, s, (uint32_t)draw(600) + 1, &end);
        for (uint32_t i = 0; o->status == TCF_OK && i < s->v.n; i++)
            put_event(&o->events[l], source_definitions(src), &s->v, i);
        if (s->v.n > 0)
            o->ends[l] =
                (source_ends){.first = o->n[l] == 0 ? s->v.time[0] : o->ends[l].first, .last = s->v.time[s->v.n - 1]};
        o->n[l] += s->v.n;
        slice_put(p, s);
        ended[l] = (uint8_t)end;
        open -= end != 0;
    }
    free(ended);
    pool_delete(p);
}

static struct outcome read_archive(int reader, int salvage)
{
    source_options options = {.reader = reader, .salvage = salvage};
    struct outcome o = {.status = TCF_ERROR};
    uint32_t losses;
    source *src = otf2_source_open(anchor, &options);

    if (src) {
        const tcf_definitions *d = source_definitions(src);
        o.status = TCF_OK;
        o.n_locations = d->n_locations;
        o.others = d->n_local_others;
        o.events = calloc(o.n_locations + 1, sizeof *o.events);
        o.n = calloc(o.n_locations + 1, sizeof *o.n);
        o.ends = calloc(o.n_locations + 1, sizeof *o.ends);
        if (source_keep(src, part.some ? &part.wanted : NULL) == TCF_OK)
            read_events(src, &o);
        o.offsets = calloc(o.n_locations + 1, sizeof *o.offsets);
        for (uint32_t l = 0; l < o.n_locations; l++)
            put(&o.offsets[l], d->locations[l].clock_offsets,
                d->locations[l].n_clock_offsets * sizeof *d->locations[l].clock_offsets);
        o.unknown = source_unknown_events(src);
        source_losses(src, &losses);
        o.losses = losses;
        source_close(src);
    }
    snprintf(o.message, sizeof o.message, "%s", o.status == TCF_OK ? "" : error_text());
    return o;
}

static void drop(struct outcome *o)
{
    for (uint32_t l = 0; l < o->n_locations; l++) {
        free(o->events[l].at);
        free(o->offsets[l].at);
    }
    free(o->events);
    free(o->offsets);
    free(o->n);
    free(o->ends);
}

/* Is what `a` delivers of each location what `b` does? With losses one may end earlier. */
static void expect_same(const char *what, const struct outcome *a, const struct outcome *b)
{
    int lossy = a->losses > 0 || b->losses > 0;

    if (lossy) {
        for (uint32_t l = 0; l < a->n_locations; l++) {
            uint64_t n = a->events[l].n < b->events[l].n ? a->events[l].n : b->events[l].n;
            if (n > 0 && memcmp(a->events[l].at, b->events[l].at, n) != 0)
                die("%s: location %u, %llu and %llu events, differ where both have events", what, l,
                    (unsigned long long)a->n[l], (unsigned long long)b->n[l]);
        }
        return;
    }
    if (a->n_locations != b->n_locations || a->unknown != b->unknown || a->others != b->others)
        die("%s: %u and %u locations, %llu and %llu unknown records, %llu and %llu unused local definitions", what,
            a->n_locations, b->n_locations, (unsigned long long)a->unknown, (unsigned long long)b->unknown,
            (unsigned long long)a->others, (unsigned long long)b->others);
    for (uint32_t l = 0; l < a->n_locations; l++)
        if (a->n[l] != b->n[l] || a->events[l].n != b->events[l].n || a->offsets[l].n != b->offsets[l].n ||
            (a->offsets[l].n > 0 && memcmp(a->offsets[l].at, b->offsets[l].at, a->offsets[l].n) != 0) ||
            (a->events[l].n > 0 && memcmp(a->events[l].at, b->events[l].at, a->events[l].n) != 0)) {
            uint64_t at = 0;
            while (at < a->events[l].n && at < b->events[l].n && a->events[l].at[at] == b->events[l].at[at])
                at++;
            die("%s: location %u: %llu and %llu events, which differ at byte %llu of %llu and %llu", what, l,
                (unsigned long long)a->n[l], (unsigned long long)b->n[l], (unsigned long long)at,
                (unsigned long long)a->events[l].n, (unsigned long long)b->events[l].n);
        }
}

/* -------------------------------------------------------------------------------------------- another byte order -- */

/* The fields of a record, a letter each: 1 (a byte), n (a number with its size), 8 (eight bytes), m and s (types and
 * values of metrics, strings; the number in front is their count). */
#define LETTER(record, ctype, role, field) LETTER_##ctype(role)
#define LETTER_u8(role) "1"
#define LETTER_id8(role) "1"
#define LETTER_u32(role) "n"
#define LETTER_i64(role) "n"
#define LETTER_u64(role) LETTER_u64_##role
#define LETTER_u64_NUMBER "n"
#define LETTER_u64_REQUEST "n"
#define LETTER_u64_TIME "8"
#define LETTER_ARRAY(record, ctype, role, field) LETTER_ARRAY_##role
#define LETTER_ARRAY_TYPE ""
#define LETTER_ARRAY_METRIC_VALUE "m"
#define LETTER_ARRAY_STRING "s"
static const char *const letters[] = {
#define E(number, NAME, Name, name, FIELDS) [number] = "" FIELDS,
    TCF_EVENT_TABLE(E, LETTER, LETTER_ARRAY, NONE)
#undef E
};

static void turn(uint8_t *at, unsigned n)
{
    for (unsigned i = 0; i < n / 2; i++) {
        uint8_t byte = at[i];
        at[i] = at[n - 1 - i];
        at[n - 1 - i] = byte;
    }
}

/* Turns a number round, and returns what it was. The machine that runs this test is taken for a little-endian one. */
static uint64_t turn_number(uint8_t **at)
{
    uint8_t size = *(*at)++;
    uint64_t value = 0;

    if (size == UINT8_MAX)
        return UINT64_MAX;
    memcpy(&value, *at, size);
    turn(*at, size);
    *at += size;
    return value;
}

static uint64_t turn_full(uint8_t **at, unsigned n)
{
    uint64_t value = 0;

    memcpy(&value, *at, n);
    turn(*at, n);
    *at += n;
    return value;
}

static uint64_t turn_length(uint8_t **at)
{
    uint8_t length = *(*at)++;
    return length == UINT8_MAX ? turn_full(at, 8) : length;
}

static void turn_fields(uint8_t *at, const char *fields)
{
    uint64_t last = 0;

    for (; *fields; fields++)
        if (*fields == '1')
            last = *at++;
        else if (*fields == 'n')
            last = turn_number(&at);
        else if (*fields == '8')
            turn_full(&at, 8);
        else
            for (uint64_t i = 0; i < last; i++) {
                at += *fields == 'm';
                turn_number(&at);
            }
}

static void turn_attributes(uint8_t *at)
{
    for (uint64_t n = turn_number(&at); n > 0; n--) {
        turn_number(&at);
        switch (*at++) {
        case OTF2_TYPE_UINT8:
        case OTF2_TYPE_INT8:
            at++;
            break;
        case OTF2_TYPE_UINT16:
        case OTF2_TYPE_INT16:
            turn_full(&at, 2);
            break;
        case OTF2_TYPE_FLOAT:
            turn_full(&at, 4);
            break;
        case OTF2_TYPE_DOUBLE:
            turn_full(&at, 8);
            break;
        default:
            turn_number(&at);
        }
    }
}

/* These have no length. */
static int is_short(unsigned kind)
{
    return kind == TCF_ENTER || kind == TCF_LEAVE || kind == TCF_MPI_ISEND_COMPLETE || kind == TCF_MPI_IRECV_REQUEST ||
           kind == TCF_MPI_REQUEST_TEST || kind == TCF_MPI_REQUEST_CANCELLED || kind == TCF_OMP_FORK ||
           kind == TCF_OMP_TASK_CREATE || kind == TCF_OMP_TASK_SWITCH || kind == TCF_OMP_TASK_COMPLETE;
}

static void turn_mapping_table(uint8_t *at)
{
    at++;
    uint64_t n = turn_number(&at);
    for (n *= *at++ == OTF2_ID_MAP_SPARSE ? 2 : 1; n > 0; n--)
        turn_number(&at);
}

enum { TURNED = 0x23 }; /* in a header: the other byte order */

/* Walks over the records of a chunk; with `swap` all that depends on the byte order is turned, with `strange` some
 * records become ones of a kind that nobody knows. */
static void change_chunk(uint8_t *at, const uint8_t *end, int local, int swap, int strange)
{
    uint8_t *header = at;
    unsigned count = 0;

    if (swap) {
        header[1] = TURNED;
        turn(header + 2, 8);
        turn(header + 10, 8);
    }
    for (at += 18; at < end && *at != 0 && *at != 2;) {
        uint8_t *type = at++;
        if (*type == 5 && !local) {
            if (swap)
                turn(at, 8);
            at += 8;
            continue;
        }
        unsigned kind = *type >= 10 ? *type - 9u : 0;
        if (!local && is_short(kind)) {
            uint8_t *from = at;
            at += 1 + (*at == UINT8_MAX ? 0 : *at);
            if (swap)
                turn_number(&from);
            continue;
        }
        uint64_t length = *at;
        uint8_t *body = at + 1;
        if (length == UINT8_MAX) {
            memcpy(&length, body, 8);
            body += 8;
            if (swap)
                turn_length(&at);
        }
        at = body + length;
        if (strange && *type >= 10 && ++count % 7 == 0)
            *type = 250;
        if (!swap)
            continue;
        if (local && *type == 5)
            turn_mapping_table(body);
        else if (local && *type == 6)
            turn_fields(body, "8n8");
        else if (!local && *type == 6)
            turn_attributes(body);
        else if (!local && kind >= 1 && kind <= TCF_EVENT_KINDS && *type != 250)
            turn_fields(body, letters[kind]);
    }
}

/* --------------------------------------------------------------------------------------------------------- cases -- */

static char *files[MOST_FILES];
static unsigned n_files;
static uint64_t chunk_bytes, definition_chunk_bytes;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted: which places are damaged doesn't depend on the file system. */
static void list_files(const char *ending)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/traces", folder);
    DIR *d = opendir(path);

    for (unsigned i = 0; i < n_files; i++)
        free(files[i]);
    n_files = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t n = strlen(e->d_name), m = strlen(ending);
        if (n <= m || strcmp(e->d_name + n - m, ending) != 0 || n_files == MOST_FILES)
            continue;
        snprintf(path, sizeof path, "%s/traces/%.255s", folder, e->d_name);
        files[n_files++] = strdup(path);
    }
    if (d)
        closedir(d);
    qsort(files, n_files, sizeof *files, by_name);
}

/* swap: 1 turns all chunks that haven't been, 2 some of them. */
static void change_files(const char *ending, uint64_t chunk, unsigned swap, int strange)
{
    struct bytes b = {0};

    list_files(ending);
    for (unsigned i = 0; i < n_files; i++) {
        load(files[i], &b);
        for (uint64_t start = 0; start + 18 < b.n; start += chunk)
            if (!swap || (b.at[start + 1] != TURNED && draw(swap) == 0))
                change_chunk(b.at + start, b.at + (start + chunk < b.n ? start + chunk : b.n), ending[1] == 'd',
                             swap > 0, strange);
        store(files[i], b.at, b.n);
    }
    free(b.at);
}

static struct {
    unsigned cases, both, neither, one, longer, shorter, other_reason;
} table;

/* Compares what the readers make of a damaged archive. */
static void compare_damaged(const char *what)
{
    for (int salvage = 0; salvage <= 1; salvage++) {
        struct outcome a = read_archive(READER_DIRECT, salvage), b = read_archive(READER_LIBOTF2, salvage);
        table.cases++;
        if (a.status == TCF_OK && b.status == TCF_OK) {
            table.both++;
            expect_same(what, &a, &b);
            for (uint32_t l = 0; l < a.n_locations; l++) {
                table.longer += a.n[l] > b.n[l];
                if (a.n[l] < b.n[l]) {
                    table.shorter++;
                    printf("# %s, location %u: direct ends at event %llu, libotf2 at %llu\n", what, l,
                           (unsigned long long)a.n[l], (unsigned long long)b.n[l]);
                }
            }
        } else if (a.status != TCF_OK && b.status != TCF_OK) {
            table.neither++;
            if (strstr(a.message, "behind event") && strcmp(a.message, b.message) != 0) {
                table.other_reason++;
                printf("# %s:\n#   %s\n#   %s\n", what, a.message, b.message);
            }
        } else {
            table.one++;
            printf("# %s, salvage %d: %s refuses: %s\n", what, salvage, a.status != TCF_OK ? "direct" : "libotf2",
                   a.status != TCF_OK ? a.message : b.message);
        }
        drop(&a);
        drop(&b);
    }
}

static void damage(unsigned cuts, unsigned flips)
{
    struct bytes b = {0};
    char what[PATH_BYTES + 64];

    list_files(".evt");
    for (unsigned k = 0; n_files > 0 && k < cuts + flips; k++) {
        const char *path = files[draw(n_files)];
        load(path, &b);
        if (b.n == 0)
            continue;
        uint64_t at = draw(2) ? draw(b.n) : b.n - 1 - draw(b.n < 64 ? b.n : 64);
        unsigned bit = (unsigned)draw(8);
        snprintf(what, sizeof what, "%s: %s at byte %llu", path, k < cuts ? "cut" : "bit flipped",
                 (unsigned long long)at);
        if (k >= cuts)
            b.at[at] ^= (uint8_t)(1u << bit);
        store(path, b.at, k < cuts ? at : b.n);
        compare_damaged(what);
        if (k >= cuts)
            b.at[at] ^= (uint8_t)(1u << bit);
        store(path, b.at, b.n);
    }
    free(b.at);
    printf("# %u cases: both deliver %u, neither %u, one alone %u; direct keeps more %u, less %u\n", table.cases,
           table.both, table.neither, table.one, table.longer, table.shorter);
}

/* One place, NAME,BYTE,BIT, at which the readers have to agree. */
static void damage_one(const char *place)
{
    struct bytes b = {0};
    char path[PATH_BYTES + 64];
    unsigned name, at, bit;

    if (sscanf(place, "%u,%u,%u", &name, &at, &bit) != 3)
        die("%s: expected N,BYTE,BIT", place);
    snprintf(path, sizeof path, "%s/traces/%u.evt", folder, name);
    load(path, &b);
    if (at >= b.n || bit > 7)
        die("%s: the file has %llu bytes", place, (unsigned long long)b.n);
    b.at[at] ^= (uint8_t)(1u << bit);
    store(path, b.at, b.n);
    compare_damaged(place);
    if (table.one > 0 || table.longer > 0 || table.shorter > 0 || table.other_reason > 0)
        die("%s: the readers don't agree", place);
    b.at[at] ^= (uint8_t)(1u << bit);
    store(path, b.at, b.n);
    free(b.at);
}

/* Both readers again, for some of the events. */
static void compare_parts(const char *what)
{
    for (int k = 0; k < 3; k++) {
        choose_part();
        struct outcome a = read_archive(READER_DIRECT, k == 0), b = read_archive(READER_LIBOTF2, k == 0);
        if (a.status != TCF_OK || b.status != TCF_OK)
            die("%s, some events: direct: %s; libotf2: %s", what, a.message, b.message);
        expect_same(what, &a, &b);
        drop(&a);
        drop(&b);
    }
    part.some = 0;
}

/* Do the ends of event files say from when to when events are? Records of unknown kinds have times, too. */
static void compare_ends(const char *what, const struct outcome *read)
{
    const source_options options = {.reader = READER_DIRECT};
    source *src = otf2_source_open(anchor, &options);

    for (uint32_t l = 0; src && read->unknown == 0 && l < read->n_locations; l++) {
        source_ends ends = {0};
        const int known = source_ends_of(src, l, &ends);
        if (known != (read->n[l] > 0) ||
            (known && (ends.first != read->ends[l].first || ends.last != read->ends[l].last)))
            die("%s: location %u has %llu events from %llu to %llu, its file says %llu to %llu", what, l,
                (unsigned long long)read->n[l], (unsigned long long)read->ends[l].first,
                (unsigned long long)read->ends[l].last, (unsigned long long)ends.first, (unsigned long long)ends.last);
    }
    source_close(src);
}

static struct outcome compare(const char *what)
{
    struct outcome a = read_archive(READER_DIRECT, 0), b = read_archive(READER_LIBOTF2, 0);
    uint64_t events = 0;

    if (a.status != TCF_OK || b.status != TCF_OK)
        die("%s: direct: %s; libotf2: %s", what, a.message, b.message);
    expect_same(what, &a, &b);
    compare_ends(what, &a);
    for (uint32_t l = 0; l < a.n_locations; l++)
        events += a.n[l];
    printf("# %s: %u locations, %llu events, %llu unknown records\n", what, a.n_locations, (unsigned long long)events,
           (unsigned long long)a.unknown);
    drop(&b);
    compare_parts(what);
    return a;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {{"swap", 0, NULL, 'w'},  {"strange", 0, NULL, 'x'}, {"cuts", 1, NULL, 'c'},
                                          {"flips", 1, NULL, 'f'}, {"flip", 1, NULL, 'o'},    {"seed", 1, NULL, 's'},
                                          {NULL, 0, NULL, 0}};
    unsigned cuts = 0, flips = 0;
    int swap = 0, strange = 0;
    const char *place = NULL;

    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
        switch (c) {
        case 'w':
            swap = 1;
            break;
        case 'x':
            strange = 1;
            break;
        case 'c':
            cuts = (unsigned)atoi(optarg);
            break;
        case 'f':
            flips = (unsigned)atoi(optarg);
            break;
        case 'o':
            place = optarg;
            break;
        case 's':
            state = (uint64_t)atoll(optarg);
            break;
        default:
            return 2;
        }
    if (optind + 1 != argc)
        return 2;
    alarm(1200); /* a hang is a failure like a crash */
    error_verbosity = TCF_LOG_ERROR;
    snprintf(folder, sizeof folder, "%s", argv[optind]);
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    if (!reader)
        die("%s: cannot be opened", anchor);
    OTF2_Reader_GetChunkSize(reader, &chunk_bytes, &definition_chunk_bytes);
    OTF2_Reader_Close(reader);

    struct outcome before = compare("as it is");
    if (strange) {
        change_files(".evt", chunk_bytes, 0, 1);
        struct outcome after = compare("with unknown kinds");
        if (after.unknown == 0)
            die("no record of an unknown kind");
        drop(&before);
        before = after;
    }
    for (unsigned some = swap ? 2 : 0; some > 0; some--) {
        change_files(".evt", chunk_bytes, some, 0);
        change_files(".def", definition_chunk_bytes, some, 0);
        struct outcome after = compare(some == 2 ? "some chunks in the other byte order" : "in the other byte order");
        expect_same("byte orders", &before, &after);
        drop(&after);
    }
    drop(&before);
    if (place)
        damage_one(place);
    if (cuts + flips > 0)
        damage(cuts, flips);
    for (unsigned i = 0; i < n_files; i++)
        free(files[i]);
    return 0;
}
