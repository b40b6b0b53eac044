# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""json_lines.py LINES JSON: do JSON lines say the same as the text lines (in the form of lines.awk)?

Every line must be JSON; those of events must have the kind, location and time of the text line, and all the ids and
numbers of its fields, in order.
"""
import json
import re
import sys

KINDS = {"PARAMETER_INT64": "PARAMETER_INT", "PARAMETER_UINT64": "PARAMETER_UNSIGNED_INT",
         "IO_CHANGE_FLAGS": "IO_CHANGE_STATUS_FLAGS"}


def numbers(value):
    """The numbers of a parsed line that text shows, too; of references the id."""
    if isinstance(value, dict):
        if set(value) == {"id", "name"}:
            return [value["id"]]
        return [n for key, v in value.items() for n in numbers(v) if not (key == "location" and "rank" in value)]
    if isinstance(value, list):
        return [n for v in value for n in numbers(v)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def shown(text):
    """The numbers of a text line. Names go first, then the locations of ranks, lengths of arrays, sets of flags."""
    text = re.sub(r'"(?:[^"]|"(?! <\d+>))*" <(\d+)>', r"<\1>", text)
    text = re.sub(r" \((?:<\d+>|INVALID)\)", "", text)
    text = re.sub(r"Model: .*?(?=,|  |$)", "", text)
    text = re.sub(r"\b\d+ (?:Values?|Arguments?)\b", "", text)
    text = re.sub(r"\{[^}]*\}", "", text)
    text = re.sub(r"# Requested|INT\d+|UINT\d+|I/O", "", text)
    return [float(n) for n in re.findall(r"-?\d[\d.]*(?:e[+-]?\d+)?", text)]


def main():
    events = 0
    with open(sys.argv[1], errors="surrogateescape") as texts, open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            parsed = json.loads(line)
            if "definition" in parsed:
                continue
            text = texts.readline().rstrip("\n")
            kind, location, time, rest = re.match(r"(\S+) +(\d+) +(\d+)  (.*)", text).groups()
            head = parsed.pop("event"), parsed.pop("location"), parsed.pop("time")
            parsed.pop("model", None)  # a name, or a number without one: text has both
            if head != (KINDS.get(kind, kind), int(location), int(time)):
                sys.exit("text: %s\nJSON: %s" % (text, line))
            if '\\"' not in line and "\\\\" not in line:  # names that look like fields
                got = [float("%g" % n) if isinstance(n, float) else float(n) for n in numbers(parsed)]
                if got != shown(rest):
                    sys.exit("text: %s\nJSON: %s%s\n%s" % (text, line, got, shown(rest)))
            events += 1
        if texts.readline():
            sys.exit("JSON has %d events only" % events)


main()
