# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""screen.py ROWSxCOLUMNS STEPS COMMAND...: runs a command in a pseudo-terminal of this size, which is its controlling terminal, and
does the steps, separated by blanks: a number waits for so many seconds, `key=TEXT` types it, `signal=N` sends a signal, `size=RxC`
changes the size, `until=TEXT` waits until the screen has this text and no more of it comes, or the command has ended (20 s at most; _
stands for a blank),
`show` prints the screen between lines of dashes. At the end, which has to come within 20 s: the screen, a line `status N` (-N: by signal), one `modes kept`
or `modes lost` for the terminal's settings, one `screen main` or `screen other` for its two screens, and one `cursor shown` or
`cursor hidden`.
The screen is that of an xterm, as far as ncurses uses it; what it doesn't know is told as `unknown SEQUENCE`, and a control character that
is none of a terminal's as `control N`."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

SEQUENCE = re.compile(r"\x1b(?:\[([?>=]?)([\d;]*)([@-~])|([()])([A-Z0-9])|([=>78DEHMc])|\][^\x07\x1b]*(?:\x07|\x1b\\))")


class Screen:
    def __init__(self, rows, columns):
        self.other, self.cursor, self.problems, self.rest = False, True, [], ""
        self.size(rows, columns)

    def size(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.y = self.x = 0
        self.top, self.bottom = 0, rows - 1

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def clear(self, y, start, end):
        for x in range(max(start, 0), min(end, self.columns)):
            self.cells[y][x] = " "

    def scroll(self, n):
        for _ in range(abs(n)):
            if n > 0:
                del self.cells[self.top]
                self.cells.insert(self.bottom, [" "] * self.columns)
            else:
                del self.cells[self.bottom]
                self.cells.insert(self.top, [" "] * self.columns)

    def down(self):
        if self.y == self.bottom:
            self.scroll(1)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def control(self, private, numbers, final):
        n = [int(x) if x else 0 for x in numbers.split(";")] if numbers else []
        one = n[0] if n and n[0] > 0 else 1
        if private == "?" and final in "hl":
            for mode in n:
                if mode in (47, 1047, 1049): # the main screen had nothing on it
                    self.other = final == "h"
                    self.size(self.rows, self.columns)
                elif mode == 25:
                    self.cursor = final == "h"
        elif private or final in "mtlhcn":
            pass
        elif final in "Hf":
            self.y = min(one, self.rows) - 1
            self.x = min(n[1] if len(n) > 1 and n[1] > 0 else 1, self.columns) - 1
        elif final == "A":
            self.y = max(self.y - one, 0)
        elif final == "B":
            self.y = min(self.y + one, self.rows - 1)
        elif final == "C":
            self.x = min(self.x + one, self.columns - 1)
        elif final == "D":
            self.x = max(self.x - one, 0)
        elif final == "G":
            self.x = min(one, self.columns) - 1
        elif final == "d":
            self.y = min(one, self.rows) - 1
        elif final == "J":
            kind = n[0] if n else 0
            if kind != 1:
                self.clear(self.y, self.x if kind == 0 else 0, self.columns)
                for y in range(self.y + 1 if kind == 0 else 0, self.rows):
                    self.clear(y, 0, self.columns)
        elif final == "K":
            kind = n[0] if n else 0
            self.clear(self.y, 0 if kind else self.x, self.x + 1 if kind == 1 else self.columns)
        elif final == "X":
            self.clear(self.y, self.x, self.x + one)
        elif final == "P":
            row = self.cells[self.y]
            del row[self.x:self.x + one]
            row.extend([" "] * (self.columns - len(row)))
        elif final == "@":
            row = self.cells[self.y]
            row[self.x:self.x] = [" "] * one
            del row[self.columns:]
        elif final == "L" or final == "M":
            top, self.top = self.top, self.y
            self.scroll(-one if final == "L" else one)
            self.top = top
        elif final == "S":
            self.scroll(one)
        elif final == "T":
            self.scroll(-one)
        elif final == "b":
            for _ in range(one):
                self.put(self.cells[self.y][self.x - 1])
        elif final == "r":
            self.top, self.bottom = one - 1, (n[1] if len(n) > 1 else self.rows) - 1
            self.y = self.x = 0
        else:
            self.problems.append(f"unknown {numbers}{final}")

    def put(self, c):
        if self.x >= self.columns:
            self.x = 0
            self.down()
        self.cells[self.y][self.x] = c
        self.x += 1

    def take(self, text):
        text, at = self.rest + text, 0
        self.rest = ""
        while at < len(text):
            c = text[at]
            if c == "\x1b":
                m = SEQUENCE.match(text, at)
                if not m:
                    if len(text) - at < 32:
                        self.rest = text[at:]
                        return
                    self.problems.append(f"unknown {text[at + 1:at + 8]!r}")
                    at += 1
                    continue
                if m.group(3):
                    self.control(m.group(1), m.group(2), m.group(3))
                elif m.group(6) == "M":
                    if self.y == self.top:
                        self.scroll(-1)
                    else:
                        self.y -= 1
                at = m.end()
                continue
            if c == "\r":
                self.x = 0
            elif c == "\n":
                self.down()
            elif c == "\b":
                self.x = max(self.x - 1, 0)
            elif c == "\t":
                self.x = min(self.x // 8 * 8 + 8, self.columns - 1)
            elif c in "\x0e\x0f":
                pass
            elif ord(c) < 32 or 127 <= ord(c) < 160:
                self.problems.append(f"control {ord(c)}")
            else:
                self.put(c)
            at += 1


def set_size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


rows, columns = map(int, sys.argv[1].split("x"))
# Standard input stays what it is here: a stream may come by it.
master, slave = pty.openpty()
set_size(master, rows, columns)
before = termios.tcgetattr(slave)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 1)
    os.dup2(slave, 2)
    os.close(master)
    os.execvp(sys.argv[3], sys.argv[3:])
screen = Screen(rows, columns)
decode = codecs.getincrementaldecoder("utf-8")("replace").decode
status = None


def ended():
    global status
    if status is None:
        pid, how = os.waitpid(child, os.WNOHANG)
        if pid:
            status = os.waitstatus_to_exitcode(how)
    return status is not None


def take_for(seconds, done=lambda: False):
    """Takes what comes for so long, or until `done` holds and either nothing more comes or a second has passed: a screen comes in
    pieces, and may be drawn again and again."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if select.select([master], [], [], 0.05)[0]:
            screen.take(decode(os.read(master, 65536)))
            if done():
                limit = min(limit, time.monotonic() + 1)
        elif done():
            return True
    return done()


for step in sys.argv[2].split():
    kind, _, value = step.partition("=")
    if kind == "key":
        os.write(master, value.encode().decode("unicode_escape").encode())
    elif kind == "signal":
        os.kill(child, int(value))
    elif kind == "size":
        rows, columns = map(int, value.split("x"))
        screen.size(rows, columns)
        set_size(master, rows, columns)
        os.kill(child, signal.SIGWINCH)
    elif kind == "until":
        take_for(20, lambda: value.replace("_", " ") in screen.text() or ended())
        if value.replace("_", " ") not in screen.text():
            print(f"never seen: {value}")
    elif kind == "show":
        print("-" * 8 + "\n" + screen.text() + "\n" + "-" * 8)
    else:
        take_for(float(step))
if not take_for(20, ended):
    print("still running")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
take_for(0.2)
print(screen.text().rstrip())
print("status", status)
print("modes", "kept" if termios.tcgetattr(slave) == before else "lost")
print("screen", "other" if screen.other else "main")
print("cursor", "shown" if screen.cursor else "hidden")
for problem in screen.problems:
    print(problem)
