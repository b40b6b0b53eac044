/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * damage [options] ARCHIVE-FOLDER SCRATCH: damages an archive in many ways, one at a time, and lets tcflow copy it,
 * with and without `salvage`. It must end in time and without a crash; say which file is damaged, and of an event file
 * also the location, the last good event and the remedy; leave no archive behind that isn't one; and with `salvage`
 * keep all that is good. Harmless damage (a bit that is another number now) may pass.
 *
 *   --tcflow FILE, --oracle FILE   the programs to start; TCFLOW_WRAPPER goes before the first
 *   --reader NAME                  what reads event files (auto)
 *   --seed N, --flips N            random bits of each file that are turned round, one a case (25)
 *   --cuts N                       the file is cut at every Nth of the last 64 bytes (1)
 *   --events-only                  damages event files alone
 *   --overlays                     ARCHIVE-FOLDER holds base/, an archive, and folders with damaged files of it
 *   --seconds N                    a run that takes longer hangs (20)
 *
 * Prints what failed, with a name by which --only NAME repeats it, and a table of outcomes. Exit status 1: failures. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MOST_FILES = 64, MOST_CASES = 100000, WORKERS = 2, MOST_RSS_KIB = 1024 * 1024 };
enum kind { ANCHOR, DEFINITIONS, LOCAL_DEFINITIONS, EVENTS, KINDS };
static const char *const kind_name[KINDS] = {"anchor", "definitions", "local definitions", "events"};
enum way { MISSING, EMPTY, CUT, GARBAGE, FLIP, BLOCK, FIELD, OVERLAY, WAYS };
static const char *const way_name[WAYS] = {"missing", "empty", "cut",   "garbage behind",
                                           "flip",    "block", "field", "corpus"};

struct bytes {
    uint8_t *at;
    size_t n;
};

struct file {
    char name[256]; /* in the archive */
    enum kind kind;
    struct bytes content;
    uint64_t location;
};

struct damage {
    char name[280];
    int file;
    enum way way;
    struct bytes content;
};

struct lines { /* of a dump: hashes of the lines of each location */
    uint64_t location[MOST_FILES];
    uint64_t *hash[MOST_FILES];
    size_t n[MOST_FILES], room[MOST_FILES];
    int locations;
};

static struct {
    const char *tcflow, *oracle, *only, *reader;
    uint64_t seed, flips, cuts, seconds;
    bool overlays, events_only;
} options = {"tcflow", "oracle", NULL, "auto", 1, 25, 1, 20, false, false};

static struct file file[MOST_FILES];
static int files;
static struct damage damages[MOST_CASES];
static int cases;
static struct lines original;

static struct tally { /* shared by the workers */
    int cases, harmless, refused, salvaged, written, failures;
} * tally; /* [KINDS][WAYS] */

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "damage: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static void *memory(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (p == NULL)
        die("out of memory");
    return p;
}

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* --------------------------------------------------------------------------------------------------------- files -- */

static bool slurp(const char *path, struct bytes *to)
{
    int fd = open(path, O_RDONLY);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0)
        return false;
    to->n = (size_t)st.st_size;
    to->at = memory(NULL, to->n);
    for (size_t n = 0; n < to->n;) {
        ssize_t got = read(fd, to->at + n, to->n - n);
        if (got <= 0)
            die("%s cannot be read", path);
        n += (size_t)got;
    }
    close(fd);
    return true;
}

static void spill(const char *path, struct bytes content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0)
        die("%s: %s", path, strerror(errno));
    for (size_t n = 0; n < content.n;) {
        ssize_t put = write(fd, content.at + n, content.n - n);
        if (put <= 0)
            die("%s: %s", path, strerror(errno));
        n += (size_t)put;
    }
    close(fd);
}

