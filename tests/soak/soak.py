# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""`make soak`: what only hours show. WHAT (default "files stream kills clocks") chooses among

files    EVENTS (10^8) events, an archive of their length, through examples/correct.ini and examples/report.ini
stream   STREAM (10^9) events by a pipe through a chain without survey
kills    RUNS (1000) runs in a row of a live pipeline, writer and reader, one of which is killed or told to end at a random moment
clocks   a live pipeline while the machine's clock is set back and forth (libfaketime)

Resident memory and open descriptors are sampled twice a second. They are flat: memory in the second half of the samples isn't
larger than in the first by more than a twentieth and 4 MiB, nor above four times `memory`; descriptors don't grow. SEED (1) draws
the moments. Scratch files go to TMPDIR. Exit status 1: something doesn't hold."""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD, SOURCE = os.environ["top_builddir"], os.environ["top_srcdir"]
TCFLOW = os.path.join(BUILD, "tcflow")
GENERATE, REPEAT = (os.path.join(BUILD, "tests/support/generate", name) for name in ("trace", "repeat-stream"))
MEMORY = 64 << 20  # the default of `memory`
failures = 0


def number(name, default):
    return int(float(os.environ.get(name) or default))


def tell(holds, text):
    global failures
    failures += not holds
    print(("ok - " if holds else "not ok - ") + text, flush=True)


def sample(pid):
    """Resident bytes, descriptors; None: it has ended."""
    try:
        with open(f"/proc/{pid}/status") as f:
            rss = next((int(line.split()[1]) << 10 for line in f if line.startswith("VmRSS")), None)
        return None if rss is None else (rss, len(os.listdir(f"/proc/{pid}/fd")))
    except OSError:
        return None


def watch(child):
    """Its samples until it ends."""
    seen = []
    while child.poll() is None:
        now = sample(child.pid)
        if now:
            seen.append(now)
        time.sleep(0.5)
    return seen


def judge(what, seen, events, started, steady):
    """steady: it does one thing all the time; else passes follow each other, and only limits are looked at."""
    if len(seen) < 8:
        return tell(False, f"{what}: {len(seen)} samples are too few")
    memory, files = [s[0] for s in seen], [s[1] for s in seen]
    half = len(seen) // 2
    text = (f"{what}: {events:,} events, {time.time() - started:,.0f} s, {len(seen)} samples, memory {max(memory[:half]) >> 20} MiB in the "
            f"first half, {max(memory[half:]) >> 20} in the second, descriptors {max(files[:half])}, {max(files[half:])}")
    flat = max(memory[half:]) <= max(memory[:half]) * 1.05 + (4 << 20) and max(files[half:]) <= max(files[:half]) + 1
    tell(max(memory) < 4 * MEMORY and max(files) < 200 and (flat or not steady), text)


def run_watched(what, arguments, events, steady, stdin=None):
    started = time.time()
    with open("said", "w") as said:
        child = subprocess.Popen([TCFLOW, "-q", *arguments], stdin=stdin, stdout=subprocess.DEVNULL, stderr=said)
        if stdin:
            stdin.close()
        seen = watch(child)
    tell(child.returncode == 0, f"{what}: exit status {child.returncode} {open('said').read(300)}")
    judge(what, seen, events, started, steady)


def files():
    events = number("EVENTS", 1e8)
    subprocess.run([GENERATE, "bench", "--out", "long", "--locations", "16", "--events", str(events), "--skew", "50000"], check=True,
                   stdout=subprocess.DEVNULL)
    for name, more in (("correct", ["otf2_write.path=corrected"]), ("report", ["pipeline.html_report=report.html"])):
        options = [word for option in more for word in ("-o", option)]
        run_watched(name + ".ini", ["-c", f"{SOURCE}/examples/{name}.ini", "-i", "long", *options], events, False)
        shutil.rmtree("corrected", ignore_errors=True)
    shutil.rmtree("long")


