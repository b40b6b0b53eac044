#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make bench-accuracy`: how near corrected times come to the true ones, on simulated programs whose clocks are wrong in
# known ways (tcflow-synth).
#
#   tests/bench/accuracy.sh [TRAFFIC]...          both sparse mostly oneway apart; all by default
#
# Each case runs twice, and every stage of the chain is written and compared with the true trace, event by event:
#
#   linear      presync with the clock offsets measured at both ends, then clc_forward, clc_backward
#   estimated   survey = clock_estimate mu_estimate, presync, clc_forward, clc_backward
#
# Errors are in microseconds, root mean square and largest, of all events of all ranks, absolute: rank 0 shows true time, and
# corrections are to that. With CENTRED=1 the mean difference of all events is taken out first, for nobody can
# know it who has no clock but those of the trace. Traces have 100,000 events a rank, but EVENTS (6400000) in all at most,
# and last about DURATION seconds (60) however many that is: programs compute for as long as that needs, and the fewer events the
# rarer they talk. The length of a computation stands beside the number of ranks. RANKS ("4 16 64 64:2000000 1024:32000000
# 1024:2000000 16@2 16@4 64@16", of other traffic "16 16@2 16@4 64@16"; behind the colon what EVENTS is for them, behind @ how many
# ranks share a node and its clock, where each has its own otherwise), CLOCKS (names below), SEEDS (1; rows show the root mean square over
# seeds and the largest of all).
# Traces lie in SCRATCH (a folder in /dev/shm) and are removed. FORMAT=short prints the table of doc/figures.md, FORMAT=rows one line of numbers for each seed,
# FORMAT=bounds, for clocks that are not linear, what could be had at best from the same messages (clock-bound.c).
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/scratch.sh" accuracy
seeds=${SEEDS:-1}
duration=${DURATION:-60}
clocks=${CLOCKS:-drift sine-6 sine-5 sine-4 walk jumps}
export LC_ALL=C

# Offsets of milliseconds and drifts of 10 ppm everywhere. The wave has a period of 20 s; its amplitude makes rates deviate by at
# most 10^-6, 10^-5, 10^-4.
clock()
{
    case $1 in
        drift) echo offset=1ms,drift=10 ;;
        sine-6) echo offset=1ms,drift=10,sine=3183ns:20s ;;
        sine-5) echo offset=1ms,drift=10,sine=31831ns:20s ;;
        sine-4) echo offset=1ms,drift=10,sine=318310ns:20s ;;
        walk) echo offset=1ms,drift=10,walk=5us ;;
        jumps) echo offset=1ms,drift=10,jumps=0.1:50us ;;
        *) echo "accuracy.sh: no such clock: $1" >&2; return 1 ;;
    esac
}

clock_name()
{
    case $1 in
        drift) echo "linear drift" ;;
        sine-*) echo "sine, rate 10^${1#sine}" ;;
        walk) echo "random walk" ;;
        *) echo "$1" ;;
    esac
}

# Who talks to whom; how many events of a rank come with one computation, roughly, and what part of EVENTS there is.
traffic()
{
    case $1 in
        both) title="Messages in both directions: ring, halo, collectives" pattern=ring,halo,collectives each=10 part=1
            short="both directions" ;;
        sparse) title="Sparse: the same, with a fortieth of the messages" pattern=ring,halo,collectives each=10 part=40
            short=sparse ;;
        apart) title="Pairs of neighbours that talk to nobody else: of what both do alike nobody can know more than was measured"
            pattern=latesender each=5 part=20 short="pairs apart" ;;
        oneway) title="One direction only: a pipeline from rank 0 to the last" pattern=pairs each=6 part=1
            short="one direction" ;;
        mostly) title="Mostly one direction: nine pipelines, then a halo exchange" each=6 part=1
            short="mostly one direction" pattern=pairs,pairs,pairs,pairs,pairs,pairs,pairs,pairs,pairs,halo ;;
        *) echo "accuracy.sh: no such traffic: $1" >&2; return 1 ;;
    esac
}

# events RANKS, compute RANKS: of the trace; microseconds of a computation
events()
{
    awk -v r="$1" -v most="${of_all:-${EVENTS:-6400000}}" -v part="$part" 'BEGIN { printf "%d", (1e5 * r < most ? 1e5 * r : most) / part }'
}

compute()
{
    awk -v d="$duration" -v each="$each" -v r="$1" -v n="$(events "$1")" 'BEGIN { printf "%.0f", 1e6 * d * each * r / n }'
}

