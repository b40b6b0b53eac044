# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""mpi.py make SEED FOLDER [FLAW]: exports as Nsight Systems makes them of a program with MPI, one file a rank, made up here: rankN.sqlite.
FOLDER/truth has the messages and collective operations of the program, in the lines of tests/support/ranks.py. FLAW: `late`: rank 1's
recording begins in the middle; `short`: a receive has too little room; `together`: all ranks are in rank0.sqlite.

mpi.py read FILE...: what the tables say, by counting, with whatever cannot be true left out; another program than the reader's.

Standard library only."""

import collections
import os
import random
import sqlite3
import sys

RANKS = 4
WORLD = "MPI_COMM_WORLD"
OPERATIONS = {"Barrier": 0, "Bcast": 1, "Gather": 1, "Scatterv": 1, "Allgather": 0, "Alltoall": 0, "Allreduce": 0, "Reduce": 1,
              "Reduce_scatter_block": 0, "Scan": 0}
TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT NOT NULL",
    "MPI_RANKS": "globalTid INTEGER NOT NULL, rank INTEGER NOT NULL",
    "MPI_P2P_EVENTS": "start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, commHandle INTEGER, tag INTEGER, "
                      "remoteRank INTEGER, size INTEGER, requestHandle INTEGER",
    "MPI_COLLECTIVES_EVENTS": "start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, commHandle INTEGER, "
                              "rootRank INTEGER, size INTEGER, recvSize INTEGER, requestHandle INTEGER",
    "MPI_START_WAIT_EVENTS": "start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, requestHandle INTEGER",
    "MPI_COMMUNICATORS": "rank INTEGER, timestamp INTEGER, commHandle INTEGER, parentHandle INTEGER, localRank INTEGER, size INTEGER, "
                         "groupRoot INTEGER, groupRootUid INTEGER, members TEXT"}


class Rank:
    """The tables of a rank, and its clock."""

    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.offset, self.pid = rng.randrange(10**6), 100 + number
        self.now, self.rows, self.strings, self.next_request = 0, [], {}, 1
        self.process = "rank%d.sqlite: process %d" % (number, self.pid)
        self.tid = 1 << 48 | self.pid << 24 | self.pid

    def add(self, table, *values):
        self.rows.append((table, values))

    def text(self, name):
        return self.strings.setdefault(name, len(self.strings) + 1)

    def request(self):
        self.next_request += 1
        return 1000 + self.next_request % 5 if self.rng.random() < 0.5 else 5000 + self.next_request

    def call(self, least=10, until=None):
        """begin and end of a call, on the rank's clock; at least until a true time"""
        begin = self.now + self.rng.randrange(1, 100)
        end = max(begin + least + self.rng.randrange(50), (until or 0) + self.rng.randrange(1, 20))
        self.now = end
        return begin + self.offset, end + self.offset


class Comm:
    def __init__(self, name, members, handles):
        self.name, self.members, self.handles = name, members, handles
        self.done = 0


