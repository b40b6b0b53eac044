#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# skew spoils the clocks of random traces, and presync repairs them: with measurements where the errors are linear, with the
# truth whatever they are. What comes out depends on the seed and on nothing else; the clocks never run backwards.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

oracle=$top_builddir/tests/support/oracle/oracle

# run IN OUT CHAIN OPTION...
run()
{
    in=$1
    out=$2
    chain=$3
    shift 3
    rm -rf "$out"
    timeout 100 "$TCFLOW" -q -i "$in" -o pipeline.chain="$chain otf2_write" -o otf2_write.path="$out" "$@"
}

# skewed OPTION...: from $trace to $work/skewed
skewed()
{
    run "$trace" "$work/skewed" skew -o skew.measurements="$work/measured.csv" -o skew.truth="$work/truth.csv" \
        -o skew.overwrite=yes "$@"
}

# distance ARCHIVE ARCHIVE: the largest difference of two events' times, and the largest one above the smallest; "order" when a
# location's times decrease. Times are taken from a base, for awk has 53 bits.
distance()
{
    "$oracle" dump "$1" | cut -d ' ' -f 1-4 >"$work/a"
    "$oracle" dump "$2" | cut -d ' ' -f 1-4 >"$work/b"
    paste -d ' ' "$work/a" "$work/b" | awk '
        /^#/ { next }
        $1 != $5 || $2 != $6 || $4 != $8 { print "other events"; exit }
        $1 == location && $7 + 0 < last { print "order"; exit }
        { location = $1; last = $7 + 0; d = $7 - $3; d = d < 0 ? -d : d; if (d > most) most = d; n++ }
        END { printf "%d %d\n", (n > 0 ? most : -1), n }' | head -n 1
}

within()
{
    set -- "$1" $2 "$3"
    [ "$2" -ge 0 ] 2>/dev/null && [ "$2" -le "$4" ]
}

failed=
for seed in $(seeds_of 5); do
    rm -rf "$work/trace"
    timeout 60 "$generate" random --out "$work/trace" --seed $seed --ranks $((seed % 5 + 3)) --events 4000 --features p2p,collectives \
        --omp-threads $((seed % 2 + 1)) --ranks-per-node 2 >"$work/generate" 2>&1 || failed="$failed $seed: not generated"
    trace=$work/trace/traces.otf2
    for per in process node location; do
        skewed -o skew.seed=$seed -o skew.per=$per -o skew.offset=3ms -o skew.drift=100 >"$work/why" 2>&1 ||
            failed="$failed $seed/$per: $(head -n 1 "$work/why")"
        moved=$(distance "$trace" "$work/skewed/traces.otf2")
        [ "${moved% *}" -gt 1000 ] 2>/dev/null || failed="$failed $seed/$per: moved by $moved"
        for file in measured truth; do
            run "$work/skewed/traces.otf2" "$work/back" presync -o presync.file="$work/$file.csv" \
                -o presync.output="$work/report" -o presync.overwrite=yes >"$work/why" 2>&1 ||
                failed="$failed $seed/$per/$file: $(head -n 1 "$work/why")"
            back=$(distance "$trace" "$work/back/traces.otf2")
            within x "$back" 2 || failed="$failed $seed/$per/$file: off by $back"
        done
    done
done
is "linear errors: measurements, and the truth, give the times back within 2 ticks" "$failed" ""

# offsets: how many different errors the locations have, when each has only one.
offsets()
{
    "$oracle" dump "$trace" | cut -d ' ' -f 1-3 >"$work/a"
    "$oracle" dump "$work/skewed/traces.otf2" | cut -d ' ' -f 1-3 >"$work/b"
    paste -d ' ' "$work/a" "$work/b" | awk '!/^#/ { d = $6 - $3; if ($1 in of && of[$1] != d) print "not constant"; of[$1] = d }
        END { for (l in of) { n++; seen[of[l]] = 1 } for (d in seen) k++; print k, n }'
}

rm -rf "$work/trace"
timeout 60 "$generate" random --out "$work/trace" --seed 4 --ranks 6 --events 6000 --features all --omp-threads 2 --ranks-per-node 2 \
    >"$work/generate" 2>&1
trace=$work/trace/traces.otf2
for per in process node location; do
    ok "offsets alone, per $per" skewed -o skew.per=$per -o skew.offset=1ms
    counts=$(offsets)
    case $per in
        process) is "one for each process" "${counts% *}" 6 ;;
        node) is "one for each node" "${counts% *}" 3 ;;
        location) is "one for each location" "${counts% *}" "${counts#* }" ;;
    esac
done

# Waves and walks: the truth gives all back. The traces take some milliseconds, so periods are short.
failed=
for seed in $(seeds_of 4); do
    skewed -o skew.seed=$seed -o skew.offset=1ms -o skew.drift=20 -o skew.sine=20us -o skew.sine_period=1ms \
        -o skew.walk=50us >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 1 "$work/why")"
    run "$work/skewed/traces.otf2" "$work/back" presync -o presync.file="$work/truth.csv" -o presync.output="$work/report" \
        -o presync.overwrite=yes >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 1 "$work/why")"
    back=$(distance "$trace" "$work/back/traces.otf2")
    within x "$back" 2 || failed="$failed $seed: off by $back"
    run "$work/skewed/traces.otf2" "$work/back" presync -o presync.file="$work/measured.csv" -o presync.output="$work/report" \
        -o presync.overwrite=yes >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 1 "$work/why")"
    back=$(distance "$trace" "$work/back/traces.otf2")
    within x "$back" 100 && failed="$failed $seed: a wave cannot be seen in two measurements, but off by $back only"
