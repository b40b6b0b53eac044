/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See formats.h. Of a file all readers get to see the first bytes, unpacked where it is packed by gzip. */
#include "formats.h"
#include "framework/base/error.h"
#include "framework/source/open.h"

#include <errno.h>
#include <private/passing_errors.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { PROBE_BYTES = 4096 };

/* Reads the first bytes of a file. Returns why that cannot be; 0: it can, or what is packed is damaged, which its
 * reader tells. */
static int read_first(const char *path, unsigned char *first, size_t *n)
{
    errno = 0;
    gzFile file = gzopen(path, "rb");
    if (!file)
        return errno ? errno : ENOMEM;
    const int read = gzread(file, first, PROBE_BYTES);
    int reason = errno, kind;
    gzerror(file, &kind);
    if (kind != Z_ERRNO)
        reason = 0;
    gzclose(file);
    *n = read > 0 ? (size_t)read : 0;
    return reason;
}

/* What does not exist is left to whoever opens it: *probe has no bytes then. */
static tcf_status look_at(const char *path, unsigned char *first, tcf_probe *probe)
{
    struct stat st;

    *probe = (tcf_probe){.path = path, .first = first};
    if (stat(path, &st) != 0)
        return tcf_error_is_passing(errno) ? error_fail("'%s' cannot be looked at: %s", path, strerror(errno)) : TCF_OK;
    probe->is_folder = S_ISDIR(st.st_mode);
    const int reason = S_ISREG(st.st_mode) ? read_first(path, first, &probe->n) : 0;
    return reason ? error_fail("'%s' cannot be read: %s", path, strerror(reason)) : TCF_OK;
}

/* The reader that is surest; NULL: none knows the file, or (*other is set) two are as sure. */
static const tcf_source *surest(const loader *l, const tcf_probe *probe, const tcf_source **other)
{
    size_t n;
    const plugin *plugins = loader_plugins(l, &n);
    const tcf_source *best = NULL;
    int most = 0;

    *other = NULL;
    for (size_t i = 0; i < n; i++) {
        const tcf_source *s = plugins[i].source;
        const int sure = s && s->probe ? s->probe(probe) : 0;
        if (sure > 0 && sure == most)
            *other = s;
        if (sure <= most)
            continue;
        best = s;
        most = sure;
        *other = NULL;
    }
    return best;
}

static tcf_status probe_one(format_choice *format, loader *l, const char *input)
{
    unsigned char first[PROBE_BYTES] = {0};
    tcf_probe probe;
    const tcf_source *other;

    if (look_at(input, first, &probe) != TCF_OK)
        return TCF_ERROR;
    if (!probe.is_folder && probe.n == 0)
        return TCF_OK;
    if (loader_open_but_ini(l) != TCF_OK)
        return TCF_ERROR;
    format->format.source = surest(l, &probe, &other);
    format->is_unknown = !format->format.source;
    if (other)
        return error_usage("both '%s' and '%s' know the format of '%s': choose one of them by source in [pipeline]",
                           format->format.source->name, other->name, input);
    return TCF_OK;
}

/* Several files are of one format. */
static tcf_status probe_all(format_choice *format, loader *l, const char *input)
{
    const tcf_source *first = NULL;
    char *names = source_names_files(input) ? strdup(input) : NULL, *rest = names;
    tcf_status status = TCF_OK;

    if (!names)
        return source_names_files(input) ? error_fail("out of memory") : probe_one(format, l, input);
    for (char *word; status == TCF_OK && (word = strtok_r(rest, SOURCE_BLANKS, &rest));) {
        status = probe_one(format, l, word);
        const tcf_source *its = format->format.source;
        if (status == TCF_OK && !its)
            status =
                error_usage("no reader knows the format of '%s' (tcflow --list-sources); several inputs are either "
                            "archives and streams, or files of one format",
                            word);
        else if (status == TCF_OK && first && first != its)
            status =
                error_usage("the files of one run are of one format, but '%s' knows that of '%s', and '%s' that of "
                            "the files before",
                            its->name, word, first->name);
        first = its;
    }
    free(names);
    return status;
}

/* `source` names an instance: a section with `source = READER`, or else the reader itself. */
static tcf_status find_named(format_choice *format, loader *l, const settings *s, const char *instance)
{
    const settings_entry *entry = settings_entry_of(settings_find(s, instance), "source");

    format->format.source = loader_find_source(l, entry ? entry->value : instance);
    return format->format.source ? TCF_OK : TCF_ERROR;
}

static tcf_status parse(format_choice *format, const settings *s)
{
    static const char *const ignore[] = {"source", NULL};
    const tcf_source *reader = format->format.source;
    settings *defaults = NULL;

    if (!(format->conf = calloc(1, reader->conf_size + 1)))
        return error_fail("out of memory for the reader '%s'", reader->name);
    format->format.conf = format->conf;
    if (settings_defaults(reader->name, &defaults) != TCF_OK)
        return TCF_ERROR;
    tcf_status status =
        settings_parse(&reader->params, format->conf, defaults ? settings_find(defaults, reader->name) : NULL,
                       settings_find(s, format->format.instance), ignore, &format->storage);
    settings_free(defaults);
    return status;
}

tcf_status format_choose(format_choice *format, loader *l, const settings *s, const pipeline_conf *conf)
{
    const int is_named = strcmp(conf->source, "auto") != 0;

    if (!conf->input)
        return TCF_OK;
    if (is_named && (source_names_stream(conf->input) || source_names_several(conf->input)))
        return error_usage("source = %s reads files, and the input is '%s'", conf->source, conf->input);
    if (!is_named && (source_names_stream(conf->input) || source_names_archive(conf->input)))
        return TCF_OK;
    if ((is_named ? find_named(format, l, s, conf->source) : probe_all(format, l, conf->input)) != TCF_OK)
        return TCF_ERROR;
    if (!format->format.source)
        return TCF_OK;
    format->format.instance = is_named ? conf->source : format->format.source->name;
    return parse(format, s);
}

void format_free(format_choice *format)
{
    free(format->conf);
    store_free(format->storage);
}
