/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is told when an archive cannot be read: where an anchor file is missing, and libotf2's messages.
 *
 * These are kept on the thread that caused them, innermost first, until somebody reports a failure.
 *
 * libotf2 has one callback for the whole process, so it is set while a source is open, and messages that no failure
 * of ours follows (a plugin's use of libotf2) go to the log. */
#include "framework/base/error.h"
#include "otf2_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 1024 };

static _Thread_local struct {
    char text[TEXT_BYTES];
    size_t length;
} said;

/* Set and cleared where sources are opened and closed: by one thread. */
static int users;

static OTF2_ErrorCode keep_message(void *data, const char *file, uint64_t line, const char *function,
                                   OTF2_ErrorCode code, const char *format, va_list arguments)
{
    char text[512];
    int system_error = errno; /* whoever called libotf2 may want to know */

    (void)data, (void)file, (void)line, (void)function;
    if (format == NULL || vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    if (code == OTF2_WARNING || code == OTF2_DEPRECATED) {
        tcf_log(TCF_LOG_DEBUG, "libotf2: %s", text);
        errno = system_error;
        return code;
    }
    tcf_log(TCF_LOG_DEBUG, "libotf2: %s: %s", OTF2_Error_GetDescription(code), text);
    if (said.length == 0) /* the innermost reason has the error's kind, what follows only says where it passed */
        said.length = (size_t)snprintf(said.text, sizeof said.text, "%s%s%s", OTF2_Error_GetDescription(code),
                                       text[0] ? ": " : "", text);
    else if (said.length < sizeof said.text && text[0])
        said.length += (size_t)snprintf(said.text + said.length, sizeof said.text - said.length, "; %s", text);
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
    said.length = 0;
    said.text[0] = '\0';
}

tcf_status otf2_fail(OTF2_ErrorCode code)
{
    tcf_fail("libotf2: %s", said.length ? said.text : OTF2_Error_GetDescription(code));
    otf2_errors_clear();
    return TCF_ERROR;
}

/* Is there something in the folder whose name ends so? Its name, in a buffer of the caller's, or NULL. */
static const char *find_ending(const char *folder, const char *ending, char *name, size_t capacity)
{
    DIR *entries = opendir(folder);
    const char *found = NULL;

    for (struct dirent *e; entries && !found && (e = readdir(entries));) {
        size_t n = strlen(e->d_name), m = strlen(ending);
        if (n > m && strcmp(e->d_name + n - m, ending) == 0) {
            snprintf(name, capacity, "%s", e->d_name);
            found = name;
        }
    }
    if (entries)
        closedir(entries);
    return found;
}

tcf_status otf2_missing_anchor(const char *anchor)
{
    char folder[4096], here[4096], name[256];
    const char *slash = strrchr(anchor, '/');

    if (*anchor == '"' || *anchor == '\'')
        return tcf_fail("there is no such file: quotes are taken as part of the name, so leave them away");
    if (*anchor == '~')
        return tcf_fail("there is no such file: ~ stands for nothing here, ${HOME} is the home folder");
    if (strchr(anchor, '$'))
        return tcf_fail("there is no such file: a variable of the environment is written ${NAME}");
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - anchor) + 1 : 1, slash ? anchor : ".");
    const char *start = *anchor != '/' && getcwd(here, sizeof here) ? here : NULL;
    if (access(folder, F_OK) != 0)
        return tcf_fail("there is no folder '%s'%s%s%s", folder, start ? " in '" : "", start ? start : "",
                        start ? "', from where names are taken that don't begin with /" : "");
    if (find_ending(folder, ".otf2", name, sizeof name))
        return tcf_fail("there is no such file, but there is '%s' in its folder", name);
    if (find_ending(folder, ".def", name, sizeof name))
        return tcf_fail(
            "there is no such file; an archive that is still being written has no anchor file yet, and cannot "
            "be followed: what is to be looked at while it grows must come as a stream (stream_write)");
    return tcf_fail("there is no such file%s%s%s", start ? "; names that don't begin with / are taken from '" : "",
                    start ? start : "", start ? "'" : "");
}
