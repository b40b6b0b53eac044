# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Protocol buffers from the description in trace.proto: a reader of the wire format of its own."""
import os
import re
import struct

VARINTS = {"uint64", "uint32", "int64", "int32"}


def descriptions(path):
    """{message: {number: (name, type, repeated)}}. Enumerations are varints."""
    messages, open_ = {}, []
    for line in open(path):
        line = line.split("//")[0].strip()
        begin = re.match(r"(message|enum) (\w+) {", line)
        field = re.match(r"(optional|repeated) (\w+) (\w+) = (\d+);", line)
        if begin:
            open_.append(begin[2] if begin[1] == "message" else None)
            if open_[-1]:
                messages[open_[-1]] = {}
            else:
                VARINTS.add(begin[2])
        elif line == "}":
            open_.pop()
        elif field:
            messages[open_[-1]][int(field[4])] = (field[3], field[2], field[1] == "repeated")
    return messages


MESSAGES = descriptions(os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace.proto"))


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            assert value < 1 << 64, "a varint of more than 64 bits"
            return value, at


def scalar(kind, value):
    if kind in ("int64", "int32"):
        return value - (1 << 64) if value >> 63 else value
    return value


def fields(message, data, at, end):
    """(name, value, repeated) of each field. What the description doesn't have is an error."""
    while at < end:
        key, at = varint(data, at)
        assert key >> 3 in MESSAGES[message], "%s has no field %d" % (message, key >> 3)
        name, kind, repeated = MESSAGES[message][key >> 3]
        wire = 0 if kind in VARINTS else 1 if kind in ("double", "fixed64") else 2
        assert key & 7 == wire, "%s.%s: wire type %d" % (message, name, key & 7)
        if wire == 0:
            value, at = varint(data, at)
            value = scalar(kind, value)
        elif wire == 1:
            value, = struct.unpack_from("<d" if kind == "double" else "<Q", data, at)
            at += 8
        else:
            n, at = varint(data, at)
            assert at + n <= end, "%s.%s goes beyond its message" % (message, name)
            value = bytes(data[at:at + n]).decode("utf-8") if kind == "string" else decode(kind, data, at, at + n)
            at += n
        yield name, value, repeated
    assert at == end, message


def decode(message, data, at=0, end=None):
    decoded = {}
    for name, value, repeated in fields(message, data, at, len(data) if end is None else end):
        if repeated:
            decoded.setdefault(name, []).append(value)
        else:
            assert name not in decoded, "%s.%s twice" % (message, name)
            decoded[name] = value
    return decoded


def packets(data):
    """One by one."""
    for _, packet, _ in fields("Trace", data, 0, len(data)):
        yield packet
