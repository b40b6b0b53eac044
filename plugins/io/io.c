/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* io: counts I/O operations, their bytes and times, by process, file, paradigm and kind of operation; uses of handles;
 * and the time in regions that do I/O.
 *
 * Each location counts by handle, and is added to its process when it ends. Memory grows with the handles in use and
 * the operations under way, which are capped. No event takes an allocation. */
#include "io.h"
#include "../shared/regions/same_regions.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_BYTES UINT64_MAX

/* ---------------------------------------------------------------------------------------------------- operations -- */

static void give_back(place *p, uint32_t at, uint32_t handle, uint64_t id)
{
    tcf_map_remove(&p->open, handle, id);
    PLACES_GIVE_BACK(p->operations, &p->in_use, at);
}

static inline row *row_at(place *p, uint32_t number)
{
    return (row *)p->rows.at + number;
}

static int begin(const tcf_self *self, place *p, uint64_t time, const tcf_ev_io_operation_begin *x)
{
    const int non_blocking = (x->operation_flags & OTF2_IO_OPERATION_FLAG_NON_BLOCKING) != 0;
    row *r = ROW_OF(row, &p->rows, .file = x->handle, .mode = x->mode < OTHER ? x->mode : OTHER);
    if (!r)
        return -1;
    r->sum.n[BEGUN]++;
    r->sum.n[NON_BLOCKING] += (uint64_t)non_blocking;
    r->sum.n[COLLECTIVE] += (x->operation_flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0;
    if (x->bytes_request != UNKNOWN_BYTES)
        r->sum.n[REQUESTED] = tcf_bytes_sum(r->sum.n[REQUESTED], x->bytes_request);
    uint32_t at = tcf_map_get(&p->open, x->handle, x->matching_id);
    if (at != TCF_MAP_ABSENT) {
        p->limits.never_completed++;
    } else if (p->open.n >= ((const conf *)self->conf)->max_operations) {
        p->limits.too_many++;
        return 0;
    } else if ((at = PLACES_TAKE(&p->operations, &p->in_use)) == TCF_NONE ||
               tcf_map_put(&p->open, x->handle, x->matching_id, at) != 0) {
        return -1;
    }
    p->operations[at] = (open_operation){.from = time,
                                         .bytes = x->bytes_request,
                                         .row = (uint32_t)(r - row_at(p, 0)),
                                         .paradigm = paradigm_of(self->state, x->handle),
                                         .non_blocking = (uint8_t)non_blocking};
    return 0;
}

static uint32_t size_bin_of(uint64_t bytes)
{
    if (bytes == UNKNOWN_BYTES)
        return SIZES - 1;
    return bytes == 0 ? 0 : 64u - (uint32_t)__builtin_clzll(bytes);
}

static void note_bytes(operations *sum, uint64_t asked, uint64_t bytes)
{
    if (bytes == UNKNOWN_BYTES) {
        sum->n[UNKNOWN]++;
        return;
    }
    const int none = sum->n[COMPLETED] == sum->n[UNKNOWN];
    sum->min_bytes = none || bytes < sum->min_bytes ? bytes : sum->min_bytes;
    sum->max_bytes = none || bytes > sum->max_bytes ? bytes : sum->max_bytes;
    sum->n[TRANSFERRED] = tcf_bytes_sum(sum->n[TRANSFERRED], bytes);
    sum->n[INCOMPLETE] += asked != UNKNOWN_BYTES && bytes < asked;
}

static int complete(place *p, uint64_t time, const tcf_ev_io_operation_complete *x)
{
    const uint32_t at = tcf_map_get(&p->open, x->handle, x->matching_id);
    if (at == TCF_MAP_ABSENT) {
        p->limits.not_begun++;
        return 0;
    }
    const open_operation o = p->operations[at];
    const uint64_t ticks = tcf_time_since(o.from, time);
    row *r = row_at(p, o.row);
    histogram *h = ROW_OF(histogram, &p->histograms, .paradigm = o.paradigm, .mode = r->of.mode);
    if (!h)
        return -1;
    add_bin(&h->bin[size_bin_of(x->bytes_result)],
            &(size_bin){.operations = 1,
                        .bytes = x->bytes_result != UNKNOWN_BYTES ? x->bytes_result : 0,
                        .ticks = ticks});
    const int none = r->sum.n[COMPLETED] == 0;
    r->sum.min_ticks = none || ticks < r->sum.min_ticks ? ticks : r->sum.min_ticks;
    r->sum.max_ticks = none || ticks > r->sum.max_ticks ? ticks : r->sum.max_ticks;
    r->sum.ticks = tcf_ticks_sum(r->sum.ticks, ticks);
    note_bytes(&r->sum, o.bytes, x->bytes_result);
    r->sum.n[COMPLETED]++;
    give_back(p, at, x->handle, x->matching_id);
    return 0;
}

static void cancel(place *p, const tcf_ev_io_operation_cancelled *x)
{
    const uint32_t at = tcf_map_get(&p->open, x->handle, x->matching_id);
    if (at == TCF_MAP_ABSENT) {
        p->limits.not_begun++;
        return;
    }
    row_at(p, p->operations[at].row)->sum.n[CANCELLED]++;
    give_back(p, at, x->handle, x->matching_id);
}

/* The time of a non-blocking operation starts when it is issued: before that, the call that begins it is busy. */
static void issue(place *p, uint64_t time, const tcf_ev_io_operation_issued *x)
{
    const uint32_t at = tcf_map_get(&p->open, x->handle, x->matching_id);
    if (at != TCF_MAP_ABSENT && p->operations[at].non_blocking)
        p->operations[at].from = time;
}

static void test(place *p, const tcf_ev_io_operation_test *x)
{
    const uint32_t at = tcf_map_get(&p->open, x->handle, x->matching_id);
    if (at != TCF_MAP_ABSENT)
        row_at(p, p->operations[at].row)->sum.n[TESTS]++;
}

/* ------------------------------------------------------------------------------------------------------- handles -- */

/* The kinds of events that use a handle: how they are counted, and where the handle stands in their records. */
static const struct {
    uint8_t is_use, use, handle;
} handle_uses[TCF_EVENT_KINDS + 1] = {
    [TCF_IO_CREATE_HANDLE] = {1, OPENED, offsetof(tcf_rec, io_create_handle.handle)},
    [TCF_IO_DUPLICATE_HANDLE] = {1, DUPLICATED, offsetof(tcf_rec, io_duplicate_handle.new_handle)},
    [TCF_IO_DESTROY_HANDLE] = {1, CLOSED, offsetof(tcf_rec, io_destroy_handle.handle)},
    [TCF_IO_SEEK] = {1, SEEKS, offsetof(tcf_rec, io_seek.handle)},
    [TCF_IO_CHANGE_STATUS_FLAGS] = {1, STATUS_CHANGES, offsetof(tcf_rec, io_change_status_flags.handle)},
    [TCF_IO_ACQUIRE_LOCK] = {1, LOCKS, offsetof(tcf_rec, io_acquire_lock.handle)},
    [TCF_IO_TRY_LOCK] = {1, TRIES, offsetof(tcf_rec, io_try_lock.handle)},
};

static int handle_event(place *p, uint8_t kind, const tcf_rec *r)
{
    uint32_t handle;
    memcpy(&handle, (const char *)r + handle_uses[kind].handle, sizeof handle);
    usage *u = ROW_OF(usage, &p->usage, .file = handle);
    return u ? (u->n[handle_uses[kind].use]++, 0) : -1;
}

static int delete_file(place *p, const tcf_ev_io_delete_file *x)
{
    usage *u = ROW_OF(usage, &p->usage, .process = 1, .paradigm = x->io_paradigm, .file = x->file);
    return u ? (u->n[DELETED]++, 0) : -1;
}

/* ------------------------------------------------------------------------------------------------------- regions -- */

static inline visits *visits_at(place *p, uint32_t at)
{
    return (visits *)p->regions.at + at;
}

/* Adds the time since the last enter or leave to the innermost open region. */
static inline void pass(place *p, uint64_t time)
{
    if (p->stack.depth > 0 && p->stack.open[p->stack.depth - 1].row > 0) {
        uint64_t *ticks = &visits_at(p, p->stack.open[p->stack.depth - 1].row - 1)->ticks;
        *ticks = tcf_ticks_sum(*ticks, tcf_time_since(p->since, time));
    }
    p->since = time;
}

static int enter(const tcf_self *self, place *p, uint32_t region, uint64_t time)
{
    const state *st = self->state;
    uint32_t at = 0;
    pass(p, time);
    if (region < self->defs->n_regions && st->is_io[region]) {
        visits *v = ROW_OF(visits, &p->regions, .file = region);
        if (!v)
            return -1;
        v->count++;
        at = 1 + (uint32_t)(v - visits_at(p, 0));
    }
    return region_stack_enter(&p->stack, (region_frame){region, at});
}

static void leave(place *p, uint32_t region, uint64_t time)
{
    pass(p, time);
    region_stack_leave(&p->stack, region);
}

/* -------------------------------------------------------------------------------------------------------- events -- */

static int event(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i)
{
    const tcf_rec *r = &s->rec[i];
    const uint64_t t = s->time[i];
    switch (s->kind[i]) {
    case TCF_ENTER:
    case TCF_CALLING_CONTEXT_ENTER:
        return enter(self, p, tcf_region_of_event(self->defs, s, i), t);
    case TCF_LEAVE:
    case TCF_CALLING_CONTEXT_LEAVE:
        leave(p, tcf_region_of_event(self->defs, s, i), t);
        return 0;
    case TCF_IO_OPERATION_BEGIN:
        return begin(self, p, t, &r->io_operation_begin);
    case TCF_IO_OPERATION_COMPLETE:
        return complete(p, t, &r->io_operation_complete);
    case TCF_IO_OPERATION_CANCELLED:
        cancel(p, &r->io_operation_cancelled);
        return 0;
    case TCF_IO_OPERATION_ISSUED:
        issue(p, t, &r->io_operation_issued);
        return 0;
    case TCF_IO_OPERATION_TEST:
        test(p, &r->io_operation_test);
        return 0;
    case TCF_IO_DELETE_FILE:
        return delete_file(p, &r->io_delete_file);
    default:
        return handle_uses[s->kind[i]].is_use ? handle_event(p, s->kind[i], r) : 0;
    }
}

static tcf_status io_slice(tcf_self *self, tcf_slice *s)
{
    place *p = tcf_location_state(self, s->location);
    int failed = 0;
    for (uint32_t i = 0; i < s->n && !failed; i++)
        failed = event(self, p, s, i);
    if (s->n > 0)
        p->last = s->time[s->n - 1];
    return failed ? self->host->fail(self, "out of memory for %u open operations and %u handles of a location",
                                     p->open.n, p->usage.by.index.n)
                  : TCF_OK;
}

/* ------------------------------------------------------------------------------------------------- begin and end -- */

static void place_free(place *p)
{
    table_of_free(&p->rows);
    table_of_free(&p->usage);
    table_of_free(&p->histograms);
    table_of_free(&p->regions);
    tcf_map_free(&p->open);
    free(p->operations);
    p->operations = NULL;
    p->in_use = (place_list){0};
    region_stack_free(&p->stack);
}

static tcf_status io_location_end(tcf_self *self, uint32_t location)
{
    place *p = tcf_location_state(self, location);
    pass(p, p->last);
    p->limits.never_completed += p->open.n;
    p->limits.too_deep = p->stack.not_counted;
    const int failed = sum_location(self, p, location);
    place_free(p);
    return failed ? self->host->fail(self, "out of memory for the files of a process") : TCF_OK;
}

static int is_io(const tcf_region *r)
{
    return r->role == OTF2_REGION_ROLE_FILE_IO || r->role == OTF2_REGION_ROLE_FILE_IO_METADATA ||
           (r->name && strncmp(r->name, "MPI_File_", 9) == 0);
}

static tcf_status io_begin(tcf_self *self)
{
    state *st = self->state;
    const tcf_definitions *defs = self->defs;
    st->is_io = malloc(defs->n_regions + 1ul);
    st->same = same_regions(defs);
    if (!st->is_io || !st->same || find_files(self) != 0)
        return self->host->fail(self, "out of memory for the names of files");
    for (uint32_t r = 0; r < defs->n_regions; r++)
        st->is_io[r] = (uint8_t)is_io(tcf_region_at(defs, r));
    return TCF_OK;
}

static tcf_status io_end(tcf_self *self)
{
    if (sum_open(self) != 0)
        return self->host->fail(self, "out of memory for handles that are open");
    return io_report(self);
}

static tcf_status io_pack(tcf_self *self, tcf_pack *pack)
{
    put_sums(self, pack);
    return TCF_OK;
}

static tcf_status io_absorb(tcf_self *self, tcf_pack *pack)
{
    return take_sums(self, pack) == 0 ? TCF_OK : self->host->fail(self, "out of memory for the files of all processes");
}

static void io_fini(tcf_self *self, int complete_)
{
    state *st = self->state;
    (void)complete_;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        place_free(tcf_location_state(self, l));
    table_of_free(&st->rows);
    table_of_free(&st->usage);
    table_of_free(&st->histograms);
    table_of_free(&st->regions);
    table_of_free(&st->balance);
    free(st->handles);
    definition_names_free(&st->names);
    free(st->is_io);
    free(st->same);
}

/* --------------------------------------------------------------------------------------------------- description -- */

static const tcf_param params[] = {
    TCF_PARAM(
        conf, max_operations, TCF_INT, "65536",
        "Operations under way in a location at most, each takes up to 100 bytes; those beyond are never completed",
        .min = "1", .max = "16777216"),
    TCF_PARAM(conf, max_rows, TCF_INT, "65536",
              "Rows by process, file, paradigm and kind of operation at most, 200 bytes each; files beyond are counted "
              "as one",
              .min = "1", .max = "16777216"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "io",
    .version = "1.0",
    .summary =
        "Reading and writing files: operations, bytes, time and bandwidth by process, file and paradigm; handles",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "An operation begins with IO_OPERATION_BEGIN, which tells what is asked for, and ends with the "
        "IO_OPERATION_COMPLETE of its handle and matching id in the same location, which tells the bytes transferred. "
        "Its time is that between the two; of a non-blocking one that from IO_OPERATION_ISSUED, where there is one, "
        "to its completion, whatever else was done then. Operations may overlap, so bandwidth, bytes transferred by "
        "time, is that of an operation, not of the process. What is neither completed nor cancelled is unfinished; it "
        "counts with what it asks for only. What a library of one paradigm does through another (ISO C through POSIX) "
        "is recorded, and counted, for both.\n\n"
        "A file is that of the handle; a handle without one (standard input) stands for itself. Handles that were "
        "created or made by duplication more often than destroyed, within the process, are left open.\n\n"
        "Tables: operations, by process, file, paradigm and kind; totals, by paradigm and kind; files, what became of "
        "the handles of a file, by process; sizes, operations by bytes transferred, in bins 0, 1, 2 to 3, 4 to 7 and "
        "so on; regions, the exclusive time in regions of role FILE_IO or FILE_IO_METADATA or with names that begin "
        "with MPI_File_, by process, which needs no I/O records.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = io_slice,
    .begin = io_begin,
    .location_end = io_location_end,
    .end = io_end,
    .fini = io_fini,
    .pack = io_pack,
    .absorb = io_absorb,
};
