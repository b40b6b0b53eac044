/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Handles of the files of many locations: files stay open, up to a number that leaves room below the limit of open
 * files. Filters get the functions of framework/base/handles.h as the extension TCF_HANDLES_HOST of the host
 * table. In any callback but init. */
#ifndef TCFLOW_PRIVATE_HANDLES_HOST_H
#define TCFLOW_PRIVATE_HANDLES_HOST_H

#include <tcflow/filter.h>

#define TCF_HANDLES_HOST "handles"

typedef struct tcf_handles {
    struct tcf_open_file *files;
    uint32_t n, capacity;
    uint32_t free;   /* the first one of a list of places; UINT32_MAX: none */
    uint32_t random; /* takes part in which file is closed for another one */
} tcf_handles;

/* A filter asks for the table in init() already: the reader then leaves some of the files that may be open. */
typedef struct tcf_handles_host {
    int (*init)(tcf_handles *h, uint32_t locations, uint32_t shares, uint32_t eighths);
    void (*close_all)(tcf_handles *h);
    int (*find)(const tcf_handles *h, uint32_t location, uint32_t place);
    int (*open)(tcf_handles *h, uint32_t location, const char *path, int flags, uint32_t *place);
    int (*close)(tcf_handles *h, uint32_t location, uint32_t place);
} tcf_handles_host;

static inline const tcf_handles_host *tcf_handles_host_of(const tcf_self *self)
{
    return (const tcf_handles_host *)self->host->extension(self, TCF_HANDLES_HOST);
}

#endif