done
is "waves and walks: the truth gives the times back" "$failed" ""

# Jumps: where a clock stands still, what it read says only which stretch of time it was.
failed=
for seed in $(seeds_of 4); do
    skewed -o skew.seed=$seed -o skew.jumps=1000 -o skew.jump=90us >"$work/why" 2>&1 ||
        failed="$failed $seed: $(head -n 1 "$work/why")"
    moved=$(distance "$trace" "$work/skewed/traces.otf2")
    within x "$moved" 200000 || failed="$failed $seed: moved by $moved"
    run "$work/skewed/traces.otf2" "$work/back" presync -o presync.file="$work/truth.csv" -o presync.output="$work/report" \
        -o presync.overwrite=yes >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 1 "$work/why")"
    back=$(distance "$trace" "$work/back/traces.otf2")
    within x "$back" 180001 || failed="$failed $seed: off by $back"
done
is "jumps: no clock runs backwards, and the truth leads back to where it stood" "$failed" ""

all="-o skew.seed=7 -o skew.offset=1ms -o skew.drift=20 -o skew.sine=20us -o skew.sine_period=1ms -o skew.walk=50us
    -o skew.jumps=1000 -o skew.jump=50us -o skew.measurement_error=1us"
# shellcheck disable=SC2086
ok "all errors together" skewed $all
mv "$work/skewed" "$work/first"
cp "$work/measured.csv" "$work/first.csv"
cp "$work/truth.csv" "$work/first.truth"
for option in pipeline.slice=1 pipeline.slice=17; do
    # shellcheck disable=SC2086
    ok "again with $option" skewed $all -o $option
    is "the same times" "$(distance "$work/first/traces.otf2" "$work/skewed/traces.otf2" | cut -d ' ' -f 1)" 0
    same "the same measurements" "$work/first.csv" "$work/measured.csv"
    same "the same truth" "$work/first.truth" "$work/truth.csv"
done
# shellcheck disable=SC2086
ok "another seed" skewed $all -o skew.seed=8
ok "is another error" test "$(distance "$work/first/traces.otf2" "$work/skewed/traces.otf2" | cut -d ' ' -f 1)" -gt 1000
ok "measurements have errors" sh -c "! cmp -s '$work/first.csv' '$work/measured.csv'"

ok "no error at all" skewed
is "changes nothing" "$(distance "$trace" "$work/skewed/traces.otf2" | cut -d ' ' -f 1)" 0

# stated ANCHOR: how far clocks may be apart, as the archive says it
stated()
{
    otf2-print -I "$1" | sed -n '/TCFLOW::CLOCK_UNCERTAINTY/{ n; s/^Property value *//; p; }'
}
is "of clocks that nobody has corrected nothing is stated" "$(stated "$work/skewed/traces.otf2")" ""
skewed -o skew.offset=3ms -o skew.measurement_error=1us >"$work/why" 2>&1
run "$work/skewed/traces.otf2" "$work/back" presync -o presync.file="$work/measured.csv" -o presync.output="$work/report" \
    -o presync.overwrite=yes >"$work/why" 2>&1
is "of corrected ones it is" "$(stated "$work/back/traces.otf2")" "2e-06 s"
run "$work/back/traces.otf2" "$work/worse" skew -o skew.offset=3ms >"$work/why" 2>&1
is "but not of clocks that are made bad again" "$(stated "$work/worse/traces.otf2")" unknown
run "$work/skewed/traces.otf2" "$work/worse" "presync skew" -o presync.file="$work/measured.csv" -o presync.output="$work/report" \
    -o presync.overwrite=yes -o skew.offset=3ms >"$work/why" 2>&1
is "nor of those that are so in one go" "$(stated "$work/worse/traces.otf2")" unknown
fails 2 "files are not replaced" run "$trace" "$work/skewed" skew -o skew.truth="$work/truth.csv"
fails 2 "nor are they written into a folder that isn't there" run "$trace" "$work/one" skew -o skew.truth="$work/nowhere/truth.csv"
fails 2 "nor both into one" run "$trace" "$work/two" skew -o skew.truth="$work/both.csv" -o skew.measurements="$work/both.csv"
cp "$work/truth.csv" "$work/before"
(
    ulimit -f 0
    trap '' XFSZ
    exec timeout 100 "$TCFLOW" -q -i "$trace" -o pipeline.chain=skew -o skew.truth="$work/truth.csv" -o skew.overwrite=yes \
        -o skew.offset=1ms
) >/dev/null 2>&1
is "a file that cannot be written fails" "$?" 1
same "and leaves the older one" "$work/truth.csv" "$work/before"
fails 2 "a clock that would run backwards all the time" run "$trace" "$work/skewed" skew -o skew.jumps=1000 -o skew.jump=1ms
done_testing
