/* One set of definitions of those of several inputs.
 *
 * The first input's records stand as they are; of each further one come those that mean something new, in their order.
 * Two definitions mean the same when all that they say is the same, what they refer to included: strings by text,
 * regions by name, file, lines, role and paradigm, communicators by name, parent and members. Where several of an input
 * say the same (two copies of one communicator) those with the same id belong together, if no id of their kind means
 * something else in the union; else, and of the rest, the k-th here and the k-th there, by order of definition.
 * Locations and location groups are who they are by their ids. A new definition whose id means something else already
 * gets the first id behind all that the inputs use; so ids depend on the order in which the inputs are named, never on
 * that in which they arrive, and parts that were split off one trace keep all of theirs.
 */
#include "error.h"
#include "merge_internal.h"

#include <otf2/OTF2_Definitions.h>
#include <string.h>

enum { DEEPEST = 500 }; /* chain of references to what is defined later; no measurement system writes such */

enum { UNKNOWN, BUSY, KNOWN, FRESH }; /* FRESH: known, and nobody before has defined it */

/* A definition of the union. */
typedef struct slot {
    uint64_t id;
    merge_key key;
    uint32_t next, last;          /* of those that mean the same; last: in the first of them */
    uint32_t cursor;              /* in the first: where cursor_of goes on looking */
    uint32_t cursor_of, taken_by; /* inputs */
} slot;

/* What is known of an input while the union is made. */
typedef struct side {
    uint64_t *record[TCF_REF_KINDS]; /* by index: the record that defines it */
    uint64_t *id[TCF_REF_KINDS];     /* by index: in the union */
    uint8_t *state[TCF_REF_KINDS];
    uint8_t agrees[TCF_REF_KINDS]; /* UNKNOWN, BUSY, KNOWN: it doesn't, FRESH: it does */
} side;

typedef struct uniter {
    definitions *out;
    merge_input *inputs;
    side *sides;
    uint32_t n, now; /* now: the input that is looked at */
    uint32_t depth;
    slot *slots;
    uint32_t n_slots, slots_capacity;
    map by_id;     /* (id, kind) -> slot */
    map by_key;    /* -> the first slot that means it */
    map locations; /* (id, 0) -> record in the union, (id, 1) -> the input that it is of */
    uint64_t next_id[TCF_REF_KINDS];
    merge_once once; /* records that define nothing */
    tcf_def_clock_properties clock;
    int has_clock, failed;
} uniter;

static uint64_t fail_memory(uniter *u)
{
    if (!u->failed)
        tcf_fail("out of memory for the definitions of %u inputs", u->n);
    u->failed = 1;
    return 0;
}

void merge_names_free(merge_names *names)
{
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        free(names->index[kind]);
    map_free(&names->find);
    map_free(&names->strays);
    free(names->stray);
    memset(names, 0, sizeof *names);
}

int merge_is_new(merge_once *o, uint64_t hash, uint32_t input)
{
    uint32_t here = map_get(&o->counts, hash, input), passed = map_get(&o->counts, hash, UINT32_MAX);

    here = here == MAP_ABSENT ? 1 : here + 1;
    passed = passed == MAP_ABSENT ? 0 : passed;
    if (map_put(&o->counts, hash, input, here) != 0)
        return -1;
    if (here <= passed)
        return 0;
    return map_put(&o->counts, hash, UINT32_MAX, here) == 0 ? 1 : -1;
}

/* ---------------------------------------------------------------------------------------------------------- ids -- */

static uint64_t largest_id(tcf_ref_kind kind)
{
    return record_undefined(kind) - 1;
}

static int is_used(const uniter *u, tcf_ref_kind kind, uint64_t id)
{
    for (uint32_t p = 0; p < u->n; p++)
        if (map_get(&u->inputs[p].names.find, id, kind) != MAP_ABSENT)
            return 1;
    return map_get(&u->by_id, id, kind) != MAP_ABSENT;
}

/* An id that nobody uses: behind all others, or where there is none, the first free one. */
static uint64_t new_id(uniter *u, tcf_ref_kind kind)
{
    uint64_t id = u->next_id[kind];

    if (id > largest_id(kind))
        for (id = 0; id <= largest_id(kind) && is_used(u, kind, id); id++)
            ;
    else
        u->next_id[kind]++;
    if (id <= largest_id(kind))
        return id;
    if (!u->failed)
        tcf_fail("the inputs define more than fit into the ids of a %s", record_ref_name(kind));
    u->failed = 1;
    return 0;
}

