# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Sourced behind lib.sh: all that can run in domains gives in several what it gives in one: reports in all formats,
# databases, archives byte by byte, messages.

# libotf2 leaks thumbnails that are written.
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS
domain_filters="profile load_imbalance comm_comp comm_matrix time_profile message_histogram distances io iterations metrics"
# Filters that judge in the first domain, and what presets have beside them, which looks at their results; behind a survey by
# wait_states.
gathering_chain="activity activity_waits root_cause critical_path efficiency lateness timeline diagnosis"
domain_python=
if have python3 && python3 -c 'import sqlite3' 2>/dev/null && tcflow --version | grep -q '^databases: SQLite'; then
    domain_python=python3
fi

# domain_run N TRACE OPTION...: in N domains; all that it writes (below $work/in), says and returns goes to $work/in.N.
domain_run()
{
    domains=$1
    shift
    rm -rf "$work/in" "$work/in.$domains" "$work/in.db"
    mkdir "$work/in"
    "$TCFLOW" -v -j "$domains" -i "$@" >"$work/in/printed" 2>"$work/in/said"
    status=$?
    echo "exit status $status" >>"$work/in/said"
    [ $status -eq 0 ] || rm -rf "$work"/in/*.incomplete # depends on how far it has come
    grep ': in one domain' "$work/in/said" | grep -v 'there is one process\|nearly all events' >"$work/in/alone"
    sed -i -e '/^tcflow: sandbox: /d' -e '/: in .* domain/d' -e '/took longest/d' -e '/^ *while in domain/d' "$work/in/said"
    if [ -e "$work/in.db" ]; then
        # shellcheck disable=SC2086,SC2046 # words
        PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/framework/database_json.py" "$work/in.db" \
            $(for f in $domain_filters; do echo "chain:$f=$work/in/$f"; done) >"$work/in/database" 2>&1 ||
            echo "the database differs from JSON" >>"$work/in/database"
    fi
    mv "$work/in" "$work/in.$domains"
}

# domain_equal NAME TRACE OPTION...: $domain_numbers (default: 2 8, and 3 with TCFLOW_LONG) domains, and one
domain_equal()
{
    domain_name=$1
    shift
    domain_run 1 "$@"
    differs=
    for n in ${domain_numbers:-$(usually "2 8" "2 3 8")}; do
        domain_run "$n" "$@"
        diff -r "$work/in.1" "$work/in.$n" >"$work/differs" 2>&1 || differs="$differs $n: $(head -n 3 "$work/differs");"
        rm -rf "$work/in.$n"
    done
    is "$domain_name: in several domains as in one" "$differs" ""
}

# alike_in_domains NAME TRACE
alike_in_domains()
{
    alike=$1 anchor=$2
    for format in $(usually json "text csv json"); do
        set -- "$anchor" -o pipeline.chain="$domain_filters"
        for f in $domain_filters; do
            set -- "$@" -o "$f.format=$format" -o "$f.output=$work/in/$f"
        done
        [ -z "$domain_python" ] || [ $format != json ] || set -- "$@" -o pipeline.database="$work/in.db"
        domain_equal "$alike, $format" "$@"
        like "$alike, $format: all went well" "$(tail -n 1 "$work/in.1/said")" "exit status 0"
        [ ! -e "$work/in.1/database" ] ||
            like "$alike: the database has what JSON has" "$(cat "$work/in.1/database")" " 0 differences$"
    done
    for chain in otf2_write "select otf2_write" "presync otf2_write" "skew presync otf2_write"; do
        set -- "$anchor" -o pipeline.chain="$chain" -o otf2_write.path="$work/in/copy"
        case $chain in *select*) set -- "$@" -o select.from=20% -o select.to=70% ;; esac
        case $chain in *presync*) set -- "$@" -o presync.output="$work/in/clocks" -o presync.unsynchronised=keep ;; esac
        case $chain in *skew*) set -- "$@" -o skew.offset=1ms -o skew.drift=3 -o skew.jumps=5 -o skew.jump=1us \
            -o skew.truth="$work/in/truth" -o skew.measurements="$work/in/measurements" ;; esac
        domain_equal "$alike, a copy by $chain" "$@"
        # Times that no clock can have are refused.
        [ -e "$work/in.1/copy/traces.def" ] || grep -q "'presync'$\|'skew'" "$work/in.1/said"
        tap $? "$alike, a copy by $chain: it is there" || diag "$(cat "$work/in.1/said")"
    done
}

# judged_in_domains NAME TRACE [option...]: filters that judge in the first domain, alone and together; the chains of
# presets, whose filters do so, and all that they put into a database
judged_in_domains()
{
    judged=$1 judged_of=$2
    shift 2
    domain_equal "$judged, causes" "$judged_of" -o pipeline.chain=root_cause -o root_cause.by_location=yes \
        -o root_cause.worst=1000 -o root_cause.format=csv "$@"
    domain_equal "$judged, causes of computation" "$judged_of" -o pipeline.chain="wait_states root_cause" \
        -o root_cause.by_location=yes -o root_cause.compare=yes -o root_cause.computation=yes \
        -o root_cause.format=csv "$@"
    domain_equal "$judged, critical path" "$judged_of" -o pipeline.chain=critical_path -o critical_path.by_location=yes \
        -o critical_path.all=yes -o critical_path.bins=64 -o critical_path.scans=yes -o critical_path.format=csv "$@"
    domain_equal "$judged, lateness" "$judged_of" -o pipeline.chain="lateness critical_path" -o lateness.worst=60000 \
        -o lateness.format=csv "$@"
    domain_equal "$judged, report.ini" "$judged_of" -c "$top_srcdir/examples/report.ini" -o pipeline.html_report= \
        -o presync.unsynchronised=keep -o early_presync.unsynchronised=keep \
        -o pipeline.reports="root_cause critical_path lateness efficiency timeline activity_waits diagnosis" "$@"
    domain_equal "$judged, scaling" "$judged_of" -c scaling -o pipeline.reports= -o ppg.format=csv "$@"
}

# Kinds of random traces: a name, options of the generator.
domain_kinds()
{
    cat <<end
right      --ranks 6 --events 4000
skewed     --ranks 9 --events 6000 --clock-offset-ns 200000 --clock-drift-ppm 50 --clock-jumps 2 --clock-jump-ns 50000
incomplete --ranks 5 --events 4000 --lose-sends 0.02 --lose-receives 0.02 --never-complete 0.02 --end-early 0.3
damaged    --ranks 7 --events 4000 --lose-any 0.01 --ambiguous-loss --end-early 0.4 --begin-late 0.2 --features all,rma,streams,nonsense,any-thread,mpi-inside,crossed
rich       --ranks 8 --events 6000 --features all,rma,streams,window-collectives,old-openmp,nested,team-sizes,persistent --epochs --passive --empty-collectives --reuse-comms
threads    --ranks 6 --ranks-per-process 2 --events 5000 --features all,any-thread,mpi-inside --clock-offset-ns 100000 --contexts
idle       --ranks 5 --events 4000 --features p2p,nonblocking,sendrecv,collectives,openmp,locks --idle
lengths    --ranks 6 --events 4000 --features collectives,v-collectives,nb-collectives,subcomms,intercomm,p2p --empty-collectives --end-early 0.2
end
}

# comes_in_time NAME COMMAND...: in two domains. Nobody reads the stream of the first one, which waits for that in front of a send. The second
# one has a few events in front of the receive, far from a whole slice, and then rests: its reader gets them nevertheless.
comes_in_time()
{
    name=$1
    shift
    "$top_builddir/tcflow" --list-sources | grep -q '^  chrome ' || { skip "$name" "built without yajl" && return; }
    [ -d "$work/waiting" ] || python3 -c 'import json
events = [dict(ph="X", name="x", pid=1, tid=1, ts=2 * k, dur=1) for k in range(250000)]
events += [dict(ph="X", name="x", pid=2, tid=1, ts=2 * k, dur=1) for k in range(10)]
events += [dict(ph=ph, name="m", cat="c", id=1, pid=pid, tid=1, ts=500000) for ph, pid in (("s", 1), ("f", 2))]
print(json.dumps(events))' >"$work/waiting.json"
    [ -d "$work/waiting" ] || "$top_builddir/tcflow" -q -i "$work/waiting.json" -o pipeline.chain=otf2_write -o otf2_write.path="$work/waiting"
    rm -f "$work"/waiting.1 "$work"/waiting.2
    mkfifo "$work/waiting.1" "$work/waiting.2"
    sleep 600 <"$work/waiting.1" &
    kept=$!
    timeout 120 "$@" -i "$work/waiting/traces.otf2" -o pipeline.chain="check stream_write" -o check.output=/dev/null \
        -o "stream_write.path=$work/waiting.{domain}" -o pipeline.slice=1000 -o pipeline.flush=0.05s >"$work/writer" 2>&1 &
    writer=$!
    windows='import struct, sys
stream = sys.stdin.buffer
stream.read(16)
kind = 0
while kind != 16:
    n, kind = struct.unpack("<IB", stream.read(16)[:5])
    stream.read(n)
print("a window")'
    is "$name" "$(timeout 60 python3 -c "$windows" <"$work/waiting.2" 2>&1)" "a window"
    kill $kept $writer
    wait $writer
}
