/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See source.h. */
#include "source.h"
#include "definitions.h"
#include "framework/base/error.h"

#include <stdlib.h>

tcf_status source_note_loss(source *src, definitions *texts, source_loss loss)
{
    source_loss *more = realloc(src->losses, (src->n_losses + 1) * sizeof *more);

    if (!more)
        return error_fail("out of memory");
    src->losses = more;
    loss.file = definitions_text(texts, loss.file);
    loss.reason = definitions_text(texts, loss.reason);
    if (!loss.file || !loss.reason)
        return TCF_ERROR;
    more[src->n_losses++] = loss;
    return TCF_OK;
}

tcf_status source_fail_overlap(const tcf_location *location, const char *a, const char *b)
{
    return error_fail(
        "location %llu ('%s') has events in %s and in %s: inputs that are read together must have different locations",
        (unsigned long long)location->id, location->name, a, b);
}
