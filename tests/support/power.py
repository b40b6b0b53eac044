# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""power.py PRELOAD OUTPUTS OLD PROGRAM OPTION...: power is lost at any moment of a run, and behind it.

PROGRAM runs once, in a folder of its own that begins as a copy of the folder OLD, with PRELOAD (failing_calls.c) in front of it,
which records what it changes in files and folders and what it syncs. What a disk can hold is computed from that record, for
moments between any two calls: all that was synced, and of the rest as much as one of these lets through:

names   those made before a moment, in all folders (a file system with a journal) or in each folder alone, or any of them
bytes   of each file none, all, those before a moment with a torn write at their end, any writes, or zeros up to its length

The name of a file is on the disk when its folder was synced, not when the file was. On such a disk each of OUTPUTS (files or
folders, separated by blanks) is what it was in OLD, or what the run has made of it, whole; behind a run that has ended with 0 it is
the latter. What else was in OLD is unchanged, and what is new besides says in its name what it is. Then the same command runs
again over some of these disks: it ends with 0 and complete outputs, says which names are taken and leaves what has them, or it ends
with 1 since an output is there already.

Environment: POINTS moments between calls that write bytes (all others are taken), DISKS of each moment (8), SEED, AGAIN second runs;
VARIES: how names end of files that differ from run to run; NO_SYNC: as if the run had synced nothing. Prints what doesn't hold, and what
was tried to standard error."""
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

TAKEN = re.compile(r"(\.[0-9]+)?\.(incomplete(-journal)?|old)$")  # how names end of what is no complete output


class File:
    def __init__(self, content=b""):
        self.synced, self.pending = content, []  # pending: offset, bytes; or length, None

    def apply(self, writes):
        content = bytearray(self.synced)
        for at, data in writes:
            if len(content) < at:
                content.extend(bytes(at - len(content)))
            if data is None:
                del content[at:]
            else:
                content[at:at + len(data)] = data
        return bytes(content)

    def now(self):
        return self.apply(self.pending)

    def sync(self):
        self.synced, self.pending = self.now(), []

    def on_disk(self, draw):
        how = draw.randrange(5)
        if how == 0 or not self.pending:
            return self.synced
        if how == 1:
            return self.now()
        if how == 2:
            n = draw.randrange(len(self.pending))
            at, data = self.pending[n]
            torn = [(at, data[:draw.randrange(len(data) + 1)])] if data else []
            return self.apply(self.pending[:n] + torn)
        if how == 3:
            return self.apply([write for write in self.pending if draw.randrange(2)])
        return self.synced + bytes(max(0, len(self.now()) - len(self.synced)))


class Folder:
    def __init__(self):
        self.now, self.first = {}, {}  # name: file or folder; first: before the run
        self.durable = 0  # so many of the disk's changes of names are synced, of those in this folder


class Disk:
    """What a run has done so far to the files below a folder."""

    def __init__(self, top):
        self.top, self.root, self.by_key, self.changes = os.path.realpath(top), Folder(), {}, []
        self.load(self.top, self.root)

    def load(self, path, folder):
        self.by_key[key_of(path)] = folder
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                node = Folder()
                self.load(entry.path, node)
            else:
                node = File(open(entry.path, "rb").read())
                self.by_key[key_of(entry.path)] = node
            folder.now[entry.name] = folder.first[entry.name] = node

    def place(self, path):
        """The folder and the name of a path; None: elsewhere."""
        path = os.path.normpath(os.path.join(self.top, path))
        if path == self.top or not path.startswith(self.top + "/"):
            return None
        folder, (*above, name) = self.root, path[len(self.top) + 1:].split("/")
        for step in above:
            folder = folder.now.get(step)
            if not isinstance(folder, Folder):
                return None
        return folder, name

    def change(self, *entries):
        """Names get other files, in one step: (folder, name, file or None)..."""
        self.changes.append(entries)
        for folder, name, node in entries:
            folder.now.pop(name, None)
            if node:
                folder.now[name] = node

    def do(self, word, key, number, payload):
        node = self.by_key.get(key)
        if word == "write" and isinstance(node, File):
            node.pending.append((number, payload))
        elif word == "truncate" and isinstance(node, File):
            node.pending.append((number, None))
        elif word == "sync" and isinstance(node, File):
            node.sync()
        elif word == "sync" and node:
            node.durable = len(self.changes)
        elif word == "syncfs":
            for each in set(self.by_key.values()):
                if isinstance(each, File):
                    each.sync()
                else:
                    each.durable = len(self.changes)
        elif word in ("open", "mkdir", "unlink", "rename"):
            self.do_names(word, key, number, [self.place(os.fsdecode(name)) for name in payload.split(b"\0")])

    def do_names(self, word, key, number, places):
        at = places[0]
        if word == "open":
            if at and at[1] not in at[0].now:
                self.by_key[key] = File()
                self.change((*at, self.by_key[key]))
            elif not at:
                self.by_key.pop(key, None)  # a file elsewhere, which may have the number of one that is gone
            elif number & os.O_TRUNC:
                at[0].now[at[1]].pending.append((0, None))
        elif word == "mkdir":
            if at:
                self.by_key[key] = Folder()
                self.change((*at, self.by_key[key]))
        elif word == "unlink":
            if at:
                self.change((*at, None))
        else:
            to = places[1]
            node, other = (place[0].now.get(place[1]) if place else None for place in places)
            if number & 2:  # RENAME_EXCHANGE
                self.change((*at, other), (*to, node))
            elif at or to:
                self.change(*([(*at, None)] if at else []), *([(*to, node)] if to else []))

    def folders(self):
        return {node for node in self.by_key.values() if isinstance(node, Folder)}

    def names_on_disk(self, draw):
        """Which changes of names are there: a set of their numbers."""
        n, how = len(self.changes), draw.randrange(3)
        synced = {i for i in range(n) if i < self.changes[i][-1][0].durable}
        if how == 0:
            return set(range(draw.randrange(max(synced, default=-1) + 1, n + 1)))
        if how == 1:
            upto = {folder: draw.randrange(folder.durable, n + 1) for folder in self.folders()}
            return {i for i in range(n) if i < upto[self.changes[i][-1][0]]}
        return synced | {i for i in range(n) if draw.randrange(2)}

    def tree(self, draw=None):
        """{path: bytes, or None of a folder}, as it is, or as it may be on a disk."""
        entries = {folder: dict(folder.now if draw is None else folder.first) for folder in self.folders()}
        for i in sorted(self.names_on_disk(draw)) if draw else ():
            for folder, name, node in self.changes[i]:
                entries[folder].pop(name, None)
                if node:
                    entries[folder][name] = node
        found = {}

        def walk(folder, path):
            for name, node in entries[folder].items():
                if path + name in found:
                    continue
                if isinstance(node, Folder):
                    found[path + name] = None
                    if path.count("/") < 8:
                        walk(node, path + name + "/")
                else:
                    found[path + name] = node.on_disk(draw) if draw else node.now()
        walk(self.root, "")
        return found


def key_of(path):
    st = os.lstat(path)
    return f"{st.st_dev:x}:{st.st_ino:x}"


def tree_of(top):
    found = {}
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, top)] = None if name in folders else open(path, "rb").read()
    return found


def make(tree, top):
    for path in sorted(tree):
        whole = os.path.join(top, path)
        if tree[path] is None:
            os.mkdir(whole)
        else:
            with open(whole, "wb") as f:
                f.write(tree[path])


def records(path):
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        end = data.index(b"\n", at)
        word, key, number, n = data[at:end].decode().split()
        yield word, key, int(number), data[end + 1:end + 1 + int(n)]
        at = end + 1 + int(n)


def below(tree, output):
    return {path: content for path, content in tree.items() if path == output or path.startswith(output + "/")}


def timeless(files):
    """Files without what another run has differently: times of the clock on the wall, and what is made of them."""
    found = {}
    for path, content in files.items():
        if path.endswith(".sqlite"):
            db = sqlite3.connect(":memory:")
            db.deserialize(content)
            content = [line for line in db.iterdump() if not line.startswith('INSERT INTO "run"')]
        elif path.endswith(".html"):
            content = re.sub(rb"[0-9-]{10}T[0-9:]{8}Z", b"", content)
        elif path.endswith(os.environ.get("VARIES") or "\n"):
            content = None
        found[path] = content
    return found


class Case:
    def __init__(self, preload, outputs, old, command):
        self.preload, self.outputs, self.command = preload, outputs.split(), command
        self.old = tree_of(old)
        self.draw = random.Random(int(os.environ.get("SEED") or 1))
        self.wrong, self.disks, self.again = [], 0, []

    def run(self, top, **environment):
        return subprocess.run(self.command, cwd=top, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=120)

    def is_output(self, path):
        return any(path == output or path.startswith(output + "/") for output in self.outputs)

    def judge(self, tree, what, has_ended):
        self.disks += 1
        for output in self.outputs:
            found = below(tree, output)
            if found != below(self.new, output) and (has_ended or found != below(self.old, output)):
                self.wrong.append(f"{what}: {output} is " + ("not the new one" if has_ended else "neither the old nor the new one") +
                                  f": {sorted(found)[:5]}")
        for path in {*tree, *self.old}:
            if self.is_output(path):
                continue
            if path in self.old and tree.get(path, 0) != self.old[path]:
                self.wrong.append(f"{what}: {path} was there and isn't as it was")
            elif path not in self.old and not TAKEN.search(path.split("/")[0]):
                self.wrong.append(f"{what}: {path} is there, whose name doesn't say what it is")

    def lose_power(self, work):
        top, journal = os.path.join(work, "run"), os.path.join(work, "journal")
        os.mkdir(top)
        make(self.old, top)
        disk = Disk(top)
        ended = self.run(top, LD_PRELOAD=self.preload, HOW="record", CALLS=journal, FAILING="0")
        self.new = tree_of(top)
        if ended.returncode != 0:
            return self.wrong.append(f"undisturbed: status {ended.returncode}, {ended.stderr[:300]}")
        all_calls = [call for call in records(journal) if not (os.environ.get("NO_SYNC") and call[0] in ("sync", "syncfs"))]
        writes = sum(word == "write" for word, *_ in all_calls)
        every = max(1, writes // (int(os.environ.get("POINTS") or 0) or writes or 1))
        for number, call in enumerate(all_calls):
            disk.do(*call)
            writes -= call[0] == "write"
            if call[0] != "write" or writes % every == 0:
                for _ in range(int(os.environ.get("DISKS") or 8)):
                    tree = disk.tree(self.draw)
                    self.judge(tree, f"behind call {number + 1} of {len(all_calls)} ({call[0]})", False)
                    if self.draw.randrange(50) == 0 or number + 1 == len(all_calls):
                        self.again.append(tree)
        if disk.tree() != self.new:
            self.wrong.append(f"the record is not all that the run has done: {sorted(set(disk.tree()) ^ set(self.new))}")
        for _ in range(50):
            self.judge(disk.tree(self.draw), "behind the run", True)
        return None

    def run_again(self, work):
        self.draw.shuffle(self.again)
        self.again = self.again[:int(os.environ.get("AGAIN") or 5)]
        for k, tree in enumerate(self.again):
            top = os.path.join(work, f"again{k}")
            os.mkdir(top)
            make(tree, top)
            ended, found = self.run(top), tree_of(top)
            there = any(output in tree for output in self.outputs)
            if ended.returncode == 0 and any(timeless(below(found, output)) != timeless(below(self.new, output)) for output in self.outputs):
                self.wrong.append(f"a second run over {sorted(tree)} ends with 0, and its outputs are others")
            elif ended.returncode != 0 and not (there and "exists already" in ended.stderr):
                self.wrong.append(f"a second run over {sorted(tree)} ends with {ended.returncode}: {ended.stderr[:300]}")
            lost = [path for path in tree if not self.is_output(path) and found.get(path, 0) != tree[path]]
            if lost:
                self.wrong.append(f"a second run changes {lost}")
            taken = [f"{output}.incomplete" for output in self.outputs if f"{output}.incomplete" in tree]
            if ended.returncode == 0 and ended.stderr.count("what earlier runs have left stays") < len(taken):
                self.wrong.append(f"a second run doesn't say that {taken} is there: {ended.stderr[:300]}")


def main():
    preload, outputs, old, *command = sys.argv[1:]
    case = Case(preload, outputs, old, command)
    with tempfile.TemporaryDirectory(prefix="tcflow-power.") as work:
        case.lose_power(work)
        case.run_again(work)
    for text in dict.fromkeys(case.wrong[:20]):
        print(text)
    print(f"{case.disks} disks, {len(case.again)} second runs", file=sys.stderr)


main()
