/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Inputs that are opened and waited for: what ends that from outside is looked at, and an error that a queue has met is
 * reported when it is that input's turn. */
#include "framework/base/error.h"
#include "framework/source/open.h"
#include "framework/source/stream/stream_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

/* Opening fails, for this reason. */
static void opening_fails(const char *input, const char *reason)
{
    const source_options options = {.memory = 1 << 20, .interrupted = &stop};
    error_clear();
    source *src = source_open(input, &options);
    assert_null(src);
    if (!strstr(error_text(), reason))
        fail_msg("%s: %s; expected %s", input, error_text(), reason);
}

static void definitions_that_are_united(void **state)
{
    const char *srcdir = getenv("top_srcdir");
    char both[4096];
    (void)state;
    snprintf(both, sizeof both, "%s/examples/trace/traces.otf2 %s/examples/../examples/trace/traces.otf2",
             srcdir ? srcdir : ".", srcdir ? srcdir : ".");
    stop = 0;
    opening_fails(both, "has events in"); /* which is found out when they are united */
    stop = 1;
    opening_fails(both, "interrupted");
}

static void *stop_soon(void *nothing)
{
    usleep(300000);
    stop = 1;
    return nothing;
}

/* As a signal between the look at the flag and the wait, which then isn't interrupted. */
static void writers_that_are_waited_for(void **state)
{
    char one[100], two[300];
    pthread_t thread;
    (void)state;
    alarm(60);
    snprintf(one, sizeof one, "unix:/tmp/tcflow-opening-%ld", (long)getpid());
    snprintf(two, sizeof two, "%s %s-b", one, one);
    for (int several = 0; several < 2; several++) {
        stop = 0;
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, NULL), 0);
        opening_fails(several ? two : one, "interrupted");
        pthread_join(thread, NULL);
    }
    alarm(0);
}

static tcf_status give_up(void *data)
{
    (void)data;
    return error_fail("nothing has come");
}

/* A datagram that nobody takes is an error of the next read, and of that one alone. */
static void an_error_in_the_queue(void **state)
{
    struct sockaddr_in nobody = {.sin_family = AF_INET,
                                 .sin_port = htons(9),
                                 .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    stream_input first = {.fd = -1, .listener = -1, .idle = give_up}, second = first;
    int pipe_of_first[2];
    (void)state;
    stop = 0;
    stream_group *g = stream_group_new(2, 4096);
    assert_non_null(g);
    assert_int_equal(pipe(pipe_of_first), 0);
    first.fd = pipe_of_first[0];
    first.name = strdup("the first");
    second.fd = socket(AF_INET, SOCK_DGRAM, 0);
    second.name = strdup("the second");
    assert_int_equal(connect(second.fd, (struct sockaddr *)&nobody, sizeof nobody), 0);
    assert_int_equal(stream_group_add(g, &first), TCF_OK);
    assert_int_equal(stream_group_add(g, &second), TCF_OK);
    assert_int_equal(send(second.fd, "?", 1, 0), 1);
    assert_int_equal(stream_wait(first.group, &first, first.fd, 200),
                     TCF_ERROR); /* meanwhile the second is looked at */
    if (second.silent) {         /* else there is no answer of the machine */
        error_clear();
        alarm(60);
        assert_int_equal(stream_input_start(&second), TCF_ERROR);
        alarm(0);
        if (!strstr(error_text(), "reading from the second: Connection refused"))
            fail_msg("%s", error_text());
    }
    close(pipe_of_first[1]);
    stream_input_close(&first);
    stream_input_close(&second);
    stream_group_delete(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(definitions_that_are_united),
                                       cmocka_unit_test(writers_that_are_waited_for),
                                       cmocka_unit_test(an_error_in_the_queue)};
    error_verbosity = TCF_LOG_ERROR;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
