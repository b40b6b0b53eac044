#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make bench`: what tcflow costs beside programs that do the same with bare libotf2, on the same generated traces.
#
#   tests/bench/run.sh [speed|correction|memory|streams|cold|many]...          the first four by default
#
# Each figure is the median over RUNS (default 5) of the CPU time, user + system, of whole processes; the programs of
# a row run in turn, so that a change in the machine's speed hits all of them. tcflow has one thread, as they have. Traces lie in SCRATCH (default: a folder
# in /dev/shm, where no disk is measured) and are removed. EVENTS (default 16000000), LOCATIONS (default "16 256 1024").
# ROWS: of `speed` only rows whose labels match this regular expression, as "^ppg". DISK: a folder on a disk, for `cold` (default:
# the build folder).
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/scratch.sh" bench
bin=$top_builddir/tests
runs=${RUNS:-5}
events=${EVENTS:-16000000}
locations=${LOCATIONS:-16 256 1024}

# Sections of the filters of statistics.
statistics=() every=()
for name in comm_matrix message_histogram time_profile load_imbalance comm_comp metrics io; do
    statistics+=("[$name]" 'output = /dev/null' 'overwrite = yes')
done
for name in profile wait_states root_cause critical_path lateness iterations; do
    every+=("[$name]" 'output = /dev/null' 'overwrite = yes')
done

# ini NAME CHAIN [SECTION-LINE...]: writes $work/NAME.ini over the trace $trace
ini()
{
    local name=$1 chain=$2
    shift 2
    printf '[pipeline]\ninput = %s\nchain = %s\n' "$trace" "$chain" >"$work/$name.ini"
    [ $# -eq 0 ] || printf '%s\n' "$@" >>"$work/$name.ini"
}

# cpu COMMAND...: its user + system seconds
cpu()
{
    local TIMEFORMAT='%U %S' t
    rm -rf "$work/out" "$work/out.incomplete"
    t=$({ time "$@" >/dev/null 2>"$work/stderr"; } 2>&1) || { cat "$work/stderr" >&2; return 1; }
    awk '{ printf "%.3f\n", $1 + $2 }' <<<"$t"
}

median()
{
    sort -n | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'
}

flow()
{
    cpu "$tcflow" -q --no-progress -j 1 -c "$work/$1.ini"
}

# row LABEL GOAL REFERENCE COMMAND: REFERENCE and COMMAND are shell functions or words for cpu/flow
row()
{
    local label=$1 goal=$2 reference=$3 command=$4 a=() b=() k
    [[ $label =~ ${ROWS:-} ]] || return 0
    for ((k = 0; k < runs; k++)); do
        a+=("$($reference)")
        b+=("$($command)")
    done
    awk -v label="$label" -v goal="$goal" -v a="$(printf '%s\n' "${a[@]}" | median)" \
        -v b="$(printf '%s\n' "${b[@]}" | median)" -v n="$counted" 'BEGIN {
        printf "| %s | %.1f | %.1f | %.2f | %s |\n", label, b * 1e9 / n, a * 1e9 / n, b / a, goal }'
}

