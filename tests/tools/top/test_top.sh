#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-top in a pseudo-terminal (screen.py): what it shows of files and streams, keys, sizes, and the terminal as it was before
# on every way out.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

top=$top_builddir/tcflow-top
[ -x "$top" ] || skip_all "tcflow-top is not built (ncurses)"
command -v python3 >/dev/null || skip_all "python3 is missing"
export TERM=xterm-256color PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8
example=$top_srcdir/examples/trace

# screen SIZE STEPS ARGUMENT...: what is shown, in $shown
screen()
{
    size=$1 steps=$2
    shift 2
    shown=$(python3 "$top_srcdir/tests/tools/top/screen.py" "$size" "$steps" "$top" "$@")
}

# kept STATUS WHAT: the program has ended so, the terminal is as before, and all that was waited for was seen
kept()
{
    is "$2: status, and the terminal as before" "$(printf '%s\n' "$shown" | tail -n 4 | xargs)" \
        "status $1 modes kept screen main cursor shown"
    is "$2: what was waited for was seen" "$(printf '%s\n' "$shown" | grep -E '^(never seen|still running)')" ""
}

# fake LINE...: a tcflow that says these lines (printf's), then waits
fake()
{
    {
        echo '#!/bin/sh'
        printf "printf '%s'\n" "$@"
        echo 'exec sleep 60'
    } >"$work/fake"
    chmod +x "$work/fake"
}

now='now\t12.5\t10\t1234567\t500\t65536\t7\n'
fake 'live\t1\t3\n' "$now" \
    'process\t0\tm\t80.0\t10.0\t1000\tfirst\tMPI_Recv\n' \
    'process\t1\tc\t20.0\t60.0\t2000\tsecond\tcompute\n' \
    'process\t2\te\t0.0\t0.0\t3000\tthird\t\n' \
    'wait\t3.0\t42\tLate Sender\n' 'wait\t0.001\t1\tWait at Barrier\n' 'shown\n'
screen 24x100 "until=third show key=s until=sort:_MPI key=s until=sort:_waits show key=q" --tcflow "$work/fake" trace
kept 0 "q"
like "how far it is" "$shown" "^tcflow top  trace  at 12\.5 s"
like "events, messages in flight" "$shown" "^1,234,567 events.* 500 messages.* in flight 7 "
like "waits: share of the time of all processes" "$shown" "^ +10\.0 %  +3\.00 s in 42 +Late Sender"
like "the largest first" "$(printf '%s\n' "$shown" | grep -A1 'Late Sender' | head -n 2 | tail -n 1)" "Wait at Barrier"
like "a process" "$shown" "^ +0  MPI +80\.0 +10\.0 +1000  MPI_Recv +first"
is "by rank first, by waits then" "$(printf '%s\n' "$shown" | grep -oE 'first|second|third' | xargs)" \
    "first second third second first third"

# Held: what comes meanwhile is not shown.
printf '%s\n' '#!/bin/sh' "printf 'live\t1\t1\n$now"'process\t0\tc\t1\t1\t1\tone\t\nshown\n'"'; sleep 1" \
    "printf '$now"'process\t0\tc\t1\t1\t1\ttwo\t\nover\n'"'" >"$work/fake"
screen 10x80 "until=one key=p until=held 1.5 show key=p until=two until=over show key=q" --tcflow "$work/fake" trace
kept 0 "held"
is "it shows what was there, and then what is" "$(printf '%s\n' "$shown" | grep -oE '  (one|two)$' | xargs)" "one two"

# What a terminal obeys comes from the trace.
fake 'live\t1\t1\n' "$now" 'process\t0\tc\t1\t1\t1\tevil\033[2J\033]0;x\007\302\233name\t\342\200\256region\n' 'shown\n'
screen 24x100 "until=evil show key=q" --tcflow "$work/fake" trace
kept 0 "names with control characters"
like "they are question marks" "$shown" "\?region +evil\?\[2J\?\]0;x\?\?name$"
is "and nothing else came" "$(printf '%s\n' "$shown" | grep -E '^(unknown|control|never)')" ""

# Signals, and sizes that leave no room.
for n in 1 2 15; do
    screen 24x80 "until=P#0 signal=$n" --speed 0.001 "$example"
    kept $((128 + n)) "signal $n"
done
for size in 1x1 5x20 50x300; do
    screen "$size" "0.7 show key=s 0.3 key=q" --speed 0.001 "$example"
    kept 0 "size $size"
    columns=${size#*x}
    ok "no line is wider" awk -v most="$columns" 'length($0) > most && !/^(-+|status|modes|screen|cursor)/ { exit 1 }' <<EOF
$shown
EOF
done
screen 24x80 "until=P#0 size=8x40 until=q_quit 0.5 show size=30x120 until=P#0 key=q" --speed 0.001 "$example"
kept 0 "another size"

# The bundled trace, to its end: as many events and messages as there are.
screen 40x120 "until=is_over until=has_ended show key=q" --speed 0 "$example"
kept 0 "a file"
events=$("$TCFLOW" -q -i "$example" -o pipeline.chain=print -o print.format=json 2>/dev/null | wc -l)
like "all processes have ended" "$shown" "^ +3  has ended "
like "all events" "$(printf '%s\n' "$shown" | tr -d ,)" "^[0-9]+ events"
is "as many as there are" "$(printf '%s\n' "$shown" | tr -d , | sed -n 's/^\([0-9]*\) events.*in flight \([0-9]*\) .*/\1 \2/p')" \
    "$("$TCFLOW" -q -i "$example" -o pipeline.chain=live | awk -F '\t' '$1 == "now" { n = $4 " " $7 } END { print n }')"
[ "$events" -gt 0 ] || fail "print says nothing"

# A stream that grows: a part of it comes, is shown, and then the rest.
"$top_builddir/tcflow-synth" --ranks 4 --events 60k --overwrite "$work/synth" >"$work/said"
"$TCFLOW" -q -i "$work/synth" -o pipeline.chain=stream_write -o stream_write.path=- >"$work/stream"
bytes=$(wc -c <"$work/stream")
{
    head -c $((bytes * 3 / 4)) "$work/stream"
    sleep 3
    tail -c +$((bytes * 3 / 4 + 1)) "$work/stream"
} | python3 "$top_srcdir/tests/tools/top/screen.py" 40x120 "until=MPI_Rank_0 show until=is_over show key=q" "$top" - >"$work/shown"
shown=$(cat "$work/shown")
kept 0 "a stream"
is "it was seen before it was over" "$(printf '%s\n' "$shown" | grep -c '^tcflow top')" 2
is "once over" "$(printf '%s\n' "$shown" | grep -c 'trace is over')" 1

# What goes wrong is said behind the view.
screen 24x200 "1" "$work/nowhere"
kept 1 "no trace"
like "why" "$shown" "^tcflow-top: tcflow: error: .*no such file"
like "of which trace" "$shown" "nowhere'$"
head -c $((bytes / 2)) "$work/stream" >"$work/cut"
python3 "$top_srcdir/tests/tools/top/screen.py" 24x80 "2 key=q" "$top" - <"$work/cut" >"$work/shown"
shown=$(cat "$work/shown")
kept 1 "a stream that is cut"
like "what is missing" "$shown" "error: .*(cut|end)"
fails 2 "no terminal" "$top" "$example"
like "it says what shows a view to programs" "$(cat "$work/.fails")" "standard output is none.*'live'"
fails 2 "no trace" "$top"
fails 2 "two traces" "$top" a b
fails 2 "a speed that is none" "$top" --speed fast a
done_testing