/* An id that this input does not define. Others may, and mean something that this one does not. */
static uint64_t stray_id(uniter *u, tcf_ref_kind kind, uint64_t id)
{
    merge_names *names = &u->inputs[u->now].names;
    uint32_t found = map_get(&names->strays, id, kind);

    if (found != MAP_ABSENT)
        return names->stray[found];
    if (!is_used(u, kind, id))
        return id;
    uint64_t *grown = realloc(names->stray, (names->n_strays + 1u) * sizeof *grown);
    if (grown)
        names->stray = grown;
    if (!grown || map_put(&names->strays, id, kind, names->n_strays) != 0)
        return fail_memory(u);
    return names->stray[names->n_strays++] = new_id(u, kind);
}

/* ------------------------------------------------------------------------------------------------------- meaning -- */

static uint64_t unite(uniter *u, tcf_ref_kind kind, uint32_t index);

static uint64_t reference(void *data, tcf_ref_kind kind, uint64_t id)
{
    uniter *u = data;

    if (id == record_undefined(kind) || kind == TCF_REF_LOCATION)
        return id;
    uint32_t index = map_get(&u->inputs[u->now].names.find, id, kind);
    return index == MAP_ABSENT ? stray_id(u, kind, id) : unite(u, kind, index);
}

static slot *add_slot(uniter *u, tcf_ref_kind kind, uint64_t id, merge_key key)
{
    if (u->n_slots == u->slots_capacity) {
        uint32_t capacity = u->slots_capacity * 2 + 1024;
        slot *grown = realloc(u->slots, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        u->slots = grown;
        u->slots_capacity = capacity;
    }
    uint32_t i = u->n_slots, first = map_get(&u->by_key, key.a, key.b);
    if (map_put(&u->by_id, id, kind, i) != 0 || (first == MAP_ABSENT && map_put(&u->by_key, key.a, key.b, i) != 0))
        return NULL;
    u->slots[i] =
        (slot){.id = id, .key = key, .next = TCF_NONE, .last = i, .cursor = i, .cursor_of = u->now, .taken_by = u->now};
    if (first != MAP_ABSENT) {
        u->slots[u->slots[first].last].next = i;
        u->slots[first].last = i;
    }
    u->n_slots++;
    return &u->slots[i];
}

/* What refers to its own kind keeps the ids of the input. */
typedef struct own_kind {
    uniter *u;
    tcf_ref_kind kind;
} own_kind;

static uint64_t reference_but_own(void *data, tcf_ref_kind kind, uint64_t id)
{
    own_kind *own = data;
    return kind == own->kind ? id : reference(own->u, kind, id);
}

/* Does a definition say the same as what has its id in the union? */
static int says_the_same(uniter *u, tcf_ref_kind kind, uint32_t index)
{
    const tcf_definitions *defs = u->inputs[u->now].defs;
    const tcf_definition *from = &defs->records[u->sides[u->now].record[kind][index]];
    uint32_t before = map_get(&u->by_id, defs->ids[kind].id[index], kind);
    own_kind own = {u, kind};
    merge_record record;

    if (before == MAP_ABSENT || u->slots[before].taken_by == u->now)
        return 1;
    if (merge_record_make(from, reference_but_own, &own, &record) != 0)
        fail_memory(u);
    merge_key key = merge_record_key(from->kind, &record, kind == TCF_REF_LOCATION_GROUP);
    merge_record_free(&record);
    return u->slots[before].key.a == key.a && u->slots[before].key.b == key.b;
}

/* Do the input's ids of a kind mean what they mean in the union, where they mean anything there? */
static int ids_agree(uniter *u, tcf_ref_kind kind)
{
    side *s = &u->sides[u->now];
    int all = 1;

    if (s->agrees[kind] != UNKNOWN || u->now == 0 || u->depth >= DEEPEST)
        return s->agrees[kind] != KNOWN;
    s->agrees[kind] = BUSY;
    u->depth++;
    for (uint32_t i = 0; i < u->inputs[u->now].defs->ids[kind].n && all; i++)
        all = says_the_same(u, kind, i);
    u->depth--;
    s->agrees[kind] = all ? FRESH : KNOWN;
    return all;
}

/* Is this slot that of another definition of the same input, whose id it has? */
static int is_reserved(uniter *u, tcf_ref_kind kind, uint32_t number)
{
    uint32_t index = map_get(&u->inputs[u->now].names.find, u->slots[number].id, kind);

    if (!ids_agree(u, kind))
        return 0;
    if (index != MAP_ABSENT && u->sides[u->now].state[kind][index] == BUSY)
        return 1;
    if (index != MAP_ABSENT)
        (void)unite(u, kind, index);
    return u->slots[number].taken_by == u->now;
}

/* The first definition of the union that means the same, and that no other one of this input is. */
static uint32_t next_same(uniter *u, tcf_ref_kind kind, merge_key key)
{
    uint32_t first = map_get(&u->by_key, key.a, key.b);

    if (first == MAP_ABSENT)
        return TCF_NONE;
    if (u->slots[first].cursor_of != u->now) {
        u->slots[first].cursor_of = u->now;
        u->slots[first].cursor = first;
    }
    for (uint32_t c; (c = u->slots[first].cursor) != TCF_NONE;) {
        u->slots[first].cursor = u->slots[c].next;
        if (u->slots[c].taken_by != u->now && !is_reserved(u, kind, c))
            return c;
    }
    return TCF_NONE;
}

/* The id in the union for a definition with this id and meaning; *fresh: there was none such. */
static uint64_t assign(uniter *u, tcf_ref_kind kind, uint64_t id, merge_key key, int *fresh)
{
    uint32_t same = ids_agree(u, kind) ? map_get(&u->by_id, id, kind) : MAP_ABSENT;

    if (same == MAP_ABSENT || u->slots[same].key.a != key.a || u->slots[same].key.b != key.b ||
        u->slots[same].taken_by == u->now)
        same = next_same(u, kind, key);
    if (same != TCF_NONE) {
        u->slots[same].taken_by = u->now;
        return u->slots[same].id;
    }
    *fresh = 1;
    if (map_get(&u->by_id, id, kind) != MAP_ABSENT)
        id = new_id(u, kind);
    return add_slot(u, kind, id, key) ? id : fail_memory(u);
}

/* What a definition of the input is called in the union. */
static uint64_t unite(uniter *u, tcf_ref_kind kind, uint32_t index)
{
    side *s = &u->sides[u->now];
    const tcf_definitions *defs = u->inputs[u->now].defs;
    uint64_t id = defs->ids[kind].id[index];
    merge_record record;
    int fresh = 0;

    if (s->state[kind][index] >= KNOWN)
        return s->id[kind][index];
    if (u->failed || s->state[kind][index] == BUSY || u->depth >= DEEPEST)
        return id;
    s->state[kind][index] = BUSY;
    u->depth++;
    const tcf_definition *from = &defs->records[s->record[kind][index]];
    if (merge_record_make(from, reference, u, &record) != 0)
        fail_memory(u);
    else
        s->id[kind][index] =
            assign(u, kind, id, merge_record_key(from->kind, &record, kind == TCF_REF_LOCATION_GROUP), &fresh);
    merge_record_free(&record);
    u->depth--;
    s->state[kind][index] = fresh ? FRESH : KNOWN;
    return s->id[kind][index];
}

/* ------------------------------------------------------------------------------------------------------- records -- */

/* One clock for all: the same ticks, and a span that holds those of all inputs. */
static tcf_status unite_clocks(uniter *u)
{
    const merge_input *first = NULL;
    uint64_t end = 0;

    for (uint32_t p = 0; p < u->n; p++) {
        const merge_input *in = &u->inputs[p];
        const tcf_clock *c = &in->defs->clock;
        if (in->defs->n_locations == 0)
            continue;
        if (first && first->defs->clock.resolution != c->resolution)
            return tcf_fail(
                "the clocks of %s and %s differ: %llu and %llu ticks a second; parts of one run have the same",
                first->name, in->name, (unsigned long long)first->defs->clock.resolution,
                (unsigned long long)c->resolution);
        uint64_t its_end = c->length > UINT64_MAX - c->global_offset ? UINT64_MAX : c->global_offset + c->length;
        if (!first || c->global_offset < u->clock.global_offset) {
            u->clock = (tcf_def_clock_properties){c->resolution, c->global_offset, 0, c->realtime};
            end = first && end > its_end ? end : its_end;
        }
        end = its_end > end ? its_end : end;
        first = first ? first : in;
    }
    if (first)
        u->clock.trace_length = end - u->clock.global_offset;
    return TCF_OK;
}

/* The first clock properties are those of all; others of the same input stay what they are. */
static tcf_status add_clock(uniter *u, const tcf_definition *d)
{
    tcf_def_clock_properties clock =
        u->has_clock || u->clock.timer_resolution == 0 ? *d->as.def_clock_properties : u->clock;

    if (u->has_clock && u->now > 0)
        return TCF_OK;
    if (u->inputs[u->now].defs->n_locations == 0 && u->clock.timer_resolution != 0)
        return TCF_OK;                                                          /* another one has it */
    if (clock.timer_resolution != d->as.def_clock_properties->timer_resolution) /* 0 is read as 1 */
        clock.timer_resolution = d->as.def_clock_properties->timer_resolution;
    u->has_clock = 1;
    return definitions_add(u->out, TCF_DEF_CLOCK_PROPERTIES, &clock);
}

/* Locations are the same when their ids are. An input that has no events of it may not know how many there are. */
static tcf_status add_location(uniter *u, const tcf_definition *d)
{
    const tcf_def_location *l = d->as.def_location;
    uint32_t found = map_get(&u->locations, l->self, 0);
    merge_record record;

    if (found != MAP_ABSENT) {
        tcf_def_location *before = (tcf_def_location *)u->out->records[found].as.def_location; /* our own */
        if (l->number_of_events > before->number_of_events)
            before->number_of_events = l->number_of_events;
        if (map_get(&u->locations, l->self, 1) != u->now)
            return TCF_OK;
    } else if (map_put(&u->locations, l->self, 0, (uint32_t)u->out->v.n_records) != 0 ||
               map_put(&u->locations, l->self, 1, u->now) != 0) {
        fail_memory(u);
        return TCF_ERROR;
    }
    if (merge_record_make(d, reference, u, &record) != 0)
        fail_memory(u);
    tcf_status status = u->failed ? TCF_ERROR : definitions_add(u->out, d->kind, &record.as);
    merge_record_free(&record);
    return status;
}

static tcf_status add_record(uniter *u, uint64_t number)
{
    const merge_input *in = &u->inputs[u->now];
    const tcf_definition *d = &in->defs->records[number];
    merge_record record;
    uint64_t id = 0;
    int kind = definitions_defines(d, &id), is_new = 1;

    if (d->kind == TCF_DEF_CLOCK_PROPERTIES)
        return add_clock(u, d);
    if (kind == TCF_REF_LOCATION)
        return add_location(u, d);
    uint32_t index = kind >= 0 ? map_get(&in->names.find, id, (uint64_t)kind) : MAP_ABSENT;
    int defines = index != MAP_ABSENT && u->sides[u->now].record[kind][index] == number;
    if (defines) {
        (void)unite(u, (tcf_ref_kind)kind, index);
        is_new = u->sides[u->now].state[kind][index] == FRESH;
    }
    if (!is_new && !u->failed)
        return TCF_OK;
    if (merge_record_make(d, reference, u, &record) != 0)
        fail_memory(u);
    if (!u->failed && !defines) { /* it has no id, or one that is defined already */
        merge_key key = merge_record_key(d->kind, &record, 1);
        is_new = merge_is_new(&u->once, key.a ^ key.b, u->now);
        if (is_new < 0)
            fail_memory(u);
    }
    tcf_status status = u->failed ? TCF_ERROR : is_new ? definitions_add(u->out, d->kind, &record.as) : TCF_OK;
    merge_record_free(&record);
    return status;
}

/* Ranks of communicators are positions in a list of locations, which must be the same everywhere. */
static const tcf_def_group *comm_locations(const tcf_definitions *defs, uint8_t paradigm)
{
    for (uint64_t r = 0; r < defs->n_records; r++) {
        const tcf_def_group *g = defs->records[r].kind == TCF_DEF_GROUP ? defs->records[r].as.def_group : NULL;
        if (g && g->group_type == OTF2_GROUP_TYPE_COMM_LOCATIONS && g->paradigm == paradigm && g->number_of_members > 0)
            return g;
    }
    return NULL;
}

static tcf_status check_comm_locations(const uniter *u)
{
    const tcf_def_group *first[UINT8_MAX + 1] = {0};
    const char *whose[UINT8_MAX + 1] = {0};

    for (uint32_t p = 0; p < u->n; p++) {
        const tcf_definitions *defs = u->inputs[p].defs;
        uint8_t seen[UINT8_MAX + 1] = {0};
        for (uint64_t r = 0; r < defs->n_records; r++) {
            if (defs->records[r].kind != TCF_DEF_GROUP || seen[defs->records[r].as.def_group->paradigm])
                continue;
            uint8_t paradigm = defs->records[r].as.def_group->paradigm;
            const tcf_def_group *g = comm_locations(defs, paradigm), *f = first[paradigm];
            seen[paradigm] = 1;
            if (g && f &&
                (g->number_of_members != f->number_of_members ||
                 memcmp(g->members, f->members, g->number_of_members * sizeof *g->members) != 0)) {
                const char *name = otf2_enum_name("PARADIGM", paradigm);
                return tcf_fail(
                    "%s and %s are not parts of one run: they list different locations that communicate by %s, so "
                    "that ranks would mean different ones",
                    whose[paradigm], u->inputs[p].name, name ? name : "an unknown paradigm");
            }
            if (g && !f) {
                first[paradigm] = g;
                whose[paradigm] = u->inputs[p].name;
            }
        }
    }
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- all of it -- */

static tcf_status prepare_side(uniter *u, uint32_t p)
{
    merge_input *in = &u->inputs[p];
    side *s = &u->sides[p];
    uint64_t id;

    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        const tcf_ids *ids = &in->defs->ids[kind];
        s->record[kind] = malloc((ids->n + 1u) * sizeof *s->record[kind]);
        s->id[kind] = calloc(ids->n + 1u, sizeof *s->id[kind]);
        s->state[kind] = calloc(ids->n + 1u, 1);
        if (!s->record[kind] || !s->id[kind] || !s->state[kind])
            return fail_memory(u), TCF_ERROR;
        memset(s->record[kind], 0xff, ids->n * sizeof *s->record[kind]);
        for (uint32_t i = 0; i < ids->n; i++) {
            if (map_put(&in->names.find, ids->id[i], (uint64_t)kind, i) != 0)
                return fail_memory(u), TCF_ERROR;
            if (ids->id[i] < largest_id((tcf_ref_kind)kind) && ids->id[i] >= u->next_id[kind])
                u->next_id[kind] = ids->id[i] + 1;
        }
    }
    for (uint64_t r = 0; r < in->defs->n_records; r++) {
        int kind = definitions_defines(&in->defs->records[r], &id);
        uint32_t index = kind >= 0 ? map_get(&in->names.find, id, (uint64_t)kind) : MAP_ABSENT;
        if (index != MAP_ABSENT && s->record[kind][index] == UINT64_MAX)
            s->record[kind][index] = r;
    }
    return TCF_OK;
}

static void free_uniter(uniter *u)
{
    for (uint32_t p = 0; u->sides && p < u->n; p++)
        for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
            free(u->sides[p].record[kind]);
            free(u->sides[p].id[kind]);
            free(u->sides[p].state[kind]);
        }
    free(u->sides);
    free(u->slots);
    map_free(&u->by_id);
    map_free(&u->by_key);
    map_free(&u->locations);
    map_free(&u->once.counts);
}

