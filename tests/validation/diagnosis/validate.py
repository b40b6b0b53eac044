# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Draws programs with one flaw each, and healthy ones, simulates them by tcflow-synth, and compares the first sentence of
`tcflow waits` with what was put in.

    validate.py [--out DIR] [--kinds LIST] FIRST LAST

started by run.sh. A kind of flaw is a function that draws a program: the options of tcflow-synth, the rules that may come
first, and what the sentence has to name. Strengths are drawn so that the flaw costs 10 % or more of the processes' time."""

import argparse
import json
import os
import random
import subprocess
import sys

TCFLOW, SYNTH, WORK = (os.environ.get(v, "") for v in ("TCFLOW", "SYNTH", "WORK"))
HEALTHY = 4  # programs a seed


class Program:
    """Options of tcflow-synth, and what is expected of the first finding; no rules: there is none."""

    def __init__(self, options, rules=(), names=()):
        self.options, self.rules, self.names = options, rules, names


def us(value):
    return "%gus" % round(value, 3)


def everywhere(latency):
    """Between nodes and inside of one."""
    return us(latency) + "," + us(latency)


def compute(r, low=200, high=2000, spread=(0.01, 0.03)):
    """Mean computation in us, and its option."""
    mean = r.uniform(low, high)
    return mean, ["--compute", "%s:%.3f" % (us(mean), r.uniform(*spread))]


def ranks(r, least=4, most=16):
    n = r.randint(least, most)
    return n, ["--ranks", n, "--nodes", r.randint(1, min(n, 4))]


def length(r):
    return ["--events", r.randint(15000, 40000)]


STEADY = ["halo", "ring,allreduce", "halo,allreduce", "collectives", "sendrecv,barrier", "barrier", "allreduce",
          "halo,collectives"]


# ---- flaws ----

def late_sender(r):
    mean, options = compute(r)
    n, more = ranks(r)
    return Program(options + more + length(r) + ["--pattern", "latesender", "--late",
                                                 "%.2f:%s" % (r.uniform(0.3, 0.6), us(mean * r.uniform(2, 6)))],
                   ["late_sender"], ["Late Sender", "delay`"])


def late_receiver(r):
    _, options = compute(r)
    _, more = ranks(r)
    return Program(options + more + length(r) + ["--pattern", "latereceiver"], ["late_receiver"],
                   ["Late Receiver", "compute`"])


def wrong_order(r):
    _, options = compute(r)
    _, more = ranks(r)
    return Program(options + more + length(r) + ["--pattern", "wrongorder"], ["wrong_order"], ["wrong order", "MPI_Recv`"])


def imbalance(r):
    _, options = compute(r)
    n, more = ranks(r)
    return Program(options + more + length(r) + ["--pattern", r.choice(STEADY), "--imbalance", "%.2f" % r.uniform(0.4, 1.2)],
                   ["load_imbalance"], ["rank %d " % (n - 1), "compute`"])


def slow_rank(r, patterns=None, who=None, waits=()):
    mean, options = compute(r)
    n, more = ranks(r)
    slow = r.randrange(n) if who is None else who(r, n)
    return Program(options + more + length(r) + ["--pattern", r.choice(patterns or STEADY), "--delay",
                                                 "%d:compute:%s" % (slow, us(mean * r.uniform(0.3, 1)))],
                   ["load_imbalance"], ["rank %d " % slow, "compute`", *waits])


def slow_node(r):
    mean, options = compute(r)
    nodes, each = r.randint(3, 5), r.randint(2, 4)
    slow, extra = r.randrange(nodes), us(mean * r.uniform(0.3, 0.8))
    delays = [w for k in range(each) for w in ("--delay", "%d:compute:%s" % (slow * each + k, extra))]
    return Program(options + delays + length(r) + ["--ranks", nodes * each, "--nodes", nodes, "--pattern", r.choice(STEADY)],
                   ["slow_node"], ["node", "rank"])


def burst(r):
    mean, options = compute(r, 200, 500)
    n, more = ranks(r)
    slow, whole = r.randrange(n), 500 * mean
    begin = r.uniform(0.1, 0.7) * whole
    return Program(options + more + ["--duration", us(whole), "--pattern", r.choice(["halo,allreduce", "barrier", "allreduce"]),
                                     "--delay", "%d:compute:%s:%s:%s" % (slow, us(mean * r.uniform(5, 10)), us(begin),
                                                                         us(begin + whole * r.uniform(0.15, 0.18)))],
                   ["burst"], ["rank %d " % slow, "after the start"])


