#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""same_page.py RESULT.json DOM.html [--found TABLE TEXT] [--sorted TABLE COLUMN]: what a browser shows (its DOM) are the
values of the JSON, as text. --found: the table was searched, and all its rows have TEXT; --sorted: by falling numbers.
"""
import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    """{id of the section: [[text of each cell]]}, the first row being the heads."""

    def __init__(self):
        super().__init__()
        self.tables, self.section, self.cell = {}, None, None

    def handle_starttag(self, tag, attributes):
        if tag == "section":
            self.section = self.tables.setdefault(dict(attributes)["id"], [])
        elif tag == "tr":
            self.section.append([])
        elif tag in ("td", "th"):
            self.section[-1].append("")
            self.cell = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cell = False

    def handle_data(self, data):
        if self.cell:
            self.section[-1][-1] += data


def near(text, value, digits):
    """Is the text this value, but for its digits?"""
    if value is None:
        return text == "-"
    return abs(float(text) - value) <= 0.51 * 10.0**-digits * max(abs(value), 1e-300) * 10 or float(text) == value


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        tables = json.load(f)
    page = Page()
    with open(sys.argv[2], encoding="utf-8", newline="") as f:
        page.feed(f.read())
    found = dict([sys.argv[sys.argv.index("--found") + 1:][:2]]) if "--found" in sys.argv else {}
    wrong, cells = [], 0
    for name, rows in page.tables.items():
        texts = [[c.strip("\u00a0") for c in row] for row in rows[1:]]
        if name in found and not (texts and all(found[name] in row[0] for row in texts)):
            wrong.append("%s was not searched: %r" % (name, texts[:3]))
        if "--sorted" in sys.argv and sys.argv[sys.argv.index("--sorted") + 1] == name:
            column = [float(row[int(sys.argv[-1])]) for row in texts if row[int(sys.argv[-1])] != "-"]
            if column != sorted(column, reverse=True) or len(column) < 3:
                wrong.append("%s is not sorted: %r" % (name, column[:5]))
        if len(sys.argv) > 3 or name in ("changes", "notes", "runs") or name.startswith("scaling") or not tables[name]["rows"]:
            continue
        key = tables[name]["columns"][0]["name"]
        runs = list(dict.fromkeys(row["run"] for row in tables[name]["rows"]))
        items = [row for row in tables[name]["rows"] if row["run"] == runs[0]][:100]
        others = [row for row in tables[name]["rows"] if row["run"] == runs[1]][:100]
        if len(texts) != len(items):
            wrong.append("%s: %d rows, expected %d" % (name, len(texts), len(items)))
        for text, a, b in zip(texts, items, others):
            cells += 5
            same = text[0] == a[key] and near(text[1], a["median"], 6) and near(text[2], b["median"], 6) and near(
                text[3], b["difference"], 4) and (text[4] == "-" if b["relative"] is None else abs(
                    float(text[4]) - b["relative"]) <= 0.0501)
            if not same:
                wrong.append("%s: %r, expected %r, %r" % (name, text, a, b))
    if set(page.tables) != set(tables):
        wrong.append("tables: %r" % (set(page.tables) ^ set(tables)))
    if cells < 50 and len(sys.argv) == 3:
        wrong.append("only %d cells compared" % cells)
    print("\n".join(wrong[:10]))
    sys.exit(bool(wrong))


main()
