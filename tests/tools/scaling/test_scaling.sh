#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-scaling: small programs whose causes can be told by hand (cases.py), random databases of which oracle.py computes
# all numbers by itself, runs that do not fit together, and the forms of the results.
# SEEDS (default 20) random programs.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

here=$top_srcdir/tests/tools/scaling
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1

tcflow --version | grep -q '^databases: SQLite' || skip_all "built without SQLite"
have python3 && python3 -c 'import sqlite3' 2>/dev/null || skip_all "python3 with sqlite3 is not installed"
cd "$work" || exit 1
python3 "$here/cases.py" . || exit 1

scaling()
{
    timeout 300 ${TCFLOW_WRAPPER:-} "$top_builddir/tcflow-scaling" "$@"
}

# holds NAME EXPRESSION ARGUMENT...: of what the program says as JSON, d, with its first cause c
holds()
{
    holds_name=$1 holds_expression=$2
    shift 2
    scaling --format json "$@" >said.json 2>said.err || diag "exit status $? of tcflow-scaling $*: $(cat said.err)"
    ok "$holds_name" python3 - "$holds_expression" <<'END'
import json, math, sys
d = json.load(open("said.json"))
c = d["causes"][0] if d["causes"] else None
silent = not d["causes"]
def near(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(b))
def cause(region, kind, processes):
    return c and (c["region"], c["kind"], c["processes"]) == (region, kind, processes)
def ruled_out(region):
    return [r["reason"] for r in d["ruled_out"] if r["region"] == region]
def efficiency(*values):
    return all(near(e["efficiency"], v) for e, v in zip(d["efficiency"], values))
def hops(i=0):
    return [(h["region"], h["process"], h["waits_for"]) for h in d["causes"][i]["path"]]
if not eval(sys.argv[1]):
    print(json.dumps(d, indent=1))
    sys.exit(1)
END
}
# says NAME STATUS PATTERN ARGUMENT...
says()
{
    says_name=$1 says_status=$2 says_pattern=$3
    shift 3
    fails "$says_status" "$says_name" scaling "$@" && like "$says_name: what it says" "$(cat "$work/.fails")" "$says_pattern"
}

# -------------------------------------------------------------------------------------------------------------- by hand

