/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See sandbox.h. Landlock is called by its numbers: the C library has no functions for it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH, asprintf() */
#endif
#include "sandbox.h"
#include "coverage.h"
#include "error.h"
#include "output.h"
#include "programs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <private/passing_errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif

typedef struct rule {
    char *path;
    int is_output;
} rule;

struct sandbox {
    rule *rules;
    size_t n;
    int takes_unix, takes_inet, out_of_memory;
    int unseen; /* a file couldn't be looked at, which another time could: the run would miss it later */
};

static tcf_status no_memory(void)
{
    return error_fail("out of memory for the sandbox");
}

sandbox *sandbox_new(void)
{
    return calloc(1, sizeof(sandbox));
}

void sandbox_free(sandbox *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        free(s->rules[i].path);
    free(s->rules);
    free(s);
}

static void add(sandbox *s, const char *path, size_t bytes, int is_output)
{
    rule *grown = realloc(s->rules, (s->n + 1) * sizeof *grown);
    char *copy = strndup(path, bytes);

    if (grown)
        s->rules = grown;
    if (!grown || !copy) {
        free(copy);
        s->out_of_memory = 1;
        return;
    }
    s->rules[s->n++] = (rule){copy, is_output};
}

void sandbox_reads(sandbox *s, const char *path)
{
    add(s, path, strlen(path), 0);
}

void sandbox_writes(sandbox *s, const char *path)
{
    size_t n = strlen(path);

    if (output_is_special(path)) {
        add(s, path, n, 1);
        return;
    }
    while (n > 1 && path[n - 1] == '/') /* a folder with slashes behind its name */
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    add(s, n > 0 ? path : ".", n > 0 ? n : 1, 1);
}

void sandbox_takes_sockets(sandbox *s, int family)
{
    s->takes_unix |= family == AF_UNIX;
    s->takes_inet |= family == AF_INET;
}

/* ------------------------------------------------------------------------------------------------------ landlock -- */

/* The kernel's interface, as of its header, which may be older than the kernel. */
enum {
    SYSCALL_CREATE = 444,
    SYSCALL_ADD_RULE = 445,
    SYSCALL_RESTRICT = 446,
    FLAG_VERSION = 1,
    RULE_PATH_BENEATH = 1,
};
#define FS(bit) (UINT64_C(1) << (bit))
enum { EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK };
enum { MAKE_FIFO = 10, MAKE_BLOCK, MAKE_SYM, REFER, TRUNCATE };
enum { BIND_TCP = 1, CONNECT_TCP = 2, SCOPE_ABSTRACT_SOCKETS = 1, SCOPE_SIGNALS = 2 };
struct ruleset {
    uint64_t files, net, scoped;
};
struct __attribute__((packed)) beneath {
    uint64_t allowed;
    int32_t parent;
};
#define OF_FILES (FS(EXECUTE) | FS(WRITE_FILE) | FS(READ_FILE) | FS(TRUNCATE))
#define TO_READ (FS(READ_FILE) | FS(READ_DIR))
#define TO_WRITE                                                                                                       \
    (TO_READ | FS(WRITE_FILE) | FS(TRUNCATE) | FS(REMOVE_DIR) | FS(REMOVE_FILE) | FS(MAKE_DIR) | FS(MAKE_REG) |        \
     FS(MAKE_SOCK) | FS(REFER))

/* Version of the interface; 0: there is none. */
static int landlock_version(void)
{
    const long version = syscall(SYSCALL_CREATE, NULL, 0, FLAG_VERSION);
    return version > 0 ? (int)version : 0;
}

/* What this version can restrict of files. */
static uint64_t known_files(int version)
{
    return version >= 3 ? FS(TRUNCATE + 1) - 1 : version == 2 ? FS(REFER + 1) - 1 : FS(REFER) - 1;
}

static long add_rule(int ruleset, int parent, uint64_t allowed)
{
    const struct beneath what = {.allowed = allowed, .parent = parent};
    return syscall(SYSCALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &what, 0);
}

