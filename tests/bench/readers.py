# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""readers.py FORMAT N FILE: a file of N events in FORMAT, sorted by time: pytorch (JSON as PyTorch's profiler writes it), nsight (an
export of Nsight Systems: N rows with a time), csv (Pipit's columns). Standard library only."""

import random
import sqlite3
import sys

OPERATORS = ["aten::" + name for name in (
    "empty", "zeros", "to", "copy_", "linear", "addmm", "transpose", "as_strided", "relu", "clamp_min", "convolution", "_convolution",
    "cudnn_convolution", "batch_norm", "native_batch_norm", "add_", "mul", "sum", "log_softmax", "nll_loss", "view", "reshape")]
KERNELS = ["void at::native::vectorized_elementwise_kernel<4, at::native::%s<float>, at::detail::Array<char*, %d> >(int, float)" % (f, n)
           for f in ("AddFunctor", "MulFunctor", "FillFunctor", "CopyFunctor") for n in (1, 2, 3)] + ["volta_sgemm_128x64_nn"]


def pytorch(n, path):
    """Rounds of an operator, inside of it a call of the runtime which launches a kernel: four events and an arrow's end each."""
    chance = random.Random(1)
    with open(path, "w") as out:
        out.write('{\n  "schemaVersion": 1,\n  "deviceProperties": [\n    {\n      "id": 0, "name": "GPU", "totalGlobalMem": 16945512448\n'
                  '    }\n  ],\n  "traceEvents": [\n')
        out.write('  {\n    "name": "process_labels", "ph": "M", "ts": 1654161600000000, "pid": 0, "tid": 0,\n    "args": {\n'
                  '      "labels": "GPU 0"\n    }\n  }')
        for k in range(n // 5):
            at = 1654161600000000 + 25 * k
            within = (k, at, chance.randrange(1000), chance.choice(OPERATORS), 10 + chance.randrange(10), chance.randrange(1000))
            out.write(',\n  {\n    "ph": "X", "cat": "cpu_op", "name": "%s", "pid": 5120, "tid": 5120,\n    "ts": %d.%03d, "dur": %d.%03d,\n'
                      '    "args": {\n      "External id": %d, "Record function id": 0, "Sequence number": %d, "Fwd thread id": 0, "Ev Idx": %d\n'
                      '    }\n  }' % (within[3], at, within[2], within[4], within[5], k, k // 3, k))
            out.write(',\n  {\n    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5120, "tid": 5120,\n'
                      '    "ts": %d.%03d, "dur": 4.%03d,\n    "args": {\n      "External id": %d, "cbid": 211, "correlation": %d\n    }\n  }'
                      % (at + 2, within[5], within[2], k, k))
            out.write(',\n  {\n    "ph": "s", "id": %d, "pid": 5120, "tid": 5120, "ts": %d.%03d,\n    "cat": "ac2g", "name": "ac2g"\n  }'
                      % (k, at + 2, within[5]))
            out.write(',\n  {\n    "ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 7,\n    "ts": %d.%03d, "dur": 11.%03d,\n'
                      '    "args": {\n      "External id": %d, "queued": 0, "device": 0, "context": 1,\n      "stream": 7, "correlation": %d,\n'
                      '      "registers per thread": 32,\n      "shared memory": 0,\n      "blocks per SM": 12.8,\n      "warps per SM": 51.2,\n'
                      '      "grid": [1024, 1, 1],\n      "block": [128, 1, 1],\n      "est. achieved occupancy %%": 80\n    }\n  }'
                      % (chance.choice(KERNELS), at + 8, within[2], within[5], k, k))
            out.write(',\n  {\n    "ph": "f", "id": %d, "pid": 0, "tid": 7, "ts": %d.%03d,\n    "cat": "ac2g", "name": "ac2g", "bp": "e"\n  }'
                      % (k, at + 8, within[2]))
        out.write('\n  ],\n  "traceName": "made"\n}\n')


def nsight(n, path):
    """A tenth of the rows are NVTX ranges, and as many copies; the others are calls of the runtime and kernels."""
    db = sqlite3.connect(path)
    db.executescript("""PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
        CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
            correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
        CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,
            color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
            contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
            demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER,
            registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
            blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
            dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,
            gridId INTEGER NOT NULL);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
            contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
            copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);""")
    names = ["cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize", "cudaEventRecord", "step", "forward", "backward"] + KERNELS
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
    pid, tid = 1 << 56 | 5120 << 24, 1 << 56 | 5120 << 24 | 5120
    db.execute("INSERT INTO PROCESSES VALUES (?, 5120, 'program')", (pid,))
    rounds = n // 10
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)", (
        (1000 * k + 240 * j, 1000 * k + 240 * j + 90 + j, tid, 4 * k + j, j % 4) for k in range(rounds) for j in range(4)))
    db.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, 0, 0, 0, ?, ?, NULL, ?, 0)", (
        (1000 * k, 1000 * k + 999, None if k % 2 else "step", tid, 4 + k % 3) for k in range(rounds)))
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?, ?, 0, 0, 32, 1024, 1, 1, 128, 1, 1, 0, 0, 0, "
                   "0, 0)", ((1000 * k + 200 * j + 100, 1000 * k + 200 * j + 290, 4 * k + j, pid, 7 + (k + j) % 13, 7, 7)
                             for k in range(rounds) for j in range(4)))
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, 13, ?, ?, 4096, ?, 0, 1)", (
        (1000 * k + 500, 1000 * k + 700, 4 * k + 1, pid, 1 + k % 2) for k in range(rounds)))
    db.commit()


def csv(n, path):
    """Rounds of two calls of which one holds the other, of each of two processes in turn."""
    with open(path, "w") as out:
        out.write("Timestamp (ns),Event Type,Name,Process,Thread\n")
        for k in range(n // 8):
            for at, kind, name in ((0, "Enter", "step"), (10, "Enter", "MPI_Send"), (30, "Leave", "MPI_Send"), (40, "Leave", "step")):
                for process in 0, 1:
                    out.write("%d,%s,%s,%d,0\n" % (100 * k + at + process, kind, name, process))


if __name__ == "__main__":
    {"pytorch": pytorch, "nsight": nsight, "csv": csv}[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
