# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""`make mutants`: does a test notice when a line is wrong? Of ten central files a fixed sample of MUTANTS (500) changes is drawn
(SEED, 1), as many of each file as it has of all; each goes, alone, through the tests of that file. A mutant that compiles to the same
code as the file is none. What survives is printed as file, line, before, after: it is equivalent (tests/mutants/equivalent has its
line, and why), or a test is missing. TIMES (5) as long as the unchanged file needs, and ten seconds, is a hang. FILES chooses some.
Exit status 1: something else survives."""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

BUILD, SOURCE = os.environ["top_builddir"], os.environ["top_srcdir"]
HERE = os.path.dirname(os.path.abspath(__file__))

# Each file, and its tests; these link what else they are made of.
FILES = {
    "framework/causality/match.c": ["test_prematched", "test_pipeline", "test_promises"],
    "framework/causality/exchange_messages.c": ["test_exchange", "test_exchange_limits", "test_pipeline"],
    "framework/causality/exchange_instances.c": ["test_exchange", "test_exchange_limits", "test_pipeline"],
    "framework/causality/schedule.c": ["test_pipeline", "test_promises"],
    "framework/trace/slice.c": ["test_slice", "test_slice_random"],
    "framework/trace/definitions_resolve.c": ["test_definitions", "test_membership"],
    "framework/trace/communicators.c": ["test_definitions", "test_membership"],
    "framework/trace/callpath.c": ["test_callpath"],
    "framework/settings/params.c": ["test_params", "test_settings"],
    "framework/pipeline/push.c": ["test_pipeline", "test_promises"],
}
MORE_OBJECTS = {"test_exchange": ["random_collectives.o"]}

# A pattern, and what stands in its place.
OPERATORS = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* (?=[a-z0-9(])", " + "), (r" / ", " * "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" & ", " | "), (r" \| ", " & "), (r"\+\+", "--"), (r"\+= ", "-= "), (r"-= ", "+= "), (r"\|= ", "&= "), (r"(?<=[(\s])!(?=[a-z(])", ""),
    (r"\b0\b(?!x)", "1"), (r"\b1\b", "0"), (r"\bTCF_OK\b", "TCF_ERROR"), (r"\bTCF_ERROR\b", "TCF_OK"),
    (r"\bif \((?=.*\)$)", "if (0 && "), (r"\bif \((?=.*\)$)", "if (1 || "), (r"\breturn (?=[a-z!(].*;)", "return !"),
    (r"^\s+[a-z_>.\-]+\(.*\);$", ";"), (r"^\s+(break|continue);$", ";"),
]


def is_code(line, state):
    """No comment, declaration, preprocessor line, or message."""
    inside = state["comment"]
    if "/*" in line and "*/" not in line[line.index("/*"):]:
        state["comment"] = True
    if inside and "*/" in line:
        state["comment"] = False
    return not inside and line.startswith("    ") and not line.strip().startswith(("/*", "#", "assert", "static const")) and '"' not in line


def mutants_of(text):
    lines, state, found = text.split("\n"), {"comment": False}, []
    for i, line in enumerate(lines):
        if not is_code(line, state):
            continue
        code = line.split("/*")[0].rstrip()
        for pattern, instead in OPERATORS:
            for match in re.finditer(pattern, code):
                changed = code[:match.start()] + instead + code[match.end():]
                if changed != code:
                    found.append((i, line, changed))
    return found


def variable(name):
    """Of the Makefile."""
    makefile = "p: ; @echo $($(V))\n"
    return subprocess.run(["make", "-s", "-C", BUILD, "-f", "Makefile", "--eval", makefile, "p", f"V={name}"], stdout=subprocess.PIPE,
                          text=True, check=True).stdout.split()


class Judge:
    def __init__(self, work):
        self.work = work
        self.cc = os.environ.get("CC", "cc").split()
        self.flags = ["-std=gnu11", "-O1", "-w", "-I" + SOURCE, "-I" + SOURCE + "/include", "-I" + BUILD,
                      *[flag for name in ("DEFS", "OTF2_CFLAGS", "libtcflow_core_la_CPPFLAGS") for flag in variable(name)]]
        self.flags = [flag for flag in self.flags if flag.startswith("-") and "PACKAGE" not in flag]
        harness = os.path.join(BUILD, "kit/harness/.libs/libharness.a")
        self.libraries = [harness, BUILD + "/.libs/libtcflow_core.a", BUILD + "/.libs/libtcflow_settings.a", "-lm", "-lpthread", "-ldl",
                          *[flag for name in ("CMOCKA_LIBS", "OTF2_LIBS", "INIH_LIBS", "LTDL_LIBS", "SQLITE_LIBS", "ZLIB_LIBS",
                                              "ZSTD_LIBS", "SECCOMP_LIBS", "SODIUM_LIBS") for flag in variable(name)]]

    def compile(self, file, text):
        """The object's bytes; None: no C."""
        path, to = os.path.join(self.work, os.path.basename(file)), os.path.join(self.work, "mutant.o")
        with open(path, "w") as f:
            f.write(text)
        here = os.path.dirname(os.path.join(SOURCE, file))
        if subprocess.run([*self.cc, *self.flags, "-I" + here, "-c", "-o", to, path], stderr=subprocess.DEVNULL).returncode:
            return None
        return open(to, "rb").read()

    def passes(self, test, limit):
        """Of the object that was compiled last. TimeoutExpired: it hangs."""
        objects = [os.path.join(BUILD, "tests/framework", name) for name in [test + ".o", *MORE_OBJECTS.get(test, [])]]
        # In the build tree: there a program finds the filters.
        program = os.path.join(BUILD, "tests/framework", f"mutant-{os.getpid()}")
        subprocess.run([*self.cc, "-rdynamic", "-o", program, *objects, os.path.join(self.work, "mutant.o"), *self.libraries], check=True)
        try:
            return subprocess.run([program], cwd=self.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=limit).returncode == 0
        finally:
            os.remove(program)


