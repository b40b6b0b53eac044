#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""ablation.py [CONSTANT]...: what each constant of clock_estimate's solver is good for (`make bench-ablation`).

Builds the solver anew with a constant that is off, half and twice what it is, and lets it correct simulated programs, 72 for each
of SEEDS ("1 2 3"): eight kinds of traffic, each with four kinds of clocks, with a clock a process or a node of 2 or 4 ranks, with
measured offsets and without; four in which one rank is always last; four whose clocks are fast and where one rank is late. An
error is the root mean square over all events, after the survey and presync, 10 ns at least. Prints a row a constant: the
geometric mean of errors over programs, as a ratio to those of the present value, its standard error, in brackets the
smallest and the largest ratio, and how many programs are more than twice as bad, and more than twice as good. Parts of a whole double to 1 at most.

Constants of sharing.c get a row of their own programs besides, those of shared-clocks.txt, shortened: in a third of them the
ranks of a node share a clock, in a third they don't, and in a third they don't, but their clocks are near each other. Of all
pairs of ranks of a node it counts those that share a clock and were missed, and those that don't and were joined (per cent,
means over the programs that have such pairs). The ratio is that of errors.

JOBS (1) runs so many at a time; SCRATCH is a folder for traces (/dev/shm)."""
import concurrent.futures, itertools, json, math, os, pathlib, re, shutil, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parent
source = here.parent.parent
build = pathlib.Path(os.environ.get("top_builddir", source / "build"))
solver = source / "plugins/clock_estimate/solver"
FLOOR = 10e-9
PATTERNS = ["sendrecv", "ring", "master", "halo", "collectives", "pairs", "ring,halo,collectives", "pairs,pairs,pairs,pairs,halo"]
CLOCKS = ["offset=1ms,drift=10", "offset=1ms,drift=10,sine=50us:5s", "offset=1ms,drift=10,walk=5us", "offset=1ms,drift=10,jumps=0.1:50us"]
SHARED = ["--ranks 16 --nodes 4 --clock-per process", "--ranks 16 --nodes 8 --clock-per node", "--ranks 32 --nodes 8 --clock-per node"]
COMPUTE = ["1ms", "5ms:0.5", "20ms"]
FAST = ["--pattern halo --imbalance 1", "--pattern pairs,latesender --measure start"]
NEAR = ["1us", "3us", "10us"]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"ablation.py: {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def all_kinds(seed):
    """Options of 72 programs."""
    for k, (pattern, clock, again) in enumerate(itertools.product(PATTERNS, CLOCKS, (0, 1))):
        measure = "both" if again or "pairs," in pattern else "none"
        yield (f"{SHARED[k % 3]} --pattern {pattern} --clock {clock} --compute {COMPUTE[k // 3 % 3]} --measure {measure} "
               f"--imbalance {k % 5 // 4} --events {10000 * (1 + k % 3)} --seed {1000 * seed + k}")
    for k, clock in enumerate(CLOCKS):
        yield (f"{SHARED[k % 3]} --pattern imbalance --clock {clock} --compute {COMPUTE[k % 3]} --imbalance {1 + k % 2} "
               f"--events 10000 --seed {1000 * seed + 100 + k}")
        yield (f"--ranks {4 + k} --nodes {4 + k} --clock offset=1ms,drift=1000 --compute {COMPUTE[k % 3]} {FAST[k % 2]} "
               f"--events 20000 --seed {1000 * seed + 200 + k}")


def shared_kinds():
    """Options of 200 programs."""
    lines = [line for line in (here / "shared-clocks.txt").read_text().splitlines() if line[0] != "#"]
    for k, line in enumerate(lines):
        line = re.sub(r"--events (\d+)", lambda found: f"--events {min(int(found[1]), 20000)}", line)
        if k % 3 == 2:
            line = re.sub(r"--clock \S+", f"--clock offset={NEAR[k // 3 % 3]},drift=0.01", line)
            line = re.sub(r"--ranks (\d+) --nodes \d+", lambda found: f"--ranks {found[1]} --nodes {int(found[1]) // 2}", line)
        yield (f"{line} --clock-per {'process' if k % 3 else 'node'} --measure {'both' if k % 2 else 'none'} "
               f"--resolution {1000000 if k % 4 == 3 else 1000000000}")


class Program:
    """Its trace lies in `folder`."""

    def __init__(self, folder, options):
        self.folder = folder
        run(build / "tcflow-synth", *options.split(), "--true-trace", folder / "true", folder / "skewed")
        ranks, nodes = (int(re.search(rf"--{word} (\d+)", options)[1]) for word in ("ranks", "nodes"))
        sizes = [ranks * (node + 1) // nodes - ranks * node // nodes for node in range(nodes)]
        self.pairs = sum(map(pairs, sizes))
        self.shares = "--clock-per node" in options

    def correct(self, place):
        """By the filter in this folder; returns the error, and which part of the pairs was missed, or joined wrongly."""
        shutil.rmtree(place / "corrected", ignore_errors=True)
        options = ["pipeline.survey=clock_estimate mu_estimate", "pipeline.chain=presync otf2_write", "pipeline.rows=0",
                   "clock_estimate.format=json", f"clock_estimate.output={place / 'clocks.json'}", "clock_estimate.overwrite=yes",
                   "mu_estimate.output=/dev/null", "mu_estimate.overwrite=yes", "presync.method=survey",
                   "presync.unsynchronised=keep", f"otf2_write.path={place / 'corrected'}"]
        run(build / "tcflow", "-q", "--no-progress", "--plugin-path", place, "-i", self.folder / "skewed/traces.otf2",
            *(word for option in options for word in ("-o", option)))
        words = run(build / "tests/bench/clock-error", self.folder / "true/traces.otf2", place / "corrected/traces.otf2").split()
        shared = json.loads((place / "clocks.json").read_text()).get("shared", {"rows": []})["rows"]
        joined = sum(pairs(row["processes"]) for row in shared)
        part = min(joined / max(self.pairs, 1), 1)
        return math.hypot(float(words[words.index("rms") + 1]), FLOOR), 1 - part if self.shares else None, None if self.shares else part


def pairs(n):
    return n * (n - 1) // 2


def compile_solver(folder, file=None, text=None):
    """The filter with one file of the solver changed, in a folder of its own; objects of other files are those of `base`."""
    base = folder.parent / "base"
    folder.mkdir()
    changed = sorted(solver.glob("*.c")) if file is None or file.endswith(".h") else [solver / file]
    for path in solver.iterdir():
        shutil.copy(path, folder)
    if file:
        (folder / file).write_text(text)
    for path in changed:
        run(*os.environ.get("CC", "cc").split(), "-std=gnu11", "-O2", "-fPIC", "-I", source / "include", "-I", source, "-c", folder / path.name,
            "-o", folder / (path.stem + ".o"))
    objects = [folder / (path.stem + ".o") if path in changed else base / (path.stem + ".o") for path in solver.glob("*.c")]
    rest = list((build / "plugins/clock_estimate/.libs").glob("*.o"))
    shared = [build / f"plugins/shared/{name}/.libs/lib{name}.a" for name in ("clocks", "numbers")]
    run("cc", "-shared", "-o", folder / "clock_estimate.so", *rest, *objects, *shared, "-lm")


def ratios(found, base):
    logs = [math.log(a / b) for (a, *_), (b, *_) in zip(found, base)]
    n, mean = len(logs), sum(logs) / len(logs)
    error = math.sqrt(sum((x - mean) ** 2 for x in logs) / (n - 1) / n)
    bad, good = (sum(sign * x > math.log(2) for x in logs) for sign in (1, -1))
    return f"{math.exp(mean):.3f} ± {error:.3f} ({math.exp(min(logs)):.2f} to {math.exp(max(logs)):.2f}), {bad} bad, {good} good"


def joins(found, base):
    parts = [[row[k] for row in found if row[k] is not None] for k in (1, 2)]
    missed, wrong = (100 * sum(part) / len(part) for part in parts)
    return f"{missed:.2f} missed, {wrong:.2f} wrong, {ratios(found, base)}"


def variants(row):
    """The file with the constant's value replaced: off, half, twice."""
    file, name, off = row
    text = (solver / file).read_text()
    found = list(re.finditer(rf"\b{name} = ([0-9][0-9.e+-]*)", text))
    if len(found) != 1:
        sys.exit(f"ablation.py: {name} stands at {len(found)} places in {file}, not at one")
    value = found[0][1]
    if re.search(rf"double [^;{{]*\b{name} = ", text):
        part = 0.4 < float(value) <= 1  # a part of a whole, at most all of it
        values = [off, repr(float(value) / 2), repr(1.0 if part else 2 * float(value))]
    else:
        values = [off, str(int(value) // 2), str(2 * int(value))]
    return value, [(v, text[: found[0].start(1)] + v + text[found[0].end(1) :]) for v in values]


def table(work, title, rows, kinds, tell):
    """The programs of these kinds, corrected with each variant of each row."""
    if not rows:
        return
    place = work / title
    place.mkdir()
    programs = [Program(place / f"program-{k}", options) for k, options in enumerate(kinds)]

    def corrected(name, file=None, text=None):
        compile_solver(place / name, file, text)
        found = [program.correct(place / name) for program in programs]
        if file:
            shutil.rmtree(place / name)
        return found

    def line(row):
        value, changed = variants(row)
        cells = ["-" if v == "-" else tell(corrected(f"{row[1]}-{row[0]}-{k}", row[0], text), base) for k, (v, text) in enumerate(changed)]
        return f"| {row[1]} | {row[0]} | {value} | {f'{row[2]}: ' if row[2] != '-' else ''}{cells[0]} | {cells[1]} | {cells[2]} |"

    base = corrected("base")
    mean = math.exp(sum(math.log(found[0]) for found in base) / len(base))
    print(f"{title}: {len(base)} programs, geometric mean of errors {1e6 * mean:.3f} us; as it is: {joins(base, base)}")
    print("| constant | file | value | off | halved | doubled |\n|---|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 1))) as pool:
        for text in pool.map(line, rows):
            print(text, flush=True)
    shutil.rmtree(place)


def main(names):
    rows = [line.split()[:3] for line in (here / "ablation.txt").read_text().splitlines() if line and line[0] != "#"]
    rows = [row for row in rows if not names or row[1] in names]
    for row in rows:  # before hours of work: they are all there
        variants(row)
    seeds = [int(seed) for seed in os.environ.get("SEEDS", "1 2 3").split()]
    work = pathlib.Path(tempfile.mkdtemp(prefix="tcflow-ablation.", dir=os.environ.get("SCRATCH", "/dev/shm")))
    try:
        table(work, "sharing", [row for row in rows if row[0] == "sharing.c"], shared_kinds(), joins)
        table(work, "all", rows, (options for seed in seeds for options in all_kinds(seed)), ratios)
    finally:
        shutil.rmtree(work)


main(sys.argv[1:])
