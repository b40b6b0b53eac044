# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""printed.py [--calls] [--resolution-to-ns] FILE: what the filter print says of a trace (format = json, definitions = yes,
order = location), as one line a call, message, value and note. Standard library only.

Messages are paired by counting: the k-th send from a to b with a tag belongs to the k-th receive there. --calls: calls alone.
--resolution-to-ns: times are made nanoseconds, rounded down, as perfetto_trace does."""

import collections
import json
import re
import sys

options = [a for a in sys.argv[1:] if a.startswith("--")]
path, = [a for a in sys.argv[1:] if not a.startswith("--")]

locations, groups, members, resolution = {}, {}, {}, 10**9
lines = []
stacks = collections.defaultdict(list)
sends, receives = collections.defaultdict(list), collections.defaultdict(list)


def name_of(reference):
    return reference["name"] if reference else ""


def ns(time):
    return time * 10**9 // resolution if "--resolution-to-ns" in options else time


def place(location):
    group, name = locations[location]
    return groups.get(group, ""), re.sub(r" \(\d+\)$", "", name)


def say(kind, *what):
    lines.append("\t".join([kind] + [str(w) for w in what]))


def define(d):
    global resolution
    kind = d["definition"]
    if kind == "CLOCK_PROPERTIES":
        resolution = d["timer_resolution"]
    elif kind == "LOCATION_GROUP":
        groups[d["id"]] = name_of(d["name"])
    elif kind == "LOCATION":
        locations[d["id"]] = (d["location_group"]["id"] if d["location_group"] else None, name_of(d["name"]))


def call(where, enter, name, leave):
    say("call", *place(where), ns(enter), "-" if leave is None else ns(leave), name)


def leave_region(where, time, region):
    stack = stacks[where]
    if region not in [r for r, _, _ in stack]:
        say("stray", *place(where), ns(time), region)
        return
    while True:
        r, name, enter = stack.pop()
        call(where, enter, name, time)
        if r == region:
            return


def take(e):
    kind, where, time = e["event"], e["location"], e["time"]
    if kind == "ENTER":
        stacks[where].append((e["region"]["id"], name_of(e["region"]), time))
    elif kind == "LEAVE":
        leave_region(where, time, e["region"]["id"])
    elif "--calls" in options:
        return
    elif kind == "MPI_SEND":
        sends[where, e["receiver"]["location"], e["msg_tag"]].append((time, e["msg_length"]))
    elif kind == "MPI_RECV":
        receives[e["sender"]["location"], where, e["msg_tag"]].append((time, e["msg_length"]))
    elif kind == "METRIC":
        for v in e["values"]:
            value = float(v["value"]) if v["type"] == "DOUBLE" else v["value"]
            say("count", *place(where), ns(time), name_of(v["member"]), value)
    elif kind == "PARAMETER_STRING":
        say("note", *place(where), ns(time), name_of(e["parameter"]), name_of(e["string"]))
    else:
        say("unexpected", kind)


with open(path, encoding="utf-8", errors="surrogateescape") as printed:
    for line in printed:
        record = json.loads(line)
        if "definition" in record:
            define(record)
        elif "event" in record:
            take(record)
for where, stack in stacks.items():
    for _, name, enter in stack:
        call(where, enter, name, None)
for key in sends.keys() | receives.keys():
    if len(sends[key]) != len(receives[key]):
        say("unpaired", key)
    for (sent, length), (received, its) in zip(sends[key], receives[key]):
        say("message", *place(key[0]), ns(sent), *place(key[1]), ns(received), length if length == its else "differs")
sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
print("\n".join(sorted(lines)))
