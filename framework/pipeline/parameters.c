/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See parameters.h. */
#include "parameters.h"

#include "framework/settings/settings.h"
#include "stages.h"

#include <stdio.h>
#include <string.h>

/* Of a value, at most so many bytes; lists may be of any length. */
enum { MOST_VALUE = 1000 };

typedef struct listener {
    void (*each)(void *data, const parameter *x);
    void *data;
} listener;

typedef struct part {
    const char *place, *instance, *filter;
    const settings_section *defaults, *section;
} part;

static void hand_on(const listener *to, const part *of, const tcf_param *row)
{
    const char *origin, *value = settings_text(row, of->defaults, of->section, &origin);
    const size_t length = strlen(value);
    char cut[MOST_VALUE + 64];

    if (length > MOST_VALUE) {
        snprintf(cut, sizeof cut, "%.*s... (%zu bytes)", MOST_VALUE, value, length);
        value = cut;
    }
    to->each(to->data,
             &(parameter){of->place, of->instance, of->filter, row->key, value, origin, param_type_name(row->type)});
}

static void each_of(const listener *to, const part *of, const tcf_params *params)
{
    for (uint32_t i = 0; i < params->n; i++)
        hand_on(to, of, &params->at[i]);
}

static tcf_status each_instance(const session *s, const listener *to, const char *place, const tcf_list *instances)
{
    for (uint32_t i = 0; i < instances->n; i++) {
        const char *name = instances->item[i];
        settings *defaults = NULL;
        if (strcmp(name, SURVEY_BREAK) == 0)
            continue;
        const tcf_filter *filter = session_filter(s, name);
        if (!filter || settings_defaults(filter->name, &defaults) != TCF_OK)
            return TCF_ERROR;
        const part of = {place, name, filter->name, defaults ? settings_find(defaults, filter->name) : NULL,
                         settings_find(s->settings, name)};
        each_of(to, &of, &filter->params);
        if (filter->can & TCF_CAN_REPORT)
            each_of(to, &of, &report_params);
        settings_free(defaults);
    }
    return TCF_OK;
}

tcf_status parameters_each(const session *s, void (*each)(void *data, const parameter *x), void *data)
{
    const listener to = {each, data};
    const part own = {"framework", "pipeline", NULL, NULL, settings_find(s->settings, "pipeline")};

    each_of(&to, &own, &pipeline_params);
    if (each_instance(s, &to, "survey", &s->conf.survey) != TCF_OK ||
        each_instance(s, &to, "chain", &s->conf.chain) != TCF_OK)
        return error_while("listing the parameters");
    return TCF_OK;
}
