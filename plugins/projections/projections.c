/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* projections: reads the logs of Charm++: NAME.sts, which names chares, entry methods and user events, and a log for
 * each processing element, NAME.N.log or NAME.N.log.gz. Times are microseconds. */
#define _GNU_SOURCE /* asprintf() */
#include <tcflow/grow.h>
#include <tcflow/map.h>
#include <tcflow/source.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum {
    CREATION = 1,
    BEGIN_PROCESSING = 2,
    END_PROCESSING = 3,
    BEGIN_COMPUTATION = 6,
    END_COMPUTATION = 7,
    BEGIN_TRACE = 11,
    END_TRACE = 12,
    USER_EVENT = 13,
    BEGIN_IDLE = 14,
    END_IDLE = 15,
    BEGIN_PACK = 16,
    END_PACK = 17,
    BEGIN_UNPACK = 18,
    END_UNPACK = 19,
    CREATION_BCAST = 20,
    CREATION_MULTICAST = 21,
    USER_EVENT_PAIR = 100
};

#ifndef PROJECTIONS_IDS_MOST /* fuzzing makes many tables of names */
#define PROJECTIONS_IDS_MOST (1 << 20)
#endif

enum { LINE_MOST = 1 << 16, FIELDS = 9, PES_MOST = 1 << 20, IDS_MOST = PROJECTIONS_IDS_MOST };

typedef struct entry {
    uint32_t region;
} entry;

typedef struct state {
    char *stem; /* of the files' names */
    char line[LINE_MOST];
    const char *file; /* that is read, and the line in it */
    uint64_t number;
    uint64_t pes;
    char **chares;
    entry *entries; /* region 0: none; else 1 + its number */
    uint32_t n_chares, chares_room, n_entries, entries_room;
    tcf_map user_events; /* id to region */
    uint32_t idle, pack, unpack, user_kind, phase_kind;
    /* of the processing element that is read */
    uint32_t process, pairs; /* pairs: the location of pairs of user events; TCF_NONE: there are none so far */
    tcf_map open_pairs;      /* (user event, nesting), open */
} state;

static tcf_status fail_in_line(const tcf_reader *self, const char *what)
{
    const state *st = self->state;
    return self->host->fail(self, "%s, line %" PRIu64 ": %s", st->file, st->number, what);
}

static uint32_t region_named(tcf_reader *self, const char *name, enum tcf_region_role role)
{
    const tcf_region_name region = {.name = name, .role = (uint8_t)role};
    return self->host->region(self, &region);
}

/* ----------------------------------------------------------------------------------------------------------- files --
 */

/* Reads a line. 1: done, 0: the end, -1: a failure. */
static int next_line(const tcf_reader *self, gzFile file)
{
    state *st = self->state;
    int error = Z_OK;

    if (!gzgets(file, st->line, LINE_MOST)) {
        const char *reason = gzerror(file, &error);
        if (error == Z_OK || error == Z_STREAM_END)
            return 0;
        self->host->fail(self, "%s, behind line %" PRIu64 ": %s", st->file, st->number,
                         error == Z_ERRNO       ? strerror(errno)
                         : error == Z_BUF_ERROR ? "the packed data ends in its middle"
                                                : reason);
        return -1;
    }
    st->number++;
    const size_t n = strlen(st->line);
    if (n + 1 == LINE_MOST && st->line[n - 1] != '\n') {
        fail_in_line(self, "it is far too long");
        return -1;
    }
    st->line[strcspn(st->line, "\r\n")] = '\0';
    return 1;
}

typedef tcf_status (*take_line)(tcf_reader *self, uint32_t location);

static tcf_status each_line(tcf_reader *self, const char *path, take_line take, uint32_t location)
{
    state *st = self->state;
    gzFile file = gzopen(path, "rb");
    tcf_status status = TCF_OK;
    int more = 1;

    st->file = path;
    st->number = 0;
    if (!file)
        return self->host->fail(self, "%s cannot be opened: %s", path, errno ? strerror(errno) : "out of memory");
    while (status == TCF_OK && (more = next_line(self, file)) > 0)
        status = take(self, location);
    gzclose(file);
    return more < 0 ? TCF_ERROR : status;
}

static int ends_in_sts(const char *name)
{
    const size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".sts") == 0;
}

/* Does the log of the first processing element lie beside it? Perhaps, where there is no memory to look: reading says
 * so. */
