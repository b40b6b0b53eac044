/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Outputs of which each domain has one of its own: '{domain}' in a path stands for the domain's number, from 1 on. */
#ifndef TCFLOW_PRIVATE_DOMAIN_PATHS_H
#define TCFLOW_PRIVATE_DOMAIN_PATHS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TCF_DOMAIN_MARK "{domain}"

static inline int tcf_is_domain_path(const char *path)
{
    return strstr(path, TCF_DOMAIN_MARK) != NULL;
}

/* The path of a domain, by its index from 0 on, which the caller frees; a copy where the path has no mark. NULL: out of
 * memory. */
static inline char *tcf_domain_path(const char *path, uint32_t index)
{
    enum { MOST_DIGITS = 10 }; /* more than the mark has */
    size_t marks = 0;

    for (const char *at = path; (at = strstr(at, TCF_DOMAIN_MARK)); at += strlen(TCF_DOMAIN_MARK))
        marks++;
    char *made = malloc(strlen(path) + marks * MOST_DIGITS + 1), *to = made;
    for (const char *at; made && (at = strstr(path, TCF_DOMAIN_MARK)); path = at + strlen(TCF_DOMAIN_MARK)) {
        memcpy(to, path, (size_t)(at - path));
        to += at - path;
        to += sprintf(to, "%u", index + 1);
    }
    return made ? strcpy(to, path), made : NULL;
}

#endif
