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
#include "framework/base/names.h"
#include "framework/settings/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <private/file_bytes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = sizeof(tcf_filter_head) };

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
    return error_fail("is built for another machine: %d-bit %s (%u%s), but this tcflow is %d-bit %s",
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
        const ssize_t n = tcf_read_at(file, at, &part, sizeof part);
        if (n < 0)
            return error_fail("cannot be read: %s", strerror(errno));
        if (n < (ssize_t)sizeof part)
            return error_fail("is cut off: its program headers lie behind its end at %llu bytes",
                              (unsigned long long)length);
        if (part.p_type == PT_LOAD && (part.p_offset > length || part.p_filesz > length - part.p_offset))
            return error_fail("is cut off: it has %llu bytes, but loads what lies up to byte %llu",
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
    ssize_t n = tcf_read_at(file, 0, head.byte, sizeof head.byte);

    if (n < 0)
        return error_fail("cannot be read: %s", strerror(errno));
    if (n == 0)
        return error_fail("is no shared object: it is empty");
    if (n >= 8 && memcmp(head.byte, "!<arch>\n", 8) == 0)
        return error_fail("is a static library (ar), not a shared object: link it with -shared");
    if (n < SELFMAG || memcmp(head.byte, ELFMAG, SELFMAG) != 0)
        return error_fail("is no shared object: it does not begin as an ELF file does");
    if (n < (ssize_t)sizeof head.byte)
        return error_fail("is cut off: %lld bytes are not even the header of an ELF file", (long long)n);
    if (check_machine(head.byte) != TCF_OK)
        return TCF_ERROR;
    if (head.elf.e_type == ET_REL)
        return error_fail("is an object file, not a shared object: link it with -shared");
    if (head.elf.e_phentsize != sizeof(ElfW(Phdr)))
        return error_fail("is a damaged ELF file: program headers of %u bytes", head.elf.e_phentsize);
    return check_length(file, &head.elf, length);
}

static tcf_status not_there(const char *path, int error)
{
    char target[1024];
    ssize_t n = error == ENOENT ? readlink(path, target, sizeof target) : -1;

    if (n < 0)
        return error_fail("cannot be opened: %s", strerror(error));
    return error_fail("is a link to '%.*s', which is not there", (int)n, target);
}

tcf_status plugin_check_file(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return not_there(path, errno);
    if (S_ISDIR(st.st_mode))
        return error_fail("is a folder, not a file");
    if (!S_ISREG(st.st_mode))
        return error_fail("is no regular file");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_fail("cannot be opened: %s", strerror(errno));
    tcf_status status = check_elf(file, (uint64_t)st.st_size);
    close(file);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ the head -- */

const plugin_kind plugin_filters = {TCF_FILTER_SYMBOL,    "filter", TCF_MAGIC, sizeof(tcf_filter),
                                    _Alignof(tcf_filter), 1},
                  plugin_sources = {TCF_SOURCE_SYMBOL,    "reader", TCF_SOURCE_MAGIC, sizeof(tcf_source),
                                    _Alignof(tcf_source), 0};

static tcf_status check_version(const loader_abi *abi, const tcf_filter_head *head)
{
    if (head->abi_major == abi->major && head->abi_minor <= abi->minor)
        return TCF_OK;
    return error_fail(
        "built for plugin interface %u.%u, but this tcflow has %u.%u: %s", head->abi_major, head->abi_minor, abi->major,
        abi->minor,
        head->abi_major != abi->major
            ? "the major version must be the same; build it again with the headers of this tcflow"
            : "it may ask for what this tcflow lacks; update tcflow, or build it again with the headers of "
              "this one");
}

tcf_status plugin_check_head(const loader_abi *abi, const plugin_kind *kind, const tcf_filter_head *head,
                             size_t known_bytes)
{
    const uint32_t size = kind->is_filter ? abi->size : abi->source_size,
                   first_size = kind->is_filter ? abi->first_size : abi->first_source_size;

    if (known_bytes && known_bytes < HEAD_BYTES)
        return error_fail("its symbol %s has %zu bytes, which cannot be a %s", kind->symbol, known_bytes, kind->name);
    if (head->magic != kind->magic)
        return error_fail("its symbol %s is no %s: magic number 0x%08x, expected 0x%08x", kind->symbol, kind->name,
                          head->magic, kind->magic);
    if (check_version(abi, head) != TCF_OK)
        return TCF_ERROR;
    if (head->abi_minor == abi->minor ? head->size != size : head->size < first_size || head->size > size)
        return error_fail("says that its %s struct of interface %u.%u has %u bytes, but it must have %s%u", kind->name,
                          head->abi_major, head->abi_minor, head->size,
                          head->abi_minor == abi->minor ? "" : "at least ",
                          head->abi_minor == abi->minor || head->size > size ? size : first_size);
    if (head->param_size != sizeof(tcf_param) || head->named_column_size != sizeof(tcf_named_column) ||
        head->table_column_size != sizeof(tcf_table_column))
        return error_fail("its head states other sizes of tables than interface %u.%u has; expected .head = %s",
                          head->abi_major, head->abi_minor, kind->is_filter ? "TCF_FILTER_HEAD" : "TCF_SOURCE_HEAD");
    if (known_bytes && known_bytes < head->size)
        return error_fail("its %s struct has %zu bytes, but says %u", kind->name, known_bytes, head->size);
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------- the filter -- */

static tcf_status check_columns(const tcf_columns *columns, const char *what)
{
    if (!columns->at != !columns->n)
        return error_fail("%s %u columns%s; expected TCF_ROWS(COLUMNS)", what, columns->n,
                          columns->at ? "" : ", which aren't there");
    for (uint32_t i = 0; i < columns->n; i++) {
        const tcf_named_column *c = &columns->at[i];
        if (!c->name || !valid_name(c->name, 1) || c->bytes == 0)
            return error_fail("%s a column '%s' of %u bytes: expected a name of a-z, 0-9 and _, and bytes", what,
                              c->name ? c->name : "(null)", c->bytes);
    }
    return TCF_OK;
}

/* Has a set of bits one that isn't of its family? */
static tcf_status check_bits(uint32_t bits, uint32_t known, const char *what)
{
    const uint32_t others = bits & ~known;

    return others
               ? error_fail("its '%s' have bit %d, which this tcflow doesn't know there", what, __builtin_ctz(others))
               : TCF_OK;
}

static tcf_status check_all_bits(const tcf_filter *f)
{
    if (check_bits(f->needs, 2 * TCF_NEED_LEADER_FIRST - TCF_NEED_EDGES, "needs") != TCF_OK ||
        check_bits(f->can, (2 * TCF_CAN_SKIP_NON_EDGES - TCF_CAN_DROP) | TCF_CAN_DOMAINS, "can") != TCF_OK)
        return TCF_ERROR;
    return check_bits(f->writes, (2 * TCF_WRITES_CLOCK - TCF_WRITES_TIME) & ~(uint32_t)TCF_WRITES_EVENTS, "writes");
}

static tcf_status check_names(const char *name, const char *version, const char *summary, const char *what)
{
    if (!name || !valid_name(name, 1))
        return error_fail("its name is %s%s%s; expected a-z, 0-9 and _", name ? "'" : "", name ? name : "missing",
                          name ? "'" : "");
    if (strlen(name) > 48)
        return error_fail("its name has more than 48 letters");
    if (strcmp(name, "pipeline") == 0)
        return error_fail("a %s cannot have the name of the section [pipeline]", what);
    if (!version || !*version || !summary || !*summary)
        return error_fail("it has no %s", version && *version ? "summary" : "version");
    return TCF_OK;
}

/* What belongs to slice(), what to span(). */
static tcf_status check_callbacks(const tcf_filter *f)
{
    if (!f->slice == !f->span)
        return error_fail("it has %s; expected exactly one of slice() and span()", f->slice ? "both" : "neither");
    if ((f->needs & TCF_NEED_LEADER_FIRST) && !f->span)
        return error_fail(
            "it asks for leaders first (TCF_NEED_LEADER_FIRST), which is for filters with span(), not slice()");
    if (f->arrive && !f->span)
        return error_fail("it has arrive(), which belongs to span()");
    if (f->collective_complete && !f->span)
        return error_fail("it has collective_complete(), which belongs to span()");
    if ((f->message_bytes || f->member_bytes || f->numbers) && !f->span)
        return error_fail("it has payloads or numbers (message_bytes, member_bytes, numbers), which belong to span()");
    if ((f->can & TCF_CAN_ANSWER) && f->span)
        return error_fail("it asks for answers (TCF_CAN_ANSWER), which is for filters with slice(), not span()");
    if ((f->can & (TCF_CAN_DROP | TCF_CAN_INSERT | TCF_CAN_HOLD)) && f->span)
        return error_fail(
            "it drops, inserts or holds (TCF_CAN_DROP, _INSERT, _HOLD), which is for filters with slice(), "
            "not span()");
    if ((f->can & TCF_CAN_HOLD) && !f->flush)
        return error_fail("it holds slices (TCF_CAN_HOLD), but has no flush()");
    if (!f->pack != !f->absorb)
        return error_fail("it has %s; expected both or neither of pack() and absorb()",
                          f->pack ? "pack() alone" : "absorb() alone");
    if ((f->can & TCF_CAN_DOMAINS) && (f->can & (TCF_CAN_REPORT | TCF_CAN_SURVEY)) && !f->pack)
        return error_fail("it may run in several domains (TCF_CAN_DOMAINS) and has results, but no pack()");
    if (f->pack && !(f->can & TCF_CAN_DOMAINS))
        return error_fail("it has pack(), which belongs to TCF_CAN_DOMAINS");
    if (f->answers_come && (~f->can & (TCF_CAN_DOMAINS | TCF_CAN_ANSWER)))
        return error_fail("it has answers_come(), which belongs to TCF_CAN_DOMAINS and TCF_CAN_ANSWER together");
    return TCF_OK;
}

tcf_status plugin_check_filter(const tcf_filter *f)
{
    const char *reserved[8] = {"filter"};

    if (check_names(f->name, f->version, f->summary, "filter") != TCF_OK || check_all_bits(f) != TCF_OK ||
        check_callbacks(f) != TCF_OK)
        return TCF_ERROR;
    if (f->numbers > 4)
        return error_fail("it publishes %u numbers at a source, but 4 is the most", f->numbers);
    if (check_columns(&f->provides, "it provides") != TCF_OK || check_columns(&f->required, "it requires") != TCF_OK)
        return TCF_ERROR;
    if (f->can & TCF_CAN_REPORT)
        for (uint32_t i = 0; i < report_params.n && i < 6; i++)
            reserved[i + 1] = report_params.at[i].key;
    return params_check(&f->params, f->conf_size, reserved);
}

/* ---------------------------------------------------------------------------------------------------- the reader -- */

tcf_status plugin_check_source(const tcf_source *s)
{
    static const char *const reserved[] = {"source", NULL};

    if (check_names(s->name, s->version, s->summary, "reader") != TCF_OK)
        return TCF_ERROR;
    if (strcmp(s->name, "auto") == 0)
        return error_fail("a reader cannot be called 'auto', which lets the file decide");
    if (!s->read)
        return error_fail("it has no read()");
    return params_check(&s->params, s->conf_size, reserved);
}
