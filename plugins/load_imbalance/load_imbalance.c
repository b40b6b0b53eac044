/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* load_imbalance: which regions take longer in some processes than in others, in which ones, and how long processes are
 * idle.
 *
 * The exclusive time of each region, the same as in profile, is summed up by location, and by process when a location
 * ends. Memory is processes x regions that they use; nothing is allocated for a single event. */
#include "load_imbalance.h"
#include "../shared/patterns/region_kinds.h"
#include "../shared/regions/region_names.h"
#include "../shared/regions/same_regions.h"

#include <fnmatch.h>
#include <tcflow/grow.h>
#include <tcflow/times.h>

#include <stdlib.h>

/* -------------------------------------------------------------------------------------------------------- shares -- */

static void shares_free(shares *s)
{
    free(s->at);
    tcf_map_free(&s->index);
    *s = (shares){0};
}

/* Where the time of a region in a process is summed up; TCF_NONE: out of memory. */
static uint32_t shares_find(shares *s, uint32_t process, uint32_t region)
{
    uint32_t at = tcf_map_get(&s->index, process, region);
    if (at != TCF_MAP_ABSENT)
        return at;
    if (TCF_GROW(&s->at, &s->capacity, s->n) != 0)
        return TCF_NONE;
    if (tcf_map_put(&s->index, process, region, s->n) != 0)
        return TCF_NONE;
    s->at[s->n] = (share){.process = process, .region = region};
    return s->n++;
}

/* -------------------------------------------------------------------------------------------------------- events -- */

/* The time up to now belongs to the innermost open region; it is idle time inside of an idle one. */
static inline void pass(place *p, uint64_t time)
{
    if (p->stack.depth > 0) {
        const uint32_t row = p->stack.open[p->stack.depth - 1].row;
        p->shares.at[(row & ((1u << KEPT_FROM) - 1)) - 1].ticks += time - p->since;
        p->idle += row >> KEPT_FROM & IDLE ? time - p->since : 0;
    }
    p->since = time;
}

static __attribute__((noinline)) int look_up(place *p, uint32_t region, uint32_t most, region_frame *f)
{
    const int room = p->shares.n < most || tcf_map_get(&p->shares.index, 0, region) != TCF_MAP_ABSENT;
    const uint32_t row = shares_find(&p->shares, 0, room ? region : BEYOND);
    *f = (region_frame){region, row == TCF_NONE ? 0 : row + 1};
    return row == TCF_NONE ? -1 : 0;
}

static inline int enter(const tcf_self *self, place *p, uint32_t region, uint64_t time)
{
    const state *st = self->state;
    const uint32_t most = (uint32_t)((const conf *)self->conf)->max_regions;
    const uint32_t around = p->stack.depth > 0 ? p->stack.open[p->stack.depth - 1].row >> KEPT_FROM : 0;
    region_frame *f = region_stack_recent(&p->stack, region);
    pass(p, time);
    if (__builtin_expect(f->region != region || f->row == 0, 0) && look_up(p, region, most, f) != 0)
        return -1;
    const uint32_t kept = region_within(around, region < self->defs->n_regions ? st->idle[region] : 0);
    return region_stack_enter(&p->stack, (region_frame){region, f->row | kept << KEPT_FROM});
}

static inline void leave(place *p, uint32_t region, uint64_t time)
{
    pass(p, time);
    region_stack_leave(&p->stack, region);
}

static tcf_status imbalance_slice(tcf_self *self, tcf_slice *s)
{
    const tcf_definitions *defs = self->defs;
    place *p = tcf_location_state(self, s->location);
    int failed = 0;
    if (s->n == 0)
        return TCF_OK;
    for (uint32_t i = 0; i < s->n; i++) {
        if (tcf_is_enter(s->kind[i]))
            failed |= enter(self, p, tcf_region_of_event(defs, s, i), s->time[i]);
        else if (tcf_is_leave(s->kind[i]))
            leave(p, tcf_region_of_event(defs, s, i), s->time[i]);
    }
    p->last = s->time[s->n - 1];
    p->used = 1;
    return failed ? self->host->fail(self, "out of memory for %u regions of a location", p->shares.n) : TCF_OK;
}

