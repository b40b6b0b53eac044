/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* libFuzzer's target for INI files and for the values of parameters: a file is parsed, and its sections are read with
 * the table of [pipeline] and with one that has every type of parameter. */
#include "framework/base/error.h"
#include "framework/settings/settings.h"

#include <stdio.h>
#include <stdlib.h>

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
    TCF_PARAM(struct conf, yes, TCF_BOOL, "no", "."),
    TCF_PARAM(struct conf, choice, TCF_ENUM, "a", ".", .choices = "a|b|see"),
    TCF_PARAM(struct conf, whole, TCF_INT, "0", ".", .min = "-10", .max = "1000000"),
    TCF_PARAM(struct conf, number, TCF_DOUBLE, "0", ".", .min = "-1e300"),
    TCF_PARAM(struct conf, size, TCF_SIZE, "0", ".", .max = "1TiB"),
    TCF_PARAM(struct conf, duration, TCF_DURATION, "1us", ".", .min = "0"),
    TCF_PARAM(struct conf, text, TCF_STRING, "", "."),
    TCF_PARAM(struct conf, path, TCF_OUTPUT_PATH, "", "."),
    TCF_PARAM(struct conf, list, TCF_LIST, "", ".", .min = "0", .max = "9"),
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    error_verbosity = TCF_LOG_ERROR;
    return 0;
}

/* What is refused has a reason. */
static void judge(int refused)
{
    if (refused && !*error_text())
        abort();
    error_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *stream = size > 0 ? fmemopen((void *)data, size, "r") : NULL;

    if (!stream)
        return 0;
    settings *s = settings_read(stream, "input");
    judge(!s);
    for (size_t i = 0; s && i < s->n_sections; i++) {
        struct conf conf = {0};
        string_store *storage = NULL;
        judge(settings_parse(&(tcf_params)TCF_ROWS(params), &conf, NULL, &s->sections[i], NULL, &storage) != TCF_OK);
        store_free(storage);
    }
    if (s) {
        pipeline_conf conf = {0};
        string_store *storage = NULL;
        judge(settings_pipeline(s, &conf, &storage) != TCF_OK);
        store_free(storage);
    }
    settings_free(s);
    fclose(stream);
    return 0;
}
