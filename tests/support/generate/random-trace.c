/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * random-trace --out DIR [options]: writes one random trace and DIR/truth.csv; see random_trace.h.
 *
 * Every field of struct random_trace_options is an option of the same name, dashes for underscores;
 * --features takes a comma-separated list, "all", or "all,-NAME". */
#include "random_trace.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { UINT32, UINT64, REAL, YES };

#define FIELD(name, type)                                                                                              \
    {                                                                                                                  \
#name, type, offsetof(struct random_trace_options, name)                                                       \
    }
static const struct field {
    const char *name;
    enum type type;
    size_t offset;
} fields[] = {
    FIELD(seed, UINT64),
    FIELD(ranks, UINT32),
    FIELD(events, UINT64),
    FIELD(omp_threads, UINT32),
    FIELD(ranks_per_node, UINT32),
    FIELD(ranks_per_process, UINT32),
    FIELD(ticks_per_second, UINT64),
    FIELD(shift_ticks, UINT64),
    FIELD(equal_timestamps, REAL),
    FIELD(epochs, YES),
    FIELD(passive, YES),
    FIELD(empty_collectives, YES),
    FIELD(reuse_comms, YES),
    FIELD(contexts, YES),
    FIELD(max_delay, UINT32),
    FIELD(clock_offset_ns, REAL),
    FIELD(clock_drift_ppm, REAL),
    FIELD(clock_jumps, UINT32),
    FIELD(clock_jump_ns, REAL),
    FIELD(clock_offset_records, UINT32),
    FIELD(clock_offset_error_ns, REAL),
    FIELD(lose_measurements, REAL),
    FIELD(lose_sends, REAL),
    FIELD(lose_receives, REAL),
    FIELD(never_complete, REAL),
    FIELD(ambiguous_loss, YES),
    FIELD(end_early, REAL),
    FIELD(begin_late, REAL),
    FIELD(lose_any, REAL),
    FIELD(empty_locations, UINT32),
    FIELD(missing_locations, UINT32),
    FIELD(sparse_locations, YES),
    FIELD(sparse_regions, YES),
    FIELD(regions_per_rank, YES),
    FIELD(comms_per_rank, YES),
    FIELD(shuffle_definitions, YES),
    FIELD(repeat_definitions, YES),
    FIELD(wrong_event_counts, YES),
    FIELD(wrong_clock_properties, YES),
    FIELD(chunk_bytes, UINT64),
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const struct {
    const char *name;
    uint32_t bit;
} features[] = {
    {"p2p", RT_P2P},
    {"sendrecv", RT_SENDRECV},
    {"nonblocking", RT_NONBLOCKING},
    {"cancel", RT_CANCEL},
    {"any-source", RT_ANY_SOURCE},
    {"collectives", RT_COLLECTIVES},
    {"v-collectives", RT_V_COLLECTIVES},
    {"nb-collectives", RT_NB_COLLECTIVES},
    {"subcomms", RT_SUBCOMMS},
    {"dup", RT_DUP},
    {"self", RT_SELF},
    {"intercomm", RT_INTERCOMM},
    {"openmp", RT_OPENMP},
    {"locks", RT_LOCKS},
    {"pthreads", RT_PTHREADS},
    {"mpi-threads", RT_MPI_THREADS},
    {"attributes", RT_ATTRIBUTES},
    {"metrics", RT_METRICS},
    {"all", RT_ALL},
    {"counters", RT_COUNTERS},
    {"io", RT_IO},
    {"rma", RT_RMA},
    {"streams", RT_STREAMS},
    {"flushes", RT_FLUSHES},
    {"window-collectives", RT_WINDOW_COLLECTIVES},
    {"old-openmp", RT_OLD_OPENMP},
    {"nested", RT_NESTED},
    {"mpi-inside", RT_MPI_INSIDE},
    {"nonsense", RT_NONSENSE},
    {"any-thread", RT_ANY_THREAD},
    {"team-sizes", RT_TEAM_SIZES},
    {"crossed", RT_CROSSED},
    {"persistent", RT_PERSISTENT},
};
enum { FEATURES = sizeof features / sizeof *features };

static bool parse_features(const char *list, uint32_t *bits)
{
    *bits = 0;
    while (*list != '\0') {
        bool off = *list == '-';
        size_t n = strcspn(list += off, ",");
        int i = 0;
        while (i < FEATURES && (strlen(features[i].name) != n || strncmp(features[i].name, list, n) != 0))
            i++;
        if (i == FEATURES)
            return false;
        *bits = off ? *bits & ~features[i].bit : *bits | features[i].bit;
        list += n + (list[n] == ',');
    }
    return true;
}

static bool same_name(const char *field, const char *option)
{
    for (; *field != '\0' && (*field == *option || (*field == '_' && *option == '-')); field++)
        option++;
    return *field == '\0' && *option == '\0';
}

static bool set(struct random_trace_options *options, const struct field *field, const char *value)
{
    char *end = NULL;
    void *target = (char *)options + field->offset;

    switch (field->type) {
    case UINT32:
        *(uint32_t *)target = (uint32_t)strtoul(value, &end, 0);
        break;
    case UINT64:
        *(uint64_t *)target = strtoull(value, &end, 0);
        break;
    case REAL:
        *(double *)target = strtod(value, &end);
        break;
    case YES:
        *(bool *)target = true;
        return true;
    }
    return *value != '\0' && *end == '\0';
}

static bool parse(int argc, char **argv, struct random_trace_options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strncmp(argv[i], "--", 2) != 0)
            return false;
        if (strcmp(argv[i], "--out") == 0 && *value != '\0') {
            options->directory = argv[++i];
        } else if (strcmp(argv[i], "--features") == 0) {
            if (!parse_features(value, &options->features))
                return false;
            i++;
        } else {
            int f = 0;
            while (f < FIELDS && !same_name(fields[f].name, argv[i] + 2))
                f++;
            if (f == FIELDS || !set(options, &fields[f], value))
                return false;
            i += fields[f].type != YES;
        }
    }
    return options->directory != NULL;
}

static void usage(void)
{
    fprintf(stderr, "usage: random-trace --out DIR [--features LIST] [options]\noptions:");
    for (int i = 0; i < FIELDS; i++) {
        fprintf(stderr, "%s --", i % 4 ? "" : "\n ");
        for (const char *c = fields[i].name; *c != '\0'; c++)
            fputc(*c == '_' ? '-' : *c, stderr);
        fprintf(stderr, fields[i].type == YES ? "" : " N");
    }
    fprintf(stderr, "\nfeatures:");
    for (int i = 0; i < FEATURES; i++)
        fprintf(stderr, " %s", features[i].name);
    fputc('\n', stderr);
}

int main(int argc, char **argv)
{
    struct random_trace_options options;
    struct random_trace_result result;

    random_trace_defaults(&options);
    if (!parse(argc, argv, &options)) {
        usage();
        return 2;
    }
    if (random_trace_write(&options, &result) != 0)
        return 1;
    printf("random-trace: locations %" PRIu64 " events %" PRIu64 " messages %" PRIu64 " collectives %" PRIu64 "\n",
           result.locations, result.events, result.messages, result.collectives);
    return 0;
}
