#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""hold.py FILE ready|window <STREAM >STREAM: goes on when FILE is there; until then nothing comes but the definitions and a frame that
says how far a location has got, or what there is up to
the first window with events. For streams that are not compressed."""
import os, struct, sys, time, zlib

READY, WINDOW, FRONTIERS = 5, 16, 17


def frame(kind, number, data):
    head = struct.pack("<IBBHI", len(data), kind, 0, 0, number)
    return head + struct.pack("<I", zlib.crc32(data, zlib.crc32(head))) + data


def has_events(window):
    at = 0
    while window[at] & 0x80: # the location
        at += 1
    return window[at + 1] != 0


def main():
    source, to, number = sys.stdin.buffer, sys.stdout.buffer, 0
    last = READY if sys.argv[2] == "ready" else WINDOW
    to.write(source.read(16))
    while True:
        head = source.read(16)
        if len(head) < 16:
            return
        size, kind = struct.unpack("<IB", head[:5])
        data = source.read(size)
        to.write(frame(kind, number, data))
        number += 1
        if kind == last and (kind == READY or has_events(data)):
            if last == READY:
                to.write(frame(FRONTIERS, number, b"\0\1"))
                number += 1
            last = None
            to.flush()
            while not os.path.exists(sys.argv[1]):
                time.sleep(0.01)


if __name__ == "__main__":
    main()
