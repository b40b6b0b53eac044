# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""`make soak`: what only hours show. WHAT (default "long kills clocks") chooses among

long     archives of EVENTS / 100, EVENTS / 10 and EVENTS (10^8) events of LOCATIONS (64) through CHAINS (default "correct report
         pipe"): examples/correct.ini, examples/report.ini, and stream_write | a chain without survey. EVENTS take up to 25 bytes each
         in TMPDIR. Peaks of resident memory, descriptors and threads, sampled four times a second, are flat: ten times the events take
         no more than a tenth and 4 MiB more memory, and no descriptor or thread more
kills    RUNS (1000) runs in a row of a live pipeline, writer and reader, by a FIFO, a Unix socket and TCP in turn, JOBS (4) at a time:
         one of both is killed or told to end at a random moment. Both end, with a reason; status 0 means outputs of an undisturbed
         run, and so do their names; what a run leaves behind disturbs no later one. SIGTERM or SIGINT ends it after the runs that
         have begun
clocks   the machine's clock is set back and forth (libfaketime) CLOCKS (20) times: under a live pipeline, under an event that nothing
         pushes, under a writer that waits for a reader

SEED (1) draws the moments. Scratch files go to TMPDIR. What it prints is TAP. Exit status 1: something doesn't hold."""
import collections
import concurrent.futures
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

BUILD, SOURCE = os.environ["top_builddir"], os.environ["top_srcdir"]
TCFLOW = os.path.join(BUILD, "tcflow")
GENERATE = os.path.join(BUILD, "tests/support/generate/trace")
LIMIT = 300  # seconds after which a run that should end hangs
told = failures = 0


def number(name, default):
    return int(float(os.environ.get(name) or default))


def tell(holds, text):
    global told, failures
    told += 1
    failures += not holds
    print(("ok - " if holds else "not ok - ") + text, flush=True)


def generate(*words):
    subprocess.run([GENERATE, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


# -------------------------------------------------------------------------------------------------------------- long

Use = collections.namedtuple("Use", "memory files threads")


def use_of(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            said = dict(line.split(":", 1) for line in f)
        return Use(int(said["VmHWM"].split()[0]) << 10, len(os.listdir(f"/proc/{pid}/fd")), int(said["Threads"]))
    except (OSError, KeyError):  # it has ended
        return Use(0, 0, 0)


def watch(child):
    """The most that it uses, and its CPU seconds."""
    most = Use(0, 0, 0)
    while True:
        most = Use(*map(max, most, use_of(child.pid)))
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return most, used.ru_utime + used.ru_stime
        time.sleep(0.25)


def commands(chain):
    """What runs, the names of its processes; the second one reads what the first one writes."""
    run = [TCFLOW, "-q", "--no-progress"]
    if chain == "pipe":
        return {"pipe, writer": [*run, "-i", "long", "-o", "pipeline.chain=stream_write", "-o", "stream_write.path=-"],
                "pipe, reader": [*run, "-i", "-", "-o", "pipeline.chain=check profile wait_states"]}
    # Tables with a cap grow up to it: small caps are reached by the shorter archives, too.
    settings = {"correct": ["otf2_write.path=corrected", "mu_estimate.stretches=4096", "clock_estimate.memory=2M"],
                "report": ["pipeline.html_report=report.html"]}[chain]
    return {f"{chain}.ini": [*run, "-c", f"{SOURCE}/examples/{chain}.ini", "-i", "long", *(word for each in settings for word in ("-o", each))]}


def run_watched(chain, events):
    started, children, stdin = time.monotonic(), {}, None
    for name, words in commands(chain).items():
        piped = words[-1] == "stream_write.path=-"
        with open("said." + name, "w") as said:
            children[name] = subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE if piped else subprocess.DEVNULL, stderr=said)
        if stdin:
            stdin.close()
        stdin = children[name].stdout
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = dict(zip(children, pool.map(watch, children.values())))
    shutil.rmtree("corrected", ignore_errors=True)
    for name, (most, seconds) in found.items():
        status = children[name].returncode
        tell(status == 0, f"{name}: {events:,} events: {time.monotonic() - started:,.0f} s, {seconds:,.0f} s of CPU time, memory "
             f"{most.memory / 2**20:.1f} MiB, {most.files} descriptors, {most.threads} threads" +
             ("" if status == 0 else f"; status {status}: {open('said.' + name).read(300)}"))
    return {name: most for name, (most, _) in found.items()}


def long():
    events = number("EVENTS", 1e8)
    chains = (os.environ.get("CHAINS") or "correct report pipe").split()
    shorter = {}
    for n in (events // 100, events // 10, events):
        generate("bench", "--out", "long", "--locations", number("LOCATIONS", 64), "--events", n, "--skew", 50000)
        found = {}
        for chain in chains:
            found.update(run_watched(chain, n))
        shutil.rmtree("long")
        for name, most in found.items() if n == events else ():
            less = shorter[name]
            tell(most.memory <= less.memory * 1.1 + (4 << 20), f"{name}: memory is flat")
            tell(most.files <= less.files and most.threads <= less.threads, f"{name}: descriptors and threads are flat")
        shorter = found


# ------------------------------------------------------------------------------------------------------------- kills

class Live:
    """A folder in which pipelines run, and what one leaves there meets the next."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        os.mkdir(self.folder)
        os.mkfifo(self.path("fifo"))
        with socket.create_server(("127.0.0.1", 0)) as s:
            self.port = s.getsockname()[1]

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, side, way, program=TCFLOW, named=None):
        """named: who says what it says; the side."""
        at = {"fifo": self.path("fifo"), "unix": "unix:" + self.path("socket"), "tcp": f"tcp:127.0.0.1:{self.port}"}[way]
        if side == "writer":
            words = ["-i", "live", "-o", "pipeline.chain=check stream_write", "-o", "check.output=/dev/null", "-o", "stream_write.path=" + at]
        else:
            words = ["-i", "stream:" + at if way == "fifo" else at, "-o", "pipeline.chain=check print",
                     "-o", "check.output=" + self.path("check"), "-o", "print.output=" + self.path("events")]
        with open(self.path((named or side) + ".said"), "w") as said:
            return subprocess.Popen([program, "-q", *words], stdout=subprocess.DEVNULL, stderr=said)

    def outputs(self):
        return {name: open(self.path(name), "rb").read() for name in ("check", "events") if os.path.exists(self.path(name))}

    def clear(self, incomplete=False):
        for name in os.listdir(self.folder):
            if name in ("check", "events") or incomplete and name.endswith(".incomplete"):
                os.unlink(self.path(name))

    def said(self, name):
        return open(self.path(name + ".said")).read(200)


def ends(child, seconds=LIMIT):
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def undisturbed(live, way):
    """Outputs, seconds."""
    live.clear()
    started = time.monotonic()
    sides = [live.start(side, way) for side in ("writer", "reader")]
    statuses = [child.wait(LIMIT) for child in sides]
    assert statuses == [0, 0], (statuses, live.said("writer"), live.said("reader"))
    return live.outputs(), time.monotonic() - started


SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE)


def run_killed(live, draw, way, usual, expected, count):
    """Yields what is wrong."""
    live.clear()
    children = {side: live.start(side, way) for side in ("writer", "reader")}
    victim, how = draw.choice(("writer", "reader")), draw.choice(SIGNALS)
    other = "reader" if victim == "writer" else "writer"
    time.sleep(draw.uniform(0, 1.2 * usual))
    children[victim].send_signal(how)
    what = f"{way}, {how.name} to the {victim}"
    if not ends(children[victim]):
        yield f"{what}: it does not end"
    if not ends(children[other], 1):  # the victim never came: who waits for it takes another one
        second = children["second " + victim] = live.start(victim, way, named="second " + victim)
        count["second"] += 1
        if not ends(children[other]):
            yield f"{what}: the {other} does not end"
        ends(second, 1)
    for child in children.values():
        if child.poll() is None:
            child.kill()
            child.wait()
    for name, child in children.items():
        if child.returncode not in (0, 1, *{victim: (128 + how, -how), "second " + victim: (-signal.SIGKILL,)}.get(name, ())):
            yield f"{what}: the {name} ends with {child.returncode}: {live.said(name)}"
        if child.returncode == 1 and not live.said(name):
            yield f"{what}: the {name} says no reason"
        if name.endswith("reader") and child.returncode == 0 and live.outputs() != expected:
            yield f"{what}: the {name} ends with 0 and its outputs are not whole"
    left = live.outputs()
    count["whole"] += len(left) == 2
    if any(left[name] != expected[name] for name in left):
        yield f"{what}: an output that has its name is not whole"


def lane(k, runs, usual, expected, stop):
    live, draw, count, wrong = Live(f"lane{k}"), random.Random(number("SEED", 1) * 1000 + k), collections.Counter(), []
    for n in range(runs):
        if stop.is_set():
            break
        count["runs"] += 1
        wrong += [f"run {n} of lane {k}: {text}" for text in run_killed(live, draw, ("fifo", "unix", "tcp")[n % 3], usual, expected, count)]
        if n % 50 == 49:
            live.clear(incomplete=True)
    for way in ("fifo", "unix", "tcp"):
        if undisturbed(live, way)[0] != expected:
            wrong.append(f"lane {k}: what runs have left disturbs {way}")
    return count, wrong


def kills():
    runs, jobs = number("RUNS", 1000), number("JOBS", 4)
    generate("random", "--out", "live", "--events", 20000, "--ranks", 4)
    first = [undisturbed(Live("whole." + way), way) for way in ("fifo", "unix", "tcp")]
    expected, usual = first[0][0], min(seconds for _, seconds in first)
    tell(len(expected) == 2 and all(outputs == expected for outputs, _ in first), "undisturbed runs by a FIFO, a Unix socket and TCP are alike")
    started, stop = time.monotonic(), threading.Event()
    before = {which: signal.signal(which, lambda *_: stop.set()) for which in (signal.SIGTERM, signal.SIGINT)}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda k: lane(k, (runs + k) // jobs, usual, expected, stop), range(jobs)))
    for which, handler in before.items():
        signal.signal(which, handler)
    count, wrong = sum((c for c, _ in done), collections.Counter()), [text for _, some in done for text in some]
    tell(not wrong, f"{count['runs']} runs with a kill in {time.monotonic() - started:,.0f} s: {count['whole']} ended whole, {count['second']} by a second "
         f"writer or reader {len(wrong)} wrong: {wrong[:5]}")
    temporary = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("tcflow-run.")]
    tell(not temporary, f"no folder for temporary files is left {temporary[:5]}")


# ------------------------------------------------------------------------------------------------------------ clocks

class Clock:
    """While this is entered, the program `faked`, tcflow, sees a clock that is set again and again."""

    def __init__(self, draw):
        library = subprocess.run(["faketime", "-f", "+0", "printenv", "LD_PRELOAD"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.draw, self.settings, self.stop, self.faked = draw, 0, threading.Event(), os.path.abspath("faked")
        with open("faked", "w") as f:
            f.write(f"""#!/bin/sh
exec env LD_PRELOAD='{library.strip()}' FAKETIME_TIMESTAMP_FILE='{os.path.abspath("clock")}' FAKETIME_NO_CACHE=1 \\
    FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 '{TCFLOW}' "$@"
""")
        os.chmod("faked", 0o700)

    def set(self):
        while not self.stop.wait(0.02):
            with open("clock.new", "w") as f:
                f.write(self.draw.choice(("-10y", "-1d", "-3", "+0", "+2", "+1d", "+20y")))
            os.rename("clock.new", "clock")
            self.settings += 1

    def __enter__(self):
        open("clock", "w").write("+0")
        self.stop.clear()
        self.setter = threading.Thread(target=self.set)
        self.setter.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.setter.join()


def clocks():
    if not shutil.which("faketime"):
        return tell(True, "clocks # SKIP no faketime")
    rounds, draw = number("CLOCKS", 20), random.Random(number("SEED", 1))
    generate("bench", "--out", "live", "--locations", 8, "--events", 200000)
    live, wrong, clock = Live("pipelines"), [], Clock(draw)
    expected, _ = undisturbed(live, "unix")
    subprocess.run([TCFLOW, "-q", "-i", "live", "-o", "pipeline.chain=stream_write", "-o", "stream_write.path=recorded"], check=True)
    with clock:
        for k in range(rounds):
            live.clear()
            pair = [live.start(side, "unix", clock.faked) for side in ("writer", "reader")]
            if not all([ends(child) for child in pair]) or any(child.returncode for child in pair) or live.outputs() != expected:
                wrong.append(f"run {k}: {[child.returncode for child in pair]} {live.said('writer')} {live.said('reader')}")
                [child.kill() for child in pair]
    tell(not wrong and clock.settings > 0, f"{rounds} live runs over clocks that were set {clock.settings} times {wrong[:3]}")
    with clock:
        passed = subprocess.run([sys.executable, f"{SOURCE}/tests/bench/latency.py", clock.faked, "recorded", str(10 * rounds), "20"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    tell(passed.returncode == 0, f"{10 * rounds} events that nothing pushes pass, in ms, least, median, most: {passed.stdout.strip()}")
    for k in range(min(rounds, 5)):
        started = time.monotonic()
        with clock:
            alone = subprocess.Popen([clock.faked, "-q", "-i", "live", "-o", "pipeline.chain=stream_write", "-o", "stream_write.path=unix:nobody",
                                      "-o", "stream_write.wait=1s"], stderr=subprocess.PIPE, text=True)
            said = alone.communicate(timeout=LIMIT)[1]
        took = time.monotonic() - started
        if alone.returncode != 1 or "nobody reads" not in said or took < 1:
            wrong.append(f"status {alone.returncode} after {took:.1f} s: {said}")
    tell(not wrong, f"a writer waits for a reader for as long as it should {wrong[:3]}")


def main():
    what = (os.environ.get("WHAT") or "long kills clocks").split()
    with tempfile.TemporaryDirectory(prefix="tcflow-soak.") as work:
        for name in what:
            folder = os.path.join(work, name)
            os.makedirs(os.path.join(folder, "temporary"))
            os.chdir(folder)
            os.environ["TMPDIR"] = os.path.join(folder, "temporary")
            {"long": long, "kills": kills, "clocks": clocks}[name]()
            os.chdir(work)
    print(f"1..{told}")
    sys.exit(1 if failures else 0)


main()
