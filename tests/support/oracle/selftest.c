/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Self-test of the oracle (TAP): small traces built in memory, whose matching was worked out by hand from the text of
 * oracle.h. Each case names the definition that it exercises. Reading of archives is checked against otf2-print on real
 * traces, not here. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

/* ---- asking the matching ---- */

/* The receive that belongs to a send. */
static size_t receive_of(const struct o_matching *m, size_t l, size_t send, bool *trusted)
{
    const struct o_message *p = m->messages.item;
    for (size_t i = 0; i < m->messages.n; i++)
        if (p[i].source_location == l && p[i].source == send) {
            if (trusted)
                *trusted = p[i].trusted;
            return p[i].target;
        }
    return O_NONE;
}

static const struct o_member *member_of(const struct o_matching *m, size_t l, size_t end)
{
    const struct o_member *p = m->members.item;
    for (size_t i = 0; i < m->members.n; i++)
        if (p[i].location == l && p[i].end == end)
            return &p[i];
    return NULL;
}

static bool roles(const struct o_matching *m, size_t l, size_t end, bool source, bool target)
{
    const struct o_member *p = member_of(m, l, end);
    return p && p->is_source == source && p->is_target == target;
}

static bool count_edge(void *user, const struct o_edge *edge)
{
    size_t *n = user;
    n[edge->class]++;
    return true;
}

static bool has_edges(const struct o_matching *m, enum o_class class, size_t expected)
{
    size_t n[O_CLASSES] = {0};
    const struct o_relation *relation = m->relations.item;
    for (size_t i = 0; i < m->relations.n; i++)
        o_each_edge(m, &relation[i], count_edge, n);
    return n[class] == expected;
}

static void done(struct o_trace *t, struct o_matching *m)
{
    o_match_free(m);
    o_unload(t);
}

/* ---- point-to-point ---- */

static void test_posting_order(void)
{
    struct o_trace *t = test_world(2);
    SEND(t, 0, 1, 1, 1, 7);
    SEND(t, 0, 2, 1, 1, 7);
    POST(t, 1, 1, 100);
    POST(t, 1, 2, 200);
    IRECV(t, 1, 3, 0, 1, 7, 200);
    IRECV(t, 1, 4, 0, 1, 7, 100);
    struct o_matching *m = o_match(t, 4096);
    test_ok(receive_of(m, 0, 0, NULL) == 3 && receive_of(m, 0, 1, NULL) == 2, "D7: receives match in posting order");
    o_match_free(m);
    m = o_match(t, 3);
    test_ok(receive_of(m, 0, 0, NULL) == 3, "D6: a distance equal to the look-ahead is seen");
    o_match_free(m);
    m = o_match(t, 2);
    test_ok(receive_of(m, 0, 0, NULL) == 2 && receive_of(m, 0, 1, NULL) == 3,
            "D6: a posting beyond the look-ahead is not");
    done(t, m);
}

static void test_dead_requests(void)
{
    struct o_trace *t = test_world(2);
    SEND(t, 0, 1, 1, 1, 7);
    SEND(t, 0, 2, 1, 1, 7);
    POST(t, 1, 1, 100);
    RECV(t, 1, 2, 0, 1, 7);
    POST(t, 1, 3, 100);
    POST(t, 1, 4, 200);
    test_event(t, 1, 5, O_MPI_REQUEST_CANCELLED, N(200));
    IRECV(t, 1, 6, 0, 1, 7, 100);
    struct o_matching *m = o_match(t, 4096);
    test_ok(receive_of(m, 0, 0, NULL) == 1 && receive_of(m, 0, 1, NULL) == 5,
            "D5: a request posted again loses its place");
    test_ok(m->requests.never_completed[1] == 1 && m->requests.done[1][3] == O_NONE,
            "D5: cancelled is not never completed");
    done(t, m);
}

