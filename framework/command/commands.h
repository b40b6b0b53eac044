/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Commands, `tcflow waits TRACE [OUT]`, and the pipelines behind them, presets, which -c finds by name, too. One table
 * has the commands; --help, completion and the tests read what it says. */
#ifndef TCFLOW_FRAMEWORK_COMMANDS_H
#define TCFLOW_FRAMEWORK_COMMANDS_H

#include <stdio.h>
#include <tcflow/filter.h>

typedef struct command_row {
    const char *name;
    const char *arguments; /* for --help: "TRACE [OUT]" */
    const char *help;
    const char *preset; /* its pipeline; NULL: the command has none */
    const char *ending; /* of the program "tcflow..." beside this one that does it; NULL: this one does */
    const char *out;    /* the key that OUT sets; NULL: that goes by its ending, see command_output_key() */
    const char *folder; /* that it writes without OUT; NULL: none */
} command_row;

extern const command_row commands[];
extern const size_t n_commands;

/* The command of this name; NULL: there is none. */
const command_row *command_named(const char *name);
/* The key of [pipeline] that an output of this name belongs to; NULL: no ending that says so. */
const char *command_output_key(const char *path);
/* Fails with error_usage(): the word is neither a command nor a trace. */
tcf_status command_unknown(const char *word);

enum { PRESET_BYTES = 8192 };
/* Writes the path of a preset's file. Returns 1 where there is one of this name, 0 where there is none, -1 for an
 * error. */
int preset_path(const char *name, char path[PRESET_BYTES]);
/* Calls each(data, name, path, first line) for all presets, by name, up to the first failure. */
tcf_status presets_each(tcf_status (*each)(void *data, const char *name, const char *path, const char *first),
                        void *data);
/* Refuses a word that is neither a file nor a preset, and says what it is near to. */
tcf_status preset_unknown(const char *word);
/* Prints names and first lines of all presets. */
tcf_status presets_list(FILE *out);
/* Prints a settings file without the lines of its licence. */
tcf_status preset_show(FILE *out, const char *path);

#endif
