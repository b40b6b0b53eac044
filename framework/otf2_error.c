/* libotf2's messages: kept on the thread that caused them, innermost first, until somebody reports a failure.
 *
 * libotf2 has one callback for the whole process, so it is set while a source is open, and messages that no failure
 * of ours follows (a plugin's use of libotf2) go to the log.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#include "error.h"
#include "otf2_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
