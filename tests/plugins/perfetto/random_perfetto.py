# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""random_perfetto.py SEED EVENTS FILE: a trace of Perfetto with events of all kinds, in the forms that writers of the format use:
names interned and inline, several clocks, cleared states, packed packets, descriptions in front of events and behind them."""

import gzip
import random
import struct
import sys
import zlib

seed, wanted, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(seed)
NAMES = ["main", "MPI_Send", "Ärger \"quoted\"", "a\tb", "x" * 300, "operator<<", "日本", "step"]
CATEGORIES = ["USER", "MPI", "net", "kernel"]


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def fixed(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def block(field, *parts):
    data = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(data)) + data


class Writer:
    """A sequence of packets. `clock`: how it states times."""

    def __init__(self, number_, clock):
        self.number, self.clock, self.iids, self.now, self.packets = number_, clock, {}, 10**6 * (number_ + 1), []
        self.default, self.extra = None, []

    def add(self, *parts):
        self.packets.append(block(1, *parts, number(10, self.number)))

    def clear(self, default=None, extra=()):
        self.iids, self.default, self.extra = {}, default, list(extra)
        defaults = b""
        if self.clock in (1, 64):
            defaults += number(58, self.clock)
        inner = (number(11, default) if default is not None else b"") + b"".join(number(31, u) for u in extra)
        if inner:
            defaults += block(11, inner)
        flags = number(13, 1) if rng.random() < 0.7 else number(41, 1)
        self.add(flags, block(59, defaults) if defaults else b"")
        if self.clock == 64:
            now = self.now // 1000
            self.ticks = now
            self.add(block(6, number(2, 3), block(1, number(1, 64), number(2, now), number(3, 1), number(4, 1000)),
                           block(1, number(1, 3), number(2, now * 1000)), block(1, number(1, 6), number(2, now * 1000 + 777))))

    def time(self):
        self.now += rng.randrange(0, 3000)
        if self.clock == 64:
            ticks = self.now // 1000
            delta, self.ticks = ticks - self.ticks, ticks
            return number(8, delta)
        if self.clock == 3:
            return number(8, self.now) + number(58, 3)
        return number(8, self.now)

    def name(self, table, field_inline, field_iid, text):
        if rng.random() < 0.2:
            return b"", block(field_inline, text)
        intern = b""
        if (table, text) not in self.iids:
            self.iids[table, text] = len(self.iids) + 1
            intern = block(12, block(table, number(1, self.iids[table, text]), block(2, text)))
        iid = self.iids[table, text]
        return intern, block(field_iid, varint(iid)) if table == 1 and rng.random() < 0.3 else number(field_iid, iid)

    def event(self, kind, track=None, name=None, category=None, more=b"", interns=b""):
        parts = number(9, kind)
        if track is not None and (track != self.default or rng.random() < 0.2):
            parts += number(11, track)
        for table, inline, iid, text in ((2, 23, 10, name), (1, 22, 3, category)):
            if text is not None:
                intern, field = self.name(table, inline, iid, text)
                interns += intern
                parts += field
        self.add(self.time(), number(13, 2), interns, block(11, parts, more))


def calls_of(w, track, n):
    depth = 0
    for _ in range(n):
        if depth and rng.random() < 0.5:
            w.event(2, track)
            depth -= 1
        else:
            w.event(1, track, rng.choice(NAMES), rng.choice(CATEGORIES + [None]))
            depth += 1
        w.now += 1


def arguments(w, size):
    intern, name = w.name(3, 10, 1, "msg_length")
    return intern, block(4, name, number(rng.choice([3, 4]), size)) + block(4, block(10, "note"), block(6, "text"))


def flows_of(writers, n):
    for k in range(n):
        a, b, c = rng.sample(writers, 3)
        ident, old = rng.choice([k + 1, 2**60 + k, 7]), rng.random() < 0.2
        ident = ident if ident != 7 or rng.random() < 0.5 else 10**6 + k
        places = [a, b] if rng.random() < 0.7 else [a, b, c]
        for i, w in enumerate(places):
            ends = i == len(places) - 1 and rng.random() < 0.7
            flow = number(42 if ends else 36, ident) if old else fixed(48 if ends else 47, ident)
            if not old and rng.random() < 0.2:
                flow = block(48 if ends else 47, struct.pack("<Q", ident))
            intern, more = arguments(w, rng.randrange(10**6)) if rng.random() < 0.5 else (b"", b"")
            w.event(3, w.default, "message", None, flow + more, intern)


def descriptors():
    yield block(60, number(1, 0), number(19, 1))
    for p in range(3):
        yield block(60, number(1, 100 + p), block(3, number(1, 40 + p), block(6, "rank %d" % p)))
        for t in range(2):
            yield block(60, number(1, 200 + 10 * p + t), block(4, number(1, 40 + p), number(2, 400 + t), block(5, "worker %d" % t)),
                        number(5, 100 + p) if rng.random() < 0.5 else b"")
        yield block(60, number(1, 300 + p), block(2, "queue"), number(5, 100 + p), number(12, p) if seed % 2 else b"")
        yield block(60, number(1, 320 + p), block(10, "inner"), number(5, 300 + p))
        yield block(60, number(1, 400 + p), block(2, "bytes sent"), number(5, 200 + 10 * p),
                    block(8, number(3, 3), number(4, rng.choice([1, 1000]))))
        yield block(60, number(1, 420 + p), block(2, "pages"), number(5, 100 + p), block(8, block(6, "pages"), number(5, 1)))
    yield block(60, number(1, 500), block(2, "everywhere"))
    yield block(60, number(1, 502), block(2, "calls that overlap"))
    yield block(60, number(1, 501), block(2, "load"), block(8))


kinds = [6, 3, 64, 6, 1, 64]
writers = [Writer(1 + i, clock) for i, clock in enumerate(kinds)]
front, behind = [], []
for d in descriptors():
    (front if rng.random() < 0.7 else behind).append(block(1, d, number(10, 99)))
front.append(block(1, block(6, number(2, 3), block(1, number(1, 3), number(2, 5000)), block(1, number(1, 6), number(2, 5100)),
                            block(1, number(1, 1), number(2, 10**6)))))
for i, w in enumerate(writers):
    w.clear(200 + 10 * (i // 2) + i % 2, [400 + i // 2] if i % 2 else ())
for _ in range(max(2, wanted // 400)):
    for i, w in enumerate(writers):
        calls_of(w, rng.choice([None, w.default]), 20)
        calls_of(w, 300 + i // 2 if i % 2 else 100 + i // 2, 10)
        calls_of(w, 320 + i // 2 if i % 2 else 500, 4)
        w.event(4, 400 + i // 2, more=number(30, rng.choice([0, -5, 2**40])))
        w.event(4, 420 + i // 2, more=rng.choice([number(30, 3), double(44, 1.5)]))
        w.event(4, rng.choice([501, 777]), more=double(44, rng.choice([0.25, 1e300, -1])))
        w.event(3, w.default, "tick", rng.choice([None, "net"]),
                number(12, rng.randrange(100)) if w.extra else number(31, 400 + i // 2) + block(12, varint(5)))
        w.event(3, w.default, "tick", None, number(45, 501) + double(46, 2.5))
        w.add(w.time(), number(13, 2), block(11, block(6, number(2, ord("X")), number(3, rng.randrange(50))), block(23, "X call"),
                                             number(11, 502)))
        w.add(w.time(), block(11, number(9, 3), number(10, 987654)))
        w.add(block(2, block(2, number(1, 1))), block(1, b"\0\1\2"))  # what is left out
        if rng.random() < 0.3:
            w.clear(w.default, w.extra)
    flows_of(writers, 12)
lost = Writer(50, 6)
lost.event(1, 200, None, None)  # its state was never cleared
old = Writer(60, 6)
old.add(block(44, number(1, 41), number(2, 999), block(5, "old"), number(6, 10**5)), number(13, 1))
old.add(block(43, number(1, 41), block(6, "rank 1")))
for k in range(10):
    old.add(number(13, 2), block(11, number(1, 5), block(6, number(2, ord("BE"[k % 2]))), block(23, "old call")))
old.add(number(13, 2), block(11, number(16, 10**6), block(6, number(2, ord("I"))), block(23, "old instant")))

streams = [w.packets for w in writers + [lost, old]]
mixed = []
while any(streams):
    mixed.append(rng.choice([s for s in streams if s]).pop(0))
everything, i = front, 0
while i < len(mixed):
    n = rng.choice([1, 1, 1, 20])
    part = b"".join(mixed[i:i + n])
    everything.append(block(1, block(50, zlib.compress(part))) if n > 1 and seed % 3 else part)
    i += n
data = b"".join(everything + behind)
(gzip.open if path.endswith(".gz") else open)(path, "wb").write(data)
