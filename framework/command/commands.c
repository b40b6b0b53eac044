/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See commands.h. A new command is a row in the table; its pipeline is a file in presets/. */
#include "commands.h"
#include "framework/base/error.h"
#include "framework/base/names.h"
#include "framework/base/paths.h"
#include "framework/settings/settings.h"

#include <dirent.h>
#include <errno.h>
#include <private/passing_errors.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

const command_row commands[] = {
    {"info", "TRACE", "what the trace is: size, duration, processes, clocks, regions; also without `info`", NULL, NULL,
     NULL, NULL},
    {"check", "TRACE [OUT]", "is it sane? violated order, lost messages, unbalanced regions", "check", NULL, NULL,
     NULL},
    {"correct", "TRACE [OUT]", "repair its clocks, and write it into the folder OUT (corrected)", "correct", NULL,
     "otf2_write.path", "corrected"},
    {"waits", "TRACE [OUT]", "where the program waits, and for whom", "waits", NULL, NULL, NULL},
    {"causes", "TRACE [OUT]", "why it waits", "causes", NULL, NULL, NULL},
    {"report", "TRACE [OUT]", "all of it on one page, OUT (report.html)", "report", NULL, "pipeline.html_report", NULL},
    {"top", "TRACE", "what its processes do, live, in the terminal: starts tcflow-top", NULL, "-top", NULL, NULL},
    {"diff", "OLD NEW ...", "what has changed between runs: starts tcflow-diff", NULL, "-diff", NULL, NULL},
    {"scaling", "TRACE TRACE ...", "what keeps the program from scaling: starts tcflow-scaling", NULL, "-scaling", NULL,
     NULL},
};
const size_t n_commands = TCF_COUNT(commands);

const command_row *command_named(const char *name)
{
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

const char *command_output_key(const char *path)
{
    static const char *const keys[][2] = {{".sqlite", "pipeline.database"},
                                          {".db", "pipeline.database"},
                                          {".html", "pipeline.html_report"}};
    const char *ending = strrchr(path, '.');

    for (size_t i = 0; ending && i < TCF_COUNT(keys); i++)
        if (strcasecmp(ending, keys[i][0]) == 0)
            return keys[i][1];
    return NULL;
}

tcf_status command_unknown(const char *word)
{
    const char *known[TCF_COUNT(commands)];

    for (size_t i = 0; i < n_commands; i++)
        known[i] = commands[i].name;
    const char *near = nearest_name(word, known, n_commands);
    if (near)
        return error_usage("'%s' is neither a command nor a trace; did you mean '%s'?", word, near);
    return error_usage("'%s' is neither a command nor a trace; a filter runs by -i TRACE -o pipeline.chain=NAME, a "
                       "settings file by -c FILE, "
                       "and tcflow --help lists the commands",
                       word);
}

/* ------------------------------------------------------------------------------------------------------- presets -- */

int preset_path(const char *name, char path[PRESET_BYTES])
{
    char moved[PATHS_BYTES];
    struct stat st;

    if (!valid_name(name, 0))
        return 0;
    snprintf(path, PRESET_BYTES, "%s/%s.ini", paths_presets(moved), name);
    if (stat(path, &st) == 0)
        return S_ISREG(st.st_mode);
    if (tcf_error_is_passing(errno)) {
        error_fail("the preset '%s' cannot be looked at: %s", path, strerror(errno));
        return -1;
    }
    return 0;
}

enum { LINE_BYTES = 1024 };

static int is_licence(const char *line)
{
    return strncmp(line, "; SPDX-", 7) == 0;
}

/* The first comment behind the licence. */
static tcf_status read_first_line(const char *path, char line[LINE_BYTES])
{
    FILE *in = fopen(path, "re");

    line[0] = '\0';
    while (in && fgets(line, LINE_BYTES, in) && is_licence(line))
        ;
    line[strcspn(line, "\n")] = '\0';
    const int failed = !in || ferror(in), reason = errno;
    if (in)
        fclose(in);
    return failed ? error_fail("the preset '%s' cannot be read: %s", path, strerror(reason)) : TCF_OK;
}

static int is_ini(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && strcmp(dot, ".ini") == 0;
}

tcf_status presets_each(tcf_status (*each)(void *data, const char *name, const char *path, const char *first),
                        void *data)
{
    char moved[PATHS_BYTES], path[PRESET_BYTES], first[LINE_BYTES];
    const char *folder = paths_presets(moved);
    struct dirent **files;
    int n = scandir(folder, &files, is_ini, alphasort);
    tcf_status status = TCF_OK;

    if (n < 0)
        return error_fail("the folder of presets '%s' cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        *strrchr(files[i]->d_name, '.') = '\0';
        if (status == TCF_OK)
            status = read_first_line(path, first);
        if (status == TCF_OK)
            status = each(data, files[i]->d_name, path, first + strspn(first, "; "));
        free(files[i]);
    }
    free(files);
    return status;
}

/* The preset that is meant by a word. */
struct meant {
    const char *word;
    char name[64]; /* empty: none so far */
};

static tcf_status is_meant(void *data, const char *name, const char *path, const char *first)
{
    struct meant *m = data;
    (void)path, (void)first;
    if (!m->name[0] && nearest_name(m->word, &name, 1))
        snprintf(m->name, sizeof m->name, "%s", name);
    return TCF_OK;
}

tcf_status preset_unknown(const char *word)
{
    struct meant m = {.word = word};

    if (presets_each(is_meant, &m) != TCF_OK)
        return TCF_ERROR;
    if (m.name[0])
        return error_usage("there is neither a file nor a preset '%s'; did you mean '%s'?", word, m.name);
    return error_usage("there is neither a file nor a preset '%s' (tcflow --list-presets)", word);
}

static tcf_status put_preset(void *data, const char *name, const char *path, const char *first)
{
    (void)path;
    fprintf(data, "  %-10s %s\n", name, first);
    return TCF_OK;
}

tcf_status presets_list(FILE *out)
{
    char moved[PATHS_BYTES];

    fprintf(out, "Presets in %s, for -c NAME (tcflow -c NAME --show-ini prints one):\n\n", paths_presets(moved));
    return presets_each(put_preset, out);
}

tcf_status preset_show(FILE *out, const char *path)
{
    FILE *in = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;

    if (!in)
        return error_usage("%s: cannot open the settings: %s", path, strerror(errno));
    while (getline(&line, &size, in) >= 0)
        if (!is_licence(line))
            fputs(line, out);
    const int failure = feof(in) ? 0 : errno;
    free(line);
    fclose(in);
    return failure ? error_fail("%s: cannot read the settings: %s", path, strerror(failure)) : TCF_OK;
}
