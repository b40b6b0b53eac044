#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# How many domains a run has where nothing asks for a number: cores, but one for each 32 MiB of event files; and it says
# nothing of them where it has one.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

# chosen TRACE CHAIN [option...]
chosen()
{
    of=$1
    chain=$2
    shift 2
    "$TCFLOW" --check -i "$of" -o pipeline.chain="$chain" "$@" 2>&1 | grep "domain"
}

small=$work/small/traces.otf2
large=$work/large/traces.otf2
"$generate" bench --locations 4 --events 20000 --out "$work/small" >"$work/generated"
"$generate" bench --locations 4 --events 8000000 --out "$work/large" >"$work/generated"

like "a small trace" "$(chosen "$small" profile)" \
    "^chain: in one domain, on one thread: event files have [0-9.]* KiB, and a domain wants 32 MiB at least"
ok "it runs" tcflow -i "$small" --no-progress --summary -o pipeline.chain=profile
is "and nothing is said of domains" "$(grep domain "$work/.ok")" ""
like "a chain that stays in one domain" "$(chosen "$large" "whole_messages check")" \
    "^chain: in one domain, on one thread: 'whole_messages' follows messages"
ok "it runs" tcflow -i "$small" --no-progress --summary -o pipeline.chain="whole_messages check"
is "without a warning" "$(grep -c "warning" "$work/.ok")" 0
is "one thread: nothing is said" "$(chosen "$large" profile -j 1)" ""

cores=$(nproc)
if [ "$cores" -lt 2 ]; then
    like "one core" "$(chosen "$large" profile)" "^chain: in one domain, on one thread: there is one core"
else
    like "a large one" "$(chosen "$large" profile)" "^chain: in 2 domains, on 2 threads \\(.*the largest has 1\\.0"
    if ! command -v taskset >/dev/null; then
        skip "one core" "no taskset"
    else
        first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
        like "one core" "$(taskset -c "$first" "$TCFLOW" --check -i "$large" -o pipeline.chain=profile)" \
            "chain: in one domain, on one thread: there is one core"
    fi
fi
for chain in profile "clc_forward clc_backward"; do
    ok "$chain" tcflow -q --no-progress -i "$large" -o pipeline.chain="$chain"
    cp "$work/.ok" "$work/chosen"
    ok "$chain, in one domain" tcflow -q --no-progress -j 1 -i "$large" -o pipeline.chain="$chain"
    same "has the same results" "$work/.ok" "$work/chosen"
done
done_testing
