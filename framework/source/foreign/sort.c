/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See sort.h. The buffer is sorted when it holds a block, of a size that caches hold, and becomes a run: records are
 * parted by bucket, in their order, and what isn't in order within a bucket is sorted there. When there are as many
 * runs as the memory allows to merge at a time, they are merged into one, in a fresh file. A heap holds the next record
 * of each run. Records that all fit into the buffer never touch a file. */
#include "sort.h"
#include "framework/base/error.h"
#include "temporary.h"

#include <stdlib.h>
#include <string.h>

#ifndef SORTER_LEAST_RECORDS /* fuzzing sorts small inputs, and of the largest several runs */
#define SORTER_LEAST_RECORDS 1024
#define SORTER_MOST_RUNS 2048
#endif

enum {
    BLOCK_BYTES = 4 << 20,
    LEAST_RECORDS = SORTER_LEAST_RECORDS,
    MOST_RUNS = SORTER_MOST_RUNS,
    READ_AHEAD = 64,     /* records of a run, at least */
    LEAST_TO_PART = 256, /* records that are worth counters for all buckets */
    FEW = 16             /* records that are sorted by insertion */
};

/* A run in the file. While it is merged: what is read of it stands in its part of the buffer. */
typedef struct run {
    uint64_t at, left; /* of the file; records */
    unsigned char *next, *end, *part;
} run;

struct sorter {
    size_t bytes;
    sorter_compare compare;
    sorter_bucket bucket;
    unsigned char *buffer, *spare; /* spare: NULL, or a block's room */
    uint32_t *ends;                /* of buckets; NULL until they are needed */
    size_t n, block; /* records in the buffer, and that it holds; while runs are merged each has a share of it */
    size_t taken;    /* of it, where there are no runs */
    temporary file;
    uint64_t written;
    run runs[MOST_RUNS];
    uint32_t n_runs, most_runs;
    uint32_t heap[MOST_RUNS], n_heap;
    int merging;
};

sorter *sorter_new(size_t record_bytes, size_t memory, sorter_compare compare, sorter_bucket bucket)
{
    sorter *s = calloc(1, sizeof *s);

    if (s) {
        s->bytes = record_bytes;
        s->compare = compare;
        s->bucket = bucket;
        s->block = (memory < BLOCK_BYTES ? memory : BLOCK_BYTES) / record_bytes;
        s->block = s->block > LEAST_RECORDS ? s->block : LEAST_RECORDS;
        s->most_runs = s->block / READ_AHEAD < MOST_RUNS ? (uint32_t)(s->block / READ_AHEAD) : MOST_RUNS;
        s->buffer = malloc(s->block * record_bytes);
    }
    if (s && s->buffer)
        return s;
    free(s);
    error_fail("out of memory for sorting events");
    return NULL;
}

/* What only sort_buffer() needs. */
static void free_spare(sorter *s)
{
    free(s->spare);
    free(s->ends);
    s->spare = NULL;
    s->ends = NULL;
}

void sorter_delete(sorter *s)
{
    if (!s)
        return;
    temporary_close(&s->file);
    free_spare(s);
    free(s->buffer);
    free(s);
}

uint64_t sorter_written(const sorter *s)
{
    return s->written;
}

/* -------------------------------------------------------------------------------------------------------- merging --
 */

static tcf_status refill(sorter *s, run *r)
{
    const size_t room = s->block / s->n_runs, n = r->left < room ? (size_t)r->left : room;

    r->next = r->part;
    r->end = r->part + n * s->bytes;
    if (n > 0 && temporary_read(&s->file, r->part, n * s->bytes, r->at) != TCF_OK)
        return TCF_ERROR;
    r->at += n * s->bytes;
    r->left -= n;
    return TCF_OK;
}

static int is_before(const sorter *s, uint32_t a, uint32_t b)
{
    return s->compare(s->runs[a].next, s->runs[b].next) < 0;
}

static void sift_down(sorter *s, uint32_t i)
{
    uint32_t moved = s->heap[i];

    for (uint32_t child; (child = 2 * i + 1) < s->n_heap; i = child) {
        if (child + 1 < s->n_heap && is_before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!is_before(s, s->heap[child], moved))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = moved;
}

/* The buffer, which is empty, is parted among the runs. */
static tcf_status start_merging(sorter *s)
{
    s->n_heap = 0;
    for (uint32_t k = 0; k < s->n_runs; k++) {
        s->runs[k].part = s->buffer + k * (s->block / s->n_runs) * s->bytes;
        if (refill(s, &s->runs[k]) != TCF_OK)
            return TCF_ERROR;
        s->heap[s->n_heap++] = k;
    }
    for (uint32_t i = s->n_heap / 2; i-- > 0;)
        sift_down(s, i);
    s->merging = 0;
    return TCF_OK;
}

/* Goes on behind the record that was given last. */
static tcf_status step(sorter *s)
{
    run *r = &s->runs[s->heap[0]];

    r->next += s->bytes;
    if (r->next == r->end && r->left > 0 && refill(s, r) != TCF_OK)
        return TCF_ERROR;
    if (r->next == r->end)
        s->heap[0] = s->heap[--s->n_heap];
    if (s->n_heap > 0)
        sift_down(s, 0);
    return TCF_OK;
}

static const void *next_merged(sorter *s, tcf_status *status)
{
    *status = s->merging ? step(s) : TCF_OK;
    s->merging = 1;
    return *status == TCF_OK && s->n_heap > 0 ? s->runs[s->heap[0]].next : NULL;
}

/* ----------------------------------------------------------------------------------------------------------- runs --
 */

static int is_sorted(const sorter *s, const unsigned char *from, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (s->compare(from + (i - 1) * s->bytes, from + i * s->bytes) > 0)
            return 0;
    return 1;
}

/* By insertion, one record in the spare room. */
static void sort_few(sorter *s, unsigned char *from, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        size_t k = i;
        while (k > 0 && s->compare(from + (k - 1) * s->bytes, from + i * s->bytes) > 0)
            k--;
        if (k == i)
            continue;
        memcpy(s->spare, from + i * s->bytes, s->bytes);
        memmove(from + (k + 1) * s->bytes, from + k * s->bytes, (i - k) * s->bytes);
        memcpy(from + k * s->bytes, s->spare, s->bytes);
    }
}

