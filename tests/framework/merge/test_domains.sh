#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Several inputs that several domains read give what one domain gives of them, byte by byte: reports, archives, messages. Archives, each
# shared by all domains, of random programs and such whose definitions differ. SEEDS (default 1) random traces a kind.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/in_domains.sh"
. "$top_srcdir/tests/framework/merge/split.sh"

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
[ -x "$generate" ] || skip_all "the generator of random traces is not built"

# archives ANCHOR PARTS WAY: $inputs are archives of parts
archives()
{
    locations "$1" >"$work/ids"
    inputs=
    for part in $(seq 0 $(($2 - 1))); do
        rm -rf "$work/archive.$part"
        tcflow -q -i "$1" -o pipeline.chain="select otf2_write" -o "select.locations=$(part "$2" "$part" "$3" <"$work/ids")" \
            -o otf2_write.path="$work/archive.$part" -o pipeline.salvage=yes >/dev/null 2>&1
        inputs="$inputs${inputs:+ }$work/archive.$part/traces.otf2"
    done
}

# equal NAME [option...]: of $inputs
equal()
{
    name=$1
    shift
    domain_equal "$name, reports" "$inputs" -o pipeline.chain="check wait_states profile comm_matrix" -o check.output="$work/in/check" \
        -o wait_states.output="$work/in/waits" -o wait_states.format=json -o profile.output="$work/in/profile" \
        -o comm_matrix.output="$work/in/matrix" -o comm_matrix.format=csv "$@"
    like "$name: all went well" "$(tail -n 1 "$work/in.1/said")" "exit status 0"
    domain_equal "$name, a corrected copy" "$inputs" -o pipeline.chain="presync clc_forward clc_backward otf2_write" \
        -o presync.unsynchronised=keep -o presync.output="$work/in/presync" -o otf2_write.path="$work/in/copy" "$@"
}

archives "$top_srcdir/examples/trace/traces.otf2" 2 turns
equal "the example in 2 archives"
domain_equal "the example in 2 archives, correct.ini" "$inputs" -c "$top_srcdir/examples/correct.ini" \
    -o presync.unsynchronised=keep -o otf2_write.path="$work/in/copy" -o pipeline.reports=clock_report \
    -o clock_report.output="$work/in/report" -o clock_report.format=json -o presync.output="$work/in/presync" \
    -o clock_estimate.output="$work/in/clocks" -o mu_estimate.output="$work/in/delays"
for seed in $(seeds_of 1); do
    while read -r kind options; do
        # shellcheck disable=SC2086 # words
        "$generate" random --out "$work/random" --seed "$seed" $options >/dev/null 2>&1
        archives "$work/random/traces.otf2" 3 blocks
        equal "$kind $seed, 3 archives" -o pipeline.salvage=yes
        rm -rf "$work/random"
    done <<end
$(domain_kinds)
end
    "$generate" odd --out "$work/random" --seed "$seed" --locations 9 >/dev/null 2>&1
    archives "$work/random/traces.otf2" 3 turns
    equal "odd events $seed, 3 archives" -o pipeline.salvage=yes
    rm -rf "$work/random"
done

done_testing
