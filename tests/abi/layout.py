# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""The layout of the plugin interface as the compiler sees it: every struct and union with size and members, every
enumerator, every number and string that is a macro. It is read from debug information, so nothing can be forgotten.

    layout.py CC INCLUDE          prints the table of the headers in the folder INCLUDE, one fact a line
    layout.py --compare OLD NEW   prints what a plugin built for the table OLD would trip over with NEW; and returns 1

What belongs to the framework (OWNED) may grow at its end; everything else stands in arrays or in plugins, and stays as
it is. What is new is no difference.
"""
import os
import re
import subprocess
import sys
import tempfile

HEADERS = ["filter.h", "clocks.h", "worst_waits.h"]
# Only ever reached by pointers that the framework hands out; tcf_filter has its size in itself.
OWNED = ["tcf_host", "tcf_self", "tcf_definitions", "tcf_filter"]


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def entries(text):
    """Debug information as a list of (offset, depth, tag, attributes)."""
    found = []
    for line in text.splitlines():
        head = re.match(r" *<([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)", line)
        part = re.match(r" +<[0-9a-f]+> +DW_AT_(\w+) *: (.*)$", line)
        if head:
            found.append((int(head[2], 16), int(head[1], 16), head[3], {}))
        elif part and found:
            value = re.sub(r"^(\([^)]*\):? *)+", "", part[2]).strip()
            found[-1][3][part[1]] = value
    return found


class Layout:
    def __init__(self, text):
        self.entries = entries(text)
        self.at = {e[0]: n for n, e in enumerate(self.entries)}
        self.lines = set()
        self.pointer = re.search(r"Pointer Size: +(\d+)", text)[1]

    def children(self, n):
        depth, n = self.entries[n][1], n + 1
        while n < len(self.entries) and self.entries[n][1] > depth:
            if self.entries[n][1] == depth + 1:
                yield n
            n += 1

    def type_of(self, n):
        """The entry that the type of entry n is, or None for void."""
        reference = self.entries[n][3].get("type")
        return None if reference is None else self.at[int(re.search(r"[0-9a-f]+(?=>)", reference)[0], 16)]

    def spell(self, n):
        if n is None:
            return "void"
        _, _, tag, attributes = self.entries[n]
        below = self.type_of(n)
        if "name" in attributes:
            return attributes["name"]
        if tag == "pointer_type":
            return self.spell(below) + " *"
        if tag == "const_type":
            return "const " + self.spell(below)
        if tag == "subroutine_type":
            arguments = [c for c in self.children(n)]
            return f"{self.spell(below)} (" + ", ".join(
                "..." if self.entries[c][2] == "unspecified_parameters" else self.spell(self.type_of(c))
                for c in arguments) + ")"
        if tag == "array_type":
            bounds = [int(self.entries[c][3].get("count") or int(self.entries[c][3].get("upper_bound", "-1"), 0) + 1)
                      for c in self.children(n)]
            return self.spell(below) + "".join(f"[{b}]" for b in bounds)
        return tag.replace("_type", "")

    def size(self, n):
        """Of a type; an array's is that of an element."""
        while n is not None and self.entries[n][2] in ("typedef", "const_type", "array_type"):
            n = self.type_of(n)
        return self.entries[n][3].get("byte_size", self.pointer) if n is not None else "-"

    def members(self, n, name):
        for c in self.children(n):
            _, _, tag, attributes = self.entries[c]
            if tag != "member":
                continue
            member = f"{name}.{attributes.get('name', '(unnamed)')}"
            kind = self.type_of(c)
            self.lines.add(f"member {member}: at {attributes.get('data_member_location', '0').split()[0]}, "
                           f"{self.size(kind)} bytes, {self.spell(kind)}")
            if self.entries[kind][2] in ("structure_type", "union_type") and "name" not in self.entries[kind][3]:
                self.members(kind, member)

    def record(self, n, name):
        self.lines.add(f"size {name}: {self.entries[n][3]['byte_size']}")
        self.members(n, name)

    def table(self):
        for n, (_, depth, tag, attributes) in enumerate(self.entries):
            if tag == "enumerator":
                self.lines.add(f"enumerator {attributes['name']}: {attributes['const_value'].split()[0]}")
            elif depth == 1 and tag in ("structure_type", "union_type") and attributes.get("name", "").startswith("tcf_") \
                    and "byte_size" in attributes:
                self.record(n, attributes["name"])
            elif depth == 1 and tag == "typedef" and attributes["name"].startswith("tcf_"):
                below = self.type_of(n)
                if below is not None and "name" not in self.entries[below][3] and "byte_size" in self.entries[below][3] \
                        and self.entries[below][2] in ("structure_type", "union_type"):
                    self.record(below, attributes["name"])
        return self.lines


def macros(text):
    """Numbers and strings, but for the version itself."""
    for name, value in re.findall(r"^#define (TCF_\w+) (\S.*)$", text, re.M):
        if not re.match(r"TCF_ABI_M|TCF\w*_H$", name) and re.fullmatch(r'(0x)?[0-9a-fA-F]+u?|"[^"]*"|UINT\d+_MAX', value):
            yield f"macro {name}: {value}"


def table(compiler, include):
    with tempfile.TemporaryDirectory() as work:
        source, objects = os.path.join(work, "all.c"), os.path.join(work, "all.o")
        with open(source, "w") as out:
            for header in HEADERS:
                if os.path.exists(os.path.join(include, "tcflow", header)):
                    out.write(f"#include <tcflow/{header}>\n")
        compiler = compiler.split() + ["-std=gnu11", "-I" + include]
        run(*compiler, "-gdwarf-4", "-fno-eliminate-unused-debug-types", "-c", "-o", objects, source)
        lines = Layout(run("readelf", "--debug-dump=info", "--wide", objects)).table()
        lines.update(macros(run(*compiler, "-dM", "-E", source)))
        return sorted(lines)


def read(path):
    with open(path) as text:
        return dict(line.rstrip("\n").split(": ", 1) for line in text if line.strip() and line[0] != "#")


def differences(old, new):
    for what, was in old.items():
        now = new.get(what)
        kind, name = what.split(" ", 1)
        if now == was or kind == "size" and name in OWNED and now is not None and int(now) > int(was):
            continue
        if kind == "enumerator" and name.endswith(("CLASSES", "_TYPES", "KINDS")) and now is not None and int(now) > int(was):
            continue # counts of the others
        yield f"{what} was: {was}" + ("; there is none any more" if now is None else f"; is: {now}")


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        found = list(differences(read(sys.argv[2]), read(sys.argv[3])))
        print("\n".join(found))
        sys.exit(bool(found))
    print("\n".join(table(sys.argv[1], sys.argv[2])))