speed()
{
    local n
    for n in $locations; do
        trace=$work/trace$n/traces.otf2
        "$bin/support/generate/trace" bench --locations "$n" --events "$events" --out "$work/trace$n" >"$work/made"
        counted=$(grep -o 'events [0-9]*' "$work/made" | awk '{ print $2 }')
        ini copy otf2_write '[otf2_write]' "path = $work/out" 'overwrite = yes'
        ini checked "check otf2_write" '[otf2_write]' "path = $work/out" 'overwrite = yes' '[check]' 'output = /dev/null' \
            'overwrite = yes'
        ini check check '[check]' 'output = /dev/null' 'overwrite = yes'
        ini flat profile '[profile]' 'calltree = no' 'output = /dev/null' 'overwrite = yes'
        ini tree profile '[profile]' 'output = /dev/null' 'overwrite = yes'
        ini waits wait_states '[wait_states]' 'output = /dev/null' 'overwrite = yes'
        ini path critical_path '[critical_path]' 'output = /dev/null' 'overwrite = yes'
        ini waits_path "wait_states critical_path" '[wait_states]' 'output = /dev/null' 'overwrite = yes' \
            '[critical_path]' 'output = /dev/null' 'overwrite = yes'
        ini causes root_cause '[root_cause]' 'output = /dev/null' 'overwrite = yes'
        ini graph ppg '[ppg]' 'output = /dev/null' 'overwrite = yes'
        ini all_waits "wait_states root_cause critical_path" '[wait_states]' 'output = /dev/null' 'overwrite = yes' '[root_cause]' \
            'output = /dev/null' 'overwrite = yes' '[critical_path]' 'output = /dev/null' 'overwrite = yes'
        ini matrix comm_matrix '[comm_matrix]' 'output = /dev/null' 'overwrite = yes'
        ini histogram message_histogram '[message_histogram]' 'output = /dev/null' 'overwrite = yes'
        ini over_time time_profile '[time_profile]' 'output = /dev/null' 'overwrite = yes'
        ini imbalance load_imbalance '[load_imbalance]' 'output = /dev/null' 'overwrite = yes'
        ini overlap comm_comp '[comm_comp]' 'output = /dev/null' 'overwrite = yes'
        ini metrics metrics '[metrics]' 'output = /dev/null' 'overwrite = yes'
        ini io io '[io]' 'output = /dev/null' 'overwrite = yes'
        ini statistics "comm_matrix message_histogram time_profile load_imbalance comm_comp metrics io" "${statistics[@]}"
        ini every "profile comm_matrix message_histogram time_profile load_imbalance comm_comp metrics io wait_states root_cause \
critical_path lateness iterations" "${statistics[@]}" "${every[@]}"
        ini late lateness '[lateness]' 'output = /dev/null' 'overwrite = yes'
        ini iterate iterations '[iterations]' 'output = /dev/null' 'overwrite = yes'
        ini view perfetto_trace '[perfetto_trace]' 'path = /dev/null' 'overwrite = yes'
        ini shown timeline '[wait_states]' 'output = /dev/null' 'overwrite = yes' '[timeline]' 'output = /dev/null' \
            'overwrite = yes'
        sed -i 's/^chain = timeline/survey = wait_states\n&/' "$work/shown.ini"
        ini one pass
        ini ten "p1 p2 p3 p4 p5 p6 p7 p8 p9 p10"
        for k in 1 2 3 4 5 6 7 8 9 10; do printf '[p%d]\nfilter = pass\n' "$k" >>"$work/ten.ini"; done
        ini text print '[print]' 'output = /dev/null' 'overwrite = yes'

        copy() { cpu "$bin/bench/bare-copy" "$trace" "$work/out"; }
        in_turn() { cpu "$bin/bench/bare-copy" --sequential "$trace" "$work/out"; }
        read_() { cpu "$bin/bench/bare-read" "$trace"; }
        otf2_print() { cpu otf2-print "$trace"; }
        flow_copy() { flow copy; }
        flow_checked() { flow checked; }
        flow_check() { flow check; }
        flow_flat() { flow flat; }
        flow_tree() { flow tree; }
        flow_waits() { flow waits; }
        flow_path() { flow path; }
        flow_waits_path() { flow waits_path; }
        flow_causes() { flow causes; }
        flow_graph() { flow graph; }
        flow_all_waits() { flow all_waits; }
        flow_matrix() { flow matrix; }
        flow_histogram() { flow histogram; }
        flow_over_time() { flow over_time; }
        flow_imbalance() { flow imbalance; }
        flow_overlap() { flow overlap; }
        flow_metrics() { flow metrics; }
        flow_io() { flow io; }
        flow_late() { flow late; }
        flow_iterate() { flow iterate; }
        flow_statistics() { flow statistics; }
        flow_every() { flow every; }
        flow_view() { flow view; }
        flow_shown() { flow shown; }
        flow_one() { flow one; }
        flow_ten() { flow ten; }
        flow_text() { flow text; }

        printf '\n%s events, %s locations; ns of CPU time an event\n\n' "$counted" "$n"
        printf '| what | tcflow | beside it | ratio | goal |\n|---|---|---|---|---|\n'
        row "copy, beside a bare copy of all locations at once" "<= 0.4" copy flow_copy
        row "copy, beside a bare copy of one location after another" "" in_turn flow_copy
        row "check and copy, beside a bare copy of all at once" "<= 0.9" copy flow_checked
        row "pass, beside a bare read" "<= 0.4" read_ flow_one
        row "check, beside a bare read" "<= 0.85" read_ flow_check
        row "profile, flat, beside a bare read" "<= 0.6" read_ flow_flat
        row "profile with call tree, beside a bare read" "<= 0.6" read_ flow_tree
        row "wait_states, beside a bare read" "<= 1.6" read_ flow_waits
        row "critical_path, beside a bare read" "<= 2.5" read_ flow_path
        row "wait_states and critical_path, beside a bare read" "<= 3.5" read_ flow_waits_path
        row "root_cause, beside a bare read" "" read_ flow_causes
        row "ppg, beside a bare read" "<= 2.5" read_ flow_graph
        row "wait_states root_cause critical_path, beside a bare read" "<= 3.2" read_ flow_all_waits
        row "perfetto_trace, beside a bare read" "" read_ flow_view
        row "timeline with its survey, beside a bare read" "" read_ flow_shown
        row "comm_matrix, beside a bare read" "<= 1.5" read_ flow_matrix
        row "message_histogram, beside a bare read" "<= 1.5" read_ flow_histogram
        row "time_profile, beside a bare read" "<= 1.8" read_ flow_over_time
        row "load_imbalance, beside a bare read" "<= 1.5" read_ flow_imbalance
        row "comm_comp, beside a bare read" "<= 2" read_ flow_overlap
        row "metrics, beside a bare read" "<= 1.8" read_ flow_metrics
        row "io, beside a bare read" "<= 1.5" read_ flow_io
        row "all seven of them, beside a bare read" "<= 4" read_ flow_statistics
        row "lateness, beside a bare read" "<= 2.5" read_ flow_late
        row "iterations, beside a bare read" "<= 1.8" read_ flow_iterate
        row "these, profile, wait_states, root_cause and critical_path, beside a bare read" "<= 5.5" read_ flow_every
        row "ten pass-through filters, beside one" "< 1.1" flow_one flow_ten
        if command -v otf2-print >/dev/null; then
            runs=1 row "print, beside otf2-print" "<= 0.25" otf2_print flow_text
        fi
        rm -rf "$work/trace$n"
    done
}