static int has_log(const char *stem)
{
    char *path = NULL;

    if (asprintf(&path, "%s.0.log.gz", stem) < 0)
        return 1;
    int there = access(path, F_OK) == 0;
    path[strlen(path) - 3] = '\0';
    there |= access(path, F_OK) == 0;
    free(path);
    return there;
}

/* How many files NAME.sts a folder has; -1: it can't be read, errno says why. *stem becomes the path, without its
 * ending, of one whose logs lie beside it, else of any; NULL: no memory, or no such file. */
static int count_sts(const char *path, char **stem)
{
    DIR *folder = opendir(path);
    int found = folder ? 0 : -1;

    *stem = NULL;
    for (const struct dirent *d; folder && (errno = 0, d = readdir(folder));) {
        char *other = NULL;
        if (!ends_in_sts(d->d_name))
            continue;
        found++;
        if (asprintf(&other, "%s/%.*s", path, (int)strlen(d->d_name) - 4, d->d_name) < 0)
            break; /* errno says why */
        if (!*stem || has_log(other)) {
            free(*stem);
            *stem = other;
        } else {
            free(other);
        }
    }
    if (folder && errno != 0)
        found = -1;
    if (folder) {
        const int reason = errno;
        closedir(folder);
        errno = reason;
    }
    return found;
}

/* The file itself, or the only .sts of a folder, without its ending. */
static tcf_status find_stem(tcf_reader *self)
{
    state *st = self->state;
    const char *path = self->path;
    struct stat about;

    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        st->stem = ends_in_sts(path) ? strndup(path, strlen(path) - 4) : NULL;
        return st->stem ? TCF_OK : self->host->fail(self, "expected a file NAME.sts, or the folder that holds it");
    }
    const int found = count_sts(path, &st->stem);
    if (found == 1 && st->stem)
        return TCF_OK;
    if (found < 0)
        return self->host->fail(self, "the folder cannot be read: %s", strerror(errno));
    return found == 1
               ? self->host->fail(self, "out of memory")
               : self->host->fail(self, "the folder has %d files NAME.sts; expected one, or the name of the file",
                                  found);
}

/* --------------------------------------------------------------------------------------------------------- NAME.sts --
 */

/* The text in quotes, ended by the last quote of the line; *behind is what follows. NULL: there is none. */
static char *quoted(char *line, const char **behind)
{
    char *first = strchr(line, '"'), *last = strrchr(line, '"');

    if (!first || first == last)
        return NULL;
    *last = '\0';
    *behind = last + 1;
    return first + 1;
}

static tcf_status no_memory(const tcf_reader *self)
{
    return self->host->fail(self, "out of memory for the names of entry methods");
}

static tcf_status check_id(const tcf_reader *self, unsigned id)
{
    return id < IDS_MOST ? TCF_OK : fail_in_line(self, "a chare or entry method with a number of 2^20 or more");
}

/* Reads the number behind a word with which the text begins. 0: it begins with something else; -1: the number has more
 * than 32 bits. */
static int number_behind(const char *text, const char *word, unsigned *number, const char **behind)
{
    const size_t n = strlen(word);
    char *end;

    if (strncmp(text, word, n) != 0)
        return 0;
    text += n + strspn(text + n, " \t");
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    *number = (unsigned)value;
    *behind = end;
    return errno == 0 && value <= UINT32_MAX ? 1 : -1;
}

static tcf_status take_chare(tcf_reader *self, unsigned id)
{
    state *st = self->state;
    const char *behind;
    const char *name = quoted(st->line, &behind);

    if (!name)
        return fail_in_line(self, "a chare without a name in quotes");
    if (check_id(self, id) != TCF_OK)
        return TCF_ERROR;
    if (TCF_GROW_ZEROED(&st->chares, &st->chares_room, id) != 0)
        return no_memory(self);
    free(st->chares[id]);
    st->n_chares = id >= st->n_chares ? id + 1 : st->n_chares;
    return (st->chares[id] = strdup(name)) ? TCF_OK : no_memory(self);
}

static tcf_status take_entry(tcf_reader *self, unsigned id)
{
    state *st = self->state;
    const char *behind;
    const char *name = quoted(st->line, &behind);
    unsigned chare;
    char *whole;

    if (!name || number_behind(behind, "", &chare, &behind) <= 0)
        return fail_in_line(self, "an entry method without a name in quotes, or its chare");
    if (chare >= st->n_chares || !st->chares[chare])
        return fail_in_line(self, "an entry method of a chare that isn't there");
    if (check_id(self, id) != TCF_OK)
        return TCF_ERROR;
    if (TCF_GROW_ZEROED(&st->entries, &st->entries_room, id) != 0 ||
        asprintf(&whole, "%s::%s", st->chares[chare], name) < 0)
        return no_memory(self);
    const uint32_t region = region_named(self, whole, TCF_ROLE_TASK);
    free(whole);
    st->n_entries = id >= st->n_entries ? id + 1 : st->n_entries;
    st->entries[id].region = region == TCF_NONE ? 0 : 1 + region;
    return region == TCF_NONE ? TCF_ERROR : TCF_OK;
}

