/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow's interface for readers of other trace formats: everything that such a reader sees of the framework.
 *
 * A reader is a plugin with one exported data symbol, TCF_SOURCE. It parses a file and says what it finds there:
 * processes, locations, regions, then events. The framework does the rest: it sorts the events of each location by
 * time, pairs the ends of messages, keeps calls that overlap apart, and delivers slices as often as a chain asks for
 * them. So events may come in the order of the file, whatever that is, and every chain works on every format. This is a
 * whole one, for files of lines "first last name" in nanoseconds:
 *
 *     #include <tcflow/source.h>
 *     #include <inttypes.h>
 *     #include <stdio.h>
 *
 *     static int lines_probe(const tcf_probe *probe)
 *     {
 *         return tcf_name_ends(probe, ".lines");
 *     }
 *
 *     static tcf_status lines_read(tcf_reader *self)
 *     {
 *         const tcf_source_host *host = self->host;
 *         uint32_t process = host->process(self, 0, "the process");
 *         uint32_t location = host->location(self, process, 0, "its thread", TCF_CPU_THREAD);
 *         FILE *file = fopen(self->path, "r");
 *         uint64_t first, last;
 *         char name[100];
 *         tcf_status status = file ? TCF_OK : host->fail(self, "cannot be opened");
 *
 *         while (status == TCF_OK && fscanf(file, "%" SCNu64 "%" SCNu64 "%99s", &first, &last, name) == 3) {
 *             const tcf_region_name region = {.name = name};
 *             status = host->call(self, location, first, last, host->region(self, &region));
 *         }
 *         if (file)
 *             fclose(file);
 *         return status;
 *     }
 *
 *     TCF_SOURCE = {
 *         .head = TCF_SOURCE_HEAD,
 *         .name = "lines",
 *         .version = "1.0",
 *         .summary = "Reads lines of first, last and name",
 *         .probe = lines_probe,
 *         .read = lines_read,
 *     };
 *
 * `read` is mandatory. No symbol of the framework is linked; parameters are those of filter.h (TCF_PARAM).
 * writing-sources.md is the tutorial.
 *
 * Concurrency: one call of `read` at a time for a reader, in one thread. There is no mutable file-scope variable all
 * the same: a process may have two readers.
 *
 * Errors: `read` returns host->fail(self, ...), which records the reason, with the place in the file, and yields
 * TCF_ERROR; the framework adds the name of the file and of the reader, and stops the run. A function of the host that
 * returns TCF_ERROR or TCF_NONE has recorded the reason; a number that is TCF_NONE may be handed on, the call that gets
 * it returns TCF_ERROR. What a reader leaves out of a file it counts, and says so by log().
 *
 * Ownership: texts and structs that a reader hands over are copied before the call returns. Texts are UTF-8; bytes that
 * are not pass as they are.
 *
 * Memory: the framework keeps definitions, and of events what `memory` of [pipeline] allows; the rest goes to temporary
 * files in TMPDIR (else /tmp), which have no names and vanish with the process. A reader keeps nothing by the event. */
#ifndef TCFLOW_SOURCE_H
#define TCFLOW_SOURCE_H

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <tcflow/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface has the version of filter.h, and the same rules. */
#define TCF_SOURCE_MAGIC 0x53464354u /* "TCFS" */

typedef struct tcf_source_host tcf_source_host;

/* One reading of one file. The framework makes it; a reader may write what `state` points to. */
typedef struct tcf_reader {
    const tcf_source_host *host;
    const char *path; /* the file or folder; of several, which are read one after another, the one at hand */
    const char *name; /* of the instance: its INI section */
    const void *conf; /* the parsed parameters */
    void *state;      /* tcf_source.state_size bytes, zeroed */
    void *framework;
} tcf_reader;

/* What probe() sees of a file. */
typedef struct tcf_probe {
    const char *path; /* of the file or folder */
    int is_folder;
    const unsigned char *first; /* its first bytes; of a file packed by gzip those of what is packed */
    size_t n;                   /* how many: up to 4,096, fewer only where the file is shorter; 0 for a folder */
} tcf_probe;

