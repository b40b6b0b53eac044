/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow or one of its tools (LD_PRELOAD): one call to the system, that with the number FAILING
 * (from 1 on), goes wrong as HOW says. The kernel hands over all calls of the kinds in the table below, whoever makes
 * them: the program, plugins, the C library's streams, libotf2, SQLite. So nothing is left out, as it would be were
 * functions of the C library replaced, which call each other directly. IN: in the program of this name, which a tool
 * starts, instead of the first one whose name begins with tcflow. A process that is forked counts on from where the
 * other one was, so that in each of them the call of that number goes wrong.
 *
 *   HOW=EIO, ENOSPC, EINTR   the call fails with this error, where one of its kind can
 *   HOW=short                a read or write does one byte of what it is asked for
 *   HOW=record               none fails; what calls change in files and folders, and what they sync, goes to the file
 *                            CALLS, for power.py
 *
 * What goes to standard error or a terminal doesn't fail, so that messages are seen. At the end the number of calls (of
 * the process with the most of them) goes to the file CALLS, behind it the places (places.h). x86-64 alone; elsewhere,
 * or where the kernel has no seccomp, that file stays empty.
 *
 * A filter of seccomp sends SIGSYS for these calls where they come from the C library or the dynamic linker. The
 * handler makes them by raw_call(), which is here. The filter outlives exec(), its handler doesn't: but another program
 * has its C library elsewhere, so that nothing of it is handed over. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
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
#include <sys/mman.h>
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
static unsigned long count, *most; /* most: of all processes */
static int failure;                /* an error; 0: another way */
static int one_byte, recording;
static const char *to;
static int out = -1; /* opened at the start: later the sandbox is in the way */
static int has_mpi, in_mpi;
static char counters[1024]; /* by descriptor: is it a file of gcov's counters? */

static long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;

    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return number;
}

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
static int may_fail(const struct call *c, const greg_t *r)
{
    const int opens = c->number == SYS_open || c->number == SYS_openat;

    if (failure == ENOSPC && opens && !(r[c->in ? REG_RDX : REG_RSI] & O_CREAT))
        return 0;
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

/* Standard error shows messages; ncurses takes no notice of a write to the terminal that fails, whose screen people
 * see. */
static int is_for_people(const struct call *c, const greg_t *r)
{
    struct stat st;

    return c->names == 0 &&
           (r[REG_RDI] == STDERR_FILENO ||
            (c->kind & WRITES && call3(SYS_fstat, r[REG_RDI], (long)&st, 0) == 0 && S_ISCHR(st.st_mode)));
}

static long serve(const struct call *c, const greg_t *r)
{
    long n = r[REG_RDX];
    const int of_gcov = is_of_gcov(c, r), of_mpi = in_mpi || (has_mpi && gettid() != getpid());
    const int left_alone = of_gcov || of_mpi || is_for_people(c, r);
    const unsigned long number =
        to && may_fail(c, r) && !left_alone ? __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) : 0;

    if (number > 0 && failing == 0)
        places_note(number);
    if (number > *most)
        *most = number;
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

/* MPI's beginning and end, and its threads, are its own: of a call that fails in there it may wait for ever. */
int MPI_Init_thread(void *argc, void *argv, int wanted, void *provided)
{
    int (*next)(void *, void *, int, void *);

    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Init_thread");
    has_mpi = in_mpi = 1;
    const int result = next(argc, argv, wanted, provided);
    in_mpi = 0;
    return result;
}

int MPI_Finalize(void)
{
    int (*next)(void);

    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
    in_mpi = 1;
    return next();
}

/* posix_spawn() opens files in the new process, where SIGSYS is blocked: here they are opened before. */
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *files, int fd, const char *path, int flags,
                                     mode_t mode)
{
    const int opened = open(path, flags | O_CLOEXEC, mode);

    return opened < 0 ? errno : posix_spawn_file_actions_adddup2(files, opened, fd);
}

/* ---------------------------------------------------------------------------------------------------- the filter -- */

