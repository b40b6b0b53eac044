# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Does the tree keep to the list of rooms? Usage: rooms.py SOURCE BUILD. Prints TAP lines without numbers.

    - each C file of framework/ and kit/ lies in a room of the list (tests/house/rooms), none in framework/ itself;
    - it includes headers of its own room and of the rooms that the list allows it, by their full paths;
    - the list has no cycle;
    - the objects in BUILD call each other likewise, and no files call each other in a circle, those of plugins included;
    - plugins include headers of their own folder, of plugins/shared and of include/ only; tools those of their own folder,
      and of the rooms of TOOLS_MAY."""
import os
import re
import subprocess
import sys

source, build = sys.argv[1], sys.argv[2]
TOOLS_MAY = ["framework/base", "framework/settings", "tools/shared"]
# kit/torture and the command stand in for these functions of the C library.
STAND_INS = ["_exit", "_Exit", "malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc", "posix_memalign", "strdup", "strndup"]


def ok(good, what, details=()):
    print("ok - " + what if good else "not ok - " + what)
    for line in details:
        print("#   " + line)


def read_rooms(path):
    rooms = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].strip()
            if line:
                name, may = line.split(":")
                rooms[name.strip()] = may.split()
    return rooms


def c_files(*folders):
    for folder in folders:
        for at, _, names in os.walk(os.path.join(source, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(at, name), source)


def includes(path):
    with open(os.path.join(source, path), encoding="utf-8") as f:
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', f.read(), re.M):
            near = os.path.normpath(os.path.join(os.path.dirname(path), name))
            yield near if os.path.exists(os.path.join(source, near)) else name


def cycles(graph):
    """The strongly connected components with several members, Tarjan's algorithm."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in graph.get(v, ()):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for v in sorted(graph):
        if v not in number:
            visit(v)
    return found


def calls(*tops):
    """File -> files whose functions or data its object uses; files without their ending. Objects without a source are left
    out, since a build folder may have old ones. Of plugins names count by folder: each has its own."""
    objects, defined = {}, {}
    for at, _, names in (entry for top in tops for entry in os.walk(os.path.join(build, top))):
        for name in names:
            room = os.path.relpath(at, build)
            room = room[:-len("/.libs")] if room.endswith("/.libs") else room
            stem = re.sub(r"^.*-", "", name[:-2])
            if name.endswith(".o") and os.path.exists(os.path.join(source, room, stem + ".c")):
                objects[room + "/" + stem] = os.path.join(at, name)
    uses = {name: set() for name in objects}
    of_path = {path: name for name, path in objects.items()}
    listed = subprocess.run(["nm", "--print-file-name", *of_path], capture_output=True, text=True, check=True).stdout if objects else ""
    for line in listed.splitlines():
        path, _, symbol = line.partition(":")
        name, words = of_path[path], symbol.split()
        scope = os.path.dirname(name) if name.startswith("plugins/") else ""
        if len(words) == 3 and words[1] in "TDRBC" and words[2] not in STAND_INS:
            defined[scope, words[2]] = name
        elif len(words) == 2 and words[0] == "U":
            uses[name].add((scope, words[1]))
    return {name: {defined[symbol] for symbol in used if symbol in defined} - {name} for name, used in uses.items()}


rooms = read_rooms(os.path.join(source, "tests/house/rooms"))
files = list(c_files("framework", "kit"))
outside = [f for f in files if os.path.dirname(f) not in rooms]
ok(files and not outside, "every file lies in a room", outside)
unknown = [f"{name}: {room}" for name, may in rooms.items() for room in may if room not in rooms]
ok(not unknown, "the list names rooms only", unknown)
ok(not cycles(rooms), "the list of rooms has no cycle", map(str, cycles(rooms)))

wrong = []
for f in files:
    room = os.path.dirname(f)
    for header in includes(f):
        to = os.path.dirname(header)
        if to != room and to not in rooms.get(room, ()):
            wrong.append(f"{f} includes {header}")
ok(not wrong, "files include headers of the rooms that theirs may use", wrong)

wrong = []
for f in c_files("plugins", "tools"):
    own = "/".join(f.split("/")[:2])
    may = ["plugins/shared"] if f.startswith("plugins") else TOOLS_MAY
    for header in includes(f):
        if "/" in header and not any(header.startswith(folder + "/") for folder in [own] + may):
            wrong.append(f"{f} includes {header}")
ok(not wrong, "plugins and tools include what is theirs", wrong)

graph = calls("framework", "kit")
ok(len(graph) > 50, f"objects of {len(graph)} files are there")
wrong = [f"{a} uses {b}" for a, used in graph.items() for b in sorted(used)
         if os.path.dirname(a) != os.path.dirname(b) and os.path.dirname(b) not in rooms.get(os.path.dirname(a), ())]
ok(not wrong, "files call functions of the rooms that theirs may use", wrong)
wrong = [" ".join(c) for c in cycles(graph) + cycles(calls("plugins"))]
ok(not wrong, "there is no cycle of files", wrong)
