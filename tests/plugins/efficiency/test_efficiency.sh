#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Efficiency over random traces: useful times and ideal run times, of ranges of iterations too, are those of the oracle, tick
# for tick, with slices of any size and in any number of domains; factors multiply to what they are factors of.
# SEEDS (default 2) traces a kind; TRACES: more archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/random.sh"

synth=$top_builddir/tcflow-synth
always="--equal-timestamps 0.1" enough=4

# found INPUT [option...]: what the filter finds, as the oracle prints it, into $work/got
found()
{
    input=$1
    shift
    reported efficiency "$input" -o pipeline.survey=iterations -o iterations.anchor=work_4 -o iterations.bins=8 \
        -o iterations.output=/dev/null "$@" || return
    tr -d '\r' <"$work/report" | awk -F, '
        /^efficiency,/ && $2 != "scope" { printf "scope,%s,%s,%s,%s,%s\n", $2, $13, $14, $15, $16 }
        /^efficiency_iterations,/ && $2 != "first" { printf "range,%s,%s,%s,%s,%s,%s\n", $2, $3, $16, $17, $18, $19 }
        /^efficiency_processes,/ && $2 != "rank" {
            n = NF
            printf "process,%s:%s,%s,%s,%s,%s,%s,%s,%s,%s\n", $n, $2, $(n - 8), $(n - 7), $(n - 6), $(n - 5), $(n - 4), $(n - 3),
                $(n - 2), $(n - 1)
        }' | sort >"$work/got"
}

# factors: those of each scope multiply
factors()
{
    tr -d '\r' <"$work/report" | awk -F, '
        function off(a, b) { return a > b * 1.000001 || b > a * 1.000001 }
        /^efficiency,/ && $2 != "scope" && (off($3 * 100, $4 * $5) || off($5 * 100, $6 * $7)) { print; bad = 1 }
        /^efficiency_iterations,/ && $2 != "first" && (off($5 * 100, $6 * $7) || off($7 * 100, $8 * $9)) { print; bad = 1 }
        /^efficiency(_iterations)?,/ { for (i = 5; i < 8; i++) if ($i > 100.000001) { print; bad = 1 } }
        END { exit bad }'
}

# check ANCHOR: as the oracle with any window. There is no survey: every channel is trusted.
check()
{
    timeout 120 "$oracle" efficiency "$1" --trusting --anchor work_4 --time-bins 8 2>"$work/why" | sort >"$work/expected"
    [ -s "$work/expected" ] || { failed="$failed
$name: $(cat "$work/why")"; return; }
    for window in slice=0 slice=1 "slice=$((seed * 5 % 500 + 2))" "slice=$((seed % 50 + 3)) memory=1MiB" threads=2 threads=8; do
        set -- "$1"
        for option in $window; do
            set -- "$@" -o "pipeline.$option"
        done
        try "$window" found "$@"
        in_order || continue
        try "as the oracle, $window" equal "$work/expected" "$work/got"
        try "factors, $window" factors
        compared=$((compared + 1))
    done
}

random_programs
random "idle, and tasks" --features "$single,openmp,locks" --idle
archives

# Simulated: the last rank computes twice as long as the first one; nothing else is slow. The mean of the others' loads is
# known, and so is that the network has no part in it.
"$synth" --ranks 6 --events 30k --pattern imbalance --imbalance 1 --compute 1ms:0 --overwrite "$work/synth" >"$work/said" 2>&1
reported efficiency "$work/synth/traces.otf2"
ok "load balance is 1.5 / 2, and the only loss" sh -c "tr -d '\r' <'$work/report' | awk -F, '
    /^efficiency,program/ { found = 1; bad = \$4 < 74.9 || \$4 > 75.1 || \$5 < 98 || \$6 < 98 } END { exit bad || !found }'"
"$synth" --ranks 6 --events 30k --pattern ring --compute 1ms:0 --latency 1ms,1ms,1ms --overwrite "$work/synth" >"$work/said" 2>&1
reported efficiency "$work/synth/traces.otf2"
ok "a slow network: transfer is the only loss" sh -c "tr -d '\r' <'$work/report' | awk -F, '
    /^efficiency,program/ { found = 1; bad = \$4 < 98 || \$6 < 98 || \$7 > 60 } END { exit bad || !found }'"

# The survey has counted events that a filter drops then.
"$synth" --ranks 2 --events 5k --overwrite "$work/synth" >"$work/said" 2>&1
iterations="-o pipeline.survey=iterations -o iterations.output=/dev/null"
# shellcheck disable=SC2086
tcflow -i "$work/synth" -o pipeline.chain=efficiency $iterations >"$work/said" 2>"$work/why"
like "by iteration" "$(cat "$work/said")" "Efficiency by iteration of the main loop"
# shellcheck disable=SC2086
tcflow -i "$work/synth" -o 'pipeline.chain=select efficiency' -o select.from=1ms $iterations >"$work/said" 2>"$work/why"
is "not where events are dropped" "$(grep -c 'by iteration of the main loop' "$work/said")" 0
like "which is told" "$(cat "$work/why")" "no efficiency by iteration"
done_testing
