/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The definitions of a trace, as filters see them.
 *
 * Ids in archives are sparse and up to 64 bits wide; every definition kind that events refer to is numbered
 * 0..n-1 ("index") in the order of definition, and records hold indices. tcf_ids leads back to the archive's ids.
 * The structs below are the resolved view (names as strings, references as indices); the raw records, exactly as
 * they stood in the archive and in its order, duplicates included, are in `records`. All of it is owned by the
 * framework, constant from begin() on, and may be read by several threads. */
#ifndef TCFLOW_DEFINITIONS_H
#define TCFLOW_DEFINITIONS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TCF_NONE UINT32_MAX     /* the archive says "undefined" */
#define TCF_DANGLING 0x80000000 /* bit: a reference to something that no definition defines; see tcf_id() */

/* Is this the index of a definition? */
static inline int tcf_defined(uint32_t index)
{
    return index < TCF_DANGLING;
}

/* A row is D(number, NAME, Name, name, FIELDS), with F and A as in events.h (here `self` is the definition's own
 * id) and S(record, field) for a text. ctype `value` is an OTF2_AttributeValue (64 bits). */
/* clang-format off */
#define TCF_DEFINITION_TABLE(D, F, A, S) \
    D(1, CLOCK_PROPERTIES, ClockProperties, def_clock_properties, \
      F(def_clock_properties, u64, NUMBER, timer_resolution) \
      F(def_clock_properties, u64, NUMBER, global_offset) \
      F(def_clock_properties, u64, NUMBER, trace_length) \
      F(def_clock_properties, u64, NUMBER, realtime_timestamp)) \
    D(2, PARADIGM, Paradigm, def_paradigm, \
      F(def_paradigm, u8, PARADIGM, paradigm) \
      F(def_paradigm, u32, STRING, name) \
      F(def_paradigm, u8, PARADIGM_CLASS, paradigm_class)) \
    D(3, PARADIGM_PROPERTY, ParadigmProperty, def_paradigm_property, \
      F(def_paradigm_property, u8, PARADIGM, paradigm) \
      F(def_paradigm_property, u8, PARADIGM_PROPERTY, property) \
      F(def_paradigm_property, u8, TYPE, type) \
      F(def_paradigm_property, value, ATTRIBUTE_VALUE, value)) \
    D(4, IO_PARADIGM, IoParadigm, def_io_paradigm, \
      F(def_io_paradigm, id8, IO_PARADIGM, self) \
      F(def_io_paradigm, u32, STRING, identification) \
      F(def_io_paradigm, u32, STRING, name) \
      F(def_io_paradigm, u8, IO_PARADIGM_CLASS, io_paradigm_class) \
      F(def_io_paradigm, u32, IO_PARADIGM_FLAG, io_paradigm_flags) \
      F(def_io_paradigm, u8, NUMBER, number_of_properties) \
      A(def_io_paradigm, u8, IO_PARADIGM_PROPERTY, properties) \
      A(def_io_paradigm, u8, TYPE, types) \
      A(def_io_paradigm, value, ATTRIBUTE_VALUE, values)) \
    D(5, STRING, String, def_string, \
      F(def_string, u32, STRING, self) \
      S(def_string, string)) \
    D(6, ATTRIBUTE, Attribute, def_attribute, \
      F(def_attribute, u32, ATTRIBUTE, self) \
      F(def_attribute, u32, STRING, name) \
      F(def_attribute, u32, STRING, description) \
      F(def_attribute, u8, TYPE, type)) \
    D(7, SYSTEM_TREE_NODE, SystemTreeNode, def_system_tree_node, \
      F(def_system_tree_node, u32, SYSTEM_TREE_NODE, self) \
      F(def_system_tree_node, u32, STRING, name) \
      F(def_system_tree_node, u32, STRING, class_name) \
      F(def_system_tree_node, u32, SYSTEM_TREE_NODE, parent)) \
    D(8, LOCATION_GROUP, LocationGroup, def_location_group, \
      F(def_location_group, u32, LOCATION_GROUP, self) \
      F(def_location_group, u32, STRING, name) \
      F(def_location_group, u8, LOCATION_GROUP_TYPE, location_group_type) \
      F(def_location_group, u32, SYSTEM_TREE_NODE, system_tree_parent) \
      F(def_location_group, u32, LOCATION_GROUP, creating_location_group)) \
    D(9, LOCATION, Location, def_location, \
      F(def_location, u64, LOCATION, self) \
      F(def_location, u32, STRING, name) \
      F(def_location, u8, LOCATION_TYPE, location_type) \
      F(def_location, u64, NUMBER, number_of_events) \
      F(def_location, u32, LOCATION_GROUP, location_group)) \
    D(10, REGION, Region, def_region, \
      F(def_region, u32, REGION, self) \
      F(def_region, u32, STRING, name) \
      F(def_region, u32, STRING, canonical_name) \
      F(def_region, u32, STRING, description) \
      F(def_region, u8, REGION_ROLE, region_role) \
      F(def_region, u8, PARADIGM, paradigm) \
      F(def_region, u32, REGION_FLAG, region_flags) \
      F(def_region, u32, STRING, source_file) \
      F(def_region, u32, NUMBER, begin_line_number) \
      F(def_region, u32, NUMBER, end_line_number)) \
    D(11, CALLSITE, Callsite, def_callsite, \
      F(def_callsite, u32, CALLSITE, self) \
      F(def_callsite, u32, STRING, source_file) \
      F(def_callsite, u32, NUMBER, line_number) \
      F(def_callsite, u32, REGION, entered_region) \
      F(def_callsite, u32, REGION, left_region)) \
    D(12, CALLPATH, Callpath, def_callpath, \
      F(def_callpath, u32, CALLPATH, self) \
      F(def_callpath, u32, CALLPATH, parent) \
      F(def_callpath, u32, REGION, region)) \
    D(13, GROUP, Group, def_group, \
      F(def_group, u32, GROUP, self) \
      F(def_group, u32, STRING, name) \
      F(def_group, u8, GROUP_TYPE, group_type) \
      F(def_group, u8, PARADIGM, paradigm) \
      F(def_group, u32, GROUP_FLAG, group_flags) \
      F(def_group, u32, NUMBER, number_of_members) \
      A(def_group, u64, NUMBER, members)) \
    D(14, METRIC_MEMBER, MetricMember, def_metric_member, \
      F(def_metric_member, u32, METRIC_MEMBER, self) \
      F(def_metric_member, u32, STRING, name) \
      F(def_metric_member, u32, STRING, description) \
      F(def_metric_member, u8, METRIC_TYPE, metric_type) \
      F(def_metric_member, u8, METRIC_MODE, metric_mode) \
      F(def_metric_member, u8, TYPE, value_type) \
      F(def_metric_member, u8, BASE, base) \
      F(def_metric_member, i64, NUMBER, exponent) \
      F(def_metric_member, u32, STRING, unit)) \
    D(15, METRIC_CLASS, MetricClass, def_metric_class, \
      F(def_metric_class, u32, METRIC, self) \
      F(def_metric_class, u8, NUMBER, number_of_metrics) \
      A(def_metric_class, u32, METRIC_MEMBER, metric_members) \
      F(def_metric_class, u8, METRIC_OCCURRENCE, metric_occurrence) \
      F(def_metric_class, u8, RECORDER_KIND, recorder_kind)) \
    D(16, METRIC_INSTANCE, MetricInstance, def_metric_instance, \
      F(def_metric_instance, u32, METRIC, self) \
      F(def_metric_instance, u32, METRIC, metric_class) \
      F(def_metric_instance, u64, LOCATION, recorder) \
      F(def_metric_instance, u8, METRIC_SCOPE, metric_scope) \
      F(def_metric_instance, u64, NUMBER, scope)) \
    D(17, COMM, Comm, def_comm, \
      F(def_comm, u32, COMM, self) \
      F(def_comm, u32, STRING, name) \
      F(def_comm, u32, GROUP, group) \
      F(def_comm, u32, COMM, parent) \
      F(def_comm, u32, COMM_FLAG, flags)) \
    D(18, PARAMETER, Parameter, def_parameter, \
      F(def_parameter, u32, PARAMETER, self) \
      F(def_parameter, u32, STRING, name) \
      F(def_parameter, u8, PARAMETER_TYPE, parameter_type)) \
    D(19, RMA_WIN, RmaWin, def_rma_win, \
      F(def_rma_win, u32, RMA_WIN, self) \
      F(def_rma_win, u32, STRING, name) \
      F(def_rma_win, u32, COMM, comm) \
      F(def_rma_win, u32, RMA_WIN_FLAG, flags)) \
    D(20, METRIC_CLASS_RECORDER, MetricClassRecorder, def_metric_class_recorder, \
      F(def_metric_class_recorder, u32, METRIC, metric) \
      F(def_metric_class_recorder, u64, LOCATION, recorder)) \
    D(21, SYSTEM_TREE_NODE_PROPERTY, SystemTreeNodeProperty, def_system_tree_node_property, \
      F(def_system_tree_node_property, u32, SYSTEM_TREE_NODE, system_tree_node) \
      F(def_system_tree_node_property, u32, STRING, name) \
      F(def_system_tree_node_property, u8, TYPE, type) \
      F(def_system_tree_node_property, value, ATTRIBUTE_VALUE, value)) \
    D(22, SYSTEM_TREE_NODE_DOMAIN, SystemTreeNodeDomain, def_system_tree_node_domain, \
      F(def_system_tree_node_domain, u32, SYSTEM_TREE_NODE, system_tree_node) \
      F(def_system_tree_node_domain, u8, SYSTEM_TREE_DOMAIN, system_tree_domain)) \
    D(23, LOCATION_GROUP_PROPERTY, LocationGroupProperty, def_location_group_property, \
      F(def_location_group_property, u32, LOCATION_GROUP, location_group) \
      F(def_location_group_property, u32, STRING, name) \
      F(def_location_group_property, u8, TYPE, type) \
      F(def_location_group_property, value, ATTRIBUTE_VALUE, value)) \
    D(24, LOCATION_PROPERTY, LocationProperty, def_location_property, \
      F(def_location_property, u64, LOCATION, location) \
      F(def_location_property, u32, STRING, name) \
      F(def_location_property, u8, TYPE, type) \
      F(def_location_property, value, ATTRIBUTE_VALUE, value)) \
    D(25, CART_DIMENSION, CartDimension, def_cart_dimension, \
      F(def_cart_dimension, u32, CART_DIMENSION, self) \
      F(def_cart_dimension, u32, STRING, name) \
      F(def_cart_dimension, u32, NUMBER, size) \
      F(def_cart_dimension, u8, CART_PERIODICITY, cart_periodicity)) \
    D(26, CART_TOPOLOGY, CartTopology, def_cart_topology, \
      F(def_cart_topology, u32, CART_TOPOLOGY, self) \
      F(def_cart_topology, u32, STRING, name) \
      F(def_cart_topology, u32, COMM, communicator) \
      F(def_cart_topology, u8, NUMBER, number_of_dimensions) \
      A(def_cart_topology, u32, CART_DIMENSION, cart_dimensions)) \
    D(27, CART_COORDINATE, CartCoordinate, def_cart_coordinate, \
      F(def_cart_coordinate, u32, CART_TOPOLOGY, cart_topology) \
      F(def_cart_coordinate, u32, NUMBER, rank) \
      F(def_cart_coordinate, u8, NUMBER, number_of_dimensions) \
      A(def_cart_coordinate, u32, NUMBER, coordinates)) \
    D(28, SOURCE_CODE_LOCATION, SourceCodeLocation, def_source_code_location, \
      F(def_source_code_location, u32, SOURCE_CODE_LOCATION, self) \
      F(def_source_code_location, u32, STRING, file) \
      F(def_source_code_location, u32, NUMBER, line_number)) \
    D(29, CALLING_CONTEXT, CallingContext, def_calling_context, \
      F(def_calling_context, u32, CALLING_CONTEXT, self) \
      F(def_calling_context, u32, REGION, region) \
      F(def_calling_context, u32, SOURCE_CODE_LOCATION, source_code_location) \
      F(def_calling_context, u32, CALLING_CONTEXT, parent)) \
    D(30, CALLING_CONTEXT_PROPERTY, CallingContextProperty, def_calling_context_property, \
      F(def_calling_context_property, u32, CALLING_CONTEXT, calling_context) \
      F(def_calling_context_property, u32, STRING, name) \
      F(def_calling_context_property, u8, TYPE, type) \
      F(def_calling_context_property, value, ATTRIBUTE_VALUE, value)) \
    D(31, INTERRUPT_GENERATOR, InterruptGenerator, def_interrupt_generator, \
      F(def_interrupt_generator, u32, INTERRUPT_GENERATOR, self) \
      F(def_interrupt_generator, u32, STRING, name) \
      F(def_interrupt_generator, u8, INTERRUPT_GENERATOR_MODE, interrupt_generator_mode) \
      F(def_interrupt_generator, u8, BASE, base) \
      F(def_interrupt_generator, i64, NUMBER, exponent) \
      F(def_interrupt_generator, u64, NUMBER, period)) \
    D(32, IO_FILE_PROPERTY, IoFileProperty, def_io_file_property, \
      F(def_io_file_property, u32, IO_FILE, io_file) \
      F(def_io_file_property, u32, STRING, name) \
      F(def_io_file_property, u8, TYPE, type) \
      F(def_io_file_property, value, ATTRIBUTE_VALUE, value)) \
    D(33, IO_REGULAR_FILE, IoRegularFile, def_io_regular_file, \
      F(def_io_regular_file, u32, IO_FILE, self) \
      F(def_io_regular_file, u32, STRING, name) \
      F(def_io_regular_file, u32, SYSTEM_TREE_NODE, scope)) \
    D(34, IO_DIRECTORY, IoDirectory, def_io_directory, \
      F(def_io_directory, u32, IO_FILE, self) \
      F(def_io_directory, u32, STRING, name) \
      F(def_io_directory, u32, SYSTEM_TREE_NODE, scope)) \
    D(35, IO_HANDLE, IoHandle, def_io_handle, \
      F(def_io_handle, u32, IO_HANDLE, self) \
      F(def_io_handle, u32, STRING, name) \
      F(def_io_handle, u32, IO_FILE, file) \
      F(def_io_handle, id8, IO_PARADIGM, io_paradigm) \
      F(def_io_handle, u32, IO_HANDLE_FLAG, io_handle_flags) \
      F(def_io_handle, u32, COMM, comm) \
      F(def_io_handle, u32, IO_HANDLE, parent)) \
    D(36, IO_PRE_CREATED_HANDLE_STATE, IoPreCreatedHandleState, def_io_pre_created_handle_state, \
      F(def_io_pre_created_handle_state, u32, IO_HANDLE, io_handle) \
      F(def_io_pre_created_handle_state, u8, IO_ACCESS_MODE, mode) \
      F(def_io_pre_created_handle_state, u32, IO_STATUS_FLAG, status_flags)) \
    D(37, CALLPATH_PARAMETER, CallpathParameter, def_callpath_parameter, \
      F(def_callpath_parameter, u32, CALLPATH, callpath) \
      F(def_callpath_parameter, u32, PARAMETER, parameter) \
      F(def_callpath_parameter, u8, TYPE, type) \
      F(def_callpath_parameter, value, ATTRIBUTE_VALUE, value)) \
    D(38, INTER_COMM, InterComm, def_inter_comm, \
      F(def_inter_comm, u32, COMM, self) \
      F(def_inter_comm, u32, STRING, name) \
      F(def_inter_comm, u32, GROUP, group_a) \
      F(def_inter_comm, u32, GROUP, group_b) \
      F(def_inter_comm, u32, COMM, common_communicator) \
      F(def_inter_comm, u32, COMM_FLAG, flags))