static tcf_status allow(sandbox *s, int ruleset, const char *path, uint64_t allowed)
{
    const int fd = open(path, O_PATH | O_CLOEXEC);

    s->unseen = fd < 0 && tcf_error_is_passing(errno);
    if (s->unseen)
        return error_fail("the sandbox cannot leave '%s': %s", path, strerror(errno));
    if (fd < 0)
        return TCF_OK; /* it doesn't exist, or nobody may look at it */
    long failed = add_rule(ruleset, fd, allowed);
    if (failed && errno == EINVAL) /* it is no folder, and takes the rights of files alone */
        failed = add_rule(ruleset, fd, allowed & OF_FILES);
    const int reason = errno;
    close(fd);
    if (failed && reason == EBADFD) /* a pipe without a name, which isn't restricted: /dev/fd/3 */
        return TCF_OK;
    return failed == 0 ? TCF_OK : error_fail("the sandbox cannot leave '%s': %s", path, strerror(reason));
}

/* What libraries read in the course of a run: their modules, time zones, the names of hosts, the number of cores. */
static const char *const of_the_system[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/resolv.conf",
    "/run/systemd/resolve",
    "/etc/services",
    "/etc/protocols",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
};

/* own_folder: of temporary files; NULL: there is none. */
static tcf_status allow_all(sandbox *s, int ruleset, uint64_t known, const char *own_folder)
{
    tcf_status status = TCF_OK;

    for (size_t i = 0; i < TCF_COUNT(of_the_system) && status == TCF_OK; i++)
        status = allow(s, ruleset, of_the_system[i], TO_READ);
    if (status == TCF_OK)
        status = allow(s, ruleset, "/dev/null", FS(READ_FILE) | FS(WRITE_FILE));
    for (size_t i = 0; i < s->n && status == TCF_OK; i++)
        status = allow(s, ruleset, s->rules[i].path, (s->rules[i].is_output ? TO_WRITE : TO_READ) & known);
#ifdef TCFLOW_BUILD_DIR
    if (coverage_is_measured() && status == TCF_OK)
        status = allow(s, ruleset, TCFLOW_BUILD_DIR, TO_WRITE & known);
#endif
    return own_folder && status == TCF_OK ? allow(s, ruleset, own_folder, TO_WRITE & known) : status;
}