class Program:
    def __init__(self, seed, uid):
        self.rng = random.Random(seed)
        self.ranks = [Rank(r, self.rng) for r in range(RANKS)]
        self.truth, self.uid = [], uid
        handle = [self.rng.randrange(1, 10**9) for _ in range(RANKS)]
        self.world = Comm(WORLD, list(range(RANKS)), handle)
        self.comms, self.made = [self.world], 0

    def make_comm(self):
        rng = self.rng
        members = rng.sample(range(RANKS), rng.randrange(2, RANKS + 1))
        number, root = 77 + self.made, members[0]
        self.made += 1
        name = "MPI communicator %d" % number + ("" if self.uid else " of rank %d" % root)
        # handles come again: what they stand for depends on the time
        comm = Comm(name, members, {r: 4242 if rng.random() < 0.6 else 9000 + number for r in members})
        for local, r in enumerate(members):
            rank = self.ranks[r]
            begin, end = rank.call()
            values = (r, end, comm.handles[r], self.world.handles[r], local, len(members), root, number, None)
            rank.add("MPI_COMMUNICATORS", *values, *([number] if self.uid else []))
        self.comms = [c for c in self.comms if c is self.world or
                      not any(c.handles.get(r) == comm.handles[r] for r in members)] + [comm]

    def message(self, comm, a, b, tag, short=False):
        """a, b: positions in the communicator; both sides block, or one or both post requests that are completed later"""
        rng = self.rng
        source, target = self.ranks[comm.members[a]], self.ranks[comm.members[b]]
        n, room = rng.choice([0, 8, 1024]), rng.choice([0, 100])
        if short:
            n, room = 1024, -8
        kinds = rng.choice([("Send", "Recv"), ("Isend", "Recv"), ("Send", "Irecv"), ("Isend", "Irecv"), ("Send_init", "Irecv"),
                            ("Ssend", "Recv_init")])
        starts, waits = [], []
        for k in range(rng.randrange(1, 4) if kinds[0] != "Send" or kinds[1] == "Irecv" else 1):
            start = self.begin(source, kinds[0], comm, b, tag, n)
            post = self.begin(target, kinds[1], comm, a, tag, n + room)
            starts.append((start, post))
        order = list(range(len(starts)))
        rng.shuffle(order)
        for k in order:
            waits.append(k)
        sent = {k: self.complete(source, starts[k][0], None) for k in waits}
        latest = max(s["begin"] - source.offset for s, _ in starts)
        got = {k: self.complete(target, starts[k][1], latest) for k in (sorted(waits) if kinds[1] == "Recv" else waits)}
        for k, (s, p) in enumerate(starts):
            self.truth.append(("message", comm.name, tag, n if n else n + max(room, 0), source.process, s["begin"], sent[k],
                               target.process, p["begin"] if p["request"] else "-", got[k]))

    def begin(self, rank, kind, comm, peer, tag, size):
        handle = comm.handles[rank.number]
        waits = kind in ("Isend", "Irecv") or kind.endswith("_init")
        request = rank.request() if waits else None
        while waits and request in rank.__dict__.setdefault("open", set()):
            request = rank.request()
        if waits:
            rank.open.add(request)
        if kind == "Recv":  # its row is written when it is complete
            return {"begin": None, "end": None, "request": None, "recv": (handle, tag, peer, size)}
        begin, end = rank.call()
        rank.add("MPI_P2P_EVENTS", begin, end, rank.tid, rank.text("MPI_" + kind), handle, tag, peer, size, request)
        if kind.endswith("_init"):
            begin, end = rank.call()
            rank.add("MPI_START_WAIT_EVENTS", begin, end, rank.tid, rank.text("MPI_Start"), request)
        return {"begin": begin, "end": end, "request": request}

    def complete(self, rank, start, until):
        if "recv" in start:
            handle, tag, peer, size = start["recv"]
            begin, end = rank.call(until=until)
            rank.add("MPI_P2P_EVENTS", begin, end, rank.tid, rank.text("MPI_Recv"), handle, tag, peer, size, None)
            return end
        if start["request"] is None:
            return "-"
        while self.rng.random() < 0.3:  # not yet
            begin, end = rank.call()
            rank.add("MPI_START_WAIT_EVENTS", begin, end, rank.tid, rank.text("MPI_Test"), start["request"])
        begin, end = rank.call(until=until)
        name = self.rng.choice(["MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Test"])
        rank.add("MPI_START_WAIT_EVENTS", begin, end, rank.tid, rank.text(name), start["request"])
        rank.open.discard(start["request"])
        return end

    def collective(self, comm):
        rng = self.rng
        name = rng.choice(list(OPERATIONS))
        root = rng.randrange(len(comm.members)) if OPERATIONS[name] else None
        size, at_once = (0 if name == "Barrier" else rng.choice([8, 400])), rng.random() < 0.4
        latest = max(self.ranks[r].now for r in comm.members) + 50
        for local, r in enumerate(comm.members):
            rank = self.ranks[r]
            handle, request = comm.handles[r], None
            begin, end = rank.call(until=None if at_once else latest)
            if at_once:
                request = rank.request()
                while request in rank.__dict__.setdefault("open", set()):
                    request = rank.request()
                rank.add("MPI_COLLECTIVES_EVENTS", begin, end, rank.tid, rank.text("MPI_I" + name[0].lower() + name[1:]), handle, root,
                         size, size, request)
                at, end = rank.call(until=latest)
                rank.add("MPI_START_WAIT_EVENTS", at, end, rank.tid, rank.text("MPI_Wait"), request)
            else:
                rank.add("MPI_COLLECTIVES_EVENTS", begin, end, rank.tid, rank.text("MPI_" + name), handle, root, size, size, None)
            sent = received = size
            if name == "Bcast":
                sent, received = (size, 0) if local == root else (0, size)
            elif name == "Scatterv":
                sent = size if local == root else 0
            elif root is not None:
                received = size if local == root else 0
            self.truth.append(("collective", comm.name, comm.done, name.upper(), "-" if root is None else root, rank.process,
                               "thread %d" % rank.pid, begin, end, sent, received))
        comm.done += 1

    def noise(self):
        """calls that are in no pair: to nobody, and of which the other side isn't stated is none here"""
        rank = self.rng.choice(self.ranks)
        begin, end = rank.call()
        rank.add("MPI_P2P_EVENTS", begin, end, rank.tid, rank.text("MPI_Send"), self.world.handles[rank.number], 5, -2, 8, None)

    def run(self, steps, short):
        for step in range(steps):
            what = self.rng.random()
            comm = self.rng.choice(self.comms)
            if what < 0.05:
                self.make_comm()
            elif what < 0.1:
                self.noise()
            elif what < 0.6:
                a, b = self.rng.sample(range(len(comm.members)), 2)
                self.message(comm, a, b, self.rng.randrange(3), short and step == steps // 2)
            else:
                self.collective(comm)

    def write(self, folder, late, together):
        texts = {}
        for rank in self.ranks:
            path = os.path.join(folder, "rank%d.sqlite" % (0 if together else rank.number))
            db = sqlite3.connect(path)
            for table, columns in TABLES.items() if rank.number == 0 or not together else ():
                more = ", commUid INTEGER" if self.uid and table == "MPI_COMMUNICATORS" else ""
                db.execute("CREATE TABLE %s (%s)" % (table, columns + more))
            db.execute("INSERT INTO MPI_RANKS VALUES (?, ?)", (rank.tid, rank.number))
            for name, number in rank.strings.items():
                texts[number] = number + 100 * rank.number
                db.execute("INSERT INTO StringIds VALUES (?, ?)", (texts[number], name))
            self.rng.shuffle(rank.rows)  # tables are in no order
            for table, values in rank.rows:
                if late and rank.number == 1 and table != "MPI_COMMUNICATORS" and values[0] < rank.offset + rank.now // 2:
                    continue
                if table != "MPI_COMMUNICATORS":
                    values = (*values[:3], texts[values[3]], *values[4:])
                db.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(values))), values)
            db.commit()
            db.close()
        with open(os.path.join(folder, "truth"), "w") as file:
            file.write("\n".join(sorted("\t".join(map(str, l)) for l in self.truth)) + "\n")


