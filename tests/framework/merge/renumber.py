#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""renumber.py OFFSET [SUFFIX] <STREAM >STREAM: the same events, with definitions that have other ids, and texts with a suffix.

Events refer to definitions by index, so only the frames of definitions change. Ids of locations and of their groups are those of
the run and stay. For streams whose attributes have no references as values."""
import importlib.util, os, struct, sys, zlib

spec = importlib.util.spec_from_file_location("reader", os.path.join(os.environ["top_srcdir"], "examples/read-stream.py"))
reader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reader)

OFFSET, SUFFIX = int(sys.argv[1]), (sys.argv[2] if len(sys.argv) > 2 else "").encode()
RENUMBERED = {"STRING", "REGION", "GROUP", "COMM", "ATTRIBUTE", "METRIC", "METRIC_MEMBER", "PARAMETER", "SYSTEM_TREE_NODE",
              "RMA_WIN", "CALLING_CONTEXT", "SOURCE_CODE_LOCATION", "IO_FILE", "IO_HANDLE", "CALLSITE", "CALLPATH"}


def varint(value):
    packed = b""
    while value >= 0x80:
        packed += bytes([value & 0x7F | 0x80])
        value >>= 7
    return packed + bytes([value])


def renumbered(role, value):
    return value if role not in RENUMBERED or value == 0xFFFFFFFF else (value + OFFSET) % 0xFFFFFFFF


def definition(c, fields, name):
    packed, length, group_type, types = b"", 0, 0, []
    for shape, ctype, *rest in fields:
        if shape == "S":
            text = c.take(c.varint()) + SUFFIX
            packed += varint(len(text)) + text
            continue
        role, field = rest
        for _ in range(length if shape == "A" else 1):
            value = c.varint()
            if name == "GROUP" and field == "members":  # of type REGIONS or METRIC
                role = {2: "REGION", 3: "METRIC"}.get(group_type, role)
            if role == "ATTRIBUTE_VALUE" and types.pop(0) == 11:
                value = renumbered("STRING", value)
            packed += varint(renumbered(role, value))
            if role == "TYPE":
                types.append(value)
        group_type = value if role == "GROUP_TYPE" else group_type
        length = value if shape == "F" else length
    return packed


def main():
    source, to, definitions = sys.stdin.buffer, sys.stdout.buffer, reader.table("definitions.h", "D")
    to.write(source.read(16))
    while True:
        head = source.read(16)
        if len(head) < 16:
            return
        size, kind, flags, _, number, _ = struct.unpack("<IBBHII", head)
        data = source.read(size)
        if kind == 2:
            c, packed = reader.Cursor(data), b""
            while c.at < len(data):
                record = c.take(1)[0]
                packed += bytes([record]) + definition(c, definitions[record][1], definitions[record][0])
            data = packed
        head = struct.pack("<IBBHI", len(data), kind, flags, 0, number)
        to.write(head + struct.pack("<I", zlib.crc32(data, zlib.crc32(head))) + data)


if __name__ == "__main__":
    main()
