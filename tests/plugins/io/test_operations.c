/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* io on a small trace, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "io", options);
}

static void begin(tcfh *h, uint64_t time, uint8_t mode, uint32_t flags, uint64_t bytes, uint64_t id)
{
    tcfh_event(h, 0, time, TCF_IO_OPERATION_BEGIN,
               &(tcf_ev_io_operation_begin){.handle = 0,
                                            .mode = mode,
                                            .operation_flags = flags,
                                            .bytes_request = bytes,
                                            .matching_id = id});
}

static void complete(tcfh *h, uint64_t time, uint64_t bytes, uint64_t id)
{
    tcfh_event(h, 0, time, TCF_IO_OPERATION_COMPLETE,
               &(tcf_ev_io_operation_complete){.handle = 0, .bytes_result = bytes, .matching_id = id});
}

static void define(tcfh *h)
{
    tcfh_define(h, TCF_DEF_STRING, &(tcf_def_string){.self = 900, .string = "POSIX"});
    tcfh_define(h, TCF_DEF_STRING, &(tcf_def_string){.self = 901, .string = "/data/file"});
    tcfh_define(h, TCF_DEF_IO_PARADIGM, &(tcf_def_io_paradigm){.self = 3, .identification = 900, .name = 900});
    tcfh_define(h, TCF_DEF_IO_REGULAR_FILE, &(tcf_def_io_regular_file){.self = 70, .name = 901, .scope = UINT32_MAX});
    tcfh_define(h, TCF_DEF_IO_HANDLE,
                &(tcf_def_io_handle){
                    .self = 80, .name = 0, .file = 70, .io_paradigm = 3, .comm = UINT32_MAX, .parent = UINT32_MAX});
}

/* Reads of 100 (10 ticks) and, of 50 that were asked for, 20 (30 ticks); a write of 8, issued at 65 and completed at
 * 90; another one that is cancelled, and one that never ends. */
static void operations(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t call = tcfh_region_as(h, "read", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_NONE);
    define(h);
    tcfh_event(h, 0, 1, TCF_IO_CREATE_HANDLE, &(tcf_ev_io_create_handle){.handle = 0});
    tcfh_event(h, 0, 2, TCF_IO_CREATE_HANDLE, &(tcf_ev_io_create_handle){.handle = 0});
    tcfh_event(h, 0, 3, TCF_IO_SEEK, &(tcf_ev_io_seek){.handle = 0});
    tcfh_enter(h, 0, 8, call);
    begin(h, 10, OTF2_IO_OPERATION_MODE_READ, 0, 100, 1);
    complete(h, 20, 100, 1);
    tcfh_leave(h, 0, 25, call);
    begin(h, 30, OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_COLLECTIVE, 50, 2);
    begin(h, 55, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NON_BLOCKING, 8, 3);
    complete(h, 60, 20, 2);
    tcfh_event(h, 0, 65, TCF_IO_OPERATION_ISSUED, &(tcf_ev_io_operation_issued){.handle = 0, .matching_id = 3});
    tcfh_event(h, 0, 80, TCF_IO_OPERATION_TEST, &(tcf_ev_io_operation_test){.handle = 0, .matching_id = 3});
    complete(h, 90, 8, 3);
    begin(h, 92, OTF2_IO_OPERATION_MODE_WRITE, 0, 7, 4);
    tcfh_event(h, 0, 93, TCF_IO_OPERATION_CANCELLED, &(tcf_ev_io_operation_cancelled){.handle = 0, .matching_id = 4});
    begin(h, 94, OTF2_IO_OPERATION_MODE_WRITE, 0, 7, 5);
    tcfh_event(h, 0, 95, TCF_IO_DESTROY_HANDLE, &(tcf_ev_io_destroy_handle){.handle = 0});
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        harness_line(text,
                     "operations,2,150,120,4e-08,3000000000,1e-08,3e-08,20,100,0,1,1,0,0,0,0,40,10,30,30,READ,POSIX,"
                     "rank 0,/data/file");
        harness_line(text,
                     "operations,3,22,8,2.5e-08,320000000,2.5e-08,2.5e-08,8,8,1,0,0,0,1,1,1,25,25,25,30,WRITE,POSIX,"
                     "rank 0,/data/file");
        harness_line(text, "files,2,0,1,1,1,0,0,0,0,30,POSIX,rank 0,/data/file");
        harness_line(text, "sizes,16,31,1,20,3e-08,666666666.6666666,30,30,READ,POSIX,rank 0");
        harness_line(text, "sizes,64,127,1,100,1e-08,10000000000,10,30,READ,POSIX,rank 0");
        harness_line(text, "sizes,8,15,1,8,2.5e-08,320000000,25,30,WRITE,POSIX,rank 0");
        assert_non_null(strstr(text, "\nregions,1,1.7e-08,17,30,"));
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