/* clang-format on */

#define TCF_DEFINITION_KINDS 38

#define TCF_SKIP(...)

enum tcf_definition_kind {
#define TCF_X_DEFINITION(number, NAME, Name, name, FIELDS) TCF_DEF_##NAME = number,
    TCF_DEFINITION_TABLE(TCF_X_DEFINITION, TCF_SKIP, TCF_SKIP, TCF_SKIP)
#undef TCF_X_DEFINITION
};

/* The raw records: references are ids of the archive. */
#define TCF_RAW_u8 uint8_t
#define TCF_RAW_u32 uint32_t
#define TCF_RAW_u64 uint64_t
#define TCF_RAW_i64 int64_t
#define TCF_RAW_id8 uint8_t
#define TCF_RAW_value uint64_t

#define TCF_X_DEFINITION(number, NAME, Name, name, FIELDS)                                                             \
    typedef struct tcf_##name {                                                                                        \
        FIELDS                                                                                                         \
    } tcf_##name;
#define TCF_X_FIELD(record, ctype, role, field) TCF_RAW_##ctype field;
#define TCF_X_ARRAY(record, ctype, role, field) const TCF_RAW_##ctype *field;
#define TCF_X_TEXT(record, field) const char *field;
TCF_DEFINITION_TABLE(TCF_X_DEFINITION, TCF_X_FIELD, TCF_X_ARRAY, TCF_X_TEXT)
#undef TCF_X_DEFINITION
#undef TCF_X_FIELD
#undef TCF_X_ARRAY
#undef TCF_X_TEXT

