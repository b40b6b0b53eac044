#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# pass hands everything on: however many stand in a chain, the events that arrive behind them are those that were read.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

trace=$top_srcdir/examples/trace/traces.otf2

# A chain of $1 pass filters in front of $2, further options behind.
chain()
{
    names=
    sections=
    n=1
    while [ $n -le "$1" ]; do
        names="$names p$n"
        sections="$sections[p$n]
filter = pass
"
        n=$((n + 1))
    done
    printf '[pipeline]\nchain = %s %s\nverify = yes\n%s' "$names" "$2" "$sections" >"$work/chain.ini"
    shift 2
    tcflow -i "$trace" -c "$work/chain.ini" "$@"
}

events()
{
    sed -n 's/.*"status": "complete", "events": \([0-9]*\),.*/\1/p'
}

one=$(chain 1 "" --summary=json 2>&1 | events)
ok "events pass" test "${one:-0}" -gt 0
is "as many events pass ten of them" "$(chain 10 "" --summary=json 2>&1 | events)" "$one"
ok "pass has no parameters" sh -c "! '$TCFLOW' --describe pass --ini | grep -q '='"
fails 2 "a key is refused" tcflow -i "$trace" -o pipeline.chain=pass -o pass.span=no

if tcflow --describe print >/dev/null 2>&1; then
    tcflow -i "$trace" -o pipeline.chain=print >"$work/plain" 2>"$work/log"
    chain 10 print >"$work/passed" 2>>"$work/log"
    ok "print shows something" test -s "$work/plain"
    same "what arrives behind ten of them is the same" "$work/plain" "$work/passed"
else
    skip "what arrives behind ten of them is the same" "no print filter"
fi
done_testing
