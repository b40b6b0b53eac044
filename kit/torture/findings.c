/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the runs of a plugin have found: broken rules, on the board that the steps share. */
#include "torture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *need(void *p)
{
    if (!p) {
        fputs("tcflow-torture: out of memory\n", stderr);
        exit(EXIT_USAGE);
    }
    return p;
}

const char *const callback_names[CALLS] =
    {"(no callback)",       "init",         "begin", "slice", "span", "arrive",
     "collective_complete", "location_end", "flush", "end",   "fini", "heartbeat"};

void report_finding(board *b, enum rule rule, enum callback callback, uint64_t location, uint64_t event,
                    const char *format, ...)
{
    va_list arguments;
    for (uint32_t i = 0; i < b->n_findings; i++)
        if (b->findings[i].rule == rule)
            return; /* the first one of each rule */
    if (b->n_findings == sizeof b->findings / sizeof b->findings[0])
        return;
    finding *f = &b->findings[b->n_findings];
    *f = (finding){.rule = rule, .callback = callback, .location = location, .event = event};
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    b->n_findings++;
}

void watch_find(watch *w, enum rule rule, const tcf_slice *s, uint32_t i, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const tcf_definitions *defs = w->self->defs;
    uint64_t location = s && defs && s->location < defs->n_locations ? defs->locations[s->location].id : NO_EVENT;
    report_finding(w->guard->board, rule, w->in, location, s ? s->first + i : NO_EVENT, "%s", text);
}
