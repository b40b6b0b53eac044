/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow or one of its tools (LD_PRELOAD): one call to the system, that with the number FAILING
 * (from 1 on), goes wrong as HOW says. The kernel hands over all calls of the kinds in the table below, whoever makes
 * them: the program, plugins, the C library's streams, libotf2, SQLite. So nothing is left out, as it would be were
 * functions of the C library replaced, which call each other directly.
 *
 *   HOW=EIO, ENOSPC, EINTR   the call fails with this error, where one of its kind can
 *   HOW=short                a read or write does one byte of what it is asked for
 *   HOW=cut                  the machine fails in front of the call: what files have that was not synced is gone, and
 * the process with it. A file loses what has been appended since it was synced; one that was changed in place since
 * becomes zeros
 *
 * What goes to standard error doesn't fail, so that messages are seen. At the end the number of calls goes to the file
 * CALLS, and in its third line the numbers of the first and the last one of each place in the program. x86-64 alone;
 * elsewhere, or where the kernel has no seccomp, that file isn't made.
 *
 * A filter of seccomp sends SIGSYS for these calls, unless they come from raw_call() below, by which the handler makes
 * them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
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
#include <ucontext.h>

/* What a call of a kind can suffer. */
enum { READS = 1, WRITES = 2, CHANGES = 4, WAITS = 8, SYNCS = 16 };
static const struct call {
    int number, kind;
} calls[] = {
    {SYS_read, READS | WAITS},     {SYS_pread64, READS},     {SYS_readv, READS | WAITS},   {SYS_preadv2, READS},
    {SYS_write, WRITES | WAITS},   {SYS_pwrite64, WRITES},   {SYS_writev, WRITES | WAITS}, {SYS_open, CHANGES | WAITS},
    {SYS_openat, CHANGES | WAITS}, {SYS_close, 0},           {SYS_fsync, SYNCS},           {SYS_fdatasync, SYNCS},
    {SYS_syncfs, SYNCS},           {SYS_ftruncate, CHANGES}, {SYS_rename, CHANGES},        {SYS_renameat2, CHANGES},
    {SYS_mkdir, CHANGES},          {SYS_unlink, CHANGES},    {SYS_getdents64, READS},      {SYS_lseek, 0},
};
enum { N_CALLS = sizeof calls / sizeof *calls, MOST_FILES = 256 };

static unsigned long failing;
static unsigned long count;
static int failure; /* an error; 0: another way */
static int one_byte, cut;
static const char *to;
static int out = -1; /* opened at the start: later the sandbox is in the way */

/* Files that have been written to since they were synced. */
static struct dirty {
    dev_t device;
    ino_t file;
    int fd;         /* a descriptor of our own; -1: unused */
    off_t synced;   /* its size then */
    int is_changed; /* some of that was written again */
} dirty[MOST_FILES];
static int n_dirty;

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

static struct dirty *dirty_of(int fd, int add)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    for (int i = 0; i < n_dirty; i++)
        if (dirty[i].device == st.st_dev && dirty[i].file == st.st_ino)
            return &dirty[i];
    if (!add || n_dirty == MOST_FILES)
        return NULL;
    char name[32] = "/proc/self/fd/";
    int n = (int)strlen(name);
    for (int digit = fd >= 100 ? 100 : fd >= 10 ? 10 : 1; digit > 0; digit /= 10)
        name[n++] = (char)('0' + fd / digit % 10);
    name[n] = '\0';
    const int own = (int)call3(SYS_open, (long)name, O_RDWR | O_CLOEXEC, 0);
    if (own < 0)
        return NULL;
    dirty[n_dirty] = (struct dirty){st.st_dev, st.st_ino, own, 0, 0};
    return &dirty[n_dirty++];
}

/* Takes down what a call is about to do to a file. */
static void note(const struct call *c, int fd, off_t at)
{
    struct stat st;

    if (c->number == SYS_syncfs) {
        for (int i = 0; i < n_dirty; i++) {
            dirty[i].is_changed = 0;
            dirty[i].synced = fstat(dirty[i].fd, &st) == 0 ? st.st_size : 0;
        }
        return;
    }
    struct dirty *d = dirty_of(fd, c->kind & WRITES);
    if (!d)
        return;
    if (c->kind & SYNCS) {
        d->is_changed = 0;
        d->synced = fstat(fd, &st) == 0 ? st.st_size : 0;
    } else if (c->kind & WRITES) {
        if (at < 0)
            at = call3(SYS_lseek, fd, 0, SEEK_CUR);
        d->is_changed |= at < d->synced;
    }
}

static void lose_the_unsynced(void)
{
    static const char zeros[4096];

    for (int i = 0; i < n_dirty; i++) {
        (void)call3(SYS_ftruncate, dirty[i].fd, dirty[i].synced, 0);
        for (off_t at = 0; dirty[i].is_changed && at < dirty[i].synced; at += (off_t)sizeof zeros) {
            off_t n = dirty[i].synced - at < (off_t)sizeof zeros ? dirty[i].synced - at : (off_t)sizeof zeros;
            (void)raw_call(SYS_pwrite64, dirty[i].fd, (long)zeros, n, at, 0, 0);
        }
    }
    (void)call3(SYS_kill, getpid(), SIGKILL, 0);
}

/* Can a call of this kind fail so? */
static int may_fail(const struct call *c)
{
    if (one_byte)
        return c->kind & (READS | WRITES);
    if (failure == ENOSPC)
        return c->kind & (WRITES | CHANGES | SYNCS) || c->number == SYS_close;
    if (failure == EINTR)
        return c->kind & WAITS;
    return cut || failure == EIO;
}

static long serve(const struct call *c, const greg_t *r)
{
    long a = r[REG_RDI], b = r[REG_RSI], n = r[REG_RDX];
    const int takes_fd = c->number != SYS_open && c->number != SYS_openat && c->number != SYS_rename &&
                         c->number != SYS_renameat2 && c->number != SYS_mkdir && c->number != SYS_unlink;

    const unsigned long number =
        to && may_fail(c) && !(takes_fd && a == STDERR_FILENO) ? __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) : 0;
    if (number > 0 && failing == 0)
        places_note(number);
    if (number > 0 && number == failing) {
        if (cut)
            lose_the_unsynced();
        if (!one_byte) {
            if (c->number == SYS_close) /* Linux closes it all the same */
                (void)call3(SYS_close, a, 0, 0);
            return -failure;
        }
        if ((c->number == SYS_read || c->number == SYS_write || c->number == SYS_pread64 ||
             c->number == SYS_pwrite64) &&
            n > 1)
            n = 1;
    }
    if (cut && takes_fd && c->kind & (WRITES | SYNCS))
        note(c, (int)a, c->number == SYS_pwrite64 ? (off_t)r[REG_R10] : -1);
    return raw_call(r[REG_RAX], a, b, n, r[REG_R10], r[REG_R8], r[REG_R9]);
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
    cut = strcmp(how, "cut") == 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(how, errors[i].name) == 0)
            failure = errors[i].number;
    out = to ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (!ask_the_kernel())
        to = NULL;
}

__attribute__((destructor)) static void end(void)
{
    const int written = to ? out : -1;

    to = NULL;
    if (written < 0)
        return;
    dprintf(written, "%lu\n\n", count);
    places_write(written);
}
#endif
