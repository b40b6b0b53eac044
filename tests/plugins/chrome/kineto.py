# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
"""kineto.py make SEED FOLDER RANKS [FLAW]: files as PyTorch's profiler writes them, one a rank, of a program with process groups, made up
here: rankN.json. FOLDER/truth has what the groups did, in the lines of tests/support/ranks.py. FLAW: `late`: rank 1's recording begins in
the middle; `other`: rank 1 has another operation in one place; `gloo`: no kernels, threads communicate.

kineto.py read FILE...: what the files say, with json and counting, and whatever cannot be true left out; another program than the
reader's. Standard library only."""

import collections
import json
import os
import random
import sys

SIZES = {"Float": 4, "BFloat16": 2, "Long": 8}
NAMES = {"allreduce": "ALLREDUCE", "_allgather_base": "ALLGATHER", "_reduce_scatter_base": "REDUCE_SCATTER_BLOCK", "broadcast": "BCAST",
         "reduce": "REDUCE", "all_to_allv": "ALLTOALLV", "barrier": "BARRIER"}
ROOTED = "broadcast", "reduce"


def us(time):
    return "%d.%03d" % divmod(time, 1000)


def sizes_of(name, is_root, sent, received):
    """bytes of a member, as OTF2 has them"""
    if name == "barrier":
        return 0, 0
    if name == "broadcast":
        return (sent, 0) if is_root else (0, received)
    if name == "reduce":
        return sent, received if is_root else 0
    return sent, received


def make(seed, folder, n, flaw):
    rng = random.Random(seed)
    gloo = flaw == "gloo"
    offsets = [rng.randrange(10**6, 10**7) for _ in range(n)]
    now, events, truth, ids, changed = [0] * n, [[] for _ in range(n)], [], [0] * n, False
    done = collections.Counter()
    groups = [("0", "default_pg", list(range(n)))]
    for k in range(1, 4):
        groups.append((str(k), "pg %d" % k, sorted(rng.sample(range(n), rng.randrange(2, n + 1)))))
    streams = {g[0]: 20 + 4 * k for k, g in enumerate(groups)}

    def process(r):
        return "rank%d.json: %s" % (r, "python")

    def operation(r, group, name, length, arguments, kernel_arguments, until, cut):
        """one member's part: begin and end"""
        begin = now[r] + rng.randrange(1000, 9000)
        end = max(begin + length, until)
        now[r] = end
        ids[r] += 1
        common = {"Collective name": name, "dtype": arguments.pop("dtype"), "Process Group Name": group[0],
                  "Process Group Description": group[1], "Process Group Ranks": str(group[2]), "Group size": len(group[2]), **arguments}
        if not cut:
            cpu = {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 4000 + r, "tid": 4000 + r,
                   "ts": us(begin + offsets[r]), "dur": us(end - begin if gloo else 500), "args": {"External id": ids[r], **common,
                                                                                                   **kernel_arguments}}
            events[r].append(cpu)
            if not gloo:
                kernel = {k: v for k, v in {**common, **kernel_arguments}.items() if k != "Rank"}
                events[r].append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_%s(ncclDevKernelArgsStorage<4096ul>)" % name,
                                  "pid": r % 2, "tid": streams[group[0]], "ts": us(begin + offsets[r]), "dur": us(end - begin),
                                  "args": {"External id": ids[r], "device": r % 2, "stream": streams[group[0]], **kernel}})
        return begin + offsets[r], end + offsets[r]

    for step in range(150):
        group = rng.choice(groups)
        dtype, elements = rng.choice(list(SIZES)), rng.choice([1, 256, 4096])
        size = SIZES[dtype] * elements
        for r in range(n):
            now[r] += rng.randrange(2000)
        if rng.random() < 0.3:
            a, b = rng.sample(range(len(group[2])), 2)
            ra, rb = group[2][a], group[2][b]
            common = {"dtype": dtype, "In msg nelems": elements, "Out msg nelems": elements}
            sent, _ = operation(ra, group, "send", 4000, dict(common), {"Rank": b, "Dst Rank": rb}, 0, flaw == "late" and ra == 1 and step < 75)
            _, got = operation(rb, group, "recv", 4000, dict(common), {"Rank": a, "Src Rank": ra}, sent - offsets[ra] + 100,
                               flaw == "late" and rb == 1 and step < 75)
            truth.append(("message", "process group %s, %s" % group[:2], 0, size, process(ra), sent, "-", process(rb), "-", got))
            continue
        name = rng.choice(list(NAMES))
        root = rng.randrange(len(group[2])) if name in ROOTED else None
        out = elements * len(group[2]) if name == "_allgather_base" else elements
        latest = max(now[r] for r in group[2]) + 9000
        for place, r in enumerate(group[2]):
            common = {"dtype": dtype, "In msg nelems": elements, "Out msg nelems": out}
            instead = flaw == "other" and r == 1 and step >= 70 and not changed and name not in ROOTED
            changed |= instead
            begin, end = operation(r, group, ("barrier" if name != "barrier" else "allreduce") if instead else name, 4000, common,
                                   {"Rank": place if root is None else root}, latest, flaw == "late" and r == 1 and step < 75)
            sent, received = sizes_of(name, place == root, size, SIZES[dtype] * out)
            where = "thread %d" % (4000 + r) if gloo else "stream %d" % streams[group[0]]
            truth.append(("collective", "process group %s, %s" % group[:2], done[group[0]], NAMES[name], "-" if root is None else root,
                          process(r), where, begin, end, sent, received))
        done[group[0]] += 1
    for r in range(n):
        rng.shuffle(events[r])
        if not gloo:  # record_param_comms first, as Kineto writes threads in front of accelerators
            events[r].sort(key=lambda e: e["cat"])
        metadata = []
        for pid, label in ((4000 + r, "CPU"), (r % 2, "GPU %d" % (r % 2))):
            metadata.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": 0, "args": {"name": "python"}})
            metadata.append({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "ts": 0, "args": {"labels": label}})
        for stream in sorted(set(streams.values())):
            metadata.append({"ph": "M", "name": "thread_name", "pid": r % 2, "tid": stream, "ts": 0, "args": {"name": "stream %d" % stream}})
        info = {"backend": "gloo" if gloo else "cpu:gloo,cuda:nccl", "rank": r, "world_size": n, "pg_count": len(groups),
                "pg_config": [{"pg_name": g[0], "pg_desc": g[1], "pg_size": len(g[2]), "rank": 17, "ranks": g[2]} for g in groups],
                "nccl_version": "2.21.5"}
        with open(os.path.join(folder, "rank%d.json" % r), "w") as file:
            text = json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "rank": 5}], "distributedInfo": info,
                               "traceEvents": metadata + events[r], "traceName": "made"}, indent=1)
            for key in "ts", "dur":  # numbers, with three digits
                text = text.replace('"%s": "' % key, '"%s": ' % key)
            file.write("\n".join(l.replace('",', ',') if l.strip().startswith(('"ts":', '"dur":')) else l for l in text.split("\n")))
    with open(os.path.join(folder, "truth"), "w") as file:
        file.write("\n".join(sorted("\t".join(map(str, l)) for l in truth)) + "\n")


