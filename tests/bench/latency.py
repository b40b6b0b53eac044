#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""latency.py TCFLOW STREAM [EVENTS [PAUSE_MS]]: how long an event takes from who writes it to who reads what is printed of it.

A stream of one event (of the first location of STREAM, whose definitions it takes) each PAUSE_MS goes into
`tcflow (stream_write) | tcflow (print)`; each event is written when the one before has been printed, so nothing pushes it. Prints the
smallest, middle and largest latency in ms. The writer stays alive and silent while it waits, at most 20 s an event."""
import selectors, struct, subprocess, sys, time, zlib

tcflow, recorded = sys.argv[1:3]
events = int(sys.argv[3]) if len(sys.argv) > 3 else 100
pause = float(sys.argv[4]) / 1000 if len(sys.argv) > 4 else 0.05
LIMIT = 20


def varint(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


class Writer:
    def __init__(self, to):
        self.to, self.number = to, 0

    def frame(self, kind, data):
        head = struct.pack("<IBBHI", len(data), kind, 0, 0, self.number)
        self.number += 1
        self.to.write(head + struct.pack("<I", zlib.crc32(data, zlib.crc32(head))) + data)


def block(kind, data):
    return bytes([kind]) + struct.pack("<I", len(data)) + data


def start(*options, stdin):
    command = [tcflow, "-q", "-i", "-"] + [word for option in options for word in ("-o", option)]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, bufsize=0)


def main():
    data = open(recorded, "rb").read()
    first = start("pipeline.chain=stream_write", "stream_write.path=-", stdin=subprocess.PIPE)
    second = start("pipeline.chain=print", "print.output=-", stdin=first.stdout)
    writer, at, ended = Writer(first.stdin), 16, []
    first.stdin.write(data[:16])
    while at < len(data):
        size, kind = struct.unpack("<IB", data[at:at + 5])
        body = data[at + 16:at + 16 + size]
        if kind <= 5:
            writer.frame(kind, body)
        if kind == 18 and body[0] > 0:  # all but the first location end at once
            ended.append(body)
        at += 16 + size
    for body in ended:
        n = 0
        while body[n] >= 0x80:
            n += 1
        writer.frame(18, body[:n + 1] + varint(0))
    ready, latency, text = selectors.DefaultSelector(), [], b""
    ready.register(second.stdout, selectors.EVENT_READ)
    for k in range(events):
        # ENTER (3) of the region with index 0, at a later time than the one before; no earlier one comes
        writer.frame(16, varint(0) + varint(1) + varint(k) + block(1, varint(1000 + 10 * k)) + block(2, bytes([3])) + block(3, varint(2)))
        writer.frame(17, varint(0) + varint(1001 + 10 * k))
        written = time.monotonic()
        while text.count(b"ENTER") <= k:
            if not ready.select(LIMIT):
                sys.exit("event %d has not come through in %d s" % (k, LIMIT))
            piece = second.stdout.read(65536)
            if not piece:
                sys.exit("the pipe has ended before event %d" % k)
            text += piece
        latency.append(1000 * (time.monotonic() - written))
        time.sleep(pause)
    writer.frame(18, varint(0) + varint(events))
    writer.frame(64, varint(events) + varint(0) + varint(0) + varint(0) + varint(0))
    first.stdin.close()
    if second.wait(60) or first.wait(60):
        sys.exit("the pipe has failed")
    latency.sort()
    print("%.0f %.0f %.0f" % (latency[0], latency[len(latency) // 2], latency[-1]))


main()
