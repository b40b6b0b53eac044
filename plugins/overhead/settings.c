/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Evaluates the parameters: overheads by kind, the table of copying, which regions are communication. init() checks the
 * texts; ticks and definitions are known from begin() on. */
#include "../shared/numbers/number.h"
#include "overhead.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int parse_size(const char *text, uint64_t *size)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"", 1},       {"B", 1},      {"k", 1e3},       {"M", 1e6},         {"G", 1e9},
                 {"KiB", 1024}, {"kiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
    double value;
    const size_t n = number_at(text, &value);
    for (size_t i = 0; n > 0 && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, text + n) == 0) {
            value *= units[i].bytes;
            *size = value <= 1e18 ? (uint64_t)value : 0;
            return *size > 0;
        }
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- kinds -- */

static const char *const kind_names[TCF_EVENT_KINDS + 1] = {
#define E(number, NAME, Name, name, FIELDS) [number] = #NAME,
    TCF_EVENT_TABLE(E, TCF_NOTHING, TCF_NOTHING, TCF_NOTHING)
#undef E
};

/* Splits "left:right" into a buffer. NULL: the text has another form. */
static const char *split(const char *item, char *left, size_t bytes)
{
    const char *colon = strchr(item, ':');
    if (!colon || (size_t)(colon - item) >= bytes)
        return NULL;
    memcpy(left, item, (size_t)(colon - item));
    left[colon - item] = '\0';
    return colon + 1;
}

static tcf_status parse_kind(const tcf_self *self, const char *item, uint32_t *kind, tcf_duration *duration)
{
    char name[64];
    const char *text = split(item, name, sizeof name);
    if (!text || !duration_of(text, duration))
        return self->host
            ->fail(self, "kinds: '%s': expected a kind of event and a duration, like ENTER:45ns or METRIC:3ticks",
                   item);
    for (*kind = 1; *kind <= TCF_EVENT_KINDS; ++*kind)
        if (kind_names[*kind] && strcmp(kind_names[*kind], name) == 0)
            return TCF_OK;
    return self->host->fail(self,
                            "kinds: there is no kind of event '%s': expected a name as the filter print shows them, "
                            "like ENTER, LEAVE, MPI_SEND, METRIC",
                            name);
}

/* ---------------------------------------------------------------------------------------------- table of copying -- */

static tcf_status add_copy(tcf_self *self, const char *where, const char *size, const char *duration)
{
    struct state *st = self->state;
    if (st->n_copy == MAX_COPY_COSTS)
        return self->host->fail(self, "%s: more than %d sizes", where, MAX_COPY_COSTS);
    struct copy_cost *c = &st->copy[st->n_copy];
    if (!parse_size(size, &c->size) || !duration_of(duration, &c->duration))
        return self->host
            ->fail(self,
                   "%s: '%s' and '%s': expected a size of at least one byte and a duration, like 8 and 20ns "
                   "or 64KiB and 6.1us",
                   where, size, duration);
    if (st->n_copy > 0 && c[-1].size >= c->size)
        return self->host->fail(self, "%s: the size %s does not follow the one before: sizes have to grow", where,
                                size);
    st->n_copy++;
    return TCF_OK;
}

static tcf_status read_copy_file(tcf_self *self, const char *path)
{
    char line[256], where[512];
    tcf_status status = TCF_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return self->host->fail(self, "copy_file = %s: %s", path, strerror(errno));
    for (int number = 1; status == TCF_OK && fgets(line, sizeof line, file); number++) {
        snprintf(where, sizeof where, "%s, line %d", path, number);
        if (!strchr(line, '\n') && strlen(line) == sizeof line - 1) {
            status = self->host->fail(self, "%s: too long", where);
            break;
        }
        line[strcspn(line, "#\n")] = '\0';
        char *rest, *size = strtok_r(line, " \t\r,:", &rest),
                    *duration = size ? strtok_r(NULL, " \t\r,:", &rest) : NULL;
        if (!size)
            continue;
        if (!duration || strtok_r(NULL, " \t\r,:", &rest))
            status = self->host->fail(self, "%s: expected a size and a duration", where);
        else
            status = add_copy(self, where, size, duration);
    }
    if (status == TCF_OK && ferror(file))
        status = self->host->fail(self, "copy_file = %s: %s", path, strerror(errno));
    fclose(file);
    return status;
}