def a_stream(events):
    subprocess.run([GENERATE, "bench", "--out", "short", "--locations", "16", "--events", str(events)], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([TCFLOW, "-q", "-i", "short", "-o", "pipeline.chain=stream_write", "-o", "stream_write.path=round", "-o",
                    "stream_write.matches=no"], check=True)


def stream():
    a_stream(400_000)
    info = subprocess.run([TCFLOW, "-q", "-i", "stream:round", "-o", "pipeline.chain=pass", "--summary=json"], stderr=subprocess.PIPE,
                          text=True, check=True).stderr
    events = int(info.split('"events": ')[1].split(",")[0])
    rounds = max(1, number("STREAM", 1e9) // events)
    with open("round") as one:
        source = subprocess.Popen([REPEAT, str(rounds)], stdin=one, stdout=subprocess.PIPE)
    run_watched("a stream", ["-i", "-", "-o", "pipeline.chain=check profile wait_states"], rounds * events, True, source.stdout)
    tell(source.wait() == 0, "what makes it has ended")


def live_writer(folder, prefix=()):
    return subprocess.Popen([*prefix, TCFLOW, "-q", "-i", "live", "-o", "pipeline.chain=check stream_write", "-o",
                             "check.output=/dev/null", "-o", f"stream_write.path=unix:{folder}/socket"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)


def live(folder, prefix=()):
    """Writer and reader of a pipeline by a Unix socket."""
    reader = subprocess.Popen([*prefix, TCFLOW, "-q", "-i", f"unix:{folder}/socket", "-o", "pipeline.chain=check print", "-o",
                               f"check.output={folder}/check", "-o", f"print.output={folder}/events"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
    return live_writer(folder, prefix), reader


def contents(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in ("check", "events") if
            os.path.exists(os.path.join(folder, name))}


def kills():
    draw = random.Random(number("SEED", 1))
    runs = number("RUNS", 1000)
    subprocess.run([GENERATE, "random", "--out", "live", "--events", "20000", "--ranks", "4"], check=True, stdout=subprocess.DEVNULL)
    os.mkdir("whole")
    started = time.time()
    for child in live("whole"):
        child.communicate(timeout=600)
    usual, expected = time.time() - started, contents("whole")
    assert len(expected) == 2
    wrong, whole, waited = [], 0, 0
    for k in range(runs):
        os.mkdir("run")
        pair = live("run")
        time.sleep(draw.uniform(0, 1.2 * usual))
        victim, how = draw.randrange(2), draw.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
        pair[victim].send_signal(how)
        for name, child in zip(("writer", "reader"), pair):
            try:
                try:
                    said = child.communicate(timeout=20)[1]
                except subprocess.TimeoutExpired:
                    if victim == 0 and name == "reader": # a writer that never began: the reader waits for another one
                        waited += 1
                        live_writer("run").communicate(timeout=120)
                    said = child.communicate(timeout=120)[1]
                if child.returncode not in (0, 1, 128 + how, -how) or (child.returncode == 1 and not said):
                    wrong.append(f"run {k}: {name} ends with {child.returncode}")
            except subprocess.TimeoutExpired:
                wrong.append(f"run {k}: {name} does not end")
                child.kill()
                child.communicate()
        left = contents("run")
        whole += len(left) == 2
        if any(left[name] != expected[name] for name in left): # what has its name is complete
            wrong.append(f"run {k}: an output is not whole")
        shutil.rmtree("run")
    tell(not wrong, f"{runs} runs with a kill, {whole} of them ended whole, {waited} by a second writer {wrong[:5]}")
    temporary = [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("tcflow-run.")]
    tell(not temporary, f"no folder for temporary files is left {temporary[:5]}")


def clocks():
    if not shutil.which("faketime"):
        return print("ok - clocks # SKIP no faketime", flush=True)
    rounds = number("CLOCKS", 20)
    draw = random.Random(number("SEED", 1))
    subprocess.run([GENERATE, "bench", "--out", "live", "--locations", "8", "--events", "400000"], check=True, stdout=subprocess.DEVNULL)
    os.mkdir("usual")
    for child in live("usual"):
        child.communicate(timeout=600)
    expected = contents("usual")
    library = subprocess.run(["faketime", "-f", "+0", "printenv", "LD_PRELOAD"], stdout=subprocess.PIPE, text=True, check=True).stdout
    wrong, settings = [], 0
    for k in range(rounds):
        os.mkdir("run")
        open("clock", "w").write("+0")
        fake = ["env", f"LD_PRELOAD={library.strip()}", f"FAKETIME_TIMESTAMP_FILE={os.getcwd()}/clock", "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1"]
        pair = live("run", fake)
        began = time.time()
        while any(child.poll() is None for child in pair) and time.time() - began < 600:
            with open("clock.new", "w") as f:
                f.write(draw.choice(("-10y", "-1d", "-3", "+0", "+2", "+1d", "+20y")))
            os.rename("clock.new", "clock")
            settings += 1
            time.sleep(0.02)
        ends = [child.communicate(timeout=1)[1] for child in pair] if all(child.poll() is not None for child in pair) else None
        if ends is None or any(child.returncode for child in pair) or contents("run") != expected:
            wrong.append(f"run {k}: {[child.returncode for child in pair]} {ends}")
            [child.kill() for child in pair]
        shutil.rmtree("run")
    tell(not wrong, f"{rounds} runs over clocks that were set {settings} times {wrong[:3]}")


def main():
    what = (os.environ.get("WHAT") or "files stream kills clocks").split()
    with tempfile.TemporaryDirectory(prefix="tcflow-soak.") as work:
        for name in what:
            folder = os.path.join(work, name)
            os.makedirs(os.path.join(folder, "temporary"))
            os.chdir(folder)
            os.environ["TMPDIR"] = os.path.join(folder, "temporary")
            {"files": files, "stream": stream, "kills": kills, "clocks": clocks}[name]()
            os.chdir(work)
    sys.exit(1 if failures else 0)


main()
