#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""strings.py N TEXT <STREAM >STREAM: the same with N strings more, from an id on that is the same for all, and one more with the last id
but one. For streams that are not compressed."""
import struct, sys, zlib

DEFINITIONS, READY, STRING, FIRST, LAST = 2, 5, 5, 100000, 0xFFFFFFFD


def varint(value):
    packed = b""
    while value >= 0x80:
        packed += bytes([value & 0x7F | 0x80])
        value >>= 7
    return packed + bytes([value])


def number(data):
    value = at = 0
    while True:
        value |= (data[at] & 0x7F) << 7 * at
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def strings(n, text):
    packed = b""
    for i in list(range(FIRST, FIRST + n)) + [LAST]:
        what = ("%s %d" % (text, i)).encode()
        packed += bytes([STRING]) + varint(i) + varint(len(what)) + what
    return packed


def main():
    source, to, n, done, frames = sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[1]), False, 0
    to.write(source.read(16))
    while head := source.read(16):
        size, kind = struct.unpack("<IB", head[:5])
        data = source.read(size)
        if kind == DEFINITIONS and not done:
            data, done = data + strings(n, sys.argv[2]), True
        elif kind == READY:
            records, length = number(data)
            data = varint(records + n + 1) + data[length:]
        head = struct.pack("<IBBHI", len(data), kind, 0, 0, frames)
        to.write(head + struct.pack("<I", zlib.crc32(data, zlib.crc32(head))) + data)
        frames += 1


main()
