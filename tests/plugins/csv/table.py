# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""table.py [KEY=COLUMN...] FILE: what a table of events holds, in the lines of printed.py, by Python's parser. KEY: time, event, name,
process, thread; begin and end, or begin and duration, for tables of calls. unit=NAME for times without one in the column's name."""

import sys


import collections
import csv
import decimal
import gzip
import re

given = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
path, = [a for a in sys.argv[1:] if "=" not in a]
separator = given.pop("separator", ",")
unit = given.pop("unit", None)
opened = gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="", encoding="utf-8-sig")
table = [[c.strip(" \t") for c in row] for row in csv.reader(opened, delimiter=separator, skipinitialspace=True) if any(c.strip() for c in row)]
header, rows = table[0], table[1:]
column = {"event": "Event Type", "name": "Name", "process": "Process", "thread": "Thread", **given}
if "begin" not in column and "time" not in column:
    column["time"] = next(h for h in header if h.startswith("Timestamp"))
EXPONENT = {"s": 9, "ms": 6, "us": 3, "ns": 0}
lines = []
marks = collections.defaultdict(list)


def cell(row, key, otherwise=None):
    name = column.get(key)
    return row[header.index(name)] if name in header else otherwise


def ns(row, key):
    in_name = re.search(r"\((s|ms|us|ns)\)", column[key])
    exponent = EXPONENT[unit or (in_name[1] if in_name else "ns")]
    return int(decimal.Decimal(cell(row, key)).scaleb(exponent).to_integral_value(decimal.ROUND_HALF_UP))


for number, row in enumerate(rows):
    at = "process " + cell(row, "process", "0"), "thread " + cell(row, "thread", "0")
    name = cell(row, "name")
    if "begin" in column:
        begin = ns(row, "begin")
        end = ns(row, "end") if "end" in column else begin + ns(row, "duration")
        lines.append("\t".join(["call", *at, str(begin), str(end), name]))
        continue
    kind = cell(row, "event")
    if kind in ("Enter", "Leave"):
        marks[at].append((ns(row, "time"), number, kind, name))
    else:
        lines.append("\t".join(["note", *at, str(ns(row, "time")), kind, name]))
for at, its in marks.items():
    stack = []
    for time, _, kind, name in sorted(its):
        if kind == "Enter":
            stack.append((time, name))
            continue
        assert name in [n for _, n in stack] or not name, name
        while True:
            begin, opened_name = stack.pop()
            lines.append("\t".join(["call", *at, str(begin), str(time), opened_name]))
            if opened_name == name or not name:
                break
    for begin, name in stack:
        lines.append("\t".join(["call", *at, str(begin), "-", name]))
print("\n".join(sorted(lines)))