typedef struct tcf_definition {
    enum tcf_definition_kind kind;
    union {
        const void *any;
#define TCF_X_DEFINITION(number, NAME, Name, name, FIELDS) const tcf_##name *name;
        TCF_DEFINITION_TABLE(TCF_X_DEFINITION, TCF_SKIP, TCF_SKIP, TCF_SKIP)
#undef TCF_X_DEFINITION
    } as;
} tcf_definition;

/* The kinds that records refer to. */
typedef enum tcf_ref_kind {
    TCF_REF_STRING,
    TCF_REF_ATTRIBUTE,
    TCF_REF_SYSTEM_TREE_NODE,
    TCF_REF_LOCATION_GROUP,
    TCF_REF_LOCATION,
    TCF_REF_REGION,
    TCF_REF_GROUP,
    TCF_REF_COMM,
    TCF_REF_PARAMETER,
    TCF_REF_METRIC,
    TCF_REF_METRIC_MEMBER,
    TCF_REF_RMA_WIN,
    TCF_REF_CALLING_CONTEXT,
    TCF_REF_SOURCE_CODE_LOCATION,
    TCF_REF_INTERRUPT_GENERATOR,
    TCF_REF_IO_PARADIGM,
    TCF_REF_IO_FILE,
    TCF_REF_IO_HANDLE,
    TCF_REF_CALLSITE,
    TCF_REF_CALLPATH,
    TCF_REF_CART_DIMENSION,
    TCF_REF_CART_TOPOLOGY,
    TCF_REF_KINDS
} tcf_ref_kind;

