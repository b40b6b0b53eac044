# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""explained.py DATABASE: is every table, column and row of the reports in a database distinct from the others, and explained? Prints
what isn't."""
import collections
import sqlite3
import sys

# Numbers that have no unit: ratios, and averages of counts. What a table with a column `unit` states has it there.
PLAIN = {"imbalance", "imbalance_inside", "evenness", "likeness", "factor", "collectives", "least_gamma"}

db = sqlite3.connect(sys.argv[1])
bad = []


def several(values):
    """Those that are there more than once, or empty."""
    return [v for v, n in collections.Counter(values).items() if n > 1 or not v]


def shown(text):
    return "" if text is None else str(text).strip().lower()


tables = db.execute("SELECT sql_table, place, instance, title FROM tables WHERE sql_table IS NOT NULL").fetchall()
for place, instance in {t[1:3] for t in tables}:
    titles = several(shown(t[3]) for t in tables if t[1:3] == (place, instance))
    bad += [f"{instance}: tables titled '{title}'" for title in titles]

rows = 0
for table, _, _, _ in tables:
    columns = db.execute("SELECT sql_column, type, unit, help FROM columns WHERE sql_table = ? ORDER BY position", (table,)).fetchall()
    names = [c[0] for c in columns]
    bad += [f"{table}.{name}: no help" for name, _, _, text in columns if not shown(text)]
    bad += [f"{table}.{name}: no unit" for name, type_, unit, _ in columns
            if type_ == "double" and not unit and name not in PLAIN and "unit" not in names]
    # What a row is called: its title, or its first column where another one explains it.
    explains = [name for name in names if name in ("help", "meaning")]
    for column in {name for name in names if name == "title"} | ({names[0]} if explains else set()):
        called = [shown(r[0]) for r in db.execute(f'SELECT "{column}" FROM "{table}"')]
        rows += len(called)
        bad += [f"{table}.{column}: '{name}'" for name in several(called)]
    for column in explains:
        n = db.execute(f'SELECT count(*) FROM "{table}" WHERE trim(coalesce("{column}", \'\')) = \'\'').fetchone()[0]
        bad += [f"{table}.{column}: {n} rows without"] if n else []

if rows < 100:
    bad.append(f"only {rows} rows with a title")
print("\n".join(bad))