# ------------------------------------------------------------------------------------------------------------- reading


def calls_of(path):
    """(process, rank, name, row) of all three tables, in the order of time, and what a handle is at a time"""
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    names = dict(tuple(r) for r in db.execute("SELECT id, value FROM StringIds"))
    ranks = {r["globalTid"] >> 24: r["rank"] for r in db.execute("SELECT * FROM MPI_RANKS")}
    made = [dict(r) for r in db.execute("SELECT * FROM MPI_COMMUNICATORS ORDER BY timestamp")]
    rows = []
    for table in "MPI_P2P_EVENTS", "MPI_COLLECTIVES_EVENTS", "MPI_START_WAIT_EVENTS":
        for r in db.execute("SELECT * FROM " + table):
            rows.append((r["start"], table, names[r["textId"]][4:], dict(r)))
    rows.sort(key=lambda r: (r[0], r[1]))
    for start, table, name, r in rows:
        bits = r["globalTid"] >> 24
        process = "%s: process %d" % (os.path.basename(path), bits & 0xffffff)
        rank, local, comm = ranks[bits], ranks[bits], (WORLD, 0)
        if table != "MPI_START_WAIT_EVENTS":
            same = [m for m in made if m["commHandle"] == r["commHandle"] and m["rank"] == rank]
            at = [m for m in same if m["timestamp"] <= start][-1:] or same[:1]
            for m in at:
                number = m.get("commUid")
                label = "MPI communicator %d" % number if number is not None else "MPI communicator %d of rank %d" % (
                    m["groupRootUid"], m["groupRoot"])
                comm, local = (label, m["size"]), m["localRank"]
        yield process, comm, local, table, name, r


