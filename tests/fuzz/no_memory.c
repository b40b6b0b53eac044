/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For replay.c: the traces that a target makes (fuzz_values.c, or fuzz_copies.c with OF_COPIES) in runs of which one
 * allocation fails: of the framework, of a filter, or of the C library for one of them. The run fails and says why, or
 * reports what an undisturbed one does; otherwise this aborts. Each place at which something is allocated, which is a
 * stack of calls, fails at its first and its last allocation, by the first input that gets there. */
#define LLVMFuzzerTestOneInput with_all_memory
#ifdef OF_COPIES
#include "fuzz_copies.c"
#else
#include "fuzz_values.c"
#endif
#undef LLVMFuzzerTestOneInput
#include "tests/support/places.h"

#include <errno.h>

/* --------------------------------------------------------------------------------------------------- allocations -- */

/* Of all threads. */
static struct {
    atomic_int counts;
    atomic_ulong n;
    unsigned long failing; /* number of the allocation that fails, from 1 on; 0: none, and places are noted */
} allocations;
static unsigned long disturbed; /* runs */

/* Other libraries have all memory. */
static int is_ours(const void *caller)
{
    Dl_info in, here;

    if (!dladdr(caller, &in) || !in.dli_fname || !dladdr(made_texts, &here))
        return 0;
    return in.dli_fbase == here.dli_fbase || strstr(in.dli_fname, "/plugins/") || strstr(in.dli_fname, "/libc.so");
}

static __attribute__((unused)) int fails(const void *caller)
{
    if (!atomic_load(&allocations.counts) || !is_ours(caller))
        return 0;
    const unsigned long number = atomic_fetch_add(&allocations.n, 1) + 1;
    if (allocations.failing == 0)
        places_note(number);
    if (number != allocations.failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

#ifndef __SANITIZE_ADDRESS__ /* whose allocations these would be otherwise */
#include "tests/support/allocations.h"
#endif

/* ---------------------------------------------------------------------------------------------------------- runs -- */

/* A run of which allocations are counted. */
static size_t run_counted(const prepared *as, const char *chain, source *src, char *to)
{
    atomic_store(&allocations.counts, 1);
    const size_t n = run_captured(as, chain, src, to);
    atomic_store(&allocations.counts, 0);
    return n;
}

/* `choice`: a way to copy a trace, or a chain. HEAD: the bytes of an input in front of the trace. */
#ifdef OF_COPIES
enum { CHOICES = WAYS, HEAD = 1 };

static const char *name_of(uint32_t choice)
{
    return ways[choice].writer ? ways[choice].writer : ways[choice].chain;
}

/* What is printed of a copy. */
static size_t attempt(uint32_t choice, const made *m, char *to)
{
    begin_pipe();
    size_t n = run_counted(settings_of_writer(choice), ways[choice].chain, made_source(m, 0), to);
    close(WRITE_END);
    if (n != FAILED)
        n = run_counted(settings_of_reader(choice, choice == 0 ? "stream:/dev/fd/201" : archive), "print", NULL, to);
    close(READ_END);
    return n;
}
#else
enum { CHOICES = CHAINS, HEAD = 2 };

static const char *name_of(uint32_t choice)
{
    return chains[choice].chain;
}

/* What a chain reports. */
static size_t attempt(uint32_t choice, const made *m, char *to)
{
    return run_counted(settings_of((uint8_t)choice, 0), chains[choice].chain, made_source(m, ways[0].most), to);
}
#endif

static size_t attempt_failing(uint32_t choice, const made *m, unsigned long failing, char *to)
{
    atomic_store(&allocations.n, 0);
    allocations.failing = failing;
    failure_names = failing > 0 ? "memory" : NULL;
    return attempt(choice, m, to);
}

static void try_one(uint32_t choice, const made *m, unsigned long failing, const char *undisturbed, size_t n)
{
    static char text[MOST_TEXT];
    char what[256];
    const size_t again = attempt_failing(choice, m, failing, text);

    snprintf(what, sizeof what, "%s reports something else where allocation %lu fails", name_of(choice), failing);
    if (again != FAILED)
        compare(what, undisturbed, n, text, again);
    disturbed++;
}

/* Is this the first time that a place is seen? */
static int is_new(uint64_t stack)
{
    static uint64_t seen[8 * MOST_PLACES];
    const size_t n = sizeof seen / sizeof *seen;
    size_t at = stack % n, steps = 0;

    for (; seen[at] != 0 && seen[at] != stack && steps < n; steps++)
        at = (at + 1) % n;
    if (seen[at] == stack || steps == n)
        return 0;
    seen[at] = stack;
    return 1;
}

static void try_all(uint32_t choice, const made *m)
{
    static char text[MOST_TEXT];

    memset(places, 0, MOST_PLACES * sizeof *places);
    const size_t n = attempt_failing(choice, m, 0, text);
    for (size_t k = 0; k < MOST_PLACES && n != FAILED; k++) {
        const struct place *p = &places[k];
        if (p->stack == 0 || !is_new(p->stack))
            continue;
        try_one(choice, m, p->first, text, n);
        if (p->last != p->first)
            try_one(choice, m, p->last, text, n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    made *m = size > HEAD + 1 && size <= MOST_BYTES ? made_new(data + HEAD, size - HEAD) : NULL;

    if (!m)
        return 0;
    places_start();
    for (uint32_t choice = 0; choice < CHOICES; choice++)
        try_all(choice, m);
    made_delete(m);
    return 0;
}

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "%lu disturbed runs\n", disturbed);
}
