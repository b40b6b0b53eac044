/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How filters write files: the extension TCF_OUTPUT_HOST of the host table, whose functions are those of
 * framework/base/output.h, where the rule stands. In any callback. */
#ifndef TCFLOW_PRIVATE_OUTPUT_HOST_H
#define TCFLOW_PRIVATE_OUTPUT_HOST_H

#include <tcflow/filter.h>

#define TCF_OUTPUT_HOST "output"

/* An output while it is written. */
typedef struct tcf_output {
    int fd;           /* the caller closes it */
    char *name;       /* the name under which it is written; the caller frees it */
    const char *path; /* the name that it gets, the caller's */
    int direct;       /* a device or pipe, which has this name already */
} tcf_output;

typedef struct tcf_output_host {
    tcf_status (*check)(const char *what, const char *path, int overwrite);
    tcf_status (*check_archive)(const char *what, const char *path, int overwrite);
    tcf_status (*open)(const char *what, const char *path, tcf_output *o);
    tcf_status (*publish)(const char *what, const tcf_output *o, int overwrite);
    tcf_status (*open_folder)(const char *what, const char *path, tcf_output *o);
    tcf_status (*publish_archive)(const char *what, const tcf_output *o, int overwrite, int all_by_libotf2);
} tcf_output_host;

static inline const tcf_output_host *tcf_output_host_of(const tcf_self *self)
{
    return (const tcf_output_host *)self->host->extension(self, TCF_OUTPUT_HOST);
}

#endif
