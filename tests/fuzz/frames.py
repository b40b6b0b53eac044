#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""frames.py OPTIONS < STREAM > INPUT: makes an input for fuzz_stream of a stream (little-endian, not compressed): a byte of
options, then each frame as type, length and bytes. frames.py OPTIONS STREAM STREAM... > INPUT: one for fuzz_merge of several. Regions and strings that nothing refers to are left out, and texts are cut
short where no name of MPI is one: reading definitions again and again is what takes the time."""
import importlib.util, os, struct, sys

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("reader", here + "/../../examples/read-stream.py")
reader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reader)
EVENTS, DEFINITIONS = reader.table("events.h", "E"), reader.table("definitions.h", "D")


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def record(c, fields, use, remap):
    """A record copied; references to indices go through remap(role, value)."""
    out, length = b"", 0
    for shape, ctype, role, _ in fields:
        for _ in range(length if shape == "A" else 1):
            if shape == "A" and role in ("TYPE", "METRIC_VALUE"):
                out += c.take(1 if role == "TYPE" else 8)
                continue
            value = c.varint()
            if role in reader.REFERENCES and value == 1:
                out += varint(1) + varint(c.varint())
            elif role in reader.REFERENCES and value >= 2:
                use.setdefault(role, set()).add(value - 2)
                out += varint(remap(role, value - 2) + 2)
            else:
                out += varint(value)
                length = value if shape == "F" else length
    return out


def window(data, use, remap):
    c = reader.Cursor(data)
    head = [c.varint() for _ in range(3)]
    out, kinds = b"".join(map(varint, head)), None
    while c.at < len(data):
        number, size = c.take(1)[0], struct.unpack("<I", c.take(4))[0]
        block = c.take(size)
        kinds = block if number == 2 else kinds
        if number == 3:
            b = reader.Cursor(block)
            block = b"".join(record(b, EVENTS[k][1], use, remap) for k in kinds)
        out += bytes([number]) + struct.pack("<I", len(block)) + block
    return out


def definitions(frames):
    """Every record: [frame, name, id, ids of strings, bytes]"""
    for data in frames:
        c = reader.Cursor(data)
        while c.at < len(data):
            begin, ids, strings, length = c.at, None, [], 0
            name, fields = DEFINITIONS[c.take(1)[0]]
            text = b""
            for field in fields:
                if field[0] == "S":
                    text = c.take(c.varint())
                    continue
                shape, _, role, who = field
                for _ in range(length if shape == "A" else 1):
                    value = c.varint()
                    if who == "self":
                        ids = value
                    elif role == "STRING":
                        strings.append(value)
                    length = value if shape == "F" else length
            yield name, ids, strings, data[begin:c.at], text


def input_of(data):
    """The frames of a stream, as the targets want them."""
    at, frames = 16, []
    while at < len(data):
        size, kind = struct.unpack("<IB", data[at:at + 5])
        frames.append((kind, data[at + 16:at + 16 + size]))
        at += 16 + size
    use = {}
    for kind, body in frames:
        if kind == 16:
            window(body, use, lambda role, value: value)
    records, index, keep, strings = list(definitions(b for k, b in frames if k == 2)), {}, [], set()
    counted = {"REGION": 0, "STRING": 0}
    for r in records:
        number = counted.get(r[0])
        counted[r[0]] = (number or 0) + 1
        keep.append([r, number, r[0] not in ("REGION", "STRING") or number in use.get(r[0], set())])
        if keep[-1][2]:
            strings.update(r[2])
    for k in keep:
        k[2] = k[2] or (k[0][0] == "STRING" and k[0][1] in strings)
        if k[2] and k[0][0] in counted:
            index[k[0][0], k[1]] = sum(1 for role, _ in index if role == k[0][0])
    body, n = b"", 0
    for r, _, kept in keep:
        if kept:
            text = r[4] if r[4][:3] in (b"MPI", b"!$o") else r[4][:1]
            body += r[3] if r[0] != "STRING" else r[3][:1] + varint(r[1]) + varint(len(text)) + text
            n += 1
    out, done = b"", False
    for kind, old in frames:
        new = old
        if kind == 2:
            if done:
                continue
            new, done = body, True
        elif kind == 5:
            c = reader.Cursor(old)
            c.varint()
            new = varint(n) + varint(c.varint())
        elif kind == 16:
            new = window(old, {}, lambda role, value: index.get((role, value), value))
        out += bytes([kind]) + len(new).to_bytes(3, "little") + new
    return out


def main():
    streams = [open(name, "rb").read() for name in sys.argv[2:]] or [sys.stdin.buffer.read()]
    options = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    sys.stdout.buffer.write(bytes([options]) + bytes([255, 0, 0, 0]).join(map(input_of, streams)))


main()
