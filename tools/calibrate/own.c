/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Computes the cost of an event from two runs of a program: with the right cost, the filter overhead compensates the
 * measured run to the length of the unmeasured one. What cannot be a cost of recording is refused. */
#include "calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 40 };

/* More overhead than this part finding no time before its event says that events come faster than recording them
 * takes. */
static const double most_lost = 0.1;
/* The least and the most of the dilation of another run that the cost may remove, and from where on that is told of. */
static const double least_removed = 0.67, little_removed = 0.9, much_removed = 1.1, most_removed = 1.5;
/* How far from the unmeasured time the compensated one may end, as a part of the dilation. */
static const double most_off = 0.01;

/* When a process has left the region the last two times; the interval lies between them. */
struct leaves {
    uint64_t location, before, last, n;
};

struct run {
    const struct options *o;
    const char *trace;
    const char *constants; /* file */
    const char *mode;      /* of the filter overhead */
    double resolution;
};

/* Starts tcflow. `event` is the cost of an event in seconds; a negative one leaves the filter overhead out of the
 * chain. */
static FILE *start(const struct run *r, const char *chain, double event)
{
    char constants[PATH_BYTES], region[PATH_BYTES], overhead[2 * PATH_BYTES] = "", select[2 * PATH_BYTES] = "";
    if (event >= 0) {
        quote(constants, r->constants);
        snprintf(overhead, sizeof overhead,
                 "-c %s -o overhead.event=%.4fns -o overhead.mode=%s -o overhead.format=csv -o overhead.overwrite=yes",
                 constants, 1e9 * event, r->mode);
    }
    if (r->o->between) {
        quote(region, r->o->between);
        snprintf(select, sizeof select, "%s -o select.kinds=LEAVE -o select.regions=%s",
                 event >= 0 ? "-o overhead.output=/dev/null" : "", region);
    }
    return open_tcflow(r->o, r->trace, "-o 'pipeline.chain=%s' %s %s", chain, overhead, select);
}

static void finish(const struct run *r, FILE *file)
{
    if (pclose(file) != 0)
        fail("'%s': tcflow could not compensate it (see above)", r->trace);
}

static struct leaves *leaves_of(struct leaves **all, uint32_t *n, uint64_t location)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*all)[i].location == location)
            return &(*all)[i];
    *all = enlarge(*all, *n + 1u, sizeof **all);
    (*all)[*n] = (struct leaves){.location = location};
    return &(*all)[(*n)++];
}

/* From the first process that leaves its last but one call of the region to the last process that leaves its last
 * call. */
static double seconds_between(const struct run *r, const char *chain, double event)
{
    struct leaves *all = NULL;
    uint32_t n = 0;
    uint64_t location, time, first = UINT64_MAX, last = 0;
    char *line = NULL;
    size_t size = 0;
    FILE *file = start(r, chain, event);
    while (getline(&line, &size, file) >= 0) {
        if (sscanf(line, "LEAVE %" SCNu64 " %" SCNu64, &location, &time) != 2)
            continue;
        struct leaves *l = leaves_of(&all, &n, location);
        l->before = l->last;
        l->last = time;
        l->n++;
    }
    if (!feof(file))
        fail("cannot read what tcflow says: %s", strerror(errno));
    finish(r, file);
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].n < 2)
            fail("'%s': location %" PRIu64 " calls %s only once; --between wants it before and behind", r->trace,
                 all[i].location, r->o->between);
        first = all[i].before < first ? all[i].before : first;
        last = all[i].last > last ? all[i].last : last;
    }
    if (n == 0)
        fail("'%s': nobody calls '%s'", r->trace, r->o->between);
    free(all);
    free(line);
    return (double)(last - first) / r->resolution;
}

/* Of the filter's table `total`; seconds. */
struct total {
    double measured, approximated, removed, lost, reversed;
};

static void take_total(void *to, const struct line *l)
{
    struct total *total = to;
    if (strcmp(l->cell[0], "total") == 0)
        *total = (struct total){number_of(l, "measured"), number_of(l, "approximated"), number_of(l, "removed"),
                                number_of(l, "lost"), number_of(l, "reversed")};
}

static struct total total_of(const struct run *r, double event)
{
    struct options everything = *r->o;
    struct run all = *r;
    struct total total = {.measured = -1};
    everything.between = NULL;
    all.o = &everything;
    FILE *file = start(&all, "overhead", event);
    read_tables(file, take_total, &total);
    finish(r, file);
    if (total.measured < 0)
        fail("'%s': tcflow has not said how long it takes", r->trace);
    return total;
}

static double measured(const struct run *r)
{
    return r->o->between ? seconds_between(r, "select print", -1) : total_of(r, 0).measured;
}

static double compensated(const struct run *r, double event)
{
    return r->o->between ? seconds_between(r, "overhead select print", event) : total_of(r, event).approximated;
}

