#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""within.py STREAM SHORT >STREAM: all that comes of the last location stands behind what comes of the others, in the windows of SHORT, a
stream of the same events; and nothing says before how far locations have got. Prints to standard error how many bytes there are up to
the middle of the second frame with events of that location. For streams that are not compressed."""
import struct, sys, zlib

HEADER, HEAD = 16, 16
WINDOW, FRONTIERS, LOCATION_END = 16, 17, 18


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def frames(data):
    at = HEADER
    while at < len(data):
        size, kind = struct.unpack("<IB", data[at:at + 5])
        yield kind, data[at + HEAD:at + HEAD + size]
        at += HEAD + size


def write(kind, number, content):
    head = struct.pack("<IBBHI", len(content), kind, 0, 0, number)
    sys.stdout.buffer.write(head + struct.pack("<I", zlib.crc32(content, zlib.crc32(head))) + content)


def parts(path):
    """Frames by location; -1: of none."""
    data = open(path, "rb").read()
    kept = [(kind, content) for kind, content in frames(data) if kind != FRONTIERS]
    return data[:HEADER], [(varint(f[1], 0)[0] if f[0] in (WINDOW, LOCATION_END) else -1, f) for f in kept]


def main():
    header, long = parts(sys.argv[1])
    last = max(l for l, (kind, content) in long if kind == WINDOW and content[varint(content, 0)[1]] != 0)
    late = [f for l, f in parts(sys.argv[2])[1] if l == last]
    first = [f for l, f in long if l != last]
    until = len(first)  # in front of what ends the stream
    while first[until - 1][0] not in (WINDOW, LOCATION_END):
        until -= 1
    sys.stdout.buffer.write(header)
    written = HEADER
    for number, (kind, content) in enumerate(first[:until] + late + first[until:]):
        if number == until + 1:
            print(written + HEAD + len(content) // 2, file=sys.stderr)
        write(kind, number, content)
        written += HEAD + len(content)


if __name__ == "__main__":
    main()