static void test_trust(void)
{
    struct o_trace *t = test_world(3);
    bool trusted[3];
    SEND(t, 0, 1, 1, 1, 7);
    SEND(t, 0, 2, 1, 1, 7);
    SEND(t, 2, 1, 1, 1, 7);
    SEND(t, 2, 2, 1, 1, 8);
    POST(t, 1, 1, 100);
    RECV(t, 1, 2, 0, 1, 7);
    RECV(t, 1, 3, 2, 1, 7);
    RECV(t, 1, 4, 2, 1, 8);
    RECV(t, 1, 5, 2, 1, 8);
    struct o_matching *m = o_match(t, 4096);
    size_t first = receive_of(m, 0, 0, &trusted[0]), second = receive_of(m, 2, 0, &trusted[1]),
           third = receive_of(m, 2, 1, &trusted[2]);
    test_ok(first == 1 && !trusted[0] && second == 2 && trusted[1] && third == 3 && !trusted[2] &&
                has_edges(m, O_P2P, 1),
            "D9: only channels with as many receives as sends are trusted");
    test_ok(receive_of(m, 0, 1, NULL) == O_NONE, "D8: surplus sends are unmatched");
    done(t, m);
}

static void test_threads_of_a_rank(void)
{
    struct o_trace *t = test_world(2);
    size_t thread = test_location(t, 77, 1);
    for (uint64_t i = 0; i < 4; i++)
        SEND(t, 0, i, 1, 1, 7);
    RECV(t, thread, 5, 0, 1, 7);
    RECV(t, 1, 7, 0, 1, 7);
    RECV(t, thread, 7, 0, 1, 7);
    RECV(t, thread, 4, 0, 1, 7); /* time runs backward: counts as 7 */
    struct o_matching *m = o_match(t, 4096);
    const struct o_message *p = m->messages.item;
    test_ok(m->messages.n == 4 && p[0].target_location == thread && p[0].target == 0 && p[1].target_location == 1 &&
                p[2].target == 1 && p[3].target == 2,
            "D1, D2: threads of a process share its rank, ordered by time and location");
    done(t, m);
}

static void test_communicators(void)
{
    struct o_trace *t = test_world(4);
    test_group(t, 3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, N(0), N(2));
    test_group(t, 4, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, N(3), N(1));
    test_group(t, 5, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_GLOBAL_MEMBERS, 2, N(2), N(3));
    test_comm(t, 5, true, 3, 4);
    test_comm(t, 6, false, 5, 5);
    SEND(t, 0, 1, 1, 5, 7); /* rank 1 of the other side: location 1 */
    SEND(t, 1, 2, 0, 5, 7); /* and back */
    RECV(t, 0, 3, 1, 5, 7);
    RECV(t, 1, 3, 0, 5, 7);
    SEND(t, 2, 1, 3, 6, 7); /* global ranks */
    RECV(t, 3, 2, 2, 6, 7);
    SEND(t, 2, 3, 0, 2, 7); /* to itself */
    SEND(t, 3, 3, 0, 2, 7);
    RECV(t, 3, 4, 0, 2, 7);
    RECV(t, 2, 4, 0, 2, 7);
    SEND(t, 0, 5, 1, 99, 7); /* no such communicator */
    struct o_matching *m = o_match(t, 4096);
    test_ok(receive_of(m, 0, 0, NULL) == 1 && receive_of(m, 1, 0, NULL) == 1,
            "D3: inter-communicator, ranks of the other side");
    test_ok(receive_of(m, 2, 0, NULL) == 0, "D3: GLOBAL_MEMBERS");
    const struct o_message *p = m->messages.item;
    size_t self = 0;
    for (size_t i = 0; i < m->messages.n; i++)
        self += p[i].canon && p[i].canon->self && p[i].source_location == p[i].target_location;
    test_ok(self == 2, "D3: every process is its own self communicator");
    test_ok(has_edges(m, O_P2P, 5) && receive_of(m, 0, 2, NULL) == O_NONE,
            "D8: an undefined communicator matches nothing");
    done(t, m);
}

static bool are_pair(const struct o_matching *m, size_t from, size_t send, size_t to, size_t receive)
{
    const struct o_message *p = m->messages.item;
    for (size_t i = 0; i < m->messages.n; i++)
        if (p[i].source_location == from && p[i].source == send)
            return p[i].target_location == to && p[i].target == receive;
    return false;
}

