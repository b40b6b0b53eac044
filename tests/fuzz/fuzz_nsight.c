/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `nsight` and what the framework makes of what it says: the input is a database. */
#define _GNU_SOURCE
#include <sqlite3.h>

static int open_input(const char *path, sqlite3 **db, int flags, const char *vfs);

#define sqlite3_open_v2 open_input
#include "plugins/nsight/mpi.c"
#include "plugins/nsight/nccl.c"
#include "plugins/nsight/nsight.c"
#include "plugins/nsight/tables.c"
#undef sqlite3_open_v2
#include "readers.h"

#include <sanitizer/asan_interface.h>

static struct {
    const uint8_t *data;
    size_t size;
} input;

/* SQLite reads the input from where it is. */
static int open_input(const char *path, sqlite3 **db, int flags, const char *vfs)
{
    (void)path;
    const int status = sqlite3_open_v2(":memory:", db, flags, vfs);
    return status != SQLITE_OK
               ? status
               : sqlite3_deserialize(*db, "main", (unsigned char *)(uintptr_t)input.data, (sqlite3_int64)input.size,
                                     (sqlite3_int64)input.size, SQLITE_DESERIALIZE_READONLY);
}

/* ---------------------------------------------------------------------------------------------------------- memory --
 *
 * SQLite's memory, which half of the time would go to: pieces one behind the other, all free when the input is done.
 * What isn't SQLite's to show is poisoned. */
enum { HEAP = 64 << 20, HEAD = 16 };

static unsigned char heap[HEAP] __attribute__((aligned(HEAD)));
static size_t heap_used, heap_kept; /* kept: what SQLite has of its own */
static long n_pieces;

static int piece_size(void *piece)
{
    int n;
    ASAN_UNPOISON_MEMORY_REGION((unsigned char *)piece - HEAD, HEAD);
    memcpy(&n, (unsigned char *)piece - HEAD, sizeof n);
    ASAN_POISON_MEMORY_REGION((unsigned char *)piece - HEAD, HEAD);
    return n;
}

static void *piece_new(int n)
{
    const size_t whole = ((size_t)n + 2 * HEAD - 1) / HEAD * HEAD;

    if (whole > HEAP - heap_used)
        return NULL;
    unsigned char *piece = heap + heap_used + HEAD;
    ASAN_UNPOISON_MEMORY_REGION(piece - HEAD, (size_t)n + HEAD);
    memcpy(piece - HEAD, &n, sizeof n);
    ASAN_POISON_MEMORY_REGION(piece - HEAD, HEAD);
    heap_used += whole;
    n_pieces++;
    return piece;
}

static void piece_free(void *piece)
{
    ASAN_POISON_MEMORY_REGION(piece, (size_t)piece_size(piece));
    n_pieces--;
}

static void *piece_resize(void *piece, int n)
{
    void *larger = piece_new(n);

    if (larger) {
        memcpy(larger, piece, (size_t)(piece_size(piece) < n ? piece_size(piece) : n));
        piece_free(piece);
    }
    return larger;
}

static int piece_round(int n)
{
    return (n + 7) / 8 * 8;
}

static int heap_start(void *unused)
{
    (void)unused;
    ASAN_POISON_MEMORY_REGION(heap, HEAP);
    return SQLITE_OK;
}

static void heap_stop(void *unused)
{
    (void)unused;
}

/* One thread: no locks. */
__attribute__((constructor)) static void configure(void)
{
    static const sqlite3_mem_methods methods = {piece_new,   piece_free, piece_resize, piece_size,
                                                piece_round, heap_start, heap_stop,    NULL};

    must_hold(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
                  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK &&
                  sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK && sqlite3_initialize() == SQLITE_OK,
              "SQLite takes its settings");
    heap_kept = heap_used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct conf usual = {0};
    const long before = n_pieces;

    input.data = data;
    input.size = size;
    fuzz_file(&tcflow_source, &usual, "input");
    must_hold(n_pieces == before, "the reader gives back what SQLite has made for it");
    heap_used = heap_kept;
    return 0;
}
