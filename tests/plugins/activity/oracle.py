# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""oracle.py EVENTS WAITS: are the cells of activity and activity_waits those of the whole trace?

EVENTS are lines of print (format = json, definitions = yes, order = location), WAITS those of `oracle waits --trusting`.
Standard input has a line a report, "REPORT FILTER BINS CELLS". All stretches of time are known here; every width is tried, from
one tick on, until the bins and the cells suffice. Says nothing when all agree. A report without cells is a mistake of the test.
"""
import json
import sys

PARTS = {"mpi_init_completion", "mpi_barrier_completion", "mpi_nxn_completion", "mpi_lswo_different", "mpi_lswo_same",
         "mpi_rma_late_complete", "omp_idle_threads", "omp_fork", "omp_join"}


class Trace:
    def __init__(self, path):
        self.ids, self.regions, self.contexts, self.same, events = [], {}, {}, {}, {}
        self.origin, self.idle, self.tasks = 0, set(), set()
        for line in open(path, encoding="utf-8"):
            record = json.loads(line)
            kind = record.get("definition")
            if kind == "LOCATION" and record["id"] not in self.ids:
                self.ids.append(record["id"])
            elif kind == "CLOCK_PROPERTIES":
                self.origin = record["global_offset"]
            elif kind == "REGION" and record["id"] not in self.regions:
                if (record["name"] or {}).get("name") == "Idle" or (record["region_role"] == "TASK_WAIT" and record["paradigm"] in ("USER", "COMPILER")):
                    self.idle.add(record["id"])
                if record["region_role"] == "TASK":
                    self.tasks.add(record["id"])
                named = [v["name"] if isinstance(v, dict) and "name" in v else v for k, v in sorted(record.items())
                         if k != "id"]
                contents = json.dumps(named)
                self.regions[record["id"]] = self.same.setdefault(contents, record["id"])
            elif kind == "CALLING_CONTEXT":
                self.contexts.setdefault(record["id"], record["region"])
            elif "event" in record:
                events.setdefault(record["location"], []).append(record)
        times = [e["time"] for some in events.values() for e in (some[0], some[-1])]
        self.first, self.last = min(times), max(times)
        self.stretches = [(location, region, begin, end) for location, some in events.items()
                          for region, begin, end in self.stretches_of(some)]

    def region(self, e):
        region = e["region"] if "region" in e else e["calling_context"] and self.contexts.get(e["calling_context"]["id"])
        return self.regions.get(region["id"], "undefined %d" % region["id"]) if region else "none"

    def stretches_of(self, events):
        stack, since = [], None
        for e in events:
            enters = e["event"] in ("ENTER", "CALLING_CONTEXT_ENTER")
            leaves = e["event"] in ("LEAVE", "CALLING_CONTEXT_LEAVE")
            if not enters and not leaves:
                continue
            if stack and e["time"] > since:
                yield self.key(stack), since, e["time"]
            since = e["time"]
            region = self.region(e)
            if enters:
                stack.append(region)
            elif region in stack:
                while stack.pop() != region:
                    pass
        if stack and events[-1]["time"] > since:
            yield self.key(stack), since, events[-1]["time"]

    def key(self, stack):
        """The innermost region, and whether another one makes idle time of it: one around, but not beyond a task."""
        tasks = [i for i, region in enumerate(stack) if region in self.tasks]
        behind = stack[tasks[-1]:] if tasks else stack
        return stack[-1], any(region in self.idle for region in behind) and stack[-1] not in self.idle


def waits_of(path, trace):
    for line in open(path):
        f = line.rstrip("\n").split(",")
        if f[0] == "wait" and f[1] not in PARTS and int(f[4]) > 0:
            yield int(f[2]), f[1], int(f[3]), int(f[3]) + int(f[4])


def cells_of(stretches, origin, level):
    cells = {}
    for row, key, begin, end in stretches:
        begin, end = begin - origin, end - origin
        while begin < end:
            number = begin >> level
            part = min(end, number + 1 << level) - begin
            cells[row, number, key] = cells.get((row, number, key), 0) + part
            begin += part
    return cells


def expected(stretches, first, last, origin, bins, budget):
    """The cells, their first bin, and the level."""
    for level in range(64):
        used = (last - origin >> level) - (first - origin >> level) + 1
        if used > bins:
            continue
        cells = cells_of(stretches, origin, level)
        if len(cells) <= budget or used <= 2:
            low = first - origin >> level
            return {(row, number - low, key): ticks for (row, number, key), ticks in cells.items()}, level, used


def table(report, name):
    columns = [c["name"] for c in report[name]["columns"]]
    return [dict(zip(columns, row)) if isinstance(row, list) else row for row in report[name]["rows"]]


def got(path, kind, idle):
    report = json.load(open(path, encoding="utf-8"))
    rows = {r["row"]: r["location"] for r in table(report, "rows")}
    keys = {r["region"]: (r["region_id"], r["class"] == "idle" and r["region_id"] not in idle)
            for r in table(report, "regions")} if kind == "activity" else \
        {r["pattern"]: r["name"] for r in table(report, "patterns")}
    cells = {}
    for c in table(report, "cells"):
        for i in range(c["run"]):
            cells[rows[c["row"]], c["bin"] + i, keys[c["region" if kind == "activity" else "pattern"]]] = c["ticks"]
    bins = table(report, "bins")[0]
    if kind == "activity":
        totals = {}
        for (_, _, key), ticks in cells.items():
            totals[key] = totals.get(key, 0) + ticks
        for r in table(report, "regions"):
            assert totals[keys[r["region"]]] == r["exclusive_ticks"], "a total"
            assert r["region_id"] not in idle or r["class"] == "idle", "an idle region"
    return cells, bins


def main():
    trace = Trace(sys.argv[1])
    waits = list(waits_of(sys.argv[2], trace))
    failed = compared = 0
    for line in sys.stdin:
        path, kind, bins, budget = line.split()
        stretches = trace.stretches if kind == "activity" else waits
        if not stretches:
            continue
        first, last = (trace.first, trace.last) if kind == "activity" else (
            min(s[2] for s in stretches), max(s[3] for s in stretches))
        cells, level, used = expected(stretches, first, last, trace.origin, int(bins), int(budget))
        found, about = got(path, kind, trace.idle)
        compared += 1
        if found != cells or about["width_ticks"] != 1 << level or about["bins"] != used:
            failed += 1
            print(line.rstrip("\n"), "level %d, %d bins expected," % (level, used), about)
            print("\n".join("%r: %r, expected %r" % (k, found.get(k), cells.get(k)) for k in sorted(
                set(found) | set(cells), key=repr) if found.get(k) != cells.get(k))[:1000])
    sys.exit(failed > 0 or compared == 0)


main()