/* Locations 0 and 1 are ranks of one process, 2 is a thread of it; 3 is a rank with a thread 4 and a stream 5. */
static void test_members(void)
{
    struct o_trace *t = test_new_trace();
    for (size_t l = 0; l < 6; l++)
        test_location(t, l, l / 3);
    t->location[5].type = OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
    test_group(t, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, 3, N(0), N(1), N(3));
    test_group(t, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 3, N(0), N(1), N(2));
    test_group(t, 2, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 3, N(2), N(1), N(2));
    test_group(t, 3, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, 0);
    test_comm(t, 1, false, 1, 1);
    test_comm(t, 2, false, 2, 2);
    test_comm(t, 3, false, 3, 3);
    SEND(t, 3, 1, 0, 1, 7); /* one tag to both ranks of the process */
    SEND(t, 4, 2, 1, 1, 7);
    SEND(t, 5, 3, 1, 1, 7);
    SEND(t, 2, 4, 2, 1, 7);
    RECV(t, 1, 5, 2, 1, 7);
    RECV(t, 0, 6, 2, 1, 7);
    SEND(t, 0, 7, 0, 3, 7); /* to themselves */
    SEND(t, 1, 7, 0, 3, 7);
    RECV(t, 1, 8, 0, 3, 7);
    RECV(t, 0, 8, 0, 3, 7);
    SEND(t, 0, 9, 1, 2, 7);  /* no member of it */
    SEND(t, 1, 10, 0, 2, 7); /* named twice: rank 0, and rank 2 is nobody */
    SEND(t, 1, 11, 2, 2, 7);
    RECV(t, 3, 12, 1, 2, 7);
    struct o_matching *m = o_match(t, 4096);
    test_ok(are_pair(m, 3, 0, 0, 0) && are_pair(m, 4, 0, 1, 0),
            "D2: ranks of one process stay apart; a thread has the rank of the only one of its process");
    test_ok(receive_of(m, 2, 0, NULL) == O_NONE && receive_of(m, 5, 0, NULL) == O_NONE,
            "D2: a thread of several ranks is nobody, a stream neither");
    test_ok(are_pair(m, 0, 1, 0, 2) && are_pair(m, 1, 1, 1, 2), "D3: each rank is its own self communicator");
    test_ok(receive_of(m, 0, 3, NULL) == O_NONE, "D8: who is no member matches nothing");
    test_ok(are_pair(m, 1, 3, 3, 1) && receive_of(m, 1, 4, NULL) == O_NONE, "D2: the first rank of who is named twice");
    done(t, m);
}

/* Ids per process, as EZTrace writes them. */
static void test_blocks(void)
{
    const uint64_t block = 536870911;
    struct o_trace *t = test_new_trace();
    test_location(t, 0, 0);
    test_location(t, block, 1);
    test_group(t, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, 2, N(0), block);
    test_group(t, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, N(0), N(1));
    test_group(t, 9, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, N(1), N(0));
    test_comm(t, 0, false, 0, 0);
    test_comm(t, 1, false, 9, 9);
    test_comm(t, 2, false, 0, 0);
    test_comm(t, block + 1, false, 0, 0);
    test_comm(t, block + 5, false, 0, 0);
    SEND(t, 0, 1, 1, 2, 7);
    SEND(t, 0, 2, 1, 0, 7);
    RECV(t, 1, 3, 0, block + 1, 7);
    RECV(t, 1, 4, 0, block + 5, 7);
    struct o_matching *m = o_match(t, 4096);
    test_ok(receive_of(m, 0, 0, NULL) == 1 && receive_of(m, 0, 1, NULL) == 0,
            "D4: i-th communicator of equal members by block");
    done(t, m);
}

/* ---- collectives ---- */

