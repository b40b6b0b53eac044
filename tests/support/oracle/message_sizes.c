/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * `oracle messages`: messages by size and over time (D20 of oracle.h). All messages are listed; each bin then looks at
 * every one of them. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>

struct message {
    __int128 time; /* since the origin */
    uint64_t bytes;
    bool received;
    size_t process; /* its first location */
};

/* Of which process messages are looked at; ALL: of all. Its name stands behind the kind of a line. */
struct of {
    size_t process;
    char name[O_PROCESS_NAME];
};
#define ALL SIZE_MAX

static void take(struct o_list *messages, const struct o_trace *trace, const struct o_processes *processes, size_t l,
                 size_t e)
{
    const struct o_event *event = &trace->location[l].event[e];
    bool received = event->kind == O_MPI_RECV || event->kind == O_MPI_IRECV;
    if (!received && event->kind != O_MPI_SEND && event->kind != O_MPI_ISEND)
        return;
    struct message *m = o_push(messages, sizeof *m);
    *m =
        (struct message){(__int128)o_time(trace, l, e) - trace->origin, event->field[3], received, processes->first[l]};
}

static void print_sums(const char *name, uint64_t from, const uint64_t n[2], const uint64_t bytes[2])
{
    printf("%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", name, from, n[0], n[1], bytes[0],
           bytes[1]);
}

/* The sizes of a bin; `from` of the last one is the smallest. */
static bool next_bin(uint64_t *from, uint64_t *to, uint64_t bin_bytes, uint64_t max_bins)
{
    uint64_t last = bin_bytes ? (max_bins - 1) * bin_bytes : UINT64_C(1) << 63;
    if (*from == last)
        return false;
    *from = *to + 1;
    if (*from == last)
        *to = UINT64_MAX;
    else
        *to = bin_bytes ? *from + bin_bytes - 1 : 2 * *from - 1;
    return true;
}

/* Bins that hold something; those between them have zeros. */
static void print_sizes(const struct o_list *messages, const struct of *of, uint64_t bin_bytes, uint64_t max_bins)
{
    char name[O_PROCESS_NAME + 8] = "size";
    const size_t process = of->process;
    if (process != ALL)
        snprintf(name, sizeof name, "size %s", of->name);
    const struct message *m = messages->item;
    uint64_t from = 0, to = bin_bytes ? bin_bytes - 1 : 0;
    do {
        uint64_t n[2] = {0}, bytes[2] = {0};
        for (size_t i = 0; i < messages->n; i++)
            if (m[i].bytes >= from && m[i].bytes <= to && (process == ALL || m[i].process == process)) {
                n[m[i].received]++;
                bytes[m[i].received] += m[i].bytes;
            }
        if (n[0] + n[1] > 0)
            print_sums(name, from, n, bytes);
    } while (next_bin(&from, &to, bin_bytes, max_bins));
}

static __int128 floor_of(__int128 time, __int128 width)
{
    return time >= 0 ? time / width : -((-time + width - 1) / width);
}

static void print_times(const struct o_trace *trace, const struct o_list *messages, const struct of *of,
                        const struct o_time_bins *bins)
{
    const size_t process = of->process;
    const struct message *m = messages->item;
    for (__int128 bin = bins->first; bin <= bins->last; bin++) {
        uint64_t n[2] = {0}, bytes[2] = {0};
        for (size_t i = 0; i < messages->n; i++)
            if (floor_of(m[i].time, bins->width) == bin && (process == ALL || m[i].process == process)) {
                n[m[i].received]++;
                bytes[m[i].received] += m[i].bytes;
            }
        if (process != ALL && n[0] + n[1] == 0)
            continue;
        if (process != ALL)
            printf("time %s,%" PRIu64 ",", of->name, (uint64_t)bins->width);
        else
            printf("time,%" PRIu64 ",", (uint64_t)bins->width);
        print_sums("at", trace->origin + (uint64_t)(bin * bins->width), n, bytes);
    }
}

/* The narrowest bins, of a power of two ticks, of which `most` hold the first and last events of all locations. */
bool o_find_time_bins(const struct o_trace *trace, uint64_t most, struct o_time_bins *bins)
{
    __int128 low = 0, high = 0;
    bool any = false;
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++) {
            __int128 t = (__int128)o_time(trace, l, e) - trace->origin;
            low = !any || t < low ? t : low;
            high = !any || t > high ? t : high;
            any = true;
        }
    bins->width = 1;
    while (floor_of(high, bins->width) - floor_of(low, bins->width) >= most)
        bins->width *= 2;
    bins->first = floor_of(low, bins->width);
    bins->last = floor_of(high, bins->width);
    return any;
}

void o_print_messages(const struct o_trace *trace, uint64_t bin_bytes, uint64_t max_bins, uint64_t time_bins,
                      bool by_process)
{
    struct o_list messages = {0};
    struct o_time_bins bins;
    struct o_processes processes;
    o_processes_build(trace, &processes);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 0; e < trace->location[l].n; e++)
            take(&messages, trace, &processes, l, e);
    puts("#size[ PROCESS],from,sent,received,bytes_sent,bytes_received");
    puts("#time[ PROCESS],width,at,from,sent,received,bytes_sent,bytes_received");
    bool any = o_find_time_bins(trace, time_bins, &bins);
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct of of = {.process = by_process ? l : ALL};
        if (by_process ? processes.first[l] != l : l > 0)
            continue;
        o_process_name(trace, &processes, l, of.name);
        print_sizes(&messages, &of, bin_bytes, max_bins);
        if (any)
            print_times(trace, &messages, &of, &bins);
    }
    o_processes_free(&processes);
    free(messages.item);
}
