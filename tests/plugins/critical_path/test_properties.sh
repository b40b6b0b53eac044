#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The critical path over random traces: what the whole-trace oracle finds walking backwards, with slices and windows of any size, caps
# that are not reached, wrong clocks, losses; behind other filters as well; with caps that are reached; programs of which the path is known.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

synth=$top_builddir/tcflow-synth
as_oracle=$top_srcdir/tests/plugins/critical_path/as_oracle.awk

always="--equal-timestamps 0.1" enough=6

# found INPUT [option...]: all that the filter tells, into $work/got; what was given up, or reached a cap, is in $work/notes.
found()
{
    input=$1
    shift
    reported critical_path "$input" -o critical_path.by_location=yes -o critical_path.all=yes \
        -o critical_path.bins=37 "$@" || return
    awk -f "$as_oracle" "$work/report" | LC_ALL=C sort >"$work/got"
}

# Everything that the trace has was looked at.
complete() { complete_but max_; }

# The path is as long as its parts, and as the time between its ends; nothing is negative; who is faster than the path is not slower.
consistent()
{
    tr -d '"\r' <"$work/report" | awk -F, '
        $1 == "path" && $2 != "length" { length_ = $7; between = $4 - $3 }
        $1 == "callpaths" && $2 != "time" { parts += $9; for (i = 9; i <= 14; i++) if ($i < 0) { print; bad = 1 } }
        $1 == "locations" && $2 != "location" { by_location += $5 }
        $1 == "callpaths" && $2 != "time" && $13 > $12 * 1.000001 + 1 && $12 > 0 { less++ }
        END { if (parts != length_ || (by_location != length_ && !no_locations) || between != length_) {
                  print "length " length_ ", parts " parts ", by location " by_location ", from begin to end " between; bad = 1 }
              exit bad }'
}

expect()
{
    timeout 120 "$oracle" critical "$@" --trusting --time-bins 37 2>"$work/why" | LC_ALL=C sort >"$work/expected"
    [ -s "$work/expected" ]
}

# check ANCHOR: as the oracle with any window, and the same report to the last digit. There is no survey: every channel is trusted.
check()
{
    expect "$1" || { failed="$failed
$name: $(cat "$work/why")"; return; }
    rm -f "$work/first"
    for window in slice=0 slice=1 "slice=$((seed * 5 % 500 + 2))" "slice=$((seed % 50 + 3)) memory=1MiB" "slice=9 kept=1024" "slice=0 kept=4096" "slice=3 kept=100000"; do
        set -- "$1"
        for option in $window; do
            case $option in
            kept=*) set -- "$@" -o "critical_path.max_$option" ;;
            *) set -- "$@" -o "pipeline.$option" ;;
            esac
        done
        try "$window" found "$@"
        try "adds up, $window" consistent
        complete || continue
        try "as the oracle, $window" equal "$work/expected" "$work/got"
        compared=$((compared + 1))
        case $window in
        slice=0) cp "$work/report" "$work/first" ;;
        *kept=*) ;;
        *) [ ! -e "$work/first" ] || try "the same report, $window" equal "$work/first" "$work/report" ;;
        esac
    done
}

random_programs
random "idle, and tasks" --features p2p,nonblocking,sendrecv,collectives,openmp,locks,pthreads --idle
random "epochs of windows" --features "$single,openmp,rma,window-collectives" --epochs
random "locks of windows" --features "$single,openmp,rma,window-collectives" --epochs --passive
random "wrong clocks" --features "$single,openmp,locks,pthreads" --clock-offset-ns 30000 --clock-drift-ppm 100 --clock-jumps 2 \
    --clock-jump-ns 4000

archives

# -------------------------------------------------------------------------------------------------------------- options

failed= name="scans" kind=scans
made 5 --events 3000 --features collectives,subcomms
expect "$work/trace/traces.otf2" --scans
cp "$work/expected" "$work/with"
expect "$work/trace/traces.otf2"
try "make a difference" sh -c '! cmp -s "$1" "$2"' . "$work/with" "$work/expected"
try "found" found "$work/trace/traces.otf2" -o critical_path.scans=yes -o pipeline.slice=7
try "as the oracle" equal "$work/with" "$work/got"
is "scans, on request" "$failed" ""

# What is not followed is counted; the path still adds up.
failed= name="caps" kind=caps
made 6 --events 20000 --features "$single" --lose-receives 0.05
for caps in "open=16 kept=1024" "open=16 kept=100000" "open=100 kept=1024" "open=100000 kept=1024"; do
    set -- "$work/trace/traces.otf2" -o pipeline.slice=100
    for cap in $caps; do
        set -- "$@" -o "critical_path.max_$cap"
    done
    try "$caps" found "$@"
    try "$caps adds up" consistent
    case $caps in *open=16*) reached=max_open ;; *) reached=max_ ;; esac
    try "$caps is counted" grep -q "^limits,$reached" "$work/report"
    try "$caps: a warning" grep -q "${reached}.* reached" "$work/notes"