# The chain with a report and an archive behind each stage.
pipeline()
{
    printf '[pipeline]\ninput = %s\n%s\nchain = presync r1 w1 clc_forward r2 w2 clc_backward r3 w3\nreports = r1 r2 r3\n' \
        "$work/skewed/traces.otf2" "$1"
    printf '[presync]\nmethod = %s\nunsynchronised = keep\n' "$2"
    for stage in 1 2 3; do
        printf '[w%d]\nfilter = otf2_write\npath = %s\noverwrite = yes\n' $stage "$work/stage$stage"
        printf '[r%d]\nfilter = clock_report\noutput = %s\nformat = csv\noverwrite = yes\n' $stage "$work/report$stage"
    done
}

# errors A B: rms max of the differences in microseconds, or the centred ones; then the numbers of events and moved ones
errors()
{
    "$top_builddir/tests/bench/clock-error" "$1/traces.otf2" "$2/traces.otf2" | awk -v centred="${CENTRED:-0}" '
        { for (i = 1; i < NF; i += 2) of[$i] = $(i + 1)
          if (centred > 0) printf "%.4f %.4f", of["centred_rms"] * 1e6, of["centred_max"] * 1e6
          else printf "%.4f %.4f", of["rms"] * 1e6, of["max"] * 1e6
          printf " %d %d\n", of["events"], of["moved"] }'
}

# violations REPORT COLUMN: sum over classes (4 before, 7 after)
violations()
{
    awk -F, -v column="$2" '$1 == "violations" { n += $column } END { print n + 0 }' "$1"
}

# distorted REPORT: how many of a million intervals between neighbouring events are a tenth longer or shorter than recorded
distorted()
{
    awk -F, '$1 == "distortion" && $2 == "local" { n += $4; if ($3 == "undefined" || $3 + 0 >= 0.1) far += $4 }
        END { printf "%.0f\n", n ? 1e6 * far / n : 0 }' "$1"
}

# bar REPORT: the largest error bar of a location in microseconds
bar()
{
    awk -F, '$1 == "locations" && $6 + 0 > most { most = $6 } END { printf "%.4f\n", most * 1e6 }' "$1"
}

# measure RANKS CLOCK SEED: one line of numbers, see `show`
measure()
{
    local ranks=$1 k
    "$top_builddir/tcflow-synth" --ranks "$ranks" --nodes $((ranks / on_node)) --events "$(events "$ranks")" --seed "$3" --pattern "$pattern" \
        --compute "$(compute "$ranks")us" --clock "$(clock "$2")" --measure both --overwrite --true-trace "$work/true" "$work/skewed" \
        >"$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
    local bounds=
    [ "${FORMAT:-table}" != bounds ] || bounds=$(bounds "$2")
    pipeline "survey = mu_estimate" archive >"$work/linear.ini"
    pipeline "survey = clock_estimate mu_estimate" survey >"$work/estimated.ini"
    set -- $(errors "$work/true" "$work/skewed")
    local line="$1 $2" reversed
    for k in linear estimated; do
        "$tcflow" -q --no-progress -c "$work/$k.ini" >"$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
        [ $k = estimated ] || reversed=$(violations "$work/report1" 4)
        for stage in 1 2 3; do
            set -- $(errors "$work/true" "$work/stage$stage")
            line="$line $1 $2"
            reversed="$reversed $(violations "$work/report$stage" 7)"
        done
        set -- $(errors "$work/stage1" "$work/stage3")
        line="$line $1 $2 $(awk -v m="$4" -v n="$3" 'BEGIN { printf "%.3f", 100 * m / n }') $(distorted "$work/report3")"
    done
    rm -rf "$work"/stage? "$work/true" "$work/skewed"
    echo "$line $(bar "$work/report1") $reversed $bounds"
}

# bounds CLOCK: of all clocks together, of one alone, in microseconds
bounds()
{
    "$top_builddir/tests/bench/clock-bound" "$work/true/traces.otf2" "$work/skewed/traces.otf2" "$(clock "$1")" |
        awk '{ print 1e6 * $8, 1e6 * $6 }'
}

