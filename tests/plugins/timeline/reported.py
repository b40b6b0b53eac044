# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""timeline's report (format = json) in the form of oracle.py."""
import json

COLUMNS = {"windows": ("pattern", "location", "partner", "begin", "end", "from", "waiting"), "locations": ("location",),
           "intervals": ("location", "depth", "region", "cut", "begin", "end"),
           "messages": ("from", "to", "bytes", "sent", "received")}


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    for table, columns in COLUMNS.items():
        names = [c["name"] for c in report[table]["columns"]]
        for row in report[table]["rows"]:
            cells = dict(zip(names, row)) if isinstance(row, list) else row
            yield ",".join([table, str(cells["window"])] + [str(cells[c]) for c in columns])