static void test_collective_order(void)
{
    struct o_trace *t = test_world(2);
    test_event(t, 0, 1, O_NON_BLOCKING_COLLECTIVE_REQUEST, N(5));
    BEGIN(t, 0, 2);
    END(t, 0, 3, BARRIER, 1, NONE, 0, 0);
    NBC(t, 0, 4, BCAST, 1, 0, 5);
    test_event(t, 1, 1, O_NON_BLOCKING_COLLECTIVE_REQUEST, N(6));
    NBC(t, 1, 2, BCAST, 1, 0, 6);
    BEGIN(t, 1, 3);
    END(t, 1, 4, BARRIER, 1, NONE, 0, 0);
    struct o_matching *m = o_match(t, 4096);
    test_ok(member_of(m, 0, 3)->instance == 0 && member_of(m, 1, 1)->instance == 0 && member_of(m, 0, 2)->instance == 1,
            "D10: blocking and non-blocking collectives share one sequence in posting order");
    test_ok(has_edges(m, O_ONE_TO_N, 1) && has_edges(m, O_N_TO_N, 2) && roles(m, 0, 3, true, false) &&
                roles(m, 1, 1, false, true) && roles(m, 0, 2, true, true),
            "D11: roles in broadcast and barrier");
    o_match_free(m);
    m = o_match(t, 2); /* rank 0 sees its broadcast too late now */
    test_ok(member_of(m, 0, 3)->instance == 1 && member_of(m, 0, 3)->begin == O_NONE &&
                !member_of(m, 0, 3)->consistent && has_edges(m, O_N_TO_N, 0),
            "D6, D11: a late begin takes its number at its end; mixed operations bind nothing");
    done(t, m);
}

static void test_collective_roles(void)
{
    struct o_trace *t = test_world(3);
    for (size_t l = 0; l < 3; l++) {
        BEGIN(t, l, 1);
        END(t, l, 2, GATHERV, 1, 1, l == 2 ? 0 : 8, l == 1 ? 8 : 0); /* rank 2 contributes nothing */
        BEGIN(t, l, 3);
        END(t, l, 4, EXSCAN, 1, NONE, 8, 8);
        BEGIN(t, l, 5);
        END(t, l, 6, CREATE_HANDLE, 1, NONE, 0, 0);
        BEGIN(t, l, 7);
        END(t, l, 8, ALLREDUCE, 2, NONE, 8, 8); /* alone in self */
        BEGIN(t, l, 9);
        END(t, l, 10, ALLTOALLV, 1, NONE, l == 0 ? 0 : 8, l == 1 ? 0 : 8);
        BEGIN(t, l, 11);
        END(t, l, 12, REDUCE_SCATTER, 1, NONE, 24, l == 1 ? 0 : 8);
    }
    struct o_matching *m = o_match(t, 4096);
    test_ok(has_edges(m, O_N_TO_ONE, 1) && roles(m, 0, 1, true, false) && roles(m, 1, 1, false, true) &&
                roles(m, 2, 1, false, false),
            "D11: a member of length zero is left out of a v-operation");
    test_ok(has_edges(m, O_EXSCAN, 3) && roles(m, 0, 3, true, false) && roles(m, 1, 3, true, true) &&
                roles(m, 2, 3, false, true),
            "D11: exscan binds higher ranks to lower ones");
    test_ok(has_edges(m, O_N_TO_N, 3 + 4) && roles(m, 0, 9, false, true) && roles(m, 1, 9, true, false) &&
                roles(m, 2, 9, true, true) && roles(m, 1, 11, true, false),
            "D11: sending or receiving nothing in an all-to-all");
    test_ok(roles(m, 0, 5, false, false) && roles(m, 0, 7, true, true),
            "D11: handles bind nobody, self is as any other");
    test_ok(member_of(m, 1, 7)->instance == 0 && member_of(m, 2, 7)->instance == 0, "D10: self sequences are apart");
    done(t, m);
}

