# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: plugins.py SOURCE BUILD. Prints the cycles of calls between the object files of each folder in BUILD/plugins.

The names of functions count by folder, because every filter has its own. Objects without a source are left out: a build
folder may have old ones."""
import collections
import glob
import os
import subprocess
import sys

source, build = sys.argv[1], sys.argv[2]


def symbols(path):
    """What an object file defines, and what it uses."""
    defined, used = set(), set()
    for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
        *_, kind, name = line.split()
        (used if kind == "U" else defined if kind.isupper() else set()).add(name)
    return defined, used


def reached(calls, start):
    seen, todo = set(), [start]
    while todo:
        fresh = calls[todo.pop()] - seen
        seen |= fresh
        todo += fresh
    return seen


folders = collections.defaultdict(dict)
for path in sorted(glob.glob(build + "/plugins/**/.libs/*.o", recursive=True), key=os.path.getmtime):
    folder = os.path.relpath(os.path.dirname(os.path.dirname(path)), build)
    name = os.path.basename(path).rsplit("-", 1)[-1][:-2]
    if os.path.exists(os.path.join(source, folder, name + ".c")):
        folders[folder][name] = symbols(path)
for folder, files in sorted(folders.items()):
    calls = {a: {b for b in files if b != a and files[a][1] & files[b][0]} for a in files}
    reach = {a: reached(calls, a) for a in calls}
    for cycle in sorted({tuple(sorted(b for b in reach[a] if a in reach[b])) for a in calls if a in reach[a]}):
        print(f"{folder}: {' '.join(cycle)}")
