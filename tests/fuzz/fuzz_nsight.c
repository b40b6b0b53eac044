/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for the reader `nsight` and what the framework makes of what it says: the input is a database. */
#define _GNU_SOURCE
#include <sqlite3.h>

static int open_input(const char *path, sqlite3 **db, int flags, const char *vfs);

#define sqlite3_open_v2 open_input
#include "plugins/nsight/mpi.c"
#include "plugins/nsight/nsight.c"
#include "plugins/nsight/tables.c"
#undef sqlite3_open_v2
#include "readers.h"

static struct {
    const uint8_t *data;
    size_t size;
} input;

/* SQLite reads the input from where it is. */
static int open_input(const char *path, sqlite3 **db, int flags, const char *vfs)
{
    (void)path;
    const int status = sqlite3_open_v2(":memory:", db, flags, vfs);
    return status != SQLITE_OK ? status
                               : sqlite3_deserialize(*db, "main", (unsigned char *)(uintptr_t)input.data,
                                                     (sqlite3_int64)input.size, (sqlite3_int64)input.size,
                                                     SQLITE_DESERIALIZE_READONLY);
}

/* No locks, for there is one thread; and pages of the cache have their place. */
__attribute__((constructor)) static void configure(void)
{
    enum { PAGE = 4096 + 512, PAGES = 64 };
    static unsigned char pages[PAGES * PAGE] __attribute__((aligned(8)));

    must_hold(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
                  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK &&
                  sqlite3_config(SQLITE_CONFIG_PAGECACHE, pages, PAGE, PAGES) == SQLITE_OK,
              "SQLite takes its settings");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct conf usual = {0};

    input.data = data;
    input.size = size;
    fuzz_file(&tcflow_source, &usual, "input");
    return 0;
}
