# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""nsight.py [short] FILE: what an export of Nsight Systems holds, in the lines of printed.py, without a join: names are looked up in
a dictionary. Standard library only. nsight.py make SEED FILE: makes a small export, with tables and columns as Nsight's."""

import random
import sqlite3
import sys

COPIES = {1: "Memcpy HtoD", 2: "Memcpy DtoH", 3: "Memcpy HtoA", 4: "Memcpy AtoH", 5: "Memcpy AtoA", 6: "Memcpy AtoD", 7: "Memcpy DtoA",
          8: "Memcpy DtoD", 9: "Memcpy HtoH", 10: "Memcpy PtoP", 11: "Unified memory HtoD", 12: "Unified memory DtoH",
          13: "Unified memory DtoD"}
SYNCS = {1: "Event sync", 2: "Stream wait event", 3: "Stream sync", 4: "Context sync"}
THREAD_TABLES = {"CUPTI_ACTIVITY_KIND_RUNTIME": "nameId", "MPI_P2P_EVENTS": "textId", "MPI_COLLECTIVES_EVENTS": "textId",
                 "MPI_START_WAIT_EVENTS": "textId", "MPI_OTHER_EVENTS": "textId", "OSRT_API": "nameId", "CUBLAS_EVENTS": "nameId",
                 "CUDNN_EVENTS": "nameId"}
ID = 0xffffff


def read(path, kernels):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    have = {name for name, in db.execute("SELECT name FROM sqlite_master")}
    names = dict(tuple(r) for r in db.execute("SELECT id, value FROM StringIds"))
    lines, processes, threads = [], {}, {}

    def rows(table):
        return db.execute("SELECT * FROM " + table) if table in have else []

    for r in rows("PROCESSES"):
        if r["name"] is not None:
            processes[r["globalPid"] >> 24] = "%s, process %d" % (r["name"], r["globalPid"] >> 24 & ID)
    for r in rows("ThreadNames"):
        threads[r["globalTid"]] = "%s, thread %d" % (names[r["nameId"]], r["globalTid"] & ID)

    def process(id_):
        return processes.get((id_ or 0) >> 24, "process %d" % ((id_ or 0) >> 24 & ID))

    def thread(id_):
        return process(id_), threads.get(id_, "thread %d" % (id_ & ID))

    def stream(r, last):
        return process(r["globalPid"]), "GPU %d, context %d, %s" % (r["deviceId"], r["contextId"], last)

    def call(where, r, name):
        lines.append("\t".join(["call", *where, str(r["start"]), "-" if r["end"] is None else str(r["end"]), name]))

    for table, column in THREAD_TABLES.items():
        for r in rows(table):
            call(thread(r["globalTid"]), r, names.get(r[column], "(no name)"))
    for r in rows("NVTX_EVENTS"):
        text = r["text"] if r["text"] is not None else names.get(r["textId"], "(no name)")
        if r["eventType"] in (59, 60):
            call(thread(r["globalTid"]), r, text)
        elif r["eventType"] == 34:
            lines.append("\t".join(["note", *thread(r["globalTid"]), str(r["start"]), "NVTX mark", text]))
    for r in rows("CUPTI_ACTIVITY_KIND_KERNEL"):
        call(stream(r, "stream %d" % r["streamId"]), r, names.get(r[kernels], "(no name)"))
    for table in "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET":
        for r in rows(table):
            where = stream(r, "stream %d" % r["streamId"])
            call(where, r, COPIES.get(r["copyKind"], "Memcpy") if table.endswith("MEMCPY") else "Memset")
            lines.append("\t".join(["count", *where, str(r["start"]), "bytes of copies and memsets", str(r["bytes"])]))
    for r in rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"):
        call(stream(r, "synchronisation"), r, SYNCS.get(r["syncType"], "Sync"))
    print("\n".join(sorted(lines)))


def make(seed, path):
    rng, db = random.Random(seed), sqlite3.connect(path)
    device = "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER"
    for table, columns in {
            "StringIds": "id INTEGER PRIMARY KEY, value TEXT", "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
            "ThreadNames": "nameId INTEGER, priority INTEGER, globalTid INTEGER",
            "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
            "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER",
            "MPI_P2P_EVENTS": "start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER, size INTEGER, remoteRank INTEGER",
            "OSRT_API": "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER",
            "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER, end INTEGER, " + device + ", demangledName INTEGER, shortName INTEGER",
            "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER, end INTEGER, " + device + ", bytes INTEGER, copyKind INTEGER",
            "CUPTI_ACTIVITY_KIND_MEMSET": "start INTEGER, end INTEGER, " + device + ", bytes INTEGER",
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start INTEGER, end INTEGER, " + device + ", syncType INTEGER"}.items():
        db.execute("CREATE TABLE %s (%s)" % (table, columns))

    def add(table, *values):
        db.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(values))), values)

    names = ["cudaLaunchKernel_v7000", "MPI_Send", "read", "void f<int>(int*)", "f", "a \"b\"", "Ärger"]
    for number, name in enumerate(names):
        add("StringIds", number, name)
    for pid in 11, 12:
        process = 1 << 48 | pid << 24
        add("PROCESSES", process, pid, "app" if pid == 11 else None)
        add("ThreadNames", 2, 0, process | 12)
        for tid in 11, 12:
            now = rng.randrange(10**6)
            for k in range(200):
                now += rng.randrange(1000)
                end = now + rng.randrange(2000)
                table = rng.choice(["CUPTI_ACTIVITY_KIND_RUNTIME", "MPI_P2P_EVENTS", "OSRT_API", "NVTX_EVENTS"])
                if table == "CUPTI_ACTIVITY_KIND_RUNTIME":
                    add(table, now, end, process | tid, k, 0)
                elif table == "MPI_P2P_EVENTS":
                    add(table, now, end, process | tid, 1, 8, 0)
                elif table == "OSRT_API":
                    add(table, now, end, process | tid, 2 if k % 5 else 99)
                else:
                    kind = rng.choice([59, 60, 34, 75])
                    add(table, now, None if kind == 34 else end, kind, rng.choice([None, "range"]), process | tid, 5)
        for k in range(200):
            at, common = rng.randrange(10**6), (0, 1, rng.choice([7, 13]), k, process)
            add("CUPTI_ACTIVITY_KIND_KERNEL", at, at + rng.randrange(10**4), *common, 3, 4)
            add("CUPTI_ACTIVITY_KIND_MEMCPY", at, at + 5, *common, 1 << 40, rng.randrange(15))
            add("CUPTI_ACTIVITY_KIND_MEMSET", at, at, *common, 4)
            add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", at, at + 9, 0, 1, 2**32 - 1, k, process, rng.randrange(6))
    db.commit()


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3])
else:
    read(sys.argv[-1], "shortName" if sys.argv[1] == "short" else "demangledName")
