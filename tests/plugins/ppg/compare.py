# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# compare.py ORACLE REPORT: the lines of `oracle ppg` with the JSON report of the filter ppg. Vertices count by the texts of their
# call paths; what has the same texts is summed up on both sides.
import collections
import json
import sys


def of_oracle(path):
    sums = collections.defaultdict(dict)
    resolution = None
    for line in open(path, encoding="utf-8", errors="surrogateescape"):
        kind, *f = line.rstrip("\n").split("\t")
        if kind == "clock":
            resolution = int(f[0])
        elif kind == "value":
            add(sums["visits"], (f[0], f[4]), int(f[1]))
            add(sums["time"], (f[0], f[4]), int(f[2]))
            add(sums["waiting"], (f[0], f[4]), int(f[3]))
        elif kind == "edge":
            key = (f[0], f[1], f[2], f[6], f[7])
            add(sums["edges"], key, int(f[3]))
            add(sums["edge bytes"], key, int(f[4]))
            add(sums["edge time"], key, int(f[5]))
        elif kind == "traffic":
            add(sums["traffic"], (f[2], f[3]), int(f[0]))
            add(sums["traffic bytes"], (f[2], f[3]), int(f[1]))
        elif kind == "order":
            add(sums[kind], tuple(f[1:]), int(f[0]))
        elif kind == "to":
            add(sums[kind], (f[2], f[1]), int(f[0]))
        elif kind == "metric":
            add(sums[kind], (f[0], f[1], f[3]), float(f[2]))
    return sums, resolution


def add(to, key, amount):
    to[key] = to.get(key, 0) + amount


def of_report(path, resolution):
    report = {name: table["rows"] for name, table in json.load(open(path)).items()}
    text = {v["vertex"]: v["call_path"] for v in report["vertices"]}
    place = {p["location"]: str(p["id"]) for p in report["places"]}
    at = lambda vertex: "-" if vertex is None else text[vertex]
    ticks = lambda seconds: round(seconds * resolution)
    sums = collections.defaultdict(dict)
    for v in report["values"]:
        key = (place[v["location"]], text[v["vertex"]])
        add(sums["visits"], key, v["visits"])
        add(sums["time"], key, ticks(v["time_s"]))
        add(sums["waiting"], key, ticks(v["waiting_s"]))
    for e in report["edges"]:
        key = (e["pattern"], place[e["location"]], place[e["from_location"]], text[e["vertex"]], text[e["from_vertex"]])
        add(sums["edges"], key, e["count"])
        add(sums["edge bytes"], key, e["bytes"])
        add(sums["edge time"], key, ticks(e["waiting_s"]))
    for t in report["traffic"]:
        add(sums["traffic"], (text[t["vertex"]], text[t["from_vertex"]]), t["count"])
        add(sums["traffic bytes"], (text[t["vertex"]], text[t["from_vertex"]]), t["bytes"])
    for o in report["order"]:
        add(sums["order"], (text[o["parent"]], at(o["vertex"]), at(o["next"])), o["count"])
    for m in report.get("metrics", []):
        add(sums["metric"], (place[m["location"]], m["metric"], text[m["vertex"]]), m["value"])
    return sums, report


def differences(want, got):
    for kind in ("visits", "time", "waiting", "edges", "edge bytes", "edge time", "traffic", "traffic bytes", "order", "metric"):
        for key in sorted(want[kind].keys() | got[kind].keys()):
            a, b = want[kind].get(key, 0), got[kind].get(key, 0)
            same = abs(a - b) <= 1e-9 * abs(a) if isinstance(a, float) or isinstance(b, float) else a == b
            if not same or (key in want[kind]) != (key in got[kind]):
                yield f"{kind} {key}: {a} expected, {b} got"


# `to` is one of the calls that ended a computation most often.
def wrong_ends(want, report):
    most = collections.defaultdict(dict)
    for (path, to), count in want["to"].items():
        most[path][to] = count
    several = collections.Counter(v["call_path"] for v in report["vertices"])
    for v in report["vertices"]:
        of = most.get(v["call_path"], {})
        if v["kind"] != "computation" or several[v["call_path"]] > 1:
            continue
        if (v["to"] is None) != (not of) or (of and of.get(v["to"], 0) < max(of.values())):
            yield f"to of {v['call_path']}: {v['to']} got, of {of}"


def sound(report):
    parent = {}
    for v in report["vertices"]:
        if v["vertex"] != len(parent) or (v["parent"] is None) != (v["vertex"] == 0) or (v["parent"] or 0) > v["vertex"]:
            yield f"vertex {v} is out of order"
        parent[v["vertex"]] = v["parent"]
    for o in report["order"]:
        for child in (o["vertex"], o["next"]):
            if child is not None and parent[child] != o["parent"]:
                yield f"order {o}: not the parent"
    for v in report["values"]:
        if not 0 <= v["waiting_s"] <= v["time_s"]:
            yield f"value {v}: waiting is no part of time"


want, resolution = of_oracle(sys.argv[1])
got, report = of_report(sys.argv[2], resolution)
wrong = [*differences(want, got), *wrong_ends(want, report), *sound(report)]
print("\n".join(wrong[:10]))
sys.exit(1 if wrong or not want["visits"] else 0)
