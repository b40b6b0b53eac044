#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What goes wrong in domains whose filters judge in the first one (plugins/shared/gather): a damaged file of the domain that
# gathers, and of one that is gathered; an interrupt; an allocation that fails in a filter, or around it; a stream that ends
# early. Each run ends, with its reason, and nothing is taken for complete. test_mpi.sh does the same with processes. POINTS
# (30) allocations of each kind fail, evenly chosen; 0: all.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/in_domains.sh"
default_points=$(usually 8 30)
. "$top_srcdir/tests/support/failing.sh"

cd "$work" || exit 1
"$generate" bench --out "$work/t" --locations 8 --events 40000 --skew 100000 >/dev/null 2>&1 || exit 1

# gathered THREADS INPUT CHAIN [OPTION...]: each filter that judges has a report in the folder `reports`
gathered()
{
    threads=$1 of=$2 chain=$3
    shift 3
    rm -rf reports
    mkdir reports
    set -- -j "$threads" -i "$of" -o pipeline.chain="$chain" "$@"
    for f in $chain; do
        case $f in
            otf2_write) set -- "$@" -o otf2_write.path="$work/reports/copy" ;;
            *) set -- "$@" -o "$f.output=$work/reports/$f" ;;
        esac
    done
    case $chain in *timeline*) set -- "$@" -o pipeline.survey="wait_states iterations" -o wait_states.output="$work/surveyed" \
        -o wait_states.overwrite=yes -o iterations.output="$work/looped" -o iterations.overwrite=yes ;; esac
    timeout 100 "$TCFLOW" "$@"
}
# What stands there under the name of something complete.
complete() { find reports -mindepth 1 -maxdepth 1 ! -name '*.incomplete' | tr '\n' ' '; }

# ---------------------------------------------------------------------------------------------------------- damage --

for location in 0 5; do # of domain 1, which gathers, and of domain 3
    cp -r t "bad.$location"
    printf '\377\377\377\377\377\377\377\377' | dd of="bad.$location/traces/$location.evt" bs=1 seek=20000 conv=notrunc 2>/dev/null
    for chain in root_cause critical_path lateness "root_cause critical_path lateness otf2_write" "$gathering_chain"; do
        fails 1 "location $location is damaged, $chain" gathered 4 "bad.$location/traces.otf2" "$chain"
        like "location $location, $chain: the reason" "$(cat .fails)" "location $location .*damaged"
        like "location $location, $chain: where" "$(cat .fails)" "in domain $((location / 2 + 1)) of 4"
        is "location $location, $chain: nothing is taken for complete" "$(complete)" ""
    done
done

# ----------------------------------------------------------------------------------------------------------- memory --

if [ -n "${TCFLOW_WRAPPER:-}" ] || nm -D "$TCFLOW" 2>/dev/null | grep -Eq '__[at]san_init'; then
    skip "allocations that fail" "the sanitizer has allocations of its own"
elif ! ${CC:-cc} -O1 -shared -fPIC -o failing.so "$top_srcdir/tests/framework/failing_memory.c" -ldl 2>said; then
    skip "allocations that fail" "no compiler"
else
    preload=$work/failing.so counted=$work/count
    reason='memory|Cannot allocate'
    # Which allocation of all threads has a number differs from run to run: each one tries another point.
    for of in /plugins/ tcflow; do
        how="ALLOCATIONS=$counted OF=$of"
        each "an allocation of $of, three that judge" "$TCFLOW" -q -j 4 -i "$work/t/traces.otf2" \
            -o pipeline.chain="wait_states root_cause critical_path lateness" -o root_cause.output=causes -o critical_path.output=path \
            -o lateness.output=late
        each "an allocation of $of, all of a report" "$TCFLOW" -q -j 4 -i "$work/t/traces.otf2" -o pipeline.chain="$gathering_chain" \
            -o pipeline.survey="wait_states iterations" -o diagnosis.output=diagnosis
    done
fi

# ---------------------------------------------------------------------------------------------------------- streams --

judging="wait_states root_cause critical_path lateness"
"$TCFLOW" -q -i t/traces.otf2 -o pipeline.chain=stream_write -o stream_write.path="$work/stream"
gathered 4 stream:stream "$judging" >said 2>&1
is "a stream: status" $? 0
like "a stream is read in one domain" "$(cat said)" "in one domain, on one thread: the input is a stream"
mv reports from_stream
gathered 4 t/traces.otf2 "$judging" >said 2>&1
ok "and gives what the archive does in four" diff -r from_stream reports
bytes=$(wc -c <stream)
for part in 30 60 95; do
    head -c $((bytes * part / 100)) stream >cut
    fails 1 "a stream that ends behind $part % of it" gathered 4 stream:cut "$judging"
    like "$part %: the reason" "$(cat .fails)" "ends|incomplete|truncated"
    is "$part %: nothing is taken for complete" "$(complete)" ""
done
mkfifo pipe
cat cut >pipe &
writer=$!
fails 1 "a writer that ends early" gathered 4 stream:pipe "$judging"
like "a writer that ends early: the reason" "$(cat .fails)" "ends|incomplete|truncated"
is "a writer that ends early: nothing is taken for complete" "$(complete)" ""
wait $writer

# ------------------------------------------------------------------------------------------------------- interrupts --

if [ -z "${TCFLOW_WRAPPER:-}" ]; then
    "$generate" bench --out "$work/long" --locations 8 --events 3000000 --skew 100000 >/dev/null 2>&1
    # interrupted SIGNAL NAME [VARIABLE...]: in such an environment
    interrupted()
    {
        signal=$1 name=$2
        shift 2
        rm -rf reports
        mkdir reports
        # A shell has what it starts in the background ignore SIGINT.
        env --default-signal=INT "$@" "$TCFLOW" -j 4 -i long/traces.otf2 -o pipeline.slice=16 \
            -o pipeline.chain="root_cause critical_path lateness otf2_write" -o root_cause.output="$work/reports/causes" \
            -o critical_path.output="$work/reports/path" -o lateness.output="$work/reports/late" \
            -o otf2_write.path="$work/reports/copy" >/dev/null 2>said &
        child=$!
        tries=0
        while [ ! -e reports/copy.incomplete/traces/7.evt ] && [ $tries -lt 600 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
        kill -"$signal" $child
        wait $child
        is "$name ends the domains: status" $? "$([ "$signal" = TERM ] && echo 143 || echo 130)"
        like "$name: the reason" "$(cat said)" "error: ended by SIG$signal; outputs are incomplete"
        is "$name: nothing is taken for complete" "$(complete)" ""
        ok "$name: the archive is named so" test -e reports/copy.incomplete
    }
    interrupted TERM SIGTERM
    interrupted INT SIGINT
    if have faketime && ! nm -D "$TCFLOW" 2>/dev/null | grep -Eq '__[at]san_init'; then
        interrupted TERM "SIGTERM, while the machine's clock stands at another year," \
            LD_PRELOAD="$(faketime -f +1y printenv LD_PRELOAD)" FAKETIME=+1y FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1
    else
        skip "SIGTERM, while the machine's clock stands at another year" "there is no faketime, or a sanitizer"
    fi
fi
done_testing