/* Reads what there is to know before a run is compensated. Returns how long it takes as measured. */
static double open_run(struct run *r, const char *trace, double unmeasured, const char *option)
{
    struct rows rows = {0};
    r->trace = trace;
    rows_read(&rows, r->o, 0, trace);
    r->resolution = (double)rows.trace[0].resolution;
    free(rows.row);
    const double reversed = total_of(r, 0).reversed;
    if (reversed > 0)
        fail("'%s': %.0f messages or operations end before they begin, so its clocks are not right, and times of "
             "several processes say nothing. Correct them first: tcflow -c correct.ini -i %s -o "
             "otf2_write.path=corrected, and take what it writes, here and for the run that is to be compensated",
             trace, reversed, trace);
    const double before = measured(r);
    if (before <= unmeasured)
        fail("'%s' takes %g s, no longer than %s, %g s: nothing tells what an event costs", trace, before, option,
             unmeasured);
    return before;
}

/* The compensated time never grows with the cost: doubles the cost until it is too large, then halves the interval,
 * until the cost is known to this part of it. Negative: no cost up to 10 ms does it. */
static double search(const struct run *r, double wanted, double high, double precision)
{
    double low = 0;
    while (compensated(r, high) > wanted) {
        low = high;
        high *= 2;
        if (high > 1e-2)
            return -1;
    }
    for (int i = 0; i < STEPS && high - low > precision * high && high - low > 5e-12; i++) {
        double middle = (low + high) / 2;
        *(compensated(r, middle) > wanted ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* A cost that no recording can have had is that of something else. */
static void refuse_implausible(const struct run *r, double event, double before, double wanted)
{
    if (event < 0)
        fail("'%s': no cost of an event makes it take %g s as --unmeasured says: something else took longer", r->trace,
             wanted);
    const struct total total = total_of(r, event);
    const double lost = total.lost / (total.lost + total.removed), got = compensated(r, event);
    if (lost > most_lost)
        fail("'%s': with %.4g ns an event it takes %g s as --unmeasured says, but events come faster than that: %.0f "
             "%% of the overhead finds no time before its event. Something else than recording took longer. Is it the "
             "same program with the same input? Do both times hold what --between says, or all of the run, with its "
             "start?",
             r->trace, 1e9 * event, wanted, 100 * lost);
    if (got - wanted > most_off * (before - wanted) || wanted - got > most_off * (before - wanted))
        fail(
            "'%s': at %.4g ns an event the compensated time jumps: it is %g s with that, not %g s as --unmeasured says",
            r->trace, 1e9 * event, got, wanted);
}

/* Says how far the cost can be from the truth: what the bounds of the model make of it. */
static void tell_uncertainty(struct model *m, struct run *r, double wanted)
{
    r->mode = "lower";
    const double least = search(r, wanted, m->event, 0.01);
    r->mode = "upper";
    const double most = search(r, wanted, m->event, 0.01);
    r->mode = "likely";
    const size_t n = strlen(m->run);
    snprintf(m->run + n, sizeof m->run - n, most < 0 ? "; %.3g ns or more" : "; from %.3g to %.3g ns", 1e9 * least,
             1e9 * most);
    snprintf(m->run + strlen(m->run), sizeof m->run - strlen(m->run),
             " by the bounds of what messages took, if --unmeasured is exact");
}

/* Tries the cost on another run. */
static void cross_check(struct model *m, struct run *r, double event)
{
    const struct options *o = r->o;
    const double before = open_run(r, o->check, o->check_unmeasured, "--check-unmeasured");
    const double after = compensated(r, event), part = (before - after) / (before - o->check_unmeasured);
    if (part < least_removed || part > most_removed)
        fail("'%s': %.4g ns an event do not hold for it: they remove %.0f %% of its dilation, from %g to %g s where it "
             "takes %g s unmeasured. What made '%s' longer was not recording alone",
             r->trace, 1e9 * event, 100 * part, before, after, o->check_unmeasured, o->own);
    const size_t n = strlen(m->run);
    snprintf(m->run + n, sizeof m->run - n,
             ". Another run, measured %.6g s and unmeasured %.6g s, is compensated to %.6g s", before,
             o->check_unmeasured, after);
    if (part < little_removed || part > much_removed)
        snprintf(m->warning[m->n_warnings++], sizeof m->warning[0],
                 "of another run, '%s', this cost removes %.0f %% of the dilation: it is known no better than that",
                 r->trace, 100 * part);
}

void own_fit(struct model *m, const struct copying *c, const struct options *o)
{
    char constants[PATH_BYTES];
    struct run r = {.o = o, .constants = constants, .mode = "likely"};
    if (!o->own)
        return;
    m->n_costs = 0; /* one cost for all kinds */
    write_constants(scratch_path(constants, "own.ini"), o, m, c);
    const double wanted = o->unmeasured, before = open_run(&r, o->own, wanted, "--unmeasured");
    m->event = search(&r, wanted, 1e-8, 1e-3);
    refuse_implausible(&r, m->event, before, wanted);
    snprintf(
        m->run, sizeof m->run,
        "event is what an event costs in a program of its own: with it a run that took %.6g s measured, and %.6g s "
        "unmeasured, is compensated to %.6g s (%s%s)",
        before, wanted, compensated(&r, m->event),
        o->between ? "between calls of " : "from its first event to its last", o->between ? o->between : "");
    tell_uncertainty(m, &r, wanted);
    if (o->check)
        cross_check(m, &r, m->event);
}
