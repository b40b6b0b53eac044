# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""nccl.py make SEED FOLDER RANKS [FLAW]: files like exports of Nsight Systems, one a rank, of a program that uses NCCL, made up here:
rankN.sqlite. No such file of a real program was at hand: tables and payloads are as NVTX's and NCCL's headers and readers of others
describe them. FOLDER/truth has what the program did, in the lines of tests/support/ranks.py. FLAW: `late`: rank 1 lacks the calls of the
first half, but those that make communicators; `unmade`: rank 1 lacks those; `other`: one operation of rank 1 is another one; `offsets`:
schemas don't state offsets; `damaged`: all payloads are cut.

nccl.py read FILE...: what the files say, by comparing each range with each launch; another program than the reader's. Standard library
only."""

import collections
import os
import random
import sqlite3
import struct
import sys

INT, UINT64, SIZE, REDUCTION = 5, 18, 22, 16777300
COMM, BYTES = "NCCL communicator ID", "Message size [bytes]"
FIELDS = {"init": [(COMM, UINT64), ("No. of ranks", INT), ("Rank", INT), ("CUDA device", INT)],
          "allreduce": [(COMM, UINT64), (BYTES, SIZE), ("Reduction operation", REDUCTION)],
          "gather": [(COMM, UINT64), (BYTES, SIZE)],
          "broadcast": [(COMM, UINT64), (BYTES, SIZE), ("Root", INT)],
          "reduce": [(COMM, UINT64), (BYTES, SIZE), ("Root", INT), ("Reduction operation", REDUCTION)],
          "peer": [(COMM, UINT64), (BYTES, SIZE), ("Peer rank", INT)]}
SCHEMAS = {name: 1 << 24 | 3 + k for k, name in enumerate(FIELDS)}
WIDTH = {INT: 4, UINT64: 8, SIZE: 8}
CALLS = {"ncclAllReduce": "allreduce", "ncclAllGather": "gather", "ncclReduceScatter": "allreduce", "ncclBroadcast": "broadcast",
         "ncclReduce": "reduce"}
NAMES = {"ncclAllReduce": "ALLREDUCE", "ncclAllGather": "ALLGATHER", "ncclReduceScatter": "REDUCE_SCATTER_BLOCK", "ncclBroadcast": "BCAST",
         "ncclReduce": "REDUCE"}
DOMAIN = 3


def sizes_of(call, bytes_, n, is_root):
    """sent and received of a member, as OTF2 has them"""
    if call == "ncclAllGather":
        return bytes_, bytes_ * n
    if call == "ncclReduceScatter":
        return bytes_ * n, bytes_
    if call == "ncclBroadcast":
        return (bytes_, 0) if is_root else (0, bytes_)
    return bytes_, 0 if call == "ncclReduce" and not is_root else bytes_


def payload(kind, *values):
    body = b""
    for value, (_, type_) in zip(values, FIELDS[kind]):
        width = WIDTH.get(type_, 4)
        body += bytes(-len(body) % width) + value.to_bytes(width, "little")
    body += bytes(-len(body) % 8)
    return struct.pack("<QQQQ", DOMAIN, SCHEMAS[kind], len(body), 32) + body


class File:
    def __init__(self, path, process, offsets):
        if os.path.exists(path):
            os.remove(path)
        self.db, self.process, self.texts, self.correlation = sqlite3.connect(path), process << 24 | 1 << 56, {}, 100
        self.db.executescript("""
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER,
                textId INTEGER, domainId INTEGER, binaryData TEXT);
            CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags INTEGER,
                numEntries INTEGER, payloadSize INTEGER, alignTo INTEGER);
            CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL,
                flags INTEGER, type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
                correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);""")
        for name, fields in FIELDS.items():
            at = 0
            self.insert("NVTX_PAYLOAD_SCHEMAS", DOMAIN, SCHEMAS[name], None, 1, None, len(fields), 24, None)
            for idx, (field, type_) in enumerate(fields):
                at += -at % WIDTH.get(type_, 4)
                self.insert("NVTX_PAYLOAD_SCHEMA_ENTRIES", DOMAIN, SCHEMAS[name], idx, None, type_, field, None, None,
                            at if at and offsets else None)
                at += WIDTH.get(type_, 4)

    def insert(self, table, *row):
        self.db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = len(self.texts) + 1
            self.insert("StringIds", self.texts[value], value)
        return self.texts[value]

    def range(self, begin, end, name, data=None):
        self.insert("NVTX_EVENTS", begin, end, 59, None, self.process | 7, self.text(name), DOMAIN, data)

    def launch(self, begin, end, kernel_begin, kernel_end, stream, name):
        self.correlation += 1
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", begin, end, self.process | 7, self.correlation, self.text("cuLaunchKernelExC"))
        self.insert("CUPTI_ACTIVITY_KIND_KERNEL", kernel_begin, kernel_end, 0, 1, stream, self.correlation, self.process,
                    self.text(name + "(args)"), self.text(name))


def make(seed, folder, n, flaw):
    rng = random.Random(seed)
    files = [File("%s/rank%d.sqlite" % (folder, r), 1000 + r, flaw != "offsets") for r in range(n)]
    comms = {rng.getrandbits(63) | 1 << 63: list(range(n)), rng.getrandbits(62): list(range(0, n, 2))}
    now = [10**9 + rng.randrange(10**6) for _ in range(n)]
    busy = [t for t in now]  # of the streams
    truth, numbers = [], collections.Counter()
    for comm, members in comms.items():
        for r in members:
            name = rng.choice(["ncclCommInitRank", "ncclCommInitRankConfig"])
            if flaw != "unmade" or r != 1:
                files[r].range(now[r], now[r] + 50, name, payload("init", comm, len(members), members.index(r), 0))
            now[r] += 1000

    def operate(r, comm, calls, cut):
        """calls: of one group: (name, payload). Returns the time of the kernel."""
        grouped = len(calls) > 1 or rng.random() < 0.5
        begin = now[r]
        if grouped and not cut:
            files[r].range(begin, begin + 2, "ncclGroupStart")
        at = begin + 5
        for name, data in calls:
            if not cut:
                files[r].range(at, at + 20, name, data[:-9] if flaw == "damaged" else data)
            at += 25
        launch = at + 5 if grouped else at - 20
        kernel = max(launch + rng.randrange(5, 500), busy[r] + rng.randrange(1, 50))
        length = rng.randrange(100, 5000)
        if not cut:
            files[r].launch(launch, launch + 3, kernel, kernel + length, 7 + (comm % 2), "ncclDevKernel_" + calls[0][0][4:])
        if grouped and not cut:
            files[r].range(at, at + 20, "ncclGroupEnd")
        if rng.random() < 0.3:  # another kernel
            files[r].launch(at + 30, at + 31, kernel + length, kernel + length + 1, 3, "gemm")
        busy[r], now[r] = kernel + length + 1, at + 50 + rng.randrange(100)
        return kernel, kernel + length, "rank%d.sqlite: process %d" % (r, 1000 + r), "GPU 0, context 1, stream %d" % (7 + comm % 2)

    for step in range(120):
        comm, members = rng.choice(list(comms.items()))
        title, size = "NCCL communicator 0x%x" % comm, rng.choice([4, 4096, 2**33])
        late = flaw == "late" and step < 60
        if rng.random() < 0.25 and len(members) > 1:
            a, b = rng.sample(range(len(members)), 2)
            s = operate(members[a], comm, [("ncclSend", payload("peer", comm, size, b))], late and members[a] == 1)
            d = operate(members[b], comm, [("ncclRecv", payload("peer", comm, size, a))], late and members[b] == 1)
            truth.append(("message", title, 0, size, s[2], s[0], "-", d[2], "-", d[1]))
        elif rng.random() < 0.1:  # two in one group: nothing says which is which
            for r in members:
                operate(r, comm, [("ncclAllReduce", payload("allreduce", comm, size, 0))] * 2, late and r == 1)
        else:
            call, root = rng.choice(sorted(CALLS)), rng.randrange(len(members))
            for place, r in enumerate(members):
                name = call
                if flaw == "other" and r == 1 and call != "ncclAllGather":
                    name, flaw = "ncclAllGather", "done"
                kind = CALLS[name]
                more = {"broadcast": [root], "reduce": [root, 0], "allreduce": [0]}.get(kind, [])
                k = operate(r, comm, [(name, payload(kind, comm, size, *more))], late and r == 1)
                sent, received = sizes_of(call, size, len(members), place == root)
                truth.append(("collective", title, numbers[comm, r], NAMES[call], root if kind in ("broadcast", "reduce") else "-", k[2], k[3],
                              k[0], k[1], sent, received))
                numbers[comm, r] += 1
    for f in files:
        f.db.commit()
    with open(folder + "/truth", "w") as out:
        out.write("".join(sorted("\t".join(map(str, t)) + "\n" for t in truth)))


def decode(db, data):
    """{field: value}"""
    head = struct.unpack_from("<QQQQ", data) if data and len(data) >= 32 else (0, 0, 1 << 40, 0)
    if len(data or b"") < 32 + head[2]:
        return {}
    found, at = {}, 0
    for type_, name, offset in db.execute("SELECT type, name, offset FROM NVTX_PAYLOAD_SCHEMA_ENTRIES WHERE domainId = ? AND schemaId = ? "
                                          "ORDER BY idx", head[:2]):
        width = WIDTH.get(type_)
        if width:
            at = offset if offset is not None else (at + width - 1) // width * width
            found[name] = int.from_bytes(data[32 + at:32 + at + width], "little")
            at += width
    return found


def read(paths):
    sends, receives, operations, sizes = [collections.defaultdict(list) for _ in range(3)] + [{}]
    for path in paths:
        db = sqlite3.connect(path)
        name = os.path.basename(path)
        ranges = [(b, e, t, decode(db, d)) for b, e, t, d in db.execute(
            'SELECT start, "end", value, binaryData FROM NVTX_EVENTS JOIN StringIds ON id = textId ORDER BY start')]
        launches = db.execute('SELECT r.start, k.start, k."end", k.globalPid, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN '
                              "CUPTI_ACTIVITY_KIND_RUNTIME AS r USING (correlationId) JOIN StringIds ON id = shortName WHERE value LIKE 'nccl%'"
                              ).fetchall()
        ranks = {p[COMM]: (p["Rank"], p["No. of ranks"]) for _, _, t, p in ranges if "Rank" in p}
        starts = [r for r in ranges if r[2] == "ncclGroupStart"]
        stops = [r for r in ranges if r[2] == "ncclGroupEnd"]
        groups = [(a[0], z[1]) for a, z in zip(starts, stops)]
        calls = [r for r in ranges if BYTES in r[3]]
        for c in calls:
            begin, end = next(((a, z) for a, z in groups if a <= c[0] <= z), c[:2])
            inside = [l for l in launches if begin <= l[0] <= end]
            if len(inside) != 1 or sum(begin <= o[0] <= end for o in calls) != 1 or c[3][COMM] not in ranks:
                continue
            _, k0, k1, pid, stream = inside[0]
            rank, n = ranks[c[3][COMM]]
            title = "NCCL communicator 0x%x" % c[3][COMM]
            sizes[title] = n
            who, where = "%s: process %d" % (name, pid >> 24 & 0xffffff), "GPU 0, context 1, stream %d" % stream
            if c[2] == "ncclSend":
                sends[title, rank, c[3]["Peer rank"]].append((k0, k1, who, c[3][BYTES]))
            elif c[2] == "ncclRecv":
                receives[title, c[3]["Peer rank"], rank].append((k0, k1, who, c[3][BYTES]))
            else:
                operations[title, rank].append((k0, k1, c[2], c[3].get("Root", "-"), c[3][BYTES], who, where))
    lines = []
    for key in set(sends) | set(receives):
        there, back = sorted(sends[key]), sorted(receives[key])
        if len(there) == len(back):
            for s, r in zip(there, back):
                lines.append(("message", key[0], 0, s[3], s[2], s[0], "-", r[2], "-", r[1]))
    for title in {t for t, _ in operations}:
        all_ = {rank: sorted(o) for (t, rank), o in operations.items() if t == title}
        same = {tuple((o[2], o[3], o[4] if o[2] in ("ncclAllReduce", "ncclBroadcast", "ncclReduce") else 0) for o in v) for v in all_.values()}
        if set(all_) != set(range(sizes[title])) or len(same) > 1:
            continue
        for rank, those in all_.items():
            for k, (k0, k1, call, root, bytes_, who, where) in enumerate(those):
                lines.append(("collective", title, k, NAMES[call], root, who, where, k0, k1,
                              *sizes_of(call, bytes_, sizes[title], rank == root)))
    print("\n".join(sorted("\t".join(map(str, l)) for l in lines)))


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5] if len(sys.argv) > 5 else "")
else:
    read(sys.argv[2:])
