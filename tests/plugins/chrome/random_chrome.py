# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""random_chrome.py SEED EVENTS FILE: a Chrome trace with events of all kinds, in any order, in all forms that the format has.
Begins and ends of one thread have times of their own, for only the order in the file could tell equal ones apart."""

import gzip
import json
import random
import re
import sys

seed, wanted, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(seed)
events = []
NAMES = ["main", "MPI_Send", "Ärger \"quoted\"", "a\tb", "x" * 300, "operator<<", "日本"]


def us(ns):
    """Nanoseconds as a number of microseconds; the marks go when the text is made."""
    whole = "%d.%03d" % (ns // 1000, ns % 1000)
    return "@%s@" % rng.choice([whole, whole, whole + "000", whole + "4", "%de-3" % ns])



def identity(n):
    return rng.choice([n, n, n, str(n)]) if n < 50 else "name %d" % n


def add(ph, pid, tid, ns, **more):
    events.append(dict(ph=ph, pid=identity(pid), tid=identity(tid), ts=us(ns), **more))


def stack_of(pid, tid):
    now, depth = rng.randrange(10**9), 0
    for _ in range(max(2, wanted // 40)):
        now += rng.randrange(1, 2000)
        if depth and rng.random() < 0.5:
            add("E", pid, tid, now)
            depth -= 1
        else:
            add("B", pid, tid, now, name=rng.choice(NAMES), cat=rng.choice(["USER", "MPI", "x"]))
            depth += 1


def calls_of(pid, tid):
    for _ in range(max(2, wanted // 40)):
        more = {} if rng.random() < 0.05 else {"dur": us(rng.choice([0, rng.randrange(100), rng.randrange(10**6)]))}
        add("X", pid, tid, rng.randrange(10**7), name=rng.choice(NAMES), cat="cpu_op", **more)
    add("X", pid, tid, rng.randrange(10**7), name="lib/a (1)/b.py(17): run", cat="python_function", dur=5)


def messages(n):
    for k in range(n):
        sent = rng.randrange(10**6)
        received = sent + rng.randrange(-500, 5000)
        received = max(received, 0)
        id_ = rng.choice([{"id": k}, {"id": "0x%x" % k}, {"id2": {"global": "g%d" % k}}, {"id": k % 3}])
        name = rng.choice(["message", "ac2g"]) if "id" not in id_ or id_["id"] != k % 3 else "again"
        a, b = (rng.randrange(4), 60), (rng.randrange(4), 61)
        if rng.random() < 0.5:
            add("i", *a, sent, name="MpiSend", s="t", args={"msg_length": k, "msg_tag": k % 2})
        add("s", *a, sent, name=name, cat="flow", **id_)
        if rng.random() < 0.1:
            add("t", rng.randrange(4), 62, (sent + received) // 2, name=name, cat="flow", **id_)
        if rng.random() < 0.95:
            add("f", *b, received, name=name, cat="flow", bp="e", **id_)


def spans(n):
    for k in range(n):
        begin, pid, cat = rng.randrange(10**6), rng.randrange(4), rng.choice(["net", "gpu"])
        for depth in range(rng.randrange(1, 3)):
            opened, closed = rng.choice(["be", "SF"])
            add(opened, pid, 0, begin + depth, name="request %d" % depth, cat=cat, id=k)
            if rng.random() < 0.95:
                add(closed, pid, 0, begin + 1000 - depth, name="request %d" % depth, cat=cat, id=k)
        if rng.random() < 0.3:
            add("n", pid, 0, begin + 3, name="step", cat=cat, id=k)


def others(n):
    for _ in range(n):
        now = rng.randrange(10**6)
        kind = rng.randrange(4)
        if kind == 0:
            add("C", rng.randrange(4), 60, now, name="memory", args={"value": rng.choice([0, -5, 2**60, 1.5, 1e300, "none"])})
        elif kind == 1:
            add("C", rng.randrange(4), 60, now, name="ops", id=rng.choice([60, 7]), args={"reads": 3, "writes": rng.randrange(9)})
        elif kind == 2:
            add(rng.choice("iIR"), rng.randrange(4), 60, now, name=rng.choice(NAMES), s="g")
        else:
            add(rng.choice("NODPv"), 0, 0, now, name="other", id=1, args={"snapshot": {"deep": [1, {"ts": 3, "ph": "X"}]}})


for pid in range(4):
    stack_of(pid, 70)
    calls_of(pid, 71)
    events.append({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": "rank %d" % pid}})
    events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": identity(70), "args": {"name": "worker"}})
    events.append({"ph": "M", "name": "process_labels", "pid": pid, "args": {"labels": rng.choice(["GPU 0", "CPU"])}})
messages(wanted // 8)
spans(wanted // 10)
others(wanted // 4)
if seed % 3:
    rng.shuffle(events)
indent = [None, 1, "\t"][seed % 3]
text = json.dumps(events, indent=indent, ensure_ascii=seed % 2 == 0)
text = re.sub('"@([^@"]*)@"', r"\1", text)
form = seed % 4
if form == 0:
    text = '{"schemaVersion": 1, "displayTimeUnit": "ms", "deviceProperties": [{"id": 0, "ph": "X"}], "traceEvents": ' + text + ', "x": {"traceEvents": [1]}}'
elif form == 1:
    text = text[:-1].rstrip() + ","  # the end may be missing
elif form == 2:
    text = '\n {"traceEvents":' + text + "}\n\n"
data = text.encode()
(gzip.open if path.endswith(".gz") else open)(path, "wb").write(data)