holds "a serial part" 'cause("output", "serial part", [0]) and len(d["causes"]) == 1 and d["scaling"] == "strong"' serial.*
holds "it explains all of the loss" 'near(c["explains"], 12) and near(c["share"], 1) and near(c["time_share"], 12 / 80) and near(d["lost"], 12)' serial.*
holds "efficiencies" 'efficiency(1, 68 / 72, 68 / 80)' serial.*
holds "its costs of a process stay" 'near(c["exponent"], 0) and near(c["exponent_error"], 0)' serial.*
holds "the path from the wait to it" 'hops() == [("MPI_Allreduce", 1, 0), ("output", 0, None)] and c["path_agrees"]' serial.*
holds "file and line" '(c["file"], c["line"]) == ("program.c", 60) and c["call_path"] == "main/output"' serial.*
holds "the wait does not scale" '[n["region"] for n in d["non_scalable"]] == ["MPI_Allreduce"]' serial.*
holds "the process is abnormal: 1 s of 5 s" '[(a["region"], a["processes"]) for a in d["abnormal"]] == [("output", [0])]' --least 19 serial.*
holds "for a higher bound it is not" 'd["abnormal"] == []' --least 21 serial.*
holds "two sizes only" 'cause("output", "serial part", [0]) and c["exponent_error"] is None' serial.4 serial.16
holds "the order of arguments does not matter" 'cause("output", "serial part", [0]) and near(c["explains"], 12)' serial.16 serial.4 serial.8
holds "weak scaling is told by the computing" 'd["scaling"] == "weak" and near(d["work_exponent"], 1)' weak-steady.*
holds "a steady part is no cause there" 'silent and efficiency(1, 1, 1)' weak-steady.*
holds "but it is in strong scaling, which computing beyond the same work is, too" '{x["region"] for x in d["causes"]} == {"output", "compute"}' --scaling strong --least 4 weak-steady.*
holds "a growing serial part in weak scaling" 'cause("output", "serial part", [0]) and near(c["explains"], 64 - 4 * 4)' weak-serial.*
holds "a boundary on some ranks" 'cause("boundary", "load imbalance", [0, 4, 8, 12]) and near(c["explains"], 24)' boundary.*
holds "its ratio" 'near(c["ratio"], 33)' boundary.*
holds "a growing boundary" 'cause("boundary", "load imbalance", [0, 4, 8, 12]) and near(c["explains"], 64 - 4)' slope.*
holds "its exponent" 'near(c["exponent"], math.log(4.25 / 2) / math.log(4))' slope.*
holds "communication that grows by itself" 'cause("MPI_Alltoall", "communication", list(range(16))) and near(c["explains"], 32 - 2)' alltoall.*
holds "its path is itself" 'hops() == [("MPI_Alltoall", 0, None)] and c["path_agrees"]' alltoall.*
holds "the growth of any collective operation" 'silent' logarithm.*
holds "is no cause while it is small" 'silent and ruled_out("MPI_Allreduce") == ["natural"]' large-logarithm.*
holds "but two such calls of a function are causes" '[(x["region"], x["kind"]) for x in d["causes"]] == [("MPI_Allreduce", "communication"), ("MPI_Alltoall", "communication")]' logarithms.*
holds "more and more calls of a process" 'cause("MPI_Allreduce", "communication", list(range(16)))' calls.*
holds "unless a smaller share is large" 'cause("MPI_Allreduce", "communication", list(range(16)))' --least 3 large-logarithm.*
holds "a steady imbalance is no cause, but told" 'silent and efficiency(1, 1, 1) and ruled_out("compute") == ["steady"]' static.*
holds "slowness of all" 'cause("main", "computation grows on all", list(range(16))) and c["call_path"] == "main/(after MPI_Waitall)" and near(c["explains"], 12)' slow.*
holds "all are those that take part" 'cause("boundary", "computation grows on all", list(range(15)))' most.*
holds "MPI_Init stands apart" 'silent and ruled_out("MPI_Init") == ["apart"] and efficiency(1, 1, 1)' init.*
holds "one after another" 'cause("boundary", "imbalance by turns", list(range(16)))' turns.*
holds "one after another, though one has more to do" 'cause("boundary", "imbalance by turns", list(range(16)))' spread.*
holds "computing that moves behind another call" 'cause("output", "serial part", [0]) and len(d["causes"]) == 1 and near(c["explains"], 64 - 4 * 4)' moves.*
holds "costs that fall and rise" 'cause("output", "serial part", [0])' bend.*
holds "two causes by their size" '[(x["region"], x["processes"], x["explains"]) for x in d["causes"]] == [("boundary", [2], 24), ("output", [0], 12)]' two.*
holds "two causes in one function, on other processes" '[(x["call_path"], x["processes"], x["explains"]) for x in d["causes"]] == [("main/(after MPI_Waitall)", [2], 30), ("main/(after MPI_Send)", [0], 12)]' places.*
holds "waits without a cause" 'all(near(e["unknown"], 0.25) for e in d["efficiency"])' two.*
holds "losses share what is lost in the end" 'silent and near(d["lost"], 0)' gain.4 gain.8
holds "repetitions that differ as much" 'silent and ruled_out("output") == ["noise"]' noise.*
holds "repetitions that differ by less" 'cause("output", "serial part", [0]) and near(c["explains"], 1.1 * 12) and [e["runs"] for e in d["efficiency"]] == [3, 3, 3]' sure.*
holds "ups and downs" 'silent' chance.*
holds "a wait behind a wait" 'hops() == [("MPI_Allreduce", 2, 1), ("MPI_Waitall", 1, 0), ("output", 0, None)] and c["path_agrees"]' chain.*
holds "the end of a function that one process has alone" 'hops() == [("MPI_Allreduce", 1, 0), ("output", 0, None)] and c["path_agrees"]' end.*
holds "in a line each process has a small part, which the path passes" 'cause("main", "imbalance by turns", list(range(16))) and hops() == [("MPI_Waitall", 15, 14), ("main", 14, None)] and c["path_agrees"]' line.*
holds "the path to the second cause, from the process that is waited for because of the first" '[(hops(i), d["causes"][i]["path_agrees"]) for i in (0, 1)] == [([("MPI_Allreduce", 3, 2), ("boundary", 2, None)], True), ([("MPI_Allreduce", 2, 0), ("output", 0, None)], True)]' two.*
holds "threads, and a stream that is no processor" 'cause("output", "serial part", [1]) and near(d["efficiency"][1]["time"], 64 + 1 + 7)' threads.*
holds "a prediction: costs of p s, of 64 + p" 'near(c["predicted"][0]["share"], 64 / 128) and near(c["predicted"][1]["share"], 2 / 66) and c["predicted"][0]["low"] <= 0.5 <= c["predicted"][0]["high"]' --predict 64,2 serial.*
holds "of two sizes it has no bounds" 'near(c["predicted"][0]["share"], 0.5) and c["predicted"][0]["low"] is None' --predict 64 serial.4 serial.16

