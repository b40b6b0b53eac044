# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""The three case studies of the paper, rebuilt small in cases/: before the fix tcflow-scaling names the cause first, with its
ranks, and behind the fix no longer. Prints the speed-ups; ends with 1 where one of them isn't as it should be. Started by
run.sh, as validate.py is. BLAS, OPENBLAS: the two libraries of Nekbone."""

import glob
import os
import sys

import draw
import validate

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = "/usr/lib/*/"


def library(variable, pattern):
    found = [os.environ[variable]] if variable in os.environ else sorted(glob.glob(LIBRARIES + pattern))
    return found[0] if found else None


def case(name, unit, sizes, path, ranks, before, behind, arguments=((), ())):
    """BEFORE and BEHIND: amplitudes; ARGUMENTS: more of them, of either."""
    return {"name": name, "unit": unit, "sizes": sizes, "path": path, "ranks": ranks,
            "variants": list(zip((before, behind), arguments))}


def cases():
    most = [4, 8, 16, 32, 64]
    blas, open_blas = library("BLAS", "blas/libblas.so.3"), library("OPENBLAS", "openblas*/libblas.so.3")
    yield case("zeusmp", 2e-3, most, ["time step", "bval3d", "boundary loop"], list(range(0, 64, 8)), 1, 8)
    yield case("sst", 2e-4, [4, 8, 16, 32], ["time step", "handle_events"], list(range(32)), 1, 2)
    if blas and open_blas:
        yield case("nekbone", 0, most, ["cg iteration", "ax", "dgemm"], list(range(3, 64, 4)), 1.6, 0.16,
                   ((blas,), (open_blas,)))
    else:
        print("nekbone: skipped, %s is missing (Debian: libblas3, libopenblas0)" % ("OpenBLAS" if blas else "reference BLAS"))


def study(c):
    """Whether both variants are as they should be."""
    as_expected = True
    for variant, (amplitude, arguments) in zip(("before", "after"), c["variants"]):
        program = draw.Program()
        program.seed, program.kind, program.scaling, program.sizes = 0, c["name"], "strong", c["sizes"]
        program.only_mpi, program.unit, program.paths, program.ranks = False, c["unit"], [c["path"]], c["ranks"]
        with open(os.path.join(HERE, "cases", c["name"] + ".c")) as f:
            program.text = f.read()
        folder = os.path.join(os.environ.get("KEEP") or validate.WORK, c["name"] + "-" + variant)
        runs = validate.Runs(program, folder, arguments)
        times = [runs.record(ranks, amplitude) for ranks in program.sizes]
        causes = validate.analyse(program, folder, [validate.archive_of(folder, n) for n in program.sizes])["causes"]
        position, right = validate.judge(program, causes)
        good = position == 1 and right if variant == "before" else position == 0
        as_expected = as_expected and good
        speedups = " ".join("%d: %.2f" % (n, times[0] / t) for n, t in zip(program.sizes, times))
        named = ["%s on %s (%s, %.1f %% of the time)" % (
            k["call_path"], validate.short(k["processes"], program.sizes[-1]), k["kind"], 100 * k["time_share"])
            for k in causes[:2]]
        print("%-8s %-6s speed-up %s; %s%s" % (c["name"], variant, speedups, "; ".join(named) or "nothing stands out",
                                               "" if good else "  NOT AS EXPECTED"), flush=True)
    return as_expected


if __name__ == "__main__":
    sys.exit(0 if all([study(c) for c in cases()]) else 1)
