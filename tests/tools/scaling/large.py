#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Five large databases: large.py FOLDER [PROCESSES VERTICES] (1024 2000). Every process has every vertex; every tenth
vertex waits. The largest ones differ by few processes, so that all of them have about as many rows."""

import os
import sys

import databases

folder, processes, n = sys.argv[1], *map(int, sys.argv[2:] or (1024, 2000))
os.makedirs(folder, exist_ok=True)
vertices = {"main": "function"}
for i in range(1, n):
    vertices["main/function_with_a_long_name_%d%s" % (i - i % 10, "/MPI_Recv_%d" % i if i % 10 else "")] = \
        "mpi" if i % 10 == 5 else "function"
for size in range(processes - 4, processes + 1):
    cells = [(v, r) for v in vertices for r in range(size)]
    waits = {(v, r, v, (r + 1) % size): 0.25 for v, r in cells if vertices[v] == "mpi"}
    databases.write("%s/%d.sqlite" % (folder, size), size, vertices, {c: 1 + (c[1] % 7) / 100 for c in cells}, waits,
                    {(v, (r + 1) % size): 0.25 for v, r, _, _ in waits})
