/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See machine.h. Control groups of both versions: /proc/self/cgroup names the process's own, and a limit of any group
 * around it holds as well. What cannot be read sets no limit. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FILE_BYTES = 8192 };

static void lower(uint64_t *to, uint64_t limit)
{
    if (limit < *to)
        *to = limit;
}

/* The text of a file; "": it cannot be read. */
static void text_of(const char *path, char *to, size_t bytes)
{
    FILE *f = fopen(path, "re");
    const size_t n = f ? fread(to, 1, bytes - 1, f) : 0;

    to[n] = '\0';
    if (f)
        fclose(f);
}

static void text_in(const char *group, const char *name, char *to, size_t bytes)
{
    char path[PATH_BYTES + 64];

    snprintf(path, sizeof path, "%s/%s", group, name);
    text_of(path, to, bytes);
}

/* The number that a text begins with; 0: none. */
static uint64_t number_in(const char *text)
{
    return *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

static void lower_cores(machine *m, uint64_t quota, uint64_t period)
{
    if (quota == 0 || period == 0)
        return;
    const uint64_t cores = quota / period + (quota % period > 0);
    if (cores < m->cores)
        m->cores = (uint32_t)cores;
}

/* What one group says; files that it doesn't have, of the other version or another controller, say nothing. */
static void take_group(machine *m, const char *group)
{
    char text[64], more[64];
    uint64_t bytes;

    text_in(group, "memory.max", text, sizeof text);
    if ((bytes = number_in(text)) > 0)
        lower(&m->memory, bytes);
    text_in(group, "memory.limit_in_bytes", text, sizeof text);
    if ((bytes = number_in(text)) > 0)
        lower(&m->memory, bytes);
    text_in(group, "cpu.max", text, sizeof text);
    const char *period = strchr(text, ' ');
    lower_cores(m, number_in(text), period ? number_in(period + 1) : 0);
    text_in(group, "cpu.cfs_quota_us", text, sizeof text);
    text_in(group, "cpu.cfs_period_us", more, sizeof more);
    lower_cores(m, number_in(text), number_in(more));
}

/* A group, and those around it, up to the folder where its hierarchy is mounted. */
static void take_groups(machine *m, const char *mounted, const char *path)
{
    char group[PATH_BYTES];
    const size_t top = strlen(mounted);

    if ((size_t)snprintf(group, sizeof group, "%s%s", mounted, path) >= sizeof group)
        return;
    for (;;) {
        take_group(m, group);
        char *slash = strrchr(group, '/');
        if (!slash || (size_t)(slash - group) < top)
            return;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: "0::PATH" of version 2, "N:CONTROLLER,...:PATH" of version 1. */
static void take_line(machine *m, const char *root, char *line)
{
    char mounted[PATH_BYTES];
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(++controllers, ':') : NULL;

    if (!path)
        return;
    *path++ = '\0';
    if (*controllers == '\0')
        snprintf(mounted, sizeof mounted, "%s/sys/fs/cgroup", root);
    else if (strcmp(controllers, "memory") == 0)
        snprintf(mounted, sizeof mounted, "%s/sys/fs/cgroup/memory", root);
    else if (strncmp(controllers, "cpu,", 4) == 0 || strcmp(controllers, "cpu") == 0)
        snprintf(mounted, sizeof mounted, "%s/sys/fs/cgroup/cpu", root);
    else
        return;
    take_groups(m, mounted, path);
}

static void take_limits(machine *m)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        lower(&m->memory, limit.rlim_cur);
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        lower(&m->memory, limit.rlim_cur);
}

machine machine_find(const char *root)
{
    machine m = {1, UINT64_MAX};
    cpu_set_t set;
    char path[PATH_BYTES], groups[FILE_BYTES];
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        m.cores = (uint32_t)CPU_COUNT(&set);
    if (pages > 0 && page > 0)
        m.memory = (uint64_t)pages * (uint64_t)page;
    take_limits(&m);
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    text_of(path, groups, sizeof groups);
    for (char *rest = groups, *line; (line = strsep(&rest, "\n"));)
        take_line(&m, root, line);
    return m;
}
