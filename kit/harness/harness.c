/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The harness itself: made and deleted. See <tcflow/harness.h>. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tcfh *tcfh_new(void)
{
    tcfh *h = harness_checked(NULL, calloc(1, sizeof *h));
    h->defs = harness_checked(h, definitions_new());
    h->defs->v.archive = "harness";
    h->defs->v.creator = h->defs->v.description = h->defs->v.machine = "";
    h->failing_event = UINT64_MAX;
    pthread_mutex_init(&h->collecting, NULL);
    h->error = harness_checked(h, strdup(""));
    if (!(h->folder = harness_new_folder("tcflow-harness")))
        harness_fail(h, "no scratch folder can be made: %s", strerror(errno));
    return h;
}

void harness_forget_output(tcfh *h)
{
    for (uint32_t l = 0; l < harness_locations(h); l++)
        h->lanes[l].n_out = 0;
    for (size_t i = 0; i < h->n_arenas; i++)
        free(h->arenas[i]);
    h->n_arenas = h->n_notes = 0;
}

void tcfh_delete(tcfh *h)
{
    if (!h)
        return;
    tcfh_clear(h);
    harness_forget_output(h);
    for (uint32_t l = 0; l < harness_locations(h); l++) {
        free(h->lanes[l].in);
        free(h->lanes[l].out);
    }
    harness_remove_folder(h->folder);
    definitions_delete(h->defs);
    free(h->lanes);
    free(h->offsets);
    free(h->has_offset);
    free(h->arenas);
    free(h->folder);
    free(h->plugin_path);
    free(h->error);
    free(h->path);
    free(h->text);
    free(h);
}

void tcfh_filter(tcfh *h, const tcf_filter *filter)
{
    if (h->n_filters == HARNESS_FILTERS)
        harness_fail(h, "more than %d filters", HARNESS_FILTERS);
    h->filters[h->n_filters++] = filter;
}

void tcfh_on_failure(tcfh *h, void (*handler)(void *data, const char *message), void *data)
{
    h->handler = handler;
    h->handler_data = data;
}

void tcfh_plugin_path(tcfh *h, const char *folders)
{
    char *copy = harness_checked(h, strdup(folders));
    free(h->plugin_path);
    h->plugin_path = copy;
}
