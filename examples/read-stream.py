#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Prints the events of a tcflow stream (read-stream.py < FILE, or behind a pipe): location, time, kind, fields.

All that it knows stands in doc/stream-format.md, and in the two tables of records of tcflow's headers, which it reads."""
import os, re, struct, sys, zlib

HEADERS = os.environ.get("TCFLOW_INCLUDE", os.path.dirname(os.path.abspath(__file__)) + "/../include/tcflow")
REFERENCES = """LOCATION STRING REGION GROUP COMM PARAMETER METRIC RMA_WIN CALLING_CONTEXT INTERRUPT_GENERATOR IO_PARADIGM
    IO_FILE IO_HANDLE""".split()


def table(header, start):
    """number -> (NAME, [(shape, ctype, role, field)]), out of a table of macros"""
    text = open(os.path.join(HEADERS, header)).read().replace("\\\n", " ")
    rows = {}
    for number, name, rest in re.findall(r"\b%s\((\d+), (\w+), \w+, \w+,(.*?)(?=\b%s\(\d|\n)" % (start, start), text):
        rows[int(number)] = name, [(f[0],) + tuple(f[1].split(", ")[1:]) for f in re.findall(r"\b([FAS])\(([^)]*)\)", rest)]
    return rows


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            sys.exit("a frame is too short")
        self.at += n
        return self.data[self.at - n:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def plain(self, ctype):
        value = self.varint()
        return value >> 1 ^ -(value & 1) if ctype == "i64" else value


def frames(stream):
    header = stream.read(16)
    if header[:8] != b"\x89TCF\r\n\x1a\n" or header[9] != 1:
        sys.exit("this is no stream of version 1")
    number, kind = 0, 0
    while kind not in (64, 65):
        head = stream.read(16)
        if len(head) < 16:
            sys.exit("the stream ends without its end frame")
        size, kind, flags, _, count, checksum = struct.unpack("<IBBHII", head)
        data = stream.read(size)
        if len(data) < size or count != number or zlib.crc32(data, zlib.crc32(head[:12])) != checksum or flags:
            sys.exit("frame %d is damaged, cut, or compressed" % number)
        number += 1
        yield kind, Cursor(data)
    if kind == 65:
        sys.exit("its writer has aborted")


def definition(c, fields, ids):
    length = 0
    for f in fields:
        if f[0] == "S":  # a text
            c.take(c.varint())
            continue
        for _ in range(length if f[0] == "A" else 1):
            value = c.plain(f[1])
            if f[3] == "self":
                ids.setdefault(f[2], {}).setdefault(value)
        length = value if f[0] == "F" else length


def reference(c, ctype, role, ids):
    if role not in REFERENCES:
        return c.plain(ctype)
    value = c.varint()
    return None if value == 0 else c.varint() if value == 1 else ids[role][value - 2]


def record(c, fields, ids):
    values, length = [], 0
    for shape, ctype, role, _ in fields:
        if shape == "F":
            length = reference(c, ctype, role, ids)
            values.append(length)
        elif role == "METRIC_VALUE":
            values.append(list(struct.unpack("<%dQ" % length, c.take(8 * length))))
        else:
            values.append([c.take(1)[0] if role == "TYPE" else reference(c, ctype, role, ids) for _ in range(length)])
    return values


def window(c, events, ids):
    location, n, _, time, blocks = ids["LOCATION"][c.varint()], c.varint(), c.varint(), 0, {}
    while c.at < len(c.data):
        number = c.take(1)[0]
        blocks[number] = Cursor(c.take(struct.unpack("<I", c.take(4))[0]))
    for _ in range(n):
        time += blocks[1].varint()
        name, fields = events[blocks[2].take(1)[0]]
        print(location, time, name, *record(blocks[3], fields, ids))


def main():
    events, definitions, ids = table("events.h", "E"), table("definitions.h", "D"), {}
    for kind, c in frames(sys.stdin.buffer):
        while kind == 2 and c.at < len(c.data):
            definition(c, definitions[c.take(1)[0]][1], ids)
        if kind == 5:  # all definitions have come: from now on an index is looked up
            ids = {role: list(ids.get(role, [])) for role in REFERENCES}
        if kind == 16:
            window(c, events, ids)
        if kind == 19:  # in front of this process
            location, how = ids["LOCATION"][c.varint()], c.varint()
            print("location %d: events were dropped or inserted (%d)" % (location, how), file=sys.stderr)


if __name__ == "__main__":
    main()
