/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Turns the lists of select's parameters into tables by kind, location, region and communicator, and reports words
 * that fit nothing. Words are numbers, names, or globs (* ? [...]). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* FNM_CASEFOLD */
#endif
#include "../shared/records/fields.h"
#include "select.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/processes.h>

/* --------------------------------------------------------------------------------------------------------- words -- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters to change, add or remove to make b of a; capitals don't matter. */
static size_t distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    size_t n = strlen(a), m = strlen(b), row[MOST + 1];

    if (n > MOST || m > MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j];
            int differ = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
            row[j] = least(diagonal + (differ ? 1 : 0), 1 + least(above, row[j - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

const char *nearest(const char *word, uint32_t n, const char *(*name)(const void *data, uint32_t i), const void *data)
{
    const char *best = NULL;
    size_t shortest = 1 + (strlen(word) + 2) / 3;

    for (uint32_t i = 0; i < n; i++) {
        const char *candidate = name(data, i);
        size_t d = candidate && *candidate ? distance(word, candidate) : SIZE_MAX;
        if (d < shortest) {
            shortest = d;
            best = candidate;
        }
    }
    return best;
}

/* Is it a whole number, or with `end` a range of them? */
static int is_number(const char *word, uint64_t *number, uint64_t *end)
{
    char *rest;

    if (!isdigit((unsigned char)*word))
        return 0;
    errno = 0;
    *number = strtoull(word, &rest, 10);
    if (end)
        *end = *number;
    if (end && *rest == '-' && isdigit((unsigned char)rest[1]))
        *end = strtoull(rest + 1, &rest, 10);
    return *rest == '\0' && errno == 0;
}

static int is_glob(const char *word)
{
    return strpbrk(word, "*?[") != NULL;
}

static tcf_status no_such(tcf_self *self, const char *key, const char *word, const char *near)
{
    return self->host->refuse(self, "%s: there is no '%s' in this trace%s%s%s", key, word,
                              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A glob that fits nothing gets a warning only, since it may be meant for other traces. */
static tcf_status fits_nothing(tcf_self *self, const char *key, const char *word, const char *near)
{
    if (!is_glob(word))
        return no_such(self, key, word, near);
    self->host->log(self, TCF_LOG_WARNING, "%s: nothing in this trace fits '%s'", key, word);
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- kinds -- */

static const char *const kind_name[] = {
#define E(number, NAME, Name, name, FIELDS) [number] = #Name,
    TCF_EVENT_TABLE(E, TCF_NOTHING, TCF_NOTHING, TCF_NOTHING)
#undef E
};

static const char *constant_of(const void *data, uint32_t i)
{
    (void)data;
    return event_records[i + 1].name;
}

static const char *name_of(const void *data, uint32_t i)
{
    (void)data;
    return kind_name[i + 1];
}

static tcf_status mark_kinds(tcf_self *self, const char *key, const tcf_list *words, uint8_t *table, uint8_t value)
{
    for (uint32_t w = 0; w < words->n; w++) {
        const char *word = words->item[w];
        int fits = 0;
        for (uint32_t k = 1; k <= TCF_EVENT_KINDS; k++) {
            if (fnmatch(word, event_records[k].name, FNM_CASEFOLD) != 0 &&
                fnmatch(word, kind_name[k], FNM_CASEFOLD) != 0 &&
                fnmatch(word, event_name_of_otf2_print(k), FNM_CASEFOLD) != 0)
                continue;
            table[k] = value;
            fits = 1;
        }
        if (fits)
            continue;
        const char *near = nearest(word, TCF_EVENT_KINDS, strchr(word, '_') ? constant_of : name_of, NULL);
        return self->host->refuse(self, "%s: no kind of event is named '%s'%s%s%s", key, word,
                                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return TCF_OK;
}

/* Drops all receives where the kinds drop all sends, and the other way round. */
static tcf_status drop_other_ends(tcf_self *self)
{
    state *st = self->state;
    uint8_t *keep = st->keep_kind;

    if (!keep[TCF_MPI_SEND] && !keep[TCF_MPI_ISEND])
        keep[TCF_MPI_RECV] = keep[TCF_MPI_IRECV] = 0;
    else if (!keep[TCF_MPI_RECV] && !keep[TCF_MPI_IRECV])
        keep[TCF_MPI_SEND] = keep[TCF_MPI_ISEND] = 0;
    if (keep[TCF_MPI_SEND] == keep[TCF_MPI_ISEND] && keep[TCF_MPI_RECV] == keep[TCF_MPI_IRECV])
        return TCF_OK;
    return self->host->refuse(self,
                              "messages = drop: when blocking or non-blocking sends (or receives) alone are selected "
                              "away, it is not known which ends of messages are left; name MPI_SEND and MPI_ISEND, "
                              "MPI_RECV and MPI_IRECV together");
}

tcf_status what_kinds(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    memset(st->keep_kind, c->kinds.n == 0, sizeof st->keep_kind);
    if (mark_kinds(self, "kinds", &c->kinds, st->keep_kind, 1) != TCF_OK ||
        mark_kinds(self, "exclude_kinds", &c->exclude_kinds, st->keep_kind, 0) != TCF_OK)
        return TCF_ERROR;
    return c->messages == MESSAGES_DROP ? drop_other_ends(self) : TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- locations -- */

static const char *location_name(const void *data, uint32_t i)
{
    return tcf_location_at(data, i)->name;
}

static const char *group_name(const void *data, uint32_t i)
{
    return tcf_location_group_at(data, i)->name;
}

static const char *comm_name(const void *data, uint32_t i)
{
    return tcf_comm_at(data, i)->name;
}

static void take_location(const tcf_definitions *defs, uint32_t i, uint8_t *table)
{
    (void)defs;
    table[i] = 1;
}

static void take_group(const tcf_definitions *defs, uint32_t i, uint8_t *locations)
{
    for (uint32_t l = 0; l < defs->n_locations; l++)
        locations[l] |= tcf_location_at(defs, l)->group == i || tcf_process_of(defs, l) == i;
}

static void take_comm(const tcf_definitions *defs, uint32_t i, uint8_t *table)
{
    const uint32_t canonical = tcf_comm_at(defs, i)->canonical;
    table[canonical < defs->n_comms ? canonical : i] = 1;
}

/* A list of words that name definitions of one kind. */
struct named {
    const char *key;
    tcf_ref_kind kind;
    const char *(*name)(const void *data, uint32_t i);
    void (*take)(const tcf_definitions *defs, uint32_t i, uint8_t *table);
};

static const struct named locations_named = {"locations", TCF_REF_LOCATION, location_name, take_location};
static const struct named groups_named = {"groups", TCF_REF_LOCATION_GROUP, group_name, take_group};
static const struct named comms_named = {"communicators", TCF_REF_COMM, comm_name, take_comm};

/* A word that is a number is an id. */
static tcf_status mark_word(tcf_self *self, const struct named *of, const char *word, uint8_t *table)
{
    const tcf_definitions *defs = self->defs;
    const tcf_ids *ids = &defs->ids[of->kind];
    uint64_t id;
    int number = is_number(word, &id, NULL), fits = 0;

    for (uint32_t i = 0; i < ids->n; i++) {
        const char *name = of->name(defs, i);
        if (number ? ids->id[i] != id : !name || fnmatch(word, name, 0) != 0)
            continue;
        of->take(defs, i, table);
        fits = 1;
    }
    return fits ? TCF_OK : fits_nothing(self, of->key, word, number ? NULL : nearest(word, ids->n, of->name, defs));
}

/* Marks the locations of processes by number: by rank of MPI_COMM_WORLD, without MPI by index of the location group. */
static tcf_status mark_numbers(tcf_self *self, const char *key, const char *word, uint64_t from, uint64_t to,
                               const tcf_processes *p, uint8_t *locations)
{
    const tcf_definitions *defs = self->defs;
    const uint64_t size = p->ranks > 0 ? p->ranks : defs->n_location_groups;

    if (from > to || to >= size)
        return self->host->refuse(self, "%s: %s is out of range: this trace has %" PRIu64 " %s, counted from 0", key,
                                  word, size, p->ranks > 0 ? "ranks" : "location groups");
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const uint32_t number = p->ranks > 0 ? p->rank[l] : tcf_location_at(defs, l)->group;
        if (number >= from && number <= to)
            locations[l] = 1;
    }
    return TCF_OK;
}

/* numbers: the words may be numbers of processes; NULL: they are ids. */
static tcf_status mark_words(tcf_self *self, const struct named *of, const tcf_list *words,
                             const tcf_processes *numbers, uint8_t *table)
{
    tcf_status status = TCF_OK;

    for (uint32_t w = 0; w < words->n && status == TCF_OK; w++) {
        const char *word = words->item[w];
        uint64_t from, to;
        status = numbers && is_number(word, &from, &to) ? mark_numbers(self, of->key, word, from, to, numbers, table)
                                                        : mark_word(self, of, word, table);
    }
    return status;
}

static tcf_status mark_ranks(tcf_self *self, const tcf_list *words, const tcf_processes *p, uint8_t *locations)
{
    uint64_t from, to;

    if (p->ranks == 0)
        return self->host
            ->refuse(self, "ranks: this trace has no ranks of MPI; 'groups' counts its location groups, and takes "
                           "their names");
    for (uint32_t w = 0; w < words->n; w++) {
        if (!is_number(words->item[w], &from, &to))
            return self->host
                ->refuse(self,
                         "ranks: '%s' is no number, nor two with a - between them; names of location groups "
                         "stand in 'groups'",
                         words->item[w]);
        if (mark_numbers(self, "ranks", words->item[w], from, to, p, locations) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* A location has to be in `locations`, where that is given, and its process in `groups` or `ranks`, where one is given.
 */
static tcf_status locations_table(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    tcf_processes ranks = {0};
    tcf_status status = TCF_OK;

    const int of_processes = c->groups.n > 0 || c->ranks.n > 0;
    if (c->locations.n == 0 && !of_processes)
        return TCF_OK;
    uint8_t *of_groups = calloc(defs->n_locations + 1u, 1);
    st->location = calloc(defs->n_locations + 1u, 1);
    if (!of_groups || !st->location || tcf_processes_find(&ranks, defs) != 0) {
        tcf_processes_free(&ranks);
        free(of_groups);
        return self->host->fail(self, "out of memory for %u locations", defs->n_locations);
    }
    if (c->locations.n > 0)
        status = mark_words(self, &locations_named, &c->locations, NULL, st->location);
    else
        memset(st->location, 1, defs->n_locations);
    if (status == TCF_OK && c->groups.n > 0)
        status = mark_words(self, &groups_named, &c->groups, &ranks, of_groups);
    if (status == TCF_OK && c->ranks.n > 0)
        status = mark_ranks(self, &c->ranks, &ranks, of_groups);
    for (uint32_t l = 0; of_processes && l < defs->n_locations; l++)
        st->location[l] &= of_groups[l];
    tcf_processes_free(&ranks);
    free(of_groups);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- regions -- */

static int fits_any(const tcf_list *words, const char *name, uint8_t *used)
{
    int fits = 0;

    for (uint32_t w = 0; w < words->n; w++)
        if (name && fnmatch(words->item[w], name, 0) == 0)
            fits = used[w] = 1;
    return fits;
}

static void warn_unused(tcf_self *self, const char *key, const tcf_list *words, const uint8_t *used)
{
    for (uint32_t w = 0; w < words->n; w++)
        if (!used[w])
            self->host->log(self, TCF_LOG_WARNING, "%s: no region of this trace fits '%s'", key, words->item[w]);
}

static tcf_status regions_table(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    const tcf_definitions *defs = self->defs;

    st->keep_other_regions = c->regions.n == 0;
    if (c->regions.n == 0 && c->exclude_regions.n == 0 && st->file_rules.n == 0)
        return TCF_OK;
    uint8_t *used = calloc(c->regions.n + c->exclude_regions.n + 1u, 1);
    st->region = malloc(defs->n_regions + 1u);
    if (!used || !st->region) {
        free(used);
        return self->host->fail(self, "out of memory for %u regions", defs->n_regions);
    }
    for (uint32_t r = 0; r < defs->n_regions; r++) {
        const tcf_region *region = tcf_region_at(defs, r);
        int keep = c->regions.n == 0 || fits_any(&c->regions, region->name, used);
        if (fits_any(&c->exclude_regions, region->name, used + c->regions.n))
            keep = 0;
        st->region[r] = keep && filter_file_keeps(&st->file_rules, region);
    }
    warn_unused(self, "regions", &c->regions, used);
    warn_unused(self, "exclude_regions", &c->exclude_regions, used + c->regions.n);
    free(used);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------- communicators -- */

/* Selects among communicators of the paradigms of those that are named: with one of MPI named, teams of OpenMP stay. */
static tcf_status comms_table(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    uint8_t named[256] = {0};

    st->keep_other_comms = 1;
    if (c->communicators.n == 0)
        return TCF_OK;
    st->comm = calloc(defs->n_comms + 1u, 1);
    if (!st->comm)
        return self->host->fail(self, "out of memory for %u communicators", defs->n_comms);
    if (mark_words(self, &comms_named, &c->communicators, NULL, st->comm) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < defs->n_comms; i++)
        named[tcf_comm_at(defs, i)->paradigm] |= st->comm[i];
    if (!memchr(named, 1, sizeof named))
        named[TCF_PARADIGM_MPI] = 1; /* nothing fits: nothing of MPI stays */
    for (uint32_t i = 0; i < defs->n_comms; i++) {
        uint32_t canonical = tcf_comm_at(defs, i)->canonical;
        /* A canonical index is that of the first definition, so this one hasn't been overwritten. */
        if (!named[tcf_comm_at(defs, i)->paradigm])
            st->comm[i] = 1;
        else if (canonical < i)
            st->comm[i] = st->comm[canonical];
    }
    st->keep_other_comms = !named[TCF_PARADIGM_MPI];
    return TCF_OK;
}

/* Finds the fields of records that name a communicator or a window. */
static void find_fields(state *st)
{
    for (uint32_t kind = 1; kind <= TCF_EVENT_KINDS; kind++)
        for (const struct field *f = event_records[kind].fields; f->name; f++)
            if (f->role == ROLE_COMM)
                st->comm_field[kind] = (uint8_t)(1 + f->offset);
            else if (f->role == ROLE_RMA_WIN)
                st->win_field[kind] = (uint8_t)(1 + f->offset);
}

/* --------------------------------------------------------------------------------------------------------- rules -- */

/* Does the record belong to a request whose communicator another record names? */
static int is_of_request(uint32_t kind)
{
    switch (kind) {
    case TCF_MPI_ISEND_COMPLETE:
    case TCF_MPI_IRECV_REQUEST:
    case TCF_MPI_REQUEST_TEST:
    case TCF_MPI_REQUEST_CANCELLED:
    case TCF_NON_BLOCKING_COLLECTIVE_REQUEST:
    case TCF_MPI_COLLECTIVE_BEGIN:
    case TCF_RMA_COLLECTIVE_BEGIN:
        return 1;
    default:
        return 0;
    }
}

static uint8_t rule_of(const state *st, uint32_t kind)
{
    if (!st->keep_kind[kind])
        return RULE_DROP;
    if (st->region && (kind == TCF_ENTER || kind == TCF_LEAVE))
        return RULE_REGION;
    if (st->region && (kind == TCF_CALLING_CONTEXT_ENTER || kind == TCF_CALLING_CONTEXT_LEAVE))
        return RULE_CONTEXT;
    if ((st->comm || st->partners) && (st->comm_field[kind] || st->win_field[kind] || is_of_request(kind)))
        return RULE_REQUEST;
    return RULE_KEEP;
}

tcf_status what_definitions(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;

    if (locations_table(self) != TCF_OK || regions_table(self) != TCF_OK || comms_table(self) != TCF_OK)
        return TCF_ERROR;
    st->partners = c->messages == MESSAGES_DROP && st->location;
    find_fields(st);
    for (uint32_t k = 1; k <= TCF_EVENT_KINDS; k++) {
        st->rule[k] = rule_of(st, k);
        st->by_event |= st->rule[k] != RULE_KEEP;
    }
    st->active = st->by_event || st->location || st->range;
    return TCF_OK;
}

void what_free(state *st)
{
    filter_file_free(&st->file_rules);
    free(st->location);
    free(st->region);
    free(st->comm);
    st->location = st->region = st->comm = NULL;
}
