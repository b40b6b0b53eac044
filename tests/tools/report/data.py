# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""The data of a page, read as tools/report/report.h describes it, without any of the page's code.

data.py same PAGE DATABASE     every value of the page against the database; says how many there are
data.py ask PAGE EXPRESSION    prints an expression of t(instance, name), a table, and column(table, name), its values
data.py make DATABASE          makes a database with values at the ends of their types, and texts that want to break out
data.py many DATABASE          one with tables of numbers that don't compress: 10, 1,000, 5,000 rows
"""
import base64
import json
import random
import sqlite3
import sys

EXACT = 1 << 53


def unpacked(text):
    values, value, number, shift = [], 0, 0, 0
    for byte in base64.b64decode(text, validate=True):
        number |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            value += -(number + 1 >> 1) if number & 1 else number >> 1
            values.append(value)
            number = shift = 0
    return values


def read(path):
    """{(instance, name): table}, whose columns have `cells`: Python's values."""
    page = open(path, encoding="utf-8").read()
    begin = page.index(">", page.index('<script type="application/json" id="results"')) + 1
    text = page[begin:page.index("</script>", begin)]
    assert not set("<>&\u2028\u2029") & set(text), "the data could end their element"
    data = json.loads(text)
    assert data["version"] == 3
    for table in data["tables"]:
        for c in table["columns"]:
            cells = unpacked(c["packed"]) if "packed" in c else c["values"]
            c["cells"] = [v / c["scale"] if "scale" in c else
                          (None if v is None or v < 0 else data["texts"][v]) if c["type"] == "text" else
                          int(v) if isinstance(v, str) else v for v in cells]
            assert len(cells) == table["rows"], "%s has other rows than it says" % c["name"]
    return {(t["place"], t["instance"], t["name"]): t for t in data["tables"]}


def same(page_path, database_path):
    page, db = read(page_path), sqlite3.connect(database_path)
    values, wrong = 0, []
    listed = db.execute("SELECT sql_table, place, instance, name, title, filter, n_rows FROM tables").fetchall()
    if sorted(map(repr, page)) != sorted(repr((p, i, n)) for _, p, i, n, *_ in listed):
        wrong.append("other tables")
    for sql, place, instance, name, title, kind, n_rows in listed:
        table = page[place, instance, name]
        if (table["title"], table["filter"], table["n_rows"]) != (title, kind, n_rows):
            wrong.append("%s: title, filter or rows" % name)
        columns = db.execute("SELECT sql_column, name, type, unit, help, detail FROM columns WHERE sql_table = ? "
                             "ORDER BY position", (sql,)).fetchall()
        columns = [c for c in columns if not (c[5] and c[3] == "ticks")]
        if [tuple(c[k] for k in ("name", "type", "unit", "help", "detail")) for c in table["columns"]] != \
                [c[1:] for c in columns]:
            wrong.append("%s: other columns" % name)
            continue
        for (column, *_, kind, _, _, _), c in zip([(c[0], c[1], c[2], c[3], c[4], c[5]) for c in columns],
                                                  table["columns"]):
            cells = [v for v, in db.execute('SELECT "%s" FROM "%s" ORDER BY rowid' % (
                column.replace('"', '""'), sql.replace('"', '""')))]
            if kind == "uint":
                cells = [None if v is None else int(v) for v in cells]
            shown = c["cells"]
            if len(shown) > n_rows or (n_rows < 10000 and len(shown) != n_rows) or shown != cells[:len(shown)]:
                wrong.append("%s.%s: %r instead of %r" % (name, column, shown[:5], cells[:5]))
            values += len(shown)
    print("\n".join(wrong[:20]) if wrong else "%s values" % ("no" if values == 0 else "all"))


TEXTS = ["</script><script>alert(1)</script>", "<!--", "]]>", "&lt;", "\"}];//", "\\", "'", "\u2028\u2029", "\ufffd",
         "\x01\x1f\x7f\r\n\t", "\U0001f600", "${x}`", "", "__proto__"]


ONE = ("chain", "one", "f")


