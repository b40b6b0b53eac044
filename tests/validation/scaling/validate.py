# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Records drawn programs, has tcflow-scaling name what keeps them from scaling, and compares that with the truth.

    validate.py [--keep DIR] [--out DIR] FIRST LAST

started by run.sh, which says what the environment has to hold. The strength of each cause is found by runs of the
program with and without it, so the share of the processes' time that it takes is measured, and not by the method under test."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

import draw

MOST_NATURAL_LOSS = 0.02  # of the program without its cause
NEAR = 0.02  # how near the share of the cause has to come to what was drawn
SMPI, WORK = os.environ.get("SMPI", ""), os.environ.get("WORK", "")


class Failed(Exception):
    pass


def run(*words, **environment):
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=dict(os.environ, **environment))
    if done.returncode != 0:
        raise Failed("%s: status %d: %s" % (" ".join(map(str, words)), done.returncode, done.stderr.strip()[-600:]))
    return done.stdout


# ---- the programs ----

def end_of(said):
    """Each process says when it was done."""
    return max(float(seconds) for seconds in re.findall(r"^seconds (\S+)", said, re.M))


class Runs:
    """A program that was built, and how long it takes."""

    def __init__(self, program, folder, arguments=()):
        self.program, self.folder, self.unit, self.arguments = program, folder, program.unit, arguments
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "program.c")
        with open(source, "w") as f:
            f.write(program.text)
        run(SMPI, "build", source, os.path.join(folder, "program"), *([] if program.only_mpi else ["-finstrument-functions"]))
        self.times = {}

    def time(self, ranks, amplitude):
        """Of all processes, in seconds."""
        key = ranks, amplitude, self.unit
        if key not in self.times:
            said = run(SMPI, "run", ranks, os.path.join(self.folder, "program.bare"), repr(amplitude), repr(self.unit))
            self.times[key] = ranks * end_of(said)
        return self.times[key]

    def scale(self):
        """What the processes' time at the smallest size grows to at the largest one where nothing is lost."""
        sizes = self.program.sizes
        return sizes[-1] / sizes[0] if self.program.scaling == "weak" else 1

    def loss(self, amplitude):
        """Share of the processes' time at the largest size that is lost."""
        sizes = self.program.sizes
        most = self.time(sizes[-1], amplitude)
        return (most - self.scale() * self.time(sizes[0], amplitude)) / most

    def by_cause(self, amplitude):
        """The part of loss() that the cause makes: with it, less without it."""
        sizes = self.program.sizes
        most, least = (self.time(n, amplitude) - self.time(n, 0) for n in (sizes[-1], sizes[0]))
        return (most - self.scale() * least) / self.time(sizes[-1], amplitude)

    def enlarge(self):
        """More computing, until what the program loses without its cause is little."""
        while self.loss(0) > MOST_NATURAL_LOSS and self.unit < 32 * self.program.unit:
            self.unit *= 2
        return self.loss(0)

    def strength(self):
        """The amplitude with which the cause takes the share that was drawn; where it can't, as much as it can."""
        want, amplitude = self.program.share, self.program.guess * self.unit / self.program.unit
        for _ in range(6):
            have = self.by_cause(amplitude)
            if abs(have - want) < NEAR:
                break
            # The loss grows with the amplitude, and adds to the time without the cause.
            step = want / (1 - want) * (1 - have) / have if 0 < have < 1 else 4
            amplitude *= min(max(step, 0.2), 4)
        return amplitude

    def record(self, ranks, amplitude):
        """Returns how long it takes, in seconds."""
        archive = archive_of(self.folder, ranks)
        shutil.rmtree(archive, ignore_errors=True)
        said = run(SMPI, "run", ranks, os.path.join(self.folder, "program.full"), repr(amplitude), repr(self.unit),
                   *self.arguments, RECORDER_OUT=archive)
        return end_of(said)


def archive_of(folder, ranks):
    return os.path.join(folder, str(ranks))


def recorded(program, folder, result):
    """Archives of all sizes, made unless the folder has them of this very program; adds to the result what was measured."""
    archives = [archive_of(folder, ranks) for ranks in program.sizes]
    kept = os.path.join(folder, "recorded.json")
    if os.path.exists(kept):
        with open(kept) as f:
            before = json.load(f)
        if before.pop("text") == program.text:
            result.update(before)
            return archives
    runs = Runs(program, folder)
    measured = {"natural_loss": round(runs.enlarge(), 4)}
    amplitude = runs.strength() if program.kind else 0
    measured["share"] = round(runs.by_cause(amplitude), 4) if program.kind else 0
    measured["unit"], measured["amplitude"] = runs.unit, amplitude
    for ranks in program.sizes:
        runs.record(ranks, amplitude)
    with open(kept, "w") as f:
        json.dump(dict(measured, text=program.text), f)
    result.update(measured)
    return archives


def unfit(result):
    """Why a program can't be judged by: there is another cause, or hardly one. None: it can."""
    if result["natural_loss"] > MOST_NATURAL_LOSS:
        return "loses %.1f %% without its cause" % (100 * result["natural_loss"])
    if result["kind"] != "none" and result["share"] < 0.06:
        return "its cause takes %.1f %%" % (100 * result["share"])
    return None


# ---- the tool ----

def analyse(program, folder, archives):
    """What tcflow-scaling says."""
    databases = []
    for archive in archives:
        databases.append(archive + ".sqlite")
        run(os.environ["TCFLOW"], "-q", "-c", os.environ["PRESET"], "-i", archive + "/traces.otf2",
            "-o", "pipeline.overwrite=yes", "-o", "pipeline.database=" + databases[-1])
    said = run(os.environ["SCALING"], "--format", "json", *databases)
    with open(os.path.join(folder, "said.json"), "w") as f:
        f.write(said)
    return json.loads(said)