static void remove_tree(const char *path)
{
    DIR *d = opendir(path);
    char below[PATH_BYTES];

    for (struct dirent *entry; d && (entry = readdir(d)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
            remove_tree(below);
        }
    if (d)
        closedir(d);
    remove(path);
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static void add_file(const char *folder, const char *name, enum kind kind)
{
    char path[PATH_BYTES];
    struct file *f = &file[files++];

    snprintf(f->name, sizeof f->name, "%s", name);
    f->kind = kind;
    f->location = kind >= LOCAL_DEFINITIONS ? strtoull(strchr(name, '/') + 1, NULL, 10) : 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!slurp(path, &f->content))
        die("%s: %s", path, strerror(errno));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_archive(const char *folder)
{
    char path[PATH_BYTES], name[256];
    struct dirent **entry;

    add_file(folder, "traces.otf2", ANCHOR);
    add_file(folder, "traces.def", DEFINITIONS);
    snprintf(path, sizeof path, "%.3000s/traces", folder);
    int n = scandir(path, &entry, NULL, by_name);
    for (int i = 0; i < n; i++) {
        bool events = ends_in(entry[i]->d_name, ".evt");
        if ((events || ends_in(entry[i]->d_name, ".def")) && files < MOST_FILES) {
            snprintf(name, sizeof name, "traces/%.200s", entry[i]->d_name);
            add_file(folder, name, events ? EVENTS : LOCAL_DEFINITIONS);
        }
    }
}

/* --------------------------------------------------------------------------------------------------------- cases -- */

static struct damage *add_case(int f, enum way way, struct bytes content, const char *format, ...)
{
    char detail[200] = "";
    va_list arguments;
    struct damage *c = &damages[cases];

    if (cases == MOST_CASES)
        die("too many cases");
    cases++;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    snprintf(c->name, sizeof c->name, "%.60s:%s%s%.180s", file[f].name, way_name[way], detail[0] ? "-" : "", detail);
    for (char *at = c->name; *at; at++)
        if (*at == ' ')
            *at = '-';
    c->file = f;
    c->way = way;
    c->content = content;
    return c;
}

/* A copy with `more` bytes of room behind, which are not counted. */
static struct bytes copy_of(struct bytes b, size_t more)
{
    struct bytes copy = {memory(NULL, b.n + more), b.n};
    memcpy(copy.at, b.at, b.n);
    return copy;
}

static struct bytes cut_of(struct bytes b, size_t n)
{
    struct bytes copy = copy_of(b, 0);
    copy.n = n;
    return copy;
}

static void make_cuts(int f)
{
    struct bytes b = file[f].content;

    for (size_t k = 1; k < 16; k++)
        add_case(f, CUT, cut_of(b, b.n * k / 16), "%zu-of-%zu", b.n * k / 16, b.n);
    for (size_t k = 1; k <= 64 && k < b.n; k += options.cuts)
        add_case(f, CUT, cut_of(b, b.n - k), "%zu-of-%zu", b.n - k, b.n);
}

static void make_garbage(int f, uint64_t *random)
{
    struct bytes b = file[f].content, zero = copy_of(b, 1), noise = copy_of(b, 100), twice = copy_of(b, b.n);

    zero.at[zero.n++] = 0;
    add_case(f, GARBAGE, zero, "zero");
    for (int i = 0; i < 100; i++)
        noise.at[noise.n++] = (uint8_t)draw(random);
    add_case(f, GARBAGE, noise, "noise");
    memcpy(twice.at + b.n, b.at, b.n);
    twice.n = 2 * b.n;
    add_case(f, GARBAGE, twice, "itself");
}

/* Half of them anywhere, the others near the start and the end, where files say what they hold. */
static void make_flips(int f, uint64_t *random)
{
    struct bytes b = file[f].content;

    for (uint64_t i = 0; i < options.flips; i++) {
        struct bytes flipped = copy_of(b, 0);
        size_t near = b.n < 48 ? b.n : 48, at = draw(random) % (i % 2 ? near : b.n);
        unsigned bit = draw(random) % 8;
        if (i % 4 == 3)
            at = b.n - 1 - at;
        flipped.at[at] ^= (uint8_t)(1U << bit);
        add_case(f, FLIP, flipped, "%zu.%u", at, bit);
    }
}

static void make_blocks(int f, uint64_t *random)
{
    struct bytes b = file[f].content;

    for (uint64_t i = 0; i < 2 + options.flips / 8; i++) {
        struct bytes spoilt = copy_of(b, 0);
        size_t at = draw(random) % b.n, n = 1 + draw(random) % 64;
        for (size_t k = at; k < at + n && k < b.n; k++)
            spoilt.at[k] = i % 3 == 0 ? 0 : i % 3 == 1 ? 255 : (uint8_t)draw(random);
        add_case(f, BLOCK, spoilt, "%zu+%zu-%s", at, n, i % 3 == 0 ? "zeros" : i % 3 == 1 ? "ones" : "noise");
    }
}

/* Numbers of the anchor: chunk sizes, locations, definitions. */
static void make_fields(int f)
{
    static const struct {
        const char *name;
        size_t offset;
    } field[] = {{"event-chunk", 12}, {"definition-chunk", 20}, {"locations", 30}, {"definitions", 38}};
    struct bytes b = file[f].content;

    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        uint64_t value, values[6];
        memcpy(&value, b.at + field[i].offset, sizeof value);
        const uint64_t lies[] = {0, 1, value - 1, value + 1, value * 2, UINT64_MAX};
        memcpy(values, lies, sizeof lies);
        for (int k = 0; k < 6; k++) {
            struct bytes lie = copy_of(b, 0);
            if (values[k] == value)
                continue;
            memcpy(lie.at + field[i].offset, &values[k], sizeof value);
            add_case(f, FIELD, lie, "%s=%" PRIu64, field[i].name, values[k]);
        }
    }
}

/* The first file of definitions of a location stands for all, and so do the first and the last one of events. */
static void make_cases(void)
{
    uint64_t random = options.seed;
    bool local_done = false;
    int last = files - 1;

    while (last > 0 && file[last].kind != EVENTS)
        last--;
    for (int f = 0, events = 0; f < files; f++) {
        if (options.events_only && file[f].kind != EVENTS)
            continue;
        if ((file[f].kind == LOCAL_DEFINITIONS && local_done) || (file[f].kind == EVENTS && events++ > 0 && f != last))
            continue;
        local_done = local_done || file[f].kind == LOCAL_DEFINITIONS;
        add_case(f, MISSING, (struct bytes){0}, "%s", "");
        add_case(f, EMPTY, (struct bytes){0}, "%s", "");
        make_cuts(f);
        make_garbage(f, &random);
        make_flips(f, &random);
        make_blocks(f, &random);
        if (file[f].kind == ANCHOR)
            make_fields(f);
    }
}

/* Folders beside the archive, each with one of its files. */
static void make_overlays(const char *folder)
{
    char path[PATH_BYTES];
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, by_name);

    for (int i = 0; i < n; i++)
        for (int f = 0; f < files && entry[i]->d_name[0] != '.' && strcmp(entry[i]->d_name, "base") != 0; f++) {
            struct bytes content;
            snprintf(path, sizeof path, "%.3000s/%.255s/%.255s", folder, entry[i]->d_name, file[f].name);
            if (slurp(path, &content))
                add_case(f, OVERLAY, content, "%s", entry[i]->d_name);
        }
}

