# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lines and branches that tests reached, room by room: gcovr's JSON summary in, a table for doc/figures.md out, and below it the files
of the framework and of plugins that have fewer than the goals."""
import collections
import json
import sys

COUNTS = ("line_covered", "line_total", "branch_covered", "branch_total")
LINES, BRANCHES = 0.95, 0.85  # goals


def room(name):
    """framework/source/otf2 and plugins/shared/waits are rooms, and so are all other folders of a folder."""
    parts = name.split("/")[:-1]
    return "/".join(parts[:3 if parts[:2] in (["framework", "source"], ["plugins", "shared"]) else 2])


def percent(covered, total):
    return f"{100 * covered / total:.1f} %" if total else "-"


rooms = collections.defaultdict(lambda: [0] * len(COUNTS))
files = json.load(sys.stdin)["files"]
for file in files:
    for whole in (room(file["filename"]), file["filename"].split("/")[0], "all"):
        rooms[whole] = [a + file[count] for a, count in zip(rooms[whole], COUNTS)]

print("| room | lines | reached | branches | reached |\n|---|---|---|---|---|")
for name in sorted(rooms, key=lambda name: (name == "all", name)):
    lines, all_lines, branches, all_branches = rooms[name]
    shown = f"`{name}/`" if "/" in name else f"**{name}**"
    print(f"| {shown} | {all_lines:,} | {percent(lines, all_lines)} | {all_branches:,} | {percent(branches, all_branches)} |")

print(f"\nfewer than {LINES:.0%} of lines or {BRANCHES:.0%} of branches:")
for file in sorted(files, key=lambda file: file["filename"]):
    lines, all_lines, branches, all_branches = (file[count] for count in COUNTS)
    if file["filename"].startswith(("framework/", "plugins/")) and (lines < LINES * all_lines or branches < BRANCHES * all_branches):
        print(f"{file['filename']}: {lines} of {all_lines} lines, {branches} of {all_branches} branches")
