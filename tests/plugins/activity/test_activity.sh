#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# activity and activity_waits equal an oracle that looks at a trace as a whole, cell by cell, on a recorded trace and on random
# ones, for slices of any size, many and few bins and cells; rows that are folded add up to the same; domains and the order of
# reading make no difference. SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

here=$top_srcdir/tests/plugins/activity
python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"

# cells FILTER ANCHOR BINS CELLS REPORT [option...]
cells()
{
    filter=$1 anchor=$2 bins=$3 most=$4 into=$5
    shift 5
    tcflow -q -i "$anchor" -o pipeline.chain="$filter" -o "$filter.bins=$bins" -o "$filter.cells=$most" -o "$filter.format=json" \
        -o "$filter.output=$into" -o "$filter.overwrite=yes" "$@" 2>"$work/said" >/dev/null || diag "$(head -n 5 "$work/said")"
}

# compared NAME ANCHOR: as the oracle
compared()
{
    tcflow -q -i "$2" -o pipeline.chain=print -o print.format=json -o print.definitions=yes -o print.order=location \
        >"$work/events" 2>/dev/null
    "$oracle" waits "$2" --trusting >"$work/waits"
    : >"$work/ways"
    n=0
    for way in "4096 262144 0" "64 262144 1" "4096 300 13" "4096 64 7" "2 64 0" "5 80 3"; do
        set -- "$1" "$2" $way
        for filter in activity activity_waits; do
            n=$((n + 1))
            cells $filter "$2" "$3" "$4" "$work/report.$n" -o pipeline.slice="$5"
            echo "$work/report.$n $filter $3 $4" >>"$work/ways"
        done
    done
    ok "$1: as the oracle" python3 "$here/oracle.py" "$work/events" "$work/waits" <"$work/ways"
}

# sums REPORT: lines "BIN KEY TICKS" over all rows
sums()
{
    python3 -c '
import json, sys
report, sums = json.load(open(sys.argv[1])), {}
names = [c["name"] for c in report["cells"]["columns"]]
for row in report["cells"]["rows"]:
    c = dict(zip(names, row)) if isinstance(row, list) else row
    for i in range(c["run"]):
        key = c["bin"] + i, c["region"]
        sums[key] = sums.get(key, 0) + c["ticks"]
print(*("%d %d %d" % (*k, v) for k, v in sorted(sums.items())), sep="\n")' "$1"
}

# alike NAME ANCHOR: domains, slices, folded rows
alike()
{
    cells activity "$2" 4096 100 "$work/one"
    for threads in 2 3 8; do
        cells activity "$2" 4096 100 "$work/several" -o pipeline.threads=$threads
        same "$1: $threads domains" "$work/one" "$work/several"
    done
    cells activity "$2" 64 262144 "$work/one"
    sums "$work/one" >"$work/by_location"
    for rows in 1 2 3; do
        cells activity "$2" 64 262144 "$work/folded" -o activity.rows=$rows
        sums "$work/folded" >"$work/by_row"
        same "$1: $rows rows add up to the same" "$work/by_location" "$work/by_row"
        ok "$1: there are no more" python3 -c "
import json, sys
sys.exit(not 0 < len(json.load(open('$work/folded'))['rows']['rows']) <= $rows)"
    done
}

# agree NAME ANCHOR
agree()
{
    compared "$1" "$2"
    alike "$1" "$2"
}

agree "a recorded trace" "$example"
for anchor in ${TRACES:-}; do
    agree "$anchor" "$anchor"
done
each "random trace" --features p2p,sendrecv,nonblocking,collectives,openmp,locks,metrics --regions-per-rank \
    --clock-offset-ns 3000 --end-early 0.2 --empty-locations 1
each "idle, and tasks" --features p2p,collectives --idle
each "wrong properties of the clock" --features p2p,collectives,openmp --wrong-clock-properties

# More rows and regions than cells: the run is one bin, or two, and nothing is lost.
"$generate" random --out "$work/many" --seed 5 --ranks 40 --events 400 --features p2p,collectives >"$work/made" 2>&1 ||
    diag "$(cat "$work/made")"
cells activity "$work/many/traces.otf2" 4096 64 "$work/few"
cells activity "$work/many/traces.otf2" 2 262144 "$work/all"
is "more rows and regions than cells: two bins at most" "$(python3 -c "
import json
print(json.load(open('$work/few'))['bins']['rows'][0]['bins'] <= 2)")" True
sums "$work/few" >"$work/sums.few"
sums "$work/all" >"$work/sums.all"
same "and all of the time" "$work/sums.all" "$work/sums.few"

# Waits are found once where wait_states stands in front, and are the same.
cells activity_waits "$example" 512 4096 "$work/alone"
tcflow -q -i "$example" -o pipeline.chain="wait_states activity_waits root_cause" -o pipeline.reports=activity_waits \
    -o activity_waits.bins=512 -o activity_waits.cells=4096 -o activity_waits.format=json -o activity_waits.output="$work/behind" \
    >"$work/said" 2>&1
same "behind wait_states the same" "$work/alone" "$work/behind"
fails 2 "bins = 1 is refused" tcflow -i "$example" -o pipeline.chain=activity -o activity.bins=1
done_testing
