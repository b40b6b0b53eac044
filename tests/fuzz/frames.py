#!/usr/bin/env python3
"""frames.py OPTIONS < STREAM > INPUT: makes an input for fuzz_stream of a stream: a byte of options, then each frame as type,
length and bytes."""
import struct, sys

data = sys.stdin.buffer.read()
out, at = bytes([int(sys.argv[1]) if len(sys.argv) > 1 else 0]), 16
while at < len(data):
    size, kind = struct.unpack("=IB", data[at:at + 5])
    out += bytes([kind]) + size.to_bytes(3, "little") + data[at + 16:at + 16 + size]
    at += 16 + size
sys.stdout.buffer.write(out)