enum { MOST_STEPS = N_CALLS + 64 };
struct filter {
    struct sock_filter step[MOST_STEPS];
    unsigned n;
};

#define STEP(f, ...) ((f)->step[(f)->n++] = (struct sock_filter)__VA_ARGS__)
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(member))
/* Compares with VALUE; goes so many steps on where it IS, and OTHERWISE. */
#define COMPARE(how, value, is, otherwise) BPF_JUMP(BPF_JMP | BPF_K | (how), (uint32_t)(value), is, otherwise)

/* Calls from this range of addresses, whose upper halves are the same, go on to the calls; their place is known at the
 * end. */
static void add_range(struct filter *f, uintptr_t from, uintptr_t to_end)
{
    STEP(f, LOAD(offsetof(struct seccomp_data, instruction_pointer) + 4));
    STEP(f, COMPARE(BPF_JEQ, from >> 32, 0, 4));
    STEP(f, LOAD(offsetof(struct seccomp_data, instruction_pointer)));
    STEP(f, COMPARE(BPF_JGE, from, 0, 2));
    STEP(f, COMPARE(BPF_JGT, to_end - 1, 1, 0));
    STEP(f, BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0));
}

static int add_object(struct dl_phdr_info *object, size_t bytes, void *filter)
{
    (void)bytes;
    if (!strstr(object->dlpi_name, "/libc.so") && !strstr(object->dlpi_name, "/ld-"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        const uintptr_t from = object->dlpi_addr + p->p_vaddr, end = from + p->p_memsz;
        if (from >> 32 == (end - 1) >> 32) {
            add_range(filter, from, end);
        } else {
            add_range(filter, from, end & ~(uintptr_t)UINT32_MAX);
            add_range(filter, end & ~(uintptr_t)UINT32_MAX, end);
        }
    }
    return 0;
}

static int ask_the_kernel(void)
{
    struct sigaction sa = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    struct filter f = {.n = 0};

    sigemptyset(&sa.sa_mask);
    STEP(&f, LOAD(offsetof(struct seccomp_data, arch)));
    STEP(&f, COMPARE(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0));
    STEP(&f, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    dl_iterate_phdr(add_object, &f);
    STEP(&f, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    for (unsigned i = 0; i < f.n; i++)
        if (BPF_CLASS(f.step[i].code) == BPF_JMP && BPF_OP(f.step[i].code) == BPF_JA)
            f.step[i].k = f.n - i - 1;
    STEP(&f, LOAD(offsetof(struct seccomp_data, nr)));
    for (int i = 0; i < N_CALLS; i++)
        STEP(&f, COMPARE(BPF_JEQ, calls[i].number, (uint8_t)(N_CALLS - i), 0));
    STEP(&f, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    STEP(&f, BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    struct sock_fprog program = {.len = (unsigned short)f.n, .filter = f.step};
    return sigaction(SIGSYS, &sa, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

__attribute__((constructor)) static void start(void)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}};
    const char *number = getenv("FAILING"), *how = getenv("HOW"), *in = getenv("IN"),
               *name = program_invocation_short_name;

    if ((in ? strcmp(name, in) : strncmp(name, "tcflow", 6)) != 0 || !how) /* `env`, a shell */
        return;
    unsetenv("LD_PRELOAD");
    most = mmap(NULL, sizeof *most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    to = getenv("CALLS");
    failing = number ? strtoul(number, NULL, 10) : 0;
    places_start();
    one_byte = strcmp(how, "short") == 0;
    recording = strcmp(how, "record") == 0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(how, errors[i].name) == 0)
            failure = errors[i].number;
    out = to ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (most == MAP_FAILED || !ask_the_kernel())
        to = NULL;
}

__attribute__((destructor)) static void end(void)
{
    const int written = to ? out : -1;

    to = NULL;
    if (written < 0 || recording)
        return;
    dprintf(written, "%lu\n\n", *most);
    places_write(written);
}
#endif
