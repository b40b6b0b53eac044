# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""read_trace.py protobuf|json FILE...: what a viewer makes of the files of one trace, in the form of expected.py.

Reads each file alone, as a viewer does: sequences of packets with their state, names by number, tracks by uuid; then joins
the files: calls that a file begins with must be those that were open at the end of the one before.
"""
import decimal
import json
import sys

from wire import packets

CLEARED, NEEDS_STATE = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
TABLES = ("event_categories", "event_names", "debug_annotation_names", "debug_annotation_string_values")


class Events:
    """What has been read. Locations are numbered in order of description."""

    def __init__(self):
        self.tracks, self.lines, self.begins, self.ends, self.markers, self.last = [], {}, {}, {}, [], {}
        self.finished = {}  # events of locations that are gone

    def add(self, location, time, line):
        assert time >= self.last.get(location, 0), "location %s goes back to %d" % (location, time)
        self.last[location] = time
        self.lines.setdefault(location, []).append(line)

    def flow(self, flow_id, location, time, ends):
        (self.ends if ends else self.begins).setdefault(flow_id, []).append((time, location))


class Reader:
    """One file."""

    def __init__(self, events):
        self.events, self.tracks, self.processes, self.locations, self.counters = events, [], {}, {}, {}
        self.state, self.reopened, self.from_ = {}, {}, None

    # ---- protocol buffers ----

    def descriptor(self, d, sequence):
        uuid = d["uuid"]
        if uuid == 0:
            assert (d["process_ordering"], d["thread_ordering"]) == (1, 1)
        elif "process" in d:
            assert (d["child_ordering"], d["sibling_order_rank"]) == (3, len(self.processes))
            self.processes[uuid] = len(self.processes)
            assert d["process"]["pid"] == 1 + self.processes[uuid]
            self.tracks.append("process %s" % d["process"]["process_name"])
        elif "counter" in d:
            location = self.locations[d["parent_uuid"]]
            assert sequence == self.sequences[location], "a counter of another location"
            assert uuid not in self.counters, "a counter described twice"
            assert d["sibling_merge_behavior"] == 2, "counters of one name would be put together"
            self.counters[uuid] = (location, d["name"], d["counter"].get("unit_name", ""))
        elif d.get("name") == "markers" and "parent_uuid" not in d and not self.locations:
            self.markers = uuid
        else:
            thread = d.get("thread")
            assert d["sibling_order_rank"] == len(self.locations)
            assert thread or d["sibling_merge_behavior"] == 2, "tracks of one name would be put together"
            process = self.processes.get(d.get("parent_uuid"), "-")
            assert not thread or thread["pid"] == process + 1
            self.locations[uuid] = len(self.locations)
            self.tracks.append("%s %s %s" % ("thread" if thread else "track", process,
                                             thread["thread_name"] if thread else d["name"]))
            if thread:
                self.tids.append(thread["tid"])

    def arguments(self, event, state):
        names, texts = state["debug_annotation_names"], state["debug_annotation_string_values"]
        for a in event.get("debug_annotations", []):
            value = texts[a["string_value_iid"]] if "string_value_iid" in a else \
                a.get("uint_value", a.get("int_value", a.get("string_value")))
            yield names[a["name_iid"]] if "name_iid" in a else a["name"], value

    def event(self, event, time, state):
        uuid = event.get("track_uuid", state.get("track"))
        kind = event["type"]
        if kind == COUNTER:
            location, name, unit = self.counters[uuid]
            value = event["counter_value"] if "counter_value" in event else event["double_counter_value"]
            self.events.add(location, time, "count %d %s [%s] %r" % (time, name, unit, value))
            return
        name = state["event_names"][event["name_iid"]] if "name_iid" in event else event.get("name")
        arguments = list(self.arguments(event, state))
        if uuid == self.markers:
            self.events.markers.append(marker(time, name, dict(arguments)))
            return
        location = self.locations[uuid]
        category = " ".join(state["event_categories"][c] for c in event.get("category_iids", []))
        if kind == BEGIN:
            self.begin(location, time, name, category, dict(arguments))
        elif kind == END:
            self.events.add(location, time, "end %d" % time)
        else:
            self.instant(location, time, name, arguments)
            for ends, flows in (0, "flow_ids"), (1, "terminating_flow_ids"):
                for flow in event.get(flows, []):
                    self.events.flow(flow, location, time, ends)

    def packet(self, p):
        sequence, flags = p["trusted_packet_sequence_id"], p.get("sequence_flags", 0)
        if flags & CLEARED:
            assert sequence not in self.state, "a sequence cleared twice in a file"
            self.state[sequence] = {table: {} for table in TABLES}
        state = self.state.get(sequence)
        assert state is not None or not flags & NEEDS_STATE
        if "trace_packet_defaults" in p:
            state["track"] = p["trace_packet_defaults"]["track_event_defaults"]["track_uuid"]
            self.sequences[self.locations[state["track"]]] = sequence
        for table, entries in p.get("interned_data", {}).items():
            for entry in entries:
                assert entry["iid"] > 0 and entry["iid"] not in state[table], "a number twice"
                state[table][entry["iid"]] = entry["name"]
        if "track_descriptor" in p:
            self.descriptor(p["track_descriptor"], sequence)
        if "track_event" in p:
            self.event(p["track_event"], p["timestamp"], state)

    def protobuf(self, path):
        self.sequences, self.tids = {}, []
        with open(path, "rb") as file:
            for p in packets(memoryview(file.read())):
                self.packet(p)
        assert len(set(self.tids)) == len(self.tids), "threads share a number"

    # ---- JSON ----

    def json_event(self, e):
        place = (e["pid"], e["tid"])
        time = e.get("ts", decimal.Decimal(0)) * 1000
        assert time == int(time), "less than a nanosecond"
        time = int(time)
        if e["ph"] == "M":
            self.json_name(e, place)
        elif e["ph"] == "i" and e["pid"] == 0:
            self.events.markers.append(marker(time, e["name"], e["args"]))
        elif e["ph"] == "B":
            self.begin(self.places[place], time, e["name"], e["cat"], e.get("args", {}))
        elif e["ph"] == "E":
            self.events.add(self.places[place], time, "end %d" % time)
        elif e["ph"] == "i":
            self.instant(self.places[place], time, e["name"], list(e["args"].items()))
        elif e["ph"] == "C":
            assert e["id"] == str(e["tid"])
            (unit, value), = e["args"].items()
            value = float(value) if isinstance(value, decimal.Decimal) else value
            self.events.add(self.places[place], time, "count %d %s [%s] %r" %
                            (time, e["name"], "" if unit == "value" else unit, value))
        else:
            assert e["ph"] in "sf" and (e["ph"] == "s" or e["bp"] == "e")
            self.events.flow(int(e["id"]), self.places[place], time, e["ph"] == "f")

    def json_name(self, e, place):
        if e["pid"] == 0:
            return
        if e["name"].endswith("_sort_index"):
            last = len(self.processes) if e["name"] == "process_sort_index" else len(self.places)
            assert e["args"]["sort_index"] == last - 1
        elif e["name"] == "process_name":
            self.tracks.append("process %s" % e["args"]["name"])
            assert place == (len(self.tracks), len(self.tracks))
            self.processes[e["pid"]] = len(self.processes)
        else:
            assert e["name"] == "thread_name" and place not in self.places
            self.places[place] = len(self.places)
            self.tracks.append("thread %s %s" % (self.processes.get(e["pid"], "-"), e["args"]["name"]))

    def json(self, path):
        self.places = {}
        with open(path, encoding="utf-8") as file:
            for e in json.load(file, parse_float=decimal.Decimal)["traceEvents"]:
                self.json_event(e)

    # ---- both ----

    def begin(self, location, time, name, category, arguments):
        if "began_ns" in arguments:
            assert self.from_ in (None, time), "calls begin anew at several times"
            self.from_ = time
            self.reopened.setdefault(location, []).append((arguments["began_ns"], name))
            self.events.last[location] = max(time, self.events.last.get(location, 0))
            return
        self.events.add(location, time, "begin %d %s {%s}" % (time, name, category))

    def instant(self, location, time, name, arguments):
        self.events.add(location, time, "instant %d %s %s" %
                        (time, name, " ".join("%s=%s" % (k, v) for k, v in arguments)))


def marker(time, name, a):
    return "marker %d %s: %s %s %s %s %s" % (time, name, a["text"], a["group"], a["severity"], a["scope"], a["duration_ns"])


def open_calls(lines):
    calls = []
    for line in lines:
        if line.startswith("begin "):
            _, time, rest = line.split(" ", 2)
            calls.append((int(time), rest[:rest.rindex(" {")]))
        elif line.startswith("end "):
            assert calls, "an end without a begin: " + line
            calls.pop()
    return calls


def read_all(form, paths):
    events = Events()
    for number, path in enumerate(paths):
        before = {location: open_calls(lines) for location, lines in events.lines.items()}
        last = max(events.last.values(), default=0)
        reader = Reader(events)
        getattr(reader, form)(path)
        if number == 0:
            events.tracks = reader.tracks
        assert reader.tracks == events.tracks, "other tracks in " + path
        assert reader.from_ is None or reader.from_ >= last, "the cut is before what the last file has"
        for location, calls in reader.reopened.items():
            assert calls == before.get(location), "%s: open in location %s: %s, begun anew: %s" % (
                path, location, before.get(location), calls)
        if number > 0:
            check_reopened(path, reader, before, events)
    return events


def lines_of(form, paths):
    events = read_all(form, paths)
    yield from events.tracks
    yield from sorted(events.markers)
    for location, lines in sorted(events.lines.items()):
        open_calls(lines)
        for line in lines:
            yield "%d %s" % (location, line)
    yield from sorted(flows(events))


def check_reopened(path, reader, before, events):
    """Whatever is open goes on, but in locations that have ended."""
    for location, calls in before.items():
        if calls and location not in reader.reopened:
            n = len(events.lines[location])
            assert events.finished.setdefault(location, n) == n, "%s: location %s goes on without its calls" % (path, location)


def flows(events):
    for flow, ends in events.ends.items():
        begins = sorted(events.begins.get(flow, []))
        assert len(begins) >= len(ends), "a flow that begins nowhere ends at %s" % ends
        for begin, end in zip(begins, sorted(ends)):
            yield "flow %d %d -> %d %d" % (begin[1], begin[0], end[1], end[0])


if __name__ == "__main__":
    for shown in lines_of(sys.argv[1], sys.argv[2:]):
        print(shown)