/* What the anchor of the first input says, and the properties of all. */
static tcf_status unite_archives(uniter *u)
{
    tcf_definitions *v = &u->out->v;
    const tcf_definitions *first = u->inputs[0].defs;
    uint32_t most = 0;

    v->archive = definitions_text(u->out, first->archive);
    v->creator = definitions_text(u->out, first->creator);
    v->description = definitions_text(u->out, first->description);
    v->machine = definitions_text(u->out, first->machine);
    memcpy(v->version, first->version, sizeof v->version);
    v->trace_id = first->trace_id;
    for (uint32_t p = 0; p < u->n; p++) {
        const tcf_definitions *d = u->inputs[p].defs;
        v->n_unknown = d->n_unknown > v->n_unknown ? d->n_unknown : v->n_unknown;
        v->n_local_others = d->n_local_others > v->n_local_others ? d->n_local_others : v->n_local_others;
        most += d->n_properties;
    }
    tcf_property *to = definitions_memory(u->out, most * sizeof *to);
    if (!v->archive || !v->creator || !v->description || !v->machine || !to)
        return TCF_ERROR;
    v->properties = to;
    for (uint32_t p = 0; p < u->n; p++)
        for (uint32_t i = 0; i < u->inputs[p].defs->n_properties; i++) {
            const tcf_property *from = &u->inputs[p].defs->properties[i];
            uint32_t k = 0;
            while (k < v->n_properties && strcmp(to[k].name, from->name) != 0)
                k++;
            if (k < v->n_properties)
                continue;
            to[k] = (tcf_property){definitions_text(u->out, from->name), definitions_text(u->out, from->value)};
            if (!to[k].name || !to[k].value)
                return TCF_ERROR;
            v->n_properties++;
        }
    return TCF_OK;
}

