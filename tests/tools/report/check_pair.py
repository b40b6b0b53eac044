# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""check_pair.py PAGE.html A.sqlite B.sqlite DIFF.json: does the page of two databases say what these and tcflow-diff say?

Prints TAP. PAGE.html is of A.sqlite and B.sqlite, DIFF.json the output of `tcflow-diff --json A.sqlite B.sqlite`.
"""
import json
import pathlib
import sqlite3
import sys

from browser import Browser
from check import equal, plan


def efficiency(path):
    """Those between MPI_Init and MPI_Finalize where they are known: name, percent."""
    db = sqlite3.connect(path)
    names = [r[0] for r in db.execute("SELECT name FROM columns WHERE sql_table = 'efficiency_efficiency' AND unit = '%' "
                                      "ORDER BY position")]
    scopes = [r[0] for r in db.execute("SELECT scope FROM efficiency_efficiency")]
    row = db.execute("SELECT %s FROM efficiency_efficiency WHERE scope = ?" % ", ".join(names),
                     ("program" if "program" in scopes else scopes[0],)).fetchone()
    return dict(zip(names, row))


def sentences(path):
    return [r[0].replace("`", "") for r in sqlite3.connect(path).execute("SELECT sentence FROM diagnosis_diagnosis ORDER BY rank")]


def cells(page, selector, columns):
    return page.evaluate("[...document.querySelectorAll('%s tbody tr[data-row]')].map(r => %s.map(c => r.querySelector("
                         "`[data-column=\"${c}\"]`).dataset.value))" % (selector, json.dumps(columns)))


def main():
    path, *databases, diff = sys.argv[1:]
    tables = json.load(open(diff, encoding="utf-8"))
    with Browser() as browser:
        page = browser.open(pathlib.Path(path).resolve().as_uri(), height=1200)
        equal("the sentences are those of tcflow-diff", page.evaluate(
            "[...document.querySelectorAll('.changes li')].map(l => l.textContent)"),
              [row["sentence"].replace("`", "") for row in tables["changes"]["rows"]])
        before, after = map(efficiency, databases)
        shown = cells(page, "#changes [data-table=\"view.efficiencies\"]", ["before", "after", "change"])
        equal("efficiencies are those of the databases", [[float(v) for v in row] for row in shown],
              [[before[k], after[k], after[k] - before[k]] for k in before if k != "accelerator" or before[k] or after[k]])
        equal("so is the diagnosis", page.evaluate(
            "[...document.querySelectorAll('.both > div')].map(d => [...d.querySelectorAll('.sentence')].map(s => s.textContent))"),
              [sentences(d) for d in databases])
        ranges = page.evaluate("[...document.querySelectorAll('.inview .hint')].map(h => [h.dataset.from, h.dataset.to])")
        equal("two timelines", len(ranges), 2)
        equal("they have one scale", ranges[0], ranges[1])
        sums = page.evaluate("[...document.querySelectorAll('.inview .hint')].map(h => +h.dataset.all)")
        for database, got in zip(databases, sums):
            all_time = sqlite3.connect(database).execute("SELECT sum(exclusive) FROM activity_regions").fetchone()[0]
            equal("all time of %s is in its timeline" % database, abs(got - all_time) < 1e-9 * all_time, True)
        page.evaluate("document.querySelector('.run canvas').focus()")
        page.press("+")
        ranges = page.evaluate("[...document.querySelectorAll('.inview .hint')].map(h => [h.dataset.from, h.dataset.to])")
        equal("and zoom together", ranges[0], ranges[1])
        page.press("0")
        page.act("(d => changed(d, 'toggle', () => { d.open = true; }))"
                 "(document.querySelector('details[data-table=\"comparison.region_exclusive\"]'))")
        rows = cells(page, "[data-table=\"comparison.region_exclusive\"]", ["region", "change"])
        of_both = tables["region_exclusive"]["rows"]
        expected = {row["region"]: row["difference"] for row in of_both if row["run"] != tables["runs"]["rows"][0]["run"]}
        wrong = [(r, c, expected.get(r)) for r, c in rows if (None if c is None else float(c)) != expected.get(r)]
        equal("changes of regions are those of tcflow-diff", (len(rows) > 3, wrong), (True, []))
        label = page.evaluate("document.querySelector('#overview h2').textContent")
        page.loaded = False  # the button loads the page again
        page.evaluate("setTimeout(() => document.querySelector('#changes .hint button').click()) && 0")
        while not page.loaded:
            page.event(browser.receive())
        page.settle()
        equal("the other run's sections can be seen", page.evaluate(
            "[document.querySelector('#overview h2').textContent !== %s, /run=2/.test(location.hash)]" % json.dumps(label)), [True, True])
        equal("no error on the console", page.errors, [])
    plan()


main()
