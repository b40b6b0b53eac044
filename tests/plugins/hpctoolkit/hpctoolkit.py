# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""hpctoolkit.py FOLDER: what the traces of an HPCToolkit database hold, in the lines of printed.py. Each call is found from the lists of
contexts that the samples have, without a stack. Standard library only. hpctoolkit.py make SEED FOLDER [small|DEPTH]: makes a database, with
the structs of version 4.0 and random gaps between them; DEPTH: so many functions call each other, and every other sample is in the last one; hpctoolkit.py patch FILE OFFSET BYTES VALUE: damages one."""

import os
import random
import struct
import sys

NAMES = {3: "thread", 4: "GPU", 5: "context", 6: "stream", 7: "core"}


def read(folder):
    meta, profile, trace = (open(os.path.join(folder, n), "rb").read() for n in ("meta.db", "profile.db", "trace.db"))

    def text(at):
        return meta[at:meta.index(b"\0", at)].decode("utf-8", "surrogateescape")

    def path(at):
        return text(struct.unpack_from("<Q", meta, at + 8)[0])

    paths = {0: []}  # number of a context: (number, name) of the functions, outermost first

    def visit(at, size, above):
        end = at + size
        while at < end:
            n, children, number, flags, _, kind, words = struct.unpack_from("<QQIBBBB", meta, at)
            mine = above
            if kind == 0:
                name = "<unknown function>"
                if flags & 1:
                    pointer, = struct.unpack_from("<Q", meta, at + 32)
                    pname, module, offset = struct.unpack_from("<QQQ", meta, pointer)
                    if pname:
                        name = text(pname)
                    elif module:
                        name = "<unknown function> 0x%x [%s]" % (offset, path(module).split("/")[-1])
                mine = above + [(number, name)]
            paths[number] = mine
            if n:
                visit(children, n, mine)
            at += 32 + 8 * words

    tree, = struct.unpack_from("<Q", meta, 0x48)
    entries, n, stride = struct.unpack_from("<QHB", meta, tree)
    for i in range(n):
        size, children, number, _, name = struct.unpack_from("<QQIHxxQ", meta, entries + i * stride)
        paths[number] = [(number, text(name) if name else "<unknown entry>")]
        if size:
            visit(children, size, paths[number])

    lines = []
    infos, = struct.unpack_from("<Q", profile, 0x18)
    profiles, _, profile_stride = struct.unpack_from("<QIB", profile, infos)
    headers, = struct.unpack_from("<Q", trace, 0x18)
    first, n, stride = struct.unpack_from("<QIB", trace, headers)
    for i in range(n):
        index, start, end = struct.unpack_from("<IxxxxQQ", trace, first + i * stride)
        ids, = struct.unpack_from("<Q", profile, profiles + index * profile_stride + 0x20)
        tuple_ = [struct.unpack_from("<BxHIQ", profile, ids + 8 + 16 * k) for k in range(struct.unpack_from("<H", profile, ids)[0])]
        rank = [number for kind, _, number, _ in tuple_ if kind == 2]
        node = [host for kind, _, _, host in tuple_ if kind == 1]
        process = "rank %d" % rank[0] if rank else "node %x" % node[0] if node else "process"
        location = ", ".join("%s %d" % (NAMES.get(kind, "kind %d" % kind), number) for kind, _, number, _ in tuple_ if kind > 2) or "thread"
        samples = [struct.unpack_from("<QI", trace, at) for at in range(start, end, 12)]
        for k, (time, context) in enumerate(samples):
            before = paths[samples[k - 1][1]] if k else []
            mine = paths[context]
            for depth in range(len(mine)):
                if mine[:depth + 1] == before[:depth + 1]:
                    continue  # it has begun earlier
                last = k
                while last + 1 < len(samples) and paths[samples[last + 1][1]][:depth + 1] == mine[:depth + 1]:
                    last += 1
                until = samples[min(last + 1, len(samples) - 1)][0]
                lines.append("\t".join(["call", process, location, str(time), str(until), mine[depth][1]]))
    print("\n".join(sorted(lines)))


class Writer:
    """Bytes of a file, with places that are filled in later."""

    def __init__(self, rng, kind):
        self.rng, self.bytes = rng, bytearray(b"HPCTOOLKIT" + kind + bytes([4, 0]))

    def add(self, data, align=8):
        self.bytes += self.rng.randbytes(8 * self.rng.randrange(3)) if len(self.bytes) > 256 else b""
        self.bytes += bytes(-len(self.bytes) % align)
        at = len(self.bytes)
        self.bytes += data
        return at

    def fill(self, at, form, *values):
        struct.pack_into(form, self.bytes, at, *values)

    def write(self, path, end):
        with open(path, "wb") as file:
            file.write(self.bytes + end)


def make(seed, folder, small=False, deep=0):
    rng = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    meta = Writer(rng, b"meta")
    meta.bytes += bytes(0x90 - len(meta.bytes))

    def text(t):
        return meta.add(t.encode("utf-8", "surrogateescape") + b"\0", 1)

    module = meta.add(struct.pack("<IxxxxQ", 0, text("/usr/lib/libx.so")))
    file = meta.add(struct.pack("<IxxxxQ", 0, text("/src/x.c")))
    functions = [meta.add(struct.pack("<QQQQII", text(name) if name else 0, module, 0x10 * i, file if i % 3 else 0, 7 * i, 0))
                 for i, name in enumerate(["main", "f", "g(int)", "", "PMPI_Send [libmpi.so]", "Größe", "h" * (70 if small else 70000), "<omp idle>", "<omp task wait>"])]
    count = [5]
    contexts = [0]

    def siblings(depth):
        """Bytes of some contexts; their children are written before them."""
        data = b""
        for _ in range(rng.randrange(1, 4)):
            children = siblings(depth + 1) if depth < (2 if small else 7) and rng.random() < 0.8 else b""
            at = meta.add(children) if children else 0
            count[0] += rng.randrange(1, 4)
            contexts.append(count[0])
            kind = rng.randrange(4)
            has_function = kind == 0 and rng.random() < 0.9
            words = [rng.choice(functions)] if has_function else []
            if rng.random() < 0.3:
                words += [file, 12]
            data += struct.pack("<QQIBBBBHxxxxxx", len(children), at, count[0], has_function | (len(words) > 1) << 1, rng.randrange(3), kind,
                                len(words), 1) + struct.pack("<%dQ" % len(words), *words)
        return data

    entries = b""
    for i, name in enumerate(["main thread", "thread"]):
        children = siblings(0)
        for _ in range(deep if i == 0 else 0):
            count[0] += 1
            children = struct.pack("<QQIBBBBHxxxxxxQ", len(children), meta.add(children), count[0], 1, 0, 0, 1, 1, functions[1])
        at = meta.add(children)
        contexts.append(2 + i)
        if deep and i == 0:
            ends = [2, contexts[1]]
        entries += struct.pack("<QQIHxxQ", len(children), at, 2 + i, i, text(name)) + bytes(8)
    tree = meta.add(struct.pack("<QHB", meta.add(entries), 2, 40))
    meta.fill(0x40, "<QQ", 16, tree)
    meta.write(os.path.join(folder, "meta.db"), b"_meta.db")

    tuples = [[(1, 1, 0, 0xa8c02780), (2, 0, r, r), (3, 0, t, t)] for r in range(3) for t in range(2)]
    tuples += [[(1, 1, 0, 0xa8c02780), (2, 0, 1, 1), (4, 1, 0, 99), (5, 0, 1, 1), (6, 0, 7, 7)], [(1, 1, 1, 0xbeef), (9, 0, 4, 4)]]
    profile = Writer(rng, b"prof")
    profile.bytes += bytes(0x30 - len(profile.bytes))
    ids = [0] + [profile.add(struct.pack("<Hxxxxxx", len(t)) + b"".join(struct.pack("<BxHIQ", *i) for i in t)) for t in tuples]
    rows = profile.add(b"".join(struct.pack("<QQQQQQ", 0, 0, 0, 0, i, 0) for i in ids))
    infos = profile.add(struct.pack("<QIB", rows, len(ids), 48))
    profile.fill(0x10, "<QQ", 16, infos)
    profile.write(os.path.join(folder, "profile.db"), b"_prof.db")

    trace = Writer(rng, b"trce")
    trace.bytes += bytes(0x20 - len(trace.bytes))
    headers = b""
    for index in rng.sample(range(1, len(ids)), len(ids) - 1):
        now = 1700000000 * 10**9 + rng.randrange(10**6)
        samples = b""
        context = rng.choice(contexts)
        for _ in range(rng.choice([0, 1, 2, 500])):
            now += rng.choice([0, 1, 1000, rng.randrange(10**7)])
            context = rng.choice([context, rng.choice(contexts)]) if not deep else ends[context != ends[1]]
            samples += struct.pack("<QI", now, context)
        at = trace.add(samples)
        headers += struct.pack("<IxxxxQQxx", index, at, at + len(samples)) + bytes(6)
    first = trace.add(headers)
    trace.fill(0x10, "<QQ", 16, trace.add(struct.pack("<QIB", first, len(ids) - 1, 32)))
    trace.write(os.path.join(folder, "trace.db"), b"trace.db")


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3], sys.argv[4:] == ["small"], int(sys.argv[4]) if sys.argv[4:] not in ([], ["small"]) else 0)
elif sys.argv[1] == "patch":
    with open(sys.argv[2], "r+b") as damaged:
        damaged.seek(int(sys.argv[3], 0))
        damaged.write(int(sys.argv[5], 0).to_bytes(int(sys.argv[4]), "little"))
else:
    read(sys.argv[-1] if os.path.isdir(sys.argv[-1]) else os.path.dirname(sys.argv[-1]))
