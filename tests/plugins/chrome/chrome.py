# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""chrome.py [--calls] FILE: what a Chrome trace holds, in the lines of printed.py, by a parser of its own that reads the whole
file. Standard library only."""

import collections
import decimal
import gzip
import json
import re
import sys

PHASES = "BEXiIRCstfbenSFTpM"
options = [a for a in sys.argv[1:] if a.startswith("--")]
path, = [a for a in sys.argv[1:] if not a.startswith("--")]
opened = gzip.open(path) if open(path, "rb").read(2) == b"\x1f\x8b" else open(path, "rb")
text = opened.read().decode("utf-8", errors="surrogateescape").strip()
if text.startswith("[") and not text.endswith("]"):
    text = text.rstrip(",") + "]"
trace = json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
events = trace if isinstance(trace, list) else trace["traceEvents"]

processes, threads = {}, {}
lines = []
opened_calls = collections.defaultdict(list)
per_thread = collections.defaultdict(list)
ends = collections.defaultdict(list)
spans = collections.defaultdict(list)


def say(kind, *what):
    lines.append("\t".join([kind] + [str(w) for w in what]))


def ns(microseconds):
    return int((decimal.Decimal(microseconds) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def ident(e, key):
    return str(e.get(key, 0))


def place(at):
    pid, tid = at
    return processes.get(pid, "process " + pid), threads.get(at, tid if tid.startswith("asynchronous: ") else "thread " + tid)


def region(e):
    name = e.get("name", "(no name)")
    python = re.match(r"(.*?)\((\d{1,9})\): (.*)", name, re.S) if e.get("cat") == "python_function" else None
    return python[3] if python else name


def key_of(e):
    id2 = e.get("id2", {})
    one = e.get("id", id2.get("global", id2.get("local", "")))
    return e.get("cat", ""), e.get("name", ""), str(one), ident(e, "pid") if "local" in id2 else ""


for e in events:
    args = e.get("args") or {}
    if e.get("ph") == "M" and args.get("name"):
        if e["name"] == "process_name":
            processes[ident(e, "pid")] = args["name"]
        elif e["name"] == "thread_name":
            threads[ident(e, "pid"), ident(e, "tid")] = args["name"]

devices = {ident(e, "pid") for e in events
           if e.get("name") == "process_labels" and str((e.get("args") or {}).get("labels")).startswith("GPU ")}
instant = None
for number, e in enumerate(events):
    phase = e.get("ph", "")
    if len(phase) != 1 or phase not in PHASES or phase == "M":
        continue
    at, args, time = (ident(e, "pid"), ident(e, "tid")), e.get("args") or {}, ns(e["ts"])
    if phase in "benSFTp":
        at = (at[0], "asynchronous: " + (e.get("cat") or "events"))
    if phase in "BE":
        per_thread[at].append((time, number, phase, e))
    elif phase == "X":
        say("call", *place(at), time, time + ns(e.get("dur", 0)), region(e))
    elif phase in "bS":
        spans[key_of(e)].append((time, number, 1, at, region(e)))
    elif phase in "eF":
        spans[key_of(e)].append((time, number, 0, at, ""))
    elif phase == "C":
        for series, value in args.items():
            if not isinstance(value, decimal.Decimal):
                continue
            name = e["name"]
            if "id" in e and str(e["id"]) != ident(e, "tid"):
                name += " [%s]" % e["id"]
            if series != "value":
                name += ": " + series
            whole = value == value.to_integral_value() and "." not in str(value) and "E" not in str(value)
            say("count", *place(at), time, name, int(value) if whole else float(value))
    elif phase in "stf":
        size = instant[2] if instant and instant[:2] == (at, time) else 0
        if phase != "s":
            ends[key_of(e)].append((time, number, "receive", at, 0))
        if phase != "f":
            ends[key_of(e)].append((time, number + 0.5, "send", at, size))
    else:
        instant = (at, time, int(args["msg_length"])) if "msg_length" in args else None
        say("note", *place(at), time, e.get("cat") or "instant", e.get("name", ""))

for at, marks in per_thread.items():
    stack = []
    for time, _, phase, e in sorted(marks, key=lambda m: m[:2]):
        if phase == "B":
            stack.append((time, region(e)))
        elif stack:
            begin, name = stack.pop()
            say("call", *place(at), begin, time, name)
    for begin, name in stack:
        say("call", *place(at), begin, "-", name)
for marks in spans.values():
    stack = []
    for time, _, begins, at, name in sorted(marks, key=lambda m: m[:2]):
        if begins:
            stack.append((time, at, name))
        elif stack:
            begin, where, its = stack.pop()
            say("call", *place(where), begin, time, its)
for marks in ends.values():
    marks.sort(key=lambda m: m[:2])
    receives = collections.deque(m for m in marks if m[2] == "receive")
    for s in (m for m in marks if m[2] == "send"):
        pid = s[3][0]
        while receives and receives[0][3][0] == pid not in devices and receives[0][0] < s[0]:  # before it, by one clock
            receives.popleft()
        if not receives:
            break
        r = receives.popleft()
        if s[3] != r[3]:
            say("message", *place(s[3]), s[0], *place(r[3]), r[0], s[4])
if "--calls" in options:
    lines = [line for line in lines if line.startswith("call\t")]
sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
print("\n".join(sorted(lines)))
