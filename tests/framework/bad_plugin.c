/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A plugin that can be spoilt in one way at a time; test_loader builds it with -DVARIANT. Unspoilt it is fine. */
#if defined FUNCTION || defined NUMBER || defined TEXT || defined SHORT
#define tcflow_filter declared_elsewhere /* the symbol is to be something else */
#endif
#include <tcflow/filter.h>
#undef tcflow_filter

#ifndef NAME
#define NAME "good"
#endif
#ifndef PARAM_SIZE
#define PARAM_SIZE sizeof(tcf_param)
#endif

static tcf_status nothing(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

#ifdef UNDEFINED
extern int tcflow_test_no_such_function(void);
int (*const refers)(void) = tcflow_test_no_such_function;
#endif
#ifdef UNDEFINED_LAZY /* only called, so that a lazy dlopen() would not notice */
extern int tcflow_test_no_such_function(void);
int calls(void)
{
    return tcflow_test_no_such_function();
}
#endif

struct conf {
    int64_t n;
};
static const tcf_param params[] = {
#ifdef BAD_PARAMETER
    {.key = "n", .type = TCF_INT, .offset = 4096, .default_value = "1", .help = "x"},
#elif defined RESERVED_PARAMETER
    {.key = "output", .type = TCF_INT, .default_value = "1", .help = "x"},
#else
    {.key = "n", .type = TCF_INT, .offset = offsetof(struct conf, n), .default_value = "1", .help = "x"},
#endif
};

#ifdef BAD_COLUMN
static const tcf_named_column columns[] = {{.name = "x", .bytes = 0}};
#endif
#ifndef SUMMARY
#define SUMMARY "A filter for tests"
#endif

#ifdef FUNCTION
__attribute__((visibility("default"))) int tcflow_filter(void);
int tcflow_filter(void)
{
    return nothing(NULL, NULL) + (int)params[0].offset;
}
#elif defined NUMBER
__attribute__((visibility("default"))) const int tcflow_filter = 1;
const void *const unused[] = {(const void *)nothing, params};
#elif defined TEXT
__attribute__((visibility("default"))) const char tcflow_filter[256] __attribute__((aligned(16))) = "no filter";
const void *const unused[] = {(const void *)nothing, params};
#elif defined SHORT /* the right head, but the struct behind it isn't there */
__attribute__((visibility("default"))) const struct {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t size;
    uint16_t sizes[4];
} tcflow_filter
    __attribute__((aligned(16))) = {TCF_MAGIC,
                                    TCF_ABI_MAJOR,
                                    TCF_ABI_MINOR,
                                    sizeof(tcf_filter),
                                    {sizeof(tcf_param), sizeof(tcf_named_column), sizeof(tcf_table_column), 0}};
const void *const unused[] = {(const void *)nothing, params};
#else

#ifdef NO_SYMBOL
#undef TCF_FILTER
#define TCF_FILTER __attribute__((visibility("default"))) const tcf_filter another_name
#endif

TCF_FILTER = {
    .head =
        {
            .magic =
#ifdef WRONG_MAGIC
                0x12345678,
#else
                TCF_MAGIC,
#endif
            .abi_major =
#ifdef OTHER_MAJOR
                TCF_ABI_MAJOR + 1,
#elif defined ABI_MAJOR
                ABI_MAJOR,
#else
                    TCF_ABI_MAJOR,
#endif
            .abi_minor =
#ifdef NEWER_MINOR
                NEWER_MINOR,
#else
                TCF_ABI_MINOR,
#endif
            .size =
#ifdef SIZE
                SIZE,
#else
                sizeof(tcf_filter),
#endif
            .param_size = PARAM_SIZE,
            .named_column_size = sizeof(tcf_named_column),
            .table_column_size = sizeof(tcf_table_column),
        },
    .name = NAME,
#ifndef NO_VERSION
    .version = "1.0",
#endif
    .summary = SUMMARY,
#ifdef UNCOUNTED_PARAMETERS
    .params = {params, 0},
#else
    .params = TCF_ROWS(params),
#endif
    .conf_size = sizeof(struct conf),
#if !defined NO_CALLBACK && !defined SPAN_ALONE
    .slice = nothing,
#endif
#if defined BOTH_CALLBACKS || defined SPAN_ALONE
    .span = (tcf_status(*)(tcf_self *, tcf_slice *, uint32_t, uint32_t))(void *)nothing,
#endif
#ifdef NEEDS
    .needs = NEEDS,
#endif
#ifdef CAN
    .can = CAN,
#endif
#ifdef WRITES
    .writes = WRITES,
#endif
#ifdef NUMBERS
    .numbers = NUMBERS,
#endif
#ifdef REQUIRED
    .required = REQUIRED,
#endif
#ifdef ARRIVE
    .arrive = (tcf_status(*)(tcf_self *, tcf_slice *))(void *)nothing,
#endif
#ifdef COMPLETE
    .collective_complete = (tcf_status(*)(tcf_self *, const tcf_collective *))(void *)nothing,
#endif
#ifdef MESSAGE_BYTES
    .message_bytes = MESSAGE_BYTES,
#endif
#ifdef BAD_COLUMN
    .provides = TCF_ROWS(columns),
#endif
#ifdef PACK
    .pack = (tcf_status(*)(tcf_self *, tcf_pack *))(void *)nothing,
#endif
#ifdef ABSORB
    .absorb = (tcf_status(*)(tcf_self *, tcf_pack *))(void *)nothing,
#endif
#ifdef ANSWERS_COME
    .answers_come = (tcf_status(*)(tcf_self *))(void *)nothing,
#endif
#ifdef GARBAGE_AT_END /* where a shorter struct of an older interface ends, anything may follow */
    .heartbeat = (tcf_status(*)(tcf_self *))(void *)nothing,
#endif
};
#endif