static tcf_status take_user_event(tcf_reader *self, unsigned id, const char *name)
{
    state *st = self->state;
    const uint32_t region = region_named(self, name, TCF_ROLE_FUNCTION);

    if (region == TCF_NONE)
        return TCF_ERROR;
    return tcf_map_put(&st->user_events, id, 0, region) == 0 ? TCF_OK : no_memory(self);
}

static tcf_status take_sts_line(tcf_reader *self, uint32_t location)
{
    static const char *const words[] = {"PROCESSORS ", "CHARE ", "ENTRY CHARE ", "ENTRY BOC ", "EVENT "};
    enum { IS_PROCESSORS, IS_CHARE, IS_ENTRY, IS_BOC, IS_EVENT, WORDS };
    state *st = self->state;
    const char *behind = NULL;
    unsigned id = 0;
    int word = 0, is_number = 0;

    (void)location;
    while (word < WORDS && (is_number = number_behind(st->line, words[word], &id, &behind)) == 0)
        word++;
    if (is_number < 0)
        return fail_in_line(self, "a number of 2^32 or more");
    switch (word) {
    case IS_PROCESSORS:
        st->pes = id;
        return TCF_OK;
    case IS_CHARE:
        return take_chare(self, id);
    case IS_ENTRY:
    case IS_BOC:
        return take_entry(self, id);
    case IS_EVENT:
        return take_user_event(self, id, behind + strspn(behind, " \t"));
    default:
        return TCF_OK;
    }
}

/* ------------------------------------------------------------------------------------------------------------- logs --
 */

/* The numbers of a line: of `least` fields at least, FIELDS at most. */
static int read_fields(const tcf_reader *self, uint64_t *fields, int least)
{
    const state *st = self->state;
    const char *at = st->line;
    char *end;
    int n = 0;

    for (; n < FIELDS; n++, at = end) {
        errno = 0;
        fields[n] = strtoull(at, &end, 10);
        if (end == at || memchr(at, '-', (size_t)(end - at)) || errno || (*end && *end != ' '))
            break;
    }
    return n >= least;
}

static tcf_status read_time(const tcf_reader *self, uint64_t field, uint64_t *time)
{
    if (field > (uint64_t)INT64_MAX / 1000)
        return fail_in_line(self, "the time is beyond 2^63 - 1 ns");
    *time = field * 1000;
    return TCF_OK;
}

static tcf_status take_creation(tcf_reader *self, uint32_t location, const uint64_t *f, uint64_t receivers)
{
    tcf_status status = TCF_OK;
    uint64_t time = 0;

    if (read_time(self, f[3], &time) != TCF_OK)
        return TCF_ERROR;
    if (receivers > ((const state *)self->state)->pes)
        return fail_in_line(self, "a message to more receivers than there are processing elements");
    for (uint64_t k = 0; k < receivers && status == TCF_OK; k++)
        status = self->host->send(self, location, time, f[6], 0, (tcf_pair_key){f[5], f[4]});
    return status;
}

static tcf_status take_processing(tcf_reader *self, uint32_t location, const uint64_t *f)
{
    const state *st = self->state;
    uint64_t time = 0;

    if (f[2] >= st->n_entries || !st->entries[f[2]].region)
        return fail_in_line(self, "an entry method that the .sts file doesn't have");
    if (read_time(self, f[3], &time) != TCF_OK)
        return TCF_ERROR;
    const uint32_t region = st->entries[f[2]].region - 1;
    if (f[0] == END_PROCESSING)
        return self->host->leave(self, location, time, region);
    if (self->host->enter(self, location, time, region) != TCF_OK)
        return TCF_ERROR;
    return self->host->receive(self, location, time, (tcf_pair_key){f[5], f[4]});
}

static tcf_status take_state(tcf_reader *self, uint32_t location, const uint64_t *f)
{
    const state *st = self->state;
    const uint32_t region = f[0] <= END_IDLE ? st->idle : f[0] <= END_PACK ? st->pack : st->unpack;
    uint64_t time = 0;

    if (read_time(self, f[1], &time) != TCF_OK)
        return TCF_ERROR;
    return f[0] % 2 == 0 ? self->host->enter(self, location, time, region)
                         : self->host->leave(self, location, time, region);
}

