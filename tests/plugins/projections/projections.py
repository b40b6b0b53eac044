# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""projections.py FILE.sts: what logs of Charm++ hold, in the lines of printed.py, by a parser of its own. Standard library only.
projections.py make SEED FILE.sts: makes small logs."""

import collections
import gzip
import os
import random
import re
import sys

STATES = {14: "Idle", 16: "Pack", 18: "Unpack"}
PHASES = {6: "computation begins", 7: "computation ends", 11: "trace begins", 12: "trace ends"}


def read(sts):
    chares, methods, events, pes, lines = {}, {}, {}, 0, []
    for line in open(sts):
        if m := re.match(r"PROCESSORS (\d+)", line):
            pes = int(m[1])
        elif m := re.match(r'CHARE (\d+) "(.*)" -?\d+$', line):
            chares[m[1]] = m[2]
        elif m := re.match(r'ENTRY \w+ (\d+) "(.*)" (\d+) ', line):
            methods[m[1]] = chares[m[3]] + "::" + m[2]
        elif m := re.match(r"EVENT (\d+) (.*)", line):
            events[m[1]] = m[2]
    ends = collections.defaultdict(lambda: ([], []))
    for pe in range(pes):
        log, where = "%s.%d.log" % (sts[:-4], pe), "PE %d\tPE %d" % (pe, pe)
        stack, pairs = [], {}
        for line in gzip.open(log + ".gz", "rt") if os.path.exists(log + ".gz") else open(log):
            f = line.split()
            if not f or not f[0].isdigit():
                continue
            kind = int(f[0])
            if kind in (1, 20, 21):
                for _ in range(1 if kind == 1 else int(f[8])):
                    ends[f[5], f[4]][0].append((int(f[3]) * 1000, pe, f[6]))
            elif kind == 2:
                stack.append((methods[f[2]], int(f[3])))
                ends[f[5], f[4]][1].append((int(f[3]) * 1000, pe))
            elif kind == 3 or kind - 1 in STATES:
                name, begin = stack.pop()
                lines.append("call\t%s\t%d\t%d\t%s" % (where, begin * 1000, int(f[3 if kind == 3 else 1]) * 1000, name))
            elif kind in STATES:
                stack.append((STATES[kind], int(f[1])))
            elif kind in PHASES:
                lines.append("note\t%s\t%d\tphase\t%s" % (where, int(f[1]) * 1000, PHASES[kind]))
            elif kind == 13:
                lines.append("note\t%s\t%d\tuser event\tuser event %s" % (where, int(f[2]) * 1000, f[1]))
            elif kind == 100:
                if (f[1], f[5]) in pairs:
                    lines.append("call\tPE %d\tuser events\t%d\t%d\t%s" % (pe, pairs.pop((f[1], f[5])), int(f[2]) * 1000,
                                                           events.get(f[1], "user event " + f[1])))
                else:
                    pairs[f[1], f[5]] = int(f[2]) * 1000
        for name, begin in stack:
            lines.append("call\t%s\t%d\t-\t%s" % (where, begin * 1000, name))
    for sends, receives in ends.values():
        sends.sort(key=lambda s: s[0])
        receives.sort(key=lambda r: r[0])
        for (sent, a, length), (received, b) in zip(sends, receives):
            if a != b:
                lines.append("message\tPE %d\tPE %d\t%d\tPE %d\tPE %d\t%d\t%s" % (a, a, sent, b, b, received, length))
    print("\n".join(sorted(lines)))


def make(seed, sts):
    rng, pes = random.Random(seed), 3
    with open(sts, "w") as out:
        out.write('PROJECTIONS_ID \nVERSION 11.0\nPROCESSORS %d\nCHARE 0 "Main" -1\nCHARE 1 "Ring<int>" 1\n' % pes)
        out.write('ENTRY CHARE 0 "Main(CkArgMsg* m)" 0 0\nENTRY CHARE 1 "go(const std::string &s, "x")" 1 1\n')
        out.write("EVENT 7 a step of it\nMESSAGE 0 80\nEND\n")
    logs, created = [[] for _ in range(pes)], []
    now = [rng.randrange(100) for _ in range(pes)]
    for n in range(500):
        pe = rng.randrange(pes)
        log, now[pe] = logs[pe], now[pe] + rng.randrange(9)
        kind = rng.randrange(6)
        if kind == 0:
            log.append("1 2 1 %d %d %d 80 1" % (now[pe], n, pe))
            created.append((n, pe))
        elif kind == 1:
            log.append("20 2 1 %d %d %d 96 1 %d" % (now[pe], n, pe, pes))
            created += [(n, pe)] * pes
        elif kind == 2 and created:
            event, source = created.pop(rng.randrange(len(created)))
            log.append("2 2 1 %d %d %d 80 0 0 0 0 0 5" % (now[pe], event, source))
            now[pe] += rng.randrange(50)
            log.append("3 2 1 %d %d %d 80 9" % (now[pe], event, source))
        elif kind == 3:
            state = rng.choice([14, 16, 18])
            log.append("%d %d %d" % (state, now[pe], pe))
            now[pe] += rng.randrange(20)
            log.append("%d %d %d" % (state + 1, now[pe], pe))
        elif kind == 4:
            log.append("13 %d %d %d %d" % (rng.choice([7, 8]), now[pe], n, pe))
        else:
            event = rng.choice([7, 8])
            log.append("100 %d %d %d %d %d" % (event, now[pe], n, pe, n))
            log.append("100 %d %d %d %d %d" % (event, now[pe] + rng.randrange(9), n, pe, n))
    for pe in range(pes):
        packed = rng.random() < 0.5
        name = "%s.%d.log" % (sts[:-4], pe)
        with gzip.open(name + ".gz", "wt") if packed else open(name, "w") as out:
            out.write("PROJECTIONS-RECORD %d\n6 0\n" % len(logs[pe]) + "\n".join(logs[pe]) + "\n7 9999\n")


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3])
else:
    read(sys.argv[-1])
