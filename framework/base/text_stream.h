/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Texts made by open_memstream(): fclose() alone doesn't say whether memory was out. */
#ifndef TCFLOW_FRAMEWORK_TEXT_STREAM_H
#define TCFLOW_FRAMEWORK_TEXT_STREAM_H

#include <stdio.h>
#include <stdlib.h>

/* Closes the stream of *text, whose owner is the caller then. -1: out of memory, and *text is NULL. */
static inline int text_stream_close(FILE *out, char **text)
{
    const int bad = ferror(out);

    if (fclose(out) == 0 && !bad && *text)
        return 0;
    free(*text);
    *text = NULL;
    return -1;
}

#endif