/* Is there something of this name in the folder? */
static inline int tcf_folder_has(const tcf_probe *probe, const char *name)
{
    char path[4096];
    struct stat about;
    const int n = snprintf(path, sizeof path, "%s/%s", probe->path, name);
    return probe->is_folder && n > 0 && (size_t)n < sizeof path && stat(path, &about) == 0;
}

/* Does the name of the file end so? Case counts; .gz behind it doesn't. */
static inline int tcf_name_ends(const tcf_probe *probe, const char *ending)
{
    size_t n = strlen(probe->path), m = strlen(ending);

    if (n > 3 && strcmp(probe->path + n - 3, ".gz") == 0)
        n -= 3;
    return n > m && strncmp(probe->path + n - m, ending, m) == 0;
}

typedef struct tcf_source {
    tcf_filter_head head; /* TCF_SOURCE_HEAD */
    const char *name;     /* [a-z][a-z0-9_]*, at most 48, of no filter; mandatory */
    const char *version;  /* of the reader; mandatory */
    const char *summary;  /* one line; mandatory */
    const char *help;     /* paragraphs for --describe */

    tcf_params params; /* what the user may set; parsed into self->conf, of conf_size bytes, before read() */
    size_t conf_size;
    size_t state_size; /* bytes of self->state */

    /* probe: is this file of the reader's format? 0: no. Else how sure that is: 1 by the name alone, 100 where the
     * first bytes leave no doubt. The reader that is surest reads it; of two the user has to choose. It looks at
     * nothing but `probe`, and of a folder at the names in it. Without it the reader is used where the settings name
     * it. */
    int (*probe)(const tcf_probe *probe);
    /* read: parses the whole file, and tells the host what it holds.
     *   When: once for each file of the input, before anything else of a run, with a `state` of zeros. */
    tcf_status (*read)(tcf_reader *self);
    /* fini: frees what read() has allocated.
     *   When: once, behind read(), also when that has failed. */
    void (*fini)(tcf_reader *self);
} tcf_source;

/* Starts the definition of a reader: TCF_SOURCE = { .head = TCF_SOURCE_HEAD, ... }; */
#define TCF_SOURCE_SYMBOL "tcflow_source"
#define TCF_SOURCE const tcf_source tcflow_source
#define TCF_SOURCE_HEAD                                                                                                \
    {                                                                                                                  \
        TCF_SOURCE_MAGIC, TCF_ABI_MAJOR, TCF_ABI_MINOR, sizeof(tcf_source), sizeof(tcf_param),                         \
            sizeof(tcf_named_column), sizeof(tcf_table_column), 0                                                      \
    }
extern __attribute__((visibility("default"))) const tcf_source tcflow_source;

/* ------------------------------------------------------------------------------------------------------ the host -- */

/* What a region is called, and what is done in it. Equal ones are one region.
 *
 * Paradigm and role decide what filters take its time for, and archives and streams keep both, so that a copy gives the
 * same answers. Role and paradigm of a region in which a thread
 *
 *     has nothing to do until work comes      TCF_ROLE_TASK_WAIT, user
 *     runs a piece of work that came to it    TCF_ROLE_TASK; it counts as that even where idle regions or MPI call it
 *     waits for other threads of its process  TCF_ROLE_TASK_WAIT, OpenMP
 *     waits for an accelerator                TCF_ROLE_THREAD_WAIT, CUDA or the like
 *     copies to or from an accelerator        TCF_ROLE_DATA_TRANSFER, CUDA or the like
 *
 * What is called from MPI, or from an idle region, is time there: nothing has to be stated of it. */
typedef struct tcf_region_name {
    const char *name;    /* mandatory */
    const char *file;    /* source file; NULL: unknown */
    uint32_t line;       /* in it; 0: unknown */
    uint8_t paradigm;    /* OTF2_Paradigm; 0: MPI for names that begin with MPI_ or PMPI_, else user */
    uint8_t role;        /* OTF2_RegionRole; 0: a function */
    uint8_t reserved[2]; /* 0 */
} tcf_region_name;

/* What the two ends of a message, or of a call that is told in two parts, have in common and with no other. */
typedef struct tcf_pair_key {
    uint64_t a, b;
} tcf_pair_key;

