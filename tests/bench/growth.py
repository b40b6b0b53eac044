# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""growth.py: what runs cost at sizes n, 8 n and 64 n of one thing, everything else alike.

    growth.py [--only REGEX] [--seconds S] [--times N] [--all]        TCFLOW, TRACE: the programs; SCRATCH: a folder

Prints a row for each thing and chain: CPU time and peak memory at the largest sizes, and the exponents of both: cost grows with
n^exponent, the cost of size 0 taken off. The size grows until a run takes S (0.3) seconds, or to the last of its sizes. Of a chain
of several filters that grows faster than n^1.25 each filter is measured by itself; --all: of each chain. Status 1: one does."""

import argparse
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TCFLOW = os.environ.get("TCFLOW", "tcflow")
TRACE = os.environ.get("TRACE", "trace")
LIMIT = 1.25

REPORTS = ("profile comm_matrix message_histogram time_profile load_imbalance comm_comp metrics io wait_states root_cause critical_path "
           "lateness iterations check overhead activity").split()
OTHERS = "ppg efficiency calls distances print perfetto_trace stream_write".split()
CHAINS = {"sixteen reports": REPORTS, "seven others": OTHERS, "correction": "presync clc_forward clc_backward otf2_write".split(),
          "estimates": ["clock_estimate", "mu_estimate"]}
OUTPUT = {"calls": "path", "perfetto_trace": "path", "otf2_write": "path", "stream_write": "path"}
NEEDS = {"overhead": ["event=40ns"], "presync": ["method=none", "unsynchronised=keep"]}


# Starts the programs: what a process inherits of its parent's peak memory is little.
SHELL = """TIMEFORMAT='%U %S'
while IFS= read -r line; do
    { time eval "$line" >/dev/null 2>said; } 2>took
    echo "$? $(cat took)"