/* index -> id. `dangling` lists the undefined ids in the order in which events used them. */
typedef struct tcf_ids {
    const uint64_t *id;
    uint32_t n;
    const uint64_t *dangling;
    uint32_t n_dangling;
} tcf_ids;

/* OTF2's numbers of the paradigms and roles that filters ask for; the framework asserts that they agree. */
enum tcf_paradigm { TCF_PARADIGM_MPI = 4, TCF_PARADIGM_OPENMP = 3, TCF_PARADIGM_PTHREAD = 7 };
enum tcf_region_role {
    TCF_ROLE_FUNCTION = 1,
    TCF_ROLE_BARRIER = 15,
    TCF_ROLE_IMPLICIT_BARRIER = 16,
    TCF_ROLE_TASK = 20,
    TCF_ROLE_TASK_WAIT = 22,
    TCF_ROLE_DATA_TRANSFER = 30,
    TCF_ROLE_THREAD_WAIT = 33
};
enum tcf_location_type { TCF_CPU_THREAD = 1, TCF_ACCELERATOR_STREAM = 2, TCF_METRIC_LOCATION = 3 };

/* One measurement of a location's clock: at local `time`, global = local + offset, both in ticks. */
typedef struct tcf_clock_offset {
    uint64_t time;
    int64_t offset;
    double standard_deviation;
} tcf_clock_offset;