/* A user event: at a time, or from the first line with its number and nesting to the second. */
static tcf_status take_user(tcf_reader *self, uint32_t location, const uint64_t *f)
{
    state *st = self->state;
    const uint32_t region = tcf_map_get(&st->user_events, f[1], 0);
    char name[64];
    uint64_t time = 0;

    if (read_time(self, f[2], &time) != TCF_OK)
        return TCF_ERROR;
    snprintf(name, sizeof name, "user event %" PRIu64, f[1]);
    if (f[0] == USER_EVENT)
        return self->host->note(self, location, time, st->user_kind, name);
    const uint32_t its = region == TCF_MAP_ABSENT ? region_named(self, name, TCF_ROLE_FUNCTION) : region;
    if (f[1] > UINT32_MAX)
        return fail_in_line(self, "a user event with a number of 2^32 or more");
    const int opened = tcf_map_get(&st->open_pairs, f[1], f[5]) != TCF_MAP_ABSENT;
    if (opened)
        tcf_map_remove(&st->open_pairs, f[1], f[5]);
    else if (tcf_map_put(&st->open_pairs, f[1], f[5], 1) != 0)
        return no_memory(self);
    if (st->pairs == TCF_NONE) /* they overlap with the rest as they like */
        st->pairs = self->host->location(self, st->process, 1, "user events", TCF_CPU_THREAD);
    const tcf_pair_key key = {(uint64_t)location << 32 | (uint32_t)f[1], f[5]};
    return opened ? self->host->end(self, st->pairs, time, key) : self->host->begin(self, st->pairs, time, its, key);
}

static tcf_status take_log_line(tcf_reader *self, uint32_t location)
{
    static const uint8_t least[] =
        {[CREATION] = 7,        [BEGIN_PROCESSING] = 7,  [END_PROCESSING] = 7,     [BEGIN_IDLE] = 2,
         [END_IDLE] = 2,        [BEGIN_PACK] = 2,        [END_PACK] = 2,           [BEGIN_UNPACK] = 2,
         [END_UNPACK] = 2,      [CREATION_BCAST] = 9,    [CREATION_MULTICAST] = 9, [USER_EVENT] = 3,
         [USER_EVENT_PAIR] = 6, [BEGIN_COMPUTATION] = 2, [END_COMPUTATION] = 2,    [BEGIN_TRACE] = 2,
         [END_TRACE] = 2};
    state *st = self->state;
    uint64_t f[FIELDS] = {0}, time = 0;

    if (!*st->line || (st->number == 1 && strncmp(st->line, "PROJECTIONS-RECORD", 18) == 0))
        return TCF_OK;
    if (!read_fields(self, f, 1))
        return fail_in_line(self, "expected a record, which begins with a number");
    if (f[0] >= TCF_COUNT(least) || !least[f[0]]) {
        self->host->left_out(self, 1);
        return TCF_OK;
    }
    if (!read_fields(self, f, least[f[0]]))
        return fail_in_line(self, "a record with fewer numbers than its kind has; was the file cut?");
    switch (f[0]) {
    case CREATION:
        return take_creation(self, location, f, 1);
    case CREATION_BCAST:
    case CREATION_MULTICAST:
        return take_creation(self, location, f, f[8]);
    case BEGIN_PROCESSING:
    case END_PROCESSING:
        return take_processing(self, location, f);
    case USER_EVENT:
    case USER_EVENT_PAIR:
        return take_user(self, location, f);
    case BEGIN_COMPUTATION:
    case END_COMPUTATION:
    case BEGIN_TRACE:
    case END_TRACE:
        if (read_time(self, f[1], &time) != TCF_OK)
            return TCF_ERROR;
        return self->host->note(self, location, time, st->phase_kind,
                                f[0] == BEGIN_COMPUTATION ? "computation begins"
                                : f[0] == END_COMPUTATION ? "computation ends"
                                : f[0] == BEGIN_TRACE     ? "trace begins"
                                                          : "trace ends");
    default:
        return take_state(self, location, f);
    }
}