static void test_inter_collectives(void)
{
    struct o_trace *t = test_world(4);
    test_group(t, 3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, N(0), N(2));
    test_group(t, 4, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, N(1), N(3));
    test_comm(t, 5, true, 3, 4);
    const uint32_t root[] = {OTF2_COLLECTIVE_ROOT_THIS_GROUP, 1, OTF2_COLLECTIVE_ROOT_SELF, 1}; /* root: location 2 */
    for (size_t l = 0; l < 4; l++) {
        BEGIN(t, l, 1);
        END(t, l, 2, BCAST, 5, root[l], 8, 8);
        BEGIN(t, l, 3);
        END(t, l, 4, BARRIER, 5, NONE, 0, 0);
    }
    struct o_matching *m = o_match(t, 4096);
    test_ok(has_edges(m, O_ONE_TO_N, 2) && roles(m, 0, 1, false, false) && roles(m, 2, 1, true, false) &&
                roles(m, 1, 1, false, true),
            "D11: broadcast over an inter-communicator");
    test_ok(has_edges(m, O_N_TO_N, 8), "D11: a barrier over an inter-communicator binds to the other side");
    done(t, m);
}

/* ---- threads ---- */

/* Locations 0 and 10 are the members of communicator `id`. */
static void define_team(struct o_trace *t, uint64_t id)
{
    test_group(t, 3, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, 0, 2, N(0), N(10));
    test_group(t, 4, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 0, 2, N(0), N(1));
    test_comm(t, id, false, 4, 4);
}

static void test_teams(void)
{
    struct o_trace *t = test_world(1);
    size_t worker = test_location(t, 10, 0);
    define_team(t, 3);
    test_region(t, 4, OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP);
    test_region(t, 5, OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI);
    for (uint64_t i = 0; i < 2; i++) {
        test_event(t, 0, 10 * i, O_THREAD_FORK, N(OTF2_PARADIGM_OPENMP), N(2));
        for (size_t l = 0; l < 2; l++) {
            size_t at = l ? worker : 0;
            test_event(t, at, 10 * i + 1, O_THREAD_TEAM_BEGIN, N(3));
            test_event(t, at, 10 * i + 2, O_ENTER, N(5)); /* not OpenMP's */
            test_event(t, at, 10 * i + 3, O_LEAVE, N(5));
            test_event(t, at, 10 * i + 4, O_ENTER, N(4));
            test_event(t, at, 10 * i + 4, O_ENTER, N(4)); /* nested: the same barrier */
            test_event(t, at, 10 * i + 5, O_LEAVE, N(4));
            test_event(t, at, 10 * i + 5, O_LEAVE, N(4));
            test_event(t, at, 10 * i + 6, O_THREAD_TEAM_END, N(3));
        }
        test_event(t, 0, 10 * i + 7, O_THREAD_JOIN, N(OTF2_PARADIGM_OPENMP));
    }
    struct o_matching *m = o_match(t, 4096);
    const struct o_thread_edge *edge = m->thread_edges.item;
    const struct o_barrier *barrier = m->barriers.item;
    test_ok(has_edges(m, O_FORK, 2) && has_edges(m, O_JOIN, 2) && edge[1].source == 10 && edge[1].target == 8,
            "D12: the k-th team begin belongs to the k-th fork, not on the forking location");
    test_ok(has_edges(m, O_BARRIER, 4) && m->barriers.n == 4 && barrier[0].leave == barrier[0].enter + 3,
            "D15: outermost OpenMP barrier regions inside a team");
    done(t, m);
}

