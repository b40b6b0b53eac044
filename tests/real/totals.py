# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""totals.py LINES: visits and inclusive time of each region in nanoseconds, by the calls in the lines of tests/support/printed.py, which a
reader of its own has found in a file; a call inside of another one of its region counts in time no second time. "?": calls of the region
have no end, or overlap in a thread in which calls cross, so that it is open which of them are inside of which.
totals.py --profile FILE: the same by a report of profile as JSON. Standard library only."""

import collections
import json
import sys

visits, times = collections.Counter(), collections.Counter()
if sys.argv[1] == "--profile":
    for row in json.load(open(sys.argv[2]))["flat_profile"]["rows"]:
        visits[row["region"]] += row["visits"]
        times[row["region"]] += round(row["inclusive"] * 1e9)
else:
    calls, is_open = collections.defaultdict(list), set()
    for line in open(sys.argv[1]):
        kind, *rest = line.rstrip("\n").split("\t")
        if kind != "call":
            continue
        process, thread, begin, end = rest[:4]
        name = "\t".join(rest[4:])
        visits[name] += 1
        if end == "-":
            is_open.add(name)
        else:
            calls[process, thread, name].append((int(begin), -int(end)))
    crossed = set()
    for thread in {key[:2] for key in calls}:
        stack = []
        for begin, end in sorted(c for key, those in calls.items() if key[:2] == thread for c in those):
            while stack and stack[-1] <= begin:
                stack.pop()
            if stack and -end > stack[-1]:
                crossed.add(thread)
            stack.append(-end)
    for (process, thread, name), those in calls.items():
        around = []
        if (process, thread) in crossed and any(b[0] < -a[1] for a, b in zip(sorted(those), sorted(those)[1:])):
            is_open.add(name)
        for begin, end in sorted(those):
            around = [e for e in around if e >= -end]
            if not around:
                times[name] += -end - begin
            around.append(-end)
    for name in is_open:
        times[name] = "?"
for name in sorted(visits):
    print(json.dumps(name), visits[name], times[name], sep="\t")
