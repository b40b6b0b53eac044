# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""ranks.py FILE: what the filter print (format = json, definitions = yes, order = location) says of communication by ranks, as lines:

    message COMMUNICATOR TAG BYTES SENDER POSTED COMPLETED RECEIVER POSTED COMPLETED
    collective COMMUNICATOR NUMBER OPERATION ROOT PROCESS LOCATION BEGIN END SENT RECEIVED

"-": not stated, as the posts of receives that block. Sends and receives are paired by counting posts, collective operations of a process
numbered by their begins. An end without the other has "?" for it. Standard library only."""

import collections
import json
import sys

groups, places = {}, {}
sends, receives = collections.defaultdict(list), collections.defaultdict(list)
operations = collections.defaultdict(list)
open_sends, open_receives, open_operations, begins = {}, {}, {}, {}
lines = []


def take(e):
    kind, where, time = e["event"], e["location"], e["time"]
    if kind in ("MPI_SEND", "MPI_ISEND"):
        end = [time, "-", places[where][0], e["msg_length"]]
        sends[e["communicator"]["name"], where, e["receiver"]["location"], e["msg_tag"]].append(end)
        if kind == "MPI_ISEND":
            open_sends[where, e["request_id"]] = end
    elif kind == "MPI_ISEND_COMPLETE":
        open_sends.pop((where, e["request_id"]))[1] = time
    elif kind == "MPI_IRECV_REQUEST":
        open_receives[where, e["request_id"]] = time
    elif kind in ("MPI_RECV", "MPI_IRECV"):
        posted = "-" if kind == "MPI_RECV" else open_receives.pop((where, e["request_id"]))
        end = (time if posted == "-" else posted, posted, time, places[where][0], e["msg_length"])
        receives[e["communicator"]["name"], e["sender"]["location"], where, e["msg_tag"]].append(end)
    elif kind == "MPI_COLLECTIVE_BEGIN":
        begins[where] = time
    elif kind == "NON_BLOCKING_COLLECTIVE_REQUEST":
        open_operations[where, e["request_id"]] = time
    elif kind in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
        begin = begins.pop(where) if kind == "MPI_COLLECTIVE_END" else open_operations.pop((where, e["request_id"]))
        root = e["root"]["rank"] if isinstance(e["root"], dict) else "-"
        operations[e["communicator"]["name"], places[where][0]].append(
            (begin, e["collective_op"], root, *places[where], begin, time, e["size_sent"], e["size_received"]))


for text in open(sys.argv[1]):
    r = json.loads(text)
    if r.get("definition") == "LOCATION_GROUP":
        groups[r["id"]] = r["name"]["name"]
    elif r.get("definition") == "LOCATION":
        places[r["id"]] = groups[r["location_group"]["id"]], r["name"]["name"]
    elif "event" in r:
        take(r)

for key in set(sends) | set(receives):
    there, back = sends[key], sorted(receives[key], key=lambda e: e[0])
    for k in range(max(len(there), len(back))):
        s = there[k] if k < len(there) else "????"
        r = back[k] if k < len(back) else "?????"
        lines.append(("message", key[0], key[3], s[3], s[2], s[0], s[1], r[3], r[1], r[2]))
for (comm, _), all_ in operations.items():
    for k, o in enumerate(sorted(all_, key=lambda o: o[0])):
        lines.append(("collective", comm, k, *o[1:]))
print("\n".join(sorted("\t".join(map(str, l)) for l in lines)))
