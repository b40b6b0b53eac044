# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Databases of results with the tables that tcflow-scaling reads, as doc/results.md tells of them.

  write(FILE, processes, vertices, own, waits, delays)

vertices: {call path: kind}, parents before their children; a call path of kind computation is PARENT/(after CALL).
own, delays: {(call path, rank): seconds}; waits: {(call path, rank, call path waited for, rank waited for): seconds}.
Locations have ids that are not their indices. Program order is that of the vertices."""

import os
import sqlite3

RUN = {"status": "complete", "processes": 1}
VERTICES = ["vertex", "parent", "kind", "region", "file", "line", "after", "to", "call_path"]


def location_id(rank):
    return 7000 - 3 * rank if rank < 1000 else 10 * rank


class Database:
    def __init__(self, path, application=0x7463666C, schema=1):
        if os.path.exists(path):
            os.remove(path)
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.execute("PRAGMA application_id = %d" % application)
        self.db.execute("PRAGMA user_version = %d" % schema)
        self.db.execute("CREATE TABLE tables (sql_table, place, instance, filter, name, title, n_rows)")
        self.db.execute("CREATE TABLE columns (sql_table, position, sql_column, name, type, stored, unit, help, detail)")

    def table(self, filter, name, columns, rows):
        sql = '%s_%s' % (filter, name) if filter else name
        self.db.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, '', 0)",
                        (sql, "chain" if filter else "framework", filter, filter, name))
        self.db.executemany("INSERT INTO columns VALUES (?, ?, ?, ?, '', '', '', '', 0)",
                            [(sql, i + 1, c, c) for i, c in enumerate(columns)])
        self.db.execute('CREATE TABLE "%s" (%s)' % (sql, ", ".join('"%s"' % c for c in columns)))
        self.db.executemany('INSERT INTO "%s" VALUES (%s)' % (sql, ", ".join("?" * len(columns))), rows)

    def close(self):
        self.db.commit()
        self.db.close()


def parent_of(path, vertices):
    above = path.rpartition("/")[0]
    return above if path != "" and above in vertices else None


def region_of(path, kind):
    return path.split("/")[-2 if kind == "computation" else -1]


def order_of(vertices):
    """Rows parent, vertex, next, count: each child behind the one before, by their numbers."""
    names, rows, children = list(vertices), [], {}
    for i, path in enumerate(names):
        parent = parent_of(path, vertices)
        if parent is not None:
            children.setdefault(names.index(parent), []).append(i)
    for parent, these in children.items():
        rows += [(parent, a, b, 10) for a, b in zip([None] + these, these + [None])]
    return rows


def write(path, processes, vertices, own, waits=(), delays=(), visits=10, without=(), status="complete", order=None,
          places=None, file="program.c"):
    waits, delays = dict(waits), dict(delays)
    names = list(vertices)
    number = {name: i for i, name in enumerate(names)}
    time, waiting = {}, {}
    for (vertex, rank), seconds in own.items():
        time[number[vertex], rank] = time.get((number[vertex], rank), 0) + seconds
    for (vertex, rank, _, _), seconds in waits.items():
        cell = number[vertex], rank
        time[cell] = time.get(cell, 0) + seconds
        waiting[cell] = waiting.get(cell, 0) + seconds
    db = Database(path)
    db.table(None, "run", list(RUN), [(status, processes)])
    tables = {
        "vertices": (VERTICES, [(i, number.get(parent_of(v, vertices)), vertices[v], region_of(v, vertices[v]), file,
                                 10 * (1 + number.get(parent_of(v, vertices), 0) if vertices[v] == "computation" else i + 1),
                                 None, None, v) for i, v in enumerate(names)]),
        "places": (["location", "name", "process", "rank", "thread", "type", "id"],
                   places or [(r, "Rank %d" % r, r, r, 0, "cpu", location_id(r)) for r in range(processes)]),
        "values": (["vertex", "location", "visits", "time_s", "waiting_s"],
                   [(v, r, visits, t, waiting.get((v, r), 0)) for (v, r), t in sorted(time.items())]),
        "edges": (["vertex", "location", "from_vertex", "from_location", "pattern", "count", "bytes", "waiting_s"],
                  [(number[v], r, number.get(f), q, "mpi_latesender", 1, 8, s) for (v, r, f, q), s in waits.items()]),
        "order": (["parent", "vertex", "next", "count"], order or order_of(vertices)),
    }
    for name, (columns, rows) in tables.items():
        if name not in without:
            db.table("ppg", name, columns, rows)
    if "locations" not in without:
        db.table("root_cause", "locations", ["pattern", "location", "short_term", "long_term", "call_path"],
                 [("mpi_latesender", location_id(r), s / 4, 3 * s / 4, v) for (v, r), s in delays.items()])
    db.close()
