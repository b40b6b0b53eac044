# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""oracle.py EVENTS WAITS MATCHES PATTERNS: does timeline report what is to be seen from the whole trace at once?

EVENTS are lines of print (format = json, definitions = yes, order = location), WAITS those of `oracle waits --trusting`,
MATCHES those of `oracle match`; PATTERNS is plugins/shared/patterns/patterns.h, for the order of the patterns. Standard input has a
line a report, "REPORT [key=value...]": keys are parameters of timeline, and `worst` of wait_states. Says nothing when all agree.
A trace without waits is a mistake of the test, unless a fifth argument says that there may be none: "empty".
"""
import json
import re
import sys

import reported

SETTINGS = {"windows": 5, "locations": 16, "padding": 0.1, "max_intervals": 1000, "max_messages": 1000, "worst": 5}
FAR = (1 << 64) - 1


class Trace:
    def __init__(self, path):
        self.ids, self.regions, self.contexts, self.events = [], {}, {}, {}
        for line in open(path, encoding="utf-8"):
            record = json.loads(line)
            kind = record.get("definition")
            if kind == "LOCATION" and record["id"] not in self.ids:
                self.ids.append(record["id"])
            elif kind == "REGION":
                self.regions.setdefault(record["id"], record["name"]["name"] if record["name"] else "(undefined)")
            elif kind == "CALLING_CONTEXT":
                self.contexts.setdefault(record["id"], record["region"])
            elif "event" in record:
                self.events.setdefault(record["location"], []).append(record)
        times = [e["time"] for events in self.events.values() for e in (events[0], events[-1])]
        self.first, self.last = min(times), max(times)
        self.calls = {location: self.calls_of(events) for location, events in self.events.items()}

    def region(self, e):
        region = e["region"] if "region" in e else e["calling_context"] and self.contexts.get(e["calling_context"]["id"])
        return self.regions.get(region["id"], "(undefined)") if region else "(undefined)"

    def calls_of(self, events):
        """(enter, leave, number, depth, region)"""
        calls, stack, entered = [], [], 0

        def pop(time):
            _, enter, number, region = stack.pop()
            calls.append((enter, time, number, len(stack), region))

        for e in events:
            if e["event"] not in ("ENTER", "LEAVE", "CALLING_CONTEXT_ENTER", "CALLING_CONTEXT_LEAVE"):
                continue
            what = "region" in e, json.dumps(e["region"] if "region" in e else e["calling_context"])
            if e["event"].endswith("ENTER"):
                stack.append((what, e["time"], entered, self.region(e)))
                entered += 1
            elif what in [x[0] for x in stack]:
                while stack[-1][0] != what:
                    pop(e["time"])
                pop(e["time"])
        while stack:
            pop(events[-1]["time"])
        return calls


def read_waits(path, trace, patterns, worst):
    """The longest of each pattern, the longest first: (length, from, location's number, pattern, cause's number, cause's time)"""
    of = {}
    for line in open(path):
        f = line.rstrip("\n").split(",")
        if f[0] == "wait":
            cause = trace.ids.index(int(f[5])) if f[5] else None
            of.setdefault(f[1], []).append((-int(f[4]), int(f[3]), trace.ids.index(int(f[2])), patterns.index(f[1]), cause,
                                            int(f[6])))
    kept = []
    for waits in of.values():
        kept += sorted(waits, key=lambda w: w[:4])[:worst]
    return sorted(kept, key=lambda w: w[:4])


def choose(trace, waits, s):
    windows = []
    for negative, since, location, pattern, cause, cause_time in waits:
        length, until = -negative, min(since - negative, FAR)
        if len(windows) == s["windows"]:
            break
        if any(location in w["shown"] and since <= w["end"] and until >= w["begin"] for w in windows):
            continue
        begin = since if cause is None else max(min(since, cause_time), since - length, 0)
        margin = int((until - begin) * s["padding"])
        who = [location] if cause is None else [location, cause]
        there = [n for n, i in enumerate(trace.ids) if i in trace.events]
        near = sorted(there, key=lambda n: (min(abs(n - m) for m in who), n))
        windows.append({"begin": max(begin - margin, 0), "end": min(until + margin, FAR), "shown": sorted(near[:s["locations"]]),
                        "wait": (pattern, since, length, location, cause)})
    return windows


def read_messages(path, trace):
    messages = []
    for line in open(path):
        f = line.rstrip("\n").split(",")
        if f[0] == "p2p" and f[11] == "1":
            receive = trace.events[int(f[7])][int(f[8])]
            messages.append((int(f[9]), int(f[10]), trace.ids.index(int(f[5])), trace.ids.index(int(f[7])),
                             receive["msg_length"]))
    return messages


def main():
    trace = Trace(sys.argv[1])
    patterns = re.findall(r'^ *P\([A-Z0-9_]+, "(\w+)"', open(sys.argv[4]).read(), re.M)
    messages = read_messages(sys.argv[3], trace)
    failed = compared = 0
    for comparison in sys.stdin:
        report, *settings = comparison.split()
        s = dict(SETTINGS)
        for setting in settings:
            key, value = setting.split("=")
            s[key] = float(value) if key == "padding" else int(value)
        expected = []
        for number, w in enumerate(choose(trace, read_waits(sys.argv[2], trace, patterns, s["worst"]), s), 1):
            expected += show(trace, number, w, messages, patterns, s)
        expected, got = sorted(expected), sorted(reported.lines_of(report))
        compared += 1
        if expected != got or not expected and "empty" not in sys.argv[5:]:
            failed += 1
            print(comparison.rstrip("\n") + ":", *(difference(expected, got) if expected else ["nothing to expect"]), sep="\n")
    sys.exit(failed > 0 or compared == 0)


def difference(expected, got):
    yield from ["expected: " + line for line in expected if line not in got][:3]
    yield from ["got:      " + line for line in got if line not in expected][:3]
    yield "%d lines, expected %d" % (len(got), len(expected))


def line(*cells):
    return ",".join(map(str, cells))


def show(trace, number, w, messages, patterns, s):
    begin, end, ids = w["begin"], w["end"], trace.ids
    pattern, since, length, location, cause = w["wait"]
    yield line("windows", number, patterns[pattern], ids[location], "" if cause is None else ids[cause], max(begin, trace.first),
          min(end, trace.last), since, length)
    for n in w["shown"]:
        yield line("locations", number, ids[n])
        inside = [c for c in trace.calls[ids[n]] if c[0] <= end and c[1] >= begin]
        inside.sort(key=lambda c: (-(min(c[1], end) - max(c[0], begin)), c[0], c[2]))
        for enter, leave, _, depth, region in sorted(inside[:s["max_intervals"]], key=lambda c: (c[0], c[2])):
            yield line("intervals", number, ids[n], depth, region, (enter < begin) + 2 * (leave > end), max(enter, begin),
                  min(leave, end))
    across = [m for m in messages if m[2] in w["shown"] and m[3] in w["shown"] and min(m[:2]) <= end and max(m[:2]) >= begin]
    across.sort(key=lambda m: (-max(m[1] - m[0], 0), m[0], m[2], m[3], -m[4]))
    for sent, received, a, b, size in sorted(across[:s["max_messages"]], key=lambda m: (m[0], m[2], m[3], m[1], m[4])):
        yield line("messages", number, ids[a], ids[b], size, sent, received)


main()
