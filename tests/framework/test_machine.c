/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Cores and memory that a process may use, by control groups of both versions, in made folders. What the machine and
 * its limits say of this test's own process is the bound of all cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/base/machine.h"

enum { MOST_FILES = 6, ROOT_BYTES = 512 };

struct written {
    const char *path, *text;
};

static void write_file(const char *root, const struct written *w)
{
    char path[ROOT_BYTES + 256];

    snprintf(path, sizeof path, "%s/%s", root, w->path);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(w->text, f);
    assert_int_equal(fclose(f), 0);
}

static machine found_with(const struct written *files)
{
    char root[ROOT_BYTES], command[ROOT_BYTES + 16];
    const char *folder = getenv("TMPDIR");

    snprintf(root, sizeof root, "%s/machineXXXXXX", folder ? folder : "/tmp");
    assert_non_null(mkdtemp(root));
    for (int i = 0; i < MOST_FILES && files[i].path; i++)
        write_file(root, &files[i]);
    const machine m = machine_find(root);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    assert_int_equal(system(command), 0);
    return m;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static const struct written nothing[MOST_FILES] = {{"other", "1"}};

static void groups(void **state)
{
    static const struct {
        const char *name;
        struct written files[MOST_FILES];
        uint32_t cores; /* 0: no limit */
        uint64_t memory;
    } cases[] = {
        {"no groups", {{"other", "1"}}, 0, UINT64_MAX},
        {"no limits",
         {{"proc/self/cgroup", "0::/a\n"},
          {"sys/fs/cgroup/a/memory.max", "max\n"},
          {"sys/fs/cgroup/a/cpu.max", "max 100000\n"}},
         0,
         UINT64_MAX},
        {"the own group",
         {{"proc/self/cgroup", "0::/a/b\n"},
          {"sys/fs/cgroup/a/b/memory.max", "10485760\n"},
          {"sys/fs/cgroup/a/b/cpu.max", "100000 100000\n"}},
         1,
         10 << 20},
        {"one around it, and half a core is one",
         {{"proc/self/cgroup", "0::/a/b\n"},
          {"sys/fs/cgroup/a/memory.max", "4096\n"},
          {"sys/fs/cgroup/a/b/memory.max", "1048576\n"},
          {"sys/fs/cgroup/a/cpu.max", "50000 100000\n"}},
         1,
         4096},
        {"that of a container, whose root is its own",
         {{"proc/self/cgroup", "0::/\n"},
          {"sys/fs/cgroup/memory.max", "8192\n"},
          {"sys/fs/cgroup/cpu.max", "100000 100000\n"}},
         1,
         8192},
        {"another group's",
         {{"proc/self/cgroup", "0::/a\n"},
          {"sys/fs/cgroup/b/memory.max", "4096\n"},
          {"sys/fs/cgroup/ab/cpu.max", "1 1\n"}},
         0,
         UINT64_MAX},
        {"version 1",
         {{"proc/self/cgroup", "11:memory:/m\n4:cpu,cpuacct:/c\n1:name=systemd:/m\n"},
          {"sys/fs/cgroup/memory/m/memory.limit_in_bytes", "12288\n"},
          {"sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "100000\n"},
          {"sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"}},
         1,
         12288},
        {"version 1 without a quota",
         {{"proc/self/cgroup", "4:cpu:/\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
          {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
         0,
         UINT64_MAX},
        {"what cannot be understood",
         {{"proc/self/cgroup", "0::\nnonsense\n:\n0::/a\n"},
          {"sys/fs/cgroup/a/memory.max", "many\n"},
          {"sys/fs/cgroup/a/cpu.max", "100000\n"}},
         0,
         UINT64_MAX},
    };
    const machine here = found_with(nothing);

    (void)state;
    assert_true(here.cores >= 1 && here.memory > 1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const machine m = found_with(cases[i].files);
        if (m.memory != at_most(here.memory, cases[i].memory) ||
            m.cores != at_most(here.cores, cases[i].cores > 0 ? cases[i].cores : here.cores))
            fail_msg("%s: %u cores, %llu bytes", cases[i].name, m.cores, (unsigned long long)m.memory);
    }
}

static void quota(void **state)
{
    static const struct written files[MOST_FILES] = {{"proc/self/cgroup", "0::/a\n"},
                                                     {"sys/fs/cgroup/a/cpu.max", "150000 100000\n"}};
    const machine here = found_with(nothing), m = found_with(files);

    (void)state;
    assert_int_equal(m.cores, at_most(here.cores, 2)); /* one and a half */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(quota)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