done"""
shell = subprocess.Popen(["bash", "-c", SHELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                         cwd=tempfile.mkdtemp(prefix="tcflow-growth.", dir=os.environ.get("SCRATCH")))


def run(words, folder):
    """CPU seconds, peak MiB (0: it doesn't say), exit status, what was said."""
    print(shlex.join(words), file=shell.stdin, flush=True)
    status, *took = shell.stdout.readline().split()
    with open(os.path.join(folder, "said")) as said:
        text = said.read()
    peak = re.search('"peak_bytes": ([0-9]+)', text)
    return sum(map(float, took)), int(peak.group(1)) / 2**20 if peak else 0, int(status), text


def chain_options(filters, folder):
    words = ["-o", "pipeline.chain=" + " ".join(filters), "--no-progress", "-q", "--summary=json"]
    for name in filters:
        if name in REPORTS + OTHERS + list(OUTPUT):
            words += ["-o", "%s.%s=%s" % (name, OUTPUT.get(name, "output"), os.path.join(folder, "out-" + name))]
        for need in NEEDS.get(name, []):
            words += ["-o", "%s.%s" % (name, need)]
    return words


def clean(folder):
    for name in os.listdir(folder):
        if name.startswith("out-"):
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


# ------------------------------------------------------------------------------------------------------------ inputs
# Each makes the input of size n in a folder, and returns words for tcflow.

def trace(kind, *options):
    def make(n, folder):
        target = os.path.join(folder, "trace")
        shutil.rmtree(target, ignore_errors=True)
        words = [str(o(n)) if callable(o) else o for o in options]
        subprocess.run([TRACE, kind, "--out", target, *words], check=True, stdout=subprocess.DEVNULL)
        return ["-i", os.path.join(target, "traces.otf2")]
    return make


def text(name, lines, *words):
    def make(n, folder):
        with open(os.path.join(folder, name), "w") as out:
            for line in lines(n):
                out.write(line)
        return [w if w != "FILE" else os.path.join(folder, name) for w in words]
    return make


def ini(lines):
    def whole(n):
        yield "[pipeline]\nchain = pass\ninput = none\n"
        yield from lines(n)
    return text("x.ini", whole, "-c", "FILE", "--check")


def chrome(lines):
    def whole(n):
        yield "["
        for k, line in enumerate(lines(n)):
            yield ("," if k else "") + line
        yield "]"
    return text("x.json", whole, "-i", "FILE", "-o", "pipeline.source=chrome")


def csv(lines):
    def whole(n):
        yield "Timestamp (ns),Event Type,Name,Process,Thread\n0,Enter,main,0,0\n0,Enter,main,1,0\n"
        yield from lines(n)
    return text("x.csv", whole, "-i", "FILE", "-o", "pipeline.source=csv")


def plugins(n, folder):
    target = os.path.join(folder, "plugins")
    shutil.rmtree(target, ignore_errors=True)
    os.mkdir(target)
    for k in range(n):
        os.symlink("/dev/null", os.path.join(target, "f%d.so" % k))
    return ["--plugin-path", target, "--list-filters"]


def chain(n, folder):
    anchor = trace("large", "--messages", "10")(0, folder)[1]
    return text("x.ini", lambda n: ["[pipeline]\ninput = %s\nchain =" % anchor] + ["\n    p%d" % k for k in range(n + 1)] + ["\n"] +
                ["[p%d]\nfilter = pass\n" % k for k in range(n + 1)], "-c", "FILE")(n, folder)


def many_inputs(n, folder):
    """n + 2 CSV files as one run."""
    for k in range(n + 2):
        with open(os.path.join(folder, "part%d.csv" % k), "w") as out:
            out.write("Timestamp (ns),Event Type,Name,Process,Thread\n0,Enter,main,0,0\n9,Leave,main,0,0\n")
    return text("x.ini", lambda n: ["[pipeline]\nsource = csv\ninput ="] + ["\n    " + os.path.join(folder, "part%d.csv" % k) for k in range(n + 2)] +
                ["\n"], "-c", "FILE")(n, folder)


ANY = "any"  # every chain
NONE = None  # no chain: the words say it all
ROWS = [
    # thing, input, sizes, chains
    ("events", trace("bench", "--locations", "4", "--events", lambda n: n + 1000), (20000, 160000, 1280000), ANY),
    ("locations", trace("bench", "--locations", lambda n: n + 2, "--events", lambda n: 60 * (n + 2)), (200, 1600, 12800), ANY),
    ("locations without events", trace("large", "--silent", lambda n: n), (2000, 16000, 128000), ANY),
    ("threads of a process that communicate", trace("large", "--senders", lambda n: n), (1000, 8000, 64000), ANY),
    ("threads whose sends wait for receives", trace("large", "--senders", lambda n: n), (1000, 8000, 64000), ["efficiency", "stream_write"]),
    ("ranks that wait for what never comes", trace("large", "--lonely", lambda n: n), (1000, 8000, 64000), ANY),
    ("ranks in a barrier that others miss", trace("large", "--absent", lambda n: n), (1000, 8000, 64000), ANY),
    ("nested calls", trace("large", "--depth", lambda n: n), (1000, 8000, 64000), ANY),
    ("calls too deep to follow", trace("large", "--depth", lambda n: 65536 + n), (2000, 16000, 128000), ["wait_states"]),
    ("messages in flight", trace("large", "--messages", lambda n: n), (2000, 16000, 128000), ANY),
    ("tags in flight, received backwards", trace("large", "--tags", lambda n: n), (2000, 16000, 128000), ANY),
    ("open requests", trace("large", "--requests", lambda n: n), (2000, 16000, 128000), ANY),
    ("communicators and groups, a barrier each", trace("large", "--communicators", lambda n: n), (1000, 8000, 64000), ANY),
    ("groups that nobody uses", trace("bench", "--locations", "2", "--events", "1000", "--pairs", lambda n: n), (1000, 8000, 64000), ANY),
    ("regions", trace("large", "--regions", lambda n: n), (2000, 16000, 128000), ANY),
    ("call paths", trace("large", "--paths", lambda n: n), (2000, 16000, 128000), ANY),
    ("bytes of a region's name", trace("large", "--name", lambda n: n), (2000, 16000, 128000), ANY),
    ("attributes of an event", trace("large", "--attributes", lambda n: n), (50, 400, 3200), ANY),
    ("metrics", trace("large", "--metrics", lambda n: n), (1000, 8000, 64000), ANY),
    ("nested forks", trace("large", "--forks", lambda n: n), (1000, 8000, 64000), ANY),
    ("nested calling contexts", trace("large", "--contexts", lambda n: n), (1000, 8000, 64000), ANY),
    ("open operations of I/O, a file each", trace("large", "--operations", lambda n: n), (1000, 8000, 64000), ANY),
    ("one-sided operations in flight", trace("large", "--puts", lambda n: n), (2000, 16000, 128000), ANY),
    ("locks held", trace("large", "--locks", lambda n: n), (2000, 16000, 128000), ANY),
    ("tasks that wait", trace("large", "--tasks", lambda n: n), (2000, 16000, 128000), ANY),
    ("parameters, a value each", trace("large", "--parameters", lambda n: n), (1000, 8000, 64000), ANY),
    ("nested nodes of the system tree", trace("large", "--nodes", lambda n: n), (1000, 8000, 64000), ANY),
    ("properties of a process", trace("large", "--properties", lambda n: n), (1000, 8000, 64000), ANY),
    ("markers", trace("large", "--markers", lambda n: n), (2000, 16000, 128000), ANY),
    ("options of the command line", lambda n, folder: ini(lambda n: [])(0, folder) + [w for k in range(n) for w in ("-o", "pass.k%d=1" % k)],
     (60, 480, 3840), NONE),
    ("keys of an INI section", ini(lambda n: ["[pass]\n"] + ["k%d = 1\n" % k for k in range(n)]), (1000, 8000, 64000), NONE),
    ("lines of an INI file", ini(lambda n: ["; nothing\n"] * n), (1500, 12000, 96000), NONE),
    ("sections of an INI file", ini(lambda n: ["[s%d]\nfilter = pass\n" % k for k in range(n)]), (700, 5600, 44800), NONE),
    ("continued lines of an INI value", ini(lambda n: ["[x]\ny ="] + ["\n    " + "v" * 100] * n + ["\n"]), (2, 16, 128), NONE),
    ("filters of a chain", chain, (25, 200, 1600), NONE),
    ("files in a folder of plugins", plugins, (100, 800, 6400), NONE),
    ("files of a run (CSV)", many_inputs, (4, 32, 256), ["pass"]),
    ("JSON: nesting", chrome(lambda n: ['{"ph":"B","ts":1,"name":"x","args":' + '{"a":' * n + "1" + "}" * n + "}"]),
     (10000, 80000, 640000), ["pass"]),
    ("JSON: arguments of an event", chrome(lambda n: ['{"ph":"C","ts":1,"name":"x","args":{' + ",".join('"a%d":1' % k for k in range(n)) + "}}"]
                                           if n else []), (10000, 80000, 640000), ["pass"]),
    ("JSON: bytes of a name", chrome(lambda n: ['{"ph":"B","ts":1,"name":"' + "x" * n + '"}']), (100000, 800000, 6400000), ["pass"]),
    ("JSON: processes and threads", chrome(lambda n: ['{"ph":"B","ts":1,"name":"x","pid":%d,"tid":%d}' % (k // 4, k) for k in range(n)]),
     (1000, 8000, 64000), ["pass"]),
    ("JSON: processes that become accelerators", chrome(
        lambda n: ['{"ph":"M","name":"process_labels","pid":%d,"tid":1,"args":{"labels":"GPU 0"}},{"ph":"B","ts":1,"name":"x","pid":%d,"tid":1}'
                   % (k, k) for k in range(n)]), (1000, 8000, 64000), ["pass"]),
    ("JSON: calls that overlap", chrome(lambda n: ['{"ph":"X","ts":%d,"dur":%d,"name":"x"}' % (k, n) for k in range(n)]),
     (2000, 16000, 128000), ["pass"]),
    ("JSON: arrows in flight that overtake", chrome(
        lambda n: ['{"ph":"s","id":%d,"ts":%d,"pid":1,"tid":1,"name":"x"}' % (k, k) for k in range(n)] +
        ['{"ph":"f","id":%d,"ts":%d,"pid":2,"tid":1,"name":"x"}' % (k, 2 * n - k) for k in range(n)]), (2000, 16000, 128000), ["pass"]),
    ("JSON: backwards in time", chrome(lambda n: ['{"ph":"B","ts":%d,"name":"x"}' % (n - k) for k in range(n)]),
     (10000, 80000, 640000), ["pass"]),
    ("CSV: columns", text("x.csv", lambda n: ["Timestamp (ns),Event Type,Name,Process,Thread" + "".join(",c%d" % k for k in range(n)) + "\n",
                                              "0,Enter,main,0,0" + ",1" * n + "\n"], "-i", "FILE", "-o", "pipeline.source=csv"),
     (15, 120, 960), ["pass"]),
    ("CSV: leaves of what isn't open, in deep calls", csv(
        lambda n: ["%d,Enter,a,0,0\n" % k for k in range(n)] + ["%d,Leave,b,0,0\n" % (n + k) for k in range(n)]),
     (1000, 8000, 64000), ["pass"]),
    ("CSV: notes with a text each", csv(lambda n: ["%d,Instant,text %d,0,0\n" % (k, k) for k in range(n)]), (2000, 16000, 128000), ["pass"]),
]


def name_of(filters):
    for name, chain in CHAINS.items():
        if filters == chain and len(chain) > 1:
            return name
    return "`%s`" % " ".join(filters) if filters else "none"


def ends_with(said):
    return ([line for line in said.split("\n") if "error:" in line] or [""])[0][:120]


def measure(words, folder):
    clean(folder)
    return run([TCFLOW, *words], folder)


def row(thing, make, sizes, filters, folder, options):
    """One row; the exponent of time."""
    points = []
    more = chain_options(filters, folder) if filters else []
    for n in (0, *sizes):
        words = make(n, folder) + more
        cost = min((measure(words, folder) for _ in range(options.times)), key=lambda c: c[0])
        if cost[2] != 0 and n == 0 and filters and len(filters) == 1:
            return 0  # it can't stand alone
        if cost[2] not in (0, 1, 2) or (cost[2] != 0 and n == 0 and filters):
            print("| %s | %s | %d | status %d: %s |" % (thing, name_of(filters), n, cost[2], cost[3].strip()[-200:]), flush=True)
            return math.inf if cost[2] < 0 else 0
        points.append((n, cost))
        if n > 0 and cost[0] - points[0][1][0] > options.seconds and len(points) > 2:
            break
    (n0, (t0, m0, *_)), (n1, (t1, m1, *_)), (n2, (t2, m2, status, said)) = points[0], points[-2], points[-1]
    exponent = [math.log(max(b - z, floor) / max(a - z, floor)) / math.log(n2 / n1)
                for z, a, b, floor in ((t0, t1, t2, 0.01), (m0, m1, m2, 0.5))]
    print("| %s | %s | %d, %d | %.2f, %.2f | %.2f | %.0f, %.0f | %.2f | %s |" % (
        thing, name_of(filters), n1, n2, t1, t2, exponent[0], m1, m2, exponent[1], "" if status == 0 else ends_with(said)), flush=True)
    return exponent[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    folder = os.readlink("/proc/%d/cwd" % shell.pid)
    worst = 0
    print("| what grows | chain | n | CPU s | n^ | peak MiB | n^ | ends with |\n|---|---|---|---|---|---|---|---|")
    try:
        for thing, make, sizes, chains in ROWS:
            if not re.search(options.only, thing):
                continue
            for filters in CHAINS.values() if chains == ANY else [chains]:
                exponent = row(thing, make, sizes, filters, folder, options)
                for name in filters if chains == ANY and (exponent > LIMIT or options.all) else ():
                    row(thing, make, sizes, [name], folder, options)
                worst = max(worst, exponent)
    finally:
        shutil.rmtree(folder)
    return worst > LIMIT


if __name__ == "__main__":
    sys.exit(main())