/* An end of a message, for formats that name the other side by its rank. */
typedef struct tcf_message {
    uint32_t communicator; /* of communicator() */
    uint32_t peer;         /* rank of the other side in it */
    uint32_t tag;
    uint8_t is_request;  /* 1: the call that posts it returns at once, and another one completes it (MPI_Isend) */
    uint8_t reserved[3]; /* 0 */
    uint64_t bytes;      /* 0: unknown; of a receive: sent, or the room for it */
    uint64_t posted;     /* when the call begins that sends or posts the receive */
    uint64_t completed;  /* when the call ends behind which it is complete; of a send without request: not used */
} tcf_message;

/* What a member does in a collective operation. */
typedef struct tcf_operation {
    uint32_t communicator;
    uint32_t root;           /* its rank; TCF_NONE for operations without a root */
    uint8_t operation;       /* OTF2_CollectiveOp */
    uint8_t is_request;      /* as of a message */
    uint8_t reserved[6];     /* 0 */
    uint64_t sent, received; /* bytes of this member; both 0: unknown */
    uint64_t begin, end;
} tcf_operation;

/* How the value of a counter is stored. */
typedef enum tcf_count_type { TCF_COUNT_UINT, TCF_COUNT_INT, TCF_COUNT_DOUBLE } tcf_count_type;

/* What a reader may ask of the framework, in read(). Times are ticks; those of a location may come in any order. Events
 * of equal time keep the order in which they come, but for call(). */
struct tcf_source_host {
    uint32_t size; /* grows with the minor version of the interface; a member beyond it isn't there */
    uint16_t abi_major, abi_minor;

