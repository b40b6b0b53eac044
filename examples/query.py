#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""What is in a database of results: python3 examples/query.py run.sqlite ['SELECT ...']

Needs nothing but Python's standard library. Without a question it shows the run, the tables and views, and the views that
are looked at first. With pandas or DuckDB see doc/results.md.
"""
import os
import sqlite3
import sys


def shown(value):
    if value is None:
        return "-"
    return "%.6g" % value if isinstance(value, float) else str(value)


def show(db, question, parameters=()):
    """A question's answer as a table, numbers to the right."""
    cursor = db.execute(question, parameters)
    names = [d[0] for d in cursor.description]
    rows = cursor.fetchall()
    lines = [names] + [[shown(v) for v in row] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    numbers = [all(isinstance(row[i], (int, float, type(None))) for row in rows) for i in range(len(names))]
    for line in lines:
        cells = [c.rjust(w) if n else c.ljust(w) for c, w, n in zip(line, widths, numbers)]
        print("  " + "  ".join(cells).rstrip())
    print()


def overview(db):
    views = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    print("The run\n")
    show(db, "SELECT input, status, locations, events, duration AS duration_s, date, tcflow_version FROM run")
    print("Tables\n")
    show(db, "SELECT sql_table, n_rows, title FROM tables")
    print("Views: " + ", ".join(views) + "\n")
    for view, title, columns in (
            ("findings", "What check has found", "*"),
            ("corrected_violations", "Violations of the clock condition, before and after",
             "class, targets, violated_before, violated_after"),
            ("flat_profile", "Where the time goes", "region, percent, exclusive_s, visits"),
            ("waits_by_callpath", "What waits, and where", "pattern, call_path, time_s, count")):
        if view in views:
            print(title + "\n")
            show(db, "SELECT %s FROM %s LIMIT 10" % (columns, view))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        with sqlite3.connect(sys.argv[1]) as db:
            if db.execute("PRAGMA application_id").fetchone()[0] != 0x7463666C:
                sys.exit("%s: no database of results of tcflow" % sys.argv[1])
            if len(sys.argv) == 3:
                show(db, sys.argv[2])
            else:
                overview(db)
        sys.stdout.flush()
    except sqlite3.Error as error:
        sys.exit("%s: %s" % (sys.argv[1], error))
    except BrokenPipeError:  # the reader has gone: query.py run.sqlite | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


main()