/* Clock offsets come from the first input that has any of the location, before others one that has events of it. */
static tcf_status unite_locations(definitions *d, merge_input *inputs, uint32_t n)
{
    for (uint32_t l = 0; l < d->v.n_locations; l++) {
        tcf_location *to = (tcf_location *)&d->v.locations[l]; /* our own */
        const tcf_location *best = NULL;
        to->silent = 1;
        for (uint32_t p = 0; p < n; p++) {
            uint32_t i = map_get(&inputs[p].names.find, to->id, TCF_REF_LOCATION);
            const tcf_location *from = i == MAP_ABSENT ? NULL : &inputs[p].defs->locations[i];
            if (!from)
                continue;
            to->silent &= from->silent;
            if (from->n_clock_offsets > 0 && (!best || (best->silent && !from->silent)))
                best = from;
        }
        if (best && definitions_set_clock_offsets(d, l, best->clock_offsets, best->n_clock_offsets) != TCF_OK)
            return TCF_ERROR;
    }
    return definitions_find_leaders(d);
}

static tcf_status fill_names(uniter *u, uint32_t p)
{
    merge_names *names = &u->inputs[p].names;
    const tcf_definitions *defs = u->inputs[p].defs;

    names->same_indices = names->same_ids = 1;
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        const tcf_ids *ids = &defs->ids[kind];
        names->index[kind] = malloc((ids->n + 1u) * sizeof *names->index[kind]);
        if (!names->index[kind])
            return fail_memory(u), TCF_ERROR;
        for (uint32_t i = 0; i < ids->n; i++) {
            uint64_t id = kind == TCF_REF_LOCATION ? ids->id[i] : u->sides[p].id[kind][i];
            names->index[kind][i] = definitions_find(u->out, (tcf_ref_kind)kind, id);
            names->same_indices &= names->index[kind][i] == i;
            names->same_ids &= id == ids->id[i];
        }
    }
    return TCF_OK;
}