# wall COMMAND...: its seconds on the clock
wall()
{
    local TIMEFORMAT=%R
    { time "$@" >/dev/null 2>"$work/stderr"; } 2>&1 || { cat "$work/stderr" >&2; return 1; }
}

# forget FOLDER: takes the files below it out of the page cache
forget()
{
    python3 -c 'import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        f = os.open(os.path.join(folder, name), os.O_RDONLY)
        os.fsync(f)
        os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(f)' "$1"
}

# Event files that come from a disk: `cat` of them, a run over files in memory, and one over files that are not, in turn. Goal: at most
# 1.1 times the longer one of the others.
cold()
{
    local disk n chain j k least='function least(t,    i, n, v) { n = split(t, v, " "); t = v[1]; for (i = 2; i <= n; i++) if (v[i] < t) t = v[i]; return t }'
    disk=$(mktemp -d "${DISK:-$top_builddir}/tcflow-cold.XXXXXX")
    trap 'rm -rf "$work" "$disk"' EXIT
    printf '\n%s events on a disk, seconds on the clock: median of %s runs (the least)\n\n' "$events" "$runs"
    printf '| locations, chain, -j | cat | in memory | from the disk | : the longer one | goal |\n|---|---|---|---|---|---|\n'
    for n in $locations; do
        "$bin/support/generate/trace" bench --locations "$n" --events "$events" --chunk-kib 256 --out "$disk/trace" >/dev/null
        for chain in pass check; do
            for j in 1 2; do
                local cat=() warm=() cold=() run=("$tcflow" -q --no-progress -j $j -i "$disk/trace/traces.otf2" -o "pipeline.chain=$chain")
                [ $chain = pass ] || run+=(-o "$chain.output=/dev/null")
                for ((k = 0; k < runs; k++)); do
                    forget "$disk/trace"
                    cat+=("$(wall find "$disk/trace" -name '*.evt' -exec cat {} +)")
                    warm+=("$(wall "${run[@]}")")
                    forget "$disk/trace"
                    cold+=("$(wall "${run[@]}")")
                done
                awk -v what="$n, $chain, $j" -v c="$(printf '%s\n' "${cat[@]}" | median)" -v w="$(printf '%s\n' "${warm[@]}" | median)" \
                    -v d="$(printf '%s\n' "${cold[@]}" | median)" -v cs="${cat[*]}" -v ws="${warm[*]}" -v ds="${cold[*]}" "$least"' BEGIN {
                    cl = least(cs); wl = least(ws); dl = least(ds)
                    printf "| %s | %.2f (%.2f) | %.2f (%.2f) | %.2f (%.2f) | %.2f (%.2f) | <= 1.1 |\n", what, c, cl, w, wl, d, dl,
                        d / (c > w ? c : w), dl / (cl > wl ? cl : wl) }'
            done
        done
        rm -rf "$disk/trace"
    done
    rm -rf "$disk"
    trap 'rm -rf "$work"' EXIT
}

