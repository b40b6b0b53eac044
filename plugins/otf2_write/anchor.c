/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sets the trace identifier of the written archive. A copy is the same trace, so it keeps the identifier, but
 * libotf2 draws a new one for each archive and has no call to set it. Only the anchor file holds the identifier, as
 * eight bytes in the byte order of the machine, after the properties. */
#include "otf2_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 1 << 24 };

/* The offset of the identifier; -1: it stands nowhere, or in several places. */
static long place_of(const unsigned char *anchor, size_t bytes, uint64_t id)
{
    long found = -1;

    for (size_t i = 0; i + sizeof id <= bytes; i++) {
        if (memcmp(anchor + i, &id, sizeof id) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = (long)i;
    }
    return found;
}

/* The identifier that libotf2 drew when it closed the archive; 0: the archive cannot be read. */
static uint64_t drawn_id(const char *path)
{
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    uint64_t id = 0;

    if (reader == NULL)
        return 0;
    OTF2_Reader_GetTraceId(reader, &id);
    OTF2_Reader_Close(reader);
    return id;
}

tcf_status anchor_set_trace_id(const tcf_self *self, uint64_t wanted)
{
    const struct state *state = self->state;
    size_t length = strlen(state->folder.name) + sizeof "/traces.otf2";
    char *path = malloc(length);
    unsigned char *anchor = NULL;
    FILE *file = NULL;
    struct stat st = {.st_size = 0};
    tcf_status status = TCF_OK;

    if (path == NULL)
        goto no_memory;
    snprintf(path, length, "%s/traces.otf2", state->folder.name);
    uint64_t drawn = drawn_id(path);
    file = fopen(path, "r+b");
    if (file && fstat(fileno(file), &st) != 0) {
        fclose(file);
        file = NULL;
    }
    const size_t most = st.st_size < LARGEST ? (size_t)st.st_size : LARGEST;
    if ((anchor = malloc(most + 1)) == NULL)
        goto no_memory;
    size_t bytes = file ? fread(anchor, 1, most, file) : 0;
    long place = drawn ? place_of(anchor, bytes, drawn) : -1;
    if (!drawn || (file && ferror(file)))
        status = self->host->fail(
            self,
            "the trace identifier cannot be read back from '%s', for want of memory or by a fault of the file system",
            path);
    else if (file && place < 0) /* the anchor of another libotf2 may look different; a new identifier does no harm */
        self->host->log(self, TCF_LOG_INFO, "the trace identifier is a new one: it does not stand in '%s' as expected",
                        path);
    else if (!file || fseek(file, place, SEEK_SET) != 0 || fwrite(&wanted, sizeof wanted, 1, file) != 1 ||
             fflush(file) != 0)
        status = self->host->fail(self, "the trace identifier cannot be written to '%s': %s", path, strerror(errno));
    goto done;
no_memory:
    status = self->host->fail(self, "out of memory");
done:
    if (file)
        fclose(file);
    free(anchor);
    free(path);
    return status;
}