static void place_free(place *p)
{
    shares_free(&p->shares);
    region_stack_free(&p->stack);
    p->used = 0;
}

/* Adds a location to its process; -1: out of memory. */
static int add_location(const tcf_self *self, const place *p, uint32_t location)
{
    const tcf_definitions *defs = self->defs;
    state *st = self->state;
    const uint32_t process = st->processes.of[location];
    if (p->shares.n > 0 && tcf_map_put(&st->counts, process, 0, 1) != 0)
        return -1;
    st->idle_time[process] = tcf_ticks_sum(st->idle_time[process], p->idle);
    for (uint32_t i = 0; i < p->shares.n; i++) {
        const share *x = &p->shares.at[i];
        const uint32_t region = x->region < defs->n_regions ? st->same[x->region] : x->region;
        const uint32_t at = shares_find(&st->all, process, region);
        if (at == TCF_NONE)
            return -1;
        st->all.at[at].ticks = tcf_ticks_sum(st->all.at[at].ticks, x->ticks);
    }
    return 0;
}

/* Visits that are still open end with the last event. */
static tcf_status imbalance_location_end(tcf_self *self, uint32_t location)
{
    state *st = self->state;
    place *p = tcf_location_state(self, location);
    if (!p->used)
        return TCF_OK;
    pass(p, p->last);
    const int failed = add_location(self, p, location);
    st->not_counted += p->stack.not_counted;
    place_free(p);
    return failed ? self->host->fail(self, "out of memory for %u regions of processes", st->all.n) : TCF_OK;
}

/* The name that MPI has for a function: HPCToolkit calls MPI_Recv "PMPI_Recv [libmpi.so]". */
static void short_name(const char *name, char to[REGION_NAME])
{
    const char *from = strncmp(name, "PMPI_", 5) == 0 ? name + 1 : name;
    snprintf(to, REGION_NAME, "%.*s", (int)strcspn(from, " "), from);
}

/* By the list, or by what the region is; of others only those matter that stand apart from idle ones around. */
static uint8_t idle_of(const tcf_self *self, uint32_t region)
{
    const tcf_list *idle = &((const conf *)self->conf)->idle;
    char buffer[REGION_NAME], short_[REGION_NAME];
    const char *name = region_name_of(self->defs, region, NULL, buffer);
    uint8_t kind, extra;
    waits_classify_region(tcf_region_at(self->defs, region), &kind, &extra);
    short_name(name, short_);
    for (uint32_t i = 0; i < idle->n; i++)
        if (fnmatch(idle->item[i], name, 0) == 0 ||
            (strcmp(name, short_) != 0 && kind != WAIT_COMPUTATION && fnmatch(idle->item[i], short_, 0) == 0))
            return IDLE | REGION_ENCLOSES;
    return kind == WAIT_IDLE ? IDLE | REGION_ENCLOSES
                             : region_nesting(tcf_region_at(self->defs, region), kind) & REGION_STANDS_APART;
}

static tcf_status imbalance_begin(tcf_self *self)
{
    state *st = self->state;
    st->same = same_regions(self->defs);
    st->idle = malloc(self->defs->n_regions + 1ul);
    for (uint32_t r = 0; st->idle && r < self->defs->n_regions; r++)
        st->idle[r] = idle_of(self, r);
    if (!st->same || !st->idle || tcf_processes_find(&st->processes, self->defs) != 0 ||
        !(st->idle_time = calloc(st->processes.n + 1ul, sizeof *st->idle_time)))
        return self->host->fail(self, "out of memory for %u regions and %u locations", self->defs->n_regions,
                                self->defs->n_locations);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

/* The shares of all processes of the domain, and by process: has it entered a region? */
static tcf_status imbalance_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const state *st = self->state;

    host->put(pack, &st->not_counted, sizeof st->not_counted);
    host->put(pack, &st->all.n, sizeof st->all.n);
    host->put(pack, st->all.at, st->all.n * sizeof *st->all.at);
    for (uint32_t k = 0; k < st->processes.n; k++) {
        const uint8_t counts = tcf_map_get(&st->counts, k, 0) != TCF_MAP_ABSENT;
        host->put(pack, &counts, sizeof counts);
        host->put(pack, &st->idle_time[k], sizeof st->idle_time[k]);
    }
    return TCF_OK;
}