static tcf_status restrict_files(sandbox *s, int version, const char *own_folder)
{
    /* What isn't known yet is at the end of the struct, and has to be left out. */
    const size_t bytes = version >= 6   ? sizeof(struct ruleset)
                         : version >= 4 ? offsetof(struct ruleset, scoped)
                                        : offsetof(struct ruleset, net);
    const struct ruleset rules = {.files = known_files(version),
                                  .net = s->takes_inet ? 0 : BIND_TCP | CONNECT_TCP,
                                  .scoped = (s->takes_unix ? 0 : SCOPE_ABSTRACT_SOCKETS) | SCOPE_SIGNALS};
    const int ruleset = (int)syscall(SYSCALL_CREATE, &rules, bytes, 0);

    if (ruleset < 0)
        return error_fail("the sandbox cannot be made: %s", strerror(errno));
    tcf_status status = allow_all(s, ruleset, rules.files, own_folder);
    if (status == TCF_OK && syscall(SYSCALL_RESTRICT, ruleset, 0) != 0)
        status = error_fail("the sandbox cannot be entered: %s", strerror(errno));
    close(ruleset);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- seccomp -- */

#ifdef HAVE_SECCOMP
static int has_seccomp(void)
{
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

/* What a run has no use for: other programs and processes, and what is shared with them; the owners, modes and times of
 * files by their names, which Landlock leaves alone; the system's settings; and ways around a filter. */
static const char *const refused[] = {
    "execve",
    "execveat",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "pidfd_open",
    "pidfd_getfd",
    "pidfd_send_signal",
    "kcmp",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "keyctl",
    "add_key",
    "request_key",
    "personality",
    "open_by_handle_at",
    "name_to_handle_at",
    "mount",
    "umount2",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsmount",
    "fsconfig",
    "fspick",
    "mount_setattr",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "swapon",
    "swapoff",
    "reboot",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "acct",
    "quotactl",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "sethostname",
    "setdomainname",
    "iopl",
    "ioperm",
    "syslog",
    "nfsservctl",
    "setuid",
    "setgid",
    "setreuid",
    "setregid",
    "setresuid",
    "setresgid",
    "setgroups",
    "setfsuid",
    "setfsgid",
    "capset",
    "shmget",
    "shmat",
    "msgget",
    "semget",
    "mq_open",
    "mq_unlink",
    "chmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "lchown",
    "fchownat",
    "setxattr",
    "lsetxattr",
    "removexattr",
    "lremovexattr",
    "utime",
    "utimes",
    "futimesat",
    "utimensat",
    "mknod",
    "mknodat",
    "vhangup",
    "lookup_dcookie",
    "memfd_secret",
};

static int refuse(scmp_filter_ctx filter, const char *name)
{
    const int number = seccomp_syscall_resolve_name(name);
    return number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
}

/* Sockets of families that the run has no use for. */
static int refuse_sockets(scmp_filter_ctx filter, const sandbox *s)
{
    const uint32_t no = SCMP_ACT_ERRNO(EAFNOSUPPORT);
    const int number = SCMP_SYS(socket);
    int code = 0;

    if (!s->takes_unix && !s->takes_inet)
        return seccomp_rule_add(filter, no, number, 0);
    if (!s->takes_inet) {
        code = seccomp_rule_add(filter, no, number, 1, SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0));
    } else { /* the names of hosts are asked for by others, too */
        code = seccomp_rule_add(filter, no, number, 1, SCMP_A0(SCMP_CMP_EQ, AF_PACKET, 0));
        if (code == 0)
            code = seccomp_rule_add(filter, no, number, 1, SCMP_A0(SCMP_CMP_GT, AF_PACKET, 0));
    }
    return code;
}

/* Signals to others; to itself the process sends them by tgkill(). */
static int refuse_signals(scmp_filter_ctx filter)
{
    const uint32_t no = SCMP_ACT_ERRNO(EPERM);
    const scmp_datum_t own = (scmp_datum_t)getpid();
    int code = seccomp_rule_add(filter, no, SCMP_SYS(kill), 1, SCMP_A0(SCMP_CMP_NE, own, 0));

    if (code == 0)
        code = seccomp_rule_add(filter, no, SCMP_SYS(tkill), 0);
    return code == 0 ? seccomp_rule_add(filter, no, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, own, 0)) : code;
}

/* Letters that the terminal takes for typed ones. */
static int refuse_typing(scmp_filter_ctx filter)
{
    static const unsigned typing[] = {TIOCSTI, TIOCLINUX};
    int code = 0;

    for (size_t i = 0; i < TCF_COUNT(typing) && code == 0; i++)
        code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, typing[i]));
    return code;
}

static tcf_status restrict_calls(const sandbox *s)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int code = filter ? 0 : -ENOMEM;

    if (code == 0) /* older kernels slow a process down that has a filter; where this isn't known, they don't */
        (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    for (size_t i = 0; i < TCF_COUNT(refused) && code == 0; i++)
        code = refuse(filter, refused[i]);
    if (code == 0)
        code = refuse_sockets(filter, s);
    if (code == 0)
        code = refuse_signals(filter);
    if (code == 0)
        code = refuse_typing(filter);
    if (code == 0)
        code = seccomp_load(filter);
    seccomp_release(filter);
    return code == 0 ? TCF_OK : error_fail("the sandbox cannot restrict system calls: %s", strerror(-code));
}
#endif

