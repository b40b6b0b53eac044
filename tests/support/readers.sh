# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the tests of readers share, behind tests/support/lib.sh and a $work folder.

printed=$top_srcdir/tests/support/printed.py

# events_of FILE [OPTION...]: what tcflow reads of the file, in the lines of printed.py, into $work/printed
events_of()
{
    events_file=$1
    shift
    timeout 120 "$TCFLOW" -q -i "$events_file" -o pipeline.chain=print -o print.format=json -o print.definitions=yes \
        -o print.order=location "$@" >"$work/lines" && python3 "$printed" "$work/lines" >"$work/printed"
}

# roles_of FILE [OPTION...]: lines NAME|ROLE|PARADIGM of all regions
roles_of()
{
    roles_file=$1
    shift
    "$TCFLOW" -q -i "$roles_file" -o pipeline.chain=print -o print.format=json -o print.definitions=yes "$@" | python3 -c '
import json, sys
for line in sys.stdin:
    if line.startswith("{\"definition\":\"REGION\""):
        r = json.loads(line)
        print(r["name"]["name"], r["region_role"], r["paradigm"], sep="|")' | sort
}

# ranks_of SCRIPT FILES: what tcflow reads of communication by ranks into $work/got, what SCRIPT finds in the files into $work/expected
ranks_of()
{
    # shellcheck disable=SC2086 # words
    events_of "$2" && python3 "$top_srcdir/tests/support/ranks.py" lines >"$work/got" && python3 "$1" read $2 >"$work/expected"
}

# agrees READER FILE [OPTION...]: READER.py reads the same in it
agrees()
{
    agrees_by=$1
    shift
    events_of "$@" && python3 "$top_srcdir/tests/plugins/$agrees_by/$agrees_by.py" "$1" >"$work/expected" || return
    [ -s "$work/expected" ] && diff "$work/expected" "$work/printed" | head -n 20 | diff /dev/null -
}

# comes_back json|protobuf ANCHOR [OPTION...]: written by perfetto_trace and read again it has the same calls; and the messages, values
# and notes that another parser finds in the file. OPTION: of the second run
comes_back()
{
    comes_format=$1 comes_from=$2
    shift 2
    case $comes_format in
    json) comes_by=chrome ;;
    *) comes_by=perfetto ;;
    esac
    rm -f "$work/trace.json"
    "$TCFLOW" -q -i "$comes_from" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$work/trace.json" \
        -o perfetto_trace.format="$comes_format" -o perfetto_trace.max_bytes=0 && agrees "$comes_by" "$work/trace.json" "$@" || return
    grep "^call	" "$work/printed" >"$work/calls"
    "$TCFLOW" -q -i "$comes_from" -o pipeline.chain=print -o print.format=json -o print.definitions=yes \
        -o print.order=location >"$work/lines" 2>/dev/null &&
        python3 "$printed" --calls --resolution-to-ns "$work/lines" | grep "^call	" |
        diff - "$work/calls" | head -n 20 | diff /dev/null -
}

# roles_come_back ANCHOR FORMAT...: regions that perfetto_trace has written with a role have it when they are read again; and there are such
roles_come_back()
{
    roles_of "$1" | sort -u >"$work/roles"
    back=$1
    shift
    for back_format; do
        rm -f "$work/trace.roles"
        "$TCFLOW" -q -i "$back" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$work/trace.roles" \
            -o perfetto_trace.format="$back_format" -o perfetto_trace.max_bytes=0 || return
        roles_of "$work/trace.roles" | grep -v '|FUNCTION|' | sort -u >"$work/roles.$back_format"
        [ -s "$work/roles.$back_format" ] && ! comm -23 "$work/roles.$back_format" "$work/roles" | grep . || return
    done
}

# comes_back_twice ANCHOR: both formats say the same, but for where markers are, and for units, which JSON's reader has in the names
comes_back_twice()
{
    for comes_format in json protobuf; do
        rm -f "$work/trace.$comes_format"
        "$TCFLOW" -q -i "$1" -o pipeline.chain=perfetto_trace -o perfetto_trace.path="$work/trace.$comes_format" \
            -o perfetto_trace.format="$comes_format" -o perfetto_trace.max_bytes=0 && events_of "$work/trace.$comes_format" || return
        [ "$comes_format" = protobuf ] || sed -i -E 's/^(count	[^	]*	[^	]*	[^	]*	[^	]*): [^	]*	/\1	/' "$work/printed"
        sed -E '/^note	(markers|\(no process\))	/s/^note	[^	]*	[^	]*/note	markers/' "$work/printed" | sort >"$work/twice.$comes_format"
    done
    diff "$work/twice.json" "$work/twice.protobuf" | head -n 20 | diff /dev/null -
}

# random_ways_back json|protobuf: random traces come back; behind tests/support/random.sh
random_ways_back()
{
    ways_format=$1
    # shellcheck disable=SC2317,SC2329 # random() calls it
    check()
    {
        try "the way back" comes_back "$ways_format" "$1"
        compared=$((compared + 1))
    }
    random "everything" --features "$single,openmp,locks,pthreads,metrics"
    random "losses" --features p2p,nonblocking,collectives --lose-sends 0.01 --lose-receives 0.01 --never-complete 0.05
    random "wrong clocks" --features "$single" --clock-offset-ns 30000 --clock-drift-ppm 100
    random "ticks of 2.4 GHz" --features "$single,metrics" --ticks-per-second 2400000000
}