# What an event costs with 16 and with MANY locations: of a run of EVENTS events and of a tenth of them the difference. What the short
# run takes beyond that is what locations cost.
many()
{
    local most=${MANY:-16384} n name length
    local -A seconds=() made=()
    for n in 16 "$most"; do
        for length in 1 10; do
            trace=$work/many/traces.otf2
            "$bin/support/generate/trace" bench --locations "$n" --events $((events / 10 * length)) --chunk-kib 256 --out "$work/many" \
                >"$work/made"
            made[$n,$length]=$(grep -o 'events [0-9]*' "$work/made" | awk '{ print $2 }')
            ini pass pass
            ini profile profile '[profile]' 'output = /dev/null' 'overwrite = yes'
            ini copy otf2_write '[otf2_write]' "path = $work/out" 'overwrite = yes'
            ini check check '[check]' 'output = /dev/null' 'overwrite = yes'
            ini waits wait_states '[wait_states]' 'output = /dev/null' 'overwrite = yes'
            ini three "wait_states root_cause critical_path" '[wait_states]' 'output = /dev/null' 'overwrite = yes' '[root_cause]' \
                'output = /dev/null' 'overwrite = yes' '[critical_path]' 'output = /dev/null' 'overwrite = yes'
            ini clocks "presync clc_forward clc_backward" '[presync]' 'unsynchronised = keep' 'method = none'
            ini correct "presync clc_forward clc_backward otf2_write" '[otf2_write]' "path = $work/out" 'overwrite = yes' '[presync]' \
                'unsynchronised = keep'
            sed -i 's/^chain/survey = clock_estimate mu_estimate\n&/' "$work/correct.ini"
            for name in pass profile copy check waits three clocks correct; do
                seconds[$n,$length,$name]=$(for ((k = 0; k < runs; k++)); do flow $name; done | median)
            done
            rm -rf "$work/many" "$work/out"
        done
    done
    printf '\nCPU time, ns an event and \302\265s a location; %s events of 16 and of %s locations, and a tenth of them\n\n' "$events" "$most"
    printf '| chain | 16 | %s | ratio, goal: <= 1.5 | a location |\n|---|---|---|---|---|\n' "$most"
    for name in pass profile copy check waits three clocks correct; do
        awk -v name=$name -v a="${seconds[16,1,$name]}" -v b="${seconds[16,10,$name]}" -v na="${made[16,1]}" -v nb="${made[16,10]}" \
            -v c="${seconds[$most,1,$name]}" -v d="${seconds[$most,10,$name]}" -v nc="${made[$most,1]}" -v nd="${made[$most,10]}" \
            -v n="$most" 'BEGIN {
            few = (b - a) / (nb - na); many = (d - c) / (nd - nc)
            printf "| %s | %.1f | %.1f | %.2f | %.1f |\n", name, few * 1e9, many * 1e9, many / few, (c - nc * many) * 1e6 / n }'
    done
}

