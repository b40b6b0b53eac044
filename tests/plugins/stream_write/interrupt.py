#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""interrupt.py FOLDER WHO COMMAND... -- COMMAND... -- ...: a pipe of commands in a process group of their own, fed by the first
of them, which is outside of the group. When FOLDER/ready, a list of names, is all there, SIGINT goes to the group (WHO = all)
or to the WHO-th command of it (from 1 on). Prints the exit status of each in the group; what command k says is in FOLDER/said.k."""
import os, signal, subprocess, sys, time

folder, who, commands, group = sys.argv[1], sys.argv[2], [[]], None
for word in sys.argv[3:]:
    if word == "--":
        commands.append([])
    else:
        commands[-1].append(word)
processes, before = [], None
for k, command in enumerate(commands):
    last = k == len(commands) - 1
    processes.append(subprocess.Popen(
        command, stdin=before, stdout=subprocess.DEVNULL if last else subprocess.PIPE, stderr=open("%s/said.%d" % (folder, k), "w"),
        preexec_fn=(lambda: os.setpgid(0, group or 0)) if k > 0 else None))
    if before:
        before.close()
    before = processes[-1].stdout
    if k == 1:
        group = processes[1].pid
until = time.time() + 120
wanted = open(folder + "/ready").read().split()
while not all(os.path.exists(name) for name in wanted):
    if time.time() > until or any(p.poll() is not None for p in processes):
        sys.exit("it never began: " + " ".join(str(p.poll()) for p in processes))
    time.sleep(0.02)
time.sleep(0.2)
if who == "all":
    os.killpg(group, signal.SIGINT)
else:
    os.kill(processes[int(who)].pid, signal.SIGINT)
try:
    print(*[p.wait(120) for p in processes[1:]])
except subprocess.TimeoutExpired:
    print("somebody goes on:", *[p.poll() for p in processes[1:]])
for p in processes:
    if p.poll() is None:
        p.kill()
