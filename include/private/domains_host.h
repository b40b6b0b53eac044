/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a filter may ask of the domains of its chain, where it writes one output from all of them (otf2_write), has to
 * tell its instances in other domains something (the detection of waits), or brings together in the first domain what
 * all have seen (plugins/shared/gather), or has much to compute at its end (clock_estimate): the extension
 * TCF_DOMAINS_HOST of the host table. */
#ifndef TCFLOW_PRIVATE_DOMAINS_HOST_H
#define TCFLOW_PRIVATE_DOMAINS_HOST_H

#include <tcflow/filter.h>

#define TCF_DOMAINS_HOST "domains"

/* What a filter may be short of: see set_short(). */
typedef enum tcf_short { TCF_SHORT_OF_ANSWERS = 1, TCF_SHORT_OF_ROOM = 2 } tcf_short;

typedef struct tcf_domains_host {
    /* Is it the filter's instance in the first domain, or the only one? Its begin() comes before that of the others,
     * and its fini() behind theirs. Others may be in other processes. */
    int (*is_first)(const tcf_self *self);
    uint32_t (*count)(const tcf_self *self);       /* domains, of all processes */
    uint32_t (*here)(const tcf_self *self);        /* those of this process */
    uint32_t (*number)(const tcf_self *self);      /* of this one, below count() */
    int (*exchange_letters)(const tcf_self *self); /* does this one wait for what passes in others? */
    /* The number of the domain that has a location. */
    uint32_t (*of)(const tcf_self *self, uint32_t location);
    /* With `span`, from the first span to the last location_end() of all domains: `bytes` bytes go to the instance in
     * another domain, behind all that this one has told it before. A letter comes between spans; told() may tell others
     * something. What is told is plain bytes, which mean the same there. */
    tcf_status (*tell)(tcf_self *self, uint32_t domain, const void *letter, size_t bytes);
    /* In begin(): who gets letters; aligned to 8 bytes, until it returns. */
    void (*listen)(tcf_self *self, tcf_status (*told)(tcf_self *self, uint32_t from, const void *letter));
    /* is_short: the filter has come to a cap, and letters that are to come may take it below. The domain reads no
     * further before they come, for whatever reason, but where nothing is under way any more. */
    void (*set_short)(tcf_self *self, tcf_short why, int is_short);
    /* In begin(): work(self, &moved) does a bit of what can wait, some tens of microseconds, and sets `moved` if there
     * was any; it tells nobody anything. It is called while the domain has nothing else to run, and a thread of its
     * own: so maybe never. */
    void (*in_spare_time)(tcf_self *self, tcf_status (*work)(tcf_self *self, int *moved));
    /* In init(): what the filter's instances tell that in the first domain by the end of a callback comes there before
     * all that other domains tell it because of the events of that callback. So the first domain hears of causes before
     * it hears of their effects. `--check` says that the filter gathers there. ns: about so long the first instance
     * takes for an event of another domain, from 1 on; the first domain gets fewer locations for that. */
    void (*gather)(tcf_self *self, uint32_t ns);
    /* In init(): callbacks of the filter may wait for somebody outside of the run, who may wait for other domains: each
     * domain has a thread of its own, and pack() comes when all domains have ended. Who waits asks host->interrupted()
     * now and then. */
    void (*wait_outside)(tcf_self *self);
    /* Each domain numbers call paths by itself. In the first one: the numbers here of the call paths of another domain,
     * *n of them, by their numbers there: of all in end(), and before that, until the next letter comes, of those which
     * the domain had when a filter of it told the first one something last. Those of the first domain are the same: *n
     * is 0. */
    const uint32_t *(*callpaths)(const tcf_self *self, uint32_t domain, uint32_t *n);
    /* Leaves bytes behind those that have been left: the first one in begin(), for all others; these in fini() of a run
     * that fails, for the first one. */
    void (*leave)(tcf_self *self, const void *data, size_t bytes);
    /* What has been left for this one, *n bytes; NULL: nothing, or out of memory. */
    const void *(*left)(const tcf_self *self, size_t *n);
    /* In end(), when all domains have ended and their threads have nothing to do: so many there are for divide(). */
    uint32_t (*threads)(const tcf_self *self);
    /* In end(): calls work(data, k) for each k below n, in any order and thread; returns when all calls have. The work
     * calls nothing of the host but interrupted(). */
    void (*divide)(const tcf_self *self, void (*work)(void *data, uint32_t k), void *data, uint32_t n);
} tcf_domains_host;

static inline const tcf_domains_host *tcf_domains_host_of(const tcf_self *self)
{
    return (const tcf_domains_host *)self->host->extension(self, TCF_DOMAINS_HOST);
}

/* In the first domain: its number of a call path that `from` has numbered. */
static inline uint32_t tcf_callpath_here(const tcf_self *self, uint32_t from, uint32_t callpath)
{
    uint32_t n;
    const uint32_t *here = tcf_domains_host_of(self)->callpaths(self, from, &n);
    return callpath < n ? here[callpath] : callpath;
}

#endif
