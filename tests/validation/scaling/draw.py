# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Draws an MPI program from a seed: C text, and the truth about what keeps it from scaling.

    draw.py SEED

prints both; draw(SEED) returns a Program. The same seed makes the same program. README.md tells what is drawn.

A program is a list of phases, which each time step repeats. A phase is a tree of nodes:

    Work(seconds)            computing; the expression is C
    Mpi(text, first, last)   calls of MPI, by scaling.h; the first and the last one of them
    Block(kind, name, ...)   a function, a region or a loop that is recorded, unless the program is MPI-only
    Only(condition, ...)     nodes for the ranks for which the C expression holds
"""

import math
import random
import sys

KINDS = ["one rank", "boundary", "every k-th", "late rank", "serial part", "output", "loop at root", "chain", "server",
         "contention", "redundant", "linear search", "own cost"]
VERBS = ("apply assemble balance build check compute copy couple filter fill limit map merge move pack project push relax "
         "remap scan set smooth solve sort sum swap trace update walk").split()
NOUNS = ("bins bonds box cells charge chem coarse edges eos faces field fluid flux force forest front gas ghosts grid heat "
         "index jacobian lines mesh modes pairs particles plasma points pressure queue rays rhs shell spectrum stress "
         "surface table tiles tracers tree velocity wind").split()


class Work:
    def __init__(self, seconds, cause=False):
        self.seconds, self.cause = seconds, cause


class Mpi:
    def __init__(self, text, first, last=None):
        self.text, self.first, self.last = text, first, last or first


class Block:
    def __init__(self, kind, name, nodes, times=1):
        self.kind, self.name, self.nodes, self.times = kind, name, nodes, times


class Only:
    def __init__(self, condition, nodes, otherwise=()):
        self.condition, self.nodes, self.otherwise = condition, nodes, list(otherwise)


class Program:
    """What was drawn: seed, kind (None: no cause), scaling, sizes, skeleton, only_mpi, unit (seconds), text (C); the truth:
    paths (call paths, each a list of names; what is below them counts, too), ranks (at the largest size), share (of the
    processes' time that is to be lost there, more than at the smallest size), guess (of the amplitude)."""


class Drawer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.p = Program()
        self.p.seed = seed
        self.functions = []
        self.used = set()
        self.statics = 0

    # ---- names, numbers ----

    def name(self, kind):
        while True:
            name = self.random.choice(VERBS) + "_" + self.random.choice(NOUNS)
            if name not in self.used:
                self.used.add(name)
                return name.replace("_", " ") + " loop" if kind == "loop" else name

    def chance(self, share):
        return self.random.random() < share

    def kernel(self, weight):
        """Computing that scales: WEIGHT units at the largest size."""
        return Work("%.4f * %s" % (weight, self.unit))

    def block(self, nodes):
        kind = self.random.choices(["function", "region", "loop"], [6, 2, 2])[0]
        times = self.random.randint(2, 3) if kind == "loop" and self.chance(0.5) else 1
        if times > 1 and not all(isinstance(n, Work) for n in nodes):
            times = 1
        return Block(kind, self.name(kind), nodes, times)

    # ---- what programs are made of ----

    def halo(self):
        text, first, last = self.random.choice([
            ("halo_sendrecv(%d);", "MPI_Sendrecv", None),
            ("halo_nonblocking(%d, 0);", "MPI_Irecv", "MPI_Waitall"),
            ("halo_send(%d);", "MPI_Irecv", "MPI_Waitall")])
        return Mpi(text % self.random.choice([64, 1000, 8000, 8000, 80000]), first, last)

    def reduction(self):
        if self.rows and self.chance(0.4):
            return Mpi("allreduce_in(row, rank);", "MPI_Allreduce")
        if self.chance(0.15):
            text = "bcast_nonblocking(%.4f * %s);" % (self.random.uniform(0, 0.05), self.unit)
            return Mpi(text, "MPI_Ibcast", "MPI_Wait")
        return Mpi("allreduce(rank);", "MPI_Allreduce")

    def stencil(self):
        phases = [self.block([self.halo()]), self.block([self.kernel(0.5)]), self.block([self.kernel(0.4)])]
        if self.chance(0.6):
            phases.append(self.block([self.reduction()]))
        return phases

    def solver(self):
        phases = []
        for _ in range(self.random.randint(1, 2)):
            phases += [self.block([self.halo(), self.kernel(0.4)]), self.reduction(), self.block([self.kernel(0.15)]),
                       self.reduction()]
        return phases

    def fft(self):
        swap = Mpi("MPI_Alltoall(block_out, 64, MPI_BYTE, block_in, 64, MPI_BYTE, MPI_COMM_WORLD);", "MPI_Alltoall")
        return [self.block([self.kernel(0.4)]), swap, self.block([self.kernel(0.4)]),
                self.block([swap]) if self.chance(0.5) else self.reduction(), self.block([self.kernel(0.2)])]

    def wave(self):
        front = Mpi("wavefront(4, 512, 0.0005 * unit);", "MPI_Recv", "MPI_Send")
        return [self.block([front]), self.reduction(), self.block([self.kernel(0.9)])]

    def farm(self):
        rounds = self.random.randint(2, 4)
        master = self.block([Mpi("farm_master(%d);" % rounds, "MPI_Recv", "MPI_Send")])
        task = self.block([Mpi("farm_task();", "MPI_Send", "MPI_Recv"), self.kernel(0.9 / rounds)])
        worker = [Only("rank > 0", [task])] if rounds == 1 else [Block("repeat", "", [task], rounds)]
        return [Only("rank == 0", [master], worker), self.reduction()]

    # ---- decoys ----

    def heavy(self):
        """Larger in every trace than the cause is in most, and doesn't grow."""
        return self.block([self.kernel(self.random.uniform(0.6, 1.5))])

    def uneven(self):
        """Some ranks have more to do, by the same factor at each size: one, or every second or fourth one."""
        k = self.random.choice([2, 4, 100000])
        weight = self.random.uniform(0.05, 0.4)
        factor = "(rank %% %d == %d ? %.2f : 1)" % (k, self.random.randrange(min(k, 4)), self.random.uniform(1.3, 2.2))
        return self.block([Work("%.4f * %s * %s" % (weight, self.unit, factor))])

    def gains(self):
        """Where a process has less to do it is faster at that, too: caches."""
        return self.block([Work("%.4f * %s * grown(%.2f, %d)" % (self.random.uniform(0.1, 0.4), self.unit,
                                                               -self.random.uniform(0.03, 0.15), self.p.sizes[-1]))])

    def constant_serial(self):
        """One rank works, the others wait, the same time at each size: weak scaling loses nothing by it."""
        root = self.random.choice([0, 0, 1])
        return Block("plain", "", [Only("rank == %d" % root, [self.block([self.kernel(self.random.uniform(0.02, 0.06))])]),
                                   Mpi("MPI_Bcast(block_out, 64, MPI_BYTE, %d, MPI_COMM_WORLD);" % root, "MPI_Bcast")])

    # ---- causes ----

    def some_ranks(self, kind):
        """C condition, and the ranks at the largest size."""
        p, last = self.p.sizes[-1], self.p.sizes[-1] - 1
        if kind == "one rank":
            one = self.random.choice([0, 1, 2, 3, -1])
            return ("rank == ranks - 1", [last]) if one < 0 else ("rank == %d" % one, [one])
        if kind == "every k-th":
            k, at = self.random.choice([4, 8, 16]), self.random.randrange(4)
            return "rank %% %d == %d" % (k, at), [r for r in range(p) if r % k == at]
        side = int(math.sqrt(p))
        while p % side:
            side -= 1
        columns = p if self.dimensions == 1 else p // side
        return self.random.choice([
            ("(rank == 0 || rank == ranks - 1)", [0, last]),
            ("rank < columns", list(range(columns))) if self.dimensions == 2 else ("rank == 0", [0]),
            ("rank % columns == 0", [r for r in range(p) if r % columns == 0]),
            ("rank >= ranks - ranks / 4", list(range(p - p // 4, p)))])

    def growth(self, kind):
        """Exponent of a process' time over the number of processes."""
        if kind in ("linear search", "output") and self.p.scaling == "weak":
            return 1
        if kind in ("redundant", "output"):
            return 0
        low, high = (0.5, 1.2) if self.p.scaling == "weak" else (0, 0.7)
        return 1 if kind == "linear search" else round(self.random.uniform(low, high), 2)

    def sync(self):
        """A call that stands nowhere else in the program, for MPI-only programs."""
        return Mpi(*self.random.choice([
            ("MPI_Barrier(MPI_COMM_WORLD);", "MPI_Barrier"),
            ("MPI_Scan(block_out, block_in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);", "MPI_Scan"),
            ("MPI_Reduce(block_out, block_in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);", "MPI_Reduce")]))

    def place(self, work):
        """The work of a cause: in a block of its own, or directly behind a call in a block that does more."""
        if self.p.only_mpi:
            return [self.sync(), work]
        if self.chance(0.2):
            return [Block("function", self.name("function"), [self.sync(), work])]
        if self.chance(0.12):
            return self.shared(work)
        inner = self.block([work])
        if self.chance(0.3):
            return [self.block([inner])]
        return [inner]

    def shared(self, work):
        """A function that is called from two places, and causes trouble at one of them."""
        name = self.name("function")
        self.parameters = name
        harmless = "%.4f * %s" % (self.random.uniform(0.05, 0.2), self.unit)
        return [Block("function", self.name("function"), [Block("called", name, [Work(harmless)])]),
                Block("function", self.name("function"), [Block("called", name, [work])])]

    def cause(self, kind):
        r, p, grown = self.random, self.p.sizes[-1], "amplitude * grown(%s, %d)" % (self.growth(kind), self.p.sizes[-1])
        everyone = list(range(p))
        if kind in ("one rank", "boundary", "every k-th", "late rank"):
            where = self.random.choice(["one rank", "boundary", "every k-th"]) if kind == "late rank" else kind
            condition, self.p.ranks = self.some_ranks(where)
            if self.chance(0.2): # of a kernel that all ranks have
                nodes = self.place(Work("(%s ? %s : 0) + %.4f * %s" % (condition, grown, self.random.uniform(0.2, 0.8),
                                                                       self.unit), True))
            elif self.chance(0.5) or self.p.only_mpi:
                nodes = self.place(Work("(%s ? %s : 0) + %.4f * %s" % (condition, grown, self.random.uniform(0.01, 0.1),
                                                                       self.unit), True))
            else:
                placed = self.place(Work(grown, True))
                nodes = [Only(condition, placed)] if not self.collective(placed) else \
                    self.place_under(condition, placed)
            if kind == "late rank":
                for _ in range(3):
                    text = "halo_nonblocking(%d, 0.01 * %s);" % (self.random.choice([100, 4000]), self.unit)
                    nodes.append(self.block([Mpi(text, "MPI_Irecv", "MPI_Waitall"), self.kernel(0.02)]))
                nodes.append(self.reduction())
            return nodes
        if kind in ("serial part", "output"):
            root = self.random.choice([0, 0, 0, 3]) if kind == "serial part" else 0
            self.p.ranks = [root]
            placed = self.place_under("rank == %d" % root, self.place(Work(grown, True)))
            if kind == "output":
                return [Mpi("MPI_Gather(block_out, 64, MPI_BYTE, block_in, 64, MPI_BYTE, 0, MPI_COMM_WORLD);",
                            "MPI_Gather")] + placed
            return placed + [Mpi(*self.random.choice([
                ("MPI_Bcast(block_out, 64, MPI_BYTE, %d, MPI_COMM_WORLD);" % root, "MPI_Bcast"),
                ("MPI_Scatter(block_out, 64, MPI_BYTE, block_in, 64, MPI_BYTE, %d, MPI_COMM_WORLD);" % root,
                 "MPI_Scatter")]))]
        if kind == "loop at root":
            self.p.ranks = [0]
            if self.chance(0.4): # from all, with work on each message
                collect = Block("repeat", "from", [
                    Mpi("MPI_Recv(block_in, 512, MPI_BYTE, from + 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", "MPI_Recv"),
                    Work("amplitude / %d" % (p - 1), True)], "ranks - 1")
                give = Mpi("MPI_Send(block_out, 512, MPI_BYTE, 0, 7, MPI_COMM_WORLD);", "MPI_Send")
                return [Block("function", self.name("function"), [Only("rank == 0", [collect], [give])]), self.reduction()]
            each = Block("repeat", "to", [Work("amplitude / %d" % (p - 1), True),
                         Mpi("MPI_Send(block_out, 512, MPI_BYTE, to + 1, 7, MPI_COMM_WORLD);", "MPI_Send")], "ranks - 1")
            other = Mpi("MPI_Recv(block_in, 512, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);", "MPI_Recv")
            return [Block("function", self.name("function"), [Only("rank == 0", [each], [other])])]
        if kind == "chain":
            self.p.ranks = everyone
            return [Block("function", self.name("function"), [
                Only("rank > 0", [Mpi("MPI_Recv(block_in, 512, MPI_BYTE, rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
                                      "MPI_Recv")]),
                Work("amplitude / %d" % p, True),
                Only("rank < ranks - 1", [Mpi("MPI_Send(block_out, 512, MPI_BYTE, rank + 1, 8, MPI_COMM_WORLD);",
                                              "MPI_Send")])])]
        if kind == "server":
            self.p.ranks, requests = [0], self.random.randint(1, 2)
            serve = self.block([Work("amplitude / %d" % (requests * (p - 1)), True)])
            server = [Mpi("MPI_Status status; MPI_Recv(block_in, 8, MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);",
                          "MPI_Recv"), serve,
                      Mpi("MPI_Send(block_out, 8, MPI_BYTE, status.MPI_SOURCE, 10, MPI_COMM_WORLD);", "MPI_Send")]
            client = [self.kernel(0.01), Mpi("ask(0);", "MPI_Irecv", "MPI_Wait")]
            return [Only("rank == 0", [Block("function", self.name("function"), [
                         Block("repeat", "i", server, "%d * (ranks - 1)" % requests)])],
                    [Block("function", self.name("function"), [Block("repeat", "i", client, requests)])])]
        self.p.ranks = everyone
        if kind == "contention":
            return self.place(Work("%.4f * %s + %s" % (self.random.uniform(0.05, 0.3), self.unit, grown), True))
        if kind in ("redundant", "linear search"):
            return self.place(Work(grown, True))
        # own cost
        self.bytes = r.choice([500, 2000, 8000])
        text, call = r.choice([
            ("MPI_Alltoall(block_out, %d, MPI_BYTE, block_in, %d, MPI_BYTE, MPI_COMM_WORLD);" % (self.bytes, self.bytes),
             "MPI_Alltoall"),
            ("exchange_with_all(%d);" % self.bytes, "MPI_Sendrecv")])
        self.own_cost = Mpi("for (calls += amplitude; calls >= 1; calls--) " + text, call)
        return [Block("function", self.name("function"), [self.own_cost])]

    def collective(self, nodes):
        return any(isinstance(n, Mpi) or isinstance(n, Block) and self.collective(n.nodes) for n in nodes)

    def place_under(self, condition, nodes):
        """The cause alone is under the condition, not the calls before it."""
        if not self.collective(nodes):
            return [Only(condition, nodes)]
        return [self.under(condition, n) for n in nodes]

    def under(self, condition, node):
        if isinstance(node, Work):
            return Only(condition, [node])
        if isinstance(node, Block):
            node.nodes = [self.under(condition, n) for n in node.nodes]
        return node

    # ---- the program ----

    def draw(self, kind):
        p, r = self.p, self.random
        p.kind = kind
        p.scaling = "strong" if kind == "redundant" else r.choice(["strong", "weak"])
        p.sizes = r.choices([[4, 8, 16, 32, 64], [4, 8, 16, 32], [8, 16, 32, 64, 128], [8, 32, 128, 256]], [12, 3, 2, 2])[0]
        if self.chance(0.15):
            p.sizes = r.choice([[6, 12, 24, 48], [4, 9, 16, 36, 64], [5, 10, 20, 40, 80]])
        if kind == "own cost":
            p.sizes = [4, 8, 16, 32, 64]
        p.only_mpi = kind not in ("loop at root", "chain", "own cost") and self.chance(0.2)
        self.dimensions = r.choice([1, 2])
        self.rows = self.dimensions == 2 and self.chance(0.3)
        self.parameters = None
        self.own_cost = None
        self.unit = "unit" if p.scaling == "weak" else "unit * %d / ranks" % p.sizes[-1]
        p.skeleton = r.choice(["stencil", "solver", "fft", "wave", "farm"])
        if p.skeleton == "wave":
            self.dimensions = 2
        powers = all(n & (n - 1) == 0 for n in p.sizes) # SMPI's pairwise MPI_Alltoall wants them
        if p.skeleton == "fft" and (p.sizes[-1] > 64 or not powers) or p.skeleton == "farm" and kind == "server":
            p.skeleton = "stencil"
        if p.skeleton == "wave":
            self.rows = self.chance(0.3)
        phases = getattr(self, p.skeleton)()
        p.unit = 10 ** r.uniform(-3, -2) if kind != "own cost" else 10 ** r.uniform(-3.7, -3.3)
        p.jitter = round(r.uniform(0.005, 0.03), 4)
        p.drift = r.choice([0, 0.003, 0.006])
        p.steps = r.randint(6, 14) if p.sizes[-1] < 128 and kind != "own cost" else r.randint(4, 6)
        self.decoys(phases)
        p.share = round(r.uniform(0.08, 0.6), 3) if kind else 0
        p.ranks = []
        if kind:
            at = r.randrange(1, len(phases) + 1)
            nodes = self.cause(kind)
            if self.chance(0.6 if kind == "output" else 0.12): # not in each step
                nodes = [Block("repeat", "", nodes, "i%s" % r.choice([2, 3]))]
            phases[at:at] = nodes
        p.guess = p.unit * p.share / (1 - p.share)
        if kind == "own cost": # in calls a step
            p.guess /= p.sizes[-1] * (3e-6 + 4e-10 * self.bytes)
        p.body = self.nest(phases)
        p.text = self.emit(p.body)
        p.paths = [] if not kind else self.find(p.body, [], [None])[0]
        return p

    def decoys(self, phases):
        phases.insert(self.random.randrange(len(phases)), self.heavy())
        if self.chance(0.6):
            phases.insert(self.random.randrange(len(phases)), self.uneven())
        if self.chance(0.15):
            phases.insert(self.random.randrange(len(phases)), self.gains())
        if self.p.scaling == "weak" and self.chance(0.3):
            phases.insert(self.random.randrange(len(phases)), self.constant_serial())

    def prologue(self):
        """Before the steps: one rank reads a small input, which all get."""
        weight = "%.4f * %s" % (self.random.uniform(0.005, 0.02), self.unit)
        return [self.block([Only("rank == 0", [Work(weight)]), Mpi("MPI_Bcast(block_out, 4096, MPI_BYTE, 0, MPI_COMM_WORLD);",
                                                                    "MPI_Bcast")])]

    def nest(self, phases):
        """Some neighbours become a function; steps may be a loop that is recorded, in a function or not."""
        if len(phases) > 3 and self.chance(0.5):
            at = self.random.randrange(len(phases) - 2)
            n = self.random.randint(2, 3)
            phases[at:at + n] = [Block("function", self.name("function"), phases[at:at + n])]
        step = phases if self.chance(0.4) else [Block("function", self.name("function"), phases)]
        kind = self.random.choice(["loop", "repeat"])
        steps = Block(kind, self.name("loop") if kind == "loop" else "step", step, self.p.steps)
        body = self.prologue() + [steps] if self.chance(0.4) and not self.p.only_mpi else [steps]
        return body if self.chance(0.4) else [Block("function", self.name("function"), body)]

    # ---- C ----

    def emit(self, body):
        p = self.p
        main = self.statements(body, 1)
        kind = p.kind or "none"
        head = ["/* Drawn with seed %d: %s scaling, %s%s; cause: %s. */" % (
            p.seed, p.scaling, p.skeleton, ", MPI-only" if p.only_mpi else "", kind), '#include "scaling.h"', ""]
        if kind == "server":
            head += ["NOT_RECORDED void ask(int server)", "{", "    MPI_Request request;",
                     "    MPI_Irecv(block_in, 8, MPI_BYTE, server, 10, MPI_COMM_WORLD, &request);",
                     "    MPI_Send(block_out, 8, MPI_BYTE, server, 9, MPI_COMM_WORLD);",
                     "    MPI_Wait(&request, MPI_STATUS_IGNORE);", "}", ""]
        if kind == "own cost":
            head += ["static double calls; /* to be made */", ""]
        if self.parameters:
            head += ["NOT_INLINE void %s(double seconds)" % self.parameters, "{", "    work(seconds);", "}", ""]
        for name, lines in self.functions:
            head += ["NOT_INLINE void %s(void)" % name, "{"] + lines + ["}", ""]
        return "\n".join(head + ["int main(int argc, char **argv)", "{",
                                 "    begin(argc, argv, %d, %d, %s, %s);" % (p.seed, self.dimensions, p.jitter, p.drift)] +
                         (["    make_rows();"] if self.rows else []) + main +
                         ["    return end();", "}", ""])

    def statements(self, nodes, depth):
        indent = "    " * depth
        lines = []
        for n in nodes:
            if isinstance(n, Work):
                lines.append("%swork(%s);%s" % (indent, n.seconds, " /* the cause */" if n.cause else ""))
            elif isinstance(n, Mpi):
                lines.append(indent + n.text)
            elif isinstance(n, Only):
                lines += ["%sif (%s) {" % (indent, n.condition)] + self.statements(n.nodes, depth + 1)
                if n.otherwise:
                    lines += [indent + "} else {"] + self.statements(n.otherwise, depth + 1)
                lines.append(indent + "}")
            elif n.kind == "function":
                self.functions.append((n.name, self.statements(n.nodes, 1)))
                lines.append("%s%s();" % (indent, n.name))
            elif n.kind == "called":
                argument = n.nodes[0]
                lines.append("%s%s(%s);%s" % (indent, n.name, argument.seconds, " /* the cause */" if argument.cause else ""))
            elif n.kind == "plain":
                lines += self.statements(n.nodes, depth)
            else:
                lines += self.repeated(n, depth)
        return lines

    def repeated(self, n, depth):
        indent = "    " * depth
        if str(n.times).startswith("i"): # in each second or third step
            self.statics += 1
            name = "calls%d" % self.statics
            return (["%sstatic int %s;" % (indent, name), "%sif (++%s %% %s == 0) {" % (indent, name, n.times[1:])] +
                    self.statements(n.nodes, depth + 1) + [indent + "}"])
        variable = n.name if n.kind == "repeat" and n.name else "i%d" % depth
        head = "%sfor (int %s = 0; %s < %s; %s++) {" % (indent, variable, variable, n.times, variable)
        lines = [head if n.times != 1 else indent + "{"]
        if n.kind in ("region", "loop") and not self.p.only_mpi:
            lines.append('%s    %s("%s");' % (indent, n.kind.upper(), n.name))
        return lines + self.statements(n.nodes, depth + 1) + [indent + "}"]

    # ---- the truth ----

    def find(self, nodes, path, last):
        """Call paths of the cause, and whether its block has nothing else. `last`: the MPI call before, and where it was."""
        for n in nodes:
            if isinstance(n, Mpi):
                if n is self.own_cost:
                    return [path + [n.first], path], False
                last[:] = [(n.last, path)]
            elif isinstance(n, Work) and n.cause:
                return self.of_work(path, last, len(nodes) == 1)
            elif isinstance(n, Only):
                found = self.find(n.nodes, path, last) or self.find(n.otherwise, path, last)
                if found:
                    return found
            elif isinstance(n, Block):
                named = n.kind in ("function", "region", "loop", "called") and not self.p.only_mpi
                found = self.find(n.nodes, path + [n.name] if named else path, last)
                if found:
                    paths, alone = found
                    if alone and named and len(nodes) == 1 and path and path not in paths:
                        paths.append(path) # a block that has this block alone
                    return paths, alone and len(nodes) == 1
        return None

    def of_work(self, path, last, alone):
        if self.p.kind in ("loop at root", "chain"):
            return [path], False
        if self.p.only_mpi or (last[0] and last[0][1] == path):
            return [path + ["(after %s)" % last[0][0]]], False
        return [path], alone


def draw(seed):
    """Two of seven seeds have no cause; the others have all kinds in turn."""
    weeks, day = divmod(seed, 7)
    return Drawer(seed).draw(None if day < 2 else KINDS[(5 * weeks + day) % len(KINDS)])


if __name__ == "__main__":
    drawn = draw(int(sys.argv[1]))
    print(drawn.text)
    for key in ("kind", "scaling", "sizes", "skeleton", "only_mpi", "unit", "share", "paths", "ranks"):
        print("%-10s %s" % (key, getattr(drawn, key)))