/* NULL: it isn't there, or a failure. The caller frees it. */
static char *find_log(const tcf_reader *self, uint32_t pe)
{
    const state *st = self->state;
    char *path = NULL;

    if (asprintf(&path, "%s.%u.log.gz", st->stem, pe) < 0) {
        self->host->fail(self, "out of memory");
        return NULL;
    }
    if (access(path, F_OK) != 0 && errno == ENOENT)
        path[strlen(path) - 3] = '\0'; /* not packed */
    if (access(path, F_OK) == 0)
        return path;
    self->host->fail(self, "%s states %" PRIu64 " processing elements, but %s isn't there", self->path, st->pes, path);
    free(path);
    return NULL;
}

/* Before any is read: a message may be to as many receivers as there are logs. */
static tcf_status check_logs(const tcf_reader *self)
{
    const state *st = self->state;

    for (uint32_t pe = 0; pe < st->pes; pe++) {
        char *path = find_log(self, pe);
        if (!path)
            return TCF_ERROR;
        free(path);
    }
    return TCF_OK;
}

static tcf_status read_log(tcf_reader *self, uint32_t pe)
{
    state *st = self->state;
    char name[32], *path = find_log(self, pe);

    snprintf(name, sizeof name, "PE %u", pe);
    st->process = self->host->process(self, pe, name);
    st->pairs = TCF_NONE;
    const uint32_t location = self->host->location(self, st->process, 0, name, TCF_CPU_THREAD);
    tcf_map_free(&st->open_pairs);
    const tcf_status status = path && location != TCF_NONE ? each_line(self, path, take_log_line, location) : TCF_ERROR;
    free(path);
    return status;
}

static tcf_status projections_read(tcf_reader *self)
{
    state *st = self->state;
    char *path = NULL;

    if (find_stem(self) != TCF_OK)
        return TCF_ERROR;
    if (asprintf(&path, "%s.sts", st->stem) < 0)
        return self->host->fail(self, "out of memory");
    tcf_status status = each_line(self, path, take_sts_line, 0);
    free(path);
    if (status == TCF_OK && (st->pes == 0 || st->pes > PES_MOST))
        status =
            self->host->fail(self, "%s.sts has no line PROCESSORS with a number from 1 to %d", st->stem, (int)PES_MOST);
    st->idle = region_named(self, "Idle", TCF_ROLE_TASK_WAIT);
    st->pack = region_named(self, "Pack", TCF_ROLE_FUNCTION);
    st->unpack = region_named(self, "Unpack", TCF_ROLE_FUNCTION);
    st->user_kind = self->host->note_kind(self, "user event");
    st->phase_kind = self->host->note_kind(self, "phase");
    if (status == TCF_OK)
        status = check_logs(self);
    for (uint32_t pe = 0; pe < st->pes && status == TCF_OK; pe++)
        status = read_log(self, pe);
    return status;
}

static void projections_fini(tcf_reader *self)
{
    state *st = self->state;

    for (uint32_t c = 0; c < st->n_chares; c++)
        free(st->chares[c]);
    free(st->chares);
    free(st->entries);
    free(st->stem);
    tcf_map_free(&st->user_events);
    tcf_map_free(&st->open_pairs);
}

/* The file with the names, or a folder that holds one and its logs. */
static int projections_probe(const tcf_probe *probe)
{
    static const char head[14] = "PROJECTIONS_ID";
    char *stem = NULL;
    int sure = probe->n >= sizeof head && memcmp(probe->first, head, sizeof head) == 0 ? 100 : 0;

    if (probe->is_folder) {
        const int found = count_sts(probe->path, &stem), no_memory_to_look = found < 0 && errno == ENOMEM;
        sure = no_memory_to_look ? 1 : found > 0 && (!stem || has_log(stem)) ? 90 : 0; /* 1: if nobody else knows it */
        free(stem);
    }
    return sure;
}

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "projections",
    .version = "1.0",
    .summary = "Reads the logs of Charm++'s Projections (NAME.sts and NAME.N.log.gz)",
    .help =
        "The input is NAME.sts, beside which the logs lie, or the folder of them, if it holds one NAME.sts. A "
        "processing "
        "element is a process with one location, and another one for pairs of user events. Entry methods are regions, "
        "`chare::method`, and tasks; Idle is a region with nothing to do; Pack, Unpack and pairs of user events are "
        "regions, too. The creation of a message is a "
        "send, and the begin of the processing that names it its receive; a broadcast or multicast is a message to "
        "each of its receivers. User events at one time and the begin and end of the computation are string "
        "parameters. Times are nanoseconds, made of the logs' microseconds. Records of other kinds are left out, and "
        "counted.",
    .state_size = sizeof(state),
    .probe = projections_probe,
    .read = projections_read,
    .fini = projections_fini,
};
