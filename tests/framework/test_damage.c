/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Damaged archives, by both readers of event files: whatever is done to its files, opening and reading one ends, with
 * events that were in it or with a message, and with `salvage` a location ends behind its last good event. libotf2
 * itself invents events where a file is cut, and on some of these files it never returns, hence the alarm.
 *
 * The archive has two locations of EVENTS events in chunks of 256 KiB. Each event takes 12 bytes (a timestamp of 9,
 * type, size, region), and event i has the time FIRST_TIME + i, so that what must come out is easily said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/base/error.h"
#include "framework/source/otf2/otf2_source.h"

enum { EVENTS = 60000, HEADER = 18, EVENT = 12, CHUNK = 256 * 1024, LOCATIONS = 2 };
#define FIRST_TIME UINT64_C(1000000)

static char folder[] = "/tmp/tcflow-damage-XXXXXX";

typedef struct bytes {
    uint8_t *at;
    size_t n;
} bytes;

static bytes events, anchor, definitions; /* of location 1, and the archive's */
static int reader;                        /* READER_DIRECT or READER_LIBOTF2 */
static size_t step = 1;                   /* of the loops over bits; larger unless TCFLOW_LONG is set */

/* What libotf2 itself leaks when it cannot open an archive is none of ours. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:OTF2_UTILS_\nleak:otf2_archive_open\nleak:otf2_file_posix_open\n";
}

/* --------------------------------------------------------------------------------------------------------- files -- */

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bytes load(const char *name)
{
    FILE *f = fopen(path_of(name), "rb");
    bytes b = {malloc(4 * CHUNK), 0};
    assert_non_null(f);
    assert_non_null(b.at);
    b.n = fread(b.at, 1, 4 * CHUNK, f);
    fclose(f);
    return b;
}

static void store(const char *name, const uint8_t *at, size_t n)
{
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(at, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void write_definitions(OTF2_Archive *archive)
{
    OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, FIRST_TIME, EVENTS, UINT64_MAX);
    OTF2_GlobalDefWriter_WriteString(d, 0, "a name");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteRegion(d, 1, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0, 0, 0, 0);
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(d, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, UINT32_MAX);
        OTF2_GlobalDefWriter_WriteLocation(d, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, EVENTS, i);
    }
    OTF2_Archive_CloseGlobalDefWriter(archive, d);
}

static int write_archive(void **state)
{
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, "t", OTF2_FILEMODE_WRITE, CHUNK, CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
    OTF2_Archive_OpenEvtFiles(archive);
    for (uint32_t l = 0; l < LOCATIONS; l++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, l);
        for (uint32_t i = 0; i < EVENTS; i++)
            (i % 2 ? OTF2_EvtWriter_Leave : OTF2_EvtWriter_Enter)(w, NULL, FIRST_TIME + i, 1);
        OTF2_Archive_CloseEvtWriter(archive, w);
    }
    OTF2_Archive_CloseEvtFiles(archive);
    write_definitions(archive);
    OTF2_Archive_Close(archive);
    events = load("t/1.evt");
    anchor = load("t.otf2");
    definitions = load("t.def");
    return 0;
}

