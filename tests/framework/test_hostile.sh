#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What attackers would put into archives ('trace hostile --list') through all presets and filters: each run ends with a
# result or a message, within 30 seconds and 2 GiB, and never with a signal. N (300): how often something is there that is
# there many times; ONLY: a regular expression for the names of attacks. In a build with sanitizers they say nothing.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
seconds=30
if is_instrumented; then
    seconds=600 # and addresses without end
else
    ulimit -v 2097152
fi

# run WHAT OPTION...: adds to $wrong what is not as it should be.
run()
{
    run_what=$1
    shift
    rm -rf out
    mkdir out
    (cd out && exec timeout "$seconds" "$TCFLOW" "$@" >stdout 2>../said)
    run_status=$?
    runs=$((runs + 1))
    if [ $run_status -gt 2 ] || grep -Eq 'runtime error|Sanitizer' said || { [ $run_status -gt 0 ] && [ ! -s said ]; }; then
        wrong="$wrong
$run_what: status $run_status, $(grep -m 3 -E 'runtime error|ERROR|error:' said | cut -c 1-300)"
    fi
    rm -f core*
}

filters=$(tcflow --list-filters=plain | awk 'NF == 1 && $1 !~ /clc|presync|_write|perfetto_trace|clock_estimate|mu_estimate|diagnosis|timeline/ { print $1 }')
for attack in $("$generate" hostile --list --out none); do
    echo "$attack" | grep -Eq "${ONLY:-$(usually 'cycles|twice|offsets|maps' .)}" || continue
    wrong='' runs=0
    rm -rf made
    "$generate" hostile --what "$attack" --n "${N:-300}" --out made >said 2>&1 || { tap 1 "$attack is made"; diag "$(cat said)"; continue; }
    trace=$work/made/traces.otf2
    run info info "$trace"
    run causes -c causes -i "$trace"
    run correct -c correct -i "$trace"
    run report -c report -i "$trace" -o pipeline.html_report= -o pipeline.database=all.sqlite
    run scaling -c scaling -i "$trace" -o pipeline.database=all.sqlite
    run "all filters" -i "$trace" -o pipeline.chain="$(echo $filters)" -o calls.path=calls -o print.definitions=yes -o pipeline.database=all.sqlite
    for from in "" 25% "5000000 ticks"; do
        run "a part of it in other clocks${from:+, from $from}" -i "$trace" -o pipeline.chain="select skew overhead whole_messages check wait_states otf2_write" \
            ${from:+-o select.from="$from"} -o select.to=90% -o select.ranks=0-1 -o select.exclude_kinds=METRIC -o select.messages=drop \
            -o skew.offset=1h -o skew.drift=9000 -o skew.walk=1s -o skew.jumps=1000 -o skew.jump=1s -o skew.truth=truth \
            -o overhead.event=1ms -o overhead.attribute=1s -o overhead.copy="8:1s 1MiB:1h" -o overhead.rendezvous=1 -o otf2_write.path=copy
    done
    run "an archive" -i "$trace" -o pipeline.chain=otf2_write -o otf2_write.path=copy
    run "an archive by libotf2" -i "$trace" -o pipeline.chain=otf2_write -o otf2_write.path=copy -o otf2_write.writer=libotf2 -o pipeline.reader=libotf2
    run "a stream" -i "$trace" -o pipeline.chain=stream_write -o stream_write.path=copy
    run "a timeline" -i "$trace" -o pipeline.chain=perfetto_trace -o perfetto_trace.path=copy
    is "$attack: $runs runs" "$wrong" ""
done

# Pipes in the place of an archive's files: nobody writes to them.
for file in traces.otf2 traces.def traces/0.evt traces/0.def traces/0.snap traces.marker; do
    rm -rf made
    "$generate" hostile --what steep-offsets --out made >said 2>&1
    rm -f "made/$file"
    mkfifo "made/$file"
    for reader in direct libotf2; do
        wrong='' runs=0
        run "check" -i "$work/made/traces.otf2" -o pipeline.chain=check -o pipeline.reader=$reader
        is "a pipe as $file, read by $reader" "$wrong" ""
    done
done

# An event file with a hole of 8 TiB: 33 million chunks, nearly all of which are nothing.
for salvage in no yes; do
    rm -rf made
    "$generate" hostile --what steep-offsets --out made >said 2>&1
    truncate -s 8T made/traces/0.evt 2>said || { skip "a hole of 8 TiB" "$(cat said)"; continue; }
    for reader in direct libotf2; do
        wrong='' runs=0
        run "check" -i "$work/made/traces.otf2" -o pipeline.chain=check -o pipeline.reader=$reader -o pipeline.salvage=$salvage
        is "a hole of 8 TiB, read by $reader, salvage = $salvage" "$run_status$wrong" 1
        like "it says where the events end" "$(cat said)" "(0\.evt' is damaged behind|lost what follows) event [1-9][0-9]*"
    done
done

# Sums of bytes: of messages of 2^63 bytes two are 2^64, which no sum holds; it becomes the largest number, not zero.
have python3 || { skip "sums of bytes" "there is no python3"; done_testing; }
cat >sums.py <<'END'
"""sums.py REPORT: prints the rows whose bytes are not 2^63 times the number beside them, or 2^64 - 1 where that is less."""
import json, sys
checked = 0
for name, table in json.load(open(sys.argv[1])).items():
    for row in table["rows"]:
        for count, size in (("sent", "bytes_sent"), ("received", "bytes_received"), ("count", "bytes")):
            if count in row and size in row and row[count] and (row[size] or size != "bytes"):
                checked += 1
                if row[size] != min(row[count] << 63, (1 << 64) - 1):
                    print(name, row)
        if row.get("unit") == "bytes" and name == "counts":
            checked += 1
            if row["count"] != (1 << 64) - 1:
                print(name, row)
print("nothing was checked" if checked == 0 else "", end="")
END
"$generate" hostile --what half-bytes --out half >said 2>&1
for filter in comm_matrix message_histogram wait_states ppg; do
    for domains in 1 2; do
        tcflow -q -i half/traces.otf2 -o pipeline.chain=$filter -o $filter.format=json -o $filter.output=sums -o $filter.overwrite=yes -j $domains >said 2>&1 ||
            diag "$(cat said)"
        is "sums of bytes of $filter, domains: $domains" "$(python3 sums.py sums 2>&1)" ""
    done
done
done_testing