def read(paths):
    sends, receives, members = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(dict)
    operations = collections.defaultdict(list)
    for path in paths:
        requests = {}

        def done(request):
            if request and request["active"]:
                request["active"] = False
                if request["end"] is None and request["side"] is not sends:
                    return
                request["side"][request["key"]].append(dict(request))

        for process, comm, local, table, name, r in calls_of(path):
            handle = r["requestHandle"]
            if table == "MPI_START_WAIT_EVENTS":
                request = requests.get((process, handle))
                if name == "Start" and request:
                    done(request)
                    request.update(active=True, end=None, begin=r["start"])
                elif request and request["active"]:
                    request["end"] = r["end"]
                continue
            request = {"process": process, "begin": r["start"], "end": r["end"], "waits": False, "active": True, "r": r, "name": name,
                       "local": local}
            if table == "MPI_P2P_EVENTS":
                if r["remoteRank"] < 0:
                    continue
                sender = "end" in name.lower() and "ecv" not in name
                key = (comm, local, r["remoteRank"], r["tag"]) if sender else (comm, r["remoteRank"], local, r["tag"])
                request.update(side=sends if sender else receives, key=key)
            else:
                request.update(side=operations, key=(comm, local))
                if name[0] == "I":
                    request["name"] = name[1].upper() + name[2:]
            members[comm][local] = process
            if handle is None:
                done(request)
            else:
                done(requests.get((process, handle)))
                request.update(waits=True, end=None, active=not name.endswith("_init"))
                requests[process, handle] = request
        for request in requests.values():
            done(request)
    lines = []
    for key in sorted(set(sends) | set(receives)):
        there, back = (sorted(side[key], key=lambda e: e["begin"]) for side in (sends, receives))
        if len(there) != len(back) or any(0 < b["r"]["size"] < a["r"]["size"] for a, b in zip(there, back)):
            continue
        for a, b in zip(there, back):
            lines.append(("message", key[0][0], key[3], a["r"]["size"] or b["r"]["size"], a["process"], a["begin"],
                          a["end"] if a["waits"] and a["end"] is not None else "-", b["process"], b["begin"] if b["waits"] else "-", b["end"]))
    for comm in {c for c, _ in operations}:
        size = comm[1] or max(members[comm]) + 1
        done = {local: sorted(all_, key=lambda o: o["begin"]) for (c, local), all_ in operations.items() if c == comm}
        kinds = {tuple((o["name"], o["r"]["rootRank"], o["r"]["size"] if o["name"] in ("Allreduce", "Bcast", "Reduce") else 0)
                       for o in all_) for all_ in done.values()}
        if set(done) != set(range(size)) or len(kinds) > 1:
            continue
        for local, all_ in done.items():
            for k, o in enumerate(all_):
                size, root = o["r"]["size"], o["r"]["rootRank"]
                sent = received = size
                if o["name"] == "Bcast":
                    sent, received = (size, 0) if local == root else (0, size)
                elif o["name"] == "Scatterv":
                    sent = size if local == root else 0
                elif root is not None:
                    received = size if local == root else 0
                lines.append(("collective", comm[0], k, o["name"].upper(), "-" if root is None else root, o["process"],
                              "thread %d" % (o["r"]["globalTid"] & 0xffffff), o["begin"], o["end"], sent, received))
    print("\n".join(sorted("\t".join(map(str, l)) for l in lines)))


if sys.argv[1] == "make":
    flaw = sys.argv[4] if len(sys.argv) > 4 else ""
    program = Program(int(sys.argv[2]), int(sys.argv[2]) % 2)
    program.run(300, flaw == "short")
    program.write(sys.argv[3], flaw == "late", flaw == "together")
else:
    read(sys.argv[2:])
