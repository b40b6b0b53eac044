# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""perfetto.py FILE: what a trace of Perfetto (protocol buffers) holds, in the lines of printed.py, by a parser of its own that
reads the whole file. Standard library only."""

import collections
import gzip
import struct
import sys
import zlib

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
BOOTTIME = 6


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 0x7f) << shift, shift + 7
        if byte < 0x80:
            return value, at


def message(data):
    """{number: [values]}: numbers for varints and fixed ones, bytes for the others."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 in (1, 5):
            n = 8 if key & 7 == 1 else 4
            value, at = int.from_bytes(data[at:at + n], "little"), at + n
        else:
            assert key & 7 == 2, "wire type %d" % (key & 7)
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
            assert len(value) == n
        fields[key >> 3].append(value)
    return fields


def last(fields, number, otherwise=None):
    return fields[number][-1] if number in fields else otherwise


def text(value):
    return value.decode("utf-8", errors="surrogateescape").split("\0")[0]


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def repeated(fields, number, fixed=False):
    for value in fields.get(number, []):
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            if fixed:
                one, at = int.from_bytes(value[at:at + 8], "little"), at + 8
            else:
                one, at = varint(value, at)
            yield one


def packets(data):
    for packet in message(data)[1]:
        fields = message(packet)
        if 50 in fields:
            yield from packets(zlib.decompress(fields[50][-1]))
        else:
            yield fields


path, = sys.argv[1:]
data = (gzip.open if open(path, "rb").read(2) == b"\x1f\x8b" else open)(path, "rb").read()
everything = list(packets(data))
lines = []


def say(kind, *what):
    lines.append("\t".join([kind] + [str(w) for w in what]))


# ----------------------------------------------------------------------------------------------------------------- tracks

tracks, process_names, thread_names = {}, {}, {}


def describe_thread(fields):
    at = last(fields, 1), signed(last(fields, 2, 0))
    if last(fields, 5):
        thread_names[at] = text(last(fields, 5))
    return at


for p in everything:
    if 43 in p:
        process = message(p[43][-1])
        if last(process, 6):
            process_names[last(process, 1)] = text(last(process, 6))
    if 44 in p:
        describe_thread(message(p[44][-1]))
    if 60 not in p:
        continue
    d = message(p[60][-1])
    t = tracks.setdefault(last(d, 1, 0), {})
    if 3 in d:
        process = message(d[3][-1])
        t["process"] = last(process, 1)
        name = last(process, 6) or last(d, 2)
        if name:
            process_names[t["process"]] = text(name)
    if 4 in d:
        t["thread"] = describe_thread(message(d[4][-1]))
    if 8 in d:
        counter = message(d[8][-1])
        t["counter"] = True
        t["multiplier"], t["incremental"] = signed(last(counter, 4, 1)), last(counter, 5, 0)
    if 5 in d:
        t["parent"] = last(d, 5)
    for number in (2, 10, 13):
        if last(d, number) and "name" not in t:
            t["name"] = text(last(d, number))


def process_of(uuid):
    while uuid is not None:
        t = tracks.get(uuid, {})
        if "thread" in t:
            return t["thread"][0]
        if "process" in t:
            return t["process"]
        uuid = t.get("parent") if t.get("parent") in tracks else None
    return None


def place(uuid):
    if isinstance(uuid, tuple):  # a thread
        return process_names.get(uuid[0], "process %d" % uuid[0]), thread_names.get(uuid, "thread %d" % uuid[1])
    t = tracks.get(uuid, {})
    if t.get("counter") and t.get("parent") in tracks:
        return place(t["parent"])
    if "thread" in t:
        return place(t["thread"])
    process = process_of(uuid)
    name = "(no process)" if process is None else process_names.get(process, "process %d" % process)
    return name, "events of the process" if "process" in t else t.get("name", "track %d" % uuid)


def identity(uuid):
    """Which place it is: names alone don't tell, for several may have the same."""
    t = tracks.get(uuid, {})
    if t.get("counter") and t.get("parent") in tracks:
        return identity(t["parent"])
    return t.get("thread", ("process", t["process"]) if "process" in t else uuid)


# --------------------------------------------------------------------------------------------------------------- sequences

class Sequence:
    def __init__(self, valid):
        self.names, self.track, self.clock, self.reference, self.extra = {}, None, None, 0, {}
        self.valid = valid


sequences, clocks, trace_clock = {}, {}, None
calls, flows = collections.defaultdict(list), collections.defaultdict(list)
sums = collections.defaultdict(int)


def clock_key(sequence, number):
    return (sequence if 64 <= number < 128 else None), number


def snapshot(sequence, fields):
    global trace_clock
    if trace_clock is None and 2 in fields:
        trace_clock = last(fields, 2)
    readings = [message(c) for c in fields[1]]
    now = None
    for r in readings:
        if last(r, 1) == (trace_clock or BOOTTIME):
            now = last(r, 2, 0) * last(r, 4, 1)
    for r in readings:
        multiplier = last(r, 4, 1) or 1
        time = last(r, 2, 0) * multiplier
        key = clock_key(sequence, last(r, 1))
        clocks[key] = {"last": time, "incremental": last(r, 3, 0), "multiplier": multiplier,
                       "offset": now - time if now is not None else clocks.get(key, {}).get("offset", 0)}


