#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""ablation.py [CONSTANT]...: what each constant of clock_estimate's solver is good for (`make bench-ablation`).

Builds the solver anew with a constant that is off, half and twice what it is, and lets it correct 64 simulated programs: eight
kinds of traffic, four of clocks, with a clock a process or a node of 2 or 4 ranks, with measured offsets and without. An
error is the root mean square over all events, after the survey and presync. Prints a row a constant: the geometric mean of
errors over programs, as a ratio to those of the present value, and in brackets the smallest and the largest ratio. Parts
of a whole double to 1 at most. Errors count as 10 ns at least. SEED (1) makes other programs; JOBS (1) runs so many at a time;
SCRATCH is a folder for traces (/dev/shm)."""
import concurrent.futures, itertools, math, os, pathlib, re, shutil, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parent
source = here.parent.parent
build = pathlib.Path(os.environ.get("top_builddir", source / "build"))
solver = source / "plugins/clock_estimate/solver"
FLOOR = 10e-9
PATTERNS = ["sendrecv", "ring", "master", "halo", "collectives", "pairs", "ring,halo,collectives", "pairs,pairs,pairs,pairs,halo"]
CLOCKS = ["offset=1ms,drift=10", "offset=1ms,drift=10,sine=50us:5s", "offset=1ms,drift=10,walk=5us", "offset=1ms,drift=10,jumps=0.1:50us"]
SHARED = ["--ranks 16 --nodes 4 --clock-per process", "--ranks 16 --nodes 8 --clock-per node", "--ranks 32 --nodes 8 --clock-per node"]
COMPUTE = ["1ms", "5ms:0.5", "20ms"]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"ablation.py: {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def simulate(work, seed):
    """Makes the programs; returns the folders of their traces."""
    folders = []
    for k, (pattern, clock, again) in enumerate(itertools.product(PATTERNS, CLOCKS, (0, 1))):
        folder = work / f"{k:02} {pattern} {clock.split(',')[-1]} {SHARED[k % 3]}"
        run(build / "tcflow-synth", *SHARED[k % 3].split(), "--pattern", pattern, "--clock", clock, "--compute", COMPUTE[k // 3 % 3],
            "--measure", "both" if again or "pairs," in pattern else "none",
            "--imbalance", k % 5 // 4, "--events", 10000 * (1 + k % 3), "--seed", 1000 * seed + k,
            "--true-trace", folder / "true", folder / "skewed")
        folders.append(folder)
    return folders


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


def error(folder, filters, corrected):
    """Of a program that this filter corrects."""
    shutil.rmtree(corrected, ignore_errors=True)
    run(build / "tcflow", "-q", "--no-progress", "--plugin-path", filters, "-i", folder / "skewed/traces.otf2",
        *(word for option in ("pipeline.survey=clock_estimate mu_estimate", "pipeline.chain=presync otf2_write", "pipeline.reports=presync",
                              "presync.method=survey", "presync.unsynchronised=keep", f"otf2_write.path={corrected}") for word in ("-o", option)))
    words = run(build / "tests/bench/clock-error", folder / "true/traces.otf2", corrected / "traces.otf2").split()
    return math.hypot(float(words[words.index("rms") + 1]), FLOOR)


def errors(work, folders, name, file=None, text=None):
    place = work / name
    compile_solver(place, file, text)
    found = [error(folder, place, place / "corrected") for folder in folders]
    if file:
        shutil.rmtree(place)
    return found


def ratios(found, base):
    ratio = [a / b for a, b in zip(found, base)]
    return f"{math.exp(sum(map(math.log, ratio)) / len(ratio)):.3f} ({min(ratio):.2f}-{max(ratio):.2f})"


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


def main(names):
    rows = [line.split()[:3] for line in (here / "ablation.txt").read_text().splitlines() if line and line[0] != "#"]
    rows = [row for row in rows if not names or row[1] in names]
    work = pathlib.Path(tempfile.mkdtemp(prefix="tcflow-ablation.", dir=os.environ.get("SCRATCH", "/dev/shm")))
    try:
        folders = simulate(work, int(os.environ.get("SEED", 1)))
        base = errors(work, folders, "base")
        print(f"{len(base)} programs, geometric mean of errors {1e6 * math.exp(sum(map(math.log, base)) / len(base)):.3f} us")
        print("| constant | file | value | off | halved | doubled |\n|---|---|---|---|---|---|")

        def line(row):
            value, changed = variants(row)
            cells = ["-" if v == "-" else ratios(errors(work, folders, f"{row[1]}-{i}", row[0], text), base) for i, (v, text) in enumerate(changed)]
            return f"| {row[1]} | {row[0]} | {value} | {f'{row[2]}: ' if row[2] != '-' else ''}{cells[0]} | {cells[1]} | {cells[2]} |"

        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 1))) as pool:
            for text in pool.map(line, rows):
                print(text, flush=True)
    finally:
        shutil.rmtree(work)


main(sys.argv[1:])
