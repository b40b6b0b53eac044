# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""What the timeline of a page draws and says of wait chains and counters, against the database that it was made from.

check_marks.py same PAGE.html DATABASE    every frame, line and dot of the chains, every bar of the counters, and the tips
check_marks.py make DATABASE              a database written by hand: three processes, a chain of two waits, three counters
check_marks.py hand PAGE.html             the page of that one; what it has to draw and say stands here
check_marks.py folded PAGE.html N         the timeline's rows are N nodes, and offered as these alone

Prints TAP. Places are read from the picture as SVG: times by its axis, locations by the names beside the lanes.
"""
import pathlib
import re
import sqlite3
import sys
import urllib.parse
import xml.etree.ElementTree

from browser import Browser
from check import equal, ok, plan
from data import describe

COLOR = "getComputedStyle(document.documentElement).getPropertyValue('%s').trim()"
TRACK = 46  # pixels of a counter
NEAR = 0.6  # pixels
MOST_LANES = 30  # which have names and marks of their own
PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
UNITS = ("s", "B", "B/s", "Hz")
NOWHERE = "(outside of any call)"


def number(text):
    """A number as the page writes it for people: 1.250 ms, 12,000, 3.5 kB/s, 2.000e-5."""
    value, unit = re.match(r"\+?(-?[\d.,]+(?:e[+-]?\d+)?) ?(.*)$", text).groups()
    factor = PREFIXES[unit[0]] if unit and unit[0] in PREFIXES and unit[1:] in UNITS else 1
    return float(value.replace(",", "")) * factor


def is_said(text, value):
    """Is a value what a text of four digits says?"""
    return abs(number(text) - value) <= 6e-4 * abs(value) + 1e-12


# ------------------------------------------------------------------------------------------------------ the database --


class Run:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row
        self.names = {}  # locations by id: (name, process)
        for r in self.rows("locations"):
            process, thread = r["process"] or "", r["thread"] or ""
            both = thread and process and not thread.startswith(process)
            self.names[str(r["location"])] = ("%s, %s" % (process, thread) if both else thread or process, process)
        self.titles = {r["pattern"]: r["title"].strip() for r in self.rows("wait_states_patterns")}
        lanes = sorted(self.rows("activity_rows"), key=lambda r: (
            r["rank"] if r["rank"] is not None and r["rank"] >= 0 else float("inf"), r["row"]))
        of_process = {r["process"]: k for k, r in enumerate(lanes) if r["kind"] == "process"}
        self.lane = {id: of_process[process] for id, (_, process) in self.names.items() if process in of_process}
        self.lane.update({str(r["location"]): k for k, r in enumerate(lanes) if r["location"] is not None})
        self.n_lanes = len(lanes)
        self.chains = {}
        for r in self.rows("root_cause_chains"):
            self.chains.setdefault(r["wait"], []).append(r)

    def rows(self, table):
        there = self.db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return self.db.execute("SELECT * FROM %s ORDER BY rowid" % table).fetchall() if there else []

    def leave(self, first, last):
        """Shows some of the lanes only."""
        self.lane = {id: k - first for id, k in self.lane.items() if first <= k < last}
        self.n_lanes = last - first

    def waits(self):
        """(hop, the next one or None) of all that have a time."""
        for hops in self.chains.values():
            for hop, following in zip(hops, hops[1:] + [None]):
                if hops[0]["begin"] is not None and hop["begin"] is not None:
                    yield hop, following

    def counters(self, process=None):
        """[(name, unit, [(from, to, value)])]: of all locations together, or of a process; else those that there are."""
        modes = {r["metric"]: r["mode"] for r in self.rows("metrics_metrics")}
        groups = {}
        for r in self.rows("metrics_over_time"):
            groups.setdefault((str(r["location_id"]), r["metric"]), []).append(r)
        own = {k: v for k, v in groups.items() if process and self.names.get(k[0], ("", None))[1] == process}
        whole = {k: v for k, v in groups.items() if v[0]["location"] == "-"}
        found = []
        for (_, metric), bins in list((own or whole or groups).items())[:12]:
            rate = re.match("ACCUMULATED|RELATIVE", modes.get(metric) or "")
            unit = re.sub("(?i)^bytes?$", "bytes", bins[0]["unit"] or "")
            name = [metric + (", rate" if rate and unit != "s" else " per second" if rate else "")]
            if bins[0]["location"] != "-":
                name.append(self.names[str(bins[0]["location_id"])][0])
            found.append((name, [(r["from"], r["from"] + r["width"], r["increase"] / r["width"] if rate else r["mean"])
                                 for r in bins]))
        return found


def end_of_path(path):
    names = (path or NOWHERE).split("/")
    return path or NOWHERE if len(names) < 3 else "…/" + "/".join(names[-2:])


# ------------------------------------------------------------------------------------------------------- the picture --


class Picture:
    """The timeline as it is drawn: rectangles (x, y, width, height) and lines by colour, texts; and scales read from them."""

    def __init__(self, page):
        root = xml.etree.ElementTree.fromstring(page.saved("document.querySelector('.run figure .export')"))
        self.filled, self.framed, self.lines, self.texts = [], [], [], []
        for e in root.iter():
            kind = e.tag.split("}")[1]
            if kind == "rect" and e.get("x") is not None:
                box = tuple(float(e.get(k)) for k in ("x", "y", "width", "height"))
                if e.get("fill") == "none":
                    self.framed.append((e.get("stroke"), box))
                else:
                    self.filled.append((e.get("fill"), box))
            elif kind == "path" and e.get("stroke"):
                ends = re.fullmatch(r"M(\S+) (\S+)L(\S+) (\S+)", e.get("d"))
                if ends:
                    self.lines.append((e.get("stroke"), tuple(map(float, ends.groups()))))
            elif kind == "text":
                self.texts.append((float(e.get("x")), float(e.get("y")), e.get("text-anchor"), e.text))
        ticks = [(x, y, text) for x, y, anchor, text in self.texts if anchor == "middle"]
        self.axis = ticks[0][1]
        base = [number(text[len("since "):]) for _, y, _, text in self.texts if text.startswith("since ") and y == self.axis]
        (x0, _, first), (x1, _, last) = ticks[0], ticks[max(1, len(ticks) - 2)]  # the last one is moved where it has no room
        self.origin, self.start = x0, number(first) + sum(base)
        self.per_second = (x1 - x0) / (number(last) - number(first))
        names = [(y, text) for x, y, _, text in self.texts if x == 4]
        self.lanes = [y for y, _ in names if y < self.axis]
        self.names = [text for y, text in names if y < self.axis]
        self.lane_height = self.lanes[1] - self.lanes[0] if len(self.lanes) > 1 else 22
        self.tracks = []  # (texts, top)
        for top in sorted({TRACK * int((y - self.foot()) // TRACK) + self.foot() for y, _ in names if y > self.axis}):
            self.tracks.append(([text for y, text in names if top <= y < top + TRACK], top))

    def foot(self):
        """Of the axis, where the tracks begin."""
        return self.axis + 17

    def x(self, time):
        return self.origin + (time - self.start) * self.per_second

    def time(self, x):
        return self.start + (x - self.origin) / self.per_second


def tip_at(page, x, y):
    left, top = page.evaluate("(b => [b.left, b.top])(document.querySelector('.run canvas').getBoundingClientRect())")
    page.mouse("mouseMoved", left + x, top + y)
    return page.evaluate("document.getElementById('tip').hidden ? [] : [...document.getElementById('tip').children].map(d => d.textContent)")


def take(found, matches):
    """Removes the first that matches; False: none does."""
    for i, f in enumerate(found):
        if matches(f):
            del found[i]
            return True
    return False


# ------------------------------------------------------------------------------------------------------------ chains --


def compare_chains(page, run, picture, time, where):
    from_, to = time
    bad, tolerance = page.evaluate(COLOR % "--bad"), NEAR
    frames = [box for color, box in picture.framed if color == bad]
    lines = [ends for color, ends in picture.lines if color == bad]
    dots = [box for color, box in picture.filled if color == bad and box[2:] == (6, 6)]
    n, wrong = 0, []
    for hop, following in run.waits():
        begin, end = hop["begin"], hop["begin"] + hop["length"]
        if end < from_ or begin > to or str(hop["location"]) not in run.lane:
            continue
        n += 1
        x0, x1, y, half = picture.x(begin), picture.x(end), picture.lanes[run.lane[str(hop["location"])]], picture.lane_height / 2
        if not take(frames, lambda b: abs(b[0] - x0) < tolerance and abs(b[2] - max(2, x1 - x0)) < tolerance and
                    y - half <= b[1] + 1 and b[1] + b[3] <= y + half + 1):
            wrong.append(("no frame", dict(hop), x0, x1, y))
        at = run.lane.get(str(following["location"])) if following else None
        if at is None:
            continue
        other = picture.lanes[at]
        if not take(lines, lambda e: abs(e[0] - x1) < tolerance and abs(e[2] - x1) < tolerance and
                    abs(abs(e[1] - y) - half) <= 1 and abs(e[3] - other) < 1):
            wrong.append(("no line", dict(hop), x1, y, other))
        if following["begin"] is None and not take(
                dots, lambda b: abs(b[0] + 3 - x1) < tolerance and abs(b[1] + 3 - other) < 1):
            wrong.append(("no cause", dict(following), x1, other))
    ok(n > 0 and not wrong, "%s: %d waits of chains are drawn where they were" % (where, n), *wrong[:5])
    equal("%s: and nothing else" % where, (frames, lines, dots), ([], [], []))


def compare_tips(page, run, picture, time):
    """A tip has the longest of the waits that are there, with what it comes from."""
    n, wrong = 0, []
    waits = [(hop, following, picture.x(hop["begin"]), picture.x(hop["begin"] + hop["length"])) for hop, following in run.waits()
             if hop["begin"] < time[1] and hop["begin"] + hop["length"] > time[0] and str(hop["location"]) in run.lane]
    for hop, following, x0, x1 in waits:
        middle = (max(x0, picture.x(time[0])) + min(x1, picture.x(time[1]))) / 2
        others = [h for h, _, a, b in waits if h["location"] == hop["location"] and a - 5 <= middle <= b + 5 and
                  h["length"] >= hop["length"] and tuple(h)[2:] != tuple(hop)[2:]]
        if others or n >= 12:
            continue
        n += 1
        said = tip_at(page, middle, picture.lanes[run.lane[str(hop["location"])]])
        title = run.titles.get(hop["what"], hop["what"])
        lines = [l for l in said if l.startswith(title + ", ") and l.endswith(", in " + end_of_path(hop["call_path"]))]
        good = lines and is_said(lines[0][len(title) + 2:].split(", in ")[0], hop["length"])
        if following and good:
            name = run.names[str(following["location"])][0]
            if following["begin"] is None:
                why = [re.match(r"its cause: (.*) more in (.*) of (.*)$", l) for l in said]
                why = [m.groups() for m in why if m]
                good = why and is_said(why[0][0], following["time"]) and \
                    why[0][1:] == (end_of_path(following["call_path"]), name)
            else:
                good = "waits for %s, which itself waits: %s" % (
                    name, run.titles.get(following["what"], following["what"])) in said
        if not good:
            wrong.append((said, dict(hop), following and dict(following)))
    ok(n > 0 and not wrong, "tips say %d of them, and what they come from" % n, *wrong[:3])


# ---------------------------------------------------------------------------------------------------------- counters --


def compare_counters(page, picture, counters, time, where):
    from_, to = time
    color, wrong, bars = page.evaluate(COLOR % "--c0"), [], 0
    def is_start(text, whole):
        return text == whole or (text.endswith("…") and whole.startswith(text[:-1]))
    named = [len(texts) == len(name) + 1 and all(map(is_start, texts, name))
             for (name, _), (texts, _) in zip(counters, picture.tracks)]
    ok(len(picture.tracks) == len(counters) and all(named), "%s: a track for each counter" % where, picture.tracks,
       [name for name, _ in counters])
    for (name, bins), ((*_, most), top) in zip(counters, picture.tracks):
        left, right = picture.x(from_), picture.x(to)
        drawn = [b for c, b in picture.filled if c == color and top <= b[1] < top + TRACK and b[3] < TRACK - 5]
        seen = [b for b in bins if b[1] > from_ and b[0] < to]
        if not seen:
            if drawn or most != "no samples here":
                wrong.append((name, "has no samples there", drawn, most))
            continue
        high, low = max(0, *(v for _, _, v in seen)), min(0, *(v for _, _, v in seen))
        room = TRACK - 12
        for begin, end, value in seen:
            x0, x1 = max(left, picture.x(begin)), min(right, picture.x(end))
            height = abs(value) / (high - low or 1) * room
            foot = top + 4 + room * (high / (high - low) if high > low else 1)
            bars += 1
            if not take(drawn, lambda b: abs(b[0] - x0) < NEAR and abs(b[2] - max(1, x1 - x0)) < NEAR and
                        abs(b[3] - max(1, height)) < 0.01 and abs((b[1] + b[3] if value >= 0 else b[1]) - foot) < 1.01):
                wrong.append((name, begin, value, x0, x1, height, drawn[:3]))
        if drawn:
            wrong.append((name, "has more bars", drawn[:3]))
        if not most.endswith("…") and not is_said(most[len("up to "):], max(v for _, _, v in seen)):
            wrong.append((name, most, max(v for _, _, v in seen)))
    ok(bars > 0 and not wrong, "%s: %d bars are as high as their values" % (where, bars), *wrong[:5])


def compare_counter_tips(page, picture, counters, time):
    n, wrong = 0, []
    for (name, bins), (_, top) in zip(counters, picture.tracks):
        seen = [b for b in bins if time[0] <= b[0] and b[1] <= time[1] and picture.x(b[1]) - picture.x(b[0]) > 3]
        for begin, end, value in seen[:: max(1, len(seen) // 4)]:
            said = tip_at(page, picture.x((begin + end) / 2), top + TRACK / 2)
            n += 1
            if said[:-2] != name or not is_said(said[-2][len("from "):], begin) or not is_said(said[-1], value):
                wrong.append((said, name, begin, value))
    ok(not wrong, "tips say %d values of counters" % n, *wrong[:3])


# ------------------------------------------------------------------------------------------------------------- calls --


def compare_calls(page, run, lanes):
    """In a window whose calls are kept, a tip says the innermost call at its place."""
    window = next(iter(run.rows("timeline_windows")), None)
    if not window:
        return
    picture, (from_, to) = bring(page, lanes + "&from=%r&to=%r" % (window["begin_s"], window["end_s"]))
    calls = [r for r in run.rows("timeline_intervals") if r["window"] == window["window"] and str(r["location"]) in run.lane]
    n, wrong = 0, []
    for call in sorted(calls, key=lambda r: r["begin_s"] - r["end_s"]):
        begin, end = max(from_, call["begin_s"]), min(to, call["end_s"])
        inner = [(r["begin_s"], r["end_s"]) for r in calls if r["location"] == call["location"] and r["depth"] > call["depth"]]
        free = max([begin, *(e for _, e in inner if begin < e < end)])  # behind all calls from there
        middle = (free + end) / 2
        if n >= 12 or picture.x(end) - picture.x(free) < 6 or any(b <= middle < e for b, e in inner):
            continue
        n += 1
        said = tip_at(page, picture.x(middle), picture.lanes[run.lane[str(call["location"])]])
        found = [m.group(1) for m in (re.match(re.escape(call["region"]) + ", from .* for (.*)$", l) for l in said) if m]
        if not found or not is_said(found[0], call["end_s"] - call["begin_s"]):
            wrong.append((said, dict(call)))
    ok(not wrong, "tips say %d single calls of a window" % n, *wrong[:3])


# ------------------------------------------------------------------------------------------------------------- modes --


def bring(page, address):
    page.go(address)
    page.act("document.querySelector('.run canvas').scrollIntoView({block: 'center'})")
    hint = page.evaluate("(d => [+d.from, +d.to])(document.querySelector('.inview .hint').dataset)")
    return Picture(page), hint


def same(page, path):
    run, lanes = Run(path), "overview&rows=row"
    counters, longest = run.counters(), next(iter(run.waits()), None)
    if not page.evaluate("Boolean(document.querySelector('.run canvas'))"):
        return
    if run.n_lanes > MOST_LANES:
        first = run.lane.get(str(longest[0]["location"]), 0) if longest else 0
        first = min(max(0, first - MOST_LANES // 2), run.n_lanes - MOST_LANES)
        run.leave(first, first + MOST_LANES)
        lanes += "&lanes=%d-%d" % (first, first + MOST_LANES)
    picture, whole = bring(page, lanes)
    equal("a lane for each location", len(picture.lanes), run.n_lanes)
    middle = longest[0]["begin"] + longest[0]["length"] / 2 if longest else sum(whole) / 2
    width = (whole[1] - whole[0]) / 7
    ranges = [("all of the run", None), ("a seventh of it", (middle - width / 2, middle + width / 2))]
    for where, part in ranges:
        if part:
            picture, part = bring(page, lanes + "&from=%r&to=%r" % part)
        time = part or whole
        if longest:
            compare_chains(page, run, picture, time, where)
            compare_tips(page, run, picture, time)
        if counters:
            compare_counters(page, picture, counters, time, where)
            compare_counter_tips(page, picture, counters, time)
    compare_calls(page, run, lanes)
    process = next((p for _, p in run.names.values() if run.counters(p) != counters), None)
    if process:
        picture, _ = bring(page, lanes + "&processes=" + urllib.parse.quote(process, safe=""))
        compare_counters(page, picture, run.counters(process), whole, "of one process")


def make(path):
    text, number_, whole = ("text", "TEXT"), ("double", "REAL"), ("uint", "INTEGER")

    def columns(*named):
        return [(name, kind[0], kind[1], unit, name, 0) for name, kind, unit in named]

    seconds = lambda *names: [(n, number_, "s") for n in names]
    texts = lambda *names: [(n, text, None) for n in names]
    counts = lambda *names: [(n, whole, None) for n in names]
    bins = [(10, 0.0, 1.0, 1000)]
    describe(sqlite3.connect(path), [
        (("framework", None, None), "locations", columns(*counts("location"), *texts("thread", "process")),
         [(100 + i, "main thread", "rank %d" % i) for i in range(3)]),
        (("chain", "activity", "activity"), "rows",
         columns(*counts("row"), *texts("name", "kind"), *counts("rank"), *texts("process", "node"), *counts("location", "locations")),
         [(i, "main thread", "thread", i, "rank %d" % i, "node", 100 + i, 1) for i in range(3)]),
        (("chain", "activity", "activity"), "bins", columns(*counts("bins"), *seconds("from", "width"), *counts("width_ticks")), bins),
        (("chain", "activity", "activity"), "cells", columns(*counts("row", "bin", "run", "region", "ticks")),
         [(0, 0, 4, 0, 1000), (0, 4, 4, 1, 1000), (0, 8, 2, 0, 1000), (1, 0, 2, 0, 1000), (1, 2, 5, 1, 1000), (1, 7, 3, 0, 1000),
          (2, 0, 10, 0, 1000)]),
        (("chain", "activity", "activity"), "regions",
         columns(*counts("region"), *texts("name", "class", "class_title"), *seconds("exclusive")),
         [(0, "compute", "comp", "Computation", 21.0), (1, "MPI_Recv", "mpi_point2point", "Point to point", 9.0)]),
        (("chain", "wait_states", "wait_states"), "patterns",
         columns(*texts("pattern", "title", "parent", "unit"), *seconds("time"), *counts("count")),
         [("late_sender", "  Late Sender", "late_sender", "s", 9.0, 2)]),
        (("chain", "root_cause", "root_cause"), "chains",
         columns(*counts("wait", "hop"), *texts("what"), *counts("location"), *seconds("time"), *texts("process"),
                 *seconds("begin", "length"), *texts("call_path")),
         [(1, 0, "late_sender", 100, 4.0, "rank 0", 4.0, 4.0, "main/MPI_Recv"),
          (1, 1, "late_sender", 101, 2.75, "rank 1", 2.0, 3.0, "main/exchange/MPI_Recv"),
          (1, 2, "delay", 102, 2.5, "rank 2", None, None, "main/compute")]),
        (("chain", "metrics", "metrics"), "metrics", columns(*texts("metric", "mode")),
         [("temperature", "ABSOLUTE_POINT"), ("sent", "ACCUMULATED_START"), ("balance", "ABSOLUTE_POINT")]),
        (("chain", "metrics", "metrics"), "over_time",
         columns(*seconds("from", "width"), *[(n, number_, None) for n in ("mean", "increase")], *counts("location_id"),
                 *texts("unit", "metric", "location")),
         [(float(i), 1.0, v, 0.0, 1, "C", "temperature", "-") for i, v in ((0, 10.0), (1, 40.0), (5, 20.0))] +
         [(2.0 * i, 2.0, 0.0, v, 1, "bytes", "sent", "-") for i, v in ((0, 2000.0), (1, 500.0))] +
         [(float(i), 1.0, v, 0.0, 1, "", "balance", "-") for i, v in ((0, 30.0), (9, -10.0))]),
    ])


def hand(page):
    """1,188 pixels wide are 10 s, lanes are 22 high: a second is 118.8."""
    picture, _ = bring(page, "overview&rows=row")
    width = page.evaluate("document.querySelector('.run canvas').clientWidth")
    second = (width - 190 - 12) / 10
    equal("names beside the lanes", picture.names, ["rank 0, main thread", "rank 1, main thread", "rank 2, main thread"])
    bad, blue = page.evaluate(COLOR % "--bad"), page.evaluate(COLOR % "--c0")

    def boxes(found):
        return sorted((round((x - 190) / second, 6), y, round(w / second, 6), h) for x, y, w, h in found)

    equal("rank 0 waits from 4 to 8 s, rank 1 from 2 to 5 s", boxes(b for c, b in picture.framed if c == bad),
          [(2, 18 + 22 + 0.5, 3, 20), (4, 18 + 0.5, 4, 20)])
    equal("a line from rank 0 to rank 1 at 8 s, one from there to rank 2 at 5 s",
          sorted((round((e[0] - 190) / second, 6), e[1], round((e[2] - 190) / second, 6), e[3]) for c, e in picture.lines if c == bad),
          [(5, 18 + 44 - 1, 5, 18 + 55), (8, 18 + 22 - 1, 8, 18 + 33)])
    equal("the cause is on rank 2", [(round((x + 3 - 190) / second, 6), y + 3) for c, (x, y, w, h) in picture.filled
                                     if c == bad and (w, h) == (6, 6)], [(5, 18 + 55)])
    said = tip_at(page, 190 + 6 * second, 18 + 11)
    equal("rank 0's tip", said[1:3], ["Late Sender, 4 s, in main/MPI_Recv",
                                      "waits for rank 1, main thread, which itself waits: Late Sender"])
    said = tip_at(page, 190 + 3.5 * second, 18 + 33)
    equal("rank 1's tip", said[1:3], ["Late Sender, 3 s, in …/exchange/MPI_Recv",
                                      "its cause: 2.500 s more in main/compute of rank 2, main thread"])
    foot = 18 + 66 + 30
    equal("the counters", picture.tracks, [(["temperature", "up to 40 C"], foot), (["sent, rate", "up to 1.000 kB/s"], foot + 46),
                                           (["balance", "up to 30"], foot + 92)])
    bars = boxes(b for c, b in picture.filled if c == blue and b[1] >= foot)
    equal("10 C are a quarter of 34 pixels, 250 B/s, too; -10 hang below the zero of 30", bars, sorted([
        (0, foot + 38 - 8.5, 1, 8.5), (1, foot + 4, 1, 34), (5, foot + 38 - 17, 1, 17),
        (0, foot + 46 + 4, 2, 34), (2, foot + 46 + 38 - 8.5, 2, 8.5),
        (0, foot + 92 + 4, 1, 25.5), (9, foot + 92 + 4 + 25.5, 1, 8.5)]))
    equal("a counter's tip", tip_at(page, 190 + 3 * second, foot + 46 + 20), ["sent, rate", "from 2 s", "250 B/s"])
    equal("where there is none", tip_at(page, 190 + 3 * second, foot + 20)[2:], ["no sample"])


def folded(page, nodes):
    """Rows of nodes: they are the lanes, and no others are offered."""
    equal("lanes are nodes", page.evaluate("[...document.querySelectorAll('.run select')].map(s => s.closest('label').textContent)"
                                           ".filter(t => /Lanes/.test(t)).join()"), "")
    said = page.evaluate("document.querySelector('.inview [role=status]').textContent")
    ok(", %s nodes: " % nodes in said, "and counted: %s" % said)


def main():
    mode, path, *rest = sys.argv[1:]
    if mode == "make":
        return make(path)
    with Browser() as browser:
        page = browser.open(pathlib.Path(path).resolve().as_uri(), height=1200)
        {"same": same, "hand": hand, "folded": folded}[mode](page, *rest)
        equal("no error on the console", page.errors, [])
    plan()


main()