# Streams: what writing and reading one costs beside a bare pipe of the same bytes, and what two processes take beside one. All
# of them in turn.
streams()
{
    local n=16 stream=$work/stream bytes what k
    trace=$work/trace$n/traces.otf2
    "$bin/support/generate/trace" bench --locations "$n" --events "$events" --out "$work/trace$n" >"$work/made"
    counted=$(grep -o 'events [0-9]*' "$work/made" | awk '{ print $2 }')
    local quiet=("$tcflow" -q --no-progress -j 1)
    local from=("${quiet[@]}" -i "$trace" -o pipeline.chain=stream_write -o stream_write.path=-)
    local nowhere=(-o stream_write.path=/dev/null -o stream_write.overwrite=yes)
    local waits=(-o 'pipeline.chain=wait_states profile critical_path' -o wait_states.output=/dev/null -o profile.output=/dev/null
        -o critical_path.output=/dev/null)
    "${from[@]}" >"$stream"
    bytes=$(wc -c <"$stream")
    alone() { cpu "${quiet[@]}" -i "$trace" -o pipeline.chain=pass; }
    written() { cpu "${from[@]}" "${nowhere[@]}"; }
    unmatched() { cpu "${from[@]}" "${nowhere[@]}" -o stream_write.matches=no; }
    passed() { cpu "${quiet[@]}" -i stream:"$stream" -o pipeline.chain=pass; }
    checked() { cpu "${quiet[@]}" -i stream:"$stream" -o pipeline.chain=check -o check.output=/dev/null; }
    piped() { cpu bash -c '"$@" | '"'$tcflow'"' -q --no-progress -i - -o pipeline.chain=pass' - "${from[@]}"; }
    bare() { cpu bash -c "cat '$stream' | cat >/dev/null"; }
    behind() { cpu "${quiet[@]}" -i stream:"$stream" "${waits[@]}"; }
    whole() { cpu "${quiet[@]}" -i "$trace" "${waits[@]}"; }
    one() { wall "${quiet[@]}" -i "$trace" "${waits[@]}"; }
    two() { wall bash -c '"$@" | '"'$tcflow'"' -q --no-progress -i - '"${waits[*]@Q}" - "${from[@]}"; }
    local -A took=()
    for ((k = 0; k < runs; k++)); do
        for what in alone written unmatched passed checked piped bare behind whole one two; do
            took[$what]+="$($what)"$'\n'
        done
    done
    for what in "${!took[@]}"; do took[$what]=$(median <<<"${took[$what]%$'\n'}"); done
    printf '\n%s events, %s locations; %s bytes of stream an event\n\n' "$counted" "$n" \
        "$(awk -v b="$bytes" -v n="$counted" 'BEGIN { printf "%.1f", b / n }')"
    awk -v alone="${took[alone]}" -v written="${took[written]}" -v unmatched="${took[unmatched]}" -v passed="${took[passed]}" \
        -v checked="${took[checked]}" -v piped="${took[piped]}" -v bare="${took[bare]}" -v one="${took[one]}" -v two="${took[two]}" \
        -v behind="${took[behind]}" -v whole="${took[whole]}" -v n="$counted" 'function row(what, seconds) { printf "| %s | %.1f |\n", what, seconds * 1e9 / n }
        BEGIN {
            busier = written > behind ? written : behind
            print "| streams, ns of CPU time an event | |\n|---|---|"
            row("writing one, beyond reading the archive", written - alone)
            row("writing one with matches = no", unmatched - alone)
            row("reading one (pass)", passed)
            row("reading one (check)", checked)
            row("writing and reading through a pipe, beyond reading the archive (goal: <= 40)", piped - alone)
            row("the same bytes through a bare pipe", bare)
            printf "| CPU time of the busier of two processes beside one with wait_states profile critical_path: what the clock says where two cores have nothing else to do (goal: <= 1) | %.2f : %.2f s = %.2f |\n",
                busier, whole, busier / whole
            printf "| two processes beside one with wait_states profile critical_path, on the clock (goal: <= 1) | %.2f : %.2f s = %.2f |\n",
                two, one, two / one }'
    # One event every 50 ms; the machine's load shows here more than in CPU time.
    python3 "$here/latency.py" "$tcflow" "$stream" 100 50 |
        awk '{ printf "| from an event that is written to its line, two processes on, ms: least, middle, most (goal: < 200) | %s |\n", $1 ", " $2 ", " $3 }'
    rm -rf "$work/trace$n" "$stream"
}