def main():
    chosen = (os.environ.get("FILES") or " ".join(FILES)).split()
    total, draw = int(os.environ.get("MUTANTS") or 500), random.Random(int(os.environ.get("SEED") or 1))
    known = set()
    with open(os.path.join(HERE, "equivalent")) as f:
        for line in f:
            if not line.startswith("#") and line.strip():
                known.add(tuple(part.strip() for part in line.split(" | ")[:3]))
    texts = {file: open(os.path.join(SOURCE, file)).read() for file in chosen}
    every = {file: mutants_of(text) for file, text in texts.items()}
    n = sum(len(list_) for list_ in every.values())
    counts = dict.fromkeys(("tried", "killed", "no C", "the same code", "equivalent", "survives"), 0)
    with tempfile.TemporaryDirectory(prefix="tcflow-mutants.") as work:
        judge = Judge(work)
        for file in chosen:
            original = judge.compile(file, texts[file])
            if original is None:
                sys.exit(f"{file} does not compile")
            limits = {}
            for test in FILES[file]:
                began = time.time()
                if not judge.passes(test, 600):
                    sys.exit(f"{test} fails with {file} as it is")
                limits[test] = 10 + int(os.environ.get("TIMES") or 5) * (time.time() - began)
            of_file = dict.fromkeys(counts, 0)
            for i, before, after in draw.sample(every[file], min(len(every[file]), max(1, round(total * len(every[file]) / n)))):
                lines = texts[file].split("\n")
                lines[i] = after
                made = judge.compile(file, "\n".join(lines))
                if made is None:
                    result = "no C"
                elif made == original:
                    result = "the same code"
                else:
                    result = "survives"
                    for test in FILES[file]:
                        try:
                            passed = judge.passes(test, limits[test])
                        except subprocess.TimeoutExpired:
                            passed = False
                        if not passed:
                            result = "killed"
                            break
                if result == "survives" and (os.path.basename(file), before.strip(), after.strip()) in known:
                    result = "equivalent"
                if result == "survives":
                    print(f"{os.path.basename(file)}:{i + 1} | {before.strip()} | {after.strip()}", flush=True)
                of_file[result] += 1
                of_file["tried"] += 1
            print(f"# {file}: {of_file} of {len(every[file])}", flush=True)
            for key in counts:
                counts[key] += of_file[key]
    judged = counts["killed"] + counts["survives"]
    print(f"# all: {counts}; {100 * counts['killed'] / max(1, judged):.1f} % of {judged} killed")
    sys.exit(1 if counts["survives"] else 0)


main()
