# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Is what --list-filters=json prints of the form that doc/filter-reference.md has, and the same as --list-filters=plain
and --describe? Prints what is wrong, one line each. Usage: listed.py TCFLOW < JSON"""
import json
import re
import subprocess
import sys

TEXT, MAYBE = (str,), (str, type(None))
NUMBER, YES = (int,), (bool,)
COLUMN = {"name": TEXT, "bytes": NUMBER, "at_edges": YES, "of_times": YES}
PARAMETER = {"key": TEXT, "alias": MAYBE, "type": TEXT, "direction": MAYBE, "default": MAYBE, "min": MAYBE, "max": MAYBE, "unit": MAYBE,
             "choices": (list, type(None)), "help": TEXT}
FILTER = {"name": TEXT, "version": TEXT, "summary": TEXT, "path": TEXT, "abi": TEXT, "help": MAYBE, "called": TEXT,
          "needs": (list,), "can": (list,), "writes": (list,), "provides": (list,), "required": (list,), "message_bytes": NUMBER,
          "member_bytes": NUMBER, "parameters": (list,)}
SOURCE = {"name": TEXT, "version": TEXT, "summary": TEXT, "path": TEXT, "abi": TEXT, "help": MAYBE, "parameters": (list,)}
REFUSED = {"name": TEXT, "path": TEXT, "reason": TEXT}
FOLDER = {"path": TEXT, "named_by": TEXT, "problem": MAYBE, "files": NUMBER, "others": NUMBER, "again": YES}
TYPES = ["bool", "int", "double", "size", "duration", "string", "path", "enum", "list"]
NAMED_BY = ["--plugin-path", "TCFLOW_PLUGIN_PATH", "plugin_path", "installed", "build tree"]


def form(what, item, members):
    if sorted(item) != sorted(members):
        print(f"{what}: members {sorted(item)}")
        return
    for name, types in members.items():
        if type(item[name]) not in types:
            print(f"{what}: {name} is {item[name]!r}")


def told(name):
    """Keys and defaults as --describe NAME --ini has them."""
    text = subprocess.run([sys.argv[1], "--describe", name, "--ini"], capture_output=True, text=True).stdout
    return [(key, value.replace("$$", "$")) for key, value in re.findall(r"^([a-z][a-z0-9_]*) = (.*)$", text, re.M)]


def parameters(name, params):
    for p in params:
        form(f"{name}.{p.get('key')}", p, PARAMETER)
        if p["type"] not in TYPES or (p["type"] == "enum") != (p["choices"] is not None):
            print(f"{name}.{p['key']}: type {p['type']}, choices {p['choices']}")
        if p["direction"] not in (("input", "output") if p["type"] == "path" else (None,)):
            print(f"{name}.{p['key']}: type {p['type']}, direction {p['direction']}")
        if p["type"] == "enum" and p["default"] and p["default"] not in p["choices"]:
            print(f"{name}.{p['key']}: default {p['default']} is no choice")
    described = told(name)
    here = [(p["key"], p["default"]) for p in params if p["default"]]
    if here != described:
        print(f"{name}: --describe has {described}, the list {here}")


data = json.load(sys.stdin)
form("list", data, {"tcflow": TEXT, "abi": TEXT, "pipeline": (dict,), "filters": (list,), "sources": (list,), "shadowed": (list,),
                    "refused": (list,), "searched": (list,)})
parameters("pipeline", data["pipeline"]["parameters"])
lines = [f"pipeline\t{p['key']}" for p in data["pipeline"]["parameters"]]
for f in data["filters"]:
    form(f["name"], f, FILTER)
    for c in f["provides"] + f["required"]:
        form(f["name"], c, COLUMN)
    if f["called"] not in ("slice", "span"):
        print(f"{f['name']}: called {f['called']}")
    parameters(f["name"], f["parameters"])
    lines += [f["name"]] + [f"{f['name']}\t{p['key']}" for p in f["parameters"]]
for s in data["sources"]:
    form(s["name"], s, SOURCE)
    parameters(s["name"], s["parameters"])
for r in data["refused"]:
    form(r["name"], r, REFUSED)
for r in data["shadowed"]:
    form(r["name"], r, {**REFUSED, "by": TEXT})
for s in data["searched"]:
    form(s["path"], s, FOLDER)
order = [NAMED_BY.index(s["named_by"]) for s in data["searched"]]
if order != sorted(order):
    print(f"searched in the order {order}")
plain = subprocess.run([sys.argv[1], "--list-filters=plain"], capture_output=True, text=True).stdout.splitlines()
if ["\t".join(line.split("\t")[:2]) for line in plain] != lines:
    print("--list-filters=plain has other lines")
for line in plain:
    words = line.split("\t")
    if len(words) not in (1, 4) or len(words) == 4 and words[2] not in [*TYPES, "input", "output"]:
        print(f"--list-filters=plain: {line}")
