# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""expected.py protobuf|json INSTANTS EVENTS [MATCHES]: what a viewer has to show, in the form of read_trace.py.

EVENTS are the lines of print (format = json, definitions = yes, order = location, markers = yes), MATCHES those of `oracle match`;
without them there is nothing of the matching (flows = no).
"""
import functools
import json
import struct
import sys

COMMUNICATION = {"MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV", "MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE",
                 "RMA_PUT", "RMA_GET", "RMA_ATOMIC", "RMA_COLLECTIVE_END"}
MESSAGES = {"MPI_SEND": "receiver", "MPI_ISEND": "receiver", "MPI_RECV": "sender", "MPI_IRECV": "sender"}
# What the numbers are that print shows as null, by field.
UNDEFINED = {"exit_status": -(1 << 63), "unwind_distance": (1 << 32) - 1}
# Which kind of definition a field refers to, where it isn't called like that.
FIELDS = {"win": "RMA_WIN", "communicator": "COMM", "thread_team": "COMM", "thread_contingent": "COMM", "handle": "IO_HANDLE",
          "old_handle": "IO_HANDLE", "new_handle": "IO_HANDLE", "file": "IO_FILE", "program_name": "STRING"}
ALIASES = {"IO_REGULAR_FILE": "IO_FILE", "IO_DIRECTORY": "IO_FILE", "INTER_COMM": "COMM"}


class Trace:
    def __init__(self, form, instants):
        self.form, self.instants = form, instants
        self.names, self.definitions, self.order = {}, {}, {}
        self.open, self.counts, self.sums, self.lines, self.instance = {}, {}, {}, {}, {}
        self.resolution, self.markers, self.marker_of, self.ranks = None, [], {}, {}

    def define(self, d):
        kind = ALIASES.get(d["definition"], d["definition"])
        if kind == "CLOCK_PROPERTIES" and self.resolution is None:
            self.resolution = d["timer_resolution"]
        if kind == "GROUP" and (d["group_type"], d["paradigm"]) == ("COMM_LOCATIONS", "MPI") and not self.ranks:
            for rank, location in enumerate(d["members"]):
                self.ranks.setdefault(location, rank)
        if kind in ("METRIC_CLASS", "METRIC_INSTANCE"):
            kind = "METRIC"
        if "id" in d and (kind, d["id"]) not in self.definitions:
            self.definitions[kind, d["id"]] = d
            self.order.setdefault(kind, []).append(d["id"])

    def ns(self, ticks):
        return min(ticks * 10**9 // self.resolution, (1 << 63) - 1)

    def name(self, kind, reference):
        """Of a reference as print shows it."""
        if reference is None:
            return "(undefined)"
        d = self.definitions.get((kind, reference["id"]))
        if d is None:
            return "%s %d (undefined)" % (kind, reference["id"])
        if kind == "CALLING_CONTEXT":
            region = d["region"] and self.definitions.get(("REGION", d["region"]["id"]))
            return region and region["name"] and region["name"]["name"] or "%s %d" % (kind, reference["id"])
        name = d["string"] if kind == "STRING" else d.get("name") and d["name"]["name"]
        if not name and kind == "IO_HANDLE" and d["file"]:
            return self.name("IO_FILE", d["file"])
        return name or "%s %d" % (kind, reference["id"])

    def location(self, identifier):
        return self.order["LOCATION"].index(identifier)

    @functools.cache
    def group(self, identifier):
        """Location group of a location, or the first one of those that created it; None: not defined."""
        group, seen = self.definitions["LOCATION", identifier]["location_group"], 0
        groups = self.order.get("LOCATION_GROUP", [])
        if not group or group["id"] not in groups:
            return None
        while seen < len(groups):
            creator = self.definitions["LOCATION_GROUP", group["id"]]["creating_location_group"]
            if not creator or creator["id"] not in groups:
                break
            group, seen = creator, seen + 1
        return group["id"]

    @functools.cache
    def process(self, identifier):
        """(place of the group, rank of several or beyond them for the rest) of a location, in the order of processes."""
        group = self.group(identifier)
        if group is None:
            return None
        listed = [i for i in self.order["LOCATION"] if i in self.ranks and self.group(i) == group]
        rank = 0 if len(listed) < 2 else self.ranks.get(identifier, 1 << 32)
        return self.order["LOCATION_GROUP"].index(group), rank

    @functools.cache
    def processes(self):
        return sorted({self.process(l) for l in self.order["LOCATION"]} - {None})

    @functools.cache
    def process_name(self, process):
        place, rank = process
        name = self.name("LOCATION_GROUP", {"id": self.order["LOCATION_GROUP"][place]})
        if len([p for p in self.processes() if p[0] == place]) == 1:
            return name
        return name + (", no rank" if rank == 1 << 32 else ", rank %d" % rank)

    @functools.cache
    def peer(self, identifier):
        process = self.process(identifier)
        if process is None:
            return self.name("LOCATION", {"id": identifier})
        others = [1 for i in self.order["LOCATION"] if self.process(i) == process]
        name = self.process_name(process)
        return name if len(others) == 1 else "%s: %s" % (name, self.name("LOCATION", {"id": identifier}))

    def tracks(self):
        processes = self.processes()
        for p in processes:
            yield "process %s" % self.process_name(p)
        for l in self.order["LOCATION"]:
            process = self.process(l)
            is_thread = self.form == "json" or (self.definitions["LOCATION", l]["location_type"] == "CPU_THREAD" and process)
            yield "%s %s %s" % ("thread" if is_thread else "track", processes.index(process) if process else "-",
                                self.name("LOCATION", {"id": l}))

    # ---- events ----

    def value(self, kind, field, value):
        if value is None:
            return UNDEFINED.get(field, (1 << 32) - 1 if field in ("sender", "receiver", "remote", "creating_thread", "root")
                                 else "(undefined)")
        if isinstance(value, dict) and "rank" in value:
            return value["rank"]
        if isinstance(value, dict):
            return self.name(FIELDS.get(field, field.upper()), value)
        return self.ns(value) if field == "stop_time" else value

    def instant(self, e, index):
        kind, location = e["event"], e["location"]
        fields = [(k, v) for k, v in e.items() if k not in ("event", "location", "time", "attributes") or
                  (kind.startswith("IO_DELETE") and k == "location")]
        arguments = []
        for k, v in fields:
            if k == "program_arguments":
                arguments.append(("number_of_arguments", len(v)))
            else:
                arguments.append((k, self.value(kind, k, v)))
        if kind in MESSAGES:
            other = e[MESSAGES[kind]]
            if other and other["location"] is not None and (location, index) in self.edges:
                arguments.append(("peer", self.peer(other["location"])))
        elif (location, index) in self.instance:
            arguments.append(("instance", self.instance[location, index]))
        return "instant %d %s %s" % (self.ns(e["time"]), kind, " ".join("%s=%s" % a for a in arguments))

    def call(self, e):
        kind = "CALLING_CONTEXT" if "calling_context" in e else "REGION"
        what = e["calling_context" if kind == "CALLING_CONTEXT" else "region"]
        region = what
        if kind == "CALLING_CONTEXT" and what and (kind, what["id"]) in self.definitions:
            region = self.definitions[kind, what["id"]]["region"]
            name = self.name("REGION", region)
        else:
            name = self.name(kind, what)
        known = region and self.definitions.get(("REGION", region["id"])) if kind == "REGION" or region is not what else None
        category = str(known["paradigm"]) if known else "" if self.form == "protobuf" else "(unknown paradigm)"
        role = known["region_role"] if known else "UNKNOWN"
        if role not in ("UNKNOWN", "FUNCTION"):
            category += (" " if self.form == "protobuf" else ",") + (role if isinstance(role, str) else "(unknown role)")
        return (kind, what and what["id"]), name, category

    def metric(self, e):
        d = self.definitions.get(("METRIC", e["metric"]["id"])) if e["metric"] else None
        if d and "metric_class" in d:
            d = self.definitions.get(("METRIC", d["metric_class"]["id"]))
        members = d["metric_members"] if d else []
        for k, v in enumerate(e["values"][:len(members)]):
            member = self.definitions.get(("METRIC_MEMBER", members[k]["id"]))
            value, kind = v["value"], v["type"]
            if value is None:  # infinity or NaN, which JSON hasn't
                continue
            if member and member["metric_mode"].startswith("RELATIVE"):
                key = (e["location"], e["metric"]["id"], k)
                self.sums[key] = value = self.sums.get(key, 0) + value
            if kind == "DOUBLE":
                value = float(value)
            elif kind == "INT64" and self.form == "protobuf":
                value = (value + (1 << 63)) % (1 << 64) - (1 << 63)
            elif self.form == "protobuf" and value >= 1 << 63:
                value = float(value)
            unit = ""
            if member:
                unit = (member["unit"] and member["unit"]["name"]) or ""
                if member["exponent"]:
                    unit = "%d^%d %s" % (2 if member["base"] == "BINARY" else 10, member["exponent"], unit)
            yield "count %d %s [%s] %r" % (self.ns(e["time"]), self.name("METRIC_MEMBER", members[k]), unit, value)

    def event(self, e):
        location, kind = e["location"], e["event"]
        index = self.counts[location] = self.counts.get(location, -1) + 1
        lines, calls = self.lines.setdefault(location, []), self.open.setdefault(location, [])
        if kind in ("ENTER", "CALLING_CONTEXT_ENTER"):
            key, name, category = self.call(e)
            calls.append(key)
            lines.append("begin %d %s {%s}" % (self.ns(e["time"]), name, category))
        elif kind in ("LEAVE", "CALLING_CONTEXT_LEAVE") and self.call(e)[0] in calls:
            key = self.call(e)[0]
            while True:
                lines.append("end %d" % self.ns(e["time"]))
                if calls.pop() == key:
                    break
        elif kind == "METRIC":
            lines.extend(self.metric(e))
        elif "LEAVE" in kind or self.instants == "all" or (self.instants == "communication" and kind in COMMUNICATION):
            lines.append(self.instant(e, index))

    def marker(self, m):
        if "marker_definition" in m:
            self.marker_of.setdefault(m["marker_definition"], m)
            return
        d = self.marker_of.get(m["marker"], {"group": "", "category": "marker", "severity": "(unknown)"})
        scope = m["scope"] if m["scope"] == "GLOBAL" else "%s %d" % (m["scope"], m["scope_ref"]["id"])
        self.markers.append("marker %d %s: %s %s %s %s %d" % (self.ns(m["time"]), d["category"], m["text"], d["group"],
                                                             d["severity"], scope, self.ns(m["duration"])))


def matches(trace, path):
    """Messages; and which events have a partner, which are the how many-th operation."""
    flows, trace.edges = [], set()
    for line in open(path) if path else []:
        f = line.rstrip("\n").split(",")
        if f[0] in ("p2p", "send", "recv"):
            for location, index in (f[5:7], f[7:9]):
                if location:
                    trace.edges.add((int(location), int(index)))
            if f[0] == "p2p":
                flows.append((int(f[5]), int(f[9]), int(f[7]), int(f[10])))
        elif f[0] in ("coll", "rma_coll") and f[2]:
            for index in f[7:9]:
                if index:
                    trace.instance[int(f[6]), int(index)] = int(f[2])
    return flows


def records(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def lines_of(form, instants, events, matches_path=None):
    """EVENTS are records()."""
    trace = Trace(form, instants)
    flows = matches(trace, matches_path)
    for record in events:
        if "definition" in record:
            trace.define(record)
        elif "event" in record:
            trace.event(record)
        elif "marker" in record or "marker_definition" in record:
            trace.marker(record)
    yield from trace.tracks()
    yield from sorted(trace.markers)
    for number, location in enumerate(trace.order["LOCATION"]):
        for line in trace.lines.get(location, []):
            yield "%d %s" % (number, line)
    if trace.instants != "none":
        yield from sorted("flow %d %d -> %d %d" % (trace.location(a), trace.ns(s), trace.location(b), trace.ns(r))
                          for a, s, b, r in flows)


if __name__ == "__main__":
    for shown in lines_of(sys.argv[1], sys.argv[2], records(sys.argv[3]), *sys.argv[4:]):
        print(shown)
