/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The names of OTF2's enumerations, which the build makes of OTF2's headers, against those that otf2-print shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Marker.h>
#include <otf2/otf2.h>
#include <string.h>

#include "framework/trace/records.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* At least one of each way in which OTF2 begins the names of values. */
static void values(void **state)
{
    static const struct {
        const char *enumeration;
        uint64_t value;
        const char *name;
    } known[] = {
        {"BASE", OTF2_BASE_DECIMAL, "DECIMAL"},
        {"CART_PERIODICITY", OTF2_CART_PERIODIC_FALSE, "FALSE"},
        {"COLLECTIVE_OP", OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE, "CREATE_HANDLE_AND_ALLOCATE"},
        {"COLLECTIVE_ROOT", OTF2_COLLECTIVE_ROOT_THIS_GROUP, "THIS_GROUP"},
        {"IO_PARADIGM_PROPERTY", OTF2_IO_PARADIGM_PROPERTY_VERSION, "VERSION"},
        {"IO_SEEK_OPTION", OTF2_IO_SEEK_FROM_END, "FROM_END"},
        {"LOCATION_TYPE", OTF2_LOCATION_TYPE_METRIC, "METRIC"},
        {"LOCK_TYPE", OTF2_LOCK_SHARED, "SHARED"},
        {"MARKER_SCOPE", OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE, "SYSTEM_TREE_NODE"},
        {"MARKER_SEVERITY", OTF2_SEVERITY_HIGH, "HIGH"},
        {"MEASUREMENT_MODE", OTF2_MEASUREMENT_ON, "ON"},
        {"METRIC_MODE", OTF2_METRIC_ACCUMULATED_START, "ACCUMULATED_START"},
        {"METRIC_OCCURRENCE", OTF2_METRIC_SYNCHRONOUS, "SYNCHRONOUS"},
        {"METRIC_SCOPE", OTF2_SCOPE_LOCATION_GROUP, "LOCATION_GROUP"},
        {"METRIC_TYPE", OTF2_METRIC_TYPE_PAPI, "PAPI"},
        {"PARADIGM", OTF2_PARADIGM_MEASUREMENT_SYSTEM, "MEASUREMENT_SYSTEM"},
        {"PARADIGM_CLASS", OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN, "THREAD_FORK_JOIN"},
        {"REGION_ROLE", OTF2_REGION_ROLE_IMPLICIT_BARRIER, "IMPLICIT_BARRIER"},
        {"TYPE", OTF2_TYPE_RMA_WIN, "RMA_WIN"},
        {"TYPE", 250, NULL},
        {"NO_SUCH_ENUMERATION", 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        const char *name = otf2_enum_name(known[i].enumeration, known[i].value);
        if (!name != !known[i].name || (name && strcmp(name, known[i].name) != 0))
            fail_msg("%s %u is '%s'", known[i].enumeration, (unsigned)known[i].value, name ? name : "(none)");
    }
}

static void sets(void **state)
{
    (void)state;
    assert_string_equal(otf2_enum_name("IO_STATUS_FLAG", OTF2_IO_STATUS_FLAG_NONE), "NONE");
    assert_string_equal(otf2_enum_name("IO_STATUS_FLAG",
                                       OTF2_IO_STATUS_FLAG_APPEND | OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE),
                        "APPEND|DELETE_ON_CLOSE");
    assert_string_equal(otf2_enum_name("REGION_FLAG", OTF2_REGION_FLAG_PHASE | 0x800), "PHASE|0x800");
    assert_string_equal(otf2_enum_name("RMA_SYNC_LEVEL", OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY),
                        "PROCESS|MEMORY");
}

/* Whatever the record tables call an enumeration is one. */
static void all_roles(void **state)
{
    static const char *const roles[] = {"BASE",
                                        "CART_PERIODICITY",
                                        "COLLECTIVE_OP",
                                        "COMM_FLAG",
                                        "GROUP_FLAG",
                                        "GROUP_TYPE",
                                        "IO_ACCESS_MODE",
                                        "IO_CREATION_FLAG",
                                        "IO_HANDLE_FLAG",
                                        "IO_OPERATION_FLAG",
                                        "IO_SEEK_OPTION",
                                        "IO_OPERATION_MODE",
                                        "IO_PARADIGM_FLAG",
                                        "LOCATION_GROUP_TYPE",
                                        "LOCATION_TYPE",
                                        "LOCK_TYPE",
                                        "METRIC_MODE",
                                        "METRIC_TYPE",
                                        "PARADIGM",
                                        "PARAMETER_TYPE",
                                        "RECORDER_KIND",
                                        "REGION_FLAG",
                                        "REGION_ROLE",
                                        "RMA_ATOMIC_TYPE",
                                        "RMA_SYNC_TYPE",
                                        "RMA_WIN_FLAG",
                                        "TYPE"};
    (void)state;
    for (size_t i = 0; i < COUNT(roles); i++) {
        int named = 0;
        for (uint64_t value = 0; value < 3; value++)
            named |= otf2_enum_name(roles[i], value) != NULL;
        if (!named)
            fail_msg("%s is unknown", roles[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(sets),
        cmocka_unit_test(all_roles),
    };
    return cmocka_run_group_tests_name("enumerations", tests, NULL, NULL);
}
