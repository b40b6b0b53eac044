/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See confine.h. What a run may touch is what its parameters name: paths of type TCF_INPUT_PATH are read, those of type
 * TCF_OUTPUT_PATH are written. */
#include "confine.h"
#include "framework/base/error.h"
#include "framework/base/paths.h"
#include "framework/base/sandbox.h"
#include "framework/source/places.h"
#include "stages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void take_place(void *data, source_place place, const char *path)
{
    if (place == PLACE_READ)
        sandbox_reads(data, path);
    else
        sandbox_takes_sockets(data, place == PLACE_SOCKET ? AF_UNIX : AF_INET);
    if (place == PLACE_SOCKET)
        sandbox_writes(data, path);
}

static tcf_status take_input(void *data, const char *section, const char *key, const char *path)
{
    (void)section, (void)key;
    sandbox_reads(data, path);
    return TCF_OK;
}

static tcf_status take_output(void *data, const char *section, const char *key, const char *path)
{
    (void)section, (void)key;
    if (strncmp(path, "tcp:", 4) == 0) {
        sandbox_takes_sockets(data, AF_INET);
    } else if (strncmp(path, "unix:", 5) == 0) {
        sandbox_takes_sockets(data, AF_UNIX);
        sandbox_writes(data, path + 5);
    } else if (strcmp(path, "-") != 0) {
        sandbox_writes(data, path);
    }
    return TCF_OK;
}

static tcf_status take_paths(const tcf_params *table, const void *conf, sandbox *to)
{
    tcf_status status = params_each_path(table, TCF_INPUT_PATH, conf, "", take_input, to);
    return status == TCF_OK ? params_each_path(table, TCF_OUTPUT_PATH, conf, "", take_output, to) : status;
}

static tcf_status take_filters(const session *s, sandbox *to)
{
    tcf_status status = TCF_OK;

    for (const pipeline *p = s->first; p; p = p->next)
        for (uint32_t i = 0; i < p->n_instances && status == TCF_OK; i++) {
            const instance *f = &p->instances[i];
            status = take_paths(&f->filter->params, f->conf, to);
            if (status == TCF_OK && f->filter->can & TCF_CAN_REPORT)
                status = take_paths(&report_params, &f->report_conf, to);
        }
    return status;
}

static tcf_status take_all(const session *s, sandbox *to)
{
    char moved[PATHS_BYTES];
    tcf_status status = params_each_path(&pipeline_params, TCF_OUTPUT_PATH, &s->conf, "", take_output, to);

    sandbox_reads(to, paths_filters_d(moved)); /* what has the defaults of parameters, for results */
    if (s->conf.token && *s->conf.token)
        sandbox_reads(to, s->conf.token);
    if (status == TCF_OK && s->conf.input)
        status = source_each_place(s->conf.input, take_place, to);
    if (status == TCF_OK && s->format.format.source)
        status = take_paths(&s->format.format.source->params, s->format.conf, to);
    return status == TCF_OK ? take_filters(s, to) : status;
}

/* Why a process that could be restricted isn't, unless that is demanded; NULL: it is. */
static const char *what_is_in_the_way(const session *s)
{
    return s->peers ? "MPI, whose processes share memory and talk by sockets" : sandbox_is_in_the_way_of();
}

tcf_status session_confine(session *s)
{
    const char *other = what_is_in_the_way(s);

    if (s->conf.sandbox == SANDBOX_ON && s->peers)
        return error_usage("sandbox = on: not with %s; 'off' or 'auto' go without", other);
    if (s->conf.sandbox == SANDBOX_OFF || (s->conf.sandbox == SANDBOX_AUTO && other)) {
        snprintf(s->sandbox, sizeof s->sandbox, "no sandbox%s%s", s->conf.sandbox == SANDBOX_OFF ? "" : ", because of ",
                 s->conf.sandbox == SANDBOX_OFF ? "" : other);
        return TCF_OK;
    }
    sandbox *rules = sandbox_new();
    tcf_status status = rules ? take_all(s, rules) : error_fail("out of memory for the sandbox");
    if (status == TCF_OK)
        status = sandbox_enter(rules, s->conf.sandbox == SANDBOX_ON, s->sandbox, sizeof s->sandbox);
    sandbox_free(rules);
    if (status == TCF_OK)
        error_log(TCF_LOG_INFO, "%s", s->sandbox);
    return status;
}

tcf_status session_name_sandbox(const session *s)
{
    const char *const reasons[] = {strerror(EACCES), strerror(EPERM), strerror(EAFNOSUPPORT),
                                   "unable to open database file" /* SQLite's words for the first one */};

    for (size_t i = 0; i < TCF_COUNT(reasons) && strncmp(s->sandbox, "sandbox:", strlen("sandbox:")) == 0; i++)
        if (strstr(error_text(), reasons[i]))
            return error_while(
                "in a sandbox, which has the files that parameters of the type 'path' name, and starts no "
                "programs ('sandbox = off' in [pipeline] goes without)");
    return TCF_ERROR;
}