static tcf_status imbalance_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    state *st = self->state;
    uint64_t not_counted;
    uint32_t n;
    int failed = 0;

    host->take(pack, &not_counted, sizeof not_counted);
    st->not_counted += not_counted;
    host->take(pack, &n, sizeof n);
    for (uint32_t i = 0; i < n && !failed; i++) {
        share x;
        host->take(pack, &x, sizeof x);
        const uint32_t at = shares_find(&st->all, x.process, host->taken_index(pack, TCF_REF_REGION, x.region));
        failed = at == TCF_NONE;
        if (!failed)
            st->all.at[at].ticks = tcf_ticks_sum(st->all.at[at].ticks, x.ticks);
    }
    for (uint32_t k = 0; k < st->processes.n && !failed; k++) {
        uint8_t counts;
        uint64_t idle;
        host->take(pack, &counts, sizeof counts);
        host->take(pack, &idle, sizeof idle);
        st->idle_time[k] = tcf_ticks_sum(st->idle_time[k], idle);
        failed = counts && tcf_map_put(&st->counts, k, 0, 1) != 0;
    }
    return failed ? host->fail(self, "out of memory for %u regions of processes", st->all.n) : TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- description -- */

static void imbalance_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        place_free(tcf_location_state(self, l));
    shares_free(&st->all);
    tcf_map_free(&st->counts);
    tcf_processes_free(&st->processes);
    free(st->same);
    free(st->idle);
    free(st->idle_time);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, idle, TCF_LIST,
              "MPI_Recv MPI_Wait MPI_Waitall MPI_Waitany MPI_Waitsome MPI_Probe MPI_Mprobe MPI_Barrier",
              "Regions in which a process is idle, beside those that are idle by what they are: names or globs"),
    TCF_PARAM(conf, worst, TCF_INT, "5", "So many processes of each region, those with the most time", .min = "0"),
    TCF_PARAM(conf, max_regions, TCF_INT, "4096", "Regions of a location at most; those beyond are counted as one",
              .min = "1", .max = "1048576"),
    TCF_PARAM(conf, top, TCF_INT, "0", "Only so many regions, those with the most time; 0: all", .min = "0"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "load_imbalance",
    .version = "1.0",
    .summary =
        "How unevenly the time of each region is spread over the processes, and how long each is idle (idle_time)",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "The load of a process in a region is its exclusive time there, as in profile, of all locations of the "
        "process (a location group, or each rank of one that has several, as in AMPI or MPC, and the rest of it) "
        "together. The imbalance of a region is the largest load divided by the mean over all processes that have "
        "entered any region; one that never entered this region counts with 0. With imbalance_inside the mean is "
        "that of the processes that have entered it. 1 is perfect balance, the number of processes the contrary. "
        "Regions that differ in nothing but their id are one.\n\n"
        "A process is idle while a location is in a region of `idle`, or in one in which a thread has nothing to do "
        "(as Charm++'s Idle), whatever but tasks is called from there; its share is that of the time that its "
        "locations spent "
        "in regions.\n\n"
        "Tables: load_imbalance, regions with the most time first; worst_processes, those with the largest load "
        "in each of these regions; idle_time, processes with the most idle time first.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .location_more = 120,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = imbalance_slice,
    .begin = imbalance_begin,
    .location_end = imbalance_location_end,
    .end = imbalance_report,
    .fini = imbalance_fini,
    .pack = imbalance_pack,
    .absorb = imbalance_absorb,
};