typedef struct tcf_location {
    uint64_t id;
    const char *name;
    uint64_t events; /* as the archive states it; not to be trusted */
    uint32_t group;  /* index of its location group (its process) */
    uint32_t node;   /* index of the system tree node that is its machine: the nearest one with shared memory, or of
                      * class "node", else the parent of its group; TCF_NONE: unknown */
    uint8_t type;    /* OTF2_LocationType */
    uint8_t silent;  /* there are no events of it, whatever the archive states: its file is missing or holds none */
    uint32_t leader; /* the thread of its process whose course it takes part in, or TCF_NONE: it leads itself, or there
                      * is none. Among the threads of a process with events: those that are MPI ranks before others,
                      * then the one with the smallest id. All others of it that are no ranks have this leader; a
                      * location group without threads has that of the group that created it */
    const tcf_clock_offset *clock_offsets;
    uint32_t n_clock_offsets;
} tcf_location;

typedef struct tcf_location_group {
    uint32_t id;
    const char *name;
    uint32_t system_tree_node;
    uint32_t creator; /* location group that created it, or TCF_NONE */
    uint8_t type;     /* OTF2_LocationGroupType */
} tcf_location_group;

typedef struct tcf_system_tree_node {
    uint32_t id;
    const char *name, *class_name;
    uint32_t parent;
    uint8_t shared_memory; /* has the domain SHARED_MEMORY: a node */
} tcf_system_tree_node;