def ns(number):
    whole, _, part = str(number).partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def read(paths):
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    operations, sizes = collections.defaultdict(list), {}
    for path in paths:
        with open(path) as file:
            trace = json.load(file, parse_float=str)
        me, nccl = trace["distributedInfo"]["rank"], "nccl" in trace["distributedInfo"]["backend"]
        names = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
        ranks = {e["args"]["External id"]: e["args"]["Rank"] for e in trace["traceEvents"] if e["name"] == "record_param_comms"}
        for e in trace["traceEvents"]:
            if e["ph"] != "X" or (e["cat"] == "kernel") != nccl:
                continue
            a = e["args"]
            members = json.loads(a["Process Group Ranks"])
            group = "process group %s, %s" % (a["Process Group Name"], a["Process Group Description"])
            begin, place = ns(e["ts"]), members.index(me)
            end, one = begin + ns(e["dur"]), SIZES[a["dtype"]]
            who = "%s: python" % os.path.basename(path)
            where = names.get((e["pid"], e["tid"]), "thread %d" % e["tid"])
            name = a["Collective name"]
            sizes[group] = len(members)
            if name == "send":
                sends[group, me, a["Dst Rank"]].append((begin, end, who, a["In msg nelems"] * one))
            elif name == "recv":
                receives[group, a["Src Rank"], me].append((begin, end, who, a["Out msg nelems"] * one))
            else:
                root = ranks[a["External id"]] if name in ROOTED else None
                sent, received = sizes_of(name, place == root, a["In msg nelems"] * one, a["Out msg nelems"] * one)
                same = max(sent, received) if name in ("allreduce", "broadcast") else sent if name == "reduce" else 0
                operations[group, place].append((begin, end, name, root, same, who, where, sent, received))
    lines = []
    for key in set(sends) | set(receives):
        there, back = sorted(sends[key]), sorted(receives[key])
        if len(there) == len(back):
            for s, r in zip(there, back):
                lines.append(("message", key[0], 0, s[3], s[2], s[0], "-", r[2], "-", r[1]))
    for group in {g for g, _ in operations}:
        all_ = {place: sorted(o) for (g, place), o in operations.items() if g == group}
        if set(all_) != set(range(sizes[group])) or len({tuple(o[2:5] for o in v) for v in all_.values()}) > 1:
            continue
        for place, those in all_.items():
            for k, (begin, end, name, root, _, who, where, sent, received) in enumerate(those):
                lines.append(("collective", group, k, NAMES[name], "-" if root is None else root, who, where, begin, end, sent, received))
    print("\n".join(sorted("\t".join(map(str, l)) for l in lines)))


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5] if len(sys.argv) > 5 else "")
else:
    read(sys.argv[2:])
