#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# A program with two causes (cases/two.c), three runs of each size: tcflow-scaling lists both, by what they explain, and the
# repetitions show that what differs from run to run is noise.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_build_only
here=$top_srcdir/tests/validation
. "$here/smpi.sh"

what=$(smpi_missing) && skip_all "$what is missing"
have python3 || skip_all "python3 is missing"
[ -x "$top_builddir/tcflow-scaling" ] || skip_all "built without SQLite"
ok "the recorder compiles" smpi_setup
ok "the program compiles" smpi_recorded "$here/scaling/cases/two.c" "$work/two" -I"$here/scaling" -finstrument-functions
cd "$work" || exit 1

# All ranks take 0.05 to 0.22 s in `cache`: more at the largest size in the median, but not in each run.
seed=0
while read -r ranks noise; do
    seed=$((seed + 1))
    RECORDER_OUT=runs/$ranks-$seed smpi_run "$ranks" ./two 4e-4 20e-3 "$noise" "$seed" >said 2>&1 || { diag "$(cat said)"; break; }
done <<END
4 0.05
4 0.15
4 0.10
8 0.08
8 0.20
8 0.13
16 0.22
16 0.12
16 0.16
END
is "nine runs are recorded" "$(ls runs | wc -l)" 9

# holds NAME EXPRESSION TRACE...: of the answer as JSON, d, and its causes by region, c
holds()
{
    holds_name=$1 holds_expression=$2
    shift 2
    "$top_builddir/tcflow-scaling" --format json "$@" >said.json 2>said || diag "$(cat said)"
    ok "$holds_name" python3 - "$holds_expression" <<'END'
import json, sys
d = json.load(open("said.json"))
c = {x["region"]: x for x in d["causes"]}
def loss(region, seconds, processes, low=0.9):
    return c[region]["processes"] == processes and low * seconds < c[region]["explains"] < 1.1 * seconds
if not eval(sys.argv[1]):
    print(json.dumps(d, indent=1))
    sys.exit(1)
END
}
holds "two causes, the larger one first" 'list(c) == ["boundary", "output"] and [e["runs"] for e in d["efficiency"]] == [3, 3, 3]' runs/*/traces.otf2
# A part of the waits for rank 2 is charged to the output, for which it has waited before.
holds "each with its rank and what it loses" 'loss("boundary", 20 * 4e-4 * 12, [2], 0.6) and loss("output", 20 * 2e-4 * 12, [0])' \
    runs/*/traces.otf2
holds "the rest is noise" '[(r["region"], r["reason"]) for r in d["ruled_out"] if r["reason"] == "noise"] == [("cache", "noise")]' \
    runs/*/traces.otf2
holds "of single runs it is a cause" 'list(c)[:2] == ["cache", "boundary"] and "output" in c' runs/4-1/traces.otf2 \
    runs/8-6/traces.otf2 runs/16-7/traces.otf2
done_testing