static void test_locks_and_creation(void)
{
    struct o_trace *t = test_world(1);
    size_t thread = test_location(t, 10, 0), other = test_location(t, 11, 1);
    define_team(t, 8);
    test_event(t, 0, 1, O_THREAD_ACQUIRE_LOCK, N(OTF2_PARADIGM_OPENMP), N(0), N(1));
    test_event(t, 0, 2, O_OMP_RELEASE_LOCK, N(0), N(1));
    test_event(t, thread, 3, O_THREAD_ACQUIRE_LOCK, N(OTF2_PARADIGM_OPENMP), N(0), N(2));
    test_event(t, other, 2, O_THREAD_ACQUIRE_LOCK, N(OTF2_PARADIGM_OPENMP), N(0), N(2)); /* another process */
    test_event(t, thread, 4, O_THREAD_RELEASE_LOCK, N(OTF2_PARADIGM_OPENMP), N(0), N(2));
    test_event(t, thread, 5, O_THREAD_ACQUIRE_LOCK, N(OTF2_PARADIGM_OPENMP), N(0), N(3)); /* its own release */
    test_event(t, 0, 6, O_THREAD_CREATE, N(8), N(1));
    test_event(t, thread, 7, O_THREAD_BEGIN, N(8), N(1));
    test_event(t, thread, 8, O_THREAD_END, N(8), N(1));
    test_event(t, 0, 9, O_THREAD_WAIT, N(8), N(1));
    test_event(t, 0, 10, O_THREAD_CREATE, N(OTF2_UNDEFINED_COMM), N(2));
    test_event(t, thread, 11, O_THREAD_BEGIN, N(OTF2_UNDEFINED_COMM), N(2));
    struct o_matching *m = o_match(t, 4096);
    const struct o_thread_edge *edge = m->thread_edges.item;
    size_t lock = 0;
    while (lock < m->thread_edges.n && edge[lock].class != O_LOCK)
        lock++;
    test_ok(has_edges(m, O_LOCK, 1) && edge[lock].target_location == thread && edge[lock].target == 0,
            "D14: release to next acquisition of another location of the process");
    test_ok(has_edges(m, O_CREATE, 1) && has_edges(m, O_WAIT, 1), "D13: create to begin, end to wait");
    done(t, m);
}

static bool sources_are(struct o_matching *m, size_t l, const char *expected)
{
    bool **source = o_sources(m), same = strlen(expected) == m->trace->location[l].n;
    for (size_t e = 0; same && e < m->trace->location[l].n; e++)
        same = source[l][e] == (expected[e] == 's');
    for (size_t i = 0; i < m->trace->n_locations; i++)
        free(source[i]);
    free(source);
    return same;
}

/* What nobody waits for is a source all the same. */
static void test_sources(void)
{
    struct o_trace *t = test_world(2);
    const uint64_t sent[] = {8, 0};
    for (size_t l = 0; l < 2; l++) {
        SEND(t, l, 1, 77, 99, 7); /* to nobody */
        test_event(t, l, 2, O_MPI_ISEND, N(1), N(1), N(8), N(1), N(5));
        test_event(t, l, 3, O_MPI_REQUEST_CANCELLED, N(5));
        BEGIN(t, l, 4);
        END(t, l, 5, BARRIER, 2, NONE, 0, 0); /* of one member */
        BEGIN(t, l, 6);
        END(t, l, 7, ALLREDUCE, 99, NONE, 8, 8); /* of no communicator */
        BEGIN(t, l, 8);
        END(t, l, 9, SCAN, 1, NONE, 8, 8);
        BEGIN(t, l, 10);
        END(t, l, 11, ALLGATHERV, 1, NONE, sent[l], 8);
        BEGIN(t, l, 12);
        END(t, l, 13, CREATE_HANDLE, 1, NONE, 0, 0);
        BEGIN(t, l, 14);
        if (l == 0)
            END(t, l, 15, BCAST, 1, 0, 8, 8);
        else
            END(t, l, 15, REDUCE, 1, 0, 8, 8);                         /* they disagree */
        test_event(t, l, 16, O_NON_BLOCKING_COLLECTIVE_REQUEST, N(6)); /* never completed */
        test_event(t, l, 17, O_THREAD_RELEASE_LOCK, N(OTF2_PARADIGM_PTHREAD), N(0), N(9));
        test_event(t, l, 18, O_THREAD_CREATE, N(99), N(1));
    }
    struct o_matching *m = o_match(t, 4096);
    test_ok(sources_are(m, 0, "ss-s---s-s---s--s-") && sources_are(m, 1, "ss-s---------s--s-"),
            "sources by the records of their own location");
    done(t, m);
    t = test_world(1);
    size_t worker = test_location(t, 10, 0);
    define_team(t, 3);
    test_region(t, 4, OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP);
    test_event(t, 0, 1, O_THREAD_FORK, N(OTF2_PARADIGM_OPENMP), N(2)); /* no team begins */
    test_event(t, 0, 2, O_THREAD_FORK, N(OTF2_PARADIGM_OPENMP), N(2));
    test_event(t, 0, 3, O_THREAD_TEAM_BEGIN, N(3));
    test_event(t, 0, 4, O_ENTER, N(4));
    test_event(t, 0, 5, O_LEAVE, N(4));
    test_event(t, 0, 6, O_THREAD_TEAM_END, N(3));
    test_event(t, 0, 7, O_THREAD_TEAM_END, N(3)); /* of nothing */
    test_event(t, 0, 8, O_THREAD_CREATE, N(3), N(1));
    test_event(t, worker, 1, O_ENTER, N(4)); /* in no team */
    test_event(t, worker, 2, O_THREAD_END, N(3), N(1));
    m = o_match(t, 4096);
    test_ok(sources_are(m, 0, "-s-s-s-s") && sources_are(m, worker, "-s"), "sources among threads");
    done(t, m);
}

