/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Small questions about a session and its pipelines that several files of this room ask. */
#include "stages.h"

#include <stdlib.h>
#include <string.h>

const tcf_filter *session_filter(const session *s, const char *name)
{
    const settings_entry *filter = settings_entry_of(settings_find(s->settings, name), "filter");
    return loader_find(s->loader, filter ? filter->value : name);
}

int pipeline_column(const pipeline *p, const char *name)
{
    for (uint32_t c = 0; c < p->layout.n_columns; c++)
        if (strcmp(p->layout.column[c].name, name) == 0)
            return (int)c;
    return -1;
}

const exchange_counts *pipeline_next_counts(const pipeline *p, uint32_t *k)
{
    while (*k < p->n_stages) {
        const stage *st = &p->stages[(*k)++];
        if (st->kind == STAGE_SEGMENT)
            return exchange_get_counts(segment_exchange(st->segment));
    }
    return NULL;
}

void pipeline_set_changed(pipeline *p)
{
    uint32_t changed = p->changed_before;
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *f = &p->instances[i];
        f->self.changed = changed;
        changed |= (f->self.writes & f->filter->writes) | (f->drops ? TCF_WRITES_EVENTS : 0);
    }
}

tcf_status pipeline_set_property(pipeline *p, const char *name, const char *value)
{
    uint32_t i = 0;
    while (i < p->n_properties && strcmp(p->properties[i].name, name) != 0)
        i++;
    char *copy = strdup(value);
    if (copy && i < p->n_properties) {
        free((char *)p->properties[i].value);
        p->properties[i].value = copy;
        return TCF_OK;
    }
    char *name_copy = strdup(name);
    tcf_property *grown = realloc(p->properties, (i + 1) * sizeof *grown);
    if (grown)
        p->properties = grown;
    if (!copy || !name_copy || !grown) {
        free(copy);
        free(name_copy);
        return error_fail("out of memory for the property '%s'", name);
    }
    grown[p->n_properties++] = (tcf_property){name_copy, copy};
    return TCF_OK;
}