def growing(r):
    mean, options = compute(r, 200, 500)
    n, more = ranks(r)
    slow, whole, steps = r.randrange(n), 500 * mean, 12
    step = us(mean * r.uniform(0.08, 0.15))
    delays = [w for k in range(1, steps) for w in ("--delay", "%d:compute:%s:%s" % (slow, step, us(whole * k / steps)))]
    return Program(options + more + delays + ["--duration", us(whole), "--pattern", r.choice(["halo,allreduce", "barrier"])],
                   ["growing_imbalance"], ["rank %d " % slow, "compute`"])


def varying(r):
    _, options = compute(r, 200, 1000, (0.25, 0.45))
    _, more = ranks(r, 6)
    return Program(options + more + length(r) + ["--pattern", r.choice(["barrier", "allreduce"])], ["varying_load"],
                   ["compute`"])


def serial(r):
    mean, options = compute(r)
    _, more = ranks(r)
    return Program(options + more + length(r) + ["--pattern", r.choice(["serial", "halo,serial", "serial,allreduce"]),
                                                 "--delay", "0:serial:" + us(mean * r.uniform(0.5, 1.5))],
                   ["serial"], ["rank 0 ", "serial`"])


def output(r):
    mean, options = compute(r)
    _, more = ranks(r)
    return Program(options + more + length(r) + ["--pattern", r.choice(["output", "halo,output"]), "--delay",
                                                 "0:write_results:" + us(mean * r.uniform(0.5, 1.5))],
                   ["file_io"], ["rank 0 ", "write_results`"])


def barrier(r):
    return slow_rank(r, ["barrier"], waits=["Wait at Barrier"])


def n_to_n(r):
    return slow_rank(r, ["allreduce"], waits=["Wait at N x N"])


def late_broadcast(r):
    return slow_rank(r, ["broadcast"], who=lambda r, n: 0, waits=["Late Broadcast"])


def early_reduce(r):
    return slow_rank(r, ["reduce,barrier"], who=lambda r, n: r.randrange(1, n), waits=["Early Reduce"])


def alltoall(r):
    mean, options = compute(r, 200, 800)
    _, more = ranks(r)
    return Program(options + more + length(r) + ["--pattern", "alltoall", "--latency", everywhere(mean * r.uniform(0.2, 1)),
                                                 "--jitter", "1us"], ["alltoall"], ["MPI_Alltoall`"])


def transfer(r):
    mean, options = compute(r)
    _, more = ranks(r)
    wanted = int(mean * 1e-6 * r.uniform(0.5, 2) * 1e9)  # bytes at 1 GB/s
    return Program(options + more + length(r) + ["--pattern", r.choice(["ring", "halo", "sendrecv"]), "--bytes", wanted,
                                                 "--bandwidth", "1G"], ["transfer"], ["Transfer of data", "B on average"])


def small_messages(r):
    mean, options = compute(r, 5, 20)
    _, more = ranks(r)  # the measurement of clocks is a part of MPI_Init, and shall be short beside the program
    return Program(options + more + ["--events", r.randint(60000, 90000), "--pings", 1] + ["--pattern", r.choice(["ring", "sendrecv", "halo"]), "--bytes",
                                                 r.randint(4, 500), "--latency", everywhere(mean * r.uniform(0.5, 3)),
                                                 "--jitter", "100ns"], ["small_messages"], ["small messages"])


def threads(r):
    _, options = compute(r, 200, 1000, (0.4, 0.7))
    n = r.randint(1, 4)
    return Program(options + length(r) + ["--ranks", n, "--threads", r.randint(4, 8), "--pattern", "omp"], ["thread_barrier"],
                   ["threads"])


def locks(r):
    n, team = r.randint(1, 4), r.randint(4, 8)
    overhead = r.uniform(5, 10)
    return Program(length(r) + ["--compute", us(overhead * team * r.uniform(1, 2)) + ":0.02", "--ranks", n, "--threads", team,
                                "--pattern", "locks", "--overhead", us(overhead)], ["lock"], ["critical"])


def start(r):
    mean, options = compute(r, 200, 500)
    n, more = ranks(r)
    whole = 100 * mean
    extra = us(whole * r.uniform(0.3, 2))
    delays = [w for k in range(n) for w in ("--delay", "%d:MPI_Init:%s" % (k, extra))]
    return Program(options + more + delays + ["--events", 8000, "--pattern", r.choice(["halo", "halo,allreduce"])], ["start"],
                   ["MPI_Init"])