# What the correction of clocks costs. Skewed: clocks with measured offsets and a wave that they don't show, so that presync moves all
# events and the controlled logical clock has some of its targets to repair; a run of many locations is short, and the wave is as
# much shorter. The skewed trace has chunks of the original's size, on which memory and time of whoever reads or copies it
# depend more than on anything else where locations are many.
correction()
{
    local n
    for n in $locations; do
        trace=$work/trace$n/traces.otf2
        "$bin/support/generate/trace" bench --locations "$n" --events "$events" --out "$work/trace$n" >"$work/made"
        counted=$(grep -o 'events [0-9]*' "$work/made" | awk '{ print $2 }')
        local writer="presync clc_forward clc_backward"
        local out=('[otf2_write]' "path = $work/out" 'overwrite = yes')
        ini skewed "skew otf2_write" '[otf2_write]' "path = $work/skewed$n" 'chunk = 1MiB' '[skew]' 'offset = 1ms' 'drift = 10' \
            'sine = 5us' "sine_period = $((16000000 / n))us" "measurements = $work/measured.csv" 'overwrite = yes'

        copy() { cpu "$bin/bench/bare-copy" "$trace" "$work/out"; }
        read_() { cpu "$bin/bench/bare-read" "$trace"; }
        flow_correct() { flow correct; }
        flow_overhead() { flow overhead; }
        flow_survey() { flow survey; }
        flow_all() { flow all; }

        printf '\n%s events, %s locations; ns of CPU time an event\n\n' "$counted" "$n"
        printf '| what | tcflow | beside it | ratio | goal |\n|---|---|---|---|---|\n'
        local clocks
        for clocks in right skewed; do
            if [ $clocks = skewed ]; then
                flow skewed >/dev/null
                trace=$work/skewed$n/traces.otf2
                rm -rf "$work/trace$n"
            fi
            local presync=('[presync]' 'unsynchronised = keep' 'method = none')
            [ $clocks = right ] || presync=('[presync]' 'unsynchronised = keep' 'method = file' "file = $work/measured.csv")
            ini correct "$writer otf2_write" "${out[@]}" "${presync[@]}"
            ini survey "clock_estimate mu_estimate"
            ini all "$writer otf2_write clock_report" "${out[@]}" '[presync]' 'unsynchronised = keep'
            sed -i 's/^chain/survey = clock_estimate mu_estimate\n&/' "$work/all.ini"
            row "presync clc_forward clc_backward otf2_write, $clocks clocks, beside a bare copy" "<= 0.9" copy flow_correct
            ini overhead "$writer overhead otf2_write" "${out[@]}" "${presync[@]}" '[overhead]' 'event = 40ns' \
                'copy = 8:30ns 1MiB:120us' 'output = /dev/null' 'overwrite = yes'
            row "presync clc_forward clc_backward overhead otf2_write, $clocks clocks, beside a bare copy" "" copy flow_overhead
            row "clock_estimate mu_estimate, $clocks clocks, beside a bare read" "<= 1.3" read_ flow_survey
            row "examples/correct.ini, $clocks clocks, beside a bare copy" "<= 1.5" copy flow_all
        done
        rm -rf "$work/trace$n" "$work/skewed$n"
    done
}

# Peak memory over length: it must not grow.
memory()
{
    printf '\nPeak resident memory, 16 locations, MiB\n\n| events | copy | check and copy | profile | wait_states | root_cause | critical_path | correction with its survey | statistics | bare copy |\n|---|---|---|---|---|---|---|---|---|---|\n'
    local n name
    for n in ${LENGTHS:-1000000 10000000 100000000}; do
        trace=$work/length/traces.otf2
        "$bin/support/generate/trace" bench --locations 16 --events "$n" --out "$work/length" >/dev/null
        ini copy otf2_write '[otf2_write]' "path = $work/out" 'overwrite = yes'
        ini checked "check otf2_write" '[otf2_write]' "path = $work/out" 'overwrite = yes' '[check]' 'output = /dev/null' \
            'overwrite = yes'
        ini tree profile '[profile]' 'output = /dev/null' 'overwrite = yes'
        ini waits wait_states '[wait_states]' 'output = /dev/null' 'overwrite = yes'
        ini path critical_path '[critical_path]' 'output = /dev/null' 'overwrite = yes'
        ini causes root_cause '[root_cause]' 'output = /dev/null' 'overwrite = yes'
        ini correct "presync clc_forward clc_backward otf2_write" '[otf2_write]' "path = $work/out" 'overwrite = yes'
        sed -i 's/^chain/survey = clock_estimate mu_estimate\n&/' "$work/correct.ini"
        ini statistics "comm_matrix message_histogram time_profile load_imbalance comm_comp metrics io" "${statistics[@]}"
        printf '| %s |' "$n"
        for name in copy checked tree waits causes path correct statistics; do
            rm -rf "$work/out"
            "$tcflow" -q --summary=json -c "$work/$name.ini" 2>&1 >/dev/null | grep -o '"peak_bytes": [0-9]*' |
                awk '{ printf " %.1f |", $2 / 1048576 }'
        done
        rm -rf "$work/out"
        "$bin/bench/bare-copy" "$trace" "$work/out" | grep -o 'rss_MiB [0-9.]*' | awk '{ printf " %s |\n", $2 }'
        rm -rf "$work/out" "$work/length"
    done
}

for part in "${@:-speed correction memory streams}"; do
    for p in $part; do "$p"; done
done
