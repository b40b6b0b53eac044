# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""on_terminal.py COLUMNS COMMAND...: runs a command in a pseudo-terminal of so many columns, standard error included, prints what
it shows and, in a last line, its exit status."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
child = subprocess.Popen(sys.argv[2:], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
os.close(slave)
shown = b""
while True:
    try:
        more = os.read(master, 65536)
    except OSError:
        break
    if not more:
        break
    shown += more
sys.stdout.write(shown.decode("utf-8", "replace").replace("\r\n", "\n"))
print("status", child.wait())
