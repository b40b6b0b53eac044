#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Compares what tcflow-diff finds (JSON) with the same, computed here from the views and tables of the databases.

  oracle.py strong|weak RESULT.json REFERENCE LABEL=FILE[,FILE...]...

Prints what differs; exit status 1. Everything is computed by definition: paths by text from the depth of rows, medians and
ranges of sorted values, lines by the normal equations.
"""
import json
import math
import sqlite3
import statistics
import sys

WRONG = []


def close(a, b):
    if a is None or b is None:
        return a is None and b is None
    return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b)) + 1e-15


def expect(what, got, expected):
    same = close(got, expected) if isinstance(got, (int, float)) and isinstance(expected, (int, float)) else got == expected
    if not same:
        WRONG.append("%s: %r, expected %r" % (what, got, expected))


def put(to, key, value):
    if value is not None:
        to[key] = to.get(key, 0) + float(value)
    else:
        to.setdefault(key, None)


def has(db, table):
    return db.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0] > 0


def call_paths(db):
    """(path, exclusive, inclusive, visits): the path grows and shrinks with the depth."""
    path = []
    for depth, text, exclusive, inclusive, visits in db.execute(
            "SELECT depth, call_path, exclusive, inclusive, visits FROM profile_calltree_profile ORDER BY rowid"):
        path = path[:depth - 1] + [text[2 * min(depth - 1, 64):]]
        yield "/".join(path), exclusive, inclusive, visits


def read(file):
    """All numbers of a database: {table of tcflow-diff: {item: value}}."""
    db = sqlite3.connect(file)
    db.text_factory = lambda b: b.decode("utf-8", "replace")
    r = {k: {} for k in ("region_exclusive", "region_inclusive", "region_visits", "callpath_exclusive",
                         "callpath_inclusive", "callpath_visits", "waits", "waits_count", "waits_callpath",
                         "waits_callpath_count", "messages", "bytes", "imbalance", "imbalance_excess", "imbalance_max",
                         "imbalance_mean")}
    for region, exclusive, inclusive, visits in db.execute("SELECT region, exclusive_s, inclusive_s, visits FROM flat_profile"
                                                           if has(db, "flat_profile") else
                                                           "SELECT region, exclusive, inclusive, visits FROM profile_flat_profile"):
        for name, value in (("exclusive", exclusive), ("inclusive", inclusive), ("visits", visits)):
            put(r["region_" + name], region, value)
    if has(db, "profile_calltree_profile"):
        for path, exclusive, inclusive, visits in call_paths(db):
            for name, value in (("exclusive", exclusive), ("inclusive", inclusive), ("visits", visits)):
                put(r["callpath_" + name], path, value)
    titles = {}
    if has(db, "wait_states_patterns"):
        for pattern, title, time, count in db.execute(
                "SELECT pattern, ltrim(title), time, count FROM wait_states_patterns WHERE unit = 's'"):
            titles[pattern] = "%s (%s)" % (title, pattern)
            put(r["waits"], titles[pattern], time)
            put(r["waits_count"], titles[pattern], count)
        for pattern, path, time, count in db.execute("SELECT pattern, call_path, time, count FROM wait_states_callpaths"):
            put(r["waits_callpath"], titles[pattern] + "/" + path, time)
            put(r["waits_callpath_count"], titles[pattern] + "/" + path, count)
    if has(db, "comm_matrix_processes"):
        sums = db.execute("SELECT sum(sent), sum(received), sum(collectives), sum(bytes_sent), sum(bytes_received), "
                          "sum(collective_bytes_sent), sum(collective_bytes_received) FROM comm_matrix_processes").fetchone()
        for table, what, value in zip(["messages"] * 3 + ["bytes"] * 4,
                                      ["messages sent", "messages received", "collectives", "in messages sent",
                                       "in messages received", "sent in collectives", "received in collectives"], sums):
            put(r[table], what, value or 0)
        for operation, count in db.execute("SELECT operation, sum(count) FROM comm_matrix_collectives GROUP BY operation"):
            put(r["messages"], "collectives/" + operation, count)
    if has(db, "load_imbalance_load_imbalance"):
        for region, largest, mean in db.execute("SELECT region, sum(max), sum(mean) FROM load_imbalance_load_imbalance "
                                                "GROUP BY region"):
            r["imbalance_max"][region] = largest
            r["imbalance_mean"][region] = mean
            r["imbalance_excess"][region] = largest - mean
            r["imbalance"][region] = largest / mean if mean > 0 else None
    r["run"] = dict(zip(("processes", "duration", "status", "events"), db.execute(
        "SELECT processes, duration, status, events FROM run").fetchone()))
    return r


def values(runs, table, item):
    return [run[table][item] for run in runs if run[table].get(item) is not None]


def check_table(name, rows, key, groups, reference):
    items = {}
    for label, runs in groups.items():
        for run in runs:
            items.update((i, 1) for i, v in run[name].items() if v is not None)
    got = {(row[key], row["run"]): row for row in rows}
    if len(got) != len(rows):
        WRONG.append("%s: %d rows for %d items and runs" % (name, len(rows), len(got)))
    if {i for i, _ in got} != set(items):
        WRONG.append("%s: items differ: %r" % (name, sorted({i for i, _ in got} ^ set(items))[:5]))
        return
    sizes, order = {}, []
    for item in items:
        before = values(groups[reference], name, item)
        largest = 0
        for label, runs in groups.items():
            row, what = got[item, label], "%s, %s, %s" % (name, item, label)
            now = values(runs, name, item)
            expect(what + ": runs", row["runs"], len(now))
            expect(what + ": median", row["median"], statistics.median(now) if now else None)
            expect(what + ": min", row["min"], min(now) if now else None)
            expect(what + ": max", row["max"], max(now) if now else None)
            expect(what + ": presence", row["presence"],
                   {(1, 1): "both", (1, 0): "gone", (0, 1): "new", (0, 0): "absent"}[bool(before), bool(now)])
            difference = statistics.median(now) - statistics.median(before) if now and before else None
            if difference is None or abs(difference) > 1e-9 * statistics.median(now + before):
                expect(what + ": difference", row["difference"], difference)
            relative = 100 * difference / abs(statistics.median(before)) if now and before and statistics.median(
                before) else None
            if (relative is None) != (row["relative"] is None) or (relative and abs(relative - row["relative"]) > 1e-6):
                WRONG.append("%s: relative %r, expected %r" % (what, row["relative"], relative))
            judged = label != reference and len(runs) > 1 and len(groups[reference]) > 1 and len(now) == len(runs) and len(
                before) == len(groups[reference])
            expect(what + ": significant", row["significant"],
                   None if not judged else int(min(now) > max(before) or max(now) < min(before)))
            if label != reference:
                largest = max(largest, abs((statistics.median(now) if now else 0) - (
                    statistics.median(before) if before else 0)))
        sizes[item] = largest
    for row in rows:
        if not order or order[-1] != row[key]:
            order.append(row[key])
    for a, b in zip(order, order[1:]):
        if sizes[a] < sizes[b] - 1e-12 * sizes[b]:
            WRONG.append("%s: %s (%g) stands before %s (%g)" % (name, a, sizes[a], b, sizes[b]))


def slope(points):
    """Slope and root mean square of the residuals of a line, by the normal equations."""
    if len({x for x, _ in points}) < 2:
        return None, None
    n = len(points)
    sx, sy = sum(x for x, _ in points), sum(y for _, y in points)
    sxx, sxy = sum(x * x for x, _ in points), sum(x * y for x, y in points)
    a = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    b = (sy - a * sx) / n
    return a, math.sqrt(sum((y - a * x - b)**2 for x, y in points) / n) if n > 2 else None


def check_scaling(kind, result, groups, reference):
    count = {label: runs[0]["run"]["processes"] for label, runs in groups.items()}
    base = min(groups, key=lambda g: (count[g], g != reference))
    top = max(groups, key=lambda g: (count[g], g == reference))
    duration = {g: statistics.median(r["run"]["duration"] for r in runs) for g, runs in groups.items()}
    for row in result["scaling"]["rows"]:
        g = row["run"]
        ratio, more = duration[base] / duration[g], count[g] / count[base]
        expect("efficiency of " + g, row["efficiency"], 100 * (ratio / more if kind == "strong" else ratio))
        expect("speed-up of " + g, row["speed_up"], ratio if kind == "strong" else ratio * more)
    whole = statistics.median(sum(r["region_exclusive"].values()) for r in groups[top])
    for name, table, key in (("region_exclusive", "scaling_regions", "region"),
                             ("callpath_exclusive", "scaling_callpaths", "call_path")):
        total = 0
        for row in result.get(table, {"rows": []})["rows"]:
            item, what = row[key], "%s, %s" % (table, row[key])
            points = [(math.log(count[g]), math.log(r[name][item] / count[g]))
                      for g, runs in groups.items() for r in runs if (r[name].get(item) or 0) > 0]
            exponent, residual = slope(points)
            expect(what + ": runs", row["runs"], len(points))
            for column, value in (("exponent", exponent), ("residual", residual)):
                if (value is None) != (row[column] is None) or (value is not None and abs(value - row[column]) > 1e-6):
                    WRONG.append("%s: %s %r, expected %r" % (what, column, row[column], value))
            large, small = values(groups[top], name, item), values(groups[base], name, item)
            loss = (statistics.median(large) if large else 0) - (statistics.median(small) if small else 0) * (
                1 if kind == "strong" else count[top] / count[base])
            if abs(loss - row["loss"]) > 1e-9 * max(map(abs, large + small), default=0):
                WRONG.append("%s: loss %r, expected %r" % (what, row["loss"], loss))
            expect(what + ": non_scalable", row["non_scalable"], "yes" if exponent is not None and exponent >= (
                -0.5 if kind == "strong" else 0.5) and 100 * loss / whole >= 1 else "no")
            total += row["share"] or 0
        losses = [row["loss"] for row in result[table]["rows"]] if table in result else []
        if losses != sorted(losses, reverse=True):
            WRONG.append(table + " is not sorted")
        # All losses together are what the largest run takes beyond perfect scaling.
        if all(len(runs) == 1 for runs in groups.values()) and losses:
            small = sum(groups[base][0]["region_exclusive"].values()) * (1 if kind == "strong" else count[top] / count[base])
            if abs(total - 100 * (1 - small / whole)) > 1e-6:
                WRONG.append("%s: shares are %g together, expected %g" % (table, total, 100 * (1 - small / whole)))


def main():
    kind, file, reference = sys.argv[1:4]
    with open(file, encoding="utf-8") as f:
        result = json.load(f)
    groups = {a.split("=", 1)[0]: [read(f) for f in a.split("=", 1)[1].split(",")] for a in sys.argv[4:]}
    keys = {"region": "region", "callpath": "call_path", "imbalance": "region", "messages": "what", "bytes": "what"}
    compared = 0
    for name in next(iter(groups.values()))[0]:
        key = "wait" if name.startswith("waits_callpath") else "pattern" if name.startswith("waits") else keys.get(
            name.split("_")[0])
        there = any(run[name] for runs in groups.values() for run in runs)
        if name == "run" or (not there and name not in result):
            continue
        if name not in result:
            WRONG.append("there is no " + name)
            continue
        check_table(name, result[name]["rows"], key, groups, reference)
        compared += len(result[name]["rows"])
    if len({runs[0]["run"]["processes"] for runs in groups.values()}) > 1:
        check_scaling(kind, result, groups, reference)
    print("\n".join(WRONG[:20]) if WRONG else "%d rows agree" % compared)
    sys.exit(1 if WRONG else 0)


main()