# ---- truth and answer ----

def names_cause(cause, paths):
    """Whether the call path is the true one, or below it."""
    path = cause["call_path"].split("/")
    return any(path[:len(true)] == true for true in paths)


def judge(program, causes):
    """Position of the true cause (1: first; 0: not among them), and whether its ranks are right."""
    for i, cause in enumerate(causes):
        if names_cause(cause, program.paths):
            return i + 1, sorted(cause["processes"]) == program.ranks
    return 0, False


def short(ranks, size):
    return "all" if len(ranks) == size else " ".join(map(str, ranks)) if len(ranks) < 9 else "%d ranks" % len(ranks)


def one(seed, arguments):
    program = draw.draw(seed)
    folder = os.path.join(arguments.keep or WORK, str(seed))
    result = {"seed": seed, "kind": program.kind or "none", "scaling": program.scaling, "skeleton": program.skeleton,
              "only_mpi": program.only_mpi, "sizes": program.sizes,
              "paths": ["/".join(p) for p in program.paths], "ranks": program.ranks}
    try:
        archives = recorded(program, folder, result)
        result["unfit"] = unfit(result)
        if arguments.only_record or result["unfit"]:
            return result
        said = analyse(program, folder, archives)
        causes = said["causes"]
        result["told_scaling"], result["told_share"] = said.get("scaling"), (causes[0].get("time_share") if causes else None)
        result["position"], result["ranks_right"] = judge(program, causes)
        result["causes"] = [{k: c.get(k) for k in ("call_path", "kind", "processes", "share")} for c in causes[:4]]
    except (Failed, ValueError, KeyError, OSError) as e:
        result["failed"] = "%s: %s" % (type(e).__name__, e)
    finally:
        with open(os.path.join(folder, "truth.json"), "w") as f:
            json.dump(result, f)
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return result


def line(r):
    size = r["sizes"][-1]
    truth = "%4d %-13s %-6s %-7s %-3s %4d  %4.1f %%" % (r["seed"], r["kind"], r["scaling"], r["skeleton"],
                                                      "MPI" if r["only_mpi"] else "", size, 100 * r.get("share", 0))
    if "failed" in r:
        return "%s  FAILED %s" % (truth, r["failed"])
    if "position" not in r:
        return truth + ("  unfit: " + r["unfit"] if r["unfit"] else "")
    good = not r["causes"] if r["kind"] == "none" else r["position"] == 1
    place = "first" if r["position"] == 1 else "place %d" % r["position"] if r["position"] else "not named"
    text = "%s  %s" % (truth, place if r["causes"] else "silent")
    if r["position"] and not r["ranks_right"]:
        named = r["causes"][r["position"] - 1]["processes"] if r["position"] <= 4 else []
        text += ", ranks %s, true %s" % (short(named, size), short(r["ranks"], size))
    if not good and r["causes"]:
        first = r["causes"][0]
        text += "; said: %s (%s, %.1f %% of the loss)" % (first["call_path"], first["kind"], 100 * (first["share"] or 0))
    if not good and r["kind"] != "none":
        text += "; true: " + r["paths"][0]
    return text


def table(results):
    """By kind: how often the cause is first, among three, with its ranks; and what share of all named causes is true."""
    rows = ["%-14s %8s %8s %8s %8s %8s %9s" % ("kind", "programs", "first", "of 3", "ranks", "silent", "precision")]
    judged = [r for r in results if "position" in r]

    def row(name, of):
        n = len(of)
        first, three = sum(r["position"] == 1 for r in of), sum(1 <= r["position"] <= 3 for r in of)
        ranks, silent = sum(r["position"] > 0 and r["ranks_right"] for r in of), sum(not r["causes"] for r in of)
        named = sum(len(r["causes"]) for r in of)
        true = sum(r["position"] > 0 for r in of)
        cells = (first, three, ranks) if name != "none" else ("", "", "")
        rows.append("%-14s %8d %8s %8s %8s %8d %9s" % (name, n, *cells, silent, "%.2f" % (true / named) if named else ""))

    for kind in draw.KINDS + ["none"]:
        of = [r for r in judged if r["kind"] == kind]
        if of:
            row(kind, of)
    row("all causes", [r for r in judged if r["kind"] != "none"])
    for word in "failed", "unfit":
        seeds = [str(r["seed"]) for r in results if r.get(word)]
        if seeds:
            rows.append("%d %s: seeds %s" % (len(seeds), word, " ".join(seeds)))
    shares = [abs(r["told_share"] - r["share"]) for r in judged if r["position"] == 1 and r.get("told_share") is not None]
    if shares:
        rows.append("share of the time which the first cause takes: told and measured differ by %.3f in the mean, %.3f at most" %
                    (sum(shares) / len(shares), max(shares)))
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep")
    parser.add_argument("--out", default=".")
    parser.add_argument("--only-record", action="store_true")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    arguments = parser.parse_args()
    results = []
    with open(os.path.join(arguments.out, "scaling.txt"), "w") as out:
        for seed in range(arguments.first, arguments.last + 1):
            results.append(one(seed, arguments))
            print(line(results[-1]), flush=True)
            print(line(results[-1]), file=out, flush=True)
        print(table(results), file=out)
    print(table(results))
    with open(os.path.join(arguments.out, "scaling.json"), "w") as f:
        json.dump(results, f, indent=1)
    return 1 if any("failed" in r for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
