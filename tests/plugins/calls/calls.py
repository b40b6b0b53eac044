# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""calls.py EVENTS MATCHES CSV [MAX_CALLS]: compares the table of `calls` (unit = ticks) with one that is made slowly of the
whole trace. EVENTS are the lines of print (format = json, definitions = yes, order = location), MATCHES those of
`oracle match --trusting`; `-`: partners and waits are not compared. Prints what differs. Standard library only."""

import collections
import csv
import json
import sys

NUMBERS = ["parent", "depth", "begin", "end", "exclusive", "wait", "partner", "partner_call", "sent", "received", "bytes_sent",
           "bytes_received"]


def name_of(reference):
    return reference["name"] if reference else ""


def is_before(op, mine, other):
    """Must the begin of rank `other` precede my end?"""
    return {"SCAN": other <= mine, "EXSCAN": other < mine}.get(op, True)


class Call:
    def __init__(self, number, parent, depth, name, begin):
        self.number, self.parent, self.depth, self.name, self.begin = number, parent, depth, name, begin
        self.end = self.wait = self.partner = self.partner_call = None
        self.inner = self.sent = self.received = self.bytes_sent = self.bytes_received = 0


class Trace:
    def __init__(self, path):
        self.names, self.groups, self.regions, self.contexts = {}, {}, {}, {}
        self.ranks, self.members, self.sides = None, {}, {}
        self.calls = collections.defaultdict(list)     # by location, by number
        self.around = collections.defaultdict(list)    # by location and index of the event: the innermost call around it
        self.times = collections.defaultdict(list)
        self.stacks = collections.defaultdict(list)
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                record = json.loads(line)
                if "definition" in record:
                    self.define(record)
                elif "event" in record:
                    self.take(record)

    def define(self, d):
        kind = d["definition"]
        if kind == "LOCATION_GROUP":
            self.groups.setdefault(d["id"], name_of(d["name"]))
        elif kind == "LOCATION":
            self.names.setdefault(d["id"], (d["location_group"]["id"] if d["location_group"] else None, name_of(d["name"])))
        elif kind == "REGION":
            self.regions.setdefault(d["id"], name_of(d["name"]))
        elif kind == "GROUP":
            self.members.setdefault(d["id"], d["members"])
            if d["group_type"] == "COMM_LOCATIONS" and d["paradigm"] == "MPI" and not self.ranks:
                self.ranks = d["members"]
        elif kind == "INTER_COMM":
            self.sides.setdefault(str(d["id"]), d["group_a"]["id"])
        elif kind == "CALLING_CONTEXT":
            self.contexts.setdefault(d["id"], d["region"])

    def side(self, comm, where):
        """Of an inter-communicator; 0: it is none."""
        return 0 if comm not in self.sides else 1 + (where in [self.ranks[r] for r in self.members[self.sides[comm]]])

    def what(self, e):
        if "region" in e:
            return "region", e["region"]["id"] if e["region"] else None
        return "context", e["calling_context"]["id"] if e["calling_context"] else None

    def name(self, what):
        kind, number = what
        if kind == "context":
            region = self.contexts.get(number)
            number = region["id"] if region else None
        return self.regions.get(number, "(undefined)") if number is not None else "(undefined)"

    def enter(self, where, e):
        stack, calls = self.stacks[where], self.calls[where]
        call = Call(len(calls), stack[-1][1].number if stack else None, len(stack), self.name(self.what(e)), e["time"])
        calls.append(call)
        stack.append((self.what(e), call))

    def leave(self, where, e):
        stack, what = self.stacks[where], self.what(e)
        if what not in [w for w, _ in stack]:
            return
        while True:
            left, call = stack.pop()
            call.end = e["time"]
            if stack:
                stack[-1][1].inner += call.end - call.begin
            if left == what:
                return

    def take(self, e):
        kind, where = e["event"], e["location"]
        if kind.endswith("ENTER") and ("region" in e or "calling_context" in e):
            self.enter(where, e)
        call = self.stacks[where][-1][1] if self.stacks[where] else None
        self.around[where].append(call)
        self.times[where].append(e["time"])
        if call and kind in ("MPI_SEND", "MPI_ISEND"):
            call.sent += 1
            call.bytes_sent += e["msg_length"]
            if call.received == 0 and e["receiver"] and e["receiver"]["location"] is not None:
                call.partner, call.partner_call = e["receiver"]["location"], None
        elif call and kind in ("MPI_RECV", "MPI_IRECV"):
            call.received += 1
            call.bytes_received += e["msg_length"]
            if e["sender"] and e["sender"]["location"] is not None:
                call.partner, call.partner_call = e["sender"]["location"], ("unmatched",)
                call.last_receive = len(self.times[where]) - 1
        if kind.endswith("LEAVE") and ("region" in e or "calling_context" in e):
            self.leave(where, e)


def wait_for(trace, where, index, begins):
    """Event `index` of a location waits for others whose calls began at `begins`."""
    call, time = trace.around[where][index], trace.times[where][index]
    if call and begins:
        wait = max(0, min(max(begins), time) - call.begin)
        call.wait = wait if call.wait is None else max(call.wait, wait)


def begin_of(trace, where, index):
    call = trace.around[where][index]
    return call.begin if call else trace.times[where][index]


def match(trace, path):
    instances = collections.defaultdict(list)
    for line in open(path):
        f = line.rstrip("\n").split(",")
        if f[0] == "p2p":
            s, si, r, ri = [int(x) for x in f[5:9]]
            wait_for(trace, r, ri, [begin_of(trace, s, si)])
            call, sender = trace.around[r][ri], trace.around[s][si]
            if call and call.last_receive == ri:
                call.partner_call = sender.number if sender else None
        elif f[0] in ("coll", "rma_coll") and f[2]:
            instances[f[0], f[1], f[2]].append(f)
    for (_, comm, _), members in instances.items():
        for me in members:
            side = trace.side(comm, int(me[6]))
            if me[8] and me[12] == "1":
                begins = [begin_of(trace, int(m[6]), int(m[7])) for m in members
                          if m is not me and m[7] and m[11] == "1" and is_before(me[3], int(me[5]), int(m[5])) and
                          (side == 0 or trace.side(comm, int(m[6])) != side)]
                wait_for(trace, int(me[6]), int(me[8]), begins)


def rows_of(trace, most):
    for where, calls in trace.calls.items():
        group, thread = trace.names[where]
        for c in calls[:most]:
            partner_call = None if c.partner_call == ("unmatched",) else c.partner_call
            if partner_call is not None and most is not None and partner_call >= most:
                partner_call = None
            exclusive = None if c.end is None else c.end - c.begin - c.inner
            numbers = [c.parent, c.depth, c.begin, c.end, exclusive, c.wait, c.partner, partner_call, c.sent, c.received,
                       c.bytes_sent, c.bytes_received]
            yield (where, c.number), (trace.groups.get(group, ""), thread, c.name, numbers)


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as table:
        for row in csv.DictReader(table):
            numbers = [int(row[n]) if row[n] else None for n in NUMBERS]
            yield (int(row["location"]), int(row["call"])), (row["process"], row["thread"], row["name"], numbers)


most = int(sys.argv[4]) if len(sys.argv) > 4 else None
trace = Trace(sys.argv[1])
if sys.argv[2] != "-":
    match(trace, sys.argv[2])
expected, rows = dict(rows_of(trace, most)), list(read(sys.argv[3]))
if sys.argv[2] == "-":
    for _, (_, _, _, numbers) in list(expected.items()) + rows:
        for name in ("wait", "partner", "partner_call"):
            numbers[NUMBERS.index(name)] = None
got = dict(rows)
sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
if len(got) != len(rows):
    print("rows that stand twice: %d" % (len(rows) - len(got)))
if [k[0] for k in got] != sorted((k[0] for k in got), key=list(trace.names).index):
    print("locations are out of order")
for key in sorted(expected.keys() | got.keys()):
    if expected.get(key) != got.get(key):
        print("%s: expected %s, got %s" % (key, expected.get(key), got.get(key)))
if not expected:
    print("nothing to compare")