done
is "caps that are reached" "$failed" ""

# Negative times don't exist, and there is a warning.
failed= name="clocks" kind=clocks
made 7 --events 2000 --features "$single" --clock-offset-ns 3000000
try "found" found "$work/trace/traces.otf2"
try "adds up" consistent
try "a warning" grep -q 'clocks are not right' "$work/notes"
is "wrong clocks are told" "$failed" ""

# --------------------------------------------------------------------------------------------------- with other filters

# Behind a correction of clocks: what is found is what is found in the corrected trace that is written.
failed= name="behind clc" kind=clc
made 7 --events 2000 --features "$single,openmp,locks" --clock-offset-ns 30000 --clock-drift-ppm 100
anchor=$work/trace/traces.otf2
quiet()
{
    case $1 in *forward*) printf ' -o clc_forward.mu=10ticks -o clc_forward.output=/dev/null -o clc_forward.overwrite=yes' ;; esac
    case $1 in *overhead*) printf ' -o overhead.event=30ticks -o overhead.mode=upper -o overhead.output=/dev/null -o overhead.overwrite=yes' ;; esac
    case $1 in *backward*) printf ' -o clc_backward.output=/dev/null -o clc_backward.overwrite=yes' ;; esac
}
for chain in "clc_forward critical_path" "clc_forward clc_backward critical_path" "clc_forward clc_backward overhead critical_path" \
    "critical_path clc_forward" "clc_forward critical_path clc_backward"; do
    rm -rf "$work/written"
    before=${chain%%critical_path*}
    [ -n "$before" ] || before=pass
    # shellcheck disable=SC2046
    try "$chain" found "$anchor" -o "pipeline.chain=$chain" -o pipeline.slice=50 $(quiet "$chain")
    cp "$work/got" "$work/behind"
    # shellcheck disable=SC2046
    try "$chain: written" timeout 60 "$TCFLOW" -q -i "$anchor" -o "pipeline.chain=$before otf2_write" \
        -o otf2_write.path="$work/written" $(quiet "$before")
    expect "$work/written/traces.otf2"
    for lines in expected behind; do # an archive's start, from which bins count, is that of its own events
        grep -v '^time,' "$work/$lines" >"$work/$lines.rest"
    done
    try "$chain: as the oracle over what is written" equal "$work/expected.rest" "$work/behind.rest"
done
try "two, and wait states" timeout 60 "$TCFLOW" -q -i "$anchor" -o "pipeline.chain=critical_path wait_states" \
    -o critical_path.output="$work/one" -o wait_states.output=/dev/null -o wait_states.overwrite=yes
is "behind and in front of other filters" "$failed" ""

# ------------------------------------------------------------------------------------------------------- known programs

made_by_synth()
{
    rm -rf "$work/synth"
    "$synth" --ranks 4 --nodes 1 --overhead 0 --recording 0ns --jitter 0ns,0ns,0ns "$@" "$work/synth" >"$work/why" 2>&1 &&
        found "$work/synth/traces.otf2"
}

for pattern in latesender imbalance; do
    if made_by_synth --pattern $pattern --events 4000 --seed 3; then
        expect "$work/synth/traces.otf2"
        same "$pattern: as the oracle" "$work/expected" "$work/got"
    else
        tap 1 "a program with $pattern"
        diag "$(head -n 3 "$work/why")"
    fi
done

# All wait for the last rank, which computes twice as long as the first one; the average of four is 1.5 of it.
if made_by_synth --pattern collectives --imbalance 1 --compute 1ms:0 --events 4000 --seed 3; then
    tr -d '"\r' <"$work/report" >"$work/plain"
    is "the path never leaves the slowest rank" "$(awk -F, '$1 == "locations" && $2 != "location" { print $2 }' "$work/plain" | sort -u)" 3
    is "and is there from begin to end" "$(awk -F, '$1 == "path" && $2 != "length" { print $6 }' "$work/plain")" 0
    is "a quarter of its computation is imbalance" "$(awk -F, '$NF == "main/compute" && $1 == "callpaths" {
        printf "%.3f %.2f", $10 / $9, $9 / 1e6 }' "$work/plain")" "0.250 328.00"
else
    tap 1 "a program with collectives and imbalance"
    diag "$(head -n 3 "$work/why")"
fi

done_testing
