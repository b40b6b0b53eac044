/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How files with results are written, by the framework, by filters (private/output_host.h) and by the programs in
 * tools/. The rule for all of them:
 *
 * - An output is written under a name of its own beside PATH, and renamed to PATH when it is complete. That name is
 *   PATH.incomplete, or, if something has this name, the first free one of PATH.2.incomplete, PATH.3.incomplete, ... It
 *   is created anew, so nothing that exists is written to or removed, and no link is followed.
 * - What exists at PATH is replaced by the rename, and only where `overwrite` allows it.
 * - A complete output is on the disk before the rename, and its name after it: when the machine fails, there is the old
 *   file, the new one, or none, never a part.
 * - Whatever a run leaves that fails or is interrupted stays under its name. Streams and archives can be salvaged from
 *   there, into PATH itself.
 * - Devices and pipes are written to directly.
 *
 * Names are checked before the first event flows. */
#ifndef TCFLOW_FRAMEWORK_OUTPUT_H
#define TCFLOW_FRAMEWORK_OUTPUT_H

#include <private/output_host.h>

/* Opens standard files that are closed, so that no output or input gets their numbers, and with that the text that is
 * meant for them: reading and writing them fails as if they were closed. For the start of a program. */
void output_reserve_standard(void);
/* Is there something under this name that is neither a regular file nor a folder (a pipe, /dev/null)? */
int output_is_special(const char *path);
/* Do both names lead to the same file or folder, which is there? -1: nobody can say (errno). */
int output_is_same(const char *a, const char *b);
/* Can a file of this name be created? Refuses (error_usage()) a folder, an existing file unless `overwrite`, - for
 * standard output, and a folder without write permission. `what` names the file in messages: "output". Writes nothing.
 */
tcf_status output_check(const char *what, const char *path, int overwrite);
/* Likewise of the folder of an archive: only an archive is replaced, or an empty folder. */
tcf_status output_check_archive(const char *what, const char *path, int overwrite);
/* Creates a file, empty; no other output takes its name for free while it is open. */
tcf_status output_open(const char *what, const char *path, tcf_output *o);
/* Likewise an empty folder; `fd` is its descriptor. */
tcf_status output_open_folder(const char *what, const char *path, tcf_output *o);
/* Syncs and renames a complete file, whose descriptor may be closed. Without `overwrite` a file that has appeared at
 * PATH meanwhile stays, and the call fails. */
tcf_status output_publish(const char *what, const tcf_output *o, int overwrite);
/* Likewise a folder with an archive that is closed. `all_by_libotf2`: it has written all files, not only those beside
 * the anchor and snapshots; libotf2 tells nobody when the end of a file can't be written, so that is looked at. What
 * lies in a replaced folder besides the archive stays, in PATH.old (PATH.2.old, ...), and a message says so. */
tcf_status output_publish_archive(const char *what, const tcf_output *o, int overwrite, int all_by_libotf2);
/* Removes the files of an archive, complete or not, and its folder. TCF_HELD: something else lies there, which stays;
 * TCF_ERROR: errno says why. */
tcf_status output_remove_archive(const char *folder);

extern const tcf_output_host output_host;

/* For output_archive.c. Can a folder be created beside PATH? */
tcf_status output_check_folder(const char *what, const char *path);
/* PATH.SUFFIX for the number 1, else PATH.NUMBER.SUFFIX, without slashes behind PATH; to be freed. NULL: out of memory.
 */
char *output_name_beside(const char *path, int number, const char *suffix);
/* Has what is in an output on the disk: in a file, or in all of a folder. */
tcf_status output_sync(const char *what, const tcf_output *o);
/* Has the name of a file or folder on the disk. */
void output_sync_name(const char *path);

/* A kind of file with the results of a whole run: a regular file, which may replace only a file of its kind. */
typedef struct output_kind {
    const char *key;    /* key in [pipeline], and name in messages: "database" */
    const char *like;   /* "SQLite database" */
    const char *start;  /* first bytes of such a file */
    size_t start_bytes; /* at most 64 */
} output_kind;

/* As output_check(); also refuses devices, and to replace a file of another kind. */
tcf_status output_check_kind(const output_kind *kind, const char *path, int overwrite);

#endif
