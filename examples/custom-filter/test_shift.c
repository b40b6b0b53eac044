/* Test of shift: events in, a chain, events out. tcfh_...() ends the program with a message when something is wrong. */
#include <tcflow/harness.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    tcfh *h = tcfh_new();
    tcfh_plugin_path(h, ".");

    /* Two processes of one thread, that is two locations; a message from the first to the second. A tick is 1 ns. */
    tcfh_processes(h, 2, 1);
    uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 10, work);
    tcfh_send(h, 0, 12, 1, 7, 8); /* to rank 1, tag 7, 8 bytes */
    tcfh_leave(h, 0, 20, work);
    tcfh_receive(h, 1, 15, 0, 7, 8);

    /* By default nothing changes. */
    tcfh_run(h, "[pipeline]\nchain = shift\n");
    tcfh_unchanged(h);

    /* Slices may be cut anywhere: what comes out is always the same. */
    for (uint64_t seed = 0; seed < 20; seed++) {
        tcfh_cut(h, seed);
        tcfh_run(h, "[pipeline]\nchain = shift\n[shift]\nby = 5ns\n");
        TCFH_TIMES(h, 0, 15, 17, 25);
        TCFH_TIMES(h, 1, 20);
    }

    /* What the parameter's table refuses. */
    if (tcfh_try(h, "[pipeline]\nchain = shift\n[shift]\nby = -1ms\n") != TCF_ERROR ||
        !strstr(tcfh_error(h), "shift.by")) {
        fprintf(stderr, "a negative time was not refused: %s\n", tcfh_error(h));
        tcfh_delete(h);
        return 1;
    }
    tcfh_delete(h);
    puts("test_shift: passed");
    return 0;
}