# ---------------------------------------------------------------------------------------------------------- aggregation

# Of 16 processes 15 wait 1 s in MPI_Allreduce, rank 0 none; at 4 of 4 three.
for how in mean:0.9375 median:1 maximum:1 clusters:1; do
    holds "aggregation by ${how%:*}" "near(d['non_scalable'][0]['time_share'] * 80 / 16, ${how#*:})" --aggregate "${how%:*}" serial.*
done
holds "by one process" 'near(d["non_scalable"][0]["time_share"] * 80 / 16, 1)' --aggregate process --rank 5 serial.8 serial.16
holds "by the one that does not wait" '[n["region"] for n in d["non_scalable"]] == ["output"]' --aggregate process serial.*
says "a process that is not there" 1 "'serial.4' has no process of that rank" --aggregate process --rank 5 serial.*
says "a process for nothing" 2 'rank is for --aggregate process' --rank 5 serial.*
says "an instance that no run has" 2 "no run has a filter instance of that name" --instance nope serial.*

# By hand, with 1024 processes and 2000 vertices: 3 s and 82 MB.
python3 "$here/large.py" large 64 200
holds "larger databases" 'silent and d["efficiency"][4]["processes"] == 64 and near(d["efficiency"][0]["efficiency"], 1)' large/*

# ----------------------------------------------------------------------------------------------------------- the oracle

for seed in $(seeds_of 20); do
    ok "random program $seed: all numbers are the oracle's" python3 "$here/oracle.py" "$seed" random \
        ${TCFLOW_WRAPPER:-} "$top_builddir/tcflow-scaling"
done

# ------------------------------------------------------------------------------------------- what does not fit together

says "another program" 2 "'serial.4' and 'other.8' are not of one program: .*compute" serial.4 other.8
says "another input" 2 "'serial.4' with 4 processes computes 65 s, 'input.8' with 8 only 6.4 s: with another input" serial.4 input.8
says "repetitions of another input" 2 "'more.8' and 'serial.8' both have 8 processes, but compute 640 s and 65 s" serial.4 more.8 serial.8
says "one size" 2 "'noise.4.0' and 'noise.4.1' both have 4 processes; expected" noise.4.*
says "one file" 2 'expected traces or databases of two runs or more' serial.4
says "the same file twice" 2 "'serial.4' is there twice" serial.4 serial.4 serial.8
for table in vertices places values edges order; do
    says "no $table" 1 "'without-$table.8' has no table .$table. of ppg: .*tcflow -c scaling" serial.4 without-$table.8
done
says "no causes by location" 1 "'without-locations.8' has no table .locations. of root_cause, .*by_location = yes" serial.4 without-locations.8
says "a vertex that nothing knows" 1 "'unknown.8': the table .order. has 99 for .vertex." serial.4 unknown.8
says "no database" 1 "'$here/cases.py' is no SQLite database" serial.4 "$here/cases.py"
says "no file" 1 "cannot open 'nothing.8'" serial.4 nothing.8
holds "a run that failed is used, and said" '"not complete (failed)" in d["notes"][0]' serial.4 failed.8
says "an unknown form" 2 'format' --format page serial.4 serial.8
says "a share of nothing" 2 'from 0 to 100' --least 101 serial.4 serial.8
says "predictions for none" 2 'numbers of processes' --predict 8,0 serial.4 serial.8

# --------------------------------------------------------------------------------------------------------------- forms

says "nothing stands out" 0 'Nothing stands out' static.*
says "causes in text" 0 'output \(program.c:60\) on rank 0 explains 100 % of the loss \(serial part\)' serial.*
like "the first line" "$(head -n 1 "$work/.fails")" '^Strong scaling, 4 to 16 processes: efficiency 1.00 -> 0.94 -> 0.85; 15 % of the processes. time is lost\.$'
like "the second line" "$(sed -n 2p "$work/.fails")" '^Most of the computing grows as p\^0\.00, so this is taken for strong scaling \(--scaling weak says otherwise\)\.$'
like "the path in text" "$(cat "$work/.fails")" 'MPI_Allreduce .*rank 1 waits for 0  <-  output .*rank 0'
says "a cause that nobody waits for" 0 '^     No wait leads to it: it is time of its own\.$' alltoall.*
says "what is not reported" 0 'Not reported: MPI_Init \(80 %\)\.' init.4 init.16
says "a verdict" 3 'serial part' --fail-above 10 serial.*
says "within it" 0 'serial part' --fail-above 20 serial.*
says "a verdict of nothing" 0 'Nothing stands out' --fail-above 0 static.*
for files in 'two.*' 'static.*' 'noise.*' 'init.*' 'chain.*'; do
    # shellcheck disable=SC2086 # files
    scaling --format json --predict 128 $files >said.json
    ok "the schema of doc/results.md: $files" python3 "$here/schema.py" "$top_srcdir/doc/results.md" said.json
done

# ------------------------------------------------------------------------------------------------------------ the page

ok "a page" scaling --html page.html two.*
says "it is not replaced" 2 "'page.html' exists already; --overwrite allows" --html page.html two.*
cp "$(ls two.* | head -n 1)" kept
says "no database that is read is replaced" 2 "is the input '.*' or a part of it" --overwrite --html "$(ls two.* | head -n 1)" two.*
ok "it is as it was" cmp "$(ls two.* | head -n 1)" kept
ok "unless with --overwrite" scaling --overwrite --html page.html two.*
scaling --html - two.* >stdout.html
same "--html -" stdout.html page.html
says "two forms to one place" 2 'cannot both go to standard output' --html - --format json two.*
says "no such folder" 1 'none/page.html' --html none/page.html two.*
is "nothing lies beside it" "$(ls | grep -c incomplete)" 0
says "a source without a page" 2 'source is for --html' --source . two.*
says "no such source" 2 "'none': there is no such folder" --source none --html none.html two.*
is "links lead into it only" "$(grep -oE '(href|src)="[^#]' page.html | wc -l)$(grep -ciE '<script|url\(|@import|https?:' page.html)" 00

# source FOLDER: what a page says of the source of output, program.c:60
source_of()
{
    scaling --overwrite --html source.html --source "$1" serial.* >/dev/null
    sed -n '/<article/,/<h4>/p' source.html
}
mkdir -p tree/src/far outside
seq -f 'line %g <b>' 1 70 >outside/program.c
like "a file that is not there is said" "$(source_of tree)" 'No source: program.c was not found below tree\.'
ln -s ../outside tree/link
ln -s ../outside/program.c tree/program.c
like "links are not followed" "$(source_of tree)" 'program.c was not found'
mkfifo tree/src/program.c
like "nor are pipes opened" "$(source_of tree)" 'program.c was not found'
rm tree/src/program.c
cp outside/program.c tree/src/far/program.c
like "the file is found below" "$(source_of tree)" '<figcaption>src/far/program.c</figcaption>'
like "its line is marked, and is no markup" "$(source_of tree)" '<mark> *60  line 60 &#60;b&#62;</mark>'
is "with four lines before and behind" "$(source_of tree | grep -oE 'line [0-9]+ &' | tr -dc '0-9')" 565758596061626364
cp outside/program.c tree/src/program.c
like "two files of this name" "$(source_of tree)" 'program.c may be any of 2 files'
rm tree/program.c
cp outside/program.c tree/program.c
like "the one that is all of the path" "$(source_of tree)" '<figcaption>program.c</figcaption>'
seq 1 58 >tree/program.c
like "a file that is too short" "$(source_of tree)" 'has no line 60'
ln -s tree/src folder
rm tree/src/far/program.c
like "the folder itself may be a link" "$(source_of folder)" '<mark> *60  line 60'
mkdir -p tree/secret secret
seq -f 'secret %g' 1 200 | tee 'secret/<b>.c' >'tree/src/<b>.c'
scaling --overwrite --html hostile.html --source tree hostile.4 hostile.8 >/dev/null
is "a name with .. leads to what lies below" "$(grep -c '<figcaption>src/&#60;b&#62;.c</figcaption>' hostile.html)" 1
rm 'tree/src/<b>.c'
scaling --overwrite --html hostile.html --source tree hostile.4 hostile.8 >/dev/null
is "but never out" "$(grep -c 'No source: ../secret/&#60;b&#62;.c was not found' hostile.html)$(grep -c 'secret [0-9]' hostile.html)" 10

if (cd "$top_srcdir/tests/tools/report" && python3 -c "import browser; exit(not browser.find())"); then
    # look NAME EXPRESSION FILE...: the page of these in Chromium
    look()
    {
        look_name=$1 look_expression=$2
        shift 2
        scaling --format json --overwrite --html look.html "$@" >look.json
        ok "in Chromium: $look_name" timeout 120 python3 "$here/check_page.py" look.html look.json "$look_expression"
    }
    rows='[...document.querySelectorAll("#graph tbody tr")].map(r => r.cells[0].textContent.split(" ")[0]).join(" ")'
    texts='[...document.querySelectorAll("#graph svg text")].map(t => t.textContent)'
    cells='[...document.querySelectorAll("#cause-1 tbody tr")].map(r => [...r.cells].map(c => c.textContent).join(" "))'
    look "two causes, 2 s of rank 2 first" "$cells.slice(0, 2).join() === 'median of all 0 - -,rank 2 2 - 30'" two.*
    look "vertices in program order" "$rows === 'compute boundary output MPI_Allreduce'" two.*
    look "an arrow for each step of a path" 'document.querySelectorAll("#graph .way-0").length === 2' chain.*
    look "nothing stands out" 'document.querySelector("#causes").textContent.includes("Nothing stands out")' static.*
    # Costs of a process double with the processes: 0.5, 1, 2 s, so dots are evenly spaced on both axes.
    look "curves are log-log" '(() => {
        const dots = [...document.querySelectorAll("#cause-1 .run")].map(d => [+d.getAttribute("cx"), +d.getAttribute("cy")]);
        const even = i => Math.abs(dots[2][i] - 2 * dots[1][i] + dots[0][i]) < 0.3 && Math.abs(dots[1][i] - dots[0][i]) > 10;
        return dots.length === 3 && even(0) && even(1);
    })()' alltoall.*
    look "their values stand beside them" "$cells.slice(-3).map(r => r.split(' ').slice(0, 3).join(' ')).join() === '4 0.5 0.5,8 1 1,16 2 2'" alltoall.*
    look "names are no markup" 'document.querySelector("#cause-1").textContent.includes("<img src=x onerror=alert(2)>&amp;\"")' --predict 64 hostile.4 hostile.8
    look "1024 processes: abnormal ones alone, others in groups" "(() => {
        const texts = $texts;
        return ['0', '128', '896', '129–255', '897–1023'].every(t => texts.includes(t)) && texts.length < 40;
    })()" many.64 many.1024
    look "calls in another order than their numbers" "$rows === 'compute MPI_Waitall boundary output'" many.64 many.1024
else
    skip "the page in Chromium" "Chromium is not installed (./bootstrap deps chromium)"
fi

done_testing