def describe(db, tables):
    """Tables are ((place, instance, filter), name, columns, rows), columns (name, type, SQL type, unit, help, is detail)."""
    db.executescript("PRAGMA application_id = %d; PRAGMA user_version = 1;" % 0x7463666c +
                     "CREATE TABLE tables (sql_table TEXT, place TEXT, instance TEXT, filter TEXT, name TEXT, title TEXT, "
                     "n_rows INTEGER); CREATE TABLE columns (sql_table TEXT, position INTEGER, sql_column TEXT, name TEXT, "
                     "type TEXT, stored TEXT, unit TEXT, help TEXT, detail INTEGER);")
    for (place, instance, kind), name, columns, rows in tables:
        sql = name if instance in (None, ONE[1]) else "%s_%s" % (instance, name)
        quoted = '"%s"' % sql.replace('"', '""')
        if columns:
            db.execute("CREATE TABLE %s (%s)" % (quoted, ", ".join('"c%d" %s' % (i, c[2]) for i, c in
                                                                    enumerate(columns))))
            db.executemany("INSERT INTO %s VALUES (%s)" % (quoted, ", ".join("?" * len(columns))), rows)
        db.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?)",
                   (sql if columns else None, place, instance, kind, name, name, len(rows)))
        for i, (column, kind, stored, unit, text, detail) in enumerate(columns):
            db.execute("INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       (sql, i + 1, "c%d" % i, column, kind, stored, unit, text, detail))
    db.commit()


def make(path):
    columns = [("text", "text", "TEXT", None, "help", 0), ("int", "int", "INTEGER", "bytes", None, 1),
               ("uint", "uint", "TEXT", None, "", 0), ("double", "double", "REAL", "s", "", 0),
               ("double_ticks", "uint", "INTEGER", "ticks", "As double", 1),
               ("ticks", "uint", "INTEGER", "ticks", "Not a detail", 0)]
    rows = [("a", -1 << 63, str(EXACT), 0.1, 1, 7), (None, -5, str(EXACT + 1), None, 1, 8),
            ("", 0, str((1 << 64) - 1), -0.0, 1, 9), ("a", (1 << 63) - 1, "0", 5e-324, 1, 10)]
    steps = [0, 1, -1, 127, 128, -129, 1 << 51, -1 << 51, (1 << 51) - 1, 300]
    packed = [(steps[i % len(steps)], i % 3, 10 ** 6 + i * i) for i in range(997)]
    integers = [("a", "int", "INTEGER", None, None, 0), ("b", "uint", "INTEGER", None, None, 0),
                ("c", "uint", "INTEGER", None, None, 0)]
    almost = [(1 << 51,) if i != 500 else ((1 << 51) + 1,) for i in range(997)]
    absent = [(5,) if i != 500 else (None,) for i in range(997)]
    one = [("c", "uint", "INTEGER", None, None, 0)]
    ticks = random.Random(2)
    scaled = [(ticks.randrange(10 ** 9) / 1e9, ticks.randrange(10 ** 4) / 100, i / 1e9 if i != 500 else -0.0, 0.1 + i,
               "name %d" % (i % 7) if i % 5 else None) for i in range(997)]
    doubles = [(name, "double", "REAL", unit, None, 0) for name, unit in (("s", "s"), ("share", "%"), ("zero", "s"), ("x", None))]
    hostile = [(ONE, text, [(text, "text", "TEXT", text, text, 0)], [(text,)]) for text in TEXTS if text]
    describe(sqlite3.connect(path), [
        (ONE, "values", columns, rows), (ONE, "packed", integers, packed), (ONE, "almost", one, almost),
        (ONE, "absent", one, absent), (ONE, "empty", [], []), (ONE, "no rows", one, []), *hostile,
        (ONE, "scaled", [*doubles, ("text", "text", "TEXT", None, None, 0)], scaled)])
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE run (ticks_per_second INTEGER)")
    db.execute("INSERT INTO run VALUES (1000000000)")
    db.commit()


def many(path):
    column = [("c", "double", "REAL", None, None, 0)]
    numbers = random.Random(1)
    describe(sqlite3.connect(path), [(ONE, name, column, [(numbers.random() * 1e9,) for _ in range(n)])
                                     for name, n in (("short", 10), ("long", 1000), ("longer", 5000))])


def ask(path, expression):
    page = read(path)
    t = lambda instance, name: next(v for k, v in page.items() if k[1:] == (instance, name))
    column = lambda table, name: next(c["cells"] for c in table["columns"] if c["name"] == name)
    print(eval(expression, {"t": t, "column": column}) if not expression.startswith("*") else
          " ".join(map(str, eval("[%s]" % expression, {"t": t, "column": column}))))


if __name__ == "__main__":
    {"same": same, "make": make, "many": many, "ask": ask}[sys.argv[1]](*sys.argv[2:])