static tcf_status parse_copy(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    if (conf->copy.n > 0 && conf->copy_file)
        return self->host->fail(self, "copy and copy_file are both given: one of them is enough");
    if (!(st->copy = calloc(MAX_COPY_COSTS, sizeof *st->copy)))
        return self->host->fail(self, "out of memory for the table of copying");
    for (uint32_t i = 0; i < conf->copy.n; i++) {
        char size[64];
        const char *duration = split(conf->copy.item[i], size, sizeof size);
        if (!duration)
            return self->host->fail(self, "copy: '%s': expected SIZE:DURATION, like 64KiB:6us", conf->copy.item[i]);
        if (add_copy(self, "copy", size, duration) != TCF_OK)
            return TCF_ERROR;
    }
    return conf->copy_file ? read_copy_file(self, conf->copy_file) : TCF_OK;
}

tcf_status settings_of_sends(tcf_self *self)
{
    const struct conf *conf = self->conf;
    if (!conf->rendezvous || strcmp(conf->rendezvous, "no") == 0)
        return TCF_OK;
    if (conf->paper)
        return self->host->fail(self, "rendezvous = %s with paper = yes: no send waits in the paper", conf->rendezvous);
    self->needs |= TCF_NEED_POSTS;
    self->rendezvous = UINT64_MAX;
    if (strcmp(conf->rendezvous, "synchronous") == 0 || parse_size(conf->rendezvous, &self->rendezvous))
        return TCF_OK;
    return self->host->fail(self,
                            "rendezvous = %s: expected no, synchronous, or a size of at least one byte, like 64KiB",
                            conf->rendezvous);
}

tcf_status settings_parse(tcf_self *self)
{
    const struct conf *conf = self->conf;
    uint32_t kind;
    tcf_duration duration;
    for (uint32_t i = 0; i < conf->kinds.n; i++)
        if (parse_kind(self, conf->kinds.item[i], &kind, &duration) != TCF_OK)
            return TCF_ERROR;
    return parse_copy(self);
}

/* --------------------------------------------------------------------------------------------------------- begin -- */

/* MPI, and barriers of threads. The name counts, too, because some measurement systems record no paradigm. */
static int communicates(const tcf_region *r)
{
    return r->paradigm == TCF_PARADIGM_MPI || r->role == TCF_ROLE_BARRIER || r->role == TCF_ROLE_IMPLICIT_BARRIER ||
           (r->name && strncmp(r->name, "MPI_", 4) == 0);
}

static int is_named(const tcf_region *r, const char *const *names, size_t n)
{
    for (size_t i = 0; r->name && i < n; i++)
        if (strcasecmp(r->name, names[i]) == 0)
            return 1;
    return 0;
}

/* MPI_Waitall and similar functions. */
static int completes_several(const tcf_region *r)
{
    static const char *const names[] = {"MPI_Waitall", "MPI_Waitsome", "MPI_Testall", "MPI_Testsome"};
    return is_named(r, names, sizeof names / sizeof names[0]);
}

/* What the measurement system does in the program's time. Role and paradigm don't tell: those of all of a program are
 * the same as that of a flush. */
static int is_overhead(const struct conf *conf, const tcf_region *r)
{
    static const char *const names[] = {"MEASUREMENT OFF", "TRACE BUFFER FLUSH", "BUFFER FLUSH",
                                        "flush_cupti_activity_buffer"};
    const size_t first = conf->remove_off ? 0 : 1;
    return is_named(r, names + first, sizeof names / sizeof names[0] - first);
}