static void test_rma(void)
{
    struct o_trace *t = test_world(1);
    test_event(t, 0, 1, O_RMA_PUT, N(0), N(0), N(8), N(42));
    test_event(t, 0, 2, O_RMA_GET, N(0), N(0), N(8), N(42));
    test_event(t, 0, 3, O_RMA_OP_COMPLETE_NON_BLOCKING, N(0), N(42));
    test_event(t, 0, 4, O_RMA_ATOMIC, N(0), N(0), N(0), N(8), N(0), N(42));
    test_event(t, 0, 5, O_RMA_OP_COMPLETE_BLOCKING, N(1), N(42)); /* another window */
    struct o_matching *m = o_match(t, 4096);
    test_ok(has_edges(m, O_RMA_OP, 2), "D16: operations up to their completion");
    done(t, m);
}

/* ---- profile ---- */

struct sums {
    int64_t inclusive, exclusive;
};

static void add_visit(void *user, const struct o_visit *visit)
{
    struct sums *sums = (struct sums *)user + visit->region;
    int64_t duration = (int64_t)(visit->leave_time - visit->enter_time);
    sums->inclusive += visit->recursive ? 0 : duration;
    sums->exclusive += duration - visit->children;
}

static void test_profile(void)
{
    struct o_trace *t = test_world(1);
    test_event(t, 0, 0, O_ENTER, N(1));
    test_event(t, 0, 10, O_ENTER, N(2));
    test_event(t, 0, 20, O_ENTER, N(1)); /* recursion */
    test_event(t, 0, 25, O_LEAVE, N(1));
    test_event(t, 0, 30, O_ENTER, N(3));
    test_event(t, 0, 40, O_LEAVE, N(2)); /* closes 3 as well */
    test_event(t, 0, 45, O_LEAVE, N(3)); /* ignored */
    test_event(t, 0, 50, O_ENTER, N(2)); /* never left, as 1 */
    test_event(t, 0, 60, O_MPI_COLLECTIVE_BEGIN);
    struct sums sums[4] = {{0, 0}};
    struct o_walk walk = {.user = sums, .leave = add_visit};
    o_walk_location(t, 0, &walk);
    test_ok(walk.unwound == 1 && walk.ignored_leaves == 1 && walk.never_left == 2, "D18: unbalanced enters and leaves");
    test_ok(sums[1].inclusive == 60 && sums[1].exclusive == 25 && sums[2].inclusive == 40 && sums[2].exclusive == 25 &&
                sums[3].inclusive == 10 && sums[3].exclusive == 10,
            "D18: inclusive and exclusive time");
    o_unload(t);
}

int main(void)
{
    test_posting_order();
    test_dead_requests();
    test_trust();
    test_threads_of_a_rank();
    test_communicators();
    test_members();
    test_blocks();
    test_collective_order();
    test_collective_roles();
    test_inter_collectives();
    test_teams();
    test_locks_and_creation();
    test_sources();
    test_rma();
    test_profile();
    test_clocks();
    return test_done();
}
