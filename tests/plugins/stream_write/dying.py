# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""dying.py STREAM TCFLOW FOLDER: a writer that dies, by a pipe and by a Unix socket, in front of each frame of STREAM and in the middle of
it, while the reader waits for more. Each reader has to end with status 1 and a reason, and its output is called incomplete; the one of the
whole stream ends with status 0. Says what is wrong, then how many readers there were."""
import os
import re
import socket
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

stream, tcflow, folder = sys.argv[1:]
data = open(stream, "rb").read()
REASON = re.compile(r"is not whole|is empty: its writer ended|ends in its header")


def frames():
    at = 16
    while at < len(data):
        whole = 16 + struct.unpack_from("<I", data, at)[0]
        yield at, whole
        at += whole


def connect(path, reader):
    end = time.monotonic() + 20
    while time.monotonic() < end and reader.poll() is None:
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(path)
            return s
        except OSError:
            s.close()
            time.sleep(0.002)
    return None


def run(case):
    number, way, n = case
    out, path = f"{folder}/out.{number}", f"{folder}/socket.{number}"
    command = [tcflow, "-q", "-i", "-" if way == "pipe" else "unix:" + path, "-o", "pipeline.chain=check print",
               "-o", "check.output=/dev/null", "-o", "print.output=" + out]
    reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    writer = reader.stdin if way == "pipe" else connect(path, reader)
    try:
        if way == "pipe":
            os.write(writer.fileno(), data[:n])  # a pipe has room for all of it
        else:
            writer.sendall(data[:n])
    except (OSError, AttributeError) as why:
        return f"{way}, {n} bytes: nobody reads: {why}"
    if number % 8 == 0:
        time.sleep(0.05)  # the reader waits by then
    writer.close()
    reader.stdin = None
    try:
        said = reader.communicate(timeout=60)[1].decode()
    except subprocess.TimeoutExpired:
        reader.kill()
        return f"{way}, {n} bytes: no end"
    if n == len(data):
        return "" if reader.returncode == 0 and os.path.exists(out) else f"{way}, whole: {reader.returncode} {said}"
    if reader.returncode != 1 or not REASON.search(said) or os.path.exists(out):
        return f"{way}, {n} of {len(data)} bytes: status {reader.returncode}, output {os.path.exists(out)}: {said}"
    return ""


cuts = sorted({0, 8, 16, len(data)} | {at for at, _ in frames()} | {at + whole // 2 for at, whole in frames()})
cases = [(k, way, n) for k, (way, n) in enumerate((way, n) for way in ("pipe", "socket") for n in cuts
                                              if way == "pipe" or n >= 16)]  # who connects and has no header is no writer
with ThreadPoolExecutor(4) as pool:
    wrong = [w for w in pool.map(run, cases) if w]
print("\n".join(wrong + [f"{len(cases)} readers of {len(list(frames()))} frames"]))
