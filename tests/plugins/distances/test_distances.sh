#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The filter distances tells what sorting all distances of the text of otf2-print tells, for runs of empty calls with known
# overheads and for random traces; whatever the size of slices; and it sees the steps of the clock.
# SEEDS (default 3) random traces.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

make=$top_builddir/tests/tools/calibrate/run-trace
here=$top_srcdir/tests/plugins/distances
export LC_ALL=C

[ -x "$make" ] && [ -x "$generate" ] || skip_all "the generators of traces are not built"

# found ANCHOR [option...]: the report as CSV in $work/found.csv.
found()
{
    anchor=$1
    shift
    tcflow -q -i "$anchor" -o pipeline.chain=distances -o distances.format=csv "$@" >"$work/found.csv"
}

# The groups of $work/found.csv in the oracle's form, seconds made ticks. The region, quoted or not, is the last cell.
groups()
{
    awk -F, -v resolution="$1" '
        $1 == "distances" && $2 != "kind" {
            region = $0
            for (i = 1; i < 20; i++)
                sub(/^[^,]*,/, "", region)
            sub(/\r$/, "", region)
            if (region ~ /^"/) {
                region = substr(region, 2, length(region) - 2)
                gsub(/""/, "\"", region)
            }
            printf "%s|%s|%s|%d|%d|%s|%d|%.0f|%.0f|%.0f|%.0f|%.0f|%.3f\n", $2, $3, $4, $5, $6, region, $7, $8 * resolution,
                $10 * resolution, $12 * resolution, $14 * resolution, $16 * resolution, $18 * resolution
        }' "$work/found.csv" | sort
}

# expected ANCHOR RUN STEP
expected()
{
    otf2-print "$1" 2>/dev/null | awk -v run="$2" -f "$here/oracle.awk" | sed 's/|\([0-9]*\)$/|\1 \1/' |
        awk '{ n = $NF; sub(/ [0-9]+$/, ""); at = match($0, /\|[0-9]+$/); printf "%s\t%d\n", substr($0, 1, at - 1), n }' |
        sort -t "$(printf '\t')" -k 1,1 -k 2,2n | tr '\t' '|' | awk -v cut=50 -v step="$3" -f "$here/groups.awk" | sort
}

# Equal but for 0.1 % of times beyond 1,023 ticks, and the last digit of means; "theirs" may have two means to choose from.
alike()
{
    paste -d '\n' "$1" "$2" | awk -F '|' '
        NR % 2 { split($0, a, "|"); n = NF; next }
        {
            if (n < NF || n > NF + 1) exit !(bad = 1)
            for (i = 1; i <= 7; i++) if (a[i] != $i) bad = 1
            if (n > NF && $NF > (a[NF] + a[n]) / 2) a[NF] = a[n]
            for (; i <= NF; i++) {
                d = a[i] > $i ? a[i] - $i : $i - a[i]
                if (d > ($i > 1023 || i == NF ? 0.001 * $i + 0.002 : 0)) bad = 1
            }
            if (bad) { print "got", $0; exit }
        }
        END { exit bad || NR == 0 }'
}

# compare NAME ANCHOR RUN RESOLUTION
compare()
{
    found "$2" -o distances.run="$3" || { tap 1 "$1: runs"; return; }
    step=$(awk -F, '$1 == "trace" && $2 != "events" { print $6 + 0 }' "$work/found.csv")
    groups "$4" >"$work/ours"
    expected "$2" "$3" "$step" >"$work/theirs"
    if ! ok "$1: $(wc -l <"$work/theirs") groups as sorted" alike "$work/theirs" "$work/ours"; then
        diag "$(diff "$work/theirs" "$work/ours" | head -n 10)"
    fi
}

# run NAME [KEY=NUMBER...]
run()
{
    name=$1
    shift
    rm -rf "$work/trace"
    "$make" "$work/trace" "$@" || { tap 1 "$name: is made"; return; }
    compare "$name" "$work/trace/traces.otf2" 64 1000000000
}

run "empty calls" calls=3000
run "spread, attributes, interruptions" calls=3000 marked=2000 jitter=9 every=100 interruption=50000
run "metrics, flushes, work" calls=2000 marked=100 metrics=1 flush=500 work=300 jitter=5
run "several locations" calls=1000 locations=3 jitter=5
run "in steps" calls=3000 step=10 jitter=9

for seed in $(seeds_of 3) 8000008; do # the last one: 49.99 medians, as exact as they are told, are 50
    rm -rf "$work/trace"
    "$generate" random --out "$work/trace" --features all --seed "$seed" --ranks 4 --events 4000 >/dev/null || { tap 1 "seed $seed is made"; break; }
    resolution=$(otf2-print -G "$work/trace/traces.otf2" 2>/dev/null | sed -n 's/.*Ticks per Seconds: \([0-9]*\),.*/\1/p')
    compare "random trace $seed" "$work/trace/traces.otf2" 2 "$resolution"
    cp "$work/found.csv" "$work/whole.csv"
    found "$work/trace/traces.otf2" -o distances.run=2 -o pipeline.slice=7
    same "random trace $seed: slices of 7 events" "$work/whole.csv" "$work/found.csv"
done

# What there is no room for is counted, and said.
"$make" "$work/many" calls=2000 marked=500 jitter=40 work=500
tcflow -i "$work/many/traces.otf2" -o pipeline.chain=distances -o distances.format=csv -o distances.max_distances=20 \
    >"$work/found.csv" 2>"$work/said"
ok "left out: $(cat "$work/said")" awk -F, '
    $1 == "trace" && $2 != "events" { print; all = $2; left = $4 }
    $1 == "distances" && $2 != "kind" { n += $7 }
    END { print n, left, all; exit !(left > 1000 && n + left == all - 1) }' "$work/found.csv"
like "left out: says so" "$(cat "$work/said")" "distances left out: more than 20"

# The steps of the clock: none, whole ones, fractions, larger than the distances.
for step in 1 10 41.625 400 5000; do
    "$make" "$work/step$step" calls=20000 jitter=20 enter=90 leave=80 step="$step"
    found "$work/step$step/traces.otf2"
    ok "a clock in steps of $step ticks" awk -F, -v step="$step" '
        $1 == "trace" && $2 != "events" { print; n++; good = $6 + 0 > 0.99 * step && $6 + 0 < 1.01 * step }
        END { exit !(n == 1 && good) }' "$work/found.csv"
done
done_testing
