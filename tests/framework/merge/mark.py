#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""mark.py ID NAME TEXT <STREAM >STREAM: the same with a definition of a marker and a marker of that kind. mark.py <STREAM: what it has
of them. For streams that are not compressed, ids below 128."""
import struct, sys, zlib

MARKER, END = 33, 64


def text(value):
    return bytes([len(value)]) + value.encode()


def frames(source):
    while head := source.read(16):
        size, kind = struct.unpack("<IB", head[:5])
        yield kind, source.read(size)


def marked(source, to, marker, name, what):
    to.write(source.read(16))
    number = 0
    for kind, data in frames(source):
        new = [bytes([1, marker]) + text(name) + text("") + b"\1", bytes([0, marker, 9, 0, 0, 0]) + text(what)] if kind == END else []
        for kind, data in [(MARKER, m) for m in new] + [(kind, data)]:
            head = struct.pack("<IBBHI", len(data), kind, 0, 0, number)
            to.write(head + struct.pack("<I", zlib.crc32(data, zlib.crc32(head))) + data)
            number += 1


def listed(source):
    source.read(16)
    for kind, data in frames(source):
        if kind == MARKER and data[0] == 1:
            print("definition", data[1], data[3:3 + data[2]].decode())
        elif kind == MARKER:
            print("marker", data[1], data[7:].decode())


if len(sys.argv) > 1:
    marked(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[1]), sys.argv[2], sys.argv[3])
else:
    listed(sys.stdin.buffer)
