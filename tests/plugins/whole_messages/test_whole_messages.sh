#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Random time windows cut out of random traces: behind select and whole_messages no message has one end only, and the
# messages that are left are those of which both ends lie in the window. Nothing is lost where nothing was cut; what the
# trace itself lacks an end of stays; a tiny pool and a tiny table of messages change nothing but what is counted.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

oracle=$top_builddir/tests/support/oracle/oracle

# cut OUT FROM TO OPTION...: from $trace
cut_out()
{
    out=$1
    rm -rf "$out"
    printf '[pipeline]\ninput = %s\nchain = select whole_messages otf2_write\n[select]\nfrom = %s\nto = %s\n[otf2_write]\npath = %s\n' \
        "$trace" "$2" "$3" "$out" >"$work/cut.ini"
    shift 3
    timeout 60 "$TCFLOW" -q -c "$work/cut.ini" "$@"
}

trace=$work/trace/traces.otf2
failed=
for seed in 1 2 3 4 5 6 7 8; do
    rm -rf "$work/trace"
    timeout 60 "$generate" random --out "$work/trace" --seed $seed --ranks $((seed % 5 + 2)) --events 4000 \
        --features p2p,sendrecv,nonblocking,any-source,collectives >"$work/generate" 2>&1 ||
        failed="$failed $seed: not generated"
    "$oracle" match "$trace" | grep '^p2p' >"$work/before"
    window=$(awk -F, -v seed=$seed '
        NR == 1 || $10 < min { min = $10 }
        $10 > max { max = $10 }
        END { srand(seed); a = min + rand() * (max - min) / 2; printf "%.0f %.0f", a, a + rand() * (max - a) }' "$work/before")
    from=${window% *}
    to=${window#* }
    expected=$(awk -F, -v a="$from" -v b="$to" '$10 >= a && $10 <= b && $11 >= a && $11 <= b' "$work/before" | grep -c .)
    for option in pipeline.slice=0 pipeline.slice=5; do
        cut_out "$work/cut" "${from}ticks" "${to}ticks" -o $option >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 1 "$work/why")"
        "$oracle" match "$work/cut/traces.otf2" >"$work/after"
        got=$(grep -c '^p2p' "$work/after")
        halves=$(grep -cE '^(send|recv),' "$work/after")
        [ "$got" -eq "$expected" ] && [ "$halves" -eq 0 ] ||
            failed="$failed $seed/$option: $got messages and $halves halves, expected $expected and 0"
    done
done
is "only messages with both ends in the window are left" "$failed" ""

ok "the whole range" cut_out "$work/all" 0% 100%
"$oracle" dump "$trace" >"$work/before"
"$oracle" dump "$work/all/traces.otf2" >"$work/after"
ok "nothing is lost where nothing was cut" cmp "$work/before" "$work/after"

rm -rf "$work/trace"
timeout 60 "$generate" random --out "$work/trace" --seed 3 --ranks 4 --events 4000 --features p2p,collectives \
    --lose-sends 0.03 --lose-receives 0.03 >"$work/generate" 2>&1
ok "a trace with lost messages passes" cut_out "$work/lossy" 0% 100%
"$oracle" dump "$trace" >"$work/before"
"$oracle" dump "$work/lossy/traces.otf2" >"$work/after"
ok "what the trace itself lacks an end of stays" cmp "$work/before" "$work/after"
ok "a tiny pool" cut_out "$work/lossy" 0% 100% -o pipeline.memory=1MiB -o pipeline.slice=16
ok "a tiny table" cut_out "$work/lossy" 0% 100% -o whole_messages.messages=16
"$oracle" dump "$work/lossy/traces.otf2" >"$work/after"
ok "nothing is lost then either" cmp "$work/before" "$work/after"

fails 2 "select alone says what to do" "$TCFLOW" -i "$trace" -o pipeline.chain=select -o select.from=1% -o select.messages=drop
like "the remedy is named" "$(cat "$work/.fails")" whole_messages

done_testing