def convert(sequence, number, time):
    if number == (trace_clock or BOOTTIME) or clock_key(sequence, number) not in clocks:
        return time
    c = clocks[clock_key(sequence, number)]
    c["last"] = time * c["multiplier"] + (c["last"] if c["incremental"] else 0)
    return c["last"] + c["offset"]


def intern(s, fields):
    for number in (1, 2, 3):
        for entry in fields.get(number, []):
            e = message(entry)
            s.names[number, last(e, 1)] = text(last(e, 2, b""))


def named(s, fields, inline, number, kind):
    for value in fields.get(inline, []):
        if isinstance(value, bytes):
            return text(value)
    for iid in repeated(fields, number):
        return s.names.get((kind, iid), "(unknown name)")
    return ""


def count(uuid, time, value, is_double):
    t = tracks.get(uuid, {})
    value = struct.unpack("<d", struct.pack("<Q", value))[0] if is_double else signed(value)
    value *= t.get("multiplier", 1)
    if t.get("incremental"):
        sums[uuid, is_double] += value
        value = sums[uuid, is_double]
    where = place(uuid) if t.get("counter") else place_of_undescribed(uuid)
    say("count", *where, time, t.get("name", "counter %d" % uuid), float(value) if is_double else value)


def place_of_undescribed(uuid):
    tracks.setdefault(uuid, {})["counter"] = True
    return place(uuid)


def event(sequence, s, p, order):
    e = message(p[11][-1])
    legacy = message(last(e, 6, b""))
    kind = last(e, 9, 0)
    phase = chr(last(legacy, 2, 0))
    if kind == 0 and phase in "BEIi":
        kind = "?BEI".index(phase.upper())
    if 8 in p:
        number = last(p, 58, s.clock if s.clock is not None else BOOTTIME)
        time = convert(sequence, number, last(p, 8))
    else:
        s.reference = last(e, 16) if 16 in e else s.reference + last(e, 1)
        time = s.reference * 1000
    uuid = last(e, 11, s.track if s.track is not None else 0)
    category = named(s, e, 22, 3, 1)
    name = named(s, e, 23, 10, 2)
    if not name and 1 in legacy:
        name = s.names.get((2, last(legacy, 1)), "")
    if kind == COUNTER:
        if 44 in e:
            count(uuid, time, last(e, 44), True)
        elif 30 in e:
            count(uuid, time, last(e, 30), False)
        return
    if kind in (BEGIN, END):
        calls[identity(uuid)].append((time, order, kind == BEGIN, name or "(no name)", uuid))
    elif kind == INSTANT:
        say("note", *place(uuid), time, category or "instant", name)
    elif phase == "X":
        say("call", *place(uuid), time, time + last(legacy, 3, 0) * 1000, name or "(no name)")
    arguments = {}
    for a in e[4]:
        a = message(a)
        key = text(last(a, 10)) if 10 in a else s.names.get((3, last(a, 1)), "")
        if 3 in a or 4 in a:
            arguments[key] = last(a, 3, last(a, 4))
    for number, fixed, ends in ((36, False, False), (47, True, False), (42, False, True), (48, True, True)):
        for flow in repeated(e, number, fixed):
            flows[flow].append((time, order, ends, identity(uuid), arguments.get("msg_length", 0), uuid))
    for tracks_are, values_are, is_double in ((31, 12, False), (45, 46, True)):
        of = list(repeated(e, tracks_are)) or s.extra.get(tracks_are, [])
        for u, value in zip(of, repeated(e, values_are, is_double)):
            count(u, time, value, is_double)


for order, p in enumerate(everything):
    sequence = last(p, 10, 0)
    if 6 in p:
        snapshot(sequence, message(p[6][-1]))
    if last(p, 13, 0) & 1 or last(p, 41, 0):
        sequences[sequence] = Sequence(True)
    s = sequences.setdefault(sequence, Sequence(False))
    if 12 in p:
        intern(s, message(p[12][-1]))
    if 59 in p:
        defaults = message(p[59][-1])
        s.clock = last(defaults, 58, s.clock)
        if 11 in defaults:
            of_events = message(last(defaults, 11))
            s.track = last(of_events, 11, s.track)
            s.extra = {n: list(repeated(of_events, n)) for n in (31, 45)}
    if 44 in p:
        thread = message(p[44][-1])
        s.track, s.reference = describe_thread(thread), last(thread, 6, 0)
    if 11 in p and (s.valid or not last(p, 13, 0) & 2):
        event(sequence, s, p, order)

for marks in calls.values():
    stack, where = [], place(marks[0][4])
    for time, _, begins, name, _ in sorted(marks, key=lambda mark: mark[:2]):
        if begins:
            stack.append((time, name))
        elif stack:
            begin, its = stack.pop()
            say("call", *where, begin, time, its)
    for begin, its in stack:
        say("call", *where, begin, "-", its)
for marks in flows.values():
    marks.sort(key=lambda mark: mark[:2])
    if [mark[2] for mark in marks] == [True, False]:
        end, begin = marks
        if place(end[5])[0] != place(begin[5])[0] or end[0] == begin[0]:  # clocks of two processes may differ
            marks = [begin, end]
    before = None
    for mark in marks:
        if before and before[3] != mark[3]:
            say("message", *place(before[5]), before[0], *place(mark[5]), mark[0], before[4])
        before = mark if not mark[2] else None  # an end of nothing is none
sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
print("\n".join(sorted(lines)))
