/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for INI files and for the values of parameters: a file is parsed, and its sections are read with
 * the table of [pipeline] and with one that has every type of parameter. */
#include "framework/base/error.h"
#include "framework/settings/settings.h"

#include <stdio.h>

struct conf {
    int yes, choice;
    int64_t whole;
    double number;
    uint64_t size;
    tcf_duration duration;
    const char *text, *path;
    tcf_list list;
};

static const tcf_param params[] = {
    {"yes", TCF_BOOL, offsetof(struct conf, yes), "no", NULL, NULL, NULL, NULL, "."},
    {"choice", TCF_ENUM, offsetof(struct conf, choice), "a", NULL, NULL, NULL, "a|b|see", "."},
    {"whole", TCF_INT, offsetof(struct conf, whole), "0", "-10", "1000000", NULL, NULL, "."},
    {"number", TCF_DOUBLE, offsetof(struct conf, number), "0", "-1e300", NULL, NULL, NULL, "."},
    {"size", TCF_SIZE, offsetof(struct conf, size), "0", NULL, "1TiB", NULL, NULL, "."},
    {"duration", TCF_DURATION, offsetof(struct conf, duration), "1us", "0", NULL, NULL, NULL, "."},
    {"text", TCF_STRING, offsetof(struct conf, text), "", NULL, NULL, NULL, NULL, "."},
    {"path", TCF_OUTPUT_PATH, offsetof(struct conf, path), "", NULL, NULL, NULL, NULL, "."},
    {"list", TCF_LIST, offsetof(struct conf, list), "", "0", "9", NULL, NULL, "."},
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *stream = size > 0 ? fmemopen((void *)data, size, "r") : NULL;

    if (!stream)
        return 0;
    settings *s = settings_read(stream, "input");
    for (size_t i = 0; s && i < s->n_sections; i++) {
        struct conf conf = {0};
        string_store *storage = NULL;
        (void)settings_parse(&(tcf_params)TCF_ROWS(params), &conf, NULL, &s->sections[i], NULL, &storage);
        store_free(storage);
    }
    if (s) {
        pipeline_conf conf = {0};
        string_store *storage = NULL;
        (void)settings_pipeline(s, &conf, &storage);
        store_free(storage);
    }
    settings_free(s);
    error_clear();
    fclose(stream);
    return 0;
}
