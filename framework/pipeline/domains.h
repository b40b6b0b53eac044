/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Domains: sets of processes, each with a pipeline of its own (doc/parallel.md).
 *
 * The pipelines of the domains have the chain, the settings and the definitions in common and share nothing that is
 * written, so that nothing of them takes a lock. The session's pipeline is that of the first domain: behind the last
 * event its filters absorb what those of the others have packed, and report. */
#ifndef TCFLOW_FRAMEWORK_DOMAINS_H
#define TCFLOW_FRAMEWORK_DOMAINS_H

#include "between_threads.h"
#include "framework/base/team.h"
#include "peers.h"
#include "stages.h"
#include <pthread.h>
#include <stdatomic.h>

struct domain {
    domains *all;
    uint32_t number;
    pipeline *pipeline; /* NULL: not made yet, or absorbed */
    session_domain *facts;
    pthread_t thread; /* that runs it, or one of those which run all */
    int has_begun;
    atomic_int has_ended;        /* all of its events have passed */
    callpaths_numbers callpaths; /* of those that it has shared, behind the end of all: in the first domain */
    tcf_status status;
    int told;    /* has seen `stop` */
    char *error; /* why it failed; NULL: out of memory */
    int is_usage;
    _Atomic uint64_t events, bytes_read; /* for the progress display */
};

struct domains {
    uint32_t n;                   /* 1: all locations are in one, which is no `domain` */
    uint32_t first, here;         /* those of this process: a run of them; here 0: none */
    uint32_t *process, processes; /* with `peers`: by domain; so many have domains, the first ones */
    uint32_t *of;                 /* by location */
    domain *at;                   /* [n]; what runs, of those of this process alone */
    session_domain *facts;        /* [n] */
    char why[192];                /* why n is 1, or why more were chosen; "": they were asked for */
    letter_counts letters;        /* of all, behind the end */
    uint64_t n_messages;          /* between processes */
    between_threads *threads;     /* carries letters; NULL: no filter needs any */
    uint32_t cores;               /* that this process may use */
    team *team;                   /* behind the end of all domains, which have left the cores; NULL: not needed yet */
    const peers *peers;           /* other processes may have domains; NULL: all are here */
    tcf_pack *left;               /* [2 n_instances]: for the first domain, then for the others */
    int running;                  /* the domains are; changes while there is one thread */
    int wait_outside;             /* a filter does (private/domains_host.h) */
    double next_beat;             /* with `peers`: when domains that rest hand on what has passed */
    atomic_int stop;
    atomic_uint next;          /* without letters: the domain that the next thread runs which has nothing to run */
    pthread_mutex_t absorbing; /* held by the thread that has the first domain absorb others */
    pthread_mutex_t ending;    /* guards n_ended, of which `ended` tells: threads that have run their domains */
    pthread_cond_t ended;
    uint32_t n_ended;
    uint32_t absorbed; /* domains, from the first on: that are in the first one */
};

/* partition.c. Splits the processes of the input into `most` sets at most, two or more, contiguous in the order of
 * world ranks, so that the largest set has as few bytes as possible. gathered: the first set has besides its own bytes
 * so many thousandths of those of the others. *of: by location, the caller frees it; *processes: in all. */
tcf_status partition_find(const source *src, uint32_t most, uint32_t gathered, uint32_t **of, uint32_t *n,
                          uint32_t *processes);

/* Splits the pipeline as `threads` and its filters allow. To be called before pipeline_build(). */
tcf_status domains_plan(pipeline *p);
/* Starts the filters, and moves all events through them, in all domains; what those have found is in `p` then. */
tcf_status domains_stream(pipeline *p);
/* How the pipeline is split, and why so. "": `threads` is 1. */
void domains_describe(const pipeline *p, char *to, size_t bytes);

/* How many letters there were (verbose). */
void domains_tell_of_letters(const pipeline *p);

/* domain_absorb.c. Counts the letters of one of them. */
void domains_add_letters(domains *d, const letters *x);
/* Moves all that a domain of this process has found into p, and deletes its pipeline. */
tcf_status domains_absorb(pipeline *p, domain *x);

/* domain_threads.c. Makes the pipelines of this process's domains; p is that of the first of them. */
tcf_status domains_make(pipeline *p);
/* Starts their filters. */
tcf_status domains_begin(const pipeline *p);
/* Runs these domains to their ends, on a few threads. *told: they fail since others, or the user, have stopped them. */
tcf_status domains_run(pipeline *p, int *told);
/* So many threads run them: more than cores are no use, and domains that have not begun take little memory; but where a
 * thread waits for somebody outside, who waits for another domain, that one has to run. */
static inline uint32_t domains_count_threads(const domains *d)
{
    return d->cores < d->here && !d->wait_outside ? d->cores : d->here;
}
/* Behind the last event: so many threads there are for what the filters of the first domain divide; and as team_run().
 */
uint32_t domains_count_helped(const pipeline *p);
void domains_divide(const pipeline *p, void (*work)(void *data, uint32_t k), void *data, uint32_t n);

/* domain.c. In the thread of a domain. */
void domain_report_progress(pipeline *p);
/* How far the domains of this process are, together. */
peers_progress domains_progress(const domains *d);
int domain_is_to_stop(const pipeline *p);
/* Of a thread that waits for other processes, which it may speak to: tells them how far this one is, and looks whether
 * they stop. */
void domains_keep_in_touch(pipeline *p);
/* All domains end. */
void domains_stop(domains *d);
/* For the pipeline of a domain, before its segments are made. */
tcf_status domain_make_letters(pipeline *p);
/* Sends letters on what other domains wait for. */
tcf_status domain_send_letters(pipeline *p);
/* Also on what is not complete: no domain has anything to run. */
tcf_status domain_tell_all(pipeline *p);
/* Tells the first domain which call paths there are, in front of what is told it later. */
tcf_status domain_share_callpaths(pipeline *p);
/* Gives the segments the letters that have come. */
tcf_status domain_take_letters(pipeline *p);
/* Behind the end of all locations: do filters hold slices still? An error then. */
tcf_status domain_holds_nothing(const pipeline *p);
/* The domain waits for letters, or for what all domains decide when none of them can run: its thread is free for
 * another one until then. */
void domain_rest(pipeline *p, const resting *how);
/* By VERDICT_WATERMARK. */
void domain_take_watermarks(pipeline *p);

/* Does a domain of this process run the chain? */
static inline int domains_are_here(const pipeline *p)
{
    return p->domain || peers_am_first(p->session->peers);
}

static inline int domain_has(const domain *x, uint32_t location)
{
    return x->all->of[location] == x->number;
}

/* Is this one of several that run? */
static inline int domain_is_running(const pipeline *p)
{
    return p->domain && p->domain->all->running;
}

/* Is it a domain but the first, whose filters repeat what those of the first one say of settings and definitions? */
static inline int domain_is_further(const pipeline *p)
{
    return p->domain && p->domain->number > 0;
}

/* The same of the domains of this process. */
static inline int domain_is_further_here(const pipeline *p)
{
    return p->domain && p->domain->number != p->domain->all->first;
}

static inline uint32_t domain_locations(const pipeline *p)
{
    return p->domain ? (uint32_t)p->domain->facts->locations : p->defs->n_locations;
}

/* Domains of the chain in all processes. */
static inline uint32_t domains_of(const pipeline *p)
{
    return p->domain ? p->domain->all->n : p->plan ? p->plan->n : 1;
}

/* Domains of the chain in this process. */
static inline uint32_t domains_here(const pipeline *p)
{
    return p->domain ? p->domain->all->here : 1;
}

#endif
