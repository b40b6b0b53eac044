#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Writes a database of results as doc/results.md tells of it, from a description in JSON on standard input:

  make_database.py FILE <DESCRIPTION

  {"run": {"processes": 2, "duration": 1.5, ...}, "losses": 0,
   "flat": [[region, exclusive, inclusive, visits], ...], "tree": [[depth, region, exclusive, inclusive, visits], ...],
   "patterns": [[pattern, title, time, count], ...], "paths": [[pattern, call path, time, count], ...],
   "loads": [[region, max, mean], ...], "share": of all regions together (100), "user_version": 1, "application_id": ...,
   "instance": {filter: [names]}, "drop_column": [table, column], "sql": [statements at the end]}
What is not described has no table.
"""
import json
import sqlite3
import sys

RUN = {"tcflow_version": "0.1.0", "date": "2026-01-01T00:00:00Z", "status": "complete", "settings": None, "survey": None,
       "chain": "profile", "input": "traces.otf2", "trace_id": "", "creator": "", "machine": "", "locations": None,
       "processes": 1, "events": 0, "ticks_per_second": 10**9, "duration_ticks": 0, "duration": 1.0, "run_time": 0.0,
       "run_cpu_time": 0.0, "peak_memory": 0}


class Database:
    def __init__(self, path, description):
        self.db = sqlite3.connect(path)
        self.dropped = description.get("drop_column")
        self.db.execute("PRAGMA application_id = %d" % description.get("application_id", 0x7463666C))
        self.db.execute("PRAGMA user_version = %d" % description.get("user_version", 1))
        self.db.execute("CREATE TABLE tables (sql_table TEXT, place TEXT, instance TEXT, filter TEXT, name TEXT, "
                        "title TEXT, n_rows INTEGER)")
        self.db.execute("CREATE TABLE columns (sql_table TEXT, position INTEGER, sql_column TEXT, name TEXT, type TEXT, "
                        "stored TEXT, unit TEXT, help TEXT, detail INTEGER)")

    def table(self, filter, instance, name, columns, rows):
        sql = name if filter is None else instance + "_" + name
        kept = [i for i, c in enumerate(columns) if [name, c] != self.dropped]
        self.db.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, '', ?)",
                        (sql, "framework" if filter is None else "chain", instance, filter, name, len(rows)))
        for position, i in enumerate(kept):
            self.db.execute("INSERT INTO columns VALUES (?, ?, ?, ?, '', '', NULL, '', 0)",
                            (sql, position + 1, columns[i], columns[i]))
        quoted = '"' + sql.replace('"', '""') + '"'
        self.db.execute("CREATE TABLE %s (%s)" % (quoted, ", ".join('"' + columns[i] + '"' for i in kept)))
        for row in rows:
            self.db.execute("INSERT INTO %s VALUES (%s)" % (quoted, ", ".join("?" * len(kept))), [row[i] for i in kept])


def main():
    d = json.load(sys.stdin)
    db = Database(sys.argv[1], d)
    run = dict(RUN, **d.get("run", {}))
    run["locations"] = run["processes"] if run["locations"] is None else run["locations"]
    db.table(None, None, "run", list(run), [list(run.values())])
    db.table(None, None, "notes", ["note", "count", "meaning"], [])
    db.table(None, None, "losses", ["location", "last_good", "file", "reason"], [[0, "1", "f", "r"]] * d.get("losses", 0))

    def each(filter, name, columns, rows):
        for i, instance in enumerate(d.get("instance", {}).get(filter, [filter])):
            # Further instances have ten times the values of the first one.
            db.table(filter, instance, name, columns,
                     [[v * 10**i if isinstance(v, float) else v for v in row] for row in rows])

    if "flat" in d:
        whole = sum(row[1] for row in d["flat"] if row[1] is not None)
        each("profile", "flat_profile", ["share", "exclusive", "inclusive", "visits", "region"],
             [[round(d.get("share", 100) * (r[1] or 0) / whole, 2) if whole else 0, r[1], r[2], r[3], r[0]]
              for r in d["flat"]])
    if "tree" in d:
        each("profile", "calltree_profile", ["inclusive", "exclusive", "visits", "depth", "call_path"],
             [[r[3], r[2], r[4], r[0], "  " * min(r[0] - 1, 64) + r[1]] for r in d["tree"]])
    if "patterns" in d:
        each("wait_states", "patterns", ["title", "time", "count", "pattern", "unit"],
             [[p[1], p[2], p[3], p[0], "s"] for p in d["patterns"]])
    if "paths" in d:
        each("wait_states", "callpaths", ["pattern", "time", "count", "call_path"],
             [[p[0], p[2], p[3], p[1]] for p in d["paths"]])
    if "loads" in d:
        each("load_imbalance", "load_imbalance", ["max", "mean", "region"], [[r[1], r[2], r[0]] for r in d["loads"]])
    for statement in d.get("sql", []):
        db.db.execute(statement)
    db.db.commit()


main()
