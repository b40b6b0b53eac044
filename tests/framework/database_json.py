# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""database_json.py DATABASE PLACE:INSTANCE=REPORT.json...: are the tables of a database those of the JSON of the same run?

Every table of every report, in both directions: names, titles, columns with type, unit and help, rows in their order, each
value exactly, and of the storage class that `columns` names. Says what differs, and ends with 1 then.
"""
import json
import sqlite3
import sys

differences = 0


def differ(*words):
    global differences
    differences += 1
    if differences <= 20:
        print(*words)


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        differ("a name twice in JSON:", names)
    return dict(pairs)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


STORED = {"INTEGER": int, "REAL": float, "TEXT": str}


def equal(value, expected, stored, kind):
    if expected is None or value is None:
        return value is expected
    if type(value) is not STORED[stored]:
        return False
    if kind == "uint" and stored == "TEXT":
        return str(int(value)) == value and int(value) == expected
    return value == expected


def compare_table(db, where, sql_table, table):
    columns = db.execute("SELECT sql_column, name, type, stored, unit, help FROM columns WHERE sql_table = ? "
                         "ORDER BY position", (sql_table,)).fetchall()
    declared = [(c[1], c[2]) for c in db.execute("PRAGMA table_info(%s)" % quoted(sql_table))]
    if declared != [(c[0], c[3]) for c in columns]:
        differ(where, "is declared as", declared, "but described as", columns)
    expected = [(c["name"], c["type"], c["unit"], c["help"]) for c in table["columns"]]
    if [(c[1], c[2], c[4], c[5]) for c in columns] != expected:
        differ(where, "columns:", columns, "expected:", expected)
        return 0
    for _, name, kind, stored, _, _ in columns:
        beyond = kind == "uint" and any((r[name] or 0) > 2**63 - 1 for r in table["rows"])
        if stored != {"text": "TEXT", "int": "INTEGER", "double": "REAL", "uint": "TEXT" if beyond else "INTEGER"}[kind]:
            differ(where, name, kind, "is stored as", stored)
    rows = db.execute("SELECT * FROM %s ORDER BY rowid" % quoted(sql_table)).fetchall()
    if len(rows) != len(table["rows"]):
        differ(where, "rows:", len(rows), "expected:", len(table["rows"]))
    for number, (row, wanted) in enumerate(zip(rows, table["rows"])):
        for value, (_, name, kind, stored, _, _) in zip(row, columns):
            if not equal(value, wanted[name], stored, kind):
                differ(where, "row", number, name, repr(value), "expected:", repr(wanted[name]))
    return len(rows) * len(columns)


def main():
    db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
    if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        differ("integrity_check:", db.execute("PRAGMA integrity_check").fetchall())
    listed = {}
    for sql_table, place, instance, name, title, n_rows in db.execute(
            "SELECT sql_table, place, instance, name, title, n_rows FROM tables"):
        if place != "framework":
            listed[place, instance, name] = sql_table, title, n_rows
    values = 0
    for argument in sys.argv[2:]:
        who, path = argument.split("=", 1)
        place, instance = who.split(":")
        with open(path, encoding="utf-8") as file:
            report = json.load(file, object_pairs_hook=once)
        for name, table in report.items():
            sql_table, title, n_rows = listed.pop((place, instance, name), (None, None, None))
            where = "%s of %s:" % (name, who)
            if sql_table is None or title != table["title"] or n_rows != len(table["rows"]):
                differ(where, "is listed as", sql_table, title, n_rows)
            else:
                values += compare_table(db, where, sql_table, table)
    if listed:
        differ("tables that no JSON has:", list(listed))
    print("%d values compared, %d differences" % (values, differences))
    sys.exit(1 if differences or values == 0 else 0)


main()
