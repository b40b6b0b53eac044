/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The options of overhead compensation, as the oracle takes them. */
#include "overhead.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool number(const char *text, uint64_t *value)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0';
}

/* Like 25 or 0.025. */
static bool cost_option(const char *text, struct o_cost *cost)
{
    char whole[32] = "";
    const size_t n = text ? strcspn(text, ".") : 0;
    if (n == 0 || n >= sizeof whole)
        return false;
    memcpy(whole, text, n);
    cost->millionths = 0;
    if (text[n] == '.') {
        const size_t digits = strlen(text + n + 1);
        if (digits > 6 || !number(text + n + 1, &cost->millionths))
            return false;
        for (size_t i = digits; i < 6; i++)
            cost->millionths *= 10;
    }
    return number(whole, &cost->ticks);
}

static bool kind_option(struct o_overhead_options *o, const char *value)
{
    const char *colon = value ? strchr(value, ':') : NULL;
    for (size_t k = 0; colon && k < O_KINDS; k++)
        if (strlen(o_kinds[k].name) == (size_t)(colon - value) &&
            !strncmp(o_kinds[k].name, value, (size_t)(colon - value)))
            return o->has_kind[k] = cost_option(colon + 1, &o->kind[k]);
    return false;
}

static bool copy_option(struct o_overhead_options *o, const char *value)
{
    char *end;
    struct o_copy *copy = o_push(&o->copy, sizeof *copy);
    copy->size = value ? strtoull(value, &end, 10) : 0;
    return copy->size > 0 && *end == ':' && number(end + 1, &copy->ticks);
}

static bool mode_option(struct o_overhead_options *o, const char *value)
{
    static const char *const modes[] = {"lower", "upper", "mean", "likely"};
    for (unsigned i = 0; value && i < 4; i++)
        if (!strcmp(value, modes[i])) {
            o->mode = i;
            return true;
        }
    return false;
}

int o_overhead_option(struct o_overhead_options *o, const char *option, const char *value)
{
    if (!strcmp(option, "--event"))
        return cost_option(value, &o->event) ? 2 : -1;
    if (!strcmp(option, "--attribute"))
        return cost_option(value, &o->attribute) ? 2 : -1;
    if (!strcmp(option, "--metric-value"))
        return cost_option(value, &o->metric_value) ? 2 : -1;
    if (!strcmp(option, "--carry"))
        return number(value, &o->carry) ? 2 : -1;
    if (!strcmp(option, "--handover"))
        return number(value, &o->handover) ? 2 : -1;
    if (!strcmp(option, "--handshake"))
        return number(value, &o->handshake) ? 2 : -1;
    if (!strcmp(option, "--rendezvous")) {
        o->sends_wait = true;
        o->rendezvous = UINT64_MAX;
        return value && (!strcmp(value, "synchronous") || number(value, &o->rendezvous)) ? 2 : -1;
    }
    if (!strcmp(option, "--kind"))
        return kind_option(o, value) ? 2 : -1;
    if (!strcmp(option, "--copy"))
        return copy_option(o, value) ? 2 : -1;
    if (!strcmp(option, "--mode"))
        return mode_option(o, value) ? 2 : -1;
    if (!strcmp(option, "--paper"))
        return o->paper = true;
    if (!strcmp(option, "--common"))
        return o->common = true;
    if (!strcmp(option, "--keep-off"))
        return o->keep_off = true;
    return 0;
}
