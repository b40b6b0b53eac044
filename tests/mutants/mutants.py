# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""`make mutants`: does a test notice when a line is wrong? Of ten central files a fixed sample of MUTANTS (500) changes is drawn
(SEED, 1), as many of each file as it has of all; each goes, alone, through the tests of that file, until one fails. A change is drawn
by what it changes, so that others stay in the sample when a file grows. What passes the tests goes through them again with the file
under AddressSanitizer and UndefinedBehaviorSanitizer, as in `make check-asan`. A mutant that compiles to the same code is none.

What survives is printed as file, before, after, line: it is equivalent (tests/mutants/equivalent has it, and why), or a test is
missing. TIMES (5) as much CPU time as the unchanged file needs, and two seconds, is a hang. FILES chooses some; JOBS (1) run at a time.
RESULTS (mutants.results in the build folder) keeps what was found: a run that was broken off goes on, and what has survived and isn't
equivalent is tried again. Exit status 1: something else survives."""
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading

BUILD, SOURCE = os.environ["top_builddir"], os.environ["top_srcdir"]
HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = dict(os.environ, SEEDS="2", CCACHE_DISABLE="1",
                   ASAN_OPTIONS="detect_leaks=1:hard_rss_limit_mb=2000", UBSAN_OPTIONS="halt_on_error=1")

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

# Each file, and its tests, the quick ones first. A script runs the program `tcflow`, without sanitizers.
CAUSALITY = ["framework/test_missing", "framework/test_letters", "framework/test_exchange_limits", "framework/test_pipeline",
             "framework/test_promises", "framework/test_exchange", "plugins/overhead/test_waiting_sends", "plugins/efficiency/test_replay", "framework/test_causality",
             "framework/test_out_of_memory", "framework/test_domains_seeds.sh", "framework/test_source_at_leave.sh"]
FILES = {
    "framework/causality/match.c": ["framework/test_matcher", "framework/test_prematched", "framework/test_membership",
                                    "plugins/wait_states/test_operations", *CAUSALITY],
    "framework/causality/exchange_messages.c": ["framework/test_prematched", *CAUSALITY],
    "framework/causality/exchange_instances.c": ["framework/test_prematched", *CAUSALITY, "framework/test_collectives_without_data.sh"],
    "framework/causality/schedule.c": ["framework/test_quantum", "plugins/overhead/test_operations", *CAUSALITY,
                                         "plugins/clc_backward/test_default_memory.sh"],
    "framework/trace/slice.c": ["framework/test_slice", "framework/test_slice_random", "framework/test_pipeline", "framework/test_out_of_memory"],
    "framework/trace/definitions_resolve.c": ["framework/test_definitions", "framework/test_membership", "framework/test_definition_kinds",
                                               "framework/test_out_of_memory"],
    "framework/trace/communicators.c": ["framework/test_definitions", "framework/test_membership", "framework/test_definition_kinds",
                                        "framework/test_out_of_memory"],
    "framework/trace/callpath.c": ["framework/test_callpath", "framework/test_domains_filters"],
    "framework/settings/params.c": ["framework/test_params", "framework/test_settings"],
    "framework/pipeline/push.c": ["framework/test_pipeline", "framework/test_promises", "framework/test_failing"],
}

# A pattern, and what stands in its place.
OPERATORS = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* (?=[a-z0-9(])", " + "), (r" / ", " * "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" & ", " | "), (r" \| ", " & "), (r"\+\+", "--"), (r"\+= ", "-= "), (r"-= ", "+= "), (r"\|= ", "&= "), (r"(?<=[(\s])!(?=[a-z(])", ""),
    (r"\b0\b(?!x)", "1"), (r"\b1\b", "0"), (r"\bTCF_OK\b", "TCF_ERROR"), (r"\bTCF_ERROR\b", "TCF_OK"),
    (r"\bif \((?=.*\)$)", "if (0 && "), (r"\bif \((?=.*\)$)", "if (1 || "), (r"\breturn (?=[a-z!(].*;)", "return !"),
    (r"^\s+[a-z_>.\-]+\(.*\);$", ";"), (r"^\s+(break|continue);$", ";"),
]
RESULTS = ("killed", "survives", "equivalent", "the same code", "no C")


def is_code(line, state):
    """No comment, declaration, preprocessor line, or message."""
    inside = state["comment"]
    if "/*" in line and "*/" not in line[line.index("/*"):]:
        state["comment"] = True
    if inside and "*/" in line:
        state["comment"] = False
    return not inside and line.startswith("    ") and not line.strip().startswith(("/*", "#", "assert", "static const")) and '"' not in line


class Mutant:
    def __init__(self, file, text, line, after, number):
        """number: of the equal changes of the file."""
        lines = text.split("\n")
        self.file, self.line, self.before, self.after = file, line, lines[line].strip(), after.strip()
        self.text = "\n".join([*lines[:line], after, *lines[line + 1:]])
        self.name = f"{os.path.basename(file)} | {self.before} | {self.after} | {number}"
        self.drawn = hashlib.sha256(f"{os.environ.get('SEED') or 1} {self.name}".encode()).hexdigest()
        self.key = hashlib.sha256(self.text.encode()).hexdigest()


def mutants_of(file, text):
    state, found, numbers = {"comment": False}, [], {}
    for i, line in enumerate(text.split("\n")):
        if not is_code(line, state):
            continue
        code = re.sub(r"\s*/\*.*\*/$", "", line)
        for pattern, instead in OPERATORS:
            for match in re.finditer(pattern, code):
                changed = code[:match.start()] + instead + code[match.end():]
                if changed == code:
                    continue
                number = numbers[line.strip(), changed.strip()] = numbers.get((line.strip(), changed.strip()), 0) + 1
                found.append(Mutant(file, text, i, changed, number))
    return found


def variables(names):
    """Of the Makefile, as lists of words."""
    makefile = "p: ; @$(foreach v,$(V),echo '$($(v))';)\n"
    said = subprocess.run(["make", "-s", "--no-print-directory", "-C", BUILD, "-f", "Makefile", "--eval", makefile, "p", "V=" + " ".join(names)],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(zip(names, map(str.split, said.split("\n"))))


def ends_well(command, environment, limit, work):
    """A test: 0 at its end, and no test of it fails before. Also the CPU time that it took. limit: of CPU time, in seconds; on the clock
    it may take thirty times as long, beside other work."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

    with subprocess.Popen(command, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", start_new_session=True, preexec_fn=limited) as run:
        def stop():
            try:
                os.killpg(run.pid, 9)
            except ProcessLookupError:
                pass
        timer = threading.Timer(30 * limit, stop)
        timer.start()
        for line in run.stdout:
            if line.startswith("not ok"):
                stop()
                break
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = status
        timer.cancel()
        stop()
        return status == 0, used.ru_utime + used.ru_stime


class Judge:
    """Two rounds, so that the sample has been through the quick tests early: these; then, for what they don't notice, the same and
    wants of memory under the sanitizers, and the others."""

    def __init__(self, kept):
        flags, libraries = ("DEFS", "OTF2_CFLAGS", "libtcflow_core_la_CPPFLAGS"), [
            package + "_LIBS" for package in ("CMOCKA", "OTF2", "INIH", "LTDL", "SQLITE", "ZLIB", "ZSTD", "SECCOMP", "SODIUM")]
        tests = {test: "tcflow" if test.endswith(".sh") else "tests_" + re.sub(r"\W", "_", test) for tests in FILES.values() for test in tests}
        of = variables([*flags, *libraries, *(name + what for name in tests.values() for what in ("_OBJECTS", "_LDFLAGS"))])
        self.cc = os.environ.get("CC", "cc").split()
        self.flags = ["-std=gnu11", "-w", "-I" + SOURCE, "-I" + SOURCE + "/include", "-I" + BUILD,
                      *[flag for name in flags for flag in of[name] if flag.startswith("-") and "PACKAGE" not in flag]]
        self.libraries = [BUILD + "/kit/harness/.libs/libharness.a", BUILD + "/.libs/libtcflow_core.a",
                          BUILD + "/.libs/libtcflow_settings.a", "-lm", "-lpthread", "-ldl", *[flag for name in libraries for flag in of[name]]]
        self.linking = os.environ.get("LDFLAGS", "").split()
        self.objects = {test: [os.path.join(BUILD, object) for object in of[name + "_OBJECTS"]] for test, name in tests.items()}
        self.wraps = {test: [flag for flag in of[name + "_LDFLAGS"] if flag.startswith("-Wl,--wrap")] for test, name in tests.items()}
        self.codes, self.seconds, self.kills = {}, {}, collections.Counter((found["file"], found["by"]) for found in kept if found["by"])
        self.measuring, self.folder = threading.Lock(), tempfile.TemporaryDirectory(prefix="tcflow-mutants-")
        self.unchanged = {file: Mutant(file, text, 0, text.split("\n")[0], 0)
                          for file, text in ((file, open(os.path.join(SOURCE, file)).read()) for file in FILES)}

    def compile(self, mutant, work, sanitized=False):
        """The object; None: no C. The compiler sees no name of a folder, which assert() would put into the object."""
        name = os.path.basename(mutant.file)
        to = os.path.join(work, name + (".sanitized.o" if sanitized else ".plain.o"))
        with open(os.path.join(work, name), "w") as f:
            f.write(mutant.text)
        here = os.path.dirname(os.path.join(SOURCE, mutant.file))
        done = subprocess.run([*self.cc, *self.flags, "-O1", *(SANITIZERS if sanitized else []), "-I" + here, "-c", "-o", to, name], cwd=work,
                              stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        return to if done.returncode == 0 else None

    def code_of(self, file):
        """What the file as it is compiles to."""
        with self.measuring:
            if file not in self.codes:
                self.codes[file] = open(self.compile(self.unchanged[file], self.folder.name), "rb").read()
            return self.codes[file]

    def passes(self, test, work, object, sanitized, limit):
        script = test.endswith(".sh")
        # Where the program itself is in the build tree: there it finds the filters.
        program = os.path.join(BUILD, "" if script else "tests/framework", "mutant-" + os.path.basename(work))
        subprocess.run([*self.cc, *self.linking, "-rdynamic", "-o", program, *self.wraps[test], *self.objects[test], object, *self.libraries,
                        *(SANITIZERS if sanitized else [])], check=True, cwd=work, env=ENVIRONMENT)
        try:
            if script:
                return ends_well(["sh", os.path.join(SOURCE, "tests", test)], dict(ENVIRONMENT, TCFLOW=program), limit, work)
            return ends_well([program], ENVIRONMENT, limit, work)
        finally:
            os.remove(program)

    def takes(self, test, file, sanitized):
        """CPU seconds of the test with the file as it is, which is tried once. Without sanitizers it is the same for all files."""
        key = (test, file if sanitized else None)
        with self.measuring:
            if key not in self.seconds:
                object = self.compile(self.unchanged[file], self.folder.name, sanitized)
                good, self.seconds[key] = self.passes(test, self.folder.name, object, sanitized, 600) if object else (False, 0)
                if not good:
                    sys.exit(f"{test} fails with {file} as it is")
            return self.seconds[key]

    def try_tests(self, mutant, work, tests, object, sanitized):
        """First those that have noticed most in their time. The result, and the test that has killed it."""
        file = mutant.file
        for test in sorted(tests, key=lambda test: self.takes(test, file, sanitized) / (1 + self.kills[file, test])):
            limit = 2 + int(int(os.environ.get("TIMES") or 5) * self.takes(test, file, sanitized))
            if not self.passes(test, work, object, sanitized, limit)[0]:
                self.kills[file, test] += 1
                return "killed", test
        return "survives", ""

    def quick(self, file):
        return [test for test in FILES[file] if not test.endswith((".sh", "test_causality")) and not self.wraps[test]]

    def first_round(self, mutant):
        with tempfile.TemporaryDirectory(prefix="tcflow-mutants-") as work:
            plain = self.compile(mutant, work)
            if not plain:
                return "no C", ""
            if open(plain, "rb").read() == self.code_of(mutant.file):
                return "the same code", ""
            return self.try_tests(mutant, work, self.quick(mutant.file), plain, False)

    def second_round(self, mutant):
        with tempfile.TemporaryDirectory(prefix="tcflow-mutants-") as work:
            quick = self.quick(mutant.file)
            sanitized = [*quick, *[test for test in FILES[mutant.file] if self.wraps[test]]]
            found = self.try_tests(mutant, work, sanitized, self.compile(mutant, work, True), True)
            slow = [test for test in FILES[mutant.file] if test not in sanitized]
            return found if found[0] == "killed" else self.try_tests(mutant, work, slow, self.compile(mutant, work), False)


def equivalents():
    with open(os.path.join(HERE, "equivalent")) as f:
        return {tuple(part.strip() for part in line.split(" ## ")[:3]) for line in f if not line.startswith("#") and line.strip()}


def sample(chosen, texts, total):
    """Mutants of the files, those first that a smaller sample has, too."""
    every = {file: sorted(mutants_of(file, text), key=lambda m: m.drawn) for file, text in texts.items()}
    n, before, drawn = sum(len(mutants) for mutants in every.values()), 0, []
    for file, mutants in every.items():
        behind = before + len(mutants)
        drawn += mutants[:round(total * behind / n) - round(total * before / n)] if file in chosen else []
        before = behind
    return sorted(drawn, key=lambda m: m.drawn)


def main():
    chosen = (os.environ.get("FILES") or " ".join(FILES)).split()
    texts = {file: open(os.path.join(SOURCE, file)).read() for file in FILES}
    mutants = sample(chosen, texts, int(os.environ.get("MUTANTS") or 500))
    path, kept = os.environ.get("RESULTS") or os.path.join(BUILD, "mutants.results"), {}
    if os.path.exists(path):
        with open(path) as f:
            kept = {found["key"]: found for found in map(json.loads, f)}
    known, judge, lock = equivalents(), Judge(kept.values()), threading.Lock()

    def is_known(m):
        return (os.path.basename(m.file), m.before, m.after) in known

    def survives(m):
        return m.key not in kept or (kept[m.key]["result"] == "survives" and not is_known(m))

    def try_one(m, a_round):
        result, by = a_round(m)
        with lock, open(path, "a") as f:
            kept[m.key] = {"key": m.key, "file": m.file, "line": m.line + 1, "before": m.before, "after": m.after, "result": result, "by": by}
            f.write(json.dumps(kept[m.key]) + "\n")

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 1)) as jobs:
        for a_round in (judge.first_round, judge.second_round):
            left = sorted(filter(survives, mutants), key=lambda m: m.key in kept)  # first those that have not been tried
            list(jobs.map(try_one, left, itertools.repeat(a_round)))

    counts = {file: dict.fromkeys(RESULTS, 0) for file in chosen}
    for m in mutants:
        result = kept[m.key]["result"]
        if result == "survives" and is_known(m):
            result = "equivalent"
        if result == "survives":
            print(f"{os.path.basename(m.file)} ## {m.before} ## {m.after} ## line {m.line + 1}")
        counts[m.file][result] += 1
    for file in chosen:
        print(f"# {file}: {sum(counts[file].values())} tried, {', '.join(f'{n} {what}' for what, n in counts[file].items())}")
    killed, survive = (sum(of_file[what] for of_file in counts.values()) for what in ("killed", "survives"))
    print(f"# {len(mutants)} tried; {100 * killed / max(1, killed + survive):.1f} % of {killed + survive} killed")
    sys.exit(1 if survive else 0)


main()