def pipeline(r):
    _, options = compute(r)
    n = r.randint(8, 16)
    return Program(options + ["--ranks", n, "--nodes", r.randint(1, 4), "--events", n * r.randint(8, 12) * r.randint(20, 40),
                              "--pattern", "pairs"], ["pipeline"], ["pipeline"])


FLAWS = {f.__name__: f for f in (late_sender, late_receiver, wrong_order, imbalance, slow_rank, slow_node, burst, growing,
                                 varying, serial, output, barrier, n_to_n, late_broadcast, early_reduce, alltoall, transfer,
                                 small_messages, threads, locks, start, pipeline)}


def healthy(r):
    _, options = compute(r)
    if r.random() < 0.2:
        return Program(options + length(r) + ["--ranks", r.randint(1, 4), "--threads", r.randint(2, 4), "--pattern", "omp"])
    _, more = ranks(r, 2)
    return Program(options + more + length(r) + ["--pattern", r.choice(STEADY + ["ring", "nonblocking", "rma", "alltoall"]),
                                                 "--bytes", r.randint(1000, 16000)])


# ---- runs ----

def run(*words):
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: status %d: %s" % (" ".join(map(str, words)), done.returncode, done.stderr.strip()[-600:]))


def clocks(r):
    """Clocks that are wrong by milliseconds, measured at both ends or not."""
    return ["--clock", "offset=%s,drift=%.1f" % (us(r.uniform(10, 3000)), r.uniform(0, 5)), "--measure",
            r.choice(["none", "both"])]


def judge(program, seed, r):
    """The rows of the diagnosis; empty: nothing stands out."""
    folder, result = os.path.join(WORK, "trace"), os.path.join(WORK, "result.json")
    run(SYNTH, "--seed", seed, "--overwrite", *program.options, *clocks(r), folder)
    run(TCFLOW, "-q", "-c", "waits", "-i", os.path.join(folder, "traces.otf2"), "-o", "pipeline.reports=diagnosis", "-o",
        "diagnosis.format=json", "-o", "diagnosis.overwrite=yes", "-o", "presync.unsynchronised=keep", "-o",
        "diagnosis.output=" + result)
    with open(result) as f:
        return [row for row in json.load(f)["diagnosis"]["rows"] if row["rank"] > 0]


def check(kind, draw, seed, number=0):
    r = random.Random("%s %d %d" % (kind, seed, number))
    program = draw(r)
    rows = judge(program, seed, r)
    if program.rules:
        right = bool(rows) and rows[0]["rule"] in program.rules and all(n in rows[0]["sentence"] for n in program.names)
    else:
        right = not rows
    said = rows[0]["sentence"] if rows else "Nothing stands out."
    return {"kind": kind, "seed": seed, "right": right, "rule": rows[0]["rule"] if rows else "", "said": said,
            "others": [row["rule"] for row in rows[1:]], "options": " ".join(map(str, program.options))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=".")
    parser.add_argument("--kinds", default="")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    o = parser.parse_args()
    kinds = o.kinds.replace(",", " ").split() or [*FLAWS, "healthy"]
    results = []
    with open(os.path.join(o.out, "diagnosis.txt"), "w") as text:
        def tell(line):
            print(line, flush=True)
            print(line, file=text)
        for kind in kinds:
            for seed in range(o.first, o.last + 1):
                for number in range(HEALTHY if kind == "healthy" else 1):
                    results.append(check(kind, healthy if kind == "healthy" else FLAWS[kind], seed, number))
                    if not results[-1]["right"]:
                        tell("%s, seed %d: %s (%s)\n    %s" % (kind, seed, results[-1]["said"], results[-1]["rule"],
                                                               results[-1]["options"]))
            own = [x for x in results if x["kind"] == kind]
            tell("%-16s %3d of %3d" % (kind, sum(x["right"] for x in own), len(own)))
        for name, those in (("flaws", [x for x in results if x["kind"] != "healthy"]),
                            ("healthy", [x for x in results if x["kind"] == "healthy"])):
            if those:
                tell("%s: %d of %d right, %.1f %%" % (name, sum(x["right"] for x in those), len(those),
                                                     100 * sum(x["right"] for x in those) / len(those)))
    with open(os.path.join(o.out, "diagnosis.json"), "w") as f:
        json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