/* Counts the records of each bucket into ends[bucket + 1], and makes the buckets' begins of that. */
static void find_begins(sorter *s)
{
    memset(s->ends, 0, (SORTER_BUCKETS + 1) * sizeof *s->ends);
    for (size_t i = 0; i < s->n; i++)
        s->ends[s->bucket(s->buffer + i * s->bytes) + 1]++;
    for (uint32_t b = 0; b < SORTER_BUCKETS; b++)
        s->ends[b + 1] += s->ends[b];
}

/* 0: there is no memory for it. */
static int part_by_bucket(sorter *s)
{
    if (!s->spare)
        s->spare = malloc(s->block * s->bytes);
    if (!s->ends)
        s->ends = malloc((SORTER_BUCKETS + 1) * sizeof *s->ends);
    if (!s->spare || !s->ends)
        return 0;
    find_begins(s);
    for (size_t i = 0; i < s->n; i++) { /* behind it ends[] has what its name says */
        const unsigned char *record = s->buffer + i * s->bytes;
        memcpy(s->spare + s->ends[s->bucket(record)]++ * s->bytes, record, s->bytes);
    }
    unsigned char *parted = s->spare;
    s->spare = s->buffer;
    s->buffer = parted;
    return 1;
}

static void sort_buffer(sorter *s)
{
    if (is_sorted(s, s->buffer, s->n))
        return;
    if (!s->bucket || s->n < LEAST_TO_PART || !part_by_bucket(s)) {
        qsort(s->buffer, s->n, s->bytes, s->compare);
        return;
    }
    for (uint32_t b = 0, at = 0; at < s->n; at = s->ends[b++]) {
        unsigned char *from = s->buffer + at * s->bytes;
        const size_t n = s->ends[b] - at;
        if (n <= FEW)
            sort_few(s, from, n);
        else if (!is_sorted(s, from, n))
            qsort(from, n, s->bytes, s->compare);
    }
}

/* Merges all runs into one. */
static tcf_status merge_runs(sorter *s)
{
    enum { ROOM = 1 << 16 };
    temporary fresh = {0};
    uint64_t records = 0;
    size_t used = 0;
    unsigned char *out = malloc(ROOM);
    tcf_status status = out ? start_merging(s) : error_fail("out of memory for sorting events");

    while (status == TCF_OK) {
        const void *record = next_merged(s, &status);
        if (status == TCF_OK && (used + s->bytes > ROOM || (!record && used > 0))) {
            status = temporary_append(&fresh, out, used);
            used = 0;
        }
        if (!record)
            break;
        memcpy(out + used, record, s->bytes);
        used += s->bytes;
        records++;
    }
    free(out);
    temporary_close(&s->file);
    s->file = fresh;
    s->written += fresh.bytes;
    s->n_runs = 1;
    s->runs[0] = (run){.at = 0, .left = records};
    return status;
}

static tcf_status write_run(sorter *s)
{
    sort_buffer(s);
    s->runs[s->n_runs++] = (run){.at = s->file.bytes, .left = s->n};
    if (temporary_append(&s->file, s->buffer, s->n * s->bytes) != TCF_OK)
        return TCF_ERROR;
    s->written += s->n * s->bytes;
    s->n = 0;
    return s->n_runs < s->most_runs ? TCF_OK : merge_runs(s);
}

tcf_status sorter_add(sorter *s, const void *record)
{
    if (s->n == s->block && write_run(s) != TCF_OK)
        return TCF_ERROR;
    memcpy(s->buffer + s->n++ * s->bytes, record, s->bytes);
    return TCF_OK;
}

tcf_status sorter_finish(sorter *s)
{
    tcf_status status = TCF_OK;

    if (s->n_runs == 0)
        sort_buffer(s);
    else if (s->n > 0)
        status = write_run(s);
    free_spare(s);
    return s->n_runs > 0 && status == TCF_OK ? start_merging(s) : status;
}

const void *sorter_next(sorter *s, tcf_status *status)
{
    if (s->n_runs > 0)
        return next_merged(s, status);
    *status = TCF_OK;
    return s->taken < s->n ? s->buffer + s->taken++ * s->bytes : NULL;
}