static int remove_archive(void **state)
{
    static const char *const names[] = {"t/0.evt", "t/1.evt", "t/0.def", "t/1.def", "t.def", "t.otf2", "t"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of(names[i]));
    free(events.at);
    free(anchor.at);
    free(definitions.at);
    return rmdir(folder);
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

struct outcome {
    tcf_status status;
    uint64_t events[LOCATIONS];
    uint32_t losses;
    uint64_t last_good; /* of the first loss */
};

/* Where damage is only noticed and not survived, events may be wrong before it is. */
static uint64_t read_all(source *src, uint32_t location, int look, tcf_status *status)
{
    slice_layout layout = {.capacity = 1000, .arena = 1024};
    pool *p = pool_new(&layout, 1);
    uint64_t n = 0;

    for (int ended = 0; !ended && *status == TCF_OK;) {
        slice *s = slice_get(p, location);
        s->v.first = n;
        *status = source_read(src, location, s, 1000, &ended);
        for (uint32_t i = 0; look && *status == TCF_OK && i < s->v.n; i++)
            if (s->v.time[i] != FIRST_TIME + n + i)
                fail_msg("event %llu of location %u has the time %llu", (unsigned long long)(n + i), location,
                         (unsigned long long)s->v.time[i]);
        n += s->v.n;
        slice_put(p, s);
    }
    pool_delete(p);
    return n;
}

static struct outcome outcome(int salvage)
{
    source_options options = {.salvage = salvage, .reader = reader};
    struct outcome o = {.status = TCF_OK};
    source *src = otf2_source_open(path_of("t.otf2"), &options);

    if (src == NULL) {
        o.status = TCF_ERROR;
        return o;
    }
    uint32_t n = source_definitions(src)->n_locations;
    for (uint32_t l = 0; l < n && l < LOCATIONS && o.status == TCF_OK; l++)
        o.events[l] = read_all(src, l, salvage, &o.status);
    const source_loss *losses = source_losses(src, &o.losses);
    if (o.losses > 0)
        o.last_good = losses[0].last_good;
    source_close(src);
    return o;
}

/* Location 1 with these bytes: refused, and with salvage cut behind event `good`. */
static void expect_cut(const char *what, const uint8_t *at, size_t n, uint64_t good)
{
    char text[64];
    store("t/1.evt", at, n);
    struct outcome o = outcome(0);
    if (o.status != TCF_ERROR)
        fail_msg("%s: not noticed", what);
    snprintf(text, sizeof text, "behind event %llu:", (unsigned long long)good);
    if (!strstr(error_text(), text) || !strstr(error_text(), "salvage = yes"))
        fail_msg("%s: '%s' where event %llu is the last good one", what, error_text(), (unsigned long long)good);
    o = outcome(1);
    if (o.status != TCF_OK || o.losses != 1 || o.last_good != good || o.events[1] != good || o.events[0] != EVENTS)
        fail_msg("%s: salvage read %llu events of %llu (%u losses): %s", what, (unsigned long long)o.events[1],
                 (unsigned long long)good, o.losses, o.status == TCF_OK ? "" : error_text());
}

/* How many events lie before byte `n` of the file. */
static uint64_t events_before(size_t n)
{
    uint64_t before = 0;
    for (size_t start = 0; start < n && start < events.n; start += CHUNK) {
        uint64_t last;
        memcpy(&last, events.at + start + 10, sizeof last); /* as the chunk's header states it */
        uint64_t whole = n - start < HEADER ? 0 : (n - start - HEADER) / EVENT;
        before = before + whole < last ? before + whole : last;
    }
    return before;
}

/* --------------------------------------------------------------------------------------------------------- tests -- */

static void sound(void **state)
{
    (void)state;
    assert_true(events.n > 2 * CHUNK);
    for (int salvage = 0; salvage < 2; salvage++) {
        struct outcome o = outcome(salvage);
        assert_int_equal(o.status, TCF_OK);
        assert_int_equal(o.events[0] + o.events[1], 2 * EVENTS);
        assert_int_equal(o.losses, 0);
    }
}

static void cut(void **state)
{
    static const size_t at[] = {1,
                                17,
                                18,
                                19,
                                27,
                                29,
                                30,
                                31,
                                1000,
                                CHUNK - 1,
                                CHUNK,
                                CHUNK + 1,
                                CHUNK + 17,
                                CHUNK + 18,
                                CHUNK + 30,
                                CHUNK + 12345,
                                2 * CHUNK - 100,
                                2 * CHUNK,
                                2 * CHUNK + 30};
    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        expect_cut("cut", events.at, at[i], events_before(at[i]));
    for (size_t n = events.n - 30; n < events.n; n++)
        expect_cut("cut at the end", events.at, n, events_before(n < events.n - 2 ? n : events.n - 2));
    store("t/1.evt", events.at, 0);
    assert_int_equal(outcome(0).status, TCF_ERROR);
    assert_non_null(strstr(error_text(), "empty"));
    assert_int_equal(outcome(1).last_good, 0);
    remove(path_of("t/1.evt"));
    assert_int_equal(outcome(0).status, TCF_ERROR);
    assert_non_null(strstr(error_text(), "no event file"));
    struct outcome o = outcome(1);
    assert_int_equal(o.status, TCF_OK);
    assert_int_equal(o.losses, 1);
    assert_int_equal(o.events[0], EVENTS);
    store("t/1.evt", events.at, events.n);
}

static void chunks(void **state)
{
    uint8_t *b = malloc(events.n + CHUNK);
    uint64_t first = events_before(CHUNK), second = events_before(2 * CHUNK);
    size_t rest = events.n - 2 * CHUNK;
    (void)state;

    memcpy(b, events.at, CHUNK);
    memcpy(b + CHUNK, events.at + 2 * CHUNK, rest);
    expect_cut("a chunk is missing", b, CHUNK + rest, first);
    memcpy(b + CHUNK, events.at, events.n);
    expect_cut("a chunk stands twice", b, CHUNK + events.n, first);
    memcpy(b, events.at, 2 * CHUNK);
    memcpy(b + 2 * CHUNK, events.at + CHUNK, CHUNK);
    expect_cut("the last chunk is another one", b, 3 * CHUNK, second);
    memcpy(b, events.at, events.n);
    memset(b + CHUNK, 0, CHUNK);
    expect_cut("a chunk of zeros", b, events.n, first);
    memcpy(b + CHUNK, events.at + CHUNK, HEADER);
    expect_cut("zeros behind a header", b, events.n, first);
    memcpy(b, events.at, events.n);
    memset(b + 2 * CHUNK + HEADER, 0, rest - HEADER - 2);
    expect_cut("zeros in the last chunk", b, events.n, second);
    memcpy(b, events.at, events.n);
    memset(b + CHUNK + HEADER + 100 * EVENT, 0, 400);
    expect_cut("a hole", b, events.n, first + 100);
    memcpy(b, events.at, events.n);
    memcpy(b + events.n - 2, events.at + events.n - 2 - EVENT, EVENT);
    memcpy(b + events.n - 2 + EVENT, events.at + events.n - 2, 2);
    expect_cut("an event behind the last one", b, events.n + EVENT, EVENTS);
    free(b);
    store("t/1.evt", events.at, events.n);
}

/* Every bit of a chunk's header. What comes out must be a beginning of what was in it (see read_all()). */
static void flipped_headers(void **state)
{
    uint8_t *b = malloc(events.n);
    (void)state;
    for (size_t start = 0; start < events.n; start += CHUNK)
        for (size_t bit = 0; bit < HEADER * 8; bit += step) {
            memcpy(b, events.at, events.n);
            b[start + bit / 8] ^= (uint8_t)(1u << bit % 8);
            store("t/1.evt", b, events.n);
            struct outcome o = outcome(0);
            if (o.status == TCF_OK)
                fail_msg("bit %zu of the chunk at %zu: not noticed", bit, start);
            o = outcome(1);
            if (o.status != TCF_OK || o.losses != 1 || o.events[1] < events_before(start))
                fail_msg("bit %zu of the chunk at %zu: %llu events with salvage", bit, start,
                         (unsigned long long)o.events[1]);
        }
    free(b);
    store("t/1.evt", events.at, events.n);
}

/* Bits of records: whether noticed or not, reading ends, and nothing comes after the end. Times may be wrong, so they
 * are not looked at. */
static void flipped_records(void **state)
{
    uint8_t *b = malloc(events.n);
    (void)state;
    srand(1);
    for (size_t k = 0; k < 300; k += step) {
        size_t at = (size_t)rand() % events.n;
        memcpy(b, events.at, events.n);
        b[at] ^= (uint8_t)(1u << rand() % 8);
        store("t/1.evt", b, events.n);
        source_options options = {.salvage = (int)(k % 2), .reader = reader};
        source *src = otf2_source_open(path_of("t.otf2"), &options);
        if (src == NULL)
            continue;
        slice_layout layout = {.capacity = 4096, .arena = 1024};
        pool *p = pool_new(&layout, 1);
        uint64_t n = 0;
        for (int ended = 0; !ended;) {
            slice *s = slice_get(p, 1);
            if (source_read(src, 1, s, 4096, &ended) != TCF_OK)
                ended = 1;
            n += s->v.n;
            slice_put(p, s);
        }
        assert_true(n <= EVENTS);
        pool_delete(p);
        source_close(src);
    }
    free(b);
    store("t/1.evt", events.at, events.n);
}

/* An editor, or a tool that wants text files to end in a line end, has been at the file. What is as long as the header
 * of a chunk may have been one. */
static void bytes_behind_the_end(void **state)
{
    (void)state;
    uint8_t *longer = malloc(events.n + 18);
    assert_non_null(longer);
    memcpy(longer, events.at, events.n);
    for (int zeros = 0; zeros <= 1; zeros++) {
        memset(longer + events.n, zeros ? 0 : '\n', 18);
        for (size_t n = 1; n <= 18; n++) {
            if (n == 18) {
                expect_cut("18 bytes behind the end", longer, events.n + n, EVENTS);
                continue;
            }
            for (int salvage = 0; salvage <= 1; salvage++) {
                store("t/1.evt", longer, events.n + n);
                struct outcome o = outcome(salvage);
                assert_int_equal(o.status, TCF_OK);
                assert_int_equal(o.losses, 0);
                assert_int_equal(o.events[1], EVENTS);
            }
        }
    }
    free(longer);
    store("t/1.evt", events.at, events.n);
}

static void anchors_and_definitions(void **state)
{
    (void)state;
    for (size_t n = 0; n + 3 < anchor.n; n += 3) { /* behind that stand only end marks */
        store("t.otf2", anchor.at, n);
        assert_int_equal(outcome(0).status, TCF_ERROR);
        assert_non_null(strstr(error_text(), "t.otf2"));
    }
    for (size_t bit = 0; bit < anchor.n * 8; bit += step) {
        anchor.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        store("t.otf2", anchor.at, anchor.n);
        outcome(0);
        anchor.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    store("t.otf2", anchor.at, anchor.n);
    for (size_t n = 0; n + 1 < definitions.n; n++) { /* the last byte is an end mark as well */
        store("t.def", definitions.at, n);
        assert_int_equal(outcome(1).status, TCF_ERROR);
    }
    for (size_t bit = 0; bit < definitions.n * 8; bit += step) {
        definitions.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
        store("t.def", definitions.at, definitions.n);
        outcome(0);
        definitions.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    remove(path_of("t.def"));
    assert_int_equal(outcome(0).status, TCF_ERROR);
    assert_non_null(strstr(error_text(), "t.def' is missing"));
    store("t.def", definitions.at, definitions.n);
    assert_int_equal(outcome(0).status, TCF_OK);
}

static int by_direct(void **state)
{
    (void)state;
    reader = READER_DIRECT;
    return 0;
}

static int by_libotf2(void **state)
{
    (void)state;
    reader = READER_LIBOTF2;
    return 0;
}

#define BY_BOTH(test)                                                                                                  \
    {#test " by direct", test, by_direct, NULL, NULL},                                                                 \
    {                                                                                                                  \
#test " by libotf2", test, by_libotf2, NULL, NULL                                                              \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BY_BOTH(sound),
        BY_BOTH(cut),
        BY_BOTH(chunks),
        BY_BOTH(flipped_headers),
        BY_BOTH(flipped_records),
        BY_BOTH(bytes_behind_the_end),
        BY_BOTH(anchors_and_definitions),
    };
    if (!getenv("TCFLOW_LONG"))
        step = 13;
    alarm(1200); /* a hang is a failure like a crash */
    error_verbosity = TCF_LOG_ERROR;
    return cmocka_run_group_tests_name("damage", tests, write_archive, remove_archive);
}
