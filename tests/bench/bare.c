/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the bare benchmark programs share; see bare.h. */
#include "bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

void bare_raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

OTF2_Reader *bare_open(const char *anchor)
{
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);

    if (reader == NULL) {
        fprintf(stderr, "cannot open %s\n", anchor);
        return NULL;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    return reader;
}

OTF2_CallbackCode bare_add_location(struct locations *locations, OTF2_LocationRef ref)
{
    if (locations->count == locations->capacity) {
        size_t capacity = locations->capacity ? 2 * locations->capacity : 64;
        OTF2_LocationRef *more = realloc(locations->ref, capacity * sizeof *more);
        if (more == NULL)
            return OTF2_CALLBACK_ERROR;
        locations->ref = more;
        locations->capacity = capacity;
    }
    for (size_t i = 0; i < locations->count; i++) /* a definition may be written twice */
        if (locations->ref[i] == ref)
            return OTF2_CALLBACK_SUCCESS;
    locations->ref[locations->count++] = ref;
    return OTF2_CALLBACK_SUCCESS;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

void bare_report(const char *program, uint64_t events)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    double user = seconds(usage.ru_utime);
    double system = seconds(usage.ru_stime);
    double ns = events > 0 ? (user + system) * 1e9 / (double)events : 0.0;
    printf("%s: events %llu user %.3f system %.3f cpu %.3f ns/event %.2f rss_MiB %.1f\n", program,
           (unsigned long long)events, user, system, user + system, ns, (double)usage.ru_maxrss / 1024.0);
}

bool bare_read_batch(OTF2_Reader *reader, struct source *source, uint64_t n, bool *failed)
{
    uint64_t before = source->count;
    uint64_t reported = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(reader, source->reader, n, &reported);

    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "reading events failed: %s\n", OTF2_Error_GetDescription(code));
        *failed = true;
        return false;
    }
    return source->count - before == n;
}
