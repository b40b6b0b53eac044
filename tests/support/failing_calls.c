/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow or one of its tools (LD_PRELOAD): one call to the system, that with the number FAILING
 * (from 1 on), goes wrong as HOW says. The kernel hands over all calls of the kinds in the table below, whoever makes
 * them: the program, plugins, the C library's streams, libotf2, SQLite. So nothing is left out, as it would be were
 * functions of the C library replaced, which call each other directly.
 *
 *   HOW=EIO, ENOSPC, EINTR   the call fails with this error, where one of its kind can
 *   HOW=short                a read or write does one byte of what it is asked for
 *   HOW=record               none fails; what calls change in files and folders, and what they sync, goes to the file
 *                            CALLS, for power.py
 *
 * What goes to standard error doesn't fail, so that messages are seen. At the end the number of calls goes to the file
 * CALLS, and in its third line the numbers of the first and the last one of each place in the program. x86-64 alone;
 * elsewhere, or where the kernel has no seccomp, that file stays empty.
 *
 * A filter of seccomp sends SIGSYS for these calls, unless they come from raw_call() below, by which the handler makes
 * them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#include "places.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <ucontext.h>

/* What a call of a kind can suffer, and what is recorded of it. */
enum { READS = 1, WRITES = 2, CHANGES = 4, WAITS = 8, SYNCS = 16 };
static const struct call {
    int number, kind;
    const char *word; /* in the record; NULL: it changes nothing */
    int names, in;    /* so many arguments are names; 1: each follows the descriptor of a folder. No names: the first
                         argument is a descriptor */
} calls[] = {
    {SYS_read, READS | WAITS, NULL, 0, 0},
    {SYS_pread64, READS, NULL, 0, 0},
    {SYS_readv, READS | WAITS, NULL, 0, 0},
    {SYS_preadv2, READS, NULL, 0, 0},
    {SYS_getdents64, READS, NULL, 0, 0},
    {SYS_lseek, 0, NULL, 0, 0},
    {SYS_close, 0, NULL, 0, 0},
    {SYS_write, WRITES | WAITS, "write", 0, 0},
    {SYS_pwrite64, WRITES, "write", 0, 0},
    {SYS_writev, WRITES | WAITS, "write", 0, 0},
    {SYS_fsync, SYNCS, "sync", 0, 0},
    {SYS_fdatasync, SYNCS, "sync", 0, 0},
    {SYS_syncfs, SYNCS, "syncfs", 0, 0},
    {SYS_ftruncate, CHANGES, "truncate", 0, 0},
    {SYS_open, CHANGES | WAITS, "open", 1, 0},
    {SYS_openat, CHANGES | WAITS, "open", 1, 1},
    {SYS_rename, CHANGES, "rename", 2, 0},
    {SYS_renameat2, CHANGES, "rename", 2, 1},
    {SYS_mkdir, CHANGES, "mkdir", 1, 0},
    {SYS_unlink, CHANGES, "unlink", 1, 0},
    {SYS_unlinkat, CHANGES, "unlink", 1, 1},
    {SYS_rmdir, CHANGES, "unlink", 1, 0},
    {SYS_newfstatat, 0, NULL, 1, 1},
    {SYS_readlink, 0, NULL, 1, 0},
    {SYS_access, 0, NULL, 1, 0},
    {SYS_faccessat, 0, NULL, 1, 1},
    {SYS_faccessat2, 0, NULL, 1, 1},
    {SYS_flock, WAITS, NULL, 0, 0},
    {SYS_recvmsg, WAITS, NULL, 0, 0},
    {SYS_recvfrom, WAITS, NULL, 0, 0},
    {SYS_sendmsg, WAITS, NULL, 0, 0},
    {SYS_sendto, WAITS, NULL, 0, 0},
    {SYS_connect, WAITS, NULL, 0, 0},
    {SYS_accept4, WAITS, NULL, 0, 0},
    {SYS_poll, WAITS, NULL, 0, 0},
    {SYS_wait4, WAITS, NULL, 0, 0},
};
enum { N_CALLS = sizeof calls / sizeof *calls, MOST_PIECES = 64 };

static unsigned long failing;
static unsigned long count;
static int failure; /* an error; 0: another way */
static int one_byte, recording;
static const char *to;
static int out = -1;        /* opened at the start: later the sandbox is in the way */
static char counters[1024]; /* by descriptor: is it a file of gcov's counters? */