# Of the lines of all seeds: fields are pairs rms, max of raw (1), linear and its two CLC stages (3, 5, 7), how far CLC moved
# (9 rms, 10 max, 11 percent of events), distortion (12); the same of the estimate (13, 15, 17; 19, 20, 21; 22); its error bar
# (23); violations raw (24), linear and CLC (25-27), estimate and CLC (28-30); bounds (31, 32).
show()
{
    awk -v ranks="$1" -v name="$2" -v goal="$3" -v format="${FORMAT:-table}" -v short="$short" '
        function figure(x) { return sprintf(x >= 99.95 ? "%.0f" : x >= 9.995 ? "%.1f" : x >= 0.9995 ? "%.2f" : "%.3f", x) }
        function pair(i) { return figure(sqrt(square[i] / NR)) " (" figure(most[i + 1]) ")" }
        function ratio_of(i) { return figure(sqrt(square[i] / NR)) sprintf(" (1/%.3g)", sqrt(square[3] / square[i])) }
        function whole(i) { return sprintf("%.0f", sum[i] / NR) }
        { for (i = 1; i <= NF; i++) { square[i] += $i * $i; sum[i] += $i; most[i] = $i > most[i] ? $i : most[i] }
          ratio = $3 > 0 ? $17 / $3 : 0; worst = ratio > worst ? ratio : worst
          worse += $17 > $3 + $23; outside += $18 > $23 + 0.002 }
        END {
            if (format == "short") {
                printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", short, ranks, name, pair(1), pair(3), pair(7), pair(17), figure(most[23])
                exit
            }
            if (format == "bounds") {
                printf "| %s | %s | %s | %s | %s | %s |\n", ranks, name, figure(sqrt(square[3] / NR)), ratio_of(13), ratio_of(31), ratio_of(32)
                exit
            }
            verdict = goal == "" ? "-" : worst <= goal ? "yes" : "no"
            printf "| %s | %s | %s | %s | %s | %s | %s | %s | %.3f | %s | %s | %d of %d | %d of %d | %s, %s, %s, %s | %s, %s, %s | %s (%s), %.2f %% | %s, %s |\n",
                ranks, name, pair(1), pair(3), pair(5), pair(7), pair(13), pair(17), worst, verdict, figure(most[23]),
                worse, NR, outside, NR, whole(24), whole(25), whole(26), whole(27), whole(28), whole(29), whole(30),
                figure(sqrt(square[19] / NR)), figure(most[20]), sum[21] / NR, whole(12), whole(22)
        }'
}

table()
{
    local goal item ranks on_node of_all clock seed of=${RANKS:-}
    traffic "$1"
    case $1 in both) goal=0.05 ;; sparse | mostly) goal=0.5 ;; *) goal= ;; esac
    [ -n "$of" ] || of=$([ "$1" = both ] && echo "4 16 64 64:2000000 1024:32000000 1024:2000000" || echo 16)$([ "${FORMAT:-table}" = bounds ] || echo " 16@2 16@4 64@16")
    if [ "${FORMAT:-table}" = table ]; then
        printf '\n%s; rms (largest) error in us%s, %s seeds. Goal where clocks are not linear: at most %s of linear.\n\n' "$title" \
            "$([ "${CENTRED:-0}" = 0 ] || echo ", without what is common to all events")" "$seeds" "$goal"
        echo "| ranks, computation | clocks | raw | linear | + forward | + backward | estimated | estimated + CLC | ratio to linear | goal met | error bar | worse than linear + bar | largest error beyond bar | reversed: raw, linear, + forward, + backward | estimated, + forward, + backward | CLC behind the estimate moves: rms (largest), events | intervals changed by a tenth, per million: linear, estimated + CLC |"
        echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    fi
    for item in $of; do
        ranks=${item%:*}
        of_all=
        [ "$item" = "$ranks" ] || of_all=${item#*:}
        on_node=${ranks#*@}
        [ "$on_node" != "$ranks" ] || on_node=1
        ranks=${ranks%@*}
        for clock in $clocks; do
            for ((seed = 1; seed <= seeds; seed++)); do
                measure "$ranks" "$clock" "$seed" || { echo "accuracy.sh: $1, $ranks ranks, $clock, seed $seed failed" >&2; exit 1; }
            done >"$work/lines"
            if [ "${FORMAT:-table}" != rows ]; then
                show "$ranks$([ $on_node = 1 ] || echo ", $on_node a node"), $(compute "$ranks" | awk '{ printf $1 < 1e4 ? "%.1f" : "%.0f", $1 / 1000 }') ms" "$(clock_name "$clock")" "$([ "$clock" = drift ] || echo "$goal")" <"$work/lines"
            else
                awk -v start="$1 $ranks@$on_node $clock" '{ print start, NR, $0 }' "$work/lines"
            fi
        done
    done
}

if [ "${FORMAT:-table}" = bounds ]; then
    clocks=${clocks#drift }
    echo "| ranks, computation | clocks | linear | estimated | best linear estimate that knows all but the clocks | one clock alone, all else known |"
    echo "|---|---|---|---|---|---|"
fi
if [ "${FORMAT:-table}" = short ]; then
    echo "| messages | ranks, computation | clocks | raw | linear | linear + CLC | estimated + CLC | error bar |"
    echo "|---|---|---|---|---|---|---|---|"
fi
[ $# -gt 0 ] || set -- both sparse mostly oneway apart
for kind in "$@"; do
    table "$kind"
done
