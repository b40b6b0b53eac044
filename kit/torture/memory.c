/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the plugin does with memory: allocations that its own code makes, by the address that they return to, and its
 * variables. malloc() and the like of this file stand in front of libc's for the whole process, which is why their
 * table is one for the process. Where sanitizers are built in, or libc is not glibc, nothing is watched. */
#define _GNU_SOURCE /* dl_iterate_phdr() */
#include "torture.h"

#include <dirent.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* ---------------------------------------------------------------------------------------------------- the object -- */

struct object {
    uintptr_t address; /* in: somewhere in it */
    uintptr_t base, from, to;
    struct {
        uintptr_t at;
        size_t bytes;
    } writable[4];
    uint32_t n_writable;
    uintptr_t relro_from, relro_to;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct object *o = data;
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && at < from)
            from = at;
        if (p->p_type == PT_LOAD && at + p->p_memsz > to)
            to = at + p->p_memsz;
    }
    if (o->address < from || o->address >= to)
        return 0;
    o->base = info->dlpi_addr;
    o->from = from;
    o->to = to;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_RELRO) {
            o->relro_from = at;
            o->relro_to = at + p->p_memsz;
        }
        if (p->p_type == PT_LOAD && p->p_flags & PF_W && o->n_writable < 4) {
            o->writable[o->n_writable].at = at;
            o->writable[o->n_writable++].bytes = p->p_memsz;
        }
    }
    return 1;
}

static struct object object_of(const void *address)
{
    struct object o = {.address = (uintptr_t)address};
    dl_iterate_phdr(look, &o);
    return o;
}

/* ----------------------------------------------------------------------------------------------------- variables -- */

struct variables {
    struct object object;
    unsigned char *copy[4];
};

variables *variables_copy(const void *address)
{
    variables *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->object = object_of(address);
    for (uint32_t i = 0; i < v->object.n_writable; i++)
        if ((v->copy[i] = malloc(v->object.writable[i].bytes + 1)))
            memcpy(v->copy[i], (const void *)v->object.writable[i].at, v->object.writable[i].bytes);
    return v;
}

int variables_changed(const variables *v, uint64_t *at)
{
    for (uint32_t i = 0; v && i < v->object.n_writable; i++) {
        const unsigned char *now = (const unsigned char *)v->object.writable[i].at;
        for (size_t k = 0; v->copy[i] && k < v->object.writable[i].bytes; k++) {
            uintptr_t place = (uintptr_t)(now + k);
            if (now[k] != v->copy[i][k] && (place < v->object.relro_from || place >= v->object.relro_to)) {
                *at = place - v->object.base;
                return 1;
            }
        }
    }
    return 0;
}

void variables_free(variables *v)
{
    for (uint32_t i = 0; v && i < 4; i++)
        free(v->copy[i]);
    free(v);
}

unsigned open_files(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    errno = 0;
    while (d && readdir(d))
        n++;
    const int failed = errno != 0;
    if (d)
        closedir(d);
    return failed ? 0 : n;
}

/* --------------------------------------------------------------------------------------------------- allocations -- */

enum { SLOTS = 1 << 17 };

static struct {
    struct {
        uintptr_t from, to;
    } own[2];                 /* this program, and the C library */
    uint32_t *want;           /* set to 1 where one of these gets no memory; NULL: nobody asks */
    uintptr_t from, to, base; /* the object; 0: nothing is watched */
    uint64_t fail_at;
    uint64_t bytes; /* that are allocated */
    memory_result result;
    struct {
        void *p; /* NULL: free */
        uint64_t bytes, from;
    } live[SLOTS];
} memory;

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !__has_feature(address_sanitizer)
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *p, size_t bytes);
extern void __libc_free(void *p);

static size_t slot_of(const void *p)
{
    return (size_t)(((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
}

static int watched(const void *caller)
{
    return (uintptr_t)caller >= memory.from && (uintptr_t)caller < memory.to;
}

/* 1: this allocation is to fail. */
static int fails(const void *caller)
{
    if (!watched(caller) || ++memory.result.allocations != memory.fail_at)
        return 0;
    memory.result.failed_at = (uintptr_t)caller - memory.base;
    errno = ENOMEM;
    return 1;
}

static void note_want(const void *caller)
{
    for (int i = 0; memory.want && i < 2; i++)
        if ((uintptr_t)caller >= memory.own[i].from && (uintptr_t)caller < memory.own[i].to)
            *memory.want = 1;
}

static void *note(void *p, size_t bytes, const void *caller)
{
    if (!p && bytes > 0)
        note_want(caller);
    if (!p || !watched(caller))
        return p;
    for (size_t i = slot_of(p), k = 0; k < 64; i = (i + 1) % SLOTS, k++)
        if (!memory.live[i].p) {
            memory.live[i].p = p;
            memory.live[i].bytes = bytes;
            memory.live[i].from = (uintptr_t)caller - memory.base;
            memory.bytes += bytes;
            if (memory.bytes > memory.result.most_bytes)
                memory.result.most_bytes = memory.bytes;
            break;
        }
    return p;
}

static void forget(const void *p)
{
    if (!memory.to || !p)
        return;
    for (size_t i = slot_of(p), k = 0; k < 64; i = (i + 1) % SLOTS, k++)
        if (memory.live[i].p == p) {
            memory.live[i].p = NULL;
            memory.bytes -= memory.live[i].bytes;
            return;
        }
}

#define PUBLIC __attribute__((visibility("default")))

PUBLIC void *malloc(size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : note(__libc_malloc(bytes), bytes, caller);
}

PUBLIC void *calloc(size_t n, size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : note(__libc_calloc(n, bytes), n * bytes, caller);
}

PUBLIC void *realloc(void *p, size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    if (fails(caller))
        return NULL;
    void *q = __libc_realloc(p, bytes);
    if (q || bytes == 0)
        forget(p);
    return note(q, bytes, caller);
}

PUBLIC void free(void *p)
{
    forget(p);
    __libc_free(p);
}

PUBLIC char *strdup(const char *text)
{
    const void *caller = __builtin_return_address(0);
    size_t bytes = strlen(text) + 1;
    if (fails(caller))
        return NULL;
    char *p = note(__libc_malloc(bytes), bytes, caller);
    return p ? memcpy(p, text, bytes) : NULL;
}

int memory_watched(void)
{
    return 1;
}
#else
int memory_watched(void)
{
    return 0;
}
#endif

void memory_tell_want(uint32_t *want)
{
    const void *const in[] = {(const void *)memory_watched, stdout};

    for (int i = 0; i < 2; i++) {
        struct object o = object_of(in[i]);
        memory.own[i].from = o.from;
        memory.own[i].to = o.to;
    }
    memory.want = want;
}

void memory_start(const void *address, uint64_t fail_at)
{
    struct object o = object_of(address);
    memset(&memory.result, 0, sizeof memory.result);
    memset(memory.live, 0, sizeof memory.live);
    memory.fail_at = fail_at;
    memory.bytes = 0;
    memory.base = o.base;
    memory.from = o.from;
    memory.to = o.to;
}

memory_result memory_stop(void)
{
    memory.from = memory.to = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (memory.live[i].p) {
            memory.result.leaks++;
            memory.result.leaked_bytes += memory.live[i].bytes;
            memory.result.leak_at = memory.live[i].from;
        }
    return memory.result;
}
