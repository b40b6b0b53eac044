#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""same_csv.py RESULT.json RESULT.csv: both forms have the same tables, columns and values."""
import csv
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    tables = json.load(f)
with open(sys.argv[2], encoding="utf-8", newline="") as f:
    lines = list(csv.reader(f))
expected = []
for name, table in tables.items():
    columns = table["columns"]
    if expected:
        expected.append([])
    expected.append(["table"] + [c["name"] + (" [%s]" % c["unit"] if c["unit"] else "") for c in columns])
    for row in table["rows"]:
        expected.append([name] + [row[c["name"]] for c in columns])
wrong = [] if len(lines) == len(expected) else ["%d lines, expected %d" % (len(lines), len(expected))]
for got, want in zip(lines, expected):
    for g, w in zip(got, want):
        if g != ("" if w is None else w) and not (isinstance(w, (int, float)) and g != "" and float(g) == w):
            wrong.append("%r, expected %r in %r" % (g, w, want[:3]))
print("\n".join(wrong[:10]))
sys.exit(bool(wrong))
