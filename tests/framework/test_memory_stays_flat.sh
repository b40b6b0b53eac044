#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# A location with some 60 events beside two with very many, and one message of it lost early on: memory does not depend
# on the length, and nothing but that message's receive is given up. And not much on the number of domains.
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
long=$(cat "$work/peak") most=$((short + short / 20 + 512))
for again in 1 2; do # the kernel maps up to 1 MiB more of the libraries in some runs
    [ "$long" -le $most ] || ! run 4000000 --lost || [ "$(cat "$work/peak")" -ge "$long" ] || long=$(cat "$work/peak")
done
ok "memory stays flat ($short kB, $long kB)" [ "$long" -le $most ]

# peak_of DOMAINS OPTION...: in kB
peak_of()
{
    domains=$1
    shift
    "$TCFLOW" -q -j "$domains" --summary=json -i "$work/many/traces.otf2" "$@" 2>"$work/summary" >/dev/null &&
        grep -o '"peak_bytes": [0-9]*' "$work/summary" | awk '{ print int($2 / 1024) }'
}

# Each domain rests in the middle of what its locations do: their slices were as long as those of one domain (1.6 times
# its memory for check and wait_states), and the few ones of the first domain longer, for which all others waited in the
# segment behind clc_backward (1.5 times). And parts of large pages that no domain used, of slices and of what waits to be
# written (correct.ini, 1.34 to 1.5 times). Now 1.0 to 1.1 times.
at_most()
{
    ok "$1: 16 domains take at most 1.3 times what one takes ($2 kB, $3 kB)" \
        [ "${3:-0}" -gt 0 -a "${3:-0}" -le $((${2:-0} * 13 / 10)) ]
}

# peak_of_correction DOMAINS
peak_of_correction()
{
    rm -rf "$work/corrected"
    peak_of "$1" -c "$top_srcdir/examples/correct.ini" -o otf2_write.path="$work/corrected"
}

if is_instrumented; then
    skip "16 domains take what one takes" "the memory of this build is another"
else
    "$generate" bench --locations 1024 --events 2000000 --chunk-kib 256 --out "$work/many" >/dev/null || exit 1
    for chain in check wait_states "clc_forward clc_backward critical_path"; do
        at_most "$chain" "$(peak_of 1 -o pipeline.chain="$chain")" "$(peak_of 16 -o pipeline.chain="$chain")"
    done
    at_most correct.ini "$(peak_of_correction 1)" "$(peak_of_correction 16)"
fi

done_testing