/* What an event costs, in 1/COST_UNIT ticks. */
static uint64_t cost_units(const tcf_self *self, tcf_duration cost)
{
    const double ticks = cost.in_ticks ? cost.value : cost.value * (double)self->defs->clock.resolution;
    return ticks * (double)COST_UNIT < (double)MOST_COST ? (uint64_t)(ticks * (double)COST_UNIT + 0.5) : MOST_COST;
}

tcf_status settings_to_ticks(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    const tcf_definitions *defs = self->defs;
    static const char *const finalize[] = {"MPI_Finalize"};
    for (uint32_t k = 0; k < 256; k++)
        st->cost[k] = cost_units(self, conf->event);
    for (uint32_t i = 0; i < conf->kinds.n; i++) {
        uint32_t kind;
        tcf_duration duration;
        if (parse_kind(self, conf->kinds.item[i], &kind, &duration) != TCF_OK)
            return TCF_ERROR;
        st->cost[kind] = cost_units(self, duration);
    }
    st->attribute = cost_units(self, conf->attribute);
    st->metric_value = cost_units(self, conf->metric_value);
    st->carry = min_u64(self->host->ticks(self, conf->carry), UINT64_MAX / 4);
    st->handover = min_u64(self->host->ticks(self, conf->handover), UINT64_MAX / 4);
    st->handshake = min_u64(self->host->ticks(self, conf->handshake), UINT64_MAX / 4);
    for (uint32_t i = 0; i < st->n_copy; i++)
        st->copy[i].ticks = min_u64(self->host->ticks(self, st->copy[i].duration), UINT64_MAX / 4);
    st->region = calloc(defs->n_regions + 1u, 1);
    st->leads = calloc(defs->n_locations + 1u, 1);
    if (!st->region || !st->leads)
        return self->host->fail(self, "out of memory for the regions and locations");
    for (uint32_t l = 0; l < defs->n_locations; l++)
        if (tcf_location_at(defs, l)->leader != TCF_NONE)
            st->leads[tcf_location_at(defs, l)->leader] = 1;
    for (uint32_t r = 0; r < defs->n_regions; r++)
        st->region[r] = (uint8_t)((communicates(tcf_region_at(defs, r)) ? REGION_COMMUNICATES : 0) |
                                  (completes_several(tcf_region_at(defs, r)) ? REGION_COMPLETES_SEVERAL : 0) |
                                  (is_overhead(conf, tcf_region_at(defs, r)) ? REGION_IS_OVERHEAD : 0) |
                                  (is_named(tcf_region_at(defs, r), finalize, 1) ? REGION_FINALIZES : 0));
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------------- mark -- */

static const char removed_name[] = "TCFLOW::OVERHEAD_REMOVED";

/* What the archive states, or a filter before this one; NULL: nothing. */
static const char *removed_before(const tcf_self *self)
{
    uint32_t n;
    const tcf_property *set = self->host->properties(self, &n);
    const char *here = tcf_property_of(set, n, removed_name);
    return here ? here : tcf_property_of(self->defs->properties, self->defs->n_properties, removed_name);
}

tcf_status mark_archive(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    const char *before = removed_before(self);
    uint64_t most = st->attribute | st->metric_value;

    for (uint32_t k = 0; k < 256; k++)
        most = max_u64(most, st->cost[k]);
    if (most == 0)
        return TCF_OK; /* flushes have no length any more when they have been taken out */
    if (before && !conf->again)
        return self->host->fail(self,
                                "overhead was removed from this trace already (property %s: %s). Compensate the "
                                "measured trace instead, or set again = yes to remove so much once more",
                                removed_name, before);
    snprintf(st->stated, sizeof st->stated, "%.6g s an event%s%.200s",
             (double)st->cost[TCF_ENTER] / (double)COST_UNIT / (double)self->defs->clock.resolution,
             before ? ", behind " : "", before ? before : "");
    return self->host->set_property(self, removed_name, st->stated);
}

tcf_status keep_mark(tcf_self *self)
{
    const struct state *st = self->state;
    return st->stated[0] ? self->host->set_property(self, removed_name, st->stated) : TCF_OK;
}
