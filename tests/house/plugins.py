# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""plugins.py includes SOURCE: quoted includes in SOURCE/plugins that leave their folder for one they may not use.
plugins.py cycles SOURCE BUILD: cycles of calls between the object files of a folder in BUILD/plugins that have a source.

A filter includes headers of its own folder and of plugins/shared; a part of plugins/shared those of the parts in PARTS."""
import collections
import glob
import os
import re
import subprocess
import sys

# What the parts of plugins/shared include of each other.
PARTS = {"clocks": {"numbers"}, "waits": {"callpaths", "numbers", "patterns"}}


def folder_of(path):
    return os.path.dirname(os.path.normpath(path))


def wrong_includes(source):
    root = os.path.join(source, "plugins")
    for path in sorted(glob.glob(root + "/**/*.[ch]", recursive=True)):
        here = os.path.relpath(folder_of(path), root)
        allowed = {here}
        if here.startswith("shared/"):
            allowed |= {"shared/" + part for part in PARTS.get(here[len("shared/"):], ())}
        for line in open(path, encoding="utf-8"):
            quoted = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not quoted:
                continue
            there = os.path.relpath(folder_of(os.path.join(folder_of(path), quoted[1])), root)
            if there not in allowed and (here.startswith("shared/") or not there.startswith("shared/")):
                yield f"{os.path.relpath(path, source)} includes {quoted[1]}"


def symbols(path):
    """What an object file defines, and what it needs."""
    defined, needed = set(), set()
    for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
        *_, kind, name = line.split()
        (needed if kind == "U" else defined if kind.isupper() else set()).add(name)
    return defined, needed


def cycles(calls):
    """Sets of files each of which reaches all the others."""
    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for other in calls[todo.pop()] - seen:
                seen.add(other)
                todo.append(other)
        return seen

    reach = {name: reached(name) for name in calls}
    return {frozenset(b for b in reach[a] if a in reach[b]) for a in calls if a in reach[a]}


def call_cycles(source, build):
    folders = collections.defaultdict(dict)
    for path in sorted(glob.glob(build + "/plugins/**/.libs/*.o", recursive=True)):
        folder = os.path.relpath(os.path.dirname(folder_of(path)), build)
        name = os.path.basename(path).rsplit("-", 1)[-1]
        if not os.path.exists(os.path.join(source, folder, name[:-1] + "c")):
            continue
        newer = name in folders[folder] and os.path.getmtime(folders[folder][name]) > os.path.getmtime(path)
        folders[folder].setdefault(name, path)
        if not newer:
            folders[folder][name] = path
    for folder, files in folders.items():
        known = {name: symbols(path) for name, path in files.items()}
        calls = {a: {b for b in known if b != a and known[a][1] & known[b][0]} for a in known}
        for cycle in sorted(sorted(c) for c in cycles(calls)):
            yield f"{folder}: {' '.join(cycle)}"


found = wrong_includes(sys.argv[2]) if sys.argv[1] == "includes" else call_cycles(sys.argv[2], sys.argv[3])
for message in found:
    print(message)
