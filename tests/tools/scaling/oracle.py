#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Random programs in runs of several sizes, and what tcflow-scaling has to say of them, as doc/scaling.md defines it:
slowly, and without a line in common with the program.

    oracle.py SEED FOLDER PROGRAM [WORD...]"""

import itertools
import json
import math
import os
import random
import statistics
import subprocess
import sys

import databases

seed, folder, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
dice = random.Random(seed)
os.makedirs(folder, exist_ok=True)

# ---- a program ----

vertices = {"": "root"}
for i in range(dice.randint(6, 25)):
    above = dice.choice([v for v, kind in vertices.items() if kind in ("root", "function", "loop")])
    kind = dice.choice(["function", "function", "loop", "mpi", "mpi", "computation"])
    name = {"mpi": "MPI_Init" if dice.random() < 0.1 else "MPI_%d" % i, "computation": "(after MPI_%d)" % i}.get(kind, "f%d" % i)
    if not (kind == "computation" and above == ""):
        vertices[(above + "/" if above else "") + name] = kind
names = list(vertices)
order = databases.order_of(vertices)
order += [(p, b, a, dice.randint(1, 30)) for p, a, b, _ in order if a is not None and b is not None and dice.random() < 0.5]
order += [(p, a, None, dice.randint(1, 30)) for p, a, b, _ in order if a is not None and b is not None and dice.random() < 0.3]
sizes = sorted(dice.sample([1, 2, 3, 4, 6, 8, 12, 16], dice.randint(2, 5)))
weak = dice.random() < 0.5
laws = {v: (dice.uniform(0.1, 10) if dice.random() < 0.8 else 0, dice.choice([0, 0, 0, 0.3, 0.7, -0.2]),
            dice.choice([0, 0, 0.5, 2])) for v in vertices}
mpi = [v for v in vertices if vertices[v] == "mpi"]
runs = []
for p in sizes:
    for repetition in range(dice.choice([1, 1, 3])):
        own, waits, delays = {}, {}, {}
        for v, (seconds, power, spread) in laws.items():
            for r in range(p):
                if seconds and dice.random() < 0.95:
                    own[v, r] = seconds * p ** power / (1 if weak else p) * (1 + spread * (r % 4 == 0)) * dice.uniform(0.97, 1.03)
        for v in mpi:
            for r in range(p):
                for q in dice.sample(range(p), min(p, dice.choice([0, 1, 2]))):
                    if q != r:
                        waits[v, r, dice.choice(names), q] = dice.uniform(0, 3) * p ** dice.choice([0, 0.5]) / (1 if weak else p)
        for v in dice.sample(names, min(len(names), 6)):
            for r in range(p):
                if dice.random() < 0.7:
                    delays[v, r] = dice.uniform(0, 1) * sum(waits.values()) / (6 * p)
        path = "%s/%d.%d.%d" % (folder, seed, p, repetition)
        databases.write(path, p, vertices, own, waits, delays, order=order)
        runs.append((p, path, own, waits, delays))
options = {"least": dice.choice([1, 5, 20]), "abnormal": dice.choice([1.1, 1.3, 2]),
           "aggregate": dice.choice(["mean", "median", "maximum", "clusters", "process"])}
scaling = dice.choice(["strong", "weak", "auto"])

# ---- what it is ----

least, abnormal = options["least"] / 100, options["abnormal"]


def parent(v):
    return databases.parent_of(v, vertices)


def is_apart(v):
    return v is not None and (v.split("/")[-1] == "MPI_Init" or is_apart(parent(v)))


apart = {v for v in vertices if is_apart(v)}
function = {v: parent(v) if vertices[v] == "computation" else v for v in vertices}


class Run:
    def __init__(self, p, own, waits, delays):
        self.p, self.ranks = p, range(p)
        self.own = {(v, r): own.get((v, r), 0) for v in vertices for r in self.ranks}
        self.waiting = {(v, r): sum(s for (w, q, _, _), s in waits.items() if (w, q) == (v, r)) for v in vertices for r in self.ranks}
        self.delay = {(v, r): min(delays.get((v, r), 0), self.own[v, r] * (p - 1)) for v in vertices for r in self.ranks}
        self.own_in_all = {v: sum(self.own[v, r] for r in self.ranks) for v in vertices}
        self.edge, self.longest = {}, {}
        for (v, r, f, q), s in sorted(waits.items(), key=lambda e: e[1]):
            self.edge[v, r], self.longest[v, r] = (f, q), s
        self.visits = {v: 10 * sum((v, r) in own or self.waiting[v, r] > 0 for r in self.ranks) for v in vertices}
        self.unknown = max(0, sum(self.waiting.values()) - sum(self.delay.values()))

    def sum(self, what, v):
        return self.own_in_all[v] if what is self.own else sum(what[v, r] for r in self.ranks)

    def cost(self, v):
        return self.sum(self.own, v) + self.sum(self.delay, v)

    def excess(self, v):
        return sum(max(self.own[v, q] for q in self.ranks) - self.own[v, r] for r in self.ranks)

    def combined(self, v):
        times = sorted(self.own[v, r] + self.waiting[v, r] for r in self.ranks)
        if options["aggregate"] == "clusters":
            splits = [(times[:i], times[i:]) for i in range(1, self.p)]
            squares = [sum((x - statistics.mean(part)) ** 2 for part in split for x in part) for split in splits]
            if not splits or max(times) - min(times) < 1e-9:
                return statistics.mean(times)
            return statistics.mean(splits[squares.index(min(squares))][1])
        return {"mean": statistics.mean(times), "median": statistics.median(times), "maximum": times[-1],
                "process": self.own[v, 0] + self.waiting[v, 0]}[options["aggregate"]]


data = [Run(p, own, waits, delays) for p, _, own, waits, delays in runs]


def at(p, value):
    return statistics.median(value(run) for run in data if run.p == p)


def power_law(points):
    """Exponent and its error: by the covariance of the logarithms."""
    points = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    n = len(points)
    if n < 2 or len({x for x, _ in points}) < 2:
        return None, None, n
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    sxx = sum((x - mx) ** 2 for x, _ in points)
    slope = sum((x - mx) * (y - my) for x, y in points) / sxx
    rest = sum((y - my - slope * (x - mx)) ** 2 for x, y in points)
    return slope, math.sqrt(rest / (n - 2) / sxx) if n > 2 else None, n


small, large = sizes[0], sizes[-1]
counted = [v for v in vertices if v not in apart]


def total(p):
    return sum(at(p, lambda run: run.sum(run.own, v)) + at(p, lambda run: run.sum(run.delay, v)) for v in counted) + \
        at(p, lambda run: run.unknown)


def own_at(p, v):
    return at(p, lambda run: run.sum(run.own, v))


exponent = None
if scaling == "auto":
    votes = sorted((math.log(own_at(sizes[1], v) / own_at(small, v)) / math.log(sizes[1] / small), own_at(small, v))
                   for v in counted if vertices[v] != "mpi" and own_at(small, v) > 0 and own_at(sizes[1], v) > 0)
    half = sum(w for _, w in votes) / 2
    for slope, weight in votes:
        half -= weight
        if half <= 0:
            exponent = slope
            break
is_weak = scaling == "weak" or scaling == "auto" and exponent is not None and exponent > 0.5
ideal_exponent = 0 if is_weak else -1


def growth(p, q=small):
    return p / q if is_weak else 1


# What some nodes of a function lose of own time and others gain cancel.
first_own = {v: own_at(small, v) for v in vertices}
for run in data:
    beyond = {v: run.sum(run.own, v) - growth(run.p) * first_own[v] for v in vertices}
    for f in vertices:
        members = [v for v in vertices if function[v] == f]
        ups, downs = (sum(max(0, sign * beyond[v]) for v in members) for sign in (1, -1))
        rest = {1: max(0, ups - downs), -1: max(0, downs - ups)}
        for v in members:
            sign, whole = (1, ups) if beyond[v] > 0 else (-1, downs)
            run.own_in_all[v] = growth(run.p) * first_own[v] + (beyond[v] * rest[sign] / whole if whole else 0)
T = total(large)
expected = {"scaling": "weak" if is_weak else "strong", "work_exponent": exponent,
            "efficiency": [total(small) * growth(p) / total(p) for p in sizes]}
loss_own = {v: own_at(large, v) - growth(large) * own_at(small, v) for v in vertices}
loss_delay = {v: at(large, lambda run: run.sum(run.delay, v)) - growth(large) * at(small, lambda run: run.sum(run.delay, v))
              for v in vertices}
loss = {v: loss_own[v] + loss_delay[v] for v in counted}
loss[None] = at(large, lambda run: run.unknown) - growth(large) * at(small, lambda run: run.unknown)
lost = expected["lost"] = max(0, sum(loss.values()))
losses = sum(x for x in loss.values() if x > 0)
explains = {v: max(0, loss[v]) * lost / losses if losses else 0 for v in counted}


def largest_of(n):
    """Blom: the largest of n normal variates."""
    return statistics.NormalDist().inv_cdf((n - 0.375) / (n + 0.25)) if n > 1 else 0


def natural(v):
    base = sizes[1] if small == 1 and len(sizes) > 2 else small
    if base in (1, large):
        return 0
    if vertices[v] == "mpi":
        many, few = at(large, lambda run: run.visits[v]), at(base, lambda run: run.visits[v])
        calls = many / few if few else 1
        return max(0, own_at(base, v) * (min(calls, large / base) * math.log(large) / math.log(base) - growth(large, base)))
    moving = at(base, lambda run: run.sum(run.delay, v)) - at(base, lambda run: run.excess(v))
    return max(0, moving) * growth(large, base) * (largest_of(large) / largest_of(base) - 1)


def fit_of(v):
    return power_law([(run.p, run.cost(v) / run.p) for run in data])


def is_noise(v):
    low, high = [run.cost(v) for run in data if run.p == large], [run.cost(v) for run in data if run.p == small]
    if len(low) + len(high) > 2 and min(low) <= max(high) * growth(large):
        return True
    slope, error, n = fit_of(v)
    costs = {p: at(p, lambda run: run.sum(run.own, v)) + at(p, lambda run: run.sum(run.delay, v)) for p in sizes}
    rises = all(costs[large] - growth(large, p) * costs[p] >= least * T for p in sizes[:-1])
    return n > 2 and slope is not None and slope - ideal_exponent <= error and not rises


last = data[-1]
for run, (p, path, *_) in zip(data, runs):
    if p == large and path == max(r[1] for r in runs if r[0] == large):
        last = run


def profile(members):
    return [sum(last.own[v, r] for v in members) for r in last.ranks], [sum(last.delay[v, r] for v in members) for r in last.ranks]


def abnormal_of(time, floor):
    middle = statistics.median(time)
    return [r for r in last.ranks if time[r] > middle and time[r] >= abnormal * middle and time[r] - middle >= floor
            and time[r] - middle >= 0.2 * (max(time) - middle)]


def blame(members, f):
    time, delay = profile(members)
    middle, most = statistics.median(time), max(time)
    everybody = [r for r in last.ranks if any(last.own[v, r] > 0 or last.delay[v, r] > 0 for v in vertices if function[v] == f)]
    everybody = everybody or list(last.ranks)
    part = lambda v: explains[v] / loss[v]
    by_own, by_delay = sum(loss_own[v] * part(v) for v in members), sum(loss_delay[v] * part(v) for v in members)
    bad = abnormal_of(time, 0)
    if by_own >= by_delay:
        if bad and sum(time[r] - middle for r in bad) >= by_own / 2:
            kind, ranks = "load imbalance", bad
        else:
            kind, ranks = "computation grows on all", everybody
    else:
        low = min(time) if most - middle < 0.1 * (most - min(time)) else middle
        ranks = bad or [r for r in last.ranks if time[r] >= (low + most) / 2]
        kind = "serial part" if len(ranks) == 1 and middle <= 0.05 * most else "load imbalance"
        if sum(most - t for t in time) < 0.3 * sum(delay) or sum(delay[r] for r in ranks) < by_delay / 2:
            kind, ranks = "imbalance by turns", []
            for r in sorted(last.ranks, key=lambda r: (-delay[r], r)):
                if sum(delay[q] for q in ranks) < 0.8 * sum(delay):
                    ranks.append(r)
            ranks = bad if sum(delay[r] for r in bad) >= 0.8 * sum(delay) else sorted(ranks) if 4 * len(ranks) <= large else everybody
    return ("communication" if vertices[f] == "mpi" else kind), ranks, most / middle if middle > 0 else None


def groups():
    """Losing vertices of each function, by those which are large by themselves and on other processes."""
    for f in vertices:
        members = [v for v in counted if function[v] == f and explains[v] > 0]
        rest = []
        for v in members:
            main = max(members, key=lambda w: explains[w])
            here, there = (set(blame([w], f)[1]) for w in (v, main))
            if v != main and explains[v] >= least * T and len(here ^ there) > len(here & there):
                yield f, [v]
            else:
                rest.append(v)
        if rest:
            yield f, rest


causes, reasons, group = [], {}, {}
for f, members in groups():
    main = max(members, key=lambda v: explains[v])
    sum_of = sum(explains[v] for v in members)
    group.update({v: main for v in members})
    beyond = sum_of - sum(natural(v) * explains[v] / loss[v] for v in members)
    calls = sum(explains[v] for v in counted if vertices[v] == vertices[main] == "mpi" and parent(v) == parent(main))
    reasons[main] = "small" if sum_of < least * T else "noise" if is_noise(main) else \
        "cause" if beyond >= least * T or calls >= 2 * least * T else "natural"
    if reasons[main] == "cause":
        kind, ranks, ratio = blame([main] if 2 * explains[main] >= sum_of else members, f)
        causes.append({"call_path": main if 2 * explains[main] >= sum_of else f, "main": main, "function": f, "kind": kind,
                       "processes": ranks, "explains": sum_of, "share": sum_of / lost, "ratio": ratio, "exponent": fit_of(main)[0],
                       "exponent_error": fit_of(main)[1]})
    elif reasons[main] != "small":
        reasons[main, "of"] = reasons[main], sum_of / T
for v in vertices:
    mates = [w for w in vertices if function[w] == function[v] and explains.get(w, 0) > 0]
    group.setdefault(v, max(mates, key=lambda w: explains[w]) if mates else v)
causes.sort(key=lambda c: -c["explains"])
expected["abnormal"], expected["ruled_out"] = {}, {v: x for (v, _), x in ((k, x) for k, x in reasons.items() if isinstance(k, tuple))}
for v in counted:
    time, _ = profile([v])
    bad = abnormal_of(time, least * T / large)
    if bad:
        share = sum(time[r] - statistics.median(time) for r in bad) / T
        expected["abnormal"][v] = bad, share
        grown = sum(explains[w] for w in counted if group[w] == group[v])
        if reasons.get(group[v], "small") == "small":
            expected["ruled_out"][v, 1] = "small" if 2 * grown >= share * T else "steady", share
whole = T + sum(at(large, lambda run: run.sum(run.own, v)) + at(large, lambda run: run.sum(run.delay, v)) for v in apart)
for v in apart:
    share = (at(large, lambda run: run.sum(run.own, v)) + at(large, lambda run: run.sum(run.delay, v))) / whole
    if share >= 0.005:
        expected["ruled_out"][v, 2] = "apart", share
expected["non_scalable"] = {}
for v in counted:
    beyond = at(large, lambda run: run.combined(v)) * large - growth(large) * at(small, lambda run: run.combined(v)) * small
    slope, error, n = power_law([(run.p, run.combined(v)) for run in data])
    if beyond >= least * T and not (n > 2 and slope is not None and slope - ideal_exponent <= error):
        expected["non_scalable"][v] = slope, error, beyond

# ---- the way back ----

number = {v: i for i, v in enumerate(names)}


def before(v):
    """The children before it by how often, parent of a first child as None."""
    rows = [(-n, -1 if a is None else a, a) for p, a, b, n in order if b == number[v]]
    return [None if a is None else names[a] for _, _, a in sorted(rows, key=lambda r: (r[0], r[1] if r[1] >= 0 else 1 << 32))]


def last_children(v):
    rows = [(-n, a) for p, a, b, n in order if p == number[v] and a is not None and b is None]
    return [names[a] for _, a in sorted(rows)]


def nearest(v, waiter):
    """What explains half of the waits of a cell, by program order back from where the other one was; else what explains most."""
    start, rank = last.edge[v, waiter]
    line, came, best, first, gone = [(start, False)], set(), (None, 0, False), True, []

    def put(v, inside):
        if v is not None and (v, False) not in came and (v, inside) not in came:
            came.add((v, inside))
            line.append((v, inside))

    while line and best[1] < 0.5:
        at, inside = line.pop(0)
        own = (last.own[at, rank] - last.own[at, waiter]) / last.longest[v, waiter]
        waiting = last.waiting[at, rank] / last.waiting[v, waiter] if (at, rank) in last.edge else 0
        if own >= waiting and own > best[1]:
            best, passed = (at, own, False), list(gone)
        elif waiting > max(own, best[1]) and not first:
            best, passed = (at, waiting, True), list(gone)
        first = False
        gone.append(at)
        if not inside or vertices[at] == "loop" or before(at)[:1] == [at]:
            for child in last_children(at):
                put(child, False)
        for b in before(at):
            put(b if b is not None else parent(at), b is None)
    return best + (passed if best[1] >= 0.5 else [],)


def way(v, r, passes=None):
    """From a wait back; with a cause `passes` it ends where it passes that."""
    hops = []
    while (v, r) not in [h[:2] for h in hops] and len(hops) < 1023:
        f, q = last.edge[v, r]
        hops.append((v, r, q))
        found, _, waits, passed = nearest(v, r)
        if found is None:
            break
        on = [w for w in passed if passes and group[w] == passes["main"] and q in passes["processes"] and last.own[w, q] > 0]
        if on:
            hops.append((on[0], q, None))
            break
        if not waits:
            hops.append((found, q, None))
            break
        v, r = found, q
    return hops


symptoms = sorted(((-(at(large, lambda run: run.sum(run.waiting, v)) - growth(large) * at(small, lambda run: run.sum(run.waiting, v))), number[v])
                   for v in names), )


def ways_from(waited_for, passes=None):
    """From where processes wait longest for these, symptom by symptom."""
    for grown, i in symptoms[:64]:
        starts = sorted((r for r in last.ranks if (names[i], r) in last.edge and last.edge[names[i], r][1] in waited_for),
                        key=lambda r: (-last.waiting[names[i], r], r))
        if grown < 0:
            yield from (way(names[i], r, passes) for r in starts[:8])


ways = list(ways_from(last.ranks))
for c in causes:
    tries = itertools.chain(ways, ways_from(c["processes"]), ways_from(c["processes"], c))
    c["path"] = next((hops[:k + 1] for hops in tries for k, h in enumerate(hops)
                      if group[h[0]] == c["main"] and h[1] in c["processes"]), None)
    c["path_agrees"] = c["path"] is not None
    if not c["path"]:
        waited = loss_delay[c["call_path"]] > loss_own[c["call_path"]]
        c["path"] = ways[0] if waited and ways else [(c["call_path"], c["processes"][0], None)]
        c["path_agrees"] = not waited

# ---- what it says ----

words = command + ["--format", "json", "--scaling", scaling] + [w for k, x in options.items() for w in ("--" + k, str(x))]
said = json.loads(subprocess.run(words + [r[1] for r in dice.sample(runs, len(runs))], check=True, stdout=subprocess.PIPE).stdout)
wrong = []


def same(what, have, want):
    if isinstance(want, float) and isinstance(have, (int, float)):
        ok = abs(have - want) <= 1e-6 * max(1, abs(want))
    elif isinstance(want, (list, tuple)) and isinstance(have, (list, tuple)):
        if len(have) == len(want):
            for i, (h, w) in enumerate(zip(have, want)):
                same("%s[%d]" % (what, i), h, w)
            return
        ok = False
    else:
        ok = have == want
    if not ok:
        wrong.append("%s: %r instead of %r" % (what, have, want))


for key in ("scaling", "work_exponent", "lost"):
    same(key, said[key], expected[key])
same("efficiency", [e["efficiency"] for e in said["efficiency"]], expected["efficiency"])
same("unknown", [e["unknown"] for e in said["efficiency"]], [float(at(p, lambda run: run.unknown)) for p in sizes])
same("causes", [c["call_path"] for c in said["causes"]], [c["call_path"] for c in causes])
for have, want in zip(said["causes"], causes):
    for key in ("kind", "processes", "explains", "share", "ratio", "exponent", "exponent_error", "path_agrees"):
        same("%s: %s" % (want["call_path"], key), have[key], want[key])
    same(want["call_path"] + ": path", [(h["call_path"], h["process"], h["waits_for"]) for h in have["path"]], want["path"])
same("abnormal", sorted((a["call_path"], a["processes"], a["time_share"]) for a in said["abnormal"]),
     sorted((v, ranks, share) for v, (ranks, share) in expected["abnormal"].items()))
same("ruled out", sorted((r["call_path"], r["reason"], r["time_share"]) for r in said["ruled_out"]),
     sorted((v if isinstance(v, str) else v[0], reason, share) for v, (reason, share) in expected["ruled_out"].items()))
same("non-scalable", sorted((n["call_path"], n["exponent"], n["exponent_error"], n["loss"]) for n in said["non_scalable"]),
     sorted((v,) + x for v, x in expected["non_scalable"].items()))
for w in wrong:
    print(w)
if wrong:
    print(" ".join(words), "%s/%d.*" % (folder, seed))
sys.exit(bool(wrong))