typedef struct tcf_region {
    uint32_t id;
    const char *name, *canonical_name, *file;
    uint32_t begin_line, end_line;
    uint32_t flags;
    uint8_t role, paradigm;
} tcf_region;

/* A communicator of any paradigm. Rank r of it is the process (location group) process[r] and the location
 * location[r]. For an inter-communicator these are group A, and the remote_* ones group B. For MPI_COMM_SELF
 * (`self`) there are no members: every process is its own rank 0. */
typedef struct tcf_comm {
    uint32_t id;
    const char *name;
    uint32_t parent;
    uint32_t canonical; /* index of the first definition that means the same communicator (possibly itself) */
    uint32_t size, remote_size;
    const uint32_t *process, *location; /* TCF_NONE where the group refers to something undefined */
    const uint32_t *remote_process, *remote_location;
    uint8_t paradigm;
    uint8_t self;
    uint8_t inter;
} tcf_comm;

typedef struct tcf_metric_member {
    uint32_t id;
    const char *name, *description, *unit;
    int64_t exponent;
    uint8_t type, mode, value_type, base;
} tcf_metric_member;

/* A metric class, or a metric instance with the members of its class. */
typedef struct tcf_metric {
    uint32_t id;
    uint32_t n_members;
    const uint32_t *member; /* indices */
    uint32_t recorder;      /* location index of an instance, else TCF_NONE */
    uint8_t instance;
} tcf_metric;

typedef struct tcf_rma_win {
    uint32_t id;
    const char *name;
    uint32_t comm;
} tcf_rma_win;

typedef struct tcf_calling_context {
    uint32_t id;
    uint32_t region, parent, source_code_location;
} tcf_calling_context;

typedef struct tcf_property {
    const char *name, *value;
} tcf_property;

/* The value of the property of this name, among n; NULL: there is none. */
static inline const char *tcf_property_of(const tcf_property *properties, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(properties[i].name, name) == 0)
            return properties[i].value;
    return NULL;
}

