/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A stream that was cut at any byte, or has any byte wrong, is never taken for whole: without salvage it is refused,
 * with it what is delivered is the beginning of what was written, and the loss is told. STEP: only every so many
 * bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/base/error.h"
#include "framework/pipeline/session.h"
#include "framework/source/stream/stream_source.h"

enum { MOST_LOCATIONS = 64, SLICE = 256 };

/* What came of a stream. */
typedef struct delivered {
    uint64_t *time[MOST_LOCATIONS];
    uint8_t *kind[MOST_LOCATIONS];
    uint64_t n[MOST_LOCATIONS];
    uint64_t events;
    uint32_t n_locations, n_losses;
} delivered;

static char path[256];
static off_t size;
static delivered whole;

static void forget(delivered *d)
{
    for (uint32_t i = 0; i < MOST_LOCATIONS; i++) {
        free(d->time[i]);
        free(d->kind[i]);
    }
    *d = (delivered){.events = 0};
}

static void note(delivered *d, const tcf_slice *s)
{
    uint64_t n = d->n[s->location];
    d->time[s->location] = realloc(d->time[s->location], (n + s->n + 1) * sizeof(uint64_t));
    d->kind[s->location] = realloc(d->kind[s->location], n + s->n + 1);
    memcpy(d->time[s->location] + n, s->time, s->n * sizeof(uint64_t));
    memcpy(d->kind[s->location] + n, s->kind, s->n);
    d->n[s->location] = n + s->n;
    d->events += s->n;
}

static tcf_status read_events(source *src, pool *p, delivered *d)
{
    for (uint32_t ended = 0; ended < d->n_locations;) {
        uint32_t location = UINT32_MAX;
        int end;
        if (source_next(src, &location) != TCF_OK)
            return TCF_ERROR;
        assert_true(location < d->n_locations);
        slice *s = slice_get(p, location);
        tcf_status status = source_read(src, location, s, SLICE, &end);
        if (status == TCF_OK)
            note(d, &s->v);
        slice_put(p, s);
        if (status != TCF_OK)
            return TCF_ERROR;
        ended += (uint32_t)end;
    }
    return source_finish(src);
}

/* Reads all of the stream. */
static tcf_status take(delivered *d, int salvage)
{
    source_options options = {.memory = 64 << 20, .edges = 1, .salvage = salvage};
    slice_layout layout = {.capacity = SLICE, .arena = 4096};
    char input[300];

    forget(d);
    snprintf(input, sizeof input, "stream:%s", path);
    source *src = stream_source_open(input, &options);
    if (!src)
        return TCF_ERROR;
    pool *p = pool_new(&layout, 4);
    assert_non_null(p);
    d->n_locations = source_definitions(src)->n_locations;
    assert_true(d->n_locations <= MOST_LOCATIONS);
    tcf_status status = read_events(src, p, d);
    source_losses(src, &d->n_losses);
    pool_delete(p);
    source_close(src);
    return status;
}

/* Is it the beginning of what was written, and not all of it without a word? */
static void check_salvaged(const delivered *d)
{
    for (uint32_t i = 0; i < d->n_locations; i++) {
        assert_true(d->n[i] <= whole.n[i]);
        assert_memory_equal(d->time[i] ? d->time[i] : (uint64_t *)"", whole.time[i], d->n[i] * sizeof(uint64_t));
        assert_memory_equal(d->kind[i] ? d->kind[i] : (uint8_t *)"", whole.kind[i], d->n[i]);
    }
    assert_true(d->n_losses > 0);
}

static off_t step(void)
{
    const char *text = getenv("STEP");
    return text ? (off_t)strtol(text, NULL, 10) : getenv("TCFLOW_LONG") ? 1 : 97;
}

static void a_whole_stream_is_taken(void **state)
{
    (void)state;
    assert_int_equal(take(&whole, 0), TCF_OK);
    assert_true(whole.events > 1000);
    assert_int_equal(whole.n_losses, 0);
}

static void a_cut_stream_is_not(void **state)
{
    delivered d = {.events = 0};
    uint64_t salvaged = 0, last = UINT64_MAX;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t *bytes = malloc((size_t)size);
    (void)state;

    assert_int_equal(read(fd, bytes, (size_t)size), size);
    for (off_t length = size - 1; length >= 0; length -= step()) {
        assert_int_equal(ftruncate(fd, length), 0);
        assert_int_equal(take(&d, 0), TCF_ERROR);
        if (take(&d, 1) != TCF_OK)
            continue; /* the definitions are not all there */
        check_salvaged(&d);
        assert_true(d.events <= last);
        last = d.events;
        salvaged++;
    }
    assert_true(salvaged > 0);
    assert_true(step() > 1 || last == 0);
    assert_int_equal(pwrite(fd, bytes, (size_t)size, 0), size);
    close(fd);
    free(bytes);
    forget(&d);
}

static void a_wrong_byte_is_seen(void **state)
{
    delivered d = {.events = 0};
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint64_t random = 1;
    (void)state;

    for (off_t at = 0; at < size; at += step()) {
        uint8_t right, wrong;
        random = random * 6364136223846793005u + 1442695040888963407u;
        assert_int_equal(pread(fd, &right, 1, at), 1);
        wrong = (uint8_t)(right ^ (1 + (random >> 33) % 255));
        assert_int_equal(pwrite(fd, &wrong, 1, at), 1);
        assert_int_equal(take(&d, 0), TCF_ERROR);
        if (take(&d, 1) == TCF_OK)
            check_salvaged(&d);
        assert_int_equal(pwrite(fd, &right, 1, at), 1);
    }
    assert_int_equal(take(&d, 0), TCF_OK);
    close(fd);
    forget(&d);
}

/* Frames behind the end, or one that comes twice. */
static void only_one_stream_is_read(void **state)
{
    delivered d = {.events = 0};
    (void)state;
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, "more", 4), 4);
    assert_int_equal(take(&d, 0), TCF_ERROR);
    assert_non_null(strstr(error_text(), "something behind its end"));
    assert_int_equal(ftruncate(fd, size), 0);
    close(fd);
    forget(&d);
}

static int record(void **state)
{
    const char *srcdir = getenv("top_srcdir");
    char input[1024], target[512];
    struct stat st;
    (void)state;

    error_verbosity = TCF_LOG_ERROR;
    snprintf(path, sizeof path, "%s/tcflow-cut-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)getpid());
    snprintf(input, sizeof input, "pipeline.input=%s/examples/trace/traces.otf2", srcdir ? srcdir : ".");
    snprintf(target, sizeof target, "stream_write.path=%s", path);
    const char *overrides[] = {input, "pipeline.chain=stream_write", "pipeline.slice=100", target};
    settings *s = settings_load(NULL, overrides, 4);
    assert_non_null(s);
    session *p = session_new(s, NULL, NULL);
    if (!p || session_run(p, NULL) != TCF_OK)
        error_print(stderr);
    session_delete(p);
    settings_free(s);
    assert_int_equal(stat(path, &st), 0);
    size = st.st_size;
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    forget(&whole);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_stream_is_taken),
        cmocka_unit_test(a_cut_stream_is_not),
        cmocka_unit_test(a_wrong_byte_is_seen),
        cmocka_unit_test(only_one_stream_is_read),
    };
    return cmocka_run_group_tests(tests, record, clean_up);
}
