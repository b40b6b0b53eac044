#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Holds the JSON of tcflow-scaling against its table in doc/results.md: schema.py RESULTS.md SAID.json. Each value has a
row and its type, and each row whose list is not empty has a value."""

import json
import re
import sys

TYPES = {"text": str, "uint": int, "double": (int, float), "bool": bool, "null": type(None)}
text = open(sys.argv[1], encoding="utf-8").read().split("## What keeps a program from scaling")[1].split("\n## ")[0]
rows = {key: types.split(", ") for key, types in re.findall(r"^\| `([^`]+)` \| ([a-z, ]+?) \|", text, re.M)}
lists = {key[:m.end()] for key in rows for m in re.finditer(r"\[\]", key)}
said = json.load(open(sys.argv[2], encoding="utf-8"))
wrong = []


def is_of(value, kind):
    return isinstance(value, TYPES[kind]) and (kind == "bool" or not isinstance(value, bool)) and (kind != "uint" or value >= 0)


def check(value, key):
    if isinstance(value, dict):
        there = {re.sub(r"\[\].*|\..*", "", r[len(key) + 1 if key else 0:])
                 for r in rows if not key or r.startswith(key + ".")}
        wrong.extend("%s: %s is missing" % (key, k) for k in there - set(value))
        for k, v in value.items():
            check(v, "%s.%s" % (key, k) if key else k)
    elif isinstance(value, list):
        if key + "[]" not in lists:
            wrong.append("%s: a list without rows" % key)
        for v in value:
            check(v, key + "[]")
    elif key not in rows:
        wrong.append("%s: no row" % key)
    elif not any(is_of(value, t) for t in rows[key]):
        wrong.append("%s: %r is none of %s" % (key, value, ", ".join(rows[key])))


assert len(rows) > 50, "the table was not found"
check(said, "")
print("\n".join(sorted(set(wrong))))
sys.exit(bool(wrong))
