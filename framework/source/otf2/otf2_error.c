/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Messages when an archive cannot be read: the likely reason why there is no anchor file, and libotf2's own.
 *
 * libotf2's messages are kept on the thread that caused them, innermost first, until otf2_fail() reports them. libotf2
 * has one callback a process; it is set while a source is open. Messages that no failure of ours follows (a plugin uses
 * libotf2) go to the log. */
#include "framework/base/error.h"
#include "framework/base/names.h"
#include "otf2_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 1024, MOST_MESSAGES = 2, NAME_BYTES = 256 };

static _Thread_local struct {
    char text[TEXT_BYTES];
    size_t length;
    unsigned n;
} messages;

/* Number of open sources; one thread opens and closes them. */
static int users;

static OTF2_ErrorCode keep_message(void *data, const char *file, uint64_t line, const char *function,
                                   OTF2_ErrorCode code, const char *format, va_list arguments)
{
    char text[512];
    int system_error = errno; /* preserved for libotf2's caller */

    (void)data, (void)file, (void)line, (void)function;
    if (format == NULL || vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    if (code == OTF2_WARNING || code == OTF2_DEPRECATED) {
        error_log(TCF_LOG_DEBUG, "libotf2: %s", text);
        errno = system_error;
        return code;
    }
    error_log(TCF_LOG_DEBUG, "libotf2: %s: %s", OTF2_Error_GetDescription(code), text);
    messages.n++;
    if (messages.length == 0) /* the innermost message has the kind of the error, later ones only the way up */
        messages.length = (size_t)snprintf(messages.text, sizeof messages.text, "%s%s%s",
                                           OTF2_Error_GetDescription(code), text[0] ? ": " : "", text);
    else if (messages.n <= MOST_MESSAGES && messages.length < sizeof messages.text && text[0])
        messages.length +=
            (size_t)snprintf(messages.text + messages.length, sizeof messages.text - messages.length, "; %s", text);
    errno = system_error;
    return code;
}

void otf2_errors_begin(void)
{
    if (users++ == 0)
        OTF2_Error_RegisterCallback(keep_message, NULL);
    otf2_errors_clear();
}

void otf2_errors_end(void)
{
    if (--users == 0)
        OTF2_Error_RegisterCallback(NULL, NULL);
}

void otf2_errors_clear(void)
{
    messages.length = messages.n = 0;
    messages.text[0] = '\0';
}

tcf_status otf2_fail(OTF2_ErrorCode code)
{
    error_fail("libotf2: %s", messages.length ? messages.text : OTF2_Error_GetDescription(code));
    otf2_errors_clear();
    return TCF_ERROR;
}

/* Copies a name without its ending. Returns 0 when it has another one, or nothing in front. */
static int without_ending(const char *name, const char *ending, char stem[NAME_BYTES])
{
    size_t n = strlen(name), m = strlen(ending);

    if (n <= m || strcmp(name + n - m, ending) != 0)
        return 0;
    snprintf(stem, NAME_BYTES, "%.*s", (int)(n - m), name);
    return 1;
}

/* Is there a file in the folder with this ending, whose name is like the word, if there is one? Its name without the
 * ending, in the caller's buffer; of several that are alike the nearest. */
static int find_ending(const char *folder, const char *ending, const char *word, char stem[NAME_BYTES])
{
    DIR *entries = opendir(folder);
    char other[NAME_BYTES];
    int found = 0;

    for (struct dirent *e; entries && !(found && !word) && (e = readdir(entries));) {
        const char *const both[] = {found ? stem : other, other};
        if (!without_ending(e->d_name, ending, other) || (word && nearest_name(word, both, 2) != other))
            continue;
        memcpy(stem, other, NAME_BYTES);
        found = 1;
    }
    if (entries)
        closedir(entries);
    return found;
}

tcf_status otf2_missing_anchor(const char *anchor)
{
    char folder[4096], here[4096], name[NAME_BYTES], word[NAME_BYTES];
    const char *slash = strrchr(anchor, '/');

    if (*anchor == '"' || *anchor == '\'')
        return error_fail("there is no such file: quotes count as part of the name, so leave them out");
    if (*anchor == '~')
        return error_fail("there is no such file: ~ is not expanded, ${HOME} is the home folder");
    if (strchr(anchor, '$'))
        return error_fail("there is no such file: a variable of the environment is written ${NAME}");
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - anchor) + 1 : 1, slash ? anchor : ".");
    const char *start = *anchor != '/' && getcwd(here, sizeof here) ? here : NULL;
    if (access(folder, F_OK) != 0)
        return error_fail("there is no folder '%s'%s%s%s", folder, start ? " in '" : "", start ? start : "",
                          start ? "', where relative names start" : "");
    if (!without_ending(slash ? slash + 1 : anchor, ".otf2", word))
        snprintf(word, sizeof word, "%s", slash ? slash + 1 : anchor);
    if (find_ending(folder, ".otf2", word, name))
        return error_fail("there is no such file, but there is '%s.otf2' in its folder", name);
    if (!find_ending(folder, ".otf2", NULL, name) && find_ending(folder, ".def", NULL, name))
        return error_fail(
            "there is no such file; an archive gets its anchor file at the end of its run and cannot be read before: "
            "to analyse a run while it goes on, use a stream (stream_write)");
    return error_fail("there is no such file%s%s%s", start ? "; relative names start in '" : "", start ? start : "",
                      start ? "'" : "");
}

/* Are there event files or definitions of locations, in the folder or in one in it? */
static int has_parts(const char *folder)
{
    char name[NAME_BYTES], inner[4096];
    int found = find_ending(folder, ".evt", NULL, name) || find_ending(folder, ".def", NULL, name);
    DIR *entries = found ? NULL : opendir(folder);

    for (struct dirent *e; entries && !found && (e = readdir(entries));) {
        if (*e->d_name == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", folder, e->d_name);
        found = find_ending(inner, ".evt", NULL, name) || find_ending(inner, ".def", NULL, name);
    }
    if (entries)
        closedir(entries);
    return found;
}

tcf_status otf2_folder_without_anchor(const char *folder)
{
    char name[NAME_BYTES], beside[4096];
    size_t n = strlen(folder);

    if (find_ending(folder, ".otf2", NULL, name))
        return error_fail("this is a folder with several anchor files; name one of them, such as %s/%s.otf2", folder,
                          name);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    snprintf(beside, sizeof beside, "%.*s.otf2", (int)n, folder);
    if (access(beside, F_OK) == 0)
        return error_fail("this folder has event files, but no anchor file; '%s' beside it is one", beside);
    if (has_parts(folder))
        return error_fail(
            "this is a folder without an anchor file (NAME.otf2), with parts of an archive; an archive gets "
            "its anchor file at the end of its run, which goes on or was broken off: without it nothing "
            "says what the parts mean");
    return error_fail("this is a folder without an anchor file (NAME.otf2)");
}