/* Makes a call that the filter lets pass. */
long raw_call(long number, long a, long b, long c, long d, long e, long f) __attribute__((visibility("hidden")));
extern const char raw_call_end[] __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".globl raw_call\n.hidden raw_call\n"
        "raw_call:\n"
        "endbr64\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\n"
        "mov %r8, %r10\nmov %r9, %r8\nmov 8(%rsp), %r9\n"
        "syscall\n"
        ".globl raw_call_end\n.hidden raw_call_end\n"
        "raw_call_end:\n"
        "ret\n");

static long call3(long number, long a, long b, long c)
{
    return raw_call(number, a, b, c, 0, 0, 0);
}

/* --------------------------------------------------------------------------------------------------- the record -- */

/* Appends "WORD DEVICE:FILE NUMBER BYTES\n" and so many bytes. */
static void append(const char *word, const struct stat *st, long number, const struct iovec *bytes, int pieces)
{
    char head[128];
    struct iovec all[MOST_PIECES + 1] = {{head, 0}};
    size_t n = 0;

    for (int i = 0; i < pieces; i++) {
        all[i + 1] = bytes[i];
        n += bytes[i].iov_len;
    }
    all[0].iov_len = (size_t)snprintf(head, sizeof head, "%s %lx:%lx %ld %zu\n", word, (unsigned long)st->st_dev,
                                      (unsigned long)st->st_ino, number, n);
    const long written = call3(SYS_writev, out, (long)all, pieces + 1);
    if (written != (long)(all[0].iov_len + n) && written != -EBADF) /* a helper has closed it, which writes no output */
        abort();
}

static void record_write(const struct call *c, const struct stat *st, const greg_t *r, long n)
{
    const int fd = (int)r[REG_RDI];
    const long at = c->number == SYS_pwrite64 ? r[REG_R10] : call3(SYS_lseek, fd, 0, SEEK_CUR) - n;
    const struct iovec one = {(void *)r[REG_RSI], (size_t)n};
    struct iovec some[MOST_PIECES];
    int pieces = 1;

    some[0] = one;
    if (c->number == SYS_writev) {
        const struct iovec *given = (const struct iovec *)r[REG_RSI];
        size_t rest = (size_t)n;
        for (pieces = 0; rest > 0; pieces++) {
            if (pieces == MOST_PIECES)
                abort();
            some[pieces] = given[pieces];
            if (some[pieces].iov_len > rest)
                some[pieces].iov_len = rest;
            rest -= some[pieces].iov_len;
        }
    }
    append(c->word, st, at, some, pieces);
}

/* A name, with the folder of `in` in front of it unless that is the one in which the process is. */
static size_t name_of(char *into, size_t room, long in, const char *name)
{
    char link[32];

    if (*name == '/' || (int)in == AT_FDCWD)
        return (size_t)snprintf(into, room, "%s", name) + 1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", (int)in);
    ssize_t n = readlink(link, into, room);
    if (n < 0 || (size_t)n >= room)
        abort();
    return (size_t)(n + snprintf(into + n, room - (size_t)n, "/%s", name)) + 1;
}