/* ------------------------------------------------------------------------------------------------------ programs -- */

/* Runs a program, with its output in a file. Returns its exit status, 1000 + its signal, or 2000: it hangs. */
static int run(char *const *argv, const char *out, const char *err, uint64_t *rss)
{
    struct rusage usage;
    int status;
    pid_t pid = fork();

    if (pid < 0)
        die("fork: %s", strerror(errno));
    if (pid == 0) {
        int o = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666), e = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(o, STDOUT_FILENO);
        dup2(e, STDERR_FILENO);
        alarm((unsigned)options.seconds);
        execvp(argv[0], argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(126);
    }
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            die("wait: %s", strerror(errno));
    *rss = (uint64_t)usage.ru_maxrss;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? 2000 : 1000 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

/* Where a worker works. */
struct place {
    char in[PATH_BYTES], out[PATH_BYTES], incomplete[PATH_BYTES], said[PATH_BYTES], printed[PATH_BYTES],
        anchor[PATH_BYTES];
};

static int tcflow(const struct place *p, bool salvage, uint64_t *rss)
{
    char wrapper[1024], path[PATH_BYTES + 32], reader[64];
    char *argv[64];
    int n = 0;

    snprintf(wrapper, sizeof wrapper, "%s", getenv("TCFLOW_WRAPPER") ? getenv("TCFLOW_WRAPPER") : "");
    char *rest;
    for (char *word = strtok_r(wrapper, " ", &rest); word && n < 40; word = strtok_r(NULL, " ", &rest))
        argv[n++] = word;
    snprintf(path, sizeof path, "otf2_write.path=%s", p->out);
    snprintf(reader, sizeof reader, "pipeline.reader=%s", options.reader);
    argv[n++] = (char *)options.tcflow;
    argv[n++] = (char *)"-q";
    argv[n++] = (char *)"-i";
    argv[n++] = (char *)p->anchor;
    argv[n++] = (char *)"-o";
    argv[n++] = (char *)"pipeline.chain=otf2_write";
    argv[n++] = (char *)"-o";
    argv[n++] = path;
    argv[n++] = (char *)"-o";
    argv[n++] = (char *)(salvage ? "pipeline.salvage=yes" : "pipeline.salvage=no");
    argv[n++] = (char *)"-o";
    argv[n++] = reader;
    argv[n] = NULL;
    remove_tree(p->out);
    remove_tree(p->incomplete);
    return run(argv, p->printed, p->said, rss);
}

static int lines_of(struct lines *l, uint64_t location)
{
    for (int i = 0; i < l->locations; i++)
        if (l->location[i] == location)
            return i;
    if (l->locations == MOST_FILES)
        die("too many locations");
    l->location[l->locations] = location;
    return l->locations++;
}

static bool dump(const char *anchor, const char *to, const char *said, struct lines *l)
{
    char *const argv[] = {(char *)options.oracle, (char *)"dump", (char *)anchor, NULL};
    char *line = NULL;
    size_t room = 0;
    uint64_t rss;

    if (run(argv, to, said, &rss) != 0)
        return false;
    FILE *f = fopen(to, "r");
    for (int i = 0; i < l->locations; i++)
        l->n[i] = 0;
    while (f && getline(&line, &room, f) > 0) {
        uint64_t hash = 14695981039346656037U;
        if (*line < '0' || *line > '9')
            continue;
        int i = lines_of(l, strtoull(line, NULL, 10));
        for (char *at = line; *at; at++)
            hash = (hash ^ (uint8_t)*at) * 1099511628211U;
        if (l->n[i] == l->room[i]) {
            l->room[i] = l->room[i] ? 2 * l->room[i] : 1024;
            l->hash[i] = memory(l->hash[i], l->room[i] * sizeof *l->hash[i]);
        }
        l->hash[i][l->n[i]++] = hash;
    }
    free(line);
    if (f)
        fclose(f);
    return true;
}

/* ------------------------------------------------------------------------------------------------------ checking -- */

static void __attribute__((format(printf, 4, 5)))
failed(const struct place *p, const struct damage *c, struct tally *t, const char *format, ...)
{
    struct bytes said = {NULL, 0};
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    __atomic_add_fetch(&t->failures, 1, __ATOMIC_RELAXED);
    if (!slurp(p->said, &said))
        said.n = 0;
    printf("FAILED %s: %s\n%.*s\n", c->name, text, (int)(said.n < 1500 ? said.n : 1500), said.n ? (char *)said.at : "");
    fflush(stdout);
    free(said.at);
}

static bool says(const char *text, const char *what)
{
    return strstr(text, what) != NULL;
}

/* What a run without salvage says when it fails. */
static void check_message(const struct place *p, const struct damage *c, struct tally *t, const char *said)
{
    const struct file *f = &file[c->file];
    char path[PATH_BYTES + 300], location[64];

    snprintf(path, sizeof path, "%.4000s/%.255s", p->in, f->name);
    snprintf(location, sizeof location, "location %" PRIu64, f->location);
    /* A bit in definitions may as well make nonsense of something else. */
    bool any_file = (f->kind == DEFINITIONS || f->kind == ANCHOR) && c->way >= FLIP;
    if (!says(said, any_file ? p->in : path))
        failed(p, c, t, "the message doesn't name the file '%s'", path);
    else if (f->kind == EVENTS && !says(said, location))
        failed(p, c, t, "the message doesn't name the location");
    else if (f->kind == EVENTS && !says(said, "salvage = yes"))
        failed(p, c, t, "the message doesn't name the remedy");
    else if (f->kind == EVENTS && c->way != MISSING && !says(said, "behind event "))
        failed(p, c, t, "the message doesn't name the last good event");
}

/* The number behind "lost what follows event", thousands separated. */
static bool last_good(const char *said, const char *path, uint64_t *number)
{
    const char *at = strstr(said, "lost what follows event ");

    if (at == NULL || !says(at, path))
        return false;
    *number = 0;
    for (at += strlen("lost what follows event "); (*at >= '0' && *at <= '9') || *at == ','; at++)
        if (*at != ',')
            *number = *number * 10 + (uint64_t)(*at - '0');
    return true;
}

/* Is what was salvaged all that is good? Only an event file leaves everything else as it was. */
static void check_salvaged(const struct place *p, const struct damage *c, struct tally *t, const char *said, int status)
{
    static struct lines got;
    const struct file *f = &file[c->file];
    char anchor[PATH_BYTES + 32], path[PATH_BYTES + 300];
    uint64_t rss, last = 0;
    char *const print[] = {(char *)"otf2-print", anchor, NULL};

    snprintf(anchor, sizeof anchor, "%s/traces.otf2", p->out);
    snprintf(path, sizeof path, "%.4000s/%.255s", p->in, f->name);
    if (f->kind == EVENTS && status == 1 && !last_good(said, path, &last)) {
        failed(p, c, t, "with salvage: the loss is not reported");
        return;
    }
    char *const print_input[] = {(char *)"otf2-print", (char *)p->anchor, NULL};
    int printed = run(print, p->printed, "/dev/null", &rss);
    if (printed >= 1000 && f->kind != EVENTS && run(print_input, p->printed, "/dev/null", &rss) >= 1000)
        return; /* it doesn't bear such definitions, wherever they stand */
    if (printed >= 1000 || (f->kind == EVENTS && printed != 0)) {
        failed(p, c, t, "with salvage: otf2-print ends with %d on what was written", printed);
        return;
    }
    if (f->kind != EVENTS)
        return;
    if (!dump(anchor, p->printed, "/dev/null", &got)) {
        failed(p, c, t, "with salvage: what was written cannot be read");
        return;
    }
    for (int i = 0; i < original.locations; i++) {
        int k = lines_of(&got, original.location[i]);
        size_t n = original.n[i];
        bool here = original.location[i] == f->location;
        if (here)
            n = got.n[k];
        if (got.n[k] != n || n > original.n[i])
            failed(p, c, t, "with salvage: location %" PRIu64 " has %zu of %zu events", original.location[i], got.n[k],
                   original.n[i]);
        else if ((!here || c->way == CUT || c->way == MISSING || c->way == EMPTY || c->way == GARBAGE) && n > 0 &&
                 memcmp(got.hash[k], original.hash[i], n * sizeof *got.hash[k]) != 0)
            failed(p, c, t, "with salvage: other events in location %" PRIu64, original.location[i]);
        else if (here && status == 1 && (c->way < FLIP ? n != last : n > last)) /* unknown kinds count */
            failed(p, c, t, "with salvage: %zu events are there, but the loss is reported behind event %" PRIu64, n,
                   last);
        else if (here && status == 0 && c->way < FLIP && n != original.n[i])
            failed(p, c, t, "with salvage: %zu events are there, and no loss is reported", n);
        /* An event takes less than 64 bytes in these traces. */
        else if (here && c->way == CUT && n + 64 < original.n[i] * c->content.n / f->content.n * 3 / 4)
            failed(p, c, t, "with salvage: only %zu of %zu events, of %zu of %zu bytes", n, original.n[i], c->content.n,
                   f->content.n);
        else
            continue;
        break;
    }
}

static bool untouched(const struct place *p, const struct damage *c)
{
    char path[PATH_BYTES + 300];
    bool same = true;

    for (int f = 0; f < files && same; f++) {
        struct bytes expected = f == c->file ? c->content : file[f].content, found = {NULL, 0};
        snprintf(path, sizeof path, "%.4000s/%.255s", p->in, file[f].name);
        bool there = slurp(path, &found);
        if (f == c->file && c->way == MISSING)
            same = !there;
        else
            same = there && found.n == expected.n && (found.n == 0 || memcmp(found.at, expected.at, found.n) == 0);
        free(found.at);
    }
    return same;
}

static bool ended_well(const struct place *p, const struct damage *c, struct tally *t, int status, uint64_t rss,
                       const char *with)
{
    if (status == 2000)
        failed(p, c, t, "%s it hangs", with);
    else if (status >= 1000)
        failed(p, c, t, "%s it crashes: %s", with, strsignal(status - 1000));
    else if (status != 0 && status != 1)
        failed(p, c, t, "%s its exit status is %d", with, status);
    else if (rss > MOST_RSS_KIB)
        failed(p, c, t, "%s it takes %" PRIu64 " KiB of memory", with, rss);
    else
        return true;
    return false;
}

static char *text_of(const char *path)
{
    struct bytes b = {NULL, 0};
    if (!slurp(path, &b))
        b.n = 0;
    b.at = memory(b.at, b.n + 1);
    b.at[b.n] = '\0';
    return (char *)b.at;
}

/* Local definitions need not be there. The last bytes of files that are read as a whole say nothing. */
static bool can_be_missed(const struct damage *c)
{
    const struct file *f = &file[c->file];

    if (c->way == MISSING)
        return f->kind == LOCAL_DEFINITIONS;
    return c->way == CUT && f->kind != EVENTS && c->content.n + 2 >= f->content.n;
}

static void check_case(const struct place *p, const struct damage *c)
{
    struct tally *t = &tally[(int)file[c->file].kind * WAYS + (int)c->way];
    bool whole = c->way == MISSING || c->way == EMPTY || c->way == CUT; /* part of the file is gone */
    uint64_t rss;

    __atomic_add_fetch(&t->cases, 1, __ATOMIC_RELAXED);
    int strict = tcflow(p, false, &rss);
    char *said = text_of(p->said);
    if (ended_well(p, c, t, strict, rss, "")) {
        if (strict == 1)
            check_message(p, c, t, said);
        if (exists(p->out) != (strict == 0))
            failed(p, c, t, strict ? "it fails, but there is an archive" : "there is no archive");
        else if (strict == 0 && whole && !can_be_missed(c))
            failed(p, c, t, "nobody noticed");
        __atomic_add_fetch(strict ? &t->refused : &t->harmless, 1, __ATOMIC_RELAXED);
    }
    free(said);
    int salvage = tcflow(p, true, &rss);
    said = text_of(p->said);
    if (ended_well(p, c, t, salvage, rss, "with salvage")) {
        if (salvage == 1)
            __atomic_add_fetch(&t->salvaged, 1, __ATOMIC_RELAXED);
        if (exists(p->out)) {
            __atomic_add_fetch(&t->written, 1, __ATOMIC_RELAXED);
            check_salvaged(p, c, t, said, salvage);
        } else if (salvage == 0 || file[c->file].kind == EVENTS) {
            failed(p, c, t, "with salvage: nothing is written");
        }
        if (strict == 1 && salvage == 0 && file[c->file].kind == EVENTS)
            failed(p, c, t, "with salvage: the damage is not reported");
    }
    free(said);
    if (!untouched(p, c))
        failed(p, c, t, "the input has changed");
}

static void work(const char *scratch, int worker)
{
    struct place p;
    char path[PATH_BYTES + 300];

#define PLACE(member, name) snprintf(p.member, sizeof p.member, "%.3000s/%d" name, scratch, worker)
    PLACE(in, "");
    mkdir(p.in, 0777);
    PLACE(in, "/traces");
    PLACE(in, "/in");
    mkdir(p.in, 0777);
    PLACE(out, "/in/traces");
    mkdir(p.out, 0777);
    PLACE(out, "/out");
    PLACE(incomplete, "/out.incomplete");
    PLACE(said, "/said");
    PLACE(printed, "/printed");
    PLACE(anchor, "/in/traces.otf2");
#undef PLACE
    for (int f = 0; f < files; f++) {
        snprintf(path, sizeof path, "%.4000s/%.255s", p.in, file[f].name);
        spill(path, file[f].content);
    }
    for (int i = worker; i < cases; i += WORKERS) {
        const struct damage *c = &damages[i];
        if (options.only && strcmp(options.only, c->name) != 0)
            continue;
        snprintf(path, sizeof path, "%.4000s/%.255s", p.in, file[c->file].name);
        if (c->way == MISSING)
            unlink(path);
        else
            spill(path, c->content);
        check_case(&p, c);
        if (options.only) /* leave it there to be looked at */
            continue;
        spill(path, file[c->file].content);
    }
}

static int print_tally(void)
{
    int failures = 0;

    printf("%-18s %-15s %6s %9s %8s %13s %8s %7s\n", "file", "damage", "cases", "harmless", "refused",
           "with salvage:", "written", "failed");
    for (int k = 0; k < KINDS; k++)
        for (int w = 0; w < WAYS; w++) {
            const struct tally *t = &tally[k * WAYS + w];
            failures += t->failures;
            if (t->cases > 0)
                printf("%-18s %-15s %6d %9d %8d %13d %8d %7d\n", kind_name[k], way_name[w], t->cases, t->harmless,
                       t->refused, t->salvaged, t->written, t->failures);
        }
    return failures;
}

static void parse(int argc, char **argv, const char **folder, const char **scratch)
{
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        uint64_t *number = strcmp(argv[i], "--seed") == 0      ? &options.seed
                           : strcmp(argv[i], "--flips") == 0   ? &options.flips
                           : strcmp(argv[i], "--cuts") == 0    ? &options.cuts
                           : strcmp(argv[i], "--seconds") == 0 ? &options.seconds
                                                               : NULL;
        const char **text = strcmp(argv[i], "--tcflow") == 0   ? &options.tcflow
                            : strcmp(argv[i], "--oracle") == 0 ? &options.oracle
                            : strcmp(argv[i], "--only") == 0   ? &options.only
                            : strcmp(argv[i], "--reader") == 0 ? &options.reader
                                                               : NULL;
        if (strcmp(argv[i], "--overlays") == 0)
            options.overlays = true;
        else if (strcmp(argv[i], "--events-only") == 0)
            options.events_only = true;
        else if (number)
            *number = strtoull(argv[++i] ? value : "", NULL, 10);
        else if (text && argv[++i])
            *text = value;
        else
            die("unknown option %s", argv[i] ? argv[i] : "");
    }
    if (i + 2 != argc || options.cuts == 0)
        die("usage: damage [options] ARCHIVE-FOLDER SCRATCH");
    *folder = argv[i];
    *scratch = argv[i + 1];
}

int main(int argc, char **argv)
{
    const char *folder, *scratch;
    char path[PATH_BYTES], printed[PATH_BYTES];

    parse(argc, argv, &folder, &scratch);
    snprintf(path, sizeof path, "%s%s", folder, options.overlays ? "/base" : "");
    load_archive(path);
    if (options.overlays)
        make_overlays(folder);
    else
        make_cases();
    snprintf(printed, sizeof printed, "%s/printed", scratch);
    snprintf(path, sizeof path, "%s%s/traces.otf2", folder, options.overlays ? "/base" : "");
    if (!dump(path, printed, "/dev/null", &original))
        die("%s cannot be read", path);
    tally = mmap(NULL, KINDS * WAYS * sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED)
        die("out of memory");
    for (int w = 0; w < WORKERS; w++)
        if (fork() == 0) {
            work(scratch, w);
            fflush(stdout);
            _exit(0);
        }
    int failures = 0, status;
    for (int w = 0; w < WORKERS; w++)
        if (wait(&status) > 0 && status != 0)
            failures++;
    failures += print_tally();
    return failures > 0;
}