typedef struct tcf_clock {
    uint64_t resolution;    /* ticks per second; never 0 */
    uint64_t global_offset; /* ticks */
    uint64_t length;        /* ticks, as the archive states it */
    uint64_t realtime;      /* ns since the epoch, or UINT64_MAX */
} tcf_clock;

/* Bytes from one entry to the next of the arrays in tcf_definitions, which may be more than this header knows. */
typedef struct tcf_strides {
    uint16_t location, location_group, system_tree_node, region, comm, metric, metric_member, rma_win, calling_context;
} tcf_strides;
#define TCF_STRIDES                                                                                                    \
    {                                                                                                                  \
        sizeof(tcf_location), sizeof(tcf_location_group), sizeof(tcf_system_tree_node), sizeof(tcf_region),            \
            sizeof(tcf_comm), sizeof(tcf_metric), sizeof(tcf_metric_member), sizeof(tcf_rma_win),                      \
            sizeof(tcf_calling_context)                                                                                \
    }

typedef struct tcf_definitions {
    const char *archive; /* path of the anchor file, or a name of the stream */
    const char *creator, *description, *machine;
    uint8_t version[3]; /* of the OTF2 that wrote it */
    uint64_t trace_id;
    const tcf_property *properties;
    uint32_t n_properties;

    tcf_clock clock;
    const tcf_definition *records;
    uint64_t n_records;
    tcf_ids ids[TCF_REF_KINDS];

    const char *const *strings; /* by index of the string */

    /* Filters get at the entries by tcf_location_at() and its like, below. */
    tcf_strides stride;
    const tcf_location *locations;
    const tcf_location_group *location_groups;
    const tcf_system_tree_node *system_tree_nodes;
    const tcf_region *regions;
    const tcf_comm *comms;
    const tcf_metric *metrics;
    const tcf_metric_member *metric_members;
    const tcf_rma_win *rma_wins;
    const tcf_calling_context *calling_contexts;
    uint32_t n_strings, n_locations, n_location_groups, n_system_tree_nodes, n_regions, n_comms, n_metrics,
        n_metric_members, n_rma_wins, n_calling_contexts;

    uint64_t n_duplicate, n_dangling, n_unknown; /* definitions: given twice, referring to nothing, of a newer OTF2 */
    uint64_t n_local_others; /* in the files of locations, besides mapping tables (applied) and clock offsets; not kept:
                              * events refer to the global ones only */

    /* By location: the location whose rank it has in communicators of MPI. That is itself where MPI's COMM_LOCATIONS
     * lists it, for a thread that isn't listed the only one listed of its location group; TCF_NONE: there are several,
     * or none. */
    const uint32_t *mpi_member;
} tcf_definitions;

/* An entry by its index, which must be one: below n_locations, n_regions, ... (tcf_defined() and in range). */
static inline const tcf_location *tcf_location_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_location *)(const void *)((const char *)defs->locations + (size_t)i * defs->stride.location);
}

static inline const tcf_location_group *tcf_location_group_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_location_group *)(const void *)((const char *)defs->location_groups +
                                                      (size_t)i * defs->stride.location_group);
}

static inline const tcf_system_tree_node *tcf_system_tree_node_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_system_tree_node *)(const void *)((const char *)defs->system_tree_nodes +
                                                        (size_t)i * defs->stride.system_tree_node);
}

static inline const tcf_region *tcf_region_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_region *)(const void *)((const char *)defs->regions + (size_t)i * defs->stride.region);
}

static inline const tcf_comm *tcf_comm_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_comm *)(const void *)((const char *)defs->comms + (size_t)i * defs->stride.comm);
}

static inline const tcf_metric *tcf_metric_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_metric *)(const void *)((const char *)defs->metrics + (size_t)i * defs->stride.metric);
}

static inline const tcf_metric_member *tcf_metric_member_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_metric_member *)(const void *)((const char *)defs->metric_members +
                                                     (size_t)i * defs->stride.metric_member);
}

static inline const tcf_rma_win *tcf_rma_win_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_rma_win *)(const void *)((const char *)defs->rma_wins + (size_t)i * defs->stride.rma_win);
}