/* Takes down what a call has done, which returned `result`. */
static void record(const struct call *c, const greg_t *r, long result)
{
    const long argument[] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10]};
    const int flags = c->names == 2 ? (c->in ? (int)r[REG_R8] : 0) : (int)(c->in ? argument[2] : argument[1]);
    char names[2 * PATH_MAX];
    struct stat st = {0};
    size_t n = 0;

    if (c->number == SYS_open || c->number == SYS_openat) {
        if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE)
            return;
        fstat((int)result, &st);
    } else if (c->names == 0) {
        if (fstat((int)argument[0], &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
            return;
        if (c->kind & WRITES)
            record_write(c, &st, r, result);
        else
            append(c->word, &st, argument[1], NULL, 0);
        return;
    } else if (c->number == SYS_mkdir) {
        stat((const char *)argument[0], &st);
    }
    for (int i = 0; i < c->names; i++)
        n += name_of(names + n, sizeof names - n, c->in ? argument[2 * i] : AT_FDCWD,
                     (const char *)argument[c->in ? 2 * i + 1 : i]);
    const struct iovec bytes = {names, n - 1};
    append(c->word, &st, flags, &bytes, 1);
}

/* ------------------------------------------------------------------------------------------------------- failing -- */

/* Can a call of this kind fail so? */
static int may_fail(const struct call *c)
{
    if (one_byte)
        return c->kind & (READS | WRITES);
    if (failure == ENOSPC)
        return c->kind & (WRITES | CHANGES | SYNCS) || c->number == SYS_close;
    if (failure == EINTR)
        return c->kind & WAITS;
    return failure == EIO;
}

/* Where coverage is measured, counters are none of the program's business. */
static int is_of_gcov(const struct call *c, const greg_t *r)
{
    if (c->names == 0)
        return r[REG_RDI] >= 0 && r[REG_RDI] < (long)sizeof counters && counters[r[REG_RDI]];
    const char *ending = strrchr((const char *)(c->in ? r[REG_RSI] : r[REG_RDI]), '.');
    return ending && strcmp(ending, ".gcda") == 0;
}

static void note_counters(const struct call *c, const greg_t *r, long result)
{
    if ((c->number == SYS_open || c->number == SYS_openat) && result >= 0 && result < (long)sizeof counters)
        counters[result] = 1;
    if (c->number == SYS_close)
        counters[r[REG_RDI]] = 0;
}

static long serve(const struct call *c, const greg_t *r)
{
    long n = r[REG_RDX];
    const int of_gcov = is_of_gcov(c, r), left_alone = of_gcov || (c->names == 0 && r[REG_RDI] == STDERR_FILENO);
    const unsigned long number = to && may_fail(c) && !left_alone ? __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) : 0;

    if (number > 0 && failing == 0)
        places_note(number);
    if (number > 0 && number == failing) {
        if (!one_byte) {
            if (c->number == SYS_close) /* Linux closes it all the same */
                (void)call3(SYS_close, r[REG_RDI], 0, 0);
            return -failure;
        }
        if ((c->number == SYS_read || c->number == SYS_write || c->number == SYS_pread64 ||
             c->number == SYS_pwrite64) &&
            n > 1)
            n = 1;
    }
    const long result = raw_call(r[REG_RAX], r[REG_RDI], r[REG_RSI], n, r[REG_R10], r[REG_R8], r[REG_R9]);
    if (of_gcov)
        note_counters(c, r, result);
    else if (to && recording && result >= 0 && c->word)
        record(c, r, result);
    return result;
}

static void on_call(int number, siginfo_t *info, void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const int saved = errno;

    (void)number;
    r[REG_RAX] = info->si_syscall;
    for (int i = 0; i < N_CALLS; i++)
        if (calls[i].number == info->si_syscall)
            r[REG_RAX] = serve(&calls[i], r);
    errno = saved;
}

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
static int ask_the_kernel(void)
{
    const uintptr_t ip = (uintptr_t)raw_call_end;
    struct sock_filter filter[N_CALLS + 16];
    struct sigaction sa = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    unsigned n = 0;

    sigemptyset(&sa.sa_mask);
    filter[n++] = (struct sock_filter)LOAD(arch);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ip, 0, 3);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(ip >> 32), 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)LOAD(nr);
    for (int i = 0; i < N_CALLS; i++)
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number,
                                                   (uint8_t)(N_CALLS - i), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    return sigaction(SIGSYS, &sa, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

__attribute__((constructor)) static void start(void)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}};
    const char *number = getenv("FAILING"), *how = getenv("HOW");

    /* A filter outlives exec(), and its handler doesn't: none in `env` or a shell. */
    if (strncmp(program_invocation_short_name, "tcflow", 6) != 0 || !how)
        return;
    to = getenv("CALLS");
    failing = number ? strtoul(number, NULL, 10) : 0;
    places_start();
    one_byte = strcmp(how, "short") == 0;
    recording = strcmp(how, "record") == 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(how, errors[i].name) == 0)
            failure = errors[i].number;
    out = to ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (!ask_the_kernel())
        to = NULL;
}

__attribute__((destructor)) static void end(void)
{
    const int written = to ? out : -1;

    to = NULL;
    if (written < 0 || recording)
        return;
    dprintf(written, "%lu\n\n", count);
    places_write(written);
}
#endif
