#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Databases of small programs whose answer can be told by hand: cases.py FOLDER. A program computes 64 s in all (strong
scaling), or 16 s in each process (weak), and ends each run with an MPI_Allreduce; test_scaling.sh has the answers."""

import os
import sys

import databases

VERTICES = {"": "root", "main": "function", "main/MPI_Init": "mpi", "main/compute": "function", "main/boundary": "function",
            "main/output": "function", "main/halo": "function", "main/halo/MPI_Waitall": "mpi",
            "main/(after MPI_Waitall)": "computation", "main/MPI_Allreduce": "mpi"}
LAST = "main/MPI_Allreduce"
folder = sys.argv[1]


class Program:
    """Own time by (call path, rank); then others wait in the last call for those that take longest."""

    def __init__(self, size, weak=False):
        self.size, self.own, self.waits, self.delays = size, {}, {}, {}
        self.each("main/compute", 16 if weak else 64 / size)

    def each(self, vertex, seconds):
        for r in range(self.size):
            self.add(vertex, r, seconds)
        return self

    def add(self, vertex, rank, seconds):
        self.own[vertex, rank] = self.own.get((vertex, rank), 0) + seconds
        return self

    def wait(self, cause, of, seconds, vertex=LAST, by=None):
        """All but `of` wait in `vertex` for what rank `of` did in `cause`."""
        for r in range(self.size) if by is None else by:
            if r != of:
                key = vertex, r, vertex, of
                self.waits[key] = self.waits.get(key, 0) + seconds
                self.delays[cause, of] = self.delays.get((cause, of), 0) + seconds
        return self

    def late(self, vertex, rank, seconds):
        return self.add(vertex, rank, seconds).wait(vertex, rank, seconds)

    def write(self, name, **more):
        databases.write("%s/%s" % (folder, name), self.size, more.pop("vertices", VERTICES), self.own, self.waits,
                        self.delays, **more)


os.makedirs(folder, exist_ok=True)
for p in (4, 8, 16):
    # A second of rank 0 that all others wait for: p s of p + 64.
    Program(p).late("main/output", 0, 1).write("serial.%d" % p)
    # The same in each process of a program that gets more work: it does not grow.
    Program(p, weak=True).late("main/output", 0, 1).write("weak-steady.%d" % p)
    # p / 4 s of rank 0: costs of p * p / 4 s.
    Program(p, weak=True).late("main/output", 0, p / 4).write("weak-serial.%d" % p)
    # Ranks 0, 4, 8, ... take 2 s longer at a boundary where all take 1 / p s; the others wait for the rank below.
    boundary = Program(p).each("main/boundary", 1 / p)
    for r in range(0, p, 4):
        boundary.add("main/boundary", r, 2).wait("main/boundary", r, 2, "main/halo/MPI_Waitall", range(r + 1, r + 4))
    boundary.write("boundary.%d" % p)
    # The same with a slope: 1 s more for four times the processes.
    slope = Program(p).each("main/boundary", 4 / p)
    for r in range(0, p, 4):
        more = {4: 1, 8: 2, 16: 4}[p]
        slope.add("main/boundary", r, more).wait("main/boundary", r, more, "main/halo/MPI_Waitall", range(r + 1, r + 4))
    slope.write("slope.%d" % p)
    # Alltoall: a second of each process for each four processes.
    vertices = dict(VERTICES)
    vertices["main/MPI_Alltoall"] = "mpi"
    Program(p).each("main/MPI_Alltoall", p / 4 * 0.5).write("alltoall.%d" % p, vertices=vertices)
    # Allreduce: of the p processes each takes log p times 5 ms; at 16 processes 0.32 s of 64.3 s.
    Program(p).each(LAST, {4: 2, 8: 3, 16: 4}[p] * 0.005).write("logarithm.%d" % p)
    # The same 16 times longer: 5.12 s of 69.12 s (7 %), of which 0.64 s would be there without growth.
    Program(p).each(LAST, {4: 2, 8: 3, 16: 4}[p] * 0.08).write("large-logarithm.%d" % p)
    # As much in two calls each: 10.24 s of 74.24 s (14 %).
    Program(p).each(LAST, {4: 2, 8: 3, 16: 4}[p] * 0.08).each("main/MPI_Alltoall", {4: 2, 8: 3, 16: 4}[p] * 0.08).write(
        "logarithms.%d" % p, vertices=vertices)
    # As much, but for more and more calls of a process: 29 ms for each process, 7.42 s of 71.42 s. Twice the time of a
    # process would be natural: 3.7 s.
    Program(p).each(LAST, p * 0.029).write("calls.%d" % p, visits=10 * p)
    # Rank 1 takes 1.5 times as long as others in each run: T = 1.5 * 64 s in all of them.
    static = Program(p)
    static.add("main/compute", 1, 32 / p).wait("main/compute", 1, 32 / p)
    static.write("static.%d" % p)
    # All processes compute 1 s in each run, in a node behind an MPI call: p s of p + 64.
    Program(p).each("main/(after MPI_Waitall)", 1).write("slow.%d" % p)
    # The same in a function that the last one has nothing to do in.
    most = Program(p)
    for r in range(p - 1):
        most.add("main/boundary", r, 1)
    most.write("most.%d" % p)
    # MPI_Init takes p s of each process.
    Program(p).each("main/MPI_Init", p).write("init.%d" % p)
    # One after another takes 1 s longer than the others.
    turns = Program(p)
    for r in range(p):
        turns.add("main/boundary", r, 1).wait("main/boundary", r, 1)
    turns.write("turns.%d" % p)
    # The same, and the last one computes 6 s more there that nobody waits for.
    turns.add("main/boundary", p - 1, 6).write("spread.%d" % p)
    # As in weak-serial, and 16 s of each process: behind MPI_Send or, as the last one sends nothing, behind MPI_Waitall.
    vertices = dict(VERTICES)
    vertices["main/MPI_Send"], vertices["main/(after MPI_Send)"] = "mpi", "computation"
    moves = Program(p, weak=True).late("main/output", 0, p / 4).add("main/(after MPI_Waitall)", p - 1, 16)
    for r in range(p - 1):
        moves.add("main/(after MPI_Send)", r, 16)
    moves.write("moves.%d" % p, vertices=vertices)
    # One function, and two causes behind different calls: 1 s of rank 0 and 2 s of rank 2, and 0.5 s of that one elsewhere.
    places = Program(p).late("main/(after MPI_Send)", 0, 1).late("main/(after MPI_Waitall)", 2, 2).late("main", 2, 0.5)
    places.write("places.%d" % p, vertices=vertices)
    # Costs of 8, 2 and 14 s: they fall and rise.
    Program(p).late("main/output", 0, {4: 2, 8: 0.25, 16: 0.875}[p]).write("bend.%d" % p)
    # Two causes: 1 s of rank 0 in output, 2 s of rank 2 at the boundary; 0.25 s of waits that nobody caused.
    two = Program(p).late("main/output", 0, 1).late("main/boundary", 2, 2)
    two.waits[LAST, 3, LAST, 0] += 0.25
    two.write("two.%d" % p)
    # A gain: the boundary takes 8 s of one process at 4 ranks, and nothing later; output is as in `serial`.
    gain = Program(p).late("main/output", 0, 1)
    (gain.late("main/boundary", 2, 4) if p == 4 else gain).write("gain.%d" % p)
    for repetition in range(3):
        # Costs of output: 4, 12 and 20 s at 4 processes, 10, 16 and 22 s at 8, 16, 24 and 32 s at 16.
        late = {4: 1 + 2 * repetition, 8: 1.25 + 0.75 * repetition, 16: 1 + repetition / 2}[p]
        Program(p).late("main/output", 0, late).write("noise.%d.%d" % (p, repetition))
        # Costs of 4, 4.4 and 4.8 s at 4 processes, 16 to 19.2 s at 16.
        Program(p).late("main/output", 0, 1 + repetition / 10).write("sure.%d.%d" % (p, repetition))

# No trend: up and down by 30 %, the largest run by chance the slowest.
for p, seconds in ((4, 1), (8, 0.2), (16, 1.4), (32, 0.15), (64, 0.35)):
    Program(p, weak=True).late("main/output", 0, seconds).write("chance.%d" % p)

# A wait behind a wait: rank 2 waits for 1, which waits for 0.
for p in (4, 8):
    chain = Program(p).add("main/output", 0, p / 4)
    chain.wait("main/output", 0, p / 4, "main/halo/MPI_Waitall", [1])
    for r in range(2, p):
        chain.waits[LAST, r, LAST, 1] = p / 4
        chain.delays["main/output", 0] += p / 4
    chain.write("chain.%d" % p)

def ordered(vertices, *rows):
    """Rows PARENT, VERTEX, NEXT, COUNT with call paths."""
    numbers = {v: i for i, v in enumerate(vertices)}
    return [(numbers[p], numbers.get(a), numbers.get(b), n) for p, a, b, n in rows]


# Rank 0 alone ends a function with what the others wait for.
vertices = {"": "root", "main": "function", "main/compute": "function", "main/save": "function", "main/save/MPI_Gather": "mpi",
            "main/save/output": "function", LAST: "mpi"}
for p in (4, 8, 16):
    order = ordered(vertices, ("main", None, "main/compute", p), ("main", "main/compute", "main/save", p),
                    ("main", "main/save", LAST, p), ("main", LAST, None, p), ("main/save", None, "main/save/MPI_Gather", p),
                    ("main/save", "main/save/MPI_Gather", None, p - 1), ("main/save", "main/save/MPI_Gather", "main/save/output", 1),
                    ("main/save", "main/save/output", None, 1))
    Program(p).late("main/save/output", 0, 1).write("end.%d" % p, vertices=vertices, order=order)
    # Each process does its part, and then lets the next one go on: they wait r parts of a second each.
    line = Program(p).each("main/(after MPI_Waitall)", 1 / p)
    for r in range(1, p):
        line.waits["main/halo/MPI_Waitall", r, LAST, r - 1] = r / p
        line.delays["main/(after MPI_Waitall)", r - 1] = (p - r) / p
    line.write("line.%d" % p)

# What does not fit together.
other = {"": "root", "run": "function", "run/solve": "function"}
databases.write(folder + "/other.8", 8, other, {("run/solve", r): 8 for r in range(8)})
for name, factor in ("input.8", 0.1), ("more.8", 10):
    strange = Program(8)
    strange.own = {k: v * factor for k, v in strange.own.items()}
    strange.write(name)
for table in ("vertices", "places", "values", "edges", "order", "locations"):
    Program(8).write("without-%s.8" % table, without=[table])
Program(8).write("failed.8", status="failed")
Program(8).write("unknown.8", order=[(0, 99, None, 1)])
# Two threads a process, and the stream of an accelerator, which is no processor.
for p in (2, 4):
    program = Program(2 * p)
    places = [(r, "thread", r // 2, r // 2, r % 2, "cpu", databases.location_id(r)) for r in range(2 * p)]
    places.append((2 * p, "stream", 0, 0, 2, "accelerator", databases.location_id(2 * p)))
    program.late("main/output", 2, 1).add("main/compute", 2 * p, 1000)
    program.size = p
    program.write("threads.%d" % p, places=places)

# Names which mean something to a page; the file's name leads out of any folder.
for p in (4, 8):
    evil = "main/</h3><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'" + 300 * "x"
    vertices = dict(VERTICES)
    vertices[evil] = "function"
    Program(p).late(evil, 0, 8).write("hostile.%d" % p, vertices=vertices, file="../secret/<b>.c")

# Of 1024 processes 8 take 2 s longer. The order of calls is not that of the vertices' numbers: a loop of compute and halo or
# boundary, which output ends.
names = list(VERTICES)
order = [(None, "main/MPI_Init", 1), ("main/MPI_Init", "main/compute", 1), ("main/compute", "main/halo", 9),
         ("main/halo", "main/compute", 9), ("main/compute", "main/boundary", 8), ("main/boundary", "main/compute", 7),
         ("main/halo", "main/output", 1), ("main/output", None, 1)]
for p in (64, 1024):
    many = Program(p).each("main/output", 1e-4)
    for r in range(0, p, p // 8):
        many.add("main/boundary", r, 2).wait("main/boundary", r, 2, "main/halo/MPI_Waitall", range(r + 1, r + p // 8))
    many.write("many.%d" % p, order=[(1, a and names.index(a), b and names.index(b), n) for a, b, n in order])