static inline const tcf_calling_context *tcf_calling_context_at(const tcf_definitions *defs, uint32_t i)
{
    return (const tcf_calling_context *)(const void *)((const char *)defs->calling_contexts +
                                                       (size_t)i * defs->stride.calling_context);
}

/* The archive's id of a reference; `undefined` (the kind's own OTF2_UNDEFINED_*) for TCF_NONE. */
static inline uint64_t tcf_id(const tcf_definitions *defs, tcf_ref_kind kind, uint32_t index, uint64_t undefined)
{
    const tcf_ids *ids = &defs->ids[kind];
    if (index < ids->n)
        return ids->id[index];
    if (index == TCF_NONE || (index & ~TCF_DANGLING) >= ids->n_dangling)
        return undefined;
    return ids->dangling[index & ~TCF_DANGLING];
}

/* The process of a location: its location group, or where that was created by another one, as streams of accelerators
 * that have groups of their own, the first of those. TCF_NONE: its group isn't defined. */
static inline uint32_t tcf_process_of(const tcf_definitions *defs, uint32_t location)
{
    uint32_t g = tcf_location_at(defs, location)->group;

    if (g >= defs->n_location_groups)
        return TCF_NONE;
    for (uint32_t steps = 0; steps < defs->n_location_groups; steps++) { /* groups may name each other */
        uint32_t creator = tcf_location_group_at(defs, g)->creator;
        if (creator >= defs->n_location_groups)
            break;
        g = creator;
    }
    return g;
}

/* The region of a calling context, by index; TCF_NONE: the context isn't defined. */
static inline uint32_t tcf_region_of_context(const tcf_definitions *defs, uint32_t context)
{
    return context < defs->n_calling_contexts ? tcf_calling_context_at(defs, context)->region : TCF_NONE;
}

/* What a value refers to whose type, or scope, stands beside it: values of attributes, properties, markers. Rows are
 * R(number, name), the number being libotf2's; the framework asserts that they agree. */
#define TCF_TYPE_REFERENCES(R)                                                                                         \
    R(11, STRING)                                                                                                      \
    R(12, ATTRIBUTE)                                                                                                   \
    R(13, LOCATION)                                                                                                    \
    R(14, REGION)                                                                                                      \
    R(15, GROUP)                                                                                                       \
    R(16, METRIC)                                                                                                      \
    R(17, COMM)                                                                                                        \
    R(18, PARAMETER)                                                                                                   \
    R(19, RMA_WIN)                                                                                                     \
    R(20, SOURCE_CODE_LOCATION)                                                                                        \
    R(21, CALLING_CONTEXT)                                                                                             \
    R(22, INTERRUPT_GENERATOR)                                                                                         \
    R(23, IO_FILE)                                                                                                     \
    R(24, IO_HANDLE)                                                                                                   \
    R(25, LOCATION_GROUP)
#define TCF_MARKER_SCOPE_REFERENCES(R)                                                                                 \
    R(1, LOCATION)                                                                                                     \
    R(2, LOCATION_GROUP)                                                                                               \
    R(3, SYSTEM_TREE_NODE)                                                                                             \
    R(4, GROUP)                                                                                                        \
    R(5, COMM)

#define TCF_X_CASE(number, NAME)                                                                                       \
    case number:                                                                                                       \
        return TCF_REF_##NAME;

/* The tcf_ref_kind that a value of an OTF2_Type refers to; -1: none. */
static inline int tcf_ref_of_type(uint8_t type)
{
    switch (type) {
        TCF_TYPE_REFERENCES(TCF_X_CASE)
    default:
        return -1;
    }
}

/* The same of a marker's scope_ref, by its OTF2_MarkerScope. */
static inline int tcf_ref_of_marker_scope(uint8_t scope)
{
    switch (scope) {
        TCF_MARKER_SCOPE_REFERENCES(TCF_X_CASE)
    default:
        return -1;
    }
}

#undef TCF_X_CASE

#ifdef __cplusplus
}
#endif
#endif