    /* Prints a line, with the reader's name in front. */
    void (*log)(const tcf_reader *self, tcf_log_level level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Records why the file cannot be read and returns TCF_ERROR. */
    tcf_status (*fail)(const tcf_reader *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
    /* As fail(), for a mistake of the user's settings (exit status 2), e.g. a column that the file doesn't have. */
    tcf_status (*refuse)(const tcf_reader *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
    /* Is the run to end, since the user has interrupted it? Asked by every function of events as well, which then
     * fails. */
    int (*interrupted)(const tcf_reader *self);

    /* -- definitions; each returns a number, TCF_NONE after a failure -- */

    /* Ticks a second. Without it: 10^9. */
    tcf_status (*resolution)(tcf_reader *self, uint64_t ticks);
    /* A process. Its index in the trace follows from `place`, processes of the same place come as they were defined. */
    uint32_t (*process)(tcf_reader *self, uint64_t place, const char *name);
    /* A thread, or a stream of an accelerator, of a process; `place` within that. Calls of a location that overlap, so
     * that neither is inside of the other, go to further locations of the same process, made as they are needed. */
    uint32_t (*location)(tcf_reader *self, uint32_t process, uint64_t place, const char *name,
                         enum tcf_location_type type);
    /* Other names and another type, at any time; NULL: as before. */
    tcf_status (*rename_process)(tcf_reader *self, uint32_t process, const char *name);
    tcf_status (*rename_location)(tcf_reader *self, uint32_t location, const char *name, enum tcf_location_type type);
    uint32_t (*region)(tcf_reader *self, const tcf_region_name *region);
    /* A counter: name, and unit or NULL. Equal ones are one counter. */
    uint32_t (*counter)(tcf_reader *self, const char *name, const char *unit);
    /* What note() says: `name` is a kind of notes, as "instant". Equal ones are one kind. */
    uint32_t (*note_kind)(tcf_reader *self, const char *name);

    /* -- events -- */

    /* A call, which begins and ends. At one time the longer one counts as the outer one. Of a location with calls told
     * so other events stand behind the begins of calls at the same time. `end` before `begin` is an error. */
    tcf_status (*call)(tcf_reader *self, uint32_t location, uint64_t begin, uint64_t end, uint32_t region);
    /* The begin and the end of a call. TCF_NONE as the region of a leave: of the innermost open call. */
    tcf_status (*enter)(tcf_reader *self, uint32_t location, uint64_t time, uint32_t region);
    tcf_status (*leave)(tcf_reader *self, uint32_t location, uint64_t time, uint32_t region);
    /* A call as call(), told in two parts in any order. Of parts with one key the begin belongs to the next end,
     * innermost first. A part without the other is left out, and counted. */
    tcf_status (*begin)(tcf_reader *self, uint32_t location, uint64_t time, uint32_t region, tcf_pair_key key);
    tcf_status (*end)(tcf_reader *self, uint32_t location, uint64_t time, tcf_pair_key key);
    /* The value of a counter from this time on: an unsigned or signed number, or the bits of a double. */
    tcf_status (*count)(tcf_reader *self, uint32_t location, uint64_t time, uint32_t counter, tcf_count_type type,
                        uint64_t value);
    /* Something that takes no time. */
    tcf_status (*note)(tcf_reader *self, uint32_t location, uint64_t time, uint32_t kind, const char *text);
    /* The two ends of a message; `bytes` 0: unknown. Of ends with one key the k-th send belongs to the k-th receive; a
     * receive in front of its send belongs to none where both are threads of one process, so of one clock. Messages
     * within one location, and ends without the other, are left out, and counted. */
    tcf_status (*send)(tcf_reader *self, uint32_t location, uint64_t time, uint64_t bytes, uint32_t tag,
                       tcf_pair_key key);
    tcf_status (*receive)(tcf_reader *self, uint32_t location, uint64_t time, tcf_pair_key key);
    /* A place through which an arrow leads, for formats that don't say where it begins: of those with one key each but
     * the last in time is a send of a message to the next one. `ends`: the next one of this key begins another arrow;
     * an end of nothing is left out. Where a key has two places alone, in two processes, and the end is the first one,
     * wrong clocks have made it so, and it belongs to the other one.
     * `bytes` and `tag` are those of the message that is sent here. */
    tcf_status (*flow)(tcf_reader *self, uint32_t location, uint64_t time, uint64_t bytes, uint32_t tag, int ends,
                       tcf_pair_key key);
    /* Records of kinds that the reader doesn't know, which it leaves out; for the summary. */
    void (*left_out)(tcf_reader *self, uint64_t records);

    /* The events follow from samples: times of calls are those of samples, and calls between two of them aren't there.
     * All results say so. */
    tcf_status (*sampled)(tcf_reader *self);
    /* Where several files are one run, their keys are different, even where they are equal. This makes a key of parts
     * that find each other in other files, too, e.g. of a communicator, two ranks and a number. */
    tcf_pair_key (*across)(const tcf_reader *self, tcf_pair_key key);

    /* -- communication by ranks -- */

    /* A communicator; equal keys are one, so of several files a key is made by across(). `size`: of its members; 0:
     * unknown. `paradigm`: OTF2_Paradigm, MPI or that of an accelerator, whose streams are the members. */
    uint32_t (*communicator)(tcf_reader *self, tcf_pair_key key, const char *name, uint32_t size, uint8_t paradigm);
    /* The process has this rank in it; in front of its first message. Of an accelerator's paradigm the member is the
     * one location of the process that takes part in collective operations or messages. */
    tcf_status (*member)(tcf_reader *self, uint32_t communicator, uint32_t rank, uint32_t process);
    /* The k-th send of a communicator, sender, receiver and tag belongs to the k-th receive, by the times at which they
     * were posted. Where there are more of one than of the other, or a receive has less room than its send has bytes,
     * all of these four are left out, and counted. */
    tcf_status (*send_to)(tcf_reader *self, uint32_t location, const tcf_message *message);
    tcf_status (*receive_from)(tcf_reader *self, uint32_t location, const tcf_message *message);
    /* The k-th collective operation of a member, by begin, belongs to the k-th of the others. Where members are
     * missing, or have other operations, roots, sizes that cannot differ, or numbers of them, those of the communicator
     * are left out, and counted. */
    tcf_status (*collective)(tcf_reader *self, uint32_t location, const tcf_operation *operation);
};

/* The property of a trace whose events follow from samples; its value is "true". */
#define TCF_SAMPLED "TCFLOW::SAMPLED"

/* A key made of a text, e.g. a category and an id. */
static inline tcf_pair_key tcf_key_of_text(const char *text, size_t n)
{
    tcf_pair_key key = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};

    for (size_t i = 0; i < n; i++) {
        const uint64_t byte = (unsigned char)text[i];
        key.a = (key.a ^ byte) * 0x100000001b3u;
        key.b = (key.b ^ (key.b >> 29) ^ byte) * 0xbf58476d1ce4e5b9u;
    }
    return key;
}

#ifdef __cplusplus
}
#endif
#endif
