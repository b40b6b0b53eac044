/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Checks of a plugin, before and after dlopen().
 *
 * Before it: the kind of the file, the ELF header, and that the file holds all bytes which will be mapped. dlopen()
 * itself reports a library for another processor as missing, waits at a named pipe for a writer, and crashes in a
 * file that was copied in half. After it: magic, version of the interface and size, then the members of the struct. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* ElfW() */
#endif
#include "plugin_check.h"
#include "framework/base/error.h"
#include "framework/settings/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = offsetof(tcf_filter, name) };

/* ------------------------------------------------------------------------------------------------------ the file -- */

/* The ELF header of this very program, which the linker defines: the machine that this tcflow is built for. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } known[] = {{EM_386, "i386"},    {EM_X86_64, "x86-64"}, {EM_ARM, "ARM"}, {EM_AARCH64, "AArch64"},
                 {EM_PPC64, "POWER"}, {EM_S390, "S/390"},    {243, "RISC-V"}, {258, "LoongArch"}};

    for (size_t i = 0; i < TCF_COUNT(known); i++)
        if (known[i].machine == machine)
            return known[i].name;
    return "unknown";
}

static int bits(unsigned char elf_class)
{
    return elf_class == ELFCLASS64 ? 64 : elf_class == ELFCLASS32 ? 32 : 0;
}

/* Returns the machine, read in the byte order of the file. 32-bit and 64-bit files have it in the same place. */
static unsigned machine_of(const unsigned char *head)
{
    const unsigned char *at = head + offsetof(ElfW(Ehdr), e_machine);
    return head[EI_DATA] == ELFDATA2MSB ? at[0] * 256u + at[1] : at[1] * 256u + at[0];
}

static tcf_status check_machine(const unsigned char *head)
{
    const unsigned char *own = (const unsigned char *)&__ehdr_start;
    unsigned machine = machine_of(head);

    if (head[EI_CLASS] == own[EI_CLASS] && head[EI_DATA] == own[EI_DATA] && machine == machine_of(own))
        return TCF_OK;
    return tcf_fail("is built for another machine: %d-bit %s (%u%s), but this tcflow is %d-bit %s",
                    bits(head[EI_CLASS]), machine_name(machine), machine,
                    head[EI_DATA] == ELFDATA2MSB ? ", big-endian" : "", bits(own[EI_CLASS]),
                    machine_name(machine_of(own)));
}

/* Checks that the file holds all bytes which will be mapped. */
static tcf_status check_length(int file, const ElfW(Ehdr) * head, uint64_t length)
{
    for (unsigned i = 0; i < head->e_phnum; i++) {
        ElfW(Phdr) part;
        uint64_t at = head->e_phoff + (uint64_t)i * sizeof part;
        if (pread(file, &part, sizeof part, (off_t)at) != (ssize_t)sizeof part)
            return tcf_fail("is cut off: its program headers lie behind its end at %llu bytes",
                            (unsigned long long)length);
        if (part.p_type == PT_LOAD && (part.p_offset > length || part.p_filesz > length - part.p_offset))
            return tcf_fail("is cut off: it has %llu bytes, but loads what lies up to byte %llu",
                            (unsigned long long)length, (unsigned long long)(part.p_offset + part.p_filesz));
    }
    return TCF_OK;
}

static tcf_status check_elf(int file, uint64_t length)
{
    union {
        unsigned char byte[sizeof(ElfW(Ehdr))];
        ElfW(Ehdr) elf;
    } head = {{0}};
    ssize_t n = pread(file, head.byte, sizeof head.byte, 0);

    if (n < 0)
        return tcf_fail("cannot be read: %s", strerror(errno));
    if (n == 0)
        return tcf_fail("is no shared object: it is empty");
    if (n >= 8 && memcmp(head.byte, "!<arch>\n", 8) == 0)
        return tcf_fail("is a static library (ar), not a shared object: link it with -shared");
    if (n < SELFMAG || memcmp(head.byte, ELFMAG, SELFMAG) != 0)
        return tcf_fail("is no shared object: it does not begin as an ELF file does");
    if (n < (ssize_t)sizeof head.byte)
        return tcf_fail("is cut off: %lld bytes are not even the header of an ELF file", (long long)n);
    if (check_machine(head.byte) != TCF_OK)
        return TCF_ERROR;
    if (head.elf.e_type == ET_REL)
        return tcf_fail("is an object file, not a shared object: link it with -shared");
    if (head.elf.e_phentsize != sizeof(ElfW(Phdr)))
        return tcf_fail("is a damaged ELF file: program headers of %u bytes", head.elf.e_phentsize);
    return check_length(file, &head.elf, length);
}

static tcf_status not_there(const char *path, int error)
{
    char target[1024];
    ssize_t n = error == ENOENT ? readlink(path, target, sizeof target) : -1;

    if (n < 0)
        return tcf_fail("cannot be opened: %s", strerror(error));
    return tcf_fail("is a link to '%.*s', which is not there", (int)n, target);
}

