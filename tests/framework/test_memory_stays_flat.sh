#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# A location with some 60 events beside two with very many, and one message of it lost early on: memory does not depend
# on the length, and nothing but that message's receive is given up.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"


# run EVENTS [--lost]: peak memory in kB to $work/peak, targets given up to $work/given
run()
{
    rm -rf "$work/trace"
    "$generate" quiet --out "$work/trace" --events "$@" >/dev/null &&
        printf '[pipeline]\ninput = %s\nchain = probe\nmemory = 8MiB\n[probe]\ngiven = %s\n' \
            "$work/trace/traces.otf2" "$work/given" >"$work/quiet.ini" &&
        timeout 100 "$TCFLOW" --plugin-path "$top_builddir/tests/framework/probe/.libs" -q --summary=json \
            -c "$work/quiet.ini" 2>"$work/summary" &&
        grep -o '"peak_bytes": [0-9]*' "$work/summary" | awk '{ print int($2 / 1024) }' >"$work/peak"
}

ok "1,000,000 events pass" run 1000000
is "nothing is given up" "$(cat "$work/given")" ""
short=$(cat "$work/peak")
ok "4,000,000 events with a lost message pass" run 4000000 --lost
is "only the last receive of the quiet location has no partner" "$(cat "$work/given")" "2 56"
long=$(cat "$work/peak")
ok "memory stays flat ($short kB, $long kB)" [ "$long" -le $((short + short / 20 + 512)) ]

done_testing