static tcf_status unite_all(uniter *u)
{
    for (uint32_t p = 0; p < u->n; p++)
        if (prepare_side(u, p) != TCF_OK)
            return TCF_ERROR;
    if (unite_clocks(u) != TCF_OK || check_comm_locations(u) != TCF_OK || unite_archives(u) != TCF_OK)
        return TCF_ERROR;
    for (u->now = 0; u->now < u->n; u->now++)
        for (uint64_t r = 0; r < u->inputs[u->now].defs->n_records; r++)
            if (add_record(u, r) != TCF_OK || u->failed)
                return TCF_ERROR;
    if (definitions_resolve(u->out) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t p = 0; p < u->n; p++)
        if (fill_names(u, p) != TCF_OK)
            return TCF_ERROR;
    return unite_locations(u->out, u->inputs, u->n);
}

definitions *merge_definitions(merge_input *inputs, uint32_t n)
{
    uniter u = {.out = definitions_new(), .inputs = inputs, .sides = calloc(n, sizeof *u.sides), .n = n};
    tcf_status status = TCF_ERROR;

    if (u.out && u.sides)
        status = unite_all(&u);
    else
        tcf_fail("out of memory for the definitions of %u inputs", n);
    free_uniter(&u);
    if (status == TCF_OK)
        return u.out;
    definitions_delete(u.out);
    return NULL;
}