tcf_status plugin_check_file(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return not_there(path, errno);
    if (S_ISDIR(st.st_mode))
        return tcf_fail("is a folder, not a file");
    if (!S_ISREG(st.st_mode))
        return tcf_fail("is no regular file");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return tcf_fail("cannot be opened: %s", strerror(errno));
    tcf_status status = check_elf(file, (uint64_t)st.st_size);
    close(file);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- the filter -- */

tcf_status plugin_check_head(const loader_abi *abi, const tcf_filter *f, size_t known_bytes)
{
    if (known_bytes && known_bytes < HEAD_BYTES)
        return tcf_fail("its symbol " TCF_FILTER_SYMBOL " has %zu bytes, which cannot be a filter", known_bytes);
    if (f->magic != TCF_MAGIC)
        return tcf_fail("its symbol " TCF_FILTER_SYMBOL " is no filter: magic number 0x%08x, expected 0x%08x", f->magic,
                        TCF_MAGIC);
    if (f->abi_major != abi->major || f->abi_minor > abi->minor)
        return tcf_fail(
            "built for plugin interface %u.%u, but this tcflow has %u.%u: %s", f->abi_major, f->abi_minor, abi->major,
            abi->minor,
            f->abi_major != abi->major
                ? "the major version must be the same; build it again with the headers of this tcflow"
                : "it may ask for what this tcflow lacks; update tcflow, or build it again with the headers of "
                  "this one");
    if (f->abi_minor == abi->minor ? f->size != abi->size : f->size < abi->first_size || f->size > abi->size)
        return tcf_fail("says that its filter struct of interface %u.%u has %u bytes, but it must have %s%u",
                        f->abi_major, f->abi_minor, f->size, f->abi_minor == abi->minor ? "" : "at least ",
                        f->abi_minor == abi->minor || f->size > abi->size ? abi->size : abi->first_size);
    if (known_bytes && known_bytes < f->size)
        return tcf_fail("its filter struct has %zu bytes, but says %u", known_bytes, f->size);
    return TCF_OK;
}

static tcf_status check_columns(const tcf_named_column *columns, const char *what)
{
    for (const tcf_named_column *c = columns; c && c->name; c++)
        if (!valid_name(c->name, 1) || c->bytes == 0)
            return tcf_fail("%s a column `%s` of %u bytes: expected a name of a-z, 0-9 and _, and bytes", what, c->name,
                            c->bytes);
    return TCF_OK;
}

tcf_status plugin_check_filter(const tcf_filter *f)
{
    static const uint32_t all_needs = 2 * TCF_PROCESS_TOGETHER - 1,
                          all_writes = TCF_TIME | TCF_KIND | TCF_REC | TCF_ATTR | TCF_LATER | TCF_CLOCK;
    const char *reserved[8] = {"filter"};

    if (!f->name || !valid_name(f->name, 1))
        return tcf_fail("its name is %s%s%s; expected a-z, 0-9 and _", f->name ? "'" : "",
                        f->name ? f->name : "missing", f->name ? "'" : "");
    if (strlen(f->name) > 48)
        return tcf_fail("its name has more than 48 letters");
    if (strcmp(f->name, "pipeline") == 0)
        return tcf_fail("a filter cannot have the name of the section [pipeline]");
    if (!f->version || !*f->version || !f->summary || !*f->summary)
        return tcf_fail("it has no %s", f->version && *f->version ? "summary" : "version");
    if (!f->slice == !f->span)
        return tcf_fail("it has %s; expected exactly one of slice() and span()", f->slice ? "both" : "neither");
    if ((f->needs & TCF_FOLLOWS) && !f->span)
        return tcf_fail(
            "it asks for locations that follow (TCF_FOLLOWS), which is for filters with span(), not slice()");
    if (f->arrive && !f->span)
        return tcf_fail("it has arrive(), which belongs to span()");
    if ((f->needs & TCF_ANSWERS) && f->span)
        return tcf_fail("it asks for answers (TCF_ANSWERS), which is for filters with slice(), not span()");
    if ((f->needs & TCF_HOLDS) && !f->flush)
        return tcf_fail("it holds slices (TCF_HOLDS), but has no flush()");
    if (f->needs & ~all_needs)
        return tcf_fail("it needs what this tcflow does not know (0x%x)", f->needs & ~all_needs);
    if (f->numbers > 4)
        return tcf_fail("it publishes %u numbers at a source, but 4 is the most", f->numbers);
    if (f->writes & ~all_writes)
        return tcf_fail("it writes columns that this tcflow does not know (0x%x)", f->writes & ~all_writes);
    if (check_columns(f->provides, "it provides") != TCF_OK || check_columns(f->requires, "it requires") != TCF_OK)
        return TCF_ERROR;
    if (f->needs & TCF_REPORTS)
        for (size_t i = 0; i < params_count(report_params) && i < 6; i++)
            reserved[i + 1] = report_params[i].key;
    return params_check(f->params, f->conf_size, reserved);
}