/* ---------------------------------------------------------------------------------------------------------- both -- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

const char *sandbox_is_in_the_way_of(void)
{
    const char *preload = getenv("LD_PRELOAD");

    if (IS_SANITIZED)
        return "a sanitizer";
    return preload && strstr(preload, "vgpreload") ? "valgrind" : NULL;
}

static int name_folder(const char *path)
{
    return setenv("TMPDIR", path, 1) != 0 || setenv("SQLITE_TMPDIR", path, 1) != 0 ? -1 : 0;
}

/* Temporary files get a folder of their own, *folder: all of TMPDIR would be those of others, too. It is made when the
 * helper is there, which removes it however this process ends. */
static tcf_status name_own_folder(char **folder)
{
    const char *named = getenv("TMPDIR");
    uint64_t drawn;
    char *path = NULL;

    *folder = NULL;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        return TCF_OK;
    if (asprintf(&path, "%s/tcflow-run.%016" PRIx64, named && *named ? named : "/tmp", drawn) < 0)
        return no_memory();
    if (name_folder(path) != 0) {
        free(path);
        return no_memory();
    }
    *folder = path;
    return TCF_OK;
}

/* Temporary files go where they would have gone. */
static void drop_own_folder(char **folder)
{
    if (!*folder)
        return;
    *strrchr(*folder, '/') = '\0';
    name_folder(*folder);
    free(*folder);
    *folder = NULL;
}

/* One half of the sandbox: how it is restricted, or, where it isn't, why. */
typedef struct half {
    int holds;
    char text[160];
} half;

static half half_of(const char *what, const char *by, const char *missing, tcf_status status)
{
    half h = {.holds = !missing && status == TCF_OK};

    if (h.holds)
        snprintf(h.text, sizeof h.text, "%s by %s", what, by);
    else
        snprintf(h.text, sizeof h.text, "%s are not restricted (%s)", what, missing ? missing : error_text());
    if (status != TCF_OK)
        error_clear();
    return h;
}

static half enter_files(sandbox *s, int version, const char *own_folder)
{
    char by[32];

    snprintf(by, sizeof by, "Landlock %d", version);
    return version == 0 ? half_of("files", by, "the kernel has no Landlock", TCF_OK)
                        : half_of("files", by, NULL, restrict_files(s, version, own_folder));
}

static half enter_calls(const sandbox *s)
{
#ifdef HAVE_SECCOMP
    return has_seccomp() ? half_of("system calls", "seccomp", NULL, restrict_calls(s))
                         : half_of("system calls", "", "the kernel has no seccomp", TCF_OK);
#else
    (void)s;
    return half_of("system calls", "", "this tcflow was built without libseccomp", TCF_OK);
#endif
}

tcf_status sandbox_enter(sandbox *s, int all, char *to, size_t capacity)
{
    const int version = landlock_version();
    half files = {.text = "files are not restricted"}, calls = {.text = "system calls are not restricted"};

    char *own_folder = NULL;

    if (s->out_of_memory)
        return no_memory();
    if (version > 0 && name_own_folder(&own_folder) != TCF_OK)
        return TCF_ERROR;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        snprintf(files.text, sizeof files.text, "new privileges cannot be given up (%s)", strerror(errno));
        drop_own_folder(&own_folder);
    } else if (programs_hand_over(own_folder) != TCF_OK) {
        snprintf(files.text, sizeof files.text, "%.120s", error_text());
        error_clear();
        drop_own_folder(&own_folder);
    } else {
        if (own_folder && mkdir(own_folder, S_IRWXU) != 0)
            drop_own_folder(&own_folder); /* whoever needs one says so */
        files = enter_files(s, version, own_folder);
        if (s->unseen) {
            free(own_folder);
            return error_fail("%s", files.text);
        }
        calls = enter_calls(s);
    }
    free(own_folder);
    snprintf(to, capacity, "%s: %s; %s", files.holds || calls.holds ? "sandbox" : "no sandbox", files.text, calls.text);
    return all && !(files.holds && calls.holds)
               ? error_usage("sandbox = on, but %s; 'auto' goes on with what there is", to)
               : TCF_OK;
}
